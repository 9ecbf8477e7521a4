"""The judge of statements, answer by answer: three-valued truth, and what intervals leave possible."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, dataclass, field
from itertools import product
from typing import Any

import pytest
from sympy import (
    Abs,
    Function,
    Integer,
    KroneckerDelta,
    Matrix,
    Mod,
    Rational,
    Symbol,
    exp,
    floor,
    frac,
    oo,
    sin,
    sqrt,
    symbols,
)  # fmt: skip

from claims.errors import UserError
from claims.intervals import BOTH, possible
from claims.statement import (
    UNBOUNDED_TRIED,
    And,
    Compare,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Monotone,
    Not,
    Or,
    Predicate,
    Quantity,
    Tends,
    chain,
    is_measured,
    measured_family,
    measured_quantity,
)  # fmt: skip
from claims.terms import family

n = Symbol("n", integer=True, positive=True)
k, m = symbols("k m", integer=True)
x, y = symbols("x y", real=True)
TRUE, FALSE = Compare(1, "<", 2), Compare(2, "<", 1)
unknown = measured_quantity("u")
OPEN = Compare(unknown, ">", 0)
"""Neither true nor false: exact truth about it is not decided."""
ANSWERS = {TRUE: True, FALSE: False, OPEN: None}
YES, NO = frozenset({True}), frozenset({False})


def read(quantity, at):
    """What is measured lies between -1 and 1."""
    return (0.0, 1.0)


# Connectives --------------------------------------------------------------------------------------


def conjunction(first, second):
    if False in (first, second):
        return False
    return None if None in (first, second) else True


def negation(truth):
    return None if truth is None else not truth


@pytest.mark.parametrize(("left", "right"), list(product(ANSWERS, repeat=2)))
def test_connectives_are_those_of_three_valued_logic(left: Formula, right: Formula) -> None:
    a, b = ANSWERS[left], ANSWERS[right]
    either = negation(conjunction(negation(a), negation(b)))
    if_so = negation(conjunction(a, negation(b)))
    back = negation(conjunction(b, negation(a)))
    expected = {
        And((left, right)): conjunction(a, b),
        Or((left, right)): either,
        Not(left): negation(a),
        Implies(left, right): if_so,
        Iff(left, right): conjunction(if_so, back),
        left & right: conjunction(a, b),
        left | right: either,
        ~left: negation(a),
        left.implies(right): if_so,
        left.iff(right): conjunction(if_so, back),
    }
    for formula, truth in expected.items():
        assert formula.truth({}) is truth, formula.latex()
        allowed = BOTH if truth is None else frozenset({truth})
        assert formula.possible(read, {}) == allowed, formula.latex()


def test_a_premise_that_fails_ends_the_matter() -> None:
    """Where n = 1 the conclusion divides by zero, and nothing is asserted."""
    undefined = Compare(1 / (x - 1), ">", 0)
    guarded = Implies(Compare(x, ">", 1), undefined)
    assert guarded.truth({x: Integer(1)}) is True
    assert guarded.possible(read, {x: Integer(1)}) == YES
    assert guarded.truth({x: Integer(2)}) is True


def test_what_doubles_cannot_tell_apart_is_computed_again() -> None:
    """$(1-8^{-k})^{1/k}$ rises with $k$, by less than a float shows where $k$ is some hundreds."""
    small, large = (Quantity(name, lambda at: Integer(0), integer=True) for name in ("k", "l"))
    rate = lambda k: (1 - Rational(1, 8) ** k) ** (1 / k)  # noqa: E731
    known = {small: 189.0, large: 284.0}

    def possible(left: Any, sign: str, right: Any, width: float = 0.0) -> frozenset[bool]:
        return Compare(left, sign, right).possible(lambda q, at: (known[q], width), {})

    assert possible(rate(small), "<", rate(large)) == YES
    assert possible(rate(large), "<", rate(small)) == possible(rate(large), "<=", rate(small)) == NO
    assert possible(rate(small), ">=", rate(small)) == YES
    assert possible(sqrt(2) ** (2 * small), "<", 2**small) == NO
    # A reading that is not whole may be rounded: what it seems to tell in the last place is noise.
    known[small] = 1 / 3
    assert (
        possible(small, "<", Rational(1, 3)) == NO and possible(small, "<=", Rational(1, 3)) == YES
    )


def test_an_identity_of_what_is_measured_is_not_refuted_by_rounding() -> None:
    """$e(pem+(1-pe)M)+(1-e)M=pe^2m+(1-pe^2)M$ at all corners: doubles give all one sign now and then."""
    low, top = measured_quantity("m"), measured_quantity("M")
    between = lambda share: share * low + (1 - share) * top  # noqa: E731
    for tenth in range(1, 60):
        known = {low: (-tenth / 7, 1e-15), top: (tenth / 10, 1e-15)}
        at = {x: Rational(tenth, 61), y: Rational(3, 56)}
        line = y * between(x * y) + (1 - y) * top
        same = Compare(line, "=", between(x * y**2))
        assert True in same.possible(lambda q, at, known=known: known[q], at)
        other = Compare(line, "=", between(x * y**2) + Rational(1, 10**12))
        assert other.possible(lambda q, at, known=known: known[q], at) == NO


def test_nothing_is_known_where_a_root_may_end() -> None:
    """A reading of $0.01\\pm0.02$ may be negative, where its root is not real and says nothing."""
    near, far = measured_quantity("a"), measured_quantity("b")
    known = {near: (0.01, 0.02), far: (4.0, 0.5)}

    def possible(left: Any, sign: str, right: Any) -> frozenset[bool]:
        return Compare(left, sign, right).possible(lambda q, at: known[q], {})

    assert possible(sqrt(near), "<", 3) == possible(sqrt(near), "=", sqrt(far)) == BOTH
    assert possible(sqrt(far), "<", 3) == YES and possible(sqrt(far), "=", 3) == NO


@dataclass(frozen=True)
class Nothing(Formula):
    """What has no truth value left at all; with a note that is no part of it."""

    note: Symbol = field(default=x, metadata={"part": False})

    def possible(self, readings, at):
        return frozenset()


def test_what_may_fail_may_fail_whatever_else_is_impossible() -> None:
    assert And((OPEN, Nothing())).possible(read, {}) == NO
    assert And((TRUE, Nothing())).possible(read, {}) == frozenset()
    assert And((Nothing(), OPEN)).possible(read, {}) == frozenset()


def test_a_note_is_no_part() -> None:
    assert Nothing().parts() == () and Nothing().free_symbols() == set()
    assert Nothing().map(lambda term: term + 1) == Nothing()


def test_conjunctions_and_alternatives_are_flat() -> None:
    third = Compare(3, "=", 3)
    assert (TRUE & FALSE & third).formulas == (TRUE, FALSE, third)
    assert (TRUE & (FALSE & third)).formulas == (TRUE, FALSE, third)
    assert (TRUE | FALSE | third).formulas == (TRUE, FALSE, third)
    assert ((TRUE | FALSE) & third).formulas == (Or((TRUE, FALSE)), third)
    assert And(()).truth({}) is True and Or(()).truth({}) is False


# Comparisons --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sign", "truths"),
    [("=", "010"), ("!=", "101"), ("<=", "110"), ("<", "100"), (">=", "011"), (">", "001")],
)
def test_signs(sign: str, truths: str) -> None:
    for left, truth in zip((1, 2, 3), truths, strict=True):
        assert Compare(left, sign, 2).truth({}) is (truth == "1")
    assert Compare(1, sign, x).left == Integer(1) and isinstance(Compare(x, sign, 1).right, Integer)


@pytest.mark.parametrize("sign", ["==", "", "≤", "in"])
def test_other_signs_are_refused(sign: str) -> None:
    with pytest.raises(UserError, match="must be one of"):
        Compare(x, sign, 1)


def test_every_link_of_a_chain_is_asserted_of_the_first() -> None:
    q = Quantity("q", lambda at: at[x])
    assert chain(q, "<=", 3) == Compare(q, "<=", 3)
    assert q.at_most(3, 5) == And((Compare(q, "<=", 3), Compare(q, "<=", 5)))
    assert q.at_least(3, 5) == And((Compare(q, ">=", 3), Compare(q, ">=", 5)))
    assert q.equals(3, 4) == And((Compare(q, "=", 3), Compare(q, "=", 4)))
    assert q.below(2) == Compare(q, "<", 2) and q.above(2) == Compare(q, ">", 2)
    assert q.at_most(3, 5).truth({x: Integer(4)}) is False


# Quantifiers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "body", "every", "some"),
    [
        (1, 3, Compare(k, ">=", 1), True, True),
        (0, 3, Compare(k, ">=", 1), False, True),
        (1, 4, Compare(k, "<=", 3), False, True),
        (1, 3, Compare(k, "=", 1), False, True),
        (1, 3, Compare(k, "=", 3), False, True),
        (1, 3, Compare(k, ">", 3), False, False),
        (3, 1, FALSE, True, False),  # nothing lies in the range
        (2, 2, Compare(k, "=", 2), True, True),
        (1, 3, OPEN, None, None),
        (1, 3, And((OPEN, Compare(k, ">", 1))), False, None),
        (1, 3, Or((OPEN, Compare(k, ">", 1))), None, True),
        (0, oo, Compare(k, ">=", 0), None, True),
        (0, oo, Compare(k, "<", 5), False, True),
        (0, oo, Compare(k, "<", 0), False, None),
        (0, oo, Compare(k, "!=", UNBOUNDED_TRIED - 1), False, True),
        (0, oo, Compare(k, "!=", UNBOUNDED_TRIED), None, True),
        (2, oo, Compare(k, "!=", UNBOUNDED_TRIED + 1), False, True),
        (n, n + 1, Compare(k, ">=", 2), True, True),
        (n, n + 1, Compare(k, ">=", 3), False, True),
    ],
)
def test_quantifiers(low, high, body, every, some) -> None:
    at = {n: Integer(2)}
    assert ForAll(k, low, high, body).truth(at) is every
    assert Exists(k, low, high, body).truth(at) is some
    found = {True: YES, False: NO, None: BOTH}
    assert ForAll(k, low, high, body).possible(read, at) == found[every]
    assert Exists(k, low, high, body).possible(read, at) == found[some]


@pytest.mark.parametrize(
    ("sequence", "holding"),
    [
        ((1, 2, 3), {"<=", "<"}),
        ((1, 1, 3), {"<="}),
        ((3, 2, 1), {">=", ">"}),
        ((1, 3, 2), set()),
        ((2, 1, 3), set()),
        ((1, 1, 1), {"<=", ">="}),
    ],
)
def test_monotone_over_all_of_its_range(sequence, holding) -> None:
    term = family("s_{{{}}}", lambda at, e: Integer(sequence[int(e)]))(k)
    for sign in ("<=", "<", ">=", ">"):
        statement = Monotone(term, k, sign, 0, 2)
        assert statement.truth({}) is (sign in holding)
        exactly = statement.possible(
            lambda q, at: (float(sequence[int(q.args[0].subs(at))]), 0.0), {}
        )
        assert exactly == frozenset({sign in holding})
    with pytest.raises(UserError, match="direction"):
        Monotone(term, k, "=")


def test_monotone_without_a_range_begins_at_zero_and_does_not_end() -> None:
    unfolded = Monotone(k**2, k, "<=").unfolded()
    assert unfolded == ForAll(k, 0, oo, Compare(k**2, "<=", (k + 1) ** 2))
    assert Monotone(k**2, k, "<=", -1, 3).unfolded().low == -1
    assert Monotone(k**2, k, "<=").truth({}) is None and Monotone(k**2, k, ">=").truth({}) is False


# Limits -------------------------------------------------------------------------------------------


def test_limits_of_closed_forms_and_of_nothing_else() -> None:
    assert Tends(x / k, k, 0).truth({x: Integer(3)}) is True
    assert Tends(x / k, k, 0).truth({x: Integer(3), k: Integer(5)}) is True  # the index is bound
    assert Tends(x / k, k, 1).truth({x: Integer(3)}) is False
    assert Tends(2**k, k, oo).truth({}) is True
    assert Tends((k + y) / k, k, y).truth({y: Integer(1)}) is True
    held, applied = Quantity("q", lambda at: at[k]), family("q_{{{}}}", lambda at, e: 1 / e)
    for term in (held / k, applied(k), Function("f")(k)):
        assert Tends(term, k, 0).truth({}) is None
        assert Tends(term, k, 0).possible(read, {}) == BOTH
    assert Tends(1 / k, k, 0).possible(read, {}) == YES
    assert Tends(1 / k, k, 2).possible(read, {}) == NO


# Pieces -------------------------------------------------------------------------------------------


def test_what_is_bound_is_not_free() -> None:
    inner = ForAll(k, 1, n, Compare(k * x, "<=", m))
    assert inner.free_symbols() == {n, x, m}
    assert And((inner, Compare(y, ">", 0))).free_symbols() == {n, x, m, y}
    assert Tends(x / k, k, y).free_symbols() == {x, y}
    assert Compare(Matrix([1]), "=", x).free_symbols() == {x}
    assert Compare(((x, y), k), "=", m).free_symbols() == {x, y, k, m}
    changed = inner.free_symbols()
    changed.clear()
    assert inner.free_symbols() == {n, x, m}


def test_quantities_are_listed_once_in_their_order() -> None:
    first, second = (Quantity(name, lambda at: Integer(1)) for name in ("b", "a"))
    power = family("p_{{{}}}", lambda at, e: Integer(1))
    statement = And((Compare(first + second, "<", power(k)), Compare(power(m), "<", second)))
    assert [q.name for q in statement.quantities()] == ["b", "a", power.name]
    other = family("o_{{{}}}", lambda at, e: Integer(1))
    assert Compare(power(k) + other(k), "<", 1).quantities() == (other, power)
    assert Compare(Function("f")(k), "<", 1).quantities() == ()
    assert Compare(second, "<", first).quantities() == (second, first)


def test_walking_meets_every_part_in_its_order() -> None:
    left, right = Compare(x, "<", 1), Compare(y, "<", 2)
    whole = Implies(left, ForAll(k, 0, n, right))
    assert list(whole.walk()) == [
        whole, left, x, "<", Integer(1), whole.conclusion, k, 0, n, right, y, "<", Integer(2),
    ]  # fmt: skip


def test_a_change_reaches_terms_and_nothing_else() -> None:
    whole = And((Compare(x, "<", 1), Exists(k, 0, n, Compare(k + x, "=", 5))))
    doubled = whole.map(lambda term: 2 * term)
    assert doubled == And(
        (Compare(2 * x, "<", 2), Exists(k, 0, 2 * n, Compare(2 * k + 2 * x, "=", 10)))
    )
    assert Not(whole).map(lambda term: term) == Not(whole)
    for bound in (
        ForAll(k, 0, n, Compare(k, "<", x)),
        Tends(x / k, k, 0),
        Monotone(x * k, k, "<="),
    ):
        assert bound.map(lambda term: 2 * term).index == k


def test_substitution_puts_terms_for_free_symbols_only() -> None:
    whole = ForAll(k, 0, n, Compare(k + x, "<=", m))
    assert whole.substitute({x: y, n: 3}) == ForAll(k, 0, 3, Compare(k + y, "<=", m))
    assert whole.substitute({k: 7}) == whole
    renamed = whole.substitute({x: k})
    assert renamed.index != k and renamed.free_symbols() == {n, m, k}
    assert (
        renamed.index.name == "k"
        and renamed.index.is_integer
        and renamed.body == Compare(renamed.index + k, "<=", m)
    )
    both = whole.substitute({x: k, m: 5})
    assert both.body.right == 5 and both.high == n
    assert Compare(x, "<", y).substitute({x: y, y: x}) == Compare(y, "<", x)
    nested = And((whole, Compare(x, ">", 0))).substitute({x: Integer(2)})
    assert nested == And((ForAll(k, 0, n, Compare(k + 2, "<=", m)), Compare(2, ">", 0)))


# Quantities ---------------------------------------------------------------------------------------


def test_a_quantity_is_only_itself() -> None:
    one, other = (Quantity("q", lambda at: Integer(1)) for _ in range(2))
    assert one != other and one == one and len({one, other}) == 2
    assert one.is_real and Quantity("t", lambda at: 1, real=None).is_real is None
    assert Quantity("p", lambda at: 1, positive=True).is_positive
    with pytest.raises(TypeError, match="by the id of its claim"):
        pickle.dumps(one)


def test_what_is_only_measured_is_marked() -> None:
    assert is_measured(unknown) and is_measured(measured_family("v_{{{}}}"))
    assert not is_measured(Quantity("q", lambda at: 1))
    assert not is_measured(family("p_{{{}}}", lambda at, e: 1)) and not is_measured(x)
    assert Compare(measured_family("v_{{{}}}")(k), ">", 0).truth({k: Integer(1)}) is None


def test_words_are_tested_at_a_point() -> None:
    words = Predicate("it is small", lambda at, value: value < at[x], lambda at: at[y])
    assert words.truth({x: 2, y: 1}) is True and words.truth({x: 1, y: 2}) is False
    assert words.possible(read, {}) == BOTH and words.parts() == () and words.map(abs) is words
    assert Predicate("w", lambda at, value: value is None).truth({}) is True


def test_not_false_is_what_a_search_asks() -> None:
    assert TRUE.holds(None, {}) and OPEN.holds(None, {}) and not FALSE.holds(None, {})


def test_formulas_do_not_change() -> None:
    power = Monotone(k**2, k, "<=")
    for formula, name in (
        (TRUE, "sign"), (And((TRUE,)), "formulas"), (Or((TRUE,)), "formulas"), (Not(TRUE), "body"),
        (Implies(TRUE, TRUE), "premise"), (Iff(TRUE, TRUE), "left"), (ForAll(k, 0, 1, TRUE), "low"),
        (Exists(k, 0, 1, TRUE), "low"), (Tends(1 / k, k, 0), "limit"), (power, "direction"),
        (Predicate("w", lambda at, value: True), "words"),
    ):  # fmt: skip
        with pytest.raises(FrozenInstanceError):
            setattr(formula, name, None)
    with pytest.raises(NotImplementedError):
        Formula().truth({})
    with pytest.raises(NotImplementedError):
        Formula().possible(read, {})


def test_a_half_is_no_index() -> None:
    """Ranges run over integers: what is between them is not looked at."""
    assert ForAll(k, 0, 1, Compare((2 * k - 1) ** 2, ">=", Rational(1, 2))).truth({}) is True


def test_a_comparison_of_many_measured_quantities_is_refused_in_one_line() -> None:
    """Their intervals are tried in all corners."""
    many = [Quantity(f"q_{k}", lambda at: Integer(1)) for k in range(40)]
    with pytest.raises(ValueError, match="more than 10 measured quantities in one term"):
        Compare(sum(many, Integer(0)), "<=", 40).possible(lambda quantity, at: (1.0, 0.0), {})


# Boxes between whose corners more may happen ------------------------------------------------------

p, q = (measured_quantity(name) for name in "pq")
Read = tuple[float, float]


def between(formula: Compare, first: Read, second: Read = (0.0, 0.0)) -> frozenset[bool]:
    """What is possible where p and q are read, each with the half-width of its interval."""
    read = {p: first, q: second}
    return possible(formula.left, formula.sign, formula.right, lambda atom, at: read[atom], {})


@pytest.mark.parametrize(
    ("formula", "first", "second"),
    [
        (Compare((p - Rational(3, 2)) ** 2, "<=", Rational(1, 100)), (1.0, 1.0), (0.0, 0.0)),
        (Compare(Abs(p - q), "<=", Rational(1, 2)), (1.0, 2.0), (0.0, 2.0)),
        (Compare(p * p, "=", 0), (0.3, 1.0), (0.0, 0.0)),
        (Compare(p * (1 - p), ">=", Rational(1, 4)), (0.45, 0.1), (0.0, 0.0)),
        (Compare(1 / p, ">", 3), (0.1, 0.5), (0.0, 0.0)),
        (Compare(sin(p), "<=", Rational(1, 2)), (1.5, 1.4), (0.0, 0.0)),
        (Compare(p**2 + q**2, ">", 1), (1.0, 1.4), (1.0, 1.4)),
        (Compare(frac(p), ">=", Rational(2, 5)), (1.5, 1.0), (0.0, 0.0)),
        (Compare(Mod(p, 2), "<=", 1), (2.5, 2.0), (0.0, 0.0)),
        (Compare(KroneckerDelta(p, 2), "<", 1), (2.5, 1.0), (0.0, 0.0)),
    ],
    ids=str,
)
def test_what_happens_between_corners_is_possible(formula, first, second) -> None:
    assert between(formula, first, second) == BOTH


@pytest.mark.parametrize(
    ("formula", "first", "second", "truth"),
    [
        (Compare(p, "<=", 5 * q), (1.0, 0.5), (3.0, 2.5), YES),
        (Compare(p**2, "<=", q**2), (1.0, 0.1), (0.5, 0.2), NO),
        (Compare((p - 1) ** 2, "<=", Rational(1, 100)), (3.0, 1.5), (0.0, 0.0), NO),
        (Compare(p * q - p, ">", Rational(1, 10)), (2.0, 1.0), (3.0, 1.5), YES),
        (Compare(exp(p) - p, ">", Rational(1, 2)), (0.5, 2.0), (0.0, 0.0), YES),
        (Compare(Abs(p - q), "<=", Rational(1, 2)), (4.0, 1.0), (0.0, 2.0), NO),
        (Compare(floor(p), ">=", 1), (2.0, 0.5), (0.0, 0.0), YES),
    ],
    ids=str,
)
def test_what_keeps_its_sign_in_a_wide_box_is_told(formula, first, second, truth) -> None:
    assert between(formula, first, second) == truth
