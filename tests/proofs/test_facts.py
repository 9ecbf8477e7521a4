"""Every fact of proofs/facts.py at random instances: never false, and each premise is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from random import Random
from typing import Any

import growing
import pytest
import ranking
import spectra
from happening import (
    EVENTS,
    Indicators,
    all_sums_below,
    almost_surely,
    alpha,
    coupling,
    first,
    indicators,
    last,
    small_tails,
    some_tail_below,
    tails,
)
from instances import Point, Terms, k, sixths
from mpmath import mpf, workdps
from ranking import reflection
from sharing import COINS, IID, LAW, LENGTHS, POWERS, Pareto, moments_of_shares, settles
from sympy import (
    Expr,
    I,
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Piecewise,
    Rational,
    Symbol,
    lambdify,
    oo,
    sqrt,
)

from claims.almost_surely import AlmostSurely
from claims.iid_shares import Gamma
from claims.singular import least_singular_value
from claims.statement import Compare, Exists, ForAll, Formula, Tends
from claims.terms import entry, family, value_of
from proofs import facts
from proofs.facts import FACTS, Fact

j = Symbol("j", integer=True)
INSTANCES = 60
Sampler = Callable[[Random], Iterator[tuple[Terms, Point]]]
"""Instances of a fact without end: terms to put in, and a point at which to look."""


def among(*values: Any) -> tuple[Any, ...]:
    return tuple(map(Rational, values))


def edges_first(names: str, values: tuple[Any, ...], rng: Random) -> Iterator[tuple[Terms, Point]]:
    """Every combination of the edge values, then random rationals; premises may hold or not."""
    for chosen in product(values, repeat=len(names)):
        yield dict(zip(names, chosen, strict=True)), {}
    while True:
        yield {name: sixths(rng) for name in names}, {}


EDGES = among(-1, 0, "1/3", 1, 2)


def reals(names: str, values: tuple[Any, ...] = EDGES) -> Sampler:
    return lambda rng: edges_first(names, values, rng)


def array(values: list[Any], index: Any = k) -> Expr:
    """A sequence with these values from one on, as a term in the index."""
    return Piecewise(*((v, (index >= place) & (index <= place)) for place, v in enumerate(values, 1)),
                     (0, True))  # fmt: skip


def vectors(rng: Random, count: int) -> Iterator[list[list[Any]]]:
    """Vectors of one length: of length one, all zero, parallel, opposite, then random ones."""
    for length in (1, 2, 3):
        yield [[Integer(0)] * length for _ in range(count)]
        yield [[Integer(1)] * length for _ in range(count)]
        base = [sixths(rng) for _ in range(length)]
        yield [[factor * x for x in base] for factor in range(1, count + 1)]
        yield [[(-1) ** place * x for x in base] for place in range(count)]
    while True:
        length = rng.randint(1, 5)
        yield [[sixths(rng) for _ in range(length)] for _ in range(count)]


def two_vectors(rng: Random) -> Iterator[tuple[Terms, Point]]:
    for a, b in vectors(rng, 2):
        over: Terms = {"k": k, "low": Integer(1), "high": Integer(len(a))}
        yield {"a": array(a), "b": array(b), **over}, {}


def weights_and_values(rng: Random) -> Iterator[tuple[Terms, Point]]:
    """Weights that sum to one or do not, with zeros, negative ones and single ones."""
    for raw, values in vectors(rng, 2):
        over: Terms = {"k": k, "low": Integer(1), "high": Integer(len(values))}
        signed = rng.random() < 0.3
        parts = raw if signed else [abs(x) for x in raw]
        if len(parts) > 1 and rng.random() < 0.3:
            parts = [Integer(0), *parts[1:]]
        total = sum(parts)
        if total != 0 and rng.random() < 0.8:
            parts = [x / total for x in parts]
        yield {"w": array(parts), "x": array(values), **over}, {}


def matrices(rng: Random) -> Iterator[tuple[Terms, Point]]:
    while True:
        rows, columns, first = rng.randint(0, 4), rng.randint(0, 4), rng.randint(-1, 1)
        p, q, r = (sixths(rng) for _ in range(3))
        term = p * j**2 * k + q * j + r * k**2 + Piecewise((p, j > k), (q, True))
        ends = {"rows": rows, "columns": columns, "first": first}
        yield {"a": term, "j": j, "k": k, **{name: Integer(end) for name, end in ends.items()}}, {}


TOKENS, WEIGHTS = MatrixSymbol("M", 4, 4), MatrixSymbol("x", 4, 1)
SIGMA = least_singular_value(r"\\sigma", TOKENS)


def rows_and_weights(rng: Random) -> Iterator[tuple[Terms, Point]]:
    """Square, wide and tall blocks with integers for singular values, also zero, and weights."""
    while True:
        rows, columns = rng.randint(1, 3), rng.randint(1, 3)
        spectrum = [rng.randint(0, 3) for _ in range(rows)]
        middle = ImmutableDenseMatrix(rows, columns, lambda a, b: spectrum[a] * (a == b))  # noqa: B023
        block = reflection(rng, rows) * middle * reflection(rng, columns)
        weights = ImmutableDenseMatrix([sixths(rng) for _ in range(rows)])
        point = {TOKENS: block, WEIGHTS: weights}
        yield {"sigma": SIGMA(rows, columns), "x": entry(WEIGHTS)(j, 1), "j": j}, point


def deltas(rng: Random) -> Iterator[tuple[Terms, Point]]:
    place = Symbol("place", integer=True)
    while True:
        a, b = (Integer(rng.randint(-2, 2)) for _ in range(2))
        yield {"a": a, "b": b, "term": sixths(rng) * place**2 + sixths(rng), "place": place}, {}


def sums_of_deltas(rng: Random) -> Iterator[tuple[Terms, Point]]:
    while True:
        low = Integer(rng.randint(-3, 3))
        high = low + rng.choice((0, 0, 1, 4))
        place = Integer(rng.randint(int(low) - 1, int(high) + 1))
        yield {"place": place, "k": k, "low": low, "high": high}, {}


def geometric(rng: Random) -> Iterator[tuple[Terms, Point]]:
    for q in among(0, 1, -1, "-1/2", "3/2", "999/1000"):
        yield {"q": q, "k": k}, {}
    while True:
        yield {"q": Rational(rng.randint(-20, 120), 100), "k": k}, {}


def gamma_tails(rng: Random) -> Iterator[tuple[Terms, Point]]:
    """Shapes that are halves of integers, where a tail is a sum of exponentials; all three in and out."""
    shapes, places, rates = among("-1/2", "1/2", 1, 3), among(-4, 0, "1/2", 4), among("1/2", 1, 2)
    for shape, place, rate in product(shapes, places, rates):
        yield {"k": shape, "z": place, "y": rate}, {}
    while True:
        shape = Rational(rng.randint(1, 24), 2)
        yield {"k": shape, "z": sixths(rng, 0, 20), "y": sixths(rng, 1, 5)}, {}


def gaussian_norms(rng: Random) -> Iterator[tuple[Terms, Point]]:
    """Vectors, and two rows and two columns; thresholds at, above and below the roots of the sizes."""
    shapes = [(1, 1), (1, 2), (3, 1), (1, 6), (2, 2)]
    while True:
        rows, columns = map(Integer, rng.choice(shapes))
        t, more = sixths(rng, -3, 3), sixths(rng, -5, 1)
        yield (
            {"rows": rows, "columns": columns, "t": t, "a": sqrt(rows) + sqrt(columns) + t + more},
            {},
        )


SAMPLERS: dict[str, Sampler] = {
    facts.BOOLE.name: tails,
    facts.CAUCHY.name: small_tails,
    facts.BEPPO_LEVI.name: indicators,
    facts.EXP_INCREASES.name: reals("ab"),
    facts.EXP_STRICTLY_INCREASES.name: reals("ab"),
    facts.EXP_ABOVE_TANGENT.name: reals("x"),
    facts.LOG_BELOW_TANGENT.name: reals("x"),
    facts.LOG_INCREASES.name: reals("ab"),
    facts.POWER_INCREASES.name: reals("abp"),
    facts.POWER_FALLS.name: reals("apq"),
    facts.BERNOULLI.name: reals("xp", among(-3, -2, -1, "-1/2", 0, "1/2", 1, 2, 3)),
    facts.GEOMETRIC.name: geometric,
    facts.CAUCHY_SCHWARZ.name: two_vectors,
    facts.RAYLEIGH.name: rows_and_weights,
    facts.FUBINI.name: matrices,
    facts.JENSEN.name: weights_and_values,
    facts.DELTA.name: deltas,
    facts.DELTA_SUM.name: sums_of_deltas,
    facts.ARCCOS.name: reals("c", among(-2, -1, "-1/2", 0, "1/3", 1, 2)),
    facts.CHERNOFF.name: gamma_tails,
    facts.DAVIDSON_SZAREK.name: gaussian_norms,
    facts.HANKEL.name: reals("x", among(-1, 0, "1/50", "1/8", 1, 7, 40)),
    facts.SHARES.name: moments_of_shares,
    facts.INTEGER_PART.name: reals("x", among(-2, "-3/2", 0, "1/3", 2)),
    **growing.SAMPLERS,
    **ranking.SAMPLERS,
    **spectra.SAMPLERS,
}
"""Each fact's name with where its instances come from; a fact that is not here fails below."""

