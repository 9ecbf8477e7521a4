r"""Table 3: the loss after the part along its leading term is taken out of one weight.

The printed losses are those of a network trained on TinyStories, which is not at hand.  Their order is
measured on generated text; what the order is said to follow from is another matter, in the note.
"""

from __future__ import annotations

from sympy import Symbol

from claims.domain import Choice, Domain
from claims.im2026.leading_terms import TEXTS, orders_of_the_updates
from claims.im2026.learned_weights import cosines_at_the_large_rate
from claims.im2026.notation import layer, source
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, ForAll, measured_family, measured_quantity

text = Symbol("text")
other = Symbol("l'", integer=True, positive=True)
loss_without = {
    weight: measured_family(rf"\mathcal L(\text{{{{without}}}}\ {weight}^{{{{({{}})}}}})")
    for weight in ("W", "V")
}
loss_without_output = measured_quantity(r"\mathcal L(\text{without}\ W_O)")
LAYERS = 3

removing_the_leading_term_of_the_output_hurts_most = Claim(
    id="im2026.table-3.intervention",
    source=source("App. B", "Table 3"),
    kind="experiment",
    title="Without its leading term the output matrix costs most, attention weights least.",
    statement=ForAll(
        layer, 1, LAYERS,
        Compare(loss_without["V"](layer), "<", loss_without_output)
        & ForAll(
            other, 1, LAYERS, Compare(loss_without["W"](other), "<", loss_without["V"](layer))
        ),
    ),
    domain=Domain((Choice(text, TEXTS),)),
    hypotheses=(
        Hypothesis(r"\text{3 layers},\ T=16,\ |\mathcal V|=40,\ N=64,\ \text{full batch},\ s\eta=48"),
        Hypothesis(
            r"\text{without}\ M:\ M-\tfrac{\langle M,M_0\rangle}{\|M_0\|_F^2}M_0,\ "
            r"M_0\ \text{its leading term}"
        ),
    ),
    mutants=(
        Mutant(
            "values least",
            ForAll(layer, 1, LAYERS, Compare(loss_without["V"](layer), "<", loss_without["W"](layer))),
        ),
    ),
    uses=(cosines_at_the_large_rate, orders_of_the_updates),
    note=(
        r"the printed losses (5.349 to 5.361, 6.192 to 6.526, 8.287) belong to TinyStories. The order is found "
        r"on every kind of generated text, at $s\eta=48,100,160$. It is not predicted by Theorem 4.1: the "
        r"table is taken at $s\eta=160$, where $s\eta$ is not larger but far smaller than $s^4\eta^4$, and "
        r"outside the theorem, where $s\eta\le\tfrac1{36}$; norms of the maps and places of the weights in the "
        r"network decide. The loss $8.287$ is above that of zero weights, $\log3000=8.006$"
    ),
)  # fmt: skip
