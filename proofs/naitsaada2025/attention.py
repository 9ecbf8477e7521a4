"""Softmax attention: shapes by the index calculus, moments of logits by Gaussian integration by parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Integer, KroneckerDelta, MatrixSymbol, Sum, Symbol, exp, sqrt

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import attention as claims
from claims.naitsaada2025.attention import WK, WQ, WV, X0, K, Q, i, j, k
from claims.naitsaada2025.notation import T, d, d_qk, sigma_qk
from claims.statement import Compare
from claims.terms import entry
from proofs.calculation import linked
from proofs.calculus.networks import network
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    derived,
    generalise,
    joint,
    sum_at_least_term,
    unfold,
)
from proofs.naitsaada2025.markov import shares
from proofs.registry import proves

A = MatrixSymbol("A", T, T)
SHAPES = r"all $d\ge T\ge1$, $d_{qk}\ge1$"
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


@proves(claims.attention_matrix_without_a_transpose)
def by_shapes_of_the_factors(claim: Claim) -> Certificate:
    """Columns of X_0 W^Q meet rows of W^K^T; entries of a softmax row share their own sum."""
    domain = claims.layer
    met = joint(
        claims.query_columns.equals(claims.transposed_key_rows),
        size(claims.query_columns, X0 * WQ, 1, domain),
        size(claims.transposed_key_rows, WK.T, 0, domain),
    )  # fmt: skip
    logits = X0 * WQ * WK.T * X0.T
    rows = size(claims.attention_rows, logits, 0, domain)
    columns = size(claims.attention_columns, logits, 1, domain)
    theorem = both(met, rows, columns, row_stochastic(domain))
    return conclude(claim, theorem, method=f"{INDEX}; common denominator of a row", scope=SHAPES)


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
    return conclude(claim, theorem, method=INDEX, scope=SHAPES)


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
    theorem = generalise(generalise(same, j, 1, T), i, 1, T)
    scope = r"all $T\ge1$, $d_{qk}\ge1$, all queries, every law of exchangeable keys"
    return conclude(claim, theorem, method="exchangeable keys", scope=scope)
