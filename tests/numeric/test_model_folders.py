"""Folders of trained models: read without running their code, refused in one line when malformed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from claims.errors import UserError
from numeric.wu2024.language_models import loaded

transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    config = transformers.BertConfig(
        vocab_size=40, hidden_size=12, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=24, max_position_embeddings=16,
    )  # fmt: skip
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "copy"))


def edit(folder: Path, **fields: object) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **fields}))


def test_a_whole_folder_is_loaded(folder: Path) -> None:
    assert loaded(folder).vocabulary == 40


@pytest.mark.parametrize("model_type", ["bert", "unheard-of"])
def test_code_in_the_folder_is_not_run(
    folder: Path, model_type: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither run nor asked about: a question would read the standard input."""
    ran = folder / "ran"
    code = f"open({str(ran)!r}, 'w')\n"
    for name in ("configuration_own.py", "modeling_own.py", "tokenization_own.py"):
        (folder / name).write_text(code)
    named = {"AutoConfig": "configuration_own.C", "AutoModel": "modeling_own.M"}
    edit(folder, model_type=model_type, auto_map=named)
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("the user was asked"))
    if model_type == "bert":
        assert loaded(folder).vocabulary == 40
    else:
        with pytest.raises(UserError, match="cannot be loaded"):
            loaded(folder)
    assert not ran.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"num_attention_heads": 0},
        {"num_attention_heads": "two"},
        {"hidden_size": 13},
        {"hidden_size": -12},
        {"num_hidden_layers": 10**9},
        {"num_hidden_layers": 4},
        {"vocab_size": 10**12},
        {"vocab_size": None},
        {"model_type": "vit"},
        {"model_type": ["bert"]},
        {"hidden_act": "__import__('os')"},
    ],
)
def test_a_malformed_configuration_is_told_in_one_line(folder: Path, fields: dict) -> None:
    edit(folder, **fields)
    with pytest.raises(UserError, match="cannot be loaded") as caught:
        loaded(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, '{"model_type": "bert"}', "null"])
def test_a_configuration_that_is_none_is_told_in_one_line(folder: Path, text: str) -> None:
    (folder / "config.json").write_text(text)
    with pytest.raises(UserError, match="cannot be loaded"):
        loaded(folder)


@pytest.mark.parametrize("content", [b"", b"junk" * 100, b"\xff" * 64])
def test_weights_that_are_none_are_told_in_one_line(folder: Path, content: bytes) -> None:
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(UserError, match="cannot be loaded"):
        loaded(folder)


def test_weights_that_lack_a_layer_are_not_made_up(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    weights.pop(next(key for key in weights if "layer.1" in key))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError, match=r"the weights lack .*layer\.1"):
        loaded(folder)
