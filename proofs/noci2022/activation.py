r"""Proofs about one random layer: linear activation keeps a correlation; so ReLU under symmetry.

With u = <X_k, w>, v = <X_k', w> and a law of w that is symmetric under w -> -w, the average of
u_+ v_+ over w and -w is (u v + |u v|)/4, and |u v| >= u v.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

from sympy import (
    Expr,
    Integer,
    Max,
    Rational,
    Sum,
    Symbol,
    Trace,
    acos,
    cancel,
    cos,
    diff,
    pi,
    simplify,
    sin,
    sqrt,
    symbols,
)
from sympy.matrices.expressions import MatrixSymbol

from claims.expressions import FrobSq, Total
from claims.model import Claim
from claims.noci2022 import activation as claims
from claims.noci2022.notation import alpha1, d_v, m, n, sigma_v
from claims.statement import Compare, Formula
from claims.terms import entry
from claims.typeset import typeset
from proofs.calculation import summed_over
from proofs.calculus.curves import MonotoneSign
from proofs.calculus.inequalities import BoxBound
from proofs.calculus.wick import Gaussian, expectation, trace_normal_form
from proofs.certificate import Certificate, Checked
from proofs.conclude import conclude
from proofs.decide import decide
from proofs.facts import ARCCOS, CAUCHY_SCHWARZ
from proofs.kernel import (
    Theorem,
    assume,
    both,
    certified,
    choose,
    compute,
    congruent,
    cut,
    derived,
    discharge,
    fact,
    generalise,
    joint,
    part,
    substitute,
    sum_at_least_term,
    sum_rearranged,
    unfold,
)
from proofs.noci2022.network import block, c, f
from proofs.noci2022.network import same as same_in_powers
from proofs.registry import proves

x, y, cosine = claims.x, claims.y, claims.cosine
W = MatrixSymbol("W", d_v, m)
inner = Symbol("s", real=True)
norm_x, norm_y = symbols("a b", positive=True)


def pair_scalars(expression: Any) -> Expr:
    """<X_k, X_k'>, ||X_k||^2, ||X_k'||^2 as plain symbols."""
    known = {Trace(x * y.T): inner, Trace(x * x.T): norm_x, Trace(y * y.T): norm_y}
    known = {trace_normal_form(k): v for k, v in known.items()}
    atoms = {
        a: trace_normal_form(a).xreplace(known) for a in expression.atoms(Total, FrobSq, Trace)
    }
    return expression.xreplace(atoms)


def same(left: Any, right: Any) -> bool:
    """Equality in the scalars of a pair of tokens."""
    return simplify(pair_scalars(left) - pair_scalars(right)) == 0


@cache
def linear_factor() -> Expr:
    """k with E <D_k, D_k'> = k <X_k, X_k'>, the same for all pairs, for D = X W of any width."""
    law = (Gaussian(W, sigma_v**2),)
    factors = {
        cancel(expectation(Trace(a * W * W.T * b.T), law) / trace_normal_form(Trace(a * b.T)))
        for a, b in ((x, y), (x, x), (y, y))
    }
    if len(factors) != 1:
        raise ArithmeticError(f"inner products are not scaled alike: {factors}")
    return factors.pop()


@proves(claims.linear_layer_preserves_correlation)
def by_common_factor(claim: Claim) -> Certificate:
    """All three second moments are multiplied by the same positive factor, which cancels."""
    factor = linear_factor()
    moment = lambda a, b: factor * Trace(a * b.T)  # noqa: E731
    value = moment(x, y) / (factor * sqrt(FrobSq(x) * FrobSq(y)))
    scaled = rf"{typeset(factor)} \langle X_k,X_{{k'}}\rangle"
    step = Checked(
        rf"\mathbb E\langle D_k,D_{{k'}}\rangle={scaled},\ k=k'\text{{ too}}",
        "integration by parts",
        lambda: bool(factor.is_positive),
    )
    return decide(claim, value, steps=(step,), method="common factor", same=same)


# ReLU ---------------------------------------------------------------------------------------------


def average_over_signs(u: Expr, v: Expr) -> Expr:
    """(u_+ v_+ + (-u)_+ (-v)_+) / 2."""
    return (Max(u, 0) * Max(v, 0) + Max(-u, 0) * Max(-v, 0)) / 2


def rectified_dominates() -> bool:
    """2 (average) >= u v in every quadrant, with equality exactly where u v >= 0."""
    a, b = symbols("a b", positive=True)
    for i, j in product((1, -1), repeat=2):
        gain = simplify(2 * average_over_signs(i * a, j * b) - i * j * a * b)
        if gain != (0 if i == j else a * b):
            return False
    return all(average_over_signs(i * a, Integer(0)) == 0 for i in (1, -1))


def arc_cosine_gain() -> bool:
    """For Gaussian weights kappa(c) - c has the slope -arccos(c)/pi <= 0 and vanishes at c = 1."""
    t = Symbol("t", real=True)
    gain = relu_correlation(t) - t
    slope = simplify(diff(gain, t) + acos(t) / pi)
    return slope == 0 and simplify(gain.subs(t, 1)) == 0


def relu_correlation(t: Expr) -> Expr:
    """kappa(t) = (sqrt(1 - t^2) + (pi - arccos t) t)/pi, from the integral in polar coordinates."""
    angle, moment = claims.rectified_moment()
    half = moment.subs(angle, 0)
    closed = (sin(angle) + (pi - angle) * cos(angle)) / (2 * pi)
    if simplify(moment - closed) != 0:
        raise ArithmeticError(f"the polar integral is {moment}")
    return simplify(closed / half).subs(angle, acos(t))


def mixing_is_increasing() -> bool:
    """r -> (1+s) r / (1+s r), the linear block's map of r = C/(n N), increases for s, r >= 0."""
    r1, r2, s = symbols("r_1 r_2 s", nonnegative=True)
    image = lambda r: (1 + s) * r / (1 + s * r)  # noqa: E731
    one, r = block(), c / (n * f)
    derived = one.a * c / (n * (one.d * f + one.b * c))
    if not same_in_powers(derived, image(r).subs(s, alpha1**2)):
        return False
    rise = (1 + s) * (r2 - r1) / ((1 + s * r1) * (1 + s * r2))
    return simplify(image(r2) - image(r1) - rise) == 0


