"""What is so almost surely, taken for what is so surely, of other matrices, or of random terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, Sum, Symbol, exp, floor, oo
from sympy.matrices.expressions import Identity
from wrong_certificates import Offer, bare, each, family, ge, i, j, k, le, m, n, t, x

from claims.almost_surely import AlmostSureLimit, AlmostSurely, RandomMatrices, SureLimit
from claims.domain import Array, Choice, Condition, Domain, Equal, Real, Size, UpTo
from claims.events import Events
from claims.expressions import explicit, ones
from claims.iid_tables import Gaussians, Tables
from claims.singular import singular_values
from claims.statement import Compare, Exists, ForAll, Formula, Predicate, Quantity, Tends
from claims.terms import Recursion, entry
from proofs import facts, kernel
from proofs.kernel import Theorem


def _means(at: Any, k: int, rows: int, columns: int) -> Any:
    return Integer(rows * columns) / k**2


M, OTHER = RandomMatrices("M", _means), RandomMatrices("M", _means)
a = M.entries(k, 1, 1)
b = M.entries(1, 1, 1)


def sure(formula: Formula, of: RandomMatrices = M) -> Theorem:
    return kernel.assume(AlmostSurely(of, formula))


@dataclass(frozen=True)
class _Outcome:
    """A variable of a domain that is an outcome."""

    symbol: Any


@family
def consequences_that_are_not_almost_sure() -> Any:
    """Something else is assumed of the outcome, or the conclusion is of another one."""
    small, smaller = le(b, 1), le(b, 0)
    moved = kernel.joint(le(b, 2), given=[small])
    other = le(OTHER.entries(1, 1, 1), 1)
    value = Quantity("q", lambda at: Integer(0))
    inside = AlmostSurely(OTHER, le(b, OTHER.entries(1, 1, 1)))
    unsaid = Predicate("so", lambda *_: True)
    about = Domain((Array(MatrixSymbol("X", 1, 1)),))
    loose = replace(about, variables=(*about.variables, _Outcome(M)))
    false: list[Offer] = [
        partial(kernel.surely, kernel.assume(small), moved),
        partial(kernel.surely, sure(smaller), kernel.assume(small)),
        partial(kernel.surely, sure(small), kernel.joint(le(b, 2), given=[small, smaller])),
        partial(kernel.surely, sure(small, OTHER), moved),
        partial(kernel.surely, sure(small), kernel.joint(le(b, value + 1), given=[small, ge(value, 0)])),
        partial(kernel.surely, sure(small), kernel.joint(le(b, 1) | other, given=[small])),
        partial(kernel.surely, sure(small), kernel.joint(small, given=[small, other])),
        partial(kernel.surely, sure(small), kernel.joint(small, given=[small, ForAll(j, 1, n, le(a, j))])),
        partial(kernel.surely, sure(small), kernel.joint(small, given=[small, inside])),
        partial(kernel.surely, sure(small), kernel.joint(small, given=[small, unsaid])),
        partial(kernel.surely, sure(small), kernel.both(moved, kernel.within(loose))),
        lambda: bare(kernel.joint(small, sure(small))),
        lambda: bare(kernel.joint(AlmostSurely(OTHER, small), sure(small))),
        lambda: bare(kernel.cut(moved, sure(small))),
    ]  # fmt: skip
    true = [
        lambda: kernel.surely(sure(small), moved).hypotheses == sure(small).hypotheses,
        lambda: (
            kernel.surely(sure(small), kernel.joint(le(b, x), moved, given=[le(2, x)])).hypotheses
            == {le(2, x), *sure(small).hypotheses}
        ),
        lambda: isinstance(
            kernel.surely(sure(small), kernel.both(moved, kernel.within(about))), Theorem
        ),
    ]
    return iter(false), iter(true)


@family
def random_terms_inside() -> Any:
    """Of every number x almost surely M is not x; of M that is not so."""
    apart = sure(Compare(b, "!=", x))
    whole, count = sure(Compare(b, "!=", m)), floor(b)
    every = kernel.assume(ForAll(j, 1, oo, AlmostSurely(M, Compare(a, "!=", j))))
    some = Exists(j, 1, oo, AlmostSurely(M, Compare(b, "=", j)))
    value = Quantity("q", lambda at: Integer(0))
    false: list[Offer] = [
        partial(kernel.substitute, apart, {x: b}), partial(kernel.substitute, apart, {x: exp(b) - 1}),
        partial(kernel.substitute, apart, {x: OTHER.entries(1, 1, 1)}),
        partial(kernel.substitute, apart, {x: value}), partial(kernel.substitute, whole, {m: count}),
        partial(kernel.instance, every, count), partial(kernel.instance, every, count + 1),
        partial(kernel.exists, sure(Compare(b, "=", count)), some, count),
        partial(kernel.substitute, kernel.discharge(apart, apart.formula), {x: b}),
    ]  # fmt: skip
    return iter(false), iter(
        [
            lambda: (
                kernel.substitute(apart, {x: 2 * x}).formula
                == AlmostSurely(M, Compare(b, "!=", 2 * x))
            )
        ]
    )


# Limits -------------------------------------------------------------------------------------------

ONE, ALONE = (MatrixSymbol(name, n, n) for name in "ZY")
SIZES, ANY = Size(n, 1), Array(ONE)
HERE, ONES = kernel.within(Domain((SIZES,))), ones(n, n)


def limit_of(
    *variables: Any, conditions: tuple[Condition, ...] = (), **more: Any
) -> AlmostSureLimit:
    """The limit of the matrices themselves, every entry of which tends to one."""
    made: dict[str, Any] = {
        "entry_name": "Z_{{{}{}}}", "of": M, "function": lambda z: z, "one": ONE,
        "anywhere": Domain(variables or (SIZES, ANY), conditions), "row": ((i, n),), "column": ((j, n),),
    }  # fmt: skip
    define = more.pop("define_at", lambda at: explicit(ONES, at))
    return AlmostSureLimit("Z", define, **{**made, **more})


def found(
    limit: AlmostSureLimit, value: Any = ONES, *, end: Any = 1, of: RandomMatrices = M,
    term: Callable[..., Any] = M.entries, high: Any = n, wrap: Callable[..., Formula] = AlmostSurely,
    given: tuple[Formula, ...] = (), somewhere: bool = True,
) -> Theorem:  # fmt: skip
    """That the limit has a value, if almost surely every entry up to `high` tends to `end`."""
    every = ForAll(i, 1, n, ForAll(j, 1, high, Tends(term(k, i, j), k, end)))
    alone = kernel.assume(wrap(of, every))
    known = kernel.part(kernel.both(alone, HERE), 0) if somewhere else alone
    return kernel.sure_limit(limit, value, defined(limit, given), known)


def defined(limit: AlmostSureLimit, given: tuple[Formula, ...]) -> Theorem:
    """What an entry of any matrix is, by unfolding."""
    places = limit.entry_of(i, j)
    found = kernel.unfold(places, entry(ONE)(i, j), limit.anywhere, limit.indices)
    return kernel.joint(found.formula, found, given=given) if given else found


def of_the_diagonal() -> Theorem:
    """The identity, from entries on the diagonal alone."""
    limit = limit_of(column=((i, n),), define_at=lambda at: explicit(Identity(n), at))
    every = ForAll(i, 1, n, ForAll(i, 1, n, Tends(M.entries(k, i, i), k, 1)))
    known = kernel.part(kernel.both(kernel.assume(AlmostSurely(M, every)), HERE), 0)
    own = kernel.unfold(limit.entry_of(i, i), entry(ONE)(i, i), limit.anywhere, limit.indices)
    return kernel.sure_limit(limit, Identity(n), own, known)


class _Even(Size):
    """Even sizes alone."""

    def objection(self, value: Any, point: Any) -> str | None:
        return "must be even" if value % 2 else super().objection(value, point)

    def of_weight(self, weight: int, point: Any) -> Any:
        return iter([Integer(self.low + weight)] if weight % 2 == 0 else [])


@family
def limits_that_are_not_almost_sure() -> Any:
    """Another value, other matrices or sizes, fewer entries, one for all, or a matrix that more is asked of."""
    limit = limit_of()
    above = Condition("Z_{11}\\ge0", lambda at: at[ONE][0, 0] >= 0)
    half = limit_of(define_at=lambda at: explicit(ONES / 2, at))
    false: list[Offer] = [
        partial(found, limit, ONES / 2), partial(found, limit, Identity(n)), partial(found, limit, ONE),
        partial(found, limit, ONES / 2, end=Rational(1, 2)),  # the definition denies it
        partial(found, limit, somewhere=False),  # at no point it is compared with it
        partial(found, half), partial(found, limit_of(function=lambda z: 2 * z)),  # defined otherwise
        partial(found, limit, of=OTHER), partial(found, limit, term=OTHER.entries),
        partial(found, limit, high=n - 1), partial(found, limit, high=1),
        partial(found, limit, term=lambda at, *_: M.entries(at, 1, 1)),
        partial(found, limit, term=lambda at, p, q: M.entries(at, q, p)),
        partial(found, limit, term=lambda at, p, q: M.entries(1, p, q)),
        partial(found, limit, wrap=lambda of, every: every),
        partial(found, limit, wrap=lambda of, every: ~AlmostSurely(of, every)),
        partial(found, limit, b * ONES, end=b), partial(found, limit, i * ONES, end=i),
        partial(found, limit, given=(ge(entry(ONE)(1, 1), 0),)), partial(found, limit, given=(ge(n, 2),)),
        partial(found, limit_of(SIZES, ANY, Real(x))), partial(found, limit_of(SIZES, ANY, Array(ALONE))),
        partial(found, limit_of(SIZES, Equal(ONE))),
        partial(found, limit_of(conditions=(above,))), partial(found, limit, ones(n, m)),
        partial(kernel.sure_limit, limit, ONES, kernel.assume(Compare(limit.entry_of(i, j), "=", 1)), HERE),
        lambda: le(n, m) not in found(limit_of(Size(m, 1), UpTo(n, 1, last=m), ANY)).hypotheses,
        of_the_diagonal,
        lambda: found(limit_of(_Even(n, 2), ANY)),
    ]  # fmt: skip
    return iter(false), iter([lambda: found(limit).formula == Compare(limit, "=", ONES)])


@family
def means_that_are_not_summable() -> Any:
    """The premise of Beppo Levi's theorem is for every number of terms, and stays where nothing shows it."""
    last = Symbol("N", integer=True, positive=True)
    mean = M.mean_square(k + 1, n, n)
    squares = M.mean_square(k, n, n)
    vanish = partial(kernel.fact, facts.BEPPO_LEVI, mean=squares, k=k, last=last)
    ten = kernel.assume(ForAll(last, 1, 10, le(squares, 1)))
    false: list[Offer] = [
        lambda: bare(vanish(bound=Integer(2))), lambda: bare(kernel.cut(vanish(bound=Integer(2)), ten)),
        lambda: bare(kernel.cut(vanish(bound=Integer(2)), kernel.assume(le(squares, 0)))),
        partial(vanish, bound=k), partial(vanish, bound=last),
        partial(kernel.fact, facts.BEPPO_LEVI, mean=mean, k=k, last=last, bound=Integer(2)),
        partial(kernel.generalise, vanish(bound=Integer(2)), n, 1, oo),
    ]  # fmt: skip
    true = each(lambda bound: isinstance(vanish(bound=bound), Theorem), Integer(2), x)
    return iter(false), true


