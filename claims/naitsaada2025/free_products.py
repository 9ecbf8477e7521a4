r"""Lemma A.7 and Fuss-Catalan numbers: moments of free products of Marchenko-Pastur laws.

$\mathcal{MP}(\gamma,\sigma)$ is the law of the eigenvalues of $XX^\top/n$, $X$ of shape $m\times n$ with
entries of standard deviation $\sigma$ and $\gamma=m/n$; its free cumulants are
$\sigma^{2j}\gamma^{j-1}$.  Moments of a free product follow from them by non-crossing partitions:
$\mu_k(a\boxtimes b)=\sum_\pi\kappa_\pi(a)\,\mu_{K(\pi)}(b)$, $K$ the Kreweras complement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import prod
from random import Random
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, Symbol, binomial, oo
from sympy.utilities.iterables import multiset_partitions

from claims.domain import Domain, Point, Size
from claims.model import Claim, Hypothesis, Relation, Understood
from claims.naitsaada2025.notation import ell, source
from claims.statement import Compare, ForAll, Formula
from claims.terms import entry, family

factors = Symbol("n", integer=True, positive=True)
i = Symbol("i", integer=True)
ratios, deviations = MatrixSymbol(r"\gamma", factors, 1), MatrixSymbol(r"\sigma", factors, 1)
g, s = entry(ratios), entry(deviations)


@cache
def non_crossing(order: int) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Sizes of the blocks of each non-crossing partition, and of its Kreweras complement."""
    found = []
    for blocks in multiset_partitions(list(range(order))):
        follows = {
            a: b for block in blocks for a, b in zip(block, [*block[1:], block[0]], strict=True)
        }
        back = {b: a for a, b in follows.items()}
        cycles = _cycles({k: back[(k + 1) % order] for k in range(order)})
        if len(blocks) + len(cycles) == order + 1:  # else it crosses
            found.append((tuple(map(len, blocks)), cycles))
    return tuple(found)


def _cycles(permutation: dict[int, int]) -> tuple[int, ...]:
    lengths, left = [], set(permutation)
    while left:
        start = place = left.pop()
        length = 1
        while (place := permutation[place]) != start:
            left.discard(place)
            length += 1
        lengths.append(length)
    return tuple(lengths)


def multiplied(moments: tuple[Any, ...], ratio: Any, deviation: Any) -> tuple[Any, ...]:
    """Moments 1, 2, ... of a law times, freely, MP(ratio, deviation)."""
    cumulants = [deviation ** (2 * k) * ratio ** (k - 1) for k in range(1, len(moments) + 1)]
    return tuple(
        sum(
            prod(cumulants[b - 1] for b in blocks) * prod(moments[c - 1] for c in complement)
            for blocks, complement in non_crossing(order)
        )
        for order in range(1, len(moments) + 1)
    )


def moments_of(laws: list[tuple[Any, Any]], order: int) -> tuple[Any, ...]:
    """Moments of the free product of MP(ratio, deviation) over the laws."""
    found: tuple[Any, ...] = (Integer(1),) * order
    for law in laws:
        found = multiplied(found, *law)
    return found


# Lemma A.7 ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Positive:
    """A positive number for each factor, at most `high`."""

    symbol: Any
    high: Any = oo

    def _of(self, entries: list[Any]) -> ImmutableDenseMatrix:
        return ImmutableDenseMatrix(len(entries), 1, entries)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        yield self._of(
            [Rational(1, 1 + (weight if k % 2 else 0)) for k in range(int(point[factors]))]
        )

    def draw(self, rng: Random, point: Point) -> Any:
        top = 1 if self.high == 1 else 2
        return self._of([Rational(rng.randint(1, 4 * top), 4) for _ in range(int(point[factors]))])

    def objection(self, value: Any, point: Point) -> str | None:
        inside = value.rows == point[factors] and all(0 < e <= self.high for e in value)
        return None if inside else f"{self.symbol}: must be positive, and at most {self.high}"

    def facts(self) -> tuple[Formula, ...]:
        term = entry(self.symbol)(i)
        above = ForAll(i, 1, factors, Compare(term, ">", 0))
        return (
            (above,) if self.high == oo else (above, ForAll(i, 1, factors, Compare(term, "<=", 1)))
        )


def _laws(at: Point, count: int) -> list[tuple[Any, Any]]:
    return [(at[ratios][k], at[deviations][k]) for k in range(count)]


