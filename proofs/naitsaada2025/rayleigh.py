r"""Rayleigh's principle for the largest singular value, from the spectral theorem.

For a column $z$, $\|M^\top z\|^2=\sum_ks_k^2\langle u_k,z\rangle^2\le s_1^2\|z\|^2$, with the left singular
vectors $u_k$: both sums are exchanged by hand, and the columns of $U$ are orthonormal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Expr, KroneckerDelta, Sum, Symbol

from claims.statement import Compare
from proofs.calculation import at_places, linked, place, sums_compared, weighed
from proofs.facts import DELTA, DELTA_SUM, FUBINI
from proofs.kernel import Theorem, fact, instance, joint, part
from proofs.naitsaada2025.stable_rank import Spectrum

Column = Callable[[Any], Expr]
i, j, k, l, n = (Symbol(name, integer=True) for name in "ijkln")  # noqa: E741


class Rayleigh(Spectrum):
    """The same theorems, and what they say of squared norms."""

    def pulled(self, z: Column) -> Column:
        """Entries of M^T z."""
        return lambda a: Sum(self.m(i, a) * z(i), (i, 1, self.rows))

    def along(self, z: Column) -> Column:
        """<u_k, z>."""
        return lambda a: Sum(self.u(i, a) * z(i), (i, 1, self.rows))

    def norm(self, z: Column) -> Expr:
        """||z||^2."""
        return Sum(z(i) ** 2, (i, 1, self.rows))

    def pulled_norm(self, z: Column) -> Expr:
        """||M^T z||^2."""
        return Sum(self.pulled(z)(n) ** 2, (n, 1, self.cols))

    def form(self, z: Column) -> Theorem:
        """||M^T z||^2 = sum_j z_j sum_i z_i (M M^T)_ji."""
        y, rows = self.pulled(z), self.rows
        outer = fact(FUBINI, a=self.m(j, n) * z(j) * y(n), j=n, k=j, rows=self.cols, columns=rows)

        def turned(a: Any) -> Theorem:
            """sum_n M_an (M^T z)_n = sum_i z_i (M M^T)_ai."""
            inner = fact(
                FUBINI, a=self.m(a, n) * self.m(i, n) * z(i), j=n, k=i, rows=self.cols, columns=rows
            )
            left = Sum(self.m(a, n) * y(n), (n, 1, self.cols))
            return linked(Compare(left, "=", Sum(z(i) * self.gram(a, i), (i, 1, rows))), inner)

        total = Sum(z(j) * Sum(z(i) * self.gram(j, i), (i, 1, rows)), (j, 1, rows))
        return linked(Compare(self.pulled_norm(z), "=", total), outer, weighed(z, turned, rows))

    def spread(self, z: Column) -> Theorem:
        """||M^T z||^2 = sum_k s_k^2 <u_k, z>^2."""
        c, rows = self.along(z), self.rows

        def turned(a: Any) -> Theorem:
            """sum_i z_i (M M^T)_ai = sum_k s_k^2 u_ak <u_k, z>."""
            gram = weighed(lambda b: z(b), lambda b: at_places(self.spectral, a, b), rows)
            swap = fact(
                FUBINI, a=z(i) * self.root(k) ** 2 * self.u(a, k) * self.u(i, k),
                j=i, k=k, rows=rows, columns=rows,
            )  # fmt: skip
            total = Sum(self.root(k) ** 2 * self.u(a, k) * c(k), (k, 1, rows))
            left = Sum(z(i) * self.gram(a, i), (i, 1, rows))
            return linked(Compare(left, "=", total), gram, swap)

        last = fact(
            FUBINI,
            a=z(j) * self.root(k) ** 2 * self.u(j, k) * c(k),
            j=j,
            k=k,
            rows=rows,
            columns=rows,
        )
        goal = Sum(self.root(k) ** 2 * c(k) ** 2, (k, 1, rows))
        each = weighed(z, turned, rows)
        return linked(Compare(self.pulled_norm(z), "=", goal), self.form(z), each, last)

    def own(self, place: Any) -> Theorem:
        """||M^T u_k||^2 = s_k^2."""
        u = lambda a: self.u(a, place)  # noqa: E731
        turned = weighed(u, lambda a: at_places(self.eigen, a, place), self.rows)
        goal = Compare(self.pulled_norm(u), "=", self.root(place) ** 2)
        return linked(goal, self.form(u), turned, instance(self.unit, place))

    def bessel(self, z: Column) -> Theorem:
        """sum_k <u_k, z>^2 <= ||z||^2: what is left of z has a squared norm."""
        c, rows = self.along(z), self.rows
        shadow = lambda a: Sum(c(k) * self.u(a, k), (k, 1, rows))  # noqa: E731
        total = Sum(c(k) ** 2, (k, 1, rows))
        swap = fact(FUBINI, a=z(i) * c(k) * self.u(i, k), j=i, k=k, rows=rows, columns=rows)
        mixed = linked(Compare(Sum(z(i) * shadow(i), (i, 1, rows)), "=", total), swap)
        outer = fact(FUBINI, a=c(k) * self.u(i, k) * shadow(i), j=i, k=k, rows=rows, columns=rows)
        each = weighed(c, lambda b: self.coefficient(b, c, shadow), rows)
        own = linked(Compare(Sum(shadow(i) ** 2, (i, 1, rows)), "=", total), outer, each)
        rest = sums_compared(lambda a: joint(Compare((z(a) - shadow(a)) ** 2, ">=", 0)), rows)
        return linked(Compare(total, "<=", self.norm(z)), rest, mixed, own)

    def coefficient(self, b: Any, c: Column, shadow: Column) -> Theorem:
        """sum_i u_ib sum_l c_l u_il = c_b: the columns of U are orthonormal."""
        rows = self.rows
        swap = fact(FUBINI, a=self.u(i, b) * c(l) * self.u(i, l), j=i, k=l, rows=rows, columns=rows)

        def one(a: Any) -> Theorem:
            """c_a sum_i u_ib u_ia = c_b delta_ba."""
            where = place("w")
            flag = part(fact(DELTA, a=b, b=a, term=c(where), place=where), 2)
            product = at_places(self.orthonormal, b, a)
            goal = Compare(c(a) * product.formula.left, "=", c(b) * KroneckerDelta(b, a))  # type: ignore[attr-defined]
            return joint(goal, flag, product)

        deltas = sums_compared(one, rows)
        ones = fact(DELTA_SUM, place=b, k=l, low=1, high=rows)
        goal = Compare(Sum(self.u(i, b) * shadow(i), (i, 1, rows)), "=", c(b))
        return linked(goal, swap, deltas, ones)

    def principle(self, z: Column) -> Theorem:
        """||M^T z||^2 <= s_1^2 ||z||^2."""
        c, first = self.along(z), self.root(1)
        order = lambda a: joint(  # noqa: E731
            Compare(self.root(a) ** 2 * c(a) ** 2, "<=", first**2 * c(a) ** 2), self.ordered(a)
        )
        below = sums_compared(order, self.rows)
        goal = Compare(self.pulled_norm(z), "<=", first**2 * self.norm(z))
        return linked(goal, self.spread(z), below, self.bessel(z))

    def ordered(self, a: Any) -> Theorem:
        """s_a^2 <= s_1^2."""
        return joint(Compare(self.root(a) ** 2, "<=", self.root(1) ** 2), instance(self.order, a))


__all__ = ["Column", "Rayleigh"]
