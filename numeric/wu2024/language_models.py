"""Language models of Sec. 5 with random weights, built from their configurations; nothing is loaded.

BERT, GPT2, T5 (encoder) and ALBERT come from the optional extra `models`.  Weights follow each
model's own initialisation; a user's trained model is read from a local folder only.  Words are drawn
at random or come from a user's file, one sample a line; without a tokenizer beside the weights,
different words are numbered by first appearance, which under random weights is as good as any.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from claims.errors import UserError
from numeric import device
from numeric.plain_text import plain_text
from numeric.sampling import generator, stream_seed

__all__ = ["MODELS", "LanguageModel", "built", "loaded", "random_words", "words_of_file"]

FIRST_WORD = 4
"""Smaller numbers may stand for padding and other marks, whose embedding can be zero."""


class MissingExtra(UserError):
    """The optional extra is not installed."""


@dataclass(frozen=True)
class Sizes:
    """What all models have in common."""

    width: int
    heads: int
    layers: int
    vocabulary: int
    positions: int

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise UserError(
                f"width={self.width}: must be a multiple of heads={self.heads}; change one of them"
            )


def _transformers() -> Any:
    """The library, quiet and told to stay offline."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        import transformers
    except ImportError:
        raise MissingExtra(
            "language models need the library transformers; pip install 'twofold[models]'"
        ) from None
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return transformers


def _bert(library: Any, s: Sizes) -> Any:
    config = library.BertConfig(
        vocab_size=s.vocabulary, hidden_size=s.width, num_hidden_layers=s.layers,
        num_attention_heads=s.heads, intermediate_size=4 * s.width,
        max_position_embeddings=s.positions,
    )  # fmt: skip
    return library.BertModel(config, add_pooling_layer=False)


def _albert(library: Any, s: Sizes) -> Any:
    """One layer's weights for all layers; the embedding has 128 features, and a map to the width."""
    config = library.AlbertConfig(
        vocab_size=s.vocabulary, embedding_size=min(128, s.width), hidden_size=s.width,
        num_hidden_layers=s.layers, num_attention_heads=s.heads, intermediate_size=4 * s.width,
        max_position_embeddings=s.positions,
    )  # fmt: skip
    return library.AlbertModel(config, add_pooling_layer=False)


