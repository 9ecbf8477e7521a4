r"""Figs. 4 to 7 and Sec. 4: stable ranks and gradients of simulated stacks of attention layers.

A layer is $X\mapsto N(AXW^V+sX)$ with or without layer norm $N$ (rows centred, of unit variance) and skip
connection, $s\in\{0,1\}$; $A$ i.i.d. Markov ($Z$ exponential) or softmax of keys and queries of width
$d$ with standard Gaussian entries.  Sizes are not printed; ours stand with the claims.
"""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix, Integer, Rational, Symbol, log, oo

from claims.domain import Choice, Domain, Point, Size
from claims.model import Claim, Hypothesis, Understood
from claims.naitsaada2025.figures_spectra import mechanism
from claims.naitsaada2025.notation import WIDE, T, d, depth, gamma, source
from claims.naitsaada2025.rank_collapse import (
    convergence_rate_in_width,
    rank_grows_without_the_gap,
)
from claims.naitsaada2025.spectral_gap import ORTHONORMAL
from claims.statement import And, Compare, ForAll, Monotone, measured_family, measured_quantity
from claims.terms import family

norm, skip, share = Symbol("norm"), Symbol("skip"), Symbol("epsilon", positive=True)
doublings = Symbol("k", integer=True, nonnegative=True)
_both = (False, True)
BLOCKS = (Choice(norm, _both), Choice(skip, _both))
SETTING = Hypothesis(
    r"\text{layers}\ X\mapsto N(AXW^V+sX)\ \text{with or without layer norm and skip};\ T=d=d_{qk},\ "
    r"\sigma_{qk}=1"
)

# Width --------------------------------------------------------------------------------------------

_attentions = Domain((Choice(mechanism, ("markov", "softmax")), *BLOCKS))
log_excess = measured_family(r"\mathbb E\log(\operatorname{{sr}}(\Sigma)-1)_{{T={}}}")
collapse_exponent, growth_exponent = (
    measured_quantity(
        rf"\lim_{{T\to\infty}}\tfrac{{\mathrm d}}{{\mathrm d\log T}}\mathbb E\log{what}"
    )
    for what in (r"(\operatorname{sr}(\Sigma)-1)", r"\operatorname{sr}(\Sigma^\perp)")
)

stable_rank_against_width = Claim(
    id="naitsaada2025.fig-4a",
    source=source("Sec. 4", "Fig. 4(a)"),
    kind="experiment",
    title="In one layer the stable rank falls to one with $T$, and grows linearly without the gap.",
    statement=Compare(log_excess(192), "<", log_excess(12)) & growth_exponent.equals(1),
    domain=_attentions,
    hypotheses=(ORTHONORMAL, SETTING),
    uses=(rank_grows_without_the_gap,),
    note="with and without layer norm and skip connections, at $T=12,48,192$",
)

collapse_at_the_rate_of_the_theorem = Claim(
    id="naitsaada2025.sec-4.fig4a-rate",
    source=source("Sec. 4", "text on Fig. 4(a)"),
    kind="prose",
    title=r"In Fig. 4(a) the stable rank goes to one like $1/T$, and grows linearly without the gap.",
    statement=collapse_exponent.equals(-1) & growth_exponent.equals(1),
    domain=_attentions,
    hypotheses=(ORTHONORMAL, SETTING),
    uses=(convergence_rate_in_width,),
    understood=(
        Understood(
            "The rate of Theorem 2.1, which has none for a stable rank, is what its singular values give, "
            "as Remark 3.5 computes it: $T\\,s_2^4/s_1^4$, of the order $1/T$.",
            "The $T^{-3}$ of Theorem 2.2, the one printed rate of a stable rank, is as false here as there "
            "(`naitsaada2025.thm-2.2.rate`). The text names Theorem 2.1, and is read as it stands.",
        ),
    ),
    note=(
        r"With $s_1\to1$ and $s_2$ of the order $T^{-1/2}$ of $A$, "
        r"$\operatorname{sr}(\Sigma)-1$ is at most of the order $T\,s_2^4(X)/s_1^4(X)$, which is $1/T$, in "
        r"every block. The "
        r"outlier is $s_1^2(X)\approx cTd$ with layer norm and $d$ "
        r"without, the bulk $T$ values smaller by the factor $T$"
    ),
)

# Depth --------------------------------------------------------------------------------------------

DEPTH = Hypothesis(r"A\ \text{i.i.d. Markov},\ T=d=48,\ L=1,2,4,8;\ \text{no layer norm, no skip}")
rank = {
    name: measured_family(rf"\mathbb E\log\operatorname{{{{sr}}}}(\Sigma_{{{{{{}}}}}}^{{{{{label}}}}})")
    for name, label in (
        ("plain", "A"), ("fixed", r"A^\perp"), ("identity", "I"),
        ("orthogonal", r"A^\perp,\,W\,\mathrm{{orth.}}"),
    )
}  # fmt: skip
_later = 2**doublings

