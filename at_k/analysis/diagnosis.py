"""Say what the numbers of a report mean, in sentences with figures, each by a rule with a stated threshold.

The rules and their thresholds are listed in docs/diagnosis.md. No sentence claims more than the data show: where an
interval reaches across a threshold, this is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from at_k.analysis.aisbench import check_targets, place_in_matrix
from at_k.analysis.attempts import find_flaky, weigh_missing
from at_k.analysis.behaviour import count_solved, look_for_copies, weigh_retries, weigh_vote
from at_k.analysis.calibration import describe_calibration
from at_k.analysis.costs import weigh_costs
from at_k.analysis.findings import Findings
from at_k.analysis.mistakes import check_ranges, find_contradictions, find_impossible
from at_k.analysis.stability import describe_clusters, describe_stability
from at_k.errors import Mention, Message, Mistake, spell_for_output
from at_k.options import SCORING, check_options, takes
from at_k.report import Report
from at_k.report.scoring import score_unless_scored
from at_k.uncertainty.calibration import Calibration

if TYPE_CHECKING:
    from at_k.signatures import ScoreOptions, Unpack

_RULES = (
    count_solved,
    find_flaky,
    weigh_missing,
    weigh_costs,
    look_for_copies,
    weigh_retries,
    weigh_vote,
    place_in_matrix,
    check_targets,
    describe_stability,
    describe_clusters,
    describe_calibration,
)
"""The rules, in the order of what they say."""


@dataclass(frozen=True, eq=False)
class Diagnosis:
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
        return [each for each in self.sentences if isinstance(each, Mistake)]

    def to_dict(self) -> dict[str, Any]:
        """Return the sentences, each with its rule and its values, and the figures, ready for `json.dumps`."""
        return {
            "sentences": [
                {"rule": each.code, "sentence": str(each), "values": simplify_values(each.values)}
                for each in self.sentences
            ],
            "figures": self.figures,
        }

    def to_markdown(self) -> str:
        """Write a list of the sentences, each with its rule."""
        return "\n".join(f"- {' '.join(str(each).split())} (`{each.code}`)" for each in self.sentences)

    def __str__(self) -> str:
        return spell_for_output(self.to_markdown())


@takes(SCORING)
def diagnose(data: Any, /, **given: Unpack[ScoreOptions]) -> Diagnosis:
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
    check_options(given, SCORING, of="diagnose")
    report = score_unless_scored(data, given)
    report.require_problems("A diagnosis")
    findings = Findings(report)
    odd = list(check_ranges(findings))
    sentences = [*odd, *find_impossible(findings), *find_contradictions(findings)]
    if not odd:  # the other rules cannot work with numbers outside of [0, 1]
        sentences += [sentence for rule in _RULES for sentence in rule(findings)]
    return Diagnosis(sentences, findings.figures, report)


def find_calibrations(report: Report) -> dict[str, dict[str, Calibration]]:
    """Measure how well the confidences of a data set agree with what is correct.

    Args:
        report: a report that was not loaded from a file, which has no samples.

    Returns:
        "vote", the share of the samples that gave the leading answer of a problem, and "score", the scores of the
        samples if all lie in [0, 1]: each with bins of equal "width" and of equal "mass". Empty if there are neither.

    Examples:
        >>> from at_k import score
        >>> found = find_calibrations(score({"grades": [[1, 0], [1, 1]], "scores": [[0.9, 0.1], [0.9, 0.9]]}))
        >>> list(found), round(found["score"]["width"].ece, 2)
        (['score'], 0.1)
    """
    return Findings(report).calibrations


def simplify_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Spell the values of a message as `json.dumps` takes them: a message among them as its rule and its sentence."""
    return {
        name: {"rule": each.code, "sentence": str(each), "values": simplify_values(each.values)}
        if isinstance(each, Message)
        else str(each)
        if isinstance(each, Mention)
        else each
        for name, each in values.items()
    }
