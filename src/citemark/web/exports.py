"""Results as files to take away: JSON Lines, a table in CSV, the report in HTML."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from citemark.comparison import Card, compare_cards, comparison_data, flat_rows
from citemark.comparison.matching import CasePair, Matches
from citemark.comparison.page import comparison_page
from citemark.comparison.plain import COLUMNS
from citemark.errors import RubricError
from citemark.report.page import Report
from citemark.report.reading import Plain
from citemark.results import columns, json_line
from citemark.rubrics import Rubric, rubric
from citemark.rubrics.rubric import SubScore
from citemark.web.bodies import JSON, encoded

FORMS = ("json", "html", "csv", "jsonl")
_TYPES = {
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
}


@dataclass(frozen=True, slots=True)
class Export:
    """Bytes of a kind, and the name of the file that they are saved as."""

    content: bytes
    kind: str = JSON
    name: str | None = None

    def response(self) -> Response:
        """The export as it is sent: a named file is saved, never opened in place."""
        headers = {}
        if self.name:
            headers["Content-Disposition"] = f'attachment; filename="{self.name}"'
        return Response(self.content, media_type=self.kind, headers=headers)


def export(
    cards: Sequence[Plain],
    form: str,
    stem: str,
    *,
    title: str = "Citation report",
    facts: Mapping[str, Any] | None = None,
) -> Export:
    """Scorecards in one of the forms to take away."""
    if form == "html":
        report = Report(title=title)
        for card in cards:
            report.add(card)
        content = report.html(facts).encode("utf-8", "replace")
    elif form == "csv":
        content = table(cards)
    else:
        content = "".join(map(json_line, cards)).encode("utf-8")
    return Export(content, _TYPES[form], file_name(stem, form))


def comparison_export(before: Plain, after: Plain, form: str) -> Export:
    """Two scorecards side by side, as data or in one of the forms to take away."""
    old, new = Card.from_dict(before), Card.from_dict(after)
    matches = Matches((CasePair((old,), (new,), "given"),))
    comparison = compare_cards([old], [new], matches=matches)
    if form == "json":
        data = comparison_data(comparison)
        return Export(encoded({"before": before, "after": after, "comparison": data}))
    if form == "html":
        content = comparison_page(comparison, ("before", "after")).encode("utf-8", "replace")
    elif form == "csv":
        content = _csv(COLUMNS, flat_rows(comparison))
    else:
        content = "".join(map(json_line, flat_rows(comparison))).encode("utf-8")
    return Export(content, _TYPES[form], file_name("compare", form))


def table(cards: Iterable[Mapping[str, Any]]) -> bytes:
    """Flat rows as CSV, one for each source, in the same columns as ``citemark score``."""
    cards = list(cards)
    metrics = dict.fromkeys(m for card in cards for s in card["sources"] for m in s["scores"])
    rubrics = [_rubric(metric, cards) for metric in metrics]
    tags = dict.fromkeys(f"tag_{name}" for card in cards for name in card.get("tags") or {})
    rows = (_row(card, source, rubrics) for card in cards for source in card["sources"])
    return _csv(columns(rubrics, tags), rows)


def _rubric(metric: str, cards: Iterable[Mapping[str, Any]]) -> Rubric:
    """The rubric of a metric; of one that is not bundled, what the results tell about it."""
    try:
        return rubric(metric)
    except RubricError:
        judgments = (s["scores"].get(metric) or {} for card in cards for s in card["sources"])
        ids = dict.fromkeys(i for j in judgments for i in j.get("subscores") or ())
        return Rubric(metric, metric, subscores=tuple(SubScore(i, i, ()) for i in ids))


def _row(
    card: Mapping[str, Any], source: Mapping[str, Any], rubrics: Iterable[Rubric]
) -> dict[str, Any]:
    row: dict[str, Any] = {"case": card["case"]}
    row.update((name, source.get(name)) for name in ("source", "key", "url", "title", "cited"))
    for given in rubrics:
        judgment = source["scores"].get(given.name) or {}
        row[given.name] = judgment.get("score")
        for part in ("expected", "status", "reason"):
            row[f"{given.name}_{part}"] = judgment.get(part)
        levels = judgment.get("subscores") or {}
        row.update((identifier, levels.get(identifier)) for identifier in given.ids)
    row["overall"] = source.get("overall")
    figures = source.get("impression") or {}
    for name in ("sentences", "words", "word", "word_position"):
        row[name] = figures.get(name)
    shares = figures.get("share") or {}
    row.update((f"share_{x}", shares.get(x)) for x in ("word", "position", "word_position"))
    row.update((name, card.get(name)) for name in ("judge", "mode", "signature"))
    row.update((f"tag_{name}", value) for name, value in (card.get("tags") or {}).items())
    return row


def _csv(names: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(names), restval=None, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return text.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def file_name(stem: str, form: str) -> str:
    """A name that every system takes, from whatever the results are called."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._")[:80] or "citemark"
    return f"{plain}.{form}"
