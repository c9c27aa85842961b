"""Memory: the asynchronous face of the engine, one short method a verb."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from zgadka import tracing
from zgadka.embedding_worker import Embedding, meaning_of, with_meaning
from zgadka.errors import InvalidInput, NotAllowed, StoreClosed, StoreError
from zgadka.locales import Language
from zgadka.log import logger
from zgadka.maintenance import Maintenance
from zgadka.model.backup import Backup
from zgadka.model.check import moment
from zgadka.model.context import Context
from zgadka.model.inference import Answered, Inference, Observed, PastMessage, SaveQuestion
from zgadka.model.memory import Event
from zgadka.model.notification import Notice
from zgadka.model.outcome import Changed, Conflict, FoundMessage, NoAccess, NotFound, Refused
from zgadka.model.people import Consent, Member, Message, Proposal, Role, Title
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.question import PlainAnswer
from zgadka.model.result import ToolResult, as_result
from zgadka.model.rollout import Arm, Decision, legacy_chats, policy_of
from zgadka.model.task import Finished, Task
from zgadka.model.token import Grant
from zgadka.model.turn import Turn
from zgadka.observer import Extractor, InferMany, Observer, takes_back
from zgadka.ops import (
    audit,
    auto_episodes,
    close_chat,
    consent,
    edits,
    erase,
    erase_space,
    judge_answer,
    messages,
    move_space,
    observe,
    open_questions,
    origins,
    profile,
    questions,
    rollout,
    tasks,
    unrecord,
    wishes,
    withhold,
)
from zgadka.ops.allow import allow, is_audited, is_of_space, note_operator
from zgadka.ops.context import build_context
from zgadka.ops.erase import Receipt
from zgadka.ops.operator_notices import take_operator_changes
from zgadka.ops.origins import Origin
from zgadka.ops.place_names import report_titles
from zgadka.ops.recall_gate import note_look
from zgadka.ops.rollout import RolloutNow
from zgadka.ops.search_messages import search_messages
from zgadka.ops.share import Shared, open_memory_to
from zgadka.ops.tasks import CALL
from zgadka.settings import Settings
from zgadka.stores.executor import Store
from zgadka.stores.tx import Tx
from zgadka.tool_calls import Calls, perform
from zgadka.tools import core, episodes, facts, insight, lean, notes
from zgadka.tools.answer_budget import within
from zgadka.tools.registry import REGISTRY, Registry
from zgadka.transfer.export import export_speaker
from zgadka.transfer.import_reader import check
from zgadka.transfer.import_store import DryRun, ImportReport, import_lines
from zgadka.usage_stats import Activity, Outcome
from zgadka.worker import Chore, Worker, and_left, every, repeat

if TYPE_CHECKING:
    from zgadka.search.embedders.protocols import Embedder

_log = logger()

P = ParamSpec("P")
T = TypeVar("T")

_warned: list[bool] = []
"""Whether this process logged that it has no embedder; once is enough."""

_TIDY = timedelta(minutes=10)
_RESUME = timedelta(seconds=30)
_EPISODES = timedelta(minutes=1)
_FORGET = timedelta(minutes=1)
_KEEP = timedelta(seconds=5)


def _set_privacy(tx: Tx, turn: Turn, level: PrivacyLevel, grant: Grant | None) -> None:
    is_raised = profile.privacy(tx, turn) <= level is not PrivacyLevel.MINIMAL
    refusal = allow("raise_privacy" if is_raised else "lower_privacy", turn, grant)
    if refusal is not None:
        raise NotAllowed(refusal.reason)
    profile.set_privacy(tx, turn, level, here=is_of_space(grant))


def _verb(
    function: Callable[Concatenate[Tx, P], ToolResult],
) -> Callable[Concatenate[Memory, P], Awaitable[ToolResult]]:
    """A tool's function as a method of `Memory`: `await memory.remember_fact(turn=turn, user_id=1, …)`."""
    name = function.__name__

    async def verb(memory: Memory, *, turn: Turn, **arguments: Any) -> ToolResult:
        return await memory.call(name, arguments, turn)

    verb.__name__, verb.__doc__ = name, function.__doc__
    return cast("Callable[Concatenate[Memory, P], Awaitable[ToolResult]]", verb)


