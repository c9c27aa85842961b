"""Ukrainian statements of what somebody likes, does, can and plans, and when."""

from __future__ import annotations

import re

from zgadka.extract import places, values
from zgadka.extract.statement import Statement, one
from zgadka.extract.ukrainian_words import ADVERB, DASH, LATELY, SELF, SINCE

_MONTH = r"(?:січня|лютого|березня|квітня|травня|червня|липня|серпня|вересня|жовтня|листопада|грудня)"


_ORDINAL = (
    r"(?:(?:двадцять |тридцять )?(?:першого|другого|третього|четвертого|п'ятого|шостого|сьомого|восьмого"
    r"|дев'ятого)|\w+надцятого|десятого|двадцятого|тридцятого)"
)


_DATE = (
    rf"(?:(?:\d{{1,2}}(?:-?го)?|{_ORDINAL}) {_MONTH}(?: \d{{4}}(?: року| р\.?)?)?"
    rf"|\d{{1,2}}[./]\d{{1,2}}(?:[./]\d{{2,4}})?)"
)


_WHEN = (
    rf"(?:{_DATE}|(?:у|в) (?:наступний |наступну |цей |цю )?(?:понеділок|вівторок|середу|четвер|п'ятницю|"
    r"суботу|неділю)|завтра|наступного тижня|наступного місяця)"
)


_AIM = (
    r"(?:навчитися|навчитись|вивчити|вивчати|вчити|стати|переїхати|жити|купити|поїхати|полетіти|відвідати|"
    r"побачити|написати"
    r"|закінчити|схуднути|кинути палити|пробігти|побудувати|збудувати|відкрити|здати|скласти|опанувати|заснувати"
    r"|подорожувати|вступити|вступати|створити|отримати|знайти|завести|вийти заміж|одружитися|заробити|працювати|бути)"
)


# What is wished for more dreamily than planned; asked about, not stored.
_DREAM = (
    r"(?:навчитис[яь]|вивчити|вивчати|стати|переїхати|пожити|жити|купити|поїхати|полетіти|відвідати|побачити"
    r"|написати|схуднути"
    r"|пробігти|побудувати|збудувати|відкрити|опанувати|подорожувати|вступити|створити|знайти|завести|спробувати"
    r"|стрибнути|мати"
    r"|працювати|малювати|вчитис[яь]|зайнятис[яь]|освоїти|побувати|бігати|почати|записатис[яь]|грати|танцювати"
    r"|займатис[яь])"
)


_FUTURE = (
    r"(?:переїду|вступлю|вчитиму|вивчатиму|навчуся|куплю|стану|поїду|одружуся|напишу|відкрию|полечу|"
    r"заведу|вивчу|піду (?:вчитися|на (?:йогу|танці|курси|бокс|плавання|фітнес|пенсію)))"
)


def _from_instrumental(said: str) -> str | None:
    """Return a noun said after "займаюся", "йогою" as "йога", where the ending leaves no choice."""
    value = values.liked(said)
    if value is None or " " in value:
        return value
    for ending, nominative in (("ією", "ія"), ("кою", "ка"), ("гою", "га"), ("нням", "ння")):
        if value.endswith(ending):
            return value.removesuffix(ending) + nominative
    return value


def _dated(said: str) -> str | None:
    """Make "іспит 3 червня" to "іспит: 3 червня"."""
    found = re.fullmatch(rf"(?P<what>.*?)(?: ?[-–—:]| буде| відбудеться)? ?(?P<when>{_WHEN})", said, re.IGNORECASE)
    if found is None:
        return None
    event = values.said(found["what"], most_words=4)
    return f"{event}: {found['when']}" if event else found["when"]


def _instrument(said: str) -> str | None:
    value = values.liked(said)
    return None if value is None else places.nominative_instrument(value)


