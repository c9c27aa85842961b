"""Short texts as people say them, in English and Ukrainian, made from word lists with a seeded generator."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

_HOBBIES = """chess|guitar|hiking|photography|baking bread|board games|running|cycling|gardening|knitting
swimming|yoga
шахи|гітара|походи в гори|фотографія|випікання хліба|настільні ігри|біг|велосипед|садівництво|в’язання
плавання|йога"""
_FOODS = """green tea|borscht|dumplings|sushi|black coffee|apple pie|spicy noodles|goat cheese|fresh berries
dark chocolate
зелений чай|борщ|вареники|суші|чорна кава|яблучний пиріг|гостра локшина|козячий сир|свіжі ягоди|чорний шоколад"""
_SKILLS = """Python|welding|public speaking|Rust|watercolours|first aid|project planning|C++|teaching|French|carpentry
програмування|зварювання|публічні виступи|акварель|перша допомога|планування|викладання|французька|столярство"""
_TRAITS = """patient|curious|a night owl|punctual|shy at first|always in a hurry|careful with money|an early riser
терпляча людина|допитливий|нічна сова|пунктуальна|спочатку сором’язливий|завжди поспішає|ощадлива|рано встає"""
_OPINIONS = """prefers trains to planes|thinks remote work is better|does not trust banks
believes cats are smarter than dogs
вважає потяги кращими за літаки|за роботу з дому|не довіряє банкам|думає, що коти розумніші за собак"""
_PEOPLE = """sister Olena|brother Max|colleague Iryna|neighbour Tom|friend Sarah|cousin Danylo|teacher Maria
flatmate Ben
сестра Олена|брат Максим|колега Ірина|сусід Тарас|подруга Соломія|двоюрідний брат Данило|вчителька Марія
друг Богдан"""
_WHEN = """on Sundays|since school|with friends|every morning|in winter|after work|twice a week|when it rains
at weekends
щонеділі|зі школи|з друзями|щоранку|взимку|після роботи|двічі на тиждень|коли дощить|на вихідних"""
_WHERE = """in Kyiv|in Lviv|at home|by the sea|in the park|near Odesa|in Berlin|at the club|in the mountains|online
у Києві|у Львові|вдома|біля моря|у парку|під Одесою|у Берліні|в клубі|в Карпатах|онлайн"""
_NOTES = """Wants to be reminded about {0} {1}|Has an exam in {0} {1}|Is planning a trip {1} with {2}
Asked for a recipe: {0}
Promised to call {2} {3}|Bought a ticket for {2} {1}|Is looking for a course in {0} {3}|Met {2} {1} {3}
Просить нагадати про {0} {1}|Має іспит, тема: {0} {1}|Планує поїздку {1}, з ким: {2}|Питає рецепт: {0}
Обіцяє подзвонити, кому: {2} {3}|Квиток {1}, для кого: {2}|Шукає курси: {0} {3}|Зустріч {1}: {2} {3}"""


def _words(lists: str) -> list[str]:
    return [word for line in lists.splitlines() for word in line.split("|")]


_KEYS = {
    ("preference", "hobby"): _words(_HOBBIES),
    ("preference", "favorite_food"): _words(_FOODS),
    ("skill", "skill"): _words(_SKILLS),
    ("trait", "character"): _words(_TRAITS),
    ("opinion", "opinion"): _words(_OPINIONS),
    ("relationship", "friend"): _words(_PEOPLE),
}
_PAIRS = list(_KEYS)
_TIMES, _PLACES, _FOLK, _TEMPLATES = _words(_WHEN), _words(_WHERE), _words(_PEOPLE), _words(_NOTES)
_TOPICS = _words(_HOBBIES) + _words(_SKILLS) + _words(_FOODS)


@dataclass(frozen=True)
class Fact:
    """What the fact tools take."""

    type: str
    key: str
    value: str


def fact(random: Random, number: int) -> Fact:
    """Make a fact of a key that holds several values; different numbers give different values."""
    type_, key = random.choice(_PAIRS)
    return Fact(type_, key, value(random, key, number))


def value(random: Random, key: str, number: int) -> str:
    """Make a value of this key; different numbers give different values."""
    subject = random.choice(next(words for (_, name), words in _KEYS.items() if name == key))
    return f"{subject} {random.choice(_TIMES)} {random.choice(_PLACES)}, {number}"


def note(random: Random, number: int) -> str:
    """Make a note; different numbers give different notes."""
    choices = (random.choice(words) for words in (_TOPICS, _PLACES, _FOLK, _TIMES))
    return f"{random.choice(_TEMPLATES).format(*choices)} ({number})"


def query(random: Random) -> str:
    """Make a question or a few words to search with."""
    subject = random.choice(random.choice(list(_KEYS.values())))
    return random.choice(("{}", "what do you know about {}?", "чи подобається мені {}?", "{} {}")).format(
        subject, random.choice(_PLACES)
    )


_NAMES = _words("Olena|Max|Iryna|Tom|Sarah|Danylo|Maria|Ben|Соломія|Тарас|Богдан|Ганна")
_SYLLABLES = [consonant + vowel for consonant in "bdgklmnprtvz" for vowel in "aou"]


COMMON = "yesterday there was, told me I would love, а в мене, не люблю"
"""Words of which nearly all messages hold one."""


def name(person: int) -> str:
    """Return what a person is called; one of a dozen names."""
    return _NAMES[person % len(_NAMES)]


def rare_word(number: int) -> str:
    """Make a word that only texts with this number have, as a name that is spoken of once."""
    word = ""
    for _ in range(4):
        number, place = divmod(number, len(_SYLLABLES))
        word += _SYLLABLES[place]
    return word.capitalize()


def told(random: Random, number: int, person: int) -> Fact | str:
    """Make a fact or, one in five, a note as models write them: about a person by name, with one word seen once."""
    if random.random() < 0.2:
        choices = (random.choice(words) for words in (_TOPICS, _PLACES, _FOLK, _TIMES))
        return f"{name(person)}. {random.choice(_TEMPLATES).format(*choices)}, {rare_word(number)}"
    type_, key = random.choice(_PAIRS)
    subject = random.choice(_KEYS[type_, key])
    text = f"{name(person)}: {subject} {random.choice(_TIMES)} {random.choice(_PLACES)}, {rare_word(number)}"
    return Fact(type_, key, text)


def message(random: Random, number: int) -> str:
    """Make what somebody says in a chat; a quarter are questions, and some are short."""
    if random.random() < 0.2:
        return random.choice(("ok", "haha", "так", "ні, дякую", "see you", "good morning!", "добре"))
    text = f"{random.choice(_TOPICS)} {random.choice(_TIMES)} {random.choice(_PLACES)}"
    said = random.choice(("I would love {}", "Yesterday there was {}", "а в мене {}", "{}, {} told me", "не люблю {}"))
    end = "?" if random.random() < 0.25 else f", {rare_word(number)}"
    return said.format(text, random.choice(_FOLK)) + end


def typical_query(random: Random) -> str:
    """Make what people ask mostly: three or four telling words, most of them common."""
    subject = random.choice(random.choice(list(_KEYS.values())))
    return f"{subject} {random.choice(_TIMES)} {random.choice(_PLACES)}"
