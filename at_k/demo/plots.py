"""Figures as `gr.Plot` takes them, with the settings of the toolbar, which `gr.Plot` does not ask for."""

from __future__ import annotations

import json

from gradio.components.plot import PlotData

from at_k.demo.figures import Figure


def plotted(figure: Figure, name: str) -> PlotData:
    """A figure; `name` is that of the picture when it is saved."""
    toolbar = {
        "displaylogo": False,
        "typesetMath": False,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "resetScale2d", "zoomIn2d", "zoomOut2d"],
        "toImageButtonOptions": {"format": "png", "scale": 2, "filename": name},
    }
    return PlotData(type="plotly", plot=json.dumps(figure | {"config": toolbar}))
