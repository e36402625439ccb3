/* The small bar of a score on the scale 1-20, with a whisker for the judge's interval. */

import { element, svg } from "./dom.js";
import { isUnsure, statusWords } from "./words.js";

export const BAND_STARTS = [1, 4, 8, 12, 16, 19];

export function bandNumber(score) {
  return BAND_STARTS.filter((start) => start <= Math.floor(score + 0.5)).length || 1;
}

/* where a score lies on the scale, as a part of 100: 0 at the start, 20 at the end */
function along(score) {
  return `${Math.max(0, Math.min(100, (score / 20) * 100)).toFixed(2)}%`;
}

export function scoreBar(score, interval = null) {
  const parts = [
    svg("rect", { class: "track", width: "100%", height: 8, rx: 2 }),
    svg("rect", { class: `band-fill-${bandNumber(score)}`, width: along(score), height: 8, rx: 2 }),
  ];
  if (interval) {
    const [low, high] = interval.map(along);
    parts.push(
      svg("line", { class: "whisker-halo", x1: low, x2: high, y1: 4, y2: 4 }),
      svg("line", { class: "whisker", x1: low, x2: high, y1: 4, y2: 4 }),
      svg("line", { class: "whisker", x1: low, x2: low, y1: 0, y2: 8 }),
      svg("line", { class: "whisker", x1: high, x2: high, y1: 0, y2: 8 }),
    );
  }
  return svg("svg", { class: "bar", width: "100%", height: 8, "aria-hidden": "true" }, parts);
}

/* A judgment as number, bar and band name; what has no score is said in words. */
export function judgmentMark(judgment) {
  const words = statusWords(judgment);
  if (words) {
    const kind = judgment?.status ?? "missing";
    return element("span", { class: `outcome ${kind}` }, words);
  }
  const { score, interval, band } = judgment;
  const unsure = isUnsure(judgment);
  const range = interval ? `80 % interval ${interval[0]} to ${interval[1]}` : null;
  return element("span", { class: "mark", title: range },
    element("span", { class: "mark-line" },
      element("span", { class: "score number" }, score),
      unsure && element("span", { class: "unsure" }, "unsure"),
      range && element("span", { class: "visually-hidden" }, `, ${range}`)),
    scoreBar(score, interval),
    band && element("span", { class: "band-name" }, band));
}
