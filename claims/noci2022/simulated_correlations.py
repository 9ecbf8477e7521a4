r"""Figs. 4, 8 and 10: the average token correlation along simulated networks, and the norm's growth.

The paper prints no sizes.  Taken here: i.i.d. N(0, 1) tokens, true softmax attention in Figs. 4 and
10, Xavier weights, alpha_1 = alpha_2 = 1 "without scaling" and 1/sqrt(L) with it; the correlation of
a network is its average cosine, Eq. (14), and trends are those of its mean over networks.  Fig. 8 is
stated for the uniform attention of Lemmas 3.2 and 3.3, whose closed forms its curves follow; there
rho^l is the ratio of expectations of Eq. (5).
"""

from __future__ import annotations

from typing import Any

from sympy import E, Expr, Integer, Rational, exp

from claims.domain import Choice, Domain, Equal, Point
from claims.model import Claim, Hypothesis, Mutant, Proposition
from claims.noci2022.correlation import scaled_correlation_limit, unscaled_correlation_limit
from claims.noci2022.forward import inner_products_after_depth, norm_after_depth
from claims.noci2022.network import (
    EQUAL_NORMS,
    LINEAR,
    NONZERO,
    SMALL_SIZES,
    XAVIER,
    Network,
    correlation,
    numbers,
)
from claims.noci2022.notation import X, alpha1, alpha2, d, depth, n, source
from claims.noci2022.setup import UNIFORM
from claims.trends import least, most, no_closed_form

NORMS = ("none", "pre", "post")
TOKENS = Hypothesis(r"X_{kj}\ \text{i.i.d.}\ \mathcal N(0,1)")
VARIANTS = Hypothesis(
    r"\text{No-LN, PRE-LN, POST-LN, each with}\ \alpha_i=1\ \text{and}\ \alpha_i=1/\sqrt L"
)


def setting(size: int, width: int, layers: int) -> Domain:
    """The one setting at which a trend is measured."""
    fixed = ((n, size), (d, width), (depth, layers))
    return Domain(tuple(Choice(symbol, (Integer(value),)) for symbol, value in fixed))


# Fig. 4 -------------------------------------------------------------------------------------------
# Measured: {(scaled, a, b): interval of the mean of rho_a - rho_b at the last layer}.


def pre_norm_is_slower(value: dict, other: str = "pre") -> bool:
    """Without scaling, the correlation with `other` is below that of both other placements."""
    rest = (norm for norm in NORMS if norm != other)
    return all(least(value[False, norm, other]) > 0 for norm in rest)


def spread(value: dict, scaled: bool) -> tuple[float, float]:
    """Bounds on the largest difference between two placements."""
    differences = [v for key, v in value.items() if key[0] == scaled]
    return max(map(least, differences)), max(map(most, differences))


def norm_hardly_matters(value: dict, factor: float) -> bool:
    """With scaling, placements differ by less than `factor` times as much as without."""
    return spread(value, True)[1] < factor * spread(value, False)[0]


_THIRD = 1 / 3
pre_norm_slows_alignment_and_scaling_makes_norms_alike = Claim(
    id="noci2022.fig-4",
    source=source("Fig. 4; Sec. 3.2; App. B.1"),
    kind="experiment",
    title="Unscaled, PRE-LN slows the growth of the correlation; scaled, layer norm hardly matters.",
    statement=Proposition(
        r"\alpha=1:\ \rho^L_{\text{pre}}<\rho^L_{\text{none}},\rho^L_{\text{post}};\quad"
        r"\max_{a,b}|\rho^L_a-\rho^L_b|_{\alpha=1/\sqrt L}<\tfrac13\max_{a,b}|\rho^L_a-\rho^L_b|_{\alpha=1}",
        lambda _, value: pre_norm_is_slower(value) and norm_hardly_matters(value, _THIRD),
    ),
    domain=setting(6, 16, 16),
    define=no_closed_form,
    hypotheses=(LINEAR, XAVIER, TOKENS, VARIANTS),
    mutants=(
        Mutant(
            "POST-LN slows it",
            Proposition(
                r"\alpha=1:\ \rho^L_{\text{post}}<\rho^L_{\text{none}},\rho^L_{\text{pre}}",
                lambda _, value: pre_norm_is_slower(value, "post"),
            ),
        ),
        Mutant(
            "any layer norm slows it",
            Proposition(
                r"\alpha=1:\ \rho^L_{\text{pre}},\rho^L_{\text{post}}<\rho^L_{\text{none}}",
                lambda _, value: all(least(value[False, "none", b]) > 0 for b in ("pre", "post")),
            ),
        ),
        Mutant(
            "no difference at all under scaling",
            Proposition(
                r"\alpha=1/\sqrt L:\ |\rho^L_a-\rho^L_b|<10^{-3}",
                lambda _, value: spread(value, True)[1] < 1e-3,
            ),
        ),
    ),
    note=(
        "at n = 6, d = 16, L = 16, a setting of ours: the paper prints no sizes. 'Not significantly' "
        "is read as less than a third of the unscaled difference; the difference is not zero, "
        "PRE-LN stays lowest with scaling too"
    ),
)

# Fig. 8 -------------------------------------------------------------------------------------------


def _propagated(point: Point, strength: Expr) -> tuple[Expr, Expr, Expr]:
    """E||X^L||_F^2 / ||X||_F^2, rho^L and rho^0 of a network with alpha_1 = alpha_2 = sqrt(strength)."""
    layers = int(point[depth])
    root = Integer(1) if strength == 1 else strength ** Rational(1, 2)
    at = {**point, alpha1: root, alpha2: root}
    network = Network.unscaled(at)
    before, after = numbers(network.after(0).gram()), numbers(network.after(layers).gram())
    trace = [sum(gram[k][k] for k in range(len(gram))) for gram in (before, after)]
    return trace[1] / trace[0], correlation(after), correlation(before)


