"""Eq. (12) of im2026 with the constants of its leading terms."""

from __future__ import annotations

from sympy import ImmutableDenseMatrix, Integer, Rational, exp

from claims.im2026 import cooperation
from claims.im2026.corpora import one_hot, position_map
from claims.im2026.notation import N, T, eta, s, sequences, words
from claims.terms import value_of


def test_no_constants_make_one_layer_of_its_two_parts() -> None:
    texts = tuple(
        one_hot(tuple("ab".index(word) for word in text), 2)
        for text in ("aaa", "abb", "bab", "bba", "aaa")
    )
    at = {
        N: Integer(5),
        T: Integer(2),
        words: Integer(2),
        sequences: texts,
        s: Integer(3),
        eta: Rational(1, 36),
    }
    parts = cooperation.output_with_constants, cooperation.residual_stream, cooperation.block
    # queries a after a, b after a and a after b
    rows = [[value_of(part(text, 2, 1), at) for part in parts] for text in (0, 1, 2)]
    assert cooperation.constant_stays_inside_the_softmax.domain.objection(at) is None
    assert abs(ImmutableDenseMatrix(rows).det().evalf(30)) > Rational(1, 10**16)
    assert not any(position_map(at))
    whole, stream, block = rows[0]
    assert stream == 50 * block == Rational(1, 10)
    assert rows[1][1] == 0 and (rows[1][2] * (1 + exp(Rational(1, 10**4))) * 500).simplify() == 1
    assert whole == at[s] * at[eta] * (stream + at[s] * (at[s] - 1) / 2 * at[eta] ** 2 * block)
