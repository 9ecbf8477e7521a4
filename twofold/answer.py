"""What `check` answers: a verdict, why, and how a notebook shows it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sympy import N as evalf
from sympy import oo
from sympy.printing.str import StrPrinter

from claims.domain import Point
from claims.failures import failures
from claims.limits import limit_of
from claims.statement import Formula, Tends
from proofs.certificate import Certificate
from twofold.search import Tally

__all__ = ["Answer", "as_typed", "failing", "shown_point"]

LONGEST = 60
"""Signs of a number that is written out."""
DECIMALS = (10, 20, 40)


@dataclass(frozen=True)
class Answer:
    """`proved`, `refuted`, `vacuous` (the hypotheses exclude everything), `conflict` or `unsettled`.

    `certificate` is what the kernel or the witness gives, None where nothing is shown; `tried` says
    what the search for a counterexample looked at; `measurement` is that of `sample`, if one was
    given.
    """

    verdict: str
    reason: str
    asked: str
    statement: Formula
    certificate: Certificate | None
    tried: Tally
    measurement: Any = None

    def __bool__(self) -> bool:
        raise TypeError("an answer is no truth value; ask whether answer.verdict == 'proved'")

    @property
    def witness(self) -> dict[str, Any] | None:
        """The values of the variables at which a refuted statement fails, by name."""
        if self.certificate is None or self.certificate.witness is None:
            return None
        return {str(k): v for k, v in self.certificate.witness.point.items()}

    def __repr__(self) -> str:
        lines = [f"{self.verdict}: {self.asked}", f"  {self.reason}"]
        if self.measurement is not None:
            lines.append(f"  measured: {self.measurement.status}")
        return "\n".join(lines)

    def _repr_markdown_(self) -> str:
        """How a notebook shows it: verdict, formula, reason, and each step of the certificate."""
        lines = [f"**{self.verdict}**: ${self.statement.latex()}$", self.reason]
        if self.certificate is not None and self.certificate.witness is not None:
            with suppress(ValueError):  # numbers of more digits than Python writes
                lines.append(f"${self.certificate.witness.latex()}$")
        elif self.certificate is not None:
            lines += [
                f"{node['id']}. ${node['claim']}$ ({node['by']}"
                + (f", from {', '.join(map(str, node['from']))})" if node["from"] else ")")
                for node in self.certificate.nodes()
            ]
        if self.measurement is not None:
            lines.append(self.measurement._repr_markdown_())
        return "\n\n".join(lines)


class _Typed(StrPrinter):
    """SymPy's text without what nobody typed: the name of a `Total`, the side of a limit at infinity."""

    def _print_Total(self, total: Any) -> str:
        return f"Total({self._print(total.args[0])})"

    def _print_Limit(self, limit: Any) -> str:
        term, index, place, _ = limit.args
        if place is not oo:
            return str(super()._print_Limit(limit))
        return f"Limit({self._print(term)}, {self._print(index)}, oo)"


def as_typed(statement: Any) -> str:
    """A question as it was asked, if Python writes numbers of so many digits."""
    with suppress(ValueError):
        return str(_Typed().doprint(statement))
    return "a statement about numbers of thousands of digits"


def failing(certificate: Certificate) -> str:
    """Where a statement fails, and both sides there; of a limit, what it is."""
    witness = certificate.witness
    assert witness is not None
    at, sides = witness.point, "the statement fails"
    if isinstance(witness.statement, Tends):
        with suppress(ValueError, NotImplementedError):  # one that is not followed is not named
            sides = f"the limit is {limit_of(witness.statement.term, witness.statement.index)}"
    elif found := failures(witness.statement, witness.point):  # type: ignore[arg-type]
        at = found[0].at
        left, right = _sides(found[0].left, found[0].right)
        sides = f"{left} {found[0].comparison.sign} {right} fails"
    return f"at {shown_point(at)}: {sides}" if at else sides


def _sides(left: Any, right: Any) -> tuple[str, str]:
    """Both sides as they are where that is short, else in as many decimals as tell them apart."""
    whole = _short(left), _short(right)
    if None not in whole:
        return whole  # type: ignore[return-value]
    for digits in DECIMALS:
        shown = [
            said or f"about {evalf(value, digits)}"
            for said, value in zip(whole, (left, right), strict=True)
        ]
        if evalf(left, digits) != evalf(right, digits):
            break
    return shown[0], shown[1]


def _short(value: Any) -> str | None:
    """A value in few signs; None where it has more, or more digits than Python writes."""
    with suppress(ValueError):
        shown = str(value)
        return shown if len(shown) <= LONGEST or not getattr(value, "is_number", False) else None
    return None


def shown_point(at: Point) -> str:
    """The variables with their values on one line, matrices as lists of rows."""
    plain = {k: v.tolist() if hasattr(v, "tolist") else v for k, v in at.items()}
    return ", ".join(f"{name} = {value}" for name, value in plain.items())
