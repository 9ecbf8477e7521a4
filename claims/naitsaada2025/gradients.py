r"""Props 3.6 and 3.8: norms of $\partial X_L/\partial W_\ell^V$, with the spectral gap and without it.

The derivative by one entry $(a,b)$ of $W_\ell$ is $P_1e_ae_b^\top P_2$.  Its mean squared norm goes from
the inside out: the identity through the layers of values above $\ell$, its trace through those below,
through $X_0$ and through the attention, of whose law without the gap only $\bar r$ enters.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import Integer, Rational, Symbol, oo

from claims.domain import Condition, Domain, Point, Size
from claims.model import Claim, Hypothesis, Relation, Understood, variants
from claims.naitsaada2025.notation import (
    REACHED,
    T_1,
    WIDE,
    T,
    d,
    d_1,
    depth,
    ell,
    gamma,
    mean_Z,
    sigma_A,
    source,
)
from claims.naitsaada2025.row_moments import moments_of_a_row
from claims.naitsaada2025.second_moments import (
    FIELD,
    GROWS,
    NO_MORE_TOKENS,
    ORTHONORMAL,
    RATIO,
    SIZES,
    at_one,
    rational_limit,
)
from claims.naitsaada2025.shares import (
    ANY_LAW,
    EXPONENTIAL,
    GAMMA,
    IDENTICAL,
    LAWS,
    RELATIVE_VARIANCE,
    SECOND_MOMENT,
    law,
    mean_unevenness,
    relative_variance,
)
from claims.statement import Compare, ForAll, Quantity, Tends
from claims.terms import family

STANDARD = Hypothesis(r"(W_\ell^V)_{ij}\sim\mathcal N(0,1)")
AT_EVERY_SIZE = Domain(
    (Size(depth, 1, 2), Size(ell, 1, 2), Size(T_1, 1, 2), Size(d_1, 1, 2), RATIO, *LAWS),
    (REACHED, NO_MORE_TOKENS),
)
NETWORK = AT_EVERY_SIZE.with_conditions(SECOND_MOMENT)
_hypotheses = (Hypothesis(r"\text{model (16)}"), ORTHONORMAL, IDENTICAL, STANDARD, SIZES)


def through_values(trace: Any, layers: int, features: Any) -> Any:
    """E tr of W N W^T, layer by layer: every row adds the trace of N."""
    for _ in range(layers):
        trace = features * trace
    return trace


def upper_trace(point: Point, features: Any) -> Any:
    """E tr P_2 P_2^T."""
    return through_values(features, int(point[depth]) - int(point[ell]), features)


def lower_trace(point: Point, tokens: Any, features: Any, inside: Any = 1) -> Any:
    """E tr P_1^perp M P_1^perp^T for M = inside I: X_0 keeps T of d rows.

    E A^perp N A^perp^T is the trace of N times E a a^T less its mean, of trace r.
    """
    level = through_values(features * inside, int(point[ell]) - 1, features) / features
    read = Fraction if isinstance(tokens, Fraction) else FIELD.from_sympy
    variance = read(relative_variance(point))
    return tokens * level * mean_unevenness(point[law], variance, tokens) ** int(point[depth])


def gradient_norm(point: Point, tokens: Any, features: Any) -> Any:
    """E ||dX_L^perp/dW_l||_F^2: the sum over b is a trace, and e_a e_a^T sums to the identity."""
    return lower_trace(point, tokens, features, upper_trace(point, features))


Count = Callable[[Point, Any, Any], Any]


def _at(count: Count) -> Callable[[Point, int, int], Rational]:
    """At the size k, for a network of so many layers."""

    def define(point: Point, k: int, layers: int) -> Rational:
        sizes = (Fraction(k * int(point[s])) for s in (T_1, d_1))
        return Rational(Fraction(count({**point, depth: Integer(layers)}, *sizes)))

    return define


def limiting(count: Count, deeper: int = 0) -> Callable[[Point], Any]:
    def define(point: Point) -> Any:
        at = {**point, depth: point[depth] + deeper}
        return rational_limit(count(at, int(at[T_1]) * GROWS, int(at[d_1]) * GROWS))

    return define


_NORM = r"\left\|\frac{\partial X_L^\perp}{\partial W_\ell^V}\right\|_F^2"
_IN_FAMILY = _NORM.replace("{", "{{").replace("}", "}}")
whole = family(rf"\mathbb E{_IN_FAMILY}\big|_{{{{T/T_1={{}},\,L={{}}}}}}", _at(gradient_norm))
first = family(
    r"\mathbb E\,\mathrm{{tr}}(P_1^\perp P_1^{{\perp\top}})\big|_{{T/T_1={},\,L={}}}",
    _at(lower_trace),
)
second = family(
    r"\mathbb E\,\mathrm{{tr}}(P_2P_2^\top)\big|_{{T/T_1={},\,L={}}}",
    _at(lambda at, _, d: upper_trace(at, d)),
)

norm_factorises = Claim(
    id="naitsaada2025.proof-3.8.trace-factorisation",
    source=source("App. A.2", "proof of Prop. 3.8"),
    kind="expectation",
    title="The mean squared norm of the gradient is the product of the mean traces of its factors.",
    statement=Compare(whole(1, depth), "=", first(1, depth) * second(1, depth)),
    domain=AT_EVERY_SIZE,
    hypotheses=_hypotheses,
    printed=(
        r"\lim_{d \rightarrow \infty} \frac{1}{d^2} \mathbb{E} \left\| \frac{\partial \mathbf{X}_L^\perp}"
        r"{\partial \mathbf{W}_\ell^V} \right\|_F^2 = \lim_{d \rightarrow \infty} \frac{1}{d} \mathbb{E} "
        r"\left( \text{tr}(\mathbf{P}_1^\perp (\mathbf{P}_1^\perp)^\top) \right) \lim_{d \rightarrow "
        r"\infty} \frac{1}{d} \mathbb{E} \left( \text{tr}(\mathbf{P}_2 \mathbf{P}_2^\top) \right)"
    ),
    understood=(
        Understood(
            "the equation holds before the limits are taken",
            "$\\ell<L$: the left side tends to $0$, the two on the right to $0$ and $\\infty$",
        ),
    ),
    note="Independence of $P_1^\\perp$ and $P_2$ is enough, at every size; freeness is not needed.",
)

# Prop. 3.8 ----------------------------------------------------------------------------------------


def _per_feature(at: Point, tokens: Any, features: Any) -> Any:
    return gradient_norm(at, tokens, features) / features


LIMIT = rf"\lim_{{d\to\infty}}\tfrac1d\,\mathbb E{_NORM}"
gradients_grow_linearly = Claim(
    id="naitsaada2025.prop-3.8",
    source=source("Sec. 3.2", "Prop. 3.8, Eq. (18)"),
    kind="limit",
    title=(
        r"Without the gap the mean squared gradient grows like $C\,d$, with "
        r"$C=\gamma^{1-L}(\sigma_A/m)^{2L}>0$."
    ),
    statement=Relation(LIMIT, (gamma ** (1 - depth) * RELATIVE_VARIANCE**depth,)),
    domain=NETWORK,
    define=limiting(_per_feature),
    hypotheses=_hypotheses,
    uses=(norm_factorises, moments_of_a_row),
    mutants=variants(
        ("a constant free of gamma and L", Integer(1)),
        ("one layer's variance", gamma ** (1 - depth) * RELATIVE_VARIANCE),
        lhs=LIMIT,
    ),
    probes=(
        NETWORK.completed(
            {
                depth: Integer(3),
                ell: Integer(2),
                T_1: Integer(1),
                d_1: Integer(2),
                law: GAMMA,
                mean_Z: Integer(1),
                sigma_A: Integer(1) / 2,
            }
        ),
    ),
    printed=(
        r"\lim_{d \rightarrow \infty} \frac{1}{d} \mathbb{E} \left\| \frac{\partial \mathbf{X}_L^\perp}"
        r"{\partial \mathbf{W}_\ell^V} \right\|_F^2 = C"
    ),
    understood=(
        Understood(
            r"isotropic tokens, $X_0X_0^\top=I$, which Sec. 3.1 gives before its statements and these leave "
            "out",
            "$X_0=1x^\\top$: $A_1^\\perp1=0$, and the gradient is zero for every $\\ell$",
        ),
    ),
    note=(
        "The paper says that there is a constant $C>0$; its value is ours: the same for all "
        f"$\\ell$, and exponential in $L$ unless $\\gamma=\\sigma_A^2/m^2$. {ANY_LAW}"
    ),
)

_C1 = Quantity(
    r"\lim\mathbb E\,\mathrm{tr}(\tilde P_1^\perp\tilde P_1^{\perp\top})",
    limiting(
        lambda at, t, d: lower_trace(at, t, d) * t ** int(at[depth]) / d ** (int(at[ell]) - 1)
    ),
)
_C2 = Quantity(
    r"\lim\mathbb E\,\mathrm{tr}(\tilde P_2\tilde P_2^\top)",
    limiting(lambda at, _, d: upper_trace(at, d) / d ** (int(at[depth]) - int(at[ell]))),
)
_N1 = Quantity(
    r"\lim\tfrac1d\,\mathbb E\,\mathrm{tr}(\tilde P_1^\perp\tilde P_1^{\perp\top})",
    limiting(lambda at, t, d: lower_trace(at, t, d) * t ** int(at[depth]) / d ** int(at[ell])),
)
_N2 = Quantity(
    r"\lim\tfrac1d\,\mathbb E\,\mathrm{tr}(\tilde P_2\tilde P_2^\top)",
    limiting(lambda at, _, d: upper_trace(at, d) / d ** (int(at[depth]) - int(at[ell]) + 1)),
)
scaled_traces, normalised_traces = (_C1, _C2), (_N1, _N2)
_SCALED = Hypothesis(
    r"\tilde P_1^\perp=T^{L/2}d^{-(\ell-1)/2}P_1^\perp,\quad \tilde P_2=d^{-(L-\ell)/2}P_2"
)
traces_per_feature_are_constants = Claim(
    id="naitsaada2025.proof-3.8.scaling.repair",
    parent="naitsaada2025.proof-3.8.scaling",
    source=source("App. A.2", "proof of Prop. 3.8"),
    kind="limit",
    title=r"The rescaled factors have traces per feature that tend to constants.",
    statement=_N1.equals(gamma * RELATIVE_VARIANCE**depth) & _N2.equals(1),
    domain=NETWORK,
    hypotheses=(*_hypotheses, _SCALED),
    uses=(moments_of_a_row,),
    note=(
        r"With these, $d^{-2}\mathbb E\|\cdot\|_F^2=C_1T^{-L}d^{\ell-1}\,C_2d^{L-\ell}(1+o(1))$, which is "
        r"$\gamma^{1-L}(\sigma_A/m)^{2L}d^{-1}(1+o(1))$."
    ),
)
traces_are_constants = Claim(
    id="naitsaada2025.proof-3.8.scaling",
    source=source("App. A.2", "proof of Prop. 3.8"),
    kind="limit",
    title="The rescaled factors have mean traces that tend to constants.",
    statement=_C1.below(oo) & _C2.below(oo),
    domain=NETWORK,
    hypotheses=(*_hypotheses, _SCALED),
    severity="misprint",
    repair=traces_per_feature_are_constants,
    printed=(
        r"C_1 := \lim \mathbb{E}(\text{tr}(\tilde{\mathbf{P}}_1^\perp (\tilde{\mathbf{P}}_1^\perp)^\top)), "
        r"\quad C_2 := \lim \mathbb{E}(\text{tr}(\tilde{\mathbf{P}}_2 (\tilde{\mathbf{P}}_2)^\top))"
    ),
    note=(
        "Traces grow like $d$: the factor $1/d$ of the line before is missing here, and is counted in "
        "the line after, which has a limit in $d$ on its left and $Cd^{-1}$ on its right: $d^{-2}$ times the "
        "mean is of the order $d^{-1}$, and its limit is zero."
    ),
)

# Sec. 3.2 against Sec. 3.1 ------------------------------------------------------------------------

_RATIO_OF_DEPTHS = r"C_{L+1}/C_L,\quad C_L=" + LIMIT
_same_when_deeper = Relation(_RATIO_OF_DEPTHS, (Integer(1),))


def ratio_of_two_depths(point: Point) -> Any:
    deeper, here = (limiting(_per_feature, more)(point) for more in (1, 0))
    return deeper / here


_BALANCED = Condition(
    r"\gamma=\sigma_A^2/m^2",
    lambda at: at[gamma] == relative_variance(at),
    Compare(gamma, "=", RELATIVE_VARIANCE),
)
growth_without_gap_is_constant_when_balanced = Claim(
    id="naitsaada2025.sec-3.2.rate-comparison.repair",
    parent="naitsaada2025.sec-3.2.rate-comparison",
    source=source("Sec. 4", "text on Fig. 5"),
    kind="prose",
    title="For $T/d=\\sigma_A^2/m^2$ the linear growth without the gap does not change with depth.",
    statement=_same_when_deeper,
    define=ratio_of_two_depths,
    domain=NETWORK.with_conditions(_BALANCED),
    hypotheses=_hypotheses,
    note=(
        "Each layer multiplies the constant by $\\sigma_A^2/(m^2\\gamma)$, whatever $\\gamma$, $\\sigma_A$ "
        "and $m$."
    ),
)
_UNIT = at_one(NETWORK, sigma_A, mean_Z)
growth_without_gap_is_constant = Claim(
    id="naitsaada2025.sec-3.2.rate-comparison",
    source=source("Sec. 3.2 and Sec. 4", "text on Fig. 5"),
    kind="prose",
    title="The growth of the gradient without the gap, linear in $d$, is constant with depth $L$.",
    statement=_same_when_deeper,
    define=ratio_of_two_depths,
    domain=_UNIT,
    hypotheses=(*_hypotheses, Hypothesis(r"\sigma_A=1\ \text{as in model (11), and}\ m=1")),
    uses=(gradients_grow_linearly,),
    probes=(
        _UNIT.completed(
            {
                depth: Integer(1),
                ell: Integer(1),
                T_1: Integer(1),
                d_1: Integer(2),
                law: GAMMA,
                mean_Z: Integer(1),
                sigma_A: Integer(1),
            }
        ),
    ),
    severity="missing-hypothesis",
    repair=growth_without_gap_is_constant_when_balanced,
    printed=(
        r"\text{The corresponding lines remain flat, confirming the theoretically expected constant trend "
        r"with } L"
    ),
    note=(
        "The constant of Prop. 3.8 is $\\gamma^{1-L}(\\sigma_A/m)^{2L}$: for $\\gamma<\\sigma_A^2/m^2$ "
        "gradients still explode exponentially in depth; at $T=d/2$, $\\sigma_A=m$ they double with every "
        "layer. The rate in $T$, $d$ "
        "instead of $T^{L-1}$, is right; with the gap it is $T^L$, more than the bound (13)."
    ),
)

# Prop. 3.6: with the gap ---------------------------------------------------------------------------


def attended_with_gap(state: tuple[Any, Any], layers: int, tokens: Any) -> tuple[Any, Any]:
    """(1^T N 1, tr N) in mean after layers A N A^T: rows of A are independent and Dirichlet."""
    for _ in range(layers):
        total, trace = state
        diagonal = (total + trace) / (tokens + 1)
        state = diagonal + (tokens - 1) * total / tokens, diagonal
    return state


def norm_with_gap(point: Point, tokens: Any, features: Any) -> Any:
    """E ||dX_L/dW_l||_F^2."""
    inside = through_values(features, int(point[ell]) - 1, features) / features * tokens
    _, trace = attended_with_gap((inside, inside), int(point[depth]), tokens)
    return trace * upper_trace(point, features)


def _with_gap_at(point: Point, further: int) -> Any:
    sizes = (Fraction(int(point[s])) for s in (T, d))
    return Rational(Fraction(norm_with_gap({**point, depth: point[ell] + further}, *sizes)))


further = Symbol("m", integer=True, nonnegative=True)
with_gap = family(
    r"\mathbb E\left\|\frac{{\partial X_{{\ell+{}}}}}{{\partial W_\ell^V}}\right\|_F^2",
    _with_gap_at,
)
_model = (Hypothesis(r"\text{model (11)}"), ORTHONORMAL, EXPONENTIAL, STANDARD)
gradients_diverge_with_depth = Claim(
    id="naitsaada2025.beyond.mean-gradients-diverge",
    source=source("Sec. 3.1", "Prop. 3.6"),
    kind="prose",
    title=r"With the gap the mean squared gradient is at least $d^L$ and diverges with depth.",
    statement=ForAll(further, 0, oo, Compare(d ** (ell + further), "<=", with_gap(further)))
    & Tends(with_gap(further), further, oo),
    domain=Domain(
        (Size(T, 1, 3), Size(d, 2, 4), Size(ell, 1, 2)),
        (WIDE,),
    ),
    hypotheses=_model,
    note="In mean, for every $L\\ge\\ell$ and every $d\\ge2$; the bound $d^L$ is ours.",
)
