r"""How large signals and factors of gradients are: exact second moments (Secs. 3.1, A.2).

Widths are $d=T/\gamma$ with $\gamma^{-1}$ an integer.  Exact means are those of exponential variables Z
(Dirichlet(1, ..., 1) rows, $\sigma_A=1$) and standard Gaussian weights; $X_0X_0^\top=I$.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, Sum, Symbol
from sympy import ImmutableDenseMatrix as Matrix

from claims.domain import Choice, Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.notation import REACHED, T, depth, ell, source
from claims.naitsaada2025.products import (
    after_factors,
    bound,
    first_size,
    from_some_size_on,
    growth,
    mean_square_along_ones,
    mean_square_of_rest,
    size,
)
from claims.statement import Compare, Quantity, measured_quantity
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

BETWEEN = Hypothesis(r"\|\varphi^\top X_\ell\|\le s_1(X_\ell)\le\|X_\ell\|_F")

# Scales of the signal ------------------------------------------------------------------------------

signal_grows_with_the_width = Claim(
    id="naitsaada2025.proof-3.4.s1-scale.repair",
    parent="naitsaada2025.proof-3.4.s1-scale",
    source=source("App. A.2, proof of Prop. 3.4"),
    kind="rate",
    title=r"$s_1(X_\ell)$ is of order $d^{\ell/2}$.",
    statement=mean_row.equals(width**ell * ALONG)
    & Compare(mean_row, ">=", width**ell)
    & Compare(all_tokens, "<=", 2 * width**ell),
    domain=layers_of_the_model,
    hypotheses=(MODEL, BETWEEN),
    note=(
        r"$\mathbb E s_1^2(X_\ell)$ "
        r"lies between $d^\ell$ and $2d^\ell$. This is Theorem A.4 with $p=q=\ell$."
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
        BETWEEN,
        Hypothesis(
            r"T^{-\ell}s_1(X_\ell)>1-t=\tfrac12\ \text{with probability at least}\ \tfrac12\ \text{for}\ "
            r"T\ge T_1"
        ),
    ),
    left_open=(T,),
    severity="material",
    repair=signal_grows_with_the_width,
    printed=r"T^{-\ell} s_1(\mathbf{X}_\ell) \in (1-t, 1+t)",
    note=(
        r"Theorem A.4 has $d^{\ell/2}$, not $T^\ell$. $T^{-2\ell}\,\mathbb "
        r"E\|X_\ell\|_F^2\le2(\gamma T)^{-\ell}$ "
        r"tends to zero, here for $\gamma\ge\tfrac12$ at every $T\ge40$; the other half, $s_2(X_\ell)\le K$, "
        "has the order of Theorem A.5, and is called deterministic, which it is not "
        "(`naitsaada2025.proof-3.4.s2-deterministic`)."
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
    title=r"$s_1(X_\ell)$ is of order $d^{\ell/2}$ while the bulk stays of order one.",
    statement=Compare(mean_row, ">=", width**ell)
    & Compare(all_tokens, "<=", 2 * width**ell)
    & other_part.equals(T * (width * ratio) ** ell)
    & Compare(other_part, "<=", T * growth**ell),
    domain=layers_of_the_model,
    hypotheses=(MODEL, BETWEEN),
    note=(
        r"The $T$ squared singular values of $A_\ell^\perp\cdots A_1^\perp X_0W_1\cdots "
        r"W_\ell$, of which $X_\ell$ is "
        r"a rank-one change, have a mean of at most $\gamma^{-\ell}$. So $s_2/s_1$ shrinks like "
        r"$T^{-\ell/2}$, and $\mathrm{sr}(\Sigma_\ell)-1$ like $T\cdot T^{-2\ell}$."
    ),
)

scales_of_the_signal_as_printed = Claim(
    id="naitsaada2025.rem-3.5.scales",
    source=source("Sec. 3.1", "Remark 3.5"),
    kind="rate",
    title=r"$s_1(X_\ell)$ stays of order one, whatever the layer.",
    statement=from_some_size_on(Compare(row_at(size), "<=", bound)),
    domain=Domain(
        (Size(ell, 1, 3), _growth, Real(bound, 0, open_low=True), Size(first_size, 2, 4))
    ),
    hypotheses=(
        MODEL,
        BETWEEN,
        Hypothesis(r"C,T_0\ \text{any constants};\ O(1)\ \text{in mean square}"),
    ),
    left_open=(bound, first_size),
    severity="material",
    repair=scales_of_the_signal,
    printed=r"s_1(\mathbf{X}_\ell) = O(1)",
    note=(
        r"With $\mathcal N(0,1)$ weights $\mathbb E\|\varphi^\top X_\ell\|^2\ge d^\ell$. Nor "
        r"does $s_2(X_\ell)$ "
        r"shrink like $T^{-\ell}$: Theorem A.5 says $O(1)$. Both scales and their quotient are wrong, "
        r"$T^{-\ell/2}$ for $T^{-\ell}$."
    ),
)

# Factors of the gradient ---------------------------------------------------------------------------

first_factor = Quantity(
    r"\mathbb E\|\varphi^\top P_1\|^2",
    lambda at: along(int(at[T]), int(at[depth]), int(at[ell]) - 1, at),
)
all_of_first_factor = Quantity(
    r"\mathbb E\|P_1\|_F^2",
    lambda at: (
        of_weights(int(at[T]), int(at[ell]) - 1, at)
        * after_factors(Matrix.eye(int(at[T])), int(at[depth]), Integer(1)).trace()
    ),
)
second_factor = Quantity(
    r"\mathbb E\,\tfrac1d\|P_2\|_F^2",
    lambda at: of_weights(int(at[T]), int(at[depth]) - int(at[ell]), at),
)
_strictly = Condition.of(Compare(ell, "<", depth))
_gradients = (Size(T, 2, 3), Size(ell, 1, 3), Size(depth, 1, 4))
GRADIENT = Hypothesis(
    r"P_1=A_L\cdots A_1X_0W_1\cdots W_{\ell-1},\ P_2=W_{\ell+1}\cdots W_L,\ d=T/\gamma,\ Z\ \text{exponential}"
)

LONG = Hypothesis(r"\gamma\le1")
NORMS = Hypothesis(r"\|\varphi^\top P_1\|\le s_1(P_1)\le\|P_1\|_F")

scale_of_the_first_factor = Claim(
    id="naitsaada2025.proof-3.6.P1.repair",
    parent="naitsaada2025.proof-3.6.P1",
    source=source("App. A.2, proof of Prop. 3.6"),
    kind="rate",
    title=r"$s_1(P_1)$ is of order $d^{(\ell-1)/2}$.",
    statement=first_factor.equals(width ** (ell - 1) * Sum(ratio**_k, (_k, 0, depth)))
    & Compare(first_factor, ">=", width ** (ell - 1))
    & all_of_first_factor.equals(
        width ** (ell - 1) * (Sum(ratio**_k, (_k, 0, depth - 1)) + T * ratio**depth)
    )
    & Compare(all_of_first_factor, "<=", 2 * width ** (ell - 1)),
    domain=Domain((*_gradients, _growth), (REACHED,)),
    hypotheses=(GRADIENT, LONG, NORMS),
    note=(
        r"$\mathbb E s_1^2(P_1)$ lies between $d^{\ell-1}$ and $2d^{\ell-1}$, and Theorem A.4 gives "
        r"$d^{(\ell-1)/2}(1+o(1))$: "
        r"$T^{\ell-1}=\gamma^{\ell-1}d^{\ell-1}$ is the same for $\gamma=1$ or $\ell=1$ only."
    ),
)

scale_of_the_first_factor_as_printed = Claim(
    id="naitsaada2025.proof-3.6.P1",
    source=source("App. A.2, proof of Prop. 3.6"),
    kind="rate",
    title=r"$s_1(P_1)$ concentrates around $T^{(\ell-1)/2}$.",
    statement=Compare(first_factor, "<=", T ** (ell - 1) * Rational(3, 2)),
    domain=Domain((*_gradients, Size(growth, 1, 4)), (REACHED,)),
    hypotheses=(
        GRADIENT,
        LONG,
        NORMS,
        Hypothesis(r"(1+t)^2\le\tfrac32,\ \text{in mean square}"),
    ),
    severity="misprint",
    repair=scale_of_the_first_factor,
    printed=r"s_1^2(\mathbf{P}_1) \in (T^{\ell-1}(1-t)^2, T^{\ell-1}(1+t)^2)",
    note=(
        r"The factor $\gamma^{-(\ell-1)}$ is missing: the quotient of the two sides is $\gamma^{-(\ell-1)}$ "
        r"at every $T$. Proposition 3.6's bound from below survives, since $\gamma\le1$. The probability "
        r"$P_{t,T}$ of the interval is judged in `naitsaada2025.thm-A.4.probability`; for $\ell=1$ it has "
        "no weights and $t^{2/q}$ no meaning."
    ),
)  # fmt: skip

BELOW = Hypothesis(r"\tfrac1d\|P_2\|_F^2\le s_1^2(P_2)")
edge = measured_quantity(r"\lim_{T\to\infty}\mathbb E\,d^{\ell-L}s_1^2(P_2)")


def edge_of(count: Any) -> Expr:
    """(k + 1)^(k + 1)/k^k."""
    return (count + 1) ** (count + 1) / count**count


edge_of_gaussian_products = Claim(
    id="naitsaada2025.proof-3.6.P2-edge.repair",
    parent="naitsaada2025.proof-3.6.P2-edge",
    source=source("App. A.2, proof of Prop. 3.6"),
    kind="limit",
    title=r"$s_1^2(P_2)$ is $d^{L-\ell}(L-\ell+1)^{L-\ell+1}/(L-\ell)^{L-\ell}$ up to $1+o(1)$.",
    statement=edge.equals(edge_of(depth - ell)),
    domain=Domain(
        (Choice(ell, tuple(map(Integer, (1, 2)))), Choice(depth, tuple(map(Integer, (2, 3, 4))))),
        (_strictly,),
    ),
    hypotheses=(
        GRADIENT,
        LONG,
        BELOW,
        Hypothesis(r"\text{read in mean; measured for}\ L-\ell\le3"),
    ),
    note=r"With $d$, not $T$. $P_2$ is a product of $L-\ell$ Gaussian matrices, of size $d\times d$.",
)

edge_of_gaussian_products_as_printed = Claim(
    id="naitsaada2025.proof-3.6.P2-edge",
    source=source("App. A.2, proof of Prop. 3.6"),
    kind="limit",
    title=r"$s_1^2(P_2)$ is $T^{L-\ell}(L-\ell+1)^{L-\ell+1}/(L-\ell)^{L-\ell}$ up to $1+o(1)$.",
    statement=Compare(
        second_factor, "<=", Rational(3, 2) * T ** (depth - ell) * edge_of(depth - ell)
    ),
    domain=Domain((*_gradients, Size(growth, 1, 8)), (_strictly,)),
    hypotheses=(
        GRADIENT,
        LONG,
        BELOW,
        Hypothesis(r"1+o(1)\le\tfrac32,\ \text{in mean}"),
    ),
    severity="misprint",
    repair=edge_of_gaussian_products,
    printed=(
        r"s_1^2(\mathbf{P}_2) = T^{L-\ell} \frac{(L-\ell+1)^{L-\ell+1}}{(L-\ell)^{L-\ell}} (1+o(1))"
    ),
    note=(
        r"The matrices are $d\times d$: the scale is "
        r"$d^{L-\ell}=\gamma^{-(L-\ell)}T^{L-\ell}$, and the two sides "
        r"have one quotient at every $T$. Right for $\gamma=1$; Proposition 3.6's bound from below survives."
    ),
)  # fmt: skip
