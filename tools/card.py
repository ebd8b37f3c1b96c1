"""Draw the pictures of a shared link and of the README, from the page Explore itself: `python -m tools.card`."""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from at_k.demo.document import FOLDER
from tools.driving import CHROMIUM, ROOT, find_chromium, serving

SIZE = {"width": 1200, "height": 630}

PICTURES = {
    FOLDER / "card.png": ("light", 630),
    ROOT / "docs" / "first.png": ("light", 500),
    ROOT / "docs" / "first-dark.png": ("dark", 500),
}
"""Each picture, whether it is light or dark, and its height."""

STYLE = """
.at-k-header { border: 0; padding: 34px 64px 0; max-width: none; }
.at-k-header .brand { font-size: 30px; }
.at-k-header :is(nav, .side), .explore > :not(.story) { display: none !important; }
.at-k-footer, .story > :is(.asks, .text), .story label { display: none !important; }
.explore { max-width: none; padding: 0 64px; }
.story h1 { max-width: none; margin: 10px 0; font-size: 44px; }
.explore .number { border: 0; }
"""


def main():
    """Write the pictures."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM)
        for path, (scheme, height) in PICTURES.items():
            page = browser.new_page(viewport=SIZE, color_scheme=scheme, locale="en-US")
            page.goto(f"{server.url}/?page=explore")
            page.add_style_tag(content=STYLE)
            page.locator("#story_demand svg").wait_for()
            page.wait_for_timeout(500)  # the picture is drawn anew at this width
            page.screenshot(path=path, clip={"x": 0, "y": 0, "width": SIZE["width"], "height": height})
        browser.close()


if __name__ == "__main__":
    main()
