"""`check`: true, false at places that are hard to meet, vacuous, undefined, and unusable questions."""

from __future__ import annotations

import subprocess
import sys
from time import monotonic
from typing import Any

import pytest
from sympy import (
    And,
    Eq,
    Function,
    Implies,
    IndexedBase,
    Integer,
    Le,
    Limit,
    MatrixSymbol,
    Ne,
    Or,
    Rational,
    Sum,
    Trace,
    exp,
    log,
    nan,
    oo,
    sin,
    sqrt,
    symbols,
)

from claims.errors import UserError
from claims.statement import Compare, ForAll
from twofold import Answer, Array, Choice, FrobSq, Gaussian, Real, Size, Total, check, expected
from twofold.turning import turning_points

n, m, d, k, x, y, s = symbols("n m d k x y s")
X, W, V = MatrixSymbol("X", n, d), MatrixSymbol("W", d, m), MatrixSymbol("V", d, d)
SIZES = [Size(n), Size(d), Size(m), Real(s), Array(X)]

TRUE: list[tuple[Any, list[Any]]] = [
    (x * (1 - x) <= Rational(1, 4), [Real(x, 0, 1)]),
    (x**2 + y**2 >= 2 * x * y, [Real(x), Real(y)]),
    (sqrt(x * y) <= (x + y) / 2, [Real(x, 0), Real(y, 0)]),
    (exp(x) >= 1 + x, [Real(x)]),
    (log(1 + x) <= x, [Real(x, 0)]),
    (x - sin(x) >= 0, [Real(x, 0, 1)]),
    (exp(-x) <= 1 - x + x**2 / 2, [Real(x, 0)]),
    (x * exp(-x) <= exp(-1), [Real(x)]),
    (exp(x) * (2 - x) <= 3, [Real(x, 0, 2)]),
    (2**n >= n + 1, [Size(n, 0)]),
    (Eq(Sum(k, (k, 1, n)), n * (n + 1) / 2), [Size(n, 1)]),
    (Sum(1 / sqrt(k), (k, 1, n)) <= 2 * sqrt(n), [Size(n, 1)]),
    (Eq(Limit(n / (n + 1), n, oo), 1), []),
    (Eq(Limit(1 / sqrt(n), n, oo), 0), []),
    (Eq(Limit(n ** (1 / n), n, oo), 1), []),
    (Eq(Limit((1 - x) ** n, n, oo), 0), [Real(x, 0, 1, open_low=True)]),
    (Implies(And(x > 0, y > 0), x * y > 0), [Real(x), Real(y)]),
    (Implies(x > 0, exp(x) > 1), [Real(x)]),
    (Or(x < 1, x * y >= y), [Real(x), Real(y, 0)]),
    (x < y + 1, [Real(x, 0, 1), Real(y, 0, 1), x <= y]),
    (y <= x, [Real(x, 0, 1), Real(y, 0, x)]),
    (x**2 <= 4, [Choice(x, (-2, 0, 2))]),
    (Eq(expected(FrobSq(X * W), Gaussian(W, s**2)), m * s**2 * FrobSq(X)), SIZES),
    (Eq(expected(Total(X) ** 2, Gaussian(X, s**2)), n * d * s**2), [Size(n), Size(d), Real(s)]),
    (expected(FrobSq(X), Gaussian(X)) >= n, [Size(n), Size(d)]),
]
FALSE: list[tuple[Any, list[Any], dict[str, Any]]] = [
    (Eq(Sum(k**2, (k, 1, n)), n * (n + 1) / 2), [Size(n, 1)], {"n": 2}),
    (n**2 <= 1000, [Size(n)], {"n": 32}),
    (n <= 10**5, [Size(n)], {"n": 10**5 + 1}),
    (n <= 10**6, [Size(n)], {"n": 10**6 + 1}),
    ((n - 97) ** 2 > 0, [Size(n)], {"n": 97}),
    ((x - Rational(355, 113)) ** 2 > 0, [Real(x, 0, 4)], {"x": Rational(355, 113)}),
    (Implies(x > 0, (x - Rational(7, 11)) ** 2 > 0), [Real(x)], {"x": Rational(7, 11)}),
    (n / (n**2 + 1000) <= Rational(1, 64), [Size(n)], {"n": 28}),
    (x < 1, [Real(x, 0, 1)], {"x": 1}),
    (x < Rational(355, 113), [Real(x, 0, Rational(355, 113))], {"x": Rational(355, 113)}),
    (x < 1 - Rational(1, 1000), [Real(x, 0, 1, open_high=True)], {"x": 1 - Rational(1, 1024)}),
    (x * y < 1, [Real(x, 0, 1), Real(y, 0, 1)], {"x": 1, "y": 1}),
    (x * exp(-x) < exp(-1), [Real(x)], {"x": 1}),
    (Eq(Limit(n / (n + 1), n, oo), 2), [], {}),
    (Eq(Limit(x**n, n, oo), 0), [Size(n, 1), Real(x, 0, 1)], {"n": 1, "x": 1}),
    (
        Eq(expected(FrobSq(X * W), Gaussian(W, s**2)), d * s**2 * FrobSq(X)), SIZES,
        {"n": 1, "d": 1, "m": 2, "s": 1},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "domain"), TRUE, ids=lambda a: str(a)[:40])
