"""Sources across cases: the same domain, or the same page, wherever it was listed or cited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from citemark.citations.urls import domain_of, normalised_url
from citemark.report.reading import Plain, is_number
from citemark.report.summary import OVERALL, mean_of

NO_ADDRESS = "(no address)"


@dataclass(slots=True)
class _Group:
    """What was seen of one domain or page."""

    listed: set[int] = field(default_factory=set)
    cited: set[int] = field(default_factory=set)
    words: float = 0.0
    scores: dict[str, list[float]] = field(default_factory=dict)

    def row(self, name: str, metrics: Sequence[str], words: float) -> dict[str, Any]:
        """The group as the page carries it."""
        return {
            "name": name,
            "listed": len(self.listed),
            "cited": len(self.cited),
            "voice": round(self.words / words, 5) if words else 0.0,
            "means": [mean_of(self.scores.get(metric, ())) for metric in metrics],
            "overall": mean_of(self.scores.get(OVERALL, ())),
            "cases": sorted(self.listed),
        }


class Domains:
    """Sources grouped by domain and by page, added up card by card."""

    def __init__(self) -> None:
        self._domains: dict[str, _Group] = {}
        self._pages: dict[str, _Group] = {}
        self._words = 0.0

    def add(self, card: Plain, index: int) -> None:
        """Count the sources of one case in; ``index`` is the case's place in the report."""
        for source in card["sources"]:
            page = page_of(source)
            self._add(self._pages.setdefault(page or NO_ADDRESS, _Group()), source, index)
            domain = site_of(source)
            self._add(self._domains.setdefault(domain or NO_ADDRESS, _Group()), source, index)
            self._words += _words(source)

    def _add(self, group: _Group, source: Plain, index: int) -> None:
        group.listed.add(index)
        if not source.get("cited", True):
            return
        group.cited.add(index)
        group.words += _words(source)
        values = {metric: judgment.get("score") for metric, judgment in source["scores"].items()}
        values[OVERALL] = source.get("overall")
        for name, value in values.items():
            if value is not None:
                group.scores.setdefault(name, []).append(value)

    def to_dict(self, metrics: Sequence[str]) -> dict[str, Any]:
        """Both groupings as the page carries them, most words first."""
        return {
            "domain": self._rows(self._domains, metrics),
            "page": self._rows(self._pages, metrics),
        }

    def _rows(self, groups: dict[str, _Group], metrics: Sequence[str]) -> list[dict[str, Any]]:
        rows = [group.row(name, metrics, self._words) for name, group in groups.items()]
        return sorted(rows, key=lambda row: (-row["voice"], -row["listed"], row["name"]))


def _words(source: Plain) -> float:
    words: Any = (source.get("impression") or {}).get("words")
    return float(words) if is_number(words) else 0.0


def page_of(source: Plain) -> str | None:
    """What names the same page in every case: its key, else its address, else nothing."""
    url = source.get("url")
    return source.get("key") or (normalised_url(url) if url else None)


def site_of(source: Plain) -> str | None:
    """The domain of a source, from its address or a key that looks like one."""
    address = source.get("url") or source.get("key")
    domain = domain_of(address) if address else ""
    if "." in domain and " " not in domain:
        return domain
    return source.get("key")
