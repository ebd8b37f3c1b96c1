"""The cards of the modules as HTML."""

from __future__ import annotations

import re
from functools import cache
from html import escape

from markdown_it import MarkdownIt

from at_k.demo.words import LANGUAGES
from at_k.family import METRICS
from at_k.registration import module_path

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_TABLE = re.compile(r"<!-- metrics -->\s*(\|.+?)\s*<!-- /metrics -->", re.DOTALL)
_COMMENT = re.compile(r"^<!-- .* -->\n", re.MULTILINE)
_RELATIVE_LINK = re.compile(r"\[([^\]]*)\]\((?!https?://|#)[^)]*\)")
"""A link to another file of the project, which a page does not have."""
_OTHER_LANGUAGE = re.compile(r"^\[[^\]]*\]\(README(?:\.zh)?\.md\)\n", re.MULTILINE)
"""The line that leads to the card in the other language."""
_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_FORMULA = re.compile(r"\$\$\s*(.+?)\s*\$\$|\$([^$\n]+)\$", re.DOTALL)

_FILES = dict(zip(LANGUAGES, ("README.md", "README.zh.md"), strict=True))


def read_card(name: str, language: str) -> str:
    """Read the card of a metric as Markdown, without its front matter and the table that all cards share."""
    text = _OTHER_LANGUAGE.sub("", _FRONT_MATTER.sub("", _read_file(name, language)))
    return _RELATIVE_LINK.sub(r"\1", _COMMENT.sub("", _TABLE.sub("", text))).strip()


def read_comparison(language: str) -> str:
    """Read the table that says which metric answers which question."""
    found = _TABLE.search(_read_file(METRICS[0], language))
    if found is None:
        raise ValueError(f"the card of {METRICS[0]!r} must hold the table of the metrics")
    return found[1]


def _read_file(name: str, language: str) -> str:
    return (module_path(name) / _FILES[language]).read_text(encoding="utf-8")


@cache
def write_markdown(text: str) -> str:
    r"""Write Markdown as HTML, with formulas as MathML, and headings below those of the page.

    Examples:
        >>> print(write_markdown("# A\n\nthe $n$"))
        <h2>A</h2>
        <p>the <math><mi>n</mi></math></p>
        <BLANKLINE>
    """
    formulas: list[str] = []

    def keep(found: re.Match[str]) -> str:
        formulas.append(write_formula(found[1] or found[2], block=found[1] is not None))
        return f"\ue000{len(formulas) - 1}\ue001"

    pieces = _FENCED.split(text)
    pieces[::2] = [_FORMULA.sub(keep, piece) for piece in pieces[::2]]
    html: str = MarkdownIt("commonmark").enable("table").render("".join(pieces))
    html = re.sub("\ue000(\\d+)\ue001", lambda found: formulas[int(found[1])], html)
    html = re.sub(r"<(/?)h([1-5])>", lambda found: f"<{found[1]}h{int(found[2]) + 1}>", html)
    html = html.replace("<pre>", "<pre tabindex=0>")
    return html.replace("<table>", '<div class="scroll" tabindex=0><table>').replace("</table>", "</table></div>")


_SIGNS = {
    **{"le": "≤", "dots": "…", "cap": "∩", "tau": "τ", "lceil": "⌈", "rceil": "⌉", "in": "∈", "sum": "∑"},
    **{"min": "min", "max": "max", "qquad": "\u2003", ",": "\u2009", "{": "{", "}": "}"},
}
_TOKEN = re.compile(r"\\text\{[^}]*\}|\\[a-zA-Z]+|\\.|\d+|\S")


def write_formula(latex: str, *, block: bool = False) -> str:
    r"""Write a formula of a card as MathML: the small part of LaTeX that the cards use.

    Examples:
        >>> write_formula(r"\frac{c}{n}")
        '<math><mfrac><mrow><mi>c</mi></mrow><mrow><mi>n</mi></mrow></mfrac></math>'
    """
    tokens = _TOKEN.findall(latex)[::-1]

    def group() -> str:
        if tokens and tokens[-1] == "{":
            tokens.pop()
            return f"<mrow>{row()}</mrow>"
        return atom()

    def row() -> str:
        parts = []
        while tokens:
            if tokens[-1] == "}":
                tokens.pop()
                break
            parts.append(script())
        return "".join(parts)

    def script() -> str:
        large = tokens[-1] == "\\sum"
        base, below, above = group(), "", ""
        while tokens and tokens[-1] in "_^":
            if tokens.pop() == "_":
                below = group()
            else:
                above = group()
        kinds = ("munder", "mover", "munderover") if large else ("msub", "msup", "msubsup")
        if not (below or above):
            return base
        kind = kinds[2] if below and above else kinds[0] if below else kinds[1]
        return f"<{kind}>{base}{below}{above}</{kind}>"

    def atom() -> str:
        token = tokens.pop()
        if token == "\\frac":
            return f"<mfrac>{group()}{group()}</mfrac>"
        if token == "\\binom":
            return f'<mrow><mo>(</mo><mfrac linethickness="0">{group()}{group()}</mfrac><mo>)</mo></mrow>'
        if token.startswith("\\text{"):
            return f"<mtext>{escape(token[6:-1])}</mtext>"
        sign = _SIGNS[token[1:]] if token.startswith("\\") else token
        kind = "mn" if sign.isdigit() else "mi" if sign.isalpha() else "mo"
        return f"<{kind}>{escape(sign.replace('-', '−'))}</{kind}>"

    return f"<math{' display=block tabindex=0' if block else ''}>{row()}</math>"
