"""Numbers and names that count the samples of a problem, or the runs of a model, or that sum up rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from at_k.readers.names import NUMBER_WORD, normalize_name
from at_k.readers.words import read_whole

# A word for runs and the whole number behind it.
_RUN = re.compile(
    r"(?:^|[^a-z])(run|seed|sample|rollout|trial|attempt|rep|rs)[-_= ]?(\d+)(?![\d.]*\d|[a-z])",
    re.IGNORECASE,
)

# A path that ends in a whole number.
_NUMBERED = re.compile(r"(.+?)[\W_]+(\d+)(?:\.[^/\\]*)?")

# Names of rows that are no problems, but sum up the others.
_SUMMARY = re.compile(
    r"[\W_]*(?:(?:acc|accuracy|all|average|avg|macro|mean|median|micro|overall|results?|scores?|std|stddev|stdev|sum|"
    r"summary|total|(?:avg|cons|maj|mean|pass)@\d+|平均|总计|合计|总分|gesamt|durchschnitt|moyenne|media)(?:[\W_]+|$))+",
    re.IGNORECASE,
)


def count_up(values: Sequence[object]) -> bool:
    """Return whether values are the whole numbers from 0 or from 1."""
    numbers = sorted(number for number in map(read_whole, values) if number is not None)
    return bool(values) and numbers in (list(range(len(values))), list(range(1, len(values) + 1)))


def count_runs(names: Sequence[str]) -> bool:
    """Return whether names are one template with one whole number behind a word for runs, from 0 or 1; seeds: any.

    Examples:
        >>> count_runs(["a/run1.jsonl", "a/run2.jsonl"]), count_runs(["gpt_4o_05.csv", "gpt_4o_08.csv"])
        (True, False)
    """
    for match in _RUN.finditer(names[0] if names else ""):
        before = names[0][: match.start(2)]
        behind = names[0][match.end(2) :]
        if not all(name.startswith(before) and name.endswith(behind) for name in names):
            continue
        numbers = [name[len(before) : len(name) - len(behind)] for name in names]
        if all(map(str.isdigit, numbers)) and len({*map(int, numbers)}) == len(numbers):
            return match[1].lower() in ("seed", "rs") or count_up(numbers)
    return False


def count_samples(names: Sequence[str], problem: str) -> bool:
    """Return whether files are named by their problem, or its folder, and a whole number behind it, from 0 or 1.

    Examples:
        >>> count_samples(["/r/p0_0.json", "/r/p0_1.json"], "p0"), count_samples(["/r/p0/3", "/r/p0/4"], "p0")
        (True, False)
    """
    matches = [match for name in names if (match := _NUMBERED.fullmatch(name))]
    if len(matches) < len(names) or len({match[1] for match in matches}) != 1:
        return False
    before = re.split(r"[\W_]+", matches[0][1])
    words = re.split(r"[\W_]+", problem)
    return before[-len(words) :] == words and count_up([match[2] for match in matches])


def count_in(name: str, values: Sequence[object]) -> bool:
    """Return whether the different values of a column number samples, or runs, which its name says."""
    whole = list(map(read_whole, values))
    are_numbers = all(number is not None and number >= 0 for number in whole)
    words = split_words(name)
    if are_numbers and words & NUMBER_WORD:
        return "seed" in words or count_up(whole)
    return count_runs(list(map(str, values)))


def split_words(name: str) -> set[str]:
    """Return the words in the name of a column.

    Examples:
        >>> sorted(split_words("trialIndex2"))
        ['index', 'trial']
    """
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    return {*re.split(r"[\W_\d]+", normalize_name(parted))} - {""}


def is_summary(name: object) -> bool:
    """Return whether a row has the name of a summary.

    Examples:
        >>> is_summary("Mean ± std"), is_summary("平均"), is_summary("sum_of_squares")
        (True, True, False)
    """
    return isinstance(name, str) and _SUMMARY.fullmatch(name) is not None
