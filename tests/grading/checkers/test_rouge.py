"""The checkers `rouge1`, `rouge2` and `rougeL`, by hand and beside rouge-score."""

import pytest
from cases import for_each
from rouge_score.rouge_scorer import RougeScorer

from at_k.grading.checkers import checkers

NAMES = ["rouge1", "rouge2", "rougeL"]


@for_each(
    "name, grade",
    [
        ("rouge1", 6 / 7),  # 3 words of 3 and of 4
        ("rouge2", 2 / 5),  # 1 pair of 2 and of 3
        ("rougeL", 6 / 7),  # "the cat here"
    ],
)
def test_by_hand(name, grade):
    assert checkers[name]().grade("the cat here", "the cat sat here") == pytest.approx(grade)


@for_each("name", NAMES)
@for_each("use_stemmer", [False, True])
def test_it_is_the_f_measure_of_rouge_score(name, use_stemmer):
    answer, reference = "he was running to the shops", "he runs to a shop every day"
    expected = RougeScorer([name], use_stemmer=use_stemmer).score(reference, answer)[name].fmeasure
    assert checkers[name](use_stemmer=use_stemmer).grade(answer, reference) == expected
    with pytest.raises(TypeError, match="`use_stemmer` must be True or False"):
        checkers[name](use_stemmer=1)
