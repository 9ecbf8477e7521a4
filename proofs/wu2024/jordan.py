r"""Proofs for the first token: powers of the Jordan block (31) and the degrees of its coordinates.

W_V = I + w S with the shift S, so coordinate b of x W_V is x_b + w x_{b-1}.  By Pascal's rule
(x W_V^t)_b = sum_m C(t, m) w^m x_{b-m} for all t, d and b <= d; everything is read from there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import (
    Expr,
    IndexedBase,
    Integer,
    KroneckerDelta,
    Lambda,
    Piecewise,
    Poly,
    Sum,
    Symbol,
    binomial,
    combsimp,
    expand_func,
    factorial,
    oo,
    simplify,
    symbols,
    sympify,
)

from claims.model import Claim
from claims.wu2024 import jordan as claims
from claims.wu2024.jordan import (
    IteratedSum,
    combined,
    m,
    next_1,
    next_1_up,
    now_1,
    now_1_up,
    now_2,
    now_i,
    r_2,
)
from claims.wu2024.notation import t, w
from proofs.certificate import Certificate, Checked, Limit
from proofs.decide import decide, refute
from proofs.registry import proves

SCOPE = "all w > 0, all d >= i, all t >= 0, every first token with X_11 != 0"


@cache
def column_of_jordan() -> Expr:
    """sum_a x_a (delta_{ab} + w delta_{a+1,b}) over 1 <= a <= d, for 2 <= b <= d."""
    a, b, size = symbols("a b d", integer=True, positive=True)
    x = IndexedBase("x")

    def inside(delta: Expr) -> Expr:
        """The value of the sum where its delta meets the range: 1 <= b <= d, or 2 <= b <= d + 1."""
        total = Sum(x[a] * delta, (a, 1, size)).doit()
        return total.args[0][0] if isinstance(total, Piecewise) else total

    return inside(KroneckerDelta(a, b)) + w * inside(KroneckerDelta(a + 1, b))


def step_is_a_shift() -> bool:
    b, x = Symbol("b", integer=True, positive=True), IndexedBase("x")
    return column_of_jordan() - x[b] - w * x[b - 1] == 0


def powers_by_pascal() -> bool:
    """C(t+1, m) = C(t, m) + C(t, m-1), C(0, m) = 0 for m > 0 and C(t, 0) = 1."""
    step = combsimp(binomial(t + 1, m) - binomial(t, m) - binomial(t, m - 1))
    start = all(binomial(0, k) == 0 for k in range(1, 8)) and binomial(t, 0) == 1
    return simplify(step) == 0 and start


SHIFT = Checked(
    r"(xW_V)_1=x_1,\quad (xW_V)_b=x_b+w\,x_{b-1}\ (2\le b\le d)",
    "sum over the two nonzero entries of a column of (31)",
    step_is_a_shift,
)
POWER = Checked(
    r"(xW_V^t)_b=\sum_{m<b}\tbinom tm w^m x_{b-m}",
    "induction on t: Pascal's rule for the coefficients",
    powers_by_pascal,
)
LINEAR = Checked(
    r"q_0=r_2w,\ q_{t+1}=q_t+w\ \Rightarrow\ q_t=(r_2+t)w",
    "induction on t",
    lambda: simplify((r_2 + t + 1) * w - (r_2 + t) * w - w) == 0,
)


@proves(claims.second_coordinate_grows_linearly_as_printed)
def by_recursion(claim: Claim) -> Certificate:
    """Each coordinate gains w times the one before it, and the first one stays."""
    value = ((r_2 + t + 1) * w, (r_2 + t) * w, w * now_1 / now_1_up + now_i / now_1_up)
    return decide(claim, value, steps=(SHIFT, LINEAR), method="one step of (31)", scope=SCOPE)


# Equation (36) ------------------------------------------------------------------------------------


def hockey_stick() -> bool:
    """C(t+1, m+1) - C(t, m+1) = C(t, m), so sum_{j<t} C(j, m) = C(t, m+1) by telescoping."""
    return simplify(combsimp(binomial(t + 1, m + 1) - binomial(t, m + 1) - binomial(t, m))) == 0


HOCKEY = Checked(
    r"\sum_{j=0}^{t-1}\tbinom jm=\tbinom t{m+1}:\ \text{sums to the next index minus one give}\ "
    r"\tbinom tm",
    "telescoping with Pascal's rule; written out for m, t <= 6",
    lambda: (
        hockey_stick()
        and all(IteratedSum(k, s, 0) == binomial(s, k) for k in range(7) for s in range(7))
    ),
)


def same_coefficients(value: Expr, side: Expr) -> bool:
    """Equality as combinations of the r's, nested sums without overlap being binomials."""
    plain = lambda e: e.replace(  # noqa: E731
        lambda n: isinstance(n, IteratedSum) and n.args[2] == 0,
        lambda n: binomial(n.args[1], n.args[0]),
    )
    return bool(plain(sympify(value)) == plain(sympify(side)))


