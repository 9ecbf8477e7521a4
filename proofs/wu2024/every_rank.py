"""Theorem 3, item 1, from its steps: scaling leaves the layer as it is, and signs are counted."""

from __future__ import annotations

from sympy import MatrixSymbol, Symbol, cancel, sqrt

from claims.model import Claim
from claims.wu2024 import every_rank as claims
from claims.wu2024.notation import d, k
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.decide import same
from proofs.registry import proves
STEP_TWO=()
signs_count=lambda k:2**k


def scale_cancels() -> bool:
    """LN(c x) = LN(x) for c > 0, with |x| = q."""
    x, c, q = MatrixSymbol("x", 1, d), Symbol("c", positive=True), Symbol("q", positive=True)
    return same(c * x / sqrt(c**2 * q**2), x / q)


def powers_stay_bounded() -> bool:
    """|x W^(t+1)| <= |W| |x W^t| with |W| = nu/nu = 1: a bound r_t <= 1 is kept."""
    nu, previous = Symbol("nu", positive=True), Symbol("g", nonnegative=True)
    unit = nu / nu
    return bool((previous - unit * previous).is_zero) and cancel(unit) == 1


SCALING = (
    Checked(r"\mathrm{LN}(c\,x)=\mathrm{LN}(x),\ c>0", "homogeneity of the norm", scale_cancels),
    Checked(
        r"\|x\hat W_V^{t+1}\|_2\le\|\hat W_V\|_2\|x\hat W_V^t\|_2=\|x\hat W_V^t\|_2\le\|x\|_2",
        "definition of the 2-norm; induction in $t$",
        powers_stay_bounded,
    ),
)


@proves(claims.value_matrix_may_be_normalised)
def by_homogeneity(claim: Claim) -> Certificate:
    """LayerNorm forgets a positive factor; the 2-norm of a product is at most that of its factors."""
    method = "homogeneity and submultiplicativity"
    scope = r"all $N$, $d\ge1$, all real $w$, all tokens"
    return argued(claim, steps=SCALING, method=method, scope=scope)


@proves(claims.equilibria_of_every_rank_coexist)
def by_steps_one_to_three(claim: Claim) -> Certificate:
    """w = N serves every k; one sign a row gives 2^k; dividing W_V by its norm changes nothing."""
    method, scope = "Steps 1 to 3 of App. F.1", r"all integers $N$, $d\ge1$"
    counted = Checked(
        r"\#\{X\}\ge\textstyle\prod_{i=1}^k2=2^k", "one free sign a row",
        lambda: signs_count(k) == 2**k,
    )  # fmt: skip
    return argued(claim, steps=(*STEP_TWO, counted, *SCALING), method=method, scope=scope)
