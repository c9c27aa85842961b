"""The boards, with what a day of calls left behind."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect


@pytest.mark.parametrize(
    ("name", "heading", "tiles", "charts", "drawn"),
    [
        ("usage", "Tool usage", ["Calls", "Success", "p95 latency"], 3, 3),
        (
            "behaviour",
            "Model behaviour",
            ["Facts per conversation", "Conversations kept per day", "Recall before remember"],
            4,
            4,
        ),
        ("performance", "Performance", ["Queued tasks", "Open questions", "p95 write latency"], 3, 1),
        ("rollout", "Rollout", ["Answers with tools", "Fallbacks", "Fallback rate"], 4, 4),
    ],
)
def test_a_board_shows_numbers_and_draws_charts(visit, lively, name, heading, tiles, charts, drawn):
    page = visit(lively).log_in()
    page.get_by_role("link", name=heading).click()
    page.wait_for_url(f"**/dashboard/boards/{name}")
    expect(page.get_by_role("heading", level=1)).to_have_text(heading)
    for tile in tiles:
        value = page.locator("dt", has_text=re.compile(f"^{re.escape(tile)}$")).locator("xpath=following-sibling::dd")
        assert re.search(r"\d", value.inner_text()), f"{tile} shows no number"
    expect(page.locator("[data-chart] canvas")).to_have_count(drawn)
    expect(page.get_by_text("No data for this period.")).to_have_count(charts - drawn)


def test_the_numbers_are_those_of_the_calls(visit, site):
    site.fact("location", "Kyiv")
    site.call(
        "remember_fact", user_id=123, fact_type="personal", fact_key="location", fact_value="Київ", confidence=0.9
    )
    site.call("recall_facts", turn="looked", user_id=123)
    site.fact("pet", "a dog", turn="looked")
    site.flush()
    page = visit(site).log_in()
    assert shown(page, "Calls") == "4"
    row = page.get_by_role("row", name=re.compile("remember_fact"))
    expect(row.get_by_role("cell").first).to_have_text("3")
    expect(row).to_contain_text("75%")
    page.goto(f"{site.url}/dashboard/boards/behaviour")
    assert shown(page, "Facts per conversation") == "2.00"
    assert shown(page, "Duplicate facts") == "33.3%"
    assert shown(page, "Recall before remember") == "33.3%"


def test_both_arms_are_beside_each_other(visit, site):
    for arm, outcomes in (("tools", ["answered", "answered", "fallback"]), ("automated", ["answered"])):
        for outcome in outcomes:
            site.answer(arm, outcome)
    site.observe("I live in Lviv")
    site.fact("pet", "a dog", arm="tools")
    site.flush()
    page = visit(site).log_in()
    page.goto(f"{site.url}/dashboard/boards/rollout")
    assert shown(page, "Answers with tools") == "75%"
    assert shown(page, "Fallback rate") == "33.3%"
    arms = page.get_by_role("region", name="Comparison")
    tools = arms.get_by_role("row", name=re.compile("^with tools"))
    expect(tools.get_by_role("cell").nth(0)).to_have_text("1")
    expect(tools.get_by_role("cell").nth(2)).to_have_text("66.7%")
    expect(tools.get_by_role("cell").nth(3)).to_have_text("1.00")
    automated = arms.get_by_role("row", name=re.compile("^automated"))
    expect(automated.get_by_role("cell").nth(1)).to_have_text("1")
    expect(automated.get_by_role("cell").nth(3)).to_have_text("1.00")


def shown(page, tile):
    value = page.locator("dt", has_text=re.compile(f"^{re.escape(tile)}$")).locator("xpath=following-sibling::dd")
    return value.inner_text().partition("\n")[0].removesuffix("✓").strip()


def test_a_board_follows_what_happens(visit, site):
    site.fact("location", "Kyiv")
    site.flush()
    page = visit(site).log_in()
    assert shown(page, "Calls") == "1"
    site.fact("pet", "a dog")
    site.flush()
    page.evaluate("htmx.ajax('GET', location.pathname, {target: '#board', swap: 'outerHTML'})")
    expect(page.locator("dd").first).to_have_text("2")
    expect(page.locator("[data-chart] canvas")).to_have_count(3)


def test_without_calls_a_board_says_how_it_begins(visit, site):
    page = visit(site).log_in()
    expect(page.get_by_role("heading", name="No calls yet")).to_be_visible()
    expect(page.locator("canvas")).to_have_count(0)


def test_a_longer_period_is_shown_in_longer_steps(visit, lively):
    page = visit(lively).log_in()
    day = shown(page, "Calls")
    page.get_by_role("link", name="90 days").click()
    page.wait_for_url("**span=90d")
    expect(page.get_by_role("link", name="90 days")).to_have_attribute("aria-current", "true")
    assert int(shown(page, "Calls").replace("\u202f", "")) >= int(day.replace("\u202f", ""))


def test_the_numbers_of_a_chart_can_be_read_without_seeing_it(visit, lively):
    page = visit(lively).log_in()
    page.get_by_text("Show the numbers").first.click()
    rows = page.locator("details[open] tbody tr")
    assert rows.count() > 10
    expect(rows.first.get_by_role("rowheader")).to_have_text(re.compile(r"\d{1,2}:\d\d"))


def test_the_dashboard_speaks_ukrainian(visit, lively):
    opened = visit(lively, locale="uk-UA")
    opened.page.goto(f"{lively.url}/dashboard/login")
    expect(opened.page.get_by_role("heading", level=1)).to_have_text("Вхід для операторів")
    opened.page.get_by_role("link", name="In English").click()
    opened.log_in()
    expect(opened.page.get_by_role("heading", level=1)).to_have_text("Tool usage")
    opened.page.get_by_role("link", name="Українською").click()
    expect(opened.page.get_by_role("heading", level=1)).to_have_text("Інструменти")
    opened.page.get_by_role("link", name="Спогади").click()
    expect(opened.page.locator("html")).to_have_attribute("lang", "uk")
