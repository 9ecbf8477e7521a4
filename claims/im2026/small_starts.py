r"""Theorem 4.1 for every corpus and vocabulary, from every start that is small.

Weights after some steps are followed in balls, which are known to sixty digits: training has no closed form.
With $R=Y-\mathcal S(F)$, $G^{(L)}=RW_O^\top$ and, from layer to layer,
$S=A\odot(M-(A\odot M)\mathbf1\mathbf1^\top)$ for $M=GV^\top h^\top$, which is passed back to attention.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from random import Random
from typing import Any

import flint
from sympy import Abs, ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, Sum
from sympy.core.function import UndefinedFunction

from claims.domain import Condition, Domain, Point, Real, Scaled, Size
from claims.exact import middle, root_of_squares
from claims.im2026.backpropagation import BITS, balls
from claims.im2026.boxes import ZERO_START, UpTo, in_every_layer
from claims.im2026.corpora import Corpus, first_tokens, next_tokens, one_hot
from claims.im2026.notation import N, T, depth, eta, j, k, layer, m, s, sequences, source, words
from claims.im2026.series import fractions
from claims.model import Claim, Hypothesis
from claims.points import Itself
from claims.statement import Compare, Formula, Quantity
from claims.terms import family
from claims.typeset import typeset

MOST_ENTRIES = 4096
"""Of a matrix of weights at the start that is not always zero."""
OUTPUT = MatrixSymbol("W_O(0)", words, words)
VALUES = MatrixSymbol("V^{(1:L)}(0)", depth * words, words)
ATTENTION = MatrixSymbol("W^{(1:L)}(0)", depth * words, words)
POSITIONS = MatrixSymbol("P^{(1:L)}(0)", depth * T, 1)
"""Weights before the first step, layers one above the other."""
START_OF = {"W_O": OUTPUT, "V": VALUES, "W": ATTENTION, "P": POSITIONS}
STARTS = tuple(START_OF.values())
Matrix = Any


def _ones(rows: int, columns: int) -> Matrix:
    return flint.arb_mat(rows, columns, [1] * (rows * columns))


def _entrywise(one: Matrix, other: Matrix) -> Matrix:
    pairs = zip(one.entries(), other.entries(), strict=True)
    return flint.arb_mat(one.nrows(), one.ncols(), [a * b for a, b in pairs])


def _softmax(logits: Matrix, allowed: Matrix) -> Matrix:
    """Row by row over the allowed entries."""
    rows, columns = logits.nrows(), logits.ncols()
    exponentials = flint.arb_mat(rows, columns, [z.exp() for z in logits.entries()])
    weights = _entrywise(exponentials, allowed)
    totals = weights * _ones(columns, columns)
    pairs = zip(weights.entries(), totals.entries(), strict=True)
    return flint.arb_mat(rows, columns, [a / b for a, b in pairs])


class _Network:
    """Weights by name and layer, what a pass over each sequence computes, and the next step."""

    def __init__(self, pairs: list[tuple[Matrix, Matrix]], weights: dict[str, list[Matrix]]):
        self.pairs, self.weights = pairs, weights
        self.length, self.vocabulary = pairs[0][0].nrows(), pairs[0][0].ncols()
        self.passes = [self._pass(x, y) for x, y in pairs]
        self._written: dict[tuple[str, int], ImmutableDenseMatrix] = {}

    def written(self, name: str, place: int) -> ImmutableDenseMatrix:
        """A weight of a layer with the decimals that are shown of it; written once."""
        if (name, place) not in self._written:
            weight = self.weights[name][place - 1]
            shown = [Rational(str(_shown(entry))) for entry in weight.entries()]
            self._written[name, place] = ImmutableDenseMatrix(weight.nrows(), weight.ncols(), shown)
        return self._written[name, place]

    def stepped(self, rate: Any) -> _Network:
        """Each weight with the rate times minus its mean gradient added."""
        share = rate / (len(self.pairs) * self.length)
        parts = [self._descent(found) for found in self.passes]
        weights = {
            name: [
                own + share * sum((p[name][at] for p in parts[1:]), start=parts[0][name][at])
                for at, own in enumerate(layers)
            ]
            for name, layers in self.weights.items()
        }
        return _Network(self.pairs, weights)

    def _pass(self, x: Matrix, y: Matrix) -> dict[str, list[Matrix]]:
        length = self.length
        seen = flint.arb_mat(
            length, length, [int(b <= a) for a in range(length) for b in range(length)]
        )
        states, logits, mixing = [x], [], []
        for at, value in enumerate(self.weights["V"]):
            h, scores = states[-1], self.weights["P"][at].entries()
            apart = [scores[a - b] if b <= a else 0 for a in range(length) for b in range(length)]
            by_words = h * self.weights["W"][at] * h.transpose()
            logits.append(by_words + flint.arb_mat(length, length, apart))
            mixing.append(_softmax(logits[-1], seen))
            states.append(h + mixing[-1] * h * value)
        said = _softmax(states[-1] * self.weights["W_O"][0], _ones(length, self.vocabulary))
        back = [(y - said) * self.weights["W_O"][0].transpose()]
        passed: list[Matrix] = []
        scored: list[Matrix] = []
        for at in reversed(range(len(mixing))):
            h, a = states[at], mixing[at]
            through = back[0] * self.weights["V"][at].transpose()
            passed.insert(0, through * h.transpose())
            heard = _entrywise(a, passed[0])
            scored.insert(0, heard - _entrywise(a, heard * _ones(length, length)))
            own = self.weights["W"][at]
            back.insert(
                0,
                back[0] + a.transpose() * through + scored[0] * h * own.transpose()
                + scored[0].transpose() * h * own,
            )  # fmt: skip
        return {
            "h": states, "Z": logits, "A": mixing, "p": [said], "R": [y - said], "M": passed, "S": scored,
            "G": back[1:],
        }  # fmt: skip

    def _descent(self, found: dict[str, list[Matrix]]) -> dict[str, list[Matrix]]:
        """Minus T times the gradient of one sequence's loss."""
        layers = list(zip(found["h"], found["A"], found["S"], found["G"], strict=False))
        return {
            "W_O": [found["h"][-1].transpose() * found["R"][0]],
            "V": [h.transpose() * a.transpose() * back for h, a, _, back in layers],
            "W": [h.transpose() * scores * h for h, _, scores, _ in layers],
            "P": [self._by_difference(scores) for _, _, scores, _ in layers],
        }

    def _by_difference(self, scores: Matrix) -> Matrix:
        """Sums of sub-diagonals."""
        length = self.length
        sums = [sum(scores[a, a - b] for a in range(b, length)) for b in range(length)]
        return flint.arb_mat(length, 1, sums)


