"""The kernel: theorems per second by rule, chains that grow, whole proofs, and enumeration beside one.

* A rule is applied to premises that are there; the names in them are new each time, since what the
  solver and the normal forms answered is remembered within a process.
* k inequalities are added by a chain of theorems, and by one question with k premises.
* A proof holds for all sizes.  Who does without one writes the definition out at each size, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from rich.console import Console
from rich.table import Table
from sympy import Dummy, ImmutableDenseMatrix, Integer, Sum, oo

from benchmarks.timing import repeated, spread, timed
from claims.domain import Point
from claims.model import Claim
from claims.noci2022.backward import query_gradient_norm_of_uniform_attention
from claims.noci2022.notation import X, d_k, d_v, n
from claims.registry import encoded
from claims.statement import Compare
from proofs import kernel
from proofs.kernel import Theorem
from proofs.registry import load, proof_of

__all__ = ["run"]

RULES = 200
"""Applications of a rule, each timed alone."""
CHAINS = (2, 4, 8, 16, 32)
SIZES = (2, 3, 4, 5, 6)
PROOFS = (
    "noci2022.theorem-3.3.one-iff", "wu2024.lemma-5.nonneg-combination", "wu2024.thm-2.rate",
    "im2026.beyond.two-steps",
)  # fmt: skip
ROUNDS = 5


def _less(left: Any, right: Any) -> Theorem:
    return kernel.assume(Compare(left, "<=", right))


def _index() -> Any:
    return Dummy("k", integer=True, nonnegative=True)


def _for_all() -> Theorem:
    """0 <= a k for all k from 0 on, with `a` a new name."""
    a, k = Dummy("a", nonnegative=True), _index()
    return kernel.generalise(kernel.joint(Compare(0, "<=", a * k)), k, 0, oo)


def rules() -> dict[str, Callable[[], Callable[[], Theorem]]]:
    """By the name of a rule: a function that lays out new premises and returns its application."""

    def joint() -> Callable[[], Theorem]:
        x, y, z = (Dummy(name, real=True) for name in "xyz")
        premises = _less(x, y), _less(y, z)
        return lambda: kernel.joint(Compare(x, "<=", z), *premises)

    def conjunction() -> Callable[[], Theorem]:
        premises = _for_all(), _for_all()
        return lambda: kernel.both(*premises)

    def instance() -> Callable[[], Theorem]:
        every, at = _for_all(), _index()
        return lambda: kernel.instance(every, at)

    def generalise() -> Callable[[], Theorem]:
        a, k = Dummy("a", nonnegative=True), _index()
        body = kernel.joint(Compare(0, "<=", a * k))
        return lambda: kernel.generalise(body, k, 0, oo)

    def cut() -> Callable[[], Theorem]:
        x, y = Dummy("x", real=True), Dummy("y", real=True)
        theorem, lemma = _less(x, y + 1), _less(x, y)
        return lambda: kernel.cut(theorem, lemma)

    def substitute() -> Callable[[], Theorem]:
        x, y = Dummy("x", real=True), Dummy("y", real=True)
        theorem = _less(x**2, y)
        return lambda: kernel.substitute(theorem, {x: y + 1})

    def linearity() -> Callable[[], Theorem]:
        a, k, size = Dummy("a", real=True), _index(), Dummy("n", integer=True, positive=True)
        whole = Sum(a * k + k**2, (k, 1, size))
        parts = a * Sum(k, (k, 1, size)) + Sum(k**2, (k, 1, size))
        return lambda: kernel.sum_rearranged(whole, parts)

    return {
        "real arithmetic (z3)": joint, "conjunction": conjunction, "instance": instance,
        "generalisation": generalise, "cut": cut, "substitution": substitute,
        "linearity of sums": linearity,
    }  # fmt: skip


def measure_rules(count: int) -> list[dict[str, Any]]:
    """Seconds of one application of each rule, and applications per second."""
    rows = []
    for name, prepared in rules().items():
        prepared()()  # what is loaded at first use
        row = spread("seconds", [timed(prepared()) for _ in range(count)])
        rows.append({"rule": name, **row, "per_second": 1 / row["seconds"]})
    return rows


def _premises(length: int) -> tuple[list[Theorem], Any, Any]:
    """x_i <= y_i for each i, and the two sums."""
    pairs = [(Dummy("x", real=True), Dummy("y", real=True)) for _ in range(length)]
    left, right = (sum(side) for side in zip(*pairs, strict=True))
    return [_less(x, y) for x, y in pairs], left, right


def chained(length: int) -> Callable[[], Theorem]:
    """Adds the inequalities one after the other, and checks the whole tree again."""
    theorems, *_ = _premises(length)

    def work() -> Theorem:
        total = theorems[0]
        for theorem in theorems[1:]:
            left, right = (
                getattr(total.formula, side) + getattr(theorem.formula, side)
                for side in ("left", "right")
            )
            total = kernel.joint(Compare(left, "<=", right), total, theorem)
        assert not total.failures()
        return total

    return work


def asked_at_once(length: int) -> Callable[[], Theorem]:
    """One question with all inequalities as premises, asked twice, as a chain is."""
    theorems, left, right = _premises(length)

    def work() -> Theorem:
        total = kernel.joint(Compare(left, "<=", right), *theorems)
        assert not total.failures()
        return total

    return work


def measure_chains(lengths: tuple[int, ...], rounds: int) -> list[dict[str, Any]]:
    """Seconds of both, made and checked again."""
    return [
        {
            "inequalities": length,
            **spread("seconds", [timed(chained(length)) for _ in range(rounds)]),
            **spread("at_once", [timed(asked_at_once(length)) for _ in range(rounds)]),
        }
        for length in lengths
    ]


def measure_proof(claim_id: str) -> dict[str, Any]:
    """Seconds of a claim's proof, of checking it again, and how many steps it has; once, cold."""
    claim = encoded()[claim_id]
    found: list[Any] = []
    prove = proof_of(claim)
    assert prove is not None
    seconds = timed(lambda: found.append(prove(claim)))
    (certificate,) = found
    again = timed(lambda: found.append(certificate.recheck()))
    assert found[1] == []
    steps = len(certificate.nodes())
    return {
        "claim": claim_id, "status": certificate.status, "steps": steps, "seconds": seconds,
        "recheck_seconds": again, "steps_per_second": steps / seconds,
    }  # fmt: skip


