"""The causal layer without scores, token by token, and how an equilibrium's rows follow on.

The softmax of i equal scores is 1/i, so that token i before LayerNorm is a mean; LayerNorm forgets
its factor 1/i.  (29) replaces the sum so far by X_i/beta_i, which is what being at rest says.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Sum, Symbol, exp, sqrt
from sympy.matrices.expressions import MatMul

from claims.domain import Domain
from claims.expressions import FrobSq
from claims.model import Claim
from claims.statement import Compare
from claims.terms import entry
from claims.wu2024 import equilibria as claims
from claims.wu2024.equilibria import Y, b, i, sum_i, total
from claims.wu2024.notation import WV, N, X, d, k
from proofs.calculation import at_places, conjuncts, for_all
from proofs.certificate import Certificate, Checked
from proofs.conclude import conclude, facts_of
from proofs.decide import decide, same
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    instance,
    joint,
    sum_split,
    unfold,
)
from proofs.registry import proves


def sum_of_exponentials() -> Any:
    """What the softmax divides by: exp(0), once for each of the i tokens attended to."""
    j = Symbol("j", integer=True, positive=True)
    return Sum(exp(0), (j, 1, i)).doit()


EQUAL_WEIGHTS = Checked(
    r"A_{ij}=e^0\big/\textstyle\sum_{l\le i}e^0=1/i",
    "sum of $i$ equal terms",
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
        method="softmax of equal scores; homogeneity of the norm",
    )  # fmt: skip


def one_more_row(
    domain: Domain, tokens: Any, product: Any, rests: Theorem, row: Any
) -> tuple[Theorem, ...]:
    """The sum so far at i and i + 1, the sum over one row more, and rows i, i + 1 of the layer."""
    last = rests.formula.high
    bounds = [Compare(i, "<=", last - 1), Compare(b, ">=", 1), Compare(b, "<=", d)]
    inside = [assume(bound) for bound in bounds]
    here, there = (cut(at_places(rests, n, b), *inside) for n in (i, i + 1))
    apart = cut(sum_split(total(product, i + 1)), assume(Compare(i, ">=", 1)))
    over = ((i, 1, last - 1), (b, 1, d))
    read = [unfold(row(n, b), entry(tokens)(n, b), domain, over) for n in (i, i + 1)]
    return here, there, apart, *read


@proves(claims.equilibrium_rows_follow_one_another)
def by_the_sum_so_far(claim: Claim) -> Certificate:
    """X_i = beta_i T_i and T_{i+1} = T_i + X_{i+1} W_V; eliminate T_i."""
    domain = (claim.base or claim).domain
    rests, positive, rests_at_one = (assume(f) for f in facts_of(claims.equilibria)[-3:])
    general, chain = conjuncts(claims.equilibrium_rows_follow_one_another.formula)
    scale = cut(instance(positive, i), assume(Compare(i, "<=", N - 1)))
    first = joint(
        general.body.body,
        *one_more_row(domain, X, claims.times_value, rests, claims.next_row),
        scale,
    )
    second = joint(
        chain.body.body,
        *one_more_row(domain, Y, claims.times_value_at_one, rests_at_one, claims.next_row_at_one),
    )
    theorem = both(
        *(for_all(body, (i, last - 1), (b, d)) for body, last in ((first, N), (second, k)))
    )
    return conclude(claim, theorem, method="elimination of the sum so far")
