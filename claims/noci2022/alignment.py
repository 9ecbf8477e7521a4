r"""When a correlation is one: the remarks after Eqs. (5) and (14).

A correlation there is a ratio of expectations, so tokens may be random; laws with m equally likely
outcomes are enough to decide.  P and Q hold tokens k and k' outcome by outcome, one row each; for n
tokens the rows of X run over the tokens within each outcome.  No token is zero in any outcome.  The
remarks speak of the network, so they are judged at tokens that one of its layers makes.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, Sum, Symbol, sqrt

from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Size
from claims.model import Claim, Hypothesis
from claims.noci2022.notation import alpha1, d, m, n, source
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import entry, family

P, Q = MatrixSymbol("P", m, d), MatrixSymbol("Q", m, d)
X = MatrixSymbol("X", n * m, d)
RANDOM = Hypothesis(
    r"\text{tokens random, almost surely not zero: here with } m\ \text{equally likely outcomes}"
)
outcome, feature, token, other = (
    Symbol(name, integer=True, positive=True) for name in ("i", "z", "k", "k'")
)


def entry_of_token(which: Any) -> Expr:
    """Entry z of token `which` in outcome i."""
    return entry(X)((outcome - 1) * n + which, feature)


def _not_zero(count: Any, *entries: Expr) -> Condition:
    """In no outcome is a token zero; `entries` are those of the tokens in outcome i."""
    norms = (Sum(x**2, (feature, 1, d)) for x in entries)
    formulas = [ForAll(outcome, 1, count, Compare(norm, ">", 0)) for norm in norms]
    whole: Formula = formulas[0]
    for following in formulas[1:]:
        whole = whole & following

    def holds(point: Point) -> bool:
        arrays = (point[a] for a in (P, Q, X) if a in point)
        return all(any(a.row(row)) for a in arrays for row in range(a.rows))

    return Condition(r"X_k\ne0\ \text{in every outcome}", holds, whole)


def _inner(a: Any, b: Any) -> Expr:
    return sum((s * t for s, t in zip(a, b, strict=True)), start=Integer(0))


def _ratio(a: Any, b: Any) -> Expr:
    """<a, b> / sqrt(<a, a> <b, b>): a cosine for one outcome, a correlation for all outcomes."""
    return _inner(a, b) / sqrt(_inner(a, a) * _inner(b, b))


def _norm_ratio(a: Any, b: Any) -> Expr:
    return sqrt(_inner(b, b) / _inner(a, a))


# Two tokens ---------------------------------------------------------------------------------------

rho = Quantity(r"\rho_{kk'}", lambda at: _ratio(at[P], at[Q]))
cosine = family(r"\cos\theta_{{kk'}}({})", lambda at, i: _ratio(at[P].row(i - 1), at[Q].row(i - 1)))
ratio = Quantity(
    r"\sqrt{\frac{\mathbb E\|X_{k'}\|^2}{\mathbb E\|X_k\|^2}}",
    lambda at: _norm_ratio(at[P], at[Q]),
    positive=True,
)


def attended(start: ImmutableDenseMatrix, strength: Any) -> list[ImmutableDenseMatrix]:
    """x_k + w alpha_1 xbar for w = 1 and w = -1: tokens after one layer with d_v = 1."""
    step = strength * sum(start) / Integer(start.rows)
    return [start.applyfunc(lambda x, w=w: x + w * step) for w in (1, -1)]


def _of_token(k: int) -> Any:
    return lambda at: ImmutableDenseMatrix([[x[k]] for x in attended(at[x_pair], at[alpha1])])


x_pair, x_all = MatrixSymbol("x", 2, 1), MatrixSymbol("x", n, 1)
_TWO_OUTCOMES = (Choice(m, (Integer(2),)), Choice(d, (Integer(1),)))
_STRENGTH = Choice(alpha1, (Rational(1, 3), Rational(1, 4), Integer(1)))


def _aligned(tokens: MatrixSymbol) -> dict[Any, Any]:
    """Tokens 3 and 5, to which the layer adds w: (4, 6) or (2, 4)."""
    start = ImmutableDenseMatrix([3, 5])
    return {m: Integer(2), d: Integer(1), tokens: start, alpha1: Rational(1, 4)}


IN_THE_NETWORK = (
    Hypothesis(r"A=\tfrac1n1_{n\times n}"),
    Hypothesis(r"d_v=1,\ W^V=w=\pm1\ \text{with probability}\ \tfrac12,\ \alpha_2=0"),
    Hypothesis(r"x\ \text{fixed},\ X_k=x_k+\alpha_1w\bar x"),
)
_WHY = (
    r"A correlation is a ratio of expectations: $\cos\theta=1$ in every outcome leaves the ratio of "
    r"the norms free to vary, and then $\rho<1$."
)
_NETWORK = (
    r"In the paper's own network tokens $1$ and $2$ become $1\pm\tfrac12$ and $2\pm\tfrac12$ for "
    r"$\alpha_1=\tfrac13$ and $W^V=\pm1$, one aligned pair or the other. No such law is needed: Sec. 2 "
    r"calls its initialisation Xavier or He, and Xavier's uniform law, $w$ on $[-\sqrt3,\sqrt3]$, has the same "
    r"moments and keeps both tokens aligned too: $\rho=9/\sqrt{85}$ again. Under laws of full support, as He's "
    r"Gaussian one and that of the matrices of App. A.4, the printed equivalence holds."
)
_pairs = Domain(
    (Size(m, 1, 3), Size(d, 1, 3), Array(P), Array(Q)),
    (_not_zero(m, entry(P)(outcome, feature), entry(Q)(outcome, feature)),),
)
proportional = ForAll(
    outcome, 1, m,
    ForAll(
        feature, 1, d,
        Compare(entry(Q)(outcome, feature), "=", ratio * entry(P)(outcome, feature)),
    ),
)  # fmt: skip
"""Almost surely X_k' is the same positive multiple of X_k."""
aligned = ForAll(outcome, 1, m, Compare(cosine(outcome), "=", 1))
FULL_SUPPORT = (
    r"The last part is the printed equivalence with the hypothesis that it lacks: tokens aligned in every "
    r"outcome have one ratio of norms. Laws of full support, as of Gaussian weights, give it with linear "
    r"activation, uniform attention and a fixed input. Given all other weights the shift "
    r"$\alpha_1\bar x^\top W^V$ that a layer adds to both tokens takes values near every row; near "
    r"$-\tfrac12(X_k+X_{k'})$ different tokens would be opposite. So aligned tokens are equal, or nothing is "
    r"added, and then $X_{k'}$ stays the multiple of $X_k$ that it is at the start."
)

