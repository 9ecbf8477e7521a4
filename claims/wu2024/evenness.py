r"""The floor $\epsilon$ of attention matrices on a mask, and which of them has the largest (Sec. 4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Symbol

from claims.domain import Computed, Domain, Point
from claims.model import Claim, Hypothesis, Understood
from claims.statement import Compare, ForAll, Formula
from claims.terms import entry, family
from claims.wu2024.masks import SELF_LOOPS, Graphs
from claims.wu2024.notation import A, G, N, source
from claims.wu2024.setup import Attention, size_of_mask, uniform_attention

i, j = Symbol("i", integer=True), Symbol("j", integer=True)
floor = Symbol(r"\epsilon_A", real=True, nonnegative=True)
"""The least weight that A gives along an edge."""


def least_weight(point: Point) -> Any:
    """min A_ij over the edges (j, i)."""
    return min(point[A][row - 1, column - 1] for column, row in point[G].edges)


@dataclass(frozen=True)
class LeastWeight(Computed):
    """The largest epsilon with A_ij >= epsilon on every edge."""

    def facts(self) -> tuple[Formula, ...]:
        """Along edges no weight is smaller."""
        above = Compare(entry(A)(i, j), ">=", self.symbol * entry(G)(j, i))
        return (ForAll(i, 1, N, ForAll(j, 1, N, above)),)


even = family(r"U_{{{}{}}}", lambda at, row, column: uniform_attention(at[G])[row - 1, column - 1])
_attends = Compare(entry(G)(j, i), "=", 1)
floor_is_largest_for_uniform_attention = Claim(
    id="wu2024.sec-4.1.epsilon-largest",
    source=source("Sec. 4.1", '"Focused vs. uniform attention"'),
    kind="prose",
    title=r"$\epsilon$ is largest when every token weighs the tokens that it attends to equally.",
    statement=ForAll(i, 1, N, ForAll(j, 1, N, _attends.implies(Compare(even(i, j), ">=", floor)))),
    domain=Domain((Graphs(high=4), size_of_mask, Attention(A), LeastWeight(floor, least_weight))),
    hypotheses=(
        SELF_LOOPS,
        Hypothesis(
            r"A\ \text{row-stochastic on}\ \mathcal G,\quad \epsilon_A=\min_{(j,i)\in E}A_{ij}"
        ),
        Hypothesis(
            r"U_{ij}=1/|\mathcal N_i|\ \text{for}\ j\in\mathcal N_i;\quad \mathcal G_{ji}=1\ "
            r"\text{where}\ (j,i)\in E"
        ),
    ),
    printed=(
        r"\epsilon \text{ is maximized when attention happens uniformly among reachable tokens}"
    ),
    understood=(
        Understood(
            '"Reachable" tokens are those that a token attends to, its direct neighbours on the mask.',
            "By Definition 1, over any number of edges, attention cannot be uniform: on $1\\to2\\to3$ token "
            "$3$ is reachable from token $1$, and $A_{31}=0$ whatever the scores are.",
        ),
    ),
    note=(
        r"So $\epsilon_A\le\epsilon_U=1/\max_i|\mathcal N_i|$, layer by layer, and for the floor of all "
        r"layers. Uniform attention is not the only one with this $\epsilon$: a token with fewer neighbours "
        "than the maximum may weigh them unequally."
    ),
)
