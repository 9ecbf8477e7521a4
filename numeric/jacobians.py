r"""Squared Frobenius norms of Jacobians: from the definition, and by exact faster rearrangements.

Normalisation, everywhere: ||dS/dW||_F^2 is the sum over all entries of S and all entries of W, not
divided by anything.  Named axes: `s` samples, `n` tokens, `v` = d_v, `k` = d_k.

From the definition, for any function that acts on each sample by itself, `full_jacobian_norm` writes the
Jacobian out (exact; memory outputs x inputs per sample).

For attention, with M the logits and J_i = diag(A_i) - A_i A_i^T the softmax Jacobian of row i,

    dS_i = (tau / sqrt(d_k)) (X W^V)^T J_i (X dW^K (W^Q)^T x_i + X W^K (dW^Q)^T x_i) + ...,

so the query norm is (tau^2/d_k) sum_i ||x_i||^2 ||(X W^K)^T J_i X W^V||_F^2 and the key norm is
(tau^2/d_k) sum_i ||W^Q^T x_i||^2 ||X^T J_i X W^V||_F^2.  Both are traces tr(J_i P J_i Q) with Gram
matrices P, Q of the tokens; `softmax_traces` does all i in three n x n products.  A zero-mean W^V
with i.i.d. entries of variance sigma_v^2 enters squared, so it can be averaged out exactly:
E_{W^V} ||B W^V||_F^2 = d_v sigma_v^2 ||B||_F^2 (the averaged norm has no W^V left to draw).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from numeric import device
from numeric.layers import attention_weights, check_layer

__all__ = [
    "attention_rows",
    "centred_tokens",
    "chunk_size",
    "directional",
    "full_jacobian",
    "full_jacobian_norm",
    "gram",
    "key_gradient_norm",
    "query_gradient_norm",
    "second_derivative",
    "softmax_traces",
    "value_gradient_norm",
]


def full_jacobian(function: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    """dF/dV of axes (*outputs, *inputs), one output after another.

    `torch.func.jacrev` gives the same, and loads torch's compiler first, which takes a second.
    """
    found: Tensor = torch.autograd.functional.jacobian(function, at)
    return found


def directional(function: Callable[[Tensor], Tensor], at: Tensor, direction: Tensor) -> Tensor:
    """J u of a function at a place, for J its Jacobian there and u the direction.

    `weights -> J^T weights` is linear, and its derivative is J: twice backward, which is several times
    quicker here than torch's forward differentiation.
    """
    with torch.enable_grad():
        at = at.detach().requires_grad_()
        value = function(at)
        weights = torch.zeros_like(value, requires_grad=True)
        (pulled,) = torch.autograd.grad(value, at, weights, create_graph=True)
        (moved,) = torch.autograd.grad(pulled, weights, direction)
    return moved


def second_derivative(function: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    """f'' of a function that takes each entry of `at` to a number of its own, at each of them."""
    with torch.enable_grad():
        at = at.detach().requires_grad_()
        (slope,) = torch.autograd.grad(function(at).sum(), at, create_graph=True)
        return torch.autograd.grad(slope.sum(), at)[0]


def full_jacobian_norm(function: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    """||dF/dV||_F^2 per sample, of axis (s), for V = `at` of axes (s, ...); exact.

    `function` must act sample by sample along axis 0; then the derivative of the sum of its
    outputs over samples holds every sample's Jacobian, and no cross terms are stored.
    """
    jacobian = full_jacobian(lambda value: function(value).sum(dim=0), at)
    outputs = jacobian.ndim - at.ndim
    return jacobian.square().movedim(outputs, 0).flatten(1).sum(dim=1)


def softmax_traces(
    a: Tensor,
    p: Tensor,
    q: Tensor,
    weights: Tensor | None = None,
    room: Sequence[Tensor | None] = (None,) * 4,
) -> Tensor:
    """sum_i w_i tr(J_i P J_i Q) with J_i = diag(a_i) - a_i a_i^T; w of axes (..., n), default 1.

    Axes: a (..., n, n) with rows summing to 1, symmetric p and q (..., n, n); result (...).

        tr(J P J Q) = a^T (P o Q) a - 2 sum_j a_j (P a)_j (Q a)_j + (a^T P a) (a^T Q a)

    Exact, but a difference: the absolute rounding error is about n eps max|P| max|Q|, so the
    relative one grows as rows approach one-hot.  P and Q should be Grams of *centred* tokens
    (J_i 1 = 0 permits it), or a large common part would cancel instead.  Works in place on its own
    products, so autograd cannot pass through; `room` holds arrays for A P, A Q,
    P o Q (P or Q itself will do) and A (P o Q).
    """
    ap, aq = torch.matmul(a, p, out=room[0]), torch.matmul(a, q, out=room[1])
    rows = torch.matmul(a, torch.mul(p, q, out=room[2]), out=room[3])
    rows = rows.addcmul_(ap, aq, value=-2).mul_(a).sum(dim=-1)
    rows.addcmul_(ap.mul_(a).sum(dim=-1), aq.mul_(a).sum(dim=-1))
    return rows.sum(dim=-1) if weights is None else (rows * weights).sum(dim=-1)


def centred_tokens(x: Tensor) -> Tensor:
    """Tokens without their mean: J_i ignores it, and softmax ignores it in the keys."""
    return x - x.mean(dim=-2, keepdim=True)


def gram(t: Tensor, out: Tensor | None = None) -> Tensor:
    """T T^T of axes (..., n, n), in `out` where given."""
    return torch.matmul(t, t.mT, out=out)


def _value_gram(centred: Tensor, wv: Tensor | None, sigma_v2: float) -> Tensor:
    """Gram of X W^V of axes (..., n, n), or its mean over W^V when no `wv` is given."""
    if wv is None:
        return centred.shape[-1] * sigma_v2 * gram(centred)
    return gram(centred @ wv)


def attention_rows(logits: Tensor, *, uniform: bool) -> Tensor:
    """A of axes (..., n, n) in the memory of the logits: their softmax, or 11^T/n where uniform.

    Five passes over memory in cache take a third of the time of torch.softmax at n = 32.
    """
    if uniform:
        return logits.fill_(1 / logits.shape[-1])
    logits.sub_(logits.amax(dim=-1, keepdim=True)).exp_()
    return logits.mul_(logits.sum(dim=-1, keepdim=True).reciprocal_())


def _rows(queries: Tensor, keys: Tensor, *, uniform: bool, tau: float) -> Tensor:
    """A from X W^Q and centred X W^K."""
    logits = (queries @ keys.mT).mul_(tau / math.sqrt(keys.shape[-1]))
    return attention_rows(logits, uniform=uniform)


def query_gradient_norm(
    x: Tensor,
    wq: Tensor,
    wk: Tensor,
    wv: Tensor | None = None,
    *,
    sigma_v2: float = 1.0,
    uniform: bool = False,
    tau: float = 1.0,
) -> Tensor:
    """||dS/dW^Q||_F^2 of axes (...), exactly; its mean over W^V of variance sigma_v2 if wv is None.

    Cost per sample O(n v k + n^2 k + n^3), instead of n v backward passes.
    """
    check_layer(x, wq, wk, wv)
    centred = centred_tokens(x)
    keys = centred @ wk
    a = _rows(x @ wq, keys, uniform=uniform, tau=tau)
    scale = x.square().sum(dim=-1) * (tau**2 / wq.shape[-1])
    return softmax_traces(a, gram(keys), _value_gram(centred, wv, sigma_v2), scale)


def key_gradient_norm(
    x: Tensor,
    wq: Tensor,
    wk: Tensor,
    wv: Tensor | None = None,
    *,
    sigma_v2: float = 1.0,
    uniform: bool = False,
    tau: float = 1.0,
) -> Tensor:
    """||dS/dW^K||_F^2 of axes (...), exactly; its mean over W^V if wv is None, as for queries."""
    check_layer(x, wq, wk, wv)
    centred = centred_tokens(x)
    queries = x @ wq
    a = _rows(queries, centred @ wk, uniform=uniform, tau=tau)
    scale = queries.square().sum(dim=-1) * (tau**2 / wq.shape[-1])
    return softmax_traces(a, gram(centred), _value_gram(centred, wv, sigma_v2), scale)


def value_gradient_norm(
    x: Tensor, wq: Tensor, wk: Tensor, *, uniform: bool = False, tau: float = 1.0
) -> Tensor:
    """||dS/dW^V||_F^2 = d_v ||A X||_F^2 of axes (...), exactly; W^V itself does not occur."""
    mixed = attention_weights(x, wq, wk, uniform=uniform, tau=tau) @ x
    return x.shape[-1] * mixed.square().sum(dim=(-1, -2))


def chunk_size(n: int, d_v: int, d_k: int) -> int:
    """Samples at a time on the device in use: a power of two, set by sizes alone so that a stream is
    reproducible."""
    room = device.active().chunk_entries // max(n * n, n * d_v, n * d_k, d_v * d_k)
    return 1 << max(room, 1).bit_length() - 1
