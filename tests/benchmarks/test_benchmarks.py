"""The benchmarks run, at small sizes, and hold the figures that are promised where time allows."""

from __future__ import annotations

import pytest

from audit.examine import load_witnesses
from benchmarks import BENCHMARKS, false_alarms, run_benchmark, sampling, spectra, statistics
from proofs.calculus.wick import Gaussian, expectation


def test_every_benchmark_has_a_module() -> None:
    from importlib import import_module

    for name in BENCHMARKS:
        assert callable(import_module(f"benchmarks.{name.replace('-', '_')}").run)


def test_sampling_benchmark_compares_in_one_run() -> None:
    figures = sampling.run(quick=True)
    assert figures["cases"] and all(case["ratio"] > 1 for case in figures["cases"])


def test_wishart_moment_of_order_forty_is_quick_and_right() -> None:
    """E tr((G G^T)^20) by the general calculus; for one column it is a chi-square moment."""
    from time import perf_counter

    from sympy import MatrixSymbol, Trace, symbols

    n, m = symbols("n m", integer=True, positive=True)
    G = MatrixSymbol("G", n, m)
    started = perf_counter()
    value = expectation(Trace((G * G.T) ** 20), [Gaussian(G)])
    assert perf_counter() - started < 10
    chi_square = 1
    for k in range(20):
        chi_square *= 3 + 2 * k
    assert value.subs({n: 3, m: 1}) == chi_square


def test_one_audit_raises_no_false_alarm() -> None:
    load_witnesses()
    audit = false_alarms.audit_of_seed(20_001)
    assert len(audit.scores) > 20 and audit.rejected == []
    sides = false_alarms.per_side(audit.scores)
    assert -6 < sides["lowest_z"] < 0 < sides["highest_z"] < 6
    assert 0 < len(audit.skewed) < len(audit.scores)


def test_z_is_counted_on_either_side() -> None:
    sides = false_alarms.per_side([-5.5, -3.5, 0.0, 4.5])
    assert (sides["lowest_z"], sides["highest_z"]) == (-5.5, 4.5)
    assert sides["below"] == {"3": 2, "4": 1, "5": 1}
    assert sides["above"] == {"3": 1, "4": 1, "5": 0}


@pytest.mark.slow
def test_a_hundred_audits_raise_no_false_alarm() -> None:
    figures = run_benchmark("false-alarms", None)
    assert figures["seeds"] == 100 and figures["false_alarms"] == 0


def test_two_singular_values_are_those_of_the_full_decomposition() -> None:
    (case,) = spectra.run(sizes=(256,))["cases"]
    assert case["relative_difference"] < 1e-9 and case["s_1"] > 1 > case["s_2"] > 0


def test_streamed_statistics_are_those_of_a_loop_over_tokens() -> None:
    figures = statistics.run(small=(20, 8, (5,)), paper=(20, 8, (3, 6)))
    (case,) = figures["cases"]
    assert case["relative_difference"] < 1e-12 and case["loop_seconds"] > 0
    assert [grown["N"] for grown in figures["growth"]] == [3, 6]
