"""Seed 004: create and update long-term notes, over every back end."""

from __future__ import annotations

from typing import Any

import pytest

from zgadka import Member, ToolResult
from zgadka.model.privacy import PrivacyLevel

pytestmark = pytest.mark.asyncio

UPDATE = "memory_update_failed_"
CREATE = "memory_create_failed_"


async def create(person: Any, content: Any, target: str | None = None, **more: Any) -> ToolResult:
    """Call `create_long_term_memory`; a target makes it personal."""
    scope = "server_wide" if target is None else "target_user"
    arguments = {"memory_content": content, "scope": scope} | ({} if target is None else {"target_user": target})
    return await person.call("create_long_term_memory", **arguments | more)


async def update(person: Any, memory_id: Any, content: Any, target: str | None = None, **more: Any) -> ToolResult:
    """Call `update_long_term_memory`; a target names the owner of a personal note."""
    arguments = {"memory_id": memory_id, "memory_content": content}
    return await person.call(
        "update_long_term_memory", **arguments | ({} if target is None else {"target_user": target}) | more
    )


async def created(person: Any, content: str, target: str | None = None) -> int:
    result = await create(person, content, target)
    assert result.status == "memory_created_successfully", result
    return result["memory_id"]


async def meet(memory: Any, user: str = "7", name: str | None = "Olena", **more: Any) -> None:
    """Let the host report a member of the space 456."""
    given = {"user": user, "number": int(user) if user.isdigit() else 99, "name": name} | more
    await memory.report_member("telegram", "456", Member(**given))


async def all_notes(memory: Any) -> list[tuple[int, str]]:
    """Id and text of every live note in the store, whoever owns it."""

    def read(tx: Any) -> list[tuple[int, str]]:
        found = [memory for owner in tx.owners.list() for memory in tx.memories.list_all(owner.id)]
        return sorted((one.id, one.content) for one in found if one.kind == "note" and not one.archived)

    return await memory.look(read)


# The ten statuses of the paper


async def test_memory_updated_successfully(person):
    note = await created(person, "Game night is on Friday")
    result = await update(person, note, "Game night is on Saturday")
    assert (result.status, result["memory_id"]) == ("memory_updated_successfully", note)
    assert (result["content"], result["old_content"]) == ("Game night is on Saturday", "Game night is on Friday")


async def test_memory_deleted_successfully(person):
    note = await created(person, "Game night is on Friday")
    result = await update(person, note, "")
    assert (result.status, result["deleted_content"]) == ("memory_deleted_successfully", "Game night is on Friday")


@pytest.mark.parametrize("content", ["something else", ""])
@pytest.mark.parametrize("target", [None, "123"])
async def test_memory_update_failed_not_found(person, content, target):
    assert (await update(person, 4711, content, target)).status == UPDATE + "not_found"


@pytest.mark.parametrize("content", ["something else", ""])
async def test_memory_update_failed_disabled(make_person, open_store, content):
    person = make_person(await open_store(self_teaching_enabled=False))
    assert (await update(person, 1, content)).status == UPDATE + "disabled"
    assert (await create(person, "Game night is on Friday")).status == CREATE + "disabled"
    assert await all_notes(person.memory) == []


@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_memory_update_failed_privacy_restricted(person, people, memory, level):
    await meet(memory)
    note = await created(person, "Olena plays chess", "Olena")
    await memory.set_privacy(level, people(7).turn())
    assert (await update(person, note, "Olena plays go", "Olena")).status == UPDATE + "privacy_restricted"
    assert (await create(person, "Olena plays go", "Olena")).status == CREATE + "privacy_restricted"
    assert await all_notes(memory) == [(note, "Olena plays chess")]


async def test_nothing_is_kept_that_somebody_invisible_says_of_another(person, people, memory):
    await meet(memory)
    note = await created(people(7), "Plays chess", "7")
    await memory.set_privacy(PrivacyLevel.FULL, person.turn())
    assert (await create(person, "Olena plays go", "Olena")).status == CREATE + "privacy_restricted"
    assert (await update(person, note, "Olena plays go", "Olena")).status == UPDATE + "privacy_restricted"
    assert await all_notes(memory) == [(note, "Plays chess")]


