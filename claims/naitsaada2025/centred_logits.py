r"""Singular values of centred logits in every regime of $d_{qk}$, by their fourth moment.

Rows of $\log A$ less their means are $L=QK^\top(I-\varphi\varphi^\top)/\sqrt{d_{qk}}$: the softmax forgets the
rest.  With $Q$ and $K$ of $d_{qk}$ columns, $\mathbb E\,\mathrm{tr}(LL^\top)^2$ tells a matrix of independent
entries from a product of two.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from sympy import Rational, Symbol, oo

from claims.domain import Domain, Point, Real, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.attention import ISOTROPIC, QUERIES_AND_KEYS
from claims.naitsaada2025.notation import T, d_qk, sigma_qk, source
from claims.naitsaada2025.second_moments import Moments, gaussian_row, through_layer
from claims.statement import Compare, ForAll, Tends
from claims.terms import family

tokens, width = (Symbol(name, integer=True, positive=True) for name in ("t", "n"))


def centring(size: int) -> Moments:
    """Of the matrix I - 11^T/T, which is not random."""
    less = Fraction(1, size)
    one = {at: int(at[0] == at[1]) - less for at in product(range(size), repeat=2)}
    pairs = {a + b: x * y for (a, x), (b, y) in product(one.items(), repeat=2)}
    return Moments(one, pairs)


def mean_fourth_power(at: Point, size: int, features: int) -> Rational:
    """E tr (L L^T)^2: rows of K^T (I - phi phi^T) are d_qk, rows of Q are T."""
    keys = through_layer(centring(size), features, gaussian_row)
    found = through_layer(keys, size, gaussian_row).second_trace()
    return Rational(found.numerator, found.denominator) * at[sigma_qk] ** 8 / features**2


fourth = family(r"\mathbb E\,\mathrm{{tr}}(LL^\top)^2_{{T={},d_{{qk}}={}}}", mean_fourth_power)
LOGITS = Hypothesis(r"L=\log A-(\log A)\varphi\varphi^\top=M(I-\varphi\varphi^\top),\ A=A(X_0)")
PER_TOKEN = sigma_qk**8 * (T - 1) / d_qk * ((T + 1) * (T + d_qk) + (T - 1) * d_qk + 2)
r"""$\mathbb E\,\mathrm{tr}(LL^\top)^2/T$."""

centred_logits_in_every_regime_of_their_width = Claim(
    id="naitsaada2025.beyond.logits-of-every-width",
    source=source("Sec. 2.2 and App. A.2", "Theorem 2.1 and its proof"),
    kind="expectation",
    title=(
        r"Centred logits have the singular values of a matrix with independent entries only for "
        r"$d_{qk}\gg T$: their fourth moment is $\sigma_{qk}^8(2+T/d_{qk})$ to leading order."
    ),
    statement=ForAll(
        tokens, 2, oo,
        Compare(fourth(tokens, d_qk), "=", (tokens * PER_TOKEN).xreplace({T: tokens})),
    )
    & Tends(fourth(tokens, d_qk) / tokens**4, tokens, sigma_qk**8 / d_qk)
    & Tends(fourth(tokens, tokens * d_qk) / tokens**3, tokens, sigma_qk**8 * (2 + 1 / d_qk))
    & Tends(fourth(T, width), width, 2 * sigma_qk**8 * T**2 * (T - 1)),
    domain=Domain((Size(T, 2, 3, reach=4), Size(d_qk, 1, 3, reach=4), Real(sigma_qk, 0, open_low=True))),
    hypotheses=(ISOTROPIC, QUERIES_AND_KEYS, LOGITS),
    note=(
        r"For every $T\ge2$ and $d_{qk}$. With $d_{qk}$ fixed, $s_i(L)$ are of order $T$ and there are "
        r"$d_{qk}$ of them; with $T/d_{qk}\to\kappa$ of order $\sqrt T$, with the moments 1 and $2+\kappa$ of "
        r"a free product of two Marchenko-Pastur laws, those of a quarter-circle for $\kappa=0$ only. So "
        r"the boundary of Theorem 2.1 is $d_{qk}/T\to\infty$ as far as the law of logits goes."
    ),
)  # fmt: skip
