/* Lint findings: a flag where each stands in the answer, and the list of all of them. */

import { element, foreign } from "./dom.js";
import { counted } from "./words.js";

const ERRORS = new Set(["no_citations", "unknown_source", "zero_marker", "bad_span", "judge_instructions"]);
const NOTES = new Set(["stray_evidence", "marker_in_code", "uncited_paragraph", "uncited_source", "uncalibrated"]);

export function severity(code) {
  if (ERRORS.has(code)) return "error";
  return NOTES.has(code) ? "note" : "warning";
}

function findingName(code) {
  return code.replaceAll("_", " ");
}

/* A small numbered flag; pressing it shows the finding right there. */
export function findingFlag(problem, number) {
  const note = element("span", { class: "finding-note", hidden: true },
    element("strong", {}, `${findingName(problem.code)}: `), foreign(problem.message));
  const flag = element("button", {
    type: "button",
    class: `finding-flag ${severity(problem.code)}`,
    "aria-expanded": "false",
    "aria-label": `Finding ${number}: ${findingName(problem.code)}`,
    title: problem.message,
    onclick: () => {
      note.hidden = !note.hidden;
      flag.setAttribute("aria-expanded", String(!note.hidden));
    },
  }, `!${number}`);
  return element("span", { class: "finding" }, flag, note);
}

export function findingList(problems) {
  if (!problems.length) return null;
  const items = problems.map((problem, i) =>
    element("li", { class: severity(problem.code) },
      element("span", { class: "finding-number" }, `!${i + 1}`),
      element("span", {}, element("strong", {}, findingName(problem.code)), " ", foreign(problem.message))));
  return element("details", { class: "findings", open: problems.length <= 6 },
    element("summary", {}, counted(problems.length, "finding"), " about the citations"),
    element("ul", {}, items));
}
