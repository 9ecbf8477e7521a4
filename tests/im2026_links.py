r"""What stands for norms in the displays of App. D, beside these norms in networks of any weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import torch
from im2026_scenes import Scene, fro, op, row
from scipy.special import binom
from sympy import Expr, Symbol, expand_func, lambdify
from torch import Tensor

from claims.im2026.displays import TERMS
from claims.im2026.notation import T, depth, eta, s, words
from claims.statement import Quantity

Read = Callable[[Scene], Tensor | float]


@dataclass(frozen=True, eq=False)
class Link:
    """A norm, the factors in which it is bounded, and which networks are meant.

    Norms of a gradient are those of a mean over sequences: the bound is the mean of theirs.
    """

    quantity: Quantity
    left: Read
    norms: dict[Symbol, Read]
    averaged: bool = False
    when: Read = lambda of: torch.tensor(True)
    only: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.quantity.name

    @property
    def term(self) -> Expr:
        return expand_func(TERMS[self.quantity])


LINKS: list[Link] = []


def link(quantity: Quantity, left: Read, norms: dict[Symbol, Read], **more: Any) -> None:
    LINKS.append(Link(quantity, left, norms, **more))


@cache
def _evaluator(term: Expr) -> tuple[tuple[Symbol, ...], Callable[..., Any]]:
    symbols = tuple(sorted(term.free_symbols, key=str))
    return symbols, lambdify(symbols, term, [{"binomial": binom}, "numpy"], dummify=True)


def bound(of: Link, term: Expr, scene: Scene) -> Any:
    """The term at the norms of a network, for each layer, sequence and row that it speaks of."""
    symbols, evaluate = _evaluator(term)
    sizes = {
        T: scene.length,
        words: scene.words,
        depth: scene.depth,
        s: scene.steps,
        eta: scene.rate,
    }
    known = {**sizes, **{symbol: read(scene) for symbol, read in of.norms.items()}}
    found = np.asarray(evaluate(*(np.asarray(known[symbol], dtype=float) for symbol in symbols)))
    return found.mean(axis=-1) if of.averaged and found.ndim else found


def sides(of: Link, term: Expr, scene: Scene) -> tuple[Any, Any]:
    """The norm and the term where the link is meant to hold."""
    left, right = np.asarray(of.left(scene), dtype=float), bound(of, term, scene)
    left, right, meant = np.broadcast_arrays(left, right, np.asarray(of.when(scene)))
    return left[meant], right[meant]


# What networks have -------------------------------------------------------------------------------


def below(scene: Scene) -> Tensor:
    """h^(0), ..., h^(L-1)."""
    return scene.hidden[:-1]


def last(scene: Scene) -> Tensor:
    return scene.hidden[-1]


def deviation(scene: Scene) -> Tensor:
    return scene.hidden - scene.inputs


def moved(scene: Scene) -> Tensor:
    """A - A_0."""
    return scene.attention - scene.uniform


def to_uniform(scene: Scene) -> Tensor:
    return scene.shares - 1 / scene.words


def weight(name: str) -> Read:
    """Norms of the weights of each layer, one for all sequences."""
    return lambda of: op(getattr(of.weights, name))[:, None]


def error(name: str, count: str, leading: str) -> Read:
    """Norms of what weights differ from their leading terms."""

    def read(of: Scene) -> Tensor:
        gap = getattr(of.weights, name) - getattr(of, count) * getattr(of.corpus, leading)
        return (fro(gap) if gap.ndim > 2 or name == "output" else row(gap))[..., None]

    return read


output_error = error("output", "x", "bigram")
value_error = error("value", "half", "value")
word_error = error("attention", "count", "words")
position_error = error("positions", "count", "positions")


def after_a_step(gap: Callable[[Scene], Tensor]) -> Read:
    """The largest error one step later."""
    return lambda of: gap(of.after).max()


def output_slope(of: Scene) -> Tensor:
    return fro(of.slope.output + of.corpus.bigram)


def value_slope(of: Scene) -> Tensor:
    return fro(of.slope.value + of.x * of.corpus.value)


def attention_slope(of: Scene) -> Tensor:
    return fro(of.slope.attention + of.x * of.half * of.corpus.words)


def position_slope(of: Scene) -> Tensor:
    return row(of.slope.positions + of.x * of.half * of.corpus.positions)


def largest_jacobian(of: Scene) -> Tensor:
    """The largest of a row of the attention."""
    return op(of.jacobians).amax(-1)


def sensitivity_error(of: Scene) -> Tensor:
    return fro(of.sensitivity - of.leading_sensitivity)


def jacobian_error(of: Scene) -> Tensor:
    """The largest of a row."""
    return op(of.jacobians - of.uniform_jacobians).amax(-1)


def rows_of_the_prefix(rows: Tensor) -> Tensor:
    """The largest norm of rows up to each."""
    return row(rows).cummax(-1).values


def narrow(read: Callable[[Scene], Tensor], most: float) -> Read:
    """Where rows range over at most this."""
    return lambda of: read(of).amax(-1) - read(of).amin(-1) <= most


def all_narrow(read: Callable[[Scene], Tensor], most: float) -> Read:
    return lambda of: narrow(read, most)(of).all(-1)  # type: ignore[union-attr]


def own_logits(of: Scene) -> Tensor:
    """Logits of a row; the masked ones repeat the first, which leaves the range as it is."""
    masked = torch.ones(of.length, of.length, dtype=torch.bool).triu(1)
    return torch.where(masked, of.logits[..., :1], of.logits)


def places(of: Scene) -> Tensor:
    """t of each row."""
    return torch.arange(1, of.length + 1)


def own_share(of: Scene) -> Tensor:
    """What a row pays to the word that it holds itself."""
    same = of.tokens[:, :-1, None] == of.tokens[:, None, :-1]
    return (of.attention * same).sum(-1)
