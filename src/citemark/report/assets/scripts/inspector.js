/* Beside the answer: the sources to choose from and, for the chosen one, what each of its
 * scores is made of. Choosing a criterion shows what its level means and its evidence.
 *
 *   inspector(card, metrics, rubrics, looks, choice, showSentence)
 */

import { element, foreign, replace } from "./dom.js";
import { quoted, unitOffsets } from "./answer-layout.js";
import { judgmentMark } from "./bars.js";
import { chip } from "./palette.js";
import { addressLine, overallText } from "./source-table.js";
import { counted, cut, decimal, metricName, percent, sourceName, statusWords } from "./words.js";

export function inspector(card, metrics, rubrics, looks, choice, showSentence) {
  const detail = element("div", { class: "inspector-detail" });
  const told = element("p", { class: "visually-hidden", role: "status" });
  const place = { card, metrics, rubrics, looks, choice, showSentence, slots: new Map() };
  let shown; // the source whose detail stands there; only what changed is drawn again
  choice.listen((chosen) => {
    if (chosen.source !== shown) {
      shown = chosen.source;
      const source = card.sources.find((s) => s.source === shown);
      replace(detail, source ? sourceDetail(place, source) : hint(card));
      told.textContent = source ? announced(source) : "";
    }
    place.slots.forEach((slot) => slot.show(chosen));
  });
  return element("div", { class: "inspector" }, card.sources.length > 0 && picker(card, looks, choice), told, detail);
}

function announced(source) {
  return `Source ${source.source} chosen: ${counted(source.impression.sentences, "sentence")} lit in the answer.`;
}

function hint(card) {
  if (!card.sources.length) return element("p", { class: "muted" }, "This answer has no sources.");
  return element("p", { class: "muted" },
    "Choose a source to light up its sentences and see what its scores are made of. Striped sentences cite several sources.");
}

function picker(card, looks, choice) {
  const buttons = card.sources.map((source) => element("button", {
    type: "button",
    class: "pick",
    "aria-pressed": "false",
    "data-pick": source.source,
    title: sourceName(source),
    onclick: () => choice.toggleSource(source.source),
  }, chip(source.source, looks.get(source.source)),
  foreign(cut(sourceName(source), 60), { class: "pick-name" }),
  element("span", { class: "pick-overall number" }, overallText(source))));
  choice.listen(({ source }) => buttons.forEach((button, i) =>
    button.setAttribute("aria-pressed", String(card.sources[i].source === source))));
  const list = element("div", { class: `picker ${buttons.length > 8 ? "many" : ""}`, role: "group", "aria-label": "Sources" }, buttons);
  list.addEventListener("keydown", (event) => moveFocus(event, buttons));
  const key = element("p", { class: "pick-key", "aria-hidden": "true" }, "overall");
  return [buttons.length <= 8 && key, list];
}

/* Arrow keys walk through the sources. */
function moveFocus(event, buttons) {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  const at = buttons.indexOf(document.activeElement);
  if (!step || at < 0) return;
  event.preventDefault();
  buttons[(at + step + buttons.length) % buttons.length].focus();
}

function sourceDetail(place, source) {
  place.slots.clear();
  const { impression } = source;
  const facts = source.cited
    ? `${counted(impression.sentences, "sentence")}, ${counted(Number(decimal(impression.words)), "word")}, ${percent(impression.word)} of the answer; share of voice ${percent(impression.share.word)}`
    : "Listed, but no sentence cites it.";
  return [
    element("div", { class: "inspected" },
      chip(source.source, place.looks.get(source.source)),
      element("div", {}, element("h4", {}, foreign(cut(sourceName(source), 160))), addressLine(source),
        element("p", { class: "small soft number" }, facts))),
    source.cited && place.metrics.map((metric) => metricDetail(place, source, metric)),
  ];
}

function metricDetail(place, source, metric) {
  const judgment = source.scores[metric];
  const slot = element("div", { class: "criterion-slot" });
  const heading = element("div", { class: "metric-head" },
    element("h5", { title: place.rubrics[metric]?.summary }, metricName(metric)), judgmentMark(judgment));
  const ids = Object.keys(judgment?.subscores ?? {});
  const buttons = ids.map((id) => criterionButton(place, source, metric, id));
  place.slots.set(metric, {
    show(chosen) {
      const here = chosen.metric === metric ? chosen.criterion : null;
      buttons.forEach((button, i) => button.setAttribute("aria-expanded", String(ids[i] === here)));
      replace(slot, here && criterionDetail(place, source, metric, here));
    },
  });
  const none = judgment && !statusWords(judgment) && !ids.length
    && element("p", { class: "small muted" }, "This judge gave the score as one number, without sub-scores.");
  return element("section", { class: "metric-detail", "data-metric": metric, tabindex: "-1" },
    heading, buttons.length > 0 && element("div", { class: "criteria" }, buttons), none, slot);
}

function criterionButton(place, source, metric, id) {
  const level = source.scores[metric].subscores[id];
  const name = criterionOf(place.rubrics, metric, id)?.name;
  return element("button", {
    type: "button",
    class: "criterion",
    "aria-expanded": "false",
    "aria-label": `${id}${name ? `, ${name}` : ""}: ${level} of 4`,
    title: name,
    onclick: () => place.choice.toggleCriterion(source.source, metric, id),
  }, element("span", { class: "criterion-id" }, id), pips(level), element("span", { class: "number" }, level));
}

function pips(level) {
  const dots = [1, 2, 3, 4].map((n) => element("i", { class: n <= level ? "pip on" : "pip" }));
  return element("span", { class: "pips", "aria-hidden": "true" }, dots);
}

function criterionOf(rubrics, metric, id) {
  return rubrics[metric]?.subscores.find((criterion) => criterion.id === id);
}

function criterionDetail(place, source, metric, id) {
  const judgment = source.scores[metric];
  const level = judgment.subscores[id];
  const criterion = criterionOf(place.rubrics, metric, id);
  const meaning = criterion?.levels[level] ?? "This report was made without the wording of this rubric; make it with --rubric FILE.";
  return element("div", { class: "criterion-detail" },
    element("p", {}, element("strong", {}, `${id} ${criterion?.name ?? ""}`), ` – level ${level} of 4`),
    element("p", { class: "meaning" }, meaning),
    evidenceList(place, judgment.evidence, id));
}

function evidenceList(place, evidence, id) {
  if (!evidence) return element("p", { class: "small muted" }, "This judge names no evidence.");
  const numbers = evidence[id] ?? [];
  if (!numbers.length) return element("p", { class: "small muted" }, "No sentence is named as evidence.");
  const toUnit = unitOffsets(place.card.answer);
  const items = numbers.map((n) => {
    const sentence = place.card.sentences[n];
    if (!sentence) return null;
    const text = quoted(place.card.answer.slice(toUnit(sentence.start), toUnit(sentence.end)));
    return element("li", {}, element("button", {
      type: "button", class: "evidence-quote", onclick: () => place.showSentence(n),
    }, foreign(cut(text, 220)), element("span", { class: "visually-hidden" }, " (show in the answer)")));
  });
  return [element("p", { class: "eyebrow" }, `Evidence, ${counted(numbers.length, "sentence")}`),
    element("ol", { class: "evidence-list" }, items)];
}
