"""Answers in texts: the rules by name, regular expressions, functions."""

import re
import unicodedata

import pytest
from bounds import hold, timed
from cases import for_each

from at_k.columns import read_problems
from at_k.errors import InputError
from at_k.grading.announced import list_announced, list_tagged, read_value
from at_k.grading.extraction import (
    EXTRACTIONS,
    extract,
    extract_answers,
    extract_references,
    find_boxed,
    find_extraction,
    find_final_answer,
    name_extraction,
    remove_thoughts,
)


@for_each(
    "text, answer",
    [
        (r"so \boxed{5}", "5"),
        (r"\boxed{1} and \boxed{2}", "2"),
        (r"\boxed{\frac{1}{\sqrt{2}}}", r"\frac{1}{\sqrt{2}}"),
        (r"\boxed{\{1, 2\}}", r"\{1, 2\}"),
        (r"\boxed {5}", "5"),
        (r"\fbox{5}", "5"),
        (r"\boxed{\boxed{5}}", "5"),
        (r"\boxed{5} and then \boxed{6", "5"),  # cut off
        ("} \\boxed{5} {", "5"),
        (r"\boxed{}", ""),
        ("5", None),
        (r"\boxed 5", "5"),
        (r"\boxed{5} or \boxed 1,250.", "1,250"),
        (r"\boxed x", "x"),
        (r"\boxed \sin", None),
        ("", None),
    ],
)
def test_boxed(text, answer):
    assert find_boxed(text) == answer


@for_each(
    "text, answer",
    [
        ("####18\n#### 19\n", "19"),
        (r"Final Answer: The final answer is $\frac{1}{2}$. I hope it is correct.", r"$\frac{1}{2}$"),
        ("The answer is 3.5 meters", "3.5 meters"),
        ("Therefore, the answer is **42**.", "42"),
        ("答案：巴黎", "巴黎"),
        ("Answer: 5\nAnswer:", "5"),
        ("So `Answer: 42`", "42"),
        ("`#### 18`", "18"),
        ("", None),
    ],
)
def test_final_answer(text, answer):
    assert find_final_answer(text) == answer


