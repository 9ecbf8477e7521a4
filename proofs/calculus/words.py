r"""Trace words: tr(A B^T L A ...) as strings, and their normal form.

A word is a Python string in which every character is one letter of an `Alphabet`:

* a matrix A or its transpose A^T (one character each, one for both when A is symmetric);
* a I + b 11^T of one size, by its eigenvalues (`allones.Spectral`);
* the all-ones matrix 1_a 1_b^T of shape (a, b), of rank one.

The trace of a word is brought to normal form by

1. multiplying neighbours in the algebra of I and 11^T;
2. splitting at the rank-one letters,
   tr(1_a 1_b^T u 1_c 1_d^T v) = tr(1_c 1_b^T u) tr(1_a 1_d^T v), so that each trace keeps at most
   one of them, and at every junction of dimension one, where the identity is itself 1_1 1_1^T;
3. choosing, among all rotations of the word and of its transpose, the least one.

For sizes left symbolic nothing else relates traces of words, so after writing the remaining
a I + b 11^T as their two summands (`Alphabet.pure`) equal expressions have equal normal forms.  At
a fixed numeric size further identities hold (Cayley-Hamilton), and these are not seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, groupby, product
from typing import Any, NamedTuple

from sympy import Add, Expr, Integer, Mul, Pow, Trace, sympify
from sympy.matrices import expressions as mx
from sympy.matrices.expressions import MatrixExpr, MatrixSymbol

from claims.expressions import FrobSq, Named, Shaped, Total
from proofs.calculus.allones import (
    Ones,
    Spectral,
    identity,
    multiply,
    ones,
    rational,
    require_equal_sizes,
    size_of,
)

__all__ = ["Alphabet", "Matrix", "Product", "Reader"]

FIRST = 0xA0
"""Characters are taken from here on, past the control characters; their order decides "least"."""


@dataclass(frozen=True)
class Matrix:
    """A matrix or its transpose; `rows` and `cols` are those of the letter, not of the symbol."""

    symbol: MatrixExpr
    transposed: bool
    rows: Expr
    cols: Expr


class Product(NamedTuple):
    """A product of scalars (numbered, see `Alphabet.scalars`) and of traces of words, sorted."""

    scalars: tuple[int, ...] = ()
    words: tuple[str, ...] = ()

    def times(self, other: Product) -> Product:
        if not other.scalars and not other.words:
            return self
        scalars, words = self.scalars + other.scalars, self.words + other.words
        return Product(tuple(sorted(scalars)), tuple(sorted(words)))


class Alphabet:
    """Letters, each with a character, and the normal form of traces of words in them.

    >>> from sympy import symbols
    >>> n, d = symbols("n d", integer=True, positive=True)
    >>> letters = Alphabet()
    >>> X = letters.matrix(MatrixSymbol("X", n, d))
    >>> letters.trace(X + letters.transpose(X)) == letters.trace(letters.transpose(X) + X)
    True
    """

    def __init__(self, symmetric: Iterable[MatrixExpr] = ()):
        self.symmetric = frozenset(symmetric)
        self.letters: dict[str, Matrix | Spectral | Ones] = {}
        self.scalars: list[Expr] = []
        self._characters: dict[Any, str] = {}
        self._numbers: dict[Expr, int] = {}
        self._flip: dict[int, str] = {}
        self._algebra: dict[str, Spectral | Ones] = {}
        self._matrices: set[str] = set()
        self._into_one: set[str] = set()
        self._traces: dict[str, Product | None] = {}
        self._runs: dict[str, tuple[Expr, str]] = {}

    def matrix(self, symbol: MatrixExpr) -> str:
        """The letter of a matrix (its transpose is entered with it)."""
        rows, cols = map(size_of, symbol.shape)
        character = self._enter(Matrix(symbol, False, rows, cols))
        if symbol in self.symmetric:
            require_equal_sizes(rows, cols, symbol, symbol)
        else:
            self._pair(character, self._enter(Matrix(symbol, True, cols, rows)))
        return character

    def spectral(self, element: Spectral) -> str:
        """The letter of a I + b 11^T."""
        return self._enter(Spectral(size_of(element.size), element.across, element.along))

    def ones(self, rows: Any, cols: Any) -> str:
        """The letter of 1_rows 1_cols^T."""
        rows, cols = size_of(rows), size_of(cols)
        character = self._enter(Ones(rows, cols))
        if rows != cols:
            self._pair(character, self._enter(Ones(cols, rows)))
        return character

    def scalar(self, value: Expr) -> tuple[int, ...]:
        """The number of a scalar, as a factor of a `Product`; 1 is the empty factor."""
        if value == 1:
            return ()
        if value not in self._numbers:
            self._numbers[value] = len(self.scalars)
            self.scalars.append(value)
        return (self._numbers[value],)

    def transpose(self, word: str) -> str:
        return word[::-1].translate(self._flip)

    def rows(self, word: str) -> Expr:
        letter = self.letters[word[0]]
        return letter.size if isinstance(letter, Spectral) else letter.rows

    def cols(self, word: str) -> Expr:
        return self.rows(self.transpose(word))

    def element(self, word: str) -> Spectral | None:
        """The element a I + b 11^T that an open word denotes, if it does."""
        letter = self.letters[word] if len(word) == 1 else None
        if isinstance(letter, Ones) and letter.rows == letter.cols:
            return ones(letter.rows)
        return letter if isinstance(letter, Spectral) else None

    def _enter(self, letter: Matrix | Spectral | Ones) -> str:
        if letter in self._characters:
            return self._characters[letter]
        character = chr(FIRST + len(self.letters))
        self.letters[character] = letter
        self._characters[letter] = character
        if isinstance(letter, Matrix):
            self._matrices.add(character)
            if letter.cols == 1:
                self._into_one.add(character)
        else:
            self._algebra[character] = letter
        return character

    def _pair(self, one: str, other: str) -> None:
        self._flip[ord(one)], self._flip[ord(other)] = other, one

    # Products in the algebra of I and 11^T --------------------------------------------------------

    def collapse(self, run: str) -> tuple[Expr, str]:
        """A run without matrices is a scalar times one letter (or none: the identity)."""
        if run not in self._runs:
            self._runs[run] = self._settled(*self._folded(run))
        return self._runs[run]

    def _folded(self, run: str) -> tuple[Expr, Spectral | Ones]:
        factor, letter = Integer(1), self._algebra[run[0]]
        for character in run[1:]:
            scalar, letter = multiply(letter, self._algebra[character])
            factor = factor * scalar
        return factor, letter

    def _settled(self, factor: Expr, letter: Spectral | Ones) -> tuple[Expr, str]:
        """A Spectral letter of rank one becomes 11^T, at which words split."""
        if isinstance(letter, Ones):
            return factor, self.ones(letter.rows, letter.cols)
        if letter.is_zero:
            return Integer(0), ""
        if letter.across == 0 or letter.size == 1:
            return factor * letter.along / letter.size, self.ones(letter.size, letter.size)
        return factor, "" if letter.is_identity else self.spectral(letter)

    def reduced(self, word: str) -> tuple[Expr, str]:
        """The same open word as a scalar times a word in which no two neighbours collapse."""
        factor, parts = Integer(1), []
        for is_matrix, run in groupby(word, self._matrices.__contains__):
            part = "".join(run)
            if not is_matrix:
                scalar, part = self.collapse(part)
                factor = factor * scalar
            parts.append(part)
        short = "".join(parts)
        return factor, short or self.spectral(identity(self.rows(word)))

    # Traces -------------------------------------------------------------------------------------

    def trace(self, word: str) -> Product | None:
        """The trace of a closed word in normal form; None when it vanishes."""
        if word not in self._traces:
            self._traces[word] = self._trace(word)
        return self._traces[word]

    def product(self, words: Iterable[str]) -> Product | None:
        """The product of traces in normal form; None when it vanishes."""
        result = Product()
        for word in words:
            factor = self.trace(word)
            if factor is None:
                return None
            result = result.times(factor)
        return result

    def _trace(self, word: str) -> Product | None:
        if not self._into_one and self._matrices.issuperset(word):  # most words: nothing to reduce
            return Product((), (self.least(word),))
        start = next((i for i, c in enumerate(word) if c in self._matrices), None)
        if start is None:
            return self._trace_without_matrices(word)
        # Starting at a matrix, runs of the algebra do not wrap around the end.
        word = word[start:] + word[:start]
        if self._into_one:
            unit = self.ones(1, 1)
            word = "".join(c + unit if c in self._into_one else c for c in word)
        factor, short = self.reduced(word)
        if factor == 0:
            return None
        scalars, words = list(self.scalar(factor)), []
        for piece in self._split(short):
            if all(c not in self._matrices for c in piece):
                scalars += self.scalar(self.rows(piece))
            else:
                words.append(self.least(piece))
        return Product(tuple(sorted(scalars)), tuple(sorted(words)))

    def _trace_without_matrices(self, word: str) -> Product | None:
        factor, letter = self._folded(word)
        value = letter.trace() if isinstance(letter, Spectral) else letter.rows
        return None if factor * value == 0 else Product(self.scalar(factor * value))

    def _split(self, word: str) -> list[str]:
        """Rule 2: each u between 1_a 1_b^T and the next 1_c 1_d^T splits off as tr(1_c 1_b^T u)."""
        places = [i for i, c in enumerate(word) if isinstance(self.letters[c], Ones)]
        if not places:
            return [word]
        pieces = []
        for here, following in zip(places, [*places[1:], places[0] + len(word)], strict=True):
            between = (word + word)[here + 1 : following]
            c, b = self.rows(word[following % len(word)]), self.cols(word[here])
            pieces.append(between if between and b == c == 1 else self.ones(c, b) + between)
        return pieces

    def least(self, word: str) -> str:
        """The least rotation of the word or of its transpose."""
        return min(_least_rotation(word), _least_rotation(self.transpose(word)))

    def pure(self, word: str) -> dict[tuple[str, ...], Expr]:
        """The trace of a word as a combination of traces in which no a I + b 11^T is left."""
        result: dict[tuple[str, ...], Expr] = defaultdict(lambda: Integer(0))
        for factor, choice in self._choices(word):
            normal = self.product([choice])
            if normal is not None:
                scalars = (self.scalars[i] for i in normal.scalars)
                result[normal.words] += Mul(factor, *scalars)
        return result

    def _choices(self, word: str) -> Iterable[tuple[Expr, str]]:
        options: list[tuple[tuple[Expr, str], ...]] = []
        for character in word:
            letter = self.letters[character]
            if isinstance(letter, Spectral):
                a, b = letter.coefficients
                options.append(((a, ""), (b, self.ones(letter.size, letter.size))))
            else:
                options.append(((Integer(1), character),))
        for choice in product(*options):
            yield Mul(*(factor for factor, _ in choice)), "".join(part for _, part in choice)

    # Writing ------------------------------------------------------------------------------------

    def write_matrix(self, word: str) -> MatrixExpr:
        """The SymPy matrix of an open word."""
        factors = []
        for character, run in groupby(word):
            factor, power = self._write_letter(character), len(list(run))
            factors.append(factor if power == 1 else mx.MatPow(factor, power))
        return factors[0] if len(factors) == 1 else mx.MatMul(*factors)

    def write(self, word: str) -> Expr:
        """Trace(...), or Total(...) of a word with 1_a 1_b^T; independent of letter numbering."""
        word = self._least_by_name(word)
        for i, character in enumerate(word):
            if isinstance(self.letters[character], Ones):
                return Total(self.write_matrix(word[i + 1 :] + word[:i]))
        return Trace(self.write_matrix(word))

    def _write_letter(self, character: str) -> MatrixExpr:
        letter = self.letters[character]
        if isinstance(letter, Spectral):
            return letter.matrix()
        if isinstance(letter, Ones):
            return mx.OneMatrix(letter.rows, letter.cols)
        return mx.Transpose(letter.symbol) if letter.transposed else letter.symbol

    def _least_by_name(self, word: str) -> str:
        """The rotation (of the word or its transpose) least by names: ones first, A before A^T."""
        name = {c: self._name(c) for c in word + self.transpose(word)}
        candidates = [w[i:] + w[:i] for w in (word, self.transpose(word)) for i in range(len(word))]
        return min(candidates, key=lambda w: [name[c] for c in w])

    def _name(self, character: str) -> tuple[int, str, bool]:
        letter = self.letters[character]
        if isinstance(letter, Matrix):
            return 1, str(letter.symbol), letter.transposed
        return 0, str(letter), False


class Reader:
    """Reads SymPy expressions as combinations of words.

    A scalar becomes {traces: coefficient}, a matrix {(traces, open word): coefficient}; `traces` is
    a sorted tuple of words in normal form.  Matrices in `random` must occur polynomially.

    >>> Reader(Alphabet()).plain(Trace(MatrixSymbol("A", 2, 2).T) + 2)
    Trace(A) + 2
    """

    def __init__(self, alphabet: Alphabet, random: Iterable[MatrixExpr] = ()):
        self.alphabet = alphabet
        self.random = tuple(random)

    def scalar(self, e: Any) -> Scalar:
        """A polynomial in Trace, FrobSq and Total; everything free of matrices is a coefficient."""
        e = sympify(e)
        if not e.has(MatrixExpr):
            return {(): e} if e != 0 else {}
        if isinstance(e, Trace):
            rows, cols = e.args[0].shape
            require_equal_sizes(rows, cols, e.args[0], e.args[0])
            return self._closed(e.args[0], lambda word: word)
        if isinstance(e, FrobSq):
            return self._closed(mx.MatMul(e.args[0], mx.Transpose(e.args[0])), lambda word: word)
        if isinstance(e, Total):
            return self._closed(e.args[0], self._between_ones)
        if isinstance(e, Add):
            return _total(map(self.scalar, e.args))
        if isinstance(e, Mul):
            return _multiplied(map(self.scalar, e.args))
        if isinstance(e, Pow) and isinstance(e.exp, Integer) and e.exp > 0:
            return _multiplied([self.scalar(e.base)] * int(e.exp))
        return {(): self._opaque(e)}

    def _opaque(self, e: Expr) -> Expr:
        """1/tr(A) and the like are coefficients when deterministic, and refused when random."""
        random = [x for x in self.random if e.has(x)]
        if random or any(isinstance(a, MatrixExpr) for a in e.args):
            raise ValueError(
                f"{e}: the calculus takes polynomials in Trace, FrobSq and Total"
                + (f" of the random {random[0]}" if random else "")
                + "; expand the expression, or state it through traces"
            )
        return e.func(*map(self.plain, e.args))

    def plain(self, e: Any) -> Expr:
        """A deterministic scalar in normal form, as a SymPy expression."""
        terms, write = self.purified(self.scalar(e)).items(), self.alphabet.write
        return rational(Add(*(Mul(c, *map(write, words)) for words, c in terms)))

    def purified(self, terms: Scalar) -> Scalar:
        """The same combination, without a I + b 11^T left in its words."""
        return _total(
            _multiplied([{(): c}, *map(self.alphabet.pure, words)]) for words, c in terms.items()
        )

    def _between_ones(self, word: str) -> str:
        return self.alphabet.ones(self.alphabet.cols(word), self.alphabet.rows(word)) + word

    def _closed(self, e: MatrixExpr, close: Callable[[str], str]) -> Scalar:
        result: Scalar = defaultdict(lambda: Integer(0))
        for (words, word), coefficient in self.matrix(e).items():
            normal = self.alphabet.trace(close(word))
            if normal is not None:
                scalars = (self.alphabet.scalars[i] for i in normal.scalars)
                result[_merged(words, normal.words)] += Mul(coefficient, *scalars)
        return result

    def matrix(self, e: MatrixExpr) -> Open:
        """A matrix; raises ShapeError on shapes that disagree and TypeError on unknown nodes."""
        if isinstance(e, Named):
            return self.matrix(e.definition)
        if isinstance(e, mx.ZeroMatrix):
            return {}
        if isinstance(e, mx.Identity):
            return {((), self.alphabet.spectral(identity(e.shape[0]))): Integer(1)}
        if isinstance(e, mx.OneMatrix):
            return {((), self.alphabet.ones(*e.shape)): Integer(1)}
        if isinstance(e, MatrixSymbol | Shaped):
            return {((), self.alphabet.matrix(e)): Integer(1)}
        if isinstance(e, mx.Transpose):
            flip = self.alphabet.transpose
            return {(words, flip(w)): c for (words, w), c in self.matrix(e.arg).items()}
        if isinstance(e, mx.MatAdd):
            return self._added(e.args)
        if isinstance(e, mx.MatMul):
            return self._chained(e.args)
        if isinstance(e, mx.MatPow) and isinstance(e.exp, Integer) and e.exp > 0:
            return self._chained([e.base] * int(e.exp))
        if isinstance(e, mx.Inverse | mx.MatPow) and e.exp == -1:
            return self._inverted(e)
        raise _unreadable(e)

    def _chained(self, factors: Iterable[Any]) -> Open:
        scalar: Scalar = {(): Integer(1)}
        result: Open = {}
        previous: MatrixExpr | None = None
        for factor in factors:
            if not isinstance(factor, MatrixExpr):
                scalar = _multiplied([scalar, self.scalar(factor)])
            elif previous is None:
                result, previous = self.matrix(factor), factor
            else:
                require_equal_sizes(previous.shape[1], factor.shape[0], previous, factor)
                result, previous = self._joined(result, self.matrix(factor)), factor
        return self._joined({(words, ""): c for words, c in scalar.items()}, result)

    def _joined(self, left: Open, right: Open) -> Open:
        result: Open = defaultdict(lambda: Integer(0))
        for ((ones_, u), a), ((others, v), b) in product(left.items(), right.items()):
            factor, word = self.alphabet.reduced(u + v)
            result[_merged(ones_, others), word] += a * b * factor
        return {key: c for key, c in result.items() if c != 0}

    def _added(self, summands: tuple[MatrixExpr, ...]) -> Open:
        """A sum; its part in the algebra becomes one letter, so L = I - 11^T/n is a letter."""
        for other in summands[1:]:
            for side in (0, 1):
                require_equal_sizes(summands[0].shape[side], other.shape[side], summands[0], other)
        result: Open = defaultdict(lambda: Integer(0))
        algebra: dict[tuple[str, ...], Spectral] = {}
        for summand in summands:
            for (words, word), c in self.matrix(summand).items():
                element = self.alphabet.element(word)
                if element is None:
                    result[words, word] += c
                else:
                    element = element.scaled(c)
                    algebra[words] = algebra[words] + element if words in algebra else element
        for words, element in algebra.items():
            if not element.is_zero:
                result[words, self.alphabet.spectral(element)] += 1
        return result

    def _inverted(self, e: MatrixExpr) -> Open:
        """Only elements of the algebra of I and 11^T are inverted."""
        [((words, word), c), *others] = self._added((e.args[0],)).items() or [(((), ""), 0)]
        if words or others or (element := self.alphabet.element(word)) is None:
            raise _unreadable(e)
        return {((), self.alphabet.spectral(element.scaled(c).inverse())): Integer(1)}


Scalar = dict[tuple[str, ...], Expr]
Open = dict[tuple[tuple[str, ...], str], Expr]


def _total(terms: Iterable[Scalar]) -> Scalar:
    result: Scalar = defaultdict(lambda: Integer(0))
    for words, coefficient in chain.from_iterable(term.items() for term in terms):
        result[words] += coefficient
    return {words: c for words, c in result.items() if c != 0}


def _multiplied(factors: Iterable[Scalar]) -> Scalar:
    result: Scalar = {(): Integer(1)}
    for factor in factors:
        pairs = product(result.items(), factor.items())
        result = _total({_merged(u, v): a * b} for (u, a), (v, b) in pairs)
    return result


def _merged(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(left + right)) if left and right else left or right


def _unreadable(e: MatrixExpr) -> TypeError:
    return TypeError(
        f"{type(e).__name__} in {e}: words are built from MatrixSymbol, Transpose, MatMul, MatAdd, "
        "positive MatPow, Identity and OneMatrix; give other matrices a MatrixSymbol of their own"
    )


def _least_rotation(word: str) -> str:
    first = min(word)
    twice, length = word + word, len(word)
    return min([twice[i : i + length] for i in range(length) if word[i] == first])
