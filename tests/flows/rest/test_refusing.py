"""What the REST API refuses, however it is asked."""

from __future__ import annotations

import asyncio
import logging
import secrets
from dataclasses import replace
from typing import Any

import pytest

from zgadka.model.token import Grant
from zgadka.model.turn import Turn
from zgadka.ops.tokens import check_token
from zgadka.settings import Settings
from zgadka.web import auth, rate_limit
from zgadka.web.app import build_app
from zgadka.web.routes.events import event_of, is_for, place_of

pytestmark = pytest.mark.asyncio

TURN = {"chat": "456", "user": 123}


def routes(app):
    """Every method and path, with something in the place of names."""
    for path, operations in app.api.openapi()["paths"].items():
        filled = path.replace("{name}", "recall").replace("{message}", "m1").replace("{question}", "q")
        filled = filled.replace("{memory_id}", "1").replace("{number}", "1").replace("{task_id}", "1")
        for method in operations:
            yield method.upper(), filled


async def test_without_a_good_token_nothing_but_health_answers(app, client, bot, memory):
    number = bot.token.split("_")[1]
    wrong = {
        "none": {},
        "empty": {"authorization": ""},
        "no scheme": {"authorization": bot.token},
        "another scheme": {"authorization": f"Basic {bot.token}"},
        "made up": {"authorization": f"Bearer zgadka_{number}_{secrets.token_urlsafe(32)}"},
        "cut": {"authorization": f"Bearer {bot.token[:-1]}"},
        "two": {"authorization": f"Bearer {bot.token} {bot.token}"},
        "no text": {"authorization": "Bearer é".encode()},
    }
    count = 0
    for method, path in routes(app):
        if path.startswith("/health/"):
            continue
        for what, headers in wrong.items():
            app.doors.failures._left.clear()
            answer = await client.request(method, path, headers=headers, json={})
            assert answer.status_code == 401, (what, method, path)
            assert answer.headers["www-authenticate"] == "Bearer"
            count += 1
    assert count > 200


async def test_each_role_enters_its_own_rooms_only(app, bot, her, operator):
    for method, path in routes(app):
        body = {} if path == "/v1/import" else {"json": {}}
        is_upkeep = path.startswith(("/v1/tasks", "/v1/stats", "/v1/doctor", "/v1/tidy", "/v1/inventory", "/metrics"))
        is_upkeep |= path.startswith("/v1/rollout")
        is_upkeep |= path in ("/v1/export", "/v1/import", "/v1/backup")
        if path.startswith("/health/") or path == "/v1/events":
            continue
        for one in (bot, her):
            if is_upkeep:
                assert (await one(method, path, **body)).status_code == 403, (method, path)
        if not is_upkeep:
            assert (await operator(method, path, **body)).status_code == 403, (method, path)
    for path in ("/v1/reminders", "/v1/members", "/v1/readers", "/v1/titles"):
        method = "POST" if path == "/v1/reminders" else "PUT"
        assert (await her(method, path, json={})).status_code == 403


SOMEBODY = [
    {"json": {"turn": {"user": 999}}},
    {"json": {"turn": {"user": "999"}}},
    {"json": {"turn": {"user": 999, "direct": True}}},
    {"json": {"turn": {"user": 123, "direct": False, "chat": "456"}}},
    {"json": {"turn": {"space": "999"}}},
    {"json": {"turn": {"space": "456"}}},
    {"json": {"turn": {"platform": "discord"}}},
    {"json": {}, "headers": {"zgadka-user": "999"}},
    {"json": {}, "headers": {"zgadka-user": "%39%39%39"}},
    {"json": {}, "headers": {"zgadka-space": "456"}},
    {"json": {}, "headers": {"zgadka-direct": "false"}},
    {"json": {}, "headers": {"zgadka-platform": "discord"}},
    {"json": {}, "params": {"user": "999"}},
    {"json": {}, "params": {"user_id": "999"}},
    {"json": {}, "params": {"User": "999"}},
    {"json": {}, "params": {"platform": "discord"}},
]


