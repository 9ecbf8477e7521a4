r"""Sec. 4.2.1 (3) and Lemmas D.5, D.6: the context map as shares of prefixes.

Rows are current words and columns prefix words, as in Eqs. (11) and (39); $\Phi'$ of Eqs. (49)-(58) is
the transpose before centring.  Shares are counted in the tokens; maps are matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sympy import Expr, ImmutableDenseMatrix, Integer, Rational

from claims.domain import Point
from claims.im2026.bigrams import every_word
from claims.im2026.corpora import (
    CORPORA,
    context_map,
    first_tokens,
    interchangeability,
    next_tokens,
    tokens,
    uniform_attention,
    uniform_output,
)
from claims.im2026.interchangeability import sum_over_words
from claims.im2026.notation import N, T, i, j, k, source, t, words
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.statement import Compare, ForAll
from claims.terms import evaluated, family

MAP = Hypothesis(
    r"\bar\Phi=\Bigl(\frac1{NT}\sum_{i=1}^NX_i^\top A_0^\top(Y_i-U_O)\Bigr)^\top,\ "
    r"\Phi'=\frac1{NT}\sum_{i=1}^NX_i^\top A_0^\top Y_i"
)
EMPIRICAL = Hypothesis(
    r"\mathcal P(x_{t+1}=e_j,x_m=e_k):\ \text{share of the}\ N\ \text{sequences in which it is so}"
)
AFTER_THE_LAST = Understood(
    "Token $T+1$ of $X_i$ is the last one of $Y_i$: a sequence has $T+1$ tokens.",
    "$t=T$: $X_i$ has no row $T+1$",
)


def prefixes(at: Point) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every prefix with the token after it, of all sequences."""
    for text in evaluated(tokens, at):
        yield from ((text[:length], text[length]) for length in range(1, len(text)))


def over_prefixes(at: Point, term: Callable[[tuple[int, ...], int], Expr]) -> Expr:
    """The mean over all sequences and positions."""
    values = (term(prefix, token) for prefix, token in prefixes(at))
    return sum(values, start=Integer(0)) / (at[N] * at[T])


def average_share(at: Point, current: int, before: int) -> Expr:
    """(1/T) sum_t (1/t) sum_m P(x_(t+1) = current, x_m = before), position by position."""
    texts, total = evaluated(tokens, at), Integer(0)
    for length in range(1, int(at[T]) + 1):
        after = (text[:length] for text in texts if text[length] == current)
        together = sum(prefix.count(before) for prefix in after)
        total += Rational(together, length * len(texts))
    return total / at[T]


def share_in_prefixes(at: Point, word: int) -> Expr:
    """(1/T) sum_t (1/t) sum_m P(x_m = word), position by position."""
    texts, total = evaluated(tokens, at), Integer(0)
    for length in range(1, int(at[T]) + 1):
        found = sum(text[:length].count(word) for text in texts)
        total += Rational(found, length * len(texts))
    return total / at[T]


def mixed(at: Point, outputs: tuple[ImmutableDenseMatrix, ...]) -> ImmutableDenseMatrix:
    """(1/NT) sum_i X_i^T A_0^T times an output of each sequence."""
    mixing = uniform_attention(int(at[T])).T
    first, *rest = (x.T * mixing * y for x, y in zip(first_tokens(at), outputs, strict=True))
    return sum(rest, start=first) / (at[N] * at[T])


def uncentred_map(at: Point) -> ImmutableDenseMatrix:
    r"""$\Phi'^\top$."""
    return mixed(at, next_tokens(at)).T


def uniform_map(at: Point) -> ImmutableDenseMatrix:
    r"""$U_P$."""
    uniform = uniform_output(int(at[T]), int(at[words]))
    return mixed(at, (uniform,) * int(at[N]))


context = family(
    r"\bar\Phi_{{{}{}}}", lambda at, row, column: evaluated(context_map, at)[row - 1, column - 1]
)
uncentred = family(
    r"\Phi'_{{{1}{0}}}", lambda at, row, column: evaluated(uncentred_map, at)[row - 1, column - 1]
)
average = family(
    r"\frac1T\sum_{{t=1}}^T\frac1t\sum_{{m=1}}^t\mathcal P(x_{{t+1}}=e_{{{}}},x_m=e_{{{}}})",
    average_share,
)
mu = family(
    r"\mu_{{{}}}",
    lambda at, column: sum_over_words(at, lambda row: average_share(at, row, column)) / at[words],
)
column_sum = family(
    r"\sum_{{j=1}}^{{|\mathcal V|}}\bar\Phi_{{j{}}}",
    lambda at, column: sum(evaluated(context_map, at).col(column - 1)),
)
prefix_share = family(
    r"\frac1T\sum_{{t=1}}^T\frac1t\sum_{{m=1}}^t\mathcal P(x_m=e_{{{}}})", share_in_prefixes
)

