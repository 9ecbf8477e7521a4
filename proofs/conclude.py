"""From a theorem to a verdict on a statement: one road for printed, mutated and repaired forms.

`conclude` asks whether a theorem is the claim's statement, under hypotheses that the claim's domain
gives.  Nothing else returns "proved".  Where the theorem says something else, the claim's definition
is searched for an exact witness, and arithmetic is asked whether the statement follows all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain
from types import CodeType
from typing import Any

from sympy import Expr, Symbol, sympify

from claims.denials import denial
from claims.domain import Array, Choice, Condition, Domain, Point, Real, Size, Truth, UpTo
from claims.errors import UNDEFINED
from claims.mask_classes import MasksLike
from claims.model import Claim
from claims.points import Itself, typed
from claims.seeds import current_seed
from claims.statement import And, Compare, Formula, Implies, Not, Or
from claims.typeset import typeset
from proofs import smt
from proofs.calculus.normal import same
from proofs.certificate import Certificate
from proofs.choices import further, meeting, tied_to, unseen_choice
from proofs.confirm import confirmed_identity
from proofs.decide import ONE_CHOICE, refute
from proofs.defined import unknown
from proofs.denied import (
    contradicted,
    denied,
    occurs,
    signs,
    speaks,
    unreal,
    without_law,
    without_point,
)
from proofs.kernel import Theorem, Within, declared, joint, within, words
from proofs.sense import ProofError
from proofs.shapes import require_sums
from proofs.steady import more_than_read
from proofs.weakened import from_lemmas

__all__ = [
    "argued", "at_every_choice", "conclude", "doubtful", "excludes", "facts_of", "unfounded", "vacuous",
]  # fmt: skip

AT_EVERY_CHOICE = (
    "exact witness at one choice of what the print leaves open, and a theorem for every choice"
)


def conclude(
    claim: Claim, theorem: Theorem, *, method: str, steps: Iterable[Any] = (), settled: bool = False
) -> Certificate:
    """Judge a claim by a theorem: proved, refuted by a witness, or undecided.

    `settled` says of a variant that its claim is proved.
    """
    steps = tuple(steps)
    certificate = _judged(claim, theorem, steps, method, settled)
    proved = certificate.status == "proved"
    return replace(
        certificate,
        rejudge=lambda variant: conclude(
            variant, theorem, method=method, steps=steps, settled=proved
        ),
    )


def _judged(
    claim: Claim, theorem: Theorem, steps: tuple[Any, ...], method: str, settled: bool
) -> Certificate:
    missing = [*undischarged(theorem, claim), *without_point(claim.domain)]
    if not missing and matches(theorem.formula, claim.formula):
        return _held(claim, Certificate("proved", method, steps, theorem=theorem))
    sought = partial(refute, claim, steps=steps, method=method, settled=settled)
    refuted = sought(climbing=False)
    if _fails_somewhere(refuted):
        return refuted
    given = facts_of(claim.domain)
    # What is undecided of a variant says nothing, and a claim has more of them than proofs.
    effort = smt.RESOURCES if claim.base is None else smt.QUICKLY
    if not missing and smt.follows(claim.formula, [theorem.formula, *given], resources=effort):
        if claim.base is None:  # of a variant nobody reads what it uses
            given = _needed(claim.formula, theorem, given)
        whole = joint(claim.formula, theorem, given=given)
        if not (missing := undischarged(whole, claim)):
            how = f"{method}; arithmetic"
            return Certificate("proved", how, steps, theorem=whole, searched=True)
    shown = None if missing else from_lemmas(claim.formula, theorem, given)
    if shown is not None and not undischarged(shown, claim):
        return Certificate("proved", f"{method}; its lemmas", steps, theorem=shown, searched=True)
    if claim.base is None and _fails_somewhere(refuted := sought()):
        return refuted
    reason = (
        f"the argument needs {missing[0]}, which the hypotheses do not give"
        if missing
        else "the argument is not about this statement"
    )
    return Certificate("undecided", method, steps, reason=f"{reason}; no witness was found")


def _fails_somewhere(certificate: Certificate) -> bool:
    """Whether a point was found at which a claim fails, be it at one choice of what the print leaves open."""
    return certificate.status == "refuted" or certificate.reason == ONE_CHOICE


def _held(claim: Claim, proved: Certificate) -> Certificate:
    """A proof whose statement no small point denies; where one does, a fault is ours to find."""
    against = contradicted(claim)
    if against is None:
        return proved
    return Certificate(
        "undecided", proved.method, proved.steps, reason=f"the argument gives {against}"
    )


def _needed(goal: Formula, theorem: Theorem, given: Sequence[Formula]) -> list[Formula]:
    """Facts that `goal` does not follow without, so that a certificate names no others."""
    left = list(given)
    for fact in given:
        others = [f for f in left if f is not fact]
        if smt.follows(goal, [theorem.formula, *others]):
            left = others
    return left


def argued(claim: Claim, *, steps: Iterable[Any], method: str) -> Certificate:
    """Judge a claim by a written argument about it; a variant of it needs another argument."""
    steps = tuple(steps)
    refuted = refute(claim, steps=steps, method=method, climbing=False)
    if _fails_somewhere(refuted):
        return refuted
    subject = claim.base or claim
    theorem = words(subject.formula, method, within(subject.domain))
    certificate = conclude(claim, theorem, method=method, steps=steps)
    return replace(
        certificate,
        rejudge=lambda variant: argued(variant, steps=steps, method=method),
    )


def vacuous(
    claim: Claim, *, steps: Iterable[Any], method: str, theorem: Theorem | None = None
) -> Certificate:
    """A statement whose hypotheses cannot hold together, or that says nothing in its own range.

    `theorem` excludes what the claim assumes; without one it is an argument in words.  Raises
    `ProofError` where it excludes none of it.
    """
    if theorem is not None and not excludes(theorem, claim):
        raise ProofError(f"vacuous: ${theorem.formula.latex()}$ excludes nothing that is assumed")
    shown = theorem if theorem is not None else words(claim.formula, method, within(claim.domain))
    return Certificate("vacuous", method, tuple(steps), theorem=shown)


def unfounded(certificate: Certificate, claim: Claim) -> str | None:
    """What keeps a certificate from being about a claim: anybody can write one, and put a theorem in it."""
    theorem, witness = certificate.theorem, certificate.witness
    if certificate.status == "proved" and theorem is not None:
        if not matches(theorem.formula, claim.formula):
            return "its theorem is not the statement"
        if missing := undischarged(theorem, claim):
            return f"its theorem needs {missing[0]}, which the hypotheses do not give"
    if certificate.status == "vacuous" and theorem is not None:
        in_words = theorem.argued and theorem.formula == claim.formula
        if not (in_words or excludes(theorem, claim)):
            return "its theorem excludes nothing that is assumed"
    if certificate.status == "refuted" and witness is not None:
        own = witness.statement == claim.statement and witness.define == claim.define
        if not own or witness.holds or claim.domain.objection(witness.point) is not None:
            return "its witness does not speak against the statement, or lies outside of the domain"
        if claim.open_ranges:
            return _not_denied(theorem, claim, witness.point)
        return unseen_choice(claim, (witness, *certificate.steps))
    return None


def at_every_choice(
    certificate: Certificate, claim: Claim, contrary: Callable[[Claim], Theorem]
) -> Certificate:
    """A refutation at one choice of what the print leaves open, made one at every choice by a theorem.

    `contrary` gives one of the claim, that says the opposite for all values of what is left open, under
    hypotheses of the domain or such that the witness, or a probe, meets and that what is left open has no
    part in.
    """
    if certificate.reason != ONE_CHOICE or claim.base is not None:
        return certificate
    (witness, *steps), theorem = certificate.steps, contrary(claim)
    opposite = _opposite(claim, theorem, witness.point)
    given, said = facts_of(opposite.domain), matches(theorem.formula, opposite.formula)
    if not said and smt.follows(opposite.formula, [theorem.formula, *given]):
        theorem = joint(opposite.formula, theorem, given=given)
    if (missing := _not_denied(theorem, claim, witness.point)) is not None:
        return replace(certificate, reason=f"{ONE_CHOICE}: {missing}")
    return replace(
        certificate, status="refuted", method=f"{certificate.method}; {AT_EVERY_CHOICE}",
        steps=tuple(steps), witness=witness, theorem=theorem, reason="",
    )  # fmt: skip


def _opposite(claim: Claim, theorem: Theorem, at: Point) -> Claim:
    """What says the contrary, where the rest is as at some point as far as a theorem assumes it."""
    extra = further(theorem, facts_of(claim.domain))
    conditions = map(Condition.of, extra if meeting(extra, claim, at) is not None else ())
    contrary = denial(claim.formula)
    formula = Not(claim.formula) if contrary is None else contrary
    domain = claim.domain.with_conditions(*conditions)
    return replace(claim, statement=formula, domain=domain, left_open=())


def _not_denied(theorem: Theorem | None, claim: Claim, at: Point) -> str | None:
    """What keeps a theorem from denying a statement whatever is chosen of what the print leaves open."""
    if theorem is None:
        return ONE_CHOICE
    opposite = _opposite(claim, theorem, at)
    if theorem.argued:
        return "its theorem rests on words"
    if not matches(theorem.formula, opposite.formula):
        return "its theorem is not the contrary of the statement"
    if missing := undischarged(theorem, opposite):
        return f"its theorem needs {missing[0]}, which the hypotheses do not give"
    place = meeting(further(theorem, facts_of(claim.domain)), claim, at)
    if (tied := tied_to(claim, place or at)) is not None:
        return f"the hypotheses tie ${typeset(tied)}$, which the print leaves open, to the rest"
    return None


def excludes(theorem: Theorem, claim: Claim) -> bool:
    """Whether a theorem contradicts the domain or the premise of a claim, or limits a hypothesis.

    A hypothesis is limited where the theorem draws from it what its own setting does not give, and
    where it holds the claim says no more than that nothing is nothing.
    """
    found = theorem.formula
    if not undischarged(theorem, claim) and _never_assumed(theorem, claim):
        return True
    return isinstance(found, Implies) and any(
        not found.conclusion.quantities()  # else it may be the hypothesis itself, or a part of it
        and matches(found.premise, stated.formula)
        and not undischarged(theorem, stated)
        and not smt.follows(found.conclusion, facts_of(stated.domain))
        and occurs(found.conclusion, False, stated.domain)
        and not speaks(claim, stated.formula)
        for stated in (h.stated for h in claim.hypotheses)
        if stated is not None
    )


def _never_assumed(theorem: Theorem, claim: Claim) -> bool:
    """Whether a theorem and the facts of the domain deny what a claim assumes, and no point has it.

    What the facts' own symbols declare of their signs is asked of the domain, as in a proof.
    """
    premise = claim.formula.premise if isinstance(claim.formula, Implies) else And(())
    goal, given = Not(premise), facts_of(claim.domain)
    if not smt.follows(goal, [theorem.formula, *given]):
        return False
    whole = joint(goal, theorem, given=_needed(goal, theorem, given))
    return not undischarged(whole, claim) and not occurs(premise, True, claim.domain)


def matches(found: Formula, wanted: Formula) -> bool:
    """Whether two formulas are one: in normal form, or link by link with equal sides."""
    if smt.canonical(found) == smt.canonical(wanted):
        return True
    if isinstance(wanted, And):
        links = found.formulas if isinstance(found, And) else (found,)
        return all(any(matches(link, goal) for link in links) for goal in wanted.formulas)
    if isinstance(found, Compare) and isinstance(wanted, Compare) and found.sign == wanted.sign:
        return same_side(found.left, wanted.left) and same_side(found.right, wanted.right)
    return False


def same_side(left: Any, right: Any) -> bool:
    """Equal sides; a quantity equals only itself."""
    if left is right or bool(left == right):
        return True
    try:
        require_sums(left, right)
    except ProofError:
        return False
    if not {smt.canonical(f) for f in unknown(left)} <= {smt.canonical(f) for f in unknown(right)}:
        return False  # the theorem may speak of no value where the statement speaks of one
    return same(left, right) and confirmed_identity(left, right, None)


def undischarged(theorem: Theorem, claim: Claim) -> list[str]:
    """Hypotheses of a theorem that a domain does not give, and signs that symbols declare too much."""
    domain = claim.domain
    needed, names = _needed_in(Itself(theorem), Itself(domain), current_seed())
    used = names | claim.formula.free_symbols()
    missing = [] if theorem.genuine() else ["a theorem that no rule made, or that was changed"]
    missing += [*needed, *_unknown(claim)]
    given = facts_of(domain)
    for sign in _declared_signs(used, domain):
        if not smt.follows(sign, given, assumptions=False):
            missing.append(f"${sign.latex()}$")
    missing += denied(used, domain, doubtful(domain))
    return [*missing, *without_law([claim.formula], domain)]


@lru_cache(maxsize=256)
def _needed_in(
    theorem: Itself, domain: Itself, seed: int
) -> tuple[tuple[str, ...], frozenset[Any]]:
    """What a theorem needs that a domain does not give, whatever claim it is for, and what it speaks of."""
    own, given, missing = domain.value, facts_of(domain.value), list[str]()
    keys = {smt.canonical(f) for f in given}
    said = {id(f): f for t in theorem.value.tree() for f in (t.formula, *t.hypotheses)}
    for hypothesis in theorem.value.hypotheses:
        if isinstance(hypothesis, Within):
            if not contained(own, hypothesis.domain):
                missing.append("a hypothesis of the domain that was dropped or widened")
            missing += more_than_read(said.values(), own, hypothesis.domain)
        elif smt.canonical(hypothesis) not in keys and not smt.follows(
            hypothesis, given, assumptions=False
        ):
            missing.append(f"${hypothesis.latex()}$")
    missing += [f"{v.symbol}, which is no integer" for v in own.variables if _misdeclared(v)]
    missing += [*unreal(said.values(), own), *without_law(said.values(), own)]
    return tuple(missing), frozenset().union(*(f.free_symbols() for f in said.values()))


def _unknown(claim: Claim) -> list[str]:
    """Names that declare what they are in the statement alone: the domain says nothing of them."""
    own = {v.symbol for v in claim.domain.variables}
    names = (s for s in claim.formula.free_symbols() - own if type(s) is Symbol and signs(s))
    return [f"a range of ${typeset(s)}$" for s in sorted(names, key=str)]


def facts_of(domain: Domain) -> list[Formula]:
    """What the hypotheses of a domain say, as formulas."""
    found = [fact for variable in domain.variables for fact in _said_by(variable)]
    return [*found, *(c.formula for c in domain.conditions if c.formula is not None)]


def doubtful(domain: Domain) -> list[Formula]:
    """Facts that points may deny: not the ends of ranges, nor conditions that hold where their formula does."""
    own = [v.facts() for v in domain.variables if hasattr(v, "facts") and type(v) is not UpTo]
    said = [c for c in domain.conditions if c.formula is not None]
    return [*chain.from_iterable(own), *(c.formula for c in said if c.holds != Truth(c.formula))]


def _said_by(variable: Any) -> list[Formula]:
    found: list[Formula] = []
    if not _is_what_it_says(variable):
        pass
    elif isinstance(variable, Size):
        found.append(Compare(variable.symbol, ">=", variable.low))
    elif isinstance(variable, Real):
        found += _range_of(variable)
    elif isinstance(variable, Choice) and all(
        isinstance(v, Expr | int) and not isinstance(v, bool) for v in variable.values
    ):
        found.append(_one_of(variable.symbol, variable.values))
    return [*found, *getattr(variable, "facts", tuple)()]


def _range_of(variable: Real) -> list[Formula]:
    from sympy import oo

    found: list[Formula] = []
    if variable.low != -oo:
        found.append(Compare(variable.symbol, ">" if variable.open_low else ">=", variable.low))
    if variable.high != oo:
        found.append(Compare(variable.symbol, "<" if variable.open_high else "<=", variable.high))
    return found


def _one_of(symbol: Any, values: tuple[Any, ...]) -> Formula:
    choices: tuple[Formula, ...] = tuple(Compare(symbol, "=", v) for v in values)
    return choices[0] if len(choices) == 1 else Or(choices)


def _declared_signs(used: Iterable[Any], domain: Domain) -> list[Formula]:
    """What the domain's own symbols declare of themselves, which the domain must give as well.

    Computed variables are what their computation makes them: `denied` asks for it.
    """
    ranged = {v.symbol for v in domain.variables if isinstance(v, Real | Size | Choice)}
    symbols = sorted((s for s in used if s in ranged and isinstance(s, Symbol)), key=str)
    return [formula for symbol in symbols for formula in declared(symbol, symbol)]


def _misdeclared(variable: Any) -> bool:
    """Whether a symbol is declared an integer that its variable need not be."""
    if not isinstance(variable.symbol, Symbol) or not variable.symbol.is_integer:
        return False
    if isinstance(variable, Choice) and _is_what_it_says(variable):
        return any(sympify(v).is_integer is False for v in variable.values)
    return isinstance(variable, Real | Choice)


def contained(domain: Domain, other: Domain) -> bool:
    """Whether every point of `domain` lies in `other`, as far as the two descriptions show."""
    if domain is other:
        return True
    own = {v.symbol: v for v in domain.variables}
    for wide in other.variables:
        narrow = own.get(wide.symbol)
        if narrow is None or not _narrower(narrow, wide):
            return False
    held = {(c.latex, c.holds) for c in domain.conditions}
    return all((c.latex, c.holds) in held for c in other.conditions)


def _is_what_it_says(variable: Any) -> bool:
    """Whether a variable admits nothing beyond its ends or its list, as one of a class of its own may."""
    kinds = {Choice: (Choice,), Size: (Size, UpTo), Real: (Real,)}
    own = next((among for kind, among in kinds.items() if isinstance(variable, kind)), ())
    return not own or any(_is_a_range(variable, kind) for kind in own)


def _admits(variable: Choice, values: Iterable[Any]) -> bool:
    """Whether a choice admits values wherever the variables before it are."""
    with suppress(*UNDEFINED):
        return all(variable.objection(value, {}) is None for value in values)
    return False


def _is_a_range(variable: Any, kind: type) -> bool:
    """Whether a variable asks for what its kind does, as one of a class of its own need not."""
    asked = ("objection", "ends", "_contains")
    return all(getattr(type(variable), a, None) is getattr(kind, a, None) for a in asked)


def _is_the_same(narrow: Any, wide: Any) -> bool:
    """Whether two variables are equal in all that they hold, and not only in what their class compares.

    But for what the class says that it draws by, and asks for in no objection.
    """
    if type(narrow) is not type(wide) or not bool(narrow == wide):
        return False
    drawn_by = set(getattr(type(narrow), "DRAWN_BY", ())) - _asked_by(type(narrow))
    one, other = (
        {name: value for name, value in getattr(v, "__dict__", {}).items() if name not in drawn_by}
        for v in (narrow, wide)
    )
    return one == other


def _asked_by(kind: type) -> set[str]:
    """Names that the objection of a class holds, and those in what of the class it calls."""
    found, left = set[str](), ["objection"]
    while left:
        member = getattr(kind, left.pop(), None)
        code = getattr(getattr(member, "fget", getattr(member, "func", member)), "__code__", None)
        names = _names_in(code) - found if code is not None else set()
        found |= names
        left += names
    return found


def _names_in(code: CodeType) -> set[str]:
    """Names that a function reads or spells out, and those inside of it."""
    inside = [part for part in code.co_consts if isinstance(part, CodeType)]
    spelled = {part for part in code.co_consts if isinstance(part, str)}
    return spelled.union(code.co_names, *map(_names_in, inside))


def _narrower(narrow: Any, wide: Any) -> bool:
    """Whether a variable admits nothing that another one does not.

    What one with an objection of its own admits is known to itself alone: of two that differ, the first
    may admit more, whatever their ends and lists say.
    """
    if narrow is wide or _is_the_same(narrow, wide):
        return True
    if isinstance(narrow, Array) and isinstance(wide, Array):
        kinds = type(narrow), type(wide)  # heights and units only limit what is drawn
        return all(k.objection is Array.objection and k.shape is Array.shape for k in kinds)
    if type(narrow) is type(wide) is MasksLike:  # fewer masks share no fewer traits
        return set(narrow.values) <= set(wide.values)
    if not _is_what_it_says(narrow):
        return False
    if isinstance(narrow, Size) and isinstance(wide, Size):
        return _is_a_range(wide, Size) and bool(narrow.low >= wide.low)
    if isinstance(narrow, Real) and isinstance(wide, Real):
        return _is_a_range(wide, Real) and all(
            smt.follows(f, _range_of(narrow), assumptions=False) for f in _range_of(wide)
        )
    if isinstance(narrow, Choice) and isinstance(wide, Choice):
        listed = type(narrow) in {Choice, type(wide)}  # a class goes beyond its examples
        own, others = (set(map(typed, v.values)) for v in (narrow, wide))
        return listed and own <= others and _admits(wide, narrow.values)
    return False
