"""The site of the documentation: `python -m tools.site` builds it into build/site, without a network, and checks it."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Sized
from importlib.metadata import metadata
from pathlib import Path
from typing import Any, get_args

from typer.main import get_command

import at_k
from at_k.cli import app
from at_k.family import COMPARISONS, module_path
from tools.spaces import ROOT, Parts, copy_parts
from tools.texts import make_table

PAGES = ROOT / "build" / "pages"
SITE = ROOT / "build" / "site"

SOURCES: Parts = {
    ".": "docs",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "benchmarks.md": "benchmarks/README.md",
} | {
    f"metrics/{name}.md": (module_path(name) / "README.md").relative_to(ROOT).as_posix()
    for name in (*at_k.METRICS, *COMPARISONS)
}
"""Pages of the site → where they are in this project. The reference is written from the docstrings."""

_MATH = re.compile(
    r"(^```.*?^```$|`[^`\n]*`)|\$\$(.+?)\$\$|\$([^$\n]+)\$", re.MULTILINE | re.DOTALL
)
_LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=["']?((?:https?:)?//[^\s"'>]+)"""
    r"""|<link\b(?![^>]*\brel=["']?(?:canonical|alternate))[^>]*\bhref=["']?((?:https?:)?//[^\s"'>]+)"""
    r"""|(?:url\(|@import)\s*["']?((?:https?:)?//[^\s"')]+)"""
)
"""References that a browser loads by itself. Links that readers follow may lead anywhere."""


def write_pages(folder: Path) -> None:
    """Write the pages as mkdocs reads them: links within the site, formulas as MathML, commands, and the reference."""
    copy_parts(SOURCES, folder)
    for page in folder.rglob("*.md"):
        text = _PICTURE.sub(
            r"![\2](\3#only-light)\n![\2](\1#only-dark)", page.read_text(encoding="utf-8")
        )
        page.write_text(_MATH.sub(_write_formula, text), encoding="utf-8")
    for name, text in (write_commands() | write_reference()).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


_PICTURE = re.compile(
    r'<picture>.*?srcset="([^"]+)".*?alt="([^"]+)" src="([^"]+)".*?</picture>', re.DOTALL
)
"""A picture with a dark form; the pages of the site change theirs by a button, too."""


def on_config(config: dict[str, Any]) -> dict[str, Any]:
    """Put the generated pages into the navigation; mkdocs calls this."""

    def add(entries: list[Any], pages: list[str]) -> None:
        for entry in entries:
            for title, inner in entry.items() if isinstance(entry, dict) else ():
                if isinstance(inner, list):
                    add(inner, pages)
                elif inner == pages[0]:
                    entry[title] = pages

    modules = [f"metrics/{name}.md" for name in (*at_k.METRICS, *COMPARISONS)]
    for written in (list(write_commands()), list(write_reference()), modules):
        add(config["nav"], written)
    return config


def write_commands() -> dict[str, str]:
    """Write a page for each command with all of its options, and the list of the commands."""
    commands: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]
    lines = [
        "# Commands",
        "",
        "`at-k COMMAND --help` shows the usual options, and `--help-all` all of them.",
        "",
    ]
    rows = [
        (f"[at-k {name}]({name}.md)", _escape(command.help)) for name, command in commands.items()
    ]
    pages = {
        "commands/index.md": "\n".join([*lines, make_table(("command", "what it does"), rows), ""])
    }
    for name, command in commands.items():
        panels: dict[str, list[tuple[str, ...]]] = {}
        for option in command.params:
            panel = getattr(option, "rich_help_panel", None) or (
                "Options" if option.opts[0][0] == "-" else "Arguments"
            )
            panels.setdefault(panel, []).append(_describe_option(option))
        text = [f"# at-k {name}", "", _escape(command.help), ""]
        for panel, options in panels.items():
            text += [f"## {panel}", "", make_table(("option", "meaning", "default"), options), ""]
        pages[f"commands/{name}.md"] = "\n".join(text)
    return pages


def _describe_option(option: Any) -> tuple[str, str, str]:
    if option.param_type_name == "argument":
        return (
            f"`{option.metavar or option.name}`",
            _escape(option.help),
            "required" if option.required else "–",
        )
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    choices = "|".join(map(str, get_args(option.type_descriptor.annotation) or ["TEXT"]))
    metavar = "" if option.is_flag else f" `{option.metavar or choices}`"
    default = option.default if not callable(option.default) else None
    shown = "–" if default in (None, False, (), []) else f"`{default}`"
    return names + metavar, _escape(option.help), "required" if option.required else shown


