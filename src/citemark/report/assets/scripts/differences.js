/* How one figure of a comparison is shown: the change in words, from what to what, and how
 * sure it is. A change always has an arrow and a sign besides its colour.
 */

import { element, svg } from "./dom.js";
import { metricName } from "./words.js";

const SHARE = "share";

function shown(value, metric) {
  return metric === SHARE ? 100 * value : value;
}

export function figureText(value, metric) {
  return value === null ? "–" : shown(value, metric).toFixed(1);
}

export function signedText(value, metric) {
  const text = shown(value, metric).toFixed(1);
  if (Number(text) === 0) return "0.0";
  return value > 0 ? `+${text}` : text.replace("-", "−");
}

export function headingOf(metric) {
  return metric === SHARE ? "Word share, %" : metricName(metric);
}

function direction(value, metric) {
  const sign = signedText(value, metric)[0];
  if (sign === "+") return { arrow: "▲", name: "up" };
  return sign === "−" ? { arrow: "▼", name: "down" } : { arrow: "=", name: "level" };
}

/* "▲ +2.9*", "failed" or a dash */
export function changeNode(figure, metric) {
  if (figure.difference === null) {
    const failed = hasFailed(figure);
    return element("span", { class: failed ? "tag alarm" : "muted" }, failed ? "failed" : "–");
  }
  const { arrow, name } = direction(figure.difference, metric);
  return element("span", { class: `change ${name}${figure.clear ? " clear" : ""}` },
    element("span", { "aria-hidden": "true" }, `${arrow} `),
    signedText(figure.difference, metric),
    figure.clear && element("span", { "aria-hidden": "true" }, "*"),
    figure.clear && element("span", { class: "visually-hidden" }, " (clear)"));
}

export function fromTo(figure, metric) {
  return element("span", { class: "from-to" },
    element("span", { class: "visually-hidden" }, "from "), figureText(figure.before, metric),
    element("span", { "aria-hidden": "true" }, " → "),
    element("span", { class: "visually-hidden" }, " to "), figureText(figure.after, metric));
}

export function intervalText(figure, metric) {
  if (!figure.interval) return "";
  const [low, high] = figure.interval;
  return `${signedText(low, metric)} to ${signedText(high, metric)}`;
}

/* How far the whiskers of a table reach, so that all of them share one scale. */
export function reachOf(figures) {
  const ends = figures.flatMap((figure) => [figure.difference ?? 0, ...(figure.interval ?? [])]);
  return Math.max(...ends.map(Math.abs), 1e-9);
}

const WIDE = 100;
const HIGH = 14;

/* The difference as a dot on a line from loss to gain, with its interval as whiskers. The
 * text beside it says the same. */
export function whiskers(figure, reach) {
  if (figure.difference === null) return null;
  const at = (value) => WIDE / 2 + (value / reach) * (WIDE / 2 - 5);
  const middle = HIGH / 2;
  const line = (x1, y1, x2, y2, name) => svg("line", { x1, y1, x2, y2, class: name });
  const [low, high] = (figure.interval ?? []).map(at);
  return svg("svg", { class: `whiskers${figure.clear ? " clear" : ""}`, viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true", focusable: "false" },
    line(0, middle, WIDE, middle, "scale"),
    line(WIDE / 2, 0, WIDE / 2, HIGH, "zero"),
    low !== undefined && [
      line(low, middle, high, middle, "whisker"),
      line(low, middle - 3, low, middle + 3, "whisker"),
      line(high, middle - 3, high, middle + 3, "whisker"),
    ],
    svg("circle", { cx: at(figure.difference), cy: middle, r: 3.2, class: "dot" }));
}

/* What a row is over, in words. */
export function countText(row, unit) {
  const figures = Object.values(row.figures);
  if (!figures.length) return "";
  const fullest = figures.reduce((best, figure) => (figure.n > best.n ? figure : best));
  const noun = fullest.of === 1 ? unit : unit === "query" ? "queries" : `${unit}s`;
  const parts = [row.status === "both" ? `${fullest.n} of ${fullest.of} ${noun}` : `in ${fullest.of} ${noun}`];
  if (row.status === "both" && row.only[0]) parts.push(`${row.only[0]} only before`);
  if (row.status === "both" && row.only[1]) parts.push(`${row.only[1]} only after`);
  const [before, after] = fullest.not_cited;
  if (before || after) parts.push(`not cited: ${before} before, ${after} after`);
  if (figures.some(hasFailed)) parts.push("some judgments failed");
  return parts.join(", ");
}

/* The same within one case, where there is only one of everything. */
export function caseText(row) {
  const figures = Object.values(row.figures);
  const [before, after] = figures[0]?.not_cited ?? [0, 0];
  const sides = [before && "before", after && "after"].filter(Boolean);
  const parts = sides.length ? [`not cited ${sides.join(" and ")}`] : [];
  if (figures.some(hasFailed)) parts.push("some judgments failed");
  return parts.join(", ");
}

function hasFailed(figure) {
  return figure.failed.some((n) => n > 0);
}
