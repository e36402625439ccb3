/* Cases are embedded in a compact form (report/encoding.py writes it); this gives back
 * scorecards as they stand in results files.
 */

const KINDS = ["sentence", "heading", "item", "row"];

function listed(value) {
  if (Array.isArray(value)) return value;
  return value ? [value] : [];
}

function sentencesOf(rows) {
  let at = 0;
  return rows.map(([gap, length, kind, sources, block], n) => {
    const start = at + gap;
    at = start + length;
    const own = listed(sources);
    return { n, start, end: at, kind: KINDS[kind], sources: own, block_sources: block === undefined ? own : listed(block) };
  });
}

function judgmentOf(row, rubric, pool) {
  if (row === 0) return { status: "not_cited" };
  if (typeof row === "string") return { status: "failed", reason: row, score: null };
  const [score, levels, evidence, interval, band] = row;
  const ids = rubric?.ids ?? [];
  const named = (values) => Object.fromEntries(values.map((value, i) => [ids[i] ?? String(i + 1), value]));
  return {
    status: "scored",
    score,
    interval: interval || null,
    band: band ?? rubric?.bands.find(([low, high]) => low <= score && score <= high)?.[2] ?? null,
    subscores: levels ? named([...levels].map(Number)) : null,
    evidence: evidence ? named(evidence.map((i) => pool[i])) : null,
  };
}

function sourceOf(row, metrics, rubrics) {
  const [source, key, url, title, cited, overall, judgments, pool, figures] = row;
  const scores = {};
  judgments.forEach((judgment, i) => {
    if (judgment !== null) scores[metrics[i]] = judgmentOf(judgment, rubrics[metrics[i]], pool);
  });
  const [sentences, words, word, share] = figures;
  return {
    source, key: key || null, url: url || null, title: title || null, cited: Boolean(cited), overall, scores,
    impression: { sentences, words, word, share: { word: share } },
  };
}

export function decodeCase(row, metrics, rubrics) {
  const [id, query, answer, tags, variant, sentences, problems, sources] = row;
  return {
    case: id, query, answer, tags: tags || {}, variant: variant || null,
    sentences: sentencesOf(sentences),
    problems: problems.map(([code, start, length, message]) => ({ code, start, end: start + length, message })),
    sources: sources.map((source) => sourceOf(source, metrics, rubrics)),
  };
}