context_map_by_shares_of_prefixes = Claim(
    id="im2026.eq-11.context",
    source=source("Sec. 4.2.1", "Eq. (11)"),
    kind="identity",
    title="The context map is the mean share of prefix words before a current word, columns centred.",
    statement=every_word(j, k, body=Compare(context(j, k), "=", average(j, k) - mu(k))),
    domain=CORPORA,
    hypotheses=(
        MAP,
        EMPIRICAL,
        Hypothesis(r"\mu_k:\ \text{the mean of the first term over}\ e_j"),
    ),
    printed=(
        r"\frac{1}{T} \sum_{k=1}^T \frac{1}{k} \sum_{m=1}^k \mathcal{P}_t(\text{the } k+1 "
        r"\text{-th token is } \mathbf{e}_i, \text{ the } m \text{-th token is } \mathbf{e}_j) - \mu_j"
    ),
)
columns_of_the_context_map_are_centred = Claim(
    id="im2026.eq-11.columns-centred",
    source=source("Sec. 4.2.1", "after Eq. (11)"),
    kind="identity",
    title="Columns of the context map sum to zero; what centres them is a share of prefixes.",
    statement=ForAll(
        k, 1, words,
        Compare(column_sum(k), "=", 0) & Compare(mu(k), "=", prefix_share(k) / words),
    ),
    domain=CORPORA,
    hypotheses=(MAP, EMPIRICAL),
    note=(
        "Rows do not sum to zero: row $j$ sums to the share of $e_j$ among the next tokens less "
        "$1/|\\mathcal V|$."
    ),
)  # fmt: skip

together = family(
    r"\mathcal P(e_{{{1}}}\in x_{{1:t}},x_{{t+1}}=e_{{{0}}})",
    lambda at, current, before: over_prefixes(
        at, lambda prefix, token: Integer(token == current and before in prefix)
    ),
)
CURRENT = Hypothesis(r"t\ \text{uniform on}\ 1,\dots,T,\ \text{the sequence uniform among all}")
context_map_is_a_mean_share = Claim(
    id="im2026.eq-39.probability.repair",
    parent="im2026.eq-39.probability",
    source=source("Lemma D.5", "Eqs. (39), (56)"),
    kind="identity",
    title="The uncentred entry is the mean share of a word in the prefix, at most how often it is there.",
    statement=every_word(
        j, k,
        body=Compare(uncentred(j, k), "=", average(j, k))
        & Compare(uncentred(j, k), "<=", together(j, k)),
    ),
    domain=CORPORA,
    hypotheses=(MAP, EMPIRICAL, CURRENT),
    note=(
        "It is the probability that $e_j$ is the current token and one token drawn uniformly from its "
        "prefix is $e_k$."
    ),
)  # fmt: skip
context_map_as_a_probability = Claim(
    id="im2026.eq-39.probability",
    source=source("Lemma D.5", "Eqs. (39), (56)"),
    kind="prose",
    title="The uncentred entry is called the probability that a word is in the prefix of the current one.",
    statement=every_word(j, k, body=Compare(uncentred(j, k), "=", together(j, k))),
    domain=CORPORA,
    hypotheses=(MAP, CURRENT),
    printed=(
        r"\bar{\Phi}_{jk} = \mathcal{P}(e_k \rightarrow e_j) - \mu_{\Phi,k},\quad "
        r"\Phi'_{jk} = \mathcal{P}(e_j \rightarrow e_k)"
    ),
    severity="misprint",
    repair=context_map_is_a_mean_share,
    note=(
        "Read by the lemma's words for $\\mathcal P(e_k\\to e_j)$: “the empirical probability that $e_j$ is "
        "the current token and $e_k$ is in its prefix”. The formulas are right: (11) and (54) average over the "
        "positions of the prefix, so that a word counts by its share there, and in (55) the symbol "
        "$\\mathcal P(e_j\\in x_{1:t},x_{t+1}=e_k)$ is defined as that average. What is wrong is the name. "
        "The two are equal only where all tokens of the prefix are one word; where they are distinct the "
        "entry is smaller by a factor of the length of the prefix. Nor is it the probability “given that $e_k$ "
        "is the current token” of the sentence before (56): it is a joint one. The sentence after (58) takes a "
        "mean share for a probability as well (`im2026.eq-57.UP`). No bound uses the name."
    ),
)  # fmt: skip