NEVER_ALONE = {
    # log(a) is not real for a < 0, so that nothing is asserted there; at a = 0 it is -oo, which
    # is below everything.
    (facts.LOG_INCREASES.name, 0),
    # As above: log(x) has no real value for x < 0, and at 0 the left side is -oo.
    (facts.LOG_BELOW_TANGENT.name, 0),
    # The arc cosine is not real outside [-1, 1].
    (facts.ARCCOS.name, 0),
    (facts.ARCCOS.name, 1),
    # K_0 is not real below zero, and infinite there.
    (facts.HANKEL.name, 0),
    # Variables that are not negative have mean zero only if all are zero: the limit is 0/0.
    (facts.SHARES.name, 0),
    # Without the moment both sides are infinite, which a theorem about real numbers may not say.
    (facts.SHARES.name, 1),
    *spectra.NEVER_ALONE,
}
"""Premises without which no instance is false, each with the reason."""


def truth(formula: Formula, point: Point) -> bool | None:
    """Whether a formula holds exactly; a limit is followed, in sixty digits, where SymPy has none."""
    if isinstance(formula, Tends):
        return tends(formula, point)
    if isinstance(formula, AlmostSurely):
        drawn = formula.matrices in spectra.DRAWN
        return spectra.settled_surely(formula) if drawn else almost_surely(formula)
    if isinstance(formula, ForAll) and isinstance(formula.body, Compare) and formula.high is oo:
        return all_sums_below(formula, point)
    if isinstance(formula, Exists) and isinstance(formula.body, ForAll):
        return some_tail_below(formula.body, point)
    return formula.truth(point)


