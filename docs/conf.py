"""How Sphinx makes the documentation site: `./run docs`.

Its sources are Markdown files all over the repository, so that a link between two of them is right in both places. What
is read, and in which order, is said once, in docs/index.md: a page that it does not name fails the build.
"""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import dirname, join, normpath

from sphinx.application import Sphinx

project = "zgadka"
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**.md", "benchmarks/**.md", "tests/data/*.md"]
exclude_patterns = [".*", "deploy", "examples", "node_modules", "src", "tests/[!d]*"]  # not even looked into
myst_heading_anchors = 4  # headings can be linked to, by the names that GitHub gives them
html_theme = "furo"
html_title = project
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False


def add_navigation(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the sections of docs/index.md, and the pages that they link to, into the side bar."""
    if docname != root_doc:
        return
    seen: set[str] = set()
    for section in re.split(r"^## ", source[0], flags=re.MULTILINE)[1:]:
        entries: list[str] = []
        for title, link in re.findall(r"\[([^]]+)\]\(([^):#]+)\.md\)", section):
            page = normpath(f"docs/{link}")
            if page not in seen:
                seen.add(page)
                entries.append(f"{title} </{page}>")
        caption = section.partition("\n")[0]
        source[0] += "\n".join(["\n```{toctree}", ":hidden:", f":caption: {caption}", "", *entries, "```\n"])


def offer_files(app: Sphinx, docname: str, source: list[str]) -> None:
    """Let links to Markdown files that are no pages, such as prompts, lead to the files."""

    def offered(link: re.Match[str]) -> str:
        page = normpath(join(dirname(docname), link[2]))
        if page in app.env.found_docs or not Path(app.srcdir, f"{page}.md").exists():
            return link[0]
        return f"{{download}}`{link[1].strip('`')} <{link[2]}.md>`"

    source[0] = re.sub(r"\[([^]]+)\]\(([^):#]+)\.md\)", offered, source[0])


def add_entrance(app: Sphinx, error: Exception | None) -> None:
    """Lead from the site's address to its first page, which lies in docs/ as it does in the repository."""
    if error is None:
        page = (
            '<!doctype html><meta charset="utf-8"><title>zgadka</title><meta http-equiv="refresh" content="0; url={0}">'
        )
        Path(app.outdir, "index.html").write_text(page.format(f"{root_doc}.html"), "utf-8")


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("source-read", offer_files)
    app.connect("source-read", add_navigation)
    app.connect("build-finished", add_entrance)
