"""LayerNorm forgets positive factors: proof by homogeneity of the norm."""

from __future__ import annotations

from sympy import MatrixSymbol, Symbol, sqrt, symbols

from claims.expressions import FrobSq
from claims.model import Claim
from claims.wu2024 import factors as claims
from claims.wu2024.notation import d
from proofs.calculus.wick import equal
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.registry import proves
from proofs.wu2024.plane import is_zero


def norm_is_homogeneous() -> bool:
    """|c r| = c |r| for c > 0 and a row of any length, so that c r/|c r| = r/|r|."""
    c, square = symbols("c s", positive=True)
    row = MatrixSymbol("r", 1, d)
    return (
        equal(FrobSq(c * row), c**2 * FrobSq(row))
        and sqrt(c**2 * square) == c * sqrt(square)
        and is_zero(c / sqrt(c**2 * square) - 1 / sqrt(square))
    )


@proves(claims.positive_factors_of_the_values_do_not_matter)
def by_homogeneity_of_the_norm(claim: Claim) -> Certificate:
    """LayerNorm forgets a positive factor of a row; layer by layer, A then sees the same tokens."""
    method, scope = "homogeneity of the norm", "all $N$, $d$, masks, $A=A(X)$, $c^{(t)}>0$, $t$"
    homogeneous = Checked(
        r"\frac{cr}{\|cr\|}=\frac r{\|r\|}\quad(c>0,\ r\ne0)",
        "traces and square roots for rows of any length $d$",
        norm_is_homogeneous,
    )
    B, V, c = MatrixSymbol("B", d, d), MatrixSymbol("V", d, d), Symbol("c", positive=True)
    linear = Checked(
        r"A X(cW_V)=c\,AXW_V;\ \text{equal } X^{(s)}\ \text{give equal } A^{(s)},\ X^{(s+1)}",
        "matrix algebra; induction on the layer from equal $X^{(0)}$",
        lambda: B * (c * V) == c * (B * V),
    )
    return argued(claim, steps=(homogeneous, linear), method=method, scope=scope)
