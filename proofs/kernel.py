r"""The only place that makes theorems.

A theorem is a formula with the hypotheses it used, the rule that gave it and the theorems it follows
from.  Free symbols stand for anything that their declared signs allow.  Every rule keeps what is
needed to apply it again; `Theorem.failures` does so for the whole tree.

A term may have no value where symbols are what they may be, as $1/x$ at zero; then a theorem holds
whatever stands for it there, and a rule by which SymPy cancels something asks that it has a value.

What is trusted: this file with `proofs.shapes`, `.limits`, `.sense`, `.kinds`, `.hidden`, `.defined`,
`.opaque`, `.almost_sure`, `.equalities`, `.smt` with z3, the calculus (SymPy, FLINT, `claims.limits`,
`proofs.calculus`), the facts of `proofs.facts`, and for `derived` and `unfold` that a value or a term says
what the exact definition says, which is compared at points: what differs elsewhere only would be believed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from sympy import Expr, Sum, Symbol, oo, sympify

from claims.domain import Domain
from claims.limits import limit_of
from claims.statement import And, Compare, Exists, ForAll, Formula, Implies, Quantity, Tends
from claims.terms import MaxOver, MinOver, Recursion
from proofs import almost_sure, confirm, equalities, limits, sense, shapes, smt
from proofs.calculus.inequalities import BoxBound
from proofs.calculus.normal import same
from proofs.calculus.sums import linear
from proofs.confirm import confirmed_at_points, confirmed_identity, confirmed_limit
from proofs.facts import FACTS, Fact
from proofs.places import Over
from proofs.sense import ProofError, declared
from proofs.within import Within

__all__ = ["ProofError", "Theorem", "Within", "declared"]


_KEY = object()
_MADE: WeakKeyDictionary[Theorem, tuple[Any, ...]] = WeakKeyDictionary()
"""What each theorem was when a rule made it."""


class Theorem:
    """`hypotheses |- formula`; made by the rules of this module and nowhere else."""

    __slots__ = (
        "__weakref__", "again", "argued", "formula", "hypotheses", "premises", "rule", "text",
    )  # fmt: skip
    again: Callable[[], bool]
    argued: bool
    formula: Any
    hypotheses: frozenset[Formula]
    premises: tuple[Theorem, ...]
    rule: str
    text: str

    def __init__(
        self, key: object, formula: Formula, rule: str, premises: Sequence[Theorem] = (),
        hypotheses: Iterable[Formula] = (), *, exactly: Iterable[Formula] | None = None,
        again: Callable[[], bool] = lambda: True, text: str = "", argued: bool = False,
    ):  # fmt: skip
        if key is not _KEY:
            raise ProofError("a theorem is made by a rule of proofs.kernel")
        inherited = frozenset().union(*(p.hypotheses for p in premises))
        used = frozenset(hypotheses) | inherited if exactly is None else frozenset(exactly)
        argued = argued or any(p.argued for p in premises)
        sense.require_sense(rule, formula, *used)
        _MADE[self] = (again, argued, formula, used, tuple(premises), rule, text)
        for name, value in zip(self.__slots__[1:], _MADE[self], strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise ProofError(f"{name}: a theorem does not change")

    def __repr__(self) -> str:
        return f"<theorem by {self.rule}{', argued' if self.argued else ''}>"

    def tree(self) -> Iterator[Theorem]:
        """Every theorem below and this one, premises first, each once."""
        seen, open_ = {id(self)}, [(self, iter(self.premises))]
        while open_:
            if (premise := next((p for p in open_[-1][1] if id(p) not in seen), None)) is None:
                yield open_.pop()[0]
            else:
                seen.add(id(premise))
                open_.append((premise, iter(premise.premises)))

    def genuine(self) -> bool:
        """Whether a rule made every theorem of the tree as it is now."""
        return all(theorem._unchanged() for theorem in self.tree())

    def _unchanged(self) -> bool:
        made = _MADE.get(self, ())
        now = [getattr(self, name) for name in self.__slots__[1:]]
        return len(made) == len(now) and all(a is b for a, b in zip(made, now, strict=True))

    def failures(self) -> list[Theorem]:
        """Theorems of the tree that no rule made, or whose rule does not apply when applied again.

        The solver is asked again, whatever it answered when they were made.
        """
        with smt.asked_again():
            return [t for t in self.tree() if not (t._unchanged() and t.again())]


def _made(formula: Formula, rule: str, premises: Sequence[Theorem] = (), **more: Any) -> Theorem:
    return Theorem(_KEY, formula, rule, premises, **more)


def _checked(
    check: Callable[[], bool], formula: Formula, rule: str, *args: Any, **more: Any
) -> Theorem:
    """A theorem whose rule rests on a check, which must succeed now and again later."""
    if not check():
        raise ProofError(f"{rule}: does not give ${formula.latex()}$")
    return _made(formula, rule, *args, again=check, **more)


# Hypotheses, words, facts -------------------------------------------------------------------------


def assume(formula: Formula) -> Theorem:
    """`formula |- formula`."""
    return _made(formula, "hypothesis", hypotheses=(formula,))


def within(domain: Domain) -> Theorem:
    """A point of the domain lies in it; what follows from this holds there."""
    return assume(Within(domain))


def words(
    formula: Formula, text: str, *premises: Theorem, check: Callable[[], bool] = lambda: True
) -> Theorem:
    """A written argument; whatever rests on it is argued, not derived."""
    return _checked(check, formula, "argument in words", premises, text=text, argued=True)


def fact(known: Fact, **terms: Any) -> Theorem:
    """An instance of a classical theorem, under its premises and that its terms have values."""
    if not any(known is listed for listed in FACTS):
        raise ProofError(f"fact: {known.name!r} does not stand in proofs.facts")
    conditions, formula = known.instance(**terms)
    given = (*conditions, *shapes.needed_by(known, formula, terms))
    return _made(formula, f"fact: {known.name}", hypotheses=given, text=known.reference)


# Values -------------------------------------------------------------------------------------------


def derived(
    quantity: Any, value: Any, domain: Domain, calculus: str, *premises: Theorem, over: Over = ()
) -> Theorem:
    """`quantity = value`, a value that a calculus gave, held to the exact definition at points."""
    return _valued(quantity, value, domain, over, "value", premises, text=calculus)


def unfold(quantity: Any, term: Any, domain: Domain, over: Over = ()) -> Theorem:
    """`quantity = term`: the definition, read as a term with indices.

    For a member of a family, `over` gives the indices with their ranges, which are assumed.
    """
    return _valued(quantity, term, domain, over, "definition")


def _valued(
    quantity: Any, value: Any, domain: Domain, over: Over, *rule: Any, **more: Any
) -> Theorem:
    sense.require_members(quantity, value, [k for k, *_ in over])
    inside = [Compare(k, ">=", low) for k, low, _ in over]
    inside += [Compare(k, "<=", high) for k, _, high in over if high is not oo]
    return _checked(
        lambda: confirmed_at_points(quantity, value, domain, over),
        Compare(quantity, "=", value), *rule, hypotheses=(Within(domain), *inside), **more,
    )  # fmt: skip


def recursion_start(function: Recursion, *others: Any) -> Theorem:
    """The value of a recursion at zero."""
    return _shaped(shapes.recursion_start(function, others))


def recursion_step(function: Recursion, t: Any, *others: Any) -> Theorem:
    """The value of a recursion at t + 1 from those at t, for t >= 0."""
    return _shaped(shapes.recursion_step(function, t, others))


def identity(
    left: Any, right: Any, domain: Domain | None = None, *, by: str = "algebra"
) -> Theorem:
    """`left = right` in normal form, confirmed exactly at random values of the symbols."""
    shapes.require_sums(left, right)
    check = lambda: same(left, right) and confirmed_identity(left, right, domain)  # noqa: E731
    needed = shapes.values(same, left, right)
    return _checked(check, Compare(left, "=", right), by, hypotheses=needed)


def compute(formula: Formula) -> Theorem:
    """A formula without free symbols, by exact evaluation; sums may be infinite, and are left out."""
    sense.require_closed(formula)
    return _checked(lambda: formula.truth({}) is True, formula, "exact evaluation")


def certified(certificate: Any) -> Theorem:
    """An inequality with its own certificate; the formula is read off the certificate."""
    sense.require_known(certificate)
    formula, hypotheses = certificate.concludes()
    if not isinstance(certificate, BoxBound):  # algebra, in general position; balls enclose values
        hypotheses += sense.needed_beside(hypotheses, formula.left)
    return _checked(certificate.check, formula, certificate.name, hypotheses=hypotheses)


def rewritten(theorem: Theorem, right: Any, equal: Callable[[Any, Any], bool] = same) -> Theorem:
    """`quantity = right` from `quantity = value`, both values being one in normal form."""
    found = theorem.formula
    if not isinstance(found, Compare) or not isinstance(found.left, Quantity) or found.sign != "=":
        raise ProofError(f"normal form: ${found.latex()}$ gives no value of a quantity")
    if not equalities.listed(equal):
        raise ProofError(f"normal form: {equal} does not stand in proofs.equalities")

    def check() -> bool:
        held = theorem.hypotheses
        return equal(found.right, right) and confirm.confirmed_where(found.left, right, held)

    needed = shapes.needed_beyond(found.right, right)
    made = Compare(found.left, "=", right)
    return _checked(check, made, "normal form", (theorem,), hypotheses=needed)


# Logic and arithmetic -----------------------------------------------------------------------------


def joint(goal: Formula, *premises: Theorem, given: Iterable[Formula] = ()) -> Theorem:
    """`goal` from the premises (and further hypotheses) by real arithmetic and propositional logic."""
    given = tuple(given)
    check = lambda: smt.follows(goal, [*(p.formula for p in premises), *given])  # noqa: E731
    return _checked(check, goal, "real arithmetic (z3)", premises, hypotheses=given)


def congruent(term: Any, place: Symbol, left: Any, right: Any) -> Theorem:
    """Equals in the place of a symbol: `term(left) = term(right)` where `left = right`."""
    return _shaped(shapes.congruent(term, place, left, right))


def next_integer(less: Any, more: Any) -> Theorem:
    """`less + 1 <= more` for integers `less < more`."""
    if not (sympify(less).is_integer and sympify(more).is_integer):
        raise ProofError(f"integers: {less} and {more} are not both known to be integers")
    given = (Compare(less, "<", more),)
    return _made(Compare(less + 1, "<=", more), "order of the integers", hypotheses=given)


def cut(theorem: Theorem, *lemmas: Theorem) -> Theorem:
    """The theorem without the hypotheses that the lemmas prove, or that follow from those."""
    left = set(theorem.hypotheses)
    for hypothesis in theorem.hypotheses:
        if isinstance(hypothesis, Within):
            continue
        key = smt.canonical(hypothesis)
        if any(smt.canonical(lemma.formula) == key for lemma in lemmas) or smt.follows(
            hypothesis, [lemma.formula for lemma in lemmas]
        ):
            left.discard(hypothesis)
    used = left.union(*(lemma.hypotheses for lemma in lemmas))
    return _made(theorem.formula, "cut", (theorem, *lemmas), exactly=used)


def discharge(theorem: Theorem, hypothesis: Formula) -> Theorem:
    """`hypothesis => formula` without that hypothesis."""
    left = _without(theorem, [hypothesis])
    return _made(Implies(hypothesis, theorem.formula), "implication", (theorem,), exactly=left)


def _without(theorem: Theorem, formulas: Iterable[Formula]) -> frozenset[Formula]:
    """The theorem's hypotheses but for those formulas."""
    keys = {smt.canonical(f) for f in formulas}
    return frozenset(
        h for h in theorem.hypotheses if isinstance(h, Within) or smt.canonical(h) not in keys
    )