prefix_count = family(
    r"\gamma_{{{}}}(e_{{{}}},{})",
    lambda at, row, word, length: Integer(evaluated(tokens, at)[row][:length].count(word)),
)
mixed_entry = family(
    r"(X_{{{}}}^\top A_0^\top)_{{{}{}}}",
    lambda at, row, word, length: (first_tokens(at)[row].T * uniform_attention(int(at[T])).T)[
        word - 1, length - 1
    ],
)
by_counts = family(
    r"\frac1{{NT}}\sum_{{i=1}}^N\sum_{{t=1}}^T"
    r"1(x_{{t+1}}=e_{{{0}}})\frac{{\gamma_i(e_{{{1}}},t)}}t",
    lambda at, current, before: over_prefixes(
        at,
        lambda prefix, token: Rational(prefix.count(before) * (token == current), len(prefix)),
    ),
)
context_map_by_counts = Claim(
    id="im2026.eq-50.counts",
    source=source("Proof of Lemma D.5", "Eqs. (50)-(54)"),
    kind="identity",
    title="Uniform attention counts prefix words, and the mean over sequences can be taken first.",
    statement=ForAll(
        i, 0, N - 1,
        ForAll(t, 1, T, ForAll(j, 1, words, Compare(mixed_entry(i, j, t), "=", prefix_count(i, j, t) / t))),
    )
    & every_word(
        j, k,
        body=Compare(uncentred(k, j), "=", by_counts(k, j))
        & Compare(uncentred(k, j), "=", average(k, j)),
    ),
    domain=CORPORA,
    hypotheses=(MAP, EMPIRICAL),
    understood=(AFTER_THE_LAST,),
    printed=(
        r"\frac{\gamma_i(e_j, t)}{t},\quad \Phi'_{jk} = \frac{1}{NT} \sum_{i=1}^N \sum_{t=1}^T "
        r"\mathbb{1}(X_i^{[t+1]} = e_k) \frac{\gamma_i(e_j, t)}{t} = \frac{1}{T} \sum_{t=1}^T "
        r"\frac{1}{t} \sum_{m=1}^t \frac{1}{N} \sum_{i=1}^N \mathbb{1}(X_i^{[t+1]} = e_k, X_i^{[m]} = e_j)"
    ),
)  # fmt: skip

uniform_entry = family(
    r"(U_P)_{{{}{}}}", lambda at, row, column: evaluated(uniform_map, at)[row - 1, column - 1]
)
uniform_row_sum = family(
    r"\sum_k(U_P)_{{{}k}}", lambda at, row: sum(evaluated(uniform_map, at).row(row - 1))
)
uncentred_row_sum = family(
    r"\sum_k\Phi'_{{{}k}}", lambda at, row: sum(evaluated(uncentred_map, at).col(row - 1))
)
uniform_by_counts = family(
    r"\frac1{{NT}}\sum_{{i=1}}^N\sum_{{t=1}}^T\frac{{\gamma_i(e_{{{0}}},t)}}{{|\mathcal V|t}}",
    lambda at, word: over_prefixes(
        at, lambda prefix, token: Rational(prefix.count(word), len(prefix) * int(at[words]))
    ),
)
what_is_taken_off_the_context_map = Claim(
    id="im2026.eq-57.UP",
    source=source("Proof of Lemma D.5", "Eqs. (57)-(59)"),
    kind="identity",
    title="What centres the context map has the entries and the row sums that are said.",
    statement=every_word(
        j, k,
        body=Compare(uniform_entry(j, k), "=", uniform_by_counts(j))
        & Compare(uniform_entry(j, k), "=", prefix_share(j) / words)
        & Compare(uniform_row_sum(j), "=", uncentred_row_sum(j)),
    ),
    domain=CORPORA,
    hypotheses=(MAP, Hypothesis(r"U_P=\frac1{NT}\sum_{i=1}^NX_i^\top A_0^\top U_O")),
    printed=(
        r"U_{P_{jk}} = \frac{1}{NT} \sum_{i=1}^N \sum_{t=1}^T \frac{\gamma_i(e_j, t)}{|V|t} = "
        r"\frac{1}{T} \sum_{t=1}^T \frac{1}{t|V|} \sum_{m=1}^t \mathcal{P}(x_m = e_j)"
    ),
    note=(
        "It is the mean share of $e_j$ in the first $t$ tokens, and not, as the sentence after (58) says, the "
        "probability that $e_j$ is among them: of $e_1e_2$ with $T=2$ the share of $e_2$ is $1/4$, the "
        "probability $1/2$."
    ),
)  # fmt: skip

# The chain of the interchangeability map and the context map ---------------------------------------


def arrow(at: Point, before: int, current: int) -> Expr:
    """P(before -> current) less its mean over current words, Eq. (39)."""
    return average_share(at, current, before) - mu.define_at(at, before)


def chain(at: Point, start: int, term: Callable[[int], Expr]) -> Expr:
    """sum_m Sigma_(start, m) term(m)."""
    row = evaluated(interchangeability, at).row(start - 1)
    return sum_over_words(at, lambda word: row[word - 1] * term(word))


