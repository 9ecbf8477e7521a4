"""Variants change one place of a statement, by every operator, and never say what the claim says."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from sympy import (
    Function,
    Identity,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Rational,
    Sum,
    Symbol,
    Trace,
    exp,
    oo,
    sqrt,
    symbols,
)
from sympy.matrices.expressions import KroneckerProduct, MatrixExpr

from claims.domain import Array, Condition, Domain, Equal, Real, Size
from claims.edits import ZEROS, Kinds, edits
from claims.expressions import FrobSq, Named, explicit, ones
from claims.model import Claim, Proposition, Relation, Source
from claims.noci2022.sums import IndexSum
from claims.registry import encoded
from claims.statement import (
    And,
    Compare,
    Exists,
    ForAll,
    Iff,
    Implies,
    Monotone,
    Not,
    Predicate,
    Quantity,
    Tends,
)  # fmt: skip
from claims.terms import MaxOver, entry
from claims.variants import OPERATORS, Variant, variants_of
from proofs.decide import decide, find_witness

n, d, m = symbols("n d m", integer=True, positive=True)
k = Symbol("k", integer=True, nonnegative=True)
sigma, tau = symbols("sigma tau", positive=True)
x, y = symbols("x y", real=True)
X, Y, Z = MatrixSymbol("X", n, d), MatrixSymbol("Y", n, d), MatrixSymbol("Z", d, d)
POSITIVE: dict[str, Any] = {"low": 0, "open_low": True}
KINDS = Kinds({n: 2, d: 1}, {n: (d,), d: (n,), sigma: (tau,), X: (Y,)})


def claim(statement: Any, *variables: Any, conditions: tuple = (), define: Any = None) -> Claim:
    return Claim(
        id="toy.claim", source=Source("toy", "Sec. 1"), kind="identity", title="",
        statement=statement, domain=Domain(variables, conditions),
        define=define or (lambda at: Integer(0)),
    )  # fmt: skip


def made(term: Any, operator: str) -> list[Any]:
    return [edit.term for edit in edits(term, KINDS) if edit.operator == operator]


def statements(of: Claim, operator: str) -> list[Any]:
    return [v.statement for v in variants_of(of) if v.operator == operator]


@pytest.mark.parametrize(
    ("term", "operator", "expected"),
    [
        (d**2 * x, "exponent", d**3 * x),
        (d**2 * x, "exponent", d * x),
        (sqrt(n) * x, "exponent", n ** Rational(3, 2) * x),
        (d * x, "exponent", d**2 * x),
        (tau**k, "exponent", tau ** (k + 1)),
        (tau ** (2 * k), "exponent", tau ** (3 * k)),
        (exp(x) * d, "exponent", exp(2 * x) * d),
        (exp(3 * x), "exponent", exp(4 * x)),
        (8 * d, "constant", 16 * d),
        (8 * d, "constant", Rational(42, 5) * d),
        (d + x, "constant", 2 * (d + x)),
        (d + x, "constant", 2 * d + x),
        (Integer(0), "constant", Integer(1)),
        (d * (n - 1), "size", d * n),
        (d * n, "size", d * (n - 1)),
        (d * n, "swap", d**2),
        (sigma**2 * d, "swap", tau**2 * d),
        (d * (n - 1), "swap", d * (d - 1)),
        (d * x, "factor", x),
        (d + x, "term", x),
        (d + x, "sign", d - x),
        (d * x, "sign", -d * x),
        (exp(x), "sign", exp(-x)),
        (MaxOver(x * k, (k, 1, n)), "range", MaxOver(x * k, (k, 1, n - 1))),
        (FrobSq(X) * d, "swap", FrobSq(Y) * d),
    ],
)
def test_operators_on_terms(term: Any, operator: str, expected: Any) -> None:
    assert any((found - expected).expand() == 0 for found in made(term, operator))


@pytest.mark.parametrize(
    ("term", "operator", "expected"),
    [
        (2 * X, "constant", 4 * X),
        (n * X, "factor", X),
        (X + Y, "term", X),
        (X + Y, "sign", X - Y),
        (X * Z, "factor", X),
        (X * Z, "transpose", X * Z.T),
        (X * Z, "swap", Y * Z),
        (KroneckerProduct(Z, Identity(n)), "order", KroneckerProduct(Identity(n), Z)),
    ],
)
def test_operators_on_matrices(term: Any, operator: str, expected: Any) -> None:
    point = {n: 3, d: 2}
    for place, symbol in enumerate((X, Y, Z)):
        point[symbol] = Array(symbol).draw(Random(place), point)
    wanted = explicit(expected, point)
    assert any(explicit(found, point) == wanted for found in made(term, operator))


def test_matrix_variants_keep_every_shape() -> None:
    term = KroneckerProduct(X.T * X, Z) * 3 + Trace(X.T * Y) * KroneckerProduct(Z, Z)
    point: dict[Any, Any] = {n: 3, d: 2}
    for place, symbol in enumerate((X, Y, Z)):
        point[symbol] = Array(symbol).draw(Random(place), point)
    found = list(edits(term, KINDS))
    assert len(found) > 20
    for edit in found:
        assert explicit(edit.term, point).shape == (4, 4)


def test_names_and_deltas_are_one_place() -> None:
    """A variant must differ in what is printed, and an entry's indices stay in their range."""
    mean = Named(r"\bar x", X.T * ones(n) / n)
    term = FrobSq(mean) * KroneckerDelta(n, d)
    assert not [e for e in edits(term, KINDS) if e.operator in {"size", "swap"}]
    assert not [e for e in edits(entry(X)(n, d), KINDS) if e.operator in {"size", "swap"}]


