"""Pieces that definitions are made of."""

from __future__ import annotations

import pytest

from claims.definitions import entries


@pytest.mark.parametrize("size", [10, 13, 101])
def test_entries_are_independent_whatever_the_size(size: int) -> None:
    """Entry 1 of row 11 is another than entry 11 of row 1."""
    assert len(entries("w", size, size).free_symbols) == size**2