TEXTS = [  # a text, and what final_answer, boxed, last_number and choice find in it
    ("42", None, None, "42", None),
    ("The answer is 42.", "42", None, "42", None),
    ("So the total is 6 * 7 = 42.\n#### 42", "42", None, "42", None),
    ("#### Step 1\nAdd 6 and 7.\n#### Step 2\nWe get 13.", None, None, "13", None),
    ("First, 3 + 4 = 7.\n\n**Final Answer**\n\n$$7$$", "7", None, "7", None),
    ("Therefore:\n$$x = 7$$", None, None, "7", None),
    ("The answer is:\n$$\n\\boxed{12}\n$$", "12", "12", "12", None),
    ("The answer is\n\\[\nx = \\frac{1}{2}\n\\]", r"x = \frac{1}{2}", None, r"\frac{1}{2}", None),
    ("<answer>42</answer>", "42", None, "42", None),
    ("I reason.\n<answer>\n42\n</answer>\n", "42", None, "42", None),
    ("<think>Maybe 41? The answer is 41.</think>\n<answer>42</answer>", "42", None, "42", None),
    (r"<think>The answer is 41, so \boxed{41}.</think>It is \boxed{42}.", None, "42", "42", None),
    ("<think>We compute 6 * 7 = 42, or is it", None, None, None, None),
    ("6 * 7 = 42 so \\boxed{42}.</think>\n\nThe answer is (B).", "(B)", None, None, "B"),
    ("### Answer\n42", "42", None, "42", None),
    ("### Answer\n\nThe train needs 42 minutes.", "The train needs 42 minutes", None, "42", None),
    ("## Final Answer: 42", "42", None, "42", None),
    ("**Answer:** 42", "42", None, "42", None),
    ("**Answer**: $42$", "$42$", None, "42", None),
    ("Result: 42", "42", None, "42", None),
    ("The answer to the question is 42.", "42", None, "42", None),
    ("The answer to your question is: Paris.", "Paris", None, None, None),
    ("Final answer = 3.5", "3.5", None, "3.5", None),
    ("Answer: 42 m^2", "42 m^2", None, "42", None),
    ("The area is 42 m^2.", None, None, "42", None),
    ("The volume is 8 cm^3, I think.", None, None, "8", None),
    ("It is 42 m²", None, None, "42", None),
    ("a speed of 12 m/s^2", None, None, "12", None),
    ("so f(x) = x^2", None, None, None, None),
    ("The result is 2^{10}.", "2^{10}", None, None, None),
    ("It has 5 molecules of H2O", None, None, "5", None),
    (r"Its side is 3\sqrt{2}", None, None, None, None),
    (r"The circumference is 10\pi", None, None, None, None),
    (r"Thus $x = \frac{3}{4}$.", None, None, r"\frac{3}{4}", None),
    (r"The answer is $\frac{3}{4}$.", r"$\frac{3}{4}$", None, r"\frac{3}{4}", None),
    (r"The answer is \(x^2 + 1\).", r"\(x^2 + 1\)", None, "1", None),
    ("The answer is 3.5 because 7 / 2 = 3.5.", "3.5", None, "3.5", None),
    ("The answer is $5.", "$5", None, "5", None),
    ("The answer is $1,234.50.", "$1,234.50", None, "1,234.50", None),
    (r"It earns \$18 every day.", None, None, "18", None),
    ("The answer is not clear.", None, None, None, None),
    ("The answer is not 5.", None, None, "5", None),
    ("The answer is 5. Wait, the answer is not 5.", None, None, "5", None),
    ("I cannot tell what the answer is.", None, None, None, None),
    ("The answer is given by the formula below.", None, None, None, None),
    ("The answer is obtained by adding 5 and 7.", None, None, "7", None),
    ("The answer is in the table.", None, None, None, None),
    ("Answer: To solve this, we add 5 and 7.", None, None, "7", None),
    ("Answer: Let's think step by step.", None, None, None, None),
    ("Answer: I don't know", None, None, None, None),
    ("Answer:", None, None, None, None),
    ("Answer: $", None, None, None, None),
    ("Answer: $$", None, None, None, None),
    ("Answer: ...", None, None, None, None),
    ("Your last line should be 'Answer: $LETTER'.", None, None, None, None),
    (r"Write the result as \boxed{}.", None, None, None, None),
    ("Put your answer in <answer>your answer here</answer>.", None, None, None, None),
    ("What is the answer: 5 or 6?", None, None, "6", None),
    ("The answer is Dr. Smith.", "Dr. Smith", None, None, None),
    ("The answer is George W. Bush.", "George W. Bush", None, None, None),
    ('The answer is "Paris".', "Paris", None, None, None),
    ("The answer is **Paris**, which is in France.", "Paris", None, None, None),
    ("The answer is e.g. 5", "e.g. 5", None, "5", None),
    ("答案：42", "42", None, "42", None),
    ("答案是42。", "42", None, "42", None),
    ("答えは42です。", "42", None, "42", None),
    ("정답: 42", "42", None, "42", None),
    ("정답은 42입니다.", "42", None, "42", None),
    ("উত্তর: ৪২", "৪২", None, "42", None),
    ("La réponse est 42.", "42", None, "42", None),
    ("La respuesta es 42.", "42", None, "42", None),
    ("Die Antwort lautet 42.", "42", None, "42", None),
    ("B", None, None, None, "B"),
    ("(B)", None, None, None, "B"),
    ("**B**", None, None, None, "B"),
    ("B. Paris", None, None, None, "B"),
    ("The answer is B.", "B", None, None, "B"),
    ("Answer: b", "b", None, None, "B"),
    ("answer: (c)", "(c)", None, None, "C"),
    ("answer: a dog", "a dog", None, None, None),
    ("I think it's B", None, None, None, "B"),
    ("I think it's B, because it rains.", None, None, None, "B"),
    ("for sure D", None, None, None, "D"),
    ("It's A.", None, None, None, "A"),
    ("It's a dog.", None, None, None, None),
    ("Definitely (C).", None, None, None, "C"),
    ('{"answer": "C"}', None, None, None, "C"),
    ("{'answer': 'C', 'why': 'it is'}", None, None, None, "C"),
    ("not A but C", None, None, None, "C"),
    ("It is not A but (C).", None, None, None, "C"),
    ("If it is A, then we get 5. If it is B, we get 6.", None, None, "6", None),
    ("If the answer is A, we get 5.", None, None, "5", None),
    ("It may be A or B", None, None, None, None),
    ("I'd say A or C", None, None, None, None),
    ("La réponse est B.", "B", None, None, "B"),
    ("La bonne réponse est la lettre C", "la lettre C", None, None, "C"),
    ("La respuesta correcta es la opción D.", "la opción D", None, None, "D"),
    ("Respuesta: A continuación vemos", None, None, None, None),
    ("Die richtige Antwort ist C.", "C", None, None, "C"),
    ("Richtig ist B.", None, None, None, "B"),
    ("Die Antwort ist nicht B, sondern C.", None, None, None, "C"),
    ("答えはBです。", "B", None, None, "B"),
    ("正解はCではない。", None, None, None, None),
    ("Bが正解です。", None, None, None, "B"),
    ("정답은 C입니다.", "C", None, None, "C"),
    ("정답은 B가 아니라 C입니다.", None, None, None, "C"),
    ("답: d", "d", None, None, "D"),
    ("Vitamin C is good.", None, None, None, None),
    ("A good question.", None, None, None, None),
    ("I am not sure that it's B", None, None, None, None),
    ("maybe it's B", None, None, None, None),
    ("Option A is wrong. It's D.", None, None, None, "D"),
    ("The answer is A. On reflection, I think it's C.", "A", None, None, "C"),
    (r"\boxed{B}", None, "B", None, "B"),
    (r"\\boxed{5}", None, "5", "5", None),
    (r"\boxed{\text{(C)}}", None, r"\text{(C)}", None, "C"),
    (r"\boxed{7} and \boxed{", None, "7", "7", None),
    (r"\boxed{7}. I repeat: put it into \boxed{}.", None, "7", "7", None),
    (r"The answer is \boxed{x+1}.", "x+1", "x+1", "1", None),
    ("Grade: B+", None, None, None, None),
    ("42 m2", None, None, "42", None),
    ("9.8 m s^-2", None, None, "9.8", None),
    ('The answer is: {"value": 3', None, None, "3", None),
    (r"The answer is $\frac{1}{", None, None, None, None),
    ("Answer:42<|im_end|>", "42", None, "42", None),
    ("The answer is 5<eos>", "5", None, "5", None),
    ("#### 1,000", "1,000", None, "1,000", None),
    ("#### $18", "$18", None, "18", None),
    ("Results: see the table", None, None, None, None),
    ("Is the answer 5?", None, None, "5", None),
    ("The answer is 7!", "7", None, "7", None),
    (
        r"The final answer is: $\boxed{(3, \frac{\pi}{2})}$. I hope so.",
        r"(3, \frac{\pi}{2})",
        r"(3, \frac{\pi}{2})",
        None,
        None,
    ),
    ("", None, None, None, None),
    ("The pair is (3, 4), so the answer is (3, 4).", "(3, 4)", None, "4", None),
    ("The answer is 1, 2, and 3.", "1, 2, and 3", None, "3", None),
    ("The answer is Malia and Sasha.", "Malia and Sasha", None, None, None),
    ("Answer: U.S.A.", "U.S.A", None, None, None),
    ("So 3 bottles of H2O cost 6 dollars.", None, None, "6", None),
    ("2 ** 3 is 8", None, None, "8", None),
    ("The answer is `x + 1`.", "x + 1", None, "1", None),
    ("- **Answer**: Paris", "Paris", None, None, None),
    ("The answer should be 9.", "9", None, "9", None),
    ("Answer：９", "９", None, "9", None),
    ("Is it B? The answer is C.", "C", None, None, "C"),
    ("Option (D) is correct, since 4 > 3.", None, None, "3", "D"),
    ("Antwort: B", "B", None, None, "B"),
    ("La respuesta correcta es: C", "C", None, None, "C"),
    ("答えはCだと思います", "C", None, None, "C"),
    ("at 12:30", None, None, None, None),
    ("Cost: 30", None, None, "30", None),
    ("If I had to choose, I'd pick A.", None, None, None, "A"),
    ("La réponse finale est donc 42.", None, None, "42", None),
    ("The answer is obviously 42.", None, None, "42", None),
    ("End with 'Answer: X' where X is your choice.", None, None, None, None),
    ("####: 18", "18", None, "18", None),
    ("Answer: (see above)", None, None, None, None),
    ("Answer: Let x = 5. Then we add.", None, None, "5", None),
    ("The answer is 42\u200b.", "42", None, "42", None),
]


