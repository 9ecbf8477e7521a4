"""Almost sure limits of singular values: what their derivations need, and what does not follow."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import Integer, Symbol, oo, sqrt

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import edges, products, rank_collapse, spectral_gap, spectral_laws
from claims.naitsaada2025.exponential_layers import GAUSSIAN, LAYERS
from claims.naitsaada2025.markov_layers import MarkovLayers, n
from claims.naitsaada2025.notation import ell, mean_Z, p, q, sigma_A
from claims.naitsaada2025.spectral_gap import TABLE
from claims.statement import Compare, ForAll, Tends
from proofs import kernel
from proofs.facts import ROW_SUMS, SOFT_EDGE
from proofs.kernel import ProofError
from proofs.naitsaada2025.edges import outcome
from proofs.naitsaada2025.sure_limits import Outcome, at_every_size, layer
from proofs.naitsaada2025.sure_products import Products
from proofs.naitsaada2025.sure_ranks import StableRank
from proofs.registry import load, proof_of

DERIVED: list[Claim] = [
    spectral_gap.second_singular_value_of_any_mean,
    spectral_laws.quarter_circle_of_any_mean,
    spectral_laws.no_gap_without_the_mean,
    products.second_singular_value_of_products,
    edges.product_of_largest_singular_values,
    rank_collapse.almost_sure_collapse_at_every_depth,
]  # fmt: skip


@pytest.mark.parametrize("claim", DERIVED, ids=lambda claim: claim.id)
def test_a_fourth_moment_is_needed_and_no_words_are(claim: Claim) -> None:
    load()
    prove = proof_of(claim)
    assert prove is not None
    found = prove(claim)
    assert found.status == "proved" and found.theorem is not None and not found.theorem.argued
    wider = replace(
        claim, base=claim, domain=Domain(claim.domain.variables, claim.domain.conditions[1:])
    )
    assert len(claim.domain.conditions) == 1
    assert found.rejudge is not None and found.rejudge(wider).status != "proved"


def test_every_step_applies_again() -> None:
    """The longest of the derivations, from facts to the limit."""
    rank = StableRank(rank_collapse.SIGNAL, GAUSSIAN, ell)
    sure = kernel.surely(rank.outcome.sure, rank.tends())
    assert sure.failures() == [] and not sure.argued
    facts = {each.rule for each in sure.tree() if each.rule.startswith("fact: ")}
    assert len(facts) >= 10


SECOND = Outcome(TABLE, edges=4)


@pytest.mark.parametrize(
    "value",
    [2 * sigma_A, sigma_A / mean_Z, 2 * sigma_A / mean_Z**2, Integer(0), 3 * sigma_A / mean_Z],
)
def test_no_other_value_is_the_limit(value: object) -> None:
    sure = kernel.surely(SECOND.sure, SECOND.second_tends(Integer(1)))
    here = kernel.within(spectral_gap.laws)
    with pytest.raises(ProofError, match="almost sure limit"):
        kernel.sure_limit(spectral_gap.second_value, value, here, sure)
    right = 2 * sigma_A / mean_Z
    assert kernel.sure_limit(spectral_gap.second_value, right, here, sure).formula.right == right


def test_limits_are_of_the_table_and_of_the_term_that_are_meant() -> None:
    here, one = kernel.within(spectral_gap.laws), Integer(1)
    twin = Outcome(MarkovLayers(TABLE.tables), edges=4)
    first = kernel.surely(SECOND.sure, SECOND.first_tends(one))
    third = kernel.surely(SECOND.sure, SECOND.rest_tends(Integer(2), one))
    other_layer = kernel.surely(SECOND.sure, SECOND.second_tends(Integer(2)))
    same_name = kernel.surely(twin.sure, twin.second_tends(one))
    for sure in (first, third, other_layer, same_name):
        with pytest.raises(ProofError, match="almost sure limit"):
            kernel.sure_limit(spectral_gap.second_value, 2 * sigma_A / mean_Z, here, sure)
    with pytest.raises(ProofError, match="may be random"):
        kernel.surely(outcome().sure, SECOND.second_tends(one))
    with pytest.raises(IndexError):
        Outcome(TABLE, edges=2).second_tends(one)


def test_what_holds_for_one_outcome_only_is_not_sure() -> None:
    """Row sums are bounded for every n by no number that all outcomes share."""
    total, bound = LAYERS.row_sum(Integer(1), n, Integer(1)), Symbol("b", real=True)
    every = ForAll(n, 1, LAYERS.tables.mean, Compare(total, "<=", bound))
    with pytest.raises(ProofError, match="may be random"):
        kernel.surely(outcome().sure, kernel.joint(every, given=(every,)))


def test_numbers_inside_a_chain_are_not_replaced() -> None:
    """How many weights stand behind attention does not show, so that no other number may be put in."""
    chain = Products(outcome(), edges.CHAIN)
    below = chain.second_below(p)
    with pytest.raises(ProofError, match="holds q inside"):
        kernel.substitute(kernel.assume(below.formula), {q: q + 1})
    with pytest.raises(ProofError, match="holds it inside"):
        kernel.generalise(chain.first_grows(p), q, 1, p)
    assert kernel.substitute(kernel.assume(below.formula), {p: p + 1}).formula != below.formula


def test_a_limit_of_every_layer_is_no_limit_over_layers() -> None:
    root = sqrt(n) * LAYERS.rest(Integer(1), layer)
    found = outcome().rest_tends(Integer(1), layer)
    assert found.formula == Tends(root, n, Integer(2))
    with pytest.raises(ProofError):
        kernel.squeezed(at_every_size(found), at_every_size(found), found, found)


def test_the_law_of_a_table_is_not_replaced() -> None:
    """What is so of a table of mean m is not so for every number m."""
    i, k = (Symbol(name, integer=True) for name in "ik")
    rows = kernel.fact(
        ROW_SUMS, entry=TABLE.entry(layer, i, k), row=i, column=k, size=n, layer=layer
    )
    edge = kernel.fact(SOFT_EDGE, values=TABLE.noise(Integer(1), layer), size=n, layer=layer)
    for known, symbol in ((rows, mean_Z), (edge, mean_Z), (edge, sigma_A)):
        with pytest.raises(ProofError, match="inside"):
            kernel.substitute(known, {symbol: Integer(5)})
    shaped = products.CHAIN.layers
    of_shape = kernel.fact(
        ROW_SUMS, entry=shaped.entry(layer, i, k), row=i, column=k, size=n, layer=layer
    )
    with pytest.raises(ProofError, match=r"inside|assumed"):
        kernel.generalise(of_shape, products.a, 1, oo)
