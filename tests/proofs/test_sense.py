"""What has no sense, piece by piece: terms, ranges, names, kinds; and what every symbol declares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from sympy import (
    AccumBounds,
    CRootOf,
    Derivative,
    Determinant,
    Dummy,
    Float,
    Function,
    HadamardProduct,
    I,
    Integer,
    Integral,
    Limit,
    MatrixSymbol,
    Order,
    Piecewise,
    Product,
    Rational,
    Subs,
    Sum,
    Symbol,
    Trace,
    acos,
    exp,
    log,
    nan,
    oo,
    pi,
    root,
    sqrt,
    symbols,
    zoo,
)

from claims.almost_surely import AlmostSurely, RandomMatrices
from claims.bound import variable
from claims.statement import (
    Compare,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Monotone,
    Not,
    Quantity,
    Tends,
)
from claims.terms import MaxOver, family
from proofs import kernel, sense, smt
from proofs.calculus.curves import MonotoneSign
from proofs.calculus.inequalities import BoxBound, SignOnInterval, SumOfSquares
from proofs.calculus.spans import Span
from proofs.sense import ProofError

x, y = symbols("x y", real=True)
k = Symbol("k", integer=True)
TRUE = Compare(x, "=", x + 0 * y)


def refused(offer: Callable[[], Any], *because: str) -> None:
    with pytest.raises(ProofError) as refusal:
        offer()
    for words in because:
        assert words in str(refusal.value)


# What symbols declare -------------------------------------------------------------------------------

SIGNS = {
    "positive": ">",
    "nonnegative": ">=",
    "negative": "<",
    "nonpositive": "<=",
    "nonzero": "!=",
}


@pytest.mark.parametrize(("said", "sign"), SIGNS.items())
def test_a_sign_is_declared(said: str, sign: str) -> None:
    [found] = sense.declared(Symbol("s", **{said: True}), y)
    assert smt.canonical(found) == smt.canonical(Compare(y, sign, 0))


@pytest.mark.parametrize("kind", [{}, {"real": True}, {"integer": True}, {"commutative": True}])
def test_what_is_no_sign_declares_none(kind: dict[str, bool]) -> None:
    assert sense.declared(Symbol("s", **kind), k) == []


def test_every_sign_and_kind_may_be_declared_at_once() -> None:
    kinds = dict.fromkeys(("integer", "real", "commutative"), True)
    for signs in (("positive", "nonnegative", "nonzero"), ("negative", "nonpositive", "nonzero")):
        found = sense.declared(Symbol("s", **kinds, **dict.fromkeys(signs, True)), k)
        assert {SIGNS[said] for said in signs} <= {formula.sign for formula in found}


def test_a_positive_integer_is_at_least_one() -> None:
    found = sense.declared(Symbol("s", integer=True, positive=True), k)
    assert smt.canonical(Compare(k, ">=", 1)) in map(smt.canonical, found)


@pytest.mark.parametrize(
    "kind",
    [
        {"even": True}, {"odd": True}, {"prime": True}, {"rational": True}, {"irrational": True},
        {"finite": True}, {"algebraic": True}, {"real": True, "zero": False},
        {"real": True, "positive": False}, {"real": True, "integer": False}, {"even": True, "positive": True},
    ],
    ids=lambda kind: "_".join(f"{name}={value}" for name, value in kind.items()),
)  # fmt: skip
def test_nothing_else_may_be_declared(kind: dict[str, bool]) -> None:
    """SymPy reasons with it: a rational number is not sqrt(2), and 1/(r - sqrt(2)) has a value."""
    symbol = Symbol("s", **kind)
    refused(lambda: sense.declared(symbol, k), "s: declares more than a sign", *sorted(kind))


def test_an_integer_stands_for_integers() -> None:
    refused(lambda: sense.declared(k, x), "k is an integer, x is not known to be one")
    refused(lambda: sense.declared(k, Rational(1, 2)))


# Terms ----------------------------------------------------------------------------------------------


def has_sense(*terms: Any) -> None:
    sense.require_sense("a rule", *(Compare(term, "=", term) for term in terms))


def senseless(term: Any, because: str) -> None:
    for whole in (term, x + y * (y + term)):
        refused(
            lambda whole=whole: sense.require_sense("a rule", TRUE, Compare(x, "<", whole)),
            "a rule: $", because,
        )  # fmt: skip


@pytest.mark.parametrize("value", [nan, zoo])
def test_values_are_numbers(value: Any) -> None:
    refused(lambda: sense.require_sense("a rule", Compare(x, "<", value)), "has no value")
    unknown = Function("f")
    refused(lambda: sense.require_sense("a rule", Compare(x, "<", unknown(value))), "has no value")


@pytest.mark.parametrize(
    "term",
    [
        I, Float(1) / 3, Order(x), AccumBounds(0, 1), Integral(x, (x, 0, y)), Limit(x * y, y, 0),
        Subs(x * y, y, 0), Derivative(Function("f")(x), x), log(-2), exp(I), sqrt(-2), CRootOf(x**5 - x + 1, 0),
        Determinant(MatrixSymbol("A", 2, 2)),
    ],
    ids=lambda term: type(term).__name__,
)  # fmt: skip
def test_kinds_that_no_rule_knows(term: Any) -> None:
    senseless(term, "a kind that no rule knows")


def test_matrices_and_what_is_made_of_them_are_known() -> None:
    matrix = MatrixSymbol("A", 2, 2)
    has_sense(
        matrix, matrix * matrix.T, matrix[0, 1], Trace(matrix) + x, HadamardProduct(matrix, matrix)
    )


def test_cases_and_functions_of_every_name_are_known() -> None:
    has_sense(Piecewise((x, (x > 0) & (y < 1)), (y, True)), Function("f")(x), abs(x), oo, pi)


def test_a_matrix_is_no_number() -> None:
    """Otherwise (x + y)^2 = x^2 + 2xy + y^2 would be said of matrices that do not commute."""
    square = kernel.identity((x + y) ** 2, x**2 + 2 * x * y + y**2)
    left, right = MatrixSymbol("A", 2, 2), MatrixSymbol("B", 2, 2)
    refused(lambda: kernel.substitute(square, {x: left, y: right}), "is a number, A is a matrix")
    refused(lambda: kernel.congruent(x**2, x, left, left), "is a number, A is a matrix")


@pytest.mark.parametrize(
    "symbol",
    [Symbol("i", imaginary=True), Symbol("c", real=False, complex=True), Symbol("A", commutative=False)],
    ids=str,
)  # fmt: skip
def test_symbols_are_real_numbers(symbol: Symbol) -> None:
    refused(
        lambda: sense.require_sense("a rule", Compare(symbol, "=", symbol**2)),
        f"holds {symbol}, which is no real number",
    )


def test_symbols_without_assumptions_and_indices_are_allowed() -> None:
    has_sense(Symbol("s"), k, Dummy("d", real=True), Quantity("q", lambda at: Integer(1)))


@pytest.mark.parametrize("term", [acos(2), root(-1, 3), sqrt(log(Rational(1, 2)) - 1)], ids=str)
def test_numbers_are_real(term: Any) -> None:
    senseless(term, "which is no real number")


# Ranges ---------------------------------------------------------------------------------------------

OVER = [Sum, Product, MaxOver]


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("ends", [(Rational(1, 2), 2), (0, Rational(5, 2)), (0, x), (x, 3)])
def test_ranges_of_terms_end_at_integers(over: Any, ends: tuple[Any, Any]) -> None:
    [end] = [end for end in ends if end not in (0, 2, 3)]
    refused(
        lambda: sense.require_sense("a rule", Compare(x, "<", over(x + k, (k, *ends)))),
        f"has a range that ends at {end}, not known to be an integer",
    )


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize(
    "ends", [(3, 1), (k + 3, k + 1), (Symbol("n", integer=True, positive=True), -1)]
)
def test_terms_do_not_range_backwards(over: Any, ends: tuple[Any, Any]) -> None:
    """SymPy's sum from 3 to 1 is less the one from 2 to 2, so that its maximum with -1 is another."""
    index = Symbol("j", integer=True)
    term = over(x + index, (index, *ends))
    senseless(term, f"has a range from {ends[0]} to {ends[1]}, of negative length")


