"""Results of earlier audits, for claims of which nothing has changed that their results are made of.

A result is kept under a key: the files that it is made of (`audit.reuse.outline`), the versions of Python
and of the libraries, the device, the seed, the budget, and how long the index is, since that divides
the false-alarm budget.  Nothing is loaded to look: while no file of the claims, proofs and
estimators has changed, the outline of an earlier audit says which files belong to which claim.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.environment import environment
from audit.reuse.outline import LIBRARIES, Outline, learnt
from audit.reuse.sources import digest_of, our_files
from audit.reuse.store import Store
from audit.sinks import one_line
from claims import extensions
from claims.registry import index, remember_index

if TYPE_CHECKING:
    from audit.run import Options

__all__ = ["Reuse"]

Record = dict[str, Any]
NOT_KEPT = {"conflict"}
"""Verdicts that say that something is broken: looked at anew each time."""


DECIDING = {f"audit/reuse/{name}.py" for name in ("dependencies", "imports", "outline", "sources")}
"""Code of the audit that says which files belong to which claim."""


def tell(line: str) -> None:
    print(f"twofold: {one_line(line)}", file=sys.stderr)


class Reuse:
    """What one audit may take from a store, and what it adds to it."""

    def __init__(self, options: Options, say: Callable[[str], None] = tell):
        self.options, self.say = options, say
        self.store = Store(options.store, say)
        self.files = our_files()
        self._require_current()
        self.outline = self._recalled()

    @property
    def folder(self) -> Path:
        return self.store.folder

    def is_encoded(self, claim_id: str) -> bool:
        """Whether a claim is encoded, without loading the claims where that is remembered."""
        if self.outline is not None:
            return claim_id in self.outline.made_of
        from claims.registry import encoded

        return claim_id in encoded()

    def records(self, ids: Iterable[str]) -> dict[str, Record]:
        """The kept results of these claims, marked as reused; loads the claims if their files changed."""
        if self.options.fresh or not self.store.readable:
            return {}
        if self.outline is None:
            self._learn()
        if not self.store.readable:  # a file changed meanwhile
            return {}
        found = {claim_id: self._kept(claim_id) for claim_id in ids}
        self.store.tell_faults()
        return {i: {**record, "reused": True} for i, record in found.items() if record is not None}

    def keep(self, record: Record) -> None:
        """Put a result into the store, unless a file has changed since this process loaded it."""
        if record["verdict"] in NOT_KEPT:
            return
        if self.outline is None and self.store.writable:
            self._learn()
        self._require_current()
        name = self._name(record["id"]) if self.store.writable else None
        if name is not None:
            self.store.put(name, {k: v for k, v in record.items() if k != "reused"})

    def close(self) -> None:
        """Tidy the store, if this audit added to it."""
        if self.store.wrote:
            self.store.tidy()

    def _kept(self, claim_id: str) -> Record | None:
        name = self._name(claim_id)
        record = None if name is None else self.store.get(name)
        return record if isinstance(record, dict) and record.get("id") == claim_id else None

    def _recalled(self) -> Outline | None:
        """The outline of an earlier audit, if it holds for the files as they are."""
        known = self.store.get(self._outline_name())
        self.store.tell_faults()
        if known is None:
            return None
        outline = Outline.from_json(known)
        if not outline.holds_for(self.files):
            return None
        remember_index(outline.index)
        return outline

    def _learn(self) -> None:
        from audit.examine import load_witnesses

        load_witnesses()
        self.outline = learnt(self.files)
        self._require_current()
        whole = self.outline.is_whole and not extensions.refused()
        if whole and our_files().digest == self.files.digest:
            self.store.put(self._outline_name(), self.outline.as_json())

    def _outline_name(self) -> str:
        """By all that decides which files belong to which claim: few of the audit's own do."""
        files = self.files.by_name.items()
        deciding = ((n, file.digest) for n, file in files if n in DECIDING or n[:6] != "audit/")
        return f"outline.{digest_of(deciding)[:32]}"

    def _require_current(self) -> None:
        """Leave the store alone where what runs here may not be what the files hold."""
        late = self.files.loaded_before() or self.files.changed()
        if late is not None and self.store.readable:
            self.store.readable = self.store.writable = False
            self.say(
                f"{late}: changed after this program had begun; results are neither reused nor kept"
            )

    def _name(self, claim_id: str) -> str | None:
        """The name of a result in the store; None where it cannot be told what it is made of."""
        assert self.outline is not None
        made = self.outline.made_of.get(claim_id)
        if made is None:
            return None
        key = {
            "claim": claim_id, "sources": made.sources, "index": len(index()),
            "seed": self.options.seed, "budget": self.options.budget,
            "environment": environment(made.libraries, self.options.device),
        }  # fmt: skip
        digest = sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
        return f"{claim_id}.{digest[:32]}"

    def environment(self) -> dict[str, Any]:
        """Device, and versions of all libraries that any result is made with."""
        made = self.outline.made_of.values() if self.outline is not None else ()
        libraries = set(LIBRARIES).union(*(m.libraries for m in made if m is not None))
        return environment(libraries, self.options.device)
