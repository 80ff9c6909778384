"""Which characters belong to which script: the insides of regular expression classes, for text in NFKC.

The sets are blocks of the Unicode standard, version 14; `OTHER` is a whole expression for one
letter, mark or number of all other scripts.
"""

from __future__ import annotations

from tidelore.engine.text._ranges import one_of
from tidelore.engine.text._words14 import WORDS

MARKS = "\u0300-\u036f"
LATIN_LETTERS = "a-zA-Z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff\u2c60-\u2c7f\ua722-\ua787\ua78b-\ua7ca" + MARKS
HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134a"
KANA = "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
UNSPACED = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109f\u1780-\u17d3\u17dc\u17dd"
CYRILLIC = "\u0400-\u0481\u0483-\u052f\u1c80-\u1c88\u1d2b\u1d78\u2de0-\u2dff\ua640-\ua672\ua674-\ua67d\ua67f-\ua69f" + MARKS
GREEK = "\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u03f5\u03f7-\u03ff\u1f00-\u1fbc\u1fbe\u1fc2-\u1ffc" + MARKS
ARABIC = (
    "\u0610-\u061a\u0620-\u065f\u066e-\u06d3\u06d5-\u06dc\u06df-\u06e8\u06ea-\u06ef\u06fa-\u06fc\u06ff"
    "\u0750-\u077f\u0870-\u0887\u0889-\u088e\u0898-\u08e1\u08e3-\u08ff"
)
HEBREW = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u05d0-\u05ea\u05ef-\u05f4"
OTHER = one_of(WORDS)
