"""What an operator does with memories, people and questions."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from zgadka.web.dashboard import memories, places


@pytest.fixture
def page(visit, site):
    site.fact("location", "Київ")
    site.fact("hobby", "mountain trails", fact_type="preference")
    site.fact("location", "Leeds", 77)
    site.call("remember", 77, content="Is allergic to walnuts")
    return visit(site).log_in()


def go(page, site, where):
    page.goto(f"{site.url}/dashboard/{where}")
    return page


def test_a_search_finds_words_in_another_script_while_they_are_typed(page, site):
    go(page, site, "memories")
    expect(page.locator(".memory")).to_have_count(4)
    page.get_by_label("Search").press_sequentially("Kyiv")
    expect(page.locator(".memory")).to_have_count(1)
    expect(page.locator(".memory")).to_contain_text("Київ")
    page.get_by_label("Search").fill("")
    page.get_by_label("Search").press_sequentially("zebra")
    expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()


def test_filters_leave_what_they_say(page, site):
    go(page, site, "memories")
    page.get_by_label("Kind").select_option("note")
    expect(page.locator(".memory")).to_have_count(1)
    expect(page.locator(".memory")).to_contain_text("walnuts")
    page.get_by_label("Kind").select_option("")
    expect(page.locator(".memory")).to_have_count(4)
    page.get_by_label("Type").select_option("preference")
    expect(page.locator(".memory")).to_have_count(1)
    expect(page.locator(".memory")).to_contain_text("mountain trails")
    page.get_by_label("Type").select_option("")
    expect(page.locator(".memory")).to_have_count(4)
    page.get_by_label("Place").select_option(label="Hiking club")
    page.wait_for_url(re.compile("[?&]space=[^&]"))
    expect(page.locator(".memory")).to_have_count(4)
    page.get_by_role("link", name="Tom Baker").first.click()
    page.get_by_role("link", name="Search").click()
    page.wait_for_url("**/memories?person=3")
    expect(page.locator(".memory")).to_have_count(2)
    page.get_by_label("Search").press_sequentially("leed")
    expect(page.locator(".memory")).to_have_count(1)


def test_facets_and_order_leave_what_they_say(page, site):
    site.fact("like", "tea", fact_type="preference", confidence=0.55)
    go(page, site, "memories?sort=unsure")
    expect(page.locator(".memory").first).to_contain_text("tea")
    page.get_by_label("Confidence").select_option("low")
    expect(page.locator(".memory")).to_have_count(1)
    page.get_by_label("Changed").select_option("week")
    page.wait_for_url(re.compile("since=week"))
    expect(page.locator(".memory")).to_have_count(1)
    site.now = site.now.replace(year=site.now.year + 1)
    go(visit_again(page, site), site, "memories?since=week")
    expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()


def test_a_persons_memories_are_found_by_a_part_of_their_name(page, site):
    go(page, site, "memories")
    page.get_by_label("Person").press_sequentially("baker")
    expect(page.locator(".memory")).to_have_count(2)
    page.get_by_label("Search").press_sequentially("walnut")
    expect(page.locator(".memory")).to_have_count(1)
    go(page, site, "memories/chosen?who=nobody")
    expect(page.get_by_role("heading", name="Nothing is selected")).to_be_visible()


def test_a_name_of_too_many_people_says_that_some_are_left_out(page, site, monkeypatch):
    monkeypatch.setattr(memories, "_MOST_PEOPLE", 1)
    site.fact("pet", "a dog", 9)
    told = "More than 1 people have this in their name."
    go(page, site, "memories?who=telegram")
    expect(page.get_by_text(told)).to_be_hidden()
    go(page, site, "memories?who=о")
    expect(page.get_by_text(told)).to_be_visible()
    expect(page.locator(".memory", has_text="a dog")).to_have_count(0)
    page.get_by_role("link", name="Select everything that matches").click()
    expect(page.get_by_text(told)).to_be_visible()
    go(page, site, "memories?who=Марко")
    expect(page.locator(".memory", has_text="a dog")).to_have_count(1)
    expect(page.get_by_text(told)).to_be_hidden()


def test_many_are_looked_through_forgotten_and_brought_back_at_once(page, site):
    go(page, site, "memories")
    page.get_by_label("Select: location: Київ").check()
    page.get_by_label("Select: hobby").check()
    page.get_by_role("button", name="Forget, merge, undo or export").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("2 memories selected")
    expect(page.locator(".memory")).to_have_count(2)
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Export as JSON Lines").click()
    assert len(Path(downloading.value.path()).read_text().splitlines()) == 2
    page.get_by_role("button", name="Forget 2 memories").click()
    expect(page.get_by_role("status")).to_contain_text("2 memories forgotten.")
    assert site.call("recall_facts", user_id=123)["facts"] == []
    with page.context.new_page() as other:
        go(other, site, "memories/chosen?hidden=1&kind=fact")
        expect(other.locator(".memory.gone")).to_have_count(2)
        live = other.locator(".memory").count() - 2
        with other.expect_download() as downloading:
            other.get_by_role("button", name="Export as JSON Lines").click()
        lines = Path(downloading.value.path()).read_text().splitlines()
        assert len(lines) == live, "a file outlives the time for which it can be taken back"
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("2 memories restored.")
    assert len(site.call("recall_facts", user_id=123)["facts"]) == 2
    page.goto(f"{site.url}/dashboard/activity?what=acts&action=forgotten")
    expect(page.locator(".feed li")).to_have_count(1)
    page.goto(f"{site.url}/dashboard/activity?what=acts")
    expect(page.locator(".feed li", has_text="export of 2 memories")).to_have_count(1)


def test_facts_that_say_the_same_are_merged_after_a_look_and_taken_apart_with_one_undo(page, site):
    for value in ("green tea", "coffee, cocoa", "coffee"):
        site.fact("drink", value, fact_type="preference")
    before = len(site.call("recall_facts", user_id=123)["facts"])
    go(page, site, "memories/chosen?kind=fact")
    page.get_by_role("button", name="Merge duplicates").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Facts that say the same")
    expect(page.locator("section.memory")).to_have_count(1)
    expect(page.locator("section.memory li")).to_have_count(2)
    assert len(site.call("recall_facts", user_id=123)["facts"]) == before, "nothing is done yet"
    page.get_by_role("button", name="Merge what is ticked").click()
    expect(page.get_by_role("status")).to_contain_text("1 group of facts merged.")
    assert len(site.call("recall_facts", user_id=123)["facts"]) == before - 1
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("1 group of facts taken apart.")
    assert len(site.call("recall_facts", user_id=123)["facts"]) == before
    go(page, site, "activity?what=acts&action=merged")
    expect(page.locator(".feed li", has_text="2 memories")).to_have_count(1)
    go(page, site, "memories/chosen?q=leeds")
    page.get_by_role("button", name="Merge duplicates").click()
    expect(page.get_by_role("heading", name="No duplicates among these")).to_be_visible()


def test_undoing_many_deletes_nothing_new_and_nobody_unknown_selects_everybody(page, site):
    site.update("location", "Львів")
    go(page, site, "memories/chosen?q=")
    page.get_by_role("button", name="Undo the last change of each").click()
    expect(page.get_by_role("status")).to_contain_text("The last change of 1 memory was undone.")
    go(page, site, "memories")
    expect(page.locator(".memory")).to_have_count(4)
    go(page, site, "memories/chosen?person=99")
    expect(page.get_by_role("heading", name="Nothing is selected")).to_be_visible()


def test_undoing_the_only_change_of_a_memory_asks_before_it_deletes(page, site):
    go(page, site, "memories/1")
    expect(page.get_by_role("button", name="Undo the last change", exact=True)).to_have_count(0)
    page.get_by_text("Undo the last change").click()
    expect(page.get_by_text("Undoing its only change deletes it")).to_be_visible()
    page.get_by_role("button", name="Undo and delete it").click()
    expect(page.get_by_role("status")).to_have_text("The last change was undone.")


def test_places_have_names_and_a_page_each(page, site):
    site.call("remember_relationship", user_id=123, related_user_id=77, relationship="friend")
    go(page, site, "places")
    page.get_by_role("link", name="Hiking club").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hiking club")
    expect(page.get_by_role("table")).to_contain_text("Олена Коваль ↔ Tom Baker")
    page.get_by_role("link", name="Tom Baker", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tom Baker")


def test_relations_of_a_place_are_a_table_and_a_picture_of_it(page, site):
    site.call("remember_relationship", user_id=123, related_user_id=77, relationship="friend")
    site.call("remember_relationship", user_id=123, related_user_id=77, relationship="works_with")
    site.call("remember_relationship", 77, user_id=77, related_user_id=9, relationship="parent")
    go(page, site, "places")
    page.get_by_role("link", name="Hiking club").click()
    picture = page.get_by_role("img", name="Who is related to whom")
    expect(picture.locator(".person")).to_have_count(3)
    expect(picture.locator("line")).to_have_count(2)
    expect(picture.locator("line title").last).to_have_text("Олена Коваль – Tom Baker: works with, friend")
    table = page.get_by_role("group", name="Relationships")
    expect(table.get_by_role("row")).to_have_count(4)
    expect(table).to_contain_text("Tom Baker → Марко")
    picture.locator(".person", has_text="Марко").locator("circle").click()
    page.wait_for_url("**/people/*")
    expect(page.get_by_role("heading", level=1)).to_have_text("Марко")


def test_so_many_relations_are_shown_as_can_be_drawn(site, monkeypatch):
    monkeypatch.setattr(places, "_DRAWN", 2)
    site.call("remember_relationship", user_id=123, related_user_id=77, relationship="friend")
    site.call("remember_relationship", 77, user_id=77, related_user_id=9, relationship="parent")
    space = site.run(site.memory.look, lambda tx: tx.owners.find("space", "telegram", "Hiking club"))
    relations = site.run(site.memory.look, places._place, space).relations
    assert ([row.type for row in relations.rows], relations.total) == (["parent"], 2)
    graph = json.loads(relations.graph(str))
    assert (len(graph["people"]), [link["label"] for link in graph["links"]]) == (2, ["relation.parent"])


def test_the_first_page_tells_what_changed_today_and_who_did_it(page, site):
    page.goto(f"{site.url}/dashboard")
    expect(page.locator(".feed li")).to_have_count(4)
    expect(page.locator(".feed")).to_contain_text("Tom Baker")
    expect(page.locator(".growth .uplot")).to_be_visible()
    expect(page.locator(".growth h2")).to_contain_text("since")
    page.get_by_role("link", name="All activity").click()
    page.wait_for_url("**/activity")  # until its scripts are there, which look at what is typed
    page.get_by_label("By whom").press_sequentially("77")
    expect(page.locator(".feed li")).to_have_count(2)


def test_the_activity_goes_on_by_itself_until_it_is_paused(page, site):
    go(page, site, "activity")
    feed = page.locator("#feed > li")
    expect(feed).to_have_count(4)
    page.get_by_role("link", name="Leeds").focus()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    site.fact("pet", "a cat")
    ticks(page)
    assert asked == [], "who reads is not disturbed"
    page.evaluate("document.activeElement.blur()")
    ticks(page)
    expect(feed).to_have_count(5)
    expect(feed.first).to_contain_text("a cat")
    expect(feed.first.locator("time")).not_to_have_text(re.compile("UTC"))
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("Updates automatically")).to_be_hidden()
    site.fact("pet", "a dog")
    asked.clear()
    ticks(page)
    assert asked == []
    page.get_by_role("button", name="Resume").click()
    ticks(page)
    expect(feed).to_have_count(6)
    ticks(page)
    assert "newer=" in asked[-1], "the next one asks for what is newer still"


def ticks(page):
    """What the clock does every five seconds, now."""
    page.evaluate("htmx.ajax('GET', document.querySelector('#live').getAttribute('hx-get'), {source: '#live'})")


def test_an_empty_memory_says_what_will_be_there(visit, make_site):
    site = make_site()
    page = visit(site).log_in()
    empty = {"memories": "Nothing is remembered yet", "activity": "Nothing has happened yet", "people": "Nobody yet"}
    for where, heading in empty.items():
        go(page, site, where)
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
        expect(page.get_by_text("remove a filter")).to_have_count(0)
    go(page, site, "memories?q=tea")
    expect(page.get_by_text("remove a filter")).to_be_visible()
    go(page, site, "activity?what=acts&lang=uk")
    expect(page.locator(".feed .meta").first).to_contain_text("токен 1")


def test_the_day_a_fact_ended_is_written_as_the_reader_writes_days_wherever_they_are(visit, page, site):
    site.update("location", "Львів")
    west = visit(site, timezone_id="America/Los_Angeles").log_in()
    go(west, site, "memories?q=Kyiv")
    expect(west.locator(".memory .whole")).to_contain_text(f"until {site.now.day} {site.now:%b}")
    expect(west.locator(".memory .whole")).to_contain_text(f"{site.now.year} at the latest")


def test_activity_that_goes_beyond_a_page_is_shown_anew_and_a_list_of_nothing_begins(page, site):
    go(page, site, "activity?action=forgotten")
    expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()
    site.call("forget_fact", user_id=123, fact_type="personal", fact_key="location", reason="outdated")
    ticks(page)
    expect(page.locator("#feed > li")).to_have_count(1)
    go(page, site, "activity")
    for number in range(32):
        site.fact("pet", f"cat number {number}")
    ticks(page)
    expect(page.locator("#feed > li").first).to_contain_text("number 31")
    expect(page.locator("#feed > li")).to_have_count(30)
    expect(page.get_by_role("link", name="More")).to_be_visible()


def test_what_the_model_sees_is_shown_with_its_ranking_and_tokens(page, site):
    go(page, site, "model?name=tom")
    page.get_by_role("link", name="Tom Baker").click()
    page.get_by_label("Place").select_option(label="Hiking club")
    page.get_by_label("Message").fill("Where do I live?")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".prompt")).to_contain_text("location: Leeds")
    expect(page.locator(".ranking tbody tr").first).to_contain_text("location: Leeds")
    expect(page.get_by_text(re.compile(r"\d+ of 2000 tokens"))).to_be_visible()
    expect(page.locator("body")).not_to_contain_text("Київ")


def test_who_logs_in_comes_to_the_page_that_they_asked_for(visit, site):
    page = visit(site).page
    page.goto(f"{site.url}/dashboard/memories?q=tea")
    page.get_by_label("Token").fill(site.token())
    page.keyboard.press("Enter")
    page.wait_for_url("**/dashboard/memories?q=tea")


def test_forgotten_memories_are_shown_when_asked_for(page, site):
    site.call("forget_fact", user_id=123, fact_type="personal", fact_key="location", reason="outdated")
    go(page, site, "memories")
    expect(page.locator(".memory")).to_have_count(3)
    page.get_by_label("Include forgotten").check()
    expect(page.locator(".memory")).to_have_count(4)
    expect(page.locator(".memory.gone")).to_have_count(1)


def test_history_shows_before_and_after_and_undo_takes_the_change_back(page, site):
    site.update("location", "Львів")
    go(page, site, "memories/1")
    first = page.locator(".story li").first
    expect(first.locator("del")).to_have_text("Київ")
    expect(first.locator("ins")).to_have_text("Львів")
    page.get_by_role("button", name="Undo the last change").click()
    expect(page.get_by_role("status")).to_have_text("The last change was undone.")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Київ")
    expect(page.locator(".story li").first).to_have_text(re.compile(r"^\s*Undone .*\s+by operator"))


def test_what_cannot_be_undone_says_why(page, site):
    site.now = site.now.replace(year=site.now.year + 1)
    page = visit_again(page, site)
    go(page, site, "memories/1")
    page.get_by_text("Undo the last change").click()
    page.get_by_role("button", name="Undo and delete it").click()
    expect(page.get_by_role("alert")).to_contain_text("more than 24 hours ago")


def visit_again(page, site):
    page.goto(f"{site.url}/dashboard/login")
    page.get_by_label("Token").fill(site.token())
    page.keyboard.press("Enter")
    page.wait_for_url("**/dashboard")
    return page


def test_a_deleted_memory_has_a_history_still(page, site):
    for turn in ("a", "b"):
        site.call("forget", memory_id=1, turn=turn)
    go(page, site, "memories/1")
    expect(page.get_by_text("deleted").first).to_be_visible()
    page.get_by_role("button", name="Undo the last change").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Київ")


def test_people_are_found_by_name_in_any_case_and_by_id(page, site):
    go(page, site, "people")
    expect(page.locator("tbody tr")).to_have_count(3)
    page.get_by_label("Name or ID").press_sequentially("КОВАЛЬ")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_label("Name or ID").fill("")
    page.get_by_label("Name or ID").press_sequentially("77")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_role("link", name="Tom Baker").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tom Baker")
    expect(page.get_by_role("heading", name="Now")).to_be_visible()
    expect(page.locator(".plainlist")).to_contain_text(["Leeds"])


def test_an_operator_answers_questions(page, site):
    site.ask()
    go(page, site, "questions")
    page.get_by_role("button", name="Save: drink: jasmine tea").click()
    expect(page.get_by_text("jasmine tea")).to_have_count(0)
    page.get_by_role("button", name="Skip: language: Portuguese").click()
    expect(page.get_by_role("heading", name="No open questions")).to_be_visible()
    go(page, site, "memories")
    expect(page.get_by_role("link", name="jasmine tea")).to_be_visible()


def test_a_link_opens_that_persons_page(page, site):
    go(page, site, "people/1")
    page.get_by_role("button", name="Create a link to their own page").click()
    link = page.get_by_label("Give this link to the person:").input_value()
    page.goto(link)
    page.get_by_role("button", name="Open my page").click()
    page.wait_for_url("**/me")
    expect(page.locator(".memory")).to_have_count(2)
    assert "/me/" not in page.url


def test_an_operator_ends_a_persons_links_and_sessions(page, site, visit):
    opened = visit(site)
    own, other = opened.open_link(), site.link()
    go(page, site, "people/1")
    page.get_by_role("button", name="End their links and sessions").click()
    expect(page.get_by_text("Links and sessions ended: 2")).to_be_visible()
    opened.expected = ("403",)
    for address in (f"{site.url}/me", other):
        own.goto(address)
        expect(own.get_by_role("heading", level=1)).to_have_text("This link has expired")


def test_erasing_asks_for_a_word_and_gives_a_receipt(page, site):
    go(page, site, "people/1")
    page.get_by_role("link", name="Erase this person").click()
    page.get_by_label("To confirm, type ERASE").fill("yes")
    page.get_by_role("button", name="Erase").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was erased")
    page.get_by_label("To confirm, type ERASE").fill("ERASE")
    page.get_by_role("button", name="Erase").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Receipt")
    expect(page.locator(".facts div", has_text=re.compile("^Facts"))).to_have_text(re.compile("2$"))
    expect(page.locator("main")).not_to_contain_text("Київ")
    go(page, site, "memories")
    expect(page.locator(".memory")).to_have_count(2)
    go(page, site, "people?q=Коваль")
    expect(page.get_by_role("heading", name="No one matches")).to_be_visible()


def test_an_operator_who_may_not_read_sees_boards_and_nobodys_texts(visit, site):
    site.fact("location", "Kyiv")
    opened = visit(site)
    opened.expected = ("403",)
    page = opened.log_in(reads=False)
    expect(page.get_by_role("link", name="Memories")).to_have_count(0)
    for where in ("memories", "memories/1", "growth", "people", "people/1", "people/1/erase", "questions"):
        go(page, site, where)
        expect(page.get_by_role("heading", level=1)).to_have_text("Your token does not allow reading")
        expect(page.locator("main")).not_to_contain_text("Kyiv")


def test_many_memories_come_in_pages(page, site):
    for number in range(33):
        site.call("remember", 9, content=f"remark number {number}")
    go(page, site, "memories")
    expect(page.locator(".memory")).to_have_count(30)
    page.get_by_role("link", name="Show more").click()
    expect(page.locator(".memory")).to_have_count(7)


def test_what_is_not_there_says_so(visit, site):
    opened = visit(site)
    opened.expected = ("404", "400")
    page = opened.log_in()
    for where, text in (
        ("memories/99", "no such memory"),
        ("people/99", "no such page"),
        ("nonsense", "no such page"),
        ("people/x", "invalid"),
    ):
        go(page, site, where)
        expect(page.locator("main")).to_contain_text(text)
