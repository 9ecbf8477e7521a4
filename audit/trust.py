"""What one must trust, counted from the certificates: facts, solvers, words, and the code itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import Any

from claims.errors import UserError

__all__ = [
    "Code", "Ground", "Resting", "code_trusted", "ground_of", "record_in", "resting_on", "trust_page",
    "versions",
]  # fmt: skip

SOLVERS = {"real arithmetic (z3)": "z3", "cut": "z3"}
"""Rules that ask a solver.  A cut asks it only where a lemma is not the hypothesis itself."""
ARITHMETIC = "; arithmetic"
"""How the method ends of a theorem from which the statement follows by arithmetic."""
WORDS, FACT, VALUE, READING = "argument in words", "fact: ", "value: ", "definition"
CODE = {
    "rules of the kernel": (
        "proofs/kernel.py", "proofs/shapes.py", "proofs/limits.py", "proofs/sense.py", "proofs/kinds.py",
        "proofs/hidden.py", "proofs/defined.py", "proofs/opaque.py", "proofs/equalities.py",
        "proofs/almost_sure.py", "proofs/within.py", "proofs/steady.py",
    ),
    "from a theorem to a verdict": (
        "proofs/conclude.py", "proofs/choices.py", "proofs/certificate.py", "proofs/decide.py",
        "proofs/denied.py", "proofs/weakened.py", "proofs/twins.py",
    ),
    "questions to z3": ("proofs/smt.py",),
    "textbook facts": ("proofs/facts.py", "proofs/fact_terms.py", "proofs/singular_facts.py"),
    "calculus of sums, words and inequalities": ("proofs/calculus",),
    "a second look by exact evaluation": ("proofs/confirm.py", "proofs/places.py", "proofs/digits.py"),
    "statements, their terms and exact values, and how they are shown": ("claims",),
}  # fmt: skip
"""Files, and folders of files, by what they do: everything of this program that a verdict imports."""
LIBRARIES = ("sympy", "python-flint", "z3-solver", "torch")


@dataclass
class Ground:
    """What one proof rests on below its steps."""

    facts: dict[str, str] = field(default_factory=dict)
    """References by name."""
    words: list[str] = field(default_factory=list)
    solvers: dict[str, int] = field(default_factory=dict)
    """Steps that may have asked it, by solver."""
    values: dict[str, int] = field(default_factory=dict)
    """Values of definitions, by the calculus that is said to give them; compared at points."""
    readings: int = 0
    """Definitions read as terms with indices, which are compared at points."""
    rules: dict[str, int] = field(default_factory=dict)
    """Every other step, by the rule of the kernel that gave it."""
    given: list[str] = field(default_factory=list)
    """Claims of the paper that the proof assumes."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def ground_of(proof: Mapping[str, Any] | None, given: Iterable[str] = ()) -> Ground:
    """What the steps of a proof name, read from a record."""
    ground = Ground(given=list(given))
    for step in proof["steps"] if proof else ():
        by = step["by"]
        if by.startswith(FACT):
            name, _, reference = by.removeprefix(FACT).partition(": ")
            ground.facts[name] = reference
        elif by == WORDS or by.startswith(f"{WORDS}: "):
            ground.words.append(by.removeprefix(WORDS).removeprefix(": ") or step["claim"])
        elif by in SOLVERS:
            _count(ground.solvers, SOLVERS[by])
        elif by.startswith(VALUE):
            _count(ground.values, by.removeprefix(VALUE))
        elif by == READING:
            ground.readings += 1
        else:
            _count(ground.rules, by)
    if proof and proof["method"].endswith(ARITHMETIC):
        _count(ground.solvers, "z3")
    return ground