async def test_who_writes_a_note_of_the_space_is_known_there(person, people):
    await people(7).speaks()
    assert (await people(7).call("recall_facts", user_id=123)).status == "invalid_target"
    await created(person, "Game night is on Friday")
    assert (await people(7).call("recall_facts", user_id=123)).status == "success"
    note = await created(people(7), "Game night is on Monday")
    await update(people(8), note, "Game night is on Tuesday")
    assert (await people(7).call("recall_facts", user_id=8)).status == "success"


async def test_memory_update_failed_invalid_scope_for_a_bridge_user(person, memory):
    await meet(memory, kind="bridge")
    for content in ("something", ""):
        assert (await update(person, 1, content, "Olena")).status == UPDATE + "invalid_scope"


async def test_memory_update_failed_invalid_scope_for_somebody_who_left(person, memory, clock):
    await meet(memory)
    note = await created(person, "Olena plays chess", "Olena")
    await meet(memory, left_at=clock())
    assert (await update(person, note, "Olena plays go", "Olena")).status == UPDATE + "invalid_scope"
    assert (await create(person, "Olena plays go", "Olena")).status == CREATE + "invalid_scope"
    assert await all_notes(memory) == [(note, "Olena plays chess")]


async def test_memory_update_failed_ambiguous_user_with_three_candidates_at_most(person, memory):
    for user in range(7, 12):
        await meet(memory, str(user), "Olena")
    result = await update(person, 1, "something", "Olena")
    assert result.status == UPDATE + "ambiguous_user"
    assert result["candidates"] == [{"user_id": user, "name": "Olena"} for user in (7, 8, 9)]
    assert (await create(person, "something", "Olena")).status == CREATE + "ambiguous_user"


async def test_memory_update_failed_user_not_found(person):
    assert (await update(person, 1, "something", "Nobody")).status == UPDATE + "user_not_found"
    assert (await update(person, 1, "", "Nobody")).status == UPDATE + "user_not_found"
    assert (await create(person, "something", "Nobody")).status == CREATE + "user_not_found"


async def test_memory_update_failed_invalid_target_for_the_bot(person, memory):
    await meet(memory, "99", "Zgadka", kind="bot")
    for content in ("something", ""):
        assert (await update(person, 1, content, "Zgadka")).status == UPDATE + "invalid_target"
    assert (await create(person, "something", "Zgadka")).status == CREATE + "invalid_target"


async def test_memory_update_failed_db_error_changes_nothing(lasting_url, opening, make_person, elsewhere):
    """The table is really gone; once it is back, everything is as it was."""
    memory = await opening(lasting_url)
    person = make_person(memory)
    note = await created(person, "Game night is on Friday")
    elsewhere(lasting_url, "ALTER TABLE event RENAME TO gone")
    assert (await update(person, note, "Game night is on Saturday")).status == UPDATE + "db_error"
    deletion = await update(person, note, "")
    assert deletion.status == UPDATE + "db_error"
    assert "event" not in (deletion.message or "")
    assert (await create(person, "Another note")).status == CREATE + "db_error"
    elsewhere(lasting_url, "ALTER TABLE gone RENAME TO event")
    assert await all_notes(memory) == [(note, "Game night is on Friday")]
    assert (await update(person, note, "Game night is on Saturday")).status == "memory_updated_successfully"


# The statuses that DESIGN.md adds


@pytest.mark.parametrize("memory_id", [0, -1, 2**53, 1.5, "one", "", None, True, [1], float("inf")])
async def test_an_id_that_is_no_positive_safe_integer_is_invalid_args(person, memory_id):
    result = await update(person, memory_id, "something")
    assert result.status == UPDATE + "invalid_args"
    assert result.message


async def test_a_whole_number_as_a_float_is_an_id(person):
    """JSON has one kind of number, and providers write 24.0."""
    note = await created(person, "Game night is on Friday")
    assert (await update(person, float(note), "On Saturday")).status == "memory_updated_successfully"


