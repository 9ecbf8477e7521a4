r"""App. A.5: why attention becomes uniform when d_k grows and d_v stays fixed (Theorem A.2).

The logits are M = X W^Q W^K^T X^T / sqrt(d_k) with independent zero-mean weights of the Glorot
variance 2/(d_v + d_k).  `row_i` and `row_j` are the rows X_{i,:} and X_{j,:} of the tokens, written
as columns; i and j count from one and may be equal.  Where a weight's law matters beyond its
variance (tail probabilities), entries are +-sigma_k/sqrt(p) with probability p/2 each and zero
otherwise: a finite law, for which every probability is rational.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product
from operator import add, mul
from typing import Any

import flint
from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Rational,
    S,
    Symbol,
    cancel,
    degree,
    fraction,
    oo,
    sqrt,
    sympify,
)
from sympy.matrices.expressions import Identity, KroneckerProduct

from claims.almost_surely import AlmostSureLimit, RandomMatrices
from claims.definitions import entries, expectation, frobenius_square_expectation
from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Real, Scaled, Size
from claims.events import Events
from claims.expressions import FrobSq, ones
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.noci2022.notation import X, centre, d_k, d_v, n, source
from claims.noci2022.softmax import (
    UNIT,
    M,
    jacobian_of_softmax,
    softmax,
    softmax_jacobian_at_equal_logits,
)
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import family

i, j = (Symbol(name, integer=True, positive=True) for name in "ij")
row_i, row_j = MatrixSymbol("X_{i,:}", d_v, 1), MatrixSymbol("X_{j,:}", d_v, 1)
variance = Symbol(r"\sigma_k^2", positive=True)
epsilon = Symbol("epsilon", positive=True)
p = Symbol("p", positive=True)
power = Symbol("theta", nonnegative=True)

INITIALISATION = Hypothesis(
    r"W^Q,W^K\ \text{independent, i.i.d. zero-mean entries of variance}\ \sigma_k^2=\tfrac{2}{d_v+d_k}"
)
FIXED = Hypothesis(r"X\ \text{and}\ d_v\ \text{fixed},\ d_k\to\infty")

_pair = (
    Size(i, 1, 3),
    Size(j, 1, 3),
    Computed(row_i, lambda at: at[X].row(min(int(at[i]), int(at[n])) - 1).T),
    Computed(row_j, lambda at: at[X].row(min(int(at[j]), int(at[n])) - 1).T),
)
_inside = Condition(r"i,j\le n", lambda at: at[i] <= at[n] and at[j] <= at[n])
_glorot = Computed(variance, lambda at: Integer(2) / (at[d_v] + at[d_k]))

_sizes = (Size(n, 2, 3), Size(d_v, 1, 3), Size(d_k, 1, 3))
one_logit = Domain((*_sizes, Array(X), *_pair, _glorot), (_inside,))


token_pair = Domain((Size(n, 2, 3), Size(d_v, 1, 3), Array(X), *_pair), (_inside,))


def _moment_of_logit(point: Point, order: int) -> Expr:
    """E[M_ij^order | X] from M_ij = sum_{a,b,c} X_ia W^Q_ab W^K_cb X_jc / sqrt(d_k)."""
    v, k = int(point[d_v]), int(point[d_k])
    wq, wk = entries("q", v, k), entries("k", v, k)
    logit = sum(
        (
            point[row_i][a] * wq[a, b] * wk[c, b] * point[row_j][c]
            for a, b, c in product(range(v), range(k), range(v))
        ),
        start=Integer(0),
    )
    moment = expectation(logit**order, dict.fromkeys((*wq, *wk), point[variance]))
    return moment / sqrt(point[d_k]) ** order


_MOMENTS = r"\left(\mathbb E[M_{ij}|X],\ \mathbb E[M_{ij}^2|X]\right)"
_norms = FrobSq(row_i) * FrobSq(row_j)
_second = variance**2 * _norms


def _with_second(side: Expr) -> tuple[Expr, Expr]:
    return Integer(0), side


logits_are_centred_with_glorot_second_moment = Claim(
    id="noci2022.lemma-A.7.moments",
    source=source("App. A.5", "Lemma A.7, Eq. (43)"),
    kind="expectation",
    title=r"Every logit has mean zero and second moment $\sigma_k^4$ times both squared token norms.",
    statement=Relation(_MOMENTS, (_with_second(_second),)),
    domain=one_logit,
    define=lambda point: (_moment_of_logit(point, 1), _moment_of_logit(point, 2)),
    hypotheses=(INITIALISATION,),
    mutants=variants(
        ("sigma_k^2 for sigma_k^4", _with_second(variance * _norms)),
        ("three times as much for i = j", _with_second(_second * (1 + 2 * KroneckerDelta(i, j)))),
        ("not divided by d_k", _with_second(_second * d_k)),
        ("1/(d_v + d_k) for the variance", _with_second(_second / 4)),
        ("one token norm", _with_second(variance**2 * FrobSq(row_i))),
        ("mean not zero", (variance, _second)),
        lhs=_MOMENTS,
    ),
    printed=(
        r"\mathbb{E}[\mathbf{M}_{i,j} | \mathbf{X}] = 0, \quad \mathbb{E}[\mathbf{M}_{i,j}^2 | "
        r"\mathbf{X}] = \sigma_k^4 \cdot \|\mathbf{X}_{i,:}\|^2 \cdot \|\mathbf{X}_{j,:}\|^2"
    ),
    note=(
        "The proof takes the mean to vanish since $W^Q$ and $W^K$ are independent; it does since one of "
        "them has mean zero as well, as Sec. 2 says."
    ),
)


@cache
def _one_column(x: ImmutableDenseMatrix, y: ImmutableDenseMatrix) -> Expr:
    """E of the square of (x . q)(k . y) for one column q, k of unit variance, entry by entry."""
    q, k = entries("q", x.rows, 1), entries("k", x.rows, 1)
    term = sum((x[a] * q[a] * k[c] * y[c] for a in range(x.rows) for c in range(x.rows)), S.Zero)
    return expectation(term**2, dict.fromkeys((*q, *k), Integer(1)))


def second_moment_along(x: Any, y: Any, weight_variance: Expr) -> Expr:
    """E[(x^T W^Q W^K^T y)^2]/d_k as a function of d_k: its d_k columns are uncorrelated and alike."""
    return cancel(d_k * _one_column(x, y) * weight_variance**2 / d_k)


def order_in_d_k(function: Expr) -> Any:
    """The exponent alpha for which a rational function of d_k is of exact order d_k^alpha."""
    if function == 0:
        return -oo
    top, bottom = fraction(cancel(function))
    return sympify(degree(top, d_k) - degree(bottom, d_k))


second_given_tokens = Quantity(
    r"\mathbb E[M_{ij}^2\mid X]", lambda at: _moment_of_logit(at, 2), nonnegative=True
)


def inverse_square(power: Any = 2, constant: Any = 4) -> Formula:
    """A multiple of both squared norms over d_k^2, free of d_k, above; and one below."""
    above = second_given_tokens.at_most(constant * _norms / d_k**power)
    return above & Compare(4 * _norms / ((d_v + 1) ** 2 * d_k**2), "<=", second_given_tokens)


logits_vanish_at_inverse_square_rate = Claim(
    id="noci2022.lemma-A.7.rate",
    source=source("App. A.5", "Lemma A.7, Eq. (44)"),
    kind="rate",
    title="For fixed $d_v$ the logits' second moment falls like $d_k^{-2}$.",
    statement=inverse_square(),
    domain=one_logit,
    hypotheses=(INITIALISATION,),
    uses=(logits_are_centred_with_glorot_second_moment,),
    mutants=(
        Mutant("d_k^3 for d_k^2", inverse_square(power=3)),
        Mutant("half the constant", inverse_square(constant=2)),
    ),
    printed=(
        r"\mathbb{E}[\mathbf{M}_{i,j}^2 | \mathbf{X}] = \mathcal{O}\left(\frac{1}{d_k^2}\right)"
    ),
    note=(
        "The first part is the print, with a constant for all $d_k$ that only the tokens enter. The second, "
        "that the order is attained where neither token is zero, is ours."
    ),
)


Masses = dict[flint.fmpq, flint.fmpq]
"""Values of a finite law, each with its probability."""


@cache
def _law(row: tuple[Rational, ...], chance: Rational) -> Masses:
    """Law of x . q for entries of q that are +-1 with probability chance/2 each, zero otherwise."""
    likely = _fraction(chance)
    law: Masses = {_fraction(0): _fraction(1)}
    for entry in map(_fraction, row):
        signs = {entry: likely / 2, -entry: likely / 2, _fraction(0): 1 - likely}
        law = _combine(law, signs if entry else {entry: _fraction(1)}, add)
    return {value: mass for value, mass in law.items() if mass}


def _fraction(value: Any) -> flint.fmpq:
    return flint.fmpq(int(value.numerator), int(value.denominator))


def _combine(left: Masses, right: Masses, by: Callable[[Any, Any], Any]) -> Masses:
    law: Masses = {}
    for (a, pa), (b, pb) in product(left.items(), right.items()):
        value = by(a, b)
        law[value] = law.get(value, 0) + pa * pb
    return law


@cache
def _logit_law(
    x: tuple[Rational, ...], y: tuple[Rational, ...], chance: Rational, columns: int
) -> tuple[tuple[Rational, Rational], ...]:
    """Law of the sum over d_k columns of the independent terms (x . q)(k . y)."""
    column = _combine(_law(x, chance), _law(y, chance), mul)
    total: Masses = {_fraction(0): _fraction(1)}
    for _ in range(columns):
        total = _combine(total, column, add)
    pairs = (tuple(Rational(int(q.p), int(q.q)) for q in pair) for pair in sorted(total.items()))
    return tuple(pairs)  # type: ignore[arg-type]


def law_of_logit(point: Point) -> tuple[tuple[Expr, Expr], ...]:
    """Values of M_ij with their probabilities: (M, P(M_ij = M)).

    An entry is sqrt(variance / p) times a sign, or zero: M = variance / p * total / sqrt(d_k).
    """
    x, y = (tuple(point[row]) for row in (row_i, row_j))
    scale = point[variance] / point[p] / sqrt(point[d_k])
    law = _logit_law(x, y, point[p], int(point[d_k]))
    return tuple((scale * value, mass) for value, mass in law)


def _squared(value: Expr) -> Expr:
    """A rational times a root, squared; ten times as fast as a power, of which a law has hundreds."""
    rational, root = value.as_coeff_Mul()
    return rational * rational * (root * root)


@dataclass(frozen=True)
class Law(Computed):
    """A finite law: values with probabilities, which are not negative."""

    def facts(self) -> tuple[Formula, ...]:
        return (ForAll(outcome, 1, outcomes, Compare(chance_of(outcome), ">=", 0)),)


law = Symbol(r"\mathcal L(M_{ij})")
outcome = Symbol("s", integer=True, positive=True)
outcomes = Quantity("S", lambda at: Integer(len(at[law])), integer=True, positive=True)
value_of_logit = family(r"m_{{{}}}", lambda at, s: at[law][s - 1][0])
chance_of = family(r"p_{{{}}}", lambda at, s: at[law][s - 1][1])
tail = Quantity(
    r"\mathbb P\left(|M_{ij}|>\epsilon\right)",
    lambda at: sum((p for m, p in at[law] if _squared(m) > at[epsilon] ** 2), S.Zero),
)
second = Quantity(
    r"\mathbb E\left[M_{ij}^2\right]", lambda at: sum((p * _squared(m) for m, p in at[law]), S.Zero)
)

_tails = Domain(
    (
        Size(n, 2, 3),
        Size(d_v, 1, 2),
        Size(d_k, 1, 4),
        Array(X, height=2),
        *_pair,
        _glorot,
        Real(epsilon, 0, open_low=True),
        Choice(p, (Integer(1), Rational(1, 4))),
        Law(law, law_of_logit),
    ),
    (_inside,),
)
_sparse = _tails.completed(
    {
        n: Integer(2), d_v: Integer(1), d_k: Integer(16), X: ImmutableDenseMatrix([[1], [1]]),
        i: Integer(1), j: Integer(2), epsilon: Rational(11, 100), p: Rational(1, 4),
    }
)  # fmt: skip
_constant = 4 * _norms / epsilon**2

tail_of_a_logit_is_summable = Claim(
    id="noci2022.theorem-A.2.tail",
    source=source("App. A.5", "Theorem A.2, proof"),
    kind="probability-bound",
    title=(
        r"A logit with a finite law exceeds $\epsilon$ with probability at most a constant over $d_k^2$."
    ),
    statement=tail.at_most(second / epsilon**2)
    & Compare(second / epsilon**2, "<=", _constant / d_k**2),
    domain=_tails,
    hypotheses=(
        INITIALISATION,
        Hypothesis(
            r"\text{stated for finite laws of}\ M_{i,j},\ \text{those of weights}\ 0,\pm\sigma_k/\sqrt p,"
            r"\ \text{non-zero w.p.}\ p"
        ),
    ),
    uses=(logits_are_centred_with_glorot_second_moment, logits_vanish_at_inverse_square_rate),
    probes=(_sparse,),
    printed=(
        r"\mathbb{P}[|\mathbf{M}_{i,j}|>\epsilon]\leq\frac{\mathbb{E}[\mathbf{M}_{i,j}^2]}{\epsilon^2}"
        r"\leq\frac{C_\epsilon}{d_k^2}"
    ),
    note=(
        r"The paper leaves the constant open; $C_\epsilon=4\|X_{i,:}\|^2\|X_{j,:}\|^2/\epsilon^2$ serves all "
        r"sizes. What is stated and proved is about a sum over finitely many outcomes; for other laws of "
        r"weights with the variance $\sigma_k^2$ the same inequality of the indicator, $1_{|M|>\epsilon}\le "
        r"M^2/\epsilon^2$, is integrated, and the second moment is the same."
    ),
)

exponent = Symbol("alpha", integer=True, positive=True)
coupling = Symbol("c", integer=True, nonnegative=True)
events = Events(exponent, coupling)
inverse_total, often = events.inverse_total, events.often
converges = Quantity(r"\mathbb P(X_i\to X)", lambda at: 1 - often.define(at), nonnegative=True)

summable_deviations_imply_almost_sure_convergence = Claim(
    id="noci2022.lemma-A.8.borel-cantelli",
    source=source("App. A.5", "Lemma A.8"),
    kind="law",
    title="Where deviations of size one have summable probabilities variables converge, almost surely.",
    statement=inverse_total.above(0).implies(converges.equals(1)),
    domain=Domain((Size(exponent, 1, 4), Choice(coupling, tuple(map(Integer, range(3)))))),
    hypotheses=(
        Hypothesis(
            r"|X_i-X|\ \text{is one on an event}\ E_i,\ \mathbb P(E_i)=(i+1)^{-\alpha},\ "
            r"\text{and zero off it}:\ \mathbb P(|X_i-X|>\epsilon)=\mathbb P(E_i)\ \text{for}\ \epsilon<1"
        ),
        Hypothesis(
            r"c=0:\ E_i\ \text{independent};\quad c=1:\ \text{nested};\quad "
            r"c=2:\ \text{arcs end to end around a circle}"
        ),
    ),
    printed=(
        r"\text{If for any } \epsilon > 0\ \sum_{i=0}^{\infty} \mathbb{P}[|X_i - X| > \epsilon] < \infty, "
        r"\text{ then } X_i \text{ converges to } X \text{ almost surely}"
    ),
    note=(
        r"Stated for deviations of size one, by independent, nested and successive events. The proof asks "
        r"nothing of the probabilities or the dependence of the events: that infinitely many "
        r"occur implies for every $N$ that one of those after $N$ does, so that its probability is at most "
        r"$\sum_{i>N}\mathbb P(E_i)$, which tends to zero (Cauchy). For other variables it holds of the events "
        r"$|X_i-X|>\epsilon$ for each $\epsilon=1,\frac12,\frac13,\dots$, and off the union of these null sets "
        r"$X_i\to X$: that step is in words."
    ),
)

_tokens = (Size(n, 2, 3), Size(d_v, 1, 3), Array(X))
_sequence = Domain((*_tokens, Choice(power, (Integer(1),))))
_constant_variance = Domain((*_tokens, Choice(power, (Integer(0),))))


def limit_of_logits(point: Point) -> ImmutableDenseMatrix:
    """Almost sure limit of M as d_k grows, weights of variance (2/(d_v + d_k))^theta.

    Zero where the second moments are summable over d_k; NaN where they are not even small, so that
    no limit exists (M_ij is then a normalised sum, asymptotically Gaussian).
    """
    tokens, width = point[X], Integer(int(point[d_v]))
    rows = [tokens.row(r).T for r in range(tokens.rows)]
    law = (2 / (width + d_k)) ** point[power]

    def entry(a: int, b: int) -> Any:
        order = order_in_d_k(second_moment_along(rows[a], rows[b], law))
        return Integer(0) if order < -1 else S.NaN

    return ImmutableDenseMatrix(tokens.rows, tokens.rows, entry)


def _at_limit(function: Callable[[Any], Any]) -> Callable[[Point], Any]:
    """A continuous function of the logits at their limit, NaN where there is none."""

    def define(point: Point) -> Any:
        logits = limit_of_logits(point)
        defined = not logits.has(S.NaN)
        value = function(logits if defined else ImmutableDenseMatrix.zeros(*logits.shape))
        return value if defined else value.applyfunc(lambda _: S.NaN)

    return define


def _mean_square(point: Point, keys: int, rows: int, columns: int) -> Expr:
    """E of the sum of squares of the first rows and columns of M for d_k = keys, entry by entry."""
    tokens, width = point[X], int(point[d_v])
    wq, wk = entries("q", width, keys), entries("k", width, keys)
    law = (Integer(2) / (width + keys)) ** point[power]
    products = tokens[:rows, :] * wq * wk.T * tokens[:columns, :].T
    return frobenius_square_expectation(products, dict.fromkeys((*wq, *wk), law)) / keys


logits = RandomMatrices("M", _mean_square)
"""M for each d_k; networks of different d_k may share weights or not."""
_any_logits = Domain((Size(n, 1, 3), Scaled(M, height=2, unit=UNIT)))
_anywhere: dict[str, Any] = {"of": logits, "one": M, "anywhere": _any_logits}

_LIMIT_A = r"\lim_{d_k\to\infty}A"
_uniform = ones(n, n) / n
limit_of_attention = AlmostSureLimit(
    rf"{_LIMIT_A}\ \text{{(a.s.)}}", _at_limit(softmax), function=softmax, entry_name="A_{{{}{}}}",
    row=((i, n),), column=((j, n),), **_anywhere,
)  # fmt: skip
attention_becomes_uniform = Claim(
    id="noci2022.theorem-A.2.uniform",
    source=source("App. A.5", "Theorem A.2"),
    kind="limit",
    title="With $d_v$ fixed and $d_k$ growing, attention becomes uniform almost surely.",
    statement=Relation(limit_of_attention.name, (_uniform,)),
    domain=_sequence,
    define=limit_of_attention.define,
    quantity=limit_of_attention,
    hypotheses=(INITIALISATION, FIXED),
    uses=(tail_of_a_logit_is_summable, summable_deviations_imply_almost_sure_convergence),
    mutants=(
        *variants(
            ("1/n^2 for 1/n", ones(n, n) / n**2),
            ("n - 1 for n", ones(n, n) / (n - 1)),
            ("each token attends to itself", Identity(n)),
            lhs=_LIMIT_A,
        ),
        Mutant("unit variance", Relation(_LIMIT_A, (_uniform,)), domain=_constant_variance),
    ),
    printed=(
        r"\mathbf{A} := \text{softmax}\left(\frac{1}{\sqrt{d_k}} \mathbf{X} \mathbf{W}^Q "
        r"\mathbf{W}^{K \top} \mathbf{X}^\top\right) \overset{\text{a.s.}}{\longrightarrow} "
        r"\frac{1}{n} \mathbf{1}_{n \times n}"
    ),
    note=(
        r"In the printed proof $A$ and $\partial A/\partial M$ are called continuous functions of $A$, and "
        r"$\lim A(A(\omega))=A(\lim A(\omega))=A(0_{n\times n})=\tfrac1n1_{n\times n}$ stands where "
        "their argument $M$ is meant, or so in the transcription that we read: it is the logits that vanish, "
        r"while $A(\omega)\to\tfrac1n1_{n\times n}$. The display is no claim of its own: read as it stands, "
        r"the softmax of $A$, each of its members is $\tfrac1n1_{n\times n}$, since the softmax of any equal "
        r"entries is uniform. Proved without Lemma A.8: $\sum_{d_k}\mathbb E\|M\|_F^2<\infty$ is enough (Beppo "
        "Levi)."
    ),
)

_LIMIT_J = r"\lim_{d_k\to\infty}\frac{\partial A}{\partial M}"
_blocks = KroneckerProduct(Identity(n), centre)
k, m = (Symbol(name, integer=True, positive=True) for name in "km")
limit_of_jacobian = AlmostSureLimit(
    rf"{_LIMIT_J}\ \text{{(a.s.)}}", _at_limit(jacobian_of_softmax), function=jacobian_of_softmax,
    entry_name=r"\partial A_{{{}{}}}/\partial M_{{{}{}}}",
    row=((i, n), (j, n)), column=((k, n), (m, n)), **_anywhere,
)  # fmt: skip
softmax_jacobian_becomes_uniform = Claim(
    id="noci2022.theorem-A.2.jacobian",
    source=source("App. A.5", "Theorem A.2"),
    kind="limit",
    title="The softmax Jacobian converges almost surely to its value at equal logits.",
    statement=Relation(limit_of_jacobian.name, (_blocks / n,)),
    domain=_sequence,
    define=limit_of_jacobian.define,
    quantity=limit_of_jacobian,
    hypotheses=(INITIALISATION, FIXED),
    uses=(attention_becomes_uniform, softmax_jacobian_at_equal_logits),
    mutants=(
        *variants(
            ("dropped 1/n", _blocks),
            ("not centred", KroneckerProduct(Identity(n), Identity(n)) / n),
            ("factors exchanged", KroneckerProduct(centre, Identity(n)) / n),
            ("1/n^2 for 1/n", _blocks / n**2),
            lhs=_LIMIT_J,
        ),
        Mutant("unit variance", Relation(_LIMIT_J, (_blocks / n,)), domain=_constant_variance),
    ),
    printed=(
        r"\frac{\partial \mathbf{A}}{\partial \mathbf{M}} \overset{\text{a.s.}}{\longrightarrow} "
        r"\frac{1}{n} \mathbf{I}_n \otimes \left(\mathbf{I}_n - \frac{1}{n} \mathbf{1}_{n \times "
        r"n}\right)"
    ),
)
