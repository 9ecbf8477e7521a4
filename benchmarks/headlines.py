"""What each benchmark comes to, in lines for a table: what, ours, what one would do otherwise, the ratio."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["HEADLINES", "Line"]

Results = Mapping[str, Any]
Line = dict[str, str]
"""`what`, `ours`, `otherwise`, `ratio`: words for people; empty where nothing is compared."""


NARROW = "\u202f"


def seconds(value: float) -> str:
    """A time in the unit that suits it, which stays on its number's line.

    >>> [seconds(s).replace(NARROW, " ") for s in (2.5e-5, 0.0042, 3.14159, 86400.0)]
    ['25 µs', '4.2 ms', '3.14 s', '24 h']
    """
    for least, unit, name in ((7200, 3600, "h"), (600, 60, "min"), (1, 1, "s"), (1e-3, 1e-3, "ms")):
        if value >= least:
            return f"{value / unit:.3g}{NARROW}{name}"
    return f"{value * 1e6:.3g}{NARROW}µs"


def line(what: str, ours: str, otherwise: str = "", ratio: float | None = None) -> Line:
    """A line of the table; a ratio above one is in our favour."""
    times = "" if ratio is None else f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"
    return {"what": what, "ours": ours, "otherwise": otherwise, "ratio": times}


def _against(what: str, ours: float, otherwise: float, how: str) -> Line:
    return line(what, seconds(ours), f"{seconds(otherwise)}, {how}", otherwise / ours)


WORDS = {
    "tr (G G^T)^k": r"\operatorname{tr}(GG^\top)^k",
    "tr (G A G^T B)^k": r"\operatorname{tr}(GAG^\top B)^k",
}


def _calculus(found: Results) -> list[Line]:
    lines = []
    for word, cases in found["families"].items():
        listed = [case for case in cases if "listing_seconds" in case][-1]
        mean = rf"$\mathbb E\,{WORDS[word]}$"
        name = f"{mean}, $k={listed['k']}$"
        lines.append(
            _against(name, listed["seconds"], listed["listing_seconds"], "all pairings listed")
        )
        if (last := cases[-1]) is not listed:
            lines.append(line(f"{mean}, $k={last['k']}$", seconds(last["seconds"])))
    return lines


def _kernel(found: Results) -> list[Line]:
    rules = [
        line(f"one application of {case['rule']}", seconds(case["seconds"]))
        for case in found["rules"]
    ]
    last = found["enumeration"][-1]
    beside = _against(
        f"{last['claim']}: proof for all sizes, or written out at $n={last['n']}$",
        last["proof_seconds"], last["enumeration_seconds"], "one size",
    )  # fmt: skip
    proofs = [
        line(f"proof of {case['claim']}, {case['steps']} steps", seconds(case["seconds"]))
        for case in found["proofs"]
    ]
    return [beside, *proofs, *rules]


QUERIES = r"$\mathbb E\|\partial S/\partial W^Q\|_F^2$"


def _sampling(found: Results) -> list[Line]:
    lines = []
    for case in found["cases"]:
        ours, autograd = (case[f"{who}seconds_to_target"] for who in ("", "baseline_"))
        lines.append(_against(rf"1% of {QUERIES}, $n=d={case['n']}$", ours, autograd, "autograd"))
        lines.append(
            line(
                f"share of the rate of torch.bmm, $n=d={case['n']}$",
                f"{case['matmul_fraction']:.0%}",
            )
        )
    for case in found["families"]:
        what = f"one sample, gradient by {case['family']}, $n=d={case['n']}$"
        lines.append(
            _against(what, case["seconds"], case["baseline_seconds"], "a Jacobian by autograd")
        )
    return lines


def _spectra(found: Results) -> list[Line]:
    return [
        _against(
            f"two largest singular values, $T={case['T']}$", case["seconds"], case["full_seconds"],
            "full decomposition",
        )
        for case in found["cases"]
    ]  # fmt: skip


def _statistics(found: Results) -> list[Line]:
    case, largest = found["cases"][-1], found["growth"][-1]
    what = f"statistics of {case['N']} sequences of {case['T']} tokens"
    return [
        _against(what, case["seconds"], case["loop_seconds"], "loop over tokens"),
        line(
            f"statistics of {largest['N']} sequences of {largest['T']} tokens, {largest['words']} words",
            seconds(largest["seconds"]),
        ),
    ]


def _basins(found: Results) -> list[Line]:
    return [
        line("share of inputs that keep rank two, eight weights", seconds(found["seconds"])),
        line("orbits a second", f"{found['orbits_per_second']:,}"),
    ]


def _adversary(found: Results) -> list[Line]:
    return [
        {
            "what": f"points until {case['claim']} fails",
            "ours": f"{case['points']:g} ({case['found']} of {case['seeds']} seeds)",
            "otherwise": f"{case['random_points']:g} ({case['random_found']} of {case['seeds']} seeds), "
            "drawn at random",
            "ratio": f"{case['random_points'] / case['points']:.2g}",
        }
        for case in found["failing"]
    ]  # fmt: skip


def _coverage(found: Results) -> list[Line]:
    worst = max(
        case[side]["betting"]["probability"]
        for case in found["cases"]
        for side in ("too_low", "too_high")
    )
    student = max(
        case[side]["student"]["probability"]
        for case in found["cases"]
        for side in ("too_low", "too_high")
    )
    promised = f"probability of a miss, where {found['budget_of_one_test']:.0e} is promised"
    return [line(promised, f"{worst:.0e}", f"{student:.0e}, Student's t", None)]


def _false_alarms(found: Results) -> list[Line]:
    what = f"false alarms in {found['seeds']} audits, {found['tests']:,} tests"
    return [line(what, str(found["false_alarms"]))]


def _cluster(found: Results) -> list[Line]:
    same = "same verdicts" if found["same_verdicts"] else "other verdicts"
    return [
        line(
            f"{case['workers']} {'worker' if case['workers'] == 1 else 'workers'}, {case['place']}",
            f"{seconds(case['seconds'])}, {same}", "", case["ratio"],
        )
        for case in found["cases"]
    ]  # fmt: skip


def _audit(found: Results) -> list[Line]:
    lines = []
    for case in found["cases"]:
        which = case["selectors"][0] if len(case["selectors"]) == 1 else "all papers"
        what = (
            f"{case['effort']} audit of {which}, {case['claims']} claims, {case['workers']} workers"
        )
        kept = f"{seconds(case['again_seconds'])} again, from the store"
        lines.append(line(what, seconds(case["seconds"]), kept))
        longest = f"longest claim of it, {case['longest']}"
        lines.append(line(longest, seconds(case["longest_seconds"])))
        lines.append(line("largest process of it", f"{case['largest_process_mib']:,.0f} MiB"))
    return lines


def _card(found: Results) -> list[Line]:
    lines = []
    for case in found["cases"]:
        sizes = ",".join(f"{name}={size}" for name, size in case["sizes"].items())
        what = f"samples a second of {case['claim']} at ${sizes}$"
        share = f"{case['fraction_of_bmm']:.0%} of the rate of torch.bmm, float64"
        lines.append(line(what, f"{case['samples_per_second']:,.0f}", share))
    large = found["spectrum"]
    what = f"two largest singular values of attention at $T={large['T']}$"
    return [*lines, line(what, seconds(large["seconds"]))]


def _card_audit(found: Results) -> list[Line]:
    what = f"{found['effort']} audit of {found['claims']} claims"
    longest = f"longest claim of it, {found['longest']}"
    return [
        line(what, seconds(found["audit_seconds"])),
        line(longest, seconds(found["longest_seconds"])),
    ]


HEADLINES: dict[str, Callable[[Results], list[Line]]] = {
    "calculus": _calculus, "kernel": _kernel, "sampling": _sampling, "spectra": _spectra,
    "statistics": _statistics, "basins": _basins, "adversary": _adversary, "coverage": _coverage,
    "false-alarms": _false_alarms, "cluster": _cluster, "audit": _audit, "card": _card,
    "card-audit": _card_audit,
}  # fmt: skip
"""By name of the benchmark, from its results."""
