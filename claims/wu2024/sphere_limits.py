r"""Tokens gather under LayerNorm and orthogonal value matrices: Eq. (23)-(25), and at what point.

X^{(t+1)} = P^{(t)} X^{(0)} W~^{(t)} with P^{(t)} = D^{(t)} A^{(t)} ... D^{(0)} A^{(0)} and
W~^{(t)} = W^{(0)} ... W^{(t)}.  Rank one factors are read off a row and a column of P^{(t)}.  The
attention matrices are two free matrices of the class, used in turn; limits are read off `LAYERS`
layers of sixty digits.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Any

from sympy import Integer, Rational

from claims.domain import Choice, Computed, Domain, Point, Size
from claims.masks import Mask, complete, sliding_window
from claims.model import Claim, Hypothesis, Mutant, Proposition
from claims.wu2024.cone import (
    BOUNDED_WEIGHTS,
    THEOREM_2,
    independent_tokens,
    layernorm_scales_are_bounded,
)
from claims.wu2024.ergodic import error_vanishes_relative_to_the_row
from claims.wu2024.notation import WV, G, X, attention, d, epsilon, source
from claims.wu2024.positivity import swap
from claims.wu2024.setup import AttentionSequence, Orthogonal, UnitRows, size_of_mask
from claims.wu2024.trajectory import (
    DIGITS,
    SLACK,
    Layer,
    Rows,
    gram,
    layers_of,
    mu_squared_of,
    product,
    scaled,
    transposed,
)  # fmt: skip

LAYERS = 96
"""With weights of at least 1/6 on up to three tokens the slowest example, a sliding window whose
tokens keep 5/6 of themselves, contracts by 5/6 a layer: below 10^-7 in so many layers."""
SMALL, STILL_LARGE = Decimal(10) ** -5, Decimal(10) ** -2

STRONGLY_CONNECTED = (complete(2), sliding_window(3), complete(3))
least_weight = Computed(epsilon, lambda at: Rational(1, 2 * at[G].in_degree))
ATTENDING = Hypothesis(r"A_{ij}^{(t)}\ge\epsilon>0\ \text{on edges (Lemma 4)}")
HYPOTHESES = (*THEOREM_2, BOUNDED_WEIGHTS, ATTENDING)


def _tokens(masks: tuple[Mask, ...], features: Any) -> tuple[Any, ...]:
    layer = AttentionSequence(attention, floor=epsilon, length=2)
    head = (Choice(G, masks), size_of_mask, features, least_weight, layer)
    return (*head, UnitRows(X), Orthogonal(WV))


def collapsing(masks: tuple[Mask, ...] = STRONGLY_CONNECTED) -> Domain:
    """Theorem 2's hypotheses."""
    return Domain(_tokens(masks, Size(d, 2, 3)), (independent_tokens,))


opposite_tokens = Domain(_tokens((complete(2),), Choice(d, (Integer(1),))))
"""Two tokens on a line, equal or opposite: neither (i) nor (ii) is asked for."""

# Eq. (23), (24) ------------------------------------------------------------------------------------


def positive_definite(matrix: Rows) -> bool:
    """Pivots of Gaussian elimination."""
    rows = [list(row) for row in matrix]
    for k, pivot_row in enumerate(rows):
        if pivot_row[k] <= 0:
            return False
        for row in rows[k + 1 :]:
            factor = row[k] / pivot_row[k]
            for j, entry in enumerate(pivot_row):
                row[j] -= factor * entry
    return True


def above(matrix: Rows, shift: Decimal) -> Rows:
    """G - shift I."""
    return [[e - shift * (i == j) for j, e in enumerate(row)] for i, row in enumerate(matrix)]


def below(matrix: Rows, shift: Decimal) -> Rows:
    """shift I - G."""
    return [[-e for e in row] for row in above(matrix, shift)]


def rank_one_factors(matrix: Rows) -> tuple[list[Decimal], list[Decimal]]:
    """u and v of norm 1 with u v^T equal to the matrix in its first row and first column."""
    length = sum((e * e for e in matrix[0]), Decimal(0)).sqrt()
    u = [row[0] * length / matrix[0][0] for row in matrix]
    return u, [e / length for e in matrix[0]]


