"""Limits of a visitor's request to a public page."""

from at_k.validation import Limits

READING = (
    *("columns", "where", "pool", "concat", "scorer", "filter", "tests", "errors", "scale"),
    *("rows_at", "correct", "wrong"),
)
"""The options of readers that a visitor may set."""

OFFERED = (
    *("metrics", "k", "thresholds", "ties", "on_conflict", "select", "score_weights"),
    *("higher_is_better", "threshold", "missing", "groups", "confidence_level", "target"),
    *("extract_fn", "check_correct_fn", "equivalence", "sampling", *READING),
)
"""The options of results that a visitor may set. The others run code, start processes, or name functions."""

COMPARING = ("margin", "unmatched", "method")
PLANNING = ("k", "tau")
"""The options that a comparison and a plan add."""

LIMITS = Limits(
    max_bytes=5_000_000,
    max_rows=50_000,
    max_text=20_000,
    max_problems=5_000,
    max_samples=1_000,
    max_all_samples=200_000,
    max_groups=30,
)

MOST_FILES = 32
"""Files that are read together."""

MOST_AT_ONCE = 3
"""Pieces of work that are done at the same time, each of another visitor: one more than one address may have done."""

CPU_SECONDS = 10.0
"""CPU time of one piece of work, in a process of its own."""

VOTE_SECONDS = 5.0
"""CPU time after which a data set is scored without its vote."""

BAND_SECONDS = 4.0
"""CPU time after which models are compared without bands."""

WALL_SECONDS = 120.0
"""Time of one piece of work on a machine that is busy with other work."""

MEMORY = 2_000_000_000
"""Bytes of memory of one piece of work."""

HUB_SECONDS = 10.0
"""Time in which a file must come from the Hub."""

HEAD_SECONDS = 10.0
"""Seconds in which the head of a request must be there, from its first byte or the beginning of the connection."""

BODY_SECONDS = 10.0
"""Time in which the body of a request must come."""

MAX_BODY = 12_000_000
"""Bytes of one request. Results grow when they are quoted in JSON."""

MAX_GRADIO_BODY = 1_000_000
"""Bytes of one request to a demo, which Gradio keeps while it is in the queue."""

MAX_BODIES = 64_000_000
"""Bytes of all requests that are being read or answered."""

MAX_CONNECTIONS = 400
"""Connections that are served at once."""

BUSY_SECONDS = 5
"""Retry-After in seconds when the queue is full."""
