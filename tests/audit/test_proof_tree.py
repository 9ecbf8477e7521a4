"""A proof as a tree: nothing lost, nothing twice, and why each step holds in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import given
from hypothesis import strategies as st

from audit.site.proof_tree import Proof, Run, Step, proof_tree
from audit.site.rules import rule_of


def step(number: int, by: str, *premises: int, claim: str = "") -> dict:
    return {"id": number, "claim": claim or f"x_{{{number}}}", "by": by, "from": list(premises)}


def shown(parts: Sequence[Step | Run]) -> Iterator[Step]:
    for part in parts:
        if isinstance(part, Run):
            yield from shown(part.steps)
        else:
            yield part
            yield from shown(part.parts)


def everything(proof: Proof | None) -> list[Step]:
    assert proof is not None
    return [*shown(proof.tree), *shown(proof.beside)]


def test_the_theorem_stands_on_top_of_what_it_follows_from() -> None:
    proof = proof_tree([step(1, "definition"), step(2, "hypothesis"), step(3, "cut", 1, 2)])
    assert proof is not None
    (theorem,) = proof.tree
    assert isinstance(theorem, Step)
    assert (theorem.id, [p.id for p in shown(theorem.parts)]) == (3, [1, 2])
    assert theorem.below == 2


def test_a_shared_lemma_stands_once_where_it_is_first_needed() -> None:
    proof = proof_tree([
        step(1, "definition"), step(2, "algebra", 1), step(3, "instance", 2), step(4, "cut", 2),
        step(5, "conjunction", 3, 4),
    ])  # fmt: skip
    assert sorted(s.id for s in everything(proof)) == [1, 2, 3, 4, 5]


def test_steps_that_say_the_same_are_one() -> None:
    proof = proof_tree([
        step(1, "definition", claim="a"), step(2, "definition", claim="a"),
        step(3, "algebra", 1, claim="b"), step(4, "algebra", 2, claim="b"), step(5, "cut", 3, 4),
    ])  # fmt: skip
    assert proof is not None
    assert [s.id for s in everything(proof)] == [5, 3, 1]
    assert (proof.listed, proof.distinct) == (5, 3)


def test_a_chain_is_not_nested() -> None:
    long = [step(1, "definition"), *(step(k, f"rule {k}", k - 1) for k in range(2, 40))]
    proof = proof_tree(long)
    assert proof is not None

    def depth(parts: Sequence[Step | Run]) -> int:
        below = (part.steps if isinstance(part, Run) else part.parts for part in parts)
        return 1 + max(map(depth, below), default=0) if parts else 0

    assert depth(proof.tree) <= 3
    assert len(everything(proof)) == 39


def test_runs_of_one_rule_are_gathered() -> None:
    proof = proof_tree(
        [*(step(k, "definition") for k in range(1, 13)), step(13, "cut", *range(1, 13))]
    )
    assert proof is not None
    (theorem,) = proof.tree
    assert isinstance(theorem, Step)
    (run,) = theorem.parts
    assert isinstance(run, Run)
    assert (run.below, str(run.rule.says)) == (12, "By definition")


def test_documents_without_premises_are_a_list() -> None:
    proof = proof_tree([{"claim": "a", "by": "x"}, {"claim": "b", "by": "y"}])
    assert proof is not None
    assert (proof.tree, [s.id for s in shown(proof.beside)]) == ((), [1, 2])
    assert proof_tree([]) is None


def test_facts_and_words_are_marked_and_rules_are_sentences() -> None:
    fact = rule_of("fact: $e^x\\ge1+x$: Hardy, Thm 142")
    assert (fact.mark, fact.says) == ("classical fact", "$e^x\\ge1+x$ (Hardy, Thm 142)")
    words = rule_of("argument in words: a limit of a limit")
    assert (words.mark, words.says) == ("argued in words", "A limit of a limit")
    rule = rule_of("sum of products of nonnegative factors")
    assert rule.sentence(2) == "By adding products of non-negative factors, from"
    assert rule.sentence(0) == "By adding products of non-negative factors."
    assert rule_of("completing the square").sentence(0) == "Completing the square."


@given(st.data())
def test_every_step_is_shown_once(data: st.DataObject) -> None:
    """Any document: premises before their step, shared or not, some of them the same."""
    steps = []
    for number in range(1, data.draw(st.integers(1, 30)) + 1):
        drawn = data.draw(st.sets(st.integers(1, 30), max_size=3))
        premises = sorted(p for p in drawn if p < number)
        rule, claim = data.draw(st.sampled_from("rst")), data.draw(st.sampled_from("abcdef"))
        steps.append(step(number, rule, *premises, claim=claim))
    proof = proof_tree(steps)
    ids = [s.id for s in everything(proof)]
    assert proof is not None
    assert len(ids) == len(set(ids)) == proof.distinct
    assert {p for s in everything(proof) for p in s.premises} <= set(ids)
