/* Where a case comes from when it is not typed: a bundled example, or a file of one's own. */

import { element } from "../../report/scripts/dom.js";
import { cut } from "../../report/scripts/words.js";
import { ApiError } from "./api.js";

const MOST_OFFERED = 200;

export function caseMenu(label, cases, onpick) {
  const select = element("select", {
    onchange: () => {
      const at = select.value;
      if (at !== "") onpick(cases[Number(at)]);
    },
  }, element("option", { value: "" }, "Choose …"), cases.map((one, i) => element("option", { value: i }, nameOf(one))));
  return element("label", { class: "field" }, label, select);
}

export function nameOf(one) {
  return cut(`${one.query}${one.variant ? ` (${one.variant})` : ""}`, 70);
}

export function fileButton(label, accept, onfile) {
  const input = element("input", {
    type: "file", accept, class: "visually-hidden", tabindex: "-1", "aria-hidden": "true",
    onchange: () => {
      if (input.files[0]) onfile(input.files[0]);
      input.value = "";
    },
  });
  return element("span", {}, input,
    element("button", { type: "button", class: "button", onclick: () => input.click() }, label));
}

/* The cases of a file: JSON, JSON Lines, or the plain text of one answer. */
export async function casesIn(file) {
  const text = (await file.text()).replace(/^\ufeff/, "");
  if (!/\.(jsonl|ndjson|json)$/i.test(file.name)) return [{ query: "", answer: text }];
  const cases = parsed(text).filter((one) => one && typeof one.answer === "string" && typeof one.query === "string");
  if (!cases.length) {
    throw new ApiError({ detail: "no case in this file", where: file.name, next: "open a case as JSON with query and answer, or a plain .md or .txt answer" });
  }
  return cases.slice(0, MOST_OFFERED).map(withoutScores);
}

function parsed(text) {
  try {
    return [JSON.parse(text)].flat();
  } catch {
    return text.split(/\r?\n/).map((line) => {
      try {
        return JSON.parse(line);
      } catch {
        return null;
      }
    });
  }
}

/* A scorecard is a case too, once the scores are taken off. */
function withoutScores(one) {
  if (!Array.isArray(one.sentences)) return one;
  const { query, answer, tags, case: id } = one;
  const sources = (one.sources ?? []).map(({ source, url, title, key }) => ({ n: source, url, title, key }));
  return { id, query, answer, tags, sources };
}
