/* The sources of a case compared: one lane per metric, one numbered dot per source at its score.
 * Dots that would cover each other are stacked; the chosen source's dots are joined by a line.
 */

import { element, replace, svg } from "./dom.js";
import { BAND_STARTS } from "./bars.js";
import { metricName, statusWords } from "./words.js";

const DOT = 9;
const STEP = 2 * DOT + 2;
const LABEL = 20;

function across(score) {
  return `${(4 + ((score - 1) / 19) * 92).toFixed(2)}%`;
}

/* the dots of one metric, stacked where scores are less than two apart */
function lane(sources, metric) {
  const dots = [];
  const marks = sources
    .filter((source) => source.cited && !statusWords(source.scores[metric]))
    .map((source) => ({ source: source.source, score: source.scores[metric].score }))
    .sort((a, b) => a.score - b.score);
  const rows = [];
  for (const mark of marks) {
    let row = rows.findIndex((last) => mark.score - last >= 2);
    if (row < 0) row = rows.length;
    rows[row] = mark.score;
    dots.push({ ...mark, row });
  }
  return { metric, dots, rows: Math.max(1, rows.length) };
}

export function profileChart(card, metrics, looks, choice) {
  const lanes = metrics.map((metric) => lane(card.sources, metric));
  if (!lanes.some(({ dots }) => dots.length)) return null;
  let top = 0;
  for (const each of lanes) {
    each.top = top + LABEL;
    top = each.top + each.rows * STEP + 10;
  }
  const drawing = svg("svg", { class: "profile", width: "100%", height: top + 14, "aria-hidden": "true" });
  choice.listen(({ source }) => replace(drawing, zones(top), lanes.map((each) => laneNodes(each, looks, source)), thread(lanes, looks, source)));
  return element("figure", { class: "profile-figure" },
    element("figcaption", {}, element("h3", { class: "eyebrow" }, "Profile"),
      element("p", { class: "small muted" }, "Where the sources lie on each metric, 1 to 20. The table has the same numbers.")),
    drawing);
}

function zones(height) {
  const starts = [...BAND_STARTS, 21];
  return BAND_STARTS.map((start, i) => {
    const [from, to] = [start - 0.5, Math.min(starts[i + 1] - 0.5, 20.5)].map((s) => 4 + ((s - 1) / 19) * 92);
    return [
      svg("rect", { class: i % 2 ? "zone odd" : "zone", x: `${from}%`, width: `${to - from}%`, y: 0, height }),
      svg("text", { class: "axis", x: `${(from + to) / 2}%`, y: height + 13, "text-anchor": "middle" }, `${start}–${starts[i + 1] - 1}`),
    ];
  });
}

function laneNodes({ metric, dots, rows, top }, looks, chosen) {
  const middle = top + (rows * STEP) / 2;
  return [
    svg("text", { class: "lane-name", x: "1%", y: top - 5 }, metricName(metric)),
    svg("line", { class: "lane-line", x1: "2%", x2: "98%", y1: middle, y2: middle }),
    dots.map((dot) => dotNode(dot, top, looks.get(dot.source), chosen)),
  ];
}

function dotY(dot, top) {
  return top + dot.row * STEP + STEP / 2;
}

function dotNode(dot, top, look, chosen) {
  const quiet = chosen !== null && chosen !== dot.source ? " quiet" : "";
  return svg("g", { class: `dot hue-${look.hue} weave-${look.weave}${quiet}` },
    svg("circle", { cx: across(dot.score), cy: dotY(dot, top), r: DOT, "stroke-dasharray": [null, "4 2.5", "1.5 2", null][look.weave] }),
    svg("text", { x: across(dot.score), y: dotY(dot, top) + 3.8, "text-anchor": "middle" }, dot.source));
}

function thread(lanes, looks, chosen) {
  if (chosen === null) return null;
  const points = lanes.flatMap((each) => each.dots.filter((dot) => dot.source === chosen)
    .map((dot) => ({ x: across(dot.score), y: dotY(dot, each.top) })));
  const look = looks.get(chosen);
  return points.slice(1).map((point, i) =>
    svg("line", { class: `thread hue-${look?.hue ?? 6}`, x1: points[i].x, y1: points[i].y + DOT, x2: point.x, y2: point.y - DOT }));
}
