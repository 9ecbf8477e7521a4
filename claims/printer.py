"""Terms as LaTeX, for `claims.typeset`, which says in which order factors and terms stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any

from sympy import Add, Basic, Expr, Integer, KroneckerDelta, Mul, Number, Pow, Rational, Symbol, exp
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions import MatMul, MatrixSymbol
from sympy.printing.latex import LatexPrinter

from claims.expressions import FrobSq, Typeset
from claims.precedence import Level, bracket, is_letter, level, parenthesised, takes_scripts

__all__ = ["TermPrinter"]

Signed = tuple[str, str]
"""The sign of a summand, "+" or "-", and what stands behind it."""
NUMBER, SYMBOL, DELTA, SUM, EXPONENTIAL, COMPOUND, PREFIXED = range(7)
_SIGNS = {"==": "=", "!=": r"\ne", "<": "<", "<=": r"\le", ">": ">", ">=": r"\ge"}
_WORD = re.compile(r"[a-z]{3,}")
"""What names an index in words, `row` or `column`: as letters side by side it would be a product."""
_BREAK = r" \\ "
_NAMED = {
    "acos": r"\arccos", "asin": r"\arcsin", "atan": r"\arctan", "cos": r"\cos", "cosh": r"\cosh",
    "log": r"\log", "sin": r"\sin", "sinh": r"\sinh", "tan": r"\tan", "tanh": r"\tanh",
    "Max": r"\max", "Min": r"\min", "gamma": r"\Gamma",
}  # fmt: skip


_WHERE = re.compile(r"(?:\\big\|)?_\{((?:[^{}]|\{[^{}]*\})*=(?:[^{}]|\{[^{}]*\})*)\}")
"""Where a member of a family is taken, as `X_{T=3,\\,n=n}` says it."""
_SIDE_BY_SIDE = re.compile(r"\{\}(?=\{\})")
"""Places of two indices: without a comma nobody sees where the first ends, unless each is one sign."""
_PRINTED: dict[tuple[Basic, bool], str] = {}
_MANY = 1 << 16


def _at_others(name: str) -> str:
    r"""A member's name without places that a letter has anyway.

    >>> _at_others(r"P_{T=3,\,c=c}"), _at_others(r"\mathbb E(Z)\big|_{n=n}")
    ('P_{T=3}', '\\mathbb E(Z)')
    """
    where = _WHERE.search(name)
    if where is None:
        return name
    said = re.split(r",(?:\\,)?", where[1])
    told = [place for place in said if place.partition("=")[0] != place.partition("=")[2]]
    if len(told) == len(said):
        return name
    kept = where[0].replace(where[1], r",\,".join(told)) if told else ""
    return name.replace(where[0], kept)


class TermPrinter(LatexPrinter):
    """SymPy's printer for what it prints well; sums, products, powers and our own nodes here."""

    printmethod = "_typeset"
    """Nodes of the papers with a `_latex` of their own are asked for it last, in `_print`."""

    def __init__(self) -> None:
        super().__init__()
        self.in_exponent = False

    def _print(self, expr: Any, **settings: Any) -> str:
        """A part in a place prints alike in every term, so that it is printed once."""
        if settings or not isinstance(expr, Basic):
            return self._printed(expr, **settings)
        key = (expr, self.in_exponent)
        if key not in _PRINTED:
            if len(_PRINTED) > _MANY:
                _PRINTED.clear()
            _PRINTED[key] = self._printed(expr)
        return _PRINTED[key]

    def _printed(self, expr: Any, **settings: Any) -> str:
        own = getattr(type(expr), "_latex", None)
        if own not in (None, Typeset._latex) and not hasattr(self, f"_print_{type(expr).__name__}"):
            return str(own(expr, self))
        return str(super()._print(expr, **settings))

    def shown(self, expr: Any, least: Level = Level.OPEN) -> str:
        return bracket(self._print(expr), least)

    def inside(self, expr: Any) -> str:
        return parenthesised(self._print(expr))

    # Names and numbers ----------------------------------------------------------------------------

    def name(self, name: str) -> str:
        """A name that is LaTeX as it stands, one like `sigma_q` as SymPy sets it, a word upright."""
        if set(name) & set("\\{^'(, =<>+-"):
            return name
        shown = str(super()._print_Symbol(Symbol(name)))
        return rf"\mathrm{{{name}}}" if _WORD.fullmatch(shown) else shown

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:
        """A name that holds a relation or a list stands in parentheses within a term."""
        return bracket(self.name(str(expr)), Level.SUM)

    _print_Quantity = _print_MatrixSymbol = _print_Named = _print_Shaped = _print_Symbol

    def _print_Rational(self, expr: Any) -> str:
        sign, text = self._product([expr])
        return text if sign == "+" else f"-{text}"

    # Sums -----------------------------------------------------------------------------------------

    def _print_Add(self, expr: Any, order: Any = None) -> str:
        terms = sorted(expr.args, key=lambda term: (-_degree(term), _letters(self._print(term))))
        *others, last = terms
        if isinstance(last, Number) and last.is_positive and all(map(_shifts, others)):
            terms = [last, *others]
        return self._sum([self._summand(term) for term in terms])

    def _print_MatAdd(self, expr: Any) -> str:
        return self._sum([self._summand(term) for term in expr.args])

    def _sum(self, terms: list[Signed]) -> str:
        """The terms in their order, but for a positive one that takes the lead of a negative one."""
        lead = next((place for place, (sign, _) in enumerate(terms) if sign == "+"), 0)
        (sign, first), *others = [terms[lead], *terms[:lead], *terms[lead + 1 :]]
        return " ".join(["-" * (sign == "-") + first, *(f"{s} {text}" for s, text in others)])

    def _summand(self, term: Any) -> Signed:
        sign, text = self._signed(term)
        return sign, bracket(text, Level.OPERATED)

    def _signed(self, term: Any) -> Signed:
        if isinstance(term, MatMul):
            return self._matrix_product(term)
        if isinstance(term, Mul | Number):
            return self._product(Mul.make_args(term))
        return "+", self._print(term)

    # Products -------------------------------------------------------------------------------------

    def _print_Mul(self, expr: Any) -> str:
        sign, text = self._product(expr.args)
        return text if sign == "+" else f"-{bracket(text, Level.OPERATED)}"

    def _product(self, factors: Sequence[Any], closed: bool = False) -> Signed:
        """Sign and text; a `closed` product has something to its right, such as a matrix."""
        number, above, below = _split(factors)
        head = self._ordered([f for f in above if _rank(f) < COMPOUND])
        tail = self._ordered([f for f in above if _rank(f) >= COMPOUND])
        if not below and number.q == 1:
            leading = [str(abs(number.p))] if abs(number.p) != 1 or not above else []
            texts = [*leading, *head, *tail]
        else:
            bare = not head and abs(number.p) == 1 and not any(map(_is_running, tail))
            if self.in_exponent or bare or any(_rank(f) > DELTA for f in below):
                head, tail = [*head, *tail], []
            texts = [self._fraction(number, head, below), *tail]
        return "-" if number.p < 0 else "+", _joined(texts, closed)

    def _fraction(self, number: Any, head: list[str], below: list[Any]) -> str:
        leading = [str(abs(number.p))] if abs(number.p) != 1 or not head else []
        above = _joined([*leading, *head])
        under = _joined([*([str(number.q)] if number.q != 1 else []), *self._ordered(below)])
        if not self.in_exponent:
            return rf"\frac{{{above}}}{{{under}}}"
        return f"{bracket(above, Level.PRODUCT)}/{bracket(under, Level.ATOM)}"

    def _ordered(self, factors: list[Any]) -> list[str]:
        def place(text: str, rank: int) -> tuple[Any, ...]:
            rank = PREFIXED if level(text) is Level.PREFIXED else rank
            return rank, len(text) if rank == SUM else 0, _letters(text)

        shown = [(place(text := self._print(f), _rank(f)), text) for f in factors]
        return [text for _, text in sorted(shown)]

    # Powers ---------------------------------------------------------------------------------------

    def _print_Pow(self, expr: Any) -> str:
        base, exponent = expr.args
        if _is_negative(exponent):
            return self._product([expr])[1]
        if isinstance(base, FrobSq):
            return self._norm(base, 2 * exponent)
        if exponent == Rational(1, 2):
            return rf"\sqrt{{{self._print(base)}}}"
        return f"{self.shown(base, Level.ATOM)}^{{{self._exponent(exponent)}}}"

    def _print_exp(self, expr: Any) -> str:  # type: ignore[override]
        return f"e^{{{self._exponent(expr.args[0])}}}"

    @contextmanager
    def _inline(self) -> Any:
        before, self.in_exponent = self.in_exponent, True
        try:
            yield
        finally:
            self.in_exponent = before

    def _exponent(self, expr: Any) -> str:
        with self._inline():
            return self._print(expr)

    # Functions ------------------------------------------------------------------------------------

    def _print_Function(self, expr: Any, exp: Any = None) -> str:
        if isinstance(expr, AppliedUndef) and hasattr(expr.func, "recursion"):
            layer, *others = expr.args
            return self._indexed(expr.func.name, [layer], others)
        if isinstance(expr, AppliedUndef) and hasattr(expr.func, "variable"):
            return self._entry(expr.func, expr.args)
        if isinstance(expr, AppliedUndef) and hasattr(expr.func, "define_at"):
            return self._member(expr, exp)
        name = expr.func.__name__
        known = _NAMED.get(name, rf"\operatorname{{{name}}}")
        if isinstance(expr, AppliedUndef):
            known = self.name(name)
        return known + parenthesised(", ".join(map(self._print, expr.args)))

    _print_log = _print_Max = _print_Min = _print_gamma = _print_sign = _print_Function

    def _member(self, expr: Any, exp: Any = None) -> str:
        """A member of a family: its name with the indices put in."""
        texts = list(map(self._exponent, expr.args))
        name = expr.func.__name__
        if not all(len(text) == 1 or is_letter(text) for text in texts):
            name = _SIDE_BY_SIDE.sub("{},", name)
        name = _at_others(name.format(*texts))
        return name if exp is None else f"{parenthesised(name)}^{{{exp}}}"

    def _entry(self, function: Any, places: Sequence[Any]) -> str:
        """`X_{ij}`; the places before the last two count layers, `A^{(t)}_{ij}`."""
        name = (
            self._print(function.variable) if hasattr(function.variable, "args") else function.name
        )
        return self._indexed(name, places[:-2], places[-2:])

    def _indexed(self, name: str, layers: Sequence[Any], places: Sequence[Any]) -> str:
        name = self._print_Symbol(Symbol(name))
        over = f"^{{({self._run(layers)})}}" if layers else ""
        under = f"_{{{self._run(places)}}}" if places else ""
        return f"{name if takes_scripts(name) else parenthesised(name)}{over}{under}"

    def _run(self, indices: Sequence[Any]) -> str:
        """Indices side by side where each is one letter, else with commas."""
        texts = [self._exponent(index) for index in indices]
        return ("" if all(t.strip("'").isalpha() and len(t) <= 2 for t in texts) else ",").join(
            texts
        )

    def _print_KroneckerDelta(self, expr: Any) -> str:  # type: ignore[override]
        first, second, *ranges = expr.args
        within = "".join(f"^{{[{self._print(low)},{self._print(high)}]}}" for low, high in ranges)
        return rf"\delta_{{{self._run(_raised((first, second)))}}}{within}"

    def _print_Sum(self, expr: Any) -> str:
        body, *ranges = expr.args
        sums = [
            rf"\sum_{{{self._print(index)}={self._print(low)}}}^{{{self._exponent(high)}}}"
            for index, low, high in reversed(ranges)
        ]
        return f"{' '.join(sums)} {self.shown(body, Level.OPERATED)}"

    def _over(self, operator: str, expr: Any) -> str:
        index, low, high = map(self._print, expr.limits)
        return rf"{operator}_{{{low}\le {index}\le {high}}} {self.shown(expr.body, Level.OPERATED)}"

    def _print_MaxOver(self, expr: Any) -> str:
        return self._over(r"\max", expr)

    def _print_MinOver(self, expr: Any) -> str:
        return self._over(r"\min", expr)

    def _print_Abs(self, expr: Any, exp: Any = None) -> str:
        return rf"\left|{self._print(expr.args[0])}\right|"

    def _print_floor(self, expr: Any, exp: Any = None) -> str:
        return rf"\left\lfloor {self._print(expr.args[0])}\right\rfloor"

    def _print_ceiling(self, expr: Any, exp: Any = None) -> str:
        return rf"\left\lceil {self._print(expr.args[0])}\right\rceil"

    def _print_factorial(self, expr: Any, exp: Any = None) -> str:
        return f"{self.shown(expr.args[0], Level.ATOM)}!"

    def _print_Mod(self, expr: Any, exp: Any = None) -> str:  # type: ignore[override]
        whole, by = (self.shown(part, Level.ATOM) for part in expr.args)
        return rf"{whole} \bmod {by}"

    def _print_binomial(self, expr: Any, exp: Any = None) -> str:
        top, bottom = map(self._print, expr.args)
        return rf"\binom{{{top}}}{{{bottom}}}"

    # Cases and conditions -------------------------------------------------------------------------

    def _print_Piecewise(self, expr: Any) -> str:
        rows = [
            f"{self._print(value)} & "
            + (r"\text{otherwise}" if given == True else rf"\text{{if }} {self._print(given)}")  # noqa: E712
            for value, given in expr.args
        ]
        return rf"\begin{{cases}} {_BREAK.join(rows)} \end{{cases}}"

    def _print_Relational(self, expr: Any) -> str:
        return f"{self._print(expr.lhs)} {_SIGNS[expr.rel_op]} {self._print(expr.rhs)}"

    def _print_And(self, expr: Any) -> str:
        return self._joined_conditions(r"\wedge", expr)

    def _print_Or(self, expr: Any) -> str:
        return self._joined_conditions(r"\vee", expr)

    def _joined_conditions(self, sign: str, expr: Any) -> str:
        texts = [self._print(a) if a.is_Relational else self.inside(a) for a in expr.args]
        return f" {sign} ".join(sorted(texts))

    def _print_BooleanTrue(self, expr: Any) -> str:
        return r"\text{true}"

    def _print_BooleanFalse(self, expr: Any) -> str:
        return r"\text{false}"

    # Matrices -------------------------------------------------------------------------------------

    def _print_MatMul(self, expr: Any) -> str:
        sign, text = self._matrix_product(expr)
        return text if sign == "+" else f"-{text}"

    def _matrix_product(self, expr: Any) -> Signed:
        scalars, matrices = expr.as_coeff_matrices()
        *others, last = matrices
        shown = [self.shown(matrix, Level.PRODUCT) for matrix in others]
        shown.append(self.shown(last, Level.PREFIXED))  # nothing stands to the right of it
        if scalars == 1:
            return "+", " ".join(shown)
        sign, text = self._product(Mul.make_args(scalars), closed=True)
        return sign, " ".join([*([text] if text != "1" else []), *shown])

    def _print_Transpose(self, expr: Any) -> str:
        return rf"{self.shown(expr.arg, Level.ATOM)}^\top"

    def _print_Inverse(self, expr: Any) -> str:
        return f"{self.shown(expr.arg, Level.ATOM)}^{{-1}}"

    def _print_MatPow(self, expr: Any) -> str:
        return f"{self.shown(expr.base, Level.ATOM)}^{{{self._exponent(expr.exp)}}}"

    def _print_KroneckerProduct(self, expr: Any) -> str:
        return r" \otimes ".join(self.shown(factor, Level.PRODUCT) for factor in expr.args)

    def _print_HadamardProduct(self, expr: Any) -> str:
        return r" \circ ".join(self.shown(factor, Level.PRODUCT) for factor in expr.args)

    def _print_Trace(self, expr: Any) -> str:
        return rf"\operatorname{{tr}}{self.inside(expr.args[0])}"

    def _print_Identity(self, expr: Any) -> str:
        return f"I_{{{self._exponent(expr.shape[0])}}}"

    def _print_OneMatrix(self, expr: Any) -> str:
        return self._filled(r"\mathbf 1", expr.shape)

    def _print_ZeroMatrix(self, expr: Any) -> str:
        return self._filled(r"\mathbf 0", expr.shape)

    def _filled(self, entry: str, shape: tuple[Any, Any]) -> str:
        rows, columns = (self._exponent(size) for size in shape)
        if shape[1] == 1:
            return f"{entry}_{{{rows}}}"
        if shape[0] == 1:
            return rf"{entry}_{{{columns}}}^\top"
        sizes = r"\times ".join(bracket(size, Level.PRODUCT) for size in (rows, columns))
        return f"{entry}_{{{sizes}}}"

    def _print_MatrixElement(self, expr: Any) -> str:
        """Rows and columns count from one, as in the papers; SymPy counts them from zero."""
        places = [expr.i + 1] if expr.parent.shape[1] == 1 else [expr.i + 1, expr.j + 1]
        return self._indexed(self._print(expr.parent), [], places)

    def _print_MatrixBase(self, expr: Any) -> str:
        rows = (" & ".join(map(self._print, row)) for row in expr.tolist())
        return parenthesised(rf"\begin{{matrix}} {_BREAK.join(rows)} \end{{matrix}}")

    def _print_Tuple(self, expr: Any) -> str:
        return parenthesised(r",\ ".join(map(self._print, expr)))

    _print_tuple = _print_list = _print_Tuple

    # Nodes of the papers' vocabulary --------------------------------------------------------------

    def _print_FrobSq(self, expr: Any) -> str:
        return self._norm(expr, Integer(2))

    def _norm(self, expr: Any, exponent: Expr) -> str:
        """A power of a norm; the norm of a vector needs no index."""
        index = "" if 1 in expr.args[0].shape else "_F"
        power = "" if exponent == 1 else f"^{{{self._exponent(exponent)}}}"
        return rf"\left\|{self._print(expr.args[0])}\right\|{index}{power.replace('{2}', '2')}"

    def _print_Total(self, expr: Any) -> str:
        matrix, name = expr.args
        if str(name) != "_":
            return str(name)
        left = "" if matrix.shape[0] == 1 else r"\mathbf 1^\top "
        right = "" if matrix.shape[1] == 1 else r"\mathbf 1"
        return f"{left}{self.shown(matrix, Level.PRODUCT)}{right}"

    def _print_Commutation(self, expr: Any) -> str:
        return f"K_{{{self._run(expr.args)}}}"

    def _print_Entrywise(self, expr: Any) -> str:
        """The formula of an entry and the ranges of rows and columns, which count from one."""
        formula, row, column, name = expr.args
        if str(name) != "_":
            return str(name)
        one_based = formula.xreplace({index: index - 1 for index, _ in (*row, *column)})
        ranges = r";\ ".join(
            ",".join(rf"1\le {self._print(index)}\le {self._print(size)}" for index, size in side)
            for side in (row, column)
        )
        return rf"\left[{self._print(one_based)}\right]_{{{ranges}}}"


