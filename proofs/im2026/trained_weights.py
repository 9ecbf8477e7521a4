r"""Arguments about trained weights, and the leading term against its bound.

The induction over steps is the paper's, with constants of its own: each row of a gradient is a sum of
products of rows, so that means of norms over positions do where the paper has Frobenius norms of whole
sequences.  $x=s\eta$; $\alpha$ bounds $\sum_m|A_{tm}-1/t|$, $\gamma$ the distance of probabilities from
uniform ones, $g=GV^\top h^\top$ the sensitivity of attention.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Expr, Rational, Symbol, exp, sqrt, symbols, sympify

from claims.im2026 import trained_weights as claims
from claims.im2026.notation import T, eta, layer, s
from claims.model import Claim
from claims.statement import And, Compare, ForAll
from claims.terms import put
from proofs.calculus.inequalities import BoxBound
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued, conclude, facts_of
from proofs.im2026 import one_layer_steps, three_steps
from proofs.im2026.contexts import divided
from proofs.im2026.counts_of_steps import add_up
from proofs.im2026.one_layer_readings import ONE as ONE_LAYER
from proofs.im2026.one_layer_steps import through
from proofs.im2026.orders import LAYER, every
from proofs.im2026.small_starts import GAPS, from_zero, in_norm
from proofs.im2026.small_starts import METHOD as STEPS
from proofs.kernel import Theorem, cut, instance, joint, substitute, unfold
from proofs.registry import proves

x = Symbol("x", real=True)


def _below(end: Any, *pairs: tuple[Any, Any]) -> Callable[[], bool]:
    """Whether each first is at most the second for x from zero to the end."""
    return lambda: all(
        BoxBound(sympify(bound - value), ((x, 0, end),)).check() if sympify(bound - value).free_symbols
        else bool(bound >= value)
        for value, bound in pairs
    )  # fmt: skip


def _r(text: str) -> Rational:
    return Rational(text)


START = Checked(
    r"\|\bar B\|_F,\|\bar\Phi\|_F,\|\bar Q\|_F,\|\Delta\|\le1;\quad \textstyle\sum_{k<s}k\binom k2="
    r"3\binom s4+2\binom s3\le\tfrac{s^4}8",
    "means of products of rows of length at most one; differences in $s$",
    add_up,
)
END = Rational(81, 1000)
"""Above $5/(8\\sqrt{60})$."""


def _many_layers() -> tuple[Checked, ...]:
    """x <= min(1/(12L), 5/(8 sqrt T)), T >= 60; errors of a Gaussian start, 2 eta^4 <= 2 x^4, included."""
    beta, nu, omega = _r("1.03"), _r("0.59"), 3
    rows = exp(nu * x / 12)
    apart = nu / 12 * rows.subs(x, END)
    alpha = (exp(2 * omega * 2 * _r("1.01") * END**4) - 1) / END**4
    logits = rows.subs(x, END) * beta
    gamma = exp(2 * logits * END) * logits / 500
    last = gamma * beta + _r("1/12")
    back = _r("2.01") * nu + 2 * nu * omega * END**4 + nu * omega * END**3
    growth = (exp(back * END / 12) - 1) / END
    ahead = last + growth * (1 + last * END)
    top = 1 + (growth + last) * END * _r("1.1")
    value = _r("1.01") * ahead + alpha * END**3 + apart
    scores = (
        ahead * nu * _r("1.01") + _r("0.34") + _r("0.5") * apart
        + 3 * alpha * END**3 * top * nu * _r("1.01")
    )  # fmt: skip
    attention = _r("1.01") * scores + _r("0.5") * (2 * _r("1.01") * apart)
    return (
        Checked(
            r"\|W_O\|\le1.03x,\ \|V^{(l)}\|\le0.59x^2,\ \|W^{(l)}\|,\|P^{(l)}\|\le3x^4,\ "
            r"\|h-X\|\le\tfrac x{20},\ \alpha\le13x^4,\ \gamma\le\tfrac x{400}",
            r"after a step, with errors of at most $x^2/12$, $x^3/3$, $x^5/9$ and, from Gaussians, "
            r"$2\eta^2/T^2+48\eta^9\le2.1x^4$ for $W^{(l)},P^{(l)}$; $(1+\|V\|)^L\le e^{x/20}$",
            _below(END, (1 + x / 12, beta), (_r("1/2") + x / 3, nu),
                   (_r("1/8") + x / 9 + _r("2.1"), omega), (apart, _r("1/20")), (alpha, 13),
                   (gamma, _r("1/400"))),
        ),
        Checked(
            r"\tfrac1{\sqrt T}\|G^{(l)}-x(Y-U_O)\bar B^\top\|_F\le\tfrac{x^2}5",
            r"each layer adds at most $1.2x^2$ of $\|G\|$: $\|A\|\|V\|$, and $\|S\|\|h\|\|W\|$ twice, with "
            r"$\|S\|\le\|V\|\|G\|$ and $x\sqrt T\le5/8$; $Lx\le1/12$",
            _below(END, (back, _r("1.2")), (last, _r("0.09")), (ahead, _r("1/5"))),
        ),
        Checked(
            r"\bigl\|\tfrac{\partial\mathcal L}{\partial W_O}+\bar B\bigr\|\le\tfrac x{12},\ "
            r"\bigl\|\tfrac{\partial\mathcal L}{\partial V^{(l)}}+x\bar\Phi^\top\bar B^\top\bigr\|"
            r"\le\tfrac{x^2}3,\ \bigl\|\tfrac{\partial\mathcal L}{\partial W^{(l)}}+\dots\bigr\|,"
            r"\bigl\|\tfrac{\partial\mathcal L}{\partial P^{(l)}}+\dots\bigr\|\le\tfrac{5x^4}9",
            r"$\sqrt2\|h-X\|+\gamma$; $1.01|\Delta G|+x(\alpha+\|h-X\|)$; "
            r"$|\Delta G|\|V\|+x\|\Delta V\|+\tfrac12x^3\|h-X\|+3\alpha|g|$ for rows of $S-S_0$, and twice "
            r"$\tfrac12x^3\|h-X\|$",
            _below(END, (sqrt(2) * apart + gamma, _r("1/12")), (value, _r("1/3")),
                   (attention, _r("5/9"))),
        ),
        Checked(
            r"\tfrac{x^2}{24}+4\eta^4\le\tfrac{x^2}{12},\ \tfrac{x^3}9+2\eta^4+15\eta^{11/2}\le\tfrac{x^3}3,"
            r"\ \tfrac{x^5}9+\tfrac{2\eta^2}{T^2}+48\eta^9\le4x^5T",
            r"summed over steps, with the Gaussian start and its first step, Eqs. (206), (209) and (220); "
            r"$\eta\le x$, $\eta T\ge1$",
            _below(END, (_r("1/24") + 4 * END**2, _r("1/12")),
                   (_r("1/9") + 2 * END + 15 * END**2 * _r("0.3"), _r("1/3")),
                   (_r("1/9") + 2 + 48 * END**4, 4)),
        ),
    )  # fmt: skip


METHOD = "induction over steps, on means of norms over positions"


MANY = (
    claims.output_of_many_layers, claims.value_of_many_layers, claims.attention_of_many_layers,
    claims.positions_of_many_layers,
)  # fmt: skip
ONE = (
    claims.output_of_one_layer, claims.value_of_one_layer, claims.attention_of_one_layer,
    claims.positions_of_one_layer,
)  # fmt: skip


THIRD = (
    claims.output_after_three, claims.value_after_three, claims.attention_after_three,
    claims.positions_after_three,
)  # fmt: skip


def with_room(small: int, large: int, shortest: int) -> tuple[Theorem, ...]:
    """Powers of s eta are not negative, and a <= b T beside the fifth."""
    a, w = symbols("a w", real=True)
    signs = [
        joint(Compare(s**power * eta**power, ">=", 0), joint(Compare(s**power, ">=", 0)), joint(
            Compare(eta**power, ">=", 0))) for power in (2, 3, 5)
    ]  # fmt: skip
    given = Compare(a, ">=", 0), Compare(w, ">=", shortest)
    long = joint(Compare(small * a, "<=", large * a * w), given=given)
    return (*signs, cut(substitute(long, {a: s**5 * eta**5, w: T}), signs[2]))


@proves(*MANY)
def by_smaller_constants(claim: Claim) -> Certificate:
    """5/2 <= 3, 8 <= 12 and 65 <= 13 T beside the errors at any size."""
    own = claim.base or claim
    statement: Any = own.formula
    layered = isinstance(statement, ForAll)
    found = from_zero(own.domain, MANY.index(own))
    theorem = joint(statement.body if layered else statement, found, *with_room(65, 13, 5))
    return conclude(claim, divided(every(theorem, LAYER) if layered else theorem), method=STEPS)


def in_one_layer(near: Theorem, place_: int) -> Theorem:
    """The error of one kind of weights in the only layer."""
    quantity, entry, *ranges = GAPS[place_]
    first = {layer: ONE_LAYER}
    return in_norm(near, place_, put(quantity, first), put(entry, first), *ranges)


@proves(*ONE)
def by_smaller_constants_in_one_layer(claim: Claim) -> Certificate:
    """7/4 <= 3, 5/2 <= 4 and 8 <= 6 T beside the errors of one layer."""
    own = claim.base or claim
    reached = joint(one_layer_steps.premise(s), given=facts_of(own.domain))
    near = joint(
        And(one_layer_steps.bounds(s)), instance(one_layer_steps.after_steps(), s), reached
    )
    found = in_one_layer(near, ONE.index(own))
    theorem = joint(own.formula, found, *with_room(8, 6, 2))
    return conclude(claim, divided(theorem), method=STEPS)


@proves(*THIRD)
def by_three_steps(claim: Claim) -> Certificate:
    """7/6 <= 3, 7/6 <= 2 and 2 <= 2 T beside the errors after three steps."""
    own = claim.base or claim
    statement: Any = own.formula
    third = joint(Compare(s, "=", 3), given=facts_of(own.domain))
    reached = joint(Compare(s, "<=", 3), third)
    near = joint(And(three_steps.bounds(s)), instance(three_steps.after_three(), s), reached)
    found = in_one_layer(near, THIRD.index(own))
    p, e, w = symbols("p e w", real=True)
    left, right = (
        side.subs({s: p, eta: e, T: w}) for side in (found.formula.right, statement.right)
    )
    given = Compare(e, ">", 0), Compare(w, ">=", 1)
    fifth = joint(Compare(e**5 * w, ">=", e**5), joint(Compare(e**5, ">=", 0), given=given[:1]),
                  given=given[1:])  # fmt: skip
    signs = [joint(Compare(e**power, ">=", 0), given=given[:1]) for power in (2, 3)]
    room = joint(Compare(left.subs(p, 3), "<=", right), fifth, *signs)
    room = joint(Compare(left, "<=", right), room, given=(Compare(p, "=", 3),))
    known = third, joint(Compare(eta, ">", 0)), joint(Compare(T, ">=", 1))
    room = cut(substitute(room, {p: s, e: eta, w: T}), *known)
    return conclude(claim, divided(through(found, room)), method=STEPS)


@proves(
    claims.output_from_gaussians, claims.value_from_gaussians,
    claims.attention_from_gaussians, claims.positions_from_gaussians, claims.sharper,
)  # fmt: skip
def by_induction_in_many_layers(claim: Claim) -> Certificate:
    """The same with rows of hidden states near tokens, and sensitivities that grow by layers."""
    steps = (START, *_many_layers())
    return argued(claim, steps=steps, method=METHOD)


@proves(claims.leading_term_within_its_bound)
def by_the_least_rate(claim: Claim) -> Certificate:
    """The count of steps is s(s-1)(s-2)(3s-1)/24 <= s^4/8, and s eta T >= 1."""
    domain = claims.leading_term_within_its_bound.domain
    q = claims.interchange
    count: Expr = s * (s - 1) * (s - 2) * (3 * s - 1) / 24
    known = unfold(claims.leading, count * eta**4 * q, domain)
    given = (Compare(s, ">=", 1), Compare(q, ">=", 0), Compare(q, "<=", 1))
    few = joint(Compare(count, "<=", s**4 / 8), given=given[:1])
    rate = joint(Compare(eta * T, ">=", 1), given=facts_of(domain))
    long = joint(Compare(s**4 * eta**4, "<=", s**5 * eta**5 * T), rate, given=given[:1])
    share = joint(Compare(count * eta**4 * q, "<=", s**4 * eta**4 / 8), few, given=given)
    goal = Compare(claims.leading, "<=", 13 * s**5 * eta**5 * T / 104)
    theorem = joint(goal, known, share, long)
    method = "real arithmetic (z3)"
    return conclude(claim, theorem, method=method)
