"""The induction of Theorem D.10 closes with smaller constants."""

from __future__ import annotations

from sympy import E, Rational, sqrt, symbols

from claims.im2026 import closed_induction as claims
from claims.model import Claim
from claims.statement import Compare
from proofs.certificate import Certificate
from proofs.im2026.layered_attention import EULER
from proofs.im2026.layered_chains import by_links, placed, raised, w, x, y
from proofs.kernel import assume, joint
from proofs.registry import proves


@proves(claims.induction_closes_with_small_constants)
def by_links_of_norms(claim: Claim) -> Certificate:
    """Each norm stays in its range, given those of the others."""
    e, p = symbols("e p", nonnegative=True)
    euler, root = (e, Rational(272, 100)), (p, Rational(7072, 10000))
    errors = (claims.output_error, x**2 / 20), (claims.attention_error, x**5 * y**2 / 20)
    away = (claims.deviation, x / 20)
    outputs = raised(claims.outputs(e, w, x), x / 50, euler, away, errors[0])
    attentions = raised(claims.attentions(e, p, x, y), x / (100 * y), euler, away, errors[1], root)
    ranges = [assume(Compare(symbol, "<=", bound)) for symbol, bound in claims.RANGES]
    later = Compare(claims.row, ">=", 2)
    below = joint(Compare(1 / sqrt(claims.row), "<=", root[1]), given=(later,))
    terms = {e: E, p: 1 / sqrt(claims.row)}
    signs = joint(Compare(terms[p], ">=", 0), given=(later,)), joint(Compare(E, ">=", 0), *EULER)
    known = [
        placed(found, *ranges, *EULER, below, *signs, terms=terms)
        for found in (outputs, attentions)
    ]
    return by_links(claim, *known)
