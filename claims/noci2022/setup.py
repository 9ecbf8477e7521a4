"""The attention layer of Noci et al. (2022) at concrete points, differentiated from its definition.

Under uniform attention (Assumption 3.1) the attention matrix is 11^T/n and the softmax Jacobian is
evaluated there: row i of A moves by (dM_i - mean(dM_i) 1)/n when the logits move by dM.  That rule
is the definition of the softmax applied at equal logits; everything below follows from it and the
product rule, one unit direction at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, sqrt

from claims.definitions import directional_jacobian, entries, frobenius_square_expectation
from claims.domain import Array, Domain, Point, Real, Size
from claims.model import Hypothesis
from claims.noci2022.notation import (
    WK,
    WQ,
    WV,
    X,
    d_k,
    d_v,
    n,
    sigma_k,
    sigma_q,
    sigma_v,
)

UNIFORM = Hypothesis(r"A=\tfrac1n 1_{n\times n}\ \text{and its softmax Jacobian evaluated there}")
ZERO_MEAN_WEIGHTS = Hypothesis(
    r"W^Q,W^K,W^V\ \text{independent, i.i.d. zero-mean entries of variance}\ "
    r"\sigma_q^2,\sigma_k^2,\sigma_v^2"
)
FIXED_TOKENS = Hypothesis(
    r"X\ \text{independent of the layer's weights; the outer expectation is over } X"
)

tokens = Domain((Size(n, 2, 4), Size(d_v, 1, 4), Array(X)))
layer = Domain((Size(n, 2, 3), Size(d_v, 1, 3), Size(d_k, 1, 3), Array(X)))
positive: dict[str, Any] = {"low": 0, "open_low": True}
random_layer = Domain(
    (
        *layer.variables,
        Real(sigma_q, **positive),
        Real(sigma_k, **positive),
        Real(sigma_v, **positive),
    )
)
given_weights = Domain(
    (*layer.variables, Array(WQ, height=2), Array(WK, height=2), Array(WV, height=2))
)


@dataclass(frozen=True)
class Layer:
    """One attention layer at a point: explicit tokens, explicit or symbolic weights."""

    x: ImmutableDenseMatrix
    wq: ImmutableDenseMatrix
    wk: ImmutableDenseMatrix
    wv: ImmutableDenseMatrix

    @property
    def scale(self) -> Any:
        return 1 / sqrt(Integer(self.wq.cols))

    def logits(self, x: Any = None, wq: Any = None, wk: Any = None, x_right: Any = None) -> Any:
        """M with any of its four factors replaced, which is how one term of dM is written."""
        left = self.x if x is None else x
        right = self.x if x_right is None else x_right
        queries = self.wq if wq is None else wq
        keys = self.wk if wk is None else wk
        return left * queries * keys.T * right.T * self.scale


def symbolic_layer(point: Point) -> Layer:
    """Tokens of the point with weights of independent symbols."""
    v, k = int(point[d_v]), int(point[d_k])
    return Layer(point[X], entries("q", v, k), entries("k", v, k), entries("v", v, v))


def given_layer(point: Point) -> Layer:
    """Tokens and weights of the point."""
    return Layer(point[X], point[WQ], point[WK], point[WV])


def weight_variances(layer_: Layer, point: Point) -> dict[Any, Any]:
    """The variance of every symbolic weight."""
    groups = ((layer_.wq, sigma_q), (layer_.wk, sigma_k), (layer_.wv, sigma_v))
    return {w: point.get(sigma, Integer(1)) ** 2 for matrix, sigma in groups for w in matrix}


def uniform_step(logit_step: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """dA for a logit step dM at equal logits: (dM_ij - mean_j dM_ij)/n."""
    size = logit_step.cols
    means = [sum(logit_step.row(i)) / Integer(size) for i in range(logit_step.rows)]
    return ImmutableDenseMatrix(
        logit_step.rows, size, lambda i, j: (logit_step[i, j] - means[i]) / Integer(size)
    )


Step = Callable[[ImmutableDenseMatrix], ImmutableDenseMatrix]


def uniform_jacobian(layer_: Layer, parameter: str) -> ImmutableDenseMatrix:
    """dS/d(parameter) under uniform attention; parameter is "values", "queries", "keys" or "input"."""
    size = layer_.x.rows
    uniform = ImmutableDenseMatrix.ones(size, size) / Integer(size)
    values = layer_.x * layer_.wv
    steps: dict[str, tuple[Step, ImmutableDenseMatrix]] = {
        "values": (lambda dw: uniform * layer_.x * dw, layer_.wv),
        "queries": (lambda dw: uniform_step(layer_.logits(wq=dw)) * values, layer_.wq),
        "keys": (lambda dw: uniform_step(layer_.logits(wk=dw)) * values, layer_.wk),
        "input": (
            lambda dx: (
                uniform_step(layer_.logits(x=dx) + layer_.logits(x_right=dx)) * values
                + uniform * dx * layer_.wv
            ),
            layer_.x,
        ),
    }
    step, matrix = steps[parameter]
    return directional_jacobian(step, *matrix.shape)


def expected_gradient_norm(parameter: str) -> Callable[[Point], Any]:
    """E over the weights of ||dS/d(parameter)||_F^2 under uniform attention, at a point."""

    def define(point: Point) -> Any:
        layer_ = symbolic_layer(point)
        jacobian = uniform_jacobian(layer_, parameter)
        return frobenius_square_expectation(jacobian, weight_variances(layer_, point))

    return define