@lru_cache(maxsize=256)
def _after(corpus: Itself, starts: tuple[Any, ...], rate: Any, layers: int, steps: int) -> _Network:
    with flint.ctx.workprec(BITS):
        if steps > 0:
            before = _after(corpus, starts, rate, layers, steps - 1)
            return before.stepped(flint.arb(flint.fmpq(int(rate.p), int(rate.q))))
        at = {sequences: corpus.value}
        pairs = zip(first_tokens(at), next_tokens(at), strict=True)
        texts = [(balls(x), balls(y)) for x, y in pairs]
        weights = {
            name: [balls(_of_layer(stack, count, at + 1)) for at in range(count)]
            for name, stack in zip(START_OF, starts, strict=True)
            for count in (stacked(name, layers),)
        }
        return _Network(texts, weights)


def network(at: Point, steps: Any) -> _Network:
    """The network after so many steps."""
    starts = tuple(at[symbol] for symbol in STARTS)
    return _after(Itself(at[sequences]), starts, at[eta], int(at[depth]), int(steps))


def _shown(number: Any) -> Decimal:
    with flint.ctx.workprec(BITS):
        return middle(number)


def matrix_of_weight(name: str, at: Point, place: int = 1) -> ImmutableDenseMatrix:
    """A weight of a layer after the steps of a point; exact at the start."""
    if at[s] == 0:
        return _start_of(name, at, place)
    return network(at, at[s]).written(name, place)


def of_weight(name: str, pattern: str) -> UndefinedFunction:
    """Entries of a weight, by steps and (but for W_O) layer, then row and column; exact at the start."""

    def define(at: Point, steps: int, *places: int) -> Any:
        place, row, *column = (1, *places) if name == "W_O" else places
        entry = row - 1, column[0] - 1 if column else 0
        if steps == 0:
            return _start_of(name, at, place)[entry]
        return _shown(network(at, steps).weights[name][place - 1][entry])

    return family(pattern, define, kept=True)


def _start_of(name: str, at: Point, place: int) -> ImmutableDenseMatrix:
    return _of_layer(at[START_OF[name]], stacked(name, int(at[depth])), place)


def stacked(name: str, layers: int) -> int:
    """How many matrices of a weight stand one above the other."""
    return 1 if name == "W_O" else layers


