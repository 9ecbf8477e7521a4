"""What is printed says what is meant: the LaTeX is read back and evaluated beside its object."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from operator import itemgetter
from random import Random
from typing import Any

import mpmath
import numpy as np
import pytest
from batches import in_batches
from hypothesis import assume, given
from hypothesis import strategies as st
from latex_formulas import read_formula
from latex_reader import Atom, Unreadable, read_term
from latex_values import same
from sympy import (
    Add,
    Expr,
    Function,
    Integer,
    KroneckerDelta,
    Matrix,
    MatrixBase,
    MatrixSymbol,
    Max,
    Mul,
    N,
    Piecewise,
    Pow,
    Rational,
    Sum,
    Symbol,
    Trace,
    Tuple,
    binomial,
    exp,
    factorial,
    floor,
    log,
    oo,
    sign,
    sqrt,
    symbols,
    zoo,
)  # fmt: skip
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions import (
    HadamardProduct,
    Identity,
    KroneckerProduct,
    ZeroMatrix,
)  # fmt: skip

from claims.errors import UserError
from claims.expressions import Commutation, Entrywise, FrobSq, Named, Shaped, Total, explicit, ones
from claims.model import Relation
from claims.registry import encoded
from claims.statement import (
    And,
    Compare,
    Exists,
    ForAll,
    Formula,
    Monotone,
    Predicate,
    Quantity,
    Tends,
    chain,
)  # fmt: skip
from claims.terms import MaxOver, MinOver, Recursion, entry, value_of
from claims.typeset import typeset

DIGITS = 60


@pytest.fixture(autouse=True)
def _many_digits() -> Iterator[None]:
    with mpmath.workdps(DIGITS):
        yield


# What the names in a term stand for ---------------------------------------------------------------


def numeric(value: Any) -> Any:
    """An exact value for the reader: numbers of sixty digits, arrays of them, tuples."""
    if isinstance(value, tuple | list | Tuple):
        return tuple(map(numeric, value))
    if isinstance(value, MatrixBase):
        rows = [[numeric(x) for x in row] for row in value.tolist()]
        return np.array(rows, dtype=object).reshape(value.shape)
    if isinstance(value, Decimal):  # of which SymPy would keep a machine number
        return mpmath.mpf(str(value))
    return mpmath.inf if value == oo else mpmath.mpf(str(N(value, DIGITS)))


def kind_of(name: str) -> str:
    """Where a name may stand, from its characters outside brackets and scripts."""
    depth, outside, position = 0, "", 0
    name = re.sub(r"\\(?:left|right|bigl|bigr)\b\.?", "", name)
    name = re.sub(r"(?<!\\)\|[^|\\]*(?:\\[A-Za-z]+[^|\\]*)*\|", "•", name)
    norm = False
    while position < len(name):
        if name.startswith(r"\|", position):
            norm, depth, position = not norm, depth + (-1 if norm else 1), position + 2
            outside += "" if depth else "•"
            continue
        brackets = re.compile(r"\\langle|\\rangle|\\[{}]|[][(){}]").match(name, position)
        if brackets:
            opens = brackets[0] in {r"\langle", r"\{", "{", "(", "["}
            depth += 1 if opens else -1
            outside += "" if depth or brackets[0] == "}" else "•"
            position = brackets.end()
            continue
        outside += name[position] if depth == 0 else ""
        position += 1
    if re.search(r"[=<>,:]|\\in\b", outside.replace(r"\,", "")):
        return "open"
    if re.search(r"[+-]", outside):
        return "sum"
    if re.search(r"\\(?:sum|prod|max|min|lim)|\\mathbb ?E(?!•$)", outside):
        return "prefixed"
    single = r"(?:\\(?:bar|tilde|mathcal|mathbf|mathrm) ?)?(?:\\[A-Za-z]+|[A-Za-z0-9]|•)?(?:_\w?)?"
    return "single" if re.fullmatch(single, outside) and "frac" not in outside else "compound"


class Names:
    """The atoms of terms, and their values at a point."""

    def __init__(self, point: Any, kinds: dict[Any, str] | None = None):
        self.point, self.kinds = point, kinds or {}
        self.atoms: dict[str, Atom] = {}
        self.env: dict[str, Any] = {}

    def name(self, text: str, value: Any, kind: str | None = None) -> None:
        self.atoms[text] = Atom(text, kind or kind_of(text))
        if value is not None:
            self.env[text] = value

    def learn(self, term: Any) -> None:
        """Every name that `term` prints."""
        if isinstance(term, tuple):
            for part in term:
                self.learn(part)
            return
        if isinstance(term, Formula):
            for piece in term.walk():
                self.learn(piece) if not isinstance(piece, Formula) else self.learn_index(piece)
            return
        if not hasattr(term, "args"):
            return
        if isinstance(term, AppliedUndef):
            self.learn_function(term.func)
        elif isinstance(term, Named) or self.is_named(term) or self.is_own(term):
            self.name(typeset(term), numeric(explicit(term, self.point)))
            return
        elif isinstance(term, MatrixSymbol | Shaped):
            self.name(typeset(term), numeric(self.point[term]) if term in self.point else None)
        elif isinstance(term, Symbol):
            self.learn_symbol(term)
        for part in term.args:
            self.learn(part)

    def learn_index(self, formula: Any) -> None:
        if hasattr(formula, "index"):
            self.name(typeset(formula.index), None)

    def learn_symbol(self, symbol: Symbol) -> None:
        value = None
        if isinstance(symbol, Quantity):
            value = numeric(symbol.define(self.point))
        elif isinstance(self.point.get(symbol), Expr | int):
            value = numeric(self.point[symbol])
        self.name(typeset(symbol), value, self.kinds.get(symbol))

    def learn_function(self, function: Any) -> None:
        if hasattr(function, "recursion"):
            value = lambda *at: numeric(value_of(function.recursion(*map(Integer, at)), self.point))  # noqa: E731
            self.name(typeset(Symbol(function.name)), value)
        else:
            held = self.point[function.variable]
            self.name(typeset(function.variable), numeric(held))

    @staticmethod
    def is_named(term: Any) -> bool:
        return isinstance(term, Total | Entrywise) and str(term.args[-1]) != "_"

    @staticmethod
    def is_own(term: Any) -> bool:
        """A node of one paper, which prints itself."""
        return hasattr(type(term), "_latex") and not type(term).__module__.startswith(
            ("claims.expressions", "claims.terms", "claims.statement", "sympy")
        )


def read_back(term: Any, point: Any, kinds: dict[Any, str] | None = None) -> Any:
    names = Names(point, kinds)
    names.learn(term)
    return read_term(typeset(term), list(names.atoms.values()), names.env)


def assert_reads_back(term: Any, point: Any, kinds: dict[Any, str] | None = None) -> None:
    read, meant = read_back(term, point, kinds), numeric(value_of(term, point))
    assert same(read, meant), f"{typeset(term)} is read as {read}, and means {meant}"


# The statements of the papers ---------------------------------------------------------------------


def statements() -> Iterator[tuple[str, Any, Any]]:
    """Every statement with its domain: of the claims, their repairs and their mutants."""
    for claim in encoded().values():
        for each in filter(None, (claim, claim.repair)):
            yield each.id, each.statement, each.domain
            for mutant in each.mutants:
                yield f"{each.id} {mutant.name}", mutant.statement, mutant.domain or each.domain


def sides() -> list[tuple[str, Any, Any]]:
    return [
        (f"{name} {place}", side, domain)
        for name, statement, domain in statements()
        if isinstance(statement, Relation)
        for place, side in enumerate(statement.rhs)
    ]


@in_batches(sides(), name=itemgetter(0))
def test_every_side_of_the_papers_reads_back(case: tuple[str, Any, Any]) -> None:
    _, side, domain = case
    point = domain.draw(Random(0))
    read, meant = read_back(side, point), numeric(explicit(side, point))
    assert same(read, meant), f"{typeset(side)} is read as {read}, and means {meant}"


# Terms of every kind ------------------------------------------------------------------------------

n, d, k, i, j, t = symbols("n d k i j t", integer=True, positive=True)
rho, sigma = symbols("rho sigma_x", real=True)
X, Y = MatrixSymbol("X", n, d), MatrixSymbol("W^Q", n, d)
S, U = MatrixSymbol("S", n, n), MatrixSymbol(r"\tilde T'", n, n)
a = MatrixSymbol("a", n, 1)
LAYERS = Symbol("A^{(0..T-1)}")
POINT = {
    n: Integer(2), d: Integer(3), k: Integer(2), t: Integer(1), i: Integer(1), j: Integer(2),
    rho: Rational(1, 3), sigma: Rational(5, 2),
    X: Matrix([[1, 2, 3], [4, -5, 6]]), Y: Matrix([[2, 0, 1], [-1, 3, 5]]),
    S: Matrix([[2, 1], [7, 5]]), U: Matrix([[1, -3], [2, 4]]), a: Matrix([3, -8]),
    LAYERS: (Matrix([[1, 2], [3, 4]]), Matrix([[5, 6], [7, 8]])),
}  # fmt: skip
mean = Named(r"\bar x", X.T * ones(n) / n)
scatter = Named(r"X^\top X-n\bar x\bar x^\top", X.T * X - n * mean * mean.T)
product_name = Named("XW", X * Y.T)
grown = Recursion("x", lambda i: i + 1, lambda t, i, before: before(i) + i * rho)
plain = Recursion("g", lambda: Integer(1), lambda t, before: 2 * before() + 1)
p, q = symbols("p q", integer=True)

TERMS = [
    1 + (n - 1) * exp(rho), 1 - rho, n - 1, -n - rho, rho**2 - 3 * rho, (n - 1) ** 2 / n,
    Total(a) ** 2 / n**2, Total(S) ** 2 * Total(X.T), Total(X.T * X) * n, (FrobSq(a) / n) ** 2,
    sqrt(FrobSq(X)), FrobSq(X) ** 3, 1 / sqrt(FrobSq(X + Y)), 1 / FrobSq(scatter) ** 2,
    FrobSq(scatter / n), Trace(scatter) ** 2, Trace(S * U) * Trace(S), scatter * X.T, scatter**2,
    scatter.T, -2 * scatter, product_name**2, product_name.T, (S * U).inverse(), S.inverse().T,
    S**3, U**2, U.T, Y.T * Y, (S + U) * S - U, S - 2 * U, -S - U, rho * (S - U),
    KroneckerProduct(S, U * S), KroneckerProduct(S, U) * KroneckerProduct(U, S) / n,
    KroneckerProduct(S, U) - KroneckerProduct(U, S), KroneckerProduct(S + U, S),
    KroneckerProduct(S, HadamardProduct(S, U)), HadamardProduct(S + U, S * U), Commutation(n, d),
    Commutation(d, n).T, ones(n, d), ones(n).T * X, X * ones(d), ones(n, n) * S, ones(1, n) * S,
    ones(n + 1, d), Identity(n) - ones(n, n) / n, ZeroMatrix(n, d) + X, Identity(n * d), mean * mean.T,
    Entrywise(KroneckerDelta(q, p + 1), [(p, n)], [(q, n)]),
    Entrywise((-1) ** p * X[p, q] / (p + 2), [(p, n)], [(q, d)]), n * Entrywise(p, [(p, n)], [(q, 1)]),
    Entrywise(Piecewise((1, p > q), (p + n, True)) ** 2, [(p, n)], [(q, n)]),
    X[0, 1] ** 2 - X[1, 2] * Y[0, 0], a[1, 0] * rho,
    entry(X)(i, j) ** 2 * rho, entry(X)(1, 2), entry(X)(i, j + 1), entry(Y)(i, j), entry(a)(i),
    entry(LAYERS)(0, i, j) - entry(LAYERS)(t, 1, 2) ** 2, grown(t, i) ** 2, grown(t + 1, 1), 2 * plain(t),
    Sum(k**2 + rho, (k, 1, n)) * rho, rho * Sum(k, (k, 1, n)) - 1,
    Sum(k, (k, 1, n)) ** 2, Sum(k, (k, 1, n)) * Sum(i, (i, 1, n)), MaxOver(entry(a)(i) - rho, (i, 1, n)) - 1,
    rho * MaxOver(entry(a)(i), (i, 1, n)) ** 2, n * MinOver(entry(X)(i, 2) * rho, (i, 1, n)),
    MaxOver(MinOver(entry(X)(i, j), (j, 1, d)), (i, 1, n)) * rho, exp(-rho), exp(rho / n) ** 2,
    exp((1 - rho) / (2 * n)), exp(-(n - 1) / (n * d)), rho**n, rho ** (-n), (-1) ** n, 2**n * 3**d,
    Rational(1, 2) ** n, (1 - rho) ** (n / d - (n - 1) / d), sqrt(2) * rho, sqrt(n) / sqrt(d),
    n ** Rational(3, 2), rho ** Rational(1, 3), log(n) ** 2 * rho, log(n * d) / log(d),
    sign(rho) ** 3, binomial(n + 1, k) ** 2,
    factorial(n + 1) * rho, factorial(n) ** 2, floor(n / d) * 3, Max(rho, sigma - 3) ** 2, abs(rho - 1) ** 3,
    sigma**2 * rho, Mul(2, Mul(3, rho, evaluate=False), evaluate=False), -(1 - rho), 5 * (-(n + d) / n),
    Add(rho, Add(n, -d, evaluate=False), evaluate=False), Mul(rho, -n, evaluate=False),
    Pow(Mul(rho, n, evaluate=False), 2, evaluate=False), Pow(-rho, 2, evaluate=False), -rho**2, Rational(-3, 4),
    Rational(-3, 4) ** n, rho * Piecewise((n, rho > 0), (d, True)), Piecewise((n - 1, rho < 0), (-d, True)) - 1,
    (rho, S, (n - 1, -1)), (ones(n), oo, 1), Integer(0), Integer(-7), Rational(2, 3) * (n - 1),
]  # fmt: skip


def test_the_inner_sum_stands_inside() -> None:
    assert read_back(Sum(k * j, (k, 1, j), (j, 1, n)), POINT) == 7


@pytest.mark.parametrize("term", TERMS, ids=str)
def test_every_kind_of_term_reads_back(term: Any) -> None:
    assert_reads_back(term, POINT)


# Quantities with hostile names --------------------------------------------------------------------

HOSTILE = {
    "a+b": "sum", "a-b": "sum", "-x_i": "sum", r"1-\phi^{(t)}": "sum", r"L-\ell-1": "sum",
    r"x^2": "compound", "X'": "compound", r"\frac{a}{b}": "compound", "a b": "compound", "C(X)": "compound",
    r"\mathbb E\left[a+b\right]": "compound", r"\left\|x\right\|^2": "compound", "2m": "compound",
    r"\mathbb E a": "prefixed", r"\mathbb E\|x\|_F^2": "prefixed", r"\sum_i a_i": "prefixed",
    r"\max_{i,j} D_{ij}": "prefixed", r"\textstyle\sum_i|a_i|": "prefixed", r"\log x": "prefixed",
    r"(\sum_k a_k)": "single", r"\langle x,y\rangle": "single", "c_{i+1}": "single", r"\bar z": "single",
    "x=y": "open", r"\lambda_1,\lambda_2": "open", r"u\le v": "open",
}  # fmt: skip


def constant(name: str, value: Any) -> Quantity:
    return Quantity(name, lambda at: value)


QUANTITIES = {
    constant(name, Rational(2 * place + 3, place + 2)): kind
    for place, (name, kind) in enumerate(HOSTILE.items())
}
POINT |= {quantity: quantity.define(POINT) for quantity in QUANTITIES}  # for matrix products
LEAVES = [*QUANTITIES, rho, sigma, n]


def nested() -> st.SearchStrategy:
    """Terms of nested sums, products, powers, quotients and exponentials."""
    leaves = st.sampled_from(LEAVES) | st.fractions(-3, 3, max_denominator=4).map(
        lambda f: Rational(f.numerator, f.denominator)
    )

    def grow(inner: st.SearchStrategy) -> st.SearchStrategy:
        several = st.lists(inner, min_size=2, max_size=3)
        return st.one_of(
            several.map(lambda terms: Add(*terms)), several.map(lambda terms: Mul(*terms)),
            several.map(lambda terms: Add(*terms, evaluate=False)),
            several.map(lambda terms: Mul(*terms, evaluate=False)),
            st.tuples(inner, st.sampled_from([2, 3, -1, -2])).map(lambda both: Pow(*both)),
            inner.map(lambda term: -term), inner.map(lambda term: exp(sign(term))),
            inner.map(lambda term: sqrt(term**2)), inner.map(lambda term: rho ** sign(term)),
            inner.map(lambda term: Sum(k * term, (k, 1, n))),
            st.tuples(inner, inner).map(lambda both: Max(*both)),
        )  # fmt: skip

    return st.recursive(leaves, grow, max_leaves=8)


@given(nested())
def test_nested_terms_with_hostile_names_read_back(term: Any) -> None:
    assume(not term.has(zoo))  # what was divided by zero as it was built has no value
    with mpmath.workdps(DIGITS):
        meant = value_of(term, POINT)
        assume(meant.is_finite and meant.is_real)
        assert same(read_back(term, POINT, QUANTITIES), numeric(meant)), typeset(term)


@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda quantity: quantity.name)
def test_hostile_names_in_every_place(quantity: Any) -> None:
    for term in (
        quantity, -quantity, quantity**2, 1 / quantity, quantity * rho, rho - quantity, quantity + rho,
        sqrt(quantity), exp(quantity), quantity * (n - 1) * FrobSq(X), quantity * FrobSq(X) / n,
        quantity * S, quantity**n, 3 * quantity / (n + 1), (quantity, quantity),
    ):  # fmt: skip
        assert_reads_back(term, POINT, QUANTITIES)


def test_products_of_hostile_names() -> None:
    for first in QUANTITIES:
        for second in QUANTITIES:
            assert_reads_back(first * second, POINT, QUANTITIES)


@pytest.mark.parametrize(
    "wrong",
    [
        r"a+b \rho", r"\rho - a+b", "x^2^{2}", r"1-\phi^{(t)} \rho", r"\sum_i a_i \rho", r"\rho x=y",
        r"\mathbb E a^{2}", r"C(X)^{2}", r"\rho + 1-\phi^{(t)}", r"\rho 2",
    ],
)  # fmt: skip
def test_the_reader_refuses_missing_parentheses(wrong: str) -> None:
    names = Names(POINT, QUANTITIES)
    names.learn((*QUANTITIES, rho, n))
    with pytest.raises(Unreadable):
        read_term(wrong, list(names.atoms.values()), names.env)


# Formulas -----------------------------------------------------------------------------------------

f, g = constant("f", Integer(4)), constant(r"g^{(t)}", Integer(6))
TRUE, FALSE = Compare(f, "=", 2 * n), Compare(f, "<", n)
within = lambda body: ForAll(i, Integer(1), n, body)  # noqa: E731

FORMULAS = [
    *(Compare(f, sign, 2 * n + shift) for sign in ("=", "!=", "<", "<=", ">", ">=") for shift in (-1, 0, 1)),
    chain(f, "=", 2 * n, n + 2, 4), chain(f, "=", 2 * n, 5), chain(f, "<=", 9, 5), chain(f, "<=", 5, 3),
    chain(f, ">=", 1, 5), chain(f, "!=", 5, 6), chain(f, "!=", 5, 4),
    And((Compare(1, "<=", f), Compare(f, "<", g), Compare(g, "<=", 7))),
    And((Compare(1, "<=", f), Compare(f, ">", g))), And((Compare(1, "<=", f), Compare(f, "<", 3))),
    And((Compare(f, "=", g), Compare(g, "=", 7))), And((Compare(f, "!=", g), Compare(g, "!=", 4))),
    TRUE & FALSE, TRUE | FALSE, ~TRUE, ~FALSE, ~(TRUE & FALSE), ~~TRUE, (TRUE & FALSE) | TRUE,
    TRUE & (FALSE | TRUE), (TRUE | FALSE) & FALSE, FALSE.implies(TRUE), TRUE.implies(FALSE),
    TRUE.implies(FALSE.implies(TRUE)), TRUE.implies(FALSE).implies(FALSE), (TRUE & FALSE).implies(FALSE),
    TRUE.iff(FALSE), FALSE.iff(~TRUE), (TRUE | FALSE).iff(TRUE), TRUE & TRUE.iff(FALSE),
    within(Compare(entry(a)(i), "<", 4)), within(Compare(entry(a)(i), "<", 3)),
    Exists(i, Integer(1), n, Compare(entry(a)(i), "=", -8)), Exists(i, n + 1, n + 2, Compare(i, "=", n)),
    within(ForAll(j, Integer(1), n, Compare(entry(S)(i, j), ">", 0))),
    within(ForAll(j, Integer(1), i, Compare(entry(S)(i, j), ">", 1))),
    within(Exists(j, Integer(1), n, Compare(entry(U)(i, j), "<", 0))), within(TRUE) & FALSE,
    ~within(FALSE), within(Compare(i, "<", 2).implies(Compare(entry(a)(i), "=", 3))),
    ForAll(k, Integer(0), oo, Compare(k, ">=", 3)), Exists(k, Integer(0), oo, Compare(k, "=", 3)),
    ForAll(i, n + 1, Integer(1), FALSE), Tends(1 / k + rho, k, rho), Tends(k / (k + 1), k, 2),
    Tends((1 - rho) ** k, k, 0), Tends(Sum(1 / k**2, (i, 1, 2)) - 1, k, -1) & TRUE,
    Monotone(k**2 - 3 * k, k, "<=", Integer(1), n + 3), Monotone(k**2 - 3 * k, k, "<", Integer(2), n + 3),
    Monotone(-k, k, ">", Integer(0), n), Monotone(k, k, ">=", Integer(0), n),
    Compare((f, g), "=", (4, 6)), Compare(S, "=", S.T), Compare(Piecewise((f, rho > 1), (g, True)), "=", 6),
    Compare(next(iter(QUANTITIES)), "=", Rational(3, 2)), Compare(f, "<=", oo),
]  # fmt: skip


@pytest.mark.parametrize("formula", FORMULAS, ids=typeset)
def test_every_kind_of_formula_reads_back(formula: Formula) -> None:
    names = Names(POINT, QUANTITIES)
    names.learn(formula)
    read = read_formula(formula.latex(), list(names.atoms.values()), names.env)
    meant = formula.truth(POINT)
    if meant is None:  # an unbounded range decides nothing exactly; the reader looks at its start
        assert isinstance(formula, ForAll | Exists)
    else:
        assert read == meant, formula.latex()


def test_chains_are_drawn_only_where_they_say_the_same() -> None:
    assert typeset(chain(f, "=", n, 4)) == "f = n = 4"
    assert typeset(And((Compare(1, "<=", f), Compare(f, "<", g)))) == r"1 \le f < g^{(t)}"
    assert typeset(chain(f, "<=", n, 4)) == r"f \le n\ \text{ and }\ f \le 4"
    assert typeset(chain(f, "!=", n, 4)) == r"f \ne n\ \text{ and }\ f \ne 4"


def test_papers_order() -> None:
    """What SymPy would turn round."""
    lam = Symbol("lambda", positive=True)
    assert typeset(1 + (n - 1) * exp(2 * lam)) == r"1 + \left(n - 1\right) e^{2 \lambda}"
    assert typeset(1 - lam) == r"1 - \lambda"
    assert typeset(d * lam**2 * n * FrobSq(mean)) == r"d n \lambda^{2} \left\|\bar x\right\|^2"
    assert typeset(d * n**-2 * FrobSq(X)) == r"\frac{d}{n^{2}} \left\|X\right\|_F^2"
    assert typeset((1 - lam) ** (n / d)) == r"\left(1 - \lambda\right)^{n/d}"
    assert typeset(Identity(n) - ones(n, n) / n) == r"I_{n} - \frac{1}{n} \mathbf 1_{n\times n}"


def test_predicates_print_their_words() -> None:
    words = Predicate("almost surely 100% of $A_\\tau$", lambda at, value: True)
    assert typeset(words) == r"\text{almost surely 100\% of }A_\tau"
    assert typeset(TRUE & words).endswith(r"A_\tau\right)")
    with pytest.raises(UserError, match="dollar"):
        typeset(Predicate("costs 3$", lambda at, value: True))


def test_values_of_points() -> None:
    assert typeset(True) == r"\text{True}" and typeset(None) == r"\text{None}"
    assert typeset("a_b") == r"\text{a\_b}" and typeset(3) == "3" and typeset(0.5) == "0.5"
    assert typeset(Matrix([[1, Rational(1, 2)]])) == (
        r"\left(\begin{matrix} 1 & \frac{1}{2} \end{matrix}\right)"
    )
    assert typeset(Function("h")(n - 1)) == r"h\left(n - 1\right)"


def test_a_formula_without_form_is_refused() -> None:
    class Novel(Formula):
        pass

    with pytest.raises(UserError, match="Novel"):
        typeset(Novel())
