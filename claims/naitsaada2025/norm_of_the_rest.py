r"""Whether the proof of Lemma A.3 gives the norm of $A^\perp$, and a bound that does (Lemma A.6).

With $D=\mathrm{diag}(1/\sum_jZ_{ij})$ and $P=I-\varphi\varphi^\top$, $A^\perp=AP=D(Z-m11^\top)P$ for every $m$,
since $1^\top P=0$: the norm is that of a table with independent centred entries.
"""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix as Matrix
from sympy import Integer, MatrixSymbol, Rational, Sum, Symbol

from claims.domain import Choice, Computed, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Understood
from claims.naitsaada2025.decompositions import both_decomposed, rest, rest_roots, rest_vectors
from claims.naitsaada2025.interlacing import (
    ORTHOGONAL_PART,
    ROW_STOCHASTIC,
    mean,
    perp_square,
    row_stochastic,
    square,
    table,
    two_largest_squares_exceed_those_of_the_rest,
)
from claims.naitsaada2025.layers import centred as without_mean
from claims.naitsaada2025.markov import DEFINITION, A, Weights, Z, normalised
from claims.naitsaada2025.notation import T, source
from claims.naitsaada2025.outlier import largest_square, top_of_rest
from claims.naitsaada2025.stable_rank import decomposed
from claims.statement import Compare, ForAll, Quantity
from claims.terms import entry, family

i, j, k = (Symbol(name, integer=True) for name in "ijk")
m, reach, excess = (Symbol(name, real=True) for name in ("m", r"\delta", r"\varepsilon"))
centred = MatrixSymbol("Z-m", T, T)
centred_roots, centred_vectors = MatrixSymbol("s(Z-m)", T, 1), MatrixSymbol("U(Z-m)", T, T)
_z, _total = entry(Z), Sum(entry(Z)(i, k), (k, 1, T))


def _everywhere(equal: Compare) -> ForAll:
    return ForAll(i, 1, T, ForAll(j, 1, T, equal))


SHARES = _everywhere(Compare(entry(A)(i, j) * _total, "=", _z(i, j)))
CENTRED = _everywhere(Compare(entry(centred)(i, j), "=", _z(i, j) - m))
REACH = ForAll(i, 1, T, Compare(reach * _total, ">=", 1))


def _row_sums(at: Point) -> list[Any]:
    return [sum(at[Z].row(a)) for a in range(at[Z].rows)]


def _product(at: Point) -> Matrix:
    """D (Z - m 11^T) P."""
    size = int(at[T])
    scales = Matrix.diag(*(1 / total for total in _row_sums(at)))
    table = at[Z] - at[m] * Matrix.ones(size, size)
    return scales * table * (Matrix.eye(size) - mean(size))


rest_entry = family(
    r"(A^\perp)_{{{}{}}}", lambda at, a, b: without_mean(normalised(at[Z]))[a - 1, b - 1]
)
product_entry = family(r"(D(Z-m11^\top)P)_{{{}{}}}", lambda at, a, b: _product(at)[a - 1, b - 1])
largest_of_table = Quantity(r"s_1^2(Z-m11^\top)", largest_square(centred))
_rest = (both_decomposed[0], *decomposed(rest, rest_roots, rest_vectors))
_source = source("App. A.3, proof of Lemma A.6", "last sentence")

norm_of_the_rest_is_that_of_the_table = Claim(
    id="naitsaada2025.lemma-A.6.no-gap.step.repair",
    parent="naitsaada2025.lemma-A.6.no-gap.step",
    source=_source,
    kind="bound",
    title=r"$A^\perp=D(Z-m11^\top)P$, so that $s_1(A^\perp)\le\max_i\frac1{\sum_jZ_{ij}}\,s_1(Z-m11^\top)$.",
    statement=_everywhere(Compare(rest_entry(i, j), "=", product_entry(i, j)))
    & Compare(top_of_rest, "<=", reach**2 * largest_of_table),
    domain=Domain((
        Size(T, 2, 3), Weights(Z), Computed(A, lambda at: normalised(at[Z]), known=(SHARES,)),
        *_rest, Real(m),
        Computed(
            centred, lambda at: at[Z] - at[m] * Matrix.ones(at[T], at[T]), known=(CENTRED,)
        ),
        *decomposed(centred, centred_roots, centred_vectors),
        Computed(reach, lambda at: 1 / min(_row_sums(at)), known=(REACH,)),
    )),
    hypotheses=(
        DEFINITION,
        ORTHOGONAL_PART,
        Hypothesis(
            r"D=\mathrm{diag}(1/\textstyle\sum_jZ_{ij}),\ P=I-\varphi\varphi^\top,\ "
            r"\delta=\max_i1/\textstyle\sum_jZ_{ij},\ m\in\mathbb R"
        ),
    ),
    note=(
        r"For every non-negative table and every number $m$. With $m=\mathbb EZ_{11}$ and a fourth moment "
        r"the second factor is $2\sigma\sqrt T(1+o(1))$ (Bai and Yin) and $\delta=(1+o(1))/(mT)$, almost "
        r"surely, so that $s_1(\sqrt TA^\perp)\le(2\sigma/m)(1+o(1))$, which is the edge of the law (32): no "
        "outlier. That is what the lemma says, by another argument."
    ),
)  # fmt: skip

