r"""Sec. 4.2.3: whether the attention of leading terms prefers tokens that predict the next one.

The block maps a token $m\le t$ to a vector whose product with row $t$ of $Y_i-U_O$ is the score $M_{tm}$:
at uniform outputs the loss falls by as much where $m$ is attended to more.  $z_{tm}$ is its logit.
"""

from __future__ import annotations

from sympy import Expr, Integer

from claims.domain import Point
from claims.im2026.cooperation import attention_scores_what_the_block_would_predict
from claims.im2026.corpora import CORPORA, one_hot, position_map, scores, tokens, word_map
from claims.im2026.map_norms import norm_of
from claims.im2026.notation import N, T, i, sequences, source, t, words
from claims.im2026.score_norms import attention_map_norm
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.statement import Compare, ForAll, Quantity
from claims.terms import evaluated, family


def leading_logit(at: Point, text: int, place: int, before: int) -> Expr:
    """An entry of $X\\bar QX^\\top+\\mathrm{DM}(\\Delta)$ up to the diagonal."""
    line = evaluated(tokens, at)[text]
    own, other = line[place - 1], line[before - 1]
    by_word, by_place = evaluated(word_map, at), evaluated(position_map, at)
    return by_word[own - 1, other - 1] + by_place[place - before]


def covariance_of_token(at: Point, text: int, place: int) -> Expr:
    """Of logits and scores of the first t tokens, each with the same weight."""
    row = evaluated(scores, at)[text]
    score = [row[place - 1, m] for m in range(place)]
    z = [leading_logit(at, text, place, m + 1) for m in range(place)]
    product = sum((a * b for a, b in zip(z, score, strict=True)), start=Integer(0))
    return product / place - sum(z, start=Integer(0)) * sum(score, start=Integer(0)) / place**2


def mean_over_tokens(at: Point) -> Expr:
    """Over all sequences and positions."""
    places = ((text, p) for text in range(int(at[N])) for p in range(1, int(at[T]) + 1))
    total = sum((covariance_of_token(at, *place) for place in places), start=Integer(0))
    return total / (at[N] * at[T])


logit = family(r"z^{{({})}}_{{{}{}}}", leading_logit)
covariance = family(
    r"\mathrm{{Cov}}_{{m\le {1}}}\bigl(z^{{({0})}}_{{{1}m}},M^{{({0})}}_{{{1}m}}\bigr)",
    covariance_of_token,
)
mean_covariance = Quantity(
    r"\frac1{NT}\sum_{i=1}^N\sum_{t=1}^T\mathrm{Cov}_{m\le t}\bigl(z^{(i)}_{tm},M^{(i)}_{tm}\bigr)",
    mean_over_tokens,
)
position_map_norm = norm_of(r"\Delta", position_map)

ALIGNED = Hypothesis(
    r"M^{(i)}=(Y_i-U_O)\Sigma_{\bar B}\bar\Phi X_i^\top=(Y_i-U_O)(X_i\bar\Phi^\top\Sigma_{\bar B})^\top"
)
LOGITS = Hypothesis(
    r"z^{(i)}=X_i\bar QX_i^\top+\mathrm{DM}(\Delta),\ \text{the logits of Eq. (13)}"
)
UNIFORMLY = Hypothesis(r"\mathrm{Cov}_{m\le t}:\ m\ \text{uniform on}\ 1,\dots,t")

attended_tokens_predict_better_on_average = Claim(
    id="im2026.sec-4.2.3.attends",
    source=source("Sec. 4.2.3", "after Eq. (13)"),
    kind="prose",
    title="On the average over tokens, larger logits go to tokens that predict the next one better.",
    statement=Compare(mean_covariance, "=", attention_map_norm + position_map_norm)
    & Compare(mean_covariance, ">=", 0),
    domain=CORPORA,
    hypotheses=(ALIGNED, LOGITS, UNIFORMLY),
    uses=(attention_scores_what_the_block_would_predict,),
    mutants=(
        Mutant(
            "for every token by itself",
            ForAll(i, 0, N - 1, ForAll(t, 1, T, Compare(covariance(i, t), ">=", 0))),
        ),
    ),
    probes=(
        {
            N: Integer(3), T: Integer(2), words: Integer(2),
            sequences: tuple(one_hot(text, 2) for text in ((1, 0, 1), (0, 1, 0), (0, 1, 1))),
        },
    ),
    understood=(
        Understood(
            "on the average over tokens",
            "the covariance at the second token of $abb$ is $-25/995328$ in the corpus $\\{bab,aba,abb\\}$",
        ),
    ),
    note=(
        "“The self-attention block effectively attends to tokens that, under the value and output matrix "
        "projection, lead to better next-token prediction.” At uniform outputs $M_{tm}$ is by how much the "
        "loss falls, to first order, where token $m$ of the prefix is attended to more; a row of $Q_i$ is "
        "$\\frac1t$ of the centred scores, so that $\\sum_mz_{tm}(Q_i)_{tm}$ is the covariance, and its mean "
        "over tokens the squared norm of what the logits are made of. In the corpus "
        "$\\{bab,aba,abb\\}$, where it is not so at every token, "
        "$\\|\\bar Q\\|_F^2=\\|\\Delta\\|_F^2=25/5971968$."
    ),
)  # fmt: skip
