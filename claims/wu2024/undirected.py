r"""App. F.4: does a similar equilibrium exist when the mask is undirected?

The paper asks; the answer is yes, in the sense of item 1 of Theorem 3.  Take d = N (for larger d
pad with zeros) and W_V = A^{-1} for an invertible attention matrix A: with the tokens X = I,
A X W_V = X, and LayerNorm has nothing to do.  A is invertible for every undirected mask with
self-loops when attention is sharp enough, here W_Q W_K^T/sqrt(d) = log N times I, so that token i
gives itself N times the weight of each neighbour.  On a cycle whose length is no multiple of 3,
uniform attention (W_Q = W_K = 0) will do; A is then a circulant matrix, commutes with every other
one, and so every circulant X with unit rows is an equilibrium, of any rank that one likes.

Dividing W_V by its norm satisfies A3 and changes nothing.  Only existence is claimed here; that such
equilibria can attract is claimed in `attracting`.  Under uniform attention on the complete graph
all rows agree after one layer, so that unequal scores, or another mask, are needed there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, Symbol, cos, pi, sqrt
from sympy.polys.matrices import DomainMatrix

from claims.domain import Computed, Condition, Domain, Point, Size
from claims.masks import Mask, cycle
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Quantity
from claims.wu2024.notation import G, N, k, source
from claims.wu2024.setup import size_of_mask

sharpness = Symbol("b", integer=True, positive=True)
"""e^{score} of a token with itself; one for W_Q = W_K = 0."""


@dataclass(frozen=True)
class UndirectedMask:
    """A mask with self-loops in which token i attends to j if and only if j attends to i."""

    symbol: Any = G
    low: int = 2
    high: int = 5

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        """Sizes from `low` on, and within a size the masks with most edges first."""
        for size in range(self.low, self.high + 1):
            pairs = list(combinations(range(1, size + 1), 2))
            missing = weight - (size - self.low)
            if 0 <= missing <= len(pairs):
                for edges in combinations(pairs, len(pairs) - missing):
                    yield undirected(size, edges)

    def draw(self, rng: Random, point: Point) -> Any:
        size = rng.randint(self.low, self.high)
        if rng.random() < 0.3:
            return cycle(size) if size > 2 else undirected(size, ((1, 2),))
        pairs = list(combinations(range(1, size + 1), 2))
        return undirected(size, tuple(e for e in pairs if rng.random() < 0.7))

    def of_size(self, rng: Random, point: Point, size: int) -> Any:
        """A random undirected mask on so many tokens."""
        return replace(self, low=size, high=size).draw(rng, point)

    def objection(self, value: Any, point: Point) -> str | None:
        if not value.has_self_loops or {(i, j) for j, i in value.edges} != value.edges:
            return f"mask {value}: must be undirected, with self-loops"
        return None


def undirected(size: int, pairs: tuple[tuple[int, int], ...]) -> Mask:
    """The undirected mask with these pairs of tokens, named as a cycle where it is the cycle.

    >>> str(undirected(2, ((1, 2),))), str(undirected(4, ((1, 2), (2, 3), (3, 4), (1, 4))))
    ('undirected(2)', 'cycle(4)')
    """
    loops = ((i, i) for i in range(1, size + 1))
    edges = frozenset((*loops, *pairs, *((j, i) for i, j in pairs)))
    mask = Mask("undirected", size, edges)
    return cycle(size) if size > 2 and mask.edges == cycle(size).edges else mask


def is_good_cycle(mask: Mask) -> bool:
    """A cycle of at least four tokens, their number no multiple of three."""
    return mask.size > 3 and mask.size % 3 != 0 and mask.edges == cycle(mask.size).edges


def modes(size: int, rank: int) -> list[int]:
    """`rank` Fourier modes of a cycle, closed under l -> -l; all of them for rank = size.

    >>> modes(5, 2), modes(5, 3), modes(4, 4)
    ([1, 4], [0, 1, 4], [0, 1, 2, 3])
    """
    if rank == size:
        return list(range(size))
    pairs = [j for half in range(1, rank // 2 + 1) for j in (half, size - half)]
    return sorted(([0] if rank % 2 else []) + pairs)


@lru_cache(maxsize=256)
def circulant(size: int, rank: int) -> ImmutableDenseMatrix:
    """Tokens X_{ij} = sum_l cos(2 pi l (i - j)/N)/sqrt(N rank) over `modes`: of unit norm."""
    values = [
        sum((cos(2 * pi * l * shift / size) for l in modes(size, rank)), start=Integer(0))  # noqa: E741
        for shift in range(size)
    ]
    scale = sqrt(Integer(size * rank))
    return ImmutableDenseMatrix(size, size, lambda a, b: values[(a - b) % size] / scale)


def tokens(point: Point) -> ImmutableDenseMatrix:
    """I for full rank; a circulant matrix of unit rows otherwise."""
    size, rank = point[G].size, int(point[k])
    return ImmutableDenseMatrix.eye(size) if rank == size else circulant(size, rank)


@lru_cache(maxsize=1024)
def attention_at(mask: Mask, base: int, x: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """Masked softmax of log(base) times the inner products of X, which are 0 and 1 or base is 1."""
    gram = x * x.T if base > 1 else ImmutableDenseMatrix.zeros(mask.size, mask.size)
    weights = gram.applyfunc(lambda g: Integer(base) ** g).multiply_elementwise(mask.matrix)
    return ImmutableDenseMatrix([weights.row(a) / sum(weights.row(a)) for a in range(mask.size)])


def exact_rank(matrix: ImmutableDenseMatrix) -> int:
    return int(DomainMatrix.from_Matrix(matrix, extension=True).to_field().rank())


def _moved_rows(x: ImmutableDenseMatrix, after: ImmutableDenseMatrix) -> int:
    """Rows of X that are no unit vector, or after which no positive multiple of them comes."""
    scales = (after * x.T).diagonal()

    def stays(a: int) -> bool:
        unit = (sum(e**2 for e in x.row(a)) - 1).expand() == 0
        along = ((after[a, b] - scales[a] * x[a, b]).expand() == 0 for b in range(x.cols))
        return bool(unit and scales[a].expand().is_positive and all(along))

    return sum(not stays(a) for a in range(x.rows))


@lru_cache(maxsize=1024)
def _examined(mask: Mask, base: int, x: ImmutableDenseMatrix) -> tuple[int, int, int]:
    """How many rows of X the layer with W_V = A^{-1} moves, the rank of X, and the entries off the
    diagonal of W_V W_V^T that are not zero; all rows are moved where A has no inverse."""
    attention = attention_at(mask, base, x)
    if attention.rank() < mask.size:
        return mask.size, 0, 0
    value = attention.inv()
    gram = value * value.T
    crossed = sum(gram[a, b] != 0 for a in range(mask.size) for b in range(a))
    return _moved_rows(x, attention * x * value), exact_rank(x), crossed


def _looked(place: int) -> Any:
    return lambda at: Integer(_examined(at[G], int(at[sharpness]), tokens(at))[place])


moved_rows = Quantity(r"\#\{i:\ \mathrm{LN}(AXA^{-1})_i\ne X_i\}", _looked(0))
token_rank = Quantity(r"\operatorname{rank}X", _looked(1))
crossed_columns = Quantity(r"\#\{a<b:\ (A^{-1}A^{-\top})_{ab}\ne0\}", _looked(2))
uniform_rank = Quantity(
    r"\operatorname{rank}A|_{W_Q=W_K=0}",
    lambda at: Integer(attention_at(at[G], 1, ImmutableDenseMatrix.eye(at[G].size)).rank()),
)


def _masks(*rank_conditions: Condition) -> Domain:
    sharp = Computed(sharpness, lambda at: Integer(1 if is_good_cycle(at[G]) else at[G].size))
    return Domain((UndirectedMask(), size_of_mask, Size(k, 1, 5), sharp), rank_conditions)


_full_or_cycle = Condition(
    r"k=N,\ \text{or }\mathcal G\text{ a cycle},\ N\ge4,\ 3\nmid N,\ k\le N",
    lambda at: at[k] == at[N] or (at[k] < at[N] and is_good_cycle(at[G])),
)
_three_divides = Condition(r"k=N,\ 3\mid N", lambda at: at[k] == at[N] == 3)
_uniform_on_triples = Domain(
    (
        UndirectedMask(high=3),
        size_of_mask,
        Size(k, 1, 3),
        Computed(sharpness, lambda at: Integer(1)),
    ),
    (_three_divides,),
)
_exists = moved_rows.equals(0) & token_rank.equals(k)
undirected_masks_have_equilibria_of_full_rank = Claim(
    id="wu2024.app-F4.undirected-open",
    source=source("App. F.4"),
    kind="prose",
    title=(
        "For $d=N$ undirected masks have equilibria of full rank too; cycles with $N\\ge4$, $3\\nmid N$ have "
        "them of every rank."
    ),
    statement=_exists,
    domain=_masks(_full_or_cycle),
    hypotheses=(
        Hypothesis(r"\mathcal G\ \text{undirected with self-loops (A1)},\quad d=N\ge2"),
        Hypothesis(r"k=N;\ \text{or}\ k\le N\ \text{on a cycle},\ N\ge4,\ 3\nmid N"),
        Hypothesis(r"\text{A2-A3; the same}\ W_Q,W_K,W_V\ \text{for all}\ k"),
    ),
    mutants=(
        Mutant("without scores, on every mask", _exists & uniform_rank.at_least(k)),
        Mutant("an orthogonal W_V, as in Theorem 2", _exists & crossed_columns.equals(0)),
        Mutant("uniform attention on three tokens", _exists, domain=_uniform_on_triples),
    ),
    note=(
        "The paper leaves this open, with a negative conjecture that can be read in two ways: the "
        "direction of edges makes no difference, as here, or masks without direction have no such "
        "equilibrium, which is false by the same argument: for any invertible attention matrix $A$ the "
        "tokens $X = I$ are an equilibrium of $W_V = A^{-1}$. Such equilibria can attract: on two tokens "
        "with a complete mask an open set of inputs keeps rank two, as in Theorem 3, item 2 "
        "(`wu2024.beyond.undirected-attraction`)."
    ),
)
