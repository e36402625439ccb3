/* How the answer is read, while one types: who is cited how often, and what looks wrong. */

import { element, foreign, replace } from "../../report/scripts/dom.js";
import { findingList } from "../../report/scripts/findings.js";
import { chip, paletteOf } from "../../report/scripts/palette.js";
import { counted, percent, sourceName } from "../../report/scripts/words.js";

const MOST_SHOWN = 40;

export function readingPanel() {
  const body = element("div", { class: "reading-body" });
  const told = element("p", { class: "visually-hidden", role: "status" });
  const node = element("section", { class: "card reading", "aria-label": "As it is read" },
    element("h2", { class: "eyebrow" }, "As it is read"), told, body);
  const show = (...children) => replace(body, ...children);
  clear();

  function clear() {
    told.textContent = "";
    show(element("p", { class: "muted" }, "Citations show up here while you type: [1], [2, 3], 【4†source】, links and more."));
  }

  return {
    node,
    clear,
    fail: (error) => show(element("p", { class: "alarm-text" }, foreign(error.message))),
    show(parsed) {
      const looks = paletteOf(parsed.sources);
      const cited = parsed.sources.filter((source) => source.cited).length;
      const facts = `${counted(parsed.sentences.length, "sentence")}, ${counted(cited, "source")} cited`;
      const findings = parsed.problems.length ? `, ${counted(parsed.problems.length, "finding")}` : "";
      if (told.textContent !== facts + findings) told.textContent = facts + findings;
      const rows = parsed.sources.slice(0, MOST_SHOWN).map((source) => sourceRow(source, looks, parsed.sentences));
      show(
        element("p", { class: "reading-facts" }, facts),
        rows.length > 0 && element("ul", { class: "reading-list" }, rows),
        parsed.sources.length > MOST_SHOWN && element("p", { class: "muted small" }, `and ${parsed.sources.length - MOST_SHOWN} more`),
        findingList(parsed.problems));
    },
  };
}

function sourceRow(source, looks, sentences) {
  const times = sentences.filter((sentence) => sentence.sources.includes(source.source)).length;
  return element("li", { class: source.cited ? "" : "uncited" },
    chip(source.source, looks.get(source.source)),
    element("span", { class: "reading-name" }, foreign(sourceName(source))),
    element("span", { class: "small muted number" },
      source.cited ? `${counted(times, "sentence")}, ${percent(source.impression.share.word)} of the cited words` : "not cited"));
}
