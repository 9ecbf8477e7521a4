r"""The norm of a unit vector behind Gaussian matrices (Lemma A.2): a product of independent chi-squares.

$uu^\top W_1\cdots W_q$ has rank one, so that its squared largest singular value is its squared norm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, MatrixSymbol, Symbol, gamma

from claims.definitions import entries, expectation, frobenius_square
from claims.domain import Domain, Point, Size
from claims.model import Claim, Hypothesis, Relation, Understood, variants
from claims.naitsaada2025.notation import T, d, q, source
from claims.statement import Compare, Formula, Quantity
from claims.variables import Whole
from claims.wu2024.unit_tokens import UnitRows

u = MatrixSymbol(r"u^\top", 1, T)
a = Symbol("a", integer=True, nonnegative=True)
b = Symbol("b", integer=True, positive=True)
WEIGHTS = Hypothesis(
    r"W_1\in\mathbb R^{T\times d},\ W_2,\dots,W_q\in\mathbb R^{d\times d}\ "
    r"\text{independent with i.i.d.}\ \mathcal N(0,1)\ \text{entries},\ \|u\|=1"
)


@dataclass(frozen=True)
class Factors(Whole):
    """A number of factors: no token or feature, hence never drawn large."""

    high: int = 3

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        if self.low + weight <= self.high:
            yield Integer(self.low + weight)

    def facts(self) -> tuple[Formula, ...]:
        return (Compare(self.symbol, ">=", self.low),)


_vectors = (Size(T, 1, 2, reach=3), Size(d, 1, 3, reach=4), Factors(q), UnitRows(u))
_few = (Size(T, 1, 2, reach=2), Size(d, 1, 2, reach=2), Factors(q, 1, 2))


@cache
def _gaussians(tokens: int, width: int, factors: int) -> tuple[ImmutableDenseMatrix, ...]:
    """W_1, ..., W_q, entry by entry."""
    rows = [tokens, *[width] * (factors - 1)]
    return tuple(entries(f"w{k}", size, width) for k, size in enumerate(rows))


def squared_norms(point: Point) -> list[Expr]:
    """s_1^2 of u u^T, u u^T W_1, ..., u u^T W_1 ... W_q as polynomials in the weights' entries."""
    matrix = point[u].T * point[u]
    found = [frobenius_square(matrix)]
    for weight in _gaussians(int(point[T]), int(point[d]), int(point[q])):
        matrix = matrix * weight
        found.append(frobenius_square(matrix))
    return found


def mean_of(polynomial: Any, point: Point) -> Any:
    """E of a polynomial in the weights."""
    weights = _gaussians(int(point[T]), int(point[d]), int(point[q]))
    return expectation(polynomial, {w: Integer(1) for weight in weights for w in weight})


_MEAN = r"\mathbb E\,s_1^2(uu^\top W_1\cdots W_q)"
mean_square_behind_gaussian_matrices = Claim(
    id="naitsaada2025.lemma-A.2.mean",
    source=source("App. A.3", "Lemma A.2, Eq. (22)"),
    kind="expectation",
    title=r"Each Gaussian factor multiplies the mean squared norm of a unit row by $d$.",
    statement=Relation(_MEAN, (d**q,)),
    domain=Domain(_vectors),
    define=lambda at: mean_of(squared_norms(at)[-1], at),
    hypotheses=(WEIGHTS,),
    mutants=variants(("T for the first d", T * d ** (q - 1)), lhs=_MEAN),
    printed=(
        r"\mathbb{E} \left[ s_1^2(\mathbf{u} \mathbf{u}^\top \mathbf{W}_1 \dots \mathbf{W}_q) "
        r"\right] = d^q"
    ),
)


def chi_square_moment(order: Any) -> Expr:
    """E (chi^2_d)^k = d (d + 2) ... (d + 2k - 2)."""
    return 2**order * gamma(d / 2 + order) / gamma(d / 2)


