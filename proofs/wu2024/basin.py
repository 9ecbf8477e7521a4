r"""Tokens that evolve together keep rank two: proof for all N, d >= 2 and w > 1, without convergence.

LayerNorm divides by positive numbers, so that for W = W_V and scalars S_t, up to positive factors,

    X_1 = a W^t,   X_2 = (x + S_t a) W^t = (r - delta_t a) W^t,   r = x + S* a with r_1 = 0:

one unknown scalar remains, and with it all of X_2 is known.  Where y = X_{2,d}/X_{2,d-1} lies in
[0, w], delta_t is of order 1/t, X_1 = e_d + O(1/t), and X_2 = -(0, .., 0, 1, y)/sqrt(1 + y^2) + O(1/t)
uniformly for a near e_1 and r near e_2; so a layer maps y to g(y) + O(1/t), where g maps [0, w] into
the interior of [0, w].  From a time T on, y never leaves [0, w], and X_2 stays away from +-e_d.
"""

from __future__ import annotations

from functools import cache

from sympy import Expr, Integer, Rational, Symbol, expand, limit, oo, simplify, sqrt, symbols
from sympy import binomial as choose
from sympy.simplify.combsimp import combsimp

from claims.model import Claim
from claims.wu2024 import basin as claims
from proofs.certificate import Certificate, Checked, Limit
from proofs.conclude import argued
from proofs.decide import find_witness, refute
from proofs.registry import proves
from proofs.wu2024.plane import is_zero

t, m = Symbol("t", positive=True), Symbol("m", integer=True, nonnegative=True)
"""The layer; d - 2."""
q = Symbol("q", positive=True)
w = 1 + q
"""Every w > 1."""
y, p = symbols("y p", nonnegative=True)


# One unknown scalar --------------------------------------------------------------------------------


def span_is_kept() -> bool:
    """(alpha a M + beta (x + S a) M) W = beta (x + (S + alpha/beta) a) M W, for rows a, x, M = W^t."""
    a, x, power, W = symbols("a x M W", commutative=False)
    alpha, beta, S = symbols("alpha beta S", positive=True)
    layer = (alpha * a * power + beta * (x + S * a) * power) * W
    return expand(layer - beta * (x + (S + alpha / beta) * a) * power * W) == 0


def binomials_are_separated() -> bool:
    """C(t, k - 1)/C(t, k) = k/(t - k + 1), which tends to zero: W^t = sum_k C(t, k) (w S)^k."""
    n, k = symbols("n k", integer=True, positive=True)
    return is_zero(combsimp(choose(n, k - 1) / choose(n, k)) - k / (n - k + 1)) and (
        limit(k / (t - k + 1), t, oo) == 0
    )


def leading_rows() -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """Entries d - 2, d - 1, d of e_2 W^t and of e_1 W^t over C(t, d-2) w^(d-2), by those quotients."""
    before = m / (w * (t - m + 1))
    other = (before * (m - 1) / (w * (t - m + 2)), before, Integer(1))
    first = (before, Integer(1), w * (t - m) / (m + 1))
    return other, first


@cache
def second_token() -> tuple[Expr, Expr, Expr]:
    """Entries d - 2, d - 1, d of (r - delta a) W^t where the last is y times the one before."""
    other, first = leading_rows()
    delta = (other[2] - y * other[1]) / (first[2] - y * first[1])
    low, side, last = (o - delta * f for o, f in zip(other, first, strict=True))
    return simplify(low), simplify(side), simplify(last)


def ratio_is_y() -> bool:
    _, side, last = second_token()
    return is_zero(last - y * side)


def limits() -> tuple[Limit, ...]:
    """Side and size of X_2's entry d - 1, and what vanishes like 1/t, for symbolic d, w and y."""
    low, side, _ = second_token()
    _, first = leading_rows()
    samples = tuple(
        {m: Integer(k), q: Rational(1, n), y: Rational(1, n + 1)}
        for k, n in ((0, 2), (1, 3), (5, 1))
    )
    why = "rational function of t with symbolic d, w, y"
    assert all(limit(e, t, oo) == v for e, v in ((t * w * side, -1), (low / side, 0)))
    return (
        Limit(t * w * side, t, Integer(-1), samples, by=f"{why}: X_{{2,d-1}} < 0"),
        Limit(low / side, t, Integer(0), samples, by=f"{why}: X_2 turns into the last plane"),
        Limit(first[1] / first[2], t, Integer(0), samples, by=f"{why}: X_1 tends to e_d"),
    )


