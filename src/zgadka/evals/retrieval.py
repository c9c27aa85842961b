"""Measure how well the messages of a conversation are found: through the product, and as others do it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from zgadka import telemetry
from zgadka.assemble import open_memory
from zgadka.evals.baselines import Fts5, PlainBm25
from zgadka.evals.data import ASSISTANT, Benchmark, Conversation
from zgadka.evals.metrics import Estimate, estimate, measure, without_repeats
from zgadka.model.people import Member
from zgadka.model.turn import Turn, person_number
from zgadka.settings import Settings

if TYPE_CHECKING:
    from zgadka.search.embedders.protocols import Embedder

KS = (5, 10, 20)
_RANKED = 200
"""So many turns are ranked, that there are enough sessions among them."""
_PLATFORM = "eval"
_BASELINES = ("FTS5 porter", "FTS5 unicode61", "plain BM25")

Progress = Callable[[str, int], None]
"""Is told what is being done and how many questions are behind."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """How one system did.

    Attributes:
        turns: By category, "all" first: the measures of finding the turns that answer; empty where they are unknown.
        sessions: The same of finding their sessions.
        counts: Questions of each category.
        by_meaning: How many of the questions had a vector; None where the system makes none.
    """

    system: str
    turns: Mapping[str, Mapping[str, Estimate]]
    sessions: Mapping[str, Mapping[str, Estimate]]
    counts: Mapping[str, int]
    by_meaning: int | None = None


async def evaluate(
    benchmark: Benchmark,
    *,
    embedder: Embedder | None = None,
    ks: Sequence[int] = KS,
    progress: Progress = lambda _, __: None,
) -> list[Result]:
    """Ask every question of every system; the product comes first, without and then with the embedder.

    Args:
        ks: The cut-offs of recall.
        progress: Is called before each conversation of each system.
    """
    systems: dict[str, Embedder | None] = {"zgadka": None}
    if embedder is not None:
        systems[f"zgadka, {embedder.name}"] = embedder
    rows: defaultdict[str, list[_Row]] = defaultdict(list)
    by_meaning: dict[str, int] = {}
    completed = 0
    for conversation in benchmark.conversations:
        questions = [question.text for question in conversation.questions]
        for system in (*systems, *_BASELINES):
            progress(f"{conversation.name}: {system}", completed)
            if system in systems:
                before = queries_by_meaning()
                rankings = await rank_with_product(conversation, systems[system])
                if systems[system] is not None:
                    by_meaning[system] = by_meaning.get(system, 0) + queries_by_meaning() - before
            else:
                rankings = _rank_with_baseline(system, conversation, questions)
            rows[system] += _measured(conversation, rankings, ks)
        completed += len(questions)
    progress("averages", completed)
    return [replace(_result(system, rows[system]), by_meaning=by_meaning.get(system)) for system in rows]


def queries_by_meaning() -> int:
    """How many queries of this process were answered by meaning too."""
    return sum(sums[0] for key, sums in telemetry.totals().items() if key[:3] == ("embedding", "query", "used"))


async def rank_with_product(conversation: Conversation, embedder: Embedder | None) -> list[list[str]]:
    """Record every turn of a conversation in a memory of its own, then search it for each question.

    Returns:
        The ids of the best turns for each question, best first.
    """
    end = conversation.turns[-1].at + timedelta(days=1)
    # An hour for a query's vector: what is measured is what is found. The chat happened long ago; nothing is let go.
    settings = Settings(query_ms=3_600_000, memory_tool_async=False, message_days=36_500)
    async with AsyncExitStack() as stack:
        # A file: the index of a database in memory is made anew for each question.
        folder = stack.enter_context(TemporaryDirectory())
        url = f"sqlite:///{folder}/memory.db"
        memory = await stack.enter_async_context(
            open_memory(url, settings=settings, clock=lambda: end, embedder=embedder)
        )
        speakers = dict.fromkeys(turn.speaker for turn in conversation.turns)
        people = [speaker for speaker in speakers if speaker != ASSISTANT]
        for name in people:
            if conversation.asker is None:  # "user" is a role, not a name
                member = Member(user=name, number=person_number(_PLATFORM, name), name=name)
                await memory.report_member(_PLATFORM, conversation.name, member)
        turn_ids: dict[int, str] = {}
        spoken_last = people[0] if people else ASSISTANT
        for turn in conversation.turns:
            role = "assistant" if turn.speaker == ASSISTANT else "user"
            spoken_last = spoken_last if role == "assistant" else turn.speaker
            event = Turn(
                platform=_PLATFORM,
                space=conversation.name,
                chat=conversation.name,
                user=spoken_last,
                message=turn.id,
                time=turn.at,
            )
            number = await memory.record(role, turn.text, event)
            assert number is not None  # noqa: S101  (nobody here is invisible)
            turn_ids[number] = turn.id
        await memory.embed()
        rankings: list[list[str]] = []
        for question in conversation.questions:
            asking = Turn(
                platform=_PLATFORM,
                space=conversation.name,
                chat=conversation.name,
                # Where nobody who speaks asks, a stranger does.
                user=conversation.asker or "somebody who asks",
                time=question.at or end,
            )
            matches = await memory.search_messages(question.text, asking, _RANKED)
            rankings.append([turn_ids[match.message.id] for match in matches])
        return rankings


def _rank_with_baseline(system: str, conversation: Conversation, questions: Sequence[str]) -> list[list[str]]:
    name, _, tokenizer = system.partition(" ")
    ranker = Fts5(conversation, tokenizer) if name == "FTS5" else PlainBm25(conversation)
    return ranker.rank(questions, _RANKED)


@dataclass(frozen=True)
class _Row:
    """The measures of one question."""

    category: str
    turns: Mapping[str, float] | None
    sessions: Mapping[str, float]


def _measured(conversation: Conversation, rankings: Sequence[Sequence[str]], ks: Sequence[int]) -> list[_Row]:
    sessions = {turn.id: turn.session for turn in conversation.turns}
    return [
        _Row(
            question.category,
            measure(ranking, question.turns, ks) if question.turns else None,
            measure(without_repeats(map(sessions.__getitem__, ranking)), question.sessions, ks),
        )
        for question, ranking in zip(conversation.questions, rankings, strict=True)
    ]


def _result(system: str, rows: Sequence[_Row]) -> Result:
    groups: dict[str, list[_Row]] = {"all": list(rows)}
    for category in sorted({row.category for row in rows}):
        groups[category] = [row for row in rows if row.category == category]
    return Result(
        system=system,
        turns={name: estimate([row.turns for row in group if row.turns]) for name, group in groups.items()},
        sessions={name: estimate([row.sessions for row in group]) for name, group in groups.items()},
        counts={name: len(group) for name, group in groups.items()},
    )
