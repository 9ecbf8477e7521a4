r"""Chains of bounds of norms over the whole box of Theorem D.7, by arithmetic.

With $x=s\eta$, $y=T^{1/8}$ and $w=\sqrt{|V|}$ every link is a polynomial inequality where
$8xy^3\le3$, $y^8\ge3$ and $w^2\ge490$; no size is fixed.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import Any

from sympy import Expr, Rational, Symbol, binomial, exp, expand_func, log, sqrt, symbols

from claims.im2026.boxes import HORIZON_ONE
from claims.im2026.displays import BOUNDS, TERMS
from claims.im2026.notation import T, eta, s, t, words
from claims.model import Claim
from claims.statement import Compare, Quantity
from claims.terms import put
from proofs.calculation import algebra
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import refute
from proofs.facts import LOG_BELOW_TANGENT, LOG_INCREASES
from proofs.im2026.displays import links_of, together
from proofs.kernel import (
    ProofError,
    Theorem,
    assume,
    both,
    compute,
    cut,
    fact,
    identity,
    joint,
    substitute,
    unfold,
)

__all__ = [
    "METHOD", "TO_ONE_HALF", "at_bounds", "boxed", "by_norms",
]  # fmt: skip

METHOD = "monotone in every norm, then polynomial inequalities on the box"

x, y, w = symbols("x y w", positive=True)
_steps = Symbol("s'", positive=True)
"""The number of steps, where it does not enter through x alone; a real number at least one."""
r, q = symbols("r q", nonnegative=True)
"""$\\sqrt{1+\\log T}$ and $\\sqrt t$, for displays that hold them."""
_TERMS = {
    x: s * eta, y: T ** Rational(1, 8), w: sqrt(words), _steps: s, r: sqrt(1 + log(T)), q: sqrt(t),
}  # fmt: skip
_BOX = (
    Compare(8 * x * y**3, "<=", 3), Compare(y**8, ">=", 3), Compare(w**2, ">=", 490),
    Compare(_steps, ">=", 1), Compare(r, "<=", y**4), Compare(q**2, ">=", 2),
    Compare(2 * x, "<=", 1),
)  # fmt: skip
TO_THE_HORIZON, TO_ONE_HALF = (0, 1, 2, 3, 4, 5), (2, 3, 6)
"""Sides of the box of Theorem D.7, and of the one without T where $s\\eta\\le\\tfrac12$."""


@cache
def _on_the_box() -> tuple[Theorem, ...]:
    """What the domain says of $x$, $y$ and $w$."""
    length, wide, steps = Compare(T, ">=", 3), Compare(words, ">=", 490), Compare(s, ">=", 1)
    shorter = Compare(eta, "<=", (HORIZON_ONE / s).subs(T, y**8))
    product = joint(Compare(8 * s * eta * y**3, "<=", 3), given=(shorter, steps))
    horizon = substitute(product, {y: T ** Rational(1, 8)})
    above = cut(fact(LOG_BELOW_TANGENT, x=T), joint(Compare(T, ">", 0), given=(length,)))
    below = cut(fact(LOG_INCREASES, a=1, b=T), assume(length))
    root = joint(Compare(sqrt(1 + log(T)), "<=", sqrt(T)), above, below, given=(length,))
    root = both(root, joint(Compare(sqrt(1 + log(T)), ">=", 0), below))
    later = joint(Compare(t, ">=", 2), given=(Compare(t, ">=", 2),))
    half = joint(Compare(2 * s * eta, "<=", 1), given=(Compare(eta, "<=", 1 / (2 * s)), steps))
    return horizon, assume(length), assume(wide), assume(steps), root, later, half


@cache
def _facts() -> tuple[Theorem, ...]:
    """Consequences of the box in x and y that solvers take long to find."""
    found = [joint(Compare(y, ">=", Rational(1147, 1000)), given=(_BOX[1],))]
    found.append(joint(Compare(4 * x, "<", 1), *found, given=(_BOX[0],)))
    found.append(joint(Compare(w, ">", 22), given=(_BOX[2],)))
    found += [compute(Compare(exp(1), "<", Rational(2719, 1000))), compute(Compare(exp(1), ">", 2))]
    found.append(compute(Compare(exp(2), "<", Rational(739, 100))))
    return tuple(found)


def boxed(goal: Compare, box: tuple[int, ...] = TO_THE_HORIZON) -> Theorem:
    """A comparison in s, eta, T and |V|, by arithmetic in x, y and w."""
    before = goal.map(in_the_box)
    held = {x, y, w, _steps} | before.free_symbols()
    places = [n for n in box if _BOX[n].free_symbols() <= held]
    given = [_BOX[n] for n in places]
    known = [found for found in _facts() if found.hypotheses <= set(given)]
    found = joint(before, *known, given=given)
    terms = {symbol: _TERMS[symbol] for symbol in held & _TERMS.keys()}
    found = cut(substitute(found, terms), *(_on_the_box()[n] for n in places))
    sides = [side for side in (goal.left, goal.right) if side.has(binomial)]
    return joint(goal, found, *(identity(side, plain(side)) for side in sides)) if sides else found


def in_the_box(term: Any) -> Any:
    """A term in x, y and w; s only where it does not cancel."""
    term = plain(term).subs(sqrt(1 + log(T)), r)
    return put(
        put(term, {eta: x / s, T: y**8, words: w**2, t: q**2}).powsimp().expand(), {s: _steps}
    )


Norms = tuple[tuple[Symbol, Any], ...]
"""Norms, and what each is at most."""


def plain(term: Any) -> Any:
    """Binomial coefficients as polynomials."""
    return term.replace(lambda e: isinstance(e, binomial), expand_func)


def by_norms(
    claim: Claim, *quantities: Quantity, bounds: Norms | None = None, sharper: Iterable[Theorem] = (),
    box: tuple[int, ...] = TO_THE_HORIZON,
) -> Certificate:  # fmt: skip
    """Judge a display by its links; the left-hand sides of some are terms in norms.

    `bounds` are of norms where not those of the domain do; `sharper` says that they follow from these.
    """
    own = claim.base or claim
    found = []
    for link in links_of(own.formula):
        # A link that does not follow is left to the search for a witness.
        with suppress(ProofError):
            named = link.left in quantities
            found.append(_by_its_term(link, own, box, bounds) if named else boxed(link, box))
    if not found:
        return refute(claim, method=METHOD)
    theorem = cut(together(found), *sharper)
    return conclude(claim, theorem, method=METHOD)


def _by_its_term(link: Any, claim: Claim, box: tuple[int, ...], bounds: Norms | None) -> Theorem:
    """A bound of a left-hand side: its term, with every norm at its bound, is at most that."""
    largest = at_bounds(link.left, bounds or BOUNDS[link.left])
    below = boxed(Compare(largest.formula.right, link.sign, link.right), box)
    return joint(link, unfold(link.left, TERMS[link.left], claim.domain), largest, below)


@cache
def at_bounds(quantity: Quantity, bounds: Norms) -> Theorem:
    """A term is at most what it is with every norm at its bound, as its coefficients are not negative."""
    whole = TERMS[quantity]
    term = plain(whole).expand()
    steps = [identity(whole, term)]
    for symbol, bound in reversed(bounds):
        while power := _degree(term, symbol):
            rate = (term.coeff(symbol, power) * symbol ** (power - 1)).expand()
            rest = (term - rate * symbol).expand()
            steps.append(_raised(rate, symbol, bound, rest))
            term = (rest + rate * bound).expand()
    return joint(Compare(whole, "<=", term), *steps)


def _degree(term: Expr, symbol: Symbol) -> int:
    """The power of a norm in a term."""
    return max(k for k in range(4) if k == 0 or term.coeff(symbol, k) != 0)


def _raised(rate: Expr, symbol: Symbol, bound: Any, rest: Expr) -> Theorem:
    """rate * norm + rest <= rate * bound + rest."""
    a, b, c, d = symbols("a b c d", real=True)
    given = (Compare(c, ">=", 0), Compare(a, "<=", b))
    known = [h for h in _SIGNS if h.free_symbols() <= rate.free_symbols]
    sign = joint(Compare(rate, ">=", 0), compute(Compare(exp(1), ">", 2)), given=known)
    goal = Compare(c * a + d, "<=", c * b + d)
    return algebra(goal, given, {a: symbol, b: bound, c: rate, d: rest}, sign)


_SIGNS = (Compare(s, ">=", 1), Compare(t, ">=", 2), Compare(T, ">=", 3), Compare(words, ">=", 490))
