"""Questions that reports answer together: which model is better, how much to measure, what the numbers say."""