@pytest.mark.parametrize("given", SOMEBODY, ids=str)
@pytest.mark.parametrize("path", ["/v1/tools/recall", "/v1/me/erase", "/v1/messages", "/v1/memories/1/undo"])
async def test_a_persons_token_acts_for_nobody_else_in_any_position(her, bot, given, path):
    await bot.tool("remember", {"chat": "456", "user": 999}, content="a secret of 999")
    more = {"/v1/me/erase": {"confirm": "999"}, "/v1/messages": {"text": "hi"}}.get(path, {})
    answer = await her("POST", path, **{**given, "json": {**given["json"], **more}})
    assert answer.status_code == 403
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("recall_facts", {}),
        ("remember_fact", {"fact_type": "personal", "fact_key": "x", "fact_value": "y", "confidence": 0.9}),
        ("forget_fact", {"fact_type": "personal", "fact_key": "location", "reason": "outdated"}),
        ("clear_profile", {"reason": "x"}),
        ("generate_profile_summary", {}),
        ("suggest_merge", {}),
        ("recall_facts_global", {}),
        ("recall_relationships", {}),
        ("recall", {"query": "secret"}),
    ],
)
async def test_a_persons_token_reads_nobody_else_through_a_tools_arguments(her, bot, tool, args):
    fact = {"fact_type": "personal", "fact_key": "location", "fact_value": "a secret place", "confidence": 0.9}
    for user in (999, 123):
        await bot.tool("remember_fact", {"chat": "456", "user": user}, **fact | {"user_id": user})
    await bot("POST", "/v1/messages", json={"text": "hi", "turn": {"chat": "456", "user": 999}})
    answer = await her.tool(tool, {}, user_id=999, **args)
    assert answer.status_code in (403, 422), answer.text
    assert "secret" not in answer.text


async def test_a_bots_token_stays_on_its_platform_and_in_its_spaces(caller):
    bound = await caller("service", platforms=("telegram",), spaces=("456",), direct=False)
    assert (await bound.tool("recall", query="x")).status_code == 200
    for turn in (
        TURN | {"platform": "discord"},
        TURN | {"space": "457"},
        {"user": 123, "direct": True},
        TURN | {"space": "456", "direct": True},
    ):
        assert (await bound.tool("recall", turn, query="x")).status_code == 403, turn
    for_one = await caller("service", platforms=("telegram",), people=("123",))
    assert (await for_one.tool("recall", TURN | {"user": 124}, query="x")).status_code == 403
    assert (await for_one.tool("recall", {"chat": "456"}, query="x")).status_code == 200


ALONE = {"user": 123, "direct": True}
FOR_THE_PERSON_ALONE = [
    ("GET", "/v1/me/export", None),
    ("GET", "/v1/me/questions", None),
    ("GET", "/v1/me/consents", None),
    ("GET", "/v1/memories/1/history", None),
    ("POST", "/v1/me/link", {}),
    ("POST", "/v1/memories/1/share", {}),
    ("PUT", "/v1/me/privacy", {"level": "minimal"}),
    ("POST", "/v1/me/erase", {"confirm": "123"}),
]


@pytest.mark.parametrize(("method", "path", "body"), FOR_THE_PERSON_ALONE, ids=str)
async def test_what_is_for_the_person_alone_needs_their_direct_chat_and_a_token_that_has_it(
    bot, caller, her, method, path, body
):
    kept = (await bot.tool("remember", ALONE, content="said alone")).json()["memory_id"]
    path = path.replace("/1/", f"/{kept}/")

    async def ask(one, turn):
        if body is None:
            direct = "true" if turn.get("direct") else "false"
            headers = {"zgadka-user": "123", "zgadka-direct": direct, "zgadka-chat": turn.get("chat", "123")}
            return await one(method, path, headers=headers)
        return await one(method, path, json=body | {"turn": turn})

    bound = await caller("service", platforms=("telegram",), spaces=("456",), direct=False)
    refused = [await ask(bound, TURN), await ask(bound, ALONE)]
    if "share" not in path:
        refused.append(await ask(bot, TURN))
    assert [(one.status_code, "said alone" in one.text) for one in refused] == [(403, False)] * len(refused)
    assert (await her("GET", "/v1/me/privacy")).json() == {"level": "minimal"}
    assert (await her("GET", "/v1/memories")).json()["memories"][0]["everywhere"] is False
    for one in (bot, her):
        if one is bot or path != "/v1/me/erase":  # with a person, the tokens that name them go
            assert (await ask(one, ALONE)).status_code == 200


