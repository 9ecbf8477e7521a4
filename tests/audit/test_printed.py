"""What is printed is what is tested: formulas of papers are read and held to the statements."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sympy import Integer, Matrix, MatrixSymbol, Rational, exp, log, sqrt, symbols

from audit.printed import Reading, printed_sides, read_printed
from audit.printed.names import POINT, Names, written
from audit.printed.reader import read_side
from audit.printed.tokens import Unreadable, as_latex, chains_of, signs_of
from audit.words.records import printed_sentence
from claims.domain import Array, Domain, Real, Size
from claims.model import Claim, Source
from claims.registry import encoded
from claims.statement import And, Compare, ForAll, Formula, Quantity, Tends, chain
from claims.terms import entry

OTHERWISE: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("printed_otherwise.toml").read_text(encoding="utf-8")
)
n, d, i, T = symbols("n d i T", integer=True, positive=True)
s, eta, sigma = symbols(r"s \eta \sigma_x", real=True)
X = MatrixSymbol("X", n, d)
POINT_OF = {
    n: Integer(2), d: Integer(3), i: Integer(1), T: Integer(4), s: Integer(3), eta: Rational(1, 5),
    sigma: Rational(3, 2), X: Matrix([[1, 2, 3], [4, -5, 6]]),
}  # fmt: skip


def names() -> Names:
    known = Names()
    for symbol, value in POINT_OF.items():
        known.add(written(symbol), lambda at, places, value=value: value)
    return known


def value_of(text: str) -> Any:
    return read_side(signs_of(text), names())({POINT: POINT_OF})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"3 s^{2} \eta^2 + 2s\eta", Rational(57, 25)),
        (r"\frac12 n(n-1)", Integer(1)), (r"\frac{21}{2} s", Rational(63, 2)), (r"\dfrac n d", Rational(2, 3)),
        (r"\left(1-\eta\right)^{T/n}", Rational(16, 25)), (r"2/(1-\eta)^n", Rational(25, 8)),
        (r"\sqrt{T} e^{-\eta}", 2 * exp(Rational(-1, 5))), (r"\exp\left(-\frac{T^2}{4}\right)", exp(-4)),
        (r"\binom{s+1}{2}", Integer(6)), (r"s!", Integer(6)), (r"\max\{s, T\}", Integer(4)),
        (r"\min(\eta, \eta^2)", Rational(1, 25)), (r"\log T \cdot 2", 2 * log(4)), (r"\log nT", log(8)),
        (r"\cos(\pi) s", Integer(-3)),
        (r"\sigma_{x}^{2}", Rational(9, 4)), (r"\sigma^2_x", Rational(9, 4)), (r"|1 - s|", Integer(2)),
        (r"\lfloor s/n \rfloor", Integer(1)), (r"-s^2", Integer(-9)), (r"1 - \eta n", Rational(3, 5)),
        (r"\text{tr}(\mathbf{X}^\top \mathbf X)", Integer(91)), (r"\mathbf X_{1,2} + X_{21}", None),
        (r"\|\mathbf{X}\|_F^2", Integer(91)), (r"\mathbf{1}_n^\top X \mathbf 1_{d}", Integer(11)),
        (r"\|X^\top \mathbf{1}_n\|", sqrt(115)), (r"\mathbf{X}_{2,3} n", Integer(12)),
        (r"\text{tr}(\mathbf I_n \otimes \mathbf I_d)", Integer(6)), 
        (r"\text{tr}(\mathbf 1_{n \times n})", Integer(2)),
        (r"\sum_{k=1}^{n} k^2 s", Integer(15)), (r"\sum_{a,b=1}^n (a + b)", Integer(12)),
        (r"\prod_{k=1}^s k", Integer(6)), (r"\sum_{a=1}^n \sum_{b=1}^d \delta_{ab}", Integer(2)),
        (r"\sum_{a,b=1}^d \delta_{a \neq b}", Integer(6)), (r"(s \eta)^2 (T)", Rational(36, 25)),
        (r"\log n \log T", log(2) * log(4)), (r"T!!", Integer(8)), (r"s^22", Integer(18)), (r"s^{12}", 3**12),
        (r"\underbrace{s + 1}_{=: q} T", Integer(16)), (r"\mathbb{E}\left[ s T \right]", Integer(12)),
    ],
)  # fmt: skip
def test_sides_are_read_as_authors_write_them(text: str, value: Any) -> None:
    if value is None:  # one number is read where two indices are meant: nothing is guessed
        with pytest.raises((Unreadable, IndexError)):
            value_of(text)
    else:
        assert value_of(text) == value


@pytest.mark.parametrize(
    "text",
    [
        r"\|X\|", r"\sum_k k", r"\max_{i} X_{i1}", r"s +", r"q^2", r"X^{(1)}", r"\begin{cases} 1 \end{cases}",
        r"\log(s)^2", r"\log n (s + 1)", r"X_{0,1}", r"X_{n-2,1}", r"s^1.5",
        r"\sqrt[3]{s}", r"s'", r"\text{softmax}(X)", r"X + s", r"", r"\frac{1}{2", r"s_1", r"\mathbf 1 s",
    ],
)  # fmt: skip
def test_what_has_no_value_is_not_guessed(text: str) -> None:
    with pytest.raises((Unreadable, LookupError, TypeError)):
        value_of(text)


def test_fonts_spaces_and_brackets_say_nothing() -> None:
    one, other = r"\left\|\mathbf{W}_{O}^{\top}\right\|_{F}", r"\| W _ O ^\top \|_F"
    assert signs_of(one) == signs_of(other)
    assert signs_of(as_latex(signs_of(one))) == signs_of(one)
    assert signs_of(r"a \stackrel{(22)}{=} b \leq c") == ("a", "=", "b", r"\le", "c")
    for one, other in (
        (r"\tfrac12", r"\frac{1}{2}"), (r"\tbinom s2\eta", r"\binom{s}{2} \eta"), (r"\sqrt t", r"\sqrt{t}"),
        (r"\frac{s^3-s^2}2", r"\frac{s^3 - s^2}{2}"), (r"\frac1{\sqrt{2}}", r"\frac{1}{\sqrt 2}"),
    ):  # fmt: skip
        assert signs_of(one) == signs_of(other) == signs_of(as_latex(signs_of(other)))
    assert signs_of(r"\frac{21}2") != signs_of(r"\frac212") and signs_of(r"\sqrt{12}") != signs_of(
        r"\sqrt12"
    )


def test_chains_end_at_commas_words_and_conditions() -> None:
    text = r"a = b \leq c, \quad f(x, y) > 0 \text{ for all } x < 1, y < 2. \text{ Hence } z = 1"
    assert [("".join(sides[0]), signs, given) for sides, signs, given in chains_of(text)] == [
        ("a", ["=", r"\le"], False), ("f(x,y)", [">"], False), ("x", ["<"], True), ("y", ["<"], True),
        ("z", ["="], False),
    ]  # fmt: skip


# Statements ---------------------------------------------------------------------------------------

norm = Quantity(r"\|W-s\eta B\|_F", lambda at: at[s] * at[eta])
DOMAIN = Domain((Size(n, 2), Size(d, 1), Real(s, 1, 9), Real(eta, 0, 1), Array(X)))


def stated(statement: Formula, printed: str) -> Claim:
    return Claim(
        id="note2020.bound", source=Source("note2020", "Eq. (1)"), kind="bound", title="A bound.",
        statement=statement, domain=DOMAIN, printed=printed,
    )  # fmt: skip


def reading(statement: Formula, printed: str) -> Reading:
    return read_printed(stated(statement, printed))


def hows(statement: Formula, printed: str) -> str:
    return " ".join(side.how for side in reading(statement, printed).sides)


BOUND = norm.at_most(3 * s**2 * eta)


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        (r"\left\|\mathbf{W} - s\eta\mathbf{B}\right\|_F \leq 3 s^2 \eta", "named named"),
        (r"\|W - s\eta B\|_F \leq 3 \eta s^2", "named same"),
        (r"\|U\| \leq 3 \eta s^2", "unread same"),
        (r"\|W - s\eta B\|_F \leq 4 s^2 \eta", "named other"),
        (r"\|W - s\eta B\|_F \leq 3 s^2 \eta^2", "named other"),
        (r"\|W - s\eta B\|_F < 3 \eta s^2", "sign sign"),
        (r"\|W - s\eta B\|_F \geq 3 \eta s^2", "sign sign"),
        (r"3 \eta s^2 \ge \|W - s\eta B\|_F", "same named"),
        (r"\|W - s\eta B\|_F \leq 3 \eta s^2, \text{ where } s \ge 1", "named same aside aside"),
        (r"\|W - s\eta B\|_F \leq C \eta, \quad C := 3s^2", "named same aside aside"),
        (r"\|W - s\eta B\|_F \leq C \eta, \quad C := 2s^2", "named other aside aside"),
    ],
)
def test_a_side_of_a_statement_is_recognised(printed: str, found: str) -> None:
    assert hows(BOUND, printed) == found


def test_a_statement_that_says_more_is_not_what_is_printed() -> None:
    printed = r"\|W - s\eta B\|_F \leq 3 s^2 \eta"
    assert reading(BOUND, printed).whole
    assert not reading(BOUND & Compare(s, "<=", 9 * eta + 9), printed).whole
    more = reading(And((BOUND, norm.at_most(2 * s**2))), printed)
    assert more.unprinted == ("2 s^{2}",) and not more.whole


def test_links_of_a_chain_are_read_through() -> None:
    statement = chain(norm, "<=", 2 * s * eta, 3 * s**2 * eta)
    assert hows(statement, r"\|W-s\eta B\|_F \leq 2s\eta \leq 3s^2\eta") == "named named named"
    assert hows(statement, r"\|W-s\eta B\|_F \leq 2s\eta \geq 3s^2\eta") == "named named sign"


other = Quantity(r"\|B\|_F", lambda at: at[n] + at[eta])


@pytest.mark.parametrize(
    ("statement", "printed", "whole"),
    [
        (~BOUND, r"\|W - s\eta B\|_F \leq 3 s^2 \eta", False),
        (~BOUND, r"\|W - s\eta B\|_F > 3 s^2 \eta", True),
        (~(BOUND | other.at_most(n**2)), r"\|W - s\eta B\|_F > 3 s^2 \eta, \|B\|_F > n^2", True),
        (
            BOUND & other.at_most(n**2),
            r"\|B\|_F \leq n^2, \quad \|W - s\eta B\|_F \leq 3 \eta s^2",
            True,
        ),
        (
            BOUND & other.at_most(n**2),
            r"\|W - s\eta B\|_F \leq n^2, \quad \|B\|_F \leq 3 s^2 \eta",
            False,
        ),
        (chain(norm, "<=", s * eta, n**2), r"\|W - s\eta B\|_F \leq s\eta \leq n^2", True),
        (
            And((norm.at_most(other), other.at_most(n**2))),
            r"\|W - s\eta B\|_F \leq n^2, \|B\|_F \le n^2",
            True,
        ),
        (
            And((norm.at_most(other), other.at_least(n**2))),
            r"\|W - s\eta B\|_F \leq n^2, \|B\|_F \ge n^2",
            False,
        ),
    ],
)
def test_sides_stand_beside_those_of_the_statement(
    statement: Formula, printed: str, whole: bool
) -> None:
    """Each by itself would be found in a statement that says the contrary, or something else of it."""
    found = reading(statement, printed)
    assert (not found.of("other", "sign", "unread")) is whole


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        (r"\lim_{n\to\infty} \|B\|_F / n = 2 s", "named named"),
        (r"\|B\|_F / n \to 2 s", "named named"),
        (r"\|B\|_F / n = 2 s", "sign sign"),
        (r"\lim_{d\to\infty} \|B\|_F / n = 2 s", "unread named"),
    ],
)
def test_a_limit_is_printed_as_one(printed: str, found: str) -> None:
    term = Quantity(r"\|B\|_F / n", lambda at: at[n])
    assert hows(Tends(term, n, 2 * s), printed) == found


def test_no_limit_is_read_into_an_equality() -> None:
    assert hows(other.equals(2 * s), r"\lim_{n\to\infty} \|B\|_F = 2 s") == "unread named"


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        (r"\mathbb E[x^2] = n s", "named named"), (r"\mathbb E x^2 = n s", "named named"),
        (r"\mathbb E[x]^2 = n s", "unread named"), (r"\mathbb E[x]\, y = n s", "unread named"),
    ],
)  # fmt: skip
def test_brackets_of_an_expectation_say_what_is_in_it(printed: str, found: str) -> None:
    mean = Quantity(r"\mathbb E[x^2]", lambda at: at[n] * at[s])
    assert hows(mean.equals(n * s), printed) == found
    total = Quantity(r"\mathbb E[x + y]", lambda at: at[n] * at[s])
    assert hows(total.equals(n * s), r"\mathbb E[x + y] = n s") == "named named"
    assert hows(total.equals(n * s), r"\mathbb E[x] + y = n s") == "unread named"


def test_indices_of_quantifiers_have_values() -> None:
    statement = ForAll(i, Integer(1), n, norm.at_least(entry(X)(i, 1) ** 2 * 2))
    assert hows(statement, r"\|W-s\eta B\|_F \geq X_{i1} 2 X_{i1}") == "named same"
    assert hows(statement, r"\|W-s\eta B\|_F \geq 2 X_{i1}^3") == "named other"


def test_a_side_that_vanishes_where_one_looks_is_looked_at_further() -> None:
    """At most of the points the product is zero, as the wrong one is."""
    rare = Domain((Size(n, 2, high=9), Real(s, 1, 9)))
    product = (n - 2) * (n - 3) * s
    claim = replace(
        stated(Compare(Quantity("q", lambda at: 0), "<=", product), r"q \leq 0"), domain=rare
    )
    assert not read_printed(claim).of("same")


def test_a_limit_and_a_layer_are_found_by_name() -> None:
    """The print names the layer, of which the statement speaks without naming it."""
    size = Quantity(r"\lim_{T\to\infty}\|W^V\|_F^2", lambda at: at[s])
    printed = r"\lim_{T \rightarrow \infty} \left\|\mathbf{W}^{V,\ell}\right\|_{F}^2 = 3 s"
    assert hows(size.equals(3 * s), printed) == "named named"
    assert hows(size.equals(3 * s), printed.replace("F}^2", "F}^3")) == "unread named"
    assert hows(size.equals(3 * s), printed.replace("V,", "K,")) == "unread named"


@pytest.mark.parametrize(
    "text", [r"a \leq \frac{1}{", r"\mathbf{", "}" * 40, r"\underbrace", "=" * 30, "(" * 9999]
)
def test_a_malformed_formula_costs_nothing_but_its_reading(text: str) -> None:
    found = printed_sides(stated(BOUND, text))
    assert found is None or (found["held"] == 0 and not found["whole"])


# The papers ---------------------------------------------------------------------------------------

PRINTED = [claim for claim in encoded().values() if claim.printed]
LEAST = {"noci2022": (130, 50), "wu2024": (42, 10), "naitsaada2025": (33, 15), "im2026": (288, 72)}
"""Sides that are held and statements that are printed whole: fewer, and the reader reads no more."""


@pytest.mark.parametrize("paper", LEAST)
def test_statements_are_what_is_printed(paper: str) -> None:
    found = {claim.id: read_printed(claim) for claim in PRINTED if claim.paper == paper}
    differ = {name: texts for name, read in found.items() if (texts := read.of("other", "sign"))}
    listed = {name for name in OTHERWISE if name.startswith(f"{paper}.")}
    assert not differ.keys() - listed, "sides of the print that are not in the statement"
    assert not listed - differ.keys(), "nothing differs any more: strike these from the list"
    held, whole = LEAST[paper]
    assert sum(len(read.of("same", "named")) for read in found.values()) >= held
    assert sum(read.whole for read in found.values()) >= whole


def test_the_papers_with_printed_formulas_are_read() -> None:
    assert {claim.paper for claim in PRINTED} == set(LEAST)


@pytest.mark.slow
def test_nearly_every_change_of_a_printed_number_is_noticed() -> None:
    """In formulas that are read to the last side; those of trained networks are drawn slowly."""
    rng, tried, missed = Random(0), 0, []
    quick = [claim for claim in PRINTED if ".thm-D.13." not in claim.id]
    for claim in rng.sample(quick, len(quick)):
        printed, before = claim.printed or "", read_printed(claim)
        numbers = list(re.finditer(r"\d+", printed))
        if not before.whole or before.of("unread") or not numbers:
            continue
        place = rng.choice(numbers)
        changed = f"{printed[: place.start()]}{int(place[0]) + 1}{printed[place.end() :]}"
        after = read_printed(claim, changed)
        tried += 1
        if after.whole and len(after.of("same", "named")) >= len(before.of("same", "named")):
            missed.append((claim.id, changed))
        if tried == 40:
            break
    assert tried == 40
    assert len(missed) <= 4, missed


def test_the_reader_is_told() -> None:
    record = {"printed_sides": {"held": 2, "differ": ["2 s"], "unread": 1, "whole": False}}
    said = "Read by the machine: 2 of 4 sides are sides of the statement, $2 s$ is not; 1 cannot be evaluated."
    assert printed_sentence(record) == said
    assert printed_sentence({"printed_sides": None}) is None
    assert printed_sentence({}) is None
