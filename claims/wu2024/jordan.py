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
    MatrixSymbol,
    Sum,
    Symbol,
    binomial,
    oo,
    sqrt,
)

from claims.domain import Array, Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.statement import Compare, ForAll, Formula, Tends, chain
from claims.terms import entry, family
from claims.wu2024.notation import T, d, source, t, w
from claims.wu2024.setup import jordan

i = Symbol("i", integer=True, positive=True)
m = Symbol("m", integer=True, nonnegative=True)
first = MatrixSymbol("X_{1,:}^{(0)}", 1, d)
JORDAN = Hypothesis(r"W_V\ \text{as in (31)}, \quad w>0")
STARTS = Hypothesis(r"X_{1,1}^{(0)}\ne0")
POSITIVE = Hypothesis(r"X_{1,1}^{(0)}>0")


@lru_cache(maxsize=4096)
def orbit(token: ImmutableDenseMatrix, weight: Any, steps: int) -> list[ImmutableDenseMatrix]:
    """x, x W_V, ..., x W_V^steps, each up to the positive factor that LayerNorm takes out."""
    value = jordan(token.cols, weight)
    return list(accumulate([token, *[value] * steps], lambda x, matrix: x * matrix))


_sizes = Size(d, 3, 5)
_rate = Real(w, 0, open_low=True)
_starts = Condition(
    STARTS.latex, lambda at: at[first][0] != 0, Compare(entry(first)(1, 1), "!=", 0)
)
walk = Domain((_sizes, _rate, Array(first)), (_starts,))


def _coordinate(point: Point, layers: int, index: int) -> Any:
    return orbit(point[first], point[w], layers)[layers][index - 1]


ratio = family(
    r"\frac{{X_{{1,{1}}}^{{({0})}}}}{{X_{{1,1}}^{{({0})}}}}",
    lambda at, layers, index: _coordinate(at, layers, index) / _coordinate(at, layers, 1),
)
start_ratio = family("r_{{{}}}", lambda at, j: at[first][j - 1] / (at[first][0] * at[w] ** (j - 1)))
"""r_j w^{j-1} = X_{1,j}^{(0)} / X_{1,1}^{(0)}; so r_1 = 1."""


# Equations (34) and (35) ---------------------------------------------------------------------------


def _linear(layers: Any) -> Formula:
    """The line before (34) with w times `layers` gained, (34) and (35)."""
    second = Compare(ratio(t + 1, 2), "=", ratio(0, 2) + w * layers)
    linear = Compare(ratio(t, 2), "=", (start_ratio(2) + t) * w)
    pascal = Compare(ratio(t + 1, i), "=", w * ratio(t, i - 1) + ratio(t, i))
    return ForAll(t, 0, oo, second & linear & ForAll(i, 3, d, pascal))