@for_each("text, final, boxed, number, letter", TEXTS)
def test_each_rule_finds_the_answer_or_nothing(text, final, boxed, number, letter):
    """Written by hand. A rule may find nothing where a reader finds an answer, but nothing that is no answer."""
    rules = {"final_answer": final, "boxed": boxed, "last_number": number, "choice": letter}
    for name, right in rules.items():
        assert extract(EXTRACTIONS[name], text, name, str) == right, name


@for_each("rule", [*EXTRACTIONS, r"is (\d+)", re.compile(r"is (?P<answer>\d+)")])
def test_what_a_model_only_thought_is_removed_before_every_rule(rule):
    find = find_extraction(rule)
    draft, text = r"Answer: 4, so it is \boxed{3}; it is B. It is 5", "it is 42"
    for whole in (
        f"<think>{draft}</think>{text}",
        f"{draft}\n</think>\n\n{text}",
        f"<thinking>{draft}</thinking>{text}",
    ):
        assert (find(whole) or "").strip() == (find(text) or "").strip()
    assert not find(f"<think>{draft}")


def test_a_string_is_a_name_or_a_regular_expression_with_a_group():
    for name, rule in EXTRACTIONS.items():
        assert find_extraction(name) is rule
        assert name_extraction(name) == name
    assert find_extraction(None) is None
    assert find_extraction(r"<a>(.*?)</a>")("<a>1</a><a>2</a>") == "2"
    assert find_extraction(r"(\d+) of (?P<answer>\d+)")("3 of 4") == "4"
    assert find_extraction(re.compile("Answer: (.)", re.IGNORECASE))("answer: C") == "C"
    assert find_extraction("(x)|y")("y") is None
    assert find_extraction("(x)")("y") is None
    assert name_extraction("(x)") == "'(x)'"
    assert name_extraction(re.compile("(x)")) == "'(x)'"
    assert name_extraction(find_boxed) == "at_k.grading.extraction.find_boxed"


