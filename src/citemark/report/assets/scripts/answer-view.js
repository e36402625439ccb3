/* The answer as it reads, every sentence tinted by whom it cites, findings where they stand.
 *
 *   const view = answerView(card, looks, choice);   view.node, view.show(n) scrolls to sentence n
 *
 * A sentence with several sources is striped in their hues. Choosing a source lights its
 * sentences (.lit) and quietens the rest; choosing a criterion marks its evidence (.evidence).
 */

import { append, element, foreign } from "./dom.js";
import { blocksOf, numbersIn, piecesOf, unitOffsets } from "./answer-layout.js";
import { findingFlag } from "./findings.js";
import { chip, lookClass } from "./palette.js";

export function answerView(card, looks, choice) {
  const toUnit = unitOffsets(card.answer);
  const sentences = card.sentences.map((s) => ({ ...s, start: toUnit(s.start), end: toUnit(s.end), spans: [] }));
  const flags = card.problems
    .map((problem, i) => ({ problem, number: i + 1, at: toUnit(problem.end), from: toUnit(problem.start) }))
    .filter(({ problem }) => problem.end > problem.start)
    .sort((a, b) => a.at - b.at);
  const page = { text: card.answer, sentences, flags, looks, choice };
  const node = element("div", { class: "answer", dir: "auto" });
  for (const block of blocksOf(card.answer)) node.append(blockNode(page, block));
  gatherItems(node);
  choice.listen((chosen) => light(node, card, sentences, chosen));
  return { node, show: (n) => showSentence(sentences[n]) };
}

function blockNode(page, block) {
  const { kind, start, end } = block;
  if (kind === "rule") return element("hr");
  if (kind === "code") return codeNode(page, start, end);
  if (kind === "table") return tableNode(page, block);
  if (kind === "item") {
    const item = element("li", { class: `depth-${block.depth}`, dir: "auto" });
    item.append(element("span", { class: "item-mark" }, block.mark));
    item.append(fillRange(page, element("div"), start, end));
    return item;
  }
  const names = { heading: "p", quote: "blockquote", paragraph: "p" };
  const look = kind === "heading" ? { class: `answer-heading level-${Math.min(block.level, 4)}` } : {};
  return fillRange(page, element(names[kind], { ...look, dir: "auto" }), start, end);
}

/* Code as it stands, without its fences; findings in it follow it. */
function codeNode(page, start, end) {
  const code = page.text.slice(start, end).replace(/^ *(```|~~~)[^\n]*\n?/, "").replace(/\n? *(```|~~~)[ \t]*$/, "");
  const node = element("div", {}, element("pre", { tabindex: "0" }, element("code", {}, code)));
  addFlags(page, node, start, end);
  return node;
}

function tableNode(page, { rows, headed }) {
  const table = element("table");
  rows.forEach((cells, i) => {
    const name = headed && i === 0 ? "th" : "td";
    const row = cells.map(({ start, end }, k) =>
      fillRange(page, element(name, { dir: "auto", scope: name === "th" ? "col" : null }), start, end, k === cells.length - 1));
    table.append(element("tr", {}, row));
  });
  return element("div", { class: "answer-table", tabindex: "0", role: "group", "aria-label": "Table in the answer" }, table);
}

/* Neighbouring items belong in one list. */
function gatherItems(node) {
  for (const item of [...node.children].filter((child) => child.localName === "li")) {
    const before = item.previousElementSibling;
    const list = before?.localName === "ul" ? before : element("ul");
    if (list !== before) item.before(list);
    list.append(item);
  }
}

/* Fill an element with a stretch of the answer, cut where sentences and findings end. */
function fillRange(page, node, start, end, closes = true) {
  const text = page.text.slice(start, end);
  const state = { bold: false, bolds: text.split("**").length % 2 === 1 };
  let at = start;
  for (let i = firstBehind(page.sentences, start, (s) => s.end); i < page.sentences.length; i += 1) {
    const sentence = page.sentences[i];
    if (sentence.start >= end) break;
    const [from, to] = [Math.max(sentence.start, start), Math.min(sentence.end, end)];
    if (from > at) plainRun(page, node, at, from, state);
    node.append(sentenceSpan(page, sentence, from, to, state, closes && to === sentence.end));
    addFlags(page, node, from, to);
    at = to;
  }
  if (at < end) plainRun(page, node, at, end, state);
  return node;
}