async def test_a_token_that_has_no_direct_chats_takes_no_reminders_of_them(caller):
    bound = await caller("service", platforms=("telegram",), direct=False)
    assert (await bound("POST", "/v1/reminders", json={"platform": "telegram"})).status_code == 403


async def test_what_was_asked_in_a_direct_chat_is_answered_and_heard_of_nowhere_else(bot, caller, memory):
    heard = []
    memory.subscribe(heard.append)
    unsure = {"text": "Maybe I'll move to Lviv", "turn": ALONE | {"message": "m1"}}
    question = (await bot("POST", "/v1/messages/observe", json=unsure)).json()["question"]["id"]
    [asked] = [notice for notice in heard if notice.question is not None]
    turns = [Turn(platform="telegram", space="456", chat="456", user=123, direct=direct) for direct in (False, True)]
    bound = Grant(token=0, role="service", platforms=("telegram",), spaces=("456",), direct=False)
    everywhere = Grant(token=0, role="service", platforms=("telegram",))
    place = await memory.look(place_of, asked, everywhere, None)
    told = [is_for(asked, place, grant, turn) for grant in (bound, everywhere) for turn in (turns[0], None)]
    assert told == [False, False, False, True]
    assert is_for(asked, place, everywhere, turns[1])
    here = await caller("service", platforms=("telegram",), spaces=("456",), direct=False)
    answer = await here("POST", f"/v1/me/questions/{question}", json={"save": True, "turn": TURN})
    assert (answer.status_code, answer.json()["status"], "Lviv" in answer.text) == (403, "not_yours", False)


async def test_what_happens_in_a_closed_chat_is_heard_by_its_readers_and_of_a_service_without_its_text(memory):
    heard = []
    memory.subscribe(heard.append)
    general = Turn(platform="telegram", space="456", chat="456", user=123)
    closed = replace(general, chat="mods", audience="mods")
    await memory.call("create_long_term_memory", {"memory_content": "ban them", "scope": "server_wide"}, closed)
    await memory.call("remember", {"content": "likes tea"}, closed)
    await memory.observe("Maybe I'll move to Lviv", closed)
    service = Grant(token=0, role="service", platforms=("telegram",))
    listeners = (general, closed, replace(general, direct=True), None)
    told = {turn: [] for turn in listeners}
    for notice in heard:
        for turn in listeners:
            place = await memory.look(place_of, notice, service, turn)
            if is_for(notice, place, service, turn):
                told[turn].append(event_of(notice, place, turn).decode())
    assert [len(events) for events in told.values()] == [0, 3, 2, 3]
    words = ("ban them", "tea", "Lviv")
    assert [sum(word in "".join(events) for word in words) for events in told.values()] == [0, 3, 2, 0]


async def test_what_was_asked_in_a_group_is_answered_there(caller):
    bound = await caller("service", platforms=("telegram",), spaces=("456",), direct=False)
    unsure = {"text": "Maybe I'll move to Lviv", "turn": TURN | {"message": "m1"}}
    question = (await bound("POST", "/v1/messages/observe", json=unsure)).json()["question"]["id"]
    answer = await bound("POST", f"/v1/me/questions/{question}", json={"save": True, "turn": TURN})
    assert (answer.status_code, answer.json()["status"]) == (200, "saved")


