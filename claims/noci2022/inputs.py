r"""Eq. (8) and App. A.1.2, "Gradient with respect to the input": the input Jacobian and its norm.

Under uniform attention dS/dX = A_1 + A_2 + A_3: the logits move on their left, on their right, and
the values move.  Eq. (8) carries a sigma_q^2 that the appendix copy prints as sigma_d^2, which
nothing defines.
"""

from __future__ import annotations

from typing import Any

from sympy import Identity, ImmutableDenseMatrix, Integer, Trace, sqrt
from sympy.matrices.expressions import KroneckerProduct

from claims.definitions import frobenius_square_expectation
from claims.domain import Point
from claims.expressions import Commutation, FrobSq, explicit, ones
from claims.model import Claim, Mutant, Relation, variants
from claims.noci2022.notation import (
    WK,
    WQ,
    WV,
    X,
    centre,
    d_k,
    d_v,
    n,
    norm_scatter,
    normX,
    scatter,
    sigma_k,
    sigma_q,
    sigma_v,
    source,
)
from claims.noci2022.setup import (
    FIXED_TOKENS,
    UNIFORM,
    ZERO_MEAN_WEIGHTS,
    expected_gradient_norm,
    given_layer,
    given_weights,
    random_layer,
    symbolic_layer,
    uniform_jacobian,
    weight_variances,
)
from claims.statement import Compare, Quantity
from claims.terms import evaluated

_INPUT = r"\mathbb E\left\|\frac{\partial S}{\partial X}\right\|_F^2"
_weights3 = sigma_q**2 * sigma_k**2 * sigma_v**2

# The three parts of dS/dX under uniform attention.
A1 = KroneckerProduct(Identity(n), WV.T * X.T * centre * X * WK * WQ.T) / (n * sqrt(d_k))
A2 = (
    KroneckerProduct(Identity(n), WV.T * X.T * centre)
    * Commutation(n, n)
    * KroneckerProduct(Identity(n), X * WQ * WK.T)
    / (n * sqrt(d_k))
)
A3 = KroneckerProduct(ones(n, n), WV.T) / n
_A2_SWAPPED = (
    KroneckerProduct(Identity(n), WV.T * X.T * centre)
    * KroneckerProduct(Identity(n), X * WQ * WK.T)
    / (n * sqrt(d_k))
)


def _sum(*parts: Any) -> Relation:
    first, *rest = parts
    return Relation(r"\frac{\partial S}{\partial X}", (sum(rest, start=first),))


input_jacobian_splits_in_three = Claim(
    id="noci2022.proof-3.1.input-decomposition",
    source=source("App. A.1.2", "gradient with respect to the input"),
    kind="identity",
    title="Under uniform attention the input Jacobian is $A_1+A_2+A_3$.",
    statement=_sum(A1, A2, A3),
    domain=given_weights,
    define=lambda p: uniform_jacobian(given_layer(p), "input"),
    hypotheses=(UNIFORM,),
    mutants=(
        Mutant("without A_3", _sum(A1, A2)),
        Mutant("K_nn dropped from A_2", _sum(A1, _A2_SWAPPED, A3)),
        Mutant("A_3 not divided by n", _sum(A1, A2, n * A3)),
        Mutant(
            "A_1 without the centring",
            _sum(
                KroneckerProduct(Identity(n), WV.T * X.T * X * WK * WQ.T) / (n * sqrt(d_k)), A2, A3
            ),
        ),
    ),
    printed=(
        r"\frac{\partial \mathbf{S}}{\partial \mathbf{X}} = \frac{1}{n \sqrt{d_k}} \mathbf{I}_n "
        r"\otimes \mathbf{W}^{V\top} \mathbf{X}^\top \left( \mathbf{I}_n - \frac{1}{n} "
        r"\mathbf{1}_n \mathbf{1}_n^\top \right) \mathbf{X} \mathbf{W}^K \mathbf{W}^{Q\top} + "
        r"\frac{1}{n \sqrt{d_k}} \left[ \mathbf{I}_n \otimes \mathbf{W}^{V\top} \mathbf{X}^\top "
        r"\left( \mathbf{I}_n - \frac{1}{n} \mathbf{1}_n \mathbf{1}_n^\top \right) \right] "
        r"\mathbf{K}_{nn} (\mathbf{I}_n \otimes \mathbf{X} \mathbf{W}^Q \mathbf{W}^{K\top}) + "
        r"\frac{1}{n} \mathbf{1}_{n \times n} \otimes \mathbf{W}^{V\top}"
    ),
)


