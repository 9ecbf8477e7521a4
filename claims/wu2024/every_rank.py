r"""Step 3 of App. F.1 and Theorem 3, item 1: normalised weights, and equilibria of every rank at once.

Under LayerNorm a positive multiple of W_V acts like W_V, so that (31) over its 2-norm, whose powers
stay bounded (A3), has the equilibria that (31) has.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from sympy import Expr, Integer, MatrixSymbol, Min, Poly, Sum, Symbol, oo, sympify
from sympy.abc import lamda

from claims.domain import Array, Computed, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import entry, family
from claims.wu2024.chains import (
    JORDAN,
    equilibrium_rows_are_a_jordan_chain,
    printed_matrices_have_chains_of_length_k,
)
from claims.wu2024.coexistence import (
    by_signs,
    equilibria_of_every_rank_are_built_from_signs,
    full_rank_equilibria_are_counted_by_signs,
    grown,
    sign_vectors,
    signs,
    sizes_at,
)
from claims.wu2024.equilibria import (
    NORM_DEFINED,
    ZERO_SCORES,
    equilibrium_is_a_positive_multiple_of_the_sum_so_far,
    layer,
)
from claims.wu2024.notation import WV, N, X, d, source, t, w
from claims.wu2024.setup import jordan

scale, nu = Symbol("c", real=True), Symbol("nu", real=True)
SAME_WEIGHTS = Hypothesis(r"\text{one}\ W_V\ \text{for all}\ k")
row = MatrixSymbol("x", 1, d)
_i, _b, _column = (Symbol(name, integer=True) for name in ("i", "b", "column"))


def squared_norm(matrix: Any) -> Expr:
    """The squared 2-norm of a rational matrix: the largest root of its Gram matrix's polynomial."""
    gram = matrix * matrix.T
    return Poly(gram.charpoly(lamda).as_expr(), lamda).real_roots()[-1]  # in increasing order


def _squared_image(at: Point, power: Any) -> Any:
    image = at[row] * at[WV] ** int(power)
    return sum(x**2 for x in image)


normed = family(
    r"\mathrm{{LN}}(AXW_V)_{{{},{}}}", lambda at, i, b: layer(at[X], at[WV])[i - 1, b - 1]
)
normed_of_multiple = family(
    r"\mathrm{{LN}}(AX(cW_V))_{{{},{}}}",
    lambda at, i, b: layer(at[X], at[scale] * at[WV])[i - 1, b - 1],
)
image = family(r"\|xW_V^{{{}}}\|_2^2", _squared_image)
unit_image = family(
    r"\|x\hat W_V^{{{}}}\|_2^2", lambda at, power: _squared_image(at, power) / at[nu] ** power
)
"""Of W_V over its 2-norm."""


def summed_image(token: Any, column: Any, factor: Any = 1) -> Expr:
    """The sum of the first tokens' images under a multiple of W_V, in one column."""
    j, a = Symbol("j", integer=True), Symbol("a", integer=True)
    inner = Sum(entry(X)(j, a) * (factor * entry(WV)(a, column)), (a, 1, d))
    return Sum(inner, (j, 1, token))


_unchanged = ForAll(
    _i, 1, N, ForAll(_b, 1, d, Compare(normed_of_multiple(_i, _b), "=", normed(_i, _b)))
)
_bounded = ForAll(t, 0, oo, Compare(unit_image(t), "<=", Sum(entry(row)(1, _b) ** 2, (_b, 1, d))))
NORMS_DEFINED = replace(
    NORM_DEFINED,
    formula=ForAll(_i, 1, N, Compare(Sum(summed_image(_i, _column) ** 2, (_column, 1, d)), ">", 0)),
)
_operator_norm = (
    Compare(nu, ">", 0),
    ForAll(t, 0, oo, Compare(image(t + 1), "<=", nu * image(t))),
)
"""|yW_V|_2 <= |W_V|_2 |y|_2 for y = xW_V^t: what the 2-norm of a matrix is."""


def _sizes(factor: Any) -> Domain:
    return Domain(
        (
            Size(N, 1, 3),
            Size(d, 1, 3),
            Real(w, 1, open_low=True),
            factor,
            Array(X),
            Array(row),
            Computed(WV, lambda at: jordan(int(at[d]), at[w])),
            Computed(nu, lambda at: squared_norm(at[WV]), known=_operator_norm),
        ),
        (NORMS_DEFINED,),
    )


