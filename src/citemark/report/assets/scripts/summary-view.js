/* The summary of a run: counts, how it was made, means with their n, spreads, best and weakest. */

import { element, foreign, svg } from "./dom.js";
import { distributionChart } from "./distribution-chart.js";
import { counted, cut, decimal, metricName, reasonName } from "./words.js";

export function summaryView(report) {
  const { summary } = report;
  const spreads = report.metrics.map((metric) => distributionChart(metric, summary.distributions[metric], report.rubrics[metric]));
  return element("section", { class: "summary", id: "summary", "aria-labelledby": "summary-title" },
    element("h2", { id: "summary-title", tabindex: "-1" }, "Summary"),
    tiles(summary),
    spreads.length ? [meansCard(summary), spreadsPart(spreads), extremes(summary)] : nothingScored(),
    madeBy(report));
}

function nothingScored() {
  return element("div", { class: "state empty" }, element("strong", {}, "Nothing to score"),
    element("p", {}, "None of the answers lists or cites a source, so there are no means and no spreads to show."));
}

function spreadsPart(spreads) {
  return element("div", { class: "distributions" },
    element("div", { class: "section-head" }, element("h3", {}, "How the scores are spread"),
      element("p", { class: "soft" }, "Every score that a cited source was given, on the scale 1 to 20. Dotted lines part the rubric's bands; a fuller blue is a higher band.")),
    spreads);
}

function tile(figure, caption, more) {
  return element("div", { class: "card tile" },
    element("span", { class: "figure" }, figure), element("span", { class: "caption" }, caption), more);
}

function tiles(summary) {
  const { judgments } = summary;
  const failed = Object.entries(judgments.failed);
  const failures = failed.reduce((sum, [, n]) => sum + n, 0);
  const queries = summary.queries === summary.cases ? null : element("span", { class: "small muted" }, `${counted(summary.queries, "query", "queries")}`);
  return element("div", { class: "tiles" },
    tile(summary.cases.toLocaleString("en"), summary.cases === 1 ? "case" : "cases", queries),
    tile(summary.sources.toLocaleString("en"), "sources listed", element("span", { class: "small muted" }, `${summary.cited.toLocaleString("en")} of them cited`)),
    tile(judgments.scored.toLocaleString("en"), "judgments scored", summary.unsure > 0 && element("span", { class: "small muted" }, `${summary.unsure.toLocaleString("en")} of them unsure`)),
    tile(judgments.not_cited.toLocaleString("en"), "not cited", element("span", { class: "small muted" }, "no judge was asked")),
    element("div", { class: `card tile ${failures ? "failures" : ""}` },
      element("span", { class: "figure" }, failures.toLocaleString("en")),
      element("span", { class: "caption" }, "failed"),
      failures ? element("ul", { class: "small" }, failed.map(([reason, n]) => element("li", {}, `${reasonName(reason)}: ${n.toLocaleString("en")}`)))
        : element("span", { class: "small muted" }, "no judgment was lost")),
    tile(summary.findings.toLocaleString("en"), "findings about citations", summary.uncited_cases > 0
      && element("span", { class: "small muted" }, `${counted(summary.uncited_cases, "answer")} cite${summary.uncited_cases === 1 ? "s" : ""} nothing`)));
}

function meansCard(summary) {
  const rows = summary.means.map(({ metric, cited, listed }) => element("tr", { role: "row", class: metric === "overall" ? "overall-row" : null },
    element("th", { scope: "row", role: "rowheader" }, metricName(metric)),
    meanCells(cited, "Cited sources"), meanCells(listed, "All listed sources")));
  const heads = ["Metric", "Mean, cited sources", "Mean, all listed sources"];
  const note = summary.means.some(({ cited }) => cited.interval)
    ? "In brackets and as whiskers: 95 % bootstrap interval over queries. A listed source that is not cited counts as 1."
    : "No interval: that takes at least five queries. A listed source that is not cited counts as 1.";
  return element("div", { class: "card" }, element("h3", {}, "Means"),
    element("div", { class: "table-wrap" }, element("table", { class: "means stacks", role: "table" },
      element("caption", {}, note),
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, heads.map((name) => element("th", { scope: "col", role: "columnheader" }, name)))),
      element("tbody", { role: "rowgroup" }, rows))));
}

function meanCells({ mean, interval, n, of }, label) {
  const range = interval ? `[${decimal(interval[0])}, ${decimal(interval[1])}]` : "";
  const size = `n ${n.toLocaleString("en")}${n === of ? "" : ` of ${of.toLocaleString("en")}`}`;
  return element("td", { role: "cell", "data-label": label },
    mean === null ? element("span", { class: "muted" }, `no score, ${size}`)
      : element("span", { class: "mean" },
        element("span", { class: "mean-figure number" }, decimal(mean)), meanMark(mean, interval),
        element("span", { class: "small soft number" }, element("span", { class: "nowrap" }, range), " ", element("span", { class: "nowrap muted" }, size))));
}

function meanMark(mean, interval) {
  const at = (score) => `${(((score - 1) / 19) * 100).toFixed(2)}%`;
  return svg("svg", { class: "mean-mark", width: "100%", height: 14, "aria-hidden": "true" },
    svg("line", { class: "lane-line", x1: 0, x2: "100%", y1: 7, y2: 7 }),
    interval && svg("line", { class: "mean-range", x1: at(interval[0]), x2: at(interval[1]), y1: 7, y2: 7 }),
    svg("circle", { class: "mean-dot", cx: at(mean), cy: 7, r: 4.5 }));
}

function extremes(summary) {
  if (!summary.strongest.length) return null;
  return element("div", { class: "extremes" },
    extremeCard("Strongest sources", summary.strongest), summary.weakest.length > 0 && extremeCard("Weakest sources", summary.weakest));
}

function extremeCard(title, entries) {
  const items = entries.map(({ link, source, name, overall, query }) => element("li", {},
    element("span", { class: "extreme-score number" }, decimal(overall)),
    element("span", { class: "extreme-text" },
      element("a", { href: `#case-${encodeURIComponent(link)}` }, foreign(cut(name, 90))),
      element("span", { class: "small muted" }, `Source ${source} in `, foreign(cut(query, 90))))));
  return element("div", { class: "card" }, element("h3", {}, title),
    element("p", { class: "small muted" }, "By overall score, among cited sources"), element("ol", { class: "extreme-list" }, items));
}

function madeBy(report) {
  const line = (name, value) => value !== null && value !== undefined && value !== ""
    && [element("dt", {}, name), element("dd", {}, value)];
  const runs = report.runs.map(({ judge, mode, signature, cases }) => [
    line("Judge", foreign(judge)),
    line("Mode", mode && foreign(mode)),
    report.runs.length > 1 && line("Cases", cases.toLocaleString("en")),
    line("Signature", element("code", {}, foreign(signature))),
  ]);
  return element("div", { class: "card made" }, element("h3", {}, "How it was made"),
    element("dl", {}, runs, line("Cost", report.cost), line("Results from", report.origin && foreign(report.origin)),
      line("Report made", `${report.made}, Citemark ${report.version}`)));
}
