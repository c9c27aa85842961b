"""What makes values of Ukrainian texts in their base form, by the lists of what words name.

`patterns/frames_uk.toml` names these functions.
"""

from __future__ import annotations

import re

from zgadka.extract import places, ukrainian, values
from zgadka.extract.kinds import base_of


def job_uk(text: str) -> str | None:
    """Return a job in the nominative with the adjectives before it: "головним бухгалтером"."""
    parts = text.split()
    for number in range(len(parts), 0, -1):
        if base := _in_base("JOB", " ".join(parts[:number]), "ni"):
            job = " ".join((base, *parts[number:]))  # "вчителькою початкових класів"
            return text if job.casefold() == text.casefold() else job
    return text


def town_uk(text: str) -> str | None:
    """Return a town in the nominative, also one that is on no list."""
    text = _KIND_OF_TOWN_OF.sub("", text)
    return (
        base_of("CITIZEN", text, "n")
        or _in_base("TOWN", text, "ldgan")
        or _in_base("DISTRICT", text, "ln")
        or (values.place(text) and places.nominative_place(text))
    )


def origin_uk(text: str) -> str | None:
    """Return the nominative of where somebody is from, without what it is."""
    text = _KIND_OF_TOWN_OF.sub("", text)
    named = base_of("CITIZEN", text, "n") or _in_base("TOWN", text, "gln") or _in_base("LAND", text, "gln")
    return named or ukrainian.origin(text)


_KIND_OF_TOWN_OF = re.compile(r"^(?:міста|села|смт|містечка) ", re.IGNORECASE)


def name_uk(text: str) -> str | None:
    """Return a name in the nominative; none that is a place or a job."""
    if base := base_of("NAME", text, "nia"):
        return base
    given_name, _, surname = text.partition(" ")
    if surname and (base := base_of("NAME", given_name, "nia")):
        return f"{base} {surname}"
    if any(base_of(kind, text) for kind in ("TOWN", "JOB", "FIRM", "PET", "LAND")) or not text[:1].isupper():
        return None
    return ukrainian.called_name(text)


def kin_uk(text: str) -> str | None:
    """Return the name of a relative in the nominative."""
    if text[:1].islower():
        return None
    if base := base_of("NAME", text, "niag"):
        return base
    given_name, _, surname = text.partition(" ")
    if surname and (base := base_of("NAME", given_name, "niag")):
        return f"{base} {surname}"
    if any(base_of(kind, text) for kind in ("TOWN", "JOB", "FIRM", "PET", "LAND")):
        return None
    return values.proper_name(text)


def workplace_uk(text: str) -> str | None:
    """Return where somebody works in the nominative, "поліклініці №2" as "поліклініка №2"."""
    head, _, number = text.partition(" ")
    base = base_of("WORKPLACE", text, "ln") or base_of("WORKPLACE", head, "ln")
    return " ".join(filter(None, (base or head, number if base is None or base_of("WORKPLACE", text) is None else "")))


def firm_uk(text: str) -> str | None:
    """Return a company in the nominative; none that is a place."""
    if text.endswith(("ому", "ій", "их")) and base_of("FIRM", text) is None:
        return None
    return base_of("FIRM", text, "ln") or (
        None if base_of("TOWN", text) or base_of("DISTRICT", text) else values.workplace(text)
    )


def medicine_uk(text: str) -> str:
    """Return a medicine in the nominative: "дайвобетом" as "дайвобет"."""
    head, _, rest = text.partition(" ")
    plural = re.sub("(?:ами|ах)$", "и", head)
    bare = re.sub("(?<=[бвгднрст])(?:ом|і)$", "", head) if plural == head else plural
    return " ".join(filter(None, (bare, rest)))


def homesick_uk(text: str) -> str | None:
    """Return a town that somebody misses."""
    return base_of("TOWN", text, "ild")


def firm_or_place_uk(text: str) -> str | None:
    """Return where somebody works, by name or by kind, in the nominative."""
    return base_of("WORKPLACE", text, "ln") or firm_uk(text) or _in_nominative(text)


def _in_nominative(text: str) -> str:
    return text.removesuffix("і")


def device_uk(text: str) -> str:
    """Return a machine as said, of what is declined in the nominative: "макбука" as "макбук"."""
    head, _, rest = text.partition(" ")
    return " ".join(filter(None, (_DEVICES.sub("", head), rest)))


_DEVICES = re.compile(r"(?<=[кдсн])(?:а|у|і|ом)$")


