r"""Figs. 6 to 8: token covariances of Pythia-1.4B against those of the leading terms.

Checkpoints and corpora are not shipped with the paper and are not loaded here; what is printed are
pictures.  `twofold covariances` makes the comparison for a checkpoint in a local folder.
"""

from __future__ import annotations

from sympy import Symbol

from claims.domain import Domain, Real, Size
from claims.im2026.boxes import given
from claims.im2026.notation import layer, source
from claims.model import Claim, Hypothesis
from claims.statement import Compare, ForAll, measured_family

last_layer = Symbol("L", integer=True, positive=True)
early, late = (Symbol(name, integer=True, nonnegative=True) for name in ("s_0", "s_1"))
share = Symbol("epsilon", positive=True)
attention_cosine, embedding_cosine = (
    measured_family(
        rf"\cos(\mathrm{{{{Cov}}}}\,{what}_{{{{({{}})}}}},\mathrm{{{{Cov}}}}\,{leading})_{{{{s={{}}}}}}"
    )
    for what, leading in (("A", r"\bar Q"), ("E", r"\bar\Phi^\top\bar B^\top"))
)

pythia_is_near_the_leading_terms_early = Claim(
    id="im2026.fig-6-7-8.pythia",
    source=source("Sec. 5.2 and App. B", "Figs. 6 to 8"),
    kind="experiment",
    title="Covariances of Pythia-1.4B are near those of the leading terms early, and less so later.",
    statement=ForAll(
        layer, 2, last_layer,
        Compare(attention_cosine(layer, early), ">=", share)
        & Compare(attention_cosine(layer, late), "<", attention_cosine(layer, early)),
    )
    & ForAll(
        layer, 1, last_layer,
        Compare(embedding_cosine(layer, early), ">=", share)
        & Compare(embedding_cosine(layer, late), "<", embedding_cosine(layer, early)),
    ),
    domain=Domain(
        (Size(last_layer, 24, 24), Size(early, 0), Size(late, 1), Real(share, 0, 1, open_low=True)),
        (given(Compare(early, "<", late)),),
    ),
    left_open=(early, late, share),
    hypotheses=(
        Hypothesis(r"\text{Pythia-1.4B and 100000 samples of OpenWebText or FineWeb}"),
        Hypothesis(r"\text{rows of the leading terms of unit norm; covariances over tokens}"),
        Hypothesis(r"s_0,s_1,\epsilon:\ \text{early, late, high; not printed}"),
    ),
    note=(
        "checkpoints and corpora are not shipped, the curves are printed as pictures without numbers, and "
        "nothing says how high is high, nor whether covariances are centred. Left out are that the drift "
        "starts \"with the earlier layers\" and that Pythia \"still maintains these features to a large "
        "extent\". "
        "Of the figures the individual heads of Fig. 7, where earlier layers are slower and the heads of "
        "layer 13 part first, and the ablation of the MLP are not encoded. "
        "`twofold covariances FOLDER --tokens FILE` computes the cosines of every layer for a checkpoint in "
        "a local folder, and is tested on small random models"
    ),
)  # fmt: skip
