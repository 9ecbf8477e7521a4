"""Spans and certificates that the tests of curves share."""

from __future__ import annotations

from sympy import cos, oo, sin, symbols

from proofs.calculus.curves import MonotoneSign, RangeBound
from proofs.calculus.spans import Span

x, y = symbols("x y", real=True)
LINE, RIGHT = Span(x, -oo, oo), Span(x, 0, oo)
FALLING_COSINE = RangeBound(1 - cos(x), ">=0", LINE)
SINE = MonotoneSign(x - sin(x), FALLING_COSINE, 0, ">=0", span=RIGHT)