def tends(formula: Tends, point: Point) -> bool:
    """Whether a sequence comes and stays close to its limit, far out."""
    if LAW in point:
        return settles(formula, point)
    with workdps(60):
        f = lambdify([formula.index], formula.term.subs(point), "mpmath")
        target = mpf(1) * lambdify([], formula.limit.subs(point), "mpmath")()
        return all(abs(f(mpf(n)) - target) < mpf(10) ** -8 for n in (10**5, 10**5 + 1, 10**6 + 7))


def instances(fact: Fact) -> Iterator[tuple[tuple[Formula, ...], Formula, Point]]:
    for terms, point in SAMPLERS[fact.name](Random(fact.name)):
        yield *fact.instance(**terms), point


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.name)
def test_never_false_where_its_premises_hold(fact: Fact) -> None:
    assert fact.name in SAMPLERS, f"{fact.name}: give it a sampler"
    met = held = 0
    for _, (premises, conclusion, point) in zip(range(4000), instances(fact), strict=False):
        if all(truth(p, point) is True for p in premises):
            met += 1
            found = truth(conclusion, point)
            assert found is not False, (fact.name, conclusion.latex())
            held += found is True
            if met >= INSTANCES and held >= INSTANCES // 2:
                break
    assert met >= INSTANCES, "too few instances satisfy the premises"
    assert held >= INSTANCES // 2, "hardly any instance was decided"


def premises_of(fact: Fact) -> list[tuple[Fact, int]]:
    terms, _ = next(SAMPLERS[fact.name](Random(0)))
    return [(fact, place) for place in range(len(fact.instance(**terms)[0]))]


PREMISES = [pair for fact in FACTS for pair in premises_of(fact)]


