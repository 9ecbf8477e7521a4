r"""How fast tokens align with depth: the sentences of Sec. 3.2 around Theorem 3.3.

rho^l is the average of Eq. (14), read after l layers; an average angle is arccos rho^l.  Where the
paper says "without scaling", alpha_1 = alpha_2 = 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, MatrixSymbol, acos, sqrt

from claims.domain import Array, Choice, Condition, Domain, Equal, Point, Size
from claims.expressions import FrobSq, Total
from claims.model import Claim, Hypothesis, Relation
from claims.noci2022.correlation import (
    HYPOTHESES,
    NO_ZERO_TOKENS,
    correlation_from_inner_products_and_norm,
    scaled_correlation_limit,
    scaled_correlation_limit_repaired,
    scaled_limit,
)
from claims.noci2022.network import (
    EVERY_TOKEN_NONZERO,
    LINEAR,
    NONZERO,
    REAL_STRENGTHS,
    SCALED,
    SCALING,
    SIZES,
    SMALL_SIZES,
    XAVIER,
    Network,
    correlation,
    numbers,
    other,
    token,
)
from claims.noci2022.notation import C, X, alpha1, alpha2, d_v, depth, ell, n, normX, source
from claims.noci2022.setup import UNIFORM
from claims.statement import Compare, ForAll, Quantity
from claims.terms import family, value_of

UNIT = Hypothesis(r"\alpha_1=\alpha_2=1")
UNIT_STRENGTHS = (Choice(alpha1, (Integer(1),)), Choice(alpha2, (Integer(1),)))

# The limit under scaling is one only for aligned tokens -------------------------------------------


def _cosine(at: Point, k: int, l: int) -> Expr:  # noqa: E741
    a, b = at[X].row(k - 1), at[X].row(l - 1)
    return a.dot(b) / sqrt(a.dot(a) * b.dot(b))


limiting_correlation = Quantity(r"\lim_{L\to\infty}\rho^L", scaled_limit)
cosine = family(r"\cos\theta_{{{}{}}}", _cosine)

limiting_correlation_is_one_only_when_aligned = Claim(
    id="noci2022.theorem-3.3.one-iff",
    source=source("Sec. 3.2", "after Theorem 3.3"),
    kind="prose",
    title="The scaled limit of the correlation is one exactly when the input tokens are aligned.",
    statement=limiting_correlation.equals(1).iff(Compare(C(), "=", n * normX))
    & Compare(C(), "=", n * normX).iff(
        ForAll(token, 1, n, ForAll(other, 1, n, Compare(cosine(token, other), "=", 1)))
    ),
    domain=Domain((*SMALL_SIZES, *SCALED, Equal(X)), (NONZERO,)),
    hypotheses=(*HYPOTHESES, SCALING),
    uses=(scaled_correlation_limit,),
    printed=r"C(\mathbf{X})=n\|\mathbf{X}\|^2",
    understood=(NO_ZERO_TOKENS, REAL_STRENGTHS),
    note=(
        r"$\|X\|$ is printed without $F$ and read as in Theorem 3.3, of which this is a remark. The "
        "print says that the equality holds for aligned tokens; that it holds for no others is ours."
    ),
)

# With scaling it depends on the tokens ------------------------------------------------------------

Y = MatrixSymbol("X'", n, d_v)
C_Y, norm_Y = Total(Y * Y.T, "C(X')"), FrobSq(Y)
limit_of_first = Quantity(r"\lim_{L\to\infty}\rho^L(X)", scaled_limit)
limit_of_second = Quantity(
    r"\lim_{L\to\infty}\rho^L(X')", lambda at: scaled_limit({**at, X: at[Y]})
)
OTHER_NONZERO = Condition(r"X'\ne0", lambda p: not p[Y].is_zero_matrix, Compare(norm_Y, ">", 0))

correlation_at_infinite_depth_depends_on_the_input = Claim(
    id="noci2022.sec3.2.depends-on-input",
    source=source("Sec. 3.2", "before Eq. (14)"),
    kind="prose",
    title="With scaling, the input of larger average correlation has the larger one at infinite depth.",
    statement=Compare(C() / normX, "<", C_Y / norm_Y).implies(
        Compare(limit_of_first, "<", limit_of_second)
    ),
    domain=Domain((*SMALL_SIZES, *SCALED, Equal(X), Equal(Y)), (NONZERO, OTHER_NONZERO)),
    hypotheses=(
        *HYPOTHESES,
        SCALING,
        Hypothesis(r"X'\ \text{a second input of the same sizes, its tokens too of one norm}"),
    ),
    uses=(scaled_correlation_limit_repaired,),
    understood=(NO_ZERO_TOKENS, REAL_STRENGTHS),
    note=(
        r"'Dependent on the input in a non-trivial way even at infinite depth'. By Theorem 3.3 the limit is a "
        r"function of $u=C(X)/\|X\|_F^2=1+(n-1)\rho^0$ alone, and its slope in $u$ is "
        r"$\tfrac{n^2e^{\tilde\alpha_1}}{(n-1)((e^{\tilde\alpha_1}-1)u+n)^2}>0$, so that no two input "
        r"correlations have one limit. For large $\tilde\alpha_1$ the limit is near one for all $u>0$ alike."
    ),
)

# Without scaling the correlation is soon close to one ---------------------------------------------

_NOT_NEGATIVE = Condition(
    r"\rho^0\ge0", lambda at: value_of(C() - normX, at) >= 0, Compare(C(), ">=", normX)
)
unit_equal_norms = Domain((*SIZES, Size(depth, 1, 4), *UNIT_STRENGTHS, Equal(X)), (NONZERO,))


def _correlation_at(layers: Callable[[Point], Any]) -> Callable[[Point], Expr]:
    """rho after a number of layers."""
    return lambda at: correlation(numbers(Network.unscaled(at).after(int(layers(at))).gram()))


def missing_correlation(point: Point) -> Expr:
    """1 - rho^L."""
    return 1 - _correlation_at(lambda at: at[depth])(point)


_missing = Relation(r"1-\rho^L", (n / (2**depth + n - 1),), "<=")
correlation_is_close_to_one_for_positive_correlation = Claim(
    id="noci2022.sec3.2.shallow-close-to-one.repair",
    parent="noci2022.sec3.2.shallow-close-to-one",
    source=source("Sec. 3.2 and App. A.4", "after Theorem 3.3"),
    kind="prose",
    title="Without scaling, a correlation that is not negative approaches one exponentially fast.",
    statement=_missing,
    domain=unit_equal_norms.with_conditions(_NOT_NEGATIVE),
    define=missing_correlation,
    hypotheses=(*HYPOTHESES, UNIT, Hypothesis(r"\rho^0\ge0")),
    note=(
        r"The sharpest uniform form of the sentence: $\rho^L$ is within $\epsilon$ of one at depth "
        r"$\log_2(n/\epsilon)$, with equality for orthogonal tokens."
    ),
)

_opposite = {
    n: Integer(2), d_v: Integer(1), depth: Integer(4), alpha1: Integer(1), alpha2: Integer(1),
    X: ImmutableDenseMatrix([[1], [-1]]),
}  # fmt: skip
correlation_is_close_to_one_in_shallow_networks = Claim(
    id="noci2022.sec3.2.shallow-close-to-one",
    source=source("Sec. 3.2 and App. A.4", "after Theorem 3.3"),
    kind="prose",
    title="Without scaling, the correlation is close to one even in shallow networks.",
    statement=_missing,
    domain=unit_equal_norms,
    define=missing_correlation,
    hypotheses=(*HYPOTHESES, UNIT),
    uses=(correlation_from_inner_products_and_norm,),
    severity="missing-hypothesis",
    repair=correlation_is_close_to_one_for_positive_correlation,
    probes=(_opposite,),
    note=(
        'False under every reading of "close" and "shallow": tokens that sum to zero stay at '
        r"$\rho=-1/(n-1)$ at every depth, the case that Eq. (16) misses as well. The bound is ours, "
        r"sharp where the input correlation is not negative."
    ),
)


# Skip connections and the angle between tokens ----------------------------------------------------

correlation_before = Quantity(r"\rho^\ell", _correlation_at(lambda at: at[ell]))
correlation_after = Quantity(r"\rho^{\ell+1}", _correlation_at(lambda at: at[ell] + 1))
angle_before = Quantity(r"\arccos\rho^\ell", lambda at: acos(correlation_before.define(at)))
angle_after = Quantity(r"\arccos\rho^{\ell+1}", lambda at: acos(correlation_after.define(at)))
_layers = (*SIZES, Size(ell, 0, 2), *UNIT_STRENGTHS)

correlation_increases_with_depth = Claim(
    id="noci2022.sec3.2.angle-increases.repair",
    parent="noci2022.sec3.2.angle-increases",
    source=source("Sec. 3.2", "first paragraph"),
    kind="prose",
    title="With skip connections and equal norms the average angle between tokens never grows.",
    statement=correlation_after.at_least(correlation_before)
    & (Compare(C(), ">", 0) & Compare(C(), "<", n * normX)).implies(
        correlation_after.above(correlation_before)
    ),
    domain=Domain((*_layers, Equal(X)), (NONZERO,)),
    hypotheses=(*HYPOTHESES, UNIT),
    note=(
        "The average cosine increases, so the angle decreases; equal norms are needed, for from "
        "tokens $1$ and $2$ the correlation falls."
    ),
)

angle_increases_with_depth = Claim(
    id="noci2022.sec3.2.angle-increases",
    source=source("Sec. 3.2", "first paragraph"),
    kind="prose",
    title="With skip connections the average angle between tokens increases within a few layers.",
    statement=angle_after.at_least(angle_before),
    domain=Domain((*_layers, Array(X)), (EVERY_TOKEN_NONZERO,)),
    hypotheses=(UNIFORM, LINEAR, XAVIER, UNIT),
    severity="missing-hypothesis",
    repair=correlation_increases_with_depth,
    note=(
        "The rest of the section, Theorem 3.3 and the figures say that the cosine increases; that is "
        "right for tokens of equal norm only, which the sentence does not ask for."
    ),
)
