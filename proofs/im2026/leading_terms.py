"""The lowest orders of all weights together: what vanishes before them, and the map that leads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from sympy import Expr, binomial

from claims.im2026 import leading_terms as claims
from claims.im2026.bigrams import bigram
from claims.im2026.boxes import leading_count
from claims.im2026.cooperation import STEPS, composed_value
from claims.im2026.leading_terms import position_entry, word_entry
from claims.im2026.notation import T, j, k, layer, m, s
from claims.im2026.series import attention, output, positions, value
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import at_places
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.im2026.bigrams import over
from proofs.im2026.contexts import divided
from proofs.im2026.counts_of_steps import factored
from proofs.im2026.late_attention import weights_begin_at_four
from proofs.im2026.leading_scores import attention_moves_by_words, positions_move_by_distances
from proofs.im2026.leading_values import (
    outputs_move_by_bigrams,
    values_begin_at_two,
    values_move_by_contexts,
)
from proofs.im2026.lowest_orders import starts_at_one
from proofs.im2026.orders import LAYER, every, no_squares, up_to
from proofs.im2026.small_starts import concluded
from proofs.kernel import Theorem, both, identity, joint, unfold
from proofs.registry import proves

PAIR, OFFSET = over(j, k), ((m, 1, T),)


@dataclass(frozen=True)
class Leading:
    """A weight's lowest order: `none(p)` says of all steps that it has no coefficient p before."""

    name: str
    entry: Callable[[int], Expr]
    order: int
    multiple: Any
    led_by: Expr
    none: Callable[[int], Theorem]
    moves: Callable[[], Theorem]
    counted: tuple[Theorem, ...] = ()

    @property
    def ranges(self) -> tuple[Any, ...]:
        """Indices of an entry."""
        return OFFSET if self.name == "P" else PAIR

    @property
    def layers(self) -> tuple[Any, ...]:
        """The range of layers; there is one output matrix."""
        return () if self.name == "W_O" else (LAYER,)

    @property
    def place(self) -> Any:
        return layer if self.layers else 1

    def _here(self, known: Theorem) -> Theorem:
        """What is known of all steps and entries, after s steps at one."""
        return at_places(known, s, *(index for index, _, _ in (*self.layers, *self.ranges)))

    def _norm(self, quantity: Any, zero: Theorem) -> Theorem:
        """A squared norm whose entries vanish."""
        none = no_squares(zero, *self.ranges)
        read = unfold(quantity, none.formula.left, STEPS, self.layers)  # type: ignore[attr-defined]
        return joint(Compare(quantity, "=", 0), read, none)

    def nothing_at(self, order: int) -> Theorem:
        """No coefficient of an order before."""
        zero = joint(Compare(self.entry(order), "=", 0), self._here(self.none(order)))
        return self._norm(claims.size_of[self.name](order, self.place), zero)

    def leads(self) -> Theorem:
        """A multiple of the map at the lowest order."""
        gap = self.entry(self.order) - self.multiple * self.led_by
        zero = joint(Compare(gap, "=", 0), self._here(self.moves()), *self.counted)
        return self._norm(
            claims.distance_of[self.name](self.order, self.place, self.multiple), zero
        )

    def in_every_layer(self) -> Theorem:
        """Both, in every layer."""
        return every(
            both(up_to(claims.order, self.order - 1, self.nothing_at), self.leads()), LAYER
        )


def outputs() -> Leading:
    """W_O = s eta B + ..."""
    return Leading(
        "W_O", lambda p: output(s, p, j, k), 1, s, bigram(j, k),
        lambda _: starts_at_one(output), outputs_move_by_bigrams,
    )  # fmt: skip


def values() -> Leading:
    """V = binom(s, 2) eta^2 Phi^T B^T + ..."""
    return Leading(
        "V", lambda p: value(s, p, layer, j, k), 2, binomial(s, 2), composed_value(j, k),
        lambda p: values_begin_at_two() if p else starts_at_one(value), values_move_by_contexts,
        (identity(binomial(s, 2), s * (s - 1) / 2),),
    )  # fmt: skip


def attentions() -> Leading:
    """W = (3 binom(s, 4) + 2 binom(s, 3)) eta^4 Q + ..."""
    return Leading(
        "W", lambda p: attention(s, p, layer, j, k), 4, leading_count, word_entry(j, k),
        lambda p: weights_begin_at_four(attention, p), attention_moves_by_words, (factored(),),
    )  # fmt: skip


def distances() -> Leading:
    """P = (3 binom(s, 4) + 2 binom(s, 3)) eta^4 Delta + ..."""
    return Leading(
        "P", lambda p: positions(s, p, layer, m), 4, leading_count, position_entry(m),
        lambda p: weights_begin_at_four(positions, p), positions_move_by_distances, (factored(),),
    )  # fmt: skip


METHOD = "lowest orders; induction over steps and layers"


@cache
def of_layers() -> tuple[Theorem, ...]:
    """Values, attention by words and attention by differences of positions, in every layer."""
    return tuple(weight.in_every_layer() for weight in (values(), attentions(), distances()))


@proves(claims.leading_terms_are_the_same_in_every_layer)
def by_induction_in_every_layer(claim: Claim) -> Certificate:
    """The lowest order of each weight of a layer."""
    return conclude(claim, divided(both(*of_layers())), method=METHOD)


@proves(claims.orders_of_the_updates)
def by_the_orders_of_gradients(claim: Claim) -> Certificate:
    """Outputs move at once, values by what outputs are, attention by both."""
    first = outputs()
    theorem = both(first.nothing_at(0), first.leads(), *of_layers())
    return conclude(claim, divided(theorem), method=METHOD)


# Theorem 4.1 --------------------------------------------------------------------------------------


@proves(claims.output_is_near_the_bigram_map)
def by_steps_of_outputs(claim: Claim) -> Certificate:
    """Each step adds the rate times a mean of rows near tokens times residuals."""
    return concluded(claim, 0)


@proves(claims.value_is_near_context_times_bigrams)
def by_steps_of_values(claim: Claim) -> Certificate:
    """Each step adds the rate times a mean of rows near shares of words times sensitivities."""
    return concluded(claim, 1)


@proves(claims.attention_is_near_the_word_map)
def by_steps_of_attention(claim: Claim) -> Certificate:
    """Each step adds the rate times a mean of scores between words."""
    return concluded(claim, 2)


@proves(claims.positions_are_near_their_map)
def by_steps_of_positions(claim: Claim) -> Certificate:
    """The same scores, by how far the positions are apart."""
    return concluded(claim, 3)
