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
from at_k.results.sheet import Sentences, Sheet
from at_k.results.writers import Shown

if TYPE_CHECKING:
    from at_k.signatures import Metrics, ScoreOptions, Unpack

_say = Phrases(
    {
        "bug.two_verdicts": "Equal answers of one problem have different verdicts; problems with such answers: "
        "{count:,} of {total:,}, for instance {answer} in problem {problem}. The grader contradicts itself, or it "
        "graded something else than this column of answers.",
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
    "repeated",
    "copied",
    "wrong_agreement",
    "wrong_majority",
    "stability",
    "design_effect",
    "independent_problems",
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
        """Show the mistakes, what the numbers mean, and remarks about how they were read, each with its rule."""
        parts = (
            ("This must be a mistake", self.mistakes, "mistake"),
            (
                "What the numbers say",
                [text for text in self.sentences if not isinstance(text, Mistake)],
                "",
            ),
            (
                "How they were read",
                [note for note in self.report.notes if not isinstance(note, Mistake)],
                "note",
            ),
        )
        listed = [
            {"rule": sentence.code, "sentence": str(sentence), "values": sentence.values}
            for sentence in self.sentences
        ]
        return Sheet(
            [
                Sentences(texts, kind, heading, codes=True)
                for heading, texts, kind in parts
                if texts
            ],
            data=lambda: {
                "source": self.report.source,
                "sentences": listed,
                "figures": self.figures,
            },
        )


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
        The levels, the decision matrix and the targets are those of AISBench, https://github.com/AISBench/benchmark, in
        its page on accuracy metrics.

    Examples:
        >>> found = diagnose({"answers": [["7", "9", "9"], ["1", "1", "1"]], "references": ["7", "1"]})
        >>> print(found.sentences[0])
        Problems with all samples correct: 1 of 2 (50.0%); some: 1 (50.0%); none: 0 (0.0%).
        >>> found.figures["solved"]
        {'always': 1, 'sometimes': 1, 'never': 0}
    """
    options: dict[str, Any] = {**given, **({} if metrics is None else {"metrics": metrics})}
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
    yield from (note for note in findings.report.notes if isinstance(note, Mistake))
    count, answer, place = findings.conflicts
    if count:
        problem = quote(findings.report.problems[place])
        yield _say.mistake(
            "bug.two_verdicts", count=count, total=len(findings.n), answer=answer, problem=problem
        )
    elif findings.verdicts is None:
        yield from (
            reason for reason in findings.report.left_out.values() if isinstance(reason, Mistake)
        )
    findings.figures["problems_with_two_verdicts"] = (
        count if findings.verdicts is not None else None
    )
