"""What the kernel's rules about limits conclude and need, as formulas."""

from __future__ import annotations

import pytest
from sympy import Function, Integer, Rational, Symbol, cosh, exp, log, oo, sin, sqrt

from claims.limits import approaches, known_limit
from claims.statement import And, Compare, ForAll, Tends
from proofs import kernel, limits
from proofs.sense import ProofError

a = Function("a", real=True)
k, n = (Symbol(name, integer=True) for name in "kn")
s, t, x = (Symbol(name, real=True) for name in "stx")
ONE = Integer(1)


LOW, HIGH = Tends(-1 / k, k, Integer(0)), Tends(1 / k, k, Integer(0))


def bounds(first: str = "<=", second: str = "<=", middle=None):
    """a(k) between -1/k and 1/k, or `middle` below the upper one."""
    upper = Compare(a(k) if middle is None else middle, second, 1 / k)
    lower = Compare(-1 / k, first, a(k))
    return ForAll(k, ONE, oo, lower), ForAll(k, ONE, oo, upper)


@pytest.mark.parametrize("signs", [("<=", "<="), ("<", "<="), ("<=", "<"), ("<", "<")])
def test_what_stands_between_two_sequences_tends_to_their_limit(signs) -> None:
    formula, _, needed = limits.squeezed(*bounds(*signs), LOW, HIGH)
    assert (formula, needed) == (Tends(a(k), k, Integer(0)), [])


@pytest.mark.parametrize(
    "between",
    [
        bounds(">="),
        bounds("<=", ">="),
        bounds("=", "<="),
        bounds("<=", "!="),
        bounds(middle=a(k) - 1),
    ],
)
def test_what_does_not_stand_between_them_need_not(between) -> None:
    with pytest.raises(ProofError, match="squeeze"):
        limits.squeezed(*between, LOW, HIGH)


def test_bounds_are_comparisons_for_all_large_indices() -> None:
    lower, upper = bounds()
    for wrong in (
        ForAll(k, ONE, oo, And((lower.body, lower.body))), ForAll(k, ONE, n, lower.body), lower.body,
    ):  # fmt: skip
        with pytest.raises(ProofError, match="large"):
            limits.squeezed(wrong, upper, LOW, HIGH)


PARTS = {s: Tends(1 / k, k, Integer(0)), t: Tends(1 + 1 / k, k, Integer(1))}


@pytest.mark.parametrize("term", [s + x * t, s**2 * t, exp(s + t), x, exp(x * s) * t**3])
def test_continuous_combinations_have_the_limit_of_their_parts(term) -> None:
    formula, _, needed = limits.limit_combined(term, PARTS)
    ends = {s: 0, t: 1}
    assert formula.limit == term.subs(ends) and not needed
    assert formula.term == term.subs({s: 1 / k, t: 1 + 1 / k})


@pytest.mark.parametrize(
    "term", [1 / s, s + sin(s), sin(s) ** 2, t * (1 + s / t), x**s, exp(1 / s), s + k]
)
def test_other_combinations_are_refused(term) -> None:
    with pytest.raises(ProofError):
        limits.limit_combined(term, PARTS)


@pytest.mark.parametrize(
    ("first", "second", "limit", "needed"),
    [
        ((x * k + 1) / k, k / (x * k + 1), x, [Compare(x, "!=", 0)]),
        (log(k + x) / k, k / log(k + x), 0, None),
        (x + exp(-k), 1 / (x + exp(-k)), x, None),
        ((k + 1) / k, k / (k + 1), 1, []),
        (exp(-k) - 2, 1 / (exp(-k) - 2), -2, []),
    ],
    ids=str,
)
def test_what_cancels_in_a_combination_is_needed(first, second, limit, needed) -> None:
    """The product of a sequence and its inverse is one, where it is not zero from some index on."""
    limit += Integer(0)
    parts = {s: Tends(first, k, limit), t: Tends(second, k, 1 / limit if limit else Integer(7))}
    if needed is None:
        with pytest.raises(ProofError, match="is lost"):
            limits.limit_combined(s * t, parts)
        return
    formula, _, found = limits.limit_combined(s * t, parts)
    assert formula == Tends(ONE, k, ONE) and set(found) == set(needed)


@pytest.mark.parametrize("end", [oo, -oo])
def test_parts_without_a_finite_limit_are_refused(end) -> None:
    """oo - oo and 0 * oo are no numbers."""
    with pytest.raises(ProofError, match="finite"):
        limits.limit_combined(s * t, {**PARTS, t: Tends(k if end is oo else -k, k, end)})


def test_no_parts_have_no_limit() -> None:
    with pytest.raises(ProofError, match="no continuous combination"):
        limits.limit_combined(x, {})


@pytest.mark.parametrize("sides", [(a(k), 1 / k), (1 / k, a(k))])
def test_an_equal_sequence_has_the_same_limit(sides) -> None:
    equal = ForAll(k, Integer(3), oo, Compare(sides[0], "=", sides[1]))
    assert limits.limit_rewritten(PARTS[s], equal)[0] == Tends(a(k), k, Integer(0))


