"""The checker `chrf`, beside sacreBLEU's own function."""

import pytest
import sacrebleu
from cases import for_each

from at_k.errors import InputError
from at_k.grading.checkers import checkers

PAIRS = [("the cat sat on the mat today", "the cat sat on a mat"), ("cat", "cat"), ("dog", "cat"), ("", "cat")]


@for_each("word_order", [0, 2])
def test_it_is_the_chrf_of_sacrebleu(word_order):
    for answer, reference in PAIRS:
        expected = sacrebleu.sentence_chrf(answer, [reference], word_order=word_order).score / 100
        assert checkers.chrf(word_order=word_order).grade(answer, reference) == pytest.approx(expected, abs=1e-12)


def test_a_word_order_is_a_small_integer():
    for wrong in (-1, 7, 1.5, True, "2"):
        with pytest.raises(InputError, match="`word_order` must be an integer from 0 to 6"):
            checkers.chrf(word_order=wrong)
