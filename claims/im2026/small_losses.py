r"""Sec. 4.2.3, "Implication": how little outputs change within the horizon of Theorem 4.1."""

from __future__ import annotations

from decimal import Decimal

import flint
from sympy import Abs, Rational, Symbol, log

from claims.domain import Domain, Point, Size
from claims.exact import middle
from claims.im2026.backpropagation import BITS
from claims.im2026.boxes import UpTo
from claims.im2026.corpora import Corpus, tokens
from claims.im2026.notation import N, T, depth, eta, s, source, words
from claims.im2026.small_starts import ARRAYS, MIXED, SMALL, TURNS, network, still
from claims.model import Claim, Hypothesis
from claims.statement import Compare
from claims.terms import family

steps = Symbol("n", integer=True, nonnegative=True)


def _mean_surprise(at: Point, count: int) -> Decimal:
    """Minus the mean logarithm of the probability of the next token."""
    found = network(at, count)
    with flint.ctx.workprec(BITS):
        total = flint.arb(0)
        for text, run in zip(tokens(at), found.passes, strict=True):
            for t, word in enumerate(text[1:]):
                total -= run["p"][0][t, word - 1].log()
        return middle(total / (found.length * len(found.passes)))


loss = family(r"\mathcal L(\Theta({}))", _mean_surprise, kept=True)
"""Eq. (3) after so many steps."""

_COVERED = Domain(
    (
        Size(N, 1, 2), Size(T, 1, 3), Size(words, 1, 3), Size(depth, 1, 2), Size(s, 0, 3), Corpus(),
        UpTo(eta, 0, 1 / (12 * depth * (s + 1)), open_low=True), *ARRAYS,
    ),
    SMALL,
)  # fmt: skip
loss_hardly_falls_within_the_horizon = Claim(
    id="im2026.beyond.loss-within-the-horizon",
    source=source("Sec. 4.2.3", "Implication"),
    kind="bound",
    title=(
        r"While the next step is within the horizon of Theorem 4.1 the loss is within $3(s+1)\eta$ of "
        r"$\log|\mathcal V|$."
    ),
    statement=Compare(Abs(loss(s) - log(words)), "<=", 3 * (s + 1) * eta),
    domain=_COVERED,
    hypotheses=(
        Hypothesis(
            r"\text{absolute values of the entries of}\ W_O,\ \text{of each}\ V^{(l)},\ W^{(l)},\ P^{(l)}\ "
            r"\text{at the start add up to at most}\ \eta^4;\ \text{zero, for one}"
        ),
        Hypothesis(r"(s+1)\eta\le\tfrac1{12L}"),
    ),
    probes=(
        still(TURNS, rate=Rational(1, 64), steps=4),
        still(MIXED, TURNS, rate=Rational(1, 144), steps=5, layers=2),
    ),
    note=(
        r"“While these features only yield small changes in the actual text output”: no bound is named, and "
        r"this is one. The probability of every next token is within a factor $e^{3(s+1)\eta}\le1.29$ of "
        r"$1/|\mathcal V|$, since logits are at most $\tfrac{45}{32}(s+\tfrac12)\eta$. With three layers, as "
        r"in Sec. 5.1, the horizon is $\tfrac1{36}$, and at $|\mathcal V|=3000$ the loss stays between $7.92$ "
        r"and $8.09$: the fall from $8.00$ to $5.35$ of Fig. 4 lies outside of what the theorem covers. "
        "The Gaussian starts of Theorem D.13 are larger than those allowed here."
    ),
)
