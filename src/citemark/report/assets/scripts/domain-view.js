/* Sources across cases, grouped by domain or by page; every column sorts. */

import { element, foreign, replace, svg } from "./dom.js";
import { bandNumber } from "./bars.js";
import { counted, decimal, metricName, percent } from "./words.js";

/* how many rows are shown at first; a phone would scroll for ever */
function firstRows() {
  return matchMedia("(max-width: 46rem)").matches ? 8 : 25;
}

function columnsFor(metrics, grouping) {
  return [
    { name: grouping === "domain" ? "Domain" : "Page", value: (row) => row.name.toLowerCase(), text: true },
    { name: "Listed in", value: (row) => row.listed },
    { name: "Citation rate", value: (row) => row.cited / row.listed },
    { name: "Share of voice", value: (row) => row.voice },
    ...metrics.map((metric, i) => ({ name: metricName(metric), value: (row) => row.means[i]?.[0] ?? null, metric: i })),
    { name: "Overall", value: (row) => row.overall?.[0] ?? null, overall: true },
  ];
}

export function domainView(report, showCases) {
  const state = { grouping: "domain", column: 3, up: false, all: false };
  const place = element("div");
  const draw = () => replace(place, table(report, state, draw, showCases));
  const group = element("div", { class: "segmented", role: "group", "aria-label": "Group sources by" },
    [["domain", "Domain"], ["page", "Page"]].map(([value, name]) => element("button", {
      type: "button", "aria-pressed": String(value === state.grouping), "data-grouping": value,
      onclick: (event) => {
        Object.assign(state, { grouping: value, all: false });
        [...event.currentTarget.parentNode.children].forEach((each) => each.setAttribute("aria-pressed", String(each.dataset.grouping === value)));
        draw();
      },
    }, name)));
  draw();
  return element("section", { class: "across", id: "across", "aria-labelledby": "across-title" },
    element("div", { class: "section-line" }, element("h2", { id: "across-title", tabindex: "-1" }, "Across cases"), group),
    element("p", { class: "soft lead" },
      "Share of voice: the part of all words credited to cited sources. Citation rate: in how many of the answers that had it the source is cited. Means are over the cited."),
    element("div", { class: "card" }, place));
}

function sorted(rows, column, up) {
  const sign = up ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    if (x === null || y === null) return (x === null) - (y === null); // without a score: last, either way
    return x < y ? -sign : x > y ? sign : 0;
  });
}

function table(report, state, draw, showCases) {
  const rows = report.domains[state.grouping];
  if (!rows.length) {
    return element("div", { class: "state empty" }, element("strong", {}, "No sources"), element("p", {}, "None of the cases lists or cites a source."));
  }
  const columns = columnsFor(report.metrics, state.grouping);
  const shown = sorted(rows, columns[state.column], state.up);
  const visible = state.all ? shown : shown.slice(0, firstRows());
  const most = Math.max(...rows.map((row) => row.voice)) || 1;
  const heads = columns.map((column, i) => headCell(column, i, state, draw));
  const node = element("table", { class: "domain-table stacks", role: "table" },
    element("caption", {}, `${counted(rows.length, state.grouping)}${rows.length > visible.length ? `, the first ${visible.length} shown` : ""}`),
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, heads)),
    element("tbody", { role: "rowgroup" }, visible.map((row) => domainRow(row, columns, showCases, most))));
  const more = rows.length > visible.length && element("button", {
    type: "button", class: "button", onclick: () => { state.all = true; draw(); },
  }, `Show all ${rows.length.toLocaleString("en")}`);
  return [sortField(columns, state, draw), element("div", { class: "table-wrap" }, node), more];
}

/* On a phone the head of the table is not shown; this takes its place. */
function sortField(columns, state, draw) {
  const select = element("select", { onchange: (event) => {
    const column = Number(event.target.value);
    Object.assign(state, { column, up: Boolean(columns[column].text) });
    draw();
  } }, columns.map(({ name }, i) => element("option", { value: i, selected: i === state.column }, name)));
  return element("label", { class: "field narrow-only" }, "Sort by", select);
}

function headCell(column, i, state, draw) {
  const current = i === state.column;
  return element("th", { scope: "col", role: "columnheader", "aria-sort": current ? (state.up ? "ascending" : "descending") : null },
    element("button", {
      type: "button", class: "sort", "data-column": column.name,
      onclick: () => {
        Object.assign(state, { column: i, up: current ? !state.up : Boolean(column.text) });
        draw();
        document.querySelector(`.domain-table .sort[data-column="${CSS.escape(column.name)}"]`)?.focus();
      },
    }, column.name));
}

function domainRow(row, columns, showCases, most) {
  const cells = columns.slice(1).map((column) => element("td", {
    role: "cell", "data-label": column.name, class: column.overall ? "number overall" : "number",
  }, cellText(row, column, most)));
  return element("tr", { role: "row" },
    element("th", { scope: "row", role: "rowheader" }, element("button", {
      type: "button", class: "link", title: "Show the cases with it", onclick: () => showCases(row.name, row.cases),
    }, foreign(row.name))), cells);
}

function cellText(row, column, most) {
  if (column.name === "Listed in") return counted(row.listed, "case");
  if (column.name === "Citation rate") return [percent(row.cited / row.listed), element("span", { class: "small muted" }, ` ${row.cited} of ${row.listed}`)];
  if (column.name === "Share of voice") return [element("span", {}, percent(row.voice, 1)), voiceBar(row.voice / most)];
  const pair = column.overall ? row.overall : row.means[column.metric];
  if (!pair || pair[0] === null) return element("span", { class: "muted" }, row.cited ? "no score" : "not cited");
  return element("span", { class: "mean-cell", title: `mean of ${counted(pair[1], "score")}` },
    element("span", { class: `swatch band-back-${bandNumber(pair[0])}`, "aria-hidden": "true" }), decimal(pair[0]),
    element("span", { class: "small muted" }, ` n ${pair[1]}`));
}

function voiceBar(part) {
  return svg("svg", { class: "bar", width: "100%", height: 6, "aria-hidden": "true" },
    svg("rect", { class: "track", width: "100%", height: 6, rx: 2 }),
    svg("rect", { class: "voice", width: `${(100 * part).toFixed(2)}%`, height: 6, rx: 2 }));
}
