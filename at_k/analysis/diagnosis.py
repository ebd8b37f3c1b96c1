"""Say what the numbers of a report mean, in sentences with figures, each by a rule with a stated threshold.

The rules and their thresholds are listed in docs/diagnosis.md. No sentence claims more than the data show: where an
interval reaches across a threshold, this is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from at_k.analysis import attempts, behaviour
from at_k.analysis.findings import Findings, quote
from at_k.errors import Message, Mistake, Phrases
from at_k.options.registry import SCORING, check_options, takes
from at_k.report import Report
from at_k.report.scoring import score_unless_scored
from at_k.results.sheet import Sentences, Sheet, Table
from at_k.results.writers import Shown

if TYPE_CHECKING:
    from at_k.signatures import Metrics, ScoreOptions, Unpack

_say = Phrases(
    {
        "bug.two_verdicts": "Equal answers of one problem have different verdicts; problems with such answers: "
        "{count:,} of {total:,}, for instance {answer} in problem {problem}. The grader contradicts itself, or it "
        "graded something else than this column of answers.",
        "flaky.further": "Further findings: {count}. `at-k diagnose --all` prints them; `sentences` lists them.",
        "flaky.caption": "Problems that flake: {count:,} of {total:,}.",
    }
)

# The rules, in the order of what they say.
_RULES = (*attempts.RULES, *behaviour.RULES)

# The figures that are None where their rule has nothing to look at.
_FIGURES = (
    "flaky",
    "correct_of_all",
    "correct_of_present",
    "costs",
    "no_event",
    "cons_at_infinity",
    "repeated",
    "copied",
    "wrong_agreement",
    "wrong_majority",
    "stability",
    "design_effect",
    "independent_problems",
    "problems_with_two_verdicts",
)


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Shown):
    """Hold what the numbers of a report mean.

    Attributes:
        sentences: what the rules found, mistakes first. The `code` of each names its rule, and its `values` hold the
            figures and the threshold.
        figures: the numbers behind them, also of rules that found nothing, ready for `json.dumps`.
        report: the report.
    """

    sentences: list[Message]
    figures: dict[str, Any]
    report: Report = field(repr=False)

    @property
    def mistakes(self) -> list[Mistake]:
        """Return the sentences about what must be a mistake in the data, the grader or the numbers."""
        return [sentence for sentence in self.sentences if isinstance(sentence, Mistake)]

    def sheet(self, *, short: bool = False) -> Sheet:
        """Show the mistakes, what the numbers mean, flaky problems, and how the numbers were read."""
        # The short form, for a terminal, has the findings that matter most.
        findings = [text for text in self.sentences if not isinstance(text, Mistake)]
        notes = [note for note in self.report.notes if not isinstance(note, Mistake)]
        shown = findings
        further = []
        if short:
            shown = sorted(findings, key=rank_finding)[:_SHOWN]
            notes = []
        if len(shown) < len(findings):
            further = [_say("flaky.further", count=len(findings) - len(shown))]
        parts: list[Sentences | Table] = [
            Sentences(self.mistakes, "mistake", "This must be a mistake"),
            Sentences(shown, "", "What the numbers say"),
        ]
        flaky = list_flaky(self)
        if flaky.rows:
            parts.append(flaky)
        parts.append(Sentences(notes, "note", "How they were read"))
        parts.append(Sentences(further, "legend"))
        return Sheet(parts, rows=self._list_sentences, data=self._data)

    def _list_sentences(self) -> Table:
        rows = []
        for sentence in self.sentences:
            rows.append(("mistake" if isinstance(sentence, Mistake) else "finding", sentence))
        return Table(("kind", "sentence"), rows, left=2)

    def _data(self) -> dict[str, Any]:
        sentences = [
            {"rule": sentence.code, "sentence": str(sentence), "values": sentence.values}
            for sentence in self.sentences
        ]
        return {"source": self.report.source, "sentences": sentences, "figures": self.figures}


# Findings of a short form, and the rules in the order of what matters most to a reader.
_SHOWN = 3
_ORDER = (
    "diagnosis.one_sample",
    "diagnosis.no_variation",
    "diagnosis.copies",
    "diagnosis.missing",
    "diagnosis.runs_differ",
    "diagnosis.solved",
    "diagnosis.votes_wrong",
    "diagnosis.votes_right",
    "diagnosis.wrong_agree",
    "diagnosis.wrong_majority",
    "diagnosis.rarely",
    "diagnosis.repeated",
    "diagnosis.score_confidence",
    "diagnosis.cost",
    "diagnosis.clusters",
    "diagnosis.stability",
)

# Problems of the table of flaky ones.
_FLAKY = 8


def rank_finding(finding: Message) -> int:
    """Return the rank of a finding by what matters most; the table of problems is last."""
    if finding.code in _ORDER:
        return _ORDER.index(finding.code)
    return len(_ORDER)


def list_flaky(found: Diagnosis) -> Table:
    """List the problems with right and wrong samples, those with the fewest wrong ones first."""
    flaky = found.figures["flaky"] or {}
    n = dict(zip(found.report.problems, found.report.n, strict=True))
    fewest = sorted(flaky.items(), key=lambda item: len(item[1]))
    rows = [
        [name, f"{n[name] - len(failed)} of {n[name]}", attempts.list_attempts(failed)]
        for name, failed in fewest[:_FLAKY]
    ]
    caption = _say("flaky.caption", count=len(flaky), total=len(n))
    return Table(["problem", "right", "wrong samples, counted from 0"], rows, caption, left=3)


@takes(SCORING)
def diagnose(data: Any, /, metrics: Metrics = None, **given: Unpack[ScoreOptions]) -> Diagnosis:  # noqa: D417 - from the registry
    """Say what the numbers of a data set mean: what the model does, and what must be a mistake.

    Args:
        data: what `at_k.score` takes, or a report that it made, or the file of one. A report that was saved has no
            answers and no scores, so that the rules about these are left out.
        given: see below.

    Returns:
        Sentences with figures, and the figures.

    Raises:
        TypeError: if an option is unknown.
        ValueError: if the data cannot be scored, or options come with a report.

    References:
        The levels and the decision matrix are those of AISBench, https://github.com/AISBench/benchmark, in its page on
        accuracy metrics.

    Examples:
        >>> found = diagnose({"answers": [["7", "9", "9"], ["1", "1", "1"]], "references": ["7", "1"]})
        >>> print(found.sentences[0])
        Problems with all samples correct: 1 of 2 (50.0%); some: 1 (50.0%); none: 0 (0.0%).
        >>> found.figures["solved"]
        {'always': 1, 'sometimes': 1, 'never': 0}
    """
    options: dict[str, Any] = {**given}
    if metrics is not None:
        options["metrics"] = metrics
    check_options(options, SCORING, of="diagnose")
    report = score_unless_scored(data, options)
    report.require_problems("A diagnosis")
    report.require_independent("A diagnosis")
    findings = Findings(report)
    findings.figures |= dict.fromkeys(_FIGURES)
    sentences = [sentence for rule in (find_contradictions, *_RULES) for sentence in rule(findings)]
    return Diagnosis(sentences, findings.figures, report)


def find_contradictions(findings: Findings) -> Iterator[Message]:
    """Find that no answer equals its reference, and equal answers with two verdicts."""
    report = findings.report
    yield from (note for note in report.notes if isinstance(note, Mistake))
    count, answer, place = findings.conflicts
    if count:
        problem = quote(report.problems[place])
        yield _say.mistake(
            "bug.two_verdicts", count=count, total=len(findings.n), answer=answer, problem=problem
        )
    if findings.verdicts is not None:
        findings.figures["problems_with_two_verdicts"] = count
    elif not count:
        yield from (reason for reason in report.left_out.values() if isinstance(reason, Mistake))
