"""Where a variant of a proved claim is asked, and the points that lead to a witness."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, Symbol, log, sqrt

from audit.variants import run_variants
from claims.definitions import frobenius_square, softmax_at
from claims.domain import Array, Computed, Condition, Domain, Point, Real, Size
from claims.model import Claim, Mutant, Source
from claims.statement import And, Compare, ForAll, Formula, Quantity
from claims.variants import Variant
from claims.witness import shrink
from numeric.registry import QUICK
from proofs import kernel
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import find_witness
from proofs.registry import PROOFS
from proofs.twins import corners, decisive, may_fail, stretched

n = Symbol("n", integer=True, positive=True)
x, y = (Symbol(name, real=True) for name in "xy")
X = MatrixSymbol("X", n, 1)
ROWS = Domain((Size(n, 1, 3), Array(X)))
energy = Quantity(r"\|X\|^2", lambda at: frobenius_square(at[X]))


def claim(statement: Formula, domain: Domain, **more: Any) -> Claim:
    return Claim("test.twins", Source("test", ""), "bound", "", statement, domain, **more)


def twin(of: Claim, statement: Formula, domain: Domain | None = None) -> Claim:
    return of.variant(Mutant("v", statement, domain))


def test_a_definition_is_asked_only_where_the_two_statements_differ() -> None:
    asked: list[Point] = []
    count = Quantity("n", lambda at: asked.append(at) or at[n])
    of = claim(Compare(count, "=", n), Domain((Size(n, 1, 3),)))
    far = (n - 1) * (n - 2) * (n - 3) * (n - 4) * (n - 5)
    false = twin(of, Compare(count, "=", n + far))
    found = find_witness(false, settled=True)
    assert found is not None and found.point[n] >= 6
    assert all(at[n] >= 6 for at in asked) and decisive(of.formula, false.formula)
    assert may_fail(false)({n: Integer(6)}) and not may_fail(false)({n: Integer(5)})


def test_what_only_the_wider_domain_admits_is_asked() -> None:
    narrow, wide = (Domain((Size(n, low, 4),)) for low in (2, 1))
    of = claim(Compare(Quantity("q", lambda at: at[n]), ">=", 2), narrow)
    wider = twin(of, of.statement, wide)  # type: ignore[arg-type]
    found = find_witness(wider, settled=True)
    assert found is not None and found.point == {n: 1}
    free = replace(narrow, conditions=(Condition("n > 2", lambda at: at[n] > 2),))
    dropped = twin(replace(of, domain=free), of.statement, narrow)  # type: ignore[arg-type]
    assert [may_fail(dropped)({n: Integer(k)}) for k in (2, 3)] == [True, False]


def test_inside_a_quantifier_every_instance_counts() -> None:
    k = Symbol("k", integer=True)
    of = claim(ForAll(k, 1, n, Compare(energy, ">=", -k)), ROWS)
    after = ForAll(k, 1, n, Compare(energy, ">=", -(k**2)))
    assert [may_fail(twin(of, after))({n: Integer(m)}) for m in (1, 2)] == [False, True]
    assert not decisive(of.formula, after)


def test_small_steps_lead_to_a_witness_that_no_small_point_is() -> None:
    of = claim(Compare(energy, "<=", energy + 1), ROWS)
    false = twin(of, Compare(energy, "<=", energy**2 + Rational(1, 100)))
    found = find_witness(false, settled=True)
    assert found is not None and 0 < found.value[energy.name] < 1


def test_small_steps_lead_to_a_witness_of_a_claim_that_nothing_else_settles() -> None:
    """Where the parts are joined, the climb sees each of them."""
    parts = Compare(energy, "<=", energy**2 + Rational(1, 100)), Compare(energy, ">=", 0)
    false = claim(And(parts), ROWS)
    assert find_witness(false, climbing=False) is None
    found = find_witness(false)
    assert found is not None and 0 < found.value[energy.name] < 1
    judged = conclude(false, kernel.words(parts[1], ""), method="")
    assert judged.status == "refuted" and find_witness(claim(parts[1], ROWS)) is None


class Halfway(Real):
    """A number of a range, of which searches draw the middle."""

    def draw(self, rng, point):
        low, high = self.ends(point)
        return (low + high) / 2

    def of_weight(self, weight, point):
        yield from [self.draw(None, point)] if weight == 0 else []


class Fixed(Halfway):
    """The middle of a range, and nothing else."""

    def objection(self, value, point):
        return None if value == self.draw(None, point) else "must be the middle"


def test_a_number_that_is_drawn_in_a_way_of_its_own_moves_in_its_range() -> None:
    """At the end, where it stays as sizes grow; but not beyond what it admits."""
    share = Quantity("(n-1)x", lambda at: (at[n] - 1) * at[x])
    for kind, there in ((Halfway, True), (Fixed, False)):
        domain = Domain((Size(n, 1, 2), kind(x, 0, 1 / n)))
        found = find_witness(claim(Compare(share, "<=", Rational(3, 5)), domain))
        assert (found is not None) is there
        assert found is None or domain.objection(found.point) is None
        assert find_witness(claim(Compare(share, "<", 1), domain)) is None


def test_equal_sides_at_the_least_sizes_do_not_end_a_climb() -> None:
    """A fourth power is at least a square for integers, and a number that two sizes do not have."""
    fourth = Quantity(r"\sum x^4", lambda at: sum(e**4 for e in at[X]))
    grown = (n - 1) * (n - 2)
    false = claim(Compare(1 + grown * fourth, ">=", 1 + grown * energy), ROWS)
    found = find_witness(false)
    assert found is not None and found.point[n] >= 3
    assert (
        find_witness(claim(Compare(1 + grown * (fourth + n), ">=", 1 + grown * energy), ROWS))
        is None
    )


def test_a_witness_is_made_smaller_past_what_leaves_something_undefined() -> None:
    inverse = Computed(y, lambda at: Rational(1 / Fraction(int(at[x]))))
    above = claim(Compare(Quantity("1/x", lambda at: at[y]), "<=", 0), Domain((Real(x), inverse)))
    assert shrink(above, {x: Integer(7), y: Rational(1, 7)}) == {x: 1, y: 1}


def test_a_place_at_which_the_claim_fails_as_well_refutes_no_variant() -> None:
    """There the definition says nothing, since the claim is proved."""
    whole = Quantity("q", lambda at: Integer(0) if any(e.q > 1 for e in at[X]) else Integer(9))
    of = claim(Compare(whole, ">=", 8), ROWS)
    assert find_witness(twin(of, Compare(whole, ">=", 9 - energy / 10**6)), settled=True) is None


def test_corners_and_stretched_points_are_admissible() -> None:
    domain = Domain((Size(n, 1, 3), Real(x, 0, log(2)), Real(y, 0, x, open_high=True), Array(X)))
    points = [*corners(domain), *stretched(domain, 5)]
    assert points and all(domain.objection(point) is None for point in points)
    assert any(point[x] > Rational(69, 100) for point in points)
    assert {int(point[n]) for point in points} >= {1, 6}


def test_what_is_undecided_of_a_wider_domain_is_proved_anew() -> None:
    narrow, wide = (Domain((Size(n, low, 4), Real(x, 0, 1))) for low in (2, 1))
    power = Quantity("x^n", lambda at: at[x] ** at[n])
    of = claim(Compare(power, "<=", x**n + 1), narrow)

    def proof(asked: Claim) -> Certificate:
        known = kernel.unfold(power, x**n, (asked.base or asked).domain)
        return conclude(asked, kernel.joint(of.formula, known), method="")

    def judged(operator: str) -> dict[str, Any]:
        variant = Variant("wider", of.statement, wide, operator=operator)
        return run_variants(of, [variant], proof(of), None, seed=0, budget=1e-9, effort=QUICK)

    PROOFS[of.id] = proof
    try:
        assert judged("condition")["proved"] == ["wider"]
        assert judged("swap")["undecided"] == 1
    finally:
        del PROOFS[of.id]


def test_a_softmax_of_fractions_is_not_that_of_integers() -> None:
    halves = softmax_at(ImmutableDenseMatrix([[Rational(1, 2), 0]]), Integer(2))
    assert halves[0, 0] == 2 ** Rational(1, 2) / (1 + 2 ** Rational(1, 2))


def test_a_bound_fails_far_out_at_an_end_that_shrinks_beside_one_that_is_attained() -> None:
    """At x = sqrt(2) / n, from some thousand n on; the other part has equal sides everywhere."""
    domain = Domain((Size(n, 1, 3), Real(x, 0, sqrt(2) / n, open_low=True)))
    product = Quantity("u", lambda at: at[n] ** 2 * at[x] / (at[n] + 1))
    attained = Compare(Quantity("n", lambda at: at[n]), "<=", n)
    true, false = (
        And((attained, Compare(product, "<=", sqrt(2) - less))) for less in (0, Rational(1, 1000))
    )
    assert find_witness(claim(true, domain)) is None
    for of, settled in ((claim(false, domain), False), (twin(claim(true, domain), false), True)):
        found = find_witness(of, settled=settled)
        assert found is not None and found.point[n] > 1000
