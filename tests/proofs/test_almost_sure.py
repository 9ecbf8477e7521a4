"""Almost sure statements as formulas, and Theorem A.2 of noci2022 derived from mean squares."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from sympy import ImmutableDenseMatrix, Integer, KroneckerDelta, MatrixSymbol, Symbol, oo, symbols
from sympy.matrices.expressions import Identity, KroneckerProduct

from claims.almost_surely import AlmostSurely, RandomMatrices, is_fixed
from claims.domain import Choice, Domain
from claims.errors import UserError
from claims.expressions import FrobSq, ones
from claims.model import Claim
from claims.noci2022 import uniformity as claims
from claims.noci2022.notation import X, centre, d_k, d_v, n
from claims.statement import Compare, ForAll, Quantity, Tends
from claims.terms import entry, value_of
from claims.typeset import typeset
from proofs import kernel, smt
from proofs.almost_sure import consequence, entry_at, limit_of
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import ProofError
from proofs.noci2022 import uniformity as proofs
from proofs.noci2022.vanishing_logits import attention_tends, norms_vanish

i, j, k, m = symbols("i j k m", integer=True, positive=True)
M, OTHER = (RandomMatrices("M", lambda at, *places: Integer(1)) for _ in range(2))
a = M.entries(k, 1, 1)
vanish = Tends(a, k, Integer(0))
PROVED = {
    claims.attention_becomes_uniform: proofs.by_a_squeeze,
    claims.softmax_jacobian_becomes_uniform: proofs.by_continuity_of_the_jacobian,
}


# The formula --------------------------------------------------------------------------------------


def test_it_is_printed_as_a_probability_of_one() -> None:
    assert typeset(AlmostSurely(M, vanish)) == (
        r"\mathbb P\left(\lim_{k\to\infty} M^{(k)}_{1,1} = 0\right) = 1"
    )


def test_its_truth_is_known_where_no_outcome_enters() -> None:
    for body, true in ((Compare(m, "<", 3), True), (Compare(m, ">", 3), False)):
        sure = AlmostSurely(M, body)
        assert sure.truth({m: Integer(2)}) is true
        assert sure.possible(lambda *_: (0, 0.0), {m: Integer(2)}) == {true}
    for body in (vanish, Compare(a, "<", 3), Compare(a, "=", a)):
        assert AlmostSurely(M, body).truth({k: Integer(1)}) is None
        assert AlmostSurely(M, body).possible(lambda *_: (0, 0.0), {}) == {True, False}


def test_entries_of_other_matrices_are_others() -> None:
    same = AlmostSurely(M, Tends(M.entries(i, 1, 1), i, Integer(0)))
    assert smt.canonical(same) == smt.canonical(AlmostSurely(M, vanish))
    for other in (
        AlmostSurely(OTHER, vanish),
        AlmostSurely(M, Tends(OTHER.entries(k, 1, 1), k, Integer(0))),
        AlmostSurely(M, Tends(a, k, Integer(1))), vanish,
    ):  # fmt: skip
        assert smt.canonical(other) != smt.canonical(AlmostSurely(M, vanish))


def test_what_is_fixed_shows_it() -> None:
    q = Quantity("q", lambda at: Integer(0))
    fixed = (m, m + 1, entry(X)(1, 2), FrobSq(X), ones(n, n) / n, 3, "text")
    assert all(map(is_fixed, fixed))
    assert not any(map(is_fixed, (a, a - a**2, q, m + q, M.mean_square(k, n, n))))
    assert is_fixed(a, (M,)) and not is_fixed(a, (OTHER,)) and not is_fixed(a + q, (M,))


def test_fixed_terms_are_put_in_and_no_others() -> None:
    sure = AlmostSurely(M, Compare(a, "!=", m))
    assert sure.substitute({m: n + 1}) == AlmostSurely(M, Compare(a, "!=", n + 1))
    for term in (a, OTHER.entries(1, 1, 1), Quantity("q", lambda at: Integer(0))):
        with pytest.raises(UserError, match="may be random"):
            sure.substitute({m: term})


def test_norms_of_blocks() -> None:
    two = ImmutableDenseMatrix([[3, 5], [4, 7]])
    point = {M: (two, two)}
    assert value_of(M.norm(1, 2, 1), point) == 5 and value_of(M.norm(1, 1, 1), point) == 3


def test_what_is_almost_sure_of_others_may_be_concluded() -> None:
    """Of matrices that are bound, by either, nothing else is random; of further ones all is."""
    sure, third = AlmostSurely(M, vanish), RandomMatrices("M", lambda at, *places: Integer(1))
    both = AlmostSurely(OTHER, Compare(a, "=", OTHER.entries(k, 1, 1)))
    assert consequence(sure, both, ()) == AlmostSurely(M, both)
    nested = AlmostSurely(OTHER, AlmostSurely(M, Compare(a, "=", OTHER.entries(k, 1, 1))))
    assert consequence(sure, nested, (nested,)) == AlmostSurely(M, nested)
    for free in (both, AlmostSurely(OTHER, Compare(third.entries(k, 1, 1), "=", 0))):
        with pytest.raises(ProofError, match="may be random"):
            consequence(sure, vanish, (free,))
    with pytest.raises(ProofError, match="may be random"):
        consequence(sure, AlmostSurely(OTHER, Compare(third.entries(k, 1, 1), "=", 0)), ())


# Entries of matrices ------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3])
def test_entries_are_those_of_the_matrix(size: int) -> None:
    whole = Integer(size)
    for value in (ones(n, n) / n, Identity(n), centre, 2 * centre - 3 * Identity(n) / n):
        found = entry_at(value, ((i, n),), ((j, n),))
        exact = value_of(value, {n: whole})
        for p, q in product(range(size), repeat=2):
            assert found.subs({n: whole, i: p + 1, j: q + 1}) == exact[p, q]
    for value in (KroneckerProduct(Identity(n), centre) / n, KroneckerProduct(centre, ones(n, n))):
        found = entry_at(value, ((i, n), (j, n)), ((k, n), (m, n)))
        exact = value_of(value, {n: whole})
        for p, q, r, s in product(range(size), repeat=4):
            at = {n: whole, i: p + 1, j: q + 1, k: r + 1, m: s + 1}
            assert found.subs(at) == exact[p * size + q, r * size + s]


@pytest.mark.parametrize(
    "value",
    [
        MatrixSymbol("Z", n, n), ones(n, m), Identity(m), centre * centre, ones(n, n) * centre, centre.T,
        KroneckerProduct(centre, centre),
    ],
)  # fmt: skip
def test_no_other_matrix_has_known_entries(value) -> None:
    with pytest.raises(ProofError, match="none is known"):
        entry_at(value, ((i, n),), ((j, n),))


def test_multi_indices_fit_factors() -> None:
    assert entry_at(Identity(n), ((i, n),), ((j, n),)) == KroneckerDelta(i, j)
    pairs = ((i, n), (j, m)), ((k, n), (d_k, m))
    assert entry_at(KroneckerProduct(Identity(n), ones(m, m)), *pairs) == KroneckerDelta(i, k)
    for value in (KroneckerProduct(Identity(m), ones(n, n)), Identity(n), Identity(n * m)):
        with pytest.raises(ProofError):
            entry_at(value, *pairs)


# Limits -------------------------------------------------------------------------------------------

LIMIT = claims.limit_of_attention
Z, (p, q) = entry(LIMIT.one), (claims.i, claims.j)
SAID = Compare(LIMIT.entry_of(p, q), "=", Z(p, q))
HERE = kernel.Within(LIMIT.anywhere)
ONES = ones(n, n)


def tending(end) -> AlmostSurely:
    every = Tends(claims.logits.entries(k, p, q), k, end)
    return AlmostSurely(claims.logits, ForAll(p, 1, n, ForAll(q, 1, n, every)))


def test_a_limit_says_what_it_needs() -> None:
    given = (HERE, Compare(p, ">=", 1), Compare(q, "<=", n))
    found, sizes = limit_of(LIMIT, 2 * ONES, SAID, given, tending(Integer(2)))
    assert found == Compare(LIMIT, "=", 2 * ONES) and sizes == [Compare(n, ">=", 1)]


UNSAID = Quantity("q", lambda at: Integer(1))
"""What it is at one matrix says nothing of the others."""
ROW, ALONE = claims.logits.entries(1, 1, 1), MatrixSymbol("Y", n, n)
WRONG = [
    ({"value": ROW * ONES, "sure": tending(ROW)}, "is not one for all"),
    ({"value": p * ONES, "sure": tending(p)}, "is not one for all"),
    ({"definition": Compare(SAID.left, "=", FrobSq(LIMIT.one))}, "is not made of entries"),
    ({"definition": Compare(SAID.left, "=", Z(p, q) + entry(ALONE)(p, q))}, "is not made of"),
    ({"definition": Compare(SAID.left, "=", Z(p, q) + ROW)}, "is not made of"),
    ({"definition": Compare(SAID.left, "=", Z(p, q) * UNSAID)}, "is not made of"),
    ({"definition": Compare(SAID.left, "<=", Z(p, q))}, "is no definition"),
    ({"definition": Compare(LIMIT.entry_of(q, p), "=", Z(q, p))}, "is no definition"),
    ({"definition": SAID & SAID}, "is no definition"),
    ({"given": (kernel.Within(Domain((*LIMIT.anywhere.variables,))),)}, "is asked of one matrix"),
    ({"given": (Compare(p, "<=", 3),)}, "is asked of one matrix"),
    ({"sure": tending(Integer(3))}, "is not that"),
]


@pytest.mark.parametrize(("changed", "why"), WRONG)
def test_what_is_no_limit_is_refused(changed, why: str) -> None:
    offered = {
        "value": 2 * ONES, "definition": SAID, "given": (HERE,), "sure": tending(Integer(2)),
    }  # fmt: skip
    with pytest.raises(ProofError, match=why):
        limit_of(LIMIT, **{**offered, **changed})


# Theorem A.2 --------------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", PROVED, ids=lambda claim: claim.id)
def test_the_limits_are_derived(claim: Claim) -> None:
    found: Certificate = PROVED[claim](claim)
    assert (found.status, found.grade) == ("proved", "derived") and found.recheck() == []
    assert found.theorem is not None
    held = {h for h in found.theorem.hypotheses if not isinstance(h, kernel.Within)}
    assert held == {Compare(n, ">=", 1), Compare(d_v, ">=", 1)}
    used = {t.rule for t in found.theorem.tree()}
    assert {"fact: Beppo Levi's theorem", "almost surely", "squeeze", "almost sure limit"} <= used


@pytest.mark.parametrize("claim", PROVED, ids=lambda claim: claim.id)
def test_no_mutant_is_derived(claim: Claim) -> None:
    found = PROVED[claim](claim)
    for mutant in claim.mutants:
        assert found.rejudge is not None
        judged = found.rejudge(claim.variant(mutant))
        # With unit variance there is no limit, of which exact evaluation says nothing.
        assert judged.status == ("refuted" if mutant.domain is None else "undecided")


def test_weights_of_other_variance_are_not_in_the_domain() -> None:
    """With the variance free, the theorem for Glorot's is not about every point."""
    claim = claims.attention_becomes_uniform
    found = PROVED[claim](claim)
    assert found.theorem is not None
    wide = Domain(
        tuple(
            Choice(v.symbol, (Integer(0), Integer(1))) if v.symbol == claims.power else v
            for v in claim.domain.variables
        )
    )
    unsaid = Claim(
        id="toy.wide", source=claim.source, kind="limit", title="Wide.", statement=claim.statement,
        domain=wide, define=claim.define, quantity=claim.quantity,
    )  # fmt: skip
    judged = conclude(unsaid, found.theorem, method="toy")
    assert judged.status == "undecided" and "widened" in judged.reason