def factor_flags(point: Point) -> tuple[bool, ...]:
    """Unit rows; |v^T X| = lim 1/u_i; |v^T X| >= s_min > 0; one finite limit; it is 1; >= s_max."""
    layers = layers_of(point, LAYERS)
    if len(layers) < LAYERS:
        return (False,) * 6
    with localcontext(prec=DIGITS):
        start, last, middle = layers[0].tokens, layers[-1], layers[LAYERS // 2]
        (u, v), (before, _) = (rank_one_factors(x.forward) for x in (last, middle))
        rows = gram(product(product(last.forward, start), last.rotation))
        mixed = sum((e * e for e in product([v], start)[0]), Decimal(0))
        whole, slack = gram(start), SMALL**2
        settled = all(abs(a - b) < STILL_LARGE for a, b in zip(u, before, strict=True))
        return (
            all(abs(rows[i][i] - 1) < SLACK for i in range(len(rows))),
            all(abs(mixed.sqrt() - 1 / e) < SMALL for e in u),
            positive_definite(whole) and not positive_definite(above(whole, mixed + slack)),
            settled and max(u) - min(u) < SMALL,
            all(abs(e - 1) < SMALL for e in u),
            positive_definite(below(whole, mixed + slack)),
        )


_LIMITS = (
    r"\|u_i^{(t)}(v^{(t)})^\top X^{(0)}\tilde W^{(t)}+E_{i,:}^{(t)}X^{(0)}\tilde W^{(t)}\|_2=1,\quad "
    r"\lim\|(v^{(t)})^\top X^{(0)}\tilde W^{(t)}\|_2=\lim1/u_i^{(t)}"
    r"\ge\sigma_{\min}((X^{(0)}\tilde W^{(t)})^\top)>0,\quad \lim u_i^{(t)}=\lim u_k^{(t)}<\infty"
)
_limits = Proposition(_LIMITS, lambda point, f: f[0] and f[1] and f[2] and f[3])
row_factors_share_a_finite_limit = Claim(
    id="wu2024.thm-2.proof-eq-23-24",
    source=source("App. C.1", "Eq. (23)-(24)"),
    kind="limit",
    title="The row factors u_i of the products share one finite limit, 1/||v^T X^(0)||.",
    statement=_limits,
    domain=collapsing(),
    define=factor_flags,
    hypotheses=HYPOTHESES,
    uses=(error_vanishes_relative_to_the_row, layernorm_scales_are_bounded),
    mutants=(
        Mutant("neither (i) nor (ii)", _limits, domain=opposite_tokens),
        Mutant(
            "sigma_max for sigma_min",
            Proposition(
                r"\lim\|(v^{(t)})^\top X^{(0)}\|_2\ge\sigma_{\max}((X^{(0)})^\top)",
                lambda point, f: f[1] and f[5],
            ),
        ),
        Mutant("limit 1", Proposition(r"\lim u_i^{(t)}=1", lambda point, f: f[4])),
    ),
    note=(
        "True under (ii). Since v is non-negative, (i) alone would do, with the least norm on the "
        "hull in place of sigma_min."
    ),
)

# Eq. (25) ------------------------------------------------------------------------------------------


def collapse_flags(point: Point) -> tuple[bool, bool]:
    """mu -> 0; mu = 0 after one layer."""
    layers = layers_of(point, LAYERS)
    if len(layers) < LAYERS:
        return False, False
    first, last = (mu_squared_of(layers[t].after) for t in (0, LAYERS - 1))
    return last < SMALL**2, first < SLACK


_COLLAPSE = (
    r"\lim_{t\to\infty}\mu(X^{(t)})=\lim_{t\to\infty}\|Bu^{(t)}(v^{(t)})^\top X^{(0)}\tilde W^{(t)}"
    r"+BE^{(t)}X^{(0)}\tilde W^{(t)}\|_F=0"
)
_collapse = Proposition(_COLLAPSE, lambda point, f: f[0])
tokens_collapse_under_layernorm = Claim(
    id="wu2024.thm-2.proof-eq-25",
    source=source("App. C.1", "Eq. (25)"),
    kind="limit",
    title="With LayerNorm and orthogonal value matrices mu tends to zero.",
    statement=_collapse,
    domain=collapsing(),
    define=collapse_flags,
    hypotheses=HYPOTHESES,
    uses=(row_factors_share_a_finite_limit, error_vanishes_relative_to_the_row),
    mutants=(
        Mutant("neither (i) nor (ii)", _collapse, domain=opposite_tokens),
        Mutant("no self-loops", _collapse, domain=collapsing((swap,))),
        Mutant("after one layer", Proposition(r"\mu(X^{(1)})=0", lambda point, f: f[1])),
    ),
)

# To a common point? --------------------------------------------------------------------------------


def furthest(left: Rows, right: Rows) -> Decimal:
    pairs = zip(left, right, strict=True)
    return max(abs(a - b) for x, y in pairs for a, b in zip(x, y, strict=True))


def unrotated(layer: Layer) -> Rows:
    """X^{(t+1)} (W~^{(t)})^T: the tokens in the frame that turns with the value matrices."""
    return product(layer.after, transposed(layer.rotation))


def convergence_flags(point: Point) -> tuple[bool, ...]:
    """Distances -> 0; X settles; X W~^T settles; X W~^T tends to the mean of X^(0), normalised."""
    layers = layers_of(point, LAYERS)
    if len(layers) < LAYERS:
        return (False,) * 4
    with localcontext(prec=DIGITS):
        last, before = layers[-1], layers[-2]
        still, earlier = unrotated(last), unrotated(before)
        total = [sum(column, Decimal(0)) for column in transposed(layers[0].tokens)]
        length = sum((e * e for e in total), Decimal(0)).sqrt()
        centre = scaled([1 / length], [total]) if length > SLACK else [[Decimal(0)] * len(total)]
        return (
            mu_squared_of(last.after) < SMALL**2,
            furthest(last.after, before.after) < SMALL,
            furthest(still, earlier) < SMALL,
            all(furthest([row], centre) < SMALL for row in still),
        )


tokens_approach_one_turning_point = Claim(
    id="wu2024.thm-2.converge-to-common-point.repair",
    parent="wu2024.thm-2.converge-to-common-point",
    source=source("Theorem 2", "last clause"),
    kind="prose",
    title="Distances between tokens vanish, and in the frame turning with W~ tokens converge to one point.",
    statement=Proposition(
        r"\lim\|X_{i,:}^{(t)}-X_{j,:}^{(t)}\|_2=0,\quad"
        r"\exists\,x^*\in\mathbb S^{d-1}:\ \lim X_{i,:}^{(t+1)}(\tilde W^{(t)})^\top=x^*\ \forall i",
        lambda point, f: f[0] and f[2],
    ),
    domain=collapsing(),
    define=convergence_flags,
    hypotheses=HYPOTHESES,
    note=(
        "The common point keeps turning with the value matrices; only X^(t) W~^T converges, and X "
        "itself where the products W~ settle, as for W_V = I."
    ),
)
tokens_converge_to_one_point = Claim(
    id="wu2024.thm-2.converge-to-common-point",
    source=source("Theorem 2", "last clause"),
    kind="prose",
    title="The rate (7) is said to mean that tokens converge to a common point of the sphere.",
    statement=Proposition(
        r"\exists\,x^*\in\mathbb S^{d-1}:\ \lim_{t\to\infty}X_{i,:}^{(t)}=x^*\ \forall i",
        lambda point, f: f[0] and f[1],
    ),
    domain=collapsing(),
    define=convergence_flags,
    hypotheses=HYPOTHESES,
    uses=(tokens_collapse_under_layernorm,),
    mutants=(
        Mutant(
            "the normalised mean of the initial tokens, turning",
            Proposition(
                r"\lim X_{i,:}^{(t+1)}(\tilde W^{(t)})^\top=\bar x^{(0)}/\|\bar x^{(0)}\|_2",
                lambda point, f: f[3],
            ),
        ),
        Mutant(
            "neither (i) nor (ii)",
            Proposition(r"\lim\|X_{i,:}^{(t)}-X_{j,:}^{(t)}\|_2=0", lambda point, f: f[0]),
            domain=opposite_tokens,
        ),
    ),
    severity="missing-hypothesis",
    repair=tokens_approach_one_turning_point,
    note=(
        "Orthogonal value matrices such as -I, a reflection or a rotation keep moving the gathered "
        "tokens for ever, under uniform attention already; (7) bounds mutual distances only. The "
        "clause also ends Corollary 1."
    ),
)
