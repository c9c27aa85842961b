"""What the REST API does: what the engine does, for whom the token is."""

from __future__ import annotations

import asyncio
import json
import tempfile
from dataclasses import replace

import httpx
import pytest

from zgadka import Settings, Turn, open_memory
from zgadka.errors import StoreBusy, StoreUnavailable, StoreUncertain
from zgadka.model.token import Grant
from zgadka.ops import idempotency as answers
from zgadka.ops.allow import operator_trail
from zgadka.ops.tokens import add_token
from zgadka.web import idempotency
from zgadka.web.app import build_app

pytestmark = pytest.mark.asyncio

HERE = {"zgadka-chat": "456", "zgadka-user": "123"}
TURN = {"chat": "456", "user": 123}
ALONE = {"user": 123, "direct": True}


async def test_what_a_bot_has_remembered_it_recalls(bot):
    kept = await bot.tool("remember", content="likes green tea")
    assert (kept.status_code, kept.json()["status"]) == (200, "success")
    found = await bot.tool("recall", query="tea")
    assert [one["content"] for one in found.json()["memories"]] == ["likes green tea"]


async def test_everything_is_answered_unless_a_budget_is_given(bot):
    for number in range(5):
        await bot.tool("remember", content=f"likes tea {number} {'very much ' * 50}")
    call = {"args": {"query": "tea", "kinds": ["note"]}}
    for more, is_whole in (({}, True), ({"budget_tokens": 300}, False)):
        alone = (await bot("POST", "/v1/tools/recall", json=call | more | {"turn": TURN})).json()
        several = {"calls": [call | {"tool": "recall"}], "turn": TURN}
        (together,) = (await bot("POST", "/v1/calls", json=several | more)).json()["results"]
        assert alone == together
        assert (alone["count"] == 5) is is_whole


