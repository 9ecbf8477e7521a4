r"""What one random layer does to the correlation of two tokens: linear activation against ReLU.

Covered: the ReLU paragraph at the end of Sec. 3.2.  Tokens X_k, X_k' are fixed and not zero; the
layer is X W with i.i.d. Gaussian entries (for the linear statement any zero-mean law would do).  A
correlation is the ratio of expectations in Eq. (5).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Rational,
    Sum,
    Symbol,
    acos,
    cos,
    integrate,
    pi,
    sqrt,
)

from claims.domain import Array, Condition, Domain, Point, Real, Size
from claims.expressions import FrobSq, Total
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.noci2022.forward import linear_layer_preserves_second_moments
from claims.noci2022.notation import d_v, sigma_v, source
from claims.statement import Compare
from claims.terms import entry

x, y = MatrixSymbol("X_k", 1, d_v), MatrixSymbol("X_{k'}", 1, d_v)
cosine = Total(x * y.T, r"\langle X_k,X_{k'}\rangle") / sqrt(FrobSq(x) * FrobSq(y))

_place = Symbol("k", integer=True)


def square_of(token: MatrixSymbol) -> Expr:
    """The squared norm, summed over features."""
    return Sum(entry(token)(1, _place) ** 2, (_place, 1, d_v))


NONZERO_PAIR = Condition(
    r"X_k,X_{k'}\ne0", lambda p: not p[x].is_zero_matrix and not p[y].is_zero_matrix,
    Compare(square_of(x), ">", 0) & Compare(square_of(y), ">", 0),
)  # fmt: skip
GAUSSIAN = Hypothesis(r"W\ \text{with i.i.d. entries } N(0,\sigma^2)")
_pair = (Size(d_v, 1, 3), Array(x), Array(y))


def correlation_after_linear_layer(point: Point) -> Expr:
    """E<D_k, D_k'> / sqrt(E||D_k||^2 E||D_k'||^2) for D = X W, weights of variance sigma_v^2."""

    def moment(a: Any, b: Any) -> Expr:
        places = range(a.cols)
        terms = (a[z] * b[t] * int(z == t) for z in places for t in places)
        return a.cols * point[sigma_v] ** 2 * sum(terms, start=Integer(0))

    a, b = point[x], point[y]
    return moment(a, b) / sqrt(moment(a, a) * moment(b, b))


_rho = r"\rho_{kk'}(XW)"
linear_layer_preserves_correlation = Claim(
    id="noci2022.sec3.2.linear-preserves-correlation",
    source=source("Sec. 3.2", "ReLU paragraph"),
    kind="prose",
    title="A random linear layer leaves the correlation of two tokens as it is.",
    statement=Relation(_rho, (cosine,)),
    domain=Domain((*_pair, Real(sigma_v, low=0, open_low=True)), (NONZERO_PAIR,)),
    define=correlation_after_linear_layer,
    hypotheses=(Hypothesis(r"W\ \text{i.i.d. zero-mean entries of variance } \sigma_v^2"),),
    uses=(linear_layer_preserves_second_moments,),
    mutants=variants(
        ("squared", cosine**2),
        ("without its sign", sqrt(cosine**2)),
        ("scaled by the weights' variance", sigma_v**2 * cosine),
        ("not normalised", Total(x * y.T)),
        lhs=_rho,
    ),
)


@cache
def rectified_moment() -> tuple[Symbol, Expr]:
    """E[relu(u) relu(v)] for standard normal u, v at angle t, integrated in polar coordinates.

    (u, v) = r (cos f, cos(f - t)) with E r^2 = 2 and f uniform; both are positive between t - pi/2
    and pi/2.
    """
    t, f = Symbol("t", real=True), Symbol("f", real=True)
    return t, integrate(cos(f) * cos(f - t), (f, t - pi / 2, pi / 2)) / pi


def correlation_gained_by_relu(point: Point) -> Expr:
    """Correlation after a linear layer minus correlation after a ReLU layer, by the definition."""
    a, b = point[x], point[y]
    linear = a.dot(b) / sqrt(a.dot(a) * b.dot(b))
    t, moment = rectified_moment()
    return linear - moment.subs(t, acos(linear)) / moment.subs(t, 0)


_nearly_aligned = {
    d_v: Integer(2), x: ImmutableDenseMatrix([[1, 0]]), y: ImmutableDenseMatrix([[2, 1]]),
}  # fmt: skip
_gain = r"\rho_{kk'}(XW)-\rho_{kk'}(\mathrm{ReLU}(XW))"
relu_increases_correlation = Claim(
    id="noci2022.sec3.2.relu-increases",
    source=source("Sec. 3.2 and App. B.1", "ReLU paragraph"),
    kind="bound",
    title="A ReLU layer never lowers a correlation, so the linear network is a bound for it.",
    statement=Relation(_gain, (Integer(0),), "<="),
    domain=Domain(_pair, (NONZERO_PAIR,)),
    define=correlation_gained_by_relu,
    hypotheses=(GAUSSIAN,),
    uses=(linear_layer_preserves_correlation,),
    mutants=(
        Mutant("ReLU changes nothing", Relation(_gain, (Integer(0),))),
        *variants(
            ("half of the missing alignment is gained", -(1 - cosine) / 2),
            ("always gained by a tenth", -Rational(1, 10)),
            ("gain independent of the correlation", -1 / pi),
            lhs=_gain,
            relation="<=",
        ),
    ),
    probes=(_nearly_aligned,),
    note=(
        "The certificate carries the bound through whole blocks: from tokens of equal norm, the "
        "average correlation of the ReLU network is at least that of the linear one at every depth. "
        "The sentence about the network needs those equal norms: from $d_v=1$ and nine tokens, four "
        "of $1$, four of $100$ and $-404$, the average correlation stays $5/9$ in the linear network, "
        "while with ReLU (footnote 3) it is about $0.34$ after the attention of block 2."
    ),
)