EVENTS = Events(Symbol("alpha", integer=True, positive=True), Symbol("c", integer=True))
FINITE, NEVER = Compare(EVENTS.inverse_total, ">", 0), Compare(EVENTS.often, "=", 0)


@family
def events_that_need_not_end() -> Any:
    """Tails are small where the sum is finite; and not one tail, but one for every bound."""
    last, first = (Symbol(name, integer=True, positive=True) for name in ("N", "r"))
    often, series = EVENTS.often, {"chance": EVENTS.chance(k), "k": k, "last": last}
    small = partial(kernel.fact, facts.CAUCHY, **series, first=first)
    below = partial(kernel.fact, facts.BOOLE, **series)
    half = kernel.joint(NEVER, below(first=m, bound=often / 2))

    def never(given: tuple[Formula, ...] = (FINITE,), share: Any = often / 2) -> bool:
        """Whether infinitely many never occur, with no other hypothesis than those."""
        chosen = kernel.choose(small(epsilon=share), m, half)
        found = kernel.joint(NEVER, kernel.discharge(chosen, Compare(share, ">", 0)))
        return found.hypotheses <= {*given}

    false: list[Offer] = [
        partial(never, ()), partial(never, share=often), partial(never, share=Integer(1)),
        lambda: bare(half), lambda: bare(kernel.joint(NEVER, below(first=m, bound=often))),
        lambda: bare(below(first=m, bound=Integer(0))), partial(small, epsilon=first),
        partial(below, first=last, bound=often), partial(below, first=m, bound=last),
        partial(kernel.choose, small(epsilon=often), m, below(first=m + 1, bound=often)),
    ]  # fmt: skip
    return iter(false), iter([never])