def _split(factors: Sequence[Any]) -> tuple[Any, list[Any], list[Any]]:
    """The rational number among factors, the others, and those that stand below the bar."""
    number, above, below = Rational(1), [], []
    for factor in factors:
        if factor.is_Rational:
            number *= factor
        elif isinstance(factor, Pow) and _is_negative(factor.exp):
            below.append(Pow(factor.base, -factor.exp))
        else:
            above.append(factor)
    return number, above, below


def _is_negative(exponent: Any) -> bool:
    return bool(exponent.is_number and exponent.is_negative) or bool(
        isinstance(exponent, Mul) and exponent.as_coeff_Mul()[0].is_negative
    )


def _joined(texts: list[str], closed: bool = False) -> str:
    r"""Factors side by side; only the last may be opened by `\sum` and its like."""
    if len(texts) == 1 and not closed:
        return texts[0]
    least = [Level.PRODUCT] * (len(texts) - 1) + [Level.PRODUCT if closed else Level.PREFIXED]
    shown = [bracket(text, floor) for text, floor in zip(texts, least, strict=True)]
    return "".join(
        ("" if place == 0 else r" \cdot " if text[0].isdigit() else " ") + text
        for place, text in enumerate(shown)
    )


def _is_running(text: str) -> bool:
    return text.startswith((r"\sum", r"\prod", r"\textstyle"))


