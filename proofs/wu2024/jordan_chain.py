r"""The chain X_j = X_k n^{k-j}, n = I - W_V, of a row X_k with X_k n^k = 0 and X_k n^{k-1} != 0.

A combination of the tokens that is zero stays so when multiplied by powers of n; of those that kill
all tokens but the last one with a coefficient, the longest shows that coefficient to be zero.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, KroneckerDelta, Symbol

from claims.model import Claim
from claims.statement import Compare, Exists, ForAll
from claims.terms import Recursion, entry
from claims.wu2024 import chains as claims
from claims.wu2024.chains import chain_length, coefficients, image_entry, token_entry, v
from claims.wu2024.notation import WV, d
from proofs.calculation import at_places, body_at, for_all, integers_apart, linked, sums_compared
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    choose,
    congruent,
    cut,
    discharge,
    generalise,
    induction,
    instance,
    joint,
    next_integer,
    prepended,
    recursion_start,
    recursion_step,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.independence import FromTheLast
from proofs.wu2024.norms import exchanged, picked, summed

DOMAIN = claims.equilibrium_rows_are_a_jordan_chain.domain
(UNIPOTENT,) = (v for v in DOMAIN.variables if isinstance(v, claims.Unipotent))
KILLED, SURVIVES, _ = UNIPOTENT.facts()
j, b = Symbol("j", integer=True), Symbol("b", integer=True)
m, s, u = (Symbol(name, integer=True, nonnegative=True) for name in "msu")
c, W = entry(coefficients), entry(WV)


def shift(row: Any, column: Any) -> Expr:
    """An entry of n = I - W_V."""
    return KroneckerDelta(row, column) - W(row, column)


def product(row: Any, matrix: Any, column: Any) -> Expr:
    return summed(lambda a: row(a) * matrix(a, column), d)


powers = Recursion(
    "P",
    lambda b: entry(v)(1, b),
    lambda t, b, before: product(before, shift, b),
)
"""v n^t."""
walked = Recursion(
    "Y",
    lambda b: entry(v)(1, b),
    lambda t, b, before: before(b) - product(before, W, b),
)
"""X_{k-t}, walked down by (30)."""
INSIDE = (Compare(b, ">=", 1), Compare(b, "<=", d))


def power(at: Any) -> Any:
    return lambda a: powers(at, a)


def same_at(at: Any) -> ForAll:
    return ForAll(b, 1, d, Compare(walked(at, b), "=", powers(at, b)))


def image(row: Any, column: Any) -> Theorem:
    """(x n)_b = x_b - (x W_V)_b."""
    own = picked(row, column, d)
    total = product(row, shift, column)
    return linked(Compare(total, "=", row(column) - product(row, W, column)), own)


@cache
def walks_down() -> Theorem:
    """Y(t) = v n^t, by induction."""
    starts = joint(same_at(Integer(0)).body, recursion_start(walked, b), recursion_start(powers, b))
    held = assume(same_at(s))

    def term(a: Any) -> Theorem:
        sides = (x(s, a) * W(a, b) for x in (walked, powers))
        return joint(Compare(next(sides), "=", next(sides)), instance(held, a))

    step = joint(
        same_at(s + 1).body, instance(held, b), sums_compared(term, d), image(power(s), b),
        recursion_step(walked, s, b), recursion_step(powers, s, b),
    )  # fmt: skip
    return induction(generalise(starts, b, 1, d), generalise(step, b, 1, d), s)


def zero_at(at: Any) -> ForAll:
    return ForAll(b, 1, d, Compare(powers(at, b), "=", 0))


def stays_zero(first: Any) -> Theorem:
    """A power that kills v is followed by such powers: for all t >= 0, v n^{first + t} = 0."""
    held = assume(zero_at(first + s))
    terms = sums_compared(
        lambda a: joint(Compare(powers(first + s, a) * shift(a, b), "=", 0), instance(held, a)),
        d,
    )
    step = linked(
        Compare(powers(first + s + 1, b), "=", 0), terms, recursion_step(powers, first + s, b)
    )
    step = cut(step, assume(Compare(first, ">=", 0)))
    return induction(assume(zero_at(first)), generalise(step, b, 1, d), s)


def read_power(at: Any, column: Any, *over: Any) -> Theorem:
    return unfold(claims.power_entry(at, column), powers(at, column), DOMAIN, over)


@cache
def killed() -> Theorem:
    """v n^t = 0 for all t >= k."""
    here = joint(
        Compare(powers(chain_length, b), "=", 0), instance(assume(KILLED), b),
        read_power(chain_length, b, (b, 1, d)),
    )  # fmt: skip
    return cut(stays_zero(chain_length), generalise(here, b, 1, d))


def vanishes(exponent: Any, column: Any) -> Theorem:
    return at_places(killed(), exponent - chain_length, column)


def from_survivor(conclusion: Theorem) -> Theorem:
    """What follows from an entry of v n^{k-1} that is not zero, in column `b`."""
    return choose(assume(SURVIVES), b, conclusion)


def survivor() -> Theorem:
    """v n^{k-1} is not zero in column b."""
    read = read_power(chain_length - 1, b, (b, 1, d))
    assert isinstance(SURVIVES, Exists)
    shape = body_at(SURVIVES, b)
    return joint(Compare(powers(chain_length - 1, b), "!=", 0), assume(shape), read)


LAST = Compare(j, "<=", chain_length)
TOKEN = ((j, 1, chain_length), (b, 1, d))


def token(at: Any, column: Any, *over: Any) -> Theorem:
    """X_j = v n^{k-j}."""
    read = unfold(token_entry(at, column), walked(chain_length - at, column), DOMAIN, over)
    same = at_places(walks_down(), chain_length - at, column)
    return joint(
        Compare(token_entry(at, column), "=", powers(chain_length - at, column)), read, same
    )


def chained() -> Theorem:
    body = joint(
        Compare(token_entry(j, b), "=", claims.power_entry(chain_length - j, b)), token(j, b, *TOKEN),
        read_power(chain_length - j, b, *TOKEN),
    )  # fmt: skip
    body = cut(body, assume(LAST))
    return for_all(body, (j, chain_length), (b, d))


# Eigenvectors ---------------------------------------------------------------------------------------


def moved() -> Theorem:
    """X_j - X_j W_V = v n^{k-j+1}."""
    row = lambda a: walked(chain_length - j, a)  # noqa: E731
    read = unfold(image_entry(j, b), product(row, W, b), DOMAIN, TOKEN)
    here = unfold(token_entry(j, b), row(b), DOMAIN, TOKEN)
    step = recursion_step(walked, chain_length - j, b)
    same = at_places(walks_down(), chain_length - j + 1, b)
    return cut(joint(
        Compare(token_entry(j, b) - image_entry(j, b), "=", powers(chain_length - j + 1, b)),
        read, here, step, same,
    ), assume(LAST))  # fmt: skip


def one_eigenvector() -> Theorem:
    """v n^{k-j+1} is zero for j = 1, and not for j > 1, or v n^{k-1} would be."""
    stays, one = claims.stays, Compare(j, "=", 1)
    step = moved()
    place = Symbol("p", integer=True)
    exponent = congruent(powers(chain_length - place + 1, b), place, j, Integer(1))
    first = joint(stays.body, step, vanishes(chain_length, b), exponent)
    back = discharge(generalise(first, b, 1, d), one)
    gone = joint(Compare(powers(chain_length - j + 1, b), "=", 0), instance(assume(stays), b), step)
    later = instance(
        cut(stays_zero(chain_length - j + 1), generalise(cut(gone, *map(assume, INSIDE)), b, 1, d)),
        j - 2,
    )
    absurd = joint(one, instance(later, b), survivor())
    absurd = cut(absurd, assume(Compare(j, ">=", 2)), assume(LAST), *map(assume, INSIDE))
    absurd = discharge(from_survivor(absurd), Compare(j, ">=", 2))
    gap = integers_apart(1, j)
    forth = discharge(joint(one, absurd, gap, given=(Compare(j, ">=", 1),)), stays)
    return generalise(joint(stays.iff(one), back, forth), j, 1, chain_length)


# Independence ---------------------------------------------------------------------------------------

NONE, TRIVIAL = claims.nothing_combined, claims.trivially_combined
ROWS = FromTheLast(lambda k: c(1, k), chain_length, j, u)
HERE = ROWS.here


def combined(at: Any, column: Any) -> Expr:
    """The combination, times n^at."""
    return summed(lambda k: c(1, k) * powers(chain_length - k + at, column), chain_length)


def combined_is_zero() -> Theorem:
    """The combination times any power of n, by induction on the power."""

    def read(k: Any) -> Theorem:
        sides = (c(1, k) * x for x in (token_entry(k, b), powers(chain_length - k, b)))
        shown = token(k, b, (k, 1, chain_length), (b, 1, d))
        shown = cut(shown, assume(Compare(k, "<=", chain_length)))
        return joint(Compare(next(sides), "=", next(sides)), shown)

    start = joint(
        Compare(combined(Integer(0), b), "=", 0), sums_compared(read, chain_length),
        instance(assume(NONE), b),
    )  # fmt: skip
    held = assume(ForAll(b, 1, d, Compare(combined(s, b), "=", 0)))

    def moved_term(k: Any) -> Theorem:
        exponent = chain_length - k + s
        inner = product(power(exponent), lambda a, column: c(1, k) * shift(a, column), b)
        step = recursion_step(powers, exponent, b)
        step = cut(step, assume(Compare(k, "<=", chain_length)))
        return linked(Compare(c(1, k) * powers(exponent + 1, b), "=", inner), step)

    def zero_term(a: Any) -> Theorem:
        inner = summed(
            lambda k: c(1, k) * powers(chain_length - k + s, a) * shift(a, b), chain_length
        )
        return linked(Compare(inner, "=", 0), instance(held, a))

    terms, zeros = sums_compared(moved_term, chain_length), sums_compared(zero_term, d)
    swap = exchanged(
        lambda k, a: c(1, k) * powers(chain_length - k + s, a) * shift(a, b), chain_length, d
    )
    step_ = linked(Compare(combined(s + 1, b), "=", 0), terms, swap, zeros)
    return induction(generalise(start, b, 1, d), generalise(step_, b, 1, d), s)


def one_term(k: Any) -> Theorem:
    """Times n^{p-1}, p = k - u: tokens before X_p are killed, coefficients after it vanish."""
    value = c(1, k) * powers(chain_length - k + HERE - 1, b)
    before = cut(
        vanishes(chain_length - k + HERE - 1, b),
        joint(Compare(k + 1, "<=", HERE), next_integer(k, HERE)),
    )
    return ROWS.alone(k, value, before)


def one_more_vanishes() -> Theorem:
    """Times n^{p-1} the combination is c_p v n^{k-1}, of which some entry is not zero."""
    total = at_places(combined_is_zero(), HERE - 1, b)
    alone = sums_compared(one_term, chain_length)
    chosen = picked(lambda k: c(1, k) * powers(chain_length - k + HERE - 1, b), HERE, chain_length)
    zero = joint(Compare(c(1, HERE), "=", 0), total, alone, chosen, survivor())
    zero = cut(zero, assume(Compare(u + 1, "<=", chain_length)), *map(assume, INSIDE))
    return prepended(from_survivor(zero), assume(ROWS.vanish(u)))


def independent() -> Theorem:
    """The coefficients of a combination that is zero vanish."""
    return discharge(joint(TRIVIAL, ROWS.all(one_more_vanishes())), NONE)


@proves(claims.equilibrium_rows_are_a_jordan_chain)
def by_powers_of_the_nilpotent_part(claim: Claim) -> Certificate:
    """Everything is a power of n applied to one row, and which powers vanish is known."""
    theorem = both(chained(), independent(), one_eigenvector())
    return conclude(claim, theorem, method="powers of the nilpotent part")
