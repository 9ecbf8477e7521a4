"""Pieces that definitions are made of."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from claims.definitions import entries


@pytest.mark.parametrize("size", [10, 13, 101])
def test_entries_are_independent_whatever_the_size(size: int) -> None:
    """Entry 1 of row 11 is another than entry 11 of row 1."""
    assert len(entries("w", size, size).free_symbols) == size**2


@pytest.mark.parametrize("kind", ["flint", "python"])
def test_means_do_not_depend_on_what_sympy_calculates_with(kind: str) -> None:
    """Exponents come from FLINT; a SymPy that calculates without it reads its integers as floats."""
    code = "import doctest, claims.definitions as d; raise SystemExit(doctest.testmod(d).failed)"
    environment = {**os.environ, "SYMPY_GROUND_TYPES": kind}
    assert (
        subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
    )