@for_each("rule, fault", [("last_numbr", "0 groups"), ("(a)(b)", "2 groups"), ("(", "missing \\), unterminated")])
def test_a_misspelled_name_is_noticed(rule, fault):
    message = f"`extract_fn` must be one of 'text', 'boxed', 'last_number', .* no such expression: {fault}"
    with pytest.raises(InputError, match=message) as caught:
        find_extraction(rule)
    assert caught.value.code == "extract.pattern"


def test_what_is_no_rule():
    for rule in (5, b"(x)", re.compile(b"(x)")):
        with pytest.raises(TypeError, match="`extract_reference` must be"):
            find_extraction(rule, "extract_reference")


def read(*rows):
    return read_problems(answers=list(rows), references=["x"] * len(rows)).answers


def test_a_rule_is_applied_once_to_each_distinct_text():
    calls = []

    def rule(text):
        calls.append(text)
        return text[-1].strip()

    answers = extract_answers(read(["so 7", "is 7", None], ["so 7", "a "]), rule)
    assert sorted(calls) == ["a ", "is 7", "so 7"]
    shown = [answers.distinct[code] if code >= 0 else None for code in answers.codes.values]
    assert shown == ["7", "7", None, "7", None]  # an empty answer is none
    assert extract_references([("so 7", "7"), ("so 7",)], rule, "extract_fn", keep=True) == [("7", "7"), ("7",)]
    assert len(calls) == 5


