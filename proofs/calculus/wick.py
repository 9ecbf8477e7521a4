r"""Expectations of traces of words in Gaussian matrices, exactly and for symbolic sizes.

For a Gaussian X with E X = 0 and E[X_ai X_bj] = s^2 R_ab C_ij, integration by parts pairs one
chosen X with every other occurrence of X in turn.  For words u, v, p, q, up to the factor s^2,

    tr(X p X^T q)      ->  tr(p C) tr(q R)          a trace splits,
    tr(X p X q)        ->  tr(R p^T C q)            a trace is joined to part of its own reverse,
    tr(X u) tr(X^T v)  ->  tr(R v C u)              two traces merge,
    tr(X u) tr(X v)    ->  tr(R v^T C u).

Each step removes two Gaussian letters.  A *state* is a multiset of traces in normal form; most of
the (2k-1)!! pairings pass through the same few states.  The calculus meets the states from the highest
order down, each once, with the polynomial that multiplies it: what is collected above a state has far
fewer terms than the expectation below it.
Variances are overall factors, and an odd number of any one X gives zero.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from flint import fmpz_mpoly
from sympy import Add, Dummy, Expr, Mul, Symbol, Trace, sympify
from sympy.matrices.expressions import Identity, MatMul, MatrixExpr, MatrixSymbol, ZeroMatrix

from proofs.calculus.allones import (
    Fraction,
    RationalFunctions,
    Spectral,
    identity,
    rational,
    require_equal_sizes,
)
from proofs.calculus.trace_ring import Polynomial, TraceRing, Value
from proofs.calculus.words import Alphabet, Reader

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
    """The letters of one law: X, X^T, its row and its column covariance, nothing for an identity.

    An identity is written where a closed word has no other letter.
    """

    letter: str
    transposed: str
    rows: str
    cols: str
    row_identity: str
    col_identity: str


class Step(NamedTuple):
    """What so many contractions leave: a monomial in scalars and fixed traces, and random traces."""

    monomial: int
    random: State
    times: int


class Calculus:
    """The contraction of words under given laws.

    `evaluate` returns the expectations of states as {deterministic traces: polynomial in the numbered
    scalars of the alphabet}; `states` counts those that were met.
    """

    def __init__(self, laws: Iterable[Gaussian]):
        self.laws = tuple(laws)
        self._require_one_law_each()
        covariances = [c for law in self.laws for c in law.covariances]
        self.alphabet = Alphabet(c for c in covariances if isinstance(c, MatrixSymbol))
        self.pairs = tuple(map(self._pair, self.laws))
        self.random = frozenset(c for p in self.pairs for c in (p.letter, p.transposed))
        self.ring = TraceRing()
        self.states = 0
        self.trace = cache(self._trace)
        self.contents = cache(self._contents)
        self.within = cache(self._within)
        self.between = cache(self._between)

    def _require_one_law_each(self) -> None:
        for symbol, count in Counter(law.symbol for law in self.laws).items():
            if count > 1:
                raise ValueError(f"{symbol} has {count} laws: a matrix has one; drop the others")
        for law in self.laws:
            given = [law.variance, *map(sympify, law.covariances)]
            if random := [x.symbol for x in self.laws if any(g.has(x.symbol) for g in given if g)]:
                raise ValueError(
                    f"the law of {law.symbol} holds {random[0]}, which is random itself"
                )

    def _pair(self, law: Gaussian) -> Pair:
        letter = self.alphabet.matrix(law.symbol)
        sides = zip(law.covariances, law.symbol.shape, strict=True)
        rows, cols = (self._covariance(c, size) for c, size in sides)
        sizes = (self.alphabet.spectral(identity(size)) for size in law.symbol.shape)
        return Pair(letter, self.alphabet.transpose(letter), rows, cols, *sizes)

    def _covariance(self, covariance: Covariance, size: Expr) -> str:
        if covariance is None:
            return ""
        if isinstance(covariance, MatrixSymbol):
            return self.alphabet.matrix(covariance)
        return self.alphabet.spectral(Spectral.of(size, *covariance))

    # States -------------------------------------------------------------------------------------

    def _contents(self, word: str) -> tuple[int, ...]:
        """How often each law's matrix occurs in the word."""
        return tuple(word.count(p.letter) + word.count(p.transposed) for p in self.pairs)

    def order(self, words: Iterable[str]) -> tuple[int, ...]:
        """How often each law's matrix occurs in a product of traces."""
        contents = map(self.contents, words)
        return tuple(map(sum, zip((0,) * len(self.pairs), *contents, strict=True)))

    def split(self, words: Iterable[str]) -> tuple[tuple[str, ...], State]:
        """The deterministic and the random traces of a product."""
        fixed: list[str] = []
        random: list[str] = []
        for word in words:
            (fixed if self.random.isdisjoint(word) else random).append(word)
        return tuple(fixed), tuple(random)

    def _trace(self, word: str) -> tuple[int, State] | None:
        """The monomial and the random traces of a closed word; None when its trace vanishes."""
        product = self.alphabet.trace(word)
        if product is None:
            return None
        fixed, random = self.split(product.words)
        return self.ring.monomial(*product.scalars, *fixed), random

    # Contraction --------------------------------------------------------------------------------

    def _contract(self, state: State) -> Iterator[Step]:
        """One chosen Gaussian letter of the state paired with every other occurrence."""
        law, word = self._pivot(state)
        place = state.index(word)
        rest = state[:place] + state[place + 1 :]
        yield from _beside(self.within(law, word), rest, 1)
        for place, other in enumerate(rest):
            if self.contents(other)[law] and (place == 0 or rest[place - 1] != other):
                remaining = rest[:place] + rest[place + 1 :]
                yield from _beside(self.between(law, word, other), remaining, rest.count(other))

    def _pivot(self, state: State) -> tuple[int, str]:
        """The first law present, in the least word holding it.

        To choose by the letters and not by the length lets more states meet: by a fifth fewer are seen
        below long words with deterministic matrices in them.
        """
        for law in range(len(self.pairs)):
            for word in state:
                if self.contents(word)[law]:
                    return law, word
        raise ValueError(f"the state {state!r} holds no Gaussian letter; evaluate others only")

    def _within(self, law: int, word: str) -> list[Step]:
        """Contractions of the pivot letter X of tr(X u) with the letters of u."""
        pair, u = self.pairs[law], self._opened(law, word)
        flip = self.alphabet.transpose
        return self._counted(
            (u[:i] + pair.cols or pair.col_identity, u[i + 1 :] + pair.rows or pair.row_identity)
            if c == pair.transposed
            else (pair.rows + flip(u[:i]) + pair.cols + u[i + 1 :] or pair.row_identity,)
            for i, c in enumerate(u)
            if c in (pair.letter, pair.transposed)
        )

    def _between(self, law: int, word: str, other: str) -> list[Step]:
        """Contractions of the pivot letter X of tr(X u) with the letters of another trace."""
        pair, u = self.pairs[law], self._opened(law, word)
        flip = self.alphabet.transpose
        opened = ((c, other[i + 1 :] + other[:i]) for i, c in enumerate(other))
        return self._counted(
            (
                pair.rows + (v if c == pair.transposed else flip(v)) + pair.cols + u
                or pair.row_identity,
            )
            for c, v in opened
            if c in (pair.letter, pair.transposed)
        )

    def _opened(self, law: int, word: str) -> str:
        """u with tr(X u) = tr(word), for the first X or X^T in the word."""
        pair = self.pairs[law]
        i = next(i for i, c in enumerate(word) if c in (pair.letter, pair.transposed))
        u = word[i + 1 :] + word[:i]
        return u if word[i] == pair.letter else self.alphabet.transpose(u)

    def _counted(self, products: Iterable[tuple[str, ...]]) -> list[Step]:
        """Products of closed words, with how often each was left; those that vanish are left out."""
        found: dict[tuple[int, State], int] = {}
        for words in products:
            monomial = 0
            random: State = ()
            for word in words:
                trace = self.trace(word)
                if trace is None:
                    break
                monomial, random = monomial + trace[0], random + trace[1]
            else:
                left = monomial, tuple(sorted(random)) if len(words) > 1 else random
                found[left] = found.get(left, 0) + 1
        return [Step(*left, times) for left, times in found.items()]

    # Evaluation ---------------------------------------------------------------------------------

    def evaluate(self, states: Iterable[State]) -> dict[State, Value]:
        """The expectations of the given states, at unit variances.

        The states of each order are met with the polynomial that multiplies them, in which the given
        states stand for themselves.
        """
        reached: dict[int, dict[State, Polynomial]] = defaultdict(dict)
        for state in set(states):
            reached[sum(self.order(state))][state] = {self.ring.monomial(state): 1}
        for order in range(max(reached, default=0), 0, -1):
            self._descend(reached.pop(order, {}), reached[order - 2])
        found = self.ring.by_products(reached[0].get((), {}))
        return {
            state: self.ring.by_traces(found.get(state, {}), len(self.alphabet.scalars))
            for state in set(states)
        }

    def _descend(self, level: Mapping[State, Polynomial], below: dict[State, Polynomial]) -> None:
        """The states of one order contracted, and added to those of the next."""
        self.states += len(level)
        for state, polynomial in level.items():
            terms = polynomial.items()
            for monomial, random, times in self._contract(state):
                total = below.setdefault(random, {})
                for power, coefficient in terms:
                    power += monomial
                    total[power] = total.get(power, 0) + times * coefficient


