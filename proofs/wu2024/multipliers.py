r"""Multipliers of the full-rank equilibria, for symbolic N and i.

With mu = lambda - 1 and rows that follow X_j (I - W) = X_{j-1}, X_0 = 0: the derivative of LN at a
unit vector projects on its tangents, the determinant lemma takes the projection out, and the
resolvent of W at X_i is a finite sum along the chain.
"""

from __future__ import annotations

from itertools import islice

from sympy import Function, Identity, MatrixSymbol, Symbol, eye, simplify, sqrt, symbols

from claims.model import Claim
from claims.wu2024 import multipliers as claims
from claims.wu2024.notation import N, X, d, w
from claims.wu2024.setup import jordan
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.decide import same
from proofs.registry import proves

METHOD = "determinant lemma and the resolvent along the Jordan chain"
mu = Symbol("mu", nonzero=True)
i, j, k = symbols("i j k", integer=True, positive=True)
_inner = Function("c")
"""c(j) = <X_j, X_i>, with c(0) = 0 and c(i) = 1."""


def norm_projects() -> bool:
    """d/dh (z + h v)/|z + h v| at h = 0, for |z| = 1: v - <v, z> z, coordinate by coordinate."""
    step, own, change, along, size = symbols("h z v a q", real=True)
    length = sqrt(1 + 2 * step * along + step**2 * size)  # a = <v, z>, q = |v|^2
    moved = ((own + step * change) / length).diff(step).subs(step, 0)
    return simplify(moved - (change - along * own)) == 0


def resolvent_telescopes() -> bool:
    """(-1)^k mu^(-k-1) X_{i-k} (lambda - W), X_m (lambda - W) = mu X_m + X_{m-1}: the parts cancel.

    What term k leaves at X_{i-k-1} is what term k + 1 brings there, with the other sign; term 0
    brings X_i, and the last one leaves X_0 = 0.
    """
    coefficient = lambda n: (-1) ** n * mu ** (-n - 1)  # noqa: E731
    kept, brought = coefficient(k), coefficient(k + 1) * mu
    return simplify(kept + brought) == 0 and simplify(coefficient(0) * mu - 1) == 0


def chain_gives_differences() -> bool:
    """X_m W x^T = (X_m - X_{m-1}) x^T, since X_m (I - W) = X_{m-1}."""
    row, value = MatrixSymbol("X_m", 1, d), MatrixSymbol("W", d, d)
    return same(row - row * (Identity(d) - value), row * value)


def coefficients_factor() -> bool:
    """c(j), 1 <= j < i, stands in the terms k = i - j and k = i - j - 1; c(i) = 1 in k = 0 alone."""
    term = lambda n, of: (-1) ** n * mu ** (i - 1 - n) * of  # noqa: E731
    inside = term(i - j, _inner(j)) - term(i - j - 1, _inner(j))
    expected = (mu + 1) * (-1) ** (i - j) * _inner(j) * mu ** (j - 1)
    top = mu**i + mu ** (i - 1) - (mu + 1) * mu ** (i - 1)
    return simplify(inside - expected) == 0 and simplify(top) == 0


def normal_direction_gives_lambda() -> bool:
    """Both determinants at the smallest equilibria, the right one by differentiating a layer."""
    for at in islice(claims.equilibria.smallest(), 40):
        x, value = at[X].row(int(at[claims.i]) - 1), jordan(int(at[N]), at[w])
        whole = at[claims.multiplier] * eye(value.rows) - value * (eye(value.rows) - x.T * x)
        if whole.det() != at[claims.multiplier] * claims.characteristic_polynomial(at):
            return False
    return True


STEPS = (
    Checked(
        r"DF_i\,v=vW(I-X_i^\top X_i)",
        "derivative of LN at a unit vector; the first $i$ rows sum to $X_i$ after $W$, for "
        r"$\beta_i=1$",
        norm_projects,
    ),
    Checked(
        r"X_mW=X_m-X_{m-1},\quad X_0=0",
        "(30): $X_m(I-W)=X_{m-1}$",
        chain_gives_differences,
    ),
    Checked(
        r"X_i(\lambda-W)^{-1}=\sum_{k=0}^{i-1}(-1)^k\mu^{-k-1}X_{i-k},\quad\mu=\lambda-1",
        r"the sum telescopes against $\lambda-W$, symbolic $k$",
        resolvent_telescopes,
    ),
    Checked(
        r"\det(\lambda-W+WX_i^\top X_i)=\mu^N\left(1+X_i(\lambda-W)^{-1}WX_i^\top\right)"
        r"=\mu^{N-i}(\mu+1)\sum_{j=1}^i(-1)^{i-j}\langle X_j,X_i\rangle\mu^{j-1}",
        r"determinant lemma, $\det(\lambda-W)=\mu^N$; coefficients of every inner product, "
        "symbolic $i$, $j$",
        coefficients_factor,
    ),
    Checked(
        r"\det(\lambda-W(I-X_i^\top X_i))=\lambda\,\det(\lambda-DF_i|_T),\quad \lambda=\mu+1",
        r"every image is tangent, so that the direction of $X_i$ gives the factor $\lambda$; also "
        "exact at the smallest equilibria",
        normal_direction_gives_lambda,
    ),
)


@proves(claims.multipliers_of_full_rank_equilibria)
def by_the_resolvent(claim: Claim) -> Certificate:
    """The steps derive the printed polynomial; a twin of it has a witness or stays undecided."""
    return argued(claim, steps=STEPS, method=METHOD)
