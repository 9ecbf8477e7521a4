"""How likely a Gaussian matrix has a large operator norm, as a term."""

from __future__ import annotations

from typing import Any

from sympy import Function, Integer, erf, exp, gamma, pi, sqrt, uppergamma

__all__ = ["OperatorTail"]


class OperatorTail(Function):
    r"""$\mathbb P(\|G\|\ge a)$ for a matrix of so many rows and columns with standard Gaussian entries.

    Elementary for a vector, which is $\chi$-distributed, and for two rows and two columns: $s_1\pm s_2$
    are independent then, and each is $\sqrt2$ times a Rayleigh variable.

    >>> OperatorTail(1, 2, 3)
    exp(-9/2)
    """

    is_real = True
    is_nonnegative = True

    @classmethod
    def eval(cls, rows: Any, columns: Any, a: Any) -> Any:
        if a.is_negative:
            return Integer(1)
        if not a.is_nonnegative:
            return None
        if rows == 1 or columns == 1:
            freedom = rows * columns
            return uppergamma(freedom / 2, a**2 / 2) / gamma(freedom / 2)
        if rows == columns == 2:
            return exp(-(a**2)) + a * sqrt(pi / 2) * exp(-(a**2) / 2) * erf(a / sqrt(2))
        return None

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        rows, columns, a = map(printer._print, self.args)
        text = rf"\mathbb{{P}}\left(\left\|G_{{{rows} \times {columns}}}\right\|_2 \ge {a}\right)"
        return text if exp is None else rf"\left[{text}\right]^{{{exp}}}"
