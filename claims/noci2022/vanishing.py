r"""Vanishing gradients under rank collapse (Theorem 3.2, App. A.1.3).

Collapsed tokens are X = 1 x^T with x != 0 (rank one excludes x = 0).  Later layers are part of the
loss L(S) of the attention output S, of which no more enters than its gradient G there: any matrix, for any
weights.  In mean it is stated over finite laws of weights and gradients together, outcome by outcome.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, MatrixSymbol, Symbol

from claims.definitions import frobenius_square
from claims.domain import Array, Choice, Computed, Domain, Point, Real, Size
from claims.expressions import FrobSq
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.noci2022.backward import (
    query_gradient_norm_of_uniform_attention,
    value_gradient_norm_of_uniform_attention,
)
from claims.noci2022.chain import (
    later_factors_average_out_given_the_tokens,
    loss_gradient_is_bounded_norm_by_norm,
)
from claims.noci2022.collapse import (
    a,
    moments_of_rank_one_tokens,
    nonzero_x,
    rank_one_tokens,
    tied_tokens,
    x,
)
from claims.noci2022.inputs import input_gradient_bound
from claims.noci2022.notation import (
    WK,
    WQ,
    WV,
    X,
    d,
    d_k,
    d_v,
    m,
    n,
    norm_scatter,
    normX,
    sigma_k,
    sigma_q,
    sigma_v,
    source,
)
from claims.noci2022.setup import (
    FIXED_TOKENS,
    UNIFORM,
    ZERO_MEAN_WEIGHTS,
    expected_gradient_norm,
    given_layer,
    positive,
    uniform_jacobian,
)
from claims.statement import Quantity

loss_gradient = MatrixSymbol("G", n, d_v)
parameter = Symbol("W")
COLLAPSED = Hypothesis(r"X=1_n x^\top,\ x\ne0")

ARRAYS = (WQ, WK, WV, loss_gradient)
stacked = {array: MatrixSymbol(array.name, m * array.rows, array.cols) for array in ARRAYS}
"""Weights and gradients of the loss, one outcome below the other."""
_sizes = (Size(n, 2, 3), Size(d_v, 1, 2), Size(d_k, 1, 2))
_law = (Size(m, 1, 2), *(Array(stack, 2) for stack in stacked.values()))
_here = tuple(Array(array, 2) for array in ARRAYS)
_queries_and_keys = Choice(parameter, ("queries", "keys"))


def _tied(*others: Any) -> Domain:
    return Domain((*_sizes, Array(x), tied_tokens, *others), (nonzero_x,))


def in_outcome(point: Point, s: int) -> Point:
    """The tokens, with the weights and the gradient of the loss of an outcome."""
    found = dict(point)
    for array, stack in stacked.items():
        rows = point[stack].rows // int(point[m])
        found[array] = point[stack][(s - 1) * rows : s * rows, :]
    return found


def gradient_at_given_weights(point: Point) -> Any:
    """||dL/dW||^2 at the point's weights, for dL/dS = G."""
    upstream = point[loss_gradient]
    jacobian = uniform_jacobian(given_layer(point), point[parameter])
    return frobenius_square(jacobian.T * upstream.reshape(len(upstream), 1))


def expected_loss_gradient_norm(point: Point) -> Any:
    """E ||dL/dW||^2 over the outcomes."""
    count = int(point[m])
    values = (gradient_at_given_weights(in_outcome(point, s)) for s in range(1, count + 1))
    return sum(values, start=Integer(0)) / count


