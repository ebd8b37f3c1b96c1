"""The Space: the pages and the demos. The Space of this repository, and `make app`, start it.

To serve a demo by Gradio alone, import `launch` from `at_k.demo.metric_demo`, and call `launch("gpassk")`.
"""

from at_k.demo.app import launch

if __name__ == "__main__":
    launch()
