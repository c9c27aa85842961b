"""Further Ukrainian statements, each of which must fit a whole clause."""

from __future__ import annotations

import re

from zgadka.extract import places, values
from zgadka.extract.lexicon import any_of, words
from zgadka.extract.plain_ukrainian import UKRAINIAN as PLAIN
from zgadka.extract.statement import Statement, Told, fits, one

_I = r"(?:(?:а |і |й )?я )?"
_ADVERB = (
    r"(?:(?:також|теж|ще|досі|дуже|справді|зараз|тепер|вже|уже|просто|часто|іноді|завжди|постійно|"
    r"насправді|особливо|щойно"
    r"|нещодавно|недавно|сам|сама|давно|трохи|добре|вільно|цього року|цього літа|наступного року|"
    r"обов'язково|щиро|взагалі|лише"
    r"|тільки|найбільше|понад усе|страшенно|шалено) )*"
)
_LATELY = r"(?:,? (?:зараз|тепер|вже|уже|також|теж|нині|наразі|насправді|сьогодні|взагалі|найбільше|понад усе|дуже))*"
_SINCE = (
    r"(?:,? (?:(?:вже|уже) )?(?:[\w']+ (?:років|роки|рік|місяців|місяці)|багато років|з (?:народження|"
    r"дитинства|\d{4}(?: року)?)|усе життя|все життя))*"
)
_HAVE = (
    r"(?:(?:у|в) мене(?: вдома)?(?: (?:є|живе|живуть|тепер є|вже є|ще є|тепер|вдома|з'явився|з'явилася))?|"
    r"(?:я )?маю)"
)
_MONTH = r"(?:січня|лютого|березня|квітня|травня|червня|липня|серпня|вересня|жовтня|листопада|грудня)"
_DATE = rf"(?:\d{{1,2}}(?:-?го)? {_MONTH}(?: \d{{4}}(?: року| р\.?)?)?|\d{{1,2}}[./]\d{{1,2}}(?:[./]\d{{2,4}})?)"
_WHEN = (
    rf"(?:{_DATE}|(?:у|в) (?:наступний |наступну |цей |цю )?(?:понеділок|вівторок|середу|четвер|п'ятницю|"
    r"суботу|неділю)|завтра|наступного тижня|наступного місяця)"
)
_NUMBER = r"(?:один|одна|два|дві|двоє|двох|три|троє|трьох|чотири|четверо|чотирьох|п'ять|п'ятеро|кілька|багато|\d{1,2})"
_DASH = r"(?: ?[-–—:]| це)?"
_AIM = (
    r"(?:навчитися|навчитись|вивчити|вивчати|вчити|стати|переїхати|жити|купити|поїхати|полетіти|відвідати|"
    r"побачити|написати"
    r"|закінчити|схуднути|кинути палити|пробігти|побудувати|збудувати|відкрити|здати|скласти|опанувати|заснувати"
    r"|подорожувати|вступити|створити|отримати|знайти|завести|вийти заміж|одружитися|заробити|працювати|бути)"
)
_FUTURE = (
    r"(?:переїду|вступлю|вчитиму|вивчатиму|навчуся|куплю|стану|поїду|одружуся|напишу|відкрию|полечу|"
    r"заведу|вивчу|піду вчитися)"
)
_RELATIVES = {
    "brother": "брат брата братові братом",
    "sister": "сестра сестру сестрі сестричка",
    "mother": "мама мати маму маму мамі мамуся",
    "father": "тато батько тата батька татові",
    "wife": "дружина дружину дружині жінка",
    "husband": "чоловік чоловіка чоловікові",
    "son": "син сина синові синочок",
    "daughter": "донька дочка доньку дочку доньці дочці",
    "grandmother": "бабуся бабусю бабусі бабця",
    "grandfather": "дідусь дід дідуся дідусеві",
    "girlfriend": "дівчина дівчину",
    "boyfriend": "хлопець хлопця",
    "uncle": "дядько дядька",
    "aunt": "тітка тітку",
}
_KEY_OF_RELATIVE = {form: key for key, forms in _RELATIVES.items() for form in forms.split()}
_RELATIVE = f"(?:{'|'.join(sorted(_KEY_OF_RELATIVE, key=len, reverse=True))})"
_FAVORITES = {
    "колір": "color",
    "кольор": "color",
    "страва": "food",
    "їжа": "food",
    "фільм": "movie",
    "кіно": "movie",
    "серіал": "series",
    "книга": "book",
    "книжка": "book",
    "гурт": "band",
    "група": "band",
    "пісня": "song",
    "музика": "music",
    "гра": "game",
    "місто": "city",
    "країна": "country",
    "тварина": "animal",
    "пора року": "season",
    "напій": "drink",
    "спорт": "sport",
    "вид спорту": "sport",
    "письменник": "writer",
    "письменниця": "writer",
    "поет": "poet",
    "автор": "author",
    "співак": "singer",
    "співачка": "singer",
    "актор": "actor",
    "актриса": "actress",
    "предмет": "subject",
    "свято": "holiday",
    "день": "day",
    "число": "number",
    "квіти": "flower",
    "квітка": "flower",
    "фрукт": "fruit",
    "десерт": "dessert",
    "команда": "team",
    "мова": "language",
}
_FAVORITE = "|".join(sorted(_FAVORITES, key=len, reverse=True))
_ANIMALS = {
    "кота": "кіт",
    "кішку": "кішка",
    "собаку": "собака",
    "пса": "пес",
    "папугу": "папуга",
    "хом'яка": "хом'як",
    "кролика": "кролик",
    "котика": "котик",
    "песика": "песик",
    "черепаху": "черепаха",
    "мого кота": "кіт",
}
_JOB = rf"(?:{any_of('before_occupation_uk')} )?{any_of('occupation_uk')}(?:[- ]{any_of('occupation_uk')})?"
_PREDICATIVE = (
    r"(?:(?:живе|мешкає|працює|вчиться|навчається|народи(?:вся|лася|лась)) .+?|(?:любить|обожнює|"
    r"ненавидить|грає|розмовляє|вивчає"
    rf"|викладає|має|колекціонує) .+?|[-–—]? ?{_JOB}(?: .{{0,30}})?)"
)


