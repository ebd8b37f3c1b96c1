"""The page Explore, used as a person uses it: what it shows are the numbers of the library."""

import re
from fractions import Fraction

import pytest
from oracles import hypergeometric, mg_pass, needed, tail

import at_k
from at_k.demo import formulas
from at_k.demo.pages import explore
from tools.driving import eventually

EVERY_K = tuple(range(1, 65))
TAUS = (0.25, 0.5, 0.75)


def library(n, c, together, taus=TAUS, k=EVERY_K):
    """Every line of the figure: k, and the values of one problem as the library gives them."""
    k = [draws for draws in k if draws <= n]
    wrong = ["wrong"] * together + [f"wrong {each}" for each in range(n - c - together)]
    vote = at_k.cons_at_k([["right"] * c + wrong], [[1] * c + [0] * (n - c)], k=k)[0]
    lines = {"pass@k": at_k.pass_at_k(n, c, k=k)}
    lines |= {f"G-Pass@k_{tau}": at_k.g_pass_at_k(n, c, k=k, tau=tau) for tau in taus}
    lines |= {"mG-Pass@k": at_k.mg_pass_at_k(n, c, k=k), "pass^k": at_k.pass_hat_k(n, c, k=k)}
    lines |= {"cons@k": vote, "avg@n": [c / n] * len(k)}
    found = {key: dict(zip(k, map(float, line), strict=True)) for key, line in lines.items()}
    found["mG-Pass@k"] = {draws: value for draws, value in found["mG-Pass@k"].items() if draws % 2 == 0}
    return found


def rounded(lines):
    """To 12 digits: one c and all c at once may differ in the last of sixteen."""
    return {name: {k: round(value, 12) for k, value in line.items()} for name, line in lines.items()}


def drawn(page, name="curves"):
    """Every line of a figure: k, and the value at it."""
    data = page.evaluate(f"document.querySelector('#explore_{name} .js-plotly-plot').data")
    return rounded({trace["name"]: dict(zip(trace["x"], trace["y"], strict=True)) for trace in data})


def shows(page, n, c, together, taus=TAUS):
    """The page comes to show this setting in the boxes, on the sliders, in the curves and beside them."""
    lines = rounded(library(n, c, together, taus))
    eventually(lambda: drawn(page), lines)
    numbers = {"n": n, "c": c, "together": together}
    for kind in ("number", "range"):
        eventually(lambda kind=kind: {name: int(box(page, name, kind).input_value()) for name in numbers}, numbers)
    eventually(lambda: drawn(page, "unstable"), {name: lines[name] for name in ("pass^k", "pass@k", "avg@n")})
    same = dict.fromkeys(lines["pass@k"], round(c / n, 12))
    eventually(lambda: drawn(page, "steady"), {"pass^k": same, "pass@k": same, "avg@n": same})


def box(page, name, kind="number"):
    return page.locator(f"#explore_{name} input[type={kind}]")


def values(page):
    """What the formulas come to, as their LaTeX and as a reader's eyes have it."""
    parts = "root => ['annotation', '.katex-html'].map(part => root.querySelector(part).textContent)"
    lines, seen = page.locator("#explore_formulas").evaluate(parts)
    ends = {line.split("=")[-1].removesuffix("\\\\[4pt]").strip() for line in re.findall(r"&=.*", lines)}
    assert all(end in seen for end in ends if "\\" not in end)
    return sorted(ends)


def test_sliders_and_boxes(visit):
    page = visit("explore")
    shows(page, 16, 8, 4)
    box(page, "n", "range").focus()
    page.keyboard.press("ArrowRight")
    shows(page, 17, 8, 4)
    page.keyboard.press("End")
    eventually(lambda: box(page, "c", "range").get_attribute("max"), "256")
    box(page, "n").fill("20")
    shows(page, 20, 8, 4)
    box(page, "c").fill("3")
    shows(page, 20, 3, 4)
    box(page, "together").fill("17")
    shows(page, 20, 3, 17)
    box(page, "c", "range").focus()
    page.keyboard.press("Home")
    shows(page, 20, 0, 17)


