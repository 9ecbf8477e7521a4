"""The benchmarks run, at small sizes, and hold the figures that are promised where time allows."""

from __future__ import annotations

import pytest

from audit.examine import load_witnesses
from benchmarks import (
    BENCHMARKS,
    adversary,
    audit,
    card,
    card_audit,
    cluster,
    false_alarms,
    kernel,
    run_benchmark,
    sampling,
    spectra,
    statistics,
)  # fmt: skip
from benchmarks.headlines import HEADLINES
from claims.registry import encoded
from numeric.scales import MODEL
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


@pytest.mark.seldom
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


@pytest.mark.seldom
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


CLAIM = "noci2022.lemma-A.6.sum"


def test_rules_chains_and_proofs_are_timed() -> None:
    figures = kernel.run(
        rules_applied=2, chains=(2, 3), sizes=(2,), proofs=("noci2022.lemma-3.1.values",), rounds=2
    )
    assert len(figures["rules"]) == len(kernel.rules())
    assert [case["inequalities"] for case in figures["chains"]] == [2, 3]
    assert figures["enumeration"][0]["enumeration_seconds"] > 0
    assert figures["proofs"][0]["status"] == "proved" and figures["proofs"][0]["steps"] > 0


def test_the_adversary_is_compared_with_a_search_that_finds_only_exact_failures() -> None:
    figures = adversary.run(
        false=("wu2024.sec-4.1.rate-monotone-eps",), true=("im2026.lemma-D.2.jac",), seeds=range(2),
        most=40, rounds=(1,),
    )  # fmt: skip
    (failing,), (holding,) = figures["failing"], figures["holding"]
    assert failing["found"] == failing["random_found"] == 2
    assert 0 < holding["random_ratio"] <= holding["ratio"] <= 1
    assert adversary.random_search(encoded()["im2026.lemma-D.2.jac"], 0, 5)[0] is None


@pytest.mark.seldom
def test_the_card_benchmarks_measure_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands that a GPU is recorded with, on this machine and at small sizes."""
    monkeypatch.setattr(card, "CHUNKS", 1)
    figures = card.run(scale=MODEL, claims=card.CLAIMS[:1], size=32, rounds=2, tokens=96)
    (case,) = figures["cases"]
    assert figures["device"] == "cpu" and case["samples"] == card.CHUNKS * MODEL.lot.chunk
    assert case["multiplications_per_sample"] > 1000 and 0 < case["fraction_of_bmm"] < 1
    assert 0 < figures["spectrum"]["s_2"] < 1 < figures["spectrum"]["s_1"] < 1.1
    audited = card_audit.run(selectors=(CLAIM,), effort="quick")
    assert audited["claims"] == 1 and audited["longest"] == CLAIM and audited["audit_seconds"] > 0
    for name, found in {"card": figures, "card-audit": audited}.items():
        assert all(line["what"] and line["ours"] for line in HEADLINES[name](found))


@pytest.mark.seldom
def test_an_audit_and_the_same_from_the_store() -> None:
    case = audit.measure((CLAIM,), "quick", 1)
    assert case["claims"] == 1 and case["longest"] == CLAIM
    assert 0 < case["longest_seconds"] <= case["witness_seconds"] < case["seconds"]
    assert case["largest_process_mib"] > 100


@pytest.mark.seldom
def test_one_worker_and_two_give_the_same_verdicts() -> None:
    figures = cluster.run(selectors=("noci2022.lemma-3.1",), rounds=1)
    assert figures["same_verdicts"] and len(figures["cases"]) == 4
