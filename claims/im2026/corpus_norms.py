r"""Norms that the proofs of App. D use: of $A_0$, of residuals, of $\bar\Phi$."""

from __future__ import annotations

from typing import Any

from sympy import Integer, MatrixSymbol, log, sqrt

from claims.definitions import frobenius_square, softmax_at
from claims.domain import Array, Domain, Point, Real, Scaled, Size
from claims.im2026.boxes import norm
from claims.im2026.contexts import MAP
from claims.im2026.corpora import (
    CORPORA,
    context_map,
    next_tokens,
    uniform_attention,
    uniform_output,
)
from claims.im2026.notation import N, T, i, source, words
from claims.model import Claim, Hypothesis
from claims.statement import Compare, ForAll, Quantity
from claims.terms import family

# The discrete Hardy inequality ---------------------------------------------------------------------

x = MatrixSymbol("x", T, 1)


def _mixed(at: Point) -> Any:
    return sqrt(frobenius_square(uniform_attention(int(at[T])) * at[x]))


mixed = Quantity(r"\|A_0x\|", _mixed)
length = Quantity(r"\|x\|", lambda at: sqrt(frobenius_square(at[x])))
uniform_attention_has_norm_two = Claim(
    id="im2026.hardy.A0",
    source=source("App. D.1", "proof of Lemma D.5; Eq. (69)"),
    kind="bound",
    title=r"Uniform causal attention at most doubles a norm, whatever the length.",
    statement=Compare(mixed, "<=", 2 * length),
    domain=Domain((Size(T, 1, 4), Array(x, 3))),
    hypotheses=(
        Hypothesis(r"(A_0)_{tm}=1/t\ \text{for}\ m\le t,\ \text{else}\ 0;\ x\in\mathbb R^T"),
    ),
    printed=r"\|A_0\| \leq 2",
)

# Residuals ----------------------------------------------------------------------------------------

UNIT = log(Integer(2))
logits = MatrixSymbol("F", T, words)
RESIDUALS = Domain((*CORPORA.variables, Scaled(logits, height=2, unit=UNIT)))


def _residual(at: Point, place: int) -> Any:
    output = softmax_at(at[logits] / UNIT, Integer(2))
    return sqrt(frobenius_square(next_tokens(at)[place] - output))


def _first_residual(at: Point, place: int) -> Any:
    uniform = uniform_output(int(at[T]), int(at[words]))
    return sqrt(frobenius_square(next_tokens(at)[place] - uniform))


residual = family(r"\|Y_{{{}}}-\mathcal S(F)\|_F", _residual)
first_residual = family(r"\|Y_{{{}}}-U_O\|_F", _first_residual)
residuals_are_bounded = Claim(
    id="im2026.residual.sqrt2T",
    source=source("App. D.1", "proof of Lemma D.6, before Eq. (75) and (79)"),
    kind="bound",
    title="Residuals are at most the root of two for each token, and of one at the start.",
    statement=ForAll(
        i, 0, N - 1,
        Compare(residual(i), "<=", sqrt(2 * T)) & Compare(first_residual(i), "<=", sqrt(T)),
    ),
    domain=RESIDUALS,
    hypotheses=(Hypothesis(r"F\in\mathbb R^{T\times|\mathcal V|}\ \text{any logits}"),),
    printed=r"\|Y_i - S(F_\theta(X_i))\| \leq \sqrt{2T}, \quad \|Y_i - U_O\| \leq \sqrt{T}",
    note=(
        r"Shown of Frobenius norms, which the operator norms do not exceed; "
        r"$\|Y_i-U_O\|_F^2=T(1-1/|\mathcal V|)$."
    ),
)  # fmt: skip

# The context map ----------------------------------------------------------------------------------

inputs, mixing, outputs = (norm(name) for name in (r"\|X_i\|", r"\|A_0\|", r"\|Y_i-U_O\|"))
product = Quantity(
    r"\tfrac1T\|X_i\|\,\|A_0\|\,\|Y_i-U_O\|",
    lambda at: at[inputs] * at[mixing] * at[outputs] / at[T],
)
context_map_norm = Quantity(r"\|\bar\Phi\|_F", lambda at: sqrt(frobenius_square(context_map(at))))
context_map_is_bounded = Claim(
    id="im2026.eq-79.Phi-norm",
    source=source("App. D.1", "Eq. (79)"),
    kind="bound",
    title=r"The norm of the context map is at most two, and so is the product of the norms of its factors.",
    statement=Compare(context_map_norm, "<=", 2) & product.at_most(2),
    domain=Domain(
        (
            *CORPORA.variables,
            Real(inputs, 0, sqrt(T)), Real(mixing, 0, 2), Real(outputs, 0, sqrt(T)),
        )
    ),
    hypotheses=(
        MAP,
        Hypothesis(r"\|\bar\Phi\|\le\|\bar\Phi\|_F"),
        Hypothesis(r"\|X_i\|\le\sqrt T,\ \|A_0\|\le2,\ \|Y_i-U_O\|\le\sqrt T"),
    ),
    uses=(uniform_attention_has_norm_two, residuals_are_bounded),
    printed=(
        r"\|\bar{\Phi}\| \leq \frac{1}{T} \max_i \|X_i\| \|A_0\| \|Y_i - U_O\| \leq \frac{2}{T} T = 2"
    ),
    note=(
        r"The norm is shown of every corpus, for the Frobenius norm, and the last link for any norms within "
        r"the bounds. $\|\bar\Phi\|_F^2\le1-1/|\mathcal V|$ in fact: `im2026.beyond.context-norm`."
    ),
)  # fmt: skip
