r"""Sec. 4.2.2 (2) and 4.2.3: the value matrix, and how leading terms work together in one layer."""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix

from claims.domain import Domain, Point, Size
from claims.im2026.bigrams import MATRIX, every_word
from claims.im2026.boxes import ZERO_START, UpTo, in_every_layer, leading_count
from claims.im2026.contexts import MAP, composed
from claims.im2026.corpora import (
    CORPORA,
    bigram_map,
    context_map,
    first_tokens,
    interchangeability,
    next_tokens,
    position_map,
    scores,
    uniform_output,
    word_map,
)
from claims.im2026.first_steps import Network, attention_of, logits_of
from claims.im2026.notation import N, T, depth, eta, i, j, k, layer, m, s, source, t, words
from claims.im2026.series import coefficients
from claims.model import Claim, Hypothesis
from claims.statement import Compare, ForAll, Formula
from claims.terms import evaluated, family

STEPS = Domain((*CORPORA.variables[:3], Size(depth, 1, 2), Size(s, 0, 4), *CORPORA.variables[3:]))


def composed_value_map(at: Point) -> Any:
    r"""$\bar\Phi^\top\bar B^\top$."""
    return evaluated(context_map, at).T * evaluated(bigram_map, at).T


leading_value = family(
    r"[\eta^2]V^{{({})}}_{{{}{}}}",
    lambda at, place, row, column: coefficients(at, "V", 2)[place - 1][row - 1, column - 1],
)
"""The coefficient of eta^2 in the value matrix of a layer after s steps, by power series of the network."""
composed_value = family(
    r"(\bar\Phi^\top\bar B^\top)_{{{}{}}}",
    lambda at, row, column: evaluated(composed_value_map, at)[row - 1, column - 1],
)

leading_value_matrix_is_a_composition = Claim(
    id="im2026.sec-4.2.2.value",
    source=source("Sec. 4.2.2", "(2)"),
    kind="prose",
    title="To leading order the value matrix is the context map composed with the bigram map.",
    statement=in_every_layer(
        every_word(
            j, k, body=Compare(leading_value(layer, j, k), "=", s * (s - 1) / 2 * composed_value(j, k))
        )
    ),
    domain=STEPS,
    hypotheses=(ZERO_START, Hypothesis(r"s\ \text{full-batch steps, learning rate}\ \eta")),
    note=(
        "The coefficient of $\\eta^2$ of $V^{(l)}$ after $s$ steps, for every $s$ and layer: $V^{(l)}$ is a "
        "smooth function of $\\eta$ that vanishes with its first derivative at $\\eta=0$."
    ),
)  # fmt: skip

# One layer with leading terms for its weights ------------------------------------------------------


def attentions(at: Point) -> tuple[ImmutableDenseMatrix, ...]:
    r"""$\mathcal S(\mathrm{Mask}(X\bar QX^\top+\mathrm{DM}(\Delta)))$ of every sequence."""
    by_words, positions = evaluated(word_map, at), evaluated(position_map, at)
    leading = Network(
        by_words, positions, evaluated(composed_value_map, at), evaluated(bigram_map, at)
    )
    return tuple(attention_of(leading, x) for x in first_tokens(at))


def model(at: Point) -> tuple[Any, ...]:
    """Definition 3.1 with one layer: F = h W_O with h = X + A X V, leading terms for all weights."""
    value, output = evaluated(composed_value_map, at), evaluated(bigram_map, at)
    hidden = (
        x + a * x * value for x, a in zip(first_tokens(at), evaluated(attentions, at), strict=True)
    )
    return tuple(h * output for h in hidden)


def displayed(at: Point) -> tuple[Any, ...]:
    """Eq. (12), factor by factor."""
    context_, bigrams = evaluated(context_map, at), evaluated(bigram_map, at)
    return tuple(
        (a * x * context_.T * bigrams.T + x) * bigrams
        for x, a in zip(first_tokens(at), evaluated(attentions, at), strict=True)
    )


def mapped_map(at: Point) -> Any:
    r"""$\bar\Phi^\top\Sigma_{\bar B}$."""
    return evaluated(context_map, at).T * evaluated(interchangeability, at)


def of_sequences(name: str, matrices: Any) -> Any:
    """Entries of a matrix of each sequence."""
    return family(
        name, lambda at, text, row, column: evaluated(matrices, at)[text][row - 1, column - 1]
    )


