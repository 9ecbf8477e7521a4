r"""App. C.3: the schedule of the inverse temperature in the translation task.

Covered: the schedule.  Not covered: its final value 8.5, which Eq. (47) is said to give, since
n, rho and sigma_x of the translation model are not printed.
"""

from __future__ import annotations

from sympy import Max, Min, Symbol

from claims.domain import Domain, Point, Real, Size
from claims.model import Claim, Hypothesis
from claims.noci2022.notation import source
from claims.noci2022.setup import positive
from claims.statement import Compare, Formula, Quantity

step = Symbol("s", integer=True, nonnegative=True)
warmup = Symbol("s_w", integer=True, positive=True)
final = Symbol(r"\tau_{\mathrm{final}}", positive=True)
_schedule_domain = Domain((Size(step, 0, 12), Size(warmup, 1, 8), Real(final, **positive)))


def at_step(chosen: type) -> Quantity:
    """tau at step s: tau_final times the maximum or the minimum of 1 and s/s_w."""

    def define(point: Point) -> object:
        return point[final] * chosen(1, point[step] / point[warmup])

    return Quantity(r"\tau", define)


def warms_up(temperature: Quantity) -> Formula:
    """Below the final value before step s_w, at it from then on."""
    early, late = Compare(step, "<", warmup), Compare(step, ">=", warmup)
    return early.implies(temperature.below(final)) & late.implies(temperature.equals(final))


printed, capped = at_step(Max), at_step(Min)

capped_schedule_is_a_warm_up = Claim(
    id="noci2022.C.3.warmup.repair",
    parent="noci2022.C.3.warmup",
    source=source("App. C.3", "schedule of the temperature"),
    kind="algorithm",
    title="The schedule with a minimum warms the temperature up to its final value.",
    statement=warms_up(capped),
    domain=_schedule_domain,
    hypotheses=(Hypothesis(r"\tau=\tau_{\mathrm{final}}\min(1,s/s_w)\ \text{at step } s"),),
    note=(
        r"$\max$ is a misprint for $\min$, which rises linearly from $0$ and stays at the final "
        "value."
    ),
)

temperature_schedule_is_a_warm_up = Claim(
    id="noci2022.C.3.warmup",
    source=source("App. C.3", "schedule of the temperature"),
    kind="algorithm",
    title="The schedule with a maximum warms the temperature up to its final value.",
    statement=warms_up(printed),
    domain=_schedule_domain,
    hypotheses=(Hypothesis(r"\tau=\tau_{\mathrm{final}}\max(1,s/s_w)\ \text{at step } s"),),
    severity="misprint",
    repair=capped_schedule_is_a_warm_up,
    printed=(
        r"\tau = \tau_{\text{final}} \cdot \max\left(1, "
        r"\frac{\text{step}}{\text{steps}_{\text{warmup}}}\right)"
    ),
    note=(
        r"With $\max$ the temperature starts at its final value and grows without bound after step "
        r"$s_w$: at $250\,s_w$ it is $250$ times the final value."
    ),
)
