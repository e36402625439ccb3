"""The report without scripts: the same content as plain tables and text.

A browser that runs scripts never parses this part (it stands in ``<noscript>``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from citemark.report.reading import Plain
from citemark.report.summary import source_name

_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_HUES, _WEAVES = 7, 4
_WEB = re.compile(r"https?://[^\s/]", re.IGNORECASE)


def text(value: object) -> str:
    """Any text as HTML: what is markup in it is shown, not obeyed.

    >>> text("<script>")
    '&lt;script&gt;'
    """
    return escape(_CONTROLS.sub("\ufffd", str(value)))


def words(name: str) -> str:
    """A metric or a reason as people say it: ``not_a_score`` -> ``not a score``."""
    return name.replace("_", " ")


def static_summary(report: Mapping[str, Any]) -> str:
    """Counts, means and how the scores were made."""
    summary = report["summary"]
    judgments = summary["judgments"]
    failed = ", ".join(f"{words(reason)} {n}" for reason, n in judgments["failed"].items())
    counts = [
        ("Cases", summary["cases"]),
        ("Sources listed", summary["sources"]),
        ("Sources cited", summary["cited"]),
        ("Judgments scored", judgments["scored"]),
        ("Not cited", judgments["not_cited"]),
        ("Failed", f"{sum(judgments['failed'].values())}{f' ({failed})' if failed else ''}"),
        ("Findings about citations", summary["findings"]),
    ]
    for run in report["runs"]:
        counts += [("Judge", run["judge"]), ("Mode", run["mode"]), ("Signature", run["signature"])]
    counts.append(("Cost", report["cost"]))
    facts = "".join(
        f"<dt>{text(name)}</dt><dd>{text(value)}</dd>"
        for name, value in counts
        if value is not None
    )
    rows = [
        [words(entry["metric"]).capitalize(), _mean(entry["cited"]), _mean(entry["listed"])]
        for entry in summary["means"]
    ]
    means = _table("Means", ["Metric", "Cited sources", "All listed sources"], rows)
    best = _extremes("Strongest sources", summary["strongest"])
    worst = _extremes("Weakest sources", summary["weakest"])
    spreads = _spreads(summary["distributions"])
    tables = f"{means}{spreads}{best}{worst}"
    return f'<section><h2>Summary</h2><dl class="made">{facts}</dl>{tables}</section>'


def _mean(entry: Mapping[str, Any]) -> str:
    if entry["mean"] is None:
        return f"no score, n 0 of {entry['of']}"
    interval = entry["interval"]
    ends = f" [{interval[0]:.1f}, {interval[1]:.1f}]" if interval else ""
    return f"{entry['mean']:.1f}{ends}, n {entry['n']} of {entry['of']}"


def _spreads(distributions: Mapping[str, Sequence[int]]) -> str:
    rows = [[words(metric).capitalize(), *counts] for metric, counts in distributions.items()]
    return _table("How many scores of each value", ["Metric", *range(1, 21)], rows)


def _extremes(title: str, entries: Iterable[Mapping[str, Any]]) -> str:
    rows = [[e["name"], f"{e['overall']:.1f}", e["source"], e["query"]] for e in entries]
    return _table(title, ["Source", "Overall", "Number", "Query"], rows) if rows else ""


def static_domains(report: Mapping[str, Any]) -> str:
    """The table of domains."""
    metrics = report["metrics"]
    heads = ["Domain", "Listed in", "Cited in", "Share of voice"]
    heads += [words(metric).capitalize() for metric in metrics]
    rows = [
        [
            row["name"],
            row["listed"],
            row["cited"],
            f"{100 * row['voice']:.1f} %",
            *(f"{pair[0]:.1f}" if pair else "–" for pair in (*row["means"], row["overall"])),
        ]
        for row in report["domains"]["domain"]
    ]
    table = _table("Means are over the cited sources", [*heads, "Overall"], rows)
    return f"<section><h2>Across cases</h2>{table}</section>"


def _table(caption: str, heads: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in heads)
    body = "".join(
        f'<tr><th scope="row">{text(row[0])}</th>'
        + "".join(f"<td>{text(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="table-wrap"><table><caption>{text(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def static_case(card: Plain, metrics: Sequence[str]) -> str:
    """One case: query, answer with its tints, the scores of every source, the findings."""
    findings = "".join(
        f"<li><b>{text(words(p['code']))}</b>: {text(p.get('message', ''))}</li>"
        for p in card.get("problems", ())
    )
    return (
        f'<article class="card"><h3 dir="auto">{text(card["query"])}</h3>'
        f'<p class="mono muted">{text(card["case"])}</p>'
        f'<div class="answer as-is" dir="auto">{static_answer(card)}</div>{_scores(card, metrics)}'
        f"{f'<ul>{findings}</ul>' if findings else ''}</article>\n"
    )


def static_answer(card: Plain) -> str:
    """An answer with every sentence tinted by the place of its source in ``sources``."""
    looks = {source["source"]: i for i, source in enumerate(card["sources"])}
    answer, at, parts = card["answer"], 0, []
    for sentence in card["sentences"]:
        start, end = max(at, sentence["start"]), sentence["end"]
        parts.append(text(answer[at:start]))
        known = [looks[n] for n in sentence["sources"] if n in looks]
        if known:
            look = f"hue-{known[0] % _HUES} weave-{known[0] // _HUES % _WEAVES}"
            shared = " shared-plain" if len(known) > 1 else ""
            parts.append(f'<bdi class="cited {look}{shared}">{text(answer[start:end])}</bdi>')
        else:
            parts.append(text(answer[start:end]))
        at = max(at, end)
    return "".join([*parts, text(answer[at:])])


def _scores(card: Plain, metrics: Sequence[str]) -> str:
    if not card["sources"]:
        return '<p class="muted">This answer has no sources.</p>'
    heads = "".join(f'<th scope="col">{text(words(m).capitalize())}</th>' for m in metrics)
    rows = "".join(
        f'<tr><th scope="row">{source["source"]} {_link(source)}</th>'
        + "".join(_cell(source["scores"].get(metric)) for metric in metrics)
        + f"<td>{_overall(source)}</td></tr>"
        for source in card["sources"]
    )
    return (
        '<div class="table-wrap"><table><caption>Scores 1 to 20, bands, and the five sub-scores'
        f' 0 to 4</caption><thead><tr><th scope="col">Source</th>{heads}<th scope="col">Overall'
        f"</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _overall(source: Plain) -> str:
    if not source.get("cited", True):
        return "not cited"
    overall = source.get("overall")
    return "incomplete" if overall is None else f"{overall:.1f}"


def _link(source: Plain) -> str:
    name, url = text(source_name(source)), source.get("url") or ""
    if not _WEB.match(url):
        return f"<bdi>{name}</bdi>"
    return f'<a rel="noopener noreferrer" href="{text(url)}"><bdi>{name}</bdi></a>'


def _cell(judgment: Plain | None) -> str:
    if judgment is None:
        return "<td>not asked</td>"
    if judgment["status"] == "not_cited":
        return "<td>not cited</td>"
    if judgment["status"] == "failed":
        return f"<td>failed: {text(words(str(judgment.get('reason') or 'unknown')))}</td>"
    interval, levels = judgment.get("interval"), judgment.get("subscores")
    ends = f" ({interval[0]}–{interval[1]})" if interval else ""
    digits = f"<br><small>{' '.join(map(str, levels.values()))}</small>" if levels else ""
    band = text(judgment.get("band") or "")
    return f"<td><b>{judgment['score']}</b>{text(ends)} {band}{digits}</td>"
