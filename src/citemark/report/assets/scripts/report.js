/* The report: reads the embedded data, shows the overview, opens cases on demand (#case-ID). */

import { element, replace } from "./dom.js";
import { caseList } from "./case-list.js";
import { caseView } from "./case-view.js";
import { decodeCase } from "./decode.js";
import { domainView } from "./domain-view.js";
import { summaryView } from "./summary-view.js";
import { themeSwitch } from "./theme.js";

const PRINT_ALL = 12; // a report of up to so many cases is printed with all of them

function embedded(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

function failure(error) {
  return element("div", { class: "state error", role: "alert" },
    element("strong", {}, "This report cannot be shown"),
    element("p", {}, `Its data could not be read (${error.message}). Make it again with: citemark report RESULTS -o report.html`));
}

function start() {
  const app = document.getElementById("app");
  document.querySelector(".masthead-tools")?.append(themeSwitch());
  document.querySelector(".skip")?.addEventListener("click", (event) => {
    event.preventDefault(); // the address keeps naming the open case
    document.getElementById("main").focus();
  });
  let report;
  try {
    report = embedded("report-data");
  } catch (error) {
    replace(app, failure(error));
    return;
  }
  const pages = makePages(report, app);
  addEventListener("hashchange", () => pages.go(true));
  addEventListener("beforeprint", pages.unfold);
  addEventListener("afterprint", pages.fold);
  pages.go(false);
}

/* The script runs before the cases, most of the file, have been read; what needs them waits. */
function whenRead(action) {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", action, { once: true });
  else action();
}

function makePages(report, app) {
  let rows = null; // parsed when the first case is opened: most of the data
  const card = (index) => {
    rows ??= embedded("case-data");
    return decodeCase(rows[index], report.metrics, report.rubrics);
  };
  const view = (index, level) => caseView(card(index), report.metrics, report.rubrics, { headingLevel: level });
  const single = report.cases.length === 1;
  const list = caseList(report.cases);
  const alone = single && element("section", { id: "cases", "aria-label": "Case" });
  if (alone) whenRead(() => alone.append(view(0, 2)));
  const overview = element("div", { class: "overview" },
    alone,
    summaryView(report),
    domainView(report, (name, indexes) => {
      list.showOnly(name, indexes);
      location.hash = "#cases";
      document.getElementById("cases-title")?.focus();
    }),
    !single && list.node);
  const place = element("div", { class: "case-place" });
  const printed = element("div", { class: "print-only" });
  replace(app, overview, place, printed);
  app.removeAttribute("aria-busy");
  const byLink = new Map(report.cases.map((row) => [row.link, row.index]));
  let opened = null;

  function openCase(index, moved) {
    try {
      replace(place, caseBar(report, index), view(index, 2));
    } catch (error) {
      replace(place, failure(error));
    }
    document.title = `${report.cases[index].query.slice(0, 80)} · Citemark`;
    if (moved) {
      scrollTo({ top: 0, behavior: "instant" });
      place.querySelector("h2")?.focus({ preventScroll: true });
    }
  }

  function go(moved) {
    const hash = decoded(location.hash.slice(1));
    if (document.readyState === "loading" && hash.startsWith("case-")) {
      whenRead(() => go(moved));
      return;
    }
    const index = hash.startsWith("case-") ? byLink.get(hash.slice(5)) : undefined;
    const shown = index !== undefined && !single;
    overview.hidden = shown;
    place.hidden = !shown;
    if (shown) {
      openCase(index, moved || opened !== null);
    } else {
      replace(place);
      document.title = `${report.title} · Citemark`;
      const target = hash && document.getElementById(hash);
      if (target) target.scrollIntoView();
      else if (moved && opened !== null) backTo(opened);
      if (target && opened !== null) document.getElementById(`${hash}-title`)?.focus({ preventScroll: true });
    }
    opened = shown ? index : null;
  }

  function backTo(index) {
    const link = [...overview.querySelectorAll(".case-link")].find((each) => each.hash === `#case-${encodeURIComponent(report.cases[index].link)}`);
    (link ?? document.getElementById("cases-title"))?.focus();
  }

  addEventListener("keydown", (event) => {
    const busy = event.target instanceof Element && event.target.closest("input, select, textarea");
    if (event.key === "Escape" && opened !== null && !busy) location.hash = "#cases";
  });

  return {
    go,
    unfold() {
      if (!single && opened === null && report.cases.length <= PRINT_ALL) replace(printed, report.cases.map((row) => view(row.index, 2)));
    },
    fold: () => replace(printed),
  };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function caseBar(report, index) {
  const step = (to, name, label) => (report.cases[to]
    ? element("a", { class: "button quiet", href: `#case-${encodeURIComponent(report.cases[to].link)}`, "aria-label": label }, name)
    : element("span", { class: "button quiet", "aria-disabled": "true" }, name));
  return element("nav", { class: "case-bar", "aria-label": "Cases" },
    element("a", { class: "button", href: "#cases" }, "← All cases"),
    element("span", { class: "case-steps" },
      step(index - 1, "Previous", "Previous case"),
      element("span", { class: "small muted number" }, `${index + 1} of ${report.cases.length}`),
      step(index + 1, "Next", "Next case")));
}

start();
