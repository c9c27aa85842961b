"""Stored text is text, forms come from our own pages, and a cookie opens what it is for."""

from __future__ import annotations

import re
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import expect

from zgadka.web import rate_limit

EVIL = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>'\"{{7*7}}</textarea>&amp;"


@pytest.fixture
def client(request):
    """HTTP without a browser: `client(site)`."""

    def make(site, **options):
        made = httpx.Client(base_url=site.url, **options)
        request.addfinalizer(made.close)
        return made

    return make


@pytest.fixture
def logged_in(client):
    def make(site, **token):
        one = client(site)
        answer = one.post("/dashboard/login", data={"token": site.token(**token)})
        assert answer.status_code == 303
        return one

    return make


@pytest.fixture
def as_person(client):
    def make(site, user=123):
        one = client(site)
        assert one.post(site.link(user), data={"open": "page"}).status_code == 303
        return one

    return make


def form_token(page):
    found = re.search(r'name="form_token" value="([0-9a-f]{64})"', page.text)
    assert found
    return found[1]


def test_text_in_memories_names_and_questions_is_shown_as_text(visit, site):
    from zgadka.model.people import Member

    site.run(site.memory.report_member, "telegram", "Hiking club", Member(user="123", number=123, name=EVIL[:100]))
    number = site.fact("trail", EVIL)
    site.call("remember", content=EVIL + " note", tags=[EVIL[:40]])
    site.update("trail", EVIL + "!", fact_id=number, source_excerpt=EVIL)
    site.ask()
    page = visit(site).log_in()
    for where in ("memories", f"memories/{number}", "memories?q=" + "%22%3E%3Cscript%3E", "people", "people/1",
                  "people/1/erase", "questions", "activity", "places", "places/2", "memories/chosen?q=",
                  "model?person=1&space=2&text=trail"):  # fmt: skip
        page.goto(f"{site.url}/dashboard/{where}")  # until everything is loaded, and has failed to load
        assert page.title() != "owned"
        expect(page.locator("main img, main script, main textarea")).to_have_count(0)
    page.goto(f"{site.url}/dashboard/memories/{number}")
    expect(page.locator("h1")).to_contain_text(EVIL + "!")
    page.goto(site.link())
    page.get_by_role("button", name="Open my page").click()
    page.wait_for_url("**/me")
    expect(page.locator(".memory").first).to_contain_text("<script>")
    page.goto(f"{site.url}/me/memories/{number}")
    expect(page.get_by_role("textbox", name="Correct text")).to_have_value(EVIL + "!")
    assert page.title() != "owned"


def test_every_page_forbids_foreign_and_inline_scripts(site, client, logged_in, as_person):
    operator, person = logged_in(site), as_person(site)
    pages = [operator.get("/dashboard/boards/usage"), operator.get("/dashboard/memories"), person.get("/me")]
    pages += [client(site).get(path) for path in ("/dashboard/login", "/me/nonsense", site.link())]
    for page in pages:
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["cache-control"] == "no-store"
        assert not re.search(r"<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=|<style", page.text)


def test_what_fetches_a_link_to_show_where_it_leads_does_not_open_it(site, client):
    site.fact("location", "Kyiv")
    link, robot, person = site.link(), client(site), client(site)
    assert robot.get(link).status_code == 200
    assert robot.get("/me").status_code == 403
    assert person.post(link, data={"open": "page"}).status_code == 303
    assert "Kyiv" in person.get("/me").text
    assert robot.get(link).status_code == robot.post(link, data={"open": "page"}).status_code == 403


def test_cookies_are_for_this_server_alone_and_not_for_scripts(site, client):
    for answer, path in (
        (client(site).post("/dashboard/login", data={"token": site.token()}), "/dashboard"),
        (client(site).post(site.link(), data={"open": "page"}), "/me"),
    ):
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert f"path={path};" in cookie + ";"


@pytest.mark.parametrize("given", [{}, {"form_token": ""}, {"form_token": "0" * 64}, {"form_token": "é"}])
def test_a_form_from_elsewhere_changes_nothing(site, given, logged_in, as_person):
    number = site.fact("location", "Kyiv")
    operator, person = logged_in(site), as_person(site)
    for one, path in (
        (operator, f"/dashboard/memories/{number}/undo"),
        (operator, "/dashboard/people/1/erase"),
        (operator, "/dashboard/people/1/link"),
        (operator, "/dashboard/people/1/unlink"),
        (operator, "/dashboard/logout"),
        (person, "/me/memories/delete"),
        (person, f"/me/memories/{number}"),
        (person, "/me/privacy"),
        (person, "/me/erase"),
    ):
        answer = one.post(path, data=given | {"word": "ERASE", "content": "x", "level": "FULL", "id": number})
        assert answer.status_code == 403, path
    assert "Kyiv" in person.get("/me").text