stable_rank_against_depth = Claim(
    id="naitsaada2025.fig-4b",
    source=source("Sec. 4", "Fig. 4(b)"),
    kind="experiment",
    title=(
        "Without the gap and with $A=I$ the stable rank falls with depth; the fix and orthogonal values "
        "slow it."
    ),
    statement=And(
        (
            *(
                Monotone(rank[name](_later), doublings, ">", 0, 3)
                for name in rank
                if name != "plain"
            ),
            ForAll(doublings, 0, 3, Compare(rank["fixed"](_later), ">", rank["plain"](_later))),
            ForAll(
                doublings, 0, 3, Compare(rank["orthogonal"](_later), ">", rank["fixed"](_later))
            ),
        )
    ),
    domain=Domain((Choice(T, (Integer(48),)),)),
    hypotheses=(ORTHONORMAL, DEPTH),
    note=(
        "with the gap the stable rank is 1.06 after one layer and one to ten digits after four. With "
        "$A=I$ and orthogonal values it would stay at $T$: 'inevitably' needs Gaussian values there"
    ),
)

gradient_of = {
    name: measured_family(
        rf"\left\|\partial X_{{{{{{}}}}}}^{{{{{label}}}}}/\partial W_1\right\|_F^2"
    )
    for name, label in (("plain", "A"), ("fixed", r"A^\perp"), ("normed", r"A,\mathrm{{LN}}"))
}
DEEPEST = 8

gradients_against_depth = Claim(
    id="naitsaada2025.fig-5",
    source=source("Fig. 5; Sec. 4"),
    kind="experiment",
    title="Gradients explode with depth, and stay flat with layer norm or without the gap.",
    statement=And(
        (
            Compare(log(gradient_of["plain"](DEEPEST)), ">=", (DEEPEST - 1) * log(24)),
            *(
                Compare(gradient_of[name](DEEPEST), "<=", share * gradient_of[name](1))
                for name in ("fixed", "normed")
            ),
        )
    ),
    domain=Domain(
        (Choice(gamma, (Integer(1), Rational(1, 2))), Choice(share, (Integer(2), Integer(10))))
    ),
    left_open=(gamma, share),
    hypotheses=(
        ORTHONORMAL,
        Hypothesis(
            r"A\ \text{i.i.d. Markov},\ \sigma_A=1,\ T=24,\ d=T/\gamma,\ L=8\ \text{against}\ L=1"
        ),
        Hypothesis(r"\epsilon:\ \text{the growth that is called flat; not printed}"),
    ),
    note=(
        r"$\gamma$ is not printed. Without the gap the expected squared norm is "
        r"$T\bigl(\tfrac{d(T-1)}{T(T+1)}\bigr)^L$ for "
        r"exponential $Z$, near $T\gamma^{-L}$: flat at $\gamma=1$, doubled by every layer at "
        r"$\gamma=\tfrac12$. With "
        r"layer norm it is flat at either. That the norms explode, beyond $T^{L-1}$, holds at either too"
    ),
)

# Log-log scale ------------------------------------------------------------------------------------


def expected_gradient(at: Point, layers: int) -> Any:
    """E ||dX_L/dW_l||_F^2 for Dirichlet(1, ..., 1) rows and X_0 X_0^T = I, whatever l.

    It is E tr S_L times d^(l-1) from the weights before and d^(L-l+1) from those after; S_0 = I and
    S = E[A^T S A] layer by layer, with E a a^T = (J + I)/(T (T + 1)) and independent rows.
    """
    size = int(at[T])
    ones, one = ImmutableDenseMatrix.ones(size, size), ImmutableDenseMatrix.eye(size)
    own, other = (ones + one) / Integer(size * (size + 1)), ones / Integer(size**2)
    moment = one
    for _ in range(layers):
        trace = moment.trace()
        moment = trace * own + (sum(moment) - trace) * other
    return at[d] ** layers * moment.trace()


expected = family(
    r"\mathbb E\left\|\partial X_{{{}}}/\partial W_\ell^V\right\|_F^2", expected_gradient
)
_model = Domain((Size(T, 2, 4), Size(d, 2, 6)), (WIDE,))
_RAYS = Hypothesis(r"\text{model (11) with}\ Z\ \text{exponential},\ X_0X_0^\top=I")

gradients_are_exponential_in_depth = Claim(
    id="naitsaada2025.sec-4.log-log.repair",
    parent="naitsaada2025.sec-4.log-log",
    source=source("Sec. 4", "text on Fig. 5"),
    kind="prose",
    title="Gradients grow like $d^L$: a straight line where depth is linear and the norm logarithmic.",
    statement=ForAll(
        depth, 1, oo,
        Compare(d**depth, "<=", expected(depth)) & Compare(expected(depth), "<=", 2 * d**depth),
    ),
    domain=_model,
    hypotheses=(_RAYS,),
)  # fmt: skip