async def test_the_answer_is_the_tools_and_the_code_follows_its_status(bot):
    fact = {"user_id": 123, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    codes = [
        (200, await bot.tool("remember_fact", **fact, fact_value="Kyiv")),
        (200, await bot.tool("remember_fact", **fact, fact_value="Київ")),
        (409, await bot.tool("remember_fact", **fact, fact_value="Lviv")),
        (422, await bot.tool("remember_fact", **fact)),
        (403, await bot.tool("remember_fact", **fact | {"user_id": 999}, fact_value="Kyiv")),
        (404, await bot.tool("forget_fact", user_id=123, fact_type="skill", fact_key="x", reason="outdated")),
        (200, await bot.tool("forget", memory_id=1)),
        (404, await bot.tool("update_long_term_memory", memory_id=77, memory_content="x")),
    ]  # fmt: skip
    assert [code for code, _ in codes] == [answer.status_code for _, answer in codes]
    statuses = [answer.json()["status"] for _, answer in codes]
    assert statuses == ["success", "skipped", "conflict", "invalid_args", "invalid_target", "not_found",
                        "confirmation_required", "memory_update_failed_not_found"]  # fmt: skip


async def test_too_many_calls_in_a_turn_are_429_with_the_time_to_wait(bot):
    turn = TURN | {"turn": "one"}
    answers = [await bot.tool("recall", turn, query="tea") for _ in range(6)]
    assert [one.status_code for one in answers] == [200] * 5 + [429]
    assert answers[5].json()["status"] == "rate_limited"
    assert int(answers[5].headers["retry-after"]) >= 1


async def test_several_calls_are_answered_in_order(bot):
    calls = [
        {"tool": "remember", "args": {"content": "one"}},
        {"tool": "nothing"},
        {"tool": "recall", "args": {"query": ""}},
    ]
    answer = await bot("POST", "/v1/calls", json={"calls": calls, "turn": TURN})
    assert [one["status"] for one in answer.json()["results"]][:2] == ["success", "invalid_args"]


async def test_the_tools_are_listed_as_models_see_them(bot, memory):
    listed = (await bot("GET", "/v1/tools")).json()
    assert [one["name"] for one in listed["tools"]] == [tool.name for tool in memory.tools]
    assert listed["tools"][0]["parameters"]["additionalProperties"] is False


async def test_who_speaks_comes_from_headers_as_well(bot, her):
    await bot.tool("remember", content="likes tea")
    assert (await bot("GET", "/v1/memories", headers=HERE)).json()["count"] == 1
    assert (await bot("GET", "/v1/memories", headers=HERE | {"zgadka-user": "124"})).json()["count"] == 0
    assert (await her("GET", "/v1/memories")).json()["memories"][0]["content"] == "likes tea"


async def test_names_in_headers_may_be_of_any_script(bot):
    headers = {"zgadka-chat": "%D1%87%D0%B0%D1%82", "zgadka-user": "%D0%9E%D0%BB%D1%8F", "zgadka-persona": "3"}
    await bot.tool("remember", {"chat": "чат", "user": "Оля", "persona": 3}, content="likes tea")
    assert (await bot("GET", "/v1/memories", headers=headers)).json()["count"] == 1


async def test_a_request_says_who_reads_its_chat(bot):
    await bot.tool("remember", TURN | {"audience": ["mods", "чат"]}, content="likes tea")
    for readers, count in (("mods, %D1%87%D0%B0%D1%82", 1), ("mods", 1), ("mods,guests", 0), (None, 0)):
        headers = HERE if readers is None else HERE | {"zgadka-audience": readers}
        assert (await bot("GET", "/v1/memories", headers=headers)).json()["count"] == count, readers
    body, headers = {"turn": TURN | {"audience": ["mods"]}}, {"zgadka-audience": "guests"}
    assert (await bot("POST", "/v1/tools/recall", json=body, headers=headers)).status_code == 400
    assert (await bot.tool("recall", TURN | {"audience": []}, query="tea")).status_code == 422


async def test_messages_are_kept_found_and_removed(bot):
    kept = await bot(
        "POST", "/v1/messages", json={"text": "the red bicycle is broken", "turn": TURN | {"message": "m1"}}
    )
    assert kept.json()["message_id"] >= 1
    assert (await bot("GET", "/v1/messages", headers=HERE)).json()["messages"][0]["text"] == "the red bicycle is broken"
    found = await bot("POST", "/v1/messages/search", json={"query": "bicycle", "explain": True, "turn": TURN})
    assert found.json()["messages"][0]["why"]
    assert (await bot("DELETE", "/v1/messages/m1", headers=HERE)).json() == {"removed": True}
    assert (await bot("DELETE", "/v1/messages/m1", headers=HERE)).json() == {"removed": False}


async def test_what_is_observed_is_remembered_asked_and_answered(bot, her):
    said = await bot("POST", "/v1/messages/observe", json={"text": "I live in Kyiv", "turn": TURN | {"message": "m1"}})
    assert [one["content"] for one in said.json()["stored"]] == ["Kyiv"]
    asked = (
        await bot(
            "POST", "/v1/messages/observe", json={"text": "Maybe I'll move to Lviv", "turn": TURN | {"message": "m2"}}
        )
    ).json()
    question = asked["question"]["id"]
    assert (await her("GET", "/v1/me/questions")).json()["questions"][0]["id"] == question
    saved = await her("POST", f"/v1/me/questions/{question}", json={"save": False})
    assert (saved.status_code, saved.json()["status"]) == (200, "skipped")
    again = await her("POST", f"/v1/me/questions/{question}", json={"save": True})
    assert (again.status_code, again.json()["status"]) == (409, "handled")


async def test_a_change_by_another_is_agreed_to_as_it_was_shown(memory, bot, her):
    object.__setattr__(memory.settings, "others_may_change", "ask")
    for user in ("123", "7"):
        await bot("PUT", "/v1/members", json={"platform": "telegram", "space": "456", "user": user, "name": f"N{user}"})
    fact = {"user_id": 123, "fact_type": "preference", "fact_key": "sport", "confidence": 0.9}
    asked = await bot.tool("remember_fact", TURN | {"user": 7}, **fact, fact_value="go")
    assert asked.json()["status"] == "awaiting_consent"
    [consent] = (await her("GET", "/v1/me/consents")).json()["consents"]
    assert (consent["asker"], consent["asked_by"]) == ("7", "N7")
    assert [change["after"] for change in consent["changes"]] == ["sport: go"]
    path = f"/v1/me/consents/{consent['id']}"
    for mark in (None, consent["mark"] ^ 1):
        unseen = (await her("POST", path, json={"agrees": True, "mark": mark})).json()
        assert (unseen["status"], unseen["mark"]) == ("confirmation_required", consent["mark"])
        assert [change["after"] for change in unseen["changes"]] == ["sport: go"]
    agreed = await her("POST", path, json={"agrees": True, "mark": consent["mark"]})
    assert (agreed.status_code, agreed.json()["status"]) == (200, "success")
    assert (await her("POST", path, json={"agrees": True})).status_code == 404


async def test_whose_requests_are_refused_is_said_and_lifted(memory, bot, her):
    object.__setattr__(memory.settings, "others_may_change", "ask")
    for user in ("123", "7"):
        await bot("PUT", "/v1/members", json={"platform": "telegram", "space": "456", "user": user})
    fact = {"user_id": 123, "fact_type": "preference", "fact_key": "sport", "fact_value": "go", "confidence": 0.9}
    statuses = []
    for muted in (True, False):
        assert (await her("PUT", "/v1/me/mutes/7", json={"muted": muted})).json() == {"status": "success"}
        assert (await her("GET", "/v1/me/mutes")).json()["muted"] == (["7"] if muted else [])
        statuses.append((await bot.tool("remember_fact", TURN | {"user": 7}, **fact)).json()["status"])
    assert statuses == ["privacy_restricted", "awaiting_consent"]
    assert (await her("PUT", "/v1/me/mutes/99", json={"muted": True})).status_code == 404
    assert (await bot("PUT", "/v1/me/mutes/7", json={"muted": True, "turn": TURN})).status_code == 403


async def test_a_context_is_built_within_its_budget(bot):
    await bot.tool("remember", content="likes green tea")
    built = (await bot("POST", "/v1/context", json={"query": "tea", "budget_tokens": 500, "turn": TURN})).json()
    assert "green tea" in built["text"]
    assert built["tokens"] <= 500
    assert [one["name"] for one in built["layers"]] == ["immediate", "recent", "relevant", "background", "episodic"]


async def test_a_person_follows_takes_back_and_opens_their_memories(bot, her):
    number = (await bot.tool("remember", content="likes tea")).json()["memory_id"]
    assert [one["action"] for one in (await her("GET", f"/v1/memories/{number}/history")).json()["events"]] == [
        "created"
    ]
    shared = await her("POST", f"/v1/memories/{number}/share", json={"everywhere": True})
    assert shared.json()["memories"][0]["everywhere"] is True
    undone = await her("POST", f"/v1/memories/{number}/undo", json={})
    assert undone.json()["memory"]["everywhere"] is False
    for verb in ("undo", "share"):
        missing = await her("POST", f"/v1/memories/999/{verb}", json={})
        assert (missing.status_code, missing.json()["status"]) == (404, "not_found")


async def test_privacy_hides_what_is_remembered_and_is_theirs_to_set(bot, her):
    await bot.tool("remember", content="likes tea")
    assert (await her("GET", "/v1/me/privacy")).json() == {"level": "minimal"}
    assert (await her("PUT", "/v1/me/privacy", json={"level": "full"})).json() == {"level": "full"}
    assert "likes tea" not in (await bot.tool("recall", query="tea")).text
    assert "likes tea" in (await her("GET", "/v1/memories")).text, "to her alone"
    assert "likes tea" in (await her("GET", "/v1/me/export")).text


async def test_an_export_is_lines_of_json(bot, her):
    await bot.tool("remember", content="likes tea")
    answer = await her("GET", "/v1/me/export")
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert [json.loads(line)["kind"] for line in answer.text.splitlines()][-1] == "end"


async def test_an_erasure_needs_the_persons_id_once_more_and_gives_a_receipt(bot, her, memory):
    await bot.tool("remember", content="likes tea")
    slip = await her("POST", "/v1/me/erase", json={"confirm": "124"})
    assert slip.status_code == 422
    assert (await her("GET", "/v1/memories")).json()["count"] == 1
    receipt = (await her("POST", "/v1/me/erase", json={"confirm": "123"})).json()
    assert receipt["counts"]["notes"] == 1
    assert (await bot("GET", "/v1/memories", headers={"zgadka-user": "123", "zgadka-direct": "true"})).json()[
        "count"
    ] == 0


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("recall", {"args": {"query": "tea"}, "turn": TURN}),
        ("recall", {"args": {"query": 7}, "turn": TURN}),
        ("recall", {"args": {}, "turn": TURN, "more": 1}),
        ("recall", {"args": {"query": "tea"}}),
        ("recall", {"args": {"query": "tea"}, "turn": TURN | {"platform": "discord"}}),
        ("recall", {"args": {"query": "\ud83d"}, "turn": TURN}),
        ("rembember", {"args": {}, "turn": TURN}),
        ("x" * 101, {"args": {}, "turn": TURN}),
        ("a/b", {"args": {}, "turn": TURN}),
        ("", {"args": {}, "turn": TURN}),
        ("recall?chat=456", {"args": {"query": "tea"}, "turn": TURN}),
        ("recall", None),
        ("recall", []),
    ],
)
async def test_a_call_is_answered_alike_by_the_short_way_and_by_the_frameworks(bot, operator, client, path, body):
    raw = b"{" if body is None else json.dumps(body).encode()
    stranger = type(bot)(client, "zgadka_1_" + "x" * 43)
    for who in (bot, operator, stranger):
        short, long = [
            await who("POST", f"/v1/tools/{path}", content=raw, headers={"content-type": f"application/json{more}"})
            for more in ("", "; charset=utf-8")
        ]
        assert (short.status_code, short.text) == (long.status_code, long.text)
        assert dict(short.headers) == dict(long.headers)


