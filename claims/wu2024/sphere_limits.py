r"""Tokens gather under LayerNorm and orthogonal value matrices: Eq. (23)-(25), and at what point.

X^{(t+1)} = P^{(t)} X^{(0)} W~^{(t)} with P^{(t)} = D^{(t)} A^{(t)} ... D^{(0)} A^{(0)} and
W~^{(t)} = W^{(0)} ... W^{(t)}.  Rank one factors are read off a row and a column of P^{(t)}.  The
attention matrices are two free matrices of the class, used in turn.  That tokens gather is stated
with a rate; the limits of Eq. (23)-(24) are read off `LAYERS` layers of sixty digits.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import mpmath
from sympy import Integer, Rational, Symbol, oo, sqrt

from claims.domain import Choice, Computed, Domain, Point, Size
from claims.masks import complete, sliding_window
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, ForAll, Quantity, Tends
from claims.terms import family
from claims.wu2024.cone import (
    ABOVE,
    BOUNDED_WEIGHTS,
    HEMISPHERE_ABOVE,
    THEOREM_2,
    independent_tokens,
    layernorm_scales_are_bounded,
    margin,
)
from claims.wu2024.ergodic import error_vanishes_relative_to_the_row
from claims.wu2024.masks import Graphs
from claims.wu2024.notation import WV, G, N, X, attention, d, epsilon, r, source, t
from claims.wu2024.positivity import swap
from claims.wu2024.setup import EndlessAttention, radius_of_mask, size_of_mask
from claims.wu2024.trajectory import (
    DIGITS,
    SLACK,
    Layer,
    Rows,
    decimals,
    gram,
    layers_of,
    mu_squared_of,
    product,
    scaled,
    transposed,
)  # fmt: skip
from claims.wu2024.unit_tokens import Orthogonal, UnitRows

LAYERS = 96
"""With weights of at least 1/6 on up to three tokens the slowest example, a sliding window whose
tokens keep 5/6 of themselves, contracts by 5/6 a layer: below 10^-7 in so many layers."""
SMALL, STILL_LARGE = Rational(1, 10**5), Rational(1, 10**2)

least_weight = Computed(
    epsilon, lambda at: Rational(1, 2 * at[G].in_degree),
    known=(Compare(epsilon, ">", 0), Compare(epsilon, "<", 1)),
)  # fmt: skip
ATTENDING = Hypothesis(r"A_{ij}^{(t)}\ge\epsilon>0\ \text{on edges (Lemma 4)}")
HYPOTHESES = (*THEOREM_2, BOUNDED_WEIGHTS, ATTENDING)


def _tokens(masks: Any, features: Any, *above: Any) -> tuple[Any, ...]:
    layer = EndlessAttention(attention, floor=epsilon, length=2)
    head = (masks, size_of_mask, radius_of_mask, features, least_weight, layer)
    return (*head, UnitRows(X), *above, Orthogonal(WV))


def collapsing(masks: Any = Graphs(strong=True, high=3)) -> Domain:  # noqa: B008 (never changes)
    """Theorem 2's hypotheses, with v and gamma as in (i)."""
    return Domain(_tokens(masks, Size(d, 2, 3), *HEMISPHERE_ABOVE), (independent_tokens,))


STRONGLY_CONNECTED = (complete(2), sliding_window(3), complete(3))
collapsing_tokens = collapsing()
followed_tokens = collapsing(Choice(G, STRONGLY_CONNECTED))
"""Masks on which so many layers suffice."""
opposite_tokens = Domain(
    _tokens(Choice(G, (complete(2),)), Choice(d, (Integer(1),)), Choice(margin, (Integer(1),)))
)
"""Two tokens on a line, equal or opposite: neither (i) nor (ii) is asked for."""

# Eq. (23), (24) ------------------------------------------------------------------------------------


