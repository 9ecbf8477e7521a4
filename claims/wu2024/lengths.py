r"""Lengths and distances of unit tokens: what cosines say of mu, and what LayerNorm undoes.

App. C.1 and D: the lines on Conv(X^{(t)}) and on D_ii^{(t)}, and the step from cosines to mu.  A
convex combination of the tokens is a row of A X, for the complete mask any of them.  Every layer
sees unit tokens, so that one layer stands for all.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Rational, Symbol, eye, oo, sqrt

from claims.definitions import frobenius_square
from claims.domain import Array, Choice, Condition, Domain, Point, Real, Size
from claims.expressions import explicit
from claims.masks import causal, complete, sliding_window, star
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.statement import Compare, Exists, ForAll, Formula, Quantity
from claims.terms import family
from claims.wu2024.notation import WV, A, C, G, N, X, d, mu_squared, source
from claims.wu2024.setup import Attention, size_of_mask
from claims.wu2024.unit_tokens import AcuteRows, Orthogonal, UnitRows

i, j = (Symbol(name, integer=True, positive=True) for name in "ij")
rho = Symbol("rho", nonnegative=True)

UNIT = Hypothesis(r"\|X_{i,:}^{(t)}\|_2=1\ \forall i")
ACUTE = Hypothesis(r"\phi^{(t)}\ge0")
ACUTE_AT_FIRST = Hypothesis(r"\phi^{(0)}\ge0")
SELF_LOOPS = Hypothesis(r"\text{A1: } (i,i)\in E\ \forall i")
STRONG = Hypothesis(r"\mathcal G\ \text{strongly connected}")
CENTRED = Hypothesis(r"\mathcal G\ \text{quasi-strongly connected}")
FLOOR = Hypothesis(r"A_{ij}^{(t)}\ge\epsilon\ \text{for }(j,i)\in E,\quad N\epsilon<1")
ANY_FLOOR = Understood(
    r"$\epsilon$ is any floor of the attention, as in the display that the step before uses",
    r"for $\epsilon=\epsilon_0N^{-1/(2r)}$, a floor as well where $\epsilon_0$ is one, the display is what is "
    r"true instead at $\epsilon_0$; the theorems, which say that there is some $\epsilon$, need no more",
)
ORTHOGONAL = Hypothesis(r"W^{(t)}\ \text{orthogonal}")


def unit_at_first(instance: str) -> tuple[Understood, ...]:
    """Unit tokens in layer 0, which the paper says in proofs only, and what fails without."""
    reading = (
        "the initial tokens have unit norm, as the proof of Lemma 4 says of all layers; LayerNorm makes "
        "the tokens of all later layers so, and without it only the constants change"
    )
    return (Understood(reading, instance),)


LONG_SCALES = unit_at_first(
    r"tokens $2e_1$ and $2e_2$ under uniform attention and $W=I$ have $D_{11}^{(0)}=1/\sqrt2$"
)
LONG_SPREAD = unit_at_first(
    r"$X^{(0)}=3I_2$ on the complete mask with $v=(3,4)/5$: $\mu^2=9$ at $t=0$, and the bound is $200/81$"
)
LONG_ACUTE = unit_at_first(
    r"tokens $2e_1$ and $2e_2$ on the complete mask: $\mu^2=4$ at $t=0$, and the bound is below $8/3$"
)
LONG_COSINES = unit_at_first(
    r"tokens $(2,0)$ and $(2,1)$ have $1-\phi^{(0)}=-3$, and no gap of a later layer is negative"
)


def unnormalised(tokens: Any, layer: Any, value: Any) -> ImmutableDenseMatrix:
    """A X W: one layer before LayerNorm."""
    return layer * tokens * value


def every_token(body: Any) -> ForAll:
    return ForAll(i, 1, N, body)


# Distances and cosines ----------------------------------------------------------------------------

phi = Quantity(r"\phi^{(t)}", lambda at: min(at[X] * at[X].T))
spread = Quantity(r"\mu(X^{(t)})", lambda at: sqrt(explicit(mu_squared(), at)))
cosine = family(
    r"\langle X_{{{},:}}^{{(t)}},X_{{{},:}}^{{(t)}}\rangle",
    lambda at, one, other: (at[X].row(one - 1) * at[X].row(other - 1).T)[0],
)
half_distance = family(
    r"\|X_{{{},:}}^{{(t)}}-X_{{{},:}}^{{(t)}}\|_2^2/2",
    lambda at, one, other: frobenius_square(at[X].row(one - 1) - at[X].row(other - 1)) / 2,
)
_sizes = (Size(N, 1, 4), Size(d, 1, 3))
_gaps = every_token(
    ForAll(
        j, 1, N,
        Compare(1 - phi, ">=", 1 - cosine(i, j))
        & Compare(1 - cosine(i, j), ">=", half_distance(i, j)),
    )
)  # fmt: skip

distance_is_bounded_by_the_cosine_gap = Claim(
    id="wu2024.eq-23-26.distance-cosine",
    source=source("App. C.1.1 and D", "text after (26), (27)"),
    kind="bound",
    title="Half the squared distance of two unit tokens is at most their cosine gap, that at most the largest.",
    statement=_gaps,
    printed=(
        r"1-\phi^{(t)}\geq1-\langle X_{i,:}^{(t)},X_{j,:}^{(t)}\rangle"
        r"\geq\|X_{i,:}^{(t)}-X_{j,:}^{(t)}\|_2^2/2"
    ),
    domain=Domain((*_sizes, UnitRows(X))),
    hypotheses=(UNIT,),
    mutants=(Mutant("any norms", _gaps, domain=Domain((*_sizes, Array(X)))),),
    understood=unit_at_first(
        "tokens $2e_1$ and $2e_2$ in layer 0: their cosine gap is 1, half their squared distance 4"
    ),
    note="The second printed inequality is an equality.",
)


def _least(product: Any) -> Formula:
    """phi is the least of the products of all pairs: none is less, and one is it."""
    below = every_token(ForAll(j, 1, N, Compare(phi, "<=", product)))
    return below & Exists(i, 1, N, Exists(j, 1, N, Compare(phi, "=", product)))


least_cosine_is_over_pairs = Claim(
    id="wu2024.phi-as-minimum.repair",
    parent="wu2024.phi-as-minimum",
    source=source("App. C.1.1 and D", "main display, first equality"),
    kind="identity",
    title=r"The least cosine is the least of $\langle X_i,X_j\rangle$.",
    statement=_least(cosine(i, j)),
    domain=Domain((*_sizes, UnitRows(X))),
    hypotheses=(UNIT,),
    note=r"As $\phi$ is defined before Corollary 1, and $\alpha$ in App. C.1.1.",
)
own_least = Quantity(
    r"\min_{i,j\in[N]}\langle X_{i,:}^{(t)},X_{i,:}^{(t)}\rangle",
    lambda at: min(frobenius_square(at[X].row(k)) for k in range(at[X].rows)),
)
least_cosine_of_a_token_with_itself = Claim(
    id="wu2024.phi-as-minimum",
    source=source("App. C.1.1 and D", "main display, first equality"),
    kind="identity",
    title=r"The least cosine is said to be the least of $\langle X_i,X_i\rangle$.",
    statement=phi.equals(own_least),
    printed=(
        r"\phi^{(t+r)} = \min_{i,j \in [N]} \langle X_{i,:}^{(t+r)}, X_{i,:}^{(t+r)} \rangle = "
        r"\langle X_{i^{(t+r)},:}^{(t+r)}, X_{j^{(t+r)},:}^{(t+r)} \rangle"
    ),
    domain=Domain((*_sizes, AcuteRows(X))),
    hypotheses=(UNIT, ACUTE),
    severity="misprint",
    repair=least_cosine_is_over_pairs,
    note=(
        "The printed minimum is one for all unit tokens. The second index must be $j$, as in the "
        "expression that follows it."
    ),
)

_orthonormal = {N: 3, d: 3, X: ImmutableDenseMatrix(eye(3)), rho: Rational(1, 4), C: 4}
spread_is_bounded_by_the_cosine_rate = Claim(
    id="wu2024.eq-26.mu-constant.step",
    source=source("App. C.1.1 and D", "last display"),
    kind="bound",
    title=r"If the cosine gap is at most $C\rho$, then $\mu$ is at most $\sqrt{CN\rho}$.",
    statement=Compare(1 - phi, "<=", C * rho).implies(
        Compare(spread, "<=", sqrt(C * N) * sqrt(rho))
    ),
    domain=Domain((*_sizes, Real(C, 0, oo), Real(rho, 0, 1), UnitRows(X))),
    hypotheses=(UNIT, Hypothesis(r"\rho=(1-N\epsilon^{2r})^{t/r}")),
    uses=(distance_is_bounded_by_the_cosine_gap,),
    probes=(_orthonormal,),
    understood=unit_at_first(
        r"tokens $2e_1$ and $2e_2$ in layer 0 with $C=\rho=1$: $\mu=2$, and the bound is $\sqrt2$"
    ),
    printed=(
        r"\mu(X^{(t)}) = \|X^{(t)} - \mathbf{1}\mathbf{1}^\top X^{(t)}/N\|_F = \sqrt{\sum_{i=1}^N "
        r"\|X_{i,:}^{(t)} - \mathbf{1}^\top X^{(t)}/N\|_2^2} = \sqrt{\frac{1}{2N} \sum_{i=1}^N "
        r"\sum_{j=1}^N \|X_{i,:}^{(t)} - X_{j,:}^{(t)}\|_2^2} \leq C'(1 - "
        r"N\epsilon^{2r})^{\frac{t}{2r}}, \text{ where } C' = \sqrt{CN}"
    ),
    note=(
        r"The best constant is $\sqrt{C(N-1)}$. The middle equality, by pairs of tokens, is "
        "`wu2024.thm-1.proof-mu-pairwise.repair`."
    ),
)

# What LayerNorm undoes -----------------------------------------------------------------------------

MASKS = (complete(2), causal(2), sliding_window(3), star(3), complete(3))
_layer = (Choice(G, MASKS), size_of_mask, Size(d, 1, 3), Attention(A))


def squared_norm_before_layernorm(point: Point, token: int) -> Expr:
    """||(A X W)_i||^2, which LayerNorm divides by: D_ii^{-2}."""
    return frobenius_square(unnormalised(point[X], point[A], point[WV]).row(token - 1))


before_layernorm = family(
    r"\|(A^{{(t)}}X^{{(t)}}W^{{(t)}})_{{{},:}}\|_2^2", squared_norm_before_layernorm
)
scale = family(
    r"D_{{{}}}^{{(t)}}", lambda at, token: 1 / sqrt(squared_norm_before_layernorm(at, token))
)
_not_zero = Condition(
    r"(A^{(t)}X^{(t)}W^{(t)})_{i,:}\ne0\ \forall i",
    lambda at: all(squared_norm_before_layernorm(at, n) != 0 for n in range(1, at[X].rows + 1)),
    every_token(Compare(before_layernorm(i), ">", 0)),
)


def one_layer(*tokens_and_value: Any) -> Domain:
    return Domain((*_layer, *tokens_and_value), (_not_zero,))


_PRINTED_HULL = r"x\in\mathrm{Conv}(X^{(t)}):\ (W^{(t)})^\top x\in\mathbb S^{d-1}"

convex_combinations_stay_in_the_ball = Claim(
    id="wu2024.lemma-5.hull-on-sphere.repair",
    parent="wu2024.lemma-5.hull-on-sphere",
    source=source("App. C.1 and D", "proof of Lemma 5, first line"),
    kind="identity",
    title="Rotated convex combinations of unit tokens lie in the unit ball.",
    statement=every_token(Compare(before_layernorm(i), "<=", 1)),
    domain=Domain((*_layer, UnitRows(X), Orthogonal(WV))),
    hypotheses=(UNIT, ORTHOGONAL),
    understood=unit_at_first("$(2,0)$ is in the hull of the tokens $2e_1$ and $2e_2$ of layer 0"),
    note=r"Inside the hull of different tokens the norm is below one; at most one is what $D\ge1$ needs.",
)

convex_combinations_stay_on_the_sphere = Claim(
    id="wu2024.lemma-5.hull-on-sphere",
    source=source("App. C.1 and D", "proof of Lemma 5, first line"),
    kind="identity",
    title="Rotated convex combinations of unit tokens lie on the unit sphere.",
    statement=every_token(Compare(before_layernorm(i), "=", 1)),
    printed=_PRINTED_HULL,
    domain=Domain((*_layer, AcuteRows(X), Orthogonal(WV))),
    hypotheses=(UNIT, ACUTE, ORTHOGONAL),
    severity="misprint",
    repair=convex_combinations_stay_in_the_ball,
    note="The mean of two different unit vectors is shorter than one: the sphere is not convex.",
)

_at_least_one = every_token(Compare(scale(i), ">=", 1))
layernorm_never_shrinks_a_token = Claim(
    id="wu2024.cor-1.D-geq-1",
    source=source("App. D", "first line"),
    kind="bound",
    title="Attention and an orthogonal value matrix never lengthen unit tokens, so $D$ is at least one.",
    statement=_at_least_one,
    printed=r"D_{i,i}^{(t)}\geq1,\ \text{for all } i\in[N],t\geq0",
    domain=one_layer(UnitRows(X), Orthogonal(WV)),
    hypotheses=(UNIT, ORTHOGONAL, Hypothesis(_not_zero.latex)),
    uses=(convex_combinations_stay_on_the_sphere,),
    mutants=(
        Mutant("any value matrix", _at_least_one, domain=one_layer(UnitRows(X), Array(WV))),
        Mutant("any norms", _at_least_one, domain=one_layer(Array(X), Orthogonal(WV))),
    ),
    understood=LONG_SCALES,
    note="The bound holds although its printed reason, that convex combinations stay on the sphere, fails.",
)
