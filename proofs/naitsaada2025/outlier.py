r"""The outlier from its own singular vector $v$, and from the direction of ones.

With $H=A^\perp A^{\perp\top}$, $\lambda=s_1^2(A)$ and $\beta=(\varphi^\top v)^2$:
$Hv=\lambda v-(\varphi^\top v)\varphi$, so that $v^\top Hv=\lambda-\beta$ and
$\|Hv\|^2=\lambda^2-2\lambda\beta+\beta$, at most $h\,v^\top Hv$; and
$(\varphi^\top Hv)^2=(\lambda-1)^2\beta$ is at most $\varphi^\top H\varphi\;v^\top Hv$.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Integer, Sum, Symbol, symbols

from claims.model import Claim
from claims.naitsaada2025 import outlier as claims
from claims.naitsaada2025.notation import T
from claims.statement import Compare
from proofs.calculation import (
    at_places,
    linked,
    square_at,
    squared,
    sums_compared,
    weighed,
)
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import CAUCHY_SCHWARZ, FUBINI
from proofs.kernel import (
    Theorem,
    both,
    cut,
    discharge,
    fact,
    instance,
    joint,
    substitute,
    sum_rearranged,
    unfold,
)  # fmt: skip
from proofs.naitsaada2025.decompositions import SEVERAL, along_ones, bulk, gram, whole
from proofs.naitsaada2025.rayleigh import Column
from proofs.registry import proves

DOMAIN = claims.decomposed_attention
i, j, n = (Symbol(name, integer=True) for name in "ijn")
b = bulk.m
lam, h, x, beta, e, q, p = symbols("lambda h x beta e q p", real=True)
GIVEN = (
    Compare(e, "=", lam - beta), Compare(q, "=", lam**2 - (2 * lam - 1) * beta),
    Compare((lam - 1) ** 2 * beta, "<=", x * e), Compare(q**2, "<=", p * e), Compare(p, "<=", h * q),
    Compare(x, "<=", lam - 1), Compare(x, ">=", 0), Compare(h, ">=", 0), Compare(e, ">=", 0),
    Compare(q, ">=", 0), Compare(beta, ">=", 0),
)  # fmt: skip
v = lambda place: whole.u(place, 1)  # noqa: E731
w = bulk.pulled(v)
t = lambda place: Sum(b(place, n) * w(n), (n, 1, T))  # noqa: E731
one = lambda place: Integer(1)  # noqa: E731
y = bulk.pulled(one)


ALPHA = Sum(v(i), (i, 1, T))


def image(row: Any) -> Theorem:
    """(H v)_i = lambda v_i - sum v/T."""
    known = at_places(whole.eigen, row, Integer(1))
    split = weighed(lambda c: v(c), lambda c: gram(row, c), T)
    swap = fact(FUBINI, a=b(row, n) * b(i, n) * v(i), j=n, k=i, rows=T, columns=T)
    goal = Compare(t(row), "=", whole.root(Integer(1)) ** 2 * v(row) - ALPHA / T)
    return linked(goal, known, split, swap)


def paired(z: Any, moved: Any) -> Theorem:
    """sum_n (A^perp^T z)_n w_n = sum_i z_i (H v)_i."""
    swap = fact(FUBINI, a=b(i, n) * z(i) * w(n), j=n, k=i, rows=T, columns=T)
    left = Sum(bulk.pulled(z)(n) * w(n), (n, 1, T))
    return linked(Compare(left, "=", Sum(z(i) * moved(i), (i, 1, T))), swap)


@proves(claims.outlier_between_two_bounds)
def by_the_singular_vector_of_the_outlier(claim: Claim) -> Certificate:
    """Rayleigh's principle for A along ones, for A^perp along H v, and Cauchy-Schwarz."""
    square = whole.root(Integer(1)) ** 2
    read = [
        unfold(claims.top, square, DOMAIN),
        unfold(claims.top_of_rest, bulk.root(Integer(1)) ** 2, DOMAIN),
        unfold(claims.along_ones, Sum(y(n) ** 2, (n, 1, T)) / T, DOMAIN),
    ]
    unit = instance(whole.unit, Integer(1))
    own = weighed(v, image, T)
    norm = bulk.pulled_norm(v)
    energy = linked(Compare(norm, "=", square - ALPHA**2 / T), paired(v, t), own, unit)
    images = squared(image, T)
    length = linked(
        Compare(bulk.norm(t), "=", square**2 - (2 * square - 1) * ALPHA**2 / T),
        images,
        unit,
        SEVERAL,
    )
    total = sums_compared(image, T)
    mixed = linked(
        Compare(Sum(y(n) * w(n), (n, 1, T)), "=", (square - 1) * ALPHA),
        paired(one, t),
        total,
        SEVERAL,
    )
    low = _from_below(read)
    high = _from_above(read, (energy, length, mixed), low)
    return conclude(claim, both(low, high), method="Rayleigh's principle; Cauchy-Schwarz")


