"""Proofs about Gaussian matrices behind a unit row: one factor at a time, by integration by parts."""

from __future__ import annotations

from functools import cache

from sympy import Expr, Integer, MatrixSymbol, Symbol, Trace, gamma, gammasimp, simplify

from claims.expressions import FrobSq
from claims.model import Claim
from claims.naitsaada2025 import chi_square as claims
from claims.naitsaada2025.chi_square import a, b
from claims.naitsaada2025.notation import T, d, q
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import decide
from proofs.kernel import both, derived
from proofs.registry import proves


@cache
def one_factor(rows: Expr) -> Expr:
    """E |s W|^2 over |s|^2 for a row s and W with `rows` rows and d columns."""
    s, weight = MatrixSymbol("s", 1, rows), MatrixSymbol("W", rows, d)
    value, norm = expectation(FrobSq(s * weight), [Gaussian(weight, Integer(1))]), Trace(s * s.T)
    (trace,) = value.atoms(Trace)
    assert simplify(trace - norm) == 0
    return value.coeff(trace)


@proves(claims.mean_square_behind_gaussian_matrices)
def by_one_factor_after_the_other(claim: Claim) -> Certificate:
    """Given the row so far, the next independent factor multiplies its mean squared norm by d."""
    method = "Gaussian integration by parts for one factor; induction in their number"
    return decide(claim, one_factor(T) * one_factor(d) ** (q - 1), method=method)


@cache
def moment(order: Expr) -> Expr:
    """E |w|^2k for w ~ N(0, I_d): E w . w f(|w|^2) = E div(w f) = E (d f + 2 |w|^2 f'), f(s) = s^(k-1).

    So each order multiplies by d + 2k - 2; the solution of this recursion that is 1 at order zero.
    """
    s, k = Symbol("s", positive=True), Symbol("k", positive=True)
    field = s ** (k - 1)
    step = simplify((d * field + 2 * s * field.diff(s)) / field)
    solution = 2**k * gamma(d / 2 + k) / gamma(d / 2)
    assert simplify(gammasimp(solution / solution.subs(k, k - 1)) - step) == 0
    return solution.subs(k, order)


@proves(claims.norms_are_products_of_independent_chi_variables)
def by_radial_moments(claim: Claim) -> Certificate:
    """Given x, x W is |x| times a standard normal row: the last factor has order b, the others a + b."""
    method = (
        "Gaussian integration by parts for radial functions; conditioning on the factors before"
    )
    return decide(claim, moment(a + b) ** (q - 1) * moment(b), method=method)


@proves(claims.product_is_a_sum_of_squares)
def by_the_mean(claim: Claim) -> Certificate:
    """Each independent factor has the mean d."""
    domain = claims.product_is_a_sum_of_every_choice_of_squares.domain
    first = gammasimp(moment(Integer(1)))
    theorem = derived(claims.mean, first**q, domain, "radial moments")
    return conclude(claim, theorem, method="mean of a product of independent chi-squares")


@proves(claims.terms_are_independent)
def by_first_and_second_moment(claim: Claim) -> Certificate:
    """Each independent factor has first moment d and second moment d (d + 2)."""
    domain = claims.exact_mean_and_second_moment.domain
    first, second = (gammasimp(moment(Integer(k))) for k in (1, 2))
    theorem = both(
        derived(claims.mean, first**q, domain, "radial moments"),
        derived(claims.second, second**q, domain, "radial moments"),
    )
    return conclude(claim, theorem, method="moments of independent chi-squares")
