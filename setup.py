"""The packages of the wheel; everything else about it is in setup.cfg.

The wheel carries three folders of the clone inside the library, where `at_k.module_path` and `at_k.demo.given` find
them; the Space of a metric has them there already.

setup.cfg cannot say this: its directive `find:` takes the name of a package from the place of its folder.
"""

import sys
from pathlib import Path

from setuptools import find_namespace_packages, find_packages, setup

CARRIED = {
    "at_k.demo.data": "examples/data",
    "at_k.metrics": "metrics",
    "at_k.comparisons": "comparisons",
}

packages = find_packages(include=["at_k", "at_k.*"])
folders = {"": "."}
# An editable install is the clone itself, which type checkers and editors find by one line in a `.pth` file. With
# folders from elsewhere it would be an import hook, and these do not run it.
if "editable_wheel" not in sys.argv:
    is_space = not Path("metrics").is_dir()
    folders = {
        name: name.replace(".", "/") if is_space else folder for name, folder in CARRIED.items()
    }
    for name, folder in folders.items():
        packages += [name, *(f"{name}.{inner}" for inner in find_namespace_packages(folder))]

setup(packages=packages, package_dir=folders)
