r"""Activations, attention and output before the first step from a Gaussian start (Eqs. (199)-(205)).

The displays bound products of norms: the norms are variables, each at most what Eqs. (197)-(198) or
an earlier display say of it.  At $v=\eta^2/T^2$ every operator norm is at most `START`.
"""

from __future__ import annotations

from typing import Any

from sympy import E, Integer, Rational, Symbol, exp, sqrt

from claims.domain import Domain, Point, Real, Size
from claims.im2026.boxes import GAUSSIAN, UpTo, norm
from claims.im2026.displays import at_ends, chained, in_norms, normed, spelled
from claims.im2026.layered_activations import (
    TWO_WORDS,
    deviation_grows_by_the_longest_row,
    longest_row_grows,
    one_weight_against_the_others,
    row_of_two_words,
)
from claims.im2026.notation import T, depth, eta, source, words
from claims.model import Claim, Hypothesis, Understood
from claims.statement import Compare

__all__ = ["EVENT", "PROBES", "ROW", "START", "far", "output_is_small"]

START = 3 * eta**2 / (T**2 * sqrt(words))
"""Operator norms at the start, Eq. (197)."""
ROW = 1 + eta ** Rational(7, 2) / 2
"""Rows of hidden states, Eq. (202)."""
EVENT = Hypothesis(
    r"v=\eta^2/T^2,\ \text{and the bounds of Lemmas D.11 and D.12 hold: Eqs. (197) and (198)}"
)


def at_sizes(*sizes: int) -> Point:
    """The point of T, |V|, L, 1/eta."""
    length, vocabulary, layers, inverse = map(Integer, sizes)
    return {T: length, words: vocabulary, depth: layers, eta: 1 / inverse}


PROBES = ((60, 500, 1, 60), (60, 10**6, 1, 13), (500, 500, 5, 500), (500, 500, 5, 60),
          (10**6, 10**6, 250, 10**6), (10**6, 10**6, 250, 3000))  # fmt: skip
"""T, |V|, L, 1/eta at and between the corners of the box."""


def far(*bounds: tuple[Symbol, Any]) -> tuple[Point, ...]:
    """The probes, with every norm at its bound."""
    domain = normed(GAUSSIAN, *bounds)
    return tuple(at_ends(domain, at_sizes(*sizes)) for sizes in PROBES)


value, row, attention, positions, hidden, head, scores = (
    norm(rf"\|{name}\|")
    for name in (
        "V^{(l)}", "h_i^{(l-1)}[t,:]", "W^{(l)}", "P^{(l)}", "h_i^{(l-1)}", "W_O",
        r"z_{i,t}^{(l)}",
    )
)  # fmt: skip
y = Symbol("c", nonnegative=True)

# Rows of hidden states ---------------------------------------------------------------------------

_power = spelled(r"\bigl(1+\tfrac cL\bigr)^L", (1 + y / depth) ** depth)
grown = in_norms(r"\max_{l\le L}\|h_i^{(l)}[t,:]\|", (1 + value) ** depth)
moved = in_norms(r"\max_{l\le L}\|h_i^{(l)}[t,:]-X_i[t,:]\|", depth * ROW * value)
_values = ((value, START),)

