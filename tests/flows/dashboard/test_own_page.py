"""A person's own page: see, correct, delete, take along, decide, erase."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect


@pytest.fixture
def page(visit, site):
    site.fact("location", "Київ")
    site.fact("hobby", "mountain trails", fact_type="preference")
    site.fact("location", "Leeds, a secret of Tom's", 77)
    return visit(site).open_link()


def opened(page, text):
    """Open what can be done with the memory that says this."""
    page.locator(".memory", has_text=text).locator("summary").click()


def test_many_are_deleted_at_once_and_all_come_back_at_once(page, site):
    site.fact("pet", "a cat")
    page.reload()
    expect(page.get_by_role("button", name="Delete selected")).to_be_hidden()
    for text in ("Select: location: Київ", "Select: pet: a cat"):
        page.get_by_label(text).check()
    page.get_by_role("button", name="Delete selected").click()
    expect(page.get_by_role("status")).to_contain_text("2 memories deleted.")
    expect(page.locator(".memory")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".memory")).to_have_count(3)


def test_what_matters_comes_first_and_memories_are_by_place_and_kind(page, site):
    site.call("remember", content="Brings the tent")
    page.reload()
    assert page.locator("h2, h3, h4").all_inner_texts() == [
        "What may be remembered?", "Memories: 3", "Hiking club 3", "Facts", "Notes",
    ]  # fmt: skip


def test_a_search_leaves_what_begins_with_the_words(page):
    page.get_by_label("Search memories").press_sequentially("mount")
    expect(page.locator(".memory")).to_have_count(1)
    expect(page.locator(".memory")).to_contain_text("mountain trails")
    page.get_by_label("Search memories").fill("zebra")
    expect(page.get_by_text("Nothing matches")).to_be_visible()


def test_it_shows_all_of_theirs_and_nothing_of_others(page):
    expect(page.get_by_role("heading", level=1)).to_have_text("What do you know about me?")
    expect(page.locator(".memory")).to_have_count(2)
    expect(page.locator("body")).not_to_contain_text("Leeds")


def test_a_memory_is_corrected_and_the_correction_taken_back(page):
    opened(page, "Київ")
    page.get_by_role("textbox", name="Correct text").fill("Львів")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Corrected.")
    expect(page.locator(".memory", has_text="Львів")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".memory", has_text="Київ")).to_be_visible()


def test_times_are_in_the_operators_zone_and_an_age_is_todays(make_site, visit):
    site = make_site(time_zone="Pacific/Kiritimati")
    site.now = datetime(2024, 3, 1, 12, 0, tzinfo=UTC)
    site.fact("age", "30")
    site.call("update_fact_with_temporal", user_id=123, fact_type="personal", fact_key="location", confidence=0.9,
              fact_value="Kyiv", valid_from="2024-02-03")  # fmt: skip
    site.now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    page = visit(site).open_link()
    expect(page.locator(".memory", has_text="30")).to_contain_text("(about 32 now)")
    opened(page, "30")
    expect(page.locator(".memory", has_text="30")).to_contain_text("2 Mar 2024, 02:00")
    expect(page.locator(".memory", has_text="Kyiv")).to_contain_text("(since 3 Feb 2024)")
    page.get_by_role("link", name="Where it comes from").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("(about 32 now)")


def test_what_says_nothing_is_no_correction(page):
    opened(page, "Київ")
    page.get_by_role("textbox", name="Correct text").fill("   ")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Not changed")
    expect(page.locator(".memory", has_text="Київ")).to_be_visible()


def test_a_memory_is_deleted_and_brought_back(page):
    opened(page, "Київ")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator(".memory")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".memory")).to_have_count(2)


def test_the_history_names_nobody_else(page, site):
    job = {"user_id": 123, "fact_type": "personal", "fact_key": "job", "confidence": 0.9}
    for tool, told in (
        ("remember_fact", {"fact_value": "кухарка"}),
        ("update_fact", {"new_value": "лікарка", "change_reason": "update"}),
    ):
        assert site.call(tool, 77, **job, **told).status == "success"
    page.reload()
    opened(page, "лікарка")
    page.get_by_role("link", name="Where it comes from").click()
    for line in page.locator(".story li").all():
        expect(line).to_contain_text("by someone else")
    expect(page.locator(".origin")).to_contain_text("the message is no longer kept")
    for name in ("77", "Tom"):
        expect(page.locator("body")).not_to_contain_text(name)


def test_the_privacy_level_is_theirs(page, site):
    page.get_by_text("Change", exact=True).click()
    page.get_by_role("radio", name="Messages only").check()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("status")).to_contain_text("Your choice applies")
    expect(page.locator(".matters > p")).to_contain_text("Messages only.")
    refused = {"user_id": 123, "fact_type": "personal", "fact_key": "pet", "fact_value": "a cat", "confidence": 0.9}
    assert site.call("remember_fact", **refused).status == "privacy_restricted"
    opened(page, "Київ")
    page.get_by_role("textbox", name="Correct text").fill("Львів")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Not changed")
    opened(page, "Київ")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator(".memory")).to_have_count(1)


def test_the_download_holds_everything_of_theirs(page):
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download everything").click()
    text = Path(downloading.value.path()).read_text()
    assert [json.loads(line)["kind"] for line in text.splitlines()][-1] == "end"
    assert "Київ" in text
    assert "Leeds" not in text


def test_their_questions_are_answered(page, site):
    site.ask()
    site.ask(77)
    page.reload()
    expect(page.locator(".question")).to_have_count(1)
    page.get_by_role("button", name="Save all").click()
    expect(page.get_by_role("status")).to_contain_text("your answer was saved")
    expect(page.locator(".question")).to_have_count(0)
    expect(page.locator(".memory", has_text="jasmine tea")).to_be_visible()


@pytest.fixture
def asked(make_site):
    """A server where Tom asks for two changes of what is known of the person."""
    site = make_site(others_may_change="ask")
    site.people()
    site.fact("location", "Київ")
    more = {"user_id": 123, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    assert site.call("update_fact", 77, new_value="Leeds", change_reason="update", **more).status == "awaiting_consent"
    return site


@pytest.mark.parametrize("door", ["own page", "dashboard"])
def test_a_change_by_another_is_shown_and_another_one_is_not_agreed_to(asked, visit, door):
    window = visit(asked)
    page = window.open_link() if door == "own page" else window.log_in()
    again = page.reload if door == "own page" else lambda: page.goto(f"{asked.url}/dashboard/questions")
    again()
    question = page.locator(".question")
    expect(question).to_contain_text("Tom Baker")
    expect(question.locator("del")).to_contain_text("location: Київ")
    expect(question.locator("ins").last).to_contain_text("location: Leeds")
    asked.update("location", "Львів", change_reason="correction")
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_role("alert")).to_contain_text("please look again")
    expect(question.locator("del")).to_contain_text("location: Львів")
    page.get_by_role("button", name="Allow").click()
    expect(question).to_have_count(0)
    facts = asked.call("recall_facts", user_id=123)["facts"]
    assert "Leeds" in [fact["value"] for fact in facts]


def test_an_episode_with_others_can_be_left(page, site):
    for user in (123, 77):
        site.run(site.memory.record, "user", "we plan a hike", turn(user))
    site.call("create_episode", topic="Secret plans", summary="What Tom told us.", importance=0.9)
    page.reload()
    expect(page.get_by_role("heading", name="Conversations")).to_be_visible()
    expect(page.locator("body")).not_to_contain_text("Tom told")
    opened(page, "A conversation with Tom Baker")
    page.get_by_role("button", name="Take me out").click()
    expect(page.get_by_role("status")).to_contain_text("You were taken out.")
    expect(page.get_by_role("heading", name="Conversations")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="Conversations")).to_be_visible()


def turn(user):
    from zgadka import Turn

    return Turn(platform="telegram", space="Hiking club", chat="Hiking club", user=user)


def test_erasing_leaves_a_receipt_and_no_session(page, site, visit):
    page.get_by_role("link", name="Erase everything about me").click()
    page.get_by_label("To confirm, type ERASE").fill("ERASE")
    page.get_by_role("button", name="Erase").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Receipt")
    expect(page.locator("main")).to_contain_text("Data overwritten in the files")
    assert site.run(site.memory.export, turn(123))[1:-1] == []
    again = visit(site)
    again.context.add_cookies(page.context.cookies())
    again.expected = ("403",)
    again.page.goto(f"{site.url}/me")
    expect(again.page.get_by_role("heading", level=1)).to_have_text("This link has expired")


def test_a_link_ends(visit, site):
    site.fact("location", "Kyiv")
    link = site.link(lasts=timedelta(minutes=10))
    opened = visit(site)
    page = opened.open_link(link)
    site.now += timedelta(minutes=11)
    opened.expected = ("403",)
    for address in (f"{site.url}/me", link, f"{site.url}/me/export", link[:-2] + "xx", f"{site.url}/me/x.y"):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_have_text("This link has expired")


def test_nothing_remembered_is_said_kindly(visit, site):
    page = visit(site).open_link(site.link(4242))
    expect(page.get_by_text("Nothing is remembered about you")).to_be_visible()
