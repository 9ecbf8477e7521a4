"""Second moments of products of i.i.d. Markov matrices, one factor at a time."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, MatrixSymbol, Sum, Trace

from claims.naitsaada2025.notation import T, p
from claims.naitsaada2025.products import a, ratio
from claims.statement import Compare
from proofs.calculation import place
from proofs.calculus.wick import Gaussian, expectation
from proofs.kernel import Theorem, cut, generalise, joint, sum_at_least_term

METHOD = "second moments, one independent factor at a time"
k = place()


@cache
def shrinking() -> Expr:
    r"""$\mathbb E\|x^\top A^\perp\|^2/\|x\|^2$: independent rows of covariance $c(I-\varphi\varphi^\top)$.

    The factor enters by second moments alone, which are those of a Gaussian matrix.
    """
    factor = MatrixSymbol("A^perp", T, T)
    law = Gaussian(factor, 1 / (T * (a * T + 1)), column_covariance=(1, 0))
    return expectation(Trace(factor.T * factor), [law]) / T


def terms(last: Any) -> Expr:
    r"""$\sum_{k=1}^{last}r^k$: $\varphi^\top A_k^\perp\cdots A_1^\perp$ are uncorrelated for different k."""
    return Sum(shrinking() ** k, (k, 1, last))


TWO = [Compare(T, ">=", 2), Compare(p, ">=", 2), Compare(a, ">=", 1)]


def in_range() -> list[Theorem]:
    """0 < r, r <= 1/(aT), r <= 1."""
    positive = joint(Compare(ratio, ">", 0), given=TWO)
    small = joint(Compare(ratio, "<=", 1 / (a * T)), given=TWO)
    return [positive, small, joint(Compare(ratio, "<=", 1), given=TWO)]


@cache
def at_least_the_first() -> Theorem:
    """A sum of powers of r from the first to the p-th is at least r."""
    signs = generalise(joint(Compare(0, "<=", ratio**k), in_range()[0]), k, 1, p)
    return cut(sum_at_least_term(signs, 1), joint(Compare(1, "<=", p), given=TWO), in_range()[0])
