"""The site of the documentation: `python -m tools.site` builds it into build/site, without a network, and checks it."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import at_k
from at_k.registration import COMPARISONS, module_path
from tools.spaces import ROOT, Parts, copy_parts

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

_MATH = re.compile(r"(^```.*?^```$|`[^`\n]*`)|\$\$(.+?)\$\$|\$([^$\n]+)\$", re.MULTILINE | re.DOTALL)
_LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=["']?((?:https?:)?//[^\s"'>]+)"""
    r"""|<link\b(?![^>]*\brel=["']?(?:canonical|alternate))[^>]*\bhref=["']?((?:https?:)?//[^\s"'>]+)"""
    r"""|(?:url\(|@import)\s*["']?((?:https?:)?//[^\s"')]+)"""
)
"""What a browser loads of a page or a style sheet without being asked. Links that readers follow may lead anywhere."""


def write_pages(folder: Path) -> None:
    """Write the pages as mkdocs reads them: links within the site, formulas as MathML, and the reference."""
    copy_parts(SOURCES, folder)
    for page in folder.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(_MATH.sub(_write_formula, text), encoding="utf-8")
    (folder / "reference.md").write_text(write_reference(), encoding="utf-8")


def write_reference() -> str:
    """Write the page of all public names, in the order of `help(at_k)`."""
    introduction, _, names = (at_k.__doc__ or "").split("\n\n")
    lines = ["# Reference", "", introduction, ""]
    for title, listed in re.findall(r"^(\S[^:]*): +((?:.|\n +)*)", names, re.MULTILINE):
        lines += [f"## {title}", ""]
        for name in re.findall(r"\w+", listed):
            lines += _describe(name)
    return "\n".join(lines)


def _describe(name: str) -> list[str]:
    found = getattr(at_k, name)
    if inspect.isclass(found):
        bases = [each for each in found.__mro__[1:] if each.__module__.startswith("at_k.")]
        return [f"::: at_k.{name}", "", *(f"::: {each.__module__}.{each.__name__}\n" for each in bases)]
    if inspect.isfunction(found):
        return [f"::: at_k.{name}", ""]
    if inspect.ismodule(found):
        own = [
            name for name, each in inspect.getmembers(found, inspect.isfunction) if each.__module__ == found.__name__
        ]
        return [f"::: {found.__name__}", f"    options: {{members: {[name for name in own if name[0] != '_']}}}", ""]
    shown = "\n".join(f"    {line}" for line in repr(found).splitlines())
    return [f"### {name}", "", shown, ""]


def _write_formula(found: re.Match[str]) -> str:
    from latex2mathml.converter import convert

    code, block, inline = found.groups()
    return code or convert(block or inline, display="block" if block else "inline")


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
    foreign = find_foreign(SITE)
    if foreign:
        sys.exit("\n".join(["The site loads from elsewhere:", *foreign]))
    print(f"built {SITE.relative_to(ROOT)}, {len(list(SITE.rglob('*.html')))} pages")


if __name__ == "__main__":
    main()