attended = of_sequences(
    r"(AX)^{{({})}}_{{{}{}}}",
    lambda at: tuple(
        a * x for x, a in zip(first_tokens(at), evaluated(attentions, at), strict=True)
    ),
)
model_output = of_sequences(r"F(X)^{{({})}}_{{{}{}}}", model)
display = of_sequences(
    r"\bigl((AX\bar\Phi^\top\bar B^\top+X)\bar B\bigr)^{{({})}}_{{{}{}}}", displayed
)
residual_stream = of_sequences(
    r"(X\bar B)^{{({})}}_{{{}{}}}",
    lambda at: tuple(x * evaluated(bigram_map, at) for x in first_tokens(at)),
)
block = of_sequences(
    r"(AX\bar\Phi^\top\Sigma_{{\bar B}})^{{({})}}_{{{}{}}}",
    lambda at: tuple(
        a * x * evaluated(mapped_map, at)
        for x, a in zip(first_tokens(at), evaluated(attentions, at), strict=True)
    ),
)
mapped = family(
    r"(\bar\Phi^\top\Sigma_{{\bar B}})_{{{}{}}}",
    lambda at, row, column: evaluated(mapped_map, at)[row - 1, column - 1],
)


def every_output(body: Formula) -> Formula:
    """For all sequences, positions and words."""
    return ForAll(i, 0, N - 1, ForAll(t, 1, T, ForAll(j, 1, words, body)))


LEADING = Hypothesis(
    r"L=1,\ V^{(1)}=\bar\Phi^\top\bar B^\top,\ W^{(1)}=\bar Q,\ P^{(1)}=\Delta,\ W_O=\bar B:\ "
    r"\text{leading terms without their constants};\ "
    r"A=\mathcal S(\mathrm{Mask}(X\bar QX^\top+\mathrm{DM}(\Delta)))"
)
model_of_leading_terms = Claim(
    id="im2026.eq-12.model-leading",
    source=source("Sec. 4.2.3", "Eq. (12)"),
    kind="identity",
    title=(
        "By substitution: one layer with leading terms for its weights, constants dropped, computes what is "
        "displayed."
    ),
    statement=every_output(Compare(model_output(i, t, j), "=", display(i, t, j))),
    domain=CORPORA,
    hypotheses=(LEADING,),
    printed=(
        r"(\mathcal{S}(\text{Mask}(\mathbf{X}\bar{\mathbf{Q}}\mathbf{X}^\top + \text{DM}(\Delta))) "
        r"\mathbf{X}\bar{\Phi}^\top\bar{\mathbf{B}}^\top + \mathbf{X})\bar{\mathbf{B}}"
    ),
    note=(
        "What it tells is which products (12) has, in which order and with which transposes: Definition 3.1 "
        "with the maps of (5) to (8) for weights. Of the constants that are dropped that of the "
        "attention weights is no factor: `im2026.beyond.constant-inside-the-softmax`; nor is (12) the leading "
        "term in $\\eta$, as is said there."
    ),
)
attention_block_of_leading_terms = Claim(
    id="im2026.eq-13.attention-block",
    source=source("Sec. 4.2.3", "Eq. (13)"),
    kind="identity",
    title="The displayed model is the residual stream plus attended tokens under one map.",
    statement=every_output(
        Compare(display(i, t, j), "=", residual_stream(i, t, j) + block(i, t, j))
    ),
    domain=CORPORA,
    hypotheses=(LEADING,),
    printed=(
        r"\mathcal{S}(\text{Mask}(\mathbf{X}\bar{\mathbf{Q}}\mathbf{X}^\top + \text{DM}(\Delta))) "
        r"\mathbf{X}\bar{\Phi}^\top\Sigma_{\bar{\mathbf{B}}}"
    ),
)

# With the constants of the leading terms -----------------------------------------------------------


def _with_constants(at: Point) -> Network:
    """The leading terms of (5) to (8) after s steps."""
    rate, steps = at[eta], at[s]
    fourth = leading_count.subs(s, steps) * rate**4
    return Network(
        fourth * evaluated(word_map, at), fourth * evaluated(position_map, at),
        steps * (steps - 1) / 2 * rate**2 * evaluated(composed_value_map, at),
        steps * rate * evaluated(bigram_map, at),
    )  # fmt: skip


def _attended_with_constants(at: Point) -> tuple[Any, ...]:
    network = _with_constants(at)
    return tuple(attention_of(network, x) * x for x in first_tokens(at))


def _model_with_constants(at: Point) -> tuple[Any, ...]:
    network = _with_constants(at)
    return tuple(logits_of(network, x) for x in first_tokens(at))


def _block_with_constant(at: Point) -> tuple[Any, ...]:
    return tuple(
        shares * evaluated(mapped_map, at) for shares in evaluated(_attended_with_constants, at)
    )


