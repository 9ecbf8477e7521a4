r"""Weights after a few steps from zero as power series in the learning rate, exactly.

Every weight is a multiple of $\eta$ plus higher orders, so that softmax and its gradient are power series
with rational coefficients.  A series is the tuple of its matrix coefficients up to `ORDER`.  The gradients
are ours, by the chain rule: with $R=Y-S(F)$, $G^{(L)}=RW_O^\top$ and, from layer to layer,
$S=A\odot(M-(A\odot M)\mathbf1\mathbf1^\top)$ for $M=GV^\top h^\top$.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import flint
from sympy import ImmutableDenseMatrix, Rational

from claims.domain import Point
from claims.im2026.corpora import first_tokens, next_tokens
from claims.im2026.notation import N, T, depth, s, words

__all__ = ["ORDER", "coefficients"]

ORDER = 4
Matrix = Any
Series = tuple[Matrix, ...]


def zero(rows: int, columns: int) -> Series:
    return tuple(flint.fmpq_mat(rows, columns) for _ in range(ORDER + 1))


def constant(matrix: ImmutableDenseMatrix) -> Series:
    exact = flint.fmpq_mat(
        matrix.rows, matrix.cols, [flint.fmpq(int(x.p), int(x.q)) for x in matrix]
    )
    return (exact, *zero(matrix.rows, matrix.cols)[1:])


def add(*terms: Series) -> Series:
    return tuple(sum(parts[1:], start=parts[0]) for parts in zip(*terms, strict=True))


def scaled(term: Series, by: Any) -> Series:
    return tuple(by * part for part in term)


def shifted(term: Series) -> Series:
    """Times eta."""
    return (0 * term[0], *term[:-1])


def product(*factors: Series) -> Series:
    """Of matrices, from left to right."""
    first, *rest = factors
    for other in rest:
        first = _cauchy(first, other, lambda a, b: a * b)
    return first


def hadamard(a: Series, b: Series) -> Series:
    """Entry by entry."""
    return _cauchy(a, b, _entrywise)


def _cauchy(a: Series, b: Series, times: Any) -> Series:
    made = []
    for order in range(ORDER + 1):
        parts = [times(a[i], b[order - i]) for i in range(order + 1)]
        made.append(sum(parts[1:], start=parts[0]))
    return tuple(made)


def _entrywise(a: Matrix, b: Matrix) -> Matrix:
    pairs = zip(a.entries(), b.entries(), strict=True)
    return flint.fmpq_mat(a.nrows(), a.ncols(), [x * y for x, y in pairs])


def transposed(term: Series) -> Series:
    return tuple(part.transpose() for part in term)


def softmax(logits: Series, allowed: Series) -> Series:
    """Row by row over the allowed entries, of logits that are small with eta."""
    rows, columns = logits[0].nrows(), logits[0].ncols()
    one = constant(ImmutableDenseMatrix.ones(rows, columns))
    exponential = power = one
    for order in range(1, ORDER + 1):
        power = scaled(hadamard(power, logits), flint.fmpq(1, order))
        exponential = add(exponential, power)
    exponential = hadamard(exponential, allowed)
    total = product(exponential, constant(ImmutableDenseMatrix.ones(columns, columns)))
    return hadamard(exponential, _inverse(total))


def _inverse(term: Series) -> Series:
    """One over each entry, whose constant coefficient is not zero."""
    rows, columns = term[0].nrows(), term[0].ncols()
    first = flint.fmpq_mat(rows, columns, [1 / x for x in term[0].entries()])
    made = [first]
    for order in range(1, ORDER + 1):
        parts = [_entrywise(term[i], made[order - i]) for i in range(1, order + 1)]
        made.append(-1 * _entrywise(first, sum(parts[1:], start=parts[0])))
    return tuple(made)


def _behind(length: int) -> list[ImmutableDenseMatrix]:
    """D_m: ones on sub-diagonal m, for m = 0, ..., T - 1."""
    return [
        ImmutableDenseMatrix(length, length, lambda a, b, m=m: int(a - b == m))
        for m in range(length)
    ]


class _Network:
    """Weights as series by name and layer, and one step of descent."""

    def __init__(self, layers: int, length: int, vocabulary: int):
        self.length, self.vocabulary = length, vocabulary
        self.diagonals = [constant(d) for d in _behind(length)]
        self.allowed = add(*self.diagonals)
        square = zero(vocabulary, vocabulary)
        self.weights: dict[str, list[Series]] = {
            "W_O": [square], "V": [square] * layers, "W": [square] * layers,
            "P": [zero(length, 1)] * layers,
        }  # fmt: skip

    def step(self, pairs: list[tuple[Series, Series]]) -> None:
        """Add eta times minus the mean gradient."""
        share = flint.fmpq(1, len(pairs) * self.length)
        parts = [self._descent(x, y) for x, y in pairs]
        self.weights = {
            name: [
                add(own, shifted(scaled(add(*(p[name][place] for p in parts)), share)))
                for place, own in enumerate(layers)
            ]
            for name, layers in self.weights.items()
        }

    def _descent(self, x: Series, y: Series) -> dict[str, list[Series]]:
        """Minus T times the gradient of one sequence's loss."""
        states, mixing = [x], []
        for place in range(len(self.weights["V"])):
            h = states[-1]
            logits = product(h, self.weights["W"][place], transposed(h))
            mixing.append(softmax(add(logits, self._positions(place)), self.allowed))
            states.append(add(h, product(mixing[-1], h, self.weights["V"][place])))
        everywhere = constant(ImmutableDenseMatrix.ones(self.length, self.vocabulary))
        said = softmax(product(states[-1], self.weights["W_O"][0]), everywhere)
        rest = add(y, scaled(said, -1))
        found: dict[str, list[Series]] = {
            "W_O": [product(transposed(states[-1]), rest)], "V": [], "W": [], "P": [],
        }  # fmt: skip
        back = product(rest, transposed(self.weights["W_O"][0]))
        for place in reversed(range(len(mixing))):
            h, a = states[place], mixing[place]
            value, weight = self.weights["V"][place], self.weights["W"][place]
            through = product(back, transposed(value))
            scores = self._centred(a, product(through, transposed(h)))
            found["V"].insert(0, product(transposed(h), transposed(a), back))
            found["W"].insert(0, product(transposed(h), scores, h))
            found["P"].insert(0, self._by_difference(scores))
            back = add(
                back, product(transposed(a), through), product(scores, h, transposed(weight)),
                product(transposed(scores), h, weight),
            )  # fmt: skip
        return found

    def _positions(self, place: int) -> Series:
        """DM(P)."""
        column = self.weights["P"][place]
        parts = [tuple(part[m, 0] * d[0] for part in column) for m, d in enumerate(self.diagonals)]
        return add(*parts)

    def _centred(self, a: Series, scores: Series) -> Series:
        """The softmax Jacobian of each row of A times that row of the scores."""
        ones = constant(ImmutableDenseMatrix.ones(self.length, self.length))
        weighed = hadamard(a, scores)
        return add(weighed, scaled(hadamard(a, product(weighed, ones)), -1))

    def _by_difference(self, scores: Series) -> Series:
        """Sums of sub-diagonals."""
        made = []
        for part in scores:
            sums = [sum(_entrywise(d[0], part).entries()) for d in self.diagonals]
            made.append(flint.fmpq_mat(self.length, 1, sums))
        return tuple(made)


