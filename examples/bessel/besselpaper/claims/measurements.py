"""The mean and the spread of n independent measurements."""

from sympy import Symbol, symbols

from claims.definitions import entries, expectation
from claims.domain import Domain, Real, Size
from claims.model import Claim, Hypothesis, Relation, Source, variants

n = symbols("n", integer=True, positive=True)
sigma = Symbol("sigma", positive=True)

MEASUREMENTS = Domain((Size(n, 2, 5), Real(sigma, 0, open_low=True)))
GAUSSIAN = Hypothesis(r"x_1,\dots,x_n\sim\mathcal N(0,\sigma^2)\ \text{independent}")
MEAN, SPREAD = r"\mathbb E\,\bar x^2", r"\mathbb E\,\frac1n\sum_i(x_i-\bar x)^2"


def mean_square(point):
    """E of the squared mean, written out entry by entry."""
    x = entries("x", int(point[n]), 1)
    return expectation((sum(x) / point[n]) ** 2, dict.fromkeys(x, point[sigma] ** 2))


def spread(point):
    """E of the mean squared deviation from the mean, written out entry by entry."""
    x = entries("x", int(point[n]), 1)
    mean = sum(x) / point[n]
    squares = sum((e - mean) ** 2 for e in x) / point[n]
    return expectation(squares, dict.fromkeys(x, point[sigma] ** 2))


mean_has_variance_over_n = Claim(
    id="bessel.eq-1",
    source=Source("bessel", "Sec. 1", "Eq. (1)"),
    kind="expectation",
    title="The mean of $n$ measurements has $1/n$ of the variance of one.",
    statement=Relation(MEAN, (sigma**2 / n,)),
    domain=MEASUREMENTS,
    define=mean_square,
    hypotheses=(GAUSSIAN,),
    mutants=variants(("1/n^2 for 1/n", sigma**2 / n**2), ("no 1/n", sigma**2), lhs=MEAN),
)

spread_is_the_variance = Claim(
    id="bessel.eq-2",
    source=Source("bessel", "Sec. 1", "Eq. (2)"),
    kind="expectation",
    title="The mean squared deviation from the mean estimates the variance without bias.",
    statement=Relation(SPREAD, (sigma**2,)),
    domain=MEASUREMENTS,
    define=spread,
    hypotheses=(GAUSSIAN,),
    severity="material",
    note="The deviations are from the mean of the same measurements, which is nearer to them.",
    repair=Claim(
        id="bessel.eq-2.repair",
        parent="bessel.eq-2",
        source=Source("bessel", "Sec. 1", "Eq. (2)"),
        kind="expectation",
        title="It falls short by the factor $(n-1)/n$.",
        statement=Relation(SPREAD, ((n - 1) * sigma**2 / n,)),
        domain=MEASUREMENTS,
        define=spread,
        hypotheses=(GAUSSIAN,),
        note="Divide by $n-1$ (Bessel's correction).",
    ),
)
