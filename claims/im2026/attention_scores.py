r"""Sec. 4.2.2 (3), (4), App. A and Eq. (82): how $\bar Q$ and $\Delta$ are made of scores.

The score of row $t$ and column $m$ is that of the output token $X_i^{[t+1]}$ and the input token
$X_i^{[m]}$.  Positions and words count from one, sequences from zero.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sympy import (
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Rational,
    Sum,
    Symbol,
    ZeroMatrix,
    sqrt,
)
from sympy.matrices.expressions import MatMul, MatrixExpr

from claims.definitions import frobenius_square
from claims.domain import Array, Computed, Domain, Point, Size
from claims.expressions import explicit
from claims.im2026.backpropagation import (
    TENSOR,
    Applied,
    EachSample,
    OverSamples,
    SubDiagonals,
    generic,
    one_of,
)
from claims.im2026.corpora import (
    CORPORA,
    centred_scores,
    context_map,
    first_tokens,
    interchangeability,
    next_tokens,
    position_map,
    scores,
    uniform_attention,
    word_map,
)
from claims.im2026.layered_gradients import TOKENS
from claims.im2026.notation import N, T, i, j, k, m, sequences, source, t, words
from claims.im2026.one_layer_gradients import TARGETS, TENSOR_D, X, Y
from claims.model import Claim, Hypothesis, Relation, Understood
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import entry, family

token = entry(sequences)
Statistic = Callable[[Point], tuple[ImmutableDenseMatrix, ...]]


def _once(statistic: Statistic) -> Statistic:
    """A statistic that is computed once for a corpus, however many entries are asked for."""

    @lru_cache(maxsize=512)
    def of(count: Any, length: Any, vocabulary: Any, corpus: Any) -> Any:
        return statistic({N: count, T: length, words: vocabulary, sequences: corpus})

    return lambda at: of(at[N], at[T], at[words], at[sequences])


def _entries(name: str, statistic: Statistic) -> Any:
    """Entry (t, m) of the matrix of sequence i."""
    once = _once(statistic)
    return family(name, lambda at, i, t, m: once(at)[i][t - 1, m - 1])


def _stacked(statistic: Statistic) -> Callable[[Point], ImmutableDenseMatrix]:
    return lambda at: ImmutableDenseMatrix.vstack(*statistic(at))


def without_baseline(at: Point) -> tuple[ImmutableDenseMatrix, ...]:
    r"""$Y_i\Sigma_{\bar B}\bar\Phi X_i^\top$: the scores without $U_O$."""
    feature = interchangeability(at) * context_map(at)
    pairs = zip(first_tokens(at), next_tokens(at), strict=True)
    return tuple(y * feature * x.T for x, y in pairs)


score = _entries(r"(M_{{{}}})_{{{},{}}}", scores)
centred = _entries(r"(Q_{{{}}})_{{{},{}}}", centred_scores)
association = _entries(r"g_{{{}{}{}}}", without_baseline)
based = _entries(r"\bar g_{{{}{}{}}}", scores)
_centred = _once(centred_scores)
row_sum = family(
    r"\sum_{{m=1}}^T(Q_{{{}}})_{{{},m}}", lambda at, i, t: sum(_centred(at)[i].row(t - 1))
)

SCORES = Hypothesis(r"M_i=(Y_i-U_O)\Sigma_{\bar B}\bar\Phi X_i^\top")
CENTRED = Hypothesis(
    r"Q_i=\mathrm{ein}_{tjk,tk\to tj}(J,M_i),\ J_t=\mathrm{Diag}(a_t)-a_t^\top a_t,\ a_t=A_0^{[t]}"
)


def in_every_sequence(body: Formula, index: Symbol = t) -> ForAll:
    """For every sequence and position."""
    return ForAll(i, 0, N - 1, ForAll(index, 1, T, body))


def recipe(own: Any, place: Any, family_: Any = score, weighted: bool = True) -> Any:
    """A score less the mean of its row up to the position, over the position."""
    mean = Sum(family_(i, own, k), (k, 1, own)) / own
    return (family_(i, own, place) - mean) / (own if weighted else 1)


_centring = in_every_sequence(
    ForAll(m, 1, t, Compare(centred(i, t, m), "=", recipe(t, m)))
    & ForAll(m, t + 1, T, Compare(centred(i, t, m), "=", 0))
)
centring_by_the_softmax_jacobian = Claim(
    id="im2026.eq-16.Qi",
    source=source("App. A", "Eq. (16)"),
    kind="construction",
    title=r"$Q_i$ is the masked score less its row's mean, divided by the position.",
    statement=_centring,
    domain=CORPORA,
    hypotheses=(SCORES, CENTRED),
    printed=(
        r"\mathbf{Q}_i = \text{ein}_{tjk, tk \rightarrow tj}(\mathbf{J}_i, (\mathbf{Y}_i - \mathbf{U}_O) "
        r"\Sigma_{\bar{\mathbf{B}}} \bar{\Phi} \mathbf{X}_i^\top)"
    ),
    note=(
        "The “masking operator” $J_i$ is the Jacobian of the softmax at uniform attention, the same for "
        "all $i$."
    ),
)
rows_sum_to_zero = Claim(
    id="im2026.appA.rows-sum-zero",
    source=source("App. A", "Masking and centering"),
    kind="identity",
    title=r"The scores of each output token, a row of $Q_i$, sum to zero.",
    statement=Relation(r"Q_i1_T", (ZeroMatrix(N * T, 1),)),
    define=lambda at: _stacked(centred_scores)(at) * ImmutableDenseMatrix.ones(int(at[T]), 1),
    domain=CORPORA,
    hypotheses=(SCORES, CENTRED),
    uses=(centring_by_the_softmax_jacobian,),
    note="Columns, the scores of an input token, do not sum to zero.",
)
Q, C = one_of("Q_i", T), one_of("C_i", T)


def by_the_recipe(at: Point) -> tuple[ImmutableDenseMatrix, ...]:
    """Scores with future tokens masked, less the mean of what is left of the row, over its length."""
    found = []
    for matrix in scores(at):
        rows = []
        for place in range(matrix.rows):
            kept = list(matrix[place, : place + 1])
            mean = sum(kept) / len(kept)
            masked = [0] * (matrix.rows - len(kept))
            rows.append([(x - mean) / len(kept) for x in kept] + masked)
        found.append(ImmutableDenseMatrix(rows))
    return tuple(found)


_SHARE = 1 / (N * T)
_with_q = Domain((*CORPORA.variables, TOKENS, Computed(Q, _stacked(centred_scores))))
_with_recipe = Domain((*CORPORA.variables, TOKENS, Computed(C, _stacked(by_the_recipe))))
_MASKED = Hypothesis(
    r"(C_i)_{tm}=\tfrac1t\bigl((M_i)_{tm}-\tfrac1t\sum_{k\le t}(M_i)_{tk}\bigr)\ (m\le t),\ 0\ \text{else}"
)
word_pairs = Claim(
    id="im2026.eq-14.Qbar",
    source=source("App. A", "Eqs. (14), (17)"),
    kind="construction",
    title=r"$\bar Q$ is $Q_i$ summed over places of words, over $NT$: rows current, columns prefix words.",
    statement=Relation(r"\bar Q", (MatMul(_SHARE, OverSamples(X.T * Q * X)),)),
    define=word_map,
    domain=_with_q,
    hypotheses=(SCORES, CENTRED),
    uses=(centring_by_the_softmax_jacobian,),
    probes=(generic(_with_q),),
    printed=(
        r"\bar{\mathbf{Q}} = \frac{1}{NT} \sum_{i=1}^N \mathbf{X}_i^\top \mathbf{Q}_i \mathbf{X}_i"
    ),
    note=(
        "“Average correlations” are sums over the places where the two words stand, over $NT$: frequent "
        "pairs of words have large entries."
    ),
)
word_map_by_the_recipe = Claim(
    id="im2026.sec-4.2.2.Q-steps",
    source=source("Sec. 4.2.2", "(3), steps 1 to 3"),
    kind="construction",
    title=r"Scoring, masking, centring, division by the position, shift and averaging give $\bar Q$.",
    statement=Relation(r"\bar Q", (MatMul(_SHARE, OverSamples(X.T * C * X)),)),
    define=word_map,
    domain=_with_recipe,
    hypotheses=(SCORES, _MASKED),
    uses=(centring_by_the_softmax_jacobian, word_pairs),
    probes=(generic(_with_recipe),),
    note=(
        "“Normalized based on its position” is division by $t$. The next-to-query shift changes no number: "
        "row $t$ belongs to the output token $t+1$ and is counted for the token $t$ before it."
    ),
)
scores_by_distance = Claim(
    id="im2026.sec-4.2.2.Delta",
    source=source("Sec. 4.2.2", "(4)"),
    kind="construction",
    title=r"$\Delta_m$ is the sum of the same scores over pairs of positions that lie $m-1$ apart, over $NT$.",
    statement=Relation(r"\Delta", (MatMul(_SHARE, SubDiagonals(OverSamples(C))),)),
    define=position_map,
    domain=Domain((*_with_recipe.variables, TENSOR)),
    hypotheses=(SCORES, _MASKED, TENSOR_D),
    uses=(centring_by_the_softmax_jacobian,),
    probes=(generic(Domain((*_with_recipe.variables, TENSOR))),),
    note=(
        r"No average over the pairs, of which there are $N(T-m+1)$. Theorem 4.1 and the opening of Sec. 4.2 "
        r"write $\bar\Delta$, the rest of the paper $\Delta$."
    ),
)

# Which index is the query -------------------------------------------------------------------------


def _scored(output: Symbol, place: Symbol) -> ForAll:
    """Q_jk is the centred score of an output token and every input token up to it."""
    mean = Sum(score(i, output, m), (m, 1, output)) / output
    value = (score(i, output, place) - mean) / output
    every = ForAll(place, 1, output, Compare(centred(i, j, k), "=", value))
    return in_every_sequence(every, output)


output_row = Claim(
    id="im2026.appA.Qijk-index.repair",
    parent="im2026.appA.Qijk-index",
    source=source("App. A"),
    kind="prose",
    title=r"$Q_{i_{jk}}$ measures the token at position $j+1$ against the token at position $k\le j$.",
    statement=_scored(j, k),
    domain=CORPORA,
    hypotheses=(SCORES, CENTRED),
)
output_column = Claim(
    id="im2026.appA.Qijk-index",
    source=source("App. A"),
    kind="prose",
    title=r"$Q_{i_{jk}}$ is said to measure the token at position $j$ against the token at position $k+1$.",
    statement=_scored(k, j),
    domain=CORPORA,
    hypotheses=(SCORES, CENTRED),
    severity="misprint",
    repair=output_row,
    uses=(centring_by_the_softmax_jacobian,),
    note=(
        r"By Eq. (16) rows of $Q_i$ are output tokens, and $Q_{i_{jk}}=0$ for $k>j$: read as printed, all "
        r"pairs but those of the diagonal would have no score. $X_i^\top Q_iX_i$ is right."
    ),
)

# The proof of Lemma D.6 ---------------------------------------------------------------------------


eq_82_by_rows = Claim(
    id="im2026.eq-82.Qi-rows.repair",
    parent="im2026.eq-82.Qi-rows",
    source=source("App. D.1", "proof of Lemma D.6, Eq. (82)"),
    kind="identity",
    title=r"Row $t$ holds $\frac1t(\bar g_{itj}-\mu_{g,it})$ for $j\le t$.",
    statement=in_every_sequence(
        ForAll(
            j, 1, t,
            Compare(centred(i, t, j), "=", recipe(t, j, based)),
        )
    ),
    domain=CORPORA,
    hypotheses=(CENTRED,),
)  # fmt: skip
eq_82_by_columns = Claim(
    id="im2026.eq-82.Qi-rows",
    source=source("App. D.1", "proof of Lemma D.6, Eq. (82)"),
    kind="identity",
    title=r"Row $t$ is displayed with the entries $\bar g_{ijt}-\mu_{g,it}$ for $j\le t$.",
    statement=in_every_sequence(
        ForAll(
            j, 1, t,
            Compare(centred(i, t, j), "=", based(i, j, t) - Sum(based(i, k, t), (k, 1, t)) / t),
        )
    ),
    domain=CORPORA,
    hypotheses=(
        CENTRED,
        Hypothesis(r"\mu_{g,it}\ \text{is the mean of the entries, so that the row sums to zero}"),
    ),
    severity="misprint",
    repair=eq_82_by_rows,
    printed=(
        r"2\eta^3 \left( \begin{bmatrix} \bar{g}_{i1t} \\ \vdots \\ \bar{g}_{itt} \\ 0 \\ \vdots \\ 0 "
        r"\end{bmatrix} - \begin{bmatrix} \mu_{g, it} \\ \vdots \\ \mu_{g, it} \\ 0 \\ \vdots \\ 0 "
        r"\end{bmatrix} \right)^\top"
    ),
    note=(
        r"Two slips: $J_t$ multiplies the $t$-th row of the scores (the text says column), so that "
        r"the entries are $\bar g_{itj}$; and the factor $\frac1t$, which the line after names, is not "
        "displayed. The factor $2\\eta^3$ is left out on both sides here: the sentence calls the matrix with "
        "it $Q_i$, and (83) has it a second time."
    ),
)  # fmt: skip
SQUARE, CONTEXT = (MatrixSymbol(name, words, words) for name in (r"\Sigma_{\bar B}", r"\bar\Phi"))
_maps = Domain((
    *CORPORA.variables, TOKENS, TARGETS,
    Computed(SQUARE, interchangeability), Computed(CONTEXT, context_map),
))  # fmt: skip
_MATRIX = r"(Y_i-U_O)\Sigma_{\bar B}\bar\Phi X_i^\top"


_stacked_scores = _stacked(scores)


without_the_baseline: MatrixExpr = EachSample(Y * SQUARE * CONTEXT * X.T)
scores_of_pairs = Claim(
    id="im2026.eq-15.scores",
    source=source("App. A", "Eq. (15)"),
    kind="construction",
    title=r"The score of a pair is the entry of $\Sigma_{\bar B}\bar\Phi$ at its output and input words.",
    statement=Relation(_MATRIX, (without_the_baseline,)),
    define=_stacked_scores,
    domain=_maps,
    hypotheses=(Hypothesis(r"\text{rows of }X_i\text{ and }Y_i\text{ are one-hot}"),),
    probes=(generic(_maps),),
    printed=(
        r"(\mathbf{Y}_i - \mathbf{U}_O) \Sigma_{\bar{\mathbf{B}}} \bar{\Phi} \mathbf{X}_i^\top"
    ),
    note=(
        r"The baseline $U_O$ changes nothing: rows of $\bar B$ sum to zero, so that $U_O\Sigma_{\bar B}=0$. "
        r"An entry of $\Sigma_{\bar B}\bar\Phi$, “the average product of path weights”, is their sum over "
        r"$|\mathcal V|$ paths."
    ),
)
baseline_changes_nothing = Claim(
    id="im2026.g.row-sums.repair",
    parent="im2026.g.row-sums",
    source=source("App. D.1", "proof of Lemma D.6, after Eq. (81)"),
    kind="identity",
    title=r"The elements $\bar g_{ijk}$ of $(Y_i-U_O)GX_i^\top$ are those of $Y_iGX_i^\top$.",
    statement=Relation(r"(Y_i-U_O)GX_i^\top", (without_the_baseline,)),
    define=_stacked_scores,
    domain=_maps,
    hypotheses=(Hypothesis(r"G=\Sigma_{\bar B}\bar\Phi"),),
    probes=(generic(_maps),),
    note="The same as `im2026.eq-15.scores`.",
)
baseline_centres_rows = Claim(
    id="im2026.g.row-sums",
    source=source("App. D.1", "proof of Lemma D.6, after Eq. (81)"),
    kind="prose",
    title=r"$U_O$ is said to centre the elements $\bar g_{ijk}$ of $(Y_i-U_O)GX_i^\top$ to row sums of zero.",
    statement=in_every_sequence(Compare(Sum(based(i, t, k), (k, 1, T)), "=", 0)),
    domain=CORPORA,
    hypotheses=(Hypothesis(r"G=\Sigma_{\bar B}\bar\Phi"),),
    understood=(
        Understood(
            r"$\bar G$ is $G$", r"the text defines $G$, and forms $2\eta^3Y_i\bar GX_i^\top$"
        ),
    ),
    severity="material",
    repair=baseline_changes_nothing,
    note=(
        "$U_O$ centres over words and not over positions, and here it does nothing at all. Rows are centred by "
        "$J_t$ afterwards, so that $Q_i$ and what follows do not suffer."
    ),
)

# The norm of J_t ----------------------------------------------------------------------------------

length = Symbol("t", integer=True, positive=True)


def norm_of_the_jacobian(at: Point) -> Any:
    """The largest eigenvalue of Diag(a) - a^T a for the uniform row a; none is negative."""
    size = int(at[length])
    row = ImmutableDenseMatrix(1, size, [Rational(1, size)] * size)
    jacobian = ImmutableDenseMatrix.diag(*row) - row.T * row
    return max(jacobian.eigenvals())


_NORM = Relation(r"\|J_t\|", (1 / length,))
norm_from_two_tokens_on = Claim(
    id="im2026.J.norm.repair",
    parent="im2026.J.norm",
    source=source("App. D.1", "proof of Lemma D.6, Eq. (83)"),
    kind="identity",
    title=r"For $t\ge2$ the softmax Jacobian of a uniform row of length $t$ has norm $1/t$.",
    statement=_NORM,
    define=norm_of_the_jacobian,
    domain=Domain((Size(length, 2, 6),)),
)
norm_of_a_uniform_row = Claim(
    id="im2026.J.norm",
    source=source("App. D.1", "proof of Lemma D.6, Eq. (83)"),
    kind="identity",
    title=r"The softmax Jacobian $J_t$ of a uniform row of length $t$ has norm $1/t$.",
    statement=_NORM,
    define=norm_of_the_jacobian,
    domain=Domain((Size(length, 1, 6),)),
    probes=({length: Integer(1)},),
    severity="missing-hypothesis",
    repair=norm_from_two_tokens_on,
    printed=r"\|J_t\| = 1/t",
    note=(
        "$J_1=0$, as the proof of Theorem D.7 knows. Eq. (83) needs $\\|J_t\\|\\le1/t$ alone, which "
        "holds for all $t$."
    ),
)

# The norm of the einsum ---------------------------------------------------------------------------

A_0, M = (MatrixSymbol(name, T, T) for name in ("A_0", "M"))
_MATRICES = Domain((Size(T, 1, 4), Array(M, 3)))


@lru_cache(maxsize=512)
def _contracted(size: int, matrix: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """Row t is the softmax Jacobian of row t of A_0 times row t of the matrix."""
    return explicit(
        Applied(M, A_0, Symbol("J")), {T: size, M: matrix, A_0: uniform_attention(size)}
    )


def _einsum(at: Point) -> ImmutableDenseMatrix:
    return _contracted(int(at[T]), at[M])


contracted = family(r"E_{{{}{}}}", lambda at, t, k: _einsum(at)[t - 1, k - 1])
whole = Quantity(r"\|E\|_F^2", lambda at: frobenius_square(_einsum(at)))
columns = Quantity(
    r"\sum_{k=1}^T\|E_{:k}\|",
    lambda at: sum(sqrt(frobenius_square(_einsum(at).col(place))) for place in range(int(at[T]))),
)
rows = Quantity(
    r"\sum_{t=1}^T\|J_tM^{[t]\top}\|^2",
    lambda at: sum(frobenius_square(_einsum(at).row(place)) for place in range(int(at[T]))),
)
_EINSUM = Hypothesis(
    r"E=\mathrm{ein}_{tjk,tk\to tj}(J,M),\ J_t=\mathrm{Diag}(a_t)-a_t^\top a_t,\ a_t=A_0^{[t]},\ "
    r"M\in\mathbb R^{T\times T}"
)
einsum_by_squares_of_rows = Claim(
    id="im2026.eq-83.einsum.repair",
    parent="im2026.eq-83.einsum",
    source=source("App. D.1", "proof of Lemma D.6, after Eq. (83)"),
    kind="identity",
    title="The squared norm of the einsum is the sum of the squared norms of its rows.",
    statement=Compare(whole, "=", rows),
    domain=_MATRICES,
    hypotheses=(_EINSUM,),
)
einsum_by_norms_of_columns = Claim(
    id="im2026.eq-83.einsum",
    source=source("App. D.1", "proof of Lemma D.6, after Eq. (83)"),
    kind="identity",
    title="The squared norm of the einsum is said to be the sum of the norms of its columns.",
    statement=Compare(whole, "=", columns),
    domain=_MATRICES,
    hypotheses=(_EINSUM,),
    severity="misprint",
    repair=einsum_by_squares_of_rows,
    note=(
        r"The norms must be squared. Squares of columns have the same sum; but $J_t$ makes row $t$, so that "
        r"rows are what $\|J_t\|$ bounds. Eq. (83) needs the sum of squares and is right "
        "(`im2026.eq-83.gradW`)."
    ),
)
