"""Proof about feed-forward layers of width gamma d_v."""

from __future__ import annotations

from functools import cache

from sympy import Expr, MatrixSymbol, Symbol, Trace, simplify

from claims.expressions import FrobSq
from claims.model import Claim
from claims.noci2022 import wide_feed_forward as claims
from claims.noci2022.notation import WV, C, alpha1, alpha2, d_v, depth
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate
from proofs.decide import decide
from proofs.registry import proves


@cache
def wide_growth() -> Expr:
    """The factor by which one block multiplies E C, feed-forward width gamma d_v, symbolic sizes.

    C(X) = ||s||^2 for the sum s of the tokens, and a block maps the row s to
    s + alpha_1 s W^V and then z to z + alpha_2 z W^F1 W^F2.
    """
    gamma, s = claims.gamma, MatrixSymbol("s", 1, d_v)
    w1, w2 = MatrixSymbol("W^{F_1}", d_v, gamma * d_v), MatrixSymbol("W^{F_2}", gamma * d_v, d_v)
    scales = ((WV, 1), (w1, claims.first), (w2, claims.second))
    laws = [Gaussian(w, scale / d_v) for w, scale in scales]
    after_attention = expectation(FrobSq(s + alpha1 * s * WV), laws)
    after_feed_forward = expectation(FrobSq(s + alpha2 * s * w1 * w2), laws)
    norm = Trace(s * s.T)
    return _ratio(after_attention, norm) * _ratio(after_feed_forward, norm)


def _ratio(expression: Expr, norm: Expr) -> Expr:
    """The coefficient of ||s||^2 in a multiple of it."""
    scalar = Symbol("c", positive=True)
    found = set(expression.atoms(Trace))
    assert len(found) == 1, f"{expression} is no multiple of {norm}"
    return simplify(expression.subs(found.pop(), scalar) / scalar)


@proves(claims.wide_feed_forward_multiplies_a_strength)
def by_growth_of_one_block(claim: Claim) -> Certificate:
    """One block multiplies E C by a constant, and independent blocks multiply."""
    growth = wide_growth()
    method = "Gaussian integration by parts for one block; induction in the depth"
    return decide(claim, growth**depth * C(), method=method)