def _town(said: str) -> str | None:
    value = values.place(said)
    return None if value is None else places.nominative_place(_as_written(value))


def _as_written(place: str) -> str:
    """Undo capitals: КИЄВІ is Києві, for the table of places."""
    return place.title() if place.isupper() and places.is_known_place(place) else place


def _origin(said: str) -> str | None:
    value = values.place_of_origin(said)
    return None if value is None else places.nominative_place(value)


def _instrumental_job(said: str) -> str | None:
    value = values.job(said)
    if value is None or not value.casefold().endswith(("ом", "ем", "єм", "ою", "ею", "єю", "им", "їм", "ям")):
        return None
    nominative = places.nominative_job(value)
    return nominative if nominative.casefold() in words("occupation_uk") or " " not in value else None


def _from_instrumental(said: str) -> str | None:
    """Return a noun said after "займаюся", "йогою" as "йога", where the ending leaves no choice."""
    value = values.liked(said)
    if value is None or " " in value:
        return value
    for ending, nominative in (("ією", "ія"), ("кою", "ка"), ("гою", "га")):
        if value.endswith(ending):
            return value.removesuffix(ending) + nominative
    return value


def _languages(said: str) -> tuple[str, ...]:
    """Return the languages of a list in the instrumental or accusative, "польською" as "польська"."""
    parts = [
        part
        for part in re.split(r"\s*,\s*|\s+(?:та|і|й)\s+", said.removesuffix(" мовою").removesuffix(" мовами").strip())
        if part
    ]
    found = [re.sub(r"(?<=[сзц]ьк)(?:ою|у)$", "а", part) for part in parts]
    return tuple(found) if all(re.search(r"[сзц]ька$", part) for part in found) else ()


