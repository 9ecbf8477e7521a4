r"""What bounds the second singular value of a signal, $X_\ell=AW$ with $A=A_\ell\cdots A_1$ (Prop. 3.4).

$W=X_0W_1\cdots W_\ell$ may be any $T\times d$ matrix: Gaussian entries come near every one of them.
"""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix as Matrix
from sympy import Integer, MatrixSymbol, Symbol

from claims.domain import Choice, Domain
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.crossings import crossing
from claims.naitsaada2025.decompositions import vectors
from claims.naitsaada2025.interlacing import (
    AW,
    SPECTRA,
    W,
    largest_weight,
    second_of_product,
    square,
    table,
    with_weights,
)
from claims.naitsaada2025.notation import WIDE, T, d, source
from claims.naitsaada2025.product_of_rests import (
    FACTORS,
    RESTS,
    largest_of_rests,
    layers_with_weights,
    second_value_is_below_the_product_of_the_rests,
)
from claims.singular import least_singular_value
from claims.statement import Compare

K = Symbol("K", real=True, positive=True)
met = MatrixSymbol("z(A)", T, 2)
"""In the span of two singular vectors of A, the second orthogonal to the first one of AW."""
least = least_singular_value("s_T(W)", W)
_SIGNAL = Hypothesis(r"X_\ell=AW,\ W=X_0W_1^V\cdots W_\ell^V\in\mathbb R^{T\times d}")
_ALL = Hypothesis(r"p=\ell")
_one: dict[str, Any] = {"source": source("App. A.2, proof of Prop. 3.4"), "kind": "bound"}

second_value_follows_the_weights = Claim(
    id="naitsaada2025.proof-3.4.s2-deterministic.repair",
    parent="naitsaada2025.proof-3.4.s2-deterministic",
    title=(
        r"$s_2(X_\ell)$ lies between $s_2(A)\,s_T(W)$ and $s_1(A_\ell^\perp\cdots A_1^\perp)\,s_1(W)$, "
        "which are random."
    ),
    statement=Compare(square(Integer(2)) * least(T, d) ** 2, "<=", second_of_product)
    & Compare(second_of_product, "<=", largest_of_rests * largest_weight),
    domain=Domain(
        (*layers_with_weights.variables, crossing(met, vectors, SPECTRA[AW][1], level=False))
    ),
    hypotheses=(FACTORS, RESTS, _SIGNAL, _ALL),
    note=(
        r"For all row-stochastic $A_k$ and every $W$. Theorem A.5 is a statement about the upper end, of order "
        r"one once $T$ is large, for almost every infinite family of matrices: from a size on that is random, "
        r"and with a constant. (With $A^\perp=A-\varphi\varphi^\top$ for the product of the $A_k^\perp$ that "
        r"end grows like $d^{(\ell-1)/2}$.) At a given $T$ the event $s_2(X_\ell)\le K$ has a probability, and "
        r"the one of the last display is that of both events together."
    ),
    **_one,
)  # fmt: skip

_constants = (Integer(1), Integer(1000))
second_value_is_bounded_by_a_constant = Claim(
    id="naitsaada2025.proof-3.4.s2-deterministic",
    title=r"For $T\ge T_0$ a constant $K$ bounds $s_2(X_\ell)$, whatever the weights.",
    statement=Compare(second_of_product, "<=", K**2),
    domain=Domain(
        (*with_weights.variables, Choice(K, _constants)),
        (WIDE,),
    ),
    left_open=(K,),
    hypotheses=(FACTORS, _SIGNAL, _ALL, Hypothesis(r"K\ \text{any constant, here}\ 1\ \text{and}\ 1000")),
    uses=(second_value_is_below_the_product_of_the_rests,),
    severity="material",
    repair=second_value_follows_the_weights,
    probes=tuple(
        with_weights.completed({
            T: Integer(2), d: Integer(2), table: Matrix([[2, 1], [1, 2]]), W: 6 * constant * Matrix.eye(2),
        }) | {K: constant}
        for constant in _constants
    ),
    printed=(
        r"\text{For } T \text{ large enough, let us say bigger than some } T_0 \text{, Theorem A.5 provides a "
        r"deterministic upper bound, i.e. } s_2(\mathbf{X}_\ell) \leq K \text{ for some constant } K"
    ),
    note=(
        r"$s_2(X_\ell)\ge s_2(A)\,s_T(W)$, and for $T\le d$ the least singular value of Gaussian weights "
        r"exceeds every number with a positive probability, at every $T$ and whatever the law of $Z$: no "
        r"constant is a bound, for $T\ge T_0$ neither. Theorem A.5 is almost sure, with a random $T_0$. So "
        r"the probability of the last display is not $P_{t,T}$, which Theorem A.4 gives for $s_1$ alone."
    ),
    **_one,
)  # fmt: skip
