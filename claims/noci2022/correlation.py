r"""Theorem 3.3, its proof and its surroundings: correlations between tokens along the depth.

Covered: Theorem 3.3 (both limits) and the steps of App. A.4.  rho^l is the average of Eq. (14); in
the theorem it is read at the last layer, l = L.
Tokens that are zero have no correlation and are excluded throughout.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, exp

from claims.domain import Array, Condition, Domain, Equal, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Relation, Understood, variants
from claims.noci2022.forward import inner_products_after_depth, norm_after_depth
from claims.noci2022.network import (
    EQUAL_NORMS,
    EVERY_TOKEN_NONZERO,
    IN_RANGE,
    LINEAR,
    NONZERO,
    POSITIVE_MEAN,
    REAL_STRENGTHS,
    SCALING,
    SIZES,
    STRENGTHS,
    TWO_TOKENS,
    XAVIER,
    Network,
    Propagated,
    Strength,
    Tied,
    correlation,
    numbers,
    other,
    squared_norm,
    token,
)
from claims.noci2022.notation import (
    C,
    X,
    alpha1,
    alpha2,
    atilde1,
    atilde2,
    d_v,
    depth,
    ell,
    n,
    normX,
    source,
)
from claims.noci2022.residuals import inner_products_at_infinite_depth, norm_at_infinite_depth
from claims.noci2022.setup import UNIFORM
from claims.statement import Compare, Quantity
from claims.terms import family

HYPOTHESES = (UNIFORM, LINEAR, XAVIER, EQUAL_NORMS)
NO_ZERO_TOKENS = Understood(
    r"$x\ne0$.",
    r"$X=0$: every $\rho_{kk'}^\ell$ of Eq. (5) is $0/0$.",
)
_LAST_LAYER = (
    r"The print has $\rho^\ell$ under the limit in $L$, where $\ell$ is not bound; it is read as the "
    r"last layer, $\ell=L$."
)


# App. A.4: equal norms, and the correlation as a ratio --------------------------------------------

after_layers = Domain((*SIZES, Size(ell, 0, 2), *STRENGTHS, Equal(X)), (NONZERO,))
after_layers_any_norms = Domain(
    (*SIZES, Size(ell, 0, 2), *STRENGTHS, Array(X)), (EVERY_TOKEN_NONZERO,)
)


def expected_gram(point: Point) -> list[list[Any]]:
    """E <X_k^l, X_k'^l> after the point's number of layers."""
    return numbers(Network.unscaled(point).after(int(point[ell])).gram())


expected_norm = family(
    r"\mathbb E\|X^\ell_{{{}}}\|^2", lambda at, k: expected_gram(at)[k - 1][k - 1]
)
expected_total = Quantity(
    r"\mathbb E\|X^\ell\|_F^2", lambda at: squared_norm(expected_gram(at)), nonnegative=True
)
_common_norm = Compare(expected_norm(token), "=", expected_norm(other)) & Compare(
    expected_total, "=", n * expected_norm(token)
)
_two_tokens = Domain((*after_layers.variables, *TWO_TOKENS), (NONZERO, IN_RANGE))
expected_norms_stay_equal = Claim(
    id="noci2022.proof-thm-3.3.equal-norms",
    source=source("App. A.4", "proof of Theorem 3.3"),
    kind="expectation",
    title="Tokens that start with equal norms keep equal expected squared norms, each a share of all.",
    statement=_common_norm,
    domain=_two_tokens,
    hypotheses=HYPOTHESES,
    mutants=(
        Mutant(
            "input norms unequal",
            _common_norm,
            domain=Domain(
                (*after_layers_any_norms.variables, *TWO_TOKENS), (EVERY_TOKEN_NONZERO, IN_RANGE)
            ),
        ),
    ),
    printed=r"\mathbb{E} \|\mathbf{X}^\ell\|_F^2 = n \mathbb{E} \|\mathbf{x}^\ell\|^2",
    note=(
        r"$\|x^\ell\|$ is printed for the norm that every token has in expectation; the sentence "
        "before says that they have one. The paper argues by rotational symmetry; the weights' "
        "second moments suffice."
    ),
)

_C, _N = (Propagated(quantity, "X", X, alpha1, alpha2, ell) for quantity in "CN")
_formula = Relation(r"\rho^\ell", (_C / ((n - 1) * _N) - 1 / (n - 1),))


def correlation_after_layers(point: Point) -> Expr:
    return correlation(expected_gram(point))


correlation_from_inner_products_and_norm = Claim(
    id="noci2022.proof-thm-3.3.rho-formula",
    source=source("App. A.4", "proof of Theorem 3.3"),
    kind="identity",
    title="With equal expected norms the average correlation is a ratio of two sums.",
    statement=_formula,
    domain=after_layers,
    define=correlation_after_layers,
    hypotheses=HYPOTHESES,
    uses=(expected_norms_stay_equal,),
    mutants=(
        *variants(
            ("n for n - 1", _C / (n * _N) - 1 / n),
            ("diagonal not removed", _C / ((n - 1) * _N)),
            ("normalised by n", _C / (n * (n - 1) * _N) - 1 / (n - 1)),
            lhs=r"\rho^\ell",
        ),
        Mutant("token norms unequal", _formula, domain=after_layers_any_norms),
    ),
    printed=(
        r"\rho^\ell = \frac{\mathbb{E} C(\mathbf{X}^\ell)}{(n-1) \mathbb{E} \|\mathbf{X}^\ell\|^2} "
        r"- \frac{1}{n-1}"
    ),
    understood=(NO_ZERO_TOKENS,),
    note=r"$\|X^\ell\|$ is printed without $F$; Sec. 2 calls $\mathbb E\|X^\ell\|^2$ the Frobenius norm.",
)

# Theorem 3.3 --------------------------------------------------------------------------------------

scaled_equal_norms = Domain(
    (
        *SIZES,
        Size(depth, 1, 3),
        Strength(alpha1),
        Tied(atilde1, alpha1**2 * depth),
        Real(atilde2, low=0),
        Equal(X),
    ),
    (NONZERO,),
)


def scaled_limit(point: Point) -> Expr:
    """lim rho^L with alpha_i^2 = atilde_i / L."""
    return correlation(Network.scaled(point).flowing())


def _scaled(exponent: Any, shift: Any = 1, last: Any = None) -> Expr:
    denominator = (n - 1) * ((exp(atilde1) - shift) * C() + n * normX)
    return n * exp(exponent) * C() / denominator - (1 / (n - 1) if last is None else last)


_rho = r"\lim_{L\to\infty}\rho^L"
scaled_correlation_limit_repaired = Claim(
    id="noci2022.theorem-3.3.scaled-limit.repair",
    parent="noci2022.theorem-3.3.scaled-limit",
    source=source("App. A.4", "Theorem 3.3, Eq. (15)"),
    kind="limit",
    title=r"With strengths of order $1/\sqrt L$ the limit of the correlation depends on the tokens.",
    statement=Relation(_rho, (_scaled(atilde1),)),
    domain=scaled_equal_norms,
    define=scaled_limit,
    hypotheses=(*HYPOTHESES, SCALING),
    note=(
        r"The exponent in the numerator is $\tilde\alpha_1$, as in the appendix and in the "
        r"denominator, not $\alpha_1$."
    ),
)

scaled_correlation_limit = Claim(
    id="noci2022.theorem-3.3.scaled-limit",
    source=source("Sec. 3.2", "Theorem 3.3, Eq. (15)"),
    kind="limit",
    title=r"With strengths of order $1/\sqrt L$ the average correlation tends to a stated limit.",
    statement=Relation(_rho, (_scaled(alpha1),)),
    domain=scaled_equal_norms,
    define=scaled_limit,
    hypotheses=(*HYPOTHESES, SCALING),
    uses=(
        inner_products_at_infinite_depth,
        norm_at_infinite_depth,
        expected_norms_stay_equal,
        correlation_from_inner_products_and_norm,
    ),
    mutants=variants(
        ("no exponential in the numerator", _scaled(Integer(0))),
        ("atilde_1 + atilde_2 in the numerator", _scaled(atilde1 + atilde2)),
        ("e^x for e^x - 1", _scaled(atilde1, shift=0)),
        ("1/n for 1/(n - 1)", _scaled(atilde1, last=1 / n)),
        lhs=_rho,
    ),
    severity="misprint",
    repair=scaled_correlation_limit_repaired,
    printed=(
        r"\lim_{L \to \infty} \rho^{\ell} = \frac{n e^{\alpha_1} "
        r"C(\mathbf{X})}{(n-1)[(e^{\tilde{\alpha}_1} - 1)C(\mathbf{X}) + n \|\mathbf{X}\|_F^2]} - "
        r"\frac{1}{n-1}"
    ),
    note=(
        r"$\alpha_1$ in the numerator depends on the depth and the limit does not. The appendix repeats "
        r"the theorem with $\tilde\alpha_1$, so that either the copy in the main text or the "
        r"transcription that we read lost the tilde. Here $\alpha_1$ is its value at the depth $L$ of "
        rf"the point, $\alpha_1^2=\tilde\alpha_1/L$. {_LAST_LAYER}"
    ),
    understood=(NO_ZERO_TOKENS, REAL_STRENGTHS),
)

CONSTANT = Hypothesis(r"\alpha_1,\alpha_2\ne0\ \text{independent of } L")
SO_THAT_RHO_TENDS_TO_ONE = Hypothesis(r"C(X)>0,\ \text{so that}\ \rho^\ell\to1")
ACTIVE = Condition(r"\alpha_1,\alpha_2\ne0", lambda p: p[alpha1] * p[alpha2] != 0)
_attending = Condition(r"\alpha_1\ne0", lambda p: p[alpha1] != 0)
_constant_strengths = Domain((*SIZES, *STRENGTHS, Equal(X)), (NONZERO, ACTIVE))


def unscaled_limit(point: Point) -> Expr:
    """lim rho^L with constant strengths: the correlation of the fastest growing part."""
    parts = Network.unscaled(point).growing()
    _, leading = max((p for p in parts if p[1][0][0] != 0), key=lambda p: p[0])
    return correlation(leading)


unscaled_correlation_limit_repaired = Claim(
    id="noci2022.theorem-3.3.unscaled-limit.repair",
    parent="noci2022.theorem-3.3.unscaled-limit",
    source=source("Sec. 3.2", "Theorem 3.3, Eq. (16)"),
    kind="limit",
    title="With constant strengths the average correlation tends to one unless the tokens cancel.",
    statement=Relation(_rho, (Integer(1),)),
    domain=Domain((*SIZES, *STRENGTHS, Equal(X)), (NONZERO, _attending, POSITIVE_MEAN)),
    define=unscaled_limit,
    hypotheses=(
        *HYPOTHESES,
        Hypothesis(r"\alpha_1\ne0,\ \alpha_2\ \text{independent of } L"),
        Hypothesis("C(X)>0"),
    ),
    note=(
        "It needs $C(X)>0$; when the tokens sum to zero the correlation stays at $-1/(n-1)$. That "
        r"$\alpha_2\ne0$ is not needed: $\alpha_2$ does not enter the correlation. Nor are equal norms, "
        "for each pair of tokens: `noci2022.sec3.2.pairwise-limit`."
    ),
)

_one = Integer(1)
_opposite_tokens = {n: 2, d_v: 1, alpha1: _one, alpha2: _one, X: ImmutableDenseMatrix([[1], [-1]])}

unscaled_correlation_limit = Claim(
    id="noci2022.theorem-3.3.unscaled-limit",
    source=source("Sec. 3.2", "Theorem 3.3, Eq. (16)"),
    kind="limit",
    title="With constant strengths the average correlation tends to one.",
    statement=Relation(_rho, (Integer(1),)),
    domain=_constant_strengths,
    define=unscaled_limit,
    hypotheses=(*HYPOTHESES, CONSTANT),
    uses=(
        inner_products_after_depth,
        norm_after_depth,
        expected_norms_stay_equal,
        correlation_from_inner_products_and_norm,
    ),
    mutants=variants(
        ("the input correlation", (C() / normX - 1) / (n - 1)),
        ("1/n", 1 / n),
        ("the share of attention", alpha1**2 / (1 + alpha1**2)),
        lhs=_rho,
    ),
    severity="missing-hypothesis",
    repair=unscaled_correlation_limit_repaired,
    probes=(_opposite_tokens,),
    printed=r"\lim_{L \to \infty} \rho^{\ell} = 1",
    note=(
        "False when the tokens sum to zero, $C(X)=0$: uniform attention then returns zero. "
        + _LAST_LAYER
    ),
    understood=(NO_ZERO_TOKENS,),
)