rows_stay_near_their_tokens = Claim(
    id="im2026.D.13.eq-202",
    source=source("App. D.2", "proof of Theorem D.13, Eqs. (201)-(203)"),
    kind="bound",
    title="Before the first step rows of all hidden states are one-hot up to $\\eta^{7/2}/3$.",
    statement=Compare(_power, "<=", 1 + 2 * y)
    & chained(grown, (1 + START) ** depth, ROW)
    & chained(moved, depth * ROW * START, eta ** Rational(7, 2) / 3),
    domain=Domain((*normed(GAUSSIAN, *_values).variables, Real(y, 0, 1)), GAUSSIAN.conditions),
    hypotheses=(
        EVENT,
        Hypothesis(
            r"\max_q\|h^{(l)}[q,:]\|\le(1+\|V\|)\max_q\|h^{(l-1)}[q,:]\|,\ l\le L,\ h^{(0)}=X_i;\ "
            r"\|V\|=\max_l\|V^{(l)}\|"
        ),
        Hypothesis(
            r"\|h^{(l)}[t,:]-X_i[t,:]\|\le\|h^{(l-1)}[t,:]-X_i[t,:]\|"
            r"+\max_q\|h^{(l-1)}[q,:]\|\|V\|,\ \text{Eq. (199)}"
        ),
    ),
    uses=(deviation_grows_by_the_longest_row, longest_row_grows),
    probes=tuple({**point, y: Integer(1)} for point in far(*_values)),
    understood=(Understood(r"$c\ge0$", r"$c=-1/2$, $L=1$: $1/2>0$"),),
    printed=(
        r"\|h_i^{(l)}[t, :]\| \leq \left(1 + \frac{3\eta^2}{T^2|V|^{1/2}}\right)^L,\quad (1 + c/L)^L \leq "
        r"1 + 2c \text{ for } c \leq 1,\quad \|h_i^{(l)}[t, :]\| \leq 1 + \frac{\eta^{7/2}}{2},\quad "
        r"\|h_i^{(l)}[t, :] - X_i[t, :]\| \leq L \left(1 + \frac{\eta^{7/2}}{2}\right) "
        r"\frac{3\eta^2}{T^2|V|^{1/2}} \leq \frac{\eta^{7/2}}{3}"
    ),
    note=(
        r"Eq. (203) cites $s\eta\le1/(12L)$; before the first step it is $\eta\le1/(12L)$, as printed "
        r"above Eq. (202). The largest row grows by at most $1+\|V^{(l)}\|$ in each layer, which is what the "
        r"bounds need; Eq. (200) says it of each row, of which attention makes an average with others."
    ),
)

# Attention ---------------------------------------------------------------------------------------

logits = spelled(
    r"\|h_i^{(l-1)}[t,:]\|\|W^{(l)}\|\|h_i^{(l-1)}\|+\|P^{(l)}\|",
    row * attention * hidden + positions,
    above=r"\|z_{i,t}^{(l)}\|",
)
shift = spelled(
    r"\sqrt T\,e\,\|z_{i,t}^{(l)}\|", sqrt(T) * E * scores, above=r"\|A_i^{(l)}-A_0\|_F"
)
LOGITS = 6 * eta ** Rational(7, 2) / sqrt(T)
_scores = (
    (row, ROW), (attention, START), (positions, START), (hidden, ROW * sqrt(T)), (scores, LOGITS),
)  # fmt: skip

attention_starts_near_uniform = Claim(
    id="im2026.D.13.eq-204",
    source=source("App. D.2", "proof of Theorem D.13, Eq. (204)"),
    kind="bound",
    title=r"Logits start at most $6\eta^{7/2}/\sqrt T$, attention within $6e\eta^{7/2}$ of uniform.",
    statement=chained(logits, ROW**2 * START * sqrt(T) + START, LOGITS, Rational(1, 2))
    & chained(shift, 6 * E * eta ** Rational(7, 2)),
    domain=normed(GAUSSIAN, *_scores),
    hypotheses=(EVENT,),
    uses=(rows_stay_near_their_tokens,),
    probes=far(*_scores),
    printed=(
        r"\left\| \text{MASK}(h_i^{(l-1)}[t, :]W^{(l)}h_i^{(l-1)\top} + \text{DM}(P^{(l)})[t, :]) \right\| "
        r"\leq \left(1 + \frac{\eta^{7/2}}{2}\right)^2 \frac{3\eta^2}{T^2|V|^{1/2}} \sqrt{T} + "
        r"\frac{3\eta^2}{T^2|V|^{1/2}} \leq \frac{6\eta^{7/2}}{\sqrt{T}},\quad \|z_{i,t}^{(l)}\|_\infty \leq "
        r"\frac12,\quad \|A_i^{(l)} - A_0\|_F \leq 6e\eta^{7/2}"
    ),
    note=(
        r"$z_{i,t}^{(l)}$ is read for the masked row, whose later entries are $-\infty$. "
        r"Row $t$ of $\mathrm{DM}(P)$ holds the first $t$ entries of $P$, at most $\|P\|$. The step uses "
        r"$1/T\le\eta$ and $1/|V|\le1/T$; that $\eta\le1/(12L)$ it needs only through $1+\eta^{7/2}/2$."
    ),
)

