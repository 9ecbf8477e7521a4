r"""The edge of the bulk of softmax attention where $d_{qk}$ is proportional to $T$ (Theorem 2.1).

At mean one $e^{\langle q,k\rangle/\sqrt{d_{qk}}}$ is one, plus the logit itself, plus the rest of its series.
Logits of orthonormal tokens are a product of two Gaussian matrices; the rest acts like independent entries.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational, Symbol, exp, sqrt

from claims.domain import Choice, Computed, Condition, Domain, Point, Real
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.notation import sigma_qk, source
from claims.naitsaada2025.spectral_gap import (
    GAUSSIAN,
    ORTHONORMAL,
    edge,
    inverse_transform,
    sigma,
    turning_point,
)
from claims.statement import Compare, Quantity

kappa, g = (Symbol(name, real=True, positive=True) for name in ("kappa", "g"))
PLACE = source("Sec. 2.2", "Theorem 2.1, Eq. (3)")


# The limit ----------------------------------------------------------------------------------------

second_at_width = Quantity(
    r"\lim_{T\to\infty}s_2(\sqrt T A(X_0))", lambda at: edge(at[kappa], at[sigma_qk] ** 4)
)


def _deviation(at: Point) -> Any:
    return sqrt(exp(at[sigma_qk] ** 4) - 1)


def _turn(at: Point) -> Any:
    return turning_point(at[kappa], at[sigma_qk] ** 4, at[sigma] ** 2)


BULK = inverse_transform(g, kappa, sigma_qk**4, sigma**2)
_POLE = Hypothesis(
    r"g\ \text{where the right side is least for}\ 0<g<\frac1{\sigma_{qk}^2\sqrt\kappa}"
)

edge_at_proportional_width = Claim(
    id="naitsaada2025.beyond.edge-at-proportional-width",
    source=PLACE,
    kind="limit",
    title=(
        r"Where $T/d_{qk}\to\kappa$, $s_2(\sqrt TA)$ tends to the least value of an explicit function, which "
        r"is $2\sigma$ for $\kappa=0$ alone."
    ),
    statement=second_at_width.equals(BULK),
    domain=Domain(
        (
            Choice(kappa, (Integer(1), Rational(1, 2))),
            Choice(sigma_qk, (sqrt(2) / 2, sqrt(6) / 4)),
            Computed(sigma, _deviation), Computed(g, _turn),
        )
    ),
    hypotheses=(
        ORTHONORMAL, GAUSSIAN,
        Hypothesis(r"T/d_{qk}\to\kappa,\ \sigma^2=e^{\sigma_{qk}^4}-1"), _POLE,
        Hypothesis(
            r"\text{measured for}\ \kappa\in\{\tfrac12,1\},\ \sigma_{qk}^2\in\{\tfrac38,\tfrac12\}"
        ),
    ),
    note=(
        r"The linear part $QK^\top/\sqrt{d_{qk}}$ of $e^{QK^\top/\sqrt{d_{qk}}}$ holds $\sigma_{qk}^4$ of the "
        r"variance $\sigma^2$; the rest acts like independent Gaussian entries (Pennington and Worah, 2017; "
        r"Benigni and Péché, 2021). The transforms $\frac{\sigma_{qk}^4g}{1-\kappa\sigma_{qk}^4g^2}$ of the "
        r"product and $(\sigma^2-\sigma_{qk}^4)g$ of the rest add, and the edge is where $K(g)$ turns. "
        r"For $\kappa\to0$ it is the printed $2\sigma$; for $\kappa\to\infty$ it grows like "
        r"$\sigma_{qk}^2\sqrt\kappa$, which meets $s_2(A)\approx\sigma_{qk}^2/\sqrt{d_{qk}}$, what the limit "
        r"at a fixed $d_{qk}$ is to leading order in $\sigma_{qk}^4/d_{qk}$ "
        r"(`naitsaada2025.beyond.edge-above-the-printed`)"
    ),
)  # fmt: skip

least_value = Quantity("K(g)", lambda at: BULK.xreplace(dict(at)))
_below_the_pole = Condition(
    r"\kappa\,\sigma_{qk}^4\,g^2<1",
    lambda at: at[kappa] * at[sigma_qk] ** 4 * at[g] ** 2 < 1,
    Compare(kappa * sigma_qk**4 * g**2, "<", 1),
)
_some_rest = Condition(
    r"\sigma\ge\sigma_{qk}^2", lambda at: at[sigma] >= at[sigma_qk] ** 2,
    Compare(sigma, ">=", sigma_qk**2),
)  # fmt: skip

edge_above_the_printed = Claim(
    id="naitsaada2025.beyond.edge-above-the-printed",
    source=PLACE,
    kind="bound",
    title=(
        r"The edge of the bulk at $T/d_{qk}\to\kappa$ is above $2\sigma$ and above "
        r"$\sigma_{qk}^2\sqrt\kappa$, the leading order of the edge at a fixed width."
    ),
    statement=least_value.above(2 * sigma) & Compare(least_value**2, ">", kappa * sigma_qk**4),
    domain=Domain(
        tuple(Real(v, 0, open_low=True) for v in (kappa, sigma_qk, sigma, g)),
        (_below_the_pole, _some_rest),
    ),
    hypotheses=(
        Hypothesis(
            r"K(g)=\frac1g+(\sigma^2-\sigma_{qk}^4)\,g+\frac{\sigma_{qk}^4g}{1-\kappa\sigma_{qk}^4g^2}"
        ),
    ),
    uses=(edge_at_proportional_width,),
    note=(
        r"At every $g$, and so at the least of them. $e^{\sigma_{qk}^4}-1\ge\sigma_{qk}^4$ gives "
        r"$\sigma\ge\sigma_{qk}^2$."
    ),
)
