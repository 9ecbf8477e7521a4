"""Samples of the squared norms of an attention layer's Jacobians over random weights, drawn in bulk.

The formulas are those of `numeric.jacobians`; what is the same for all samples (centred tokens, the mean
Gram of the values) is computed once, and a chunk of samples lives in buffers that are made once: a fresh
array costs a page fault every 4 KB, more than the arithmetic on it at these sizes.

The numbers come from a stream of their own, seeded by the caller's generator, because torch's generator
alone took longer than all matrix products at n = d = 32.  A sample is made of consecutive numbers, so that
neither the chunks nor how many samples are asked for change it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import torch
from torch import Generator, Tensor

from numeric.jacobians import attention_rows, centred_tokens, chunk_size, gram, softmax_traces
from numeric.layers import Law, Variances, check_tokens, shaped_by_law
from numeric.sampling import own_stream

__all__ = ["Parameter", "gradient_norm_samples"]

Parameter = Literal["queries", "keys", "values"]


@dataclass(frozen=True)
class Problem:
    """Which norm is sampled, at which tokens x (n, v), under which law of the weights."""

    parameter: Parameter
    x: Tensor
    d_k: int
    variances: Variances
    uniform: bool
    tau: float
    law: Law
    average_values: bool

    @property
    def widths(self) -> tuple[int, ...]:
        """Columns of each matrix that is drawn: W^Q, W^K and, unless averaged out, W^V."""
        needs_values = self.parameter != "values" and not self.average_values
        return (self.d_k, self.d_k, *([self.x.shape[1]] if needs_values else []))

    @cached_property
    def tokens(self) -> list[Tensor]:
        """What each drawn matrix is multiplied by: its tokens, times its entries' standard deviation.

        Queries have the temperature too, so that queries times keys are the logits.  Keys and values
        are of centred tokens: a common key changes no softmax, and J_i 1 = 0.
        """
        centred, factor = centred_tokens(self.x), shaped_by_law(self.x.new_empty(0), self.law)[1]
        variances = (self.variances.q, self.variances.k, self.variances.v)
        scales = [factor * math.sqrt(variance) for variance in variances]
        scales[0] *= self.tau / math.sqrt(self.d_k)
        tokens = (self.x, centred, centred)
        return [scale * t for scale, t, _ in zip(scales, tokens, self.widths, strict=False)]

    @cached_property
    def mean_value_gram(self) -> Tensor:
        """The mean of the Gram of X W^V over W^V."""
        return self.x.shape[1] * self.variances.v * gram(centred_tokens(self.x))

    @cached_property
    def token_gram(self) -> Tensor:
        """The Gram of the centred tokens."""
        return gram(centred_tokens(self.x))

    @cached_property
    def query_weights(self) -> Tensor:
        """What the trace of row i is weighted by: tau^2 ||x_i||^2 / d_k."""
        return self.x.square().sum(dim=1) * (self.tau**2 / self.d_k)


class Chunk:
    """Buffers of `size` samples, used again for every chunk."""

    def __init__(self, problem: Problem, size: int) -> None:
        (n, v), widths, x = problem.x.shape, problem.widths, problem.x
        self.problem = problem
        self.drawn = torch.empty(size, v * sum(widths), dtype=torch.float64, device="cpu")
        self.entries = self.drawn.to(device=x.device, dtype=x.dtype)
        starts = [v * sum(widths[:place]) for place in range(len(widths))]
        self.weights = [
            self.entries[:, start : start + v * width].unflatten(1, (v, width))
            for start, width in zip(starts, widths, strict=True)
        ]
        self.tokens = [tokens.expand(size, n, v) for tokens in problem.tokens]
        self.moved = [x.new_empty(size, n, width) for width in widths]
        self.rows, self.p, self.q, *self.products = (x.new_empty(size, n, n) for _ in range(6))
        self.mixed = x.new_empty(size, n, v)

    def draw(self, numbers: np.random.Generator) -> None:
        """Fill the weights, up to the factor that `Problem` gives to the tokens."""
        numbers.random(out=self.drawn.numpy())
        shaped_by_law(self.drawn, self.problem.law)
        if self.entries is not self.drawn:
            self.entries.copy_(self.drawn)

    def norms(self, numbers: np.random.Generator) -> Tensor:
        """One norm for each of the next samples, of axis (s)."""
        self.draw(numbers)
        problem, (wq, wk, *wv), (queries, keys, *values) = self.problem, self.weights, self.moved
        for_queries, for_keys, *for_values = self.tokens
        torch.bmm(for_queries, wq, out=queries)
        torch.bmm(for_keys, wk, out=keys)
        torch.bmm(queries, keys.mT, out=self.rows)
        a = attention_rows(self.rows, uniform=problem.uniform)
        if problem.parameter == "values":
            mixed = torch.matmul(a, problem.x, out=self.mixed)
            return problem.x.shape[1] * mixed.square_().sum(dim=(-1, -2))
        q = problem.mean_value_gram
        if wv:
            q = gram(torch.bmm(*for_values, *wv, out=values[0]), out=self.q)
        if problem.parameter == "queries":
            p, scale = gram(keys, out=self.p), problem.query_weights
        else:
            # `queries` hold tau / sqrt(d_k) already.
            p, scale = problem.token_gram, queries.square_().sum(dim=-1)
        of_samples = next((grams for grams in (p, q) if grams.ndim == 3), None)
        ap, aq, rest = self.products
        return softmax_traces(a, p, q, scale, room=(ap, aq, of_samples, rest))


def _check_request(x: Tensor, count: int) -> None:
    check_tokens(x)
    if x.ndim != 2:
        raise ValueError(f"x has shape {tuple(x.shape)}: must be (n, v); sample one x at a time")
    if count < 1:
        raise ValueError(
            f"count = {count}: must be at least 1; ask for a positive number of samples"
        )


def gradient_norm_samples(
    parameter: Parameter,
    x: Tensor,
    d_k: int,
    variances: Variances,
    generator: Generator,
    count: int,
    *,
    uniform: bool = False,
    tau: float = 1.0,
    law: Law = "normal",
    average_values: bool = True,
) -> Tensor:
    """`count` i.i.d. samples of ||dS/dW||_F^2 over random weights, tokens x (n, v) fixed; axis (s).

    Unbiased for the mean over all weights.  With `average_values` each sample is already the mean
    over W^V given W^Q and W^K; without, W^V is drawn too and a sample is the norm itself.
    """
    if parameter not in {"queries", "keys", "values"}:
        raise ValueError(f"parameter {parameter!r}: must be one of queries, keys, values")
    _check_request(x, count)
    problem = Problem(parameter, x, d_k, variances, uniform, tau, law, average_values)
    step = min(count, chunk_size(x.shape[0], x.shape[1], d_k))
    numbers, whole = own_stream(generator), Chunk(problem, step)
    found = [whole.norms(numbers) for _ in range(count // step)]
    if count % step:
        found.append(Chunk(problem, count % step).norms(numbers))
    return torch.cat(found)
