"""A small app made of what the pages are made of. As a script it serves that app behind the guard, on a given port."""

import sys

import gradio as gr
from starlette.middleware import Middleware

from at_k.demo.guard import Guard

WORDS = gr.I18n(en={"title": "Title"}, zh={"title": "标题"})
MIDDLEWARE = {"middleware": [Middleware(Guard)]}


def draw(n):
    return f"{n}", r"$$\frac12$$"


def build():
    with gr.Blocks(analytics_enabled=False) as blocks, gr.Tabs():
        with gr.Tab(WORDS("title")):
            n = gr.Number(4, label="n")
            outputs = [
                gr.Textbox(label="drawn"),
                gr.Markdown(latex_delimiters=[{"left": "$$", "right": "$$", "display": True}]),
            ]
            blocks.load(draw, n, outputs, api_name="draw")
            n.change(draw, n, outputs, queue=False, api_name="redraw")
            text = gr.Textbox(label="text")
            text.change(len, text, n, api_name="length")
        with gr.Tab("HTML"):
            gr.HTML(
                "shown",
                html_template="<button id='made'>${value}</button>",
                js_on_load="element.querySelector('button').onclick = () => { props.value = 'changed' }",
            )
    return blocks


if __name__ == "__main__":
    build().launch(
        i18n=WORDS,
        server_port=int(sys.argv[1]),
        footer_links=["api"],
        run_history=False,
        enable_monitoring=False,
        app_kwargs=MIDDLEWARE,
    )
