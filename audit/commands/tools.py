"""What every command shares: one-line errors, files checked before work is done, progress bars."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from audit.files import append_whole, ensure_writable, write_whole
from audit.sinks import one_line
from claims.errors import UserError

__all__ = [
    "INTERRUPTED",
    "UNUSABLE",
    "Seconds",
    "Unusable",
    "append_text",
    "one_line_errors",
    "progress",
    "resumable",
    "say_left_out",
    "writable",
    "write_json",
    "write_text",
]

UNUSABLE, INTERRUPTED = 2, 130
TRACEBACK = "TWOFOLD_TRACEBACK"
CONTINUES = "; what was finished is kept, and the same command continues"


class Unusable(click.ClickException):
    """One clear line, exit status 2."""

    exit_code = UNUSABLE

    def show(self, file: Any = None) -> None:
        # One line whatever a file name or a document holds.
        click.echo(f"twofold: {one_line(self.message)}", err=True)


class Seconds(click.ParamType):
    """A length of time that comes to an end: positive and finite, which no `nan` is."""

    name = "seconds"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        try:
            seconds = float(value)
        except ValueError:
            seconds = math.nan
        if not 0 < seconds < math.inf:
            self.fail(f"{value}: must be a positive and finite number of seconds, such as 10")
        return seconds


def one_line_errors(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn failures into one line and a documented exit status.

    Of a fault in a paper's module, or in ours, the line says where; `TWOFOLD_TRACEBACK` shows the rest.
    """
    return _ending_in_one_line(command, "interrupted")


def resumable(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same of a command that keeps what it has finished, and says so when it is interrupted."""
    return _ending_in_one_line(command, f"interrupted{CONTINUES}")


def _ending_in_one_line(command: Callable[..., Any], interrupted: str) -> Callable[..., Any]:
    @wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except UserError as error:
            raise Unusable(str(error)) from None
        except KeyboardInterrupt:
            click.echo(f"twofold: {interrupted}", err=True)
            # Workers may still hold pipes; nothing is left to flush but the streams.
            sys.stdout.flush(), sys.stderr.flush()
            os._exit(INTERRUPTED)
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except Exception as fault:
            if os.environ.get(TRACEBACK):
                raise
            raise Unusable(fault_line(fault)) from None

    return wrapped


def fault_line(fault: Exception) -> str:
    """What went wrong and where, and how to see more."""
    from audit.code import fault_of

    return f"{fault_of(fault)}; a fault of that code: {TRACEBACK}=1 shows every step to it"


def say_left_out() -> bool:
    """A line for every paper's package that cannot be used; whether there is one."""
    from claims import extensions
    from claims.registry import usable_extensions

    usable_extensions()
    for reason in extensions.refused().values():
        click.echo(f"twofold: {one_line(reason)}", err=True)
    return bool(extensions.refused())


def writable(path: str | None, option: str = "--json") -> Path | None:
    """A file that can be written, checked before any work is done; "-" is standard output."""
    if path is None or path == "-":
        return None
    if not path:
        raise Unusable(f"{option} '': is no file name; give one, or leave {option} out")
    target = Path(path)
    ensure_writable(target, option)
    return target


def write_json(document: dict[str, Any], path: Path | None, to_stdout: bool) -> None:
    """Write the document whole or not at all."""
    if to_stdout:
        click.echo(json.dumps(document, indent=1, ensure_ascii=not _takes_unicode()))
    elif path is not None:
        write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", path, "--json")


def _takes_unicode() -> bool:
    """Whether standard output holds every character; in another encoding JSON has escapes of its own."""
    return (sys.stdout.encoding or "ascii").lower().replace("_", "-").startswith("utf-")


def write_text(text: str, path: Path, option: str) -> None:
    """Write a file whole or not at all."""
    write_whole(path, text.encode("utf-8", "backslashreplace"), option)


def append_text(text: str, path: Path, option: str) -> None:
    """Append to a file that others write to as well."""
    append_whole(path, text.encode("utf-8", "backslashreplace"), option)


def progress(console: Console) -> Progress:
    """A progress bar on a terminal; silence in a pipe."""
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip
