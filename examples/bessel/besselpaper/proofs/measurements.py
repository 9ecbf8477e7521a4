"""The mean and the spread of n independent measurements."""

from sympy import MatrixSymbol

from besselpaper.claims import measurements as claims
from besselpaper.claims.measurements import n, sigma
from claims.expressions import FrobSq, Total, ones
from proofs.calculus.wick import Gaussian, expectation
from proofs.decide import decide
from proofs.registry import proves

METHOD = "Gaussian integration by parts"

x = MatrixSymbol("x", n, 1)
LAW = Gaussian(x, sigma**2)


@proves(claims.mean_has_variance_over_n)
def by_second_moments(claim):
    """E (1^T x)^2 / n^2 is a trace with two Gaussian letters."""
    return decide(claim, expectation(Total(x) ** 2 / n**2, [LAW]), method=METHOD)


@proves(claims.spread_is_the_variance)
def by_the_length_of_the_deviations(claim):
    """The deviations are x - 1 1^T x / n; the same value judges the statement and its repair."""
    deviations = x - ones(n) * ones(n).T * x / n
    return decide(claim, expectation(FrobSq(deviations) / n, [LAW]), method=METHOD)