# Limits of numbers --------------------------------------------------------------------------------

TWICE = singular_values("s_{{{}}}", lambda i, k: OTHER.entries(1, i, k))
of_layer = singular_values("s_{{{}}}", lambda row, column, at: M.entries(at, row, column))
GROWN = Recursion("g", lambda: b, lambda t, before: before() + M.entries(t + 1, 1, 1))
ELSEWHERE = Recursion("g", lambda: b, lambda t, before: before() + OTHER.entries(t + 1, 1, 1))
VALUE = Quantity("q", lambda at: Integer(1))
VALUED = Recursion("g", lambda: Integer(0), lambda t, before: before() + VALUE)


@family
def other_outcomes_inside() -> Any:
    """Singular values and recursions are random where an entry, or a quantity, in them may be."""
    small = le(b, 1)

    def drawn(term: Any) -> Theorem:
        return kernel.surely(sure(small), kernel.joint(le(b, 1) | le(term, 1), given=[small]))

    false: list[Offer] = [
        partial(drawn, TWICE(1, n, n)), partial(drawn, ELSEWHERE(m)), partial(drawn, VALUED(m)),
        partial(drawn, singular_values("s_{{{}}}", lambda i, k: a + VALUE)(1, n, n)),
        partial(kernel.substitute, sure(Compare(b, "!=", x)), {x: of_layer(1, n, n, k)}),
        partial(kernel.substitute, sure(Compare(b, "!=", x)), {x: GROWN(m)}),
    ]  # fmt: skip
    true = [partial(drawn, of_layer(1, n, n, k)), partial(drawn, GROWN(m)), partial(drawn, x)]
    return iter(false), iter([lambda offer=offer: isinstance(offer(), Theorem) for offer in true])


