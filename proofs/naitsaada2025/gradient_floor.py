"""Gradients of the values from below: Cauchy-Schwarz in each row, chi-squares in each layer."""

from __future__ import annotations

from functools import cache

from sympy import Integer, MatrixSymbol, Rational, Sum, Symbol, gamma, gammasimp, log, simplify

from claims.expressions import FrobSq
from claims.model import Claim
from claims.naitsaada2025 import gradient_floor as claims
from claims.naitsaada2025.gradient_floor import X0, A, column, row
from claims.naitsaada2025.notation import T, d
from claims.statement import Compare
from claims.terms import entry
from proofs.calculus.differentials import jacobian
from proofs.calculus.networks import frobenius_square
from proofs.calculus.wick import trace_normal_form
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued, conclude
from proofs.facts import CAUCHY_SCHWARZ
from proofs.kernel import (
    Theorem,
    assume,
    derived,
    fact,
    generalise,
    instance,
    joint,
    sum_compared,
    sum_rearranged,
)  # fmt: skip
from proofs.registry import proves

_weight = entry(A)(row, column)
_own, _all = (column, 1, T), (row, 1, T)


@cache
def squares_of_weights_add_to_one() -> Theorem:
    """sum_ij A_ij^2 >= 1: every row sums to one over T entries."""
    stochastic = claims.single_layer_gradient_is_of_the_order_of_the_width.domain.variables[
        3
    ].known[0]
    sums = instance(assume(stochastic), row)
    squared = fact(CAUCHY_SCHWARZ, a=_weight, b=Integer(1), k=column, low=1, high=T)
    length = sum_rearranged(Sum(Integer(1), _own), T)
    least = Compare(1 / T, "<=", Sum(_weight**2, _own))
    each = generalise(joint(least, sums, squared, length), *_all)
    summed = sum_compared(each)
    total = sum_rearranged(Sum(1 / T, _all), T * (1 / T))
    return joint(Compare(Sum(Sum(_weight**2, _own), _all), ">=", 1), summed, total)


@proves(claims.single_layer_gradient_is_of_the_order_of_the_width)
def by_the_norm_of_a_stochastic_matrix(claim: Claim) -> Certificate:
    """The Jacobian of A X_0 W has squared norm d |A X_0|^2 = d |A|^2 >= d >= T."""
    domain = claims.single_layer_gradient_is_of_the_order_of_the_width.domain
    weight = MatrixSymbol("W", d, d)
    value = frobenius_square(jacobian(A * X0 * weight, weight).normal()).scalar()
    assert trace_normal_form(value) == trace_normal_form(d * FrobSq(A * X0))
    total = Sum(Sum(_weight**2, _own), _all)
    known = derived(claims.gradient, d * total, domain, "product rule, and $X_0X_0^\\top=I$")
    theorem = joint(
        Compare(claims.gradient / T, ">=", 1), known, squares_of_weights_add_to_one(),
        given=(Compare(T, "<=", d), Compare(T, ">=", 1)),
    )  # fmt: skip
    return conclude(claim, theorem, method="product rule; Cauchy-Schwarz in each row")


FLOOR = Checked(
    r"\|A_L\cdots A_1X_0\|_F^2\ge1,\ \|I_d\|_F^2=d,\ \|MW\|_F^2\sim\textstyle\sum_iw_i\chi^2_{d,i},\ "
    r"\sum_iw_i=\|M\|_F^2",
    "a product of row-stochastic matrices is one; $w_i$ are the squared singular values of $M$",
    lambda: not squares_of_weights_add_to_one().argued,
)


def _product_of_two() -> bool:
    """(1 + 2 lambda w)(1 + 2 lambda v) >= 1 + 2 lambda (w + v), and (log 2 - 1/2)/2 >= 1/11."""
    first, second, rate = (Symbol(name, positive=True) for name in ("w", "v", "lambda"))
    together = (1 + 2 * rate * first) * (1 + 2 * rate * second) - 1 - 2 * rate * (first + second)
    return bool(together.expand().is_positive and log(2) - Rational(1, 2) >= Rational(2, 11))


RARE = Checked(
    r"P\bigl(\textstyle\sum_iw_i\chi^2_{d,i}\le\tfrac d2\sum_iw_i\bigr)"
    r"\le e^{-d(\log2-1/2)/2}\le e^{-d/11}",
    r"Markov's inequality at $2\lambda\sum_iw_i=1$, where $\prod_i(1+2\lambda w_i)\ge1+2\lambda\sum_iw_i$",
    _product_of_two,
)


@proves(claims.gradient_grows_at_least_like_the_printed_power)
def by_a_chi_square_in_each_layer(claim: Claim) -> Certificate:
    """Each of the L - 1 factors multiplies by less than d/2 with probability at most e^(-d/11)."""
    return argued(claim, steps=(FLOOR, RARE), method="a chi-square for each layer")


def _long_enough() -> bool:
    """From d^L >= (2T)^(L-1) e and 0 < t < 1: d (d/2)^(L-1) >= T^(L-1) (1 - t)^2 e."""
    tokens, width, edge = (Symbol(name, positive=True) for name in ("T", "d", "e"))
    layers = Symbol("L", integer=True, positive=True)
    floor = width * (width / 2) ** (layers - 1)
    given = width**layers / ((2 * tokens) ** (layers - 1) * edge)
    asked = floor / (tokens ** (layers - 1) * edge)
    return simplify(asked / given) == 1


ENOUGH = Checked(
    r"d^L\ge(2T)^{L-1}e\ \Leftrightarrow\ d\,(d/2)^{L-1}\ge T^{L-1}e,\quad(1-t)^2<1",
    "arithmetic",
    _long_enough,
)


@proves(claims.gradient_is_above_the_edge_of_the_values)
def by_a_floor_above_the_edge(claim: Claim) -> Certificate:
    """The floor d (d/2)^(L-1) is above T^(L-1) times the printed number."""
    return argued(claim, steps=(FLOOR, RARE, ENOUGH), method="a chi-square for each layer")


@proves(claims.gradient_diverges_with_depth)
def by_mean_logarithms(claim: Claim) -> Certificate:
    """The logarithm is concave: E log sum w chi^2 >= log sum w + E log chi^2, twice by Jensen."""
    inverse = Checked(
        r"\mathbb E\,1/\chi^2_d=1/(d-2),\ \text{so}\ \mathbb E\log\chi^2_d\ge\log(d-2)",
        "Jensen's inequality for the logarithm",
        lambda: gammasimp(gamma(d / 2 - 1) / (2 * gamma(d / 2)) - 1 / (d - 2)) == 0,
    )
    method = "a chi-square for each layer; Jensen's inequality"
    return argued(claim, steps=(FLOOR, inverse), method=method)