def _require_fresh(rule: str, name: Symbol, hypotheses: Iterable[Formula]) -> None:
    """Nothing may be assumed of a name that stands for anything in its range."""
    for h in hypotheses:
        within = isinstance(h, Within)
        names = {v.symbol for v in h.domain.variables} if within else h.free_symbols()  # type: ignore[attr-defined]
        if name in names | shapes.hidden(h):
            raise ProofError(f"{rule}: something else is assumed of {name}: ${h.latex()}$")


def both(*theorems: Theorem) -> Theorem:
    """The conjunction."""
    return _made(And(tuple(t.formula for t in theorems)), "conjunction", theorems)


def part(theorem: Theorem, place: int) -> Theorem:
    """One conjunct."""
    if not isinstance(theorem.formula, And):
        raise ProofError(f"conjunct: ${theorem.formula.latex()}$ is no conjunction")
    return _made(theorem.formula.formulas[place], "conjunct", (theorem,))


def generalise(theorem: Theorem, index: Symbol, low: Any, high: Any) -> Theorem:
    """For all indices of the range; only the range itself may be assumed of the index."""
    rest = _without(theorem, [Compare(index, ">=", low), Compare(index, "<=", high)])
    _require_fresh("generalisation", index, rest)
    shapes.range_allows_signs(index, low, theorem.formula)
    if index in sympify(high).free_symbols:
        raise ProofError(f"{index}: its range would end at {high}")
    every = ForAll(index, low, high, theorem.formula)
    return _made(every, "generalisation", (theorem,), exactly=rest)


