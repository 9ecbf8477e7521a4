r"""App. C.3: the schedule of the inverse temperature in the translation task.

Covered: the schedule.  Not covered: its final value 8.5, which Eq. (47) is said to give, since
n, rho and sigma_x of the translation model are not printed.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Max, Min, Rational, Symbol, symbols

from claims.domain import Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Proposition
from claims.noci2022.notation import source
from claims.noci2022.setup import positive

step, warmup = symbols("s s_w", integer=True, nonnegative=True)
final = Symbol(r"\tau_{\mathrm{final}}", positive=True)
_schedule_domain = Domain((Size(step, 0, 12), Size(warmup, 1, 8), Real(final, **positive)))


def _temperature(point: Point) -> Expr:
    return point[final] * Max(1, Rational(point[step], point[warmup]))


def _capped_temperature(point: Point) -> Expr:
    return point[final] * Min(1, Rational(point[step], point[warmup]))


def _warms_up(point: Point, value: Any) -> bool:
    early = point[step] < point[warmup]
    return bool(value < point[final]) if early else bool(value == point[final])


WARM_UP = Proposition(
    r"\tau<\tau_{\mathrm{final}}\ \text{before step } s_w,\ \tau=\tau_{\mathrm{final}}\ \text{from then on}",
    _warms_up,
)
_SCHEDULE = Hypothesis(r"\tau=\tau_{\mathrm{final}}\max(1,s/s_w)\ \text{at step } s")

capped_schedule_is_a_warm_up = Claim(
    id="noci2022.C.3.warmup.repair",
    parent="noci2022.C.3.warmup",
    source=source("App. C.3", "schedule of the temperature"),
    kind="algorithm",
    title="The schedule with a minimum warms the temperature up to its final value.",
    statement=WARM_UP,
    domain=_schedule_domain,
    define=_capped_temperature,
    hypotheses=(Hypothesis(r"\tau=\tau_{\mathrm{final}}\min(1,s/s_w)\ \text{at step } s"),),
    mutants=(
        Mutant(
            "at its final value throughout",
            Proposition(r"\tau=\tau_{\mathrm{final}}", lambda p, v: bool(v == p[final])),
        ),
    ),
    note="max is a misprint for min, which rises linearly from 0 and stays at the final value.",
)

temperature_schedule_is_a_warm_up = Claim(
    id="noci2022.C.3.warmup",
    source=source("App. C.3", "schedule of the temperature"),
    kind="algorithm",
    title="The schedule with a maximum warms the temperature up to its final value.",
    statement=WARM_UP,
    domain=_schedule_domain,
    define=_temperature,
    hypotheses=(_SCHEDULE,),
    mutants=(
        Mutant(
            "it never exceeds the final value",
            Proposition(r"\tau\le\tau_{\mathrm{final}}", lambda p, v: bool(v <= p[final])),
        ),
        Mutant(
            "it is small at first",
            Proposition(
                r"\tau\le\tau_{\mathrm{final}}s/s_w\ \text{before step } s_w",
                lambda p, v: bool(p[step] >= p[warmup] or v <= p[final] * p[step] / p[warmup]),
            ),
        ),
    ),
    severity="misprint",
    repair=capped_schedule_is_a_warm_up,
    note=(
        "With max the temperature starts at its final value and grows without bound after step s_w: "
        "at 250 s_w it is 250 times the final value."
    ),
)
