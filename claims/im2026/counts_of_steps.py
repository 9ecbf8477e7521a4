r"""How many steps leading terms count: sums of binomials over the steps of gradient descent.

After k steps $W_O\approx k\eta\bar B$ and $V\approx\binom k2\eta^2\bar\Phi^\top\bar B^\top$, so that the
gradient of $V$ grows like $k\eta$ and that of $W$ like $k\binom k2\eta^3$.
"""

from __future__ import annotations

from sympy import Integer, binomial

from claims.domain import Domain, Point, Size
from claims.im2026.boxes import leading_count
from claims.im2026.notation import s, source
from claims.model import Claim, Hypothesis
from claims.statement import Quantity

STEPS = Domain((Size(s, 0, 6),))


def _counted(at: Point) -> Integer:
    return sum((k * binomial(k, 2) for k in range(int(at[s]))), start=Integer(0))


counted = Quantity(r"\sum_{k=0}^{s-1}k\tbinom k2", _counted)
following = Quantity(r"s\tbinom s2", lambda at: at[s] * binomial(at[s], 2))
counts_of_steps = Claim(
    id="im2026.coef.identity",
    source=source("App. D", "Theorems D.7, D.10"),
    kind="identity",
    title="The factor of the leading term of the attention weights is a sum over the steps.",
    statement=counted.equals(leading_count) & following.equals((s**3 - s**2) / 2),
    domain=STEPS,
    hypotheses=(Hypothesis(r"s\in\{0,1,2,\dots\}"),),
    note=r"Used without being stated. In factors: $s(s-1)(s-2)(3s-1)/24$.",
)
doubled = Quantity(
    r"6\tbinom s4+4\tbinom s3", lambda at: 6 * binomial(at[s], 4) + 4 * binomial(at[s], 3)
)
counts_are_below_powers = Claim(
    id="im2026.coef.bound",
    source=source("App. D", "proofs of Theorems D.7, D.10"),
    kind="bound",
    title=r"Twice that factor is at most $2s^4$, and also at most $s^4$.",
    statement=doubled.at_most(2 * s**4, s**4),
    domain=STEPS,
    hypotheses=(Hypothesis(r"s\in\{0,1,2,\dots\}"),),
    printed=r"6 \binom{s}{4} + 4 \binom{s}{3} \leq 2s^4",
    note=r"The second bound is used from (154) on. Asymptotically twice the count is $s^4/4$.",
)
a_quarter_of_the_fourth_power = Claim(
    id="im2026.beyond.quarter-of-fourth-power",
    source=source("App. D", "proofs of Theorems D.7, D.10"),
    kind="bound",
    title=r"$6\binom s4+4\binom s3\le\frac14s^4$, which is sharp for many steps.",
    statement=doubled.at_most(s**4 / 4) & doubled.at_least(s**4 / 4 - 5 * s**3 / 6),
    domain=STEPS,
    hypotheses=(Hypothesis(r"s\in\{0,1,2,\dots\}"),),
    note=(
        r"So bounds of Theorem D.7 that carry $2s^4\eta^4$ lose a factor of eight, those of Theorem D.10 with "
        r"$s^4\eta^4$, from (154) on, a factor of four."
    ),
)
