"""Signs, kinds, laws and digits that say more of a term than is so."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from sympy import (
    Abs,
    Dummy,
    Expr,
    Function,
    I,
    ImmutableDenseMatrix,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Rational,
    Sum,
    Symbol,
    Trace,
    exp,
    oo,
    sqrt,
    zoo,
)  # fmt: skip
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.matrices.expressions import Identity, Inverse, OneMatrix
from wrong_certificates import a, bare, claim_of, each, family, ge, i, j, k, le, m, n, r, s, x, y

from claims.domain import Array, Condition, Domain, Real, Size
from claims.expressions import Entrywise, FrobSq, Shaped, Total
from claims.gaussian_growth import Growth, Member, Shares
from claims.iid_shares import Gamma, Iid, ShareMoment, TwoPoints
from claims.model import Hypothesis
from claims.naitsaada2025.shares import Z
from claims.noci2022.sums import IndexSum
from claims.ranks import gram_rank
from claims.singular import least_singular_value
from claims.statement import And, Compare, Formula, Implies, Quantity
from claims.terms import Recursion, entry, value_of
from claims.terms import family as of_family
from proofs import facts, kernel
from proofs.calculus.inequalities import SumOfSquares
from proofs.certificate import Certificate
from proofs.conclude import vacuous
from proofs.decide import refute
from proofs.kernel import Theorem

NO = Compare(Integer(0), "=", Integer(1))


def absurd(*theorems: Theorem) -> bool:
    """Whether they give 0 = 1, under nothing that could be asked for."""
    return bare(kernel.joint(NO, *theorems))


# Signs --------------------------------------------------------------------------------------------


def delta(term: Any, place: Any) -> Theorem:
    return kernel.fact(facts.DELTA, a=i, b=j, term=term, place=place)


def cancelled_at_zero(place: Any) -> bool:
    """i/i is one and i/j is what 0/0 stands for, where both are zero."""
    known = delta(i / place, place)
    zero = [Compare(i, "=", 0), Compare(j, "=", 0)]
    there = kernel.joint(Implies(And(tuple(zero)), Compare(KroneckerDelta(i, j), "=", 0)), known)
    return absurd(kernel.substitute(there, {i: Integer(0), j: Integer(0)}))


@family
def signs_of_a_place() -> Any:
    """What the place of a delta declares of itself, its indices need not be."""
    signed = [Symbol("q", integer=True, **{sign: True}) for sign in ("positive", "negative")]
    false = [*each(cancelled_at_zero, *signed), *each(delta, *((k / q, q) for q in signed))]
    return iter(false), each(delta, (signed[0] + k, signed[0]), (1 / (1 + k**2), signed[0]))


# Digits -------------------------------------------------------------------------------------------

TAIL = Growth("N", lambda at, place: Shares.equal(1)).factor(2, 1, 1)
"""P(chi^2 < 1) for two degrees of freedom, to sixty digits."""
CHANCE = 1 - exp(-Rational(1, 2))


def computed(value: Any, sign: str = "=") -> Theorem:
    return kernel.compute(Compare(TAIL, sign, value))


def two_values() -> bool:
    return absurd(computed(CHANCE), computed(CHANCE + Rational(1, 10**50)))


@family
def digits_are_no_exact_values() -> Any:
    """Decimals that agree in all the digits that are known need not be equal."""
    stepped = Recursion("g", lambda: TAIL, lambda t, before: before())
    false = [
        two_values, *each(computed, CHANCE, CHANCE + Rational(1, 10**50)),
        *each(computed, (CHANCE - Rational(1, 10**50), "<="), (CHANCE, ">=")),
        lambda: kernel.compute(Compare(stepped(Integer(1)), "=", CHANCE)),
    ]  # fmt: skip
    doubled = Recursion("g", lambda: Integer(1), lambda t, before: 2 * before())
    return iter(false), iter(
        [
            lambda: kernel.compute(Compare(doubled(Integer(3)), "=", 8)),
            lambda: kernel.compute(Compare(CHANCE, "<", Rational(2, 5))),
        ]
    )


# Kinds --------------------------------------------------------------------------------------------


def at_zero(_: Any, place: Any) -> Any:
    """What is said to be positive is minus one at zero."""
    return Integer(-1) if place == 0 else None


class Positive(Expr):
    """A term that says its sign."""

    is_commutative = is_real = is_positive = is_nonnegative = True

    def __new__(cls, place: Any) -> Any:
        return at_zero(cls, place) or Expr.__new__(cls, place)


class Named(Symbol):
    """A symbol that says its sign and declares none."""

    is_positive = is_nonnegative = True


class Becoming(Formula):
    """A formula that is another one as soon as something is put in."""

    def parts(self) -> tuple[Any, ...]:
        return ()

    def map(self, change: Any) -> Formula:
        return self

    def truth(self, at: Any) -> bool:
        return True

    def substitute(self, values: Any, into: Any = None) -> Formula:
        return NO

    def latex(self) -> str:
        return "1 = 1"


def positive(term: Any) -> Theorem:
    return kernel.certified(SumOfSquares(term, (), (term,)))


def positive_at_zero(kind: Any) -> bool:
    return absurd(kernel.substitute(positive(kind(x)), {x: Integer(0)}))


@family
def kinds_of_ones_own() -> Any:
    evaluated = Function("f", positive=True, eval=classmethod(at_zero))
    based = UndefinedFunction("f", (type("Own", (AppliedUndef,), {"eval": classmethod(at_zero)}),))
    false = [
        *each(positive_at_zero, Positive, evaluated, based), partial(positive, Named("p")),
        lambda: kernel.substitute(kernel.compute(Becoming()), {x: x + 1}),
    ]  # fmt: skip
    function, value = Function("f", positive=True), Quantity("q", len, positive=True)
    return iter(false), each(positive, s, function(x), exp(x), value)


def imaginary_vanishes(name: Any) -> bool:
    """A square is not negative, and to SymPy its size is the opposite; so the name is zero, and is not."""
    size = kernel.substitute(kernel.joint(ge(Abs(y), 0)), {y: name**2})
    quotient = (name**2 + name) / name
    none = kernel.joint(Implies(Compare(name, "=", 0), Compare(quotient, "=", 0)))
    return absurd(size, none, kernel.identity(quotient, name + 1))


@family
def names_of_no_real_number() -> Any:
    names = [
        Dummy("d", imaginary=True), Function("f", imaginary=True)(x), Symbol("w", imaginary=True),
        Quantity("q", lambda at: I, real=None, imaginary=True),
        Function("f", infinite=True, extended_real=True)(x),
    ]  # fmt: skip
    squares = (partial(kernel.joint, ge(name**2, 0)) for name in names)
    return iter([*each(imaginary_vanishes, *names), *squares]), each(
        kernel.joint, ge(Dummy("d", real=True) ** 2, 0), ge(Function("f")(x) ** 2, 0)
    )


# Definitions --------------------------------------------------------------------------------------


class Small(Growth):
    """A growth whose factors are small, by a law of their own."""

    def _factor(self, *_: Any) -> Any:
        return Integer(1)


def rarely_small(tail: Any) -> bool:
    """P(R < 8) is below a quarter for sixteen degrees of freedom, and is said to be where it is not."""
    rate = Rational(1, 2)
    terms = {"d": Integer(16), "k": Integer(1), "b": Integer(8), "y": rate}
    kernel.fact(facts.CHERNOFF_OF_FACTORS, tail=tail, **terms)
    return bool(value_of(tail(16, 1, 8), {}) > 0.25)


def never(*_: Any) -> Any:
    """What nothing asks for."""
    raise AssertionError


def growth_of(*shares: Any) -> Any:
    gram = ImmutableDenseMatrix.diag(*shares)
    return Growth("N", lambda at, place: Shares(gram)).factor


def marked(name: str, made_of: Any) -> Any:
    """A family that says of itself what it is not."""
    made = of_family("f", lambda at, *_: Integer(1))
    setattr(made, name, made_of)
    return made


def one_share(law: Any) -> bool:
    """Whether a share of two has a mean."""
    return value_of(Iid("Z", lambda at: law).shares(1)(2), {}) == Rational(1, 2)


EVEN = growth_of(*[Rational(1, 6)] * 6)


@family
def growths_that_are_none() -> Any:
    """Shares that are none, a growth of another kind, and a family that is said to belong to one."""
    half, member = Rational(1, 4), EVEN.growth
    tails = [
        growth_of(half, half), growth_of(1, half, -half), Small("N", EVEN.growth.of.shares).factor,
        marked("growth", member), marked("growth", Member(Small("N", never), "factor")),
    ]  # fmt: skip
    shares = Z.shares(2)
    moments = [
        marked("shares", shares.shares),
        marked("shares", ShareMoment(Iid("Z", never), (2,))),
    ]
    other = type("Other", (Gamma,), {"moment": lambda self, order: Integer(1)})
    laws = [TwoPoints(0, 1, 2), TwoPoints(0, 1, -1), Gamma(-1, 1), Gamma(1, -1), other(1, 1)]
    settle = partial(kernel.fact, facts.SHARES, k=n, order=Integer(2))
    false = [
        *each(rarely_small, *tails), *(partial(settle, share=m(n)) for m in moments),
        *(partial(one_share, law) for law in laws),
    ]  # fmt: skip
    true = [lambda: not rarely_small(EVEN), partial(one_share, Gamma(1, 1))]
    return iter(false), iter([*true, partial(settle, share=shares(n))])


X, E = MatrixSymbol("X", 1, 1), entry(MatrixSymbol("X", 1, 1))
ABOVE = Condition("X_{11}\\ge1", lambda at: at[X][0, 0] >= 1, ge(E(1, 1), 1))
SINGLE = Domain((Array(X),), (ABOVE,))


def least_of(rows: int) -> Theorem:
    """The least singular value of so many rows of one row."""
    sigma = least_singular_value("s", X)(rows, 1)
    return kernel.unfold(Quantity("q", lambda at: value_of(sigma, at)), E(1, 1), SINGLE)


def rank_of(entries: Any, rank: int) -> bool:
    """Whether a matrix with one row and column is said to have another rank than it has."""
    made, some = gram_rank("r", entries)(1, 1), dict(left=1, right=1, first=1, last=1)  # noqa: C408
    size = {"i": i, "k": k, "a": j, "b": r, "size": rank}
    kernel.fact(facts.GRAM_RANK, rank=made, **some, **size)
    return bool(value_of(made, {}) != rank)


@family
def matrices_that_are_others() -> Any:
    """Rows beyond the matrix, entries that tell names from numbers, and families that are no rank."""
    false = [
        partial(least_of, 2),
        lambda: rank_of(lambda i, k: Integer(0 if isinstance(i, Symbol) else 1), 0),
        lambda: kernel.fact(facts.RAYLEIGH, sigma=marked("matrix", X)(1, 1), x=a(j), j=j),
        lambda: kernel.fact(
            facts.GRAM_RANK, rank=marked("entries", E)(1, 1), left=1, right=1, first=1, last=1,
            i=i, k=k, a=j, b=r, size=1,
        ),
    ]  # fmt: skip
    return iter(false), iter(
        [partial(least_of, 1), lambda: not rank_of(lambda i, k: Integer(1), 1)]
    )


# Matrices -----------------------------------------------------------------------------------------


def inverse_of_nothing() -> bool:
    """The trace of an inverse times what vanishes: x tr((x I)^-1) = n would say that no x is zero."""
    known = kernel.identity(x * Trace(Inverse(x * Identity(n))), n)
    away = kernel.joint(Compare(x, "!=", 0), known)
    return absurd(kernel.substitute(away, {x: Integer(0)}))


def total(matrix: Any) -> Any:
    """The sum of all entries, as a matrix."""
    rows, columns = matrix.shape
    return OneMatrix(1, rows) * matrix * OneMatrix(columns, 1)


@family
def matrices_that_look_alike() -> Any:
    """An inverse of what may be singular, and matrices whose sizes have one name and are two."""
    other = Symbol("n")
    one, two = MatrixSymbol("A", n, n), MatrixSymbol("A", other, other)
    flat = [MatrixSymbol("B", 1, size) for size in (n, other)]
    singular = lambda: bare(kernel.identity(x * Trace(Inverse(x * Identity(n))), n))  # noqa: E731
    turned, less = one.T, n - 3
    false = [
        inverse_of_nothing, singular, partial(kernel.identity, total(one), total(two)),
        partial(kernel.identity, flat[0] * flat[0].T, flat[1] * flat[1].T),
        partial(kernel.identity, Trace(one * turned * one), Trace(one**3)),
        partial(kernel.identity, Abs(Trace(one)), Trace(one)),
        partial(kernel.identity, Trace(Identity(less)), less),
    ]  # fmt: skip
    true = [
        (total(one), total(one.T)), (Trace(x * Identity(n)), n * x), (Trace(one), Trace(turned)),
        (Trace(one * turned), FrobSq(one)), (x * Trace(one * one), Trace((x * one) * one)),
        (flat[0] * flat[0].T, (flat[0] * flat[0].T).T),
    ]  # fmt: skip
    return iter(false), each(kernel.identity, *true)


# What quantities declare --------------------------------------------------------------------------


def declared(value: Any, **signs: Any) -> Theorem:
    """The definition of a quantity that declares something of itself."""
    q = Quantity("q", lambda at: value.subs(n, at[n]), **signs)
    return kernel.unfold(q, value, Domain((Size(n, 1),)))


@family
def quantities_that_declare_what_they_are_not() -> Any:
    """A rule believes that a quantity is positive, or an integer, as its name says."""

    def composed() -> Theorem:
        q = Quantity("q", lambda at: -at[n], positive=True)
        return kernel.unfold(q + 1, 1 - n, Domain((Size(n, 1),)))

    false = [
        partial(declared, -n, positive=True), partial(declared, n, negative=True),
        partial(declared, n / 2, integer=True), partial(declared, n - 1, positive=True),
        partial(declared, n - 2, nonnegative=True), partial(declared, n - 3, nonzero=True), composed,
    ]  # fmt: skip
    true = [
        partial(declared, n, positive=True, integer=True), partial(declared, -n, negative=True),
        partial(declared, n - 1, nonnegative=True), partial(declared, n / 2, positive=True),
    ]  # fmt: skip
    return iter(false), iter(true)


ROW = MatrixSymbol("X", 1, 2)

# True statements ----------------------------------------------------------------------------------


def denied(statement: Any, *variables: Any) -> bool:
    return refute(claim_of(statement, *variables), method="toy").status == "refuted"


@family
def true_statements_that_nothing_denies() -> Any:
    """Digits that are lost in large numbers, and symbols that are no integers or of the other sign."""
    sigma = least_singular_value("s", ROW)(1, 2)
    length, large = sqrt(entry(ROW)(1, 1) ** 2 + entry(ROW)(1, 2) ** 2), 10**20
    gap, whole = large * (sigma - length), Quantity("e", lambda at: Integer(1))
    chance = Growth("N", lambda at, place: Shares.equal(1)).factor(2, 1, n) - 1 + exp(-n / 2)
    down = Symbol("q", nonpositive=True)
    rows = [
        *((Compare(large * sigma, sign, large * length), Array(ROW)) for sign in ("=", "<=", ">=")),
        (Compare(large * sigma - large * length, "=", 0), Array(ROW)), (ge(gap, 0), Array(ROW)),
        (Compare(10**30 * chance, "=", 0), Size(n, 1)), (Compare(gap, "<", 1), Array(ROW)),
        (Compare(whole * Abs((m - 1) * (m - 2)), "=", (m - 1) * (m - 2)), Size(n, 1)),
        (Compare(whole * Abs(down**3 + down), "=", -(down**3) - down), Size(n, 1)),
    ]  # fmt: skip
    false = [
        (Compare(large * sigma, "=", large * length + Rational(1, 10**9)), Array(ROW)),
        (Compare(sigma, ">", length + Rational(1, 10**30)), Array(ROW)), (ge(gap, 1), Array(ROW)),
        (Compare(whole * Abs((m - 4) * (m - 2)), "=", (m - 4) * (m - 2)), Size(n, 1)),
    ]  # fmt: skip
    return each(denied, *rows), each(denied, *false)


SQUARE = Quantity("x^2", lambda at: at[x] ** 2)


def limited(*conclusions: Formula) -> Certificate:
    """A statement with the hypothesis x^2 = 0, vacuous if that gives what its setting does not."""
    assumed = claim_of(Compare(SQUARE, "=", 0), Real(x, -2, 2))
    cube = Quantity("x^3", lambda at: at[x] ** 3)
    stated = replace(claim_of(le(cube, 0), Real(x, -2, 2)), hypotheses=(Hypothesis("", assumed),))
    read = kernel.unfold(SQUARE, x**2, assumed.domain)
    found = kernel.joint(assumed.formula.implies(And(conclusions)), read)
    return vacuous(stated, steps=(), method="toy", theorem=found)


@family
def hypotheses_that_limit_nothing() -> Any:
    """What a hypothesis says is no reason not to assume it."""
    none, close = Compare(SQUARE, "=", 0), le(x, 0)
    false = [(none,), (le(SQUARE, 0),), (none, close), (ge(x - SQUARE, x),), (ge(x**2, 0),)]
    return each(lambda *row: limited(*row), *false), each(limited, close, (close, ge(x, 0)))


# What is no number --------------------------------------------------------------------------------


def valued(value: Any) -> Quantity:
    return Quantity("q", lambda at: value)


def one_more(value: Any) -> bool:
    """What is infinite equals itself and one more."""
    q = valued(value)
    return bool(kernel.joint(NO, kernel.unfold(q, q + 1, Domain((Size(n, 1),)))))


def member_and_one_more() -> bool:
    f = of_family("f", lambda at, place: oo)
    known = kernel.unfold(f(k), f(k) + 1, Domain((Size(n, 1),)), ((k, 1, 3),))
    return bool(kernel.joint(NO, known))


def read(left: Any, right: Any) -> Theorem:
    return kernel.unfold(left, right, Domain((Size(n, 1),)))


@family
def values_that_are_no_real_numbers() -> Any:
    """Infinities, complex numbers and matrices, which arithmetic would take for real numbers."""
    turn, nilpotent = (
        ImmutableDenseMatrix([[0, -1], [1, 0]]),
        ImmutableDenseMatrix([[0, 1], [0, 0]]),
    )
    one, zero = valued(ImmutableDenseMatrix.eye(2)), valued(ImmutableDenseMatrix.zeros(2))
    endless, chance = valued(oo), of_family("f", lambda at, place: oo)
    false = [
        *each(one_more, oo, -oo, zoo), member_and_one_more, partial(read, valued(I) ** 2, Integer(-1)),
        partial(read, valued(turn) ** 2, -one), partial(read, valued(nilpotent) ** 2, zero),
        partial(read, valued(Integer(0)), exp(-endless)), partial(read, zero, 2 * zero),
        partial(read, valued(Integer(0)), Sum(exp(-chance(j)), (j, 1, n))), partial(read, valued(I), I),
    ]  # fmt: skip
    three, same = valued(Integer(3)), ImmutableDenseMatrix.eye(2)
    true = [
        (three**2, Integer(9)), (three, (three + 3) / 2), (one, valued(same)), (endless, oo),
        (valued(True), True),
    ]  # fmt: skip
    return iter(false), each(read, *true)


# Indices and words inside -------------------------------------------------------------------------


def of_entries(formula: Any) -> Total:
    return Total(Entrywise(formula, [(i, n)], [(j, n)]))


def renamed(term: Any, place: Any, left: Any, right: Any) -> bool:
    """Whether what is put in for a name became something else inside of a term."""
    found = kernel.congruent(term, place, left, right).formula
    at_one = {n: Integer(2), **dict.fromkeys((i, j, k, x, y), Integer(1))}
    return value_of(found.left, at_one) != value_of(found.right, at_one)


@family
def indices_of_its_own() -> Any:
    """Rows and columns of matrices that are given by entries, indices of one paper's sums, and words."""
    diagonal, name = of_entries(KroneckerDelta(i, j)), Symbol("S")
    false = [
        partial(renamed, diagonal, i, j, k), partial(renamed, of_entries(x * i), x, i, k),
        partial(renamed, IndexSum(x, n, i), x, i, k),
        lambda: (
            kernel.congruent(Total(Shaped("S", n, n)), name, name, Symbol("T")).formula.right
            == Total(Shaped("T", n, n))
        ),
    ]  # fmt: skip
    true = [
        lambda: not renamed(of_entries(x * i), x, k, y), lambda: not renamed(diagonal, i, k, j),
        lambda: not renamed(IndexSum(x * i, n, i), x, k, j),
        lambda: kernel.congruent(IndexSum(x, n, i), x, y, k).formula.left == IndexSum(y, n, i),
    ]  # fmt: skip
    return iter(false), iter(true)