@lru_cache(maxsize=256)
def _of_layer(stack: ImmutableDenseMatrix, layers: int, place: int) -> ImmutableDenseMatrix:
    """One of so many matrices that stand one above the other."""
    rows = stack.rows // layers
    return stack[(place - 1) * rows : place * rows, :]


def of_pass(name: str, pattern: str, first: int = 1) -> UndefinedFunction:
    """Those of what a pass computes, by steps, layer and sequence, then row and column."""

    def define(at: Point, steps: int, place: int, text: int, row: int, column: int) -> Decimal:
        return _shown(network(at, steps).passes[text][name][place - first][row - 1, column - 1])

    return family(pattern, define, kept=True)


output = of_weight("W_O", r"W_O({0})_{{{1}{2}}}")
value = of_weight("V", r"V^{{({1})}}({0})_{{{2}{3}}}")
attention = of_weight("W", r"W^{{({1})}}({0})_{{{2}{3}}}")
positions = of_weight("P", r"P^{{({1})}}({0})_{{{2}}}")
"""Weights after so many steps."""
hidden = of_pass("h", r"(h_{{{2}}}^{{({1})}}({0}))_{{{3}{4}}}", first=0)
logit = of_pass("Z", r"(Z_{{{2}}}^{{({1})}}({0}))_{{{3}{4}}}")
weight = of_pass("A", r"(A_{{{2}}}^{{({1})}}({0}))_{{{3}{4}}}")
passed_back = of_pass("M", r"(M_{{{2}}}^{{({1})}}({0}))_{{{3}{4}}}")
score = of_pass("S", r"(S_{{{2}}}^{{({1})}}({0}))_{{{3}{4}}}")
sensitivity = of_pass("G", r"(G_{{{2}}}^{{({1})}}({0}))_{{{3}{4}}}")
probability = of_pass("p", r"\mathcal S(F_{{{2}}}({0}))_{{{3}{4}}}")
"""What a pass with them computes; probabilities belong to layer one."""


def sized(entry: Any) -> Any:
    """The sum of the absolute values of a matrix, of which an entry is given."""
    return Sum(Sum(Abs(entry), (k, 1, words)), (j, 1, words))


def started_within(most: Any) -> tuple[Formula, ...]:
    """That the absolute values of the entries of each weight at the start add up to at most so much."""
    of_layer = (
        sized(value(0, layer, j, k)), sized(attention(0, layer, j, k)),
        Sum(Abs(positions(0, layer, m)), (m, 1, T)),
    )  # fmt: skip
    return (
        Compare(sized(output(0, j, k)), "<=", most),
        *(in_every_layer(Compare(size, "<=", most)) for size in of_layer),
    )


SMALL_FORMULAS = started_within(eta**4)
SMALL = tuple(Condition.of(formula) for formula in SMALL_FORMULAS)


@dataclass(frozen=True)
class Rate(Real):
    """A learning rate, tried where training does not run away."""

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        yield Rational(1, 12 * (weight + 1))

    def draw(self, rng: Random, point: Point) -> Any:
        return Rational(rng.randint(1, 12), 144)


@dataclass(frozen=True)
class Begun(Scaled):
    """Weights at the start: zero in every other draw, and always where there are many of them."""

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        if not self._is_large(point):
            yield from super().of_weight(weight, point)
        elif weight == 0:
            yield ImmutableDenseMatrix.zeros(*self.shape(point))

    def draw(self, rng: Random, point: Point) -> Any:
        if self._is_large(point):
            return ImmutableDenseMatrix.zeros(*self.shape(point))
        drawn = super().draw(rng, point)
        return drawn if rng.randrange(2) else ImmutableDenseMatrix.zeros(*drawn.shape)

    def _is_large(self, point: Point) -> bool:
        rows, columns = self.shape(point)
        return rows * columns > MOST_ENTRIES


_UNIT = eta**4 / (2 * words**2)
_SIZES = (Size(N, 1, 2), Size(T, 1, 2), Size(words, 1, 2), Size(depth, 1, 2), Size(s, 0, 2))
ARRAYS = (
    Begun(OUTPUT, 1, _UNIT), Begun(VALUES, 1, _UNIT), Begun(ATTENTION, 1, _UNIT),
    Begun(POSITIONS, 1, eta**4 / (2 * T)),
)  # fmt: skip
TRAINED = Domain((*_SIZES, Corpus(), Rate(eta), *ARRAYS))
"""Any sizes, rate and start."""
ONE_LAYER = Condition.of(Compare(depth, "=", 1))
SINGLE = Domain(TRAINED.variables, (ONE_LAYER,))
"""The same in one layer."""