@pytest.mark.parametrize("content", [None, 5, ["a"], {"a": 1}, True])
async def test_a_content_that_is_no_text_is_invalid_args_and_deletes_nothing(person, memory, content):
    note = await created(person, "Game night is on Friday")
    assert (await update(person, note, content)).status == UPDATE + "invalid_args"
    assert await all_notes(memory) == [(note, "Game night is on Friday")]


async def test_a_missing_content_is_invalid_args_and_deletes_nothing(person, memory):
    note = await created(person, "Game night is on Friday")
    result = await person.call("update_long_term_memory", memory_id=note)
    assert result.status == UPDATE + "invalid_args"
    assert len(await all_notes(memory)) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        {"scope": "target_user"},
        {"scope": "server_wide", "target_user": "Olena"},
        {"scope": "everywhere"},
        {},
        {"scope": "server_wide", "memory_id": 5},
    ],
)
async def test_a_scope_and_a_target_that_do_not_fit_are_invalid_args(person, memory, arguments):
    await meet(memory)
    result = await person.call("create_long_term_memory", memory_content="something", **arguments)
    assert result.status == CREATE + "invalid_args"
    assert await all_notes(memory) == []


async def test_a_thousand_characters_are_kept_and_one_more_is_invalid_content(person):
    note = await created(person, "a" * 1000)
    assert (await update(person, note, "b" * 1001)).status == UPDATE + "invalid_content"
    assert (await update(person, note, "b" * 1000)).status == "memory_updated_successfully"
    assert (await create(person, "c" * 1001)).status == CREATE + "invalid_content"


async def test_length_counts_after_sanitising(person):
    assert (await create(person, "{obonya}" + "a" * 994)).status == "memory_created_successfully"


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u00a0"])
async def test_a_blank_content_deletes(person, memory, blank):
    note = await created(person, "Game night is on Friday")
    assert (await update(person, note, blank)).status == "memory_deleted_successfully"
    assert await all_notes(memory) == []


async def test_a_note_that_another_tool_made_is_asked_about_first(person, memory):
    """The model had two ways to delete it, and took the one that does not ask."""
    await meet(memory, "123", "Olena")
    note = (await person.call("remember", content="takes insulin at 8"))["memory_id"]

    async def blank(text: str) -> str:
        return (await update(person, note, "", "Olena", turn=person.turn(text=text))).status

    assert await blank("what is the weather?") == UPDATE + "not_confirmed"
    assert await blank("no! do not delete that") == UPDATE + "cancelled"
    assert await all_notes(memory) == [(note, "takes insulin at 8")]
    assert await blank("delete it") == UPDATE + "not_confirmed"
    assert await blank("yes") == "memory_deleted_successfully"


async def test_whoever_refuses_just_now_loses_no_note(person, memory):
    note = await created(person, "Game night is on Friday")
    refused = await update(person, note, "", turn=person.turn(text="no! do not delete that"))
    assert refused.status == UPDATE + "not_confirmed"
    assert (await update(person, note, "", turn=person.turn(text="delete it"))).status == "memory_deleted_successfully"


@pytest.mark.parametrize("braces", ["{}", "{ }", "{{}}"])
async def test_a_content_that_only_becomes_blank_deletes_nothing(person, memory, braces):
    note = await created(person, "Game night is on Friday")
    assert (await update(person, note, braces)).status == UPDATE + "invalid_content"
    assert await all_notes(memory) == [(note, "Game night is on Friday")]
    assert (await create(person, braces)).status == CREATE + "invalid_content"


@pytest.mark.parametrize("invisible", ["\u200b", "\u2060\u200b", "\ufeff"])
async def test_an_invisible_content_neither_deletes_nor_is_kept(person, memory, invisible):
    note = await created(person, "Game night is on Friday")
    assert (await update(person, note, invisible)).status == UPDATE + "invalid_content"
    assert (await create(person, invisible)).status == CREATE + "invalid_content"
    assert await all_notes(memory) == [(note, "Game night is on Friday")]


