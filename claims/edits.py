"""Small changes of a term: the operators that make false variants of what a paper displays.

`edits` goes over a term from left to right and yields every term that one operator makes by
changing one place.  What a node prints as a name (`Named`, a matrix, a named sum) is one place; its
definition is not looked into, since a variant must differ in what is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from sympy import (
    Abs,
    Add,
    Basic,
    Expr,
    Function,
    Integer,
    KroneckerDelta,
    Mul,
    Pow,
    Rational,
    Sum,
    Symbol,
    Trace,
    exp,
    expand,
    latex,
    nan,
    oo,
    preorder_traversal,
    prod,
    sympify,
    zoo,
)  # fmt: skip
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions import (
    HadamardProduct,
    Inverse,
    KroneckerProduct,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    OneMatrix,
    Transpose,
    ZeroMatrix,
)  # fmt: skip

from claims.expressions import Entrywise, FrobSq, Total
from claims.terms import MaxOver, MinOver

__all__ = [
    "NEAR",
    "ZEROS",
    "Edit",
    "Kinds",
    "apply_or_skip",
    "edits",
    "indexed",
    "vanishing",
]

ZEROS = 5
"""Sizes, from the least on, at which a term vanishes that is added to a side."""
NEAR = Rational(21, 20)
"""A constant changed a little: five in a hundred, near enough to need a real measurement."""
_IMPOSSIBLE = (
    TypeError, ValueError, ArithmeticError, AttributeError, NotImplementedError, LookupError,
)  # fmt: skip
"""What SymPy raises when a changed node cannot be built: shapes that disagree, a log of zero."""
_INSIDE = (
    Add, Mul, Pow, FrobSq, Trace, MatMul, MatAdd, Transpose, Inverse, KroneckerProduct,
    HadamardProduct,
)  # fmt: skip
_RANGED = (Sum, MaxOver, MinOver)
_FIRST = (Sum, MatPow, Total, Entrywise)
"""Nodes of which only the first argument is a term of its own; so is one that has a `body`."""


@dataclass(frozen=True)
class Edit:
    """A changed term, the operator that changed it, and what was changed in words."""

    operator: str
    words: str
    term: Any


@dataclass(frozen=True)
class Kinds:
    """The variables of a domain by kind: sizes, and what may stand for what.

    `sizes` gives the least value of each size that is free, None for one that others determine.
    `peers` lists for each variable those of its kind: the same class of variable, the same
    assumptions, the same shape.
    """

    sizes: Mapping[Symbol, int | None] = field(default_factory=dict)
    peers: Mapping[Any, tuple[Any, ...]] = field(default_factory=dict)


Operator = Callable[[Any, Kinds, bool], Iterator[Edit]]


def apply_or_skip(make: Callable[[], Any]) -> Any | None:
    """What `make` builds, or None where no such object exists."""
    try:
        made = make()
    except _IMPOSSIBLE:
        return None
    undefined = isinstance(made, Basic) and made.has(nan, zoo)
    return None if undefined else made


def edits(term: Any, kinds: Kinds) -> Iterator[Edit]:
    """Every change of one place of a side, in a fixed order; shapes of matrices are kept.

    >>> n, d = Symbol("n", positive=True), Symbol("d", positive=True)
    >>> kinds = Kinds({n: 2}, {n: (d,), d: (n,)})
    >>> [str(e.term) for e in edits(d * (n - 1), kinds) if e.operator in {"size", "swap"}]
    ['n*(n - 1)', 'd*n', 'd*(d - 1)', 'd*(n - 2)']
    """
    if isinstance(term, tuple):
        for k, part in enumerate(term):
            for edit in edits(part, kinds):
                yield replace(edit, term=(*term[:k], edit.term, *term[k + 1 :]))
        return
    term = sympify(term)
    if not isinstance(term, Expr):  # a flag, a mask: nothing to change in it
        return
    for edit in (*_inside(term, kinds, False), *_whole(term)):
        if _fits(edit.term, term):
            yield edit


def _whole(term: Any) -> Iterator[Edit]:
    """Changes of a side as a whole: the coefficient one that nobody prints, and the sign."""
    if isinstance(term, ZeroMatrix):
        yield Edit("constant", _for(OneMatrix(*term.shape), term), OneMatrix(*term.shape))
        return
    if term in (oo, -oo, 0):
        return
    if not term.is_Rational:
        coefficient = term.as_coeff_Mul()[0]
        if abs(coefficient) == 1:
            yield Edit("constant", "twice as much", _times(2, term))
            yield Edit("constant", f"${latex(NEAR)}$ times as much", _times(NEAR, term))
    yield Edit("sign", f"the sign of ${_short(term)}$", _times(-1, term))


def _inside(e: Any, kinds: Kinds, exponent: bool) -> Iterator[Edit]:
    """Changes at this node, then at the nodes inside it, first argument first."""
    for operator in _OPERATORS:
        yield from operator(e, kinds, exponent)
    if kinds.sizes and _shifted_size(e, kinds) is not None:
        return  # n - 1 is one place
    for k, argument in _arguments(e):
        deeper = exponent or (isinstance(e, Pow) and k == 1) or isinstance(e, exp)
        for edit in _inside(argument, kinds, deeper):
            made = _rebuilt(e, k, edit.term)
            if made is not None:
                yield replace(edit, term=made)


def _arguments(e: Any) -> tuple[tuple[int, Any], ...]:
    """The places inside a node that a reader sees and an operator may change."""
    if isinstance(e, Pow | MatPow) and e.args[1].is_number:
        return ((0, e.args[0]),)
    named = isinstance(e, Total | Entrywise) and str(e.args[-1]) != "_"
    if named or isinstance(e, Trace) or hasattr(e, "body") or isinstance(e, _FIRST):
        return () if named else ((0, e.args[0]),)
    seen = isinstance(e, _INSIDE) or (
        isinstance(e, Function) and not isinstance(e, AppliedUndef | KroneckerDelta)
    )
    if not seen:
        return ()
    return tuple((k, a) for k, a in enumerate(e.args) if isinstance(a, Expr))


def _rebuilt(e: Any, k: int, argument: Any) -> Any | None:
    return apply_or_skip(lambda: e.func(*e.args[:k], argument, *e.args[k + 1 :]))


def _fits(made: Any, term: Any) -> bool:
    """Whether a changed side can stand where the side stood: of its shape, and sound inside."""
    if made in (oo, -oo, zoo, nan):
        return False
    shape = getattr(term, "shape", None)
    return (shape is None or _same_shape(getattr(made, "shape", None), shape)) and all(
        map(_sound, preorder_traversal(made))
    )


def _sound(node: Any) -> bool:
    """Whether the shapes of a node's factors and terms agree; SymPy does not look everywhere."""
    if isinstance(node, MatMul):
        factors = [a for a in node.args if isinstance(a, MatrixExpr)]
        return all(_equal(a.shape[1], b.shape[0]) for a, b in pairwise(factors))
    if isinstance(node, FrobSq | Total | Trace | Transpose | Inverse | MatPow) and not isinstance(
        node.args[0], MatrixExpr
    ):
        return False
    if isinstance(node, MatAdd | HadamardProduct):
        return all(_same_shape(a.shape, b.shape) for a, b in pairwise(node.args))
    if isinstance(node, Trace | Inverse | MatPow):
        return _same_shape(node.args[0].shape, node.args[0].shape[::-1])
    return True


