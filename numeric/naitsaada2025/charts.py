"""Charts of the variables of this paper: tables of weights."""

from __future__ import annotations

from claims.naitsaada2025.markov import Weights
from numeric.charts import charted, row_weights

charted(Weights)(row_weights)
