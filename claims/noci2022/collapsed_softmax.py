r"""Theorem 3.2 without Assumption 3.1: under rank collapse the true softmax is uniform by itself."""

from __future__ import annotations

from sympy import Expr, Sum, Symbol

from claims.domain import Array, Domain, Point, Size
from claims.model import Claim, Hypothesis
from claims.noci2022.background import attention_at
from claims.noci2022.collapse import nonzero_x, tied_tokens, x
from claims.noci2022.notation import WK, WQ, WV, X, d_k, d_v, n, source
from claims.noci2022.vanishing import query_and_key_gradients_vanish_almost_surely
from claims.statement import Compare, ForAll
from claims.terms import entry, family

token, other, feature, column = (
    Symbol(name, integer=True, positive=True) for name in ("i", "j", "a", "b")
)
weight = family(r"A_{{{}{}}}", lambda at, i, j: attention_at(at)[i - 1, j - 1])


def _output(at: Point, i: int, b: int) -> Expr:
    """S_ib with the true softmax."""
    return (attention_at(at) * at[X] * at[WV])[i - 1, b - 1]


output = family(r"S_{{{}{}}}", _output)
value: Expr = Sum(entry(x)(feature, 1) * entry(WV)(feature, column), (feature, 1, d_v))
"""Entry b of x^T W^V."""

softmax_of_collapsed_tokens_is_uniform = Claim(
    id="noci2022.beyond.collapsed-softmax",
    source=source("Sec. 3.1", "Theorem 3.2"),
    kind="identity",
    title="When all tokens agree the true softmax is uniform, and queries and keys do not matter.",
    statement=ForAll(
        token, 1, n,
        ForAll(other, 1, n, Compare(weight(token, other), "=", 1 / n))
        & ForAll(column, 1, d_v, Compare(output(token, column), "=", value)),
    ),
    domain=Domain(
        (
            Size(n, 2, 3), Size(d_v, 1, 2), Size(d_k, 1, 2), Array(x, height=1), tied_tokens,
            *(Array(w, height=1) for w in (WQ, WK, WV)),
        ),
        (nonzero_x,),
    ),
    hypotheses=(
        Hypothesis(r"A=\mathrm{softmax}\bigl(XW^Q(XW^K)^\top/\sqrt{d_k}\bigr),\ S=AXW^V"),
        Hypothesis(r"X=1_n x^\top"),
    ),
    uses=(query_and_key_gradients_vanish_almost_surely,),
    note=(
        "A statement of ours. All logits are one number, whatever the weights, so that Theorem 3.2 needs no "
        r"Assumption 3.1: the output is $1_nx^\top W^V$ for all $W^Q$ and $W^K$, and the gradient of any "
        "loss by them is zero."
    ),
)  # fmt: skip
