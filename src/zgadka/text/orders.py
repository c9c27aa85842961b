"""Whether a text reads like an order to the model: "always answer in Russian", "ignore your rules".

Such a text is somebody's words like any other. It may be kept as a quotation or refused (`instructions_in_memories`);
it is never a rule. Read by wording, in English, Ukrainian and Russian; a first person ("I always answer late") orders
nothing. What is missed is still quoted data within the fence of the context.
"""

from __future__ import annotations

import re

from zgadka.text.clean import as_seen, together

_APOSTROPHE = re.compile("[’ʼ`´]")

_RULES_EN = (
    r"(?:rules?|instructions?|guidelines?|polic(?:y|ies)|restrictions?|limits?|limitations?|prompts?|directives?"
    r"|programming|training|safety|filters?|constraints?)"
)
_SAY_EN = (
    r"(?:answer|reply|respond|speak|talk|write|say|use|call|address|end|start|begin|finish|sign|add|include|format|act"
    r"|behave|agree|refuse|obey|follow|tell|reveal|mention|pretend|translate|swear|greet|treat|ask|warn|send|output"
    r"|print|return|ignore|forget|delete|store|remember|recall|trust|believe)"
)
_RULES_UK = r"(?:правил\w*|інструкці\w*|обмежен\w*|вказівк\w*|настанов\w*|заборон\w*|промпт\w*|директив\w*|фільтр\w*)"
_SAY_UK = (
    r"(?:відповідай\w*|відповідати|пиши|пишіть|писати|говори|говоріть|говорити|кажи|кажіть|називай\w*|називати"
    r"|звертайся|звертайтесь|використовуй\w*|починай\w*|закінчуй\w*|додавай\w*|підписуй\w*|погоджуйся"
    r"|слухайся|виконуй\w*"
    r"|поводься|перекладай\w*|вітайся|став|згадуй\w*|питай\w*|розкривай\w*|видаляй\w*|запам'ятовуй\w*"
    r"|спілкуйся|матюкайся|вір|довіряй\w*|ігноруй\w*)"
)
_SAY_RU = r"(?:отвечай\w*|пиши\w*|говори\w*|называй\w*|используй\w*|начинай\w*|заканчивай\w*|веди себя|игнорируй\w*)"
_START = (
    r"(?:^|[.!?;:,\n\"“”«»(\[]\s*|\b(?:and|then|so|please|just|you must|you should|you have to|you will|you shall"
    r"|you need to|you are to|you're to|must|i і|та|а також|будь ласка|ти маєш|ти повинен|ти повинна|ти мусиш"
    r"|треба|и|пожалуйста)\s+)"
)

