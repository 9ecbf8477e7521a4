"""Query gradients along the depth of a network of width one, against the network written out."""

from __future__ import annotations

from sympy import ImmutableDenseMatrix, Integer, Rational, symbols

from claims.definitions import expectation
from claims.noci2022.deep_gradients import gradient_after, limiting_gradient
from claims.noci2022.notation import X, alpha1, alpha2, d_k, d_v, n
from numeric.noci2022.deep_gradients import gradients_along_the_depth

THREE = {
    n: Integer(3), d_v: Integer(1), d_k: Integer(1), X: ImmutableDenseMatrix([[1], [1], [-1]]),
    alpha1: Rational(1, 2), alpha2: Rational(2, 3),
}  # fmt: skip


def test_one_block_written_out():
    """Eq. (7) at tokens that are polynomials in w, f and g, with Gaussian moments taken at the end."""
    w, f, g = symbols("w f g")
    x = list(THREE[X])
    z = [a + THREE[alpha1] * w * sum(x) / 3 for a in x]
    after = [a + THREE[alpha2] * a * f * g for a in z]
    mean = sum(after) / 3
    spread = sum((a - mean) ** 2 for a in after)
    squared = sum(a**2 for a in after) * spread**2 / 9
    assert gradient_after(THREE, 1) == expectation(squared.expand(), dict.fromkeys((w, f, g), 1))


def test_the_numbers_of_the_note():
    at = {**THREE, alpha1: Integer(1), alpha2: Integer(1)}
    for layers in range(4):
        own = Rational(512, 27) * 376**layers + Rational(64, 27) * 752**layers
        assert gradient_after(at, layers) == own / 9


def test_equal_tokens_have_no_gradient_at_any_depth():
    at = {**THREE, X: ImmutableDenseMatrix([[1], [1], [1]])}
    assert gradient_after(at, 2) == 0
    assert limiting_gradient.define(at) == 0


def test_measured_and_exact_gradients_agree():
    exact = [float(gradient_after(THREE, layers)) for layers in range(3)]
    measured = gradients_along_the_depth(THREE)
    assert all(abs(a - b) <= 1e-9 * b for a, b in zip(measured, exact, strict=True))
