"""Every estimator as a card would run it: nothing mixes devices, and verdicts are the processor's."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from pretended_card import Mixed, pretended_card

from audit.examine import load_witnesses
from claims.registry import encoded
from numeric import adversary, device, larger
from numeric.im2026 import reading, trainer
from numeric.larger import AtScale, measure_at_every_scale, measured_on
from numeric.naitsaada2025.extreme_singular_values import largest_moduli, largest_singular_values
from numeric.registry import EFFORTS
from numeric.remembered import remembered
from numeric.sampling import generator, normal, uniform
from numeric.training.optimisers import Optimiser
from numeric.training.parameters import Architecture
from numeric.training.reversal import Reversal, train


def test_operands_on_two_devices_are_refused() -> None:
    beside = torch.ones(2, 2)
    with pretended_card() as card:
        there = torch.eye(2)
        assert there.device == (2 * there + there.mT).device == card.at != beside.device
        assert (there.cpu().numpy() == beside.numpy() * there.tolist()).all()
        assert (there + beside.to(card.at)).device == card.at
        with pytest.raises(Mixed, match=r"on the card \(True\) and beside it \(False\)"):
            there @ torch.ones(2, 2, device="cpu")
        with pytest.raises(Mixed, match="NumPy"):
            there.numpy()
        with pytest.raises(Mixed, match="generator of the other device"):
            torch.rand(2, generator=generator(0, "a"))
        with pytest.raises(Mixed, match="generator of the other device"):
            torch.rand(2, generator=card.generator(0), device="cpu")
        assert (
            uniform(generator(0, "a"), 2).device == normal(card.generator(0), 2).device == card.at
        )
    assert torch.eye(2).device == beside.device


def on_both() -> tuple[AbstractContextManager[object], ...]:
    """The processor, and a card."""
    return nullcontext(), pretended_card()


def measured_both_ways(claim_id: str) -> tuple[str, str]:
    """Statuses on a processor, and on a card without the scale of papers."""
    claim = encoded()[claim_id]
    effort = EFFORTS["quick"]
    found = []
    for place in on_both():
        with place:
            result = measure_at_every_scale(claim, seed=0, budget=1e-9, effort=effort)
        found.append("not measured" if result is None else result[0].status)
    return found[0], found[1]


load_witnesses()
CLAIMS = sorted(encoded())


@pytest.fixture
def smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small sizes and those of models in the place of those of papers, which take a card."""
    monkeypatch.setattr(larger, "scales_of", lambda effort: effort.larger)
    monkeypatch.setattr(larger, "place_of", lambda scale: device.active())


@pytest.mark.usefixtures("smaller")
@pytest.mark.parametrize("claim_id", CLAIMS[3::31])
def test_a_card_gives_the_same_verdict(claim_id: str) -> None:
    here, there = measured_both_ways(claim_id)
    assert here == there


@pytest.mark.seldom
@pytest.mark.usefixtures("smaller")
@pytest.mark.parametrize("claim_id", sorted({*CLAIMS} - {*CLAIMS[3::31]}))
def test_a_card_gives_the_same_verdict_on_every_other_claim(claim_id: str) -> None:
    test_a_card_gives_the_same_verdict(claim_id)


def test_small_sizes_stay_on_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    places = []
    claim, measure, attack = encoded()["wu2024.thm-1.rate"], larger.measure, adversary._Search.round

    def noted(*args: object, **named: object) -> object:
        places.append(device.active())
        return (attack if isinstance(args[0], adversary._Search) else measure)(*args, **named)  # type: ignore

    monkeypatch.setattr(larger, "measure", noted)
    monkeypatch.setattr(adversary._Search, "round", noted)
    with pretended_card() as card:
        measure_at_every_scale(
            claim, seed=0, budget=1e-9, effort=replace(EFFORTS["quick"], larger=())
        )
        adversary.attack(encoded()["im2026.lemma-D.2.jac"], seed=0, rounds=1)
        assert places == [device.PROCESSOR] * 2 and device.active() is card
        scales = [AtScale(name, "agrees") for name in ("small", "model", "paper")]
        assert (
            measured_on(scales[:2]) == measured_on([*scales[:2], AtScale("paper", None)]) == "cpu"
        )
        assert measured_on(scales) == f"cpu, {card.name}"


def test_what_is_remembered_is_remembered_for_each_device() -> None:
    calls = []

    @remembered(maxsize=4)
    def identity(size: int) -> torch.Tensor:
        calls.append(size)
        return torch.eye(size)

    kept = identity(3)
    with pretended_card() as card:
        assert identity(3).device == card.at and identity(3) is identity(3)
    assert identity(3) is kept and calls == [3, 3]


def test_lanczos_multiplies_where_the_matrix_is() -> None:
    """Beside the products nothing needs the card: ARPACK takes vectors of the processor."""
    rng = generator(0, "lanczos")
    matrices = uniform(rng, 1, 60, 60)
    both = largest_singular_values, largest_moduli
    here = [find(matrices, 2, full=2) for find in both]
    with pretended_card() as card:
        there = [find(matrices.to(card.at), 2, full=2) for find in both]
        assert all(values.device == card.at for values in there)
    for one, other in zip(here, there, strict=True):
        assert torch.allclose(one, other, rtol=1e-10)


def test_training_on_a_text_is_the_same_on_a_card(tmp_path: Path) -> None:
    rng = Random(0)
    words = [rng.choice("abcdefg") for _ in range(600)]
    (tmp_path / "text").write_text(" ".join(words), encoding="utf-8")
    plan = trainer.Plan(epochs=2, eta=0.05, batch=16, layers=2, seed=0)
    losses = []
    for place in on_both():
        with place:
            text = reading.read(tmp_path / "text", words=8, length=8)
            *_, (checkpoint, weights, maps) = trainer.trained(text, plan)
            without = trainer.losses_without(weights, maps, text.tokens)
            nearest = trainer.associated(text, maps, text.vocabulary[:2], 3)
        losses.append((checkpoint.loss, checkpoint.cosines, without, nearest))
    assert _close(*losses)


def _close(here: Any, there: Any) -> bool:
    """Numbers to rounding, words exactly."""
    if isinstance(here, dict):
        return here.keys() == there.keys() and all(_close(here[k], there[k]) for k in here)
    if isinstance(here, list | tuple):
        return len(here) == len(there) and all(map(_close, here, there))
    return here == pytest.approx(there, rel=1e-9) if isinstance(here, float) else here == there


def test_a_reversal_is_trained_on_a_card() -> None:
    """Parameters and digits are drawn by the processor, so that both devices see the same."""
    a, task = Architecture(width=8, hidden=16, heads=2, blocks=2), Reversal(length=4, batch=8)
    found = []
    for place in on_both():
        with place:
            rngs = [generator(0, "reversal", k) for k in range(2)]
            states = list(train(a, task, Optimiser("adam", 1e-3), rngs, 3))
        found.append([state.loss for state in states])
    assert _close([x.tolist() for x in found[0]], [x.tolist() for x in found[1]])
