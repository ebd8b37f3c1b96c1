"""Explore: what the numbers mean, on one problem with n samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import gradio as gr
from gradio.components.plot import PlotData

from at_k.demo import figures, formulas
from at_k.demo.curves import TAUS, VOTE, Setting, draw_curves, draw_steady, map_taus
from at_k.demo.i18n import t
from at_k.demo.limits import MAX_EXPLORE_N
from at_k.demo.plots import make_plot
from at_k.demo.words import LANGUAGES, language_of, say
from at_k.report import spread_k
from at_k.validation import is_number
from at_k.values import Key

POSITION = 1

PRESETS = {
    "half": Setting(16, 8, 4),
    "rare": Setting(64, 4, 24),
    "nearly": Setting(64, 60, 2),
    "favourite": Setting(32, 12, 16),
    "crowd": Setting(32, 8, 0),
}
"""Instructive settings, by the name of their words."""

_TAUS = (0.25, 0.5, 0.75)


def build(**_: Any) -> None:
    """Lay out the page inside the tab that is open."""
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
                [str(tau) for tau in TAUS], value=[str(tau) for tau in _TAUS], label=t("score.taus")
            )
            axis = gr.Radio(
                [(t("explore.linear"), "linear"), (t("explore.log"), "log")], value="linear", label=t("explore.axis")
            )
        with gr.Column(scale=5, min_width=320):
            gr.Markdown(t("explore.curves"), elem_classes="heading")
            lines = gr.Plot(
                plot_curves(start, _TAUS, False), show_label=False, elem_id="explore_curves", elem_classes="plot tall"
            )
            gr.Markdown(t("explore.jumps"))
    with gr.Column(elem_classes="formulas"):
        gr.Markdown(t("explore.formulas"), elem_classes="heading")
        k = gr.Slider(1, start.n, 4, step=1, label=t("score.k"), elem_id="explore_k", buttons=[])
        formula = gr.Markdown(
            write_formulas(start, 4, _TAUS, "en"),
            latex_delimiters=[{"left": "$$", "right": "$$", "display": True}],
            elem_id="explore_formulas",
        )
    gr.Markdown(t("explore.models"), elem_classes="heading")
    gr.Markdown(t("explore.models_text"))
    with gr.Row():
        with gr.Column(min_width=300):
            gr.Markdown(t("explore.unstable"), elem_classes="caption")
            shaky = gr.Plot(
                plot_unstable(start, False), show_label=False, elem_id="explore_unstable", elem_classes="plot small"
            )
        with gr.Column(min_width=300):
            gr.Markdown(t("explore.steady"), elem_classes="caption")
            steady = gr.Plot(
                plot_steady(start, False), show_label=False, elem_id="explore_steady", elem_classes="plot small"
            )
    gr.Markdown(t("explore.map"), elem_classes="heading")
    gr.Markdown(t("explore.map_text"))
    heat = gr.Plot(plot_map(start, False), show_label=False, elem_id="explore_map", elem_classes="plot medium")

    controls: dict[str, Any] = {"n": n, "c": c, "together": together, "k": k, "taus": taus, "axis": axis}
    parts = controls | {"curves": lines, "formulas": formula, "unstable": shaky, "steady": steady, "map": heat}
    quick: dict[str, Any] = {
        "queue": False,  # a move of a slider is answered from tables within milliseconds
        # Gradio would check a value against limits that moved a moment ago, while n falls; `_clamp` does it here.
        "preprocess": False,
        "show_progress": "hidden",
        "trigger_mode": "always_last",
        "api_visibility": "private",
    }

    def update(affected: Iterable[str], setting: Setting | None = None) -> Callable[..., Any]:
        """Make the function that shows the affected parts anew: of a setting, or of what the controls say."""

        def show(values: Mapping[Any, Any], request: gr.Request) -> dict[Any, Any]:
            given = {name: values[control] for name, control in controls.items() if control in values}
            view = View.read(given, language_of(request.headers.get("accept-language")), setting)
            return {parts[name]: view.make(name) for name in affected}

        return show

    for name, affected in AFFECTED.items():
        controls[name].input(update(affected), set(controls.values()), {parts[part] for part in affected}, **quick)
    everything = ("n", *AFFECTED["n"])
    for setting, button in zip(PRESETS.values(), presets, strict=True):
        shown: Any = {parts[part] for part in everything}
        button.click(update(everything, setting), {k, taus, axis}, shown, **quick)
    # The browser translates what it was sent with the page; the note below the formulas is written here.
    gr.on(None, translate_formulas, None, formula, queue=False, show_progress="hidden", api_visibility="private")


AFFECTED = {
    "n": ("c", "together", "k", "curves", "formulas", "unstable", "steady", "map"),
    "c": ("together", "curves", "formulas", "unstable", "steady", "map"),
    "together": ("curves", "formulas"),
    "k": ("formulas",),
    "taus": ("curves", "formulas"),
    "axis": ("curves", "unstable", "steady", "map"),
}
"""The parts that each control changes."""


@dataclass(frozen=True)
class View:
    """The state of the page. Makes each part by its name."""

    setting: Setting
    k: int
    taus: tuple[float, ...]
    log: bool
    language: str

    @classmethod
    def read(cls, given: Mapping[str, Any], language: str, setting: Setting | None = None) -> View:
        """Read what the controls say, whatever was sent; a setting that is given replaces theirs."""
        if setting is None:
            n = _clamp(given["n"], 2, MAX_EXPLORE_N)
            c = _clamp(given["c"], 0, n)
            setting = Setting(n, c, _clamp(given["together"], 0, n - c))
        taus = given["taus"]
        return cls(
            setting,
            k=_clamp(given["k"], 1, setting.n),
            taus=tuple(tau for tau in TAUS if isinstance(taus, list) and str(tau) in taus),
            log=given["axis"] == "log",
            language=language,
        )

    def make(self, name: str) -> Any:
        """Make one part of the page."""
        setting = self.setting
        if name in ("c", "together", "k"):
            limits = {"c": setting.n, "together": max(1, setting.n - setting.c), "k": setting.n}
            return gr.update(maximum=limits[name], value=self.k if name == "k" else getattr(setting, name))
        if name == "n":
            return setting.n
        if name == "formulas":
            return write_formulas(setting, self.k, self.taus, self.language)
        if name == "curves":
            return plot_curves(setting, self.taus, self.log)
        return {"unstable": plot_unstable, "steady": plot_steady, "map": plot_map}[name](setting, self.log)


def _clamp(value: object, low: int, high: int) -> int:
    """Return a whole number within limits, whatever was sent."""
    return int(max(low, min(value, high))) if is_number(value) else low


def translate_formulas(request: gr.Request) -> Any:
    """Write the formulas that the page opens with in the visitor's language."""
    language = language_of(request.headers.get("accept-language"))
    return gr.skip() if language == LANGUAGES[0] else write_formulas(PRESETS["half"], 4, _TAUS, language)


