"""What each claim's result is made of: learnt from the loaded claims once, then remembered.

The modules that speak for a claim are those that assign it, and those that wrote its proof, its
estimators, the readers of its quantities, the charts of its variables and the letters of its paper
into their tables.  With
all that they import, and with what makes a record of them, they are what its result is made of.
Which they are can change only with a file, so that it is remembered under the digest of the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from audit.reuse.dependencies import Closure, Graph
from audit.reuse.sources import Files
from claims.registry import Entry

__all__ = ["Made", "Outline", "learnt", "speakers"]

SHAPING = "audit.examine"
"""Makes a record, with all that it imports."""
ALONE = "audit.workers"
"""Says how many threads compute; what else it imports makes no record."""
LIBRARIES = ("flint", "mpmath", "networkx", "numpy", "scipy", "sympy", "torch", "z3")
"""Libraries that every result is made with, directly or through one another."""


@dataclass(frozen=True)
class Made:
    """The digest of the files that a result is made of, and the libraries it is made with."""

    sources: str
    libraries: tuple[str, ...]


@dataclass(frozen=True)
class Outline:
    """What results are made of, by claim; None where it cannot be told.

    `index` is that of all claims, those of extensions included.  `others` are digests of files that count as
    well, of the audit itself and of code that is imported from elsewhere, namely from `local`.
    """

    made_of: Mapping[str, Made | None]
    index: tuple[Entry, ...]
    local: tuple[str, ...]
    others: Mapping[str, str]

    def holds_for(self, files: Files) -> bool:
        """Whether the other files, too, are what they were."""
        now = {**files.by_name, **Files.of(self.local).by_name}
        return all(name in now and now[name].digest == was for name, was in self.others.items())

    @property
    def is_whole(self) -> bool:
        """Whether every result is made of files alone, so that another process finds the same."""
        return None not in self.made_of.values()

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, known: Mapping[str, Any]) -> Outline:
        made = {i: Made(m["sources"], tuple(m["libraries"])) for i, m in known["made_of"].items()}
        entries = tuple(Entry(**entry) for entry in known["index"])
        return cls(made, entries, tuple(known["local"]), known["others"])


def learnt(files: Files) -> Outline:
    """The outline of the claims as they are loaded, proofs and estimators included."""
    from claims.registry import encoded, index

    graph = Graph(files)
    shaping = graph.closure((SHAPING,))
    alone = Closure(frozenset({ALONE}), frozenset())
    closures = {i: _closure(c, graph) for i, c in encoded().items()}
    made, used = {}, set(shaping.modules | alone.modules)
    for claim_id, own in closures.items():
        made[claim_id] = None if own is None else _made(graph, own, shaping, alone)
        used |= own.modules if own else set()
    others = {
        name: graph.by_name[name].digest
        for module in used
        for name in graph.files_of[module]
        if name.split("/")[0] in {"audit", *graph.local}
    }
    local = tuple(top for top in graph.local if any(n.split("/")[0] == top for n in others))
    return Outline(made, index(), local, others)


def _made(graph: Graph, *closures: Closure) -> Made:
    modules = frozenset().union(*(c.modules for c in closures))
    libraries = frozenset(LIBRARIES).union(*(c.libraries for c in closures))
    return Made(graph.digest(modules), tuple(sorted(libraries)))


def _closure(claim: Any, graph: Graph) -> Closure | None:
    """The modules that speak for a claim with all that they import; charts by the types among them."""
    from numeric.charts import CHARTS, INTEGERS_ONLY

    roots, known = set(speakers(claim)), set[str]()
    try:
        while roots != known:
            known = roots
            closure = graph.closure(roots)
            charts = (
                writer
                for table in (CHARTS, INTEGERS_ONLY)
                for kind, writers in table.writers.items()
                if kind.__module__ in closure.modules
                for writer in writers
            )
            roots = known | set(charts)
    except KeyError:  # something in this process spoke for it that stands in no file
        return None
    return closure


def speakers(claim: Any) -> Iterator[str]:
    """The home of a claim, and the modules that wrote what its proof and measurement look up."""
    from audit.code import home
    from claims.vocabulary import VOCABULARY
    from numeric import readings
    from numeric.estimators import ESTIMATORS, LARGER
    from proofs.registry import PROOFS

    yield home(claim.id)[0].__name__
    for named, writers in VOCABULARY.writers.items():  # how its formulas are read
        if named[0] == claim.paper:
            yield from writers
    judged = [c for c in (claim, claim.repair) if c is not None]
    for judges in (PROOFS, ESTIMATORS, LARGER):
        for name in {i for each in judged for i in (each.id, each.parent)}:
            yield from judges.writers.get(name, ())
    quantities = set(_quantities(judged))
    for table in (
        readings.SAMPLERS, readings.READERS, readings.REACH,
        readings.LARGER_SAMPLERS, readings.LARGER_READERS, readings.LARGER_REACH,
    ):  # fmt: skip
        for quantity in quantities:
            yield from table.writers.get(quantity, ())


def _quantities(judged: Iterable[Any]) -> Iterator[Any]:
    """What the statements and their false twins speak of."""
    for claim in judged:
        yield from filter(None, (claim.quantity,))
        for each in (claim, *(claim.variant(mutant) for mutant in claim.mutants)):
            yield from each.formula.quantities()
