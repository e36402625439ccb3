/* The sources of a case by its metrics: numbers, bars, band names. A row is chosen by its button;
 * a score opens that metric beside the answer.
 */

import { element, foreign, isLinkable } from "./dom.js";
import { judgmentMark } from "./bars.js";
import { chip } from "./palette.js";
import { cut, decimal, hostOf, metricName, percent, sourceName, statusWords } from "./words.js";

export function sourceTable(card, metrics, looks, choice, openMetric) {
  const rows = card.sources.map((source) => sourceRow(source, metrics, looks, choice, openMetric));
  const heads = ["Source", ...metrics.map(metricName), "Overall", "Share of voice"];
  const table = element("table", { class: "source-table stacks", role: "table" },
    element("caption", {}, "Every source by every metric, on the scale 1 to 20. Overall is the mean over the metrics."),
    element("thead", { role: "rowgroup" },
      element("tr", { role: "row" }, heads.map((name) => element("th", { scope: "col", role: "columnheader" }, name)))),
    element("tbody", { role: "rowgroup" }, rows.map((row) => row.node)));
  choice.listen(({ source, metric }) => rows.forEach((row) => row.show(source, metric)));
  return element("div", { class: "table-wrap" }, table);
}

function sourceRow(source, metrics, looks, choice, openMetric) {
  const number = source.source;
  const button = element("button", {
    type: "button",
    class: "source-button",
    "aria-pressed": "false",
    "data-source": number,
    onclick: () => choice.toggleSource(number),
  }, chip(number, looks.get(number)), foreign(cut(sourceName(source), 90), { class: "source-name" }));
  const cells = metrics.map((metric) => metricCell(source, metric, openMetric));
  const node = element("tr", { role: "row" },
    element("th", { scope: "row", role: "rowheader" }, button, addressLine(source)),
    cells.map((cell) => cell.node),
    element("td", { role: "cell", "data-label": "Overall", class: "overall number" }, overallText(source)),
    element("td", { role: "cell", "data-label": "Share of voice", class: "number" }, percent(source.impression.share.word)));
  return {
    node,
    show(chosen, metric) {
      button.setAttribute("aria-pressed", String(chosen === number));
      node.classList.toggle("lit", chosen === number);
      cells.forEach((cell) => cell.show(chosen === number && cell.metric === metric));
    },
  };
}

/* The address under a title: linked only if it leads to the web. */
export function addressLine(source) {
  if (!source.url) return null;
  const text = cut(hostOf(source.url) || source.url, 60);
  const inner = isLinkable(source.url) ? element("a", { href: source.url }, foreign(text)) : foreign(text);
  return element("span", { class: "address" }, inner);
}

export function overallText(source) {
  if (!source.cited) return element("span", { class: "outcome" }, "not cited");
  return source.overall === null ? element("span", { class: "outcome" }, "incomplete") : decimal(source.overall);
}

function metricCell(source, metric, openMetric) {
  const judgment = source.scores[metric];
  const mark = judgmentMark(judgment);
  const label = metricName(metric);
  const opens = Boolean(judgment) && !statusWords(judgment);
  const inner = opens
    ? element("button", {
      type: "button",
      class: "metric-button",
      "aria-pressed": "false",
      "aria-label": `${label} of source ${source.source}: ${judgment.score}${judgment.band ? `, ${judgment.band}` : ""}. Show what it is made of`,
      onclick: () => openMetric(source.source, metric),
    }, mark)
    : mark;
  const node = element("td", { role: "cell", "data-label": label }, inner);
  return { node, metric, show: (on) => opens && inner.setAttribute("aria-pressed", String(on)) };
}
