"""Values as messages quote them."""

from cases import for_each

from at_k.readers.quoting import normalize_name, quote, quote_all, shorten


@for_each(
    "value, said",
    [
        ("a", "“a”"),
        ("a" * 40, "“" + "a" * 40 + "”"),
        ("a" * 41, "“" + "a" * 39 + "…”"),
        (0.5, "0.5"),
        (float("nan"), "NaN"),
        (10**300, "1" + "0" * 38 + "…"),
        (False, "false"),
        (None, "null"),
        ([[0]], "[…]"),
        ([], "[]"),
        ({"a": 1}, "{…}"),
        ({}, "{}"),
    ],
)
def test_quote(value, said):
    assert quote(value) == said


def test_a_quoted_text_can_be_sent():
    assert shorten("a\ud800b") == "a?b"


def test_ten_values_are_listed():
    assert quote_all("abc") == "“a”, “b”, “c”"
    assert quote_all(map(str, range(10))).endswith("“9”")
    assert quote_all(map(str, range(11))).endswith("“9”, …")


@for_each("name", ["Task ID", " task-id ", "TASK_ID", "task  id"])
def test_names_have_one_spelling(name):
    assert normalize_name(name) == "task_id"