_GRADIENT = r"\mathbb E\left\|\frac{\partial\mathcal L}{\partial W}\right\|_F^2"
_LOSS = Hypothesis(
    r"W\in\{W^Q,W^K\},\ \mathcal L\ \text{differentiable},\ "
    r"G=\tfrac{\partial\mathcal L}{\partial S}\ \text{any matrix}"
)
_LAW = Hypothesis(
    r"\text{weights and } G\ \text{of any joint law, here with } m\ \text{equally likely outcomes}"
)
_DROPPED = (
    (
        "rank one, unequal tokens",
        Domain((*_sizes, Array(a), Array(x), rank_one_tokens, _queries_and_keys)),
    ),
    ("any tokens", Domain((*_sizes, Array(X), _queries_and_keys))),
    ("value weights", _tied(Choice(parameter, ("values",)))),
)


def _dropped(statement: Relation, others: tuple[Any, ...]) -> tuple[Mutant, ...]:
    """False twins, a hypothesis dropped in each."""
    return tuple(
        Mutant(name, statement, domain=Domain((*at.variables, *others), at.conditions))
        for name, at in _DROPPED
    )


query_and_key_gradients_vanish_under_rank_collapse = Claim(
    id="noci2022.theorem-3.2.zero-gradient",
    source=source("Sec. 3.1", "Theorem 3.2, Eq. (9)"),
    kind="expectation",
    title="When all tokens agree, the loss gradients of queries and keys have zero expected norm.",
    statement=Relation(_GRADIENT, (Integer(0),)),
    domain=_tied(_queries_and_keys, *_law),
    define=expected_loss_gradient_norm,
    hypotheses=(UNIFORM, COLLAPSED, _LOSS, _LAW),
    uses=(
        query_gradient_norm_of_uniform_attention,
        loss_gradient_is_bounded_norm_by_norm,
        later_factors_average_out_given_the_tokens,
        moments_of_rank_one_tokens,
    ),
    mutants=(
        *variants(("Eq. (7) not centred", d_v * normX * FrobSq(X.T * X) / n**2), lhs=_GRADIENT),
        *_dropped(Relation(_GRADIENT, (Integer(0),)), _law),
    ),
    printed=(
        r"\mathbb{E} \left\| \frac{\partial \mathcal{L}}{\partial \mathbf{W}^{Q,\ell}} "
        r"\right\|_{F}^{2} = 0, \quad \mathbb{E} \left\| \frac{\partial \mathcal{L}}{\partial "
        r"\mathbf{W}^{K,\ell}} \right\|_{F}^{2} = 0"
    ),
    note=(
        r"Pathwise: the softmax moves by $\tfrac1n\,dM\,L$, and $LX=0$ when all tokens agree. So the gradient "
        "is zero for all weights and every $G$ (`noci2022.theorem-3.2.almost-sure`), and its mean is, whatever "
        "the law; this needs none of the printed bounds, of which the one in mean is wrong. Nor is Assumption "
        "3.1 needed: see `noci2022.beyond.collapsed-softmax`."
    ),
)


_PATHWISE = r"\left\|\frac{\partial\mathcal L}{\partial W}\right\|_F^2"
_vanishing = Relation(_PATHWISE, (Integer(0),))

query_and_key_gradients_vanish_almost_surely = Claim(
    id="noci2022.theorem-3.2.almost-sure",
    source=source("Sec. 3.1", "Theorem 3.2, last sentence"),
    kind="prose",
    title="When all tokens agree, the loss gradients of queries and keys are zero for all weights.",
    statement=_vanishing,
    domain=_tied(_queries_and_keys, *_here),
    define=gradient_at_given_weights,
    hypotheses=(UNIFORM, COLLAPSED, _LOSS),
    uses=(query_and_key_gradients_vanish_under_rank_collapse,),
    mutants=_dropped(_vanishing, _here),
    note="The paper says almost surely; it is so for every choice of the weights.",
)

_sigmas = tuple(Real(sigma, **positive) for sigma in (sigma_q, sigma_k, sigma_v))
surviving = Domain((*_sizes, Array(x), tied_tokens, *_sigmas), (nonzero_x,))
value_norm, input_norm = (
    Quantity(
        rf"\mathbb E\left\|\frac{{\partial S}}{{\partial {name}}}\right\|_F^2",
        expected_gradient_norm(by),
    )
    for name, by in (("W^V", "values"), ("X", "input"))
)

