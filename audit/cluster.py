"""Claims examined by the workers of a Dask cluster that is already running.

A worker answers only if it runs the same code as this process: its first words are the fingerprint
of what it loaded.  A scheduler that dies, and workers that stay away, end the audit in one line;
what was finished until then is kept.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from audit.environment import FIXED
from claims.errors import UserError

if TYPE_CHECKING:
    from audit.workers import Job

__all__ = ["JOIN", "ClusterLost", "Refused", "client_of", "on_cluster"]

Record = dict[str, Any]

ANSWER, JOIN = 5, 30
"""Seconds in which a scheduler must answer, and in which a worker must be there."""
_PROTOCOLS = ("tcp", "tls")
"""Others of Dask's carry no claims between machines (inproc) or need drivers of their own (ucx)."""


class Refused(UserError):
    """A scheduler that cannot be used, or a worker that runs other code."""


class ClusterLost(UserError):
    """A cluster that went away while it worked."""


def client_of(address: str) -> Any:
    """A client of the scheduler; raises `Refused` where none answers or the address is no address."""
    try:
        from distributed import Client
    except ImportError:
        raise Refused("--scheduler needs Dask: pip install 'twofold[cluster]'") from None
    _check(address)
    for name in list(logging.root.manager.loggerDict):
        if name.startswith(
            "distributed"
        ):  # it reports a lost connection with tracebacks; we do in a line
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        return Client(address, timeout=ANSWER)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Refused(f"--scheduler {address}: no scheduler answers there ({reason})") from None


def _check(address: str) -> None:
    try:
        parts = urlsplit(address)
        whole = parts.scheme in _PROTOCOLS and parts.hostname and parts.port
    except ValueError:
        whole = False
    if not whole:
        raise Refused(f"--scheduler {address}: must be tcp://HOST:PORT or tls://HOST:PORT")
    if parts.scheme == "tls" and _certificates() is None:
        raise Refused(
            f"--scheduler {address}: no certificates; name them in Dask's configuration "
            "(distributed.comm.tls)"
        )


def _certificates() -> Any:
    from distributed.security import Security

    return Security().get_connection_args("client").get("ssl_context")


def on_cluster(
    jobs: Sequence[Job], address: str, environment: Mapping[str, Any]
) -> Iterator[tuple[Record, bool]]:
    """Records of all jobs, as they are finished; a job whose worker dies is given to another one.

    With each record comes whether its worker has this environment: Python, libraries and device.
    """
    from audit.workers import LOADED  # loads torch

    with client_of(address) as client:
        _await_workers(client, address)
        task = _task()
        libraries = sorted(environment.keys() - FIXED)
        futures = [client.submit(task, *job, LOADED, libraries, pure=False) for job in jobs]
        claims = {future.key: job[0] for future, job in zip(futures, jobs, strict=True)}
        for future in _as_they_come(futures, client, address):
            yield _record(future, claims[future.key], address, environment)


def _await_workers(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=JOIN)
    except TimeoutError:
        raise Refused(
            f"--scheduler {address}: no worker joined within {JOIN} s; "
            f"start one with `dask worker {address}`"
        ) from None


def _as_they_come(futures: Sequence[Any], client: Any, address: str) -> Iterator[Any]:
    """Finished futures; `ClusterLost` when the scheduler is gone, or all workers for `JOIN` seconds."""
    from distributed import wait

    left, seen = set(futures), monotonic()
    while left:
        try:
            done = wait(left, timeout=1, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            done = set()
        except CancelledError:
            raise _lost(address, "the scheduler went away") from None
        if client.status != "running":
            raise _lost(address, "the scheduler went away")
        if done or client.scheduler_info()["workers"]:
            seen = monotonic()
        if monotonic() - seen > JOIN:
            raise _lost(address, f"no worker has been there for {JOIN} s")
        left -= done
        yield from done


def _lost(address: str, what: str) -> ClusterLost:
    return ClusterLost(
        f"--scheduler {address}: {what}; what was finished is kept, and the same command continues"
    )


def _record(
    future: Any, claim_id: str, address: str, environment: Mapping[str, Any]
) -> tuple[Record, bool]:
    from distributed import KilledWorker

    from audit.workers import worker_died

    try:
        answer = future.result()
    except KilledWorker:
        return worker_died(claim_id), False
    except CancelledError:
        raise _lost(address, "the scheduler went away") from None
    if "refused" in answer:
        raise Refused(
            f"--scheduler {address}: worker {answer['worker']} {answer['refused']}; "
            "install the same version there and start it again"
        )
    return answer["record"], answer["environment"] == environment


def _task() -> Callable[..., dict[str, Any]]:
    """What a worker runs: sent by value, so that a worker without twofold can say so."""

    def task(
        claim_id: str, seed: int, effort: str, where: str, code: str, libraries: list[str]
    ) -> dict[str, Any]:
        from distributed import get_worker

        try:
            from audit.workers import LOADED, work
        except ImportError as error:
            return {"worker": get_worker().address, "refused": f"cannot load twofold ({error})"}
        if code != LOADED:
            found = f"runs other code ({LOADED[:8]}, here {code[:8]})"
            return {"worker": get_worker().address, "refused": found}
        from audit.environment import environment

        record = work(claim_id, seed, effort, where)
        return {"record": record, "environment": environment(libraries, where)}

    return task
