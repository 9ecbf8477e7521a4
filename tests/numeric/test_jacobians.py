"""Every rearrangement against autograd, every averaging against an exact enumeration."""

from __future__ import annotations

from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from benchmarks.sampling import run
from numeric.jacobians import (
    full_jacobian_norm,
    key_gradient_norm,
    query_gradient_norm,
    softmax_traces,
    value_gradient_norm,
)
from numeric.layers import Sizes, Variances, Weights, attention, draw_entries, draw_weights
from numeric.sampling import generator

PLACES = {"queries": 0, "keys": 1, "values": 2}
# Fewer than 1e4 float64 operations (eps 2.2e-16) per result, on well-conditioned sums of tokens of
# size one: relative errors stay below 1e-11.
EXACT = {"rtol": 1e-10, "atol": 1e-300}


def problem(n: int, d_v: int, d_k: int, seed: int, samples: int = 2) -> tuple[Tensor, Weights]:
    rng = generator(seed, "jacobians", n, d_v, d_k)
    x = draw_entries((n, d_v), 1.0, rng)
    return x, draw_weights(Sizes(d_v, d_k), Variances(0.5, 0.7, 0.9), rng, batch=(samples,))


def by_autograd(parameter: str, x: Tensor, w: Weights, uniform: bool, tau: float) -> Tensor:
    """Row-by-row reverse mode over the whole Jacobian, one sample at a time."""
    place, norms = PLACES[parameter], []
    for sample in zip(w.wq, w.wk, w.wv, strict=True):

        def layer(value: Tensor, sample: tuple[Tensor, ...] = sample) -> Tensor:
            matrices = [*sample[:place], value, *sample[place + 1 :]]
            return attention(x, *matrices, uniform=uniform, tau=tau)

        jacobian = torch.autograd.functional.jacobian(layer, sample[place])
        norms.append(jacobian.square().sum())
    return torch.stack(norms)


def fast(parameter: str, x: Tensor, w: Weights, uniform: bool, tau: float) -> Tensor:
    if parameter == "values":
        return value_gradient_norm(x, w.wq, w.wk, uniform=uniform, tau=tau)
    norm = query_gradient_norm if parameter == "queries" else key_gradient_norm
    return norm(x, w.wq, w.wk, w.wv, uniform=uniform, tau=tau)


@pytest.mark.parametrize("parameter", PLACES)
@pytest.mark.parametrize("uniform", [False, True])
@pytest.mark.parametrize(("n", "d_v", "d_k", "tau"), [(3, 4, 2, 1.0), (5, 2, 3, 0.5), (2, 1, 1, 2)])
def test_rearrangements_equal_autograd(
    parameter: str, uniform: bool, n: int, d_v: int, d_k: int, tau: float
) -> None:
    x, w = problem(n, d_v, d_k, seed=5)
    expected = by_autograd(parameter, x, w, uniform, tau)
    torch.testing.assert_close(fast(parameter, x, w, uniform, tau), expected, **EXACT)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.integers(2, 5), st.integers(1, 4), st.integers(1, 4), st.integers(0, 10**6))
def test_query_norm_equals_autograd_at_any_size(n: int, d_v: int, d_k: int, seed: int) -> None:
    x, w = problem(n, d_v, d_k, seed, samples=1)
    got = query_gradient_norm(x, w.wq, w.wk, w.wv)
    expected = by_autograd("queries", x, w, False, 1.0)
    # A nearly one-hot row leaves a difference of larger terms: the error is of their size.
    scale = float((w.wk.square().sum() * w.wv.square().sum()) * x.square().sum() ** 3 / d_k)
    assert float((got - expected).abs().max()) <= 1e-13 * scale


def test_softmax_traces_are_traces() -> None:
    rng = generator(6, "traces")
    a = torch.softmax(draw_entries((2, 4, 4), 1.0, rng), dim=-1)
    p, q = (t @ t.mT for t in draw_entries((2, 4, 3), 1.0, rng))
    weights = draw_entries((2, 4), 1.0, rng).square()
    expected = torch.zeros(2, dtype=torch.float64)
    for s, i in product(range(2), range(4)):
        j = torch.diag(a[s, i]) - torch.outer(a[s, i], a[s, i])
        expected[s] += weights[s, i] * torch.trace(j @ p @ j @ q)
    torch.testing.assert_close(softmax_traces(a, p, q, weights), expected, **EXACT)


def test_common_token_does_not_cancel() -> None:
    """Tokens 1e6 away from the origin: without centring the Grams would lose twelve digits."""
    x, w = problem(4, 3, 2, seed=7)
    shift = 1e6
    far = x + shift
    same_rows = torch.zeros_like(w.wq)  # equal logits: the exact value is known through centring
    got = query_gradient_norm(far, same_rows, w.wk, w.wv)
    near = query_gradient_norm(x, same_rows, w.wk, w.wv)
    ratio = far.square().sum() / x.square().sum()
    # x + shift itself rounds x at 1e6 * eps = 2e-10.
    torch.testing.assert_close(got, near * ratio, rtol=1e-8, atol=0)


@pytest.mark.parametrize("norm", [query_gradient_norm, key_gradient_norm])
@pytest.mark.parametrize("uniform", [False, True])
def test_values_are_averaged_exactly(norm: object, uniform: bool) -> None:
    """The norm is quadratic in W^V, so its mean over all 16 sign patterns +-s is its mean."""
    x, w = problem(3, 2, 2, seed=8, samples=1)
    sigma = 0.8
    patterns = torch.tensor(list(product((-sigma, sigma), repeat=4)), dtype=torch.float64)
    enumerated = norm(x, w.wq, w.wk, patterns.view(16, 2, 2), uniform=uniform).mean()
    averaged = norm(x, w.wq, w.wk, sigma_v2=sigma**2, uniform=uniform).squeeze()
    torch.testing.assert_close(averaged, enumerated, **EXACT)


@pytest.mark.parametrize("uniform", [False, True])
@pytest.mark.parametrize("parameter", PLACES)
def test_full_jacobian_norm_is_autograd_per_sample(parameter: str, uniform: bool) -> None:
    x, w = problem(3, 4, 2, seed=9)
    place, matrices = PLACES[parameter], [w.wq, w.wk, w.wv]

    def layer(value: Tensor) -> Tensor:
        return attention(x, *matrices[:place], value, *matrices[place + 1 :], uniform=uniform)

    got = full_jacobian_norm(layer, matrices[place])
    torch.testing.assert_close(got, by_autograd(parameter, x, w, uniform, 1.0), **EXACT)


def test_refusals_name_value_rule_and_remedy() -> None:
    x, w = problem(3, 4, 2, seed=23)
    with pytest.raises(ValueError, match=r"n = 1: .*n >= 2"):
        query_gradient_norm(x[:1], w.wq, w.wk)
    with pytest.raises(ValueError, match=r"wk has shape \(2, 4, 1\): .*must be \(4, 2\)"):
        query_gradient_norm(x, w.wq, w.wk[..., :1])


def test_benchmark_runs_and_its_estimators_agree() -> None:
    """Tiny sizes; the deviation is between autograd and the fast form on the same weights."""
    before = torch.get_num_threads()
    result = run(quick=True)
    case = result["cases"][0]
    assert case["largest_relative_deviation"] < 1e-10
    assert case["ratio"] > 0
    assert torch.get_num_threads() == before