def _product(symbol: Any, power: int) -> Any:
    return lambda at, count: prod((at[symbol][k] ** power for k in range(count)), start=Integer(1))


mean_of = family(r"\mathbb E(Z)\big|_{{n={}}}", lambda at, n: moments_of(_laws(at, n), 1)[0])


def _variance(at: Point, count: int) -> Any:
    first, second = moments_of(_laws(at, count), 2)
    return second - first**2


variance_of = family(r"\mathrm{{Var}}(Z)\big|_{{n={}}}", _variance)
variances = family(r"\prod_{{i=1}}^{{{}}}\sigma_i^2", _product(deviations, 2))
total_ratio = family(
    r"\sum_{{i=1}}^{{{}}}\gamma_i",
    lambda at, n: sum((at[ratios][k] for k in range(n)), start=Integer(0)),
)


def _chained(at: Point, count: int) -> Any:
    """gamma_1 + gamma_1 gamma_2 + ..."""
    first = _product(ratios, 1)
    return sum((first(at, k) for k in range(1, count + 1)), start=Integer(0))


chained = family(r"\sum_{{i=1}}^{{{}}}\gamma_1\cdots\gamma_i", _chained)


def _variance_of_chain(at: Point, count: int) -> Any:
    """Seen from the rows of the first, the i-th matrix has the ratio gamma_1 ... gamma_i."""
    first = _product(ratios, 1)
    laws = [(first(at, k + 1), at[deviations][k]) for k in range(count)]
    mean, second = moments_of(laws, 2)
    return second - mean**2


variance_of_chain = family(r"\mathrm{{Var}}(Z_{{X_1\cdots X_{{{}}}}})", _variance_of_chain)

FACTORS = Domain((Size(factors, 1, 3), Positive(ratios, 1), Positive(deviations)))
CONVOLUTION = Hypothesis(
    r"Z\sim\mathcal{MP}(\gamma_1,\sigma_1)\boxtimes\cdots\boxtimes\mathcal{MP}(\gamma_n,\sigma_n)"
)
DEVIATION = Hypothesis(
    r"\mathcal{MP}(\gamma,\sigma):\ \text{entries of standard deviation}\ \sigma,\ "
    r"\gamma=\text{rows}/\text{columns}"
)

mean_of_free_product = Claim(
    id="naitsaada2025.lemma-A.7.mean",
    source=source("App. A.3", "Lemma A.7, Eq. (33)"),
    kind="identity",
    title=r"A free product of Marchenko-Pastur laws has the mean $\prod_i\sigma_i^2$.",
    statement=Compare(mean_of(factors), "=", variances(factors)),
    domain=FACTORS,
    hypotheses=(CONVOLUTION, DEVIATION),
    printed=r"\mathbb{E}(Z) = \prod_{i=1}^n \sigma_i^2",
    note=(
        "$\\sigma_i$ is a standard deviation, as in the uses of the lemma; the proof of Prop. A.8 calls "
        "it the variance of the entries."
    ),
)

