r"""How the entries of a vector move under products of attention matrices: Lemma 2 and its use.

x^{(0)} is fixed, M^{(t)} and m^{(t)} are the largest and least entry of x^{(t)}.  The paper defines
x^{(t)} := A^{(t)} ... A^{(0)} x^{(0)}, which is not x^{(0)} at t = 0, and every proof then uses the
recursion x^{(t+1)} = A^{(t)} x^{(t)}.  The two are one layer apart: where a statement names the
layers (Lemma 2), it is judged under the definition and repaired under the recursion; elsewhere both
say the same, and the recursion is used.  The class A_{G,eps} is the same in every layer, so "from t
on" is read as "from 0 on".  r is Def. 5's diameter.
"""

from __future__ import annotations

from math import prod
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Rational, Symbol, eye, symbols, sympify

from claims.domain import Array, Computed, Condition, Domain, Point, Real, Size, Truth
from claims.masks import complete, one_directional, star
from claims.model import Claim, Hypothesis
from claims.statement import And, Compare, ForAll, Formula, Implies, Quantity
from claims.terms import entry, family
from claims.wu2024.masks import SELF_LOOPS, Graphs
from claims.wu2024.notation import G, N, T, attention, d, epsilon, p, source, t, x
from claims.wu2024.setup import (
    AttentionSequence,
    Degree,
    Place,
    distance,
    radius_of_mask,
    size_of_mask,
)

i = Symbol("i", integer=True)
i0, i1, i2 = symbols("i_0 i_1 i_2", integer=True)
in_degree = Symbol(r"\max_i|\mathcal N_i|", integer=True, positive=True)

STOCHASTIC = Hypothesis(r"A^{(n)}\in\mathcal A_{\mathcal G,\epsilon}")
RECURSION = Hypothesis(r"x^{(n+1)}=A^{(n)}x^{(n)}")
PRODUCT = Hypothesis(r"x^{(n)}:=A^{(n)}\cdots A^{(0)}x^{(0)}\ \text{for every } n\ge0")
CENTRED = Hypothesis(r"\mathcal G\ \text{quasi-strongly connected}")
MIXTURE = Hypothesis(r"x_i^{(0)}=pm^{(0)}+(1-p)M^{(0)},\quad0\le p\le1")

# Products of attention matrices -------------------------------------------------------------------


def along_a_chain(tokens: int, share: Any) -> ImmutableDenseMatrix:
    """Every token but the first gives a share of its weight to the one before it."""
    layer = eye(tokens)
    for k in range(1, tokens):
        layer[k, k - 1], layer[k, k] = share, 1 - share
    return layer.as_immutable()


def trajectory(layers: tuple[Any, ...], start: Any) -> list[Any]:
    """x^{(0)}, x^{(1)}, ... under x^{(n+1)} = A^{(n)} x^{(n)}."""
    vectors = [start]
    for layer in layers:
        vectors.append(layer * vectors[-1])
    return vectors


def width(vector: Any) -> Expr:
    """M - m."""
    return max(vector) - min(vector)


def attention_class(length: Any, *sizes: Any, centred: bool = True) -> tuple[Any, ...]:
    """A mask under A1, a floor that it allows, and `length` attention matrices above that floor.

    Unless `centred`, any such mask: what is said of extrema alone asks for no path between tokens.
    """
    masks = Graphs(centred=True, high=4) if centred else Graphs(low=1, high=4)
    return (
        masks,
        size_of_mask,
        *((radius_of_mask,) if centred else ()),
        Degree(in_degree, lambda at: Integer(at[G].in_degree), 2 if centred else 1),
        Real(epsilon, 0, 1 / in_degree, open_low=True),
        *sizes,
        AttentionSequence(attention, floor=epsilon, length=length),
    )


# Extrema are monotone -----------------------------------------------------------------------------

_TOKEN, _TOP, _BOTTOM = r"x_{{{}}}^{{({})}}", r"M^{{({})}}", r"m^{{({})}}"


def _at(point: Point, layer: int) -> Any:
    return trajectory(point[attention], point[x])[layer]


