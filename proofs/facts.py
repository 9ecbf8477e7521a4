r"""Classical facts that proofs may use without proving them: textbook theorems, stated formally.

A fact is a schema: terms go in, hypotheses and a formula come out.  Each has a reference and is
tested numerically (`tests/proofs/test_facts.py`).  None is a statement of an audited paper, and none
is what a rule of the kernel derives.
"""

from __future__ import annotations

from typing import Any

from sympy import (
    Dummy,
    KroneckerDelta,
    S,
    acos,
    besselk,
    exp,
    floor,
    gamma,
    log,
    oo,
    pi,
    prod,
    sqrt,
    uppergamma,
)

from claims.almost_surely import AlmostSurely, RandomMatrices, is_fixed
from claims.events import Events
from claims.gaussian_growth import Growth, Member
from claims.iid_shares import Iid, ShareMoment
from claims.operator_tail import OperatorTail
from claims.ranks import entries_of
from claims.singular import matrix_of
from claims.statement import And, Compare, Exists, ForAll, Tends
from claims.steps import built
from claims.terms import entry, put
from proofs.defined import unknown
from proofs.fact_terms import (
    Fact,
    free_of,
    require_finite,
    require_indices,
    require_integer,
    require_real,
    require_sizes,
    sum_over,
)
from proofs.singular_facts import (
    GAUSSIAN_LENGTH,
    INTERLACING,
    NORMS,
    PRODUCT,
    QUARTER_CIRCLE,
    RANK_ONE,
    ROW_SUMS,
    SOFT_EDGE,
    WEYL,
)

__all__ = [
    "FACTS", "GAUSSIAN_LENGTH", "INTERLACING", "NORMS", "PRODUCT", "QUARTER_CIRCLE", "RANK_ONE", "ROW_SUMS",
    "SOFT_EDGE", "WEYL", "Fact",
]  # fmt: skip


def _exp_increases(a: Any, b: Any) -> Any:
    return (Compare(a, "<=", b),), Compare(exp(a), "<=", exp(b))


def _exp_strictly_increases(a: Any, b: Any) -> Any:
    return (Compare(a, "<", b),), Compare(exp(a), "<", exp(b))


def _exp_above_tangent(x: Any) -> Any:
    return (), Compare(exp(x), ">=", 1 + x)


def _log_below_tangent(x: Any) -> Any:
    return (Compare(x, ">", 0),), Compare(log(x), "<=", x - 1)


def _log_increases(a: Any, b: Any) -> Any:
    return (Compare(a, ">", 0), Compare(a, "<=", b)), Compare(log(a), "<=", log(b))


def _power_increases_in_base(a: Any, b: Any, p: Any) -> Any:
    given = (Compare(a, ">=", 0), Compare(a, "<=", b), Compare(p, ">=", 0))
    return given, Compare(a**p, "<=", b**p)


def _power_falls_in_exponent(a: Any, p: Any, q: Any) -> Any:
    given = (Compare(a, ">", 0), Compare(a, "<=", 1), Compare(p, "<=", q))
    return given, Compare(a**q, "<=", a**p)


def _bernoulli(x: Any, p: Any) -> Any:
    return (Compare(x, ">=", -1), Compare(p, ">=", 1)), Compare((1 + x) ** p, ">=", 1 + p * x)


def _geometric_vanishes(q: Any, k: Any) -> Any:
    require_indices(k)
    free_of(q, k)
    return (Compare(q, ">=", 0), Compare(q, "<", 1)), Tends(q**k, k, S.Zero)


def _cauchy_schwarz(a: Any, b: Any, k: Any, low: Any, high: Any) -> Any:
    require_indices(k)
    require_finite(low, high)
    require_real(a, b)
    over = (k, low, high)
    left = sum_over(a * b, over) ** 2
    return (), Compare(left, "<=", sum_over(a**2, over) * sum_over(b**2, over))


def _rayleigh(sigma: Any, x: Any, j: Any) -> Any:
    """|x M| >= sigma_min |x| for every row x; `sigma` is that of the first rows and columns of M."""
    matrix = matrix_of(sigma.func)
    if matrix is None:
        raise ValueError(f"{sigma}: is the least singular value of no matrix")
    require_real(x)
    (rows, columns), k = sigma.args, Dummy("k", integer=True)
    require_sizes(rows, columns)
    require_finite(rows, columns)
    free_of(sigma, j)
    over = (j, 1, rows)
    mixed = sum_over(x * entry(matrix)(j, k), over) ** 2
    return (), Compare(sigma**2 * sum_over(x**2, over), "<=", sum_over(mixed, (k, 1, columns)))


