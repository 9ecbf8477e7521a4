r"""Proofs about LayerNorm as row scaling, one row or one entry at a time, hence for every N and d."""

from __future__ import annotations

from itertools import product

from sympy import ImmutableDenseMatrix, Symbol, simplify, sqrt, symbols
from sympy.matrices.exceptions import ShapeError

from claims.definitions import entries
from claims.expressions import ones
from claims.model import Claim
from claims.wu2024 import layernorm as claims
from claims.wu2024.notation import N
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.decide import decide, find_witness, refute
from proofs.registry import proves
from proofs.wu2024.steps import algebra

SCOPE = "all integers N, d >= 1, all real X without zero rows"

_entry, _other = symbols("x_ij x_kj", real=True, nonzero=True)
_norm, _other_norm = symbols("n_i n_k", positive=True)
_scale = Symbol("r_j", real=True)


def unit_rows() -> Checked:
    """sum_j (x_ij / n_i)^2 = (sum_j x_ij^2)/n_i^2 = 1 with n_i^2 = sum_j x_ij^2 > 0."""
    total = Symbol("s", positive=True)  # sum over j of x_ij^2
    return algebra(r"\sum_j(x_{ij}/n_i)^2=1,\quad n_i=\bigl(\sum_jx_{ij}^2\bigr)^{1/2}>0",
                   total / sqrt(total) ** 2, total / total)  # fmt: skip


def left_factor_has_an_entry_per_row() -> bool:
    """diag(d_1, ..., d_m) X exists only for m = N, and its entry (i, j) is then d_i x_ij."""
    for rows, cols, order in product(range(1, 4), repeat=3):
        scales, tokens = entries("d", order, 1), entries("x", rows, cols)
        try:
            scaled = ImmutableDenseMatrix.diag(*scales) * tokens
        except ShapeError:
            if order == rows:
                return False
            continue
        places = product(range(rows), range(cols))
        if order != rows or any(scaled[i, j] != scales[i] * tokens[i, j] for i, j in places):
            return False
    return True


SHAPES = Checked(
    r"(DX)_{ij}=\textstyle\sum_kD_{ik}x_{kj}=d_ix_{ij}:\ D\ \text{has as many columns as } X\ "
    r"\text{has rows, which is } N",
    "definition of the product; written out for up to three rows, columns and diagonal entries",
    left_factor_has_an_entry_per_row,
)


@proves(claims.layernorm_has_one_scale_per_feature)
def by_shapes_and_norms(claim: Claim) -> Certificate:
    """Row i of DX is d_i X_i, so D has an entry per row; dividing by the norm gives norm one."""
    return decide(
        claim, (N, ones(N)), steps=(SHAPES, unit_rows()),
        method="shapes of the factors and norms of the rows", scope=SCOPE,
    )  # fmt: skip


def right_scale_is_forced() -> bool:
    """x_ij r_j = x_ij / n_i with x_ij not zero holds exactly for r_j = 1/n_i."""
    equation = _entry * _scale - _entry / _norm
    return simplify(equation / _entry - (_scale - 1 / _norm)) == 0


def two_rows_force_equal_norms() -> bool:
    """r_j = 1/n_i = 1/n_k leaves n_i = n_k, and equal norms leave r_j = 1/n_i consistent."""
    difference = 1 / _norm - 1 / _other_norm
    factored = simplify(difference * _norm * _other_norm - (_other_norm - _norm)) == 0
    return factored and difference.subs(_other_norm, _norm) == 0


@proves(claims.layernorm_acts_on_the_left)
def by_comparing_entries(claim: Claim) -> Certificate:
    """Every non-zero entry of column j fixes r_j; two of them agree exactly for equal norms."""
    method = "comparing entries"
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=SCOPE)
    steps = (
        algebra(
            r"(DX)_{ij}=x_{ij}/n_i\ \text{for } d_i=1/n_i", (1 / _norm) * _entry, _entry / _norm
        ),
        Checked(
            r"x_{ij}r_j=x_{ij}/n_i,\ x_{ij}\ne0\iff r_j=1/n_i;\quad \text{no condition for } x_{ij}=0",
            "division by a non-zero entry",
            right_scale_is_forced,
        ),
        Checked(
            r"r_j=1/n_i=1/n_k\iff n_i=n_k\ \text{for all } i,k\ \text{with } x_{ij},x_{kj}\ne0",
            "algebra",
            two_rows_force_equal_norms,
        ),
    )
    return argued(claim, steps=steps, method=method, scope=SCOPE)


@proves(claims.layernorm_never_diverges)
def by_the_norm_of_each_row(claim: Claim) -> Certificate:
    """N rows of norm one, where they exist; an average or a W_V that vanishes is a witness."""
    method = "norm of each row"
    scope = "all N, d, row-stochastic A, all X and W_V for which no row of A X W_V vanishes"
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    return decide(claim, N, steps=(unit_rows(),), method=method, scope=scope)
