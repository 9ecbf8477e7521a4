r"""App. A.2, proof of Theorem 2.1: how fast a convolution decays.

A *rate* is $-\log(g*h)$ over what $-\log g$ and $-\log h$ are multiples of, far out.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Min, Rational, Symbol, exp, limit, oo

from claims.domain import Domain, Point, Real
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.notation import source
from claims.statement import Quantity

a, b = (Symbol(name, positive=True) for name in "ab")
x = Symbol("x", positive=True)
_RATES = Domain((Real(a, 0, open_low=True), Real(b, 0, open_low=True)))
_PLACE = source("App. A.2", "proof of Theorem 2.1")


def of_squares(at: Point) -> Expr:
    r"""$ay^2+b(x-y)^2=(a+b)\bigl(y-\tfrac{bx}{a+b}\bigr)^2+\tfrac{ab}{a+b}x^2$, integrated over $y$."""
    value: Expr = at[a] * at[b] / (at[a] + at[b])
    return value


def convolved(first: Any, second: Any) -> Expr:
    r"""$\int e^{-a|y|-b|x-y|}dy$ for $x>0$: over $y<0$, between, and over $y>x$."""
    middle = (
        (exp(-second * x) - exp(-first * x)) / (first - second)
        if first != second
        else x * exp(-first * x)
    )
    return (exp(-first * x) + exp(-second * x)) / (first + second) + middle


def of_exponentials(at: Point) -> Expr:
    """-lim f'/f of the convolution f."""
    slower = Min(at[a], at[b])
    scaled = (convolved(at[a], at[b]) * exp(slower * x)).expand()
    return slower - limit(scaled.diff(x) / scaled, x, oo)


exponential_rate = Quantity(r"\lim_{x\to\infty}-\tfrac1x\log(g*h)(x)", of_exponentials)
exponentials_keep_the_slower_rate = Claim(
    id="naitsaada2025.proof-2.1.convolution-principle.repair",
    parent="naitsaada2025.proof-2.1.convolution-principle",
    source=_PLACE,
    kind="limit",
    title="A convolution of exponentials decays at the slower rate, up to a power.",
    statement=exponential_rate.equals(Min(a, b)),
    domain=_RATES,
    hypotheses=(Hypothesis(r"g(x)=e^{-a|x|},\ h(x)=e^{-b|x|}"),),
    note=(
        "The power cannot be left out: $e^{-|x|}*e^{-|x|}=(1+|x|)e^{-|x|}$. For $g$ and $h$ below powers "
        r"times $e^{-a|x|}$ the convolution is below a power times $e^{-a|x|}$, since $|y|+|x-y|\ge|x|$: "
        "this is all that the proof needs."
    ),
)

square_rate = Quantity(r"\lim_{x\to\infty}-\tfrac1{x^2}\log(g*h)(x)", of_squares)
convolutions_decay_like_the_slower_factor = Claim(
    id="naitsaada2025.proof-2.1.convolution-principle",
    source=_PLACE,
    kind="prose",
    title="A convolution is said to decay at least as fast as the slower of its factors.",
    statement=square_rate.at_least(Min(a, b)),
    domain=_RATES,
    hypotheses=(Hypothesis(r"g(x)=e^{-ax^2},\ h(x)=e^{-bx^2}"),),
    probes=({a: Rational(1), b: Rational(1)},),
    severity="missing-hypothesis",
    repair=exponentials_keep_the_slower_rate,
    printed=(
        r"\text{the convolution } g * h \text{ decays at least as fast as the slower of } g \text{ and } h"
    ),
    note=(
        r"$e^{-x^2}*e^{-x^2}=\sqrt{\pi/2}\,e^{-x^2/2}$: what decays faster than an exponential is spread by "
        r"more than a power. The proof uses the sentence of densities that decay like $e^{-|x|}$, where "
        r"it is true up to powers."
    ),
)
