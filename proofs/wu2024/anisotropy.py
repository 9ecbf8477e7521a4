r"""Inner products of the rows (33), for symbolic sizes, and what follows for the singular values.

With y_n(m) = (-1)^n w^{-m} s for m < n and y_n(n) = (-1)^n w^{-n}, s = sqrt(1 - 1/w^2), rows n < n'
have the inner product (-1)^(n+n') f(n), f(n) = 1 - (1 - s) w^{-2n}: it depends on the earlier row
only.  Up to signs the Gram matrix is f(min(n, n')) off the diagonal, and one on it.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Symbol, factor, simplify

from claims.model import Claim
from claims.statement import Compare
from claims.terms import MaxOver
from claims.wu2024 import anisotropy as claims
from claims.wu2024.anisotropy import delta
from claims.wu2024.notation import N, w
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued, conclude
from proofs.kernel import (
    assume,
    cut,
    extremum_compared,
    generalise,
    instance,
    joint,
    prepended,
    recursion_start,
    unfold,
)  # fmt: skip
from proofs.registry import proves
from proofs.wu2024.coexistence import ROWS, above_one, n, s
from proofs.wu2024.solved_rows import (
    UNIT_SIGNS,
    W,
    last_square,
    moved_is_short,
    norm_of,
    number,
    rows,
    rows_have_unit_norm,
)

EVERY_EQUILIBRIUM = "all integers N = d >= 2, all real w > 1, all 2^N choices of signs"
PRINTED = "all integers N = d >= 1, all real w > 1"
beyond = Symbol("p", integer=True, nonnegative=True)


def vanishes(expression: Any) -> bool:
    return bool(simplify(above_one(expression)) == 0)


def not_below_zero(difference: Any) -> bool:
    """The sign of a rational expression in N = 1 + p and w = 1 + u, from its factors."""
    return bool(factor(above_one(difference.subs(N, 1 + beyond))).is_nonnegative)


# A double cone -------------------------------------------------------------------------------------

DOMAIN = claims.every_sign


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
    sign = instance(assume(UNIT_SIGNS), Integer(1))
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
    "rows of unit norm; last coordinates +-s; the 2-norm is a supremum",
    lambda: not_below_zero(along_e_d() - 1),
)


@proves(claims.stable_rank_is_close_to_one)
def by_a_test_vector(claim: Claim) -> Certificate:
    """The largest singular value is at least |X* e_d|, which is known exactly."""
    return argued(claim, steps=(*ROWS, RAYLEIGH), method="Rayleigh quotient at e_d", scope=PRINTED)


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
    method, scope = "the bound of App. F.2 at w^2 >= 1 + 1/delta", f"{PRINTED}, all real delta > 0"
    steps = (
        *ROWS,
        RAYLEIGH,
        Checked(
            r"\|X\|_2^2\le\|X\|_F^2", "one eigenvalue against the trace",
            trace_is_at_least_one_eigenvalue,
        ),
        Checked(
            r"w^2\ge1+1/\delta\ \Rightarrow\ \frac N{N-(N-1)/w^2}\le1+\delta",
            "signs of factors, w^2 = 1 + 1/delta + e",
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
        "diagonal entries are one; the first matrix is a sum of f(n) - f(n-1) >= 0 times "
        "projections onto the rows from n on, hence positive semidefinite",
        diagonal_is_one,
    ),
)


@proves(claims.equilibrium_has_full_rank_and_large_absolute_cosines)
def by_growing_inner_products(claim: Claim) -> Certificate:
    """The Gram matrix is positive semidefinite plus a diagonal, and the last two rows attain it."""
    method, scope = "Gram matrix of (33)", "all integers N = d >= 2, all real w > 1"
    return argued(claim, steps=(*ROWS, *SPECTRUM), method=method, scope=scope)
