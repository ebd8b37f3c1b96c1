"""Outcomes of programs."""

import pickle

from at_k.grading.code.outcomes import HarnessError, Outcome


def test_only_passed_is_passed():
    statuses = ("passed", "failed", "timed out", "killed for memory")
    assert [Outcome(status).passed for status in statuses] == [True, False, False, False]


def test_outcomes_travel_between_processes():
    outcome = Outcome("failed", "ValueError", "printed", "limits")
    assert pickle.loads(pickle.dumps(outcome)) == outcome


def test_the_output_is_not_in_the_representation():
    assert "printed" not in repr(Outcome("failed", "ValueError", "printed"))


def test_a_fault_of_the_harness_is_no_outcome():
    assert issubclass(HarnessError, RuntimeError)
