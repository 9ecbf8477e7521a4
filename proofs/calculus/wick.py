r"""Expectations of traces of words in Gaussian matrices, exactly and for symbolic sizes.

For a Gaussian X with E X = 0 and E[X_ai X_bj] = s^2 R_ab C_ij, integration by parts pairs one
chosen X with every other occurrence of X in turn.  For words u, v, p, q, up to the factor s^2,

    tr(X p X^T q)      ->  tr(p C) tr(q R)          a trace splits,
    tr(X p X q)        ->  tr(R p^T C q)            a trace is joined to part of its own reverse,
    tr(X u) tr(X^T v)  ->  tr(R v C u)              two traces merge,
    tr(X u) tr(X v)    ->  tr(R v^T C u).

Each step removes two Gaussian letters.  A *state* is a multiset of traces in normal form; most of
the (2k-1)!! pairings pass through the same few states.  The calculus first explores the states from
the highest order down, then sums from the lowest order up with exact polynomials (python-flint).
Variances are overall factors, and an odd number of any one X gives zero.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from flint import fmpz_mpoly
from sympy import Add, Expr, Mul, Symbol, Trace, sympify
from sympy.matrices.expressions import Identity, MatMul, MatrixExpr, MatrixSymbol, ZeroMatrix

from proofs.calculus.allones import (
    Fraction,
    RationalFunctions,
    Spectral,
    identity,
    rational,
    require_equal_sizes,
)
from proofs.calculus.trace_ring import TraceRing, Value
from proofs.calculus.words import Alphabet, Product, Reader

__all__ = [
    "Calculus",
    "Gaussian",
    "equal",
    "expectation",
    "expectation_of_matrix",
    "trace_normal_form",
]

Covariance: TypeAlias = tuple[Any, Any] | MatrixSymbol | None
State: TypeAlias = tuple[str, ...]
Fractions: TypeAlias = dict[tuple[str, ...], Fraction]


@dataclass(frozen=True)
class Gaussian:
    """The law of a matrix: mean zero, Gaussian, E[X_ai X_bj] = variance * R_ab * C_ij.

    `row_covariance` is R and `column_covariance` is C: None for the identity, the pair of
    eigenvalues (across, along) of a I + b 11^T, or a MatrixSymbol, which is then taken to be
    symmetric.

    >>> from sympy import symbols
    >>> n, d, rho = symbols("n d rho")
    >>> law = Gaussian(MatrixSymbol("X", n, d), row_covariance=(1 - rho, 1 + (n - 1) * rho))
    >>> expectation(Trace(law.symbol.T * law.symbol), [law])
    d*n
    """

    symbol: MatrixSymbol
    variance: Any = 1
    row_covariance: Covariance = None
    column_covariance: Covariance = None

    def __post_init__(self) -> None:
        if not isinstance(self.symbol, MatrixSymbol):
            raise TypeError(
                f"{self.symbol!r} is no MatrixSymbol: only those have a law; declare one of its shape"
            )
        object.__setattr__(self, "variance", sympify(self.variance))
        for covariance, size in zip(self.covariances, self.symbol.shape, strict=True):
            _require_covariance(covariance, size, self.symbol)

    @property
    def covariances(self) -> tuple[Covariance, Covariance]:
        return self.row_covariance, self.column_covariance


def _require_covariance(covariance: Any, size: Expr, symbol: MatrixSymbol) -> None:
    if isinstance(covariance, MatrixSymbol):
        for side in covariance.shape:
            require_equal_sizes(size, side, symbol, covariance)
    elif covariance is not None and not (isinstance(covariance, tuple) and len(covariance) == 2):
        raise TypeError(
            f"covariance {covariance!r} of {symbol}: give None, a pair of eigenvalues (across, along) "
            "or a symmetric MatrixSymbol"
        )


class Pair(NamedTuple):
    """The letters of one law: X, X^T, its row and its column covariance."""

    letter: str
    transposed: str
    rows: str
    cols: str


class Outcome(NamedTuple):
    """What a contraction leaves: numbered scalars, deterministic traces, random traces."""

    scalars: tuple[int, ...]
    fixed: tuple[str, ...]
    random: tuple[str, ...]


class Calculus:
    """The contraction of words under given laws.

    `explore` finds the states below some given ones, `evaluate` returns their expectations as
    {deterministic traces: polynomial in the numbered scalars of the alphabet}.
    """

    def __init__(self, laws: Iterable[Gaussian]):
        self.laws = tuple(laws)
        self._require_one_law_each()
        covariances = [c for law in self.laws for c in law.covariances]
        self.alphabet = Alphabet(c for c in covariances if isinstance(c, MatrixSymbol))
        self._identities: set[str] = set()
        self.pairs = tuple(map(self._pair, self.laws))
        self.random = frozenset(c for p in self.pairs for c in (p.letter, p.transposed))
        self.steps: dict[State, Counter[Outcome]] = {}
        self._within: dict[str, Counter[Outcome]] = {}
        self._between: dict[tuple[str, str], Counter[Outcome]] = {}
        self._contents: dict[str, tuple[int, ...]] = {}

    def _require_one_law_each(self) -> None:
        for symbol, count in Counter(law.symbol for law in self.laws).items():
            if count > 1:
                raise ValueError(f"{symbol} has {count} laws: a matrix has one; drop the others")

    def _pair(self, law: Gaussian) -> Pair:
        letter = self.alphabet.matrix(law.symbol)
        sides = zip(law.covariances, law.symbol.shape, strict=True)
        covariances = (self._covariance(c, size) for c, size in sides)
        return Pair(letter, self.alphabet.transpose(letter), *covariances)

    def _covariance(self, covariance: Covariance, size: Expr) -> str:
        if covariance is None:
            letter = self.alphabet.spectral(identity(size))
            self._identities.add(letter)
            return letter
        if isinstance(covariance, MatrixSymbol):
            return self.alphabet.matrix(covariance)
        return self.alphabet.spectral(Spectral.of(size, *covariance))

    # States -------------------------------------------------------------------------------------

    def contents(self, word: str) -> tuple[int, ...]:
        """How often each law's matrix occurs in the word."""
        if word not in self._contents:
            counts = Counter(word)
            self._contents[word] = tuple(
                counts[p.letter] + counts[p.transposed] for p in self.pairs
            )
        return self._contents[word]

    def order(self, words: Iterable[str]) -> tuple[int, ...]:
        """How often each law's matrix occurs in a product of traces."""
        contents = map(self.contents, words)
        return tuple(map(sum, zip((0,) * len(self.pairs), *contents, strict=True)))

    def outcome(self, product: Product) -> Outcome:
        """The random traces of a product, set apart from the deterministic ones."""
        fixed: list[str] = []
        random: list[str] = []
        for word in product.words:
            (fixed if self.random.isdisjoint(word) else random).append(word)
        return Outcome(product.scalars, tuple(fixed), tuple(random))

    def explore(self, states: Iterable[State]) -> list[State]:
        """Every state reachable from the given ones, from low order to high order."""
        found: list[State] = []
        level: dict[int, set[State]] = defaultdict(set)
        for state in states:
            level[sum(self.order(state))].add(state)
        for order in range(max(level, default=0), 0, -1):
            for state in level[order]:
                found.append(state)
                if state not in self.steps:
                    self.steps[state] = self._contract(state)
                level[order - 2].update(step.random for step in self.steps[state] if step.random)
        return found[::-1]

    # Contraction --------------------------------------------------------------------------------

    def _contract(self, state: State) -> Counter[Outcome]:
        """One chosen Gaussian letter of the state paired with every other occurrence."""
        law, word = self._pivot(state)
        rest = list(state)
        rest.remove(word)
        result: Counter[Outcome] = Counter()
        for outcome, count in self.within(law, word).items():
            result[_beside(outcome, rest)] += count
        for other, copies in Counter(rest).items():
            if self.contents(other)[law]:
                remaining = rest.copy()
                remaining.remove(other)
                for outcome, count in self.between(law, word, other).items():
                    result[_beside(outcome, remaining)] += copies * count
        return result

    def _pivot(self, state: State) -> tuple[int, str]:
        """The first law present, in the least word holding it.

        To choose by the letters and not by the length lets more states meet: by a fifth fewer are seen
        below long words with deterministic matrices in them.
        """
        law = next(i for i, count in enumerate(self.order(state)) if count)
        return law, next(w for w in state if self.contents(w)[law])

    def within(self, law: int, word: str) -> Counter[Outcome]:
        """Contractions of the pivot letter X of tr(X u) with the letters of u."""
        if word not in self._within:
            pair, u = self.pairs[law], self._opened(law, word)
            flip = self.alphabet.transpose
            self._within[word] = self._counted(
                [self._closed(u[:i], pair.cols), self._closed(u[i + 1 :], pair.rows)]
                if c == pair.transposed
                else [self._closed(pair.rows, flip(u[:i]), pair.cols, u[i + 1 :])]
                for i, c in enumerate(u)
                if c in (pair.letter, pair.transposed)
            )
        return self._within[word]

    def between(self, law: int, word: str, other: str) -> Counter[Outcome]:
        """Contractions of the pivot letter X of tr(X u) with the letters of another trace."""
        if (word, other) not in self._between:
            pair, u = self.pairs[law], self._opened(law, word)
            flip = self.alphabet.transpose
            opened = ((c, other[i + 1 :] + other[:i]) for i, c in enumerate(other))
            self._between[word, other] = self._counted(
                [self._closed(pair.rows, v if c == pair.transposed else flip(v), pair.cols, u)]
                for c, v in opened
                if c in (pair.letter, pair.transposed)
            )
        return self._between[word, other]

    def _opened(self, law: int, word: str) -> str:
        """u with tr(X u) = tr(word), for the first X or X^T in the word."""
        pair = self.pairs[law]
        i = next(i for i, c in enumerate(word) if c in (pair.letter, pair.transposed))
        u = word[i + 1 :] + word[:i]
        return u if word[i] == pair.letter else self.alphabet.transpose(u)

    def _closed(self, *parts: str) -> str:
        """The word of the parts without identities; one of them where nothing else is left."""
        word = "".join(part for part in parts if part not in self._identities)
        return word or next(filter(None, parts))

    def _counted(self, results: Iterable[list[str]]) -> Counter[Outcome]:
        products = Counter(map(self.alphabet.product, results))
        return Counter({self.outcome(p): count for p, count in products.items() if p is not None})

    # Evaluation ---------------------------------------------------------------------------------

    def evaluate(self, states: Iterable[State]) -> dict[State, Value]:
        """The expectations of the given states, at unit variances."""
        wanted = set(states)
        order = self.explore(wanted)
        words = {w for state in order for step in self.steps[state] for w in step.fixed}
        ring = TraceRing(len(self.alphabet.scalars), words)
        values: dict[State, fmpz_mpoly] = {(): ring.one}
        for state in order:
            value = ring.zero
            for step, count in self.steps[state].items():
                weight = ring.product(step.scalars, step.fixed) * count
                value = value + values[step.random] * weight
            values[state] = value
        return {state: ring.by_traces(values[state]) for state in wanted}