def instance(theorem: Theorem, term: Any) -> Theorem:
    """One instance; that the term lies in the range becomes a hypothesis."""
    every = theorem.formula
    if not isinstance(every, ForAll):
        raise ProofError(f"instance: ${every.latex()}$ is no statement for all")
    found = every.body.substitute(at := {every.index: sympify(term)})
    needed = [*shapes.in_range(term, every), *shapes.lost(every.body, at, found)]
    return _made(found, "instance", (theorem,), hypotheses=needed)


def substitute(theorem: Theorem, values: Mapping[Symbol, Any]) -> Theorem:
    """Terms for free symbols; what the symbols declare of their signs becomes a hypothesis."""
    if any(isinstance(h, Within) for h in theorem.hypotheses):
        raise ProofError("substitution: a value derived at points of a domain holds there only")
    needed: list[Formula] = []
    for symbol, term in values.items():
        if isinstance(symbol, Quantity) or not isinstance(symbol, Symbol):
            raise ProofError(f"substitution: {symbol} is no variable")
        sense.require_exact(term)
        needed += [f for f in declared(symbol, sympify(term)) if not smt.follows(f, [])]
    values = {symbol: sympify(term) for symbol, term in values.items()}
    made = theorem.formula.substitute(values)
    used = [h.substitute(values) for h in theorem.hypotheses]
    before = (theorem.formula, *theorem.hypotheses)
    for formula, after in zip(before, (made, *used), strict=True):
        needed += shapes.lost(formula, values, after)
    return _made(made, "substitution", (theorem,), exactly=[*used, *needed])


