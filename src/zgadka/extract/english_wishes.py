"""English statements of what somebody likes, does, can and plans, and when."""

from __future__ import annotations

import re

from zgadka.extract import values
from zgadka.extract.english_words import ADVERB, IM, LATELY
from zgadka.extract.lexicon import any_of
from zgadka.extract.statement import Statement, one

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)


_DAY = r"\d{1,2}(?:st|nd|rd|th)?"


_DATE = (
    rf"(?:{_MONTH}\.? {_DAY}(?:,? \d{{4}})?|(?:the )?{_DAY} (?:of )?{_MONTH}\.?(?:,? \d{{4}})?"
    r"|\d{1,2}[./-]\d{1,2}(?:[./-]\d{2,4})?|\d{4}-\d\d-\d\d)"
)


_WHEN = rf"(?:{_DATE}|(?:next |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|next (?:week|month|year))"


_AIM = (
    r"(?:learn|become|be an? |buy an?|buy my|move (?:to|out|abroad|back)|travel|visit|write an?|graduate|lose|run an?"
    r"|finish (?:my|school|college|university|high school|writing|an?)|start (?:an?|my|learning|studying|running"
    r"|exercising|working out|painting|drawing|writing|saving|meditating|swimming|eating health\w+)|"
    r"build|improve|save|quit|master"
    r"|get (?:(?:an? )?(?:new )?(?:job|degree|promotion|phd|dog|cat|puppy|kitten|house|car|motorcycle|"
    r"tattoo|certificate|diploma)"
    r"|married|fit|better at|in shape|into|my)|stop (?:smoking|drinking|eating)|publish|open (?:an?|my)|climb|"
    r"study|live|own|adopt|retire|win|apply to"
    r"|read|see the|swim|pass|earn|pay off|create|launch|speak|major|teach|go to (?:college|university|"
    r"space|medical|law|grad)"
    r"|compete|attend|find (?:an? (?:new )?job|love|a girlfriend|a boyfriend|a wife|a husband))"
)


# What is wished for more dreamily than planned; asked about, not stored.
_DREAM = (
    r"(?:learn|become|be an?|buy an?|buy my|move|travel|visit|write an?|graduate|lose weight|run an?|finish|start"
    r"|build|quit|master"
    r"|get an? (?:dog|cat|puppy|kitten|pet|tattoo|degree|phd|house|car|promotion|motorcycle|new job|job|masters?)"
    r"|get (?:married|fit|into)|open an?|open my|climb|study|live|own|adopt|retire|win|try|swim with"
    r"|see|go back to"
    r"|go to (?:space|japan|college|university|grad|medical|law)|have (?:a|an|my own|kids|children)|work (?:at|as|in"
    r"|for)"
    r"|apply to|publish|teach|play|speak|take up|spend (?:a|more)|compete|skydive|bake|cook|dance|sing|paint"
    r"|draw|surf)"
)


_TASTE = r"(?:like|love|enjoy|adore)"


def _dated(text: str) -> str | None:
    """Make "exam is on June 3" to "exam: June 3"."""
    what, _, when = re.sub(
        r" (?:is|are|starts|begins)(?: due)?(?: on| at| by)? ", "\n", text, flags=re.IGNORECASE
    ).partition("\n")
    event = values.said(re.sub(r" ?deadline$", "", what, flags=re.IGNORECASE), most_words=4)
    return f"{event}: {when}" if event else when


