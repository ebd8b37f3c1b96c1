"""Statistics of values per problem: standard errors, intervals, comparison, planning, prediction, calibration.

SciPy is imported by the functions that use it, so that `import at_k` does not load it.
"""
