r"""Weights after a few steps from zero as power series in the learning rate, exactly.

Every weight is a multiple of $\eta$ plus higher orders, so that softmax and its gradient are power series
with rational coefficients.  A series is the tuple of its matrix coefficients up to `ORDER`.  The gradients
are ours, by the chain rule: with $R=Y-S(F)$, $G^{(L)}=RW_O^\top$ and, from layer to layer,
$S=A\odot(M-(A\odot M)\mathbf1\mathbf1^\top)$ for $M=GV^\top h^\top$, which is passed back to attention.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from typing import Any

import flint
from sympy import ImmutableDenseMatrix, Rational
from sympy.core.function import UndefinedFunction

from claims.domain import Point
from claims.exact import rational
from claims.im2026.corpora import first_tokens, next_tokens
from claims.im2026.notation import depth, s, sequences
from claims.points import Itself
from claims.terms import family

__all__ = [
    "ORDER", "attention", "coefficients", "hidden", "logit", "output", "passed_back", "positions",
    "residual", "score", "sensitivity", "value", "weight",
]  # fmt: skip

ORDER = 4
Matrix = Any
Series = tuple[Matrix, ...]


def zero(rows: int, columns: int) -> Series:
    return tuple(flint.fmpq_mat(rows, columns) for _ in range(ORDER + 1))


def fractions(matrix: ImmutableDenseMatrix) -> Matrix:
    """A matrix of rational numbers, to compute with."""
    entries = [flint.fmpq(int(x.p), int(x.q)) for x in matrix.flat()]
    return flint.fmpq_mat(matrix.rows, matrix.cols, entries)


def constant(matrix: ImmutableDenseMatrix) -> Series:
    return (fractions(matrix), *zero(matrix.rows, matrix.cols)[1:])


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
    made, (some_a, some_b) = [], ([bool(part) for part in term] for term in (a, b))
    for order in range(ORDER + 1):
        places = [i for i in range(order + 1) if some_a[i] and some_b[order - i]]
        parts = [times(a[i], b[order - i]) for i in places or [0]]
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
    one = _ones(rows, columns)
    exponential = power = one
    for order in range(1, ORDER + 1):
        power = scaled(hadamard(power, logits), flint.fmpq(1, order))
        exponential = add(exponential, power)
    exponential = hadamard(exponential, allowed)
    total = product(exponential, _ones(columns, columns))
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


@cache
def _behind(length: int) -> list[Series]:
    """D_m: ones on sub-diagonal m, for m = 0, ..., T - 1."""
    return [(_sub_diagonal(length, m), *zero(length, length)[1:]) for m in range(length)]


def _sub_diagonal(length: int, m: int) -> Matrix:
    ones = [int(a - b == m) for a in range(length) for b in range(length)]
    return flint.fmpq_mat(length, length, ones)


@cache
def _ones(rows: int, columns: int) -> Series:
    return (flint.fmpq_mat(rows, columns, [1] * (rows * columns)), *zero(rows, columns)[1:])


class _Network:
    """Weights as series by name and layer, what a pass over each sequence computes, and the next step."""

    def __init__(self, pairs: Sequence[tuple[Series, Series]], weights: dict[str, list[Series]]):
        self.pairs, self.weights = pairs, weights
        self.length, self.vocabulary = pairs[0][0][0].nrows(), pairs[0][0][0].ncols()
        self.diagonals = _behind(self.length)

    def stepped(self) -> _Network:
        """Each weight with eta times minus its mean gradient added."""
        share = flint.fmpq(1, len(self.pairs) * self.length)
        parts = [self._descent(found) for found in self.passes]
        weights = {
            name: [
                add(own, shifted(scaled(add(*(p[name][place] for p in parts)), share)))
                for place, own in enumerate(layers)
            ]
            for name, layers in self.weights.items()
        }
        return _Network(self.pairs, weights)

    @cached_property
    def passes(self) -> list[dict[str, list[Series]]]:
        """Of each sequence: hidden states from layer zero on and residuals; logits, attention, what is passed
        back to it, scores S and sensitivities G from layer one on."""
        return [self._pass(x, y) for x, y in self.pairs]

    def _pass(self, x: Series, y: Series) -> dict[str, list[Series]]:
        states, logits, mixing = [x], [], []
        allowed = add(*self.diagonals)
        for place in range(len(self.weights["V"])):
            h = states[-1]
            by_words = product(h, self.weights["W"][place], transposed(h))
            logits.append(add(by_words, self._positions(place)))
            mixing.append(softmax(logits[-1], allowed))
            states.append(add(h, product(mixing[-1], h, self.weights["V"][place])))
        everywhere = _ones(self.length, self.vocabulary)
        said = softmax(product(states[-1], self.weights["W_O"][0]), everywhere)
        rest = add(y, scaled(said, -1))
        back = [product(rest, transposed(self.weights["W_O"][0]))]
        passed: list[Series] = []
        scores: list[Series] = []
        for place in reversed(range(len(mixing))):
            h, a = states[place], mixing[place]
            value, weight = self.weights["V"][place], self.weights["W"][place]
            through = product(back[0], transposed(value))
            passed.insert(0, product(through, transposed(h)))
            scores.insert(0, self._centred(a, passed[0]))
            below = add(
                back[0], product(transposed(a), through),
                product(scores[0], h, transposed(weight)), product(transposed(scores[0]), h, weight),
            )  # fmt: skip
            back.insert(0, below)
        return {
            "h": states, "Z": logits, "A": mixing, "R": [rest], "M": passed, "S": scores,
            "G": back[1:],
        }  # fmt: skip

    def _descent(self, found: dict[str, list[Series]]) -> dict[str, list[Series]]:
        """Minus T times the gradient of one sequence's loss."""
        layers = list(zip(found["h"], found["A"], found["S"], found["G"], strict=False))
        return {
            "W_O": [product(transposed(found["h"][-1]), found["R"][0])],
            "V": [product(transposed(h), transposed(a), back) for h, a, _, back in layers],
            "W": [product(transposed(h), scores, h) for h, _, scores, _ in layers],
            "P": [self._by_difference(scores) for _, _, scores, _ in layers],
        }

    def _positions(self, place: int) -> Series:
        """DM(P)."""
        column = self.weights["P"][place]
        parts = [tuple(part[m, 0] * d[0] for part in column) for m, d in enumerate(self.diagonals)]
        return add(*parts)

    def _centred(self, a: Series, scores: Series) -> Series:
        """The softmax Jacobian of each row of A times that row of the scores."""
        ones = _ones(self.length, self.length)
        weighed = hadamard(a, scores)
        return add(weighed, scaled(hadamard(a, product(weighed, ones)), -1))

    def _by_difference(self, scores: Series) -> Series:
        """Sums of sub-diagonals."""
        made = []
        for part in scores:
            sums = [sum(_entrywise(d[0], part).entries()) for d in self.diagonals]
            made.append(flint.fmpq_mat(self.length, 1, sums))
        return tuple(made)


