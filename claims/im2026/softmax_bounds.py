r"""How far a softmax is from uniform (Lemma D.2, Corollary D.3), for logits of any length $d$.

Logits at a point are integer multiples of log 2, so that the softmax is rational there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, Symbol, exp, log, sqrt

from claims.definitions import frobenius_square, softmax_at
from claims.domain import Array, Condition, Domain, Point, Real, Scaled, Size
from claims.im2026.notation import source
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, Quantity, Tends
from claims.terms import entry

d = Symbol("d", integer=True, positive=True)
r, R = (Symbol(name, nonnegative=True) for name in ("r", "R"))
j = Symbol("j", integer=True)
z, other, x = (MatrixSymbol(name, d, 1) for name in ("z", "z'", "x"))
UNIT = log(Integer(2))


def softmax(at: Point, vector: MatrixSymbol = z) -> ImmutableDenseMatrix:
    """S(z), a column."""
    return softmax_at((at[vector] / UNIT).T, Integer(2)).T


def _image(at: Point) -> ImmutableDenseMatrix:
    """(Diag(p) - p p^T) x for p = S(z)."""
    p = softmax(at)
    return (ImmutableDenseMatrix.diag(*p) - p * p.T) * at[x]


def _deviation(at: Point) -> Any:
    p = softmax(at)
    return sqrt(frobenius_square(p - ImmutableDenseMatrix.ones(p.rows, 1) / at[d]))


largest = Quantity(r"\max_j\mathcal S(z)_j", lambda at: max(softmax(at)))
image = Quantity(r"\|\nabla\mathcal S(z)\,x\|", lambda at: sqrt(frobenius_square(_image(at))))
length = Quantity(r"\|x\|", lambda at: sqrt(frobenius_square(at[x])))


def _range_of(vector: MatrixSymbol) -> Quantity:
    """The largest logit less the least."""

    def spread(at: Point) -> Any:
        logits = at[vector] / UNIT
        return (max(logits) - min(logits)) * UNIT

    return Quantity(rf"\mathrm{{range}}({vector.name})", spread)


width, other_width = _range_of(z), _range_of(other)
deviation = Quantity(r"\|\mathcal S(z)-\tfrac1d\mathbf 1\|", _deviation)
norm_of_logits = Quantity(r"\|z\|", lambda at: sqrt(frobenius_square(at[z])))

_logits = (Size(d, 1, 4), Scaled(z, height=2, unit=UNIT))
LOGITS = Domain(_logits)
jacobian_is_below_the_largest_probability = Claim(
    id="im2026.lemma-D.2.jac",
    source=source("App. D.1", "Lemma D.2, first display"),
    kind="bound",
    title="The Jacobian of a softmax stretches no vector by more than the largest probability.",
    statement=Compare(image, "<=", largest * length),
    domain=Domain((*_logits, Array(x, 2))),
    hypotheses=(Hypothesis(r"z\in\mathbb R^d,\ x\in\mathbb R^d"),),
    printed=r"\|\nabla \mathcal{S}(z)\| \leq \max_{1 \leq j \leq d} \mathcal{S}(z)_j",
    note="The operator norm is the least factor that serves for every $x$.",
)


def _form(at: Point) -> Any:
    """$x^\\top\\nabla\\mathcal S(z)x$, the Jacobian by the quotient rule."""
    weights, direction = [Integer(2) ** (e / UNIT) for e in at[z]], at[x]
    whole, found = sum(weights), Integer(0)
    for a, e in enumerate(weights):
        for b, other_e in enumerate(weights):
            slope = (int(a == b) * e * whole - e * other_e) / whole**2
            found += direction[a, 0] * slope * direction[b, 0]
    return found


def _moment(power: int) -> Callable[[Point], Any]:
    return lambda at: sum(p * y**power for p, y in zip(softmax(at), at[x], strict=True))


form = Quantity(r"x^\top\nabla\mathcal S(z)\,x", _form)
mean, mean_square = (
    Quantity(rf"\mathbb E_p{name}", _moment(power)) for name, power in (("x", 1), ("x^2", 2))
)
jacobian_is_a_variance = Claim(
    id="im2026.lemma-D.2.form",
    source=source("App. D.1", "proof of Lemma D.2, quadratic form"),
    kind="bound",
    title="The quadratic form of the Jacobian of a softmax is a variance under its probabilities.",
    statement=form.equals(mean_square - mean**2)
    & form.at_least(0)
    & form.at_most(mean_square)
    & mean_square.at_most(largest * length**2),
    domain=Domain((*_logits, Array(x, 2))),
    hypotheses=(
        Hypothesis(r"z\in\mathbb R^d,\ x\in\mathbb R^d"),
        Hypothesis(
            r"\mathbb E_px=\textstyle\sum_jp_jx_j,\ \mathbb E_px^2=\sum_jp_jx_j^2,\ p=\mathcal S(z)"
        ),
    ),
    printed=(
        r"x^\top \nabla \mathcal{S}(z) x = \sum_{j=1}^d p_j x_j^2 - \left( \sum_{j=1}^d p_j x_j "
        r"\right)^2, \quad x^\top \nabla \mathcal{S}(z) x \leq \sum_{j=1}^d p_j x_j^2 \leq \left( "
        r"\max_j p_j \right) \|x\|_2^2"
    ),
    note=(
        r"That the form is not negative is said after it: $\nabla\mathcal S(z)$ is symmetric positive "
        r"semidefinite. It vanishes at $x=\mathbf 1$, so that no smaller constant than zero bounds it below."
    ),
)
largest_probability_is_bounded_by_the_range = Claim(
    id="im2026.lemma-D.2.range",
    source=source("App. D.1", "Lemma D.2, first display"),
    kind="bound",
    title="The largest probability is at most the exponential of the range of the logits over $d$.",
    statement=Compare(largest, "<=", exp(width) / d),
    domain=LOGITS,
    hypotheses=(Hypothesis(r"z\in\mathbb R^d"),),
    printed=r"\max_{1 \leq j \leq d} \mathcal{S}(z)_j \leq \frac{\exp(\text{range}(z))}{d}",
)

within_range = Condition.of(Compare(width, "<=", r))
softmax_is_near_uniform = Claim(
    id="im2026.lemma-D.2.dev",
    source=source("App. D.1", "Lemma D.2, second display"),
    kind="bound",
    title="A softmax is near uniform where its logits have a small range.",
    statement=Compare(deviation, "<=", exp(r) / d * norm_of_logits),
    domain=Domain((*_logits, Real(r, 0)), (within_range,)),
    hypotheses=(Hypothesis(r"z\in\mathbb R^d,\ \mathrm{range}(z)\le r"),),
    printed=(r"\left\| \mathcal{S}(z) - \frac{1}{d} \mathbf{1} \right\| \leq \frac{e^r}{d} \|z\|"),
)
apart = Quantity(
    r"\|\mathcal S(z)-\mathcal S(z')\|",
    lambda at: sqrt(frobenius_square(softmax(at) - softmax(at, other))),
)
distance = Quantity(r"\|z-z'\|", lambda at: sqrt(frobenius_square(at[z] - at[other])))
other_within_range = Condition.of(Compare(other_width, "<=", r))


def _exchanged(size: int) -> Point:
    """Logits $\\tfrac1{32}\\log2$ and zero change places: $e^r$ is near one, and the bound nearly reached."""
    columns = ImmutableDenseMatrix.eye(size) * UNIT / 32
    return {d: Integer(size), z: columns[:, 0], other: columns[:, 1], r: Rational(1, 45)}


softmax_of_two_points = Claim(
    id="im2026.lemma-D.2.two-points",
    source=source("App. D.1", "proof of Lemma D.2, two points"),
    kind="bound",
    title="Two softmaxes are as near as their logits times $e^r/d$ where both have a range of at most $r$.",
    statement=Compare(apart, "<=", exp(r) / d * distance),
    domain=Domain(
        (*_logits, Scaled(other, height=2, unit=UNIT), Real(r, 0)),
        (within_range, other_within_range),
    ),
    probes=(_exchanged(2), _exchanged(12)),
    mutants=(Mutant("d + 1 for d", Compare(apart, "<=", exp(r) / (d + 1) * distance)),),
    hypotheses=(
        Hypothesis(
            r"z,z'\in\mathbb R^d,\ \mathrm{range}(z),\mathrm{range}(z')\le r,\ \text{so that}\ "
            r"\mathrm{range}(z'+\tau(z-z'))\le r\ \text{for}\ \tau\in[0,1]"
        ),
    ),
    printed=(
        r"\|\mathcal{S}(z) - \mathcal{S}(z')\|_2 \leq \int_0^1 \|\nabla \mathcal{S}(\gamma(\tau))\|_{2 "
        r"\rightarrow 2} d\tau \|z - z'\|_2 \leq \frac{e^r}{d} \|z - z'\|_2"
    ),
    note=(
        r"A range is a convex function of the logits, so that the hypothesis at $\tau=0,1$ is that at all "
        r"$\tau$. Shown here without the integral: $p_j-q_j$ is a logarithmic mean of the two probabilities "
        r"times the difference of their logarithms."
    ),
)
logit = entry(z)
largest_logit = Quantity(r"\|z\|_\infty", lambda at: max(abs(e) for e in at[z] / UNIT) * UNIT)
within_cube = Condition.of(Compare(largest_logit, "<=", R))
softmax_of_bounded_logits_is_near_uniform = Claim(
    id="im2026.cor-D.3",
    source=source("App. D.1", "Corollary D.3"),
    kind="bound",
    title="A softmax is near uniform where its logits are small.",
    statement=Compare(deviation, "<=", exp(2 * R) / d * norm_of_logits)
    & Compare(R, "<=", Rational(1, 2)).implies(
        Compare(deviation, "<=", exp(Integer(1)) / d * norm_of_logits)
    ),
    domain=Domain((*_logits, Real(R, 0)), (within_cube,)),
    hypotheses=(Hypothesis(r"z\in\mathbb R^d,\ \|z\|_\infty\le R"),),
    uses=(softmax_is_near_uniform,),
    printed=(
        r"\left\| \mathcal{S}(z) - \frac{1}{d} \mathbf{1} \right\|_2 \leq \frac{e^{2R}}{d} \|z\|_2, "
        r"\quad \|z\|_\infty \leq \frac{1}{2}: \ \left\| \mathcal{S}(z) - \frac{1}{d} \mathbf{1} "
        r"\right\|_2 \leq \frac{e}{d} \|z\|_2"
    ),
)


def _spiked(at: Point) -> Any:
    """The distance from uniform of the softmax of (r, 0, ..., 0)."""
    weights = [exp(at[r]), *[Integer(1)] * (int(at[d]) - 1)]
    return sqrt(sum((w / sum(weights) - 1 / at[d]) ** 2 for w in weights))


spiked = Quantity(r"\|\mathcal S(re_1)-\tfrac1d\mathbf 1\|", _spiked)
SPIKE = (exp(r) - 1) * sqrt(1 - 1 / d) / (d - 1 + exp(r))
many = Symbol("n", integer=True, positive=True)
SHARE = SPIKE.subs(d, many) * many / (exp(r) - 1)
"""The distance over its bound, for n logits."""
sharp_constant_of_the_softmax_bound = Claim(
    id="im2026.beyond.softmax-constant",
    source=source("App. D.1", "Lemma D.2, second display"),
    kind="bound",
    title=r"The constant $e^r$ may be $(e^r-1)/r$, and no smaller one serves for every $d$.",
    statement=Compare(deviation, "<=", (exp(r) - 1) / (r * d) * norm_of_logits)
    & spiked.equals(SPIKE)
    & Tends(SHARE, many, 1),
    domain=Domain((*_logits, Real(r, 0, open_low=True)), (within_range,)),
    hypotheses=(Hypothesis(r"z\in\mathbb R^d,\ \mathrm{range}(z)\le r,\ r>0"),),
    note=(
        r"The last parts are of $z=re_1$, of range and norm $r$: its distance from uniform over "
        r"$\tfrac{e^r-1}{rd}\|z\|$ tends to one with the number of logits."
    ),
)
