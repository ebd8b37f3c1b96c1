"""The functions of array-api-compat that credits need; without it, those for arrays of NumPy 2.1 and newer alone."""

from __future__ import annotations

from typing import Any

import numpy as np


class _NumPy:
    """Stand for array-api-compat beside NumPy and SciPy alone."""

    numpy = np

    @staticmethod
    def array_namespace(array: Any) -> Any:
        if not hasattr(np, "cumulative_sum"):
            raise ImportError("NumPy before 2.1 needs array-api-compat. Run `pip install array-api-compat`")
        return np

    @staticmethod
    def device(array: Any) -> str:
        return "cpu"

    @staticmethod
    def is_array_api_obj(value: object) -> bool:
        if hasattr(value, "device"):
            library = type(value).__module__.partition(".")[0]
            raise ImportError(f"Arrays of {library} need array-api-compat. Run `pip install array-api-compat`")
        return False

    @staticmethod
    def is_torch_array(value: object) -> bool:
        return False

    @staticmethod
    def to_device(array: Any, device: Any) -> Any:
        return array


def _load() -> Any:
    try:
        import array_api_compat.numpy
    except ImportError:
        return _NumPy
    return array_api_compat


_compat = _load()

numpy = _compat.numpy
array_namespace, device, to_device = _compat.array_namespace, _compat.device, _compat.to_device
is_array_api_obj, is_torch_array = _compat.is_array_api_obj, _compat.is_torch_array
