"""The report's parts: reading results back, adding them up, and putting the page together."""

from __future__ import annotations

import gzip
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import citemark
from citemark.citations import SEVERITIES
from citemark.errors import UsageError
from citemark.report.domains import NO_ADDRESS, Domains
from citemark.report.encoding import embedded_json, encoded_case
from citemark.report.inlining import asset, csp_hash, joined_script, joined_styles
from citemark.report.metrics import Metrics
from citemark.report.page import Report, page_script
from citemark.report.reading import ScorecardError, checked, read_results
from citemark.report.static import static_case, text
from citemark.report.summary import UNSURE_SPAN, Summary
from citemark.rubrics import DEFAULT_METRICS
from reported import HOSTILE, card, failed, hostile_card, scored, source
from running import A, B, file, run


def written(folder: Path, *cards: Any, name: str = "results.jsonl") -> Path:
    return file(folder, name, *cards)


def page_of(*cards: Any, **facts: Any) -> str:
    report = Report(title="Test")
    for each in cards:
        report.add(each)
    return report.html(facts)


# Reading


def test_results_come_back_as_they_were_written(tmp_path: Path) -> None:
    path = written(tmp_path, card("a"), "", card("b"))
    assert list(read_results(str(path))) == [card("a"), card("b")]
    packed = tmp_path / "results.jsonl.gz"
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf" + path.read_bytes()))
    assert list(read_results(str(packed))) == [card("a"), card("b")]


def test_every_scorecard_that_scoring_makes_can_be_read() -> None:
    for case in (A, B, {"query": "q", "answer": "Nothing cited."}):
        plain = citemark.score(case).to_dict()
        assert checked(json.loads(json.dumps(plain))) == plain


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"query": "q", "answer": "a"}', "is a case that was not scored yet; make results with"),
        ('{"schema": 1, "case": "a", "source": 1}', "is a flat row, not a scorecard"),
        ('{"schema": 1, "case": "a"', "is not JSON; was the file cut off?"),
        ("[1]", "is not a scorecard, which is a JSON object"),
        ('{"schema": 2, "sources": []}', "was made by a newer Citemark; upgrade"),
        ('{"schema": "x", "sources": []}', "is not a scorecard; make results with"),
        ("case,source,relevance", "is not JSON"),
        ("[" * 5000, "is not JSON"),
    ],
)
def test_a_line_that_is_no_scorecard_is_told_with_its_place(
    tmp_path: Path, line: str, told: str
) -> None:
    path = written(tmp_path, card(), line)
    complaints: list[str] = []
    assert len(list(read_results(str(path), complaints.append))) == 1
    assert len(complaints) == 1
    assert complaints[0].startswith(f"{path}:2: {told}")
    with pytest.raises(UsageError, match=re.escape(f"{path}:2: ")):
        list(read_results(str(path)))


@pytest.mark.parametrize(
    "damage",
    [
        {"case": 7},
        {"answer": None},
        {"sentences": None},
        {"sentences": [{"start": 0, "end": 10_000, "sources": []}]},
        {"sentences": [{"start": 5, "end": 2, "sources": []}]},
        {"sentences": [{"start": 0, "end": 1, "sources": ["1"]}]},
        {"problems": [{"code": "x", "start": -1, "end": 0}]},
        {"sources": [{"source": "1", "scores": {}}]},
        {"sources": [{"source": 1, "scores": {"count": {"status": "good"}}}]},
        {"sources": [{"source": 1, "scores": {"count": scored("count", "11111", score=21)}}]},
        {"sources": [{"source": 1, "scores": {"count": failed("timeout") | {"score": 3}}}]},
        {"sources": [{"source": 1, "scores": {}, "overall": "high"}]},
        {"sources": [{"source": 1, "scores": {"count": scored("count", "11111", interval=[1])}}]},
    ],
)
def test_a_damaged_scorecard_is_refused_not_shown(damage: dict[str, Any]) -> None:
    assert checked(card()) == card()
    with pytest.raises(ScorecardError, match=r"score the case again$"):
        checked(card() | damage)


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    broken = tmp_path / "cut.jsonl.gz"
    broken.write_bytes(gzip.compress(b"x" * 5000)[:20])
    for path, told in (
        (tmp_path / "none.jsonl", "no such file"),
        (tmp_path / "results.csv", "is not a results file"),
        (broken, "cannot be read"),
    ):
        with pytest.raises(UsageError, match=told):
            list(read_results(str(path)))


