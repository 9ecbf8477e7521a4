r"""Theorem D.10, Eqs. (150)-(152): how far the activations of many layers are from the tokens.

What the inductive hypothesis and the norms of products leave open are norms with ranges; the left-hand
side of a display is then the largest value that they allow.
"""

from __future__ import annotations

from typing import Any

from sympy import (
    ImmutableDenseMatrix,
    MatrixSymbol,
    Rational,
    Sum,
    exp,
    sqrt,
    symbols,
)

from claims.domain import Array, Computed, Domain, Point, Real, Size
from claims.im2026.boxes import INDUCTION, MANY_LAYERS, norm
from claims.im2026.displays import at_ends, display, in_norms, normed
from claims.im2026.notation import T, depth, eta, s, source, words, x
from claims.model import Claim, Hypothesis
from claims.statement import Compare, ForAll, Quantity
from claims.terms import MaxOver, entry, value_of

__all__ = ["PROOF", "corner", "corners"]

PROOF = "Proof of Theorem D.10"


def corner(
    domain: Domain, *, length: int = 60, layers: int = 1, steps: int = 3, **sizes: int
) -> Point:
    """A point at the horizon, with every norm as large as it may be."""
    named = {v.symbol: sizes[str(v.symbol)] for v in domain.variables if str(v.symbol) in sizes}
    return at_ends(domain, {T: length, words: 500, depth: layers, s: steps, **named})


def corners(domain: Domain, **sizes: int) -> tuple[Point, ...]:
    """At the least length after few and many steps, and at a million tokens with 1 and 250 layers."""
    far = 10**6
    return (
        corner(domain, **sizes), corner(domain, steps=1000, **sizes),
        corner(domain, length=far, **sizes), corner(domain, length=far, layers=250, **sizes),
    )  # fmt: skip


# The values ---------------------------------------------------------------------------------------

leading_norm, value_error = norm(r"\|\bar\Phi^\top\bar B^\top\|_F"), norm(r"\epsilon_V")
VALUE_BOUNDS = ((leading_norm, 2), (value_error, 12 * x**3))
value_norm = in_norms(r"\|V^{(l)}\|_F", s * (s - 1) / 2 * eta**2 * leading_norm + value_error)
_values = normed(MANY_LAYERS, *VALUE_BOUNDS)
values_are_of_second_order = Claim(
    id="im2026.D.10.V-norm",
    source=source(PROOF, "after Eq. (151)"),
    kind="bound",
    title=r"By the inductive hypothesis $\|V^{(l)}\|_F\le2s^2\eta^2$.",
    statement=value_norm.at_most(2 * x**2),
    domain=_values,
    hypotheses=(
        INDUCTION,
        Hypothesis(r"\epsilon_V=\|V^{(l)}-\tbinom s2\eta^2\bar\Phi^\top\bar B^\top\|_F\le12s^3\eta^3"),
        Hypothesis(r"\|\bar\Phi^\top\bar B^\top\|_F\le2,\ \text{from}\ \|\bar\Phi\|\le2,\ \|\bar B\|_F\le1"),
    ),
    printed=r"\left\|V^{(l)}\right\|_F \leq 2s^2\eta^2",
    probes=corners(_values),
    note=(
        r"As $12s\eta\le1/L$. With $\|\bar\Phi^\top\bar B^\top\|_F\le1$, which holds since rows "
        r"of $A_0X_i$ are "
        r"averages of one-hot rows, it is $\tfrac32s^2\eta^2$; with the $2\sqrt2$ of (97) it would fail at "
        r"the corner of the box."
    ),
)  # fmt: skip

# One layer ----------------------------------------------------------------------------------------

q, t = symbols("q t", integer=True, positive=True)
Z, R = MatrixSymbol("Z", t, 1), MatrixSymbol("R", t, 1)
shares, rows = MatrixSymbol("A", t, 1), MatrixSymbol("r", t, 1)
before, own_norm = norm(r"\|h_i^{(l-1)}[t,:]-X_i[t,:]\|"), norm(r"\|V^{(l)}\|")
share, length_of = entry(shares), entry(rows)


def _share(at: Point) -> ImmutableDenseMatrix:
    """Positive weights that add up to one."""
    weights = at[Z].applyfunc(lambda z: z**2 + 1)
    return weights / sum(weights)