value_and_input_gradients_survive_rank_collapse = Claim(
    id="noci2022.A.1.3.value-input-survive",
    source=source("App. A.1.3", "before the proof"),
    kind="prose",
    title="When all tokens agree, the gradients by the values and by the input do not vanish.",
    statement=value_norm.above(0) & input_norm.above(0),
    domain=surviving,
    hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS, COLLAPSED),
    uses=(value_gradient_norm_of_uniform_attention, input_gradient_bound),
    note=(
        "The paper points to Theorem 3.1, of which there is none, for Lemma 3.1, whose bound (8) from above "
        "cannot show this for the input; "
        r"the exact value there is $d_v^2\sigma_v^2$, and $d_vn\|x\|^2$ for the values."
    ),
)

_QUERIES = r"\mathbb E\left\|\frac{\partial S}{\partial W^Q}\right\|_F^2"
_square_layer = Domain(
    (
        Size(n, 2, 3), Size(d, 1, 3), Computed(d_v, lambda at: at[d]),
        Computed(d_k, lambda at: at[d]), Array(X), *_sigmas,
    )
)  # fmt: skip
_norms = sigma_v**2 * sigma_k**2 * normX * norm_scatter / n**2

query_gradient_norm_with_equal_widths = Claim(
    id="noci2022.A.1.3.restated-norm.repair",
    parent="noci2022.A.1.3.restated-norm",
    source=source("App. A.1.3", "proof of Theorem 3.2"),
    kind="expectation",
    title="With $d_k=d_v=d$ the expected squared query gradient carries one factor $d$.",
    statement=Relation(_QUERIES, (_norms * d,)),
    domain=_square_layer,
    define=expected_gradient_norm("queries"),
    hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS, FIXED_TOKENS, Hypothesis("d_k=d_v=d")),
    note=(
        r"The $1/d_k$ of the logits cancels the $d_k$ of $\mathbb E\,W^KW^{K\top}$: $d$, as in (7) "
        "itself, not $d^2$."
    ),
)

query_gradient_norm_restated = Claim(
    id="noci2022.A.1.3.restated-norm",
    source=source("App. A.1.3", "proof of Theorem 3.2"),
    kind="expectation",
    title="The expected squared query gradient, quoted from Lemma 3.1 with $d_k=d_v=d$.",
    statement=Relation(_QUERIES, (_norms * d**2,)),
    domain=_square_layer,
    define=expected_gradient_norm("queries"),
    hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS, FIXED_TOKENS, Hypothesis("d_k=d_v=d")),
    uses=(query_gradient_norm_of_uniform_attention,),
    mutants=variants(
        ("d^3 for d^2", _norms * d**3),
        ("1/n for 1/n^2", _norms * n * d**2),
        ("n - 1 for n", _norms * d**2 * n**2 / (n - 1) ** 2),
        ("sigma_q for sigma_k", _norms * d**2 * sigma_q**2 / sigma_k**2),
        lhs=_QUERIES,
    ),
    severity="misprint",
    repair=query_gradient_norm_with_equal_widths,
    printed=(
        r"\mathbb{E} \left\| \frac{\partial \mathbf{S}^\ell}{\partial \mathbf{W}^Q} \right\|_F^2 = "
        r"\frac{\sigma_v^2 \sigma_k^2 d^2}{n^2} \cdot \mathbb{E} \left[ \|\mathbf{X}^\ell\|_F^2 "
        r"\cdot \|(\mathbf{X}^\ell)^\top \mathbf{X}^\ell - n \bar{\mathbf{x}}^\ell "
        r"(\bar{\mathbf{x}}^\ell)^\top\|_F^2 \right]"
    ),
    note=(
        "Quoted from Lemma 3.1, whose Eq. (7) has the first power of $d$; the proof needs neither."
    ),
)