def _count(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1


@dataclass
class Resting:
    """Which statements of a document rest on what; a repair counts with the statement it repairs."""

    derived: list[str] = field(default_factory=list)
    """Proved step by step by the kernel, and vacuous ones shown so."""
    argued: list[str] = field(default_factory=list)
    argued_repairs: list[str] = field(default_factory=list)
    """Statements whose repair is argued in words."""
    witnessed: list[str] = field(default_factory=list)
    """Refuted by an exact witness: evaluation is all that one trusts."""
    unproved: list[str] = field(default_factory=list)
    valued: list[str] = field(default_factory=list)
    """With a value that a calculus gave, and `read`: with a definition read as a term.  Both are held to
    the definition at points, and believed elsewhere."""
    read: list[str] = field(default_factory=list)
    facts: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    """Reference and ids by the name of a fact, the most used first."""
    solvers: dict[str, list[str]] = field(default_factory=dict)
    given: dict[str, list[str]] = field(default_factory=dict)
    """Claims that proofs assume, with the ids of the statements that do."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def resting_on(document: Mapping[str, Any]) -> Resting:
    """What the statements of an audit document rest on."""
    found = Resting()
    for record in document["claims"]:
        _standing(record, found).append(record["id"])
        if ((record["repair"] or {}).get("proof") or {}).get("grade") == "argued":
            found.argued_repairs.append(record["id"])
        for proof in _proofs(record):
            ground = ground_of(proof, record.get("given", ()))
            for name, reference in ground.facts.items():
                _list(found.facts.setdefault(name, (reference, []))[1], record["id"])
            if ground.values:
                _list(found.valued, record["id"])
            if ground.readings:
                _list(found.read, record["id"])
            for name in ground.solvers:
                _list(found.solvers.setdefault(name, []), record["id"])
            for name in ground.given:
                _list(found.given.setdefault(name, []), record["id"])
    by_use = sorted(found.facts.items(), key=lambda item: -len(item[1][1]))
    found.facts = dict(by_use)
    return found


def _list(ids: list[str], claim_id: str) -> None:
    if claim_id not in ids:
        ids.append(claim_id)


def _standing(record: Mapping[str, Any], found: Resting) -> list[str]:
    """The list on which a statement stands, by how its own proof ends."""
    proof = record["proof"]
    if proof is None or proof["status"] == "undecided":
        return found.unproved
    if proof["status"] == "refuted":
        return found.witnessed
    return found.argued if proof.get("grade") == "argued" else found.derived


def _proofs(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The proof of a statement that is not refuted, and that of its repair."""
    for proof in (record["proof"], (record["repair"] or {}).get("proof")):
        if proof is not None and proof["status"] in {"proved", "vacuous"}:
            yield proof


@dataclass(frozen=True)
class Code:
    """A part of this program that a proof rests on, with its lines that are not blank."""

    part: str
    names: str
    lines: int


def code_trusted() -> list[Code]:
    """The lines of the files that make theorems, counted in this installation."""
    return [Code(part, ", ".join(names), sum(map(_lines, names))) for part, names in CODE.items()]


def _lines(name: str) -> int:
    package, *inside = name.split("/")
    root = files(package).joinpath(*inside)
    sources = [root] if root.is_file() else [p for p in root.iterdir() if p.name.endswith(".py")]
    return sum(
        bool(line.strip()) for source in sources for line in source.read_text("utf-8").splitlines()
    )


def versions(document: Mapping[str, Any] | None = None) -> dict[str, str]:
    """The libraries that are trusted: as a document records them, else as installed."""
    recorded = document["environment"] if document else {}
    return {name: str(recorded.get(name) or _installed(name)) for name in LIBRARIES}


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def trust_page(document: Mapping[str, Any]) -> dict[str, Any]:
    """What the site's page shows."""
    return {
        "resting": resting_on(document),
        "code": code_trusted(),
        "versions": versions(document),
        "by_id": {record["id"]: record for record in document["claims"]},
    }


def record_in(document: Mapping[str, Any], claim_id: str, path: str) -> Mapping[str, Any]:
    """One record of a document; `UserError` where it holds none of that id."""
    for record in document["claims"]:
        if record["id"] == claim_id:
            return dict(record)
    raise UserError(f"--from {path}: holds no claim {claim_id}; audit it first")
