"""Random stacks of attention, language models from their configurations, and what users may give."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest
import torch

from audit.figures import as_csv, check_table, picture
from claims.errors import UserError
from claims.masks import MaskError, complete
from claims.wu2024.attention_stacks import FROM_GLOBAL_TO_LOCAL
from numeric.figures import Settings, figure_of
from numeric.sampling import generator
from numeric.wu2024 import figures_models, figures_stacks  # noqa: F401  (they register figures)
from numeric.wu2024.initial_tokens import STD
from numeric.wu2024.language_models import Sizes, built, loaded, random_words, words_of_file
from numeric.wu2024.layers import mu, support_of
from numeric.wu2024.stacks import (
    FULL,
    KINDS,
    NO_FILE,
    SAN,
    Stack,
    bert_norm,
    deviations_along,
    draw_kept,
    draw_tokens,
    draw_weights,
    mask_of,
    masks_of,
    relative_mu,
    supports_of,
    tokens_along,
)

MODEL_FIGURES = ("wu2024.fig-4.token-geometry", "wu2024.fig-9.initial-cosines")
SMALL = Sizes(width=12, heads=2, layers=2, vocabulary=40, positions=16)


def drawn(kind: str, *, temperature: float = 1.0, layers: int = 2):
    stack = Stack(12, 2, layers, kind, temperature)
    tokens = draw_tokens(generator(0, "tokens"), 3, 5, 12)
    return stack, tokens, lambda t: draw_weights(generator(0, t), stack)


# Stacks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_several_masks_at_once_are_the_masks_one_by_one(kind: str) -> None:
    stack, tokens, weights = drawn(kind)
    chosen = masks_of(("complete", "causal", "sliding", "one-directional"), NO_FILE, 5)
    together = list(tokens_along(stack, tokens, supports_of(chosen), weights))
    for place, mask in enumerate(chosen):
        alone = list(tokens_along(stack, tokens, support_of(mask), weights))
        for a, b in zip(together, alone, strict=True):
            torch.testing.assert_close(a[place], b)


def test_transformer_is_the_library_s_bert_layer() -> None:
    pytest.importorskip("transformers", reason="needs the extra 'models'")
    bert = built("BERT", SMALL, seed=0)
    words = random_words(0, 3, 5, SMALL.vocabulary)
    expected = bert.tokens_along(words)
    names = {
        "Q": "attention.self.query", "K": "attention.self.key", "V": "attention.self.value",
        "O": "attention.output.dense", "up": "intermediate.dense", "down": "output.dense",
    }  # fmt: skip

    def weights(t: int) -> dict[str, torch.Tensor]:
        layer = bert.network.encoder.layer[t]
        return {key: layer.get_submodule(name).weight.T for key, name in names.items()}

    found = tokens_along(Stack(12, 2, 2, FULL), expected[0], support_of(complete(5)), weights)
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("temperature", [0.01, 1.0])
def test_deviations_are_those_of_the_tokens_while_float64_sees_them(temperature: float) -> None:
    stack, tokens, weights = drawn(SAN, temperature=temperature)
    apart = deviations_along(stack, tokens, weights)
    along = tokens_along(stack, tokens, support_of(complete(5)), weights)
    for deviation, x in zip(apart, along, strict=True):
        rounding = 1e3 * torch.finfo(x.dtype).eps * float(x.norm())
        torch.testing.assert_close(
            deviation, x - x.mean(dim=-2, keepdim=True), atol=rounding, rtol=0
        )


def test_distance_cubes_from_layer_to_layer_with_complete_attention() -> None:
    """u_ij is bilinear in deviations: one layer maps s D to s^3 times the same, for small s."""
    stack, tokens, weights = drawn(SAN, layers=1)
    mean = tokens.mean(dim=-2, keepdim=True)
    norms = []
    for scale in (1e-3, 1e-4):
        *_, last = deviations_along(stack, mean + scale * (tokens - mean), weights)
        norms.append(float(mu(last).mean()))
    assert norms[0] / norms[1] == pytest.approx(1e3, rel=0.02)


def test_relative_distance_does_not_see_scale() -> None:
    tokens = draw_tokens(generator(0, "tokens"), 2, 4, 6)
    torch.testing.assert_close(relative_mu(3 * tokens), relative_mu(tokens))
    assert float(relative_mu(torch.ones(1, 4, 6))) == 0


def test_printed_setting_collapses_with_layernorm_and_complete_attention() -> None:
    """N = 128, 768 features, 12 heads: two layers of SAN + LayerNorm suffice to see it."""
    stack = Stack(768, 12, 2, "SAN + LayerNorm")
    tokens = draw_tokens(generator(0, "printed"), 1, 128, 768)
    along = tokens_along(
        stack, tokens, support_of(complete(128)), lambda t: draw_weights(generator(0, t), stack)
    )
    *_, last = along
    assert float(relative_mu(last)) < 1e-5


def test_claims_are_measured_from_global_to_local() -> None:
    assert [mask.name for mask in FROM_GLOBAL_TO_LOCAL] == [
        "complete", "causal", "sliding", "one-directional",
    ]  # fmt: skip


# What users may give -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("1 1\n2 2\n3 3\n1 2\n", "not connected"),
        ("1 1\n2 2\n1 2\n2 3\n", "token 3 does not attend to itself; add the line `3 3`"),
        ("1 x\n", "line 1"),
    ],
)
def test_unusable_masks_say_what_to_mend(tmp_path: Path, text: str, fragment: str) -> None:
    file = tmp_path / "mine.txt"
    file.write_text(text)
    with pytest.raises(MaskError, match=fragment):
        masks_of(("complete",), str(file), 5)


def test_a_user_s_mask_sets_the_number_of_tokens(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("1 1\n2 2\n3 3\n1 2\n2 3\n")
    figure = figure_of("wu2024.fig-2.masks-and-layernorm")
    settings = {**figure.settings, **figure.tiny, "mask": str(file), "masks": ("causal",)}
    rows = figure.measure(Settings(settings))
    assert {row["mask"] for row in rows} == {"causal", "mine"}


def test_masks_models_and_sizes_are_checked() -> None:
    stack, tokens, weights = drawn(SAN)
    with pytest.raises(MaskError, match="a mask of 4 tokens, but sequences of 5"):
        list(tokens_along(stack, tokens, support_of(complete(4)), weights))
    with pytest.raises(MaskError, match="must be one of complete"):
        mask_of("dense", 4)
    with pytest.raises(UserError, match="multiple of heads=5"):
        Stack(12, 5, 1)
    with pytest.raises(UserError, match="must be one of SAN"):
        Stack(12, 2, 1, "RNN")
    with pytest.raises(UserError, match="must be positive"):
        Stack(12, 2, 1, temperature=0.0)
    with pytest.raises(UserError, match=r"dropout=1.0: must be at least 0 and less than 1"):
        Stack(12, 2, 1, dropout=1.0)


def test_dropout_keeps_the_mean_and_moves_equal_tokens_apart() -> None:
    stack = Stack(12, 2, 1, dropout=0.25)
    tokens, weights = torch.ones(1, 5, 12, dtype=torch.float64), draw_weights(generator(0), stack)
    (plain,) = list(tokens_along(stack, tokens, support_of(complete(5)), lambda t: weights))[1:]
    kept = draw_kept(generator(1), stack, 5, 4000)
    assert {float(value) for value in kept["kept attention"].unique()} == {0.0, 1 / 0.75}
    (noisy,) = list(tokens_along(stack, tokens, support_of(complete(5)), lambda t: weights | kept))[
        1:
    ]
    error = noisy.std(dim=0) / math.sqrt(4000)
    assert bool(((noisy.mean(dim=0) - plain[0]).abs() < 5 * error).all())
    assert float(mu(plain)) < 1e-12 < 0.1 * float(mu(noisy).min())


def test_missing_extra_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(UserError, match=r"pip install 'twofold\[models\]'"):
        built("BERT", SMALL, seed=0)


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        (b"", "is empty"),
        (b"\n  \n", "is empty"),
        (b"a b c d\n\na b\n", "line 3: 2 words; must have at least 4, or set tokens=2"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (" ".join(f"w{k}" for k in range(50)).encode(), "set vocabulary=54"),
    ],
)
def test_unusable_text_is_named(tmp_path: Path, content: bytes, fragment: str) -> None:
    pytest.importorskip("transformers", reason="needs the extra 'models'")
    file = tmp_path / "text.txt"
    file.write_bytes(content)
    size = 50 if b"w49" in content else 4
    with pytest.raises(UserError, match=fragment):
        words_of_file(file, 9, size, built("BERT", SMALL, seed=0))


# Language models -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["BERT", "GPT2", "T5", "ALBERT"])
def test_models_are_random_but_reproducible(name: str) -> None:
    pytest.importorskip("transformers", reason="needs the extra 'models'")
    words = random_words(0, 2, 5, SMALL.vocabulary)
    state = torch.get_rng_state()
    one, again, other = (built(name, SMALL, seed).tokens_along(words) for seed in (0, 0, 1))
    assert torch.equal(state, torch.get_rng_state()), "the global stream was touched"
    assert len(one) == SMALL.layers + 1 and one[0].shape == (2, 5, SMALL.width)
    assert torch.equal(one[-1], again[-1]) and not torch.equal(one[-1], other[-1])


@pytest.mark.parametrize("name", ["BERT", "ALBERT"])
def test_initial_embeddings_are_normalised_sums_of_three(name: str) -> None:
    """The claim's estimator draws word, position and type with one scale; the library does too."""
    pytest.importorskip("transformers", reason="needs the extra 'models'")
    words = random_words(0, 2, 5, SMALL.vocabulary)
    model = built(name, SMALL, seed=0)
    tables = model.network.embeddings
    total = tables.word_embeddings(words) + tables.position_embeddings.weight[:5]
    expected = bert_norm(total + tables.token_type_embeddings.weight[0])
    if name == "ALBERT":
        expected = model.network.encoder.embedding_hidden_mapping_in(expected)
    torch.testing.assert_close(model.tokens_along(words)[0], expected)
    assert model.network.config.initializer_range == STD
    assert float(model.network.config.layer_norm_eps) == 1e-12


