r"""Eq. (105): errors of the gradient of the values, matrices for every sequence, and bounds of their norms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Sum, Symbol, sqrt

from claims.domain import Array, Computed, Domain, Point, Real, Size
from claims.im2026.notation import N, T, i, words
from claims.model import Hypothesis
from claims.statement import Compare, ForAll, Quantity
from claims.terms import entry, value_of

k = Symbol("k", integer=True, positive=True)
r"""An entry of a matrix of $|\mathcal V|^2$."""
ENTRIES = words**2

# Norms of the factors, which may be any numbers that are not negative.
NAMES = (r"\rho", r"\alpha", r"\xi", r"\upsilon", r"\delta")
_roots = MatrixSymbol("Z", N, len(NAMES))
residual_gap, attention, inputs, residual, attention_gap = LENGTHS_OF = tuple(
    MatrixSymbol(name, N, 1) for name in NAMES
)
uniform, output, output_gap = FIXED = tuple(
    Symbol(name, nonnegative=True) for name in (r"\alpha_0", r"\omega", r"\omega'")
)


def _squares(column: int) -> Callable[[Point], ImmutableDenseMatrix]:
    return lambda at: at[_roots].col(column).applyfunc(lambda z: z**2)


def _bounds() -> tuple[Callable[[Any], Any], ...]:
    """What bounds the norm of each error of a sequence."""
    rho, alpha, xi, upsilon, delta = (entry(vector) for vector in LENGTHS_OF)
    return (
        lambda n: rho(n) * alpha(n) * xi(n) * output,
        lambda n: upsilon(n) * delta(n) * xi(n) * output,
        lambda n: upsilon(n) * uniform * xi(n) * output_gap,
    )


BOUNDS = _bounds()
ERROR_MATRICES = tuple(MatrixSymbol(f"E^{{({c})}}", N, ENTRIES) for c in (1, 2, 3))
_directions = MatrixSymbol("D", 3 * N, ENTRIES)


def bound_of(n: Any) -> Any:
    """The right-hand side of (105) for sequence n."""
    return sum(bound(n) for bound in BOUNDS)


def error_of(n: Any, place: Any) -> Any:
    """An entry of the sum of the three errors of sequence n."""
    return sum(entry(matrix)(n, place) for matrix in ERROR_MATRICES)


def _error(which: int) -> Callable[[Point], ImmutableDenseMatrix]:
    """Any direction, shortened to what the norm may be: the sum of absolute values is that."""

    def define(at: Point) -> ImmutableDenseMatrix:
        rows = []
        for n in range(int(at[N])):
            row = at[_directions].row(which * int(at[N]) + n)
            size = sum(abs(x) for x in row) or Integer(1)
            rows.append(row * value_of(BOUNDS[which](Integer(n + 1)), at) / size)
        return ImmutableDenseMatrix.vstack(*rows)

    return define


def _short(which: int) -> ForAll:
    """The squared norm of an error of any sequence is at most the square of its bound."""
    square = Sum(entry(ERROR_MATRICES[which])(i, k) ** 2, (k, 1, ENTRIES))
    return ForAll(i, 1, N, Compare(square, "<=", BOUNDS[which](i) ** 2))


def _positive(vector: MatrixSymbol) -> ForAll:
    return ForAll(i, 1, N, Compare(entry(vector)(i), ">=", 0))


SHORT = tuple(map(_short, range(3)))
POSITIVE = tuple(map(_positive, LENGTHS_OF))
THREE_ERRORS = Domain(
    (
        Size(T, 3, 4), Size(N, 1, 3), Size(words, 1, 2), Array(_roots), Array(_directions),
        *(Real(symbol, 0) for symbol in FIXED),
        *(
            Computed(vector, _squares(column), known=(POSITIVE[column],))
            for column, vector in enumerate(LENGTHS_OF)
        ),
        *(
            Computed(matrix, _error(which), known=(SHORT[which],))
            for which, matrix in enumerate(ERROR_MATRICES)
        ),
    )
)  # fmt: skip
_n = Symbol("n", integer=True, positive=True)
SLOPE = sqrt(Sum(Sum(error_of(_n, k), (_n, 1, N)) ** 2, (k, 1, ENTRIES))) / (N * T)
any_slope = Quantity(
    r"\|\frac{\partial\mathcal L}{\partial V^{(1)}}+s\eta\bar\Phi^\top\bar B^\top\|_F",
    lambda at: value_of(SLOPE, at),
)
ERRORS = Hypothesis(
    r"-NT\bigl(\tfrac{\partial\mathcal L}{\partial V^{(1)}}+s\eta\bar\Phi^\top\bar B^\top\bigr)="
    r"\textstyle\sum_i\bigl(E_i^{(1)}+E_i^{(2)}+E_i^{(3)}\bigr),\ "
    r"E_i^{(1)}=X_i^\top A_i^\top\bigl(R_i-(Y_i-U_O)\bigr)W_O^\top,\ "
    r"E_i^{(2)}=X_i^\top(A_i-A_0)^\top(Y_i-U_O)W_O^\top,\ "
    r"E_i^{(3)}=X_i^\top A_0^\top(Y_i-U_O)(W_O-s\eta\bar B)^\top"
)
LENGTHS = Hypothesis(
    r"\|MN\|_F\le\|M\|\|N\|_F\ \text{for these products};\ "
    r"\rho_i=\|R_i-(Y_i-U_O)\|_F,\ \alpha_i=\|A_i\|,\ \xi_i=\|X_i\|,\ \omega=\|W_O\|,\ "
    r"\upsilon_i=\|Y_i-U_O\|,\ \delta_i=\|A_i-A_0\|_F,\ \alpha_0=\|A_0\|,\ \omega'=\|W_O-s\eta\bar B\|_F"
)
