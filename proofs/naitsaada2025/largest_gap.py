"""What the cut at the largest difference of singular values leaves, by what it is."""

from __future__ import annotations

from claims.model import Claim
from claims.naitsaada2025 import largest_gap as claims
from claims.naitsaada2025.largest_gap import i, removed, value
from claims.naitsaada2025.notation import T
from claims.statement import Compare
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import assume, discharge, generalise, instance, joint, unfold
from proofs.naitsaada2025.decompositions import whole
from proofs.registry import proves

DOMAIN = claims.one_gap_is_removed.domain


@proves(claims.all_outliers_are_removed)
def by_the_choice_of_the_cut(claim: Claim) -> Certificate:
    """The removed difference is the largest of all."""
    largest = assume(claims.LARGEST)
    read = [unfold(value(k), whole.root(k), DOMAIN, ((i, 1, T - 1),)) for k in (i, i + 1)]
    own = [unfold(value(k), whole.root(k), DOMAIN) for k in (removed, removed + 1)]
    goal = Compare(claims.difference(value, i), "<=", claims.difference(value, removed))
    body = joint(goal, instance(largest, i), *read, *own)
    theorem = generalise(discharge(body, Compare(i, ">", removed)), i, 1, T - 1)
    return conclude(claim, theorem, method="the choice of the cut")
