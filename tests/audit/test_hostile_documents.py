"""Documents that were edited: nothing in them runs, breaks out of its place or breaks its reader."""

from __future__ import annotations

import ast
import json
import os
import re
import secrets
import tempfile
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from time import perf_counter
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from hostile import CANARY, DAILY, STRINGS, mutated, one_paper, with_text
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from audit import ci
from audit.cli import main
from audit.documents import BadDocument, read_document
from audit.errata.document import errata
from audit.formulas.mathtext import latex_of_point, latex_of_value, mathml
from audit.sinks import COMMANDS
from audit.site.build import SiteError, build, render

SEED = int(os.environ.get("FUZZ_SEED") or secrets.randbelow(2**32))
"""Fresh in every run; a failure shows it, and FUZZ_SEED repeats it."""
SECONDS = 60
fuzz = settings(
    deadline=None, database=None, print_blob=True, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(autouse=True)
def nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The working folder is empty and stays so, and SymPy's parser is never reached."""

    def reached(*args: object, **kwargs: object) -> None:
        raise AssertionError(f"a text reached SymPy's parser: {args[:1]}")

    for name in ("parse_expr", "eval_expr", "stringify_expr"):
        monkeypatch.setattr(f"sympy.parsing.sympy_parser.{name}", reached)
    monkeypatch.chdir(tmp_path)
    print(f"FUZZ_SEED={SEED}")
    yield
    assert not (tmp_path / CANARY).exists()


def saved(folder: Path, content: object, name: str = "a.json") -> str:
    path = folder / name
    path.write_text(json.dumps(content) if not isinstance(content, str) else content)
    return str(path)


def run(*args: str) -> Result:
    """A command that must end in a documented way: a status, and one line where it is 2."""
    started = perf_counter()
    result = CliRunner().invoke(main, args)
    assert perf_counter() - started < SECONDS
    if not isinstance(result.exception, SystemExit | None):
        raise result.exception
    assert result.exit_code in {0, 1, 2}
    if result.exit_code == 2:
        assert result.stderr.count("\n") == 1 and result.stderr.startswith("twofold: ")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", result.stdout + result.stderr)
    return result


class Page(HTMLParser):
    """Tags, names of attributes and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: set[str] = set()
        self.scripts = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.addresses.update(str(v) for name, v in attrs if name in {"href", "src"})
        self.scripts += tag == "script"


def pages_of(texts: dict[str, str]) -> dict[str, Page]:
    return {name: Page(text) for name, text in texts.items() if name.endswith(".html")}


CLEAN = pages_of(render(one_paper(), {})).values()
TAGS = set().union(*(page.tags for page in CLEAN)) | {"code", "mspace", "wbr"}
"""What a clean page holds; a formula that could not be set is code, a longer one wraps."""
ATTRIBUTES = set().union(*(page.attributes for page in CLEAN)) | {"minsize", "maxsize"}
_HEAD = errata(one_paper(), "noci2022")["tex"].partition(r"\begin{document}")[0]
_OWN = {
    "Large", "allowbreak", "begin", "changed", "emph", "end", "endhead", "finding", "hline",
    "medskip", "noindent", "par", "section", "setlength", "small", "smallskip", "tabcolsep", "texttt",
}  # fmt: skip


def ensure_escaped_html(document: dict) -> None:
    texts = render(document, {})
    for name, page in pages_of(texts).items():
        assert page.tags <= TAGS, (name, page.tags - TAGS)
        assert page.attributes <= ATTRIBUTES, (name, page.attributes - ATTRIBUTES)
        for address in page.addresses:
            outside = re.match(r"\s*([a-zA-Z][a-zA-Z0-9+.-]*:|//)", address)
            assert not outside or re.match(r"https?://\w|data:,$", address), (name, address)
        assert page.scripts <= 2
    script = texts["data.js"]
    assert "<" not in script and "\u2028" not in script


def ensure_escaped_errata(document: dict) -> None:
    notes = errata(document, "noci2022")
    body = notes["tex"].partition(r"\begin{document}")[2]
    assert set(re.findall(r"\\([A-Za-z]+)", body)) <= COMMANDS | _OWN
    bare = re.sub(r"\\.", "", body)
    assert "%" not in bare and "#" not in bare and "^^" not in body and "\n\n\n\n" not in body
    assert body.count(r"\end{document}") == 1
    bare = re.sub(r"\\.", "", notes["md"])
    assert not re.search(r"[<>]|\][(\[:]", bare), bare
    assert bare.count("`") % 2 == 0


def ensure_escaped_ci(document: dict) -> None:
    records = document["claims"]
    lines = [f"{record['id']}: {record['reason']}" for record in records]
    ElementTree.fromstring(ci.junit(records, lines))
    bare = re.sub(r"\\.", "", ci.summary(records, lines, 1.0))
    ours = ("<details><summary>Statements found false</summary>", "</details>")
    for markup in ours:
        bare = bare.replace(markup, "")
    assert not re.search(r"[<>]|\][(\[:]", bare), bare


@pytest.mark.parametrize(
    "text",
    [pytest.param(s, marks=() if s in DAILY else pytest.mark.seldom) for s in STRINGS],
    ids=range(len(STRINGS)),
)
def test_hostile_text_in_every_field_is_shown_and_nothing_more(tmp_path: Path, text: str) -> None:
    document = with_text(text)
    started = perf_counter()
    path = saved(tmp_path, document)
    result = run("errata", "noci2022", "--from", path, "--out", str(tmp_path / "errata"))
    assert result.exit_code == 0, result.output
    ensure_escaped_html(document)
    ensure_escaped_errata(document)
    ensure_escaped_ci(document)
    other = saved(tmp_path, one_paper(), "b.json")
    assert run("diff", path, other, "--json", "-").exit_code == 0
    run("diff", other, path)
    assert perf_counter() - started < SECONDS


def test_there_are_a_hundred_hostile_strings() -> None:
    assert len(set(STRINGS)) >= 100


@seed(SEED)
@settings(fuzz, max_examples=50)
@given(document=mutated())
def test_mutated_documents_are_read_or_refused(document: dict) -> None:
    """Through every command that reads one, and the builder of the site."""
    with tempfile.TemporaryDirectory() as folder:
        path = saved(Path(folder), document)
        before = saved(Path(folder), one_paper(), "b.json")
        statuses = {
            run("errata", "noci2022", "--from", path, "--out", f"{folder}/errata").exit_code,
            run("diff", before, path).exit_code,
            run("diff", path, before, "--json", "-").exit_code,
        }
        try:
            known = read_document(path)
        except BadDocument:
            assert statuses == {2}
            return
        assert 2 not in statuses or not any(r["paper"] == "noci2022" for r in known["claims"])
        ensure_escaped_html(known)
        ensure_escaped_errata(known)
        build(known, Path(folder) / "site")


@seed(SEED)
@settings(fuzz, max_examples=100)
@given(data=st.data())
def test_files_cut_or_overwritten_are_refused(data: st.DataObject) -> None:
    whole = json.dumps(one_paper(2)).encode()
    place = data.draw(st.integers(0, len(whole)))
    junk = data.draw(st.binary(max_size=20))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.json"
        path.write_bytes(whole[:place] + junk + whole[place + data.draw(st.integers(0, 40)) :])
        run("diff", str(path), str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "nested more than 40 deep"),
        ("[" * 100 + "]" * 100, "nested more than 40 deep"),
        ('{"a":' * 100_000, "nested more than 40 deep"),
        ("9" * 5000, "thousands of digits"),
        ('{"schema": 1, "seconds": NaN}', "not finite"),
        ('{"schema": 1, "seconds": 1e999}', "not finite"),
        ('{"schema": 1, "twofold": "\\ud800"}', "half a character"),
        ("", "not whole JSON"),
    ],
)
def test_texts_that_are_no_document_are_refused(tmp_path: Path, text: str, message: str) -> None:
    result = run("diff", saved(tmp_path, text), saved(tmp_path, text))
    assert result.exit_code == 2 and message in result.stderr


def changed(**fields: object) -> dict:
    whole = one_paper()
    whole["claims"][2].update(fields)
    return whole


def with_witness(witness: object) -> dict:
    whole = one_paper()
    whole["claims"][2]["proof"]["witness"] = witness
    return whole


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (changed(id="../../x"), "does not match"),
        (changed(id="a" * 251), "does not match"),
        (changed(id="x\n"), "does not match"),
        (changed(paper="a/b"), "does not match"),
        (changed(uses=["javascript:alert(1)"]), "does not match"),
        (changed(uses=["noci2022.claim-2"]), "by itself"),
        (changed(code=[{"role": "claim"}]), '"path" is a required property'),
        (with_witness({"left": 1, "right": []}), '"at" is a required property'),
        (with_witness({"at": [], "left": 1, "right": []}), "is not of type"),
        (with_witness({"at": {}, "left": 1, "right": 1}), "is not of type"),
    ],
)
def test_what_no_audit_writes_is_refused(tmp_path: Path, document: dict, message: str) -> None:
    path = saved(tmp_path, document)
    result = run("errata", "noci2022", "--from", path, "--out", str(tmp_path))
    assert result.exit_code == 2 and message in result.stderr


@pytest.mark.parametrize("value", ["1/0", "9" * 4300, "-" * 400 + "1", 10**4000, "\uff11/\uff12"])
def test_odd_witnesses_are_shown(tmp_path: Path, value: object) -> None:
    path = saved(tmp_path, with_witness({"at": {"n": value}, "left": value, "right": [value]}))
    assert run("errata", "noci2022", "--from", path, "--out", str(tmp_path)).exit_code == 0
    build(read_document(path), tmp_path / "site")


def test_a_site_names_no_page_outside_its_folder(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match="cannot name a page"):
        build(changed(id="../../x"), tmp_path / "site")


@pytest.mark.parametrize("address", ["javascript:alert(1)//", "data:text/html,x", "//evil", "x"])
def test_only_web_addresses_are_linked(address: str) -> None:
    document = one_paper()
    document["environment"]["repository"] = address
    ensure_escaped_html(document)
    document["environment"]["repository"] = "https://example.org/a"
    addresses = pages_of(render(document, {}))["claims/noci2022.claim-0.html"].addresses
    assert f"https://example.org/a/blob/{'0' * 40}/claims/model.py#L1-L2" in addresses


@pytest.mark.parametrize("path", ["/etc/passwd", "../../../../etc/passwd", "pyproject.toml"])
def test_only_source_files_are_quoted(path: str) -> None:
    document = one_paper()
    document["claims"][0]["code"][0]["path"] = path
    assert "Not on this machine" in render(document, {})["claims/noci2022.claim-0.html"]


def test_no_output_parses_text_as_code() -> None:
    """The package that reads documents names nothing that would evaluate a string."""
    forbidden = {"sympify", "parse_expr", "parse_latex", "lambdify", "eval", "exec", "literal_eval"}
    for path in Path(str(files("audit"))).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = getattr(node, "id", None) or getattr(node, "attr", None)
            assert named not in forbidden, (path, node.lineno)
            if isinstance(node, ast.ImportFrom):
                assert not forbidden & {alias.name for alias in node.names}, path


@seed(SEED)
@settings(fuzz, max_examples=300)
@given(text=st.text("0123456789+-*/()., IEopisqrtlgxcn\uff53_[]{}\\^$", max_size=60))
def test_values_are_shown_whatever_they_say(text: str) -> None:
    mathml(latex_of_value(text))
    mathml(latex_of_point({text: [[text]]}))
    mathml(text)
