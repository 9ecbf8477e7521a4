r"""Symbols of Noci et al. (2022), "Signal Propagation in Transformers", NeurIPS 2022.

| Paper            | Maths                                   | Code                 |
|------------------|-----------------------------------------|----------------------|
| X                | tokens as rows, n x d_v                 | `X`                  |
| X_k              | row k of X                              | `X.row(k)`           |
| \bar x           | mean token X^T 1/n, d_v x 1             | `xbar`               |
| L                | I - 11^T/n  (App. A.1; not the depth)   | `centre`             |
| X^T L X          | n times the centred token covariance    | `scatter`            |
| C(X)             | sum over k, k' of <X_k, X_k'>           | `C`                  |
| W^Q, W^K         | query and key weights, d_v x d_k        | `WQ`, `WK`           |
| W^V, W^F1, W^F2  | value and feed-forward, d_v x d_v       | `WV`, `WF1`, `WF2`   |
| \sigma_q^2, ...  | entry variances of W^Q, W^K, W^V        | `sigma_q2`, ...      |
| \tilde\alpha_i   | L alpha_i^2                             | `atilde1`, `atilde2` |
| \sigma_x^2, \rho | token variance and correlation (3.3)    | `sigma_x`, `rho`     |
| \ell             | number of layers already passed         | `ell`                |
| d                | d_v = d_k (Sec. 3.3, App. A.2)          | `d`                  |
| m, p, q, r, s    | sizes of general matrices (App. A.1.1)  | `m`, `p`, ...        |

The paper writes L both for the depth and for the centring matrix; here `depth` is the depth.
Variances are written as squares of positive symbols, so that every point is rational.
"""

from __future__ import annotations

from sympy import Expr, Identity, MatrixSymbol, Symbol, symbols

from claims.expressions import FrobSq, Named, Shaped, Total, ones
from claims.model import Source

PAPER = "noci2022"

n, d_v, d_k, d, m = symbols("n d_v d_k d m", integer=True, positive=True)
p, q, r, s = symbols("p q r s", integer=True, positive=True)
depth = Symbol("L", integer=True, positive=True)
ell = Symbol(r"\ell", integer=True, nonnegative=True)
sigma_q, sigma_k, sigma_v, sigma_x = symbols(
    "sigma_q sigma_k sigma_v sigma_x", real=True, positive=True
)
rho = Symbol("rho", real=True)
alpha1, alpha2 = symbols("alpha_1 alpha_2", real=True)
atilde1 = Symbol(r"\tilde\alpha_1", real=True, nonnegative=True)
atilde2 = Symbol(r"\tilde\alpha_2", real=True, nonnegative=True)

X = MatrixSymbol("X", n, d_v)
WQ, WK = MatrixSymbol("W^Q", d_v, d_k), MatrixSymbol("W^K", d_v, d_k)
WV = MatrixSymbol("W^V", d_v, d_v)
WF1, WF2 = MatrixSymbol("W^{F_1}", d_v, d_v), MatrixSymbol("W^{F_2}", d_v, d_v)
A = MatrixSymbol("A", n, n)
softmax_jacobian = Shaped(r"\frac{\partial A}{\partial M}", n**2, n**2)

xbar = Named(r"\bar x", X.T * ones(n) / n)
centre = Named("L", Identity(n) - ones(n, n) / n)
scatter = Named(r"X^\top X-n\bar x\bar x^\top", X.T * X - n * xbar * xbar.T)


def C(tokens: MatrixSymbol = X) -> Expr:
    """C(X), the sum of all inner products between tokens (Lemma 3.2)."""
    return Total(tokens * tokens.T, "C(X)")


normX = FrobSq(X)
norm_scatter = FrobSq(scatter)
norm_xbar = FrobSq(xbar)


def source(section: str, equation: str = "") -> Source:
    """A place in this paper."""
    return Source(PAPER, section, equation)