async def test_a_call_counts_once_against_the_rate_whichever_way_it_goes(memory, caller):
    memory.settings = replace(memory.settings, serve_calls_per_minute=60)
    transport = httpx.ASGITransport(build_app(memory))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        bot = await caller("service", platforms=("telegram",))
        bot.client = client
        codes = [(await bot("POST", "/v1/tools/recall", json={"more": 1})).status_code for _ in range(11)]
    assert codes == [422] * 10 + [429]


async def test_a_host_reports_members_and_takes_reminders_once(bot, caller, clock):
    body = {"platform": "telegram", "space": "456", "user": 124, "name": "Olia"}
    assert (await bot("PUT", "/v1/members", json=body)).status_code == 200
    fact = {"user_id": 124, "fact_type": "personal", "fact_key": "location", "fact_value": "Lviv", "confidence": 0.9}
    assert (await bot.tool("remember_fact", **fact)).json()["status"] == "success"
    await bot(
        "POST", "/v1/messages/observe", json={"text": "Maybe I'll move to Lviv", "turn": TURN | {"message": "m2"}}
    )
    clock.forward(hours=23)
    due = [(await bot("POST", "/v1/reminders", json={"platform": "telegram"})).json()["count"] for _ in range(2)]
    assert due == [1, 0]
    bound = await caller("service", platforms=("telegram",), spaces=("456",))
    assert (await bound("POST", "/v1/reminders", json={"platform": "telegram"})).status_code == 403
    assert (await bound("PUT", "/v1/members", json=body | {"space": "457"})).status_code == 403
    assert (await bound("PUT", "/v1/members", json=body)).status_code == 200
    assert (await bot("PUT", "/v1/members", json=body | {"left_at": "2026-01-01T00:00:00"})).status_code == 422