async def test_what_says_two_things_or_nothing_is_refused(bot):
    two = await bot("POST", "/v1/tools/recall", json={"turn": TURN}, headers={"zgadka-user": "124"})
    assert two.status_code == 400
    for turn in ({}, {"user": 123}, {"chat": "456"}, {"chat": "", "user": 1}, {"chat": "4\x00", "user": 1}):
        assert (await bot.tool("recall", turn, query="x")).status_code == 422, turn


@pytest.mark.parametrize(
    "headers",
    [
        [("zgadka-user", "123"), ("zgadka-user", "124")],
        [("zgadka-owner", "1")],
        [("zgadka-user", "%FF")],
        [("zgadka-user", "é".encode())],
        [("zgadka-persona", "-1")],
        [("zgadka-persona", "9" * 30)],
        [("zgadka-direct", "yes")],
    ],
)
async def test_a_header_that_cannot_be_meant_is_refused(bot, client, headers):
    given = [("authorization", f"Bearer {bot.token}"), ("zgadka-chat", "456"), *headers]
    assert (await client.get("/v1/memories", headers=given)).status_code == 400


@pytest.mark.parametrize(
    "path",
    [
        "/v1/tools/../stats", "/v1//stats", "/v1/stats/", "/V1/stats", "/v1/tools/%2e%2e/%2e%2e/metrics", "/v1/me/",
        "/v1/memories/1%00/history", "/v1/memories/0/history", "/v1/memories/-1/history", "/v1/memories/1e3/history",
        "/v1/memories/99999999999999999999/history", "/v1/memories/1/../../stats", "/mcp", "/docs", "/.env",
        "/v1/memories?limit=1", "/v1/messages?limit=0", "/v1/messages?limit=1&limit=2", "/v1/messages?limit=x",
    ],
)  # fmt: skip
async def test_tricks_with_paths_and_queries_lead_nowhere(bot, path):
    answer = await bot("GET", path, headers={"zgadka-chat": "456", "zgadka-user": "123"})
    assert answer.status_code in (400, 403, 404, 405, 422), answer.text
    assert answer.headers["content-type"] == "application/problem+json"


async def test_text_that_looks_like_a_header_stays_text(bot):
    for turn in (TURN | {"chat": "456\r\nset-cookie: a=b"}, TURN | {"message": "1\r\nx: y"}):
        answer = await bot.tool("remember", turn, content="a\r\nset-cookie: a=b")
        assert "set-cookie" not in answer.headers
    forged = await bot("GET", "/v1/memories", headers={"zgadka-chat": "456%0d%0aset-cookie:%20a=b", "zgadka-user": "1"})
    assert "set-cookie" not in forged.headers


async def test_a_body_that_is_too_large_is_refused_before_it_is_read(bot, client):
    large = b"x" * (1024 * 1024 + 1)
    assert (await bot("POST", "/v1/messages", content=large)).status_code == 413

    async def chunks():
        for _ in range(200):
            yield b" " * 10_000

    json = {"content-type": "application/json"}
    assert (await bot("POST", "/v1/messages", content=chunks(), headers=json)).status_code == 413
    for length in ("-1", "1e3", "9" * 30):
        lying = await bot("POST", "/v1/messages", content=chunks(), headers=json | {"content-length": length})
        assert lying.status_code == 413


async def test_a_body_of_another_kind_is_no_json(bot):
    body = b'{"text": "hello", "turn": {"chat": "456", "user": 123}}'
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        answer = await bot("POST", "/v1/messages", content=body, headers={"content-type": kind})
        assert answer.status_code == 422  # a page of another site can send only such bodies without asking first
    for broken in (b"", b"{", b"\xff", b"[" * 5000, b'{"text": ' + b"9" * 5000 + b"}", b"null", b"[]", b'"x"'):
        answer = await bot("POST", "/v1/messages", content=broken, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422), broken[:10]


async def test_half_a_surrogate_pair_is_answered_with_json(bot):
    for body in (
        rb'{"args": {"content": "\ud800"}, "turn": {"chat": "456", "user": 1}}',
        rb'{"turn": {"chat": "\ud800", "user": 1}}',
    ):
        answer = await bot("POST", "/v1/tools/remember", content=body, headers={"content-type": "application/json"})
        assert answer.status_code < 500
        answer.json()


