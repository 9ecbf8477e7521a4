r"""What one random layer does to the correlation of two tokens: linear activation against ReLU.

Covered: the ReLU paragraph at the end of Sec. 3.2.  Tokens X_k, X_k' are fixed and not zero; the
layer is X W.  Its entries are i.i.d. of mean zero: finite laws with equally likely values stand for all.
ReLU needs more, a column w with the law of -w, as Xavier's and He's laws of Sec. 2 have; the columns of
such a law are the rows of a matrix V, each as likely as its negative, or Gaussian.  A correlation is the
ratio of expectations in Eq. (5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import product
from typing import Any

from sympy import (
    Expr,
    Integer,
    MatrixSymbol,
    Max,
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
from claims.model import Claim, Hypothesis, Mutant, Relation, Understood, variants
from claims.noci2022.forward import linear_layer_preserves_second_moments
from claims.noci2022.notation import d_v, m, sigma_v, source
from claims.statement import Compare, Exists, Quantity
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
    understood=(
        Understood(
            r"The linear case is one layer $XW$ without attention or residual branch.",
            r"Orthogonal tokens of equal norm, $n=2$, $\alpha_1=\alpha_2=1$ in the network of Eqs. (2)-(4): "
            r"after one block $\rho^1=1/3$, not $0$.",
        ),
    ),
    uses=(linear_layer_preserves_second_moments,),
    mutants=variants(
        ("squared", cosine**2),
        ("without its sign", sqrt(cosine**2)),
        ("scaled by the weights' variance", sigma_v**2 * cosine),
        ("not normalised", Total(x * y.T)),
        lhs=_rho,
    ),
)


def _cosine_of_pair(point: Point) -> Expr:
    a, b = point[x], point[y]
    return a.dot(b) / sqrt(a.dot(a) * b.dot(b))


angle_cosine = Quantity(r"\cos\theta_{kk'}", _cosine_of_pair)


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
    linear = _cosine_of_pair(point)
    t, moment = rectified_moment()
    return linear - moment.subs(t, acos(linear)) / moment.subs(t, 0)


# Any law of mean zero -------------------------------------------------------------------------------

atoms = MatrixSymbol("t", m, 1)
columns = MatrixSymbol("V", m, d_v)
_outcome = Symbol("s", integer=True)
_CENTRED = Condition(r"\textstyle\sum_st_s=0", lambda p: sum(p[atoms]) == 0)
_NOT_DEGENERATE = Condition(r"t\ne0", lambda p: not p[atoms].is_zero_matrix)


def product_with(token: MatrixSymbol, s: Any) -> Expr:
    """<w, X_k> for the column w in row s of V."""
    return Sum(entry(columns)(s, _place) * entry(token)(1, _place), (_place, 1, d_v))


REACHED = Condition(
    r"VX_k^\top,VX_{k'}^\top\ne0",
    lambda p: not any((p[columns] * p[token].T).is_zero_matrix for token in (x, y)),
    Compare(Sum(product_with(x, _outcome) ** 2, (_outcome, 1, m)), ">", 0)
    & Compare(Sum(product_with(y, _outcome) ** 2, (_outcome, 1, m)), ">", 0),
)


def _independent(point: Point) -> Iterable[tuple[Any, ...]]:
    """Every column of W, its entries independent and uniform on t_1, ..., t_m."""
    return product(tuple(point[atoms]), repeat=int(point[d_v]))


def _symmetric(point: Point) -> Iterable[tuple[Any, ...]]:
    """Every row of V and its negative."""
    rows = [tuple(point[columns].row(s)) for s in range(point[columns].rows)]
    return (tuple(sign * e for e in row) for row in rows for sign in (1, -1))


Columns = Callable[[Point], Iterable[tuple[Any, ...]]]


def _correlation(law: Columns, activation: Callable[[Any], Any]) -> Callable[[Point], Expr]:
    """Eq. (5) after a layer whose columns are equally likely: the columns of W are alike."""

    def define(point: Point) -> Expr:
        def image(token: MatrixSymbol, w: tuple[Any, ...]) -> Any:
            return activation(
                sum((a * b for a, b in zip(point[token], w, strict=True)), Integer(0))
            )

        pairs = [(image(x, w), image(y, w)) for w in law(point)]
        mixed, first, second = (
            sum((term(u, v) for u, v in pairs), Integer(0))
            for term in (lambda u, v: u * v, lambda u, v: u * u, lambda u, v: v * v)
        )
        return mixed / sqrt(first * second)

    return define


def _rectified(u: Any) -> Any:
    return Max(u, 0)


_RELU = r"\rho_{kk'}(\mathrm{ReLU}(XW))"
linear_correlation, symmetric_linear_correlation = (
    Quantity(_rho, _correlation(law, lambda u: u)) for law in (_independent, _symmetric)
)
rectified_correlation, symmetric_rectified_correlation = (
    Quantity(_RELU, _correlation(law, _rectified)) for law in (_independent, _symmetric)
)
gaussian_gain = Quantity(
    r"\rho_{kk'}(XG)-\rho_{kk'}(\mathrm{ReLU}(XG))", correlation_gained_by_relu
)

TURNED = Exists(
    _outcome, 1, m, Compare(product_with(x, _outcome) * product_with(y, _outcome), "<", 0)
)
"""Some column has the two tokens on different sides."""
_SOURCE = source("Sec. 3.2 and App. B.1", "ReLU paragraph")
relu_increases_correlation = Claim(
    id="noci2022.sec3.2.relu-increases",
    source=_SOURCE,
    kind="bound",
    title=(
        "A ReLU layer with Gaussian weights increases every correlation below one; with any weights as likely "
        "as their negatives it lowers none, and increases it if some column separates the tokens."
    ),
    statement=angle_cosine.below(1).implies(gaussian_gain.below(0))
    & symmetric_rectified_correlation.at_least(symmetric_linear_correlation)
    & TURNED.implies(symmetric_rectified_correlation.above(symmetric_linear_correlation)),
    domain=Domain(
        (Size(d_v, 1, 3), Size(m, 1, 3), Array(x), Array(y), Array(columns)),
        (NONZERO_PAIR, REACHED),
    ),
    hypotheses=(
        Hypothesis(
            r"\text{the columns of } W:\ \text{rows of } V \text{ and their negatives, equally likely}"
        ),
        Hypothesis(r"G\ \text{with i.i.d. entries } N(0,\sigma^2)"),
    ),
    understood=(
        Understood(
            "weights have a law that Sec. 2 names, Xavier's uniform or He's Gaussian one: they are as likely "
            "as their negatives",
            r"entries $1,1,-2$, equally likely, $X_k=(1,0)$, $X_{k'}=(1,-1)$: ReLU weighs the two signs of "
            r"$\langle X_k,w\rangle$ differently, and a correlation of $0.707$ becomes $0.577$",
        ),
        Understood(
            "for the same reason weights have a density near zero, so that some columns separate any two "
            "tokens whose correlation is below one",
            r"independent entries $\pm1$, $X_k=(2,1)$, $X_{k'}=(2,-1)$: $\langle X_k,w\rangle$ and "
            r"$\langle X_{k'},w\rangle$ always have one sign, and the correlation is $3/5$ before and after",
        ),
        Understood(
            r"the correlation is below one, $\langle X_k,X_{k'}\rangle<\|X_k\|\|X_{k'}\|$",
            r"$X_k=X_{k'}$: the correlation is one before and after",
        ),
    ),
    uses=(linear_layer_preserves_correlation,),
    mutants=(
        Mutant(
            "an increase for every symmetric law",
            angle_cosine.below(1).implies(
                Compare(symmetric_rectified_correlation, ">", symmetric_linear_correlation)
            ),
        ),
        Mutant("an increase of a correlation of one", gaussian_gain.below(0)),
        Mutant(
            "a skewed law",
            rectified_correlation.at_least(linear_correlation),
            domain=Domain(
                (
                    Size(d_v, 2, 2, reach=2),
                    Size(m, 3, 3, reach=3),
                    Array(x),
                    Array(y),
                    Array(atoms),
                ),
                (NONZERO_PAIR, _CENTRED, _NOT_DEGENERATE),
            ),
        ),
    ),
    note=(
        "The print says that correlations are preserved in the linear case but increase in the ReLU case. "
        "Sec. 2 asks for mean zero and a variance, and calls the law Xavier's or He's, uniform or Gaussian; "
        "the sentence is true of both, and not of every law of mean zero. A column $w$ separates the tokens if "
        r"$\langle X_k,w\rangle\langle X_{k'},w\rangle<0$: where no token is a positive multiple of the other "
        "these columns fill an open cone, which either law reaches. "
        "Every law of a column with equally likely values that $w\\mapsto-w$ keeps is of this kind, "
        "independent entries or not; Gaussian entries are the other case of the statement. The certificate "
        "carries the bound through whole blocks: from tokens of equal norm, the average correlation of the "
        "Gaussian ReLU network is at least that of the linear one at every depth. The sentence about the "
        "network needs those equal norms (`noci2022.sec3.2.linear-bound`): of nine tokens with $d_v=1$, four "
        "of $1$, four of $100$ and one of $-404$, the average correlation stays $5/9$ in the linear network, "
        "while with ReLU (footnote 3) it is after the attention of block 2 about $0.34$ for "
        "$\\alpha_1=\\alpha_2=1/2$ and about $0.49$ for $\\alpha_1=\\alpha_2=1$."
    ),
)
