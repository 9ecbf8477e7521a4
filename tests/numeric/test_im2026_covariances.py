"""Single tokens through GPT-NeoX models with random weights, against the library's own."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from click.testing import CliRunner
from torch import Tensor

from audit.cli import main
from claims.errors import UserError
from numeric.im2026 import covariances as pythia
from numeric.im2026.checkpoints import CheckpointError, safetensors, weights_of
from numeric.im2026.corpora import statistics
from numeric.plain_text import CorpusError

SIZES = {
    "hidden_size": 16, "num_attention_heads": 4, "num_hidden_layers": 3, "intermediate_size": 24,
    "vocab_size": 20, "layer_norm_eps": 1e-5, "hidden_act": "gelu",
}  # fmt: skip


def random_weights(seed: int = 0) -> dict[str, Tensor]:
    """A state dict of the architecture, norms and biases random too."""
    rng = torch.Generator().manual_seed(seed)
    d, inner = SIZES["hidden_size"], SIZES["intermediate_size"]
    shapes: dict[str, tuple[int, ...]] = {"embed_in.weight": (SIZES["vocab_size"], d)}  # type: ignore[dict-item]
    for place in range(int(SIZES["num_hidden_layers"])):  # type: ignore[call-overload]
        for name, rows, columns in (
            ("attention.query_key_value", 3 * d, d), ("attention.dense", d, d),  # type: ignore[operator]
            ("mlp.dense_h_to_4h", inner, d), ("mlp.dense_4h_to_h", d, inner),
        ):  # fmt: skip
            shapes[f"layers.{place}.{name}.weight"] = (rows, columns)  # type: ignore[assignment]
            shapes[f"layers.{place}.{name}.bias"] = (rows,)  # type: ignore[assignment]
        for name in ("input_layernorm", "post_attention_layernorm"):
            for end in ("weight", "bias"):
                shapes[f"layers.{place}.{name}.{end}"] = (d,)  # type: ignore[assignment]
    return {
        f"gpt_neox.{name}": torch.randn(shape, generator=rng, dtype=torch.float64)
        for name, shape in shapes.items()
    }


@pytest.mark.parametrize("parallel", [True, False])
def test_layers_are_those_of_the_library(parallel: bool) -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.GPTNeoXConfig(**SIZES, use_parallel_residual=parallel)
    library = transformers.GPTNeoXForCausalLM(config).double().eval()
    library.load_state_dict(random_weights(), strict=False)
    seen: list[Tensor] = []
    for layer in library.gpt_neox.layers:
        layer.register_forward_hook(
            lambda _, __, out: seen.append(out[0] if isinstance(out, tuple) else out)
        )
    tokens = torch.arange(20)
    with torch.no_grad():
        library(tokens[:, None])
    model = pythia.Model(library.state_dict(), {**SIZES, "use_parallel_residual": parallel})
    found = list(model.layers(tokens))
    assert len(found) == len(seen) == 3
    for own, theirs in zip(found, seen, strict=True):
        assert torch.allclose(own.after, theirs.reshape(20, 16), atol=1e-10)


def test_parts_of_a_layer() -> None:
    """Without an MLP the layer leaves what attention makes; scores are products of head maps."""
    weights = random_weights()
    for name in weights:
        if "mlp.dense_4h_to_h" in name:
            weights[name] = torch.zeros_like(weights[name])
    model = pythia.Model(weights, SIZES)
    first, second, _ = model.layers(torch.arange(20))
    assert torch.equal(first.after, first.attention_only)
    assert torch.equal(second.before, first.after)
    joined = weights["gpt_neox.layers.0.attention.query_key_value.weight"]
    query, key = joined[12:16], joined[16:20]  # of the second head, after q, k, v of the first
    wanted = (first.before[3] @ query.mT) @ (first.before[5] @ key.mT)
    assert torch.allclose(first.before[3] @ first.heads[1] @ first.before[5], wanted)
    mean = sum(first.before @ head @ first.before.mT for head in first.heads) / 4
    assert torch.allclose(first.token_scores, mean)


@pytest.mark.parametrize("centred", [True, False])
def test_cosines_are_those_of_the_covariances(centred: bool) -> None:
    rng = torch.Generator().manual_seed(1)
    a, b = (torch.randn(9, width, generator=rng, dtype=torch.float64) for width in (4, 12))
    grams = [torch.cov(m, correction=0) * m.shape[1] if centred else m @ m.mT for m in (a, b)]
    wanted = (grams[0] * grams[1]).sum() / (grams[0].norm() * grams[1].norm())
    assert pythia.covariance_cosine(a, b, centred) == pytest.approx(float(wanted))
    assert pythia.covariance_cosine(a, 3 * a, centred) == pytest.approx(1)


# Files --------------------------------------------------------------------------------------------


def as_safetensors(weights: dict[str, Tensor]) -> bytes:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, value in weights.items():
        raw = value.float().numpy().tobytes()
        header[name] = {
            "dtype": "F32", "shape": list(value.shape), "data_offsets": [len(body), len(body) + len(raw)],
        }  # fmt: skip
        body += raw
    said = json.dumps(header).encode()
    return len(said).to_bytes(8, "little") + said + body


def folder_of(tmp_path: Path, ending: str = "safetensors") -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(SIZES), encoding="utf-8")
    if ending == "bin":
        torch.save(random_weights(), folder / "pytorch_model.bin")
    else:
        (folder / "model.safetensors").write_bytes(as_safetensors(random_weights()))
    return folder


def test_reading_safetensors_as_the_library_does(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.torch")
    kept = {
        "a": torch.randn(3, 4), "b": torch.randn(5).to(torch.bfloat16), "c": torch.zeros(0, 2),
        "d": torch.arange(6).reshape(2, 3),
    }  # fmt: skip
    library.save_file(kept, tmp_path / "x.safetensors")
    found = safetensors(tmp_path / "x.safetensors")
    assert found.keys() == kept.keys()
    assert all(torch.equal(found[name], kept[name]) for name in kept)


@pytest.mark.parametrize("ending", ["safetensors", "bin"])
def test_command_compares_every_layer(tmp_path: Path, ending: str) -> None:
    drawn = Random(0)
    text = tmp_path / "tokens.txt"
    lines = (" ".join(str(drawn.randrange(20)) for _ in range(30)) for _ in range(20))
    text.write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "out.json"
    folder = folder_of(tmp_path, ending)
    words = ["covariances", str(folder), "--tokens", str(text), "--length", "6", "--json", str(out)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    layers = json.loads(out.read_text(encoding="utf-8"))["layers"]
    assert [row["layer"] for row in layers] == [1, 2, 3]
    for row in layers:
        assert len(row["heads"]) == 4
        for value in (row["attention"], row["embedding"], row["without_mlp"], *row["heads"]):
            assert 0 <= value <= 1 + 1e-12
    assert f"{layers[0]['embedding']:.4f}" in result.output


def test_model_that_follows_the_leading_terms_has_cosine_one() -> None:
    """Rows that are the leading value map itself."""
    tokens = torch.randint(6, (8, 10), generator=torch.Generator().manual_seed(0))
    rows = pythia.leading_rows(statistics(tokens, 6))
    assert torch.allclose(rows["embedding"].norm(dim=1), torch.ones(6, dtype=torch.float64))
    assert pythia.covariance_cosine(rows["embedding"], rows["embedding"]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("raw", "said"),
    [(b"", "damaged"), (b"\x08" + 7 * b"\0" + b"{}", "damaged"), (8 * b"\xff", "damaged")],
)
def test_damaged_files(tmp_path: Path, raw: bytes, said: str) -> None:
    (tmp_path / "x.safetensors").write_bytes(raw)
    with pytest.raises(CheckpointError, match=said):
        weights_of(tmp_path)


def test_offsets_beyond_the_file(tmp_path: Path) -> None:
    whole = as_safetensors({"a": torch.randn(4, 4)})
    (tmp_path / "x.safetensors").write_bytes(whole[:-8])
    with pytest.raises(CheckpointError, match="damaged"):
        weights_of(tmp_path)


def test_folders_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no such folder"):
        weights_of(tmp_path / "nothing")
    with pytest.raises(CheckpointError, match=r"no \.safetensors"):
        weights_of(tmp_path)
    (tmp_path / "x.bin").write_bytes(b"not torch")
    with pytest.raises(CheckpointError, match="no torch file"):
        weights_of(tmp_path)


def test_another_architecture_is_named() -> None:
    weights = random_weights()
    del weights["gpt_neox.layers.1.attention.dense.weight"]
    with pytest.raises(CheckpointError, match=r"layers\.1\.attention\.dense"):
        list(pythia.Model(weights, SIZES).layers(torch.arange(3)))
    with pytest.raises(CheckpointError, match="num_attention_heads"):
        pythia.Model(weights, {})
    with pytest.raises(CheckpointError, match="5 heads"):
        next(pythia.Model(weights, {**SIZES, "num_attention_heads": 5}).layers(torch.arange(3)))


def test_tokens_beyond_the_model() -> None:
    with pytest.raises(UserError, match="the model has 20"):
        next(pythia.Model(random_weights(), SIZES).layers(torch.tensor([20])))


@pytest.mark.parametrize("text", ["", "1 2 x", "1 1 1 1", "-1 -1 2 2", "1 2"])
def test_unusable_token_files(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tokens.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError):
        pythia.tokens_of_file(file, 5, 3)
