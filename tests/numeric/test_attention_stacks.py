"""Stacks of attention layers of Nait Saada et al. (2025), and the derivative that they carry."""

from __future__ import annotations

import math
from itertools import product

import mpmath
import pytest
import torch
from torch import Tensor
from torch.func import jvp

from numeric.layers import layer_norm
from numeric.naitsaada2025.ensembles import LAWS, markov
from numeric.naitsaada2025.extreme_singular_values import excess_rank
from numeric.naitsaada2025.stacks import (
    Apart,
    Block,
    Projections,
    layer_with,
    layers_of,
    softmax_along,
    softmax_apart,
    without_outliers,
)
from numeric.sampling import generator, normal

BLOCKS = [Block(), Block(fix="mean", orthogonal=True), Block("softmax", norm=True, skip=True),
          Block("softmax", "outliers"), Block("identity")]  # fmt: skip


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_layers_have_shapes_and_finite_derivatives(block: Block) -> None:
    layers = list(layers_of(block, generator(0, "stack"), 3, 6, 8, 3))
    assert len(layers) == 3
    for x, moved, mixed in layers:
        assert x.shape == moved.shape == (3, 6, 8)
        assert mixed.shape == (3, 6, 6)
        assert bool(moved.isfinite().all())
        rows = 0.0 if block.fix == "mean" else 1.0
        if block.fix != "outliers":
            assert torch.allclose(mixed.sum(dim=-1), torch.full((3, 6), rows).double())


def test_mean_square_of_the_derivative_is_that_of_the_jacobian() -> None:
    """One layer: ||dX_1/dW_1||_F^2 = d ||A X_0||_F^2."""
    ((_, moved, mixed),) = layers_of(Block(), generator(0, "jacobian"), 4000, 5, 7, 1)
    expected = 7 * mixed.square().sum(dim=(-1, -2)).mean()
    assert float(moved.square().sum(dim=(-1, -2)).mean()) == pytest.approx(
        float(expected), rel=0.03
    )


def test_outliers_are_cut_at_the_largest_difference() -> None:
    rng = generator(0, "cut")
    matrices = markov(LAWS["exponential"], rng, 2, 30)
    before, after = (torch.linalg.svdvals(m) for m in (matrices, without_outliers(matrices)))
    assert torch.allclose(after[:, :-1], before[:, 1:])  # one outlier only
    two = torch.diag(torch.tensor([5.0, 4.0, 1.0, 0.5])).double()[None]
    assert torch.linalg.svdvals(without_outliers(two))[0].tolist() == pytest.approx([1, 0.5, 0, 0])


def test_derivative_of_the_cut_agrees_with_differences() -> None:
    rng = generator(0, "derivative of the cut")
    matrices, direction = markov(LAWS["exponential"], rng, 2, 8), normal(rng, 2, 8, 8)
    _, exact = jvp(without_outliers, (matrices,), (direction,))
    step = 1e-6
    ahead, behind = (without_outliers(matrices + s * direction) for s in (step, -step))
    assert torch.allclose(exact, (ahead - behind) / (2 * step), atol=1e-6)


def test_layer_norm_centres_and_scales_rows() -> None:
    x = layer_norm(normal(generator(0, "norm"), 2, 3, 9))
    assert float(x.mean(dim=-1).abs().max()) < 1e-12
    assert torch.allclose(x.var(dim=-1, unbiased=False), torch.ones(2, 3).double())


def plain_softmax(block: Block, weights: list[Projections], tokens: Tensor) -> list[Tensor]:
    """Attention layer by layer, from the definition, in double precision."""
    found = []
    for queries, keys, values in weights:
        logits = (tokens @ queries) @ (tokens @ keys).mT / math.sqrt(queries.shape[-1])
        found.append(torch.softmax(logits, dim=-1))
        after = found[-1] @ tokens @ values + (tokens if block.skip else 0)
        tokens = layer_norm(after) if block.norm else after
    return found