def _dated(said: str) -> str | None:
    """Make "іспит 3 червня" to "іспит: 3 червня"."""
    found = re.fullmatch(rf"(?P<what>.*?)(?: ?[-–—:]| буде| відбудеться)? ?(?P<when>{_WHEN})", said, re.IGNORECASE)
    if found is None:
        return None
    event = values.said(found["what"], most_words=4)
    return f"{event}: {found['when']}" if event else found["when"]


def _named(text: str) -> str | None:
    value = values.proper_name(text)
    return value if value is not None and value.casefold() in words("name") else None


FURTHER = (
    Statement(
        "job",
        (
            rf"{_I}{_ADVERB}(?:[-–—] )?(?P<value>{_JOB})(?: за (?:фахом|професією))?(?: (?:з|із|зі) (?P<origin>.+?)"
            r"| (?:у|в|на) (?P<org>.+?)| (?P<school>\w+ (?:політехніки|університету|академії|інституту|школи|"
            rf"коледжу|ліцею)))?{_LATELY}"
        ),
        one(values.said),
        more=(
            ("origin", "hometown", one(_origin), True),
            ("org", "employer", one(values.organisation), True),
            ("school", "education", one(values.said), True),
        ),
    ),
    Statement(
        "job",
        rf"{_I}{_ADVERB}працюю {_ADVERB}(?P<value>[\w'-]+(?: [\w'-]+)?) (?:у|в|на) (?P<org>.+?){_LATELY}",
        one(_instrumental_job),
        more=(("org", "employer", one(values.organisation), True),),
    ),
    Statement("job", rf"{_I}{_ADVERB}працюю {_ADVERB}(?P<value>[a-z][a-z -]+?){_LATELY}", one(values.job)),
    Statement(
        "job",
        rf"{_I}(?:працюю )?(?:вже )?[\w']+ (?:років|роки|рік) (?:працюю )?(?P<value>[\w'-]+)",
        one(_instrumental_job),
    ),
    Statement("job", rf"як (?P<value>{_JOB}), я .*", one(values.said), sure=False),
    Statement(
        "employer",
        rf"{_I}{_ADVERB}працюю {_ADVERB}(?:у|в|на) (?P<value>.+?){_SINCE}{_LATELY}",
        one(values.organisation),
    ),
    Statement(
        "education",
        rf"{_I}{_ADVERB}(?:вчуся|вчусь|навчаюся|навчаюсь) (?:у|в|на) (?P<value>.+?){_LATELY}",
        one(values.liked),
    ),
    Statement(
        "education",
        (
            rf"{_I}{_ADVERB}вивчаю (?!\w+[сзц]ьку)(?P<value>.+?)(?: (?:в|у) (?:університеті|інституті|коледжі|"
            rf"школі|академії))?{_LATELY}"
        ),
        one(values.liked),
    ),
    Statement("education", r"(?:я )?за освітою (?:я )?(?:[-–—] )?(?P<value>.+?)", one(values.said)),
    Statement(
        "education",
        (
            rf"{_I}(?:закінчив|закінчила) (?P<value>.*?(?:університет|інститут|академію|коледж|політехніку|КНУ|КПІ)"
            r".*?)"
        ),
        one(values.said),
    ),
    Statement(
        "location",
        (
            rf"(?:ми(?: з (?P<spouse>чоловіком|дружиною|родиною|сім'єю|хлопцем|дівчиною))?) {_ADVERB}(?:живемо|"
            rf"мешкаємо) (?:у|в|на) (?P<value>.+?){_SINCE}{_LATELY}"
        ),
        one(_town),
        more=(
            (
                "spouse",
                "marital_status",
                lambda said: {"чоловіком": ("одружена",), "дружиною": ("одружений",)}.get(said.casefold(), ()),
                False,
            ),
        ),
    ),
    Statement(
        "location",
        (
            rf"(?:ми |я )?{_ADVERB}(?:переїхали|перебралися|переїхав|переїхала) {_ADVERB}(?:(?:з|із|зі) [\w'’ -]+? "
            r")?(?:до|у|в|на) (?P<value>.+?)(?: жити)?(?:,? (?:минулого \w+|торік|недавно|нещодавно|\w+ тому|(?:у|"
            rf"в) \d{{4}}(?: році)?))*"
        ),
        one(_town),
        change="update",
    ),
    Statement(
        "location",
        rf"{_I}{_ADVERB}(?:живу|мешкаю|проживаю) {_ADVERB}(?:у|в|на) (?P<value>.+?){_SINCE}{_LATELY}",
        one(_town),
    ),
    Statement(
        "location",
        (
            r"(?:ми )?живемо з (?:чоловіком|дружиною|родиною|сім'єю|батьками|хлопцем|дівчиною|подругою|дітьми) "
            r"(?:у|в|на) (?P<value>.+?)"
        ),
        one(_town),
    ),
    Statement("location", r"тут,? (?:у|в) (?P<value>[\w'’-]+),? .*", one(_origin), sure=False),
    Statement("hometown", rf"{_I}{_ADVERB}(?:родом )?(?:я )?(?:з|із|зі) (?P<value>.+?)(?: родом)?", one(_origin)),
    Statement("hometown", rf"{_I}(?:виріс|виросла) (?:у|в|на) (?P<value>.+?)", one(_town)),
    Statement(
        "birthplace",
        rf"{_I}народи(?:вся|лася|лась) (?:і (?:виріс|виросла) )?(?:у|в|на) (?P<value>(?!\d).+?)",
        one(_origin),
    ),
    Statement(
        "birth_year",
        rf"{_I}народи(?:вся|лася|лась) (?:(?:у|в) )?(?P<value>(?:19|20)\d\d)(?: року| році)?",
        one(values.said),
    ),
    Statement(
        "name",
        r"(?:мене|мя) (?:звати|звуть|звать) (?P<value>[^\W\d_][\w'’-]*(?: [^\W\d_][\w'’-]*)?)",
        one(values.proper_name),
    ),
    Statement(
        "name",
        r"(?:мої )?(?:друзі|всі|усі|рідні|знайомі) (?:звуть|називають|кличуть) мене (?P<value>.+?)",
        one(values.proper_name),
    ),
    Statement(
        "name", r"(?:а )?(?:я|це) (?:[-–—] )?(?P<value>[^\W\d_][\w'’]*)(?:,? приємно познайомитис[яь])?", one(_named)
    ),
    Statement(
        "age",
        (
            r"(?:(?:минулого|цього) \w+ |вчора |сьогодні |нещодавно |недавно )?мені (?:вже |уже )?(?:виповнилося|"
            r"виповнилось|стукнуло) (?P<value>\d{1,3})(?: років| роки| рік)?"
        ),
        one(values.age),
    ),
    Statement(
        "age",
        r"мені (?:вже |уже |зараз |тепер |тільки |лише )?(?P<value>\d{1,3}) ?(?:років|роки|рік|р\.?)?",
        one(values.age),
    ),
    Statement(
        "pet",
        (
            rf"{_HAVE} {_ADVERB}(?P<value>(?:{_NUMBER} )?(?:[\w']+(?:ий|а|ого|у|і|их|ій) )?{any_of('pet_uk')}(?: "
            rf"(?:на ім'я )?(?-i:[А-ЯІЇЄҐ])[\w']+)?(?: (?:і|та|й) (?:{_NUMBER} )?{any_of('pet_uk')})?)(?: (?:є|"
            rf"вдома))?{_LATELY}"
        ),
        one(values.said),
    ),
    Statement(
        "child",
        (
            rf"{_HAVE} (?P<value>(?:(?:{_NUMBER}|маленька|маленький|дорослий|доросла|старший|молодша) )?(?:діти|"
            r"дітей|дитина|дитину|син|сина|сини|синів|донька|доньку|дочка|дочку|доньки|дочки|доньок|дочок|онук|"
            rf"онука|онуки|онуків)(?: (?:і|та|й) (?:{_NUMBER} )?(?:син|сина|донька|доньку|дочка|дочку))?){_LATELY}"
        ),
        one(values.said),
    ),
    Statement(
        "sibling",
        (
            rf"{_HAVE} (?P<value>(?:(?:{_NUMBER}|старший|старша|молодший|молодша|рідний|рідна|старшого|молодшого|"
            r"старшу|молодшу|старші|молодші) )*(?:брат|брата|брати|братів|сестра|сестру|сестри|сестер|"
            rf"брат-близнюк|сестра-близнючка|близнюк|близнючка)){_LATELY}"
        ),
        one(values.said),
    ),
    Statement(
        "marital_status",
        (
            rf"{_I}{_ADVERB}(?P<value>одружений|одружена|заміжня|розлучений|розлучена|неодружений|неодружена|"
            rf"незаміжня|вдівець|вдова|заручений|заручена)(?: \d+ \w+| з \w+)?{_LATELY}"
        ),
        one(values.said),
    ),
    Statement(
        "language",
        (
            rf"{_I}{_ADVERB}(?:розмовляю|говорю|володію|спілкуюся) {_ADVERB}(?P<value>.+?)(?: вільно| добре| вдома)"
            rf"?{_LATELY}"
        ),
        _languages,
    ),
    Statement("language", rf"{_I}{_ADVERB}знаю (?P<value>\w+[сзц]ьку)(?: мову)?{_LATELY}", _languages),
    Statement("native_language", rf"моя рідна мова{_DASH} (?P<value>[\w'-]+)", one(values.said)),
    Statement(
        "allergy",
        rf"(?:(?:у|в) мене(?: є)?(?: сильна)? алергія|{_I}маю (?:сильну )?алергію) на (?P<value>.+?){_LATELY}",
        one(values.liked),
    ),
    Statement("diet", rf"{_I}{_ADVERB}(?:[-–—] )?(?P<value>{any_of('diet_uk')}){_SINCE}{_LATELY}", one(values.said)),
    Statement(
        "diet",
        (
            rf"{_I}{_ADVERB}(?P<value>не (?:їм|вживаю|п'ю) (?!нічого|багато|зараз|після|вночі|вранці|цього|це |вже|"
            rf"так )[\w' ]+?){_SINCE}{_LATELY}"
        ),
        lambda said: (said,),
    ),
    Statement("health", rf"(?:(?:у|в) мене(?: є)?|{_I}маю) (?P<value>{any_of('health_uk')})", one(values.said)),
    Statement("blood_type", rf"моя група крові{_DASH} (?P<value>.+?)", one(values.said)),
    Statement("height", rf"мій зріст{_DASH} (?P<value>\d[\d.,]* ?(?:см|м|сантиметрів)?)", one(values.said)),
    Statement("weight", r"я важу (?P<value>\d{2,3} ?(?:кг|кілограмів))", one(values.said)),
    Statement("timezone", rf"мій часовий пояс{_DASH} (?P<value>[\w+:/-]+)", one(values.said)),
    Statement("nationality", rf"я {_ADVERB}(?:[-–—] )?(?P<value>{any_of('nationality_uk')})", one(values.said)),
    Statement(
        "vehicle",
        (
            rf"{_I}{_ADVERB}їжджу на (?P<value>(?:\w+ )?(?-i:[А-ЯІЇЄҐA-Z])[\w-]+|автомобілі|машині|мотоциклі|"
            r"велосипеді|авто)"
        ),
        one(values.liked),
    ),
    Statement("preference", rf"{_I}{_ADVERB}(?:надаю|віддаю) перевагу (?P<value>.+?)", one(values.preferred)),
    Statement("preference", rf"{_I}більше люблю (?P<value>[^,]+(?:, ніж .+)?)", one(values.liked)),
    Statement("preference", r"мені більше подоба(?:ється|ються) (?P<value>[^,]+(?:, ніж .+)?)", one(values.liked)),
    Statement(
        "dislike",
        (
            rf"{_I}{_ADVERB}(?:ненавиджу|не люблю|не переношу|терпіти не можу|не можу терпіти|не дуже люблю|не "
            rf"терплю) (?P<value>.+?){_LATELY}"
        ),
        one(values.liked),
    ),
    Statement(
        "dislike", rf"мені {_ADVERB}не {_ADVERB}подоба(?:ється|ються) (?P<value>.+?){_LATELY}", one(values.liked)
    ),
    Statement("like", rf"{_I}{_ADVERB}(?:люблю|обожнюю|полюбляю|обожаю) (?P<value>.+?){_LATELY}", one(values.liked)),
    Statement("like", rf"мені {_ADVERB}подоба(?:ється|ються) (?P<value>.+?){_LATELY}", one(values.liked)),
    Statement("like", r"я (?:❤️?|♥️?) (?P<value>.+?)", one(values.liked)),
    Statement(
        "like",
        rf"{_I}{_ADVERB}(?:фанат|фанатка|шанувальник|шанувальниця|прихильник|прихильниця) (?P<value>.+?)",
        one(values.liked),
    ),
    Statement("interest", rf"{_I}{_ADVERB}цікавлюс[яь] (?P<value>.+?){_LATELY}", one(_from_instrumental)),
    Statement(
        "hobby",
        rf"{_I}{_ADVERB}(?:захоплююс[яь]|займаюс[яь]) {_ADVERB}(?P<value>.+?){_LATELY}",
        one(_from_instrumental),
    ),
    Statement(
        "hobby", r"(?:у|в) вільний час (?:я )?(?:також |часто |люблю |зазвичай )*(?P<value>.+?)", one(values.liked)
    ),
    Statement(
        "hobby",
        (
            rf"{_I}{_ADVERB}(?P<value>(?:колекціоную|збираю (?:марки|монети|значки|листівки|платівки)) ?.*?)"
            rf"{_LATELY}"
        ),
        one(values.said),
    ),
    Statement(
        "hobby",
        (
            rf"{_I}(?:щоранку|щодня|щовечора|щотижня|щонеділі|щосуботи|регулярно) (?:я )?(?P<value>(?:бігаю|плаваю|"
            rf"танцюю|малюю|співаю|медитую|катаюся на \w+|гуляю з собакою|в'яжу|вишиваю|ходжу в зал))(?: .{{0,40}})"
            r"?"
        ),
        one(values.said),
    ),
    Statement(
        "programming_language",
        (
            rf"{_I}{_ADVERB}(?:пишу|програмую|кодую|розробляю) (?:на|мовою) (?P<value>[A-Za-z][\w+#.]*(?:(?:,| і| "
            rf"та) [A-Za-z][\w+#.]*)*){_LATELY}"
        ),
        values.things,
    ),
    Statement("skill", rf"{_I}{_ADVERB}(?:вмію|умію) (?P<value>.+?){_LATELY}", one(values.liked)),
    Statement(
        "skill",
        (
            r"(?:я )(?:добре|непогано|гарно|чудово|професійно) (?P<value>готую|співаю|малюю|плаваю|танцюю|шию|"
            r"в'яжу|фотографую|програмую)"
        ),
        one(values.said),
    ),
    Statement(
        "goal",
        (
            rf"{_I}{_ADVERB}(?:хочу|планую|збираюс[яь]|маю намір|вирішив|вирішила|прагну) "
            rf"{_ADVERB}(?P<value>{_AIM}(?!\w).*?)"
        ),
        one(values.goal),
    ),
    Statement(
        "goal",
        rf"моя (?:головна |велика |найбільша )?(?:мета|ціль|мрія)(?: на (?:цей )?рік)?{_DASH} (?P<value>.+?)",
        one(values.goal),
    ),
    Statement("goal", rf"{_I}мрію (?P<value>{_AIM}(?!\w).*?)", one(values.goal)),
    Statement(
        "goal",
        (
            rf"{_I}{_ADVERB}(?P<value>(?:(?:вчу|вивчаю) \w+[сзц]ьку(?: мову)?|(?:збираю|відкладаю) (?:гроші )?на "
            rf".+?|заощаджую на .+?|пишу (?:роман|книгу|книжку|дисертацію|диплом|дипломну).{{0,40}}|готуюся до "
            rf"(?:марафону|іспиту|іспитів|зно|нмт|змагань|весілля).{{0,30}}|вчуся (?:грати|малювати|програмувати|"
            rf"готувати|плавати|танцювати|водити).{{0,40}}))"
        ),
        one(values.goal),
    ),
    Statement(
        "goal",
        rf"{_I}(?:скоро |наступного року |колись |потім )*(?P<value>{_FUTURE}(?!\w).*?)",
        one(values.goal),
        sure=False,
    ),
    Statement(
        "goal",
        (
            rf"(?:{_I}(?:б |би )?(?:хотів|хотіла)(?: б| би)?|мені б хотілося|хотілося б) (?:колись |дуже |справді )"
            rf"*(?P<value>{_AIM}(?!\w).*?)"
        ),
        one(values.goal),
        sure=False,
    ),
    Statement(
        "birthday",
        rf"(?:мій )?(?:день народження|др)(?: (?:у|в) мене| у мене)?{_DASH} (?P<value>{_DATE})",
        one(lambda said: said),
    ),
    Statement("birthday", rf"(?:у|в) мене день народження (?P<value>{_DATE})", one(lambda said: said)),
    Statement("birthday", rf"{_I}народи(?:вся|лася|лась) (?P<value>{_DATE})", one(lambda said: said)),
    Statement(
        "anniversary",
        rf"(?:наша|моя|(?:у|в) (?:нас|мене)) річниця(?: весілля)?{_DASH} (?P<value>{_DATE})",
        one(lambda said: said),
    ),
    Statement("deadline", rf"(?:мій )?дедлайн (?P<value>[\w' ]+?{_DASH} {_WHEN})", one(_dated)),
    Statement(
        "date",
        (
            r"(?:(?:у|в) (?:мене|нас)(?: буде)?|мій|моя|моє|наше) (?P<value>(?:\w+ )?(?:іспит|екзамен|співбесіда|"
            rf"весілля|операція|концерт|захист|випускний|виступ|залік|поїздка|відпустка|рейс|прийом)(?: .{{0,20}}?)"
            rf"?{_DASH} {_WHEN})"
        ),
        one(_dated),
    ),
)