def exists(theorem: Theorem, shape: Exists, witness: Any) -> Theorem:
    """There is an index: the theorem is the body at the witness, which must lie in the range."""
    if not isinstance(shape, Exists):
        raise ProofError(f"witness: ${shape.latex()}$ says of nothing that it exists")
    there = shape.body.substitute(at := {shape.index: sympify(witness)})
    if smt.canonical(there) != smt.canonical(theorem.formula):
        raise ProofError(f"witness {witness}: ${theorem.formula.latex()}$ is not the body there")
    needed = [*shapes.in_range(witness, shape), *shapes.lost(shape.body, at, there)]
    return _made(shape, "witness", (theorem,), hypotheses=needed)


def choose(existence: Theorem, name: Symbol, conclusion: Theorem) -> Theorem:
    """From `there is i: body(i)` and `body(name) |- conclusion`, with `name` not in the conclusion."""
    shape = existence.formula
    if not isinstance(shape, Exists):
        raise ProofError(f"choice: ${shape.latex()}$ says of nothing that it exists")
    body = shape.body.substitute({shape.index: name})
    inside = [Compare(name, ">=", shape.low), Compare(name, "<=", shape.high)]
    rest = _without(conclusion, [body, *inside])
    _require_fresh("choice", name, [*rest, conclusion.formula, shape])
    shapes.range_allows_signs(name, shape.low)
    used = rest | existence.hypotheses
    return _made(conclusion.formula, "choice", (existence, conclusion), exactly=used)


