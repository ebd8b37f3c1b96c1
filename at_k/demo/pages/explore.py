"""Explore: what the numbers mean, on one problem with n samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import gradio as gr
from gradio.components.plot import PlotData

from at_k.demo import curves, figures, formulas
from at_k.demo.curves import Setting
from at_k.demo.i18n import t
from at_k.demo.limits import MAX_EXPLORE_N
from at_k.demo.plots import plotted
from at_k.demo.words import LANGUAGES, language_of, say
from at_k.validation import is_number

POSITION = 1

PRESETS = {
    "half": Setting(16, 8, 4),
    "rare": Setting(64, 4, 24),
    "nearly": Setting(64, 60, 2),
    "favourite": Setting(32, 12, 16),
    "crowd": Setting(32, 8, 0),
}
"""Settings that show something, by the name of their words."""

_TAUS = (0.25, 0.5, 0.75)


def build(**_: Any) -> None:
    """The page, inside the tab that is open."""
    start = PRESETS["half"]
    gr.Markdown(t("explore.intro"), elem_classes="lead")
    with gr.Row(elem_classes="presets"):
        presets = [gr.Button(t(f"explore.{name}"), size="sm", min_width=120) for name in PRESETS]
    with gr.Row():
        with gr.Column(scale=2, min_width=280):
            n = gr.Slider(2, MAX_EXPLORE_N, start.n, step=1, label=t("explore.n"), elem_id="explore_n", buttons=[])
            c = gr.Slider(0, start.n, start.c, step=1, label=t("explore.c"), elem_id="explore_c", buttons=[])
            together = gr.Slider(
                0,
                start.n - start.c,
                start.together,
                step=1,
                label=t("explore.together"),
                info=t("explore.together_info"),
                elem_id="explore_together",
                buttons=[],
            )
            taus = gr.CheckboxGroup(
                [str(tau) for tau in curves.TAUS], value=[str(tau) for tau in _TAUS], label=t("score.taus")
            )
            axis = gr.Radio(
                [(t("explore.linear"), "linear"), (t("explore.log"), "log")], value="linear", label=t("explore.axis")
            )
        with gr.Column(scale=5, min_width=320):
            gr.Markdown(t("explore.curves"), elem_classes="heading")
            lines = gr.Plot(
                curves_plot(start, _TAUS, False), show_label=False, elem_id="explore_curves", elem_classes="plot tall"
            )
            gr.Markdown(t("explore.jumps"))
    with gr.Column(elem_classes="formulas"):
        gr.Markdown(t("explore.formulas"), elem_classes="heading")
        k = gr.Slider(1, start.n, 4, step=1, label=t("score.k"), elem_id="explore_k", buttons=[])
        formula = gr.Markdown(
            formula_text(start, 4, _TAUS, "en"),
            latex_delimiters=[{"left": "$$", "right": "$$", "display": True}],
            elem_id="explore_formulas",
        )
    gr.Markdown(t("explore.models"), elem_classes="heading")
    gr.Markdown(t("explore.models_text"))
    with gr.Row():
        with gr.Column(min_width=300):
            gr.Markdown(t("explore.unstable"), elem_classes="caption")
            shaky = gr.Plot(
                unstable_plot(start, False), show_label=False, elem_id="explore_unstable", elem_classes="plot small"
            )
        with gr.Column(min_width=300):
            gr.Markdown(t("explore.steady"), elem_classes="caption")
            steady = gr.Plot(
                steady_plot(start, False), show_label=False, elem_id="explore_steady", elem_classes="plot small"
            )
    gr.Markdown(t("explore.map"), elem_classes="heading")
    gr.Markdown(t("explore.map_text"))
    heat = gr.Plot(map_plot(start, False), show_label=False, elem_id="explore_map", elem_classes="plot medium")

    controls: dict[str, Any] = {"n": n, "c": c, "together": together, "k": k, "taus": taus, "axis": axis}
    parts = controls | {"curves": lines, "formulas": formula, "unstable": shaky, "steady": steady, "map": heat}
    quick: dict[str, Any] = {
        "queue": False,  # a move of a slider is answered from tables within milliseconds
        # Gradio would hold a value against limits that moved a moment ago, while n falls; `_clamped` does it here.
        "preprocess": False,
        "show_progress": "hidden",
        "trigger_mode": "always_last",
        "api_visibility": "private",
    }
    for name, affected in AFFECTED.items():
        controls[name].input(_moved(affected), list(controls.values()), [parts[part] for part in affected], **quick)
    everything = ("n", *AFFECTED["n"])
    for setting, button in zip(PRESETS.values(), presets, strict=True):
        button.click(_preset(setting, everything), [k, taus, axis], [parts[part] for part in everything], **quick)
    # The browser translates what it was sent with the page; the note below the formulas is made here.
    gr.on(None, first_formulas, None, formula, queue=False, show_progress="hidden", api_visibility="private")


AFFECTED = {
    "n": ("c", "together", "k", "curves", "formulas", "unstable", "steady", "map"),
    "c": ("together", "curves", "formulas", "unstable", "steady", "map"),
    "together": ("curves", "formulas"),
    "k": ("formulas",),
    "taus": ("curves", "formulas"),
    "axis": ("curves", "unstable", "steady", "map"),
}
"""What each control changes."""


@dataclass(frozen=True)
class View:
    """What the page shows, each part by its name, from what the controls say."""

    setting: Setting
    k: int
    taus: tuple[float, ...]
    log: bool
    language: str

    def part(self, name: str) -> Any:
        """One part of the page."""
        setting = self.setting
        if name in ("c", "together", "k"):
            limits = {"c": setting.n, "together": max(1, setting.n - setting.c), "k": setting.n}
            return gr.update(maximum=limits[name], value=self.k if name == "k" else getattr(setting, name))
        if name == "n":
            return setting.n
        if name == "formulas":
            return formula_text(setting, self.k, self.taus, self.language)
        if name == "curves":
            return curves_plot(setting, self.taus, self.log)
        return {"unstable": unstable_plot, "steady": steady_plot, "map": map_plot}[name](setting, self.log)


def _moved(affected: tuple[str, ...]) -> Callable[..., Any]:
    """What a control does: the parts that it changes are made anew."""

    def moved(n: Any, c: Any, together: Any, k: Any, taus: Any, axis: Any, request: gr.Request) -> list[Any] | Any:
        size = _clamped(n, 2, MAX_EXPLORE_N)
        right = _clamped(c, 0, size)
        return _parts(Setting(size, right, _clamped(together, 0, size - right)), affected, k, taus, axis, request)

    return moved


def _clamped(value: object, low: int, high: int) -> int:
    """A whole number within limits, whatever was sent."""
    return int(max(low, min(value, high))) if is_number(value) else low


def _preset(setting: Setting, affected: tuple[str, ...]) -> Callable[..., Any]:
    """What the button of a preset does."""

    def chosen(k: Any, taus: Any, axis: Any, request: gr.Request) -> list[Any] | Any:
        return _parts(setting, affected, k, taus, axis, request)

    return chosen


def _parts(
    setting: Setting, affected: tuple[str, ...], k: object, taus: object, axis: object, request: gr.Request
) -> list[Any] | Any:
    view = View(
        setting,
        k=_clamped(k, 1, setting.n),
        taus=tuple(tau for tau in curves.TAUS if isinstance(taus, list) and str(tau) in taus),
        log=axis == "log",
        language=language_of(request.headers.get("accept-language")),
    )
    made = [view.part(name) for name in affected]
    return made[0] if len(made) == 1 else made


def first_formulas(request: gr.Request) -> Any:
    """The formulas that the page opens with, in the visitor's language."""
    language = language_of(request.headers.get("accept-language"))
    return gr.skip() if language == LANGUAGES[0] else formula_text(PRESETS["half"], 4, _TAUS, language)