# Adding up


def test_the_summary_counts_by_status_and_reason() -> None:
    summary = Summary()
    for name in "abc":
        summary.add(card(name), name)
    data = summary.to_dict()
    assert (data["cases"], data["queries"], data["sources"], data["cited"]) == (3, 1, 12, 9)
    assert data["judgments"] == {"scored": 42, "not_cited": 15, "failed": {"timeout": 3}}
    assert data["findings"] == 6
    assert data["unsure"] == 15  # source 2: five intervals of 4 to 15 in each case
    assert data["distributions"]["relevance"] == [0] * 4 + [3] + [0] * 3 + [3] + [0] * 8 + [3, 0, 0]
    assert sum(map(sum, data["distributions"].values())) == 42  # failures are no scores


def test_means_say_over_how_many_of_how_many() -> None:
    summary = Summary()
    summary.add(card(), "pot")
    means = {name: (cited, listed) for name, cited, listed in summary.means()}
    assert list(means) == [*DEFAULT_METRICS, "overall"]
    cited, listed = means["relevance"]
    assert (cited.n, cited.of, cited.mean) == (3, 3, 32 / 3)
    assert (listed.n, listed.of, listed.mean) == (4, 4, 8.25)
    count, _ = means["count"]
    assert (count.mean, count.n, count.of) == (13.5, 2, 3)
    overall, _ = means["overall"]
    assert (overall.n, overall.of) == (2, 3)
    assert all(mean.interval is None for pair in means.values() for mean in pair)


def test_from_five_queries_on_means_have_an_interval() -> None:
    summary = Summary()
    for n in range(4):
        summary.add(card(str(n), query=f"query {n}"), str(n))
        summary.add(card(f"{n}b", query=f"query {n}"), str(n))
    assert summary.to_dict()["means"][0]["cited"]["interval"] is None
    strong = {m: scored(m, "44444") for m in DEFAULT_METRICS}
    summary.add(card("5", query="another", sources=[source(1, strong, words=9)]), "5")
    cited = summary.to_dict()["means"][0]["cited"]
    assert cited["interval"][0] < cited["mean"] < cited["interval"][1]


def test_strongest_and_weakest_share_no_source() -> None:
    summary = Summary()
    for n in range(3):
        scores = {m: scored(m, f"{n + 1}1111") for m in DEFAULT_METRICS}
        summary.add(card(str(n), sources=[source(1, scores, words=5, title=f"T{n}")]), str(n))
    strongest, weakest = summary.extremes()
    assert [e.name for e in strongest] == ["T2", "T1"]
    assert [e.name for e in weakest] == ["T0"]


def test_domains_add_up_across_cases() -> None:
    domains = Domains()
    for n in range(2):
        domains.add(card(str(n)), n)
    rows = {row["name"]: row for row in domains.to_dict(DEFAULT_METRICS)["domain"]}
    boil = rows["boil.example.org"]  # with and without www
    assert (boil["listed"], boil["cited"], boil["cases"]) == (2, 2, [0, 1])
    assert boil["voice"] == pytest.approx(21 / 30)
    assert boil["means"][0] == (11.5, 4)
    assert boil["means"][4] == (18.0, 2)  # the failed judgments take no part
    assert boil["overall"] == (18.0, 2)
    absent = rows[NO_ADDRESS]
    assert (absent["listed"], absent["cited"], absent["voice"]) == (2, 0, 0.0)
    assert absent["means"] == [None] * 5
    assert sum(row["voice"] for row in rows.values()) == pytest.approx(1)


