r"""App. F.3: of which ratios $h$ and $f$ are functions, as printed and as they are.

The ratios $r_2,\dots,r_{d-1}$ are those of the coordinates before the last one.  A function of some of them is
the same for two tokens that agree in these.
"""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix, Integer, Rational, sqrt

from claims.domain import Condition, Domain, Point, Size
from claims.model import Claim, Hypothesis
from claims.statement import Compare, Quantity
from claims.terms import entry
from claims.wu2024.invariance import RATIOS, equation_40, ratios_alone
from claims.wu2024.notation import d, source, w
from claims.wu2024.second_token import (
    RESTING,
    SameSignToken,
    f,
    next_ratio,
    rate,
    remainder,
    rho,
    second,
    update,
    y,
)

# h ------------------------------------------------------------------------------------------------


def turned(token: Any) -> ImmutableDenseMatrix:
    """The last coordinate with the other sign."""
    return ImmutableDenseMatrix([[*list(token)[:-1], -token[-1]]])


def _turned_ratio(at: Point) -> Any:
    after = update(turned(at[second]), at[w])
    return after[after.cols - 1] / after[after.cols - 2]


turned_ratio = Quantity(
    r"\frac{\hat X_{2,d}^{(t+1)}}{\hat X_{2,d-1}^{(t+1)}}",
    _turned_ratio,
)
_TURNED = Hypothesis(
    r"d\ge4,\quad\hat X_{2,:}^{(t)}=(X_{2,1}^{(t)},\dots,X_{2,d-1}^{(t)},-X_{2,d}^{(t)})"
)
_H = source("App. F.3", "display after (39), last member")
next_ratio_is_a_function_of_the_last_one = Claim(
    id="wu2024.app-F3.second-token-recursion.argument.repair",
    parent="wu2024.app-F3.second-token-recursion.argument",
    source=_H,
    kind="identity",
    title="The next last ratio is a function of the last ratio and of the ratios before it.",
    statement=next_ratio.equals(rho * (w + y - sqrt(1 + y**2 + f))),
    domain=ratios_alone,
    hypotheses=(RESTING, RATIOS, Hypothesis(r"X_{2,j}<0\ (j<d),\quad y=X_{2,d}/X_{2,d-1}")),
    note=(
        r"$f$ and the quotient before the bracket are functions of $r_2,\dots,r_{d-1}$ and $t$; of positive "
        r"coordinates the root has the other sign."
    ),
)
next_ratio_is_a_function_of_an_early_one = Claim(
    id="wu2024.app-F3.second-token-recursion.argument",
    source=_H,
    kind="identity",
    title=r"The next last ratio is called a function of $X_{2,3}/X_{2,2}$, the layer and $r_0,\dots,r_{d-1}$.",
    statement=next_ratio.equals(turned_ratio),
    domain=Domain((Size(d, 4, 5), rate, SameSignToken(second, signs=(-1,)))),
    hypotheses=(RESTING, RATIOS, _TURNED),
    severity="misprint",
    repair=next_ratio_is_a_function_of_the_last_one,
    printed=r"h \left(\frac{X_{2,3}^{(t)}}{X_{2,2}^{(t)}}, t, r_0, \dots, r_{d-1} \right)",
    note=(
        r"The two tokens agree in $r_1,\dots,r_{d-1}$ and, for $d\ge4$, in $X_{2,3}/X_{2,2}$, so that $h$ "
        r"would take one value. The argument is $X_{2,d}/X_{2,d-1}$, as Lemma 11 has it, which is the same for "
        r"$d=3$ only; $r_0$ is defined nowhere."
    ),
)

# f ------------------------------------------------------------------------------------------------


def exchanged(token: Any) -> ImmutableDenseMatrix:
    """The last two coordinates change places."""
    *head, one, other = token
    return ImmutableDenseMatrix([[*head, other, one]])


exchanged_f = Quantity(r"\hat f", lambda at: remainder(exchanged(at[second])))
_last_is_negative = Condition(
    r"X_{2,d}<0", lambda at: at[second][-1] < 0, Compare(entry(second)(1, d), "<", 0)
)
_EXCHANGED = Hypothesis(
    r"\hat f=f\ \text{of}\ \hat X_{2,:}=(X_{2,1},\dots,X_{2,d-2},X_{2,d},X_{2,d-1}),\quad X_{2,j}<0\ (j\le d)"
)
_F = source("App. F.3", "proof of Lemma 12, first and second display")
remainder_is_a_function_of_all_ratios = Claim(
    id="wu2024.app-F3.lemma-12-root.arguments.repair",
    parent="wu2024.app-F3.lemma-12-root.arguments",
    source=_F,
    kind="identity",
    title=r"$f$ is a function of $r_2,\dots,r_{d-1}$: the left-hand side of (40).",
    statement=equation_40.equals(f),
    domain=ratios_alone,
    hypotheses=(RESTING, RATIOS),
    note="At the layer whose ratios these are; later ones move with the layer, by (39).",
)
remainder_is_a_function_of_the_first_ratios = Claim(
    id="wu2024.app-F3.lemma-12-root.arguments",
    source=_F,
    kind="identity",
    title=r"$f$ is called a function of the layer and of $r_1,\dots,r_{d-2}$.",
    statement=f.equals(exchanged_f),
    domain=ratios_alone.with_conditions(_last_is_negative),
    hypotheses=(RESTING, RATIOS, _EXCHANGED),
    probes=(
        ratios_alone.completed(
            {
                d: Integer(3), w: Integer(2),
                second: ImmutableDenseMatrix([[Rational(e, 3) for e in (-2, -1, -2)]]),
            }
        ),
    ),
    severity="misprint",
    repair=remainder_is_a_function_of_all_ratios,
    printed=r"f(t, r_1, \dots, r_{d-2})",
    note=(
        r"The two tokens agree in $r_1,\dots,r_{d-2}$. For $d=3$ these are $r_1=1$ alone, and "
        r"$f=(X_{2,1}/X_{2,2})^2$ would be a constant. The indices are one too low: $r_2,\dots,r_{d-1}$ is "
        r"meant, as in Lemma 11 and in (40)."
    ),
)  # fmt: skip