def test_true_statements_are_proved_by_the_kernel(statement: Any, domain: list[Any]) -> None:
    answer = check(statement, domain)
    assert answer.verdict == "proved", answer
    assert answer.certificate is not None and answer.certificate.theorem is not None
    assert answer.certificate.grade == "derived" and answer.certificate.recheck() == []
    assert answer.witness is None


@pytest.mark.parametrize(("statement", "domain", "at"), FALSE, ids=lambda a: str(a)[:40])
def test_false_statements_are_refuted_at_an_exact_point(
    statement: Any, domain: list[Any], at: dict[str, Any]
) -> None:
    answer = check(statement, domain)
    assert answer.verdict == "refuted", answer
    assert answer.certificate is not None and answer.certificate.recheck() == []
    assert answer.witness is not None and at.items() <= answer.witness.items()


def test_what_is_true_and_out_of_reach_is_unsettled_and_says_what_was_tried() -> None:
    answer = check(sin(n * m) + n**2 >= 0, [Size(n), Size(m)], seconds=5)
    assert answer.verdict == "unsettled" and answer.certificate is None
    assert answer.tried.points > 20 and answer.tried.largest["n"] == 10**6
    assert "points tried, up to n = 1000000" in answer.reason and "probably" not in repr(answer)


def test_a_domain_without_points_is_called_so() -> None:
    for domain in ([Real(x, 2, 1)], [Real(x, 0, 1), x > 2], [Size(n, 3), Real(x, 0, 1), n < 3]):
        answer = check(x < 0, domain)
        assert answer.verdict == "vacuous" and "holds no point" in answer.reason
    answer = check(Implies(x > 2, y > 5), [Real(x, 0, 1), Real(y, 0, 1)])
    assert answer.verdict == "vacuous" and "premise never holds" in answer.reason


def test_a_domain_whose_points_are_not_found_is_not_called_empty() -> None:
    answer = check(x > 0, [Real(x, 0, 1), Eq(x**2, Rational(1, 2))])
    assert answer.verdict == "unsettled" and "no point of the domain was found" in answer.reason


def test_where_a_side_has_no_value_nothing_is_asserted_and_the_answer_says_where() -> None:
    quotient = (x**2 - x) / (x - 1)
    proved = check(quotient <= x, [Real(x, 0, 1)])
    assert proved.verdict == "proved" and "have values, not x = 1" in proved.reason
    assert "not x" not in check(quotient <= x, [Real(x, 0, 1), Ne(x, 1)]).reason
    assert "undefined at x = 0" in check(sin(x) / x <= 1, [Real(x, 0, 1)]).reason
    nowhere = check((x - x**2) / x < 5, [Choice(x, (0,))])
    assert "not x = 0" in nowhere.reason
    everywhere = check(Implies(Ne(x, 0), (x - x**2) / x <= 1), [Real(x, 0, 1)])
    assert everywhere.verdict == "proved" and "not x" not in everywhere.reason


