"""What a record says in words: never Python, never a number without its meaning, old documents included."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from pencil import read_variable

from audit.formulas.numbers import number_in
from audit.formulas.points import formulas_of_point
from audit.sinks import Formula, is_mathematics
from audit.words.records import (
    adversary_sentence,
    case_rows,
    counterexample,
    counterexample_of,
    variants_sentence,
    verdict_sentence,
)

SIXTY = "0.577350269189625764509148780501957455647601751270126876018602"
FAIL: dict[str, Any] = {
    "comparison": r"a_k \le b", "relation": "<=", "left": "5/8", "right": "3/8",
    "decimals": ["0.625", "0.375"], "index": {"k": 4}, "given": None, "entry": None, "part": False,
}  # fmt: skip
CASE: dict[str, Any] = {
    "at": {"n": 2}, "estimate": 1.25, "standard_error": 0.01, "half_width": 0.0625, "claimed": 1.0,
    "z": 25.0, "samples": 2048, "status": "disagrees", "scale": "small", "nearest": None,
    "looks": [],
}  # fmt: skip


def witness(*fails: dict[str, Any], **fields: Any) -> dict[str, Any]:
    found = {"at": {"n": 2}, "left": {}, "right": [], "masks": {}, "fails": list(fails)}
    return {**found, **fields}


def sentence(*fails: dict[str, Any], **fields: Any) -> str:
    shown = counterexample(witness(*fails, **fields))
    assert shown is not None
    formulas = [*shown.at, *(p for p in shown.sentence.pieces() if isinstance(p, Formula))]
    assert all(map(is_mathematics, formulas)), formulas
    return shown.sentence


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("5/8", r"\frac{5}{8} = 0.625"),
        ("1/3", r"\frac{1}{3} \approx 0.33333"),
        (16, "16"),
        ("oo", r"\infty"),
        ("exp(-4*sqrt(2))", r"e^{-4 \sqrt{2}} \approx 0.0034935"),
        ("0.75" + "0" * 58, "0.75"),
        (SIXTY, r"\approx 0.57735"),
        ("5.65140177065348948609225796354965519E-7", r"\approx 5.6514 \cdot 10^{-7}"),
        ("1/100000", r"\frac{1}{100000} = 10^{-5}"),
        (0.0016018, "0.0016018"),
    ],
)
def test_numbers_are_exact_and_in_short_decimals(value: Any, shown: str) -> None:
    number = number_in(value)
    assert number is not None and number.latex() == shown


@pytest.mark.parametrize(
    "text", ["__import__('os')", "[1, 2]", "True", "nan", "", "9" * 5000, "1e999999999"]
)
def test_what_is_no_number_is_none(text: str) -> None:
    assert number_in(text) is None


@pytest.mark.parametrize("text", ["exp(exp(exp(exp(exp(9)))))", "exp(exp(exp(3)))"])
def test_a_tower_of_exponentials_has_no_decimals_and_takes_no_time(text: str) -> None:
    number = number_in(text)
    assert number is not None and number.value is None and "approx" not in number.latex()


def test_both_sides_and_what_fails_are_said_with_the_index() -> None:
    assert sentence(FAIL) == (
        r"At $k = 4$, the left-hand side is $\frac{5}{8} = 0.625$, the right-hand side "
        r"$\frac{3}{8} = 0.375$; $\frac{5}{8} \le \frac{3}{8}$ fails."
    )


def test_a_premise_and_the_part_that_fails_are_named() -> None:
    said = sentence({**FAIL, "given": "n > 1", "part": True, "index": {}})
    assert said.startswith(r"$n > 1$ holds, but in $a_k \le b$ the left-hand side is")


def test_a_side_that_is_known_by_a_bound_says_which() -> None:
    said = sentence({**FAIL, "known": ["least", None], "index": {}})
    assert said.startswith(
        r"The left-hand side is at least $\frac{5}{8} = 0.625$, the right-hand side $"
    )


def test_alternatives_are_gone_through_one_by_one() -> None:
    said = sentence(FAIL, FAIL)
    assert said.startswith("No alternative holds. At $k = 4$, in ") and said.count("fails.") == 2


def test_decimals_have_the_digits_in_which_the_sides_differ() -> None:
    close = {**FAIL, "left": SIXTY, "right": "0.57735026000000000000000000000000000000000000000000"}
    assert r"$0.57735027 \le 0.57735026$ fails" in sentence({**close, "index": {}})


def test_a_row_that_disagrees_has_the_digits_in_which_it_does() -> None:
    close = {**CASE, "estimate": 4.3269955e-8, "claimed": 4.3269934e-8, "half_width": 0.0}
    (row,) = case_rows({"cases": [close], "quantity": "x", "relation": "<="})
    assert (row.mean, row.claimed) == (r"4.32700 \cdot 10^{-8}", r"4.32699 \cdot 10^{-8}")
    (row,) = case_rows({"cases": [{**close, "status": "agrees"}], "quantity": "x"})
    assert row.mean == row.claimed == r"4.3270 \cdot 10^{-8}"


def test_matrices_are_matrices_and_the_entry_that_differs_is_named() -> None:
    fail = {**FAIL, "relation": "=", "left": [[1, "1/2"]], "right": [[1, "1/3"]], "entry": [1, 2]}
    said = sentence(fail)
    assert r"\left( \begin{matrix} 1 & \frac{1}{2} \end{matrix} \right)" in said
    assert said.endswith(r"in row $1$, column $2$, $\frac{1}{2} = \frac{1}{3}$ fails.")


def test_a_measured_failure_says_so_with_its_interval() -> None:
    fail = {**FAIL, "left": 1.0417, "right": 0.25, "widths": [0.409, 0.0], "index": {}}
    record = {
        "verdict": "refuted", "proof": None, "adversary": None,
        "measurement": {"cases": [{**CASE, "estimate": {"a": 1.0417}, "fails": [fail]}]},
    }  # fmt: skip
    shown = counterexample_of(record)
    assert shown is not None and shown.sentence == (
        r"The left-hand side is measured as $1.0417 \pm 0.41$, the right-hand side is $0.25$; "
        r"$1.0417 \le 0.25$ fails."
    )


@pytest.mark.parametrize("grade", [None, "derived"])
def test_a_refutation_with_a_theorem_is_one_at_every_choice(grade: str | None) -> None:
    witness = {"at": {"C": 1}, "fails": [{**FAIL, "index": {}}], "left": "2", "right": ["1"]}
    record = {
        "verdict": "refuted",
        "proof": {"witness": witness, "grade": grade},
        "adversary": None,
    }
    shown = counterexample_of({**record, "measurement": None})
    assert shown is not None
    assert shown.sentence.endswith("what the print leaves open.") is (grade is not None)


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ({}, [], "Evaluated exactly at this point, the statement fails."),
        ({"a": "1/2"}, [], r"There $a = \frac{1}{2} = 0.5$, evaluated exactly"),
        ("1/2", [1], r"left-hand side is $\frac{1}{2} = 0.5$, the right-hand side $1$"),
        ([["1/2"]], [[[0]]], r"left-hand side is $\left( \begin{matrix} \frac{1}{2}"),
        (True, [], "Evaluated exactly at this point, the statement fails."),
    ],
)
def test_documents_of_before_are_worded_as_well_as_they_allow(
    left: Any, right: Any, said: str
) -> None:
    shown = counterexample({"at": {"n": 2}, "left": left, "right": right})
    assert shown is not None and said in shown.sentence
    assert "{}" not in shown.sentence and "True" not in shown.sentence


def test_masks_are_defined_by_their_edges() -> None:
    masks = {r"\mathcal{G}": {"tokens": 2, "edges": [[1, 1], [1, 2], [2, 2]]}}
    (new,) = formulas_of_point({r"\mathcal{G}": "star(2)"}, masks=masks)
    (old,) = formulas_of_point({r"\mathcal{G}": "loops 1>2(2)"})
    (named,) = formulas_of_point({r"\mathcal{G}": "star(2)"})
    assert new == old == named and r"1 \to 2,\ i \to i\ \text{for all } i \le 2" in new


def test_many_edges_are_an_adjacency_matrix() -> None:
    (shown,) = formulas_of_point({r"\mathcal{G}": "complete(5)"})
    assert r"\begin{matrix} 1 & 1 & 1 & 1 & 1 \\" in shown


def test_iterated_entries_of_a_point_are_rounded() -> None:
    """Fractions of more digits than the value is known to; a long denominator alone is exact."""
    root = f"{14142135623730950488016887242096980785696718753769}/{10**49}"
    (matrix,) = formulas_of_point({"U": [[root, 0], ["1/2", f"1/{10**50}"]]})
    assert matrix.startswith(r"U \approx") and "1.4142 & 0" in matrix
    assert r"\frac{1}{2}" in matrix and "1.414213" not in matrix
    assert rf"\frac{{1}}{{{10**50}}}" in matrix
    (number,) = formulas_of_point({"s": root})
    assert number == r"s \approx 1.4142"
    (short,) = formulas_of_point({"U": [["1/1041"]]})
    assert short.startswith("U =") and "1041" in short


def test_a_sequence_of_matrices_is_written_member_by_member() -> None:
    (same,) = formulas_of_point({"A^{(0..T-1)}": [[[1]], [[1]]]})
    assert same == r"A^{(0)} = A^{(1)} = \left( \begin{matrix} 1 \end{matrix} \right)"
    (other,) = formulas_of_point({"A_{1..L}": [[[1]], [[2]]]})
    assert other.startswith("A_{1} = ") and r",\quad A_{2} = " in other


def test_a_large_matrix_is_written_by_its_runs_and_reads_back() -> None:
    """Diagonals, columns, rows and single entries; small or full matrices entry by entry."""
    matrix = [[0] * 10 for _ in range(9)]
    for i in range(9):
        matrix[i][i], matrix[i][9] = "1/3", -2
    matrix[8][2:6], matrix[0][4] = [5] * 4, 7
    (shown,) = formulas_of_point({"A^{(0..T-1)}": [matrix] * 6})
    assert shown.startswith(
        r"A^{(0)} = \dots = A^{(5)} \in \mathbb{R}^{9 \times 10}:\ (i,\,i) \mapsto"
    )
    assert "matrix" not in shown
    read = dict(read_variable(shown))
    assert list(read) == [f"A^{{({k})}}" for k in range(6)]
    exact = np.array([[Fraction(entry) for entry in row] for row in matrix], dtype=float)
    assert np.allclose(np.array(read["A^{(3)}"], dtype=float), exact, rtol=0, atol=1e-15)
    full = [[(i * j) % 7 for j in range(9)] for i in range(9)]
    for value in (full, [[1, 0], [0, 1]]):
        assert r"\begin{matrix}" in formulas_of_point({"U": value})[0]


def _one_hot(columns: int, *places: int) -> list[list[int]]:
    return [[int(j == place) for j in range(1, columns + 1)] for place in places]


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        ([[0] * 9 for _ in range(2)], r"= 0 \in"),
        (_one_hot(10, *[3] * 9), r"every row}\ e_{3}"),
        (_one_hot(3, *[1, 3] * 5), r"rows}\ e_{1},\ e_{3}\ \text{in turn}"),
        (_one_hot(3, *[1, 3] * 4, 1), r"rows}\ e_{1},\ e_{3}\ \text{in turn}"),
        (_one_hot(3, *[1, 3] * 4, 2), r"e_{3},\ e_{2}"),
    ],
)
def test_zeros_and_one_hot_rows_are_written_by_their_places_and_read_back(
    matrix: list[list[int]], said: str
) -> None:
    (shown,) = formulas_of_point({"X": matrix})
    assert said in shown and "matrix" not in shown
    ((name, read),) = read_variable(shown)
    assert name == "X" and np.array(read, dtype=int).tolist() == matrix


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("W", "3 × 5", r"W \in \mathbb{R}^{3 \times 5}"),
        ("W", "2 of 3 × 5", r"W \in \bigl(\mathbb{R}^{3 \times 5}\bigr)^{2}"),
        ("W", "4 values", r"W \in \mathbb{R}^{4}"),
        ("W", "2 matrices", r"W:\ \text{2 matrices}"),
        (r"\text{tokens}", "one dominant token", r"\text{tokens}:\ \text{one dominant token}"),
        ("x", "sqrt(2)/2", r"x = \frac{\sqrt{2}}{2} \approx 0.70711"),
    ],
)
def test_large_arrays_are_given_by_their_space(name: str, value: str, shown: str) -> None:
    assert formulas_of_point({name: value}) == [shown]


def test_what_does_not_matter_is_not_shown() -> None:
    shown = counterexample(witness(FAIL, at={"n": 2, "u": 1}, shown=["n"]))
    assert shown is not None and shown.at == ["n = 2"]


# Measurements -------------------------------------------------------------------------------------


def rows(case: dict[str, Any], **measured: Any) -> list[Any]:
    return case_rows({"cases": [{**CASE, **case}], **measured})


def test_a_drawn_quantity_has_its_name_and_interval() -> None:
    (row,) = rows({}, quantity=r"\mathbb E x", relation="<=")
    assert (row.quantity, row.mean, row.half_width, row.claimed) == (
        r"\mathbb E x",
        "1.25",
        "0.062",
        "1",
    )
    assert (row.samples, row.relation, row.says) == (2048, "<=", "disagrees")


def test_a_computed_value_has_no_interval_and_no_samples() -> None:
    (row,) = rows({"half_width": 2e-13, "standard_error": 2e-13, "samples": 1})
    assert row.half_width is None and row.samples is None


def test_of_a_list_what_is_rounding_is_zero() -> None:
    shown = [
        rows({"estimate": [-1.7e-18, 5.76, False], "half_width": width, "claimed": None})[0].mean
        for width in (1.8e-11, 0.02, None)
    ]
    zero, drawn, exact = shown
    assert zero == r"\left(0, 5.76, \text{false}\right)"
    assert drawn == exact == zero.replace("(0", r"(-1.7 \cdot 10^{-18}")


def test_a_formula_gives_a_row_for_each_quantity() -> None:
    first, second = rows(
        {"estimate": {"a": 1.0, "b": 2.0}, "half_widths": {"b": 0.5}, "claimed": None}
    )
    assert (first.quantity, first.half_width) == ("a", None)
    assert (second.quantity, second.half_width) == ("b", "0.5")
    assert first.says == "the statement fails at this point"


def test_a_formula_without_readable_quantities_is_one_sentence() -> None:
    (row,) = rows({"estimate": {}, "claimed": None, "status": "agrees"})
    assert row.quantity is None and row.mean is None
    assert row.says == "the statement holds at this point"


def test_at_large_sizes_an_array_is_told_by_its_norm() -> None:
    small = {**CASE, "estimate": [[1.0]], "claimed": None}
    large = {**CASE, "estimate": 5.0, "claimed": 5.0, "scale": "model"}
    first, second = case_rows({"cases": [small, large], "quantity": "J"})
    assert (first.quantity, second.quantity) == ("J", r"\left\|J\right\|_F")


def test_matrices_and_flags_are_no_python() -> None:
    (row,) = rows({"estimate": [[True, 0.5]], "claimed": None})
    assert row.mean == r"\left( \begin{matrix} \text{true} & 0.5 \end{matrix} \right)"


# Sentences ----------------------------------------------------------------------------------------


def test_the_adversary_says_short_decimals_of_the_closest_point() -> None:
    closest = {"at": {"x": "148532623699/198119653828"}, "left": "0.749", "right": "0.75"}
    found = {
        "violated": False, "best_ratio": 0.99867, "witness": None, "starts": 20, "closest": closest,
        "sentence": "closest to equality at 148532623699/198119653828",
    }  # fmt: skip
    assert adversary_sentence({"adversary": found}) == (
        r"Not violated at 20 points; closest to equality at $x \approx 0.74971$: "
        r"ratio $0.99867$ (left $0.749$, right $0.75$)."
    )


def test_a_confirmed_violation_stays_exact() -> None:
    found = witness({**FAIL, "index": {}}, at={"x": "148532623699/198119653828"})
    said = adversary_sentence({"adversary": {"witness": found, "starts": 3, "violated": True}})
    assert said is not None and r"$x = \frac{148532623699}{198119653828} \approx 0.74971$" in said


@pytest.mark.parametrize("key", ["reason", "sentence"])
def test_what_is_not_attacked_says_why(key: str) -> None:
    text = {"reason": "it is prose", "sentence": "Not attackable: it is prose."}[key]
    found = {"starts": 0, "witness": None, "closest": None, "best_ratio": None, key: text}
    assert adversary_sentence({"adversary": found}) == "Not attackable: it is prose."
    assert adversary_sentence({"adversary": None}) is None


def test_verdict_and_variants_are_sentences() -> None:
    record = {"verdict": "refuted", "severity": "missing-hypothesis", "reason": "an exact witness"}
    assert verdict_sentence(record) == "Refuted (missing hypothesis): an exact witness."
    variants = {
        "tried": 6, "refuted": 4, "true": 1, "undecided": 1, "certified_false": [],
        "killed_by_proof": list("abcd"), "killed_by_measurement": list("abc"), "proved": ["e"],
    }  # fmt: skip
    assert variants_sentence({"variants": variants}) == (
        "Of 6 variants made by machine, the proof rejects 4 and the measurement 3; 1 is true as well."
    )
    unproved = variants_sentence({"variants": variants, "proof": None})
    assert unproved is not None and "machine, exact evaluation rejects 4 and" in unproved
    alone = variants_sentence({"variants": {**variants, "tried": 1, "true": 0}})
    assert alone is not None and alone.startswith("Of 1 variant made")
    assert variants_sentence({}) is None
