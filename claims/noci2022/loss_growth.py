r"""App. A.1.3, after the second display: is the mean of the later factors bounded?

G is the mean of F given the tokens; F holds the squared gradient of the loss.  The last block is
taken, with alpha_2 = 0, so that F depends on W^V alone.
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, exp, sqrt

from claims.definitions import expectation, frobenius_square
from claims.domain import Array, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Relation
from claims.noci2022.blocks import mean_token
from claims.noci2022.chain import LATER_FACTORS, later_factors_average_out_given_the_tokens
from claims.noci2022.notation import X, alpha1, d_k, d_v, n, norm_xbar, normX, source
from claims.noci2022.setup import UNIFORM, symbolic_layer
from claims.statement import Quantity

strength_of_loss = Symbol("s", real=True, nonnegative=True)
value_of_token = Symbol("x", real=True)


def _inverse_of_mean(point: Point) -> Expr:
    """1/(1 + E F) for L(Z) = exp(s Z_11^2), d_v = 1 and tokens that are all x; zero where E F diverges.

    F = n (2 s Z exp(s Z^2))^2 with Z = x (1 + alpha_1 w), w standard normal.  Completing the square,
    E[Z^2 exp(c Z^2)] = exp(c x^2/k) (x^2/k^2 + t^2/k)/sqrt(k), t = alpha_1 x and k = 1 - 2 c t^2 > 0.
    """
    c, mean = 2 * point[strength_of_loss], point[value_of_token]
    spread = (point[alpha1] * mean) ** 2
    k = 1 - 2 * c * spread
    if c == 0 or mean == 0:
        return Integer(1)
    if k <= 0:
        return Integer(0)
    moment = exp(c * mean**2 / k) * (mean**2 / k**2 + spread / k) / sqrt(k)
    return 1 / (1 + point[n] * c**2 * moment)


inverse_of_mean = Quantity(r"\bigl(1+G(X^\ell)\bigr)^{-1}", _inverse_of_mean)
"""Positive exactly where G is finite."""


def mean_of_later_factors(point: Point) -> Expr:
    """E F for one block with alpha_2 = 0 and L = (<X, Z> - ||X||^2)^2 / 2, weights of variance 1/d_v."""
    x, width = point[X], int(point[d_v])
    values = symbolic_layer({**point, d_k: Integer(1)}).wv
    residual = sum(x.multiply_elementwise(point[alpha1] * mean_token(x) * values))
    later = frobenius_square(residual * x) * len(x)
    return expectation(later, dict.fromkeys(values, Rational(1, width)))


_G = r"G(X^\ell)"
_ONE_LAST_BLOCK = Hypothesis(r"\text{the last block},\ \alpha_2=0;\ W^V\ \text{of variance}\ 1/d_v")
mean_of_later_factors_is_a_power_of_the_norm = Claim(
    id="noci2022.A.1.3.bounded.repair",
    parent="noci2022.A.1.3.bounded",
    source=source("App. A.1.3", "after the second display"),
    kind="expectation",
    title=(
        "An example of a loss with a polynomial gradient: the mean of the later factors is finite, a sixth "
        "power of the tokens."
    ),
    statement=Relation(_G, (n**3 * alpha1**2 * norm_xbar**2 * normX,)),
    domain=Domain((Size(n, 2, 3), Size(d_v, 1, 2), Array(X, height=2), Real(alpha1))),
    define=mean_of_later_factors,
    hypotheses=(
        UNIFORM,
        LATER_FACTORS,
        _ONE_LAST_BLOCK,
        Hypothesis(r"\mathcal L=\tfrac12(\langle X,Z\rangle-\|X\|_F^2)^2"),
    ),
    note=(
        "One loss of those whose gradient grows no faster than a power, the missing hypothesis: for all of "
        "them the mean is finite at each $X^\\ell$, as moments of Gaussian weights are, and Theorem 3.2 needs "
        "no more. But a bounded function of $X^\\ell$, which the text goes on to call it, it is not."
    ),
)

mean_of_later_factors_is_bounded = Claim(
    id="noci2022.A.1.3.bounded",
    source=source("App. A.1.3", "after the second display"),
    kind="prose",
    title="The mean of the later factors is said to stay bounded, for any differentiable loss.",
    statement=inverse_of_mean.above(0),
    domain=Domain(
        (Size(n, 2, 3), Real(value_of_token), Real(alpha1), Real(strength_of_loss, low=0))
    ),
    hypotheses=(
        UNIFORM,
        LATER_FACTORS,
        _ONE_LAST_BLOCK,
        Hypothesis(
            r"X^\ell=1_n x,\ d_v=1,\ W^V\ \text{Gaussian},\ \mathcal L(Z)=e^{sZ_{11}^2},\ s\ge0"
        ),
    ),
    uses=(later_factors_average_out_given_the_tokens,),
    probes=({n: 2, value_of_token: 1, alpha1: 1, strength_of_loss: 1},),
    severity="missing-hypothesis",
    repair=mean_of_later_factors_is_a_power_of_the_norm,
    printed=r"G(\mathbf{X}^\ell) \text{ stays bounded under our hypothesis}",
    note=(
        "The text says that $G(X^\\ell)$ stays bounded, since what is averaged is a finite linear "
        "combination of Gaussian products. That holds for losses with a polynomial gradient; Theorem 3.2 "
        "is stated for every differentiable loss, and for this one the mean is infinite even at "
        "collapsed tokens. The theorem stands: there the gradient is zero for all weights."
    ),
)
