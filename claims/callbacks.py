"""Where an exception raised by a signal would be lost."""

from __future__ import annotations

from types import FrameType

__all__ = ["in_callback"]


def in_callback(frame: FrameType | None) -> bool:
    """Whether a finaliser, a weak reference's callback or the garbage collector's runs."""
    while frame is not None:
        name, file = frame.f_code.co_name, frame.f_code.co_filename
        if name in {"__del__", "gc_callback"} or file.endswith(("weakref.py", "_weakrefset.py")):
            return True
        frame = frame.f_back
    return False
