"""The site of the documentation: every page is in it, every public name, and nothing from elsewhere."""

import re
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

import at_k
from at_k.cli import app
from tools import site
from tools.spaces import copy_parts

ROOT = Path(__file__).parent.parent.parent


def list_pages(nav):
    """List the files of a navigation, in their order."""
    if isinstance(nav, str):
        return [nav]
    return [
        page
        for each in (nav.values() if isinstance(nav, dict) else nav)
        for page in list_pages(each)
    ]


def test_every_page_is_in_the_navigation(tmp_path):
    copy_parts(site.SOURCES, tmp_path / "pages")
    written = {
        path.relative_to(tmp_path / "pages").as_posix()
        for path in (tmp_path / "pages").rglob("*.md")
    }
    config = yaml.safe_load(
        re.sub("!!python/.*", "''", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    )
    pages = list_pages(site.on_config(config)["nav"])
    assert sorted(pages) == sorted([*written, *site.write_commands(), *site.write_reference()])


def test_the_reference_has_a_page_for_every_name_in_the_order_of_help():
    index, *pages = site.write_reference()
    names = [re.fullmatch(r"reference/(\w+)\.md", page)[1] for page in pages]
    assert sorted(names) == sorted([*at_k.__all__, "Key"])
    assert [re.findall(rf"\b{name}\b", at_k.__doc__)[:1] for name in names] == [
        [name] for name in names
    ]
    assert re.findall(r"^\| \[(\w+)\]", site.write_reference()[index], re.MULTILINE) == names


def test_every_option_of_every_command_is_on_its_page():
    pages = site.write_commands()
    commands = get_command(app).commands
    assert list(pages) == ["commands/index.md", *(f"commands/{name}.md" for name in commands)]
    for name, command in commands.items():
        for option in command.params:
            assert (
                f"`{option.opts[0]}`" in pages[f"commands/{name}.md"]
                or option.param_type_name == "argument"
            )


@pytest.mark.parametrize(("page", "loaded"), [
    ('<script src="https://cdn.example.org/a.js"></script>', "https://cdn.example.org/a.js"),
    ("<link rel=stylesheet href=https://fonts.example.org/css>", "https://fonts.example.org/css"),
    ("<style>@import url('//fonts.example.org/css')</style>", "//fonts.example.org/css"),
    ('<img alt="" src="//example.org/a.png">', "//example.org/a.png"),
    ('<a href="https://example.org">elsewhere</a><img src="a.png"><link rel="canonical" href="https://a.org">', None),
])  # fmt: skip
def test_foreign_resources_of_a_page_are_found(page, loaded, tmp_path):
    (tmp_path / "index.html").write_text(page, encoding="utf-8")
    assert site.find_foreign(tmp_path) == ([f"index.html: {loaded}"] if loaded else [])
