"""The commands by which people see, correct and delete what is remembered about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from zgadka.bots.buttons import deletion_rows, erasure_rows, list_rows, memory_number, page_row
from zgadka.bots.delivery import Delivery
from zgadka.bots.notices import Notices
from zgadka.bots.platform import Address, Command, Content, Rows
from zgadka.chat.history_view import OwnCommand, run_command, undo_last
from zgadka.chat.memory_list import Entry, entries, grouped, told
from zgadka.chat.questions import read_press
from zgadka.chat.sentences import result_in_words
from zgadka.engine import Memory
from zgadka.errors import NotAllowed, StoreError
from zgadka.locales import Language, text
from zgadka.model.limits import LONGEST_VALUE
from zgadka.model.outcome import Changed, NoAccess
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.result import ToolResult
from zgadka.model.token import Grant
from zgadka.model.turn import Turn
from zgadka.ops.fact_time import past_ids
from zgadka.ops.forget import all_deletable
from zgadka.ops.last_change import removed_with_message
from zgadka.ops.list_memories import listing, made_of_message, own_memories
from zgadka.ops.same_value import ages_now
from zgadka.ops.self_service import delete, has_left, undo
from zgadka.text.canonical import shows_nothing
from zgadka.text.sanitize import is_placeholder
from zgadka.text.typed_values import is_no_value
from zgadka.tools.core import MOST_IDS

COMMANDS = (
    *("memory", "remember", "forget", "history", "why", "undo", "share", "unshare", "mute", "unmute", "privacy"),
    "export",
    "erase",
    "help",
)
"""In the order of menus; their texts are `bots.commands`."""

_OF_MESSAGE = ("forget", "history", "why", "undo", "share", "unshare")
"""What a command without a number does to all that is remembered of the message to which it replies."""

_PAGE = 8
_LISTED = 10
_LEVELS = {level.name.lower(): level for level in PrivacyLevel}
_IDS = re.compile(r"(?:ID\s*:?\s*)?#?M?\d{1,16}(?:[\s,]+(?:ID\s*:?\s*)?#?M?\d{1,16})*", re.IGNORECASE | re.ASCII)
_ID = re.compile(r"(?:ID\s*:?\s*)?#?(\d{1,16})", re.IGNORECASE | re.ASCII)
_LINK = re.compile(r"/undo_(\d{1,16})", re.ASCII)
_ORDER = re.compile(rf"/forget(?:@\w+)?\s+({_IDS.pattern})\s*", re.IGNORECASE | re.ASCII)
_CORRECTION = re.compile(r"(?:(\d{1,3})[\s.:)]+)?(\S.*)", re.DOTALL)


@dataclass
class Commands:
    """Does what commands ask for, for the person who gives them."""

    memory: Memory
    delivery: Delivery
    notices: Notices

    async def run(self, command: Command) -> None:
        """Run a command and answer it; one that we do not know is another bot's in a group."""
        language = self.delivery.language(command.turn.user_key, command.argument.strip())
        if not command.argument.strip() and command.name in _OF_MESSAGE:
            ids = await self._ids_of_reply(command)
            if not ids and command.about is not None:
                self.delivery.reply(command, Content(text=text(language, "bots.nothing_of_message")))
                return
            command = replace(command, argument=", ".join(map(str, ids)))
        try:
            await self._run(command, language)
        except NotAllowed:
            self.delivery.reply(command, Content(text=text(language, "bots.alone", command=command.name)))

    async def _ids_of_reply(self, command: Command) -> list[int]:
        """What a command without a number is about: what was remembered of the message that it replies to.

        `/undo` is about what a message of ours says it takes back, or what was deleted of what theirs said or ordered.
        """
        if command.about is None:
            return list(map(int, _LINK.findall(command.replied_text))) if command.name == "undo" else []
        if command.name == "undo":
            order = _ORDER.fullmatch(command.replied_text)
            ordered = [int(number) for number in re.findall(r"\d+", order[1])] if order else []
            removed = await self.memory.look(removed_with_message, command.turn, command.about, ordered)
            if removed or order is not None:
                return removed
        return [memory.id for memory in await self.memory.look(made_of_message, command.turn, command.about)]

    async def _run(self, command: Command, language: Language) -> None:
        turn, argument = command.turn, command.argument.strip()
        rows: Rows = ()
        match command.name:
            case "memory":
                words, rows = await self.page(turn, 0, language)
            case "remember":
                words = await self._remember(turn, argument, language)
            case "forget":
                words, rows = await self._forget(turn, argument, language)
            case "history" | "why" | "undo" | "share" | "unshare" | "mute" | "unmute":
                words = await self._run_own(command.name, turn, argument, language)
            case "edit":
                words = await self._edit(command, argument, language)
            case "privacy":
                words = await self._privacy(turn, argument, language)
            case "export":
                await self._export(command, language)
                return
            case "erase":
                words, rows = await self.ask_to_erase(turn, language)
            case "start" | "help":
                words = self.help(language, greets=command.name == "start")
            case _ if turn.direct:
                words = self.help(language)
            case _:
                return
        self.delivery.reply(command, Content(text=words, rows=rows))
        if command.name in ("start", "memory") and (turn.direct or self.delivery.platform.whispers):
            await self._show_consents(command)

    def help(self, language: Language, *, greets: bool = False) -> str:
        """What the bot can do."""
        lines = [f"/{name} - {text(language, f'bots.commands.{name}')}" for name in COMMANDS]
        if self.delivery.platform.commands_reply:
            lines.insert(3, text(language, "bots.edit_hint"))
            lines.append(text(language, "bots.noted_hint"))
        greeting = [text(language, "bots.greeting")] if greets else []
        end = text(language, "bots.what_is_private")
        return "\n".join([*greeting, text(language, "bots.how_to"), *lines, end])

    async def page(self, turn: Turn, page: int, language: Language) -> tuple[str, Rows]:
        """A page of what is remembered about the person, with buttons to delete it."""
        listed = await self._listed(turn, language)
        if listed is None:
            return text(language, "bots.restricted"), ()
        if not listed:
            return text(language, "bots.nothing"), ()
        pages = (len(listed) - 1) // _PAGE + 1
        page = min(page, pages - 1)
        shown = listed[page * _PAGE : (page + 1) * _PAGE]
        title = text(language, "bots.list_everywhere" if turn.direct else "bots.list_here", count=len(listed))
        lines = [title, *grouped(shown)]
        rows = list_rows(turn.user_key, [entry.id for entry in shown if entry.is_deletable])
        if pages > 1:
            lines.append(text(language, "bots.page", page=page + 1, pages=pages))
            rows.append(page_row(turn.user_key, page, pages))
        if not all(entry.is_used_here for entry in shown):
            lines.append(text(language, "bots.used_elsewhere"))
        return "\n".join(lines), rows

    async def _listed(self, turn: Turn, language: Language) -> list[Entry] | None:
        """All that is the person's, to them alone; in a group what is shown there, None: nothing may be."""
        zone = self.memory.settings.zone
        if turn.direct:
            own = await self.memory.look(listing, turn)
            ages = await self.memory.look(ages_now, own.memories)
            past = await self.memory.look(past_ids, own.memories)
            return entries(own, language, self.delivery.shown, zone, ages, past)
        memories = await self.memory.look(own_memories, turn)
        if isinstance(memories, NoAccess):
            return None
        ages, past = await self.memory.look(ages_now, memories), await self.memory.look(past_ids, memories)
        return [
            Entry(memory.id, "", told(memory, language, self.delivery.shown, zone, ages, past), is_deletable=True)
            for memory in memories
        ]

    async def call(self, tool: str, arguments: Mapping[str, object], turn: Turn) -> ToolResult:
        """Call a tool as the person asked by a command or a button."""
        if not self.delivery.platform.whispers:
            self.notices.told_by_answer(turn)
        return await self.memory.call(tool, arguments, turn, by_hand=True)

    async def ask_to_erase(self, turn: Turn, language: Language) -> tuple[str, Rows]:
        """Ask whether to erase everything about the person."""
        await self.memory.ask_to_erase(turn, grant=_grant(turn))
        return text(language, "bots.erase_confirm"), erasure_rows(turn.user_key, language)

    async def _show_consents(self, command: Command) -> None:
        """Ask the questions for the person's consent that wait: the bot may not have been here to ask them."""
        waiting = await self.memory.consents(command.turn)
        for consent in waiting[:_LISTED]:
            if (question := await self.notices.consent(consent.id, command.turn)) is not None:
                self.delivery.reply(command, question)
        if len(waiting) > _LISTED:
            language = self.delivery.language(command.turn.user_key, "")
            self.delivery.reply(command, Content(text=text(language, "bots.more", count=len(waiting) - _LISTED)))

    async def _remember(self, turn: Turn, words: str, language: Language) -> str:
        says_nothing = shows_nothing(words) or is_placeholder(words) or is_no_value(words)
        if says_nothing or len(words) > LONGEST_VALUE:
            if turn.message is not None:  # what it said before it was edited, it says no longer
                await self.memory.unrecord(turn)
            if says_nothing:
                return text(language, "bots.remember_usage")
            return text(language, "bots.too_long", count=len(words), limit=LONGEST_VALUE)
        if turn.message is not None:  # people see it there, may edit it, and then it says something else
            with suppress(StoreError):  # the answer says it
                await self.memory.record("user", words, turn)
        result = await self.call("remember", {"content": words}, turn)
        key = {"success": "bots.remembered", "skipped": "bots.known"}.get(result.status)
        return self.delivery.trouble(result, language) if key is None else text(language, key, id=result["memory_id"])

    async def _forget(self, turn: Turn, words: str, language: Language) -> tuple[str, Rows]:
        """Ask whether to delete what ids name; the same again deletes it. Of words, list what they may mean."""
        if not words:
            return text(language, "bots.forget_usage"), ()
        if _IDS.fullmatch(words):
            ids = re.findall(r"[Mm]?\d+", words)
            if len(ids) > MOST_IDS:
                return text(language, "bots.too_many", count=len(ids), limit=MOST_IDS), ()
            shared = await self._shared(turn)
            if shared.issuperset(ids):
                return await self._leave(turn, list(map(int, ids)), language), ()
            result = await self.delete(turn, ids, language)
            rows = deletion_rows(turn.user_key, [result], language)
            return self.delivery.deletion(turn, result, language), rows
        result = await self.call("forget", {"query": words}, turn)
        match result.status:
            case "candidates":
                found = (await self.in_words(turn, result, language))["candidates"]
                lines = [f"ID:{item['memory_id']} {self.delivery.shown(item['content'])}" for item in found]
                rows = list_rows(turn.user_key, [memory_number(item["memory_id"]) for item in found])
                return "\n".join([text(language, "bots.which"), *lines]), rows
            case "nothing_found":
                return text(language, "bots.nothing_found"), ()
            case _:
                return self.delivery.trouble(result, language), ()

    async def _shared(self, turn: Turn) -> set[str]:
        """The ids of what others are in, too: listed to the person alone, without a text."""
        return set(map(str, (await self.memory.look(listing, turn)).shared_ids)) if turn.direct else set()

    async def _leave(self, turn: Turn, ids: Sequence[int], language: Language) -> str:
        """Take the person out of episodes with others, and hide notes of others that name them."""
        for number in ids:
            await self.memory.apply(delete, turn, number)
        words = text(language, "bots.left", ids=", ".join(f"ID:{number}" for number in ids))
        return "\n".join(filter(None, [words, self.delivery.take_back(ids, language)]))

    async def delete(self, turn: Turn, ids: Sequence[str], language: Language) -> ToolResult:
        """Ask about memories and messages by their ids, or answer that question, as the turn's text says."""
        memories = await self.memory.look(all_deletable, turn, [int(id_) for id_ in ids if id_.isdecimal()])
        return result_in_words(await self.call("forget", {"memory_id": ",".join(ids)}, turn), memories, language)

    async def in_words(self, turn: Turn, result: ToolResult, language: Language) -> ToolResult:
        """What may be deleted as its person reads it: the candidates, or what is asked about."""
        rows = (*result.get("candidates", ()), *result.get("awaiting", ()))
        ids = [row["memory_id"] for row in rows if isinstance(row["memory_id"], int)]
        return result_in_words(result, await self.memory.look(all_deletable, turn, ids), language)

    async def _edit(self, command: Command, argument: str, language: Language) -> str:
        """Save an item of the question that the command replies to, as the person corrects it."""
        presses = [press for data in command.answers if (press := read_press(data, command.turn.chat))]
        correction = _CORRECTION.fullmatch(argument)
        if not presses or correction is None:
            return text(language, "bots.edit_usage")
        question_id = presses[0].question
        questions = [question for question in await self.memory.questions(command.turn) if question.id == question_id]
        open_items = [index for index, _ in questions[0].open_items] if questions else [0]
        count = len(questions[0].items) if questions else 1
        if len(open_items) > 1 and (correction[1] is None or not 0 < int(correction[1]) <= count):
            return text(language, "bots.edit_usage")
        index, value = open_items[0] if open_items else 0, argument
        if correction[1] is not None and (len(open_items) > 1 or int(correction[1]) - 1 == index):
            index, value = int(correction[1]) - 1, correction[2]
        answered = await self.memory.answer_question(question_id, command.turn, save=True, place=index, value=value)
        if answered.status == "saved" and command.replied_to is not None:
            state = self.delivery.question_state(answered, language)
            self.delivery.edit(Address.of(command.turn), command.replied_to, state)
        return self.delivery.answered(answered, language)

    async def _run_own(
        self, name: OwnCommand | Literal["mute", "unmute"], turn: Turn, argument: str, language: Language
    ) -> str:
        if name in ("mute", "unmute"):
            return await self._mute(turn, argument, language, mutes=name == "mute")
        escape, grant, forget = self.delivery.escape, _grant(turn), "/forget {}".format
        if name == "undo" and not argument:
            return await undo_last(
                self.memory, turn, language, escape=escape, grant=grant, undo=self.delivery.undo_command
            )
        ids = [match[1] for part in argument.split(", ") if (match := _ID.fullmatch(part)) is not None]
        if len(ids) != argument.count(", ") + 1:
            return text(language, "bots.id_usage", command=name)
        shared, answers = await self._shared(turn), list[str]()
        for number in ids[:_LISTED]:
            if name != "undo" and number in shared:
                answers.append(text(language, "bots.not_only_yours", id=number))
            elif name == "undo" and turn.direct and await self.memory.look(has_left, turn, int(number)):
                back = isinstance(await self.memory.apply(undo, turn, int(number)), Changed)
                answers.append(text(language, "bots.back" if back else "chat.history.none", id=number))
            else:
                answers.append(
                    await run_command(
                        self.memory, name, int(number), turn, language, escape=escape, grant=grant, forget=forget
                    )
                )
        if len(ids) > _LISTED:
            answers.append(text(language, "bots.first_only", limit=_LISTED, count=len(ids) - _LISTED))
        return "\n".join(answers)

    async def _mute(self, turn: Turn, asker: str, language: Language, *, mutes: bool) -> str:
        """Refuse a person's requests for consent from now on, or take them again; without a person, list the muted."""
        if asker and not await self.memory.mute(asker, turn, muted=mutes, grant=_grant(turn)):
            return text(language, "bots.mute_unknown")
        muted = await self.memory.muted(turn, grant=_grant(turn))
        return "\n".join([text(language, "bots.muted" if muted else "bots.nobody_muted"), *muted])

    async def _privacy(self, turn: Turn, wanted: str, language: Language) -> str:
        level = _LEVELS.get(wanted.lower())
        if level is not None:
            await self.memory.set_privacy(level, turn, grant=_grant(turn))
        unknown = [text(language, "bots.privacy_unknown")] if wanted and level is None else []
        current = (await self.memory.privacy(turn)).name.lower()
        scale = [f"/privacy {name} - {text(language, f'chat.privacy.level.{name}')}" for name in _LEVELS]
        return "\n".join([*unknown, text(language, "chat.privacy.current", level=current), *scale])

    async def _export(self, command: Command, language: Language) -> None:
        if not command.turn.direct:
            self.delivery.reply(command, Content(text=text(language, "bots.export_direct")))
            return
        limit = self.delivery.platform.file_bytes
        files = _files(await self.memory.export(command.turn), limit)
        if max(map(len, files)) > limit:
            self.delivery.reply(command, Content(text=text(language, "bots.export_too_large")))
            return
        for number, content in enumerate(files, 1):
            name = "zgadka-export.jsonl" if number == 1 else f"zgadka-export-{number}.jsonl"
            self.delivery.send_file(command, name, bytes(content), text(language, "bots.exported"))


def _grant(turn: Turn) -> Grant:
    """What a bot may do for whoever gives it a command: in a group, nothing that is for the person alone."""
    return Grant(token=0, role="service", label="bot", platforms=(turn.platform,))


def _files(lines: Iterable[str], limit: int) -> list[bytearray]:
    """The lines as files of at most `limit` bytes; a longer line is a file by itself."""
    files = [bytearray()]
    for line in lines:
        encoded = line.encode() + b"\n"
        if files[-1] and len(files[-1]) + len(encoded) > limit:
            files.append(bytearray())
        files[-1] += encoded
    return files
