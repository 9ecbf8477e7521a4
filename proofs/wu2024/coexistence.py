r"""Equilibria of every rank: the recursion (32) solved for symbolic sizes, and counted by signs.

Coordinates are counted from the last one, from zero on: y_n(m) is coordinate m of row n of the
construction, where row 0 is the last token of the head.  With beta = 1, (29) reads
y_{n+1}(m+1) = -T_n(m)/w, with T_n = y_n for n >= 1 and T_0 = c y_0 for a head of c tokens, and
leaves y_{n+1}(0) to the unit norm.
"""

from __future__ import annotations

from typing import Any

from sympy import (
    Identity,
    Integer,
    MatrixSymbol,
    Product,
    Symbol,
    simplify,
    sqrt,
    symbols,
)

from claims.model import Claim
from claims.wu2024 import coexistence as claims
from claims.wu2024.chains import col, moved, row
from claims.wu2024.notation import N, d, k, w
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.decide import same
from proofs.registry import proves

SQUARE = r"all integers $N=d\ge1$, all real $w>1$"
EVERY_RANK = r"all integers $1\le k\le\min(N,d)$, $N\ge2$, $d\ge2$, all real $w\ge N$"
m, n, more = symbols("m n l", integer=True, nonnegative=True)
j = Symbol("j", integer=True, positive=True)
u = Symbol("u", positive=True)
"""w - 1, so that signs and roots are known."""
s = sqrt(1 - 1 / w**2)


def above_one(expression: Any) -> Any:
    """The expression with w = 1 + u."""
    return expression.subs(w, 1 + u)


# Rows at rest --------------------------------------------------------------------------------------


def rests() -> bool:
    """The sum so far, T = X_i/beta_i, grows to T + x W_V = x when x (I - W_V) = T."""
    x, value = MatrixSymbol("x", 1, d), MatrixSymbol("W_V", d, d)
    total = x * (Identity(d) - value)
    return same(total + x * value, x)


def head_rests() -> bool:
    """e_d S = 0, so that e_d W_V = e_d: i tokens at e_d sum to i e_d, whose LayerNorm is e_d."""
    last, count = MatrixSymbol("e_d", 1, d), Symbol("i", positive=True)
    total = count * last
    fixed = moved(1).formula.subs({row: d - 1, col: d - 1 - more}, simultaneous=True) == 0
    return fixed and same(total + last, (count + 1) * last) and same(total / sqrt(count**2), last)


def norms_telescope() -> bool:
    """sum_{m<n} s^2 w^(-2m) + w^(-2n) = 1: true for n = 0, and from n to n + 1."""
    claimed = 1 - w ** (-2 * n)
    step = claimed.subs(n, n + 1) - claimed - s**2 * w ** (-2 * n)
    return claimed.subs(n, 0) == 0 and simplify(above_one(step)) == 0


def norm_is_one_again() -> bool:
    """|y_n| = 1 makes the moved part of y_{n+1} of squared norm 1/w^2, so that y_{n+1}(0)^2 = s^2."""
    moved = 1 / w**2
    return simplify(moved + s**2 - 1) == 0


RESTS = (
    Checked(
        r"x(I-W_V)=X_{i,:}/\beta_i\ \Rightarrow\ \textstyle\sum_{j\le i}X_{j,:}W_V+xW_V=x,\ "
        r"\beta_{i+1}=1",
        "put into the sum so far; a row of unit norm is its own LayerNorm",
        rests,
    ),
    Checked(
        r"X_1=\dots=X_c=e_d\ \Rightarrow\ \textstyle\sum_{j\le i}X_{j,:}W_V=i\,e_d,\ \beta_i=1/i",
        "$e_dW_V=e_d$; LayerNorm of a positive multiple",
        head_rests,
    ),
    Checked(
        r"y_{n+1}(m+1)=-y_n(m)/w,\ \|y_n\|=1\ \Rightarrow\ y_{n+1}(0)^2=1-1/w^2",
        "the moved part has squared norm $1/w^2$",
        norm_is_one_again,
    ),
)


# Eq. (33) ------------------------------------------------------------------------------------------


def entry(last_sign: Any) -> Any:
    """y_n(m): (-1/w)^m times the free coordinate, of the sign given, m rows before; corner (-1/w)^n.

    The corner is where the first row's coordinate 1 has arrived.
    """
    return (-1) ** m * w ** (-m) * last_sign(n - m) * s, (-1) ** n * w ** (-n)


def solves_the_recursion() -> bool:
    """The closed form of `entry` obeys y_{n+1}(m+1) = -y_n(m)/w, the corner included."""
    inner, corner = entry(lambda place: (-1) ** place)
    following = inner.subs({n: n + 1, m: m + 1}, simultaneous=True)
    next_corner = corner.subs(n, n + 1)
    return all(
        simplify(above_one(after + before / w)) == 0
        for after, before in ((following, inner), (next_corner, corner))
    )


