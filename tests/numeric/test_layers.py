"""The layers against their formulas written entry by entry, and their refusals."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch.func import jacfwd, jacrev, jvp

from numeric.layers import (
    Sizes,
    Variances,
    Weights,
    attention,
    attention_weights,
    block,
    draw_entries,
    draw_weights,
    layer_norm,
    mean_attention,
)
from numeric.sampling import generator

N, D_V, D_K, D_F = 3, 4, 2, 5
# Sums of fewer than 1000 products of numbers below 100: float64 rounding stays below 1e-10.
EXACT = {"rtol": 1e-10, "atol": 1e-12}


@pytest.fixture
def x() -> Tensor:
    return draw_entries((N, D_V), 1.0, generator(1, "layers", "x"))


@pytest.fixture
def weights() -> Weights:
    return draw_weights(Sizes(D_V, D_K, D_F), Variances(), generator(1, "layers", "weights"))


def attention_by_entries(x: Tensor, w: Weights, tau: float) -> Tensor:
    q, k, v = x @ w.wq, x @ w.wk, x @ w.wv
    out = torch.zeros(N, D_V, dtype=torch.float64)
    for i in range(N):
        terms = [math.exp(tau * float(q[i] @ k[j]) / math.sqrt(D_K)) for j in range(N)]
        for j in range(N):
            out[i] += terms[j] / sum(terms) * v[j]
    return out


@pytest.mark.parametrize("tau", [1.0, 0.0, 2.5])
def test_attention_is_its_formula(x: Tensor, weights: Weights, tau: float) -> None:
    got = attention(x, weights.wq, weights.wk, weights.wv, tau=tau)
    torch.testing.assert_close(got, attention_by_entries(x, weights, tau), **EXACT)


def test_uniform_attention_is_the_mean_token_at_any_logits(x: Tensor, weights: Weights) -> None:
    got = attention(x, weights.wq, weights.wk, weights.wv, uniform=True)
    torch.testing.assert_close(got, mean_attention(x, weights.wv), **EXACT)
    torch.testing.assert_close(got, (x.mean(0) @ weights.wv).expand(N, D_V), **EXACT)


@pytest.mark.parametrize("differentiate", [jacrev, jacfwd])
def test_uniform_attention_differentiates_as_softmax_at_equal_logits(
    x: Tensor, weights: Weights, differentiate: object
) -> None:
    """At W^Q = 0 the softmax itself is uniform, so both derivatives by W^Q must agree there."""
    zero = torch.zeros_like(weights.wq)

    def by_queries(uniform: bool, at: Tensor) -> Tensor:
        return differentiate(lambda wq: attention_weights(x, wq, weights.wk, uniform=uniform))(at)

    softmax = by_queries(False, zero)
    torch.testing.assert_close(by_queries(True, zero), softmax, **EXACT)
    # dM/dW^Q does not depend on W^Q, so the uniform derivative is the same everywhere.
    torch.testing.assert_close(by_queries(True, weights.wq), softmax, **EXACT)


def test_uniform_derivative_is_the_centred_logit_derivative(x: Tensor, weights: Weights) -> None:
    moved = jvp(
        lambda t: attention_weights(t, weights.wq, weights.wk, uniform=True), (x,), (x + 1,)
    )[1]
    logits = jvp(lambda t: (t @ weights.wq) @ (t @ weights.wk).mT / math.sqrt(D_K), (x,), (x + 1,))[
        1
    ]
    centre = torch.eye(N, dtype=torch.float64) - 1 / N
    torch.testing.assert_close(moved, logits @ centre / N, **EXACT)


def by_hand(x: Tensor, w: Weights, norm: str, relu: bool, tau: float) -> Tensor:
    """The block of alpha_1 = 0.5, alpha_2 = 0.25 written out once more, norms placed by hand."""
    ln = torch.nn.functional.layer_norm
    inner = ln(x, (D_V,), eps=0.0) if norm == "pre" else x
    z = 0.5 * attention_by_entries(inner, w, tau) + x
    z = ln(z, (D_V,), eps=0.0) if norm == "post" else z
    inner = ln(z, (D_V,), eps=0.0) if norm == "pre" else z
    hidden = inner @ w.wf1
    hidden = torch.where(hidden > 0, hidden, 0.0) if relu else hidden
    out = 0.25 * hidden @ w.wf2 + z
    return ln(out, (D_V,), eps=0.0) if norm == "post" else out


@pytest.mark.parametrize("norm", ["none", "pre", "post"])
@pytest.mark.parametrize("activation", ["linear", "relu"])
def test_block_is_its_formula(x: Tensor, weights: Weights, norm: str, activation: str) -> None:
    got = block(
        x, weights, alpha_1=0.5, alpha_2=0.25, activation=activation, norm=norm, tau=1.5
    )  # fmt: skip
    expected = by_hand(x, weights, norm, activation == "relu", 1.5)
    torch.testing.assert_close(got, expected, **EXACT)


def test_mean_and_uniform_blocks_have_one_value_and_two_gradients(
    x: Tensor, weights: Weights
) -> None:
    mean = block(x, weights, attention="mean")
    torch.testing.assert_close(block(x, weights, attention="uniform"), mean, **EXACT)
    by_x = [jacrev(lambda t, k=k: block(t, weights, attention=k))(x) for k in ("mean", "uniform")]
    assert not torch.allclose(by_x[0], by_x[1])


@pytest.mark.parametrize("kind", ["softmax", "uniform", "mean"])
def test_leading_axes_are_samples(kind: str) -> None:
    rng = generator(2, "layers")
    many = draw_weights(Sizes(D_V, D_K, D_F), Variances(), rng, batch=(2, 3))
    tokens = draw_entries((N, D_V), 1.0, rng)
    got = block(tokens, many, attention=kind)
    assert got.shape == (2, 3, N, D_V)
    one = Weights(*(w[1, 2] for w in vars(many).values()))
    torch.testing.assert_close(got[1, 2], block(tokens, one, attention=kind), **EXACT)


@pytest.mark.parametrize("law", ["normal", "two-point", "uniform"])
def test_entries_have_the_stated_variance(law: str) -> None:
    """Six standard errors, with the fourth moment of the widest law (3 sigma^4)."""
    count, variance = 2**18, 0.3
    e = draw_entries((count,), variance, generator(3, law), law=law)
    assert abs(float(e.mean())) < 6 * math.sqrt(variance / count)
    assert abs(float(e.square().mean()) / variance - 1) < 6 * math.sqrt(2 / count) + 1e-12
    assert torch.isfinite(e).all()


def test_normal_entries_are_normal() -> None:
    """Kolmogorov-Smirnov distance below the 1e-6 quantile, sqrt(ln(2e6) / 2) / sqrt(count)."""
    count = 2**18
    e = draw_entries((count,), 4.0, generator(4, "ks")).sort().values
    grid = (torch.arange(count, dtype=torch.float64) + 0.5) / count
    distance = float((torch.special.ndtr(e / 2) - grid).abs().max()) + 0.5 / count
    assert distance < math.sqrt(math.log(2e6) / 2 / count)


def test_layer_norm_standardises_tokens(x: Tensor) -> None:
    y = layer_norm(x)
    torch.testing.assert_close(y.mean(-1), torch.zeros(N, dtype=torch.float64), **EXACT)
    torch.testing.assert_close(y.square().mean(-1), torch.ones(N, dtype=torch.float64), **EXACT)


def test_refusals_name_value_rule_and_remedy(x: Tensor, weights: Weights) -> None:
    w = weights
    with pytest.raises(ValueError, match=r"n = 1: .*n >= 2.*give"):
        attention(x[:1], w.wq, w.wk, w.wv)
    with pytest.raises(ValueError, match=r"n = 1: .*n >= 2"):
        block(x[:1], w, attention="mean")
    with pytest.raises(ValueError, match=r"wq has shape \(2, 4\).*must be \(4, any\)"):
        attention(x, w.wq.mT, w.wk, w.wv)
    with pytest.raises(ValueError, match=r"wk has shape \(4, 1\).*must be \(4, 2\)"):
        attention(x, w.wq, w.wk[:, :1], w.wv)
    with pytest.raises(ValueError, match=r"wv has shape \(4, 1\).*must be \(4, 4\)"):
        attention(x, w.wq, w.wk, w.wv[:, :1])
    with pytest.raises(ValueError, match=r"wf1 or wf2 None: .*d_f"):
        block(x, Weights(w.wq, w.wk, w.wv))
    with pytest.raises(ValueError, match="d_v = 1"):
        layer_norm(x[:, :1])
    with pytest.raises(ValueError, match=r"d_k = 0: .*at least 1"):
        Sizes(4, 0)
    with pytest.raises(ValueError, match=r"variance q = -1.*>= 0"):
        Variances(q=-1.0)


@pytest.mark.parametrize("switch", ["attention", "activation", "norm"])
def test_unknown_switches_are_refused(x: Tensor, weights: Weights, switch: str) -> None:
    with pytest.raises(ValueError, match=f"{switch} 'other': must be one of"):
        block(x, weights, **{switch: "other"})
