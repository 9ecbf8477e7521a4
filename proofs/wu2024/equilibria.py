"""The causal layer without scores, token by token, and how an equilibrium's rows follow on.

The softmax of i equal scores is 1/i, so that token i before LayerNorm is a mean; LayerNorm forgets
its factor 1/i.  (29) replaces the sum so far by X_i/beta_i, which is what being at rest says.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, MatrixSymbol, Sum, Symbol, exp, sqrt
from sympy.matrices.expressions import MatMul

from claims.expressions import FrobSq
from claims.model import Claim
from claims.wu2024 import equilibria as claims
from claims.wu2024.equilibria import after, after1, beta, beta_after, here, here1, i, sum_i
from claims.wu2024.notation import WV, X, d
from proofs.certificate import Certificate, Checked
from proofs.decide import decide, same
from proofs.registry import proves

EVERY_SIZE = "all N >= 1, d >= 1, i <= N, all real X and W_V with non-zero sums"
EVERY_EQUILIBRIUM = "all N >= 2, d >= 1, i < N, all real W_V and all equilibria"


def sum_of_exponentials() -> Any:
    """What the softmax divides by: exp(0), once for each of the i tokens attended to."""
    j = Symbol("j", integer=True, positive=True)
    return Sum(exp(0), (j, 1, i)).doit()


EQUAL_WEIGHTS = Checked(
    r"A_{ij}=e^0\big/\textstyle\sum_{l\le i}e^0=1/i",
    "sum of i equal terms",
    lambda: exp(0) / sum_of_exponentials() == 1 / i,
)


@cache
def normalised_mean() -> Any:
    """Row i of LN(A X W_V), from A_ij = exp(0) over the sum of exponentials."""
    mean = MatMul(exp(0) / sum_of_exponentials(), sum_i, X, WV)
    return MatMul(1 / sqrt(FrobSq(mean)), mean).doit()


def with_named_norms(expression: Any) -> Any:
    """|c M|^2 as c^2 q^2 with a positive number q for each product M of symbols."""

    def named(norm: FrobSq) -> Any:
        factor, matrix = norm.args[0].as_coeff_mmul()
        return factor**2 * Symbol(f"|{matrix}|", positive=True) ** 2

    return expression.xreplace({norm: named(norm) for norm in expression.atoms(FrobSq)})


def same_rows(left: Any, right: Any) -> bool:
    """Equality of matrix expressions with norms among their scalars."""
    return same(with_named_norms(left), with_named_norms(right))


@proves(claims.equilibrium_is_a_positive_multiple_of_the_sum_so_far)
def by_softmax_of_equal_scores(claim: Claim) -> Certificate:
    """The mean's factor 1/i leaves the norm as a positive number and cancels."""
    return decide(
        claim, normalised_mean(), steps=(EQUAL_WEIGHTS,), same=same_rows,
        method="softmax of equal scores; homogeneity of the norm", scope=EVERY_SIZE,
    )  # fmt: skip


@cache
def next_rows() -> tuple[Any, Any]:
    """Row i + 1 at rest: beta_{i+1} times the sum so far, which is X_i/beta_i plus one term."""
    total = MatrixSymbol("T", 1, d)

    def following(factor: Any, value: Any, last: Any) -> Any:
        return factor * (total + last * value)

    general = following(beta_after, WV, after).subs(total, here / beta)
    chain = following(Integer(1), claims.U, after1).subs(total, here1 / Integer(1))
    return general, chain


@proves(claims.equilibrium_rows_follow_one_another)
def by_the_sum_so_far(claim: Claim) -> Certificate:
    """X_i = beta_i T_i and T_{i+1} = T_i + X_{i+1} W_V; eliminate T_i."""
    method = "elimination of the sum so far"
    return decide(
        claim, next_rows(), steps=(EQUAL_WEIGHTS,), method=method, scope=EVERY_EQUILIBRIUM
    )
