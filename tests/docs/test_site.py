"""The documentation as a site: mistakes are found, pages load nothing from elsewhere. `./run check` makes all of it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = {
    "docs/index.md": "# Title\n\n## Read\n\n[One](one.md), [the same](one.md), [outside](../two.md)\n",
    "docs/one.md": "# One & two\n\n[a](#one--two) [b](g.md) [c](#three) [d](index.md#four) [e](../five) ![f](f.png)\n",
    "two.md": "# Two\n\n[`prompt`](src/prompt.md)\n",
    "src/prompt.md": "Say [yes](nowhere.md).\n",
    "docs/lost.md": "# Nobody links to me\n",
}
MISTAKES = {
    "docs/one.md:3": ["'docs/f.png'", "'g.md'", "'three'", "'four'", "'../five'"],
    "docs/lost.md": ["toctree"],
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A small site with mistakes, made as the real one is; and what was said of it."""
    folder = tmp_path_factory.mktemp("site")
    source = folder / "source"
    for name, text in PAGES.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    shutil.copy(ROOT / "docs" / "conf.py", source / "docs")
    options = ["--quiet", "--fail-on-warning", "-c", str(source / "docs")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(source), str(folder / "made")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    return folder / "made", done.stderr


def test_every_mistake_is_found(site: tuple[Path, str]):
    lines = site[1].splitlines()
    assert len(lines) == sum(map(len, MISTAKES.values()))
    for place, whats in MISTAKES.items():
        said = [line for line in lines if f"/source/{place}: WARNING: " in line]
        for what in whats:
            assert [what.strip("'") in line for line in said].count(True) == 1, what


def test_pages_are_where_their_sources_are_and_the_side_bar_has_the_words_of_the_index(site: tuple[Path, str]):
    page = (site[0] / "docs" / "index.html").read_text()
    bar = page[page.index('class="sidebar-tree"') : page.index('class="main"')]
    assert re.findall(r'caption-text">([^<]+)<', bar) == ["Read"]
    assert re.findall(r'internal" href="([^"]+)">([^<]+)<', bar) == [("one.html", "One"), ("../two.html", "outside")]
    assert "url=docs/index.html" in (site[0] / "index.html").read_text()


def test_markdown_that_is_no_page_is_there_as_a_file(site: tuple[Path, str]):
    link = re.search(r'href="([^"]+/prompt\.md)"', (site[0] / "two.html").read_text())
    assert link
    assert (site[0] / link[1]).read_text() == PAGES["src/prompt.md"]


def test_a_page_loads_nothing_from_elsewhere(site: tuple[Path, str]):
    """Links may lead elsewhere; scripts, styles, fonts and pictures come along."""
    pages, styles = [list(site[0].rglob(name)) for name in ("*.html", "*.css")]
    assert len(pages) > len(PAGES)
    assert styles
    for page in pages:
        tags = re.findall(r"<(?:script|link|img|iframe|source)\b[^>]*>", page.read_text())
        assert [tag for tag in tags if re.search(r"""(?:src|href)=["']?(?:https?:)?//""", tag)] == []
    for style in styles:
        assert not re.search(r"@import|url\(\s*[\"']?(?:https?:)?//", style.read_text()), style
