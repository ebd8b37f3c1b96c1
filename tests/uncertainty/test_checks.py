"""Arguments that cannot be used are refused by name, by the checks and by the functions that take them."""

from functools import partial

import numpy as np
from cases import for_each, refuses
from numpy.testing import assert_array_equal

from at_k import credit, pass_at_k
from at_k.uncertainty import checks
from at_k.uncertainty.comparison import compare_unpaired, compare_values, paired_t_p
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.jackknife import jackknife_counts
from at_k.uncertainty.prediction import enough, predict_pass_at_k
from at_k.uncertainty.standard_errors import standard_error


def test_checked_arguments_are_returned():
    assert checks.check_size("problems", np.int64(3)) == 3
    assert_array_equal(checks.read_values("a", [True, 0, 0.5]), [1, 0, 0.5])
    assert checks.read_values("a", [[1, 2], [3, 4]], bounded=False).shape == (2, 2)
    n, c = checks.read_counts(4, [1, 2])
    assert_array_equal([n, c], [[4, 4], [1, 2]])


check_level = partial(checks.check_fraction, "confidence_level")
check_problems = partial(checks.check_size, "problems")
read = partial(checks.read_values, "a")
read_any = partial(checks.read_values, "a", bounded=False)
NAN, INF, ONE = float("nan"), float("inf"), ([1.0], [1.0])
FRACTION = "must lie between 0 and 1, both excluded; got"
FEW = "must hold one value per problem, at least one; got"
BROADCAST = "ValueError: must have shapes that broadcast; got (2,), (3,) and ()"

