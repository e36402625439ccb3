/* One case in full: query, answer, inspector, table, profile, findings.
 *
 *   caseView(card, metrics, rubrics)      an element; card is a scorecard as in results files,
 *                                         rubrics {metric: {summary, subscores, bands}}
 */

import { element, foreign } from "./dom.js";
import { answerView } from "./answer-view.js";
import { makeChoice } from "./choice.js";
import { findingList } from "./findings.js";
import { inspector } from "./inspector.js";
import { paletteOf } from "./palette.js";
import { profileChart } from "./profile-chart.js";
import { sourceTable } from "./source-table.js";
import { counted, cut } from "./words.js";

export function caseView(card, metrics, rubrics, { headingLevel = 2 } = {}) {
  const choice = makeChoice();
  const looks = paletteOf(card.sources);
  const answer = answerView(card, looks, choice);
  const side = inspector(card, metrics, rubrics, looks, choice, answer.show);
  const profile = profileChart(card, metrics, looks, choice);
  const node = element("article", { class: "case" },
    caseHead(card, headingLevel),
    element("div", { class: "case-reading" },
      element("section", { class: "card", "aria-label": "Answer" }, element("h3", { class: "eyebrow" }, "Answer"), answer.node, findingList(card.problems)),
      element("div", { class: "case-side" },
        element("section", { class: "card case-sources", "aria-label": "Sources" }, element("h3", { class: "eyebrow" }, "Sources"), side),
        profile && element("section", { class: "card", "aria-label": "Profile" }, profile))),
    card.sources.length > 0 && scores(card, metrics, looks, choice, (metric) => openInspector(side, metric)));
  node.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && choice.get().source !== null) {
      choice.set(null);
      event.stopPropagation();
    }
  });
  return node;
}

function caseHead(card, headingLevel) {
  const cited = card.sources.filter((source) => source.cited).length;
  const failed = card.sources.flatMap((s) => Object.values(s.scores)).filter((j) => j.status === "failed").length;
  const tags = Object.entries(card.tags ?? {}).map(([name, value]) =>
    element("li", { class: "tag" }, foreign(cut(`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`, 80))));
  return element("header", { class: "case-head" },
    element(`h${headingLevel}`, { tabindex: "-1", dir: "auto" }, card.query),
    element("ul", { class: "facts" },
      element("li", { class: "mono soft" }, foreign(cut(card.case, 80))),
      element("li", {}, `${cited} of ${counted(card.sources.length, "source")} cited`),
      element("li", {}, counted(card.sentences.length, "sentence")),
      failed > 0 && element("li", { class: "tag alarm" }, `${counted(failed, "judgment")} failed`),
      card.variant && element("li", { class: "tag" }, foreign(cut(String(card.variant), 80))),
      tags));
}

function scores(card, metrics, looks, choice, open) {
  const openMetric = (source, metric) => {
    choice.set(source, metric);
    open(metric);
  };
  return element("section", { class: "card case-scores", "aria-label": "Scores" },
    element("h3", {}, "Scores"), sourceTable(card, metrics, looks, choice, openMetric));
}

function openInspector(side, metric) {
  const section = [...side.querySelectorAll("[data-metric]")].find((each) => each.dataset.metric === metric);
  section?.scrollIntoView({ block: "nearest" });
  section?.focus({ preventScroll: true });
}