@pytest.mark.parametrize("spaces", [(), ("456",)])
async def test_a_token_for_one_person_reports_no_role_or_name_of_theirs(caller, memory, spaces):
    of_person = await caller("service", platforms=("telegram",), people=("123",), spaces=spaces)
    body = {"platform": "telegram", "space": "456", "user": 123, "role": "admin", "name": "Olia"}
    assert (await of_person("PUT", "/v1/members", json=body)).status_code == 403
    assert await memory.look(lambda tx: tx.owners.find("space", "telegram", "456")) is None


async def test_a_host_reports_who_reads_a_chat_and_what_was_said_there_goes_along(bot, caller):
    turn = {"platform": "telegram", "space": "456", "chat": "mods", "user": 123}
    noted = {"args": {"content": "likes zymurgy"}, "turn": turn}
    assert (await bot("POST", "/v1/tools/remember", json=noted)).json()["status"] == "success"
    body = {"platform": "telegram", "space": "456", "readers": {"mods": ["admins"]}}
    assert (await bot("PUT", "/v1/readers", json=body)).json() == {"status": "success"}
    asked = {"args": {"query": "zymurgy"}, "turn": turn | {"chat": "general"}}
    assert (await bot("POST", "/v1/tools/recall", json=asked)).json()["count"] == 0
    bound = await caller("service", platforms=("telegram",), spaces=("456",))
    assert (await bound("PUT", "/v1/readers", json=body)).status_code == 200
    assert (await bound("PUT", "/v1/readers", json=body | {"space": "457"})).status_code == 403


async def test_a_host_reports_titles_of_the_spaces_that_its_token_is_for(bot, caller, memory):
    chats = [{"chat": "456", "thread": "7", "text": "Routes"}]
    body = {"platform": "telegram", "space": "456", "title": "Hiking club", "chats": chats}
    assert (await bot("PUT", "/v1/titles", json=body)).json() == {"status": "success"}
    owner = await memory.look(lambda tx: tx.owners.find("space", "telegram", "456"))
    titles = await memory.look(lambda tx: tx.titles.list(owner))
    assert [(title.chat, title.thread, title.text) for title in titles] == [
        ("", "", "Hiking club"),
        ("456", "7", "Routes"),
    ]
    bound = await caller("service", platforms=("telegram",), spaces=("456",))
    assert (await bound("PUT", "/v1/titles", json=body | {"title": ""})).status_code == 200
    assert (await bound("PUT", "/v1/titles", json=body | {"space": "457"})).status_code == 403
    of_person = await caller("service", platforms=("telegram",), people=("123",))
    assert (await of_person("PUT", "/v1/titles", json=body)).status_code == 403


