"""Finding what a reply says is its score, in any of the ways that models put it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from citemark.judges.llm.numerals import Figure, Scale, read_figure, sums_with_total
from citemark.judges.llm.plain_text import SOURCE
from citemark.judges.llm.verdict import LINE, SOURCES, Strength, Verdict

_FINAL = (
    r"final(?:ly|e|es)?|revised|corrected|adjusted|updated"
    r"|endgültige|abschließende|definitiva|итоговая|окончательная|最终|最終|최종"
)
_WORD = (
    r"scores?|rating|grade|mark|verdict|assessment|evaluation|judge?ment|answer|result"
    r"|puntuación|puntaje|calificación|nota|punktzahl|gesamtpunktzahl|bewertung|wertung|ergebnis"
    r"|pontuação|punteggio|voto|оценка|баллы?|итого?|puan|الدرجة|التقييم|النتيجة|स्कोर"
)
_GLYPHS = r"得分|评分|分数|評分|分數|总分|總分|打分|スコア|点数|評価|得点|점수|평점|총점"
_ASIDE = r"(?:\s?\([^()]{0,80}\))?"
_ABOUT = (
    r"(?:\s?(?:for|of|on|in|given|assigned|awarded|per|pour|für|para|per)\s[^\d:=.!?;]{1,60}?)?"
)
_COLON = r"[\"']?\s?(?::|=|→|->|=>|\||\s[-–]\s)"
_LABEL = re.compile(
    rf"(?:(?P<final>(?<![^\W_])(?:{_FINAL})[\s_-]?(?:[^\W\d_]{{1,20}}[\s_-]){{0,6}}?)?"
    rf"(?:(?<!\w)(?:(?P<whole>total|sum|overall)|{_WORD})|(?<=_)(?:score|rating)"
    rf"|{_GLYPHS})(?P<last>\sfinale?)?"
    rf"|(?P<alone>(?<!\w)(?:{_FINAL})))"
    rf"(?:{_ASIDE}{_ABOUT}{_ASIDE}(?P<colon>{_COLON})"
    rf"|{_ABOUT}\s(?:is|ist|est|es|é|è)(?:\s(?:therefore|thus|hence|then))?(?:\s|\s?:)"
    r"|\s(?P<of>of|von|de)\s|\s?(?:为|為|是|は|은|는)\s?)",
    re.IGNORECASE,
)
_NOTE = re.compile(r"(?<!\w)(?:note(?:\sfinale)?|nota)\s?:", re.IGNORECASE)
_OTHER_SCORE = re.compile(
    r"(?<![^\W_])(?:max(?:imum)?|min(?:imum)?|highest|lowest|top|perfect|possible|sub|previous|initial"
    r"|first|preliminary|tentative|average|mean|confidence|partial|provisional|draft|original|raw|no|not)"
    r"[\s_-]{1,2}(?:\w{1,20}[\s_-]){0,2}$",
    re.IGNORECASE,
)
_METRIC = re.compile(
    rf"(?:^|[{SOURCE}:;,.(|]\s?)(?:relevance(?:\sof\scitation\sto\squery)?|influence|diversity"
    rf"|uniqueness(?:\sin\sresponse)?|subjective\scount|follow-up){_ASIDE}{_COLON}",
    re.IGNORECASE,
)
_OF_SOURCE = re.compile(rf"{SOURCE}\s?[)\]]?{_COLON}")
_GIVING = re.compile(
    r"\b(?:(?:I|we)(?:'d|'ll|'ve|\swould|\swill|\shave)?\s(?:\w{2,12}ly\s|thus\s|therefore\s)?"
    r"(?:give|gave|given|assign(?:ed)?|award(?:ed)?|rated?|scored?|say|choose|go\swith|settle\s(?:on|for|at))"
    r"|(?:gets|receives|earns|deserves|merits|scores))\b[^.:;!?\d\n]{0,60}?(?=\s[\"'(]?\d)",
    re.IGNORECASE,
)
_CRITERION = re.compile(r"(?<!\w)[A-Z]\d(?!\w)[^.!?;,]*$")
_THINGS = re.compile(
    r"\b(?:citations|claims|facts|mentions|sentences|sources|statements|units|words)\b",
    re.IGNORECASE,
)
_MORE_NUMBERS = re.compile(r"[^.!?;\d]*+\d")
_ARTICLES = frozenset("the my this overall here is so and a".split())
_ENUMERATED = re.compile(r"(?:[A-Za-z]\d(?!\d))?[^\d:=]{0,60}(?:\([^()]{0,40}\))?[:=]\s?(?=\d)")
_SUPPOSED = re.compile(
    r"\b(?:if|unless|not|never|cannot|without|than|least|most|below|above|under|over|short|from|between"
    r"|first|initially|max(?:imum)?|possible|perfect|whether|why|earlier|previously)\b|n't\b",
    re.IGNORECASE,
)
_COMMENTED = re.compile(r"(?:\s[-–]|:|,?\s(?:because|since|as)\b|\s\([^()\d]*+\)\W*+$)[^\d]*+$")
_LONE_WORD = re.compile(r"(?:final\s)?(?:score|rating)\s(?=\d)", re.IGNORECASE)
_CLOSED = re.compile(r"[\s.,;!。)\]}\"'…]*+$")
_NUMBERS_ONLY = re.compile(
    r"(?:[\W\d_]|to|or|and|bis|und|oder|ou|maybe|perhaps|possibly|points?|pts|out|of|至|到|或|分)*+$"
)


def verdicts(lines: Sequence[str], scale: Scale) -> list[Verdict]:
    """Everything in the lines of a reply that is given as its score, in order.

    >>> [v.value for v in verdicts(["I first thought 12.", "Final score: 14"], Scale(1, 20))]
    [14]
    """
    found: list[Verdict] = []
    for number, line in enumerate(lines):
        last = number == len(lines) - 1
        if bare := _bare(line, scale):
            strength = Strength.FINAL if last else Strength.STATED
            found.append(Verdict(bare.value, strength, LINE))
            continue
        inside: dict[int, Verdict] = {}
        for end, verdict in _inside(line, scale, at_edge=last or not number):
            if end not in inside or inside[end].strength < verdict.strength:
                inside[end] = verdict
        found.extend(inside[end] for end in sorted(inside))
        if not inside and (aside := _aside(line, scale)):
            found.append(aside)
    return found


def _bare(line: str, scale: Scale) -> Figure | None:
    """A line that is nothing but a number, or but several; "Score 14" is one, too."""
    word = _LONE_WORD.match(line)
    figure = read_figure(line, word.end() if word else 0, scale)
    if figure is None:
        return None
    rest = _CLOSED if isinstance(figure.value, int) else _NUMBERS_ONLY
    return figure if rest.match(line, figure.end) else None


def _inside(line: str, scale: Scale, *, at_edge: bool) -> Iterator[tuple[int, Verdict]]:
    """The verdicts inside a line of words, each with the place where its number ends."""
    for label in _LABEL.finditer(line):
        yield from _labelled(line, label, scale)
    for pattern, strength in (
        (_NOTE, Strength.WEAK),
        (_METRIC, Strength.METRIC),
        (_OF_SOURCE, Strength.WEAK),
    ):
        for match in pattern.finditer(line):
            yield from _at(line, match.end(), scale, strength, _kind(match[0]))
    yield from _given(line, scale)
    loose = [m.start() for m in _fraction(scale.high).finditer(line)]
    for place in (*loose, *sums_with_total(line)):
        if not _supposed(line, place) and not _CRITERION.search(line[max(0, place - 60) : place]):
            yield from _at(line, place, scale, Strength.WEAK)
    figure = read_figure(line, 0, scale) if at_edge else None
    if figure and isinstance(figure.value, int) and _COMMENTED.match(line, figure.end):
        yield figure.end, Verdict(figure.value, Strength.WEAK)


def _given(line: str, scale: Scale) -> Iterator[tuple[int, Verdict]]:
    """What the model says it gives: "I would give this source a 14"."""
    for match in _GIVING.finditer(line):
        if not _of_criterion(line, match.start()) and not _supposed(line, match.start()):
            for end, verdict in _at(line, match.end(), scale, Strength.WEAK):
                if not _MORE_NUMBERS.match(line, end):
                    yield end, verdict


def _labelled(line: str, label: re.Match[str], scale: Scale) -> Iterator[tuple[int, Verdict]]:
    before = line[max(0, label.start() - 60) : label.start()]
    final = bool(label["final"] or label["last"] or label["alone"])
    whole = final or label["whole"]
    if _is_other(label, before) or (not whole and _CRITERION.search(before)):
        return
    if not label["colon"] and _supposed(line, label.start()):
        return
    strength = Strength.WEAK if label["of"] else Strength.STATED
    kind = _kind(label[0]) if whole else _kind(before + label[0])
    if not kind and not whole and label["colon"]:
        kind = _part(line[: label.start()]) if label.start() < 80 else ""
    yield from _at(line, label.end(), scale, Strength.FINAL if final else strength, kind)


def _is_other(label: re.Match[str], before: str) -> bool:
    """Whether a label names another number: the highest score, a number of things, a quotation."""
    if label["whole"] and (label["of"] or _THINGS.search(label[0])):
        return True
    quoted = before[-1:] == "'" and "'" not in label[0] and not before[-2:-1].isalnum()
    return quoted or _OTHER_SCORE.search(before) is not None


def _part(before: str) -> str:
    """What a score is said to be of: the "topical alignment" of "Topical alignment score: 3"."""
    words = before.casefold().split()
    if len(words) > 5 or re.search(r"[.:;,!?\"'({]", before):
        return ""
    return " ".join(word for word in words if word not in _ARTICLES)


def _at(
    line: str, place: int, scale: Scale, strength: Strength, kind: str = ""
) -> Iterator[tuple[int, Verdict]]:
    if line.count('"', 0, place) % 2:
        return  # in quotation marks: the words of the answer, or of an attack in it
    if figure := read_figure(line, place, scale):
        yield figure.end, Verdict(figure.value, strength, kind)


def _kind(label: str) -> str:
    return SOURCES if re.search(rf"{SOURCE}[^.!?;]{{0,60}}$", label) else ""


def _of_criterion(line: str, place: int) -> bool:
    """Whether the sentence up to a place is about one sub-score: "For R1, I give a 3"."""
    return re.search(r"(?<!\w)[A-Z]\d(?!\w)", _sentence(line, place)) is not None


def _aside(line: str, scale: Scale) -> Verdict | None:
    listed = _ENUMERATED.match(line)
    figure = read_figure(line, listed.end(), scale) if listed else None
    if figure and isinstance(figure.value, int) and _CLOSED.match(line, figure.end):
        return Verdict(figure.value, Strength.ASIDE)
    return None


def _supposed(line: str, place: int) -> bool:
    """Whether the sentence up to a place speaks of a score that was not given."""
    return _SUPPOSED.search(_sentence(line, place)) is not None


def _sentence(line: str, place: int) -> str:
    return re.split(r"[.!?;]\s", line[max(0, place - 160) : place])[-1]


def _fraction(top: int) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,/+])-?\d++(?=\s?(?:/|out\sof)\s?{top}(?![\d/]))", re.IGNORECASE)