class Memory:
    """Long-term memory over one store; `open_memory` makes it.

    Safe to use from many tasks of one event loop. Every method that takes a `turn` acts for its speaker.
    A `grant` is what whoever asks may do: `NotAllowed` is raised where an operation is not for them, or not in this
    place (`ops/allow.py`). Without one it is the host itself, which knows who is there.

    Attributes:
        settings: What the operator set.
        tools: Every tool, by name and by set.
    """

    remember = _verb(core.remember)
    recall = _verb(core.recall)
    forget = _verb(core.forget)
    remember_fact = _verb(facts.remember_fact)
    remember_facts = _verb(facts.remember_facts)
    recall_facts = _verb(facts.recall_facts)
    update_fact = _verb(facts.update_fact)
    merge_facts = _verb(facts.merge_facts)
    forget_fact = _verb(facts.forget_fact)
    clear_profile = _verb(facts.clear_profile)
    create_episode = _verb(episodes.create_episode)
    update_episode = _verb(episodes.update_episode)
    recall_episodes = _verb(episodes.recall_episodes)
    archive_episode = _verb(episodes.archive_episode)
    mark_important = _verb(episodes.mark_important)
    create_long_term_memory = _verb(notes.create_long_term_memory)
    update_long_term_memory = _verb(notes.update_long_term_memory)
    suggest_merge = _verb(insight.suggest_merge)
    generate_profile_summary = _verb(insight.generate_profile_summary)
    remember_relationship = _verb(insight.remember_relationship)
    recall_relationships = _verb(insight.recall_relationships)
    update_fact_with_temporal = _verb(insight.update_fact_with_temporal)
    recall_facts_global = _verb(insight.recall_facts_global)
    keep = _verb(lean.keep)
    find = _verb(lean.find)
    change = _verb(lean.change)

    def __init__(
        self,
        store: Store,
        settings: Settings,
        tools: Registry = REGISTRY,
        extractor: Extractor | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        policy_of(settings.rollout)  # or say what is wrong with it
        legacy_chats(settings.legacy_chats)
        self._store = store
        # Where calls may be late, a query waits for its vector no longer than they may.
        late_ms = settings.memory_tool_timeout_ms if settings.memory_tool_async else settings.query_ms
        seconds = min(settings.query_ms, late_ms) / 1000
        self._embedding = None if embedder is None else Embedding(store, embedder, seconds=seconds)
        self._activity = Activity(store, keeps=settings.activity_days > 0)
        self._worker = Worker(
            store,
            {CALL: partial(perform, tools)},
            spreads={
                audit.UNDO: audit.UNDOING,
                close_chat.CLOSE: close_chat.CLOSING,
                edits.EDIT: edits.EDITING,
                erase.ERASE: erase.ERASING,
                erase_space.ERASE_SPACE: erase_space.ERASING_SPACE,
                move_space.MOVE: move_space.MOVING,
                profile.CLEAR: profile.CLEARING,
                profile.HIDE: profile.HIDING,
                unrecord.UNRECORD: unrecord.UNRECORDING,
                withhold.LIFT: withhold.LIFTING,
                withhold.WITHHOLD: withhold.WITHHOLDING,
            },
            activity=self._activity,
        )
        self._calls = Calls(store, settings, tools, self._embedding, self._worker, self._activity)
        self._observer = Observer(store, self._worker, self._activity, extractor)
        self._store.on_commit = self._publish
        self._subscribers: list[Callable[[Notice], object]] = []
        self._maintenance = Maintenance(store, self._activity, self._embedding)
        self.settings = settings
        self.tools = tools
        self._asking = {tool.name: tool for tool in tools if tool.asks or tool.asks_where_blank}
        self._chores: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Memory:
        await self.honour_wishes()
        await self._worker.finish_interrupted()
        if self._embedding is None and not _warned:
            _warned.append(True)
            _log.info("there is no embedder: recall uses words only (docs/embeddings.md)")
        # Each process has a memory of its own, and asks in vectors of its own.
        work = {
            "forget": every(_FORGET, self.forget_erased, "forget"),
        }
        writes = not self._store.is_read_only
        if writes:
            work["activity"] = every(_KEEP, self._keep_activity, "activity")
        if self._embedding is not None:
            work["embedding"] = self._embedding.run(makes=self.settings.background and writes)
        if self.settings.background and writes:
            work |= {
                "renew": every(_TIDY, self._maintenance.renew, "renew"),  # whenever another process tidied
                "chores": repeat(self._store, self._shared_chores()),
                "tasks": self._worker.run(),
            }
        self._chores = [asyncio.create_task(coroutine, name=f"zgadka-{name}") for name, coroutine in work.items()]
        return self

    def _shared_chores(self) -> dict[str, Chore]:
        return {
            "blocks": Chore(_TIDY, self._maintenance.fill_blocks),
            "tidy": Chore(_TIDY, self.tidy),
            "resume": Chore(_RESUME, self.resume),
            "episodes": Chore(_EPISODES, self.make_episodes),
        }

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def honour_wishes(self) -> int:
        """Do what people wished before another file took the database's place; returns how many are erased again.

        Wishes that are kept beside the database and those in it are then the same.
        """
        wishes_beside = await asyncio.to_thread(self._store.kept_wishes)
        if wishes_beside is None:
            return 0
        try:
            difference = await self._store.read(wishes.compare, wishes_beside)
        except StoreError:
            if wishes_beside:
                raise
            return 0  # who opens a damaged database may be about to look at it
        if difference.key is not None:
            await self._move_wish_key(difference.key)
        await asyncio.to_thread(self._store.keep_wishes, difference.unkept)
        if not difference.fresh:
            return 0
        erased = await self._worker.write(wishes.honour, difference.fresh)
        if erased:
            _log.warning("%d people who had been erased were erased again: the database is older than that", erased)
            await self._maintenance.forget_and_scrub()
        return erased

    async def _move_wish_key(self, key: bytes) -> None:
        """Let the key not lie in the database, where the hashes are."""
        try:
            self._store.keep_wish_key(key)
            await self._store.write(lambda tx: tx.wishes.forget_own_key())
        except (OSError, StoreError) as error:
            _log.warning("the key of wishes stays in the database: %s", error)

    async def _keep_activity(self) -> None:
        await asyncio.shield(self._activity.flush())  # cancelled by `close`, it would lose what it has taken

    async def close(self) -> None:
        """Finish what waits, then close the store; a second call does nothing."""
        chores, self._chores = self._chores, []
        for chore in chores:
            chore.cancel()
        await asyncio.gather(*chores, return_exceptions=True)
        if self._embedding is not None:
            await self._embedding.close()
        with suppress(StoreError):
            await self._activity.flush()
        await self._store.close()

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        turn: Turn,
        *,
        by_hand: bool = False,
        is_request: bool = False,
        grant: Grant | None = None,
        budget_tokens: int | None = None,
    ) -> ToolResult:
        """Call a tool as a model does; every mistake is an answer that the model can act on.

        Args:
            name: The tool's name.
            arguments: What the model passed, from JSON; checked here, whatever the provider promised.
            turn: Who speaks, built from the platform's event.
            by_hand: Whether the person does it themselves, as by a bot's command: then nothing has to be looked up
                first, whatever `recall_first` says.
            is_request: Whether it comes through a door where nobody knows that two calls are two turns: then a turn
                with neither id nor text confirms no deletion.
            grant: What whoever asks may do, as for every method that takes one (`ops/allow.py`). None: it is the host
                itself, which knows who is there.
            budget_tokens: How long the answer may be, by estimate: then it has fewer rows and shorter texts. None:
                everything. For a model, `answer_budget(settings, arguments)` says how much.

        Raises:
            StoreClosed: The memory is closed.
        """
        if not by_hand:
            self._identify(name, arguments, turn, is_request=is_request)
        if is_request and self._may_ask(name, arguments):
            turn = turn.of_request()
        return await self._call(name, arguments, turn, by_hand=by_hand, grant=grant, budget_tokens=budget_tokens)

    def _identify(self, name: str, arguments: Mapping[str, Any], turn: Turn, *, is_request: bool) -> None:
        self._activity.identified(turn, is_request=is_request, is_asking=self._may_ask(name, arguments))

    def _may_ask(self, name: str, arguments: Mapping[str, Any]) -> bool:
        tool = self._asking.get(str(name))
        return tool is not None and tool.may_ask(arguments)

    async def _call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        turn: Turn,
        *,
        by_hand: bool = False,
        grant: Grant | None,
        budget_tokens: int | None,
    ) -> ToolResult:
        started = time.perf_counter()
        try:
            tool = self.tools[name]
        except InvalidInput as error:
            return ToolResult("invalid_args", str(error))
        if (refusal := allow(tool.name, turn, grant)) is not None:
            return ToolResult(tool.failed + refusal.status, f"Nothing was done: {refusal.reason}.")
        if by_hand and self.settings.recall_first:
            with suppress(StoreError):  # if nothing can be written, the call says so
                await self._store.write_soon(note_look, turn)
        with tracing.span("zgadka.call", {"gen_ai.tool.name": tool.name}) as span:
            result = await self._calls.answer(tool, arguments, turn, by_hand=by_hand, is_bound=is_of_space(grant))
            span.set_attribute("zgadka.status", result.status)
        self._activity.called(tool, result.status, time.perf_counter() - started, turn)
        return within(result, budget_tokens)

    async def permit(self, operation: str, turn: Turn | None, grant: Grant | None, *, about: str | None = None) -> None:
        """Ask whether an operation may be done; of an operator who does it outside a turn, keep a line in the trail.

        Args:
            operation: One of `ops.allow.WHERE`.
            about: What an operator does it to, without anybody's name or text. None: the operation's name.

        Raises:
            NotAllowed: It may not be done here, or not with this token.
        """
        if (refusal := allow(operation, turn, grant)) is not None:
            raise NotAllowed(refusal.reason)
        if grant is not None and is_audited(operation, grant):
            await self._store.write(note_operator, operation, grant, operation if about is None else about, turn)

    async def call_all(
        self,
        calls: Sequence[tuple[str, Mapping[str, Any]]],
        turn: Turn,
        *,
        is_request: bool = False,
        grant: Grant | None = None,
        budget_tokens: int | None = None,
    ) -> list[ToolResult]:
        """Call several tools of one answer at once; returns their results in order.

        Changes are made in the order of the calls and share their commits. What only reads runs beside them, and may
        not see them. They are one turn: none of them confirms a deletion that another one asks about.

        Args:
            is_request: As for `call`.
            budget_tokens: As for `call`, of each answer.
        """
        together = turn.of_request() if is_request else turn.of_batch()
        answers: list[Awaitable[ToolResult]] = []
        for name, arguments in calls:
            self._identify(name, arguments, turn, is_request=is_request)
            at = together if self._may_ask(name, arguments) else turn
            answers.append(self._call(name, arguments, at, grant=grant, budget_tokens=budget_tokens))
        return list(await asyncio.gather(*answers))

    async def take_finished(
        self, turn: Turn, *, grant: Grant | None = None, budget_tokens: int | None = None
    ) -> list[Finished]:
        """The results of the speaker's calls in this chat that had been `queued`, oldest first; each is told once.

        Args:
            budget_tokens: As for `call`, of all of them together: each gets the same share.
        """
        await self.permit("take_finished", turn, grant)
        if not await self._store.read(tasks.has_finished, turn):
            return []
        finished = await self._store.write(tasks.take_finished, turn)
        if budget_tokens is None:
            return finished
        share = budget_tokens // max(1, len(finished))
        return [replace(task, result=dict(within(as_result(task.result), share))) for task in finished]

    async def run_tasks(self) -> int:
        """Do the tasks that are due, now; returns how many were begun. It is also done by itself."""
        return await self._worker.run_due()

    async def tasks(self, limit: int = 100) -> list[Task]:
        """The tasks that there are, oldest first; for operators."""
        return await self._store.read(lambda tx: list(tx.tasks.list(limit)))

    async def retry_task(self, task_id: int | None = None) -> int:
        """Let a parked task, or all of them, be tried again; returns how many; for operators."""
        count = await self._store.write(lambda tx: tx.tasks.retry(task_id))
        self._worker.wake()
        return count

    async def drop_task(self, task_id: int) -> bool:
        """Remove a task that nobody is at, so that it is never done; for operators.

        False also for what was begun in the rows of several owners, such as an erasure: it has to be ended.
        """
        return await self._store.write(lambda tx: tx.tasks.delete(task_id))

    async def history(self, memory_id: int, turn: Turn, *, grant: Grant | None = None) -> list[Event]:
        """The audit trail of one of the speaker's memories, oldest first; empty when it cannot be seen here."""
        await self.permit("history", turn, grant)
        return await self._store.read(audit.history, turn, memory_id)

    async def why(self, memory_id: int, turn: Turn, *, grant: Grant | None = None) -> Origin | None:
        """Where one of the speaker's memories comes from; None when there is none that is told here."""
        await self.permit("why", turn, grant)
        return await self._store.read(origins.origin, turn, memory_id)

    async def undo(
        self, memory_id: int, turn: Turn, *, further: bool = True, grant: Grant | None = None
    ) -> Changed | NotFound | Conflict | Refused:
        """Take back the last change of one of the speaker's memories, and what was changed together with it.

        Done again in another turn, it takes back the change before; the same turn again takes nothing more back.

        Args:
            further: False: where the last change is taken back already, the one before stays, as when a button is
                pressed twice; the answer is `Refused`.

        Raises:
            NotAllowed: It may not be done here; what was shared or unshared, only where that may be.
        """
        await self.permit("undo", turn, grant)
        return await self._worker.write(audit.undo, turn, memory_id, further=further, grant=grant)

    async def share(
        self, memory_id: int, turn: Turn, *, everywhere: bool = True, grant: Grant | None = None
    ) -> Shared | NotFound | Conflict | NoAccess:
        """Let one of the speaker's memories be seen in every space, or only in this one; never a model's choice."""
        await self.permit("share" if everywhere else "unshare", turn, grant)
        return await self._worker.write(open_memory_to, turn, [memory_id], everywhere)

    async def record(
        self, role: Role, text: str, turn: Turn, *, given: Iterable[int] = (), grant: Grant | None = None
    ) -> int | None:
        """Keep one message of the chat; the same platform message again, edited, replaces the first.

        What was remembered from it alone, and is said no longer, goes.

        Where the turn has a time and no message id, the same words again are the same message.

        Args:
            given: For an answer: the ids of the memories that the model was given for it, by the context and by tools.
                What of them it repeats is forgotten with them.

        Returns:
            Its id; None when its person is invisible to memory, and nothing was kept.

        Raises:
            NotAllowed: In this chat, another person's message goes by this id.
        """
        await self.permit("record", turn, grant)
        return await self._worker.write(
            messages.record, turn, role, text, given=tuple(given), grant=grant, denies=takes_back
        )

    async def unrecord(self, turn: Turn, *, grant: Grant | None = None) -> bool:
        """Remove the message that the platform calls `turn.message`, since it was deleted there.

        What was remembered from it alone goes with it, also where its text is no longer kept.

        Raises:
            NotAllowed: It is another's, and the token is not for them.
        """
        await self.permit("unrecord", turn, grant)
        return await self._worker.write(unrecord.unrecord, turn, grant)

    async def recent(self, turn: Turn, limit: int = 20, *, grant: Grant | None = None) -> list[Message]:
        """The last messages of the turn's chat and thread, oldest first."""
        await self.permit("recent", turn, grant)
        return await self._store.read(messages.recent, turn, limit)

    async def search_messages(
        self,
        query: str,
        turn: Turn,
        limit: int = 10,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        explain: bool = False,
        grant: Grant | None = None,
    ) -> list[FoundMessage]:
        """The messages of the turn's chat and thread that best answer a question, best first.

        What the turn itself says, and people who are invisible to memory said, is not found.

        Args:
            since: The first moment, included.
            until: The last moment, not included.
            explain: Whether to say of each what its score is made of.

        Raises:
            InvalidInput: `since` or `until` does not say its time zone.
        """
        for name, bound in (("since", since), ("until", until)):
            if bound is not None:
                moment(name, bound)
        await self.permit("search_messages", turn, grant)
        meaning = await meaning_of(self._embedding, query, turn)
        search = with_meaning(search_messages, meaning)
        return await self._store.read(search, turn, query, limit, since=since, until=until, explain=explain)

    async def build_context(
        self,
        turn: Turn,
        budget_tokens: int = 2000,
        *,
        query: str | None = None,
        language: Language | None = None,
        without_messages: Collection[int] = (),
        grant: Grant | None = None,
    ) -> Context:
        """What the model should have in mind in this turn, in five layers, all of it read at one moment.

        Args:
            turn: Who speaks and where; its own message is in no layer.
            budget_tokens: The most that `Context.text` takes, by estimate.
            query: What to look for; None: what the turn says.
            language: That of the headings; None: that of the query.
            without_messages: Messages, by id, that the model gets anyway.

        Raises:
            InvalidInput: The budget is less than 0.
        """
        await self.permit("build_context", turn, grant)
        meaning = await meaning_of(self._embedding, turn.text if query is None else query, turn)
        build = with_meaning(build_context, meaning)
        return await self._store.read(
            build, turn, budget_tokens, query, language=language, without_messages=without_messages
        )

    async def report_member(self, platform: str, space: str, member: Member) -> None:
        """Keep what the host knows of a member of a space; a later report replaces it."""
        await self._store.write(messages.report_member, platform, space, member)

    async def report_titles(self, platform: str, space: str, titles: Sequence[Title]) -> None:
        """Keep what the platform calls a space, its chats and threads now; those that are not named stay as they are.

        People read the space's title where they are or were while it was called so; models never do.
        """
        await self._store.write(report_titles, platform, space, titles)

    async def report_readers(self, platform: str, space: str, readers: Mapping[str, Sequence[str]]) -> None:
        """Keep who reads the chats of a space now: for each chat the names of its groups of readers, as in a `Turn`.

        Where they became fewer, what was said there is told to these alone from now on; it is never told to more.

        Args:
            readers: By chat; no names: all who read the space.
        """
        changed = await self._store.read(close_chat.changed_readers, platform, space, readers)
        for chat, names in changed.items():
            await self._worker.write(close_chat.report_readers, platform, space, chat, names)
        await self._worker.finish(await self._store.read(close_chat.interrupted, platform, space))

    async def move_space(
        self,
        platform: str,
        space: str,
        into: str,
        *,
        chats: tuple[str, str] | None = None,
        thread: str | None = None,
        readers: Sequence[str] = (),
    ) -> bool:
        """Take a space with all it has into another one, as when a group got another id; False when it is not known.

        Args:
            chats: A chat's id there and its new one.
            thread: A thread that is a chat of its own there.
            readers: The names of the groups of readers of what was for the whole space; none: the whole other one.
        """
        move = partial(move_space.move, chats=chats, thread=thread, readers=tuple(readers))
        return await self._worker.write(move, platform, space, into)

    async def set_privacy(self, level: PrivacyLevel, turn: Turn, *, grant: Grant | None = None) -> None:
        """Set how much the speaker wants to be remembered; never a model's choice.

        Raised with a token that is bound to a space, it holds in that space alone.
        """
        await self._worker.write(_set_privacy, turn, level, grant)

    async def privacy(self, turn: Turn, *, grant: Grant | None = None) -> PrivacyLevel:
        """How much the speaker wants to be remembered, here."""
        await self.permit("privacy", turn, grant)
        return await self._store.read(profile.privacy, turn)

    async def erase(self, turn: Turn, *, grant: Grant | None = None) -> Receipt:
        """Erase everything about the speaker, in every space, so that no byte of it is left; never a model's choice.

        Returns:
            A receipt with numbers only. When `scrubbed` is False, another process was reading: the removed rows are
            gone for everyone, and their bytes leave the journal with one of the next tidyings.
        """
        await self.permit("erase", turn, grant)
        return await self._finish_erasure(*await self._store.write(and_left(erase.erase), turn))

    async def erase_space(self, platform: str, space: str) -> Receipt | None:
        """Erase all that is remembered in a space and seen nowhere else, so that no byte of it is left; for operators.

        Returns:
            A receipt whose counts are memories: the people's and the space's own; None: there is no such space.
        """
        is_known, unfinished = await self._store.write(and_left(erase_space.erase_space), platform, space)
        if not is_known:
            return None
        counts = await self._worker.finish(unfinished)
        scrubbed = await self._maintenance.forget_and_scrub()
        erased_at = await self._store.read(lambda tx: tx.now)
        return Receipt(erased_at, {name: counts[name] for name in ("personal", "communal")}, scrubbed=scrubbed)

    async def report_removal(self, platform: str, space: str, *, is_gone: bool = True) -> None:
        """Take note that the program was removed from a space, or is there again.

        What is remembered there is erased `space_days` days after a removal.
        """
        await self._store.write(erase_space.note_removal, platform, space, is_gone=is_gone)

    async def ask_to_erase(self, turn: Turn, *, grant: Grant | None = None) -> None:
        """Ask the speaker whether to erase everything about them; the question is open for `confirmation_seconds`."""
        await self.permit("ask_to_erase", turn, grant)
        await self._store.write(erase.ask_to_erase, turn)

    async def answer_erasure(self, turn: Turn, *, agrees: bool, grant: Grant | None = None) -> Receipt | None:
        """Answer that question, once, in the chat where it was asked.

        Returns:
            What was erased; None when nothing was, since the speaker refused or no question is open.
        """
        await self.permit("answer_erasure", turn, grant)
        erased_at, unfinished = await self._store.write(and_left(erase.answer_erasure), turn, agrees=agrees)
        return None if erased_at is None else await self._finish_erasure(erased_at, unfinished)

    async def _finish_erasure(self, erased_at: datetime, unfinished: list[Task]) -> Receipt:
        counts = await self._worker.finish(unfinished)
        scrubbed = await self._maintenance.forget_and_scrub()
        return Receipt(erased_at, {name: counts[name] for name in erase.COUNTED}, scrubbed=scrubbed)

    async def consents(self, turn: Turn, *, grant: Grant | None = None) -> list[Consent]:
        """Changes by others to the speaker's memories that wait for their consent, oldest first.

        In a group, those that were asked for there.
        """
        await self.permit("consents", turn, grant)
        return await self._store.read(consent.consents, turn)

    async def proposal(
        self, number: int, turn: Turn, *, shown: bool = False, grant: Grant | None = None
    ) -> Proposal | None:
        """What one of these changes would do if the speaker agreed now: it is tried, and taken back.

        Args:
            shown: Whether the speaker is now shown it in their direct chat, where a plain "yes" then agrees to it.

        Returns:
            None when no such question waits for the speaker.
        """
        await self.permit("proposal", turn, grant)
        proposal = await self._calls.propose(number, turn)
        if shown and proposal is not None:
            await self._store.write(open_questions.note_shown, turn, proposal)
        return proposal

    async def proposals(self, turn: Turn, *, grant: Grant | None = None) -> list[tuple[Consent, Proposal]]:
        """What `consents` lists, each with what it would change if the speaker agreed now."""
        consents = await self.consents(turn, grant=grant)
        waiting = [(consent, await self.proposal(consent.id, turn, grant=grant)) for consent in consents]
        return [(consent, proposal) for consent, proposal in waiting if proposal is not None]

    async def answer_consent(
        self, number: int, agrees: bool, turn: Turn, *, mark: int | None = None, grant: Grant | None = None
    ) -> ToolResult | None:
        """Answer such a question: the change is made now, or never.

        Args:
            mark: That of the proposal which the speaker agrees to; when another change would be made by now, none is.
                Needed to agree; None: they have seen none.

        Returns:
            What the tool answers now; status `cancelled` when the speaker refused; `confirmation_required` when they
            have to look at the proposal (again), which the result holds, and the question is still open; None when
            the question is not theirs, was answered before, or is past its time.
        """
        await self.permit("answer_consent", turn, grant)
        return await self._calls.answer_consent(number, agrees, turn, mark=mark)

    async def mute(self, asker: int | str, turn: Turn, *, muted: bool = True, grant: Grant | None = None) -> bool:
        """Have the speaker asked for no more consents by a person, whose open ones are refused; False lifts that.

        Args:
            asker: The platform's id.

        Returns:
            Whether there is such a person.
        """
        await self.permit("mute", turn, grant)
        return await self._store.write(open_questions.mute, turn, str(asker), muted=muted)

    async def muted(self, turn: Turn, *, grant: Grant | None = None) -> list[str]:
        """The platform's ids of those whom the speaker has muted."""
        await self.permit("mute", turn, grant)
        return await self._store.read(open_questions.muted, turn)

    async def plain_question(
        self, text: str, turn: Turn, *, replies_to: str | int | None = None, grant: Grant | None = None
    ) -> PlainAnswer | None:
        """The question that a message answers by a plain "yes" or "no", and which; None: it answers none.

        It does where exactly one is open in this chat: as a reply to the message that asked, or as the person's next
        message within five minutes. For hosts that ask people in their chats: call it once for each message.

        Args:
            text: The speaker's own words.
            replies_to: The id of the question that the message which it replies to asked. None: of none, or unknown.
        """
        await self.permit("plain_question", turn, grant)
        verdicts = await self._store.read(judge_answer.verdicts, turn, text, replies_to=replies_to)
        if not verdicts:
            return None
        return await self._store.write(open_questions.plain_question, turn, verdicts, replies_to=replies_to)

    async def observe(
        self,
        text: str,
        turn: Turn,
        *,
        own_text: str | None = None,
        ask: bool = True,
        at_once: bool = False,
        noted: Callable[[], object] | None = None,
        grant: Grant | None = None,
    ) -> Observed:
        """Keep what a person wrote, remember what they said for certain, and ask about what they did not.

        The same message again does nothing; an edited one is looked at anew. Messages of one chat are looked at in
        the order in which they came, chats side by side; what was kept and not looked at when the process ended is
        looked at later (`resume`).

        Where the chat's memory is automated, the message waits for the person's next ones, to be looked at together
        with them (`resume`).

        Args:
            text: The whole message.
            own_text: What of it the person wrote themselves, without quotes and forwards. None: all of it.
            ask: Whether to ask the person about what is uncertain; for old history, nobody is asked. Where nobody is,
                the message is looked at alone.
            at_once: Whether to look at it alone in any case, as is right for old history.
            noted: Is called once the message is on disk: from then on it is looked at, whatever happens.
        """
        await self.permit("observe", turn, grant)
        return await self._observer.observe(text, turn, own_text=own_text, ask=ask, at_once=at_once, noted=noted)

    async def observe_past(
        self, messages: Sequence[PastMessage], *, ask: bool = False, infer: InferMany | None = None
    ) -> list[Observed]:
        """Observe old messages of one chat, each alone and in order; returns what became of each.

        They share transactions, so that thousands a second are done. What was interrupted is done when the same
        messages come again.

        Args:
            ask: Whether to ask people about what is uncertain.
            infer: Infers from many texts at once; None: as this memory does, one after another.
        """
        for past in messages:
            await self.permit("observe", past.turn, None)
        return await self._observer.observe_past(messages, ask=ask, infer=infer) if messages else []

    async def hand_over(self, message: int, text: str, turn: Turn) -> None:
        """Have a recorded message looked at by the automated arm in this turn, since the model's tools failed.

        Args:
            message: Its id, as `record` gave it.
            text: The person's own words.
        """
        await self._store.write(observe.hand_over, turn, message, text)

    async def infer(self, text: str) -> Inference:
        """What a person says of themselves in their own words; nothing is kept."""
        return await self._observer.infer(text)

    async def resume(self) -> int:
        """Look at the messages that wait for it; returns how many.

        They are those that a process left in line when it ended, and the windows of automated chats that are full or
        whose person is silent. It is also done by itself.
        """
        return await self._observer.resume()

    async def make_episodes(self) -> int:
        """Make the episodes of automated chats that are due, without a model; returns how many.

        It is also done by itself.
        """
        count = 0
        for space, conversation in await self._store.read(auto_episodes.due_stretches):
            count += await self._store.write(auto_episodes.make_episodes, space, conversation)
        return count

    async def arm(self, turn: Turn) -> Decision:
        """Which arm manages the memory of the turn's chat, and why: the model with tools, or the pipeline without."""
        return await self._store.read(rollout.decide, turn)

    async def choose_arm(
        self,
        platform: str,
        chat: str,
        arm: Arm | None,
        *,
        space: str | None = None,
        user: int | str | None = None,
    ) -> int:
        """Give a chat an arm whatever the rollout says; None: leave it to the rollout again; for operators.

        Args:
            space: The space that the chat is in.
            user: Of a direct chat, its person. Neither: every chat that was seen with this id.

        Returns:
            How many chats these are.

        Raises:
            InvalidInput: No such chat was seen, and nobody said where it is; or the space is a person.
        """
        return await self._store.write(rollout.choose_arm, platform, chat, arm, space=space, user=user)

    async def rollout(self) -> RolloutNow:
        """How the rollout stands; for operators."""
        return await self._store.read(rollout.rollout_now)

    def answered(self, turn: Turn, outcome: Outcome, seconds: float) -> None:
        """Count an answer of the chat's model by arm; for hosts with a loop of their own.

        Args:
            turn: With the `arm` that it was answered in.
            outcome: `fallback`: the tools failed and it was answered without them; `failed`: not answered at all.
        """
        self._activity.answered(turn, outcome, seconds)

    async def questions(self, turn: Turn, *, grant: Grant | None = None) -> list[SaveQuestion]:
        """The speaker's open questions about uncertain memories, oldest first; in a group, those asked there."""
        await self.permit("questions", turn, grant)
        return await self._store.read(questions.save_questions, turn)

    async def answer_question(
        self,
        question_id: str,
        turn: Turn,
        *,
        save: bool,
        place: int | Collection[int] | None = None,
        skips: Collection[int] = (),
        value: str | None = None,
        grant: Grant | None = None,
    ) -> Answered:
        """Answer one of the speaker's questions.

        Args:
            place: Which item, or items; None: all that are asked about now, which are the first five that are open.
            skips: Items that are skipped while the others are saved: "only the first".
            value: What to save instead, as the person corrects it; needs a place.
        """
        await self.permit("answer_question", turn, grant)
        try:
            corrected = value if save and isinstance(place, int) else None
            places = (place,) if isinstance(place, int) else place
            return await self._store.write(
                questions.answer_question, turn, question_id, places, save=save, skips=skips, value=corrected
            )
        except questions.SaveFailedError as error:
            return Answered("failed", reason=str(error), cause=error.cause)
        except StoreClosed:
            raise
        except StoreError:
            _log.exception("the store failed while a question was answered")
            return Answered("failed", reason="the memory cannot be reached right now", cause="unreachable")

    async def due_reminders(self, limit: int = 100, *, platform: str | None = None) -> list[SaveQuestion]:
        """The questions whose people should be reminded now; each is returned once in its life.

        Args:
            platform: Only of this platform's people: a bot must not take those that another bot can show.
        """
        return await self._store.write(questions.due_reminders, limit, platform)

    async def take_operator_changes(self, platform: str) -> list[Notice]:
        """What operators changed in the memories of this platform's people since the last time, for its bot to tell.

        Each change is returned once, whichever process made it; nothing where `operator_notice` is `quiet`.
        """
        return await self._store.write(take_operator_changes, platform)

    def subscribe(self, subscriber: Callable[[Notice], object]) -> Callable[[], None]:
        """Have the subscriber called after each commit, once for each change, in order; returns how to stop it.

        It is called on the event loop and must not block. What it raises is logged and changes nothing.
        """
        self._subscribers.append(subscriber)

        def stop() -> None:
            if subscriber in self._subscribers:
                self._subscribers.remove(subscriber)

        return stop

    async def export(self, turn: Turn, *, grant: Grant | None = None) -> list[str]:
        """All that is the speaker's, as lines of JSON (docs/export-format.md); hand it to nobody else.

        It works at every privacy level, and in the person's direct chat holds what was said in every chat. In a group
        it holds what was said and is seen there.
        """
        await self.permit("export", turn, grant)
        return await self._store.read_long(export_speaker, turn)

    async def import_lines(self, lines: Iterable[str | bytes], *, dry_run: bool = False) -> ImportReport:
        """Add what an export holds and this memory does not, all in one transaction; for operators.

        Args:
            lines: Gone through twice; an iterator, which can be gone through once, is first read into memory.
            dry_run: Only say what would be done.

        Raises:
            InvalidInput: A line cannot be meant; nothing was changed.
        """
        repeatable = list(lines) if isinstance(lines, Iterator) else lines
        overview = await asyncio.to_thread(check, repeatable)
        try:
            return await self._store.write(import_lines, repeatable, overview, dry_run=dry_run)
        except DryRun as dry:
            return dry.report

    async def look(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a reading operation of one's own on one consistent snapshot; for operators."""
        return await self._store.read(operation, *args, **kwargs)

    async def look_with_meaning(
        self, operation: Callable[Concatenate[Tx, P], T], query: str, turn: Turn, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """The same for an operation that looks for a query as it would in a turn; for operators."""
        meaning = await meaning_of(self._embedding, query, turn)
        return await self._store.read(with_meaning(operation, meaning), *args, **kwargs)

    async def apply(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run an operation of one's own in a transaction; for operators."""
        return await self._worker.write(operation, *args, **kwargs)

    def inspect(self) -> dict[str, str]:
        """The store's versions, place and integrity, as text; for operators."""
        return self._store.inspect()

    def mend(self) -> tuple[str, str]:
        """Make damaged indexes anew; returns what was found, before and after: `ok` or what is wrong; for operators."""
        return self._store.mend()

    async def backup(
        self, path: str | Path, *, overwrite: bool = False, progress: Callable[[int, int], object] | None = None
    ) -> Backup:
        """Copy the database, as it is now, to a file of its own, and verify the copy; writers go on meanwhile.

        The file is readable by its owner alone. It appears whole, or, when anything fails, not at all.

        Args:
            overwrite: Whether a file that is there may be replaced.
            progress: Is told, in another thread, how many pages are copied, and of how many.

        Raises:
            InvalidInput: The path cannot be meant: there is a file already, or it belongs to the database.
            StoreBusy: Another backup to the same file is under way.
            StoreUnavailable: The file cannot be written, or the database is damaged.
        """
        given_up = threading.Event()

        def tell(done: int, pages: int) -> None:
            if given_up.is_set():
                raise StoreClosed("the backup was given up")
            if progress is not None:
                progress(done, pages)

        try:
            return await asyncio.to_thread(self._store.backup, Path(path), overwrite=overwrite, progress=tell)
        except asyncio.CancelledError:
            given_up.set()
            raise

    async def embed(self, progress: Callable[[int, int], object] | None = None) -> int:
        """Make the vectors of all that waits for one, now; returns how many. It is also done by itself.

        Args:
            progress: Is told how many texts have a vector of the embedder, and how many texts there are.

        Raises:
            EmbeddingError: The embedder failed; what is left waits on.
        """
        return 0 if self._embedding is None else await self._embedding.catch_up(progress)

    async def tidy(self) -> dict[str, int]:
        """Drop what is past its time, in small steps; returns how many of what.

        `texts`: deleted memories whose text left the audit trail; `messages`: ordinary messages past their days.
        Words that an older program put into the index are made anew first. What is remembered in a space from which
        the program was removed long ago is erased.
        """
        for platform, space in await self._store.read(erase_space.spaces_to_erase):
            await self.erase_space(platform, space)
        return await self._maintenance.tidy()

    async def forget_erased(self) -> bool:
        """Let go of what is in this process's memory, if anybody was erased since; returns whether that was so."""
        return await self._maintenance.forget_erased()

    def _publish(self, notices: Sequence[Notice]) -> None:
        self._activity.changed(notices)
        for notice in notices:
            for subscriber in tuple(self._subscribers):
                try:
                    subscriber(notice)
                except Exception:  # noqa: BLE001  (a failed notice never turns a success into an error)
                    _log.exception("a subscriber failed")
