"""A file is complete, or is not there."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from reports import full_report

from at_k.report import Report, files


def test_a_link_stays_a_link_and_the_rights_of_a_file_stay(tmp_path):
    target, link = tmp_path / "real.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    full_report().save(link)
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert Report.load(target).values == full_report().values


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        reading = pool.submit(pipe.read_bytes)
        full_report().save(pipe)
        assert json.loads(reading.result())["format"] == "at-k report"
    assert pipe.is_fifo()


def test_an_error_names_the_file_and_not_its_part(tmp_path):
    def fill_the_disk():
        with files.replace_file(tmp_path / "x.json") as part:
            part.write_text("half")
            raise OSError(28, "No space left on device", str(part))

    with pytest.raises(OSError, match=r"^.*/x\.json cannot be written: No space left") as caught:
        fill_the_disk()
    assert "part" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
