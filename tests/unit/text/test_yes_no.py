"""A plain no closes a question; only a plain yes agrees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.text.yes_no import agreed, is_of_another, plainly_agrees, plainly_refuses

REFUSALS = """no|No!|NO.|nope|nah|NOOO|no no no|no thanks|no, thank you|no way|hell no|oh no, don't|actually, no|hmm, no
don't|Don’t!|dont|do not delete it|Do NOT delete|please don't|don't do it|don't you dare|Don't forget it
I don't want that|I don't want to delete it|I don't want you to delete it|You must not delete it|never
not now|not that one, the other|I'd rather not|of course not|absolutely not|better not|no need
yes, please don't delete that|cancel|cancel that|ok, cancel|stop|STOP!!!|wait|hold on|never mind|nevermind
leave it|keep it|please keep it|yes, keep it|no, keep it|I want to keep it|I changed my mind|yes... no
ok no|ok, no|okay no|ok nope|yes no|fine no|ок ні|добре ні|ладно ні
yes, but no|no problem, but don't delete it|delete it? no|skip it|abort|undo|reject
n|not yet|I don't think so|that's not what I meant|wrong one|I didn't ask for that|no one asked you to|don't bother
I still need it|let it stay|save it|delete nothing|I never asked you to delete it|yes, but not that one|do not.
не просив|це не те|треба залишити|хочу залишити|нізащо|не думаю|я не просил|хочу оставить
ні|Ні!|Ні, не треба
ні-ні|нііі|та ні|нє|неа|не видаляй|Не видаляйте це, будь ласка|будь ласка, не видаляй|не треба!|не хочу
не зараз|не чіпай|не потрібно|скасуй|скасувати|відміна|стоп|залиш|залиште|лиши це|зачекай|краще не треба
так, але не видаляй|ой ні|я передумав|нехай залишиться|ніколи|в жодному разі|збережи|нет|Нет!|нет-нет|ну нет
не надо|не нужно|не удаляй|отмена|отмени|оставь|оставь, пожалуйста|лучше не надо|подожди|стой|не трогай
я передумала|ни в коем случае|👎|❌|Please no 🙅"""

CONSENTS = """yes|Yes!|YES|yesss|yes please|yep|yeah, delete it|ok|OK, go ahead|okay|sure|go ahead|do it|of course
confirm|delete it|Delete it.|delete it please|please delete it|please do|yes, please do|yes, delete 24
yes, I want to delete it|yes, I am sure|I'm sure|no problem|no problem, delete it|I don't mind|why not
go ahead and delete it|sure thing, delete it|yes, delete the memory about my cat
y|yes, forget it|так, забудь|yes do|I said yes|delete all of them, yes|👍
✅ ✅|так|Так!|так, видали|Так, видаліть, будь ласка|видали|видаляй|угу|ага|авжеж|звісно|добре, видаляй
без проблем|я не проти|згоден|підтверджую|давай|да|Да, удали|удали|конечно|ладно|не возражаю|хорошо, удаляй
yes, do not keep it|don't keep it|не залишай це|не оставляй это"""

NEITHER = """|   |?!|I have no idea|no idea|hello|maybe|What is it?|what's the weather?|yes?|ok?
are you sure?|delete it?|I don't need it anymore
No longer needed|Don't stop|stop storing it|why don't you delete it?|not sure|I'm not sure
I don't know|I don't care|nothing|Nobody knows|Norway|Nokia|notable|stopwatch|nonsense|keepsake
I live in Oslo|I like cats|Delete the note about my cat|Forget that I keep bees|forget it|know
ok, tell me a joke|sure, if you want|yes, maybe delete it|yes or maybe later
no offense, tell me more|so-so|keep going|ні фіга собі, видаляй|так собі|так що там|не знаю
Нічого собі|навіщо|привіт|не впевнена|нема питань|не знаю что сказать|привет
без понятия|не уверен|🙂
та|та ну|Та ну!|та ну тебе|та ладно|ну та|так ось|так от|та де|ok bye|ок, бувай|ok lol|yes, bye"""

WORDS = [
    "yes",
    "no",
    "ok",
    "sure",
    "don't",
    "delete",
    "it",
    "keep",
    "not",
    "так",
    "ні",
    "не",
    "видаляй",
    "да",
    ",",
    "?",
]


def _messages(table: str) -> list[str]:
    return [message for line in table.splitlines() for message in line.split("|")]


@pytest.mark.parametrize("message", _messages(REFUSALS))
def test_a_plain_no_refuses_and_never_agrees(message: str) -> None:
    assert plainly_refuses(message)
    assert not plainly_agrees(message)


@pytest.mark.parametrize("message", _messages(CONSENTS))
def test_a_plain_yes_agrees_and_refuses_nothing(message: str) -> None:
    assert plainly_agrees(message)
    assert not plainly_refuses(message)


@pytest.mark.parametrize("message", _messages(NEITHER))
def test_anything_else_is_neither(message: str) -> None:
    assert not plainly_refuses(message)
    assert not plainly_agrees(message)