UKRAINIAN = (*FURTHER, *PLAIN)

FAMILY = (
    (rf"(?:мого|мою|моєї) (?P<who>{_RELATIVE}) (?:звати|звуть) (?P<value>.+?)", one(values.proper_name)),
    (
        rf"(?:у|в) мене є (?:\w+ )?(?P<who>{_RELATIVE}) (?:на ім'я )?(?P<value>(?-i:[А-ЯІЇЄҐ])[\w']+)",
        one(values.proper_name),
    ),
    (
        (
            rf"(?:мій|моя) (?:старший |старша |молодший |молодша |рідний |рідна )?(?P<who>{_RELATIVE}) (?:також |"
            rf"теж |дуже |зараз |вже )*(?P<value>{_PREDICATIVE})"
        ),
        one(values.lasting),
    ),
)
_ANIMAL_NAMED = rf"(?:мого|мою) (?P<who>{'|'.join(_ANIMALS)}) (?:звати|звуть) (?P<value>.+?)"
_FAVORITE_IS = (
    rf"(?:а )?(?:мій|моя|моє|мої) (?:най)?улюблен\w+ (?P<what>{_FAVORITE})(?: (?:[-–—:]|це|[-–—] це))? "
    r"(?P<value>.+?)"
)


def family(sentence: str) -> tuple[Told, ...]:
    """Return what a sentence tells of a relative of the speaker, of an animal's name, of a favourite."""
    for pattern, rule in FAMILY:
        fit = fits(pattern, sentence)
        if fit is not None:
            return tuple(
                Told(_KEY_OF_RELATIVE[fit["who"].casefold()], value.lstrip("-–— ")) for value in rule(fit["value"])
            )
    named = fits(_ANIMAL_NAMED, sentence)
    if named is not None and values.proper_name(named["value"]):
        return (Told("pet", f"{_ANIMALS[named['who'].casefold()]} {named['value']}"),)
    favorite = fits(_FAVORITE_IS, sentence)
    if favorite is not None:
        value = values.liked(favorite["value"])
        return () if value is None else (Told(f"favorite_{_FAVORITES[favorite['what'].casefold()]}", value),)
    return ()
