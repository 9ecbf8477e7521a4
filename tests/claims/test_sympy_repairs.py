"""What SymPy gets wrong, and the project meets: with it loaded, it does not."""

from __future__ import annotations

from sympy import Integer, Mul, Rational, Symbol, binomial, factorint, isprime, nextprime, sqrt
from sympy.ntheory.factor_ import factor_cache

import claims.terms  # noqa: F401

PRIMES = 494517127261244783, 494517127415229473


def test_a_limited_factorisation_of_close_factors_ends() -> None:
    """SymPy 1.14 raises: one of the factors that it finds here is composite for all that it knows."""
    found = factorint(
        978188756923448938700236182276357436, limit=2**15, use_rho=False, use_pm1=False
    )
    assert found == {2: 2, PRIMES[0]: 1, PRIMES[1]: 1}


def test_roots_of_squares_of_composites_are_exact() -> None:
    composite = int(nextprime(10**17)) * int(nextprime(2 * 10**17))
    for size in (composite, composite**2):
        assert sqrt(Integer(size) ** 2) == size


def test_only_primes_are_kept() -> None:
    low, high = (int(nextprime(10**9 + k)) for k in (0, 100))
    factor_cache.add(low * high * 4, [low * high, 2])
    assert low * high * 4 not in factor_cache or isprime(factor_cache[low * high * 4])
    factor_cache.add(low * high, [low, high])
    assert factor_cache[low * high] == high


def test_what_may_be_whole_is_not_said_to_be_none() -> None:
    n, k = (Symbol(name, integer=True, positive=True) for name in "nk")
    s = Symbol("s", positive=True)
    half = Rational(1, 2)
    may_be = (2 * k + 2) / (2 * n + 1), binomial(s, n + half), (1 + half) ** s
    assert all(term.is_integer is None for term in may_be)
    assert ((sqrt(2) * n) ** (n * k)).is_rational is None and ((2 * sqrt(2)) ** n).is_even is None
    assert Mul(0, s, binomial(s, 2), evaluate=False).is_zero is not False


def test_what_is_not_whole_is_still_seen() -> None:
    n = Symbol("n", integer=True, positive=True)
    assert ((2 * n + 1) / 2).is_integer is False and (1 / (n + 1)).is_integer is False
    assert (n * (n + 1)).is_integer is True and (3 * n + Rational(1, 2)).is_zero is False
