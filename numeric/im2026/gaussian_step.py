"""Products of norms of the first step in float64."""

from __future__ import annotations

from claims.im2026 import gaussian_step
from claims.im2026.gaussian_activations import TERMS
from claims.statement import Quantity
from numeric.im2026.gaussian_activations import evaluated
from numeric.registry import measures

for quantity in filter(lambda found: isinstance(found, Quantity), vars(gaussian_step).values()):
    measures(quantity)(evaluated(TERMS[quantity]))
