"""Where two terms stand side by side, what is printed belongs to one of them alone."""

from __future__ import annotations

from sympy import Mod, symbols

from claims.statement import Quantity
from claims.terms import family
from claims.typeset import typeset

k, j = symbols("k j", integer=True, positive=True)


def test_a_remainder_is_one_factor() -> None:
    r"""$2k \bmod 2$ is zero for every k."""
    assert typeset(2 * Mod(k, 2)) == r"2 \left(k \bmod 2\right)"
    assert typeset(1 - Mod(k, 2)) == r"1 - \left(k \bmod 2\right)"
    assert typeset(Mod(k, 2 * j)) == r"k \bmod \left(2 j\right)"
    named = Quantity(r"k \bmod 2", lambda at: at[k] % 2)
    assert typeset(2 * named) == r"2 \left(k \bmod 2\right)"


def test_two_indices_side_by_side_are_told_apart() -> None:
    member = family(r"b_{{{}{}}}^{{({}{})}}", lambda at, *places: 0)
    assert typeset(member(k, j, 1, 2)) == "b_{kj}^{(12)}"
    assert typeset(member(1, 11, k, j)) != typeset(member(11, 1, k, j))
    assert typeset(member(k, j + 1, k, j)) == "b_{k,j + 1}^{(k,j)}"
