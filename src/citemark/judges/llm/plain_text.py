"""A reply as plain lines: without the model's thoughts, typography, markup and markers."""

from __future__ import annotations

import re
import unicodedata

SOURCE = "\ue000"
"""Stands where a reply names a source: the 3 of "Source [3]" is never a score."""

LONGEST = 50_000
"""Nobody explains one number at greater length; what stands earlier is not the last word."""

_SENTENCE_END = re.compile(r"[.!?。]\s|\n")
_THOUGHT = re.compile(
    r"(?P<end></(?:think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad)\s{0,3}>"
    r"|\[/THINK\]|◁/think▷|<\|channel\|>final<\|message\|>)"
    r"|<(?:think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad)\s{0,3}>"
    r"|\[THINK\]|◁think▷|<\|channel\|>analysis<\|message\|>",
    re.IGNORECASE,
)
_SPACES = re.compile(r"[ \t]+")
# Tags that wrap a verdict put it on a line of its own; all others are only taken out.
_VERDICT_TAG = re.compile(
    r"</?(?:answer|final|final_answer|final_score|output|rating|response|result|score|verdict)>"
    r"|\\boxed\s?\{|(?<=\d)\}",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-z][a-z0-9_]{0,20}\s?/?>|<\|\w{1,20}\|>", re.IGNORECASE)
_STRUCK = re.compile(r"~~[^~\n]{1,80}~~")
# A star between two digits may be a product; an underscore inside a word belongs to it.
_EMPHASIS = re.compile(r"(?<!\d)\*+|\*+(?!\d)|(?<![^\W_])_+|_+(?![^\W_])")
_NAMED_SOURCE = re.compile(
    r"(?<![^\W_])(?:sources?|src|reference|ref\.|citation|quelle|fuente|fonte|источник\w{0,2}|来源"
    r"|來源|ソース|출처)\s?(?:no\.\s?|nr\.\s?|number\s|#)?(?:\[\s?\d{1,4}\s?\]|\d{1,4}(?![\d./,]\d|\d))",
    re.IGNORECASE,
)
# A number in brackets cites a source, unless it stands where a verdict would: "Score: [14]".
_MARKER = re.compile(
    r"(?<![:=])(?<![:=]\s)(?<![:=]\[)(?<![:=]\s\[)(?:\[\s?[\d,\s]{1,20}\]|【\s?\d{1,4}[^】\n]{0,40}】)"
)
_LEADING = re.compile(r"(?:[>|•·=→:$\s]|#+(?=\s)|[-–+](?=\s))*+")


def after_thoughts(text: str) -> int | None:
    """Where the reply proper starts: behind the last thought, or None if that has no end.

    >>> after_thoughts("<think>12?</think>14"), after_thoughts("14"), after_thoughts("<think>12")
    (18, 0, None)
    """
    marks = list(_THOUGHT.finditer(text))
    if not marks:
        return 0
    return marks[-1].end() if marks[-1]["end"] else None


def plain_lines(text: str, low: int, high: int) -> list[str]:
    """The lines of a reply that say something, in ASCII digits and without any markup.

    >>> plain_lines("> **Score for Source [3] (1-20):** １４\\n---", 1, 20)
    ['Score for \\ue000: 14']
    """
    text = _ending(text).translate(_PLAIN)
    text = _STRUCK.sub("", text)
    text = _TAG.sub("", _VERDICT_TAG.sub("\n", text))
    text = _EMPHASIS.sub("", text)
    text = _SPACES.sub(" ", text)
    text = _scale(low, high).sub("", text)
    text = _MARKER.sub(SOURCE, _NAMED_SOURCE.sub(SOURCE, text))
    lines = (_undecorated(line) for line in text.split("\n"))
    return [line for line in lines if line]


def _ending(text: str) -> str:
    """The end of an endless reply, from the start of a sentence on."""
    if len(text) <= LONGEST:
        return text
    start = _SENTENCE_END.search(text, len(text) - LONGEST)
    return text[start.end() :] if start else ""


def _scale(low: int, high: int) -> re.Pattern[str]:
    """What only repeats the scale: "(1-20)", "on a scale of 1 to 20", "Score out of 20:"."""
    ends = rf"{low}\s?(?:-|–|to|and|~)\s?{high}(?!\d)"
    return re.compile(
        rf"\s?[(\[](?:integer\s|scale\s?:?\s?|range\s?:?\s?|from\s)?{ends}(?:\sscale)?[)\]]"
        rf"|,?\s?\(?(?:on|using|in|within)\s(?:a|the)\s(?:\w{{1,10}}\s)?(?:scale|range)\s"
        rf"(?:of|from|between)?\s?{ends}\)?|\s(?:on|in)\sthe\s{ends}\sscale"
        rf"|\s?(?:/|\bout\sof)\s?{high}(?=\s?:)",
        re.IGNORECASE,
    )


def _undecorated(line: str) -> str:
    lead = _LEADING.match(line)
    line = line[lead.end() if lead else 0 :].rstrip(" |$")
    # Quotation marks go only if they hold the whole line: elsewhere they tell whose words it is.
    if len(line) > 1 and line[0] == line[-1] and line[0] in "\"'" and line[0] not in line[1:-1]:
        line = line[1:-1].strip()
    return line if any(c.isalnum() or c == SOURCE for c in line) else ""


class _Plain(dict[int, int | str | None]):
    """What a character is read as; worked out once for each character that turns up."""

    def __missing__(self, code: int) -> int | str | None:
        self[code] = plain = _plain(chr(code))
        return plain


_LIKE = {
    **dict.fromkeys("‘’‚‛′´", "'"),
    **dict.fromkeys("“”„‟«»「」『』″", '"'),
    **dict.fromkeys("‐‑−", "-"),
    **dict.fromkeys("‒—―", "–"),
    **dict.fromkeys("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\n"),
    "`": " ",
    "٫": ".",
    "٬": ",",
    "⁄": "/",
    "∕": "/",
    "\N{VARIATION SELECTOR-16}": "",
    "\N{COMBINING ENCLOSING KEYCAP}": "",
}


def _plain(char: str) -> str:
    """One character in plain form: any script's digits are digits, full-width signs are signs."""
    if (digit := unicodedata.decimal(char, None)) is not None:
        return str(digit)
    if "\uff01" <= char <= "\uff5e":
        char = chr(ord(char) - 0xFEE0)
    if char in _LIKE:
        return _LIKE[char]
    category = unicodedata.category(char)
    if category == "Cf":  # marks without a width, a byte order mark among them
        return ""
    return " " if category == "Zs" else char


_PLAIN = _Plain()
