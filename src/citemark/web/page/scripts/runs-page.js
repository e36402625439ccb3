/* Runs: score a whole file with any judge, watch it, cancel it. */

import { element, replace } from "../../report/scripts/dom.js";
import { getJson, postJson } from "./api.js";
import { runCard } from "./run-card.js";
import { runForm } from "./run-form.js";
import { empty, failed, pageHead } from "./states.js";

export async function open() {
  const [{ files }, judges, { runs }] = await Promise.all([
    getJson("/api/files"), getJson("/api/judges"), getJson("/api/runs")]);
  const list = element("div", { class: "run-list" });
  const told = element("div", { "aria-live": "polite" });
  const cards = new Map();

  function add(run, first) {
    const card = runCard(run);
    cards.set(run.id, card);
    if (first) list.prepend(card.node);
    else list.append(card.node);
    return card;
  }

  async function start(wish) {
    replace(told);
    try {
      const run = await postJson("/api/runs", wish);
      if (!cards.size) replace(list);
      add(run, true).node.querySelector("h3").focus();
    } catch (error) {
      replace(told, failed(error));
    }
  }

  runs.forEach((run) => add(run, false));
  if (!runs.length) replace(list, empty("No run yet", "Choose a file of cases and a judge, and start one."));
  return [
    pageHead("Whole files, any judge", "Runs",
      "Replies are kept in the store: a run that was cancelled goes on where it stopped when the same one is started again."),
    runForm(files.filter(({ kind }) => kind === "cases"), judges, wantedFile(), start),
    told,
    element("section", { class: "scores-place", "aria-labelledby": "runs-title" }, element("h2", { id: "runs-title" }, "Since the server was started"), list),
  ];
}

function wantedFile() {
  return new URLSearchParams(location.hash.slice(1)).get("file");
}
