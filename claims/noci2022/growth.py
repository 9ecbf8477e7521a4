r"""How fast tokens align with depth: the sentences of Sec. 3.2 around Theorem 3.3.

rho^l is the average of Eq. (14), read after l layers; an average angle is arccos rho^l.  Where the
paper says "without scaling", alpha_1 = alpha_2 = 1.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from sympy import Integer, sqrt

from claims.domain import Array, Choice, Condition, Domain, Equal, Point, Size
from claims.model import Claim, Hypothesis, Mutant, Proposition, Relation, agree, variants
from claims.noci2022.correlation import (
    HYPOTHESES,
    correlation_from_inner_products_and_norm,
    same,
    scaled_correlation_limit,
    scaled_limit,
)  # fmt: skip
from claims.noci2022.network import (
    EVERY_TOKEN_NONZERO,
    LINEAR,
    NONZERO,
    SCALED,
    SCALING,
    SIZES,
    SMALL_SIZES,
    XAVIER,
    Network,
    correlation,
    inner_products,
    numbers,
    squared_norm,
)  # fmt: skip
from claims.noci2022.notation import X, alpha1, alpha2, depth, n, source
from claims.noci2022.setup import UNIFORM

UNIT = Hypothesis(r"\alpha_1=\alpha_2=1")
UNIT_STRENGTHS = (Choice(alpha1, (Integer(1),)), Choice(alpha2, (Integer(1),)))


def _input_sums(point: Point) -> tuple[Any, Any]:
    """C(X) and n ||X||_F^2: equal exactly when all tokens are the same."""
    gram = (point[X] * point[X].T).tolist()
    return inner_products(gram), len(gram) * squared_norm(gram)


# The limit under scaling is one only for aligned tokens -------------------------------------------


def limit_and_alignment(point: Point) -> tuple[bool, ...]:
    """Whether lim rho^L = 1; C = n ||X||^2; all cosines are 1; C = ||X||^2; all cosines are +-1."""
    sums, norms = _input_sums(point)
    gram = (point[X] * point[X].T).tolist()
    tokens = range(len(gram))
    pairs = [gram[k][l] / sqrt(gram[k][k] * gram[l][l]) for k in tokens for l in tokens]  # noqa: E741
    return (
        agree(scaled_limit(point), Integer(1)),
        bool(sums == norms),
        all(c == 1 for c in pairs),
        bool(len(gram) * sums == norms),
        all(abs(c) == 1 for c in pairs),
    )


limiting_correlation_is_one_only_when_aligned = Claim(
    id="noci2022.theorem-3.3.one-iff",
    source=source("Sec. 3.2", "after Theorem 3.3"),
    kind="prose",
    title="The scaled limit of the correlation is one exactly when the input tokens are aligned.",
    statement=Proposition(
        r"\lim_{L\to\infty}\rho^L=1\iff C(X)=n\|X\|_F^2\iff\cos\theta_{kk'}=1\ \forall k,k'",
        lambda point, flags: flags[0] == flags[1] == flags[2],
    ),
    domain=Domain((*SMALL_SIZES, *SCALED, Equal(X)), (NONZERO,)),
    define=limit_and_alignment,
    hypotheses=(*HYPOTHESES, SCALING),
    uses=(scaled_correlation_limit,),
    mutants=(
        Mutant(
            "dropped n",
            Proposition(
                r"\lim\rho^L=1\iff C(X)=\|X\|_F^2", lambda point, flags: flags[0] == flags[3]
            ),
        ),
        Mutant(
            "aligned up to sign",
            Proposition(
                r"\lim\rho^L=1\iff|\cos\theta_{kk'}|=1", lambda point, flags: flags[0] == flags[4]
            ),
        ),
    ),
)

# Without scaling the correlation is soon close to one ---------------------------------------------

_NOT_NEGATIVE = Condition(
    r"\rho^0\ge0", lambda p: len(p[X].col(0)) * _input_sums(p)[0] >= _input_sums(p)[1]
)
_unit_depth = (*SIZES, Size(depth, 1, 4), *UNIT_STRENGTHS, Equal(X))
unit_equal_norms = Domain(_unit_depth, (NONZERO,))


def missing_correlation(point: Point) -> Any:
    """1 - rho^L."""
    gram = Network.unscaled(point).after(int(point[depth])).gram()
    return 1 - correlation(numbers(gram))


_missing = Relation(r"1-\rho^L", (n / (2**depth + n - 1),), "<=")
correlation_is_close_to_one_in_shallow_networks = Claim(
    id="noci2022.sec3.2.shallow-close-to-one",
    source=source("Sec. 3.2 and App. A.4", "after Theorem 3.3"),
    kind="prose",
    title="Without scaling, the correlation approaches one exponentially fast in the depth.",
    statement=_missing,
    domain=unit_equal_norms.with_conditions(_NOT_NEGATIVE),
    define=missing_correlation,
    hypotheses=(*HYPOTHESES, UNIT, Hypothesis(r"\rho^0\ge0")),
    uses=(correlation_from_inner_products_and_norm,),
    mutants=(
        Mutant("negatively correlated tokens", _missing, domain=unit_equal_norms),
        *variants(
            ("4^L for 2^L", n / (4**depth + n - 1)),
            ("n for n - 1", n / (2**depth + n)),
            ("n - 1 for n", (n - 1) / (2**depth + n - 1)),
            lhs=r"1-\rho^L",
            relation="<=",
        ),
    ),
    note=(
        "The sharpest uniform form of the sentence: rho is within e of one at depth log2(n/e), with "
        "equality for orthogonal tokens. It needs an average input correlation that is not "
        "negative; tokens that sum to zero never align."
    ),
)


# Skip connections and the angle between tokens ----------------------------------------------------


def correlations_by_layer(point: Point) -> tuple[Any, ...]:
    """(rho^0, ..., rho^L)."""
    network = Network.unscaled(point)
    layers = range(int(point[depth]) + 1)
    return tuple(correlation(numbers(network.after(layer).gram())) for layer in layers)


def _angles_grow(point: Point, rho: tuple[Any, ...]) -> bool:
    return all(bool(after <= before) for before, after in pairwise(rho))


def _never_decreases(point: Point, rho: tuple[Any, ...]) -> bool:
    return all(bool(after >= before) for before, after in pairwise(rho))


def _grows_unless_degenerate(point: Point, rho: tuple[Any, ...]) -> bool:
    sums, norms = _input_sums(point)
    moves = all(bool(after > before) for before, after in pairwise(rho))
    return _never_decreases(point, rho) and (moves or not 0 < sums < norms)


any_tokens = Domain((*SIZES, Size(depth, 1, 3), *UNIT_STRENGTHS, Array(X)), (EVERY_TOKEN_NONZERO,))
correlation_increases_with_depth = Claim(
    id="noci2022.sec3.2.angle-increases.repair",
    parent="noci2022.sec3.2.angle-increases",
    source=source("Sec. 3.2", "first paragraph"),
    kind="prose",
    title="With skip connections and equal norms the average angle between tokens never grows.",
    statement=Proposition(
        r"\rho^0\le\rho^1\le\dots\le\rho^L,\ \text{strictly if } 0<C(X)<n\|X\|_F^2",
        _grows_unless_degenerate,
    ),
    domain=Domain((*SIZES, Size(depth, 1, 3), *UNIT_STRENGTHS, Equal(X)), (NONZERO,)),
    define=correlations_by_layer,
    hypotheses=(*HYPOTHESES, UNIT),
    note=(
        "The average cosine increases, so the angle decreases; equal norms are needed, for from "
        "tokens 1 and 2 the correlation falls."
    ),
)

angle_increases_with_depth = Claim(
    id="noci2022.sec3.2.angle-increases",
    source=source("Sec. 3.2", "first paragraph"),
    kind="prose",
    title="With skip connections the average angle between tokens increases within a few layers.",
    statement=Proposition(r"\arccos\rho^0\le\arccos\rho^1\le\dots\le\arccos\rho^L", _angles_grow),
    domain=any_tokens,
    define=correlations_by_layer,
    hypotheses=(UNIFORM, LINEAR, XAVIER, UNIT),
    mutants=(
        Mutant(
            "the angle stays",
            Proposition(r"\rho^L=\rho^0", lambda point, rho: same(rho[-1], rho[0])),
        ),
        Mutant(
            "correlations never fall, norms unequal",
            Proposition(r"\rho^0\le\dots\le\rho^L", _never_decreases),
        ),
    ),
    severity="misprint",
    repair=correlation_increases_with_depth,
    note="The rest of the section, Theorem 3.3 and the figures say that the cosine increases.",
)