correlation_one_means_one_ratio = Claim(
    id="noci2022.sec2.rho-one-iff.repair",
    parent="noci2022.sec2.rho-one-iff",
    source=source("Sec. 2", "after Eq. (5)"),
    kind="prose",
    title="A correlation is one exactly when one token is a fixed positive multiple of the other.",
    statement=rho.equals(1).iff(proportional)
    & aligned.implies(proportional).implies(rho.equals(1).iff(aligned)),
    domain=_pairs,
    hypotheses=(RANDOM,),
    note=(
        "Alignment must be with one ratio of norms in all outcomes, which is then that of the root "
        rf"mean squares. For fixed tokens ($m=1$) this is $\cos\theta=1$, as printed. {FULL_SUPPORT}"
    ),
)

_pair_after_a_layer = Domain(
    (
        *_TWO_OUTCOMES, Array(x_pair), _STRENGTH, Computed(P, _of_token(0)),
        Computed(Q, _of_token(1)),
    ),
    _pairs.conditions,
)  # fmt: skip
correlation_one_means_aligned = Claim(
    id="noci2022.sec2.rho-one-iff",
    source=source("Sec. 2", "after Eq. (5)"),
    kind="prose",
    title="A correlation is one exactly when the two tokens are perfectly aligned.",
    statement=rho.equals(1).iff(aligned),
    domain=_pair_after_a_layer,
    hypotheses=IN_THE_NETWORK,
    severity="missing-hypothesis",
    repair=correlation_one_means_one_ratio,
    probes=(_pair_after_a_layer.completed(_aligned(x_pair)),),
    printed=(
        r"\rho_{kk'}^{\ell} = 1 \text{ if and only if the } k\text{-th and } k'\text{-th tokens "
        r"are perfectly aligned } (\cos \theta_{kk'} = 1)"
    ),
    note=f"{_WHY} {_NETWORK}",
)

