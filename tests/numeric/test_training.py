"""Models that are trained: their pieces by hand, their independence, and that they learn."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest
import torch
from scipy import stats
from sympy import Rational

from claims.noci2022 import warmup as warmup_claims
from numeric import layers
from numeric.figures import Settings
from numeric.sampling import generator
from numeric.training import decoding
from numeric.training.bleu import bleu
from numeric.training.corpus import BEGIN, END, PAD, Batches, Vocabulary, generated
from numeric.training.optimisers import EPSILON, Optimiser, Updates, learning_rate, temperature
from numeric.training.parameters import Architecture, initial, initial_encoder
from numeric.training.reversal import ADAM, PRINTED, Reversal
from numeric.training.reversal import train as reverse
from numeric.training.signal import mean_cosine, profile_at_initialisation
from numeric.training.threads import on_few_threads
from numeric.training.transformer import Noise, Pass, decode, encode, encoder_blocks, positions
from numeric.training.translation import (
    METHODS,
    Plan,
    prepared,
    run_streams,
    smoothed_loss,
    train,
)
from numeric.trends import mean_and_reach

SMALL = Architecture(width=8, hidden=16, heads=2, blocks=2)
EXACT = {"rtol": 1e-12, "atol": 1e-12}


def streams(runs: int, name: str = "test") -> list[torch.Generator]:
    return [generator(0, name, run) for run in range(runs)]


def small_model(a: Architecture = SMALL, runs: int = 2, words: tuple[int, int] = (9, 7)):
    return initial(a, words, streams(runs), torch.float64)


# BLEU ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "wanted", "value"),
    [
        ("a b c d e", "a b c d e", 100.0),
        ("a b c d e", "a b c d f", 100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25),
        ("a b c d", "a b c d e f", 100 * math.exp(1 - 6 / 4)),
        # Longer than the reference: no bonus, only worse precisions.
        ("a b c d e f", "a b c d", 100 * (4 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25),
        # Clipped: only two of the five `a` and one of the four `a a` count.
        ("a a a a a", "a a b b b", 0.0),
        ("a b c", "a b c", 0.0),  # no word group of four at all
        ("", "a b c d", 0.0),
    ],
)
def test_bleu_by_hand(said: str, wanted: str, value: float) -> None:
    assert bleu([said.split()], [wanted.split()]) == pytest.approx(value, rel=1e-12)


def test_bleu_counts_over_the_corpus_not_by_sentence() -> None:
    sentence = ["a", "b", "c", "d", "e"]
    assert bleu([sentence, ["x"]], [sentence, ["y"]]) == pytest.approx(
        100 * (5 / 6) ** 0.25, rel=1e-12
    )


def test_bleu_needs_a_reference_for_each_translation() -> None:
    with pytest.raises(ValueError, match="1 translations of 0 references"):
        bleu([["a"]], [])


# Schedules and optimisers -------------------------------------------------------------------------


def test_step_scheduler_drops_at_two_and_four_fifths() -> None:
    sgd = Optimiser("sgd", 2.0, "step")
    rates = [learning_rate(sgd, step, 250) for step in (1, 100, 101, 200, 201, 250)]
    assert rates == pytest.approx([2, 2, 0.2, 0.2, 0.02, 0.02], rel=1e-12)


def test_adam_warms_up_linearly_and_falls_like_an_inverse_root() -> None:
    adam = Optimiser("adam", 7e-4, "inverse sqrt", warmup=6000)
    low, peak = (learning_rate(adam, step, 100_000) for step in (3000, 6000))
    assert low == pytest.approx((1e-7 + 7e-4) / 2, rel=1e-12)
    assert peak == pytest.approx(7e-4, rel=1e-12)
    assert learning_rate(adam, 24_000, 100_000) == pytest.approx(3.5e-4, rel=1e-12)


def test_temperature_follows_the_repaired_schedule() -> None:
    for step in (0, 1, 7, 8, 20):
        point = {
            warmup_claims.step: step, warmup_claims.warmup: 8,
            warmup_claims.final: Rational(17, 2),
        }  # fmt: skip
        assert temperature(step, 8.5, 8) == float(warmup_claims.capped.define(point))


@pytest.mark.parametrize("kind", ["adam", "sgd"])
def test_updates_are_those_of_torch(kind: str) -> None:
    optimiser = Optimiser(kind, 0.1, betas=(0.8, 0.95), decay=0.01)
    start, slopes = torch.randn(3, 4, dtype=torch.float64), torch.randn(5, 3, 4).double()
    ours, theirs = start.clone(), start.clone().requires_grad_()
    updates = Updates(optimiser, [ours])
    if kind == "adam":
        reference = torch.optim.AdamW([theirs], lr=0.1, betas=(0.8, 0.95), weight_decay=0.01)
    else:
        reference = torch.optim.SGD([theirs], lr=0.1, weight_decay=0.01)
    for slope in slopes:
        updates.take([slope], 0.1)
        theirs.grad = slope.clone()
        reference.step()
    torch.testing.assert_close(ours, theirs.detach(), **EXACT)


def test_first_effective_rate_is_the_inverse_of_the_gradient() -> None:
    weight, slope = torch.zeros(2, dtype=torch.float64), torch.tensor([0.5, -4.0]).double()
    updates = Updates(Optimiser("adam", 0.01), [weight])
    updates.take([slope], 0.01)
    expected = 0.01 / (slope.abs() + EPSILON)
    torch.testing.assert_close(updates.effective_rates(weight, 0.01), expected, **EXACT)


# The model ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", ["none", "pre", "post"])
def test_single_head_block_is_the_papers_block(norm: str, monkeypatch) -> None:
    monkeypatch.setattr("numeric.training.transformer.EPSILON", 0.0)
    a = Architecture(6, 10, heads=1, blocks=1, norm=norm, strength=0.7)  # type: ignore[arg-type]
    p = initial_encoder(a, streams(3))
    x = torch.randn(3, 2, 5, 6, dtype=torch.float64)
    weights = layers.Weights(
        *(p[f"encoder.0.{w}"][:, None] for w in ("self.wq", "self.wk", "self.wv", "ff.w1", "ff.w2"))
    )
    expected = layers.block(
        x, weights, alpha_1=0.7, alpha_2=0.7, activation="relu", norm=norm, tau=1.3,  # type: ignore[arg-type]
    )  # fmt: skip
    by = Pass(tau=1.3)
    encoder_blocks(p, a, x, by=by)
    torch.testing.assert_close(by.trace[-1], expected, **EXACT)
    torch.testing.assert_close(by.trace[0], x)


def test_several_heads_attend_separately() -> None:
    a = Architecture(8, 8, heads=2, blocks=1, norm="none", strength=1.0)
    p = initial_encoder(a, streams(1))
    x = torch.randn(1, 1, 4, 8, dtype=torch.float64)
    place, parts = "encoder.0.self", []
    for head in (slice(0, 4), slice(4, 8)):
        q, k, v = (x[0, 0] @ p[f"{place}.{w}"][0][:, head] for w in ("wq", "wk", "wv"))
        parts.append((q @ k.T / 2).softmax(dim=-1) @ v)
    z = x[0, 0] + torch.cat(parts, dim=-1) @ p[f"{place}.wo"][0]
    expected = z + (z @ p["encoder.0.ff.w1"][0]).relu() @ p["encoder.0.ff.w2"][0]
    torch.testing.assert_close(encoder_blocks(p, a, x)[0, 0], expected, **EXACT)


@pytest.mark.parametrize(
    ("name", "variance"), [("self.wq", 1 / 64), ("self.wo", 1 / 64), ("ff.w1", 2 / 64), ("ff.w2", 1 / 32)]
)  # fmt: skip
def test_initial_variances(name: str, variance: float) -> None:
    entries = initial_encoder(Architecture(64, 32, 2, 4), streams(1))[f"encoder.1.{name}"]
    count = entries.numel()
    low, high = (float(stats.chi2.ppf(q, count)) / count for q in (5e-10, 1 - 5e-10))
    assert low < float(entries.square().mean()) / variance < high


def test_positions_by_hand() -> None:
    rates = [1.0, 1e-2]
    expected = [[f(place * r) for r in rates for f in (math.sin, math.cos)] for place in range(3)]
    torch.testing.assert_close(
        positions(3, 4), torch.tensor(expected, dtype=torch.float64), **EXACT
    )


def test_rezero_starts_as_the_identity() -> None:
    a, _ = prepared("ReZero", 2, Plan(width=8, hidden=8, heads=2))
    x = torch.randn(1, 1, 3, 8, dtype=torch.float64)
    torch.testing.assert_close(encoder_blocks(initial_encoder(a, streams(1)), a, x), x)


def test_fixup_scales_branches_and_embeddings() -> None:
    plain, fixed = (small_model(replace(SMALL, norm="none", fixup=f)) for f in (False, True))
    inner, outer = 0.67 * 2**-0.25, 18**-0.25
    scales = {
        "encoder.0.self.wv": inner, "encoder.1.ff.w1": inner, "encoder.0.self.wq": 1.0,
        "decoder.0.cross.wo": outer, "decoder.1.ff.w2": outer, "source": outer,
    }  # fmt: skip
    for name, scale in scales.items():
        torch.testing.assert_close(fixed[name], scale * plain[name], **EXACT)


def test_width_that_does_not_fit_the_heads_is_refused() -> None:
    with pytest.raises(ValueError, match=r"width = 9: .* heads = 4"):
        Architecture(width=9, heads=4)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_decoder_does_not_look_ahead(norm: str) -> None:
    a = replace(SMALL, norm=norm)  # type: ignore[arg-type]
    p = small_model(a)
    source, target = torch.randint(4, 9, (2, 3, 5)), torch.randint(4, 7, (2, 3, 6))
    absent = torch.zeros_like(source, dtype=torch.bool)
    memory = encode(p, a, source, absent)
    changed = target.clone()
    changed[..., 4:] = 4 + (changed[..., 4:] - 3) % 3
    assert (changed[..., 4:] != target[..., 4:]).all()
    first, second = (decode(p, a, t, memory, absent) for t in (target, changed))
    torch.testing.assert_close(first[:, :, :4], second[:, :, :4], **EXACT)
    assert not torch.allclose(first[:, :, 4], second[:, :, 4])


def test_padding_changes_nothing() -> None:
    p = small_model()
    source, target = torch.randint(4, 9, (2, 3, 5)), torch.randint(4, 7, (2, 3, 6))
    longer = torch.nn.functional.pad(source, (0, 2), value=PAD)

    def scores(words: torch.Tensor) -> torch.Tensor:
        absent = words == PAD
        return decode(p, SMALL, target, encode(p, SMALL, words, absent), absent)

    torch.testing.assert_close(scores(source), scores(longer), **EXACT)


def test_runs_do_not_see_each_other() -> None:
    both, alone = small_model(runs=2), small_model(runs=1)
    words = torch.randint(4, 9, (2, 3, 5))
    absent = torch.zeros_like(words, dtype=torch.bool)
    first = encode(both, SMALL, words, absent)[:1]
    torch.testing.assert_close(first, encode(alone, SMALL, words[:1], absent[:1]), **EXACT)


def test_dropout_keeps_the_mean() -> None:
    noise = Noise(generator(0, "noise"), general=0.25)
    kept = noise.drop(torch.ones(2**16, dtype=torch.float64), 0.25)
    assert set(kept.unique().tolist()) == {0.0, 1 / 0.75}
    low, high = stats.binom.ppf([5e-10, 1 - 5e-10], kept.numel(), 0.75)
    assert low <= float((kept > 0).sum()) <= high


# Signals ------------------------------------------------------------------------------------------


def test_mean_cosine_by_hand() -> None:
    x = torch.tensor([[[2.0, 0], [3, 0], [0, 1]], [[1, 0], [-5, 0], [7, 7]]]).double()
    torch.testing.assert_close(mean_cosine(x)[0], torch.tensor(1 / 3, dtype=torch.float64), **EXACT)
    absent = torch.tensor([[False, False, True]] * 2)
    torch.testing.assert_close(mean_cosine(x, absent), torch.tensor([1.0, -1.0]).double(), **EXACT)


def test_profile_gradients_are_those_of_the_loss() -> None:
    """Queries and keys of the first layer, by finite differences of the loss written out anew."""
    a = Architecture(4, 8, heads=1, blocks=2, norm="post")
    found = profile_at_initialisation(a, 3, streams(1))
    rng = streams(1)[0]
    p = initial_encoder(a, [rng])
    x, target = (torch.randn(1, 1, 3, 4, generator=rng, dtype=torch.float64) for _ in range(2))
    x = x + positions(3, 4)

    def loss() -> float:
        return float((encoder_blocks(p, a, x) - target).square().sum() / (2 * 3 * 4))

    total, step = 0.0, 1e-5
    for name, place in itertools.product(("wq", "wk"), range(16)):
        entry = p[f"encoder.0.self.{name}"].view(-1)[place : place + 1]
        entry += step
        above = loss()
        entry -= 2 * step
        total += ((above - loss()) / (2 * step)) ** 2
        entry += step
    # Central differences err by about step^2 third derivatives plus rounding/step: 1e-8 here.
    assert float(found["queries"][0, 0]) == pytest.approx(math.sqrt(total), abs=1e-6)


def test_profile_does_not_depend_on_how_runs_are_batched() -> None:
    together, apart = (
        profile_at_initialisation(SMALL, 4, streams(5), at_once=size) for size in (5, 2)
    )
    for name, value in together.items():
        torch.testing.assert_close(value, apart[name], rtol=1e-9, atol=1e-12)


# Trends -------------------------------------------------------------------------------------------


def test_intervals_cover_as_often_as_they_say() -> None:
    samples = torch.randn(1000, 40, generator=generator(0, "cover"), dtype=torch.float64) + 3
    found = [mean_and_reach(s, 0.05) for s in samples]
    missed = sum(not abs(mean - 3) <= reach for mean, reach in found)
    low, high = stats.binom.ppf([5e-10, 1 - 5e-10], 1000, 0.05)
    assert low <= missed <= high


def test_a_run_that_diverged_decides_nothing() -> None:
    samples = torch.arange(64.0, dtype=torch.float64)
    samples[3] = torch.nan
    with pytest.raises(ArithmeticError, match="nan"):
        mean_and_reach(samples)


def test_few_runs_give_no_interval() -> None:
    with pytest.raises(ValueError, match="8 runs"):
        mean_and_reach(torch.arange(8.0))


# Decoding -----------------------------------------------------------------------------------------


def test_greedy_search_takes_the_best_word_each_time() -> None:
    p, source = small_model(), torch.randint(4, 9, (2, 3, 4))
    absent = source == PAD
    memory, said = encode(p, SMALL, source, absent), torch.full((2, 3, 1), BEGIN)
    found = decoding.translate(p, SMALL, source)
    for place in range(found.shape[-1]):
        scores = decode(p, SMALL, said, memory, absent)[:, :, -1]
        scores[..., [PAD, BEGIN]] = -torch.inf
        done = (said == END).any(dim=-1)
        word = scores.argmax(dim=-1)
        assert torch.equal(found[..., place], torch.where(done, PAD, word))
        said = torch.cat((said, word.unsqueeze(-1)), dim=-1)


def test_wide_beam_finds_the_best_of_all_sentences(monkeypatch) -> None:
    monkeypatch.setattr(decoding, "EXTRA", 0)  # one source word: at most two words
    words = 6
    p, source = small_model(runs=1, words=(9, words)), torch.tensor([[[5]]])
    absent = source == PAD
    memory = encode(p, SMALL, source, absent)
    best, winner = -math.inf, ()
    allowed = [w for w in range(words) if w not in (PAD, BEGIN)]
    for sentence in [(END,), *((w, v) for w in allowed if w != END for v in allowed)]:
        target = torch.tensor([[[BEGIN, *sentence]]])
        logs = decode(p, SMALL, target[..., :-1], memory, absent).log_softmax(dim=-1)[0, 0]
        mean = sum(float(logs[i, w]) for i, w in enumerate(sentence)) / len(sentence)
        best, winner = max((best, winner), (mean, sentence))
    found = decoding.translate(p, SMALL, source, beam=len(allowed) ** 2)
    assert tuple(w for w in found[0, 0].tolist() if w != PAD) == winner


# Training -----------------------------------------------------------------------------------------


def test_smoothed_loss_by_hand() -> None:
    scores = torch.randn(2, 1, 3, 5, dtype=torch.float64)
    wanted = torch.tensor([[[1, 4, PAD]], [[2, PAD, PAD]]])
    logs = scores.log_softmax(dim=-1)
    words = [[(0, 1), (1, 4)], [(0, 2)]]
    expected = [
        sum(-0.9 * logs[r, 0, i, w] - 0.1 * logs[r, 0, i].mean() for i, w in run) / len(run)
        for r, run in enumerate(words)
    ]
    torch.testing.assert_close(smoothed_loss(scores, wanted, 0.1), torch.stack(expected), **EXACT)


def tiny_training(name: str, runs: int, steps: int, seed: int = 0) -> list[torch.Tensor]:
    """Losses (runs) of each step; the first is at initialisation, on the first batch."""
    plan = Plan(8, 16, 2, steps=steps, sentences=8, adam_rate=0.01, sgd_rate=0.05, warmup=5)
    corpus = generated(0, 60, 10)
    a, optimiser = prepared(name, 1, plan)
    streams = run_streams(seed, name, runs)
    states = train(corpus, a, optimiser, plan, streams, tempered=METHODS[name].tempered)
    return [state.loss for state in states][1:]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_lowers_the_loss(name: str) -> None:
    losses = tiny_training(name, runs=32, steps=40)
    assert sum(mean_and_reach((losses[-1] - losses[0]).double())) < 0


def test_reversal_lowers_the_loss() -> None:
    a = replace(PRINTED, blocks=1)
    states = reverse(a, Reversal(length=3, batch=8), ADAM, streams(32), steps=40)
    losses = [state.loss for state in states]
    assert sum(mean_and_reach((losses[-1] - losses[0]).double())) < 0


def test_same_seed_same_training_other_seed_another() -> None:
    first, again, other = (tiny_training("Adam PRE-LN", 2, 3, seed) for seed in (0, 0, 1))
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first[-1], other[-1])
    assert not torch.equal(first[-1][0], first[-1][1]), "runs of one seed must differ"


def test_tempered_runs_warm_their_temperature_up() -> None:
    plan = Plan(8, 8, 2, steps=4, sentences=2, temperature=6.0, temperature_warmup=3)
    a, optimiser = prepared("SGD temperature", 1, plan)
    states = train(generated(0, 12, 2), a, optimiser, plan, streams(1), tempered=True)
    assert [state.tau for state in states] == [1.0, 2.0, 4.0, 6.0, 6.0]


@pytest.mark.parametrize(("width", "threads"), [(32, 1), (512, 2)])
def test_small_models_train_on_one_thread(width: int, threads: int) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        measure = on_few_threads(lambda settings: torch.get_num_threads())
        assert measure(Settings({"width": width})) == threads
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


# Corpora as numbers -------------------------------------------------------------------------------


def test_vocabulary_leaves_out_what_is_rare() -> None:
    words = Vocabulary.of([("b", "a", "b"), ("c", "b", "a")], least=2)
    assert words.words[4:] == ("b", "a")
    assert words.sentence([BEGIN, *words.numbers(("a", "c", "b")), END, 4]) == ("a", "<unk>", "b")


def test_generated_pairs_are_different_and_held_out() -> None:
    corpus = generated(3, 50, 20)
    assert (len(corpus.train), len(corpus.valid)) == (50, 20)
    assert len({*corpus.train, *corpus.valid}) == 70
    assert corpus == generated(3, 50, 20) != generated(4, 50, 20)


def test_batches_are_trimmed_to_their_longest_sentence() -> None:
    sources = torch.tensor([[5, END, PAD, PAD]] * 3)
    batch, _ = Batches(sources, sources, 2).draw(streams(2))
    assert batch.tolist() == [[[5, END]] * 2] * 2
