"""Many visitors at once: each asks for pages and curves, fills in forms, and scores results, as browsers do.

`python -m tools.visitors http://127.0.0.1:7860` says how long each kind of request takes.
"""

import http.client
import json
import random
import sys
import threading
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np

import at_k
from at_k.demo.work import ANSWERING


@dataclass(frozen=True)
class Visit:
    """One request: what for, how long it took, and what was wrong with the answer, if anything."""

    kind: str
    seconds: float
    fault: str = ""


def visits(url, visitors=50, each=20, addresses=None, kinds=None):
    """All requests of so many visitors at once, each of which makes its own one after the other."""
    done = []

    def visitor(number):
        chance = random.Random(number)
        connection = _Connection(url, session=f"visitor{number}", address=f"192.0.2.{number % (addresses or visitors)}")
        for _ in range(each):
            kind, ask = chance.choice(kinds or KINDS)
            start = time.perf_counter()
            try:
                fault = ask(connection, chance)
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
    def __init__(self, url, session="", address=""):
        self.host = urlsplit(url).netloc
        self.session = session
        self.headers = {"content-type": "application/json", "x-forwarded-for": address}

    def ask(self, method, path, data=None):
        return self.send(method, path, None if data is None else {"data": data, "session_hash": self.session})

    def send(self, method, path, content):
        connection = http.client.HTTPConnection(self.host, timeout=60)
        try:
            body = None if content is None else json.dumps(content)
            connection.request(method, path, body, self.headers | {"x-session": self.session})
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status != http.client.OK:
                raise RuntimeError(f"{answer.status}: {text[:200]}")
            return text
        finally:
            connection.close()


def _page(connection, chance):
    return "" if "data-asks" in connection.ask("GET", "/") else "no page"


def _config(connection, chance):
    return "" if json.loads(connection.ask("GET", "/config"))["title"] == "at-k" else "no config"


def _explore(connection, chance):
    n = chance.choice((8, 16, 24, 32, 48, 64))
    c = chance.randint(0, n)
    k = sorted(chance.sample(range(1, n + 1), min(n, 16)))
    inputs = [n, c, k, [0.25, 0.5, 0.75], chance.randint(0, n - c)]
    (found,) = json.loads(connection.ask("POST", "/gradio_api/run/explore", inputs))["data"]
    right = np.allclose([found[f"pass@{each}"] for each in k], at_k.pass_at_k(n, c, k=k), rtol=0, atol=1e-12)
    return "" if right else f"pass@k of n = {n}, c = {c}: {found}"


def _score(connection, chance):
    rows = [[chance.randint(0, 1) for _ in range(4)] for _ in range(chance.randint(1, 40))]
    text = "\n".join(json.dumps({"correct": row}) for row in rows)
    given = [text, ["pass_at_k"], [1, 4], None, "random", "error", True, *[None] * 6, "text", "exact_match", "exact"]
    found = json.loads(connection.ask("POST", "/gradio_api/run/score", given))["data"][0]["results"]
    c = [sum(row) for row in rows]
    expected = at_k.summarize({f"pass@{k}": at_k.pass_at_k(4, c, k=k) for k in (1, 4)})
    return "" if found == expected else f"{found} instead of {expected}"


def _form(page):
    """Fill in the form of a page with results of one's own: two models for the page Compare."""
    usual = ANSWERING[page].USUAL | {"example": ""}
    sides = {"compare": "ab"}.get(page, ("results",))

    def fill_in(connection, chance):
        problems = chance.randint(20, 100)
        given = {
            side: {
                "name": f"{side}.jsonl",
                "text": "\n".join(
                    json.dumps({"task_id": i, "correct": [chance.randint(0, 1) for _ in range(8)]})
                    for i in range(problems)
                ),
            }
            for side in sides
        }
        found = json.loads(connection.send("POST", f"/answers/{page}.json", usual | {"given": given}))
        return found["refused"] or ("" if f"{problems}" in found["parts"]["head"] else "other results")

    return fill_in


FORMS = tuple((f"form {page}", _form(page)) for page in ("score", "compare", "plan"))

KINDS = (("page", _page), ("config", _config), *[("explore", _explore)] * 5, *[("score", _score)] * 2, *FORMS)


def main(url):
    """Print how long 50 visitors of one address wait who fill in forms, one after the other."""
    done = visits(url, addresses=1, kinds=FORMS)
    for kind, _ in FORMS:
        seconds = [visit.seconds for visit in done if visit.kind == kind]
        middle, late = np.quantile(seconds, [0.5, 0.95])
        print(f"{kind:13} {len(seconds):4} requests, median {middle:.2f} s, 95 % within {late:.2f} s")
    faults = [visit.fault for visit in done if visit.fault]
    print(f"faults: {len(faults)}", *faults[:5], sep="\n")


if __name__ == "__main__":
    main(sys.argv[1])
