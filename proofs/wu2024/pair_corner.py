r"""The last three places of two tokens in the trap: arithmetic of one layer and of the angle.

With g = (w - 1)/(4 w (1 + w^2)) places before the last ones are at most g times the next one.  What holds
for g = 0, where X_1 = e_d and -X_2 = (0, 1, y)/sqrt(1 + y^2), holds with room to spare for 0 <= y <= w:

    (y + w)/sqrt(1 + y^2) > 1,   y/sqrt(1 + y^2) < 1,   1/sqrt(1 + y^2) > 1/(2 sqrt(1 + w^2)).
"""

from __future__ import annotations

from functools import cache

from sympy import Rational, Symbol, symbols

from claims.statement import Compare
from proofs.kernel import Theorem, both, cut, joint, substitute

CORNER = a1, a2, a3, z1, z2, z3, head, rest, v, small = symbols(
    "a_1 a_2 a_3 z_1 z_2 z_3 S_a S_z v g", real=True
)
"""The last three places of both tokens, the squares before the last of the first token and before the
last two of the second, w, and (w - 1)/(4 w (1 + w^2))."""
STATE = (
    Compare(v, ">", 1), Compare(a1, ">", 0), Compare(a2, ">", 0), Compare(a3, ">=", 0),
    Compare(z1, ">=", 0), Compare(z2, ">", 0), Compare(z3, ">=", 0), Compare(z1, "<=", v * z2),
    Compare(4 * v * (1 + v**2) * a2, "<=", (v - 1) * a1), Compare(4 * v * (1 + v**2) * a3, "<=", (v - 1) * a2),
    Compare(4 * v * (1 + v**2) * z3, "<=", (v - 1) * z2),
    Compare(head, "<=", 2 * a2**2), Compare(head, ">=", 0), Compare(rest, "<=", 2 * z3**2),
    Compare(head + a1**2, "=", 1), Compare(rest + z2**2 + z1**2, "=", 1), Compare(rest, ">=", 0),
)  # fmt: skip
SMALL = (Compare(4 * v * (1 + v**2) * small, "=", v - 1), Compare(v, ">", 1))


@cache
def sizes() -> dict[str, Theorem]:
    """What is small, and how the norms are spread."""
    wide = joint(Compare(4 * v * (1 + v**2), ">", 0), given=SMALL[1:])
    positive = joint(Compare(small, ">", 0), wide, given=SMALL)
    eighth = joint(Compare(8 * v * small, "<=", v - 1), joint(
        Compare(v * small * (v**2 - 1), ">=", 0),
        joint(Compare(v * small, ">=", 0), positive, given=SMALL[1:]),
        joint(Compare(v**2 - 1, ">=", 0), given=SMALL[1:])), given=SMALL[:1])  # fmt: skip
    quarter = joint(
        Compare(4 * (1 + v**2) * small, "<=", 1),
        joint(Compare(v * (4 * (1 + v**2) * small), "<=", v * 1), given=SMALL), given=SMALL[1:],
    )  # fmt: skip
    found = {"positive": positive, "eighth": eighth, "quarter": quarter}
    for name, low, high, said in (("a2", a2, a1, 8), ("a3", a3, a2, 9), ("z3", z3, z2, 10)):
        factor = 4 * v * (1 + v**2)
        times = joint(
            Compare(factor * low, "<=", factor * (small * high)), given=(SMALL[0], STATE[said])
        )
        found[name] = joint(Compare(low, "<=", small * high), times, wide)
    top = joint(Compare(a1, "<=", 1), given=(STATE[1], STATE[12], STATE[14]))
    square = joint(Compare(a2**2, "<=", small**2 * a1**2), found["a2"], given=STATE[1:3])
    most = joint(Compare(a1**2 * (1 + 2 * small**2), ">=", 1), square, given=(STATE[11], STATE[14]))
    z_square = joint(Compare(z3**2, "<=", small**2 * z2**2), found["z3"], given=STATE[5:7])
    spread = joint(
        Compare(z2**2 * (1 + 2 * small**2) + z1**2, ">=", 1), z_square, given=(STATE[13], STATE[15])
    )
    return found | {"top": top, "most": most, "spread": spread}


