"""Names in letters that any file system and any picture has: `Zoë` is `Zoe`, `Кубик` is `Kubik`."""

import unicodedata

_CYRILLIC = """
а=a б=b в=v г=g д=d е=e ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh
ц=ts ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya і=i ї=yi є=ye ґ=g
"""
_GREEK = """
α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f
χ=ch ψ=ps ω=o
"""
_LATIN = """
ß=ss æ=ae œ=oe ø=o ð=d þ=th ł=l đ=d ı=i ħ=h
"""
_PAIRS = (pair.partition("=") for pair in (_CYRILLIC + _GREEK + _LATIN).split())
_LETTERS = {letter: word for letter, _, word in _PAIRS}


def ascii_name(name: str) -> str:
    """Return a name in ASCII as well as it can be; letters of other scripts are left out."""
    letters = "".join(map(_letter, unicodedata.normalize("NFC", name)))
    return " ".join(letters.split())


def _letter(char: str) -> str:
    small = char.lower()
    if small not in _LETTERS:  # a letter with accents is the letter below them
        if char.isascii():
            return char
        parts = unicodedata.normalize("NFKD", small)
        small = "".join(part for part in parts if not unicodedata.combining(part))
    latin = _LETTERS.get(small, small)
    latin = latin if latin.isascii() else ""
    return latin.capitalize() if char.isupper() else latin
