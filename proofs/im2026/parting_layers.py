"""Layers from zero part at the fourth order."""

from __future__ import annotations

from sympy import MatrixSymbol

from claims.im2026 import parting_layers as claims
from claims.im2026.notation import T, words
from claims.model import Claim
from proofs.calculus.networks import equal
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.im2026.counts_of_steps import add_up
from proofs.registry import proves


def neighbours_differ_by_a_commutator() -> bool:
    """Gradients of V in layers l and l + 1 with one A and one V."""
    h, G, A = (MatrixSymbol(name, *shape) for name, shape in (
        ("h", (T, words)), ("G", (T, words)), ("A", (T, T)),
    ))  # fmt: skip
    V = MatrixSymbol("V", words, words)
    lower = h.T * A.T * (G + A.T * G * V.T)
    upper = (h + A * h * V).T * A.T * G
    both = h.T * A.T * A.T * G
    return equal(upper - lower, V.T * both - both * V.T)


@proves(claims.layers_part_at_the_fourth_order)
def by_the_gradients_of_neighbours(claim: Claim) -> Certificate:
    """Each step adds eta times the commutator of V = binom(k, 2) eta^2 M with k eta N."""
    apart = Checked(
        r"(h+AhV)^\top A^\top G-h^\top A^\top(G+A^\top GV^\top)"
        r"=V^\top h^\top A^\top A^\top G-h^\top A^\top A^\top GV^\top",
        "index calculus; here $h=h^{(l-1)}$, $G=G^{(l+1)}$",
        neighbours_differ_by_a_commutator,
    )
    count = Checked(
        r"\textstyle\sum_{k<s}k\binom k2=3\binom s4+2\binom s3",
        r"after $k$ steps $h=X_i+O(\eta^2)$, $G=k\eta(Y_i-U_O)\bar B^\top+O(\eta^2)$, $V=\binom k2\eta^2M+"
        r"O(\eta^3)$ in every layer; $A-A_0$ and the terms with $W$ are $O(\eta^4)$ and $O(\eta^7)$",
        add_up,
    )
    return argued(
        claim, steps=(apart, count), method="gradients of neighbouring layers, order by order",
        scope="all corpora, depths and steps",
    )  # fmt: skip
