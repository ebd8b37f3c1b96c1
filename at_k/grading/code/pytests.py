"""Run the tests of a test program by pytest, where a user asks for that: fixtures, marks and parameters work then."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILE = "test_program.py"
"""The file that pytest is given. It is empty: the tests have been defined already."""


def run_by_pytest() -> list[str]:
    """Run the functions and classes that pytest takes for tests, and raise the first error.

    A test that is skipped before it begins, or expected to fail, decides nothing. One that is skipped while it runs
    fails: a program could do that too.

    Returns:
        The names of the tests that could not be run, as those whose fixtures are not there.
    """
    import pytest

    errors: list[BaseException] = []
    unable: list[str] = []

    class Program(pytest.Module):
        """The module of a program, in which its tests were defined after it."""

        def _getobj(self) -> Any:
            return sys.modules["__main__"]

        def collect(self) -> Iterator[Any]:
            for item in super().collect():
                if getattr(getattr(item, "obj", None), "__module__", None) == "__main__":  # and not of the program
                    yield item

    class Notes:
        """Note how the tests end."""

        def pytest_pycollect_makemodule(self, module_path: Path, parent: Any) -> Any:
            return Program.from_parent(parent, path=module_path)

        def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
            error = call.excinfo.value if call.excinfo else None
            skipped = isinstance(error, pytest.skip.Exception)
            if error is None or item.get_closest_marker("xfail") or (skipped and call.when == "setup"):
                return
            missing = type(error).__name__ == "FixtureLookupError" or "not natively supported" in str(error)
            if missing:
                unable.append(item.name)
            else:
                errors.append(error)

    Path(FILE).write_text("")
    quiet = ["-qq", "--tb=no", "--capture=no", "--assert=plain", "--noconftest", "-c", "/dev/null", "--rootdir=."]
    without = [word for name in ("cacheprovider", "faulthandler", "xdist", "randomly") for word in ("-p", f"no:{name}")]
    ended = pytest.main([*quiet, *without, FILE], plugins=[Notes()])
    if errors:
        raise errors[0]
    if ended not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED):
        unable.append(f"all tests, which pytest could not collect ({pytest.ExitCode(ended).name})")
    return unable
