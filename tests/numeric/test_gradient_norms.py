"""A chunk's norms are those of its weights; samples depend on the seed alone."""

from __future__ import annotations

import math
from itertools import product

import pytest
import torch
from torch import Tensor

from numeric.gradient_norms import (
    Chunk,
    Problem,
    gradient_norm_samples,
)
from numeric.jacobians import key_gradient_norm, query_gradient_norm, value_gradient_norm
from numeric.layers import Variances, draw_entries, shaped_by_law
from numeric.sampling import generator, own_stream

PARAMETERS = ("queries", "keys", "values")
VARIANCES = Variances(0.3, 0.4, 0.5)


def tokens(n: int, v: int, seed: int) -> Tensor:
    return draw_entries((n, v), 1.0, generator(seed, "gradient norms", n, v))


def from_the_definition(problem: Problem, weights: list[Tensor]) -> Tensor:
    """The norms at weights with the deviations that a chunk leaves to the tokens."""
    factor = shaped_by_law(torch.empty(0, dtype=torch.float64), problem.law)[1]
    variances = (problem.variances.q, problem.variances.k, problem.variances.v)
    wq, wk, *wv = (w * factor * math.sqrt(s) for w, s in zip(weights, variances, strict=False))
    layer = {"uniform": problem.uniform, "tau": problem.tau}
    if problem.parameter == "values":
        return value_gradient_norm(problem.x, wq, wk, **layer)
    norm = query_gradient_norm if problem.parameter == "queries" else key_gradient_norm
    return norm(problem.x, wq, wk, *wv, sigma_v2=problem.variances.v, **layer)


@pytest.mark.parametrize(
    ("parameter", "uniform", "law", "average"),
    list(product(PARAMETERS, (False, True), ("normal", "two-point", "uniform"), (False, True))),
)
def test_a_chunk_gives_the_norms_of_its_weights(
    parameter: str, uniform: bool, law: str, average: bool
) -> None:
    """Twice, since the second time every buffer holds the numbers of the first."""
    problem = Problem(parameter, tokens(5, 4, 3), 3, VARIANCES, uniform, 1.3, law, average)
    chunk, numbers = Chunk(problem, 6), own_stream(generator(5, parameter, law))
    for _ in range(2):
        norms = chunk.norms(numbers)
        torch.testing.assert_close(
            norms, from_the_definition(problem, chunk.weights), rtol=1e-10, atol=1e-300
        )


@pytest.mark.parametrize("law", ["normal", "two-point", "uniform"])
def test_entries_times_their_factor_have_variance_one(law: str) -> None:
    """Over a fine grid of the unit interval, and no entry is infinite or 0 at its ends."""
    grid = torch.arange(2**16, dtype=torch.float64) / 2**16
    entries, factor = shaped_by_law(grid, law)
    assert float(entries.square().mean()) * factor**2 == pytest.approx(1, rel=1e-3)
    ends, _ = shaped_by_law(torch.tensor([0.0, 0.5, 1 - 2.0**-53], dtype=torch.float64), law)
    assert bool((ends.isfinite() & (ends != 0)).all())


def test_a_sample_depends_on_neither_count_nor_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is made of consecutive numbers of one stream; only products may round differently."""
    x = tokens(6, 4, 7)
    draw = lambda count: gradient_norm_samples("queries", x, 3, VARIANCES, generator(18), count)  # noqa: E731
    whole = draw(23)
    torch.testing.assert_close(draw(9), whole[:9], rtol=1e-12, atol=0)
    monkeypatch.setattr("numeric.gradient_norms.chunk_size", lambda *_: 4)
    torch.testing.assert_close(draw(23), whole, rtol=1e-12, atol=0)
    assert torch.equal(draw(23), draw(23))
    other = gradient_norm_samples("queries", x, 3, VARIANCES, generator(19), 23)
    assert not torch.isclose(other, whole).any()


@pytest.mark.parametrize("parameter", ["queries", "keys"])
def test_averaged_and_drawn_values_share_a_mean(parameter: str) -> None:
    """Difference within six standard errors; averaging must also lower the variance."""
    x = tokens(3, 4, 14)
    a, b = (
        gradient_norm_samples(
            parameter,
            x,
            2,
            Variances(0.3, 0.4, 0.5),
            generator(15, average),
            2**13,
            average_values=average,
        )
        for average in (True, False)
    )
    error = math.sqrt(float(a.var() + b.var()) / len(a))
    assert abs(float(a.mean() - b.mean())) < 6 * error
    assert a.var() < b.var()


def test_samplers_return_one_value_per_draw() -> None:
    x = tokens(3, 4, 16)
    for parameter in PARAMETERS:
        got = gradient_norm_samples(parameter, x, 2, Variances(), generator(17), 5)
        assert got.shape == (5,)
        assert got.dtype == torch.float64


def test_refusals_of_requests_name_value_rule_and_remedy() -> None:
    x = tokens(3, 4, 23)
    with pytest.raises(ValueError, match=r"count = 0: must be at least 1"):
        gradient_norm_samples("queries", x, 2, Variances(), generator(24), 0)
    with pytest.raises(ValueError, match=r"must be \(n, v\)"):
        gradient_norm_samples("queries", x[None], 2, Variances(), generator(24), 1)
    with pytest.raises(ValueError, match=r"parameter 'other': must be one of"):
        gradient_norm_samples("other", x, 2, Variances(), generator(24), 1)
