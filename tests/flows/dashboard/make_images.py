"""Renews the pictures of docs/dashboard.md: `python tests/flows/dashboard/make_images.py`."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from conftest import _FLAGS, CHROMIUM, Site, Visit, populate
from zgadka.cli.demo import demo

DEMO = {
    "home": "",
    "memories": "/memories?q=ca",
    "history": "/memories?q=globex",
    "person": "/people/2",
    "place": "/places/1",
    "model": "/model?person=2&space=1&text=Who+won+Catan%3F",
}
"""Pages of the made-up world of `zgadka demo`; the charts need the many calls of `populate`."""
IMAGES = Path(__file__).parents[3] / "docs" / "images"


def keep(name: str, shot: bytes) -> None:
    """Keep a picture in 128 colours, which nobody tells from more, at a third of the size."""
    IMAGES.mkdir(exist_ok=True)
    Image.open(io.BytesIO(shot)).convert("RGB").quantize(128).save(IMAGES / f"{name}.png", optimize=True)


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    demo(f"sqlite:///{folder / 'memory.db'}")
    site = Site(folder)
    busy = Site(Path(tempfile.mkdtemp()))
    populate(busy)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        desk = {"locale": "en-GB", "timezone_id": "UTC", "viewport": {"width": 1180, "height": 860}}
        page = Visit(browser.new_context(**desk), site).log_in()
        for name, address in DEMO.items():
            page.goto(f"{site.url}/dashboard{address}")
            if name == "history":
                page.locator("a.whole").first.click()
            page.wait_for_timeout(300)
            keep(name, page.screenshot(full_page=name == "place"))
        charts = Visit(browser.new_context(**desk), busy).log_in()
        charts.wait_for_timeout(300)
        keep("usage", charts.screenshot())
        phone = {"locale": "uk-UA", "timezone_id": "UTC", "viewport": {"width": 390, "height": 780}}
        mine = Visit(browser.new_context(color_scheme="dark", **phone), site)
        dark = mine.open_link(site.link(103, platform="demo")).screenshot()
        phone["locale"] = "en-GB"
        light = Visit(browser.new_context(**phone), site).open_link(site.link(101, platform="demo")).screenshot()
        left, right = (Image.open(io.BytesIO(shot)) for shot in (light, dark))
        both = Image.new("RGB", (left.width + right.width + 24, left.height), "white")
        both.paste(left, (0, 0))
        both.paste(right, (left.width + 24, 0))
        whole = io.BytesIO()
        both.save(whole, "PNG")
        keep("me", whole.getvalue())
        browser.close()
    site.close()
    busy.close()


if __name__ == "__main__":
    main()
