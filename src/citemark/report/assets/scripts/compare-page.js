/* A comparison that was opened as a file: its data stands in the page, the cases in a compact
 * form (comparison/packing.py writes it).
 */

import { element, replace } from "./dom.js";
import { renderComparison } from "./compare.js";
import { themeSwitch } from "./theme.js";

function unpackedFigures(rows, metrics, marks) {
  return Object.fromEntries(rows.map(([before, after, ...failed], i) => {
    const known = before !== null && after !== null;
    const figure = { before, after, difference: known ? after - before : null, interval: null, clear: false };
    return [metrics[i], { ...figure, n: Number(known), of: 1, failed: failed.length ? failed : [0, 0], not_cited: marks }];
  }));
}

function unpackedRow([key, name, url, inCase, status, numbers, marks, figures], metrics) {
  return { key, name, url, case: inCase, status, numbers, only: [0, 0], figures: unpackedFigures(figures, metrics, marks) };
}

function unpackedAnswer([answer, sentences]) {
  return {
    answer,
    sentences: sentences.map(([start, end, sources, block]) => ({ start, end, sources, block_sources: block ?? sources })),
  };
}

function unpackedCase(pair, metrics) {
  return {
    ...pair,
    before: unpackedAnswer(pair.before),
    after: unpackedAnswer(pair.after),
    figures: unpackedFigures(pair.figures, metrics, [0, 0]),
    rows: pair.rows.map((row) => unpackedRow(row, metrics)),
  };
}

function readComparison() {
  const data = JSON.parse(document.getElementById("comparison-data").textContent);
  return { ...data, cases: data.cases.map((pair) => unpackedCase(pair, data.metrics)) };
}

function brokenPage(error) {
  return element("div", { class: "state error", role: "alert" },
    element("strong", {}, "This comparison cannot be shown"),
    element("p", {}, `Its data could not be read (${error.message}). Make it again with: citemark compare BEFORE AFTER -o compare.html`));
}

function startComparison() {
  const place = document.getElementById("comparison");
  document.querySelector(".masthead-tools").append(themeSwitch());
  try {
    renderComparison(place, readComparison());
  } catch (error) {
    replace(place, brokenPage(error));
  }
  place.removeAttribute("aria-busy");
}

startComparison();
