"""Ukrainian statements of who somebody is: name, home, work, body, what and whom they have."""

from __future__ import annotations

import re

from zgadka.extract import places, values
from zgadka.extract.lexicon import any_of, words
from zgadka.extract.statement import Statement, one
from zgadka.extract.ukrainian_words import ADVERB, DASH, JOB, LATELY, SELF, SINCE

_HAVE = (
    r"(?:(?:у|в) мене(?: вдома)?(?: (?:є|живе|живуть|тепер є|вже є|ще є|тепер|вдома|з'явився|з'явилася))?|"
    r"(?:я )?маю)"
)


_NUMBER = r"(?:один|одна|два|дві|двоє|двох|три|троє|трьох|чотири|четверо|чотирьох|п'ять|п'ятеро|кілька|багато|\d{1,2})"


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


def _languages(said: str) -> tuple[str, ...]:
    """Return the languages of a list in the instrumental or accusative, "польською" as "польська"."""
    listed = said.removesuffix(" мовою").removesuffix(" мовами").strip()
    parts = [_HOW_WELL.sub("", part) for part in re.split(r"\s*,\s*|\s+(?:та|і|й)\s+", listed) if part]
    found = [re.sub(r"(?<=[сзц]ьк)(?:ою|у)$", "а", part) for part in parts]
    return tuple(found) if all(re.search(r"[сзц]ька$", part) for part in found) else ()


_HOW_WELL = re.compile(r"^(?:також |ще |трохи |трішки |вільно |добре |непогано |погано |ламаною |і )+", re.IGNORECASE)


def _named(text: str) -> str | None:
    value = values.proper_name(text)
    return None if value is None else values.known_name(value)


def _known_job(said: str) -> str | None:
    value = _instrumental_job(said)
    return value if value is not None and value.casefold() in words("occupation_uk") else None


def _school(said: str) -> str | None:
    value = values.organisation(said)
    return None if value is None or not value[:1].isupper() else value


def _studying(said: str) -> str | None:
    return said if said.casefold().startswith(("студент", "аспірант", "магістр")) else None


_SIBLING = (
    r"(?:(?:старший|молодший|рідний|двоюрідний|старшого|молодшого) (?:брат|брата)"
    r"|(?:старша|молодша|рідна|двоюрідна|старшу|молодшу) (?:сестра|сестру))"
)


def _known_town(said: str) -> str | None:
    return places.nominative_place(said) if places.is_known_place(said) else None


def _workplace(said: str) -> str | None:
    # "працюю в Житомирі" says where, not for whom
    return None if places.is_known_place(said) or places.nominative_place(said) != said else values.organisation(said)