def joint_moment(point: Point) -> Any:
    """E s_1^2a(u u^T W_1 ... W_{q-1}) s_1^2b(u u^T W_1 ... W_q)."""
    *_, before, last = squared_norms(point)
    return mean_of(before ** point[a] * last ** point[b], point)


_JOINT = r"\mathbb E\,s_1^{2a}(uu^\top W_1\cdots W_{q-1})\,s_1^{2b}(uu^\top W_1\cdots W_q)"
norms_are_products_of_independent_chi_variables = Claim(
    id="naitsaada2025.lemma-A.2.chain",
    source=source("App. A.3", "proof of Lemma A.2"),
    kind="law",
    title=(
        r"$s_1(uu^\top W_1\cdots W_q)=\alpha_1\cdots\alpha_q$ with independent $\alpha_i^2\sim\chi^2_d$, "
        "whatever $u$."
    ),
    statement=Relation(_JOINT, (chi_square_moment(a + b) ** (q - 1) * chi_square_moment(b),)),
    domain=Domain(
        (
            *_few,
            Factors(a, 0, 1),
            Factors(b, 1, 2),
            UnitRows(u),
        )
    ),
    define=joint_moment,
    hypotheses=(WEIGHTS,),
    uses=(mean_square_behind_gaussian_matrices,),
    mutants=variants(
        (
            "factors that are one variable",
            chi_square_moment((a + b) * (q - 1) + b),
        ),
        lhs=_JOINT,
    ),
    printed=(
        r"s_1(\mathbf{u} \mathbf{u}^\top \mathbf{W}_1 \mathbf{W}_2 \dots \mathbf{W}_q) = "
        r"s_1(\mathbf{u}(\alpha_1 \mathbf{u}_1^\top) \mathbf{W}_2 \dots \mathbf{W}_q) = "
        r"s_1(\mathbf{u}(\alpha_1 \alpha_2 \mathbf{u}_2^\top)) \dots \mathbf{W}_q) = \dots = "
        r"\alpha_1 \dots \alpha_q \cdot s_1(\mathbf{u} \mathbf{u}_q^\top) = \alpha_1 \dots \alpha_q, "
        r"\quad \alpha_i \stackrel{d}{=} \|\mathbf{e}_1^\top \mathbf{W}_i\|"
    ),
    understood=(
        Understood(
            r"$u_i^\top W_{i+1}\ne0$, which fails with probability zero",
            r"$W_1=0$: $u_1$ is not defined",
        ),
    ),
    note=(
        "The law is read in its joint moments, of all orders, of the norms before and behind the last factor: "
        "those of $\\alpha_1\\cdots\\alpha_{q-1}$ and $\\alpha_1\\cdots\\alpha_q$ for every $q$. The lines "
        "between are the definitions of $\\alpha_i$ and $u_i$. That the $W_i$ are independent does not give "
        "independent $\\alpha_i$ by itself, as printed: it takes the rotation-invariance as well, since "
        "$\\alpha_2$ looks along $u_1$. For $q\\ge3$ these moments alone would not determine a law; the "
        "conditioning that gives them gives the law as well."
    ),
)

# What the display takes the sum for ---------------------------------------------------------------

mean = Quantity(_MEAN, mean_square_behind_gaussian_matrices.define)
second = Quantity(
    r"\mathbb E\,s_1^4(uu^\top W_1\cdots W_q)",
    lambda at: mean_of(squared_norms(at)[-1] ** 2, at),
)
_SQUARES = Hypothesis(
    r"Z_j\ \text{products of}\ q\ \text{independent}\ \mathcal N(0,1):\ \mathbb E Z_j^2=1"
)
_one_token = {T: Integer(1), q: Integer(2), u: ImmutableDenseMatrix([[1]])}

