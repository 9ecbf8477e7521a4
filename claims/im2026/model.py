r"""Definition 3.1, the loss and gradient descent: Eqs. (1) to (4)."""

from __future__ import annotations

from typing import Any

import flint
from sympy import Float, ImmutableDenseMatrix, MatrixSymbol, Symbol, Trace, log
from sympy.matrices.expressions import MatMul

from claims.domain import Array, Domain, Point, Real
from claims.im2026.backpropagation import (
    ATTENTION,
    BITS,
    OUTPUT,
    POSITION_STACK,
    POSITIONS,
    SETTING,
    TENSOR,
    OverSamples,
    SubDiagonals,
    computed,
    digits,
    generic,
    gradient,
    layer_of,
    many_layers,
    one_layer,
    one_of,
    parameter,
    run_at,
)
from claims.im2026.layered_gradients import (
    BACK,
    BACKWARD,
    DEFINED,
    HIDDEN,
    OWN,
    TOP,
    WEIGHTS,
    A,
    G,
    P,
    S,
    V,
    W,
    h,
    top,
)
from claims.im2026.notation import N, T, eta, i, m, source, t, words
from claims.im2026.one_layer_gradients import RESIDUAL, TARGETS, TENSOR_D, R, Y
from claims.model import Claim, Hypothesis, Relation, Understood
from claims.statement import Compare, ForAll
from claims.terms import family

# Definition 3.1 -----------------------------------------------------------------------------------


def _entry(what: str) -> Any:
    """Entry (t, m) of what the forward pass of sequence i computes at the point's layer."""

    def define(at: Point, i: int, t: int, m: int) -> Float:
        with flint.ctx.workprec(BITS):
            value = run_at(at).steady[i][what, layer_of(at)].value[t - 1, m - 1]
            return digits(flint.arb_mat([[value]]))[0]

    return define


logit = family(r"(\tilde A_{{{}}}^{{(l)}})_{{{},{}}}", _entry("logits"))
weight = family(r"(A_{{{}}}^{{(l)}})_{{{},{}}}", _entry("attention"))
row_sum = family(
    r"\sum_{{m=1}}^T(A_{{{}}}^{{(l)}})_{{{},m}}",
    lambda at, i, t: sum(_entry("attention")(at, i, t, m + 1) for m in range(int(at[T]))),
)
NETWORK = many_layers()
attention_is_causal = Claim(
    id="im2026.def-3.1.model",
    source=source("Sec. 3.2", "Definition 3.1, Eqs. (1), (2)"),
    kind="construction",
    title=r"Row $t$ of the attention weighs the first $t$ tokens, all of them, and no later one.",
    statement=ForAll(
        i, 0, N - 1,
        ForAll(
            t, 1, T,
            Compare(row_sum(i, t), "=", 1)
            & ForAll(m, 1, t, Compare(weight(i, t, m), ">", 0))
            & ForAll(m, t + 1, T, Compare(weight(i, t, m), "=", 0)),
        ),
    ),
    domain=NETWORK,
    hypotheses=(
        Hypothesis(
            r"A_i^{(l)}=\mathcal S(\mathrm{Mask}(\tilde A_i^{(l)})),\quad "
            r"\tilde A_i^{(l)}=h_i^{(l-1)}W^{(l)}h_i^{(l-1)\top}+\mathrm{DM}(P^{(l)})"
        ),
    ),
    understood=(
        Understood(
            r"$\mathrm{DM}$ puts the $i$-th element on the diagonal $i-1$ below the main one",
            "“the $(-i+1)$-th sub-diagonal”, read to the letter, lies above the main diagonal for $i=2$, "
            "where the mask hides it",
        ),
        Understood(
            r"$\mathbf h^L$ in the text is $\mathbf h^{(L)}$ of Eq. (1)",
            "the recurrence defines $h^{(l)}$ only",
        ),
    ),
    printed=(
        r"\mathbf{F}_\Theta(\mathbf{X}) = \mathbf{h}^{(L)} \mathbf{W}_O, \quad \mathbf{h}^{(l)} = "
        r"\mathbf{h}^{(l-1)} + \mathcal{S}(\text{Mask}(\mathbf{h}^{(l-1)} \mathbf{W}^{(l)} "
        r"\mathbf{h}^{(l-1)\top} + \text{DM}(\mathbf{P}^{(l)}))) \mathbf{h}^{(l-1)} \mathbf{V}^{(l)} "
        r"\text{ and } \mathbf{h}^{(0)} = \mathbf{X}"
    ),
)  # fmt: skip

# Eq. (3) ------------------------------------------------------------------------------------------

LOGS = one_of(r"\log\mathcal S(F_\Theta(X_i))", words)


def _losses(at: Point) -> tuple[Float, Float]:
    """The loss, and that of a network whose weights are zero."""
    zero = {
        symbol: value * 0 if isinstance(value, ImmutableDenseMatrix) else value
        for symbol, value in at.items()
    }
    with flint.ctx.workprec(BITS):
        found = (run_at(point).loss()[0] for point in (at, zero))
        first, second = (digits(flint.arb_mat([[value]]))[0] for value in found)
        return first, second