LIFE = (
    Statement(
        "job",
        rf"{SELF}{ADVERB}(?P<value>студент|студентка) (?:\w+ого курсу"
        rf"|(?P<school>(?-i:[А-ЯІЇЄҐ]{{2,}}))|\d курсу)(?: .+)?",
        one(values.said),
        more=(("school", "education", one(values.said), True),),
    ),
    Statement(
        "job",
        rf"{SELF}{ADVERB}(?P<value>(?:вчитель|вчителька|учитель|учителька|викладач|викладачка) "
        rf"(?!життя)\w+(?: класів| мови)?)",
        one(values.said),
    ),
    Statement(
        "employer",
        rf"{SELF}{ADVERB}працюю (?:у|в|на) (?P<value>[\w'-]+) (?P<job>[\w'-]+(?:ом|ем|єм|ою|ею|єю))",
        one(values.organisation),
        more=(("job", "job", one(_known_job), True),),
    ),
    Statement(
        "job",
        rf"{SELF}{ADVERB}працюю {ADVERB}(?P<value>[\w'-]+(?: [\w'-]+)?) (?:з дому|вдома|віддалено"
        rf"|дистанційно|на себе|на пів ставки)",
        one(_instrumental_job),
    ),
    Statement("job", rf"я {ADVERB}(?P<value>(?:[a-z]+ )?{any_of('occupation_en')})", one(values.job)),
    Statement(
        "job",
        rf"{SELF}(?P<value>{any_of('occupation_uk')}) (?:у|в) (?P<school>(?-i:[А-ЯІЇЄҐ]{{2,}})"
        rf"|\w*(?:університеті|політеху?|академії|інституті))",
        one(_studying),
        more=(("school", "education", one(values.said), True),),
    ),
    Statement(
        "education", rf"{SELF}(?:закінчив|закінчила) (?P<value>[^,]+?) (?:у|в) (?:19|20)\d\d(?: році)?", one(_school)
    ),
    Statement(
        "marital_status",
        rf"{SELF}(?:щасливо |давно |вже )(?P<value>одружений|одружена|заміжня|розлучений|розлучена)",
        one(values.said),
    ),
    Statement(
        "child", rf"я (?:щаслива |щасливий )?(?:мама|тато|мати|батько) (?P<value>{_NUMBER} \w+)", one(values.said)
    ),
    Statement("child", rf"(?:ще )?(?P<value>{_NUMBER} (?:дітей|діти|сини|доньки|дочки))", one(values.said)),
    Statement(
        "nephew",
        rf"{_HAVE} (?P<value>(?:{_NUMBER} )?(?:племінник|племінника|племінники|племінників))",
        one(values.said),
    ),
    Statement(
        "sibling",
        rf"{_HAVE} (?P<value>{_SIBLING}(?: (?:і|та|й) {_SIBLING})?)",
        lambda said: tuple(re.split(r" (?:і|та|й) ", said)),
    ),
    Statement(
        "vehicle",
        rf"{_HAVE} (?P<value>(?:\w+ )?(?:велосипед|мотоцикл|скутер|самокат|машину|машина|авто))",
        one(values.liked),
    ),
    Statement(
        "vehicle", rf"{SELF}{ADVERB}їжджу на (?P<value>(?:\w+ому |\w+ій )?{any_of('vehicle_uk')}\w*)", one(values.liked)
    ),
    Statement(
        "pet",
        rf"(?:у|в) нас (?:є |вдома |живе |живуть )*(?P<value>(?:{_NUMBER} )?{any_of('pet_uk')}(?: на ім'я [\w']+)?)",
        one(values.said),
        sure=False,
    ),
    Statement(
        "pet", rf"(?:мій|моя) (?P<value>{any_of('pet_uk')}(?: (?-i:[А-ЯІЇЄҐ])[\w']+)?) .+", one(values.said), sure=False
    ),
    Statement(
        "job",
        (
            rf"{SELF}{ADVERB}(?:[-–—] )?(?P<value>{JOB})(?: за (?:фахом|професією))?(?: (?:з|із|зі) (?P<origin>.+?)"
            r"| (?:у|в|на) (?P<org>.+?)| (?P<school>\w+ (?:політехніки|університету|академії|інституту|школи|"
            rf"коледжу|ліцею)))?{LATELY}"
        ),
        one(values.said),
        more=(
            ("origin", "hometown", one(_origin), True),
            ("org", "employer", one(_workplace), True),
            ("org", "location", one(_known_town), False),
            ("school", "education", one(values.said), True),
        ),
    ),
    Statement(
        "job",
        rf"{SELF}{ADVERB}працюю {ADVERB}(?P<value>[\w'-]+(?: [\w'-]+)?) (?:у|в|на) (?P<org>.+?){LATELY}",
        one(_instrumental_job),
        more=(("org", "employer", one(values.organisation), True),),
    ),
    Statement("job", rf"{SELF}{ADVERB}працюю {ADVERB}(?P<value>[a-z][a-z -]+?){LATELY}", one(values.job)),
    Statement(
        "job",
        rf"{SELF}(?:працюю )?(?:вже )?[\w']+ (?:років|роки|рік) (?:працюю )?(?P<value>[\w'-]+)",
        one(_instrumental_job),
    ),
    Statement("job", rf"як (?P<value>{JOB}), я .*", one(values.said), sure=False),
    Statement(
        "employer",
        rf"{SELF}{ADVERB}працюю {ADVERB}(?:у|в|на) (?P<value>.+?){SINCE}{LATELY}",
        one(_workplace),
    ),
    Statement(
        "education",
        rf"{SELF}{ADVERB}(?:вчуся|вчусь|навчаюся|навчаюсь) (?:у|в|на) (?P<value>.+?){LATELY}",
        one(values.liked),
    ),
    Statement(
        "education",
        (
            rf"{SELF}{ADVERB}вивчаю (?!\w+[сзц]ьку)(?P<value>.+?)(?: (?:в|у) (?:університеті|інституті|коледжі|"
            rf"школі|академії))?{LATELY}"
        ),
        one(values.liked),
    ),
    Statement("education", r"(?:я )?за освітою (?:я )?(?:[-–—] )?(?P<value>.+?)", one(values.said)),
    Statement(
        "education",
        (
            rf"{SELF}(?:закінчив|закінчила) (?P<value>.*?(?:університет|інститут|академію|коледж|політехніку|КНУ|КПІ)"
            r".*?)"
        ),
        one(values.said),
    ),
    Statement(
        "location",
        (
            rf"(?:ми(?: з (?P<spouse>чоловіком|дружиною|родиною|сім'єю|хлопцем|дівчиною|\w+ом|\w+ою"
            rf"|\w+ами|\w+ьми))?) {ADVERB}(?:живемо|"
            rf"мешкаємо) (?:у|в|на) (?P<value>.+?){SINCE}{LATELY}"
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
            rf"(?:ми (?:з \w+ )?|я )?{ADVERB}(?:переїхали|перебралися|переїхав|переїхала) "
            rf"{ADVERB}(?:(?:з|із|зі) [\w'’ -]+? "
            r")?(?:до|у|в|на) (?P<value>.+?)(?: жити)?(?:,? (?:минулого \w+|торік|недавно|нещодавно|\w+ тому|(?:у|"
            rf"в) \d{{4}}(?: році)?))*"
        ),
        one(_town),
        change="update",
    ),
    Statement(
        "location",
        rf"{SELF}{ADVERB}(?:живу|мешкаю|проживаю) {ADVERB}(?:з (?:\w+ )?\w+(?:ом|ем|ою|ею|єю|ами|ями) "
        rf")?(?:у|в|на) (?P<value>.+?)"
        rf"(?: (?:разом )?(?:з|із|зі) (?:\w+ )?\w+(?:ом|ем|ою|ею|єю|ами|ями))?{SINCE}{LATELY}",
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
    Statement("hometown", rf"{SELF}{ADVERB}(?:родом )?(?:я )?(?:з|із|зі) (?P<value>.+?)(?: родом)?", one(_origin)),
    Statement("hometown", rf"{SELF}(?:виріс|виросла) (?:у|в|на) (?P<value>.+?)", one(_town)),
    Statement(
        "birthplace",
        rf"{SELF}народи(?:вся|лася|лась) (?:і (?:виріс|виросла) )?(?:у|в|на) (?P<value>(?!\d).+?)",
        one(_origin),
    ),
    Statement(
        "birth_year",
        rf"{SELF}народи(?:вся|лася|лась) (?:(?:у|в) )?(?P<value>(?:19|20)\d\d)(?: року| році)?",
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
            rf"{_HAVE} {ADVERB}(?P<value>(?:{_NUMBER} )?(?:[\w']+(?:ий|а|ого|у|і|их|ій) )?{any_of('pet_uk')}(?: "
            rf"(?:на ім'я )?(?-i:[А-ЯІЇЄҐ])[\w']+)?(?: (?:і|та|й) (?:{_NUMBER} )?{any_of('pet_uk')})?)(?: (?:є|"
            rf"вдома))?{LATELY}"
        ),
        one(values.said),
    ),
    Statement(
        "child",
        (
            rf"{_HAVE} (?P<value>(?:(?:{_NUMBER}|маленька|маленький|дорослий|доросла|старший|молодша) )?(?:діти|"
            r"дітей|дитина|дитину|син|сина|сини|синів|донька|доньку|дочка|дочку|доньки|дочки|доньок|дочок|онук|"
            rf"онука|онуки|онуків)(?: (?:і|та|й) (?:{_NUMBER} )?(?:син|сина|донька|доньку|дочка|дочку))?){LATELY}"
        ),
        one(values.said),
    ),
    Statement(
        "sibling",
        (
            rf"{_HAVE} (?P<value>(?:(?:{_NUMBER}|старший|старша|молодший|молодша|рідний|рідна|старшого|молодшого|"
            r"старшу|молодшу|старші|молодші) )*(?:брат|брата|брати|братів|сестра|сестру|сестри|сестер|"
            rf"брат-близнюк|сестра-близнючка|близнюк|близнючка)){LATELY}"
        ),
        one(values.said),
    ),
    Statement(
        "marital_status",
        (
            rf"{SELF}{ADVERB}(?P<value>одружений|одружена|заміжня|розлучений|розлучена|неодружений|неодружена|"
            rf"незаміжня|вдівець|вдова|заручений|заручена)(?: \d+ \w+| з \w+)?{LATELY}"
        ),
        one(values.said),
    ),
    Statement(
        "language",
        (
            rf"{SELF}{ADVERB}(?:розмовляю|говорю|володію|спілкуюся) {ADVERB}(?P<value>.+?)(?: вільно| добре| вдома)"
            rf"?{LATELY}"
        ),
        _languages,
    ),
    Statement(
        "language",
        rf"{SELF}{ADVERB}знаю (?P<value>\w+[сзц]ьку(?:(?:,| і| та| й)(?: (?:трохи|трішки|погано|добре"
        rf"|непогано))? \w+[сзц]ьку)*)(?: мову| мови)?{LATELY}",
        _languages,
    ),
    Statement("native_language", rf"моя рідна мова{DASH} (?P<value>[\w'-]+)", one(values.said)),
    Statement(
        "allergy",
        rf"(?:(?:(?:у|в) мене(?: є)? )?(?:сильна )?алергія|{SELF}маю (?:сильну )?алергію) на (?P<value>.+?){LATELY}",
        one(values.liked),
    ),
    Statement("diet", rf"{SELF}{ADVERB}(?:[-–—] )?(?P<value>{any_of('diet_uk')}){SINCE}{LATELY}", one(values.said)),
    Statement(
        "diet",
        (
            rf"{SELF}{ADVERB}(?P<value>не (?:їм|вживаю|п'ю) (?!нічого|багато|зараз|після|вночі|вранці|цього|це |вже|"
            rf"так )[\w' ]+?){SINCE}{LATELY}"
        ),
        lambda said: (said,),
    ),
    Statement("health", rf"(?:(?:у|в) мене(?: є)?|{SELF}маю) (?P<value>{any_of('health_uk')})", one(values.said)),
    Statement("blood_type", rf"моя група крові{DASH} (?P<value>.+?)", one(values.said)),
    Statement("height", rf"мій зріст{DASH} (?P<value>\d[\d.,]* ?(?:см|м|сантиметрів)?)", one(values.said)),
    Statement("weight", r"(?:я )?важу (?P<value>\d{2,3} ?(?:кг|кілограмів))", one(values.said)),
    Statement("timezone", rf"мій часовий пояс{DASH} (?P<value>[\w+:/-]+)", one(values.said)),
    Statement(
        "nationality",
        rf"(?:я |(?:я )?(?=корінн)){ADVERB}(?:[-–—] )?(?:корінн(?:ий|а) )?(?P<value>{any_of('nationality_uk')})",
        one(values.said),
    ),
    Statement(
        "vehicle",
        (
            rf"{SELF}{ADVERB}їжджу на (?P<value>(?:\w+ )?(?-i:[А-ЯІЇЄҐA-Z])[\w-]+|автомобілі|машині|мотоциклі|"
            r"велосипеді|авто)"
        ),
        one(values.liked),
    ),
)
