r"""What Sec. 4.1 reads off the bound (6): diameter, focus of the attention, and temperature.

The bound's rate is (1 - eps^r)^{1/r}.  The rate at which tokens really collapse, for a constant
attention matrix A, is the second largest modulus of an eigenvalue of A: mu(A^t X) falls like that to
the power t for almost every X.  Each sentence has a part about the bound and one about collapse.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, Symbol, zeros

from claims.domain import Array, Choice, Condition, Domain, Point, Size
from claims.masks import (
    Mask,
    causal,
    complete,
    cycle,
    one_directional,
    sliding_window,
    star,
)
from claims.model import Claim, Hypothesis, Mutant, Proposition
from claims.wu2024.collapse import tokens_collapse_exponentially
from claims.wu2024.masks import SELF_LOOPS, masked_softmax, rate_grows
from claims.wu2024.notation import A, G, N, epsilon, r, source
from claims.wu2024.setup import Attention, size_of_mask, uniform_attention

CONSTANT = Hypothesis(r"A^{(t)}=A,\ W_V^{(t)}=I;\quad \lambda_2(A)\ \text{second largest modulus}")
_BOUND = r"(1-\epsilon^r)^{1/r}"


def second_modulus(matrix: ImmutableDenseMatrix) -> Expr:
    """The largest modulus of an eigenvalue of a row-stochastic matrix, one eigenvalue 1 left out."""
    # In the basis (1, e_2, ..., e_N), A is block triangular with blocks 1 and the matrix below.
    size = matrix.rows
    deflated = ImmutableDenseMatrix(
        size - 1, size - 1, lambda i, j: matrix[i + 1, j + 1] - matrix[0, j + 1]
    )
    return max((abs(value) for value in deflated.eigenvals()), default=Integer(0))


# Larger diameter ----------------------------------------------------------------------------------

other = Symbol(r"\mathcal{G}'")
"""A second mask on as many tokens."""


def patient_attention(mask: Mask, floor: Any) -> ImmutableDenseMatrix:
    """Every token gives `floor` to each other token that it attends to, the rest to itself."""
    value = zeros(mask.size, mask.size)
    for i in range(1, mask.size + 1):
        for j in mask.neighbours(i):
            value[i - 1, j - 1] = floor
        value[i - 1, i - 1] = 1 - floor * (len(mask.neighbours(i)) - 1)
    return value.as_immutable()


def _bound_and_collapse_by_mask(point: Point) -> tuple[bool, bool, bool]:
    """Whether the bound is smaller for the first mask; collapse no slower / faster on it."""
    masks, floor = (point[G], point[other]), point[epsilon]
    near, far = (Integer(mask.radius) for mask in masks)
    first, second = (second_modulus(patient_attention(mask, floor)) for mask in masks)
    return rate_grows(near, far, floor), bool(first <= second), bool(first < second)


_four = (star(4), cycle(4), sliding_window(4), one_directional(4), causal(4), complete(4))
_two_masks = Domain(
    (Choice(G, _four), Choice(other, _four), Choice(epsilon, (Rational(1, 4), Rational(1, 5)))),
    (Condition(r"r(\mathcal G)<r(\mathcal G')", lambda at: at[G].radius < at[other].radius),),
)
_MASK_HYPOTHESES = (
    SELF_LOOPS,
    CONSTANT,
    Hypothesis(r"A\in\mathcal A_{\mathcal G,\epsilon}:\ \epsilon\ \text{to each other neighbour}"),
)
_BY_R = (
    r"r<r'\ \Rightarrow\ (1-\epsilon^r)^{1/r}<(1-\epsilon^{r'})^{1/r'}"
)  # fmt: skip
_SLOWER_BY_R = r"\lambda_2(A_{\mathcal G})\le\lambda_2(A_{\mathcal G'})"
bound_grows_with_the_diameter = Claim(
    id="wu2024.sec-4.1.rate-monotone-r.repair",
    parent="wu2024.sec-4.1.rate-monotone-r",
    source=source("Sec. 4.1", '"Local vs. global attention"'),
    kind="prose",
    title="At a fixed floor of the attention, the bound (6) is weaker for larger diameters.",
    statement=Proposition(_BY_R, lambda point, flags: flags[0]),
    domain=_two_masks,
    define=_bound_and_collapse_by_mask,
    hypotheses=_MASK_HYPOTHESES,
    note="Only the upper bound is monotone; collapse itself may be faster for larger diameters.",
)

larger_diameter_collapses_slower = Claim(
    id="wu2024.sec-4.1.rate-monotone-r",
    source=source("Sec. 4.1", '"Local vs. global attention"'),
    kind="prose",
    title="The rate grows with the diameter, so rank collapse is slower on masks of larger diameter.",
    statement=Proposition(
        rf"{_BY_R},\quad {_SLOWER_BY_R}", lambda point, flags: flags[0] and flags[1]
    ),
    domain=_two_masks,
    define=_bound_and_collapse_by_mask,
    hypotheses=_MASK_HYPOTHESES,
    uses=(tokens_collapse_exponentially,),
    mutants=(
        Mutant(
            "the bound falls with r",
            Proposition(r"(1-\epsilon^r)^{1/r}\ge(1-\epsilon^{r'})^{1/r'}", lambda point, flags: not flags[0]),
        ),
        Mutant(
            "strictly slower",
            Proposition(
                r"\lambda_2(A_{\mathcal G})<\lambda_2(A_{\mathcal G'})", lambda point, flags: flags[2]
            ),
        ),
        Mutant(
            "always faster",
            Proposition(
                r"\lambda_2(A_{\mathcal G})>\lambda_2(A_{\mathcal G'})",
                lambda point, flags: not flags[1],
            ),
        ),
    ),
    severity="material",
    repair=bound_grows_with_the_diameter,
    note=(
        "A bound that is weaker does not make collapse slower: at equal epsilon the star (r = 1) "
        "has rate 1 - eps, the cycle on four tokens (r = 2) has 1 - 2 eps. With uniform attention "
        "the star has 1/2 and the cycle 1/3."
    ),
)  # fmt: skip

# Smaller floor ------------------------------------------------------------------------------------

second = MatrixSymbol("A'", N, N)


def least_on_edges(matrix: ImmutableDenseMatrix, mask: Mask) -> Expr:
    """epsilon: the least entry on an edge."""
    return min(matrix[i - 1, j - 1] for j, i in mask.edges)


def _bound_and_collapse_by_floor(point: Point) -> tuple[bool, bool, bool, bool]:
    """Bound larger at A; uniform attention has the largest floor; A no faster; bound smaller at A."""
    mask, radius = point[G], point[r]
    floors = [least_on_edges(point[m], mask) for m in (A, second)]
    bases = [1 - floor**radius for floor in floors]  # the r-th root is increasing
    best = least_on_edges(uniform_attention(mask), mask)
    slower = second_modulus(point[A]) >= second_modulus(point[second])
    return (
        bool(bases[0] > bases[1]), bool(max(floors) <= best), bool(slower),
        bool(bases[0] < bases[1]),
    )  # fmt: skip


_two_floors = Domain(
    (
        Choice(G, (complete(2), causal(2), sliding_window(3), causal(3))), size_of_mask,
        Size(r, 1, 3), Attention(A, floor=Rational(1, 4)), Attention(second, floor=Rational(1, 3)),
    ),
    (Condition(r"\epsilon(A)<\epsilon(A')", lambda at: least_on_edges(at[A], at[G])
               < least_on_edges(at[second], at[G])),),
)  # fmt: skip
_BY_EPS = (
    r"\epsilon<\epsilon'\ \Rightarrow\ (1-\epsilon^r)^{1/r}>(1-\epsilon'^r)^{1/r};\quad "
    r"\epsilon(A)\le\epsilon(\text{uniform attention})"
)
_SLOWER_BY_EPS = r"\epsilon(A)<\epsilon(A')\ \Rightarrow\ \lambda_2(A)\ge\lambda_2(A')"
_FLOORS = Hypothesis(r"\epsilon(A)=\min_{(j,i)\in E}A_{ij}\in(0,1)")
bound_falls_with_the_floor = Claim(
    id="wu2024.sec-4.1.rate-monotone-eps.repair",
    parent="wu2024.sec-4.1.rate-monotone-eps",
    source=source("Sec. 4.1", '"Focused vs. uniform attention"'),
    kind="prose",
    title="The bound (6) falls with epsilon, which uniform attention maximises.",
    statement=Proposition(_BY_EPS, lambda point, flags: flags[0] and flags[1]),
    domain=_two_floors,
    define=_bound_and_collapse_by_floor,
    hypotheses=(SELF_LOOPS, CONSTANT, _FLOORS),
    note=(
        "The statements about the bound hold; the largest epsilon is one over the largest number "
        "of neighbours. The collapse itself is not ordered by epsilon."
    ),
)

smaller_floor_collapses_slower = Claim(
    id="wu2024.sec-4.1.rate-monotone-eps",
    source=source("Sec. 4.1", '"Focused vs. uniform attention"'),
    kind="prose",
    title="The rate falls with epsilon, so smaller epsilon means slower rank collapse.",
    statement=Proposition(
        rf"{_BY_EPS};\quad {_SLOWER_BY_EPS}",
        lambda point, flags: flags[0] and flags[1] and flags[2],
    ),
    domain=_two_floors,
    define=_bound_and_collapse_by_floor,
    hypotheses=(SELF_LOOPS, CONSTANT, _FLOORS),
    uses=(tokens_collapse_exponentially,),
    mutants=(
        Mutant(
            "the bound grows with epsilon",
            Proposition(r"\epsilon<\epsilon'\ \Rightarrow\ (1-\epsilon^r)^{1/r}<(1-\epsilon'^r)^{1/r}",
                        lambda point, flags: flags[3]),
        ),
        Mutant(
            "smaller epsilon is faster",
            Proposition(r"\epsilon(A)<\epsilon(A')\ \Rightarrow\ \lambda_2(A)<\lambda_2(A')",
                        lambda point, flags: not flags[2]),
        ),
    ),
    severity="material",
    repair=bound_falls_with_the_floor,
    note=(
        "Two tokens that attend alike (rows 3/4, 1/4) collapse in one layer at epsilon = 1/4; with "
        "rows (2/3, 1/3) and (1/3, 2/3) they take for ever at epsilon = 1/3."
    ),
)  # fmt: skip

# Temperature --------------------------------------------------------------------------------------

scores = MatrixSymbol("Z", N, N)
"""Raw scores are b log 3 times this integer matrix; b^2 is the larger d_QK, the smaller one is 1."""
root = Symbol("b", integer=True, positive=True)


def attention_at_temperature(point: Point, factor: Any) -> ImmutableDenseMatrix:
    """softmax_G of factor * log 3 * Z."""
    return masked_softmax(point[scores].applyfunc(lambda z: Integer(3) ** (factor * z)), point[G])


def _evenness_and_collapse(point: Point) -> tuple[bool, bool, bool, bool, bool]:
    """From d_QK = 1 to b^2: more even; collapse no slower; no faster; strictly more; less even."""
    mask = point[G]
    sharp, soft = (attention_at_temperature(point, factor) for factor in (point[root], 1))
    rows = []
    for i in range(1, mask.size + 1):
        before, after = ([m[i - 1, j - 1] for j in mask.neighbours(i)] for m in (sharp, soft))
        rows.append((min(after) - min(before), max(before) - max(after)))
    rates = [second_modulus(m) for m in (sharp, soft)]
    return (
        all(gain >= 0 for row in rows for gain in row),
        bool(rates[1] <= rates[0]),
        bool(rates[1] >= rates[0]),
        all(gain > 0 for row in rows for gain in row),
        all(gain <= 0 for row in rows for gain in row),
    )


_temperatures = Domain(
    (
        Choice(G, (complete(2), complete(3), sliding_window(3))), size_of_mask,
        Choice(root, (Integer(2), Integer(3))), Array(scores, 2),
    )
)  # fmt: skip
_EVEN = (
    r"d_{QK}<d_{QK}'\ \Rightarrow\ \min_jA_{ij}\le\min_jA_{ij}',\ \max_jA_{ij}\ge\max_jA_{ij}'\ "
    r"(j\in\mathcal N_i)"
)
_SAME_SCORES = Hypothesis(
    r"\text{the same } XW_Q(XW_K)^\top\ \text{for } d_{QK}\ \text{and } d_{QK}'"
)
larger_temperature_evens_attention = Claim(
    id="wu2024.sec-4.1.temperature.repair",
    parent="wu2024.sec-4.1.temperature",
    source=source("Sec. 4.1", '"Focused vs. uniform attention"; Sec. 5 (Fig. 3)'),
    kind="prose",
    title="Larger d_QK makes every row of the attention more even, so that epsilon does not fall.",
    statement=Proposition(
        rf"{_EVEN};\quad\text{{so the bound }}{_BOUND}\ \text{{does not rise}}",
        lambda point, flags: flags[0],
    ),
    domain=_temperatures,
    define=_evenness_and_collapse,
    hypotheses=(_SAME_SCORES,),
    note="More even rows give a larger epsilon and a smaller bound (6), not always faster collapse.",
)

larger_temperature_collapses_faster = Claim(
    id="wu2024.sec-4.1.temperature",
    source=source("Sec. 4.1", '"Focused vs. uniform attention"; Sec. 5 (Fig. 3); App. G.2 (Fig. 7)'),
    kind="prose",
    title="Larger d_QK makes attention more even and rank collapse faster.",
    statement=Proposition(
        rf"{_EVEN};\quad \lambda_2(A')\le\lambda_2(A)", lambda point, flags: flags[0] and flags[1]
    ),
    domain=_temperatures,
    define=_evenness_and_collapse,
    hypotheses=(_SAME_SCORES, CONSTANT),
    uses=(smaller_floor_collapses_slower,),
    mutants=(
        Mutant("slower", Proposition(r"\lambda_2(A')\ge\lambda_2(A)", lambda point, flags: flags[2])),
        Mutant(
            "strictly more even",
            Proposition(r"\min_jA_{ij}<\min_jA_{ij}'", lambda point, flags: flags[3]),
        ),
        Mutant(
            "less even",
            Proposition(r"\min_jA_{ij}\ge\min_jA_{ij}'",
                        lambda point, flags: flags[4]),
        ),
    ),
    probes=(
        {G: complete(2), N: Integer(2), root: Integer(2), scores: ImmutableDenseMatrix([[2, 0], [1, 0]])},
    ),
    severity="material",
    repair=larger_temperature_evens_attention,
    note=(
        "Sharp attention of all tokens to the same token collapses fastest. Two tokens with score "
        "differences log 81 and log 9 have second eigenvalue 81/82 - 9/10 at d_QK = 1 and the "
        "larger 9/10 - 3/4 at d_QK = 4. Any scores come from some W_Q, W_K when X is invertible."
    ),
)  # fmt: skip