def _beside(outcome: Outcome, rest: list[str]) -> Outcome:
    """The outcome with the untouched traces put back."""
    if not rest:
        return outcome
    return Outcome(outcome.scalars, outcome.fixed, tuple(sorted((*outcome.random, *rest))))


class Expectation:
    """E of a scalar expression as {deterministic traces: rational function of the rest}."""

    def __init__(self, expression: Any, laws: Iterable[Gaussian]):
        self.calculus = Calculus(laws)
        self.alphabet = self.calculus.alphabet
        reader = Reader(self.alphabet, [law.symbol for law in self.calculus.laws])
        terms = list(self._terms(reader.scalar(expression)))
        values = self.calculus.evaluate({outcome.random for outcome, _ in terms})
        scalars = self.alphabet.scalars
        fixed = {w for o, _ in terms for key in values[o.random] for w in (*key, *o.fixed)}
        pure = {word: self.alphabet.pure(word) for word in fixed}
        coefficients = [c for combination in pure.values() for c in combination.values()]
        self.field = RationalFunctions([*(c for _, c in terms), *scalars, *coefficients])
        self.terms = self._purified(self._summed(terms, values), pure)

    def _terms(self, read: Mapping[tuple[str, ...], Expr]) -> Iterator[tuple[Outcome, Expr]]:
        """Terms that are even in every Gaussian matrix, with the variances they carry."""
        for words, coefficient in read.items():
            order = self.calculus.order(words)
            if any(count % 2 for count in order):
                continue
            laws = zip(self.calculus.laws, order, strict=True)
            variances = (law.variance ** (count // 2) for law, count in laws)
            yield self.calculus.outcome(Product((), words)), Mul(coefficient, *variances)

    def _summed(
        self, terms: list[tuple[Outcome, Expr]], values: Mapping[State, Value]
    ) -> Fractions:
        field = self.field
        result: Fractions = {}
        substituted = {s: self._substituted(value) for s, value in values.items()}
        for outcome, coefficient in terms:
            factor = field.read(coefficient)
            for key, fraction in substituted[outcome.random].items():
                words = tuple(sorted(key + outcome.fixed))
                term = field.product((factor, fraction))
                result[words] = field.add(result.get(words, field.zero), term)
        return result

    def _substituted(self, value: Value) -> Fractions:
        """Scalars of the alphabet replaced by what they stand for."""
        powers: dict[tuple[int, int], Fraction] = {}

        def power(scalar: int, exponent: int) -> Fraction:
            if (scalar, exponent) not in powers:
                base = self.field.read(self.alphabet.scalars[scalar])
                powers[scalar, exponent] = self.field.power(base, exponent)
            return powers[scalar, exponent]

        def replaced(polynomial: fmpz_mpoly) -> Fraction:
            terms = []
            for exponents, c in polynomial.terms():
                factors = (power(i, int(e)) for i, e in enumerate(exponents) if e)
                number = self.field.context.constant(c), self.field.one
                terms.append(self.field.product((number, *factors)))
            return self.field.total(terms)

        return {key: replaced(polynomial) for key, polynomial in value.items()}

    def _purified(
        self,
        terms: Fractions,
        pure: Mapping[str, Mapping[tuple[str, ...], Expr]],
    ) -> Fractions:
        """Deterministic words in which a I + b 11^T is written as its two summands."""
        field = self.field
        result: Fractions = {}
        for words, fraction in terms.items():
            expanded: Fractions = {(): fraction}
            for word in words:
                longer: Fractions = {}
                for key, left in expanded.items():
                    for extra, right in pure[word].items():
                        whole = tuple(sorted(key + extra))
                        term = field.product((left, field.read(right)))
                        longer[whole] = field.add(longer.get(whole, field.zero), term)
                expanded = longer
            for key, term in expanded.items():
                result[key] = field.add(result.get(key, field.zero), term)
        return {key: term for key, term in result.items() if term[0] != 0}

    def expression(self) -> Expr:
        """The SymPy form: sum of coefficients times products of canonical traces."""
        write = self.alphabet.write
        traces = {word: write(word) for word in {w for words in self.terms for w in words}}
        result = Add(
            *(
                self.field.write(c) * Mul(*(traces[w] for w in words))
                for words, c in self.terms.items()
            )
        )
        plain = all(isinstance(g, Symbol) for g in self.field.generators)
        return result if plain else rational(result)


def expectation(expression: Any, laws: Iterable[Gaussian]) -> Expr:
    r"""E of a polynomial in Trace, FrobSq and Total of words in Gaussian and fixed matrices.

    Matrices without a law are deterministic.  The result is a polynomial (a rational function when
    coefficients are) in sizes, variances and the traces of deterministic words.

    Raises `ShapeError` when shapes disagree, `TypeError` on matrix nodes that are not words and
    `ValueError` on scalars that are not polynomial in the random matrices.

    Wishart, E tr (G G^T)^2 = n m (n + m + 1):

    >>> from sympy import factor, symbols
    >>> n, m = symbols("n m", integer=True, positive=True)
    >>> G = MatrixSymbol("G", n, m)
    >>> factor(expectation(Trace((G * G.T) ** 2), [Gaussian(G)]))
    m*n*(m + n + 1)
    """
    return Expectation(expression, laws).expression()


def trace_normal_form(expression: Any) -> Expr:
    """A deterministic scalar as coefficients times canonical traces; equal forms are identical.

    >>> from sympy import symbols
    >>> n, d = symbols("n d", integer=True, positive=True)
    >>> A, B = MatrixSymbol("A", n, d), MatrixSymbol("B", d, n)
    >>> trace_normal_form(Trace(B.T * A.T) - Trace(A * B))
    0
    """
    return expectation(expression, ())


def expectation_of_matrix(expression: MatrixExpr, laws: Iterable[Gaussian]) -> MatrixExpr:
    """E[M], read off from E tr(M Z), which is linear in an auxiliary deterministic Z.

    >>> from sympy import symbols
    >>> n, d, s = symbols("n d s", integer=True, positive=True)
    >>> W = MatrixSymbol("W", n, d)
    >>> expectation_of_matrix(W * W.T, [Gaussian(W, s**2)])
    (d*s**2)*I
    """
    rows, cols = expression.shape
    dual = MatrixSymbol("<dual>", cols, rows)
    result = Expectation(Trace(MatMul(expression, dual)), laws)
    letter = result.alphabet.matrix(dual)
    summands = [
        MatMul(result.field.write(c), *_beside_dual(result.alphabet, words, letter))
        for words, c in result.terms.items()
    ]
    return Add(*summands).doit() if summands else ZeroMatrix(rows, cols)


def _beside_dual(alphabet: Alphabet, words: tuple[str, ...], letter: str) -> Iterator[Expr]:
    """The traces free of Z, then w for the one trace tr(w Z)."""
    matrix: MatrixExpr = Identity(1)
    for word in words:
        if letter not in word and letter not in alphabet.transpose(word):
            yield alphabet.write(word)
            continue
        turned = word if letter in word else alphabet.transpose(word)
        i = turned.index(letter)
        rest = turned[i + 1 :] + turned[:i]
        size = alphabet.cols(letter)
        matrix = alphabet.write_matrix(rest) if rest else Identity(size)
    yield matrix


def equal(left: Any, right: Any, laws: Iterable[Gaussian] = ()) -> bool:
    """Whether two expressions (both scalar or both matrices) have the same expectation.

    Complete for symbolic sizes; at fixed numeric sizes further identities hold, unseen here.

    >>> from claims.expressions import FrobSq
    >>> A = MatrixSymbol("A", 2, 3)
    >>> equal(FrobSq(A), Trace(A.T * A)), equal(FrobSq(A), Trace(A.T * A) + 1)
    (True, False)
    """
    if isinstance(left, MatrixExpr):
        dual = MatrixSymbol("<dual>", *reversed(left.shape))
        return equal(Trace(MatMul(left, dual)), Trace(MatMul(right, dual)), laws)
    return expectation(sympify(left) - sympify(right), laws) == 0
