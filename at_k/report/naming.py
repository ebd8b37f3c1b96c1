"""Read the names of metrics, as modules and as papers spell them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from math import isclose
from typing import TYPE_CHECKING, Any, TypeVar

from at_k.computation import Metric
from at_k.errors import InputError, Mention, Phrases
from at_k.family import FAMILY, METRICS, OUTPUTS
from at_k.options.registry import SCORING
from at_k.validation import check_k, check_tau, is_number, shorten, type_name
from at_k.values import Key, read_key

_say = Phrases(
    {
        "naming.sum": "A weighted sum is spelled like {example}; got {text}.",
        "naming.term": "A weighted sum is of numbers from 0 to 1, each of them once, as in "
        "{example}; got {key}.",
        "naming.weights": "The weights of a sum are above 0 and add up to 1, as in {example}; got "
        "{weights}.",
        "naming.near_number": "There is no number {key}. Did you mean {near}?",
        "naming.number": "There is no number {key}. Numbers are spelled like pass@1, pass^4, "
        "G-Pass@8_0.5, cons@8 or avg@n.",
        "naming.draws": "There is no number {key}: samples are counted 1, 2, 3 and on, as in "
        "{near}.",
        "options.no_metric": "{option:metrics} must name at least one metric.",
        "naming.absent": "The results do not have {key}. They have {known}.",
        "options.metrics": "Unknown metric {value}. The metrics are {choices}.",
        "options.near_metric": "Unknown metric {value}. Did you mean {near}?",
        "options.named": "{given} contradicts {option:metrics}, whose names hold {number}. Leave "
        "it out, or name the metrics without numbers, such as pass@k.",
    }
)


_KEYS = (*(name for name in OUTPUTS if "_" not in name), "pass^k")


def find_key(name: str) -> Key | None:
    """Find the number, or the curve, that a paper calls so, or a weighted sum of numbers; None if there is none.

    Examples:
        >>> find_key("pass^4"), find_key("maj@8"), find_key("g-pass@8_0.5"), find_key("best@k"), find_key("pass")
        ('pass^4', 'cons@8', 'G-Pass@8_0.5', 'best@k', None)
        >>> find_key(".5*pass@4+.5*maj@4")
        '0.5 pass@4 + 0.5 cons@4'
    """
    # "avg" is avg@n, whatever n is.
    if is_sum(name):
        return Key(spell_sum(_read_sum(name)))
    return read_key("avg@n" if name.strip().lower() == "avg" else name, _KEYS)


Value = TypeVar("Value")


class Keyed(dict[Key, Value]):
    """Map numbers to values. Each name of a number, as papers or trackers spell it, finds its value.

    Examples:
        >>> values = Keyed({Key("cons@k", 8): 0.5, Key("G-Pass@k", 4, 1.0): 0.25})
        >>> values["maj@8"], values["pass^4"], values["cons_at_8"], "maj@4" in values
        (0.5, 0.25, 0.5, False)
    """

    # A type checker knows so that the text of a key finds its value.
    if TYPE_CHECKING:

        def __getitem__(self, name: str, /) -> Value: ...

    def __missing__(self, name: str) -> Value:
        """Return the value of a number that is called otherwise here."""
        key = self._find(name)
        if key is None:
            raise KeyError(f"There is no number {name!r} here. There are: {', '.join(self)}.")
        return self[key]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or self._find(name) is not None

    def get(self, name: Any, default: Any = None) -> Any:
        """Return the value of a number, or the default."""
        with suppress(KeyError):
            return self[name]
        return default

    def _find(self, name: object) -> Key | None:
        """Find the key with another name. The parts of a key have no other name."""
        if not isinstance(name, str) or isinstance(name, Key):
            return None
        try:
            asked = find_key(_read_plain(name))
        except InputError:  # a sum that is no sum
            return None
        if asked is None:
            return None
        line = _find_line(asked)
        for key in self:
            if not isinstance(key, Key) or (key.metric, key.tau) != (line.metric, line.tau):
                continue
            if asked.k == key.k or (asked.k is None and key.draws is None):
                return key
        return next((key for key in self if key == asked), None)


def _read_plain(name: str) -> str:
    """Spell a name of the plain style as papers do.

    Examples:
        >>> _read_plain("pass_at_4"), _read_plain("g_pass_at_8_0.5"), _read_plain("pass_hat_4")
        ('pass@4', 'g-pass@8_0.5', 'pass^4')
    """
    start, sign, rest = re.findall(r"^(.*?)(_at_|_hat_|$)(.*)", name)[0]
    if not sign:
        return name
    return f"{start.replace('_', '-')}{'@' if sign == '_at_' else '^'}{rest}"


_SUM = "0.5 pass@4 + 0.5 pass^4"


def is_sum(name: str) -> bool:
    """Return whether a name is that of a weighted sum."""
    return "+" in name


def _read_sum(text: str) -> dict[str, float]:
    """Read the names of the numbers in a weighted sum, each with its weight."""
    terms = [re.fullmatch(r"\s*(\d*\.?\d+)\s*[*\s]\s*(\S+)\s*", term) for term in text.split("+")]
    if None in terms:
        raise _say.error("naming.sum", example=_SUM, text=shorten(text))
    return {term[2]: float(term[1]) for term in terms if term is not None}


def spell_sum(weights: Mapping[str, float]) -> str:
    """Spell a weighted sum of numbers. They lie in [0, 1], and so does their mean by these weights.

    Examples:
        >>> spell_sum({"pass@4": 0.75, "pass^4": 0.25})
        '0.75 pass@4 + 0.25 pass^4'
    """
    keys = [find_number(name) for name in weights]
    unfit = [key for key in keys if key.metric in _UNBOUNDED or is_sum(key) or keys.count(key) > 1]
    if unfit:
        raise _say.error("naming.term", example=_SUM, key=str(unfit[0]))
    if not all(is_number(weight) and weight > 0 for weight in weights.values()) or not isclose(
        sum(weights.values()), 1
    ):
        raise _say.error(
            "naming.weights", example=_SUM, weights=", ".join(map(shorten, weights.values()))
        )
    if len(keys) == 1:
        return str(keys[0])
    shares = (f"{weight:.12f}".rstrip("0") for weight in weights.values())
    return " + ".join(f"{share} {key}" for share, key in zip(shares, keys, strict=True))


_UNBOUNDED = {output.metric for output in OUTPUTS.values() if not output.bounded}


def list_terms(key: Key) -> dict[Key, float]:
    """Return the numbers of a weighted sum, each with its weight; of another number, itself.

    Examples:
        >>> list_terms(find_key("0.5*pass@4 + 0.5*maj@4")), list_terms(Key("pass@k", 4))
        ({'pass@4': 0.5, 'cons@4': 0.5}, {'pass@4': 1.0})
    """
    if not is_sum(key):
        return {key: 1.0}
    return {find_number(name): weight for name, weight in _read_sum(key).items()}


def find_number(name: str) -> Key:
    """Find the number that a paper calls so, or raise.

    Examples:
        >>> find_number("G-Pass@8_0.5"), find_number("maj@8"), find_number("avg")
        ('G-Pass@8_0.5', 'cons@8', 'avg@n')
    """
    key = find_key(name)
    if key is None:
        _check_draws(name)
    if (
        key is None
        or (key.metric[-1] == "k" and key.k is None)
        or (key.metric == "G-Pass@k" and key.tau is None)
    ):
        near = ""
        if isinstance(name, str):
            near = _find_near(name)
        if near:
            raise _say.error("naming.near_number", key=shorten(name), near=near)
        raise _say.error("naming.number", key=shorten(name))
    if key.tau is not None:
        check_tau(key.tau)
    return key


def _check_draws(name: str) -> None:
    """Raise if a name would be that of a number with another k, such as pass@0."""
    parts = re.fullmatch(r"(.+[@^])-?\d+(?:\.\d+)?(_.+)?", name)
    near = None
    if parts is not None:
        near = find_key(f"{parts[1]}1{parts[2] or ''}")
    if near is not None:
        raise _say.error("naming.draws", key=shorten(name), near=str(near))


def _find_near(name: str) -> str:
    """Return the number that a misspelled name may mean; "" if none is near."""
    start, sign, rest = re.findall(r"^([^@^]*)([@^]?)(.*)", name.lower())[0]
    starts = {key.lower()[:-2]: key[:-2] for key in _KEYS if key[-2:-1] in ("@", "^")}
    near = difflib.get_close_matches(start, starts, 1)
    if not near:
        return ""
    line = f"{starts[near[0]]}{sign or '@'}"
    known = (name for name in (line + rest, f"{line}k", f"{line}n") if find_key(name) is not None)
    return next((spelled for spelled in known if spelled.lower() != name.lower()), "")


def find_metrics(names: Any) -> dict[str, Key | None]:
    """Find the meaning of each name: a key, or None for the name of a module."""
    if not isinstance(names, Iterable):
        raise TypeError(
            f"`metrics` must be the name of a metric, or a list of names; got {shorten(names)} of type "
            f"{type_name(names)}"
        )
    asked = {}
    if isinstance(names, Mapping):
        names = spell_sum(names)
    for name in [name.strip() for name in names.split(",")] if isinstance(names, str) else names:
        key = None
        if isinstance(name, str) and name not in METRICS:
            key = find_key(name)
        if key is None and name not in METRICS:
            if isinstance(name, str):
                _check_draws(name)
            raise _refuse(name)
        asked[name] = key
    if not asked:
        raise _say.error("options.no_metric")
    return asked


def make_absent(key: Key, known: Iterable[Key]) -> InputError:
    """Make the error for a number that results do not have."""
    return _say.error("naming.absent", key=str(key), known=", ".join(known))


def _refuse(name: object) -> InputError:
    near = ""
    if isinstance(name, str):
        modules = difflib.get_close_matches(name.lower(), METRICS, 1)
        near = _find_near(name) or "".join(modules)
    if near:
        return _say.error("options.near_metric", near=near, value=shorten(name))
    known = (*_KEYS, *METRICS)
    return _say.error("options.metrics", choices=", ".join(known), value=shorten(name))


def choose_metrics(options: dict[str, Any]) -> tuple[list[Metric], dict[str, Any]]:
    """Return the metrics that are wanted, and the options for them.

    Examples:
        >>> names = ["pass@1", "G-Pass@8_0.5", "avg@8"]
        >>> options = {"metrics": names, "k": None, "thresholds": (0.25, 0.5, 0.75, 1.0)}
        >>> metrics, found = choose_metrics(options)
        >>> [metric.name for metric in metrics], found["k"], found["thresholds"]
        (['gpassk', 'pass_at_k', 'avg_at_n'], [1, 8], [0.5])
    """
    if options["metrics"] is None:
        return list(FAMILY.values()), options
    asked = find_metrics(options["metrics"])
    keys = [term for key in asked.values() if key is not None for term in list_terms(key)]
    taus: set[Any] = {_find_line(key).tau for key in keys} - {None}
    if not isinstance(options["metrics"], str):
        options["metrics"] = list(asked)  # a generator can be read once
    resolved = {**options, "metrics": asked}
    if options["k"] is not None:
        resolved["metrics"] = {name: _leave_k(key) for name, key in asked.items()}
    draws: set[Any] = {key.draws for key in keys} - {None}
    for name, numbers, check in (("k", draws, check_k), ("thresholds", taus, check_tau)):
        if numbers and options[name] == SCORING[name].default:
            resolved[name] = list(check(sorted(numbers)))
        elif numbers:
            chosen = list(check(options[name]))
            others = sorted(numbers - {*chosen})
            if others:
                given = Mention(**{name: chosen})
                raise _say.error("options.named", given=given, number=str(others[0]))
    modules = {name for name, key in asked.items() if key is None}
    modules |= {_MODULES[key.metric] for key in keys}
    return [metric for metric in FAMILY.values() if metric.name in modules], resolved


def _leave_k(key: Key | None) -> Key | None:
    """Return the line of a number, where other options say which k are on it."""
    if key is None or is_average(key):
        return key
    return key.line


def is_average(key: Key) -> bool:
    """Return whether a key is an average over a stated number of samples, such as avg@8."""
    return key.k is not None and key.draws is None


def find_line(name: str) -> Key | None:
    """Find the line that papers call so.

    Examples:
        >>> find_line("pass^k"), find_line("maj@8"), find_line("pass")
        ('G-Pass@k_1.0', 'cons@k', None)
    """
    key = find_key(name)
    if key is None:
        return None
    return _find_line(key)


def _find_line(key: Key) -> Key:
    """Find the line that a number is on. That of pass^k is G-Pass@k with τ = 1."""
    if key.metric == "pass^k":
        return Key("G-Pass@k", None, 1.0)
    return key.line


def choose_numbers(asked: Mapping[str, Key | None] | None, keys: Iterable[Key]) -> list[Key]:
    """Choose the numbers that were asked for: all of a module, those of a curve, or one.

    Examples:
        >>> keys = [Key("pass@k", 1), Key("pass@k", 4), Key("G-Pass@k", 4, 1.0), Key("mG-Pass@k", 4)]
        >>> [choose_numbers(find_metrics(names), keys) for names in ("pass@1", "pass^4", "pass@k", "gpassk")]
        [['pass@1'], ['G-Pass@4_1.0'], ['pass@1', 'pass@4'], ['G-Pass@4_1.0', 'mG-Pass@4']]
    """
    if asked is None:
        return list(keys)

    def is_asked(key: Key) -> bool:
        return any(
            key.metric in FAMILY[name].metrics
            if part is None
            else part.draws in (None, key.draws) and _is_on(key, _find_line(part))
            for name, part in asked.items()
        )

    return [key for key in keys if is_asked(key)]


def _is_on(key: Key, line: Key) -> bool:
    """Return whether a number is on a line, or on any of its metric where the line has no τ."""
    return key.metric == line.metric and line.tau in (None, key.tau)


def name_lines(options: Mapping[str, Any], keys: Iterable[Key]) -> dict[Key, Key] | None:
    """Name the lines of a report that were asked for, each as it was: line → name. None if no names chose among them.

    Examples:
        >>> name_lines({"metrics": "pass^4"}, [Key("G-Pass@k", 4, 1.0), Key("mG-Pass@k", 4)])
        {'G-Pass@k_1.0': 'pass^k'}
    """
    if options.get("metrics") is None:
        return None
    asked = find_metrics(options["metrics"])
    names: dict[Key, Key] = {}
    for line in dict.fromkeys(key.line for key in keys):
        for name, key in asked.items():
            if key is None:
                is_asked = line.metric in FAMILY[name].metrics
            else:
                is_asked = _is_on(line, _find_line(key))
            if is_asked:
                names.setdefault(line, line if key is None else _name_line(name, key, line))
    return names


def name_numbers(asked: Any, keys: Iterable[str]) -> dict[str, str]:
    """Name numbers as they were asked for.

    Examples:
        >>> name_numbers("pass^4, maj@4", [Key("G-Pass@k", 4, 1.0), Key("cons@k", 4)])
        {'G-Pass@4_1.0': 'pass^4', 'cons@4': 'maj@4'}
    """
    listed = list(keys)
    lines = name_lines({"metrics": asked}, (key for key in listed if isinstance(key, Key))) or {}
    names = {key: str(key) for key in listed}
    for key in listed:
        if isinstance(key, Key) and key.line in lines:
            line = lines[key.line]
            names[key] = str(Key(line.metric, key.k, line.tau))
    return names


def _name_line(name: str, key: Key, line: Key) -> Key:
    """Name a line as it was asked for: that of "maj@8" is maj@k."""
    start = re.match(r".*[@^]", name.strip())
    if key.metric == "pass^k":
        return key.line
    if is_sum(name) or start is None or start[0].lower() == key.metric[:-1].lower():
        return line
    return Key(start[0] + line.metric[-1], None, line.tau)


_MODULES = {output: metric.name for metric in FAMILY.values() for output in metric.metrics} | {
    "pass^k": "gpassk"
}
