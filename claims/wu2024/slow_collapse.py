r"""Attention under which two tokens meet slowly, on a strongly connected mask of radius one.

All tokens attend to the first one, which alone they share.  The first one attends to the end of a
chain that starts at the second and third tokens, so that what it says comes late.
"""

from __future__ import annotations

from sympy import ImmutableDenseMatrix, Rational, ones

from claims.masks import Mask

__all__ = ["nearly_orthogonal", "on_the_support", "slow_layer"]


def slow_layer(tokens: int) -> ImmutableDenseMatrix:
    """Row-stochastic, at least epsilon = 1/(N + 1) where it is positive.

    >>> slow_layer(5) * 6
    Matrix([
    [1, 0, 0, 0, 5],
    [1, 5, 0, 0, 0],
    [1, 0, 5, 0, 0],
    [1, 1, 1, 3, 0],
    [1, 0, 0, 4, 1]])
    """
    share = Rational(1, tokens + 1)
    rows = [[share * int(column == 0) for column in range(tokens)] for _ in range(tokens)]
    rows[0][-1] = rows[1][1] = rows[2][2] = 1 - share
    rows[3][1:4] = [share, share, 1 - 3 * share]
    for token in range(4, tokens):
        rows[token][token - 1 : token + 1] = [1 - 2 * share, share]
    return ImmutableDenseMatrix(rows)


def on_the_support(layer: ImmutableDenseMatrix) -> Mask:
    """The mask whose edges are where a layer is positive."""
    span = range(layer.rows)
    edges = frozenset((j + 1, i + 1) for i in span for j in span if layer[i, j])
    return Mask("support", layer.rows, edges)


def nearly_orthogonal(tokens: int) -> ImmutableDenseMatrix:
    """Unit tokens with all cosines (200/10001)^2: of one more feature than tokens, and of full rank."""
    alike = ones(tokens, 1) * Rational(200, 10001)
    own = ImmutableDenseMatrix.eye(tokens) * Rational(9999, 10001)
    return ImmutableDenseMatrix.hstack(own, alike).as_immutable()
