"""The sentences of Explore say what a draw shows, in every case that they have words of their own for."""

from cases import for_each
from oracles import hypergeometric, tail

from at_k.demo.sentences import say_setting, say_story
from at_k.demo.words import LANGUAGES, say

IN_BROWSER = {
    (16, 8, 16): "Of these 16 answers, 8 are right. All 16 are drawn: nothing is left to chance.",
    (16, 1, 1): "Of these 16 answers, 1 is right. Draw 1: it is right 6.3 % of the time.",
    (16, 0, 3): "Of these 16 answers, none is right. Draw 3: at least one is right 0 % of the time, all are right 0 %.",
    (
        256,
        128,
        100,
    ): "Of these 256 answers, 128 are right. Draw 100: at least one is right more than 99.9 % of the time, "
    "all are right less than 0.1 %.",
}
"""As `browser/test_explore.py` has them of the page."""


@for_each("numbers, sentence", IN_BROWSER.items())
def test_the_sentence_is_the_one_of_the_page(numbers, sentence):
    assert say_setting(*numbers, "en") == sentence


def test_the_story_has_the_shares_of_both_models():
    for language in LANGUAGES:
        for k in (1, 4, 7, 16):
            ways, said = hypergeometric(16, 8, k), say_story(k, language)
            for m in (1, k):
                percent = round(100 * float(tail(ways, m)))
                share = (
                    "> 99 %"
                    if percent == 100 and k < 9
                    else "< 1 %"
                    if percent == 0 and tail(ways, m)
                    else f"{percent} %"
                )
                assert f"{say(language, 'explore.shaky')} {share}" in said
            assert f"{say(language, 'explore.steady')} 50 %" in said
