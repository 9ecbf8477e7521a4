"""What a continuous-integration service shows: JUnit XML and a Markdown summary of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from audit.documents import correction_of
from audit.sinks import Prose, as_markdown, code_span, markdown_text, printable
from audit.terminal.layout import counted
from audit.verdict import VERDICTS, origin_of

__all__ = ["junit", "summary"]

Record = dict[str, Any]


def junit(records: Sequence[Record], found: Sequence[str]) -> str:
    """JUnit XML: a suite for each paper, a case for each claim and witness.

    A case fails when its claim is among the problems `found` ("<id>: what is wrong"); a witness that
    a claim does not have, and a claim that is not encoded, are skipped, and so stay visible.
    """
    root = ElementTree.Element("testsuites", name="twofold")
    for paper in dict.fromkeys(record["paper"] for record in records):
        own = [record for record in records if record["paper"] == paper]
        suite = ElementTree.SubElement(root, "testsuite", name=paper)
        for record in own:
            trouble = [line for line in found if line.startswith(f"{record['id']}: ")]
            for witness in ("proof", "measurement"):
                _case(suite, record, witness, trouble)
        _count(suite)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(
        root, encoding="unicode"
    )


def _case(suite: Any, record: Record, witness: str, trouble: Sequence[str]) -> None:
    result = record[witness]
    case = ElementTree.SubElement(
        suite, "testcase", classname=record["id"], name=f"{record['id']} [{witness}]",
        time=str(result["seconds"] if result else 0),
    )  # fmt: skip
    if trouble:
        failure = ElementTree.SubElement(case, "failure", message=printable(trouble[0]))
        failure.text = printable("\n".join(trouble))
    elif result is None:
        ElementTree.SubElement(
            case, "skipped", message=printable(f"no {witness}: {record['reason']}")
        )
    else:
        out = ElementTree.SubElement(case, "system-out")
        out.text = printable(
            f"{record['verdict']}: {witness} {result['status']}. {record['reason']}"
        )


def _count(suite: Any) -> None:
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    suite.set("time", f"{sum(float(case.get('time')) for case in suite):.3f}")


def summary(records: Sequence[Record], found: Sequence[str], seconds: float) -> str:
    """Markdown: counts by paper, what is wrong, and every statement found false."""
    lines = [
        "## twofold",
        "",
        f"{counted(len(records), 'claim')} in {seconds:.1f} s; "
        + (f"**{counted(len(found), 'problem')}**" if found else "every verdict as expected"),
        "",
        "| paper | " + " | ".join(VERDICTS) + " |",
        "|---" * (len(VERDICTS) + 1) + "|",
    ]
    for origin in dict.fromkeys(map(origin_of, records)):
        counts = Counter(r["verdict"] for r in records if origin_of(r) == origin)
        lines.append(
            f"| {markdown_text(''.join(origin))} | "
            + " | ".join(str(counts[v] or "") for v in VERDICTS)
            + " |"
        )
    if found:
        lines += ["", "### Problems", "", *(f"- {markdown_text(line)}" for line in found)]
    false = [record for record in records if record["verdict"] == "refuted"]
    if false:
        lines += ["", "<details><summary>Statements found false</summary>", ""]
        lines += [
            f"- {code_span(r['id'])} ({r['severity']}): {as_markdown(Prose(correction_of(r) or r['title']))}"
            for r in false
        ]
        lines += ["", "</details>"]
    return "\n".join(lines) + "\n"