REFUSED = [
    *[(check_level, (level,), f"ValueError: `confidence_level` {FRACTION} {level}")
      for level in (0, 1, -0.1, 2, NAN, INF)],
    *[(check_level, (level,), "TypeError: `confidence_level` must be a number between 0 and 1")
      for level in ("0.95", None, True, [0.9])],
    (check_problems, (1, 2), "ValueError: `problems` must be at least 2; got 1"),
    *[(check_problems, (wrong,), "TypeError: `problems` must be an integer") for wrong in (2.0, True, "3", None)],
    (read_any, ([1, -2e150, 3],), "ValueError: `a` must lie between ±1e+150; got -2e+150 in problem 1"),
    *[(read, (wrong,), f"ValueError: `a` {FEW} {wrong}") for wrong in ([], 0.5)],
    (read, ([0.5, NAN],), "ValueError: `a` must hold finite numbers; got nan in problem 1"),
    (read, ([[0.5, 0.5], [0.5, INF]],), "ValueError: `a` must hold finite numbers; got inf in problem 1"),
    (read, ([0.5, 1.5],), "ValueError: `a` must lie in [0, 1]; got 1.5 in problem 1"),
    (read, ([-0.5],), "ValueError: `a` must lie in [0, 1]; got -0.5 in problem 0"),
    (read, (["0.5"],), "TypeError: `a` must hold numbers; got <U3 in ['0.5']"),
    (read, ([None],), "TypeError: `a` must hold numbers; got object in [None]"),
    (read, ([[1], [1, 0]],), "ValueError: `a` must hold numbers, in rows of one length; got [[1], [1, 0]]"),
    (partial(checks.read_column, "a"), ([[0, 1]],),
     "ValueError: `a` must hold one number per problem; got an array of shape (1, 2)"),
    (checks.read_counts, ([[4]], [[1]]), "ValueError: `n` and `c` must hold one number per problem"),
    (checks.read_counts, ([1], [2]), "ValueError: `c` must be at most `n`; got n=1, c=2 in problem 0"),

    (compare_values, ([1.0], [1.0, 0.0]), "ValueError: `a` and `b` must hold values of the same problems; got 1 and 2"),
    (compare_values, ([1.5], [1.0]), "ValueError: `a` must lie in [0, 1]; got 1.5 in problem 0"),
    (compare_values, ([1.0], [NAN]), "ValueError: `b` must hold finite numbers; got nan in problem 0"),
    (partial(compare_values, method="z"), ONE, "ValueError: `method` must be one of 'sign-flip', 'bounded'; got 'z'"),
    (partial(compare_values, confidence_level=0), ONE, f"ValueError: `confidence_level` {FRACTION} 0"),
    (partial(compare_values, margin=0), ONE, f"ValueError: `margin` {FRACTION} 0"),
    (partial(compare_values, margin="2 %"), ONE, "TypeError: `margin` must be a number between 0 and 1; got '2 %'"),
    (partial(compare_values, n_flips=0), ONE, "ValueError: `n_flips` must be at least 1; got 0"),
    (partial(compare_values, seed=-1), ONE, "ValueError: `seed` must not be negative; got -1"),
    (compare_unpaired, ([1.0], []), f"ValueError: `b` {FEW} []"),
    (paired_t_p, ([],), f"ValueError: `differences` {FEW} []"),
    (paired_t_p, ([INF],), "ValueError: `differences` must hold finite numbers; got inf in problem 0"),

    (interval, (1.5, 0.1, 3), "ValueError: `value` must lie in [0, 1]; got 1.5"),
    (interval, ([0.5, -1], 0.1, 3), "ValueError: `value` must lie in [0, 1]; got -1.0 in problem 1"),
    (interval, (NAN, 0.1, 3), "ValueError: `value` must hold finite numbers; got nan"),
    (interval, ([None], 0.1, 3), "TypeError: `value` must hold numbers"),
    (interval, (0.5, -0.1, 3), "ValueError: `stderr` must not be negative; got -0.1"),
    (interval, (0.5, INF, 3), "ValueError: `stderr` must hold finite numbers; got inf"),
    (interval, (0.5, "0.1", 3), "TypeError: `stderr` must hold numbers"),
    (interval, (0.5, 0.1, 0), "ValueError: `m` must be at least 1; got 0.0"),
    (interval, (0.5, 0.1, NAN), "ValueError: `m` must hold finite numbers; got nan"),
    (interval, ([0.5] * 2, [0.1] * 3, 3), BROADCAST),
    (partial(interval, confidence_level=95), (0.5, 0.1, 3), f"ValueError: `confidence_level` {FRACTION} 95"),
    (partial(interval, method="score"), (0.5, 0.1, 3), "ValueError: `method` must be one of 'beta', "),
    (partial(interval, bounded=False), (5.0, 0.1, 3),
     "ValueError: `method` must be 't' or 'wald' for values without a range"),

    (partial(predict_pass_at_k, k=[3, 9]), ([4, 8], [1, 2]),
     "predict.within: A predicted k must be above n, here 4; got k=3"),
    (partial(predict_pass_at_k, k=4), ([4, 8], [1, 2]), "predict.within: got k=4"),
    (partial(predict_pass_at_k, k=41), ([4, 8], [1, 2]), "predict.far: must be at most 40, ten times n"),
    (partial(predict_pass_at_k, k=9), ([4, 8], [0, 0]), "predict.none_correct: No sample of any problem is correct"),
    (partial(predict_pass_at_k, k=9), ([1, 8], [0, 1]), "predict.one_sample: at least two samples of every problem"),
    (partial(predict_pass_at_k, k=8), ([4], [1, 2]), "ValueError: `n` and `c` must have as many problems; got 1 and 2"),
    (partial(predict_pass_at_k, k=32, target="these"), ([8] * 9, range(9)), "ValueError: `target` must be one of"),
    (partial(enough, confidence=1), (["a"],), "ValueError: `confidence` must lie between 0 and 1"),
    (partial(enough, rule="crp"), (["a"],), "ValueError: `rule` must be one of 'beta', 'sequence'; got 'crp'"),
    (enough, ("aab",), "TypeError: `votes` must hold a list of samples"),
    (enough, (["a", 1],), "TypeError: `votes` must not mix types"),

    (partial(jackknife_counts, k=3), (pass_at_k, [2], [1]), "ValueError: `k` must be at most n"),
    (partial(standard_error, clusters=["a"]), ([0.1, 0.2],),
     "ValueError: `clusters` and `per_problem` must have as many problems; got 1 and 2"),
    (partial(standard_error, clusters=["a", None]), ([0.1, 0.2],),
     "ValueError: `clusters` must hold a label for every problem; got None in problem 1"),
    (credit, ("pass@1", [1, 0, 1]), "TypeError: `grades` must be rows, one per problem, or come with `groups`"),
    (credit, ("pass@1", [["yes", "no"]]), "TypeError: `grades` must hold numbers"),
]  # fmt: skip


@for_each("call, given, says", REFUSED)
def test_arguments_that_cannot_be_used(call, given, says):
    refuses(says, call, *given)
