/* Two sides of a comparison: totals, every source by every metric, and each case with both
 * answers beside each other.
 *
 *   renderComparison(node, data)      fills a node; data is what citemark.comparison gives
 *                                     (comparison_data or compare_two)
 */

import { element, foreign, replace } from "./dom.js";
import { answerView } from "./answer-view.js";
import { makeChoice } from "./choice.js";
import { changeNode, countText, fromTo, headingOf, intervalText, reachOf, whiskers } from "./differences.js";
import { differenceTable, inPages } from "./difference-table.js";
import { chip, HUES } from "./palette.js";
import { capital, counted } from "./words.js";

export function renderComparison(node, data) {
  node.classList.add("comparison");
  const single = data.cases.length === 1;
  replace(node,
    remarks(data.remarks),
    !single && totals(data),
    !single && rowsSection(data),
    casesSection(data, single),
    unmatched(data));
  return node;
}

function remarks(all) {
  return all.length > 0 && element("ul", { class: "remarks", "aria-label": "What to know first" },
    all.map(({ level, text }) => element("li", { class: `remark ${level}` },
      element("strong", {}, level === "warning" ? "Warning: " : "Note: "), foreign(text))));
}

/* The mean over all sources on both sides, metric by metric. */
function totals({ total, metrics }) {
  const reach = reachOf(metrics.filter((m) => m !== "share").map((m) => total.figures[m]));
  const tiles = metrics.map((metric) => {
    const figure = total.figures[metric];
    const own = metric === "share" ? reachOf([figure]) : reach;
    return element("li", { class: "card tile total" },
      element("span", { class: "eyebrow" }, headingOf(metric)),
      element("span", { class: "figure" }, changeNode(figure, metric)),
      element("span", { class: "caption" }, fromTo(figure, metric)),
      whiskers(figure, own),
      figure.interval && element("span", { class: "caption" }, `95 %: ${intervalText(figure, metric)}`));
  });
  return element("section", { class: "totals", "aria-labelledby": "totals-heading" },
    element("h2", { id: "totals-heading" }, "All sources"),
    element("p", { class: "soft" }, `Means over the sources on both sides: ${countText(total, "query")}.`),
    element("ul", { class: "tiles" }, tiles));
}

function rowsSection(data) {
  const names = { source: "Source by source", domain: "Domain by domain", case: "Case by case" };
  const unit = data.by === "case" ? "source" : "query";
  return element("section", { "aria-labelledby": "rows-heading" },
    element("h2", { id: "rows-heading" }, names[data.by]),
    element("div", { class: "card" }, differenceTable(data.rows, data.metrics, {
      unit, tools: true, caption: legend(data), head: capital(data.by),
    })));
}

function legend({ rows }) {
  const sure = rows.some((row) => Object.values(row.figures).some((figure) => figure.interval));
  return sure
    ? "Whiskers are 95 % intervals (bootstrap over queries). * and bold: the interval leaves out 0."
    : "Intervals need at least five queries.";
}

const PAGE_OF_CASES = 50;

function casesSection(data, open) {
  if (!data.cases.length) return null;
  const list = element("div", { class: "pair-list" });
  const rest = element("div", { class: "rest" });
  const view = open ? pairView : foldedPair;
  inPages(data.cases, PAGE_OF_CASES, rest, "case", (pair) => list.append(view(pair, data.metrics)));
  return element("section", { class: "pairs", "aria-labelledby": "pairs-heading" },
    element("h2", { id: "pairs-heading" }, open ? "Side by side" : "Answers side by side"), list, rest);
}

/* A case is built when it is opened: a comparison may hold a thousand. */
function foldedPair(pair, metrics) {
  const main = metrics.includes("overall") ? "overall" : metrics[0];
  const fold = element("details", { class: "card pair-fold" },
    element("summary", {}, element("span", { class: "pair-query" }, foreign(pair.query)),
      element("span", { class: "small" }, `${headingOf(main)} `, changeNode(pair.figures[main], main)),
      element("span", { class: "small muted mono" }, foreign(pair.case))));
  fold.addEventListener("toggle", () => {
    if (fold.open && fold.children.length === 1) fold.append(pairView(pair, metrics));
  });
  return fold;
}

function pairView(pair, metrics) {
  const links = pair.rows.map((row, i) => ({
    row, look: { hue: i % HUES, weave: Math.floor(i / HUES) % 4 }, numbers: row.numbers,
  }));
  const sides = [0, 1].map((side) => sideView(pair, links, side));
  join(sides, links);
  const chips = (row) => chooser(links.find((link) => link.row === row), sides);
  return element("div", { class: "pair" },
    pair.query !== pair.after_query && element("p", { class: "soft" }, "Asked after: ", foreign(pair.after_query)),
    differenceTable(pair.rows, metrics, {
      chips, caption: "Numbers: the source in the answer before, and in the answer after.",
    }),
    element("div", { class: "pair-answers" }, sides.map((side) => side.node)));
}

function sideView(pair, links, side) {
  const name = side ? "after" : "before";
  const looks = new Map();
  for (const { look, numbers } of links) if (numbers[side] !== null) looks.set(numbers[side], look);
  const { answer, sentences } = pair[name];
  const card = {
    answer, problems: [],
    sentences: sentences.map((s, n) => ({ ...s, n, sources: s.sources ?? [], block_sources: s.block_sources ?? [] })),
    sources: [...looks.keys()].map((source) => ({ source, scores: {} })),
  };
  const choice = makeChoice();
  const view = answerView(card, looks, choice);
  const repeats = pair.repeats[side];
  const node = element("section", { class: "pair-side", "aria-label": `Answer ${name}` },
    element("h3", { class: "eyebrow" }, name === "before" ? "Before" : "After",
      repeats > 1 && ` (the first of ${counted(repeats, "repeat")})`),
    view.node);
  return { node, choice };
}

/* Choosing a source on one side chooses it on the other. */
function join(sides, links) {
  let busy = false;
  sides.forEach(({ choice }, side) => choice.listen(({ source }) => {
    if (busy) return;
    busy = true;
    const link = source === null ? null : links.find(({ numbers }) => numbers[side] === source);
    sides[1 - side].choice.set(link?.numbers[1 - side] ?? null);
    busy = false;
  }));
}

/* The numbers of a source as a button that lights its sentences in both answers. */
function chooser({ row, look, numbers }, sides) {
  if (numbers.every((n) => n === null)) return null; // only in repeats that are not shown
  const side = numbers[0] === null ? 1 : 0;
  const { choice } = sides[side];
  const button = element("button", {
    type: "button", class: "pair-choose", onclick: () => choice.toggleSource(numbers[side]),
  },
  element("span", { class: "visually-hidden" }, `Show the sentences of ${row.name}: `),
  numbers.map((n) => (n === null ? element("span", { class: "muted" }, "–") : chip(n, look))));
  choice.listen(({ source }) => button.setAttribute("aria-pressed", String(source === numbers[side])));
  return button;
}

function unmatched({ before, after }) {
  const lists = [["before", before], ["after", after]].filter(([, side]) => side.unmatched.length);
  return lists.length > 0 && element("section", { "aria-labelledby": "unmatched-heading" },
    element("h2", { id: "unmatched-heading" }, "Not matched"),
    lists.map(([name, side]) => element("div", { class: "card" },
      element("h3", {}, `${counted(side.unmatched.length, "case")} only ${name}`),
      element("ul", { class: "unmatched" }, side.unmatched.map((card) => element("li", {},
        element("span", { class: "mono small muted" }, foreign(card.case)), " ", foreign(card.query)))))));
}
