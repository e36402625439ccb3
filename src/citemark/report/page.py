"""The page: scorecards in, one HTML file out that needs nothing else.

>>> import citemark
>>> card = citemark.score(query="Why is the sky blue?", answer="Air scatters blue light [1].")
>>> page = Report(title="Sky")
>>> page.add(card.to_dict())
>>> page.html().startswith("<!doctype html>")
True
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from string import Template
from typing import IO, Any

from citemark._version import __version__
from citemark.report.domains import Domains
from citemark.report.encoding import embedded_json, encoded_case
from citemark.report.inlining import asset, csp_hash, joined_script, joined_styles
from citemark.report.metrics import Metrics
from citemark.report.reading import Plain
from citemark.report.static import static_case, static_domains, static_summary, text
from citemark.report.summary import Summary
from citemark.rubrics import Rubric

_QUIET = ".needs-script,.masthead-tools,.masthead nav{display:none}"
"""Hides what only works with scripts, when there are none."""


class Report:
    """A report that grows card by card; only what the page needs of a card is kept."""

    def __init__(self, *, title: str = "Citation report", rubrics: Iterable[Rubric] = ()) -> None:
        self.title = title
        self.metrics = Metrics(rubrics)
        self.summary = Summary()
        self.domains = Domains()
        self._cases: list[dict[str, Any]] = []
        self._rows: list[str] = []
        self._static: list[str] = []
        self._links: dict[str, int] = {}
        self._runs: dict[tuple[str, str | None, str], int] = {}

    def __len__(self) -> int:
        return len(self._cases)

    def add(self, card: Plain) -> None:
        """Take one scorecard, as plain data."""
        index, link = len(self._cases), self._link(card["case"])
        self.metrics.note(card)
        self.summary.add(card, link)
        self.domains.add(card, index)
        self._cases.append(_listed(card, index, link))
        self._rows.append(embedded_json(encoded_case(card, self.metrics)))
        self._static.append(static_case(card, self.metrics.names))
        run = (str(card.get("judge") or "unknown"), card.get("mode"), card.get("signature") or "")
        self._runs[run] = self._runs.get(run, 0) + 1

    def _link(self, case: str) -> str:
        """What names a case in an address: its id, and a number if the id was used before."""
        times = self._links[case] = self._links.get(case, 0) + 1
        return case if times == 1 else f"{case}~{times}"

    def data(self, facts: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Everything that the overview shows, as plain data."""
        facts = facts or {}
        return {
            "title": self.title,
            "version": __version__,
            "made": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
            "origin": ", ".join(map(str, facts.get("inputs") or ())) or None,
            "cost": _cost(facts),
            "runs": [
                {"judge": judge, "mode": mode, "signature": signature, "cases": cases}
                for (judge, mode, signature), cases in self._runs.items()
            ],
            "metrics": self.metrics.names,
            "rubrics": self.metrics.to_dict(),
            "summary": self.summary.to_dict(),
            "domains": self.domains.to_dict(self.metrics.names),
            "cases": self._cases,
        }

    def html(self, facts: Mapping[str, Any] | None = None) -> str:
        """The page as one text. ``facts`` is the manifest of the run, if there is one."""
        return "".join(self._parts(self.data(facts)))

    def write(self, stream: IO[bytes], facts: Mapping[str, Any] | None = None) -> None:
        """Write the page to a stream of bytes."""
        for part in self._parts(self.data(facts)):
            stream.write(part.encode("utf-8"))

    def _parts(self, report: dict[str, Any]) -> Iterator[str]:
        script, styles = page_script(), joined_styles()
        policy = (
            f"default-src 'none'; script-src {csp_hash(script)};"
            f" style-src {csp_hash(styles)} {csp_hash(_QUIET)}; img-src data:;"
            " base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
        )
        still = [
            static_summary(report),
            static_domains(report),
            "<section><h2>Cases</h2>\n",
            *self._static,
            "</section>",
        ]
        yield Template(asset("report.html")).substitute(
            policy=policy,
            version=__version__,
            title=text(self.title),
            subtitle=text(_subtitle(report)),
            styles=styles,
            quiet=_QUIET,
            static="\n".join(still),
            report=embedded_json(report),
            cases=",\n".join(self._rows),
            script=script,
        )


def page_script() -> str:
    """The modules as one plain script, which runs before the rest of the page was read."""
    return f'"use strict";\n{{\n{joined_script()}}}\n'


def _listed(card: Plain, index: int, link: str) -> dict[str, Any]:
    """A case as the list of cases shows it."""
    cited = [source for source in card["sources"] if source.get("cited", True)]
    overalls = [s["overall"] for s in cited if s.get("overall") is not None]
    judgments = (j for source in card["sources"] for j in source["scores"].values())
    tags = card.get("tags")
    return {
        "index": index,
        "link": link,
        "id": card["case"],
        "query": card["query"],
        "tags": " ".join(map(str, tags.values())) if isinstance(tags, dict) else "",
        "sources": len(card["sources"]),
        "cited": len(cited),
        "overall": round(sum(overalls) / len(overalls), 2) if overalls else None,
        "failed": sum(judgment["status"] == "failed" for judgment in judgments),
        "findings": len(card.get("problems", ())),
    }


def _cost(facts: Mapping[str, Any]) -> str | None:
    cost, tokens = facts.get("cost_usd"), facts.get("tokens")
    parts = []
    if isinstance(cost, int | float):
        parts.append(f"${cost:.4f}" if cost else "$0")
    if isinstance(tokens, Mapping) and tokens:
        parts.append(", ".join(f"{n:,} {name} tokens" for name, n in tokens.items()))
    return "; ".join(parts) or None


def _subtitle(report: Mapping[str, Any]) -> str:
    cases, sources = report["summary"]["cases"], report["summary"]["sources"]
    judges = ", ".join(dict.fromkeys(run["judge"] for run in report["runs"])) or "nobody"
    case, source = ("case" if cases == 1 else "cases"), ("source" if sources == 1 else "sources")
    return f"{cases:,} {case}, {sources:,} {source}, judged by {judges}"
