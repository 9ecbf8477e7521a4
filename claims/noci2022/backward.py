"""Lemma 3.1 and its surroundings: expected gradient norms of an attention layer."""

from __future__ import annotations

from claims.model import Claim, Relation, variants
from claims.noci2022.notation import d_k, d_v, n, norm_xbar, source
from claims.noci2022.setup import FIXED_TOKENS, UNIFORM, expected_gradient_norm, layer

_VALUES = r"\mathbb E\left\|\frac{\partial S}{\partial W^V}\right\|_F^2"

value_gradient_norm_of_uniform_attention = Claim(
    id="noci2022.lemma-3.1.values",
    source=source("Sec. 3.1", "Lemma 3.1, Eq. (6)"),
    kind="expectation",
    title="The expected squared value gradient is d_v n times the squared norm of the mean token.",
    statement=Relation(_VALUES, (d_v * n * norm_xbar,)),
    domain=layer,
    define=expected_gradient_norm("values"),
    hypotheses=(UNIFORM, FIXED_TOKENS),
    mutants=variants(
        ("d_k for d_v", d_k * n * norm_xbar),
        ("n - 1 for n", d_v * (n - 1) * norm_xbar),
        ("n^2 for n", d_v * n**2 * norm_xbar),
        ("dropped d_v", n * norm_xbar),
        lhs=_VALUES,
    ),
)
