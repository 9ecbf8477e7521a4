r"""App. B.2, the intuition beside Fig. 12: logits of a larger range have a softmax of less entropy.

Tokens that are $s$ times as long multiply the logits by $s^2$, so that what is said of the variance of the
input is a statement about multiples of one row of logits.  Logits at a point are multiples of log 2.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, KroneckerDelta, MatrixSymbol, Symbol, exp, log, oo

from claims.definitions import softmax_at
from claims.domain import Computed, Condition, Domain, Point, Real, Scaled, Size
from claims.model import Claim, Hypothesis, Understood
from claims.noci2022.notation import n, source
from claims.noci2022.softmax import UNIT
from claims.statement import Compare, ForAll, Quantity, Tends
from claims.terms import entry, family

z = MatrixSymbol("z", n, 1)
beta = Symbol("beta", real=True)
times = Symbol("k", integer=True, nonnegative=True)


def _entropy(at: Point, factor: Any) -> Any:
    """$-\\sum_jp_j\\log p_j$ of the softmax of a multiple of the logits."""
    shares = softmax_at((factor * at[z] / UNIT).T, Integer(2))
    return -sum(p * log(p) for p in shares)


entropy = family(r"H_{{{}}}", _entropy)
scaled_entropy = Quantity(r"H_\beta", lambda at: _entropy(at, at[beta]))
NAMED = Hypothesis(
    r"H_\beta=-\textstyle\sum_jp_j\log p_j,\ p=\mathrm{softmax}(\beta z),\ z\in\mathbb R^n\ "
    r"\text{a row of logits}"
)
_PRINTED = (
    r"\text{a higher input variance causes the argument of the softmax to have a large range of values. "
    r"This in turn causes a deviation from the uniform distribution (i.e. maximum entropy), towards the "
    r"distribution of minimum entropy}"
)
_SOURCE = source("App. B.2", "beside Fig. 12")
_logits = (Size(n, 1, 4), Scaled(z, height=2, unit=UNIT))
entropy_falls_with_the_range_of_logits = Claim(
    id="noci2022.B.2.entropy",
    source=_SOURCE,
    kind="prose",
    title=r"Logits that are stretched have a softmax of less entropy, the largest being $\log n$.",
    statement=Compare(entropy(0), "=", log(n))
    & Compare(entropy(1), "<=", log(n))
    & Compare(scaled_entropy, "<=", entropy(1)),
    domain=Domain((*_logits, Real(beta, 1))),
    hypotheses=(NAMED,),
    printed=_PRINTED,
    note=(
        r"For every $z$, so that $H_\beta$ falls over all $\beta\ge0$: put $\beta z$ for $z$. A layer with "
        r"tokens $s$ times as long has $s^2$ times the logits. The slope of $H_\beta$ is "
        r"$-\beta$ times the variance of the logits under $p$. That it tends to the least entropy is "
        r"`noci2022.B.2.dirac`."
    ),
)

top = Symbol("m", integer=True, positive=True)
gap = Symbol("g", positive=True)
_place = Symbol("j", integer=True)


def _top(at: Point) -> Integer:
    """The place of a largest logit."""
    logits = list(at[z] / UNIT)
    return Integer(logits.index(max(logits)) + 1)


def _gap(at: Point) -> Any:
    """By how much it exceeds the others; one where there are none."""
    *others, largest = sorted(at[z] / UNIT)
    return (largest - others[-1]) * UNIT if others else Integer(1)


BELOW = ForAll(
    _place, 1, n,
    Compare(entry(z)(_place, 1) + gap * (1 - KroneckerDelta(_place, top)), "<=", entry(z)(top, 1)),
)  # fmt: skip
"""Each logit but the largest is below it by the gap."""
INSIDE = Compare(top, "<=", n)


def left(factor: Any) -> Any:
    """What may be left of the entropy."""
    return (n - 1) * (1 + factor * gap) * exp(-factor * gap)


_within = ForAll(
    times, 0, oo,
    Compare(0, "<=", entropy(times)) & Compare(entropy(times), "<=", left(times)),
)  # fmt: skip
softmax_of_large_logits_is_a_dirac = Claim(
    id="noci2022.B.2.dirac",
    source=_SOURCE,
    kind="prose",
    title="Logits that are stretched without end have a softmax of entropy zero, where one is largest.",
    statement=_within & Tends(entropy(times), times, Integer(0)),
    domain=Domain(
        (
            *_logits,
            Computed(top, _top, known=(Compare(top, ">=", 1), INSIDE)),
            Computed(gap, _gap, known=(BELOW,)),
        ),
        (Condition.of(Compare(gap, ">", 0)),),
    ),
    hypotheses=(NAMED, Hypothesis(r"z_m\ \text{the largest logit}")),
    uses=(entropy_falls_with_the_range_of_logits,),
    understood=(
        Understood(
            "One logit of the row is larger than the others, with probability one for distinct tokens, none "
            "of them zero, and weights with a density.",
            r"$n=2$, $z=(0,0)$, of two equal tokens or of a zero token: $H_\beta=\log2$ for every $\beta$.",
        ),
    ),
    printed=_PRINTED + r"\text{ (a Delta Dirac, corresponding to attending to only one token)}",
    note=(
        r"The bound is ours: it says how fast the limit is reached, and is nearly an equality for two logits "
        r"far apart. Between integers the entropy falls (`noci2022.B.2.entropy`), so that they are enough. "
        r"Where $r$ logits are equal and largest, the limit is $\log r$."
    ),
)
