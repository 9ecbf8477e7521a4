r"""Symbols of Wu et al. (2024), "On the Role of Attention Masks and LayerNorm in Transformers".

| Paper               | Maths                                            | Code               |
|---------------------|--------------------------------------------------|--------------------|
| N, d                | number of tokens, number of features             | `N`, `d`           |
| X^{(t)}             | tokens as rows, N x d                            | `X`                |
| \mathcal G          | mask; (j, i) is an edge when i attends to j      | `G` (a `Mask`)     |
| A^{(t)}             | attention matrix, row-stochastic on G            | `A`, `attention`   |
| r                   | Def. 5: least distance from a centre to all      | `r`                |
| \epsilon            | least entry of A on an edge                      | `epsilon`          |
| W_V, W_Q, W_K       | d x d                                            | `WV`, `WQ`, `WK`   |
| D                   | diag(1/\|row\|_2) of LayerNorm                   | (never free)       |
| \mu(X)              | \|X - 11^T X/N\|_F, Eq. (4)                      | `mu_squared`       |
| \phi, \alpha        | least cosine of two tokens                       | `phi`              |
| w                   | superdiagonal of the value matrix (31)           | `w`                |

Def. 5's "diameter" r is what graph theory calls the radius over centre nodes; `Mask.radius` is it,
`Mask.ordinary_diameter` the longest distance over all ordered pairs.  Tokens count from one.
A sequence of attention matrices is a tuple, first layer first: X^{(t+1)} = A^{(t)} X^{(t)}.
"""

from __future__ import annotations

from sympy import Expr, Identity, MatrixSymbol, Symbol, symbols

from claims.expressions import FrobSq, ones
from claims.model import Source

PAPER = "wu2024"

N, d = symbols("N d", integer=True, positive=True)
r = Symbol("r", integer=True, positive=True)
t, T, k = symbols("t T k", integer=True, nonnegative=True)
w = Symbol("w", real=True)
epsilon = Symbol("epsilon", positive=True)
p = Symbol("p", real=True)
C = Symbol("C", nonnegative=True)
"""A constant of the paper, each time another one."""
G = Symbol(r"\mathcal{G}")
"""Holds a `Mask` at a point."""
attention = Symbol("A^{(0..T-1)}")
"""Holds a tuple of attention matrices at a point."""

X = MatrixSymbol("X", N, d)
A = MatrixSymbol("A", N, N)
WV, WQ, WK = (MatrixSymbol(f"W_{letter}", d, d) for letter in "VQK")
x = MatrixSymbol("x", N, 1)


def mu_squared(tokens: MatrixSymbol = X) -> Expr:
    """mu(X)^2 = ||X - 1 1^T X / N||_F^2, Eq. (4)."""
    return FrobSq((Identity(N) - ones(N, N) / N) * tokens)


def source(section: str, equation: str = "") -> Source:
    """A place in this paper."""
    return Source(PAPER, section, equation)
