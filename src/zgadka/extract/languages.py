"""What surrounds statements in each language: greetings before them, joints between them, slips of the pen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from zgadka.extract import english, ukrainian
from zgadka.extract.lexicon import any_of
from zgadka.extract.statement import Statement, Told


@dataclass(frozen=True)
class Language:
    """One language's rules.

    Attributes:
        tells: Each returns what a clause tells, empty when it does not fit.
        lead: What may stand before a statement and means nothing.
        tail: What may stand behind one and means nothing.
        joints: Where a sentence is cut into clauses.
        comma: Where a clause that tells nothing as a whole is cut once more.
        dash: Where, if that did not help either.
        subjects: Put before a clause that leaves its subject out.
        elliptic: How such a clause begins where no clause before it has a subject.
        run_on: Where statements in a row are cut that have nothing between them.
    """

    code: str
    statements: tuple[Statement, ...]
    tells: tuple[Callable[[str], tuple[Told, ...]], ...]
    lead: str
    tail: str
    joints: str
    comma: str
    dash: str
    subjects: tuple[str, ...]
    elliptic: str
    run_on: str
    slips: tuple[tuple[str, str], ...]


_MINE = r"(?:i|i'm|i've|i'd|i'll|ive|im|my|we|our)"
_VERBS = r"(?:am|work|live|study|play|speak|have|love|like|hate|enjoy|want|prefer|drive|collect|own)"
# Who else a sentence may turn to; what follows is about them.
_OTHERS = (
    r"(?:he|she|it|its|it's|they|you|there|that|that's|this|everyone|everybody|people|his|her|their|the|not|nobody"
    r"|never|have no|can't|cannot|someone|what|how|just)"
)

_CLOSE = r"(?:mom|mum|mother|dad|father|brother|sister|wife|husband|son|daughter|girlfriend|boyfriend)"
_PLAYED = any_of("played_en")

ENGLISH = Language(
    code="en",
    statements=english.ENGLISH,
    tells=(english.family, english.favorite),
    lead=r"(?:(?:h+i+|h+e+y+a*|hello+|hiya|howdy|yo|greetings)(?: (?:there|everyone|everybody|all|guys|folks|friends"
    r"|again|you all))?|good (?:morning|evening|afternoon|day)"
    r"|well|so|ok|okay|oh|by the way|btw|anyway|anyways|fyi|tbh|to be honest|ngl|not gonna lie|fun fact|for context"
    r"|for the record|just so you know|you know|and|also|but|yes|yeah|yep|yup|no|nope|nah|thanks|thank you|actually"
    r"|honestly|personally|as for me|me too|same here|same|nice|cool|great|wow|awesome|haha|lol|please|then|me|myself"
    r"|in fact|for me|right|sure|of course|ofc|sorry|hmm+|umm*|ah+|aw+|i see|me\?|remember(?: that)?"
    r"|please remember(?: that)?|please note(?: that)?|note that|keep in mind(?: that)?|i am telling you"
    r"|i can tell you(?: that)?|the thing is|a bit about me|about me|oh and|and yes|now|today|right now|currently"
    r"|at the moment|these days|lately|one day|someday|some day|eventually|i must say|i have to say|nice to meet you"
    r"|that's (?:cool|great|nice|awesome)"
    r"|that is (?:cool|great|nice|awesome)|not much)",
    tail=(
        r",? (?:btw|rn|atm|irl|by the way|tbh|to be honest|ngl|lately|tho|though|honestly|fyi|of course"
        r"|ofc|you know|as you know"
        r"|in case you(?:'re| are) wondering|for the record|just so you know)"
    ),
    joints=rf",? (?:and|but|so|while|also|plus|or) (?=(?:{_MINE}|call me|now i|also i)\b)"
    rf"|(?<!now)(?<!days)(?<!time)(?<!nurse), (?=(?:{_MINE}|call me|now i|originally)\b)"
    r"|,? (?:and|but) (?=(?:single|married|divorced|engaged|retired|vegan|vegetarian|\d\d)(?: |$))"
    rf"|,? (?:and|but) (?=(?:{_VERBS}|studied|moved|went|worked|lived|graduated)\b \w)|(?<=nurse), (?=i (?:love|like"
    rf"|live|have|work)\b)"
    rf"|,? (?:and|so) (?={_OTHERS}\b(?! (?:{_PLAYED})))|(?:,| -| –| —) (?=(?:but|and|so) )|, (?=(?:married|single"
    rf"|divorced|now)\b)"
    r"|,? (?:but|because|cause|cuz|bc|cos|although|though|even though) |, (?:which|so) | (?:who|that"
    r"|which) (?=(?:is|was|loves|likes|has|lives|works|hates|always|never|just|are)\b)| while "
    r"(?=\w+ing\b)| [-–—]+ (?=i\b)"
    r"| (?:and|but|because|so) (?=no\b)",
    comma=r"\s*[,(]+ ?",
    dash=r"\s*[,:(]+ ?|\s+[-–—]+ ",
    subjects=("i ", "i'm ", "i've "),
    elliptic=r"(?:just |recently |still |currently |also |been |originally )*(?:moved|living in|working (?:as|at|for)"
    r"|studying|trying to|learning|planning to|saving|training for|love|hate|born in|grew up in|been|got (?:an?|two"
    r"|three|four|\d)|have|might|may"
    r"|turned|born on|born and raised in|based in|got hired|got married|hoping to|thinking (?:of|about)"
    r"|would (?:love|like) to|live in|from|work (?:as|at|for)|can't stand|not an? (?:big |huge )?fan"
    r"|not (?:really )?into"
    r"|(?:big|huge|massive) (?:\w+ )?(?:fan|lover|nerd|geek)|fluent in|retired|self-employed|unemployed|married"
    r"|divorced|engaged to|single (?:mom|mum|mother|dad|father)|allergic to|raised in|planning on|majoring in"
    r"|proud owner of|proud (?:mom|mum|mother|dad|father)|(?:mom|mum|dad) of"
    r"|favou?rite \w+|native \w+ speaker|fan of|obsessed with|into|\d\d ?(?:yo|y/o|year))\b",
    run_on=r" (?=(?:i'm|i am|i live|i work|i have|i've|i like|i love|i play|i study|i speak|i hate|my name"
    r"|my favou?rite"
    r"|my birthday|call me)\b)",
    slips=(
        (r" (?='(?:m|s|ve|d|ll|re)\b)", ""),
        (r" n't\b", "n't"),
        (r"(?<!\w)im (?=\w)", "i'm "),
        (r"(?<!\w)ive (?=\w)", "i've "),
        (r"\bdont\b", "don't"),
        (r"\bcant\b", "can't"),
        (r"^i liv ", "i live "),
        (r"^i'm a huge ", "i'm a "),
        (
            rf"^((?:my|our) {_CLOSE})'s (?=an? |from )",
            r"\1 is ",
        ),
        (r"^i do not ", "i don't "),
        (r"^i am not ", "i'm not "),
    ),
)

_MINE_UK = (
    r"(?:я|мене|мені|моє|моя|мій|мої|мого|мою|живу|мешкаю|граю|люблю|обожнюю|працюю|ненавиджу|вивчаю|вчуся|вчусь|маю"
    r"|хочу|не люблю|в мене|у мене|в нас|у нас|тепер живу|зараз живу|родом|вчу|займаюся|захоплююся|work|live)"
)
UKRAINIAN = Language(
    code="uk",
    statements=ukrainian.UKRAINIAN,
    tells=(ukrainian.family,),
    lead=r"(?:(?:всім |усім )?(?:привіт(?:ик)?|вітання|хай|салют|добр\w+ \w+|вітаю) (?:всім|усім|всіх|усіх|народ"
    r"|друзі|чат"
    r"|дівчата|хлопці|люди)|(?:всім|усім) (?:привіт(?:ик)?|хай|салют|добр\w+ \w+)|ну|ой|о|так от|отже|слухай"
    r"|слухайте|до речі|взагалі|привіт|вітаю|добрий день|добрий вечір|добридень"
    r"|доброго дня|доброго ранку|доброго вечора|доброго|хай|і|й|а|а ще|ще|але|та|так|ні|ага|дякую|звісно|чесно"
    r"|чесно кажучи|якщо чесно|насправді|особисто|я теж|і я|будь ласка"
    r"|запам'ятай,? що|запам'ятай|май на увазі,? що|знай,? що|зазнач,? що|щодо мене|про мене|коротко|ого|вау|ахах|а от"
    r"|от|оце|тепер|зараз|нині|добре|ок|окей|ok|hi|hello|привітик|привіт(?:ик)? (?:всім|усім)|всім привіт|усім привіт"
    r"|вітання|вітаннячко|доброго всім|салют|круто|класно|супер|просто|щодо|приємно познайомитися|наразі)",
    tail=r",? (?:до речі|якщо чесно|чесно кажучи|чесно|звісно|якщо що|взагалі-то|originally"
    r"|(?<!рік )(?<!роки )(?<!років )(?<!місяць )(?<!місяці )(?<!місяців )(?<!тиждень )(?<!тижні )(?<!тижнів )тому)",
    joints=rf"(?<!живу)(?<!мешкаю),? (?:і|й|та|а|але|бо|тому|а ще|і ще|а також|but|and) (?={_MINE_UK}\b)"
    rf"|(?<!насправді)(?<!взагалі-то)(?<!тепер)(?<!зараз)(?<!медсестра), (?=(?:а |але |і |та )?{_MINE_UK}\b)"
    r"|(?<=медсестра), (?=(?:я )?(?:живу|люблю|обожнюю|маю|працюю)\b)"
    r"|,? (?:бо|тому що|оскільки|але|зате|хоча|тож|отож|тільки) |, (?:який|яка|яке|які|тому|де|а|і|та) "
    r"|,? (?:і|й|та) (?=(?:він|вона|воно|вони|ти|ви|це|не|дуже щаслив\w+|жодн\w+)\b)| а (?=це\b)| [-–—]+ (?=я\b)",
    comma=r"\s*[,(]+ ?",
    dash=r"\s*[,:(]+ ?|\s+[-–—]+ ",
    subjects=("я ", "мені ", "мене "),
    elliptic=r"(?:звати|звуть|родом|подоба(?:ється|ються)|алергія на|є (?:старш|молодш|син|донька|дочка|брат|сестра"
    r"|двоє|троє|діти)\w*|без розуму|в захваті|студент\w*|аспірант\w*|безробітн\w*|розлучен\w*|одружен\w*|заміжня"
    r"|\w+ класів|на пенсії|в декреті)\b",
    run_on=r" (?=(?:мене (?:звати|звуть)|мені (?:\d\d|\w+надцять|двадцять|тридцять|сорок|п'ятдесят|шістдесят)|я (?:з"
    r"|із|зі|працюю"
    r"|живу|люблю|маю|вчуся|вчусь|студент\w*)|живу (?:у|в)|працюю|маю|люблю|обожнюю|вчуся|вчусь|навчаюс[яь]|в мене"
    r"|у мене"
    r"|не люблю|не їм|ненавиджу|родом)\b)",
    slips=(
        (r"^я с (?=\w)", "я з "),
        (r"^i'm (?=[а-яіїєґ])", "я "),
        (r"^я жыву ", "я живу "),
        (r"але(?:гр|рг|гь|ргг)ія", "алергія"),
        (r"(?<!\w)кие(?=ві|ва)", "киє"),
    ),
)
