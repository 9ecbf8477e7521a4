"""Claims examined in this process or by several, and claims that outlive the death of a worker.

A claim whose worker dies (say by the out-of-memory killer) is tried once more when the others are done,
alone in a process of its own, and recorded as unsettled if that process dies as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from audit.code import home
from audit.examine import examine, load_witnesses
from audit.processes import can_fork, spread
from audit.reuse.sources import code_fingerprint
from audit.undone import WORKER_DIED, unexamined
from numeric import device
from numeric.memory import give_back

__all__ = [
    "LOADED",
    "PER_CORE",
    "count_of_workers",
    "on_processes",
    "on_this_machine",
    "work",
    "worker_died",
]

Record = dict[str, Any]
Job = tuple[str, int, str, str]
"""Claim id, seed, budget and device."""

PER_CORE = 4
LOADED = code_fingerprint()
"""The code this process runs; a worker on a cluster must run the same."""


def count_of_workers(wanted: int, claims: int) -> int:
    """As many as asked for, but not more than claims nor than `PER_CORE` for each core."""
    return max(1, min(wanted, claims, PER_CORE * (os.cpu_count() or 1)))


def work(claim_id: str, seed: int, effort: str, where: str) -> Record:
    """The record of one claim, examined in this process."""
    torch.set_num_threads(1)  # the matrices are small; threads only wait for each other
    device.use(where)
    load_witnesses(claim_id.partition(".")[0])
    try:
        return examine(claim_id, seed=seed, effort=effort)
    finally:
        give_back()


def worker_died(claim_id: str) -> Record:
    """The record of a claim that nothing was found out about, since its worker died twice."""
    return unexamined(claim_id, "unsettled", WORKER_DIED)


def on_this_machine(jobs: Sequence[Job], workers: int) -> Iterator[Record]:
    """Records of all jobs: in this process, or as they are finished by several."""
    if count_of_workers(workers, len(jobs)) > 1:
        return on_processes(jobs, workers)
    return (work(*job) for job in jobs)


def on_processes(jobs: Sequence[Job], workers: int) -> Iterator[Record]:
    """Records of all jobs, as they are finished; one whose worker died is tried once more, alone."""
    died = set(range(len(jobs)))
    for place, record in _by_several(jobs, count_of_workers(workers, len(jobs))):
        died.remove(place)
        yield record
    for place in sorted(died):
        again = [record for _, record in _by_several(jobs[place : place + 1], 1)]
        yield again[0] if again else worker_died(jobs[place][0])


def _by_several(jobs: Sequence[Job], workers: int) -> Iterator[tuple[int, Record]]:
    """Claims of one paper share what is loaded, and lemmas, most of all those of one module."""
    # A forked worker starts at once, but CUDA does not survive a fork.
    method = "fork" if device.current().type == "cpu" and can_fork() else "spawn"
    kin = [(job[0].partition(".")[0], home(job[0])[0]) for job in jobs]
    return spread(work, jobs, workers, kin, method=method)