@pytest.mark.parametrize("blank", ["", "  "])
async def test_a_note_of_nothing_is_not_created(person, memory, blank):
    assert (await create(person, blank)).status == CREATE + "invalid_content"
    assert await all_notes(memory) == []


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("{obonya} likes tea", "obonya likes tea"),
        ("{user} and {bot} and {char}", "{user} and {bot} and {char}"),
        ("{user_formatted}, {user_term}, {user_name}", "{user_formatted}, {user_term}, user_name"),
        ("{{somebody}}", "somebody"),
        ('{"a": 1}', '{"a": 1}'),
    ],
)
async def test_unknown_placeholders_lose_their_braces_and_keep_their_word(person, memory, given, kept):
    note = await created(person, given)
    other = await created(person, "something else")
    assert (await update(person, other, given + "!")).status in ("memory_updated_successfully", UPDATE + "duplicate")
    assert (note, kept) in await all_notes(memory)


async def test_a_text_that_no_database_stores_is_invalid_args(person, memory):
    note = await created(person, "Game night is on Friday")
    for bad in ("a\0b", "a\ud800b"):
        assert (await update(person, note, bad)).status == UPDATE + "invalid_args"
        assert (await create(person, bad)).status == CREATE + "invalid_args"
    assert len(await all_notes(memory)) == 1


async def test_the_text_of_another_note_is_a_duplicate_and_changes_nothing(person, memory):
    one, two = await created(person, "Game night is on Friday"), await created(person, "Bring snacks")
    result = await update(person, two, "game night is on friday!")
    assert (result.status, result["memory_id"]) == (UPDATE + "duplicate", one)
    assert await all_notes(memory) == [(one, "Game night is on Friday"), (two, "Bring snacks")]


async def test_the_same_note_again_is_skipped_as_a_duplicate_with_its_id(person, memory):
    note = await created(person, "Game night is on Friday")
    again = await create(person, "game night  is on FRIDAY")
    assert (again.status, again["memory_id"]) == ("memory_create_skipped_duplicate", note)
    assert len(await all_notes(memory)) == 1


async def test_a_note_may_be_corrected_to_another_spelling_of_itself(person, memory):
    note = await created(person, "game night is on friday")
    assert (await update(person, note, "Game night is on Friday.")).status == "memory_updated_successfully"
    assert await all_notes(memory) == [(note, "Game night is on Friday.")]


# The order of the checks


async def test_the_checks_come_in_the_order_of_the_paper(make_person, open_store, clock):
    """Each call breaks one rule and all later ones; the earliest is what it is told."""
    memory = await open_store(self_teaching_enabled=False)
    off = make_person(memory)
    assert (await update(off, 0, "x" * 1001, "Nobody")).status == UPDATE + "invalid_args"
    assert (await update(off, 1, "x" * 1001, "Nobody")).status == UPDATE + "disabled"


async def test_content_is_checked_before_the_target_is_resolved(person):
    assert (await update(person, 1, "x" * 1001, "Nobody")).status == UPDATE + "invalid_content"
    assert (await update(person, 1, "{}", "Nobody")).status == UPDATE + "invalid_content"


async def test_the_target_is_resolved_before_privacy_is_checked(person, people, memory, clock):
    await meet(memory, "7", "Olena", left_at=clock())
    await memory.set_privacy(PrivacyLevel.FULL, people(7).turn())
    assert (await update(person, 1, "x", "Nobody")).status == UPDATE + "user_not_found"
    assert (await update(person, 1, "x", "Olena")).status == UPDATE + "privacy_restricted"


async def test_presence_is_checked_before_the_note_is_looked_for(person, memory, clock):
    await meet(memory, left_at=clock())
    assert (await update(person, 4711, "x", "Olena")).status == UPDATE + "invalid_scope"


async def test_a_bridge_user_is_refused_before_the_note_is_looked_for(person, memory):
    await meet(memory, kind="bridge")
    assert (await update(person, 4711, "x", "Olena")).status == UPDATE + "invalid_scope"


# The invariants