def limiting_map() -> bool:
    """(s_d + w s_{d-1})/(s_{d-1} + w s_{d-2}) at X_1 = e_d, X_2 = -(0, 1, y)/sqrt(1 + y^2) is g(y)."""
    root = sqrt(1 + y**2)
    low, side, last = Integer(0), -1 / root, 1 - y / root
    return is_zero((last + w * side) / (side + w * low) - (y + w - root))


def maps_inside() -> bool:
    """g(0) = w - 1 > 0; sqrt(1 + y^2) > y, so g increases; w - g(w) = sqrt(1 + w^2) - w > 0."""
    g = y + w - sqrt(1 + y**2)
    slope = g.diff(y) * sqrt(1 + y**2) - (sqrt(1 + y**2) - y)
    gap = (w - g.subs(y, w)) * (sqrt(1 + w**2) + w)  # a difference of squares
    return bool(g.subs(y, 0).is_positive) and is_zero(slope, gap - 1)


STRUCTURE = (
    Checked(
        r"(\alpha aW^t+\beta(x+Sa)W^t)W=\beta\left(x+(S+\tfrac\alpha\beta)a\right)W^{t+1}",
        "induction on t for rows of any length: LayerNorm only sets alpha, beta > 0",
        span_is_kept,
    ),
    Checked(
        r"\tbinom t{k-1}/\tbinom tk=\tfrac k{t-k+1}\to0",
        "symbolic k: in a W^t the term of a_1 leads by a factor t, uniformly for a near e_1; so for "
        "r near e_2, and delta scales with r_2/a_1",
        binomials_are_separated,
    ),
    Checked(
        r"X_{2,d}=y\,X_{2,d-1}\ \text{fixes}\ \delta=\delta(y,t)", "solved for delta", ratio_is_y
    ),
)
TRAPPED = (
    Checked(
        r"\lim_{t\to\infty} y'=g(y)=y+w-\sqrt{1+y^2}",
        "one layer at the limits; uniform for y in [0, w], since all is rational in 1/t and y, and "
        "the norms are continuous",
        limiting_map,
    ),
    Checked(
        r"g([0,w])=[w-1,\,2w-\sqrt{1+w^2}]\subset(0,w)",
        "g increases; both ends lie inside: from some T on, y in [0, w] for ever, on an open set",
        maps_inside,
    ),
    Checked(
        r"0\le y\le w\Rightarrow|\sin\angle(X_2,e_d)|\ge\tfrac1{\sqrt{1+w^2}}-O(1/t)",
        "1 - y^2/(1 + y^2) = 1/(1 + y^2), which falls in y; tokens after the second change nothing",
        lambda: is_zero(1 - y**2 / (1 + y**2) - 1 / (1 + y**2)),
    ),
)


@proves(claims.open_set_of_sequences_keeps_rank_two)
def by_a_trapping_region(claim: Claim) -> Certificate:
    """The ratio y of the second token's last entries stays in [0, w] from an open set of inputs."""
    method, scope = "trapping region of the joint dynamics", "all N >= 2, d >= 2, w > 1"
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    return argued(claim, steps=(*STRUCTURE, *limits(), *TRAPPED), method=method, scope=scope)


# In the plane the open set is explicit ---------------------------------------------------------------


def upper_end() -> bool:
    """y' = w - (X_{1,2} - y k)/(k - X_{1,1}), k = 1/sqrt(1 + y^2): at most w where y <= p.

    X_{1,2}^2 - y^2 k^2 = (p^2 - y^2)/((1 + p^2)(1 + y^2)) and so for k^2 - X_{1,1}^2.
    """
    root, far = sqrt(1 + y**2), sqrt(1 + p**2)
    a, c, k = 1 / far, p / far, 1 / root
    moved = (c - y * k + w * (a - k)) / (a - k)
    share = (p**2 - y**2) / ((1 + p**2) * (1 + y**2))
    return is_zero(
        moved - (w - (c - y * k) / (k - a)), c**2 - (y * k) ** 2 - share, k**2 - a**2 - share
    )


