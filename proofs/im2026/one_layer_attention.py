"""Proofs of Eqs. (92)-(96) and (110)-(117)."""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Integer, KroneckerDelta, Rational, Sum, Symbol, exp, log, sqrt, symbols

from claims.im2026 import one_layer_attention as claims
from claims.im2026.displays import TERMS
from claims.im2026.notation import T, eta, j, k, s, t
from claims.im2026.one_layer_attention import error, leading, position_score, word_score
from claims.model import Claim
from claims.statement import And, Compare, ForAll
from claims.terms import entry
from proofs.calculation import (
    algebra,
    conjuncts,
    for_all,
    integers_apart,
    linked,
    place,
    summed_over,
)
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.facts import CAUCHY_SCHWARZ, LOG_BELOW_TANGENT
from proofs.im2026.chains import METHOD, boxed, by_norms
from proofs.kernel import (
    Theorem,
    assume,
    both,
    compute,
    cut,
    extremum_bounds,
    fact,
    generalise,
    identity,
    induction,
    instance,
    joint,
    substitute,
    sum_split,
    unfold,
)  # fmt: skip
from proofs.registry import proves

n = Symbol("n", integer=True, positive=True)
FIRST = Compare(k, ">=", 1)


p, q, v, a, b = symbols("p q v a b", real=True)


def leading_is_not_negative() -> Theorem:
    """(s - 1)(s - 2) is not negative for integers."""
    later = (Compare(s, ">=", 1),)
    apart = [integers_apart(Integer(n), s) for n in (1, 2)]
    product = joint(Compare((s - 1) * (s - 2), ">=", 0), *apart, given=later)
    outer = joint(Compare((3 * s - 1) * s * eta**4, ">=", 0), given=later)
    value = identity(leading, eta**4 * s * (3 * s - 1) * (s - 1) * (s - 2) / 12)
    return joint(Compare(leading, ">=", 0), product, outer, value)


def few_steps() -> Theorem:
    r"""$6\binom s4+4\binom s3\le2s^4$."""
    return boxed(Compare(leading, "<=", 2 * claims.x**4))


@proves(claims.logits_are_below_one_half)
def by_both_errors(claim: Claim) -> Certificate:
    """Two leading terms of one sign at most, and two errors."""
    domain = (claim.base or claim).domain
    named = unfold(claims.logit, Abs(word_score + position_score), domain)
    drawn = {variable.symbol for variable in claims.NEAR}
    near = [fact for fact in facts_of(domain) if fact.free_symbols() & drawn]
    goal = Compare(claims.logit, "<=", leading + error)
    first = joint(goal, named, leading_is_not_negative(), given=near)
    tight = boxed(Compare(2 * claims.x**4 + error, "<=", Rational(1, 24)))
    second = joint(Compare(leading + error, "<=", Rational(1, 24)), few_steps(), tight)
    return conclude(claim, both(first, second), method=METHOD)


def harmonic(last: Any) -> Sum:
    """1 + 1/2 + ... + 1/n."""
    return Sum(1 / k, (k, 1, last))


def harmonic_below_logarithm(last: Any = T) -> Theorem:
    r"""$\sum_{k\le T}\tfrac1k\le1+\log T$, by induction."""
    later = Compare(n, ">=", 1)
    before = assume(Compare(harmonic(n), "<=", 1 + log(n)))
    positive = joint(Compare(n / (n + 1), ">", 0), given=(later,))
    below = cut(fact(LOG_BELOW_TANGENT, x=n / (n + 1)), positive)
    apart = identity(log(n / (n + 1)), log(n) - log(n + 1))
    share = identity(n / (n + 1) - 1, -1 / (n + 1))
    goal = Compare(harmonic(n + 1), "<=", 1 + log(n + 1))
    step = joint(goal, sum_split(harmonic(n + 1)), before, below, apart, share, given=(later,))
    start = joint(Compare(harmonic(1), "<=", 1), identity(harmonic(1), Integer(1)))
    defined = generalise(joint(Compare(k, "!=", 0), given=(FIRST,)), k, 1, 1)
    every = induction(cut(start, defined), step, n, 1)
    return instance(every, last)


@proves(claims.harmonic_sums_are_below_logarithms)
def by_the_tangent_of_the_logarithm(claim: Claim) -> Certificate:
    """One more term is $-(\\tfrac n{n+1}-1)\\le-\\log\\tfrac n{n+1}$."""
    domain, last = claims.harmonic_sums_are_below_logarithms.domain, claims.r
    read = unfold(claims.harmonic, harmonic(last), domain)
    long = joint(Compare(last, ">=", 1))
    bound = cut(harmonic_below_logarithm(last), long)
    theorem = joint(Compare(claims.harmonic, "<=", 1 + log(last)), read, bound)
    return conclude(claim, theorem, method="induction, tangent of the logarithm")