ONE = [Real(x, 0, 1)]


@pytest.mark.parametrize(
    ("statement", "domain", "fragment"),
    [
        (x < y, ONE, "y is no variable of the domain; add Real(y) or Size(y)"),
        (x + 1, ONE, "is no statement: give a comparison"),
        ("x < 1", ONE, "is no statement"),
        (None, ONE, "is no statement"),
        (Eq(x, x), ONE, "evaluated it as it was written"),
        (x < 1, "x", "must be a list"),
        (x < 1, [3], "neither a variable"),
        (x < 1, [Real(x), Real(x)], "x stands twice"),
        (x < 1, [Real(x, 0, y), Real(y)], "list y before it"),
        (x < 1, [Real(3)], "is no symbol"),
        (0.5 * x < 1, ONE, "write a Rational"),
        (x ** (10**9) <= 1, ONE, "make the exponent a variable"),
        (Function("f")(x) < 1, ONE, "f(x) has no definition"),
        (Sum(k, (k, 3, n)) >= 0, [Size(n, 1)], "may end before it starts"),
        (Sum(x, (x, 1, n)) > 2, [Size(n), *ONE], "is summed over and is a variable"),
        (Eq(Limit(x, x, 0), 0), [], "along the integers"),
        (FrobSq(X) >= 1, [Size(n), Size(d)], "add Array(X)"),
        (Eq(expected(FrobSq(X), Gaussian(X)), 2), [Size(n)], "d is no variable of the domain"),
        (symbols("p", positive=True) < 1, [Real(symbols("p", positive=True))], "declared positive"),
        (x < 1, [Real(x, 0, 0.3)], "the range of x has 0.3, a rounded decimal; write a Rational"),
        (x < 1, [Choice(x, (0, 0.5))], "has 0.5, a rounded decimal"),
        (n >= 1, [Size(n, 1.5)], "n is a size, and 1.5 no integer"),
        (n >= 1, [Size(n, Rational(1, 2))], "n is a size, and 1/2 no integer"),
        (Eq(Sum(x**k, (k, 0, oo)), 1 / (1 - x)), [Real(x, 0, 1, open_high=True)], "Eq(Limit(Sum"),
        (Sum(IndexedBase("z")[k], (k, 1, n)) <= n, [Size(n)], "z[k] has no range; make z a Matrix"),
        (expected(sqrt(FrobSq(W)), Gaussian(W)) <= d, SIZES, "of a polynomial in random entries"),
        (expected(Trace(V.I), Gaussian(V)) <= d, [Size(d)], "E[Trace(V**(-1))] <= d: an expectation"),
    ],
)  # fmt: skip
def test_an_unusable_question_is_named_in_one_line(
    statement: Any, domain: Any, fragment: str
) -> None:
    with pytest.raises(UserError) as caught:
        check(statement, domain)
    assert fragment in str(caught.value) and "\n" not in str(caught.value)


def test_expectations_name_what_they_need() -> None:
    for term, laws, fragment in (
        (FrobSq(W), (), "needs a law"),
        (W, (Gaussian(W),), "is a matrix"),
        (FrobSq(W), (Gaussian(W, row_covariance=(1, 2)),), "must be independent"),
    ):
        with pytest.raises(UserError, match=fragment):
            expected(term, *laws)


def test_formulas_of_the_project_are_read_as_they_are() -> None:
    j, size = symbols("j", integer=True), symbols("N", integer=True, positive=True)
    from claims.statement import Compare

    rises = ForAll(j, 1, size, Compare(j, "<=", size))
    assert check(rises, [Size(size)]).verdict == "proved"
    assert check(ForAll(j, 1, size, Compare(j, "<", size)), [Size(size)]).witness == {"N": 1}


