"""The averaged block of Sec. 3.2 for symbolic sizes, and that a wrong closed form is refused."""

from __future__ import annotations

from sympy import Rational, Sum, exp

from claims.noci2022.forward import inner_products_after_depth
from claims.noci2022.notation import (
    C,
    alpha1,
    alpha2,
    atilde1,
    atilde2,
    depth,
    ell,
    n,
    norm_xbar,
    normX,
)
from proofs.noci2022 import network
from proofs.noci2022.forward import by_induction


def test_block_is_triangular() -> None:
    one = network.block()
    assert (one.a - (1 + alpha1**2) * (1 + alpha2**2)).expand() == 0
    assert (one.d - 1 - alpha2**2).expand() == 0
    assert one.share == 1 / n


def test_plain_scalars() -> None:
    assert network.plain(n**2 * norm_xbar + normX) == network.c + network.f
    k = ell
    total = Sum((alpha1**2 + 1) ** k, (k, 0, depth - 1))
    assert network.same(alpha1**2 * total, (alpha1**2 + 1) ** depth - 1)
    assert not network.same(alpha1**2 * total, (alpha1**2 + 1) ** depth)


def test_limits() -> None:
    sums, norm = network.limits()
    assert network.same(sums, exp(atilde1 + atilde2) * C())
    assert norm.subs({atilde1: 0, atilde2: 0}).expand() == network.f


def test_wrong_closed_form_is_refused() -> None:
    """A proof that derived another value must not be able to certify the claim."""
    wrong = network.block().inner_products(depth + 1)
    certificate = by_induction(inner_products_after_depth, wrong)
    assert certificate.status != "proved"


def test_every_step_checks_again() -> None:
    for step in (*network.induction(), *network.gram_induction(), *network.limit_steps()):
        assert step.check(), step.latex()


def test_other_sums_are_not_taken_for_geometric_ones() -> None:
    """Edits of a statement make them: nothing is said of them, and nothing breaks."""
    half, ratio = Rational(1, 2), alpha1**2 + 1
    others = [
        Sum(ratio ** (2 * ell), (ell, 0, 3)), Sum(half**ell, (ell, 1, 3)), Sum(ell**ell, (ell, 0, 3)),
        Sum(ratio**ell + 1, (ell, 0, 3)), Sum(ell, (ell, 0, 3)),
    ]  # fmt: skip
    assert [network.geometric(total) for total in others] == others