_ORDERS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # Rules for ever.
        (
            rf"{_START}(?:always|never|only ever|under no circumstances|at all times|in every (?:answer|reply"
            rf"|response))"
            rf"(?:\s+(?:again|ever))?\s+{_SAY_EN}\b"
        ),
        (
            rf"\b(?:from now on|from this (?:moment|point|day)(?: on)?|henceforth|for the rest of (?:this"
            rf"|our) \w+)\b[,:]?\s+"
            rf"(?:you\b|your (?:name|role|task|answers?)\b|always\b|never\b|only\b|please\b|{_SAY_EN}\b|no matter\b)"
        ),
        (
            r"\byou\s+(?:must|should|shall|will|have to|need to|are to|may)\s+(?:always|never|only|not|now"
            r"|no longer)\s+\w+"
        ),
        rf"{_START}(?:always|only)\s+(?:in|with)\s+\w+.{{0,30}}\b(?:answers?|repl(?:y|ies)|responses?)\b",
        # Away with the rules.
        (
            rf"\b(?<!\bi )(?<!\bwe )(?<!they )(?:ignore|disregard|forget|override|bypass|break|drop|disobey"
            rf"|violate|circumvent|turn off|disable|skip)\s+"
            rf"(?:(?:all|any|every|your|the|my|previous|prior|earlier|above|former|other|of|these|those|safety|system"
            rf"|content|existing|current|and)\s+){{0,6}}{_RULES_EN}\b"
        ),
        (
            r"\b(?:ignore|disregard|forget)\s+(?:everything|all|anything)\s+(?:above|before|prior|previous"
            r"|you (?:were|have been)"
            r" (?:told|taught))\b"
        ),
        r"\b(?:new|updated|real|true|hidden|secret)\s+(?:system\s+)?(?:instructions?|prompt|directives?|rules?)\s*:",
        (
            r"\b(?:reveal|show|print|repeat|output|leak|display|tell me|give me)\s+(?:me\s+)?(?:your"
            r"|the)\s+(?:full\s+|entire\s+"
            r"|hidden\s+|secret\s+|initial\s+)*(?:system\s+)?(?:prompt|instructions)\b"
        ),
        # Another role.
        (
            r"\byou(?: are|'re)\s+(?:now|no longer|from now on)\s+(?!in\b|at\b|my\b|here\b|home\b|ready\b|older\b"
            r"|free\b)\w+"
        ),
        rf"{_START}(?:act|behave|respond|roleplay|role-play)\s+as\s+(?:if\s+you|though\s+you|an?\b|the\b|my\b)",
        rf"{_START}pretend\s+(?:to be|that you|you)\b",
        r"\b(?:developer|debug|admin|root|dan|jailbreak)\s+mode\b|\bdo anything now\b|\bjailbreak(?:ed)?\b",
        # Marks by which prompts are built.
        (
            r"</?\s*(?:system|instructions?|assistant|remembered|user|tool|prompt|im_start|im_end)\b[^>\n]{0,40}>"
            r"|<\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>"
        ),
        r"^\W{0,4}(?:system|assistant|developer)\s*(?:prompt|message|note)?\s*:\s+\S",
        # Ukrainian and Russian.
        rf"(?:^|[^\w'])(?:завжди|ніколи|лише|тільки)\s+(?:не\s+)?(?:мені\s+|до мене\s+|зі мною\s+)?{_SAY_UK}(?![\w'])",
        (
            rf"(?:^|[^\w'])(?:від ?тепер|віднині|надалі|з цього (?:моменту|часу|дня)|відсьогодні"
            rf"|з сьогоднішнього дня)(?:\s+і\s+"
            rf"(?:завжди|назавжди))?[,:]?\s+(?:ти\s+(?!мен|знаєш|можеш)|(?:тебе звати|твоє ім'я|твоя роль"
            rf"|твоє завдання)"
            rf"|(?:завжди\s+|ніколи\s+|лише\s+|тільки\s+|не\s+|мені\s+|до мене\s+){{0,3}}{_SAY_UK}(?![\w'])"
            rf"|завжди\s*(?:…|\.\.\.|$))"
        ),
        (
            rf"(?:^|[^\w'])(?:ігноруй\w*|не зважай на|забудь|обійди|порушуй|скасуй|вимкни|відкинь"
            rf"|не слухай)\s+(?:про\s+)?"
            rf"(?:(?:усі|всі|свої|твої|попередні|будь-які|ці|системні|старі|інші|наявні|дані тобі|всіх|своїх"
            rf"|попередніх)\s+){{0,5}}"
            rf"{_RULES_UK}"
        ),
        (
            r"(?:^|[^\w'])(?:ти тепер|тепер ти)\s+(?:не\s+)?(?!мен|знаєш|тут|вдома|зі|у\b|в\b|можеш|розумієш"
            r"|бачиш|маєш)\w{4,}"
        ),
        r"(?:^|[^\w'])(?:прикинься|удавай|уяви,? що ти|поводься як|грай роль|зіграй роль)",
        (
            rf"(?:^|[^\w'])(?:покажи|розкрий|виведи|повтори)\s+(?:мені\s+)?(?:свій|свої|твій|весь"
            rf"|системний)\s+(?:системний\s+)?"
            rf"(?:промпт|{_RULES_UK})"
        ),
        (
            rf"(?:^|[^\w'])(?:всегда|никогда не|только)\s+{_SAY_RU}|(?:^|[^\w'])(?:с этого момента|отныне|впредь)\s+"
            rf"(?:ты|всегда|никогда|{_SAY_RU})"
        ),
        (
            r"(?:^|[^\w'])(?:игнорируй\w*|забудь|обойди|нарушай)\s+(?:(?:все|всех|свои|твои|предыдущие|эти"
            r"|про)\s+){0,4}"
            r"(?:правил\w*|инструкци\w*|ограничен\w*|указани\w*)"
        ),
    )
)
_LONGEST = 20_000
# What every order above holds some of; most memories hold none. Words begin so, by first letter: at each place of a
# text every alternative that begins otherwise is passed over at once. A space stands for any white space, and one must
# stand before the text, as `together` has it. The letter ʼ may be an apostrophe, and then it is no part of the word.
_HINT = re.compile(
    (
        r"[\Wʼ](?:a(?:ct as|ll times|lway|ssistant)|b(?:ehav|reak|ypass)|circumv|d(?:eveloper|irective|isabl|isob"
        r"|isregard|rop)|f(?:orget|rom this)|h(?:ave to|enceforth)|i(?:gnor|n every|nstruct)|jailbr|m(?:ode|ust)"
        r"|n(?:eed to|ever|o circum|ow)|o(?:nly|verrid)|pr(?:etend|ompt)|r(?:espond|est of|ole-?play|ule)"
        r"|s(?:hall|hould|kip|ystem)|turn off|violat|you(?:.re| are| may| will)"
        r"|в(?:иведи|имкни|предь|сегда|ід(?:кинь|нині|сьогодні|тепер))|з(?: цього|абудь|авжди)|игнор|лише"
        r"|на(?:далі|рушай)|н(?:е зважай|е слухай|икогда|іколи)|об(?:ойди|ійди)|отныне|по(?:водься|втори|кажи|руш)"
        r"|прикинься|ро(?:зкрий|ль)|с(?: этого|касуй|лухай|ьогоднішнього)|т(?:епер|ільки|олько)|у(?:давай|яви)|ігнор)"
    ).replace(" ", r"\s+")
)


def gives_orders(*texts: str) -> bool:
    """Tell whether one of the texts, or a sentence in it, orders the model to behave in some way."""
    if not may_order(as_seen(together(texts)).casefold()):
        return False
    return any(order.search(plain) for plain in (_plain(text[:_LONGEST]) for text in texts) for order in _ORDERS)


def may_order(folded: str) -> bool:
    """Whether it is worth while to look for an order; mostly it is not.

    Args:
        folded: The texts together, `as_seen`, case folded.
    """
    return _HINT.search(folded) is not None or "<" in folded or "[" in folded


def _plain(text: str) -> str:
    return _APOSTROPHE.sub("'", as_seen(text)).lower()
