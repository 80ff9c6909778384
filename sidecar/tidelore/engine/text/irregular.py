"""English verbs and nouns whose other forms no ending tells: "bought" is found by "buy". Forms that are words of their own just as often
("saw", "ground", "rose", "lay", "wound") are left out."""

from __future__ import annotations

# The plain form, then its others.
_FORMS = """
become became|begin began begun|bend bent|bite bit bitten|blow blew blown|break broke broken|bring brought|build built|burn burnt
buy bought|catch caught|choose chose chosen|come came|creep crept|deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk
drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|flee fled|fly flew flown
forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen
give gave given|go went gone|grow grew grown|hang hung
hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know knew known|lead led|lean leant|leap leapt|learn learnt|leave left
lend lent|lose lost|make made|mean meant|meet met|mistake mistook mistaken|pay paid|ride rode ridden|ring rang rung|run ran|say said
seek sought|sell sold|send sent|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk
sit sat|sleep slept|slide slid|speak spoke spoken|spell spelt|spend spent|spin spun|spoil spoilt|spring sprang sprung|stand stood
steal stole stolen|stick stuck|sting stung|strike struck stricken|swear swore sworn|sweep swept|swim swam swum|swing swung|take took taken
teach taught|tear tore torn|tell told|think thought|throw threw thrown|understand understood|wake woke woken|wear wore worn|weave wove woven
weep wept|win won|withdraw withdrew withdrawn|write wrote written|see seen|get got gotten
child children|foot feet|goose geese|man men|mouse mice|ox oxen|person people|tooth teeth|woman women|knife knives|wife wives|life lives
shelf shelves|thief thieves|wolf wolves|half halves|loaf loaves|calf calves|elf elves|dwarf dwarves
"""


def _plain_forms() -> dict[str, str]:
    entries = [entry.split() for entry in _FORMS.replace("\n", "|").split("|") if entry]
    return {other: plain for plain, *others in entries for other in others}


PLAIN_FORM = _plain_forms()
"""The plain form of a word, by another form of it."""
