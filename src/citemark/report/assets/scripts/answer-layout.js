/* Where the blocks of an answer lie: headings, items, quotes, tables, code, paragraphs.
 * Pure functions over offsets; nothing is rewritten, so sentences keep their places.
 */

/* Offsets in a scorecard count characters; a string here counts UTF-16 units. */
export function unitOffsets(text) {
  if (!/[\ud800-\udbff][\udc00-\udfff]/.test(text)) return (offset) => offset;
  const starts = [];
  for (let i = 0; i < text.length; i += text.codePointAt(i) > 0xffff ? 2 : 1) starts.push(i);
  starts.push(text.length);
  return (offset) => starts[Math.min(offset, starts.length - 1)];
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+/;
const ITEM = /^([ \t]*)([-*+•]|\d{1,3}[.)])[ \t]+/;
const QUOTE = /^ {0,3}>[ \t]?/;
const FENCE = /^ {0,3}(```|~~~)/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const ROW = /^[ \t]*\|.*\|[ \t]*$/;
const DIVIDER = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

function linesOf(text) {
  const lines = [];
  const ends = /\r\n|[\n\r\u2028\u2029]/g;
  let start = 0;
  for (let match = ends.exec(text); match; match = ends.exec(text)) {
    lines.push({ start, end: match.index });
    start = ends.lastIndex;
  }
  lines.push({ start, end: text.length });
  return lines;
}

function cellsOf(text, line) {
  const cells = [];
  let start = null;
  for (let i = line.start; i < line.end; i += 1) {
    if (text[i] !== "|" || text[i - 1] === "\\") continue;
    if (start !== null) cells.push({ start, end: i });
    start = i + 1;
  }
  return cells;
}

/* One block of a line: its kind, and where its text begins behind the mark of the kind. */
function blockOf(text, line) {
  const content = text.slice(line.start, line.end);
  const at = (match) => ({ start: line.start + match[0].length, end: line.end });
  let match = HEADING.exec(content);
  if (match) return { kind: "heading", level: match[1].length, ...at(match) };
  if (RULE.test(content)) return { kind: "rule", ...line };
  match = ITEM.exec(content);
  if (match) {
    const depth = Math.min(3, Math.floor(match[1].replaceAll("\t", "    ").length / 2));
    return { kind: "item", mark: /\d/.test(match[2]) ? match[2] : "•", depth, ...at(match) };
  }
  match = QUOTE.exec(content);
  if (match) return { kind: "quote", ...at(match) };
  return { kind: "paragraph", ...line };
}

/* The blocks of an answer in order; every visible character lies in one of them. */
export function blocksOf(text) {
  const blocks = [];
  let fence = null;
  let open = null; // a paragraph that the next line may go on with
  for (const line of linesOf(text)) {
    const content = text.slice(line.start, line.end);
    const mark = FENCE.exec(content);
    if (fence) {
      fence.end = line.end;
      if (mark && mark[1] === fence.mark) fence = null;
      continue;
    }
    if (mark) {
      fence = { kind: "code", mark: mark[1], start: line.start, end: line.end };
      blocks.push(fence);
      open = null;
      continue;
    }
    if (!content.trim()) {
      open = null;
      continue;
    }
    const last = blocks.at(-1);
    if (ROW.test(content)) {
      const table = last?.kind === "table" && open === last ? last : { kind: "table", rows: [] };
      if (table !== last) blocks.push(table);
      if (DIVIDER.test(content)) table.headed = table.rows.length > 0;
      else table.rows.push(cellsOf(text, line));
      open = table;
      continue;
    }
    const block = blockOf(text, line);
    if (block.kind === "paragraph" && open?.kind === "paragraph") {
      open.end = line.end;
      continue;
    }
    blocks.push(block);
    open = block.kind === "paragraph" ? block : null;
  }
  return blocks;
}

const PIECES = /\*\*|`[^`\n]+`|\[([^\]\n]{1,300})\]\((https?:\/\/[^\s()]+)\)|【[^】\n]{1,60}】|\[\^?\d[\d,;\s–-]{0,40}\]/g;

/* A stretch of text as plain pieces, bold marks, code, links and citation markers. */
export function piecesOf(text) {
  const pieces = [];
  let from = 0;
  for (const match of text.matchAll(PIECES)) {
    if (match.index > from) pieces.push({ kind: "text", text: text.slice(from, match.index) });
    const [whole, label, address] = match;
    if (whole === "**") pieces.push({ kind: "bold", text: whole });
    else if (whole[0] === "`") pieces.push({ kind: "code", text: whole.slice(1, -1) });
    else if (address) pieces.push({ kind: "link", text: label, address });
    else pieces.push({ kind: "marker", text: whole });
    from = match.index + whole.length;
  }
  if (from < text.length) pieces.push({ kind: "text", text: text.slice(from) });
  return pieces;
}

/* The numbers that a marker shows to a reader: "[1, 3-5]" -> 1, 3, 4, 5 */
export function numbersIn(marker) {
  const numbers = new Set();
  for (const [, first, last] of marker.matchAll(/(\d{1,4})(?:\s*[-–]\s*(\d{1,4}))?/g)) {
    const to = Math.min(Number(last ?? first), Number(first) + 50);
    for (let n = Number(first); n <= to; n += 1) numbers.add(n);
  }
  return numbers;
}

/* A sentence as it is quoted elsewhere: without markers and marks of layout. */
export function quoted(text) {
  const plain = piecesOf(text).map((piece) => (piece.kind === "marker" || piece.kind === "bold" ? "" : piece.text));
  return plain.join("").replace(/\s*\|\s*/g, " · ").replace(/\s+([.,;:!?])/g, "$1").replace(/\s+/g, " ")
    .replace(/^[ ·]+|[ ·]+$/g, "");
}