@lru_cache(maxsize=512)
def plot_curves(setting: Setting, taus: tuple[float, ...], log: bool) -> PlotData:
    """Plot every metric against k."""
    return make_plot(figures.draw_against_k(draw_curves(setting, taus), log=log), "at-k-curves")


@lru_cache(maxsize=512)
def plot_unstable(setting: Setting, log: bool) -> PlotData:
    """Plot a model that is right at times, on every problem."""
    figure = figures.draw_band(draw_curves(setting), setting.c / setting.n, log=log)
    return make_plot(figure, "at-k-unstable")


@lru_cache(maxsize=512)
def plot_steady(setting: Setting, log: bool) -> PlotData:
    """Plot a model that is always right on some problems."""
    curves = draw_steady(setting, spread_k(setting.n))
    return make_plot(figures.draw_band(curves, setting.c / setting.n, log=log), "at-k-steady")


@lru_cache(maxsize=512)
def plot_map(setting: Setting, log: bool) -> PlotData:
    """Plot G-Pass@k over k and τ."""
    return make_plot(figures.draw_map(*map_taus(setting), log=log), "at-k-map")


def write_formulas(setting: Setting, k: int, taus: tuple[float, ...], language: str) -> str:
    """Write the formulas of one k, as Markdown with LaTeX."""
    drawn = draw_curves(setting, taus)
    values = (drawn if k in drawn.k else draw_curves(setting, taus, k)).at(k)
    joined = " \\\\[4pt]\n".join(formulas.fill_in(setting, k, taus))
    note = say(language, "explore.formulas_note", k=k, cons=f"{values[Key(VOTE.metric, k)]:.4f}")
    return f"$$\n\\begin{{aligned}}\n{joined}\n\\end{{aligned}}\n$$\n\n{note}"