variance_of_free_product = Claim(
    id="naitsaada2025.beyond.variance-of-free-products",
    source=source("App. A.3", "Lemma A.7, Eq. (34)"),
    kind="identity",
    title=(
        r"A free product of Marchenko-Pastur laws has the variance "
        r"$(\prod_i\sigma_i^2)^2(\gamma_1+\dots+\gamma_n)$."
    ),
    statement=Compare(variance_of(factors), "=", variances(factors) ** 2 * total_ratio(factors)),
    domain=FACTORS,
    hypotheses=(CONVOLUTION, DEVIATION),
    note="Symmetric in the factors, as $\\boxtimes$ is. It is Lemma A.7 with its hypothesis as printed.",
)
CHAIN = Hypothesis(
    r"Z\ \text{has the limit law of the squared singular values of}\ X_1\cdots X_n,\ "
    r"\mathcal{MP}(\gamma_1,\sigma_1)\boxtimes\mathcal{MP}(\gamma_1\gamma_2,\sigma_2)\boxtimes\cdots"
    r"\boxtimes\mathcal{MP}(\gamma_1\cdots\gamma_n,\sigma_n):\ \gamma_i\ \text{the ratio of}\ X_i"
)
variance_of_chained_matrices = Claim(
    id="naitsaada2025.lemma-A.7.variance.repair",
    parent="naitsaada2025.lemma-A.7.variance",
    source=source("App. A.3", "Lemma A.7, Eq. (34)"),
    kind="identity",
    title=(
        r"The law of a chain of rectangular matrices has the variance "
        r"$(\prod_i\sigma_i^2)^2(\gamma_1+\gamma_1\gamma_2+\dots+\gamma_1\cdots\gamma_n)$."
    ),
    statement=Compare(variance_of_chain(factors), "=", variances(factors) ** 2 * chained(factors)),
    domain=FACTORS,
    hypotheses=(CHAIN, DEVIATION),
    uses=(variance_of_free_product,),
    note="Of the free product as printed it is $\\gamma_1+\\dots+\\gamma_n$ that is right.",
)
variance_of_free_product_as_printed = Claim(
    id="naitsaada2025.lemma-A.7.variance",
    source=source("App. A.3", "Lemma A.7, Eq. (34)"),
    kind="identity",
    title=(
        r"A free product of Marchenko-Pastur laws has the variance "
        r"$(\prod_i\sigma_i^2)^2(\gamma_1+\gamma_1\gamma_2+\dots+\gamma_1\cdots\gamma_n)$."
    ),
    statement=Compare(variance_of(factors), "=", variances(factors) ** 2 * chained(factors)),
    domain=FACTORS,
    hypotheses=(CONVOLUTION, DEVIATION),
    severity="misprint",
    repair=variance_of_chained_matrices,
    printed=(
        r"\text{Var}(Z) = \left( \prod_{i=1}^n \sigma_i^2 \right)^2 (\gamma_1 + \gamma_1 \gamma_2 + "
        r"\cdots + \gamma_1 \gamma_2 \cdots \gamma_n)"
    ),
    note=(
        "Not symmetric in the factors, as $\\boxtimes$ is: the free product has $\\sum_i\\gamma_i$ there "
        "(`naitsaada2025.beyond.variance-of-free-products`). What is printed is the variance for a chain "
        "$X_1X_2\\cdots X_n$ of rectangular matrices, $\\gamma_i$ the ratio of $X_i$, of which the proof "
        "speaks and which is what is meant."
    ),
)

# Fuss-Catalan numbers -----------------------------------------------------------------------------

power = Symbol("k", integer=True, positive=True)
_MOMENT = r"\mu_k\big(\mathcal{MP}(1,1)^{\boxtimes\ell}\big)"


def unit_moment(point: Point) -> Any:
    """The k-th moment of the l-fold free product of MP(1, 1)."""
    return moments_of([(Integer(1), Integer(1))] * int(point[ell]), int(point[power]))[-1]


def fuss_catalan(layers: Any, order: Any) -> Any:
    return binomial(layers * order + order, order) / (layers * order + 1)


moments_are_fuss_catalan_numbers = Claim(
    id="naitsaada2025.proof-A.9.fuss-catalan",
    source=source("App. A.2", "proof of Prop. A.9"),
    kind="identity",
    title=(
        "Up to a variance factor the limiting squared singular values of $A_\\ell^\\perp\\cdots A_1^\\perp$ "
        "and $W_1\\cdots W_\\ell$ have Fuss-Catalan numbers as moments."
    ),
    statement=Relation(_MOMENT, (fuss_catalan(ell, power),)),
    domain=Domain((Size(ell, 1, 3), Size(power, 1, 3))),
    define=unit_moment,
    hypotheses=(
        Hypothesis(
            r"\text{the law of}\ T^\ell YY^\top\ (d^{-\ell}YY^\top)\ \text{for the product}\ Y\ "
            r"\text{tends to}\ \mathcal{MP}(1,\sigma)^{\boxtimes\ell}\ \text{(asymptotic freeness)}"
        ),
    ),
    understood=(
        Understood(
            r"the limits are of $T^{\ell/2}A^\perp$ and $d^{-\ell/2}W^V$, whose normalisations cancel in "
            r"$J_\ell$ up to $\gamma$",
            r"$\ell=k=1$ without them: $\frac1T\mathrm{tr}\,A^\perp A^{\perp\top}\to0$ and "
            r"$\frac1d\mathrm{tr}\,W^VW^{V\top}\to\infty$",
        ),
    ),
    printed=r"\text{FC}_\ell(k) := \frac{1}{\ell k + 1} \binom{\ell k + k}{k}",
    note="The variance factor of the $k$-th moment is $\\sigma^{2\\ell k}$, $\\sigma$ that of one factor.",
)
