"""Random streams: one seed argument, split by claim, case and chunk.

A stream is identified by words, not by order of use, so that a sample does not depend on how many
workers ran, in what order, or in what batches.  A generator of the CPU draws there, and the numbers
are moved to the device in use; one of a card draws on the card.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from hashlib import sha256
from typing import Any, ParamSpec, TypeVar

import numpy.random
import torch
from torch import Generator, Tensor

from claims.seeds import current_seed, seeded
from numeric import device
from numeric.device import PROCESSOR
from numeric.memory import about_to_draw

__all__ = [
    "Numbers", "Source", "Together", "by_its_seed", "exponential", "gamma", "generator",
    "normal", "own_stream", "quick_generator", "quick_stream", "sphere", "steps", "stream",
    "stream_seed", "uniform",
]  # fmt: skip

Arguments = ParamSpec("Arguments")
Made = TypeVar("Made")


def stream_seed(seed: int | None, *words: object) -> int:
    """A 63-bit seed for the stream named by `words` under a seed; None: that of the audit.

    >>> stream_seed(0, "claim", 1) == stream_seed(0, "claim", 1) != stream_seed(0, "claim", 2)
    True
    """
    name = "/".join(map(str, (current_seed() if seed is None else seed, *words)))
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big") >> 1


def generator(seed: int | None, *words: object) -> Generator:
    """A CPU generator for one named stream."""
    return torch.Generator("cpu").manual_seed(stream_seed(seed, *words))


def quick_generator(seed: int | None, *words: object) -> numpy.random.Generator:
    """One named stream for estimators that draw all their numbers at once: two to five times as fast."""
    return numpy.random.Generator(numpy.random.SFC64(stream_seed(seed, *words)))


def by_its_seed(function: Callable[Arguments, Made]) -> Callable[Arguments, Made]:
    """A function whose named argument `seed` is that of every stream inside."""

    @wraps(function)
    def call(*args: Arguments.args, **named: Arguments.kwargs) -> Made:
        with seeded(int(named["seed"])):  # type: ignore[call-overload]
            return function(*args, **named)

    return call


def stream(*words: object) -> Generator:
    """One named stream of the current seed, for what is drawn once and kept for several claims.

    >>> with seeded(1):
    ...     one = stream("a").initial_seed()
    >>> one == generator(1, "a").initial_seed() != stream("a").initial_seed()
    True
    """
    return generator(None, *words)


def quick_stream(*words: object) -> numpy.random.Generator:
    """The same for estimators that draw all their numbers at once."""
    return quick_generator(None, *words)


def own_stream(rng: Generator) -> numpy.random.Generator:
    """A faster CPU generator, of the stream that the next number of `rng` names.

    >>> own_stream(generator(0, "a")).random() == own_stream(generator(0, "a")).random()
    True
    """
    word = torch.randint(2**63 - 1, (), generator=rng, device=rng.device)
    return numpy.random.Generator(numpy.random.SFC64(int(word)))


@dataclass(frozen=True)
class Together:
    """Several generators, each for so many consecutive samples of every draw."""

    rngs: Sequence[Generator]
    part: int


Numbers = Generator | numpy.random.Generator
Source = Numbers | Together
"""What a sampler draws from, and hands on to `normal` and `sphere` without looking."""


def steps(rng: Source, count: int, most: int) -> Iterator[tuple[Any, int]]:
    """How a sampler computes its `count` samples, few at a time: a source and a number for each step.

    Sizes are powers of two.  Every sample comes from the generator that is its own.

    >>> one, two = generator(0, 1), generator(0, 2)
    >>> [(s.rngs == [two], s.part, k) for s, k in steps(Together([one, two], 4), 8, 2)]
    [(False, 2, 2), (False, 2, 2), (True, 2, 2), (True, 2, 2)]
    >>> [(len(s.rngs), s.part, k) for s, k in steps(Together([one, two], 4), 8, 16)]
    [(2, 4, 8)]
    """
    if not isinstance(rng, Together):
        yield from ((rng, min(most, count - done)) for done in range(0, count, most))
        return
    if most < rng.part:
        for one in rng.rngs:
            yield from ((Together([one], most), most) for _ in range(rng.part // most))
        return
    together = most // rng.part
    for place in range(0, len(rng.rngs), together):
        rngs = rng.rngs[place : place + together]
        yield Together(rngs, rng.part), rng.part * len(rngs)


def normal(
    rng: Source, *shape: int, std: float = 1.0, dtype: torch.dtype = torch.float64
) -> Tensor:
    """I.i.d. N(0, std^2) entries; float64 unless a caller shows that less cannot change a verdict."""
    return std * _standard(rng, shape, dtype).to(device.current())


def sphere(rng: Source, count: int, *shape: int, std: float = 1.0, degree: int = 2) -> Tensor:
    """Gaussian matrices, one per sample, brought to one length: the radius is averaged exactly.

    Direction and length of a Gaussian matrix G are independent.  A function whose terms have degree
    0, odd degree, or `degree` in all entries of G together has therefore the same mean when |G| is
    replaced by (E |G|^degree)^(1/degree); its tails are those of a function on a compact set.
    """
    return std * _at_one_radius(normal(rng, count, *shape), degree)


def _at_one_radius(standard: Tensor, degree: int) -> Tensor:
    """Separate, so that a test can leave the radius free and look at the degree."""
    size = standard[0].numel()
    radius = math.prod(size + k for k in range(0, degree, 2)) ** (1 / degree)
    norm = standard.flatten(1).norm(dim=1)
    return radius * standard / norm.reshape(-1, *(1,) * (standard.ndim - 1))


def _standard(rng: Source, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Every Gaussian of the project comes from here, so that a test can enumerate the law instead."""
    about_to_draw(shape, dtype.itemsize, _place(rng))
    if isinstance(rng, numpy.random.Generator):
        return torch.from_numpy(rng.standard_normal(shape)).to(dtype)
    if isinstance(rng, Generator):
        return torch.randn(*shape, generator=rng, dtype=dtype, device=rng.device)
    if shape[0] != rng.part * len(rng.rngs):
        raise ValueError(f"drew {shape}: the first axis must be that of the samples")
    part = (rng.part, *shape[1:])
    return torch.cat(
        [torch.randn(*part, generator=one, dtype=dtype, device=one.device) for one in rng.rngs]
    )


