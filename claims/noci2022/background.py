r"""Sections 1-2 and Assumption 3.1: the layer, its initialisation, and what is said of both.

Prose is put in the sharpest form the text supports.  "Xavier" is read as the paper's own App. A.5
reads it, variance 2/(rows + columns), and "He" as variance 2/(fan in).
"""

from __future__ import annotations

from typing import Any

from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Rational,
    Symbol,
    expand,
    simplify,
)

from claims.definitions import (
    directional_jacobian,
    entries,
    expectation,
    frobenius_square_expectation,
    softmax_at,
)  # fmt: skip
from claims.domain import Array, Choice, Condition, Domain, Point, Real, Size
from claims.expressions import FrobSq
from claims.model import Claim, Hypothesis, Mutant, Proposition, Relation, variants
from claims.noci2022.notation import (
    WK,
    WQ,
    WV,
    C,
    X,
    alpha1,
    alpha2,
    d_k,
    d_v,
    depth,
    m,
    n,
    norm_scatter,
    sigma_k,
    sigma_v,
    source,
)  # fmt: skip
from claims.noci2022.setup import (
    UNIFORM,
    ZERO_MEAN_WEIGHTS,
    Layer,
    given_weights,
    positive,
    uniform_step,
)  # fmt: skip
from claims.statement import measured_quantity

LINEAR = Hypothesis(r"\sigma(z)=z")


def _attention(point: Point, *, columns: bool = False) -> dict[str, Any]:
    """Shapes of A and S, whether A's entries are positive, and the sums of its rows."""
    layer = Layer(point[X], point[WQ], point[WK], point[WV])
    base = Symbol("t", positive=True)
    integer_logits = layer.x * layer.wq * layer.wk.T * layer.x.T  # M in units of 1/sqrt(d_k)
    a = softmax_at(integer_logits.T, base).T if columns else softmax_at(integer_logits, base)
    rows = {simplify(sum(a.row(i))) for i in range(a.rows)}
    return {"A": a.shape, "S": (a * layer.x * layer.wv).shape, "row_sums": rows}


def _is_attention(point: Point, value: dict[str, Any]) -> bool:
    size, width = int(point[n]), int(point[d_v])
    shapes = value["A"] == (size, size) and value["S"] == (size, width)
    return shapes and all(abs(float(s) - 1) < 1e-9 for s in map(_number, value["row_sums"]))


def _number(value: Any) -> float:
    """A row sum as a number; one that still depends on the base is evaluated at t = 2."""
    free: set[Symbol] = getattr(value, "free_symbols", set())
    return float(value.subs(dict.fromkeys(free, 2)) if free else value)


# Softmax entries are rational functions whose degree grows with the weights: keep both small.
_small_weights = Domain((
    Size(n, 2, 3), Size(d_v, 1, 2), Size(d_k, 1, 2),
    *(Array(array, height=1) for array in (X, WQ, WK, WV)),
))  # fmt: skip
_ATTENTION = (
    r"A=\mathrm{softmax}\bigl(XW^Q(XW^K)^\top/\sqrt{d_k}\bigr)\in\mathbb R^{n\times n},\ A1_n=1_n,"
    r"\ S=AXW^V\in\mathbb R^{n\times d_v}"
)
attention_is_row_stochastic_and_keeps_the_shape = Claim(
    id="noci2022.eq-1.attention",
    source=source("Sec. 2", "Eq. (1)"),
    kind="construction",
    title="Attention weights form a row-stochastic n x n matrix and the output has the tokens' shape.",
    statement=Proposition(_ATTENTION, _is_attention),
    domain=_small_weights,
    define=_attention,
    mutants=(
        Mutant(
            "softmax over columns",
            Proposition(_ATTENTION, _is_attention),
            define=lambda p: _attention(p, columns=True),
            domain=Domain((*_small_weights.variables, Choice(Symbol("axis"), ("columns",)))),
        ),
        Mutant(
            "output of width d_k",
            Proposition(
                r"S\in\mathbb R^{n\times d_k}",
                lambda p, v: v["S"] == (int(p[n]), int(p[d_k])),
            ),
        ),
        Mutant(
            "A of shape d_v x d_v",
            Proposition(
                r"A\in\mathbb R^{d_v\times d_v}", lambda p, v: v["A"] == (int(p[d_v]),) * 2
            ),
        ),
    ),
)

