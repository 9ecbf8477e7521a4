r"""Limits of the moments of a centred row $y=a-T^{-1}1$, whose entries $a_j$ are shares of i.i.d. $Z_j$.

Each is a polynomial in moments of shares, of which $T^p\,\mathbb E\,a_1^{p_1}\cdots a_r^{p_r}$ tends to
$\prod_i\mathbb E Z^{p_i}/(\mathbb E Z)^p$.  The third and the fourth moment of $Z$ come with $T^{-1}$ only.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, Symbol, oo, symbols

from claims.model import Claim
from claims.naitsaada2025 import row_moments as claims
from claims.naitsaada2025.notation import T_1, T, mean_Z, sigma_A, size
from claims.naitsaada2025.shares import (
    RELATIVE_VARIANCE,
    ROWS,
    Z,
    covariance,
    fourth,
    quartic,
    unevenness,
)
from claims.statement import Compare
from claims.terms import put
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import SHARES
from proofs.kernel import (
    Theorem,
    both,
    congruent,
    cut,
    derived,
    fact,
    generalise,
    identity,
    instance,
    joint,
    limit,
    limit_combined,
    limit_rewritten,
    substitute,
    unfold,
)
from proofs.registry import proves

METHOD = "moments of shares of independent variables"
x_2, x_22, x_3, x_4, u, w, x, y = symbols("x_2 x_{22} x_3 x_4 u w x y", real=True)
POWERS = {x_2: (2,), x_22: (2, 2), x_3: (3,), x_4: (4,)}
"""Scaled moments of shares, $T^p$ times the mean of a product of powers."""
CLOSED = {u: 1 / T, w: T / (T - 1)}
SHARE = {name: Z.shares(*powers)(T) for name, powers in POWERS.items()}
SEQUENCES = {name: T ** sum(powers) * SHARE[name] for name, powers in POWERS.items()} | CLOSED
s_2, s_22, s_3, s_4 = SHARE.values()
READ = {
    unevenness: T * s_2 - 1 / T,
    covariance: (T * s_2 - 1 / T) / (T - 1),
    fourth: T * s_4 + T * (T - 1) * s_22 - 2 * s_2 + 1 / T**2,
    quartic: T * s_4 - 4 * s_3 + 6 * s_2 / T - 3 / T**3,
}
r"""$\mathbb E\|y\|^2$; the same over $T-1$, the trace of the projection; $\mathbb E\|y\|^4$ with $\|y\|^2=
\sum_ja_j^2-T^{-1}$; and the mean of $\sum_jy_j^4$, for two rows and more."""
SCALED = {
    unevenness: (T, x_2 - 1, RELATIVE_VARIANCE),
    covariance: (T**2, (x_2 - 1) * w, RELATIVE_VARIANCE),
    fourth: (T**2, u * x_4 + (1 - u) * x_22 - 2 * x_2 + 1, RELATIVE_VARIANCE**2),
    quartic: (T**2, u * (x_4 - 4 * x_3 + 6 * x_2 - 3), Integer(0)),
}
"""What each is multiplied by, as a combination of sequences that converge, and its limit."""
MEAN, SECOND = Z.moment(1), Z.moment(2)
_M, _S = symbols("M S", real=True)


@cache
def _of_the_law() -> tuple[Theorem, Theorem, Theorem]:
    """E Z = m > 0 and E Z^2 = m^2 + sigma_A^2."""
    mean = unfold(MEAN, mean_Z, ROWS)
    positive = joint(Compare(MEAN, ">", 0), mean, given=(Compare(mean_Z, ">", 0),))
    return positive, mean, unfold(SECOND, mean_Z**2 + sigma_A**2, ROWS)


def _of_shares(name: Symbol, tokens: Any, order: int) -> Theorem:
    known = fact(SHARES, share=Z.shares(*POWERS[name])(tokens), k=size, order=order)
    return cut(known, _of_the_law()[0])


@cache
def _read(family: Any) -> Theorem:
    """For all T >= 2: the scaled moment is the combination."""
    factor, term, _ = SCALED[family]
    said = unfold(family(T), READ[family], ROWS, ((T, 2, oo),))
    goal = Compare(factor * family(T), "=", put(term, SEQUENCES))
    return generalise(joint(goal, said, given=(Compare(T, ">=", 2),)), T, 2, oo)


def _end(found: Expr, wanted: Expr) -> Theorem:
    """`found = wanted`, of which the first is in moments of Z and the second in m and sigma_A."""
    _, mean, second = _of_the_law()
    half, whole = (
        found.xreplace({MEAN: mean_Z, SECOND: other}) for other in (_S, second.formula.right)
    )
    by_mean = cut(congruent(found.xreplace({MEAN: _M}), _M, MEAN, mean_Z), mean)
    by_second = cut(congruent(half, _S, SECOND, second.formula.right), second)
    return joint(Compare(found, "=", wanted), by_mean, by_second, identity(whole, wanted))


def _constant(value: Expr) -> Theorem:
    return substitute(limit(y, size), {y: value})


def _with_limit(tends: Theorem, equal: Theorem) -> Theorem:
    """From `a -> b` and `b = c` that `a -> c`, by the sequence less its limit."""
    term, (found, wanted) = tends.formula.term, (equal.formula.left, equal.formula.right)
    less = limit_combined(x - y, {x: tends, y: _constant(found)})
    same = joint(Compare(term - found, "=", term - wanted), equal)
    moved = limit_rewritten(less, generalise(same, size, 1, oo))
    return limit_combined(x + y, {x: moved, y: _constant(wanted)})


@cache
def of_a_row(family: Any, each: Any = T_1, order: int = 4) -> Theorem:
    """The limit of a moment of a row of k times `each` entries, for Z with a moment of that order."""
    _, term, end = SCALED[family]
    tokens = each * size
    parts = {
        name: limit(CLOSED[name].xreplace({T: tokens}), size)
        if name in CLOSED
        else _of_shares(name, tokens, order)
        for name in sorted(term.free_symbols, key=str)
    }
    several = joint(Compare(tokens, ">=", 2), given=(Compare(size, ">=", 2),))
    equal = generalise(cut(instance(_read(family), tokens), several), size, 2, oo)
    tends = limit_rewritten(limit_combined(term, parts), equal)
    found = tends.formula.limit
    return tends if found == end else _with_limit(tends, _end(found, end))


@proves(claims.moments_of_a_row)
def by_moments_of_shares(claim: Claim) -> Certificate:
    """Each of the four, as the length itself grows."""
    found = [
        derived(limiting, end, ROWS, METHOD, of_a_row(family, Integer(1)))
        for (family, (*_, end)), limiting in zip(
            SCALED.items(), claims.LIMITS.values(), strict=True
        )
    ]
    return conclude(claim, both(*found), method=METHOD)