WISHES = (
    Statement(
        "hobby",
        r"(?:i've|i have) been (?:playing|learning to play) (?:the )?(?P<value>[\w ]+?)(?: (?:for|since) .+)?",
        values.things,
    ),
    Statement(
        "goal",
        rf"(?:i've|i have) been (?P<value>learning (?:{any_of('language_en')}|guitar|piano|to "
        rf"[\w ]+?))(?: (?:for|since) .+)?",
        one(values.goal),
    ),
    Statement(
        "date",
        rf"i have an? (?P<value>(?:[a-z]+ )?(?:meeting|deadline|call|class|trip) (?:on |at )?(?:the )?{_DATE})",
        one(lambda said: re.sub(rf" (?:on |at )?(?=(?:the )?{_DATE}$)", ": ", said, count=1, flags=re.IGNORECASE)),
        sure=False,
    ),
    Statement(
        "goal",
        rf"(?:{IM} )?(?:thinking about|thinking of|considering) (?P<value>(?:moving|learning|studying"
        rf"|becoming|buying|getting"
        r" (?:an? )|changing|quitting|starting|going back|adopting)\b.*?)",
        one(values.goal),
        sure=False,
    ),
    Statement("goal", rf"we(?:'ll| will) (?P<value>{_AIM}\b.*?)", one(values.goal), sure=False),
    Statement(
        "like",
        (
            rf"i {ADVERB}{_TASTE} (?P<value>.+?)(?:,? (?:very much|a lot|so much|too|as well|the most|more than "
            r"anything|though|btw|by the way|also))*"
        ),
        one(values.liked),
    ),
    Statement(
        "like",
        (
            rf"{IM} {ADVERB}(?:big into|into|fond of|keen on|passionate about|crazy about|interested in|obsessed with) "
            rf"(?P<value>.+?){LATELY}"
        ),
        one(values.liked),
    ),
    Statement(
        "like",
        (
            rf"{IM} {ADVERB}(?:an? |the )?(?:big |huge |massive |great |biggest |avid |die-hard |lifelong |real )"
            rf"*(?:fan|lover) of (?P<value>.+?){LATELY}"
        ),
        one(values.liked),
    ),
    Statement("like", r"i (?:❤️?|♥️?) (?P<value>.+?)", one(values.liked)),
    Statement(
        "like",
        (
            rf"{IM} {ADVERB}(?:an? )?(?:big |huge |massive |avid |die-hard |lifelong |real )*(?P<value>[a-z-]+(?: "
            rf"[a-z-]+)?) (?:fan|lover|enthusiast|addict|nerd|geek){LATELY}"
        ),
        one(values.liked),
    ),
    Statement(
        "dislike",
        (
            rf"i {ADVERB}(?:hate|dislike|despise|loathe|detest|can't stand|cannot stand|can not stand|don't "
            rf"{ADVERB}(?:like|enjoy)|do not {ADVERB}(?:like|enjoy)) (?P<value>.+?)(?: (?:at all|very much|too|"
            r"either|so much|a lot|that much|much))*"
        ),
        one(values.liked),
    ),
    Statement(
        "preference",
        rf"i {ADVERB}(?:prefer|'d rather have) (?P<value>.+?)(?: (?:myself|too|personally))*",
        one(values.preferred),
    ),
    Statement(
        "hobby",
        (
            r"i (?:also |still |really |often |sometimes |usually |currently |regularly )*play (?:the )"
            r"?(?P<value>(?:guitar|bass|bass guitar|piano|violin|cello|drums?|flute|trumpet|saxophone|sax|"
            r"clarinet|harp|ukulele|banjo|harmonica|chess|checkers|tennis|table tennis|golf|football|soccer|"
            r"basketball|baseball|hockey|volleyball|rugby|cricket|badminton|poker|bridge|go|video games|board "
            r"games|card games|computer games|softball|bass|viola|keyboard)(?:(?:,| and|, and) (?:the )?\w+)*)"
            r"\b.{0,40}"
        ),
        values.things,
    ),
    Statement(
        "hobby",
        (
            r"in my (?:free|spare) time,? i (?:also |usually |often |like to |love to |enjoy |mostly )"
            r"*(?P<value>.+?)"
        ),
        one(values.liked),
    ),
    Statement(
        "hobby",
        r"i (?:also |usually |often |like to |love to |mostly )*(?P<value>.+?) in my (?:free|spare) time",
        one(values.liked),
    ),
    Statement("hobby", rf"i {ADVERB}(?P<value>collect (?!my|the|it|them)[\w' -]+?){LATELY}", one(values.said)),
    Statement("hobby", rf"i {ADVERB}(?P<value>volunteer (?:at|with|for) [\w' -]+?){LATELY}", one(values.said)),
    Statement(
        "hobby",
        (
            r"my (?:favou?rite |main |biggest |only )?(?:hobby is|hobbies are|hobbies include|pastime is) "
            rf"(?P<value>.+?){LATELY}"
        ),
        values.things,
    ),
    Statement(
        "hobby",
        (
            r"i (?:also |still |usually |often |regularly |go )*(?P<value>run|jog|swim|cycle|paint|draw|knit|sew|"
            r"garden|hike|fish|surf|ski|bake|dance|skate|skateboard|climb|meditate|box|row|bowl|camp|hunt|crochet|"
            r"do yoga|practice yoga|go hiking|go fishing|go camping|lift weights|write poetry|write poems|write "
            r"songs|ride horses)(?:,? (?:every (?:(?:single|other) )?(?:day|morning|evening|night"
            r"|week|weekend|\w+day|summer|"
            r"winter)|(?:on|at) (?:weekends?|the weekends?|\w+days)|once|twice|three times|daily"
            r"|regularly|for fun|as a hobby|a lot|in the "
            r"(?:mornings?|evenings?|park|pool)|before work|after work|all the time)\b.{0,40})"
        ),
        one(values.said),
    ),
    Statement(
        "programming_language",
        (
            rf"i {ADVERB}(?:code|program|write code|develop|write programs) (?:mostly |mainly )?in "
            rf"(?P<value>[\w+#.]+(?:(?:,| and) [\w+#.]+)*){LATELY}"
        ),
        values.things,
    ),
    Statement(
        "skill",
        (
            rf"{IM} (?:very |really |pretty |quite |so )?(?:good|great|excellent|skilled|talented) (?:at|in) "
            rf"(?P<value>.+?){LATELY}"
        ),
        one(values.liked),
    ),
    Statement("skill", rf"i know how to (?P<value>.+?){LATELY}", one(values.liked)),
    Statement(
        "skill",
        (
            rf"i can {ADVERB}(?P<value>(?:speak|play|cook|swim|sing|draw|paint|dance|juggle|code|knit|sew|ski|"
            r"bake|drive|type|read music)\b(?! (?:to|with|for|if|when|you|it|that|this|my|later|now|tomorrow))[\w "
            rf"]{{0,30}})"
        ),
        one(values.said),
    ),
    Statement(
        "goal",
        (
            rf"i {ADVERB}(?:want|wanna|plan|aim|intend|(?:'m|am) (?:planning|aiming|hoping)|have decided|decided)"
            rf"(?: to)? (?P<value>{_AIM}\b.*?)"
        ),
        one(values.goal),
    ),
    Statement(
        "goal", rf"{IM} {ADVERB}(?:planning|aiming|determined|trying) to (?P<value>{_AIM}\b.*?)", one(values.goal)
    ),
    Statement(
        "goal",
        (
            rf"{IM} {ADVERB}going to (?P<value>(?:become|be an? |study|learn|write an?|run a (?:half )?marathon|"
            r"graduate|retire|get married|start my|open my|open an?|buy a (?:house|car|flat))\b.*?)"
        ),
        one(values.goal),
    ),
    Statement(
        "goal",
        (
            r"my (?:main |big |biggest |next |new year |ultimate |life |lifelong |current )*(?:goal|dream|"
            r"ambition|aim|resolution|plan)(?: (?:for|this|in) [\w ]+?)?(?: is"
            r"|:) (?:to (?:be able to )?)?(?P<value>.+?)"
        ),
        one(values.goal),
    ),
    Statement(
        "goal",
        (
            rf"{IM} {ADVERB}(?P<value>(?:learning (?:to [\w' -]+|how to [\w' -]+|{any_of('language_en')}|the "
            r"(?:guitar|piano|violin)|guitar|piano|python|java|rust|chess)|saving (?:up |money )*(?:for|to (?:buy"
            r"|get|visit|travel|move)\b) ?[\w' -]+|"
            r"working on (?:an?|my) (?:novel|book|thesis|phd|dissertation|album|startup|app|degree|masters?|"
            r"memoir|screenplay|game|website|blog|project)[\w' -]*|training for [\w' -]+|preparing for [\w' -]+|"
            r"writing (?:an?|my) (?:novel|book|thesis|dissertation|memoir|screenplay)[\w' -]*|building an? [\w' "
            r"-]+))"
        ),
        one(values.goal),
    ),
    Statement(
        "goal",
        rf"(?:i'll|i will|i might|i may) (?:also |still |just |soon )*(?P<value>{_AIM}\b.*?)",
        one(values.goal),
        sure=False,
    ),
    Statement(
        "goal", rf"(?:{IM} {ADVERB}hoping|i {ADVERB}hope) to (?P<value>{_AIM}\b.*?)", one(values.goal), sure=False
    ),
    Statement(
        "goal",
        (
            r"(?:i'd|i would) (?:really )?(?:like|love) to (?P<value>(?:live|be an?|learn|become|visit|travel|"
            r"move|study|write|see the|own|buy|start|have (?:a|my own)|try|work (?:as|in|at|for))\b.*?)"
        ),
        one(values.goal),
        sure=False,
    ),
    Statement(
        "goal",
        rf"(?:(?:i'd|i would|would) (?:really |absolutely |also )*(?:like|love) to|(?:{IM} |i'm )?hoping to"
        rf"|i (?:really )?hope to"
        rf"|i (?:might|may)(?: also| just)?|(?:it would|it'd) be (?:cool|great|nice|amazing|fun) to)"
        rf" (?P<value>{_DREAM}\b.*?)",
        one(values.goal),
        sure=False,
    ),
    Statement(
        "goal",
        rf"(?:{IM}|i've been|i was) (?:thinking (?:of|about)|considering"
        rf"|toying with the idea of) (?P<value>(?:moving|learning"
        rf"|studying|becoming|buying|getting an?|changing|quitting|starting|going back|adopting|opening|writing"
        rf"|joining)\b.*?)",
        one(values.goal),
        sure=False,
    ),
    Statement(
        "goal",
        r"i (?:could )?(?:see|imagine|picture) myself (?P<value>(?:living|working|becoming|moving|teaching)\b.+?)",
        one(values.goal),
        sure=False,
    ),
    Statement("birthday", rf"(?:my )?birthday(?:'s| is|:)(?: on)?(?: the)? (?P<value>{_DATE})", one(lambda said: said)),
    Statement("birthday", rf"i was born on (?P<value>{_DATE})", one(lambda said: said)),
    Statement(
        "anniversary",
        rf"(?:my|our) (?:wedding )?anniversary(?:'s| is)(?: on)? (?P<value>{_DATE})",
        one(lambda said: said),
    ),
    Statement(
        "deadline",
        (
            r"(?:the |my |our )?deadline (?:for|of) (?:my |the |our )?(?P<value>[\w' -]+? is (?:on |at |by )"
            rf"?{_WHEN})"
        ),
        one(_dated),
    ),
    Statement("deadline", rf"(?:the|my|our) (?P<value>[\w' -]*?deadline is (?:on |at |by )?{_WHEN})", one(_dated)),
    Statement("deadline", rf"my (?P<value>[\w' -]+? is due (?:on |at |by )?{_WHEN})", one(_dated)),
    Statement(
        "date",
        (
            r"(?:my|our) (?P<value>(?:[a-z]+ )?(?:exams?|interview|wedding|flight|surgery|operation|appointment|"
            r"graduation|concert|presentation|defen[cs]e|trip|vacation|holiday|test|party|baby|competition|race|"
            rf"marathon|move) (?:is|are|starts|begins) (?:on |at )?{_WHEN})"
        ),
        one(_dated),
    ),
    Statement(
        "date",
        (
            r"i have (?:an? |my )(?P<value>(?:[a-z]+ )?(?:exam|interview|flight|surgery|operation|appointment|"
            rf"presentation|test|concert) (?:on |at )?{_WHEN})"
        ),
        one(lambda said: re.sub(r" (?:on |at )?(?=\S+(?: \S+)?$)", ": ", said, count=1)),
    ),
)
