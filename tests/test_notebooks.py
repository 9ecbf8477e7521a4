"""Notebooks are stored with outputs, name claims that exist, and import what they state.

nbval passes a stripped notebook silently, so that is refused here; the outputs themselves are
compared by `pytest --nbval notebooks`.  What a notebook must not do:

- *store nothing*: a cell that prints, shows or ends in an expression has an output, and all cells
  were run in order.  Only a picture may escape the comparison, and it alone: its data are printed by
  another cell.
- *name a claim that is not there*: ids in prose are in the index; ids in code, in headings and in
  `twofold` commands are encoded.  A section whose code opens claims has an id in its heading, and the
  id in a heading is opened by some cell.
- *restate a formula*: no claim, symbol, power, root or transcendental function in code, no displayed
  formula and no relation in mathematics between dollars.  The one exception is a cell that writes, word
  for word, a module of CONTRIBUTING's worked example, whose paper is in no index.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pytest

from claims.registry import encoded, index

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EXPECTED = {"adding_a_claim", "noci2022", "tour", "wu2024"}

SHOWING = {"display", "print", "show"}
STATING = {
    "Claim", "Dummy", "Function", "MatrixSymbol", "Mutant", "Proposition", "Relation", "Symbol",
    "lambdify", "parse_expr", "replace", "symbols", "sympify", "variants",
}  # fmt: skip
COMPUTING = {
    "acos", "arccos", "arcsin", "arctan", "asin", "atan", "binomial", "cos", "cosh", "erf", "exp",
    "factorial", "gamma", "log", "pi", "pow", "root", "rsqrt", "sin", "sinh", "sqrt", "square", "tan",
    "tanh",
}  # fmt: skip
RELATION = re.compile(r"[=<>]|\\(?:le|ge|leq|geq|lt|gt|ne|neq|to|approx|sim|propto|equiv|in)\b")
IGNORED, SKIPPED = "# NBVAL_IGNORE_OUTPUT", "NBVAL_SKIP"
ADDRESS = re.compile(r"\bat 0x[0-9a-f]+|0x[0-9a-f]{8,}")


@cache
def worked_example() -> dict[str, str]:
    """The modules of CONTRIBUTING's worked example by file name."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return dict(re.findall(r"```python file=(\S+)\n(.*?)```", text, re.DOTALL))


@cache
def papers() -> frozenset[str]:
    return frozenset(entry.paper for entry in index())


def stated_ids(code: str) -> set[str]:
    return set(re.findall(r'\bid="([^"]+)"', code))


@cache
def example_ids() -> frozenset[str]:
    """The ids of the worked example; its paper is no paper of the index."""
    found = {name for code in worked_example().values() for name in stated_ids(code)}
    return frozenset(name for name in found if name.split(".")[0] not in papers())


@cache
def id_pattern() -> re.Pattern[str]:
    names = papers() | {name.split(".")[0] for name in example_ids()}
    return re.compile(rf"(?<![\w./])(?:{'|'.join(sorted(names))})(?:\.\w[\w-]*)+")


def ids(text: str) -> list[str]:
    """What looks like a claim's id: a paper, a dot and more; not a file, not a module's path."""
    found = id_pattern().findall(text)
    return [name for name in found if not name.endswith((".ipynb", ".json", ".py", ".yaml"))]


def is_encoded(name: str) -> bool:
    """Whether a claim (or the worked example's) with this id is there to be looked up."""
    printed = encoded().get(name.removesuffix(".repair"))
    if name.endswith(".repair"):
        return printed is not None and printed.repair is not None
    return printed is not None or name in example_ids()


def is_listed(name: str) -> bool:
    return is_encoded(name) or any(entry.id == name for entry in index())


def may_state(source: str, example: dict[str, str]) -> bool:
    """Whether a cell writes a module of the example word for word, about no paper of the index."""
    first, _, body = source.partition("\n")
    name = first.removeprefix("%%writefile ").strip()
    return (
        first.startswith("%%writefile ")
        and name in example
        and body.strip() == example[name].strip()
        and all(stated.split(".")[0] not in papers() for stated in stated_ids(body))
    )