def test_a_form_of_another_session_changes_nothing(site, as_person):
    number = site.fact("location", "Kyiv")
    mine, theirs = as_person(site), as_person(site, 77)
    other = form_token(theirs.get("/me"))
    assert mine.post("/me/memories/delete", data={"form_token": other, "id": number}).status_code == 403
    own = form_token(mine.get("/me"))
    assert mine.post("/me/memories/delete", data={"form_token": own, "id": number}).status_code == 303


def test_another_persons_memory_does_not_exist(site, as_person):
    number = site.fact("location", "Kyiv")
    theirs = as_person(site, 77)
    token = {"form_token": form_token(theirs.get("/me"))}
    for path in ("/me/memories/delete", f"/me/memories/{number}", "/me/memories/undo"):
        answer = theirs.post(path, data=token | {"content": "x", "id": number})
        assert answer.headers["location"].endswith(("done=gone", "done=late"))
    assert theirs.get(f"/me/memories/{number}").headers["location"].endswith("done=gone")
    assert "Kyiv" in as_person(site).get("/me").text


def test_sites_elsewhere_may_link_to_a_page_and_do_nothing_more(site, client, as_person):
    elsewhere = {"sec-fetch-site": "cross-site"}
    visitor = client(site)
    link = site.link()
    assert visitor.get(link, headers=elsewhere | {"sec-fetch-mode": "navigate"}).status_code == 200
    assert visitor.get(link, headers=elsewhere | {"sec-fetch-mode": "cors"}).status_code == 403
    person = as_person(site)
    form = {"form_token": form_token(person.get("/me")), "level": "FULL"}
    for headers in (elsewhere | {"sec-fetch-mode": "navigate"}, {"origin": "https://evil.example"}, {"origin": "null"}):
        assert person.post("/me/privacy", data=form, headers=headers).status_code == 403


def test_without_a_session_nobody_gets_in(site, client):
    assert client(site).get("/dashboard").headers["location"] == "/dashboard/login"
    for path in ("/dashboard/boards/usage", "/dashboard/memories", "/dashboard/people/1/erase"):
        assert client(site).get(path).headers["location"] == f"/dashboard/login?to={quote(path, safe='')}"
    assert (
        client(site).post("/dashboard/people/1/erase", data={"word": "ERASE"}).headers["location"] == "/dashboard/login"
    )
    assert client(site).get("/dashboard/memories", headers={"hx-request": "true"}).status_code == 401
    for path in ("/me", "/me/export", "/me/erase"):
        assert client(site).get(path).status_code == 403


def test_a_cookie_opens_only_what_it_was_made_for(site, client, logged_in, as_person):
    person = as_person(site)
    cookie = person.cookies["zgadka_person"]
    assert client(site, cookies={"zgadka_operator": cookie}).get("/dashboard/memories").status_code == 303
    operator = logged_in(site)
    session = operator.cookies["zgadka_operator"]
    assert client(site, cookies={"zgadka_person": session}).get("/me").status_code == 403
    said, _, signed = session.partition(".")
    for forged in (
        f"{said}.",
        f"{said}.{signed[:-4]}AAAA",
        f".{signed}",
        "x",
        "",
        "é",
        f"{said[:-4]}AAAA.{signed}",
        "A" * 5000,
    ):
        headers = {"cookie": f"zgadka_operator={forged}".encode()}
        assert client(site, headers=headers).get("/dashboard/memories").status_code in (303, 400), forged


def test_a_session_ends_with_its_token_and_after_half_a_day(site, logged_in):
    from datetime import timedelta

    operator, other = logged_in(site), logged_in(site)
    assert operator.get("/dashboard/memories").status_code == 200
    site.run(site.memory.apply, lambda tx: tx.tokens.delete(1))
    assert operator.get("/dashboard/memories").status_code == 303
    assert other.get("/dashboard/memories").status_code == 200
    site.now += timedelta(hours=13)
    assert other.get("/dashboard/memories").status_code == 303


