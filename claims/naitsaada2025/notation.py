r"""Symbols of Nait Saada, Naderi and Tanner (2025), "Mind the Gap", ICML 2025.

| Paper                 | Maths                                              | Code        |
|-----------------------|----------------------------------------------------|-------------|
| T                     | tokens, the context length                         | `T`         |
| d                     | features of a token                                | `d`         |
| d_{qk}                | width of queries and keys                          | `d_qk`      |
| \gamma                | T / d                                              | `gamma`     |
| k, T_1, d_1           | a size; T = k T_1 and d = k d_1 grow with it       | `size`, `T_1`, `d_1` |
| \sigma_{qk}           | standard deviation of query and key weights        | `sigma_qk`  |
| \sigma_A, \sigma_V    | standard deviation of Z_{11}, of W^V               | `sigma_A`, `sigma_V` |
| m                     | mean of Z_{11}                                     | `mean_Z`    |
| L, \ell               | layers, and one of them                            | `depth`, `ell` |
| p, q                  | factors in a product of attentions, of weights     | `p`, `q`    |
| A^\perp               | A - T^{-1} 1_{T x T}                               |             |
| \varphi               | T^{-1/2} (1, ..., 1)^T                             |             |

Singular values and eigenvalues are numbered from 1, the largest (in modulus) first.
"""

from __future__ import annotations

from sympy import Symbol, symbols

from claims.domain import Condition
from claims.model import Source
from claims.statement import Compare

PAPER = "naitsaada2025"

T, d, d_qk, p, q = symbols("T d d_{qk} p q", integer=True, positive=True)
depth = Symbol("L", integer=True, positive=True)
ell = Symbol(r"\ell", integer=True, positive=True)
T_1, d_1 = Symbol("T_1", integer=True, positive=True), Symbol("d_1", integer=True, positive=True)
size = Symbol("k", integer=True, positive=True)
gamma = Symbol("gamma", positive=True)
mean_Z = Symbol("m", real=True, positive=True)
sigma_qk, sigma_A, sigma_V = symbols(r"\sigma_{qk} sigma_A sigma_V", real=True, positive=True)

WIDE = Condition.of(Compare(T, "<=", d))
"""No more tokens than features."""
REACHED = Condition.of(Compare(ell, "<=", depth))
"""The layer is one of the network's."""


def source(section: str, equation: str = "") -> Source:
    """A place in this paper."""
    return Source(PAPER, section, equation)