gradients_are_straight_on_logarithmic_axes = Claim(
    id="naitsaada2025.sec-4.log-log",
    source=source("Sec. 4", "text on Fig. 5"),
    kind="prose",
    title=r"Gradients explode exponentially, which is linear on log-log axes, beyond $T^{L-1}$.",
    statement=Compare(expected(4) * expected(1), "=", expected(2) ** 2)
    & ForAll(depth, 1, oo, Compare(expected(depth), ">=", T ** (depth - 1))),
    domain=_model,
    hypotheses=(_RAYS,),
    severity="misprint",
    repair=gradients_are_exponential_in_depth,
    note=(
        r"A straight line on log-log axes has equal steps of $\log\|\cdot\|$ from $L=1$ to 2 and from "
        r"2 to 4. What "
        r"is exponential in $L$ is straight on semi-logarithmic axes. The lower bound $T^{L-1}$ holds; the "
        r"growth is $d^L$"
    ),
)

# All outliers, and deep softmax attention ---------------------------------------------------------

deep = {
    (what, fix): measured_quantity(label.format(mark))
    for what, label in (
        ("rank", r"\operatorname{{sr}}(\Sigma_6^{{{}}})"),
        ("gradient", r"\|\partial X_6^{{{}}}/\partial W_1\|_F^2"),
    )
    for fix, mark in (("mean", r"\perp"), ("outliers", r"\text{no outliers}"))
}
_open = Domain((*BLOCKS, Choice(share, (Rational(1, 2), Rational(9, 10)))))
_DEEP = Hypothesis(
    r"\text{softmax attention},\ T=d=d_{qk}=32,\ L=6;\ \text{geometric means over runs}"
)
_comparable = And(
    (
        Compare(deep["rank", "mean"], ">=", share * deep["rank", "outliers"]),
        Compare(share * deep["gradient", "mean"], "<=", deep["gradient", "outliers"]),
    )
)
_CUT = Hypothesis(
    r"\text{no outliers: without the}\ r=\arg\max(s_i-s_{i+1})\ \text{largest singular values}"
)
_NEARLY = Hypothesis(r"\epsilon:\ \text{the share that is called nearly as effective; not printed}")
_NOTE = (
    "At these sizes the answer depends on the block: with layer norm and skip connections the "
    "decomposition keeps a stable rank above 3 where the fix falls to 1.2; in the other blocks both are "
    "1.3 at most. Gradients, differentiated through the attention, differ between runs by more than "
    "between the two ways. The block, the sizes and what counts as comparable are not printed"
)

fix_is_nearly_as_effective = Claim(
    id="naitsaada2025.fig-6",
    source=source("Sec. 4", "Fig. 6"),
    kind="experiment",
    title="In deep softmax transformers the fix is nearly as effective as removing all outliers.",
    statement=_comparable,
    domain=_open,
    left_open=(norm, skip, share),
    hypotheses=(ORTHONORMAL, SETTING, _DEEP, _CUT, _NEARLY),
    note=_NOTE,
)

removing_all_outliers_gains_little = Claim(
    id="naitsaada2025.sec-4.no-outliers",
    source=source("Sec. 4", "Fig. 6"),
    kind="prose",
    title="Removing all outlying singular values does not do much better than removing $T^{-1}11^\\top$.",
    statement=_comparable,
    domain=_open,
    left_open=(norm, skip, share),
    hypotheses=(ORTHONORMAL, SETTING, _DEEP, _CUT, _NEARLY),
    uses=(fix_is_nearly_as_effective,),
    note=_NOTE,
)

distance = measured_family(r"\mathbb E\|A_{{{}}}-\tfrac1T11^\top\|_F^2")
second_modulus = measured_family(r"\mathbb E|\lambda_2(A_{{{}}})|")

attention_becomes_uniform_with_depth = Claim(
    id="naitsaada2025.fig-7",
    source=source("Sec. 4", "Fig. 7"),
    kind="experiment",
    title="Softmax attention gets further outliers with depth, and becomes uniform in the end.",
    statement=Compare(second_modulus(2), ">", second_modulus(1))
    & Compare(distance(24), "<=", share),
    domain=Domain((*BLOCKS, Choice(share, (Rational(1, 2), Integer(1))))),
    left_open=(norm, skip, share),
    hypotheses=(
        ORTHONORMAL,
        SETTING,
        Hypothesis(r"T=48,\ 24\ \text{layers}"),
        Hypothesis(r"\epsilon:\ \text{how near to uniform is uniform; not printed}"),
    ),
    note=(
        r"without skip connections, and with layer norm, tokens collapse until attention is uniform; with skip "
        r"connections and no layer norm the logits outgrow the collapse and rows stay one-hot, all at one "
        r"token: $\|A-\tfrac1T11^\top\|_F^2=T-1$. The deep model's block and normalisation are not printed. "
        r"Without layer norm the mean token grows by $\sqrt d$ in each layer and what tokens differ by does "
        r"not, so that the two are carried apart: whole tokens in double precision are rounding alone after "
        r"some ten layers. The text refers to Figure 4 for these outliers, which Figure 7 shows."
    ),
)
