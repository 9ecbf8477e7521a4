r"""Fig. 5: which words are neighbours under the bigram, interchangeability and context maps.

TinyStories is not at hand.  The text is generated: words have a grammatical role and a topic, roles
follow each other in a circle, a sequence keeps to a topic four times in five.
"""

from __future__ import annotations

from sympy import Integer, Rational, Symbol

from claims.domain import Choice, Domain
from claims.im2026.notation import source
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, measured_quantity

skew, share = Symbol("z", nonnegative=True), Symbol("epsilon", positive=True)
share_of = {
    name: measured_quantity(rf"\mathrm{{share}}({label})")
    for name, label in (
        ("bigram", r"\bar B"), ("interchangeability", r"\Sigma_{\bar B}"), ("context", r"\bar\Phi"),
    )
}  # fmt: skip

three_maps_bring_three_kinds_of_words_together = Claim(
    id="im2026.fig-5.examples",
    source=source("Sec. 5.1", "Fig. 5"),
    kind="experiment",
    title="Nearest words are collocations, share a role, or share a topic, depending on the map.",
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
        Hypothesis(r"4\ \text{roles},\ 3\ \text{topics},\ 48\ \text{words of frequencies}\ r^{-z}"),
        Hypothesis(
            r"\mathrm{share}:\ \text{of the nearest words, those that can follow}\ (\bar B),\ \text{have the "
            r"same role}\ (\Sigma_{\bar B})\ \text{or the same topic}\ (\bar\Phi)"
        ),
        Hypothesis(r"\epsilon:\ \text{the share that shows a map's meaning; not printed}"),
    ),
    mutants=(Mutant("no more than chance", Compare(share_of["context"], "<=", Rational(1, 3))),),
    note=(
        r"by chance the shares would be $1/4$, $11/47$ and $15/47$; measured are 0.80 to 0.86, 0.93 to 1 and "
        r"0.92 to 0.98. The printed words are selected from the thirty nearest in TinyStories, which is not "
        r"at hand: `twofold train` prints the nearest words of a user's own text"
    ),
)
