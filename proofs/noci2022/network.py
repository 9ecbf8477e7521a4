r"""One block of the network of Sec. 3.2, averaged over its weights, and its powers.

The second moments of one block come from Gaussian integration by parts on words, for symbolic n,
d_v, alpha_1 and alpha_2.  Each weight matrix occurs twice in a second moment, so that nothing but
its variance enters and the results hold for every i.i.d. zero-mean law.  What comes out is linear
and triangular,

    C -> a C,   N -> d N + b C,   G -> d G + b' C 11^T,

and is solved for a symbolic number of layers: base and step are separate steps of the certificates.
Here C is the sum of all inner products, N the squared norm and G the Gram matrix of the tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from sympy import (
    Expr,
    Float,
    ImmutableDenseMatrix,
    Integer,
    Rational,
    Sum,
    Symbol,
    Trace,
    cancel,
    expand_power_base,
    expand_power_exp,
    factor,
    limit,
    oo,
)
from sympy.matrices.expressions import MatrixExpr, OneMatrix

from claims.domain import Array, Domain, Size
from claims.expressions import FrobSq, Total, ones
from claims.noci2022 import network as claims
from claims.noci2022.notation import (
    WF1,
    WF2,
    WV,
    C,
    X,
    alpha1,
    alpha2,
    atilde1,
    atilde2,
    d_v,
    ell,
    n,
    normX,
)
from proofs.calculus.wick import (
    Gaussian,
    equal,
    expectation,
    expectation_of_matrix,
    trace_normal_form,
)
from proofs.certificate import Checked, Identity, Limit

BY_BLOCKS = "second moments of one block by integration by parts, then induction on the depth"

WEIGHTS = tuple(Gaussian(w, 1 / d_v) for w in (WV, WF1, WF2))
S = ones(n, n) * X * WV / n
Z = alpha1 * S + X
Y = Z * WF1 * WF2
NEXT = alpha2 * Y + Z

c, f = Symbol("C", real=True, nonnegative=True), Symbol("N", real=True, positive=True)
"""C(X) and ||X||_F^2 as plain symbols."""
p, q = Symbol("p", positive=True), Symbol("q", positive=True)
"""alpha_1^2 + 1 and alpha_2^2 + 1."""
layers = Symbol("L", integer=True, positive=True)


# Scalars of the tokens as plain symbols -----------------------------------------------------------


def plain(expression: Any) -> Expr:
    """C(X), ||X||_F^2 and what is a combination of them, as c and f; sums of powers in closed form."""
    e = expression.replace(lambda a: isinstance(a, claims.Propagated), propagated)
    atoms = {a: _in_c_and_f(a) for a in e.atoms(FrobSq, Total, Trace)}
    return e.xreplace(atoms).replace(lambda a: isinstance(a, Sum), geometric)


def _in_c_and_f(atom: Expr) -> Expr:
    form = trace_normal_form(atom)
    form = form.xreplace({trace_normal_form(C()): c, trace_normal_form(normX): f})
    if form.has(MatrixExpr):
        raise TypeError(f"{atom} is no combination of C(X) and ||X||_F^2: it leaves {form}")
    return form


def tokens(expression: Expr) -> Expr:
    """The inverse of `plain`: c and f as expressions of the tokens."""
    return expression.subs({c: C(), f: normX}, simultaneous=True)


def geometric(total: Sum) -> Expr:
    """sum over k <= m of r^k = (r^(m+1) - 1)/(r - 1); any other sum as it is.

    At r = 1 both sides of an identity that this proves are polynomials in r for each m, and agree.
    """
    (term, (index, low, high)) = total.args
    ratio = getattr(term, "base", index)
    if low != 0 or ratio.has(index) or term != ratio**index:
        return total
    return (ratio ** (high + 1) - 1) / (ratio - 1)


def same(left: Any, right: Any) -> bool:
    """Equality in c, f, sizes, strengths, powers with symbolic exponents, and exponentials."""
    difference = plain(left) - plain(right)
    squares = {alpha1**2: p - 1, alpha2**2: q - 1}
    e = difference.subs(squares, simultaneous=True)
    return cancel(expand_power_exp(expand_power_base(expand_power_exp(e)))) == 0


# One block, and many ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """C -> a C and N -> d N + b C, with b = share (a - d): the share of C that N approaches."""

    a: Expr
    b: Expr
    d: Expr
    share: Expr

    def inner_products(self, count: Any) -> Expr:
        """C after `count` blocks."""
        return self.a**count * c

    def norm(self, count: Any) -> Expr:
        """N after `count` blocks: d^l N + share (a^l - d^l) C."""
        return self.d**count * f + self.share * (self.a**count - self.d**count) * c


@cache
def block() -> Block:
    """The averaged block, read off from E C(X') and E ||X'||^2."""
    sums, norm = (plain(e) for e in (average(Total(NEXT * NEXT.T)), average(FrobSq(NEXT))))
    a, b, d = (factor(e) for e in (sums.coeff(c), norm.expand().coeff(c), norm.expand().coeff(f)))
    if sums.has(f) or cancel(norm - d * f - b * c) != 0:
        raise ArithmeticError(f"the averaged block is not triangular: {sums}, {norm}")
    return Block(a, b, d, cancel(b / (a - d)))


def average(expression: Expr) -> Expr:
    """E over the weights of one block, in traces of the tokens."""
    return expectation(expression, WEIGHTS)


def propagated(node: claims.Propagated) -> Expr:
    """E C or E ||.||^2 of X^l or Z^l, in c and f."""
    quantity, stage, *_rest, count = node.args
    sums, norm = block().inner_products(count), block().norm(count)
    if str(stage) == "Z":
        images = _after_attention()
        sums, norm = (e.subs({c: sums, f: norm}, simultaneous=True) for e in images)
    return sums if str(quantity) == "C" else norm


@cache
def _after_attention() -> tuple[Expr, Expr]:
    return plain(average(Total(Z * Z.T))), plain(average(FrobSq(Z)))


def gram_coefficients(count: Any) -> tuple[Expr, Expr]:
    """(x, s) with E X^l (X^l)^T = x X X^T + s C(X) 11^T."""
    one = block()
    return one.d**count, one.share / n * (one.a**count - one.d**count)


def gram(coefficients: tuple[Expr, Expr]) -> MatrixExpr:
    """x X X^T + s C(X) 11^T."""
    x, s = coefficients
    return x * X * X.T + s * C() * OneMatrix(n, n)


# Steps of certificates ----------------------------------------------------------------------------


AT = Domain((*claims.SIZES, *claims.STRENGTHS, Array(X)))
AFTER = Domain((Size(ell, 0, 3), *AT.variables))


@cache
def induction() -> tuple[Any, ...]:
    """The block written out in full at small sizes, then base, one block and induction step."""
    one = block()
    before = {c: one.inner_products(ell), f: one.norm(ell)}
    sums, norm = (e.subs(before, simultaneous=True) for e in (one.a * c, one.d * f + one.b * c))
    derived = [plain(average(e)) for e in (Total(NEXT * NEXT.T), FrobSq(NEXT))]
    written = r"\text{second moments of a block} = \text{its expansion in the weights}"
    names = r"\mathbb E C(X^{%s})", r"\mathbb E\|X^{%s}\|_F^2"
    steps: list[Any] = [Checked(written, "all monomials, $n=2$ and $d_v=1,2$", expanded_agrees)]
    for name, formula, start, first, following in zip(
        names, (one.inner_products, one.norm), (c, f), derived, (sums, norm), strict=True
    ):
        steps.append(_identity(formula(Integer(0)), start, "base", AT, name % "0"))
        steps.append(_identity(formula(Integer(1)), first, "one block", AT, name % "1"))
        steps.append(
            _identity(formula(ell + 1), following, "induction step", AFTER, name % r"\ell+1")
        )
    return tuple(steps)


@cache
def gram_induction() -> tuple[Any, ...]:
    """One block and the induction step for E X^l (X^l)^T, entry by entry."""
    one, (x, s) = block(), gram_coefficients(ell)
    following = one.d * x, one.d * s + one.b / n * one.a**ell
    if not all(map(same, gram_coefficients(ell + 1), following)):
        raise ArithmeticError("the Gram matrix does not follow its recursion")
    first = expectation_of_matrix(NEXT * NEXT.T, WEIGHTS)
    if not equal(first, gram(gram_coefficients(Integer(1)))):
        raise ArithmeticError("the Gram matrix of one block is not its closed form")
    name = r"\mathbb E X^{%s}(X^{%s})^\top"
    return (
        Identity(gram(gram_coefficients(Integer(1))), first, "one block", AT, name % ("1", "1")),
        Identity(
            gram(gram_coefficients(ell + 1)), gram(following), "induction step", AFTER,
            name % (r"\ell+1", r"\ell+1"),
        ),
    )  # fmt: skip


def _identity(left: Expr, right: Expr, by: str, domain: Domain, label: str) -> Identity:
    if not same(left, right):
        raise ArithmeticError(f"{label}: {left} is not {right}")
    return Identity(tokens(left), tokens(right), by, domain, label)


@cache
def expanded_agrees() -> bool:
    """The block of the definitions against whole layers expanded as polynomials in their weights."""
    half, third = Rational(1, 2), Rational(1, 3)
    for entries, count in (([[1], [3]], 2), ([[1, 0], [1, 2]], 1)):
        x = ImmutableDenseMatrix(entries)
        point = {X: x, alpha1: half, alpha2: third}
        averaged = claims.numbers(claims.Network.unscaled(point).after(count).gram())
        if claims.expanded_gram(x, half, third, count) != ImmutableDenseMatrix(averaged):
            return False
    return True


# Infinite depth -----------------------------------------------------------------------------------


def scaled(expression: Expr) -> Expr:
    """alpha_i^2 = atilde_i / L for the number L of `layers`."""
    squares = {alpha1**2: atilde1 / layers, alpha2**2: atilde2 / layers}
    return expression.subs(squares, simultaneous=True)


@cache
def limits() -> tuple[Expr, Expr]:
    """lim E C(X^L) and lim E ||X^L||^2 under scaling, in c and f."""
    one = block()
    return tuple(limit(scaled(e(layers)), layers, oo) for e in (one.inner_products, one.norm))


PARAMETERS: tuple[dict[Symbol, Any], ...] = tuple(
    dict(zip((atilde1, atilde2, n, c, f), (Float(x, 80) for x in values), strict=True))
    for values in (
        ("0.75", "1.5", "3", "2", "5"),
        ("2", "0", "2", "0", "1"),
        ("0", "1", "4", "4", "1"),
    )
)
"""Where limits are followed numerically; floats, since exact powers would have 2^40 digits."""


def limit_step(expression: Expr, value: Expr) -> Limit:
    """The limit of a scaled quantity, followed to depth 2^40."""
    return Limit(expression, layers, value, PARAMETERS, "limit of a product and of a power")


def limit_steps() -> tuple[Limit, ...]:
    """Both limits of `limits`."""
    one = block()
    terms = (one.inner_products, one.norm)
    return tuple(limit_step(scaled(e(layers)), v) for e, v in zip(terms, limits(), strict=True))
