"""The search for the smallest number that is enough, against trying all."""

from cases import for_each

from at_k.uncertainty.search import find_least


@for_each("least", [1, 2, 5])
@for_each("most", [5, 16, 33])
@for_each("enough", range(1, 40))
def test_the_smallest_number_is_found(least, most, enough):
    expected = next((number for number in range(least, most + 1) if number >= enough), None)
    assert find_least(lambda number: number >= enough, least, most) == expected