@pytest.mark.parametrize("figure_id", MODEL_FIGURES)
def test_figures_of_models_with_random_words_and_with_text(tmp_path: Path, figure_id: str) -> None:
    pytest.importorskip("transformers", reason="needs the extra 'models'")
    figure = figure_of(figure_id)
    file = tmp_path / "text.txt"
    file.write_text("the cat and the dog\na dog and a cat and a bird\n")
    for data in (None, file):
        settings = Settings({**figure.settings, **figure.tiny}, data=data)
        table = figure.measure(settings)
        check_table(figure, table)
        assert as_csv(table) == as_csv(figure.measure(settings)), "same seed, other data"
    assert picture(figure, settings, table).startswith(b"\x89PNG")


def test_a_saved_model_is_read_from_its_folder_and_nowhere_else(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs the extra 'models'")
    saved = built("T5", SMALL, seed=0)
    saved.network.save_pretrained(tmp_path / "mine")
    words = random_words(0, 2, 5, SMALL.vocabulary)
    again = loaded(tmp_path / "mine")
    assert again.name == "t5, mine"
    torch.testing.assert_close(again.tokens_along(words)[-1], saved.tokens_along(words)[-1])
    with pytest.raises(UserError, match=r"no config\.json there"):
        loaded(Path("bert-base-uncased"))
    (tmp_path / "mine" / "config.json").write_text("{")
    with pytest.raises(UserError, match="cannot be loaded"):
        loaded(tmp_path / "mine")


def test_bert_norm_has_mean_zero_and_variance_one() -> None:
    x = bert_norm(torch.arange(8.0, dtype=torch.float64).reshape(2, 4) ** 2)
    torch.testing.assert_close(x.mean(dim=-1), torch.zeros(2, dtype=torch.float64))
    torch.testing.assert_close(x.square().mean(dim=-1), torch.ones(2, dtype=torch.float64))
