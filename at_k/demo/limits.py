"""Limits of a visitor's request to a public page."""

from at_k.validation import Limits

# The options of readers that a visitor may set.
READING = (
    *("columns", "where", "pool", "concat", "scorer", "filter", "tests", "errors", "scale"),
    *("rows_at", "correct", "wrong", "unjudged"),
)

# The options of results that a visitor may set. The others run code, start processes, or name functions.
OFFERED = (
    *("metrics", "k", "thresholds", "ties", "on_conflict", "select", "score_weights"),
    *("higher_is_better", "correct_above", "missing", "groups", "confidence_level", "target"),
    *("extract_fn", "check_correct_fn", "equivalence", "sampling", *READING),
)

COMPARING = ("margin", "unmatched", "method")
# The options that a comparison and a plan add.
PLANNING = ("k", "thresholds")

LIMITS = Limits(
    max_bytes=5_000_000,
    max_rows=50_000,
    max_text=20_000,
    max_problems=5_000,
    max_samples=1_000,
    max_all_samples=200_000,
    max_groups=30,
)

# Files that are read together.
MOST_FILES = 32

# Pieces of work that are done at the same time, each of another visitor: one more than one address may have done.
MOST_AT_ONCE = 3

# CPU time of one piece of work, in a process of its own.
CPU_SECONDS = 10.0

# CPU time after which a data set is scored without its vote.
VOTE_SECONDS = 5.0

# CPU time in which readings of results that were refused are tried.
TRY_SECONDS = 2.0

# CPU time after which models are compared without bands.
BAND_SECONDS = 4.0

# Time of one piece of work on a machine that is busy with other work.
WALL_SECONDS = 120.0

# Bytes of memory of one piece of work.
MEMORY = 2_000_000_000

# Time in which a file must come from the Hub.
HUB_SECONDS = 10.0

# Seconds in which the head of a request must be there, from its first byte or the beginning of the connection.
HEAD_SECONDS = 10.0

# Time in which the body of a request must come.
BODY_SECONDS = 10.0

# Bytes of one request. Results grow when they are quoted in JSON.
MAX_BODY = 12_000_000

# Bytes of one request to a demo, which Gradio keeps while it is in the queue.
MAX_GRADIO_BODY = 1_000_000

# Bytes of all requests that are being read or answered.
MAX_BODIES = 64_000_000

# Connections that are served at once.
MAX_CONNECTIONS = 400

# Retry-After in seconds when the queue is full.
BUSY_SECONDS = 5
