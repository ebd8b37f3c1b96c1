"""Count samples where they are: in a database, a data frame that is not computed yet, or a folder of shards.

An engine groups rows, one for each sample, twice: by problem, and then by what the problems have in common. Only the
few rows of the second come back. A package adds an engine by an entry point in the group `at_k.engines`, which names an
object with the functions of `Engine`.
"""

from at_k.engines.engine import Engine, Roles, Rows, find_engine, sql

__all__ = ["Engine", "Roles", "Rows", "find_engine", "sql"]
