"""The sizes of the papers: points, small lots of samples, and what is refused before it is begun."""

from __future__ import annotations

import math
import os
import platform
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
from sympy import Integer

from audit.examine import load_witnesses
from claims import masks
from claims.noci2022 import notation
from claims.registry import encoded
from claims.statement import And, Compare
from claims.variants import variants_of
from numeric import device, estimators, memory
from numeric.device import PROCESSOR, Device, TooLarge
from numeric.drawing import LARGE, Stream
from numeric.larger import (
    EXACT,
    NO_FLOAT,
    _in_short,
    _Task,
    measure_at_every_scale,
    scales_of,
    why_not,
)  # fmt: skip
from numeric.memory import TooMuch, about_to_draw, give_back, refusing
from numeric.noci2022.background import xavier_variance
from numeric.registry import EFFORTS, holds_no_number
from numeric.sampling import Together, generator, normal, quick_generator
from numeric.scales import MODEL, PAPER, dimensions, points_at
from numeric.thinning import BLOCK
from numeric.wu2024.masks import distances, radius

load_witnesses()
CLAIMS = encoded()
VALUES = CLAIMS["noci2022.lemma-3.1.values"]


class SmallCard(Device):
    """A card without a card, with room for so many samples."""

    name, in_parts = "small card", True

    def __init__(self, holds: int) -> None:
        self.holds = holds
        self.batches: list[int] = []

    def peak(self) -> int:
        return 1

    def sampler(self) -> Any:
        def run(point: object, rng: Any, count: int) -> torch.Tensor:
            if count > self.holds:
                raise torch.OutOfMemoryError("CUDA out of memory")
            self.batches.append(count)
            return normal(rng, count, 3).sum(dim=1)

        return run


def test_points_have_more_tokens_than_features_and_fewer() -> None:
    claim = CLAIMS["noci2022.lemma-3.1.keys-analogous"]
    found = [point for _, point in points_at(claim, PAPER, seed=3, count=2)]
    sizes = [[int(point[size.symbol]) for size in dimensions(claim.domain)] for point in found]
    low, high = PAPER.dimensions
    assert low >= 512
    for n, d_v, d_k in sizes:
        assert len({n, d_v, d_k}) == 3 and all(low <= size <= high for size in (n, d_v, d_k))
    assert {n > d_v for n, d_v, _ in sizes} == {True, False}


def test_thorough_has_the_scale_and_a_card_has_it_whatever_the_effort() -> None:
    has = lambda effort: PAPER in [scale for scale, _, _ in scales_of(EFFORTS[effort])]  # noqa: E731
    assert [has(effort) for effort in ("quick", "standard", "thorough")] == [False, False, True]
    with device.using(SmallCard(1)):
        assert all(map(has, EFFORTS))
        names = [scale.name for scale, _, _ in scales_of(EFFORTS["thorough"])]
        assert names == ["model", "paper"]


def test_a_claim_is_measured_at_the_scale_and_the_summary_says_so() -> None:
    effort = replace(EFFORTS["quick"], cases=1, larger=((PAPER, 1, 64),))
    found = measure_at_every_scale(VALUES, seed=0, budget=1e-9, effort=effort)
    assert found is not None
    measurement, summary = found
    assert [(each.scale, each.status) for each in summary][1] == ("paper", "agrees")
    assert [case.scale for case in measurement.cases][-1] == "paper"


def test_what_is_not_measured_there_says_why() -> None:
    made = CLAIMS["naitsaada2025.def-3.1"]
    assert why_not(made, PAPER) == EXACT and why_not(made, MODEL) == ""
    pairs = CLAIMS["im2026.eq-40.forward"]
    effort = replace(EFFORTS["quick"], points=1, larger=((PAPER, 1, 64),))
    found = measure_at_every_scale(pairs, seed=0, budget=1e-9, effort=effort)
    assert found is not None and "one by one" in found[1][1].reason