def names_and_ages_uk(text: str) -> tuple[str, ...]:
    """Return the children of a list, each as said, with their ages."""
    parts = re.split(r"\s*,\s+|\s+(?:і|й|та)\s+", text)
    return tuple(part.strip(" ,.()") for part in parts if part.strip(" ,.()")[:1].isupper())


def pet_uk(text: str) -> tuple[str, ...]:
    """Return animals in the nominative, each with its name."""
    if _COUNTED.match(text):
        return (text,)
    return tuple(_pet(part) for part in re.split(r" (?:і|й|та) ", text))


def pet_named_uk(text: str) -> str | None:
    """Make "песика забрали з притулку, назвали Вареник" to "песик Вареник"."""
    parts = re.findall(r"[\w'-]+", text)
    animal = next((base for part in parts if (base := base_of("PET", part, "an"))), None)
    return None if animal is None else f"{animal} {parts[-1]}"


def feared_uk(text: str) -> tuple[str, ...]:
    """Return what somebody is afraid of, each in the nominative."""
    return tuple(base_of("FEARED", part, "ngpai") or part for part in _LISTED.split(text) if part)


def os_uk(text: str) -> str | None:
    """Return an operating system in the nominative, "арчі" as "арч"."""
    head, _, number = text.partition(" ")
    return " ".join(filter(None, (base_of("OS", head, "lnai") or head, number)))


def smoking_uk(text: str) -> str:
    """Return whether somebody smokes, "так" or "ні"; who has given it up does not."""
    return "ні" if re.search(r"(?<!\w)(?:не|кинула?|кинув)(?!\w)", text, re.IGNORECASE) else "так"


def no_alcohol_uk(_: str) -> str:
    """Return what somebody keeps to who does not drink."""
    return "без алкоголю"


def _pet(text: str) -> str:
    if _COUNTED.match(text):
        return text
    parts = [part for part in text.replace(",", "").split() if part not in ("звати", "звуть", "у", "в", "мене", "нас")]
    for number, part in enumerate(parts):
        if base := base_of("PET", part, "nai"):
            parts[number] = base
        elif part[:1].isupper():
            parts[number] = base_of("NAME", part, "nia") or part
    return " ".join(parts)


_COUNTED = re.compile(r"(?:\d+|дв[аі]|двоє|три|троє|чотири|четверо|п'ять|п'ятеро|кілька|багато) ", re.IGNORECASE)


def illness_uk(text: str) -> str | None:
    """Return an illness in the nominative."""
    return _in_base("ILLNESS", text, "nagi") or _in_base("ILL_ONE", text, "n") or text


def diet_uk(text: str) -> str | None:
    """Return what somebody is by what they eat."""
    return base_of("DIET", text, "nil") or text


def school_uk(text: str) -> str | None:
    """Return where or what somebody studies, in the nominative."""
    kinds = ("SCHOOL_NAME", "FACULTY", "STUDY", "JOB")
    return next((base for kind in kinds if (base := base_of(kind, text, "lagn"))), text)


def course_uk(text: str) -> str | None:
    """Make "другому курсі" to "другий курс"."""
    number, _, noun = text.rpartition(" ")
    number = re.sub("(?:ому|ім)$", "ий", re.sub("тьому$", "тій", number))
    return f"{number} {_COURSES.get(noun, noun)}".strip()


_COURSES = {
    "курсі": "курс",
    "класі": "клас",
    "магістратурі": "магістратура",
    "аспірантурі": "аспірантура",
    "бакалавраті": "бакалаврат",
}


def hobby_uk(text: str) -> str | None:
    """Return a game, an instrument, a sport or a craft in the nominative."""
    kinds = ("GAME", "INSTRUMENT", "SPORT", "CRAFT")
    return next((base for kind in kinds if (base := base_of(kind, text, "laign"))), ukrainian.from_instrumental(text))


def skills_uk(text: str) -> tuple[str, ...]:
    """Return the skills of a list, each in the nominative."""
    return tuple(base_of("SKILL", part, "laign") or part for part in _LISTED.split(text))


def languages_uk(text: str) -> tuple[str, ...]:
    """Return the languages of a list in the nominative."""
    return tuple(base for word in re.findall(r"[\w'-]+", text) if (base := base_of("LANGUAGE", word, "ian")))


def allergens_uk(text: str) -> tuple[str, ...]:
    """Return the things of a list that somebody does not stand, each in the nominative."""
    parts = (part.strip().removeprefix("на ") for part in _LISTED.split(text))
    return tuple(base_of("ALLERGEN", part, "nagp") or part for part in parts if part and values.liked(part))


