"""From tables to samples, or to a question."""
