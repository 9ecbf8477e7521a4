r"""The row-wise softmax and its Jacobian (Lemma A.2, Eqs. (23)-(24)).

Logits at a point are integer multiples of log 2, so that the softmax is rational there.  The
Jacobian has row multi-index (p, q), an entry of A, and column multi-index (i, j), an entry of M.
"""

from __future__ import annotations

from itertools import product

from sympy import ImmutableDenseMatrix, Integer, KroneckerDelta, MatrixSymbol, log, symbols
from sympy.matrices.expressions import Identity, KroneckerProduct

from claims.definitions import softmax_at
from claims.domain import Computed, Domain, Scaled, Size
from claims.expressions import Entrywise
from claims.model import Claim, Hypothesis, Relation, variants
from claims.noci2022.notation import A, centre, n, source

UNIT = log(Integer(2))
M = MatrixSymbol("M", n, n)
offsets = MatrixSymbol("c", n, 1)
p, q, i, j = symbols("p q i j", integer=True, nonnegative=True)


def softmax(logits: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """Row-wise softmax of logits that are integer multiples of log 2, exactly."""
    return softmax_at(logits.applyfunc(lambda x: x / UNIT), Integer(2))


def jacobian_of_softmax(logits: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """dA/dM of shape (n^2, n^2) by the quotient rule, e = exp(M) and s the sum of a row:

    d(e_q / s)/dM_j = (delta_qj e_q s - e_q e_j) / s^2 within a row, and zero between rows.
    """
    size = logits.rows
    e = [[Integer(2) ** (x / UNIT) for x in row] for row in logits.tolist()]
    rows = []
    for row, col in product(range(size), repeat=2):
        top, s = e[row][col], sum(e[row])
        block = [
            (int(col == other) * top * s - top * e[row][other]) / s**2 for other in range(size)
        ]
        rows.append([0] * (row * size) + block + [0] * ((size - 1 - row) * size))
    return ImmutableDenseMatrix(rows)


_SOFTMAX = r"\frac{\partial A}{\partial M}"
_at = ([(p, n), (q, n)], [(i, n), (j, n)])
_row, _col = KroneckerDelta(i, p), KroneckerDelta(j, q)
_blocks = _row * (_col * A[p, q] - A[p, q] * A[p, j])
_entries = _row * _col * A[i, j] - _row * A[i, q] * A[i, j]

jacobian_of_the_softmax = Claim(
    id="noci2022.lemma-A.2.softmax-jacobian",
    source=source("App. A.1.2", "Lemma A.2, Eq. (23)"),
    kind="identity",
    title=(
        "The Jacobian of a row-wise softmax is block-diagonal with blocks "
        r"$\operatorname{diag}(A_i)-A_iA_i^\top$."
    ),
    statement=Relation(
        _SOFTMAX,
        (
            Entrywise(_blocks, *_at, r"\mathrm{blockdiag}(\mathrm{diag}(A_i)-A_iA_i^\top)"),
            Entrywise(_entries, *_at),
        ),
    ),
    domain=Domain(
        (Size(n, 2, 3), Scaled(M, height=2, unit=UNIT), Computed(A, lambda at: softmax(at[M])))
    ),
    define=lambda point: jacobian_of_softmax(point[M]),
    hypotheses=(Hypothesis(r"A=\mathrm{softmax}(M)\ \text{row by row}"),),
    mutants=variants(
        ("no normalisation", Entrywise(_row * _col * A[i, j], *_at)),
        ("rows coupled", Entrywise(_row * _col * A[i, j] - A[p, q] * A[i, j], *_at)),
        ("columns for rows", Entrywise(_entries.xreplace({p: q, q: p, i: j, j: i}), *_at)),
        ("opposite sign", Entrywise(-_entries, *_at)),
        lhs=_SOFTMAX,
    ),
    printed=(
        r"\frac{\partial \mathbf{A}}{\partial \mathbf{M}} = \text{blockdiag} \left( \frac{\partial "
        r"\mathbf{A}_i}{\partial \mathbf{M}_i^\top} \right), \quad \frac{\partial "
        r"\mathbf{A}_i}{\partial \mathbf{M}_i^\top} = \text{diag}(\mathbf{A}_i) - \mathbf{A}_i "
        r"\mathbf{A}_i^\top, \quad \frac{\partial \mathbf{A}_{pq}}{\partial \mathbf{M}_{ij}} = "
        r"\delta_{ip} \delta_{jq} \mathbf{A}_{ij} - \delta_{ip} \mathbf{A}_{iq} \mathbf{A}_{ij}"
    ),
)

_uniform = KroneckerProduct(Identity(n), centre)

softmax_jacobian_at_equal_logits = Claim(
    id="noci2022.lemma-A.2.eq-24",
    source=source("App. A.1.2", "Lemma A.2, Eq. (24)"),
    kind="identity",
    title=r"At equal logits the softmax Jacobian is $I\otimes(I-\tfrac1n11^\top)/n$.",
    statement=Relation(_SOFTMAX, (_uniform / n,)),
    domain=Domain((Size(n, 2, 4), Scaled(offsets, height=2, unit=UNIT))),
    define=lambda at: jacobian_of_softmax(at[offsets] * ImmutableDenseMatrix.ones(1, at[n])),
    hypotheses=(Hypothesis(r"A=\tfrac1n1_{n\times n},\ \text{that is}\ M=c\,1_n^\top"),),
    uses=(jacobian_of_the_softmax,),
    mutants=variants(
        ("dropped 1/n", _uniform),
        ("1/n^2 for 1/n", _uniform / n**2),
        ("not centred", KroneckerProduct(Identity(n), Identity(n)) / n),
        ("factors exchanged", KroneckerProduct(centre, Identity(n)) / n),
        ("n - 1 for n", _uniform / (n - 1)),
        lhs=_SOFTMAX,
    ),
    printed=(
        r"\frac{\partial \mathbf{A}}{\partial \mathbf{M}} = \frac{1}{n} \mathbf{I}_n \otimes "
        r"\left( \mathbf{I}_n - \frac{1}{n} \mathbf{1}_{n \times n} \right)"
    ),
)
