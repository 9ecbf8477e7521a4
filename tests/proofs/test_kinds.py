"""Terms and formulas are of the kinds that SymPy and the project define, and of no others."""

from __future__ import annotations

from itertools import count
from types import ModuleType
from typing import Any

import pytest
from sympy import Dummy, Expr, Function, Integer, MatrixSymbol, Piecewise, Sum, Symbol, exp, sqrt
from sympy.core.function import AppliedUndef, UndefinedFunction

from claims import extensions
from claims.domain import Domain, Size
from claims.statement import (
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
)
from claims.terms import MaxOver, MinOver, Recursion, entry, family
from proofs import kinds
from proofs.calculus.deltas import Index
from proofs.kernel import ProofError, assume
from proofs.kinds import function_of_its_own, is_formula, is_of_its_own
from proofs.within import Within
from twofold import FrobSq, Gaussian, expected

x, k = Symbol("x", real=True), Symbol("k", integer=True)
TRUE = Compare(Integer(0), "=", Integer(0))


class Other(Expr):
    """A term of one's own, which says that it is positive."""

    is_positive = True


class Weaker(Compare):
    """A comparison of one's own."""


class Callable_(UndefinedFunction):
    """A class of functions of one's own."""


class Kind(AppliedUndef):
    """What a function of one's own may be derived from."""


class Based(Function):
    """A function of one's own."""


def said(**more: Any) -> Any:
    """A function of which something is said after it was made; SymPy makes one of each name."""
    made = Function(f"f_{next(NUMBERS)}", real=True)
    for name, value in more.items():
        setattr(made, name, value)
    return made


NUMBERS = count()
doubled = Recursion("D", lambda: Integer(1), lambda t, before: 2 * before())


@pytest.mark.parametrize(
    "term",
    [
        x, Dummy("x"), exp(x), sqrt(x), Integer(3), Sum(k, (k, 1, 3)), Piecewise((x, x > 0), (0, True)),
        Quantity("q", lambda at: at[x]), MaxOver(k, (k, 1, 3)), MinOver(k, (k, 1, 3)), doubled(k),
        Function("f")(x), Function("f", real=True)(x), Function("f", positive=True)(x), entry(x)(k),
        family("F_{{{}}}", lambda at, i: i)(k), Index("a", k),
    ],
    ids=str,
)  # fmt: skip
def test_terms_of_sympy_and_the_project_are_none_of_their_own(term: Any) -> None:
    assert not is_of_its_own(term) and function_of_its_own(term) is None


@pytest.mark.parametrize(
    "term",
    [
        Other(), Based(x), Callable_("f")(x), said(is_of_mine=True)(x),
        Function("g", eval=classmethod(lambda cls, y: None))(x), said(fdiff=None)(x),
        UndefinedFunction("h", (Kind,))(x),
        said(is_negative=True)(x), said(fdiff=lambda self, place: 0)(x),
    ],
    ids=lambda term: type(term).__name__,
)  # fmt: skip
def test_terms_of_ones_own_are_told(term: Any) -> None:
    assert is_of_its_own(term) or function_of_its_own(2 * term + 1) is not None


def test_a_function_is_looked_at_each_time() -> None:
    """A rule may have seen it before more was said of it."""
    function = said()
    assume(Compare(function(x), ">", 0))
    function.is_positive = True
    with pytest.raises(ProofError, match="a function of its own"):
        assume(Compare(function(x), ">", 0))


def test_an_expectation_of_ours_is_known() -> None:
    size = Symbol("n", integer=True, positive=True)
    matrix = MatrixSymbol("X", size, size)
    assert not is_of_its_own(expected(FrobSq(matrix), Gaussian(matrix, 1)))


def test_a_class_that_names_a_module_of_the_project_is_not_in_it() -> None:
    pretender = type("MaxOver", (Expr,), {"__module__": "claims.terms"})
    stranger = type("Other", (Expr,), {"__module__": "claims.of_nobody"})
    likely = type("Other", (Expr,), {"__module__": "sympy_of_mine"})
    assert all(is_of_its_own(kind()) for kind in (pretender, stranger, likely))


def test_packages_of_papers_may_define_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("papers_of_mine.claims.terms")
    kind = type("Mine", (Expr,), {"__module__": module.__name__})
    module.Mine = kind  # type: ignore[attr-defined]
    monkeypatch.setitem(kinds.sys.modules, module.__name__, module)
    assert is_of_its_own(kind())
    kinds._is_ours.cache_clear()
    monkeypatch.setattr(kinds, "packages", lambda: ("papers_of_mine.claims",))
    assert not is_of_its_own(kind())
    kinds._is_ours.cache_clear()
    monkeypatch.setattr(kinds, "packages", lambda: ("papers_of_mine.cl",))
    assert is_of_its_own(kind())
    kinds._is_ours.cache_clear()
    assert extensions.packages is not kinds.packages


@pytest.mark.parametrize(
    "formula",
    [
        TRUE, And((TRUE, TRUE)), Or((TRUE, TRUE)), Not(TRUE), Implies(TRUE, TRUE), Iff(TRUE, TRUE),
        ForAll(k, 1, 2, TRUE), Exists(k, 1, 2, TRUE), Tends(1 / k, k, 0), Monotone(k, k, "<"),
        Within(Domain((Size(Symbol("n", integer=True), 1),))), Predicate("so", lambda at, value: True),
    ],
    ids=lambda formula: type(formula).__name__,
)  # fmt: skip
def test_formulas_that_rules_know(formula: Formula) -> None:
    assert is_formula(formula)


def test_a_formula_of_ones_own_is_none_of_them() -> None:
    assert not is_formula(Weaker(Integer(0), "=", Integer(1)))