@pytest.mark.parametrize(("fact", "place"), PREMISES, ids=lambda x: getattr(x, "name", str(x)))
def test_each_premise_is_needed(fact: Fact, place: int) -> None:
    """An instance with every premise but this one at which the conclusion fails."""
    failed = False
    for _, (premises, conclusion, point) in zip(range(3000), instances(fact), strict=False):
        others = (*premises[:place], *premises[place + 1 :])
        if all(truth(p, point) is True for p in others) and truth(conclusion, point) is False:
            assert truth(premises[place], point) is not True
            failed = True
            break
    assert failed != ((fact.name, place) in NEVER_ALONE)


def test_facts_without_premises_assert_only_what_always_holds() -> None:
    """Which facts have none, so that a premise cannot vanish unnoticed."""
    bare = {fact.name for fact in FACTS} - {fact.name for fact, _ in PREMISES}
    named = (facts.EXP_ABOVE_TANGENT, facts.CAUCHY_SCHWARZ, facts.FUBINI,
             facts.RAYLEIGH, facts.DELTA, facts.INTEGER_PART, *spectra.BARE)  # fmt: skip
    assert bare == {fact.name for fact in named}


def test_facts_are_few_named_once_and_have_references() -> None:
    """Twenty-five, and twelve about matrices."""
    assert 0 < len(FACTS) <= 37
    assert len({fact.name for fact in FACTS}) == len(FACTS)
    assert all(fact.reference.strip() and callable(fact.schema) for fact in FACTS)
    assert set(SAMPLERS) == {fact.name for fact in FACTS}


