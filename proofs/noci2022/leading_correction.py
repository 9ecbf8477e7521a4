r"""The leading correction to uniform attention: the softmax to second order, then Wick averages.

A softmax average is a quotient of two token means, <e^{tau m} X>/<e^{tau m}>, so its expansion is an
identity in the five means <X>, <mX>, <m^2 X>, <m>, <m^2>, whatever the number of tokens.  First order
gives <(m - <m>)(X - xbar)>, second order <(m - <m>)^2 (X - xbar)>/2; the weights are averaged after.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Dummy, Expr, MatrixSymbol, Trace, cancel, series, sqrt, symbols

from claims.expressions import FrobSq
from claims.model import Claim
from claims.noci2022 import leading_correction as claims
from claims.noci2022.notation import (
    WK,
    WQ,
    WV,
    X,
    centre,
    d_k,
    d_v,
    n,
    normX,
    sigma_k,
    sigma_q,
    sigma_v,
)
from proofs.calculus.wick import Gaussian, expectation, trace_normal_form
from proofs.certificate import Certificate, Checked
from proofs.decide import decide, same
from proofs.registry import proves

_x, _y = MatrixSymbol("x", d_v, 1), MatrixSymbol("y", d_v, 1)
_LAWS = [Gaussian(WQ, sigma_q**2), Gaussian(WK, sigma_k**2), Gaussian(WV, sigma_v**2)]


def expansion_holds() -> bool:
    """Orders one and two of a softmax average are the centred means named above."""
    tau, x0, x1, x2, m1, m2 = symbols("tau x_0 x_1 x_2 m_1 m_2")
    average = (x0 + tau * x1 + tau**2 * x2 / 2) / (1 + tau * m1 + tau**2 * m2 / 2)
    expanded = series(average, tau, 0, 3).removeO()
    first = x1 - m1 * x0
    # <(m - <m>)^2 (X - xbar)>, multiplied out
    second = x2 - 2 * m1 * x1 + m1**2 * x0 - x0 * (m2 - m1**2)
    return (expanded.coeff(tau, 1) - first).expand() == 0 and (
        expanded.coeff(tau, 2) - second / 2
    ).expand() == 0


@cache
def averages() -> tuple[Expr, Expr]:
    """E||M L X W^V||_F^2/n^2, and E (x^T W^Q W^K^T y)^2/d_k for a token x and a centred token y."""
    first_order = X * WQ * WK.T * X.T * centre * X * WV / (n * sqrt(d_k))
    logit = Trace(_x.T * WQ * WK.T * _y) / sqrt(d_k)
    return expectation(FrobSq(first_order), _LAWS), expectation(logit**2, _LAWS)


def multiple(expression: Expr, of: Expr) -> Expr:
    """The factor c of c times `of`, both in normal form of trace words."""
    return cancel(expression / trace_normal_form(of))


def value() -> Expr:
    """First order squared, and twice the product of orders zero and two summed over the tokens.

    The latter is 2 sum_i <xbar W^V, sum_j E m~_ij^2 (X_j - xbar) W^V> / (2n): the second moment of a
    logit and E<v W^V, w W^V> leave sum_i |X_i|^2 times the cubic sum.
    """
    quadratic, squared_logit = averages()
    of_logits = multiple(squared_logit, FrobSq(_x) * FrobSq(_y))
    product = Trace(_x.T * WV * WV.T * _y)
    of_values = multiple(expectation(product, _LAWS), Trace(_x.T * _y))
    return quadratic + of_logits * of_values * normX * claims.CUBIC / n


def second_moment_holds() -> bool:
    """E (x^T W^Q W^K^T y)^2/d_k = sigma_q^2 sigma_k^2 |x|^2 |y|^2."""
    return same(averages()[1], sigma_q**2 * sigma_k**2 * FrobSq(_x) * FrobSq(_y))


def same_with_cubic(left: Any, right: Any) -> bool:
    """Equality with the cubic sum, which is no trace of a word, as an independent scalar."""
    cubic = Dummy("cubic")
    parts = [side.xreplace({claims.CUBIC: cubic}) for side in (left, right)]
    coefficients = [(p.expand().coeff(cubic, 0), p.expand().coeff(cubic, 1)) for p in parts]
    return all(same(a, b) for a, b in zip(*coefficients, strict=True))


@proves(claims.leading_correction_to_uniform_attention)
def by_series_of_the_softmax(claim: Claim) -> Certificate:
    """Terms of odd order in tau vanish, since W^Q and -W^Q have one law."""
    steps = (
        Checked(
            r"\frac{\langle e^{\tau m}X\rangle}{\langle e^{\tau m}\rangle}=\bar x+\tau\langle\tilde m"
            r"\tilde X\rangle+\tfrac{\tau^2}2\langle\tilde m^2\tilde X\rangle+O(\tau^3)",
            "power series in symbols for the five token means",
            expansion_holds,
        ),
        Checked(
            r"\mathbb E\left(x^\top W^QW^{K\top}y\right)^2/d_k=\sigma_q^2\sigma_k^2\|x\|^2\|y\|^2",
            "Gaussian integration by parts",
            second_moment_holds,
        ),
    )
    return decide(
        claim,
        value(),
        steps=steps,
        same=same_with_cubic,
        method="by the series of the softmax and Gaussian integration by parts",
    )


@proves(claims.leading_distance_from_uniform_attention)
def by_first_order_of_the_softmax(claim: Claim) -> Certificate:
    """A softmax moves from 11^T/n by M L/n to first order, so that its distance is ||M L||/n."""
    logits = X * WQ * WK.T * X.T / sqrt(d_k)
    value = expectation(FrobSq(logits * centre / n), _LAWS)
    return decide(claim, value, method="first order of the softmax, Gaussian integration by parts")