def test_pages_are_told_apart_by_key_or_address() -> None:
    domains = Domains()
    data = card()
    data["sources"][0]["key"] = "our-page"
    data["sources"][1] |= {"url": None, "key": "our-page"}
    domains.add(data, 0)
    pages = {row["name"]: row["listed"] for row in domains.to_dict(DEFAULT_METRICS)["page"]}
    assert pages == {"our-page": 1, "boil.example.org/c": 1, NO_ADDRESS: 1}


# The page


def test_embedded_json_can_neither_close_nor_open_a_script() -> None:
    hostile = [HOSTILE, "\ud800", "]]>", "\u2029"]
    embedded = embedded_json(hostile)
    assert not re.search("[<>&\u2028\u2029\ud800-\udfff]", embedded)
    assert json.loads(embedded) == hostile


def test_the_compact_form_holds_failures_as_words() -> None:
    metrics = Metrics()
    metrics.note(card())
    row = encoded_case(card(), metrics)
    count = DEFAULT_METRICS.index("count")
    judgments = [item[6][count] for item in row[7]]
    assert judgments[0][0] == 18
    assert judgments[2] == "timeout"
    assert judgments[3] == 0
    assert row[7][0][7] == [[1, 2]]  # five lists of evidence that are the same stand once


def test_a_rubric_of_the_same_name_but_other_subscores_is_not_quoted() -> None:
    data = card()
    data["sources"][0]["scores"] = {"relevance": scored("influence", "11111")}
    data["sources"] = data["sources"][:1]
    metrics = Metrics()
    metrics.note(data)
    assert metrics["relevance"].ids == ("I1", "I2", "I3", "I4", "I5")
    assert metrics["relevance"].rubric is None