product_is_a_sum_of_every_choice_of_squares = Claim(
    id="naitsaada2025.lemma-A.2.sum-form.repair",
    parent="naitsaada2025.lemma-A.2.sum-form",
    source=source("App. A.3", "proof of Lemma A.2"),
    kind="identity",
    title=r"$\prod_i\alpha_i^2$ is a sum of $d^q$ squares of products of $q$ standard normals.",
    statement=mean.equals(d**q),
    domain=Domain((*_few, UnitRows(u))),
    hypotheses=(WEIGHTS, _SQUARES),
    note=r"One term for each $(j_1,\dots,j_q)\in\{1,\dots,d\}^q$, as from the line after (23) on.",
)

product_is_a_sum_of_squares = Claim(
    id="naitsaada2025.lemma-A.2.sum-form",
    source=source("App. A.3", "proof of Lemma A.2"),
    kind="identity",
    title=r"$\prod_i\alpha_i^2$ is a sum of $d$ squares of products of $q$ standard normals.",
    statement=mean.equals(d),
    domain=Domain((*_few, UnitRows(u))),
    hypotheses=(WEIGHTS, _SQUARES),
    uses=(norms_are_products_of_independent_chi_variables,),
    severity="misprint",
    repair=product_is_a_sum_of_every_choice_of_squares,
    probes=({**_one_token, d: Integer(4)},),
    printed=(
        r"\prod_{i=1}^q \alpha_i^2 = \prod_{i=1}^q (w_{i,1}^2 + \dots + w_{i,d}^2) = \sum_{j=1}^d "
        r"Z_j^2"
    ),
    note=(
        r"Read in the mean: the right side has the mean $d$, the left side $d^q$. The display after (23) has "
        r"the sum up to $d^q$. That each $Z_j$ is sub-Weibull with parameter $2/q$, and its square with "
        "$1/q$, is right."
    ),
)

exact_mean_and_second_moment = Claim(
    id="naitsaada2025.lemma-A.2.sum-form.step.repair",
    parent="naitsaada2025.lemma-A.2.sum-form.step",
    source=source("App. A.3", "proof of Lemma A.2, after Eq. (23)"),
    kind="expectation",
    title=r"The product has mean $d^q$ and second moment $d^q(d+2)^q$: not those of $d^q$ independent terms.",
    statement=mean.equals(d**q) & second.equals(d**q * (d + 2) ** q),
    domain=Domain((*_few, UnitRows(u))),
    hypotheses=(WEIGHTS,),
    note=(
        r"Terms that share $s$ factors have covariance $3^s-1>0$, so that the relative variance is "
        r"$(1+2/d)^q-1\sim2q/d$ and not $(3^q-1)/d^q$."
    ),
)

terms_are_independent = Claim(
    id="naitsaada2025.lemma-A.2.sum-form.step",
    source=source("App. A.3", "proof of Lemma A.2, after Eq. (23)"),
    kind="law",
    title="Bernstein's inequality is applied to the $d^q$ terms as to independent ones.",
    statement=mean.equals(d**q) & second.equals(d**q * (d**q + 3**q - 1)),
    domain=Domain((*_few, UnitRows(u))),
    hypotheses=(
        WEIGHTS,
        Hypothesis(
            r"\prod_{i=1}^q\alpha_i^2=\sum_{j=1}^{d^q}Z_j^2,\ \mathbb E Z_j^2=1,\ "
            r"\mathrm{Var}\,Z_j^2=3^q-1;\ \text{(23) asks for independent terms}"
        ),
    ),
    uses=(norms_are_products_of_independent_chi_variables, product_is_a_sum_of_squares),
    severity="material",
    repair=exact_mean_and_second_moment,
    probes=({**_one_token, d: Integer(2)},),
    printed=(
        r"\mathbb{P}\left(\left|\frac{1}{d^q} \sum_{j=1}^{d^q} (Z_j^2 - 1)\right| \geq u\right) \leq "
        r"2 \exp\left[-C' d^q \min(u^2, u^{1/q})\right]"
    ),
    note=(
        r"Read in the first two moments of the sum: those of $d^q$ independent terms of mean 1 and variance "
        r"$3^q-1$. The terms are products of $qd$ variables only. The bound that comes out is false as well "
        "(`naitsaada2025.lemma-A.2.tail`)."
    ),
)