def _same_shape(left: Any, right: Any) -> bool:
    return left is not None and all(map(_equal, left, right))


def _equal(left: Any, right: Any) -> bool:
    return bool(left == right or expand(left - right) == 0)


def _made(operator: str, words: str, make: Callable[..., Any], *parts: Any) -> Iterator[Edit]:
    """The edit whose term is `make(*parts)`, where that can be built."""
    made = apply_or_skip(lambda: make(*parts))
    if made is not None:
        yield Edit(operator, words, made)


def _for(new: Any, old: Any) -> str:
    """How a replacement is said: `$new$ for $old$`."""
    return f"${_short(new)}$ for ${_short(old)}$"


def _short(term: Any) -> str:
    from claims.typeset import typeset

    return typeset(term)


def _exponents(e: Any, kinds: Kinds, exponent: bool) -> Iterator[Edit]:
    """An exponent one up or down; the exponent 1 that nobody prints one up."""
    if isinstance(e, Pow | MatPow) and not isinstance(e, Inverse):
        power = MatPow if isinstance(e, MatPow) else Pow
        for step in (1, -1):
            # The power zero is what is left out, which nobody writes as a power.
            gone = e.exp + step == 0 and power is Pow
            shown = Integer(1) if gone else power(e.base, e.exp + step, evaluate=False)
            yield from _made("exponent", _for(shown, e), pow, e.base, e.exp + step)
    elif isinstance(e, exp):
        for factor in (Integer(2), Rational(1, 2)):
            yield from _made("exponent", _for(e**factor, e), pow, e, factor)
    elif isinstance(e, Mul) and not isinstance(e, MatMul) and not exponent:
        for factor in e.args:
            if isinstance(factor, Symbol | FrobSq | Total | Add):
                yield from _made("exponent", _for(factor**2, factor), Mul, e, factor)