async def test_after_an_update_the_row_the_search_and_the_context_have_the_new_text_alone(person, memory):
    note = await created(person, "Game night is on Friday")
    await update(person, note, "Reading circle on Saturday")
    assert await all_notes(memory) == [(note, "Reading circle on Saturday")]
    assert await person.found("game night friday") == []
    assert await person.found("reading circle") == ["Reading circle on Saturday"]


async def test_after_a_deletion_there_is_no_row_and_the_answer_shows_what_it_was(person, memory):
    note = await created(person, "Game night is on Friday", "123")
    result = await update(person, note, "", "123")
    assert result["deleted_content"] == "Game night is on Friday"
    assert await all_notes(memory) == []
    assert await person.found("game night friday") == []
    assert (await update(person, note, "", "123")).status == UPDATE + "not_found"
    assert (await update(person, note, "again", "123")).status == UPDATE + "not_found"


# The scope table


@pytest.mark.partitioned
async def test_without_a_target_the_note_belongs_to_the_space_and_everybody_there_finds_it(person, people):
    await created(person, "Game night is on Friday")
    assert await people(7).found("game night") == ["Game night is on Friday"]
    assert await people(7, chat="457").found("game night") == ["Game night is on Friday"]
    for elsewhere in (people(123, space="457"), people(123, direct=True), people(123, platform="discord")):
        assert await elsewhere.found("game night") == []


async def test_with_a_target_the_note_belongs_to_that_person(person, people, memory):
    await meet(memory)
    await created(person, "Plays chess", "Olena")
    assert await people(7).found("chess") == ["Plays chess"]
    assert await person.found("chess") == []


@pytest.mark.partitioned
async def test_a_note_about_a_bridge_user_becomes_one_of_the_space(person, people, memory):
    await meet(memory, kind="bridge")
    note = await created(person, "Olena plays chess", "Olena")
    assert await people(8).found("chess") == ["Olena plays chess"]
    assert (await update(person, note, "Olena plays go")).status == "memory_updated_successfully"


@pytest.mark.partitioned
async def test_personal_and_server_wide_ids_are_never_confused(person, memory):
    """Personal and server memories numbered separately but shown alike: the wrong row was changed."""
    communal, personal = await created(person, "Game night is on Friday"), await created(person, "Plays chess", "123")
    assert communal != personal
    for content in ("changed", ""):
        assert (await update(person, personal, content)).status == UPDATE + "not_found"
        assert (await update(person, communal, content, "123")).status == UPDATE + "not_found"
    assert await all_notes(memory) == [(communal, "Game night is on Friday"), (personal, "Plays chess")]


async def test_a_target_reaches_that_persons_notes_alone(person, memory):
    await meet(memory, "7", "Olena")
    await meet(memory, "8", "Petro")
    note = await created(person, "Plays chess", "Olena")
    assert (await update(person, note, "changed", "Petro")).status == UPDATE + "not_found"
    assert await all_notes(memory) == [(note, "Plays chess")]


@pytest.mark.parametrize("content", ["changed", ""])
async def test_what_is_no_note_is_not_found(person, memory, content):
    fact = (await person.fact())["fact_id"]
    assert (await update(person, fact, content, "123")).status == UPDATE + "not_found"
    assert (await update(person, fact, content)).status == UPDATE + "not_found"
    assert await person.values() == ["Kyiv"]


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("place", [{"space": "457"}, {"platform": "discord"}, {"direct": True}])
async def test_elsewhere_the_same_id_is_not_found(person, memory, place):
    notes = {None: await created(person, "Game night is on Friday"), "123": await created(person, "Chess", "123")}
    for target, note in notes.items():
        for content in ("changed", ""):
            assert (await update(person.at(**place), note, content, target)).status == UPDATE + "not_found"
    assert len(await all_notes(memory)) == 2


@pytest.mark.partitioned
async def test_a_personal_note_of_lineage_0_is_shared_by_every_persona(person, memory):
    note = await created(person, "Plays chess", "123")
    assert await person.at(persona=5).found("chess") == ["Plays chess"]
    assert (await update(person.at(persona=5), note, "Plays go", "123")).status == "memory_updated_successfully"
    again = await create(person.at(persona=6), "plays GO", "123")
    assert (again.status, again["memory_id"]) == ("memory_create_skipped_duplicate", note)


