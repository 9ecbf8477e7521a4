r"""Layers of exponential variables, one infinite table for each, and Gaussian weights beside them."""

from __future__ import annotations

from typing import Any

from sympy import Integer

from claims.domain import Condition
from claims.iid_tables import Tables
from claims.naitsaada2025.markov_layers import Chain, MarkovLayers, Weights, n
from claims.naitsaada2025.products import growth
from claims.statement import Quantity

__all__ = ["GAUSSIAN", "LAYERS", "LIGHT", "SURE", "behind"]

fourth_moment = Quantity(r"\mathbb E\,Z_{11}^4", lambda at: Integer(24))
LAYERS = MarkovLayers(Tables("Z", Integer(1), Integer(1), fourth_moment))
GAUSSIAN = Weights(LAYERS, growth)
LIGHT = Condition.of(LAYERS.tables.light)
SURE: Any = {"of": LAYERS.tables, "index": n}


def behind(count: Any, mark: str) -> Chain:
    r"""Products of attention before $W_1\cdots W_q$."""
    return Chain(LAYERS, lambda size, i, k: GAUSSIAN.product(count - 1, size, i, k), growth, mark)