def induction(start: Theorem, step: Theorem, index: Symbol, first: Any = 0) -> Theorem:
    """For all index >= first, from the start and from `body(index) |- body(index + 1)`."""
    following = step.formula
    hypotheses = [h for h in step.hypotheses if not isinstance(h, Within)]
    for body in hypotheses:
        if smt.canonical(body.substitute({index: index + 1})) == smt.canonical(following):
            break
    else:
        raise ProofError(f"induction: ${following.latex()}$ is not the next case of a hypothesis")
    if smt.canonical(body.substitute({index: sympify(first)})) != smt.canonical(start.formula):
        raise ProofError(f"induction: ${start.formula.latex()}$ is not the first case")
    rest = _without(step, [body, Compare(index, ">=", first)])
    _require_fresh("induction", index, rest)
    if not sympify(first).is_integer:
        raise ProofError(f"induction: {first} is not known to be an integer")
    shapes.range_allows_signs(index, first, body)
    every = ForAll(index, sympify(first), oo, body)
    needed = shapes.lost(body, {index: sympify(first)}, start.formula)
    needed += shapes.lost_in_step(body, index, following)
    return _made(every, "induction", (start, step), exactly=rest.union(start.hypotheses, needed))


def prepended(first: Theorem, rest: Theorem) -> Theorem:
    """For all from `low` on, from the case `low` and all from `low + 1` on."""
    every = rest.formula
    if not isinstance(every, ForAll):
        raise ProofError(f"range: ${every.latex()}$ is no statement for all")
    low = sympify(every.low) - 1
    if not low.is_integer:
        raise ProofError(f"range: {low} is not known to be an integer")
    if smt.canonical(every.body.substitute({every.index: low})) != smt.canonical(first.formula):
        raise ProofError(f"range: ${first.formula.latex()}$ is not the case {low}")
    shapes.range_allows_signs(every.index, low)
    needed = shapes.lost(every.body, {every.index: low}, first.formula)
    return _made(replace(every, low=low), "first case", (first, rest), hypotheses=needed)


# Sums and extrema over an index, limits -----------------------------------------------------------


def _shaped(shape: shapes.Shape, *premises: Theorem) -> Theorem:
    formula, rule, needed = shape
    return _made(formula, rule, premises, hypotheses=needed)


def sum_compared(theorem: Theorem) -> Theorem:
    """From `for all j: a_j <= b_j` (or = or <, which weakens to <=), the same of the sums over j."""
    return _shaped(shapes.sum_compared(theorem.formula), theorem)


def sum_rearranged(left: Any, right: Any) -> Theorem:
    """Equal by linearity: sums split over terms, constants pulled out, a constant summed is a multiple."""
    shapes.require_finite(left, right)
    equal = lambda *sides: len({smt.canonical(linear(side)) for side in sides}) == 1  # noqa: E731
    formula, needed = Compare(left, "=", right), shapes.values(equal, left, right)
    return _checked(lambda: equal(left, right), formula, "linearity of sums", hypotheses=needed)


