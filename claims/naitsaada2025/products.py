r"""Products of i.i.d. Markov matrices: what is left of $A_p\cdots A_1-\varphi\varphi^\top$ (Lemma A.3).

Exact means are those of rows with law Dirichlet(a, ..., a), which is Definition 3.1 for gamma
variables Z of shape a: mean a, variance a, and variance $1/a$ once the mean is one.  Second moments of
a row, and of a column-free part $A^\perp$, follow from $\mathbb E\,A_{ij}A_{ik}=(a+\delta_{jk})/(T(aT+1))$.
"""

from __future__ import annotations

from math import prod
from typing import Any

from sympy import (
    AccumBounds,
    Expr,
    Integer,
    KroneckerDelta,
    Sum,
    Symbol,
    oo,
    sqrt,
)
from sympy import ImmutableDenseMatrix as Matrix

from claims.almost_surely import SureLimit
from claims.domain import Choice, Condition, Domain, Real, Size
from claims.iid_tables import Tables
from claims.model import Claim, Hypothesis, Understood
from claims.naitsaada2025.interlacing import mean
from claims.naitsaada2025.markov_layers import NO_ZERO_ROWS, Chain, MarkovLayers, identity, n
from claims.naitsaada2025.notation import T, p, q, source
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import family

a, first_size, growth = (
    Symbol(name, integer=True, positive=True) for name in ("a", "T_0", "\\gamma^{-1}")
)
bound = Symbol("C", real=True, positive=True)
size = Symbol("t", integer=True, positive=True)


def from_some_size_on(formula: Formula) -> ForAll:
    """A formula about a size, for all that are no smaller than the first."""
    return ForAll(size, first_size, oo, formula)


i, j = (Symbol(name, integer=True) for name in "ij")

GAMMA = Hypothesis(
    r"Z_{ij}\ \text{i.i.d. gamma variables of shape}\ a\ (a=1:\ \text{exponential}),\ \sigma^2=1/a"
)
MARKOV = Hypothesis(
    r"A_1,\dots,A_p\in\mathbb R^{T\times T}\ \text{independent i.i.d. Markov matrices}"
)
SEVERAL = Hypothesis(r"p\ge2")

# Exact second moments ------------------------------------------------------------------------------


def row_moments(tokens: int, shape: Any) -> Matrix:
    """E of the products of two entries of one row."""
    divisor = tokens * (shape * tokens + 1)
    return Matrix(tokens, tokens, lambda j, k: (shape + KroneckerDelta(j, k)) / divisor)


def after_factor(second: Matrix, shape: Any, centred: bool) -> Matrix:
    """E[A^T S A], or the same of A less its mean, for independent rows."""
    tokens = second.rows
    own, other = row_moments(tokens, shape), mean(tokens) / tokens
    if centred:
        return second.trace() * (own - other)
    return second.trace() * own + (sum(second) - second.trace()) * other


def after_factors(second: Matrix, count: int, shape: Any, centred: bool = False) -> Matrix:
    """The same after several independent factors."""
    for _ in range(count):
        second = after_factor(second, shape, centred)
    return second


def mean_square_along_ones(tokens: int, count: int, shape: Any) -> Expr:
    """E |phi^T (A_p...A_1 - phi phi^T)|^2; the mean of each factor is phi phi^T."""
    return after_factors(mean(tokens), count, shape).trace() - 2 * mean(tokens).trace() + 1


def mean_square_norm(tokens: int, count: int, shape: Any) -> Expr:
    """E |A_p...A_1 - phi phi^T|_F^2."""
    every = after_factors(Matrix.eye(tokens), count, shape).trace()
    return every - 2 * mean(tokens).trace() + 1


def mean_square_of_rest(tokens: int, count: int, shape: Any) -> Expr:
    """E |A_p^perp...A_1^perp|_F^2."""
    return after_factors(Matrix.eye(tokens), count, shape, centred=True).trace()


ratio = (T - 1) / (T * (a * T + 1))
"""E |x^T A^perp|^2 for a unit vector x."""
_k = Symbol("k", integer=True)
GEOMETRIC = Sum(ratio**_k, (_k, 1, p))