@cache
def _after(
    pairs: tuple[tuple[ImmutableDenseMatrix, ImmutableDenseMatrix], ...], layers: int, steps: int
) -> _Network:
    """The network after so many steps from zero."""
    if steps > 0:
        return _after(pairs, layers, steps - 1).stepped()
    length, vocabulary = pairs[0][0].shape
    square, column = zero(vocabulary, vocabulary), zero(length, 1)
    weights = {
        "W_O": [square], "V": [square] * layers, "W": [square] * layers, "P": [column] * layers,
    }  # fmt: skip
    return _Network([(constant(x), constant(y)) for x, y in pairs], weights)


@lru_cache(maxsize=1024)
def _of_corpus(corpus: Itself, layers: int, steps: int) -> _Network:
    at = {sequences: corpus.value}
    pairs = zip(first_tokens(at), next_tokens(at), strict=True)
    texts = tuple((ImmutableDenseMatrix(x), ImmutableDenseMatrix(y)) for x, y in pairs)
    return _after(texts, layers, steps)


def _network(at: Point, steps: Any) -> _Network:
    return _of_corpus(Itself(at[sequences]), int(at[depth]), int(steps))


def coefficients(at: Point, name: str, order: int) -> tuple[ImmutableDenseMatrix, ...]:
    """Of a weight: by layer, its matrix coefficient of that order after s steps from zero."""
    return _coefficients(Itself(at[sequences]), int(at[depth]), int(at[s]), name, order)


