/* The app: one page for each address. Pages are imported when they are opened. */

import { element, replace } from "../../report/scripts/dom.js";
import { themeSwitch } from "../../report/scripts/theme.js";
import { failed } from "./states.js";

const PAGES = [
  [/^\/$/, "Score", () => import("./score-page.js")],
  [/^\/compare$/, "Compare", () => import("./compare-page.js")],
  [/^\/results$/, "Results", () => import("./results-page.js")],
  [/^\/results\/(.+)$/, "Results", () => import("./browse-page.js")],
  [/^\/runs$/, "Runs", () => import("./runs-page.js")],
  [/^\/docs$/, "API", () => import("./docs-page.js")],
];

async function start() {
  document.querySelector(".masthead-tools").append(themeSwitch());
  const main = document.getElementById("main");
  const [pattern, name, load] = PAGES.find(([address]) => address.test(location.pathname)) ?? PAGES[0];
  document.title = `${name} · Citemark`;
  for (const link of document.querySelectorAll(".masthead nav a")) {
    if (link.textContent === name) link.setAttribute("aria-current", "page");
  }
  try {
    const { open } = await load();
    const rest = pattern.exec(location.pathname)?.[1];
    const nodes = await open(rest === undefined ? undefined : decodeURIComponent(rest));
    replace(main, nodes);
  } catch (error) {
    replace(main, element("h1", { class: "visually-hidden" }, name), failed(error));
  }
}

start();
