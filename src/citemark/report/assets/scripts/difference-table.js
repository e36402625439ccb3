/* The rows of a comparison by all metrics, sortable and to be searched.
 *
 *   differenceTable(rows, metrics, { unit: "query", caption, tools: true })      an element
 *
 * Without a unit the rows are those of one case. Roles are given because on a phone the table
 * is laid out as blocks, which would take them away.
 */

import { element, foreign, replace } from "./dom.js";
import { caseText, changeNode, countText, fromTo, headingOf, intervalText, reachOf, whiskers } from "./differences.js";
import { counted } from "./words.js";

const STATUSES = ["both", "new", "gone"];

const PAGE_OF_ROWS = 50;

export function differenceTable(rows, metrics, { unit = null, caption, head = "Source", tools = false, chips = null }) {
  const reaches = reachesOf(rows, metrics);
  const state = { metric: null, down: true, words: "", clear: false };
  const body = element("tbody", { role: "rowgroup" });
  const none = element("p", { class: "muted", role: "status" });
  const rest = element("div", { class: "rest" });
  const lines = new Map(); // a row is built when it is first shown
  const lineOf = (row) => {
    if (!lines.has(row)) lines.set(row, rowNode(row, metrics, reaches, unit, chips));
    return lines.get(row);
  };
  const heads = metrics.map((metric) => headNode(metric, state, refresh));
  function refresh() {
    const kept = inOrder(rows.filter((row) => isWanted(row, state)), state);
    replace(body);
    inPages(kept, PAGE_OF_ROWS, rest, "row", (row) => body.append(lineOf(row)));
    none.textContent = kept.length ? "" : "No row fits; show all or change the search.";
    heads.forEach((node, i) => node.setAttribute("aria-sort", ariaSort(metrics[i], state)));
  }
  refresh();
  const table = element("table", { class: "differences", role: "table" },
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, head), heads)), body);
  return element("div", { class: "difference-rows" },
    tools && rows.length > 1 && toolbar(rows, state, refresh),
    element("div", { class: "table-wrap" }, table), none, rest);
}

/* Show a list piece by piece: what is left waits behind a button. */
export function inPages(items, size, rest, noun, show) {
  items.slice(0, size).forEach(show);
  const left = items.slice(size);
  replace(rest, left.length > 0 && element("button", {
    type: "button", class: "button", onclick: () => inPages(left, 4 * size, rest, noun, show),
  }, `Show more (${counted(left.length, noun)} left)`));
}

function reachesOf(rows, metrics) {
  const of = (names) => reachOf(rows.flatMap((row) => names.map((metric) => row.figures[metric])));
  const scores = metrics.filter((metric) => metric !== "share");
  const reach = scores.length ? of(scores) : 1;
  return Object.fromEntries(metrics.map((metric) => [metric, metric === "share" ? of(["share"]) : reach]));
}

function rowNode(row, metrics, reaches, unit, chips) {
  const place = row.case && row.case !== row.name ? row.case : row.key;
  const head = element("th", { scope: "row", role: "rowheader" },
    chips && chips(row),
    element("span", { class: "row-name" }, foreign(row.name)),
    row.status !== "both" && element("span", { class: `tag status-${row.status}` }, row.status),
    place && place !== row.name && element("span", { class: "row-place small muted" }, foreign(place)),
    element("span", { class: "row-count small muted" }, unit ? countText(row, unit) : caseText(row)));
  return element("tr", { "data-key": row.key, role: "row" }, head, metrics.map((metric) => {
    const figure = row.figures[metric];
    return element("td", { role: "cell", "data-label": headingOf(metric) },
      row.status === "both" && changeNode(figure, metric), fromTo(figure, metric), whiskers(figure, reaches[metric]),
      figure.interval && element("span", { class: "interval small muted" }, intervalText(figure, metric)));
  }));
}

function headNode(metric, state, refresh) {
  const press = () => {
    state.down = state.metric === metric ? !state.down : true;
    state.metric = metric;
    refresh();
  };
  return element("th", { scope: "col" }, element("button", { type: "button", class: "sort", onclick: press }, headingOf(metric)));
}

function ariaSort(metric, { metric: by, down }) {
  if (metric !== by) return "none";
  return down ? "descending" : "ascending";
}

/* By the difference in a metric; what has none comes last either way. */
function inOrder(rows, { metric, down }) {
  if (!metric) return rows;
  const value = (row) => row.figures[metric].difference;
  const order = (a, b) => (down ? value(b) - value(a) : value(a) - value(b));
  const [known, unknown] = [rows.filter((r) => value(r) !== null), rows.filter((r) => value(r) === null)];
  return [...known.sort(order), ...unknown];
}

function isWanted(row, { words, clear }) {
  const text = `${row.name} ${row.key} ${row.case ?? ""} ${row.status}`.toLowerCase();
  if (words && !text.includes(words)) return false;
  return !clear || row.status !== "both" || Object.values(row.figures).some((figure) => figure.clear);
}

function toolbar(rows, state, refresh) {
  const choose = (clear) => {
    state.clear = clear;
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(Boolean(i) === clear)));
    refresh();
  };
  const buttons = ["All", "Clear changes"].map((name, i) =>
    element("button", { type: "button", "aria-pressed": String(i === 0), onclick: () => choose(Boolean(i)) }, name));
  const search = (event) => {
    state.words = event.target.value.trim().toLowerCase();
    refresh();
  };
  const counts = STATUSES.map((status) => [rows.filter((row) => row.status === status).length, status])
    .filter(([n]) => n).map(([n, status]) => `${n} ${status === "both" ? "on both sides" : status}`);
  return element("div", { class: "toolbar" },
    element("label", { class: "field grow" }, `Find among ${counted(rows.length, "row")} (${counts.join(", ")})`,
      element("input", { type: "search", oninput: search })),
    element("div", { class: "segmented", role: "group", "aria-label": "Which rows" }, buttons));
}
