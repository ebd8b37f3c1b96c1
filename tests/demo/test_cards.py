"""The cards as a page shows them: whole, without what belongs to a file, and with formulas that can be rendered."""

import re
from html.parser import HTMLParser

import pytest

import at_k
from at_k.demo import cards
from at_k.demo.words import LANGUAGES
from at_k.family import FAMILY, METRICS

every_metric = pytest.mark.parametrize("name", METRICS)
every_language = pytest.mark.parametrize("language", LANGUAGES)
FILES = {"en": "README.md", "zh": "README.zh.md"}
FENCE = re.compile(r"^(```|~~~).*?^\1$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def source(name, language):
    return (at_k.module_path(name) / FILES[language]).read_text(encoding="utf-8")


def headings(text):
    return re.findall(r"^#+ .*$", FENCE.sub("", text), re.MULTILINE)


@every_language
@every_metric
def test_the_card_is_whole(name, language):
    text = cards.read_card(name, language)
    assert text.startswith("# ")
    body = re.sub(r"\A---\n.*?\n---\n", "", source(name, language), flags=re.DOTALL)
    assert headings(text) == headings(body)
    assert len(headings(text)) == 10
    # Each line is there, apart from the table, and from what links lead to.
    shown = {re.sub(r"\s", "", line) for line in text.splitlines()}
    for line in re.sub(r"\[([^\]]*)\]\((?!https?:|#)[^)]*\)", r"\1", body).splitlines():
        assert re.sub(r"\s", "", line) in shown or line.startswith(("|", "<!-- ")) or line in ("中文", "English"), line


@every_language
@every_metric
def test_what_belongs_to_the_file_is_gone(name, language):
    text = cards.read_card(name, language)
    assert "sdk_version" not in text
    assert "<!--" not in text
    assert not {"中文", "English"} & set(text.splitlines())  # the link to the other language
    assert cards.read_comparison(language) not in text


@every_language
@every_metric
def test_links_lead_somewhere(name, language):
    text = FENCE.sub("", cards.read_card(name, language))
    targets = re.findall(r"\]\(([^)]*)\)", text) + re.findall(r"(?:href|src)=\"([^\"]*)\"", text)
    assert targets
    assert [target for target in targets if not target.startswith("https://")] == []


@every_language
@every_metric
def test_formulas_are_whole(name, language):
    text = FENCE.sub("", cards.read_card(name, language))
    displayed = text.split("$$")
    assert len(displayed) % 2 == 1
    assert len(displayed) > 1
    inline = ("".join(displayed[::2])).split("$")
    assert len(inline) % 2 == 1
    for formula in displayed[1::2] + inline[1::2]:
        assert formula.strip()
        depth = 0
        for character in re.sub(r"\\[{}\\]", "", formula):
            depth += (character == "{") - (character == "}")
            assert depth >= 0
        assert depth == 0
        assert formula.count(r"\left") == formula.count(r"\right")
        assert formula.count(r"\begin") == formula.count(r"\end")
    for formula in inline[1::2]:
        assert "\n\n" not in formula  # a price, not a formula


class Formulas(HTMLParser):
    """The text of a card outside of code and formulas, and the number of arguments of each fraction."""

    def __init__(self, html):
        super().__init__()
        self.text, self.formulas, self.open, self.children = "", 0, [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        if tag in ("hr", "br", "img"):
            return
        if self.open:
            self.children[-1] += 1
        self.formulas += tag == "math" and ("display", "block") in attributes
        self.open.append(tag)
        self.children.append(0)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        count = self.children.pop()
        assert count == {"mfrac": 2, "munderover": 3, "msub": 2, "munder": 2}.get(tag, count)

    def handle_data(self, data):
        if not {"code", "math"} & set(self.open):
            self.text += data


@every_language
@every_metric
def test_every_formula_is_written_and_nothing_of_it_is_left_as_it_was(name, language):
    text = cards.read_card(name, language)
    found = Formulas(cards.write_markdown(text))
    assert found.formulas == FENCE.sub("", text).count("$$") / 2
    assert not re.search(r"[$\\@][a-z]*@|\$|\\\\", found.text)


@pytest.mark.parametrize(
    ("latex", "written"),
    [
        (r"\binom{n-c}{k}", '<mrow><mo>(</mo><mfrac linethickness="0"><mrow><mi>n</mi><mo>−</mo><mi>c</mi></mrow>'
         "<mrow><mi>k</mi></mrow></mfrac><mo>)</mo></mrow>"),
        (r"g_1 \le x^2", "<msub><mi>g</mi><mn>1</mn></msub><mo>≤</mo><msup><mi>x</mi><mn>2</mn></msup>"),
        (r"\sum_{i=1}^{n} \text{a<b}", "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mrow>"
         "<mi>n</mi></mrow></munderover><mtext>a&lt;b</mtext>"),
    ],
)  # fmt: skip
def test_formulas_are_mathml(latex, written):
    assert cards.write_formula(latex) == f"<math>{written}</math>"


def test_titles():
    assert {name: metric.title for name, metric in FAMILY.items()}.items() >= {
        "gpassk": "G-Pass@k",
        "pass_at_k": "pass@k",
        "cons_at_k": "cons@k",
        "avg_at_n": "avg@n",
        "best_at_k": "best@k",
    }.items()


@every_metric
def test_a_card_has_the_title_of_its_metric(name):
    assert cards.read_card(name, "en").splitlines()[0] == f"# Metric Card for {FAMILY[name].title}"
    assert cards.read_card(name, "zh").splitlines()[0] == f"# {FAMILY[name].title} 指标卡片"


@every_language
def test_the_table_is_that_of_every_card(language):
    table = cards.read_comparison(language)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert [row[0].strip("`") for row in rows[2:]] == list(METRICS)
    assert {len(row) for row in rows} == {4}
    for name in METRICS:
        assert table in source(name, language)


def test_the_words_are_in_the_language_that_was_asked_for():
    for name in METRICS:
        assert "\n## How to Use\n" in cards.read_card(name, "en")
        assert "\n## 使用方法\n" in cards.read_card(name, "zh")
    assert "watch out" in cards.read_comparison("en")
    assert "注意" in cards.read_comparison("zh")


def test_without_a_table_nothing_is_made_up(monkeypatch, tmp_path):
    (tmp_path / "README.md").write_text("# Metric Card for nothing\n")
    monkeypatch.setattr(cards, "module_path", lambda name: tmp_path)
    with pytest.raises(ValueError, match="the table of the metrics"):
        cards.read_comparison("en")
