"""Where texts announce an answer, and what stands there."""

from cases import for_each

from at_k.grading.announced import list_announced, list_tagged, read_value


def test_marks_are_listed_from_the_last_one_and_a_denial_ends_the_list():
    text = "#### 1\nAnswer: 2\nThe answer is 3.\n### Answer\n4"
    assert list(list_announced(text)) == [("4", "heading"), ("3.", "said"), (" 2", "colon"), ("1", "hashes")]
    assert list(list_announced("Answer: 2. But the answer is not 2. Result: 3")) == []
    assert list(list_announced("Answer: 2. But the answer is not 2.\nResult: 3")) == [(" 3", "colon")]
    assert list(list_tagged("<answer>1</answer> or <answer>2")) == ["2", "1"]


@for_each(
    "rest, kind, answer",
    [
        ("5. So", "said", "5"),
        ("5. So", "hashes", "5. So"),
        ("in Rome", "said", None),
        ("in Rome", "colon", "in Rome"),
        ("42です", "asian", "42"),
        ("x{", "colon", None),
        ("“Rome”", "colon", "Rome"),
        ("5</b>", "tag", "5"),
    ],
)
def test_values(rest, kind, answer):
    assert read_value(rest, kind) == answer
