/* How the scores of one metric are spread over 1-20: a histogram over the rubric's bands, and the
 * bands in words with their counts, which say the same without the picture.
 */

import { element, svg } from "./dom.js";
import { BAND_STARTS, bandNumber } from "./bars.js";
import { counted, metricName, percent } from "./words.js";

const HEIGHT = 72;

export function distributionChart(metric, counts, rubric) {
  const total = counts.reduce((sum, n) => sum + n, 0);
  const bands = bandsOf(rubric).map((band) => ({ ...band, count: counts.slice(band.low - 1, band.high).reduce((sum, n) => sum + n, 0) }));
  return element("figure", { class: "card distribution" },
    element("figcaption", {},
      element("h4", {}, metricName(metric)),
      rubric?.summary && element("p", { class: "small muted" }, rubric.summary)),
    total ? histogram(counts) : element("p", { class: "muted small" }, "No score."),
    element("ul", { class: "band-list", "aria-label": `${metricName(metric)}: ${counted(total, "score")} by band` },
      bands.toReversed().map((band) => bandLine(band, total))));
}

function bandsOf(rubric) {
  const known = (rubric?.bands ?? []).map(([low, high, name]) => ({ low, high, name }));
  return known.length ? known : BAND_STARTS.map((low, i) => ({ low, high: (BAND_STARTS[i + 1] ?? 21) - 1, name: "" }));
}

function bandLine({ low, high, name, count }, total) {
  return element("li", {},
    element("span", { class: `swatch band-back-${bandNumber(low)}`, "aria-hidden": "true" }),
    element("span", { class: "band-range number" }, `${low}–${high}`),
    element("span", { class: "band-title" }, name),
    element("span", { class: "number" }, count.toLocaleString("en")),
    element("span", { class: "number muted" }, total ? percent(count / total) : "–"));
}

function histogram(counts) {
  const most = Math.max(...counts);
  const left = (score) => (score - 1) * 5;
  const bars = counts.map((count, i) => {
    const height = count ? Math.max(2, (count / most) * HEIGHT) : 0;
    return svg("rect", {
      class: `band-fill-${bandNumber(i + 1)}`, x: `${left(i + 1) + 0.4}%`, width: "4.2%", y: HEIGHT - height, height, rx: 1.5,
    }, svg("title", {}, `${i + 1}: ${count}`));
  });
  const marks = BAND_STARTS.map((start) => [
    start > 1 && svg("line", { class: "band-mark", x1: `${left(start)}%`, x2: `${left(start)}%`, y1: 0, y2: HEIGHT + 5 }),
    svg("text", { class: "axis", x: `${left(start) + 2.5}%`, y: HEIGHT + 16, "text-anchor": "middle" }, start),
  ]);
  return svg("svg", { class: "histogram", width: "100%", height: HEIGHT + 20, "aria-hidden": "true" },
    marks, svg("line", { class: "floor", x1: 0, x2: "100%", y1: HEIGHT, y2: HEIGHT }), bars,
    svg("text", { class: "axis", x: "100%", y: HEIGHT + 16, "text-anchor": "end" }, "20"));
}
