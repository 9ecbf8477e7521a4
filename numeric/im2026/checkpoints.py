"""Weights of a model in a local folder, by name: safetensors or torch files; nothing is downloaded."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from claims.errors import UserError

__all__ = ["CheckpointError", "config_of", "safetensors", "weights_of"]

_TYPES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
    "I64": torch.int64, "I32": torch.int32, "U8": torch.uint8, "BOOL": torch.bool,
}  # fmt: skip


class CheckpointError(UserError):
    """A folder that holds no usable model."""


def config_of(folder: Path) -> dict[str, Any]:
    """The model's `config.json`."""
    file = folder / "config.json"
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise CheckpointError(f"{file}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise CheckpointError(f"{file}: is no JSON") from None
    if not isinstance(found, dict):
        raise CheckpointError(f"{file}: holds no settings")
    return found


def weights_of(folder: Path) -> dict[str, Tensor]:
    """All weights of a folder's `.safetensors` files, or else of its `.bin` files."""
    if not folder.is_dir():
        raise CheckpointError(f"{folder}: no such folder")
    for ending, load in (("safetensors", safetensors), ("bin", _torch_file)):
        files = sorted(folder.glob(f"*.{ending}"))
        if files:
            return {name: tensor for file in files for name, tensor in load(file).items()}
    raise CheckpointError(f"{folder}: holds no .safetensors and no .bin file")


def _torch_file(file: Path) -> dict[str, Tensor]:
    try:
        found = torch.load(file, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError, ValueError, pickle.UnpicklingError):
        raise CheckpointError(f"{file}: is no torch file of weights alone") from None
    if not isinstance(found, dict):
        raise CheckpointError(f"{file}: holds no weights by name")
    return {str(name): value for name, value in found.items() if isinstance(value, Tensor)}


def safetensors(file: Path) -> dict[str, Tensor]:
    """The tensors of one file: eight bytes of length, a JSON header, then the numbers."""
    try:
        raw = file.read_bytes()
        size = int.from_bytes(raw[:8], "little")
        if 8 + size > len(raw):
            raise ValueError("the header ends beyond the file")
        header = json.loads(raw[8 : 8 + size])
        header.pop("__metadata__", None)
        return {name: _tensor(raw, 8 + size, entry) for name, entry in header.items()}
    except OSError as error:
        raise CheckpointError(f"{file}: cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CheckpointError(f"{file}: is damaged, or no safetensors file") from None


def _tensor(raw: bytes, start: int, entry: dict[str, Any]) -> Tensor:
    kind, shape = _TYPES[entry["dtype"]], entry["shape"]
    begin, end = entry["data_offsets"]
    if end - begin != math.prod(shape) * kind.itemsize or not 0 <= begin <= end <= len(raw) - start:
        raise ValueError("offsets do not fit")
    if begin == end:
        return torch.zeros(shape, dtype=kind)
    piece = bytearray(raw[start + begin : start + end])
    return torch.frombuffer(piece, dtype=kind).reshape(shape)