STEPS = (
    Checked(
        r"u_+v_++(-u)_+(-v)_+\ge uv,\ \text{with equality exactly where } uv\ge0",
        "all four quadrants; averaged over $w$ and $-w$ it gives "
        r"$\rho_{\mathrm{ReLU}}\ge\rho_{\mathrm{linear}}$",
        rectified_dominates,
    ),
    Checked(
        r"\tfrac{d}{dc}\left(\kappa(c)-c\right)=-\tfrac1\pi\arccos c,\ \kappa(1)=1:\ "
        r"\kappa(c)>c\text{ for }c<1",
        r"differentiation; $\arccos$ is positive on $[-1,1)$",
        arc_cosine_gain,
    ),
    Checked(
        r"r\mapsto\tfrac{(1+\alpha_1^2)r}{1+\alpha_1^2r}\ \text{increases, } r=\tfrac{C}{nN}:\ "
        r"\rho^\ell_{\mathrm{ReLU}}\ge\rho^\ell_{\mathrm{linear}}\text{ by induction on }\ell",
        "a ReLU block has the same squared norm and at least the same $C$ as a linear one",
        mixing_is_increasing,
    ),
)


# kappa(c) - c as a function of the angle ------------------------------------------------------------

angle, length_x, length_y = symbols("theta p q", real=True)
place = Symbol("k", integer=True)


def product_of_tokens() -> Expr:
    """<X_k, X_k'>, summed over features."""
    return Sum(entry(x)(1, place) * entry(y)(1, place), (place, 1, d_v))


@cache
def sine_above() -> Theorem:
    """sin t > t cos t for 0 < t <= 2: by slopes up to one, by balls from one half on."""
    f = sin(angle) - angle * cos(angle)
    second = BoxBound(2 * cos(angle) - angle * sin(angle), ((angle, 0, 1),), ">0")
    first = MonotoneSign(sin(angle) + angle * cos(angle), second, 0, ">0")
    near = certified(MonotoneSign(f, MonotoneSign(angle * sin(angle), first, 0, ">0"), 0, ">0"))
    far = certified(BoxBound(f, ((angle, Rational(1, 2), 2),), ">0"))
    goal, inside = Compare(f, ">", 0), (Compare(angle, ">", 0), Compare(angle, "<=", 2))
    cases = (
        _given_all(near, Compare(angle, ">", 0), Compare(angle, "<=", 1)),
        _given_all(far, Compare(angle, ">=", Rational(1, 2)), Compare(angle, "<=", 2)),
    )
    return joint(goal, *cases, given=inside)