def coefficients(at: Point) -> dict[str, tuple[tuple[ImmutableDenseMatrix, ...], ...]]:
    """Of each weight: by order, by layer, its matrix coefficient after s steps from zero."""
    pairs = tuple(
        (ImmutableDenseMatrix(x), ImmutableDenseMatrix(y))
        for x, y in zip(first_tokens(at), next_tokens(at), strict=True)
    )
    assert len(pairs) == at[N]
    return _after(pairs, int(at[depth]), int(at[T]), int(at[words]), int(at[s]))


@cache
def _after(
    pairs: tuple[tuple[ImmutableDenseMatrix, ImmutableDenseMatrix], ...],
    layers: int, length: int, vocabulary: int, steps: int,
) -> dict[str, tuple[tuple[ImmutableDenseMatrix, ...], ...]]:  # fmt: skip
    network = _Network(layers, length, vocabulary)
    data = [(constant(x), constant(y)) for x, y in pairs]
    for _ in range(steps):
        network.step(data)
    return {
        name: tuple(tuple(_sympy(layer[order]) for layer in kept) for order in range(ORDER + 1))
        for name, kept in network.weights.items()
    }


def _sympy(matrix: Matrix) -> ImmutableDenseMatrix:
    entries = [Rational(int(x.p), int(x.q)) for x in matrix.entries()]
    return ImmutableDenseMatrix(matrix.nrows(), matrix.ncols(), entries)
