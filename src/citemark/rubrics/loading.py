"""Reading rubrics: the bundled ones by name, users' own from a TOML or a text file."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from citemark.errors import RubricError
from citemark.notices import notice
from citemark.rubrics.rubric import LEVELS, Band, Rubric, Step, SubScore, content_hash

DEFAULT_METRICS = ("relevance", "influence", "uniqueness", "diversity", "count")
EXTRA_METRICS = ("position", "follow_up")

_KEYS = {field.name for field in fields(Rubric)} - {"text", "hash"}
_SUBSCORES = 5
_NAME = re.compile(
    # The names of columns in the flat form are taken.
    r"(?!(?:case|source|key|url|title|cited|overall|sentences|words?|word_position|share_\w+|judge|mode"
    r"|signature|tag_\w+|\w+_(?:expected|status|reason))$)[a-z][a-z0-9_]{0,39}"
)


def rubric_names() -> tuple[str, ...]:
    """The names of the bundled rubrics, the default five first."""
    return DEFAULT_METRICS + EXTRA_METRICS


@cache
def rubric(name: str) -> Rubric:
    """A bundled rubric by its name.

    >>> import citemark
    >>> citemark.rubric("influence").subscores[3].name
    'Non-substitutability'
    """
    if name not in rubric_names():
        raise RubricError(f'no rubric "{name}"; there are: {", ".join(rubric_names())}')
    resource = files("citemark.rubrics") / f"{name}.toml"
    return _from_toml(resource.read_text(encoding="utf-8"), place=f"{name}.toml")


def load_rubric(path: str | Path) -> Rubric:
    """A rubric of one's own: a TOML of the bundled form, or a prompt as a text file.

    A prompt file holds ``{query}``, ``{answer}`` and ``Source [1]`` where the case and
    the number of the source belong. Broken characters in the file ("userâ€™s") are
    mended, and a notice says so.
    """
    path = Path(path)
    try:
        raw = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RubricError(
            f"{path}: not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from None
    except OSError as error:
        raise RubricError(f"{path}: cannot be read ({error.strerror})") from None
    text = _mended(raw, path)
    if path.suffix.lower() == ".toml":
        return _from_toml(text, place=str(path))
    return _from_prompt(text, path)


def _mended(text: str, path: Path) -> str:
    """Repair characters that were decoded wrongly once, and nothing else."""
    if text.isascii():
        return text
    from ftfy import fix_encoding  # only needed for the rare file that may be broken

    # Line by line: a file that mixes broken and good characters is only mended where broken.
    mended = "".join(fix_encoding(line) for line in text.splitlines(keepends=True))
    if mended != text:
        notice(f"{path}: broken characters were repaired (it was decoded wrongly once)")
    return mended


def _from_prompt(text: str, path: Path) -> Rubric:
    missing = [field for field in ("{query}", "{answer}", "Source [1]") if field not in text]
    if missing:
        raise RubricError(
            f"{path}: a prompt file needs {', '.join(missing)}; write it where the case belongs"
        )
    name = re.sub(r"[^a-z0-9]+", "_", path.stem.lower()).strip("_")
    name = {"subjective_count": "count"}.get(name, name)
    if not _NAME.fullmatch(name):
        raise RubricError(
            f"{path}: name the file after its metric (my_metric.txt), in letters, "
            "and not after a column of the results"
        )
    return Rubric(
        name=name,
        title=name.replace("_", " ").capitalize(),
        bands=_bands_in(text),
        text=text,
        hash=content_hash(text),
    )


def _bands_in(text: str) -> tuple[Band, ...]:
    """The anchor bands of a prompt file, where it writes them as ``4-7 : name; meaning``."""
    lines = re.findall(r"^(\d{1,2})\s*[-–]\s*(\d{1,2})[ \t]*:[ \t]*(\S[^\n]*)$", text, re.MULTILINE)
    bands = []
    for low, high, words in lines:
        name, _, meaning = re.sub(r"[;(/]", "\0", words, count=1).partition("\0")
        bands.append(Band(int(low), int(high), name.strip(), meaning.strip(" );")))
    return tuple(bands)


def _from_toml(text: str, place: str) -> Rubric:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RubricError(f"{place}: not valid TOML: {error}") from None
    try:
        return _checked(data)
    except RubricError as error:
        raise RubricError(f"{place}: {error}") from None


def _checked(data: dict[str, Any]) -> Rubric:
    unknown = sorted(data.keys() - _KEYS)
    if unknown:
        raise RubricError(f"unknown key {unknown[0]!r}; a rubric has {', '.join(sorted(_KEYS))}")
    name = data.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise RubricError(
            '"name" must be lower-case letters, digits and _, such as "my_metric", '
            "and no column of the results"
        )
    for key in ("title", "definition", "subscores", "bands"):
        if not data.get(key):
            raise RubricError(f'"{key}" is missing')
    scale = _texts(data, "scale")
    if scale and len(scale) != LEVELS:
        raise RubricError(f'"scale" needs {LEVELS} labels, for the levels 0 to {LEVELS - 1}')
    subscores = tuple(_subscore(entry, i) for i, entry in enumerate(_tables(data, "subscores"), 1))
    if len({s.id for s in subscores}) != _SUBSCORES or len(subscores) != _SUBSCORES:
        raise RubricError("a metric has five sub-scores with five ids, so that they sum to 20")
    return Rubric(
        name=name,
        title=_text(data, "title"),
        summary=_text(data, "summary"),
        definition=_text(data, "definition"),
        is_not=_text(data, "is_not"),
        test=_text(data, "test"),
        method=_text(data, "method"),
        scale=scale,
        exclusions=_texts(data, "exclusions"),
        output_rule=_texts(data, "output_rule"),
        default=bool(data.get("default", False)),
        subscores=subscores,
        bands=_complete(tuple(_band(entry) for entry in _tables(data, "bands"))),
        steps=tuple(_step(entry) for entry in _tables(data, "steps")),
        hash=content_hash(data),
    )


def _text(data: dict[str, Any], key: str) -> str:
    value = data.get(key, "")
    if not isinstance(value, str):
        raise RubricError(f'"{key}" must be text')
    return value


def _texts(data: dict[str, Any], key: str) -> tuple[str, ...]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RubricError(f'"{key}" must be a list of texts')
    return tuple(value)


def _tables(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise RubricError(f'"{key}" must be a list of tables: [[{key}]]')
    return value


def _subscore(entry: dict[str, Any], number: int) -> SubScore:
    where = f"sub-score {number}"
    identifier, name = _text(entry, "id"), _text(entry, "name")
    if not identifier or not name:
        raise RubricError(f'{where} needs "id" and "name"')
    levels = _texts(entry, "levels")
    if len(levels) != LEVELS:
        raise RubricError(f'{where} ({identifier}) needs {LEVELS} "levels", for 0 to {LEVELS - 1}')
    return SubScore(identifier, name, levels, _text(entry, "gist"))


def _band(entry: dict[str, Any]) -> Band:
    low, high = entry.get("low"), entry.get("high")
    if not isinstance(low, int) or not isinstance(high, int) or not _text(entry, "name"):
        raise RubricError('every band needs "low", "high" and "name"')
    return Band(low, high, _text(entry, "name"), _text(entry, "meaning"))


def _complete(bands: tuple[Band, ...]) -> tuple[Band, ...]:
    covered = [score for band in bands for score in range(band.low, band.high + 1)]
    if covered != list(range(1, 21)):
        raise RubricError("the bands must cover 1 to 20 without a gap or an overlap, in order")
    return bands


def _step(entry: dict[str, Any]) -> Step:
    if not _text(entry, "text"):
        raise RubricError('every step needs "text"')
    return Step(_text(entry, "text"), _texts(entry, "points"))
