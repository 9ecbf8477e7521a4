"""Strings and documents that try to run, to break out of their place, or to break their reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import cycle, product
from typing import Any

from hypothesis import strategies as st
from synthetic import document

CANARY = "ran-by-a-document"
"""A file that comes to be in the working folder if a payload is run."""
_RUN = f"__import__('pathlib').Path('{CANARY}').touch()"
PAYLOADS = (
    _RUN,
    f"pi.\uff53\uff55\uff42\uff53(1, {_RUN})",  # full-width letters, which Python normalises
    "pi.\uff53\uff55\uff42\uff53(pi, 1)",
    f"sqrt({_RUN})",
    f"(lambda: {_RUN})()",
    "pi.func.__globals__",
    "9**9**9**9",
    "1/0",
    "9" * 5000,
    "(" * 1500 + "1" + ")" * 1500,
    "{" * 3000,
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)//",
    "</title></script><svg onload=alert(1)>",
    "<!-- --!><a href='javascript:alert(1)'>x</a>",
    r"\input{/etc/passwd}",
    r"\immediate\write18{touch x}",
    "^^5cinput{x}",
    r"\end{document}\csname input\endcsname",
    r"\def\a{\a\a}\a",
    r"}$}\href{javascript:alert(1)}{x}",
    r"\style{position:fixed}{x}\class{a}{y}",
    "%\n\n\\par $ # & _ ~ |",
    "[x](javascript:alert(1)) ![y](http://z)",
    "[x]: javascript:alert(1)\n\n[x]",
    "```\n# title\n| a | b |\n- item\n1. one",
    "[bold]x[/bold] [/none] [link=javascript:alert(1)]y[/link]",
    "\x1b]8;;http://z\x07\x1b[2J\x00\x9b31m",
    "\u202egnp.exe\u2066\u2028\ufffe",
    "../../../../etc/passwd",
    "{{ 7 * 7 }}{% for x in [1] %}",
    "';alert(1);'&lt;script&gt;&#106;",
    "e\u0301\u200d\U0001f600" * 20,
    "a\r\nb\tc",
    "",
)
WRAPPERS: tuple[Callable[[str], str], ...] = (
    lambda text: text,
    lambda text: rf"\frac{{{text}}}{{2}}",
    lambda text: rf"x = \text{{{text}}}",
)
STRINGS = tuple(wrap(text) for wrap, text in product(WRAPPERS, PAYLOADS))
"""More than a hundred."""
DAILY = frozenset(wrap(text) for wrap, text in zip(cycle(WRAPPERS), PAYLOADS, strict=False))
"""Of these every payload once, in turn in each of the wrappers."""
FIXED = frozenset(
    {
        "id", "paper", "kind", "uses", "given", "rests_on_refuted", "verdict", "severity",
        "expected", "status", "grade", "form", "killed_by", "survived", "budget",
    }
)  # fmt: skip
"""Fields whose values the schema names, or that are ids."""


def one_paper(count: int = 5) -> dict[str, Any]:
    """A document of one known paper with every part, code places and mixed values included."""
    whole = document(count, papers=1)
    for record in whole["claims"]:
        record["id"] = record["id"].replace("paper0", "noci2022")
        record["paper"] = "noci2022"
        for field in ("uses", "rests_on_refuted"):
            record[field] = [i.replace("paper0", "noci2022") for i in record[field]]
        record["code"] = [{"role": "claim", "path": "claims/model.py", "line": 1, "end": 2}]
    whole["environment"]["repository"] = "https://example.org/a/b"
    return whole


def with_text(text: str) -> dict[str, Any]:
    """A document whose every free text, names of variables and words of witnesses too, is `text`."""
    return _replaced(one_paper(), text)


def _replaced(value: Any, text: str) -> Any:
    if isinstance(value, dict):
        return {
            (text if key == "sigma_q" else key): part if key in FIXED else _replaced(part, text)
            for key, part in value.items()
        }
    if isinstance(value, list):
        return [_replaced(part, text) for part in value]
    return text if isinstance(value, str) else value


def places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to every part of a document."""
    yield before
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*before, key))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(STRINGS)
    | st.sampled_from([10**400, -(10**400), 2**63, 1e308, -1e-308, 0]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
_PLACES = tuple(places(one_paper()))[1:]


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    """A document with up to three parts replaced, removed, repeated or renamed."""
    whole = one_paper()
    for _ in range(draw(st.integers(1, 3))):
        *path, last = draw(st.sampled_from(_PLACES))
        _mutate(draw, whole, path, last)
    return whole


def _mutate(draw: st.DrawFn, whole: Any, path: list[Any], last: Any) -> None:
    holder = whole
    try:
        for key in path:
            holder = holder[key]
        holder[last]
    except (KeyError, IndexError, TypeError):
        return  # an earlier mutation took it away
    if not isinstance(holder, dict | list):
        return
    match draw(st.sampled_from(["replace", "replace", "remove", "repeat", "rename"])):
        case "replace":
            holder[last] = draw(JSON)
        case "remove":
            del holder[last]
        case "repeat" if isinstance(holder, list):
            holder.insert(last, deepcopy(holder[last]))
        case _ if isinstance(holder, dict):
            holder[draw(st.text() | st.sampled_from(STRINGS))] = holder.pop(last)
