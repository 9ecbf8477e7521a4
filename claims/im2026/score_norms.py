r"""Entries of $\bar Q$ and $\Delta$: how far a step of leading order moves an attention logit."""

from __future__ import annotations

from sympy import Abs, Integer, Rational

from claims.im2026.corpora import (
    CORPORA,
    centred_scores,
    context_map,
    interchangeability,
    one_hot,
    position_map,
    scores,
    word_map,
)
from claims.im2026.map_norms import norm_of
from claims.im2026.notation import N, T, j, k, m, sequences, source, words
from claims.model import Claim, Mutant, Understood
from claims.statement import And, Compare, ForAll
from claims.terms import family

similarity = family(
    r"(\Sigma_{{\bar B}})_{{{}{}}}", lambda at, a, b: interchangeability(at)[a - 1, b - 1]
)
context = family(r"\bar\Phi_{{{}{}}}", lambda at, a, b: context_map(at)[a - 1, b - 1])
feature = family(
    r"(\Sigma_{{\bar B}}\bar\Phi)_{{{}{}}}",
    lambda at, a, b: (interchangeability(at) * context_map(at))[a - 1, b - 1],
)
score = family(r"g^{{({})}}_{{{}{}}}", lambda at, s, a, b: scores(at)[s][a - 1, b - 1])
centred = family(r"(Q_{{{}}})_{{{}{}}}", lambda at, s, a, b: centred_scores(at)[s][a - 1, b - 1])
by_words = family(r"\bar Q_{{{}{}}}", lambda at, a, b: word_map(at)[a - 1, b - 1])
by_positions = family(r"\Delta_{{{}}}", lambda at, a: position_map(at)[a - 1])

leading_terms_have_entries_at_most_one = Claim(
    id="im2026.D.10.max-Q",
    source=source("App. D.2", "proof of Theorem D.10, before Eq. (153)"),
    kind="bound",
    title=r"No entry of $\bar Q$ or $\Delta$ exceeds one.",
    statement=And((
        ForAll(j, 1, words, ForAll(k, 1, words, Compare(Abs(by_words(j, k)), "<=", 1))),
        ForAll(m, 1, T, Compare(Abs(by_positions(m)), "<=", 1)),
    )),
    domain=CORPORA,
    probes=({N: Integer(1), T: Integer(2), words: Integer(4), sequences: (one_hot((1, 2, 2), 4),)},),
    mutants=(
        Mutant(
            "a hundredth for one",
            ForAll(m, 1, T, Compare(Abs(by_positions(m)), "<=", Rational(1, 100))),
        ),
    ),
    printed=r"\max_{km} |\widehat{Q}_{km}|, \max_m |\Delta_m| \leq 1 \text{ as shown in the one-layer case}",
    understood=(
        Understood(r"$\widehat Q$ is $\bar Q$", r"the print defines no $\widehat Q$"),
    ),
    note=(
        r"The one-layer case uses it without a proof. It follows from (79) if the centring of a row is used: "
        r"scores are at most two, and a sum over part of a centred row is at most half its absolute sum. With "
        r"$\|\bar\Phi\|_F\le1$ one half holds. On all corpora of two to four words with $N=1$, $T\le4$ or "
        r"$N=2$, $T=2$ the largest entry is that of the one sequence $abb$, $(1-1/|\mathcal V|)^2/32$ for "
        r"both, save one: for $|\mathcal V|=2$ the sequence $abab$ has $\Delta_2=-\tfrac{85}{8748}$, more than "
        r"$\tfrac1{128}$ in size."
    ),
)  # fmt: skip

attention_map_norm = norm_of(r"\bar Q", word_map)
norm_of_the_attention_map = Claim(
    id="im2026.beyond.attention-map-norm",
    source=source("App. D.2", "beyond the bound of entries before Eq. (153)"),
    kind="bound",
    title=r"The Frobenius norm of $\bar Q$ is at most one.",
    statement=Compare(attention_map_norm, "<=", 1),
    domain=CORPORA,
    note=(
        r"The paper has it of each entry. Where $\bar Q$ meets rows of hidden states that are not tokens, as "
        r"in (153) and (172), it is the norm that is needed: a mean over tokens of one-hot rows times rows of "
        r"centred scores, which are means over the tokens before."
    ),
)
