"""Simulated stacks: the tokens' law, the intervals' coverage, and shortcuts held to definitions."""

from __future__ import annotations

import math

import torch

from numeric.jacobians import full_jacobian_norm
from numeric.layers import attention, attention_weights, block
from numeric.noci2022.figures_correlations import lemmas
from numeric.noci2022.simulated_gradients import gradient_norms
from numeric.noci2022.simulated_norms import distances_from_uniform
from numeric.noci2022.stacks import (
    Stack,
    correlated_tokens,
    interval,
    mean_cosine,
    ratio_interval,
    side_by_side,
    xavier,
)
from numeric.sampling import generator, normal


def test_tokens_have_the_stated_covariance() -> None:
    x = correlated_tokens(generator(0, "t"), 2**14, 3, 2, rho=0.3, std=1.5)
    for other, expected in ((x[:, 0], 1.5**2), (x[:, 1], 0.3 * 1.5**2)):
        mean, width = interval((x[:, 0] * other).mean(dim=-1))
        assert abs(mean - expected) <= width < expected
    mean, width = interval(x[:, 0, 0] * x[:, 1, 1])
    assert abs(mean) <= width


def test_intervals_cover_and_shrink() -> None:
    """At a probability of 1e-9 of a miss, none of a hundred means is missed."""
    rng = generator(1, "coverage")
    for _ in range(100):
        mean, width = interval(normal(rng, 64).square())
        assert abs(mean - 1) <= width
        shared = normal(rng, 2048).exp()
        ratio, error = ratio_interval(2 * shared * (1 + 0.1 * normal(rng, 2048)), shared)
        assert abs(ratio - 2) <= error < 1


def test_mean_cosine_is_the_average_over_pairs() -> None:
    x = normal(generator(2, "c"), 5, 4, 3)
    unit = x / x.norm(dim=-1, keepdim=True)
    gram = unit @ unit.mT
    pairs = gram[:, ~torch.eye(4, dtype=torch.bool)].mean(dim=-1)
    assert torch.allclose(mean_cosine(x), pairs)


def test_stacks_share_weights_and_follow_the_block() -> None:
    x = correlated_tokens(generator(3, "s"), 2, 3, 4)
    stacks = [Stack(2, scaled=True, norm="post"), Stack(2, activation="relu", attention="mean")]
    *_, (first, second) = side_by_side(stacks, x, generator(4, "w"))
    rng = generator(4, "w")
    a = b = x
    for _ in range(2):
        weights = xavier(2, 4, rng)
        root = math.sqrt(0.5)
        a = block(a, weights, alpha_1=root, alpha_2=root, norm="post")
        b = block(b, weights, attention="mean", activation="relu")
    assert torch.allclose(first, a) and torch.allclose(second, b)


def test_closed_forms_meet_the_simulation_of_uniform_attention() -> None:
    """Lemmas 3.2 and 3.3 as the figure draws them, within the interval of a simulation."""
    size, layers = 3, 2
    x = correlated_tokens(generator(5, "x"), 1, size, 6)
    samples = x.expand(2**12, -1, -1)
    *_, (tokens,) = side_by_side([Stack(layers, attention="mean")], samples, generator(6, "w"))
    start = x.square().sum()
    share = float(x.sum(dim=-2).square().sum() / size / start)
    norm, _ = lemmas(size, 1.0, share, layers)
    mean, width = interval(tokens.square().sum(dim=(-1, -2)) / start)
    assert abs(mean - norm) <= width < norm / 2


def test_gradient_norms_are_those_of_autograd() -> None:
    norms = gradient_norms(3, 2, 0.2, 0.9, 2, seed=7, tau=1.3, dtype=torch.float64)
    rng = generator(7, "noci2022", "gradients", 3, 2)
    x = correlated_tokens(rng, 2, 3, 2, rho=0.2, std=0.9)
    wq, wk = (normal(rng, 2, 2, 2, std=2**-0.5) for _ in range(2))
    for place, name in enumerate(("queries", "keys")):
        for uniform in (False, True):
            total = torch.zeros(2, dtype=torch.float64)
            for a in range(4):  # W^V by unit directions, of variance 1/2 each

                def layer(w, a=a, place=place, uniform=uniform):
                    unit = torch.eye(4, dtype=torch.float64)[a].reshape(2, 2)
                    pair = (w, wk) if place == 0 else (wq, w)
                    return attention(x, *pair, unit.expand(2, 2, 2), uniform=uniform, tau=1.3)

                total += full_jacobian_norm(layer, (wq, wk)[place]) / 2
            assert torch.allclose(norms[name][0 if not uniform else 1], total)


def test_distance_from_uniform_has_the_law_of_drawn_weights() -> None:
    """The shortcut through the tokens' Gram matrix against weights that are drawn."""
    x = correlated_tokens(generator(8, "x"), 1, 3, 4, std=0.6)[0]
    (short,) = distances_from_uniform(x, (5,), generator(9, "a"), 2**12)
    rng = generator(10, "b")
    wq, wk = (normal(rng, 2**12, 4, 5, std=(2 / 9) ** 0.5) for _ in range(2))
    drawn = (attention_weights(x, wq, wk) - 1 / 3).square().sum(dim=(-1, -2))
    (one, width1), (two, width2) = interval(short), interval(drawn)
    assert abs(one - two) <= width1 + width2 < one / 2