def test_variants_that_ask_no_more_come_last() -> None:
    """A true claim implies them: they can show nothing of a check, and are tried when all others were."""
    q = Quantity("q", lambda at: at[x])
    every = claim(ForAll(k, 1, n, Compare(q, "<=", d * k)), Size(n, 2), Size(d, 1), Real(x))
    found = variants_of(every)
    assert [v.rank for v in found] == list(range(len(found)))
    place = [v.statement for v in found].index
    bound = Compare(q, "<=", d * k)
    idle = [
        place(ForAll(k, 2, n, bound)), place(ForAll(k, 1, n - 1, bound)),
        place(Exists(k, 1, n, bound)), place(ForAll(k, 1, n, Compare(q, "<=", 2 * d * k))),
    ]  # fmt: skip
    telling = [
        place(ForAll(k, 1, n + 1, bound)), place(ForAll(k, 1, n, Compare(q, "<", d * k))),
        place(ForAll(k, 1, n, Compare(q, ">=", d * k))),
    ]  # fmt: skip
    assert max(telling) < min(idle)


def test_what_cannot_be_changed_yields_nothing() -> None:
    for term in (True, "words", oo, (), Function("f")(x)):
        assert [e for e in edits(term, KINDS) if e.operator not in {"constant", "sign"}] == []


def test_relations_and_bounds() -> None:
    bound = claim(Relation("a", (d * n,), "<="), Size(n, 2), Size(d, 1))
    assert {s.relation for s in statements(bound, "relation")} == {"<", ">="}
    tightened = [s.rhs[0] for s in statements(bound, "bound")]
    assert tightened == [Rational(19, 20) * d * n, d * n / 2]
    negative = claim(Relation("a", (-d,), "<="), Size(d, 1))
    assert -Rational(21, 20) * d in [v.statement.rhs[0] for v in variants_of(negative)]
    assert not statements(claim(Relation("a", (d,)), Size(d, 1)), "relation")


def test_terms_that_vanish_at_small_sizes() -> None:
    toy = claim(Relation("a", (x,)), Size(n, 2), Size(d, 1), Real(x))
    found = [s.rhs[0] for s in statements(toy, "vanishing")]
    assert [side.subs({n: size, d: 1}) for side in found[:1] for size in (2, 3)] == [x, x]
    assert found[0].subs(n, 4) == 3 * x
    assert [found[1].subs(d, size) for size in range(1, 7)] == [x] * 5 + [x + 120]


def test_conditions_are_dropped_one_at_a_time() -> None:
    first, second = (
        Condition("x<y", lambda at: at[x] < at[y]),
        Condition("x>0", lambda at: at[x] > 0),
    )
    variables = (
        Size(n, 2), Size(d, 1), Real(x, 0, 1, open_low=True), Real(y), Real(sigma, **POSITIVE), Equal(X),
    )  # fmt: skip
    prose = Proposition("true", lambda at, value: True)
    found = variants_of(claim(prose, *variables, conditions=(first, second)))
    assert all(v.statement is prose for v in found)
    assert {v.domain.conditions for v in found} == {(first, second), (first,), (second,)}
    changed = [c for v in found for c in v.domain.variables if c not in variables]
    assert Size(n, 1) in changed and Array(X) in changed
    assert Real(x, 0, 1) in changed and Real(x, -1, 1, open_low=True) in changed
    assert Real(x, 0, 2, open_low=True) in changed
    assert not [c for c in changed if c.symbol in (sigma, d, y)], "a symbol says it is positive"


