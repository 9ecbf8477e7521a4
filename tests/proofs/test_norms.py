"""Shared lemmas about rows and the layers of the sphere: what they conclude, and what they refuse."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import symbols

from claims.statement import Compare, ForAll
from claims.terms import entry
from claims.wu2024 import cone
from claims.wu2024.lengths import i
from claims.wu2024.notation import N, T, X, t
from proofs.kernel import ProofError, assume
from proofs.wu2024.cone import by_the_direction_of_the_hemisphere
from proofs.wu2024.norms import equal_sums, inner, polarised, products_at_most_one, row

j = symbols("j", integer=True, positive=True)
x = entry(X)


def test_polarisation_needs_no_hypothesis() -> None:
    assert not polarised(row(x, i), row(x, j)).hypotheses


def test_products_of_rows_of_unknown_length_are_not_bounded() -> None:
    unit = assume(Compare(inner(row(x, i), row(x, i)), "=", 1))
    with pytest.raises(ProofError):
        products_at_most_one(row(x, i), row(x, j), unit)


def test_sums_over_different_rows_are_not_equal() -> None:
    with pytest.raises(ProofError):
        equal_sums(inner(row(x, i), row(x, i)), inner(row(x, i), row(x, j)))


def test_another_upper_bound_on_the_scales_is_refuted() -> None:
    printed = cone.layernorm_scales_are_bounded
    wrong = Compare(1, "<=", cone.scale(t, i)) & Compare(cone.scale(t, i), "<=", 17 * cone.gamma**9)
    statement = ForAll(t, 0, T - 1, ForAll(i, 1, N, wrong))
    changed = replace(printed, statement=statement, define=None, mutants=())
    assert by_the_direction_of_the_hemisphere(changed).status == "refuted"