x = Symbol("x", real=True)
n = Symbol("n", integer=True, positive=True)
MEAN = Indicators(Rational(1), 2, False).mean_square
SERIES = {"chance": EVENTS.chance(k), "k": k, "last": last}
OTHERS = family("p_{}", lambda at, i: Integer(1))
OTHERS.events = EVENTS
BEYOND: list[tuple[Fact, Terms]] = [
    (facts.GEOMETRIC, {"q": 1 - 1 / k, "k": k}),
    (facts.FUBINI, {"a": j * k, "j": j, "k": k, "rows": k, "columns": n}),
    (facts.FUBINI, {"a": j * k, "j": j, "k": k, "rows": n, "columns": j}),
    (facts.FUBINI, {"a": j * k, "j": j, "k": k, "rows": n, "columns": n, "first": j}),
    (facts.FUBINI, {"a": j * k, "j": j, "k": k, "rows": oo, "columns": oo}),
    (facts.CAUCHY_SCHWARZ, {"a": I, "b": k, "k": k, "low": 1, "high": 2}),
    (facts.CAUCHY_SCHWARZ, {"a": sqrt(x), "b": k, "k": k, "low": 1, "high": 2}),
    (facts.CAUCHY_SCHWARZ, {"a": 1 / k, "b": k, "k": k, "low": 1, "high": oo}),
    (facts.RAYLEIGH, {"sigma": entry(TOKENS)(1, 1), "x": k, "j": k}),
    (facts.RAYLEIGH, {"sigma": SIGMA(n, n), "x": sqrt(x), "j": k}),
    (facts.RAYLEIGH, {"sigma": SIGMA(k, n), "x": k, "j": k}),
    (facts.RAYLEIGH, {"sigma": SIGMA(n, oo), "x": k, "j": k}),
    (facts.SHARES, {"share": entry(TOKENS)(k, 1), "k": k, "order": 4}),
    (facts.SHARES, {"share": 2 * IID.shares(2)(k), "k": k, "order": 4}),
    (facts.SHARES, {"share": IID.shares(2)(k) ** 2, "k": k, "order": 4}),
    (facts.SHARES, {"share": IID.moment(2), "k": k, "order": 4}),
    (facts.SHARES, {"share": IID.shares(2)(n), "k": k, "order": 4}),
    (facts.SHARES, {"share": IID.shares(2)(k**2), "k": k, "order": 4}),
    (facts.SHARES, {"share": IID.shares(2)(k + 1), "k": k, "order": 4}),
    (facts.SHARES, {"share": IID.shares(2)(k * j), "k": k, "order": 4}),
    (facts.SHARES, {"share": IID.shares(2)(-k), "k": k, "order": 4}),
    (facts.SHARES, {"share": IID.shares(2)(k / 2), "k": k, "order": 4}),
    (facts.SHARES, {"share": IID.shares(2)(2), "k": Integer(2), "order": 4}),
    (facts.SHARES, {"share": IID.shares(2)(x), "k": x, "order": 4}),
    (facts.SHARES, {"share": IID.shares(3, 1)(k), "k": k, "order": 2}),
    (facts.SHARES, {"share": IID.shares(2)(k), "k": k, "order": n}),
    (facts.SHARES, {"share": IID.shares(2)(k), "k": k, "order": Rational(5, 2)}),
    (facts.JENSEN, {"w": Rational(1, 2), "x": sqrt(x) * k, "k": k, "low": 1, "high": 2}),
    (facts.JENSEN, {"w": Rational(1, 2), "x": k, "k": k, "low": 1, "high": oo}),
    (facts.DAVIDSON_SZAREK, {"rows": x, "columns": n, "t": x, "a": x}),
    (facts.DAVIDSON_SZAREK, {"rows": n, "columns": k, "t": x, "a": x}),
    (facts.BEPPO_LEVI, {"mean": entry(TOKENS)(k, n), "k": k, "last": last, "bound": 1}),
    (facts.BEPPO_LEVI, {"mean": MEAN(2, n, n), "k": k, "last": last, "bound": 1}),
    (facts.BEPPO_LEVI, {"mean": MEAN(k, n, n), "k": k, "last": last, "bound": k}),
    (facts.BEPPO_LEVI, {"mean": MEAN(k, n, n), "k": k, "last": last, "bound": last}),
    (facts.BEPPO_LEVI, {"mean": MEAN(k, n, n), "k": k, "last": k, "bound": 1}),
    (facts.BEPPO_LEVI, {"mean": MEAN(n, n, n), "k": n, "last": last, "bound": 1}),
    (facts.BEPPO_LEVI, {"mean": MEAN(k, last, n), "k": k, "last": last, "bound": 1}),
    (facts.BEPPO_LEVI, {"mean": MEAN(x, n, n), "k": x, "last": last, "bound": 1}),
    (facts.BEPPO_LEVI, {"mean": MEAN(k, n, j), "k": k, "last": last, "bound": 1}),
    (facts.BEPPO_LEVI, {"mean": MEAN(k, n, oo), "k": k, "last": last, "bound": 1}),
    (facts.BOOLE, {**SERIES, "chance": MEAN(k, n, n), "first": 1, "bound": 1}),
    (facts.BOOLE, {**SERIES, "chance": EVENTS.chance(2), "first": 1, "bound": 1}),
    (facts.BOOLE, {**SERIES, "first": 0, "bound": 1}),
    (facts.BOOLE, {**SERIES, "first": j, "bound": 1}),
    (facts.BOOLE, {**SERIES, "first": last, "bound": 1}),
    (facts.BOOLE, {**SERIES, "first": 1, "bound": last}),
    (facts.BOOLE, {**SERIES, "last": k, "first": 1, "bound": 1}),
    (facts.CAUCHY, {**SERIES, "first": 2, "epsilon": 1}),
    (facts.CAUCHY, {**SERIES, "first": last, "epsilon": 1}),
    (facts.CAUCHY, {**SERIES, "first": first, "epsilon": 1 / first}),
    (facts.CAUCHY, {**SERIES, "first": first, "epsilon": last}),
    (facts.CAUCHY, {**SERIES, "chance": OTHERS(k), "first": first, "epsilon": 1}),
    (facts.DELTA, {"a": x, "b": n, "term": x, "place": x}),
    (facts.DELTA_SUM, {"place": x, "k": k, "low": 1, "high": n}),
    (facts.DELTA_SUM, {"place": k, "k": k, "low": 1, "high": n}),
    (facts.DELTA_SUM, {"place": 1, "k": k, "low": Rational(1, 2), "high": 2}),
    *growing.BEYOND,
    *ranking.BEYOND,
    *spectra.BEYOND,
]  # fmt: skip


@pytest.mark.parametrize(("fact", "terms"), BEYOND)
def test_terms_for_which_it_would_be_false_are_refused(fact: Fact, terms: Terms) -> None:
    with pytest.raises(ValueError, match=r"."):
        fact.instance(**terms)


