r"""Gradients by the product and the chain rule on index networks, for every size and all sequences.

The terms of one sequence are differentiated; the sum over sequences gives each of its arrays one more
label, and is linear.  The softmax enters through its Jacobian, which the quotient rule gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, reduce
from typing import Any

from sympy import IndexedBase, MatrixSymbol, Mul, Trace, ZeroMatrix
from sympy.matrices.expressions import MatAdd, MatMul, Transpose

from claims.expressions import Named
from claims.im2026.backpropagation import (
    DIAGONALS,
    Applied,
    EachSample,
    JacobianRows,
    OverSamples,
    SubDiagonals,
    is_of_each_sample,
)
from claims.im2026.notation import N, T, words
from claims.model import Claim
from proofs.calculus.deltas import Array, Delta, Index, Label, Labels, Term, delta_equal
from proofs.calculus.differentials import (
    gradient,
    quotient_rule_softmax_entry,
    softmax_jacobian,
    softmax_jacobian_entry,
    substitute,
)
from proofs.calculus.networks import Network, StructureError, equal, network
from proofs.certificate import Certificate, Checked
from proofs.decide import decide

__all__ = [
    "RESIDUAL", "SOFTMAX", "decided", "differentiated", "jacobian_rows", "of_each", "read",
    "same_gradient", "summed", "through_softmax",
]  # fmt: skip


def read(e: Any) -> Network:
    """An expression with the nodes of the paper, as a network."""
    if isinstance(e, OverSamples):
        return summed(read(e.body))
    if isinstance(e, EachSample):
        return of_each(read(e.body))
    if isinstance(e, Applied):
        return _applied(read(e.body), e.args[1])
    if isinstance(e, JacobianRows):
        return jacobian_rows(e.args[0])
    if isinstance(e, SubDiagonals):
        return network(DIAGONALS, {DIAGONALS: ((T, T), (T,))}).T @ read(e.body).vec()
    if isinstance(e, Named):
        return read(e.definition)
    if isinstance(e, Trace):
        return read(e.arg).trace()
    if isinstance(e, MatAdd):
        return reduce(Network.__add__, map(read, e.args))
    if isinstance(e, MatMul):
        scale, matrices = e.as_coeff_matrices()
        return reduce(Network.__matmul__, map(read, matrices)).scaled(scale)
    if isinstance(e, Mul):  # of scalars
        return reduce(Network.kron, map(read, e.args))
    if isinstance(e, Transpose):
        return read(e.arg).T
    return network(e)


def _sampled(net: Network, places: Callable[[Label], Labels]) -> Network:
    """The network with the label of a sequence on all that sequences have their own of."""
    terms = []
    for term in net.terms:
        label = Label(N)
        arrays = tuple(
            Array(a.symbol, (label, *a.row), a.col) if is_of_each_sample(a.symbol) else a
            for a in term.arrays
        )
        terms.append(Term(term.coefficient, arrays, (*places(label), *term.row), term.col))
    return Network(tuple(terms), (*(x.range for x in places(Label(N))), *net.row), net.col)


def _applied(net: Network, attention: MatrixSymbol) -> Network:
    """J_t times row t of a T x T network: the softmax Jacobian is symmetric within a row."""
    column = softmax_jacobian(attention) @ net.vec()
    terms = (Term(t.coefficient, t.arrays, t.row[:1], t.row[1:]) for t in column.terms)
    return Network(tuple(terms), column.row[:1], column.row[1:])


def jacobian_rows(attention: MatrixSymbol) -> Network:
    """Row (t, j), column k of the softmax Jacobian: rows of logits move their own row alone."""
    found = softmax_jacobian(attention)
    terms = (Term(t.coefficient, t.arrays, t.row, t.col[1:]) for t in found.terms)
    return Network(tuple(terms), found.row, found.col[1:])


def same_gradient(left: Any, right: Any) -> bool:
    """Whether two sides agree at all sizes; what is no polynomial in matrices agrees with nothing."""
    if isinstance(left, tuple):
        return all(map(same_gradient, left, right))
    try:
        one, other = (side if isinstance(side, Network) else read(side) for side in (left, right))
        return equal(one, other)
    except (StructureError, TypeError):
        return False


def summed(net: Network) -> Network:
    """The sum over the sequences."""
    return _sampled(net, lambda _: ())


def of_each(net: Network) -> Network:
    """One for each sequence."""
    return _sampled(net, lambda label: (label,))


def without(net: Network, symbol: MatrixSymbol) -> Network:
    """The network where a matrix is zero."""
    return substitute(net, symbol, ZeroMatrix(*symbol.shape))


def differentiated(
    output: Any, upstream: Any, variable: MatrixSymbol, through: Mapping[Any, Any] | None = None
) -> Network:
    """The gradient of <upstream, output> for one sequence; each input of a softmax in `through`."""
    structures = {DIAGONALS: ((T, T), (T,))}
    return gradient(Trace(upstream.T * output), variable, through, structures)


def through_softmax(attention: MatrixSymbol, logits: Any) -> dict[Any, Any]:
    """That A is the softmax of the logits, row by row; a mask changes nothing in its Jacobian."""
    return {attention: (logits, softmax_jacobian(attention))}


@cache
def _softmax_jacobian_is_right() -> bool:
    a, names = IndexedBase("A"), [Index(name, T) for name in "pqij"]
    return delta_equal(quotient_rule_softmax_entry(a, *names), softmax_jacobian_entry(a, *names))


@cache
def _residual_is_right() -> bool:
    """Of -log S_pq, with q the target in row p: the derivative by F_ij, over all rows."""
    s, (p, i), (q, j) = (
        IndexedBase("S"),
        [Index(x, T) for x in "pi"],
        [Index(x, words) for x in "qj"],
    )
    found = -quotient_rule_softmax_entry(s, p, q, i, j) / s[p, q]
    return delta_equal(found, -Delta(i, p) * (Delta(j, q) - s[p, j]))


SOFTMAX = Checked(
    r"\tfrac{\partial A_{pq}}{\partial B_{ij}}=\delta_{ip}(\delta_{jq}A_{ij}-A_{iq}A_{ij})",
    by="quotient rule", test=_softmax_jacobian_is_right,
)  # fmt: skip
RESIDUAL = Checked(
    r"\tfrac{\partial(-\log S_{pq})}{\partial F_{ij}}=-\delta_{ip}(\delta_{jq}-S_{pj})",
    by="quotient rule", test=_residual_is_right,
)  # fmt: skip


def decided(claim: Claim, value: Network | tuple[Network, ...], *steps: Checked) -> Certificate:
    """Judge a gradient by the network that was derived for it."""
    method = "product and chain rule in index calculus"
    return decide(claim, value, steps=steps, method=method, same=same_gradient)
