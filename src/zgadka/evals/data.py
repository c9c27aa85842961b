"""Read conversations with questions whose answers are known turns: LoCoMo and LongMemEval, as they are published."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, cast

from zgadka.errors import InvalidInput

Format = Literal["LoCoMo", "LongMemEval"]
ASSISTANT = "assistant"

_LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
"""The fifth, adversarial questions, has no answer in the conversation."""
_DIALOGUE_ID = re.compile(r"D:?(\d+):0*(\d+)")  # also "D8:6; D9:17" and "D:11:26", as some are written
_BETWEEN_TURNS = timedelta(minutes=1)
_LOCOMO_TIME = "%I:%M %p on %d %B, %Y"
_LONGMEMEVAL_TIME = re.compile(r"(\d{4})/(\d\d)/(\d\d) \(\w+\) (\d\d):(\d\d)")


@dataclass(frozen=True, kw_only=True)
class SpokenTurn:
    """One turn of a conversation.

    Attributes:
        id: Unique in the conversation.
        session: The talk that it belongs to.
        speaker: A name; "assistant" where a language model speaks.
    """

    id: str
    session: str
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question and the turns that answer it.

    Attributes:
        turns: Ids of the turns that answer it; empty where only the sessions are known.
        at: When it is asked, if the data says so.
    """

    id: str
    text: str
    category: str
    turns: frozenset[str]
    sessions: frozenset[str]
    at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """Turns in the order of time, and questions about them.

    Attributes:
        asker: The speaker who asks the questions; None: nobody who speaks.
    """

    name: str
    turns: Sequence[SpokenTurn]
    questions: Sequence[Question]
    asker: str | None = None


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """What a file holds.

    Attributes:
        skipped: Questions that were left out, since no turn of the conversation answers them.
    """

    format: Format
    conversations: Sequence[Conversation]
    skipped: int


def load_benchmark(path: Path, *, limit: int | None = None, captions: bool = False) -> Benchmark:
    """Read a file and see which format it has.

    Args:
        limit: Read only the first conversations.
        captions: Whether the captions that LoCoMo made of its pictures are part of a turn's text.

    Raises:
        InvalidInput: It cannot be read, or has neither format.
    """
    try:
        parsed: object = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InvalidInput(f"cannot read {str(path)!r}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{str(path)!r} is no JSON: {error}") from error
    items = cast("list[dict[str, Any]]", parsed if isinstance(parsed, list) else [])[:limit]
    try:
        if items and all("conversation" in item for item in items):
            return _benchmark("LoCoMo", [_locomo(item, captions=captions) for item in items])
        if items and all("haystack_sessions" in item for item in items):
            return _benchmark("LongMemEval", [_longmemeval(item) for item in items])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(f"{str(path)!r} is not as LoCoMo or LongMemEval publish it: {error!r}") from error
    raise InvalidInput(f"{str(path)!r} holds no list of LoCoMo conversations or LongMemEval questions")


def _benchmark(name: Format, read: Iterable[tuple[Conversation, int]]) -> Benchmark:
    pairs = list(read)
    return Benchmark(
        format=name,
        conversations=[conversation for conversation, _ in pairs if conversation.questions],
        skipped=sum(skipped for _, skipped in pairs),
    )


def _locomo(item: Mapping[str, Any], *, captions: bool) -> tuple[Conversation, int]:
    talk: Mapping[str, Any] = item["conversation"]
    turns: list[SpokenTurn] = []
    for number in sorted(int(key.split("_")[1]) for key in talk if re.fullmatch(r"session_\d+", key)):
        start = datetime.strptime(talk[f"session_{number}_date_time"], _LOCOMO_TIME).replace(tzinfo=UTC)
        for index, turn in enumerate(talk[f"session_{number}"]):
            caption = turn.get("blip_caption") if captions else None
            turns.append(
                SpokenTurn(
                    id=turn["dia_id"],
                    session=f"D{number}",
                    speaker=turn["speaker"],
                    text=f"{turn['text']} [{caption}]" if caption else turn["text"],
                    at=start + index * _BETWEEN_TURNS,
                )
            )
    sessions = {turn.id: turn.session for turn in turns}
    questions: list[Question] = []
    skipped = 0
    for index, record in enumerate(item["qa"]):
        category = _LOCOMO_CATEGORIES.get(record["category"])
        if category is None:
            continue
        named = (f"D{session}:{turn}" for session, turn in _DIALOGUE_ID.findall(" ".join(record["evidence"])))
        answering = frozenset(named) & sessions.keys()
        if not answering:
            skipped += 1
            continue
        questions.append(
            Question(
                id=f"{item['sample_id']}/{index}",
                text=record["question"],
                category=category,
                turns=answering,
                sessions=frozenset(sessions[turn] for turn in answering),
            )
        )
    return Conversation(name=item["sample_id"], turns=turns, questions=questions), skipped


def _longmemeval(item: Mapping[str, Any]) -> tuple[Conversation, int]:
    turns: list[SpokenTurn] = []
    evidence: set[str] = set()
    sessions = zip(item["haystack_session_ids"], item["haystack_dates"], item["haystack_sessions"], strict=True)
    dated = sorted(
        ((_longmemeval_time(date), index, name, messages) for index, (name, date, messages) in enumerate(sessions))
    )
    for start, position, name, messages in dated:
        session = f"{name}#{position}"  # a session may stand in a haystack twice
        for index, turn in enumerate(messages):
            spoken = SpokenTurn(
                id=f"{session}:{index}",
                session=session,
                speaker=ASSISTANT if turn["role"] == ASSISTANT else "user",
                text=turn["content"],
                at=start + index * _BETWEEN_TURNS,
            )
            turns.append(spoken)
            if turn.get("has_answer"):
                evidence.add(spoken.id)
    answering = set(item["answer_session_ids"])
    question = Question(
        id=item["question_id"],
        text=item["question"],
        category=item["question_type"],
        turns=frozenset(evidence),
        sessions=frozenset(turn.session for turn in turns if turn.session.rpartition("#")[0] in answering),
        at=_longmemeval_time(item["question_date"]),
    )
    # Questions about what was never said have ids that end so; nothing answers them.
    is_answered = bool(question.sessions) and not question.id.endswith("_abs")
    conversation = Conversation(
        name=question.id, turns=turns, questions=[question] if is_answered else [], asker="user"
    )
    return conversation, int(not is_answered)


def _longmemeval_time(text: str) -> datetime:
    match = _LONGMEMEVAL_TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"no time such as '2023/05/20 (Sat) 02:21': {text!r}")
    return datetime(*map(int, match.groups()), tzinfo=UTC)
