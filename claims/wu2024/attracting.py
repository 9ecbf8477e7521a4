r"""App. F.4: on an undirected mask, too, an open set of inputs keeps rank two.

Two tokens on the complete mask, $d = 2$.  $X = I$ has the attention matrix $A$ below and is fixed for
$W_V = A^{-1}$; near $I$ a token moves with the other one and with its own scores.  The two effects
nearly cancel in the diagonal of the Jacobian, and one entry beside it is small, so that $I$ attracts.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, localcontext
from functools import lru_cache
from itertools import islice
from typing import Any

from sympy import Abs, ImmutableDenseMatrix, Rational, Symbol, log, oo, sqrt

from claims.domain import Domain, Point, Real
from claims.model import Claim, Hypothesis, Mutant
from claims.points import Remembered
from claims.statement import Compare, ForAll
from claims.terms import family, from_zero
from claims.wu2024.notation import source, t
from claims.wu2024.trajectory import Rows, decimals, product, scaled, transposed, unit_row
from claims.wu2024.undirected import undirected_masks_have_equilibria_of_full_rank

first, second = Symbol("u", real=True), Symbol("v", real=True)
"""X_{1,2} and X_{2,1} at the start, as shares of the largest values that are allowed."""
FIRST, SECOND = Rational(1, 50), Rational(1, 400)
SCORES = ImmutableDenseMatrix(
    [
        [Rational(31, 10) + log(Rational(7, 2)), Rational(31, 10)],
        [Rational(19, 10), Rational(19, 10) - log(Rational(3, 2))],
    ]
)
"""W_Q W_K^T / sqrt(d_QK)."""
AT_IDENTITY = ImmutableDenseMatrix(
    [[Rational(7, 9), Rational(2, 9)], [Rational(3, 5), Rational(2, 5)]]
)
"""The attention matrix of X = I."""
VALUE = AT_IDENTITY.inv()


def start(u: Any, v: Any) -> ImmutableDenseMatrix:
    """Tokens of unit norm near e_1 and e_2."""
    along, across = FIRST * u, SECOND * v
    return ImmutableDenseMatrix([[sqrt(1 - along**2), along], [across, sqrt(1 - across**2)]])


_DIGITS = 60


def layer(state: Rows) -> Rows:
    """LN(A X W_V) on the complete mask, from the scores of the tokens."""
    weights = [
        [score.exp() for score in row]
        for row in product(product(state, decimals(SCORES)), transposed(state))
    ]
    attention = scaled([1 / sum(row, Decimal(0)) for row in weights], weights)
    return list(map(unit_row, product(product(attention, state), decimals(VALUE))))


@lru_cache(maxsize=512)
def _followed(u: Any, v: Any) -> Remembered:
    def layers() -> Iterator[Rows]:
        state = decimals(start(u, v))
        while True:
            yield state
            with localcontext(prec=_DIGITS):
                state = layer(state)

    return Remembered(layers)


def _tokens(point: Point, layers: int) -> Rows:
    from_zero(layers)
    return next(islice(_followed(point[first], point[second]), layers, None))


def _determinant(point: Point, layers: int) -> Decimal:
    (a, c), (x, z) = _tokens(point, layers)
    with localcontext(prec=_DIGITS):
        return a * z - c * x


token_after = family(
    r"X_{{{1},{2}}}^{{({0})}}",
    lambda at, layers, i, b: _tokens(at, layers)[i - 1][b - 1],
    kept=True,
)
determinant = family(r"\det X^{{({})}}", _determinant, kept=True)


def _starts(reach: Any = 1) -> Domain:
    return Domain((Real(first, -reach, reach), Real(second, -reach, reach)))


starts = _starts()
_held = ForAll(
    t, 0, oo,
    Compare(Abs(token_after(t, 1, 2)), "<=", FIRST)
    & Compare(Abs(token_after(t, 2, 1)), "<=", SECOND)
    & Compare(determinant(t), ">=", Rational(99, 100)),
)  # fmt: skip
undirected_pairs_keep_rank_two = Claim(
    id="wu2024.beyond.undirected-attraction",
    source=source("App. F.4"),
    kind="dynamics",
    title="On the complete mask of two tokens an open set of inputs stays near an equilibrium of rank two.",
    statement=_held,
    domain=starts,
    hypotheses=(
        Hypothesis(r"\mathcal G\ \text{complete},\ N=d=2,\ \text{LayerNorm as in (3)}"),
        Hypothesis(
            r"\tfrac1{\sqrt{d_{QK}}}W_QW_K^\top=\begin{pmatrix}\tfrac{31}{10}+\log\tfrac72&\tfrac{31}{10}\\"
            r"\tfrac{19}{10}&\tfrac{19}{10}-\log\tfrac32\end{pmatrix}"
        ),
        Hypothesis(
            r"W_V=\begin{pmatrix}7/9&2/9\\3/5&2/5\end{pmatrix}^{-1}"
            r"=\begin{pmatrix}9/4&-5/4\\-27/8&35/8\end{pmatrix}"
        ),
        Hypothesis(
            r"X_{1,2}^{(0)}=\tfrac u{50},\ X_{2,1}^{(0)}=\tfrac v{400},\ |u|,|v|\le1,\ "
            r"X_{1,1}^{(0)},X_{2,2}^{(0)}>0,\ \text{rows of norm one}"
        ),
    ),
    uses=(undirected_masks_have_equilibria_of_full_rank,),
    mutants=(Mutant("starts forty times as far away", _held, domain=_starts(40)),),
    note=(
        "A statement of ours, on the question of App. F.4, whether a similar equilibrium exists for an "
        "undirected graph: it does, and it attracts, as one reading of the conjecture has it. "
        "$X=I$ is fixed, and the tokens that stay near it for ever are a set of positive measure, as in "
        "Theorem 3, item 2. "
        "In runs they tend to $I$; the Jacobian there in $(X_{1,2},X_{2,1})$ has eigenvalues of modulus "
        "$0.17$. For more tokens one of them stands at $e_2$, the others at $e_1$, with other weights."
    ),
)
