"""How much a visitor may ask of a public page."""

from at_k.limits import Limits

LIMITS = Limits(
    max_bytes=5_000_000,
    max_rows=50_000,
    max_text=20_000,
    max_problems=5_000,
    max_samples=1_000,
    max_all_samples=200_000,
    max_groups=30,
)

MOST_AT_ONCE = 3
"""Pieces of work that are done side by side, each of another visitor: one more than one address may have done."""

CPU_SECONDS = 10.0
"""CPU time of one piece of work, in a process of its own."""

VOTE_SECONDS = 5.0
"""CPU time after which a data set is scored without its vote."""

WALL_SECONDS = 120.0
"""Time of one piece of work on a machine that is busy with other work."""

MEMORY = 2_000_000_000
"""Bytes of memory of one piece of work."""

HUB_SECONDS = 10.0
"""Time in which a file must come from the Hub."""

BODY_SECONDS = 10.0
"""Time in which the body of a request must come."""

MAX_BODY = 12_000_000
"""Bytes of one request. Results grow when they are quoted in JSON."""

MAX_BODIES = 64_000_000
"""Bytes of all requests that are being read."""

MAX_EXPLORE_N = 256
"""Samples of the problem on the page Explore."""

MAX_EXPLORE_KEYS = 20
"""Values of k, and of τ, in one request to /explore, which is answered in the app's own process."""

BUSY_SECONDS = 5
"""Seconds after which whoever found no place may ask again."""