_excesses = {Rational(1, 10): 4, Rational(1, 10**6): 500}
"""How far $s_1^2(A)$ may exceed one, and a weight that stands in every row beside the next integer."""
_nearly_one = Domain((*row_stochastic.variables, Choice(excess, tuple(_excesses))))
largest_norm_near_one_gives_the_norm_of_the_rest = Claim(
    id="naitsaada2025.lemma-A.6.no-gap.step",
    source=_source,
    kind="bound",
    title=(
        r"$s_1^2(A)+s_2^2(A)\ge1+s_1^2(A^\perp)$ and $s_1(A)\to1$ give $s_1(A^\perp)=s_2(A)(1+o(1))$ at "
        r"$p=1$, and with it the edge."
    ),
    statement=Compare(square(1), "<=", 1 + excess).implies(
        Compare(perp_square(1), "<=", 2 * square(2))
    ),
    domain=_nearly_one,
    hypotheses=(
        ROW_STOCHASTIC,
        ORTHOGONAL_PART,
        Hypothesis(
            r"s_1(A)\to1:\ s_1^2(A)\le1+\varepsilon,\ \varepsilon\ \text{as small as one likes, here}\ "
            r"\tfrac1{10}\ \text{and}\ 10^{-6};\ "
            r"1+o(1)\le\sqrt2"
        ),
    ),
    uses=(two_largest_squares_exceed_those_of_the_rest,),
    left_open=(excess,),
    severity="material",
    repair=norm_of_the_rest_is_that_of_the_table,
    probes=tuple(
        _nearly_one.completed(
            {
                T: Integer(2),
                table: Matrix([[weight, weight + 1]] * 2),
                excess: most,
            }
        )
        for most, weight in _excesses.items()
    ),
    understood=(
        Understood(
            r"Lemma A.3 with $p=1$ is what its proof says of that case, $s_1(A_i^\perp)\to s_2(A_i)$, which "
            r"is "
            r"known to be near $2\sigma T^{-1/2}$",
            r"its statement, $s_1(A^\perp)=O(T^{-1/2})$, has a constant where an edge has a value: one token "
            r"that attends to one alone and all others to all alike give $\sigma\sqrt T$ beside a law on "
            r"$[0,2\sigma]$",
        ),
    ),
    printed=(
        r"\text{The almost sure absence of outliers in the singular value distribution of } "
        r"\mathbf{A}^\perp \text{ can be immediately inferred from Lemma A.3 when } p = 1"
    ),
    note=(
        r"The excess $s_1^2(A)-1$ is of the order of $s_1^2(A^\perp)$ itself. With $1\pm\frac c{\sqrt T}$ "
        r"over $T$ for the weights in every row, as many of one sign as of the other, "
        r"$s_1^2(A)=1+\frac{c^2}T$, $s_1^2(A^\perp)=\frac{c^2}T$ and $s_2(A)=0$, however small $c$ is. For "
        r"independent entries $s_1^2(A)-1\sim\sigma^2/T$ leaves $s_2\ge\frac{\sqrt3}2s_1(A^\perp)$ for an "
        r"$s_1(A^\perp)\sim2\sigma T^{-1/2}$, and no equality. The lemma itself is right, and so is what the "
        r"step says of i.i.d. Markov matrices, by what is true instead. For $p\ge3$ the conclusion is false "
        r"as well (`naitsaada2025.lemma-A.3.s2-equals-s1perp`)."
    ),
)
