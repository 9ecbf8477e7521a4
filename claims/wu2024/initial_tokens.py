r"""App. G.4 and Fig. 9: cosines between the initial embeddings of language models.

An initial embedding is LN(word + position + type) in BERT and, with 128 features and a random map to
768, in ALBERT.  At initialisation all three parts are i.i.d. N(0, 0.02^2), but the type is the same
for all tokens of a sequence.  Measured: the least cosine over pairs of tokens and over sequences,
each with its own initialisation; one negative cosine decides.  Pretrained embeddings are not run.
"""

from __future__ import annotations

from sympy import Integer, Symbol

from claims.domain import Choice, Domain
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import measured_quantity
from claims.wu2024.notation import N, source

model = Symbol("m")
BERT, ALBERT, GPT2 = "BERT", "ALBERT", "GPT2"


def _models(*names: str) -> Domain:
    return Domain((Choice(model, names), Choice(N, (Integer(128),))))


least_cosine = measured_quantity(r"\min_{i<j}\cos\big(X^{(0)}_{i,:},X^{(0)}_{j,:}\big)")
_nonnegative = least_cosine.at_least(0)

initial_cosines_are_nonnegative = Claim(
    id="wu2024.fig-9.initial-cosines",
    source=source("Sec. 4.2, end", "App. G.4, Fig. 9"),
    kind="experiment",
    title="All cosines between initial embeddings of a sequence are non-negative in BERT and ALBERT.",
    statement=_nonnegative,
    domain=_models(BERT, ALBERT),
    hypotheses=(
        Hypothesis(r"N=128\ \text{different random words; BERT and ALBERT}"),
        Hypothesis(r"\text{random initialisation; 768 features, in ALBERT from 128}"),
    ),
    mutants=(Mutant("in GPT2 too", _nonnegative, domain=_models(GPT2)),),
    severity="missing-hypothesis",
    repair=Claim(
        id="wu2024.fig-9.initial-cosines.repair",
        parent="wu2024.fig-9.initial-cosines",
        source=source("Sec. 4.2, end", "App. G.4, Fig. 9"),
        kind="experiment",
        title="All cosines between initial embeddings of a sequence are non-negative in BERT.",
        statement=_nonnegative,
        domain=_models(BERT),
        hypotheses=(
            Hypothesis(r"N=128\ \text{different random words; BERT}"),
            Hypothesis(r"\text{random initialisation, 768 features}"),
        ),
        note=(
            "BERT's 768 features leave a spread of 0.03 around the mean cosine of $1/3$ that the common "
            "type embedding makes; ALBERT's 128 leave 0.08, and half of its sequences hold a negative "
            "pair."
        ),
    ),
    note=(
        "Holds in BERT at initialisation, where the type embedding, common to all tokens, makes the "
        "mean cosine $1/3$ and 768 features leave a spread of 0.03. In ALBERT the same mean comes "
        "with the spread of 128 features, 0.08: about half of all sequences of 128 words hold a "
        "negative pair, which three sampled sequences can miss. GPT2 and T5 have no common part "
        "and cosines of both signs. Pretrained embeddings are not run"
    ),
)