def explicit_parts(point: Point) -> tuple[ImmutableDenseMatrix, ...]:
    """A_1, A_2 and A_3 at a point, with weights of independent symbols."""
    layer_ = symbolic_layer(point)
    values = {
        **{name: point[name] for name in (X, n, d_k, d_v)},
        WQ: layer_.wq, WK: layer_.wk, WV: layer_.wv,
    }  # fmt: skip
    return tuple(explicit(part, values) for part in (A1, A2, A3))


def _expected_part(place: int) -> Any:
    def define(point: Point) -> Any:
        variances = weight_variances(symbolic_layer(point), point)
        return frobenius_square_expectation(evaluated(explicit_parts, point)[place], variances)

    return define


mean_part_norm = Claim(
    id="noci2022.proof-3.1.A3",
    source=source("App. A.1.2", "display for A3"),
    kind="expectation",
    title=r"The part of the input Jacobian that passes through the values has norm $d_v^2\sigma_v^2$.",
    statement=Relation(r"\mathbb E\|A_3\|_F^2", (d_v**2 * sigma_v**2,)),
    domain=random_layer,
    define=_expected_part(2),
    hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS),
    mutants=variants(
        ("d_v for d_v^2", d_v * sigma_v**2),
        ("n d_v^2", n * d_v**2 * sigma_v**2),
        ("d_v^2 / n", d_v**2 * sigma_v**2 / n),
        ("d_k d_v", d_k * d_v * sigma_v**2),
        lhs=r"\mathbb E\|A_3\|_F^2",
    ),
    printed=(
        r"\mathbb{E}[\|\mathbf{A}_3\|_F^2] = \frac{1}{n^2} \mathbb{E}[\text{tr}(n \mathbf{1}_{n "
        r"\times n} \otimes \mathbf{W}^{V\top} \mathbf{W}^V)] \stackrel{(21)}{=} \frac{1}{n} "
        r"\text{tr}(\mathbf{1}_{n \times n}) \text{tr}(\mathbb{E}[\mathbf{W}^V "
        r"\mathbf{W}^{V\top}]) = d_v^2 \sigma_v^2"
    ),
)


def _A1(size: Any, power: int = 1) -> tuple[Any, ...]:
    """The printed forms of E||A_1||^2 with `size` in place of d_k d_v."""
    return (
        _weights3 * size / n**2 * n * Trace(X.T * centre * X * X.T * centre * X),
        _weights3 * size / n**power * norm_scatter,
        _weights3 * size * n ** (2 - power) * FrobSq(scatter / n),
    )


def _column(*entries: int) -> Point:
    x = ImmutableDenseMatrix([[e] for e in entries])
    one = Integer(1)
    return {
        n: Integer(len(entries)), d_v: one, d_k: one, X: x, sigma_q: one, sigma_k: one, sigma_v: one,
    }  # fmt: skip


