r"""Lemmas 3.2 and 3.3 at finite depth, with the moment lemmas A.4 and A.6 that they rest on.

Covered: App. A.3 up to, and without, its limits (in `residuals`) and Lemma A.5 (in `skips`).  Lemma A.4
calls the token width d; it is d_v here.  The lemmas' "for all k, k', j" is written with the matrix of all
k, k' and the unit vector e_j; what the paper obtains "by summing over the indexes" stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, Sum, Symbol

from claims.domain import Array, Choice, Domain, Point, Size
from claims.expressions import ones
from claims.model import Claim, Hypothesis, Mutant, Relation, Understood, variants
from claims.noci2022.network import (
    LINEAR,
    SIZES,
    STRENGTHS,
    XAVIER,
    Moments,
    Network,
    Propagated,
    inner_products,
    network,
    number,
    squared_norm,
)
from claims.noci2022.notation import (
    C,
    X,
    alpha1,
    alpha2,
    d_v,
    depth,
    ell,
    n,
    norm_xbar,
    normX,
    source,
)
from claims.noci2022.setup import UNIFORM, tokens
from claims.noci2022.skips import skip_connection_adds_second_moments

mu = Symbol(r"\mu", real=True)
k = Symbol("k", integer=True, nonnegative=True)

FIXED = Hypothesis(r"X\ \text{fixed, or independent of the weights}")
ENTRIES = Hypothesis(r"W\ \text{i.i.d. zero-mean entries of variance } 1/d")


@dataclass(frozen=True)
class UnitVector:
    """A column e_j of the identity; its length is that of the matrix symbol at the point."""

    symbol: MatrixSymbol

    def _size(self, point: Point) -> int:
        return int(self.symbol.rows.subs({s: v for s, v in point.items() if isinstance(s, Symbol)}))

    def _unit(self, place: int, size: int) -> ImmutableDenseMatrix:
        return ImmutableDenseMatrix(size, 1, lambda i, _: Integer(i == place))

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        size = self._size(point)
        if weight < size:
            yield self._unit(weight, size)

    def draw(self, rng: Random, point: Point) -> Any:
        size = self._size(point)
        return self._unit(rng.randrange(size), size)

    def objection(self, value: Any, point: Point) -> str | None:
        units = [self._unit(j, self._size(point)) for j in range(self._size(point))]
        return None if value in units else f"{self.symbol} must be a unit vector"


# Lemmas A.4 and A.6: one linear layer, one attention layer ---------------------------------------

e_j = MatrixSymbol("e_j", d_v, 1)
_layer = (*SIZES, Array(X), UnitVector(e_j))
zero_mean_layer = Domain((*_layer, Choice(mu, (Integer(0),))))
shifted_layer = Domain((*_layer, Choice(mu, (Integer(1),))))


def linear_layer_moments(point: Point) -> Any:
    """(E D e_j e_j^T D^T, E ||D||^2, E C(D)) for D = X W, W_zj i.i.d. of mean mu, variance 1/d."""
    x, mean = point[X], point[mu]
    width = x.cols
    weight = lambda z, y: mean**2 + Rational(int(z == y), width)  # noqa: E731  E[W_zj W_yj]

    def entry(a: int, b: int) -> Any:
        places = range(width)
        return sum((x[a, z] * x[b, y] * weight(z, y) for z in places for y in places), Integer(0))

    column = ImmutableDenseMatrix(x.rows, x.rows, entry)  # the same for every column j
    return column, width * column.trace(), width * sum(column)


def attention_layer_moments(point: Point) -> Any:
    """(E S e_j e_j^T S^T, E ||S||^2, E C(S)) for S = (1/n) 1 1^T X W^V."""
    moments = Moments.of(point[X]).through_uniform_attention().through_weights()
    size, j = point[X].rows, list(point[e_j]).index(1)
    column = ImmutableDenseMatrix(size, size, lambda a, b: number(moments.at(a, j, b, j)))
    gram = moments.gram()
    return column, number(squared_norm(gram)), number(inner_products(gram))


_linear = (
    r"\left(\mathbb E[D_{\cdot j}D_{\cdot j}^\top],\ \mathbb E\|D\|_F^2,\ \mathbb E C(D)\right)"
)
_gram = X * X.T


def _linear_mutants() -> tuple[Mutant, ...]:
    named = variants(
        ("1/d^2 for 1/d", (_gram / d_v**2, normX, C())),
        ("variance 1 for 1/d in the norm", (_gram / d_v, d_v * normX, C())),
        ("norm for inner products", (_gram / d_v, normX, normX)),
        lhs=_linear,
    )
    printed = Relation(_linear, ((_gram / d_v, normX, C()),))
    return (*named, Mutant("weights with a mean", printed, domain=shifted_layer))


linear_layer_preserves_second_moments = Claim(
    id="noci2022.lemma-A.4",
    source=source("App. A.3", "Lemma A.4"),
    kind="expectation",
    title="A random linear layer keeps inner products in expectation, spread over its columns.",
    statement=Relation(_linear, ((_gram / d_v, normX, C()),)),
    domain=zero_mean_layer,
    define=linear_layer_moments,
    hypotheses=(ENTRIES, FIXED),
    mutants=_linear_mutants(),
    printed=(
        r"\mathbb{E}[\mathbf{D}_{kj} \mathbf{D}_{k'j}] = \frac{1}{d} \langle \mathbf{X}_k, "
        r"\mathbf{X}_{k'} \rangle, \quad \mathbb{E} \|\mathbf{D}\|_F^2 = \mathbb{E} "
        r"\|\mathbf{X}\|_F^2, \quad \mathbb{E} C(\mathbf{D}) = \mathbb{E} C(\mathbf{X})"
    ),
    understood=(
        Understood(
            "The entries of $W$ have mean zero, as Sec. 2 assumes.",
            r"$d=1$, $X=1$ and $W$ of mean $1$ and variance $1$: $\mathbb E[D_{kj}D_{k'j}]$ is $2$, not "
            "$1$.",
        ),
    ),
    note=(
        "The lemma calls the width of the tokens $d$; it is $d_v$ here. What the paper obtains by "
        "summing over the indices is the second and third part."
    ),
)

_attention = _linear.replace("D", "S")
_spread = ones(n, n) / (d_v * n**2)
uniform_attention_second_moments = Claim(
    id="noci2022.lemma-A.6",
    source=source("App. A.3", "Lemma A.6"),
    kind="expectation",
    title="Uniform attention turns every inner product into the mean one and keeps their sum.",
    statement=Relation(_attention, ((C() * _spread, C() / n, C()),)),
    domain=Domain(_layer),
    define=attention_layer_moments,
    hypotheses=(UNIFORM, XAVIER, FIXED),
    mutants=variants(
        ("1/n for 1/n^2", (C() * ones(n, n) / (d_v * n), C() / n, C())),
        ("dropped d_v", (C() * ones(n, n) / n**2, C() / n, C())),
        ("n^2 for n in the norm", (C() * _spread, C() / n**2, C())),
        ("norm for inner products", (C() * _spread, normX / n, C())),
        lhs=_attention,
    ),
    printed=(
        r"\mathbb{E}[\mathbf{S}_{kj}\mathbf{S}_{k'j}] = \frac{1}{d_v n^2} \mathbb{E} "
        r"C(\mathbf{X}), \quad \mathbb{E} \|\mathbf{S}\|_F^2 = \frac{\mathbb{E} C(\mathbf{X})}{n}, "
        r"\quad \mathbb{E} C(\mathbf{S}) = \mathbb{E} C(\mathbf{X})"
    ),
)

# The recursions of App. A.3 and Lemmas 3.2, 3.3 ---------------------------------------------------

HYPOTHESES = (UNIFORM, LINEAR, XAVIER)
after_layers = Domain((*SIZES, Size(ell, 0, 2), *STRENGTHS, Array(X)))
pp, qq = alpha1**2 + 1, alpha2**2 + 1


def propagated(summary: Callable[[Any], Any], layers: Callable[[Point], int]) -> Callable:
    """E of a summary of the Gram matrix after so many layers, at a point."""

    def define(point: Point) -> Any:
        return number(summary(Network.unscaled(point).after(layers(point)).gram()))

    return define


def _at(quantity: str, stage: str) -> Propagated:
    return Propagated(quantity, stage, X, alpha1, alpha2, ell)


uniform_mean_token = Claim(
    id="noci2022.sec3.2.C-mean",
    source=source(
        "Sec. 3.2 and App. A.3", "after Eq. (11); remark at the end of Lemma 3.3's proof"
    ),
    kind="identity",
    title="The sum of all inner products is $n^2$ times the squared norm of the mean token.",
    statement=Relation("C(X)", (n**2 * norm_xbar,)),
    domain=tokens,
    define=lambda point: sum(
        (
            sum((a * b for a, b in zip(point[X].row(i), point[X].row(j), strict=True)), Integer(0))
            for i in range(point[X].rows)
            for j in range(point[X].rows)
        ),
        start=Integer(0),
    ),
    mutants=variants(
        ("n for n^2", n * norm_xbar),
        ("pairs without the diagonal", n * (n - 1) * norm_xbar),
        ("the norm of the tokens", n * normX),
        lhs="C(X)",
    ),
    printed=r"C(\mathbf{X}^{\ell}) = n^2 \|\bar{\mathbf{x}}^{\ell}\|^2",
)

_C1, _N1 = r"\mathbb E C(X^{\ell+1})", r"\mathbb E\|X^{\ell+1}\|_F^2"
inner_products_grow_by_a_constant_factor = Claim(
    id="noci2022.proof-3.2.recursion",
    source=source("App. A.3", "proof of Lemma 3.2"),
    kind="identity",
    title="Every layer multiplies the expected sum of inner products by the same two factors.",
    statement=Relation(
        _C1, (qq * _at("C", "Z"), qq * pp * _at("C", "X"), qq ** (ell + 1) * pp ** (ell + 1) * C())
    ),
    domain=after_layers,
    define=propagated(inner_products, lambda point: int(point[ell]) + 1),
    hypotheses=HYPOTHESES,
    uses=(
        linear_layer_preserves_second_moments,
        skip_connection_adds_second_moments,
        uniform_attention_second_moments,
    ),
    mutants=variants(
        ("skip counted once", (alpha1**2 + alpha2**2 + 1) * _at("C", "X")),
        ("attention divided by n", qq * (alpha1**2 / n + 1) * _at("C", "X")),
        ("Z for X in the last factor", qq * pp * _at("C", "Z")),
        ("one layer too few", qq**ell * pp**ell * C()),
        lhs=_C1,
    ),
    printed=(
        r"\mathbb{E}[C(\mathbf{X}^{\ell+1})] \stackrel{\text{skip}}{=} \alpha_2^2 "
        r"\mathbb{E}C(\mathbf{Y}^\ell) + \mathbb{E}C(\mathbf{Z}^\ell) \stackrel{\text{linear}}{=} "
        r"\alpha_2^2 \mathbb{E}C(\mathbf{Z}^\ell) + \mathbb{E}C(\mathbf{Z}^\ell) = (\alpha_2^2 + "
        r"1) \mathbb{E}C(\mathbf{Z}^\ell) \stackrel{\text{skip}}{=} (\alpha_2^2 + 1) (\alpha_1^2 "
        r"\mathbb{E}C(\mathbf{S}^\ell) + \mathbb{E}C(\mathbf{X}^\ell)) "
        r"\stackrel{\text{attention}}{=} (\alpha_2^2 + 1)(\alpha_1^2 + 1) "
        r"\mathbb{E}[C(\mathbf{X}^\ell)] \stackrel{\text{unroll recurs.}}{=} (\alpha_2^2 + "
        r"1)^{\ell+1} (\alpha_1^2 + 1)^{\ell+1} C(\mathbf{X})"
    ),
    note=(
        "The lines with $Y$ and $S$ are `noci2022.lemma-A.5` at these layers: no more than mean and "
        "variance of the weights shows in them, so that their law may be taken finite. Those without are "
        "stated."
    ),
)

inner_products_after_depth = Claim(
    id="noci2022.lemma-3.2.finite",
    source=source("Sec. 3.2", "Lemma 3.2, Eq. (10)"),
    kind="expectation",
    title="The expected sum of inner products grows geometrically with depth.",
    statement=Relation(r"\mathbb E C(X^L)", (qq**depth * pp**depth * C(),)),
    domain=network,
    define=propagated(inner_products, lambda point: int(point[depth])),
    hypotheses=HYPOTHESES,
    uses=(inner_products_grow_by_a_constant_factor,),
    mutants=variants(
        ("L - 1 for L", qq ** (depth - 1) * pp ** (depth - 1) * C()),
        ("alpha for alpha^2", (alpha2 + 1) ** depth * (alpha1 + 1) ** depth * C()),
        ("dropped feed-forward factor", pp**depth * C()),
        ("attention divided by n", qq**depth * (alpha1**2 / n + 1) ** depth * C()),
        lhs=r"\mathbb E C(X^L)",
    ),
    printed=(
        r"\mathbb{E}\left[C(\mathbf{X}^L)\right] = (\alpha_2^2 + 1)^L (\alpha_1^2 + 1)^L "
        r"C(\mathbf{X})"
    ),
)

norm_grows_by_a_constant_factor_over_the_second_half = Claim(
    id="noci2022.proof-3.3.linear",
    source=source("App. A.3", "proof of Lemma 3.3, second line"),
    kind="identity",
    title="The feed-forward half of a layer multiplies the expected squared norm by a constant.",
    statement=Relation(_N1, (qq * _at("N", "Z"),)),
    domain=after_layers,
    define=propagated(squared_norm, lambda point: int(point[ell]) + 1),
    hypotheses=HYPOTHESES,
    uses=(linear_layer_preserves_second_moments, skip_connection_adds_second_moments),
    mutants=variants(
        ("the first half's factor", pp * _at("N", "Z")),
        ("the tokens before attention", qq * _at("N", "X")),
        ("alpha for alpha^2", (alpha2 + 1) * _at("N", "Z")),
        lhs=_N1,
    ),
    printed=(
        r"\mathbb{E}[\|\mathbf{X}^{\ell+1}\|_F^2] \stackrel{\text{linear}}{=} (\alpha_2^2 + 1) "
        r"\mathbb{E}\|\mathbf{Z}^\ell\|_F^2"
    ),
    note=(
        r"In expectation over the weights of all layers up to this one. The first half has no such factor for "
        r"the norm: it adds $\tfrac{\alpha_1^2}n\mathbb E C(X^\ell)$ (`noci2022.proof-3.3.recursion`)."
    ),
)

_geometric = alpha1**2 * Sum(pp**k, (k, 0, ell))
norm_grows_with_the_inner_products = Claim(
    id="noci2022.proof-3.3.recursion",
    source=source("App. A.3", "proof of Lemma 3.3"),
    kind="identity",
    title="Every layer adds to the expected squared norm a share of the sum of inner products.",
    statement=Relation(
        _N1,
        (
            qq * alpha1**2 / n * _at("C", "X") + qq * _at("N", "X"),
            qq ** (ell + 1) * alpha1**2 * pp**ell * C() / n + qq * _at("N", "X"),
            qq ** (ell + 1) * _geometric * C() / n + qq ** (ell + 1) * normX,
        ),
    ),
    domain=after_layers,
    define=propagated(squared_norm, lambda point: int(point[ell]) + 1),
    hypotheses=HYPOTHESES,
    uses=(
        linear_layer_preserves_second_moments,
        skip_connection_adds_second_moments,
        uniform_attention_second_moments,
        inner_products_after_depth,
    ),
    mutants=variants(
        ("dropped 1/n", qq * alpha1**2 * _at("C", "X") + qq * _at("N", "X")),
        ("n^2 for n", qq * alpha1**2 / n**2 * _at("C", "X") + qq * _at("N", "X")),
        (
            "one term too many",
            qq ** (ell + 1) * (alpha1**2 * Sum(pp**k, (k, 0, ell + 1)) * C() / n + normX),
        ),
        ("(alpha_2^2 + 1)^l", qq**ell * (_geometric * C() / n + normX)),
        lhs=_N1,
    ),
    printed=(
        r"\mathbb{E}[\|\mathbf{X}^{\ell+1}\|_F^2] \stackrel{\text{skip}}{=} \alpha_2^2 "
        r"\mathbb{E}\|\mathbf{Y}^\ell\|_F^2 + \mathbb{E}\|\mathbf{Z}^\ell\|_F^2 "
        r"\stackrel{\text{linear}}{=} (\alpha_2^2 + 1) \mathbb{E}\|\mathbf{Z}^\ell\|_F^2 "
        r"\stackrel{\text{skip}}{=} (\alpha_2^2 + 1) (\alpha_1^2 "
        r"\mathbb{E}[\|\mathbf{S}^\ell\|_F^2] + \mathbb{E}[\|\mathbf{X}^\ell\|_F^2]) "
        r"\stackrel{\text{softmax}}{=} (\alpha_2^2 + 1) \left( \frac{\alpha_1^2}{n} "
        r"\mathbb{E}[C(\mathbf{X}^\ell)] + \mathbb{E}[\|\mathbf{X}^\ell\|_F^2] \right) = "
        r"(\alpha_2^2 + 1) \frac{\alpha_1^2}{n} \mathbb{E}[C(\mathbf{X}^\ell)] + (\alpha_2^2 + 1) "
        r"\mathbb{E}[\|\mathbf{X}^\ell\|_F^2] \stackrel{\text{unroll } C(\mathbf{X}^\ell)}{=} "
        r"(\alpha_2^2 + 1)^{\ell+1} \alpha_1^2 (\alpha_1^2 + 1)^\ell \frac{C(\mathbf{X})}{n} + "
        r"(\alpha_2^2 + 1) \mathbb{E}[\|\mathbf{X}^\ell\|_F^2] \stackrel{\text{unroll } "
        r"\|\mathbf{X}^\ell\|_F^2}{=} (\alpha_2^2 + 1)^{\ell+1} \alpha_1^2 \frac{C(\mathbf{X})}{n} "
        r"\sum_{k=0}^{\ell} (\alpha_1^2 + 1)^k + (\alpha_2^2 + 1)^{\ell+1} \|\mathbf{X}\|_F^2"
    ),
    note=(
        "The second line is `noci2022.proof-3.3.linear`. "
        "The other lines with $Y$, $Z$ and $S$ are `noci2022.lemma-A.5` at these layers, where the law of the "
        "weights may be taken finite, as no more than their mean and variance shows; those without are "
        "stated."
    ),
)

_sum = Sum(pp**k, (k, 0, depth - 1))
norm_after_depth = Claim(
    id="noci2022.lemma-3.3.finite",
    source=source("Sec. 3.2", "Lemma 3.3, Eq. (12)"),
    kind="expectation",
    title="The expected squared norm grows by the feed-forward factor and a geometric sum.",
    statement=Relation(
        r"\mathbb E\|X^L\|_F^2",
        (n * qq**depth * alpha1**2 * _sum * norm_xbar + qq**depth * normX,),
    ),
    domain=network,
    define=propagated(squared_norm, lambda point: int(point[depth])),
    hypotheses=HYPOTHESES,
    uses=(norm_grows_with_the_inner_products, inner_products_after_depth, uniform_mean_token),
    mutants=variants(
        ("1/n for n", qq**depth * (alpha1**2 * _sum * norm_xbar / n + normX)),
        ("alpha_1 for alpha_1^2", qq**depth * (n * alpha1 * _sum * norm_xbar + normX)),
        (
            "sum up to L",
            qq**depth * (n * alpha1**2 * Sum(pp**k, (k, 0, depth)) * norm_xbar + normX),
        ),
        (
            "no feed-forward factor on the norm",
            n * qq**depth * alpha1**2 * _sum * norm_xbar + normX,
        ),
        lhs=r"\mathbb E\|X^L\|_F^2",
    ),
    printed=(
        r"\mathbb{E} \left\| \mathbf{X}^{L} \right\|_{F}^{2} = n(\alpha_{2}^{2}+1)^{L} "
        r"\alpha_{1}^{2} \sum_{k=0}^{L-1} (\alpha_{1}^{2}+1)^{k} \left\| \bar{\mathbf{x}} "
        r"\right\|^{2} + (\alpha_{2}^{2}+1)^{L} ||\mathbf{X}||_{F}^{2}"
    ),
)