def test_formulas() -> None:
    q = Quantity("q", lambda at: at[x])
    low, high = Compare(0, "<=", q), Compare(q, "<", d)
    variables = (Size(n, 2), Size(d, 1), Real(x))
    both = claim(And((low, high)), *variables)
    assert statements(both, "conjunct") == [high, low]
    assert And((low, Compare(q, "<=", d))) in statements(both, "relation")
    implied = claim(Implies(low, high), *variables)
    assert statements(implied, "implication") == [Implies(high, low), high]
    either = claim(Iff(low, high), *variables)
    assert Implies(low, high) in statements(either, "implication")
    assert statements(claim(Not(low), *variables), "implication") == [low]
    every = claim(ForAll(k, 1, n, Compare(q, "<=", k)), *variables)
    assert statements(every, "quantifier") == [Exists(k, 1, n, Compare(q, "<=", k))]
    ranges = [(s.low, s.high) for s in statements(every, "range")]
    assert ranges == [(0, n), (1, n + 1), (2, n), (1, n - 1)]  # of less last: it asks no more
    limit = claim(Tends(q / k, k, Integer(0)), *variables)
    assert [s.limit for s in statements(limit, "limit")] == [1]
    rising = claim(Monotone(q**k, k, "<="), *variables)
    assert {s.direction for s in statements(rising, "relation")} == {"<", ">="}


def test_a_range_of_entries_is_never_made_longer() -> None:
    width = Quantity("w", lambda at: at[d])
    every = ForAll(k, 1, n, Compare(entry(X)(k, 1), "<=", width))
    tokens = claim(every, Size(n, 2), Size(d, 1), Array(X))
    point = tokens.domain.draw(Random(1))
    assert [(s.low, s.high) for s in statements(tokens, "range")] == [(2, n), (1, n - 1)]
    for variant in variants_of(tokens):
        assert tokens.variant(variant).statement.truth(point) in {True, False, None}


def test_prose_has_variants_of_its_hypotheses_only() -> None:
    words = Predicate("Something happens.", lambda at, value: True)
    toy = claim(words, Size(n, 2), Real(x, 0))
    assert {v.operator for v in variants_of(toy)} == {"condition"}


def test_a_variant_is_a_claim() -> None:
    toy = claim(Relation("a", (d * n,)), Size(n, 2), Size(d, 1), define=lambda at: at[d] * at[n])
    for variant in variants_of(toy):
        assert isinstance(variant, Variant) and variant.operator in OPERATORS
        twin = toy.variant(variant)
        assert twin.statement == variant.statement and twin.domain is (variant.domain or toy.domain)


def test_multiples_of_a_comparison_are_one_statement() -> None:
    """`2 q = 0` and `-q = 0` say what `q = 0` says, and `2 q <= 0` what `q <= 0` says."""
    q = Quantity("q", lambda at: at[x])
    sides = lambda of: {v.statement for v in variants_of(claim(of, Real(x), Real(y)))}  # noqa: E731
    assert not sides(Compare(q - x, "=", 0)) & {
        Compare(2 * (q - x), "=", 0), Compare(x - q, "=", 0),
        Compare(Rational(21, 20) * (q - x), "=", 0),
    }  # fmt: skip
    bounded = sides(Compare(q - x, "<=", 0))
    assert Compare(2 * q - x, "<=", 0) in bounded and Compare(x - q, "<=", 0) in bounded
    assert Compare(2 * (q - x), "<=", 0) not in bounded
    assert Compare(q, "=", 2 * x) in sides(Compare(q, "=", x))
    signs = [s.sign for s in sides(Compare(q, "<=", x)) if (s.left, s.right) == (q, x)]
    assert sorted(signs) == ["<", ">="]