first_part_norm = Claim(
    id="noci2022.proof-3.1.A1",
    source=source("App. A.1.2", "Eqs. (30)-(32)"),
    kind="expectation",
    title="The expected squared norm of $A_1$, printed with $d_kd_v$.",
    statement=Relation(r"\mathbb E\|A_1\|_F^2", _A1(d_k * d_v)),
    domain=random_layer,
    define=_expected_part(0),
    hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS, FIXED_TOKENS),
    mutants=variants(
        ("d_k^2", _A1(d_k**2)[1]),
        ("d_v", _A1(d_v)[1]),
        ("1/n^2", _A1(d_v**2, 2)[1]),
        ("scatter norm to the first power", _weights3 * d_v**2 / n * Trace(scatter)),
        lhs=r"\mathbb E\|A_1\|_F^2",
    ),
    severity="material",
    repair=Claim(
        id="noci2022.proof-3.1.A1.repair",
        source=source("App. A.1.2", "Eqs. (30)-(32)"),
        kind="expectation",
        title="The expected squared norm of $A_1$ carries $d_v^2$.",
        statement=Relation(r"\mathbb E\|A_1\|_F^2", _A1(d_v**2)),
        domain=random_layer,
        define=_expected_part(0),
        hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS, FIXED_TOKENS),
        note=(
            "$W^V$ and $W^Q$ average to $d_v$ each and $W^K$ to $d_k$, which $1/d_k$ cancels: "
            "$d_v^2$, not $d_kd_v$."
        ),
        parent="noci2022.proof-3.1.A1",
    ),
    printed=(
        r"\mathbb{E}[\|\mathbf{A}_1\|_F^2] = \frac{\sigma_q^2 \sigma_k^2 \sigma_v^2 d_k d_v}{n^2} "
        r"\text{tr}(\mathbf{I}_n) \text{tr}(\mathbf{X}^\top \mathbf{L} \mathbf{X} \cdot "
        r"\mathbf{X}^\top \mathbf{L} \mathbf{X}) = \frac{\sigma_q^2 \sigma_k^2 \sigma_v^2 d_k "
        r"d_v}{n} \|\mathbf{X}^\top \mathbf{X} - n \bar{\mathbf{x}} \bar{\mathbf{x}}^\top\|_F^2 = "
        r"\sigma_q^2 \sigma_k^2 \sigma_v^2 d_k d_v n \left\| \frac{1}{n} \mathbf{X}^\top "
        r"\mathbf{X} - \bar{\mathbf{x}} \bar{\mathbf{x}}^\top \right\|_F^2"
    ),
    note=(
        "True only for $d_k=d_v$: three averages give $d_v^2d_k$ and the prefactor $1/d_k$ removes "
        "$d_k$."
    ),
)

_A2_exact = _weights3 * d_v**2 / n**2 * normX * Trace(scatter)
second_part_norm = Claim(
    id="noci2022.proof-3.1.A2",
    source=source("App. A.1.2", "Eqs. (33)-(36)"),
    kind="expectation",
    title="The expected squared norm of $A_2$, printed equal to that of $A_1$.",
    statement=Relation(
        r"\mathbb E\|A_2\|_F^2",
        (
            _weights3 * d_k * d_v / n**2
            * Trace(KroneckerProduct(
                Identity(n), X * X.T * centre * X * X.T * centre
            )),
            _weights3 * d_k * d_v / n * Trace(X.T * centre * X * X.T * centre * X),
        ),
    ),
    domain=random_layer,
    define=_expected_part(1),
    hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS, FIXED_TOKENS),
    mutants=variants(
        ("d_v^2 but E||A_1||^2 otherwise", _A1(d_v**2)[1]),
        ("d_k d_v", _weights3 * d_k * d_v / n**2 * normX * Trace(scatter)),
        ("1/n for 1/n^2", n * _A2_exact),
        ("X not centred", _weights3 * d_v**2 / n**2 * normX**2),
        lhs=r"\mathbb E\|A_2\|_F^2",
    ),
    severity="material",
    repair=Claim(
        id="noci2022.proof-3.1.A2.repair",
        source=source("App. A.1.2", "Eqs. (33)-(36)"),
        kind="expectation",
        title="The expected squared norm of $A_2$ is a product of token norm and scatter trace.",
        statement=Relation(r"\mathbb E\|A_2\|_F^2", (_A2_exact,)),
        domain=random_layer,
        define=_expected_part(1),
        hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS, FIXED_TOKENS),
        note=(
            r"$K_{nn}$ turns $I\otimes B$ into $B\otimes I$, so the trace splits into "
            r"$\|X\|_F^2\operatorname{tr}(X^\top LX)$."
        ),
        parent="noci2022.proof-3.1.A2",
    ),
    probes=({**_column(1, 2), d_k: Integer(2)},),
    printed=(
        r"\mathbb{E}[\|\mathbf{A}_2\|_F^2] = \frac{1}{n^2 d_k} \mathbb{E} \left[ \text{tr} \left( "
        r"\left[ \mathbf{I}_n \otimes \mathbf{W}^{\mathbf{V}^\top} \mathbf{X}^\top \mathbf{L} "
        r"\right] \mathbf{K}_{nn} (\mathbf{I}_n \otimes \mathbf{X} \mathbf{W}^{\mathbf{Q}} "
        r"\mathbf{W}^{\mathbf{K}^\top} \mathbf{W}^{\mathbf{K}} \mathbf{W}^{\mathbf{Q}^\top} "
        r"\mathbf{X}^\top) \mathbf{K}_{nn} [\mathbf{I}_n \otimes \mathbf{L} \mathbf{X} "
        r"\mathbf{W}^{\mathbf{V}}] \right) \right] = \frac{\sigma_q^2 \sigma_k^2 \sigma_v^2 d_k "
        r"d_v}{n^2} \text{tr}((\mathbf{I}_n \otimes \mathbf{X} \mathbf{X}^\top) [\mathbf{I}_n "
        r"\otimes \mathbf{L} \mathbf{X} \mathbf{X}^\top \mathbf{L}]) = \frac{\sigma_q^2 \sigma_k^2 "
        r"\sigma_v^2 d_k d_v}{n} \text{tr}(\mathbf{X}^\top \mathbf{L} \mathbf{X} \cdot "
        r"\mathbf{X}^\top \mathbf{L} \mathbf{X}) = \mathbb{E}[\|\mathbf{A}_1\|_F^2]"
    ),
    note=(
        r"$K_{nn}$ is orthogonal but does not commute past $I\otimes B$; it swaps the Kronecker "
        r"factors. The first printed line, Eq. (34), is right, as $K_{nn}^\top=K_{nn}$, and not part of the "
        "statement: the error begins with Eq. (35)."
    ),
)  # fmt: skip