# All tokens ---------------------------------------------------------------------------------------


def _rows(at: Point, k: int) -> list[Any]:
    """Token k, outcome by outcome."""
    return at[X].tolist()[k - 1 :: int(at[n])]


def _flat(at: Point, k: int) -> list[Any]:
    return [x for row in _rows(at, k) for x in row]


def average_of_pairs(at: Point) -> Expr:
    """The mean of rho_kk' over the pairs of different tokens."""
    tokens = range(1, int(at[n]) + 1)
    pairs = [(_flat(at, k), _flat(at, l)) for k in tokens for l in tokens if k != l]  # noqa: E741
    return sum((_ratio(*pair) for pair in pairs), start=Integer(0)) / len(pairs)


average = Quantity(r"\tfrac1{n(n-1)}\sum_{k\ne k'}\rho_{kk'}", average_of_pairs)
correlation_of_pair = family(
    r"\rho_{{{}{}}}", lambda at, k, l: _ratio(_flat(at, k), _flat(at, l))  # noqa: E741
)  # fmt: skip
cosine_of_pair = family(
    r"\cos\theta_{{{1}{2}}}({0})",
    lambda at, i, k, l: _ratio(_rows(at, k)[i - 1], _rows(at, l)[i - 1]),  # noqa: E741
)
ratio_of_pair = family(
    r"\sqrt{{\frac{{\mathbb E\|X_{{{1}}}\|^2}}{{\mathbb E\|X_{{{0}}}\|^2}}}}",
    lambda at, k, l: _norm_ratio(_flat(at, k), _flat(at, l)),  # noqa: E741
)
_laws = Domain(
    (Size(n, 2, 3), Size(m, 1, 2), Size(d, 1, 2), Array(X)),
    (
        Condition(
            r"X_k\ne0\ \text{in every outcome}",
            _not_zero(m, entry_of_token(token)).holds,
            ForAll(token, 1, n, _not_zero(m, entry_of_token(token)).formula),
        ),
    ),
)


def _all_pairs(body: Formula) -> Formula:
    return ForAll(token, 1, n, ForAll(other, 1, n, ForAll(outcome, 1, m, body)))


all_proportional = _all_pairs(
    ForAll(
        feature, 1, d,
        Compare(entry_of_token(other), "=", ratio_of_pair(token, other) * entry_of_token(token)),
    )
)  # fmt: skip

all_aligned = _all_pairs(Compare(cosine_of_pair(outcome, token, other), "=", 1))

average_correlation_one_means_one_ratio = Claim(
    id="noci2022.eq-14.average.repair",
    parent="noci2022.eq-14.average",
    source=source("Sec. 3.2", "Eq. (14)"),
    kind="prose",
    title="The average correlation is one exactly when tokens are fixed multiples of each other.",
    statement=average.equals(1).iff(all_proportional)
    & all_aligned.implies(all_proportional).implies(average.equals(1).iff(all_aligned)),
    domain=_laws,
    hypotheses=(RANDOM,),
    note=f"Every pair must be aligned with one ratio of norms in all outcomes. {FULL_SUPPORT}",
)

_all_after_a_layer = Domain(
    (
        Size(n, 2, 3), *_TWO_OUTCOMES, Array(x_all), _STRENGTH,
        Computed(X, lambda at: ImmutableDenseMatrix.vstack(*attended(at[x_all], at[alpha1]))),
    ),
    _laws.conditions,
)  # fmt: skip
average_correlation_one_means_all_aligned = Claim(
    id="noci2022.eq-14.average",
    source=source("Sec. 3.2", "Eq. (14)"),
    kind="prose",
    title="The average correlation is one exactly when every pair of tokens is perfectly aligned.",
    statement=average.equals(1).iff(all_aligned),
    domain=_all_after_a_layer,
    hypotheses=IN_THE_NETWORK,
    uses=(correlation_one_means_aligned,),
    severity="missing-hypothesis",
    repair=average_correlation_one_means_one_ratio,
    probes=(_all_after_a_layer.completed({n: Integer(2), **_aligned(x_all)}),),
    printed=r"\rho^\ell = 1 \text{ if and only if every pair of tokens is perfectly aligned}",
    note=f"{_WHY} {_NETWORK}",
)