def _gram_rank(
    rank: Any, left: Any, right: Any, first: Any, last: Any, i: Any, k: Any, a: Any, b: Any, size: Any
) -> Any:  # fmt: skip
    """rank(M M^T) = rank(M) = r where L M R is the identity of order r, and M = F G with r columns of F.

    `left` is L_ai, `right` R_kb, `first` F_ia and `last` G_ak; M_ik are the entries whose `rank` it is.
    """
    entries = entries_of(rank.func)
    if entries is None:
        raise ValueError(f"{rank}: is the rank of no matrix M M^T")
    require_indices(i, k, a, b)
    require_integer(i, k, a, b, size)
    require_real(left, right, first, last)
    require_sizes(*rank.args)
    require_finite(*rank.args, size)
    (rows, columns), m = rank.args, entries(i, k)
    anywhere = entries(Dummy("i", integer=True), Dummy("k", integer=True))
    for index in (i, k, a, b):  # it would be another matrix for each
        free_of(anywhere, index)
    places = ((left, (k, b)), (right, (i, a)), (first, (k, b)), (last, (i, b)))
    for term, others in (*places, *((end, (i, k, a, b)) for end in (rows, columns, size))):
        for index in others:
            free_of(term, index)
    product = sum_over(left * sum_over(m * right, (k, 1, columns)), (i, 1, rows))
    identity = Compare(product, "=", KroneckerDelta(a, b))
    factors = Compare(m, "=", sum_over(first * last, (a, 1, size)))
    return (
        Compare(size, ">=", 0),
        ForAll(a, 1, size, ForAll(b, 1, size, identity)),
        ForAll(i, 1, rows, ForAll(k, 1, columns, factors)),
    ), Compare(rank, "=", size)


def _fubini(a: Any, j: Any, k: Any, rows: Any, columns: Any, first: Any = S.One) -> Any:
    """Finite sums may be exchanged: j goes from one to `rows`, k from `first` to `columns`."""
    require_indices(j, k)
    free_of(rows, k)
    free_of(columns, j)
    free_of(first, j)
    require_finite(rows, columns, first)
    left = sum_over(sum_over(a, (k, first, columns)), (j, 1, rows))
    return (), Compare(left, "=", sum_over(sum_over(a, (j, 1, rows)), (k, first, columns)))


def _jensen_square(w: Any, x: Any, k: Any, low: Any, high: Any) -> Any:
    require_indices(k)
    require_finite(low, high)
    require_real(w, x)
    over = (k, low, high)
    given = (ForAll(k, low, high, Compare(w, ">=", 0)), Compare(sum_over(w, over), "=", 1))
    return given, Compare(sum_over(w * x, over) ** 2, "<=", sum_over(w * x**2, over))


def _delta_substitutes(a: Any, b: Any, term: Any, place: Any) -> Any:
    """A Kronecker delta is zero or one, and where it is one its indices may replace one another."""
    require_integer(a, b)
    anywhere = Dummy("place", integer=True)  # of a and b the sign of the place says nothing
    if any(anywhere in need.free_symbols() for need in unknown(put(term, {place: anywhere}))):
        raise ValueError(f"{term}: may have no value at some {place}")
    delta = KroneckerDelta(a, b)
    first, second = (put(term, {place: index}) for index in (a, b))
    values = And((Compare(delta, ">=", 0), Compare(delta * (1 - delta), "=", 0)))
    return (), And((*values.formulas, Compare(delta * first, "=", delta * second)))


def _delta_sums_to_one(place: Any, k: Any, low: Any, high: Any) -> Any:
    require_indices(k)
    require_integer(place, k, low, high)
    free_of(place, k)
    given = (Compare(place, ">=", low), Compare(place, "<=", high))
    return given, Compare(sum_over(KroneckerDelta(k, place), (k, low, high)), "=", 1)


def _integer_part(x: Any) -> Any:
    whole = built(floor, x)
    sign = Compare(x, ">=", 0).implies(Compare(whole, ">=", 0))
    return (), And((Compare(whole, "<=", x), Compare(x, "<", whole + 1), sign))


def _range_of_arccos(c: Any) -> Any:
    given = (Compare(c, ">=", -1), Compare(c, "<=", 1))
    acute = Compare(c, ">=", 0).implies(Compare(acos(c), "<=", pi / 2))
    return given, And((Compare(acos(c), ">=", 0), acute))


