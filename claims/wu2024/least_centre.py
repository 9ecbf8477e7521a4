r"""The last displays before (16): a centre that does not attain Def. 5's diameter does not reach all tokens.

r is the least, over centres, of the longest distance; the proof of Lemma 3 starts at "a center token" i_0.
"""

from __future__ import annotations

from sympy import ImmutableDenseMatrix, Integer, Rational

from claims.domain import Array, Condition, Domain, Real
from claims.masks import sliding_window
from claims.model import Claim, Hypothesis
from claims.statement import Compare, ForAll, Implies
from claims.wu2024.extrema import (
    CENTRED,
    RECURSION,
    STOCHASTIC,
    attention_class,
    bottom,
    extrema_are_monotone,
    i,
    i0,
    low_centre_pulls_down,
    token,
    token_keeps_part_of_its_distance_to_the_maximum,
    top,
    two_cases,
)
from claims.wu2024.masks import SELF_LOOPS
from claims.wu2024.notation import G, N, attention, epsilon, p, r, source, x
from claims.wu2024.setup import Place, distance, uniform_attention

low = Compare(token(i0, 0), "<=", p * bottom(0) + (1 - p) * top(0))
"""(13)."""
reach = p * epsilon**r
level = reach * bottom(0) + (1 - reach) * top(0)
_all_pulled_down = Implies(
    low, ForAll(i, 1, N, Compare(token(i, r), "<=", level)) & Compare(top(r), "<=", level)
)
attains = Condition(
    r"\max_i\mathrm{dist}(i_0,i)=r",
    lambda at: at[i0] in at[G].centre_nodes and at[G].farthest(int(at[i0])) == at[r],
    ForAll(i, 1, N, Compare(distance(i0, i), "<=", r)),
)
any_centre = Domain((*attention_class(r), Real(p, 0, 1), Array(x), Place(i0)), two_cases.conditions)
least_centre = Domain(any_centre.variables, (*any_centre.conditions, attains))
_ATTAINS = Hypothesis(r"i_0\ \text{attains the diameter } r\ \text{of Def. 5}")


def window(place: int, *start: int) -> dict[object, object]:
    """Three tokens that attend to themselves and those beside them, uniformly."""
    mask = sliding_window(3)
    return {
        G: mask, epsilon: Rational(1, 3), p: Integer(1), i0: Integer(place),
        x: ImmutableDenseMatrix(start), attention: (uniform_attention(mask),),
    }  # fmt: skip


centre_that_attains_the_diameter_pulls_all_down = Claim(
    id="wu2024.lemma-3.proof-eq-16.centre.repair",
    parent="wu2024.lemma-3.proof-eq-16.centre",
    source=source("App. B.1", "before Eq. (16)"),
    kind="bound",
    title=r"A low centre that attains $r$ pulls every token, and $M$, down by $p\epsilon^r$ in $r$ layers.",
    statement=_all_pulled_down,
    domain=least_centre,
    hypotheses=(STOCHASTIC, RECURSION, SELF_LOOPS, CENTRED, _ATTAINS),
    probes=(least_centre.completed(window(2, 1, 0, 1)),),
    note="Some centre attains $r$, by its definition: the proof may start there.",
)
any_centre_pulls_all_down_as_printed = Claim(
    id="wu2024.lemma-3.proof-eq-16.centre",
    source=source("App. B.1", "before Eq. (16)"),
    kind="bound",
    title=r"Any low centre pulls every token, and $M$, down by $p\epsilon^r$ in $r$ layers.",
    statement=_all_pulled_down,
    domain=any_centre,
    hypotheses=(STOCHASTIC, RECURSION, SELF_LOOPS, CENTRED),
    uses=(
        token_keeps_part_of_its_distance_to_the_maximum, extrema_are_monotone, low_centre_pulls_down,
    ),
    probes=(any_centre.completed(window(1, 0, 1, 1)),),
    printed=(
        r"x_i^{(t+r)} \leq p\epsilon^r m^{(t)} + (1 - p\epsilon^r) M^{(t)}, \quad "
        r"M^{(t+r)} \leq p\epsilon^r m^{(t)} + (1 - p\epsilon^r) M^{(t)}"
    ),
    severity="missing-hypothesis",
    repair=centre_that_attains_the_diameter_pulls_all_down,
    note=(
        r"The proof takes any centre token for $i_0$, and then says that the tokens of "
        r"$\mathcal V_1,\dots,\mathcal V_r$ are all. By Def. 5, $r$ is the smallest longest distance among "
        "the centres, and another centre has tokens farther away. Each of three tokens in a row attends to "
        r"itself and to those beside it, uniformly: $r=1$, $\epsilon=1/3$. From $x=(0,1,1)$, with $i_0$ the "
        r"first token and $p=1$, $x^{(1)}=(1/2,2/3,1)$, so that $M^{(1)}=1>2/3$. (16) holds there "
        "nevertheless, as Lemma 3 does: `wu2024.lemma-3.contraction`."
    ),
)  # fmt: skip