def _rank(factor: Any) -> int:
    """The class of a factor, in the order in which the classes are printed."""
    base = factor.base if isinstance(factor, Pow) else factor
    if isinstance(factor, exp):
        return EXPONENTIAL
    if isinstance(base, Number):
        return NUMBER
    if isinstance(base, Add | Mul):
        return SUM
    if isinstance(base, KroneckerDelta):
        return DELTA
    plain = isinstance(base, Symbol) and (base.name.isidentifier() or is_letter(base.name))
    return SYMBOL if plain else COMPOUND


def _letters(text: str) -> tuple[bool, str]:
    """Latin letters before Greek ones, each by the alphabet; roots and accents do not count."""
    text = re.sub(r"^(?:\\(?:sqrt|bar|tilde|hat)(?![A-Za-z])\s*\{?)+", "", text)
    return text.startswith("\\"), text.lower()


def _degree(term: Any) -> Any:
    """How high the power of a summand is, for the order of sums."""
    if isinstance(term, Add):
        return max(map(_degree, term.args))
    if isinstance(term, Mul):
        return sum(map(_degree, term.args))
    if isinstance(term, Pow):
        return _degree(term.base) * term.exp if term.exp.is_Rational else 0
    return int(isinstance(term, Symbol | MatrixSymbol | FrobSq | AppliedUndef))


def _shifts(term: Any) -> bool:
    """Whether a summand is a product with a sum or an exponential: then a number stands first."""
    return isinstance(term, Mul) and any(_rank(f) in (SUM, EXPONENTIAL) for f in term.args)


def _raised(indices: Sequence[Any]) -> list[Any]:
    """Indices of a delta, both shifted so that neither has a negative constant."""
    least = min(index.as_coeff_Add()[0] for index in indices)
    return [index - least for index in indices]