along = Quantity(
    r"\mathbb E\|\varphi^\top(A_p\cdots A_1-\varphi\varphi^\top)\|^2",
    lambda at: mean_square_along_ones(int(at[T]), int(at[p]), at[a]),
)
whole = Quantity(
    r"\mathbb E\|A_p\cdots A_1-\varphi\varphi^\top\|_F^2",
    lambda at: mean_square_norm(int(at[T]), int(at[p]), at[a]),
)
rest = Quantity(
    r"\mathbb E\|A_p^\perp\cdots A_1^\perp\|_F^2",
    lambda at: mean_square_of_rest(int(at[T]), int(at[p]), at[a]),
)
along_at = family(
    r"\mathbb E\|\varphi^\top(A_p\cdots A_1-\varphi\varphi^\top)\|^2_{{T={}}}",
    lambda at, tokens: mean_square_along_ones(tokens, int(at[p]), at[a]),
)

_shape = Size(a, 1, 2)
several_factors = Domain((Size(T, 2, 4), Size(p, 2, 3), _shape))

# The rate of Lemma A.3 -----------------------------------------------------------------------------

largest_singular_value_of_products = Claim(
    id="naitsaada2025.lemma-A.3.rate.repair",
    parent="naitsaada2025.lemma-A.3.rate",
    source=source("App. A.3", "Lemma A.3, Eq. (24)"),
    kind="rate",
    title=r"$s_1(A_p\cdots A_1-\varphi\varphi^\top)$ is of order $T^{-1/2}$ for every $p\ge2$.",
    statement=along.equals(GEOMETRIC)
    & Compare(along, ">=", ratio)
    & whole.equals(Sum(ratio**_k, (_k, 1, p - 1)) + T * ratio**p)
    & Compare(whole, "<=", p / (a * T)),
    domain=several_factors,
    hypotheses=(MARKOV, GAMMA, SEVERAL),
    note=(
        r"$\|\varphi^\top M\|\le s_1(M)\le\|M\|_F$, so that $\mathbb E s_1^2$ lies between "
        r"$\frac{T-1}{T(aT+1)}$ and $\frac p{aT}$: the term $\varphi\varphi^\top A_1^\perp$, the uneven "
        "column sums of the first factor, does not shrink with more factors."
    ),
)

largest_singular_value_of_products_as_printed = Claim(
    id="naitsaada2025.lemma-A.3.rate",
    source=source("App. A.3", "Lemma A.3, Eq. (24)"),
    kind="rate",
    title=r"$s_1(A_p\cdots A_1-\varphi\varphi^\top)$ is of order $T^{-p/2}$.",
    statement=from_some_size_on(Compare(along_at(size), "<=", bound / size**p)),
    domain=Domain((Size(p, 2, 3), _shape, Real(bound, 0, open_low=True), Size(first_size, 2, 5))),
    hypotheses=(
        MARKOV,
        GAMMA,
        SEVERAL,
        Hypothesis(
            r"\|\varphi^\top M\|\le s_1(M),\ \text{in mean square};\ C,T_0\ \text{any constants}"
        ),
    ),
    left_open=(bound, first_size),
    severity="material",
    repair=largest_singular_value_of_products,
    printed=(
        r"s_1(\mathbf{A}_p \dots \mathbf{A}_1 - \frac{1}{T} \mathbf{1}_{T \times T}) = O(T^{-p/2})"
    ),
    note=(
        r"$T^p\,\mathbb E\|\varphi^\top(A_p\cdots A_1-\varphi\varphi^\top)\|^2\ge T^{p-1}\frac{T-1}{aT+1}$ "
        r"has no bound for $p\ge2$; for $p=1$ the rate is right. The variable is concentrated, so that "
        "the rate fails with probability near one, not only in mean square."
    ),
)

# The second singular value -------------------------------------------------------------------------