class _Tags(HTMLParser):
    """Every element that the page itself opens, as a browser without scripts sees it."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_hostile_texts_open_no_element_in_the_page() -> None:
    parser = _Tags()
    parser.feed(page_of(hostile_card()))
    names = [tag for tag, _ in parser.tags]
    assert names.count("script") == 3
    assert not {"img", "svg", "iframe", "base", "textarea", "object"} & set(names)
    assert sum("onerror" in attrs or "onload" in attrs for _, attrs in parser.tags) == 0
    links = [attrs.get("href") or "" for tag, attrs in parser.tags if tag == "a"]
    assert not [link for link in links if not link.startswith(("#", "http"))]
    assert not [attrs for _, attrs in parser.tags if "style" in attrs]
    assert text("\x00<\u202e") == "\ufffd&lt;\u202e"


def test_the_policy_allows_the_pages_own_script_and_style_only() -> None:
    page = page_of(card())
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == csp_hash(page_script())
    assert "unsafe" not in policy[1]
    assert csp_hash(joined_styles()) in rules["style-src"]
    assert f"<style>{joined_styles()}</style>" in page
    assert f"<script>{page_script()}</script>" in page


def test_modules_are_joined_after_what_they_import_with_unique_names() -> None:
    script = joined_script()
    assert not re.search(r"^\s*(import|export)\b", script, re.MULTILINE)
    assert "</script" not in script
    assert "<!--" not in script
    names = re.findall(r"^(?:async )?(?:function|const|let|class) ([\w$]+)", script, re.MULTILINE)
    assert len(names) == len(set(names))
    assert script.index("function element(") < script.index("function themeSwitch(")


def test_no_module_turns_text_into_markup() -> None:
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval("):
        assert forbidden not in joined_script()
    assert "url(" not in joined_styles()
    assert "@import" not in joined_styles()


def test_python_and_the_page_agree_on_what_they_both_know() -> None:
    findings, words = asset("scripts/findings.js"), asset("scripts/words.js")
    for name, severity in (("ERRORS", "error"), ("NOTES", "note")):
        listed = re.search(rf"const {name} = new Set\(\[(.*?)\]\)", findings)
        assert listed
        codes = set(re.findall(r'"(\w+)"', listed[1]))
        assert codes == {code for code, weight in SEVERITIES.items() if weight == severity}
    assert f"const UNSURE_SPAN = {UNSURE_SPAN};" in words


def test_without_scripts_statuses_are_words_and_failures_no_numbers() -> None:
    still = static_case(card(), DEFAULT_METRICS)
    assert "<td>failed: timeout</td>" in still
    assert still.count("<td>not cited</td>") == 6
    assert "<td>incomplete</td>" in still
    assert '<a rel="noopener noreferrer" href="https://peak.example.com/b">' in still
    assert "(4–15)" in still


def test_the_same_id_twice_gets_two_addresses() -> None:
    report = Report()
    for _ in range(3):
        report.add(card("same"))
    assert [row["link"] for row in report.data()["cases"]] == ["same", "same~2", "same~3"]


def test_the_page_says_what_the_run_cost() -> None:
    page = page_of(card(), cost_usd=0.0123, tokens={"input": 1200, "output": 90})
    assert "$0.0123; 1,200 input tokens, 90 output tokens" in page


def test_a_thousand_cases_stay_under_fifteen_megabytes() -> None:
    filler = " ".join(f"word{n}" for n in range(160))
    report = Report()
    for n in range(1000):
        data = card(f"case-{n}", query=f"query {n} {filler[:80]}")
        data["answer"] += f"\n\n{filler}"
        data["sources"] = [s | {"source": i + 1} for i, s in enumerate(data["sources"] * 2)]
        report.add(data)
    assert len(report.html()) < 15_000_000


# The commands


def test_report_writes_a_page_beside_the_results(tmp_path: Path) -> None:
    path = written(tmp_path, card("a"), card("b"))
    manifest = {"cost_usd": 1.5, "tokens": None, "inputs": ["mountain.jsonl"]}
    (tmp_path / "results.jsonl.manifest.json").write_text(json.dumps(manifest))
    done = run("report", path)
    assert (done.code, done.out) == (0, "")
    page = (tmp_path / "results.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "$1.5000" in page
    assert "mountain.jsonl" in page


def test_report_goes_on_after_a_bad_line_and_says_so(tmp_path: Path) -> None:
    path = written(tmp_path, card(), "{")
    done = run("report", path, "-o", tmp_path / "r.html", "--title", "Tea & <cake>")
    assert done.code == 1
    assert f"{path}:2: is not JSON" in done.err
    assert '<h1 dir="auto">Tea &amp; &lt;cake&gt;</h1>' in (tmp_path / "r.html").read_text("utf-8")


def test_report_refuses_what_holds_no_results(tmp_path: Path) -> None:
    cases = file(tmp_path, "cases.jsonl", A, B)
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    for path, told in ((cases, "is a case that was not scored yet"), (empty, "is empty")):
        done = run("report", path, "-o", tmp_path / "r.html")
        assert done.code == 2
        assert told in done.err
        assert not (tmp_path / "r.html").exists()
    done = run("report", written(tmp_path, card()), "-o", tmp_path / "r.pdf")
    assert (done.code, "a report is written as .html" in done.err) == (2, True)


def test_score_writes_a_report_by_its_ending(tmp_path: Path) -> None:
    cases = file(tmp_path, "cases.jsonl", A, B)
    done = run("score", cases, "-o", tmp_path / "tea.html")
    assert done.code == 0
    page = (tmp_path / "tea.html").read_text("utf-8")
    assert "<title>tea · Citemark</title>" in page
    assert "All about tea" in page
    assert (tmp_path / "tea.html.manifest.json").exists()


def test_the_demo_writes_a_report(tmp_path: Path) -> None:
    done = run("demo", cwd=tmp_path)
    assert done.code == 0
    assert "citemark-demo.html" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["citemark-demo.html"]
