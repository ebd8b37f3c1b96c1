"""How much a visitor may ask of a public page. Everything is measured before any work is done with it."""

MAX_BYTES = 5_000_000
"""Bytes of results, as UTF-8."""

MAX_BODY = 12_000_000
"""Bytes of one request: results grow when they are quoted in JSON."""

MAX_ROWS = 50_000
"""Rows of a file: problems, or samples where each has a row of its own."""

MAX_COLUMNS = 200

MAX_CELLS = 1_000_000
"""Cells of a CSV file, the empty ones among them."""

MAX_PROBLEMS = 5_000

MAX_SAMPLES = 1_000
"""Samples of one problem."""

MAX_ALL_SAMPLES = 200_000
"""Samples of all problems."""

MAX_CELL = 20_000
"""Characters of one answer, name or label."""

MAX_GROUPS = 30

MAX_K = 20
"""How many k, and how many thresholds, may be asked for at once."""

MAX_SECONDS = 10.0
"""Time for one request."""

MAX_VOTE_SECONDS = 3.0
"""Time for the votes of all problems, as estimated before they are counted."""

MAX_TABLES = 10_000
"""Rows of probabilities, one for each n, k and metric."""

MAX_VALUES = 300_000
"""Numbers in the downloads, one for each problem, k and metric: the page holds them whole."""

MAX_EXPLORE_N = 256
"""Samples of the problem on the page Explore."""