async def test_a_personal_note_of_one_persona_is_unknown_to_the_others(person, memory):
    note = await created(person.at(persona=5), "Plays chess", "123")
    for other in (person, person.at(persona=6)):
        assert await other.found("chess") == []
        for content in ("changed", ""):
            assert (await update(other, note, content, "123")).status == UPDATE + "not_found"
    assert len(await all_notes(memory)) == 1


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize(("own", "other"), [(0, 5), (5, 0), (5, 6)])
async def test_a_server_wide_note_belongs_to_its_lineage_exactly(person, memory, own, other):
    note = await created(person.at(persona=own), "Game night is on Friday")
    assert await person.at(persona=other).found("game night") == []
    for content in ("changed", ""):
        assert (await update(person.at(persona=other), note, content)).status == UPDATE + "not_found"
    assert (await create(person.at(persona=other), "Game night is on Friday"))["memory_id"] != note
    assert len(await all_notes(memory)) == 2


# Side effects


async def test_a_notice_is_sent_after_each_commit(person, memory):
    notices: list[Any] = []
    memory.subscribe(notices.append)
    note = await created(person, "Game night is on Friday")
    await update(person, note, "Game night is on Saturday")
    await update(person, note, "")
    assert [(one.what, one.memory, one.personal, one.preview) for one in notices] == [
        ("created", note, False, "Game night is on Friday"),
        ("updated", note, False, "Game night is on Saturday"),
        ("deleted", note, False, "Game night is on Saturday"),
    ]


async def test_a_failing_subscriber_changes_nothing_of_the_answer(person, memory):
    def fails(_: Any) -> None:
        raise RuntimeError("the channel is gone")

    seen: list[str] = []
    memory.subscribe(fails)
    memory.subscribe(lambda notice: seen.append(notice.what))
    note = await created(person, "Game night is on Friday")
    assert (await update(person, note, "On Saturday")).status == "memory_updated_successfully"
    assert (await update(person, note, "")).status == "memory_deleted_successfully"
    assert seen == ["created", "updated", "deleted"]


# Whom a name means


@pytest.mark.every_case
@pytest.mark.parametrize(
    "named", ["7", "Olena Petrenko", "olena petrenko", "Олена Петренко", "Lena", "ЛЕНА", "@Lena", "<@7>", "<@!7>"]
)
async def test_a_person_is_named_by_id_nickname_or_name_in_any_script(person, people, memory, named):
    await meet(memory, "7", "Olena Petrenko", nickname="Лена")
    await created(person, "Plays chess", named)
    assert await people(7).found("chess") == ["Plays chess"]


@pytest.mark.every_case
@pytest.mark.parametrize("named", ["Olen", "Olenna Petrenkova", "Petrenko", "77", "0", "-7", "%", "*", "_", "O%"])
async def test_a_part_of_a_name_or_a_pattern_names_nobody(person, memory, named):
    await meet(memory, "7", "Olena Petrenko")
    assert (await create(person, "Plays chess", named)).status == CREATE + "user_not_found"


async def test_the_speaker_is_named_by_their_own_id_without_any_report(person):
    await created(person, "Plays chess", "123")
    assert await person.found("chess") == ["Plays chess"]


@pytest.mark.partitioned
async def test_a_member_of_another_space_is_nobody_here(person, memory):
    await memory.report_member("telegram", "457", Member(user="7", number=7, name="Olena"))
    assert (await create(person, "Plays chess", "Olena")).status == CREATE + "user_not_found"


# People who left, direct chats


async def test_who_left_can_still_delete_a_note_about_them(person, people, memory, clock):
    await meet(memory)
    note = await created(person, "Olena plays chess", "Olena")
    await meet(memory, left_at=clock())
    assert (await update(people(7), note, "", "Olena")).status == "memory_deleted_successfully"
    assert await all_notes(memory) == []


