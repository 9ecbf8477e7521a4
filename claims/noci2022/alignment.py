r"""When a correlation is one: the remarks after Eqs. (5) and (14).

A correlation there is a ratio of expectations, so tokens may be random; laws with m equally likely
outcomes are enough to decide.  P and Q hold tokens k and k' outcome by outcome, one row each; for n
tokens the rows of X run over the tokens within each outcome.  No token is zero in any outcome.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, sqrt

from claims.domain import Array, Condition, Domain, Point, Size
from claims.model import Claim, Hypothesis, Mutant, Proposition
from claims.noci2022.notation import d, m, n, source

P, Q = MatrixSymbol("P", m, d), MatrixSymbol("Q", m, d)
X = MatrixSymbol("X", n * m, d)
RANDOM = Hypothesis(r"\text{tokens random, square integrable and almost surely not zero}")


def _rows_nonzero(*arrays: MatrixSymbol) -> Condition:
    def holds(point: Point) -> bool:
        return all(any(point[a].row(i)) for a in arrays for i in range(point[a].rows))

    return Condition(r"X_k\ne0\ \text{in every outcome}", holds)


def _inner(a: Any, b: Any) -> Any:
    return sum((s * t for s, t in zip(a, b, strict=True)), start=Integer(0))


def _ratio(a: Any, b: Any) -> Any:
    """<a, b> / sqrt(<a, a> <b, b>): a cosine for one outcome, a correlation for all outcomes."""
    return _inner(a, b) / sqrt(_inner(a, a) * _inner(b, b))


def _proportional(a: Any, b: Any) -> bool:
    """Whether b = c a with one c > 0."""
    place = next(i for i, entry in enumerate(a) if entry != 0)
    c = b[place] / a[place]
    return bool(c > 0) and all(t == c * s for s, t in zip(a, b, strict=True))


def pair_flags(a: list[list[Any]], b: list[list[Any]]) -> tuple[Any, bool, bool, bool, bool]:
    """rho of two tokens; cos = 1 surely; one ratio c > 0 surely; |cos| = 1 surely; surely equal."""
    flat_a, flat_b = list(chain(*a)), list(chain(*b))
    cosines = [_ratio(s, t) for s, t in zip(a, b, strict=True)]
    return (
        _ratio(flat_a, flat_b),
        all(c == 1 for c in cosines),
        _proportional(flat_a, flat_b),
        all(abs(c) == 1 for c in cosines),
        flat_a == flat_b,
    )


def two_tokens(point: Point) -> tuple[bool, ...]:
    """Whether rho_kk' = 1, then the flags of `pair_flags`."""
    rho, *flags = pair_flags(point[P].tolist(), point[Q].tolist())
    return (bool(rho == 1), *flags)


def all_tokens(point: Point) -> tuple[bool, ...]:
    """Whether the average rho of Eq. (14) is one, then whether each flag holds for all pairs."""
    tokens, rows = int(point[n]), point[X].tolist()
    outcomes = [rows[k::tokens] for k in range(tokens)]
    pairs = [
        pair_flags(outcomes[k], outcomes[l])
        for k in range(tokens) for l in range(tokens) if k != l  # noqa: E741
    ]  # fmt: skip
    average = sum((pair[0] for pair in pairs), start=Integer(0)) / len(pairs)
    return (bool(average == 1), *(all(pair[i] for pair in pairs) for i in range(1, 5)))


def _first_iff(flag: int) -> Callable[[Point, Any], bool]:
    return lambda point, flags: flags[0] == flags[flag]


def _mutants(rho: str) -> tuple[Mutant, ...]:
    return (
        Mutant("aligned up to sign", Proposition(rf"{rho}=1\iff|\cos\theta|=1", _first_iff(3))),
        Mutant("aligned and equal", Proposition(rf"{rho}=1\iff X_k=X_{{k'}}", _first_iff(4))),
    )


def _column(*entries: int) -> ImmutableDenseMatrix:
    return ImmutableDenseMatrix(len(entries), 1, entries)


_WHY = "A correlation is a ratio of expectations: cos = 1 in every outcome leaves the ratio of the "
_pairs = Domain((Size(m, 1, 3), Size(d, 1, 3), Array(P), Array(Q)), (_rows_nonzero(P, Q),))

correlation_one_means_one_ratio = Claim(
    id="noci2022.sec2.rho-one-iff.repair",
    parent="noci2022.sec2.rho-one-iff",
    source=source("Sec. 2", "after Eq. (5)"),
    kind="prose",
    title="A correlation is one exactly when one token is a fixed positive multiple of the other.",
    statement=Proposition(
        r"\rho_{kk'}=1\iff X_{k'}=c\,X_k\ \text{almost surely, for one constant } c>0",
        _first_iff(2),
    ),
    domain=_pairs,
    define=two_tokens,
    hypotheses=(RANDOM,),
    note=(
        "Alignment must be with one constant ratio of norms: X_k' = c X_k almost surely. For fixed "
        "tokens (m = 1) this is cos = 1, as printed."
    ),
)

correlation_one_means_aligned = Claim(
    id="noci2022.sec2.rho-one-iff",
    source=source("Sec. 2", "after Eq. (5)"),
    kind="prose",
    title="A correlation is one exactly when the two tokens are perfectly aligned.",
    statement=Proposition(
        r"\rho_{kk'}=1\iff\cos\theta_{kk'}=1\ \text{almost surely}", _first_iff(1)
    ),
    domain=_pairs,
    define=two_tokens,
    hypotheses=(RANDOM,),
    mutants=_mutants(r"\rho_{kk'}"),
    severity="missing-hypothesis",
    repair=correlation_one_means_one_ratio,
    probes=({m: 2, d: 1, P: _column(1, 1), Q: _column(1, 2)},),
    note=_WHY + "norms free to vary, and then rho < 1. It happens inside the paper's own network.",
)

_laws = Domain((Size(n, 2, 3), Size(m, 1, 2), Size(d, 1, 2), Array(X)), (_rows_nonzero(X),))

average_correlation_one_means_one_ratio = Claim(
    id="noci2022.eq-14.average.repair",
    parent="noci2022.eq-14.average",
    source=source("Sec. 3.2", "Eq. (14)"),
    kind="prose",
    title="The average correlation is one exactly when tokens are fixed multiples of each other.",
    statement=Proposition(
        r"\rho^\ell=1\iff X_{k'}=c_{kk'}X_k\ \text{almost surely, with constants } c_{kk'}>0",
        _first_iff(2),
    ),
    domain=_laws,
    define=all_tokens,
    hypotheses=(RANDOM,),
    note="Every pair must be aligned with a constant ratio of norms.",
)

average_correlation_one_means_all_aligned = Claim(
    id="noci2022.eq-14.average",
    source=source("Sec. 3.2", "Eq. (14)"),
    kind="prose",
    title="The average correlation is one exactly when every pair of tokens is perfectly aligned.",
    statement=Proposition(
        r"\rho^\ell=\tfrac1{n(n-1)}\sum_{k\ne k'}\rho^\ell_{kk'}=1\iff\cos\theta_{kk'}=1"
        r"\ \text{almost surely, for all } k,k'",
        _first_iff(1),
    ),
    domain=_laws,
    define=all_tokens,
    hypotheses=(RANDOM,),
    uses=(correlation_one_means_aligned,),
    mutants=_mutants(r"\rho^\ell"),
    severity="missing-hypothesis",
    repair=average_correlation_one_means_one_ratio,
    probes=({n: 2, m: 2, d: 1, X: _column(1, 1, 1, 2)},),
    note=_WHY + "norms free to vary, and then rho < 1.",
)
