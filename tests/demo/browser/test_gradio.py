"""The Gradio app at the address of a Space, as people know it: `gradio_client`, `gr.load`, embedding, MCP."""

import ast
import json
import os
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
from gradio_client import Client

from at_k.family import METRICS
from tools.driving import PATIENCE, eventually

DATA = '{"grades": [1, 1, 0, 0]}'
SECRET = "a sentence that nobody else may read"


@pytest.fixture(scope="module")
def client(server):
    """The first client, which waits for 5 seconds between two bytes."""
    return Client(server.url, verbose=False)


def test_the_first_client_works_while_gradio_is_imported(client, server):
    found = client.predict(DATA, k="2", api_name="/pass_at_k")
    assert found["values"] == {"pass@2": 5 / 6}
    assert '<main id="cons_at_k" ' in httpx.get(server.url, timeout=PATIENCE).text


def test_a_client_finds_every_endpoint_and_each_computes(client):
    endpoints = client.view_api(return_format="dict")["named_endpoints"]
    assert {*endpoints} == {f"/{name}" for name in (*METRICS, "score", "compare", "plan")}
    found = client.predict(DATA, {"k": [2], "metrics": ["pass_at_k"]}, api_name="/score")
    assert found["values"] == {"pass@2": 5 / 6}
    for name in METRICS:
        data = '{"grades": [1, 1, 0, 0], "scores": [1, 2, 3, 4], "answers": ["a", "a", "b", "c"]}'
        assert client.predict(data, api_name=f"/{name}")["values"]
    with pytest.raises(Exception, match="`missing` must be one of"):
        client.predict(DATA, missing="x", api_name="/gpassk")
    rows = "id,model,correct\na,x,1\na,y,0\nb,x,1\nb,y,1\n"
    with pytest.raises(Exception, match=r'\noptions=\{"where": \{"model": "x"\}\}: one of them → '):
        client.predict(rows, api_name="/score")
    with pytest.raises(
        Exception, match=r'\noptions_b=\{"where": \{"model": "x"\}\}: one of them → '
    ):
        client.predict('{"a": [1], "b": [1]}', rows, api_name="/compare")
    chosen = {"where": {"model": "y"}}
    found = client.predict('{"a": [1], "b": [1]}', rows, options_b=chosen, api_name="/compare")
    assert found["models"][1]["average"]["value"] == 0.5
    for endpoint in endpoints.values():
        texts = [each["parameter_name"] for each in endpoint["parameters"]]
        assert texts[0] in ("data", "a")
    assert "math" not in json.dumps(endpoints)  # a checker that pages do not offer


LOAD = """
import httpx, sys
import gradio as gr
get = httpx.get
class Host:
    def json(self):
        return {"host": sys.argv[1]}
httpx.get = lambda address, **options: Host() if "/api/spaces/" in address else get(address, **options)
app = gr.load(sys.argv[1], src="spaces")
tool = next(each for each in app.fns.values() if each.api_name == "gpassk")
value = tool.fn('{"grades": [1, 1, 0, 0]}', "2", "0.5", "", "", "", None)["values"]["G-Pass@2_0.5"]
config = app.get_config_file()
figures = sum("writeFigure" in str(each.get("js")) for each in config["dependencies"])
print("found", value, figures, "Draw k of 4" in str(config["components"]))
"""


def test_gr_load_makes_the_figures_and_the_tools_again(server):
    command = [sys.executable, "-c", LOAD, server.url]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
    said = [line for line in found.stdout.splitlines() if line.startswith("found")]
    # The start and each of the six sliders draw a figure. Labels are English where no browser translates them.
    assert said == [f"found {5 / 6} 11 True"]


def test_mcp_has_one_server_with_a_tool_for_each_endpoint(server):
    if find_spec("mcp") is None and "AT_K_NO_SKIPS" not in os.environ:
        pytest.skip("MCP needs its extra: pip install 'at-k[mcp]'")
    url = f"{server.url}/gradio_api/mcp/"
    headers = {"accept": "application/json, text/event-stream"}

    def ask(method, **values):
        question = {"jsonrpc": "2.0", "id": 1, "method": method, "params": values}
        answer = httpx.post(url, json=question, headers=headers, timeout=PATIENCE)
        return json.loads(answer.text.partition("data: ")[2])["result"]

    tools = {tool["name"]: tool for tool in ask("tools/list")["tools"]}
    assert {*tools} == {*METRICS, "score", "compare", "plan"}
    for tool in tools.values():
        kinds = [each["type"] for each in tool["inputSchema"]["properties"].values()]
        assert set(kinds) <= {"string", "object", "boolean"}
    found = ask("tools/call", name="gpassk", arguments={"data": DATA, "k": "2", "thresholds": "1"})
    # Gradio writes an object as Python does.
    assert ast.literal_eval(found["content"][0]["text"])["values"]["G-Pass@2_1.0"] == 1 / 6


def test_inputs_are_never_logged(server):
    calls = [
        [],
        [SECRET],
        [SECRET] * 3,
        [SECRET] * 30,
        [{"a": SECRET}] * 7,
        [SECRET, 5, None, SECRET, [SECRET]],
    ]
    for name in ("gpassk", "score", "compare"):
        for values in calls:
            url = f"{server.url}/gradio_api/call/{name}"
            event = httpx.post(url, json={"data": values}, timeout=PATIENCE).json()
            if "event_id" in event:
                httpx.get(f"{url}/{event['event_id']}", timeout=PATIENCE)
    assert SECRET not in server.log()


class Quiet(SimpleHTTPRequestHandler):
    """Serves a page on another host, and the script of Gradio, which comes from a store of its makers."""

    def log_message(self, *_):
        """Say nothing."""


def test_other_hosts_embed_the_app_and_the_page(browser, server, tmp_path):
    frontend = Path(find_spec("gradio").origin).parent / "templates" / "frontend"
    for file in frontend.iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "page.html").write_text(
        f'<script type="module" src="gradio.js"></script><gradio-app src="{server.url}"></gradio-app>'
        f'<iframe src="{server.url}/gpassk?embed=1" width="900" height="640"></iframe>'
        f'<iframe src="{server.url}/?embed=1" id="own"></iframe>'
    )
    other = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path))
    threading.Thread(target=other.serve_forever, daemon=True).start()
    page = browser.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(f"http://localhost:{other.server_port}/page.html")
    frame = page.frame_locator("iframe >> nth=0")
    frame.locator("#knobs input").first.focus()
    page.keyboard.press("ArrowLeft")
    assert "All 3 of 3" in frame.locator("h1").inner_text()
    page.frame_locator("#own").locator(".ballot").first.wait_for()
    page.locator("gradio-app .stair").first.wait_for()
    page.locator("gradio-app input[type=range]").first.focus()
    page.keyboard.press("ArrowLeft")
    eventually(lambda: "All 3 of 3" in page.locator("gradio-app h2").first.inner_text(), True)
    page.close()
    page = browser.new_page(locale="zh-CN")
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(f"{server.url}/?view=app")
    page.locator(".stair").first.wait_for()
    eventually(lambda: "从 4 次中抽 k 次" in page.locator("body").inner_text(), True)
    assert "Draw" not in page.locator("body").inner_text()
    page.close()
    other.shutdown()
    other.server_close()
