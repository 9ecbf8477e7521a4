r"""The bound behind Theorem 3.2 (App. A.1.3): the chain rule norm by norm, and its expectation.

Blocks are Z = alpha_1 S + X, X' = alpha_2 sigma(Z W^F1) W^F2 + Z under uniform attention.  Norms of
Jacobians are variables here, computed at the point from the layer's definition.  At a point the
later blocks share the weights of block l, and the loss of the bound is linear in the last tokens;
the bound asks for neither.  In mean it is stated over finite laws of tokens, weights and gradients
of the loss together, outcome by outcome.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Rational,
    Sum,
    Symbol,
    prod,
    symbols,
)

from claims.definitions import directional_jacobian, expectation, frobenius_square
from claims.domain import Array, Choice, Computed, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.noci2022.blocks import activation, after, attended_by, mean_token, mixed, moved_by
from claims.noci2022.notation import (
    WF1,
    WF2,
    WK,
    WQ,
    WV,
    X,
    alpha1,
    alpha2,
    d_k,
    d_v,
    n,
    source,
)
from claims.noci2022.setup import (
    UNIFORM,
    Layer,
    given_layer,
    symbolic_layer,
    uniform_jacobian,
    weight_variances,
)
from claims.statement import Compare, Formula, Quantity
from claims.terms import Recursion, family

loss_gradient = MatrixSymbol("G", n, d_v)
later_blocks = Symbol("L-\\ell-1", integer=True, nonnegative=True)

_NORM = r"\left\|\frac{\partial %s}{\partial %s}\right\|_F^2"


def _norm(of: str, by: str, prefix: str = "") -> Symbol:
    return Symbol(prefix + _NORM % (of, by), real=True, nonnegative=True)


later_norms = _norm("X^{i+1}", "X^i", r"\prod_{i=\ell+1}^{L-1}")
loss_norm = _norm(r"\mathcal L", "X^L")
block_norm = _norm(r"X^{\ell+1}", r"Z^\ell")
scaled_query_norm = _norm(r"\alpha_1S^\ell", r"W^{Q,\ell}")
query_norm = _norm(r"S^\ell", r"W^{Q,\ell}")
attended_norm = _norm(r"Z^\ell", r"W^{Q,\ell}")
joined_norm = _norm(r"X^{\ell+1}", r"W^{Q,\ell}")


def tokens_of_blocks(point: Point) -> list[ImmutableDenseMatrix]:
    """X^{l+1}, ..., X^{L-1}: the tokens that enter the later blocks."""
    x, found = point[X], []
    for _ in range(int(point[later_blocks])):
        x = after(x, point)
        found.append(x)
    return found


def loss_gradient_norm(point: Point) -> Any:
    """||dL/dW^Q||^2 for L = <G, X^L>: each unit direction of W^Q, pushed through every block."""

    def pushed(dq: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
        dx = mixed(attended_by(point)(dq), point[X], point)
        for x in tokens_of_blocks(point):
            dx = moved_by(dx, x, point)
        return ImmutableDenseMatrix([[sum(dx.multiply_elementwise(point[loss_gradient]))]])

    return frobenius_square(directional_jacobian(pushed, *point[WQ].shape))


def jacobian_of_block(x: ImmutableDenseMatrix, point: Point) -> ImmutableDenseMatrix:
    """dX^{i+1}/dX^i at the tokens x that enter the block."""
    return directional_jacobian(lambda dx: moved_by(dx, x, point), *x.shape)


def product_of_later_norms(point: Point) -> Any:
    """The product over later blocks of the squared norm of the block's Jacobian."""
    return prod(frobenius_square(jacobian_of_block(x, point)) for x in tokens_of_blocks(point))


def query_jacobian(point: Point) -> ImmutableDenseMatrix:
    return uniform_jacobian(given_layer(point), "queries")


_halves = (Integer(1), Integer(2), Rational(1, 2), Integer(-1))
_arrays = (X, WQ, WK, WV, WF1, WF2, loss_gradient)

# Entries of the Jacobians along the chain, rows by outputs and columns by inputs.


@lru_cache(maxsize=256)
def _factors(values: tuple[Any, ...]) -> tuple[list[Any], Any, Any]:
    """The Jacobians of the later blocks, of the mixing and of alpha_1 S in W^Q."""
    point = dict(zip(_FREE, values, strict=True))
    later = [jacobian_of_block(x, point) for x in tokens_of_blocks(point)]
    mixing = directional_jacobian(lambda dz: mixed(dz, point[X], point), *point[X].shape)
    return later, mixing, point[alpha1] * query_jacobian(point)