def test_the_mean_square_is_the_sum_of_the_moments() -> None:
    rng = Random(3)
    for _ in range(4):
        point = claims.one_logit.draw(rng)
        keys, tokens = int(point[d_k]), point[X]
        every = [
            claims._moment_of_logit(
                {**point, claims.row_i: tokens.row(p).T, claims.row_j: tokens.row(q).T}, 2
            )
            for p, q in product(range(tokens.rows), repeat=2)
        ]
        at = {**point, claims.power: Integer(1)}
        assert claims.logits.mean_square.define_at(at, keys, tokens.rows, tokens.rows) == sum(every)


def test_mean_squares_are_derived_and_held_to_the_definition() -> None:
    square = proofs.mean_square_of_logits()
    assert square.formula == Compare(
        claims.logits.mean_square(d_k, n, n), "=", 4 * FrobSq(X) ** 2 / (d_v + d_k) ** 2
    )
    value, domain = square.formula.right, claims.attention_becomes_uniform.domain
    for wrong in (2 * value, value * n, value * (d_v + d_k), value - 1 / d_k**2):
        with pytest.raises(ProofError):
            kernel.derived(square.formula.left, wrong, domain, "no", over=((d_k, 1, oo),))
    with pytest.raises(ProofError):  # of another variance
        kernel.derived(
            square.formula.left, value, claims._constant_variance, "no", over=((d_k, 1, oo),)
        )


def test_slower_mean_squares_are_not_summed() -> None:
    """Of 1/k the partial sums are not bounded: there the induction has no step."""
    width, constant = Symbol("d", integer=True, positive=True), kernel.joint(Compare(n, ">=", 0))
    for power in (1, 0):
        mean = Compare(M.mean_square(k, n, n), "=", n / (k + width) ** power)
        with pytest.raises(ProofError):
            norms_vanish(k, width, kernel.joint(mean, given=(mean,)), constant)
    every = kernel.assume(
        ForAll(k, 1, oo, Compare(M.mean_square(k, n, n), "=", n / (k + width) ** 2))
    )
    found = norms_vanish(k, width, kernel.instance(every, k), constant)
    assert found.formula == AlmostSurely(M, Tends(M.norm(k, n, n), k, Integer(0)))
    assert found.hypotheses == {every.formula, Compare(width, ">=", 1)}


def test_attention_needs_its_norm_to_vanish() -> None:
    found = attention_tends(M, n, k, i, j)
    limits = {h for h in found.hypotheses if isinstance(h, Tends)}
    assert limits == {Tends(M.norm(k, n, n), k, Integer(0))}
    assert isinstance(found.formula, Tends) and found.formula.limit == 1 / n
