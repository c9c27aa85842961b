"""Yes and no in twelve languages: `tests/data/replies.md`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reply_labels import Reply, check_bars, read_replies

from zgadka.text.reply_words import LANGUAGES
from zgadka.text.yes_no import Asked, agreed, plainly_agrees, plainly_refuses

REFUSALS = """no|nope|don't|stop|ні|не треба|нет|не надо|net|nyet|nie|nie trzeba|nein|nö|bitte nicht|lieber nicht|non
surtout pas|pas encore|mejor no|ni hablar|meglio di no|assolutamente no|não|melhor não|hayır|olmaz|gerek yok|ne
v žádném případě|nee|liever niet|👎|🙅|нi|nо|NOOOO|не-а|never""".replace("\n", "|").split("|")
AGREEMENTS = [reply for reply in read_replies("replies") if reply.label == "agree"]

DIRECTIONS = """delete|agree|don't keep it
delete|refuse|keep it
delete|refuse|save it
delete|refuse|don't delete it
erase|agree|don't keep anything
erase|agree|forget me
erase|agree|видали все
erase|neither|delete it
erase|neither|yes, delete it
erase|neither|delete 2
erase|neither|don't keep it
erase|refuse|keep everything
save|agree|save it
save|agree|keep it
save|agree|don't forget it
save|refuse|don't save it
save|refuse|delete it
allow|agree|go ahead
allow|agree|нехай
allow|agree|пусть
allow|agree|let him change it
allow|refuse|keep it
allow|refuse|don't change it
allow|neither|delete it
allow|refuse|don't keep it
delete|neither|change it
delete|neither|I don't remember
delete|neither|I can't keep it""".splitlines()

SPELLINGS = """uk|нi|refuse
en|nо|refuse
uk|тaк|agree
ru|da, udalyai|agree
ru|nyet|refuse
ru|da, udaliaj|agree
uk|vydalyaj|agree
en|yesssssss|agree
en|deltee it|agree
pl|usun to|agree
de|loesch es|agree
fr|d’accord|agree
tr|HAYIR|refuse
cs|smaz to|agree""".splitlines()

NOT_ALL_OF_IT = """en|yes, delete 42
en|yes Ann
en|ok Amy
en|yes, but later
en|"yes"
en|> yes
en|yes, I am
en|I do not remember
en|not all of it
uk|так, я тут
de|ja, ich auch
de|gut und dir
fr|oui je suis là
es|si lo borras
it|sì ci sono
pl|tak mamo""".splitlines()


def _verdict(text: str, asked: Asked = "delete", language: str | None = None) -> str:
    if plainly_refuses(text, asked):
        return "refuse"
    return "agree" if agreed(text, {24: "likes chess"}, asked, language) else "neither"


def test_yes_and_no_are_understood_and_nothing_else_is_a_yes() -> None:
    check_bars("replies")


@pytest.mark.parametrize("line", DIRECTIONS)
def test_what_is_asked_decides_what_an_order_says(line: str) -> None:
    asked, verdict, text = line.split("|")
    assert _verdict(text, asked) == verdict  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("line", SPELLINGS)
def test_other_spellings_say_the_same(line: str) -> None:
    language, text, verdict = line.split("|")
    assert _verdict(text, language=language) == verdict


@pytest.mark.parametrize("line", NOT_ALL_OF_IT)
def test_what_speaks_of_more_or_less_or_of_others_agrees_to_nothing(line: str) -> None:
    language, _, text = line.partition("|")
    assert _verdict(text, language=language) != "agree"


@given(st.sampled_from(AGREEMENTS), st.sampled_from(REFUSALS), st.sampled_from([". ", ", ", "\n", "! "]), st.booleans())
def test_a_refusal_of_any_language_beside_an_agreement_never_agrees(
    reply: Reply, refusal: str, between: str, is_first: bool
) -> None:
    text = between.join([refusal, reply.text] if is_first else [reply.text, refusal])
    assert plainly_refuses(text, reply.asked)
    assert not agreed(text, reply.texts, reply.asked, reply.language)
    assert not plainly_agrees(text, reply.asked, reply.language)


@given(st.text(), st.sampled_from([None, *LANGUAGES, "pt-BR", "xx"]))
def test_no_text_is_both_in_any_language(text: str, language: str | None) -> None:
    assert not (plainly_refuses(text) and plainly_agrees(text, language=language))


def test_an_agreement_counts_in_the_persons_language_and_in_english_alone() -> None:
    assert _verdict("oui", language="fr") == _verdict("yes", language="fr") == "agree"
    assert _verdict("oui", language="de") == _verdict("oui") == "neither"
    assert _verdict("так") == _verdict("да") == "agree"
    assert _verdict("так", language="xx") == "neither"
    assert _verdict("sim", language="pt-BR") == "agree"
