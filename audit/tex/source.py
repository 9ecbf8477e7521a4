"""The LaTeX of a paper as one text: files put in, comments and what is never printed taken out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from claims.errors import UserError

__all__ = ["BadSource", "Source", "read_source"]

LARGEST = 1 << 24
"""Bytes of one file; a paper's are a hundredth of it."""
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_INPUT = re.compile(r"\\(?:input|include|subfile)\s*(?:\{\s*([^{}]+?)\s*\}|([^\s{}\\]+))")
_UNPRINTED = re.compile(
    r"\\iffalse\b.*?\\fi\b|\\begin\{(comment|verbatim|lstlisting|filecontents)(\*?)\}.*?\\end\{\1\2\}",
    re.DOTALL,
)
_SHORTHAND = re.compile(
    r"\\(?:(?:re)?newcommand\*?\s*(?:\{\s*\\([A-Za-z]+)\s*\}|\\([A-Za-z]+))|def\s*\\([A-Za-z]+))\s*"
    r"\{\s*(\\(?:begin|end)\s*\{[A-Za-z]+\*?\})\s*\}"
)
_STYLE = re.compile(r"\\(?:usepackage|documentclass)\s*(?:\[[^\]]*\])?\s*\{([^{}]*)\}")


class BadSource(UserError):
    """LaTeX that cannot be read; the message names the file, the fault and the remedy."""


@dataclass(frozen=True)
class Source:
    """What stands before `\\begin{document}`, local styles included, and what stands inside."""

    name: str
    preamble: str
    body: str


def read_source(path: Path) -> Source:
    """A paper from its main file; `BadSource` in one line where there is none."""
    text = _expanded(path, path.parent, ())
    text = _UNPRINTED.sub("", text)
    for names in _SHORTHAND.findall(text):
        *found, meaning = names
        name = next(filter(None, found))
        text = re.sub(rf"\\{name}(?![A-Za-z])", lambda _, m=meaning: m, _SHORTHAND.sub("", text))  # type: ignore[misc]
    begin, end = r"\begin{document}", r"\end{document}"
    if begin not in text:
        raise BadSource(f"--tex {path}: holds no {begin}; give the paper's main file")
    preamble, body = text.split(begin, 1)
    if end not in body:
        raise BadSource(f"--tex {path}: no {end} follows {begin}; is the file cut short?")
    return Source(str(path), _styles(preamble, path.parent) + preamble, body.split(end, 1)[0])


def _read(path: Path, wanted_by: str) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise BadSource(f"--tex {path}: more than {LARGEST >> 20} MiB; give LaTeX source")
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadSource(f"--tex {path}: cannot be read ({reason}){wanted_by}") from None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("latin-1")  # older papers declare it; mathematics is ASCII in both
    if "\0" in text:
        raise BadSource(f"--tex {path}: is no text; give LaTeX source")
    return _COMMENT.sub(r"\1", text)


def _expanded(path: Path, folder: Path, above: tuple[Path, ...]) -> str:
    """A file with those it inputs in their places; names are relative to the main file's folder."""
    if path.resolve() in above:
        raise BadSource(f"--tex {path}: inputs itself; break the circle")
    wanted_by = f"; {above[-1].name} inputs it" if above else "; give the paper's main file"
    text = _read(path, wanted_by)

    def put_in(found: re.Match[str]) -> str:
        name = (found[1] or found[2]).strip('"')
        if "#" in name:  # the argument of a macro
            return ""
        file = folder / name
        with_suffix = file.with_name(f"{file.name}.tex")
        chosen = file if file.suffix and file.is_file() else with_suffix
        return _expanded(chosen, folder, (*above, path.resolve()))

    return _INPUT.sub(put_in, text)


def _styles(preamble: str, folder: Path) -> str:
    """The paper's own style and class files, where theorems are often declared."""
    names = [n.strip() for group in _STYLE.findall(preamble) for n in group.split(",")]
    paths = (folder / f"{name}.{kind}" for name in names for kind in ("sty", "cls"))
    return "".join(_read(path, "") for path in paths if path.is_file())