@lru_cache(maxsize=512)
def curves_plot(setting: Setting, taus: tuple[float, ...], log: bool) -> PlotData:
    """Every metric against k."""
    return plotted(figures.against_k(curves.curves(setting, taus), log=log), "at-k-curves")


@lru_cache(maxsize=512)
def unstable_plot(setting: Setting, log: bool) -> PlotData:
    """A model that is right at times, on every problem."""
    found = curves.curves(setting)
    return plotted(figures.two_lines(found.k, found.lines, setting.c / setting.n, log=log), "at-k-unstable")


@lru_cache(maxsize=512)
def steady_plot(setting: Setting, log: bool) -> PlotData:
    """A model that is always right on some problems."""
    k = curves.drawn_k(setting.n)
    return plotted(figures.two_lines(k, curves.steady(setting, k), setting.c / setting.n, log=log), "at-k-steady")


@lru_cache(maxsize=512)
def map_plot(setting: Setting, log: bool) -> PlotData:
    """G-Pass@k over k and τ."""
    return plotted(figures.tau_map(*curves.tau_map(setting), log=log), "at-k-map")


def formula_text(setting: Setting, k: int, taus: tuple[float, ...], language: str) -> str:
    """The formulas of one k, as Markdown with LaTeX."""
    drawn = curves.curves(setting, taus)
    values = (drawn if k in drawn.k else curves.curves(setting, taus, k)).at(k)
    lines = formulas.filled_in(setting, k, taus)
    joined = " \\\\[4pt]\n".join(lines)
    note = say(language, "explore.formulas_note", k=k, cons=f"{values[f'cons@{k}']:.4f}")
    return f"$$\n\\begin{{aligned}}\n{joined}\n\\end{{aligned}}\n$$\n\n{note}"
