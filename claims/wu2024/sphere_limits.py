r"""Tokens gather under LayerNorm and orthogonal value matrices: Eq. (23)-(25), and at what point.

X^{(t+1)} = P^{(t)} X^{(0)} W~^{(t)} with P^{(t)} = D^{(t)} A^{(t)} ... D^{(0)} A^{(0)} and
W~^{(t)} = W^{(0)} ... W^{(t)}.  Rank one factors are the norms of the rows of P^{(t)} and
the direction of its first row.  Examples use
two free attention and value matrices in turn; proofs take any.  Limits are stated with a rate.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

from sympy import Abs, ImmutableDenseMatrix, Integer, Rational, Symbol, oo, sqrt

from claims.domain import Choice, Computed, Domain, Point, Size
from claims.errors import OnlyMeasured
from claims.masks import complete
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.statement import Compare, ForAll, Formula, Quantity, Tends
from claims.terms import family
from claims.wu2024.cone import (
    ABOVE,
    BOUNDED_WEIGHTS,
    HEMISPHERE_ABOVE,
    THEOREM_2,
    independent_tokens,
    layernorm_scales_are_bounded,
    margin,
    sigma_min,
)
from claims.wu2024.ergodic import error_vanishes_relative_to_the_row
from claims.wu2024.lengths import LONG_SPREAD, i, j, unit_at_first
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
    norm_of,
    product,
    scaled,
    transposed,
)
from claims.wu2024.turns import EndlessLayers, values
from claims.wu2024.unit_tokens import Orthogonal, UnitRows

LAYERS = 96
"""With weights of at least 1/6 on up to three tokens the slowest example, a sliding window whose
tokens keep 5/6 of themselves, contracts by 5/6 a layer: below 10^-7 in so many layers."""
SMALL = Rational(1, 10**5)

least_weight = Computed(
    epsilon, lambda at: Rational(1, 2 * at[G].in_degree),
    known=(Compare(epsilon, ">", 0), Compare(epsilon, "<", 1)),
)  # fmt: skip
ATTENDING = Hypothesis(r"A_{ij}^{(t)}\ge\epsilon>0\ \text{on edges (Lemma 4)}")
HYPOTHESES = (*THEOREM_2, BOUNDED_WEIGHTS, ATTENDING)


def _tokens(masks: Any, features: Any, *above: Any) -> tuple[Any, ...]:
    layer = EndlessAttention(attention, floor=epsilon, length=2)
    head = (masks, size_of_mask, radius_of_mask, features, least_weight, layer)
    return (*head, UnitRows(X), *above, EndlessLayers(values, Orthogonal(WV)))


def collapsing(masks: Any = Graphs(strong=True, high=3)) -> Domain:  # noqa: B008 (never changes)
    """Theorem 2's hypotheses, with v and gamma as in (i)."""
    return Domain(_tokens(masks, Size(d, 2, 3), *HEMISPHERE_ABOVE), (independent_tokens,))


collapsing_tokens = collapsing()
opposite_tokens = Domain(
    _tokens(Choice(G, (complete(2),)), Choice(d, (Integer(1),)), Choice(margin, (Integer(1),)))
)
"""Two tokens on a line, equal or opposite: neither (i) nor (ii) is asked for."""

# Eq. (23), (24) ------------------------------------------------------------------------------------

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


def norms_of(rows: Rows) -> list[Decimal]:
    return [sum((e * e for e in row), Decimal(0)).sqrt() for row in rows]


def products_after(point: Point, *counts: int) -> list[tuple[Rows, Rows]] | None:
    """P and W~ of so many layers; None where a token vanishes on the way."""
    layers = layers_of(point, max(counts))
    if len(layers) < max(counts):
        return None
    rows, columns = (decimals(ImmutableDenseMatrix.eye(int(point[size]))) for size in (N, d))
    empty = (rows, columns)
    return [(layers[n - 1].forward, layers[n - 1].rotation) if n else empty for n in counts]


def of_factors(read: Callable[..., Any]) -> Callable[..., Any]:
    """A reading of the initial tokens and of P and W~ after some numbers of layers."""

    def define(point: Point, first: int, *more: int) -> Any:
        found = products_after(point, first, *(first + n for n in more))
        if found is None:
            return oo
        with localcontext(prec=DIGITS):
            return read(decimals(point[X]), *found)

    return define


