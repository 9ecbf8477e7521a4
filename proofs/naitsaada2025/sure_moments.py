r"""Moments of the bulk of $\sqrt TA^\perp$, from those of an i.i.d. table between which its values lie."""

from __future__ import annotations

from typing import Any

from sympy import Integer, Sum, sqrt, symbols

from claims.naitsaada2025.markov_layers import n
from claims.statement import Compare
from proofs.calculation import linked, summed_over
from proofs.facts import POWER_INCREASES
from proofs.kernel import (
    Theorem,
    cut,
    fact,
    joint,
    limit,
    limit_combined,
    part,
    squeezed,
    sum_split,
)
from proofs.naitsaada2025.sure_limits import SIZE, Outcome, at_every_size, place
from proofs.naitsaada2025.sure_products import sign_of

__all__ = ["mean_of_powers", "moment_tends"]

x, y, z, w = symbols("x y z w", real=True)


def mean_of_powers(rest: Any, power: int) -> Any:
    r"""$\frac1n\sum_j(\sqrt ns_j)^{2p}$ for the singular value at the place j."""
    return n ** (power - 1) * Sum(rest ** (2 * power), (place, 1, n))


def moment_tends(outcome: Outcome, power: int, at: Any) -> Theorem:
    r"""It tends to $C_p(\sigma/m)^{2p}$."""
    layers, (low, high) = outcome.layers, outcome.ends(at)
    rest, own, after = layers.rest(place, at), layers.noise(place, at), layers.noise(place + 1, at)
    above, below = (part(outcome.between(place, at), side) for side in (0, 1))
    positive = outcome.row_is_positive(at)
    least = joint(Compare(low / n, ">=", 0), outcome.least_is_positive(low, positive), SIZE)
    signs = [sign_of(values) for values in (rest, own, after)]
    exponent = Integer(2 * power)
    over = (place, n)

    def powers(smaller: Any, larger: Any, order: Theorem, sign: Theorem) -> Theorem:
        """The sums of even powers of both."""
        return summed_over(
            cut(
                fact(POWER_INCREASES, a=smaller, b=larger, p=exponent),
                order,
                sign,
                joint(Compare(exponent, ">=", 0)),
            ),
            over,
        )

    upper = powers(rest, high / n * own, above, signs[0])
    lower = powers(
        low / n * after, rest, below, joint(Compare(low / n * after, ">=", 0), least, signs[2])
    )
    term, all_of = mean_of_powers(rest, power), Sum(own**exponent, (place, 1, n))
    top = linked(Compare(term, "<=", high**exponent * (all_of / n ** (power + 1))), upper, SIZE)
    first, last = (layers.noise(end, at) for end in (Integer(1), n + 1))
    longer = Sum(own**exponent, (place, 1, n + 1))
    ends = sum_split(longer, first=True), sum_split(longer)
    moved = sum_split(Sum(own**exponent, (place, 2, n + 1)), shift=1)
    end = joint(Compare(last**exponent, ">=", 0))
    parts = all_of / n ** (power + 1) - (first / sqrt(n)) ** exponent / n
    shifted = Sum(after**exponent, (place, 1, n))
    fewer = joint(Compare(shifted, ">=", all_of - first**exponent), *ends, moved, end)
    scaled = joint(
        Compare(low**exponent * parts, "<=", low**exponent * (shifted / n ** (power + 1))),
        fewer,
        SIZE,
    )
    bottom = linked(Compare(low**exponent * parts, "<=", term), lower, scaled, SIZE)
    bulk = {
        x: outcome.rows(1, at),
        y: outcome.moment(power, at),
        z: outcome.edge(1, at),
        w: limit(1 / n, n),
    }
    return squeezed(
        at_every_size(bottom),
        at_every_size(top),
        limit_combined(x**exponent * (y - z**exponent * w), bulk),
        limit_combined(x**exponent * y, {x: outcome.rows(2, at), y: outcome.moment(power, at)}),
    )