async def test_a_call_with_a_key_is_answered_the_same_to_the_letter(bot):
    ask = {"json": {"args": {"content": "likes green tea"}, "turn": TURN}, "headers": {"idempotency-key": "k"}}
    first, again = [await bot("POST", "/v1/tools/remember", **ask) for _ in range(2)]
    assert first.json() == again.json()
    assert "green" in again.json()["message"]


@pytest.mark.parametrize("wish", ["forgets", "unshares"])
async def test_a_call_with_a_key_that_comes_again_tells_nothing_that_is_not_to_be_told_by_now(bot, wish):
    private = TURN | {"direct": True, "chat": "123"}
    ask = {"json": {"args": {"content": "likes green tea"}, "turn": private}, "headers": {"idempotency-key": "k"}}
    first = (await bot("POST", "/v1/tools/remember", **ask)).json()
    number = first["memory_id"]
    if wish == "unshares":
        for everywhere in (True, False):
            said = {"everywhere": everywhere, "turn": private}
            assert (await bot("POST", f"/v1/memories/{number}/share", json=said)).status_code == 200
    else:
        asked, gone = [await bot.tool("forget", private | {"turn": turn}, memory_id=number) for turn in "ab"]
        assert (asked.json()["status"], gone.json()["status"]) == ("confirmation_required", "deleted")
    again = await bot("POST", "/v1/tools/remember", **ask)
    assert again.headers["idempotency-replayed"] == "true"
    assert (again.json()["status"], again.json()["memory_id"]) == ("success", number)
    assert "green" not in again.text


