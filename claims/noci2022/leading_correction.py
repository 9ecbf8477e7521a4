r"""How far uniform attention carries (App. B.2): the leading correction to the norm of one layer.

With logits tau M the softmax is 11^T/n at tau = 0, the uniform attention of Assumption 3.1; tau^2
times the logits' variance measures the distance from it.  The paper states no correction: this is
what its sentence on small inputs amounts to, one layer at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from sympy import Expr, Integer, sqrt
from sympy.matrices.expressions import HadamardProduct, Identity

from claims.domain import Point
from claims.expressions import FrobSq, Total
from claims.model import Claim, Hypothesis, Relation, variants
from claims.noci2022.notation import (
    X,
    centre,
    d_k,
    d_v,
    n,
    norm_scatter,
    norm_xbar,
    normX,
    sigma_k,
    sigma_q,
    sigma_v,
    source,
    xbar,
)
from claims.noci2022.setup import FIXED_TOKENS, ZERO_MEAN_WEIGHTS, random_layer

Series = Sequence[Any]


def quotient(top: Series, bottom: Series) -> list[Any]:
    """Coefficients of a quotient of two power series, to the order of the shorter."""
    result: list[Any] = []
    for order in range(min(len(top), len(bottom))):
        known = sum((result[k] * bottom[order - k] for k in range(order)), start=Integer(0))
        result.append((top[order] - known) / bottom[0])
    return result


def second_order(logits: Series, tokens: Any) -> Expr:
    """The coefficient of tau^2 in ||softmax(tau m)^T X||^2, from the series of the exponential."""
    powers = [[Integer(1), m, m**2 / 2] for m in logits]
    total = [sum((p[k] for p in powers), start=Integer(0)) for k in range(3)]
    coefficient = Integer(0)
    for j in range(tokens.cols):
        column = list(tokens.col(j))
        top = [
            sum((p[k] * x for p, x in zip(powers, column, strict=True)), start=Integer(0))
            for k in range(3)
        ]
        value = quotient(top, total)
        coefficient += value[1] ** 2 + 2 * value[0] * value[2]
    return coefficient


def _over_logits(point: Point, of_row: Callable[[list[Any]], Expr]) -> Expr:
    """E of a quadratic function of the rows of logits, summed over rows, at unit variances.

    The logits are linear in W^Q and in W^K: the mean is the sum over pairs of unit directions, of
    which only those in one column of d_k count.
    """
    x, keys = point[X], int(point[d_k])
    total = Integer(0)
    for a, c in product(range(x.cols), repeat=2):
        for i in range(x.rows):
            total += keys * of_row([x[i, a] * x[j, c] / sqrt(Integer(keys)) for j in range(x.rows)])
    return total


def correction(point: Point) -> Expr:
    """Half the second derivative of E||S_tau||_F^2 at tau = 0."""
    total = _over_logits(point, lambda logits: second_order(logits, point[X]))
    over_values = int(point[d_v]) * point[sigma_v] ** 2  # E||Y W^V||^2 = d_v sigma_v^2 ||Y||^2
    return point[sigma_q] ** 2 * point[sigma_k] ** 2 * over_values * total


def squared_distance(point: Point) -> Expr:
    """Half the second derivative of E||softmax(tau M) - 11^T/n||_F^2 at tau = 0.

    Its coefficient is the squared norm of the first order of every softmax row.
    """

    def of_row(logits: list[Any]) -> Expr:
        exponentials = [[Integer(1), m] for m in logits]
        total = [sum((e[k] for e in exponentials), start=Integer(0)) for k in range(2)]
        return sum((quotient(e, total)[1] ** 2 for e in exponentials), start=Integer(0))

    return point[sigma_q] ** 2 * point[sigma_k] ** 2 * _over_logits(point, of_row)


_centred = centre * X
CUBIC = Total(HadamardProduct(_centred * _centred.T, Identity(n)) * _centred * xbar)
"""sum_j |X_j - xbar|^2 <X_j - xbar, xbar>, which averages to zero over symmetric tokens."""
_scale = d_v * sigma_v**2 * sigma_q**2 * sigma_k**2 * normX
_value = _scale * (norm_scatter / n**2 + CUBIC / n)
_lhs = (
    r"\tfrac12\left.\frac{\mathrm d^2}{\mathrm d\tau^2}\right|_{\tau=0}\mathbb E\left\|"
    r"\mathrm{softmax}\left(\tau\tfrac{XW^QW^{K\top}X^\top}{\sqrt{d_k}}\right)XW^V\right\|_F^2"
)

_distance = (
    r"\tfrac12\left.\frac{\mathrm d^2}{\mathrm d\tau^2}\right|_{\tau=0}\mathbb E\left\|"
    r"\mathrm{softmax}\left(\tau\tfrac{XW^QW^{K\top}X^\top}{\sqrt{d_k}}\right)-\tfrac1n1_{n\times n}"
    r"\right\|_F^2"
)
_spread = sigma_q**2 * sigma_k**2 * normX * FrobSq(_centred) / n**2

leading_distance_from_uniform_attention = Claim(
    id="noci2022.beyond.distance-from-uniform",
    source=source("App. A.5", "Fig. 7"),
    kind="expectation",
    title="To leading order the squared distance of attention from uniform is this multiple of the spread.",
    statement=Relation(_distance, (_spread,)),
    domain=random_layer,
    define=squared_distance,
    hypotheses=(ZERO_MEAN_WEIGHTS, FIXED_TOKENS),
    mutants=variants(
        ("1/n for 1/n^2", _spread * n),
        ("tokens not centred", sigma_q**2 * sigma_k**2 * normX**2 / n**2),
        ("d_k kept", _spread / d_k),
        ("the scatter norm", sigma_q**2 * sigma_k**2 * norm_scatter / n**2),
        lhs=_distance,
    ),
    note=(
        r"A statement of ours. With the Glorot variance $\sigma_k^2=2/(d_v+d_k)$ of App. A.5 it is "
        r"$\tfrac4{n^2(d_v+d_k)^2}\|X\|_F^2\|LX\|_F^2$: the constant behind the inverse square of Fig. 7, "
        r"$d_k^2\,\mathbb E\|A-\tfrac1n1_{n\times n}\|_F^2\to\tfrac4{n^2}\|X\|_F^2\|LX\|_F^2$."
    ),
)

leading_correction_to_uniform_attention = Claim(
    id="noci2022.beyond.leading-correction",
    source=source("App. B.2", "first paragraph"),
    kind="expectation",
    title="True attention changes the mean output norm at second order in the logits, by this much.",
    statement=Relation(_lhs, (_value,)),
    domain=random_layer,
    define=correction,
    hypotheses=(
        ZERO_MEAN_WEIGHTS,
        FIXED_TOKENS,
        Hypothesis(r"\text{true softmax; } \tau=1 \text{ is the paper's layer}"),
    ),
    mutants=variants(
        ("first order of attention only", _scale * norm_scatter / n**2),
        ("1/n for 1/n^2", _scale * (norm_scatter / n + CUBIC / n)),
        ("the cubic term reversed", _scale * (norm_scatter / n**2 - CUBIC / n)),
        ("half of it", _value / 2),
        ("d_k for d_v", _value * d_k / d_v),
        ("uniform attention is exact", Integer(0) * norm_xbar),
        lhs=_lhs,
    ),
    note=(
        "A statement of ours. Relative to the norm under uniform attention, "
        r"$d_v\sigma_v^2n\|\bar x\|^2$, and for uncorrelated Gaussian tokens and Xavier weights it "
        r"is about $\sigma_x^4(n+d)/d$: negligible for std $1/\sqrt d$, large for std $1$, and no "
        "longer small for either after layers that multiply the norm. It may have either sign: "
        "tokens $0,4,4,4$ at unit variances give $-432$."
    ),
)
