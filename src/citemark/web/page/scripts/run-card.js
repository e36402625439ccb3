/* One run: how far it is, what it cost, what came of it. Follows the server's events. */

import { element, foreign, replace } from "../../report/scripts/dom.js";
import { counted, reasonName } from "../../report/scripts/words.js";
import { remove, resultsPath } from "./api.js";
import { sentence } from "./states.js";

const OVER = ["done", "failed", "cancelled"];
const STATES = {
  running: "Under way", stopping: "Stopping: waiting for what was asked", done: "Done",
  failed: "Failed", cancelled: "Cancelled",
};

export function runCard(first) {
  const title = element("h3", { tabindex: "-1" }, foreign(first.file), " by ", foreign(first.judge));
  const state = element("p", { class: "run-state", role: "status" });
  const bar = element("progress", { "aria-label": "Judgments done" });
  const facts = element("dl", { class: "run-facts" });
  const after = element("div", { class: "run-after" });
  const cancel = element("button", { type: "button", class: "button", onclick: () => stop() }, "Cancel");
  const node = element("article", { class: "card run", "data-run": first.id },
    element("header", { class: "run-head" }, title, cancel), state, bar, facts, after);

  function show(run) {
    const over = OVER.includes(run.state);
    node.dataset.state = run.state;
    setText(state, stateText(run));
    bar.hidden = over && run.state !== "done";
    if (run.judgments.total === null) bar.removeAttribute("value");
    else Object.assign(bar, { max: Math.max(1, run.judgments.total), value: run.judgments.total ? run.judgments.done : 1 });
    cancel.hidden = over;
    cancel.textContent = run.state === "stopping" ? "Stop at once" : "Cancel";
    replace(facts, factsOf(run).map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", { class: "number" }, value))));
    replace(after, outcome(run));
  }

  async function stop() {
    cancel.disabled = true;
    try {
      show(await remove(`/api/runs/${first.id}`));
    } catch (error) {
      replace(after, element("p", { class: "alarm-text" }, foreign(error.message)));
    }
    cancel.disabled = false;
  }

  show(first);
  if (!OVER.includes(first.state)) watch(first.id, show, after);
  return { node };
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text; // else a screen reader says it again
}

function watch(id, show, after) {
  const events = new EventSource(`/api/runs/${id}/events`);
  events.addEventListener("progress", (event) => show(JSON.parse(event.data)));
  events.addEventListener("end", (event) => {
    events.close();
    show(JSON.parse(event.data));
  });
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) {
      replace(after, element("p", { class: "alarm-text" }, "The server does not answer any more. See whether citemark serve still runs."));
    }
  });
}

function stateText(run) {
  const seconds = run.seconds >= 90 ? `${Math.round(run.seconds / 60)} min` : `${Math.round(run.seconds)} s`;
  return OVER.includes(run.state) ? `${STATES[run.state]} after ${seconds}` : STATES[run.state];
}

function factsOf({ cases, judgments, calls, from_store: stored, cost_usd: cost, mode }) {
  const of = (done, total) => `${done.toLocaleString("en")}${total === null ? "" : ` of ${total.toLocaleString("en")}`}`;
  const failures = Object.entries(judgments.failed);
  const lost = failures.reduce((sum, [, n]) => sum + n, 0);
  return [
    ["Judgments", of(judgments.done, judgments.total)],
    ["Cases", of(cases.done, cases.total)],
    ["Scored", judgments.scored.toLocaleString("en")],
    ["Failed", lost ? `${lost} (${failures.map(([reason, n]) => `${reasonName(reason)} ${n}`).join(", ")})` : "0"],
    mode && ["Mode", mode],
    mode && ["From the store", stored.toLocaleString("en")],
    mode && ["Calls", calls.toLocaleString("en")],
    mode && ["Cost", cost === null ? "unknown" : `$${cost.toFixed(4)}`],
  ].filter(Boolean);
}

function outcome(run) {
  const unread = run.cases.unreadable > 0 && element("details", {},
    element("summary", {}, `${counted(run.cases.unreadable, "case")} could not be read`),
    element("ul", { class: "small" }, run.complaints.map((text) => element("li", {}, foreign(text)))));
  return [
    run.results && element("a", { class: "button primary", href: resultsPath(run.results) }, "Open the results"),
    run.error && element("p", { class: "alarm-text" }, foreign(sentence(run.error))),
    run.state === "cancelled" && element("p", { class: "soft" }, "Nothing was written. What was answered is in the store: start the same run again to go on."),
    unread,
  ];
}