def _chernoff(k: Any, z: Any, y: Any) -> Any:
    """Of a sum with law Gamma(k, 1): E exp(c S) = y^k at c = 1 - 1/y, and Markov's inequality."""
    tail = uppergamma(k, z) / gamma(k)
    given = (Compare(k, ">", 0), Compare(z, ">=", 0), Compare(y, ">=", 1))
    return given, And((Compare(tail, ">=", 0), Compare(tail, "<=", y**k * exp(-(1 - 1 / y) * z))))


def _hankel(x: Any) -> Any:
    """The remainder of K_0's expansion at infinity has the sign of the first term left out, and is less."""
    ratio = besselk(0, x) * exp(x) * sqrt(2 * x / pi)
    bounds = And((Compare(1 - 1 / (8 * x), "<=", ratio), Compare(ratio, "<=", 1)))
    return (Compare(x, ">", 0),), bounds


def _davidson_szarek(rows: Any, columns: Any, t: Any, a: Any) -> Any:
    """The operator norm of a Gaussian matrix beyond the roots of its sizes."""
    require_sizes(rows, columns)
    tail = OperatorTail(rows, columns, a)
    given = (Compare(t, ">=", 0), Compare(a, ">=", sqrt(rows) + sqrt(columns) + t))
    return given, And((Compare(tail, ">=", 0), Compare(tail, "<=", exp(-(t**2) / 2))))


def _shares_settle(share: Any, k: Any, order: Any) -> Any:
    """T^p E a_1^(p_1)...a_r^(p_r) for T = n k shares of an i.i.d. Z >= 0, with p the sum of the powers.

    Where sum Z >= T E Z/2 the product over sums is at most (2/E Z)^p times one of powers of Z, and T/sum Z
    converges almost surely; elsewhere it is at most T^p, with a chance that is exponentially small.
    """
    made = getattr(share.func, "shares", None)
    known = isinstance(made, ShareMoment) and type(made.of) is Iid
    if made is None or not known or share.func is not made.of.shares(*made.powers):
        raise ValueError(f"{share}: is no moment of shares of i.i.d. variables")
    require_indices(k)
    (tokens,) = share.args
    each = tokens / k
    free_of(each, k)
    if not (k.is_integer and each.is_integer and each.is_positive):
        raise ValueError(f"{tokens}: is no multiple of the index {k}")
    if not order.is_Integer or order < max(made.powers):
        raise ValueError(f"{order}: is no order of moments that has the powers {made.powers}")
    mean, total = made.of.moment(1), sum(made.powers)
    limit = prod(made.of.moment(p) for p in made.powers) / mean**total
    given = (Compare(mean, ">", 0), made.of.finite(int(order)))
    return given, Tends(tokens**total * share, k, limit)


def _growth(member: Any, *kinds: str) -> Growth:
    """Of which growth behind Gaussian matrices a family is a tail, or a mean."""
    made = getattr(member, "growth", None)
    known = isinstance(made, Member) and type(made.of) is Growth and made.kind in kinds
    if made is None or not known or member is not getattr(made.of, made.kind):
        raise ValueError(f"{member}: is no {' or '.join(kinds)} of growth behind Gaussian matrices")
    return made.of


def _require_counts(freedom: Any, factors: Any) -> None:
    require_integer(freedom, factors)
    if not (freedom.is_positive and factors.is_nonnegative):
        raise ValueError(f"{freedom}, {factors}: are no degrees of freedom and number of factors")


def _union(tail: Any, d: Any, k: Any, a: Any, b: Any, c: Any) -> Any:
    """N_(k+1) = N_k R is at least a b where N_k >= a and R >= b, and never negative; N_0 = 1."""
    of = _growth(tail, "below")
    _require_counts(d, k)
    given = (Compare(a, ">=", 0), Compare(c, "<=", a * b))
    either = Compare(tail(d, k + 1, c), "<=", tail(d, k, a) + of.factor(d, k + 1, b))
    return given, And((Compare(tail(d, S.Zero, S.One), "=", 0), either))


def _chernoff_of_factors(tail: Any, d: Any, k: Any, b: Any, y: Any) -> Any:
    r"""Of means of chi-squares: given those before, E exp(c R) <= E exp(c chi^2) = y^(d/2) at 2 c = 1 - 1/y.

    Of one factor from below.  Of k factors from above: the root of the product is at most the mean of
    the factors, and E exp(c (R_1 + ... + R_k)) <= y^(k d/2).
    """
    above = _growth(tail, "factor", "above").above is tail
    _require_counts(d, k - 1)
    several, side = (k, 1) if above else (S.One, -1)
    given = (Compare(y, ">", 0), Compare(side * y, ">=", side))
    most = y ** (several * d / 2) * exp(-(1 - 1 / y) * several * b / 2)
    return given, Compare(tail(d, k, b**several), "<=", most)


