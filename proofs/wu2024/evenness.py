r"""Proof that no attention matrix on a mask has a larger floor than the uniform one: rows sum to one."""

from __future__ import annotations

from sympy import Sum, Symbol

from claims.model import Claim
from claims.statement import Compare
from claims.terms import entry
from claims.wu2024 import evenness as claims
from claims.wu2024.evenness import LeastWeight, even, floor, i, j, least_weight
from claims.wu2024.masks import Graphs
from claims.wu2024.notation import A, G, N
from claims.wu2024.setup import Attention
from proofs.calculation import at_places, for_all, linked, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import assume, discharge, generalise, joint, sum_at_least_term, unfold
from proofs.registry import proves

k = Symbol("k", integer=True)
edge = entry(G)
degree = Sum(edge(k, i), (k, 1, N))


@proves(claims.floor_is_largest_for_uniform_attention)
def by_the_sum_of_a_row(claim: Claim) -> Certificate:
    """1 = sum_k A_ik >= epsilon |N_i|."""
    domain = claims.floor_is_largest_for_uniform_attention.domain
    _, marks, _ = Graphs().facts()
    (above,) = LeastWeight(floor, least_weight).facts()
    row, *_ = Attention(A).facts()
    below = summed_over(at_places(assume(above), i, k), (k, N))
    few = linked(Compare(floor * degree, "<=", 1), below, at_places(assume(row), i))
    marked = at_places(assume(marks), k, i)
    own = sum_at_least_term(generalise(joint(Compare(edge(k, i), ">=", 0), marked), k, 1, N), j)
    read = unfold(even(i, j), edge(j, i) / degree, domain, ((i, 1, N), (j, 1, N)))
    attends = Compare(edge(j, i), "=", 1)
    least = joint(Compare(even(i, j), ">=", floor), few, own, read, given=(attends,))
    theorem = for_all(discharge(least, attends), (i, N), (j, N))
    return conclude(claim, theorem, method="the sum of a row")
