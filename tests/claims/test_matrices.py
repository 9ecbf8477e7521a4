"""Matrices made from their entries at once are those that SymPy's constructor makes, and read back alike."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import torch
from sympy import QQ, ZZ, ImmutableDenseMatrix, Rational, sqrt

from claims.matrices import exact_matrix
from numeric.exact import tensor
from numeric.scales import KINDS, tokens_of_kind


@pytest.mark.parametrize("domain", [ZZ, QQ])
def test_they_are_those_of_the_constructor(domain: Any) -> None:
    rows = {0: {1: domain(3), 2: domain(0)}, 1: {}, 2: {0: domain(-2), 2: domain(7)}}
    made = exact_matrix(rows, (3, 4), domain)
    assert made == ImmutableDenseMatrix([[0, 3, 0, 0], [0, 0, 0, 0], [-2, 0, 7, 0]])
    assert (
        hash(made) == hash(ImmutableDenseMatrix(made.tolist()))
        and type(made) is ImmutableDenseMatrix
    )


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_tokens_are_sixteenths(kind: str) -> None:
    tokens = tokens_of_kind(kind, 7, 5, Random(kind))
    assert tokens.shape == (7, 5) and all((16 * x).is_Integer for x in tokens)
    assert len(set(tokens)) > 1 and tokens == ImmutableDenseMatrix(tokens.tolist())


def test_entries_are_read_to_the_last_bit() -> None:
    exact = [[Rational(1, 3), Rational(10**40, 7)], [-sqrt(2), 0]]
    found = tensor(ImmutableDenseMatrix(exact))
    assert torch.equal(
        found, torch.tensor([[float(x) for x in row] for row in exact], dtype=torch.float64)
    )
    rational = tensor(ImmutableDenseMatrix([exact[0]]))
    assert rational.tolist() == [[1 / 3, 10**40 / 7]]