def rank_one_factors(matrix: Rows) -> tuple[list[Decimal], list[Decimal]]:
    """u and v of norm 1 with u v^T equal to the matrix in its first row and first column."""
    length = sum((e * e for e in matrix[0]), Decimal(0)).sqrt()
    u = [row[0] * length / matrix[0][0] for row in matrix]
    return u, [e / length for e in matrix[0]]


Layers = tuple[Layer, ...]


def at_last(read: Callable[[Layers], Any]) -> Callable[[Point], Any]:
    """A reading of `LAYERS` layers to sixty digits; infinite where a token vanishes on the way."""

    def define(point: Point) -> Any:
        layers = layers_of(point, LAYERS)
        if len(layers) < LAYERS:
            return oo
        with localcontext(prec=DIGITS):
            return read(layers)

    return define


def _uneven_norms(layers: Layers) -> Decimal:
    last = layers[-1]
    rows = gram(product(product(last.forward, layers[0].tokens), last.rotation))
    return max(abs(rows[i][i] - 1) for i in range(len(rows)))


def _mixed(layers: Layers) -> Decimal:
    _, v = rank_one_factors(layers[-1].forward)
    return sum((e * e for e in product([v], layers[0].tokens)[0]), Decimal(0)).sqrt()


def _from_inverse(layers: Layers) -> Decimal:
    u, _ = rank_one_factors(layers[-1].forward)
    mixed = _mixed(layers)
    return max(abs(mixed - 1 / e) for e in u)


def _uneven_factors(layers: Layers) -> Decimal:
    u, _ = rank_one_factors(layers[-1].forward)
    return max(u) - min(u)


