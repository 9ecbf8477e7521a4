r"""Proofs of the norm-by-norm bound of App. A.1.3 and of what survives of it in mean.

The Frobenius norm is submultiplicative because the loss is itself a square: for A of shape (p, q)
and B of shape (q, r),

    ||A||^2 ||B||^2 - ||A B||^2 = (1/2) ||(A (x) B^T)(I - K_qq)||^2

(Lagrange's identity for every row of A and column of B at once).
"""

from __future__ import annotations

from sympy import Expr, ImmutableDenseMatrix, MatrixSymbol
from sympy.matrices.expressions import Identity as IdentityMatrix
from sympy.matrices.expressions import KroneckerProduct

from claims.definitions import directional_jacobian, frobenius_square
from claims.domain import Array, Domain, Point, Size
from claims.expressions import Commutation, FrobSq
from claims.model import Claim, Relation
from claims.noci2022 import chain as claims
from claims.noci2022.notation import p, q, r
from proofs.calculus.networks import equal
from proofs.certificate import Certificate, Checked, Identity
from proofs.conclude import argued
from proofs.decide import confirmation_points, refute
from proofs.registry import proves

METHOD = "chain rule and Lagrange's identity, factor by factor"
CHAINS = "every number of blocks, all sizes, all Jacobians (hence all weights, tokens and losses)"

A, B = MatrixSymbol("A", p, q), MatrixSymbol("B", q, r)
_GAP = FrobSq(A) * FrobSq(B) - FrobSq(A * B)
_PAIRS = KroneckerProduct(A, B.T) * (IdentityMatrix(q * q) - Commutation(q, q))
_SQUARE = FrobSq(_PAIRS) / 2
_SIZES = Domain((Size(p, 1, 3), Size(q, 1, 3), Size(r, 1, 3), Array(A), Array(B)))


def _submultiplicative() -> tuple[Checked, Identity]:
    """||A B||^2 <= ||A||^2 ||B||^2 for symbolic shapes; a chain of k factors follows by induction."""
    label = r"\|A\|_F^2\|B\|_F^2-\|AB\|_F^2"
    return (
        Checked(
            r"\|AB\|_F^2\le\|A\|_F^2\|B\|_F^2,\ \text{and so}\ "
            r"\|A_1\cdots A_kA_{k+1}\|_F^2\le\|A_1\cdots A_k\|_F^2\|A_{k+1}\|_F^2"
            r"\le\textstyle\prod_{i\le k+1}\|A_i\|_F^2",
            by="the gap is a squared norm for symbolic shapes; induction on $k$",
            test=lambda: equal(_GAP, _SQUARE),
        ),
        Identity(_GAP, _SQUARE, "normal form of networks", _SIZES, label=label),
    )


def _chain_rule_holds(point: Point) -> bool:
    """The left-hand side is the norm of the product of the Jacobians whose norms are bounded."""
    jacobian = point[claims.alpha1] * claims.query_jacobian(point)
    size = point[claims.X].shape
    product = directional_jacobian(lambda z: claims.mixed(z, point), *size) * jacobian
    for x in claims.tokens_of_blocks(point):
        product = claims.jacobian_of_block(x, point) * product
    row = ImmutableDenseMatrix([list(point[claims.loss_gradient])])
    return bool(frobenius_square(row * product) == claims.loss_gradient_norm(point))


def _bounds(claim: Claim, derived: Expr) -> bool:
    """Whether the statement is that the left-hand side is at most the derived bound."""
    statement = claim.statement
    assert isinstance(statement, Relation)
    return statement.relation == "<=" and all((side - derived) == 0 for side in statement.rhs)


@proves(claims.loss_gradient_is_bounded_norm_by_norm)
def by_submultiplicativity(claim: Claim) -> Certificate:
    """The chain rule writes the gradient as a product of the Jacobians in the bound."""
    derived = claims.later_norms * claims.loss_norm * claims.block_norm * claims.scaled_query_norm
    if not _bounds(claim, derived):
        return refute(claim, method=METHOD, scope=CHAINS)
    points = (*confirmation_points(claim), *claim.probes)
    chain_rule = Checked(
        r"\tfrac{\partial\mathcal L}{\partial W^{Q,\ell}}=\tfrac{\partial\mathcal L}{\partial X^L}"
        r"\tfrac{\partial X^L}{\partial X^{L-1}}\cdots\tfrac{\partial X^{\ell+1}}{\partial Z^\ell}"
        r"\tfrac{\partial\alpha_1S^\ell}{\partial W^{Q,\ell}}",
        by="chain rule; Jacobians written out at small points",
        test=lambda: all(map(_chain_rule_holds, points)),
    )
    return argued(claim, steps=(chain_rule, *_submultiplicative()), method=METHOD, scope=CHAINS)


@proves(claims.later_factors_average_out_given_the_tokens)
def by_exact_witness(claim: Claim) -> Certificate:
    """Two tokens of width one: the factors share W^V, and 3 = E w^4 / (E w^2)^2 beats n = 2."""
    return refute(claim, method="exact moments at small points", scope="one block, $n=2$")


@proves(claims.loss_gradient_is_bounded_in_mean)
def by_monotonicity_of_the_mean(claim: Claim) -> Certificate:
    """The pointwise bound, averaged: a mean of non-negative gaps is non-negative."""
    method = f"{METHOD}; monotonicity of the expectation"
    if not _bounds(claim, claims.joint_mean):
        return refute(claim, method=method, scope=CHAINS)
    points = confirmation_points(claim)
    held = Checked(
        r"\mathbb E\|\tfrac{\partial\mathcal L}{\partial W^{Q,\ell}}\|_F^2\le\mathbb E[F H]",
        by="exact moments at small points",
        test=lambda: all(claim.define(at) <= at[claims.joint_mean] for at in points),
    )
    scope = f"{CHAINS}, all laws for which the right-hand side is finite"
    return argued(claim, steps=(*_submultiplicative(), held), method=method, scope=scope)