place = Symbol("t", integer=True, positive=True)
row_shift = spelled(r"\tfrac et\|z_{i,t}^{(l)}\|", E / place * scores)
_one_row = normed(
    GAUSSIAN, (scores, LOGITS), sizes=(Size(place, 1, 4),), conditions=(Compare(place, "<=", T),)
)
rows_of_attention_start_near_uniform = Claim(
    id="im2026.D.13.eq-213",
    source=source("App. D.2", "proof of Theorem D.13, Eq. (213)"),
    kind="bound",
    title=r"Rows of the attention start within $6e\eta^{7/2}/\sqrt T$ of uniform ones.",
    statement=chained(row_shift, 6 * E * eta ** Rational(7, 2) / sqrt(T)),
    domain=_one_row,
    hypotheses=(
        EVENT,
        Hypothesis(
            r"\|(A_i^{(l)}-A_0)[t,:]\|\le\tfrac et\|z_{i,t}^{(l)}\|,\ \text{Lemma D.2};\ "
            r"\|z_{i,t}^{(l)}\|\le6\eta^{7/2}/\sqrt T,\ \text{Eq. (204)}"
        ),
    ),
    uses=(attention_starts_near_uniform,),
    printed=(
        r"\|(A_i^{(l)} - A_0)[t, :]\| \leq \frac{e}{t} \|z_{i,t}^{(l)}\| \leq "
        r"\frac{6e\eta^{7/2}}{\sqrt{T}},\quad "
        r"\|A_i[t, :] - A_0[t, :]\|_2 \leq \frac{6e\eta^{7/2}}{\sqrt{T}}"
    ),
    note=r"Smaller by a factor of $t$ for row $t$; the first rows are equal.",
)

# Single rows -------------------------------------------------------------------------------------

own_word, strayed = norm("p"), norm(r"\delta")
STRAYED = depth * ROW * START
LEAST = Rational(99, 100) / T
row_after = in_norms(r"\|h_i^{(l)}[t,:]\|", row_of_two_words(row, own_word, strayed, value))
_single_row = Domain(
    (
        *GAUSSIAN.variables, UpTo(strayed, 0, STRAYED), Real(own_word, LEAST, 1 - LEAST),
        Real(row, 1 - strayed, ROW), UpTo(value, 0, START),
    ),
    GAUSSIAN.conditions,
)  # fmt: skip
single_rows_grow_by_their_own_length = Claim(
    id="im2026.D.13.eq-200",
    source=source("App. D.2", "proof of Theorem D.13, Eq. (200)"),
    kind="bound",
    title=r"Before the first step each row grows by a factor of at most $1+\|V^{(l)}\|$ in a layer.",
    statement=Compare(Rational(99, 100), "<=", exp(-2 * LOGITS))
    & chained(row_after, (1 + value) * row),
    domain=_single_row,
    hypotheses=(
        EVENT,
        *TWO_WORDS,
        Hypothesis(
            r"a\ge\tfrac1te^{-2\|z_{i,t}^{(l)}\|_\infty},\ \|z_{i,t}^{(l)}\|_\infty\le6\eta^{7/2}/\sqrt T,\ "
            r"\text{Eq. (204)}:\ a\ge\tfrac{99}{100T}"
        ),
        Hypothesis(
            r"\|h^{(l-1)}[q,:]-X_i[q,:]\|\le\delta\le L\bigl(1+\tfrac{\eta^{7/2}}2\bigr)"
            r"\tfrac{3\eta^2}{T^2|V|^{1/2}},\ \text{Eq. (203)}"
        ),
    ),
    uses=(
        rows_stay_near_their_tokens, attention_starts_near_uniform, one_weight_against_the_others,
    ),
    probes=tuple(at_ends(_single_row, point) for point in far()),
    printed=(
        r"\|h_i^{(l)}[t, :]\| \leq (1 + \|V^{(l)}\|) \|h_i^{(l-1)}[t, :]\|"
    ),
    note=(
        r"That rows of the attention add up to one does not give it, as in (151) (`im2026.D.10.eq-151`): an "
        r"average of rows may be longer than one of them. It holds as mixing two words shortens, by at least "
        r"$a(1-a)$ for $a$ the least entry of the row, and rows differ in length by $2\delta$ at most, which "
        r"is smaller by a factor of a hundred."
    ),
)  # fmt: skip

