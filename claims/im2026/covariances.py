r"""Figs. 6 to 8: token covariances of Pythia-1.4B against those of the leading terms.

Checkpoints and corpora are not shipped with the paper and are not loaded here; what is printed are
pictures.  `twofold covariances` makes the comparison for a checkpoint in a local folder.
"""

from __future__ import annotations

from typing import Any

from sympy import Matrix, MatrixSymbol, Symbol, ones, zeros

from claims.domain import Array, Choice, Condition, Domain, Point, Real, Size
from claims.im2026.bigrams import every_word
from claims.im2026.notation import j, k, layer, source, words
from claims.model import Claim, Hypothesis
from claims.statement import Compare, ForAll, measured_family
from claims.terms import family

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
        (Condition.of(Compare(early, "<", late)),),
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

# Shifts of the embeddings -------------------------------------------------------------------------

width = Symbol("d", integer=True, positive=True)
centred = Symbol("centred")
OVER_TOKENS, OVER_FEATURES = "tokens", "features"
embeddings, shift = MatrixSymbol("E", words, width), MatrixSymbol("c", width, 1)


def _covariance(at: Point, rows: Matrix) -> Matrix:
    """The rows' inner products once their columns, or they themselves, have mean zero."""
    count, features = rows.shape
    if at[centred] == OVER_TOKENS:
        rows = rows - ones(count, count) * rows / count
    else:
        rows = rows - rows * ones(features, features) / features
    return rows * rows.T


def _shifted(at: Point) -> Matrix:
    return at[embeddings] + ones(at[embeddings].rows, 1) * at[shift].T


covariance, covariance_of_shifted = (
    family(name, lambda at, row, column, rows=rows: _covariance(at, rows(at))[row - 1, column - 1])
    for name, rows in (
        (r"\mathrm{{Cov}}(E)_{{{}{}}}", lambda at: at[embeddings]),
        (r"\mathrm{{Cov}}(E+\mathbf1c^\top)_{{{}{}}}", _shifted),
    )
)


def _pair(way: str) -> dict[Any, Any]:
    """Two tokens at zero, which a shift moves to $(1,-1)$."""
    return {
        words: 2, width: 2, centred: way, embeddings: zeros(2, 2).as_immutable(),
        shift: Matrix([1, -1]).as_immutable(),
    }  # fmt: skip


covariances_do_not_see_shifts = Claim(
    id="im2026.sec-5.2.shifts",
    source=source("Sec. 5.2", "Embedding correlations"),
    kind="prose",
    title="The covariance matrix of the embeddings of all tokens does not change when they shift.",
    statement=every_word(j, k, body=Compare(covariance_of_shifted(j, k), "=", covariance(j, k))),
    domain=Domain(
        (
            Size(words, 1, 3), Size(width, 1, 3), Choice(centred, (OVER_TOKENS, OVER_FEATURES)),
            Array(embeddings), Array(shift),
        )
    ),
    left_open=(centred,),
    hypotheses=(
        Hypothesis(
            r"\text{shift:}\ E\mapsto E+\mathbf1c^\top,\ \text{one vector}\ c\ \text{added to every row of}\ E"
        ),
        Hypothesis(
            r"\mathrm{Cov}(E)=MM^\top\ \text{up to a factor},\ M=E-\tfrac1{|\mathcal V|}\mathbf1\mathbf1^\top "
            r"E\ (\text{over tokens})\ \text{or}\ M=E-\tfrac1dE\mathbf1\mathbf1^\top\ (\text{over features}):\ "
            r"\text{not printed}"
        ),
    ),
    probes=(_pair(OVER_TOKENS), _pair(OVER_FEATURES)),
    note=(
        r"What is centred decides. “Furthermore, this enables us to control for shifts in the embedding "
        r"space”: with columns of mean zero over tokens it does, since "
        r"$(I-\tfrac1{|\mathcal V|}\mathbf1\mathbf1^\top)\mathbf1=0$. A covariance of tokens as variables and "
        r"features as observations, as `numpy.cov` computes it of $E$, has rows of mean zero, and does not: "
        r"for $E=0$, two tokens, $d=2$ and $c=(1,-1)$ it becomes $2\cdot\mathbf1\mathbf1^\top$. A rotation "
        r"of the embeddings leaves the first as it is, too."
    ),
)  # fmt: skip