token = family(_TOKEN, lambda at, place, layer: _at(at, layer)[place - 1])
top = family(_TOP, lambda at, layer: max(_at(at, layer)))
bottom = family(_BOTTOM, lambda at, layer: min(_at(at, layer)))

extrema_are_monotone = Claim(
    id="wu2024.app-B.extrema-monotone.repair",
    parent="wu2024.app-B.extrema-monotone",
    source=source("App. B.1", "before Lemma 2"),
    kind="bound",
    title="Under row-stochastic attention the maximum never rises and the minimum never falls.",
    statement=ForAll(
        t, 0, T - 1, Compare(top(t + 1), "<=", top(t)) & Compare(bottom(t + 1), ">=", bottom(t))
    ),
    domain=Domain((*attention_class(T, Size(T, 1, 3), centred=False), Array(x))),
    hypotheses=(STOCHASTIC, RECURSION, SELF_LOOPS),
    note="The extrema are those of all $N$ tokens, as all later displays have them.",
)

first_top = family(r"\max_{{i\in[d]}}x_i^{{({})}}", lambda at, layer: max(_at(at, layer)[: at[d]]))
first_bottom = family(
    r"\min_{{i\in[d]}}x_i^{{({})}}", lambda at, layer: min(_at(at, layer)[: at[d]])
)

_first_tokens = Domain((*attention_class(T, Size(T, 1, 3), centred=False), Place(d), Array(x)))
_first_top_stays = Compare(first_top(t + 1), "<=", first_top(t))
_first_bottom_stays = Compare(first_bottom(t + 1), ">=", first_bottom(t))
_half = ImmutableDenseMatrix([[1, 1], [1, 1]]) / 2
_two_tokens = _first_tokens.completed(
    {
        G: complete(2), epsilon: Rational(1, 2), T: Integer(1), attention: (_half,), d: Integer(1),
        x: ImmutableDenseMatrix([0, 1]),
    }
)  # fmt: skip

extrema_over_as_many_tokens_as_features = Claim(
    id="wu2024.app-B.extrema-monotone",
    source=source("App. B.1", "before Lemma 2"),
    kind="bound",
    title="Over the tokens $i\\in[d]$ the maximum never rises and the minimum never falls.",
    statement=ForAll(t, 0, T - 1, _first_top_stays & _first_bottom_stays),
    domain=_first_tokens,
    hypotheses=(STOCHASTIC, RECURSION, SELF_LOOPS),
    printed=r"\max_{i \in d} x_i^{(t)} := M^{(t)}, \quad \min_{i \in d} x_i^{(t)} := m^{(t)}",
    probes=(_two_tokens,),
    severity="misprint",
    repair=extrema_are_monotone,
    note=(
        "$d$ counts features, and entries of $x^{(t)}$ belong to tokens: a token beyond $d$ can raise the "
        r"others. $N$ is meant here, and in $x^{(0)}\in\mathbb R^d$ on the line before, which $A^{(0)}$ "
        "could not multiply. The printed product and the recursion are one layer apart; what is said "
        "holds for both."
    ),
)

# Lemma 2: a token keeps part of its place ---------------------------------------------------------

kept = Quantity(
    r"\prod_{n=0}^{T-1}A_{ii}^{(n)}",
    lambda at: prod((a[at[i] - 1, at[i] - 1] for a in at[attention][: at[T]]), start=Integer(1)),
    nonnegative=True,
)
printed_token = family(_TOKEN, lambda at, place, layer: _at(at, layer + 1)[place - 1])
printed_top = family(_TOP, lambda at, layer: max(_at(at, layer + 1)))
printed_bottom = family(_BOTTOM, lambda at, layer: min(_at(at, layer + 1)))
"""Under the printed definition of x^{(t)}: layer 0 is applied before anything is said."""


def _between(weight: Any, low: Any, high: Any) -> Expr:
    """weight * low + (1 - weight) * high."""
    return weight * low + (1 - weight) * high