@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_deletions_are_allowed_at_every_privacy_level(person, people, memory, level):
    await meet(memory)
    by_other, own = await created(person, "Olena plays chess", "Olena"), await created(people(7), "Plays go", "7")
    await memory.set_privacy(level, people(7).turn())
    for note in (by_other, own):
        assert (await update(people(7), note, "", "7")).status == "memory_deleted_successfully"
    assert await all_notes(memory) == []


@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_a_deletion_tells_no_text_that_a_read_would_not(person, people, memory, level):
    await meet(memory)
    note = await created(people(7), "Plays chess", "7")
    await memory.set_privacy(level, people(7).turn())
    result = await update(people(7), note, "", "7")
    assert (result.status, result["memory_id"]) == ("memory_deleted_successfully", note)
    assert "chess" not in result.json()


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("level", PrivacyLevel)
async def test_a_note_about_another_person_is_neither_deleted_nor_told_by_deleting(person, people, memory, level):
    """A member harvested all texts of somebody who wants no memory as `deleted_content`."""
    await meet(memory)
    note = await created(person, "Olena plays chess", "Olena")
    await memory.set_privacy(level, people(7).turn())
    for number in (note, 4711):  # whether there is such a note is not told either
        result = await update(person, number, "", "Olena")
        assert result.status == UPDATE + "not_confirmed"
        assert "chess" not in result.json()
    assert await all_notes(memory) == [(note, "Olena plays chess")]


@pytest.mark.partitioned
async def test_in_a_direct_chat_the_person_has_notes_of_their_own(person, memory):
    direct = person.at(direct=True)
    note = await created(direct, "Plays chess", "123")
    assert await direct.found("chess") == ["Plays chess"]
    assert await person.found("chess") == []
    assert (await update(direct, note, "Plays go", "123")).status == "memory_updated_successfully"
    assert (await update(direct, note, "", "123")).status == "memory_deleted_successfully"


@pytest.mark.partitioned
async def test_in_a_direct_chat_the_person_is_named_as_in_the_spaces_they_share_with_the_bot(person, memory, clock):
    """A direct chat has no list of members, but there is only one person who can be meant."""
    await meet(memory, "123", "Taras", nickname="Тарасик")
    await memory.report_member("telegram", "457", Member(user="123", number=123, name="Taras", left_at=clock()))
    for number, named in enumerate(("Taras", "тарас", "Tarasyk")):
        result = await create(person.at(direct=True), f"note number {number}", named)
        assert result.status == "memory_created_successfully", result


@pytest.mark.partitioned
async def test_in_a_direct_chat_nobody_else_is_there(person, memory):
    await meet(memory, "7", "Olena")
    result = await create(person.at(direct=True), "Olena plays chess", "Olena")
    assert result.status in (CREATE + "user_not_found", CREATE + "invalid_scope")
    assert await all_notes(memory) == []


# Limits


@pytest.mark.parametrize("target", [None, "123"])
async def test_the_hundredth_note_is_kept_and_the_next_is_refused_with_the_counts(person, memory, target):
    ids = [await created(person, f"note number {number}", target) for number in range(100)]
    over = await create(person, "one too many", target)
    assert (over.status, over["count"], over["limit"]) == (CREATE + "limit_reached", 100, 100)
    assert [one for one, _ in await all_notes(memory)] == ids
    again = await create(person, "Note number 7", target)
    assert (again.status, again["memory_id"]) == ("memory_create_skipped_duplicate", ids[7])
    assert (await update(person, ids[0], "changed at the limit", target)).status == "memory_updated_successfully"
    assert (await create(person.at(persona=5), "another persona", target)).status == "memory_created_successfully"
    assert (await update(person, ids[1], "", target)).status == "memory_deleted_successfully"
    assert (await create(person, "one too many", target)).status == "memory_created_successfully"


async def test_the_limit_is_each_owners_own(make_person, open_store):
    memory = await open_store(notes_per_owner=1)
    one, two = make_person(memory, user=1), make_person(memory, user=2)
    await created(one, "Plays chess", "1")
    await created(two, "Plays go", "2")
    await created(one, "Game night is on Friday")
    assert (await create(two, "Another of the space")).status == CREATE + "limit_reached"
    assert (await create(two.at(space="457"), "Of another space")).status == "memory_created_successfully"


