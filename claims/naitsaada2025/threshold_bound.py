r"""What the threshold $c$ of Eq. (21) gives in the limit: the last display of the proof of Prop. 3.7."""

from __future__ import annotations

from typing import Any

import mpmath
from sympy import Float, Integer, Symbol

from claims.domain import Choice, Domain, Point
from claims.model import Claim, Hypothesis, Understood
from claims.naitsaada2025.edges import product_of_largest_singular_values_as_printed
from claims.naitsaada2025.interlacing import stable_rank_by_the_share_above_a_level
from claims.naitsaada2025.notation import source
from claims.naitsaada2025.signal_scales import MODEL, edge_of
from claims.naitsaada2025.stable_rank import DIGITS
from claims.statement import Compare, Quantity

cut = Symbol("c", integer=True, positive=True)

FACTORS = Integer(2)
"""A_1^perp and X_0 W_1: the limit law has the Fuss-Catalan numbers 1, 3, 12, ... as moments."""
limit_of_the_rank = Quantity(
    r"\lim_{T\to\infty}\tfrac1T\mathrm{sr}(\Sigma_1^\perp)",
    lambda at: (FACTORS + 1) / edge_of(FACTORS) ** 2,
)


def share_of_the_law(at: Point) -> Any:
    r"""$\int_c^\infty d\mathcal M=\frac1\pi|\Im(2B-\log(B-1))|$ with $B^3=c(B-1)$, from $\int\frac Bx\,dx$."""
    with mpmath.workdps(2 * DIGITS):
        roots = mpmath.polyroots([1, 0, -int(at[cut]), int(at[cut])], extraprec=4 * DIGITS)
        root = max(roots, key=mpmath.im)
        share = abs(mpmath.im(2 * root - mpmath.log(root - 1))) / mpmath.pi
        return Float(share, DIGITS)


share_above = Quantity("P", share_of_the_law)
THRESHOLDS = Domain((Choice(cut, tuple(map(Integer, range(1, 7)))),))
_ONE_LAYER = Hypothesis(
    r"\ell=1,\ \gamma=\sigma_A=\sigma_W=1,\ P=\lim\tfrac1T\#\{i:s_i^2(X_1^\perp)>c\};\ "
    r"c=1,\dots,6<\tfrac{27}4,\ \text{the edge}"
)

bound_of_the_threshold = Claim(
    id="naitsaada2025.proof-3.7.final-bound.repair",
    parent="naitsaada2025.proof-3.7.final-bound",
    source=source("App. A.2, proof of Prop. 3.7", "last display"),
    kind="bound",
    title=(
        r"$\mathrm{sr}(\Sigma^\perp)/T$ is at least $c^2P/\Pi^2$, $\Pi=\gamma^{-(\ell-1)}(4\sigma_A"
        r"\sigma_W)^{2\ell}(1+\gamma^{-1/2})^2/4$."
    ),
    statement=Compare(limit_of_the_rank, ">=", cut**2 * share_above / 16**2),
    domain=THRESHOLDS,
    hypotheses=(MODEL, _ONE_LAYER),
    uses=(stable_rank_by_the_share_above_a_level,),
    note=(
        r"For every $c$, since $c^2P\le\int x^2\,d\mathcal M$ and $\Pi$ is not below the edge. At "
        r"$\ell=\gamma=\sigma_A=\sigma_W=1$ it is $16$, and the edge $\frac{27}4$. The positive limit, which "
        r"is what Proposition 3.7 needs, survives."
    ),
)

bound_of_the_threshold_as_printed = Claim(
    id="naitsaada2025.proof-3.7.final-bound",
    source=source("App. A.2, proof of Prop. 3.7", "last display"),
    kind="bound",
    title=(
        r"$\mathrm{sr}(\Sigma^\perp)/T$ is at least $cP$ over "
        r"$(\sigma_A\sigma_W)^{2\ell}4^{\ell-1}(1+\gamma^{-1/2})^2$."
    ),
    statement=Compare(limit_of_the_rank, ">=", cut * share_above / 4),
    domain=THRESHOLDS,
    hypotheses=(MODEL, _ONE_LAYER),
    uses=(product_of_largest_singular_values_as_printed,),
    severity="material",
    repair=bound_of_the_threshold,
    printed=(
        r"\lim_{T \rightarrow \infty} \frac{\text{sr}(\Sigma_\ell^\perp)}{T} \geq \frac{cP}{(\sigma_A "
        r"\sigma_W)^{2\ell} 4^{\ell-1} (1 + \gamma^{-1/2})^2} > 0"
    ),
    understood=(
        Understood(
            r"every threshold below the edge is meant: none is singled out, and the derivation is for any",
            r"at $c=4,5,6$, and for small $c$, where $cP$ is small, the last line is true by no argument of "
            r"the proof",
        ),
    ),
    note=(
        r"The proof has (21) for every threshold $c$, and any $c$ below the edge makes $cP$ positive. The "
        r"bound fails for $c=1,2,3$. The derivation is wrong for all: the $2^{2\ell}$ of "
        r"$(2\sigma_A)^{2\ell}$ is lost from one line to the next "
        r"(`naitsaada2025.proof-3.7.final-bound.step`), and squares stand for fourth powers since (21). $P$ "
        r"is known exactly: the law of $s_i^2$ has the Fuss-Catalan numbers as moments, $B=\sum_kx^{-k}\int "
        r"y^k\,d\mathcal M$ solves $B^3=x(B-1)$, and $\int\frac Bx\,dx=2B-\log(B-1)$."
    ),
)