def _inverse_mean(tail: Any, d: Any, k: Any, a: Any) -> Any:
    """P(N_k < a) <= a E 1/N_k; given those before, E 1/R <= E 1/chi^2 = 1/(d - 2), as 1/x is convex."""
    _growth(tail, "below")
    _require_counts(d, k)
    given = (Compare(d, ">", 2), Compare(a, ">=", 0))
    return given, Compare(tail(d, k, a), "<=", a / (d - 2) ** k)


def _beppo_levi(mean: Any, k: Any, last: Any, bound: Any) -> Any:
    """The squared norms of random matrices have a finite sum, almost surely; so they tend to zero."""
    matrices = getattr(mean.func, "matrices", None)
    if type(matrices) is not RandomMatrices or mean.func != matrices.mean_square:
        raise ValueError(f"{mean}: is the mean square of no random matrix")
    _require_member(mean, k)
    require_indices(k, last)
    require_integer(k, last)
    require_sizes(*mean.args[1:])
    if not all(map(is_fixed, mean.args)):
        raise ValueError(f"{mean}: has a size that may be random")
    for term in (bound, *mean.args[1:]):
        free_of(term, k)
        free_of(term, last)
    sums = Compare(sum_over(mean, (k, 1, last)), "<=", bound)
    vanish = AlmostSurely(matrices, Tends(matrices.norm(*mean.args), k, S.Zero))
    return (ForAll(last, 1, oo, sums),), vanish


def _require_member(term: Any, k: Any) -> None:
    """Refuses what is no member of a sequence with the index k."""
    if term.args[0] != k:
        raise ValueError(f"{term}: is not the member of a sequence for {k}")


def _after(chance: Any, k: Any, last: Any, first: Any) -> tuple[Any, Any]:
    """Events, and the sum of their probabilities from the first, excluded, to the last."""
    events = getattr(chance.func, "events", None)
    if type(events) is not Events or chance.func != events.chance:
        raise ValueError(f"{chance}: is the probability of no event of a sequence")
    _require_member(chance, k)
    require_integer(k, last)
    require_sizes(first)
    free_of(first, k)
    free_of(first, last)
    return events, sum_over(chance, (k, 1, last)) - sum_over(chance, (k, 1, first))


def _cauchy(chance: Any, k: Any, last: Any, first: Any, epsilon: Any) -> Any:
    """From some index on, probabilities with a finite sum have sums as small as one likes."""
    require_indices(k, last, first)
    events, total = _after(chance, k, last, first)
    for index in (k, last, first):
        free_of(epsilon, index)
    given = (Compare(events.inverse_total, ">", 0), Compare(epsilon, ">", 0))
    small = ForAll(last, first, oo, Compare(total, "<=", epsilon))
    return given, Exists(first, 1, oo, small)


def _boole(chance: Any, k: Any, last: Any, first: Any, bound: Any) -> Any:
    """Of infinitely many events one occurs after any index: its probability is at most their sum."""
    require_indices(k, last)
    events, total = _after(chance, k, last, first)
    for index in (k, last):
        free_of(bound, index)
    below = ForAll(last, first, oo, Compare(total, "<=", bound))
    return (below,), Compare(events.often, "<=", bound)


_CALCULUS = "W. Rudin, Principles of Mathematical Analysis, 3rd ed."
_INEQUALITIES = "G. H. Hardy, J. E. Littlewood, G. Polya, Inequalities, 2nd ed."

