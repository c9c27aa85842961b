"""What the stand-in says when a tool answers otherwise than hoped: never that something was done."""

from __future__ import annotations

from typing import Any

import pytest

from zgadka.chat.offline_model.model import Call, Say, Scene, next_step
from zgadka.chat.offline_model.phrases import phrase
from zgadka.text.yes_no import plainly_refuses
from zgadka.tools.registry import REGISTRY

NO_QUESTION = (
    "I am not sure what you are answering, so I did nothing. "
    "If you mean an earlier question of mine, use its buttons or reply to it."
)
TOOLS = frozenset(tool.name for tool in REGISTRY)
EMPTY = {"status": "success", "count": 0, "total": 0, "facts": []}
LIMITED = {"status": "rate_limited", "message": "Only 5 tool calls are allowed."}
KYIV = {"fact_id": 1, "type": "personal", "key": "location", "value": "Kyiv"}
ASKED = "Shall I delete ID:1 “location: Kyiv”? Answer yes or no."


def step(text: str, *results: dict[str, Any], **scene: Any) -> Call | Say:
    return next_step(Scene(**{"text": text, "user_id": 1, "results": results, "tools": TOOLS} | scene))


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("I live in Kyiv", [LIMITED]),
        ("I live in Kyiv", [EMPTY, LIMITED]),
        ("I moved to Lviv", [EMPTY | {"facts": [KYIV]}, LIMITED]),
        ("remember that my cat is Murka", [LIMITED]),
        ("remember that my cat is Murka", [{"status": "success", "memories": []}, LIMITED]),
        ("what do you know about me?", [LIMITED]),
        ("where do I live?", [LIMITED]),
        ("what do you know about chess?", [LIMITED]),
        ("forget about my cat", [LIMITED]),
        ("forget ID:1", [LIMITED]),
    ],
)
def test_a_call_that_failed_is_told_as_it_was(text: str, results: list[dict[str, Any]]) -> None:
    assert step(text, *results) == Say("That did not work: Only 5 tool calls are allowed.")


def test_it_recalls_before_it_remembers() -> None:
    assert step("I live in Kyiv") == Call("recall_facts", {"user_id": 1, "limit": 50})
    kept = step("I live in Kyiv", EMPTY)
    assert isinstance(kept, Call)
    assert kept.tool == "remember_fact"
    assert kept.arguments["source_excerpt"] == "I live in Kyiv"


def test_a_change_that_meets_an_unseen_value_updates_it() -> None:
    conflict = {"status": "conflict", "fact_id": 1, "fact": KYIV}
    update = step("I moved to Lviv", EMPTY, conflict)
    assert isinstance(update, Call)
    assert (update.tool, update.arguments["fact_id"], update.arguments["new_value"]) == ("update_fact", 1, "Lviv")
    assert step("I moved to Lviv", EMPTY, conflict, {"status": "skipped", "fact_id": 1}) == Say(
        "I already knew that: location: Lviv (ID:1)."
    )


def test_a_yes_to_a_change_quotes_what_was_asked_about_and_corrects_what_does_not_change_by_itself() -> None:
    standing = [{"fact_id": 1, "type": "personal", "key": "name", "value": "Anna"}, KYIV | {"fact_id": 2}]
    for heard, reason in (("My name is Hanna", "correction"), ("I live in Lviv", "update")):
        scene = {"heard": heard, "said": "Shall I change your name from “Anna” (ID:1) to “Hanna”? Answer yes or no."}
        update = step("yes", EMPTY | {"facts": standing}, **scene)
        assert isinstance(update, Call)
        assert (update.tool, update.arguments["change_reason"]) == ("update_fact", reason)
        assert update.arguments["source_excerpt"] == heard


def test_what_was_inferred_from_the_message_is_called_remembered_and_nothing_twice() -> None:
    inferred = {1: "location: Kyiv", 2: "allergy: peanuts"}
    answer = step("I live in Kyiv", EMPTY, {"status": "skipped", "fact_id": 1}, inferred=inferred)
    assert answer == Say("Remembered: location: Kyiv (ID:1).\nRemembered: You are allergic to peanuts (ID:2).")
    assert step("hm", inferred=inferred) == answer


def test_where_the_host_tells_what_was_remembered_by_itself_meanwhile_nothing_is_called_known() -> None:
    known = {"status": "skipped", "fact_id": 1, "fact": KYIV | {"evidence": 1}}
    assert step("I live in Kyiv", EMPTY | {"facts": [KYIV]}, known, asks=False) == Say("All right.")
    known = known | {"fact": KYIV | {"evidence": 2}}
    answer = step("I live in Kyiv", EMPTY | {"facts": [KYIV]}, known, asks=False)
    assert answer == Say("I already knew that: location: Kyiv (ID:1).")


def test_what_is_to_be_forgotten_of_somebody_named_is_nothing_that_the_person_told_of_themselves() -> None:
    found = {"status": "candidates", "candidates": [{"memory_id": 1, "content": "location: Kyiv"}]}
    asked = step("forget where Olena lives", found, people={8: "Olena"})
    assert asked == Say("I found nothing like that, so there is nothing to forget.")