ROW = Domain(
    (
        Size(t, 1, 3), Array(Z), Array(R), Real(before, 0), Real(own_norm, 0),
        Computed(shares, _share, known=(
            ForAll(q, 1, t, Compare(share(q), ">=", 0)), Compare(Sum(share(q), (q, 1, t)), "=", 1),
        )),
        Computed(
            rows, lambda at: at[R].applyfunc(lambda r: r**2),
            known=(ForAll(q, 1, t, Compare(length_of(q), ">=", 0)),),
        ),
    )
)  # fmt: skip
longest = MaxOver(length_of(q), (q, 1, t))
added = own_norm * Sum(share(q) * length_of(q), (q, 1, t))
NEXT = before + added, length_of(t) + added
next_deviation = Quantity(r"\|h_i^{(l)}[t,:]-X_i[t,:]\|", lambda at: value_of(NEXT[0], at))
next_row = Quantity(r"\|h_i^{(l)}[t,:]\|", lambda at: value_of(NEXT[1], at))
ADDED = Hypothesis(
    r"\text{row}\ t\ \text{adds}\ \textstyle\sum_qA_{tq}h_i^{(l-1)}[q,:]V^{(l)},\ \text{of norm at most}\ "
    r"\sum_qA_{tq}r_q\|V^{(l)}\|,\ r_q=\|h_i^{(l-1)}[q,:]\|"
)
STOCHASTIC = Hypothesis(r"A_{tq}\ge0,\ \textstyle\sum_{q\le t}A_{tq}=1")
deviation_grows_by_the_longest_row = Claim(
    id="im2026.D.10.eq-150",
    source=source(PROOF, "Eq. (150)"),
    kind="bound",
    title="A layer adds at most the longest row times the norm of its values to the deviation.",
    statement=next_deviation.at_most(before + longest * own_norm),
    domain=ROW,
    hypotheses=(ADDED, STOCHASTIC),
    printed=(
        r"\left\|h_i^{(l)}[t, :] - X_i[t, :]\right\| \leq \left\|h_i^{(l-1)}[t, :] - X_i[t, :]\right\| + "
        r"\max_{q \leq T} \left\|h_i^{(l-1)}[q, :]\right\| \left\|V^{(l)}\right\|"
    ),
)  # fmt: skip


WEIGHTS = Domain((ROW.variables[0], ROW.variables[1], ROW.variables[5]))
mixture = Quantity(
    r"\textstyle\sum_{k=1}^tp_k^2", lambda at: sum(weight**2 for weight in at[shares])
)
one_weight_against_the_others = Claim(
    id="im2026.beyond.mixing-words",
    source=source(PROOF, "beyond Eq. (151)"),
    kind="bound",
    title="A mean of one-hot rows is no longer than if all words but one were the same.",
    statement=ForAll(q, 1, t, Compare(mixture, "<=", share(q) ** 2 + (1 - share(q)) ** 2)),
    domain=WEIGHTS,
    hypotheses=(
        Hypothesis(
            r"A_{tk}=p_k\ge0\ \text{the attention paid to word}\ k\ \text{of}\ t,\ \textstyle\sum_kp_k=1;\ "
            r"\|\sum_kp_ke_k\|^2=\sum_kp_k^2"
        ),
    ),
    note=(
        r"With $a\le p_q\le1-a$ it is at most $(1-a(1-a))^2$: mixing two words shortens by $a(1-a)$ or more."
    ),
)


def row_of_two_words(own: Any, weight: Any, deviation: Any, value: Any) -> Any:
    r"""The most a row of norm `own` becomes where a prefix holds another word than its own.

    Attention gives `weight` to the word and the rest to others, so that $(AX_i)[t,:]$ has at most the norm
    $\sqrt{p^2+(1-p)^2}$; rows of $h$ deviate from the tokens.
    """
    return own + (sqrt(weight**2 + (1 - weight) ** 2) + deviation) * value


TWO_WORDS = (
    Hypothesis(
        r"p:\ \text{the attention that row}\ t\ \text{pays to the word of token}\ t;\ "
        r"\|(AX_i)[t,:]\|^2\le p^2+(1-p)^2"
    ),
    Hypothesis(
        r"\text{two words among the first}\ t\ \text{tokens, so that}\ a\le p\le1-a,\ a\ \text{the least "
        r"entry of the row};\ \text{where they are one word, rows up to}\ t\ \text{are equal, and}\ "
        r"(Ah)[t,:]=h[t,:]"
    ),
)

longest_row_grows = Claim(
    id="im2026.D.10.eq-151.repair",
    source=source(PROOF, "Eq. (151)"),
    kind="bound",
    title=r"The longest row grows by a factor of at most $1+\|V^{(l)}\|$.",
    statement=next_row.at_most((1 + own_norm) * longest),
    domain=ROW,
    hypotheses=(ADDED, STOCHASTIC),
    parent="im2026.D.10.eq-151",
)

# Two layers ---------------------------------------------------------------------------------------

first_value, second_value = (MatrixSymbol(f"V^{{({layer})}}", 2, 2) for layer in (1, 2))
TWO_LAYERS = Domain((Array(first_value), Array(second_value)))
MEANS = ImmutableDenseMatrix([[1, 0], [Rational(1, 2), Rational(1, 2)]])
"""Attention without weights on the first two tokens, each to all up to itself alike."""


def _second_row(at: Point, layers: int) -> ImmutableDenseMatrix:
    """The second row of the activations, for the tokens e_1 and e_2."""
    hidden = ImmutableDenseMatrix.eye(2)
    for value in (first_value, second_value)[:layers]:
        hidden = hidden + MEANS * hidden * at[value]
    return hidden[1, :]