@cache
def last_stays_positive() -> Theorem:
    """z_d - x_d + w (z_{d-1} - x_{d-1}) > 0: (w z_2 + z_1)^2 >= w^2 z_2^2 + 3 z_1^2 > (1 + w g)^2."""
    known = sizes()
    share = Symbol("y", real=True)  # w g
    named = Compare(share, "=", v * small)
    positive = joint(Compare(share, ">", 0), known["positive"], given=(named, STATE[0]))
    below = joint(Compare(small, "<", share), known["positive"], given=(named, STATE[0]))
    eighth = joint(Compare(8 * share, "<=", v - 1), known["eighth"], given=(named,))
    whole = joint(Compare(4 * (1 + v**2) * share, "=", v - 1), given=(named, SMALL[0]))
    low = joint(
        Compare(8 * share, "<=", 1),
        joint(Compare((v**2 + 1 - 2 * (v - 1)) * share, ">=", 0), positive), whole, positive,
    )  # fmt: skip
    thin = joint(Compare(2 * small**2, "<=", share), low, below, positive, known["positive"])
    steep = joint(Compare((1 + share) * (1 + 2 * small**2), "<", v), thin, eighth, low, positive)
    squared_ = joint(
        Compare((1 + share) ** 2 * (1 + 2 * small**2) ** 2, "<", v**2), steep, positive
    )
    more = joint(
        Compare(
            (1 + share) ** 2 * (1 + 2 * small**2), "<=", (1 + share) ** 2 * (1 + 2 * small**2) ** 2
        ),
        joint(Compare((1 + share) ** 2 * (1 + 2 * small**2) * small**2, ">=", 0)),
    )
    front = joint(
        Compare((1 + share) ** 2 * (1 + 2 * small**2) * z2**2, "<", v**2 * z2**2), squared_, more,
        given=STATE[5:6],
    )  # fmt: skip
    back = joint(
        Compare((1 + share) ** 2 * z1**2, "<=", 3 * z1**2),
        joint(Compare((1 + share) ** 2, "<=", 3), low, positive),
    )
    total = joint(
        Compare((1 + share) ** 2 * (z2**2 * (1 + 2 * small**2) + z1**2), ">=", (1 + share) ** 2),
        known["spread"],
    )
    cross = joint(Compare(z1 * (v * z2), ">=", z1 * z1), given=(STATE[4], STATE[7]))
    lower = joint(Compare((v * z2 + z1) ** 2, ">=", v**2 * z2**2 + 3 * z1**2), cross)
    squares = joint(Compare((v * z2 + z1) ** 2, ">", (1 + share) ** 2), front, back, total, lower)
    size = joint(Compare(v * z2 + z1, ">=", 0), given=(STATE[0], STATE[4], STATE[5]))
    ahead_ = joint(Compare(v * z2 + z1, ">", 1 + share), squares, size, positive)
    side = joint(
        Compare(v * a2, "<=", share), known["a2"], known["top"], known["positive"],
        given=(named, STATE[0], STATE[1], STATE[2]),
    )  # fmt: skip
    found = joint(Compare(z1 - a1 + v * (z2 - a2), ">", 0), ahead_, side, known["top"])
    return cut(substitute(found, {share: v * small}), joint(Compare(v * small, "=", v * small)))


@cache
def quotient_stays_below() -> Theorem:
    """z_d - x_d <= w^2 (z_{d-2} - x_{d-2}): z_1 is at most w/sqrt(1 + w^2), and x_1 is nearly one."""
    known = sizes()
    s, q, y = symbols("s q y", real=True)  # g^2, w^2, x_1^2
    given = (
        Compare(16 * (1 + q) ** 2 * s, "<=", 1), Compare(s, ">=", 0), Compare(q, ">=", 0),
        Compare(y * (1 + 2 * s), ">=", 1),
    )  # fmt: skip
    least = joint(
        Compare(y, ">=", 1 - 2 * s), joint(Compare((1 - 2 * s) * (1 + 2 * s), "<=", 1)), given=given
    )
    shrunk = joint(Compare((1 - q * s) ** 2 * y, ">=", (1 - q * s) ** 2 * (1 - 2 * s)), least)
    product = joint(
        Compare((1 - q * s) ** 2 * (1 - 2 * s), ">=", (1 - 2 * q * s) * (1 - 2 * s)),
        joint(Compare(1 - 2 * s, ">=", 0), joint(Compare(s, "<=", Rational(1, 16)), joint(
            Compare(16 * (2 * q + q**2) * s, ">=", 0), given=given), given=given)),
    )  # fmt: skip
    far = joint(
        Compare((1 + q) * ((1 - 2 * q * s) * (1 - 2 * s)), ">=", q),
        joint(Compare(q * s**2 * (1 + q), ">=", 0), given=given), given=given,
    )  # fmt: skip
    scaled = joint(
        Compare((1 + q) * ((1 - q * s) ** 2 * y), ">=", (1 + q) * ((1 - 2 * q * s) * (1 - 2 * s))),
        shrunk, product, given=given[2:3],
    )  # fmt: skip
    close = joint(Compare((1 + q) * ((1 - q * s) ** 2 * y), ">=", q), scaled, far)
    quarter = joint(
        Compare(16 * (1 + v**2) ** 2 * small**2, "<=", 1), known["quarter"],
        joint(Compare(4 * (1 + v**2) * small, ">=", 0), known["positive"]),
    )  # fmt: skip
    signs = [joint(Compare(term, ">=", 0)) for term in (small**2, v**2)]
    here = cut(substitute(close, {s: small**2, q: v**2, y: a1**2}), quarter, known["most"], *signs)
    along = joint(Compare(z1**2, "<=", v**2 * z2**2), joint(
        Compare((v * z2) ** 2, ">=", z1**2), given=(STATE[4], STATE[7])))  # fmt: skip
    part_ = joint(Compare(v**2 * (z1**2 + z2**2), "<=", v**2), joint(
        Compare(z1**2 + z2**2, "<=", 1), given=STATE[15:]))  # fmt: skip
    square = joint(Compare((1 + v**2) * z1**2, "<=", v**2), along, part_)
    less = joint(
        Compare((1 + v**2) * z1**2, "<=", (1 + v**2) * ((1 - v**2 * small**2) * a1) ** 2),
        square,
        here,
    )
    plain = joint(Compare(z1**2, "<=", ((1 - v**2 * small**2) * a1) ** 2), less)
    thin = joint(Compare(v * small, "<=", Rational(1, 4)), known["quarter"], joint(
        Compare(small * (1 - v) ** 2, ">=", 0), known["positive"]), joint(
        Compare(small * v, ">=", 0), known["positive"], given=STATE[:1]))  # fmt: skip
    size = joint(
        Compare((1 - v**2 * small**2) * a1, ">=", 0),
        joint(Compare(1 - v**2 * small**2, ">=", 0), thin, joint(
            Compare(v * small, ">=", 0), known["positive"], given=STATE[:1])), given=STATE[1:2],
    )  # fmt: skip
    below = joint(Compare(z1, "<=", (1 - v**2 * small**2) * a1), plain, size, given=STATE[4:5])
    third = joint(
        Compare(v**2 * a3, "<=", v**2 * (small**2 * a1)),
        joint(Compare(a3, "<=", small**2 * a1), known["a3"], joint(
            Compare(small * a2, "<=", small * (small * a1)), known["a2"], known["positive"])),
    )  # fmt: skip
    rest_ = joint(Compare(v**2 * z3, ">=", 0), given=STATE[6:7])
    return joint(Compare(z1 - a1, "<=", v**2 * (z3 - a3)), below, third, rest_)


