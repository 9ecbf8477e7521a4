"""A reader with a pencil or a calculator: every counterexample, as it is printed, is read back and checked.

The text alone is read: the point from its formulas, both sides and the relation from the sentence.  The
numbers must violate the relation, decimals must be those of the exact values, and the statement, evaluated
at the point, must give these numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from latex_reader import Unreadable
from latex_values import same
from pencil import SIDES, failing, read_side, read_variable, violates
from sympy import ImmutableDenseMatrix, Integer, oo

from audit.documents import read_document
from audit.formulas.closed_forms import closed_form
from audit.formulas.mathtext import latex_of_name
from audit.sinks import Formula as Printed
from audit.sinks import Prose
from audit.words.records import Counterexample, counterexample
from claims.domain import Choice, Computed
from claims.errors import OnlyMeasured
from claims.failures import Failure, failures, failures_of_relation
from claims.masks import Mask
from claims.model import Claim, Relation
from claims.records import ends_that_decide
from claims.registry import encoded
from claims.statement import Formula
from proofs.decide import find_witness

DOCUMENT = Path(__file__).parents[2] / "out" / "audit.json"
DIGITS = 60
BELIEVED_FALSE = sorted(i for i, claim in encoded().items() if claim.severity is not None)
SEARCHED = BELIEVED_FALSE[::9]
"""Without a document the witnesses of a few claims are searched for."""


@pytest.fixture(autouse=True)
def _many_digits() -> Iterator[None]:
    with mpmath.workdps(DIGITS):
        yield


@cache
def witnesses() -> dict[str, Any]:
    """The exact witnesses of the audit document, if one of this version is there."""
    if not DOCUMENT.exists():
        return {}
    records = {r["id"]: r["proof"] for r in read_document(DOCUMENT)["claims"] if r["proof"]}
    found = {i: proof["witness"] for i, proof in records.items() if proof["witness"]}
    return {i: witness for i, witness in found.items() if "fails" in witness}


@cache
def witness_of(claim_id: str) -> dict[str, Any]:
    if claim_id in witnesses():
        return witnesses()[claim_id]
    if claim_id not in SEARCHED:
        pytest.skip(
            f"no exact witness of {claim_id} in {DOCUMENT.name}: `make audit` writes it, and claims "
            "that only a measurement refutes have none"
        )
    found = find_witness(encoded()[claim_id])
    if found is None:
        pytest.skip(f"{claim_id}: the plain search finds no witness; its proof hands in points")
    return json.loads(json.dumps(found.as_json(encoded()[claim_id].domain)))


def printed(claim_id: str) -> Counterexample:
    shown = counterexample(witness_of(claim_id))
    assert shown is not None
    return shown


@pytest.mark.parametrize("claim_id", BELIEVED_FALSE)
def test_the_numbers_violate_the_relation(claim_id: str) -> None:
    shown = printed(claim_id)
    relations = list(failing(shown.sentence))
    assert relations, shown.sentence
    assert all(violates(*relation) for relation in relations), shown.sentence
    for left, right in SIDES.findall(shown.sentence):
        assert read_side(left).agrees() and read_side(right).agrees(), shown.sentence


@pytest.mark.parametrize("claim_id", BELIEVED_FALSE)
def test_the_printed_point_is_the_point(claim_id: str) -> None:
    witness = witness_of(claim_id)
    read = {name: value for f in printed(claim_id).at for name, value in read_variable(f)}
    members = {name: value for k, v in witness["at"].items() for name, value in named(k, v)}
    masks = {latex_of_name(k): v for k, v in witness["masks"].items()}
    assert read
    for name, value in read.items():
        if name in masks:
            edges = {(j, i) for j, i in masks[name]["edges"]}
            assert is_mask(value, edges, masks[name]["tokens"]), name
        else:
            assert equal(value, numbers(members[name])), name


@pytest.mark.parametrize("claim_id", BELIEVED_FALSE)
def test_the_statement_gives_the_printed_numbers_at_the_printed_point(claim_id: str) -> None:
    claim, witness = encoded()[claim_id], witness_of(claim_id)
    point = point_of(claim, witness)
    assert not list(objections(claim, point))
    found = evaluated(claim, point)
    sides = SIDES.findall(printed(claim_id).sentence)
    assert found and len(found) == len(sides)
    for failure, (left, right) in zip(found, sides, strict=True):
        (first, second), _ = ends_that_decide(failure)
        assert is_printed(first, left) and is_printed(second, right)


# Helpers ------------------------------------------------------------------------------------------


def objections(claim: Claim, point: dict[Any, Any]) -> Iterator[str]:
    """Why a point is not admissible; masks are chosen from a list that points outside of it extend,
    and what is computed is compared in decimals elsewhere."""
    for variable in claim.domain.variables:
        if not isinstance(variable, Choice | Computed):
            reason = variable.objection(point[variable.symbol], point)
            yield from () if reason is None else (reason,)
    yield from (c.latex for c in claim.domain.conditions if not c.holds(point))


def evaluated(claim: Claim, point: dict[Any, Any]) -> tuple[Failure, ...]:
    """What fails at the point, by the claim's own definitions."""
    if isinstance(claim.statement, Relation):
        return failures_of_relation(claim.statement, claim.quantity, claim.define(point), point)
    assert isinstance(claim.statement, Formula)
    try:
        return failures(claim.statement, point)
    except OnlyMeasured:
        pytest.skip(f"{claim.id}: has no exact value")


