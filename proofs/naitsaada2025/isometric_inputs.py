r"""Proofs about orthonormal tokens: Gram matrices of rows and of columns share their spectrum but for zeros."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Identity, KroneckerDelta, Sum, Symbol

from claims.expressions import FrobSq
from claims.model import Claim
from claims.naitsaada2025 import isometric_inputs as claims
from claims.naitsaada2025.isometric_inputs import X0
from claims.naitsaada2025.notation import T, d
from claims.statement import Compare
from claims.terms import entry
from proofs.calculation import linked, sums_compared
from proofs.calculus.wick import trace_normal_form
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import both, derived, joint
from proofs.registry import proves

i, a, b = (Symbol(name, integer=True) for name in "iab")


@proves(claims.as_many_tokens_as_features_are_not_orthonormal)
def by_the_gram_matrix_of_the_columns(claim: Claim) -> Certificate:
    r"""$\|X_0X_0^\top-I_T\|_F^2=\|X_0^\top X_0-I_d\|_F^2+T-d$, and squares are not negative."""
    domain = claims.more_tokens_than_features_are_not_orthonormal.domain
    rows, columns = FrobSq(X0 * X0.T - Identity(T)), FrobSq(X0.T * X0 - Identity(d))
    if trace_normal_form(rows) != trace_normal_form(columns + T - d):
        raise ArithmeticError("the two Gram matrices do not differ by T - d")
    x = entry(X0)

    def off(p: Any, q: Any) -> Expr:
        """(X_0^T X_0 - I)_pq."""
        return Sum(x(i, p) * x(i, q), (i, 1, T)) - KroneckerDelta(p, q)

    squares = sums_compared(
        lambda p: sums_compared(lambda q: joint(Compare(0, "<=", off(p, q) ** 2)), d), d
    )
    value = Sum(Sum(off(a, b) ** 2, (b, 1, d)), (a, 1, d)) + T - d
    found = derived(claims.distance, value, domain, "traces of Gram matrices")
    least = linked(Compare(claims.distance, ">=", T - d), found, squares)
    positive = joint(Compare(claims.distance, ">", 0), least, given=(Compare(T, ">", d),))
    return conclude(claim, both(least, positive), method="traces of Gram matrices")