def _one_token(length: Any, at_place: Any, low: Any, high: Any) -> Domain:
    """A vector, a token, and its p; where all entries agree every p will do, and 1 is taken."""

    def place(point: Point) -> Expr:
        entries = _at(point, int(length - T))
        own, gap = entries[int(point[i]) - 1], width(entries)
        return (max(entries) - own) / gap if gap else Integer(1)

    mixture = Compare(at_place(i, 0), "=", _between(p, low(0), high(0)))
    in_range = Compare(p, ">=", 0) & Compare(p, "<=", 1)
    return Domain(
        (
            *attention_class(length, Size(T, 1, 3), centred=False), Array(x), Place(i),
            Computed(p, place),
        ),
        (
            Condition(MIXTURE.latex, Truth(mixture & in_range), mixture & in_range),
        ),
    )  # fmt: skip


_followed = _one_token(T, token, bottom, top)
_as_printed = _one_token(T + 1, printed_token, printed_bottom, printed_top)


def _after_one_layer(domain: Domain, layers: int, own: int, *start: int) -> dict[Any, Any]:
    """Token 1 gives itself weight own/4 at last, and 3/4 (4 - own)/4 before."""
    first, last = (ImmutableDenseMatrix([[a, 4 - a], [4 - a, a]]) / 4 for a in (4 - own, own))
    point = {G: complete(2), epsilon: Rational(1, 4), T: Integer(1), i: Integer(1)}
    sequence = (first, last)[-layers:]
    return domain.completed({**point, attention: sequence, x: ImmutableDenseMatrix(start)})


token_keeps_part_of_its_distance_to_the_maximum = Claim(
    id="wu2024.lemma-2.upper.repair",
    parent="wu2024.lemma-2.upper",
    source=source("App. B.1", "Lemma 2, Eq. (10)"),
    kind="bound",
    title=r"A token keeps at least the part $\prod A_{ii}$ of its distance to the maximum.",
    statement=Compare(token(i, T), "<=", _between(p * kept, bottom(0), top(0))),
    domain=_followed,
    hypotheses=(STOCHASTIC, RECURSION, MIXTURE, SELF_LOOPS),
    probes=(_after_one_layer(_followed, 1, 3, 1, 0),),
    note="With $x^{(t+1)}=A^{(t)}x^{(t)}$, which the proof uses, the layers are those of $A_{ii}$.",
)
token_as_printed_keeps_part_of_its_distance = Claim(
    id="wu2024.lemma-2.upper",
    source=source("App. B.1", "Lemma 2, Eq. (10)"),
    kind="bound",
    title="A token of the printed product keeps so much of its distance to the maximum.",
    statement=Compare(
        printed_token(i, T), "<=", _between(p * kept, printed_bottom(0), printed_top(0))
    ),
    printed=(
        r"x_i^{(t+T)} \leq p \left(\prod_{n=t}^{t+T-1} A_{ii}^{(n)} \right) m^{(t)} + "
        r"\left(1 - p \left(\prod_{n=t}^{t+T-1} A_{ii}^{(n)} \right) \right) M^{(t)}"
    ),
    domain=_as_printed,
    hypotheses=(STOCHASTIC, PRODUCT, MIXTURE, SELF_LOOPS),
    uses=(extrema_are_monotone,),
    probes=(_after_one_layer(_as_printed, 2, 1, 0, 1),),
    severity="misprint",
    repair=token_keeps_part_of_its_distance_to_the_maximum,
    note=(
        "By the definition of $x^{(t)}$ the step from $t$ to $t+T$ takes the layers "
        "$t+1,\\dots,t+T$, and the product of $A_{ii}$ takes $t,\\dots,t+T-1$. The proof uses the "
        "recursion, under which they are the same layers. The proof's last display has $A_{ii}^{(s)}$ under a "
        "product over $n$; $A_{ii}^{(n)}$ is meant."
    ),
)


