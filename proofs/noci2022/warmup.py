"""The temperature's schedule: a maximum is no warm-up, a minimum is one."""

from __future__ import annotations

from sympy import Min

from claims.model import Claim
from claims.noci2022 import warmup as claims
from claims.noci2022.warmup import capped, final, step, warmup
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import joint, unfold
from proofs.registry import proves


@proves(claims.temperature_schedule_is_a_warm_up, claims.capped_schedule_is_a_warm_up)
def by_cases(claim: Claim) -> Certificate:
    """s/s_w < 1 exactly before step s_w, so the minimum is s/s_w there and 1 from then on."""
    domain = claims.capped_schedule_is_a_warm_up.domain
    theorem = joint(claims.warms_up(capped), unfold(capped, final * Min(1, step / warmup), domain))
    return conclude(claim, theorem, method="cases $s<s_w$ and $s\\ge s_w$")