_LISTED = re.compile(r"\s*,\s*|\s+(?:і|й|та|або|чи)\s+")


def car_uk(text: str) -> str | None:
    """Return a car in the nominative."""
    return " ".join(base_of("CAR", part, "naln") or part for part in text.split())


def event_uk(text: str) -> str | None:
    """Make "екзамен з філософії 12 січня" to "екзамен: 12 січня", "у середу їду на концерт" to "концерт: середа"."""
    when = _WHEN.search(text)
    if when is None:
        return text
    words_left = f"{text[: when.start()]} {text[when.end() :]}".split()
    events = [base for word in words_left if (base := base_of("EVENT", word, "nal"))]
    subject = events[0] if events else " ".join(word for word in words_left if word not in _LITTLE)
    date = _WEEKDAYS.get(when["date"].casefold(), when["date"])
    return f"{subject}: {date}" if subject else date


_WHEN = re.compile(
    r"(?<!\w)(?:(?:у|в|на|до|з|о|наступн\w+|цю|цей) )*(?P<date>\d{1,2}(?:\.\d{1,2}(?:\.\d{2,4})?"
    r"|-?го)?(?: (?:січня|лютого|березня|квітня"
    r"|травня|червня|липня|серпня|вересня|жовтня|листопада|грудня|число|числа))?(?: \d{4})?(?: (?:о"
    r"|об) \d{1,2}(?::\d\d)?)?|завтра|післязавтра|понеділок|вівторок|середу"
    r"|четвер|п'ятницю|суботу|неділю|(?:січні|лютому|березні|квітні|травні|червні|липні|серпні|вересні|жовтні"
    r"|листопаді|грудні))(?!\w)",
    re.IGNORECASE,
)
_LITTLE = frozenset({"до", "на", "в", "у", "мене", "нас"})
_WEEKDAYS = {"середу": "середа", "п'ятницю": "п'ятниця", "суботу": "субота", "неділю": "неділя"}


def liked_uk(text: str) -> str | None:
    """Return something liked or disliked in the nominative where the ending leaves no choice."""
    value = values.liked(text)
    if value is None or _ANSWERS.search(value) or value.casefold().startswith(("свою ", "свій ", "своє ", "свої ")):
        return None
    base = next((base for kind in ("ALLERGEN", "PET", "CRAFT") if (base := base_of(kind, value, "an"))), value)
    return value if base in ("лактоза", "глютен") else base  # nobody likes what only labels name


_ANSWERS = re.compile(r"\b(?:відповід|пояснен|повідомлен)", re.IGNORECASE)


def _in_base(kind: str, text: str, cases: str) -> str | None:
    """Return a text of which the end names something of a kind, with its adjectives in the nominative."""
    parts = text.split()
    for number in range(len(parts)):
        if base := base_of(kind, " ".join(parts[number:]), cases):
            return " ".join((*(_nominative_adjective(part) for part in parts[:number]), base))
    return None


def _nominative_adjective(word: str) -> str:
    if word.endswith(("им", "ім")):
        return word[:-1] + "й"
    return word[:-2] + "а" if word.endswith("ою") else word


def wish_uk(text: str) -> str:
    """Return a wish about answers without the verb that one asks with, "відповідай мені коротко" as "коротко"."""
    wish = _POLITE.sub("", text).strip(" ,.;:!?-–—…")
    shorter = _ASKING.sub("", wish).strip(" ,") or wish or text
    language = _IN_LANGUAGE.fullmatch(shorter)
    return shorter if language is None else f"{language['stem']}а"


_IN_LANGUAGE = re.compile(r"(?:(?:тільки|лише|виключно) )?(?P<stem>\w+[сц]ьк)ою(?: мовою)?", re.IGNORECASE)


_POLITE = re.compile(
    r"^(?:(?:прошу|будь ласка|плз|пліз|завжди|надалі|відтепер|щоразу|просто|можеш|краще)[ ,]+)+"
    r"|(?:[ ,]+(?:прошу|будь ласка|плз|пліз|дякую|бляха|блін|завжди|надалі|кожен раз|щоразу|бо|і так надалі))+$",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"^(?:(?:називай(?:те)?|називати|клич(?:те)?|звертайся до|звертайтесь до|звертайтеся до"
    r"|звертатись до) мене (?:як )?)|^(?:(?:відповідай|відповідайте|відповідати|пиши|пишіть|писати|кажи|говори"
    r"|говоріть|розмовляй|розмовляйте|спілкуйся|спілкуйтесь|пояснюй|пояснюйте"
    r"|поясни|кидай|скидай|давай|давайте|дай|звертайся|звертайтесь|будь|будьте)(?: (?:мені|зі мною|до мене"
    r"|відповіді|відповідь|усе|все|одразу))* )"
    r"(?=\S)|(?: (?:мені|зі мною))?(?<! не) (?:відповідай|відповідайте|пиши|пишіть|кидай|кажи|говори|давай)(?: мені)?$",
    re.IGNORECASE,
)