attended_with_constant = of_sequences(r"(A_cX)^{{({})}}_{{{}{}}}", _attended_with_constants)
output_with_constants = of_sequences(r"F_c(X)^{{({})}}_{{{}{}}}", _model_with_constants)
block_with_constant = of_sequences(
    r"(A_cX\bar\Phi^\top\Sigma_{{\bar B}})^{{({})}}_{{{}{}}}", _block_with_constant
)
_AFTER_STEPS = Domain(
    (
        *CORPORA.variables[:3], Size(s, 3, 5), CORPORA.variables[3],
        UpTo(eta, 0, 1 / (12 * s), open_low=True),
    )
)  # fmt: skip
FIRST, SECOND = s * eta, s**2 * (s - 1) / 2 * eta**3
"""The constants of the residual stream and of the attention block."""
_CONSTANTS = Hypothesis(
    r"F_c:\ L=1,\ W_O=s\eta\bar B,\ V^{(1)}=\tbinom s2\eta^2\bar\Phi^\top\bar B^\top,\ W^{(1)}=c\bar Q,\ "
    r"P^{(1)}=c\Delta,\ c=\bigl(3\tbinom s4+2\tbinom s3\bigr)\eta^4:\ \text{as in Theorem 4.1}"
)
constant_stays_inside_the_softmax = Claim(
    id="im2026.beyond.constant-inside-the-softmax",
    source=source("Sec. 4.2.3", "Eqs. (12), (13)"),
    kind="identity",
    title=(
        r"One layer of leading terms with their constants computes $X\bar B$ and (13), each up to a factor, "
        "but for the constant of the attention weights, which stays inside the softmax."
    ),
    statement=every_output(
        Compare(
            output_with_constants(i, t, j), "=",
            FIRST * residual_stream(i, t, j) + SECOND * block_with_constant(i, t, j),
        )
    ),
    domain=_AFTER_STEPS,
    hypotheses=(
        _CONSTANTS,
        Hypothesis(r"A_c=\mathcal S(\mathrm{Mask}(c(X\bar QX^\top+\mathrm{DM}(\Delta))))"),
    ),
    uses=(model_of_leading_terms,),
    note=(
        r"The constants of $W_O$ and $V^{(1)}$ are factors of the output; that of $\bar Q$ and $\Delta$ is "
        r"not, since the softmax is not homogeneous: with $A$ for $A_c$ it fails (sequence $aba$, $s=3$, "
        r"$\eta=\frac1{36}$). No other $\alpha$, $\beta$ in the place of $s\eta$ and $s\tbinom "
        r"s2\eta^3$ serve: for the five sequences $aaa,abb,bab,bba,aaa$ of two words ($T=2$) $\Delta=0$, after "
        r"$b$ both words are as frequent, and a context that holds $a$ alone fixes $\alpha+\tfrac\beta{50}$, a "
        r"query $b$ after $a$ fixes $\beta/(1+e^{1/10^4})$, a query $a$ after $b$ what is left: all three fit "
        r"only for $c=1$. Nor is (12) the leading term in $\eta$: at the least order at which it appears the "
        r"attention is uniform, and $\bar Q$, $\Delta$ drop out. $c\le\tfrac18s^4\eta^4<6.1\cdot10^{-6}$ "
        r"within the horizon, so that $A_c$ is far nearer to uniform attention than $A$ is."
    ),
)  # fmt: skip

# The same feature ----------------------------------------------------------------------------------

score = of_sequences(
    r"\bigl((Y-U_O)\Sigma_{{\bar B}}\bar\Phi X^\top\bigr)^{{({})}}_{{{}{}}}", scores
)


def scores_of_mapped_tokens(at: Point) -> tuple[Any, ...]:
    """Inner products of centred next tokens with tokens mapped as the block maps what it attends to."""
    uniform = uniform_output(int(at[T]), int(at[words]))
    return tuple(
        (y - uniform) * (x * evaluated(mapped_map, at)).T
        for x, y in zip(first_tokens(at), next_tokens(at), strict=True)
    )


mapped_score = of_sequences(
    r"\bigl((Y-U_O)(X\bar\Phi^\top\Sigma_{{\bar B}})^\top\bigr)^{{({})}}_{{{}{}}}",
    scores_of_mapped_tokens,
)
attention_scores_what_the_block_would_predict = Claim(
    id="im2026.sec-4.2.3.same-feature",
    source=source("Sec. 4.2.3", "after Eq. (13)"),
    kind="prose",
    title="A token is scored by what the block would make of it, held against the next token.",
    statement=every_word(j, k, body=Compare(mapped(k, j), "=", composed(j, k)))
    & ForAll(
        i, 0, N - 1,
        ForAll(t, 1, T, ForAll(m, 1, T, Compare(score(i, t, m), "=", mapped_score(i, t, m)))),
    ),
    domain=CORPORA,
    hypotheses=(MATRIX, MAP),
    note=(
        "$(\\bar\\Phi^\\top\\Sigma_{\\bar B})^\\top=\\Sigma_{\\bar B}\\bar\\Phi$, since $\\Sigma_{\\bar B}$ "
        "is symmetric; $\\bar Q$ and $\\Delta$ are made of these scores."
    ),
)  # fmt: skip
