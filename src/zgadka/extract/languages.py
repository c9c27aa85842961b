"""What surrounds statements in each language: greetings before them, joints between them, slips of the pen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from zgadka.extract import english, ukrainian
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
    slips: tuple[tuple[str, str], ...]


_MINE = r"(?:i|i'm|i've|i'd|i'll|ive|im|my|we|our)"
_VERBS = r"(?:am|work|live|study|play|speak|have|love|like|hate|enjoy|want|prefer|drive|collect|own)"
# Who else a sentence may turn to; what follows is about them.
_OTHERS = (
    r"(?:he|she|it|its|it's|they|you|there|that|that's|this|everyone|everybody|people|his|her|their|the|not|nobody"
    r"|never|have no|can't|cannot|someone|what|how|just)"
)

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
    r"|at the moment|these days|lately|i must say|i have to say|nice to meet you|that's (?:cool|great|nice|awesome)"
    r"|that is (?:cool|great|nice|awesome)|not much)",
    tail=(
        r",? (?:btw|rn|atm|irl|by the way|tbh|to be honest|ngl|lately|tho|though|honestly|fyi|of course"
        r"|ofc|you know|as you know"
        r"|in case you(?:'re| are) wondering|for the record|just so you know)"
    ),
    joints=rf",? (?:and|but|so|while|also|plus|or) (?=(?:{_MINE}|call me|now i|also i)\b)"
    rf"|(?<!now)(?<!days)(?<!time)(?<!nurse), (?=(?:{_MINE}|call me|now i|originally)\b)"
    rf"|,? (?:and|but) (?={_VERBS}\b \w)|(?<=nurse), (?=i (?:love|like|live|have|work)\b)"
    rf"|,? (?:and|so) (?={_OTHERS}\b)|(?:,| -| –| —) (?=(?:but|and|so) )|, (?=(?:married|single|divorced|now)\b)"
    r"|,? (?:but|because|cause|cuz|bc|cos|although|though|even though) |, (?:which|so) | (?:who|that"
    r"|which) (?=(?:is|was|loves|likes|has|lives|works|hates|always|never|just|are)\b)| while "
    r"(?=\w+ing\b)| [-–—]+ (?=i\b)"
    r"| (?:but|because|so) (?=no\b)",
    comma=r"\s*[,(]+ ?",
    dash=r"\s*[,:(]+ ?|\s+[-–—]+ ",
    subjects=("i ", "i'm ", "i am ", "i've "),
    elliptic=r"(?:just |recently |still |currently |also |been |originally )*(?:moved|living in|working (?:as|at|for)"
    r"|studying|trying to|learning|planning to|saving|training for|love|hate|born in|grew up in|been|got an?|have"
    r"|turned|born on|live in|from|work (?:as|at|for)|can't stand)\b",
    slips=(
        (r" (?='(?:m|s|ve|d|ll|re)\b)", ""),
        (r" n't\b", "n't"),
        (r"(?<!\w)im (?=\w)", "i'm "),
        (r"(?<!\w)ive (?=\w)", "i've "),
        (r"\bdont\b", "don't"),
        (r"\bcant\b", "can't"),
        (r"^i liv ", "i live "),
        (r"^i wrok ", "i work "),
        (r"^my (?:nmae|naem|nam|anme) ", "my name "),
        (r"\bfavrite\b|\bfavorit\b|\bfavourit\b", "favorite"),
        (r"\bal+er?g+ic\b|\bal+erigc\b", "allergic"),
        (r"\b(?:b-?day|bithday|brithday)\b", "birthday"),
        (r"\bgonna\b", "going to"),
        (r"^i'm a huge ", "i'm a "),
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
    lead=r"(?:ну|ой|о|так от|отже|слухай|слухайте|до речі|взагалі|привіт|вітаю|добрий день|добрий вечір|добридень"
    r"|доброго дня|доброго ранку|доброго вечора|доброго|хай|і|й|а|а ще|ще|але|та|так|ні|ага|дякую|звісно|чесно"
    r"|чесно кажучи|якщо чесно|насправді|особисто|я теж|і я|будь ласка"
    r"|запам'ятай,? що|запам'ятай|май на увазі,? що|знай,? що|зазнач,? що|щодо мене|про мене|коротко|ого|вау|ахах|а от"
    r"|от|оце|тепер|зараз|нині|добре|ок|окей|ok|hi|hello|привітик|привіт(?:ик)? (?:всім|усім)|всім привіт|усім привіт"
    r"|вітання|вітаннячко|доброго всім|салют|круто|класно|супер|просто|щодо|приємно познайомитися|наразі)",
    tail=r",? (?:до речі|якщо чесно|чесно кажучи|чесно|звісно|якщо що|взагалі-то|тому)",
    joints=rf",? (?:і|й|та|а|але|бо|тому|а ще|і ще|а також|but|and) (?={_MINE_UK}\b)"
    rf"|(?<!насправді)(?<!взагалі-то)(?<!тепер)(?<!зараз)(?<!медсестра), (?=(?:а |але |і |та )?{_MINE_UK}\b)"
    r"|(?<=медсестра), (?=(?:я )?(?:живу|люблю|обожнюю|маю|працюю)\b)"
    r"|,? (?:бо|тому що|оскільки|але|зате|хоча|тож|отож|тільки) |, (?:який|яка|яке|які|тому|де|а|і|та) "
    r"|,? (?:і|й|та) (?=(?:він|вона|воно|вони|ти|ви|це|не|дуже щаслив\w+|жодн\w+)\b)| [-–—]+ (?=я\b)",
    comma=r"\s*[,(]+ ?",
    dash=r"\s*[,:(]+ ?|\s+[-–—]+ ",
    subjects=("я ", "мені ", "мене "),
    elliptic=r"(?:звати|звуть|родом)\b",
    slips=(
        (r"^я жыву ", "я живу "),
        (r"^нелюблю ", "не люблю "),
        (r"^я нелюблю ", "я не люблю "),
        (r"^працую ", "працюю "),
        (r"^обажнюю ", "обожнюю "),
        (r"улюблиний", "улюблений"),
        (r"^мене (?:завти|зати|звтаи|звта) ", "мене звати "),
        (r"але(?:гр|рг|гь|ргг)ія", "алергія"),
        (r"(?<!\w)кие(?=ві|ва)", "киє"),
    ),
)
