import subprocess
import sys

from at_k.engines import frames


def test_nothing_is_imported_to_find_an_engine():
    code = "import sys, at_k; at_k.score({'grades': [[1]]}); print({'narwhals', 'duckdb', 'polars'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"


def test_a_data_frame_that_is_computed_is_in_memory():
    import polars

    frame = polars.DataFrame({"grades": [[1, 0]]})
    assert not frames.takes(frame)
    assert frames.takes(frame.lazy())
