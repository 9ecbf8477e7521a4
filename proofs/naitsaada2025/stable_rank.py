"""The stable rank by the spectral theorem: sums over singular vectors, exchanged."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, KroneckerDelta, Sum, Symbol

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import stable_rank as claims
from claims.naitsaada2025.notation import T, d
from claims.naitsaada2025.stable_rank import M, U, i, j, k, s
from claims.statement import Compare
from claims.terms import entry
from proofs.calculation import (
    at_places,
    conjuncts,
    linked,
    picked,
    squared,
    summed_over,
    sums_compared,
    weighed,
)
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import DELTA, FUBINI, JENSEN
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    fact,
    generalise,
    instance,
    joint,
    part,
    sum_split,
    unfold,
)
from proofs.registry import proves


class Spectrum:
    """What the spectral theorem says of $MM^\\top$, and sums that follow."""

    def __init__(self, matrix: Any = M, roots: Any = s, vectors: Any = U):
        _, vectors_of = claims.decomposed(matrix, roots, vectors)
        known = [assume(fact_) for fact_ in vectors_of.facts()]
        self.spectral, self.eigen, self.unit, self.orthonormal, *orders = known
        self.order, self.second, self.falling = orders
        self.m, self.u = entry(matrix), entry(vectors)
        self.root = lambda place: entry(roots)(place, 1)
        self.rows, self.cols = matrix.shape

    def gram(self, a: Any, b: Any) -> Any:
        """<M_a, M_b>."""
        n = Symbol("n", integer=True)
        return Sum(self.m(a, n) * self.m(b, n), (n, 1, self.cols))

    def summed(self, power: int) -> Any:
        """The sum of powers of the singular values."""
        return Sum(self.root(k) ** power, (k, 1, self.rows))

    def over_vectors(self, power: int) -> Theorem:
        """sum_i sum_k s_k^p U_ik^2 = sum_k s_k^p, since the columns of U are unit vectors."""
        term = self.root(k) ** power * self.u(i, k) ** 2
        swap = fact(FUBINI, a=term, j=i, k=k, rows=self.rows, columns=self.rows)
        ones = weighed(lambda n: self.root(n) ** power, lambda n: instance(self.unit, n), self.rows)
        return linked(Compare(swap.formula.left, "=", self.summed(power)), swap, ones)

    def squares(self) -> Theorem:
        """||M||_F^2 = sum_k s_k^2."""
        own = sums_compared(lambda n: at_places(self.spectral, n, n), self.rows)
        goal = Compare(own.formula.left, "=", self.summed(2))
        return linked(goal, own, self.over_vectors(2))

    def fourth_powers(self) -> Theorem:
        """||M M^T||_F^2 = sum_k s_k^4: a row of the Gram matrix, times each singular vector."""

        def row(a: Any) -> Theorem:
            """sum_j G_aj^2 = sum_k s_k^4 U_ak^2."""
            spread = weighed(
                lambda b: self.gram(a, b), lambda b: at_places(self.spectral, a, b), self.rows
            )
            term = self.gram(a, j) * self.root(k) ** 2 * self.u(a, k) * self.u(j, k)
            swap = fact(FUBINI, a=term, j=j, k=k, rows=self.rows, columns=self.rows)
            turned = weighed(
                lambda n: self.root(n) ** 2 * self.u(a, n), lambda n: at_places(self.eigen, a, n),
                self.rows,
            )  # fmt: skip
            total = Sum(self.root(k) ** 4 * self.u(a, k) ** 2, (k, 1, self.rows))
            return linked(Compare(spread.formula.left, "=", total), spread, swap, turned)

        rows = sums_compared(row, self.rows)
        goal = Compare(rows.formula.left, "=", self.summed(4))
        return linked(goal, rows, self.over_vectors(4))

    def largest_is_positive(self, norm: Theorem) -> Theorem:
        """s_1 > 0 where ||M||_F^2 > 0."""
        above = sums_compared(
            lambda n: joint(Compare(self.root(n) ** 2, "<=", self.root(1) ** 2), instance(self.order, n)),
            self.rows,
        )  # fmt: skip
        one = instance(self.order, Integer(1))
        return linked(Compare(self.root(Integer(1)), ">", 0), above, self.squares(), norm, one)


@cache
def spectrum() -> Spectrum:
    return Spectrum()


@proves(claims.stable_rank_by_singular_values)
def by_the_trace_of_the_gram_matrix(claim: Claim) -> Certificate:
    """||M||_F^2 is the trace of MM^T, the sum of its eigenvalues; none exceeds s_1^2."""
    domain, found = claims.any_matrix, spectrum()
    norm = found.squares()
    first = found.root(Integer(1))
    read = unfold(claims.rank, norm.formula.left / first**2, domain)
    total = unfold(claims.squares, found.summed(2), domain)
    top = unfold(claims.largest, first, domain)
    positive = found.largest_is_positive(assume(claims.nonzero(M).formula))
    own = sum_split(found.summed(2), first=True)
    above = sums_compared(
        lambda n: joint(Compare(found.root(n) ** 2, "<=", first**2), instance(found.order, n)), T
    )
    n = Symbol("n", integer=True)
    rest = Sum(found.root(n) ** 2, (n, 2, T))
    signs = summed_over(joint(Compare(0, "<=", found.root(n) ** 2)), (n, 2, T))
    below = linked(Compare(rest, ">=", 0), signs)
    value = joint(
        claims.rank.equals(claims.squares / claims.largest**2), read, norm, total, top, positive
    )
    least = linked(claims.rank.at_least(1), read, norm, own, below, positive)
    most = linked(claims.rank.at_most(T), read, norm, above, positive)
    theorem = both(value, least, most)
    return conclude(claim, theorem, method="spectral theorem")


@proves(claims.covariance_rank_is_bounded_by_two_singular_values)
def by_the_order_of_the_singular_values(claim: Claim) -> Certificate:
    """All singular values but the first are at most the second."""
    domain, found = claims.covariance_rank_is_bounded_by_two_singular_values.domain, spectrum()
    first, two = found.root(Integer(1)), found.root(Integer(2))
    value = rank_of_covariance(domain)
    tops = unfold(claims.largest, first, domain), unfold(claims.second, two, domain)
    positive = found.largest_is_positive(assume(claims.nonzero(M).formula))
    n = Symbol("n", integer=True)
    ordered = joint(
        Compare(found.root(n) ** 4, "<=", two**4), instance(found.second, n),
        part(instance(found.order, n), 0),
    )  # fmt: skip
    rest = summed_over(cut(ordered, assume(Compare(n, ">=", 2))), (n, 2, T))
    own = sum_split(found.summed(4), first=True)
    powers = Compare(found.summed(4), "<=", first**4 + (T - 1) * two**4)
    below = linked(powers, own, rest)
    value, total = rank_of_covariance(domain), unfold(claims.fourth_powers, found.summed(4), domain)
    (_, bound) = conjuncts(claims.covariance_rank_is_bounded_by_two_singular_values.formula)
    above = joint(bound, value, total, below, positive, *tops)
    return conclude(claim, both(value, above), method="spectral theorem")


def rank_of_covariance(domain: Domain) -> Theorem:
    """sr(MM^T) = sum_k s_k^4 / s_1^4."""
    found = spectrum()
    first, powers = found.root(Integer(1)), found.fourth_powers()
    read = unfold(claims.covariance_rank, powers.formula.left / first**4, domain)
    total = unfold(claims.fourth_powers, found.summed(4), domain)
    top = unfold(claims.largest, first, domain)
    goal = claims.covariance_rank.equals(claims.fourth_powers / claims.largest**4)
    positive = found.largest_is_positive(assume(claims.nonzero(M).formula))
    return joint(goal, read, powers, total, top, positive)


@proves(claims.covariance_rank_by_squares)
def by_eigenvalues_of_the_covariance(claim: Claim) -> Certificate:
    """The eigenvalues of Sigma are the squared singular values of X."""
    value = rank_of_covariance(claims.gapless)
    top = unfold(claims.largest, spectrum().root(Integer(1)), claims.gapless)
    positive = spectrum().largest_is_positive(assume(claims.nonzero(M).formula))
    goal = claims.covariance_rank_by_fourth_powers.formula
    theorem = joint(goal, value, top, positive, given=(Compare(T, ">=", 2),))
    return conclude(claim, theorem, method="spectral theorem")


@proves(claims.identical_rows_maximise_the_sum_of_products)
def by_the_mean_square(claim: Claim) -> Certificate:
    """Feature by feature, the square of the mean row is at most the mean square."""
    domain, m = claims.identical_rows_maximise_the_sum_of_products.domain, entry(M)
    n = Symbol("n", integer=True)
    products = Sum(Sum(Sum(m(i, n) * m(j, n), (n, 1, d)), (j, 1, T)), (i, 1, T))
    total = unfold(claims.all_products, products, domain)
    size = unfold(claims.norm, Sum(Sum(m(i, n) ** 2, (n, 1, d)), (i, 1, T)), domain)
    inner = sums_compared(
        lambda a: fact(FUBINI, a=m(a, n) * m(j, n), j=j, k=n, rows=T, columns=d), T
    )
    outer = fact(FUBINI, a=m(i, n) * Sum(m(j, n), (j, 1, T)), j=i, k=n, rows=T, columns=d)
    by_feature = Sum(Sum(m(i, n), (i, 1, T)) ** 2, (n, 1, d))
    swapped = linked(Compare(products, "=", by_feature), inner, outer)
    swap = fact(FUBINI, a=m(i, n) ** 2, j=i, k=n, rows=T, columns=d)
    positive = assume(Compare(T, ">=", 1))
    share = joint(Compare(1 / T, ">=", 0), positive)
    whole = linked(Compare(Sum(1 / T, (i, 1, T)), "=", 1), positive)

    def feature(place: Any) -> Theorem:
        """(sum_i m_i)^2 <= T sum_i m_i^2."""
        mean = fact(JENSEN, w=1 / T, x=m(i, place), k=i, low=1, high=T)
        found = cut(mean, generalise(share, i, 1, T), whole)
        square = Sum(m(i, place), (i, 1, T)) ** 2
        return linked(Compare(square, "<=", T * Sum(m(i, place) ** 2, (i, 1, T))), found, positive)

    above = sums_compared(feature, d)
    bound = linked(claims.all_products.at_most(T * claims.norm), total, size, swapped, swap, above)
    same, first = assume(claims.identical), Integer(1)
    rows = lambda place: sums_compared(lambda a: at_places(same, a, place), T)  # noqa: E731
    sums = sums_compared(
        lambda b: linked(
            Compare(Sum(m(i, b), (i, 1, T)) ** 2, "=", T**2 * m(first, b) ** 2), rows(b)
        ),
        d,
    )
    squares = sums_compared(
        lambda a: sums_compared(
            lambda b: joint(Compare(m(a, b) ** 2, "=", m(first, b) ** 2), at_places(same, a, b)), d
        ),
        T,
    )
    reached = linked(
        claims.all_products.equals(T * claims.norm), total, size, swapped, sums, squares
    )
    theorem = both(bound, discharge(reached, claims.identical))
    return conclude(claim, theorem, method="Jensen's inequality for each feature")


@proves(claims.spectral_measures_are_probabilities)
def by_counting_singular_values(claim: Claim) -> Certificate:
    """n atoms of mass 1/n; the sum of the squared singular values is the squared norm."""
    domain = claims.spectral_measures_are_probabilities.domain
    found, size = Spectrum(claims.square), assume(Compare(T, ">=", 1))
    norm, atoms = found.squares(), Sum(1 / T, (k, 1, T))
    masses = [linked(mass.equals(1), unfold(mass, atoms, domain), size) for mass in claims.masses]
    own = unfold(claims.square_norm, norm.formula.left, domain)
    read = unfold(claims.second_moment, found.summed(2) / T, domain)
    value = joint(claims.second_moment.equals(claims.square_norm / T), own, read, norm, size)
    return conclude(claim, both(*masses, value), method="spectral theorem")


class Cut:
    """u_k^T M, and the same of M without its first r terms, for a vector u_k."""

    def __init__(self, found: Spectrum, r: Any):
        self.found, self.r = found, r
        self.short = assume(Compare(r, "<=", T - 1))

    def along(self, place: Any, feature: Any) -> Any:
        """(u^T M)_c."""
        return Sum(self.found.u(i, place) * self.found.m(i, feature), (i, 1, T))

    def rest(self, feature: Any) -> Any:
        """(u_k^T (M - sum_{l <= r} u_l u_l^T M))_c."""
        taken = Sum(self.found.u(i, term) * self.along(term, feature), (term, 1, self.r))
        return Sum(self.found.u(i, k) * (self.found.m(i, feature) - taken), (i, 1, T))

    def projected(self, feature: Any, each: Theorem) -> Theorem:
        """What of u_k^T M is taken away, from sum_l delta_kl (u_l^T M)_c as `each` has it."""
        product = self.found.u(i, k) * self.found.u(i, term) * self.along(term, feature)
        swap = fact(FUBINI, a=product, j=i, k=term, rows=T, columns=self.r)
        flag = at_places(self.found.orthonormal, k, term)
        inside = joint(Compare(term, "<=", T), self.short, given=(Compare(term, "<=", self.r),))
        value = self.along(term, feature)
        goal = Compare(flag.formula.left * value, "=", flag.formula.right * value)
        deltas = summed_over(cut(joint(goal, flag), inside), (term, self.r))
        left = self.along(k, feature) - each.formula.right
        return linked(Compare(self.rest(feature), "=", left), swap, deltas, each)

    def none(self, feature: Any) -> Theorem:
        """For k > r no delta is one."""
        delta, value = KroneckerDelta(k, term), self.along(term, feature)
        where = Symbol("where", integer=True)
        flag = fact(DELTA, a=k, b=term, term=where, place=where)
        apart = (Compare(k, ">", self.r), Compare(term, "<=", self.r))
        gone = joint(Compare(delta, "=", 0), flag, given=apart)
        each = joint(Compare(delta * value, "=", 0), gone)
        return linked_sum(each, self.r)

    def one(self, feature: Any) -> Theorem:
        """For k <= r one delta is."""
        return picked(k, lambda place: self.along(place, feature), self.r)


def linked_sum(each: Theorem, high: Any) -> Theorem:
    """A sum of zeros."""
    total = summed_over(each, (term, high))
    return linked(Compare(total.formula.left, "=", 0), total)


@proves(claims.outliers_are_removed)
def by_orthonormal_vectors(claim: Claim) -> Certificate:
    """u_k^T M is taken away as a whole or not at all, and its squared norm is s_k^2."""
    domain, found, r = claims.outliers_are_removed.domain, spectrum(), claims.removed
    parts, c = Cut(found, r), Symbol("c", integer=True)
    read = unfold(claims.gain(k), Sum(parts.rest(c) ** 2, (c, 1, d)), domain, ((k, 1, T),))
    own = unfold(claims.root(k), found.root(k), domain, ((k, 1, T),))
    first, last = Compare(k, "<=", r), Compare(k, ">", r)
    nothing = squared(lambda n: parts.projected(n, parts.one(n)), d)
    zero = linked(Compare(claims.gain(k), "=", 0), read, nothing)
    whole = squared(lambda n: parts.projected(n, parts.none(n)), d)
    turned = weighed(lambda a: found.u(a, k), lambda a: at_places(found.eigen, a, k), T)
    inner = weighed(
        lambda a: found.u(a, k),
        lambda a: fact(
            FUBINI, a=found.u(j, k) * found.m(j, c) * found.m(a, c), j=c, k=j, rows=d, columns=T
        ),
        T,
    )  # fmt: skip
    outer = fact(
        FUBINI, a=parts.along(k, c) * found.u(i, k) * found.m(i, c), j=c, k=i, rows=d, columns=T
    )
    norm = Sum(parts.along(k, c) ** 2, (c, 1, d))
    unit = instance(found.unit, k)
    length = linked(Compare(norm, "=", found.root(k) ** 2), outer, inner, turned, unit)
    kept = linked(Compare(claims.gain(k), "=", claims.root(k) ** 2), read, whole, length, own)
    theorem = generalise(both(discharge(zero, first), discharge(kept, last)), k, 1, T)
    return conclude(claim, theorem, method="orthonormal singular vectors")


term = Symbol("l", integer=True)
