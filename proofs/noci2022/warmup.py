"""The temperature's schedule: a maximum is no warm-up, a minimum is one."""

from __future__ import annotations

from sympy import Max, Min, Symbol, simplify

from claims.model import Claim
from claims.noci2022 import warmup as claims
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.decide import find_witness, refute
from proofs.registry import proves

METHOD = "cases s < s_w and s >= s_w"
SCOPE = "all integers s >= 0, s_w >= 1, all tau_final > 0"


@proves(claims.temperature_schedule_is_a_warm_up)
def by_a_step_after_the_end(claim: Claim) -> Certificate:
    """max(1, 1 + t) = 1 + t > 1 for every excess t > 0 of the step over the warm-up."""
    t = Symbol("t", positive=True)
    beyond = Checked(
        r"s=(1+t)s_w:\ \tau/\tau_{\mathrm{final}}=1+t",
        "maximum of two numbers",
        lambda: Max(1, 1 + t) == 1 + t,
    )
    return refute(claim, steps=(beyond,), method=METHOD, scope=SCOPE)


@proves(claims.capped_schedule_is_a_warm_up)
def by_cases(claim: Claim) -> Certificate:
    """s/s_w < 1 exactly before step s_w, so the minimum is s/s_w there and 1 from then on."""
    if find_witness(claim) is not None:
        return refute(claim, method=METHOD, scope=SCOPE)
    if claim.statement is not claims.WARM_UP:
        return Certificate("undecided", METHOD, SCOPE, reason="another statement than the warm-up")
    steps, left = Symbol("s", nonnegative=True), Symbol("k", positive=True)
    total, past = Symbol("s_w", positive=True), Symbol("k", nonnegative=True)
    before, after = steps / (steps + left), (total + past) / total

    def early() -> bool:
        gap = simplify(1 - before)
        return bool(gap.is_positive)

    def late() -> bool:
        gap = simplify(after - 1)
        return bool(gap.is_nonnegative) and Min(1, 1 + gap) == 1

    return argued(
        claim,
        method=METHOD,
        scope=SCOPE,
        steps=(
            Checked(r"s_w=s+k,\ k>0:\ \min(1,s/s_w)=s/s_w<1", "1 - s/s_w = k/(s + k)", early),
            Checked(r"s=s_w+k,\ k\ge0:\ \min(1,s/s_w)=1", "s/s_w - 1 = k/s_w", late),
        ),
    )
