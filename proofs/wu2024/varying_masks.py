r"""Collapse under masks that change: a token that is a centre often enough reaches every other one.

Among $K=(N-1)^2$ layers some token $c$ is a centre node in at least $N-1$.  The tokens that $c$ has
reached never become fewer, since every token attends to itself, and at each layer of which $c$ is a
centre they become more.  So column $c$ of the product of the $K$ layers is at least $\epsilon^K$.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

from sympy import Symbol, expand, powsimp, symbols

from claims.masks import Mask
from claims.model import Claim
from claims.points import Point
from claims.wu2024 import varying_masks as claims
from claims.wu2024.masks import Graphs
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.registry import proves

_NO_POINT: Point = {}


def some_token_is_often_a_centre() -> bool:
    """N tokens, each a centre in at most N - 2 layers, are centres of at most (N - 1)^2 - 1 layers."""
    size = Symbol("N", integer=True, positive=True)
    return bool(expand(size * (size - 2) - ((size - 1) ** 2 - 1)) == 0)


def reached_tokens_grow() -> bool:
    """On every mask of up to three tokens an edge leads out of a set that holds a centre."""
    graphs = Graphs(high=3, centred=True)
    listed = [mask for weight in range(8) for mask in graphs.of_weight(weight, _NO_POINT)]
    return all(_leads_on(mask) for mask in listed)


def _leads_on(mask: Mask) -> bool:
    tokens = range(1, mask.size + 1)
    return all(
        any(j in part and i not in part for j, i in mask.edges)
        for size in range(1, mask.size)
        for part in map(set, combinations(tokens, size))
        if part & set(mask.centre_nodes)
    )


def floor_is_handed_on() -> bool:
    """epsilon times epsilon^s, through one weight of at least epsilon."""
    floor, layers = Symbol("epsilon", positive=True), Symbol("s", nonnegative=True)
    return bool(powsimp(floor * floor**layers) == floor ** (layers + 1))


def column_contracts() -> bool:
    """What lies between delta x_c + (1 - delta) m and delta x_c + (1 - delta) M is (1 - delta)(M - m) wide."""
    share, own, low, high = symbols("delta x m M", real=True)
    above, below = (share * own + (1 - share) * end for end in (high, low))
    return bool(expand(above - below - (1 - share) * (high - low)) == 0)


@cache
def steps() -> tuple[Checked, ...]:
    return (
        Checked(
            r"N(N-2)=(N-1)^2-1<K:\ \text{some}\ c\ \text{is a centre in}\ N-1\ \text{of}\ K\ "
            r"\text{layers}",
            "pigeonhole principle",
            some_token_is_often_a_centre,
        ),
        Checked(
            r"c\in S\ne[N],\ c\ \text{a centre}\ \Rightarrow\ \exists\,(j,i)\in E:\ j\in S,\ i\notin S",
            "the first edge that leaves $S$ on a path from $c$; also on all masks of two or three tokens",
            reached_tokens_grow,
        ),
        Checked(
            r"P_{jc}\ge\epsilon^s,\ A_{ij}\ge\epsilon\ \Rightarrow\ (AP)_{ic}\ge\epsilon^{s+1}",
            "one term of a sum of terms that are not negative; $j = i$ for those reached before",
            floor_is_handed_on,
        ),
        Checked(
            r"P_{ic}\ge\delta=\epsilon^K\ \forall i\ \Rightarrow\ M'-m'\le(1-\delta)(M-m)",
            r"$\delta x_c+(1-\delta)m\le\sum_jP_{ij}x_j\le\delta x_c+(1-\delta)M$; in the layers that "
            "are left over the width does not grow, and there are at least $(T-K+1)/K$ periods",
            column_contracts,
        ),
    )


@proves(claims.changing_masks_collapse_exponentially)
def by_a_token_that_is_often_a_centre(claim: Claim) -> Certificate:
    """The tokens that one centre has reached grow in N - 1 of (N - 1)^2 layers."""
    return argued(claim, steps=steps(), method="the tokens that a recurring centre has reached")