def _given_all(theorem: Theorem, *hypotheses: Formula) -> Theorem:
    """The theorem as an implication from all those hypotheses."""
    for hypothesis in hypotheses:
        theorem = discharge(theorem, hypothesis)
    return theorem


@cache
def gain_in_terms_of_cosine() -> Theorem:
    """c arccos c < sqrt(1 - c^2) for -1 <= c < 1, where the angle is not zero: cos 0 = 1."""
    inside = (Compare(inner, ">=", -1), Compare(inner, "<", 1))
    goal = Compare(inner * acos(inner), "<", sqrt(1 - inner**2))
    ranged = cut(fact(ARCCOS, c=inner), joint(Compare(inner, "<=", 1), given=inside))
    at_zero = congruent(cos(angle), angle, acos(inner), Integer(0))
    turned = joint(
        Compare(acos(inner), ">", 0), ranged, discharge(at_zero, Compare(acos(inner), "=", 0)),
        given=inside,
    )  # fmt: skip
    acute = joint(
        Compare(acos(inner), "<=", 2), ranged, compute(Compare(pi, "<=", 4)),
        given=(Compare(inner, ">=", 0),),
    )  # fmt: skip
    sharp = cut(substitute(sine_above(), {angle: acos(inner)}), turned, acute)
    kept = discharge(joint(goal, sharp), Compare(inner, ">=", 0))
    return joint(goal, kept, turned, given=inside)


@cache
def cosine_in_range() -> Theorem:
    """-1 <= <x, y>/(|x| |y|) <= 1, by Cauchy's inequality."""
    schwarz = fact(
        CAUCHY_SCHWARZ, a=entry(x)(1, place), b=entry(y)(1, place), k=place, low=1, high=d_v
    )
    positive = assume(claims.NONZERO_PAIR.formula)
    ratio = inner / sqrt(length_x * length_y)
    bounded = joint(
        Compare(ratio, ">=", -1) & Compare(ratio, "<=", 1),
        given=(
            Compare(inner**2, "<=", length_x * length_y), Compare(length_x, ">", 0),
            Compare(length_y, ">", 0),
        ),
    )  # fmt: skip
    put = {inner: product_of_tokens(), length_x: claims.square_of(x), length_y: claims.square_of(y)}
    return cut(substitute(bounded, put), schwarz, part(positive, 0), part(positive, 1))


@cache
def gaussian_bound() -> Theorem:
    """kappa(c) - c = (sqrt(1 - c^2) - c arccos c)/pi is positive for c < 1, as sin t > t cos t."""
    t = product_of_tokens() / sqrt(claims.square_of(x) * claims.square_of(y))
    value = (inner * acos(inner) - sqrt(1 - inner**2)) / pi
    if simplify(value - (inner - relu_correlation(inner))) != 0:
        raise ArithmeticError("the gain is not what the polar integral says")
    domain = claims.relu_increases_correlation.domain
    found = derived(
        claims.gaussian_gain, value.subs(inner, t), domain, "integral in polar coordinates"
    )
    acute = unfold(claims.angle_cosine, t, domain)
    below = joint(Compare(value, "<", 0), gain_in_terms_of_cosine(), compute(Compare(pi, ">", 0)))
    real = joint(
        Compare(1 - inner**2, ">=", 0),
        given=(Compare(inner, ">=", -1), Compare(inner, "<", 1)),
    )
    below = cut(below, real)
    tokens = assume(claims.NONZERO_PAIR.formula)
    square = joint(Compare(1 - t**2, ">=", 0), cosine_in_range(), tokens)
    bound = cut(substitute(below, {inner: t}), cosine_in_range(), square, tokens)
    strictly = discharge(bound, Compare(t, "<", 1))
    goal = claims.angle_cosine.below(1).implies(claims.gaussian_gain.below(0))
    return joint(goal, found, acute, strictly)