def _length(entries: Any) -> Any:
    return sqrt(sum(e**2 for e in entries))


row_before = Quantity(r"\|h^{(1)}[2,:]\|", lambda at: _length(_second_row(at, 1)))
row_after = Quantity(r"\|h^{(2)}[2,:]\|", lambda at: _length(_second_row(at, 2)))
second_norm = Quantity(r"\|V^{(2)}\|_F", lambda at: _length(at[second_value]))
every_row_grows_by_its_own_length = Claim(
    id="im2026.D.10.eq-151",
    source=source(PROOF, "Eq. (151)"),
    kind="bound",
    title=r"Since rows of $A$ add up to one, a row grows by a factor of at most $1+\|V^{(l)}\|$.",
    statement=row_after.at_most((1 + second_norm) * row_before),
    domain=TWO_LAYERS,
    hypotheses=(
        Hypothesis(
            r"l=t=2,\ \text{a sequence that begins with two words}\ e_1,e_2,\ W^{(l)}=0,\ P^{(l)}=0:\ "
            r"A^{(l)}[2,:]=(\tfrac12,\tfrac12,0,\dots);\ V^{(l)}\ \text{in the entries of those words}"
        ),
    ),
    printed=(
        r"\left\|h_i^{(l)}[t, :]\right\| \leq (1 + \left\|V^{(l)}\right\|) \left\|h_i^{(l-1)}[t, :]\right\|"
    ),
    probes=(
        {
            first_value: ImmutableDenseMatrix([[0, 0], [0, -2]]),
            second_value: ImmutableDenseMatrix.eye(2),
        },
    ),
    severity="misprint",
    repair=longest_row_grows,
    note=(
        r"Rows that attention mixes in may be longer: the maximum over rows that (150) has is missing. The "
        r"sentence gives no other reason than the row sums; the bounds of the step before are used only after "
        r"it, and whether they give it is left open. True for $l=1$, where all rows have length one; it "
        r"follows from the bounds for $L\le2$ (`im2026.beyond.rows-of-two-layers`), for $L=3$ and $T\le377$, "
        r"as in the experiments (`im2026.beyond.rows-of-few-layers`), and at the start of Theorem D.13 "
        r"(`im2026.D.13.eq-200`). By hand, networks trained from zero satisfy (151) at any depth: their "
        r"layers differ by $\|V^{(l)}-V^{(k)}\|\le\tfrac12s^3\eta^3$ only, so that a row which layer $k$ "
        r"lengthens by more than $\|V^{(k)}\|$ times its own length has been lengthened by all before it, and "
        r"is within $\tfrac1{25T}$ of the longest row, while mixing two words makes the mean shorter by more. "
        r"(152) follows from what is true instead. With $\|V\|_F$, so that it fails for the spectral norm as "
        r"well."
    ),
)

# The activations ----------------------------------------------------------------------------------

value = norm(r"\|V\|")
row_norm = in_norms(r"\max_{l\le L}\|h_i^{(l)}[t,:]\|", (1 + value) ** depth)
deviation = in_norms(r"\max_{l\le L}\|h_i^{(l)}[t,:]-X_i[t,:]\|", depth * (1 + x / 4) * value)
exponent = 2 * depth * x**2
growth, largest = (1 + 2 * x**2) ** depth, exp(exponent)
_rows = normed(MANY_LAYERS, (value, 2 * x**2))
activations_stay_near_the_tokens = Claim(
    id="im2026.D.10.eq-152",
    source=source(PROOF, "Eq. (152) and the displays after it"),
    kind="bound",
    title=r"Rows of the activations are no longer than $1+s\eta/4$ and within $s\eta/4$ of the tokens.",
    statement=display(
        (row_norm, growth), (growth, largest), (largest, 1 + x / 4),
        (exponent, x / 6), (deviation, depth * (1 + x / 4) * 2 * x**2),
        (depth * (1 + x / 4) * 2 * x**2, x / 4),
    ),
    domain=_rows,
    hypotheses=(
        INDUCTION,
        Hypothesis(r"\max_q\|h^{(l)}[q,:]\|\le(1+\|V\|)\max_q\|h^{(l-1)}[q,:]\|,\ l\le L,\ h^{(0)}=X_i"),
        Hypothesis(r"\|V\|=\max_l\|V^{(l)}\|\le2s^2\eta^2"),
    ),
    uses=(every_row_grows_by_its_own_length,),
    printed=(
        r"\left\|h_i^{(l)}[t, :]\right\| \leq (1 + 2s^2\eta^2)^L,\quad 2Ls^2\eta^2 \leq \frac{s\eta}{6},\quad "
        r"(1 + 2s^2\eta^2)^L \leq \exp(2Ls^2\eta^2) \leq 1 + \frac{s\eta}{4},\quad "
        r"\left\|h_i^{(l)}[t, :]\right\| \leq 1 + \frac{s\eta}{4}"
    ),
    probes=corners(_rows),
)  # fmt: skip
