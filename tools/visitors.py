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


@dataclass(frozen=True)
class Visit:
    """One request: what for, how long it took, and what was wrong with the answer, if anything."""

    kind: str
    seconds: float
    fault: str = ""


def visits(url, visitors=50, each=20, addresses=None, kinds=None):
    """Make the requests of all visitors at once, each visitor's one after the other."""
    done = []

    def visitor(number):
        chance = random.Random(number)
        connection = _Connection(
            url, session=f"visitor{number}", address=f"192.0.2.{number % (addresses or visitors)}"
        )
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
    name = chance.choice(
        (
            "",
            "score",
            "compare",
            "plan",
            "pages/data/gpassk.en.json",
            "pages/style.css",
            "pages/base.js",
        )
    )
    return "" if connection.send("GET", f"/{name}", None) else "no page"


def _draw(chance, problems, samples):
    return [[chance.randint(0, 1) for _ in range(samples)] for _ in range(problems)]


def _write(rows):
    return "\n".join(json.dumps({"task_id": i, "correct": row}) for i, row in enumerate(rows))


def _ask(connection, name, **values):
    return json.loads(
        connection.send("POST", f"/api/{name}", {**values, "session": connection.session})
    )


def _score(connection, chance):
    rows = _draw(chance, chance.randint(2, 100), 8)
    found = _ask(connection, "score", data=_write(rows), options={"k": [1, 4]})["values"]
    expected = float(np.mean(at_k.pass_at_k(8, [sum(row) for row in rows], k=4)))
    return (
        ""
        if abs(found["pass@4"] - expected) < 1e-12
        else f"{found['pass@4']} instead of {expected}"
    )


def _compare(connection, chance):
    a, b = (_draw(chance, 50, 8) for _ in range(2))
    found = _ask(connection, "compare", a=_write(a), b=_write(b))["lines"]["pass@k"]["at"][0]
    expected = np.mean(a) - np.mean(b)
    return "" if abs(found[1] - expected) < 1e-4 else f"{found} instead of {expected}"


def _plan(connection, chance):
    rows = _draw(chance, chance.randint(20, 100), 8)
    found = _ask(connection, "plan", data=_write(rows))
    return (
        "" if found["start"] == [len(rows), 8] else f"{found['start']} instead of {len(rows)} × 8"
    )


FORMS = (("score", _score), ("compare", _compare), ("plan", _plan))

KINDS = (("page", _page), ("page", _page), *FORMS)


def main(url):
    """Print how long 50 visitors of one address wait who ask the endpoints, one after the other."""
    done = visits(url, addresses=1, kinds=FORMS)
    for kind, _ in FORMS:
        seconds = [visit.seconds for visit in done if visit.kind == kind]
        middle, late = np.quantile(seconds, [0.5, 0.95])
        print(
            f"{kind:13} {len(seconds):4} requests, median {middle:.2f} s, 95 % within {late:.2f} s"
        )
    faults = [visit.fault for visit in done if visit.fault]
    print(f"faults: {len(faults)}", *faults[:5], sep="\n")


if __name__ == "__main__":
    main(sys.argv[1])
