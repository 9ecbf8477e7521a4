"""The gradient of the values of any layer, by autograd."""

from __future__ import annotations

from claims.im2026 import layered_outputs as claims
from numeric.im2026.backpropagation import SMALL, gradient_by
from numeric.registry import directly

directly(
    claims.values_learn_from_the_output,
    claims.values_learn_from_the_output_at_first,
    reach=SMALL,
)(gradient_by("V"))