def _uneven_norms(tokens: Rows, last: tuple[Rows, Rows]) -> Decimal:
    rows = gram(product(product(last[0], tokens), last[1]))
    return max(abs(rows[i][i] - 1) for i in range(len(rows)))


def _mixed(tokens: Rows, last: tuple[Rows, Rows]) -> Decimal:
    """|v^T X W~|, v the first row of P over its norm."""
    v = scaled([1 / norms_of(last[0])[0]], last[0][:1])
    return norms_of(product(product(v, tokens), last[1]))[0]


def _from_inverse(tokens: Rows, last: tuple[Rows, Rows]) -> Decimal:
    mixture = _mixed(tokens, last)
    return max(abs(mixture - 1 / u) for u in norms_of(last[0]))


def _uneven_factors(tokens: Rows, last: tuple[Rows, Rows]) -> Decimal:
    u = norms_of(last[0])
    return max(u) - min(u)


def _moved_factors(tokens: Rows, one: tuple[Rows, Rows], other: tuple[Rows, Rows]) -> Decimal:
    ends = zip(norms_of(one[0]), norms_of(other[0]), strict=True)
    return max(abs(a - b) for a, b in ends)


later = Symbol("s", integer=True, nonnegative=True)
_P, _W = r"P^{{({0}-1)}}", r"\tilde W^{{({0}-1)}}"
_MIXED = rf"\|(v^{{{{({{0}}-1)}}}})^\top X^{{{{(0)}}}}{_W}\|_2"
uneven_norms = family(
    rf"\max_i\bigl|\|({_P}X^{{{{(0)}}}}{_W})_{{{{i,:}}}}\|_2^2-1\bigr|", of_factors(_uneven_norms)
)
mixed = family(_MIXED, of_factors(_mixed))
from_inverse = family(
    rf"\max_i\bigl|{_MIXED}-1/u_i^{{{{({{0}}-1)}}}}\bigr|", of_factors(_from_inverse)
)
uneven_factors = family(
    r"\max_{{i,k}}|u_i^{{({0}-1)}}-u_k^{{({0}-1)}}|", of_factors(_uneven_factors)
)
moved_factors = family(r"\max_i|u_i^{{({0}+{1}-1)}}-u_i^{{({0}-1)}}|", of_factors(_moved_factors))

_rate = (1 - (epsilon * margin) ** r) ** (t / r - (r - 1) / r)
"""What a period of r layers leaves of the widths in the chart, at layer t."""
_close = 2 * sqrt(d) / (margin * sigma_min) * _rate
_limits = Compare(sigma_min, ">", 0) & ForAll(
    t, 0, oo,
    Compare(uneven_norms(t), "=", 0)
    & Compare(mixed(t), ">=", sigma_min)
    & Compare(from_inverse(t), "<=", N * _close)
    & Compare(uneven_factors(t), "<=", _close)
    & ForAll(later, 0, oo, Compare(moved_factors(t, later), "<=", _close)),
)  # fmt: skip
_without_inverse = ForAll(t, 0, oo, Compare(mixed(t), "=", 1))
_further = ForAll(t, 0, oo, Compare(mixed(t), ">=", 2 * sigma_min))
row_factors_share_a_finite_limit = Claim(
    id="wu2024.thm-2.proof-eq-23-24",
    source=source("App. C.1", "Eq. (23)-(24)"),
    kind="limit",
    title=r"The row factors $u_i$ of the products share one finite limit, $1/\|v^\top X^{(0)}\|_2$.",
    statement=_limits,
    printed=(
        r"\lim_{t\to\infty}\|(v^{(t)})^\top X^{(0)}\tilde W^{(t)}\|_2"
        r"\geq\sigma_{\min}((X^{(0)}\tilde W^{(t)})^\top)>0,\quad "
        r"\lim_{t\to\infty}\|(v^{(t)})^\top X^{(0)}\tilde W^{(t)}\|_2"
        r"=\lim_{t\to\infty}\frac{1}{u_i^{(t)}},\quad "
        r"\lim_{t\to\infty}u_i^{(t)}=\lim_{t\to\infty}u_k^{(t)}<\infty"
    ),
    domain=collapsing_tokens,
    hypotheses=(
        *HYPOTHESES, ABOVE,
        Hypothesis(
            r"u_i^{(t)}=\|P_{i,:}^{(t)}\|_2,\ v^{(t)}=P_{1,:}^{(t)}/\|P_{1,:}^{(t)}\|_2,\ "
            r"P^{(-1)}=I,\ \tilde W^{(-1)}=I"
        ),
    ),
    uses=(error_vanishes_relative_to_the_row, layernorm_scales_are_bounded),
    understood=unit_at_first("$X^{(0)}=2I_2$ at $t=0$: its rows have norm 2, and not 1"),
    mutants=(
        Mutant("neither (i) nor (ii)", _limits, domain=opposite_tokens),
        Mutant("the mixture has norm one", _without_inverse),
        Mutant("twice the least singular value", _further),
    ),
    note=(
        r"True under (ii), and of any $u$, $v$ with (22) and $\|v\|=1$, since then $u_i/\|P_{i,:}\|\to1$. "
        r"Limits stand with how fast they are reached; that no later layer moves "
        r"$u$ further says that it has one. Rank one factors are read off the products: $u_i$ is the "
        r"norm of row $i$, $v$ the direction of the first row. Since $v$ is non-negative, (i) alone "
        r"would do, with the least norm on the hull in place of $\sigma_{\min}$."
    ),
)  # fmt: skip