WF1, WF2 = MatrixSymbol("W^{F_1}", d_v, d_v), MatrixSymbol("W^{F_2}", d_v, d_v)
_block_domain = Domain((
    *given_weights.variables, Array(WF1, height=2), Array(WF2, height=2),
    Real(alpha1), Real(alpha2), Choice(Symbol("sigma"), ("relu", "linear")),
))  # fmt: skip


def _block(point: Point) -> tuple[tuple[int, int], ...]:
    """Shapes of S (uniform attention; any A of shape n x n gives the same), Z, Y and X^{l+1}."""
    x = point[X]
    uniform = ImmutableDenseMatrix.ones(x.rows, x.rows) / Integer(x.rows)
    s = uniform * x * point[WV]
    z = point[alpha1] * s + x
    hidden = z * point[WF1]
    if point[Symbol("sigma")] == "relu":
        hidden = hidden.applyfunc(lambda u: max(u, Integer(0)))
    y = hidden * point[WF2]
    return s.shape, z.shape, y.shape, (point[alpha2] * y + z).shape


def _all_shaped(rows: Symbol, cols: Symbol) -> Proposition:
    return Proposition(
        rf"S^\ell,Z^\ell,Y^\ell,X^{{\ell+1}}\in\mathbb R^{{{rows}\times {cols}}}",
        lambda p, v: all(shape == (int(p[rows]), int(p[cols])) for shape in v),
    )


block_maps_token_matrices_to_token_matrices = Claim(
    id="noci2022.eq-2-4.block",
    source=source("Sec. 2", "Eqs. (2)-(4)"),
    kind="construction",
    title="Every sum in the block is between n x d_v matrices, so that blocks compose.",
    statement=_all_shaped(n, d_v),
    domain=_block_domain,
    define=_block,
    mutants=(
        Mutant("width d_k", _all_shaped(n, d_k)),
        Mutant("transposed", _all_shaped(d_v, n)),
        Mutant("square of side n", _all_shaped(n, n)),
    ),
)

_sizes = Domain((Size(d_v, 1, 8), Size(d_k, 1, 8)))
_equal_sizes = _sizes.with_conditions(Condition("d_k=d_v", lambda p: p[d_k] == p[d_v]))


def _initialisation(point: Point) -> dict[str, Any]:
    """Printed variance of W^Q, W^K, and what Xavier and He prescribe for a d_v x d_k matrix."""
    v, k = Integer(point[d_v]), Integer(point[d_k])
    return {"printed": 1 / k, "xavier": 2 / (v + k), "he": 2 / v}


def _one_of(*names: str) -> Any:
    return lambda p, v: any(abs(float(v["printed"] - v[name])) < 1e-12 for name in names)


_INIT = r"\sigma_k^2=\tfrac1{d_k}\ \text{is the Xavier or the He variance of a}\ d_v\times d_k\ \text{matrix}"
initialisation_is_xavier_or_he = Claim(
    id="noci2022.sec2.init",
    source=source("Sec. 2", "initialisation paragraph and footnote 3"),
    kind="assumption",
    title="The query and key variance 1/d_k is called the standard Xavier or He choice.",
    statement=Proposition(_INIT, _one_of("xavier", "he")),
    domain=_sizes,
    define=_initialisation,
    mutants=(
        Mutant("Xavier alone", Proposition(_INIT.replace(" or the He", ""), _one_of("xavier"))),
        Mutant("He alone", Proposition(_INIT.replace("Xavier or the He", "He"), _one_of("he"))),
    ),
    severity="missing-hypothesis",
    repair=Claim(
        id="noci2022.sec2.init.repair",
        source=source("Sec. 2", "initialisation paragraph"),
        kind="assumption",
        title="For d_k = d_v the variance 1/d_k is Xavier's.",
        statement=Proposition(_INIT.replace(" or the He", ""), _one_of("xavier")),
        domain=_equal_sizes,
        define=_initialisation,
        hypotheses=(Hypothesis("d_k=d_v"),),
        note="1/d_k equals 2/(d_v + d_k) exactly when d_k = d_v; App. A.5 itself uses 2/(d_v + d_k).",
        parent="noci2022.sec2.init",
    ),
    note="Xavier gives 2/(d_v + d_k), as the paper's App. A.5 says; the two agree only for d_k = d_v.",
)