function plainRun(page, node, from, to, state) {
  const run = foreign(null, { class: "plain" });
  append(run, nodesOf(page.text.slice(from, to), state));
  node.append(run);
  addFlags(page, node, from, to);
}

function addFlags(page, node, from, to) {
  for (let i = firstBehind(page.flags, from, (flag) => flag.at); i < page.flags.length; i += 1) {
    const flag = page.flags[i];
    if (flag.at > to) break;
    node.append(findingFlag(flag.problem, flag.number));
  }
}

/* The first of an ordered list whose place lies behind an offset: a long answer has thousands
 * of blocks and sentences, so none of them may look at all of the others. */
function firstBehind(list, offset, place) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (place(list[middle]) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

function sentenceSpan(page, sentence, from, to, state, last) {
  const shared = sentence.sources.length > 1;
  const looks = sentence.sources.map((n) => page.looks.get(n)).filter(Boolean);
  const kind = looks.length ? `cited ${shared ? "shared" : lookClass(looks[0])}` : "uncited";
  const span = element("bdi", { class: `sentence ${kind}`, "data-n": sentence.n });
  if (shared) stripe(span, looks);
  const text = page.text.slice(from, to);
  append(span, nodesOf(text, state));
  if (last) append(span, missingNumbers(page, sentence));
  if (looks.length) span.addEventListener("click", () => chooseBySentence(page.choice, sentence));
  sentence.spans.push(span);
  return span;
}

/* A sentence of several sources carries all their hues in stripes, and a line for each. */
function stripe(span, looks) {
  const hues = looks.slice(0, 4).map((look) => `var(--hue-${look.hue})`);
  hues.forEach((hue, i) => span.style.setProperty(`--s${i}`, hue));
  span.classList.add(`stripes-${hues.length}`);
}

function nodesOf(text, state) {
  return piecesOf(text).map((piece) => {
    if (piece.kind === "bold" && state.bolds) {
      state.bold = !state.bold;
      return null;
    }
    const node = pieceNode(piece);
    return state.bold ? element("strong", {}, node) : node;
  });
}

function pieceNode({ kind, text, address }) {
  if (kind === "code") return element("code", {}, text);
  if (kind === "link") return element("a", { href: address }, text);
  return kind === "marker" ? element("span", { class: "marker" }, text) : text;
}

/* Sources that no bracketed number in the sentence names get their number at its end. */
function missingNumbers(page, sentence) {
  const shown = new Set();
  for (const piece of piecesOf(page.text.slice(sentence.start, sentence.end))) {
    if (piece.kind === "marker") numbersIn(piece.text).forEach((n) => shown.add(n));
  }
  const missing = sentence.sources.filter((n) => !shown.has(n));
  return missing.map((n) => chip(n, page.looks.get(n), { class: `chip mini ${lookClass(page.looks.get(n))}`, title: `cites source ${n}` }));
}

/* A click on a sentence chooses its source, the next click its next one, then none. */
function chooseBySentence(choice, sentence) {
  const place = sentence.sources.indexOf(choice.get().source);
  choice.set(sentence.sources[place + 1] ?? null);
}

function light(node, card, sentences, { source, metric, criterion }) {
  const evidence = card.sources.find((s) => s.source === source)?.scores[metric]?.evidence?.[criterion] ?? [];
  node.classList.toggle("choosing", source !== null);
  for (const sentence of sentences) {
    const lit = sentence.sources.includes(source);
    const near = !lit && sentence.block_sources.includes(source);
    for (const span of sentence.spans) {
      span.classList.toggle("lit", lit);
      span.classList.toggle("near", near);
      span.classList.toggle("evidence", evidence.includes(sentence.n));
    }
  }
}

function showSentence(sentence) {
  const [span] = sentence?.spans ?? [];
  if (!span) return;
  span.scrollIntoView({ block: "center" });
  span.setAttribute("tabindex", "-1");
  span.focus({ preventScroll: true });
}