_CHAIN = Hypothesis(
    r"\|\varphi^\top A^\perp\|\le s_1(A^\perp),\ s_2(A)\le s_1(A_p^\perp\cdots A_1^\perp)"
    r"\le\|A_p^\perp\cdots A_1^\perp\|_F,\ A=A_p\cdots A_1,\ A^\perp=A-\varphi\varphi^\top"
)
_SEVERAL = Hypothesis(r"p\ge3")
three_factors = Domain((Size(T, 2, 4), Size(p, 3, 4), _shape))

second_singular_value_is_much_smaller = Claim(
    id="naitsaada2025.lemma-A.3.s2-equals-s1perp.repair",
    parent="naitsaada2025.lemma-A.3.s2-equals-s1perp",
    source=source("App. A.3, proof of Lemma A.3", "after Eq. (28)"),
    kind="rate",
    title=r"For $p\ge3$ factors $s_2(A)$ is smaller than $s_1(A^\perp)$ by a power of $T$.",
    statement=rest.equals(T * ratio**p)
    & Compare(along, ">=", ratio)
    & Compare(rest, "<=", along * T * ratio ** (p - 1)),
    domain=three_factors,
    hypotheses=(MARKOV, GAMMA, _CHAIN, _SEVERAL),
    note=(
        r"In mean square $s_2^2(A)/s_1^2(A^\perp)\le T r^{p-1}\le a^{1-p}T^{2-p}$. For $p=1$ both are "
        r"$2\sigma T^{-1/2}(1+o(1))$, but by the law of $A$ and not by the printed inequality; for "
        r"$p=2$ the quotient vanishes as well, since $s_1(A_2^\perp A_1^\perp)$ is of order $T^{-1}$."
    ),
)

second_singular_value_as_printed = Claim(
    id="naitsaada2025.lemma-A.3.s2-equals-s1perp",
    source=source("App. A.3, proof of Lemma A.3", "after Eq. (28)"),
    kind="limit",
    title=r"$s_1(A^\perp)$ is $s_2(A)$ up to a factor that tends to one, for every $p$.",
    statement=Compare(along, "<=", 2 * rest),
    domain=three_factors,
    hypotheses=(
        MARKOV,
        GAMMA,
        _CHAIN,
        _SEVERAL,
        Hypothesis(r"1+o(1)\le\sqrt2\ \text{for}\ T\ge T_0,\ \text{in mean square}"),
    ),
    left_open=(T,),
    severity="material",
    repair=second_singular_value_is_much_smaller,
    printed=r"s_1(\mathbf{A}^\perp) = s_2(\mathbf{A})(1 + o(1))",
    note=(
        r"$s_1^2(A)+s_2^2(A)\ge1+s_1^2(A^\perp)$ with $s_1(A)\to1$ bounds $s_1^2(A^\perp)-s_2^2(A)$ by "
        r"$s_1^2(A)-1$, which is of order $1/T$, as large as $s_1^2(A^\perp)$ itself. Here, at every $T$, "
        "the left side is at least $r$ and the right side at most $2Tr^3$. The proof combines it with an "
        "Equation (A.3), which there is not, and means this display."
    ),
)

# With weights --------------------------------------------------------------------------------------

