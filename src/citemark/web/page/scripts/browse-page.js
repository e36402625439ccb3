/* One results file: the same views as the report, with a case opened by #case-ID. */

import { element, foreign, replace } from "../../report/scripts/dom.js";
import { caseList } from "../../report/scripts/case-list.js";
import { caseView } from "../../report/scripts/case-view.js";
import { decodeCase } from "../../report/scripts/decode.js";
import { domainView } from "../../report/scripts/domain-view.js";
import { summaryView } from "../../report/scripts/summary-view.js";
import { counted } from "../../report/scripts/words.js";
import { getJson } from "./api.js";
import { actionBar } from "./exporting.js";
import { copyLink } from "./links.js";
import { pageHead } from "./states.js";

export async function open(name) {
  const path = `/api/results/${name.split("/").map(encodeURIComponent).join("/")}`;
  const data = await getJson(path);
  const { report } = data;
  const view = (index) => caseView(decodeCase(data.cases[index], report.metrics, report.rubrics), report.metrics, report.rubrics);
  const single = report.cases.length === 1;
  const list = caseList(report.cases);
  const overview = element("div", { class: "overview" },
    complaints(data.complaints),
    single && element("section", { id: "cases", "aria-label": "Case" }, view(0)),
    summaryView(report),
    domainView(report, (domain, indexes) => {
      list.showOnly(domain, indexes);
      location.hash = "#cases";
      document.getElementById("cases-title")?.focus();
    }),
    !single && list.node);
  const place = element("div", { class: "case-place" });
  const go = (moved) => show({ report, single, view, overview, place, moved, name });
  addEventListener("hashchange", () => go(true));
  queueMicrotask(() => setTimeout(() => go(Boolean(location.hash))));
  return [head(name, path, report), overview, place];
}

function head(name, path, report) {
  const take = (form) => () => element("a", { href: `${path}?format=${form}`, download: "" }).click();
  return [
    element("nav", { class: "case-bar", "aria-label": "Results" }, element("a", { class: "button", href: "/results" }, "← All results"),
      actionBar("Take the results away", [
        ["HTML report", take("html")], ["CSV", take("csv")], ["JSONL", take("jsonl")],
        ["Copy link", async () => ((await copyLink()) ? "Link copied" : "The address bar holds the link")],
      ])),
    pageHead(`${counted(report.cases.length, "case")}, judged by ${[...new Set(report.runs.map((run) => run.judge))].join(", ")}`, foreign(name)),
  ];
}

function complaints(all) {
  if (!all.length) return null;
  return element("div", { class: "state error", role: "alert" },
    element("strong", {}, `${counted(all.length, "line")} left out`),
    element("ul", { class: "small" }, all.map((text) => element("li", {}, foreign(text)))));
}

function show({ report, single, view, overview, place, moved, name }) {
  const hash = decoded(location.hash.slice(1));
  const row = hash.startsWith("case-") && !single ? report.cases.find((each) => each.link === hash.slice(5)) : null;
  const leaving = !overview.isConnected ? false : overview.hidden;
  overview.hidden = Boolean(row);
  replace(place, row && bar(report, row.index), row && view(row.index));
  document.title = `${row ? row.query.slice(0, 80) : name} · Citemark`;
  if (row && moved) {
    scrollTo(0, 0);
    place.querySelector("h2")?.focus({ preventScroll: true });
  } else if (!row && hash) {
    document.getElementById(hash)?.scrollIntoView();
    if (leaving) document.getElementById(`${hash}-title`)?.focus({ preventScroll: true });
  }
}

function bar(report, index) {
  const step = (to, text, label) => (report.cases[to]
    ? element("a", { class: "button quiet", href: `#case-${encodeURIComponent(report.cases[to].link)}`, "aria-label": label }, text)
    : element("span", { class: "button quiet", "aria-disabled": "true" }, text));
  return element("nav", { class: "case-bar", "aria-label": "Cases" },
    element("a", { class: "button", href: "#cases" }, "← All cases"),
    element("span", { class: "case-steps" }, step(index - 1, "Previous", "Previous case"),
      element("span", { class: "small muted number" }, `${index + 1} of ${report.cases.length}`),
      step(index + 1, "Next", "Next case")));
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
