r"""Gradients of the values from below (Proposition 3.6).

$\partial X_L/\partial W_\ell^V$ is a Kronecker product of $P_1=A_L\cdots A_1X_0W_1\cdots W_{\ell-1}$ and
$P_2=W_{\ell+1}\cdots W_L$.  The attention is given: the gradient sees $A=A_L\cdots A_1$ alone, which is
row-stochastic as its factors are.  So $\|AX_0\|_F=\|A\|_F\ge1$, $\|I_d\|_F^2=d$, and given what stands
before it each of the $L-1$ Gaussian factors multiplies a squared norm by a mean of $\chi^2_d$
(`claims.gaussian_growth`): in closed form for $L=2$, and for $L=3$, $\ell\ge2$ and even $d$ where all rows
of $A$ are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from sympy import ImmutableDenseMatrix, MatrixSymbol, Rational, Sum, Symbol, exp

from claims.definitions import directional_jacobian, frobenius_square
from claims.domain import Array, Computed, Condition, Domain, Point, Real, Size
from claims.errors import OnlyMeasured
from claims.gaussian_growth import Growth, Shares
from claims.model import Claim, Hypothesis, Understood
from claims.naitsaada2025.chi_square import Factors
from claims.naitsaada2025.markov import normalised
from claims.naitsaada2025.notation import REACHED, WIDE, T, d, depth, ell, source
from claims.naitsaada2025.signal_scales import (
    edge_of,
    edge_of_gaussian_products_as_printed,
    scale_of_the_first_factor_as_printed,
)
from claims.statement import Compare, ForAll, Quantity
from claims.terms import entry, value_of
from claims.wu2024.unit_tokens import Orthogonal

row, column = (Symbol(name, integer=True, positive=True) for name in ("i", "j"))
Z, A, rotation, X0 = (
    MatrixSymbol("Z", T, T), MatrixSymbol("A", T, T), MatrixSymbol("O", d, d),
    MatrixSymbol("X_0", T, d),
)  # fmt: skip


def attention(point: Point) -> ImmutableDenseMatrix:
    """Rows of positive weights over their sums."""
    return normalised(point[Z].applyfunc(lambda z: z**2 + 1))


_stochastic = ForAll(row, 1, T, Compare(Sum(entry(A)(row, column), (column, 1, T)), "=", 1))
ISOTROPIC = Hypothesis(r"X_0X_0^\top=I_T,\ T\le d")


def squared_gradient(point: Point) -> Any:
    """||dX_1/dW_1||_F^2, one unit direction of W_1 after another."""
    size = int(point[d])
    jacobian = directional_jacobian(lambda w: point[A] * point[X0] * w, size, size)
    return frobenius_square(jacobian)


gradient = Quantity(r"\left\|\frac{\partial X_1}{\partial W_1^V}\right\|_F^2", squared_gradient)
single_layer_gradient_is_of_the_order_of_the_width = Claim(
    id="naitsaada2025.prop-3.6.single-layer",
    source=source("Sec. 3.1", "Prop. 3.6, Eq. (14)"),
    kind="bound",
    title=r"In a single layer $\frac1T\|\partial X_1/\partial W_1^V\|_F^2$ is bounded below, by one.",
    statement=Compare(gradient / T, ">=", 1),
    domain=Domain(
        (
            Size(T, 1, 3), Size(d, 1, 3), Array(Z, 2), Computed(A, attention, known=(_stochastic,)),
            Orthogonal(rotation), Computed(X0, lambda at: at[rotation][: int(at[T]), :]),
        ),
        (WIDE,),
    ),
    hypotheses=(ISOTROPIC, Hypothesis(r"A\ \text{row-stochastic}")),
    printed=(
        r"\lim_{T \rightarrow \infty} \frac{1}{T} \left\| \frac{\partial \mathbf{X}_1}{\partial "
        r"\mathbf{W}_1^V} \right\|_F^2 \geq C"
    ),
    understood=(
        Understood(
            r"isotropic tokens, $X_0X_0^\top=I$, which Sec. 3.1 gives before its statements and these leave "
            "out",
            "$X_0=0$: every gradient is zero",
        ),
    ),
    note=(
        r"For every $T$ and every row-stochastic matrix, with $C=1$: the norm is $d\|A\|_F^2\ge d$. For "
        r"an i.i.d. Markov matrix the limit is $(1+\sigma_A^2/m^2)/\gamma$. That $s_1^2(P_1)=O(1)$, as "
        "printed, is a bound from above and does not enter."
    ),
)  # fmt: skip

# Deep networks ------------------------------------------------------------------------------------

MODEL = Hypothesis(
    r"\text{model (11), given its attention:}\ A=A_L\cdots A_1\ \text{row-stochastic, independent of}\ W_i^V"
)
_NORM = r"\left\|\frac{\partial X_L}{\partial W_\ell^V}\right\|_F^2"
energy = Sum(Sum(entry(A)(row, column) ** 2, (column, 1, T)), (row, 1, T))


def _shares(point: Point, place: int) -> Shares:
    """Of W_1, ..., W_(l-1) behind A X_0, then of W_(l+1), ..., W_L behind the identity."""
    own = int(point[ell])
    if place == own:
        return Shares.equal(int(point[d]))
    gram = point[A] * point[A].T
    if place == 1 or (place < own and gram.rank() == 1):
        return Shares(gram / gram.trace())
    if place > own and point[d] == 1:
        return Shares.equal(1)
    raise OnlyMeasured("the shares of a factor behind a random matrix: measure it")


grown = Growth("N", _shares)
r"""$\|P_1\|_F^2\|P_2\|_F^2=d\|A\|_F^2N_{L-1}$."""


def _norm_is_below(floor: Any) -> Any:
    """P(||P_1||_F^2 ||P_2||_F^2 < floor) at a point."""
    return lambda point: value_of(grown.below(d, depth - 1, floor / (d * energy)), point)


short = Quantity(
    rf"\mathbb P\bigl({_NORM}<d\,(d/2)^{{L-1}}\bigr)", _norm_is_below(d * (d / 2) ** (depth - 1))
)
level = Symbol("c", real=True, positive=True)
_growth = d * (d - 2) ** (depth - 1)


@dataclass(frozen=True)
class _Level(Real):
    """A level, tried where the bound says something: below what the squared norm grows like."""

    def draw(self, rng: Random, point: Point) -> Any:
        return value_of(_growth, point) * Rational(rng.randint(1, 6), 8)


below_level = Quantity(rf"\mathbb P\bigl({_NORM}<c\bigr)", _norm_is_below(level))


def _network(narrowest: int, *more: Real) -> Domain:
    sizes = (Factors(depth, 2, 4), Factors(ell, 1, 4), Size(T, 2, 6), Size(d, narrowest, 8))
    attentions = (Array(Z, 2), Computed(A, attention, known=(_stochastic,)))
    return Domain((*sizes, *attentions, *more), (REACHED, WIDE))


gradient_grows_at_least_like_the_printed_power = Claim(
    id="naitsaada2025.prop-3.6.bound",
    source=source("Sec. 3.1", "Prop. 3.6, Eq. (13)"),
    kind="bound",
    title=(
        r"$T^{1-L}\|\partial X_L/\partial W_\ell^V\|_F^2$ is bounded below with overwhelming probability, "
        r"$L\ge2$."
    ),
    statement=short.at_most((depth - 1) * exp(-d / 11)),
    domain=_network(2),
    hypotheses=(MODEL, ISOTROPIC),
    printed=(
        r"\lim_{T \rightarrow \infty} \frac{1}{T^{L-1}} \left\| \frac{\partial \mathbf{X}_L}{\partial "
        r"\mathbf{W}_\ell^V} \right\|_F^2 \geq C_{L-\ell}"
    ),
    understood=(
        Understood(
            r"isotropic tokens, $X_0X_0^\top=I$, which Sec. 3.1 gives before its statements and these leave "
            "out",
            "$X_0=0$: every gradient is zero",
        ),
    ),
    note=(
        r"For every attention, and so for every law of its rows; as $d\ge T$, it says "
        r"$T^{1-L}\|\cdot\|_F^2\ge2^{1-L}d$. The printed bound is not sharp: given the attention the mean is "
        r"$d^L\|A_L\cdots A_1\|_F^2$, one power more, so that "
        r"the limit is infinite and every constant will do."
    ),
)

gradient_diverges_with_depth = Claim(
    id="naitsaada2025.prop-3.6.depth-divergence",
    source=source("Sec. 3.1", "Prop. 3.6"),
    kind="prose",
    title=(
        r"For $T$ large enough the gradients of the values diverge as $L$ increases: the chances to be below "
        "a level have a finite sum."
    ),
    statement=below_level.at_most(level / _growth),
    domain=_network(4, _Level(level, 0, open_low=True)),
    hypotheses=(
        MODEL,
        ISOTROPIC,
        Hypothesis(r"d\ge4"),
        Hypothesis(
            r"\text{diverges: almost surely, by}\ \sum_L\mathbb P(\|\cdot\|_F^2<c)<\infty\ \text{for every}\ "
            r"c\ \text{(Borel and Cantelli)}"
        ),
    ),
    uses=(gradient_grows_at_least_like_the_printed_power,),
    understood=(
        Understood(
            r"isotropic tokens, $X_0X_0^\top=I$, which Sec. 3.1 gives before its statements and these leave "
            "out",
            "$X_0=0$: every gradient is zero",
        ),
    ),
    printed=(
        r"\text{for}\ T\ \text{large enough, } \|\partial \mathbf{X}_L / \partial \mathbf{W}_\ell^V\|_F^2 "
        r"\text{ diverges to infinity as}\ L\ \text{increases}"
    ),
    note=(
        r"However networks of different depth depend on one another, and whatever their attention: the bound "
        r"has no $A$, and $\sum_Lc/(d(d-2)^{L-1})$ is finite for $d\ge4$. It is Markov's inequality with "
        r"$\mathbb E\|\cdot\|_F^{-2}\le\frac1{d(d-2)^{L-1}}$, since $\mathbb E\,1/\chi^2_d=\frac1{d-2}$ and "
        r"$1/x$ is convex. At $d=1$ the norm is a product of independent $\chi^2_1$ for "
        r"$A=1$, of mean logarithm less than zero, and vanishes with depth: 'large enough' is needed."
    ),
)

# The proof's last display ------------------------------------------------------------------------

t = Symbol("t", real=True, positive=True)
_edge = edge_of(depth - ell)
short_of_the_edge = Quantity(
    r"\mathbb P\Bigl(T^{1-L}"
    + _NORM
    + r"<(1-t)^2\tfrac{(L-\ell+1)^{L-\ell+1}}{(L-\ell)^{L-\ell}}\Bigr)",
    _norm_is_below(T ** (depth - 1) * (1 - t) ** 2 * _edge),
)
_long = Condition(
    r"d^L\ge(2T)^{L-1}\tfrac{(L-\ell+1)^{L-\ell+1}}{(L-\ell)^{L-\ell}}",
    lambda at: at[d] ** at[depth] >= (2 * at[T]) ** (at[depth] - 1) * edge_of(at[depth] - at[ell]),
    Compare(d**depth, ">=", (2 * T) ** (depth - 1) * _edge),
)
_deep = _network(2)

gradient_is_above_the_edge_of_the_values = Claim(
    id="naitsaada2025.proof-3.6.conclusion",
    source=source("App. A.2, proof of Prop. 3.6"),
    kind="bound",
    title=(
        r"$T^{1-L}\|\partial X_L/\partial W_\ell^V\|_F^2$ is in the limit at least $(1-t)^2$ times the edge of "
        r"$L-\ell$ Gaussian factors, with overwhelming probability."
    ),
    statement=short_of_the_edge.at_most((depth - 1) * exp(-d / 11)),
    domain=Domain(
        (*_deep.variables, Real(t, 0, 1, open_low=True, open_high=True)),
        (*_deep.conditions, _long),
    ),
    hypotheses=(MODEL, ISOTROPIC),
    uses=(
        gradient_grows_at_least_like_the_printed_power,
        scale_of_the_first_factor_as_printed,
        edge_of_gaussian_products_as_printed,
    ),
    understood=(
        Understood(
            r"$T$ is large, as in a limit: $T\ge2^{L-1}e(L-\ell+1)$ is enough, since $T\le d$",
            r"$L=2$, $\ell=1$, $T=d=1$: the squared norm is $w_2^2$ with $w_2\sim\mathcal N(0,1)$, below "
            r"$4(1-t)^2$ with a probability near $0.95$ for small $t$",
        ),
    ),
    printed=(
        r"\lim_{T \rightarrow \infty} \frac{1}{T^{L-1}} \left\| \frac{\partial \mathbf{X}_L}{\partial "
        r"\mathbf{W}_\ell^V} \right\|_F^2 \geq (1-t)^2 \frac{(L-\ell+1)^{L-\ell+1}}{(L-\ell)^{L-\ell}}"
    ),
    note=(
        r"Except with probability $(L-1)e^{-d/11}$ the squared norm is at least $d\,(d/2)^{L-1}$, which is "
        r"above the printed bound for all large $T\le d$. The two displays that the proof multiplies have $T$ "
        r"for $d$ (`naitsaada2025.proof-3.6.P1`, `naitsaada2025.proof-3.6.P2-edge`), harmless for a bound from "
        r"below. It is far from sharp: $s_1^2(P_2)$ stands for $\|P_2\|_F^2$, which is larger by a factor of "
        "order $d$, so that the limit is infinite."
    ),
)