second_coordinate_grows_linearly = Claim(
    id="wu2024.app-F3.first-token-eq-34-35.repair",
    parent="wu2024.app-F3.first-token-eq-34-35",
    source=source("App. F.3", "Eq. (34), (35)"),
    kind="identity",
    title="The first token's second coordinate grows by $w$ a step, relative to the first one.",
    statement=_linear(t + 1),
    domain=walk,
    hypotheses=(JORDAN, STARTS),
    note=(
        "The line before (34) gives the ratio at time $t$ where it writes $t+1$; (34) itself, which "
        "follows from it, and (35) are right."
    ),
)
second_coordinate_grows_linearly_as_printed = Claim(
    id="wu2024.app-F3.first-token-eq-34-35",
    source=source("App. F.3", "Eq. (34), (35)"),
    kind="identity",
    title="The first token's coordinates, relative to the first one, follow a linear recursion.",
    statement=_linear(t),
    printed=(
        r"\frac{X_{1,2}^{(t+1)}}{X_{1,1}^{(t+1)}} = \frac{X_{1,2}^{(0)}}{X_{1,1}^{(0)}} + wt,\quad "
        r"\frac{X_{1,2}^{(t)}}{X_{1,1}^{(t)}} = (r_2 + t)w,\quad "
        r"\frac{X_{1,i}^{(t+1)}}{X_{1,1}^{(t+1)}} = w \frac{X_{1,i-1}^{(t)}}{X_{1,1}^{(t)}} + "
        r"\frac{X_{1,i}^{(t)}}{X_{1,1}^{(t)}}"
    ),
    domain=walk,
    hypotheses=(JORDAN, STARTS),
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


def combined(coefficient: Expr) -> Formula:
    """X_{1,i}/X_{1,1} at t is w^{i-1} sum_{m<i} coefficient(m) r_{i-m}."""
    total = Sum(coefficient * start_ratio(i - m), (m, 0, i - 1))
    return ForAll(t, 0, oo, ForAll(i, 1, d, Compare(ratio(t, i), "=", w ** (i - 1) * total)))


_fourth = walk.completed(
    {d: Integer(4), w: Integer(2), first: ImmutableDenseMatrix([[1, 0, 0, 0]])}
)
coordinates_are_binomial_sums = Claim(
    id="wu2024.app-F3.eq-36.repair",
    parent="wu2024.app-F3.eq-36",
    source=source("App. F.3", "Eq. (36), (39)"),
    kind="identity",
    title="Coordinates of the first token combine its initial ones with binomial coefficients.",
    statement=combined(binomial(t, m)),
    domain=walk,
    hypotheses=(JORDAN, STARTS),
    probes=(_fourth,),
    note=(
        "Each inner sum must stop one short of the next index; then the coefficient of $r_{i-m}$ is the "
        "binomial coefficient of $t$ over $m$. As printed, for $m\\ge2$, it is that of $t + m - 2$ over $m$, "
        "another number from $m=3$ on."
    ),
)
coordinates_are_iterated_sums_as_printed = Claim(
    id="wu2024.app-F3.eq-36",
    source=source("App. F.3", "Eq. (36), (39)"),
    kind="identity",
    title="Coordinates of the first token are iterated sums of its initial ones.",
    statement=combined(IteratedSum(m, t, 1)),
    printed=(
        r"\frac{X_{1,i}^{(t)}}{X_{1,1}^{(t)}} = w^{i-1} \left(r_i + r_{i-1}t + r_{i-2} "
        r"\sum_{j_1=0}^{t-1} j_1 + r_{i-3} \sum_{j_2=0}^{t-1} \sum_{j_1=0}^{j_2} j_1 + \dots + "
        r"r_2 \sum_{j_{i-3}=0}^{t-1} \dots \sum_{j_2=0}^{j_3} \sum_{j_1=0}^{j_2} j_1 \dots + "
        r"\sum_{j_{i-2}=0}^{t-1} \dots \sum_{j_2=0}^{j_3} \sum_{j_1=0}^{j_2} j_1 \right)"
    ),
    domain=walk,
    hypotheses=(JORDAN, STARTS),
    uses=(second_coordinate_grows_linearly_as_printed,),
    probes=(_fourth,),
    severity="misprint",
    repair=coordinates_are_binomial_sums,
    note=(
        "True for $i = 3$; false from $i = 4$ on, for the recursion (35) sums over strictly smaller "
        "times. Only signs and the order of growth are used later, and these are right."
    ),
)


# Equation (37) ------------------------------------------------------------------------------------


def _consecutive_ratio(point: Point, layers: int, index: int) -> Any:
    here, there = (
        _coordinate(point, n, index) / _coordinate(point, n, 1) for n in (layers, layers + 1)
    )
    return here / there


change = family(
    r"\frac{{X_{{1,1}}^{{({0}+1)}}}}{{X_{{1,{1}}}^{{({0}+1)}}}}"
    r"\frac{{X_{{1,{1}}}^{{({0})}}}}{{X_{{1,1}}^{{({0})}}}}",
    _consecutive_ratio,
)
j = Symbol("j", integer=True)
late = Symbol("t", integer=True)
"""A layer, from T on where there is a T."""


def positive_at(time: Any, last: Any = i) -> Formula:
    """The relative coordinates up to one of them are positive."""
    return ForAll(j, 1, last, Compare(ratio(time, j), ">", 0))


def once_positive(begin: Any, body: Formula, last_place: Any = i) -> ForAll:
    """What holds from a layer on, after every layer T at which relative coordinates are positive."""
    return ForAll(T, 0, oo, positive_at(T, last_place).implies(ForAll(late, begin, oo, body)))


def _slowly(power: Any) -> Formula:
    """The change is one but for at most power/(t + 1 - T)."""
    loss = (late + 1 - T) * (1 - change(late, i))
    return Compare(change(late, i), "<=", 1) & Compare(loss, "<=", power)


changes_slowly = _slowly(i - 1)
_inside = Condition.of(Compare(i, "<=", d))


def _tends_to_one(slowly: Formula) -> Formula:
    """The limit, and what holds after every layer at which the coordinates are positive."""
    return Tends(change(late, i), late, Integer(1)) & once_positive(T, slowly)


coordinates_grow_slower_than_exponentially = Claim(
    id="wu2024.app-F3.eq-37",
    source=source("App. F.3", "Eq. (37)"),
    kind="limit",
    title="Relative coordinates of the first token change by a factor that tends to one.",
    statement=_tends_to_one(changes_slowly),
    printed=(
        r"\lim_{t \rightarrow \infty} \frac{X_{1,1}^{(t+1)}}{X_{1,i}^{(t+1)}} "
        r"\frac{X_{1,i}^{(t)}}{X_{1,1}^{(t)}} = 1"
    ),
    domain=Domain((Size(d, 2, 5), Size(i, 2, 5), _rate, Array(first)), (_inside, _starts)),
    hypotheses=(JORDAN, STARTS),
    uses=(coordinates_are_iterated_sums_as_printed,),
    mutants=(Mutant("a rate that forgets one power of t", _tends_to_one(_slowly(i - 2))),),
    note=(
        "With a rate: after a layer $T$ at which the relative coordinates up to $i$ are positive, the "
        "factor is one but for at most $(i - 1)/(t + 1 - T)$; there is such a $T$. Printed (36) gives "
        "the same limit: only the degree $i - 1$ of its growth matters."
    ),
)


# Equation (38) and the limit of the first token -----------------------------------------------------


quotient = family(
    r"\frac{{X_{{1,{1}}}^{{({0})}}}}{{X_{{1,{1}-1}}^{{({0})}}}}",
    lambda at, layers, index: _coordinate(at, layers, index) / _coordinate(at, layers, index - 1),
)
place = family(r"X_{{1,{1}}}^{{({0})}}", _coordinate)
"""A coordinate at a time, up to the same positive factor for all of them."""


def _unit(at: Point, layers: int) -> Any:
    """X_d over the norm of X_1, in which the common factor cancels."""
    token = orbit(at[first], at[w], layers)[layers]
    return token[-1] / sqrt(sum(x**2 for x in token))


last = family(r"\frac{{X_{{1,d}}^{{({0})}}}}{{\|X_{{1,:}}^{{({0})}}\|}}", _unit)
outgrows_from = Compare(quotient(late, i), ">=", w * (late - T - i + 2) / (i - 1))
enough = Compare(w * (late - T - d), ">", d - 1)
"""So late that every coordinate is above the one before it."""


def close(end: int) -> Formula:
    """The last coordinate of the unit token is the limit but for the others' share."""
    others = (d - 1) ** 3 / (w * (late - T - d + 2)) ** 2
    return Compare(end - last(late), "<=", others) & Compare(last(late), "<=", 1)


def _growing(end: int) -> Formula:
    """(38) where its quotients are defined, and both limits."""
    x, y, z = (place(late, k) for k in (i - 2, i - 1, i))
    defined = Compare(y, "!=", 0) & Compare(w * x + y, "!=", 0)
    factored = ratio(late, i - 1) / ratio(late + 1, i - 1) * (w + z / y)
    step = chain(quotient(late + 1, i), "=", (w * y + z) / (w * x + y), factored)
    limits = Tends(quotient(late, i), late, oo) & Tends(last(late), late, Integer(end))
    rates = once_positive(T + 1, outgrows_from) & once_positive(
        T + d, enough.implies(close(end)), d
    )
    return ForAll(late, 0, oo, defined.implies(step)) & limits & rates


_up = Condition(POSITIVE.latex, lambda at: at[first][0] > 0, Compare(entry(first)(1, 1), ">", 0))
_down = Condition(r"X_{1,1}^{(0)}<0", lambda at: at[first][0] < 0)


def _outgrowing(rate: Real, start: Condition) -> Domain:
    return Domain((_sizes, Size(i, 3, 5), rate, Array(first)), (_inside, start))


first_token_tends_to_the_last_axis = Claim(
    id="wu2024.app-F3.eq-38",
    source=source("App. F.3", "Eq. (38)"),
    kind="identity",
    title="Every coordinate of the first token outgrows the one before it: the limit is $e_d$.",
    statement=_growing(1),
    printed=(
        r"\frac{X_{1,i}^{(t+1)}}{X_{1,i-1}^{(t+1)}} = \frac{wX_{1,i-1}^{(t)} + X_{1,i}^{(t)}}"
        r"{wX_{1,i-2}^{(t)} + X_{1,i-1}^{(t)}} = \frac{X_{1,1}^{(t+1)}}{X_{1,i-1}^{(t+1)}} "
        r"\frac{X_{1,i-1}^{(t)}}{X_{1,1}^{(t)}} \left(w + \frac{X_{1,i}^{(t)}}{X_{1,i-1}^{(t)}} "
        r"\right),\quad \lim_{t \rightarrow \infty} \frac{X_{1,i}^{(t)}}{X_{1,i-1}^{(t)}} = \infty"
    ),
    domain=_outgrowing(_rate, _up),
    hypotheses=(JORDAN, POSITIVE),
    uses=(coordinates_grow_slower_than_exponentially,),
    mutants=(
        Mutant("first coordinate negative", _growing(1), domain=_outgrowing(_rate, _down)),
        Mutant("w < 0", _growing(1), domain=_outgrowing(Real(w, high=0, open_high=True), _up)),
    ),
    understood=(
        Understood(
            "the quotients are defined: $X_{1,i-1}^{(t)}$ and $X_{1,i-1}^{(t+1)}$ are not zero",
            "$X_1 = (1, 0, 0)$, $t = 0$, $i = 3$: a quotient by zero",
        ),
    ),
    note=(
        "For $d\\ge3$. With rates: after a layer $T$ at which relative coordinates are positive, which there "
        "is, a quotient is at least $w(t-T-i+2)/(i-1)$. The limit of the unit vector is $e_d$ exactly when "
        "its last coordinate tends "
        "to one. For $w < 0$ the ratios tend to minus infinity."
    ),
)