EXP_INCREASES = Fact("the exponential increases", f"{_CALCULUS}, Thm 8.6", _exp_increases)
EXP_STRICTLY_INCREASES = Fact(
    "the exponential increases strictly", f"{_CALCULUS}, Thm 8.6", _exp_strictly_increases
)
EXP_ABOVE_TANGENT = Fact("$e^x\\ge1+x$", f"{_INEQUALITIES}, Thm 142", _exp_above_tangent)
LOG_BELOW_TANGENT = Fact("$\\log x\\le x-1$", f"{_INEQUALITIES}, Thm 150", _log_below_tangent)
LOG_INCREASES = Fact("the logarithm increases", f"{_CALCULUS}, Sec. 8.6", _log_increases)
POWER_INCREASES = Fact(
    "powers increase with the base", f"{_CALCULUS}, Sec. 1.21", _power_increases_in_base
)
POWER_FALLS = Fact(
    "powers of a number below one fall with the exponent", f"{_CALCULUS}, Sec. 8.6",
    _power_falls_in_exponent,
)  # fmt: skip
BERNOULLI = Fact("Bernoulli's inequality", f"{_INEQUALITIES}, Thm 42", _bernoulli)
GEOMETRIC = Fact("geometric sequences vanish", f"{_CALCULUS}, Thm 3.20", _geometric_vanishes)
CAUCHY_SCHWARZ = Fact("Cauchy-Schwarz inequality", f"{_INEQUALITIES}, Thm 7", _cauchy_schwarz)
RAYLEIGH = Fact(
    "Rayleigh's principle for the least singular value",
    "R. A. Horn, C. R. Johnson, Matrix Analysis, 2nd ed., Thm 4.2.2", _rayleigh,
)  # fmt: skip
GRAM_RANK = Fact(
    "rank of a Gram matrix, by products",
    "R. A. Horn, C. R. Johnson, Matrix Analysis, 2nd ed., Sec. 0.4.5 (c) and 0.4.6 (d)", _gram_rank,
)  # fmt: skip
FUBINI = Fact("finite sums may be exchanged", "by induction over both sizes", _fubini)
JENSEN = Fact(
    "the square of a mean is at most the mean square", f"{_INEQUALITIES}, Thm 90", _jensen_square
)
DELTA = Fact("Kronecker delta", "by its definition", _delta_substitutes)
DELTA_SUM = Fact("Kronecker delta, summed", "by its definition", _delta_sums_to_one)
ARCCOS = Fact("range of the arc cosine", "by its definition", _range_of_arccos)
CHERNOFF = Fact(
    "Chernoff's bound for gamma variables",
    "S. Boucheron, G. Lugosi, P. Massart, Concentration Inequalities, Sec. 2.2 and 2.4", _chernoff,
)  # fmt: skip
HANKEL = Fact(
    "Hankel's expansion of $K_0$, with its remainder",
    "G. N. Watson, A Treatise on the Theory of Bessel Functions, 2nd ed., Sec. 7.32", _hankel,
)  # fmt: skip
DAVIDSON_SZAREK = Fact(
    "Davidson and Szarek's bound for operator norms of Gaussian matrices",
    "K. R. Davidson, S. J. Szarek, in: Handbook of the Geometry of Banach Spaces 1, Thm II.13",
    _davidson_szarek,
)
SHARES = Fact(
    "moments of shares of independent variables",
    "dominated convergence; A. Fuchs, A. Joffe, J. Teugels, Theory Probab. Appl. 46 (2001), 297-310, for "
    "a sum of squares", _shares_settle,
)  # fmt: skip
UNION = Fact(
    "union bound for a product of two factors", "P. Billingsley, Probability and Measure, 3rd ed., Sec. 2",
    _union,
)  # fmt: skip
CHERNOFF_OF_FACTORS = Fact(
    "Chernoff's bound for means of chi-squares",
    "S. Boucheron, G. Lugosi, P. Massart, Concentration Inequalities, Sec. 2.2 and 2.4; the exponential is "
    f"convex; {_INEQUALITIES}, Thm 9", _chernoff_of_factors,
)  # fmt: skip
INVERSE_MEAN = Fact(
    "mean inverse of means of chi-squares",
    f"{_INEQUALITIES}, Thm 90 (1/x is convex), and Markov's inequality: P. Billingsley, Probability and "
    "Measure, 3rd ed., Sec. 21", _inverse_mean,
)  # fmt: skip
BEPPO_LEVI = Fact(
    "Beppo Levi's theorem",
    "W. Rudin, Real and Complex Analysis, 3rd ed., Thm 1.38", _beppo_levi,
)  # fmt: skip
CAUCHY = Fact("Cauchy's criterion for series", f"{_CALCULUS}, Thm 3.22", _cauchy)
BOOLE = Fact(
    "Boole's inequality for events after an index",
    "P. Billingsley, Probability and Measure, 3rd ed., Thm 2.1", _boole,
)  # fmt: skip
INTEGER_PART = Fact("integer part", "by its definition", _integer_part)

FACTS = tuple(value for value in list(globals().values()) if isinstance(value, Fact))
"""Every fact, in the order of this file; at most twenty-five, and twelve about matrices."""