queries = MatrixSymbol("X'", m, d_v)
_cross = Domain((
    Size(m, 1, 3), Size(n, 2, 3), Size(d_v, 1, 2), Size(d_k, 1, 2), Array(queries), Array(X),
    Real(sigma_k, **positive), Real(sigma_v, **positive),
))  # fmt: skip


def _cross_gradient(point: Point) -> Expr:
    """E||dS/dW^Q||_F^2 for queries from X' and keys, values from X, under uniform attention."""
    v, k = int(point[d_v]), int(point[d_k])
    wk, wv = entries("k", v, k), entries("v", v, v)
    x, other = point[X], point[queries]
    scale = 1 / Integer(k) ** Rational(1, 2)
    jacobian = directional_jacobian(
        lambda dw: uniform_step(other * dw * wk.T * x.T * scale) * x * wv, v, k
    )
    variances = {w: point[s] ** 2 for w_, s in ((wk, sigma_k), (wv, sigma_v)) for w in w_}
    return frobenius_square_expectation(jacobian, variances)


_CROSS = r"\mathbb E\left\|\frac{\partial S}{\partial W^Q}\right\|_F^2"
_cross_value = sigma_v**2 * sigma_k**2 * d_v / n**2 * FrobSq(queries) * norm_scatter
query_gradient_norm_of_cross_attention = Claim(
    id="noci2022.footnote-1.cross-attention",
    source=source("Sec. 2", "footnote 1"),
    kind="prose",
    title="For cross-attention Eq. (7) holds with the querying sequence's norm in the first factor.",
    statement=Relation(_CROSS, (_cross_value,)),
    domain=_cross,
    define=_cross_gradient,
    hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS),
    mutants=variants(
        ("m for n", _cross_value * n**2 / m**2),
        ("scatter of the queries", sigma_v**2 * sigma_k**2 * d_v / n**2 * FrobSq(X) * norm_scatter),
        ("d_k for d_v", _cross_value * d_k / d_v),
        lhs=_CROSS,
    ),
    note="The footnote gives no formula; this is Eq. (7) with the two sequences told apart.",
)

gamma = Symbol("gamma", integer=True, positive=True)
_wide = Domain((
    Choice(gamma, (Integer(2), Integer(4), Integer(8))), Size(depth, 1, 2), Size(n, 2, 3),
    Size(d_v, 1, 1), Array(X), Real(alpha1, -1, 1), Real(alpha2, -1, 1),
))  # fmt: skip


def _wide_inner_products(point: Point) -> Expr:
    """E C(X^L) with feed-forward width gamma d_v, every layer expanded, for d_v = 1.

    C depends on the tokens through their sum s, and with d_v = 1 a block multiplies s by
    (1 + alpha_1 w)(1 + alpha_2 u.v) with u, v of length gamma.
    """
    width = int(point[gamma])
    factor = Integer(1)
    for _ in range(int(point[depth])):
        # Layers are independent, so the second moment of the product is a product.
        w, u, v = entries("w", 1, 1), entries("u", 1, width), entries("v", width, 1)
        step = (1 + point[alpha1] * w[0]) * (1 + point[alpha2] * (u * v)[0])
        variances = {symbol: Integer(1) for symbol in (*w, *u, *v)}
        factor *= expectation(expand(step**2), variances)
    return factor * sum(point[X]) ** 2