def factors(point: Point) -> tuple[list[Any], Any, Any]:
    return _factors(tuple(point[symbol] for symbol in _FREE))


_FREE = (n, d_v, d_k, *_arrays, alpha1, alpha2, later_blocks, activation)
width, inputs = n * d_v, d_v * d_k
"""Numbers of entries of the tokens and of W^Q."""
upstream = family(r"g_{{{}}}", lambda at, a: list(at[loss_gradient])[a - 1])
block_jacobian = family(
    r"J^{{({})}}_{{{}{}}}", lambda at, m, a, b: factors(at)[0][m - 1][a - 1, b - 1]
)
mixing_jacobian = family(r"M_{{{}{}}}", lambda at, a, b: factors(at)[1][a - 1, b - 1])
query_entries = family(r"Q_{{{}{}}}", lambda at, a, b: factors(at)[2][a - 1, b - 1])
_a, _b = symbols("a b", integer=True)


def squares(entries: Callable[[Any, Any], Expr], columns: Any = width) -> Expr:
    """The squared Frobenius norm of a Jacobian, column by column."""
    return Sum(Sum(entries(_a, _b) ** 2, (_a, 1, width)), (_b, 1, columns))


def mixed_queries(a: Any, b: Any) -> Expr:
    """The Jacobian of X^{l+1} by W^Q: mixing after alpha_1 S."""
    k = Symbol("k", integer=True)
    return Sum(mixing_jacobian(a, k) * query_entries(k, b), (k, 1, width))


def from_the_last(m: Any) -> Callable[[Any, Any], Expr]:
    """The Jacobian of the later block that m others follow."""
    return lambda a, b: block_jacobian(later_blocks - m, a, b)


norms_so_far = Recursion(
    r"\Pi", lambda: Integer(1), lambda m, before: before() * squares(from_the_last(m))
)
_norms = (
    Computed(
        later_norms, product_of_later_norms,
        known=(Compare(later_norms, "=", norms_so_far(later_blocks)),),
    ),
    Computed(
        loss_norm, lambda at: frobenius_square(at[loss_gradient]),
        known=(Compare(loss_norm, "=", Sum(upstream(_a) ** 2, (_a, 1, width))),),
    ),
    Computed(
        block_norm,
        lambda at: frobenius_square(
            directional_jacobian(lambda dz: mixed(dz, at[X], at), *at[X].shape)
        ),
        known=(Compare(block_norm, "=", squares(mixing_jacobian)),),
    ),
    Computed(
        scaled_query_norm, lambda at: frobenius_square(at[alpha1] * query_jacobian(at)),
        known=(Compare(scaled_query_norm, "=", squares(query_entries, inputs)),),
    ),
    Computed(query_norm, lambda at: frobenius_square(query_jacobian(at))),
    Computed(
        attended_norm, lambda at: frobenius_square(directional_jacobian(attended_by(at), *at[WQ].shape)),
        known=(Compare(attended_norm, "=", squares(query_entries, inputs)),),
    ),
    Computed(
        joined_norm,
        lambda at: frobenius_square(
            directional_jacobian(lambda dq: mixed(attended_by(at)(dq), at[X], at), *at[WQ].shape)
        ),
        known=(Compare(joined_norm, "=", squares(mixed_queries, inputs)),),
    ),
)  # fmt: skip
blocks = Domain(
    (
        Size(n, 2, 2),
        Size(d_v, 1, 2),
        Size(d_k, 1, 2),
        *(Array(symbol, height=1) for symbol in _arrays),
        Real(alpha1),
        Real(alpha2),
        Size(later_blocks, 0, 1),
        Choice(activation, ("linear", "relu")),
        *_norms,
    )
)


def _probe(later: int) -> dict[Any, Any]:
    """Opposite tokens, where little of the bound is lost."""
    one, pair = ImmutableDenseMatrix([[1]]), ImmutableDenseMatrix([[1], [-1]])
    weights = dict.fromkeys((WK, WV, WF1, WF2), one)
    sizes = {n: Integer(2), d_v: Integer(1), d_k: Integer(1)}
    strengths = {alpha1: Integer(2), alpha2: Integer(1), later_blocks: later, activation: "linear"}
    return blocks.completed(
        {**sizes, X: pair, WQ: 0 * one, **weights, loss_gradient: 2 * pair, **strengths}
    )


_LEFT = r"\left\|\frac{\partial\mathcal L}{\partial W^{Q,\ell}}\right\|_F^2"
_behind = later_norms * loss_norm
_joined, _parted = _behind * joined_norm, _behind * block_norm * attended_norm
_bound = _behind * block_norm * scaled_query_norm
loss_gradient_square = Quantity(_LEFT, loss_gradient_norm)


