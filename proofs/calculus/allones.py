r"""The commutative algebra of I and 11^T, and the field of rational functions it lives over.

Every a I + b 11^T of size n has two eigenvalues: `across` = a on the n - 1 directions orthogonal to
the all-ones vector, and `along` = a + b n on the all-ones vector itself.  In this spectral form a
product is taken eigenvalue by eigenvalue and tr = (n - 1) across + along, so centring matrices
L = I - 11^T/n, all-ones matrices 11^T and equicorrelations R = (1 - rho) I + rho 11^T of symbolic
size never have to be written out.

Scalars are rational functions with rational coefficients.  `RationalFunctions` holds them as
fractions of polynomials (python-flint); in lowest terms, equal means identical.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import gcd, lcm
from typing import Any

from flint import fmpq, fmpq_mpoly, fmpq_mpoly_ctx
from sympy import (
    Add,
    Expr,
    Float,
    Integer,
    Mul,
    Pow,
    Rational,
    cancel,
    default_sort_key,
    expand,
    sympify,
)
from sympy.matrices.exceptions import ShapeError
from sympy.matrices.expressions import Identity, MatrixExpr, OneMatrix

__all__ = [
    "Ones",
    "RationalFunctions",
    "Spectral",
    "centring",
    "equicorrelation",
    "identity",
    "multiply",
    "ones",
    "rational",
    "require_equal_sizes",
    "size_of",
]


@dataclass(frozen=True)
class Spectral:
    """a I + b 11^T of shape (size, size), held by its eigenvalues across and along the ones vector.

    >>> from sympy import symbols
    >>> n, rho = symbols("n rho")
    >>> equicorrelation(n, rho).trace()
    n
    >>> centring(n) * ones(n) == Spectral.of(n, 0, 0)
    True
    """

    size: Expr
    across: Expr
    along: Expr

    @classmethod
    def of(cls, size: Any, across: Any, along: Any) -> Spectral:
        """The element with these eigenvalues; anything SymPy understands is accepted."""
        return cls(sympify(size), sympify(across), sympify(along))

    @classmethod
    def combination(cls, size: Any, a: Any, b: Any) -> Spectral:
        """The element a I + b 11^T."""
        return cls.of(size, cancel(a), cancel(a + sympify(b) * size))

    def __mul__(self, other: Spectral) -> Spectral:
        """The product, which commutes.  Powers stay factored: expanding them only costs."""
        self._require_size(other)
        return Spectral(self.size, self.across * other.across, self.along * other.along)

    def __add__(self, other: Spectral) -> Spectral:
        """The sum.  Eigenvalues are cancelled, so that a vanishing one is seen to vanish."""
        self._require_size(other)
        across, along = self.across + other.across, self.along + other.along
        return Spectral(self.size, cancel(across), cancel(along))

    def scaled(self, factor: Any) -> Spectral:
        """factor times this element."""
        return Spectral(self.size, factor * self.across, factor * self.along)

    def inverse(self) -> Spectral:
        """The inverse.

        Raises `ZeroDivisionError` when an eigenvalue is zero.
        """
        if self.across == 0 or self.along == 0:
            raise ZeroDivisionError(
                f"eigenvalues ({self.across}, {self.along}): an inverse needs both to be non-zero; "
                "restrict to the complement of the ones vector or drop the inverse"
            )
        return Spectral(self.size, 1 / self.across, 1 / self.along)

    @property
    def is_identity(self) -> bool:
        return self.across == 1 and self.along == 1

    @property
    def is_zero(self) -> bool:
        return self.along == 0 and (self.across == 0 or self.size == 1)

    @property
    def coefficients(self) -> tuple[Expr, Expr]:
        """(a, b) with a I + b 11^T."""
        return self.across, (self.along - self.across) / self.size

    def trace(self) -> Expr:
        """(n - 1) across + along; the plain identity gives n."""
        return self.size if self.is_identity else cancel_small(self)

    def matrix(self) -> MatrixExpr:
        """The same element as a SymPy matrix expression."""
        a, b = map(rational, self.coefficients)
        return a * Identity(self.size) + b * OneMatrix(self.size, self.size)

    def _require_size(self, other: Spectral) -> None:
        if self.size != other.size:
            raise ValueError(
                f"sizes {self.size} and {other.size}: elements of one algebra share their size; "
                "use one dimension symbol for both"
            )


def cancel_small(element: Spectral) -> Expr:
    """The trace, cancelled when that is cheap (products of powers are left to the final step)."""
    trace = (element.size - 1) * element.across + element.along
    return cancel(trace) if trace.count_ops() < 16 else trace


def identity(size: Any) -> Spectral:
    """I."""
    return Spectral.of(size, 1, 1)


def ones(size: Any) -> Spectral:
    """11^T."""
    return Spectral.of(size, 0, size)


def centring(size: Any) -> Spectral:
    """I - 11^T/n."""
    return Spectral.of(size, 1, 0)


def equicorrelation(size: Any, rho: Any) -> Spectral:
    """(1 - rho) I + rho 11^T: the covariance of unit variables with common correlation rho."""
    return Spectral.of(size, 1 - sympify(rho), 1 + (sympify(size) - 1) * rho)


@dataclass(frozen=True)
class Ones:
    """1_rows 1_cols^T, of rank one."""

    rows: Expr
    cols: Expr


def multiply(left: Spectral | Ones, right: Spectral | Ones) -> tuple[Expr, Spectral | Ones]:
    """The product of two such matrices, as a scalar and a matrix.

    >>> from sympy import symbols
    >>> n, m = symbols("n m")
    >>> multiply(Ones(m, n), Ones(n, m))
    (n, Ones(rows=m, cols=m))
    """
    if isinstance(left, Spectral) and isinstance(right, Spectral):
        return Integer(1), left * right
    if isinstance(left, Spectral):
        return left.along, right
    if isinstance(right, Spectral):
        return right.along, left
    return left.cols, Ones(left.rows, right.cols)


@cache
def size_of(size: Any) -> Expr:
    """A dimension in expanded form, so that equal dimensions are identical."""
    return expand(sympify(size))


def require_equal_sizes(left: Any, right: Any, one: Any, other: Any) -> None:
    """Raise ShapeError unless the sides `left` of `one` and `right` of `other` agree."""
    if size_of(left) != size_of(right):
        raise ShapeError(
            f"{one} has shape {one.shape} and {other} has shape {other.shape}: "
            f"{left} and {right} must agree; transpose a factor or use one symbol for both sizes"
        )


Fraction = tuple[fmpq_mpoly, fmpq_mpoly]


class RationalFunctions:
    """The field Q(x_1, ..., x_r) of given expressions; elements are (numerator, denominator).

    Anything that is not a sum, product or integer power (a root, an exponential, the trace of a
    deterministic matrix) is a generator of its own.

    >>> from sympy import symbols
    >>> n, d = symbols("n d")
    >>> field = RationalFunctions([n, d])
    >>> field.write(field.read((n**2 - 1) / (n * d + d)))
    (n - 1)/d
    """

    def __init__(self, expressions: Iterable[Any]):
        found: set[Expr] = set()
        for expression in expressions:
            _collect(sympify(expression), found)
        self.generators = tuple(sorted(found, key=default_sort_key))
        names = [f"x{i}" for i in range(max(1, len(self.generators)))]
        self.context = fmpq_mpoly_ctx.get(names, "degrevlex")
        self.one = self.context.constant(1)
        self.zero: Fraction = (self.context.constant(0), self.one)
        self._known = dict(zip(self.generators, self.context.gens(), strict=False))
        self._memo: dict[Expr, Fraction] = {}

    def read(self, expression: Any) -> Fraction:
        """The element a SymPy expression denotes.

        Raises `ZeroDivisionError` on a vanishing denominator and `TypeError` on floats.
        """
        e = sympify(expression)
        if e not in self._memo:
            self._memo[e] = self._read(e)
        return self._memo[e]

    def _read(self, e: Expr) -> Fraction:
        if e in self._known:
            return self._known[e], self.one
        if isinstance(e, Rational):
            return self.context.constant(fmpq(int(e.p), int(e.q))), self.one
        if isinstance(e, Add):
            return self.total(map(self.read, e.args))
        if isinstance(e, Mul):
            return self.product(map(self.read, e.args))
        base, exponent = _as_power(e)
        if base == e:
            raise KeyError(f"{e} is no generator: build the field from every expression to be read")
        return self.power(self.read(base), exponent)

    def add(self, left: Fraction, right: Fraction) -> Fraction:
        (a, b), (c, d) = left, right
        if b == d:
            return a + c, b
        common = b.gcd(d)
        b_rest, d_rest = b / common, d / common
        return a * d_rest + c * b_rest, b * d_rest

    def total(self, terms: Iterable[Fraction]) -> Fraction:
        result = self.zero
        for term in terms:
            result = self.add(result, term)
        return result

    def product(self, factors: Iterable[Fraction]) -> Fraction:
        numerator, denominator = self.one, self.one
        for a, b in factors:
            numerator, denominator = numerator * a, denominator * b
        return numerator, denominator

    def power(self, fraction: Fraction, exponent: int) -> Fraction:
        a, b = fraction
        if exponent >= 0:
            return a**exponent, b**exponent
        if a == 0:
            raise ZeroDivisionError("1/0: a denominator must not vanish; check what is divided by")
        return b**-exponent, a**-exponent

    def reduce(self, fraction: Fraction) -> Fraction:
        """Lowest terms with a primitive denominator: the normal form."""
        a, b = fraction
        if a == 0:
            return self.zero
        common = a.gcd(b)
        a, b = a / common, b / common
        scale = _content(b)
        return a * (1 / scale), b * (1 / scale)

    def write(self, fraction: Fraction) -> Expr:
        """The SymPy expression, in lowest terms and expanded above and below the bar."""
        a, b = self.reduce(fraction)
        return self._polynomial(a) / self._polynomial(b)

    def _polynomial(self, p: fmpq_mpoly) -> Expr:
        terms = []
        for exponents, c in p.terms():
            powers = zip(self.generators, map(int, exponents), strict=False)
            coefficient = Rational(int(c.p), int(c.q))
            terms.append(Mul(coefficient, *(Pow(g, e) for g, e in powers if e)))
        return Add(*terms)


def rational(expression: Any) -> Expr:
    """The normal form of a rational expression; roots are generators, and their powers are folded.

    >>> from sympy import symbols
    >>> n = symbols("n")
    >>> rational(n / (n + 1) + 1 / (n + 1))
    1
    """
    e = sympify(expression)
    for _ in range(4):
        field = RationalFunctions([e])
        e, before = field.write(field.read(e)), e
        # Writing sqrt(d)**2 gives d, which may cancel against another d: go round once more.
        if e == before or not any(isinstance(g, Pow) for g in field.generators):
            return e
    return e


def _as_power(e: Expr) -> tuple[Expr, int]:
    """e = generator ** exponent, where the generator of d**(-3/2) is sqrt(d)."""
    if isinstance(e, Pow):
        base, exponent = e.base, e.exp
        if isinstance(exponent, Integer):
            return base, int(exponent)
        if isinstance(exponent, Rational) and abs(exponent.p) != 1:
            return Pow(base, Rational(1, exponent.q)), int(exponent.p)
        if isinstance(exponent, Rational) and exponent.p == -1:
            return Pow(base, -exponent), -1
    if isinstance(e, Float):
        raise TypeError(f"{e} is a float: exact calculus takes rationals; use Rational")
    return e, 1


def _collect(e: Expr, found: set[Expr]) -> None:
    """The generators of a rational expression."""
    if isinstance(e, Rational):
        return
    if isinstance(e, Add | Mul):
        for argument in e.args:
            _collect(argument, found)
        return
    base, exponent = _as_power(e)
    if base == e and exponent == 1:
        found.add(e)
    else:
        _collect(base, found)


def _content(p: fmpq_mpoly) -> fmpq:
    """The rational c > 0 or < 0 with p/c primitive and of positive leading coefficient."""
    coefficients = p.coeffs()
    numerator = gcd(*(int(c.p) for c in coefficients))
    denominator = lcm(*(int(c.q) for c in coefficients))
    sign = 1 if coefficients[0] > 0 else -1
    return fmpq(sign * numerator, denominator)