def triangular() -> bool:
    """Row n ends m = n places from the last column, with an entry that is not zero: rank N."""
    _, corner = entry(lambda place: (-1) ** place)
    return bool(above_one(abs(corner)).is_positive)


ROWS = (
    *RESTS,
    Checked(
        r"y_n(m)=(-1)^n w^{-m}\sqrt{1-1/w^2}\ (m<n),\quad y_n(n)=(-1)^nw^{-n}",
        "closed form put into the recursion",
        solves_the_recursion,
    ),
    Checked(r"\|y_n\|^2=1", "induction in $n$", norms_telescope),
    Checked(
        r"y_n(n)\ne0,\ y_n(m)=0\ (m>n)\Rightarrow\operatorname{rank}=N", "triangular", triangular
    ),
)


# Counting ------------------------------------------------------------------------------------------


def signs_count(length: Any) -> Any:
    """Two values of one free coordinate in each of `length` rows."""
    return Product(Integer(2), (j, 1, length)).doit()


def free_coordinate_is_not_zero() -> bool:
    return bool(above_one(s**2).factor().is_positive)


def other_betas_stay_in_the_span() -> bool:
    """(lambda - W_V)^{-1} is a polynomial in S for lambda != 1: (1-q) sum_{i<n} q^i = 1 - q^n.

    With q = w S/(lambda - 1) and q^d = 0.  Shown by induction in n.
    """
    q = Symbol("q")
    partial = (1 - q**n) / (1 - q)
    step = partial.subs(n, n + 1) - partial - q**n
    return partial.subs(n, 0) == 0 and simplify(step) == 0


COUNT = (
    Checked(
        r"w>1:\ 1-1/w^2>0", "two different signs in every row after the first",
        free_coordinate_is_not_zero,
    ),
    Checked(
        r"\beta_{i+1}\ne1\Rightarrow X_{i+1,:}=\beta_i^{-1}X_{i,:}(\lambda-W_V)^{-1},\ "
        r"(\lambda-W_V)^{-1}=\textstyle\sum_l w^lS^l/(\lambda-1)^{l+1}:\ "
        r"\text{in the span of }X_1,\dots,X_i,\ \lambda=1/\beta_{i+1}",
        "geometric sum of a nilpotent matrix; that span, of the last $i$ basis rows, is mapped "
        "into itself by $S$",
        other_betas_stay_in_the_span,
    ),
)  # fmt: skip


@proves(claims.full_rank_equilibria_are_counted_by_signs)
def by_signs(claim: Claim) -> Certificate:
    """X_1 is a unit eigenvector, +-e_d; full rank forces beta = 1, and then one sign a row is free."""
    method = "one free sign a row"
    return argued(claim, steps=(*ROWS, *COUNT), method=method, scope=SQUARE)


# Step 2 --------------------------------------------------------------------------------------------

head = N - k + 1


def free_coordinates_are_not_zero() -> bool:
    """For k >= 2 and w = N + eta >= N, w - c > 0; rows further on have s > 0 as w >= 2."""
    beyond = Symbol("p", integer=True, nonnegative=True)
    eta = Symbol("eta", nonnegative=True)
    gap = (N + eta - head).subs(k, 2 + beyond)
    return bool(gap.expand().is_positive) and free_coordinate_is_not_zero()


def fits_into_the_row() -> bool:
    """Row n <= k - 2 starts with a zero, as (30) needs: it fills n + 1 <= k - 1 < d coordinates."""
    beyond = Symbol("p", integer=True, nonnegative=True)
    wide = k + beyond  # d
    filled = (k - 2) + 1
    return bool((wide - filled - 1).is_nonnegative)


def corner_after_the_head() -> bool:
    """y_n(n) = c (-1/w)^n for n >= 1 is not zero, so that the k different rows are independent."""
    size = Symbol("c", positive=True)
    return bool(above_one(size * w ** (-n)).is_positive)


STEP_TWO = (
    *RESTS,
    Checked(r"N-k+1<w\ (k\ge2)", r"$w\ge N$; difference positive", free_coordinates_are_not_zero),
    Checked(r"X_{i,1}=0\ \text{for}\ i<N", r"$k\le d$", fits_into_the_row),
    Checked(
        r"y_n(n)=\pm c\,w^{-n}\ne0,\ y_n(m)=0\ (m>n)\Rightarrow\operatorname{rank}=k",
        "triangular",
        corner_after_the_head,
    ),
)


@proves(claims.equilibria_of_every_rank_are_built_from_signs)
def by_signs_after_the_head(claim: Claim) -> Certificate:
    """The head counts as one row with T = c e_d; after it the rows are those of Step 1."""
    method = "the recursion (32) from $ce_d$, one free sign a row"
    return argued(claim, steps=STEP_TWO, method=method, scope=EVERY_RANK)
