r"""Whether the gap of softmax attention widens with the context length (Sec. 2.2, after Eq. (1)).

The gap is read as the difference, in mean, of the two largest singular values, and of the moduli of the
two largest eigenvalues, the first of which is one.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Symbol, sqrt

from claims.domain import Choice, Domain
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.naitsaada2025.notation import sigma_qk, source
from claims.naitsaada2025.spectral_gap import GAUSSIAN, ORTHONORMAL, regime
from claims.statement import Monotone, measured_family

doublings = Symbol("k", integer=True, nonnegative=True)
of_values = measured_family(r"\mathbb E\,(s_1-s_2)(A)_{{T={}}}")
of_moduli = measured_family(r"\mathbb E\,(1-|\lambda_2(A)|)_{{T={}}}")


def _along(gap: Any, direction: str) -> Monotone:
    """From 16 tokens to 64."""
    return Monotone(gap(2**doublings), doublings, direction, 4, 6)


gap_widens_with_the_context = Claim(
    id="naitsaada2025.sec-2.2.gap-widens",
    source=source("Sec. 2.2", "after Eq. (1)"),
    kind="prose",
    title="The gap between the two largest eigenvalues, or singular values, widens with the context.",
    statement=_along(of_values, "<") & _along(of_moduli, "<"),
    domain=Domain(
        (
            Choice(regime, ("fixed", "proportional", "faster")),
            Choice(sigma_qk, (Integer(1), 1 / sqrt(2))),
        )
    ),
    hypotheses=(
        ORTHONORMAL,
        GAUSSIAN,
        Hypothesis(
            r"d_{qk}=17\ \text{(fixed)},\ T\ \text{(proportional) or}\ T^2\ \text{(faster)};\ "
            r"T=16,32,64"
        ),
    ),
    mutants=(
        Mutant("singular values come nearer", _along(of_values, ">") & _along(of_moduli, "<")),
        Mutant("moduli come nearer", _along(of_values, "<") & _along(of_moduli, ">")),
    ),
    understood=(
        Understood(
            r"$T$ is large, which Sec. 2.1 says throughout; how large depends on $\sigma_{qk}$",
            r"$\sigma_{qk}\to\infty$ with independent logits: every row has its weight at one place, and "
            r"$|\lambda_2|=1$ unless this map has one cyclic point only, which has probability $1/T$; so the "
            r"mean gap is $1/T$ and narrows",
        ),
    ),
    printed=r"\text{this gap widens as the context length increases}",
    note=(
        r"Measured for $\sigma_{qk}=1$, as in App. A.5, and $\sigma_{qk}^2=\tfrac12$. From two tokens on it "
        "is not so: the mean gap of the eigenvalues falls up to $T=4$, that of the singular values up to "
        "$T=8$ or $16$. How far they widen depends on the width of queries: where $d_{qk}$ grows faster "
        "than $T$, both gaps tend to one, by the corrections of `naitsaada2025.thm-2.1.s1` and "
        "`naitsaada2025.thm-2.1.s2`; at a fixed $d_{qk}$ and these $\\sigma_{qk}$ that of the singular values "
        "stays below, since $s_2(A)$ tends to a positive number. It need not for other $\\sigma_{qk}$, since "
        "$s_1(A)$ tends to more than one: at $\\sigma_{qk}^4=60$, $d_{qk}=1000$ their gap tends to $1.87$"
    ),
)
