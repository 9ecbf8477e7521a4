"""Values of LaTeX that was read back: numbers of many digits, and arrays of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mpmath
import numpy as np

Env = Mapping[str, Any]
Node = Callable[[Env], Any]
FUNCTIONS: dict[str, Callable[..., Any]] = {
    r"\log": mpmath.log, r"\sin": mpmath.sin, r"\cos": mpmath.cos, r"\arccos": mpmath.acos,
    r"\max": max, r"\min": min, r"\operatorname{sign}": mpmath.sign,
    r"\operatorname{tr}": lambda m: np.trace(m), r"\Gamma": mpmath.gamma,
}  # fmt: skip
ONES, ONES_ACROSS = object(), object()
"""The column of ones, and its transpose, of whatever length fits."""


def same(a: Any, b: Any) -> bool:
    """Equality of numbers, arrays or tuples to thirty digits."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if np.size(a) == np.size(b) == 1:  # a matrix with one entry is that number
            return same(np.ravel(a)[0], np.ravel(b)[0])
        if np.shape(a) != np.shape(b):
            return False
        return all(map(same, np.ravel(a), np.ravel(b)))
    if mpmath.isinf(a) or mpmath.isinf(b):
        return bool(a == b)
    return bool(abs(a - b) <= mpmath.mpf(10) ** -30 * (1 + abs(a) + abs(b)))


SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: same(a, b), r"\ne": lambda a, b: not same(a, b),
    r"\le": lambda a, b: bool(a <= b) or same(a, b), r"\ge": lambda a, b: bool(a >= b) or same(a, b),
    "<": lambda a, b: bool(a < b), ">": lambda a, b: bool(a > b),
}  # fmt: skip


def identity(size: int) -> Any:
    return np.array([[mpmath.mpf(i == j) for j in range(size)] for i in range(size)], dtype=object)


def power_of(base: Any, exponent: Any) -> Any:
    if not isinstance(base, np.ndarray):
        return mpmath.mpf(base) ** exponent
    if exponent < 0:
        base, exponent = (
            np.array((mpmath.matrix(base.tolist()) ** -1).tolist(), dtype=object),
            -exponent,
        )
    result = identity(len(base))
    for _ in range(int(exponent)):
        result = result @ base
    return result


def multiplied(values: list[Any]) -> Any:
    """Numbers and matrices from left to right; bare ones sum columns or rows."""
    result, across = None, False
    for value in values:
        if value is ONES_ACROSS:
            across = True
        elif value is ONES:
            result = result.sum(axis=1).reshape(-1, 1)  # type: ignore[union-attr, attr-defined]
        elif isinstance(result, np.ndarray) and isinstance(value, np.ndarray):
            result = result @ value
        else:
            result = value if result is None else result * value
    if across:
        result = result.sum(axis=0).reshape(1, -1)  # type: ignore[union-attr, attr-defined]
    bare = across or ONES in [v for v in values if not isinstance(v, np.ndarray)]
    return result[0, 0] if bare and result.shape == (1, 1) else result  # type: ignore[index, union-attr, attr-defined]


def combined(sign: str, left: Node, right: Node) -> Node:
    if sign == "/":
        return lambda env: left(env) / right(env)
    if sign == r"\circ":
        return lambda env: left(env) * right(env)
    return lambda env: np.kron(left(env), right(env))


def over(combine: Any, index: str, low: Node, high: Node, body: Node) -> Node:
    return lambda env: combine(
        [body({**env, index: k}) for k in range(int(low(env)), int(high(env)) + 1)]
    )


def entry(base: Node, layers: list[Node], places: list[Node]) -> Node:
    """An entry of an array, counted from one, or a function of a layer and indices."""

    def value(env: Env) -> Any:
        held = base(env)
        over = [int(layer(env)) for layer in layers]
        under = [int(place(env)) for place in places]
        if callable(held):
            return held(*over, *under)
        for layer in over:
            held = held[layer]
        if isinstance(held, tuple):
            return held[under[0] - 1]
        return held[under[0] - 1, (under[1] if len(under) > 1 else 1) - 1]

    return value
