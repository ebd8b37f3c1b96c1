"""Judge results by what is required of them, print the verdict, and write it for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import basename, splitext
from typing import TYPE_CHECKING, Any

from at_k.cli.layout import list_sentences, name_source, wrap
from at_k.cli.options import refuse
from at_k.cli.output import print_in_form, say_written
from at_k.cli.terminal import Line, show_work
from at_k.cli.words import make_printable, spell
from at_k.report.files import check_target, replace_file

if TYPE_CHECKING:
    from at_k.analysis.gated import Gate

_FORMS = {".xml": "junit", ".md": "markdown", ".json": "json"}
"""Ending of a file → the form that is written into it."""

_STYLES = {"PASS": "green", "FAIL": "red", "INCONCLUSIVE": "yellow"}


def judge_files(paths: Sequence[str], *, against: Sequence[str], form: str, out: Sequence[str], **given: Any) -> int:
    """Judge files, print and write the verdict, and return the status with which the command ends.

    Args:
        paths: the results of the candidate, one path for each data set.
        against: those of the base in the same order; empty for none.
        form: "table", "json", "markdown" or "junit".
        out: files to write the verdict to, by their endings.
        given: options of `at_k.gate` that were given, which count before the policy; as clusters, their field.

    Raises:
        InputError: if a file cannot be used, or nothing is required.
        OSError: if a file cannot be opened or written.
        typer.BadParameter: if an option is wrong, whatever the files hold.
    """
    from at_k.analysis.gate import gate
    from at_k.analysis.requirements import load_policy

    if against and len(against) != len(paths):
        raise refuse("--against", f"Give one base for each of the {len(paths)} results; got {len(against)}.")
    for path in out:
        if splitext(path)[1].lower() not in _FORMS:
            raise refuse("--out", f"The name must end in {', '.join(_FORMS)}; got {path!r}.")
        check_target(path)
    stems = [basename(path.rstrip("/")).partition(".")[0] for path in paths]
    names = [stem if stems.count(stem) == 1 else path for stem, path in zip(stems, paths, strict=True)]
    policy = load_policy(given["policy"]) if "policy" in given else None
    unknown = [name for name, table in (policy or {}).items() if isinstance(table, dict) and name not in names]
    if unknown:
        raise refuse("--policy", f"There are no results for {', '.join(unknown)}. Name the file or folder like this.")
    if "clusters" in given:
        given["columns"] = {**(given.get("columns") or {}), "group": given["clusters"]}
        given["clusters"] = True
    given["policy"] = policy
    gates = []
    for place, (path, name) in enumerate(zip(paths, names, strict=True)):
        with show_work(f"Scoring {name_source([path])}"):
            base = against[place] if against else None
            gates.append(gate(path, base, data=name if len(paths) > 1 or policy else None, **given))
    found = sum(gates[1:], gates[0])
    forms = {"json": found.to_json, "markdown": found.to_markdown, "junit": found.to_junit}
    for path in out:
        with replace_file(path) as part:
            part.write_text(forms[_FORMS[splitext(path)[1].lower()]]().rstrip("\n") + "\n", encoding="utf-8")
        say_written(path)
    print_in_form(form, lambda width: lay_out_gate(found, width), **forms)
    return found.exit_code


def lay_out_gate(found: Gate, width: int) -> list[Line]:
    """Lay out the verdict, what was measured for each requirement, and what would settle what is inconclusive."""
    lines: list[Line] = [[(found.verdict, f"bold {_STYLES[found.verdict]}")], []]
    for check in found.shown:
        verdict, *rest = wrap(
            f"{check.verdict:12}  {make_printable(check.name)}:  {check.measured}", width, rest=" " * 14
        )
        lines.append([(verdict[:12], _STYLES[check.verdict]), (verdict[12:], "")])
        lines += [[(text, "")] for text in rest]
        said = " ".join(map(spell, check.advice))
        lines += [[(text, "dim")] for text in wrap(said, width, first=" " * 14, rest=" " * 14)] if said else []
    notes = list_sentences([*found.count_problems(), *found.notes], width, "yellow")
    return [*lines, *([[], *notes] if notes else [])]
