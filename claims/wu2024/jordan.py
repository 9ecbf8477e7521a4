r"""App. F.3, first token: it moves along the Jordan block (31) and tends to e_d or -e_d.

Under the causal mask the first token attends to itself only: X_1 is sent to X_1 W_V, up to a
positive factor (LayerNorm).  Ratios of its coordinates do not see that factor, so points hold the
token up to scale, in integers.  The limits need w > 0; w > 1 is only used elsewhere in the section.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import Any

from sympy import (
    Expr,
    Function,
    ImmutableDenseMatrix,
    Integer,
    Lambda,
    MatrixSymbol,
    Poly,
    Symbol,
    binomial,
    interpolate,
    oo,
    sign,
    sympify,
)
from sympy.matrices import MatrixBase

from claims.domain import Array, Computed, Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.wu2024.notation import d, source, t, w
from claims.wu2024.setup import jordan

i = Symbol("i", integer=True, positive=True)
m = Symbol("m", integer=True, nonnegative=True)
first = MatrixSymbol("X_{1,:}^{(0)}", 1, d)
r = MatrixSymbol("r", d, 1)
"""r_i w^{i-1} = X_{1,i}^{(0)} / X_{1,1}^{(0)}; so r_1 = 1."""
r_2 = Symbol("r_2", real=True)

JORDAN = Hypothesis(r"W_V\ \text{as in (31)}, \quad w>0")
STARTS = Hypothesis(r"X_{1,1}^{(0)}\ne0")
POSITIVE = Hypothesis(r"X_{1,1}^{(0)}>0")


@lru_cache(maxsize=4096)
def orbit(token: ImmutableDenseMatrix, weight: Any, steps: int) -> list[ImmutableDenseMatrix]:
    """x, x W_V, ..., x W_V^steps, each up to the positive factor that LayerNorm takes out."""
    value = jordan(token.cols, weight)
    return list(accumulate([token, *[value] * steps], lambda x, matrix: x * matrix))


def _orbit(point: Point) -> list[ImmutableDenseMatrix]:
    return orbit(point[first], point[w], int(point[t]) + 1)


def polynomial(token: ImmutableDenseMatrix, weight: Any, index: int) -> Poly:
    """Coordinate `index` of x W_V^t: W_V - I is nilpotent, so a polynomial of degree < index in t."""
    values = [(s, x[index - 1]) for s, x in enumerate(orbit(token, weight, index - 1))]
    return Poly(interpolate(values, t), t)


def limit_of_quotient(above: Poly, below: Poly) -> Any:
    """The limit of a quotient of polynomials at infinity."""
    lead = sympify(above.LC() / below.LC())
    degrees = above.degree() - below.degree()
    return Integer(0) if degrees < 0 else lead if degrees == 0 else sign(lead) * oo


def coordinate(index: str, time: str) -> Symbol:
    """A coordinate of the first token at a time, up to the same positive factor for all of them."""
    return Symbol(f"X_{{1,{index}}}^{{({time})}}", real=True)


now_1, now_2, now_1_up, now_i = (coordinate(at, "t") for at in ("i-1", "i-2", "1", "i"))
next_1, next_1_up = (coordinate(at, "t+1") for at in ("i-1", "1"))

_sizes = (Size(d, 3, 5), Size(i, 3, 5), Size(t, 0, 5))
_rate = Real(w, 0, open_low=True)
_inside = Condition(r"i\le d", lambda at: at[i] <= at[d])
_starts = Condition(STARTS.latex, lambda at: at[first][0] != 0)
_coordinates = (
    Computed(now_1_up, lambda at: _orbit(at)[-2][0]),
    Computed(now_2, lambda at: _orbit(at)[-2][int(min(at[i], at[d])) - 3]),
    Computed(now_1, lambda at: _orbit(at)[-2][int(min(at[i], at[d])) - 2]),
    Computed(now_i, lambda at: _orbit(at)[-2][int(min(at[i], at[d])) - 1]),
    Computed(next_1_up, lambda at: _orbit(at)[-1][0]),
    Computed(next_1, lambda at: _orbit(at)[-1][int(min(at[i], at[d])) - 2]),
)


def _rescaled(at: Point) -> ImmutableDenseMatrix | Any:
    """r, a column; zero where the first coordinate is (such points are not admissible)."""
    x = at[first]
    scale = x[0] or Integer(1)
    return ImmutableDenseMatrix([x[j] / (scale * at[w] ** j) for j in range(x.cols)])


_walk = Domain((*_sizes, _rate, Array(first), Computed(r, _rescaled)), (_inside, _starts))
_recursion = Domain(
    (
        *_sizes, _rate, Array(first), *_coordinates,
        Computed(r_2, lambda at: _rescaled(at)[1]),
    ),
    (_inside, _starts),
)  # fmt: skip


# Equations (34) and (35) ---------------------------------------------------------------------------


def _ratios(point: Point) -> tuple[Any, Any, Any]:
    before, after = _orbit(point)[-2:]
    place = int(point[i]) - 1
    return after[1] / after[0], before[1] / before[0], after[place] / after[0]


_RATIOS = (
    r"\left(\tfrac{X_{1,2}^{(t+1)}}{X_{1,1}^{(t+1)}},\ \tfrac{X_{1,2}^{(t)}}{X_{1,1}^{(t)}},\ "
    r"\tfrac{X_{1,i}^{(t+1)}}{X_{1,1}^{(t+1)}}\right)"
)
_linear = (r_2 + t) * w
_pascal = w * now_1 / now_1_up + now_i / now_1_up

second_coordinate_grows_linearly = Claim(
    id="wu2024.app-F3.first-token-eq-34-35.repair",
    parent="wu2024.app-F3.first-token-eq-34-35",
    source=source("App. F.3", "Eq. (34), (35)"),
    kind="identity",
    title="The first token's second coordinate grows by w a step, relative to the first one.",
    statement=Relation(_RATIOS, ((r_2 * w + w * (t + 1), _linear, _pascal),)),
    domain=_recursion,
    define=_ratios,
    hypotheses=(JORDAN, STARTS),
    note=(
        "The line before (34) gives the ratio at time t where it writes t+1; (34) itself, which "
        "follows from it, and (35) are right."
    ),
)
second_coordinate_grows_linearly_as_printed = Claim(
    id="wu2024.app-F3.first-token-eq-34-35",
    source=source("App. F.3", "Eq. (34), (35)"),
    kind="identity",
    title="The first token's coordinates, relative to the first one, follow a linear recursion.",
    statement=Relation(_RATIOS, ((r_2 * w + w * t, _linear, _pascal),)),
    domain=_recursion,
    define=_ratios,
    hypotheses=(JORDAN, STARTS),
    mutants=variants(
        ("t + 1 for t in (34)", (r_2 * w + w * t + w, _linear + w, _pascal)),
        ("w for w t", (r_2 * w + w, _linear, _pascal)),
        ("no w in (35)", (r_2 * w + w * t + w, _linear, _pascal / w)),
        ("w^2 in (35)", (r_2 * w + w * t + w, _linear, w * _pascal)),
        lhs=_RATIOS,
    ),
    severity="misprint",
    repair=second_coordinate_grows_linearly,
    note="The line before (34) is off by one step; (34), which the paper uses, is right.",
)


# Equation (36) ------------------------------------------------------------------------------------


class IteratedSum(Function):
    r"""The coefficient of r_{i-m} in (36): 1, t, then m - 1 nested sums of j_1.

    The outermost index runs from 0 to t - 1; every other one from 0 to the next index, minus one
    when `overlap` is 0 (as printed, `overlap` is 1).

    >>> [IteratedSum(m, 3, 1) for m in range(5)], [IteratedSum(m, 3, 0) for m in range(5)]
    ([1, 3, 3, 4, 5], [1, 3, 3, 1, 0])
    """

    nargs = 3

    @classmethod
    def eval(cls, depth: Expr, top: Expr, overlap: Expr) -> Expr | None:
        if not all(argument.is_Integer for argument in (depth, top, overlap)):
            return None
        if depth < 2:
            return top**depth
        inner = (
            Integer(j) if depth == 2 else cls(depth - 1, j + overlap, overlap)
            for j in range(int(top))
        )
        return sum(inner, start=Integer(0))

    def _latex(self, printer: Any, **_: Any) -> str:
        depth, top = (printer._print(a) for a in self.args[:2])
        least = "" if self.args[2] else "-1"
        return (
            rf"\underbrace{{\sum_{{j_{{{depth}-1}}=0}}^{{{top}-1}}\cdots"
            rf"\sum_{{j_1=0}}^{{j_2{least}}}j_1}}_{{{depth}-1\text{{ sums}}}}"
        )


class Convolved(Expr):
    """sum over 0 <= m < i of coefficient(m) r_{i-m}; evaluated where r and i are explicit."""

    is_commutative = True

    def __new__(cls, column: Any, index: Any, coefficient: Lambda) -> Any:
        if isinstance(column, MatrixBase) and index.is_Integer:
            terms = (coefficient(Integer(k)) * column[int(index) - 1 - k] for k in range(index))
            return sum(terms, start=Integer(0))
        return super().__new__(cls, column, index, coefficient)

    def _latex(self, printer: Any, **_: Any) -> str:
        name, index = (printer._print(a) for a in self.args[:2])
        variable, body = (printer._print(a) for a in (m, self.args[2].expr))
        return rf"\sum_{{{variable}=0}}^{{{index}-1}}{name}_{{{index}-{variable}}}\,{body}"


def combined(coefficient: Expr) -> Expr:
    """w^{i-1} sum_m coefficient(m) r_{i-m}."""
    return w ** (i - 1) * Convolved(r, i, Lambda(m, coefficient))


_RATIO = r"\frac{X_{1,i}^{(t)}}{X_{1,1}^{(t)}}"


def _ratio(point: Point) -> Any:
    row = _orbit(point)[-2]
    return row[int(point[i]) - 1] / row[0]


_fourth = _walk.completed(
    {d: Integer(4), i: Integer(4), t: Integer(2), w: Integer(2),
     first: ImmutableDenseMatrix([[1, 0, 0, 0]])}
)  # fmt: skip

coordinates_are_binomial_sums = Claim(
    id="wu2024.app-F3.eq-36.repair",
    parent="wu2024.app-F3.eq-36",
    source=source("App. F.3", "Eq. (36), (39)"),
    kind="identity",
    title="Coordinates of the first token combine its initial ones with binomial coefficients.",
    statement=Relation(_RATIO, (combined(IteratedSum(m, t, 0)), combined(binomial(t, m)))),
    domain=_walk,
    define=_ratio,
    hypotheses=(JORDAN, STARTS),
    probes=(_fourth,),
    note=(
        "Each inner sum must stop one short of the next index; then the coefficient of r_{i-m} is "
        "the binomial coefficient of t over m. As printed it is that of t + m - 2 over m, another "
        "number for m >= 3."
    ),
)
coordinates_are_iterated_sums_as_printed = Claim(
    id="wu2024.app-F3.eq-36",
    source=source("App. F.3", "Eq. (36), (39)"),
    kind="identity",
    title="Coordinates of the first token are iterated sums of its initial ones.",
    statement=Relation(_RATIO, (combined(IteratedSum(m, t, 1)),)),
    domain=_walk,
    define=_ratio,
    hypotheses=(JORDAN, STARTS),
    uses=(second_coordinate_grows_linearly_as_printed,),
    mutants=variants(
        ("one layer late", combined(IteratedSum(m, t + 1, 1))),
        ("w^i for w^(i-1)", w * combined(IteratedSum(m, t, 1))),
        ("powers of t", combined(t**m)),
        lhs=_RATIO,
    ),
    probes=(_fourth,),
    severity="misprint",
    repair=coordinates_are_binomial_sums,
    note=(
        "True for i = 3; false from i = 4 on, for the recursion (35) sums over strictly smaller "
        "times. Only signs and the order of growth are used later, and these are right."
    ),
)


# Equation (37) ------------------------------------------------------------------------------------


def _consecutive_ratio(point: Point) -> Any:
    top, place = (polynomial(point[first], point[w], k) for k in (1, int(point[i])))
    later_top, later = (Poly(p.as_expr().subs(t, t + 1), t) for p in (top, place))
    return limit_of_quotient(later_top * place, later * top)


_LIMIT = (
    r"\lim_{t\to\infty}\frac{X_{1,1}^{(t+1)}}{X_{1,i}^{(t+1)}}\frac{X_{1,i}^{(t)}}{X_{1,1}^{(t)}}"
)
_start = Domain((Size(d, 2, 5), Size(i, 2, 5), _rate, Array(first)), (_inside, _starts))
coordinates_grow_slower_than_exponentially = Claim(
    id="wu2024.app-F3.eq-37",
    source=source("App. F.3", "Eq. (37)"),
    kind="limit",
    title="Relative coordinates of the first token change by a factor that tends to one.",
    statement=Relation(_LIMIT, (Integer(1),)),
    domain=_start,
    define=_consecutive_ratio,
    hypotheses=(JORDAN, STARTS),
    uses=(coordinates_are_iterated_sums_as_printed,),
    mutants=variants(
        ("grows like w^t", 1 / w),
        ("grows like w^(i t)", w ** (1 - i)),
        ("(i-1)/i for 1", (i - 1) / i),
        ("coordinate i dominates at once", Integer(0)),
        lhs=_LIMIT,
    ),
    note="Printed (36) gives the same limit: only the degree i - 1 of its growth matters.",
)


# Equation (38) and the limit of the first token -----------------------------------------------------


def _growth(point: Point) -> tuple[Any, Any, Any]:
    """X_i'/X_{i-1}', the limit of X_i/X_{i-1}, and that of X_d, a coordinate of a unit vector."""
    after, place, x = _orbit(point)[-1], int(point[i]), point[first]
    powers = [polynomial(x, point[w], k) for k in range(1, x.cols + 1)]
    # The last coordinate has a higher degree than any other, so it alone survives in the norm.
    rest = max(p.degree() for p in powers[:-1])
    last = sign(powers[-1].LC()) if powers[-1].degree() > rest else Integer(0)
    ratio = limit_of_quotient(powers[place - 1], powers[place - 2])
    return after[place - 1] / after[place - 2], ratio, last


def _defined(at: Point) -> bool:
    return at[now_1] != 0 and at[next_1] != 0


_GROWTH = (
    r"\left(\tfrac{X_{1,i}^{(t+1)}}{X_{1,i-1}^{(t+1)}},\ "
    r"\lim_{t\to\infty}\tfrac{X_{1,i}^{(t)}}{X_{1,i-1}^{(t)}},\ \lim_{t\to\infty}X_{1,d}^{(t)}\right)"
)
_one_step = (w * now_1 + now_i) / (w * now_2 + now_1)
_factored = next_1_up / next_1 * now_1 / now_1_up * (w + now_i / now_1)
_printed = Relation(_GROWTH, ((_one_step, oo, Integer(1)), (_factored, oo, Integer(1))))


def _growing(rate: Real, start: Condition) -> Domain:
    nonzero = Condition(r"X_{1,i-1}^{(t)},\ X_{1,i-1}^{(t+1)}\ne0", _defined)
    return Domain((*_sizes, rate, Array(first), *_coordinates), (_inside, start, nonzero))


_up = Condition(POSITIVE.latex, lambda at: at[first][0] > 0)
_down = Condition(r"X_{1,1}^{(0)}<0", lambda at: at[first][0] < 0)
first_token_tends_to_the_last_axis = Claim(
    id="wu2024.app-F3.eq-38",
    source=source("App. F.3", "Eq. (38)"),
    kind="identity",
    title="Every coordinate of the first token outgrows the one before it: the limit is e_d.",
    statement=_printed,
    domain=_growing(_rate, _up),
    define=_growth,
    hypotheses=(JORDAN, POSITIVE, Hypothesis(r"\text{the quotients are defined}")),
    uses=(coordinates_grow_slower_than_exponentially,),
    mutants=(
        *variants(
            ("no w in (38)", (_one_step - w * now_1 / (w * now_2 + now_1), oo, Integer(1))),
            ("no prefactor", (w + now_i / now_1, oo, Integer(1))),
            ("ratios stay bounded", (_one_step, w, Integer(1))),
            ("tends to -e_d", (_one_step, oo, Integer(-1))),
            lhs=_GROWTH,
        ),
        Mutant("first coordinate negative", _printed, domain=_growing(_rate, _down)),
        Mutant("w < 0", _printed, domain=_growing(Real(w, high=0, open_high=True), _up)),
    ),
    note=(
        "For d >= 3. The limit of the unit vector is e_d exactly when its last coordinate tends to "
        "one. For w < 0 the ratios tend to minus infinity."
    ),
)
