"""What the stand-in takes a message to mean, sentence by sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.cpu_time import takes_less

from zgadka.chat.offline_model.understand import (
    AskAbout,
    AskKey,
    Choice,
    Forget,
    ForgetIds,
    Note,
    Tell,
    language_of,
    understand,
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # English
        ("I live in Kyiv", [("location", "Kyiv", None)]),
        ("i live in kyiv", [("location", "kyiv", None)]),
        ("I'm living in Kyiv.", [("location", "Kyiv", None)]),
        ("I am based in New York City", [("location", "New York City", None)]),
        ("I live in Kyiv, Ukraine", [("location", "Kyiv, Ukraine", None)]),
        ("I live in the Netherlands", [("location", "the Netherlands", None)]),
        ("I live in Kyiv with my wife", [("location", "Kyiv", None)]),
        ("I moved to Odesa in May", [("location", "Odesa", "update")]),
        ("I play chess every Sunday", [("hobby", "chess", None)]),
        ("I work as a nurse in Kyiv", [("job", "nurse", None)]),
        ("No, I moved to Odesa in May", [("location", "Odesa", "update")]),
        ("I live in Kyiv 🙂", [("location", "Kyiv", None)]),
        ("Well, I still live in Kyiv!", [("location", "Kyiv", None)]),
        ("I'm from Kyiv", [("hometown", "Kyiv", None)]),
        ("I come from Lviv", [("hometown", "Lviv", None)]),
        ("I moved to Lviv", [("location", "Lviv", "update")]),
        ("I've just moved to Lviv", [("location", "Lviv", "update")]),
        ("I moved to Lviv last month", [("location", "Lviv", "update")]),
        ("I moved from Kyiv to Lviv in 2024", [("location", "Lviv", "update")]),
        ("Now I live in Lviv", [("location", "Lviv", "update")]),
        ("I live in Lviv now", [("location", "Lviv", "update")]),
        ("I now live in Lviv", [("location", "Lviv", "update")]),
        ("Actually, I live in Odesa", [("location", "Odesa", "correction")]),
        ("no, I am 31", [("age", "31", "correction")]),
        ("No. My name is Hanna", [("name", "Hanna", "correction")]),
        ("No problem, I live in Kyiv", [("location", "Kyiv", None)]),
        ("My name is Olena", [("name", "Olena", None)]),
        ("my name's Olena.", [("name", "Olena", None)]),
        ("Call me Olena", [("name", "Olena", None)]),
        ("please call me Jean-Luc", [("name", "Jean-Luc", None)]),
        ("You can call me Mary Ann, please", [("name", "Mary Ann", None)]),
        ("I like green tea", [("like", "green tea", None)]),
        ("I really love rock and roll a lot", [("like", "rock and roll", None)]),
        ("I like C++", [("like", "C++", None)]),
        ("I play chess", [("hobby", "chess", None)]),
        ("I also play guitar", [("hobby", "guitar", None)]),
        ("I play the guitar every day", [("hobby", "guitar", None)]),
        (
            "I play chess, guitar and tennis",
            [("hobby", "chess", None), ("hobby", "guitar", None), ("hobby", "tennis", None)],
        ),
        ("My hobbies are chess and guitar", [("hobby", "chess", None), ("hobby", "guitar", None)]),
        ("I am 30 years old", [("age", "30", None)]),
        ("I'm 30", [("age", "30", None)]),
        ("I work as a nurse", [("job", "nurse", None)]),
        ("Now I work as a software engineer", [("job", "software engineer", "update")]),
        ("My job is teacher", [("job", "teacher", None)]),
        ("Hi! My name is Olena and I live in Kyiv.", [("name", "Olena", None), ("location", "Kyiv", None)]),
        (
            "Hello, I live in Kyiv. I play chess. Nice to meet you!",
            [("location", "Kyiv", None), ("hobby", "chess", None)],
        ),
        # Ukrainian
        ("Живу у Львові з чоловіком Андрієм", [("husband", "Андрій", None), ("location", "Львів", None)]),
        ("Граю в шахи, а на вихідних ходжу в гори", [("hobby", "шахи", None)]),
        ("Я граю на гітарі з друзями", [("hobby", "гітара", None)]),
        ("Я з Києва", [("hometown", "Київ", None)]),
        ("я з києва", [("hometown", "Київ", None)]),
        ("Я живу у Львові", [("location", "Львів", None)]),
        ("Я живу в Одесі", [("location", "Одеса", None)]),
        ("Живу в Івано-Франківську.", [("location", "Івано-Франківськ", None)]),
        ("Я мешкаю в Білій Церкві", [("location", "Біла Церква", None)]),
        ("Я живу в Бердянську", [("location", "Бердянськ", None)]),
        ("Я живу в Яремчі", [("location", "Яремча", None)]),
        ("Я переїхала до Львова", [("location", "Львів", "update")]),
        ("Я переїхав у Львів", [("location", "Львів", "update")]),
        ("Я нещодавно переїхала з Києва до Львова", [("location", "Львів", "update")]),
        ("Тепер я живу в Львові", [("location", "Львів", "update")]),
        ("Я тепер живу в Одесі", [("location", "Одеса", "update")]),
        ("Я живу в Одесі зараз", [("location", "Одеса", "update")]),
        ("Тепер я з Харкова", [("hometown", "Харків", "update")]),
        ("Насправді я живу в Харкові", [("location", "Харків", "correction")]),
        ("ні, мені 31", [("age", "31", "correction")]),
        ("Ні, я переїхав до Львова", [("location", "Львів", "update")]),
        ("Мене звати Олена", [("name", "Олена", None)]),
        ("Моє ім'я — Олена", [("name", "Олена", None)]),
        ("Моє ім’я Олена", [("name", "Олена", None)]),
        ("Називай мене Олена", [("name", "Олена", None)]),
        ("Можеш звати мене Оленою", [("name", "Олена", None)]),
        ("Клич мене Марією, будь ласка", [("name", "Марія", None)]),
        ("Мені 30 років", [("age", "30", None)]),
        ("Я люблю чай", [("like", "чай", None)]),
        ("Мені дуже подобається Одеса", [("like", "Одеса", None)]),
        ("Я граю в шахи", [("hobby", "шахи", None)]),
        ("Я також граю на гітарі", [("hobby", "гітара", None)]),
        ("Я граю у футбол і на гітарі", [("hobby", "футбол", None), ("hobby", "гітара", None)]),
        ("Моє хобі — шахи", [("hobby", "шахи", None)]),
        ("Я працюю вчителькою", [("job", "вчителька", None)]),
        ("Тепер я працюю програмістом", [("job", "програміст", "update")]),
        ("Моя професія — лікар", [("job", "лікар", None)]),
        ("Привіт! Мене звати Олена, я живу в Києві", [("name", "Олена", None), ("location", "Київ", None)]),
        # Asked to remember what is a plain fact
        ("Remember that I live in Kyiv", [("location", "Kyiv", None)]),
        ("Запам'ятай, що я живу в Києві", [("location", "Київ", None)]),
    ],
)
def test_a_plain_statement_is_understood(text: str, told: list[tuple[str, str, str | None]]) -> None:
    intent = understand(text)
    assert isinstance(intent, Tell)
    assert [(fact.key, fact.value, fact.change) for fact in intent.facts] == told


@pytest.mark.parametrize(
    "text",
    [
        # doubts
        "I wish I lived in Kyiv",
        "I used to live in Kyiv",
        "If I live in Kyiv, I'm happy",
        "I would like tea",
        "I'd like tea",
        "Imagine I live in Oslo",
        "I live in Kyiv. Just kidding.",
        "Якби я жив у Києві",
        "Раніше я живу в Києві",
        "Я живу в Києві, жартую",
        # denials
        "I don't live in Kyiv",
        "I don’t live in Kyiv",
        "I do not play chess",
        "I never play chess",
        "I no longer live in Kyiv",
        "I am not from Kyiv",
        "My name is not Olena",
        "Я не живу в Києві",
        "Я більше не граю в шахи",
        "Мене звати не Олена",
        "Я ніколи не граю в шахи",
        # other people's words and lives
        "My brother said I live in Oslo",
        "he said 'I live in Oslo'",
        "He said: “I live in Oslo”",
        '"I live in Oslo"',
        "I live in 'Oslo'",
        "She told me I live in Oslo",
        "They call me crazy",
        "Her name is Olena",
        "Він сказав: «Я живу в Осло»",
        "«Я живу в Осло»",
        "Кажуть, я живу в Києві",
        "Моя мама каже, що я граю в шахи",
        "Її звати Олена",
        # more than a plain value
        "I work as a professional couch potato, jk",
        "my job is to look pretty",
        "мене звуть гуляти",
        "живу в постійному стресі",
        "I live in a small house",
        "I live in fear",
        "I'm from work",
        "I'm from the future",
        "I moved to a new flat",
        "call me later",
        "call me when you can",
        "call me back tomorrow",
        "My name is {userName}",
        "My name is <b>Olena</b>",
        "I like you",
        "I like that",
        "I like it when you sing",
        "I like how you think",
        "I play with my dog",
        "I am 30 minutes late",
        "I am 300 years old",
        "I am tired",
        "I work as",
        "I like " + "very " * 30 + "long things",
        "Я з роботи",
        "Я з тобою",
        "Я живу в новому будинку",
        "Я працюю багато",
        "Я працюю вдома",
        "Я люблю тебе",
        "Я люблю, коли ти співаєш",
        "Мені 300 років",
        "Мені погано",
        # wishes that must not turn into memories
        "don't forget that I live in Oslo",
        "Don't remember that I live in Oslo",
        "не забудь, що я живу в Осло",
        "не запам'ятовуй, що я живу в Осло",
        "forget it",
        # anything else
        "",
        "   ",
        "...",
        "🙂",
        "tell me a joke",
        "Розкажи жарт",
        "a" * 5_000,
        "I live in " + "Kyiv " * 1_000,
    ],
)
def test_nothing_else_is_taken_for_a_statement(text: str) -> None:
    assert understand(text) in ("unclear", "no")


@pytest.mark.parametrize(
    ("text", "told", "doubtful"),
    [
        ("I live in Kyiv because I like it", ["location: Kyiv"], []),
        ("I live in Kyiv but I work in Lviv", ["location: Kyiv"], []),
        ("I live in Kyiv. It rains today.", ["location: Kyiv"], []),
        ("I'm Olena", ["name: Olena"], []),
        ("We live in Kyiv with them", ["location: Kyiv"], []),
        ("I remember that I live in Oslo", ["location: Oslo"], []),
        ("I live in Kyiv and Lviv", [], ["location: Kyiv"]),
        ("I hate tea", ["dislike: tea"], []),
        ("Я не люблю чай", ["dislike: чай"], []),
        ("I want to live in Kyiv", ["goal: live in Kyiv"], []),
        ("Я хочу жити в Києві", ["goal: жити в Києві"], []),
        ("I'm allergic to penicillin", ["allergy: penicillin"], []),
        ("Hi! My name is Oksana, I live in Lviv and I'm a vet.", ["name: Oksana", "location: Lviv", "job: vet"], []),
        ("My brother lives in Oslo", ["brother: lives in Oslo"], []),
        ("Мій брат живе в Осло", ["brother: живе в Осло"], []),
        ("Maybe I live in Kyiv", [], ["location: Kyiv"]),
        ("I think I live in Kyiv", [], ["location: Kyiv"]),
        ("I might live in Kyiv", [], ["goal: live in Kyiv"]),
        ("I probably play chess", [], ["hobby: chess"]),
        ("Можливо, я живу в Києві", [], ["location: Київ"]),
        ("Мабуть, я з Києва", [], ["hometown: Київ"]),
        ("Здається, я люблю чай", [], ["like: чай"]),
        ("Я, може, граю в шахи", [], ["hobby: шахи"]),
    ],
)
def test_what_is_no_plain_sentence_is_read_as_every_message_is(text: str, told: list[str], doubtful: list[str]) -> None:
    intent = understand(text)
    assert isinstance(intent, Tell)
    assert [f"{fact.key}: {fact.value}" for fact in intent.facts] == told
    assert [f"{fact.key}: {fact.value}" for fact in intent.doubtful] == doubtful


@pytest.mark.parametrize(
    "question",
    [
        "do I live in Kyiv?",
        "I live in Kyiv?",
        "Should I move to Lviv?",
        "Я живу в Києві?",
        "чи я живу в Києві?",
        "Do you remember that I live in Oslo?",
        "remember me?",
        "What is the weather like?",
    ],
)
def test_a_question_tells_nothing_and_is_asked_of_memory(question: str) -> None:
    assert understand(question) == AskAbout(question)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("what do you know about me?", "ask all"),
        ("What do you remember about me", "ask all"),
        ("Tell me what you know about me", "ask all"),
        ("Who am I?", "ask all"),
        ("що ти про мене знаєш?", "ask all"),
        ("Що ти знаєш про мене?", "ask all"),
        ("Розкажи, що ти пам'ятаєш про мене", "ask all"),
        ("Хто я?", "ask all"),
        ("where do I live?", AskKey("location")),
        ("Do you know where I live?", AskKey("location")),
        ("де я живу?", AskKey("location")),
        ("А звідки я?", AskKey("hometown")),
        ("what is my name?", AskKey("name")),
        ("What's my name", AskKey("name")),
        ("Do you remember my name?", AskKey("name")),
        ("як мене звати?", AskKey("name")),
        ("How old am I?", AskKey("age")),
        ("Скільки мені років?", AskKey("age")),
        ("What do I do for a living?", AskKey("job")),
        ("Ким я працюю?", AskKey("job")),
        ("what are my hobbies?", AskKey("hobby")),
        ("У що я граю?", AskKey("hobby")),
        ("What do I like?", AskKey("like")),
        ("Що я люблю?", AskKey("like")),
        ("what do you know about chess?", AskAbout("chess")),
        ("Що ти знаєш про шахи?", AskAbout("шахи")),
        ("remember that my cat is called Murka", Note("my cat is called Murka")),
        ("Please remember: the door code is 1234", Note("the door code is 1234")),
        ("remember that I don't eat meat", Note("I don't eat meat")),
        ("remember that he said 'I live in Oslo'", Note("he said 'I live in Oslo'")),
        ("запам'ятай, що я не їм м'яса", Note("я не їм м'яса")),
        ("Запам’ятай: код дверей 1234", Note("код дверей 1234")),
        ("forget that I play chess", Forget("chess", "hobby", "chess")),
        ("please forget that I play chess", Forget("chess", "hobby", "chess")),
        ("Can you forget that I live in Oslo", Forget("Oslo", "location", "Oslo")),
        ("forget that I live in Oslo.", Forget("Oslo", "location", "Oslo")),
        ("forget that he said 'I live in Oslo'", Forget("he said 'I live in Oslo'")),
        ("forget about my cat", Forget("my cat")),
        ("forget where I live", Forget("where I live", "location")),
        ("forget my name", Forget("my name", "name")),
        ("забудь, що я граю в шахи", Forget("шахи", "hobby", "шахи")),
        ("Забудь, що я живу в Осло", Forget("Осло", "location", "Осло")),
        ("забудь про мого кота", Forget("мого кота")),
        ("забудь, де я живу", Forget("де я живу", "location")),
        ("забудь моє ім'я", Forget("моє ім'я", "name")),
        ("forget 24", ForgetIds(("24",))),
        ("forget ID:24 and ID:25", ForgetIds(("24", "25"))),
        ("delete 24, 25, 24", ForgetIds(("24", "25"))),
        ("забудь ID:24", ForgetIds(("24",))),
        ("forget everything about me", "forget all"),
        ("forget everything", "forget all"),
        ("delete all my data", "forget all"),
        ("забудь усе про мене", "forget all"),
        ("забудь все", "forget all"),
        ("yes", "yes"),
        ("Yes, please.", "yes"),
        ("yes, delete it", "yes"),
        ("так", "yes"),
        ("Так, видали", "yes"),
        ("no", "no"),
        ("No, thanks", "no"),
        ("ні", "no"),
        ("Не треба", "no"),
        ("24", Choice(ids=("24",))),
        ("ID:24", Choice(ids=("24",))),
        ("the first one", Choice(place=0)),
        ("другий", Choice(place=1)),
        ("forget", ForgetIds()),
        ("forget that please", ForgetIds()),
        ("could you please forget about this", ForgetIds()),
        ("забудь це", ForgetIds()),
        ("забудь це, будь ласка", ForgetIds()),
        ("Where do I work?", AskKey("employer")),
        ("Де я працюю?", AskKey("employer")),
        ("забудь, де я працюю", Forget("де я працюю", "employer")),
        ("hi there", "greeting"),
        ("hello there!", "greeting"),
        ("hey there", "greeting"),
        ("ok, thanks", "greeting"),
        ("привіт всім", "greeting"),
        ("привіт знову", "greeting"),
        ("Привіт, друже!", "greeting"),
        ("Hello!", "greeting"),
        ("Привіт!", "greeting"),
        ("thank you very much", "greeting"),
    ],
)
def test_questions_wishes_and_answers_are_told_apart(text: str, intent: object) -> None:
    assert understand(text) == intent


@pytest.mark.parametrize(
    ("text", "language"),
    [("I live in Kyiv", "en"), ("Я живу в Kyiv", "uk"), ("Я люблю C++", "uk"), ("42", "en"), ("", "en")],
)
def test_the_language_is_that_of_most_letters(text: str, language: str) -> None:
    assert language_of(text) == language


@given(st.text(max_size=300))
def test_any_text_has_some_meaning(text: str) -> None:
    understand(text)


@pytest.mark.parametrize(
    "text",
    [
        "I moved from " + "a " * 490 + "b",
        "I live in Kyiv" + " for one years" * 60 + " x",
        "forget " + "about the memory of " * 45,
        "please " * 140 + "x",
        "hi, " * 240 + "x",
        "I " + "also " * 195 + "x",
        "Я " + "також " * 160 + "граю",
        "24, " * 240 + "x",
        "yes, " * 195 + "x",
    ],
)
def test_a_long_sentence_is_read_in_no_time(text: str) -> None:
    assert takes_less(1, lambda: understand(text))
