"""Made-up variables are shown by names that a reader can tell apart."""

from __future__ import annotations

from sympy import Add, Dummy, Sum, Symbol

from claims.naming import with_names
from claims.statement import Compare, ForAll
from claims.typeset import typeset

n = Symbol("n", integer=True)


def test_two_made_up_indices_of_one_name_differ():
    outer, inner = Dummy("k", integer=True), Dummy("k", integer=True)
    both = Sum(outer * Sum(inner, (inner, 1, n)), (outer, 1, n))
    assert typeset(Compare(both, "<=", n)) == r"\sum_{k=1}^{n} k \sum_{l=1}^{n} l \le n"


def test_a_made_up_index_gives_way_to_a_letter_of_the_paper():
    k, made_up = Symbol("k", integer=True), Dummy("k", integer=True)
    shown = typeset(ForAll(made_up, 1, n, Compare(made_up, "<=", k)))
    assert shown == r"\forall\,l\in\{1,\dots,n\}:\ l \le k"


def test_nothing_made_up_is_left_as_it_is():
    formula = Compare(n, "<=", n + 1)
    assert with_names(formula) is formula


def test_a_word_is_no_product_of_letters():
    assert typeset(Symbol("row")) == r"\mathrm{row}"
    assert typeset(Symbol("mu")) == r"\mu"
    assert typeset(Symbol("d_v")) == "d_{v}"


def test_names_beyond_the_letters_are_numbered() -> None:
    """Not primed again and again, which nobody can count."""
    term = Add(*(Sum(k**power, (k, 1, n)) for power in range(12) for k in [Dummy("k")]))
    names = {s.name for s in with_names(term).atoms(Symbol)}
    assert "k'" in names and "k_1" in names and not any("''" in name for name in names)
