"""One trial: the tests of a module, run in a copy of this process that holds the libraries already.

A fresh interpreter would spend more time on importing SymPy, torch and pytest than on the tests.  What
is imported of the project itself is imported in the copy, from the mutated file.
"""

from __future__ import annotations

import fcntl
import gc
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from time import monotonic, sleep

import click

__all__ = ["alone", "preload", "trial"]

LIBRARIES = (
    "flint",
    "hypothesis",
    "networkx",
    "numpy",
    "pytest",
    "scipy.stats",
    "sympy",
    "torch",
    "z3",
)
QUIET = (
    "-x",
    "-q",
    "--assert=plain",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "--hypothesis-seed=0",
)
PAUSE = 0.02


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Holds a folder: two runs would mutate one copy of the project.  A trial left behind holds it, too."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise click.ClickException(
                f"{folder}: another run mutates there; wait for its end, or give another --folder"
            ) from None
        yield


def preload() -> None:
    """Import the libraries that the tests use."""
    for name in LIBRARIES:
        import_module(name)


def trial(tests: Sequence[str], limit: float) -> str:
    """What became of the tests in the current directory, stage by stage: "survived", "killed" or "timeout"."""
    child = os.fork()
    if child == 0:
        os._exit(_run(tests))
    stop = monotonic() + limit
    while monotonic() < stop:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return "killed" if status else "survived"
        sleep(PAUSE)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timeout"


def _run(tests: Sequence[str]) -> int:
    """In the copy: whether a stage fails, the next only after the one before passed; nothing printed, no
    compiled file left behind."""
    try:
        os.setsid()
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        sys.dont_write_bytecode = True
        # Pytest looks for cycles at its end: not among all that the parent holds.  Hypothesis asks while it
        # is imported who holds what, which nothing frozen answers.
        import_module("hypothesis")
        gc.freeze()
        _forget_the_project()
        sys.path.insert(0, os.getcwd())
        pytest = import_module("pytest")
        return next((1 for stage in tests if pytest.main([*QUIET, *stage.split()])), 0)
    except BaseException:
        return 1


def _forget_the_project() -> None:
    """Modules of this project that are imported already are not the copy's."""
    own = {name for name in os.listdir() if os.path.isdir(name)}
    for name in [name for name in sys.modules if name.partition(".")[0] in own]:
        del sys.modules[name]
