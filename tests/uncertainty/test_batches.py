"""Credits of arrays of any library, in rows and flat, against those of lists."""

from itertools import chain

import array_api_strict
import numpy as np
from array_api_compat import numpy as compatible
from cases import for_each
from numpy.testing import assert_allclose
from uncertainty.test_credits import EVERY, columns_of, draw_prompts

from at_k import credit

LIBRARIES = {"NumPy": compatible, "strict": array_api_strict}


@for_each("metric", EVERY)
@for_each("library", LIBRARIES)
@for_each("dtype", ["float64", "float32", "int64", "bool"])
def test_rows_of_any_array(metric, library, dtype):
    xp = LIBRARIES[library]
    given = columns_of(draw_prompts(np.random.default_rng(1), 5, 4))
    wanted = credit(metric, **given)
    array = xp.asarray(given["grades"], dtype=getattr(xp, dtype))
    scores = xp.asarray(given["scores"], dtype=xp.float64)
    found = credit(metric, array, answers=given["answers"], scores=scores)
    assert type(found) is type(array)
    assert found.dtype == (array.dtype if dtype.startswith("float") else xp.float64)
    # A float of single precision has seven digits.
    assert_allclose(
        np.asarray(found), wanted, rtol=1e-6 if dtype == "float32" else 1e-12, atol=1e-7
    )


@for_each("metric", EVERY)
@for_each("library", LIBRARIES)
@for_each("names", ["strings", "integers", "array"])
def test_flat_columns_in_any_order(metric, library, names):
    xp, rng = LIBRARIES[library], np.random.default_rng(0)
    given = columns_of([draw_prompts(rng, n, 1)[0] for n in (4, 3, 4, 7)])
    wanted = list(chain(*credit(metric, **given)))
    order = rng.permutation(18)
    flat = {name: [list(chain(*rows))[i] for i in order] for name, rows in given.items()}
    uids = [
        [f"uid-{prompt}", prompt][names != "strings"]
        for prompt, row in enumerate(given["grades"])
        for _ in row
    ]
    uids = [uids[i] for i in order]
    listed = credit(metric, **flat, problem=np.array(uids, dtype=object))
    assert_allclose(listed, np.array(wanted)[order], atol=1e-13)
    array = xp.asarray(flat["grades"], dtype=xp.float64)
    problem = xp.asarray(uids) if names == "array" else uids
    found = credit(
        metric,
        array,
        answers=flat["answers"],
        scores=xp.asarray(flat["scores"], dtype=xp.float64),
        problem=problem,
    )
    assert type(found) is type(array)
    assert_allclose(np.asarray(found), listed, atol=1e-13)