def _constants(e: Any, kinds: Kinds, exponent: bool) -> Iterator[Edit]:
    """A constant a little larger, or doubled; inside an exponent one more, or one less."""
    if not e.is_Rational:
        return
    if exponent:
        changed = [e + 1, e - 1]
    elif e == 0:
        changed = [Integer(1)]
    else:
        changed = [NEAR * e, 2 * e]
    for new in changed:
        operator = "exponent" if exponent else "constant"
        yield Edit(operator, _for(new, e), new)


def _shifted_size(e: Any, kinds: Kinds) -> Symbol | None:
    """The size n where `e` is n - 1."""
    if isinstance(e, Add) and not isinstance(e, MatAdd) and len(e.args) == 2:
        size = e + 1
        return size if size in kinds.sizes else None
    return None


def _sizes(e: Any, kinds: Kinds, exponent: bool) -> Iterator[Edit]:
    """n for n - 1, and n - 1 for n."""
    size = _shifted_size(e, kinds)
    if size is not None:
        yield Edit("size", _for(size, e), size)
        for other in kinds.peers.get(size, ()):
            yield Edit("swap", _for(other - 1, e), other - 1)
        yield Edit("size", _for(size - 2, e), size - 2)
    elif e in kinds.sizes:
        yield Edit("size", _for(e - 1, e), e - 1)


def _swaps(e: Any, kinds: Kinds, exponent: bool) -> Iterator[Edit]:
    """One variable for another of its kind."""
    if isinstance(e, Symbol | MatrixSymbol):
        for other in kinds.peers.get(e, ()):
            yield Edit("swap", _for(other, e), other)


def _drops(e: Any, kinds: Kinds, exponent: bool) -> Iterator[Edit]:
    """A factor or a term left out."""
    if not isinstance(e, Add | Mul | HadamardProduct):
        return
    kind = "term" if isinstance(e, Add) else "factor"
    for k, part in enumerate(e.args):
        if part == -1:
            continue  # its omission is a change of sign
        rest = (*e.args[:k], *e.args[k + 1 :])
        make = e.func if len(rest) > 1 else _alone
        yield from _made(kind, f"${_short(part)}$ left out", make, *rest)
        if kind == "term" and part.as_coeff_Mul()[0] == 1:
            doubled = (*e.args[:k], _times(2, part), *e.args[k + 1 :])
            yield from _made("constant", _for(doubled[k], part), e.func, *doubled)


def _times(factor: Any, term: Any) -> Any:
    """The product; that of a matrix is not evaluated, since not all entries have a formula."""
    if isinstance(term, MatMul):
        coefficient, matrices = term.as_coeff_matrices()
        return MatMul(factor * coefficient, *matrices)
    return MatMul(factor, term) if isinstance(term, MatrixExpr) else factor * term


