"""Proofs without LayerNorm: X^{(t)} = A^t X W^t, split into what A keeps and what it halves."""

from __future__ import annotations

from sympy import Matrix, Rational, Symbol, expand, limit, oo, simplify, symbols

from claims.masks import causal
from claims.model import Claim
from claims.wu2024 import unnormalised as claims
from claims.wu2024.notation import w
from claims.wu2024.setup import jordan, uniform_attention
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.registry import proves
from proofs.wu2024.plane import is_zero

t = Symbol("t", integer=True, positive=True)
k = Symbol("k", integer=True, nonnegative=True)


def power_of_value() -> bool:
    """W^t = [[1, t w], [0, 1]]: true for t = 1, and W^t W = W^(t+1)."""
    at = lambda n: Matrix([[1, n * w], [0, 1]])  # noqa: E731
    return at(1) == jordan(2, w) and bool(
        (at(t) * jordan(2, w) - at(t + 1)).applyfunc(simplify).is_zero_matrix
    )


def half_powers() -> bool:
    """(-1, 1) A = (-1, 1)/2: the difference of the tokens is halved; the first row of A is (1, 0)."""
    matrix = Matrix(uniform_attention(causal(2)))
    return Matrix([[-1, 1]]) * matrix == Matrix([[-1, 1]]) / 2 and matrix.row(0) == Matrix([[1, 0]])


def difference_vanishes() -> bool:
    """2^-t (x, y) W^t = 2^-t (x, y + w t x) tends to zero."""
    x, y = symbols("x y", real=True)
    row = Matrix([[x, y]]) * Matrix([[1, t * w], [0, 1]]) / 2**t
    return all(limit(entry, t, oo) == 0 for entry in row)


def first_token_runs_away() -> bool:
    """X_1 = (x, y + w t x): unbounded for x > 0, hence by symmetry for x < 0; constant for x = 0."""
    x, weight, y = Symbol("x", positive=True), Symbol("w", positive=True), Symbol("y", real=True)
    return limit(y + weight * t * x, t, oo) == oo


def norm_above_one() -> bool:
    """||e_1 W||^2 = 1 + w^2 > 1 bounds the squared norm s^2 from below, and t/s^t tends to zero."""
    q, first = Symbol("q", positive=True), jordan(2, w).row(0)
    return is_zero((first * first.T)[0] - 1 - w**2) and limit(t / (1 + q) ** t, t, oo) == 0


@proves(claims.tokens_collapse_to_a_point_of_the_plane)
def by_powers_of_both_matrices(claim: Claim) -> Certificate:
    """The first token is X_1 W^t, the difference 2^-t (X_2 - X_1) W^t, exactly."""
    method, scope = "powers of $A$ and $W_V$", "$N=d=2$, all real inputs, $w>1$"
    steps = (
        Checked(r"W_V^t=\begin{bmatrix}1&tw\\0&1\end{bmatrix}", "induction on $t$", power_of_value),
        Checked(r"X_2'-X_1'=\tfrac12(X_2-X_1)W_V,\ X_1'=X_1W_V", "one layer", half_powers),
        Checked(r"2^{-t}(X_2-X_1)W_V^t\to0", "limit, entry by entry", difference_vanishes),
        Checked(
            r"X_1^{(t)}=(X_{1,1},X_{1,2}+wtX_{1,1})\to\infty\ \text{for } X_{1,1}\ne0",
            "linear in $t$; constant for $X_{1,1}=0$",
            first_token_runs_away,
        ),
        Checked(
            r"\|W_V\|_2^2\ge1+w^2;\quad t\,\|W_V\|_2^{-t}\to0",
            r"with $W_V/\|W_V\|$ both tokens tend to zero",
            norm_above_one,
        ),
    )
    return argued(claim, steps=steps, method=method, scope=scope)


def projection_splits() -> bool:
    """With A 1 = 1 and e_1^T A = e_1^T, Q = 1 e_1^T has AQ = QA = Q = Q^2, so A^t - Q = (A - Q)^t.

    The induction step: (A^t - Q)(A - Q) = A^(t+1) - A^t Q - Q A + Q^2 = A^(t+1) - Q.
    """
    A, Q, power = symbols("A Q P", commutative=False)  # P = A^t, with P Q = Q
    product = expand((power - Q) * (A - Q))
    rules = [(power * Q, Q), (Q * A, Q), (Q**2, Q)]
    return expand(product.subs(rules, simultaneous=True) - (power * A - Q)) == 0


def rows_of_causal_attention() -> bool:
    """Row i of A has i entries 1/i, the last on the diagonal; so A 1 = 1, and A - Q has 0, 1/2, ..."""
    i = Symbol("i", integer=True, positive=True)
    sums = simplify(i * (1 / i)) == 1 and (1 / i).subs(i, 1) == 1
    small = [Matrix(uniform_attention(causal(n))) for n in range(2, 7)]
    return sums and all(
        m * Matrix.ones(m.rows, 1) == Matrix.ones(m.rows, 1)
        and m.is_lower
        and [m[j, j] for j in range(m.rows)] == [Rational(1, j + 1) for j in range(m.rows)]
        and m.row(0) == Matrix.eye(m.rows).row(0)
        for m in small
    )


def triangular_powers_vanish() -> bool:
    """Entries of T^t for triangular T with |diagonal| <= 1/2 are at most C t^k 2^-t: a ratio test."""
    ratio = limit(((t + 1) / t) ** k / 2, t, oo)
    return ratio == Rational(1, 2)


@proves(claims.inputs_collapse_without_layernorm)
def by_splitting_off_the_first_token(claim: Claim) -> Certificate:
    """A^t tends to 1 e_1^T geometrically, and W_V over its norm never expands."""
    method = "spectral projection of causal attention"
    scope = r"all $N\ge2$, $d\ge1$, $w$, and inputs"
    steps = (
        Checked(
            r"A\mathbf 1=\mathbf 1,\ e_1^\top A=e_1^\top,\ A\ \text{triangular},\ A_{ii}=\tfrac1i",
            r"row $i$ holds $1/i$ up to the diagonal; also entry by entry for $N=2,\dots,6$",
            rows_of_causal_attention,
        ),
        Checked(
            r"A^t-\mathbf 1e_1^\top=(A-\mathbf 1e_1^\top)^t",
            r"induction, from $Q=1e_1^\top$ with $AQ=QA=Q^2=Q$",
            projection_splits,
        ),
        Checked(
            r"A-\mathbf 1e_1^\top\ \text{is triangular with diagonal } 0,\tfrac12,\dots,\tfrac1N"
            r"\Rightarrow\|(A-\mathbf 1e_1^\top)^t\|\le Ct^N2^{-t}\to0",
            "entries of powers are sums of at most $t^k$ products; ratio test for symbolic $k$",
            triangular_powers_vanish,
        ),
        Checked(
            r"\mu(X^{(t)})\le\|(A-\mathbf 1e_1^\top)^tX^{(0)}\|_F\,\|(W_V/\|W_V\|_2)^t\|_2,\quad"
            r"\|(W_V/\|W_V\|_2)^t\|_2\le1",
            r"centring removes $1e_1^\top XW^t$ and does not expand: $(I-11^\top/N)1=0$",
            lambda: all(
                (Matrix.eye(n) - Matrix.ones(n, n) / n) * Matrix.ones(n, 1) == Matrix.zeros(n, 1)
                for n in range(2, 7)
            ),
        ),
    )
    return argued(claim, steps=steps, method=method, scope=scope)
