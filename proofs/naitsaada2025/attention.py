"""Softmax attention: shapes by the index calculus, moments of logits by Gaussian integration by parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Integer, KroneckerDelta, MatrixSymbol, Sum, Symbol, Trace, exp, sqrt, symbols

from claims.domain import Domain
from claims.expressions import ones
from claims.model import Claim
from claims.naitsaada2025 import attention as claims
from claims.naitsaada2025.attention import WK, WQ, WV, X0, K, Q, i, j, k, l
from claims.naitsaada2025.notation import T, d, d_qk, sigma_qk
from claims.statement import Compare
from claims.terms import entry, put
from proofs.calculation import algebra, at_places, for_all, linked, sums_compared, weighed
from proofs.calculus.differentials import jacobian
from proofs.calculus.networks import frobenius_square, network
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate
from proofs.conclude import argued, conclude
from proofs.decide import decide
from proofs.facts import EXP_INCREASES, FUBINI
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    derived,
    fact,
    generalise,
    joint,
    sum_at_least_term,
    unfold,
)
from proofs.naitsaada2025.markov import shares
from proofs.registry import proves

A = MatrixSymbol("A", T, T)
INDEX = "index calculus"


def size(quantity: Any, word: Any, axis: int, domain: Domain) -> Theorem:
    """A number of rows or columns, read off the word with symbolic sizes."""
    return derived(quantity, network(word).shape[axis], domain, INDEX)


class Row:
    """A softmax row: weights e^s_j / sum_k e^s_k, which are positive and sum to one."""

    def __init__(self, score: Callable[[Any], Any]):
        own = exp(score(j))
        self.total = Sum(exp(score(k)), (k, 1, T))
        one = sum_at_least_term(generalise(joint(Compare(own, ">=", 0)), j, 1, T), Integer(1))
        first = joint(Compare(exp(score(Integer(1))), ">", 0))
        self.positive = joint(Compare(self.total, ">", 0), one, first)
        self.weight = own / self.total
        self.whole = shares(own, self.total, self.positive)

    def sign(self) -> Theorem:
        """No weight vanishes."""
        own = joint(Compare(self.weight * self.total, ">", 0), self.positive)
        return joint(Compare(self.weight, ">", 0), own, self.positive)


def row_stochastic(domain: Domain) -> Theorem:
    """Rows of A(X_0) sum to one, and its entries are positive."""
    row = Row(lambda place: claims.score(i, place))
    over = ((i, 1, T), (j, 1, T))
    entry_ = unfold(claims.weight(i, j), row.weight, domain, over)
    each = joint(Compare(claims.weight(i, j), ">", 0), entry_, row.sign())
    total = unfold(claims.row_sum(i), Sum(row.weight, (j, 1, T)), domain, ((i, 1, T),))
    one = linked(Compare(claims.row_sum(i), "=", 1), total, row.whole)
    return generalise(both(one, generalise(each, j, 1, T)), i, 1, T)


def transpose_meets() -> Theorem:
    """Columns of X_0 W^Q meet rows of W^K^T."""
    return joint(
        claims.query_columns.equals(claims.transposed_key_rows),
        size(claims.query_columns, X0 * WQ, 1, claims.layer),
        size(claims.transposed_key_rows, WK.T, 0, claims.layer),
    )


@proves(claims.logits_without_a_transpose)
def by_shapes_of_queries_and_keys(claim: Claim) -> Certificate:
    """W^K itself has as many rows as there are features."""
    return conclude(claim, transpose_meets(), method=INDEX)


@proves(claims.attention_matrix_without_a_transpose)
def by_shapes_of_the_factors(claim: Claim) -> Certificate:
    """Columns of X_0 W^Q meet rows of W^K^T; entries of a softmax row share their own sum."""
    domain = claims.layer
    logits = X0 * WQ * WK.T * X0.T
    rows = size(claims.attention_rows, logits, 0, domain)
    columns = size(claims.attention_columns, logits, 1, domain)
    theorem = both(transpose_meets(), rows, columns, row_stochastic(domain))
    return conclude(claim, theorem, method=f"{INDEX}; common denominator of a row")


@proves(claims.attention_times_values)
def by_shapes_of_the_layer(claim: Claim) -> Certificate:
    """Columns of A meet rows of X_0, whose columns meet rows of W^V."""
    domain = claims.one_layer
    read = [
        size(claims.attention_width, A, 1, domain), size(claims.token_rows, X0, 0, domain),
        size(claims.token_columns, X0, 1, domain), size(claims.value_rows, WV, 0, domain),
    ]  # fmt: skip
    output = [
        size(quantity, A * X0 * WV, axis, domain)
        for axis, quantity in enumerate((claims.output_rows, claims.output_columns))
    ]
    met = joint(claims.attention_width.equals(claims.token_rows), *read)
    other = joint(claims.token_columns.equals(claims.value_rows), *read)
    theorem = both(met, other, *output)
    return conclude(claim, theorem, method=INDEX)


@proves(claims.mean_attention_is_uniform)
def by_exchanging_the_keys(claim: Claim) -> Certificate:
    """As many orders put each key in place j, and the weights of a row sum to one."""
    domain = claims.mean_attention_is_uniform.domain
    query, key, place = entry(Q), entry(K), Symbol("l", integer=True)

    def score(other: Any) -> Any:
        return Sum(query(i, place) * key(other, place), (place, 1, d_qk)) / sqrt(d_qk)

    row = Row(score)
    over = ((i, 1, T), (j, 1, T))
    read = unfold(claims.mean_weight(i, j), Sum(row.weight, (j, 1, T)) / T, domain, over)
    same = linked(Compare(claims.mean_weight(i, j), "=", 1 / T), read, row.whole)
    theorem = for_all(same, (i, T), (j, T))
    return conclude(claim, theorem, method="exchangeable keys")


@proves(claims.queries_over_isotropic_tokens_are_iid)
def by_orthonormal_rows(claim: Claim) -> Certificate:
    """Entries of W are uncorrelated, so that covariances are inner products of tokens."""
    domain, x, other = (
        claims.queries_over_isotropic_tokens_are_iid.domain,
        entry(X0),
        Symbol("m", integer=True),
    )
    a, b = claims.a, claims.b
    (isotropic,) = (assume(f) for f in domain.variables[3].facts())
    product = Sum(x(i, other) * x(j, other), (other, 1, d))
    over = ((i, 1, T), (a, 1, d_qk), (j, 1, T), (b, 1, d_qk))
    read = unfold(
        claims.covariance(i, a, j, b), sigma_qk**2 * KroneckerDelta(a, b) * product, domain, over
    )
    value = sigma_qk**2 * KroneckerDelta(i, j) * KroneckerDelta(a, b)
    theorem = joint(
        Compare(claims.covariance(i, a, j, b), "=", value), read, at_places(isotropic, i, j)
    )
    theorem = for_all(theorem, *over)
    return conclude(claim, theorem, method="orthonormal rows")


q, r, key, other_key = (MatrixSymbol(name, 1, d_qk) for name in ("q_1", "q_2", "k_1", "k_2"))
LAWS = tuple(Gaussian(row, sigma_qk**2) for row in (q, r, key, other_key))
BY_PARTS = "Gaussian integration by parts"


def covariance(one: Any, other: Any) -> Any:
    """Cov(one^2, other^2) / d_qk^2 for two traces."""
    product = expectation(one**2 * other**2, LAWS)
    return (product - expectation(one**2, LAWS) * expectation(other**2, LAWS)) / d_qk**2


@proves(claims.entries_are_called_independent)
def by_the_fourth_moment_of_a_query(claim: Claim) -> Certificate:
    """Given the query, both squares have its squared norm for their mean."""
    value = covariance(Trace(q * key.T), Trace(q * other_key.T))
    return decide(claim, value, method=BY_PARTS)


@proves(claims.attention_is_called_markov)
def by_the_fourth_moment_of_a_pair_of_keys(claim: Claim) -> Certificate:
    """Given the keys, both squares have the squared norm of their difference for their mean."""
    gap = key - other_key
    value = covariance(Trace(q * gap.T), Trace(r * gap.T))
    return decide(claim, value, method=BY_PARTS)


@proves(claims.small_weights_make_attention_uniform)
def by_the_largest_logit(claim: Claim) -> Certificate:
    """Every exponential lies between e^-eps and e^eps."""
    domain, most = claims.small_weights_make_attention_uniform.domain, claims.most
    (bounded,) = map(assume, domain.variables[-1].known)
    moment = expectation(Trace(q * key.T) ** 2 / d_qk, LAWS)
    second = derived(claims.squared_logit, moment, domain, BY_PARTS)
    value = joint(claims.squared_logit.equals(sigma_qk**4), second)
    logit = entry(claims.B)

    def ends(place: Any) -> tuple[Theorem, Theorem]:
        """e^-eps <= e^B <= e^eps."""
        known = at_places(bounded, i, place)
        above = cut(fact(EXP_INCREASES, a=logit(i, place), b=most), known)
        return above, cut(fact(EXP_INCREASES, a=-most, b=logit(i, place)), known)

    row = Row(lambda place: logit(i, place))
    above, below = (sums_compared(lambda n: ends(n)[0], T), sums_compared(lambda n: ends(n)[1], T))
    high = linked(Compare(row.total, "<=", T * exp(most)), above)
    low = linked(Compare(row.total, ">=", T * exp(-most)), below)
    over = ((i, 1, T), (j, 1, T))
    read = unfold(claims.of_logits(i, j), row.weight, domain, over)
    product = joint(
        Compare(claims.of_logits(i, j) * row.total, "=", exp(logit(i, j))), read, row.positive
    )
    w, e, total, u, v = symbols("w e S u v", real=True)
    given = (
        Compare(w * total, "=", e), Compare(e, "<=", v), Compare(e, ">=", u),
        Compare(total, "<=", T * v), Compare(total, ">=", T * u), Compare(u * v, "=", 1),
        Compare(u, ">", 0), Compare(v, ">", 0), Compare(total, ">", 0),
    )  # fmt: skip
    terms = {
        w: claims.of_logits(i, j), e: exp(logit(i, j)), total: row.total, u: exp(-most), v: exp(most)
    }  # fmt: skip
    known = (product, *ends(j), high, low, row.positive)
    small = algebra(Compare(w * T * u, "<=", v), given, terms, *known)
    large = algebra(Compare(w * T * v, ">=", u), given, terms, *known)
    signs = joint(Compare(exp(most), ">", 0)), joint(Compare(exp(-most), ">", 0))
    bounds = joint(
        Compare(claims.of_logits(i, j), "<=", exp(2 * most) / T)
        & Compare(claims.of_logits(i, j), ">=", exp(-2 * most) / T),
        *(solved(w, u, v, terms, found, *signs) for found in (small, large)),
    )
    theorem = both(value, for_all(bounds, (i, T), (j, T)))
    return conclude(claim, theorem, method="monotone exponentials")


def solved(w: Any, u: Any, v: Any, terms: Any, *known: Theorem) -> Theorem:
    """w <= v^2/T from w T u <= v, and w >= u^2/T from w T v >= u, where u v = 1."""
    upper = known[0].formula.sign == "<="
    first = Compare(w * T * u, "<=", v) if upper else Compare(w * T * v, ">=", u)
    given = (first, Compare(u * v, "=", 1), Compare(u, ">", 0), Compare(v, ">", 0))
    goal = Compare(w, "<=", v**2 / T) if upper else Compare(w, ">=", u**2 / T)
    return algebra(goal, given, terms, *known)


@proves(claims.isotropic_inputs_need_enough_features)
def by_the_trace_of_the_other_gram_matrix(claim: Claim) -> Certificate:
    """tr (XX^T)^2 = tr (X^TX)^2 is at least the squares on its diagonal, of which there are d."""
    domain, x = claims.isotropic_inputs_need_enough_features.domain, entry(X0)
    gram = Sum(x(i, l) * x(j, l), (l, 1, d))
    feature = lambda one, other: Sum(x(j, one) * x(j, other), (j, 1, T))  # noqa: E731
    squares, trace = (
        Sum(Sum(gram**2, (j, 1, T)), (i, 1, T)),
        Sum(Sum(x(i, l) ** 2, (l, 1, d)), (i, 1, T)),
    )
    read = unfold(claims.isometry_gap, squares - 2 * trace + T, domain)
    moved = Sum(x(i, k) * Sum(x(i, l) * feature(k, l), (l, 1, d)), (k, 1, d))

    def row(a: Any) -> Theorem:
        """sum_j G_aj^2 = sum_k X_ak sum_l X_al H_kl."""
        at_row = {i: a}
        first = fact(FUBINI, a=put(x(i, k) * x(j, k) * gram, at_row), j=j, k=k, rows=T, columns=d)
        second = weighed(
            lambda n: x(a, n),
            lambda n: fact(FUBINI, a=x(j, n) * x(a, l) * x(j, l), j=j, k=l, rows=T, columns=d),
            d,
        )  # fmt: skip
        goal = Compare(put(Sum(gram**2, (j, 1, T)), at_row), "=", put(moved, at_row))
        return linked(goal, first, second)

    rows = sums_compared(row, T)
    term = x(i, k) * Sum(x(i, l) * feature(k, l), (l, 1, d))
    outer = fact(FUBINI, a=term, j=i, k=k, rows=T, columns=d)
    inner = sums_compared(
        lambda n: fact(FUBINI, a=x(i, n) * x(i, l) * feature(n, l), j=i, k=l, rows=T, columns=d), d
    )
    whole = Sum(Sum(feature(k, l) ** 2, (l, 1, d)), (k, 1, d))
    turned = linked(Compare(squares, "=", whole), rows, outer, inner)
    own = fact(FUBINI, a=x(i, l) ** 2, j=i, k=l, rows=T, columns=d)

    def diagonal(n: Any) -> Theorem:
        """sum_l H_nl^2 >= H_nn^2 >= 2 H_nn - 1."""
        signs = generalise(joint(Compare(feature(n, l) ** 2, ">=", 0)), l, 1, d)
        goal = Compare(Sum(feature(n, l) ** 2, (l, 1, d)), ">=", 2 * feature(n, n) - 1)
        return joint(goal, sum_at_least_term(signs, n))

    below = sums_compared(diagonal, d)
    theorem = linked(claims.isometry_gap.at_least(T - d), read, turned, own, below)
    return conclude(claim, theorem, method="traces of both Gram matrices")


@proves(claims.value_gradients_of_degenerate_attention_vanish)
def by_the_product_rule(claim: Claim) -> Certificate:
    """dX_1/dW^V is the mean token in every row, for every feature."""
    norm = frobenius_square(jacobian(ones(T, T) * X0 * WV / T, WV)).scalar()
    return decide(claim, norm, method="product rule on index networks")


@proves(claims.attention_has_full_rank)
def by_analyticity(claim: Claim) -> Certificate:
    """det A is det e^M over the row sums, and analytic in the weights; one instance does not vanish."""
    method = (
        "the determinant of $(e^{M_{ij}})$ is a real-analytic function of queries and keys, so that it "
        "vanishes on a null set or everywhere; for $q_i=x_ie_1$ and $k_j=j\\,e_1$ it is the Vandermonde "
        "determinant of $(z_i^j)$, $z_i=e^{x_i/\\sqrt{d_{qk}}}$, not zero for distinct $x_i$; orthonormal "
        "tokens give queries and keys a density"
    )
    return argued(claim, steps=(), method=method)
