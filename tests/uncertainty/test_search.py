"""The search for the smallest number that is enough, against trying all."""

import pytest

from at_k.uncertainty.search import find_least


@pytest.mark.parametrize("least", [1, 2, 5])
@pytest.mark.parametrize("most", [5, 16, 33])
@pytest.mark.parametrize("enough", range(1, 40))
def test_the_smallest_number_is_found(least, most, enough):
    expected = next((number for number in range(least, most + 1) if number >= enough), None)
    assert find_least(lambda number: number >= enough, least, most) == expected