def test_empty_ranges_have_sense() -> None:
    index = Symbol("j", integer=True)
    has_sense(Sum(x + index, (index, 1, 0)), Sum(x + index, (index, k + 1, k)))
    sense.require_sense("a rule", ForAll(index, 3, 1, Compare(index, ">=", x)))


@pytest.mark.parametrize("over", OVER)
def test_every_range_of_a_term_is_looked_at(over: Any) -> None:
    other = Symbol("j", integer=True)
    inner, outer = (other, 0, 1), (k, 0, x)
    for ranges in ((inner, outer), (outer, inner)):
        term = over(over(x + k + other, ranges[0]), ranges[1])
        refused(lambda term=term: sense.require_sense("a rule", Compare(x, "<", term)), "ends at x")


@pytest.mark.parametrize("quantified", [ForAll, Exists])
@pytest.mark.parametrize("ends", [(Rational(1, 2), 2), (0, Rational(5, 2)), (0, x), (x, 3)])
def test_ranges_of_formulas_end_at_integers(quantified: Any, ends: tuple[Any, Any]) -> None:
    refused(
        lambda: sense.require_sense("a rule", quantified(k, *ends, Compare(k, "<", 4))),
        "not known to be an integer",
    )


@pytest.mark.parametrize("ends", [(0, oo), (-oo, 0), (-oo, oo), (1, Symbol("n", integer=True))])
def test_ranges_may_be_infinite(ends: tuple[Any, Any]) -> None:
    sense.require_sense("a rule", ForAll(k, *ends, Compare(k**2, ">=", 0)))