def _lines(first: Expr = _joined, second: Expr = _parted, third: Expr = _bound) -> Formula:
    """Each line is at most the next, with these right-hand sides."""
    return (
        loss_gradient_square.at_most(first)
        & Compare(_joined, "<=", second)
        & Compare(_parted, "<=", third)
    )


loss_gradient_is_bounded_norm_by_norm = Claim(
    id="noci2022.A.1.3.chain-bound",
    source=source("App. A.1.3", "first display"),
    kind="bound",
    title="The query gradient of the loss is at most the product of the norms along the chain, line by line.",
    statement=_lines(),
    domain=blocks,
    hypotheses=(
        UNIFORM,
        Hypothesis(r"\sigma\ \text{linear, or ReLU with the slope}\ 1_{z>0}"),
        Hypothesis(r"X^\ell\ \text{does not depend on}\ W^{Q,\ell}"),
    ),
    probes=(_probe(0), _probe(1)),
    mutants=(
        Mutant("dropped alpha_1", _lines(third=_behind * block_norm * query_norm)),
        Mutant("dropped dL/dX^L", _lines(first=later_norms * joined_norm)),
        Mutant("dropped dX^{l+1}/dZ^l", _lines(second=_behind * attended_norm)),
        Mutant("dropped later blocks", _lines(first=loss_norm * joined_norm)),
        Mutant("equality for the bound", loss_gradient_square.equals(_bound)),
    ),
    note=(
        r"The third bound is printed with the term $\|\partial X^\ell/\partial W^{Q,\ell}\|_F^2=0$, which is "
        "left out. Blocks are those of Eqs. (2)-(4). At the points tried the later blocks share the weights of "
        r"block $\ell$ and the loss is linear in $X^L$; the proof asks for neither."
    ),
    printed=(
        r"\left\| \frac{\partial \mathcal{L}}{\partial \mathbf{W}^{Q,\ell}} \right\|_F^2 \leq "
        r"\prod_{i=\ell+1}^{L-1} \left\| \frac{\partial \mathbf{X}^{i+1}}{\partial \mathbf{X}^i} "
        r"\right\|_F^2 \left\| \frac{\partial \mathcal{L}}{\partial \mathbf{X}^L} \right\|_F^2 \left\| "
        r"\frac{\partial \mathbf{X}^{\ell+1}}{\partial \mathbf{W}^{Q,\ell}} \right\|_F^2 \leq "
        r"\prod_{i=\ell+1}^{L-1} \left\| \frac{\partial \mathbf{X}^{i+1}}{\partial \mathbf{X}^i} "
        r"\right\|_F^2 \left\| \frac{\partial \mathcal{L}}{\partial \mathbf{X}^L} \right\|_F^2 \left\| "
        r"\frac{\partial \mathbf{X}^{\ell+1}}{\partial \mathbf{Z}^\ell} \right\|_F^2 \left\| \frac{\partial "
        r"\mathbf{Z}^\ell}{\partial \mathbf{W}^{Q,\ell}} \right\|_F^2 \leq \prod_{i=\ell+1}^{L-1} \left\| "
        r"\frac{\partial \mathbf{X}^{i+1}}{\partial \mathbf{X}^i} \right\|_F^2 \left\| \frac{\partial "
        r"\mathcal{L}}{\partial \mathbf{X}^L} \right\|_F^2 \left\| \frac{\partial "
        r"\mathbf{X}^{\ell+1}}{\partial \mathbf{Z}^\ell} \right\|_F^2 \left( \left\| \frac{\partial \alpha_1"
        r" \mathbf{S}^\ell}{\partial \mathbf{W}^{Q,\ell}} \right\|_F^2 + \underbrace{\left\| \frac{\partial "
        r"\mathbf{X}^\ell}{\partial \mathbf{W}^{Q,\ell}} \right\|_F^2}_{=0} \right)"
    ),
)

later_mean = Symbol(r"G(X^{\ell})", real=True, nonnegative=True)
query_mean = Symbol(rf"\mathbb E\left[{scaled_query_norm.name}\right]", real=True, nonnegative=True)


def _polynomials(point: Point) -> tuple[Layer, Any, ImmutableDenseMatrix]:
    """The layer, dL/dZ and d(alpha_1 S)/dW^Q as polynomials in the weights.

    One block with alpha_2 = 0, so X^L = Z, and L = (<X, Z> - ||X||^2)^2 / 2.
    """
    layer = symbolic_layer(point)
    moved = point[alpha1] * mean_token(layer.x) * layer.wv
    residual = sum(layer.x.multiply_elementwise(moved))
    return layer, residual * layer.x, point[alpha1] * uniform_jacobian(layer, "queries")


