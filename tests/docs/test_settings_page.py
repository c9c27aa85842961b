"""The table of docs/settings.md is what `Settings` declares. To renew it: python tests/docs/test_settings_page.py."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

from zgadka.settings import Settings

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
TABLE = re.compile(r"^\| variable \| default \|.*?\n(?!\|)", re.MULTILINE | re.DOTALL)


def test_the_table_is_what_the_program_declares() -> None:
    found = TABLE.search(PAGE.read_text())
    assert found is not None
    assert found[0] == table(), f"renew it: python {Path(__file__).relative_to(PAGE.parents[1])}"


def table() -> str:
    """Write all settings as a table."""
    kinds = get_type_hints(Settings)
    rows = ["| variable | default | values | meaning |", "|---|---|---|---|"]
    for setting in fields(Settings):
        variable = f"`ZGADKA_{setting.name.upper()}`"
        if setting.metadata["alias"] is not None:
            variable += f" or `{setting.metadata['alias']}`"
        default = str(setting.default).lower() if isinstance(setting.default, bool) else str(setting.default)
        values = _values(kinds[setting.name], setting.metadata["least"])
        rows.append(f"| {variable} | {f'`{default}`' if default else ''} | {values} | {setting.metadata['doc']} |")
    return "\n".join(rows) + "\n"


def _values(kind: Any, least: int) -> str:
    if kind is bool:
        return "true or false"
    if kind is int:
        return f"{least} or more"
    return ", ".join(f"`{choice}`" for choice in get_args(kind)) or "text"


if __name__ == "__main__":
    PAGE.write_text(TABLE.sub(lambda _: table(), PAGE.read_text()))