RANGES = [
    ({"positive": True}, 1, 0), ({"nonnegative": True}, 0, -1), ({"nonzero": True}, 1, 0),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "low", "below"), RANGES)
def test_an_index_declares_no_more_than_its_range(
    kind: dict[str, bool], low: int, below: int
) -> None:
    index = Symbol("p", integer=True, **kind)
    sense.require_sense("a rule", ForAll(index, low, 5, Compare(index, "<", 6)))
    for first in (below, -oo):
        refused(
            lambda first=first: sense.require_sense(
                "a rule", ForAll(index, first, 5, Compare(index, "<", 6))
            ),
            f"has the index p, which declares more than its range from {first} gives",
        )


@pytest.mark.parametrize("kind", [{"negative": True}, {"nonpositive": True}])
def test_an_index_is_not_held_below_by_its_range(kind: dict[str, bool]) -> None:
    index = Symbol("p", integer=True, **kind)
    refused(lambda: sense.require_sense("a rule", ForAll(index, -3, -1, Compare(index, "<", 6))))


@pytest.mark.parametrize(
    "kind", [{"even": True}, {"prime": True}, {"integer": False}, {"real": True, "integer": False}]
)
def test_an_index_is_any_integer_of_its_range(kind: dict[str, bool]) -> None:
    index = Symbol("p", **kind)
    refused(lambda: sense.require_sense("a rule", ForAll(index, 2, 6, Compare(index, "<", 9))))


# Formulas -------------------------------------------------------------------------------------------

FORMULAS = [
    Compare(x, "<", y), TRUE & Compare(x, "<", y), TRUE | Compare(x, "<", y), Not(TRUE),
    Implies(TRUE, Compare(x, "<", y)), Iff(TRUE, Compare(x, "<", y)),
    ForAll(k, 0, oo, Compare(k, ">=", 0)), Exists(k, 0, oo, Compare(k, ">=", 0)),
    Tends(1 / (1 + k), k, 0), Monotone(k**2, k, "<="),
    AlmostSurely(RandomMatrices("M", lambda at, *places: Integer(0)), TRUE),
]  # fmt: skip


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: type(formula).__name__)
def test_kinds_of_formulas_are_known_themselves_alone(formula: Formula) -> None:
    """A subclass may say another thing than what rules take it to say."""
    sense.require_sense("a rule", formula)
    kind = type(formula)
    pretended = type("Pretended", (kind,), {})
    held = {name: getattr(formula, name) for name in formula.__dataclass_fields__}
    made = object.__new__(pretended)
    for name, value in held.items():
        object.__setattr__(made, name, value)
    for whole in (made, Implies(TRUE, made)):
        refused(
            lambda whole=whole: sense.require_sense("a rule", whole),
            "is of the kind Pretended, which no rule knows",
        )


