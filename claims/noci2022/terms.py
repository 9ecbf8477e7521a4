r"""App. A.2: the expansion of E||X^T L X||_F^2 and its part A from two different dimensions.

L = I - 11^T/n.  Sums over unequal indices are printed with a factor 1 - delta.  In the second line
of A_2 the paper sums over b' != b where b is no longer bound; b = a is what the line before gives.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from sympy import Expr, Integer, KroneckerDelta, Rational, symbols

from claims.definitions import centring, frobenius_square
from claims.domain import Domain, Point, Real, Size
from claims.model import Claim, Relation, variants
from claims.noci2022.notation import d, n, rho, sigma_x, source
from claims.noci2022.setup import positive
from claims.noci2022.sums import IndexSum, TokenMoment, a, a2, b, b2, unequal
from claims.noci2022.tokens import (
    GAUSSIAN_TOKENS,
    correlation,
    gaussian_tokens,
    token_covariance,
    token_entries,
    token_expectation,
)

dim_1, dim_2 = symbols("i j", integer=True, positive=True)
token_column = Domain((Size(n, 2, 4), Real(sigma_x, **positive), correlation))
square = sigma_x**4
A2_FACTOR, A3_FACTOR = 2 * rho * square, rho**2 * square


def centre_entry(first: Any, second: Any) -> Expr:
    """L_{first second}, as printed."""
    return KroneckerDelta(first, second) - 1 / n


def moment(*sites: Any) -> Expr:
    """E of a product of token entries, for sites a, i, b, j, ..."""
    return TokenMoment(sigma_x**2, rho, *sites)


def expected_scatter_norm(point: Point) -> Expr:
    """E||X^T L X||_F^2, entry by entry."""
    x = token_entries(point)
    return token_expectation(frobenius_square(x.T * centring(x.rows) * x), x, point)


_weights = centre_entry(a, b) * centre_entry(a2, b2)
term_A = IndexSum(_weights * moment(a, 1, a2, 1) * moment(b, 2, b2, 2), n, a, b, a2, b2)
term_B = IndexSum(_weights * moment(a, 1, a2, 1, b, 1, b2, 1), n, a, b, a2, b2)
_fourth = IndexSum(_weights * moment(a, dim_1, a2, dim_1, b, dim_2, b2, dim_2), n, a, b, a2, b2)
_scatter = r"\mathbb E\|X^\top LX\|_F^2"

scatter_norm_expands_in_two_terms = Claim(
    id="noci2022.A.2.expansion",
    source=source("App. A.2", "expansion of the squared scatter norm"),
    kind="identity",
    title="The squared scatter norm splits into $d(d-1)$ terms $A$ and $d$ terms $B$.",
    statement=Relation(
        _scatter, (IndexSum(_fourth, d, dim_1, dim_2), d * (d - 1) * term_A + d * term_B)
    ),
    domain=gaussian_tokens,
    define=expected_scatter_norm,
    hypotheses=(GAUSSIAN_TOKENS,),
    mutants=variants(
        ("d^2 for d(d-1)", d**2 * term_A + d * term_B),
        ("A and B exchanged", d * (d - 1) * term_B + d * term_A),
        ("half of the pairs i != j", d * (d - 1) / 2 * term_A + d * term_B),
        lhs=_scatter,
    ),
    printed=(
        r"\mathbb{E} [\|\mathbf{X}^\top \mathbf{L} \mathbf{X}\|_F^2] = \sum_{i,j=1}^d \mathbb{E} "
        r"\left[ \left( \sum_{a,b=1}^n \mathbf{X}_{ai} \mathbf{L}_{ab} \mathbf{X}_{bj} \right)^2 "
        r"\right] = \sum_{i,j=1}^d \sum_{a,b,a',b'=1}^n \mathbf{L}_{ab} \mathbf{L}_{a'b'} "
        r"\mathbb{E} [\mathbf{X}_{ai} \mathbf{X}_{a'i} \mathbf{X}_{bj} \mathbf{X}_{b'j}]"
    ),
)


def _cases(point: Point) -> tuple[Any, ...]:
    """(value, number of terms) for a = a' or not, b = b' or not, in the printed order."""
    size = int(point[n])
    covariance = token_covariance(size, point)
    found: list[Any] = []
    for same_a, same_b in product((True, False), repeat=2):
        values = [
            covariance[i, k] * covariance[j, h]
            for i, k, j, h in product(range(size), repeat=4)
            if (i == k) == same_a and (j == h) == same_b
        ]
        if len(set(values)) != 1:
            raise ValueError(f"case a=a' {same_a}, b=b' {same_b}: the product takes {set(values)}")
        found += [values[0], Integer(len(values))]
    return tuple(found)


def cases(powers: tuple[int, int, int], counts: tuple[Any, Any, Any]) -> Relation:
    """Values rho^power sigma_x^4 and counts: both equal, one equal (twice), none equal."""
    both, one, none = ((rho**p * square, c) for p, c in zip(powers, counts, strict=True))
    lhs = r"\left(\mathbb E[X_{ai}X_{a'i}]\,\mathbb E[X_{bj}X_{b'j}],\ \#\text{terms}\right)"
    return Relation(lhs, ((*both, *one, *one, *none),))


_COUNTS = (n**2, n**2 * (n - 1), n**2 * (n - 1) ** 2)
products_of_covariances_by_case = Claim(
    id="noci2022.A.2.A-cases",
    source=source("App. A.2", "Term A, case distinction"),
    kind="identity",
    title="Products of two token covariances take three values, with these multiplicities.",
    statement=cases((0, 1, 2), _COUNTS),
    domain=token_column,
    define=_cases,
    hypotheses=(GAUSSIAN_TOKENS,),
    mutants=tuple(
        variant
        for name, statement in (
            ("n(n-1) for n^2(n-1)", cases((0, 1, 2), (n**2, n * (n - 1), _COUNTS[2]))),
            ("rho for rho^2", cases((0, 1, 1), _COUNTS)),
            ("n^2 (n-1) for n^2 (n-1)^2", cases((0, 1, 2), (n**2, _COUNTS[1], _COUNTS[1]))),
        )
        for variant in variants((name, statement.rhs[0]), lhs=statement.lhs)
    ),
    printed=(
        r"\mathbb{E} [\mathbf{X}_{ai} \mathbf{X}_{a'i}] \cdot \mathbb{E} [\mathbf{X}_{bj} "
        r"\mathbf{X}_{b'j}] = \begin{cases} \sigma_x^4 & a = a', b = b', \quad n^2 \text{ terms} "
        r"\\ \rho \sigma_x^4 & a = a', b \neq b', \quad n^2(n-1) \text{ terms} \\ \rho \sigma_x^4 "
        r"& a \neq a', b = b', \quad n^2(n-1) \text{ terms} \\ \rho^2 \sigma_x^4 & a \neq a', b "
        r"\neq b', \quad n^2(n-1)^2 \text{ terms} \end{cases}"
    ),
)


def _restricted(apart_a: bool, apart_b: bool) -> Any:
    """Sum of L_ab L_a'b' with a' != a or a' = a, b' != b or b' = b, times rho per inequality."""

    def define(point: Point) -> Any:
        size = int(point[n])
        centre = centring(size)
        total = sum(
            centre[i, j] * centre[k, h]
            for i, j, k, h in product(range(size), repeat=4)
            if (i != k) == apart_a and (j != h) == apart_b
        )
        return point.get(rho, 0) ** (apart_a + apart_b) * point[sigma_x] ** 4 * total

    return define


equal_pairs_sum = Claim(
    id="noci2022.A.2.A1",
    source=source("App. A.2", "Term A, A1"),
    kind="identity",
    title="The centring matrix has squared Frobenius norm $n-1$.",
    statement=Relation(
        "A_1",
        (
            square * IndexSum(centre_entry(a, b) ** 2, n, a, b),
            square * (n * ((n - 1) / n) ** 2 + (n - 1) * n / n**2),
            square * ((n - 1) ** 2 + (n - 1)) / n,
            square * (n - 1),
        ),
    ),
    domain=Domain((Size(n, 2, 5), Real(sigma_x, **positive))),
    define=_restricted(False, False),
    mutants=variants(
        ("n for n - 1", square * n),
        ("sigma_x^2 for sigma_x^4", sigma_x**2 * (n - 1)),
        ("off-diagonal entries forgotten", square * n * ((n - 1) / n) ** 2),
        lhs="A_1",
    ),
    printed=(
        r"A_1 = \sigma_x^4 \sum_{a,b} \mathbf{L}_{ab}^2 = \sigma_x^4 \left( n \left( \frac{n-1}{n} "
        r"\right)^2 + (n-1)n \frac{1}{n^2} \right) = \sigma_x^4 \frac{(n-1)^2 + (n-1)}{n} = "
        r"\sigma_x^4 (n-1)"
    ),
)


def _a2(point: Point) -> Any:
    return _restricted(False, True)(point) + _restricted(True, False)(point)


_one_apart = Integer(-1) * (n - 1) / n
one_equal_pair_sum = Claim(
    id="noci2022.A.2.A2",
    source=source("App. A.2", "Term A, A2"),
    kind="identity",
    title=r"Terms with exactly one coincidence sum to $-2(n-1)\rho$, line by line.",
    statement=Relation(
        "A_2",
        (
            A2_FACTOR
            * IndexSum(centre_entry(a, b) * unequal(b2, b) * centre_entry(a, b2), n, a, b, b2),
            A2_FACTOR
            * (
                IndexSum(centre_entry(a, a) * unequal(b2, a) * centre_entry(a, b2), n, a, b2)
                + IndexSum(
                    unequal(a, b) * centre_entry(a, b) * unequal(b2, b) * centre_entry(a, b2),
                    n, a, b, b2,
                )
            ),
            A2_FACTOR
            * (
                IndexSum((n - 1) / n * _one_apart, n, a)
                + IndexSum(
                    unequal(a, b) * centre_entry(a, b) * ((n - 1) / n - (n - 2) / n), n, a, b
                )
            ),
            A2_FACTOR * (-((n - 1) ** 2) / n - (n - 1) / n),
            -2 * (n - 1) * rho * square,
        ),
    ),
    domain=token_column,
    define=_a2,
    mutants=variants(
        ("factor 2 dropped", -(n - 1) * rho * square),
        ("sign", 2 * (n - 1) * rho * square),
        ("n for n - 1", -2 * n * rho * square),
        lhs="A_2",
    ),
    printed=(
        r"A_2 = 2\rho\sigma_x^4 \sum_{a,b} \mathbf{L}_{ab} \sum_{b' \neq b} \mathbf{L}_{ab'} = "
        r"2\rho\sigma_x^4 \left( \sum_a \mathbf{L}_{a,a} \sum_{b' \neq b} \mathbf{L}_{ab'} + "
        r"\sum_a \sum_{b \neq a} \mathbf{L}_{ab} \sum_{b' \neq b} \mathbf{L}_{ab'} \right) = "
        r"2\rho\sigma_x^4 \left( \sum_a \frac{n-1}{n} \left[ -(n-1) \frac{1}{n} \right] + \sum_a "
        r"\sum_{b \neq a} \mathbf{L}_{ab} \left[ \frac{n-1}{n} - \frac{n-2}{n} \right] \right) = "
        r"2\rho\sigma_x^4 \left( -\frac{(n-1)^2}{n} - \frac{1}{n}(n-1)n \frac{1}{n} \right) = "
        r"-2\rho\sigma_x^4(n-1)"
    ),
    note=(
        r"In the second line the sum over the diagonal is printed with $\sum_{b'\ne b}$, where $b$ "
        r"is not bound; it is read as $\sum_{b'\ne a}$, which is the line before it at $b=a$."
    ),
)  # fmt: skip

_cross = centre_entry(a2, b2) * unequal(a2, a) * unequal(b2, b)
no_equal_pair_sum = Claim(
    id="noci2022.A.2.A3",
    source=source("App. A.2", "Term A, A3"),
    kind="identity",
    title=r"Terms without any coincidence sum to $(n-1)\rho^2$.",
    statement=Relation(
        "A_3",
        (
            A3_FACTOR * IndexSum(centre_entry(a, b) * _cross, n, a, b, a2, b2),
            A3_FACTOR
            * (
                IndexSum(centre_entry(a, a) * _cross.subs(b, a), n, a, a2, b2)
                + IndexSum(unequal(a, b) * centre_entry(a, b) * _cross, n, a, b, a2, b2)
            ),
            A3_FACTOR * (n - 1),
        ),
    ),
    domain=token_column,
    define=_restricted(True, True),
    mutants=variants(
        ("rho for rho^2", rho * square * (n - 1)),
        ("n for n - 1", A3_FACTOR * n),
        ("sign", -A3_FACTOR * (n - 1)),
        lhs="A_3",
    ),
    printed=(
        r"A_3 := \rho^2 \sigma_x^4 \sum_{a,b} \sum_{a' \neq a} \sum_{b' \neq b} \mathbf{L}_{ab} "
        r"\mathbf{L}_{a'b'} = \rho^2 \sigma_x^4 \left( \sum_a \mathbf{L}_{aa} \sum_{a' \neq a} "
        r"\sum_{b' \neq a} \mathbf{L}_{a'b'} + \sum_a \sum_{b \neq a} \mathbf{L}_{ab} \sum_{a' "
        r"\neq a} \sum_{b' \neq b} \mathbf{L}_{a'b'} \right) = \rho^2 \sigma_x^4 (n-1)"
    ),
    note="The lines between are `noci2022.A.2.A3-intermediate`.",
)

_diagonal, _off = 1 - 1 / n, -1 / n
_summed = n * (1 - 1 / n) * (1 - 1 / n) + n * (n - 1) * (-1 / n) * (-1 / n)
_inner = IndexSum(unequal(a2, b) * centre_entry(a2, b) * _off, n, a2, b)


def _bracketed(inside: Any, outside: Any) -> Relation:
    """The third and fourth lines of A_3, with the off-diagonal sum inside or outside the bracket."""
    first = IndexSum(centre_entry(a, a) * (_diagonal + inside), n, a)
    return Relation("A_3", (A3_FACTOR * (first + outside), A3_FACTOR * _summed))


no_equal_pair_intermediate = Claim(
    id="noci2022.A.2.A3-intermediate",
    source=source("App. A.2", "Term A, third and fourth lines of A3"),
    kind="identity",
    title="The third line of $A_3$, with the bracket where it is printed.",
    statement=_bracketed(_inner, Integer(0)),
    domain=token_column,
    define=_restricted(True, True),
    mutants=variants(
        ("off-diagonal part dropped", A3_FACTOR * IndexSum(centre_entry(a, a) * _diagonal, n, a)),
        ("off-diagonal entries +1/n", _bracketed(Integer(0), -_inner).rhs[0]),
        ("n^2 off-diagonal entries", A3_FACTOR * (_diagonal**2 * n + n**2 * _off**2)),
        lhs="A_3",
    ),
    probes=({n: Integer(3), sigma_x: Integer(1), rho: Rational(1, 2)},),
    severity="misprint",
    repair=Claim(
        id="noci2022.A.2.A3-intermediate.repair",
        source=source("App. A.2", "Term A, third and fourth lines of A3"),
        kind="identity",
        title="The third line of $A_3$, the off-diagonal sum standing beside the diagonal one.",
        statement=_bracketed(Integer(0), _inner),
        domain=token_column,
        define=_restricted(True, True),
        note="The bracket closes after $1-1/n$; the off-diagonal sum is a second summand.",
        parent="noci2022.A.2.A3-intermediate",
    ),
    printed=(
        r"A_3 = \rho^2\sigma_x^4 \left( \sum_a \mathbf{L}_{aa} \left(1 - \frac{1}{n} + \sum_a "
        r"\sum_{b \neq a} \mathbf{L}_{ab} \left(-\frac{1}{n}\right)\right) \right) = "
        r"\rho^2\sigma_x^4 \left( n \left(1 - \frac{1}{n}\right) \left(1 - \frac{1}{n}\right) + "
        r"n(n-1) \left(-\frac{1}{n}\right) \left(-\frac{1}{n}\right) \right)"
    ),
    note=(
        "As bracketed, in print or in the transcription that we read, the line is $2(n-1)^2/n$ instead of "
        "$n-1$; the line after it is right."
    ),
)


def _term_A(point: Point) -> Any:
    size = int(point[n])
    centre, covariance = centring(size), token_covariance(size, point)
    return sum(
        centre[i, j] * centre[k, h] * covariance[i, k] * covariance[j, h]
        for i, j, k, h in product(range(size), repeat=4)
    )


TERM_A = (n - 1) * (1 - rho) ** 2 * square
term_A_total = Claim(
    id="noci2022.A.2.A-total",
    source=source("App. A.2", "Term A"),
    kind="expectation",
    title=r"The term from two different dimensions is $(n-1)(1-\rho)^2\sigma_x^4$.",
    statement=Relation(r"\mathbf A", (TERM_A,)),
    domain=token_column,
    define=_term_A,
    hypotheses=(GAUSSIAN_TOKENS,),
    uses=(products_of_covariances_by_case, equal_pairs_sum, one_equal_pair_sum, no_equal_pair_sum),
    mutants=variants(
        ("n for n - 1", n * (1 - rho) ** 2 * square),
        ("1 - rho for (1 - rho)^2", (n - 1) * (1 - rho) * square),
        ("1 - rho^2 for (1 - rho)^2", (n - 1) * (1 - rho**2) * square),
        ("sigma_x^2 for sigma_x^4", (n - 1) * (1 - rho) ** 2 * sigma_x**2),
        lhs=r"\mathbf A",
    ),
    printed=r"\mathbf{A} = (n-1)(1-\rho)^2\sigma_x^4",
)