def stabilised(point: Point) -> tuple[Any, ...]:
    """Growth of the norm and correlations, with alpha^2 = 1/L and then with alpha = 1."""
    return (*_propagated(point, 1 / point[depth]), *_propagated(point, Integer(1)))


def _sums(point: Point) -> float:
    """C(X) / (n ||X||_F^2), in [0, 1]."""
    gram = point[X] * point[X].T
    return float(sum(gram) / (len(gram.row(0)) * gram.trace()))


def _limit(point: Point) -> float:
    """The scaled limit of rho^L, Eq. (15) with both strengths 1."""
    share, size = _sums(point), int(point[n])
    return (float(E) * share / ((float(E) - 1) * share + 1) * size - 1) / (size - 1)


SLACK = 1e-9
"""For rounding of floats against bounds that are attained or approached."""


def norm_stays_below(point: Point, value: Any, bound: float) -> bool:
    return float(value[0]) <= bound * (1 + SLACK)


def correlation_stays_between(point: Point, value: Any) -> bool:
    """rho^0 <= rho^L <= the limit of infinite depth, with scaling."""
    before, after = float(value[2]), float(value[1])
    return before - SLACK <= after <= _limit(point) + SLACK


def _doubles(point: Point, value: Any) -> bool:
    return float(value[3]) >= 2 ** int(point[depth]) * (1 - SLACK)


scaling_stabilises_norm_and_correlation = Claim(
    id="noci2022.fig-8",
    source=source("Fig. 8; App. B.1"),
    kind="experiment",
    title="At every depth, scaling keeps the norm within e^2 and the correlation below its limit.",
    statement=Proposition(
        r"\alpha_i^2=\tfrac1L:\ \mathbb E\|X^L\|_F^2\le e^2\|X\|_F^2,\ \rho^0\le\rho^L\le\rho^\infty;"
        r"\quad\alpha_i=1:\ \mathbb E\|X^L\|_F^2\ge2^L\|X\|_F^2",
        lambda point, value: (
            norm_stays_below(point, value, float(exp(2)))
            and correlation_stays_between(point, value)
            and _doubles(point, value)
        ),
    ),
    domain=Domain(
        (*SMALL_SIZES, Choice(depth, tuple(map(Integer, (1, 2, 8, 32)))), Equal(X)), (NONZERO,)
    ),
    define=stabilised,
    hypotheses=(UNIFORM, LINEAR, XAVIER, EQUAL_NORMS, VARIANTS),
    uses=(
        norm_after_depth,
        inner_products_after_depth,
        scaled_correlation_limit,
        unscaled_correlation_limit,
    ),
    mutants=(
        Mutant(
            "the norm is preserved",
            Proposition(
                r"\mathbb E\|X^L\|_F^2\le\|X\|_F^2",
                lambda point, value: norm_stays_below(point, value, 1.0),
            ),
        ),
        Mutant(
            "e for e^2",
            Proposition(
                r"\mathbb E\|X^L\|_F^2\le e\|X\|_F^2",
                lambda point, value: norm_stays_below(point, value, float(E)),
            ),
        ),
        Mutant(
            "the correlation is preserved",
            Proposition(
                r"\rho^L=\rho^0", lambda _, value: abs(float(value[1]) - float(value[2])) < SLACK
            ),
        ),
        Mutant(
            "stable without scaling",
            Proposition(
                r"\alpha_i=1:\ \mathbb E\|X^L\|_F^2\le e^2\|X\|_F^2",
                lambda _, value: float(value[3]) <= float(exp(2)),
            ),
        ),
    ),
    note="measured on exact averages over the weights at depths up to 32, for equal token norms",
)

# Fig. 10 ------------------------------------------------------------------------------------------
# Measured: {(scaled, norm, layer): interval of the mean of rho_relu - factor * rho_linear}.

LAYERS = (4, 8)
relu_aligns_faster_than_linear = Claim(
    id="noci2022.fig-10",
    source=source("Fig. 10; Sec. 3.2; App. B.1"),
    kind="experiment",
    title="At initialisation the correlation grows faster with ReLU than with linear activations.",
    statement=Proposition(
        r"\rho^\ell_{\text{ReLU}}>\rho^\ell_{\text{linear}},\ \ell=4,8,"
        r"\ \text{for No-LN, PRE-LN, POST-LN, scaled and not}",
        lambda _, value: all(least(gap) > 0 for gap in value["difference"].values()),
    ),
    domain=setting(6, 16, 8),
    define=no_closed_form,
    hypotheses=(XAVIER, TOKENS, VARIANTS),
    mutants=(
        Mutant(
            "linear is faster",
            Proposition(
                r"\rho^\ell_{\text{ReLU}}<\rho^\ell_{\text{linear}}",
                lambda _, value: all(most(gap) < 0 for gap in value["difference"].values()),
            ),
        ),
        Mutant(
            "ten times as fast",
            Proposition(
                r"\rho^\ell_{\text{ReLU}}>10\,\rho^\ell_{\text{linear}}",
                lambda _, value: all(least(gap) > 0 for gap in value["tenfold"].values()),
            ),
        ),
    ),
    note=(
        "at n = 6, d = 16, L = 8, a setting of ours, with the same weights for both activations and "
        "W^F of variance 1/d for both; close to rho = 1 the difference must vanish"
    ),
)