token_keeps_part_of_its_distance_to_the_minimum = Claim(
    id="wu2024.lemma-2.lower.repair",
    parent="wu2024.lemma-2.lower",
    source=source("App. B.1", "Lemma 2, Eq. (11)"),
    kind="bound",
    title=r"A token keeps at least the part $\prod A_{ii}$ of its distance to the minimum.",
    statement=Compare(token(i, T), ">=", _between((1 - p) * kept, top(0), bottom(0))),
    domain=_followed,
    hypotheses=(STOCHASTIC, RECURSION, MIXTURE, SELF_LOOPS),
    probes=(_after_one_layer(_followed, 1, 3, 0, 1),),
    note="The distance to the minimum is $(1-p)(M-m)$, so $1-p$ stands where $p$ is printed.",
)
token_stays_above_by_the_same_factor = Claim(
    id="wu2024.lemma-2.lower",
    source=source("App. B.1", "Lemma 2, Eq. (11)"),
    kind="bound",
    title=r"A token stays above $p\Pi M+(1-p\Pi)m$ with $\Pi=\prod A_{ii}$.",
    statement=Compare(token(i, T), ">=", _between(p * kept, top(0), bottom(0))),
    printed=(
        r"x_i^{(t+T)} \geq p \left(\prod_{n=t}^{t+T-1} A_{ii}^{(n)} \right) M^{(t)} + "
        r"\left(1 - p \left(\prod_{n=t}^{t+T-1} A_{ii}^{(n)} \right) \right) m^{(t)}"
    ),
    domain=_followed,
    hypotheses=(STOCHASTIC, RECURSION, MIXTURE, SELF_LOOPS),
    uses=(extrema_are_monotone,),
    severity="misprint",
    repair=token_keeps_part_of_its_distance_to_the_minimum,
    note=(
        "For $p=1$ the token is at the minimum and nothing holds it above, by the definition of "
        "$x^{(t)}$ as by the recursion. The symmetric argument that the proof names gives $1-p$."
    ),
)

# The proof of Lemma 3 -----------------------------------------------------------------------------

_centre = Compare(distance(i0, i), "<=", N - 1)
two_cases = Domain(
    (
        *attention_class(T, Size(T, 1, 3)), Real(p, 0, 1), Array(x), Place(i0),
    ),
    (
        Condition(
            r"i_0\ \text{is a centre node}", lambda at: at[i0] in at[G].centre_nodes,
            ForAll(i, 1, N, _centre),
        ),
    ),
)  # fmt: skip


_low = Compare(token(i0, 0), "<=", _between(p, bottom(0), top(0)))
_near = Compare(distance(i0, i), "<=", T)


def _pulled_down() -> Formula:
    """A low centre: tokens near it by p eps^T (M - m); the width with them, once all are near."""
    down = Compare(token(i, T), "<=", _between(p * epsilon**T, bottom(0), top(0)))
    before, after = (top(layer) - bottom(layer) for layer in (0, T))
    contracted = Compare(after, "<=", (1 - p * epsilon**T) * before)
    return Implies(
        _low,
        ForAll(i, 1, N, Implies(_near, down)) & Implies(ForAll(i, 1, N, _near), contracted),
    )


def _pulled_up(by: Any) -> Formula:
    """Another centre: up by `by` eps^T (M - m)."""
    rise = Compare(token(i, T), ">=", _between(by * epsilon**T, top(0), bottom(0)))
    return Implies(~_low, ForAll(i, 1, N, Implies(_near, rise)))


def _star(place: Any, *start: Any) -> dict[Any, Any]:
    """The leaves of a star give the centre, token 1, weight 1/2."""
    layer = ImmutableDenseMatrix([[2, 0, 0], [1, 1, 0], [1, 0, 1]]) / 2
    sizes = {G: star(3), epsilon: Rational(1, 2), T: Integer(1), i0: Integer(1)}
    vector = {p: sympify(place), x: ImmutableDenseMatrix(start)}
    return two_cases.completed({**sizes, **vector, attention: (layer,)})


