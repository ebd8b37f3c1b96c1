"""Figures as `gr.Plot` takes them, with settings of the toolbar that `gr.Plot` itself does not offer."""

from __future__ import annotations

import json

from gradio.components.plot import PlotData

from at_k.demo.figures import Figure


def make_plot(figure: Figure, name: str) -> PlotData:
    """Make a plot of a figure; `name` is that of the picture when it is saved."""
    toolbar = {
        "displaylogo": False,
        "typesetMath": False,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "resetScale2d", "zoomIn2d", "zoomOut2d"],
        "toImageButtonOptions": {"format": "png", "scale": 2, "filename": name},
    }
    return PlotData(type="plotly", plot=json.dumps(figure | {"config": toolbar}))