def lower_end() -> bool:
    """y' >= 0 iff phi(y) >= phi(p), phi(z) = (w + z)/sqrt(1 + z^2).

    phi' = (1 - w z)/(1 + z^2)^(3/2): on [0, w] phi is least at an end, and phi(p) <= phi(w) for p >= w;
    phi(0)^2 - phi(p)^2 = p ((w^2 - 1) p - 2 w)/(1 + p^2) >= 0 for p >= 2 w/(w^2 - 1).
    """
    z = Symbol("z", nonnegative=True)
    phi = lambda x: (w + x) / sqrt(1 + x**2)  # noqa: E731
    root, far = sqrt(1 + y**2), sqrt(1 + p**2)
    a, c, k = 1 / far, p / far, 1 / root
    numerator = (w * (k - a) - (c - y * k)) - (phi(y) - phi(p))
    slope = phi(z).diff(z) * (1 + z**2) ** Rational(3, 2) - (1 - w * z)
    return is_zero(
        numerator, slope, phi(0) ** 2 - phi(p) ** 2 - p * ((w**2 - 1) * p - 2 * w) / (1 + p**2)
    )


def attracted_to_b() -> bool:
    """0 < g' < 1 for y > 0, and g(y) = y only for y^2 = w^2 - 1: both tokens converge, X_2 to B."""
    g, root = y + w - sqrt(1 + y**2), sqrt(1 + y**2)
    slope, still = g.diff(y) - (1 - y / root), (g - y) * (w + root) - (w**2 - 1 - y**2)
    return is_zero(slope, still, 1 - (y / root) ** 2 - 1 / root**2)


def falls_for_ever() -> bool:
    """y = -v < 0 and X_{1,2} > w k: y' <= w - (X_{1,2} + v k)/k = y - (X_{1,2} - w k)/k < y."""
    v, k, c = symbols("v k c", positive=True)
    return is_zero(w - (c + v * k) / k - (-v - (c - w * k) / k))


PLANE_TRAP = (
    Checked(
        r"0\le y\le p\Rightarrow y'\le w;\quad "
        r"y'=w-\tfrac{X_{1,2}-yk}{k-X_{1,1}},\ k=\tfrac1{\sqrt{1+y^2}},\ p=\tfrac{X_{1,2}}{X_{1,1}}",
        "both differences of squares have the sign of p^2 - y^2",
        upper_end,
    ),
    Checked(
        r"0\le y\le w,\ p\ge\max\left(w,\tfrac{2w}{w^2-1}\right)\Rightarrow y'\ge0",
        "phi(z) = (w + z)/sqrt(1 + z^2) rises up to 1/w and falls beyond; its ends",
        lower_end,
    ),
    Checked(
        r"y_t\to y_B=\sqrt{w^2-1}",
        "p grows by w per layer, so that y' - g(y) vanishes, and g contracts to its stationary point",
        attracted_to_b,
    ),
    Checked(
        r"y<0,\ X_{1,2}>w|X_{2,1}|\Rightarrow y'<y\ \text{or}\ X_{2,1}'\ge0",
        "the denominator k - X_{1,1} is at most k: such pairs collapse",
        falls_for_ever,
    ),
)  # fmt: skip


@proves(claims.open_set_of_pairs_keeps_rank_two)
def by_an_explicit_open_set(claim: Claim) -> Certificate:
    """X_{1,1} > 0, p > max(w, 2w/(w^2 - 1)), X_{2,1} < 0 and 0 < y < w is open and maps into itself."""
    method, scope = "explicit trapping region", "N = d = 2, all w > 1"
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    return argued(
        claim, steps=(*STRUCTURE[:1], *PLANE_TRAP, *TRAPPED[1:]), method=method, scope=scope
    )