def years_uk(text: str) -> str | None:
    """Return an age in words in digits, "шістдесят один" as "61"."""
    years = sum(_NUMBERS.get(word, 0) for word in text.casefold().split())
    return str(years) if years else None


_NUMBERS = {
    **{word: 10 * number for number, word in enumerate(
        ("двадцять", "тридцять", "сорок", "п'ятдесят", "шістдесят", "сімдесят", "вісімдесят", "дев'яносто"), 2)},
    **{word: number for number, word in enumerate(
        ("п'ятнадцять", "шістнадцять", "сімнадцять", "вісімнадцять", "дев'ятнадцять"), 15)},
    **{word: number for number, word in enumerate(("один", "два", "три", "чотири", "п'ять", "шість", "сім",
    "вісім", "дев'ять"), 1)},
    "одна": 1, "дві": 2,
}  # fmt: skip


def trade_uk(text: str) -> str:
    """Return what somebody is who does something for a living, "викладаю хімію" as "викладач хімії"; else as said."""
    verb, _, taught_text = text.partition(" ")
    trade = _TRADES.get(verb.casefold())
    if trade is None:
        return text
    if not taught_text:
        return trade
    kinds = ("STUDY", "CRAFT", "SPORT", "INSTRUMENT")
    taught = (base_of(kind, word, "agi") for word in taught_text.split() for kind in kinds)
    vehicle = _VEHICLES.get(taught_text.split()[-1].casefold())
    noun = vehicle or next(filter(None, taught), None)
    return text if noun is None else f"{trade} {_genitive(noun)}"


_TRADES = {
    "викладаю": "викладач", "вожу": "водій", "воджу": "водій", "кермую": "водій", "таксую": "таксист",
    "вчителюю": "вчитель",
    "репетиторую": "репетитор", "фермерую": "фермер", "бухгалтерую": "бухгалтер", "адмініструю": "адміністратор",
    "тренерую": "тренер",
}  # fmt: skip
_VEHICLES = {
    "фурою": "фура", "фуру": "фура", "автобусом": "автобус", "маршруткою": "маршрутка", "маршрутку": "маршрутка",
    "трамваєм": "трамвай",
    "камазом": "камаз", "швидкою": "швидка", "швидку": "швидка",
}  # fmt: skip


def _genitive(noun: str) -> str:
    for ending, genitive in (
        ("ння", "ння"),
        ("ія", "ії"),
        ("ка", "ки"),
        ("ра", "ри"),
        ("а", "и"),
        ("я", "і"),
        ("ь", "я"),
        ("й", "я"),
        ("с", "са"),
        ("з", "за"),
        ("н", "ну"),
        ("д", "ду"),
        ("и", "ів"),
    ):
        if noun.endswith(ending):
            return noun.removesuffix(ending) + genitive
    return noun


def without_uk(text: str) -> str | None:
    """Make "глютен" to "без глютену": what somebody must not eat."""
    base = base_of("ALLERGEN", text, "nga")
    return f"без {_genitive(base)}" if base else None


def uneaten_uk(text: str) -> str | None:
    """Make "м'ясо" to "не їсть м'ясо"."""
    return f"не їсть {text.casefold()}"


def names_uk(text: str) -> tuple[str, ...]:
    """Return names in the nominative, each."""
    return tuple(name for part in re.split(r" (?:і|й|та) ", text) if (name := kin_uk(part)))


_LEARNS = re.compile(r"(?P<place>[\w'-]+(?: [\w'-]+)?) на (?P<rest>[\w'-]+)", re.IGNORECASE)