weighted = family(
    r"\mathbb E\|\varphi^\top A^\perp W\|^2_{{d={}}}",
    lambda at, width: (
        width ** int(at[q]) * mean_square_along_ones(width // int(at[growth]), int(at[p]), at[a])
    ),
)
along_with_weights = Quantity(
    r"\mathbb E\|\varphi^\top A^\perp W\|^2",
    lambda at: (at[growth] * at[T]) ** at[q] * along.define(at),
)
whole_with_weights = Quantity(
    r"\mathbb E\|A^\perp W\|_F^2", lambda at: (at[growth] * at[T]) ** at[q] * whole.define(at)
)
WEIGHTS = Hypothesis(
    r"A^\perp=A_p\cdots A_1-\varphi\varphi^\top,\ W=W_1\cdots W_q\ \text{standard Gaussian},\ d=T/\gamma"
)
_factor = growth * T

largest_singular_value_with_weights = Claim(
    id="naitsaada2025.eq-30.repair",
    parent="naitsaada2025.eq-30",
    source=source("App. A.3, proof of Theorem A.4", "Eq. (30)"),
    kind="rate",
    title=r"$s_1(A^\perp W)$ is of order at least $d^{(q-1)/2}$ for every $p\ge2$.",
    statement=along_with_weights.equals(_factor**q * GEOMETRIC)
    & Compare(along_with_weights, ">=", _factor**q * ratio)
    & Compare(whole_with_weights, "<=", _factor**q * p / (a * T)),
    domain=Domain((Size(T, 2, 4), Size(p, 2, 3), _shape, Size(q, 1, 2), Size(growth, 1, 2))),
    hypotheses=(MARKOV, GAMMA, SEVERAL, WEIGHTS),
    note=(
        r"$\mathbb E s_1^2(A^\perp W)$ lies between $\frac{(T-1)d^q}{T(aT+1)}$ and "
        r"$\frac{p}{a}\frac{d^q}{T}$. Theorem A.4 needs no more than this: $s_1(A^\perp W)/d^{q/2}\to0$."
    ),
)

largest_singular_value_with_weights_as_printed = Claim(
    id="naitsaada2025.eq-30",
    source=source("App. A.3, proof of Theorem A.4", "Eq. (30)"),
    kind="rate",
    title=r"$s_1(A^\perp W)$ is of order $d^{(q-p)/2}$.",
    statement=from_some_size_on(
        Compare(weighted(growth * size), "<=", bound * (growth * size) ** (q - p)),
    ),
    domain=Domain(
        (
            Size(p, 2, 3), _shape, Size(q, 1, 2), Size(growth, 1, 2),
            Real(bound, 0, open_low=True), Size(first_size, 2, 3),
        )
    ),
    hypotheses=(
        MARKOV,
        GAMMA,
        SEVERAL,
        WEIGHTS,
        Hypothesis(r"\|\varphi^\top M\|\le s_1(M),\ \text{in mean square};\ C,T_0\ \text{any constants}"),
    ),
    uses=(largest_singular_value_of_products_as_printed,),
    left_open=(bound, first_size),
    severity="material",
    repair=largest_singular_value_with_weights,
    printed=(
        r"s_1(\mathbf{A}^\perp \mathbf{W}) \leq s_1(\mathbf{A}^\perp) s_1(\mathbf{W}) = "
        r"O(d^{\frac{q-p}{2}})"
    ),
    note=(
        r"The inequality is right, the order inherits Lemma A.3's: $d^{p-q}\,\mathbb E\|\varphi^\top "
        r"A^\perp W\|^2\ge d^p\frac{T-1}{T(aT+1)}$ has no bound for $p\ge2$."
    ),
)  # fmt: skip

following_ones = family(
    r"\mathbb E\|\varphi^\top AW\|^2_{{d={}}}",
    lambda at, width: (
        width ** int(at[q])
        * (1 + mean_square_along_ones(width // int(at[growth]), int(at[p]), at[a]))
    ),
)
following_ones_with_weights = Quantity(
    r"\mathbb E\|\varphi^\top AW\|^2",
    lambda at: (at[growth] * at[T]) ** at[q] * (1 + along.define(at)),
)
_width = growth * size
THREE = Hypothesis(r"p\ge3")

error_of_the_outlier_with_weights = Claim(
    id="naitsaada2025.eq-30.after.repair",
    parent="naitsaada2025.eq-30.after",
    source=source("App. A.3, proof of Theorem A.4", "after Eq. (30)"),
    kind="rate",
    title=r"In mean $s_1^2(AW)$ exceeds $s_1^2(\varphi\varphi^\top W)$ by $d^q$ times a share of order $1/T$.",
    statement=following_ones_with_weights.equals(_factor**q * (1 + GEOMETRIC))
    & Compare(whole_with_weights, "<=", _factor**q * p / (a * T)),
    domain=Domain((Size(T, 2, 4), Size(p, 2, 3), _shape, Size(q, 1, 2), Size(growth, 1, 2))),
    hypotheses=(MARKOV, GAMMA, SEVERAL, WEIGHTS),
    note=(
        r"$\|\varphi^\top AW\|^2\le s_1^2(AW)\le\|AW\|_F^2$, of mean $d^q+\mathbb E\|A^\perp W\|_F^2$ since "
        r"$A^\perp\varphi=0$, and $\mathbb E s_1^2(\varphi\varphi^\top W)=d^q$: the excess lies between "
        r"$d^qr$, $r=\frac{T-1}{T(aT+1)}$, and $\frac pad^qT^{-1}$. That is the print at $p=2$, for every "
        r"$p\ge2$. Theorem A.4 needs no more than this."
    ),
)

error_of_the_outlier_with_weights_as_printed = Claim(
    id="naitsaada2025.eq-30.after",
    source=source("App. A.3, proof of Theorem A.4", "after Eq. (30)"),
    kind="rate",
    title=r"$s_1(AW)$ exceeds $s_1(\varphi\varphi^\top W)$ by $O(d^{(q-p)/2})$ at most.",
    statement=from_some_size_on(
        Compare(
            following_ones(_width), "<=", _width**q * (1 + bound * _width ** (-p / 2)) ** 2
        ),
    ),
    domain=Domain(
        (
            Size(p, 3, 4), _shape, Size(q, 1, 2), Size(growth, 1, 2),
            Real(bound, 0, open_low=True), Size(first_size, 2, 3),
        )
    ),
    hypotheses=(
        MARKOV,
        GAMMA,
        THREE,
        WEIGHTS,
        Hypothesis(
            r"\|\varphi^\top M\|\le s_1(M),\ \mathbb E\,s_1^2(\varphi\varphi^\top W)=d^q,\ "
            r"\text{in mean square};\ C,T_0\ \text{any constants}"
        ),
    ),
    uses=(largest_singular_value_with_weights_as_printed,),
    left_open=(bound, first_size),
    severity="material",
    repair=error_of_the_outlier_with_weights,
    printed=(
        r"\left| s_1(\varphi\varphi^\top \mathbf{W}) - O(d^{\frac{q-p}{2}}) \right| \leq "
        r"s_1(\mathbf{A}\mathbf{W}) \leq s_1(\varphi\varphi^\top \mathbf{W}) + O(d^{\frac{q-p}{2}})"
    ),
    note=(
        r"What it says of the mean square: $\mathbb E s_1^2(AW)\le d^q(1+Cd^{-p/2})^2$, which is $d^q$ up to "
        r"a relative $2Cd^{-p/2}$; but $\mathbb E\|\varphi^\top AW\|^2\ge d^q(1+r)$ with $r$ of order $1/d$. "
        r"That $p=2$ comes out right does not follow from (30), which is false there; $p=1$ does."
    ),
)  # fmt: skip

# The second singular value of a product ------------------------------------------------------------


def rising(base: Any, count: int) -> Any:
    """base (base + 1) ... (base + count - 1)."""
    return prod(base + k for k in range(count))


def fourth(tokens: Any) -> Expr:
    """E |A A^T|_F^2: fourth powers of the norms of rows, and squared products of two rows."""
    rows = tokens * rising(a, 4) + tokens * (tokens - 1) * rising(a, 2) ** 2
    own, other = (a + 1) / (tokens * (a * tokens + 1)), a / (tokens * (a * tokens + 1))
    pairs = tokens * own**2 + tokens * (tokens - 1) * other**2
    return tokens * rows / rising(a * tokens, 4) + tokens * (tokens - 1) * pairs


fourth_moment = Quantity(r"\mathbb E\,Z_{11}^4", lambda at: rising(at[a], 4))
CHAIN = Chain(MarkovLayers(Tables("Z", a, sqrt(a), fourth_moment)), identity)
"""Products of the matrices that infinite tables of gamma variables make at every size."""
_any_number = Domain((Size(p, 1, 3), _shape), (Condition.of(CHAIN.layers.tables.light),))
DOUBLED = Choice(T, tuple(map(Integer, (12, 24, 48))))
"""Sizes at which means are drawn."""


def _upper(name: str, term: Expr) -> SureLimit:
    r"""An upper limit: between the mean of all squares, $\sigma^{2p}$, and $(2\sigma)^{2p}$."""
    bounds = lambda at: AccumBounds(at[a] ** -at[p], (4 / at[a]) ** at[p])  # noqa: E731
    return SureLimit(
        rf"\overline{{\lim}}_{{T\to\infty}}{name}", bounds,
        of=CHAIN.layers.tables, term=term, index=n, upper=True,
    )  # fmt: skip


scaled_second = _upper(r"T^ps_2^2(A_p\cdots A_1)", n**p * CHAIN.value(2, p) ** 2)
scaled_rest = _upper(r"T^ps_1^2(A_p^\perp\cdots A_1^\perp)", n**p * CHAIN.rest_value(1, p) ** 2)

second_singular_value_of_products = Claim(
    id="naitsaada2025.lemma-A.3.s2-bound",
    source=source("App. A.3, proof of Lemma A.3", "last lines"),
    kind="bound",
    title=r"$s_2(A_p\cdots A_1)$ is at most $(2\sigma T^{-1/2})^p$, as is $s_1(A_p^\perp\cdots A_1^\perp)$.",
    statement=scaled_second.at_most((4 / a) ** p) & scaled_rest.at_most((4 / a) ** p),
    domain=_any_number,
    hypotheses=(MARKOV, GAMMA),
    understood=(
        NO_ZERO_ROWS,
        Understood(
            r"$s_2(A_k)$ stands for its limit: the print leaves out $1+o(1)$",
            r"$p=1$, $Z$ exponential: $s_2(A)$ of a single draw exceeds $2\sigma T^{-1/2}$ with a "
            r"probability of about $0.14$ at $T=50$ and $0.15$ at $T=200$, which does not fall",
        ),
    ),
    printed=r"s_2(\mathbf{A}) \leq (2\sigma T^{-1/2})^p = O(T^{-p/2})",
    note=(
        r"Almost surely, for tables of any law with a fourth moment and mean one, $\sigma/m$ for $\sigma$ at "
        r"any mean. $s_2(A_p\cdots A_1)\le s_1(A_p^\perp\cdots A_1^\perp)\le\prod_ks_1(A_k^\perp)$, and each "
        r"factor is $2\sigma T^{-1/2}(1+o(1))$. This right part of the proof bounds $s_2(A)$, not "
        r"$s_1(A-\varphi\varphi^\top)$. That $s_1(A_i^\perp)$ and $s_2(A_i)$ 'tend to' $s_2(A_i)$ and "
        r"$2\sigma T^{-1/2}$, which depend on $T$, is meant of ratios."
    ),
)

# The largest singular value ------------------------------------------------------------------------

first_of_product = SureLimit(
    r"\lim_{T\to\infty}s_1(A_p\cdots A_1)", lambda at: Integer(1),
    of=CHAIN.layers.tables, term=CHAIN.value(1, p), index=n,
)  # fmt: skip

largest_singular_value_of_products_tends_to_one = Claim(
    id="naitsaada2025.lemma-A.3.s1-product",
    source=source("App. A.3, proof of Lemma A.3", "first part"),
    kind="limit",
    title=r"$s_1(A_p\cdots A_1)$ tends to one almost surely.",
    statement=first_of_product.equals(1),
    domain=_any_number,
    hypotheses=(MARKOV, GAMMA),
    understood=(NO_ZERO_ROWS,),
    printed=r"\lim s_1(\mathbf{A}_p \dots \mathbf{A}_1) = 1",
    note=(
        r"For tables of any law with a fourth moment: the product has rows of sum one, so that $s_1\ge1$, and "
        r"$s_1(A_p\cdots A_1)\le\prod_ks_1(A_k)$ with $s_1^2(A_k)\le1+s_1^2(A_k^\perp)$. The printed route, "
        r"through $s_1(TD_i)$ and $s_1(T^{-1/2}M_i)$, is right as well. In fourth mean, too: $\mathbb E "
        r"s_1^4\le(\mathbb E\|AA^\top\|_F^2)^p$ by independence."
    ),
)