async def test_a_server_that_is_called_by_another_name_or_from_a_page_does_not_answer(bot, client):
    for host in ("evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "[::2]", "localhost:1@evil"):
        answer = await bot("GET", "/v1/tools", headers={"host": host})
        assert answer.status_code in (400, 421), host
    assert (await bot("GET", "/v1/tools", headers={"host": "LOCALHOST:8765"})).status_code == 200
    assert (await bot("GET", "/v1/tools", headers={"origin": "http://localhost"})).status_code == 200
    for page in (
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"origin": "http://[bad"},
    ):
        assert (await bot("GET", "/v1/tools", headers=page)).status_code == 403, page
    asked = await client.options("/v1/tools", headers={"origin": "http://evil.example"})
    assert "access-control-allow-origin" not in asked.headers


async def test_every_answer_says_that_it_is_not_to_be_kept_or_framed(bot, client):
    for answer in (await bot("GET", "/v1/tools"), await client.get("/v1/tools"), await client.get("/x")):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert "set-cookie" not in answer.headers


async def test_a_token_that_is_revoked_in_this_process_opens_nothing_from_then_on(bot, her, memory):
    from zgadka.ops.tokens import revoke_token

    assert (await bot("GET", "/v1/tools")).status_code == 200
    await memory.apply(revoke_token, int(bot.token.split("_")[1]))
    assert (await bot("GET", "/v1/tools")).status_code == 401
    assert (await her("GET", "/v1/memories")).status_code == 200
    assert (await her("POST", "/v1/me/erase", json={"confirm": "123"})).status_code == 200
    assert (await her("GET", "/v1/memories")).status_code == 401


async def test_a_token_that_is_looked_at_while_it_is_revoked_is_not_remembered(bot, memory, monkeypatch):
    from zgadka.ops.tokens import revoke_token

    real = memory.look

    async def slow(*given):
        found = await real(*given)
        await memory.apply(revoke_token, int(bot.token.split("_")[1]))
        return found

    with monkeypatch.context() as late:
        late.setattr(memory, "look", slow)
        await bot("GET", "/v1/tools")
    assert (await bot("GET", "/v1/tools")).status_code == 401


async def test_a_token_that_another_process_revokes_opens_nothing_once_it_is_looked_at_again(bot, memory, monkeypatch):

    assert (await bot("GET", "/v1/tools")).status_code == 200
    await memory.apply(lambda tx: tx.tokens.delete(int(bot.token.split("_")[1])))  # nobody here is told
    assert (await bot("GET", "/v1/tools")).status_code == 200
    now = auth.time.monotonic() + auth.REMEMBERED_SECONDS + 1
    monkeypatch.setattr(auth.time, "monotonic", lambda: now)
    assert (await bot("GET", "/v1/tools")).status_code == 401


async def test_whoever_asks_too_often_waits_and_others_do_not(memory, caller, client, her):
    import dataclasses

    import httpx

    memory.settings = dataclasses.replace(memory.settings, serve_calls_per_minute=60)
    few = build_app(memory)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(few), base_url="http://localhost") as limited:
        hers = {"authorization": f"Bearer {her.token}"}
        codes = [(await limited.get("/v1/tools", headers=hers)).status_code for _ in range(11)]
        assert codes == [200] * 10 + [429]
        bot = await caller("service", platforms=("telegram",))
        assert (await limited.get("/v1/tools", headers={"authorization": f"Bearer {bot.token}"})).status_code == 200


async def test_who_asks_too_often_is_told_so_late_and_nobody_else_waits(bot, client, monkeypatch):
    monkeypatch.setattr(rate_limit, "REFUSED_SECONDS", 60)
    wrong = {"authorization": "Bearer x"}
    assert [(await client.get("/v1/tools", headers=wrong)).status_code for _ in range(10)] == [401] * 10
    refused = asyncio.create_task(client.get("/v1/tools", headers=wrong))
    assert (await bot("GET", "/v1/tools")).status_code == 200
    await asyncio.wait([refused], timeout=0.2)
    assert not refused.done()
    refused.cancel()


