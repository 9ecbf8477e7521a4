r"""Singular values of $AW$ and $RW$ for $A=A_p\cdots A_1$ and $R=A_p^\perp\cdots A_1^\perp$.

$A-R$ has equal rows, by induction over the factors: for a unit vector that sums to zero
$\|(AW)^\top z\|=\|(RW)^\top z\|$, and there is one in the span of two singular vectors of any matrix.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Sum, Symbol

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import product_of_rests as claims
from claims.naitsaada2025.interlacing import AW, A, largest_weight, second_of_product
from claims.naitsaada2025.notation import T, d, p
from claims.naitsaada2025.product_of_rests import CROSSED, LEVEL_W, RW, SPECTRA_OF_PRODUCTS, R
from claims.naitsaada2025.product_rows import shared_row
from claims.statement import Compare
from proofs.calculation import at_places, conjuncts, linked, squared, sums_compared, weighed
from proofs.certificate import Certificate
from proofs.conclude import at_every_choice, conclude
from proofs.kernel import Theorem, assume, both, instance, joint, sum_rearranged, unfold
from proofs.naitsaada2025.decompositions import whole
from proofs.naitsaada2025.far_out import with_weights_in_tokens
from proofs.naitsaada2025.minimax import Met
from proofs.naitsaada2025.product_rows import all_factors_at
from proofs.naitsaada2025.rayleigh import Rayleigh
from proofs.naitsaada2025.weighted import largest_with_weights, product, w, weights
from proofs.registry import proves

__all__ = ["DOMAIN", "second_with_weights"]

ONE, TWO = Integer(1), Integer(2)
DOMAIN = claims.layers_with_weights
j = Symbol("j", integer=True)
variables = {variable.symbol: variable for variable in DOMAIN.variables}
bulk = Rayleigh(R, *claims.rest_spectrum)
rest, level = (Rayleigh(m, *SPECTRA_OF_PRODUCTS[m]) for m in (RW, LEVEL_W))


def known(matrix: Any, row: Any, column: Any) -> Theorem:
    """An entry of a computed matrix."""
    (formula,) = variables[matrix].facts()
    return at_places(assume(formula), row, column)


def entry_of_whole(row: Any, column: Any) -> Theorem:
    """A_ij = c_j + R_ij."""
    goal = Compare(whole.m(row, column), "=", shared_row(p, column) + bulk.m(row, column))
    split = instance(all_factors_at(column), row)
    return joint(goal, split, known(A, row, column), known(R, row, column))


def shared(column: Any) -> Expr:
    """An entry of the row that all tokens share, with weights."""
    return Sum(w(j, column) * shared_row(p, j), (j, 1, T))


def row_with_weights(row: Any, column: Any) -> Theorem:
    """(AW)_bc, and what all tokens share is taken out of the sum."""
    split = weighed(lambda a: w(a, column), lambda a: entry_of_whole(row, a), T)
    inner = Sum(bulk.m(row, j) * w(j, column), (j, 1, T))
    apart = sum_rearranged(split.formula.right, inner + shared(column))  # type: ignore[attr-defined]
    return joint(Compare(split.formula.left, "=", inner + shared(column)), split, apart)  # type: ignore[attr-defined]


def crossed(matrix: Any) -> Met:
    """A unit vector that sums to zero in the span of the first two singular vectors."""
    return Met(variables[CROSSED[matrix]], ONE)  # type: ignore[arg-type]


def entry_of_rest(row: Any, column: Any) -> Theorem:
    """An entry of RW, as a sum."""
    return known(RW, row, column)


def second_below_the_rest() -> Theorem:
    """s_2^2(AW) <= s_1^2(RW), by |(AW)^T z| = |(RW)^T z| where z sums to zero."""
    met = crossed(AW)

    def row(b: Any, c: Any) -> Theorem:
        """(AW)_bc = (RW)_bc + what all tokens share."""
        goal = Compare(product.m(b, c), "=", rest.m(b, c) + shared(c))
        return linked(goal, row_with_weights(b, c), known(AW, b, c), entry_of_rest(b, c))

    def column(c: Any) -> Theorem:
        """((AW)^T z)_c = ((RW)^T z)_c."""
        goal = Compare(product.pulled(met.z)(c), "=", rest.pulled(met.z)(c))
        return linked(goal, weighed(met.z, lambda b: row(b, c), T), *met.further)

    alike, bound = squared(column, d), rest.principle(met.z)
    goal = Compare(product.root(TWO) ** 2, "<=", rest.root(ONE) ** 2)
    return linked(goal, met.at_least(product), alike, bound, met.unit)


def second_of_equal_rows() -> Theorem:
    """s_2^2 of (A - R)W vanishes: z sums to zero."""
    met = crossed(LEVEL_W)

    def row(b: Any, c: Any) -> Theorem:
        """((A - R)W)_bc is what all tokens share."""
        return linked(
            Compare(level.m(b, c), "=", shared(c)), row_with_weights(b, c), known(LEVEL_W, b, c)
        )

    def column(c: Any) -> Theorem:
        rows = weighed(met.z, lambda b: row(b, c), T)
        goal = Compare(level.pulled(met.z)(c) ** 2, "=", 0)
        return joint(goal, linked(Compare(level.pulled(met.z)(c), "=", 0), rows, *met.further))

    goal = Compare(level.root(TWO) ** 2, "=", 0)
    square = joint(Compare(level.root(TWO) ** 2, ">=", 0))
    return linked(goal, met.at_least(level), sums_compared(column, d), square)


def second_with_weights(domain: Domain = DOMAIN) -> Theorem:
    """The three comparisons of the proof of Theorem A.5, of the claim's quantities."""
    values = {
        second_of_product: product.root(TWO),
        claims.largest_of_rests_with_weights: rest.root(ONE),
        claims.second_of_equal_rows: level.root(TWO),
        claims.largest_of_rests: bulk.root(ONE),
        largest_weight: weights.root(ONE),
    }
    read = [unfold(quantity, root**2, domain) for quantity, root in values.items()]
    shown = (
        second_below_the_rest(),
        second_of_equal_rows(),
        largest_with_weights(bulk, rest, entry_of_rest),
    )
    links = conjuncts(claims.second_value_is_below_the_product_of_the_rests.formula)
    return both(*(joint(link, part, *read) for link, part in zip(links, shown, strict=True)))


@proves(claims.orders_of_the_second_value_as_printed)
def by_weyl(claim: Claim) -> Certificate:
    r"""$(A-R)W$ has rank at most one, so that $s_2$ of it is zero.

    Weyl's inequality gives the first bound; the spectral norm is submultiplicative.
    """
    certificate = conclude(
        claim, second_with_weights(), method="minimax principle, at a vector that sums to zero"
    )
    return at_every_choice(certificate, claim, with_weights_in_tokens)
