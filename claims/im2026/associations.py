r"""Fig. 5: which words are neighbours under the bigram, interchangeability and context maps.

TinyStories is not at hand: what is said of it has no estimator.  In the text that is measured words have a
grammatical role and a topic, roles follow each other in a circle, a sequence keeps to a topic four times in
five.
"""

from __future__ import annotations

from sympy import Integer, Rational, Symbol

from claims.domain import Choice, Domain, Real
from claims.im2026.learned_weights import THEIRS
from claims.im2026.notation import source
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, measured_quantity

skew, share = Symbol("z", nonnegative=True), Symbol("epsilon", positive=True)
LABELS = {
    "bigram": r"\bar B", "interchangeability": r"\Sigma_{\bar B}", "context": r"\bar\Phi",
}  # fmt: skip
share_of = {
    name: measured_quantity(rf"\mathrm{{share}}({label})") for name, label in LABELS.items()
}

MEANING = (
    Hypothesis(
        r"\mathrm{share}:\ \text{of the nearest words, those that can follow}\ (\bar B),\ \text{have the "
        r"same role}\ (\Sigma_{\bar B})\ \text{or the same topic}\ (\bar\Phi)"
    ),
    Hypothesis(r"\epsilon:\ \text{the share that shows a map's meaning; not printed}"),
)

printed_share = {
    name: measured_quantity(rf"\mathrm{{share}}_{{\text{{TinyStories}}}}({label})")
    for name, label in LABELS.items()
}
examples_of_the_three_maps = Claim(
    id="im2026.fig-5.examples",
    source=source("Sec. 5.1", "Fig. 5"),
    kind="experiment",
    title="Nearest words are collocations, share a role, or share a topic, depending on the map.",
    statement=Compare(printed_share["bigram"], ">=", share)
    & Compare(printed_share["interchangeability"], ">=", share)
    & Compare(printed_share["context"], ">=", share),
    domain=Domain((Real(share, 0, 1, open_low=True),)),
    left_open=(share,),
    hypotheses=(THEIRS, *MEANING),
    note=(
        r"the figure shows words selected from the thirty nearest in TinyStories, which is not shipped, and no "
        r"share of them; roles and topics of its words are not given either. On a text whose roles and topics "
        r"are known: `im2026.beyond.associations-of-generated-words`. `twofold train` prints the nearest words "
        r"of a user's own text"
    ),
)

three_maps_bring_three_kinds_of_words_together = Claim(
    id="im2026.beyond.associations-of-generated-words",
    source=source("Sec. 5.1", "beyond Fig. 5"),
    kind="experiment",
    title="On a text with roles and topics nearest words can follow, share a role, or share a topic.",
    statement=Compare(share_of["bigram"], ">=", share)
    & Compare(share_of["interchangeability"], ">=", share)
    & Compare(share_of["context"], ">=", share),
    domain=Domain(
        (
            Choice(skew, (Integer(0), Rational(1, 2), Integer(1))),
            Choice(share, (Rational(1, 2), Rational(3, 4))),
        )
    ),
    left_open=(share,),
    hypotheses=(
        Hypothesis(
            r"4\ \text{roles in turn},\ 3\ \text{topics},\ 48\ \text{words},\ 4\ \text{of each kind, with "
            r"frequencies}\ r^{-z};\ 96\ \text{sequences of}\ 25\ \text{words, of whose topic are "
            r"four words in five}"
        ),
        *MEANING,
        Hypothesis(
            r"\text{in the mean over texts, of the}\ 12\ (\bar B),\ 11\ (\Sigma_{\bar B}),\ 15\ (\bar\Phi)\ "
            r"\text{nearest other words}"
        ),
    ),
    mutants=(Mutant("no more than chance", Compare(share_of["context"], "<=", Rational(1, 3))),),
    note=(
        r"By chance the shares would be $12/47$, $11/47$ and $15/47$. Measured means over texts fall with $z$ "
        r"from 0.87 to 0.80, from 1 to 0.97 and from 0.98 to 0.92; single texts are within 0.04 of them."
    ),
)
