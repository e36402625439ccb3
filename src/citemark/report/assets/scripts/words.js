/* How numbers, statuses and names are said, the same in every view. */

export function counted(number, noun, plural = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

export function decimal(value, digits = 1) {
  return value === null || value === undefined ? "–" : value.toFixed(digits);
}

export function percent(value, digits = 0) {
  if (value === null || value === undefined) return "–";
  const text = (100 * value).toFixed(digits);
  return value > 0 && Number(text) === 0 ? `<${(10 ** -digits).toFixed(digits)} %` : `${text} %`;
}

export function capital(text) {
  return text ? text[0].toUpperCase() + text.slice(1) : text;
}

/* "follow_up" -> "Follow up" */
export function metricName(metric) {
  return capital(metric.replaceAll("_", " "));
}

export function reasonName(reason) {
  return (reason ?? "unknown").replaceAll("_", " ");
}

export function statusWords(judgment) {
  if (!judgment) return "not asked";
  if (judgment.status === "not_cited") return "not cited";
  return judgment.status === "failed" ? `failed: ${reasonName(judgment.reason)}` : "";
}

/* An 80 % interval that reaches over more than two bands tells little. */
const UNSURE_SPAN = 7;

export function isUnsure(judgment) {
  return Boolean(judgment?.interval) && judgment.interval[1] - judgment.interval[0] >= UNSURE_SPAN;
}

export function hostOf(address) {
  const match = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:www\.)?([^/?#\s]+)/i.exec(address ?? "");
  return match ? match[1] : "";
}

export function sourceName(source) {
  return source.title || hostOf(source.url) || source.key || `Source ${source.source}`;
}

export function cut(text, most) {
  const letters = Array.from(text);
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("").trimEnd()}…`;
}