def test_a_number_that_does_not_fit_is_brought_within_its_limits(visit):
    page = visit("explore")
    box(page, "n").fill("5")
    shows(page, 5, 5, 0)
    assert box(page, "k").input_value() == "4"
    box(page, "n").fill("3")
    shows(page, 3, 3, 0)
    assert (box(page, "k").input_value(), box(page, "k", "range").get_attribute("max")) == ("3", "3")
    box(page, "c").fill("1")
    shows(page, 3, 1, 0)
    box(page, "n").fill("1000")
    eventually(lambda: max(drawn(page)["pass@k"]), 256)
    page.keyboard.press("Tab")
    eventually(lambda: box(page, "n").input_value(), "256")
    box(page, "n").fill("")
    eventually(lambda: max(drawn(page)["pass@k"]), 2)
    page.keyboard.press("Tab")
    eventually(lambda: box(page, "n").input_value(), "2")
    assert page.locator("[role=alert], .toast-body").count() == 0


def test_presets_thresholds_and_axis(visit):
    page = visit("explore")
    for name, setting in explore.PRESETS.items():
        page.locator(".presets button").nth(list(explore.PRESETS).index(name)).click()
        shows(page, setting.n, setting.c, setting.together)
    page.get_by_label("0.1", exact=True).check()
    page.get_by_label("0.5", exact=True).uncheck()
    shows(page, setting.n, setting.c, setting.together, (0.1, 0.25, 0.75))
    for axis, kind in (("logarithmic", "log"), ("linear", "linear")):
        page.get_by_label(axis).check()
        for figure in ("curves", "unstable", "steady", "map"):
            layout = f"document.querySelector('#explore_{figure} .js-plotly-plot')._fullLayout.xaxis.type"
            eventually(lambda layout=layout: page.evaluate(layout), kind)


def test_values_on_hover_and_the_map(visit):
    page = visit("explore")
    curve = page.locator("#explore_curves .js-plotly-plot")
    for n in (16, 200):
        box(page, "n").fill(str(n))
        eventually(lambda: max(drawn(page)["pass@k"]), n)
        lines = library(n, 8, 4, k=(4,))
        hover(curve, 4, 0.6)
        eventually(lambda: said(curve), {key: float(f"{line[4]:.12g}") for key, line in lines.items()})
    heat = page.locator("#explore_map .js-plotly-plot")
    data = heat.evaluate("plot => plot.data[0]")
    assert data["y"] == [tau / 20 for tau in range(21)]
    assert (data["x"][0], data["x"][-1]) == (1, 200)
    for tau, row in zip(data["y"], data["z"], strict=True):
        assert row == pytest.approx(at_k.g_pass_at_k(200, 8, k=data["x"], tau=tau).tolist(), abs=1e-12)
    k = data["x"][12]
    hover(heat, k, 0.05)
    value = at_k.g_pass_at_k(200, 8, k=k, tau=0.05)
    eventually(lambda: heat.locator(".hoverlayer").text_content(), f"G-Pass@{k}, τ = 0.05: {value:.12g}")


def hover(plot, x, y):
    """Point at a place of a figure, given in the units of its axes."""
    plot.scroll_into_view_if_needed()
    pixel = "(plot, [axis, value]) => plot._fullLayout[axis]._offset + plot._fullLayout[axis].l2p(value)"
    plot.hover(position={"x": plot.evaluate(pixel, ["xaxis", x]), "y": plot.evaluate(pixel, ["yaxis", y])})


def said(plot):
    """The values of the lines that are shown where one points."""
    lines = (text.split(" : ") for text in plot.locator(".hoverlayer text").all_text_contents())
    return {line[0]: float(line[1].replace("−", "-")) for line in lines if len(line) == 2}


def test_formulas(visit):
    page = visit("explore")
    assert page.locator(".katex-error").count() == 0
    for n, c, k in ((16, 8, 4), (16, 8, 15), (16, 3, 4), (256, 100, 77)):
        for name, value in (("n", n), ("c", c), ("k", k)):
            with page.expect_response("**/run/**"):
                box(page, name).fill(str(value))
        lines = library(n, c, 4, k=(k,))
        ways = hypergeometric(n, c, k)
        demands = (1, *(needed(tau, k) for tau in TAUS), k)
        found = {Fraction(c, n), mg_pass(ways), *(tail(ways, m) for m in demands)}
        eventually(lambda found=found: values(page), sorted({formulas.write_digits(value) for value in found}))
        assert f"cons@{k} = {lines['cons@k'][k]:.4f}:" in page.locator("#explore_formulas").inner_text()
    assert page.locator(".katex-error").count() == 0
