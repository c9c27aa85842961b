"""Parts of English patterns: what both kinds of statements share."""

from __future__ import annotations

from zgadka.extract.lexicon import any_of

IM = r"i(?:'m| am)"


ADVERB = (
    r"(?:(?:also|still|really|actually|currently|now|just|always|often|sometimes|usually|absolutely|truly|totally|very"
    r"|definitely|mostly|mainly|honestly|personally|particularly|especially|simply|only|already|recently|even|much|do"
    r"|generally|normally|both|so|regularly|mainly|strongly|kindly) )*"
)


LATELY = (
    r"(?:,? (?:now|too|as well|also|again|currently|at the moment|these days|nowadays|though|actually|"
    r"myself|right now|today|here|(?:for|since) (?:\w+ ){0,3}(?:\d{4}|years?|months?|ten|twelve|childhood|child|kid|now"
    r"|young|teenager)))*"
)


JOB = rf"(?:{any_of('occupation_before')} ){{0,3}}{any_of('occupation_en')}"


SINGLE = r"(?:married|single|divorced|widowed|engaged|separated|(?:a )?widow(?:er)?)"
