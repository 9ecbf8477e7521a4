r"""Is a formula true?  `check` answers in a notebook, with a certificate or a counterexample.

>>> from sympy import Eq, Rational, Sum, symbols
>>> from twofold import Real, Size, check
>>> n, k, x = symbols("n k x")
>>> check(x * (1 - x) <= Rational(1, 4), [Real(x, 0, 1)])
proved: x*(1 - x) <= 1/4
  by real arithmetic (z3), for every point of the domain
>>> check(Eq(Sum(k**2, (k, 1, n)), n * (n + 1) / 2), [Size(n, 1)])
refuted: Eq(Sum(k**2, (k, 1, n)), n*(n + 1)/2)
  at n = 2: 5 = 3 fails

`proved` comes from the kernel of `proofs` alone, and `refuted` from a point at which both sides are
evaluated exactly; everything else is `unsettled`, with what was tried.
"""

from claims.domain import Array, Choice, Real, Size
from claims.expressions import FrobSq, Total
from proofs.calculus.wick import Gaussian
from twofold.answer import Answer
from twofold.checking import check
from twofold.expectations import expected

__all__ = [
    "Answer", "Array", "Choice", "FrobSq", "Gaussian", "Real", "Size", "Total", "check", "expected",
]  # fmt: skip