def test_only_operators_log_in_and_guessing_is_slowed_down_for_whoever_guesses(site, client, monkeypatch):
    monkeypatch.setattr(rate_limit, "REFUSED_SECONDS", 0.01)
    one = client(site)
    for token in (site.token(role="service", reads=False), "nonsense", "", "zgadka_1_" + "A" * 43):
        assert one.post("/dashboard/login", data={"token": token}).status_code == 403
    codes = [one.post("/dashboard/login", data={"token": "guess"}).status_code for _ in range(30)]
    assert 429 in codes
    good = one.post("/dashboard/login", data={"token": site.token()})
    assert good.status_code == 303, "a good token is never locked out"


def test_logging_out_ends_the_session_in_the_browser(visit, site):
    page = visit(site).log_in()
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/dashboard/login")
    page.goto(f"{site.url}/dashboard/memories")
    assert "/dashboard/login?" in page.url


def test_where_nobody_needs_a_token_the_dashboard_opens_with_a_click(visit, make_site):
    open_site = make_site(authenticates=False)
    page = visit(open_site).page
    page.goto(open_site.url)
    page.get_by_role("button", name="Open the dashboard").click()
    page.wait_for_url("**/dashboard")
    expect(page.get_by_role("link", name="Memories")).to_be_visible()


@pytest.mark.parametrize(
    "to", ["https://evil.example/dashboard/", "//evil.example", "/dashboard/../../x y\n", "/me", "/dashboard/\\evil"]
)
def test_logging_in_leads_to_no_other_site(site, client, to):
    answer = client(site).post("/dashboard/login", data={"token": site.token(), "to": to})
    assert answer.headers["location"] == "/dashboard"


