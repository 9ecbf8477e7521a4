r"""Whether uniform attention has the largest gap (Sec. 3): of eigenvalues, and of singular values."""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix, Integer, Rational, Symbol

from claims.domain import Choice, Domain, Point, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.interlacing import ROW_STOCHASTIC, mean
from claims.naitsaada2025.markov import A, Markov, eigenpairs
from claims.naitsaada2025.notation import T, source
from claims.naitsaada2025.stable_rank import DIGITS, singular
from claims.statement import Compare, Quantity

spectrum = Symbol("spectrum")
EIGENVALUES, SINGULAR_VALUES = "eigenvalues", "singular values"


def gap_of(kind: str, matrix: Any) -> Any:
    """1 - |lambda_2|, or s_1 - s_2."""
    if kind == SINGULAR_VALUES:
        first, second = list(singular(matrix)[0])[:2]
        return Rational(first - second).evalf(DIGITS)
    real, imaginary = (part[1, 0] for part in eigenpairs(matrix)[:2])
    return 1 - Rational(real**2 + imaginary**2).evalf(DIGITS) ** Rational(1, 2)


def _gap(at: Point) -> Any:
    return gap_of(at[spectrum], at[A])


gap = Quantity(r"\mathrm{gap}(A)", _gap)
uniform_gap = Quantity(
    r"\mathrm{gap}(T^{-1}11^\top)", lambda at: gap_of(at[spectrum], mean(int(at[T])))
)
_domain = Domain((Size(T, 2, 4), Choice(spectrum, (EIGENVALUES, SINGULAR_VALUES)), Markov(A)))
_alike = ImmutableDenseMatrix([[3, 1], [3, 1]]) / 4
uniform_attention_has_the_largest_gap = Claim(
    id="naitsaada2025.sec-3.gap-maximised",
    source=source("Sec. 3", "first paragraph"),
    kind="prose",
    title="Uniform attention has the largest spectral gap of all attention matrices.",
    statement=Compare(gap, "<=", uniform_gap) & uniform_gap.equals(1),
    domain=_domain,
    left_open=(spectrum,),
    probes=tuple(
        {T: Integer(2), spectrum: kind, A: _alike} for kind in (EIGENVALUES, SINGULAR_VALUES)
    ),
    hypotheses=(
        ROW_STOCHASTIC,
        Hypothesis(
            r"\mathrm{gap}=1-|\lambda_2|\ \text{(eigenvalues) or}\ s_1-s_2\ \text{(singular values)}"
        ),
    ),
    printed=(
        r"\text{In this edge case, the attention matrix becomes rank-one, the spectral gap is maximised}"
    ),
    note=(
        r"Sec. 2.2 speaks of the largest eigenvalue (or singular value), and that decides. Of eigenvalues it "
        r"is right: $\lambda_1=1$, and $1-|\lambda_2|\le1$ with equality for every $A=1w^\top$, not for "
        r"uniform attention alone. Of singular values it is wrong: $1w^\top$ has $s_2=0$ and "
        r"$s_1=\sqrt T\|w\|\ge1$, so that uniform attention has the least gap among matrices of rank one, and "
        r"attention of all tokens to one the largest, $\sqrt T$."
    ),
)