# One cell ------------------------------------------------------------------------------------------


def text_of(part: Any) -> str:
    return part if isinstance(part, str) else "".join(part)


def outside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes that run with the cell, those inside function bodies left out."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield node
            yield from outside_functions(node)


def name_of(node: ast.AST) -> str:
    return getattr(node, "id", None) or getattr(node, "attr", None) or ""


def shows(tree: ast.Module) -> bool:
    """Whether a cell should leave an output: its last line is an expression, or it prints."""
    ends = bool(tree.body) and isinstance(tree.body[-1], ast.Expr)
    calls = (node.func for node in outside_functions(tree) if isinstance(node, ast.Call))
    return ends or any(name_of(function) in SHOWING for function in calls)


def restated(tree: ast.Module) -> Iterator[str]:
    """What in a cell's code belongs into a claim."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Pow):
            yield "a power"
        names = [name_of(node)] if isinstance(node, ast.Name | ast.Attribute) else []
        if isinstance(node, ast.ImportFrom | ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name in STATING or name in COMPUTING:
                yield name


def content(outputs: list[dict[str, Any]]) -> str:
    """The text of all outputs that are compared."""
    parts = []
    for output in outputs:
        parts.append(text_of(output.get("text", "")))
        data = output.get("data", {})
        parts += [text_of(value) for kind, value in data.items() if not kind.startswith("image/")]
    return "".join(parts)


def output_problems(source: str, tree: ast.Module, outputs: list[dict[str, Any]]) -> Iterator[str]:
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    pictures = {kind for kind in kinds if kind.startswith("image/")}
    if shows(tree) and not (content(outputs).strip() or pictures):
        yield "shows something but has no stored output; run `make notebooks`"
    if any(output["output_type"] == "error" for output in outputs):
        yield "stores an error"
    if any(output.get("name") == "stderr" for output in outputs):
        yield "stores a warning"
    if SKIPPED in source:
        yield "is skipped; every cell runs"
    if pictures and IGNORED not in source.splitlines():
        yield f"stores a picture without {IGNORED!r}"
    if IGNORED in source.splitlines() and (kinds - {"text/plain"} != pictures or not pictures):
        yield "hides more than a picture from the comparison; print its data in another cell"
    if ADDRESS.search(content(outputs)):
        yield "stores an address in memory; show Markdown only"
    if any(place in content(outputs) for place in (str(ROOT), str(Path.home()), gettempdir())):
        yield "stores a path of this machine"


def code_problems(cell: dict[str, Any]) -> Iterator[str]:
    source = text_of(cell["source"])
    if may_state(source, worked_example()):
        source, exempt = "0", True
    else:
        exempt = False
    try:
        tree = ast.parse(source)
    except SyntaxError:
        yield "is not plain Python (only a module of CONTRIBUTING's example may be written)"
        return
    yield from output_problems(source, tree, cell["outputs"])
    if not exempt:
        for what in sorted(set(restated(tree))):
            yield f"restates a formula instead of importing its claim: {what}"
        for name in ids(source):
            if not is_encoded(name):
                yield f"names the claim {name}, which is not encoded"


HEADING = re.compile(r"^(#+) (.*)$", re.MULTILINE)
COMMAND = re.compile(r"twofold (?:attack|audit|figure|show) (\S+?)`")


def prose_problems(text: str) -> Iterator[str]:
    for name in ids(text):
        if not is_listed(name):
            yield f"names the unknown claim {name}"
    presented = [name for _, title in HEADING.findall(text) for name in ids(title)]
    presented += [name for word in COMMAND.findall(text) for name in ids(word)]
    for name in presented:
        if is_listed(name) and not is_encoded(name):
            yield f"presents {name} as encoded, which it is not"
    if re.search(r"\$\$|\\\[|\\\(|\\begin\{", text):
        yield "displays a formula; show the claim instead"
    for inline in re.findall(r"\$([^$\n]+)\$", text):
        if RELATION.search(inline):
            yield f"states a relation: ${inline}$; show the claim instead"


# A whole notebook ----------------------------------------------------------------------------------


def cell_problems(cells: list[dict[str, Any]]) -> Iterator[str]:
    run = 0
    for place, cell in enumerate(cells):
        kind = cell["cell_type"]
        found = list(
            code_problems(cell) if kind == "code" else prose_problems(text_of(cell["source"]))
        )
        if cell.get("metadata"):
            found.append("has metadata, such as timings; run `make notebooks`")
        if kind == "code":
            run += 1
            if cell.get("execution_count") != run:
                found.append("was not run in its place; run `make notebooks`")
        yield from (f"cell {place} {line}" for line in found)


def section_problems(cells: list[dict[str, Any]]) -> Iterator[str]:
    """Headings and the claims that the code under them opens belong together."""
    heading, promised, opened = "", [], set()
    for place, cell in enumerate(cells):
        source = text_of(cell["source"])
        if cell["cell_type"] == "markdown":
            for _, heading in HEADING.findall(source):
                promised += ids(heading)
            continue
        opened |= set(ids(source)) | stated_ids(source)
        if ids(source) and not ids(heading):
            yield f"cell {place} opens {ids(source)[0]} under {heading!r}, which has no claim's id"
    for name in promised:
        if name not in opened:
            yield f"the heading with {name} is an orphan: no cell opens that claim"


def problems(path: Path) -> list[str]:
    """Everything that is wrong with a stored notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [*cell_problems(cells), *section_problems(cells)]


