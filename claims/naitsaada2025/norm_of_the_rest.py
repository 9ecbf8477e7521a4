r"""Whether Lemma A.3 excludes outliers of $A^\perp$, and a bound on $s_1(A^\perp)$ that does (Lemma A.6).

With $D=\mathrm{diag}(1/\sum_jZ_{ij})$ and $P=I-\varphi\varphi^\top$, $A^\perp=AP=D(Z-m11^\top)P$ for every $m$,
since $1^\top P=0$: the norm is that of a table with independent centred entries.
"""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix as Matrix
from sympy import Integer, MatrixSymbol, Rational, Sum, Symbol

from claims.domain import Computed, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.decompositions import both_decomposed, rest, rest_roots, rest_vectors
from claims.naitsaada2025.interlacing import (
    ORTHOGONAL_PART,
    ROW_STOCHASTIC,
    mean,
    other_squares,
)
from claims.naitsaada2025.layers import centred as without_mean
from claims.naitsaada2025.markov import DEFINITION, A, Markov, Weights, Z, normalised
from claims.naitsaada2025.notation import T, source
from claims.naitsaada2025.outlier import largest_square, top_of_rest
from claims.naitsaada2025.stable_rank import decomposed
from claims.statement import Compare, ForAll, Quantity
from claims.terms import entry, family

i, j, k = (Symbol(name, integer=True) for name in "ijk")
m, reach, bound = (Symbol(name, real=True) for name in ("m", r"\delta", "C"))
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

_apart = 9
_one_apart = Matrix(_apart, _apart, lambda a, b: int(b == 0) if a == 0 else Rational(1, _apart))
_attention = Domain((Size(T, 2, 4), Markov(A), *_rest, Real(bound, 0, open_low=True)))
_EDGE = (2 * Rational(6, 5)) ** 2
order_of_the_norm_excludes_outliers = Claim(
    id="naitsaada2025.lemma-A.6.no-gap.step",
    source=_source,
    kind="bound",
    title=r"$s_1(A^\perp)=O(T^{-1/2})$, Lemma A.3 with $p=1$, leaves no outlier.",
    statement=Compare(T * top_of_rest, "<=", bound**2).implies(
        Compare(T * top_of_rest, "<=", _EDGE * other_squares)
    ),
    domain=_attention,
    hypotheses=(
        ROW_STOCHASTIC,
        ORTHOGONAL_PART,
        Hypothesis(r"\text{Lemma A.3:}\ s_1(A^\perp)\le CT^{-1/2},\ C\ \text{not given}"),
        Hypothesis(
            r"\text{no outlier:}\ s_1(\sqrt TA^\perp)\le\tfrac65\cdot2\sigma,\ "
            r"\sigma^2=\textstyle\sum_is_i^2(A^\perp)=\tfrac1T\sum_is_i^2(\sqrt TA^\perp)"
        ),
    ),
    severity="material",
    repair=norm_of_the_rest_is_that_of_the_table,
    probes=(_attention.completed({T: Integer(_apart), A: _one_apart, bound: Integer(3)}),),
    printed=(
        r"\text{The almost sure absence of outliers in the singular value distribution of } "
        r"\mathbf{A}^\perp \text{ can be immediately inferred from Lemma A.3 when } p = 1"
    ),
    note=(
        r"An order has a constant, an edge has a value: $s_1(\sqrt TA^\perp)=5\sigma$ is $O(1)$ and an "
        r"outlier of a law on $[0,2\sigma]$. Here one token attends to one alone and all others to all alike, "
        r"which gives $\sigma\sqrt T$, three times $\sigma$ at $T=9$; for a smaller $C$ take a part of that. "
        r"What the proof of Lemma A.3 has beside its statement does not help: "
        r"$s_1^2(A)+s_2^2(A)\ge1+s_1^2(A^\perp)$ with $s_1^2(A)-1\sim\sigma^2/T$ gives "
        r"$s_2\ge\frac{\sqrt3}2s_1(A^\perp)$ for an $s_1(A^\perp)\sim2\sigma T^{-1/2}$, and no equality "
        r"(`naitsaada2025.lemma-A.3.s2-equals-s1perp`). The lemma itself is right."
    ),
)
