/* Sources as lines that a person can write, and back:
 *
 *   Title of a page https://example.org/page
 *   [4] https://example.org/other
 */

const NUMBER = /^\s*(?:\[(\d{1,6})\]|(\d{1,6})[.):])(?:\s+|$)/;
const ADDRESS = /\bhttps?:\/\/\S+/i;

export function sourcesOf(text) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  if (!lines.length) return null;
  return lines.map((line, i) => {
    const number = NUMBER.exec(line);
    const rest = number ? line.slice(number[0].length) : line;
    const url = ADDRESS.exec(rest)?.[0] ?? null;
    const title = (url ? rest.replace(url, "") : rest).replace(/\s*[-–—|:]?\s*$/, "").trim();
    return { n: number ? Number(number[1] ?? number[2]) : i + 1, ...(url && { url }), ...(title && { title }) };
  });
}

export function linesOf(sources) {
  return (sources ?? []).map((source, i) => {
    if (typeof source === "string") return `[${i + 1}] ${source}`;
    if (typeof source === "number") return `[${source}]`;
    const { n = i + 1, title, url } = source;
    return [`[${n}]`, title?.replace(/\s+/g, " "), url].filter(Boolean).join(" ");
  }).join("\n");
}
