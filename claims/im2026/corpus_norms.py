r"""Norms that the proofs of App. D use: of $A_0$, of residuals, of $\bar\Phi$."""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, log, sqrt

from claims.definitions import frobenius_square, softmax_at
from claims.domain import Array, Domain, Point, Real, Scaled, Size
from claims.im2026.boxes import norm
from claims.im2026.contexts import MAP
from claims.im2026.corpora import (
    CORPORA,
    context_map,
    first_tokens,
    next_tokens,
    one_hot,
    uniform_attention,
    uniform_output,
)
from claims.im2026.notation import N, T, i, sequences, source, words
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, ForAll, Formula, Quantity
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
after, before = MatrixSymbol("u", words, 1), MatrixSymbol("w", words, 1)


def _largest(at: Point) -> Any:
    mixing, uniform = uniform_attention(int(at[T])), uniform_output(int(at[T]), int(at[words]))
    pairs = zip(first_tokens(at), next_tokens(at), strict=True)
    return max(
        sqrt(
            frobenius_square(mixing * x * at[before]) * frobenius_square((y - uniform) * at[after])
        )
        for x, y in pairs
    )


form = Quantity(
    r"|u^\top\bar\Phi w|", lambda at: abs((at[after].T * context_map(at) * at[before])[0])
)
largest = Quantity(r"\max_i\|A_0X_iw\|\,\|(Y_i-U_O)u\|", _largest)
context_map_norm = Quantity(r"\|\bar\Phi\|_F", lambda at: sqrt(frobenius_square(context_map(at))))


def _bounded(bound: Any) -> Formula:
    """The links of Eq. (79), with a bound of the form."""
    return Compare(form, "<=", bound) & Compare(context_map_norm, "<=", 2) & product.at_most(2)


context_map_is_bounded = Claim(
    id="im2026.eq-79.Phi-norm",
    source=source("App. D.1", "Eq. (79)"),
    kind="bound",
    title=r"The norm of the context map is at most the product of the norms of its factors, and that two.",
    statement=_bounded(largest / T),
    mutants=(Mutant("half the product", _bounded(largest / (2 * T))),),
    domain=Domain(
        (
            *CORPORA.variables, Array(after, 3), Array(before, 3),
            Real(inputs, 0, sqrt(T)), Real(mixing, 0, 2), Real(outputs, 0, sqrt(T)),
        )
    ),
    hypotheses=(
        MAP,
        Hypothesis(
            r"\|M\|:\ \text{the least factor with}\ |u^\top Mw|\le\|M\|\|u\|\|w\|\ \text{for all}\ u,w;\ "
            r"\|\bar\Phi\|\le\|\bar\Phi\|_F"
        ),
        Hypothesis(r"\|X_i\|\le\sqrt T,\ \|A_0\|\le2,\ \|Y_i-U_O\|\le\sqrt T"),
    ),
    uses=(uniform_attention_has_norm_two, residuals_are_bounded),
    probes=(
        # One token and the next: the first link and the last one are equalities.
        {
            N: Integer(1), T: Integer(1), words: Integer(2), sequences: (one_hot((0, 1), 2),),
            after: ImmutableDenseMatrix([-1, 1]), before: ImmutableDenseMatrix([1, 0]),
            inputs: Integer(1), mixing: Integer(2), outputs: Integer(1),
        },
    ),
    printed=(
        r"\|\bar{\Phi}\| \leq \frac{1}{T} \max_i \|X_i\| \|A_0\| \|Y_i - U_O\| \leq \frac{2}{T} T = 2"
    ),
    note=(
        r"The first link is shown of all vectors: "
        r"$\|A_0X_iw\|\,\|(Y_i-U_O)u\|\le\|A_0\|\|X_i\|\,\|Y_i-U_O\|\,\|w\|\|u\|$ by what these norms are. "
        r"That the norm is at most two is shown for the Frobenius norm, and the last link for any norms "
        r"within the bounds. $\|\bar\Phi\|_F^2\le1-1/|\mathcal V|$ in fact: `im2026.beyond.context-norm`."
    ),
)  # fmt: skip
