r"""The fourth token of a full-rank equilibrium: its cosines, and a multiplier outside the unit circle.

Row n + 1 is row n moved and divided by -w, with a last coordinate $x_{n+1}$ of modulus
$c=\sqrt{1-1/w^2}$, so that $\langle X_{n+1},X_{p+1}\rangle=\langle X_n,X_p\rangle/w^2+x_{n+1}x_{p+1}$ as
long as row n starts with a zero, which the first three do from four tokens on.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Integer, Poly, expand, symbols

from claims.model import Claim
from claims.statement import Compare
from claims.wu2024 import multipliers as claims
from claims.wu2024.notation import N, w
from proofs.calculation import linked, summed_over
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued, conclude
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    instance,
    joint,
    recursion_start,
    substitute,
    sum_split,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.gram import c as place
from proofs.wu2024.gram import product
from proofs.wu2024.printed_rows import b, moved_rows, n, unit
from proofs.wu2024.solved_rows import UNIT_SIGNS, W, last_square, moved_norm, number, row, rows

FOUR = Compare(N, ">=", 4)


def moved(at: int, column: Any) -> Theorem:
    """w X_{n+2,b} = -X_{n+1,b+1} for b < N."""
    return substitute(substitute(moved_rows(), {n: Integer(at)}), {b: column})


@cache
def zero(at: int, column: int) -> Theorem:
    """Row `at`, counted from zero, has a zero at this column: it moves along with every row."""
    goal = Compare(rows(at, column), "=", 0)
    if at == 0:
        return joint(goal, recursion_start(rows, Integer(column)), given=(FOUR,))
    return joint(goal, moved(at - 1, Integer(column)), zero(at - 1, column + 1), given=(FOUR, W))


@cache
def own(at: int) -> Theorem:
    """x_1^2 = 1, and x_i^2 = 1 - 1/w^2 for the three that follow."""
    if at == 0:
        sign = instance(assume(UNIT_SIGNS), Integer(1))
        last = Compare(rows(0, N) ** 2, "=", 1)
        return joint(last, recursion_start(rows, N), sign, given=(FOUR,))
    before = Integer(at - 1)
    apart = sum_split(unit(before).formula.left, first=True)
    left = linked(
        Compare(w**2 * moved_norm(row(before)), "=", 1), unit(before), apart, zero(at - 1, 1), given=(W,)
    )  # fmt: skip
    square = substitute(last_square(substitute(unit(n), {n: number})), {number: before})
    return joint(
        Compare(rows(at, N) ** 2, "=", 1 - 1 / w**2), square, left, unit(before), given=(W, FOUR)
    )


@cache
def following(one: int, other: int) -> Theorem:
    """<X_{n+1}, X_{p+1}> = <X_n, X_p>/w^2 + x_{n+1} x_{p+1}, where row n starts with a zero."""
    p, q = Integer(one + 1), Integer(other + 1)
    apart = sum_split(product(p, q))
    shifted = [moved(at, place) for at in (one, other)]
    term = joint(
        Compare(rows(p, place) * rows(q, place), "=",
                rows(one, place + 1) * rows(other, place + 1) / w**2),
        *shifted, given=(Compare(place, "<=", N - 1), W),
    )  # fmt: skip
    total = summed_over(term, (place, N - 1))
    later = sum_split(total.formula.right, shift=-1)
    first = sum_split(product(Integer(one), Integer(other)), first=True)
    goal = Compare(
        product(p, q), "=", product(Integer(one), Integer(other)) / w**2 + rows(p, N) * rows(q, N)
    )
    return linked(goal, apart, total, later, first, zero(one, 1), given=(W,))


@cache
def with_the_first(other: int) -> Theorem:
    """<X_1, X_p> = x_1 x_p, since X_1 is x_1 e_d."""
    apart = sum_split(product(Integer(0), Integer(other)))
    start = recursion_start(rows, place)
    none = joint(
        Compare(rows(0, place) * rows(other, place), "=", 0), start,
        given=(Compare(place, "<=", N - 1),),
    )  # fmt: skip
    goal = Compare(product(Integer(0), Integer(other)), "=", rows(0, N) * rows(other, N))
    return linked(goal, apart, summed_over(none, (place, N - 1)))


@proves(claims.cosines_of_the_fourth_token_are_bounded)
def by_three_last_coordinates(claim: Claim) -> Certificate:
    """<X_3, X_4> = x_3 x_4 + x_2 x_3/w^2 + x_1 x_2/w^4, and |x_2| = |x_3| = |x_4| = |<X_1, X_4>| = c."""
    domain = claims.four_or_more
    x1, x2, x3, x4, v, c = symbols("x1 x2 x3 x4 v c", real=True)
    root = Abs(x4)
    given = (
        Compare(x1**2, "=", 1), Compare(x2**2, "=", 1 - v), Compare(x3**2, "=", 1 - v),
        Compare(x4**2, "=", 1 - v), Compare(v, ">", 0), Compare(v, "<", 1), Compare(c, "=", root),
    )  # fmt: skip
    size = joint(Compare(c**2, "=", 1 - v) & Compare(c, ">", 0) & Compare(c, "<", 1), given=given)

    def most(left: Any, right: Any, bound: Any, square: Any) -> Theorem:
        """|x y| <= bound from (x y)^2 = bound^2."""
        whole = joint(Compare((left * right) ** 2, "=", square), given=given)
        return joint(
            Compare(left * right, "<=", bound) & Compare(left * right, ">=", -bound), whole, size
        )

    parts = (
        most(x3, x4, 1 - v, (1 - v) ** 2), most(x2, x3, 1 - v, (1 - v) ** 2), most(x1, x2, c, c**2)
    )  # fmt: skip
    inside = (Compare(c, ">", 0), Compare(c, "<", 1), Compare(v, "=", 1 - c**2))
    less = joint(Compare(c * (1 + v) + v**2, "<=", 2), given=inside)
    bound = joint(Compare((1 - v) * (1 + v) + c * v**2, "<=", 2 * c), less, given=inside)
    here = x3 * x4 + x2 * x3 * v + x1 * x2 * v**2
    within = joint(
        Compare(here, "<=", (1 - v) * (1 + v) + c * v**2)
        & Compare(here, ">=", -(1 - v) * (1 + v) - c * v**2), *parts, given=given[4:6],
    )  # fmt: skip
    twice = joint(
        Compare(here, "<=", 2 * c) & Compare(here, ">=", -2 * c),
        within,
        bound,
        size,
        given=given[4:6],
    )
    steep = joint(Compare(here**2, "<", 4 * c), twice, size)
    first = joint(Compare(Abs(x1 * x4), "=", c), given=given)
    lemma = joint(Compare(here**2, "<", 4 * Abs(x1 * x4)), steep, first)
    put_in = {
        x1: rows(0, N),
        x2: rows(1, N),
        x3: rows(2, N),
        x4: rows(3, N),
        v: 1 / w**2,
        c: Abs(rows(3, N)),
    }
    known = [joint(f.substitute(put_in), *map(own, range(4)), given=(W,)) for f in given]
    there = cut(substitute(lemma, put_in), *known)
    read = [
        unfold(claims.cosine(i, j), product(Integer(i - 1), Integer(j - 1)), domain)
        for i, j in ((3, 4), (1, 4))
    ]
    chain = linked(
        Compare(claims.cosine(3, 4), "=", here.subs(put_in)),
        read[0], following(1, 2), following(0, 1), with_the_first(1), given=(W,),
    )  # fmt: skip
    last = joint(
        Compare(claims.cosine(1, 4), "=", rows(0, N) * rows(3, N)), read[1], with_the_first(3)
    )
    return conclude(
        claim,
        joint(claims.cosines_of_the_fourth_token_are_bounded.formula, there, chain, last),
        method="last coordinates of four rows",
    )


# Multipliers --------------------------------------------------------------------------------------

rho, s, q, mu, a, e, u, v = symbols("rho s q mu a e u v", real=True)
METHOD = "Vieta's formulas for the cubic of token 4"
STEPS = (
    Checked(
        r"\mu^3-b_3\mu^2+b_2\mu-b_1=(\mu+\rho)(\mu^2+s\mu+q),\quad b_j=\langle X_j,X_4\rangle,\ "
        r"\mu=\lambda-1",
        "the multipliers of token 4 that are not neutral; a real cubic has a real zero: "
        r"$b_3=-(\rho+s)$, $b_1=-\rho q$",
        lambda: Poly((mu + rho) * (mu**2 + s * mu + q), mu).all_coeffs()
        == [1, expand(rho + s), expand(q + rho * s), expand(rho * q)],
    ),
    Checked(
        r"|1+\mu|\le1\text{ for a pair }\mu=u\pm iv:\quad 0\le q\le s",
        "$q=u^2+v^2$, $s=-2u$, $|1+\\mu|^2=1-s+q$",
        lambda: expand((1 + u) ** 2 + v**2 - (1 - (-2 * u) + (u**2 + v**2))) == 0,
    ),
    Checked(
        r"|1+\mu|\le1\text{ for two real zeros }\mu=-a,-e:\quad 0\le a,e\le2,\ 0\le q\le s",
        "$q=ae$, $s-q=a(1-e/2)+e(1-a/2)$",
        lambda: expand(a + e - a * e - a * (1 - e / 2) - e * (1 - a / 2)) == 0,
    ),
    Checked(
        r"|b_1|=\rho q\le\rho s\le\tfrac14(\rho+s)^2=\tfrac14b_3^2",
        r"$\rho\ge0$ as well, if no multiplier is outside the unit circle; $(\rho+s)^2-4\rho s=(\rho-s)^2$",
        lambda: expand((rho + s) ** 2 - 4 * rho * s - (rho - s) ** 2) == 0,
    ),
    Checked(
        r"b_3^2<4|b_1|",
        "`wu2024.beyond.fourth-token-cosines`, so that some multiplier is outside",
        lambda: by_three_last_coordinates(
            claims.cosines_of_the_fourth_token_are_bounded
        ).status == "proved",
    ),
)  # fmt: skip


@proves(claims.fourth_token_repels)
def by_the_zeros_of_a_cubic(claim: Claim) -> Certificate:
    """Were all multipliers in the closed unit disc, <X_3, X_4>^2 would be 4 |<X_1, X_4>| or more."""
    return argued(claim, steps=STEPS, method=METHOD)