@pytest.mark.parametrize(
    "body", [Compare(a(k), "=", 2 / k), Compare(a(k), "<=", 1 / k), Compare(a(k), "=", x)]
)
def test_another_sequence_has_another_limit(body) -> None:
    with pytest.raises(ProofError, match="limit"):
        limits.limit_rewritten(PARTS[s], ForAll(k, ONE, oo, body))


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (LOW, Tends(2 / k, k, Integer(0)), "no limit is given"),
        (Tends(-2 / k, k, Integer(0)), HIGH, "no limit is given"),
        (Tends(-1 / k, k, Integer(-1)), HIGH, "different limits"),
    ],
)
def test_both_bounds_tend_to_one_limit(low, high, words: str) -> None:
    with pytest.raises(ProofError, match=words):
        limits.squeezed(*bounds(), low, high)


@pytest.mark.parametrize(
    ("term", "limit", "needed"),
    [
        (1 / k, 0, []),
        (log(k) / k, 0, []),
        (sqrt(1 - 2 / k), 1, []),
        (1 / (x * k + 1), 0, [Compare(x, "!=", 0)]),
        (log(x * k + 1) / k, 0, [Compare(x, ">", 0)]),
        (sqrt(x) / k, 0, [Compare(x, ">=", 0)]),
        (log(1 + exp(-k)) + 1, 1, []),
        (sqrt(k**2 + 1), oo, []),
        ((k + 1) / k, 1 / x, [Compare(x, "!=", 0)]),
        (1 / (exp(-k) - 2), 0, []),
        (log((x * k + 1) / (k + 1)), 0, [Compare(x, ">", 0)]),
    ],
    ids=str,
)
def test_what_makes_a_sequence_real_from_some_index_on(term, limit, needed) -> None:
    assert limits.needed_far_out(Tends(term, k, Integer(0) + limit)) == needed


@pytest.mark.parametrize(
    "term",
    [log(-k), sqrt(1 - k), log(exp(-k) - 1), log(sin(k)), log(x + exp(-k)), log(x - k)],
    ids=str,
)
def test_a_sequence_that_is_not_real_far_out_is_refused(term) -> None:
    with pytest.raises((ProofError, ValueError), match=r"limit|leading|return"):
        kernel.limit(term / k, k)


@pytest.mark.parametrize(
    "term",
    [
        log(exp(-k) - 2),
        log(exp(-k) - 1),
        1 / sin(k),
        log(x + exp(k)),
        sqrt(100 - log(k)),
        log(sin(k)),
    ],
    ids=str,
)
def test_what_is_no_number_far_out_is_lost(term) -> None:
    with pytest.raises(ProofError, match="is lost"):
        limits.needed_far_out(Tends(term, k, Integer(0)))


@pytest.mark.parametrize(
    "needed",
    [And((Compare(k, ">", 0), Compare(k, "!=", 3))), Compare(1 / k, "<=", 1), Compare(k, ">=", 2)],
)
def test_needs_are_comparisons_with_zero(needed) -> None:
    with pytest.raises(ProofError, match="is lost"):
        limits._from_some_place(needed, k)


@pytest.mark.parametrize(
    ("term", "value"),
    [
        ((2 * k + 1) / k, 2), (k, oo), (-k, -oo), (sin(k), None), (sqrt(-k), None), (k**2 / n, None),
        (cosh(log(k) / k), 1), ((-1) ** k, None), (1 / Symbol("y"), None),
    ],
    ids=str,
)  # fmt: skip
def test_limits_of_sequences_of_numbers(term, value) -> None:
    """None where the course of a sequence does not bear the limit out."""
    assert known_limit(term, k) == value


def test_a_step_has_no_limit_that_its_course_would_show() -> None:
    """SymPy's limit of the integer part of erf(k) is one; each member is zero."""
    from sympy import erf, floor

    for said in (0, 1):
        assert Tends(floor(erf(k)), k, Integer(said)).truth({}) is None
    assert Tends(Rational(1, 2) + 1 / k, k, Rational(1, 2)).truth({}) is True
    assert Tends(1 / k, k, ONE).truth({}) is False


@pytest.mark.parametrize(
    ("term", "end"),
    [
        (1 / sqrt(k), 0), (log(k) / k, 0), (k ** (1 / k), 1), (sqrt(k + 1) - sqrt(k), 0),
        (2 - k ** Rational(-1, 3), 2), (log(k) ** 2 / sqrt(k), 0),
    ],
)  # fmt: skip
def test_slow_sequences_are_followed_farther(term, end) -> None:
    assert known_limit(term, k) == end
    for other in (Rational(1, 10**20), Rational(1, 10**12), ONE):
        assert not approaches(term, end + other, k)


@pytest.mark.parametrize("term", [1 / log(k), k ** Rational(-1, 50), 1 / log(log(k))])
def test_sequences_that_nobody_lives_to_see_end_are_not_believed(term) -> None:
    assert known_limit(term, k) is None
