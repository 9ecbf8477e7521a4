"""Arguments about norms of Gaussian weights: textbook tails and unions; refutations by exact tails."""

from __future__ import annotations

from sympy import Symbol, cancel, factor, log, oo, sqrt, symbols

from claims.im2026 import gaussian_norms as claims
from claims.model import Claim
from proofs.calculus.inequalities import SignOnInterval
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.registry import proves

x = Symbol("x", real=True)
d, t, rate, a = symbols("d t lambda a", positive=True)
SCOPE = r"all integers $|V|\ge T\ge1$, $L\ge1$, all $\xi\ge0$, $v>0$, $t\ge0$"


def _cumulant() -> bool:
    """(y - 1)^2/(2y) + (y - 1)/y - log y vanishes at y = 1 and rises: 2 y^2 times its slope is a square."""
    y = Symbol("y", positive=True)
    gap = (y - 1) ** 2 / (2 * y) + (y - 1) / y - log(y)
    slope = cancel(gap.diff(y) * 2 * y**2)
    return gap.subs(y, 1) == 0 and SignOnInterval(slope, y, 1, oo, ">=0").check()


def _legendre() -> bool:
    """The exponent at the best rate is -t."""
    best = sqrt(t) / (sqrt(d) + 2 * sqrt(t))
    exponent = d * rate**2 / (1 - 2 * rate) - rate * (2 * sqrt(d * t) + 2 * t)
    return bool(factor(cancel(exponent.subs(rate, best) + t)) == 0)


CHI_SQUARE = (
    Checked(
        r"\log\mathbb E e^{\lambda(\chi^2_d-d)}=-\tfrac d2(\log(1-2\lambda)+2\lambda)"
        r"\le\tfrac{d\lambda^2}{1-2\lambda}",
        r"$y=1/(1-2\lambda)$: the difference vanishes at $y=1$ and rises",
        _cumulant,
    ),
    Checked(
        r"\tfrac{d\lambda^2}{1-2\lambda}-\lambda(2\sqrt{dt}+2t)=-t\ \text{at}\ "
        r"\lambda=\tfrac{\sqrt t}{\sqrt d+2\sqrt t}",
        "Markov's inequality at this rate",
        _legendre,
    ),
    Checked(
        r"a^2+a+\tfrac12\le\tfrac52\le3\ \text{for}\ a=|V|^{-\xi}\le1",
        r"the threshold at $t=|V|^{2+2\xi}/4$; that of $P$ has $\sqrt T/|V|^{1+\xi}\le1$ for $a$",
        lambda: SignOnInterval(5 - 2 * a**2 - 2 * a - 1, a, 0, 1, ">=0").check(),
    ),
)
OPERATOR = (
    Checked(
        r"2\sqrt{|V|}+|V|^{1/2+\xi}\le3|V|^{1/2+\xi}",
        r"$|V|^\xi\ge1$; $\mathbb E\|G\|\le2\sqrt{|V|}$ by Gordon's inequality, and $\|G\|$ is 1-Lipschitz",
        lambda: SignOnInterval(3 * x - 2 - x, x, 1, oo, ">=0").check(),
    ),
)


CONCENTRATION = "concentration of Lipschitz functions of Gaussians"


@proves(claims.operator_norm_of_one_matrix)
def by_gaussian_concentration(claim: Claim) -> Certificate:
    """Davidson and Szarek's bound."""
    method = f"{CONCENTRATION}, for one matrix"
    return argued(claim, steps=OPERATOR, method=method, scope=SCOPE)


@proves(claims.all_operator_norms_are_small)
def by_a_union_of_matrices(claim: Claim) -> Certificate:
    """The same for each matrix; a vector of T <= |V| entries is a part of one."""
    method = f"{CONCENTRATION}; union over $3L+1$ weights"
    return argued(claim, steps=OPERATOR, method=method, scope=SCOPE)


@proves(claims.frobenius_tails, claims.all_frobenius_norms_are_small)
def by_chernoff(claim: Claim) -> Certificate:
    """Laurent and Massart's bound: Chernoff's for a chi-square; 4 v^2 lies beyond 3 v^2."""
    method = "Chernoff's bound for chi-squares; for all weights a union of $3L+1$ events"
    return argued(claim, steps=CHI_SQUARE, method=method, scope=SCOPE)
