"""The site: whole, light, escaped, and careful with other people's files."""

from __future__ import annotations

import json
import re
import shutil
from copy import deepcopy
from html.parser import HTMLParser
from pathlib import Path
from time import process_time

import pytest
from synthetic import MARKUP, document

from audit.site.build import SiteError, build, check_folder


class Links(HTMLParser):
    """Every address a page points to, and the ids it offers."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.ids: set[str] = set()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in {"href", "src"} and value is not None:
                self.targets.append(value)
            if name == "id" and value is not None:
                assert value not in self.ids, f"id {value} stands twice"
                self.ids.add(value)


def parsed(path: Path) -> Links:
    links = Links()
    links.feed(path.read_text(encoding="utf-8"))
    return links


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build(document(60), folder)
    return folder


def test_five_hundred_claims_build_fast_and_light(tmp_path: Path) -> None:
    started = process_time()
    written = build(document(500), tmp_path / "site")
    assert process_time() - started < 20
    sizes = {path: path.stat().st_size for path in written}
    assert sum(sizes.values()) < 30e6
    assert all(size < 300e3 for path, size in sizes.items() if path.parent.name == "claims")


def test_every_link_leads_somewhere_inside(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    lemmas = list(site.glob("lemmas/*.html"))
    assert lemmas and len(pages) == 60 + len(lemmas) + 6 + 4
    for page in pages:
        for target in parsed(page).targets:
            assert not re.match(r"[a-z]+:|//", target) or target == "data:,", (page, target)
            file, _, _ = target.partition("#")
            assert target == "data:," or not file or (page.parent / file).exists(), (page, target)


def test_claim_page_shows_all_that_is_known(site: Path) -> None:
    text = (site / "claims" / "paper0.claim-2.html").read_text(encoding="utf-8")
    for part in (
        "As printed", "As read", "Understood", "No token at all.", "What is true instead",
        "Counterexample", "Proof: refuted", "Measurement: disagrees",
        "Adversary: violated", "Its false twins", "Rests on statements found false", "What rests on it",
        "Replay", "The square is missing.", "Variants made by machine",
        "the proof rejects 4 and the measurement 1",
        "variant 5", "induction", 'from step <a href="#step-1">1</a>', "doubt 3", "Seed 0",
    ):  # fmt: skip
        assert part in text, part
    assert text.count("<math") >= 8
    assert text.count('class="picture"') == 2


def test_outside_text_is_escaped_everywhere(tmp_path: Path) -> None:
    hostile = document(8, title=MARKUP)
    for record in hostile["claims"]:
        record["note"] = record["source"] = MARKUP
        record["mutants"][0]["name"] = MARKUP
        record["statement"] = r"x \text{" + MARKUP + "}"
        if record["proof"]:
            record["proof"]["method"] = MARKUP
            record["proof"]["assumed"] = [MARKUP]
            record["proof"]["steps"][0]["claim"] = r"\frac{" + MARKUP
    for page in build(hostile, tmp_path):
        if page.suffix == ".html":
            links = parsed(page)
            assert "b" not in links.tags, page
            scripts = page.read_text(encoding="utf-8").count("<script")
            assert scripts == page.read_text(encoding="utf-8").count("<script src="), page
    assert "</script>" not in (tmp_path / "data.js").read_text(encoding="utf-8")


def test_front_page_leads_with_counts_and_search_then_the_gravest_findings(tmp_path: Path) -> None:
    whole = document(30)
    refuted = [record for record in whole["claims"] if record["verdict"] == "refuted"]
    for record, severity in zip(refuted, ("misprint", "missing-hypothesis"), strict=False):
        record["severity"] = severity
    build(whole, tmp_path)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    order = [
        'class="counts"', "What a verdict means", 'id="search"', "All statements",
        "Found false", ">Material<", ">Missing hypotheses<", ">Misprints<", ">Saying nothing<",
    ]  # fmt: skip
    assert sorted(order, key=text.index) == order
    assert text.count("Instead:") == 12


def test_many_findings_of_a_paper_are_folded(tmp_path: Path) -> None:
    build(document(100, papers=1), tmp_path / "many")
    build(document(20, papers=1), tmp_path / "few")
    folded = '<details class="found"><summary>'
    assert folded in (tmp_path / "many" / "index.html").read_text(encoding="utf-8")
    assert folded not in (tmp_path / "few" / "index.html").read_text(encoding="utf-8")


def test_front_page_counts_witnesses(tmp_path: Path) -> None:
    """A proof and a measurement, one of them, an argument beside a measurement, and neither."""
    whole = document(5, papers=1)
    proved, supported, *_ = whole["claims"]
    argued = deepcopy(supported) | {"id": "paper0.argued"}
    argued["proof"] = {**proved["proof"], "grade": "argued"}
    alone = deepcopy(proved) | {"id": "paper0.alone", "measurement": None}
    whole["claims"] += [argued, alone]
    build(whole, tmp_path)
    text = " ".join((tmp_path / "index.html").read_text(encoding="utf-8").split())
    assert "7 statements of 1 paper. 3 have two independent witnesses" in text
    assert "; 2 a measurement alone (1 with an argument in words beside it)" in text
    assert "; 1 a proof or counterexample alone; 1 neither." in text


def test_a_paper_counts_statements_of_ours_apart(tmp_path: Path) -> None:
    whole = document(6, papers=1)
    whole["claims"][5]["ours"] = True
    build(whole, tmp_path)
    page = (tmp_path / "papers" / "paper0.html").read_text(encoding="utf-8")
    text = " ".join(re.sub(r"<[^>]+>", "", page).split())
    assert "5 statements: ✓ 1 proved" in text and "1 statement of our own: ✓ 1 proved." in text


def test_what_is_not_encoded_is_grey_and_has_no_page(tmp_path: Path) -> None:
    whole = document(8, absent=2)
    whole["claims"][0]["uses"] = ["paper0.absent-0"]
    build(whole, tmp_path)
    assert not list(tmp_path.glob("claims/*absent*"))
    for page in tmp_path.rglob("*.html"):
        assert not [target for target in parsed(page).targets if "absent-" in target], page
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "8 statements of 4 papers" in index
    assert "2 more statements are not encoded" in index
    assert index.count('<li class="absent">') == 2
    assert "Not encoded (2)" in (tmp_path / "coverage.html").read_text(encoding="utf-8")


def test_coverage_says_every_reason_once(tmp_path: Path) -> None:
    whole = document(10, papers=1)
    by_verdict = {record["verdict"]: record for record in whole["claims"]}
    for record in whole["claims"]:
        record["measurement"]["scales"] = [
            {"scale": "small", "status": "agrees", "reason": ""},
            {"scale": "model", "status": None, "reason": "its size is fixed"},
        ]
        record["adversary"] |= {"starts": 0, "sentence": "Not attackable: nothing is exact."}
        if record["verdict"] in {"supported", "unsettled"}:
            record["note"] = "The corpus is not shipped. And more."
            record["reason"] = f"not measured with power: {record['note']}"
    by_verdict["supported"]["proof"] = {**by_verdict["proved"]["proof"], "grade": "argued"}
    build(whole, tmp_path)
    text = (tmp_path / "coverage.html").read_text(encoding="utf-8")
    for part, times in {
        "Unsettled (2)": 1, "Measured, and not proved (1)": 1, "Argued in words, and measured (1)": 1,
        "In words: by parts.": 1, "Not measured with power: The corpus is not shipped. <": 1,
        "Not measured at model scale: its size is fixed.": 1, "Not attackable: nothing is exact.": 1,
        "And more.": 3,
    }.items():  # fmt: skip
        assert text.count(part) == times, part


def test_paper_page_shows_every_statement_with_verdict_and_formula(site: Path) -> None:
    text = (site / "papers" / "paper1.html").read_text(encoding="utf-8")
    links = parsed(site / "papers" / "paper1.html")
    assert {f"at-paper1.claim-{n}" for n in range(15)} <= links.ids
    assert text.count('<div class="told">') == text.count('class="judged"') == 15
    assert text.count('class="formula') == 15
    assert all(f'id="sec-{n}"' in text for n in range(15))
    inside = [target[1:] for target in links.targets if target.startswith("#")]
    assert set(inside) <= links.ids


def test_foreign_files_are_neither_replaced_nor_removed(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    build(document(10), tmp_path)
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"
    (tmp_path / "claims" / "mine.html").write_text("mine", encoding="utf-8")
    build(document(4, papers=1), tmp_path)
    assert (tmp_path / "claims" / "mine.html").exists()
    assert not (tmp_path / "claims" / "paper3.claim-0.html").exists()


def test_a_foreign_page_of_the_same_name_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine", encoding="utf-8")
    with pytest.raises(SiteError, match=r"index\.html, which twofold did not write"):
        build(document(4), tmp_path)
    with pytest.raises(SiteError, match="did not write"):
        check_folder(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["index.html"]


def test_a_forged_list_does_not_reach_outside(tmp_path: Path) -> None:
    outside = tmp_path / "precious.txt"
    outside.write_text("mine", encoding="utf-8")
    folder = tmp_path / "site"
    build(document(4), folder)
    with (folder / ".twofold-site").open("a", encoding="utf-8") as names:
        names.write(f"../precious.txt\n{outside}\n")
    build(document(4), folder)
    assert outside.exists()


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("", encoding="utf-8")
    with pytest.raises(SiteError, match="is a file; give a folder"):
        check_folder(tmp_path / "site")


def test_figures_are_shown_beside_their_claim(tmp_path: Path) -> None:
    store = tmp_path / "figures"
    store.mkdir()
    for suffix in ("png", "csv"):
        (store / f"paper0.claim-0.{suffix}").write_bytes(b"x")
    build(document(4), tmp_path / "site", store)
    text = (tmp_path / "site" / "claims" / "paper0.claim-0.html").read_text(encoding="utf-8")
    assert "figures/paper0.claim-0.png" in text
    gallery = (tmp_path / "site" / "figures.html").read_text(encoding="utf-8")
    assert gallery.count("<img") == 1
    assert 'href="claims/paper0.claim-0.html"' in gallery
    listed = (tmp_path / "site" / "papers" / "paper0.html").read_text(encoding="utf-8")
    assert "figures.html#paper0.claim-0" in listed
    assert (tmp_path / "site" / "figures" / "paper0.claim-0.csv").exists()


def test_document_is_offered_whole(site: Path) -> None:
    assert json.loads((site / "audit.json").read_text(encoding="utf-8")) == document(60)


def tree(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_full_disk_leaves_the_earlier_site_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(document(3), tmp_path / "site")
    before, real = tree(tmp_path / "site"), Path.write_text

    def full(self: Path, *args, **kwargs):
        if self.name == "data.js":
            raise OSError(28, "No space left on device")
        return real(self, *args, **kwargs)

    for folder in ("site", "fresh"):
        monkeypatch.setattr(Path, "write_text", full)
        with pytest.raises(SiteError, match="No space left on device"):
            build(document(5), tmp_path / folder)
        monkeypatch.setattr(Path, "write_text", real)
        assert tree(tmp_path / folder) == (before if folder == "site" else {})
        build(document(5), tmp_path / folder)


@pytest.mark.parametrize("moves", [0, 1, 5, 12])
@pytest.mark.parametrize("earlier", [0, 3])
def test_a_build_that_was_killed_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moves: int, earlier: int
) -> None:
    """Killed between two files: no handler of ours runs, as `KeyboardInterrupt` and no clean-up."""
    if earlier:
        build(document(earlier), tmp_path)
    real, count = Path.replace, iter(range(moves + 1))

    def killed(self: Path, target: Path):
        if next(count, None) is None:
            raise KeyboardInterrupt
        return real(self, target)

    monkeypatch.setattr(Path, "replace", killed)
    monkeypatch.setattr(shutil, "rmtree", lambda *_, **__: None)
    with pytest.raises(KeyboardInterrupt):
        build(document(6), tmp_path)
    monkeypatch.undo()
    check_folder(tmp_path)
    build(document(6), tmp_path)
    build(document(6), tmp_path.with_name("undisturbed"))
    assert tree(tmp_path) == tree(tmp_path.with_name("undisturbed"))