def _low_end(tokens: int) -> dict[Any, Any]:
    """The first token of a chain, which is the low one, is as far from the last as tokens can be."""
    sizes = {G: one_directional(tokens), epsilon: Rational(1, 2), i0: Integer(1), p: Integer(1)}
    column = ImmutableDenseMatrix([0] + [1] * (tokens - 1))
    layers = (along_a_chain(tokens, Rational(1, 2)),) * (tokens - 1)
    return two_cases.completed({**sizes, T: Integer(tokens - 1), x: column, attention: layers})


low_centre_pulls_down = Claim(
    id="wu2024.lemma-3.proof-eq-14-16",
    source=source("App. B.1", "Eq. (13)-(16)"),
    kind="bound",
    title=r"A low centre pulls tokens within distance $T$ down by $p\epsilon^T$, and the width with them.",
    statement=_pulled_down(),
    domain=two_cases,
    hypotheses=(STOCHASTIC, RECURSION, SELF_LOOPS, CENTRED),
    uses=(token_keeps_part_of_its_distance_to_the_maximum, extrema_are_monotone),
    probes=(
        _star(1, 0, 1, 1),
        _star(Rational(1, 2), Rational(1, 2), 0, 1),
        _low_end(3),
        _low_end(4),
    ),
    printed=(
        r"x_{i_0}^{(t)} \leq pm^{(t)} + (1 - p)M^{(t)}, \quad x_{i_1}^{(t+1)} \leq p\epsilon "
        r"m^{(t)} + (1 - p\epsilon) M^{(t)}, \quad x_{i_2}^{(t+2)} \leq p\epsilon^2 m^{(t)} + (1 - "
        r"p\epsilon^2) M^{(t)}, \quad x_i^{(t+r)} \leq p\epsilon^r m^{(t)} + (1 - p\epsilon^r) "
        r"M^{(t)}, \quad M^{(t+r)} - m^{(t+r)} \leq p\epsilon^r m^{(t)} + (1 - p\epsilon^r) "
        r"M^{(t)} - m^{(t)} = (1 - p\epsilon^r) (M^{(t)} - m^{(t)})"
    ),
    note=(
        "One case of two; the other one is `wu2024.lemma-3.proof-eq-14-16.step`. Of (15) the outer lines "
        "are judged here; its second line opens with a $=$ that is false, which is a claim of its own, "
        "`wu2024.lemma-3.proof-eq-15.second-line`. Tokens within $T$ of any centre are judged for any $T$, and "
        "the width where all are; that all are for $T=r$ asks for a centre that attains $r$, which the print "
        "does not: `wu2024.lemma-3.proof-eq-16.centre`."
    ),
)


two_layers = Domain(
    (*attention_class(Integer(2)), Real(p, 0, 1), Array(x), Place(i0)), two_cases.conditions
)
weight = family(
    r"A_{{{}{}}}^{{({})}}",
    lambda at, place, other, layer: at[attention][layer][place - 1, other - 1],
)
two_hops = (
    Compare(entry(G)(i0, i1), "=", 1)
    & Compare(entry(G)(i1, i2), "=", 1)
    & Compare(distance(i0, i2), "=", 2)
)
first_line = weight(i2, i1, 1) * token(i1, 1) + (1 - weight(i2, i1, 1)) * top(0)


def _second_line(sign: str) -> Formula:
    """(15) with this sign before its second line, for all $i_1$ between $i_0$ and an $i_2$ two hops away."""
    line = _between(epsilon, _between(p * epsilon, bottom(0), top(0)), top(0))
    last = _between(p * epsilon**2, bottom(0), top(0))
    links = And((
        Compare(token(i2, 2), "<=", first_line), Compare(first_line, sign, line), Compare(line, "=", last),
    ))  # fmt: skip
    return Implies(_low, ForAll(i1, 1, N, ForAll(i2, 1, N, Implies(two_hops, links))))


_chain = two_layers.completed(
    {
        G: one_directional(3), epsilon: Rational(1, 4), p: Integer(1), i0: Integer(1),
        x: ImmutableDenseMatrix([0, 1, 1]), attention: (along_a_chain(3, Rational(1, 2)),) * 2,
    }
)  # fmt: skip

