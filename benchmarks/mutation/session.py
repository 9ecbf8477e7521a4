"""A session of cosmic-ray for one module, on a copy of the tree: begun, continued, and read."""

from __future__ import annotations

import compileall
import contextlib
import difflib
import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from filecmp import cmp
from hashlib import sha256
from pathlib import Path
from time import monotonic
from unittest.mock import patch

import cosmic_ray.plugins
from cosmic_ray.commands.init import init
from cosmic_ray.mutating import use_mutation
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkItem, WorkResult

from benchmarks.mutation.operators import Provider
from benchmarks.mutation.places import silent_places
from benchmarks.mutation.trial import trial

__all__ = ["ROOT", "Mutant", "Target", "copy_tree", "inside", "mutants", "proceed"]

ROOT = Path(__file__).resolve().parents[2]
SILENT = "silent"
cosmic_ray.plugins.OPERATOR_PROVIDERS["twofold"] = Provider()


@dataclass(frozen=True)
class Target:
    """A module to mutate, the tests that must notice, and how many mutants are tried (0: all)."""

    module: str
    tests: tuple[str, ...]
    sample: int
    seed: int
    limit: float
    operators: tuple[str, ...]

    def database(self, folder: Path) -> Path:
        """The session's file; another state of the module or of the settings has another."""
        state = sha256((ROOT / self.module).read_bytes())
        state.update(repr((self.seed, self.operators)).encode())
        name = self.module.removesuffix(".py").replace("/", ".")
        return folder / f"{name}-{state.hexdigest()[:12]}.sqlite"


@dataclass(frozen=True)
class Mutant:
    """One mutation and what became of it: "killed", "survived", "timeout", or None (not tried)."""

    definition: str
    operator: str
    line: int
    outcome: str | None
    diff: str


def copy_tree(folder: Path) -> Path:
    """A copy of every file of the repository, new ones included, in which mutants may be written.

    An earlier copy is brought up to date: what changed is copied, and compiled, again.
    """
    tree = folder / "tree"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    names = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    known = set(names)
    for name in names:
        source, copy = ROOT / name, tree / name
        if not copy.exists() or not cmp(source, copy):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy)
    for copy in tree.rglob("*.py"):
        if str(copy.relative_to(tree)) not in known:
            copy.unlink()
    compileall.compile_dir(tree, quiet=2)  # trials leave no compiled file behind
    return tree


@contextlib.contextmanager
def inside(tree: Path) -> Iterator[None]:
    """Work in the copy, which is also what programs started by the tests import."""
    with contextlib.chdir(tree), patch.dict(os.environ, PYTHONPATH=str(tree)):
        yield


def proceed(target: Target, folder: Path, *, seconds: float, again: bool) -> None:
    """Try mutants that are not yet tried, for so long; with `again`, those that survived as well."""
    stop = monotonic() + seconds
    with use_db(str(target.database(folder)), WorkDB.Mode.create) as work:
        if not work.num_work_items:
            init([Path(target.module)], work, {})
            _leave_out(work, target)
        results = dict(work.results)
        for item in _sample(work, target):
            tried = results.get(item.job_id)
            if tried is not None and not (again and outcome(tried) == "survived"):
                continue
            if monotonic() > stop:
                return
            work.set_result(item.job_id, _tried(item, target))


def _tried(item: WorkItem, target: Target) -> WorkResult:
    """A mutant written into its module while the tests run."""
    (mutation,) = item.mutations
    operator = cosmic_ray.plugins.get_operator(mutation.operator_name)()
    with use_mutation(mutation.module_path, operator, mutation.occurrence) as (before, after):
        found = trial(target.tests, target.limit)
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    survived = TestOutcome.SURVIVED if found == "survived" else TestOutcome.KILLED
    return WorkResult(WorkerOutcome.NORMAL, found, survived, "\n".join(lines))


def _order(item: WorkItem) -> tuple[tuple[int, int], str, int]:
    mutation = item.mutations[0]
    return mutation.start_pos, mutation.operator_name, mutation.occurrence


def _leave_out(work: WorkDB, target: Target) -> None:
    """Skip other operators and silent places."""
    silent, wanted = silent_places(Path(target.module)), re.compile("|".join(target.operators))

    def says_nothing(item: WorkItem) -> bool:
        (mutation,) = item.mutations
        shown = any(low <= mutation.start_pos < high for low, high in silent)
        return shown or wanted.fullmatch(mutation.operator_name) is None

    jobs = [item.job_id for item in work.work_items if says_nothing(item)]
    work.set_multiple_results(jobs, WorkResult(WorkerOutcome.SKIPPED, SILENT))


def _speaking(work: WorkDB) -> list[WorkItem]:
    left_out = {job for job, result in work.results if outcome(result) == SILENT}
    return sorted((i for i in work.work_items if i.job_id not in left_out), key=_order)


def _sample(work: WorkDB, target: Target) -> list[WorkItem]:
    """Mutants in an order of the seed's, up to the number asked for: a shorter sample begins a longer."""
    items = _speaking(work)
    random.Random(target.seed).shuffle(items)
    return items[: target.sample or None]


def outcome(result: WorkResult) -> str:
    """ "killed", "timeout", "survived", or `SILENT`."""
    return str(result.output)


def mutants(target: Target, folder: Path) -> list[Mutant]:
    """Every mutant that says something, with what became of it, in the order of the module."""
    found = []
    with use_db(str(target.database(folder)), WorkDB.Mode.open) as work:
        results = dict(work.results)
        for item in _speaking(work):
            result, mutation = results.get(item.job_id), item.mutations[0]
            what = None if result is None else outcome(result)
            diff = (result.diff if result is not None else None) or ""
            name = mutation.definition_name or "<module>"
            found.append(Mutant(name, mutation.operator_name, mutation.start_pos[0], what, diff))
    return found
