"""What an answer says was done to the memory: "I've noted that", «видалив», and what it says was not.

Read by wording alone, clause by clause; what is quoted, asked, denied, conditional, or told of an earlier time, is no
claim. What is missed stays uncorrected and what is taken for a claim by mistake costs one more question to the model,
so where a wording is used for both, the more usual one counts. Each language is a `Wording`; all are tried, since a
model may answer in another language than it was asked in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

Deed = Literal["remembered", "updated", "forgotten"]
DEEDS: tuple[Deed, ...] = ("remembered", "updated", "forgotten")


@dataclass(frozen=True)
class Claim:
    """One thing that an answer says was done.

    Attributes:
        text: The clause that says so.
        promised: Whether it is only about to be done: "I'll remember that".
    """

    deed: Deed
    text: str
    promised: bool = False


@dataclass(frozen=True, kw_only=True)
class Wording:
    """How one language says it; regular expressions over a lower-case clause.

    Attributes:
        done: Says that it is done.
        promised: Says that it is being done, or will be.
        elsewhere: Stands before a claim that is none: of others, of what was, in a condition.
        earlier: Says that it was long ago.
        condition: Says, somewhere in the sentence, under which condition it will be done.
        other: What is changed in a conversation besides memories, such as a text or code.
        memory: Names of memories, beside which `other` does not count.
        lapse: Says that something slipped one's mind, which is no deed.
        denied: Says no.
        stems: How words for the deed begin.
    """

    done: dict[Deed, str]
    promised: dict[Deed, str]
    elsewhere: str
    earlier: str
    condition: str
    other: str
    memory: str
    lapse: str
    denied: str
    stems: dict[Deed, str]


_SO = (
    r"(?: (?:just|now|also|already|successfully|carefully|safely|duly|permanently|officially|gone ahead and"
    r"|went ahead and|made sure to|happily|simply|all|been|completely|fully|both))*"
)
_OBJECT = (
    r"(?= *$| (?:it|this|that|these|those|them|everything|all|both|you|your|the|as|for|down|in my|to my|from my|from"
    r" your|to your|in your|a|an|another|idn|q|what|under|into|accordingly|too|successfully|and|my (?:memory|memories"
    r"|notes?|records?))\b)"
)
_PLACE = r"(?:in|into|to|on) (?:my|your|the|our|long-term|memory)"
_DONE = {
    "remembered": r"(?:noted|memori[sz]ed|taken note|took note|ma[dk]e (?:a |an )?(?:\w+ )?note"
    r"|(?:saved|stored|recorded|logged|registered|captured|filed)"
    + _OBJECT
    + r"|remembered"
    + _OBJECT
    # "I wrote a poem", "I added milk": only together with what makes a memory of it.
    + r"|(?:written|wrote|jotted|put|noted)(?: [\w'-]+){0,6}? down"
    rf"|(?:added|put|committed|written|wrote|entered)(?: [\w'-]+){{0,8}}? {_PLACE}"
    r"(?: [\w'-]+)? ?(?:memory|memories|notes?|records?|profile|facts)?)",
    "updated": r"(?:updated|changed|corrected|replaced|edited|revised|amended|adjusted|merged|modified"
    r"|overwritten|fixed)" + _OBJECT,
    "forgotten": r"(?:(?:deleted|removed|erased|wiped|cleared|purged|archived|discarded|scrubbed)"
    + _OBJECT
    + r"|forgotten(?= *$| (?:it|that|this|them|everything|all|about|your|the|what you|as)\b)"
    r"|forgot(?= (?:it|this|them|everything|all of|that(?! (?:you|i|we|it|he|she|they)\b))\b)"
    r"|got(?:ten)? rid of|dropped (?:it|that|this|them)\b|let go of)",
}
_TO_DO = {
    "remembered": r"(?:remember|note|save|store|record|memori[sz]e|log)"
    + _OBJECT
    + r"|(?:make|take) (?:a |an )?(?:\w+ )?note|(?:write|jot|note)(?: [\w'-]+){0,5}? down"
    r"|keep(?: [\w'-]+){1,4}? in mind|bear(?: [\w'-]+){1,3}? in mind"
    rf"|(?:add|put|commit)(?: [\w'-]+){{0,8}}? {_PLACE}(?: [\w'-]+)? ?(?:memory|memories|notes?|records?|profile)",
    "updated": r"(?:update|change|correct|replace|merge|fix)" + _OBJECT,
    "forgotten": r"(?:forget|delete|remove|erase|wipe|clear|archive|get rid of)" + _OBJECT,
}
_DOING = {
    "remembered": r"(?:noting|saving|storing|recording|memori[sz]ing|remembering)"
    + _OBJECT
    + r"|(?:making|taking) (?:a )?note|writing(?: [\w'-]+){0,5}? down",
    "updated": r"(?:updating|changing|correcting|replacing|merging)" + _OBJECT,
    "forgotten": r"(?:forgetting|deleting|removing|erasing|wiping|clearing)" + _OBJECT,
}
_BARE = {
    "remembered": "noted|saved|stored|recorded|remembered|memori[sz]ed",
    "updated": "updated|changed|corrected|replaced|merged",
    "forgotten": "deleted|removed|erased|forgotten|cleared|wiped|archived",
}
_WILL = (
    r"\bi(?:'ll| will|'m going to| am going to|'m gonna)(?: (?:definitely|always|make sure to|be sure to"
    r"|certainly|gladly|happily|surely|also|now|just|go ahead and))*"
)
_MEMORIES_EN = r"memor(?:y|ies)|facts?|notes?|records?|profile|entry|entries|information|info|details?|data|idn"
_SUBJECT = (
    rf"(?:\b(?:it|this|that|these|those|they|everything(?: you (?:said|told me|wrote)| about your [\w'-]+)?"
    r"|all of (?:it|that|this|them))|\bq"
    rf"|\byour (?:[\w'-]+ ){{0,4}}?[\w'-]+|\b(?:the|that|this|those|these|both"
    rf"|all) (?:[\w'-]+ ){{0,3}}?(?:{_MEMORIES_EN})"
    r"|\b(?:memory|fact|note) (?:idn|\d+)|\bidn)"
)


def _english_done(deed: Deed) -> str:
    own = rf"\bi(?:'ve| have|'d)?{_SO} {_DONE[deed]}"
    got = rf"\bi(?:'ve| have) got (?:it|that|this|your [\w'-]+(?: [\w'-]+)?) (?:all )?(?:{_BARE[deed]}|down)\b"
    of_it = (
        rf"\b(?:it|this|that|these|those|they|everything|all)(?:'s| is|'re| are| was| were){_SO} (?:{_BARE[deed]})\b"
    )
    passive = (
        rf"{_SUBJECT}(?:(?:'s| is|'re| are)(?: now| all)(?: [a-z]+ly)?|(?: has|'s| have| was| were)(?: now"
        rf"| just)? been{_SO}|(?: was| were){_SO}) (?:{_BARE[deed]})\b"
        rf"|{_SUBJECT}(?: is| are) (?:{_BARE[deed]}) (?:now|for good|successfully)\b"
        rf"|^(?:(?:my|your|the) )?(?:long-term )?(?:{_MEMORIES_EN}) (?:{_BARE[deed]})(?= *$)"
    )
    alone = (
        rf"^(?:duly |ok |okay |sure |and |then |successfully |now |also |already )*(?:{_BARE[deed]})"
        r"(?= *$| (?:it|this|that|these|those|them|your|you|q|idn|for|in|to (?:my|your|memory)|from|as|everything|all"
        rf"|successfully|down|the (?:[\w'-]+ )?(?:{_MEMORIES_EN}|old|new|previous))\b)"
    )
    more = {
        "remembered": rf"|\b(?:it|this|that)(?:'s| is) (?:now|safely)(?: \w+ly)? (?:down )?{_PLACE}",
        "updated": "",
        "forgotten": (
            rf"|^forgot (?:it|that|them)\b|{_SUBJECT}(?:'s| is|'re| are)(?: now gone| gone (?:now|for good"
            rf"|from my))|\bi no longer (?:remember|have|know|keep) (?:it|that|this|your|anything)"
        ),
    }[deed]
    first = rf"{own}|{got}" if deed == "remembered" else own
    return rf"{first}|{of_it}|{passive}|{alone}{more}"


def _english_promised(deed: Deed) -> str:
    more = {
        "remembered": r"|\bi(?:'ll| will) never forget\b|\bi (?:won't|will not|shall not) forget\b",
        "updated": "",
        "forgotten": "",
    }[deed]
    let = _TO_DO[deed].replace("remember|", "")  # "let me remember" is to think
    doing = rf"\bi(?:'m| am)(?: now| just| also)* (?:{_DOING[deed]})|^(?:now )?(?:{_DOING[deed]})"
    return rf"{_WILL} (?:{_TO_DO[deed]})|\blet me(?: just| quickly| also)* (?:{let})|{doing}{more}"


ENGLISH = Wording(
    done={deed: _english_done(deed) for deed in DEEDS},
    promised={deed: _english_promised(deed) for deed in DEEDS},
    elsewhere=r"\b(?:what|everything|anything|all|things?|facts?|notes?|ones?|information|info|details|memories|memory"
    r"|preferences|whatever|which|where|how|why)(?: that)? *$"
    r"|\b(?:if|whether|as if|did|have|had|has|should|could|can|shall|would|will|until|before|unless|assuming) *$"
    r"|\byou(?:'d| have| had)? (?:said|say|told me|asked(?: me)?(?: if| whether)?|think|thought|believe"
    r"|mentioned|claim)"
    r"(?: that)? *$|(?:n't|\bnot|\bnever|\bnothing|\bnone|\bdoubt|\bneither|\bwithout|\bwish|\bhope)\b[^,;]*$"
    r"|^(?:if|whether|unless|when(?:ever)?|in case|had|should) ",
    earlier=r"\b(?:earlier|previously|yesterday|last (?:week|time|month|year|night|session|summer|winter)|long ago"
    r"|(?:days?|weeks?|months?|hours?|minutes?|while) ago|in (?:our|a|the|my) (?:last|previous|earlier)"
    r"|back (?:in|when)"
    r"|when you (?:first )?(?:told|said|mentioned|asked)|the last time|before that|in 20\d\d|on (?:monday"
    r"|tuesday|wednesday"
    r"|thursday|friday|saturday|sunday|january|february|march|april|may \d|june|july|august|september|october|november"
    r"|december|20\d\d|the \d))\b|\bbefore *$|\balready (?:know|have|had)\b",
    condition=r"\b(?:if|once|unless|until|as soon as|after you|when(?:ever)? you|in case|just (?:say|tell|send|confirm)"
    r"|(?:say|send|confirm)\b.* and i|tell me|let me know|give me|say the word|only (?:when|after|with))\b",
    other=r"\b(?:code|functions?|files?|documents?|drafts?|paragraphs?|sentences?|essay|e-?mails?|letter|lists?|recipes?"
    r"|versions?|scripts?|quer(?:y|ies)|tables?|text|story|poem|wording|answer|repl(?:y|ies)|response|plan|schedule"
    r"|itinerary|calculation|formula|(?<!job )title|sections?|typos?|grammar|translation|resume|cv|spreadsheet"
    r"|appointment"
    r"|playlist|commas?|lines?|words?|steps?|ingredients?|intro(?:duction)?|chapter|bug|tests?|(?<!in )mind|tone"
    r"|approach|myself"
    r"|yourself|account|password|photos?|app|money|(?<!next )(?<!this )(?<!every )(?<!each )time|day|life"
    r"|lives|seat|trouble)\b",
    memory=rf"\b(?:{_MEMORIES_EN})\b",
    lapse=r"\bforg[eo]t(?:ten)?,? (?:to|how|what|where|when|which|whether|who|why)\b(?! you (?:told|said|wrote))",
    denied=r"n't\b|\b(?:not|never|nothing|none|no|cannot|unable|failed|without|neither|nor)\b",
    stems={
        "remembered": r"\b(?:remember|not(?:e|ed|ing)\b|sav|stor|record|memor|kept|keep|writ|wrote)",
        "updated": r"\b(?:updat|chang|correct|replac|merg|edit|sav|stor)",
        "forgotten": r"\b(?:delet|remov|eras|forg|clear|wip|archiv|still (?:remember|there|have|know))",
    },
)

_FIRST = (
    r"(?:(?:я|ми|і|й|та|а|ну|ок|окей|добре|гаразд|так|угу|супер|чудово|готово|вже|уже|все|усе|щойно|також|теж"
    r"|тепер|ось|от"
    r"|отже|тож|тому|обов'язково|звісно|звичайно|одразу|відразу|успішно|остаточно|назавжди|це|те|то|її|його"
    r"|їх|ще|собі|тут"
    r"|про це|про те|для тебе|за твоїм проханням|з радістю|просто|лише|трохи) ){0,12}"
    r"(?:(?:тво\w{1,4}|ваш\w{0,3}|цей|цю|це|ці|нов\w{1,3}|стар\w{1,3}|усі|всі|про тво\w{1,4}|про) (?:[\w'-]+ ){1,3}?)?"
    r"(?:(?:я|вже|уже|щойно|також|тепер|успішно|назавжди|собі) ){0,4}"
)
_GENDERS = "(?:в|ла|ли)"
_TO_MEMORY = r"(?: [\w'-]+){0,6}? (?:до|в|у) (?:[\w'-]+ )?(?:пам'ят|нотат|профіл|спогад|факт)\w*"
_PAST_UK = {
    "remembered": rf"(?:запам'ята{_GENDERS}|занотува{_GENDERS}|нотува{_GENDERS}|записа{_GENDERS}|зберіг|зберегл[аи]"
    rf"|зафіксува{_GENDERS}|взя{_GENDERS}(?: це| то)? (?:на замітку|до уваги|на олівець)"
    rf"|(?:дода{_GENDERS}|вніс|внесл[аи]|занес|занесл[аи]|покла{_GENDERS}){_TO_MEMORY})",
    "updated": rf"(?:онови{_GENDERS}|зміни{_GENDERS}|виправи{_GENDERS}|заміни{_GENDERS}|відредагува{_GENDERS}"
    rf"|скоригува{_GENDERS}|уточни{_GENDERS}|перезаписа{_GENDERS}|об'єдна{_GENDERS})",
    "forgotten": rf"(?:видали{_GENDERS}|стер|стерл[аи]|витер|витерл[аи]|прибра{_GENDERS}|очисти{_GENDERS}"
    rf"|вилучи{_GENDERS}|заархівува{_GENDERS}|викину{_GENDERS} (?:це )?з пам'яті"
    rf"|забу{_GENDERS}(?= *$| (?:це|те|її|його|їх|все|усе|про|тво\w+|ваш\w+|цей|цю|ці|q)\b))",
}
_PASSIVE_UK = {
    "remembered": rf"(?:запам'ятано|занотовано|записано|збережено|зафіксовано|(?:додано|внесено|занесено){_TO_MEMORY})",
    "updated": "(?:оновлено|змінено|виправлено|замінено|перезаписано|об'єднано|скориговано|уточнено)",
    "forgotten": "(?:видалено|стерто|забуто|прибрано|очищено|вилучено|заархівовано)",
}
_FUTURE_UK = {
    "remembered": r"(?:запам'ятаю|запам'ятовую|занотую|занотовую|нотую|запишу|записую|збережу|зафіксую|фіксую"
    r"|пам'ятатиму|буду пам'ятати|візьму(?: це)? (?:до уваги|на замітку)|зберігаю(?= *$| (?:це|тво|ваш)))",
    "updated": "(?:оновлю|оновлюю|зміню|змінюю|виправлю|виправляю|заміню|замінюю|перезапишу|скоригую)",
    "forgotten": r"(?:видалю|видаляю|зітру|стираю|приберу|прибираю|очищу|вилучу"
    r"|забуду(?= *$| (?:це|те|її|його|їх|все|усе|про|тво\w+|ваш\w+)\b)|забуваю(?= (?:це|про)\b))",
}


def _ukrainian_done(deed: Deed) -> str:
    passive = rf"\b{_PASSIVE_UK[deed]}\b"
    return (
        rf"^{_FIRST}{_PAST_UK[deed]}(?![\w'])|\bя (?:вже |уже |щойно |також |все |усе "
        rf"|це ){{0,6}}{_PAST_UK[deed]}(?![\w'])|{passive}"
    )


def _ukrainian_promised(deed: Deed) -> str:
    more = r"|\bне забуду(?! (?:спитати|нагадати)\b)" if deed == "remembered" else ""
    return rf"(?<!не )\b{_FUTURE_UK[deed]}(?![\w']){more}"


UKRAINIAN = Wording(
    done={deed: _ukrainian_done(deed) for deed in DEEDS},
    promised={deed: _ukrainian_promised(deed) for deed in DEEDS},
    elsewhere=r"\bне (?:[\w'-]+ )?$|\b(?:нічого|ніщо|жодн\w+|ніде|ніколи|ніби|наче|мовби) (?:[\w'-]+ ){0,3}$"
    r"|(?:^|\b(?:ось|те|все|усе|от) )(?:що|чого|як|який|яка|яке|які|де|коли|якщо|щоб|чому|хто|чи|якби)\b"
    r"|\b(?:у|в) (?:мене|пам'яті|моїй пам'яті|моїх нотатках|нотатках|профілі|базі)\b"
    r"|\b(?:ти|ви|він|вона|вони|хтось|хто) (?:[\w'-]+ ){0,3}$|\b(?:не вдалося|не можу|не зміг|не змогла|можу|міг би)\b",
    earlier=r"\b(?:раніше|учора|вчора|позавчора|минул\w+|колись|торік|давно|тоді|перед тим|(?:дні|днів|тижні|тижнів"
    r"|місяц\w+|годин\w*|хвилин\w*) тому|у (?:січні|лютому|березні|квітні|травні|червні|липні|серпні|вересні|жовтні"
    r"|листопаді|грудні)|коли ти (?:сказа\w+|казав\w*|розпові\w+))\b",
    condition=r"\b(?:якщо|якби|щойно ти|як тільки|тільки-но|коли ти|коли ви|після того|після твого|після вашого"
    r"|поки не|доки|скажи|напиши|розкажи|дай знати|підтверди|підтвердиш|лише після)\b",
    other=r"\b(?:код\w?|функці\w+|файл\w*|документ\w*|чернетк\w+|абзац\w*|речен\w+|есе|лист[аи]?|списо?к\w*|рецепт\w*"
    r"|верс\w+|скрипт\w*|запит\w*|таблиц\w+|текст\w*|істор\w+|вірш\w*|відповід\w+|план\w*|розклад\w*|формул\w+"
    r"|заголов\w+|розділ\w*"
    r"|переклад\w*|резюме|кому|коми|рядо?к\w*|слово|слова|крок\w*|інгредієнт\w*|вступ|помилк\w+|тест\w*"
    r"|думк\w+|акаунт\w*"
    r"|облік\w+|пароль|фото|застосун\w+|час|себе)\b",
    memory=r"\b(?:пам'ят\w*|спогад\w*|факт\w*|нотатк\w*|профіл\w*|інформаці\w+|дан(?:і|их)|idn)",
    lapse=r"\bзабу(?:в|ла|ли),? (?:як|що|де|коли|хто|чи|який|яка|яке|скільки|[\w']+ти\b)",
    denied=r"\b(?:не|ні|нічого|ніщо|жодн\w+|ніколи|неможливо|невдало)\b",
    stems={
        "remembered": r"(?:пам'ят|нотув|нотов|запис|збер|фікс)",
        "updated": r"(?:онов|змін|випра|замін|запис|збер)",
        "forgotten": r"(?:видал|стер|стира|забу|прибр|очищ|вилуч)",
    },
)

WORDINGS: tuple[Wording, ...] = (ENGLISH, UKRAINIAN)

_LONGEST = 20_000
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_QUOTE = re.compile(
    r"«[^»]{0,1000}»|“[^”]{0,1000}”|„[^“”]{0,1000}[“”]|\"[^\"\n]*\"|‘[^’\n]{2,400}’(?!\w)"
    r"|(?<![\w'])'[^'\n]{2,400}'(?!\w)|^[^\S\n]*>.*$",
    re.MULTILINE,
)
_ID = re.compile(r"\bid ?[:#]? ?\d+", re.IGNORECASE)
_APOSTROPHE = re.compile("[’ʼ`´]")
_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]*")
_CLAUSE = re.compile(r"[,;:()]+|\s[—–-]+\s|[—–]|\b(?:and|but|so|because|while|і|й|та|але|бо|тож|а)\b(?=\s)")
_FRONT = re.compile(r"^[^\w']+")
_ITEM = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s")


def claims_in(answer: str) -> list[Claim]:
    """Everything that an answer says was done to the memory, or is about to be, in order."""
    return list(_claims(answer[:_LONGEST]))


def denies(answer: str, deed: Deed) -> bool:
    """Whether an answer says that the deed was not done."""
    return any(
        re.search(wording.denied, clause) and re.search(wording.stems[deed], clause)
        for _, clauses in _sentences(answer[:_LONGEST])
        for clause in clauses
        for wording in WORDINGS
    )


def _claims(answer: str) -> Iterator[Claim]:
    for sentence, clauses in _sentences(answer):
        for place, clause in enumerate(clauses):
            if place == len(clauses) - 1 and sentence.endswith("?"):
                continue
            for wording in WORDINGS:
                yield from _claims_of(wording, clause, sentence)


def _claims_of(wording: Wording, clause: str, sentence: str) -> Iterator[Claim]:
    if _matcher(wording.other).search(clause) and not _matcher(wording.memory).search(clause):
        return
    for deed in DEEDS:
        done = _matcher(wording.done[deed]).search(clause)
        if done is not None:
            is_told = _matcher(wording.elsewhere).search(clause[: done.start()]) or _matcher(wording.earlier).search(
                clause
            )
            is_lapse = deed == "forgotten" and _matcher(wording.lapse).search(sentence)
            if not is_told and not is_lapse:
                yield Claim(deed, clause)
            continue
        promised = _matcher(wording.promised[deed]).search(clause)
        if promised is None or _matcher(wording.elsewhere).search(clause[: promised.start()]):
            continue
        if not _matcher(wording.condition).search(sentence):
            yield Claim(deed, clause, promised=True)


def _sentences(answer: str) -> Iterator[tuple[str, list[str]]]:
    """Sentences and their clauses, without what is quoted, in lower case."""
    plain = _APOSTROPHE.sub("'", _CODE.sub(" q ", answer))
    plain = _ID.sub("idn", _QUOTE.sub(" q ", plain)).replace("*", "").replace("_", " ").lower()
    for found in _SENTENCE.finditer(plain):
        sentence = found[0].strip()
        clauses = [" ".join(_FRONT.sub("", clause.rstrip(" .!?…")).split()) for clause in _CLAUSE.split(sentence)]
        if clauses := [clause for clause in clauses if clause]:
            yield sentence, clauses


@cache
def _matcher(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