def test_samples_are_held_to_the_right_side_and_decide_nothing() -> None:
    torch = pytest.importorskip("torch")
    A = MatrixSymbol("A", n, 1)

    def energy(at: Any, rng: Any, count: int) -> Any:
        drawn = torch.randn(count, int(at[n]), generator=rng, dtype=torch.float64)
        return drawn.square().sum(1)

    mean = expected(FrobSq(A), Gaussian(A))
    answer = check(Eq(mean, n), [Size(n, 2)], sample=energy)
    assert (answer.verdict, answer.measurement.status) == ("proved", "agrees")
    assert "| agrees |" in answer._repr_markdown_()
    assert check(Eq(mean, n + 1), [Size(n)], sample=energy).measurement.status == "disagrees"
    wrong = check(Eq(mean, n), [Size(n, 2)], sample=lambda *given: 2 * energy(*given))
    assert wrong.verdict == "conflict"
    with pytest.raises(UserError, match="one comparison"):
        check(Implies(mean > 0, mean > 0, evaluate=False), [Size(n)], sample=energy)


@pytest.mark.parametrize("least", [6, 13, 40, 1000])
def test_a_large_least_size_has_points(least: int) -> None:
    assert check(n >= least, [Size(n, least)]).verdict == "proved"
    assert check(n > least, [Size(n, least)]).witness == {"n": least}


def test_numbers_of_many_digits_are_shortened() -> None:
    answer = check((1 + 1 / n) ** n <= Rational(2718, 1000), [Size(n, 1)])
    assert "about 2.718000020 <= 1359/500 fails" in repr(answer)
    assert answer._repr_markdown_().startswith("**refuted**")


def test_what_is_no_number_is_refused_in_one_line() -> None:
    with pytest.raises(UserError, match="nan: holds what is no number"):
        check(Le(x, nan, evaluate=False), ONE)


def test_an_answer_is_shown_and_is_no_truth_value() -> None:
    answer = check(x < 1, ONE)
    assert isinstance(answer, Answer)
    assert repr(answer) == "refuted: x < 1\n  at x = 1: 1 < 1 fails"
    assert answer._repr_markdown_().startswith("**refuted**: $x < 1$")
    assert "1. $" in check(exp(x) >= 1 + x, ONE)._repr_markdown_()
    with pytest.raises(TypeError, match="no truth value"):
        bool(answer)


def test_the_last_number_of_a_size_is_no_hypothesis_and_the_answer_says_so() -> None:
    answer = check(n <= 3, [Size(n, 1, 3)])
    assert answer.verdict == "refuted" and "add the hypothesis n <= 3" in answer.reason
    assert check(n <= 3, [Size(n, 1, 3), n <= 3]).verdict == "proved"
    assert "hypothesis" not in check(n <= 1005, [Size(n, 1000)]).reason
    assert "hypothesis" not in check(n <= 7, [Size(n)]).reason


def test_a_question_is_shown_as_it_was_typed() -> None:
    assert repr(check(Total(X) ** 2 <= -1, [Size(n), Size(d), Array(X)])).startswith(
        "refuted: Total(X)**2 <= -1\n"
    )
    assert "Eq(Limit(1/n, n, oo), 0)\n" in repr(check(Eq(Limit(1 / n, n, oo), 0)))


def test_a_search_among_towers_ends_when_it_should_and_says_so() -> None:
    answer = check(n ** (n**n) >= n, [Size(n)], seconds=0.2)
    assert answer.verdict == "unsettled" and answer.reason.endswith("search ended after 0.2 s")


def test_a_question_loads_no_torch() -> None:
    code = "import sys, twofold; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_powers_too_high_to_write_out_end_in_time() -> None:
    """No limit interrupts the factors of a polynomial of that degree, which take minutes."""
    started = monotonic()
    assert check(x ** (10**6) <= 1, [Real(x, 0, 1)], seconds=3).verdict == "proved"
    high = Compare((1 + x) ** (10**5), ">=", Integer(1))
    assert not list(turning_points(high, Real(x, 0, 1), {x: Integer(0)}))
    assert monotonic() - started < 30


def test_what_cannot_be_shown_is_answered_all_the_same() -> None:
    """The limit of n^s depends on s, which SymPy refuses; Python writes no number of so many digits."""
    assert check(Eq(Limit(n**s, n, oo), oo), [Real(s, 0, 1)]).verdict == "refuted"
    answer = check(exp(x) <= 10 ** (10**4), [Real(x, 0, 1)])
    assert answer.verdict != "refuted" and "thousands of digits" in str(answer)