input_gradient_exact = (
    _weights3 * ((d_v**2 / n + 2 * d_v / n**2) * norm_scatter)
    + _weights3 * d_v**2 / n**2 * normX * Trace(scatter)
    + d_v**2 * sigma_v**2
)


def _bound(factor: Any, tail: Any) -> Any:
    return factor * _weights3 * d_k * d_v / n * norm_scatter + tail * d_v**2 * sigma_v**2


input_gradient_bound = Claim(
    id="noci2022.lemma-3.1.input",
    source=source("Sec. 3.1", "Lemma 3.1, Eq. (8)"),
    kind="bound",
    title="The expected squared input gradient, printed as bounded by the squared scatter norm.",
    statement=Relation(_INPUT, (_bound(8, 2),), "<="),
    domain=random_layer,
    define=expected_gradient_norm("input"),
    hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS, FIXED_TOKENS),
    uses=(first_part_norm, second_part_norm, mean_part_norm),
    mutants=variants(
        ("4 for 8", _bound(4, 2)),
        ("1 for 2 in the last term", _bound(8, 1)),
        ("d_v^2 for d_k d_v", 8 * _weights3 * d_v**2 / n * norm_scatter + 2 * d_v**2 * sigma_v**2),
        lhs=_INPUT,
        relation="<=",
    ),
    severity="material",
    repair=Claim(
        id="noci2022.lemma-3.1.input.repair",
        source=source("Sec. 3.1", "Lemma 3.1, Eq. (8)"),
        kind="expectation",
        title="The expected squared input gradient, exactly.",
        statement=Relation(_INPUT, (input_gradient_exact,)),
        domain=random_layer,
        define=expected_gradient_norm("input"),
        hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS, FIXED_TOKENS),
        note=(
            r"The exact value has a term $\|X\|_F^2\operatorname{tr}(X^\top LX)$ that no multiple "
            "of the squared scatter norm bounds: tokens far from the origin and close together "
            "violate Eq. (8)."
        ),
        parent="noci2022.lemma-3.1.input",
    ),
    printed=(
        r"\mathbb{E} \left\| \frac{\partial \mathbf{S}^{\ell}}{\partial \mathbf{X}^{\ell}} "
        r"\right\|_{F}^{2} \leq \frac{8\sigma_{q}^{2}\sigma_{k}^{2}\sigma_{v}^{2}d_{k}d_{v}}{n} "
        r"\cdot \mathbb{E} \left\| (\mathbf{X}^{\ell})^{\top}\mathbf{X}^{\ell} - "
        r"n\bar{\mathbf{x}}^{\ell}(\bar{\mathbf{x}}^{\ell})^{\top} \right\|_{F}^{2} + "
        r"2d_{v}^{2}\sigma_{v}^{2}"
    ),
    note=(
        r"Rests on $\mathbb E\|A_2\|_F^2=\mathbb E\|A_1\|_F^2$, which is false, and on $d_kd_v$ "
        r"where $d_v^2$ is right. The formula is that of Sec. 3.1; its copy in the appendix, or the "
        r"transcription that we read, has $\sigma_d$, which is not defined, for $\sigma_q$."
    ),
    probes=(_column(9, 10), _column(3, 3, 4)),
)


