"""What the device in use does: samples a second, the share of its rate for products, a paper-scale audit.

Run it where a GPU is, `twofold bench card --device cuda --json FILE`; on a processor the same command
measures the processor.  Samples are those of an audit: the estimator of a claim at one of its points
of paper scale, drawn in the device's own lots.  Their multiplications are counted, not guessed
(`numeric.memory`), and compared with the rate of `torch.bmm` in float64 in the same run.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from audit.examine import load_witnesses
from benchmarks.audit import audited, longest_of
from benchmarks.timing import spread, timed
from claims.registry import encoded
from numeric import device
from numeric.drawing import Stream
from numeric.memory import refusing
from numeric.registry import estimator_of
from numeric.scales import PAPER, Scale, dimensions, points_at

__all__ = ["bmm_rate", "run", "sampling_rate"]

CLAIM = "noci2022.lemma-3.1.queries"
SELECTORS = ("noci2022", "wu2024", "naitsaada2025", "im2026")
SIZE, BATCH, CHUNKS, ROUNDS = 512, 16, 4, 5


def _finished() -> None:
    """A card works on while the program goes on."""
    if device.current().type == "cuda":
        torch.cuda.synchronize()


def bmm_rate(size: int, batch: int, rounds: int) -> float:
    """Best multiplications a second of `torch.bmm` in float64, the output reused."""
    left, right = torch.rand(2, batch, size, size, dtype=torch.float64, device=device.current())
    out = torch.empty_like(left)

    def work() -> None:
        torch.bmm(left, right, out=out)
        _finished()

    work()
    return batch * size**3 / min(timed(work) for _ in range(rounds))


def sampling_rate(claim_id: str, scale: Scale, chunks: int, rounds: int) -> dict[str, Any]:
    """Samples a second of a claim's estimator at its first point of a scale, and what each multiplies."""
    claim = encoded()[claim_id]
    estimator = estimator_of(claim, larger=True)
    assert estimator is not None
    kind, point = points_at(claim, scale, 0, 1)[0]
    stream = Stream(0, claim.id, "bench", scale.lot)

    def work() -> int:
        drawn = sum(len(lot) for lot in stream.samples(estimator.run, point, range(chunks)))
        _finished()
        return drawn

    with refusing() as counted:
        samples = work()
    seconds = spread("seconds", [timed(work) / samples for _ in range(rounds)])
    sizes = {str(v.symbol): int(point[v.symbol]) for v in dimensions(claim.domain)}
    return {
        "claim": claim.id, "kind": kind, "sizes": sizes, "samples": samples, **seconds,
        "samples_per_second": 1 / seconds["seconds"],
        "multiplications_per_sample": counted.done / samples,
    }  # fmt: skip


def run(
    console: Console | None = None, *, scale: Scale = PAPER, selectors: tuple[str, ...] = SELECTORS,
    effort: str = "thorough", size: int = SIZE, rounds: int = ROUNDS,
) -> dict[str, Any]:  # fmt: skip
    """Samples, products and an audit on the device that `numeric.device.use` selected."""
    load_witnesses()
    sampled = sampling_rate(CLAIM, scale, CHUNKS, rounds)
    rate = bmm_rate(size, BATCH, rounds)
    where = device.current().type
    with tempfile.TemporaryDirectory() as folder:
        options = "--budget", effort, "--device", where
        seconds, document = audited(selectors, Path(folder), *options)
    longest, of_longest, _ = longest_of(document)
    used = sampled["multiplications_per_sample"] * sampled["samples_per_second"]
    figures = {
        "device": device.name(), "sampling": sampled, "bmm_multiplications_per_second": rate,
        "fraction_of_bmm": used / rate, "selectors": list(selectors), "effort": effort,
        "claims": len(document["claims"]), "audit_seconds": seconds,
        "longest": longest, "longest_seconds": of_longest,
    }  # fmt: skip
    if console is not None:
        console.print(
            f"{figures['device']}: {sampled['samples_per_second']:,.0f} samples/s of {sampled['claim']} "
            f"at {sampled['sizes']}, {figures['fraction_of_bmm']:.0%} of torch.bmm; {effort} audit of "
            f"{figures['claims']} claims in {seconds:,.0f} s",
            highlight=False,
        )
    return figures
