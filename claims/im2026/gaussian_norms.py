r"""Norms of Gaussian weights (Lemmas D.11 and D.12).

For all weights but the position scores, $|V|^{1+\xi}W/v$ is a $|V|\times|V|$ matrix of independent
standard Gaussians: its squared Frobenius norm is $\chi^2$ with $|V|^2$ degrees of freedom.  The tail of
its operator norm is elementary for one word and two (`claims.operator_tail`).
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import flint
from sympy import Rational, Symbol, exp, sqrt

from claims.domain import Domain, Point, Real, Size
from claims.errors import OnlyMeasured
from claims.exact import ball, middle
from claims.im2026.boxes import WIDE
from claims.im2026.notation import T, depth, source, v, words, xi
from claims.model import Claim, Hypothesis, Understood
from claims.operator_tail import OperatorTail
from claims.statement import Quantity

__all__ = [
    "all_frobenius_norms_are_small", "all_operator_norms_are_small", "chi_square_tail",
    "frobenius_tails", "operator_tail",
]  # fmt: skip

u = Symbol("t", nonnegative=True)
BITS = 1024
"""Tails near one are told from one by probabilities as small as those of the lemmas."""


def _digits(value: Callable[[], flint.arb]) -> Decimal:
    """A number to two hundred digits."""
    with flint.ctx.workprec(BITS):
        return middle(value(), 200)


def chi_square_tail(freedom: int, threshold: Any) -> flint.arb:
    """P(chi^2 >= threshold)."""
    return (ball(threshold, {}) / 2).gamma_upper(flint.arb(freedom) / 2, 1)


def operator_tail(size: int, threshold: Any) -> flint.arb:
    """P(|G| >= a) for a square Gaussian matrix of one or two rows."""
    if size > 2:
        raise OnlyMeasured("the operator norm of a Gaussian matrix of more than two rows")
    return ball(OperatorTail(size, size, threshold), {})


def _operator(threshold: Any) -> Callable[[Point], Decimal]:
    return lambda at: _digits(lambda: operator_tail(int(at[words]), threshold.subs(at)))


def _squares(freedom: Any, threshold: Any) -> Callable[[Point], Decimal]:
    return lambda at: _digits(lambda: chi_square_tail(int(freedom.subs(at)), threshold.subs(at)))


LIMIT = 3 * words ** (Rational(1, 2) + xi)
"""3 v / |V|^(1/2) in units of the standard deviation."""


def _independent(chance: str) -> tuple[Understood, ...]:
    """What Theorem D.13 says and the lemmas do not, and with what chance they fail without."""
    return (
        Understood(
            "the entries are independent, as Theorem D.13 says and this lemma does not",
            r"all entries of $W_O$ equal to one $g\sim N(0,v^2/|V|^{2})$, $\xi=0$: its norm is $|g||V|$, above "
            f"the bound with probability {chance}",
        ),
    )


GAUSSIAN_ENTRIES = Hypothesis(r"\text{entries independent}\ N(0,v^2/|\mathcal V|^{2+2\xi})")
_scale = (Real(xi, 0), Real(v, 0, open_low=True))
_words = Size(words, 1, 3)

# Operator norms ----------------------------------------------------------------------------------

operator_exceeds = Quantity(
    r"\mathbb P\bigl(\|\tfrac{|V|^{1+\xi}}vW_O\|\ge2\sqrt{|V|}+t\bigr)",
    _operator(2 * sqrt(words) + u),
)
operator_exceeds_three = Quantity(
    r"\mathbb P\bigl(\|W_O\|\ge\tfrac{3v}{|V|^{1/2}}\bigr)", _operator(LIMIT)
)

operator_norm_of_one_matrix = Claim(
    id="im2026.eq-183",
    source=source("App. D.2", "proof of Lemma D.11, Eqs. (183)-(185)"),
    kind="probability-bound",
    title=r"The norm of a Gaussian matrix exceeds $2\sqrt{|V|}+t$ with probability at most $e^{-t^2/2}$.",
    statement=operator_exceeds.at_most(exp(-(u**2) / 2))
    & operator_exceeds_three.at_most(exp(-(words ** (1 + 2 * xi)) / 2)),
    domain=Domain((_words, *_scale, Real(u, 0))),
    hypotheses=(GAUSSIAN_ENTRIES,),
    understood=(
        Understood(r"$t\ge0$", r"$t=-2\sqrt{|V|}$: a norm is not negative, and the bound is $e^{-2|V|}$"),
    ),
    printed=(
        r"\mathbb{P}\left(\left\|\frac{|V|^{1+\xi}}{v} W_O\right\| \geq 2\sqrt{|V|} + t\right) \leq e^{-t^2/2},"
        r"\quad \mathbb{P}\left(\|W_O\| \geq \frac{3v}{|V|^{1/2}}\right) \leq \exp\left(-\frac{|V|^{1+2\xi}}{2}"
        r"\right)"
    ),
    note=(
        "The first bound is Davidson and Szarek's theorem for a square matrix, which the proof names as a "
        r"textbook fact; the second is that at $t=|V|^{1/2+\xi}\ge|V|^{1/2}$."
    ),
)  # fmt: skip

operators_stay_below = Quantity(
    r"\mathbb P\bigl(\|W_O\|,\|V^{(l)}\|,\|W^{(l)}\|,\|P^{(l)}\|\le\tfrac{3v}{|V|^{1/2}}\ \forall l\bigr)",
    lambda at: _digits(
        lambda: (
            (1 - operator_tail(int(at[words]), LIMIT.subs(at))) ** (2 * int(at[depth]) + 1)
            * (1 - chi_square_tail(int(at[T]), (LIMIT**2).subs(at))) ** int(at[depth])
        )
    ),
)
_network = Domain((_words, Size(T, 1, 3), Size(depth, 1, 3), *_scale), (WIDE,))

all_operator_norms_are_small = Claim(
    id="im2026.lemma-D.11",
    source=source("App. D.2", "Lemma D.11, Eq. (182)"),
    kind="probability-bound",
    title=r"All weights have operator norms of at most $3v/|V|^{1/2}$ at a Gaussian start.",
    statement=operators_stay_below.at_least(
        1 - (3 * depth + 1) * exp(-(words ** (1 + 2 * xi)) / 4)
    ),
    domain=_network,
    hypotheses=(GAUSSIAN_ENTRIES,),
    uses=(operator_norm_of_one_matrix,),
    understood=_independent(r"$0.89$ at $|V|=500$"),
    printed=(
        r"\|W_O\|, \|V^{(l)}\|, \|W^{(l)}\|, \|P^{(l)}\| \leq \frac{3v}{|V|^{1/2}}\ \text{ with probability at "
        r"least } 1 - (3L + 1) \exp\left(-\frac{|V|^{1+2\xi}}{4}\right)"
    ),
    note=(
        r"The proof gives $|V|^{1+2\xi}/2$ in the exponent, where the lemma has a fourth. $P^{(l)}$ is a "
        r"vector of $T\le|V|$ entries, its operator norm its length."
    ),
)

# Frobenius norms ---------------------------------------------------------------------------------

_ABOVE = 2 * words * sqrt(u) + 2 * u
_TALL = words ** (2 + 2 * xi)
squares_exceed = Quantity(
    r"\mathbb P\bigl(\|W_O\|_F^2\ge\tfrac{v^2}{|V|^{2+2\xi}}(|V|^2+2|V|\sqrt t+2t)\bigr)",
    _squares(words**2, words**2 + _ABOVE),
)
squares_exceed_three = Quantity(r"\mathbb P(\|W_O\|_F^2\ge3v^2)", _squares(words**2, 3 * _TALL))
positions_exceed = Quantity(
    r"\mathbb P\bigl(\|P^{(1)}\|_F^2\ge\tfrac{v^2}{|V|^{2+2\xi}}(T+2\sqrt{Tt}+2t)\bigr)",
    _squares(T, T + 2 * sqrt(T * u) + 2 * u),
)
positions_exceed_three = Quantity(r"\mathbb P(\|P^{(1)}\|_F^2\ge3v^2)", _squares(T, 3 * _TALL))

frobenius_tails = Claim(
    id="im2026.eq-187",
    source=source("App. D.2", "proof of Lemma D.12, Eqs. (187)-(192)"),
    kind="probability-bound",
    title=r"$\|W_O\|_F^2$ and $\|P^{(1)}\|_F^2$ exceed $3v^2$ with probability at most $e^{-|V|^{2+2\xi}/4}$.",
    statement=squares_exceed.at_most(exp(-u))
    & squares_exceed_three.at_most(exp(-_TALL / 4))
    & positions_exceed.at_most(exp(-u))
    & positions_exceed_three.at_most(exp(-_TALL / 4)),
    domain=Domain((_words, Size(T, 1, 3), *_scale, Real(u, 0)), (WIDE,)),
    hypotheses=(GAUSSIAN_ENTRIES,),
    printed=(
        r"\mathbb{P}\left(\|W_O\|_F^2 \geq \frac{v^2}{|V|^{2+2\xi}} (|V|^2 + 2|V|\sqrt{t} + 2t)\right) \leq "
        r"e^{-t},\quad \mathbb{P}\left(\|W_O\|_F^2 \geq 3v^2\right) \leq "
        r"\exp\left(-\frac{|V|^{2+2\xi}}{4}\right),\quad \mathbb{P}\left(\|P^{(1)}\|_F^2 \geq "
        r"\frac{v^2}{|V|^{2+2\xi}}(T + 2\sqrt{Tt} + 2t)\right) \leq e^{-t},\quad "
        r"\mathbb{P}\left(\|P^{(1)}\|_F^2 \geq 3v^2\right) \leq \exp\left(-\frac{|V|^{2+2\xi}}{4}\right)"
    ),
    note=(
        r"At $t=|V|^{2+2\xi}/4$ the threshold is $v^2(|V|^{-2\xi}+|V|^{-\xi}+1/2)\le\frac52v^2$. (190) to "
        "(192) print $P^{(1)}$; the union over $3L+1$ events needs every $P^{(l)}$."
    ),
)  # fmt: skip

frobenius_norms_stay_below = Quantity(
    r"\mathbb P(\|W_O\|_F,\|V^{(l)}\|_F,\|W^{(l)}\|_F,\|P^{(l)}\|_F\le2v\ \forall l)",
    lambda at: _digits(
        lambda: (
            (1 - chi_square_tail(int(at[words]) ** 2, (4 * _TALL).subs(at)))
            ** (2 * int(at[depth]) + 1)
            * (1 - chi_square_tail(int(at[T]), (4 * _TALL).subs(at))) ** int(at[depth])
        )
    ),
)

all_frobenius_norms_are_small = Claim(
    id="im2026.lemma-D.12",
    source=source("App. D.2", "Lemma D.12, Eq. (186)"),
    kind="probability-bound",
    title=r"All weights have Frobenius norms of at most $2v$ at a Gaussian start.",
    statement=frobenius_norms_stay_below.at_least(1 - (3 * depth + 1) * exp(-_TALL / 4)),
    domain=_network,
    hypotheses=(GAUSSIAN_ENTRIES,),
    uses=(frobenius_tails,),
    understood=_independent(r"$0.046$, however large $|V|$ is"),
    printed=(
        r"\|W_O\|_F, \|V^{(l)}\|_F, \|W^{(l)}\|_F, \|P^{(l)}\|_F \leq 2v\ \text{ with probability at least } "
        r"1 - (3L + 1) \exp\left(-\frac{|V|^{2+2\xi}}{4}\right)"
    ),
)