@pytest.mark.parametrize("path", ["/dashboard/nonsense", "/me/a/b", "/nonsense", "/dashboard/boards/nonsense"])
def test_an_unknown_address_is_a_page(site, logged_in, path):
    answer = logged_in(site).get(path, headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "There is no such page" in answer.text
    assert "script-src 'self'" in answer.headers["content-security-policy"]


def test_programs_get_no_pages(site, client):
    answer = client(site).get("/v1/nonsense", headers={"accept": "text/html"})
    assert answer.headers["content-type"] == "application/problem+json"


def test_who_may_not_read_changes_nothing_in_bulk(site, logged_in):
    number = site.fact("location", "Kyiv")
    operator = logged_in(site, reads=False)
    token = {"form_token": form_token(operator.get("/dashboard/boards/usage")), "id": f"1-{number}"}
    for act in ("forget", "unforget", "undo", "export", "chosen"):
        answer = operator.post(f"/dashboard/memories/{act}", data=token)
        assert answer.status_code == 403
        assert "Kyiv" not in answer.text
    for path in ("activity", "places", "places/2", "model?person=1&text=Kyiv", "memories/chosen"):
        answer = operator.get(f"/dashboard/{path}")
        assert answer.status_code == 403
        assert ">Kyiv" not in answer.text


def test_bodies_that_are_no_forms_are_refused(site, client):
    one = client(site)
    assert one.post("/dashboard/login", json={"token": "x"}).status_code == 415
    plain = {"content-type": "application/x-www-form-urlencoded"}
    assert one.post("/dashboard/login", content=b"\xff\xfe", headers=plain).status_code == 400
    assert one.post("/dashboard/login", content=b"a=1&" * 50, headers=plain).status_code == 400


def fields_of(answer, path):
    """What the first form that is sent to a path sends by itself; with those of what is ticked to be sent by it."""
    form = re.search(rf'<form[^>]*action="{path}".*?</form>', answer.text, re.DOTALL)
    assert form is not None
    inputs = re.findall(r'<input[^>]*name="(\w+)"[^>]*value="([^"]*)"', form[0])
    ticked = re.findall(r'<input type="checkbox" name="(id)" value="([^"]*)" form="chosen"', answer.text)
    return dict(inputs) | (dict(ticked) if 'id="chosen"' in form[0] else {})


@pytest.mark.parametrize("at", ["/me", "/me/memories/{number}"])
@pytest.mark.parametrize("action", ["/me/memories/{number}", "/me/memories/delete"])
def test_a_form_that_showed_another_value_changes_nothing(site, as_person, at, action):
    number = site.fact("location", "Kyiv")
    person = as_person(site)
    action = action.format(number=number)
    shown = fields_of(person.get(at.format(number=number)), action)
    site.update("location", "Odesa")
    answer = person.post(action, data=shown | {"content": "Kyiv, Podil"})
    assert answer.headers["location"].endswith("done=changed")
    assert "Nothing was changed" in person.get(answer.headers["location"]).text
    facts = site.call("recall_facts", user_id=123)["facts"]
    assert [(fact["value"], fact.get("state")) for fact in facts] == [("Odesa", None), ("Kyiv", "past")]


def test_a_form_works_though_what_it_showed_was_said_once_more(site, as_person):
    number = site.fact("location", "Kyiv")
    person = as_person(site)
    shown = fields_of(person.get("/me"), f"/me/memories/{number}")
    assert site.call("remember_fact", user_id=123, fact_type="personal", fact_key="location", fact_value="Kyiv",
                     confidence=0.9).status == "skipped"  # fmt: skip
    answer = person.post(f"/me/memories/{number}", data=shown | {"content": "Kyiv, Podil"})
    assert "done=corrected" in answer.headers["location"]


def test_an_undo_that_was_shown_for_another_change_takes_nothing_back(site, as_person):
    number = site.fact("location", "Kyiv")
    person = as_person(site)
    shown = fields_of(person.get("/me"), f"/me/memories/{number}")
    corrected = person.post(f"/me/memories/{number}", data=shown | {"content": "Lviv"})
    undo = fields_of(person.get(corrected.headers["location"]), "/me/memories/undo")
    site.update("location", "Odesa")
    assert person.post("/me/memories/undo", data=undo).headers["location"].endswith("done=changed")
    facts = site.call("recall_facts", user_id=123)["facts"]
    assert [(fact["value"], fact.get("state")) for fact in facts] == [("Odesa", None), ("Lviv", "past")]


def test_what_was_deleted_or_corrected_is_taken_back_once_though_the_form_is_sent_twice(site, as_person):
    number = site.fact("location", "Kyiv")
    person = as_person(site)
    for action in (f"/me/memories/{number}", "/me/memories/delete"):
        shown = fields_of(person.get("/me"), action)
        done = person.post(action, data=shown | {"content": "Lviv"})
        undo = fields_of(person.get(done.headers["location"]), "/me/memories/undo")
        for _ in range(2):
            assert person.post("/me/memories/undo", data=undo).headers["location"].endswith("done=undone")
        assert [fact["value"] for fact in site.call("recall_facts", user_id=123)["facts"]] == ["Kyiv"]


def test_an_operators_undo_that_was_shown_for_another_change_takes_nothing_back(site, logged_in):
    number = site.fact("location", "Kyiv")
    site.update("location", "Lviv")
    operator, undo = logged_in(site), f"/dashboard/memories/{number}/undo"
    shown = fields_of(operator.get(f"/dashboard/memories/{number}"), undo)
    site.update("location", "Odesa")
    assert "Nothing was changed" in operator.post(undo, data=shown).text
    assert site.call("recall_facts", user_id=123)["facts"][0]["value"] == "Odesa"
    shown = fields_of(operator.get(f"/dashboard/memories/{number}"), undo)
    for _ in range(2):
        operator.post(undo, data=shown)
    assert site.call("recall_facts", user_id=123)["facts"][0]["value"] == "Lviv"


@pytest.mark.parametrize("what", ["forget", "undo"])
def test_what_was_changed_since_it_was_chosen_is_left_alone(site, logged_in, what):
    for key, value in (("location", "Kyiv"), ("job", "baker")):
        site.fact(key, value)
        site.update(key, f"{value} again" if what == "undo" else value)
    operator = logged_in(site)
    listed = operator.get("/dashboard/memories")
    chosen = ",".join(re.findall(r'name="id" value="([^"]*)"', listed.text))
    token = {"form_token": form_token(listed)}
    preview = operator.post("/dashboard/memories/chosen", data=token | {"id": chosen})
    shown, *_ = re.findall(r'name="id" value="([^"]*)"', preview.text)
    site.update("location", "Odesa")
    assert operator.post(f"/dashboard/memories/{what}", data=token | {"id": shown}).status_code == 200
    values = {fact["key"]: fact["value"] for fact in site.call("recall_facts", user_id=123)["facts"][::-1]}
    assert values["location"] == "Odesa"
    assert values.get("job") == ("baker" if what == "undo" else None)
