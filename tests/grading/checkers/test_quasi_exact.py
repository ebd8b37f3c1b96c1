"""The checker `quasi_exact`: the normalisation of SQuAD, of texts in any script."""

from cases import for_each

from at_k.grading.checkers import checkers


@for_each(
    "answer, reference",
    [
        ("The Eiffel Tower.", "eiffel tower"),
        ("  an   apple ", "Apple"),
        ("“Paris”", "paris"),
        ("巴黎。", "巴黎"),
        ("U.S.", "us"),
        ("A", "a"),
        ("the", "The!"),
        ("Vitamin A", "vitamin a"),
    ],
)
def test_texts_that_are_the_same(answer, reference):
    assert checkers.quasi_exact()(answer, reference) is True


@for_each(
    "answer, reference",
    [
        ("A", "B"),  # the article alone is an answer
        ("A", "An"),
        ("A", ""),
        ("+", "-"),
        ("", "the"),
        ("another", "other"),
        ("Straße", "Strasse"),
    ],
)
def test_texts_that_differ(answer, reference):
    assert checkers.quasi_exact()(answer, reference) is False


def test_it_is_the_normalisation_of_squad():
    """The steps of the official script (https://rajpurkar.github.io/SQuAD-explorer), on texts that keep a word."""
    import re
    import string

    def squad(text):
        text = "".join(each for each in text.lower() if each not in set(string.punctuation))
        return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())

    for text in ("The cat -- a 'fine' one -- sat.", "An-other day, another $5.00", "x the y a z an", "one_two"):
        assert checkers.quasi_exact().normalize(text) == squad(text)
