"""Training the network of Im et al. on a text: passes, texts, and the command."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import fields
from math import log
from pathlib import Path
from random import Random

import pytest
import torch
from click.testing import CliRunner

from audit.cli import main
from claims.errors import UserError
from numeric.im2026 import network, reading, trainer
from numeric.im2026.corpora import generated, statistics
from numeric.im2026.interventions import without
from numeric.plain_text import CorpusError


def rng(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def written(folder: Path, text: str | bytes) -> Path:
    file = folder / "corpus.txt"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def story(sentences: int = 40) -> str:
    """Animals go to their places, one sample a sentence or several."""
    drawn = Random(0)
    places = {"fish": ("lake", "pond"), "bird": ("tree", "nest"), "dog": ("park", "house")}
    samples = []
    for _ in range(sentences):
        animal = drawn.choice(sorted(places))
        said = [f"The big {animal} went to the {drawn.choice(places[animal])}." for _ in range(4)]
        samples.append(" ".join(said))
    return "\n\n".join(samples)


# Passes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("entries", [1, 2**24])
def test_gradient_is_that_of_the_definition(
    layers: int, entries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "ENTRIES", entries)
    tokens = generated("markov", rng(), 4, 6, 5)
    weights = network.gaussian_start(rng(1), layers, 6, 5, v=3.0)
    assert trainer.mean_loss(weights, tokens) == pytest.approx(float(network.loss(weights, tokens)))
    found, wanted = trainer.gradient(weights, tokens), network.gradients(weights, tokens)
    for f in fields(wanted):
        size = getattr(wanted, f.name).abs().max()
        assert size > 0
        assert (getattr(found, f.name) - getattr(wanted, f.name)).abs().max() < 1e-12 * size


def test_full_batches_are_gradient_descent() -> None:
    tokens = generated("topics", rng(), 6, 5, 4)
    text, plan = reading.Text(tokens, tuple("abcd")), trainer.Plan(4, 0.5, 6, 2)
    *_, wanted = network.descent(network.zero_start(2, 5, 4), tokens, 0.5, 4)
    *_, (checkpoint, weights, maps) = trainer.trained(text, plan)
    for f in fields(wanted):
        assert torch.allclose(getattr(weights, f.name), getattr(wanted, f.name), atol=1e-14)
    assert (checkpoint.epoch, checkpoint.step) == (4, 4)
    assert torch.allclose(maps.bigram, statistics(tokens, 4).bigram)


def test_cosines_of_the_first_steps_are_one() -> None:
    tokens = generated("markov", rng(), 16, 12, 10)
    text = reading.Text(tokens, tuple("abcdefghij"))
    checkpoints = [c for c, _, _ in trainer.trained(text, trainer.Plan(5, 1e-3, 16, 2))]
    assert set(checkpoints[0].cosines) == {"output"}
    assert set(checkpoints[1].cosines) == {"output", "value 1", "value 2"}
    assert len(checkpoints[4].cosines) == 7
    assert all(cosine > 0.99999 for cosine in checkpoints[4].cosines.values())


@pytest.mark.parametrize("eta", [1e-3, 1e-300])
def test_cosines_do_not_depend_on_how_small_weights_are(eta: float) -> None:
    tokens = generated("markov", rng(), 16, 12, 10)
    text = reading.Text(tokens, tuple("abcdefghij"))
    ((checkpoint, _, _),) = trainer.trained(text, trainer.Plan(1, eta, 16, 2))
    assert checkpoint.cosines == {"output": pytest.approx(1, abs=1e-12)}


def test_without_is_orthogonal_to_what_was_removed() -> None:
    weight, direction = torch.randn(2, 3, 4, dtype=torch.float64, generator=rng())
    left = without(weight, direction)
    assert abs(float((left * direction).sum())) < 1e-14
    assert torch.allclose(without(left, direction), left)


# Texts --------------------------------------------------------------------------------------------


def test_words_marks_and_samples(tmp_path: Path) -> None:
    file = written(tmp_path, "The cat, the dog.\n\nThe cat!<|endoftext|>THE dog, the cat.")
    text = reading.read(file, words=3, length=1)
    assert text.vocabulary == ("the", "cat", ",")
    said = [[text.vocabulary[k] for k in row] for row in text.tokens.tolist()]
    # "dog" is unknown and ends a stretch; no sequence runs on into the next sample.
    assert said == [["the", "cat"], [",", "the"], ["the", "cat"], [",", "the"]]


def test_sequences_hold_one_token_more_than_their_length(tmp_path: Path) -> None:
    text = reading.read(written(tmp_path, story()), words=30, length=10)
    assert text.tokens.shape[1] == 11
    assert int(text.tokens.max()) < len(text.vocabulary) <= 30


def test_subwords_spell_their_words(tmp_path: Path) -> None:
    text = reading.read(written(tmp_path, story()), words=40, length=12, subwords=True)
    assert len(text.vocabulary) <= 40
    assert "_the" in text.vocabulary
    said = "".join(text.vocabulary[k] for k in text.tokens[0].tolist()).split("_")[1:-1]
    assert said
    assert set(said) <= set(story().lower().replace(".", " . ").split())


def test_merges_take_the_most_frequent_pair_first() -> None:
    merges = reading.merges_of(Counter({"ab": 5, "cb": 9, "abc": 1}), 7)
    assert merges[0] == ("_c", "b")
    assert reading.merges_of(Counter({"a": 5}), 9) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b" \n\n ", "is empty"),
        (b"\xff\xfe\x00\x01", "not UTF-8"),
        (b"a b\0c", "zero bytes"),
        (b"a a a a a a", "1 different tokens"),
        (b"a b a", "no 9 consecutive tokens"),
    ],
)
def test_unusable_texts_are_named_in_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    file = written(tmp_path, content)
    with pytest.raises(CorpusError, match=said) as error:
        reading.read(file, words=5, length=8)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("words", "length"), [(1, 4), (5, 0)])
def test_sizes_that_are_too_small(tmp_path: Path, words: int, length: int) -> None:
    with pytest.raises(CorpusError, match="at least"):
        reading.read(written(tmp_path, story()), words=words, length=length)


@pytest.mark.parametrize("eta", [0.0, -1.0, float("nan"), float("inf")])
def test_learning_rates_that_are_none(eta: float) -> None:
    with pytest.raises(UserError, match="positive and finite"):
        trainer.Plan(eta=eta)


# The command --------------------------------------------------------------------------------------


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["train", *words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def test_command_reports_and_writes_the_same(tmp_path: Path) -> None:
    file, out = written(tmp_path, story()), tmp_path / "out.json"
    code, said = run(
        "--corpus", str(file), "--length", "12", "--layers", "2", "--epochs", "3", "--eta", "0.2",
        "--show", "fish", "--json", str(out),
    )  # fmt: skip
    assert code == 0, said
    document = json.loads(out.read_text(encoding="utf-8"))
    assert [c["epoch"] for c in document["checkpoints"]] == [1, 2, 3]
    assert document["checkpoints"][-1]["loss"] < document["zero_loss"]
    assert document["zero_loss"] == pytest.approx(log(document["vocabulary"]))
    assert 0.9 < document["minimum_cosine"]["output"] <= 1 + 1e-12
    assert f"{document['minimum_cosine']['output']:.6f}" in said
    losses = document["losses_without"]
    assert losses["output"] > losses["original"]
    assert set(losses) == {"original", "attention 1", "attention 2", "value 1", "value 2", "output"}
    assert document["diverged"] is None
    assert "went" in document["nearest"]["fish"]["bigram"]


def test_weights_that_no_memory_holds_are_refused_before_they_are_made(tmp_path: Path) -> None:
    file = str(written(tmp_path, story()))
    code, said = run("--corpus", file, "--length", "12", "--layers", "1000000000")
    assert code == 2 and "an array of shape 1000000000 x" in said and "take smaller sizes" in said
    assert "a fault of that code" not in said


def test_divergence_keeps_what_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = trainer.mean_loss, []

    def failing(weights: network.Weights, tokens: torch.Tensor) -> float:
        calls.append(1)
        return float("nan") if len(calls) == 3 else real(weights, tokens)

    monkeypatch.setattr(trainer, "mean_loss", failing)
    out = tmp_path / "out.json"
    code, said = run(
        "--corpus", str(written(tmp_path, story())), "--length", "12", "--epochs", "5", "--json", str(out)
    )  # fmt: skip
    assert code == 2
    assert "take a smaller learning rate" in said
    document = json.loads(out.read_text(encoding="utf-8"))
    assert [c["epoch"] for c in document["checkpoints"]] == [1, 2]
    assert document["diverged"] in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--eta", "1e6"), "take a smaller learning rate"),
        (("--eta", "-1"), "must be positive"),
        (("--length", "500"), "no 501 consecutive tokens"),
        (("--show", "whale"), "not in the vocabulary"),
    ],
)
def test_unusable_arguments(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    file = written(tmp_path, story())
    code, output = run("--corpus", str(file), "--length", "12", "--epochs", "1", *words)
    assert code == 2
    assert said in output