def roots_of_harmonic_sums() -> tuple[Theorem, ...]:
    r"""The root of the sum is at most $\sqrt T$ and $\sqrt{1+\log T}$, and not negative."""
    above, long = joint(Compare(0, "<=", 1 / k), given=(FIRST,)), Compare(T, ">=", 1)
    terms = [above, joint(Compare(1 / k, "<=", 1), given=(FIRST,))]
    low, high = (summed_over(term, (k, T)) for term in terms)
    root, log_bound = sqrt(harmonic(T)), harmonic_below_logarithm()
    signs = [
        linked(Compare(harmonic(T), ">=", 0), low),
        linked(Compare(harmonic(T), "<=", T), high),
    ]
    return (
        joint(Compare(root, ">=", 0), *signs, given=(long,)),
        joint(Compare(root, "<=", sqrt(T)), *signs, given=(long,)),
        joint(Compare(root, "<=", sqrt(1 + log(T))), signs[0], log_bound, given=(long,)),
    )


@proves(claims.attention_moves_little)
def by_harmonic_sums(claim: Claim) -> Certificate:
    """The norm of all rows is that of the first times the root of a harmonic sum."""
    domain, e, largest = (claim.base or claim).domain, exp(1), claims.largest_logit
    positive, lead = compute(Compare(e, ">", 0)), leading_is_not_negative()
    rest = joint(Compare(error, ">=", 0))
    c, z, a, b, h, u, v = symbols("c z a b h u v", real=True)
    values = {c: e, z: largest, a: leading, b: error}
    given = [Compare(c, ">", 0), Compare(a, ">=", 0), Compare(b, ">=", 0), Compare(z, "<=", a + b)]
    signs = (positive, lead, rest)
    one = Compare(h, ">=", 1)
    root = joint(Compare(sqrt(t), ">=", 1), given=(Compare(t, ">=", 1),))
    bound = Compare(c / h * z, "<=", c * a + c * b / h)
    row = algebra(bound, [*given, one], {**values, h: sqrt(t)}, *signs, root)
    named = unfold(claims.frobenius, e * largest * sqrt(harmonic(T)), domain)
    inside = [Compare(h, ">=", 0), Compare(h, "<=", u), Compare(h, "<=", v)]
    bound = Compare(c * z * h, "<=", c * a * u + c * b * v)
    ends = {h: sqrt(harmonic(T)), u: sqrt(T), v: sqrt(1 + log(T))}
    norm = algebra(bound, [*given, *inside], {**values, **ends}, *signs, *roots_of_harmonic_sums())
    fewer, long = few_steps(), Compare(T, ">=", 1)
    bound, given = (
        Compare(c * a * u, "<=", c * b * u),
        [given[0], Compare(a, "<=", b), Compare(u, ">=", 0)],
    )
    ends = {c: e, a: leading, b: 2 * claims.x**4, u: sqrt(T)}
    last = algebra(
        bound, given, ends, positive, fewer, joint(Compare(sqrt(T), ">=", 0), given=(long,))
    )
    _, *others = conjuncts((claim.base or claim).formula)
    later = joint(Compare(t, ">=", 0), given=(Compare(t, ">=", 1),))
    found = [
        generalise(cut(row, later), t, 1, T),
        joint(others[0], named, norm),
        joint(others[1], last),
    ]
    theorem = cut(both(*found), joint(long, given=(Compare(T, ">=", 3),)))
    return conclude(claim, theorem, method="harmonic sums and a tangent of the logarithm")


@proves(claims.attention_has_norm_near_two)
def by_a_tangent_of_the_logarithm(claim: Claim) -> Certificate:
    r"""$\log T\le T-1$."""
    return by_norms(claim, claims.attention)


length = claims.row_length
d, u = entry(claims.shift), entry(claims.direction)


def over_row(term: Expr) -> Sum:
    """Summed over the places of a row."""
    return Sum(term, (k, 1, length))


D, U = claims.SQUARES, claims.LENGTH
S, C, Q = over_row(u(k)), over_row(d(k) * u(k)), over_row(d(k) * u(k) ** 2)


def not_negative(term: Expr) -> Theorem:
    """A sum of squares."""
    below = summed_over(joint(Compare(0, "<=", term)), (k, length))
    return linked(Compare(over_row(term), ">=", 0), below)


