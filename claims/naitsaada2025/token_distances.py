r"""What one layer does to the distance of two tokens: the words after Theorem 2.2.

Over orthonormal tokens $\mathbb E\|x_i-x_k\|^2=d\,\mathbb E\|a_i-a_k\|^2$ with rows $a_i$ of $A$, and
$\mathbb E\|x_i\|^2=d\,\mathbb E\|a_i\|^2$.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sympy import Rational

from claims.domain import Domain, Point, Size, UpTo
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.notation import T, d, source
from claims.naitsaada2025.products import GAMMA, a
from claims.naitsaada2025.second_moments import FIELD, GROWS, rational_limit
from claims.naitsaada2025.shares import GAMMA as OF_GAMMA
from claims.naitsaada2025.shares import mean_unevenness
from claims.statement import Quantity
from claims.terms import family


def _distance(tokens: Any, shape: Any) -> Any:
    """E ||a_1 - a_2||^2 of independent rows."""
    return 2 * mean_unevenness(OF_GAMMA, 1 / shape, tokens)


def _length(tokens: Any, shape: Any) -> Any:
    """E ||a_1||^2."""
    return mean_unevenness(OF_GAMMA, 1 / shape, tokens) + 1 / tokens


def _at_size(at: Point, tokens: int) -> Rational:
    sizes = Fraction(tokens), Fraction(int(at[a]))
    return Rational(_distance(*sizes) / _length(*sizes))


def _in_the_limit(at: Point) -> Any:
    sizes = GROWS, FIELD.from_sympy(at[a])
    return rational_limit(_distance(*sizes) / _length(*sizes))


_RATIO = r"\frac{\mathbb E\|x_i-x_k\|^2}{\mathbb E\|x_i\|^2}"
squared_distance = Quantity(
    r"\mathbb E\|x_i-x_k\|^2",
    lambda at: at[d] * Rational(_distance(Fraction(int(at[T])), Fraction(int(at[a])))),
    nonnegative=True,
)
relative_distance = Quantity(rf"\lim_{{T\to\infty}}{_RATIO}", _in_the_limit)
distance_at = family(
    r"\tfrac{{\mathbb E\|x_i-x_k\|^2}}{{\mathbb E\|x_i\|^2}}\big|_{{T={}}}", _at_size
)
_hypotheses = (
    GAMMA,
    Hypothesis(r"x_1,\dots,x_T\ \text{the rows of}\ X=AX_0W^V,\ A\ \text{i.i.d. Markov},\ i\ne k"),
    Hypothesis(r"X_0X_0^\top=I,\quad W^V_{jl}\sim\mathcal N(0,1)\ \text{i.i.d.}"),
)
_shape = Size(a, 1, 3)

tokens_stay_apart = Claim(
    id="naitsaada2025.sec-2.3.single-point.repair",
    parent="naitsaada2025.sec-2.3.single-point",
    source=source("Sec. 2.3", "after Theorem 2.2"),
    kind="limit",
    title=(
        r"Two tokens of one layer stay apart: $\mathbb E\|x_i-x_k\|^2=2d\,\frac{T-1}{T(aT+1)}$, in the limit "
        r"$\frac2{a+1}$ of $\mathbb E\|x_i\|^2$."
    ),
    statement=squared_distance.equals(2 * d * (T - 1) / (T * (a * T + 1)))
    & relative_distance.equals(2 / (a + 1)),
    domain=Domain((_shape, Size(d, 2, 4, reach=6), UpTo(T, 2, 3, reach=6, last=d))),
    hypotheses=_hypotheses,
    note=(
        r"With $\sigma^2=1/a$ in units of $m^2$ the relative limit is $2\sigma^2/(1+\sigma^2)$, and the "
        r"absolute one "
        r"$2\sigma^2/\gamma$. What collapses is the stable rank of $\Sigma$, in which singular values count "
        r"with "
        "their fourth power."
    ),
)

tokens_converge_to_a_point = Claim(
    id="naitsaada2025.sec-2.3.single-point",
    source=source("Sec. 2.3", "after Theorem 2.2"),
    kind="limit",
    title=(
        "Rank collapse in width is called the convergence of the tokens of one layer into a single point."
    ),
    statement=relative_distance.equals(0),
    domain=Domain((_shape,)),
    hypotheses=_hypotheses,
    severity="material",
    repair=tokens_stay_apart,
    printed=(
        r"\text{the convergence of tokens' representations into a single point as the context length "
        r"increases within a single attention layer}"
    ),
    note=(
        r"Read relative to the length of a token, which stays bounded: distances themselves do not vanish "
        r"either. Two rows of an i.i.d. Markov matrix of exponential $Z$ have $\mathbb E\|a_i\|^2=\frac2{T+1}$ "
        r"and $\mathbb E\langle a_i,a_k\rangle=\frac1T$: the tokens keep a mean cosine near $\frac12$, however "
        r"long the context. Softmax attention, of which the theorem speaks, does the same: by the mean over "
        r"the keys $T\,\mathbb E\|a_i\|^2\to(1-2b)^{-d_{qk}/2}$ and $T\,\mathbb E\langle a_i,a_k\rangle\to"
        r"(1-b^2)^{-d_{qk}/2}$ at fixed $d_{qk}$, $b=\sigma_{qk}^4/d_{qk}<\frac12$, so that the cosine is "
        r"near $0.777$ for $d_{qk}=17$ and $\sigma_{qk}^2=\frac12$, and $e^{-\sigma_{qk}^4}$ with wide queries "
        r"and keys. The stable rank of $\Sigma$ tends to one all the same: one singular value of $X$ is of "
        r"order $\sqrt d$, and the $T$ others, of order one, are as much in sum of squares and vanish in the "
        r"sum of fourth powers."
    ),
)
