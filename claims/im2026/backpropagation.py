r"""The network of Definition 3.1 at a point, its derivatives, and the nodes that gradients are written in.

Values are balls of arb, shown to sixty digits.  A derivative is taken forward, in one unit direction
of a weight or of an intermediate value, by the product and the quotient rule: what the paper obtains by
going backward is compared with it.  What there is one of for each sequence is stacked, sequence by
sequence, under a symbol that bears the shape of one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from random import Random
from typing import Any

import flint
from sympy import Float, ImmutableDenseMatrix, Integer, MatrixSymbol, Rational
from sympy.matrices.expressions import MatrixExpr

from claims.domain import Array, Computed, Domain, Point, Scaled, Size, UpTo
from claims.expressions import explicit
from claims.im2026.corpora import Corpus, first_tokens, next_tokens
from claims.im2026.notation import N, T, depth, layer, sequences, words
from claims.model import Hypothesis
from claims.precedence import Level

__all__ = [
    "ATTENTION", "ATTENTION_STACK", "DIAGONALS", "OUTPUT", "POSITIONS", "POSITION_STACK", "SETTING",
    "TENSOR", "VALUES", "VALUE_STACK", "Applied", "EachSample", "JacobianRows", "OverSamples",
    "SubDiagonals", "any_layers", "computed", "generic", "gradient", "is_of_each_sample",
    "many_layers", "one_layer", "one_of", "parameter", "run_at", "softmax_jacobians",
]  # fmt: skip

OUTPUT = MatrixSymbol("W_O", words, words)
ATTENTION, VALUES = (MatrixSymbol(f"{name}^{{(1)}}", words, words) for name in "WV")
POSITIONS = MatrixSymbol("P^{(1)}", T, 1)
"""Weights of the only layer."""
ATTENTION_STACK = MatrixSymbol(r"W^{(1:L)}", depth * words, words)
POSITION_STACK = MatrixSymbol(r"P^{(1:L)}", depth * T, 1)
VALUE_STACK = MatrixSymbol(r"V^{(1:L)}", depth * words, words)
"""Weights of all layers, one above the other."""
SETTING = Hypothesis(
    r"R_i=Y_i-\mathcal S(F_\theta(X_i)),\ A_i^{(l)}=\mathcal S(\mathrm{Mask}(h_i^{(l-1)}W^{(l)}"
    r"h_i^{(l-1)\top}+\mathrm{DM}(P^{(l)})))"
)

# Nodes --------------------------------------------------------------------------------------------


class _PerSample(MatrixExpr):
    """A term in the values of one sequence."""

    @property
    def body(self) -> MatrixExpr:
        return self.args[0]

    def _parts(self, values: Point) -> list[ImmutableDenseMatrix]:
        """The term for every sequence: stacked values have N times the rows of their symbol."""
        count, found = int(values[N]), []
        symbols = filter(is_of_each_sample, self.body.atoms(MatrixSymbol))
        stacks = {symbol: values[symbol] for symbol in symbols}
        for place in range(count):
            own = {}
            for symbol, stack in stacks.items():
                rows = stack.rows // count
                own[symbol] = stack[place * rows : (place + 1) * rows, :]
            found.append(explicit(self.body, {**values, **own}))
        return found


class OverSamples(_PerSample):
    """The sum over the sequences."""

    @property
    def shape(self) -> Any:
        return self.body.shape

    def explicit_at(self, values: Point) -> ImmutableDenseMatrix:
        first, *others = self._parts(values)
        return sum(others, start=first)

    def _latex(self, printer: Any) -> str:
        return rf"\sum_{{i=1}}^{{N}} {printer.shown(self.body, Level.PREFIXED)}"


class EachSample(_PerSample):
    """The values for all sequences, stacked."""

    @property
    def shape(self) -> Any:
        rows, columns = self.body.shape
        return N * rows, columns

    def explicit_at(self, values: Point) -> ImmutableDenseMatrix:
        return ImmutableDenseMatrix.vstack(*self._parts(values))

    def _latex(self, printer: Any) -> str:
        return str(printer.shown(self.body))


class Applied(MatrixExpr):
    r"""$\mathrm{ein}_{tjk,tk\to tj}(J,M)$ with $J_t=\mathrm{Diag}(A^{[t]})-A^{[t]\top}A^{[t]}$.

    The third argument is the name of J.
    """

    def __new__(cls, matrix: Any, attention: MatrixSymbol, name: Any) -> Applied:
        return super().__new__(cls, matrix, attention, name)

    @property
    def body(self) -> MatrixExpr:
        return self.args[0]

    @property
    def shape(self) -> Any:
        return self.body.shape

    def explicit_at(self, values: Point) -> ImmutableDenseMatrix:
        jacobians = explicit(JacobianRows(self.args[1]), values)
        matrix, size = explicit(self.body, values), jacobians.cols
        rows = ((jacobians[t * size : (t + 1) * size, :] * matrix.row(t).T).T for t in range(size))
        return ImmutableDenseMatrix.vstack(*rows)

    def _latex(self, printer: Any) -> str:
        return rf"\mathrm{{ein}}_{{tjk,tk\to tj}}({self.args[2]},\ {printer._print(self.body)})"


class JacobianRows(MatrixExpr):
    r"""$\mathrm{Diag}(A^{[t]})-A^{[t]\top}A^{[t]}$ for every t, one below the other."""

    @property
    def shape(self) -> Any:
        rows, columns = self.args[0].shape
        return rows * columns, columns

    def explicit_at(self, values: Point) -> ImmutableDenseMatrix:
        weights = explicit(self.args[0], values)
        rows = (weights.row(t) for t in range(weights.rows))
        return ImmutableDenseMatrix.vstack(*(ImmutableDenseMatrix.diag(*a) - a.T * a for a in rows))

    @property
    def body(self) -> MatrixExpr:
        return self.args[0]

    def _latex(self, printer: Any) -> str:
        row = rf"{str(self.args[0])[:-1]}[t]}}"
        return rf"\mathrm{{Diag}}({row}) - {row[:-1]}\top}} {row}"


class SubDiagonals(MatrixExpr):
    r"""$\mathrm{ein}_{tjk,jk\to t}(D,S)$: the sums along the sub-diagonals, a column."""

    @property
    def body(self) -> MatrixExpr:
        return self.args[0]

    @property
    def shape(self) -> Any:
        return self.body.shape[0], 1

    def explicit_at(self, values: Point) -> ImmutableDenseMatrix:
        matrix = explicit(self.body, values)
        length = matrix.rows
        return ImmutableDenseMatrix(
            [sum(matrix[t, t - m] for t in range(m, length)) for m in range(length)]
        )

    def _latex(self, printer: Any) -> str:
        return rf"\mathrm{{ein}}_{{tjk,jk\to t}}(D,\ {printer._print(self.body)})"


def is_of_each_sample(symbol: Any) -> bool:
    """Whether the value of a symbol holds one matrix for each sequence."""
    return symbol in _STACKED


_STACKED: set[MatrixSymbol] = set()


def one_of(name: str, columns: Any) -> MatrixSymbol:
    """A matrix that every sequence has one of, with T rows."""
    symbol = MatrixSymbol(name, T, columns)
    _STACKED.add(symbol)
    return symbol


# The network --------------------------------------------------------------------------------------

BITS = 256
Direction = tuple[str, int, int, int, int]
"""What moves, of which layer, of which sequence (-1 for a weight), and the place of its entry."""


@dataclass(frozen=True)
class Moving:
    """A matrix and its derivative in the direction."""

    value: Any
    slope: Any

    def __add__(self, other: Moving) -> Moving:
        return Moving(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other: Moving) -> Moving:
        return Moving(self.value * other.value, self.slope * other.value + self.value * other.slope)

    @property
    def T(self) -> Moving:
        return Moving(self.value.transpose(), self.slope.transpose())


def balls(matrix: Any) -> Any:
    entries = [flint.arb(flint.fmpq(int(x.p), int(x.q))) for x in matrix.flat()]
    return flint.arb_mat(matrix.rows, matrix.cols, entries)


def digits(matrix: Any) -> ImmutableDenseMatrix:
    return ImmutableDenseMatrix(
        matrix.nrows(), matrix.ncols(), [Float(x.mid().str(70, radius=False), 65) for x in matrix.entries()]
    )  # fmt: skip


class Run:
    """The network with given weights on given sequences."""

    def __init__(self, tokens: Any, targets: Any, stacks: Any, output: Any, layers: int):
        self.tokens, self.targets = [balls(x) for x in tokens], targets
        self.length, self.words = tokens[0].shape
        self.layers = layers
        attention, positions, values = (self._layers(stack) for stack in stacks)
        self.weights = {"W": attention, "P": positions, "V": values, "W_O": [balls(output)]}

    def _layers(self, stack: Any) -> list[Any]:
        rows = stack.rows // self.layers
        return [balls(stack[l * rows : (l + 1) * rows, :]) for l in range(self.layers)]  # noqa: E741

    def _at(self, what: str, place: int, sample: int, value: Any, moved: Direction | None) -> Any:
        """A value with its slope: one at the entry that moves, if it is this one that does."""
        slope = flint.arb_mat(value.nrows(), value.ncols())
        if moved is not None and moved[:3] == (what, place, sample):
            slope[moved[3], moved[4]] = 1
        return Moving(value, slope)

    def _also(self, what: str, place: int, sample: int, x: Moving, moved: Direction | None) -> Any:
        return Moving(x.value, x.slope + self._at(what, place, sample, x.value, moved).slope)

    def forward(self, sample: int, moved: Direction | None = None) -> dict[Any, Moving]:
        """Hidden states, logits, attention and outputs of one sequence by name and layer."""
        weight = lambda name, place: self._at(name, place, -1, self.weights[name][place - 1], moved)  # noqa: E731
        tokens = self.tokens[sample]
        found = {
            ("hidden", 0): self._also("hidden", 0, sample, self._at("", 0, 0, tokens, None), moved)
        }
        for place in range(1, self.layers + 1):
            h = found["hidden", place - 1]
            logits = h * weight("W", place) * h.T + self._diagonals(weight("P", place))
            logits = self._also("logits", place, sample, logits, moved)
            attention = self._also("attention", place, sample, self._softmax(logits, True), moved)
            hidden = h + attention * h * weight("V", place)
            found["logits", place], found["attention", place] = logits, attention
            found["hidden", place] = self._also("hidden", place, sample, hidden, moved)
        output = found["hidden", self.layers] * weight("W_O", 1)
        found["output", 1] = self._also("output", 1, sample, output, moved)
        return found

    def _diagonals(self, p: Moving) -> Moving:
        """DM(P): entry m on sub-diagonal m - 1."""
        size = self.length
        made = []
        for column in (p.value, p.slope):
            matrix = flint.arb_mat(size, size)
            for t in range(size):
                for m in range(t + 1):
                    matrix[t, m] = column[t - m, 0]
            made.append(matrix)
        return Moving(*made)

    def _softmax(self, x: Moving, masked: bool) -> Moving:
        """Rows of exponentials over their sums, with their derivatives by the quotient rule."""
        value, slope = (flint.arb_mat(x.value.nrows(), x.value.ncols()) for _ in range(2))
        for t in range(x.value.nrows()):
            seen = range(t + 1 if masked else x.value.ncols())
            e = [x.value[t, m].exp() for m in seen]
            de = [e[m] * x.slope[t, m] for m in seen]
            total, dtotal = sum(e), sum(de)
            for m in seen:
                value[t, m] = e[m] / total
                slope[t, m] = (de[m] * total - e[m] * dtotal) / total**2
        return Moving(value, slope)

    def loss(self, moved: Direction | None = None) -> tuple[Any, Any]:
        """Eq. (3) and its derivative: log S_y = F_y - log sum exp F."""
        value = slope = flint.arb(0)
        for sample, targets in enumerate(self.targets):
            if moved is not None and moved[2] not in (-1, sample):
                continue  # what belongs to another sequence does not move here
            out = self.forward(sample, moved)["output", 1]
            for t in range(self.length):
                y = next(k for k in range(self.words) if targets[t, k])
                e = [out.value[t, k].exp() for k in range(self.words)]
                value -= out.value[t, y] - sum(e).log()
                slope -= out.slope[t, y] - sum(a * out.slope[t, k] for k, a in enumerate(e)) / sum(
                    e
                )
        count = len(self.targets) * self.length
        return value / count, slope / count

    def gradient(self, what: str, place: int = 0) -> ImmutableDenseMatrix:
        """The derivatives of the loss by every entry; stacked where each sequence has its own."""
        if what in ("W_O", "output"):
            place = 1
        if what in self.weights:
            shaped, samples = self.weights[what][place - 1], [-1]
        else:
            shaped, samples = self.steady[0][what, place].value, list(range(len(self.tokens)))
        blocks = [
            flint.arb_mat(shaped.nrows(), shaped.ncols(), [
                self.loss((what, place, sample, row, column))[1]
                for row in range(shaped.nrows()) for column in range(shaped.ncols())
            ])
            for sample in samples
        ]  # fmt: skip
        return ImmutableDenseMatrix.vstack(*map(digits, blocks))

    @property
    def tokens_in_all(self) -> int:
        """N T."""
        return len(self.tokens) * self.length

    @cached_property
    def steady(self) -> list[dict[Any, Moving]]:
        """The forward pass of every sequence."""
        return [self.forward(sample) for sample in range(len(self.tokens))]

    def stacked(self, what: str, place: int) -> ImmutableDenseMatrix:
        return ImmutableDenseMatrix.vstack(*(digits(x[what, place].value) for x in self.steady))

    def jacobians(self, place: int) -> ImmutableDenseMatrix:
        """The derivative of row t of A by row t of the logits, for every t and every sequence."""
        size, rows = self.length, []
        for sample, t in product(range(len(self.tokens)), range(size)):
            moved = (("logits", place, sample, t, k) for k in range(size))
            slopes = [self.forward(sample, m)["attention", place].slope for m in moved]
            rows += [[slope[t, j] for slope in slopes] for j in range(size)]
        return digits(flint.arb_mat(rows))

    def log_outputs(self) -> ImmutableDenseMatrix:
        """The logarithm of the softmax of the outputs, entry by entry."""
        found = []
        for passed in self.steady:
            soft = self._softmax(passed["output", 1], False).value
            logs = [x.log() for x in soft.entries()]
            found.append(digits(flint.arb_mat(soft.nrows(), soft.ncols(), logs)))
        return ImmutableDenseMatrix.vstack(*found)

    def residuals(self) -> ImmutableDenseMatrix:
        """R_i = Y_i - S(F(X_i))."""
        return ImmutableDenseMatrix.vstack(
            *(y - digits(self._softmax(x["output", 1], False).value)
              for x, y in zip(self.steady, self.targets, strict=True))
        )  # fmt: skip


@lru_cache(maxsize=256)
def _run(corpus: Any, attention: Any, positions: Any, values: Any, output: Any, layers: int) -> Run:
    at = {sequences: corpus}
    return Run(first_tokens(at), next_tokens(at), (attention, positions, values), output, layers)


def run_at(at: Point) -> Run:
    """The network at a point."""
    many = depth in at
    stacks = (
        (ATTENTION_STACK, POSITION_STACK, VALUE_STACK) if many else (ATTENTION, POSITIONS, VALUES)
    )
    weights = (at[symbol] for symbol in (*stacks, OUTPUT))
    return _run(at[sequences], *weights, int(at[depth]) if many else 1)


def layer_of(at: Point) -> int:
    """The layer in question: the only one, where there is but one."""
    return int(at[layer]) if layer in at else 1


def computed(symbol: Any, value: Callable[[Run, int], Any]) -> Computed:
    """A variable that the network determines; `value` receives the run and the layer."""

    def at_point(at: Point) -> Any:
        with flint.ctx.workprec(BITS):
            return value(run_at(at), layer_of(at))

    return Computed(symbol, at_point)


def softmax_jacobians(at: Point) -> ImmutableDenseMatrix:
    """The definition of the derivative of each row of the attention by its own row of logits."""
    with flint.ctx.workprec(BITS):
        return run_at(at).jacobians(layer_of(at))


def gradient(
    what: str, shift: int = 0, top: bool = False
) -> Callable[[Point], ImmutableDenseMatrix]:
    """The definition of the derivative of the loss, at the point's layer (shifted) or the last one."""

    def define(at: Point) -> ImmutableDenseMatrix:
        with flint.ctx.workprec(BITS):
            run = run_at(at)
            return run.gradient(what, run.layers if top else layer_of(at) + shift)

    return define


