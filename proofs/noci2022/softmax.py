"""Proofs about the softmax Jacobian: the quotient rule in Kronecker deltas, for symbolic n."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Indexed, IndexedBase, KroneckerDelta
from sympy.matrices.expressions.matexpr import MatrixElement

from claims.expressions import Entrywise, ones
from claims.model import Claim
from claims.noci2022 import softmax as claims
from claims.noci2022.notation import A, n
from proofs.calculus.deltas import Delta, Index, delta_equal
from proofs.calculus.differentials import (
    quotient_rule_softmax_entry,
    softmax_jacobian,
    softmax_jacobian_entry,
    substitute,
)
from proofs.certificate import Certificate, Checked
from proofs.decide import decide
from proofs.registry import proves

_NAMES = (claims.p, claims.q, claims.i, claims.j)
_INDICES = {name: Index(str(name), n) for name in _NAMES}
_SYMBOLS = {index: name for name, index in _INDICES.items()}
_ATTENTION = IndexedBase("A")


def _as_deltas(formula: Expr) -> Expr:
    """An entry formula with indices that know their range."""
    entries = {e: _ATTENTION[_INDICES[e.i], _INDICES[e.j]] for e in formula.atoms(MatrixElement)}
    deltas = {e: Delta(*(_INDICES[x] for x in e.args)) for e in formula.atoms(KroneckerDelta)}
    return formula.xreplace({**entries, **deltas})


def _as_entries(formula: Expr) -> Expr:
    """The way back, to a formula that can be evaluated at a point."""
    entries = {e: A[tuple(_SYMBOLS[x] for x in e.indices)] for e in formula.atoms(Indexed)}
    deltas = {e: KroneckerDelta(*(_SYMBOLS[x] for x in e.args)) for e in formula.atoms(Delta)}
    return formula.xreplace({**entries, **deltas})


@cache
def _quotient_rule() -> Expr:
    return quotient_rule_softmax_entry(_ATTENTION, *_INDICES.values())


def _same_entry(derived: Entrywise, printed: Any) -> bool:
    if not isinstance(printed, Entrywise):  # a variant, such as twice the Jacobian
        return False
    return delta_equal(_as_deltas(derived.formula), _as_deltas(printed.formula))


@proves(claims.jacobian_of_the_softmax)
def by_quotient_rule(claim: Claim) -> Certificate:
    """d(e/s) = de/s - e ds/s^2 with e = exp(M), s the row sums; deltas contract the sum."""
    row, col = ([(name, n) for name in names] for names in (_NAMES[:2], _NAMES[2:]))
    value = Entrywise(_as_entries(_quotient_rule()), row, col)
    return decide(claim, value, method="quotient rule", same=_same_entry)


@cache
def _at_uniform_attention() -> Any:
    return substitute(softmax_jacobian(A), A, ones(n, n) / n).normal()


@proves(claims.softmax_jacobian_at_equal_logits)
def by_substitution(claim: Claim) -> Certificate:
    """At equal logits every entry of A is 1/n; put that into the Jacobian."""
    entry = softmax_jacobian_entry(_ATTENTION, *_INDICES.values())
    step = Checked(
        r"\tfrac{\partial A_{pq}}{\partial M_{ij}}=\delta_{ip}(\delta_{jq}A_{ij}-A_{iq}A_{ij})",
        by="quotient rule",
        test=lambda: delta_equal(entry, _quotient_rule()),
    )
    return decide(claim, _at_uniform_attention(), steps=(step,), method="index calculus")
