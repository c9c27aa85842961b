"""A language that is only files, Polish: what its lists and frames tell, and what they never tell."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from inferred import certain, uncertain

from zgadka.extract.authored_text import own_words
from zgadka.extract.frames import frames_of
from zgadka.extract.listed import listed_language
from zgadka.extract.rules import extract, weigh_claim
from zgadka.extract.units import Kinds, kinds_of

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Nazywam się Paweł i pracuję jako elektryk w Tauronie", {"name: Paweł", "job: elektryk", "employer: Tauron"}),
        ("hejka, tu Ola, tatuatorka z Torunia, 28 l.", {"name: Ola", "job: tatuatorka", "hometown: Toruń", "age: 28"}),
        ("mieszkam w Białymstoku, ale pochodzę z Nowego Sącza", {"location: Białystok", "hometown: Nowy Sącz"}),
        ("jestem uczulona na orzechy i sierść kota", {"allergy: orzechy", "allergy: sierść kota"}),
        ("mam cukrzycę typu 1 i astmę", {"health: cukrzyca typu 1", "health: astma"}),
        ("mam syna Antka i córkę Hanię", {"son: Antek", "daughter: Hania"}),
        ("mamy psa i dwa koty", {"pet: pies", "pet: dwa koty"}),
        ("mówię po polsku i trochę po czesku", {"language: polski", "language: czeski"}),
        ("jestem starszą księgową w Łodzi", {"job: starsza księgowa"}),
        ("uwielbiam włoską kuchnię", {"like: włoska kuchnia"}),
        ("mam 34 lata xD", {"age: 34"}),
        ("mam cukrzycę, co mogę jeść?", {"health: cukrzyca"}),
        ("mam egzamin w piątek", {"date: egzamin: piątek"}),
        ("no więc, z tej strony Kinga", {"name: Kinga"}),
        ("mój brat Olek mieszka w Oslo, moja wnuczka to Iga", {"brother: Olek", "granddaughter: Iga"}),
        ("pisz do mnie krótko", {"style: pisz do mnie krótko"}),
    ],
)
def test_a_verb_in_the_first_person_tells_whose_a_statement_is(text: str, items: set[str]) -> None:
    assert certain(text) == items


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("mieszkam w lodzi", {"location: Łódź"}),
        ("jestem uczulona na sierść", {"allergy: sierść"}),
        ("mam na imie agnieszka", {"name: Agnieszka"}),
        ("moja zona Asia gotuje", {"wife: Asia"}),
        ("maz maluje i gra na gitarze", set[str]()),  # no sign is left out: "maluję" is another word
    ],
)
def test_words_are_known_without_the_signs_on_their_letters_unless_they_are_others_then(
    text: str, items: set[str]
) -> None:
    assert certain(text) == items


@pytest.mark.parametrize(
    "text",
    [
        *("mój mąż jest programistą w Krakowie", "jej imię to Lena, mieszka w Sopocie", "Marek ma psa, a Zuzia kota"),
        *("mam klienta z Gdyni", "mam psa sąsiadki na weekend", "brat mojego męża Adam mieszka w Norwegii"),
        *("nie mieszkam już w Opolu", "nikt nie wie, że mam 40 lat", "nie powiedziałam, że mieszkam w Gdyni"),
        *("mama mówi, że jestem z Mazur", "mam 15 lat, pisze brat", "według horoskopu jestem artystą"),
        *("gdybym był rybakiem, mieszkałbym na Helu", "jeśli mam cukrzycę, to co?", "czy jestem alergikiem?"),
        *("śniło mi się, że mam psa", "zapomnij, że mieszkam w Gdyni", "mieszkam w Lublinie?", "mój pies zdechł"),
        *("Rozdział 1. Nazywam się Ola i jestem lekarką.", "mam 20 lat doświadczenia", "mam kota na punkcie porządku"),
        *("Na zebraniu wspólnoty mieszkaniowej padło to zdanie Adama: mam 30 lat", "gdzie jestem lekarzem, nie wiem"),
        *("dziś jestem kierowcą, bo nie piję", "za rok mam 40 lat", "na tym zdjęciu mam 12 lat", "mam migrenę od tego"),
        *("jestem dobrym kucharzem", "jestem uczulony na głupotę", "jestem w Warszawie przejazdem"),
        *("Kasia, 25, Warszawa - taki profil", "krótko mówiąc, nie", "proszę o krótki mail do szefa"),
    ],
)
def test_what_is_anothers_denied_asked_reported_or_supposed_is_never_certain(text: str) -> None:
    assert certain(text) == set()


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("chyba mam alergię na kurz", "allergy: kurz"),
        ("może przeprowadzę się do Krakowa", "goal: przeprowadzę się do Krakowa"),
        ("Mieszkam w Gdyni. Chyba.", "location: Gdynia"),
        ("gram na pianinie xD", "hobby: pianino"),
    ],
)
def test_what_is_doubted_or_laughed_about_is_asked_about(text: str, item: str) -> None:
    assert certain(text) == set()
    assert item in uncertain(text)


@pytest.mark.parametrize(
    "text",
    [
        *("I live in Łódź with my brat of a brother", "I'm from Kraków", "do you know Zofia Nałkowska?"),
        *("pratsuyu kurierom v glovo, sogodni na veliku", "живу в Лодзі, mieszkam tu", "Ich wohne in Köln", "123 :)"),
    ],
)
def test_a_message_in_another_language_is_not_read_as_polish(text: str) -> None:
    assert listed_language(own_words(text)) is None


@pytest.mark.parametrize("text", ["jestem Ola", "odpowiadaj zwięźle", "mieszkam w Pile", "lubie jazz"])
def test_a_message_in_polish_is_told_by_its_words_or_letters(text: str) -> None:
    assert listed_language(own_words(text)) == "pl"


@pytest.mark.parametrize(
    ("sentence", "value", "weight"),
    [
        ("mam alergię na orzechy", "orzechy", True),
        ("może przeprowadzę się do Berlina", "Berlin", False),
        ("w Krakowie od roku", "Kraków", False),
        ("moja siostra pracuje w Odessie jako pielęgniarka", "pielęgniarka", None),
        ("jestem lekarzem, a brat strażakiem", "strażak", None),
        ("nie mieszkam w Gdyni", "Gdynia", None),
        ("mąż twierdzi, że mam talent", "talent", None),
        ("mieszkam w Gdyni?", "Gdynia", None),
    ],
)
def test_what_a_model_reads_is_held_to_the_same_lists(sentence: str, value: str, weight: bool | None) -> None:
    assert weigh_claim(sentence, "location", value) is weight


def test_what_is_not_understood_is_left_to_a_model_if_it_is_about_its_writer() -> None:
    assert not extract("jestem w ciąży i nie wiem, co robić").settled
    assert extract("Wisła to najdłuższa rzeka, jest piękna").settled


def _measured(name: str) -> tuple[Any, Any]:
    spec = importlib.util.spec_from_file_location("loose_labels_of_polish", ROOT / "benchmarks" / "_loose_labels.py")
    assert spec is not None
    assert spec.loader is not None
    labels = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = labels  # its dataclasses look for it
    spec.loader.exec_module(labels)
    lines = (ROOT / "tests" / "data" / f"messages_pl_{name}.jsonl").read_text("utf-8").splitlines()
    return labels.score(map(json.loads, lines), lambda message: extract(message["text"]))


def test_of_polish_messages_nothing_certain_is_wrong_and_most_is_found() -> None:
    certain_counts, uncertain_counts = _measured("dev")
    assert certain_counts["all"].mistakes == [line for line in certain_counts["all"].mistakes if " missed " in line]
    assert certain_counts["all"].recall >= 0.9
    assert uncertain_counts["all"].recall >= 0.6


def test_of_polish_messages_about_others_fiction_and_denials_nothing_certain_is_wrong() -> None:
    certain_counts, _ = _measured("own")
    assert certain_counts["all"].wrong == 0


def test_every_word_list_that_frames_name_is_there() -> None:
    """A kind that no list has never fits: a slip in the file, not a word too few."""
    frames = frames_of("pl")
    assert frames is not None
    parts = frames.entries["parts"]
    lists = set(frames.entries["kinds"]) | set(frames.entries["declined"]) | set(frames.entries["endings"])
    of_form = {"MARK", "NUMBER", "AGE", "UNKNOWN", "OPEN", "CAPITAL"}
    named = {
        name
        for entry in frames.entries["frames"]
        for frame in entry["frame"]
        for element in frame.split()
        for name in element.strip("!?*+").split("{")[0].split("|")
        if name.isupper() and len(name) > 2 and name[0] != "@"
    }
    known = lists | of_form | set(parts)
    assert {name for name in named if name not in known and name[:-2] not in known} == set()


def test_only_a_language_with_a_table_of_forms_has_base_forms() -> None:
    kinds = kinds_of("frames_en")
    assert type(kinds) is Kinds
    with pytest.raises(ValueError, match="table of forms"):
        kinds.rule("base JOB n")