def _from_below(read: Sequence[Theorem]) -> Theorem:
    """||A^T 1||^2 <= lambda T, and on the left T + ||A^perp^T 1||^2."""
    length = sum_rearranged(Sum(Integer(1), (i, 1, T)), T)
    goal = Compare(claims.along_ones, "<=", claims.top - 1)
    return linked(goal, whole.principle(one), along_ones(one, T, length), length, *read, SEVERAL)


def _from_above(
    read: Sequence[Theorem], found: tuple[Theorem, Theorem, Theorem], low: Theorem
) -> Theorem:
    """(lambda - 1)(lambda - h) <= x from beta, v^T H v and ||H v||^2."""
    turned, norm, size = bulk.pulled_norm(t), bulk.pulled_norm(v), bulk.norm(t)
    terms = {
        lam: claims.top, h: claims.top_of_rest, x: claims.along_ones, beta: ALPHA**2 / T, e: norm,
        q: size, p: turned,
    }  # fmt: skip
    ones = fact(CAUCHY_SCHWARZ, a=y(n), b=w(n), k=n, low=1, high=T)
    images = fact(CAUCHY_SCHWARZ, a=bulk.pulled(t)(n), b=w(n), k=n, low=1, high=T)
    signs = [_square(z) for z in (w, t, y)]
    facts = (*read, *found, ones, images, paired(t, t), bulk.principle(t), low, *signs, SEVERAL)
    known = [linked(goal.substitute(terms), *facts) for goal in GIVEN]
    return cut(substitute(_of_numbers(), terms), *known)


def _square(z: Column) -> Theorem:
    """||z||^2 is not negative."""
    return sums_compared(lambda c: square_at(z(c)), T)


def _of_numbers() -> Theorem:
    """What follows for lambda, h, x, beta, v^T H v, ||H v||^2 and ||A^perp^T H v||^2 as numbers."""
    shorter = joint(Compare(q, "<=", h * e), given=GIVEN)
    along = joint(Compare((lam - h) * e, "<=", (lam - 1) * beta), shorter, given=GIVEN[:2])
    apart = Compare(lam, ">=", h)
    one_more = joint(
        Compare((lam - h) * ((lam - 1) ** 2 * beta), "<=", (lam - h) * (x * e)),
        given=(GIVEN[2], apart),
    )
    times_x = joint(
        Compare(x * ((lam - h) * e), "<=", x * ((lam - 1) * beta)), along, given=(GIVEN[6],)
    )
    left = (lam - 1) * (lam - h)
    product = joint(Compare((lam - 1) * beta * left, "<=", (lam - 1) * beta * x), one_more, times_x)
    signs = (*GIVEN[5:7], GIVEN[10])
    cancelled = joint(
        Compare((lam - 1) * beta, ">", 0).implies(Compare(left, "<=", x)), product, given=signs
    )
    nothing = joint(
        Compare(beta, "=", 0).implies(Compare(left, "<=", x)),
        along,
        given=(GIVEN[0], *signs, apart),
    )
    above = discharge(joint(Compare(left, "<=", x), cancelled, nothing, given=signs), apart)
    return joint(Compare(left, "<=", x), above, given=signs)
