"""The mean and the spread of n independent measurements."""

from besselpaper.claims import measurements as claims
from besselpaper.claims.measurements import n, sigma
from numeric.registry import samples
from numeric.sampling import normal


def drawn(point, rng, count):
    """`count` independent rows of n measurements."""
    return normal(rng, count, int(point[n]), std=float(point[sigma]))


@samples(claims.mean_has_variance_over_n)
def sampled_mean_square(point, rng, count):
    return drawn(point, rng, count).mean(dim=1).square()


@samples(claims.spread_is_the_variance)
def sampled_spread(point, rng, count):
    return drawn(point, rng, count).var(dim=1, correction=0)
