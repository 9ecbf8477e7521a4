r"""How the calculus of Gaussian trace words grows, beside listing all (2k-1)!! pairings.

Two families at symbolic sizes: the Wishart moments E tr (G G^T)^k, and E tr (G A G^T B)^k with
deterministic A and B.  Every measurement of the calculus runs in a process of its own, so nothing is
remembered from an earlier one; the peak memory is that process's, with Python and SymPy in it.

The baseline lists the pairings of the 2k Gaussian letters once each and follows the index loops of
every pairing.  Up to the orders it reaches, both must give the same polynomial.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from sympy import Add, Expr, MatrixSymbol, Mul, Trace, symbols
from sympy.matrices.expressions import MatMul, MatPow, Transpose

from benchmarks.timing import repeated, spread
from proofs.calculus.wick import Expectation, Gaussian, equal

__all__ = ["by_pairings", "family", "pairings", "run"]

WISHART, SANDWICH = "tr (G G^T)^k", "tr (G A G^T B)^k"
ORDERS = {WISHART: range(1, 21), SANDWICH: range(1, 9)}
LIST_UP_TO, ROUNDS = 6, 3
REQUIRED = {(WISHART, 6): 0.02, (WISHART, 12): 0.5, (WISHART, 20): 10.0, (SANDWICH, 8): 2.0}
REQUIRED_MIB = 1024

n, m = symbols("n m", integer=True, positive=True)
G, A, B = MatrixSymbol("G", n, m), MatrixSymbol("A", m, m), MatrixSymbol("B", n, n)


def family(name: str, k: int) -> Expr:
    """The k-th word of a family."""
    base = G * G.T if name == WISHART else G * A * G.T * B
    return Trace(MatPow(base, k))


# The baseline -------------------------------------------------------------------------------------


def pairings(items: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], ...]]:
    """All ways to pair up the items.

    >>> len(list(pairings(tuple(range(8)))))
    105
    """
    if not items:
        yield ()
        return
    first, rest = items[0], items[1:]
    for i, partner in enumerate(rest):
        for tail in pairings(rest[:i] + rest[i + 1 :]):
            yield ((first, partner), *tail)


def by_pairings(name: str, k: int) -> Expr:
    """E of the k-th word of a family, one pairing at a time.

    >>> by_pairings(WISHART, 2).expand()
    m**2*n + m*n**2 + m*n
    """
    between = "" if name == WISHART else "ab"
    found: Counter[tuple[str, ...]] = Counter()
    for pairing in pairings(tuple(range(2 * k))):
        found[loops(pairing, 2 * k, between)] += 1
    return Add(*(count * Mul(*map(_loop_value, words)) for words, count in found.items()))


def loops(pairing: tuple[tuple[int, int], ...], length: int, between: str) -> tuple[str, ...]:
    """The index loops of a pairing, each as the word of fixed matrices read along it.

    Letter t is G for even t and G^T for odd t; after it stands between[t % 2], or nothing.  Ends
    (t, 0) and (t, 1) are its left and right index; a pairing joins row to row and column to column.
    A loop without matrices is "n" or "m", by the size of its index.
    """
    partner = dict(pairing) | {b: a for a, b in pairing}
    unseen = {(t, side) for t in range(length) for side in (0, 1)}
    words = []
    while unseen:
        start = here = min(unseen)
        word = ""
        while True:
            unseen.discard(here)
            t, side = here
            ahead = ((t + 1) % length, 0) if side else ((t - 1) % length, 1)
            if between:
                word += between[t % 2] if side else between[ahead[0] % 2].upper()
            unseen.discard(ahead)
            t, side = ahead
            other = partner[t]
            here = (other, side if (other - t) % 2 == 0 else 1 - side)
            if here == start:
                break
        rows = (start[0] + start[1]) % 2 == 0
        words.append(_least(word) if word else "n" if rows else "m")
    return tuple(sorted(words))


def _least(word: str) -> str:
    turned = (word, word[::-1].swapcase())
    return min(w[i:] + w[:i] for w in turned for i in range(len(w)))


def _loop_value(word: str) -> Expr:
    if word in ("n", "m"):
        return n if word == "n" else m
    letters = {"a": A, "b": B, "A": Transpose(A), "B": Transpose(B)}
    return Trace(MatMul(*(letters[c] for c in word)))


# Measuring ----------------------------------------------------------------------------------------


def measure(name: str, k: int) -> dict[str, Any]:
    """Seconds, states, terms and peak memory of one cold computation, in this process."""
    laws = [Gaussian(G)]
    word = family(name, k)
    # SymPy imports a good part of itself at the first sum it ever forms; that is not measured.
    _ = n + m + 1
    start = time.perf_counter()
    result = Expectation(word, laws)
    value = result.expression()
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "k": k,
        "seconds": seconds,
        "states": result.calculus.states,
        "terms": len(Add.make_args(value)),
        "peak_mib": peak,
    }


def measure_apart(name: str, k: int) -> dict[str, Any]:
    """`measure` in a fresh process."""
    call = f"print(json.dumps(calculus.measure({name!r}, {k})))"
    code = f"import json; from benchmarks import calculus; {call}"
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    )
    return json.loads(done.stdout)


def measure_listing(name: str, k: int, rounds: int) -> dict[str, Any]:
    """Seconds of listing all pairings, and whether the calculus gives the same value."""
    values: list[Expr] = []
    seconds = repeated(lambda: values.append(by_pairings(name, k)), rounds, "listing_seconds")
    return {**seconds, "agrees": equal(family(name, k), values[-1], [Gaussian(G)])}


def run(
    console: Console | None = None,
    *,
    orders: Mapping[str, Iterable[int]] = ORDERS,
    rounds: int = ROUNDS,
) -> dict[str, Any]:
    """All figures, as plain data; a table for each family when a console is given."""
    families = {}
    for name, upto in orders.items():
        rows = []
        for k in upto:
            cold = [measure_apart(name, k) for _ in range(rounds)]
            row = cold[-1] | spread("seconds", [each["seconds"] for each in cold])
            row |= {"pairings": _double_factorial(2 * k - 1)}
            if k <= LIST_UP_TO:
                row |= measure_listing(name, k, rounds)
            rows.append(row)
        families[name] = rows
        if console is not None:
            console.print(_table(name, rows))
    met = all(
        row["seconds"] <= REQUIRED.get((name, row["k"]), row["seconds"])
        and row["peak_mib"] <= REQUIRED_MIB
        and row.get("agrees", True)
        for name, rows in families.items()
        for row in rows
    )
    required = [{"word": w, "k": k, "seconds": limit} for (w, k), limit in REQUIRED.items()]
    return {"families": families, "required": required, "required_mib": REQUIRED_MIB, "met": met}


def _double_factorial(k: int) -> int:
    return k * _double_factorial(k - 2) if k > 1 else 1


def _table(name: str, rows: list[dict[str, Any]]) -> Table:
    table = Table(title=f"E {name}")
    for heading in (
        "k",
        "pairings",
        "states",
        "terms",
        "calculus / s",
        "peak / MiB",
        "listing / s",
    ):
        table.add_column(heading, justify="right")
    for row in rows:
        listing = f"{row['listing_seconds']:.4f}" if "listing_seconds" in row else "-"
        numbers = (str(row["k"]), f"{row['pairings']:.6g}", str(row["states"]), str(row["terms"]))
        table.add_row(*numbers, f"{row['seconds']:.4f}", f"{row['peak_mib']:.0f}", listing)
    return table


if __name__ == "__main__":
    run(Console())
