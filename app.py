"""The Space: the pages, and the Gradio app behind them. The Space of this repository, and `make app`, start it."""

from at_k.demo.app import launch

if __name__ == "__main__":
    launch()
