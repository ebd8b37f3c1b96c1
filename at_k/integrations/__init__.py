"""The names by which harnesses ask for numbers, and trainers for credits. None of them is imported with `at_k`."""
