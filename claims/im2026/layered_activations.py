r"""Theorem D.10, Eqs. (150)-(152): how far the activations of many layers are from the tokens.

What the inductive hypothesis and the norms of products leave open are norms with ranges; the left-hand
side of a display is then the largest value that they allow.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Symbol, exp

from claims.domain import Domain, Point, Real, Size
from claims.im2026.boxes import INDUCTION, MANY_LAYERS, LearningRate, given, norm
from claims.im2026.notation import T, depth, eta, s, source, words
from claims.model import Claim, Hypothesis
from claims.statement import And, Compare, Formula, Quantity
from claims.terms import value_of

__all__ = ["TERM_OF", "corner", "corners", "joined", "many_layers", "products"]

x = s * eta
PROOF = "Proof of Theorem D.10"


def many_layers(
    *bounds: tuple[Symbol, Any], sizes: tuple[Size, ...] = (), conditions: tuple[Formula, ...] = ()
) -> Domain:
    """The box of Theorem D.10 with further sizes, and norms between zero and their bounds."""
    norms = tuple(LearningRate(symbol, 0, bound) for symbol, bound in bounds)
    box = (*MANY_LAYERS.variables, *sizes, *norms)
    return Domain(box, (*MANY_LAYERS.conditions, *map(given, conditions)))


def products(name: str, term: Any) -> Quantity:
    """A sum of products of norms under the name of what it bounds."""
    made = Quantity(name, lambda at: value_of(term, at))
    TERM_OF[made] = term
    return made


TERM_OF: dict[Quantity, Any] = {}
"""What each of these quantities is."""


def joined(*links: tuple[Any, str, Any]) -> Formula:
    """The links of a display."""
    made = tuple(Compare(*link) for link in links)
    return made[0] if len(made) == 1 else And(made)


def corner(domain: Domain, *, length: int = 60, layers: int = 1, steps: int = 3, **sizes: int) -> Point:
    """A point at the horizon, with every norm as large as it may be."""
    known = {T: length, words: 500, depth: layers, s: steps}
    point: dict[Any, Any] = {}
    for variable in domain.variables:
        symbol = variable.symbol
        if isinstance(variable, Real):
            point[symbol] = variable.ends(point)[1]
        else:
            point[symbol] = Integer(known.get(symbol, sizes.get(str(symbol), variable.low)))
    return point


def corners(domain: Domain, **sizes: int) -> tuple[Point, ...]:
    """At the least length, and at a million tokens with one layer and with 250."""
    far = 10**6
    return (
        corner(domain, **sizes), corner(domain, length=far, **sizes),
        corner(domain, length=far, layers=250, **sizes),
    )  # fmt: skip


# The values ---------------------------------------------------------------------------------------

leading_norm, value_error = norm(r"\|\bar\Phi^\top\bar B^\top\|_F"), norm(r"\epsilon_V")
VALUE_BOUNDS = ((leading_norm, 2), (value_error, 12 * x**3))
value_norm = products(
    r"\|V^{(l)}\|_F", s * (s - 1) / 2 * eta**2 * leading_norm + value_error
)
_values = many_layers(*VALUE_BOUNDS)
values_are_of_second_order = Claim(
    id="im2026.D.10.V-norm",
    source=source(PROOF, "after Eq. (151)"),
    kind="bound",
    title=r"By the inductive hypothesis $\|V^{(l)}\|_F\le2s^2\eta^2$.",
    statement=value_norm.at_most(2 * x**2),
    domain=_values,
    hypotheses=(
        INDUCTION,
        Hypothesis(r"\epsilon_V=\|V^{(l)}-\tbinom s2\eta^2\bar\Phi^\top\bar B^\top\|_F\le12s^3\eta^3"),
        Hypothesis(r"\|\bar\Phi^\top\bar B^\top\|_F\le2,\ \text{from}\ \|\bar\Phi\|\le2,\ \|\bar B\|_F\le1"),
    ),
    printed=r"\left\|V^{(l)}\right\|_F \leq 2s^2\eta^2",
    probes=corners(_values),
    note=(
        r"As $12s\eta\le1/L$. With $\|\bar\Phi^\top\bar B^\top\|_F\le1$, which holds since rows of $A_0X_i$ are "
        r"averages of one-hot rows, it is $\tfrac32s^2\eta^2$; with the $2\sqrt2$ of (97) it would fail at "
        r"the corner of the box."
    ),
)  # fmt: skip

# The activations ----------------------------------------------------------------------------------

value = norm(r"\|V\|")
row_norm = products(r"\max_{l\le L}\|h_i^{(l)}[t,:]\|", (1 + value) ** depth)
deviation = products(
    r"\max_{l\le L}\|h_i^{(l)}[t,:]-X_i[t,:]\|", depth * (1 + x / 4) * value
)
exponent = 2 * depth * x**2
growth, largest = (1 + 2 * x**2) ** depth, exp(exponent)
_rows = many_layers((value, 2 * x**2))
activations_stay_near_the_tokens = Claim(
    id="im2026.D.10.eq-152",
    source=source(PROOF, "Eq. (152) and the displays after it"),
    kind="bound",
    title=r"Rows of the activations are no longer than $1+s\eta/4$ and within $s\eta/4$ of the tokens.",
    statement=joined(
        (row_norm, "<=", growth), (growth, "<=", largest), (largest, "<=", 1 + x / 4),
        (exponent, "<=", x / 6), (deviation, "<=", depth * (1 + x / 4) * 2 * x**2),
        (depth * (1 + x / 4) * 2 * x**2, "<=", x / 4),
    ),
    domain=_rows,
    hypotheses=(
        INDUCTION,
        Hypothesis(r"\max_q\|h^{(l)}[q,:]\|\le(1+\|V\|)\max_q\|h^{(l-1)}[q,:]\|,\ l\le L,\ h^{(0)}=X_i"),
        Hypothesis(r"\|V\|=\max_l\|V^{(l)}\|\le2s^2\eta^2"),
    ),
    printed=r"\left\|h_i^{(l)}[t, :]\right\| \leq (1 + 2s^2\eta^2)^L",
    probes=corners(_rows),
)  # fmt: skip