@cache
def _means(x: ImmutableDenseMatrix, strength: Any) -> dict[str, Expr]:
    """E ||dL/dW^Q||^2, E F and E H over standard normal weights, exactly.

    F = ||dL/dX^L||^2 ||dX^{l+1}/dZ||^2, the second being the norm of an identity, and
    H = ||d(alpha_1 S)/dW^Q||^2.
    """
    point = {X: x, alpha1: strength, d_v: x.cols, d_k: Integer(1)}
    layer, upstream, jacobian = _polynomials(point)
    variances = weight_variances(layer, point)
    later = frobenius_square(upstream) * len(upstream)
    own = frobenius_square(jacobian)
    gradient = frobenius_square(jacobian.T * upstream.reshape(len(upstream), 1))
    parts = {"gradient": gradient, "F": later, "H": own}
    return {name: expectation(part, variances) for name, part in parts.items()}


def _mean_of(part: str) -> Callable[[Point], Expr]:
    return lambda point: _means(point[X], point[alpha1])[part]


expected_loss_gradient_norm = _mean_of("gradient")

_block = Domain(
    (
        Size(n, 2, 2),
        Size(d_v, 1, 1, reach=1),
        Size(d_k, 1, 1, reach=1),
        Array(X, height=2),
        Choice(alpha1, _halves),
        Computed(later_mean, _mean_of("F")),
        Computed(query_mean, _mean_of("H")),
    )
)
# The bound in mean, over any finite law of tokens, weights and gradients of the loss ------------------

outcomes, outcome = Symbol("S", integer=True, positive=True), Symbol("s", integer=True)
_stacked = {array: MatrixSymbol(array.name, outcomes * array.rows, array.cols) for array in _arrays}
"""Outcome by outcome, one below the other."""


def in_outcome(point: Point, s: int) -> Point:
    """The tokens, weights and loss gradient of an outcome."""
    known = {v: point[v] for v in (n, d_v, d_k, alpha1, alpha2, later_blocks, activation)}
    for array, stack in _stacked.items():
        rows = point[stack].rows // int(point[outcomes])
        known[array] = point[stack][(int(s) - 1) * rows : int(s) * rows, :]
    return known


def _product_of_norms(at: Point) -> Expr:
    """F H: the norms of the later blocks, of the loss gradient, of the mixing and of alpha_1 S."""
    later, mixing, queries = factors(at)
    parts = (*later, at[loss_gradient], mixing, queries)
    return prod(frobenius_square(ImmutableDenseMatrix(part)) for part in parts)


def _over_outcomes(value: Callable[[Point], Expr]) -> Callable[[Point], Expr]:
    def define(point: Point) -> Expr:
        count = int(point[outcomes])
        values = (value(in_outcome(point, s)) for s in range(1, count + 1))
        return sum(values, start=Integer(0)) / count

    return define


upstream_in = family(
    r"g^{{{}}}_{{{}}}", lambda at, s, a: list(in_outcome(at, s)[loss_gradient])[a - 1]
)
block_jacobian_in = family(
    r"J^{{{},({})}}_{{{}{}}}",
    lambda at, s, m, a, b: factors(in_outcome(at, s))[0][m - 1][a - 1, b - 1],
)
mixing_jacobian_in = family(
    r"M^{{{}}}_{{{}{}}}", lambda at, s, a, b: factors(in_outcome(at, s))[1][a - 1, b - 1]
)
query_entries_in = family(
    r"Q^{{{}}}_{{{}{}}}", lambda at, s, a, b: factors(in_outcome(at, s))[2][a - 1, b - 1]
)


def from_the_last_in(s: Any, m: Any) -> Callable[[Any, Any], Expr]:
    """The Jacobian of the later block that m others follow, in an outcome."""
    return lambda a, b: block_jacobian_in(s, later_blocks - m, a, b)


norms_so_far_in = Recursion(
    r"\Pi", lambda s: Integer(1), lambda m, s, before: before(s) * squares(from_the_last_in(s, m))
)
mean_gradient = Quantity(rf"\mathbb E{_LEFT}", _over_outcomes(loss_gradient_norm))
mean_product = Quantity(
    rf"\mathbb E\left[F\,{scaled_query_norm.name}\right]", _over_outcomes(_product_of_norms)
)

