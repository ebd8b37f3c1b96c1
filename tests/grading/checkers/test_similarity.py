"""The checkers of similarity, by hand and beside the functions of sacreBLEU and rouge-score."""

import pytest
import sacrebleu
from cases import for_each
from rouge_score.rouge_scorer import RougeScorer

from at_k.errors import InputError
from at_k.grading.checkers import checkers
from at_k.grading.workers import grade_pairs

PAIRS = [
    ("the cat sat on the mat today", "the cat sat on a mat"),
    ("the cat sat on the mat", "the cat sat on the mat"),
    ("he was running to the shops", "he runs to a shop every day"),
    ("dog", "cat"),
    ("", "cat"),
    ("cat", "cat"),
]
OWN = {
    "bleu": lambda answer, reference: sacrebleu.sentence_bleu(answer, [reference]).score / 100,
    "chrf": lambda answer, reference: sacrebleu.sentence_chrf(answer, [reference]).score / 100,
    "chrf++": lambda answer, reference: (
        sacrebleu.sentence_chrf(answer, [reference], word_order=2).score / 100
    ),
    **{
        name: lambda answer, reference, name=name: (
            RougeScorer([name]).score(reference, answer)[name].fmeasure
        )
        for name in ("rouge1", "rouge2", "rougeL")
    },
    "stems": lambda answer, reference: RougeScorer(["rouge1"], use_stemmer=True).score(
        reference, answer
    )["rouge1"][2],
}
MADE = {"chrf++": checkers.chrf(word_order=2), "stems": checkers.rouge1(use_stemmer=True)}


@for_each("name", OWN)
def test_grades_are_those_of_the_package(name):
    checker = MADE.get(name) or checkers[name]()
    grades = [checker.grade(*pair) for pair in PAIRS]
    assert grades == pytest.approx([OWN[name](*pair) for pair in PAIRS], abs=1e-12)
    assert max(grades) == grades[1] == 1.0


def test_grades_by_hand():
    pair = ("the cat here", "the cat sat here")
    found = [checkers[name]().grade(*pair) for name in ("rouge1", "rouge2", "rougeL")]
    assert found == pytest.approx(
        [6 / 7, 2 / 5, 6 / 7]
    )  # 3 words of 3 and of 4; 1 pair of 2 and of 3; "the cat here"
    assert grade_pairs(checkers.bleu(), [("cat", "cat")]) == [1.0]


@for_each("name, options", [
    ("bleu", {"tokenize": "words"}), ("bleu", {"tokenize": 13}),
    *(("chrf", {"word_order": wrong}) for wrong in (-1, 7, 1.5, True, "2")), ("rougeL", {"use_stemmer": 1}),
])  # fmt: skip
def test_wrong_parameters(name, options):
    with pytest.raises(InputError) as caught:
        checkers[name](**options)
    assert caught.value.code == "check.similarity"


def test_the_signature_names_changed_parameters_and_the_version():
    assert (
        checkers.bleu(tokenize="zh").describe()
        == f"bleu(tokenize='zh',sacrebleu={sacrebleu.__version__})"
    )
    assert checkers.rouge1().describe().startswith("rouge1(rouge-score=")
