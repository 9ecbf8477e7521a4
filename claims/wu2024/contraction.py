r"""How fast products of attention matrices contract: Lemma 3, Corollary 2, and Eq. (17)-(19).

The width of a vector is M^{(t)} - m^{(t)}, its largest entry minus its least.  Set-up and reading
are those of `claims.wu2024.extrema`.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Rational, Symbol, sqrt

from claims.domain import Array, Domain, Point, Real, Size
from claims.masks import complete, one_directional
from claims.model import Claim, Hypothesis
from claims.statement import Compare, Quantity
from claims.wu2024.dynamics import Layers, after_layers, multiply, product_bound, values
from claims.wu2024.extrema import (
    CENTRED,
    RECURSION,
    STOCHASTIC,
    along_a_chain,
    attention_class,
    bottom,
    extrema_are_monotone,
    high_centre_pulls_up_by_the_same_factor,
    low_centre_pulls_down,
    top,
    width,
)
from claims.wu2024.masks import SELF_LOOPS, SEVERAL_TOKENS
from claims.wu2024.notation import WV, G, X, attention, d, epsilon, k, p, r, source, t, x
from claims.wu2024.setup import Place

# Lemma 3 and Corollary 2: the width contracts -----------------------------------------------------


def width_at(layer: Any) -> Expr:
    """M - m at a layer."""
    return top(layer) - bottom(layer)


def _chain(layers: int, tokens: int = 3) -> dict[Any, Any]:
    """Tokens in a chain, epsilon = 1/2; only the first differs, r layers from the last."""
    first = ImmutableDenseMatrix([1] + [0] * (tokens - 1))
    start = {G: one_directional(tokens), epsilon: Rational(1, 2), x: first}
    return {**start, attention: (along_a_chain(tokens, Rational(1, 2)),) * layers}


_contracting = Domain((*attention_class(k * r, Size(k, 0, 2)), Real(p, 0, 1), Array(x)))
width_contracts_over_the_diameter = Claim(
    id="wu2024.lemma-3.contraction",
    source=source("App. B.1", "Lemma 3, Eq. (12)"),
    kind="bound",
    title=r"Over $r$ layers the width $M-m$ contracts by $1-p\epsilon^r$, for every $p$ in $[0,1]$.",
    statement=Compare(width_at(k * r), "<=", (1 - p * epsilon**r) ** k * width_at(0)),
    printed=(
        r"M^{(t+kr)} - m^{(t+kr)} \leq (1 - p\epsilon^r)^k (M^{(t)} - m^{(t)}), "
        r"\quad k \in \mathbb{N}_{\geq 0}"
    ),
    domain=_contracting,
    hypotheses=(STOCHASTIC, RECURSION, SELF_LOOPS, CENTRED, Hypothesis(r"0\le p\le1")),
    uses=(low_centre_pulls_down, high_centre_pulls_up_by_the_same_factor),
    probes=tuple(
        _contracting.completed({**_chain(n - 1, n), k: Integer(1), p: Integer(1)}) for n in (3, 4)
    ),
    note=(
        "True for $p=1$, from which the rest follows; not by the printed proof, which stops at "
        "$p=1/2$."
    ),
)

_factor = 1 - epsilon**r
_decaying = Domain((*attention_class(t, Size(t, 0, 6)), Array(x)))
width_decays_exponentially = Claim(
    id="wu2024.cor-2.rate",
    source=source("App. B.1", "Corollary 2"),
    kind="rate",
    title=r"The width decays at least like $(1-\epsilon^r)^{t/r}$, up to a constant.",
    statement=Compare(width_at(t), "<=", width_at(0) * _factor ** (t / r - (r - 1) / r)),
    printed=r"M^{(t)} - m^{(t)} \leq C(1 - \epsilon^r)^{t/r}, \forall t \geq 0",
    domain=_decaying,
    hypotheses=(STOCHASTIC, RECURSION, SELF_LOOPS, CENTRED),
    uses=(width_contracts_over_the_diameter, extrema_are_monotone),
    understood=(SEVERAL_TOKENS,),
    probes=tuple(
        _decaying.completed({**_chain(n, tokens), t: Integer(n)})
        for n, tokens in ((1, 3), (2, 3), (2, 4), (3, 4))
    ),
    note=(
        r"The paper leaves $C$ open: $C=(M^{(0)}-m^{(0)})(1-\epsilon^r)^{-(r-1)/r}$ serves every "
        r"$t$, those that are not multiples of $r$ included (any $C>0$ where that width is zero). App. B.2 "
        "says that (18) follows from (2); it follows from this corollary."
    ),
)

# The proof of Theorem 1: columns of X -------------------------------------------------------------

j = Symbol("j", integer=True, positive=True)
C_j = Symbol("C_j", positive=True)
A3 = Hypothesis(
    r"\|\tilde W^{(s)}\|_2\le S\ \text{for all } s,\quad\tilde W^{(s)}=W_V^{(0)}\cdots W_V^{(s)},\quad S\ge1"
)


def _column(point: Point) -> Any:
    return multiply(point[values]).col(int(point[j]) - 1)


column_width = Quantity(
    r"\max_{m,n}|X_{m,j}^{(t+1)}-X_{n,j}^{(t+1)}|",
    lambda at: width(after_layers(at).col(int(at[j]) - 1)),
)
weights = Quantity(
    r"\sum_i|\tilde W_{ij}^{(t)}|", lambda at: sum(abs(e) for e in _column(at)), nonnegative=True
)
widest = Quantity(
    r"\max_{i,m,n}|X_{m,i}^{(0)}-X_{n,i}^{(0)}|",
    lambda at: max(width(at[X].col(n)) for n in range(int(at[d]))),
)
_layers = (
    *attention_class(t + 1, Size(t, 0, 3)), Size(d, 1, 2), Real(product_bound, 1),
    Layers(values, Array(WV, 2), t + 1, bound=product_bound), Place(j, d), Array(X),
)  # fmt: skip
_decay = _factor ** (t / r)
_constant = widest * _factor ** (-(r - 1) / r)
columns_contract_with_bounded_values = Claim(
    id="wu2024.thm-1.proof-eq-17-19.repair",
    parent="wu2024.thm-1.proof-eq-17-19",
    source=source("App. B.2", "Eq. (17)-(19)"),
    kind="bound",
    title=r"Every column of the tokens contracts, with A3's bound $S$ and $\sqrt d$ in the constant.",
    statement=Compare(column_width, "<=", _constant * weights * _decay)
    & Compare(weights, "<=", sqrt(d) * product_bound),
    domain=Domain(_layers),
    hypotheses=(STOCHASTIC, SELF_LOOPS, CENTRED, A3),
    uses=(width_decays_exponentially,),
    note=(
        r"The constant of (18) is $C_j=(1-\epsilon^r)^{-(r-1)/r}$ times the largest width of a "
        r"column of $X^{(0)}$; that of (19) is $\sqrt d\,S$ times as large: so A3 bounds the weights."
    ),
)

_any_constant = Domain((*_layers, Real(C_j, 0, open_low=True)))
_turned = _any_constant.completed(
    {
        G: complete(2), epsilon: Rational(1, 2), t: Integer(0), d: Integer(2), j: Integer(1),
        attention: (ImmutableDenseMatrix.ones(2, 2) / 2,), C_j: Integer(1),
        values: (ImmutableDenseMatrix([[1, 1], [1, -1]]),), product_bound: Integer(2),
        X: ImmutableDenseMatrix.eye(2),
    }
)  # fmt: skip
weights_can_be_dropped = Claim(
    id="wu2024.thm-1.proof-eq-17-19",
    source=source("App. B.2", "Eq. (17)-(19)"),
    kind="bound",
    title=r"Under A3 the sum of the weights $|\tilde W_{ij}|$ can be dropped, $C_j$ unchanged.",
    statement=Compare(C_j * weights * _decay, "<=", C_j * _decay),
    printed=(
        r"C_j \sum_{i=1}^d |\tilde{W}_{ij}^{(t)}| (1 - \epsilon^r)^{t/r} \leq "
        r"C_j (1 - \epsilon^r)^{t/r}"
    ),
    domain=_any_constant,
    hypotheses=(STOCHASTIC, SELF_LOOPS, CENTRED, A3),
    uses=(width_decays_exponentially,),
    probes=(_turned,),
    severity="misprint",
    repair=columns_contract_with_bounded_values,
    note=(
        "The same $C_j$ stands on both sides, so the sum of the weights must be at most one. It is $2$ for "
        "$W_V=\\begin{pmatrix}1&1\\\\1&-1\\end{pmatrix}$, and $\\sqrt2$ for the orthogonal matrix "
        "$W_V/\\sqrt2$, for which A3 holds with $S=1$: so for every $C_j$. (17), (18) and, with another "
        "constant, the outer inequality hold."
    ),
)