def parameter(symbol: MatrixSymbol, stack: MatrixSymbol) -> Computed:
    """The weight of the point's layer."""

    def at_point(at: Point) -> Any:
        rows = at[stack].rows // int(at[depth])
        return at[stack][(int(at[layer]) - 1) * rows : int(at[layer]) * rows, :]

    return Computed(symbol, at_point)


def _diagonals(at: Point) -> ImmutableDenseMatrix:
    """Row (t, k), column m: one where k is m - 1 before t."""
    size = int(at[T])
    return ImmutableDenseMatrix(
        size * size, size, lambda row, m: Integer(row // size - row % size == m)
    )


DIAGONALS = MatrixSymbol("D", T * T, T)
TENSOR = Computed(DIAGONALS, _diagonals)
"""The tensor D of the lemmas, (j, k) flattened to a row and t as the column."""
_sizes = (Size(N, 1, 2), Size(T, 1, 3), Size(words, 1, 3))


def one_layer(*made: Computed) -> Domain:
    """Any corpus, any weights of one layer, and what they determine."""
    weights = (_parts(symbol, 2) for symbol in (ATTENTION, POSITIONS, VALUES, OUTPUT))
    return Domain((*_sizes, Corpus(), *weights, *made))


def _parts(symbol: MatrixSymbol, parts: int) -> Array:
    """Multiples of a half, or of less: logits then stay within what float64 follows closely."""
    return Scaled(symbol, 2, unit=Rational(1, parts))


GENERIC = {N: 2, T: 3, words: 3, depth: 3, layer: 2}


def generic(domain: Domain) -> Point:
    """A point at which no size is one and, where there are layers, the layer is neither first nor last."""
    sizes = {v.symbol: GENERIC[v.symbol] for v in domain.variables if isinstance(v, Size)}
    fixed = (
        Size(v.symbol, sizes[v.symbol], sizes[v.symbol]) if v.symbol in sizes else v
        for v in domain.variables
    )
    return Domain(tuple(fixed), domain.conditions).draw(Random(0))


def any_layers(*made: Any) -> Domain:
    """Any corpus, and a layer of a network."""
    places = (Size(depth, 1, 3, reach=3), UpTo(layer, 1, 3, reach=3, last=depth))
    return Domain((*_sizes, *places, Corpus(), *made))


def many_layers(*made: Any) -> Domain:
    """Any corpus, any weights of any number of layers, and what they determine at one of them."""
    stacks = (
        _parts(symbol, 8) for symbol in (ATTENTION_STACK, POSITION_STACK, VALUE_STACK, OUTPUT)
    )
    return any_layers(*stacks, *made)
