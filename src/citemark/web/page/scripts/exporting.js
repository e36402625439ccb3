/* The bar above results: take them away as a file, link to them, keep them in the folder. */

import { element } from "../../report/scripts/dom.js";
import { sentence } from "./states.js";

/* items: [["HTML report", action], ...]; an action may return a message for the status line */
export function actionBar(label, items) {
  const told = element("span", { class: "small soft", role: "status" });
  const buttons = items.filter(Boolean).map(([name, action, attributes]) => element("button", {
    type: "button", class: "button", ...attributes,
    onclick: async () => {
      told.textContent = "";
      try {
        told.replaceChildren((await action()) ?? "");
      } catch (error) {
        told.textContent = `${sentence(error.message)} ${sentence(error.next)}`;
      }
    },
  }, name));
  return element("div", { class: "action-bar", role: "group", "aria-label": label }, buttons, told);
}