centred_arrow = family(r"\bar P(e_{{{}}}\to e_{{{}}})", arrow)


def composed_map(at: Point) -> ImmutableDenseMatrix:
    r"""$\Sigma_{\bar B}\bar\Phi$."""
    return evaluated(interchangeability, at) * evaluated(context_map, at)


composed = family(
    r"(\Sigma_{{\bar B}}\bar\Phi)_{{{}{}}}",
    lambda at, row, column: evaluated(composed_map, at)[row - 1, column - 1],
)
chain_into = family(
    r"\sum_{{m=1}}^{{|\mathcal V|}}(\Sigma_{{\bar B}})_{{{0}m}}\bar P(e_m\to e_{{{1}}})",
    lambda at, start, end: chain(at, start, lambda word: arrow(at, word, end)),
)
chain_out_of = family(
    r"\sum_{{m=1}}^{{|\mathcal V|}}(\Sigma_{{\bar B}})_{{{0}m}}\bar P(e_{{{1}}}\to e_m)",
    lambda at, start, end: chain(at, start, lambda word: arrow(at, end, word)),
)
ARROW = Hypothesis(
    r"\bar P(e_k\to e_m)=\bar\Phi_{mk}:\ e_k\ \text{in the prefix of}\ e_m,\ \text{Eq. (39)}"
)
composed_feature_looks_back = Claim(
    id="im2026.eq-81.chain.repair",
    parent="im2026.eq-81.chain",
    source=source("Proof of Lemma D.6", "Eq. (81)"),
    kind="identity",
    title="The composed feature says how much one word is in the prefix of words like another.",
    statement=every_word(j, k, body=Compare(composed(j, k), "=", chain_out_of(j, k))),
    domain=CORPORA,
    hypotheses=(ARROW,),
)
composed_feature_looks_ahead = Claim(
    id="im2026.eq-81.chain",
    source=source("Proof of Lemma D.6", "Eq. (81)"),
    kind="identity",
    title="The composed feature is said to be how often one word succeeds words like another.",
    statement=every_word(j, k, body=Compare(composed(j, k), "=", chain_into(j, k))),
    domain=CORPORA,
    hypotheses=(ARROW,),
    printed=(
        r"e_j \Sigma_{\bar{B}} \bar{\Phi} e_k^\top = \sum_{m=1}^{|V|} \Sigma_{\bar{B}jm} "
        r"\bar{P}(e_m \rightarrow e_k)"
    ),
    severity="material",
    repair=composed_feature_looks_back,
    note=(
        "By Eq. (39) $\\bar\\Phi_{mk}=\\bar P(e_k\\to e_m)$: the prefix word is $e_k$. The text below (81) "
        "repeats the reversed direction (“suffix token mapping”, how often $e_k$ succeeds $e_j$): $e_k$ "
        "precedes $e_j$ and words like it. $\\bar P(X_i^{[k]}\\to_2X_i^{[j+1]})$, for scores of a token of "
        "the prefix, has the right direction. No bound uses it. "
        "Centred over $e_m$ instead, (81) fails on the one sequence $e_1e_2$ with $|\\mathcal V|=2$."
    ),
)  # fmt: skip

path_average = family(
    r"\frac1{{|\mathcal V|}}\sum_{{m=1}}^{{|\mathcal V|}}(\Sigma_{{\bar B}})_{{{0}m}}\bar\Phi_{{m{1}}}",
    lambda at, start, end: (
        chain(at, start, lambda word: context.define_at(at, word, end)) / at[words]
    ),
)
PATHS = Hypothesis(
    r"\text{a path}\ e_j\to e_m\to e_k:\ \text{one step on}\ \Sigma_{\bar B},\ \text{one on}\ \bar\Phi,\ "
    r"m=1,\dots,|\mathcal V|"
)
composed_feature_averages_paths = Claim(
    id="im2026.sec-4.2.2.paths",
    source=source("App. A", "Feature composition"),
    kind="prose",
    title=(
        r"The composed feature corresponds to the average product of the weights of paths of two steps: it is "
        r"$|\mathcal V|$ times that."
    ),
    statement=every_word(j, k, body=Compare(composed(j, k), "=", words * path_average(j, k))),
    domain=CORPORA,
    hypotheses=(
        MAP,
        PATHS,
        Hypothesis(r"\text{corresponds to: is a multiple of, with one factor for all entries}"),
    ),
    mutants=(
        Mutant(
            "the average itself",
            every_word(j, k, body=Compare(composed(j, k), "=", path_average(j, k))),
        ),
    ),
    note=(
        r"An entry of a product of matrices is the sum over the $|\mathcal V|$ paths. (15) to (17) take the "
        r"product itself. “Average” is read no more strictly in the text on (17), `im2026.eq-14.Qbar`."
    ),
)