@given(st.text())
def test_no_text_is_both(text: str) -> None:
    assert not (plainly_refuses(text) and plainly_agrees(text))


@given(st.lists(st.sampled_from(WORDS)))
def test_no_mixture_of_words_is_both(words: list[str]) -> None:
    message = " ".join(words)
    assert not (plainly_refuses(message) and plainly_agrees(message))


@given(st.sampled_from(_messages(CONSENTS)), st.sampled_from(["no", "ні", "нет", "don't", "keep it", "cancel"]))
def test_a_refusal_after_a_consent_refuses(consent: str, refusal: str) -> None:
    assert plainly_refuses(f"{consent}. {refusal}")


def test_a_long_message_agrees_to_nothing() -> None:
    assert not plainly_agrees("yes " * 300)
    assert plainly_refuses("no " * 100_000)


HOME = {24: "location: Kyiv"}

AGREED = """forget 24|забудь 24
24|#24|№24|ID:24|id 24|memory 24|айді 24, видаляй|yes, delete 24|так, 24|yess|yes, really|just delete it
I said delete it!|I'd like you to delete it|you can delete it|ok thanks|proceed|ну так|так-так|я згодна
прошу видалити це|Would you be so kind as to delete that memory?|Чи не могли б ви, будь ласка, видалити це? Дуже дякую!
tak, vydaliai
forget where I live|delete my city|забудь, де я живу|видали, що я живу в Києві|Так, я там більше не живу
Дякую, що перепитали. Так, видаліть цей запис.|Yes delete that, I don't want you to know where I live"""

NOT_AGREED = """25|delete 25|yes, 25|24 what?|24 серпня День Незалежності|I am 24|it is 24 degrees|forget where I work
yes, delete my job|delete Lviv|yes I live in Kyiv|так, я живу в Києві|of course I live in Kyiv|You forget where I live
how do I delete where I live|how to delete it|so what if I delete it|I am fine|you sure|the right one|yeah right
forget it|авжеж, видали ще й мене разом із ним|yes, if you can restore it|так, якщо потім можна повернути|🤔 yes
delete it tomorrow
і так добре|та й так добре|и так хорошо|its fine like this|нехай|пусть
I will delete it|we could delete it|let me delete it
Okay Google|👍 to your picture!|She asked me and I said yes!|певно, так|видали інше|yes, the other one|me too|please
да ну|все добре|oh sure|yes 🤣|forget 25"""


@pytest.mark.parametrize("message", _messages(AGREED))
def test_what_agrees_names_or_repeats_confirms(message: str) -> None:
    assert agreed(message, HOME) == {24}


@pytest.mark.parametrize("message", [*_messages(NOT_AGREED), *_messages(REFUSALS)])
def test_what_speaks_of_something_else_confirms_nothing(message: str) -> None:
    assert agreed(message, HOME) == set()


def test_an_id_or_an_order_confirms_what_it_names_alone() -> None:
    both = {24: "likes green tea", 25: "lives in Kyiv"}
    assert agreed("yes", both) == agreed("24 and 25", both) == {24, 25}
    assert agreed("delete 25", both) == agreed("forget where I live", both) == {25}


@given(st.lists(st.sampled_from(WORDS)))
def test_what_refuses_confirms_nothing(words: list[str]) -> None:
    message = " ".join(words)
    assert not (plainly_refuses(message) and agreed(message, HOME))


@pytest.mark.parametrize(
    "message", _messages("No, Bob, the match is at five|Ні, Тарасе, о п'ятій|No, I can't come on Friday, sorry")
)
def test_a_no_that_goes_on_about_something_else_is_of_another(message: str) -> None:
    assert is_of_another(message, ["like: tea"])


@pytest.mark.parametrize(
    "message",
    _messages(
        "no|No, I hate tea|no, I am vegetarian now|ні, це неправда|no, that's not me|no thanks, I don't want that"
    ),
)
def test_a_no_to_what_was_asked_is_of_nothing_else(message: str) -> None:
    assert not is_of_another(message, ["like: tea"])


ERASED = """yes|Yes!|yes please|yes, everything|ok|ok thanks|go ahead|yes do it|erase everything|стерти все|так
так, дякую|так, все|да, пожалуйста|👍|yes 🙏|yes, I am sure|так, я впевнена"""

NOT_ERASED = """ok whatever|ok hey|ok screw it|ok, nonsense|ok it was a joke|ok thanks for asking|yes, you know
так, до речі|ок, іди до біса
ok I would prefer|yes, the list|ok so|ok um|ну ок, подивимось|ok anyway|так, слухай"""


@pytest.mark.parametrize("message", _messages(ERASED))
def test_a_mere_yes_or_the_order_erases_everything(message: str) -> None:
    assert plainly_agrees(message, "erase")


@pytest.mark.parametrize("message", _messages(NOT_ERASED))
def test_no_yes_with_anything_beside_it_erases_everything(message: str) -> None:
    assert not plainly_agrees(message, "erase")
