r"""Inner products of the rows (33), for symbolic sizes, and what follows for the singular values.

With y_n(m) = (-1)^n w^{-m} s for m < n and y_n(n) = (-1)^n w^{-n}, s = sqrt(1 - 1/w^2), rows n < n'
have the inner product (-1)^(n+n') f(n), f(n) = 1 - (1 - s) w^{-2n}: it depends on the earlier row
only.  Up to signs the Gram matrix is f(min(n, n')) off the diagonal, and one on it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, Piecewise, Sum, Symbol, factor, simplify, sqrt

from claims.model import Claim
from claims.statement import Compare, Implies
from claims.terms import MaxOver, Recursion, entry
from claims.wu2024 import anisotropy as claims
from claims.wu2024.anisotropy import delta
from claims.wu2024.notation import N, w
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued, conclude, facts_of
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    discharge,
    extremum_compared,
    generalise,
    induction,
    instance,
    joint,
    prepended,
    recursion_start,
    recursion_step,
    sum_compared,
    sum_rearranged,
    sum_split,
    unfold,
)  # fmt: skip
from proofs.registry import proves
from proofs.wu2024.coexistence import ROWS, above_one, n, s

EVERY_EQUILIBRIUM = r"all integers $N=d\ge2$, all real $w>1$, all $2^N$ choices of signs"
PRINTED = r"all integers $N=d\ge1$, all real $w>1$"
beyond = Symbol("p", integer=True, nonnegative=True)


def vanishes(expression: Any) -> bool:
    return bool(simplify(above_one(expression)) == 0)


def not_below_zero(difference: Any) -> bool:
    """The sign of a rational expression in N = 1 + p and w = 1 + u, from its factors."""
    return bool(factor(above_one(difference.subs(N, 1 + beyond))).is_nonnegative)


# A double cone -------------------------------------------------------------------------------------

DOMAIN = claims.every_sign
free, last_ = entry(claims.signs), Symbol("b", integer=True)
W = Compare(w, ">", 1)
rows = Recursion(
    "X",
    lambda b: Piecewise((free(1), b >= N), (0, True)),
    lambda i, b, before: Piecewise(
        (-before(b + 1) / w, b <= N - 1),
        (free(i + 2) * sqrt(1 - moved_norm(before)), True),
    ),
)
"""Row i + 1: (30) solved for a row of unit norm, its last coordinate of the given sign."""
place, number = Symbol("c", integer=True), Symbol("i", integer=True)


def moved_norm(before: Any) -> Any:
    """The squared norm of the moved coordinates -X_{i,c}/w, c >= 2."""
    return Sum((-before(place) / w) ** 2, (place, 2, N))


def row(i: Any) -> Any:
    return lambda b: rows(i, b)


def norm_of(i: Any) -> Sum:
    return Sum(rows(i, place) ** 2, (place, 1, N))


def moved_is_short(unit: Theorem) -> Theorem:
    """The moved coordinates of a unit row have a squared norm of at most 1/w^2, and so below one."""
    squares = generalise(joint(Compare(rows(number, place) ** 2, ">=", 0)), place, 1, N)
    apart = sum_split(norm_of(number), first=True)
    rest = apart.formula.right.atoms(Sum).pop()  # type: ignore[attr-defined]
    outside = sum_rearranged(moved_norm(row(number)), rest / w**2)
    own = instance(squares, Integer(1))
    bound = joint(Compare(rest, "<=", 1), apart, own, unit)
    return joint(
        Compare(w**2 * moved_norm(row(number)), "<=", 1)
        & Compare(moved_norm(row(number)), "<=", 1),
        bound, outside, given=(W,),
    )  # fmt: skip


def last_square(unit: Theorem) -> Theorem:
    """X_{i+1,N}^2 is what the moved coordinates leave of one."""
    here = number + 2
    sign = instance(assume(facts_of(DOMAIN)[-1]), here)
    return joint(
        Compare(rows(number + 1, N) ** 2, "=", 1 - moved_norm(row(number))),
        recursion_step(rows, number, N), sign, moved_is_short(unit),
    )  # fmt: skip


@cache
def rows_have_unit_norm() -> Theorem:
    """|X_i| = 1 for every row that has a sign, by induction: the last coordinate fills up."""
    body = Implies(Compare(number, "<=", N - 1), Compare(norm_of(number), "=", 1))
    unit = joint(body.conclusion, assume(body), given=(Compare(number + 1, "<=", N - 1),))
    apart = sum_split(norm_of(number + 1))
    bounds = (Compare(place, "<=", N - 1), W)
    moved = joint(
        Compare(rows(number + 1, place) ** 2, "=", (-rows(number, place + 1) / w) ** 2),
        recursion_step(rows, number, place), given=bounds,
    )  # fmt: skip
    summed = sum_compared(generalise(moved, place, 1, N - 1))
    shifted = sum_split(summed.formula.right, shift=-1)  # type: ignore[attr-defined]
    step = joint(Compare(norm_of(number + 1), "=", 1), apart, summed, shifted, last_square(unit))
    inside = Compare(number + 1, "<=", N - 1)
    step = discharge(cut(step, assume(inside), assume(Compare(number, ">=", 0))), inside)
    return induction(first_row_is_a_unit(body), step, number)


def first_row_is_a_unit(body: Any) -> Theorem:
    """X_1 is its last coordinate, a sign."""
    apart = sum_split(norm_of(Integer(0)))
    zero = joint(
        Compare(rows(0, place) ** 2, "=", 0), recursion_start(rows, place),
        given=(Compare(place, "<=", N - 1),),
    )  # fmt: skip
    none = sum_compared(generalise(zero, place, 1, N - 1))
    nothing = sum_rearranged(none.formula.right, Integer(0))  # type: ignore[attr-defined]
    sign = instance(assume(facts_of(DOMAIN)[-1]), Integer(1))
    return joint(
        body.substitute({number: Integer(0)}), apart, none, nothing, sign,
        recursion_start(rows, N),
    )  # fmt: skip


@proves(claims.tokens_lie_in_a_narrow_region)
def by_the_last_coordinate(claim: Claim) -> Certificate:
    """X_1 = +-e_d, and every later row has a last coordinate of modulus at least sqrt(1 - 1/w^2)."""
    inside = Compare(number + 1, "<=", N - 1)
    unit = joint(
        Compare(norm_of(number), "=", 1), instance(rows_have_unit_norm(), number), given=(inside,)
    )
    short = joint(
        Compare(1 - rows(number + 1, N) ** 2, "<=", 1 / w**2), last_square(unit),
        moved_is_short(unit), given=(W,),
    )  # fmt: skip
    short = cut(short, assume(Compare(number, ">=", 0)), assume(inside))
    later = generalise(short, number, 0, N - 2)
    beyond = Symbol("n", integer=True)
    shifted = cut(
        instance(later, beyond - 1), assume(Compare(beyond, ">=", 1)),
        assume(Compare(beyond, "<=", N - 1)),
    )  # fmt: skip
    sign = instance(assume(facts_of(DOMAIN)[-1]), Integer(1))
    first = joint(
        Compare(1 - rows(0, N) ** 2, "<=", 1 / w**2), recursion_start(rows, N), sign, given=(W,)
    )
    every = prepended(first, generalise(shifted, beyond, 1, N - 1))
    reached = extremum_compared(every, MaxOver)
    largest = reached.formula.left  # type: ignore[attr-defined]
    theorem = joint(
        claims.off_axis.at_most(1 / w**2), unfold(claims.off_axis, largest, DOMAIN), reached
    )
    return conclude(claim, theorem, method="last coordinates of unit rows", scope=EVERY_EQUILIBRIUM)


# Stable rank ---------------------------------------------------------------------------------------


def along_e_d() -> Any:
    """|X* e_d|^2: one from the first row, s^2 from each of the others."""
    return 1 + (N - 1) * s**2


RAYLEIGH = Checked(
    r"\|X^\star\|_F^2=N,\quad\|X^\star\|_2^2\ge\|X^\star e_d\|_2^2=1+(N-1)(1-1/w^2)>0",
    r"rows of unit norm; last coordinates $\pm s$; the 2-norm is a supremum",
    lambda: not_below_zero(along_e_d() - 1),
)


@proves(claims.stable_rank_is_close_to_one)
def by_a_test_vector(claim: Claim) -> Certificate:
    """The largest singular value is at least |X* e_d|, which is known exactly."""
    return argued(
        claim, steps=(*ROWS, RAYLEIGH), method="Rayleigh quotient at $e_d$", scope=PRINTED
    )


def within_delta() -> bool:
    """1 + delta - N/(N - (N-1)/w^2) >= 0 for w^2 = 1 + 1/delta + e, e >= 0, and N = 1 + p."""
    extra = Symbol("e", nonnegative=True)
    square = 1 + 1 / delta + extra
    bound = N / (N - (N - 1) / square)
    return bool(factor((1 + delta - bound).subs(N, 1 + beyond)).is_nonnegative)


def trace_is_at_least_one_eigenvalue() -> bool:
    """|X|_F^2 - |X|_2^2 is a sum of squared singular values."""
    largest, others = Symbol("a", nonnegative=True), Symbol("b", nonnegative=True)
    return bool(((largest + others) - largest).is_nonnegative)


@proves(claims.stable_rank_is_within_delta_of_one)
def by_the_stable_rank_bound(claim: Claim) -> Certificate:
    """The bound on the stable rank falls with w, and is below 1 + delta at the printed least w."""
    method = r"the bound of App. F.2 at $w^2\ge1+1/\delta$"
    scope = rf"{PRINTED}, all real $\delta>0$"
    steps = (
        *ROWS,
        RAYLEIGH,
        Checked(
            r"\|X\|_2^2\le\|X\|_F^2", "one eigenvalue against the trace",
            trace_is_at_least_one_eigenvalue,
        ),
        Checked(
            r"w^2\ge1+1/\delta\ \Rightarrow\ \frac N{N-(N-1)/w^2}\le1+\delta",
            r"signs of factors, $w^2=1+1/\delta+e$",
            within_delta,
        ),
    )  # fmt: skip
    return argued(claim, steps=steps, method=method, scope=scope)


# Singular values and cosines of (33) ---------------------------------------------------------------


def inner(place: Any) -> Any:
    """f(n) = |<y_n, y_n'>| for n < n'."""
    return 1 - (1 - s) * w ** (-2 * place)


def inner_products_are_f() -> bool:
    """sum_{m<n} s^2 w^(-2m) = 1 - w^(-2n), as in `norms_telescope`, and the corner meets s w^(-n)."""
    return vanishes(1 - w ** (-2 * n) + w ** (-n) * w ** (-n) * s - inner(n))


def inner_products_grow() -> bool:
    """f(0) = s > 0 and f(n+1) - f(n) = (1 - s)(1 - 1/w^2) w^(-2n), a product of positive factors.

    1 - s > 0 since (1 - s)(1 + s) = 1/w^2.
    """
    step = inner(n + 1) - inner(n)
    factors = (1 - s) * s**2 * w ** (-2 * n)
    positive = all(above_one(x).factor().is_positive for x in (1 / w**2, s**2, w ** (-2 * n)))
    return vanishes(inner(0) - s) and vanishes(step - factors) and positive


def diagonal_is_one() -> bool:
    """f(n) + (1 - s) w^(-2n) = 1, also in the last row with n = N - 2 put for N - 1."""
    return vanishes(inner(n) + (1 - s) * w ** (-2 * n) - 1)


SPECTRUM = (
    Checked(
        r"\langle y_n,y_{n'}\rangle=(-1)^{n+n'}f(n),\ f(n)=1-(1-s)w^{-2n}\ (n<n')",
        "telescoping sum and the corner",
        inner_products_are_f,
    ),
    Checked(r"s=f(0)\le f(1)\le\dots", "product of positive factors", inner_products_grow),
    Checked(
        r"DGD=\left[f(\min(n,n',N-2))\right]+(1-s)\operatorname{diag}(w^{-2\min(n,N-2)}),\ "
        r"D=\operatorname{diag}((-1)^n)",
        r"diagonal entries are one; the first matrix is a sum of $f(n)-f(n-1)\ge0$ times "
        "projections onto the rows from $n$ on, hence positive semidefinite",
        diagonal_is_one,
    ),
)


@proves(claims.equilibrium_has_full_rank_and_large_absolute_cosines)
def by_growing_inner_products(claim: Claim) -> Certificate:
    """The Gram matrix is positive semidefinite plus a diagonal, and the last two rows attain it."""
    method, scope = "Gram matrix of (33)", r"all integers $N=d\ge2$, all real $w>1$"
    return argued(claim, steps=(*ROWS, *SPECTRUM), method=method, scope=scope)
