"""Entries of the context map by the share of the current word and the shares in its context."""

from __future__ import annotations

from sympy import Piecewise, symbols

from claims.im2026 import context_rows as claims
from claims.im2026.contexts import average, context, mu, prefix_share
from claims.im2026.corpora import CORPORA
from claims.im2026.interchangeability import next_frequency
from claims.im2026.notation import j, k, words
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import algebra, linked
from proofs.certificate import Certificate
from proofs.im2026 import contexts as prefixes
from proofs.im2026.bigrams import NOT_NEGATIVE, every_word, fact_at, mean, means_compared, over, x
from proofs.im2026.contexts import centred, concluded, count_in_prefix, entry_mean, share, t
from proofs.kernel import Theorem, both, joint, unfold
from proofs.registry import proves


def shares_below() -> Theorem:
    """The mean of x_(t+1)j times a share is between zero and that of x_(t+1)j."""
    u, c = symbols("u c", real=True)
    body, current = x(prefixes.i, t + 1, j) * share(k), x(prefixes.i, t + 1, j)
    small = joint(Compare(share(k), ">=", 0) & Compare(share(k), "<=", 1), count_in_prefix())
    sign = fact_at(NOT_NEGATIVE, t + 1, j, within=t)
    given = (Compare(u, ">=", 0), Compare(c, ">=", 0), Compare(c, "<=", 1))
    values = {u: current, c: share(k)}
    low, high = (
        means_compared(algebra(goal, given, values, small, sign), t)
        for goal in (Compare(0, "<=", u * c), Compare(u * c, "<=", u))
    )
    least = linked(Compare(mean(body, t), ">=", 0), low)
    return both(least, linked(Compare(mean(body, t), "<=", mean(current, t)), high))


@proves(claims.larger_entries_are_more_frequent_words)
def by_shares_in_the_context(claim: Claim) -> Certificate:
    """Both are means over the places where the current word comes next."""
    whole, part = mean(x(prefixes.i, t + 1, j), t), entry_mean(j, k)
    current = unfold(next_frequency(j), whole, CORPORA, over(j))
    own = claims.in_context(j, k)
    value = Piecewise((part / whole, whole > 0), (0, True))
    read = unfold(own, value, CORPORA, over(j, k))
    product = joint(
        Compare(average(j, k), "=", next_frequency(j) * own),
        current, read, shares_below(), prefixes.average(j, k),
    )  # fmt: skip
    overall = joint(
        Compare(mu(k), "=", prefix_share(k) / words), prefixes.mu(k), prefixes.prefix_share(k)
    )
    form = Compare(context(j, k), "=", next_frequency(j) * own - prefix_share(k) / words)
    entry = joint(form, centred(j, k), product, overall)
    lift = own / prefix_share(k)
    sign = (Compare(next_frequency(j), ">", 0) & Compare(prefix_share(k), ">", 0)).implies(
        Compare(context(j, k), ">", 0).iff(Compare(lift, ">", 1 / (words * next_frequency(j))))
    )
    theorem = both(entry, joint(sign, entry))
    return concluded(claim, every_word(theorem, j, k))