WISHES = (
    Statement(
        "dislike",
        r"мене (?:дуже |страшенно )?(?:драту|бісить|бісять|виводить|бісі)\w* (?P<value>.+?)",
        one(values.liked),
    ),
    Statement(
        "hobby",
        rf"{SELF}{ADVERB}граю на (?P<value>[\w'-]+)(?: (?:у|в|з|вже|разом|для) .+)?",
        one(_instrument),
    ),
    Statement("goal", rf"{SELF}(?:намагаюс[яь]|пробую|стараюс[яь]) (?P<value>{_AIM}(?!\w).*?)", one(values.goal)),
    Statement(
        "goal",
        rf"{SELF}планую (?P<value>(?:вступати|вчитися|навчатися|переїжджати|здавати|купувати|відкривати)(?!\w).*?)",
        one(values.goal),
    ),
    Statement("goal", rf"{SELF}(?:думаю|подумую) (?P<value>{_AIM}(?!\w).*?)", one(values.goal), sure=False),
    Statement(
        "goal",
        r"(?:ми )?(?P<value>(?:заведемо|купимо|переїдемо|одружимося|поїдемо)(?!\w).*?)",
        one(values.goal),
        sure=False,
    ),
    Statement("birthday", rf"(?:у|в) мене (?:др|дн|днюха|уродини|іменини) (?P<value>{_DATE})", one(lambda said: said)),
    Statement("preference", rf"{SELF}{ADVERB}(?:надаю|віддаю) перевагу (?P<value>.+?)", one(values.preferred)),
    Statement("preference", rf"{SELF}більше люблю (?P<value>[^,]+(?:, ніж .+)?)", one(values.liked)),
    Statement("preference", r"мені більше подоба(?:ється|ються) (?P<value>[^,]+(?:, ніж .+)?)", one(values.liked)),
    Statement(
        "dislike",
        (
            rf"{SELF}{ADVERB}(?:ненавиджу|не люблю|не переношу|терпіти не можу|не можу терпіти|не дуже люблю|не "
            rf"терплю) (?P<value>.+?){LATELY}"
        ),
        one(values.liked),
    ),
    Statement("dislike", rf"мені {ADVERB}не {ADVERB}подоба(?:ється|ються) (?P<value>.+?){LATELY}", one(values.liked)),
    Statement("like", rf"{SELF}{ADVERB}(?:люблю|обожнюю|полюбляю|обожаю) (?P<value>.+?){LATELY}", one(values.liked)),
    Statement("like", rf"мені {ADVERB}подоба(?:ється|ються) (?P<value>.+?){LATELY}", one(values.liked)),
    Statement("like", r"я (?:❤️?|♥️?) (?P<value>.+?)", one(values.liked)),
    Statement(
        "like",
        rf"{SELF}{ADVERB}(?:фанат|фанатка|шанувальник|шанувальниця|прихильник|прихильниця) (?P<value>.+?)",
        one(values.liked),
    ),
    Statement("interest", rf"{SELF}{ADVERB}цікавлюс[яь] (?P<value>.+?){LATELY}", one(_from_instrumental)),
    Statement(
        "hobby",
        rf"{SELF}{ADVERB}(?:захоплююс[яь]|займаюс[яь]) {ADVERB}(?P<value>.+?){SINCE}{LATELY}",
        one(_from_instrumental),
    ),
    Statement(
        "hobby", r"(?:у|в) вільний час (?:я )?(?:також |часто |люблю |зазвичай )*(?P<value>.+?)", one(values.liked)
    ),
    Statement(
        "hobby",
        (
            rf"{SELF}{ADVERB}(?P<value>(?:колекціоную|збираю (?:марки|монети|значки|листівки|платівки)) ?.*?)"
            rf"{LATELY}"
        ),
        one(values.said),
    ),
    Statement(
        "hobby",
        (
            rf"{SELF}(?:щоранку|щодня|щовечора|щотижня|щонеділі|щосуботи|регулярно) (?:я )?(?P<value>(?:бігаю|плаваю|"
            rf"танцюю|малюю|співаю|медитую|катаюся на \w+|гуляю з собакою|в'яжу|вишиваю|ходжу в зал))(?: .{{0,40}})"
            r"?"
        ),
        one(values.said),
    ),
    Statement(
        "programming_language",
        (
            rf"{SELF}{ADVERB}(?:пишу|програмую|кодую|розробляю) (?:на|мовою) (?P<value>[A-Za-z][\w+#.]*(?:(?:,| і| "
            rf"та) [A-Za-z][\w+#.]*)*){LATELY}"
        ),
        values.things,
    ),
    Statement("skill", rf"{SELF}{ADVERB}(?:вмію|умію) (?P<value>.+?){LATELY}", one(values.liked)),
    Statement(
        "skill",
        (
            r"(?:я )?(?:добре|непогано|гарно|чудово|професійно) (?P<value>готую|співаю|малюю|плаваю|танцюю|шию|"
            r"в'яжу|фотографую|програмую)"
        ),
        one(values.said),
    ),
    Statement(
        "goal",
        (
            rf"{SELF}{ADVERB}(?:хочу|планую|збираюс[яь]|маю намір|вирішив|вирішила|прагну) "
            rf"{ADVERB}(?P<value>{_AIM}(?!\w).*?)"
        ),
        one(values.goal),
    ),
    Statement(
        "goal",
        rf"моя (?:головна |велика |найбільша )?(?:мета|ціль|мрія)(?: на (?:цей )?рік)?{DASH} (?P<value>.+?)",
        one(values.goal),
    ),
    Statement("goal", rf"{SELF}мрію (?P<value>{_AIM}(?!\w).*?)", one(values.goal)),
    Statement(
        "goal",
        (
            rf"{SELF}{ADVERB}(?P<value>(?:(?:вчу|вивчаю) \w+[сзц]ьку(?: мову)?|(?:збираю|відкладаю) (?:гроші )?на "
            rf".+?|заощаджую на .+?|пишу (?:роман|книгу|книжку|дисертацію|диплом|дипломну).{{0,40}}|готуюся до "
            rf"(?:марафону|іспиту|іспитів|зно|нмт|змагань|весілля).{{0,30}}|вчуся (?:грати|малювати|програмувати|"
            rf"готувати|плавати|танцювати|водити).{{0,40}}))"
        ),
        one(values.goal),
    ),
    Statement(
        "goal",
        rf"{SELF}(?:скоро |наступного року |колись |потім )*(?P<value>{_FUTURE}(?!\w).*?)",
        one(values.goal),
        sure=False,
    ),
    Statement(
        "goal",
        (
            rf"(?:{SELF}(?:б |би )?(?:хотів|хотіла)(?: б| би)?|мені б хотілос[яь]"
            rf"|(?:мені )?хотілос[яь] би?) (?:колись |дуже |справді )"
            rf"*(?P<value>{_AIM}(?!\w).*?)"
        ),
        one(values.goal),
        sure=False,
    ),
    Statement(
        "goal",
        rf"(?:{SELF}(?:колись |дуже )*(?:б |би )?(?:хотів|хотіла)(?: б| би)?|(?:мені )?(?:б )?хотілос[яь](?: б| би)?"
        rf"|(?:було б|було би) (?:класно|круто"
        rf"|добре|чудово|цікаво|прикольно)|{SELF}(?:колись |якось )?(?:хочу|мрію|сподіваюс[яь]|планую"
        rf"|думаю)) (?:колись |якось |таки |ще )*"
        rf"(?P<value>{_DREAM}(?!\w).*?)(?:,? колись)?",
        one(values.goal),
        sure=False,
    ),
    Statement(
        "goal",
        rf"{SELF}(?:думаю|подумую|мрію) про (?P<value>(?:переїзд|навчання|власн\w+|нов\w+ робот\w+|весілля) ?.*?)",
        one(values.goal),
        sure=False,
    ),
    Statement(
        "goal",
        rf"{SELF}(?:скоро |наступного року |колись |потім |якось )*(?P<value>(?:почну (?:бігати|вчити|займатис"
        rf"|ходити|малювати|вивчати|готувати|вести)\w*|заведу|переїду|навчуся"
        rf"|піду вчитися"
        rf"|вступлю|кину палити|відкрию|одружуся|стану)(?!\w).*?)",
        one(values.goal),
        sure=False,
    ),
    Statement(
        "birthday",
        rf"(?:мій )?(?:день народження|др)(?: (?:у|в) мене| у мене)?{DASH} (?P<value>{_DATE})",
        one(lambda said: said),
    ),
    Statement("birthday", rf"(?:у|в) мене день народження (?P<value>{_DATE})", one(lambda said: said)),
    Statement("birthday", rf"{SELF}народи(?:вся|лася|лась) (?P<value>{_DATE})", one(lambda said: said)),
    Statement(
        "anniversary",
        rf"(?:наша|моя|(?:у|в) (?:нас|мене)) річниця(?: весілля)?{DASH} (?P<value>{_DATE})",
        one(lambda said: said),
    ),
    Statement("deadline", rf"(?:мій )?дедлайн (?P<value>[\w' ]+?{DASH} {_WHEN})", one(_dated)),
    Statement(
        "date",
        (
            r"(?:(?:у|в) (?:мене|нас)(?: буде)?|мій|моя|моє|наше) (?P<value>(?:\w+ )?(?:іспит|екзамен|співбесіда|"
            rf"весілля|операція|концерт|захист|випускний|виступ|залік|поїздка|відпустка|рейс|прийом)(?: .{{0,20}}?)"
            rf"?{DASH} {_WHEN})"
        ),
        one(_dated),
    ),
)
