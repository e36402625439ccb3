/* The fields that a case is written in. What a picked case holds besides (id, tags, spans) goes
 * along as long as its answer is not changed.
 *
 *   const fields = caseFields({ onchange, answers: [["answer", "Answer", "Paste ..."]] })
 *   fields.nodes   fields.fill({ answer: case })   fields.read() -> { answer: case } or null
 */

import { element } from "../../report/scripts/dom.js";
import { linesOf, sourcesOf } from "./source-lines.js";

export function caseFields({ onchange, answers }) {
  const picked = Object.fromEntries(answers.map(([name]) => [name, null]));
  const query = element("input", { type: "text", placeholder: "What was asked?", autocomplete: "off", oninput: onchange });
  const texts = Object.fromEntries(answers.map(([name, , placeholder]) =>
    [name, element("textarea", { rows: 12, placeholder, spellcheck: "false", oninput: onchange })]));
  const sources = element("textarea", {
    rows: 4, class: "source-lines", spellcheck: "false", oninput: onchange,
    placeholder: "[1] Title of the page https://example.org/page",
  });
  const drawer = element("details", { class: "source-drawer" },
    element("summary", {}, "Sources ", element("span", { class: "muted" }, "optional: titles and addresses, one a line")),
    element("label", { class: "field" }, element("span", { class: "visually-hidden" }, "Sources, one a line"), sources));

  function caseOf(name) {
    const base = picked[name];
    const answer = texts[name].value;
    const same = base?.answer === answer && base?.query === query.value;
    const listed = base && linesOf(base.sources) === sources.value ? base.sources ?? null : sourcesOf(sources.value);
    const made = { ...(same ? base : {}), query: query.value, answer };
    delete made.sources;
    return listed ? { ...made, sources: listed } : made;
  }

  return {
    nodes: [
      element("label", { class: "field" }, "Query", query),
      element("div", { class: `answer-fields answers-${answers.length}` },
        answers.map(([name, label]) => element("label", { class: "field" }, label, texts[name]))),
      drawer,
    ],
    fill(cases) {
      const first = Object.values(cases).find(Boolean) ?? {};
      query.value = typeof first.query === "string" ? first.query : "";
      sources.value = linesOf(Array.isArray(first.sources) ? first.sources : []);
      drawer.open = false;
      for (const [name, field] of Object.entries(texts)) {
        picked[name] = cases[name] ?? null;
        field.value = typeof cases[name]?.answer === "string" ? cases[name].answer : "";
      }
    },
    /* The cases; null as long as a query or an answer is missing. */
    read() {
      if (!query.value.trim() || Object.values(texts).some((field) => !field.value.trim())) return null;
      return Object.fromEntries(Object.keys(texts).map((name) => [name, caseOf(name)]));
    },
    /* One case, also without its query: enough to read the citations. */
    readOne: (name) => (texts[name].value.trim() ? caseOf(name) : null),
    isEmpty: () => !query.value.trim() && Object.values(texts).every((field) => !field.value.trim()),
    focus: () => query.focus(),
    text: (name) => texts[name],
  };
}