def test_why_imaginary_terms_are_refused() -> None:
    """For a_k = sqrt(-3) and b_k = k the inequality of Cauchy and Schwarz is false."""
    left = (sqrt(-3) * 1 + sqrt(-3) * 2) ** 2
    assert left.expand() == -27 and left.expand() > (-3 - 3) * (1 + 4)


def test_a_larger_factor_than_the_least_singular_value_would_be_false() -> None:
    """Rows (1, 1) and (0, 1) shrink x = (1, -1) to the golden ratio's inverse, no further."""
    weights = ImmutableDenseMatrix([1, (-1 - sqrt(5)) / 2])
    block = {TOKENS: ImmutableDenseMatrix([[1, 1], [0, 1]]), WEIGHTS: weights}
    _, formula = facts.RAYLEIGH.instance(sigma=SIGMA(2, 2), x=entry(WEIGHTS)(j, 1), j=j)
    assert isinstance(formula, Compare)
    assert formula.truth(block) is not False
    assert Compare(Rational(101, 100) * formula.left, "<=", formula.right).truth(block) is False


@pytest.mark.parametrize("depend", range(3))
def test_probabilities_that_vanish_are_not_enough(depend: int) -> None:
    """Of probability 1/(i + 1), all but nested events happen infinitely often: no tail of theirs is finite."""
    point = {alpha: Integer(1), coupling: Integer(depend)}
    below, often = facts.BOOLE.instance(**SERIES, first=100, bound=Rational(1, 2))
    assert truth(below[0], point) is False and truth(often, point) is (depend == 1)


def test_means_that_vanish_are_not_enough() -> None:
    """Independent events of probability 1/(k+1) happen infinitely often: no bound of the sums is true."""
    matrices = Indicators(Rational(1), 1, nested=False)
    mean = matrices.mean_square(k, Integer(1), Integer(1))
    given, vanish = facts.BEPPO_LEVI.instance(mean=mean, k=k, last=last, bound=10**9)
    assert [truth(g, {}) for g in given] == [False] and truth(vanish, {}) is False


def test_the_quantified_premise_is_one() -> None:
    given, _ = facts.JENSEN.instance(w=entry(Symbol("w"))(k, 1), x=k, k=k, low=1, high=n)
    assert isinstance(given[0], ForAll)


# Moments of shares --------------------------------------------------------------------------------

SETTLED = [(law, powers) for law in (Gamma(1, 2), *COINS) for powers in POWERS]


@pytest.mark.parametrize(("law", "powers"), SETTLED, ids=str)
def test_another_power_of_the_length_or_another_limit_would_be_false(
    law: Any, powers: tuple[int, ...]
) -> None:
    _, stated = facts.SHARES.instance(share=IID.shares(*powers)(2 * k), k=k, order=4)
    assert isinstance(stated, Tends)
    mean, point = IID.moment(1), {LAW: law}
    assert settles(stated, point) is True
    wrong = [
        Tends(factor * stated.term, k, stated.limit) for factor in (k, 1 / k, Rational(101, 100))
    ]
    if sum(powers) > 1:
        wrong.append(Tends(stated.term, k, stated.limit * (mean + 1)))
    if max(powers) > 1:
        wrong += [Tends(stated.term, k, one) for one in (Integer(1), stated.limit * mean)]
    assert not any(settles(formula, point) for formula in wrong)


@pytest.mark.parametrize(
    ("tail", "powers"), [("1.5", (2,)), ("1.5", (2, 2)), ("2.5", (3,)), ("2.5", (4, 1))]
)
def test_without_the_moment_there_is_no_finite_limit(tail: str, powers: tuple[int, ...]) -> None:
    """So the premise is needed where moments stand for real numbers; with the moment there is one."""
    point = {LAW: Pareto(mpf(tail))}
    given, stated = facts.SHARES.instance(share=IID.shares(*powers)(k), k=k, order=max(powers))
    assert [premise.truth(point) for premise in given] == [True, False]
    assert isinstance(stated, Tends)
    near, far = (value_of(stated.term, point | {k: Integer(n)}) for n in LENGTHS)
    assert far > 4 * near
    given, stated = facts.SHARES.instance(share=IID.shares(1, 1)(k), k=k, order=1)
    assert isinstance(stated, Tends)
    assert all(premise.truth(point) for premise in given) and settles(stated, point)
