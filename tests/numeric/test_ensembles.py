"""Random attention matrices and their extreme singular values."""

from __future__ import annotations

import math

import pytest
import torch

from claims.naitsaada2025.spectral_gap import MOMENTS
from numeric.naitsaada2025.ensembles import (
    KINDS,
    LAWS,
    EnsembleError,
    attention,
    features,
    key_query_logits,
    markov,
    orthonormal_tokens,
    pareto,
    token_logits,
    unit_tokens,
    without_mean,
)
from numeric.naitsaada2025.extreme_singular_values import (
    NotMatrices,
    excess_rank,
    largest_moduli,
    largest_singular_values,
)
from numeric.naitsaada2025.spectral_gap import extrapolated, series_moduli, share_above
from numeric.sampling import generator, normal


@pytest.fixture
def rng() -> torch.Generator:
    return generator(0, "ensembles")


@pytest.mark.parametrize("law", LAWS.values(), ids=lambda law: law.name)
def test_laws_have_the_moments_that_they_name(law, rng) -> None:
    drawn = law.draw(rng, 1000, 1000)
    assert bool((drawn >= 0).all())
    assert float(drawn.mean()) == pytest.approx(law.mean, rel=0.01)
    assert float(drawn.std()) == pytest.approx(
        law.deviation, rel=0.05
    )  # pareto has no fifth moment


def test_claims_and_samplers_speak_of_the_same_laws() -> None:
    for name, (mean, deviation) in MOMENTS.items():
        assert float(mean) == pytest.approx(LAWS[name].mean)
        assert float(deviation) == pytest.approx(LAWS[name].deviation)


def test_markov_rows_are_stochastic_and_free_of_scale() -> None:
    one, other = (markov(LAWS["uniform"], generator(0, "m"), 3, 5, c) for c in (1.0, 7.0))
    assert torch.allclose(one.sum(dim=-1), torch.ones(3, 5, dtype=torch.float64))
    assert torch.allclose(one, other, rtol=1e-12)
    assert float(without_mean(one).sum(dim=-1).abs().max()) < 1e-14


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda rng: markov(LAWS["uniform"], rng, 1, 1), "T = 1"),
        (lambda rng: markov(pareto(4.0), rng, 1, 5), "fourth moment"),
        (lambda rng: pareto(2.0), "no variance"),
        (lambda rng: features(8, 0.0), "gamma = 0"),
        (lambda rng: features(8, -1.0), "gamma = -1"),
        (lambda rng: features(7, 2.0), "no integer d"),
        (lambda rng: orthonormal_tokens(5, 4), "T = 5 > d = 4"),
        (lambda rng: key_query_logits(rng, 1, 5, 0), "d_qk = 0"),
        (lambda rng: attention("linear", torch.zeros(1, 2, 2)), "softmax, relu, sigmoid"),
        (lambda rng: markov(LAWS["uniform"], rng, 1, 5, scale=0.0), "scale = 0"),
    ],
)
def test_what_does_not_exist_is_refused_in_one_line_before_sampling(wrong, says, rng) -> None:
    state = rng.get_state()
    with pytest.raises(EnsembleError, match=says) as refused:
        wrong(rng)
    assert "\n" not in str(refused.value)
    assert torch.equal(state, rng.get_state())


def test_logits_of_orthonormal_tokens_have_the_law_of_products(rng) -> None:
    tokens = orthonormal_tokens(6, 9).expand(4000, -1, -1)
    direct = key_query_logits(rng, 4000, 6, 3, sigma=0.5)
    through = token_logits(tokens, rng, 3, sigma=0.5)
    for logits in (direct, through):
        assert float(logits.var()) == pytest.approx(0.5**4, rel=0.05)
        assert int(torch.linalg.matrix_rank(logits[0])) == 3


def test_kinds_of_attention(rng) -> None:
    logits = token_logits(unit_tokens(rng, 2, 8, 0.5), rng, 8)
    made = {kind: attention(kind, logits) for kind in KINDS}
    assert torch.allclose(made["softmax"].sum(dim=-1), torch.ones(2, 8, dtype=torch.float64))
    assert float(made["relu"].max()) == pytest.approx(float(logits.max()) / 8)
    zero = attention("sigmoid", torch.zeros(1, 8, 8, dtype=torch.float64))
    assert float(zero[0, 0, 0]) == pytest.approx(1 / 9)


def test_lanczos_and_full_decompositions_agree(rng) -> None:
    matrices = markov(LAWS["exponential"], rng, 2, 60)
    for values in (largest_singular_values, largest_moduli):
        assert torch.allclose(values(matrices, 2, full=10), values(matrices, 2), rtol=1e-8)


def test_extreme_values_of_a_known_matrix(rng) -> None:
    known = torch.diag(torch.tensor([1.0, -3.0, 2.0], dtype=torch.float64))[None]
    assert largest_singular_values(known, 3).tolist() == [[3.0, 2.0, 1.0]]
    assert largest_moduli(known, 2).tolist() == [[3.0, 2.0]]
    assert float(excess_rank(known)) == pytest.approx((16 + 1) / 81)
    for ratio in (1e-2, 1e-4, 1e-8):  # the last is lost among rounded squares of the first
        least = torch.tensor([1.0, ratio, ratio], dtype=torch.float64)
        turned = torch.linalg.qr(normal(rng, 3, 3)).Q @ torch.diag(least)
        assert float(excess_rank(turned)) == pytest.approx(2 * ratio**4, rel=1e-7)
    with pytest.raises(NotMatrices, match="4 values"):
        largest_singular_values(known, 4)
    with pytest.raises(NotMatrices, match="must be"):
        largest_moduli(known[:, :2])


def test_series_of_scalar_queries_is_the_softmax(rng) -> None:
    x, y = (0.4 * normal(rng, 5, 20) for _ in range(2))
    full = torch.softmax(x[..., None] * y[:, None, :], dim=-1)
    assert torch.allclose(series_moduli(x, y), largest_moduli(full)[:, 1], rtol=1e-6)


def test_extrapolation_removes_the_leading_correction(rng) -> None:
    noise = normal(rng, 3, 64, std=1e-3)
    runs = [2 - 3 / 2**k + noise[k] for k in range(3)]
    found = extrapolated(runs, 1)
    assert abs(found.value - 2) < found.error < 0.02


def test_share_of_what_never_or_always_happens() -> None:
    values = torch.linspace(0, 1, 100)
    for bound, share in ((2.0, 0.0), (-1.0, 1.0)):
        found = share_above(values, bound)
        assert abs(found.value - share) == pytest.approx(found.error)
        assert found.error < 0.15
    assert math.isclose(share_above(values, 0.5).value, 0.5, abs_tol=0.05)
