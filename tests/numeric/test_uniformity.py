"""Whether a coupled sequence of logits settles: late is not never."""

from __future__ import annotations

import pytest
import torch

from audit.examine import load_witnesses
from claims.registry import encoded
from numeric.larger import measure_at_every_scale
from numeric.noci2022.many_keys import SMALL, limit_of_softmax
from numeric.noci2022.uniformity import limit_along
from numeric.registry import QUICK
from numeric.sampling import generator, normal

DOUBLINGS = torch.arange(15, dtype=torch.float64)


def sequence_of(distance: torch.Tensor) -> torch.Tensor:
    """Replicates of a 2 x 2 matrix at these distances from the identity, in either direction."""
    signs = normal(generator(0, "settling"), 16).sign().double()
    return (
        torch.eye(2, dtype=torch.float64)
        + torch.einsum("k,r->kr", distance, signs)[..., None, None]
    )


@pytest.mark.parametrize("late", [0, 4, 8])
def test_a_sequence_may_settle_late(late: int) -> None:
    """Large tokens hold the softmax at a vertex for many doublings."""
    measured = limit_along(sequence_of(2.0 ** -(DOUBLINGS - late).clamp(min=0)))
    assert float((measured.value - torch.eye(2)).abs().max()) <= measured.error


def test_a_sequence_that_keeps_moving_has_no_limit() -> None:
    """Sums of k terms over the root of k: each doubling turns them by half a right angle."""
    walk = normal(generator(0, "walk"), 2**14, 16).double().cumsum(dim=0)
    places = [2**e - 1 for e in range(15)]
    terms = torch.stack([walk[k] / (k + 1) ** 0.5 for k in places])
    assert limit_along(terms[..., None, None]).value.isinf().all()


@pytest.mark.parametrize("seed", [2, 3])
def test_one_dominant_token_is_no_counterexample(seed: int) -> None:
    """At these seeds the attention of a model's tokens leaves its vertex only at d_k = 2^10."""
    load_witnesses()
    claim = encoded()["noci2022.theorem-A.2.jacobian"]
    found = measure_at_every_scale(claim, seed=seed, budget=1e-9, effort=QUICK)
    assert found is not None
    assert found[0].status == "agrees"
    assert {"model"} <= {scale.scale for scale in found[1] if scale.status != "disagrees"}


@pytest.mark.parametrize("tail", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("scale", [2.0**e for e in range(0, 22, 3)])
def test_a_softmax_on_its_way_is_not_at_its_limit(scale: float, tail: float) -> None:
    """Logits that halve with every doubling, of replicates as unequal as deep layers make them."""
    for seed in range(4):
        rng = generator(seed, "halving")
        sizes = torch.rand(8, 1, 1, generator=rng, dtype=torch.float64)
        standard = normal(rng, 8, 5, 5) / sizes**tail
        halving = 2.0 ** -DOUBLINGS[:, None, None, None] * scale
        found = limit_of_softmax(halving * torch.cat((standard, -standard)))
        assert float((found.value - 1 / 5).abs().max()) <= found.error
        assert scale * 2.0**-14 * float(standard.abs().max()) > SMALL or found.error < 0.1