# How far training has come ------------------------------------------------------------------------

travelled = family(r"x({})", lambda at, n: n * at[eta], kept=True)
"""Steps times the rate."""
pairs_travelled = family(
    r"c({})", lambda at, n: Integer(n) * (Integer(n) - 1) / 2 * at[eta] ** 2, kept=True
)
"""Pairs of steps times its square."""
pace = family(r"y({})", lambda at, n: (Integer(n) + Rational(1, 2)) * at[eta], kept=True)
"""Half a step more, which leaves room for what a start adds."""


# Distances from leading terms ---------------------------------------------------------------------


@lru_cache(maxsize=256)
def _maps(corpus: Itself) -> dict[str, Matrix]:
    r"""$\bar B$, $\bar\Phi^\top\bar B^\top$, $\bar Q$ and $\Delta$ in fractions."""
    at = {sequences: corpus.value}
    pairs = [
        (fractions(x), fractions(y)) for x, y in zip(first_tokens(at), next_tokens(at), strict=True)
    ]
    length, vocabulary = pairs[0][0].nrows(), pairs[0][0].ncols()
    share = flint.fmpq(1, len(pairs) * length)
    uniform = flint.fmpq_mat(
        length, vocabulary, [flint.fmpq(1, vocabulary)] * (length * vocabulary)
    )
    mixing = flint.fmpq_mat(
        length,
        length,
        [
            flint.fmpq(1, t + 1) if m <= t else flint.fmpq(0)
            for t in range(length)
            for m in range(length)
        ],
    )
    bigrams = _summed(x.transpose() * (y - uniform) for x, y in pairs) * share
    contexts = _summed((y - uniform).transpose() * mixing * x for x, y in pairs) * share
    composed = contexts.transpose() * bigrams.transpose()
    by_pairs = [
        _centred((y - uniform) * bigrams.transpose() * composed.transpose() * x.transpose())
        for x, y in pairs
    ]
    scores = _summed(by_pairs) * share
    by_words = (x.transpose() * q * x for (x, _), q in zip(pairs, by_pairs, strict=True))
    apart = [sum(scores[t, t - m] for t in range(m, length)) for m in range(length)]
    return {
        "W_O": bigrams, "V": composed, "W": _summed(by_words) * share,
        "P": flint.fmpq_mat(length, 1, apart),
    }  # fmt: skip


def _summed(parts: Any) -> Matrix:
    first, *others = parts
    return sum(others, start=first)


def _centred(scores: Matrix) -> Matrix:
    """Row t less the mean of its first t entries, over t; later entries are zero."""
    made = []
    for t in range(scores.nrows()):
        row = [scores[t, m] for m in range(t + 1)]
        mean = sum(row) / (t + 1)
        made += [(entry - mean) / (t + 1) for entry in row]
        made += [flint.fmpq(0)] * (scores.ncols() - t - 1)
    return flint.fmpq_mat(scores.nrows(), scores.ncols(), made)


def _leading(at: Point, name: str) -> Matrix:
    """The leading term of a weight."""
    multiple = _MULTIPLES[name](at)
    return _maps(Itself(at[sequences]))[name] * flint.fmpq(int(multiple.p), int(multiple.q))


def _norm(entries: Iterable[Any]) -> Decimal:
    return _shown(root_of_squares(entries))


def leading_norm(at: Point, name: str) -> Decimal:
    """The Frobenius norm of the leading term of a weight."""
    with flint.ctx.workprec(BITS):
        return _norm(_leading(at, name).entries())


def _apart(at: Point, name: str, place: int, factor: int) -> Decimal:
    """The Frobenius norm of a weight less a multiple of its leading term."""
    with flint.ctx.workprec(BITS):
        own = network(at, at[s]).weights[name][place - 1].entries()
        lead = _leading(at, name).entries()
        return _norm(x - factor * y for x, y in zip(own, lead, strict=True))


def _count(at: Point) -> Any:
    steps = at[s]
    return steps * (steps - 1) * (steps - 2) * (3 * steps - 1) / Integer(24) * at[eta] ** 4


_MULTIPLES = {
    "W_O": lambda at: at[s] * at[eta], "V": lambda at: at[s] * (at[s] - 1) / 2 * at[eta] ** 2,
    "W": _count, "P": _count,
}  # fmt: skip


