r"""Largest singular values of Gaussian products, with and without attention (Thms A.4, A.5, Sec. A.2).

Widths are $d=T/\gamma$ with $\gamma^{-1}$ an integer.  Exact means are those of exponential variables Z
(Dirichlet(1, ..., 1) rows, $\sigma_A=1$) and standard Gaussian weights; $X_0X_0^\top=I$.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, Sum, Symbol, cbrt, log, oo, sqrt

from claims.domain import Choice, Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.notation import T, depth, ell, p, q, source
from claims.naitsaada2025.products import (
    GAMMA,
    MARKOV,
    SEVERAL,
    WEIGHTS,
    a,
    bound,
    first_size,
    growth,
    largest_singular_value_with_weights,
    mean_square_along_ones,
    mean_square_of_rest,
    size,
    whole_with_weights,
)
from claims.statement import And, Compare, ForAll, Quantity, measured_family
from claims.terms import family

MODEL = Hypothesis(
    r"X_\ell=A_\ell\cdots A_1X_0W_1\cdots W_\ell\ \text{as in (11)},\ X_0X_0^\top=I,\ d=T/\gamma,\ "
    r"Z\ \text{exponential}"
)
ratio = (T - 1) / (T * (T + 1))
width = growth * T
_k = Symbol("k", integer=True)
ALONG = Sum(ratio**_k, (_k, 0, ell))


def of_weights(tokens: int, count: int, at: Point) -> Expr:
    """What so many independent d x d Gaussian factors multiply squared lengths by, in mean."""
    wide, length = Integer(int(at[growth]) * tokens), Integer(1)
    for _ in range(count):  # E W S W^T = tr(S) I, and the trace of e e^T is one
        length = wide * length
    return length


def along(tokens: int, factors: int, weights: int, at: Point) -> Expr:
    """E |phi^T A...A W...W|^2."""
    one = Integer(1)
    return of_weights(tokens, weights, at) * (1 + mean_square_along_ones(tokens, factors, one))


def rests(tokens: int, factors: int, weights: int, at: Point) -> Expr:
    """E |A^perp...A^perp W...W|_F^2."""
    return of_weights(tokens, weights, at) * mean_square_of_rest(tokens, factors, Integer(1))


mean_row = Quantity(
    r"\mathbb E\|\varphi^\top X_\ell\|^2",
    lambda at: along(int(at[T]), int(at[ell]), int(at[ell]), at),
)
other_part = Quantity(
    r"\mathbb E\|A_\ell^\perp\cdots A_1^\perp X_0W_1\cdots W_\ell\|_F^2",
    lambda at: rests(int(at[T]), int(at[ell]), int(at[ell]), at),
)


def whole(at: Point) -> Expr:
    """E |X_l|_F^2: the rows that all tokens share, T times, and what the last factors leave."""
    tokens, layers = int(at[T]), int(at[ell])
    before = 1 + mean_square_along_ones(tokens, layers - 1, Integer(1))
    left = mean_square_of_rest(tokens, layers, Integer(1))
    return of_weights(tokens, layers, at) * (before + left)


all_tokens = Quantity(r"\mathbb E\|X_\ell\|_F^2", whole)
_growth = Size(growth, 1, 2)
layers_of_the_model = Domain((Size(T, 2, 4), Size(ell, 1, 3), _growth))

# Scales of the signal ------------------------------------------------------------------------------

signal_grows_with_the_width = Claim(
    id="naitsaada2025.proof-3.4.s1-scale.repair",
    parent="naitsaada2025.proof-3.4.s1-scale",
    source=source("App. A.2, proof of Prop. 3.4"),
    kind="rate",
    title=r"$s_1(X_\ell)$ is of order $d^{\ell/2}$.",
    statement=mean_row.equals(width**ell * ALONG)
    & Compare(mean_row, ">=", width**ell)
    & Compare(all_tokens, "<=", (ell + 1) * width**ell),
    domain=layers_of_the_model,
    hypotheses=(MODEL,),
    note=(
        r"$\|\varphi^\top X_\ell\|\le s_1(X_\ell)\le\|X_\ell\|_F$: $\mathbb E s_1^2(X_\ell)$ lies between $d^\ell$ "
        r"and $(\ell+1)d^\ell$. This is Theorem A.4 with $p=q=\ell$."
    ),
)

signal_scale_as_printed = Claim(
    id="naitsaada2025.proof-3.4.s1-scale",
    source=source("App. A.2, proof of Prop. 3.4"),
    kind="rate",
    title=r"$s_1(X_\ell)$ is of order $T^\ell$: $T^{-\ell}s_1(X_\ell)$ is near one.",
    statement=Compare(all_tokens, ">=", T ** (2 * ell) / 8),
    domain=Domain((Size(T, 40, 44), Size(ell, 1, 3), _growth)),
    hypotheses=(
        MODEL,
        Hypothesis(
            r"T^{-\ell}s_1(X_\ell)>1-t=\tfrac12\ \text{with probability at least}\ \tfrac12\ \text{for}\ "
            r"T\ge T_1,\ \text{and}\ s_1\le\|X_\ell\|_F"
        ),
    ),
    left_open=(T,),
    severity="material",
    repair=signal_grows_with_the_width,
    printed=r"T^{-\ell} s_1(\mathbf{X}_\ell) \in (1-t, 1+t)",
    note=(
        r"Theorem A.4 has $d^{\ell/2}$, not $T^\ell$. $T^{-2\ell}\,\mathbb E\|X_\ell\|_F^2\le(\ell+1)(\gamma T)^{-\ell}$ "
        r"tends to zero, here at every $T\ge40$; the other half, $s_2(X_\ell)\le K$, agrees with Theorem A.5."
    ),
)

row_at = family(
    r"\mathbb E\|\varphi^\top X_\ell\|^2_{{T={}}}",
    lambda at, tokens: along(tokens, int(at[ell]), int(at[ell]), at),
)

scales_of_the_signal = Claim(
    id="naitsaada2025.rem-3.5.scales.repair",
    parent="naitsaada2025.rem-3.5.scales",
    source=source("Sec. 3.1", "Remark 3.5"),
    kind="rate",
    title=r"$s_1(X_\ell)$ grows like $d^{\ell/2}$ while the bulk stays of order one.",
    statement=Compare(mean_row, ">=", width**ell)
    & other_part.equals(T * (width * ratio) ** ell)
    & Compare(other_part, "<=", T * growth**ell),
    domain=layers_of_the_model,
    hypotheses=(MODEL,),
    note=(
        r"The $T$ squared singular values of $A_\ell^\perp\cdots A_1^\perp X_0W_1\cdots W_\ell$, of which $X_\ell$ is "
        r"a rank-one change, have a mean of at most $\gamma^{-\ell}$. So $s_2/s_1$ shrinks like "
        r"$T^{-\ell/2}$, and $\mathrm{sr}(\Sigma_\ell)-1$ like $T\cdot T^{-2\ell}$."
    ),
)

scales_of_the_signal_as_printed = Claim(
    id="naitsaada2025.rem-3.5.scales",
    source=source("Sec. 3.1", "Remark 3.5"),
    kind="rate",
    title=r"$s_1(X_\ell)$ stays of order one, whatever the layer.",
    statement=ForAll(size, first_size, oo, Compare(row_at(size), "<=", bound)),
    domain=Domain(
        (Size(ell, 1, 3), _growth, Real(bound, 0, open_low=True), Size(first_size, 2, 4))
    ),
    hypotheses=(
        MODEL,
        Hypothesis(r"\|\varphi^\top X_\ell\|\le s_1(X_\ell);\ C,T_0\ \text{any constants}"),
    ),
    left_open=(bound, first_size),
    severity="material",
    repair=scales_of_the_signal,
    printed=r"s_1(\mathbf{X}_\ell) = O(1)",
    note=(
        r"With $\mathcal N(0,1)$ weights $\mathbb E\|\varphi^\top X_\ell\|^2\ge d^\ell$. Nor does $s_2(X_\ell)$ "
        r"shrink like $T^{-\ell}$: Theorem A.5 says $O(1)$. Both scales and their quotient are wrong, "
        r"$T^{-\ell/2}$ for $T^{-\ell}$."
    ),
)

# Factors of the gradient ---------------------------------------------------------------------------

first_factor = Quantity(
    r"\mathbb E\|\varphi^\top P_1\|^2",
    lambda at: along(int(at[T]), int(at[depth]), int(at[ell]) - 1, at),
)
second_factor = Quantity(
    r"\mathbb E\,\tfrac1d\|P_2\|_F^2",
    lambda at: of_weights(int(at[T]), int(at[depth]) - int(at[ell]), at),
)
_inside = Condition(r"\ell\le L", lambda at: at[ell] <= at[depth], Compare(ell, "<=", depth))
_strictly = Condition(r"\ell<L", lambda at: at[ell] < at[depth], Compare(ell, "<", depth))
_gradients = (Size(T, 2, 3), Size(ell, 1, 3), Size(depth, 1, 4))
GRADIENT = Hypothesis(
    r"P_1=A_L\cdots A_1X_0W_1\cdots W_{\ell-1},\ P_2=W_{\ell+1}\cdots W_L,\ d=T/\gamma,\ Z\ \text{exponential}"
)

scale_of_the_first_factor = Claim(
    id="naitsaada2025.proof-3.6.P1.repair",
    parent="naitsaada2025.proof-3.6.P1",
    source=source("App. A.2, proof of Prop. 3.6"),
    kind="rate",
    title=r"$s_1(P_1)$ is of order $d^{(\ell-1)/2}$.",
    statement=first_factor.equals(width ** (ell - 1) * Sum(ratio**_k, (_k, 0, depth)))
    & Compare(first_factor, ">=", width ** (ell - 1)),
    domain=Domain((*_gradients, _growth), (_inside,)),
    hypotheses=(GRADIENT,),
    note=(
        r"$s_1(P_1)\ge\|\varphi^\top P_1\|$, and Theorem A.4 gives $d^{(\ell-1)/2}(1+o(1))$: "
        r"$T^{\ell-1}=\gamma^{\ell-1}d^{\ell-1}$ is the same for $\gamma=1$ or $\ell=1$ only."
    ),
)

scale_of_the_first_factor_as_printed = Claim(
    id="naitsaada2025.proof-3.6.P1",
    source=source("App. A.2, proof of Prop. 3.6"),
    kind="rate",
    title=r"$s_1(P_1)$ concentrates around $T^{(\ell-1)/2}$.",
    statement=Compare(first_factor, "<=", T ** (ell - 1) * Rational(3, 2)),
    domain=Domain((*_gradients, Size(growth, 1, 4)), (_inside,)),
    hypotheses=(
        GRADIENT,
        Hypothesis(r"\gamma\le1;\ (1+t)^2\le\tfrac32,\ \text{in mean square, and}\ \|\varphi^\top P_1\|\le s_1(P_1)"),
    ),
    severity="misprint",
    repair=scale_of_the_first_factor,
    printed=r"s_1^2(\mathbf{P}_1) \in (T^{\ell-1}(1-t)^2, T^{\ell-1}(1+t)^2)",
    note=(
        r"The factor $\gamma^{-(\ell-1)}$ is missing: the quotient of the two sides is $\gamma^{-(\ell-1)}$ at every "
        r"$T$. Proposition 3.6's bound from below survives, since $\gamma\le1$."
    ),
)  # fmt: skip

scaled_edge = measured_family(r"\mathbb E\,d^{{-k}}s_1^2(W_1\cdots W_k)_{{k={},\,d={}}}")


def edge_of(count: Any) -> Expr:
    """(k + 1)^(k + 1)/k^k."""
    return (count + 1) ** (count + 1) / count**count


edge_of_gaussian_products = Claim(
    id="naitsaada2025.proof-3.6.P2-edge.repair",
    parent="naitsaada2025.proof-3.6.P2-edge",
    source=source("App. A.2, proof of Prop. 3.6"),
    kind="limit",
    title=r"$s_1^2$ of a product of $k$ Gaussian matrices is $d^k(k+1)^{k+1}/k^k$ up to $1+o(1)$.",
    statement=And(
        tuple(
            Compare(scaled_edge(Integer(k), d), "<", edge_of(Integer(k)))
            & Compare(scaled_edge(Integer(k), d), ">", edge_of(Integer(k)) * (1 - Rational(low, 20)))
            for k in (1, 2)
            for d, low in ((24, 6), (48, 4), (96, 3))
        )
    ),
    domain=Domain((Choice(growth, (Integer(1),)),)),
    hypotheses=(Hypothesis(r"W_1,\dots,W_k\in\mathbb R^{d\times d}\ \text{independent standard Gaussian}"),),
    note=r"With $d$, not $T$; here in mean, approached from below as $d$ grows.",
)  # fmt: skip

edge_of_gaussian_products_as_printed = Claim(
    id="naitsaada2025.proof-3.6.P2-edge",
    source=source("App. A.2, proof of Prop. 3.6"),
    kind="limit",
    title=r"$s_1^2(P_2)$ is $T^{L-\ell}(L-\ell+1)^{L-\ell+1}/(L-\ell)^{L-\ell}$ up to $1+o(1)$.",
    statement=Compare(
        second_factor, "<=",
        Rational(3, 2) * T ** (depth - ell) * (depth - ell + 1) ** (depth - ell + 1) / (depth - ell) ** (depth - ell),
    ),
    domain=Domain((*_gradients, Size(growth, 1, 8)), (_strictly,)),
    hypotheses=(
        GRADIENT,
        Hypothesis(r"\gamma\le1;\ 1+o(1)\le\tfrac32,\ \text{in mean, and}\ \tfrac1d\|P_2\|_F^2\le s_1^2(P_2)"),
    ),
    severity="misprint",
    repair=edge_of_gaussian_products,
    printed=(
        r"s_1^2(\mathbf{P}_2) = T^{L-\ell} \frac{(L-\ell+1)^{L-\ell+1}}{(L-\ell)^{L-\ell}} (1+o(1))"
    ),
    note=(
        r"The matrices are $d\times d$: the scale is $d^{L-\ell}=\gamma^{-(L-\ell)}T^{L-\ell}$, and the two sides "
        r"have one quotient at every $T$. Right for $\gamma=1$; Proposition 3.6's bound from below survives."
    ),
)  # fmt: skip

# Edges of the factors ------------------------------------------------------------------------------

scaled_norm = measured_family(r"\mathbb E\,d^{{-1/2}}s_1(W)_{{d={},\,\gamma^{{-1}}={}}}")


def _edge_within(wide: int, times: int) -> Any:
    """Below the edge 1 + sqrt(gamma), and nearer to it than its share d^(-2/3)."""
    edge = 1 + 1 / sqrt(times)
    mean = scaled_norm(wide, times)
    return Compare(mean, "<", edge) & Compare(mean, ">", edge * (1 - 1 / cbrt(wide) ** 2))


largest_singular_values_of_gaussian_matrices = Claim(
    id="naitsaada2025.thm-A.4.geman",
    source=source("App. A.3, proof of Theorem A.4", "before and in Eq. (29)"),
    kind="limit",
    title=r"$d^{-1/2}s_1$ tends to $1+\sqrt\gamma$ for a $T\times d$, to $2$ for a $d\times d$ Gaussian matrix.",
    statement=And(tuple(_edge_within(wide, times) for times in (1, 4) for wide in (24, 48, 96))),
    domain=Domain((Choice(growth, (Integer(1),)),)),
    hypotheses=(
        Hypothesis(r"W\in\mathbb R^{T\times d}\ \text{standard Gaussian},\ T=\gamma d;\ \gamma=1\ \text{for}\ i\ge2"),
        Hypothesis(
            r"\text{read in mean: below the limit, and within its share}\ d^{-2/3}\ \text{(the order of the "
            r"fluctuations at the edge)}"
        ),
    ),
    printed=(
        r"s_1\left(\frac{1}{\sqrt{d}}\mathbf{W}_i\right) \xrightarrow{a.s.} \begin{cases} 1 + "
        r"\sqrt{\gamma}, & i = 1, \\ 2, & i \geq 2. \end{cases}"
    ),
    note=r"(29) follows by submultiplicativity, since $1+\sqrt\gamma\le2$.",
)  # fmt: skip

scaled_product = measured_family(r"\mathbb E\,\Pi_{{\ell={},\,\gamma^{{-1}}={},\,T={}}}")
EDGES = Hypothesis(
    r"\Pi=s_1^2(A_\ell^\perp)\cdots s_1^2(A_1^\perp)\,s_1^2(X_0W_1)\,s_1^2(W_2)\cdots s_1^2(W_\ell),\ "
    r"\sigma_A=\sigma_W=1"
)


def printed_edges(layers: Any, times: Any) -> Expr:
    """(2 sigma_A)^(2l) 2^(2(l-1)) (1 + gamma^(-1/2))^2 for unit variances."""
    return 2 ** (2 * layers) * 2 ** (2 * (layers - 1)) * (1 + sqrt(times)) ** 2


def product_of_edges(layers: Any, times: Any) -> Expr:
    """The same with d/T once for every layer but the first."""
    return printed_edges(layers, times) * times ** (layers - 1)


product_of_largest_singular_values = Claim(
    id="naitsaada2025.proof-3.7.denominator.repair",
    parent="naitsaada2025.proof-3.7.denominator",
    source=source("App. A.2, proof of Prop. 3.7"),
    kind="limit",
    title=r"The product of the squared edges has a factor $\gamma^{-1}$ more for every layer but the first.",
    statement=And(
        tuple(
            Compare(scaled_product(layers, times, tokens), "<", product_of_edges(Integer(layers), Integer(times)))
            & Compare(
                scaled_product(layers, times, tokens), ">",
                product_of_edges(Integer(layers), Integer(times)) * Rational(least, 20),
            )
            for layers, times, shares in ((1, 4, (10, 14)), (2, 1, (8, 12)), (2, 4, (10, 13)))
            for tokens, least in zip((24, 48), shares, strict=True)
        )
    ),
    domain=Domain((Choice(growth, (Integer(4),)),)),
    hypotheses=(MODEL, EDGES),
    note=(
        r"$s_1^2(A^\perp)\sim4\sigma_A^2/T$, $s_1^2(X_0W_1)\sim\sigma_W^2d(1+\sqrt\gamma)^2$ and "
        r"$s_1^2(W_k)\sim4\sigma_W^2d$: the limit is $4^{2\ell-1}\gamma^{-\ell}(1+\sqrt\gamma)^2$ times the "
        r"variances, approached from below. For $\ell=1$ the print is right."
    ),
)  # fmt: skip

mean_squares = Quantity(
    r"\mathbb E\prod_k\frac{\|A_k^\perp\|_F^2}{T-1}\,\frac{\|X_0W_1\|_F^2}T"
    r"\prod_{k\ge2}\frac{\|W_k\|_F^2}d",
    lambda at: (
        (mean_square_of_rest(int(at[T]), 1, Integer(1)) / (at[T] - 1)) ** at[ell]
        * of_weights(int(at[T]), int(at[ell]), at)
    ),
)

product_of_largest_singular_values_as_printed = Claim(
    id="naitsaada2025.proof-3.7.denominator",
    source=source("App. A.2, proof of Prop. 3.7"),
    kind="limit",
    title=r"The product of the squared edges, with one factor $\gamma^{-1}$ whatever the depth.",
    statement=Compare(mean_squares, "<=", Rational(3, 2) * printed_edges(ell, growth)),
    domain=Domain((Size(T, 2, 4), Size(ell, 1, 3), Choice(growth, tuple(map(Integer, (1, 4, 400)))))),
    hypotheses=(
        MODEL,
        EDGES,
        Hypothesis(
            r"\text{each mean square of singular values is at most}\ s_1^2,\ \text{and}\ \mathbb E\,\Pi"
            r"\le\tfrac32\ \text{of the limit}"
        ),
    ),
    severity="material",
    repair=product_of_largest_singular_values,
    printed=(
        r"s_1^2(\mathbf{A}_\ell^\perp) \dots s_1^2(\mathbf{A}_1^\perp) s_1^2(\mathbf{X}_0 \mathbf{W}_1^V) "
        r"\dots s_1^2(\mathbf{W}_\ell^V) \rightarrow (2\sigma_A)^{2\ell} \sigma_W^{2\ell} 2^{2(\ell-1)} (1 + "
        r"\gamma^{-1/2})^2"
    ),
    note=(
        r"$\gamma^{-(\ell-1)}$ is missing for $\ell\ge2$. The left side is $(\gamma^{-1}T/(T+1))^\ell$ and already "
        r"beyond the printed limit for $\gamma=1/400$, at every $T$."
    ),
)  # fmt: skip

# Stable ranks --------------------------------------------------------------------------------------

scaled_rank = measured_family(r"\mathbb E\,\tfrac1T\mathrm{{sr}}(\Sigma_1^\perp)_{{T={}}}")
share_above = measured_family(r"\mathbb E\,P_{{T={},\,c={}}}")
_ONE_LAYER = Hypothesis(
    r"\ell=1,\ \gamma=\sigma_A=\sigma_W=1,\ P_T=\tfrac1T\#\{i:s_i^2(X_1^\perp)>c\}\to P"
)
_SQUARE = Domain((Choice(growth, (Integer(1),)),))

stable_rank_without_the_gap = Claim(
    id="naitsaada2025.proof-3.7.final-bound.repair",
    parent="naitsaada2025.proof-3.7.final-bound",
    source=source("App. A.2, proof of Prop. 3.7", "last display"),
    kind="bound",
    title=r"$\mathrm{sr}(\Sigma^\perp)/T$ is at least $c^2P$ over the squared product of edges.",
    statement=And(
        tuple(
            Compare(scaled_rank(tokens), ">", level**2 * share_above(tokens, level) / printed_edges(Integer(1), 1) ** 2)
            for tokens in (64, 128)
            for level in (1, 2, 4)
        )
    )
    & Compare(scaled_rank(128), ">", 0),
    domain=_SQUARE,
    hypotheses=(MODEL, _ONE_LAYER),
    note=(
        r"In general $c^2P/\Pi^2$ with $\Pi=\gamma^{-(\ell-1)}(4\sigma_A\sigma_W)^{2\ell}(1+\gamma^{-1/2})^2/4$. It is far "
        r"from sharp: at $\ell=\gamma=1$ the limit is $3/(27/4)^2=16/243$. Positivity, which is what "
        "Proposition 3.7 needs, survives."
    ),
)  # fmt: skip

stable_rank_without_the_gap_as_printed = Claim(
    id="naitsaada2025.proof-3.7.final-bound",
    source=source("App. A.2, proof of Prop. 3.7", "last display"),
    kind="bound",
    title=r"$\mathrm{sr}(\Sigma^\perp)/T$ is at least $cP$ over $(\sigma_A\sigma_W)^{2\ell}4^{\ell-1}(1+\gamma^{-1/2})^2$.",
    statement=And(
        tuple(Compare(scaled_rank(128), ">=", level * share_above(128, level) / 4) for level in (1, 2, 3))
    ),
    domain=_SQUARE,
    hypotheses=(MODEL, _ONE_LAYER, Hypothesis(r"T=128,\ c=1,2,3<\tfrac{27}4,\ \text{the edge}")),
    uses=(product_of_largest_singular_values_as_printed,),
    severity="material",
    repair=stable_rank_without_the_gap,
    printed=(
        r"\lim_{T \rightarrow \infty} \frac{\text{sr}(\Sigma_\ell^\perp)}{T} \geq \frac{cP}{(\sigma_A "
        r"\sigma_W)^{2\ell} 4^{\ell-1} (1 + \gamma^{-1/2})^2} > 0"
    ),
    note=(
        r"The $2^{2\ell}$ of $(2\sigma_A)^{2\ell}$ is lost from one line to the next, and squares stand for fourth "
        r"powers since (21). At $\ell=\gamma=1$, $c=2$ the right side is $0.092$, the limit $16/243=0.066$."
    ),
)  # fmt: skip

excess = measured_family(r"\mathbb E(\mathrm{{sr}}(\Sigma_{{{}}})-1)_{{T={}}}")
level = Symbol("K", integer=True, positive=True)

stable_rank_with_the_gap = Claim(
    id="naitsaada2025.proof-3.4.final-bound.repair",
    parent="naitsaada2025.proof-3.4.final-bound",
    source=source("App. A.2, proof of Prop. 3.4"),
    kind="rate",
    title=r"$\mathrm{sr}(\Sigma_\ell)-1$ is of order $T^{1-2\ell}$.",
    statement=And(
        tuple(
            Compare(excess(layers, tokens), ">", layers * Integer(tokens) ** (1 - 2 * layers))
            & Compare(excess(layers, tokens), "<", 6 * layers * Integer(tokens) ** (1 - 2 * layers))
            for layers in (1, 2)
            for tokens in (32, 128)
        )
    ),
    domain=_SQUARE,
    hypotheses=(MODEL, Hypothesis(r"\gamma=1")),
    note=(
        r"$T-1$ values $s_i^4$ of order one over $s_1^4\sim d^{2\ell}$: the bound is "
        r"$1+(T-1)K^4/(d^{2\ell}(1-t)^4)$, and the limit of $T^{2\ell-1}(\mathrm{sr}-1)$ at $\gamma=1$ is the second "
        r"moment $2\ell+1$ of the Fuss-Catalan law."
    ),
)  # fmt: skip

stable_rank_with_the_gap_as_printed = Claim(
    id="naitsaada2025.proof-3.4.final-bound",
    source=source("App. A.2, proof of Prop. 3.4"),
    kind="bound",
    title=r"$\mathrm{sr}(\Sigma_\ell)-1$ is at most of order $T^{1-4\ell}$.",
    statement=And(
        tuple(
            Compare(
                excess(layers, 128), "<=",
                127 * level**4 / (Integer(128) ** (4 * layers) * Rational(1, 2) ** 4),
            )
            for layers in (1, 2)
        )
    ),
    domain=Domain((Choice(level, tuple(map(Integer, (2, 3, 4)))),)),
    hypotheses=(
        MODEL,
        Hypothesis(r"\gamma=1,\ T=128,\ t=\tfrac12,\ s_2(X_\ell)\le K"),
    ),
    uses=(signal_scale_as_printed,),
    left_open=(level,),
    severity="material",
    repair=stable_rank_with_the_gap,
    printed=(
        r"1 \leq \text{sr}(\boldsymbol{\Sigma}_\ell) \leq 1 + \frac{(T-1)K^4}{T^{4\ell}(1-t)^4}"
    ),
    note=(
        r"It rests on $T^{-\ell}s_1(X_\ell)$ near one; with $s_1(X_\ell)\sim d^{\ell/2}$ the exponent is $2\ell$. "
        r"$K$ is not printed: whatever it is, the two sides part like $T^{2\ell}$."
    ),
)  # fmt: skip

# Theorems A.4 and A.5, Remark 3.3 ------------------------------------------------------------------

scaled_second = measured_family(
    r"\mathbb E\,d^{{p-q}}s_2^2(A_p\cdots A_1W_1\cdots W_q)_{{p={},\,q={},\,T={}}}"
)

second_singular_value_with_weights = Claim(
    id="naitsaada2025.thm-A.5",
    source=source("App. A.3", "Theorem A.5, Eq. (31)"),
    kind="rate",
    title=r"$s_2(A_p\cdots A_1W_1\cdots W_q)$ is of order $d^{(q-p)/2}$.",
    statement=And(
        tuple(
            Compare(scaled_second(factors, weights, tokens), "<", edge_of(Integer(factors + weights)))
            for factors, weights in ((1, 1), (2, 1), (1, 2), (2, 2))
            for tokens in (12, 24, 48)
        )
    ),
    domain=_SQUARE,
    hypotheses=(
        MARKOV,
        Hypothesis(r"Z\ \text{exponential},\ W\ \text{standard Gaussian},\ \gamma=1,\ \text{in mean square}"),
        Hypothesis(r"O(1):\ \text{below}\ (k+1)^{k+1}/k^k,\ k=p+q,\ \text{the edge of}\ k\ \text{free factors}"),
    ),
    printed=(
        r"s_2(\mathbf{A}_p \dots \mathbf{A}_1 \mathbf{W}_1 \dots \mathbf{W}_q) = O(d^{\frac{q-p}{2}})"
    ),
    note=(
        r"True, though not by the printed bound $s_1(A^\perp)=O(T^{-p/2})$: $A_p\cdots A_1W$ is a rank-one change of "
        r"$A_p^\perp\cdots A_1^\perp W$ as well, so that $s_2\le\prod_ks_1(A_k^\perp)\,s_1(W)=O(T^{-p/2}d^{q/2})$. "
        r"The ratio $\gamma$ is fixed, as everywhere in the paper."
    ),
)  # fmt: skip

largest_second = measured_family(r"\mathbb E\,Ts_2^2(A)_{{T={}}}")
largest_first = measured_family(r"\mathbb E\,s_1^2(A)_{{T={}}}")
middle = measured_family(r"\mathbb E\,\mathrm{{median}}_is_i(AW)_{{T={}}}")

weights_compensate_attention = Claim(
    id="naitsaada2025.rem-3.3",
    source=source("Sec. 3", "Remark 3.3"),
    kind="rate",
    title=r"Attention shrinks all directions but one by $T^{-1/2}$, which weights of norm $\sqrt d$ undo.",
    statement=And(
        tuple(
            Compare(1, "<", largest_first(tokens))
            & Compare(largest_first(tokens), "<", 1 + Rational(3, tokens))
            & Compare(2, "<", largest_second(tokens))
            & Compare(largest_second(tokens), "<", 5)
            & Compare(Rational(2, 5), "<", middle(tokens))
            & Compare(middle(tokens), "<", Rational(4, 5))
            for tokens in (12, 24, 48)
        )
    ),
    domain=_SQUARE,
    hypotheses=(
        Hypothesis(r"Z\ \text{exponential},\ W\in\mathbb R^{d\times d}\ \text{standard Gaussian},\ \gamma=1"),
        Hypothesis(r"\text{read in mean: orders with constants that hold at every}\ T"),
    ),
    uses=(largest_singular_values_of_gaussian_matrices,),
    printed=r"s_1(\mathbf{A}) = 1 + o(1)",
    note="Orders from above; single singular values are smaller, the least of them by another factor $T$.",
)  # fmt: skip

# Overwhelming probability --------------------------------------------------------------------------

TAIL, ROWS, POWER = 5, 16, 100
"""P(Z > x) = x^-5 for x >= 1: mean 5/4 and a finite fourth moment; rows that may fall on one token;
the exponent asked for."""
log_tail = family(
    r"\log\mathbb P\left(Z_{{11}}>\tfrac52T\right)_{{T={}}}",
    lambda at, tokens: -TAIL * log(Rational(5, 2) * tokens),
)

largest_singular_value_tends_in_mean_square = Claim(
    id="naitsaada2025.thm-A.4.repair",
    parent="naitsaada2025.thm-A.4",
    source=source("App. A.3", "Theorem A.4"),
    kind="limit",
    title=r"$s_1(A_p\cdots A_1W)$ is $\|\varphi^\top W\|$ up to $O(T^{-1/2}d^{q/2})$ in mean square.",
    statement=Compare(whole_with_weights, "<=", width**q * p / (a * T)),
    domain=largest_singular_value_with_weights.domain,
    hypotheses=(MARKOV, GAMMA, SEVERAL, WEIGHTS),
    note=(
        r"$|s_1(AW)-\|\varphi^\top W\||\le s_1(A^\perp W)\le\|A^\perp W\|_F$, and $d^{-q/2}\|\varphi^\top W\|$ is "
        r"concentrated at one. For $p=1$ the limit holds too, by the norm of $A^\perp$. Overwhelming "
        r"probability needs all moments of $Z$ to be finite, as they are here."
    ),
)

largest_singular_value_with_overwhelming_probability = Claim(
    id="naitsaada2025.thm-A.4",
    source=source("App. A.3", "Theorem A.4"),
    kind="limit",
    title=r"$d^{-q/2}s_1(A_p\cdots A_1W_1\cdots W_q)$ is near one but for a probability $O(T^{-A})$, for every $A$.",
    statement=ForAll(
        size,
        first_size,
        oo,
        Compare(ROWS * (log_tail(size) - log(2)) - log(4), "<=", log(bound) - POWER * log(size)),
    ),
    domain=Domain((Real(bound, 0, open_low=True), Size(first_size, 128, 131))),
    hypotheses=(
        Hypothesis(
            r"p=q=1,\ \mathbb P(Z>x)=x^{-5}\ \text{for}\ x\ge1,\ \mathbb E Z=\tfrac54,\ \mathbb E Z^4=5"
        ),
        Hypothesis(
            r"\text{overwhelming (footnote 3): }\forall A\,\exists C_A:\ "
            r"\mathbb P(s_1(AW)\ge2\sqrt d)\le C_AT^{-A};\ \text{here}\ A=100,\ \text{any}\ C,T_0"
        ),
        Hypothesis(
            r"\mathbb P(s_1(AW)\ge2\sqrt d)\ge\tfrac14\left(\tfrac12\mathbb P(Z_{11}>\tfrac52T)\right)^{16}"
        ),
    ),
    left_open=(bound, first_size),
    severity="missing-hypothesis",
    repair=largest_singular_value_tends_in_mean_square,
    printed=(
        r"\left| \frac{s_1(\mathbf{A}_p \dots \mathbf{A}_1 \mathbf{W}_1 \dots \mathbf{W}_q)}{d^{q/2}} - 1 "
        r"\right| < t"
    ),
    note=(
        r"Sixteen rows with $Z_{i1}>\frac52T\ge\sum_{j\ge2}Z_{ij}$ have $A_{i1}\ge\frac12$, hence $s_1(A)\ge2$ and "
        r"$s_1(AW)\ge2\sqrt d$ with probability at least $\frac14$ more. That is a power of $T$: a finite "
        "fourth moment (Definition 3.1) gives convergence, but not faster than every power."
    ),
)
