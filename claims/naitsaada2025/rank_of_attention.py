r"""Whether attention becomes effectively rank-one (Sec. 2.3): by two singular values, and by (5).

The rows of an i.i.d. Markov matrix are independent, so that $\mathbb E\|A\|_F^2$ and
$\mathbb E\|AA^\top\|_F^2$ are sums over one row and over two.  Shares of gamma variables of shape $a$ have a
Dirichlet law, with $\sigma_A^2/m^2=1/a$.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod
from typing import Any

from sympy import Expr, Integer, Symbol, oo, sqrt

from claims.definitions import frobenius_square
from claims.domain import Choice, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.decompositions import roots, vectors
from claims.naitsaada2025.interlacing import ROW_STOCHASTIC
from claims.naitsaada2025.markov import A, Markov
from claims.naitsaada2025.notation import T, sigma_qk, source
from claims.naitsaada2025.products import GAMMA, a, rising
from claims.naitsaada2025.products import fourth as fourth_value
from claims.naitsaada2025.spectral_gap import GAUSSIAN, ORTHONORMAL, regime
from claims.naitsaada2025.stable_rank import decomposed, stable_rank
from claims.statement import Compare, ForAll, Monotone, Quantity, Tends, measured_family
from claims.terms import family

# The sentence -------------------------------------------------------------------------------------

proxy, doublings = Symbol("proxy"), Symbol("k", integer=True, nonnegative=True)
VALUES, STABLE = "two singular values", "stable rank"
distance = measured_family(r"\mathbb E\,D_{{T={}}}")
attention_becomes_effectively_rank_one = Claim(
    id="naitsaada2025.sec-2.3.effectively-rank-one",
    source=source("Sec. 2.3", "first sentence"),
    kind="prose",
    title="Softmax attention comes nearer to rank one as the context grows.",
    statement=Monotone(distance(2**doublings), doublings, ">", 4, 6),
    domain=Domain(
        (
            Choice(proxy, (VALUES, STABLE)),
            Choice(regime, ("proportional", "faster")),
            Choice(sigma_qk, (Integer(1), 1 / sqrt(2))),
        )
    ),
    left_open=(proxy,),
    hypotheses=(
        ORTHONORMAL,
        GAUSSIAN,
        Hypothesis(r"d_{qk}=T\ \text{(proportional) or}\ T^2\ \text{(faster)};\ T=16,32,64"),
        Hypothesis(
            r"D=s_2^2(A)/s_1^2(A)\ \text{(two singular values) or}\ \mathrm{sr}(A)-1\ \text{(stable rank)}"
        ),
    ),
    printed=(
        r"\text{the attention matrix becomes effectively rank-one for large context length } T"
    ),
    note=(
        "The proxy decides, and the paper names its own, the stable rank (5), after the sentence. By the "
        "quotient $s_2/s_1$, of which Theorem 2.1 speaks, the sentence is right. By (5) it is wrong: $T-1$ "
        r"singular values of order $T^{-1/2}$ let $\mathrm{sr}(A)$, and $\mathrm{sr}(X)$ of one layer, rise "
        r"to $1+\sigma_A^2/m^2$ (`naitsaada2025.beyond.stable-rank-of-attention`); for softmax attention "
        r"with wide queries that is $e^{\sigma_{qk}^4}$. Theorem 2.2 has a stable rank near one since it "
        r"takes that of $XX^\top$, whose singular values are squares."
    ),
)

# Its stable rank ----------------------------------------------------------------------------------

t, c = Symbol("t", integer=True, positive=True), Symbol("c", real=True)


def share_moment(places: Sequence[int], tokens: int, shape: Any) -> Expr:
    """E of a product of entries of one row, by their places."""
    counts = [places.count(each) for each in set(places)]
    return prod(rising(shape, count) for count in counts) / Integer(
        rising(shape * tokens, len(places))
    )


def _pairs(tokens: int) -> Iterable[tuple[int, ...]]:
    return product(range(tokens), repeat=2)


def mean_square(at: Point, tokens: int) -> Expr:
    """E |A|_F^2, entry by entry."""
    return sum(share_moment((j, j), tokens, at[a]) for _, j in _pairs(tokens))


def mean_gram(at: Point, tokens: int) -> Expr:
    """E |A A^T|_F^2: squared products of rows i and k, of one row with itself or of two."""
    one = sum(share_moment((j, j, m, m), tokens, at[a]) for j, m in _pairs(tokens))
    two = sum(share_moment((j, m), tokens, at[a]) ** 2 for j, m in _pairs(tokens))
    return sum(one if i == k else two for i, k in _pairs(tokens))


square_at = family(r"\mathbb E\|A\|_F^2{{}}_{{,T={}}}", mean_square)
gram_at = family(r"\mathbb E\|AA^\top\|_F^2{{}}_{{,T={}}}", mean_gram)
rank = Quantity(r"\mathrm{sr}(A)", lambda at: stable_rank(at[A]))
square = Quantity(r"\|A\|_F^2", lambda at: frobenius_square(at[A]), nonnegative=True)
gram = Quantity(r"\|AA^\top\|_F^2", lambda at: frobenius_square(at[A] * at[A].T), nonnegative=True)
stable_rank_of_attention_stays_above_one = Claim(
    id="naitsaada2025.beyond.stable-rank-of-attention",
    source=source("Sec. 2.3", "first sentence, and Eq. (5)"),
    kind="bound",
    title=(
        r"The stable rank of an i.i.d. Markov matrix does not tend to one: $\mathbb E\,\mathrm{sr}^2(A)$ is at "
        r"least $(\mathbb E\|A\|_F^2)^2/\mathbb E\|AA^\top\|_F^2$, which for Gamma laws tends to "
        r"$(1+\sigma_A^2/m^2)^2$."
    ),
    statement=Compare(rank**2, ">=", 2 * c * square - c**2 * gram)
    & ForAll(
        t, 2, oo,
        Compare(square_at(t), "=", (a + 1) * t / (a * t + 1))
        & Compare(gram_at(t), "=", fourth_value(t)),
    )
    & Tends(square_at(t) ** 2 / gram_at(t), t, (1 + 1 / a) ** 2),
    domain=Domain(
        (Size(T, 2, 3), Markov(A), *decomposed(A, roots, vectors), Real(c), Size(a, 1, 2))
    ),
    hypotheses=(
        ROW_STOCHASTIC,
        GAMMA,
        Hypothesis(r"\mathbb E:\ A\ \text{an i.i.d. Markov matrix of such}\ Z,\ \sigma_A^2/m^2=1/a"),
    ),
    note=(
        r"The inequality holds for every row-stochastic matrix and every $c$, since "
        r"$\mathrm{sr}^2(A)=\|A\|_F^4/s_1^4$ and $s_1^4\le\|AA^\top\|_F^2$; it is linear in both norms, so "
        r"that $c=\mathbb E\|A\|_F^2/\mathbb E\|AA^\top\|_F^2$ gives the bound of the means. For exponential "
        r"$Z$, $a=1$, it tends to 4, the square of two. That is the limit, too: $\|A\|_F^2\to1+\sigma_A^2/m^2$ "
        r"and $s_1\to1$. By the paper's own proxy (5) one attention matrix does not become rank-one; "
        r"$XX^\top$ does (Theorem 2.2)."
    ),
)  # fmt: skip
