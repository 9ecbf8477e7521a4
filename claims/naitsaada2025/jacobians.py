r"""Jacobians of the deep models by input and value weights: Eqs. (20), (37)-(39), Props 3.6 and A.9.

The matrix of a derivative depends on how matrices become vectors, row by row or column by column,
and on its layout.  What is printed is tried in every one of these conventions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, Symbol
from sympy.matrices.expressions import KroneckerProduct

from claims.definitions import directional_jacobian, frobenius_square
from claims.domain import Array, Computed, Domain, Point, Real, Size, UpTo
from claims.model import Claim, Hypothesis, Relation, Understood
from claims.naitsaada2025.layers import (
    X0,
    Isotropic,
    Stack,
    W,
    attentions,
    centred,
    forward,
    multiply,
    values,
)
from claims.naitsaada2025.markov import STOCHASTIC, A, Markov
from claims.naitsaada2025.notation import T, d, depth, ell, source
from claims.naitsaada2025.stable_rank import DIGITS, M, decomposed, singular
from claims.statement import Compare, Or, Quantity

P, R = MatrixSymbol("P", T, T), MatrixSymbol("R", d, d)
P1, P2 = MatrixSymbol("P_1", T, d), MatrixSymbol("P_2", d, d)


def kronecker(a: ImmutableDenseMatrix, b: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """Block (i, j) is a_ij b."""
    return ImmutableDenseMatrix(
        a.rows * b.rows, a.cols * b.cols,
        lambda i, j: a[i // b.rows, j // b.cols] * b[i % b.rows, j % b.cols],
    )  # fmt: skip


def by_columns(
    matrix: ImmutableDenseMatrix, output: tuple[int, int], argument: tuple[int, int]
) -> ImmutableDenseMatrix:
    """A Jacobian by rows, with both matrices vectorised column by column."""

    def places(rows: int, cols: int) -> list[int]:
        return [i * cols + j for j in range(cols) for i in range(rows)]

    return matrix[places(*map(int, output)), places(*map(int, argument))]


# By the input -------------------------------------------------------------------------------------

layers = (
    Size(depth, 1, 2, reach=2), Size(T, 1, 2, reach=3), Size(d, 1, 2, reach=3),
    Stack(attentions, Markov(A, 2)), Stack(values, Array(W, 2)),
)  # fmt: skip
factors = (
    Computed(P, lambda at: multiply([centred(a) for a in reversed(at[attentions])], int(at[T]))),
    Computed(R, lambda at: multiply(at[values], int(at[d]))),
)
FACTORS = Hypothesis(r"P=A_\ell^\perp\cdots A_1^\perp,\ R=W_1^V\cdots W_\ell^V")


def input_jacobian(at: Point) -> ImmutableDenseMatrix:
    """d X_l / d X_0 by rows: the model is linear in its input."""
    rows, cols = int(at[T]), int(at[d])
    return directional_jacobian(lambda step: forward({**at, X0: step}, gap=False), rows, cols)


def _input_by_columns(at: Point) -> ImmutableDenseMatrix:
    return by_columns(input_jacobian(at), *[(at[T], at[d])] * 2)


_ROWS, _COLUMNS = r"\mathrm{vec}_r", r"\mathrm{vec}_c"


def _named(vec: str, of: str, by: str) -> str:
    return rf"\frac{{\partial\,{vec}({of})}}{{\partial\,{vec}({by})}}"


by_rows = Quantity(_named(_ROWS, r"X_\ell^\perp", "X_0"), input_jacobian)
input_conventions = (
    by_rows,
    Quantity(by_rows.name + r"^\top", lambda at: input_jacobian(at).T),
    Quantity(_named(_COLUMNS, r"X_\ell^\perp", "X_0"), _input_by_columns),
    Quantity(
        _named(_COLUMNS, r"X_\ell^\perp", "X_0") + r"^\top", lambda at: _input_by_columns(at).T
    ),
)
printed_input = Quantity(r"P\otimes R", lambda at: kronecker(at[P], at[R]))
_uneven = ImmutableDenseMatrix([[1, 0], [Rational(1, 2), Rational(1, 2)]])
_shift = ImmutableDenseMatrix([[0, 1], [0, 0]])
input_domain = Domain((*layers, *factors))
jacobian_by_the_input = Claim(
    id="naitsaada2025.eq-39.repair",
    parent="naitsaada2025.eq-39",
    source=source("App. A.4", "Eq. (39)"),
    kind="identity",
    title=r"Vectorised row by row, $J_\ell=(A_\ell^\perp\cdots A_1^\perp)\otimes(W_1^V\cdots W_\ell^V)^\top$.",
    statement=Relation(by_rows.name, (KroneckerProduct(P, R.T),)),
    domain=input_domain,
    define=input_jacobian,
    hypotheses=(STOCHASTIC, FACTORS),
    note=r"Column by column it is $(W_1^V\cdots W_\ell^V)^\top\otimes(A_\ell^\perp\cdots A_1^\perp)$.",
)
jacobian_without_a_transpose = Claim(
    id="naitsaada2025.eq-39",
    source=source("App. A.4", "Eqs. (38), (39)"),
    kind="identity",
    title="The Jacobian by the input is a Kronecker product with the value weights themselves.",
    statement=Or(tuple(Compare(q, "=", printed_input) for q in input_conventions)),
    domain=input_domain,
    hypotheses=(STOCHASTIC, FACTORS),
    severity="misprint",
    repair=jacobian_by_the_input,
    probes=(
        {
            depth: Integer(1), T: Integer(2), d: Integer(2), attentions: (_uneven,),
            values: (_shift,), P: centred(_uneven), R: _shift,
        },
    ),
    printed=(
        r"\mathbf{J}_\ell = (\mathbf{A}_\ell^\perp \cdots \mathbf{A}_1^\perp) \otimes (\mathbf{W}_1^V "
        r"\cdots \mathbf{W}_\ell^V) \in \mathbb{R}^{Td \times Td}"
    ),
    note=(
        r"$d(PXR)=P\,dX\,R$ has the matrix $P\otimes R^\top$ or $R^\top\otimes P$, and their transposes "
        r"in the other layout. Singular values are those of $P\otimes R$ in each case, which is all "
        "that is used."
    ),
)  # fmt: skip

epsilon, direction = Symbol(r"\epsilon", real=True), MatrixSymbol("V", T, d)
first_order_expansion_is_exact = Claim(
    id="naitsaada2025.eq-37",
    source=source("App. A.4", "Eq. (37)"),
    kind="identity",
    title="The first-order expansion of the modified model in its input is exact.",
    statement=Relation(r"f(X_0+\epsilon V)", (P * X0 * R + epsilon * P * direction * R,)),
    domain=Domain((*layers, Array(X0, 2), Array(direction, 2), Real(epsilon), *factors)),
    define=lambda at: forward({**at, X0: at[X0] + at[epsilon] * at[direction]}, gap=False),
    hypotheses=(STOCHASTIC, FACTORS, Hypothesis(r"f(X_0)=PX_0R")),
    printed=(
        r"f(\mathbf{X}_0 + \epsilon \mathbf{U}) \approx f(\mathbf{X}_0) + \epsilon \left. "
        r"\frac{\partial f}{\partial \mathbf{X}} \right|_{\mathbf{X}_0} \mathbf{U}"
    ),
    understood=(
        Understood(
            r"The derivative is applied to $U$ as a linear map.",
            r"As a $Td\times Td$ matrix it cannot multiply the $T\times d$ matrix $U$, but "
            r"$\mathrm{vec}(U)$.",
        ),
    ),
    note="The attention matrices of model (16) do not depend on the input, so that $f$ is linear.",
)

# By a value matrix --------------------------------------------------------------------------------


def value_jacobian(at: Point, gap: bool = True) -> ImmutableDenseMatrix:
    """d X_L / d W_l by rows: layer by layer with a unit direction in the place of W_l."""
    place, width = int(at[ell]) - 1, int(at[d])

    def moved(step: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
        weights = (*at[values][:place], step, *at[values][place + 1 :])
        return forward({**at, values: weights}, gap)

    return directional_jacobian(moved, width, width)


def _before(at: Point, gap: bool = True) -> ImmutableDenseMatrix:
    """A_L ... A_1 X_0 W_1 ... W_{l-1}."""
    matrices = [a if gap else centred(a) for a in reversed(at[attentions])]
    attention = multiply(matrices, int(at[T]))
    return attention * at[X0] * multiply(at[values][: int(at[ell]) - 1], int(at[d]))


_after = Computed(P2, lambda at: multiply(at[values][int(at[ell]) :], int(at[d])))
_network = (*layers[:1], UpTo(ell, 1, 2, last=depth), *layers[1:], Array(X0, 2))
value_domain = Domain((*_network, Computed(P1, _before), _after))
VALUE_FACTORS = Hypothesis(
    r"P_1=A_L\cdots A_1X_0W_1^V\cdots W_{\ell-1}^V,\ P_2=W_{\ell+1}^V\cdots W_L^V"
)


def _of_values(output: str, gap: bool) -> tuple[Quantity, Quantity]:
    """The Jacobian by a value matrix, by rows and by columns."""
    return (
        Quantity(_named(_ROWS, output, r"W_\ell^V"), lambda at: value_jacobian(at, gap)),
        Quantity(
            _named(_COLUMNS, output, r"W_\ell^V"),
            lambda at: by_columns(value_jacobian(at, gap), (at[T], at[d]), (at[d], at[d])),
        ),
    )


value_conventions = _of_values("X_L", True)
printed_value = Quantity(r"P_1\otimes P_2", lambda at: kronecker(at[P1], at[P2]))
jacobian_by_a_value_matrix = Claim(
    id="naitsaada2025.proof-3.6.jacobian.repair",
    parent="naitsaada2025.proof-3.6.jacobian",
    source=source("App. A.2", "proof of Prop. 3.6"),
    kind="identity",
    title=r"Vectorised row by row, $\partial X_L/\partial W_\ell^V=P_1\otimes P_2^\top$.",
    statement=Relation(value_conventions[0].name, (KroneckerProduct(P1, P2.T),)),
    domain=value_domain,
    define=value_jacobian,
    hypotheses=(STOCHASTIC, VALUE_FACTORS),
)
value_jacobian_without_a_transpose = Claim(
    id="naitsaada2025.proof-3.6.jacobian",
    source=source("App. A.2", "proof of Prop. 3.6"),
    kind="identity",
    title="The Jacobian by a value matrix is a Kronecker product with the later ones themselves.",
    statement=Or(tuple(Compare(q, "=", printed_value) for q in value_conventions)),
    domain=value_domain,
    hypotheses=(STOCHASTIC, VALUE_FACTORS),
    severity="misprint",
    repair=jacobian_by_a_value_matrix,
    probes=(
        {
            depth: Integer(2), ell: Integer(1), T: Integer(1), d: Integer(2),
            attentions: (ImmutableDenseMatrix([[1]]),) * 2,
            values: (ImmutableDenseMatrix.eye(2), _shift), X0: ImmutableDenseMatrix([[1, 0]]),
            P1: ImmutableDenseMatrix([[1, 0]]), P2: _shift,
        },
    ),
    printed=(
        r"\frac{\partial \mathbf{X}_L}{\partial \mathbf{W}_\ell^V} = (\mathbf{A}_L \dots \mathbf{A}_1 "
        r"\mathbf{X}_0 \mathbf{W}_1^V \dots \mathbf{W}_{\ell-1}^V) \otimes (\mathbf{W}_{\ell+1}^V \dots "
        r"\mathbf{W}_L^V)"
    ),
    note=(
        r"$d(P_1WP_2)=P_1\,dW\,P_2$; the first factor of the chain, $\partial X_L/\partial X_\ell$, lacks "
        "the same transpose. Norms and singular values do not depend on it."
    ),
)  # fmt: skip

P1_perp = MatrixSymbol(r"P_1^\perp", T, d)
resolved_domain = Domain((*_network, Computed(P1_perp, lambda at: _before(at, gap=False)), _after))
RESOLVED_FACTORS = Hypothesis(
    r"P_1^\perp=A_L^\perp\cdots A_1^\perp X_0W_1^V\cdots W_{\ell-1}^V,\ P_2=W_{\ell+1}^V\cdots W_L^V"
)
resolved_conventions = _of_values(r"X_L^\perp", False)
printed_resolved = Quantity(r"P_1^\perp\otimes P_2", lambda at: kronecker(at[P1_perp], at[P2]))
resolved_jacobian_by_a_value_matrix = Claim(
    id="naitsaada2025.proof-3.8.jacobian.repair",
    parent="naitsaada2025.proof-3.8.jacobian",
    source=source("App. A.2", "proof of Prop. 3.8"),
    kind="identity",
    title=r"Vectorised row by row, $\partial X_L^\perp/\partial W_\ell^V=P_1^\perp\otimes P_2^\top$.",
    statement=Relation(resolved_conventions[0].name, (KroneckerProduct(P1_perp, P2.T),)),
    domain=resolved_domain,
    define=lambda at: value_jacobian(at, gap=False),
    hypotheses=(STOCHASTIC, RESOLVED_FACTORS),
)
_eye, _apart = ImmutableDenseMatrix.eye(2), ImmutableDenseMatrix([[1, -1], [-1, 1]]) / 2
resolved_jacobian_without_a_transpose = Claim(
    id="naitsaada2025.proof-3.8.jacobian",
    source=source("App. A.2", "proof of Prop. 3.8, first display"),
    kind="identity",
    title="Without the gap the Jacobian by a value matrix has the later ones themselves as a factor.",
    statement=Or(tuple(Compare(q, "=", printed_resolved) for q in resolved_conventions)),
    domain=resolved_domain,
    hypotheses=(STOCHASTIC, RESOLVED_FACTORS),
    severity="misprint",
    repair=resolved_jacobian_by_a_value_matrix,
    probes=(
        {
            depth: Integer(2), ell: Integer(1), T: Integer(2), d: Integer(2), attentions: (_eye,) * 2,
            values: (_eye, _shift), X0: _eye, P1_perp: _apart, P2: _shift,
        },
    ),
    printed=(
        r"\frac{\partial \mathbf{X}_L^\perp}{\partial \mathbf{W}_\ell^V} = (\mathbf{A}_L^\perp \dots "
        r"\mathbf{A}_1^\perp \mathbf{X}_0 \mathbf{W}_1^V \dots \mathbf{W}_{\ell-1}^V) \otimes "
        r"(\mathbf{W}_{\ell+1}^V \dots \mathbf{W}_L^V)"
    ),
    note=(
        r"The transpose that the proof of Prop. 3.6 lacks too: $d(P_1^\perp WP_2)=P_1^\perp\,dW\,P_2$. The "
        r"traces that follow, $\mathrm{tr}(P_1^\perp P_1^{\perp\top})\,\mathrm{tr}(P_2P_2^\top)$, are those of "
        "either matrix."
    ),
)  # fmt: skip

# Norms --------------------------------------------------------------------------------------------

s1, U1 = MatrixSymbol("s_1", T, 1), MatrixSymbol("U_1", T, T)
s2, U2 = MatrixSymbol("s_2", d, 1), MatrixSymbol("U_2", d, d)


def _powers(matrix: Any, name: str) -> tuple[Quantity, Quantity]:
    """The sum of squares of the singular values, and the largest of them."""
    return (
        Quantity(
            rf"\textstyle\sum_is_i^2({name})",
            lambda at: sum(root**2 for root in singular(at[matrix])[0]).evalf(DIGITS),
            nonnegative=True,
        ),
        Quantity(
            f"s_1({name})", lambda at: singular(at[matrix])[0][0].evalf(DIGITS), nonnegative=True
        ),
    )


def two_sided(left: Any, right: Callable[[Point], Any]) -> Callable[[Point], Expr]:
    """||d(P_1 W P_2)/dW||_F^2, one unit direction of W at a time."""
    return lambda at: frobenius_square(
        directional_jacobian(lambda step: at[left] * step * right(at), int(at[d]), int(at[d]))
    )


jacobian_norm = Quantity(
    r"\left\|\frac{\partial X_L}{\partial W_\ell^V}\right\|_F^2", two_sided(P1, lambda at: at[P2]),
    nonnegative=True,
)  # fmt: skip
(squares_1, largest_1), (squares_2, largest_2) = _powers(P1, "P_1"), _powers(P2, "P_2")
jacobian_norm_by_singular_values = Claim(
    id="naitsaada2025.eq-20",
    source=source("App. A.2", "Eq. (20)"),
    kind="bound",
    title="The squared norm of the Jacobian is the sum of all products of squared singular values.",
    statement=jacobian_norm.equals(squares_1 * squares_2)
    & jacobian_norm.at_least(largest_1**2 * largest_2**2),
    domain=Domain((
        Size(T, 1, 2, reach=4), Size(d, 1, 2, reach=4), Array(P1), Array(P2),
        *decomposed(P1, s1, U1), *decomposed(P2, s2, U2),
    )),
    hypotheses=(Hypothesis(r"dX_L=P_1\,dW_\ell^V\,P_2"),),
    uses=(value_jacobian_without_a_transpose,),
    printed=(
        r"\left\| \frac{\partial \mathbf{X}_L}{\partial \mathbf{W}_\ell^V} \right\|_F^2 = \sum_i s_i^2 "
        r"\left( \frac{\partial \mathbf{X}_L}{\partial \mathbf{W}_\ell^V} \right) = \sum_{i,j} "
        r"s_i^2(\mathbf{P}_1) s_j^2(\mathbf{P}_2) \geq s_1^2(\mathbf{P}_1) s_1^2(\mathbf{P}_2)"
    ),
    note="The transpose that the display before it lacks does not change singular values.",
)  # fmt: skip

single_norm = Quantity(
    r"\left\|\frac{\partial X_1}{\partial W_1^V}\right\|_F^2",
    two_sided(M, lambda at: ImmutableDenseMatrix.eye(at[d])),
    nonnegative=True,
)
squares, largest = _powers(M, "A_1X_0")
jacobian_norm_of_one_layer = Claim(
    id="naitsaada2025.proof-3.6.single",
    source=source("App. A.2", "proof of Prop. 3.6, last display but one"),
    kind="bound",
    title="For one layer the squared norm is $d$ times that of $A_1X_0$, which exceeds $s_1^2$.",
    statement=single_norm.equals(d * squares) & single_norm.at_least(d * largest**2),
    domain=Domain((
        Size(d, 1, 3, reach=4), UpTo(T, 1, 2, last=d), Markov(A), Isotropic(X0),
        Computed(M, lambda at: at[A] * at[X0]), *decomposed(),
    )),
    hypotheses=(STOCHASTIC, Hypothesis(r"X_0X_0^\top=I"), Hypothesis(r"M=A_1X_0,\ P_2=I_d")),
    uses=(jacobian_norm_by_singular_values,),
    printed=(
        r"\left\| \frac{\partial \mathbf{X}_1}{\partial \mathbf{W}_1^V} \right\|_F^2 = \sum_i "
        r"s_i^2\left(\frac{\partial \mathbf{X}_1}{\partial \mathbf{W}_1^V}\right) = \sum_i "
        r"s_i^2(\mathbf{P}_1) \sum_j s_j^2(\mathbf{I}_d) \geq d \cdot s_1^2(\mathbf{P}_1)"
    ),
    note=(
        r"The lower bound needs $s_1^2(P_1)$ to be bounded below, not $O(1)$ as the text says: "
        r"$s_1(A_1X_0)=s_1(A_1)\ge\|A_11_T\|/\|1_T\|=1$. That it stays bounded is Theorem A.1."
    ),
)  # fmt: skip

# Moments of a Kronecker product -------------------------------------------------------------------

power = Symbol("k", integer=True, positive=True)
centred_product = MatrixSymbol(r"A^\perp", T, T)


def mean_trace(matrix: ImmutableDenseMatrix, exponent: Any) -> Expr:
    """tr((MM^T)^k) over the number of rows."""
    return multiply([matrix * matrix.T] * int(exponent), matrix.rows).trace() / matrix.rows


moment = Quantity(
    r"\tfrac1{Td}\mathrm{tr}(JJ^\top)^k",
    lambda at: mean_trace(kronecker(at[centred_product], at[W]), at[power]),
)
attention_moment = Quantity(
    r"\tfrac1T\mathrm{tr}(A^\perp A^{\perp\top})^k",
    lambda at: mean_trace(at[centred_product], at[power]),
)
value_moment = Quantity(r"\tfrac1d\mathrm{tr}(WW^\top)^k", lambda at: mean_trace(at[W], at[power]))
moments_of_a_kronecker_product_factor = Claim(
    id="naitsaada2025.proof-A.9.kron-moments",
    source=source("App. A.2", "proof of Theorem A.9"),
    kind="identity",
    title="Spectral moments of a Kronecker product are products of spectral moments.",
    statement=moment.equals(attention_moment * value_moment),
    domain=Domain((
        Size(power, 1, 2, reach=3), Size(T, 1, 2, reach=3), Size(d, 1, 2, reach=3),
        Array(centred_product, 2), Array(W, 2),
    )),
    hypotheses=(Hypothesis(r"J=A^\perp\otimes W"),),
    printed=(
        r"\lim_{T, d \rightarrow \infty} \mathbb{E} \left[ \frac{1}{Td} \text{tr}(\mathbf{J}_\ell "
        r"\mathbf{J}_\ell^\top)^k \right] = \lim_{T, d \rightarrow \infty} \mathbb{E} \left[ \frac{1}{Td} "
        r"\text{tr}((\mathbf{A}^\perp \mathbf{A}^{\perp \top} \otimes \mathbf{W}^V \mathbf{W}^{V \top})^k) "
        r"\right] = \lim_{T, d \rightarrow \infty} \mathbb{E} \left[ \frac{1}{T} \text{tr}((\mathbf{A}^\perp "
        r"\mathbf{A}^{\perp \top})^k) \frac{1}{d} \text{tr}((\mathbf{W}^V \mathbf{W}^{V \top})^k) \right]"
    ),
    note=(
        "Exact for given matrices, before any mean or limit. That the mean of the product factors, as the next "
        "display has it, needs independence besides, and limits of normalised factors "
        "(`naitsaada2025.proof-A.9.fuss-catalan`)."
    ),
)  # fmt: skip