def _gpt2(library: Any, s: Sizes) -> Any:
    config = library.GPT2Config(
        vocab_size=s.vocabulary, n_embd=s.width, n_layer=s.layers, n_head=s.heads,
        n_positions=s.positions, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    return library.GPT2Model(config)


def _t5(library: Any, s: Sizes) -> Any:
    config = library.T5Config(
        vocab_size=s.vocabulary, d_model=s.width, d_kv=s.width // s.heads, d_ff=4 * s.width,
        num_layers=s.layers, num_heads=s.heads,
    )  # fmt: skip
    return library.T5EncoderModel(config)


MODELS: dict[str, Callable[[Any, Sizes], Any]] = {
    "BERT": _bert, "GPT2": _gpt2, "T5": _t5, "ALBERT": _albert,
}  # fmt: skip

TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model")
LARGEST = {"num_hidden_layers": 1000, "hidden_size": 1 << 16, "vocab_size": 1 << 22}


@dataclass(frozen=True)
class LanguageModel:
    """A model in evaluation mode, so without dropout, and its tokenizer if its folder has one."""

    name: str
    network: Any
    tokenizer: Any = None

    @property
    def vocabulary(self) -> int:
        return int(self.network.config.vocab_size)

    def tokens_along(self, words: Tensor) -> list[Tensor]:
        """X^{(0)}, ..., X^{(L)} for numbered words (samples, n), as the library reports them.

        The last is after the final layer norm in GPT2 and T5; X^{(0)} is after the embedding, in
        ALBERT after the map to the hidden width.
        """
        with torch.no_grad():
            return list(self.network(input_ids=words, output_hidden_states=True).hidden_states)


def built(name: str, sizes: Sizes, seed: int) -> LanguageModel:
    """A model with random weights in float64, the same for the same seed."""
    if name not in MODELS:
        raise UserError(f"model {name!r}: must be one of {', '.join(MODELS)}")
    library = _transformers()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(stream_seed(seed, "wu2024", "model", name))
        network = MODELS[name](library, sizes)
    return LanguageModel(name, network.double().eval())


def loaded(folder: Path) -> LanguageModel:
    """A trained model from a local folder; raises `UserError` where it holds none."""
    if not (folder / "config.json").is_file():
        raise UserError(
            f"weights={folder}: no config.json there; give the folder of a saved transformers model"
        )
    library = _transformers()
    try:
        config, network, tokenizer = _parts_of(library, folder)
    # The library meets a malformed folder with errors of every kind.
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise UserError(
            f"weights={folder}: cannot be loaded ({reason}); give the folder of a saved "
            "transformers model"
        ) from None
    return LanguageModel(f"{config.model_type}, {folder.name}", network, tokenizer)


def _parts_of(library: Any, folder: Path) -> tuple[Any, Any, Any]:
    """Configuration, network and tokenizer of a folder; no code of the folder's own is run."""
    own = {"local_files_only": True, "trust_remote_code": False}
    config = library.AutoConfig.from_pretrained(folder, **own)
    _ensure_modest(config)
    kind = library.T5EncoderModel if config.model_type == "t5" else library.AutoModel
    network, loading = kind.from_pretrained(
        folder, **own, weights_only=True, output_loading_info=True
    )
    # A pooler stands behind the last layer, which is all that is looked at.
    absent = sorted(key for key in loading["missing_keys"] if "pooler" not in key)
    if absent:
        raise ValueError(f"the weights lack {absent[0]}")
    network = network.double().eval()
    known = any((folder / file).is_file() for file in TOKENIZERS)
    tokenizer = library.AutoTokenizer.from_pretrained(folder, **own) if known else None
    first_words = torch.arange(FIRST_WORD, FIRST_WORD + 2)[None]
    LanguageModel("", network).tokens_along(first_words)  # a model of pictures stops here
    return config, network, tokenizer


def _ensure_modest(config: Any) -> None:
    """Refuse sizes that no model has: building one would not end."""
    for name, limit in LARGEST.items():
        size = getattr(config, name, 1)
        if not isinstance(size, int) or not 1 <= size <= limit:
            raise ValueError(f"config.json: {name} is {str(size)[:40]}, must be from 1 to {limit}")


# Words ---------------------------------------------------------------------------------------------


def random_words(seed: int, samples: int, size: int, vocabulary: int) -> Tensor:
    """Uniform words, different from each other within a sample, (samples, n)."""
    if vocabulary < FIRST_WORD + size:
        raise UserError(
            f"vocabulary={vocabulary}: too few for {size} different words; "
            f"give at least {FIRST_WORD + size}"
        )
    rng = generator(seed, "wu2024", "words")
    known = vocabulary - FIRST_WORD
    drawn = [torch.randperm(known, generator=rng, device=rng.device)[:size] for _ in range(samples)]
    return FIRST_WORD + torch.stack(drawn).to(device.current())


def words_of_file(file: Path, samples: int, size: int, model: LanguageModel) -> Tensor:
    """The first `size` words of the first `samples` lines, numbered, (samples at most, n).

    Raises `UserError` naming the line that is too short.
    """
    lines = lines_of(file)[:samples]
    if model.tokenizer is not None:
        numbered = [
            model.tokenizer(line, truncation=True, max_length=size)["input_ids"]
            for _, line in lines
        ]
    else:
        numbered = numbered_by_appearance([line.split() for _, line in lines], size, model)
    for (place, _), row in zip(lines, numbered, strict=True):
        if len(row) < size:
            raise UserError(
                f"{file}, line {place}: {len(row)} words; must have at least {size}, or set "
                f"tokens={len(row)}"
            )
    return torch.tensor([row[:size] for row in numbered])


def lines_of(file: Path) -> list[tuple[int, str]]:
    """Lines that are not blank, with their numbers."""
    lines = enumerate(plain_text(file, "one sample a line").split("\n"), start=1)
    return [(k, line) for k, line in lines if re.search(r"\S", line)]


def numbered_by_appearance(
    lines: Sequence[Sequence[str]], size: int, model: LanguageModel
) -> list[list[int]]:
    """Each different word gets the next number, starting behind the marks."""
    numbers: dict[str, int] = {}
    for line in lines:
        for word in line[:size]:
            numbers.setdefault(word, FIRST_WORD + len(numbers))
    if FIRST_WORD + len(numbers) > model.vocabulary:
        raise UserError(
            f"{len(numbers)} different words, but {model.name} knows "
            f"{model.vocabulary - FIRST_WORD}; set vocabulary={FIRST_WORD + len(numbers)}"
        )
    return [[numbers[word] for word in line[:size]] for line in lines]