def _beside(steps: Iterable[Step], rest: State, copies: int) -> Iterator[Step]:
    """The steps from one of `copies` equal traces, with the untouched traces put back."""
    for monomial, random, times in steps:
        yield Step(monomial, tuple(sorted(random + rest)) if rest else random, copies * times)


class Expectation:
    """E of a scalar expression as {deterministic traces: rational function of the rest}."""

    def __init__(self, expression: Any, laws: Iterable[Gaussian]):
        self.calculus = Calculus(laws)
        self.alphabet = self.calculus.alphabet
        reader = Reader(self.alphabet, [law.symbol for law in self.calculus.laws])
        terms = list(self._terms(reader.scalar(expression)))
        values = self.calculus.evaluate({random for _, random, _ in terms})
        scalars = self.alphabet.scalars
        fixed = {w for words, random, _ in terms for key in values[random] for w in (*key, *words)}
        pure = {word: self.alphabet.pure(word) for word in fixed}
        coefficients = [c for combination in pure.values() for c in combination.values()]
        self.field = RationalFunctions([*(c for *_, c in terms), *scalars, *coefficients])
        self.terms = self._purified(self._summed(terms, values), pure)

    def _terms(
        self, read: Mapping[tuple[str, ...], Expr]
    ) -> Iterator[tuple[tuple[str, ...], State, Expr]]:
        """Deterministic and random traces of terms that are even in every Gaussian matrix.

        With their coefficients and the variances that they carry.
        """
        for words, coefficient in read.items():
            order = self.calculus.order(words)
            if any(count % 2 for count in order):
                continue
            laws = zip(self.calculus.laws, order, strict=True)
            variances = (law.variance ** (count // 2) for law, count in laws)
            yield *self.calculus.split(words), Mul(coefficient, *variances)

    def _summed(
        self, terms: list[tuple[tuple[str, ...], State, Expr]], values: Mapping[State, Value]
    ) -> Fractions:
        field = self.field
        result: Fractions = {}
        substituted = {s: self._substituted(value) for s, value in values.items()}
        for fixed, random, coefficient in terms:
            factor = field.read(coefficient)
            for key, fraction in substituted[random].items():
                words = tuple(sorted(key + fixed))
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
                Mul(self.field.write(c), *(traces[w] for w in words))
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
    dual = MatrixSymbol(Dummy("dual"), cols, rows)
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
        dual = MatrixSymbol(Dummy("dual"), *reversed(left.shape))
        return equal(Trace(MatMul(left, dual)), Trace(MatMul(right, dual)), laws)
    return expectation(sympify(left) - sympify(right), laws) == 0
