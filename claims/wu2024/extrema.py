r"""How the entries of a vector move under products of attention matrices: Lemma 2 and its use.

x^{(0)} is fixed, M^{(t)} and m^{(t)} are the largest and least entry of x^{(t)}.  The paper defines
x^{(t)} := A^{(t)} ... A^{(0)} x^{(0)}, which is not x^{(0)} at t = 0, and every proof then uses the
recursion x^{(t+1)} = A^{(t)} x^{(t)}: claims are judged under the recursion, and the printed product
is a mutant where it matters.  The class A_{G,eps} is the same in every layer, so "from t on" is read
as "from 0 on".  r is Def. 5's diameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Rational, Symbol

from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Real, Size
from claims.masks import Mask, causal, complete, one_directional, sliding_window, star
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.statement import Compare, ForAll
from claims.terms import family
from claims.wu2024.notation import G, N, T, attention, epsilon, p, source, t, x
from claims.wu2024.setup import AttentionSequence, radius_of_mask, size_of_mask

i = Symbol("i", integer=True, positive=True)
i0 = Symbol("i_0", integer=True, positive=True)
in_degree = Symbol("n", integer=True, positive=True)
m, M = Symbol("m^{(t)}", real=True), Symbol("M^{(t)}", real=True)
spread = Symbol(r"\Delta^{(t)}", nonnegative=True)
"""M^{(t)} - m^{(t)}."""
diagonal = Symbol(r"\Pi_i", nonnegative=True)
"""The product of A_ii over the layers t, ..., t + T - 1."""
low_centre = Symbol("u", integer=True, nonnegative=True)
"""One where (13) holds, x_{i_0} <= p m + (1 - p) M; zero in the other case."""

STOCHASTIC = Hypothesis(r"A^{(n)}\in\mathcal A_{\mathcal G,\epsilon}")
RECURSION = Hypothesis(r"x^{(n+1)}=A^{(n)}x^{(n)}")
SELF_LOOPS = Hypothesis(r"\text{A1: } (i,i)\in E\ \forall i")
CENTRED = Hypothesis(r"\mathcal G\ \text{quasi-strongly connected}")
MIXTURE = Hypothesis(r"x_i^{(t)}=pm^{(t)}+(1-p)M^{(t)},\quad0\le p\le1")
CASES = Hypothesis(r"u=1\text{ if }x_{i_0}^{(t)}\le pm^{(t)}+(1-p)M^{(t)},\ \text{else }u=0")

# Products of attention matrices -------------------------------------------------------------------


def trajectory(layers: tuple[Any, ...], start: Any) -> list[Any]:
    """x^{(0)}, x^{(1)}, ... under x^{(n+1)} = A^{(n)} x^{(n)}."""
    vectors = [start]
    for layer in layers:
        vectors.append(layer * vectors[-1])
    return vectors


def width(vector: Any) -> Expr:
    """M - m."""
    return max(vector) - min(vector)


MASKS = (complete(2), causal(2), one_directional(3), star(3), sliding_window(3), causal(3))
WITHOUT_LOOPS = (Mask("swap", 2, frozenset({(1, 2), (2, 1)})),)

extremes = (
    Computed(m, lambda at: min(at[x])),
    Computed(M, lambda at: max(at[x])),
)
width_now = Computed(spread, lambda at: width(at[x]))


def attention_class(masks: tuple[Mask, ...], length: Any, *sizes: Any) -> tuple[Any, ...]:
    """A mask, a floor that it allows, and `length` attention matrices above that floor."""
    return (
        Choice(G, masks),
        size_of_mask,
        radius_of_mask,
        Computed(in_degree, lambda at: Integer(at[G].in_degree)),
        Real(epsilon, 0, 1 / in_degree, open_low=True),
        *sizes,
        AttentionSequence(attention, floor=epsilon, length=length),
    )


# Extrema are monotone -----------------------------------------------------------------------------


top = family(r"M^{{({})}}", lambda at, layer: max(trajectory(at[attention], at[x])[layer]))
bottom = family(r"m^{{({})}}", lambda at, layer: min(trajectory(at[attention], at[x])[layer]))


raw = Symbol("B^{(0..T-1)}")
"""Holds attention matrices from which a mutant makes other ones."""


def altered(change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Domain:
    """The domain of vectors with matrices that are no longer row-stochastic on the mask."""
    layers = Computed(attention, lambda at: change(at[raw]))
    *before, last = attention_class(MASKS, T, Size(T, 1, 3))
    return Domain((*before, replace(last, symbol=raw), layers, Array(x), width_now))


extrema_are_monotone = Claim(
    id="wu2024.app-B.extrema-monotone",
    source=source("App. B.1", "before Lemma 2"),
    kind="bound",
    title="Under row-stochastic attention the maximum never rises and the minimum never falls.",
    statement=ForAll(
        t, 0, T - 1, Compare(top(t + 1), "<=", top(t)) & Compare(bottom(t + 1), ">=", bottom(t))
    ),
    domain=Domain((*attention_class(MASKS, T, Size(T, 1, 3)), Array(x))),
    hypotheses=(STOCHASTIC, RECURSION),
    note="The printed product and the recursion are one layer apart; monotonicity holds for both.",
)

# Lemma 2: a token keeps part of its place ---------------------------------------------------------


def _token(point: Point) -> int:
    """The place of token i; the last token for numbers that the condition will turn away."""
    return min(int(point[i]), int(point[N])) - 1


def _place(point: Point) -> Expr:
    """p from x_i = p m + (1 - p) M; where all entries agree every p will do, and 1 is taken."""
    gap = point[M] - point[m]
    return (point[M] - point[x][_token(point)]) / gap if gap else Integer(1)


def _diagonal_product(point: Point) -> Expr:
    total = Integer(1)
    for layer in point[attention]:
        total *= layer[_token(point), _token(point)]
    return total


def entry_after(point: Point) -> Expr:
    """x_i^{(t+T)}."""
    return trajectory(point[attention], point[x])[-1][_token(point)]


def negative_entry_after(point: Point) -> Expr:
    return -entry_after(point)


_place_and_product = (*extremes, Computed(p, _place), Computed(diagonal, _diagonal_product))
one_token = Domain(
    (*attention_class(MASKS, T, Size(T, 1, 3)), Array(x), Size(i, 1, 3), *_place_and_product),
    (Condition(r"i\le N", lambda at: at[i] <= at[N]),),
)

_own, _others = (ImmutableDenseMatrix(rows) / 4 for rows in ([[3, 1], [1, 3]], [[1, 3], [3, 1]]))
off_by_one = Domain(
    (
        Choice(G, (complete(2),)),
        size_of_mask,
        Choice(epsilon, (Rational(1, 4),)),
        Choice(T, (Integer(1),)),
        Choice(i, (Integer(1), Integer(2))),
        Choice(raw, ((_own, _others),)),
        Array(x),
        *extremes,
        Computed(p, _place),
        Computed(diagonal, lambda at: _diagonal_product({**at, attention: at[raw][:1]})),
        Computed(attention, lambda at: at[raw][1:]),
    )
)
"""x^{(t+T)} by the layers t + 1, ..., t + T, as in the printed product, but A_ii from t on."""


def _after_one_layer(*start: int) -> dict[Any, Any]:
    """Token 1 gives itself weight 3/4 and token 2 weight 1/4."""
    point = {G: complete(2), epsilon: Rational(1, 4), T: Integer(1), i: Integer(1)}
    return one_token.completed({**point, attention: (_own,), x: ImmutableDenseMatrix(start)})


_AT_THE_ENDS = (_after_one_layer(1, 0), _after_one_layer(0, 1))


def _between(weight: Any) -> Expr:
    """weight * m + (1 - weight) * M."""
    return weight * m + (1 - weight) * M


_UPPER = r"x_i^{(t+T)}"
_below = Relation(_UPPER, (_between(p * diagonal),), "<=")

token_keeps_part_of_its_distance_to_the_maximum = Claim(
    id="wu2024.lemma-2.upper",
    source=source("App. B.1", "Lemma 2, Eq. (10)"),
    kind="bound",
    title="A token keeps at least the part prod A_ii of its distance to the maximum.",
    statement=_below,
    domain=one_token,
    define=entry_after,
    hypotheses=(STOCHASTIC, RECURSION, MIXTURE),
    uses=(extrema_are_monotone,),
    mutants=(
        *variants(
            ("1 - p for p", _between((1 - p) * diagonal)),
            ("nothing is lost", _between(p)),
            ("1 - (1 - p) Pi", _between(1 - (1 - p) * diagonal)),
            lhs=_UPPER,
            relation="<=",
        ),
        Mutant("the printed product", _below, off_by_one),
    ),
    probes=_AT_THE_ENDS,
    note="Read with the recursion; with the printed product the layers of A_ii are off by one.",
)

_LOWER = r"-x_i^{(t+T)}"

token_keeps_part_of_its_distance_to_the_minimum = Claim(
    id="wu2024.lemma-2.lower.repair",
    parent="wu2024.lemma-2.lower",
    source=source("App. B.1", "Lemma 2, Eq. (11)"),
    kind="bound",
    title="A token keeps at least the part prod A_ii of its distance to the minimum.",
    statement=Relation(_LOWER, (-_between(1 - (1 - p) * diagonal),), "<="),
    domain=one_token,
    define=negative_entry_after,
    hypotheses=(STOCHASTIC, RECURSION, MIXTURE),
    note="The distance to the minimum is (1 - p)(M - m), so 1 - p stands where p is printed.",
)

token_stays_above_by_the_same_factor = Claim(
    id="wu2024.lemma-2.lower",
    source=source("App. B.1", "Lemma 2, Eq. (11)"),
    kind="bound",
    title="A token stays above p Pi M + (1 - p Pi) m.",
    statement=Relation(_LOWER, (-_between(1 - p * diagonal),), "<="),
    domain=one_token,
    define=negative_entry_after,
    hypotheses=(STOCHASTIC, RECURSION, MIXTURE),
    uses=(extrema_are_monotone,),
    mutants=variants(
        ("nothing is lost", -_between(p)),
        ("2 p for p", -_between(1 - 2 * p * diagonal)),
        ("m and M exchanged", -_between(p * diagonal)),
        lhs=_LOWER,
        relation="<=",
    ),
    probes=_AT_THE_ENDS,
    severity="misprint",
    repair=token_keeps_part_of_its_distance_to_the_minimum,
    note=(
        "For p = 1 the token is at the minimum and nothing holds it above. The symmetric argument "
        "that the proof names gives 1 - p for p."
    ),
)

# The proof of Lemma 3 -----------------------------------------------------------------------------


def worst_gain(point: Point) -> Expr:
    """Case (13): the largest x_i - M after T layers; else: the largest m - x_i.

    Over the tokens i within distance T of the centre.
    """
    mask, layers = point[G], int(point[T])
    after = trajectory(point[attention], point[x])[-1]
    near = [n - 1 for n in range(1, mask.size + 1) if mask.distance(_centre(point), n) <= layers]
    if point[low_centre]:
        return max(after[n] - point[M] for n in near)
    return max(point[m] - after[n] for n in near)


def _centre(point: Point) -> int:
    """The centre node number i_0, counted round."""
    centres = point[G].centre_nodes
    return centres[(int(point[i0]) - 1) % len(centres)]


def _case(point: Point) -> Integer:
    border = point[p] * point[m] + (1 - point[p]) * point[M]
    return Integer(bool(point[x][_centre(point) - 1] <= border))


two_cases = Domain(
    (
        *attention_class(MASKS, T, Size(T, 1, 3)),
        Real(p, 0, 1),
        Array(x),
        *extremes,
        width_now,
        Size(i0, 1, 2),
        Computed(low_centre, _case),
    )
)


def _pull(place: Any, power: Any = T) -> Expr:
    """-place * epsilon^power * (M - m)."""
    return -place * epsilon**power * spread


_GAIN = (
    r"\max_{\mathrm{dist}(i_0,i)\le T}\{x_i^{(t+T)}-M^{(t)}\ \text{(case (13))},"
    r"\ m^{(t)}-x_i^{(t+T)}\ \text{(else)}\}"
)
_by_case = low_centre * p + (1 - low_centre) * (1 - p)

centre_pulls_by_p_or_its_complement = Claim(
    id="wu2024.lemma-3.proof-eq-14-16.repair",
    parent="wu2024.lemma-3.proof-eq-14-16",
    source=source("App. B.1", "Eq. (13)-(16)"),
    kind="bound",
    title="A centre below p m + (1-p) M pulls down by p eps^T, one above it pulls up by (1-p) eps^T.",
    statement=Relation(_GAIN, (_pull(_by_case),), "<="),
    domain=two_cases,
    define=worst_gain,
    hypotheses=(STOCHASTIC, RECURSION, SELF_LOOPS, CENTRED, CASES),
    note=(
        "In the second case the corrected (11) gives 1 - p for p, so that both cases together give "
        "(16) for p <= 1/2 only; (12) is true beyond by another proof."
    ),
)


def _star(place: int, *start: int) -> dict[Any, Any]:
    """The leaves of a star give the centre, token 1, weight 1/2."""
    layer = ImmutableDenseMatrix([[2, 0, 0], [1, 1, 0], [1, 0, 1]]) / 2
    sizes = {G: star(3), epsilon: Rational(1, 2), T: Integer(1), i0: Integer(1)}
    vector = {p: Integer(place), x: ImmutableDenseMatrix(start)}
    return two_cases.completed({**sizes, **vector, attention: (layer,)})


centre_pulls_by_p_in_both_cases = Claim(
    id="wu2024.lemma-3.proof-eq-14-16",
    source=source("App. B.1", "Eq. (13)-(16)"),
    kind="bound",
    title="A centre pulls every token within distance T by p eps^T, down or up according to its place.",
    statement=Relation(_GAIN, (_pull(p),), "<="),
    domain=two_cases,
    define=worst_gain,
    hypotheses=(STOCHASTIC, RECURSION, SELF_LOOPS, CENTRED, CASES),
    uses=(
        token_keeps_part_of_its_distance_to_the_maximum,
        token_stays_above_by_the_same_factor,
        extrema_are_monotone,
    ),
    mutants=variants(
        ("the full distance", _pull(Integer(1))),
        ("T - 1 for T", _pull(p, T - 1)),
        ("1 - p in both cases", _pull(1 - p)),
        lhs=_GAIN,
        relation="<=",
    ),
    probes=(_star(1, 1, 0, 2), _star(0, 1, 0, 1)),
    severity="material",
    repair=centre_pulls_by_p_or_its_complement,
    note=(
        "The second case gives 1 - p for p: for p = 1 a centre just above the minimum pulls nobody "
        "up. So the argument gives (16), and with it Theorem 1's rate, for p <= 1/2 only."
    ),
)