def with_digits(block: Block, weights: list[Projections], tokens: Tensor) -> list[Tensor]:
    """The same of one network with eighty digits, without layer norm."""
    found = []
    with mpmath.workdps(80):
        x = mpmath.matrix(tokens[0].tolist())
        for queries, keys, values in ([mpmath.matrix(w[0].tolist()) for w in e] for e in weights):
            logits = (x * queries) * (x * keys).T / mpmath.sqrt(queries.rows)
            rows = [logits[i, :] for i in range(x.rows)]
            shares = [[mpmath.exp(m - max(row)) for m in row] for row in rows]
            a = mpmath.matrix([[s / mpmath.fsum(row) for s in row] for row in shares])
            found.append(torch.tensor(a.tolist(), dtype=torch.float64)[None])
            x = a * x * values + (x if block.skip else mpmath.zeros(x.rows, x.cols))
    return found


def drawn_weights(depth: int, size: int, count: int = 1) -> list[Projections]:
    rng = generator(0, "deep softmax", size)
    one = lambda: normal(rng, count, size, size)  # noqa: E731
    return [(one(), one(), one()) for _ in range(depth)]


@pytest.mark.parametrize("skip", [False, True])
def test_deep_softmax_without_layer_norm_is_that_of_eighty_digits(skip: bool) -> None:
    """A mean that grows by sqrt(d) per layer leaves plain double precision nothing to differ by."""
    block, tokens = Block("softmax", skip=skip), torch.eye(12, dtype=torch.float64)[None]
    weights = drawn_weights(24, 12)
    exact = with_digits(block, weights, tokens)
    carried = [a for a, _ in softmax_along(block, weights, tokens)]
    for one, other in zip(exact, carried, strict=True):
        assert torch.allclose(one, other, rtol=0, atol=1e-6)
    plain = plain_softmax(block, weights, tokens)
    lost = max(float((e - p).abs().max()) for e, p in zip(exact, plain, strict=True))
    assert skip or lost > 0.1  # with skip connections it takes more layers


@pytest.mark.parametrize(("norm", "skip"), list(product((False, True), repeat=2)))
@pytest.mark.parametrize("fix", ["", "mean"])
def test_few_layers_are_those_of_the_definition(norm: bool, skip: bool, fix: str) -> None:
    block, tokens = Block("softmax", fix, norm, skip), torch.eye(6, dtype=torch.float64)
    tokens = tokens.repeat(3, 1, 1)
    weights = drawn_weights(3, 6, 3)
    plain, x = [], tokens
    for queries, keys, values in weights:
        logits = (x @ queries) @ (x @ keys).mT / math.sqrt(6)
        x, mixed = layer_with(block, torch.softmax(logits, dim=-1), x, values)
        plain.append((x, mixed))
    for (x, one), (other, at) in zip(plain, softmax_along(block, weights, tokens), strict=True):
        assert torch.allclose(one, other, rtol=0, atol=1e-9)
        assert torch.allclose(x, at.whole(), atol=1e-9)
        assert torch.allclose(excess_rank(x).log(), at.log_excess(), rtol=0, atol=1e-6)


def test_what_tokens_differ_by_keeps_its_digits() -> None:
    """Far below rounding beside their mean, in layer norm and in the excess of the rank."""
    rng = generator(0, "apart")
    common, rest = normal(rng, 2, 1, 5), normal(rng, 2, 4, 5)
    at = Apart.of(common + rest)
    small = [Apart(at.common, share * at.rest) for share in (1e-7, 1e-9, 1e-30)]
    excess = [
        a.log_excess() + 4 * math.log(1e-7 / s)
        for a, s in zip(small, (1e-7, 1e-9, 1e-30), strict=True)
    ]
    normed = [a.normed().rest / s for a, s in zip(small, (1e-7, 1e-9, 1e-30), strict=True)]
    for one, other in ((excess[0], excess[1]), (excess[1], excess[2]), normed[1:]):
        assert torch.allclose(one, other, rtol=1e-6)
    logits, change = normal(rng, 2, 1, 4), normal(rng, 2, 4, 4)
    shares = [softmax_apart(logits, s * change).rest / s for s in (1e-9, 1e-30)]
    assert torch.allclose(*shares, rtol=1e-6)
