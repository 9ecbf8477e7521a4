r"""Equal tokens have equal logits: each weight of the true softmax is one of n equal shares."""

from __future__ import annotations

from functools import cache

from sympy import Expr, Sum, exp, sqrt, symbols

from claims.model import Claim
from claims.noci2022 import collapsed_softmax as claims
from claims.noci2022.collapsed_softmax import column, feature, other, token, x
from claims.noci2022.notation import WK, WQ, d_k, d_v, n
from claims.statement import Compare
from claims.terms import entry
from proofs.calculation import linked, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import Theorem, both, generalise, joint, sum_rearranged, unfold
from proofs.registry import proves

TOKENS, OTHERS = (token, 1, n), (other, 1, n)
width, row = symbols("c e", integer=True)


def logit() -> Expr:
    """x^T W^Q W^K^T x / sqrt(d_k), in which no token is named."""
    a, query, key = entry(x), entry(WQ), entry(WK)
    queries = Sum(a(feature, 1) * query(feature, width), (feature, 1, d_v))
    keys = Sum(a(row, 1) * key(row, width), (row, 1, d_v))
    return Sum(queries * keys, (width, 1, d_k)) / sqrt(d_k)


@cache
def uniform() -> Theorem:
    """A_ij = e/(n e), and S_ib = sum_j A_ij (x^T W^V)_b."""
    domain = claims.softmax_of_collapsed_tokens_is_uniform.domain
    own = exp(logit())
    size = Compare(n, ">=", 2)
    total = Sum(own, OTHERS)
    shares = unfold(claims.weight(token, other), own / total, domain, (TOKENS, OTHERS))
    equal, positive = sum_rearranged(total, n * own), joint(Compare(own, ">", 0))
    each = joint(
        Compare(claims.weight(token, other), "=", 1 / n), shares, equal, positive, given=(size,)
    )
    features = (column, 1, d_v)
    read = unfold(
        claims.output(token, column),
        Sum(claims.weight(token, other) * claims.value, OTHERS), domain, (TOKENS, features),
    )  # fmt: skip
    weighted = joint(
        Compare(claims.weight(token, other) * claims.value, "=", claims.value / n), each
    )
    mean = summed_over(weighted, OTHERS)
    whole = linked(
        Compare(claims.output(token, column), "=", claims.value), read, mean, given=(size,)
    )
    return generalise(both(generalise(each, *OTHERS), generalise(whole, *features)), *TOKENS)


@proves(claims.softmax_of_collapsed_tokens_is_uniform)
def by_equal_logits(claim: Claim) -> Certificate:
    """All logits are one number; the shares of a sum of equal terms are equal."""
    return conclude(claim, uniform(), method="equal logits")
