"""What the memory's notices tell: to the person alone, or to the group that a note belongs to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from functools import partial

from zgadka.bots.delivery import Delivery, Recent
from zgadka.bots.platform import Address, Command, Content, Press
from zgadka.chat.sentences import fact_in_words, learned_line
from zgadka.engine import Memory
from zgadka.locales import text
from zgadka.model.inference import SaveQuestion
from zgadka.model.memory import Owner
from zgadka.model.notification import Notice
from zgadka.model.outcome import NoAccess
from zgadka.model.turn import Turn
from zgadka.ops.list_memories import told_memories
from zgadka.ops.operator_queries import OPERATOR
from zgadka.ops.worth_asking import close_told
from zgadka.stores.tx import Tx

_LISTED = 10


class Notices:
    """Tells of what happened, after each commit."""

    def __init__(self, memory: Memory, delivery: Delivery) -> None:
        self._memory = memory
        self._delivery = delivery
        self._waiting: list[Notice] = []
        self._answering: dict[str, list[Notice]] = {}
        self._answered_turns: Recent[bool] = Recent()
        self._after_answer: dict[str, list[Callable[[], None]]] = {}
        self.stop = memory.subscribe(self.put)

    def put(self, notice: Notice) -> None:
        """Take a notice; must not block."""
        platform = self._delivery.platform.name
        match notice:
            case Notice(what="asked", question=SaveQuestion(turn=Turn(platform=origin)) as question):
                if origin == platform and question.open_items:
                    self._follow(question.turn, partial(self.ask, question))
            case Notice(what="learned", turn=Turn(platform=origin) as turn) if origin == platform:
                self._follow(turn, partial(self._tell_learned, turn, notice))
            case Notice(what="updated" | "deleted" | "hidden") if not self._is_no_news(notice):
                if notice.personal and notice.actor in self._answering:
                    self._answering[notice.actor].append(notice)
                else:
                    self._wait(notice)
            case Notice(what="asked", consent=int()):
                self._wait(notice)
            case _:
                pass

    def tell(self, notice: Notice) -> None:
        """Tell a person of a change of theirs, which is nobody's answer."""
        self._wait(notice)

    @contextmanager
    def after_answer(self, turn: Turn) -> Generator[None]:
        """Until the turn is answered, wait with what was remembered of its message or is asked about it.

        It follows the answer, which may be that the model has remembered it.
        """
        self._after_answer[str(turn.turn)] = []
        try:
            yield
        finally:
            for tell in self._after_answer.pop(str(turn.turn), ()):
                tell()

    def _follow(self, turn: Turn, tell: Callable[[], None]) -> None:
        if (held := self._after_answer.get(str(turn.turn))) is None:
            tell()
        else:
            held.append(tell)

    def ask(self, question: SaveQuestion, *, again: bool = False) -> None:
        """Ask a person about uncertain memories, but for what is not open or remembered when it is to be sent."""
        self._delivery.put(Address.of(question.turn), partial(self._ask, question, again=again))

    async def _ask(self, question: SaveQuestion, *, again: bool) -> None:
        waiting = await self._memory.apply(close_told, question.turn, question.id)
        if waiting is not None:
            await self._delivery.send_now(Address.of(question.turn), self._delivery.question(waiting, again=again))

    def _tell_learned(self, turn: Turn, notice: Notice) -> None:
        if self._memory.settings.learned_notice != "quiet":
            self._delivery.put(
                Address.of(turn), partial(self._tell_kept, turn, {memory.id for memory in notice.learned})
            )

    async def _tell_kept(self, turn: Turn, learned_ids: Collection[int]) -> None:
        """Tell what is still remembered of a message, and how to take it back; in a group by a mark on it alone."""
        own = await self._memory.look(told_memories, turn)
        memories = () if isinstance(own, NoAccess) else [memory for memory in reversed(own) if memory.id in learned_ids]
        if memories and (turn.direct or self._memory.settings.learned_notice == "line"):
            language = self._delivery.language(turn.user_key, " ".join(memory.content for memory in memories))
            undo = self._delivery.undo_command if self._memory.settings.undo_hours else "/forget {}".format
            lines = [
                learned_line(memory, language, undo(memory.id), self._delivery.shown) for memory in memories[:_LISTED]
            ]
            if len(memories) > _LISTED:
                lines.append(text(language, "bots.more", count=len(memories) - _LISTED))
            await self._delivery.send_now(Address.of(turn), Content(text="\n".join(lines)))
        elif memories and turn.message is not None:
            await self._delivery.react_now(Address.of(turn), turn.message)

    def told_by_answer(self, turn: Turn) -> None:
        """Have nothing told of what is done in this turn: its answer says it."""
        self._answered_turns[str(turn.turn)] = True

    @contextmanager
    def answering(self, event: Command | Press) -> Generator[None]:
        """While a command or a press is answered, tell the person in answers to it, where the platform whispers."""
        person = event.turn.user_key
        if not self._delivery.platform.whispers or person in self._answering:
            yield
            return
        self._answering[person] = []
        try:
            yield
        finally:
            notices = self._answering.pop(person)
            if notices:
                self._delivery.queues.put("notices", lambda: self._whisper(event, notices))

    async def consent(self, number: int, turn: Turn) -> Content | None:
        """The question for the person's consent, to show it now; None when it was answered meanwhile."""
        proposal = await self._memory.proposal(number, turn, shown=turn.direct)
        return None if proposal is None else self._delivery.proposal(turn.user_key, proposal)

    def _wait(self, notice: Notice) -> None:
        if not self._waiting:
            self._delivery.queues.put("notices", self._tell)
        self._waiting.append(notice)

    def _is_no_news(self, notice: Notice) -> bool:
        """Whether it is nobody's news, is told otherwise, or is the answer to somebody's own button or command."""
        if notice.turn is None and notice.actor == OPERATOR:
            return True  # as what another process does, which no notice tells here: see `tell`
        if notice.turn is not None and str(notice.turn.turn) in self._answered_turns:
            return True
        return not notice.personal and (notice.kind != "note" or notice.turn is None)

    async def _tell(self) -> None:
        notices, self._waiting = self._waiting, []
        for alike in _grouped(notices):
            await self._tell_alike(alike)

    async def _tell_alike(self, notices: Sequence[Notice]) -> None:
        notice, platform = notices[0], self._delivery.platform
        if not notice.personal:
            if notice.turn is not None and notice.turn.platform == platform.name:
                self._delivery.send(Address.of(notice.turn, replies=False), self._content(notices, ""))
            return
        person, has_chat = await self._memory.look(_person, notice.owner)
        if person is None or person.platform != platform.name:
            return
        user = person.name
        if notice.consent is not None:
            alone = Turn(platform=platform.name, space=user, chat=user, user=user, direct=True)
            # It is tried in any case: who only pressed Start has written nothing.
            if (question := await self.consent(notice.consent, alone)) is not None:
                self._delivery.send(Address(user=user), question)
        elif (has_chat or platform.writes_first) and (notice.turn is not None or notice.actor != user):
            self._delivery.send(Address(user=user), self._content(notices, user))

    async def _whisper(self, event: Command | Press, notices: Sequence[Notice]) -> None:
        person = event.turn.user_key
        for alike in _grouped([notice for notice in notices if notice.turn is not None]):
            user, _ = await self._memory.look(_person, alike[0].owner)
            if user is not None and user.name == person:
                self._delivery.reply(event, self._content(alike, person))
            else:  # somebody else's memory
                await self._tell_alike(alike)

    def _content(self, notices: Sequence[Notice], user: str) -> Content:
        notice, links = notices[0], self._delivery.platform.links_commands
        language = self._delivery.language(user, " ".join(notice.preview for notice in notices))
        # A group's notes are for whoever changed them to take back.
        can_undo = notice.personal and self._memory.settings.undo_hours > 0
        lines: list[str] = []
        for notice in notices[:_LISTED]:
            words = fact_in_words(notice.preview, language) if notice.kind == "fact" else notice.preview
            line = f"ID:{notice.memory} {self._delivery.shown(words)}"
            if can_undo and links:
                line += f" - {text(language, 'bots.undo_link', id=notice.memory)}"
            lines.append(line)
        if len(notices) > _LISTED:
            lines.append(text(language, "bots.more", count=len(notices) - _LISTED))
        title = text(language, f"bots.notices.{notice.what}")
        return Content(
            title=text(language, "bots.notices.by_operator", what=title) if notice.actor == OPERATOR else title,
            text="\n".join(lines),
            footer=text(language, "bots.undo_hint") if can_undo and not links else "",
            tone="gone" if notice.what == "deleted" else "changed",
        )


def _grouped(notices: Sequence[Notice]) -> list[list[Notice]]:
    """What is told together: the same done to several memories of one owner in one turn; each consent by itself."""
    groups: dict[object, list[Notice]] = {}
    for notice in notices:
        key = notice.what, notice.owner, notice.personal, notice.actor, notice.turn, notice.consent
        groups.setdefault(key, []).append(notice)
    return list(groups.values())


def _person(tx: Tx, owner: int) -> tuple[Owner | None, bool]:
    """The person who owns it, and whether they have written to the bot in a direct chat."""
    person = tx.owners.get(owner) if tx.owners.exists(owner) else None
    if person is None or person.kind != "person":
        return None, False
    return person, tx.owners.find("direct", person.platform, person.name) is not None
