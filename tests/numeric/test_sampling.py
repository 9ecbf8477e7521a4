"""Streams are named, not ordered."""

from __future__ import annotations

import pytest
import torch

from numeric import device
from numeric.sampling import generator, normal


def test_streams_repeat_and_differ() -> None:
    first = normal(generator(3, "claim", 0), 5)
    assert torch.equal(first, normal(generator(3, "claim", 0), 5))
    for other in ((4, "claim", 0), (3, "other", 0), (3, "claim", 1)):
        assert not torch.equal(first, normal(generator(*other), 5))
    assert first.dtype == torch.float64


def test_device_that_is_not_there_is_named() -> None:
    if torch.cuda.is_available():
        assert device.use("cuda").type == "cuda"
        device.use("cpu")
        return
    with pytest.raises(device.NoDevice, match="--device cpu"):
        device.use("cuda")
    assert device.use("auto").type == "cpu"


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_samples_are_the_same_on_a_gpu() -> None:
    here = normal(generator(0, "gpu"), 64)
    device.use("cuda")
    try:
        assert torch.equal(normal(generator(0, "gpu"), 64).cpu(), here)
    finally:
        device.use("cpu")