def _errors(factor: int = 1) -> tuple[Any, ...]:
    """Of the four kinds of weights the distance from a multiple of the leading term."""
    times = "" if factor == 1 else str(factor)
    return (
        Quantity(rf"\|W_O-{times}s\eta\bar B\|_F", lambda at: _apart(at, "W_O", 1, factor)),
        family(
            rf"\|V^{{{{({{}})}}}}-{times}\tbinom s2\eta^2\bar\Phi^\top\bar B^\top\|_F",
            lambda at, place: _apart(at, "V", place, factor),
        ),
        family(
            rf"\|W^{{{{({{}})}}}}-{times}(3\tbinom s4+2\tbinom s3)\eta^4\bar Q\|_F",
            lambda at, place: _apart(at, "W", place, factor),
        ),
        family(
            rf"\|P^{{{{({{}})}}}}-{times}(3\tbinom s4+2\tbinom s3)\eta^4\Delta\|_F",
            lambda at, place: _apart(at, "P", place, factor),
        ),
    )


output_error, value_error, attention_error, position_error = _errors()
DOUBLED = _errors(2)
"""What would be left if leading terms were twice as large: for false statements."""


# From zero ----------------------------------------------------------------------------------------

TURNS = tuple(place % 2 for place in range(65))
MIXED = tuple((place * place + place // 7) % 3 for place in range(65))
"""Two words in turn, and three by a rule."""


def still(
    *texts: tuple[int, ...], rate: Any, steps: int, layers: int = 1, words_: int = 3
) -> Point:
    """Texts on which a network of so many layers and words is trained from zero."""
    length = len(texts[0]) - 1
    shapes = (words_, words_), *[(layers * words_, words_)] * 2, (layers * length, 1)
    starts = (ImmutableDenseMatrix.zeros(*shape) for shape in shapes)
    return {
        N: Integer(len(texts)), T: Integer(length), words: Integer(words_), depth: Integer(layers),
        s: Integer(steps), sequences: tuple(one_hot(tokens, words_) for tokens in texts), eta: rate,
        **dict(zip(STARTS, starts, strict=True)),
    }  # fmt: skip


_body = (
    Compare(value_error(layer), "<=", 8 * s**3 * eta**3)
    & Compare(attention_error(layer), "<=", 65 * s**5 * eta**5)
    & Compare(position_error(layer), "<=", 65 * s**5 * eta**5)
)


def _begins_at_zero(symbol: MatrixSymbol, formula: Formula) -> Condition:
    """That absolute values add up to nothing, which is read off the entries."""
    return Condition(typeset(formula), lambda point: not point[symbol].todok(), formula)


def from_zero(
    rate: Any,
    shortest: int = 1,
    least_words: int = 1,
    single: bool = False,
    steps: int | None = None,
) -> Domain:
    """Any corpus of sequences of at least so many tokens, trained from zero at rates up to the largest."""
    count, length, vocabulary, layers, _ = _SIZES
    started = map(_begins_at_zero, STARTS, started_within(Integer(0)))
    return Domain(
        (
            count, replace(length, low=shortest, high=shortest + 1),
            replace(vocabulary, low=least_words, high=least_words + 1),
            replace(layers, high=1) if single else layers,
            Size(s, 1, 3) if steps is None else Size(s, steps, steps), Corpus(),
            UpTo(eta, 0, rate, open_low=True), *ARRAYS,
        ),
        (
            *((ONE_LAYER,) if single else ()),
            *(() if steps is None else (Condition.of(Compare(s, "=", steps)),)), *started,
        ),
    )  # fmt: skip


ZERO = from_zero(1 / (12 * depth * s))
weights_from_zero_at_any_size = Claim(
    id="im2026.beyond.trained-weights-at-any-size",
    source=source("App. D", "Theorem D.10, at any size"),
    kind="bound",
    title=r"From zero the bounds hold with smaller constants at every size, without the factor $T$.",
    statement=Compare(output_error, "<=", 5 * s**2 * eta**2 / 2) & in_every_layer(_body),
    domain=ZERO,
    hypotheses=(ZERO_START, Hypothesis(r"s\eta\le\tfrac1{12L}")),
    note=(
        r"Theorem D.10 asks for $L\le\sqrt T/4$, $s\eta\le5/(8\sqrt T)$, $T\ge60$ and $|\mathcal V|\ge500$ "
        r"as well, and has $3$, $12$ and $13T$: it is an instance."
    ),
)
