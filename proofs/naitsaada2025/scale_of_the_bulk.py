"""The second singular value of a signal, from below: a vector in the span of two of attention's."""

from __future__ import annotations

from typing import Any

from sympy import Integer

from claims.model import Claim
from claims.naitsaada2025 import scale_of_the_bulk as claims
from claims.naitsaada2025.interlacing import AW, square
from claims.naitsaada2025.notation import T, d
from claims.statement import Compare
from claims.terms import Recursion
from proofs.calculation import linked, squared, weighed
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import FUBINI, RAYLEIGH
from proofs.kernel import Theorem, both, fact, joint, part, recursion_start, unfold
from proofs.naitsaada2025.decompositions import whole
from proofs.naitsaada2025.minimax import Met
from proofs.naitsaada2025.product_of_rests import second_with_weights
from proofs.naitsaada2025.weighted import entry_of, i, j, product, w, weights
from proofs.registry import proves

DOMAIN = claims.second_value_follows_the_weights.domain
TWO = Integer(2)


def above_the_weights() -> Theorem:
    """s_2^2(A) s_T^2(W) <= s_2^2(AW), by |(AW)^T z| = |W^T y| for y = A^T z."""
    met = Met(DOMAIN.variables[-1], TWO)  # type: ignore[arg-type]
    own = whole.pulled(met.z)
    # A function of its own, which the linear normal form takes for one term.
    name = Recursion("y", own, lambda _, a, before: before(a))
    y = lambda a: name(0, a)  # noqa: E731
    least = claims.least(T, d)

    def column(c: Any) -> Theorem:
        """((AW)^T z)_c = (W^T y)_c."""
        rows = weighed(met.z, lambda b: entry_of(AW, b, c), T)
        swap = fact(FUBINI, a=met.z(i) * whole.m(i, j) * w(j, c), j=i, k=j, rows=T, columns=T)
        named = weighed(lambda b: w(b, c), lambda b: recursion_start(name, b), T)
        goal = Compare(product.pulled(met.z)(c), "=", weights.pulled(y)(c))
        return linked(goal, rows, swap, named)

    alike, length = squared(column, d), squared(lambda a: recursion_start(name, a), T)
    below = fact(RAYLEIGH, sigma=least, x=y(j), j=j)
    through = linked(
        Compare(least**2 * whole.pulled_norm(met.z), "<=", product.pulled_norm(met.z)),
        alike, length, below,
    )  # fmt: skip
    low, high = met.at_least(whole), met.at_most(product)
    goal = Compare(whole.root(TWO) ** 2 * least**2, "<=", product.root(TWO) ** 2)
    return joint(goal, through, low, high)


@proves(claims.second_value_is_bounded_by_a_constant)
def by_a_vector_that_two_singular_vectors_span(claim: Claim) -> Certificate:
    """From above by the rank-one change, as in the proof of Lemma A.3."""
    read = (
        unfold(square(TWO), whole.root(TWO) ** 2, DOMAIN),
        unfold(claims.second_of_product, product.root(TWO) ** 2, DOMAIN),
    )
    goal = claims.second_value_follows_the_weights.formula.formulas[0]  # type: ignore[attr-defined]
    low = joint(goal, above_the_weights(), *read)
    upper = second_with_weights(DOMAIN)
    second = claims.second_value_follows_the_weights.formula.formulas[1]  # type: ignore[attr-defined]
    high = joint(second, part(upper, 0), part(upper, 2))
    return conclude(claim, both(low, high), method="minimax principle; rank-one change")
