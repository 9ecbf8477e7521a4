r"""Symbols of Im, Oh, Fang and Li (2026), "How do transformers learn to associate tokens".

| Paper                      | Maths                                                     | Code         |
|----------------------------|-----------------------------------------------------------|--------------|
| N, T, \|V\|                | sequences, their length, words of the vocabulary          | `N`, `T`, `words` |
| L, l                       | layers, and one of them                                   | `depth`, `layer` |
| s, \eta                    | steps of gradient descent, learning rate                  | `s`, `eta`   |
| X_i, Y_i                   | tokens 1..T and 2..T+1 of sequence i, one-hot, T x \|V\|  | rows of `sequences` |
| U_O                        | T x \|V\|, all entries 1/\|V\|                            |              |
| A_0                        | uniform causal attention: row t is 1/t on its first t     | `corpora`     |
| \bar B, \Sigma_{\bar B}    | bigram map, \bar B^T \bar B                               | `corpora`     |
| \bar\Phi                   | context map: rows are current words, columns prefix words | `corpora`     |
| Q_i, \bar Q, \Delta        | centred scores; by words; by differences of positions     | `corpora`     |
| W_O, V, W, P               | output, value and attention weights, position scores      |              |

Tokens, words and positions count from one, sequences from zero.  |V| is written `words` in code,
since V is the value matrix.  Where the paper's proofs say "s eta", a bound depends on the product only.
"""

from __future__ import annotations

from sympy import Symbol, symbols

from claims.model import Source

PAPER = "im2026"

N, T = symbols("N T", integer=True, positive=True)
words = Symbol(r"|\mathcal{V}|", integer=True, positive=True)
depth = Symbol("L", integer=True, positive=True)
layer = Symbol("l", integer=True, positive=True)
s = Symbol("s", integer=True, nonnegative=True)
eta = Symbol("eta", positive=True)
x = s * eta
"""Steps times learning rate, which the horizons of the theorems bound."""
v = Symbol("v", positive=True)
"""Scale of the Gaussian initialisation: entries are N(0, v^2 / |V|^(2 + 2 xi))."""
xi = Symbol("xi", nonnegative=True)
i, t, m = symbols("i t m", integer=True)
"""A sequence (from zero) and two positions (from one)."""
j, k = symbols("j k", integer=True)
"""Two words (from one)."""
sequences = Symbol("X")
"""Holds the sequences at a point: N one-hot matrices of T + 1 rows, the last row is Y's alone."""


def source(section: str, equation: str = "") -> Source:
    """A place in this paper."""
    return Source(PAPER, section, equation)
