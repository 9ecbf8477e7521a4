"""Proofs of Lemma 3.1 and its surroundings, by the product rule and traces of words."""

from __future__ import annotations

