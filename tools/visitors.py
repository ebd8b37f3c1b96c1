"""Many visitors at once: each asks for pages, moves sliders and scores results, as a browser and a program do."""

import http.client
import json
import random
import threading
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np

import at_k


@dataclass(frozen=True)
class Visit:
    """One request: what for, how long it took, and what was wrong with the answer, if anything."""

    kind: str
    seconds: float
    fault: str = ""


def visits(url, visitors=50, each=20):
    """All requests of so many visitors at once, each of which makes its own one after the other."""
    done = []
    events = _explore_events(url)

    def visitor(number):
        chance = random.Random(number)
        connection = _Connection(url, session=f"visitor{number}")
        for _ in range(each):
            kind, ask = chance.choice(KINDS)
            start = time.perf_counter()
            try:
                fault = ask(connection, chance, events)
            except Exception as error:  # noqa: BLE001 - a lost answer, for whatever reason
                fault = repr(error)
            done.append(Visit(kind, time.perf_counter() - start, fault))

    threads = [threading.Thread(target=visitor, args=(number,)) for number in range(visitors)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done


class _Connection:
    def __init__(self, url, session=""):
        self.host = urlsplit(url).netloc
        self.session = session

    def ask(self, method, path, data=None):
        connection = http.client.HTTPConnection(self.host, timeout=60)
        try:
            body = None if data is None else json.dumps({"data": data, "session_hash": self.session})
            connection.request(method, path, body, {"content-type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status != http.client.OK:
                raise RuntimeError(f"{answer.status}: {text[:200]}")
            return text
        finally:
            connection.close()


def _explore_events(url):
    """Name → number of inputs of the events that draw the curves of the page Explore, from what the page is told."""
    told = json.loads(_Connection(url).ask("GET", "/config"))
    curves = next(part["id"] for part in told["components"] if part["props"].get("elem_id") == "explore_curves")
    return [
        event["api_name"] for event in told["dependencies"] if curves in event["outputs"] and len(event["inputs"]) == 6
    ]


def _page(connection, chance, events):
    return "" if "gradio_config" in connection.ask("GET", "/") else "no page"


def _config(connection, chance, events):
    return "" if json.loads(connection.ask("GET", "/config"))["title"] == "at-k" else "no config"


def _explore(connection, chance, events):
    n = chance.choice((8, 16, 24, 32, 48, 64))
    c = chance.randint(0, n)
    inputs = [
        n,
        c,
        chance.randint(0, n - c),
        ["0.25", "0.5", "0.75"],
        chance.choice(("linear", "log")),
        chance.randint(1, n),
    ]
    answer = connection.ask("POST", f"/gradio_api/run/{chance.choice(events)}", inputs)
    figures = [
        json.loads(part["plot"]) for part in json.loads(answer)["data"] if isinstance(part, dict) and "plot" in part
    ]
    line = next(line for line in figures[0]["data"] if line["name"] == "pass@k")
    right = np.array_equal(line["y"], at_k.pass_at_k(n, c, k=line["x"]))
    return "" if right and line["x"][-1] == n else f"pass@k of n = {n}, c = {c}: {line}"


def _score(connection, chance, events):
    rows = [[chance.randint(0, 1) for _ in range(4)] for _ in range(chance.randint(1, 40))]
    text = "\n".join(json.dumps({"correct": row}) for row in rows)
    given = [text, ["pass_at_k"], [1, 4], None, "random", "error", True, None, None, None]
    event = json.loads(connection.ask("POST", "/gradio_api/call/score", given))["event_id"]
    stream = connection.ask("GET", f"/gradio_api/call/score/{event}")
    if "event: complete\ndata: " not in stream:
        return stream
    found = json.loads(stream.rpartition("event: complete\ndata: ")[2].splitlines()[0])[0]["results"]
    c = [sum(row) for row in rows]
    expected = at_k.summarize({f"pass@{k}": at_k.pass_at_k(4, c, k=k) for k in (1, 4)})
    return "" if found == expected else f"{found} instead of {expected}"


KINDS = (("page", _page), ("config", _config), *[("explore", _explore)] * 5, *[("score", _score)] * 2)
