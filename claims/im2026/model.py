r"""Definition 3.1, the loss and gradient descent: Eqs. (1) to (4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flint
from sympy import Float, ImmutableDenseMatrix, MatrixSymbol, Sum, Symbol, Trace, exp, log
from sympy.matrices.expressions import MatMul

from claims.domain import Array, Domain, Point, Real
from claims.im2026.backpropagation import (
    ATTENTION,
    ATTENTION_STACK,
    BITS,
    OUTPUT,
    POSITION_STACK,
    POSITIONS,
    SETTING,
    TENSOR,
    VALUE_STACK,
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
from claims.im2026.notation import N, T, depth, eta, i, j, k, m, sequences, source, t, words
from claims.im2026.one_layer_gradients import RESIDUAL, TARGETS, TENSOR_D, R, Y
from claims.model import Claim, Hypothesis, Relation, Understood
from claims.statement import Compare, ForAll
from claims.terms import entry, family

# Definition 3.1 -----------------------------------------------------------------------------------

token = entry(sequences)


def _of_layer(at: Point) -> int:
    """The layer of the point."""
    return layer_of(at)


def _entry(what: str, place: Callable[[Point], int] = _of_layer) -> Any:
    """Entry (t, m) of what the forward pass of sequence i computes, at the point's layer or another."""

    def define(at: Point, i: int, t: int, m: int) -> Float:
        with flint.ctx.workprec(BITS):
            value = run_at(at).steady[i][what, place(at)].value[t - 1, m - 1]
            return digits(flint.arb_mat([[value]]))[0]

    return define


def _mixed(at: Point, i: int, t: int, k: int) -> Float:
    """Entry (t, k) of the attention times the hidden states before it."""
    with flint.ctx.workprec(BITS):
        found, place = run_at(at).steady[i], layer_of(at)
        value = (found["attention", place].value * found["hidden", place - 1].value)[t - 1, k - 1]
        return digits(flint.arb_mat([[value]]))[0]


logit = family(r"(\tilde A_{{{}}}^{{(l)}})_{{{},{}}}", _entry("logits"))
weight = family(r"(A_{{{}}}^{{(l)}})_{{{},{}}}", _entry("attention"))
row_sum = family(
    r"\sum_{{m=1}}^T(A_{{{}}}^{{(l)}})_{{{},m}}",
    lambda at, i, t: sum(_entry("attention")(at, i, t, m + 1) for m in range(int(at[T]))),
)
first = family(r"(h_{{{}}}^{{(0)}})_{{{},{}}}", _entry("hidden", lambda at: 0))
before = family(r"(h_{{{}}}^{{(l-1)}})_{{{},{}}}", _entry("hidden", lambda at: layer_of(at) - 1))
after = family(r"(h_{{{}}}^{{(l)}})_{{{},{}}}", _entry("hidden"))
mixed = family(r"(A_{{{0}}}^{{(l)}}h_{{{0}}}^{{(l-1)}})_{{{1},{2}}}", _mixed)
last = family(r"(h_{{{}}}^{{(L)}})_{{{},{}}}", _entry("hidden", lambda at: int(at[depth])))
output = family(r"F_\Theta(X_{{{}}})_{{{},{}}}", _entry("output", lambda at: 1))
NETWORK = many_layers(
    parameter(W, ATTENTION_STACK), parameter(P, POSITION_STACK), parameter(V, VALUE_STACK)
)  # fmt: skip
attention, positions, values, to_words = (entry(symbol) for symbol in (W, P, V, OUTPUT))
LOGIT = Sum(before(i, t, j) * attention(j, k) * before(i, m, k), (j, 1, words), (k, 1, words))
LOGIT += positions(t - m + 1, 1)
r"""An entry of $hWh^\top+\mathrm{DM}(P)$ on or below the diagonal."""
MIXED = Sum(weight(i, t, m) * before(i, m, j), (m, 1, T))
"""An entry of $Ah$."""
ATTENDED = Sum(mixed(i, t, k) * values(k, j), (k, 1, words))
"""An entry of $AhV$."""
OUTPUTS = Sum(last(i, t, k) * to_words(k, j), (k, 1, words))
"""An entry of $h^{(L)}W_O$."""
TOTAL = Sum(exp(logit(i, t, k)), (k, 1, t))
"""What the softmax divides by in row t, of which the mask leaves the first t places."""
attention_is_causal = Claim(
    id="im2026.def-3.1.model",
    source=source("Sec. 3.2", "Definition 3.1, Eqs. (1), (2)"),
    kind="construction",
    title=r"The model, entry by entry; row $t$ of the attention weighs the first $t$ tokens and no later one.",
    statement=ForAll(
        i, 0, N - 1,
        ForAll(
            t, 1, T,
            Compare(row_sum(i, t), "=", 1)
            & ForAll(
                m, 1, t,
                Compare(weight(i, t, m), ">", 0)
                & Compare(weight(i, t, m) * TOTAL, "=", exp(logit(i, t, m))),
            )
            & ForAll(m, t + 1, T, Compare(weight(i, t, m), "=", 0))
            & ForAll(m, 1, t, Compare(logit(i, t, m), "=", LOGIT))
            & ForAll(
                j, 1, words,
                Compare(first(i, t, j), "=", token(i, t, j))
                & Compare(mixed(i, t, j), "=", MIXED)
                & Compare(after(i, t, j), "=", before(i, t, j) + ATTENDED)
                & Compare(output(i, t, j), "=", OUTPUTS),
            ),
        ),
    ),
    domain=NETWORK,
    hypotheses=(
        Hypothesis(
            r"1\le l\le L,\ A_i^{(l)}=\mathcal S(\mathrm{Mask}(\tilde A_i^{(l)})),\quad "
            r"\tilde A_i^{(l)}=h_i^{(l-1)}W^{(l)}h_i^{(l-1)\top}+\mathrm{DM}(P^{(l)})"
        ),
    ),
    understood=(
        Understood(
            r"$\mathrm{DM}$ puts the $i$-th element on the diagonal $i-1$ below the main one",
            "$T=2$: to the letter “the $(-i+1)$-th sub-diagonal” lies above the main diagonal for $i=2$, "
            r"and $(\tilde A_i)_{2,1}$ lacks $P_2$",
        ),
        Understood(
            r"$\mathbf h^L$ in the text is $\mathbf h^{(L)}$ of Eq. (1)",
            r"$L=2$, $T\ne|\mathcal V|$: a power $h^2$ of a matrix that is not square",
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
    Real(eta, 0, open_low=True),
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
    domain=Domain((*_weights.variables, Array(by_rows, 2), Real(by_all))),
    hypotheses=(
        Hypothesis(r"A_i'\text{ is the attention with }W^{(1)}+u1^\top\text{ and }P^{(1)}+c1"),
    ),
    note=(
        r"So the gradient by $W^{(1)}$ has row sums zero, that by $P^{(1)}$ sums to zero, and gradient descent "
        r"keeps $W^{(1)}1$ and $\sum_mP^{(1)}_m$ for ever."
    ),
)  # fmt: skip
