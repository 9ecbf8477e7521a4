r"""Attention whose rows are exchangeable: energies through its layers at every size, whatever the law.

Rows of $A$ are independent copies of one row $w$ of shares in a uniform order.  Every law of exchangeable
rows, Definition 3.1's among them, is a mixture of these, and means depend on $w$ through
$r=\|w-T^{-1}1\|^2$ alone; a mixture has the mean of $r$.  No moment of $Z$ is asked for.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import Any

from sympy import ImmutableDenseMatrix as Matrix
from sympy import Integer, MatrixSymbol, Sum, Symbol

from claims.domain import Computed, Domain, Point, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.chi_square import Factors
from claims.naitsaada2025.gradients import through_values, upper_trace
from claims.naitsaada2025.interlacing import mean
from claims.naitsaada2025.markov import Markov
from claims.naitsaada2025.notation import REACHED, WIDE, T, d, depth, ell, p, source
from claims.statement import Compare, Quantity
from claims.terms import entry

j = Symbol("j", integer=True)
shares = MatrixSymbol("w", 1, T)
uneven = Symbol("r", real=True)
SHARE = entry(shares)(Integer(1), j)
UNEVEN = Compare(uneven, "=", Sum(SHARE**2, (j, 1, T)) - 1 / T)

ROWS = Hypothesis(
    r"A_1,A_2,\dots\ \text{independent; rows of each: independent, the shares}\ w_1,\dots,w_T\ "
    r"\text{in a uniform order},\ w_j\ge0,\ \textstyle\sum_jw_j=1"
)
UNEVENNESS = Hypothesis(r"r=\|w-T^{-1}1\|^2=\textstyle\sum_jw_j^2-\tfrac1T")


@cache
def row_moments(row: Matrix) -> Matrix:
    """E a a^T of a row a: in a uniform order two places hold any two of its shares alike."""
    tokens = row.cols
    alike, apart = [x * x for x in row], [x * y for x, y in permutations(row, 2)]
    own, other = sum(alike) / tokens, sum(apart) / len(apart)
    return Matrix(tokens, tokens, lambda a, b: own if a == b else other)


def before_factors(inside: Matrix, count: int, row: Matrix) -> Matrix:
    """E (A_p...A_1)^T S A_p...A_1: two rows are independent, with the mean 1/T everywhere."""
    own, other = row_moments(row), mean(row.cols) / row.cols
    for _ in range(count):
        diagonal = inside.trace()
        inside = diagonal * own + (sum(inside) - diagonal) * other
    return inside


def energy(point: Point, inside: Matrix, count: Any) -> Any:
    """E tr (A_p...A_1)^T S A_p...A_1."""
    return before_factors(inside, int(count), point[shares]).trace()


def _across(point: Point) -> Any:
    tokens = int(point[T])
    return energy(point, Matrix.eye(tokens) - mean(tokens), point[p])


across = Quantity(r"\mathbb E\|(I-\varphi\varphi^\top)A_p\cdots A_1\|_F^2", _across)
along = Quantity(
    r"\mathbb E\|\varphi^\top A_p\cdots A_1\|^2",
    lambda at: energy(at, mean(int(at[T])), at[p]),
)
_row = (
    Markov(shares),
    Computed(
        uneven,
        lambda at: sum((x**2 for x in at[shares]), start=Integer(0)) - 1 / at[T],
        known=(UNEVEN,),
    ),
)
rows_in_any_order = Domain((Size(T, 2, 4, reach=6), Factors(p), *_row))

differences_between_tokens_shrink_by_the_unevenness = Claim(
    id="naitsaada2025.beyond.energies-of-exchangeable-rows",
    source=source("Sec. 3.1", "Prop. 3.4"),
    kind="rate",
    title=(
        r"Each layer multiplies what differs between tokens by $r=\|w-T^{-1}1\|^2\le1-\tfrac1T$ in mean "
        "square, exactly, for every law of exchangeable rows."
    ),
    statement=across.equals((T - 1) * uneven**p)
    & along.equals((1 - uneven ** (p + 1)) / (1 - uneven))
    & Compare(uneven, ">=", 0)
    & Compare(uneven, "<=", 1 - 1 / T),
    domain=rows_in_any_order,
    hypotheses=(ROWS, UNEVENNESS),
    note=(
        r"The tokens' differences and their mean, at every $T$ and $p$. For an i.i.d. Markov matrix with "
        r"$\mathrm{Var}Z=\sigma^2(\mathbb EZ)^2$ the mean of $r$ is $\sigma^2/T$ to leading order, and their "
        r"quotient $\sigma^{2p}T^{1-p}$, without a fourth moment; with fourth powers of singular values for "
        r"squares it is the $T^{1-2p}$ of Prop. 3.4 as repaired. At the other end, $r=1-\frac1T$, is attention "
        r"to one token: then it takes $p\sim T$ layers to collapse, so that no rate follows from stochastic "
        "rows alone."
    ),
)

# Gradients ------------------------------------------------------------------------------------------


def _gradient(point: Point) -> Any:
    """E of the squared norms of P_1 = A_L...A_1 X_0 W_1...W_(l-1) and P_2 = W_(l+1)...W_L."""
    features = int(point[d])
    below = through_values(Integer(1), int(point[ell]) - 1, features)
    kept = energy(point, Matrix.eye(int(point[T])), point[depth])
    return below * kept * upper_trace(point, features)


gradient = Quantity(
    r"\mathbb E\left\|\frac{\partial X_L}{\partial W_\ell^V}\right\|_F^2", _gradient
)
deep = Domain(
    (Size(T, 2, 4, reach=6), Size(d, 2, 4), Factors(depth), Factors(ell), *_row), (REACHED, WIDE)
)
mean_gradient_of_the_values = Claim(
    id="naitsaada2025.beyond.mean-gradient-of-the-values",
    source=source("Sec. 3.1", "Prop. 3.6, Eqs. (13), (14)"),
    kind="expectation",
    title=(
        r"The mean squared gradient is $d^L$ times a number between $\frac1{1-r}$ and $1+Tr$, which is "
        "given exactly."
    ),
    statement=gradient.equals(d**depth * ((1 - uneven**depth) / (1 - uneven) + T * uneven**depth))
    & Compare(gradient, ">=", d**depth / (1 - uneven))
    & Compare(gradient, "<=", d**depth * (1 + T * uneven)),
    domain=deep,
    hypotheses=(
        Hypothesis(r"\text{model (11)},\ X_0X_0^\top=I,\ (W_\ell^V)_{ij}\sim\mathcal N(0,1)"),
        ROWS,
        UNEVENNESS,
    ),
    note=(
        r"The bounds (13) and (14) have the powers $T^{L-1}$ and $T$ of this $d^L$: one power is lost for "
        r"$L\ge2$. The upper bound is attained for $L=1$, where the number tends to $1+\sigma^2$, the lower "
        r"one for uniform attention, $r=0$; for $L\ge2$ and $r\sim\sigma^2/T$ the number tends to one, as the "
        r"lower bound does, so that the mean is $d^L(1+o(1))$ for every $\ell$."
    ),
)


def _resolved(point: Point) -> Any:
    """The same with A_k - 1/T 11^T for A_k: only the trace of what is inside counts."""
    features, tokens = int(point[d]), int(point[T])
    below = through_values(Integer(1), int(point[ell]) - 1, features)
    spread = row_moments(point[shares]) - mean(tokens) / tokens
    inside = Matrix.eye(tokens)
    for _ in range(int(point[depth])):
        inside = inside.trace() * spread
    return below * inside.trace() * upper_trace(point, features)


resolved = Quantity(
    r"\mathbb E\left\|\frac{\partial X_L^\perp}{\partial W_\ell^V}\right\|_F^2", _resolved
)
mean_gradient_without_the_gap = Claim(
    id="naitsaada2025.beyond.resolved-gradient-of-the-values",
    source=source("Sec. 3.2", "Prop. 3.8, Eq. (18)"),
    kind="expectation",
    title=r"Without the gap the mean squared gradient is $d^LTr^L$, exactly, for every $\ell$.",
    statement=resolved.equals(d**depth * T * uneven**depth),
    domain=deep,
    hypotheses=(
        Hypothesis(r"\text{model (16)},\ X_0X_0^\top=I,\ (W_\ell^V)_{ij}\sim\mathcal N(0,1)"),
        ROWS,
        UNEVENNESS,
    ),
    note=(
        r"For an i.i.d. Markov matrix the mean of $r$ takes its place, which is $\sigma_A^2/(m^2T)$ to leading "
        r"order whatever the law of $Z$: (18) holds for every law with a variance, with "
        r"$C=\gamma^{1-L}(\sigma_A/m)^{2L}$. No freeness is asked for."
    ),
)