def test_the_notebooks_are_there() -> None:
    assert {path.stem for path in NOTEBOOKS} >= EXPECTED


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook_is_sound(path: Path) -> None:
    assert problems(path) == []


# What must be refused ------------------------------------------------------------------------------

TEXT = [{"output_type": "stream", "name": "stdout", "text": "1\n"}]
PICTURE = [{"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "<Image>"}}]


def code(source: str, outputs: Any = (), **more: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs), **more}


def prose(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": source}


def judged(tmp_path: Path, *cells: dict[str, Any]) -> str:
    """The problems of a notebook with these cells, as one text."""
    counts = iter(range(1, 100))
    numbered = [
        {"execution_count": next(counts), **cell} if cell["cell_type"] == "code" else cell
        for cell in cells
    ]
    target = tmp_path / "made.ipynb"
    target.write_text(json.dumps({"cells": numbered}))
    return "\n".join(problems(target))


@pytest.mark.parametrize(
    "cells",
    [
        (code("x = 1"),),
        (code("x = 1\nx", TEXT),),
        (code("def f():\n    print(1)"),),
        (code(f"{IGNORED}\nimage", PICTURE),),
        (prose("The correlation $\\rho$ of `wu2024.thm-1.rate`; claims.wu2024.masks has masks."),),
        (prose("# `wu2024.thm-1.rate`"), code("show('wu2024.thm-1.rate')", TEXT)),
        (prose("# `wu2024.lemma-2.lower`"), code("show('wu2024.lemma-2.lower.repair')", TEXT),
         code("claim('wu2024.lemma-2.lower')", TEXT)),
        (code("from claims.wu2024.masks import x\nfrom sympy import Integer\ny = x / Integer(2)"),),
    ],
)  # fmt: skip
def test_sound_cells_pass(cells: tuple, tmp_path: Path) -> None:
    assert judged(tmp_path, *cells) == ""


@pytest.mark.parametrize(
    ("cell", "fragment"),
    [
        (code("print(1)"), "no stored output"),
        (code("x = 1\nx"), "no stored output"),
        (code("for x in y:\n    show(x)"), "no stored output"),
        (code("x", [{"output_type": "stream", "name": "stdout", "text": ""}]), "no stored output"),
        (code("x = 1", execution_count=None), "not run in its place"),
        (code("x = 1", execution_count=7), "not run in its place"),
        (code("x = 1", metadata={"execution": {}}), "metadata"),
        (code("x", [{"output_type": "error", "evalue": "no"}]), "stores an error"),
        (code("x", [{"output_type": "stream", "name": "stderr", "text": "w"}]), "a warning"),
        (code("x", [{"output_type": "stream", "text": "<f at 0x7f1c>"}]), "address"),
        (code("x", [{"output_type": "stream", "text": f"{ROOT}/x"}]), "path"),
        (code("# NBVAL_SKIP\nx = 1"), "skipped"),
        (code("image", PICTURE), "picture without"),
        (code(f"{IGNORED}\nprint(1)", TEXT), "hides more than a picture"),
        (code(f"{IGNORED}\nimage", [*PICTURE, {"output_type": "x", "data": {"text/markdown": "t"}}]),
         "hides more than a picture"),
        (code("claims['noci2022.nothing']", TEXT), "not encoded"),
        (code("claims['noci2022.eq-1.attention.repair']", TEXT), "not encoded"),
        (code("claims['toy.eq-2']", TEXT), "not encoded"),
        (code("y = Relation('x', (1,))"), "restates"),
        (code("y = model.Claim(id='toy.eq-1')"), "restates"),
        (code("from claims.model import Proposition as P"), "restates"),
        (code("from sympy import symbols"), "restates"),
        (code("y = n**2"), "restates"),
        (code("y = 1 / math.sqrt(n)"), "restates"),
        (code("from math import acos"), "restates"),
        (code("%%writefile toypaper/claims/mean.py\ny = Claim()"), "not plain Python"),
        (code("%matplotlib inline"), "not plain Python"),
        (prose("See `wu2024.thm-9.rate`."), "unknown claim"),
        (prose("$$\nx\n$$"), "displays a formula"),
        (prose("Note $r\\le N$."), "states a relation"),
        (prose("# `wu2024.thm-1.rate`"), "orphan"),
    ],
)  # fmt: skip
def test_unsound_cells_are_refused(cell: dict, fragment: str, tmp_path: Path) -> None:
    assert fragment in judged(tmp_path, cell)


def test_a_claim_opened_under_a_heading_without_an_id_is_refused(tmp_path: Path) -> None:
    cells = prose("# A story"), code("show('wu2024.thm-1.rate')", TEXT)
    assert "has no claim's id" in judged(tmp_path, *cells)


@pytest.mark.parametrize("text", ["# `{}`", "`twofold show {}`"])
def test_a_listed_claim_is_not_presented_as_encoded(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "wu2024.thm-1.rate"
    fewer = {key: claim for key, claim in encoded().items() if key != name}
    monkeypatch.setattr(f"{__name__}.encoded", lambda: fewer)
    assert "as encoded" in judged(tmp_path, prose(text.format(name)))
    assert "not encoded" in judged(tmp_path, code(f"x = '{name}'"))
    assert judged(tmp_path, prose(f"Not yet: `{name}`.")) == ""


def test_only_the_worked_example_word_for_word_may_state_a_claim(tmp_path: Path) -> None:
    name, body = next((n, b) for n, b in worked_example().items() if "Claim(" in b)
    cell = f"%%writefile {name}\n{body}"
    assert may_state(cell, worked_example())
    assert judged(tmp_path, prose("# `toy.eq-1`"), code(cell, TEXT)) == ""
    assert not may_state(cell.replace("sigma**2 / n", "sigma**2 / n**2"), worked_example())
    assert not may_state(cell.replace(name, "other.py"), worked_example())
    assert not may_state(body, worked_example())


def test_an_example_about_a_paper_of_the_index_may_not_be_written() -> None:
    body = 'rate = Claim(id="wu2024.thm-1.rate")'
    assert not may_state(f"%%writefile x.py\n{body}", {"x.py": body})


def test_the_worked_example_is_written_whole() -> None:
    cells = json.loads((ROOT / "notebooks" / "adding_a_claim.ipynb").read_text())["cells"]
    sources = [text_of(cell["source"]) for cell in cells]
    written = {s.split()[1] for s in sources if may_state(s, worked_example())}
    assert written == set(worked_example())
