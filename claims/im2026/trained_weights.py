r"""Weights after s steps (Lemma D.6, Theorems D.7, D.10 and D.13) against their leading terms.

They are of every corpus, with exact weights at a point (`small_starts`); Gaussian weights are any that are
as small as on the event of Lemmas D.11 and D.12 (`gaussian_starts`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sympy import Integer, Rational

from claims.domain import Domain, Point, Size
from claims.im2026 import gaussian_starts
from claims.im2026.boxes import (
    ZERO_START,
    UpTo,
    in_every_layer,
    leading_count,
    norm,
)
from claims.im2026.displays import spelled
from claims.im2026.gaussian_norms import all_frobenius_norms_are_small, all_operator_norms_are_small
from claims.im2026.notation import T, depth, eta, layer, s, source
from claims.im2026.small_starts import (
    DOUBLED,
    MIXED,
    TURNS,
    attention_error,
    from_zero,
    output_error,
    position_error,
    still,
    value_error,
)
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.statement import Compare, Formula

__all__ = ["HELD", "leading_term_within_its_bound"]

HELD = Hypothesis(
    r"\text{the event of Lemmas D.11 and D.12, of probability at least }"
    r"1-(3L+1)[e^{-|V|^{1+2\xi}/4}+e^{-|V|^{2+2\xi}/4}];\ v\le\eta^2/T^2"
)

SHORT, TINY = TURNS[:6], Rational(1, 10**7)
"""A text and a rate at which the leading terms exceed the bounds, so that another term would break them."""

_NAMES = {"WO": "W_O", "V": r"V^{(l)}", "W": r"W^{(l)}", "P": r"P^{(l)}"}
_ERRORS = output_error, value_error, attention_error, position_error


def _bounds(*constants: Any) -> dict[str, Any]:
    """c_1 s^2 eta^2, c_2 s^3 eta^3, c_3 s^5 eta^5 T (twice)."""
    first, second, third = constants
    long = third * s**5 * eta**5 * T
    return {"WO": first * s**2 * eta**2, "V": second * s**3 * eta**3, "W": long, "P": long}


def _beside(
    multiple: str,
    rate: str,
    steps: int,
    small: str,
    maps: dict[str, str],
    shares: dict[str, tuple[str, str, str, str]],
) -> dict[str, str]:
    """By weight: the leading term over the bound at a rate of two texts and a small rate, and what is left.

    `multiple` is the number of steps beside the bound; `shares` are of two words in turn, of a chain, of two
    words in turn at the small rate, and what is left of the first two at the rate.
    """
    return {
        name: (
            rf"From zero there is no least $\eta$: the leading term is of the order $\eta^4$, the bound of "
            rf"$\eta^5$, and below $\eta={multiple}{maps[name]}/T$ it exceeds the bound, which then says "
            rf"where the weights are. At $T=64$, $|V|=500$, $s={steps}$ the leading term is ${turns}$ of the "
            rf"bound for one sequence of two words in turn at $\eta={rate}$, ${often}$ times it at "
            rf"$\eta={small}$, and ${chain}$ of it for four sequences of a Markov chain at $\eta={rate}$. At "
            rf"$\eta={rate}$ ($L=1$) what is left is {left} of the leading term: it is right where the bound "
            rf"does not show it."
        )
        for name, (turns, chain, often, left) in shares.items()
    }  # fmt: skip


_OF_MAPS = {"W": r"\|\bar Q\|_F", "P": r"\|\Delta\|"}
_ANY_STEPS = r"\bigl(3\tbinom s4+2\tbinom s3\bigr)\tfrac1{%ds^5}"
_AFTER_THREE = _beside(
    "", r"\tfrac18", 3, "10^{-6}", _OF_MAPS,
    {
        "W": (
            r"2.2\cdot10^{-4}", r"2.5\cdot10^{-9}", "28",
            r"$4.6\cdot10^{-4}$ and $4.0\cdot10^{-5}$",
        ),
        "P": (
            r"5.4\cdot10^{-5}", r"1.3\cdot10^{-9}", "6.7",
            r"$4.6\cdot10^{-4}$ and $3.9\cdot10^{-5}$",
        ),
    },
)  # fmt: skip
_LEFT_AFTER_FIVE = {
    "W": r"$9.7\cdot10^{-5}$ and $1.1\cdot10^{-5}$", "P": r"$1.2\cdot10^{-4}$ and $1.0\cdot10^{-5}$",
}  # fmt: skip
_ONE_LAYER_MOVED = _beside(
    _ANY_STEPS % 6, r"\tfrac1{64}", 5, "10^{-9}", _OF_MAPS,
    {
        "W": (r"3.4\cdot10^{-6}", r"3.7\cdot10^{-11}", "52", _LEFT_AFTER_FIVE["W"]),
        "P": (r"8.0\cdot10^{-7}", r"1.9\cdot10^{-11}", "13", _LEFT_AFTER_FIVE["P"]),
    },
)  # fmt: skip
_MANY_LAYERS_MOVED = _beside(
    _ANY_STEPS % 13, r"\tfrac1{64}", 5, "10^{-9}", _OF_MAPS,
    {
        "W": (r"1.5\cdot10^{-6}", r"1.7\cdot10^{-11}", "24", _LEFT_AFTER_FIVE["W"]),
        "P": (r"3.7\cdot10^{-7}", r"8.9\cdot10^{-12}", "5.8", _LEFT_AFTER_FIVE["P"]),
    },
)  # fmt: skip
_STARTS = (
    r"At $v=\eta^2/T^2$, $\xi=0$, $T=64$, $|V|=500$ and after all five admissible steps of one layer it is "
    r"mostly its start: $W^{(1)}$ is some 16 times its leading term for two words in turn, $10^7$ times for "
    r"Markov chains, $P^{(1)}$ some 1.4 and $10^5$ times."
)
_LEFT = {
    "WO": r"\left\| W_O - {} \eta \bar{{B}} \right\|_F \leq ",
    "V": r"\left\| V^{} - {} \eta^2 \bar{{\Phi}}^\top \bar{{B}}^\top \right\|_F \leq ",
    "W": r"\left\| W^{} - {} \eta^4 \bar{{Q}} \right\|_F \leq ",
    "P": r"\left\| P^{} - {} \eta^4 \Delta \right\|_F \leq ",
}
_ATTENTION = r"\left( 3 \binom{s}{4} + 2 \binom{s}{3} \right)"
_LONG = ("s", r"\binom{s}{2}", _ATTENTION, _ATTENTION)


def _printed(layer: str, counts: tuple[str, ...], bounds: tuple[str, ...]) -> tuple[str, ...]:
    """The four displays of a theorem as they stand."""
    return tuple(
        (pattern.format(count) if name == "WO" else pattern.format(layer, count)) + bound
        for (name, pattern), count, bound in zip(_LEFT.items(), counts, bounds, strict=True)
    )


def _long_bounds(*constants: int) -> tuple[str, ...]:
    first, second, third = constants
    last = rf"{third} s^5 \eta^5 T"
    return rf"{first} s^2 \eta^2", rf"{second} s^3 \eta^3", last, last


def _said(error: Any, bound: Any) -> Formula:
    """The bound of an error, in every layer where there is one for each."""
    formula = Compare(error, "<=", bound)
    return in_every_layer(formula) if layer in formula.free_symbols() else formula


def _of_layer(place: Any, errors: tuple[Any, ...] = _ERRORS) -> dict[str, Any]:
    """Distances of weights from their leading terms, exact at a point."""
    output, *others = errors
    return dict(zip(_NAMES, (output, *(other(place) for other in others)), strict=True))


@dataclass(frozen=True)
class Group:
    """One theorem: its ids, box, errors and bounds.

    `still` says where V = 0, and W = 0 or P = 0, satisfy the bound as well.
    """

    item: str
    equations: tuple[str, ...]
    title: str
    domain: Domain
    errors: dict[str, Any]
    printed: tuple[str, ...]
    bounds: dict[str, Any]
    hypotheses: tuple[Hypothesis, ...]
    probes: tuple[Point, ...]
    still: tuple[str, str]
    uses: tuple[Claim, ...] = ()
    understood: tuple[Understood, ...] = ()
    moved: dict[str, str] = field(default_factory=dict)
    layer: str = "(l)"
    derived: str = ""
    doubled: dict[str, Any] = field(default_factory=dict)

    def named(self, name: str) -> str:
        """One kind of weights, with its layer."""
        return _NAMES[name].replace("(l)", self.layer)

    def claim(self, name: str) -> Claim:
        """The bound for one kind of weights."""
        label = self.item.replace("Theorem ", "thm-").replace("Lemma ", "lemma-")
        place = list(_NAMES).index(name)
        _, _, limit = self.printed[place].rpartition(r"\leq ")
        return Claim(
            id=f"im2026.{label}.{name}",
            source=source("App. D", f"{self.item}, Eq. {self.equations[place]}"),
            kind="probability-bound" if self.uses else "bound",
            title=f"{self.title} ${self.named(name)}$ is within ${limit}$ of its leading term.",
            statement=_said(self.errors[name], self.bounds[name]),
            domain=self.domain,
            hypotheses=self.hypotheses,
            uses=self.uses,
            probes=self.probes,
            mutants=self._mutants(name),
            understood=self.understood,
            note=self._note(name),
            printed=self.printed[place],
        )

    def _mutants(self, name: str) -> tuple[Mutant, ...]:
        """Twice the leading term, where the bounds tell it at some rate."""
        if not self.doubled:
            return ()
        return (Mutant("twice the leading term", _said(self.doubled[name], self.bounds[name])),)

    def _note(self, name: str) -> str:
        """Where zero satisfies the bound as well, and by how much the leading term is below it."""
        if name == "WO":
            return self.derived
        where = self.still[0] if name == "V" else self.still[1]
        empty = rf"${self.named(name)}=0$ satisfies the bound as well {where}."
        return " ".join(filter(None, (empty, self.moved.get(name, ""), self.derived)))


THIRD = Group(
    "Lemma D.6", ("(63)", "(64)", "(65)", "(66)"), "After three steps from zero",
    from_zero(Rational(1, 8), least_words=140, single=True, steps=3), _of_layer(Integer(1)),
    _printed("{(1)}", ("3", "3", "2", "2"), (r"3\eta^2", r"2\eta^3", r"2\eta^5 T", r"2\eta^5 T")),
    {"WO": 3 * eta**2, "V": 2 * eta**3, "W": 2 * eta**5 * T, "P": 2 * eta**5 * T},
    (ZERO_START, Hypothesis(r"L=1,\ s=3,\ \eta\le1/8,\ |V|\ge500")),
    (
        still(TURNS, rate=Rational(1, 8), steps=3, words_=140),
        still(SHORT, rate=TINY, steps=3, words_=140),
    ),
    (r"where $\|\bar\Phi^\top\bar B^\top\|_F\le\frac23\eta$", r"for $\eta T\ge1$"), moved=_AFTER_THREE,
    layer="(1)", doubled=_of_layer(Integer(1), DOUBLED),
    derived=(
        r"Shown of every corpus for $|\mathcal V|\ge140$: the errors are within $\tfrac76\eta^2$, "
        r"$\tfrac76\eta^3$ and $2\eta^5$, without the factor $T$."
    ),
)  # fmt: skip
ONE = Group(
    "Theorem D.7", ("(88)", "(89)", "(90)", "(91)"), "After $s$ steps from zero, with one layer,",
    from_zero(1 / (4 * s), shortest=2, single=True), _of_layer(Integer(1)),
    _printed("{(1)}", _LONG, _long_bounds(3, 4, 6)), _bounds(3, 4, 6),
    (ZERO_START, Hypothesis(r"L=1,\ T\ge3,\ |V|\ge500,\ s\eta\le3/(8T^{3/8})")),
    (still(TURNS, rate=Rational(1, 64), steps=5), still(SHORT, rate=TINY, steps=5)),
    (r"for $s\eta\ge1/8$", r"for $s\eta T\ge1/48$"), moved=_ONE_LAYER_MOVED,
    layer="(1)", doubled=_of_layer(Integer(1), DOUBLED),
    derived=(
        r"Shown of every corpus and vocabulary for $T\ge2$ and $s\eta\le\tfrac14$, which exceeds "
        r"$3/(8T^{3/8})$ for every $T\ge3$; $|\mathcal V|\ge500$ is not needed, and the errors are within "
        r"$\tfrac74s^2\eta^2$, $\tfrac52s^3\eta^3$ and $8s^5\eta^5$, without the factor $T$."
    ),
)  # fmt: skip
_MANY = Hypothesis(
    r"L\le\sqrt T/4,\ T\ge60,\ |V|\ge500,\ s\eta\le\min\bigl(\tfrac1{12L},\tfrac5{8\sqrt T}\bigr)"
)
MANY = Group(
    "Theorem D.10", ("(146)", "(147)", "(148)", "(149)"), "After $s$ steps from zero",
    from_zero(1 / (12 * depth * s), shortest=5), _of_layer(layer),
    _printed("{(l)}", _LONG, _long_bounds(3, 12, 13)), _bounds(3, 12, 13), (ZERO_START, _MANY),
    (still(MIXED, rate=Rational(1, 96), steps=3, layers=2), still(SHORT, rate=TINY, steps=5)),
    (r"for $s\eta\ge1/24$", r"for $s\eta T\ge1/104$"), moved=_MANY_LAYERS_MOVED,
    doubled=_of_layer(layer, DOUBLED),
    derived=(
        r"Shown of every corpus and vocabulary, any depth, $T\ge5$ and $s\eta\le\tfrac1{12L}$; that "
        r"$|\mathcal V|\ge500$, $T\ge60$, $L\le\sqrt T/4$ and $s\eta\le5/(8\sqrt T)$ is not needed. With "
        r"smaller constants: `im2026.beyond.trained-weights-at-any-size`."
    ),
)  # fmt: skip
FROM_GAUSSIANS = Group(
    "Theorem D.13", ("(193)", "(194)", "(195)", "(196)"), "After $s$ steps from small Gaussians",
    gaussian_starts.ON_THE_EVENT, _of_layer(layer),
    _printed("{(l)}", _LONG, _long_bounds(3, 12, 13)), _bounds(3, 12, 13),
    (_MANY, HELD, Hypothesis(r"T\le|V|,\ \eta\ge1/T")), gaussian_starts.PROBES,
    (r"for $s\eta\ge1/24$", r"at every step, since $\eta\ge1/T$"),
    uses=(all_operator_norms_are_small, all_frobenius_norms_are_small),
    understood=(
        Understood(r"$s\ge1$", r"$s=0$: the bounds are zero, the Gaussian weights are not"),
    ),
    moved={"W": _STARTS, "P": _STARTS},
    derived=(
        r"Shown of every corpus, any depth and vocabulary for $\eta\ge1/T$, $T\le|\mathcal V|$ and "
        r"$s\eta\le\tfrac1{12L}$, from every start whose rows and columns have sums of squares of at most "
        r"$(3v)^2/|\mathcal V|$, and whose entries of at most $(2v)^2$: operator norms of at most "
        r"$3v/|\mathcal V|^{1/2}$ and Frobenius norms of at most $2v$ say more. That both hold has the printed "
        r"probability by the union bound over both lemmas."
    ),
)  # fmt: skip
output_after_three = THIRD.claim("WO")
value_after_three = THIRD.claim("V")
attention_after_three = THIRD.claim("W")
positions_after_three = THIRD.claim("P")

output_of_one_layer = ONE.claim("WO")
value_of_one_layer = ONE.claim("V")
attention_of_one_layer = ONE.claim("W")
positions_of_one_layer = ONE.claim("P")

output_of_many_layers = MANY.claim("WO")
value_of_many_layers = MANY.claim("V")
attention_of_many_layers = MANY.claim("W")
positions_of_many_layers = MANY.claim("P")

output_from_gaussians = FROM_GAUSSIANS.claim("WO")
value_from_gaussians = FROM_GAUSSIANS.claim("V")
attention_from_gaussians = FROM_GAUSSIANS.claim("W")
positions_from_gaussians = FROM_GAUSSIANS.claim("P")

# What the bounds say -----------------------------------------------------------------------------

interchange = norm(r"\|\bar Q\|_F")
leading = spelled(
    r"\bigl(3\tbinom s4+2\tbinom s3\bigr)\eta^4\|\bar Q\|_F", leading_count * eta**4 * interchange
)
leading_term_within_its_bound = Claim(
    id="im2026.beyond.leading-term-within-its-bound",
    source=source("App. D", "Theorems D.13 and 4.1, Eqs. (195) and (7)"),
    kind="bound",
    title=r"For $\eta\ge1/T$ the leading term of $W^{(l)}$ is below a hundredth of the bound on what is left.",
    statement=Compare(leading, "<=", 13 * s**5 * eta**5 * T / 104),
    domain=Domain((Size(T, 1, 4), Size(s, 1, 6), UpTo(eta, 1 / T, 1), UpTo(interchange, 0, 1))),
    hypotheses=(Hypothesis(r"\|\bar Q\|_F\le1,\ \text{as for every corpus}"),),
    note=(
        r"So $W^{(l)}=0$ satisfies Eq. (7), and so does any matrix of Frobenius norm up to $12.8s^5\eta^5T$: "
        r"within its own hypotheses the theorem does not tell trained attention weights from weights "
        r"that never moved. $\|\bar Q\|_F\le1$, since $\bar Q$ is a mean of rows of absolute sum at most "
        r"$\|\Sigma_{\bar B}\bar\Phi\|\le1$ times unit rows; the same holds of $\Delta$ and Eq. (8)."
    ),
)
