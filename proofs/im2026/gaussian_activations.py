r"""Inequalities before the first step from a Gaussian start.

Everything follows from three bounds on `START`, $3\eta^{9/2}$ and its products with $\sqrt T$ and $T$,
and from $L\eta\le1/12$, $\eta\le4/49$; roots of $\eta,T,|V|$ are symbols of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from sympy import E, Rational, Symbol, exp, sqrt, symbols

from claims.domain import Domain
from claims.im2026 import gaussian_activations as claims
from claims.im2026.boxes import GAUSSIAN
from claims.im2026.displays import TERMS
from claims.im2026.gaussian_activations import ROW, START, y
from claims.im2026.notation import T, depth, eta, words
from claims.model import Claim
from claims.statement import Compare, Formula
from proofs.calculation import algebra
from proofs.calculus.curves import MonotoneSign
from proofs.calculus.inequalities import BoxBound
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.facts import EXP_ABOVE_TANGENT, POWER_INCREASES
from proofs.im2026.displays import links_of, together
from proofs.im2026.layered_activations import mixing_shortens
from proofs.kernel import (
    ProofError,
    Theorem,
    assume,
    certified,
    compute,
    cut,
    discharge,
    fact,
    joint,
    substitute,
    unfold,
)
from proofs.registry import proves

__all__ = [
    "METHOD",
    "SMALL",
    "bounded_products",
    "bounds_of",
    "facts_of_the_box",
    "in_arithmetic",
    "power_is_short",
    "r",
    "size_of_e",
    "start",
]

METHOD = "real arithmetic of norms (z3)"
BOX = tuple(facts_of(GAUSSIAN))
c, r, tau, omega = (Symbol(name, positive=True) for name in ("c", "r", "tau", "omega"))
"""START and the roots of eta, T and |V|."""
ROOTS = {r: sqrt(eta), tau: sqrt(T), omega: sqrt(words)}
SMALL = Rational(2, 7)


@cache
def facts_of_the_box() -> tuple[Theorem, ...]:
    r"""$\sqrt\eta\le2/7$, $1\le\sqrt\eta\sqrt T\le4/5$... in roots: what all bounds are made of."""
    shown = (
        Compare(sqrt(eta) * sqrt(T), ">=", 1),
        Compare(sqrt(eta) * sqrt(words), ">=", 1),
        Compare(eta * sqrt(T), "<=", Rational(5, 8)),
        Compare(sqrt(eta), "<=", SMALL),
        Compare(depth * eta, "<=", Rational(1, 12)),
    )
    return tuple(joint(goal, given=BOX) for goal in shown)


@cache
def start() -> tuple[Theorem, ...]:
    r"""$3\eta^2/(T^2\sqrt{|V|})$ times 1, $\sqrt T$, T is at most $3\eta^{9/2},3\eta^4,3\eta^{7/2}$."""
    given = (Compare(r * tau, ">=", 1), Compare(r * omega, ">=", 1))
    written = 3 * r**4 / (tau**4 * omega)
    goals = [Compare(written * tau**power, "<=", 3 * r ** (9 - power)) for power in range(3)]
    found = [algebra(goal, given, ROOTS, *facts_of_the_box()) for goal in goals]
    layers = joint(
        Compare(depth * START, "<=", eta ** Rational(7, 2) / 4), found[0], *facts_of_the_box()
    )
    return (*found, layers)


def bounds_of(domain: Domain) -> tuple[Formula, ...]:
    """What a domain says of its norms, beyond the box."""
    return tuple(facts_of(Domain(domain.variables[len(GAUSSIAN.variables) :])))


def bounded_products(
    domain: Domain, links: Iterable[Formula], *lemmas: Theorem
) -> tuple[Theorem, ...]:
    """Links of a display, by arithmetic of what is known of the start, the box and its norms."""
    bounds, found = bounds_of(domain), list(lemmas)
    for link in links:
        known = [unfold(quantity, TERMS[quantity], domain) for quantity in link.quantities()]
        try:
            found.append(joint(link, *known, *found, given=bounds))
        except ProofError:
            more = (*start(), *facts_of_the_box())
            found.append(joint(link, *known, *found, *more, given=bounds))
    return tuple(found[len(lemmas) :])


def in_arithmetic(claim: Claim, *lemmas: Theorem) -> Certificate:
    """A display all of whose links are arithmetic, judged as printed, mutated or repaired."""
    domain = (claim.base or claim).domain
    display = links_of((claim.base or claim).formula)
    links = bounded_products(domain, display, *lemmas)
    return conclude(claim, together(links), method=METHOD)


@cache
def size_of_e() -> tuple[Theorem, ...]:
    """e between 0 and 2.719."""
    return compute(Compare(E, ">", 0)), compute(Compare(E, "<=", Rational(2719, 1000)))


@cache
def power_is_short() -> Theorem:
    """(1 + c/L)^L <= e^c <= 1 + 2c on [0, 1]: below 1/2 by the slope, above it by balls."""
    slope = BoxBound(2 - exp(y), ((y, 0, Rational(1, 2)),))
    near = certified(MonotoneSign(1 + 2 * y - exp(y), slope, 0, ">=0"))
    away = certified(BoxBound(1 + 2 * y - exp(y), ((y, Rational(1, 2), 1),)))
    cases = [
        discharge(case, Compare(y, sign, Rational(1, 2)))
        for case, sign in ((near, "<="), (away, ">="))
    ]
    exponential = joint(Compare(exp(y), "<=", 1 + 2 * y), *cases)
    ratio = y / depth
    tangent = fact(EXP_ABOVE_TANGENT, x=ratio)
    power = fact(POWER_INCREASES, a=1 + ratio, b=exp(ratio), p=depth)
    one = Compare(depth, ">=", 1)
    ends = [
        joint(Compare(1 + ratio, ">=", 0), given=(one,)),
        joint(Compare(1 + ratio, "<=", exp(ratio)), tangent),
        joint(Compare(depth, ">=", 0), given=(one,)),
    ]
    goal = Compare((1 + ratio) ** depth, "<=", 1 + 2 * y)
    return joint(goal, cut(power, *ends), exponential)


@proves(claims.rows_stay_near_their_tokens)
def by_the_exponential(claim: Claim) -> Certificate:
    """The power lies below the exponential, which lies below a chord; L times START is small."""
    domain = claims.rows_stay_near_their_tokens.domain
    given = tuple(facts_of(domain))
    short = power_is_short()
    total = depth * START
    small = [
        joint(Compare(total, "<=", 1), *start(), *facts_of_the_box()),
        joint(Compare(total, ">=", 0)),
    ]
    layers = cut(substitute(short, {y: total}), *small)
    ends = [
        joint(Compare(1 + claims.value, ">=", 0)),
        joint(Compare(1 + claims.value, "<=", 1 + START), given=given),
        joint(Compare(depth, ">=", 0), given=given),
    ]
    power = cut(fact(POWER_INCREASES, a=1 + claims.value, b=1 + START, p=depth), *ends)
    return in_arithmetic(claim, short, layers, power)


@proves(claims.attention_starts_near_uniform)
def by_long_sequences(claim: Claim) -> Certificate:
    r"""START times $\sqrt T$ is at most $3\eta^{7/2}/\sqrt T$, START alone a seventh of that."""
    unit = eta ** Rational(7, 2) / sqrt(T)
    x, many, one, u = (Symbol(name, positive=True) for name in ("x", "many", "one", "u"))
    terms = {x: ROW, many: START * sqrt(T), one: START, u: unit}
    given = (
        Compare(many, "<=", 3 * u),
        Compare(7 * one, "<=", 3 * u),
        Compare(x, "<=", Rational(11, 10)),
    )
    known = [
        joint(goal.substitute(terms), *start(), *facts_of_the_box(), given=(Compare(T, ">=", 60),))
        for goal in given
    ]
    middle = algebra(Compare(x**2 * many + one, "<=", 6 * u), given, terms, *known)
    return in_arithmetic(claim, middle, *size_of_e())


@proves(claims.rows_of_attention_start_near_uniform)
def by_the_first_row(claim: Claim) -> Certificate:
    """A row is shared by at least one token."""
    z, u, t = symbols("z u t", nonnegative=True)
    given = Compare(z, "<=", u), Compare(t, ">=", 1)
    found = joint(Compare(E / t * z, "<=", E * u), *size_of_e(), given=given)
    terms = {z: claims.scores, u: claims.LOGITS, t: claims.place}
    return in_arithmetic(claim, substitute(found, terms))


@proves(claims.single_rows_grow_by_their_own_length)
def by_two_words(claim: Claim) -> Certificate:
    """Mixing two words shortens a row by at least a(1 - a); rows differ by less."""
    logits = joint(
        Compare(claims.LOGITS, "<=", Rational(1, 200)),
        *facts_of_the_box(),
        given=(Compare(T, ">=", 60),),
    )
    tangent = fact(EXP_ABOVE_TANGENT, x=-2 * claims.LOGITS)
    domain = (claim.base or claim).domain
    near = joint(
        Compare(2 * claims.STRAYED, "<=", claims.LEAST * (1 - claims.LEAST)), *start(),
        *facts_of_the_box(), given=(Compare(T, ">=", 60),),
    )  # fmt: skip
    own = (claims.row, claims.own_word, claims.strayed, claims.value)
    bounds = [assume(formula) for formula in bounds_of(domain)]
    known = [joint(Compare(2 * claims.strayed, "<=", near.formula.right), near, *bounds)]
    found = cut(mixing_shortens(claims.LEAST, *own), *known, *bounds)
    return in_arithmetic(claim, logits, tangent, found)


@proves(claims.output_is_small)
def by_products_of_norms(claim: Claim) -> Certificate:
    """Products of norms are at most the products of their bounds; e is below 2.719."""
    return in_arithmetic(claim, *size_of_e())
