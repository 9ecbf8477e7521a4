"""Layer normalisation: means and mean squares of a token over its standard deviation, for every $d_v$."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Sum, Symbol, sqrt

from claims.model import Claim
from claims.noci2022 import layer_norms as claims
from claims.noci2022.layer_norms import i, less_its_mean
from claims.noci2022.notation import d_v, n
from claims.statement import Compare
from proofs.calculation import linked
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    generalise,
    instance,
    joint,
    substitute,
    unfold,
)
from proofs.registry import proves

k = Symbol("k'", integer=True)
mean, root = (Symbol(name, real=True) for name in ("mu", "s"))
OWN = claims.layer_normalisation_standardises_the_input_variance.domain


def over_features(term: Expr) -> Sum:
    return Sum(term, (k, 1, d_v))


def rows_mean(rows: Any) -> Expr:
    """The mean over the features of token i."""
    return rows(i, k) - less_its_mean(rows, i, k)


def moments(rows: Any, condition: Any, first: Any, second: Any) -> tuple[Theorem, Theorem]:
    """The mean of a normalised token is zero, its mean square one."""
    x, centred = rows(i, k) - mean, less_its_mean(rows, i, k)
    squares = over_features(centred**2)
    s = sqrt(squares / d_v)
    positive = instance(assume(condition.formula), i)
    spread = joint(Compare(s, ">", 0), positive)
    total = linked(Compare(over_features(centred), "=", 0))
    scaled, apart = over_features((x / root) ** 2), over_features(x**2) / root**2
    inside = {mean: rows_mean(rows), root: s}
    sums = substitute(
        linked(Compare(over_features(x / root), "=", over_features(x) / root)), inside
    )
    zero = joint(
        Compare(over_features(centred / s) / d_v, "=", 0), cut(sums, spread), total, spread
    )
    parts = cut(substitute(linked(Compare(scaled, "=", apart)), inside), spread)
    unit = joint(Compare(over_features((centred / s) ** 2) / d_v, "=", 1), parts, spread)
    token = ((i, 1, n),)
    read = [
        unfold(quantity(i), over_features((centred / s) ** power) / d_v, OWN, token)
        for power, quantity in ((1, first), (2, second))
    ]
    return (
        joint(Compare(first(i), "=", 0), read[0], zero),
        joint(Compare(second(i), "=", 1), read[1], unit),
    )


@proves(claims.layer_normalisation_standardises_the_input_variance)
def by_sums_over_features(claim: Claim) -> Certificate:
    """Entries less their mean have sum zero; their squares over their mean square have mean one."""
    fed, added = OWN.conditions
    found = (
        *moments(claims.fed, fed, claims.MEAN_BEFORE, claims.VARIANCE_BEFORE),
        *moments(claims.added, added, claims.MEAN_AFTER, claims.VARIANCE_AFTER),
    )
    return conclude(claim, generalise(both(*found), i, 1, n), method="sums over features")
