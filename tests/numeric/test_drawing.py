"""Chunks, parts and batches: the same samples however they are cut, and faults that name themselves."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from sympy import Symbol

from audit.examine import load_witnesses
from claims.model import Relation
from claims.registry import encoded
from numeric import device
from numeric import registry as measuring
from numeric.agreement import CHUNK, BadEstimator
from numeric.cases import choose_cases
from numeric.device import Device, TooLarge
from numeric.drawing import AT_ONCE, PART, NotFinite, Stream
from numeric.sampling import Together, generator, normal, sphere

STREAM = Stream(3, "toy.eq-1", 2)
POINT = {Symbol("n"): 4}


class SmallCard(Device):
    """A card without a card: numbers come from the processor, memory holds so many samples."""

    name, in_parts = "small card", True

    def __init__(self, holds: int, free: int = 2**40) -> None:
        self.holds, self._free = holds, free
        self.batches: list[int] = []
        self.released = 0

    def free(self) -> int:
        return self._free

    def peak(self) -> int:
        return 1000 * self.batches[-1]

    def release(self) -> None:
        self.released += 1

    def sampler(self) -> Callable[..., torch.Tensor]:
        """Squares of sums of four normals, where they fit."""

        def run(point: object, rng: object, count: int) -> torch.Tensor:
            if count > self.holds:
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate\n20.00 GiB")
            self.batches.append(count)
            return normal(rng, count, 4).sum(dim=1).square()  # type: ignore[arg-type]

        return run


def drawn(card: SmallCard, chunks: range = range(3)) -> torch.Tensor:
    with device.using(card):
        return torch.cat(list(STREAM.samples(card.sampler(), POINT, chunks)))


def test_samples_do_not_depend_on_the_memory_of_a_card() -> None:
    roomy, tight, tiny = SmallCard(AT_ONCE), SmallCard(4 * PART), SmallCard(PART)
    samples = drawn(roomy)
    assert len(samples) == 3 * CHUNK
    assert torch.equal(drawn(tight), samples) and torch.equal(drawn(tiny), samples)
    assert max(roomy.batches) > max(tight.batches) == 4 * PART > max(tiny.batches) == PART
    assert tight.released > 0 == roomy.released


def test_a_batch_is_sized_by_what_is_free() -> None:
    """A part takes 1000 bytes for each sample; half of what is free holds three parts."""
    card = SmallCard(AT_ONCE, free=6 * 1000 * PART + 1)
    drawn(card)
    assert card.batches[0] == PART and set(card.batches[1:-1]) == {3 * PART} and not card.released


def test_every_part_has_a_stream_of_its_own() -> None:
    whole = drawn(SmallCard(AT_ONCE), range(2))
    assert len(whole.unique()) == 2 * CHUNK
    assert torch.equal(drawn(SmallCard(AT_ONCE), range(1, 2)), whole[CHUNK:])


def test_a_part_that_does_not_fit_is_named() -> None:
    with pytest.raises(TooLarge, match=r"^toy.eq-1, case 2: 128 samples do not fit") as caught:
        drawn(SmallCard(PART - 1))
    assert "\n" not in str(caught.value)


def test_on_a_processor_a_chunk_is_one_stream() -> None:
    samples = list(STREAM.samples(lambda p, rng, count: normal(rng, count), POINT, range(2, 4)))
    assert torch.equal(samples[0], normal(generator(3, "toy.eq-1", 2, 2), CHUNK))
    assert torch.equal(samples[1], normal(generator(3, "toy.eq-1", 2, 3), CHUNK))


def test_what_does_not_fit_is_refused_before_it_is_allocated() -> None:
    """A petabyte of normals: the size is in one line, with the claim."""
    before = torch.Generator().manual_seed(0).get_state()
    rng = torch.Generator().manual_seed(0)
    with pytest.raises(TooLarge, match=r"2048 x 1048576 x 65536 needs 1048576.0 GiB"):
        normal(rng, CHUNK, 2**20, 2**16)
    assert torch.equal(rng.get_state(), before)
    with pytest.raises(TooLarge, match=r"^toy.eq-1, case 2: 2048 samples .* GiB free"):
        list(STREAM.samples(lambda p, rng, count: sphere(rng, count, 2**36), POINT, range(1)))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("card", [None, SmallCard(AT_ONCE)])
def test_a_sample_that_is_not_finite_names_its_stream(bad: float, card: SmallCard | None) -> None:
    def run(point: object, rng: object, count: int) -> torch.Tensor:
        samples = torch.ones(count, dtype=torch.float64)
        samples[5] = bad
        if card is not None:
            card.batches.append(count)
        return samples

    where = "3/toy.eq-1/2/" + ("0/0 to 0/0" if card else "0")
    with (
        device.using(card or Device()),
        pytest.raises(NotFinite, match=f"toy.eq-1, case 2, stream {where}: 1 of "),
    ):
        list(STREAM.samples(run, POINT, range(1)))


@pytest.mark.parametrize(
    ("returned", "named"),
    [
        (lambda count: torch.ones(count, 2), "a float32 tensor of shape (2048, 2)"),
        (lambda count: torch.ones(count // 2), "a float32 tensor of shape (1024,)"),
        (lambda count: torch.ones(()), "a float32 tensor of shape ()"),
        (lambda count: torch.ones(count) * 1j, "a complex64 tensor of shape (2048,)"),
        (lambda count: [1.0] * count, "an object of type list"),
    ],
)
def test_samples_that_are_not_one_real_number_each_name_the_estimator(
    returned: Callable[[int], Any], named: str
) -> None:
    with pytest.raises(BadEstimator) as caught:
        list(STREAM.samples(lambda point, rng, count: returned(count), POINT, range(1)))
    assert str(caught.value).startswith(f"the estimator of toy.eq-1 returned {named}, must return")


def test_draws_of_several_generators_need_samples_first() -> None:
    together = Together([generator(0, k) for k in range(2)], PART)
    with pytest.raises(ValueError, match="first axis"):
        normal(together, 3, 2 * PART)  # type: ignore[arg-type]


def test_no_sampler_computes_on_another_device_than_the_one_in_use() -> None:
    """On torch's device without memory most operations that mix devices fail, as on a card."""

    class Shapes(Device):
        name, at = "shapes", torch.device("meta")

    load_witnesses()
    tried = set()
    for claim in encoded().values():
        estimator = measuring.estimator_of(claim)
        if estimator is None or not estimator.random or not isinstance(claim.statement, Relation):
            continue
        point = choose_cases(claim, 1, seed=0)[0]
        with device.using(Shapes()):
            samples = estimator.run(point, generator(0, "shapes"), 8)
        assert samples.device.type == "meta" and samples.shape == (8,), claim.id
        tried.add(claim.id)
    assert len(tried) > 20


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_card_draws_by_itself_whatever_fits() -> None:
    device.use("cuda")
    try:
        run = lambda p, rng, count: normal(rng, count, 4).sum(dim=1)  # noqa: E731
        first, again = (torch.cat(list(STREAM.samples(run, POINT, range(2)))) for _ in range(2))
        assert first.device.type == "cuda" and len(first) == 2 * CHUNK
        assert torch.equal(first, again)
        later = torch.cat(list(STREAM.samples(run, POINT, range(1, 2))))
        assert torch.allclose(later, first[CHUNK:])
    finally:
        device.use("cpu")