def _escape(text: str | None) -> str:
    return " ".join((text or "").split()).replace("<", "&lt;").replace("*", "\\*")


def write_reference() -> dict[str, str]:
    """Write a page for each public name, and their list, in the order of `help(at_k)`."""
    introduction, _, names = (at_k.__doc__ or "").split("\n\n")
    lines, pages = ["# Functions", "", introduction, ""], {"reference/index.md": ""}
    for title, listed in re.findall(r"^(\S[^:]*): +((?:.|\n +)*)", names, re.MULTILINE):
        rows = []
        for name in re.findall(r"\w+", listed):
            pages[f"reference/{name}.md"] = "\n".join([f"# at_k.{name}", "", *_describe(name)])
            rows.append((f"[{name}]({name}.md)", _summarize(getattr(at_k, name))))
        lines += [f"## {title}", "", make_table(("name", "what it does"), rows), ""]
    return pages | {"reference/index.md": "\n".join(lines)}


def _summarize(found: object) -> str:
    if not (inspect.isclass(found) or inspect.isfunction(found) or inspect.ismodule(found)):
        return f"{len(found)} values" if isinstance(found, Sized) else ""
    return _escape((inspect.getdoc(found) or "").partition("\n\n")[0])


def _describe(name: str) -> list[str]:
    found = getattr(at_k, name)
    if inspect.isclass(found):
        bases = [each for each in found.__mro__[1:] if each.__module__.startswith("at_k.")]
        return [
            f"::: at_k.{name}",
            "",
            *(f"::: {each.__module__}.{each.__name__}\n" for each in bases),
        ]
    if inspect.isfunction(found):
        return [f"::: at_k.{name}", ""]
    if inspect.ismodule(found):
        own = [
            name
            for name, each in inspect.getmembers(found, inspect.isfunction)
            if each.__module__ == found.__name__
        ]
        return [
            f"::: {found.__name__}",
            f"    options: {{members: {[name for name in own if name[0] != '_']}}}",
            "",
        ]
    shown = "\n".join(f"    {line}" for line in repr(found).splitlines())
    return [shown, ""]


def _write_formula(found: re.Match[str]) -> str:
    from latex2mathml.converter import convert

    code, block, inline = found.groups()
    return code or convert(block or inline, display="block" if block else "inline")


def write_for_models(pages: Path, site: Path) -> None:
    """Write the list of the pages and their whole text for language models, as llmstxt.org describes."""
    listed = ["# at-k", "", f"> {metadata('at-k')['Summary']}", "", "## Pages", ""]
    whole = []
    for page in sorted(pages.rglob("*.md")):
        name, text = page.relative_to(pages), page.read_text(encoding="utf-8")
        if name.parts[0] == "zh" or ":::" in text:  # the reference is in the docstrings
            continue
        text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL).strip()
        title = text.partition("\n")[0].lstrip("# ")
        listed.append(f"- [{title}]({name.with_suffix('.html').as_posix()})")
        whole.append(text)
    (site / "llms.txt").write_text("\n".join([*listed, ""]), encoding="utf-8")
    (site / "llms-full.txt").write_text("\n\n".join(whole) + "\n", encoding="utf-8")


def find_foreign(site: Path) -> list[str]:
    """List what pages and style sheets load from elsewhere."""
    return [
        f"{page.relative_to(site)}: {next(filter(None, found))}"
        for page in sorted([*site.rglob("*.html"), *site.rglob("*.css")])
        for found in _LOADED.findall(page.read_text(encoding="utf-8"))
    ]


def main() -> None:
    """Build the site. A broken link, a missing page, or a file from elsewhere fails."""
    write_pages(PAGES)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", "mkdocs.yml"]
    subprocess.run(command, cwd=ROOT, check=True)
    write_for_models(PAGES, SITE)
    foreign = find_foreign(SITE)
    if foreign:
        sys.exit("\n".join(["The site loads from elsewhere:", *foreign]))
    print(f"built {SITE.relative_to(ROOT)}, {len(list(SITE.rglob('*.html')))} pages")


if __name__ == "__main__":
    main()