# What is not of rank one ---------------------------------------------------------------------------


def _error(point: Point, count: int, row: int, column: int) -> Any:
    """P_ij - u_i v_j after so many layers."""
    found = products_after(point, count)
    if found is None:
        return oo
    with localcontext(prec=DIGITS):
        rows = found[0][0]
        u = norms_of(rows)
        return rows[row - 1][column - 1] - u[row - 1] * rows[0][column - 1] / u[0]


error_after = family(r"E_{{{1}{2}}}^{{({0}-1)}}", _error)


def _errors_within(bound: Any) -> Formula:
    """Every error tends to zero, and stays below the bound."""
    below = ForAll(t, 0, oo, Compare(Abs(error_after(t, i, j)), "<=", bound))
    return ForAll(i, 1, N, ForAll(j, 1, N, Tends(error_after(t, i, j), t, Integer(0)) & below))


_errors = _errors_within(2 * _close)
error_of_rank_one_vanishes = Claim(
    id="wu2024.thm-2.proof-error-vanishes",
    source=source("App. C.1", "display after (24)"),
    kind="limit",
    title="What the products of all layers are off matrices of rank one tends to zero.",
    statement=_errors,
    printed=(
        r"\lim_{t \rightarrow \infty} E_{ij}^{(t)} = 0, \forall i \in [N], j \in [d]"
    ),
    domain=collapsing_tokens,
    hypotheses=(
        *HYPOTHESES, ABOVE,
        Hypothesis(
            r"P^{(t)}=u^{(t)}(v^{(t)})^\top+E^{(t)},\ u_i^{(t)}=\|P_{i,:}^{(t)}\|_2,\ "
            r"v^{(t)}=P_{1,:}^{(t)}/\|P_{1,:}^{(t)}\|_2,\ P^{(-1)}=I"
        ),
    ),
    uses=(error_vanishes_relative_to_the_row, row_factors_share_a_finite_limit),
    understood=(
        Understood(
            r"$j\in[N]$ is meant by $j\in[d]$, as in Lemma 9: $E^{(t)}$ is $N\times N$ and $N\le d$",
            "two tokens with three features have no $E_{13}^{(t)}$",
        ),
        *unit_at_first(
            r"$X^{(0)}=3I_2$ on the complete mask with $v=(1,1)/\sqrt2$: $|E_{21}^{(-1)}|=1$, and the "
            r"bound is $8/9$ at $t=0$"
        ),
    ),
    mutants=(
        Mutant(
            "neither (i) nor (ii)", _errors_within(4 * sqrt(d) / margin * _rate),
            domain=opposite_tokens,
        ),
        Mutant("no self-loops", _errors, domain=collapsing(Choice(G, (swap,)))),
        Mutant("half the rate for a bound", _errors_within(_rate / 2)),
        Mutant("of rank one from the start", _errors_within(Integer(0))),
    ),
    note=(
        r"The limit stands with how fast it is reached. Rank one factors are read off the products; "
        r"others with (22) have factors $u_i$ and $v_j$ that are as close to these as one likes, "
        r"in the end, since $u_i\le1/\sigma_{\min}$ and $v_j\le1$, so that their errors vanish as well. "
        r"Without (i) and (ii) an error need not vanish: opposite tokens $1$ and $-1$ under weights "
        r"$\frac23$ and $\frac13$ keep $E_{22}=1$ for ever, while $u$ grows like $3^t$."
    ),
)  # fmt: skip