def named(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A variable by its printed name; a list with a range in its name, member by member."""
    ranged = re.match(r"^(.*[\^_])\{(\(?)([01])\.\.[A-Z](?:-1)?(\)?)\}$", name)
    if ranged is None:
        yield latex_of_name(name), value[0] if is_list_of_one_matrix(value) else value
        return
    before, opening, first, closing = ranged.groups()
    for k, member in enumerate(value, start=int(first)):
        yield f"{before}{{{opening}{k}{closing}}}", member


def is_list_of_one_matrix(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1 and np.ndim(np.array(value, object)) == 3


def numbers(value: Any) -> Any:
    """A value of a document in many digits."""
    if isinstance(value, list):
        parts = [numbers(part) for part in value]
        whole = all(isinstance(part, tuple) for part in parts) and len(set(map(len, parts))) == 1
        flat = whole and not any(isinstance(x, np.ndarray) for part in parts for x in part)
        return np.array(parts, dtype=object) if flat else tuple(parts)
    if isinstance(value, bool):
        return str(value).lower()
    try:
        return mpmath.mpf(closed_form(str(value)).evalf(DIGITS))
    except ValueError:
        return value


def many_digits(value: Any) -> Any:
    if value is oo:
        return mpmath.inf
    return mpmath.mpf(value.evalf(DIGITS) if hasattr(value, "evalf") else str(value))


def equal(first: Any, second: Any) -> bool:
    if isinstance(first, str) or isinstance(second, str):
        return first == second
    return same(first, second)


def is_mask(value: Any, edges: set[tuple[int, int]], size: int) -> bool:
    """Edges, or an adjacency matrix with a one where the row's token attends to the column's."""
    if isinstance(value, frozenset):
        return value == edges
    span = range(1, size + 1)
    return all(bool(value[i - 1, j - 1]) == ((j, i) in edges) for i in span for j in span)


def point_of(claim: Claim, witness: dict[str, Any]) -> dict[Any, Any]:
    """The point of a document as exact objects; bound indices are left out."""
    masks, at = witness["masks"], witness["at"]
    return {
        v.symbol: mask_of(at[name], masks[name]) if name in masks else exact_of(at[name])
        for v in claim.domain.variables
        if (name := str(v.symbol)) in at
    }


def mask_of(text: str, found: dict[str, Any]) -> Mask:
    name = text.rpartition("(")[0]
    return Mask(name, found["tokens"], frozenset((j, i) for j, i in found["edges"]))


def exact_of(value: Any) -> Any:
    if isinstance(value, list):
        matrix = value and all(isinstance(row, list) for row in value)
        if matrix and not any(isinstance(entry, list) for row in value for entry in row):
            return ImmutableDenseMatrix([[exact_of(entry) for entry in row] for row in value])
        return tuple(map(exact_of, value))
    if isinstance(value, int) and not isinstance(value, bool):
        return Integer(value)
    try:
        return closed_form(value).doit()
    except ValueError:
        return value


def is_printed(value: Any, text: str) -> bool:
    """Whether an exact value is what the text says: to thirty digits, or rounded as it is printed."""
    if hasattr(value, "tolist"):
        return same(
            read_side(text).value, numbers([[str(x) for x in row] for row in value.tolist()])
        )
    try:
        side = read_side(text)
    except Unreadable:
        return False
    number = many_digits(value)
    if side.exact is not None:
        return same(number, side.exact)
    return type(side)(number, side.decimals, False, side.text).agrees()


# What the reader would notice ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (r"\frac{5}{8} = 0.625", True),
        (r"\frac{5}{8} = 0.62", False),
        (r"\frac{1}{3} \approx 0.33333", True),
        (r"\frac{1}{3} \approx 0.33334", False),
        (r"\sqrt{3} \approx 1.7321", True),
        (r"\frac{1}{100000} = 10^{-5}", True),
        (r"\frac{1}{3} \approx 3.3333 \cdot 10^{-2}", False),
    ],
)
def test_wrong_decimals_are_noticed(text: str, right: bool) -> None:
    assert read_side(text).agrees() is right


def test_a_relation_that_holds_is_noticed() -> None:
    holds = list(failing(Prose(r"$\frac{3}{8} \le \frac{5}{8}$ fails, and $1 = 1$ fails.")))
    assert len(holds) == 2 and not any(violates(*relation) for relation in holds)


def test_another_edge_or_entry_is_noticed() -> None:
    ((_, edges),) = read_variable(Printed(r"G:\ 1 \to 2,\ i \to i\ \text{for all } i \le 2"))
    assert is_mask(edges, {(1, 1), (1, 2), (2, 2)}, 2)
    assert not is_mask(edges, {(1, 1), (2, 1), (2, 2)}, 2)
    ((_, matrix),) = read_variable(Printed(r"X = \left( \begin{matrix} 1 & 2 \end{matrix} \right)"))
    assert equal(matrix, numbers([[1, 2]])) and not equal(matrix, numbers([[1, 3]]))