def _alone(part: Any) -> Any:
    return part


def _signs(e: Any, kinds: Kinds, exponent: bool) -> Iterator[Edit]:
    """The sign of one term of a sum, or of an exponential's argument."""
    if isinstance(e, Add):
        for k, part in enumerate(e.args):
            flipped = (*e.args[:k], _times(-1, part), *e.args[k + 1 :])
            yield from _made("sign", f"the sign of ${_short(part)}$", e.func, *flipped)
    elif isinstance(e, exp):
        yield from _made("sign", _for(exp(-e.args[0]), e), exp, -e.args[0])
    elif isinstance(e, Abs):
        yield Edit("factor", _for(e.args[0], e), e.args[0])


def _matrices(e: Any, kinds: Kinds, exponent: bool) -> Iterator[Edit]:
    """A transpose left out or added, factors of a Kronecker product exchanged, an inverse dropped."""
    if isinstance(e, Transpose | Inverse):
        yield Edit("transpose", _for(e.arg, e), e.arg)
    elif isinstance(e, MatrixSymbol) and _same_shape(e.shape, e.shape[::-1]):
        yield Edit("transpose", _for(e.T, e), e.T)
    elif isinstance(e, KroneckerProduct):
        yield from _made("order", _for(e.func(*e.args[::-1]), e), e.func, *e.args[::-1])
    elif isinstance(e, MatMul):
        for k in range(len(e.args) - 1):
            order = (*e.args[:k], e.args[k + 1], e.args[k], *e.args[k + 2 :])
            if all(isinstance(part, MatrixExpr) for part in order[k : k + 2]):
                words = f"${_short(e.args[k])}$ and ${_short(e.args[k + 1])}$ exchanged"
                yield from _made("order", words, e.func, *order)


def _ranges(e: Any, kinds: Kinds, exponent: bool) -> Iterator[Edit]:
    """A sum, maximum or minimum over a range one longer or shorter, at its end or its start."""
    if not isinstance(e, _RANGED) or len(e.args) != 2:
        return
    index, low, high = e.args[1]
    longer = () if indexed(e.args[0], index) else ((low, high + 1),)
    for ends in (*longer, (low, high - 1), (low + 1, high)):
        if ends != (low, high):
            words = f"the range ${_short(ends[0])},\\dots,{_short(ends[1])}$ of ${_short(index)}$"
            yield from _made("range", words, e.func, e.args[0], (index, *ends))


def indexed(term: Any, index: Any) -> bool:
    """Whether an entry of a variable is taken at the index: its range cannot be made longer."""
    return any(index in call.free_symbols for call in sympify(term).atoms(AppliedUndef))


_OPERATORS: tuple[Operator, ...] = (
    _exponents, _constants, _sizes, _swaps, _drops, _signs, _matrices, _ranges,
)  # fmt: skip


def vanishing(term: Any, size: Symbol, least: int, sign: int = 1) -> Edit | None:
    """The side with a term that is zero at small sizes: only a search beyond them can tell.

    >>> n = Symbol("n", positive=True)
    >>> vanishing(n, n, 2).term
    n*((n - 3)*(n - 2) + 1)
    """
    if isinstance(term, tuple):
        made = vanishing(term[0], size, least, sign)
        return made and replace(made, term=(made.term, *term[1:]))
    term = sympify(term)
    if not isinstance(term, Expr) or isinstance(term, ZeroMatrix) or term.has(oo):
        return None
    if least >= 2:
        small = (size - least) * (size - least - 1)
        return Edit(
            "vanishing", f"times ${latex(1 + sign * small)}$", _times(1 + sign * small, term)
        )
    small = prod(size - k for k in range(least, least + ZEROS))
    if isinstance(term, MatrixExpr):
        return Edit(
            "vanishing", f"times ${latex(1 + sign * small)}$", _times(1 + sign * small, term)
        )
    return Edit(
        "vanishing", f"${'+' if sign > 0 else '-'}{latex(small)}$ added", term + sign * small
    )
