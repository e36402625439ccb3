/* What stands where there is nothing to show: not yet, not at all, or because it went wrong. */

import { element, foreign } from "../../report/scripts/dom.js";

export function empty(title, ...text) {
  return element("div", { class: "state empty" }, element("strong", {}, title), text.map((t) => element("p", {}, t)));
}

export function loading(text) {
  return element("div", { class: "state loading", role: "status" }, element("p", {}, text));
}

/* An error of the API says what, where and what next; any other at least that it happened. */
export function failed(error, again = null) {
  const where = error.where ? [" (", foreign(error.where), ")"] : null;
  return element("div", { class: "state error", role: "alert" },
    element("strong", {}, error.title ?? "That did not work"),
    element("p", {}, foreign(sentence(error.message)), where),
    error.next && element("p", {}, foreign(sentence(error.next))),
    again && element("button", { type: "button", class: "button", onclick: again }, "Try again"));
}

export function sentence(text) {
  const trimmed = String(text ?? "").trim();
  return trimmed ? trimmed[0].toUpperCase() + trimmed.slice(1) + (/[.!?)]$/.test(trimmed) ? "" : ".") : "";
}

export function pageHead(eyebrow, title, text) {
  return element("header", { class: "title" },
    element("p", { class: "eyebrow" }, eyebrow),
    element("h1", { tabindex: "-1" }, title),
    text && element("p", { class: "soft" }, text));
}