_WIDE = r"\mathbb E\,C(X^L)"
_plain_growth = ((1 + alpha2**2) * (1 + alpha1**2)) ** depth * C()
_wide_growth = ((1 + gamma * alpha2**2) * (1 + alpha1**2)) ** depth * C()
_factor = (1 + gamma * alpha2**2) / (1 + alpha2**2)
wide_feed_forward_changes_a_constant_factor = Claim(
    id="noci2022.footnote-2.gamma",
    source=source("Sec. 2", "footnote 2"),
    kind="prose",
    title="A feed-forward width of gamma d_v is said to change results by a constant factor only.",
    statement=Relation(_WIDE, (_factor * _plain_growth,)),
    domain=_wide,
    define=_wide_inner_products,
    hypotheses=(UNIFORM, LINEAR, Hypothesis(r"\mathrm{Var}\,W^{F_1}=\mathrm{Var}\,W^{F_2}=1/d_v")),
    mutants=variants(
        ("no factor at all", _plain_growth),
        ("factor gamma", gamma * _plain_growth),
        ("factor gamma^L", gamma**depth * _plain_growth),
        lhs=_WIDE,
    ),
    severity="material",
    repair=Claim(
        id="noci2022.footnote-2.gamma.repair",
        source=source("Sec. 2", "footnote 2"),
        kind="expectation",
        title="A feed-forward width of gamma d_v puts gamma alpha_2^2 in the place of alpha_2^2.",
        statement=Relation(_WIDE, (_wide_growth,)),
        domain=_wide,
        define=_wide_inner_products,
        hypotheses=(UNIFORM, LINEAR),
        note=(
            "The factor is ((1 + gamma alpha_2^2)/(1 + alpha_2^2))^L: it grows with the depth unless "
            "alpha_2^2 = O(1/L), and disappears if W^F2 has variance 1/(gamma d_v)."
        ),
        parent="noci2022.footnote-2.gamma",
    ),
    note="The printed constant is the only one that fits L = 1; it fails at L = 2.",
    probes=(
        {
            gamma: Integer(2), depth: Integer(2), n: Integer(2), d_v: Integer(1),
            X: ImmutableDenseMatrix([[1], [1]]), alpha1: Integer(0), alpha2: Integer(1),
        },
    ),
)  # fmt: skip

_nonzero_rows = Domain(
    (Size(n, 2, 3), Size(d_v, 1, 3), Array(X, height=2)),
    (Condition(r"X_k\ne0", lambda p: all(any(p[X].row(k)) for k in range(p[X].rows))),),
)


def _geometry(point: Point) -> dict[str, Any]:
    """Whether all cosines are one, all norms equal, all tokens equal, and the rank."""
    x = point[X]
    gram = x * x.T
    pairs = [(i, j) for i in range(x.rows) for j in range(i)]
    return {
        "aligned": all(
            gram[i, j] > 0 and gram[i, j] ** 2 == gram[i, i] * gram[j, j] for i, j in pairs
        ),
        "equal_norms": len({gram[i, i] for i in range(x.rows)}) == 1,
        "equal": all(x.row(i) == x.row(0) for i in range(x.rows)),
        "rank": x.rank(),
    }


_COLLAPSE = (
    r"\bigl(\cos\theta_{kk'}=1\ \forall k,k'\ \text{and}\ \|X_k\|=\|X_{k'}\|\bigr)\iff X=1_nx^\top;"
    r"\quad X=1_nx^\top\Rightarrow\mathrm{rank}\,X=1"
)
equal_tokens_iff_aligned_with_equal_norms = Claim(
    id="noci2022.sec2.collapse-notion",
    source=source("Sec. 2", "rank-collapse paragraph"),
    kind="prose",
    title="All tokens are equal exactly when they are aligned with equal norms, which implies rank one.",
    statement=Proposition(
        _COLLAPSE,
        lambda p, v: (
            (v["aligned"] and v["equal_norms"]) == v["equal"] and (not v["equal"] or v["rank"] == 1)
        ),
    ),
    domain=_nonzero_rows,
    define=_geometry,
    hypotheses=(Hypothesis(r"X_k\ne0\ \text{(a rank-one limit is meant)}"),),
    mutants=(
        Mutant("alignment alone", Proposition("", lambda p, v: v["aligned"] == v["equal"])),
        Mutant("equal norms alone", Proposition("", lambda p, v: v["equal_norms"] == v["equal"])),
        Mutant(
            "rank one means equal tokens",
            Proposition("", lambda p, v: (v["rank"] == 1) == v["equal"]),
        ),
    ),
)