async def test_of_many_notes_at_once_as_many_as_allowed_are_kept(make_person, open_store):
    import asyncio

    memory = await open_store(notes_per_owner=10)
    person = make_person(memory)
    results = await asyncio.gather(*(create(person, f"note number {number}") for number in range(30)))
    statuses = [result.status for result in results]
    assert statuses.count("memory_created_successfully") == 10
    assert statuses.count(CREATE + "limit_reached") == 20
    assert len(await all_notes(memory)) == 10


# Who may change what belongs to the space


@pytest.mark.partitioned
async def test_everyone_may_change_server_wide_notes_by_default(person, people):
    note = await created(person, "Game night is on Friday")
    assert (await update(people(7), note, "On Saturday")).status == "memory_updated_successfully"
    assert (await update(people(8), note, "")).status == "memory_deleted_successfully"


@pytest.mark.partitioned
async def test_nobody_changes_server_wide_notes_where_the_operator_says_so(make_person, open_store):
    memory = await open_store(communal_may_change="nobody")
    person = make_person(memory)
    await meet(memory, "123", "Taras", role="owner")
    assert (await create(person, "Game night is on Friday")).status == CREATE + "not_allowed"
    assert (await update(person, 1, "On Saturday")).status == UPDATE + "not_allowed"
    assert (await update(person, 1, "")).status == UPDATE + "not_allowed"
    await created(person, "Plays chess", "123")
    await created(person.at(direct=True), "This chat is about chess")


@pytest.mark.partitioned
@pytest.mark.parametrize("role", ["owner", "creator", "Admin", "administrator", "moderator"])
async def test_admins_change_server_wide_notes_where_the_operator_says_so(make_person, open_store, role):
    memory = await open_store(communal_may_change="admins")
    admin, other = make_person(memory, user=7), make_person(memory, user=8)
    await meet(memory, "7", "Olena", role=role)
    await meet(memory, "8", "Petro", role="member")
    note = await created(admin, "Game night is on Friday")
    assert (await create(other, "Another")).status == CREATE + "not_allowed"
    for content in ("On Saturday", ""):
        assert (await update(other, note, content)).status == UPDATE + "not_allowed"
    assert (await create(make_person(memory, user=9), "By a stranger")).status == CREATE + "not_allowed"
    assert (await update(admin, note, "On Saturday")).status == "memory_updated_successfully"
    assert await all_notes(memory) == [(note, "On Saturday")]


@pytest.mark.partitioned
async def test_a_role_counts_in_its_own_space_alone(make_person, open_store):
    memory = await open_store(communal_may_change="admins")
    await meet(memory, "7", "Olena", role="admin")
    assert (await create(make_person(memory, user=7, space="457"), "There")).status == CREATE + "not_allowed"


async def test_a_bridge_users_note_needs_the_same_permission(make_person, open_store):
    memory = await open_store(communal_may_change="nobody")
    await meet(memory, kind="bridge")
    assert (await create(make_person(memory), "Olena plays chess", "Olena")).status == CREATE + "not_allowed"


async def test_an_admin_who_left_is_no_admin(make_person, open_store, clock):
    memory = await open_store(communal_may_change="admins")
    await meet(memory, "7", "Olena", role="admin", left_at=clock())
    assert (await create(make_person(memory, user=7), "Game night")).status == CREATE + "not_allowed"


@pytest.mark.parametrize("place", [{}, {"direct": True}])
async def test_a_note_about_a_speaker_whom_nobody_counts_or_knows_is_kept(make_person, open_store, place):
    memory = await open_store(calls_per_hour=0, calls_per_answer=0)
    person = make_person(memory, user=4242, **place)
    result = await person.call(
        "create_long_term_memory", memory_content="likes tea", scope="target_user", target_user="4242"
    )
    assert result.status == "memory_created_successfully"
    assert await person.found("tea") == ["likes tea"]
