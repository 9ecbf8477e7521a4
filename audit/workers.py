"""Worker processes that die with their parent, and claims that outlive the death of a worker.

No more claims are handed out than there are workers, so that when one dies (say by the out-of-memory
killer) the claim it was working on is among the few handed out.  Each of those is tried once more,
alone in a process of its own, and recorded as unsettled if that process dies as well.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import platform
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from typing import Any

import torch

from audit.collection import collect_seldom
from audit.examine import examine, load_witnesses
from audit.reuse.sources import code_fingerprint
from audit.signals import held_back, restore_in_worker
from audit.undone import WORKER_DIED, unexamined
from claims.errors import UserError
from numeric import device
from numeric.memory import give_back

__all__ = [
    "LOADED",
    "PER_CORE",
    "NoProcess",
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
_PR_SET_PDEATHSIG = 1


class NoProcess(UserError):
    """The system refuses another process."""


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
    """Records of all jobs, as they are finished."""
    waiting = list(reversed(jobs))
    while waiting:
        suspects: list[Job] = []
        yield from _until_one_dies(waiting, count_of_workers(workers, len(waiting)), suspects)
        for job in suspects:
            again: list[Job] = []
            yield from _until_one_dies([job], 1, again)
            if again:
                yield worker_died(job[0])


def _until_one_dies(waiting: list[Job], workers: int, suspects: list[Job]) -> Iterator[Record]:
    """Work off `waiting`; when a worker dies, stop and name the jobs that were handed out."""
    running: dict[Any, Job] = {}
    with _pool(workers) as pool:
        try:
            while waiting or running:
                while waiting and len(running) < workers:
                    job = waiting[-1]
                    running[_submitted(pool, job, workers)] = waiting.pop()
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    record = future.result()
                    del running[future]
                    yield record
        except BrokenProcessPool:
            # One that finished while another broke is done, and tried again all the same.
            suspects.extend(running.values())


def _submitted(pool: ProcessPoolExecutor, job: Job, workers: int) -> Any:
    """Hand out a job; the first one starts the processes."""
    try:
        with held_back():
            return pool.submit(work, *job)
    except BrokenProcessPool:
        raise
    except (OSError, RuntimeError) as error:  # no process, or no thread for its results
        reason = getattr(error, "strerror", None) or error
        raise NoProcess(
            f"--workers {workers}: the system allows no more processes ({reason}); "
            "give --workers 1, or raise the limit (ulimit -u)"
        ) from None


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    # A forked worker starts at once, but CUDA does not survive a fork.
    method = "fork" if device.current().type == "cpu" and platform.system() == "Linux" else "spawn"
    context = multiprocessing.get_context(method)
    pool = ProcessPoolExecutor(
        workers, mp_context=context, initializer=_begin, initargs=(os.getpid(),)
    )
    try:
        yield pool
        pool.shutdown()
    except BaseException:
        processes = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()
        raise


def _begin(parent: int) -> None:
    restore_in_worker()
    end_with_parent(parent)
    gc.freeze()  # what was loaded before stays
    collect_seldom()


def end_with_parent(parent: int) -> None:
    """End this process when its parent is gone, however that ended."""
    if platform.system() == "Linux":  # at once, even in the middle of a long foreign call
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    with suppress(RuntimeError):  # the system allows no more threads
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.name == "posix" and os.getppid() != parent:
        os._exit(1)  # it was gone before it could be watched


def _watch(parent: int) -> None:
    """Wait for the end of the parent, then end as well."""
    process = multiprocessing.parent_process()
    while process is not None and process.is_alive():
        process.join(timeout=1)
        # A sibling may hold the other end of the pipe that `join` waits for.
        if os.name == "posix" and os.getppid() != parent:
            break
    os._exit(1)