instance = Symbol("draw", integer=True)
collapse_exponent = measured_quantity(
    r"\min_{\ell:\,r_\ell\le10^{-4}}\tfrac{\log r_{\ell+1}}{\log r_\ell}"
)
no_skip_collapses_doubly_exponentially = Claim(
    id="noci2022.sec1.no-skip-doubly-exponential",
    source=source("Sec. 1-2", "result recalled from Dong et al. (2021)"),
    kind="prose",
    title="Without skip connections the distance to equal tokens decays doubly exponentially.",
    statement=collapse_exponent.at_least(2),
    domain=Domain(
        (Choice(instance, tuple(map(Integer, range(64)))), Size(n, 2, 6), Size(d_v, 2, 16))
    ),
    hypotheses=(
        Hypothesis(r"\text{softmax layers alone: no residual branch, no feed-forward layer}"),
        Hypothesis(r"r_\ell=\|X^\ell-1_n\bar x^{\ell\top}\|_F/\|1_n\bar x^{\ell\top}\|_F"),
    ),
    note=(
        "an almost-sure statement about products of random softmax layers, recalled from another "
        "paper; measured on random layers (the exponent tends to 3), not proved"
    ),
)

growing = Symbol("growing")


def _logit_second_moments(point: Point) -> tuple[Expr, Expr]:
    """E M_11^2 at d_k and at 2 d_k, from the definition with Gaussian weights of variance 1/d_k.

    Regime "fixed": one token of norm one, d_v = 1.  Regime "growing": d_v = d_k and unit-variance
    tokens (1, ..., 1).
    """

    def second_moment(keys: int) -> Expr:
        width = keys if point[growing] else 1
        x = ImmutableDenseMatrix([[1] * width])
        logits = x * entries("q", width, keys) * entries("k", width, keys).T * x.T
        variances = {w: Rational(1, keys) for name in "qk" for w in entries(name, width, keys)}
        return frobenius_square_expectation(logits, variances) / keys

    keys = int(point[d_k])
    return second_moment(keys), second_moment(2 * keys)


_SHRINKS = (
    r"A\to\tfrac1n1_{n\times n}\ \text{almost surely as}\ d_k\to\infty"
    r"\quad(\text{so the logits' second moment shrinks with } d_k)"
)
_shrinks = Proposition(_SHRINKS, lambda p, v: float(v[1]) <= 0.5 * float(v[0]))
_regimes = Domain((Choice(growing, (False, True)), Size(d_k, 1, 3)))
uniform_attention_in_the_limit_of_many_keys = Claim(
    id="noci2022.assumption-3.1",
    source=source("Sec. 3.1", "Assumption 3.1"),
    kind="assumption",
    title="Attention at initialisation is said to become uniform almost surely as d_k grows.",
    statement=_shrinks,
    domain=_regimes,
    define=_logit_second_moments,
    hypotheses=(Hypothesis(r"d_k\to\infty"), Hypothesis(r"\sigma_k^2=1/d_k")),
    mutants=(
        Mutant(
            "the second moment is constant",
            Proposition("", lambda p, v: abs(float(v[1]) / float(v[0]) - 1) < 0.25),
        ),
        Mutant(
            "the second moment grows",
            Proposition("", lambda p, v: float(v[1]) > 1.25 * float(v[0])),
        ),
    ),
    severity="missing-hypothesis",
    repair=Claim(
        id="noci2022.assumption-3.1.repair",
        source=source("Sec. 3.1", "Assumption 3.1"),
        kind="assumption",
        title="With d_v and the tokens fixed, the logits' second moment vanishes as 1/d_k^2.",
        statement=_shrinks,
        domain=Domain((Choice(growing, (False,)), Size(d_k, 1, 3))),
        define=_logit_second_moments,
        hypotheses=(Hypothesis(r"d_v\ \text{and}\ X\ \text{fixed},\ d_k\to\infty"),),
        note=(
            "E M_ij^2 = ||X_i||^2 ||X_j||^2 / d_k^2: summable when d_v and X are fixed, as App. A.5 "
            "assumes, but equal to sigma_x^4 for every d_k = d_v with unit-variance tokens, the "
            "setting of Sec. 3.3."
        ),
        parent="noci2022.assumption-3.1",
    ),
    note="The main text omits that d_v and the tokens are held fixed; with d_v = d_k it is false.",
)
