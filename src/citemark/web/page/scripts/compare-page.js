/* Compare: two answers to one query, side by side, source by source, metric by metric. */

import { element, replace } from "../../report/scripts/dom.js";
import { renderComparison } from "../../report/scripts/compare.js";
import { download, getJson, postJson } from "./api.js";
import { caseFields } from "./case-fields.js";
import { actionBar } from "./exporting.js";
import { copyLink, follow, unpacked } from "./links.js";
import { latest } from "./live.js";
import { nameOf } from "./picking.js";
import { empty, failed, loading, pageHead } from "./states.js";

const COMPARE_AFTER = 500;

export async function open() {
  const [{ examples }, linked] = await Promise.all([
    getJson("/api/examples"), unpacked(location.hash).catch(() => null)]);
  const page = makePage(pairsOf(examples));
  if (linked?.before && linked?.after) page.fill(linked);
  return page.nodes;
}

/* Examples that belong together: the same group, one before and one after. */
function pairsOf(examples) {
  return examples.filter((one) => one.variant === "before").map((before) => (
    { before, after: examples.find((one) => one.variant === "after" && one.group === before.group) }
  )).filter(({ after }) => after);
}

function makePage(pairs) {
  const fields = caseFields({
    onchange: () => changed(),
    answers: [["before", "Answer before", "Paste the first answer."], ["after", "Answer after", "Paste the second one, or edit a copy of the first."]],
  });
  const place = element("section", { class: "scores-place", "aria-label": "Comparison" });

  const comparing = latest(COMPARE_AFTER, async (signal) => {
    const cases = fields.read();
    if (!cases) return showNothing();
    if (!place.querySelector(".comparison")) replace(place, loading("Comparing …"));
    const { comparison } = await postJson("/api/compare", cases, signal);
    place.removeAttribute("aria-busy");
    replace(place, actions(cases), renderComparison(element("div"), comparison));
    return follow(cases);
  }, (error) => {
    place.removeAttribute("aria-busy");
    replace(place, failed(error, comparing.now));
  });

  function changed() {
    place.setAttribute("aria-busy", "true");
    comparing.soon();
  }

  function showNothing() {
    place.removeAttribute("aria-busy");
    history.replaceState(null, "", location.pathname);
    replace(place, empty("Nothing to compare yet",
      "Give the query and two answers: of two engines, or of one before and after an edit. Sources are matched by address, or else by number."));
  }

  function actions(cases) {
    const take = (form) => async () => `Saved as ${await download(`/api/compare?format=${form}`, cases)}`;
    return actionBar("Take the comparison away", [
      ["HTML report", take("html")], ["CSV", take("csv")], ["JSONL", take("jsonl")],
      ["Copy link", async () => {
        if (!(await follow(cases))) return "Too long for a link; take the HTML report instead";
        return (await copyLink()) ? "Link copied" : "The address bar holds the link";
      }],
    ]);
  }

  function fill(cases) {
    fields.fill(cases);
    replace(place, loading("Comparing …"));
    comparing.now();
  }

  const select = element("select", {
    onchange: () => select.value !== "" && fill(pairs[Number(select.value)]),
  }, element("option", { value: "" }, "Choose …"), pairs.map(({ before }, i) => element("option", { value: i }, nameOf({ query: before.query }))));
  const picker = element("div", { class: "toolbar pick-bar" },
    pairs.length > 0 && element("label", { class: "field" }, "Example", select),
    element("button", {
      type: "button", class: "button",
      onclick: () => {
        fields.text("after").value = fields.text("before").value;
        fields.text("after").focus();
        changed();
      },
    }, "Copy before to after"),
    element("button", { type: "button", class: "button quiet", onclick: () => { fields.fill({}); changed(); fields.focus(); } }, "Clear"));

  showNothing();
  return {
    fill,
    nodes: [
      pageHead("What changed, source by source", "Compare two answers"),
      element("section", { class: "card writing-card", "aria-label": "Answers" }, picker, fields.nodes),
      place,
    ],
  };
}