# Output ------------------------------------------------------------------------------------------

last, output = norm(r"\|h_i^{(L)}\|_F"), norm(r"\|F_\theta(X_i)\|_F")
logit_norm = spelled(r"\|h_i^{(L)}\|_F\|W_O\|", last * head, above=r"\|F_\theta(X_i)\|_F")
probabilities = spelled(
    r"\tfrac e{|V|}\|F_\theta(X_i)\|_F",
    E / words * output,
    above=r"\|\mathcal S(F_\theta(X_i))-U_O\|_F",
)
_outputs = ((last, ROW * sqrt(T)), (head, START), (output, 4 * eta**4))

output_is_small = Claim(
    id="im2026.D.13.eq-205",
    source=source("App. D.2", "proof of Theorem D.13, Eq. (205)"),
    kind="bound",
    title=r"The output starts at most $4\eta^4$, probabilities within $4\eta^4/\sqrt{|V|}$ of uniform.",
    statement=chained(logit_norm, ROW * sqrt(T) * START, 4 * eta**4, Rational(1, 2))
    & chained(probabilities, 4 * E * eta**4 / words, 4 * eta**4 / sqrt(words)),
    domain=normed(GAUSSIAN, *_outputs),
    hypotheses=(EVENT,),
    uses=(rows_stay_near_their_tokens,),
    probes=far(*_outputs),
    printed=(
        r"\|F_\theta(X_i)\|_F = \|h_i^{(L)} W_O\|_F \leq \|h_i^{(L)}\|_F \|W_O\| \leq "
        r"\left(1 + \frac{\eta^{7/2}}{2}\right) \sqrt{T} "
        r"\frac{3\eta^2}{T^2|V|^{1/2}} \leq 4\eta^4 \quad "
        r"\|f_{i,t}\| \leq \|F_\theta(X_i)\|_F \leq 4\eta^4. \quad "
        r"\text{range}(f_{i,t}) \leq 2 \|f_{i,t}\| \leq 1. \quad "
        r"\left\| \mathcal{S}(f_{i,t}) - \frac{1}{|V|} \mathbf{1} \right\| \leq \frac{e}{|V|} "
        r"\|f_{i,t}\|. \quad \|\mathcal{S}(F_\theta(X_i)) - U_O\|_F \leq "
        r"\frac{e}{|V|} \|F_\theta(X_i)\|_F \leq \frac{4e\eta^4}{|V|} \leq \frac{4\eta^4}{\sqrt{|V|}},"
    ),
    note=(
        r"A row is at most the whole, and its range at most twice its norm: the link $4\eta^4\le1/2$ is the "
        r"displayed $2\|f_{i,t}\|\le1$. The links by Lemma D.2 are `im2026.lemma-D.2.dev`, of rows with range "
        "at most one."
    ),
)
