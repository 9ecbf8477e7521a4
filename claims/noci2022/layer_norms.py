r"""Sec. 3.3: what layer normalisation makes of a token, before attention (PRE-LN) or after a branch (POST-LN).

The paper applies it "token-wise" and does not write it out: the layer of Ba et al. (2016) takes the mean
over the features off and divides by the standard deviation over the features; its gains are one and its
shifts zero at initialisation.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, MatrixSymbol, S, Sum, Symbol, sqrt
from sympy.core.function import UndefinedFunction

from claims.domain import Array, Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.noci2022.notation import X, alpha1, d_v, n, source
from claims.statement import And, Compare, ForAll, Formula
from claims.terms import entry, family

i = Symbol("i", integer=True, positive=True)
branch = MatrixSymbol("S", n, d_v)
"""What a residual branch adds: attention's output, or any other."""
_feature, _other = (Symbol(name, integer=True) for name in ("j", "k"))


def fed(token: Any, feature: Any) -> Expr:
    """An entry of X, which PRE-LN normalises."""
    return entry(X)(token, feature)


def added(token: Any, feature: Any) -> Expr:
    """An entry of alpha_1 S + X, which POST-LN normalises."""
    return alpha1 * entry(branch)(token, feature) + entry(X)(token, feature)


def before(at: Point) -> ImmutableDenseMatrix:
    return at[X]


def after(at: Point) -> ImmutableDenseMatrix:
    return at[alpha1] * at[branch] + at[X]


def _moment(matrix: ImmutableDenseMatrix, token: int, power: int) -> Expr:
    """The mean of a power of the entries of one normalised token."""
    row = [sum(matrix[token - 1, k] - x for k in range(matrix.cols)) for x in matrix.row(token - 1)]
    spread = sum(e**2 for e in row) / matrix.cols  # of entries times minus their number
    if spread == 0:
        return S.NaN
    return sum((-e / sqrt(spread)) ** power for e in row) / matrix.cols


def _moments(name: str, matrix: Any) -> tuple[UndefinedFunction, UndefinedFunction]:
    """The mean and the mean square over the features of token i of LN(matrix)."""
    first = family(
        rf"\mathbb E_j\,\mathrm{{{{LN}}}}({name})_{{{{{{}}j}}}}",
        lambda at, token: _moment(matrix(at), token, 1),
    )
    second = family(
        rf"\mathbb E_j\,\mathrm{{{{LN}}}}({name})_{{{{{{}}j}}}}^2",
        lambda at, token: _moment(matrix(at), token, 2),
    )
    return first, second


MEAN_BEFORE, VARIANCE_BEFORE = _moments("X", before)
MEAN_AFTER, VARIANCE_AFTER = _moments(r"\alpha_1S+X", after)


def less_its_mean(rows: Any, token: Any, feature: Any) -> Expr:
    """An entry less the mean over the features of its token."""
    return rows(token, feature) - Sum(rows(token, _other), (_other, 1, d_v)) / d_v


def _uneven(latex: str, rows: Any, matrix: Any) -> Condition:
    """No token has all its features equal."""
    squares = Sum(less_its_mean(rows, i, _feature) ** 2, (_feature, 1, d_v))
    formula = ForAll(i, 1, n, Compare(squares, ">", 0))

    def holds(at: Point) -> bool:
        found = matrix(at)
        return all(len(set(found.row(k))) > 1 for k in range(found.rows))

    return Condition(latex, holds, formula)


def standardised(variance: Any) -> Formula:
    """Means over features are zero, mean squares are `variance`, of both."""
    pairs = (MEAN_BEFORE, VARIANCE_BEFORE), (MEAN_AFTER, VARIANCE_AFTER)
    parts = [
        comparison
        for mean, square in pairs
        for comparison in (Compare(mean(i), "=", 0), Compare(square(i), "=", variance))
    ]
    return ForAll(i, 1, n, And(tuple(parts)))


layer_normalisation_standardises_the_input_variance = Claim(
    id="noci2022.sec3.3.layernorm-standardizes",
    source=source("Sec. 3.3", r"after Eq. (18)"),
    kind="prose",
    title="Layer normalisation gives every token mean zero and variance one, as PRE-LN and as POST-LN.",
    statement=standardised(Integer(1)),
    domain=Domain(
        (Size(n, 1, 3), Size(d_v, 2, 4), Array(X), Array(branch), Real(alpha1)),
        (
            _uneven(r"X_{i,:}\notin\mathbb R\,\mathbf 1^\top", fed, before),
            _uneven(r"(\alpha_1S+X)_{i,:}\notin\mathbb R\,\mathbf 1^\top", added, after),
        ),
    ),
    hypotheses=(
        Hypothesis(
            r"\mathrm{LN}(Z)_{ij}=\frac{Z_{ij}-\mu_i}{s_i},\quad \mu_i=\tfrac1{d_v}\textstyle\sum_kZ_{ik},\ "
            r"s_i^2=\tfrac1{d_v}\textstyle\sum_k(Z_{ik}-\mu_i)^2,\quad "
            r"\mathbb E_j=\tfrac1{d_v}\textstyle\sum_j"
        ),
        Hypothesis(
            r"Z=X\ \text{(PRE-LN)},\quad Z=\alpha_1S+X\ \text{(POST-LN)},\quad "
            r"X,S\in\mathbb R^{n\times d_v}\ \text{arbitrary}"
        ),
    ),
    mutants=(
        Mutant("unit length for unit variance", standardised(1 / d_v)),
        Mutant("the unbiased variance", standardised((d_v - 1) / d_v)),
    ),
    understood=(
        Understood(
            r"Layer normalisation is defined: no token has all features equal, so that $d_v\ge2$.",
            r"$d_v=2$, $X_{1,:}=(1,1)$: nothing is left to scale.",
        ),
    ),
    printed=(
        r"\text{layer normalization}\ [\dots]\ \text{either in the POST-LN or PRE-LN format, that standardizes "
        r"the input variance}\ \sigma_x^2\ \text{to the value 1}"
    ),
    note=(
        r"Read of each token, for every input and so for every $\sigma_x$. In Sec. 3.3 $\sigma_x^2$ is the "
        r"variance of one entry over draws: where the law of the features does not change when they change "
        r"places, as there, entries have $\mathbb E\,\mathrm{LN}(X)_{ij}=0$ and "
        r"$\mathbb E\,\mathrm{LN}(X)_{ij}^2=1$, the means of the above. What is standardised is the variance "
        r"alone: distinct features of a token are no longer independent, but have correlation "
        r"$-\tfrac1{d_v-1}$. Layers in use add a small $\epsilon$ to $s_i^2$, for variance "
        r"$s_i^2/(s_i^2+\epsilon)$."
    ),
)