_logged = many_layers(TARGETS, computed(LOGS, lambda run, _: run.log_outputs()))
loss_at_zero = Claim(
    id="im2026.eq-3.loss",
    source=source("Sec. 3.3", "Eq. (3)"),
    kind="construction",
    title=r"The loss is the mean cross-entropy; where all weights are zero it is $\log|\mathcal V|$.",
    statement=Relation(
        r"\left(\mathcal L(\Theta),\ \mathcal L(0)\right)",
        ((-Trace(OverSamples(LOGS * Y.T)) / (N * T), log(words)),),
    ),
    define=_losses,
    domain=_logged,
    probes=(generic(_logged),),
    printed=(
        r"\mathcal{L}(\Theta) = \frac{-1}{NT} \sum_{i=1}^N \sum_{t=1}^T \log "
        r"\mathcal{S}(\mathbf{F}_\Theta(\mathbf{X}_i)^{[t]}) \mathbf{Y}_i^{[t]\top}"
    ),
    note=(
        "The sum over $t$ is the trace. For $|\\mathcal V|=3000$ training starts from "
        "$\\log3000\\approx8.006$."
    ),
)

# Eq. (4) ------------------------------------------------------------------------------------------


def after_one_step(at: Point) -> tuple[ImmutableDenseMatrix, ...]:
    """Weights less eta times the gradient: of the outputs, and of the point's layer."""
    pairs = zip((OUTPUT, V, W, P), ("W_O", "V", "W", "P"), strict=True)
    return tuple(at[symbol] - at[eta] * gradient(name)(at) for symbol, name in pairs)


_STEP = eta / (N * T)
_moved = many_layers(
    Real(eta, 0, 2, open_low=True),
    HIDDEN,
    TOP,
    WEIGHTS,
    BACK,
    *OWN,
    parameter(P, POSITION_STACK),
    RESIDUAL,
    TENSOR,
)
one_step_of_descent = Claim(
    id="im2026.eq-4.gd",
    source=source("Sec. 3.3", "Eq. (4)"),
    kind="dynamics",
    title="One full-batch step adds to every weight the learning rate times what Lemma D.8 says.",
    statement=Relation(
        r"\left(W_O,\ V^{(l)},\ W^{(l)},\ P^{(l)}\right)(s+1)",
        (
            (
                OUTPUT + MatMul(_STEP, OverSamples(top.T * R)),
                V + MatMul(_STEP, OverSamples(h.T * A.T * G)),
                W + MatMul(_STEP, OverSamples(h.T * S * h)),
                P + MatMul(_STEP, SubDiagonals(OverSamples(S))),
            ),
        ),
    ),
    define=after_one_step,
    domain=_moved,
    hypotheses=(
        Hypothesis(r"\text{all quantities on the right after}\ s\ \text{steps}"),
        SETTING,
        BACKWARD,
        DEFINED,
        TENSOR_D,
    ),
    probes=(generic(_moved),),
    understood=(
        Understood(
            r"the gradient is taken at $\Theta(t-1)$",
            r"Eq. (4) prints $\nabla_\Theta\mathcal L(\Theta)$",
        ),
    ),
    printed=r"\Theta(t) = \Theta(t-1) - \eta \nabla_\Theta \mathcal{L}(\Theta).",
)

# What the weights cannot tell ------------------------------------------------------------------

by_rows, by_all = MatrixSymbol("u", words, 1), Symbol("c", real=True)


def _shifted(at: Point) -> Point:
    """The point with u added to every column of W, and c to every entry of P."""
    across = ImmutableDenseMatrix.ones(1, int(at[words]))
    number = at[by_all] * ImmutableDenseMatrix.ones(int(at[T]), 1)
    return {
        **at,
        ATTENTION: at[ATTENTION] + at[by_rows] * across,
        POSITIONS: at[POSITIONS] + number,
    }


shifted_weight = family(
    r"(A_{{{}}}')_{{{},{}}}", lambda at, i, t, m: _entry("attention")(_shifted(at), i, t, m)
)
_weights = one_layer()
shifts_change_no_weight = Claim(
    id="im2026.beyond.shifts-are-idle",
    source=source("Sec. 3.2", "Definition 3.1"),
    kind="identity",
    title=r"Adding $u1^\top$ to $W^{(1)}$ and $c1$ to $P^{(1)}$ changes no attention weight.",
    statement=ForAll(
        i, 0, N - 1,
        ForAll(t, 1, T, ForAll(m, 1, t, Compare(shifted_weight(i, t, m), "=", weight(i, t, m)))),
    ),
    domain=Domain((*_weights.variables, Array(by_rows, 2), Real(by_all, -2, 2))),
    hypotheses=(
        Hypothesis(r"A_i'\text{ is the attention with }W^{(1)}+u1^\top\text{ and }P^{(1)}+c1"),
    ),
    note=(
        r"So the gradient by $W^{(1)}$ has row sums zero, that by $P^{(1)}$ sums to zero, and gradient descent "
        r"keeps $W^{(1)}1$ and $\sum_mP^{(1)}_m$ for ever."
    ),
)  # fmt: skip
