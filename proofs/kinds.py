"""Kinds of terms and formulas that are what they are called: SymPy's, the project's and no others.

A class says which signs its terms have and what they are at numbers, a formula what it becomes when a
term is put in.  Rules believe both, so that a class of one's own could say that 0 = 1.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

from sympy.core.function import AppliedUndef, UndefinedFunction

from claims.almost_surely import AlmostSurely
from claims.extensions import packages
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
    Tends,
)
from claims.terms import family
from proofs.within import Within

__all__ = ["function_of_its_own", "is_formula", "is_of_its_own"]

KNOWN = (
    Compare, And, Or, Not, Implies, Iff, ForAll, Exists, Tends, Monotone, AlmostSurely, Within, Predicate,
)  # fmt: skip
"""The formulas that rules take apart, and those that are themselves alone."""
OURS = ("sympy", "claims", "proofs", "twofold")
"""Packages that define terms, besides those of papers that are installed."""
DEFINED = frozenset({
    "serial", "define_at", "kept", "variable", "recursion", "events", "growth", "matrices", "shares",
})  # fmt: skip
"""What functions with a meaning have besides those without one: what they are made of."""


def is_formula(formula: Formula) -> bool:
    """Whether a formula is of a kind that rules know."""
    return type(formula) in KNOWN


def is_of_its_own(term: Any) -> bool:
    """Whether the class of a term is defined outside of SymPy and the project.

    >>> from sympy import Expr, Integer
    >>> is_of_its_own(Integer(2)), is_of_its_own(type("Mine", (Expr,), {})())
    (False, True)
    """
    kind: Any = type(term)
    return not (isinstance(kind, UndefinedFunction) or _is_ours(kind))


def function_of_its_own(term: Any) -> Any:
    """A function in a term that says more than its name; None where there is none.

    Of none anything is remembered: more may have been said of it since.

    >>> from sympy import Function, Symbol
    >>> x = Symbol("x")
    >>> function_of_its_own(2 * Function("f")(x)), function_of_its_own(Function("f", fdiff=max)(x))
    (None, f)
    """
    functions = (type(applied) for applied in term.atoms(AppliedUndef))
    return next((kind for kind in functions if _says_more(kind)), None)


@lru_cache(maxsize=4096)
def _is_ours(kind: Any) -> bool:
    module = str(kind.__module__)
    ours = module.partition(".")[0] in OURS or any(
        module.startswith(f"{package}.") for package in packages()
    )
    return ours and getattr(sys.modules.get(module), kind.__name__, None) is kind


def _says_more(kind: Any) -> bool:
    """Whether a function has more than a name, signs, and a definition; signs are what it declared."""
    said = {name: value for name, value in vars(kind).items() if name not in _EXPECTED}
    signs = {
        name: kind.default_assumptions.get(name.removeprefix("is_"))
        for name in said if name.startswith("is_")
    }  # fmt: skip
    return type(kind) not in _METACLASSES or kind.__bases__ != (AppliedUndef,) or said != signs


_METACLASSES = (UndefinedFunction, type(family("", lambda at: None)))
_EXPECTED = DEFINED | set(vars(UndefinedFunction("f")))