def test_every_formula_is_looked_at_and_the_rule_is_named() -> None:
    bad = Compare(x, "<", nan)
    for formulas in ((bad, TRUE), (TRUE, bad), (TRUE, TRUE, bad)):
        refused(lambda formulas=formulas: sense.require_sense("squeeze", *formulas), "squeeze: $")
    sense.require_sense("squeeze")


def test_an_index_may_declare_every_kind_and_no_sign_beyond_its_range() -> None:
    kinds = dict.fromkeys(("integer", "real", "commutative"), True)
    index = Symbol("every", positive=True, **kinds)
    sense.require_sense("a rule", ForAll(index, 1, 5, Compare(index, "<", 6)))
    refused(lambda: sense.require_sense("a rule", ForAll(index, 0, 5, Compare(index, "<", 6))))


def test_names_of_bound_variables_are_taken() -> None:
    first, second = variable(0), variable(1)
    for name in (first, second):
        refused(
            lambda name=name: sense.require_sense("a rule", TRUE, Compare(name, "<", x)),
            f"holds {name}, the name of a bound variable",
        )
    refused(lambda: sense.require_sense("a rule", Compare(first, "<", second)), f"holds {first}")


# Certificates, members, numbers ---------------------------------------------------------------------


@dataclass(frozen=True)
class Wider(SumOfSquares):
    pass


def test_certificates_are_of_the_kernels_kinds() -> None:
    slope = SignOnInterval(x - 1, x, 1, oo, ">=0")
    sense.require_known(slope)
    sense.require_known(SumOfSquares(x**2, ((1, x),)))
    sense.require_known(BoxBound(exp(x) - 1, ((x, 0, 3),)))
    sense.require_known(MonotoneSign(x - 1 - log(x), slope, anchor=1, sign=">=0", multiplier=x))
    wider = Wider(x**2, ((1, x),))
    refused(lambda: sense.require_known(wider), "certificate: Wider is none that the kernel knows")
    resting = MonotoneSign(x, wider, 0, ">=0", span=Span(x, 0, oo))
    refused(lambda: sense.require_known(resting), "Wider")
    refused(lambda: sense.require_known(MonotoneSign(x, resting, anchor=0, sign=">=0")), "Wider")


def test_a_member_of_a_family_shows_its_indices() -> None:
    members = family("a", lambda at, i: Integer(0))
    j = Symbol("j", integer=True)
    sense.require_members(members(k), j, [k])
    sense.require_members(members(k), j, [])
    refused(lambda: sense.require_members(members(k), j, [k, j]), "is no family over j")
    refused(lambda: sense.require_members(Quantity("q", lambda at: Integer(1)), j, [k]), "over k")
    refused(lambda: sense.require_members((members(k),), j, [k]), "over k")  # several at once


@pytest.mark.parametrize("term", [oo, -oo, zoo, nan, Float(1) / 3, 0.5])
def test_exact_terms_are_finite(term: Any) -> None:
    refused(lambda: sense.require_exact(term), "is no exact number, or not finite")
    refused(lambda: sense.require_exact(Function("f")(x, term)))
    sense.require_exact(x + Rational(1, 3))


def test_closed_formulas_have_values() -> None:
    sense.require_closed(Compare(sqrt(2), "<", 2))
    refused(lambda: sense.require_closed(Compare(x, "<", 2)), "has free symbols")
    refused(lambda: sense.require_closed(Compare(Sum(x, (k, 1, 3)), "=", 6)), "has free symbols")
    for bad in (Float("0.5"), I, 1 / sqrt(sqrt(2) - 2)):
        refused(
            lambda bad=bad: sense.require_closed(Compare(1, "<", 2 + bad)),
            "is not of exact real numbers",
        )


def test_needs_are_what_symbols_do_not_say() -> None:
    p = Symbol("p", positive=True)
    assert sense.without_value(1 / p, log(p), x**2, sqrt(x**2 - x + 1)) == []
    [need] = sense.without_value(1 / p, log(x))
    assert smt.canonical(need) == smt.canonical(Compare(x, ">", 0))


def test_indices_of_terms_are_bound_in_them() -> None:
    inside = Compare(Sum(k * x, (k, 1, 3)), "<", MaxOver(x + k, (k, 0, 1)))
    assert sense.bound_in_terms(inside & TRUE) == {k}
    assert sense.bound_in_terms(TRUE) == set()