@cache
def angle_is_wide() -> Theorem:
    """x_{d-1} <= z_{d-1}/4 and 4 (1 + w^2) (z_{d-1} - x_{d-1})^2 > 1."""
    known = sizes()
    along = joint(Compare(z1**2, "<=", v**2 * z2**2), joint(
        Compare((v * z2) ** 2, ">=", z1**2), given=(STATE[4], STATE[7])))  # fmt: skip
    most = joint(Compare(z2**2 * (1 + v**2 + 2 * small**2), ">=", 1), along, known["spread"])
    thin = joint(Compare(16 * small**2 * (1 + v**2), "<=", 1), known["quarter"], known["positive"], joint(
        Compare((4 * (1 + v**2) * small) ** 2, "<=", 1), known["quarter"], joint(
            Compare(4 * (1 + v**2) * small, ">=", 0), known["positive"])),
        joint(Compare(16 * small**2 * (1 + v**2) * v**2, ">=", 0)))  # fmt: skip
    tiny = joint(
        Compare(32 * small**2, "<=", 1),
        thin,
        joint(
            Compare(small**2 * (v**2 - 1), ">=", 0),
            joint(Compare(v**2 - 1, ">=", 0), given=STATE[:1]),
        ),
    )
    half = joint(Compare(3 * (1 + v**2) * z2**2, ">=", 2), most, joint(
        Compare(z2**2 * (1 + v**2 - 4 * small**2), ">=", 0), joint(
            Compare(1 + v**2 - 4 * small**2, ">=", 0), tiny)))  # fmt: skip
    side = joint(
        Compare(a2, "<=", small), known["a2"], known["top"], known["positive"], given=STATE[1:3]
    )
    squared_ = joint(Compare(a2**2, "<=", small**2), side, given=STATE[2:3])
    ratio = joint(
        Compare(24 * (1 + v**2) * a2**2, "<=", Rational(3, 2)), joint(
            Compare((1 + v**2) * a2**2, "<=", (1 + v**2) * small**2), squared_), thin,
    )  # fmt: skip
    wide = joint(Compare((1 + v**2) * (z2**2 - 10 * a2**2), ">=", 0), half, ratio)
    plain = joint(Compare(z2**2, ">=", 10 * a2**2), wide)
    apart = joint(Compare(z2, ">=", 3 * a2), plain, given=(STATE[2], STATE[5]))
    gap = joint(Compare(9 * (z2 - a2) ** 2, ">=", 4 * z2**2), joint(
        Compare(3 * (z2 - a2), ">=", 2 * z2), apart), given=STATE[5:6])  # fmt: skip
    scaled = joint(Compare((1 + v**2) * (9 * (z2 - a2) ** 2), ">=", (1 + v**2) * (4 * z2**2)), gap)
    found = joint(Compare(4 * (1 + v**2) * (z2 - a2) ** 2, ">", 1), scaled, half)
    return both(apart, found)