def _place(rng: Source) -> torch.device:
    """Where a source makes its numbers."""
    if isinstance(rng, Together):
        return rng.rngs[0].device
    return rng.device if isinstance(rng, Generator) else PROCESSOR.at


def uniform(rng: Numbers, *shape: int) -> Tensor:
    """Numbers between 0 and 1."""
    about_to_draw(shape, torch.float64.itemsize, _place(rng))
    if isinstance(rng, numpy.random.Generator):
        made = torch.from_numpy(rng.random(shape))
    else:
        made = torch.rand(shape, generator=rng, dtype=torch.float64, device=rng.device)
    return made.to(device.current())


def exponential(rng: Numbers, *shape: int) -> Tensor:
    """Exponential variables of mean 1."""
    about_to_draw(shape, torch.float64.itemsize, _place(rng))
    if isinstance(rng, numpy.random.Generator):
        made = torch.from_numpy(rng.standard_exponential(shape))
    else:
        empty = torch.empty(shape, dtype=torch.float64, device=rng.device)
        made = empty.exponential_(generator=rng)
    return made.to(device.current())


def gamma(rng: Numbers, order: float, *shape: int) -> Tensor:
    """Gamma variables of an order and of scale 1."""
    about_to_draw(shape, torch.float64.itemsize, _place(rng))
    if isinstance(rng, numpy.random.Generator):
        made = torch.from_numpy(rng.standard_gamma(order, shape))
    else:
        orders = torch.full(shape, order, dtype=torch.float64, device=rng.device)
        made = torch._standard_gamma(orders, generator=rng)
    return made.to(device.current())
