"""The copy, the results and the gaps of `make mutants`. mutmut itself is not installed for the tests."""

import configparser
import json

from cases import for_each

from tools import mutants


def test_the_copy_changes_one_room_and_runs_its_tests(tmp_path):
    folder = mutants.copy_tree("estimators", build=tmp_path)
    parser = configparser.ConfigParser()
    parser.read(folder / "setup.cfg", encoding="utf-8")
    found = parser["mutmut"]
    assert found["only_mutate"] == "at_k/estimators/*"
    assert found["pytest_add_cli_args_test_selection"] == "tests/estimators"
    copied = {*found["also_copy"].split(), "at_k", "tests", "setup.cfg"}
    assert copied == {path.name for path in folder.iterdir()}
    assert not (folder / ".venv").exists()


def test_results_are_read_from_all_files(tmp_path):
    for name, codes in (("a", {"x": 0, "y": 1}), ("b/c", {"z": None})):
        path = tmp_path / "mutants" / "at_k" / f"{name}.py.meta"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"exit_code_by_key": codes}), encoding="utf-8")
    assert mutants.read_results(tmp_path) == {"x": 0, "y": 1, "z": None}


@for_each("rooms, sample, left_out", [
    (mutants.list_rooms(), mutants.SAMPLE, []),
    (["cli"], mutants.SAMPLE, ["all rooms but cli"]),
    (mutants.list_rooms(), 3, [f"all but 3 mutants of a room, not {mutants.SAMPLE}"]),
])  # fmt: skip
def test_a_partial_run_says_what_it_left_out(rooms, sample, left_out):
    assert mutants.list_left_out(rooms, sample) == left_out
