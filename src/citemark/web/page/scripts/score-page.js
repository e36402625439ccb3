/* Score: paste a query and an answer; citations show while typing, scores a moment later. */

import { element, foreign, replace } from "../../report/scripts/dom.js";
import { caseView } from "../../report/scripts/case-view.js";
import { download, getJson, keep, postJson, postText, resultsPath } from "./api.js";
import { caseFields } from "./case-fields.js";
import { actionBar } from "./exporting.js";
import { copyLink, follow, unpacked } from "./links.js";
import { latest } from "./live.js";
import { caseMenu, casesIn, fileButton } from "./picking.js";
import { readingPanel } from "./reading-panel.js";
import { rubricTexts } from "./rubric-texts.js";
import { empty, failed, loading, pageHead } from "./states.js";

const READ_AFTER = 120;
const SCORE_AFTER = 450;
const JUDGES = [["embedded", "Embedded"], ["embedded:fast", "Fast"]];

export async function open() {
  const [rubrics, { examples }, { judges }, linked] = await Promise.all([
    rubricTexts(), getJson("/api/examples"), getJson("/api/judges"), unpacked(location.hash).catch(() => null)]);
  const there = JUDGES.filter(([name]) => judges.some(({ spec }) => spec === name));
  const page = makePage(rubrics, examples, there);
  if (linked?.case) page.pick(linked.case, linked.judge);
  return page.nodes;
}

function makePage(rubrics, examples, choices) {
  let judge = choices[0][0];
  const fields = caseFields({ onchange: () => changed(), answers: [["answer", "Answer", "Paste the generated answer, with its citations."]] });
  const panel = readingPanel();
  const place = element("section", { class: "scores-place", "aria-label": "Scores" });
  const picker = element("div", { class: "toolbar pick-bar" });

  const reading = latest(READ_AFTER, async (signal) => {
    const one = fields.readOne("answer");
    if (!one) return panel.clear();
    return panel.show(await postJson("/api/parse", one, signal));
  }, panel.fail);

  const scoring = latest(SCORE_AFTER, async (signal) => {
    const cases = fields.read();
    if (!cases) return showNothing();
    if (!place.querySelector(".case")) replace(place, loading("Scoring …"));
    const result = await postJson(`/api/score?judge=${judge}`, cases.answer, signal);
    showScores(result, cases.answer);
    return follow({ case: cases.answer, judge });
  }, (error) => {
    place.removeAttribute("aria-busy");
    replace(place, failed(error, scoring.now));
  });

  function changed() {
    place.setAttribute("aria-busy", "true");
    reading.soon();
    scoring.soon();
  }

  function showNothing() {
    place.removeAttribute("aria-busy");
    history.replaceState(null, "", location.pathname);
    replace(place, fields.isEmpty()
      ? empty("Nothing to score yet", "Paste a query and an answer, open a file, or choose an example. Nothing leaves this machine.")
      : empty("Almost there", "A score needs both: the query that was asked and the answer."));
  }

  function showScores({ scorecard, trust }, one) {
    place.removeAttribute("aria-busy");
    const metrics = Object.keys(rubrics).filter((name) => scorecard.sources.some((source) => name in source.scores));
    replace(place,
      element("div", { class: "scores-head" },
        element("p", { class: "small soft" }, "Judge ", element("strong", {}, foreign(scorecard.judge)), ": ", foreign(trust)),
        actions(one)),
      caseView(scorecard, metrics, rubrics));
  }

  function actions(one) {
    const take = (form) => async () => `Saved as ${await download(`/api/score?judge=${judge}&format=${form}`, one)}`;
    return actionBar("Take the scores away", [
      ["HTML report", take("html")], ["CSV", take("csv")], ["JSONL", take("jsonl")],
      ["Copy link", async () => {
        if (!(await follow({ case: one, judge }))) return "Too long for a link: keep it in the folder and link to that";
        return (await copyLink()) ? "Link copied" : "The address bar holds the link";
      }],
      ["Keep in folder", async () => {
        const { name } = await keep(fileName(one.query), await postText(`/api/score?judge=${judge}&format=jsonl`, one));
        return element("a", { href: resultsPath(name) }, `Open ${name}`);
      }],
    ]);
  }

  function pick(one, withJudge) {
    if (choices.some(([spec]) => spec === withJudge)) chooseJudge(withJudge);
    fields.fill({ answer: one });
    replace(place, loading("Scoring …"));
    reading.now();
    scoring.now();
  }

  const judges = choices.map(([spec, name]) => element("button", {
    type: "button", "aria-pressed": String(spec === judge), onclick: () => { chooseJudge(spec); changed(); },
  }, name));

  function chooseJudge(spec) {
    judge = spec;
    judges.forEach((button, i) => button.setAttribute("aria-pressed", String(choices[i][0] === spec)));
  }

  function drawPicker(...more) {
    replace(picker, caseMenu("Example", examples, (one) => pick(one)), ...more,
      fileButton("Open file …", ".md,.txt,.json,.jsonl,.ndjson", openFile),
      element("button", { type: "button", class: "button quiet", onclick: () => { fields.fill({}); changed(); fields.focus(); } }, "Clear"),
      choices.length > 1 && element("div", { class: "segmented push", role: "group", "aria-label": "Judge" }, judges));
  }

  async function openFile(file) {
    try {
      const cases = await casesIn(file);
      drawPicker(cases.length > 1 && caseMenu(`Cases of ${file.name}`, cases, (one) => pick(one)));
      pick(cases[0]);
      if (!cases[0].query) fields.focus();
    } catch (error) {
      replace(place, failed(error));
    }
  }

  drawPicker();
  showNothing();
  const nodes = [
    pageHead("How much each cited source matters", "Score an answer"),
    element("div", { class: "writing" },
      element("section", { class: "card writing-card", "aria-label": "Case" }, picker, fields.nodes),
      panel.node),
    place,
  ];
  return { nodes, pick };
}

export function fileName(query) {
  const words = query.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return `${words.slice(0, 6).join("-").slice(0, 50) || "answer"}.jsonl`;
}