def in_base(key: str, value: str) -> str:
    """Return a value in the nominative where a list has what it names: "Косова" of a town."""
    if key == "education" and (learns := _LEARNS.fullmatch(value)) and base_of("TOWN", learns["place"], "l"):
        return school_uk(learns["rest"]) or value
    if key == "education":
        return _studied_in_base(value)
    if key == "job" and (joined := _JOINED_JOBS.fullmatch(value)) and (head := base_of("JOB", joined["head"], "i")):
        return f"{head}-{joined['rest']}"  # "водієм-далекобійник"
    if key == "employer" and (firm := base_of("FIRM", value, "ln")):
        return firm
    kind = {
        "location": "TOWN", "hometown": "TOWN", "birthplace": "TOWN", "name": "NAME", "pet": "PET",
        "employer": "WORKPLACE",
    }.get(key)  # fmt: skip
    return value if kind is None else base_of(kind, value, "nglai") or value


_JOINED_JOBS = re.compile(r"(?P<head>[^\W\d_]+)-(?P<rest>[^\W\d_]+)")


def _studied_in_base(value: str) -> str:
    """Return where or what somebody studies: "третьому курсі КПІ" as "третій курс КПІ"."""
    if course := _COURSE_AT.fullmatch(value):
        return f"{course_uk(course['course'])} {course['rest']}"
    if school := _SCHOOL_AT.fullmatch(value):
        return f"{school['stem']}а {school['noun']}ка"
    return re.sub(r"у(?= |$)", "а", value) if _EDUCATION.fullmatch(value) else value


_COURSE_AT = re.compile(r"(?P<course>\w+(?:ому|ім) (?:курсі|класі)) (?P<rest>[А-ЯІЇЄҐ][\w'-]+(?: \w+)?)")
_SCHOOL_AT = re.compile(r"(?P<stem>\w+[сц]ьк)ій (?P<noun>\w+)ці(?: на [\w'-]+)?", re.IGNORECASE)
_EDUCATION = re.compile(r"(?:\w+у ){1,3}освіту", re.IGNORECASE)
_INFINITIVES = {
    "піду": "піти", "поїду": "поїхати", "перейду": "перейти", "переїду": "переїхати", "куплю": "купити",
    "зроблю": "зробити", "запишусь": "записатися",
    "запишуся": "записатися", "заведу": "завести", "візьму": "взяти", "вивчу": "вивчити", "спробую": "спробувати",
    "здам": "здати",
    "вступлю": "вступити", "повернусь": "повернутися", "повернуся": "повернутися", "відкрию": "відкрити",
    "продам": "продати",
    "почну": "почати", "стану": "стати", "полечу": "полетіти", "вийду": "вийти", "звільнюсь": "звільнитися",
    "одружусь": "одружитися",
    "підемо": "піти", "поїдемо": "поїхати", "перейдемо": "перейти", "переїдемо": "переїхати", "переїдем": "переїхати",
    "купимо": "купити", "заведемо": "завести", "візьмемо": "взяти", "спробуємо": "спробувати",
    "повернемось": "повернутися", "повернемося": "повернутися", "відкриємо": "відкрити", "продамо": "продати",
    "полетимо": "полетіти", "одружимось": "одружитися", "кину": "кинути", "покину": "покинути", "залишу": "залишити",
    "зміню": "змінити", "поміняю": "поміняти", "звільнюся": "звільнитися", "махну": "махнути", "сяду": "сісти",
    "подамся": "податися", "підусь": "податися", "зареєструюсь": "зареєструватися",
    "перестану": "перестати", "розійдемось": "розійтися", "розійдемося": "розійтися", "пересяду": "пересісти",
    "навчусь": "навчитися", "навчуся": "навчитися", "найму": "найняти", "заберу": "забрати",
}  # fmt: skip
_MOST_OF_GOAL = 5
_BEFORE_NOUNS = frozenset(
    {"в", "у", "на", "до", "з", "із", "для", "за", "по", "ту", "той", "те", "цю", "цей", "саму", "свою"}
)


def goal_uk(text: str) -> str | None:
    """Make "поїду нарешті до брата в Кропивницький" to "поїхати до брата": what is planned, in the infinitive."""
    verb, *following = text.split()
    following = [word for word in following if word.casefold() not in ("нарешті", "таки", "колись", "може", "теж")]
    while len(following) > _MOST_OF_GOAL - 1:
        following.pop()
    while following and following[-1].casefold() in _BEFORE_NOUNS:
        following.pop()
    value = " ".join((_INFINITIVES.get(verb.casefold(), verb), *following))
    return values.goal(value) if following else None


def uneaten_said(text: str) -> str:
    """Make "не їм м'ясо" to "не їсть м'ясо": "їм" is "them" too."""
    return re.sub("^не (?:їм|вживаю) ", "не їсть ", re.sub("^не п'ю ", "не п'є ", text.casefold()))