_normalised = _unchanged & _bounded
value_matrix_may_be_normalised = Claim(
    id="wu2024.app-F.step-3-A2-A3",
    source=source("App. F.1", "Step 3"),
    kind="identity",
    title="Multiples $c W_V$, $c > 0$, give the same layer; $W_V$ over its norm has bounded powers.",
    statement=_normalised,
    printed=r"\hat{W}_V = W_V / \|W_V\|_2",
    domain=_sizes(Real(scale, 0, open_low=True)),
    hypotheses=(
        ZERO_SCORES, JORDAN, Hypothesis(NORM_DEFINED.latex),
        Hypothesis(r"\nu=\|W_V\|_2^2,\ x\in\mathbb R^d"),
    ),
    mutants=(
        Mutant(
            "negative multiples too",
            _normalised,
            domain=_sizes(Real(scale, high=0, open_high=True)),
        ),
    ),
    note=(
        "$c = 1/\\|W_V\\|_2$ is one of the multiples. A3 is read for the product $\\hat W_V^t$ of equal "
        "matrices: no row $x$ grows, so that its norm is at most one; A2 holds with $C = 0$."
    ),
)  # fmt: skip

# Theorem 3, item 1 ---------------------------------------------------------------------------------


def _scaled_norm(at: Point) -> Any:
    """The largest sum of a row or column of W_V/(1 + w): the 2-norm of every power is at most that."""
    value = jordan(int(at[d]), at[w]) / (1 + at[w])
    return max(sum(line) for side in (value, value.T) for line in side.tolist())


@lru_cache(maxsize=4096)
def _scaled_layer(head: int, chosen: tuple[Any, ...], width: int, weight: Any) -> Any:
    return layer(grown(head, chosen, width, weight), jordan(width, weight) / (1 + weight))


scaled_norm = Quantity(r"\max\{\|\hat W_V\|_1,\|\hat W_V\|_\infty\}", _scaled_norm)
scaled_output_entry = family(
    r"\mathrm{{LN}}(AX^{{({},\sigma)}}\hat W_V)_{{{},{}}}",
    lambda at, k, i, b: _scaled_layer(*sizes_at(at, k, signs))[i - 1, b - 1],
)
rank = Symbol("k", integer=True, positive=True)


def _every_rank(most: Any) -> Formula:
    return scaled_norm.at_most(1) & ForAll(rank, 1, most, by_signs(rank, scaled_output_entry))


def _weights(weight: Any) -> Domain:
    chosen = Computed(
        w, lambda at: sympify(weight).subs(N, at[N]), known=(Compare(w, "=", weight),)
    )
    return Domain((Size(N, 1, 4), Size(d, 1, 4), chosen, *sign_vectors(N)))


equilibria_of_every_rank_coexist = Claim(
    id="wu2024.thm-3.equilibria-count",
    source=source("Sec. 4.3.2", "Theorem 3, item 1"),
    kind="construction",
    title="Some weights with A2-A3 have at least $2^k$ equilibria of every rank $k$ up to $\\min(N, d)$.",
    statement=_every_rank(Min(N, d)),
    printed=(
        r"\text{For any } 1 \leq k \leq \min\{N,d\}, \text{ there exist at least } 2^k "
        r"\text{ equilibria of rank } k"
    ),
    domain=_weights(N),
    hypotheses=(
        ZERO_SCORES,
        Hypothesis(r"\hat W_V\ \text{is (31) with}\ w=N,\ \text{over}\ 1+w"),
        SAME_WEIGHTS,
        Hypothesis(r"\sigma,\tau\in\{\pm1\}^N,\ c\in\mathbb R^N"),
    ),
    uses=(
        equilibrium_is_a_positive_multiple_of_the_sum_so_far,
        equilibrium_rows_are_a_jordan_chain,
        printed_matrices_have_chains_of_length_k,
        full_rank_equilibria_are_counted_by_signs,
        equilibria_of_every_rank_are_built_from_signs,
        value_matrix_may_be_normalised,
    ),
    mutants=(
        Mutant("every rank up to N", _every_rank(N)),
        Mutant("W_V = I (w = 0)", _every_rank(Min(N, d)), domain=_weights(Integer(0))),
    ),
    note=(
        "Existence is shown by one choice of weights. For every $k$ each of the $2^k$ vectors "
        "$\\sigma_1,\\dots,\\sigma_k$ of signs gives an equilibrium of rank $k$, whose first "
        "$N - k + 1$ rows are one and whose last $k$ rows are independent; different vectors give "
        "different equilibria. Sums of rows and columns of at most one bound the 2-norm of every power."
    ),
)