def test_small_parts_do_not_depend_on_memory() -> None:
    def drawn(card: Device, run: Any) -> torch.Tensor:
        with device.using(card):
            return torch.cat(list(Stream(1, "toy", 0, LARGE).samples(run, {}, range(2))))

    roomy, tight = SmallCard(10**6), SmallCard(2 * LARGE.part)
    samples = drawn(roomy, roomy.sampler())
    assert len(samples) == 2 * LARGE.chunk == len(samples.unique())
    assert torch.equal(drawn(tight, tight.sampler()), samples)
    assert max(roomy.batches) > max(tight.batches) == 2 * LARGE.part
    assert torch.equal(drawn(Device(), SmallCard(LARGE.part).sampler()), samples)


STEPPING = (
    "noci2022.lemma-3.1.queries", "noci2022.lemma-3.1.input", "noci2022.proof-3.1.A1",
    "noci2022.footnote-1.cross-attention",
)  # fmt: skip


@pytest.mark.parametrize("name", STEPPING)
def test_every_sample_comes_from_its_own_generator_in_steps_too(name: str) -> None:
    claim = CLAIMS[name]
    run = estimators.estimator_of(claim, larger=True).run  # type: ignore[union-attr]
    ((_, point),) = points_at(claim, MODEL, seed=2, count=1)
    single = [run(point, Together([generator(0, k)], 4), 4) for k in range(3)]
    several = run(point, Together([generator(0, k) for k in range(3)], 4), 12)
    torch.testing.assert_close(several, torch.cat(single), rtol=1e-12, atol=0)


def test_what_is_said_of_all_pairs_is_read_for_some_of_them() -> None:
    """A quarter of a million covariances: two blocks of them, on the diagonal and off it."""
    claim = CLAIMS["im2026.eq-10.sigma"]
    task = _Task(claim, PAPER, 0, 1e-9, EFFORTS["quick"], variants_of(claim, 6))
    (case,), reason = task.measured(1)
    assert not reason and case.status == "agrees" and case.excluded
    *_, few, _, whole = case.at[r"\text{members}"].split()
    assert int(few) == BLOCK**2 and int(whole) > 512**2
    no_pair = And((claim.formula, Compare(1, "<", 0)))
    (case,), _ = replace(task, claim=replace(claim, statement=no_pair), variants=()).measured(1)
    assert case.status == "disagrees"


def test_a_result_that_does_not_fit_is_refused_before_it_is_made() -> None:
    x = torch.ones(2**20, 1)
    with pytest.raises(TooLarge, match=r"1048576 x 1048576 needs 4096.0 GiB"), refusing():
        x @ x.T
    with pytest.raises(TooLarge, match=r"GiB"), refusing():
        torch.eye(2**21)
    with refusing():
        assert (x.T @ x).item() == 2**20


def test_work_is_counted_and_not_timed() -> None:
    square = torch.eye(32, dtype=torch.float64)
    with refusing(limited=True) as counted:
        square @ square @ square @ square
        assert counted.multiplications == 3 * 32**3
        given = PROCESSOR.allowance
        assert counted.spent == pytest.approx(3 * 32**3 / given.multiplications + 3 / given.calls)
        several = torch.ones(256, 256, dtype=torch.float64).expand(2**14, 256, 256)
        with pytest.raises(TooMuch, match="more work than a case is given on cpu"):
            torch.linalg.svdvals(several)


