"""Worker processes that die with their parent, and jobs that outlive the death of a worker.

Each worker has a pipe of its own, so that a worker that dies (say by the out-of-memory killer) is known
with the job it had.  Jobs that are kin share what they compute, and go to the same worker where that
leaves none without work.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import platform
import signal
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any

from audit.collection import collect_seldom
from audit.signals import held_back, restore_in_worker
from claims.errors import UserError

__all__ = ["NoProcess", "can_fork", "end_with_parent", "spread"]

_PR_SET_PDEATHSIG = 1
Kin = tuple[object, ...]
"""The groups of a job, the widest first."""


class NoProcess(UserError):
    """The system refuses another process."""


def can_fork() -> bool:
    """Whether a process may begin as a copy of this one: at once, with all that is loaded."""
    return platform.system() == "Linux"


@dataclass
class _Worker:
    """A process, our end of its pipe, and the job it has or had last, by its place."""

    process: BaseProcess
    line: Connection
    place: int | None = None
    kin: Kin = ()

    def end(self) -> None:
        self.line.close()
        self.process.kill()
        self.process.join()


def spread(
    work: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], workers: int,
    kin: Sequence[Kin], *, method: str = "fork",
) -> Iterator[tuple[int, Any]]:  # fmt: skip
    """The place of each job and `work(*job)`, as they are finished by several processes.

    `kin` names the groups of each job, the widest first: what jobs compute they share with those whose
    groups begin as theirs do.  What `work` raises is raised here.  A job whose worker died does not
    appear.  Raises `NoProcess` where the system allows no more processes.
    """
    waiting = list(range(len(jobs)))
    crew: list[_Worker] = []
    try:
        while waiting or any(worker.place is not None for worker in crew):
            idle = [worker for worker in crew if worker.place is None]
            while len(crew) < workers and len(idle) < len(waiting):
                idle.append(_hired(work, method, workers))
                crew.append(idle[-1])
            for worker in idle[: len(waiting)]:
                _hand_out(worker, jobs, waiting, kin, crew)
            busy = {worker.line: worker for worker in crew if worker.place is not None}
            for line in wait(list(busy)):
                worker = busy[line]  # type: ignore[index]
                try:
                    result, error = worker.line.recv()
                except (EOFError, OSError):  # it died
                    crew.remove(worker)
                    worker.end()
                    continue
                if error is not None:
                    raise error
                place, worker.place = worker.place, None
                yield place, result  # type: ignore[misc]
    finally:
        for worker in crew:
            worker.end()


def _hand_out(
    worker: _Worker, jobs: Sequence[Any], waiting: list[int], kin: Sequence[Kin],
    crew: Sequence[_Worker],
) -> None:  # fmt: skip
    """Give a worker the job nearest to what it had, else one far from what others have.

    Of wide groups that nobody has the largest is begun first, so that its end does not come last.
    """
    others = [each.kin for each in crew if each is not worker]
    many = Counter(kin[p][:1] for p in waiting)

    def rank(groups: Kin) -> tuple[int, int, int]:
        taken = max((_shared(groups, other) for other in others), default=0)
        return -_shared(groups, worker.kin), taken, -many[groups[:1]]

    # Ranks are those of groups: of hundreds of pages each would be asked at every turn.
    nearest = min(dict.fromkeys(kin[p] for p in waiting), key=rank)
    place = next(p for p in waiting if kin[p] == nearest)
    waiting.remove(place)
    worker.place, worker.kin = place, kin[place]
    with suppress(OSError):  # it died while it waited: no answer will come
        worker.line.send(jobs[place])


def _shared(one: Kin, other: Kin) -> int:
    """How many groups two jobs have in common, from the widest on."""
    pairs = zip(one, other, strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _hired(work: Callable[..., Any], method: str, workers: int) -> _Worker:
    context = multiprocessing.get_context(method)
    ours, its = context.Pipe()
    process = context.Process(target=_serve, args=(its, work, os.getpid()))  # type: ignore[attr-defined]
    try:
        with held_back():
            process.start()
    except OSError as error:
        raise NoProcess(
            f"--workers {workers}: the system allows no more processes ({error.strerror}); "
            "give --workers 1, or raise the limit (ulimit -u)"
        ) from None
    its.close()  # so that its end closes with the process
    return _Worker(process, ours)


def _serve(line: Connection, work: Callable[..., Any], parent: int) -> None:
    """Answer jobs, each with its result and None, or with None and what was raised."""
    restore_in_worker()
    end_with_parent(parent)
    gc.freeze()  # what was loaded before stays
    collect_seldom()
    with suppress(EOFError, OSError):  # the parent is gone
        while True:
            line.send_bytes(_answer(work, line.recv()))


def _answer(work: Callable[..., Any], job: tuple[Any, ...]) -> bytes:
    try:
        return bytes(ForkingPickler.dumps((work(*job), None)))
    except BaseException as error:
        error.add_note(traceback.format_exc())
        return bytes(ForkingPickler.dumps((None, error)))


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