# Columns as likely as their negatives ---------------------------------------------------------------

outcome = Symbol("s", integer=True)
OUTCOMES = (outcome, 1, m)


def over_signs(left: Expr, right: Expr) -> Expr:
    """u_+ v_+ + (-u)_+ (-v)_+."""
    return Max(left, 0) * Max(right, 0) + Max(-left, 0) * Max(-right, 0)


def separated(u: Expr, v: Expr) -> Theorem:
    """u_+ v_+ + (-u)_+ (-v)_+ - u v >= 0."""
    a, b = symbols("a b", real=True)
    return substitute(joint(Compare(over_signs(a, b) - a * b, ">=", 0)), {a: u, b: v})


def separated_gain(u: Expr, v: Expr) -> Theorem:
    """It is positive where u v < 0."""
    a, b = symbols("a b", real=True)
    gain = joint(Compare(over_signs(a, b) - a * b, ">", 0), given=(Compare(a * b, "<", 0),))
    return substitute(gain, {a: u, b: v})


@cache
def symmetric_bound() -> Theorem:
    """The sum of u_+ v_+ over w and -w is at least u v, and that of u_+^2 is u^2.

    It is more than u v where for some w the signs of u and v differ.
    """
    domain = claims.relu_increases_correlation.domain
    u, v = (claims.product_with(token, outcome) for token in (x, y))
    total = lambda term: Sum(term, OUTCOMES)  # noqa: E731
    mixed, first, second = (total(a * b) for a, b in ((u, v), (u, u), (v, v)))
    gained, own, other = (total(over_signs(a, b)) for a, b in ((u, v), (u, u), (v, v)))
    a, b = symbols("a b", real=True)
    above = joint(Compare(a * b, "<=", over_signs(a, b)))
    square = joint(Compare(a**2, "=", over_signs(a, a)))
    put = {a: u, b: v}
    larger = summed_over(substitute(above, put), OUTCOMES)
    same_first = summed_over(substitute(square, {a: u}), OUTCOMES)
    same_second = summed_over(substitute(square, {a: v}), OUTCOMES)
    assert claims.REACHED.formula is not None
    reached = assume(claims.REACHED.formula)
    linear = unfold(claims.symmetric_linear_correlation, mixed / sqrt(first * second), domain)
    rectified = unfold(claims.symmetric_rectified_correlation, gained / sqrt(own * other), domain)
    p, q, f, g, h, k = symbols("p q f g h k", real=True)

    def of_ratios(sign: str, known: Theorem) -> Theorem:
        """Correlations are in the order of their inner products, as norms are the same."""
        ratio = joint(
            Compare(p / sqrt(f * g), sign, q / sqrt(h * k)),
            given=(
                Compare(p, sign, q), Compare(f, "=", h), Compare(g, "=", k), Compare(f, ">", 0),
                Compare(g, ">", 0),
            ),
        )  # fmt: skip
        placed = substitute(ratio, {p: mixed, q: gained, f: first, g: second, h: own, k: other})
        return cut(placed, known, same_first, same_second, part(reached, 0), part(reached, 1))

    goal = claims.symmetric_rectified_correlation.at_least(claims.symmetric_linear_correlation)
    gap = sum_at_least_term(generalise(separated(u, v), *OUTCOMES), outcome)
    apart = sum_rearranged(total(over_signs(u, v) - u * v), gained - mixed)
    more = joint(Compare(mixed, "<", gained), gap, apart, separated_gain(u, v))
    higher = claims.symmetric_rectified_correlation.above(claims.symmetric_linear_correlation)
    chosen = choose(
        assume(claims.TURNED), outcome, joint(higher, linear, rectified, of_ratios("<", more))
    )
    return both(
        joint(goal, linear, rectified, of_ratios("<=", larger)), discharge(chosen, claims.TURNED)
    )


@proves(claims.relu_increases_correlation)
def by_averaging_over_signs(claim: Claim) -> Certificate:
    """Averaged over w and -w for a finite law, by the arc-cosine kernel for the Gaussian one."""
    return conclude(
        claim, both(gaussian_bound(), symmetric_bound()), steps=STEPS,
        method=r"averaging over $w$ and $-w$; $\kappa(c)>c$ from $\sin t>t\cos t$",
    )  # fmt: skip