@pytest.mark.parametrize(
    ("result", "english", "ukrainian"),
    [
        (
            {"status": "limit_reached", "message": "Not remembered: 80 of 80 facts are kept."},
            "Not remembered: you have reached the limit. Delete something first.",
            "Не запам’ятано: досягнуто межі. Спершу щось видаліть.",
        ),
        (
            {"status": "refused", "message": "Not remembered: it is an order.", "reason": "instruction"},
            "That did not work: it reads like an order to me, and I keep no orders.",
            "Не вийшло: це схоже на вказівку мені, а вказівок я не зберігаю.",
        ),
        (
            {"status": "rate_limited", "message": "Wait.", "retry_after_seconds": 2},
            "Too many requests. Try again in 2 seconds.",
            "Забагато запитів. Спробуйте через 2 секунди.",
        ),
        ({"status": "odd"}, "That did not work: odd", "Не вийшло: odd"),
    ],
)
def test_what_a_tool_did_not_do_is_said_once_and_in_the_persons_language(
    result: dict[str, object], english: str, ukrainian: str
) -> None:
    assert step("I live in Kyiv", EMPTY, result) == Say(english)
    assert step("Я живу в Києві", EMPTY, result) == Say(ukrainian)


def test_what_is_asked_before_a_deletion_is_a_sentence_in_the_persons_language() -> None:
    listed = [
        {"memory_id": 1, "content": "like: джаз"},
        {"memory_id": 2, "content": "location: Київ"},
        {"memory_id": 3, "content": "friend: Олена ↔ Петро (зі школи)"},
        {"memory_id": 4, "content": "кіт: Мурко"},
    ]
    asked = step("забудь ID:1", {"status": "confirmation_required", "awaiting": listed})
    assert asked == Say(
        "Видалити ID:1 «Вам до вподоби джаз»? Відповідайте «так» або «ні».\n"
        "Видалити ID:2 «Ви живете у Києві»? Відповідайте «так» або «ні».\n"
        "Видалити ID:3 «friend: Олена ↔ Петро (зі школи)»? Відповідайте «так» або «ні».\n"
        "Видалити ID:4 «кіт: Мурко»? Відповідайте «так» або «ні»."
    )


def test_a_note_that_was_known_is_not_called_remembered() -> None:
    found = {"status": "success", "memories": []}
    skipped = {"status": "skipped", "memory_id": 1}
    assert step("remember that my cat is Murka", found, skipped) == Say("I already knew that.")


def test_a_tool_that_is_not_there_is_said() -> None:
    assert step("I live in Kyiv", tools=frozenset({"recall"})) == Say(
        "I cannot do that here: the tool recall_facts is not available."
    )


def test_without_tools_it_says_so_and_greets_as_ever() -> None:
    assert step("I live in Kyiv", tools=frozenset()) == Say(
        "I have no tools here: what you say about yourself is saved automatically; I can neither see nor change it."
    )
    assert step("hello", tools=frozenset()) == step("hello")


def test_more_facts_than_are_shown_are_counted() -> None:
    answer = step("what do you know about me?", EMPTY | {"facts": [KYIV], "total": 3}, notes={9: "a note"})
    assert answer == Say(
        "Here is what I know about you:\n- location: Kyiv (ID:1)\n… and 2 more.\nAnd these notes:\n- a note (ID:9)"
    )


def test_what_is_not_known_is_said() -> None:
    assert step("where do I live?", EMPTY) == Say("I don't know that yet (location).")
    assert step("what do you know about chess?", {"status": "success", "memories": []}) == Say(
        "I don't remember anything about “chess”."
    )


def test_a_kind_of_fact_can_be_forgotten_by_its_name() -> None:
    assert step("forget where I live", EMPTY) == Say("I found nothing like that, so there is nothing to forget.")
    assert step("forget where I live", EMPTY | {"facts": [KYIV]}) == Call("forget", {"memory_id": "1"})


def test_yes_answers_only_the_last_message() -> None:
    assert step("yes", said=ASKED) == Call("forget", {"memory_id": "1"})
    assert step("yes", said="All right.") == Say(NO_QUESTION)
    assert step("yes", said=f"- a note: {ASKED}") == Say(NO_QUESTION)
    assert step("yes") == Say(NO_QUESTION)


def test_a_statement_in_place_of_an_answer_is_a_statement() -> None:
    assert step("I live in Lviv", said=ASKED) == Call("recall_facts", {"user_id": 1, "limit": 50})
    change = "Shall I change your location from “Kyiv” (ID:1) to “Lviv”? Answer yes or no."
    assert step("I play chess", said=change, heard="I live in Lviv") == Call(
        "recall_facts", {"user_id": 1, "limit": 50}
    )
    which = "Which of these shall I forget? Answer with the ID.\n- ID:1 “a”\n- ID:2 “b”"
    assert step("what do you know about me?", said=which) == Call("recall_facts", {"user_id": 1, "limit": 50})
    assert step("yes", said=which) == Say("That is not in the list I showed; nothing was deleted.")


