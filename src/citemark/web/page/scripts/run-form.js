/* The form that starts a run. Keys and addresses are set where the server was started. */

import { element, foreign, replace } from "../../report/scripts/dom.js";
import { empty } from "./states.js";

const MODE_NOTES = {
  subscores: "five sub-scores with evidence",
  direct: "one number",
  weighted: "by token probabilities",
  sampled: "the mean of several replies",
  panel: "all metrics of a source in one reply",
  sheet: "a whole case in one reply",
};

export function runForm(files, { judges, modes }, wanted, start) {
  if (!files.length) {
    return empty("No file of cases in the folder", "Put a .jsonl file with a query and an answer on every line into the folder, or drop one on the Results page.");
  }
  const file = element("select", { name: "file" }, files.map(({ name }) => element("option", { value: name, selected: name === wanted }, name)));
  const judge = element("select", { name: "judge", onchange: () => choose() }, judges.map(({ spec, ready, note }) =>
    element("option", { value: spec, disabled: !ready }, `${spec}${ready ? "" : " (missing)"}`, note ? ` · ${note}` : "")));
  const model = element("input", { type: "text", name: "model", autocomplete: "off", spellcheck: "false", placeholder: "such as gpt-4.1-mini" });
  const mode = element("select", { name: "mode" }, modes.map((name) => element("option", { value: name }, `${name}: ${MODE_NOTES[name] ?? ""}`)));
  const budget = element("input", { type: "number", name: "budget", min: "0", step: "any", inputmode: "decimal", placeholder: "no limit" });
  const note = element("p", { class: "small soft" });
  const forModels = [
    element("label", { class: "field" }, "Model", model),
    element("label", { class: "field" }, "Mode", mode),
    element("label", { class: "field" }, "Budget in US dollars", budget),
  ];
  const button = element("button", { type: "submit", class: "button primary" }, "Start the run");

  function choose() {
    const chosen = judges.find(({ spec }) => spec === judge.value);
    const asks = chosen.spec.includes(":") && !chosen.spec.startsWith("embedded");
    forModels.forEach((field) => { field.hidden = !asks; });
    forModels[0].hidden = !chosen.model;
    model.required = chosen.model;
    replace(note, foreign(chosen.note));
  }

  async function submit(event) {
    event.preventDefault();
    const chosen = judges.find(({ spec }) => spec === judge.value);
    const wish = { file: file.value, judge: chosen.model ? chosen.spec.replace("MODEL", model.value.trim()) : chosen.spec };
    if (!forModels[1].hidden) wish.mode = mode.value;
    if (!forModels[2].hidden && Number(budget.value) > 0) wish.budget = Number(budget.value);
    button.disabled = true;
    await start(wish);
    button.disabled = false;
  }

  const form = element("form", { class: "card run-form", "aria-label": "Start a run", onsubmit: submit },
    element("div", { class: "run-fields" },
      element("label", { class: "field" }, "Cases", file),
      element("label", { class: "field" }, "Judge", judge), forModels),
    note, button);
  choose();
  return form;
}