_E_LEFT = rf"\mathbb E{_LEFT}"
LATER_FACTORS = Hypothesis(
    r"F=\textstyle\prod_i\|\tfrac{\partial X^{i+1}}{\partial X^i}\|_F^2"
    r"\|\tfrac{\partial\mathcal L}{\partial X^L}\|_F^2"
    r"\|\tfrac{\partial X^{\ell+1}}{\partial Z^\ell}\|_F^2,\ G(X^\ell)=\mathbb E[F\mid X^\ell]"
)
_SETTING = Hypothesis(
    r"\text{at a point: one block},\ \alpha_2=0,\ d_v=d_k=1,\ \text{standard normal weights},\ "
    r"\mathcal L=\tfrac12(\langle X,Z\rangle-\|X\|_F^2)^2"
)

loss_gradient_is_bounded_in_mean = Claim(
    id="noci2022.A.1.3.tower.repair",
    parent="noci2022.A.1.3.tower",
    source=source("App. A.1.3", "second display"),
    kind="bound",
    title="In mean, the later factors stay under one expectation with the layer's own Jacobian.",
    statement=mean_gradient.at_most(mean_product),
    domain=Domain(
        (
            Size(n, 2, 2), Size(d_v, 1, 2, reach=2), Size(d_k, 1, 2, reach=2), Size(outcomes, 1, 2),
            *(Array(stack, height=1) for stack in _stacked.values()), Real(alpha1), Real(alpha2),
            Size(later_blocks, 0, 1), Choice(activation, ("linear", "relu")),
        )
    ),
    hypotheses=(
        UNIFORM,
        LATER_FACTORS,
        Hypothesis(
            r"\text{tokens } X^\ell,\ \text{weights and } \tfrac{\partial\mathcal L}{\partial X^L}\ "
            r"\text{of any joint law, here with } S\ \text{equally likely outcomes}"
        ),
    ),
    note=(
        "The later factors $F$ depend on the $W^V$ of the same layer, and so does "
        r"$H=\|\partial(\alpha_1S)/\partial W^Q\|_F^2$: given $X^\ell$ alone they are not independent, and "
        r"$\mathbb E[FH]$ may exceed $\mathbb E[F]\,\mathbb E[H]$, by $3/2$ in the setting of the display's "
        r"claim even for the gradient itself. $\mathbb E[FH]$ bounds it for every loss, any number of "
        "blocks and all widths; Theorem 3.2 stands, since there $H=0$ for all weights."
    ),
)  # fmt: skip

later_factors_average_out_given_the_tokens = Claim(
    id="noci2022.A.1.3.tower",
    source=source("App. A.1.3", "second display"),
    kind="expectation",
    title="In mean, the later factors may be replaced by their conditional mean given the tokens.",
    statement=Relation(_E_LEFT, (later_mean * query_mean,), "<="),
    domain=_block,
    define=expected_loss_gradient_norm,
    hypotheses=(UNIFORM, LATER_FACTORS, _SETTING),
    uses=(loss_gradient_is_bounded_norm_by_norm,),
    mutants=(
        *variants(
            ("half of it", later_mean * query_mean / 2),
            ("dropped G", query_mean),
            lhs=_E_LEFT,
            relation="<=",
        ),
        Mutant("equality for the bound", Relation(_E_LEFT, (later_mean * query_mean,))),
    ),
    severity="missing-hypothesis",
    repair=loss_gradient_is_bounded_in_mean,
    printed=(
        r"\mathbb{E} \left\| \frac{\partial \mathcal{L}}{\partial \mathbf{W}^{Q,\ell}} "
        r"\right\|_F^2 \leq \mathbb{E} \left[ \underbrace{\mathbb{E} \left[ \prod_{i=\ell+1}^{L-1} "
        r"\left\| \frac{\partial \mathbf{X}^{i+1}}{\partial \mathbf{X}^i} \right\|_F^2 \left\| "
        r"\frac{\partial \mathcal{L}}{\partial \mathbf{X}^L} \right\|_F^2 \left\| \frac{\partial "
        r"\mathbf{X}^{\ell+1}}{\partial \mathbf{Z}^\ell} \right\|_F^2 \right]}_{=: "
        r"G(\mathbf{X}^\ell)} \left\| \frac{\partial \alpha_1 \mathbf{S}^\ell}{\partial "
        r"\mathbf{W}^{Q,\ell}} \right\|_F^2 \right]"
    ),
    note=(
        "The tower property needs the layer's weights among what is conditioned on. At the collapsed tokens "
        "of Theorem 3.2, whose hypothesis the proof uses only afterwards, both sides are zero. What is said "
        "of a bound of $G$ is `noci2022.A.1.3.bounded`."
    ),
)