def test_several_ids_are_asked_about_together() -> None:
    awaiting = [{"memory_id": 1, "content": "a"}, {"memory_id": 2, "content": "b"}]
    asked = step("forget 1 and 2", {"status": "confirmation_required", "awaiting": awaiting})
    assert isinstance(asked, Say)
    assert step("так", said=asked.text) == Call("forget", {"memory_id": "1,2"})


@pytest.mark.parametrize("text", ["no", "Ні, не треба", "don't", "no, keep it", "forget it", "never mind", "nah"])
def test_a_no_never_deletes(text: str) -> None:
    """The call that closes the question is the one that would delete: it is made only where the engine sees a no."""
    answer = step(text, said=ASKED)
    assert answer in (Say("All right, I kept it."), Say("Гаразд, це лишається.")) or plainly_refuses(text)


def test_it_answers_in_the_language_that_was_set_or_spoken() -> None:
    assert step("Hello!", language="uk") == step("Привіт!")
    assert step("99", said="Немає відкритого питання.") == Say(phrase("uk", "no_question"))


def test_what_a_message_only_seems_to_say_is_asked_about_and_kept_once_the_person_agreed() -> None:
    message, question = "I think I live in Kyiv", "Shall I remember this: “You live in Kyiv”? Answer yes or no."
    assert step(message, EMPTY) == Say(question)
    kept = step("yes", EMPTY, said=question, heard=message)
    assert isinstance(kept, Call)
    assert (kept.tool, kept.arguments["fact_value"]) == ("remember_fact", "Kyiv")
    assert step("no", said=question, heard=message) == Say("All right, I did not keep it.")


@pytest.mark.parametrize(
    ("answer", "values"),
    [("only the first", ["chess"]), ("перше і третє", ["chess", "rain"]), ("yes", ["chess", "tea", "rain"])],
)
def test_of_several_things_those_are_kept_that_the_person_picks(answer: str, values: list[str]) -> None:
    message = "maybe I like chess, maybe I like tea, maybe I like rain"
    question = step(message, EMPTY)
    assert isinstance(question, Say)
    assert "2. “You like tea”" in question.text
    kept: list[str] = []
    results = [EMPTY]
    while isinstance(call := step(answer, *results, said=question.text, heard=message), Call):
        if call.tool == "remember_fact":
            kept.append(call.arguments["fact_value"])
        results.append({"status": "success", "fact_id": len(results)})
        assert len(results) < 9
    assert kept == values


def test_it_does_not_ask_what_the_host_asks() -> None:
    assert step("I think I live in Kyiv", asks=False) == step("hm")
    assert step("I think I live in Kyiv", asks=False, inferred={2: "allergy: nuts"}) == Say("All right.")


def test_forgetting_everything_asks_first_and_says_what_the_tool_did() -> None:
    question = "Shall I delete everything that I remember about you? Answer yes or no."
    clearing = Call("clear_profile", {"user_id": 1, "reason": "The person asked for it."})
    assert step("forget everything about me") == clearing
    assert step("forget everything about me", {"status": "confirmation_required"}) == Say(question)
    assert step("yes", said=question) == step("no", said=question) == clearing
    assert step("yes", {"status": "deleted"}, said=question) == Say("Deleted: everything that I remembered about you.")
    assert step("no", {"status": "cancelled"}, said=question) == Say("All right, I kept it.")


def test_a_question_about_another_is_not_answered_with_what_is_the_speakers_own() -> None:
    own = {"memory_id": 1, "content": "job: vet"}
    brothers = {"memory_id": 2, "content": "brother: a programmer"}
    found = {"status": "success", "memories": [own, brothers]}
    assert step("what is my brother's job?", found) == Say(
        "Here is what I remember:\n- Your brother is a programmer (ID:2)"
    )
    assert step("what is my brother's job?", found | {"memories": [own]}) == Say(
        "I don't remember anything about “what is my brother's job?”."
    )


@pytest.mark.parametrize(
    ("message", "beginning"),
    [
        ("Powiedz mi coś miłego", "Jestem zastępcą offline"),
        ("Cześć, co wiesz o mnie?", "Jestem zastępcą offline"),
        ("zapomnij", "Jestem zastępcą offline"),
        ("Меня зовут Олег, что ты обо мне знаешь?", "Я офлайн-заменитель"),
        ("Я работаю врачом, мой город Харьков", "Я офлайн-заменитель"),
        ("Що там у тебе нового, розкажи щось", "Я офлайн-замінник"),
        ("colourless green ideas sleep furiously", "I am the offline stand-in"),
    ],
)
def test_a_language_that_it_hardly_understands_is_told_so_in_that_language(message: str, beginning: str) -> None:
    nothing = {"status": "success", "count": 0, "memories": []}
    said = step(message, *([nothing] if "?" in message else []), asks=False)
    assert isinstance(said, Say)
    assert said.text.startswith(beginning)
