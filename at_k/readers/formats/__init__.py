"""The formats of results files, one file for each."""

from __future__ import annotations

from at_k.errors import InputError
from at_k.readers.format import Format, Head
from at_k.readers.formats import (
    aisbench,
    evalplus,
    evalscope,
    every_eval_ever,
    harbor,
    helm,
    human_eval,
    inspect_ai,
    lighteval,
    livecodebench,
    lm_eval,
    nemo_evaluator,
    nemo_gym,
    nemo_skills,
    opencompass,
    plain,
    promptfoo,
    swe_bench,
    tau2_bench,
    tau_bench,
    trl,
    verifiers,
    verifiers_traces,
    verl,
)
from at_k.readers.quoting import quote_all
from at_k.readers.sources import Source

_FORMATS = (
    every_eval_ever.FORMAT,
    inspect_ai.FORMAT,
    lm_eval.FORMAT,
    lighteval.FORMAT,
    evalscope.FORMAT,
    aisbench.FORMAT,
    aisbench.PREDICTIONS,
    opencompass.FORMAT,
    opencompass.PREDICTIONS,
    evalplus.FORMAT,
    livecodebench.FORMAT,
    tau_bench.FORMAT,
    tau2_bench.FORMAT,
    tau2_bench.SIMULATIONS,
    harbor.FORMAT,
    swe_bench.FORMAT,
    swe_bench.RUN,
    helm.FORMAT,
    verl.FORMAT,
    trl.FORMAT,
    verifiers_traces.FORMAT,
    verifiers.FORMAT,
    nemo_gym.FORMAT,
    nemo_evaluator.FORMAT,
    nemo_skills.FORMAT,
    promptfoo.FORMAT,
    human_eval.FORMAT,
    plain.FORMAT,
)

FORMATS: dict[str, Format] = {each.name: each for each in _FORMATS}
"""Every format, the most particular first. The last one, a table with columns of any names, takes what is left."""


def find_format(source: Source, name: str | None = None) -> Format:
    """Find the format of a file, by its content, or by the name that was given.

    Raises:
        InputError: if there is no format of this name.
    """
    if name is None:
        head = Head(source)
        return next(each for each in FORMATS.values() if each.recognize(head))
    if name not in FORMATS:
        raise InputError(
            "formats.unknown",
            "There is no format {name}. The formats are: {names}.",
            name=quote_all([name]),
            names=", ".join(FORMATS),
        )
    return FORMATS[name]