@lru_cache(maxsize=4096)
def _coefficients(
    corpus: Itself, layers: int, steps: int, name: str, order: int
) -> tuple[ImmutableDenseMatrix, ...]:
    kept = _of_corpus(corpus, layers, steps).weights[name]
    return tuple(_sympy(layer[order]) for layer in kept)


def _sympy(matrix: Matrix) -> ImmutableDenseMatrix:
    return ImmutableDenseMatrix(matrix.nrows(), matrix.ncols(), [*map(rational, matrix.entries())])


def of_weight(name: str, pattern: str) -> UndefinedFunction:
    """The coefficients of a weight, by steps, order and (but for W_O) layer, then row and column."""

    def define(at: Point, steps: int, order: int, *places: int) -> Rational:
        layer, row, *column = (1, *places) if name == "W_O" else places
        part = _network(at, steps).weights[name][layer - 1][order]
        return rational(part[row - 1, column[0] - 1 if column else 0])

    return family(pattern, define, kept=True)


def of_pass(name: str, pattern: str, first: int = 1) -> UndefinedFunction:
    """Those of what a pass computes, by steps, order, layer and sequence, then row and column."""

    def define(
        at: Point, steps: int, order: int, layer: int, text: int, row: int, column: int
    ) -> Rational:
        part = _network(at, steps).passes[text][name][layer - first][order]
        return rational(part[row - 1, column - 1])

    return family(pattern, define, kept=True)


output = of_weight("W_O", r"[\eta^{{{1}}}]W_O({0})_{{{2}{3}}}")
value = of_weight("V", r"[\eta^{{{1}}}]V^{{({2})}}({0})_{{{3}{4}}}")
attention = of_weight("W", r"[\eta^{{{1}}}]W^{{({2})}}({0})_{{{3}{4}}}")
positions = of_weight("P", r"[\eta^{{{1}}}]P^{{({2})}}({0})_{{{3}}}")
"""Weights after so many steps from zero."""
hidden = of_pass("h", r"[\eta^{{{1}}}](h_{{{3}}}^{{({2})}}({0}))_{{{4}{5}}}", first=0)
logit = of_pass("Z", r"[\eta^{{{1}}}](Z_{{{3}}}^{{({2})}}({0}))_{{{4}{5}}}")
weight = of_pass("A", r"[\eta^{{{1}}}](A_{{{3}}}^{{({2})}}({0}))_{{{4}{5}}}")
passed_back = of_pass("M", r"[\eta^{{{1}}}](M_{{{3}}}^{{({2})}}({0}))_{{{4}{5}}}")
score = of_pass("S", r"[\eta^{{{1}}}](S_{{{3}}}^{{({2})}}({0}))_{{{4}{5}}}")
sensitivity = of_pass("G", r"[\eta^{{{1}}}](G_{{{3}}}^{{({2})}}({0}))_{{{4}{5}}}")
residual = of_pass("R", r"[\eta^{{{1}}}](Y_{{{3}}}-\mathcal S(F_{{{3}}})({0}))_{{{4}{5}}}")
"""What a pass with them computes; residuals belong to layer one."""