token_two_hops_away_is_pulled_down = Claim(
    id="wu2024.lemma-3.proof-eq-15.second-line.repair",
    parent="wu2024.lemma-3.proof-eq-15.second-line",
    source=source("App. B.1", "Eq. (15)"),
    kind="bound",
    title=r"A token two hops from a low centre is at most $p\epsilon^2m+(1-p\epsilon^2)M$ after two layers.",
    statement=_second_line("<="),
    domain=two_layers,
    hypotheses=(STOCHASTIC, RECURSION, SELF_LOOPS, CENTRED),
    note=r"With $\le$ before the second line, as (14) has it: $A_{i_2i_1}$ is at least $\epsilon$.",
)
weights_on_edges_as_printed_are_the_floor = Claim(
    id="wu2024.lemma-3.proof-eq-15.second-line",
    source=source("App. B.1", "Eq. (15)"),
    kind="bound",
    title=r"For a token two hops from a low centre the second line of (15) equals the first.",
    statement=_second_line("="),
    printed=(
        r"x_{i_2}^{(t+2)} \leq A_{i_2 i_1}^{(t+1)} x_{i_1}^{(t+1)} + (1 - A_{i_2 i_1}^{(t+1)}) M^{(t)} "
        r"= \epsilon \left(p\epsilon m^{(t)} + (1 - p\epsilon) M^{(t)} \right) + (1 - \epsilon)M^{(t)} "
        r"= p\epsilon^2 m^{(t)} + (1 - p\epsilon^2) M^{(t)}"
    ),
    domain=two_layers,
    hypotheses=(STOCHASTIC, RECURSION, SELF_LOOPS, CENTRED),
    uses=(extrema_are_monotone,),
    probes=(_chain,),
    severity="misprint",
    repair=token_two_hops_away_is_pulled_down,
    note=(
        r"Equality would ask that $A_{i_2i_1}^{(t+1)}=\epsilon$ and $x_{i_1}^{(t+1)}=p\epsilon m^{(t)}+"
        r"(1-p\epsilon)M^{(t)}$, which are bounds. $\le$ is meant, as (14) has it on the line that "
        "corresponds; the lines before and after hold as printed."
    ),
)


high_centre_pulls_up_by_the_complement = Claim(
    id="wu2024.lemma-3.proof-eq-14-16.step.repair",
    parent="wu2024.lemma-3.proof-eq-14-16.step",
    source=source("App. B.1", "after Eq. (16)"),
    kind="bound",
    title=r"A centre that is not low pulls tokens up by $(1-p)\epsilon^T$.",
    statement=_pulled_up(1 - p),
    domain=two_cases,
    hypotheses=(STOCHASTIC, RECURSION, SELF_LOOPS, CENTRED),
    note=(
        "In the second case the corrected (11) gives $1-p$ for $p$, so that both cases together "
        "give (16) for $p\\le1/2$ only; (12) is true beyond by another proof."
    ),
)


high_centre_pulls_up_by_the_same_factor = Claim(
    id="wu2024.lemma-3.proof-eq-14-16.step",
    source=source("App. B.1", "after Eq. (16)"),
    kind="bound",
    title=r"A centre that is not low pulls tokens up by $p\epsilon^T$, as (11) would give it.",
    statement=_pulled_up(p),
    domain=two_cases,
    hypotheses=(STOCHASTIC, RECURSION, SELF_LOOPS, CENTRED),
    uses=(token_stays_above_by_the_same_factor, extrema_are_monotone),
    probes=(_star(1, 1, 0, 2), _star(0, 1, 0, 1)),
    severity="material",
    repair=high_centre_pulls_up_by_the_complement,
    note=(
        'For the other case of (13), $x_{i_0}^{(t)}>pm^{(t)}+(1-p)M^{(t)}$, "(16) is obtained using a '
        'symmetric argument by bounding $m^{(t+r)}$ from below through (11)." For $p=1$ a centre just '
        "above the minimum pulls nobody up; the argument gives $1-p$ for $p$, and so (16), and with it "
        "Theorem 1's rate, for $p\\le1/2$ only."
    ),
)
