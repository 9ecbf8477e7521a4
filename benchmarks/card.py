"""What the device in use does: gradient norms a second, their share of its rate for products, a large spectrum.

Run it where a GPU is, `twofold bench card --device cuda --json FILE`; on a processor the same command
measures the processor.  Samples are those of an audit: the estimator of a claim at its first point of
paper scale, drawn in the device's own lots.  Their multiplications are counted, not guessed
(`numeric.memory`), and compared with the rate of `torch.bmm` in float64 in the same run.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import torch
from rich.console import Console

from audit.examine import load_witnesses
from benchmarks import spectra
from benchmarks.timing import spread, timed
from claims.registry import encoded
from numeric import device
from numeric.drawing import Stream
from numeric.memory import refusing
from numeric.naitsaada2025.extreme_singular_values import largest_singular_values
from numeric.registry import estimator_of
from numeric.scales import PAPER, Scale, dimensions, points_at

__all__ = ["bmm_rate", "run", "sampled", "spectrum"]

CLAIMS = (
    "noci2022.lemma-3.1.queries", "noci2022.lemma-3.1.keys-analogous",
    "noci2022.footnote-1.cross-attention",
)  # fmt: skip
SIZE, BATCH, CHUNKS, ROUNDS, TOKENS = 512, 16, 8, 3, 16384


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


def sampled(claim_id: str, scale: Scale, chunks: int, rounds: int, size: int) -> dict[str, Any]:
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
    each, rate = counted.multiplications / samples, bmm_rate(size, BATCH, rounds)
    return {
        "claim": claim.id, "kind": kind, "sizes": sizes, "samples": samples, **seconds,
        "samples_per_second": 1 / seconds["seconds"], "multiplications_per_sample": each,
        "bmm_multiplications_per_second": rate,
        "fraction_of_bmm": each / seconds["seconds"] / rate,
    }  # fmt: skip


def spectrum(tokens: int) -> dict[str, Any]:
    """Seconds for the two largest singular values of one softmax attention, and to draw it."""
    started = perf_counter()
    matrices = spectra.drawn(tokens)
    _finished()
    drawn = perf_counter()
    first, second = largest_singular_values(matrices, 2, full=2)[0].tolist()
    return {
        "T": tokens, "drawing_seconds": drawn - started, "seconds": perf_counter() - drawn,
        "s_1": first, "s_2": second,
    }  # fmt: skip


def run(
    console: Console | None = None, *, scale: Scale = PAPER, claims: tuple[str, ...] = CLAIMS,
    size: int = SIZE, rounds: int = ROUNDS, tokens: int = TOKENS,
) -> dict[str, Any]:  # fmt: skip
    """Samples, products and a spectrum on the device that `numeric.device.use` selected."""
    load_witnesses()
    cases = [sampled(claim, scale, CHUNKS, rounds, size) for claim in claims]
    large = spectrum(tokens)
    if console is not None:
        for case in cases:
            console.print(
                f"{device.name()}: {case['samples_per_second']:,.0f} samples/s of {case['claim']} "
                f"at {case['sizes']}, {case['fraction_of_bmm']:.0%} of torch.bmm",
                highlight=False,
            )
        console.print(f"two singular values at T = {tokens}: {large['seconds']:.2f} s")
    return {"device": device.name(), "cases": cases, "spectrum": large}