def test_a_variant_speaks_of_a_quantity() -> None:
    q = Quantity("q", lambda at: at[x])
    toy = claim(Compare(q * x, "<=", x), Real(x, 0, 1))
    assert Compare(x, "<=", x) not in [v.statement for v in variants_of(toy)]
    assert all(toy.variant(v).statement.quantities() for v in variants_of(toy))


def test_a_term_that_vanishes_beyond_a_size_s_reach_has_a_witness() -> None:
    """What a search never enlarges, since definitions may take long there, is stretched once."""
    q = Quantity("d n", lambda at: at[d] * at[n])
    toy = claim(Compare(q, "=", d * n), Size(n, 1, 2, reach=3), Size(d, 1, 2, reach=3))
    vanishing = [v for v in variants_of(toy) if v.operator == "vanishing"]
    assert len(vanishing) == 2
    for variant in vanishing:
        found = find_witness(toy.variant(variant))
        assert found is not None and max(found.point[n], found.point[d]) == 1 + ZEROS
    assert find_witness(toy.variant(Variant("the claim", toy.statement))) is None


def test_a_term_that_vanishes_at_small_sizes_has_a_witness() -> None:
    toy = claim(
        Relation("a", (d * n,)), Size(n, 2, 3), Size(d, 1, 3), define=lambda at: at[d] * at[n]
    )
    vanishing = [v for v in variants_of(toy) if v.operator == "vanishing"]
    assert len(vanishing) == 2
    for variant in vanishing:
        found = decide(toy.variant(variant), d * n, method="")
        assert found.status == "refuted" and found.recheck() == []


@pytest.fixture(scope="module")
def of_encoded() -> dict[str, tuple[Variant, ...]]:
    """The variants of every eighteenth claim: those of all take minutes."""
    return {name: variants_of(encoded()[name]) for name in list(encoded())[::18]}


def test_encoded_relations_have_variants(of_encoded: dict[str, tuple[Variant, ...]]) -> None:
    """Counts that a change of the operators must not lower by accident."""
    for name, found in of_encoded.items():
        names = [v.name for v in found]
        assert len(set(names)) == len(names), name
        changed = [v for v in found if v.domain is None]
        if isinstance(encoded()[name].statement, Relation):
            assert changed, name
    kinds = {v.operator for found in of_encoded.values() for v in found}
    assert kinds >= {
        "exponent", "constant", "size", "swap", "factor", "term", "sign", "relation", "bound",
        "condition", "class", "transpose", "order", "vanishing", "range",
    }  # fmt: skip
    assert sum(map(len, of_encoded.values())) > 1500


def test_the_list_depends_on_the_claim_alone() -> None:
    for name in ("noci2022.lemma-3.1.values", "wu2024.cor-1.rate", "noci2022.lemma-A.2.queries"):
        again = variants_of(encoded()[name])
        twice = variants_of(encoded()[name])
        assert [v.name for v in again] == [v.name for v in twice]
        assert [v.statement for v in again] == [v.statement for v in twice]
        assert [v.name for v in variants_of(encoded()[name], limit=5)] == [
            v.name for v in again[:5]
        ]
        assert len({v.operator for v in again[:5]}) == 5


def test_variants_of_scalars_are_not_the_claim(of_encoded: dict[str, tuple[Variant, ...]]) -> None:
    """Twenty random values of all that stands in a side tell each variant from its claim.

    Inside a sum a change may come to nothing, which only a proof can say.
    """
    for name, found in of_encoded.items():
        statement = encoded()[name].statement
        if not isinstance(statement, Relation) or any(
            isinstance(side, MatrixExpr | tuple) or side.has(MatrixExpr, IndexSum, Sum)
            for side in statement.rhs
        ):
            continue
        for variant in found:
            if variant.domain or variant.statement.relation != statement.relation:
                continue
            sides = zip(statement.rhs, variant.statement.rhs, strict=True)
            ((before, after),) = [pair for pair in sides if pair[0] != pair[1]]
            rngs = map(Random, range(20))
            assert any(_differ(before, after, rng) for rng in rngs), (name, variant.name)


def _differ(left: Any, right: Any, rng: Random) -> bool:
    values = {
        symbol: Integer(rng.randint(1, 9))
        if symbol.is_integer
        else Rational(rng.randint(1, 19), 20)
        for symbol in sorted(left.free_symbols | right.free_symbols, key=str)
    }
    return explicit(left, values) != explicit(right, values)
