"""What can be remembered of one message without any model. It sees nothing else, so every replica makes the same commit."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from dataclasses import replace

from tidelore.engine.extract import han_states, origins, plain, states
from tidelore.engine.extract.apart import Apart
from tidelore.engine.extract.claims import Claim
from tidelore.engine.extract.greetings import says_something
from tidelore.engine.extract.reports import is_of_others
from tidelore.engine.extract.speech import Speech
from tidelore.engine.model import EnsureEdge, EnsureNode, Evident, Named, Operation, Quote, Role, Speaker
from tidelore.engine.text.han_names import is_east_asian
from tidelore.engine.text.names import Mention, mentions
from tidelore.engine.text.patterns import later
from tidelore.engine.text.sentences import pieces, sentences
from tidelore.engine.text.unicode14 import fold_name

Span = tuple[int, int]

WHOLE = 600  # A message of at most so many characters is one moment.
PIECE = 480  # The most characters of a moment of a longer message.
MOST_ENTITIES = 12  # The speaker included.
MOST_FACTS = 6
# Where facts are looked for in a very long message: nobody types as much, and the few that are kept stand at its ends. Its moments hold
# all of it.
FACTS_FIRST, FACTS_LAST = 150_000, 50_000
_NEW_CLAUSE = later(r"(?:[,;:，；、—–] ?|(?<![A-Za-z])(?:and|but|so|because|since) |而且|但是|但|所以|不过|而)$")
# What is left at the end of a clause where the next one begins.
_LOOSE_END = later(r"(?:[\s,;，；、—–-]|(?<![A-Za-z])(?:and|but|so|also|because|since)|而且|但是|但|所以|不过|而|也)+$")
_LONGEST_QUOTE = 240
_LONGEST_PLAIN = 400  # What a longer sentence says is not plain.
# What one may laugh about and still mean.
_LIGHT = ("likes:", "favourite:", "mood")
_RANK = {"stated": 0, "seen": 1, "maybe": 2}


def extract(role: Role, text: str) -> tuple[Operation, ...]:
    """The moments, entities, facts and their edges in one message of masked, normalised and cleaned text."""
    if not says_something(text):
        return ()
    found = mentions(text)
    spans = sentences(text)
    claims = _claims(role, text, found, spans)
    found = _placed(found, claims)
    keys = {mention.name: fold_name(mention.name) for mention in found}
    names = _chosen([mention for mention in found if not _names_speaker(mention, claims)], claims, keys)
    operations: list[Operation] = [EnsureNode(Speaker(0), "character")]
    operations += [_entity(text, mention, spans) for mention in names.values()]
    starts = [mention.start for mention in found]
    for ordinal, (start, end) in enumerate(_moments(text)):
        moment = Evident("moment", (0,), ordinal)
        gist = text[start:end]
        operations.append(EnsureNode(moment, "event", {"text": gist}, (Quote(0, gist),)))
        operations.append(EnsureEdge("involved_in", Speaker(0), moment))
        here = {keys[mention.name] for mention in found[bisect_left(starts, start) : bisect_left(starts, end)]}
        operations += [_link(moment, names[key]) for key in names if key in here]
    operations += _facts(text, claims, spans)
    return tuple(operations)


def _moments(text: str) -> list[Span]:
    if len(text) <= WHOLE:
        start = len(text) - len(text.lstrip())
        return [(start, len(text.rstrip()))]
    return [(start, end) for start, end in pieces(text, PIECE) if says_something(text[start:end] + " " * WHOLE)]


def _entity(text: str, mention: Mention, spans: list[Span]) -> EnsureNode:
    words = _quote(text, mention.start, mention.end, spans)
    return EnsureNode(Named(mention.name), mention.sub, {"name": mention.name}, (Quote(0, words),), certainty=mention.certainty)


def _link(moment: Evident, mention: Mention) -> EnsureEdge:
    name = Named(mention.name)
    if mention.sub == "character":
        return EnsureEdge("involved_in", name, moment)
    return EnsureEdge("occurred_at" if mention.sub == "location" else "about", moment, name)


# What belongs to the telling, not to the sentence, and often stands at one end of it only.
MARKS = ' *_"“”「」『』\n'


def _facts(text: str, claims: list[Claim], spans: list[Span]) -> Iterator[EnsureNode]:
    numbers = [_number(claim.at, spans) for claim in claims]
    places = {claim.at for claim in claims}
    several = {number: {claim.begins for claim, at in zip(claims, numbers, strict=True) if at == number} for number in numbers}
    clauses = {
        number: {at for at in begun if at not in places or _NEW_CLAUSE.search(text, spans[number][0], at)} if len(begun) > 1 else set[int]()
        for number, begun in several.items()
    }
    for ordinal, (claim, number) in enumerate(zip(claims, numbers, strict=True)):
        start, end = spans[number]
        said = text[start:end]
        yield EnsureNode(
            Evident("fact", (0,), ordinal),
            claim.sub,
            {"text": _own_words(text, claim, (start, end), clauses[number]), "attribute": claim.attribute, "value": claim.value},
            (Quote(0, said),),
            subject=Named(claim.subject) if claim.subject else Speaker(0),
        )


def _own_words(text: str, claim: Claim, sentence: Span, clauses: Collection[int]) -> str:
    """The sentence of a claim or, where several state something, the clause that begins last before it: no two facts read alike then."""
    start = max((at for at in clauses if at <= claim.begins), default=sentence[0])
    end = min((at for at in clauses if at > claim.begins), default=sentence[1])
    said = text[start:end]
    if end < sentence[1]:
        said = _LOOSE_END.sub("", said)
    return (claim.lead if start == claim.own else "") + (said.strip(MARKS) or said)


def _claims(role: Role, text: str, found: list[Mention], spans: list[Span]) -> list[Claim]:
    """The last claim of each line (subject and attribute) of the message, in order."""
    lines: dict[tuple[str, str], Claim] = {}
    speech = Speech(role, text)
    by_start = {mention.start: mention for mention in found}
    for claim in _candidates(role, text, by_start, spans):
        if claim.subject or speech.is_own(claim.at):
            if claim.attribute == "allergy":
                # Each has a line of its own: a second allergy does not end the first.
                claim = replace(claim, attribute=f"allergy:{fold_name(claim.value)}")
            line = (fold_name(claim.subject), claim.attribute)
            if line not in lines and len(lines) == MOST_FACTS:
                break
            lines.pop(line, None)
            lines[line] = claim
    return list(lines.values())


def _candidates(role: Role, text: str, by_start: dict[int, Mention], spans: list[Span]) -> Iterator[Claim]:
    chinese = is_east_asian(text)
    places = dict.fromkeys(states.first_persons(text))
    if chinese:
        places.update((at, None) for at in han_states.first_persons(text))
    apart = Apart(role, text)
    middle = range(FACTS_FIRST, len(text) - FACTS_LAST)
    for at in sorted({*places, *by_start}):
        if at in middle:
            continue
        number = _number(at, spans)
        start, end = spans[number]
        if end - start > _LONGEST_PLAIN:
            continue
        mention = by_start.get(at)
        claims: list[Claim] = []
        if at in places:
            claims += states.of_speaker(text, end, at, by_start)
            if chinese:
                claims += han_states.of_speaker(text, end, at, by_start)
        if mention is not None:
            claims += states.of_named(text, end, mention, by_start)
            if chinese:
                claims += han_states.of_named(text, end, mention)
        if claims and at < plain.meant(text, start, end) and not is_of_others(text[start:at]) and not apart.holds(at):
            if number and plain.opens_a_game(text[slice(*spans[number - 1])]):
                continue
            joke = plain.is_joke(text, start, end)
            yield from (claim for claim in claims if not joke or claim.attribute.startswith(_LIGHT))


def _placed(found: list[Mention], claims: list[Claim]) -> list[Mention]:
    """With the subs that the claims tell: what somebody lives in is a place, whatever it looks like elsewhere."""
    places = {claim.value for claim in claims if claim.attribute in origins.OF_PLACES}
    return [replace(mention, sub="location", certainty="stated") if mention.name in places else mention for mention in found]


def _names_speaker(mention: Mention, claims: list[Claim]) -> bool:
    """Whether it is the name that the speaker gives: a second node of the same person would split what is known."""
    return any(claim.attribute == "name" and not claim.subject and claim.value == mention.name for claim in claims)


def _chosen(found: list[Mention], claims: list[Claim], keys: dict[str, str]) -> dict[str, Mention]:
    """The surest mention of each name, those with facts and the surest names first; then in order of the text."""
    best: dict[str, Mention] = {}
    for mention in found:
        key = keys[mention.name]
        known = best.get(key)
        if known is None or _RANK[mention.certainty] < _RANK[known.certainty]:
            best[key] = mention
    subjects = {fold_name(claim.subject) for claim in claims}
    ranked = sorted(best, key=lambda key: (key not in subjects, _RANK[best[key].certainty], best[key].start))
    kept = sorted(ranked[: MOST_ENTITIES - 1], key=lambda key: best[key].start)
    return {key: best[key] for key in kept}


def _sentence(at: int, spans: list[Span]) -> Span:
    return spans[_number(at, spans)]


def _number(at: int, spans: list[Span]) -> int:
    return max(0, bisect_right(spans, (at, 1 << 62)) - 1)


def _quote(text: str, start: int, end: int, spans: list[Span]) -> str:
    """The sentence that holds text[start:end], or the words round it where the sentence is long."""
    first, last = _sentence(start, spans)
    last = max(last, end)
    if last - first > _LONGEST_QUOTE:
        room = (_LONGEST_QUOTE - (end - start)) // 2
        first = max(first, start - max(room, 0))
        last = min(last, end + max(room, 0))
        if first < start and " " in text[first:start]:
            first = text.index(" ", first) + 1
        if last > end and " " in text[end:last]:
            last = text.rindex(" ", end, last)
    return text[first:last]
