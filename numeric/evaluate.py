"""Terms of statements on tensors, differentiably, or on plain numbers: what the adversary climbs.

Constants, exponents and ranges are read from the statement; nothing is restated here.  A value is a
float, or a tensor with one entry for each start; a matrix has rows and columns as last axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import reduce
from operator import add, mul
from typing import Any

import sympy as sp
import torch
from sympy import Add, KroneckerDelta, Mul, Piecewise, Pow, Sum, Trace, sympify
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions import (
    HadamardProduct,
    Identity,
    Inverse,
    KroneckerProduct,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    OneMatrix,
    Transpose,
    ZeroMatrix,
)
from sympy.matrices.expressions.matexpr import MatrixElement
from torch import Tensor

from claims.evaluation import place_of_entry
from claims.expressions import Commutation, FrobSq, Named, Total
from claims.steps import built
from claims.terms import MaxOver, MinOver, from_zero, value_of

__all__ = ["Evaluation", "evaluate", "greatest", "least"]

Read = Callable[[Any, tuple[int, ...], Mapping[Any, Any]], Any]
"""The value of a quantity, or of a member of a family at its places, at a point."""

FUNCTIONS: dict[Any, tuple[Callable[..., Any], Callable[..., Any]]] = {
    sp.exp: (torch.exp, math.exp),
    sp.log: (torch.log, math.log),
    sp.sin: (torch.sin, math.sin),
    sp.cos: (torch.cos, math.cos),
    sp.tan: (torch.tan, math.tan),
    sp.asin: (torch.asin, math.asin),
    sp.acos: (torch.acos, math.acos),
    sp.atan: (torch.atan, math.atan),
    sp.sinh: (torch.sinh, math.sinh),
    sp.cosh: (torch.cosh, math.cosh),
    sp.tanh: (torch.tanh, math.tanh),
    sp.erf: (torch.erf, math.erf),
    sp.erfc: (torch.erfc, math.erfc),
    sp.loggamma: (torch.lgamma, math.lgamma),
    sp.gamma: (lambda x: torch.lgamma(x).exp(), math.gamma),
    sp.Abs: (torch.abs, abs),
    sp.sign: (torch.sign, lambda x: float((x > 0) - (x < 0))),
    sp.floor: (torch.floor, math.floor),
    sp.ceiling: (torch.ceil, math.ceil),
}
RELATIONS: dict[Any, Callable[[Any, Any], Any]] = {
    sp.Eq: lambda a, b: a == b,
    sp.Ne: lambda a, b: a != b,
    sp.Le: lambda a, b: a <= b,
    sp.Lt: lambda a, b: a < b,
    sp.Ge: lambda a, b: a >= b,
    sp.Gt: lambda a, b: a > b,
}


STEPS = (sp.floor, sp.ceiling, sp.sign)
"""Functions of which a rounded argument may give another value."""
NEAR = 1e-9
"""How far beyond the end of a range an integer may lie by rounding."""


def evaluate(expression: Any, values: Mapping[Any, Any], read: Read | None = None) -> Tensor:
    """A term at tensors: matrix symbols map to (starts, rows, cols), numbers to (starts,) or floats.

    Raises `TypeError` for a node that has no meaning on tensors.

    >>> x = sp.Symbol("x")
    >>> evaluate(2 * x**2, {x: torch.tensor([1.0, 3.0])}).tolist()
    [2.0, 18.0]
    """
    value = Evaluation(values, read)(expression)
    return value if isinstance(value, Tensor) else torch.tensor(value, dtype=torch.float64)


def greatest(values: list[Any]) -> Any:
    """Entry by entry the largest of numbers or tensors."""
    return reduce(_pairwise(torch.maximum, max), values)


def least(values: list[Any]) -> Any:
    return reduce(_pairwise(torch.minimum, min), values)


def _pairwise(on_tensors: Callable[..., Any], on_numbers: Callable[..., Any]) -> Any:
    def join(a: Any, b: Any) -> Any:
        return on_tensors(*map(_float64, (a, b))) if _any_tensor(a, b) else on_numbers(a, b)

    return join


def _float64(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else torch.tensor(float(value), dtype=torch.float64)


def _any_tensor(*values: Any) -> bool:
    return any(isinstance(v, Tensor) for v in values)


class Evaluation:
    """Evaluation at one point, or at a batch of points; what was evaluated is remembered."""

    def __init__(self, values: Mapping[Any, Any], read: Read | None = None):
        self.values, self.read = values, read
        self.remembered: dict[Any, Any] = {}

    def __call__(self, term: Any, bound: Mapping[Any, Any] | None = None) -> Any:
        """The value of a term; `bound` gives those of indices that are bound around it."""
        return self._scalar(sympify(term), bound or {})

    def matrix(self, term: MatrixExpr) -> Tensor:
        """The value of a matrix."""
        value: Tensor = self._matrix(term, {})
        return value

    def _scalar(self, e: Any, bound: Mapping[Any, Any]) -> Any:
        if e in bound:
            return bound[e]
        if e.is_number and not e.has(AppliedUndef, MaxOver, MinOver, Sum):
            return float(e)
        if e in self.values:
            return self._number(self.values[e])
        key = (e, tuple(bound.items()))  # a quantity may depend on every index around it
        if key not in self.remembered:
            self.remembered[key] = self._node(e, bound)
        return self.remembered[key]

    @staticmethod
    def _number(value: Any) -> Any:
        return value if isinstance(value, Tensor | float) else float(value)

    def _node(self, e: Any, bound: Mapping[Any, Any]) -> Any:
        if hasattr(e, "define"):
            return self._quantity(e, (), bound)
        if isinstance(e, AppliedUndef):
            return self._applied(e, bound)
        if isinstance(e, Sum | MaxOver | MinOver):
            return self._ranged(e, bound)
        if isinstance(e, FrobSq):
            return self._matrix(e.args[0], bound).square().sum(dim=(-1, -2))
        if isinstance(e, Total):
            return self._matrix(e.args[0], bound).sum(dim=(-1, -2))
        if isinstance(e, Trace):
            return self._matrix(e.args[0], bound).diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        if isinstance(e, MatrixElement):
            row, column = (self._integer(place, bound) for place in (e.i, e.j))
            return self._matrix(e.parent, bound)[..., row, column]
        if isinstance(e, Piecewise):
            return self._branches(e, bound)
        if type(e) in STEPS and (known := self._exact(e, bound)) is not None:
            return float(value_of(e, known))
        parts = [self._scalar(a, bound) for a in getattr(e, "args", ())]
        if isinstance(e, Pow):
            return _power(*parts)
        if isinstance(e, Add | Mul):
            return reduce(add if isinstance(e, Add) else mul, parts)
        if isinstance(e, sp.Max | sp.Min):
            return (greatest if isinstance(e, sp.Max) else least)(parts)
        if isinstance(e, KroneckerDelta):
            return 1.0 * (parts[0] == parts[1])
        if type(e) in FUNCTIONS:
            return FUNCTIONS[type(e)][0 if _any_tensor(*parts) else 1](*parts)
        raise TypeError(f"cannot evaluate {type(e).__name__} on tensors: {e}")

    def _branches(self, e: Piecewise, bound: Mapping[Any, Any]) -> Any:
        """The branch whose condition holds, start by start."""
        value: Any = math.nan
        for branch, condition in reversed(e.args):
            holds = self._condition(condition, bound)
            if _any_tensor(holds):
                value = torch.where(holds, _float64(self._scalar(branch, bound)), _float64(value))
            elif holds:
                value = self._scalar(branch, bound)
        return value

    def _condition(self, e: Any, bound: Mapping[Any, Any]) -> Any:
        if e in (sp.true, sp.false):
            return bool(e)
        if type(e) in RELATIONS:
            if (known := self._exact(e, bound)) is not None:
                return bool(built(type(e), *(value_of(side, known) for side in e.args)))
            return RELATIONS[type(e)](*(self._scalar(a, bound) for a in e.args))
        parts = [self._condition(a, bound) for a in e.args]
        if isinstance(e, sp.And | sp.Or):
            return reduce(mul if isinstance(e, sp.And) else _either, parts)
        raise TypeError(f"cannot evaluate the condition {e} on tensors")

    def _exact(self, e: Any, bound: Mapping[Any, Any]) -> dict[Any, Any] | None:
        """The values of all that a term holds, where they are fractions: a step is taken exactly then."""
        if e.has(AppliedUndef, MatrixExpr) or any(hasattr(s, "define") for s in e.free_symbols):
            return None
        known = {name: bound.get(name, self.values.get(name)) for name in e.free_symbols}
        exact = all(isinstance(value, int | sp.Rational) for value in known.values())
        return {name: sympify(value) for name, value in known.items()} if exact else None

    def _ranged(self, e: Any, bound: Mapping[Any, Any]) -> Any:
        body, *inner, (index, low, high) = e.args[0], *map(tuple, e.args[1:])
        first, last = self._scalar(low, bound), self._scalar(high, bound)
        if last == math.inf:
            raise TypeError(f"{e}: an infinite range has no value at a point")
        inside = type(e)(body, *inner) if inner else body
        places = range(math.ceil(first - NEAR), math.floor(last + NEAR) + 1)
        members = [self._scalar(inside, {**bound, index: k}) for k in places]
        if isinstance(e, Sum):
            return reduce(add, members, 0.0)
        return (greatest if isinstance(e, MaxOver) else least)(members)

    def _applied(self, e: Any, bound: Mapping[Any, Any]) -> Any:
        return self._member(e.func, tuple(self._integer(a, bound) for a in e.args), bound)

    def _integer(self, e: Any, bound: Mapping[Any, Any]) -> int:
        """An index, a size or the power of a matrix, but for rounding; of another number there is none."""
        value = float(self._scalar(e, bound))
        if not math.isfinite(value) or abs(value - round(value)) > NEAR * max(1.0, abs(value)):
            raise TypeError(f"{e}, which is {value}: must be an integer")
        return round(value)

    def _member(self, function: Any, places: tuple[int, ...], bound: Mapping[Any, Any]) -> Any:
        recursion = getattr(function, "recursion", None)
        if recursion is not None:
            t, *others = places
            from_zero(t)
            if t == 0:
                return self._scalar(sympify(recursion.start(*map(sp.Integer, others))), {})
            before = sp.Integer(t - 1)
            term = recursion.step(
                before, *map(sp.Integer, others), lambda *where: recursion(before, *where)
            )
            return self._scalar(sympify(term), {})
        if hasattr(function, "define_at"):
            return self._quantity(function, places, bound)
        variable = getattr(function, "variable", None)
        if variable is None or variable not in self.values:
            raise TypeError(f"{function}: has no value at this point")
        return self._entry(self.values[variable], places)

    def _entry(self, value: Any, places: tuple[int, ...]) -> Any:
        if hasattr(value, "edges"):  # a mask: one where the second index attends to the first
            return float(places in value.edges)
        layers, row, column = place_of_entry(places)
        for layer in layers:
            value = value[layer]
        if isinstance(value, tuple):
            return self._number(value[row - 1])
        place = (..., row - 1, column - 1) if isinstance(value, Tensor) else (row - 1, column - 1)
        return self._number(value[place])

    def _quantity(self, what: Any, places: tuple[int, ...], bound: Mapping[Any, Any]) -> Any:
        if self.read is None:
            raise TypeError(f"{what}: a quantity that nothing reads")
        return self.read(what, places, {**self.values, **bound})

    def _matrix(self, e: Any, bound: Mapping[Any, Any]) -> Any:
        if not isinstance(e, MatrixExpr):
            return self._scalar(e, bound)
        if e in self.values:
            return _as_tensor(self.values[e])
        if isinstance(e, Named):
            return self._matrix(e.definition, bound)
        if isinstance(e, Transpose):
            return self._matrix(e.arg, bound).mT
        if isinstance(e, OneMatrix | Identity | ZeroMatrix):
            rows, cols = (self._integer(side, bound) for side in e.shape)
            build: Any = {Identity: torch.eye, ZeroMatrix: torch.zeros}.get(type(e), torch.ones)
            return build(rows, cols, dtype=torch.float64)
        if isinstance(e, Commutation):
            m, n = (self._integer(size, bound) for size in e.args)
            places = torch.arange(m * n).reshape(n, m).T.flatten()
            return torch.eye(m * n, dtype=torch.float64)[places]
        if isinstance(e, Inverse):
            return torch.linalg.inv(self._matrix(e.arg, bound))
        if hasattr(e, "explicit_at"):  # a node of one paper, which is evaluated exactly
            raise TypeError(f"cannot evaluate {type(e).__name__} on tensors: {e}")
        if isinstance(e, MatPow):
            power = self._integer(e.exp, bound)
            return torch.linalg.matrix_power(self._matrix(e.base, bound), power)
        parts = [self._matrix(a, bound) for a in e.args]
        if isinstance(e, MatAdd):
            return reduce(add, parts)
        if isinstance(e, HadamardProduct):
            return reduce(mul, parts)
        if isinstance(e, KroneckerProduct):
            return reduce(_kronecker, parts)
        if isinstance(e, MatMul):
            return reduce(_times, parts)
        raise TypeError(f"cannot evaluate {type(e).__name__} on tensors: {e}")


def _either(a: Any, b: Any) -> Any:
    return (a | b) if _any_tensor(a, b) else (a or b)


def _power(base: Any, exponent: Any) -> Any:
    """A power; not a number where it is not real, infinite at a pole."""
    if _any_tensor(base, exponent):
        whole = not _any_tensor(exponent) and exponent == round(exponent)
        return base ** (round(exponent) if whole else exponent)
    if base == 0 and exponent < 0:
        return math.inf
    value = float(base) ** exponent
    return math.nan if isinstance(value, complex) else value


def _as_tensor(value: Any) -> Any:
    if not hasattr(value, "tolist") or isinstance(value, Tensor):
        return value
    rows = [[float(e) for e in row] for row in value.tolist()]
    return torch.tensor(rows, dtype=torch.float64)


def _times(a: Any, b: Any) -> Any:
    return a @ b if _is_matrix(a) and _is_matrix(b) else _spread(a) * _spread(b)


def _is_matrix(value: Any) -> bool:
    return isinstance(value, Tensor) and value.ndim >= 2


def _spread(value: Any) -> Any:
    """A number of each start beside matrices of each start."""
    single = isinstance(value, Tensor) and value.ndim == 1
    return value[:, None, None] if single else value


def _kronecker(a: Tensor, b: Tensor) -> Tensor:
    blocks = a[..., :, None, :, None] * b[..., None, :, None, :]
    return blocks.flatten(-4, -3).flatten(-2, -1)
