r"""The caption of Fig. 3: do larger residual strengths align tokens faster, as Theorem 3.3 is said to show?

In the network of that theorem E<X_k^l, X_k'^l> = (1 + alpha_2^2)^l (<X_k, X_k'> + c), where
c = ((1 + alpha_1^2)^l - 1) C(X)/n^2: the factor of alpha_2 is one of every inner product, and cancels.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Symbol

from claims.domain import Condition, Domain, Equal, Point, Size
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.noci2022.correlation import (
    HYPOTHESES,
    NO_ZERO_TOKENS,
    correlation_from_inner_products_and_norm,
)
from claims.noci2022.network import (
    IN_RANGE,
    NONZERO,
    POSITIVE_MEAN,
    SIZES,
    STRENGTHS,
    TWO_TOKENS,
    Strength,
    other,
    token,
)
from claims.noci2022.notation import X, alpha1, alpha2, d_v, ell, n, source
from claims.noci2022.pairs import DIFFERENT, correlation_after
from claims.statement import Compare, Quantity
from claims.typeset import typeset

larger1, larger2 = (Symbol(rf"\alpha_{i}'", real=True) for i in (1, 2))
"""Larger values of both strengths."""


def _rise(first: Any, second: Any) -> Quantity:
    """How much rho_kk' after the point's number of layers rises to these strengths."""

    def define(at: Point) -> Expr:
        value: Expr = correlation_after.define({**at, alpha1: at[first], alpha2: at[second]})
        return value - correlation_after.define(at)

    name = r"\rho^\ell_{{kk'}}({},{})-\rho^\ell_{{kk'}}(\alpha_1,\alpha_2)"
    return Quantity(name.format(typeset(first), typeset(second)), define)


by_first, by_second = _rise(larger1, alpha2), _rise(alpha1, larger2)
by_both = _rise(larger1, larger2)


def _larger(small: Symbol, large: Symbol) -> Condition:
    return Condition(
        rf"|{typeset(small)}|<|{typeset(large)}|",
        lambda p: abs(p[small]) < abs(p[large]),
        Compare(small**2, "<", large**2),
    )


_variables = (
    *SIZES, Size(ell, 1, 3), *STRENGTHS, Strength(larger1), Strength(larger2), Equal(X), *TWO_TOKENS,
)  # fmt: skip
_conditions = (NONZERO, IN_RANGE, DIFFERENT, _larger(alpha1, larger1), _larger(alpha2, larger2))
_PLACE = source("Sec. 3.2", "Fig. 3, caption")
LARGER = Hypothesis(r"|\alpha_i|<|\alpha_i'|,\ \ell\ge1")


first_strength_aligns_and_second_does_not = Claim(
    id="noci2022.fig-3.caption.repair",
    parent="noci2022.fig-3.caption",
    source=_PLACE,
    kind="prose",
    title="Unless tokens cancel, a larger attention strength aligns them more; the other strength does not.",
    statement=by_first.above(0) & by_second.equals(0) & by_both.above(0),
    domain=Domain(_variables, (*_conditions, POSITIVE_MEAN)),
    hypotheses=(*HYPOTHESES, LARGER, Hypothesis("C(X)>0")),
    mutants=(
        Mutant(
            "tokens that sum to zero", by_first.above(0), domain=Domain(_variables, _conditions)
        ),
    ),
    note=(
        r"At every depth. With one norm $\rho_{kk'}=(\langle X_k,X_{k'}\rangle+c)/(\|x\|^2+c)$ with "
        r"$c=((1+\alpha_1^2)^\ell-1)C(X)/n^2$, which grows with $c$. That $\alpha_2$ does not enter needs "
        r"neither equal norms nor $C(X)>0$."
    ),
)

_three_tokens = {
    n: Integer(3), d_v: Integer(1), ell: Integer(1), alpha1: Integer(1), alpha2: Integer(1),
    larger1: Integer(2), larger2: Integer(2), X: ImmutableDenseMatrix([[1], [1], [-1]]),
    token: Integer(1), other: Integer(3),
}  # fmt: skip
larger_strengths_align_tokens_faster = Claim(
    id="noci2022.fig-3.caption",
    source=_PLACE,
    kind="prose",
    title="Larger residual strengths are said to align tokens faster with depth, by Theorem 3.3.",
    statement=by_second.above(0) & by_first.above(0),
    domain=Domain(_variables, _conditions),
    hypotheses=(*HYPOTHESES, LARGER),
    uses=(correlation_from_inner_products_and_norm,),
    probes=(_three_tokens,),
    severity="material",
    repair=first_strength_aligns_and_second_does_not,
    printed=(
        r"\text{larger values of } \alpha_1, \alpha_2 \text{ imply a faster token alignment with depth "
        r"(Theorem 3.3)}"
    ),
    understood=(
        NO_ZERO_TOKENS,
        Understood(
            r"$X_k\ne X_{k'}$.",
            r"$X_k=X_{k'}$: $\rho_{kk'}^\ell=1$ at every depth, for all strengths.",
        ),
    ),
    note=(
        r"Read in the network of Theorem 3.3, which the caption calls on. There $(1+\alpha_2^2)^\ell$ is a "
        r"factor of every $\mathbb E\langle X_k^\ell,X_{k'}^\ell\rangle$, as of both sides of Eqs. (10) and "
        r"(12), so that $\alpha_2$ enters no correlation, at any depth and for any input. Tokens $1,1,-1$ "
        r"have $\rho_{13}=-4/5$ after one block at $\alpha_1=1$, whatever $\alpha_2$ is, and $-5/13$ at "
        r"$\alpha_1=2$. Of both strengths raised together the sentence fails as well where tokens sum to "
        r"zero: tokens $1,-1$ keep $\rho=-1$ for all strengths. Where they do not, it is true, by $\alpha_1$ "
        r"alone. What the figure itself shows, post-LN layers with ReLU, is measured in `noci2022.fig-3`."
    ),
)