async def test_a_call_with_a_key_that_comes_again_tells_nothing_of_a_chat_that_was_closed_since(bot):
    fact = {"user_id": 123, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    turn = TURN | {"space": "456"}
    await bot.tool("remember_fact", turn | {"chat": "mods"}, **fact, fact_value="Kyiv")
    ask = {"json": {"args": fact | {"fact_value": "Lviv"}, "turn": turn}, "headers": {"idempotency-key": "k"}}
    first = await bot("POST", "/v1/tools/remember_fact", **ask)
    assert (first.status_code, "Kyiv" in first.text) == (409, True)
    body = {"platform": "telegram", "space": "456", "readers": {"mods": ["admins"]}}
    assert (await bot("PUT", "/v1/readers", json=body)).status_code == 200
    again = await bot("POST", "/v1/tools/remember_fact", **ask)
    assert (again.status_code, again.json()["status"], "Kyiv" in again.text) == (409, "conflict", False)


async def test_a_call_with_a_key_that_comes_again_tells_no_fact_that_is_outdated_since(bot):
    fact = {"user_id": 123, "fact_type": "personal", "fact_key": "location"}
    args = fact | {"fact_value": "Kyiv", "confidence": 0.9}
    ask = {"json": {"args": args, "turn": TURN}, "headers": {"idempotency-key": "k"}}
    first = await bot("POST", "/v1/tools/remember_fact", **ask)
    assert (first.json()["status"], "Kyiv" in first.text) == ("success", True)
    assert (await bot.tool("forget_fact", **fact, reason="outdated")).json()["status"] == "success"
    again = await bot("POST", "/v1/tools/remember_fact", **ask)
    assert (again.json()["status"], "Kyiv" in again.text) == ("success", False)


async def test_a_request_with_a_key_is_done_once_and_answered_the_same(bot, her):
    key = {"idempotency-key": "abc"}
    message = {"text": "hello", "turn": TURN}
    first, again = [await bot("POST", "/v1/messages", json=message, headers=key) for _ in range(2)]
    assert first.json() == again.json()
    assert ("idempotency-replayed" in first.headers, again.headers["idempotency-replayed"]) == (False, "true")
    assert (await bot("GET", "/v1/messages", headers=HERE)).json()["count"] == 1
    other = await bot("POST", "/v1/messages", json=message | {"text": "bye"}, headers=key)
    assert other.status_code == 422
    elsewhere = await bot("POST", "/v1/tools/recall", json=message, headers=key)
    assert elsewhere.status_code == 422
    assert (await her("PUT", "/v1/me/privacy", json={"level": "partial"}, headers=key)).status_code == 200
    for wrong in ("", "a b", "x" * 256, "ключ".encode()):
        assert (await bot("POST", "/v1/messages", json=message, headers={"idempotency-key": wrong})).status_code == 400


async def test_of_two_at_once_with_one_key_one_is_done(bot, memory, monkeypatch):
    real, go = memory.record, asyncio.Event()

    async def slow(*given, **more):
        await go.wait()
        return await real(*given, **more)

    monkeypatch.setattr(memory, "record", slow)
    ask = lambda: bot("POST", "/v1/messages", json={"text": "hello", "turn": TURN}, headers={"idempotency-key": "k"})  # noqa: E731
    both = {asyncio.create_task(ask()) for _ in range(2)}
    done, waiting = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    second = done.pop().result()
    assert second.status_code == 409
    go.set()
    assert (await waiting.pop()).status_code == 200
    assert second.headers["content-type"] == "application/problem+json"


async def test_a_request_that_takes_long_is_nobody_elses_until_it_is_answered(bot, memory, clock, monkeypatch):
    monkeypatch.setattr(idempotency, "BEAT_SECONDS", 0.01)
    apply, record, go, beats = memory.apply, memory.record, asyncio.Event(), 0

    async def counting(operation, *given):
        nonlocal beats
        result = await apply(operation, *given)
        beats += operation is answers.go_on
        return result

    async def until(count):
        while beats < count:  # noqa: ASYNC110  (the beat is nobody's event)
            await asyncio.sleep(0.005)

    async def slow(*given, **more):
        await go.wait()
        return await record(*given, **more)

    monkeypatch.setattr(memory, "apply", counting)
    monkeypatch.setattr(memory, "record", slow)
    ask = lambda: bot("POST", "/v1/messages", json={"text": "hello", "turn": TURN}, headers={"idempotency-key": "k"})  # noqa: E731
    first = asyncio.create_task(ask())
    for _ in range(3):
        await until(beats + 2)  # the second began after the clock was last set
        clock.forward(seconds=50)
    assert (await ask()).status_code == 409
    go.set()
    assert (await first).status_code == 200
    assert (await ask()).headers["idempotency-replayed"] == "true"


async def test_what_is_done_by_two_since_one_was_taken_for_dead_is_acknowledged_once(bot, memory, clock, monkeypatch):
    real, go, came = memory.record, asyncio.Event(), asyncio.Event()

    async def stuck(*given, **more):
        came.set()
        await go.wait()
        return await real(*given, **more)

    ask = lambda: bot("POST", "/v1/messages", json={"text": "hello", "turn": TURN}, headers={"idempotency-key": "k"})  # noqa: E731
    with monkeypatch.context() as slow:
        slow.setattr(memory, "record", stuck)
        first = asyncio.create_task(ask())
        await came.wait()
    clock.forward(minutes=2)
    assert (await ask()).status_code == 200
    go.set()
    assert (await first).status_code == 409


async def test_what_was_done_and_could_not_be_noted_is_not_said_to_have_failed(bot, memory, monkeypatch):
    real = memory.apply

    async def fails(operation, *given):
        if operation is answers.end:
            raise StoreBusy("x")
        return await real(operation, *given)

    monkeypatch.setattr(memory, "apply", fails)
    ask = {"json": {"text": "hello", "turn": TURN}, "headers": {"idempotency-key": "k"}}
    told = await bot("POST", "/v1/messages", **ask)
    assert (told.status_code, "look before" in told.json()["detail"]) == (500, True)
    assert (await bot("POST", "/v1/messages", **ask)).status_code == 409


@pytest.mark.parametrize(
    ("error", "code", "again"),
    [
        (StoreBusy("x"), 503, 200),
        (StoreUnavailable("x"), 503, 200),
        (StoreUncertain("x"), 500, 409),
        (KeyError("x"), 500, 200),
    ],
)
async def test_a_failure_is_told_without_what_is_inside_and_can_be_repeated_unless_it_is_uncertain(
    bot, memory, monkeypatch, error, code, again
):
    async def fails(*_, **__):
        raise error

    ask = {"json": {"text": "hello", "turn": TURN}, "headers": {"idempotency-key": "k"}}
    with monkeypatch.context() as broken:
        broken.setattr(memory, "record", fails)
        failed = await bot("POST", "/v1/messages", **ask)
    assert failed.status_code == code
    assert failed.headers["content-type"] == "application/problem+json"
    assert failed.json().keys() == {"type", "title", "status", "detail"}
    assert type(error).__name__ not in failed.text
    assert (await bot("POST", "/v1/messages", **ask)).status_code == again


async def test_a_call_of_which_nobody_knows_what_became_is_not_made_again(bot, memory, monkeypatch):
    run = memory._calls._run

    async def lost(*given, **named):
        await run(*given, **named)
        raise StoreUncertain("x")

    fact = {"user_id": 123, "fact_type": "personal", "fact_key": "job", "fact_value": "cook", "confidence": 0.9}
    ask = {"json": {"args": fact, "turn": TURN}, "headers": {"idempotency-key": "k"}}
    with monkeypatch.context() as broken:
        broken.setattr(memory._calls, "_run", lost)
        told = await bot("POST", "/v1/tools/remember_fact", **ask)
    assert (told.status_code, told.json()["status"], told.json()["may_be_done"]) == (500, "error", True)
    assert "retry-after" not in told.headers, "that would have clients repeat it"
    assert (await bot("POST", "/v1/tools/remember_fact", **ask)).status_code == 409


@pytest.mark.parametrize("spaces", [(), ("456",)])
async def test_once_somebody_raised_their_level_a_repeated_change_tells_nothing_of_them(bot, caller, spaces):
    fact = {"user_id": 123, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    await bot("POST", "/v1/messages", json={"text": "hello", "turn": TURN})
    await bot.tool("remember_fact", **fact, fact_value="Zhmerynka")
    other = {"platform": "telegram", "space": "456", "chat": "456", "user": 7, "turn": "b"}
    ask = {"json": {"args": fact | {"fact_value": "Odesa"}, "turn": other}, "headers": {"idempotency-key": "k"}}
    assert "Zhmerynka" in (await bot("POST", "/v1/tools/remember_fact", **ask)).text
    raising = await caller("service", platforms=("telegram",), spaces=spaces)
    raised = {"level": "partial", "turn": {"platform": "telegram", "space": "456", "chat": "456", "user": 123}}
    assert (await raising("PUT", "/v1/me/privacy", json=raised)).status_code == 200
    again = await bot("POST", "/v1/tools/remember_fact", **ask)
    assert again.status_code == 409
    assert "Zhmerynka" not in again.text


async def test_after_an_erasure_a_repeated_request_is_told_that_it_was_done(bot):
    ask = {"json": {"args": {"content": "likes tea"}, "turn": TURN}, "headers": {"idempotency-key": "k"}}
    await bot("POST", "/v1/tools/remember", **ask)
    await bot("POST", "/v1/me/erase", json={"confirm": "123", "turn": ALONE})
    again = await bot("POST", "/v1/tools/remember", **ask)
    assert again.status_code == 409
    assert "erasure" in again.json()["detail"]


async def test_an_operator_keeps_the_store_going_without_reading(operator, bot):
    await bot.tool("remember", content="likes tea")
    assert (await operator("GET", "/v1/stats")).json()["notes"] == 1
    assert (await operator("POST", "/v1/tidy")).json() == {"texts": 0, "messages": 0}
    assert (await operator("GET", "/v1/tasks")).json() == {"count": 0, "tasks": []}
    assert (await operator("POST", "/v1/tasks/run")).json() == {"begun": 0}
    assert (await operator("POST", "/v1/tasks/retry")).json() == {"retried": 0}
    assert (await operator("POST", "/v1/tasks/7/retry")).status_code == 404
    assert (await operator("DELETE", "/v1/tasks/7")).status_code == 404
    for path in ("/v1/inventory", "/v1/export", "/v1/backup", "/v1/inventory/1/history"):
        assert (await operator("GET", path)).status_code == 403
    for method, path in (("POST", "/v1/import"), ("POST", "/v1/inventory/1/undo")):
        assert (await operator(method, path)).status_code == 403


async def test_an_operator_who_may_read_sees_and_carries_everything(reader, bot, memory):
    number = (await bot.tool("remember", content="likes tea")).json()["memory_id"]
    listed = (await reader("GET", "/v1/inventory?platform=telegram&person=123")).json()
    assert [one["content"] for one in listed["memories"]] == ["likes tea"]
    assert (await reader("GET", "/v1/inventory?person=124")).json()["total"] == 0
    assert (await reader("GET", f"/v1/inventory/{number}/history")).json()["count"] == 1
    exported = (await reader("GET", "/v1/export")).content
    assert (await reader("POST", "/v1/import?dry_run=true", content=exported)).json()["added"] == {}
    assert (await reader("POST", "/v1/import", content=b"nonsense")).status_code == 422
    assert (await reader("POST", f"/v1/inventory/{number}/undo")).json()["status"] == "success"
    lines = [(line.action, line.reason) for line in await memory.look(operator_trail)]
    assert ("undone", f"/v1/inventory/{number}/undo") in lines
    assert [action for action, reason in lines if reason.endswith("undo")] == ["undone"]


async def test_an_operator_chooses_the_arm_of_a_chat(reader, bot):
    await bot("POST", "/v1/messages", json={"text": "hello", "turn": TURN})
    named = {"platform": "telegram", "chat": "456", "arm": "automated"}
    assert (await reader("POST", "/v1/rollout/chats", json=named)).json() == {"chats": 1}
    chosen = named | {"space": "456"}
    now = (await reader("GET", "/v1/rollout")).json()
    assert now == {"enabled": True, "rollout": "all", "fallback": True, "began_at": None, "chats": [chosen]}
    seen = await bot("POST", "/v1/messages/observe", json={"text": "I live in Kyiv", "turn": TURN})
    assert (seen.json()["later"], seen.json()["stored"]) == (True, [])
    assert (await reader("POST", "/v1/rollout/chats", json=chosen | {"arm": None})).json() == {"chats": 1}
    assert (await reader("GET", "/v1/rollout")).json()["chats"] == []
    hers = named | {"chat": "124", "user": "124"}
    assert (await reader("POST", "/v1/rollout/chats", json=hers | {"user": 124})).json() == {"chats": 1}
    assert (await reader("GET", "/v1/rollout")).json()["chats"] == [hers]
    for wrong in ({"chat": "unseen"}, {"arm": "both"}, {"space": "456", "user": 124}, {"direct": True}):
        assert (await reader("POST", "/v1/rollout/chats", json=named | wrong)).status_code == 422


async def test_what_has_no_file_is_not_backed_up(reader):
    refused = await reader("GET", "/v1/backup")
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")


async def test_a_backup_is_a_whole_database(clock, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    async with open_memory(f"sqlite:///{tmp_path / 'memory.db'}", settings=Settings(), clock=clock) as memory:
        turn = Turn(platform="telegram", space="456", chat="456", user=123)
        await memory.remember(turn=turn, content="likes tea")
        _, token = await memory.apply(add_token, Grant(token=0, role="operator", reads=True))
        transport = httpx.ASGITransport(build_app(memory))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            answer = await client.get("/v1/backup", headers={"authorization": f"Bearer {token}"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/vnd.sqlite3")
    copy = tmp_path / "copy.db"
    copy.write_bytes(answer.content)
    async with open_memory(f"sqlite:///{copy}", settings=Settings(), clock=clock) as restored:
        assert (await restored.recall(turn=turn, query="tea"))["count"] == 1
        assert restored.inspect()["integrity"] == "ok"
    assert list((tmp_path / "temporary").iterdir()) == []


async def test_health_asks_for_no_token_and_metrics_ask_for_an_operators(client, operator, bot, memory, monkeypatch):
    assert (await client.get("/health/live")).json() == {"status": "live"}
    assert (await client.get("/health/ready")).json() == {"status": "ready"}
    assert (await client.get("/metrics")).status_code == 401
    assert (await bot("GET", "/metrics")).status_code == 403
    page = (await operator("GET", "/metrics")).text
    assert "memory_queue_depth 0.0" in page
    assert 'route="/health/live"' in page

    async def fails(*_):
        raise StoreUnavailable("the disk is at /secret")

    monkeypatch.setattr(memory, "look", fails)
    broken = await client.get("/health/ready")
    assert broken.status_code == 503
    assert "secret" not in broken.text


async def test_a_request_without_turn_id_and_text_confirms_no_deletion(bot):
    number = (await bot.tool("remember", content="likes green tea")).json()["memory_id"]
    asking = {"tool": "forget", "args": {"memory_id": number}}
    for _ in range(3):
        assert (await bot.tool("forget", memory_id=number)).json()["status"] == "confirmation_required"
        batch = (await bot("POST", "/v1/calls", json={"calls": [asking, asking], "turn": TURN})).json()["results"]
        assert [one["status"] for one in batch] == ["confirmation_required"] * 2
    by_text = await bot.tool("forget", TURN | {"turn": "m2", "text": "what?"}, memory_id=number)
    assert by_text.json()["status"] == "confirmation_required"
    agreed = await bot.tool("forget", TURN | {"turn": "m3", "text": "yes"}, memory_id=number)
    assert agreed.json()["status"] == "deleted"