def _expected_sum(*places: int) -> Any:
    """E of the squared norm of a sum of the parts A_1, A_2, A_3, at a point."""

    def define(point: Point) -> Any:
        variances = weight_variances(symbolic_layer(point), point)
        first, *rest = (evaluated(explicit_parts, point)[place] for place in places)
        return frobenius_square_expectation(sum(rest, start=first), variances)

    return define


_SQUARE = r"\mathbb E\left\|%s\right\|_F^2"
whole, first_two, first, second, third = (
    Quantity(_SQUARE % name, _expected_sum(*places), nonnegative=True)
    for name, places in (
        (r"\frac{\partial S}{\partial X}", (0, 1, 2)), ("A_1+A_2", (0, 1)), ("A_1", (0,)),
        ("A_2", (1,)), ("A_3", (2,)),
    )
)  # fmt: skip
splits = whole.at_most(2 * first_two + 2 * third)
splits_again = Compare(2 * first_two + 2 * third, "<=", 4 * first + 4 * second + 2 * third)
closes = Compare(
    4 * first + 4 * second + 2 * third, "=",
    4 * _weights3 * d_v**2 / n * norm_scatter + 4 * _A2_exact + 2 * d_v**2 * sigma_v**2,
)  # fmt: skip

input_gradient_triangle = Claim(
    id="noci2022.proof-3.1.triangle",
    source=source("App. A.1.2", "Eqs. (37)-(40)"),
    kind="bound",
    title="Splitting the input gradient by the triangle inequality, ending in two equalities.",
    statement=splits
    & splits_again
    & Compare(4 * first + 4 * second + 2 * third, "=", 8 * first + 2 * third)
    & Compare(8 * first + 2 * third, "=", _bound(8, 2)),
    domain=random_layer,
    hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS, FIXED_TOKENS),
    uses=(first_part_norm, second_part_norm, mean_part_norm),
    severity="material",
    repair=Claim(
        id="noci2022.proof-3.1.triangle.repair",
        source=source("App. A.1.2", "Eqs. (37)-(40)"),
        kind="bound",
        title="The two inequalities hold, and end in the sum of both parts, each with $d_v^2$.",
        statement=splits & splits_again & closes,
        domain=random_layer,
        hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS, FIXED_TOKENS),
        note=(
            r"The first equality needs $\mathbb E\|A_2\|^2=\mathbb E\|A_1\|^2$, which fails already for "
            "$n=2$, $d_v=d_k=1$."
        ),
        parent="noci2022.proof-3.1.triangle",
    ),
    printed=(
        r"\mathbb{E} \left\| \frac{\partial \mathbf{S}}{\partial \mathbf{X}} \right\|^2 \leq "
        r"2\mathbb{E}\|\mathbf{A}_1 + \mathbf{A}_2\|^2 + 2\mathbb{E}\|\mathbf{A}_3\|^2 \leq "
        r"4\mathbb{E}\|\mathbf{A}_1\|^2 + 4\mathbb{E}\|\mathbf{A}_2\|^2 + "
        r"2\mathbb{E}\|\mathbf{A}_3\|^2 = 8\mathbb{E}\|\mathbf{A}_1\|^2 + "
        r"2\mathbb{E}\|\mathbf{A}_3\|^2 = \frac{8\sigma_q^2 \sigma_k^2 \sigma_v^2 d_k d_v}{n} "
        r"\|\mathbf{X}^\top \mathbf{X} - n \bar{\mathbf{x}} \bar{\mathbf{x}}^\top\|_F^2 + 2d_v^2 "
        r"\sigma_v^2"
    ),
    note=(
        "Both inequalities are true; the first equality uses "
        r"$\mathbb E\|A_2\|^2=\mathbb E\|A_1\|^2$, the second $d_kd_v$ where $d_v^2$ is right. The norms "
        "are printed without $F$ and read as Frobenius norms, as in the lines before; Eq. (40) has no "
        "expectation, since $X$ is given there."
    ),
)