async def test_wrong_tokens_lock_nobody_out_who_has_a_good_one(bot, client):
    answers = [await client.get("/v1/tools", headers={"authorization": "Bearer x"}) for _ in range(11)]
    assert [one.status_code for one in answers] == [401] * 10 + [429]
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert (await bot("GET", "/v1/tools")).status_code == 200


async def test_any_number_of_wrong_tokens_makes_no_good_one_be_looked_up_again(bot, client, monkeypatch):
    looked_up: list[str] = []

    def check(tx: Any, text: str) -> Any:
        looked_up.append(text)
        return check_token(tx, text)

    monkeypatch.setattr(auth, "check_token", check)
    monkeypatch.setattr(auth, "_MOST_REMEMBERED", 3)
    for number in range(8):
        assert (await bot("GET", "/v1/tools")).status_code == 200
        await client.get("/v1/tools", headers={"authorization": f"Bearer wrong{number}"})
    assert looked_up.count(bot.token) == 1
    assert len(looked_up) == 9


async def test_no_log_and_no_metric_holds_a_text_an_id_or_a_token(bot, operator, caplog):
    caplog.set_level(logging.DEBUG)
    await bot.tool("remember", {"chat": "chat-77531", "user": 88642}, content="a secret text")
    await bot("DELETE", "/v1/messages/message-99123", headers={"zgadka-chat": "chat-77531", "zgadka-user": "88642"})
    await bot("GET", "/nowhere/person-5512?user=person-5512")
    metrics = (await operator("GET", "/metrics")).text
    page = "\n".join(line.rpartition(" ")[0] for line in metrics.splitlines())  # times have any digits
    assert "memory_tool_calls_total" in page
    ours = "\n".join(f"{one.name} {one.getMessage()}" for one in caplog.records if one.name.startswith("zgadka"))
    assert "/v1/messages/{message}" in ours
    for told in (page, ours):
        for secret in ("77531", "88642", "99123", "5512", "secret text", bot.token.split("_", 2)[2]):
            assert secret not in told


async def test_what_breaks_in_a_request_is_logged_with_its_place_and_nobodys_words(bot, memory, monkeypatch, caplog):
    async def broken(_, text, *more, **_kwargs):
        raise KeyError(text)

    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(memory, "record", broken)
    said = {"text": "a secret text", "turn": {"chat": "456", "user": 123}}
    assert (await bot("POST", "/v1/messages", json=said)).status_code == 500
    ours = "\n".join(logging.Formatter().format(one) for one in caplog.records if one.name.startswith("zgadka"))
    assert "KeyError at" in ours
    assert "in broken" in ours
    assert "secret" not in caplog.text


async def test_without_tokens_anybody_may_do_anything_and_nothing_asks(memory):
    import httpx

    assert Settings().serve_listen.startswith("127.0.0.1:")
    app = build_app(memory, authenticates=False)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as anybody:
        turn = {"platform": "telegram", "chat": "456", "user": 123}
        assert (await anybody.post("/v1/tools/recall", json={"args": {"query": "x"}, "turn": turn})).status_code == 200
        assert (await anybody.get("/v1/inventory")).status_code == 200


@pytest.mark.parametrize("bound", ["since", "until"])
@pytest.mark.parametrize("moment", ["2026-01-01", "2026-01-01T00:00:00", "0001-01-01T00:00:00Z"])
async def test_a_search_is_bounded_by_moments_in_a_time_zone(bot, bound, moment):
    await bot("POST", "/v1/messages", json={"text": "the tea is green", "turn": TURN})
    answer = await bot("POST", "/v1/messages/search", json={"query": "tea", "turn": TURN, bound: moment})
    assert answer.status_code == 422
    assert bound in answer.text