@for_each("rule", ["text", "boxed", "last_number", "choice", "final_answer", r"answer is (\d+)", r"#### ([\d,]+)"])
def test_every_rule_understands_references_of_gsm8k(rule):
    solution = "The answer is A plus B, $\\boxed{9}$: he sells 48 / 2 = <<48/2=24>>24 clips.\n#### 1,250"
    references = [(solution,), ("#### 18\n",), ("x + 1",)]
    found = extract_references(references, find_extraction(rule), "extract_fn", keep=True)
    assert found == [("1,250",), ("18",), ("x + 1" if rule != "last_number" else "1",)]


def test_the_last_line_of_tests_is_no_reference_of_gsm8k():
    tests = ("assert f(1) == 1\n#### end",)
    assert extract_references([tests], EXTRACTIONS["code"], "extract_fn", keep=True) == [tests]


def test_a_reference_without_an_answer():
    references = [("#### 7",), ("8",)]
    assert extract_references(references, find_final_answer, "extract_fn", keep=True) == [("7",), ("8",)]
    with pytest.raises(InputError, match="finds none in '8', in problem 1") as caught:
        extract_references(references, find_final_answer, "extract_reference", keep=False)
    assert caught.value.code == "extract.reference"


def test_a_rule_that_fails_says_where():
    with pytest.raises(RuntimeError, match=r"`extract_fn` failed on the text 'b', in problem 1, sample 1: Zero") as got:
        extract_answers(read(["a"], ["a", "b"]), lambda text: 1 / 0 if text == "b" else text)
    assert isinstance(got.value.__cause__, ZeroDivisionError)
    with pytest.raises(TypeError, match=r"must return a string, or None .*; got 5 of .* in problem 0, sample 0"):
        extract_answers(read(["a"]), lambda text: 5)


@for_each("unit", [r"\boxed{", "{", "}", "answer is ", "#### ", "答案是", "answer:", " ", r"\boxed{a}", "<answer>"])
def test_a_long_text_takes_seconds_at_most(unit):
    text = "answer" + unit * (200_000 // len(unit))
    hold(2, timed(lambda: (find_boxed(text), find_final_answer(text))))  # linear: 0.2 s; quadratic: many minutes


@for_each(
    "text, rest",
    [
        ("", ""),
        ("I think so", "I think so"),
        ("<think>a</think>b", "b"),
        ("a</think>b", "b"),
        ("<think>a", ""),
        ("x <think>a</think>b", "x  b"),
        ("<think>a</think>draft</think>b", "b"),
        ("<think>a <think>b</think>c", "c"),
        ("<thinking>a</thinking>b", "b"),
        ("<think></think>b", "b"),
        ("<thinker>a", "<thinker>a"),
    ],
)
def test_thoughts(text, rest):
    assert remove_thoughts(text) == rest


# MULTILINGUAL_ANSWER_REGEXES of github.com/openai/simple-evals (ee3b031), common.py, and LANG_TO_ANSWER_PREFIX of
# mgsm_eval.py: what MMMLU and MGSM look for.
SIMPLE_EVALS = [
    *("Answer:", "Answer:\u200b\u200b", "উত্তর:", "उत्तर:", "উত্তরঃ", "Antwort:", "답변:", "정답:", "답:"),
    *("答案：", "答案:"),
    *("答：", "答:", "答复：", "答曰：", "الإجابة:", "الجواب:", "إجابة:", "الإجابة النهائية:", "الإجابة الصحيحة:"),
    *("الإجابة الصحيحة هي:", "الإجابة هي:", "الجواب النهائي:", "Respuesta:", "Risposta:", "答え:", "答え：", "回答:"),
    *("回答：", "解答:", "Jawaban:", "Réponse:", "Resposta:", "Jibu:", "Idahun:", "Ìdáhùn:", "Idáhùn:", "Àmọ̀nà:"),
    *("Àdáhùn:", "Ànúgọ:", "Àṣàyàn:", "Ответ:", "సమాధానం:", "คำตอบ:"),
]


@for_each("words", SIMPLE_EVALS)
@for_each("form", ["NFC", "NFD"])
def test_the_words_of_simple_evals(words, form):
    for between in ("", " ", "\n"):
        assert find_final_answer(unicodedata.normalize(form, f"6 + 1\n{words}{between}7")) == "7"


def test_a_part_of_a_word_is_not_the_word():
    assert find_final_answer("unanswer: 5") is None


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
