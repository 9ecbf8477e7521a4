"""What instances of facts are made of: terms to put in, points at which to look, and random numbers."""

from __future__ import annotations

from random import Random
from typing import Any

from sympy import Rational, Symbol

Terms = dict[str, Any]
Point = dict[Any, Any]
k = Symbol("k", integer=True)


def sixths(rng: Random, low: int = -4, high: int = 4) -> Rational:
    return Rational(rng.randint(low * 6, high * 6), 6)
