r"""Sec. 5.2: token covariances of a GPT-NeoX model, such as Pythia, against the leading terms.

Every token is passed through the model alone.  Attention then returns its own value, and rotary
positions, at distance zero, do nothing.  $E_{pre}$, $E_{post}$ and $E_{attn}$ hold what enters a layer,
what leaves it, and what would leave it without the MLP, a row for each token.

The print leaves open what "covariance" centres; here it is $MM^\top$ with the rows of $M$ centred, or as
they are.  Two such matrices are compared without being formed:
$\langle AA^\top,BB^\top\rangle=\|A^\top B\|_F^2$.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import gelu, layer_norm, linear

from claims.errors import UserError
from numeric.im2026.checkpoints import CheckpointError, config_of, weights_of
from numeric.im2026.corpora import Statistics, statistics
from numeric.im2026.reading import pieces_of
from numeric.plain_text import CorpusError

__all__ = ["LayerRows", "Model", "compared", "covariance_cosine", "leading_rows", "tokens_of_file"]


@dataclass(frozen=True)
class LayerRows:
    """Of one layer: rows by token before and after, without the MLP, and query-key maps by head."""

    before: Tensor
    after: Tensor
    attention_only: Tensor
    heads: Tensor
    """(head, width, width): W_q^T W_k, so that scores are e A e'^T."""

    @property
    def token_scores(self) -> Tensor:
        """A_tok: the mean query-key map over heads between the rows before the layer."""
        return self.before @ self.heads.mean(0) @ self.before.mT


class Model:
    """A GPT-NeoX model by its state dict; raises `CheckpointError` where something is missing."""

    def __init__(self, weights: dict[str, Tensor], config: dict[str, Any]):
        prefix = "gpt_neox." if any(name.startswith("gpt_neox.") for name in weights) else ""
        self.weights = {
            name.removeprefix(prefix): value.double()
            for name, value in weights.items()
            if value.is_floating_point()
        }
        try:
            self.heads = int(config["num_attention_heads"])
            self.depth = int(config["num_hidden_layers"])
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"config.json: no usable {error}") from None
        self.epsilon = float(config.get("layer_norm_eps", 1e-5))
        self.parallel = bool(config.get("use_parallel_residual", True))
        if config.get("hidden_act", "gelu") != "gelu":
            raise CheckpointError(f"config.json: hidden_act={config['hidden_act']}: must be gelu")

    @classmethod
    def of_folder(cls, folder: Path) -> Model:
        weights = weights_of(folder)
        return cls(weights, config_of(folder))

    def _of(self, name: str) -> Tensor:
        if name not in self.weights:
            raise CheckpointError(f"weight {name}: missing; is this a GPT-NeoX model?")
        return self.weights[name]

    def _norm(self, place: str, rows: Tensor) -> Tensor:
        gain, bias = self._of(f"{place}.weight"), self._of(f"{place}.bias")
        return layer_norm(rows, gain.shape, gain, bias, self.epsilon)

    def _map(self, place: str, rows: Tensor) -> Tensor:
        return linear(rows, self._of(f"{place}.weight"), self.weights.get(f"{place}.bias"))

    def layers(self, tokens: Tensor) -> Iterator[LayerRows]:
        """Every layer's rows for tokens that are each a sequence by itself."""
        table = self._of("embed_in.weight")
        if int(tokens.max()) >= len(table):
            raise UserError(
                f"token {int(tokens.max())}: the model has {len(table)}; were they numbered by its tokenizer?"
            )
        rows = table[tokens]
        for place in range(self.depth):
            found = self._layer(f"layers.{place}", rows)
            yield found
            rows = found.after

    def _layer(self, place: str, rows: Tensor) -> LayerRows:
        width = rows.shape[1]
        joined = self._of(f"{place}.attention.query_key_value.weight")
        if joined.shape != (3 * width, width) or width % self.heads:
            raise CheckpointError(
                f"{place}: query_key_value has shape {tuple(joined.shape)}, which does not fit "
                f"{self.heads} heads and width {width}"
            )
        query, key, _ = joined.reshape(self.heads, 3, width // self.heads, width).unbind(1)
        read = self._map(
            f"{place}.attention.query_key_value", self._norm(f"{place}.input_layernorm", rows)
        )
        values = read.unflatten(1, (self.heads, 3, width // self.heads))[:, :, 2].flatten(1)
        mixed = rows + self._map(f"{place}.attention.dense", values)
        entering = rows if self.parallel else mixed
        inner = self._norm(f"{place}.post_attention_layernorm", entering)
        hidden = gelu(self._map(f"{place}.mlp.dense_h_to_4h", inner))
        after = mixed + self._map(f"{place}.mlp.dense_4h_to_h", hidden)
        return LayerRows(rows, after, mixed, query.mT @ key)


# Comparison ---------------------------------------------------------------------------------------


def covariance_cosine(a: Tensor, b: Tensor, centred: bool = True) -> float:
    """The cosine between A A^T and B B^T, their rows centred first or not."""
    if centred:
        a, b = (m - m.mean(1, keepdim=True) for m in (a, b))
    size = (a.mT @ a).norm() * (b.mT @ b).norm()
    return float((a.mT @ b).square().sum() / size)


def leading_rows(maps: Statistics) -> dict[str, Tensor]:
    """Q-bar and Phi^T B^T with rows of unit norm; a row of zeros stays."""
    return {
        name: rows / rows.norm(dim=1, keepdim=True).clamp(min=torch.finfo(rows.dtype).tiny)
        for name, rows in (("attention", maps.words), ("embedding", maps.value))
    }


def tokens_of_file(file: Path, words: int, length: int) -> tuple[Tensor, Tensor]:
    """Sequences of numbers below `words`, and the model's token for each number.

    The file holds a sample a line, as token numbers of the model between blanks; the `words` most
    frequent ones are kept, and stretches of `length` + 1 of them.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        samples = [[int(word) for word in line.split()] for line in lines]
    except OSError as error:
        raise CorpusError(f"{file}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise CorpusError(
            f"{file}: holds more than token numbers; give a sample a line, numbers between blanks"
        ) from None
    counts = Counter(token for sample in samples for token in sample)
    kept = sorted(counts, key=lambda token: (-counts[token], token))[:words]
    if any(token < 0 for token in kept):
        raise CorpusError(f"{file}: token {min(kept)}: must be at least 0")
    pieces = pieces_of(samples, {token: place for place, token in enumerate(kept)}, length)
    if len(kept) < 2 or not pieces:
        raise CorpusError(
            f"{file}: no {length + 1} consecutive tokens among the {len(kept)} most frequent; take a "
            "smaller length, more words, or more text"
        )
    return torch.tensor(pieces), torch.tensor(kept)


def compared(
    model: Model, sequences: Tensor, tokens: Tensor, centred: bool = True
) -> list[dict[str, Any]]:
    """Figs. 6 to 8: for every layer the cosines of attention, of its heads, and of embeddings."""
    leading = leading_rows(statistics(sequences, len(tokens)))
    table = []
    for place, rows in enumerate(model.layers(tokens), start=1):
        heads = [rows.before @ head @ rows.before.mT for head in rows.heads]
        table.append(
            {
                "layer": place,
                "attention": covariance_cosine(rows.token_scores, leading["attention"], centred),
                "embedding": covariance_cosine(rows.after, leading["embedding"], centred),
                "without_mlp": covariance_cosine(
                    rows.attention_only, leading["embedding"], centred
                ),
                "heads": [covariance_cosine(h, leading["attention"], centred) for h in heads],
            }
        )
    return table