def test_numbers_that_take_too_long_are_not_drawn() -> None:
    most = int(PROCESSOR.allowance.drawn)
    for rng in (generator(0, "much"), quick_generator(0, "much")):
        with refusing(limited=True):
            about_to_draw((most // 2**10, 2**9 + 1), 0, PROCESSOR.at)
            with pytest.raises(TooMuch):  # drawn, the first half would take seconds
                about_to_draw((most // 2**10, 2**9 + 1), 0, PROCESSOR.at)
        with refusing(limited=True) as counted:
            normal(rng, 3, 5)
        assert counted.spent > 15 / most


@pytest.mark.parametrize("name", ["svdvals", "eigvals", "eigvalsh", "inv"])
def test_a_card_hands_spectra_to_the_processor(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no card, one that says of all it holds that it lies elsewhere."""
    monkeypatch.setattr("numeric.memory._is_away", lambda tensor: True)
    fetched: list[str] = []
    by_the_processor = memory._by_the_processor

    def watched(func: Any, *operands: Any) -> Any:
        fetched.append(str(func))
        return by_the_processor(func, *operands)

    monkeypatch.setattr("numeric.memory._by_the_processor", watched)
    square = torch.diag(torch.tensor([1.0, 2.0], dtype=torch.float64))
    with refusing():
        found = getattr(torch.linalg, name)(square)
    assert len(fetched) == (name in {"svdvals", "eigvals"})
    torch.testing.assert_close(found, getattr(torch.linalg, name)(square))


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only the GNU C library keeps it")
def test_free_memory_goes_back_to_the_system() -> None:
    blocks = [bytearray(b"1" * 10**5) for _ in range(2000)]
    kept = blocks[::100]  # what lies between them does not go back by itself
    del blocks
    before = _resident()
    give_back()
    assert before - _resident() > 10**8 and kept


def test_what_overflows_costs_the_papers_sizes_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def overflowing(*_: Any) -> None:
        raise OverflowError(34, "Numerical result out of range")

    monkeypatch.setattr(_Task, "_case", overflowing)
    at = lambda scale: _Task(VALUES, scale, 0, 1e-9, EFFORTS["quick"], ())  # noqa: E731
    assert at(PAPER).measured(1) == ([], NO_FLOAT)
    with pytest.raises(OverflowError):
        at(MODEL).measured(1)


@pytest.mark.parametrize(
    ("estimate", "holds"),
    [
        (1.0, False), (math.inf, False), (math.nan, True), (None, False), ((1, math.nan), True),
        ({"a": 1.0, "b": torch.tensor([1.0, math.nan])}, True), ({"a": [2, math.inf]}, False),
    ],
)  # fmt: skip
def test_a_part_that_is_no_number_is_found(estimate: Any, holds: bool) -> None:
    assert holds_no_number(estimate) == holds


def test_an_initialiser_of_a_large_map_is_drawn_once() -> None:
    point = {notation.d_v: Integer(1024), notation.d_k: Integer(512)}
    measured = xavier_variance(point)
    assert measured.value == pytest.approx(2 / (1024 + 512), abs=measured.error)


@pytest.mark.parametrize("shape", [(32,), (32, 32)])
def test_a_norm_is_no_decomposition(shape: tuple[int, ...]) -> None:
    ones = torch.ones(shape)
    with refusing() as counted:
        torch.linalg.vector_norm(ones)
        given = PROCESSOR.allowance
        assert counted.spent == pytest.approx(1 / given.entries + 1 / given.calls)


def test_a_sequence_of_no_layers_is_shown() -> None:
    """A network of depth zero is a point like any other."""
    assert _in_short(()) == "0 values" and _in_short((3,)) == 3 and _in_short((3, 4)) == "2 values"


def test_a_sequence_of_matrices_is_no_list_of_numbers() -> None:
    tall, wide = torch.ones(3, 2), torch.ones(2, 3)
    assert _in_short((tall,)) == "3 × 2" and _in_short((tall, tall)) == "2 of 3 × 2"
    assert _in_short((tall, wide)) == "2 matrices"


@pytest.mark.parametrize(
    "mask",
    [
        masks.star(4), masks.causal(5), masks.cycle(6), masks.one_directional(5), masks.complete(1),
        masks.sliding_window(7), masks.spider(3, 2), masks.Mask("no edges", 3, frozenset()),
    ],
)  # fmt: skip
def test_distances_are_those_along_the_edges(mask: masks.Mask) -> None:
    found = distances(mask)
    for start, end in product(range(1, mask.size + 1), repeat=2):
        steps = float(found[end - 1, start - 1])
        assert min(steps, mask.size) == mask.hops(start, end)


def test_a_long_path_is_measured_in_no_time() -> None:
    """As many products of matrices as there are tokens took minutes."""
    assert radius(masks.one_directional(700)) == 699
