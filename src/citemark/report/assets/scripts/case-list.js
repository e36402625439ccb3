/* The list of cases: searched, filtered, sorted, a page at a time. */

import { element, foreign, replace } from "./dom.js";
import { scoreBar } from "./bars.js";
import { counted, cut, decimal } from "./words.js";

const PAGE = 20;
const FILTERS = {
  all: ["All cases", () => true],
  failed: ["With failed judgments", (row) => row.failed > 0],
  findings: ["With findings", (row) => row.findings > 0],
  uncited: ["Citing nothing", (row) => row.cited === 0],
};
const ORDERS = {
  file: ["As in the results", (a, b) => a.index - b.index],
  strong: ["Strongest first", (a, b) => (b.overall ?? -1) - (a.overall ?? -1)],
  weak: ["Weakest first", (a, b) => (a.overall ?? 99) - (b.overall ?? 99)],
  findings: ["Most findings first", (a, b) => b.findings - a.findings],
};

export function caseList(cases) {
  const state = { words: "", filter: "all", order: "file", page: 0, only: null };
  const rows = cases.map((row) => ({ ...row, haystack: `${row.id} ${row.query} ${row.tags ?? ""}`.toLowerCase() }));
  const list = element("div", { class: "case-list-place" });
  const told = element("p", { class: "small muted", role: "status" });
  const draw = () => {
    const found = matching(rows, state);
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    state.page = Math.min(state.page, pages - 1);
    told.textContent = found.length === rows.length ? counted(rows.length, "case") : `${found.length.toLocaleString("en")} of ${counted(rows.length, "case")}`;
    replace(list, onlyNote(state, draw), found.length ? listNodes(found.slice(state.page * PAGE, (state.page + 1) * PAGE)) : nothingFound(),
      pages > 1 && pager(state, pages, draw));
  };
  const fields = controls(state, draw);
  draw();
  const node = element("section", { class: "cases", id: "cases", "aria-labelledby": "cases-title" },
    element("h2", { id: "cases-title", tabindex: "-1" }, "Cases"), rows.length > 5 && fields, told, list);
  return {
    node,
    showOnly(name, indexes) {
      Object.assign(state, { only: { name, indexes: new Set(indexes) }, page: 0 });
      draw();
    },
  };
}

function matching(rows, { words, filter, order, only }) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return rows
    .filter((row) => FILTERS[filter][1](row) && (!only || only.indexes.has(row.index)) && wanted.every((word) => row.haystack.includes(word)))
    .sort(ORDERS[order][1]);
}

function controls(state, draw) {
  const change = (name) => (event) => {
    Object.assign(state, { [name]: event.target.value, page: 0 });
    draw();
  };
  const options = (choices) => Object.entries(choices).map(([value, [name]]) => element("option", { value }, name));
  return element("div", { class: "toolbar", role: "search" },
    element("label", { class: "field grow" }, "Search", element("input", {
      type: "search", placeholder: "Words of the query, id or tags", autocomplete: "off", oninput: change("words"),
    })),
    element("label", { class: "field" }, "Show", element("select", { onchange: change("filter") }, options(FILTERS))),
    element("label", { class: "field" }, "Order", element("select", { onchange: change("order") }, options(ORDERS))));
}

function onlyNote(state, draw) {
  if (!state.only) return null;
  return element("p", { class: "only-note" }, "Only cases with ", foreign(state.only.name), " ",
    element("button", { type: "button", class: "button quiet", onclick: () => { state.only = null; draw(); } }, "Show all"));
}

function nothingFound() {
  return element("div", { class: "state empty" }, element("strong", {}, "No case matches"),
    element("p", {}, "Try fewer words, or show all cases."));
}

function listNodes(rows) {
  return element("ol", { class: "case-list" }, rows.map((row) => element("li", {},
    element("a", { class: "case-link", href: `#case-${encodeURIComponent(row.link)}` },
      element("span", { class: "case-query", dir: "auto" }, cut(row.query, 180)),
      element("span", { class: "case-facts small" },
        element("span", { class: "mono muted" }, foreign(cut(row.id, 40))),
        element("span", { class: "muted" }, row.sources ? `${row.cited} of ${counted(row.sources, "source")} cited` : "no sources"),
        row.findings > 0 && element("span", { class: "tag warn" }, counted(row.findings, "finding")),
        row.failed > 0 && element("span", { class: "tag alarm" }, `${row.failed} failed`)),
      element("span", { class: "case-overall" },
        row.overall === null ? element("span", { class: "small muted" }, row.cited ? "no overall" : "nothing cited")
          : [element("span", { class: "number" }, decimal(row.overall), element("span", { class: "visually-hidden" }, " mean overall of its cited sources")), scoreBar(row.overall)])))));
}

function pager(state, pages, draw) {
  const turn = (by, name) => element("button", {
    type: "button", class: "button", disabled: state.page + by < 0 || state.page + by >= pages,
    onclick: () => { state.page += by; draw(); document.getElementById("cases-title")?.focus(); },
  }, name);
  return element("nav", { class: "pager", "aria-label": "Pages of cases" },
    turn(-1, "Previous"), element("span", { class: "number" }, `Page ${state.page + 1} of ${pages}`), turn(1, "Next"));
}