def _unsettled_factors(layers: Layers) -> Decimal:
    (u, _), (before, _) = (rank_one_factors(x.forward) for x in (layers[-1], layers[LAYERS // 2]))
    return max(abs(a - b) for a, b in zip(u, before, strict=True))


def _least_singular_value(point: Point) -> Decimal:
    """The square root of the least eigenvalue of the Gram matrix of the initial tokens."""
    with mpmath.workdps(DIGITS):
        entries = [[mpmath.mpf(int(e.p)) / int(e.q) for e in row] for row in
                   (point[X] * point[X].T).tolist()]  # fmt: skip
        least = min(mpmath.eigsy(mpmath.matrix(entries), eigvals_only=True))
        return Decimal(mpmath.nstr(mpmath.sqrt(max(least, mpmath.mpf(0))), DIGITS - 10))


_T = str(LAYERS - 1)
_U = rf"u_i^{{({_T})}}"
uneven_norms = Quantity(
    rf"\max_i\bigl|\|(P^{{({_T})}}X^{{(0)}}\tilde W^{{({_T})}})_{{i,:}}\|_2^2-1\bigr|",
    at_last(_uneven_norms),
)
mixed = Quantity(rf"\|(v^{{({_T})}})^\top X^{{(0)}}\|_2", at_last(_mixed))
from_inverse = Quantity(
    rf"\max_i\bigl|\|(v^{{({_T})}})^\top X^{{(0)}}\|_2-1/{_U}\bigr|", at_last(_from_inverse)
)
uneven_factors = Quantity(rf"\max_{{i,k}}|{_U}-u_k^{{({_T})}}|", at_last(_uneven_factors))
unsettled_factors = Quantity(rf"\max_i|{_U}-u_i^{{({LAYERS // 2})}}|", at_last(_unsettled_factors))
least_singular_value = Quantity(r"\sigma_{\min}(X^{(0)})", _least_singular_value)

_limits = (
    uneven_norms.at_most(SMALL)
    & from_inverse.at_most(SMALL)
    & mixed.at_least(least_singular_value - SMALL)
    & least_singular_value.above(0)
    & uneven_factors.at_most(SMALL)
    & unsettled_factors.at_most(STILL_LARGE)
)
row_factors_share_a_finite_limit = Claim(
    id="wu2024.thm-2.proof-eq-23-24",
    source=source("App. C.1", "Eq. (23)-(24)"),
    kind="limit",
    title=r"The row factors $u_i$ of the products share one finite limit, $1/\|v^\top X^{(0)}\|_2$.",
    statement=_limits,
    printed=(
        r"\lim_{t\to\infty}\|(v^{(t)})^\top X^{(0)}\tilde W^{(t)}\|_2=\lim_{t\to\infty}1/u_i^{(t)}"
        r"\geq\sigma_{\min}((X^{(0)}\tilde W^{(t)})^\top)>0,\quad "
        r"\lim_{t\to\infty}u_i^{(t)}=\lim_{t\to\infty}u_k^{(t)}<\infty"
    ),
    domain=followed_tokens,
    hypotheses=HYPOTHESES,
    uses=(error_vanishes_relative_to_the_row, layernorm_scales_are_bounded),
    mutants=(Mutant("neither (i) nor (ii)", _limits, domain=opposite_tokens),),
    note=(
        r"True under (ii). Since $v$ is non-negative, (i) alone would do, with the least norm on the "
        r"hull in place of $\sigma_{\min}$. Limits are read off layer 95, where less than $10^{-5}$ "
        "is left of a difference."
    ),
)

# Eq. (25) ------------------------------------------------------------------------------------------


def _spread_after(point: Point, count: int) -> Any:
    """mu^2 after so many layers."""
    layers = layers_of(point, max(LAYERS, count))
    if len(layers) < count:
        return oo
    return mu_squared_of(layers[count - 1].after if count else decimals(point[X]))


spread_after = family(r"\mu(X^{{({})}})^2", _spread_after)
_decay = (1 - (epsilon * margin) ** r) ** (2 * (t / r - (r - 1) / r))
_within = ForAll(t, 0, oo, Compare(spread_after(t), "<=", 2 * N * d / margin**2 * _decay))
_vanishes = Tends(spread_after(t), t, Integer(0))
_collapse = _vanishes & _within
_at_once = _vanishes & ForAll(t, 0, oo, Compare(spread_after(t), "<=", _decay))
tokens_collapse_under_layernorm = Claim(
    id="wu2024.thm-2.proof-eq-25",
    source=source("App. C.1", "Eq. (25)"),
    kind="limit",
    title=r"With LayerNorm and orthogonal value matrices $\mu$ tends to zero.",
    statement=_collapse,
    printed=(
        r"\lim_{t\to\infty}\mu(X^{(t)})=\lim_{t\to\infty}\|Bu^{(t)}(v^{(t)})^\top X^{(0)}\tilde W^{(t)}"
        r"+BE^{(t)}X^{(0)}\tilde W^{(t)}\|_F=0"
    ),
    domain=collapsing_tokens,
    hypotheses=(*HYPOTHESES, ABOVE),
    uses=(row_factors_share_a_finite_limit, error_vanishes_relative_to_the_row),
    mutants=(
        Mutant("neither (i) nor (ii)", _collapse, domain=opposite_tokens),
        Mutant("no self-loops", _collapse, domain=collapsing(Choice(G, (swap,)))),
        Mutant("without a constant", _at_once),
    ),
    note=(
        r"Beside the limit stands how fast it is reached: in the chart $X_i/\langle X_i,v\rangle$ a "
        r"layer is an average with weights of at least $\epsilon\gamma$ on edges."
    ),
)

# To a common point? --------------------------------------------------------------------------------


def furthest(left: Rows, right: Rows) -> Decimal:
    pairs = zip(left, right, strict=True)
    return max(abs(a - b) for x, y in pairs for a, b in zip(x, y, strict=True))


def unrotated(layer: Layer) -> Rows:
    """X^{(t+1)} (W~^{(t)})^T: the tokens in the frame that turns with the value matrices."""
    return product(layer.after, transposed(layer.rotation))


def _to_mean(layers: Layers) -> Decimal:
    """How far tokens, turned back, are from the mean of the initial tokens over its norm."""
    total = [sum(column, Decimal(0)) for column in transposed(layers[0].tokens)]
    length = sum((e * e for e in total), Decimal(0)).sqrt()
    centre = scaled([1 / length], [total]) if length > SLACK else [[Decimal(0)] * len(total)]
    return max(furthest([row], centre) for row in unrotated(layers[-1]))


last_move = Quantity(
    rf"\max_{{i,k}}|X_{{ik}}^{{({LAYERS})}}-X_{{ik}}^{{({_T})}}|",
    at_last(lambda layers: furthest(layers[-1].after, layers[-2].after)),
)


def _turned_move(point: Point, count: int, more: int) -> Any:
    """How far X^{(count)} W~^T is from what it is so many layers later."""
    layers = layers_of(point, max(LAYERS, count + more))
    if len(layers) < count + more:
        return oo
    with localcontext(prec=DIGITS):
        ends = [
            unrotated(layers[n - 1]) if n else decimals(point[X]) for n in (count, count + more)
        ]
        return furthest(*ends)


later = Symbol("s", integer=True, nonnegative=True)
turned_move = family(
    r"\max_{{i,k}}\bigl|\bigl(X^{{({0}+{1})}}(\tilde W^{{({0}+{1}-1)}})^\top-"
    r"X^{{({0})}}(\tilde W^{{({0}-1)}})^\top\bigr)_{{ik}}\bigr|",
    _turned_move,
)
_settled = ForAll(t, 0, oo, ForAll(later, 0, oo, Compare(
    turned_move(t, later), "<=",
    2 * sqrt(d) / margin * (1 - (epsilon * margin) ** r) ** (t / r - (r - 1) / r),
)))  # fmt: skip
to_mean = Quantity(
    rf"\max_{{i,k}}\bigl|\bigl(X^{{({LAYERS})}}(\tilde W^{{({_T})}})^\top\bigr)_{{ik}}-"
    r"\bar x_k^{(0)}/\|\bar x^{(0)}\|_2\bigr|",
    at_last(_to_mean),
)
tokens_approach_one_turning_point = Claim(
    id="wu2024.thm-2.converge-to-common-point.repair",
    parent="wu2024.thm-2.converge-to-common-point",
    source=source("Theorem 2", "last clause"),
    kind="prose",
    title=r"Distances between tokens vanish; in the frame turning with $\tilde W$ tokens converge to a point.",
    statement=_collapse & _settled,
    domain=collapsing_tokens,
    hypotheses=(*HYPOTHESES, ABOVE),
    note=(
        r"The common point keeps turning with the value matrices; only $X^{(t)}\tilde W^\top$ "
        r"converges, since no later layer moves it further than the bound says ($\tilde W^{(-1)}=I$), "
        r"and $X$ itself where the products $\tilde W$ settle, as for $W_V=I$."
    ),
)
tokens_converge_to_one_point = Claim(
    id="wu2024.thm-2.converge-to-common-point",
    source=source("Theorem 2", "last clause"),
    kind="prose",
    title="The rate (7) is said to mean that tokens converge to a common point of the sphere.",
    statement=_collapse & last_move.at_most(SMALL),
    printed=(
        r"\text{meaning that tokens converge to a common point on } \mathbb{S}^{d-1} "
        r"\text{ exponentially}"
    ),
    domain=collapsing_tokens,
    hypotheses=(*HYPOTHESES, ABOVE),
    uses=(tokens_collapse_under_layernorm,),
    mutants=(
        Mutant("the normalised mean of the initial tokens, turning", to_mean.at_most(SMALL)),
        Mutant("neither (i) nor (ii)", _collapse, domain=opposite_tokens),
    ),
    severity="missing-hypothesis",
    repair=tokens_approach_one_turning_point,
    note=(
        "Orthogonal value matrices such as $-I$, a reflection or a rotation keep moving the gathered "
        "tokens for ever, under uniform attention already; (7) bounds mutual distances only. The "
        "clause also ends Corollary 1."
    ),
)
