"""The names by which trainers ask for the credit of each sample. None of them is imported with `at_k`."""