# Eq. (25) ------------------------------------------------------------------------------------------


def _spread_after(point: Point, count: int) -> Any:
    """mu^2 after so many layers."""
    layers = layers_of(point, count)
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
    understood=(
        Understood(
            r"$B=I-\mathbf1\mathbf1^\top/N$ is meant, which the text does not say, as $\mu(X)=\|BX\|_F$",
            r"for $B=I$ the norm in the middle is $\|X^{(t+1)}\|_F=\sqrt N$ in every layer",
        ),
        *LONG_SPREAD,
    ),
    mutants=(
        Mutant("neither (i) nor (ii)", _collapse, domain=opposite_tokens),
        Mutant("no self-loops", _collapse, domain=collapsing(Choice(G, (swap,)))),
        Mutant("without a constant", _at_once),
    ),
    note=(
        r"Beside the limit stands how fast it is reached: in the chart $X_i/\langle X_i,v\rangle$ a "
        r"layer is an average with weights of at least $\epsilon\gamma$ on edges. By (23) the norm in the "
        r"middle is that of $\mu(X^{(t+1)})$, whose limit is the same. The display before has "
        r"$E_{ij}^{(t)}\to0$ for $j\in[d]$; $E^{(t)}$ is $N\times N$, and $j\in[N]$ is meant."
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


_T = str(LAYERS - 1)
BACK = 12
"""How often the value matrices are used in turn at most until they bring a token back."""


def _lasting_move(point: Point) -> Decimal:
    """limsup max_i |X_i^{(t+1)} - X_i^{(t)}|: tokens are near c W~^{(t)} for one c.

    Only measured where tokens, turned back, do not agree after so many layers, or where the value
    matrices in turn do not bring c back soon.
    """
    layers = layers_of(point, LAYERS)
    if len(layers) < LAYERS:
        raise OnlyMeasured("a token vanishes on the way")
    with localcontext(prec=DIGITS):
        common, *others = unrotated(layers[-1])
        if others and furthest([common] * len(others), others) > SLACK:
            raise OnlyMeasured("tokens that still gather: measure their common point")
        turns, steps, here = [decimals(w) for w in point[values]], [], common
        for _ in range(BACK):
            for turn in turns:
                before, here = here, product([here], turn)[0]
                steps.append(norm_of([a - b for a, b in zip(here, before, strict=True)]))
            if furthest([here], [common]) < SLACK:
                return max(steps)
    raise OnlyMeasured("value matrices that do not bring tokens back: measure their steps")


lasting_move = Quantity(
    r"\limsup_{t\to\infty}\max_i\|X_{i,:}^{(t+1)}-X_{i,:}^{(t)}\|_2", _lasting_move
)


def _turned_move(point: Point, count: int, more: int) -> Any:
    """How far X^{(count)} W~^T is from what it is so many layers later."""
    layers = layers_of(point, count + more)
    if len(layers) < count + more:
        return oo
    with localcontext(prec=DIGITS):
        ends = [
            unrotated(layers[n - 1]) if n else decimals(point[X]) for n in (count, count + more)
        ]
        return furthest(*ends)


turned_move = family(
    r"\max_{{i,k}}\bigl|\bigl(X^{{({0}+{1})}}(\tilde W^{{({0}+{1}-1)}})^\top-"
    r"X^{{({0})}}(\tilde W^{{({0}-1)}})^\top\bigr)_{{ik}}\bigr|",
    _turned_move,
)
_settled = ForAll(t, 0, oo, ForAll(later, 0, oo, Compare(
    turned_move(t, later), "<=",
    2 * sqrt(d) / margin * _rate,
)))  # fmt: skip
to_mean = Quantity(
    rf"\max_{{i,k}}\bigl|\bigl(X^{{({LAYERS})}}(\tilde W^{{({_T})}})^\top\bigr)_{{ik}}-"
    r"\bar x_k^{(0)}/\|\bar x^{(0)}\|_2\bigr|",
    at_last(_to_mean),
)
_steps_vanish = lasting_move.equals(0)
turned_tokens_have_limits_on_the_sphere = Claim(
    id="wu2024.thm-2.proof-limit-on-sphere.repair",
    parent="wu2024.thm-2.proof-limit-on-sphere",
    source=source("App. C.1.1", "before the main display"),
    kind="limit",
    title=r"In the frame turning with $\tilde W$ every token converges, to a point of the sphere.",
    statement=_settled & ForAll(t, 0, oo, Compare(uneven_norms(t), "=", 0)),
    domain=collapsing_tokens,
    hypotheses=(*HYPOTHESES, ABOVE),
    understood=unit_at_first("$X^{(0)}=2I_2$ at $t=0$: its rows have norm 2, and not 1"),
    note=(
        r"From layer $t$ on $X\tilde W^\top$ moves no further than the bound says, and tokens have "
        r"norm one in every layer ($X^{(t)}=P^{(t-1)}X^{(0)}\tilde W^{(t-1)}$), so that limits have as well."
    ),
)
tokens_have_limits_on_the_sphere = Claim(
    id="wu2024.thm-2.proof-limit-on-sphere",
    source=source("App. C.1.1", "before the main display"),
    kind="limit",
    title="That the row factors have one positive limit is said to mean that every token has a limit.",
    statement=_steps_vanish,
    printed=(
        r"\lim_{t \rightarrow \infty} u_i^{(t)} = \lim_{t \rightarrow \infty} u_k^{(t)} > 0, \quad "
        r"\text{meaning that } \lim_{t \rightarrow \infty} X_{i,:}^{(t)} \in S^{d-1} \text{ for all } "
        r"i \in [N]"
    ),
    domain=collapsing_tokens,
    hypotheses=(*HYPOTHESES, ABOVE),
    uses=(row_factors_share_a_finite_limit,),
    severity="material",
    repair=turned_tokens_have_limits_on_the_sphere,
    note=(
        "Where tokens converge, their steps vanish. The factors $u_i$ have a limit, which says that norms "
        "stay one; the tokens themselves are turned on by a value matrix such as $-I$ or a reflection."
    ),
)
tokens_approach_one_turning_point = Claim(
    id="wu2024.thm-2.converge-to-common-point.repair",
    parent="wu2024.thm-2.converge-to-common-point",
    source=source("Sec. 4.2", "Theorem 2, last clause"),
    kind="prose",
    title=r"Distances between tokens vanish; in the frame turning with $\tilde W$ tokens converge to a point.",
    statement=_collapse & _settled,
    domain=collapsing_tokens,
    hypotheses=(*HYPOTHESES, ABOVE),
    understood=LONG_SPREAD,
    note=(
        r"The common point keeps turning with the value matrices; only $X^{(t)}\tilde W^\top$ "
        r"converges, since no later layer moves it further than the bound says ($\tilde W^{(-1)}=I$), "
        r"and $X$ itself where the products $\tilde W$ settle, as for $W_V=I$."
    ),
)
tokens_converge_to_one_point = Claim(
    id="wu2024.thm-2.converge-to-common-point",
    source=source("Sec. 4.2", "Theorem 2, last clause"),
    kind="prose",
    title="The rate (7) is said to mean that tokens converge to a common point of the sphere.",
    statement=_collapse & _steps_vanish,
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
    severity="material",
    repair=tokens_approach_one_turning_point,
    note=(
        "Where tokens converge, their steps vanish. Orthogonal value matrices such as $-I$, a reflection "
        "or a rotation keep moving the gathered tokens for ever, under uniform attention already; (7) "
        "bounds mutual distances only. The clause also ends Corollary 1."
    ),
)
