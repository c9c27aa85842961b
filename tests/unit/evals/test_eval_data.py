"""Reading LoCoMo and LongMemEval."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from zgadka.errors import InvalidInput
from zgadka.evals.data import load_benchmark

LOCOMO: list[dict[str, Any]] = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_10_date_time": "1:56 pm on 8 May, 2023",
            "session_10": [{"speaker": "Bob", "dia_id": "D10:1", "text": "I sold the boat."}],
            "session_2_date_time": "11:01 am on 17 December, 2022",
            "session_2": [
                {"speaker": "Ann", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a photo of a boat"},
                {"speaker": "Bob", "dia_id": "D2:2", "text": "I bought a boat yesterday."},
            ],
            "session_3_date_time": "11:01 am on 18 December, 2022",
        },
        "qa": [
            {"question": "What did Bob buy?", "answer": "a boat", "evidence": ["D2:2"], "category": 4},
            {"question": "What did he own?", "answer": "a boat", "evidence": ["D2:02; D:10:1"], "category": 1},
            {"question": "Nowhere?", "answer": "no", "evidence": ["D99:1"], "category": 3},
            {"question": "No evidence?", "answer": "no", "evidence": [], "category": 2},
            {"question": "A trap?", "adversarial_answer": "no", "evidence": ["D2:1"], "category": 5},
        ],
    }
]

LONGMEMEVAL: list[dict[str, Any]] = [
    {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Where did I buy my telescope?",
        "answer": "in Lviv",
        "question_date": "2023/06/20 (Tue) 02:21",
        "haystack_session_ids": ["late", "early", "early"],
        "haystack_dates": ["2023/05/30 (Tue) 23:40", "2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 02:21"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I bought a telescope in Lviv.", "has_answer": True},
                {"role": "assistant", "content": "How nice! Telescopes show the moon.", "has_answer": False},
            ],
            [{"role": "user", "content": "How do I bake bread?"}, {"role": "assistant", "content": "With flour."}],
            [{"role": "assistant", "content": "Hello."}],
        ],
        "answer_session_ids": ["late"],
    },
    {
        "question_id": "q2_abs",
        "question_type": "single-session-user",
        "question": "Where did I buy my yacht?",
        "answer": "You did not say.",
        "question_date": "2023/06/20 (Tue) 02:21",
        "haystack_session_ids": ["a"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [[{"role": "user", "content": "I like boats."}]],
        "answer_session_ids": ["a"],
    },
]


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    return write(tmp_path, LOCOMO)


def write(directory: Path, given: object) -> Path:
    path = directory / "data.json"
    path.write_text(json.dumps(given))
    return path


def test_locomo_turns_come_in_the_order_of_sessions(locomo: Path) -> None:
    benchmark = load_benchmark(locomo)
    (conversation,) = benchmark.conversations
    assert benchmark.format == "LoCoMo"
    assert [turn.id for turn in conversation.turns] == ["D2:1", "D2:2", "D10:1"]
    assert [turn.session for turn in conversation.turns] == ["D2", "D2", "D10"]
    assert conversation.turns[1].at == datetime(2022, 12, 17, 11, 2, tzinfo=UTC)
    assert conversation.asker is None


def test_locomo_evidence_is_read_however_it_is_written(locomo: Path) -> None:
    benchmark = load_benchmark(locomo)
    bought, owned = benchmark.conversations[0].questions
    assert (bought.category, bought.turns, bought.sessions) == ("single-hop", {"D2:2"}, {"D2"})
    assert (owned.category, owned.turns, owned.sessions) == ("multi-hop", {"D2:2", "D10:1"}, {"D2", "D10"})
    assert benchmark.skipped == 2  # the trap is no question of ours


def test_captions_are_text_only_where_asked_for(locomo: Path) -> None:
    assert load_benchmark(locomo).conversations[0].turns[0].text == "Look!"
    assert load_benchmark(locomo, captions=True).conversations[0].turns[0].text == "Look! [a photo of a boat]"


def test_longmemeval_is_a_conversation_for_each_question(tmp_path: Path) -> None:
    benchmark = load_benchmark(write(tmp_path, LONGMEMEVAL))
    (conversation,) = benchmark.conversations
    assert benchmark.format == "LongMemEval"
    assert benchmark.skipped == 1  # what was never said
    assert [turn.id for turn in conversation.turns] == ["early#1:0", "early#1:1", "early#2:0", "late#0:0", "late#0:1"]
    assert [turn.speaker for turn in conversation.turns][:2] == ["user", "assistant"]
    (question,) = conversation.questions
    assert question.turns == {"late#0:0"}
    assert question.sessions == {"late#0"}
    assert question.at == datetime(2023, 6, 20, 2, 21, tzinfo=UTC)
    assert conversation.asker == "user"


def test_the_first_conversations_can_be_enough(tmp_path: Path) -> None:
    assert len(load_benchmark(write(tmp_path, LOCOMO * 3), limit=2).conversations) == 2


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ([], "holds no list of LoCoMo conversations or LongMemEval questions"),
        ({"a": 1}, "holds no list"),
        ([1], "as LoCoMo or LongMemEval publish it"),
        ([{"a": 1}], "holds no list"),
        ([{"conversation": {}}], "not as LoCoMo or LongMemEval publish it"),
        ([{"conversation": {"session_1": [{}], "session_1_date_time": "soon"}, "qa": []}], "soon"),
        ([LONGMEMEVAL[0] | {"question_date": "soon"}], "no time such as '2023/05/20 (Sat) 02:21'"),
    ],
)
def test_other_files_are_refused_with_a_reason(tmp_path: Path, given: object, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint.replace("(", r"\(").replace(")", r"\)")):
        load_benchmark(write(tmp_path, given))


def test_no_file_and_no_json_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot read"):
        load_benchmark(tmp_path / "absent.json")
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(InvalidInput, match="is no JSON"):
        load_benchmark(tmp_path / "broken.json")