def diagonal_part(
    goal: Compare, direction: Expr, *known: Theorem, given: tuple[Any, ...] = ()
) -> Theorem:
    r"""$|\sum d_kv_k^2|\le\max|d_k|\,\|v\|^2$ for a direction v, and what linearity makes of it."""
    largest = extremum_bounds(claims.FARTHEST, k)
    sides = (
        joint(Compare(sign * d(k) * direction**2, "<=", claims.FARTHEST * direction**2), largest)
        for sign in (1, -1)
    )
    sums = [summed_over(side, (k, length)) for side in sides]
    return linked(goal, *sums, *known, given=given)


def by_parts(claim: Claim, bound: Expr, *parts: Theorem) -> Theorem:
    """The form from its parts: diagonal, mixed products, square."""
    form = unfold(
        claims.form_moved, Abs(Q - 2 * S * C / length - C**2), (claim.base or claim).domain
    )
    goal = Compare(claims.form_moved, "<=", bound * U)
    return joint(goal, form, *parts, cauchy(d(k), u(k)))


def cauchy(a: Expr, b: Expr) -> Theorem:
    """The square of a sum of products."""
    return fact(CAUCHY_SCHWARZ, a=a, b=b, k=k, low=1, high=length)


def positive_roots() -> tuple[Theorem, ...]:
    """What is known of the roots of t and of the sum of squares of d."""
    squares = not_negative(d(k) ** 2), not_negative(u(k) ** 2)
    root = joint(And((Compare(sqrt(D), ">=", 0), Compare(sqrt(D) ** 2, "=", D))), *squares)
    return *squares, root, joint(Compare(sqrt(length), ">", 0))


def mixed_part() -> Theorem:
    """2 |S C|/t is at most 2 sqrt(D/t) U, by Cauchy-Schwarz for S and for C."""
    signs = [Compare(p, ">", 0), Compare(q, ">=", 0), Compare(v, ">=", 0)]
    given = [Compare(a**2, "<=", p**2 * v), Compare(b**2, "<=", q**2 * v)]
    squares = joint(Compare((a * b) ** 2, "<=", (p * q * v) ** 2), given=[*given, *signs])
    root = joint(Compare(Abs(a * b), "<=", p * q * v), squares, given=signs)
    share = joint(Compare(Abs(2 * a * b / p**2), "<=", 2 * q * v / p), root, given=signs)
    values = {p: sqrt(length), q: sqrt(D), v: U, a: S, b: C}
    short = linked(Compare(S**2, "<=", length * U), cauchy(Integer(1), u(k)))
    return cut(substitute(share, values), short, cauchy(d(k), u(k)), *positive_roots())


@proves(claims.centred_row_moves_the_jacobian_less)
def by_centring_the_direction(claim: Claim) -> Certificate:
    """Two variances of a direction: each is at most the squares about the mean of the other."""
    m = place("m")
    mean = Sum(u(m), (m, 1, length)) / length
    moved = mean + Sum(d(m) * u(m), (m, 1, length))
    total = Compare(over_row(d(k)), "=", 0)
    far, rest = claims.FARTHEST, U - S**2 / length
    goal = Compare(Abs(Q - 2 * S * C / length), "<=", far * rest)
    above = diagonal_part(goal, u(k) - mean, given=(total,))
    goal = Compare(Q - 2 * (S / length + C) * C, ">=", -far * (rest + length * C**2))
    below = diagonal_part(goal, u(k) - moved, given=(total,))
    share, square = 1 / length + d(k), (u(k) - moved) ** 2
    shares = instance(assume(ForAll(k, 1, length, Compare(d(k), ">=", -1 / length))), k)
    signs = joint(Compare(0, "<=", share * square), shares)
    variance = Compare(rest / length + Q - 2 * S * C / length - C**2, ">=", 0)
    own = linked(variance, summed_over(signs, (k, length)), given=(total,))
    spread = linked(Compare(rest, ">=", 0), not_negative((u(k) - mean) ** 2))
    first = extremum_bounds(far, Integer(1))
    q, c, w, r, h = symbols("q c w r h", real=True)
    known = [
        Compare(Abs(q), "<=", r * w), Compare(q - 2 * c**2, ">=", -r * (w + h * c**2)),
        Compare(w / h + q - c**2, ">=", 0), Compare(w, ">=", 0), Compare(r, ">=", 0), Compare(h, ">", 0),
    ]  # fmt: skip
    values = {q: Q - 2 * S * C / length, c: C, w: rest, r: far, h: length}
    size = joint(Compare(length, ">", 0))
    near = algebra(
        Compare(Abs(q - c**2), "<=", r * w), known, values, above, below, own, spread, first, size
    )
    short = joint(Compare(far * rest, "<=", far * U), first)
    theorem = by_parts(claim, far, near, short)
    return conclude(claim, theorem, method="variances of a direction under two laws")


