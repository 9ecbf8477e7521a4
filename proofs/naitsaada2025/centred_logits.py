"""The fourth moment of centred logits by Gaussian integration by parts, and its limits."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, MatrixSymbol, Symbol, Trace, oo

from claims.model import Claim
from claims.naitsaada2025 import centred_logits as claims
from claims.naitsaada2025.centred_logits import fourth, tokens, width
from claims.naitsaada2025.notation import T, d_qk, sigma_qk
from claims.statement import Compare
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import Theorem, both, generalise, identity, joint, limit, limit_rewritten, unfold
from proofs.registry import proves

DOMAIN = claims.centred_logits_in_every_regime_of_their_width.domain


@cache
def mean() -> Expr:
    """E tr (Q K^T K Q^T)^2 / d_qk^2 for centred keys, whose columns have the covariance I - phi phi^T."""
    q, k = MatrixSymbol("Q", T, d_qk), MatrixSymbol("K", T, d_qk)
    logits = q * k.T
    laws = [Gaussian(q, sigma_qk**2), Gaussian(k, sigma_qk**2, row_covariance=(1, 0))]
    return expectation(Trace(logits * logits.T * logits * logits.T), laws) / d_qk**2


def value(size: Any, features: Any) -> Expr:
    """At so many tokens and columns."""
    free = Symbol("T", positive=True), Symbol("n", positive=True)
    return mean().xreplace(dict(zip((T, d_qk), free, strict=True))).xreplace(
        dict(zip(free, (size, features), strict=True))
    )  # fmt: skip


def _read(size: Any, features: Any, over: tuple[Any, Any, Any]) -> Theorem:
    return unfold(fourth(size, features), value(size, features), DOMAIN, (over,))


def _tends(size: Any, features: Any, index: Any, scale: Any, low: int) -> Theorem:
    """The limit over a scale, from the value at every size."""
    read = _read(size, features, (index, low, oo))
    scaled = Compare(fourth(size, features) / scale, "=", value(size, features) / scale)
    every = generalise(joint(scaled, read), index, low, oo)
    return limit_rewritten(limit(value(size, features) / scale, index), every)


@proves(claims.centred_logits_in_every_regime_of_their_width)
def by_two_gaussian_factors(claim: Claim) -> Certificate:
    """Keys lose one dimension of T; then both factors are Gaussian."""
    exact = _read(tokens, d_qk, (tokens, 2, oo))
    goal = (tokens * claims.PER_TOKEN).xreplace({T: tokens})
    same = identity(value(tokens, d_qk), goal)
    first = generalise(joint(Compare(fourth(tokens, d_qk), "=", goal), exact, same), tokens, 2, oo)
    limits = (
        _tends(tokens, d_qk, tokens, tokens**4, 1),
        _tends(tokens, tokens * d_qk, tokens, tokens**3, 1),
        _tends(T, width, width, 1, 1),
    )
    return conclude(claim, both(first, *limits), method="Gaussian integration by parts")