def sum_split(total: Sum, shift: int = 0, first: bool = False) -> Theorem:
    """One end of a sum by itself; with `shift`, its index runs that much lower instead."""
    return _shaped(shapes.sum_split(total, shift, first))


def sum_at_least_term(theorem: Theorem, place: Any) -> Theorem:
    """From `for all j: a_j >= 0`: the sum is at least any one term."""
    return _shaped(shapes.sum_at_least_term(theorem.formula, place), theorem)


def extremum_bounds(extremum: MaxOver | MinOver, place: Any) -> Theorem:
    """A maximum is at least each member, a minimum at most."""
    return _shaped(shapes.extremum_bounds(extremum, place))


def extremum_reached(extremum: MaxOver | MinOver) -> Theorem:
    """Some member equals the extremum of a range that is not empty."""
    return _shaped(shapes.extremum_reached(extremum))


def extremum_compared(theorem: Theorem, kind: type) -> Theorem:
    """From `for all j: a_j <= c` (c free of j): the maximum is at most c; and so for minima."""
    return _shaped(shapes.extremum_compared(theorem.formula, kind), theorem)


def limit(term: Expr, index: Symbol) -> Theorem:
    """The limit of a closed form, followed to forty digits at random parameters."""
    formula = Tends(term, index, limit_of(term, index))
    needed = limits.needed_far_out(formula)
    check = lambda: confirmed_limit(formula, needed)  # noqa: E731
    return _checked(check, formula, "limit of a closed form", hypotheses=needed)


def squeezed(below: Theorem, above: Theorem, low: Theorem, high: Theorem) -> Theorem:
    """From `for all k: a_k <= x_k` and `x_k <= b_k`, with a and b to one limit: x tends to it."""
    premises = below, above, low, high
    return _shaped(limits.squeezed(*(p.formula for p in premises)), *premises)


def outgrown(below: Theorem, low: Theorem) -> Theorem:
    """From `for all k: a_k <= x_k` and a tending to infinity: x tends to infinity."""
    return _shaped(limits.outgrown(below.formula, low.formula), below, low)


def limit_combined(term: Expr, parts: Mapping[Symbol, Theorem]) -> Theorem:
    """The limit of `term`, made by `+`, `*`, natural powers and `exp` of sequences with limits."""
    formulas = {symbol: theorem.formula for symbol, theorem in parts.items()}
    return _shaped(limits.limit_combined(term, formulas), *parts.values())


def surely(sure: Theorem, theorem: Theorem) -> Theorem:
    """From `almost surely P` and `P |- Q`: almost surely Q, if nothing else that is assumed is random."""
    given = almost_sure.premise_of(sure.formula)
    rest = _without(theorem, [given.body])
    formula = almost_sure.consequence(given, theorem.formula, rest)
    used = rest | sure.hypotheses
    return _made(formula, "almost surely", (sure, theorem), exactly=used)


def sure_limit(limit: Any, value: Any, definition: Theorem, sure: Theorem) -> Theorem:
    """`limit = value`, from what its entries are of any matrix, and their limits almost surely."""
    given = definition.hypotheses
    formula, sizes = almost_sure.limit_of(limit, value, definition.formula, given, sure.formula)
    used = sure.hypotheses.union(sizes)
    check = lambda: almost_sure.confirmed(formula, used)  # noqa: E731
    return _checked(check, formula, "almost sure limit", (definition, sure), exactly=used)


def limit_rewritten(tends: Theorem, equal: Theorem) -> Theorem:
    """The same limit for a sequence that equals the other one from some index on."""
    return _shaped(limits.limit_rewritten(tends.formula, equal.formula), tends, equal)