@proves(claims.jacobian_of_a_moved_row)
def by_cauchy_in_every_part(claim: Claim) -> Certificate:
    """Entries by algebra; the form by the maximum and Cauchy-Schwarz."""
    named = unfold(
        claims.entry_moved(j, k),
        KroneckerDelta(j, k) * d(j) - d(k) / length - d(j) / length - d(j) * d(k),
        (claim.base or claim).domain, over=((j, 1, length), (k, 1, length)),
    )  # fmt: skip
    entries = for_all(named, (j, length), (k, length))
    diagonal = diagonal_part(Compare(Abs(Q), "<=", claims.FARTHEST * U), u(k))
    bound = claims.FARTHEST + 2 * sqrt(D) / sqrt(length) + D
    theorem = both(entries, by_parts(claim, bound, diagonal, mixed_part()))
    return conclude(claim, theorem, method="Cauchy-Schwarz for each part")


def row_of_attention_moves_little() -> Theorem:
    r"""$\|\delta a\|\le\tfrac75s^2\eta^2$ in rows from the second on."""
    x, bound = claims.x, Rational(7, 5) * claims.x**2
    small = boxed(Compare(exp(1) * (2 * x**4 + error / sqrt(t)), "<=", bound))
    given = Compare(claims.row_gap, "<=", claims.row_bound)
    return joint(
        Compare(claims.row_gap, "<=", bound),
        few_steps(),
        small,
        compute(Compare(exp(1), ">", 0)),
        given=(given,),
    )


@proves(claims.jacobian_moves_in_second_order)
def by_the_norm_of_a_row(claim: Claim) -> Certificate:
    """The largest entry of a row is at most its norm."""
    bounds = (
        (claims.row_gap, Rational(7, 5) * claims.x**2), (claims.largest_entry, claims.row_gap)
    )  # fmt: skip
    near = row_of_attention_moves_little()
    return by_norms(claim, claims.jacobian_gap, bounds=bounds, sharper=[near])


@proves(claims.jacobian_moves_by_the_row)
def by_its_largest_entry(claim: Claim) -> Certificate:
    """The largest entry is at most the bound of the row, and the second bracket at least one."""
    named = unfold(claims.centred_gap, TERMS[claims.centred_gap], (claim.base or claim).domain)
    inside = Compare(t, "<=", T), Compare(t, ">=", 2)
    c, g, h, m = symbols("c g h m", real=True)
    goal = Compare(m, "<=", c * (a + b / h) * (1 + 2 / h + a + b / h))
    given = [
        Compare(m, "<=", g), Compare(g, "<=", c * (a + b / h)), Compare(a, ">=", 0),
        Compare(b, ">=", 0), Compare(c, ">", 0), Compare(h, ">", 1),
    ]  # fmt: skip
    values = {
        m: claims.largest_entry,
        g: claims.row_gap,
        a: leading,
        b: error,
        c: exp(1),
        h: sqrt(t),
    }
    below = algebra(
        goal, given, values, leading_is_not_negative(), joint(Compare(error, ">=", 0)),
        compute(Compare(exp(1), ">", 0)), joint(Compare(sqrt(t), ">", 1), given=inside),
    )  # fmt: skip
    theorem = joint((claim.base or claim).formula, named, below)
    return conclude(claim, theorem, method=METHOD)


@proves(claims.jacobian_moves_as_is_said)
def by_the_bound_of_a_row(claim: Claim) -> Certificate:
    """The largest entry and the norm of a row, each at the bound (110)."""
    subject, root = claims.jacobian_moves_by_three_displays, sqrt(t)
    largest, row = claims.largest_entry, claims.row_gap
    named = unfold(claims.jacobian_gap, TERMS[claims.jacobian_gap], subject.domain)
    c, g, h, m = symbols("c g h m", real=True)
    given = [Compare(m, "<=", g), Compare(g, "<=", c), Compare(g, ">=", 0), Compare(h, ">", 1)]
    below = algebra(
        Compare(m + 2 / h * g + g**2, "<=", c * (1 + 2 / h + c)), given,
        {m: largest, g: row, c: claims.row_bound, h: root},
        joint(Compare(root, ">", 1), given=(Compare(t, ">=", 2),)),
    )  # fmt: skip
    theorem = joint(subject.formula, named, below)
    return conclude(claim, theorem, method=METHOD)


@proves(claims.einsum_stays_near_the_centred_scores)
def by_the_largest_row(claim: Claim) -> Certificate:
    """A block of the Jacobian for each row: norms of blocks do not add up."""
    return by_norms(claim, claims.score, claims.jacobian, claims.weighted_by_one)


@proves(claims.einsum_as_printed)
def by_the_largest_block(claim: Claim) -> Certificate:
    """The same with two for the Jacobian."""
    return by_norms(claim, claims.score, claims.jacobian, claims.weighted_by_two)
