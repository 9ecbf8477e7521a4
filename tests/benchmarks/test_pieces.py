"""The inner pieces, one benchmark each.

The whole suite runs each once, untimed; `make pieces` times them against a recorded run.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from sympy import Dummy, MatrixSymbol, Rational, Trace, oo, symbols

from benchmarks.kernel import chained, point_of_size
from benchmarks.sampling import sampler
from claims.noci2022.backward import query_gradient_norm_of_uniform_attention
from claims.registry import encoded
from claims.statement import Compare
from numeric.adversary import TOUCHING
from numeric.scenes import Judge
from numeric.sides import side_values
from proofs import kernel
from proofs.calculus.inequalities import SumOfSquares
from proofs.calculus.wick import Calculus, Gaussian, expectation

pytest.importorskip("pytest_benchmark")

Benchmark = Callable[..., Any]
n, m = symbols("n m", integer=True, positive=True)
G = MatrixSymbol("G", n, m)


def test_calculus_of_words(benchmark: Benchmark) -> None:
    """E tr (G G^T)^8 / m^8, whose leading term is a Catalan number where n = m."""
    value = benchmark(lambda: expectation(Trace((G * G.T) ** 8), [Gaussian(G)]))
    assert value.subs(n, m).expand().coeff(m, 9) == 1430


def test_contraction_of_words(benchmark: Benchmark) -> None:
    """The states met below tr (G A G^T B)^5, without what is written out at the end."""
    A, B = MatrixSymbol("A", m, m), MatrixSymbol("B", n, n)

    def explored() -> int:
        calculus = Calculus([Gaussian(G)])
        letters = [calculus.alphabet.matrix(symbol) for symbol in (G, A, B)]
        g, a, b = letters
        word = (g + a + calculus.alphabet.transpose(g) + b) * 5
        normal = calculus.alphabet.trace(word)
        assert normal is not None
        calculus.evaluate([normal.words])
        return calculus.states

    assert benchmark(explored) == 257


def test_chain_of_theorems(benchmark: Benchmark) -> None:
    """Seven theorems by arithmetic, each asked twice, about new names every time."""
    theorem = benchmark.pedantic(lambda work: work(), setup=lambda: ((chained(8),), {}), rounds=5)
    assert len(theorem.hypotheses) == 8


def test_rules_of_the_kernel(benchmark: Benchmark) -> None:
    """A statement for all indices, its instance, and a conjunction."""

    def derived() -> kernel.Theorem:
        a, k = Dummy("a", nonnegative=True), Dummy("k", integer=True, nonnegative=True)
        square = kernel.joint(Compare(0, "<=", a * k))
        every = kernel.generalise(square, k, 0, oo)
        return kernel.both(every, kernel.instance(every, k + 1))

    assert benchmark(derived).formula.latex().count(r"\forall") == 1


def test_certificate_of_an_inequality(benchmark: Benchmark) -> None:
    """(x^2 + y^2) / 2 - x y >= 0 from its sum of squares."""
    x, y = symbols("x y", real=True)
    certificate = SumOfSquares((x**2 + y**2) / 2 - x * y, ((Rational(1, 2), x - y),))
    assert benchmark(lambda: kernel.certified(certificate)).hypotheses == frozenset()


def test_definition_at_a_point(benchmark: Benchmark) -> None:
    """The left side of Lemma 3.1, Eq. (7), entry by entry at n = d = 2, exactly."""
    claim = query_gradient_norm_of_uniform_attention
    point = point_of_size(claim, 2)
    value = float(benchmark(lambda: claim.define(point)))
    assert value == pytest.approx(side_values(claim.statement, point)[0], rel=1e-12)


def test_statement_at_points(benchmark: Benchmark) -> None:
    """A bound with a maximum over tokens, exactly at eight points of its domain."""
    claim = encoded()["wu2024.assumption.A2"]
    rng = Random(0)
    points = [claim.domain.draw(rng) for _ in range(8)]
    assert all(benchmark(lambda: [claim.formula.truth(point) for point in points]))


def test_margins_of_the_adversary(benchmark: Benchmark) -> None:
    """The margin of a bound at eight points, as the adversary reads it."""
    claim = encoded()["naitsaada2025.eq-5"]
    rng = Random(0)
    points = [claim.domain.draw(rng) for _ in range(8)]
    margins = benchmark(lambda: [Judge(claim)(point) for point in points])
    assert all(margin is not None and margin.value <= TOUCHING for margin in margins)


@pytest.mark.parametrize("size", [32, 128])
def test_samples(benchmark: Benchmark, size: int) -> None:
    """32 samples of the squared query gradient under true softmax."""
    draw = sampler(size, size, average=True, stream="pieces")
    assert bool((benchmark(lambda: draw(32)) > 0).all())
