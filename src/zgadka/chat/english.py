"""Plain English sentences, as patterns that must fit a whole sentence."""

from __future__ import annotations

from zgadka.chat.grammar import Grammar
from zgadka.extract import plain_english
from zgadka.extract.statement import either

_NAME_QUESTION = (
    r"(?:what is|what's|whats) my name|my name|who i am|what i(?:'m| am) called|what am i called|what my name is"
)

ENGLISH = Grammar(
    statements=plain_english.ENGLISH,
    fillers=r"well|so|ok|okay|oh|hey|hi|hello|by the way|btw|anyway|fyi|just so you know|you know|and|also",
    joints=r",? and (?=(?:i|i'm|i've|my|call me|now i)\b)"
    r"|(?<!actually)(?<!now)(?<!these days), (?=(?:i|i'm|i've|my|call me|now i)\b)",
    doubts=either(
        r"maybe|perhaps|probably|possibly|might|may be|i think|i guess|i suppose|i believe|not sure|unsure"
        r"|apparently",
        r"supposedly|allegedly|would|could|should|i'd|if|wish|used to|once|formerly|previously|pretend|pretending",
        r"imagine|suppose|let's say|kidding|joking|joke|hypothetically|for example|almost|wanna|want to|wanted to",
        r"going to|gonna|hope|plan|planning|dream|someday|one day|as if|sort of|kind of|they say|people say|lie"
        r"|lying",
    ),
    denials=either(
        r"not|never|no|nor|neither|none|nothing|cannot|\w+n['’]t|dont|doesnt|didnt|isnt|hate|dislike|anymore"
        r"|stopped|quit",
        r"no longer|hardly|barely|except|without",
    ),
    greetings=r"(?:hi|hello|hey|good (?:morning|evening|day|afternoon)|thanks|thank you|nice to meet you|bye|goodbye)"
    r"(?: there| again| very much| a lot| so much| too| zgadka| everyone)*",
    yes=r"(?:yes|yep|yeah|yup|sure|ok|okay|of course|certainly|confirm|confirmed|do it|go ahead|please do|delete it"
    r"|remove it|change it|update it)(?:,? (?:please|thanks|thank you|do it|go ahead|delete it|forget it"
    r"|remove it|change it|update it|do|sure|of course))*",
    no=r"(?:no|nope|nah|don't|do not|cancel|stop|never mind|nevermind|leave it|keep it|forget it|no way)"
    r"(?:,? (?:please|thanks|thank you|no|keep it|leave it|don't|don't delete it|not now))*",
    places_in_list=(r"(?:the )?first(?: one)?", r"(?:the )?second(?: one)?", r"(?:the )?third(?: one)?"),
    polite=r"(?:(?:please|can you|could you|would you|will you|tell me|remind me|say),? )*(?:do you (?:know"
    r"|remember|recall),? )?",
    ask_all=either(
        r"(?:what|everything|all)(?: that)?(?: do)? you (?:know|remember|recall)(?: about (?:me|myself))?",
        r"what (?:have i told you|did i tell you|i(?:'ve| have) told you)(?: about (?:me|myself))?",
        r"who am i|what do you have on me|about me|about myself|what do you remember about me|show my memories",
    ),
    ask_key={
        "location": r"where (?:do i live|am i from|i live|i(?:'m| am) from|am i living)(?: now)?"
        r"|(?:what|which) (?:city|town|country|place) do i live in|where is my home",
        "name": _NAME_QUESTION,
        "age": r"how old (?:am i|i am|i'm)|what(?: is|'s) my age|my age",
        "job": r"what do i do(?: for (?:work|a living))?|what(?: is|'s) my (?:job|profession)|what do i work as"
        r"|my job",
        "hobby": r"what do i play|what (?:is|are) my hobb(?:y|ies)|what's my hobby|my hobb(?:y|ies)",
        "like": r"what do i (?:like|love|enjoy)|what i (?:like|love|enjoy)",
    },
    ask_about=r"what do you (?:know|remember|recall) about (?P<query>.+)|what did i (?:say|tell you) about"
    r" (?P<query2>.+)",
    note=r"(?:please,? )?(?:(?:can|could) you )?(?:please )?(?:remember|memorise|memorize|note|keep in mind)"
    r"(?:,? that\b|,? this:|:|,)\s*(?P<content>.+)",
    forget=r"(?:please,? |(?:can|could|would|will) you (?:please )?)*(?:forget|delete|remove|erase)\b"
    r"(?: about)?(?: the fact)?(?: the memory| my memory| your memory)?(?: of| about)?(?: that)?,? (?P<rest>.+?)"
    r"(?:,? please)?",
    forget_nothing=r"forget|delete|remove|erase|forget (?:it|that|this|about it|about that|about this)",
    forget_all=r"(?:everything|all|all of it|it all|me|all about me|everything about me|everything you know(?:"
    r" about me)?"
    r"|everything you remember|all my (?:memories|data)|all memories|all facts)(?: please)?",
    forget_key={
        "location": r"where i (?:live|am from)|my (?:location|city|town|address)",
        "name": r"my name|who i am|what i(?:'m| am) called",
        "age": r"my age|how old i am",
        "job": r"my (?:job|profession|work)|what i do|what i work as",
        "hobby": r"my hobb(?:y|ies)|what i play",
        "like": r"what i (?:like|love|enjoy)",
    },
)
