"""Charts of the variables of this paper: numbers up to a bound."""

from __future__ import annotations

from claims.im2026.boxes import UpTo
from numeric.charts import charted, real

charted(UpTo)(real)