@family
def several_that_are_not_all_sure() -> Any:
    """Statements about different matrices, or one that is not almost sure, make no conjunction."""
    small, large = le(b, 2), ge(b, 1)
    joined = kernel.assume(small & large)
    square = kernel.joint(le(b**2, 4), joined)

    def together(*sures: Theorem) -> Theorem:
        return kernel.surely(kernel.both(*sures), square)

    false: list[Offer] = [
        partial(together, sure(small), sure(large, OTHER)),
        partial(together, sure(small), kernel.assume(large)), partial(together, sure(small)),
        partial(together, sure(small), sure(small)), partial(together, sure(large), sure(ge(b, 0))),
    ]  # fmt: skip
    return iter(false), iter(
        [lambda: together(sure(small), sure(large)).formula == AlmostSurely(M, le(b**2, 4))]
    )


def number(
    value: Any = 1, *, end: Any = 1, of: RandomMatrices = M, term: Any = a, defined: Any = 1,
    upper: bool = False, below: Any = None, first: Any = 1, domain: Any = HERE, tends: bool = True,
    wrap: Callable[..., Formula] = AlmostSurely,
) -> Theorem:  # fmt: skip
    """That a limit, or an upper one, is `value`, where `term` tends to `end` or is below what does."""
    limit = SureLimit("L", lambda at: Integer(defined), of=M, term=a, index=k, upper=upper)
    known: Formula = Tends(term, k, end)
    if below is not None:
        known = ForAll(k, first, oo, le(term, below)) & Tends(below if tends else term, k, end)
    return kernel.sure_limit(limit, Integer(value), domain, kernel.assume(wrap(of, known)))


