"""The text of a file that a user names."""

from __future__ import annotations

from pathlib import Path

from claims.errors import UserError

__all__ = ["CorpusError", "plain_text"]


class CorpusError(UserError):
    """A text, or parallel text, that cannot be used."""


def plain_text(file: Path, wanted: str) -> str:
    """What a file in UTF-8 holds, lines ending in a line feed; `wanted` says what it should hold.

    Raises `CorpusError` where there is no such file, it cannot be read, is no plain text, or is blank.
    """
    try:
        raw = file.read_bytes()
    except FileNotFoundError:
        raise CorpusError(f"{file}: no such file; give {wanted}, in UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CorpusError(f"{file}: cannot be read ({reason}); give {wanted}") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise CorpusError(f"{file}, line {line}: not UTF-8; convert the file to UTF-8") from None
    if "\0" in text:
        raise CorpusError(f"{file}: holds zero bytes, so it is no plain text; convert it to UTF-8")
    if not text.strip():
        raise CorpusError(f"{file}: is empty; give {wanted}")
    return text.replace("\r\n", "\n")