def point_of_size(claim: Claim, size: int) -> Point:
    """Tokens and weights of one size, with small integers as entries."""
    rng = Random(size)
    point = dict(claim.domain.draw(rng))
    point[n] = point[d_v] = point[d_k] = Integer(size)
    point[X] = ImmutableDenseMatrix(size, size, lambda i, j: rng.randint(-3, 3))
    return point


def measure_enumeration(sizes: tuple[int, ...], rounds: int) -> Iterator[dict[str, Any]]:
    """Seconds of the definition written out at each size, beside the one proof for all of them."""
    claim = query_gradient_norm_of_uniform_attention
    proof = measure_proof(claim.id)["seconds"]
    for size in sizes:
        point = point_of_size(claim, size)
        written = repeated(lambda p=point: claim.define(p), rounds, "enumeration_seconds")  # type: ignore[misc]
        yield {"n": size, "claim": claim.id, "proof_seconds": proof, **written}


def run(
    console: Console | None = None, *, rules_applied: int = RULES,
    chains: tuple[int, ...] = CHAINS, sizes: tuple[int, ...] = SIZES, proofs: tuple[str, ...] = PROOFS,
    rounds: int = ROUNDS,
) -> dict[str, Any]:  # fmt: skip
    """Rules, chains, whole proofs, and enumeration."""
    load()
    result = {
        "rules": measure_rules(rules_applied),
        "chains": measure_chains(chains, rounds),
        "enumeration": list(measure_enumeration(sizes, rounds)),
        "proofs": [measure_proof(claim_id) for claim_id in proofs],
    }
    if console is not None:
        for rows in result.values():
            console.print(_table(rows))
    return result


def _table(rows: list[dict[str, Any]]) -> Table:
    names = [name for name in rows[0] if not name.endswith(("_low", "_high"))]
    table = Table(*names, box=None)
    for row in rows:
        cells = (row[name] for name in names)
        table.add_row(*(f"{c:.3g}" if isinstance(c, float) else str(c) for c in cells))
    return table