@family
def limits_of_numbers_that_are_not() -> Any:
    """Another value, other matrices or terms, no domain, a definition that denies it, half of a bound."""
    upper = partial(number, upper=True, below=M.entries(k, 2, 2))
    false: list[Offer] = [
        partial(number, 2), partial(number, of=OTHER), partial(number, term=b), partial(number, term=2 * a),
        partial(number, end=2), partial(number, defined=2), partial(number, 2, end=2),
        partial(number, domain=kernel.assume(ge(n, 1))),
        partial(number, wrap=lambda of, every: every), partial(number, upper=True),
        partial(number, wrap=lambda of, every: ~AlmostSurely(of, every)),
        partial(number, below=M.entries(k, 2, 2)), partial(upper, 0), partial(upper, end=2),
        partial(upper, first=2), partial(upper, term=b), partial(upper, tends=False),
        partial(upper, defined=2), partial(upper, of=OTHER),
        partial(SureLimit, "L", lambda at: 1, of=M, term=OTHER.entries(k, 1, 1), index=k),
        partial(SureLimit, "L", lambda at: 1, of=M, term=a + VALUE, index=k),
        partial(SureLimit, "L", lambda at: 1, of=M, term=b, index=k),
    ]  # fmt: skip
    true = [lambda: number().formula.sign == "=", lambda: upper().formula.sign == "<="]
    return iter(false), iter(true)


def of_each(domain: Domain, many: bool = True) -> Theorem:
    """The limit of q times what tends to one is one, if q is; and so it is for no other q, if any is in it."""
    term = m * a if many else a
    tends = Tends(a, k, Integer(1))
    same = kernel.joint(Compare(term, "=", a), given=(Compare(m, "=", 1),) if many else ())
    every = kernel.generalise(same, k, 1, oo)
    scaled = kernel.limit_rewritten(kernel.assume(tends), every)
    limit = SureLimit("L", lambda at: Integer(1), of=M, term=term, index=k)
    found = kernel.sure_limit(
        limit, Integer(1), kernel.within(domain), kernel.surely(sure(tends), scaled)
    )
    some = Exists(m, 1, oo, Compare(m, "=", 1))
    shown = kernel.exists(kernel.compute(Compare(Integer(1), "=", 1)), some, Integer(1))
    return kernel.choose(shown, m, found)


@family
def limits_that_depend_on_what_does_not_show() -> Any:
    """Of a number that no domain has, one value might be chosen for all of them."""
    other, own = Domain((Size(n, 1),)), Domain((Size(m, 1),))
    return iter([partial(of_each, other), partial(of_each, own)]), iter(
        [partial(of_each, other, many=False)]
    )


def supposed(rule: Callable[..., Theorem], of_it: bool = True) -> Theorem:
    """A limit, of matrices that may be any, is what its definition says, or a quantity is the limit."""
    limit = SureLimit("L", lambda at: Integer(1), of=M, term=a, index=k)
    own = Quantity("q", lambda at: Integer(1))
    return rule(limit, Integer(1), SIZED) if of_it else rule(own, limit, SIZED)


SIZED = Domain((SIZES,))


@family
def limits_that_are_supposed() -> Any:
    """No definition gives a limit at a point: what stands in its place is what is to be shown."""
    rules = partial(kernel.derived, calculus="supposed"), kernel.unfold
    matrices = partial(kernel.derived, limit_of(), ONES, SIZED, "supposed")
    false = [
        *(partial(supposed, rule, of_it) for rule in rules for of_it in (True, False)),
        matrices,
    ]
    own = Quantity("q", lambda at: Integer(1))
    return iter(false), each(lambda rule: rule(own, Integer(1), SIZED), *rules)


# Tables -------------------------------------------------------------------------------------------

FOURTH = Quantity(r"\mathbb E\,Z^4", lambda at: Integer(24))
TABLES = Tables("Z", Integer(1), Integer(1), FOURTH)
W = TABLES.weights
PLACED: Any = {"row": i, "column": j, "size": n, "layer": m}


def rows_of(tables: Tables) -> Theorem:
    """What is so almost surely of sums of rows."""
    return kernel.fact(facts.ROW_SUMS, entry=tables.entries(m, i, j), **PLACED)