@proves(claims.coordinates_are_iterated_sums_as_printed)
def by_pascal(claim: Claim) -> Certificate:
    """The entries of W_V^t are binomial coefficients times powers of w."""
    return decide(
        claim, combined(binomial(t, m)), steps=(SHIFT, POWER, HOCKEY),
        method="powers of the Jordan block", scope=SCOPE, same=same_coefficients,
    )  # fmt: skip


# Equations (37) and (38) --------------------------------------------------------------------------


@cache
def leading_coefficients() -> tuple[Any, ...]:
    """m! C(t, m)/t^m -> 1, since each of its m factors lies between 1 - (m-1)/t and 1.

    Coordinate b over the first is then of degree b - 1 in t, with leading coefficient
    w^{b-1}/(b-1)!: it is nonzero, of the sign of w^{b-1}, and does not depend on the token.
    """
    squeeze = Limit(
        (1 - (m - 1) / t) ** m, t, Integer(1), tuple({m: Integer(k)} for k in (1, 2, 5)),
        r"each of the m factors of m! C(t,m)/t^m lies between 1-(m-1)/t and 1",
    )  # fmt: skip
    degree = Checked(
        r"\frac{X_{1,b}^{(t)}}{X_{1,1}^{(t)}}=\frac{w^{b-1}}{(b-1)!}\,t^{b-1}\left(1+o(1)\right)",
        "terms m < b - 1 of the binomial sum have lower degree; written out for b <= 5",
        lambda: all(_leads(b) for b in range(1, 6)),
    )
    return SHIFT, POWER, squeeze, degree


def _leads(b: int) -> bool:
    """The leading term written out for symbolic tokens."""
    xs = symbols(f"x1:{b + 1}")
    terms = (expand_func(binomial(t, k)) * w**k * xs[b - 1 - k] for k in range(b))
    poly = Poly(sum(terms, start=Integer(0)), t)
    return (
        poly.degree() == b - 1
        and simplify(poly.LC() - w ** (b - 1) * xs[0] / factorial(b - 1)) == 0
    )


@proves(claims.coordinates_grow_slower_than_exponentially)
def by_leading_terms(claim: Claim) -> Certificate:
    """Quotients of a polynomial at t and t + 1 tend to one."""
    k = Symbol("b", integer=True, positive=True)
    shifted = Limit(
        (t / (t + 1)) ** k, t, Integer(1), tuple({k: Integer(j)} for j in (1, 2, 4)),
        "leading terms at t and t + 1",
    )  # fmt: skip
    return decide(
        claim, Integer(1), steps=(*leading_coefficients(), shifted),
        method="degrees in t of the powers of (31)", scope=SCOPE,
    )  # fmt: skip


def same_after(update: dict[Any, Any]) -> Callable[[Any, Any], bool]:
    """Equality of tuples when `update` writes the coordinates at t + 1 in those at t."""

    def same(value: Any, side: Any) -> bool:
        return all(
            a == b if a is oo or b is oo else simplify(sympify(a - b).xreplace(update)) == 0
            for a, b in zip(value, side, strict=True)
        )

    return same


@cache
def outgrowing() -> tuple[Any, ...]:
    """Coordinate b + 1 has one degree in t more than coordinate b, with a factor w/b > 0."""
    grows = Checked(
        r"\frac{X_{1,b+1}}{X_{1,b}}\sim\frac{w\,t}b\to\infty\ (w>0)",
        "quotient of leading terms",
        _quotient_of_leading_terms,
    )
    return *leading_coefficients(), grows


@proves(claims.first_token_tends_to_the_last_axis)
def by_degrees(claim: Claim) -> Certificate:
    """Every coordinate outgrows the one before, so the last one survives in the norm.

    X_b/X_d -> 0 for b < d and X_d > 0, since X_1 > 0 and w > 0; the norm is one, so X_d -> 1.
    """
    method = "degrees in t of the powers of (31)"
    scope = "all w > 0, all d >= i >= 3, all t, every first token with X_11 > 0"
    if claim.domain is not claims.first_token_tends_to_the_last_axis.domain:
        return refute(claim, method=method, scope=scope)
    value = ((w * now_1 + now_i) / (w * now_2 + now_1), oo, Integer(1))
    update = {next_1: w * now_2 + now_1, next_1_up: now_1_up}
    return decide(
        claim, value, steps=outgrowing(), same=same_after(update), method=method, scope=scope
    )


def _quotient_of_leading_terms() -> bool:
    b, positive = Symbol("b", integer=True, positive=True), Symbol("w", positive=True)
    lead = Lambda(b, positive ** (b - 1) / factorial(b - 1) * t ** (b - 1))
    return simplify(combsimp(lead(b + 1) / lead(b)) - positive * t / b) == 0
