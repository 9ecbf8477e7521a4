r"""Optimisers and schedules of the training runs, as Table 3 of Noci et al. (2022) prints them.

Steps count from one.  Weight decay is decoupled (Loshchilov and Hutter, 2017); for plain SGD that is
the same as a decay in the gradient.  The printed temperature schedule,
tau_final max(1, step/warmup), is a misprint for the minimum, which is what is used here.
Written out, since the effective learning rates of Adam are what one of the figures shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

__all__ = ["Optimiser", "Updates", "learning_rate", "temperature"]

WARM_UP_FROM = 1e-7
"""Adam's learning rate before its warm-up (Table 3)."""
DROP = 0.1
"""Factor of the step scheduler, at each of DROPS (Table 3; Sec. 3.4)."""
DROPS = (0.4, 0.8)
EPSILON = 1e-8
"""Added to sqrt(v) in Adam, as Kingma and Ba (2014) do."""


@dataclass(frozen=True)
class Optimiser:
    """Adam or SGD with a schedule: "constant", "inverse sqrt" after a warm-up, or "step"."""

    kind: Literal["adam", "sgd"]
    rate: float
    schedule: Literal["constant", "inverse sqrt", "step"] = "constant"
    warmup: int = 0
    betas: tuple[float, float] = (0.9, 0.98)
    decay: float = 0.0


def learning_rate(optimiser: Optimiser, step: int, steps: int) -> float:
    """The learning rate of one of `steps` steps.

    >>> adam = Optimiser("adam", 1.0, "inverse sqrt", warmup=4)
    >>> [round(learning_rate(adam, step, 100), 3) for step in (1, 2, 4, 16, 64)]
    [0.25, 0.5, 1.0, 0.5, 0.25]
    >>> [round(learning_rate(Optimiser("sgd", 1.0, "step"), s, 10), 3) for s in (1, 4, 5, 8, 9)]
    [1.0, 1.0, 0.1, 0.1, 0.01]
    """
    if optimiser.schedule == "step":
        return optimiser.rate * DROP ** sum(step > share * steps for share in DROPS)
    if step < optimiser.warmup:
        return WARM_UP_FROM + (optimiser.rate - WARM_UP_FROM) * step / optimiser.warmup
    if optimiser.schedule == "inverse sqrt":
        return optimiser.rate * (max(optimiser.warmup, 1) / step) ** 0.5
    return optimiser.rate


def temperature(step: int, final: float, warmup: int) -> float:
    """The inverse temperature of a step: linear up to `final` at step `warmup`, then constant.

    >>> [temperature(step, 8.5, 1000) for step in (500, 1000, 5000)]
    [4.25, 8.5, 8.5]
    """
    return final * min(1.0, step / warmup)


class Updates:
    """The updates of a list of parameters; Adam's moments without their bias towards zero."""

    def __init__(self, optimiser: Optimiser, parameters: Sequence[Tensor]):
        self.optimiser, self.parameters, self.step = optimiser, list(parameters), 0
        self.first = [torch.zeros_like(p) for p in self.parameters]
        self.second = [torch.zeros_like(p) for p in self.parameters]

    @torch.no_grad()
    def take(self, gradients: Sequence[Tensor], rate: float) -> None:
        """Move every parameter by one step of learning rate `rate`."""
        self.step += 1
        slopes = moved = list(gradients)
        if self.optimiser.kind == "adam":
            beta1, beta2 = self.optimiser.betas
            torch._foreach_lerp_(self.first, slopes, 1 - beta1)
            torch._foreach_mul_(self.second, beta2)
            torch._foreach_addcmul_(self.second, slopes, slopes, value=1 - beta2)
            below = torch._foreach_sqrt(torch._foreach_div(self.second, 1 - beta2**self.step))
            torch._foreach_add_(below, EPSILON)
            unbiased = torch._foreach_div(self.first, 1 - beta1**self.step)
            moved = list(torch._foreach_div(unbiased, below))
        torch._foreach_mul_(self.parameters, 1 - rate * self.optimiser.decay)
        torch._foreach_add_(self.parameters, moved, alpha=-rate)

    def effective_rates(self, parameter: Tensor, rate: float) -> Tensor:
        """rate / (sqrt(v) + eps) of Adam, entry by entry of one of the parameters."""
        place = next(i for i, p in enumerate(self.parameters) if p is parameter)
        second = self.second[place] / (1 - self.optimiser.betas[1] ** self.step)
        return rate / (second.sqrt() + EPSILON)
