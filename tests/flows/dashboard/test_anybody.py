"""On a phone, by keyboard alone, in the dark, with a screen reader."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

AXE = Path(__file__).parents[2] / "data" / "axe" / "axe.min.js"
OPERATOR = (
    *("boards/usage", "boards/behaviour", "boards/performance", "boards/rollout", "memories", "memories/1"),
    *("", "growth", "people", "people/1", "people/1/erase", "places", "places/2", "activity", "questions", "nonsense"),
    *("memories/chosen?q=", "model", "model?person=1&text=hiking"),
)
OWN = ("", "/memories/1", "/erase")
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def pages(opened, site):
    """Every page, one after the other."""
    opened.expected = ("404",)  # the page for what is not there is one of them
    opened.page.goto(f"{site.url}/dashboard/login")
    yield "login"
    opened.log_in()
    for where in OPERATOR:
        opened.page.goto(f"{site.url}/dashboard{'/' if where else ''}{where}")
        yield where
    opened.open_link()
    for where in OWN:
        opened.page.goto(f"{site.url}/me{where}")
        yield f"me{where}"


@pytest.mark.parametrize(
    ("size", "full"),
    [({}, False), pytest.param({}, True, marks=pytest.mark.long), pytest.param(PHONE, True, marks=pytest.mark.long)],
    ids=["small", "desk", "phone"],
)
def test_the_accessibility_checker_finds_nothing(visit, request, size, full):
    """With a day's memories, which the checker takes long over, with `--long`; with one memory of a kind always."""
    site = request.getfixturevalue("lively" if full else "site")
    if not full:
        site.fact("location", "Київ")
        site.call("remember_relationship", user_id=123, related_user_id=77, relationship="friend")
        site.ask()
    opened = visit(site, bypass_csp=True, reduced_motion="reduce", **size)  # the checker is a script of its own
    checker, found = AXE.read_text(), []
    for where in pages(opened, site):
        opened.page.emulate_media(color_scheme="light")
        opened.page.evaluate(checker)
        said = opened.page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        opened.page.emulate_media(color_scheme="dark")  # where nothing but the colours is another
        said += opened.page.evaluate("axe.run(document, {runOnly: ['color-contrast']})")["violations"]
        found += [(where, one["id"], one["impact"], one["nodes"][0]["html"][:200]) for one in said]
    assert found == [], json.dumps(found, indent=1, ensure_ascii=False)


def test_nothing_sticks_out_on_a_phone_and_targets_are_large_enough(visit, lively):
    opened = visit(lively, **PHONE)
    for where in pages(opened, lively):
        width = opened.page.evaluate("document.documentElement.scrollWidth")
        assert width <= 360, f"{where} is {width} pixels wide"
        small = opened.page.evaluate(
            "[...document.querySelectorAll('button, .button, input:not([type=hidden]), select')]"
            ".filter((one) => one.offsetParent && one.type !== 'radio' && one.type !== 'checkbox'"
            " && one.getBoundingClientRect().height < 40).map((one) => one.outerHTML.slice(0, 80))"
        )
        assert small == [], where


def test_a_person_needs_no_mouse(visit, site):
    site.fact("location", "Київ")
    page = visit(site).open_link()
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to content")
    page.keyboard.press("Enter")
    tab_to(page, None, ".memory summary")
    page.keyboard.press("Enter")
    tab_to(page, None, "textarea")
    page.keyboard.press("Control+A")
    page.keyboard.type("Львів")
    tab_to(page, "Save")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Corrected.")
    tab_to(page, "Undo")
    page.keyboard.press("Space")
    expect(page.locator(".memory")).to_contain_text("Київ")


def test_an_operator_needs_no_mouse(visit, site):
    site.fact("location", "Київ")
    site.fact("pet", "a cat")
    page = visit(site).page
    page.goto(f"{site.url}/dashboard/login")
    expect(page.get_by_label("Token")).to_be_focused()
    page.keyboard.type(site.token())
    page.keyboard.press("Enter")
    page.wait_for_url("**/dashboard")
    tab_to(page, "Memories")
    page.keyboard.press("Enter")
    page.wait_for_url("**/memories")
    tab_to(page, None, "input[type=search]")
    page.keyboard.type("Kyiv")
    page.wait_for_url("**q=Kyiv**")
    expect(page.locator(".memory")).to_have_count(1)  # else what Tab comes to may be replaced under it
    tab_to(page, None, "a.whole")
    page.keyboard.press("Enter")
    page.wait_for_url("**/memories/1")
    tab_to(page, "Undo the last change…")
    page.keyboard.press("Enter")
    tab_to(page, "Undo and delete it")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("The last change was undone.")


def tab_to(page, name, selector=None):
    """Press Tab until something is in focus, which must be seen to be."""
    for _ in range(40):
        page.keyboard.press("Tab")
        focused = page.locator(":focus")
        label = focused.get_attribute("aria-label") or focused.inner_text()
        is_it = selector is not None and focused.evaluate("(one, css) => one.matches(css)", selector)
        if is_it or (name is not None and label.strip() == name):
            style = focused.evaluate("(one) => getComputedStyle(one).outlineStyle")
            assert style != "none", f"{label!r} does not show that it is in focus"
            return
    raise AssertionError(f"Tab never comes to {name or selector}")


def test_everything_works_without_scripts(visit, site):
    site.fact("location", "Київ")
    site.update("location", "Львів")
    page = visit(site, java_script_enabled=False).page
    page.goto(f"{site.url}/dashboard/login")
    page.get_by_label("Token").fill(site.token())
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/dashboard")
    page.goto(f"{site.url}/dashboard/memories")
    page.get_by_label("Search").fill("Lviv")
    page.get_by_role("button", name="Show").click()
    page.locator("a.whole").click()
    page.get_by_role("button", name="Undo the last change").click()
    expect(page.get_by_role("status")).to_have_text("The last change was undone.")


def test_the_dark_is_dark_and_charts_follow(visit, lively):
    opened = visit(lively, color_scheme="dark")
    page = opened.log_in()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, dark.removeprefix("rgb(").removesuffix(")").split(","))) < 120
    page.emulate_media(color_scheme="light")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert light != dark
    expect(page.locator("[data-chart] canvas")).to_have_count(3)
