"""Write the site into a folder: pages from templates, and nothing of anybody else's touched.

The folder's list of files, `.twofold-site`, says what an earlier build wrote.  Only files on it are
replaced or removed; a file of the same name that is not on it stops the build before anything is
written.  Pages are written beside the old ones and moved over them when all are there, and the list
names them before the first is moved: a full disk leaves the earlier site whole, and a build that was
killed can be repeated.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from audit.formulas.asciimath import as_prose
from audit.processes import NoProcess, can_fork, spread
from audit.sinks import printable
from audit.site.benchmarks import FOLDER, benchmarks_page, files_of
from audit.site.claim_page import claim_page, proofs_of, shown_steps
from audit.site.coverage import topics
from audit.site.error_rates import error_rates_page
from audit.site.formulas import boxed, prose
from audit.site.front import front_page, has_page, search_rows
from audit.site.gallery import figures_of, size_of
from audit.site.lemmas import Lemmas
from audit.site.papers import paper_page
from audit.site.proof_tree import proof_tree
from audit.trust import trust_page
from audit.verdict import MARKS
from audit.words.records import ended, sentence
from claims.errors import UserError
from claims.model import ID_RULE, is_id
from claims.registry import paper

__all__ = ["BENCHMARKS", "RECORDED", "SiteError", "build", "check_folder", "claim_pages"]

LIST, BESIDE = ".twofold-site", ".twofold-site.new"
"""The list of our files, and the folder in which a build prepares them."""
RECORDED = Path(__file__).resolve().parents[2] / "figures"
"""Figures drawn with `make figures` and kept in the repository, picture and data by claim id."""
BENCHMARKS = RECORDED.parent / "benchmarks" / "pictures"
"""Pictures of recorded benchmarks, drawn with `make bench`."""
OVERVIEWS = ("coverage.html", "figures.html", "benchmarks.html", "trust.html", "error-rates.html")
STATIC = ("style.css", "claim.css", "overview.css", "search.js", "graph.js")

FONTS = Path(__file__).with_name("static") / "fonts"
"""A font for mathematics, which many systems lack, and its licence."""

Job = tuple[Callable[[str], str], str, str]
"""What writes a page, its name, and a claim of the paper whose formulas recur there."""


class SiteError(UserError):
    """A folder that cannot hold the site."""


def build(
    document: Mapping[str, Any], folder: Path | str, figures: Path | None = None,
    benchmarks: Path | None = None, workers: int = 1,
) -> list[Path]:  # fmt: skip
    """Write the site of an audit document, its claims' pages by so many processes; the files written.

    `figures` holds recorded figures, `<id>.png` and `<id>.csv`; those of audited claims are copied, and
    the pictures that the index of the folder `benchmarks` names.
    Raises `SiteError` when the folder holds files of the same names that no earlier build wrote.
    """
    target = Path(folder)
    recorded = figures_of(document, figures)
    pages = render(document, recorded, benchmarks, workers)
    copied = {f"figures/{path.name}": path for paths in recorded.values() for path in paths}
    copied |= {f"{FOLDER}/{path.name}": path for path in files_of(benchmarks)}
    copied |= {f"{FONTS.name}/{path.name}": path for path in FONTS.iterdir()}
    names = {*pages, *copied}
    earlier = _earlier(target)
    _refuse_foreign(target, names, earlier)
    beside = target / BESIDE
    try:
        _write_beside(beside, pages, copied)
        _mark(target, earlier | names)
        for name in sorted(names):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (beside / name).replace(target / name)
        for name in sorted(earlier - names):
            (target / name).unlink(missing_ok=True)
        _mark(target, names)
    except OSError as error:
        raise SiteError(
            f"--site {folder}: cannot be written ({error.strerror}); choose another place"
        ) from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return [target / name for name in sorted(names)]


def _write_beside(beside: Path, pages: Mapping[str, str], copied: Mapping[str, Path]) -> None:
    """The whole new site in a folder of its own; what an interrupted build left there is removed."""
    if beside.exists():
        shutil.rmtree(beside)
    for name in (*pages, *copied):
        (beside / name).parent.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (beside / name).write_text(text, encoding="utf-8")
    for name, source in copied.items():
        shutil.copyfile(source, beside / name)


def _mark(target: Path, names: set[str]) -> None:
    """Say which files of the folder are ours: the list is replaced whole."""
    marks = target / BESIDE / LIST
    marks.write_text("\n".join(sorted(names)) + "\n", encoding="utf-8")
    marks.replace(target / LIST)


def check_folder(folder: Path | str) -> None:
    """Raise `SiteError` now if the site could not be written there after a long audit."""
    target = Path(folder)
    try:
        target.lstat()
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SiteError(f"--site {folder}: cannot be written ({reason})") from None
    if target.exists() and not target.is_dir():
        raise SiteError(f"--site {folder}: is a file; give a folder")
    existing = next(p for p in (target, *target.absolute().parents) if p.exists())
    if not os.access(existing, os.W_OK):
        raise SiteError(f"--site {folder}: {existing} cannot be written; choose another place")
    _refuse_foreign(
        target,
        {"index.html", *OVERVIEWS, *STATIC},
        _earlier(target),
    )


def _earlier(target: Path) -> set[str]:
    """Files that the last build wrote here; names that point outside the folder are ignored."""
    try:
        lines = (target / LIST).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return set()
    safe = (PurePosixPath(line) for line in lines if line)
    return {str(name) for name in safe if not name.is_absolute() and ".." not in name.parts}


def _refuse_foreign(target: Path, names: set[str], earlier: set[str]) -> None:
    foreign = sorted(name for name in names - earlier if (target / name).exists())
    if foreign:
        raise SiteError(
            f"--site {target}: holds {foreign[0]}, which twofold did not write; "
            "choose an empty folder or one that holds an earlier site"
        )


def _refuse_unsafe(names: set[str]) -> None:
    unsafe = sorted(name for name in names if not is_id(name))
    if unsafe:
        raise SiteError(f"{unsafe[0]!r} cannot name a page: {ID_RULE}; rename the claim")


def render(
    document: Mapping[str, Any], figures: Mapping[str, list[Path]], benchmarks: Path | None = None,
    workers: int = 1,
) -> dict[str, str]:  # fmt: skip
    """Every page as text, by its path inside the folder."""
    records = document["claims"]
    _refuse_unsafe({record[field] for record in records for field in ("id", "paper")})
    papers = {name: paper(name) for name in dict.fromkeys(r["paper"] for r in records)}
    shared = {"document": document, "papers": papers, "marks": MARKS, "figures": figures}
    shown = [record for record in records if record["id"] in figures]
    pages = {
        "index.html": _page("index.html.j2", root="", **front_page(document), **shared),
        "coverage.html": _page(
            "coverage.html.j2", root="", topics=topics(records),
            absent=[r for r in records if not has_page(r)], **shared,
        ),
        "figures.html": _page(
            "figures.html.j2", root="", shown=shown, **shared,
            sizes={claim: size_of(picture) for claim, (picture, _) in figures.items()},
        ),
        "benchmarks.html": _page(
            "benchmarks.html.j2", root="", **benchmarks_page(benchmarks), **shared
        ),
        "trust.html": _page("trust.html.j2", root="", **trust_page(document), **shared),
        "error-rates.html": _page("error-rates.html.j2", root="", **error_rates_page(), **shared),
        "audit.json": json.dumps(document),
        "data.js": f"window.TWOFOLD = {_script_safe(search_rows(records))};\n",
    }  # fmt: skip
    for name in STATIC:
        pages[name] = files("audit.site").joinpath("static", name).read_text(encoding="utf-8")
    for name, about in papers.items():
        own = [record for record in records if record["paper"] == name]
        pages[f"papers/{name}.html"] = _page(
            "paper.html.j2", root="../", **paper_page(about, own), **shared
        )
    return pages | claim_pages(document, figures, workers)


def claim_pages(
    document: Mapping[str, Any], figures: Mapping[str, list[Path]] | None = None, workers: int = 1
) -> dict[str, str]:
    """The page of every claim that is encoded and of every lemma as text, by its path inside the folder."""
    records = document["claims"]
    papers = {name: paper(name) for name in dict.fromkeys(r["paper"] for r in records)}
    users: dict[str, list[str]] = {}
    for record in records:
        for used in record["uses"]:
            users.setdefault(used, []).append(record["id"])
    by_id = {record["id"]: record for record in records}
    shown = [record["id"] for record in filter(has_page, records)]
    lemmas = Lemmas(proofs_of(by_id[i] for i in shown))
    shared = {"root": "../", "document": document, "papers": papers, "marks": MARKS}
    linked = frozenset(shown)

    def of_claim(name: str) -> str:
        return _page(
            "claim.html.j2", **shared, linked=linked - {name},
            **claim_page(by_id[name], by_id, users.get(name, []), document, lemmas),
            figure=name if name in (figures or {}) else None,
        )  # fmt: skip

    def of_lemma(key: str) -> str:
        lemma = lemmas.pages[key]
        return _page(
            "lemma.html.j2", **shared, lemma=lemma, used_by=[by_id[i] for i in lemma.claims],
            proof={"tree": proof_tree(lemma.steps), **shown_steps()},
        )  # fmt: skip

    jobs: dict[str, Job] = {f"claims/{i}.html": (of_claim, i, i) for i in shown}
    jobs |= {
        f"lemmas/{k}.html": (of_lemma, k, lemma.claims[0]) for k, lemma in lemmas.pages.items()
    }
    return _written(jobs, workers)


def _written(jobs: Mapping[str, Job], workers: int) -> dict[str, str]:
    """Pages by path."""

    def page(path: str) -> str:
        write, name, _ = jobs[path]
        return write(name)

    paths, made = list(jobs), dict[str, str]()
    if workers > 1 and can_fork():
        papers = [(claim.partition(".")[0],) for _, _, claim in jobs.values()]
        with suppress(NoProcess):  # this one suffices
            texts = spread(page, [(path,) for path in paths], workers, papers)
            made = {paths[place]: text for place, text in texts}
    return {path: made.get(path) or page(path) for path in paths}


def _page(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("audit.site"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, finalize=_shown,
    )  # fmt: skip
    environment.filters |= {
        "prose": _linked_prose, "boxed": boxed, "sentence": sentence, "ended": ended,
        "source": lambda source: prose(as_prose(source, scripts_only=True)),
    }  # fmt: skip
    return environment


@pass_context
def _linked_prose(context: Context, text: str) -> Markup:
    """A paragraph in which the names of claims lead to their pages, where the page says which have one."""
    linked, root = context.get("linked", ()), context.get("root", "")
    return prose(text, lambda name: f"{root}claims/{quote(name)}.html" if name in linked else None)


def _shown(value: Any) -> Any:
    return printable(value) if type(value) is str else value


def _script_safe(value: Any) -> str:
    """JSON that may stand in a script: no `<` that could end it."""
    return json.dumps(value).replace("<", "\\u003c")
