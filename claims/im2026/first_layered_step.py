r"""The proof of Lemma D.9: what the gradients of Lemma D.8 are where all weights are zero.

Both ends of a printed chain are judged: the derivative of the loss, and the expression of Lemma D.8 for
it, each evaluated on the network whose weights are zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sympy import ImmutableDenseMatrix, MatrixSymbol, Rational, ZeroMatrix
from sympy.matrices.expressions import MatMul, MatrixExpr

from claims.domain import Computed, Domain, Point, Scaled
from claims.expressions import Named, explicit, ones
from claims.im2026.backpropagation import (
    ATTENTION_STACK,
    OUTPUT,
    POSITION_STACK,
    SETTING,
    TENSOR,
    VALUE_STACK,
    EachSample,
    OverSamples,
    any_layers,
    generic,
    gradient,
)
from claims.im2026.layered_gradients import (
    BACK,
    BACKWARD,
    DEFINED,
    HIDDEN,
    OWN,
    TOKENS,
    TOP,
    U_O,
    WEIGHTS,
    R,
    S,
    X,
    Y,
    derivative_by_the_logits,
    gradient_of_a_value_matrix,
    gradient_of_an_attention_matrix,
    gradient_of_the_output_matrix,
    gradient_of_the_positions,
    residuals_go_backward,
)
from claims.im2026.notation import N, T, depth, source, words
from claims.im2026.one_layer_gradients import MEAN, RESIDUAL, TARGETS, TENSOR_D, by
from claims.model import Claim, Hypothesis, Mutant, Relation
from claims.typeset import typeset

STACKS = ((ATTENTION_STACK, words, words), (POSITION_STACK, T, 1), (VALUE_STACK, words, words))
BLANK = Hypothesis(r"\text{all weights zero}")


def _zero(symbol: MatrixSymbol, rows: Any, columns: Any, stacked: bool = True) -> Computed:
    """A weight that is zero, of all layers where it is `stacked`."""

    def at_point(at: Point) -> ImmutableDenseMatrix:
        layers = int(at[depth]) if stacked else 1
        return ImmutableDenseMatrix.zeros(layers * int(at[rows]), int(at.get(columns, 1)))

    return Computed(symbol, at_point)


def from_zero(*made: Any, free: tuple[MatrixSymbol, ...] = ()) -> Domain:
    """Any corpus, all weights zero but those that are `free`, and what they determine at a layer."""
    weights = (*(_zero(*stack) for stack in STACKS), _zero(OUTPUT, words, words, stacked=False))
    variables = (
        Scaled(w.symbol, 2, unit=Rational(1, 8)) if w.symbol in free else w for w in weights
    )
    return any_layers(*variables, *made)


def of_several(domain: Domain) -> Domain:
    """The same for two positions and two words at least: of one, derivatives by the attention vanish."""
    least = (replace(v, low=2) if v.symbol in (T, words) else v for v in domain.variables)
    return Domain(tuple(least), domain.conditions)


def printed_side(claim: Claim) -> MatrixExpr:
    """What a claim says that its derivative is."""
    assert isinstance(claim.statement, Relation)
    return claim.statement.rhs[0]


def both(*sides: Any) -> str:
    """Sides of a chain, in LaTeX, as a tuple."""
    shown = (side if isinstance(side, str) else typeset(side) for side in sides)
    return r"\left({}\right)".format(",\\ ".join(shown))


def _values(*parts: Any) -> Callable[[Point], tuple[ImmutableDenseMatrix, ...]]:
    """Derivatives by definition, and terms in what the network determines."""

    def define(at: Point) -> tuple[ImmutableDenseMatrix, ...]:
        return tuple(part(at) if callable(part) else explicit(part, at) for part in parts)

    return define


# The output matrix --------------------------------------------------------------------------------

BY_LAST = printed_side(gradient_of_the_output_matrix)
B: MatrixExpr = Named("B", MatMul(1 / (N * T), OverSamples(X.T * Y)))
frequencies: MatrixExpr = Named(r"\alpha", MatMul(1 / (N * T), OverSamples(X.T * ones(T))))
U: MatrixExpr = Named("U", frequencies * ones(words).T / words)
_residuals: MatrixExpr = MatMul(MEAN, OverSamples(X.T * (Y - U_O)))
_first = from_zero(TOKENS, TARGETS, TOP, RESIDUAL)
first_gradient_of_the_output_matrix = Claim(
    id="im2026.D.9.eq-139",
    source=source("App. D.2", "proof of Lemma D.9, Eq. (139)"),
    kind="identity",
    title=r"From zero the gradient by $W_O$ is $-(B-U)$, at any depth.",
    statement=Relation(
        both(by("W_O"), BY_LAST), ((_residuals, _residuals), (MatMul(-1, B - U), MatMul(-1, B - U)))
    ),
    define=_values(gradient("W_O"), BY_LAST),
    domain=_first,
    hypotheses=(
        BLANK,
        SETTING,
        Hypothesis(
            r"U_O\in\mathbb R^{T\times|\mathcal V|}\ \text{has all entries}\ 1/|\mathcal V|"
        ),
        Hypothesis(
            r"B=\frac1{NT}\sum_{i=1}^NX_i^\top Y_i,\ U=\frac1{|\mathcal V|}\alpha\mathbf 1^\top,\ "
            r"\alpha=\frac1{NT}\sum_{i=1}^NX_i^\top\mathbf 1\ \text{the frequencies of the tokens}"
        ),
    ),
    uses=(gradient_of_the_output_matrix,),
    probes=(generic(_first),),
    printed=(
        r"\frac{\partial \mathcal{L}}{\partial W_O} = \frac{-1}{NT} \sum_{i=1}^N h_i^{(L)\top} R_i = "
        r"\frac{-1}{NT} \sum_{i=1}^N X_i^\top (Y_i - U_O) = -(B - U) \equiv -\bar{B}"
    ),
    note=(
        r"$B$ and $U$ are those of Lemma D.4; frequencies are among the first $T$ tokens of each sequence. "
        "The step of Eq. (140) is `im2026.lemma-D.9`."
    ),
)

# What goes backward -------------------------------------------------------------------------------


def _residual(shift: int, top: bool = False) -> Callable[[Point], ImmutableDenseMatrix]:
    """G of a layer: -NT times the derivative by its hidden states."""
    by_hidden = gradient("hidden", shift, top)
    return lambda at: -int(at[N]) * int(at[T]) * by_hidden(at)


STATES: MatrixExpr = EachSample(ZeroMatrix(T, words))
LOGITS: MatrixExpr = EachSample(ZeroMatrix(T, T))
LAST: MatrixExpr = EachSample(R * OUTPUT.T)
_nothing = Relation(
    both(
        r"-NT\,\frac{\partial\mathcal L}{\partial h_i^{(L)}}",
        LAST,
        r"-NT\,\frac{\partial\mathcal L}{\partial h_i^{(l-1)}}",
    ),
    ((STATES, STATES, STATES),),
)
_back = from_zero(RESIDUAL)
nothing_goes_backward_from_zero = Claim(
    id="im2026.D.9.eq-141",
    source=source("App. D.2", "proof of Lemma D.9, Eqs. (141), (142)"),
    kind="identity",
    title=r"From zero $G_i^{(L)}=R_iW_O^\top=0$, and so is $G_i^{(l)}$ in every layer.",
    statement=_nothing,
    define=_values(_residual(0, top=True), LAST, _residual(-1)),
    domain=_back,
    hypotheses=(BLANK, SETTING, BACKWARD),
    uses=(residuals_go_backward,),
    probes=(generic(_back),),
    mutants=(
        Mutant("$W_O$ need not be zero", _nothing, domain=from_zero(RESIDUAL, free=(OUTPUT,))),
    ),
    printed=(
        r"G_i^{(L)} = R_i W_O^\top = 0, \quad G_i^{(l-1)} = G_i^{(l)} + A_i^{(l)\top} G_i^{(l)} "
        r"V^{(l)\top} + S_i^{(l)} h_i^{(l-1)} W^{(l)\top} + S_i^{(l)\top} h_i^{(l-1)} W^{(l)}"
    ),
    note=(
        r"The recursion (142) is that of Lemma D.8 (`im2026.lemma-D.8.G`); each of its terms has "
        r"$G_i^{(l)}$ as a factor, so that $W_O=0$ suffices, whatever the other weights."
    ),
)

# The weights of a layer ---------------------------------------------------------------------------

BY_VALUES, BY_ATTENTION, BY_POSITIONS = map(
    printed_side,
    (gradient_of_a_value_matrix, gradient_of_an_attention_matrix, gradient_of_the_positions),
)
_made = (HIDDEN, WEIGHTS, BACK, *OWN)
_layer = from_zero(*_made)
_square: MatrixExpr = ZeroMatrix(words, words)
_values_rest = Relation(both(by("V^{(l)}"), BY_VALUES), ((_square, _square),))
values_rest_at_zero = Claim(
    id="im2026.D.9.eq-143",
    source=source("App. D.2", "proof of Lemma D.9, Eq. (143)"),
    kind="identity",
    title=r"From zero the gradient by $V^{(l)}$ is zero.",
    statement=_values_rest,
    define=_values(gradient("V"), BY_VALUES),
    domain=_layer,
    hypotheses=(BLANK, SETTING, BACKWARD),
    uses=(nothing_goes_backward_from_zero, gradient_of_a_value_matrix),
    probes=(generic(_layer),),
    mutants=(
        Mutant("$W_O$ need not be zero", _values_rest, domain=from_zero(*_made, free=(OUTPUT,))),
    ),
    printed=(
        r"\frac{\partial \mathcal{L}}{\partial V^{(l)}} = \frac{-1}{NT} \sum_{i=1}^N h_i^{(l-1)\top} "
        r"A_i^{(l)\top} G_i^{(l)} = 0"
    ),
    note=r"$W_O=0$ suffices, as for $G_i^{(l)}$; the gradient need not vanish where $V^{(l)}=0$ alone.",
)

_both_free = (OUTPUT, VALUE_STACK)
BY_LOGITS = printed_side(derivative_by_the_logits)
_attention_rests = Relation(both(S, by("W^{(l)}"), BY_ATTENTION), ((LOGITS, _square, _square),))
attention_weights_rest_at_zero = Claim(
    id="im2026.D.9.eq-144",
    source=source("App. D.2", "proof of Lemma D.9, Eq. (144) and the line before it"),
    kind="identity",
    title=r"From zero $S_i^{(l)}$ and the gradient by $W^{(l)}$ are zero.",
    statement=_attention_rests,
    define=_values(BY_LOGITS, gradient("W"), BY_ATTENTION),
    domain=_layer,
    hypotheses=(BLANK, SETTING, BACKWARD, DEFINED),
    uses=(nothing_goes_backward_from_zero, gradient_of_an_attention_matrix),
    probes=(generic(_layer),),
    mutants=(
        Mutant(
            "neither $W_O$ nor $V^{(l)}$ need be zero",
            _attention_rests,
            domain=of_several(from_zero(*_made, free=_both_free)),
        ),
    ),
    printed=(
        r"S_i^{(l)} = 0, \quad \frac{\partial \mathcal{L}}{\partial W^{(l)}} = \frac{-1}{NT} "
        r"\sum_{i=1}^N h_i^{(l-1)\top} S_i^{(l)} h_i^{(l-1)} = 0"
    ),
    note=r"Either of the reasons that are printed suffices: $G_i^{(l)}=0$, or $V^{(l)}=0$.",
)

_positions = from_zero(*_made, TENSOR)
_column: MatrixExpr = ZeroMatrix(T, 1)
_positions_rest = Relation(both(by("P^{(l)}"), BY_POSITIONS), ((_column, _column),))
positions_rest_at_zero = Claim(
    id="im2026.D.9.eq-145",
    source=source("App. D.2", "proof of Lemma D.9, Eq. (145)"),
    kind="identity",
    title=r"From zero the gradient by $P^{(l)}$ is zero.",
    statement=_positions_rest,
    define=_values(gradient("P"), BY_POSITIONS),
    domain=_positions,
    hypotheses=(BLANK, SETTING, BACKWARD, DEFINED, TENSOR_D),
    uses=(attention_weights_rest_at_zero, gradient_of_the_positions),
    probes=(generic(_positions),),
    mutants=(
        Mutant(
            "neither $W_O$ nor $V^{(l)}$ need be zero",
            _positions_rest,
            domain=of_several(from_zero(*_made, TENSOR, free=_both_free)),
        ),
    ),
    printed=(
        r"\frac{\partial \mathcal{L}}{\partial P^{(l)}} = \frac{-1}{NT} \text{ein}_{tjk, jk "
        r"\rightarrow t} \left( D, \sum_{i=1}^N S_i^{(l)} \right) = 0"
    ),
)