def noise_of(tables: Tables) -> Theorem:
    """The largest singular value of a table less its mean."""
    noise = singular_values("s_{{{}}}", lambda i, k, at: tables.entries(at, i, k) - tables.mean)
    return kernel.fact(facts.SOFT_EDGE, values=noise(1, n, n, m), size=n, layer=m)


class Lawless(Tables):
    """Of which no law is asked for."""

    lawful = ()  # type: ignore[assignment]


class Wider(RandomMatrices):
    """Which have a row more where their norm is asked for."""

    def norm(self, k: Any, rows: Any, columns: Any) -> Any:
        return super().norm(k, rows + 1, columns)


def vanishing(matrices: RandomMatrices) -> Theorem:
    """The first row of these vanishes almost surely."""
    last = Symbol("N", integer=True, positive=True)
    square = matrices.mean_square(k, 1, 1)
    return kernel.fact(facts.BEPPO_LEVI, mean=square, k=k, last=last, bound=Integer(0))


def changed(name: str, value: Any) -> Theorem:
    """A table of which something else is said afterwards."""
    tables = Tables("Z", Integer(1), Integer(1), FOURTH)
    rows_of(tables)
    setattr(tables, name, value)
    return rows_of(tables)


@family
def tables_of_another_kind() -> Any:
    """Without a fourth moment there is no edge; a norm is that of the rows whose squares were summed."""
    heavy = Integer(1), Integer(1), oo
    false: list[Offer] = [
        lambda: bare(noise_of(Lawless("Z", *heavy))), lambda: bare(rows_of(Lawless("Z", *heavy))),
        partial(vanishing, Wider("M", lambda at, k, rows, columns: Integer(rows - 1))),
        *each(changed, ("mean", Integer(5)), ("deviation", Integer(5)), ("fourth", Integer(5))),
        partial(setattr, M, "entries", OTHER.entries), partial(setattr, M, "mean_square", OTHER.mean_square),
    ]  # fmt: skip
    true = [
        lambda: TABLES.light in noise_of(TABLES).hypotheses, lambda: isinstance(rows_of(TABLES), Theorem),
        lambda: len(vanishing(M).hypotheses) == 1,
    ]  # fmt: skip
    return iter(false), iter(true)


def long(row: Any) -> Theorem:
    """A row through Gaussian matrices has the length that is expected."""
    inner = Symbol("z", integer=True)
    product = Recursion(
        "V", lambda size, row, side: W(1, size, row, side),
        lambda t, size, row, side, before: Sum(
            before(size, row, inner) * W(t + 2, size, inner, side), (inner, 1, size)
        ),
    )  # fmt: skip
    places = {"i": i, "k": k, "size": n, "count": t}
    return kernel.fact(facts.GAUSSIAN_LENGTH, row=row, product=product(t, n, i, k), **places)


def one_weight(variable: Any) -> Theorem:
    """A weight that is nothing at every point of a domain, and so almost surely, as is shown."""
    none = ImmutableDenseMatrix([[0]])
    domain = Domain((Choice(variable, (((none,) * 2,) * 2,)),), (Condition.of(TABLES.light),))
    shown = kernel.unfold(entry(variable)(1, 1, 1, 1), Integer(0), domain)
    known = rows_of(TABLES)
    signs = [kernel.compute(Compare(Integer(1), sign, 0)) for sign in (">", ">=")]
    return kernel.surely(kernel.cut(known, *signs), shown)


@family
def weights_that_are_not_drawn_apart() -> Any:
    """A column of the first weights is twice as long behind them; and what a point gives is not drawn."""
    other = entry(Gaussians("W", TABLES))
    within = Recursion("w", lambda at: other(1, 1, 1, at), lambda t, at, before: before(at))
    values = singular_values("s_{{{}}}", lambda row, column, at: other(1, at, row, column))
    false = [
        *each(long, other(1, n, i, 1), within(2, i), values(1, n, n, n), W(1, n, i, 1)),
        partial(one_weight, W.variable), partial(one_weight, other.variable),
    ]  # fmt: skip
    true = [
        *(partial(long, row) for row in (TABLES.entries(2, 1, i), Integer(1), x)),
        partial(one_weight, MatrixSymbol("Y", 1, 1)),
    ]
    return iter(false), iter([lambda offer=offer: isinstance(offer(), Theorem) for offer in true])
