"""What `--help` says beside the options: selectors, verdicts, budgets, exit statuses, examples."""

from __future__ import annotations

__all__ = ["BUDGETS", "EXIT", "SHORT", "WORDS"]

SHORT = {
    "audit": "Prove and measure claims; write a document, a site, reports.",
    "list": "Claims with their expected verdict, severity, title and source.",
    "show": "One claim in full, the verdict and its counterexample first.",
    "attack": "Search for a violation of one claim that is an inequality.",
    "errata": "What was found false in a paper, as a letter to its authors.",
    "diff": "Which verdicts changed between two audit documents, and why.",
    "figure": "Measure a figure or table of a paper again.",
    "bench": "The benchmarks.",
    "train": "Train the network of im2026 on a text of yours.",
    "covariances": "Compare a local checkpoint with what im2026 predicts.",
    "new": "A package for the claims of a paper of yours.",
    "store": "Where results are kept for reuse, how many; clear them.",
    "trust": "What must be trusted below one proof, or below all.",
}
"""One line for each command, which fits beside its name."""

WORDS = """\b
A SELECTOR is a claim, what ids begin with up to a dot, or a paper:
  noci2022.lemma-3.1.input    noci2022.lemma-3.1    noci2022

\b
Verdicts:
  proved     derived in full generality, checked again, and measured
  supported  measured with power; argued in words, or without a proof
  refuted    an exact counterexample, or a measurement beyond its error budget
  vacuous    it cannot fail, or its hypotheses cannot hold together
  unsettled  neither proof nor measurement settles it; the reason says why
  conflict   proof and measurement disagree: a bug of ours

\b
Examples:
  twofold list --verdict refuted --severity material
  twofold show noci2022.lemma-3.1.input
  twofold audit wu2024 --budget quick --json out/audit.json --site out/site

"""

EXIT = """\b
Exit status:
  0    all verdicts as expected
  1    a verdict differs, a false variant passed, or a conflict
  2    unusable arguments, or an output that cannot be written
  3    incomplete: a claim's worker died twice, or the cluster went away
  130  interrupted; an audit keeps what was finished, and continues
"""

BUDGETS = """\b
Budgets, for each claim at most:
  quick      2 cases of up to    131,072 samples,   6 false variants
  standard   4 cases of up to  1,048,576 samples,  20 false variants
  thorough   8 cases of up to  8,388,608 samples, all false variants
All claims at quick take about ten minutes with two workers, four times that
at standard.
What has not changed since is not computed again. One claim takes seconds.

\b
Examples:
  twofold audit noci2022.lemma-3.1 --budget quick
  twofold audit --json out/audit.json --site out/site
  twofold audit wu2024 --accept   (record the verdicts as expected)

"""
