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
    max_keys=20,
    max_tables=10_000,
    max_values=300_000,
    seconds=10.0,
    vote_seconds=3.0,
)

MAX_BODY = 12_000_000
"""Bytes of one request. Results grow when they are quoted in JSON."""

MAX_BODIES = 64_000_000
"""Bytes of all requests that are being read."""

MAX_EXPLORE_N = 256
"""Samples of the problem on the page Explore."""
