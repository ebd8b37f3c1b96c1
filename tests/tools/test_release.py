"""The steps that a release leaves to do."""

from pathlib import Path

import at_k
from tools import release

ROOT = Path(__file__).parent.parent.parent


def test_a_release_is_left_to_tag_and_to_upload_and_obstacles_come_first():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    tag, upload, _ = release.list_left(at_k.__version__, changelog, "")
    assert tag == f"git tag v{at_k.__version__} && git push origin v{at_k.__version__}"
    assert upload == f"python -m twine upload dist/at_k-{at_k.__version__}*"
    left = release.list_left("9.0.0", "# Changelog\n\n## 8.9.0 — 2026-01-01\n", " M setup.cfg\n")
    assert left[0] == "CHANGELOG.md must begin with 9.0.0, the version of the package"
    assert left[1].startswith("Commit what is not committed")
