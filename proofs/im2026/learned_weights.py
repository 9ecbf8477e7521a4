"""What the theorem covers of the training of Table 1: arithmetic."""

from __future__ import annotations

from sympy import Rational

from claims.im2026 import learned_weights as claims
from claims.model import Claim
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import joint, unfold
from proofs.registry import proves


@proves(claims.steps_that_the_theorem_covers)
def by_arithmetic(claim: Claim) -> Certificate:
    """The horizon is 1/36, since 5 / (8 sqrt 200) is larger."""
    value = unfold(claims.horizon, Rational(1, 36), claims.steps_that_the_theorem_covers.domain)
    theorem = joint(claims.steps_that_the_theorem_covers.formula, value)
    return conclude(claim, theorem, method="exact evaluation")
