r"""App. A.2, Term B: the fourth moment of one dimension as three pairings Q_1, Q_2, Q_3.

The three displays omit the factor sigma_x^4, and so do the claims about them.  A Kronecker delta
with an inequality sign is printed as 1 - delta.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from sympy import Expr, Integer, KroneckerDelta, Rational

from claims.definitions import centring, entries
from claims.domain import Condition, Domain, Point, Size
from claims.model import Claim, Mutant, Relation, variants
from claims.noci2022.notation import n, rho, sigma_x, source
from claims.noci2022.sums import IndexSum, a, a2, b, b2, correlated, unequal
from claims.noci2022.terms import square, token_column
from claims.noci2022.tokens import (
    GAUSSIAN_TOKENS,
    correlation,
    gaussian_moments_are_sums_over_pairings,
    token_covariance,
    token_expectation,
)

PAIRS = {1: (a, a2, b, b2), 2: (a, b, a2, b2), 3: (a, b2, a2, b)}
"""Which indices Q_1, Q_2 and Q_3 pair: first with second, third with fourth."""


def written_out(first: Any, second: Any, third: Any, fourth: Any) -> Expr:
    """E[X_first X_second] E[X_third X_fourth] / sigma_x^4 as the four printed summands."""
    return (
        KroneckerDelta(first, second) * KroneckerDelta(third, fourth)
        + rho * KroneckerDelta(first, second) * unequal(third, fourth)
        + rho * unequal(first, second) * KroneckerDelta(third, fourth)
        + rho**2 * unequal(first, second) * unequal(third, fourth)
    )


product_of_centres = (
    KroneckerDelta(a, b) * KroneckerDelta(a2, b2)
    - KroneckerDelta(a, b) / n
    - KroneckerDelta(a2, b2) / n
    + 1 / n**2
)


def _at_sites(point: Point) -> tuple[Any, ...]:
    """Q_1, Q_2, Q_3, L_ab L_a'b' and the fourth moment at given tokens."""
    size = int(point[n])
    site = {index: int(point[index]) - 1 for index in (a, b, a2, b2)}
    covariance, centre = token_covariance(size, point), centring(size)
    pairings = [
        covariance[site[i], site[k]] * covariance[site[j], site[h]] for i, k, j, h in PAIRS.values()
    ]
    x = entries("x", size, 1)
    fourth = x[site[a]] * x[site[a2]] * x[site[b]] * x[site[b2]]
    centres = centre[site[a], site[b]] * centre[site[a2], site[b2]]
    return (*pairings, centres, token_expectation(fourth, x, point))


def definitions(first: Any, third: Any, centres: Any = product_of_centres) -> tuple[Any, ...]:
    """The five quantities with given forms of Q_1 and Q_3 (in units of sigma_x^4)."""
    second = written_out(*PAIRS[2])
    return (
        square * first,
        square * second,
        square * third,
        centres,
        square * (first + second + third),
    )


_first, _third = written_out(*PAIRS[1]), written_out(*PAIRS[3])
_names = r"\left(Q_1,\ Q_2,\ Q_3,\ L_{ab}L_{a'b'},\ \mathbb E[X_{ai}X_{a'i}X_{bi}X_{b'i}]\right)"
pairings_in_kronecker_deltas = Claim(
    id="noci2022.A.2.Q-definitions",
    source=source("App. A.2", "Term B, definitions of Q1, Q2, Q3"),
    kind="identity",
    title="The three pairings of a fourth moment, and $L_{ab}L_{a'b'}$, in Kronecker deltas.",
    statement=Relation(
        _names,
        (
            definitions(correlated(a, a2) * correlated(b, b2), _third),
            definitions(_first, _third),
        ),
    ),
    domain=Domain(
        (*token_column.variables, *(Size(index, 1, 3) for index in (a, a2, b, b2))),
        (Condition(r"a,a',b,b'\le n", lambda p: max(p[i] for i in (a, a2, b, b2)) <= p[n]),),
    ),
    define=_at_sites,
    hypotheses=(GAUSSIAN_TOKENS,),
    uses=(gaussian_moments_are_sums_over_pairings,),
    mutants=variants(
        ("Q_3 pairs as Q_1", definitions(_first, _first)),
        ("rho for rho^2", definitions(_first.subs(rho**2, rho), _third)),
        (
            "cross terms of L L with the same sign",
            definitions(_first, _third, product_of_centres + 2 * KroneckerDelta(a, b) / n),
        ),
        lhs=_names,
    ),
    probes=tuple(
        {n: Integer(3), sigma_x: Integer(1), rho: Rational(1, 2), a: Integer(1), **at}
        for at in (
            {b: Integer(1), a2: Integer(2), b2: Integer(3)},
            {b: Integer(2), a2: Integer(1), b2: Integer(2)},
        )
    ),
    printed=(
        r"\mathbb{E}[\mathbf{X}_{ai}\mathbf{X}_{a'i}\mathbf{X}_{bi}\mathbf{X}_{b'i}] = "
        r"\underbrace{\mathbb{E}\mathbf{X}_{ai}\mathbf{X}_{a'i}"
        r"\mathbb{E}\mathbf{X}_{bi}\mathbf{X}_{b'i}}_{Q_1} + "
        r"\underbrace{\mathbb{E}\mathbf{X}_{ai}\mathbf{X}_{bi}"
        r"\mathbb{E}\mathbf{X}_{a'i}\mathbf{X}_{b'i}}_{Q_2} + "
        r"\underbrace{\mathbb{E}\mathbf{X}_{ai}\mathbf{X}_{b'i}"
        r"\mathbb{E}\mathbf{X}_{a'i}\mathbf{X}_{bi}}_{Q_3}, "
        r"\quad "
        r"Q_1 = \sigma_x^4(\delta_{aa'} + \rho\delta_{a \neq a'}) (\delta_{bb'} + \rho\delta_{b "
        r"\neq b'}) = \sigma_x^4(\delta_{aa'}\delta_{bb'} + \rho\delta_{aa'}\delta_{b \neq b'} + "
        r"\rho\delta_{a \neq a'}\delta_{bb'} + \rho^2\delta_{a \neq a'}\delta_{b \neq b'}), \quad "
        r"Q_2 = \sigma_x^4(\delta_{ab}\delta_{a'b'} + \rho\delta_{ab}\delta_{a' \neq b'} + "
        r"\rho\delta_{a \neq b}\delta_{a'b'} + \rho^2\delta_{a \neq b}\delta_{a' \neq b'}), \quad "
        r"Q_3 = \sigma_x^4(\delta_{ab'}\delta_{a'b} + \rho\delta_{ab'}\delta_{a' \neq b} + "
        r"\rho\delta_{a \neq b'}\delta_{a'b} + \rho^2\delta_{a \neq b'}\delta_{a' \neq b}), \quad "
        r"\mathbf{L}_{ab}\mathbf{L}_{a'b'} = (\delta_{ab}\delta_{a'b'} - \frac{\delta_{ab}}{n} - "
        r"\frac{\delta_{a'b'}}{n} + \frac{1}{n^2})"
    ),
)


def weighted_sum(which: int) -> Callable[[Point], Any]:
    """The sum of L_ab L_a'b' Q_which / sigma_x^4, term by term."""

    def define(point: Point) -> Any:
        size = int(point[n])
        centre = centring(size)
        covariance = token_covariance(size, {**point, sigma_x: Integer(1)})
        total = Integer(0)
        for i, j, k, h in product(range(size), repeat=4):
            site = {a: i, b: j, a2: k, b2: h}
            first, second, third, fourth = (site[index] for index in PAIRS[which])
            weight = centre[i, j] * centre[k, h]
            total += weight * covariance[first, second] * covariance[third, fourth]
        return total

    return define


def printed_sum(integrand: Any) -> Expr:
    """The displayed sum over a, a', b, b' of the product of centres times an integrand."""
    return IndexSum(product_of_centres * integrand, n, a, a2, b, b2)


def _sum_of(which: int) -> str:
    return rf"\sum_{{a,a',b,b'}}L_{{ab}}L_{{a'b'}}Q_{which}/\sigma_x^4"


correlations = Domain((Size(n, 2, 4), correlation))
_squares = rho**2 * (n * (n - 1) - 2 * (n - 1) * (n - 1) + (n - 1) ** 2)
_first_line = _squares + rho * (-4 * (n - 1) + 2 * (n - 1)) + (n - 2 + 1)
_small = rho**2 * (n - 1) - 2 * rho * (n - 1) + (n - 1)
_large = rho**2 * (n - 1) ** 2 - 2 * rho * (n - 1) ** 2 + (n - 1) ** 2

first_pairing_sum = Claim(
    id="noci2022.A.2.B-first",
    source=source("App. A.2", "Term B, first term"),
    kind="identity",
    title=r"The first pairing contributes $(n-1)(1-\rho)^2$, line by line.",
    statement=Relation(
        _sum_of(1),
        (
            printed_sum(written_out(*PAIRS[1])),
            _first_line,
            rho**2 * (n - 1) * (n - 2 * (n - 1) + (n - 1)) - 2 * rho * (n - 1) + (n - 1),
            _small,
        ),
    ),
    domain=correlations,
    define=weighted_sum(1),
    uses=(pairings_in_kronecker_deltas,),
    mutants=variants(
        ("the value of the second term", _large),
        ("rho coefficient -4 (n-1)", _small - 2 * rho * (n - 1)),
        ("n for n - 1", _small.subs(n, n + 1)),
        lhs=_sum_of(1),
    ),
    printed=(
        r"\sigma_x^4 \sum_{a,a',b,b'} \mathbf{L}_{ab} \mathbf{L}_{a'b'} Q_1 \text{ (omitting the "
        r"constant } \sigma_x^4 \text{): } = \sum_{a,a',b,b'} \left( \delta_{ab} \delta_{a'b'} - "
        r"\frac{\delta_{ab}}{n} - \frac{\delta_{a'b'}}{n} + \frac{1}{n^2} \right) (\delta_{aa'} "
        r"\delta_{bb'} + \rho \delta_{aa'} \delta_{b \neq b'} + \rho \delta_{a \neq a'} "
        r"\delta_{bb'} + \rho^2 \delta_{a \neq a'} \delta_{b \neq b'}) = \rho^2 (n(n-1) - "
        r"2(n-1)(n-1) + (n-1)^2) + \rho(-4(n-1) + 2(n-1)) + n - 2 + 1 = \rho^2 (n-1) (n - 2(n-1) + "
        r"(n-1)) - 2\rho(n-1) + (n-1) = \rho^2 (n-1) - 2\rho(n-1) + (n-1)"
    ),
)

second_pairing_sum = Claim(
    id="noci2022.A.2.B-second",
    source=source("App. A.2", "Term B, second term"),
    kind="identity",
    title=r"The second pairing contributes $(n-1)^2(1-\rho)^2$, line by line.",
    statement=Relation(
        _sum_of(2),
        (
            printed_sum(written_out(*PAIRS[2])),
            rho**2 * (n - 1) ** 2 + rho * (-2 * n * (n - 1) + 2 * (n - 1)) + n**2 - 2 * n + 1,
            _large,
        ),
    ),
    domain=correlations,
    define=weighted_sum(2),
    uses=(pairings_in_kronecker_deltas,),
    mutants=variants(
        ("the value of the first term", _small),
        ("n (n-1) for (n-1)^2", _large * n / (n - 1)),
        ("rho coefficient -2 n (n-1)", _large - 2 * rho * (n - 1)),
        lhs=_sum_of(2),
    ),
    printed=(
        r"\sigma_x^4 \sum_{a,a',b,b'} \mathbf{L}_{ab} \mathbf{L}_{a'b'} Q_2 \text{ (omitting the "
        r"constant } \sigma_x^4 \text{): } = \sum_{a,a',b,b'} \left( \delta_{ab} \delta_{a'b'} - "
        r"\frac{\delta_{ab}}{n} - \frac{\delta_{a'b'}}{n} + \frac{1}{n^2} \right) (\delta_{ab} "
        r"\delta_{a'b'} + \rho \delta_{ab} \delta_{a' \neq b'} + \rho \delta_{a \neq b} "
        r"\delta_{a'b'} + \rho^2 \delta_{a \neq b} \delta_{a' \neq b'}) = \rho^2 (n-1)^2 + "
        r"\rho(-2n(n-1) + 2(n-1)) + n^2 - 2n + 1 = \rho^2 (n-1)^2 - 2\rho(n-1)^2 + (n-1)^2"
    ),
)

_misprinted = (
    KroneckerDelta(a, b2) * KroneckerDelta(a2, b)
    + rho * KroneckerDelta(a, b2) * unequal(a2, b)
    + rho * unequal(a, b) * KroneckerDelta(a2, b)
    + rho**2 * unequal(a, b) * unequal(a2, b)
)


def _third_term(integrand: Any) -> Relation:
    return Relation(_sum_of(3), (printed_sum(integrand), _first_line, _small))


third_pairing_sum = Claim(
    id="noci2022.A.2.B-third",
    source=source("App. A.2", "Term B, third term"),
    kind="identity",
    title=r"The third pairing contributes $(n-1)(1-\rho)^2$, with the integrand as printed.",
    statement=_third_term(_misprinted),
    domain=correlations,
    define=weighted_sum(3),
    uses=(pairings_in_kronecker_deltas,),
    mutants=(
        *variants(
            ("the value of the second term", _large),
            ("rho coefficient -4 (n-1)", _small - 2 * rho * (n - 1)),
            lhs=_sum_of(3),
        ),
        Mutant(
            "only the last delta misprinted",
            _third_term(_third + rho**2 * (unequal(a, b) - unequal(a, b2)) * unequal(a2, b)),
        ),
    ),
    probes=({n: Integer(3), rho: Rational(1, 2)},),
    severity="misprint",
    repair=Claim(
        id="noci2022.A.2.B-third.repair",
        source=source("App. A.2", "Term B, third term"),
        kind="identity",
        title=r"The third pairing contributes $(n-1)(1-\rho)^2$, with the integrand of $Q_3$.",
        statement=_third_term(_third),
        domain=correlations,
        define=weighted_sum(3),
        note=r"In the last two summands the delta reads $a\ne b'$, as in the definition of $Q_3$.",
        parent="noci2022.A.2.B-third",
    ),
    printed=(
        r"\sigma_x^4 \sum_{a,a',b,b'} \mathbf{L}_{ab} \mathbf{L}_{a'b'} Q_3 \text{ (omitting the "
        r"constant } \sigma_x^4 \text{): } = \sum_{a,a',b,b'} \left( \delta_{ab} \delta_{a'b'} - "
        r"\frac{\delta_{ab}}{n} - \frac{\delta_{a'b'}}{n} + \frac{1}{n^2} \right) (\delta_{ab'} "
        r"\delta_{a'b} + \rho \delta_{ab'} \delta_{a' \neq b} + \rho \delta_{a \neq b} "
        r"\delta_{a'b} + \rho^2 \delta_{a \neq b} \delta_{a' \neq b}) = \rho^2 (n(n-1) - "
        r"2(n-1)(n-1) + (n-1)^2) + \rho(-4(n-1) + 2(n-1)) + n - 2 + 1 = \rho^2 (n-1) - 2\rho(n-1) "
        "+ (n-1)"
    ),
    note=(
        r"With $a\ne b$ for $a\ne b'$, a prime that the print or the transcription that we read lost, the "
        r"sum is $(n-1)(1-\rho)$; the lines after it are right."
    ),
)


def _term_B(point: Point) -> Any:
    x = entries("x", int(point[n]), 1)
    return token_expectation((x.T * centring(x.rows) * x)[0] ** 2, x, point)


TERM_B = square * (n - 1) * (n + 1) * (1 - rho) ** 2
term_B_total = Claim(
    id="noci2022.A.2.B-total",
    source=source("App. A.2", "Term B"),
    kind="expectation",
    title=r"The term from one dimension is $(n-1)(n+1)(1-\rho)^2\sigma_x^4$.",
    statement=Relation(
        r"\mathbf B",
        (
            square * (n - 1) * (rho**2 * (n + 1) - 2 * (n + 1) * rho + (n + 1)),
            TERM_B,
        ),
    ),
    domain=token_column,
    define=_term_B,
    hypotheses=(GAUSSIAN_TOKENS,),
    uses=(pairings_in_kronecker_deltas, first_pairing_sum, second_pairing_sum, third_pairing_sum),
    mutants=variants(
        ("n for n - 1", square * n * (n + 1) * (1 - rho) ** 2),
        ("second pairing dropped", square * 2 * (n - 1) * (1 - rho) ** 2),
        ("1 - rho for (1 - rho)^2", square * (n - 1) * (n + 1) * (1 - rho)),
        ("one pairing for three", square * (n - 1) * (1 - rho) ** 2),
        lhs=r"\mathbf B",
    ),
    printed=(
        r"B = \sigma_x^4 (n-1) [\rho^2 (n+1) - 2(n+1)\rho + (n+1)] = \sigma_x^4 "
        r"(n-1)(n+1)(1-\rho)^2"
    ),
)
