r"""App. G.4 and Fig. 9: cosines between the initial embeddings of language models.

An initial embedding is LN(word + position + type) in BERT and, with 128 features and a random map to
768, in ALBERT.  At initialisation all three parts are i.i.d. N(0, 0.02^2), but the type is the same
for all tokens of a sequence.  The paper looks at three sequences and does not say which: measured is the
least cosine over the pairs of tokens of three sequences, each with its own initialisation, for several
such triples.  Pretrained embeddings are not run.
"""

from __future__ import annotations

from sympy import Integer, Symbol

from claims.domain import Choice, Domain
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import measured_quantity
from claims.wu2024.notation import N, source

triple = Symbol("s", integer=True, positive=True)
TRIPLES = 64
"""Some of them are without a negative pair in ALBERT, about one in five, and some are not."""
BERT, ALBERT, GPT2 = "BERT", "ALBERT", "GPT2"
least_cosine = {
    name: measured_quantity(
        rf"\min_{{i<j}}\cos\big(X^{{(0)}}_{{i,:}},X^{{(0)}}_{{j,:}}\big)_{{\text{{{name}}}}}"
    )
    for name in (BERT, ALBERT, GPT2)
}
_nonnegative = least_cosine[BERT].at_least(0) & least_cosine[ALBERT].at_least(0)
_triples = tuple(map(Integer, range(1, TRIPLES + 1)))

initial_cosines_are_nonnegative = Claim(
    id="wu2024.fig-9.initial-cosines",
    source=source("Sec. 4.2, end", "App. G.4, Fig. 9"),
    kind="experiment",
    title="All cosines between initial embeddings of three sequences are non-negative in BERT and ALBERT.",
    statement=_nonnegative,
    domain=Domain((Choice(triple, _triples), Choice(N, (Integer(128),)))),
    left_open=(triple,),
    hypotheses=(
        Hypothesis(r"N=128\ \text{different random words; the least over three sequences}"),
        Hypothesis(r"\text{random initialisation; 768 features, in ALBERT from 128}"),
        Hypothesis(r"s:\ \text{which three sequences; not printed}"),
    ),
    mutants=(Mutant("in GPT2 too", _nonnegative & least_cosine[GPT2].at_least(0)),),
    probes=tuple({triple: value, N: Integer(128)} for value in _triples),
    note=(
        "In BERT at initialisation it holds of every sequence: the type embedding, common to all tokens, "
        "makes the mean cosine $1/3$, and 768 features leave a spread of 0.03. In ALBERT the same mean "
        "comes with the spread of 128 features, 0.08: about two in five sequences of 128 words hold a "
        "negative pair, so that three without one are met about once in five times. Of all sequences it "
        "is false there; of the three that the paper drew it may be true. GPT2 and T5 have no common part "
        "and cosines of both signs. Pretrained embeddings are not run"
    ),
)
