/* Light, dark, or as the system has it: the switch in the masthead, remembered where allowed. */

import { element } from "./dom.js";

const THEME_KEY = "citemark-theme";
const THEMES = [["", "Auto"], ["light", "Light"], ["dark", "Dark"]];

function remembered() {
  try {
    return localStorage.getItem(THEME_KEY) ?? "";
  } catch {
    return ""; // a page from disk may have no storage
  }
}

function setTheme(theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  try {
    if (theme) localStorage.setItem(THEME_KEY, theme);
    else localStorage.removeItem(THEME_KEY);
  } catch {
    // then it lasts as long as the page
  }
}

export function themeSwitch() {
  let theme = remembered();
  setTheme(theme);
  const buttons = THEMES.map(([value, name]) =>
    element("button", {
      type: "button",
      "data-theme-choice": value || "auto",
      "aria-pressed": String(value === theme),
      onclick: () => {
        theme = value;
        setTheme(value);
        buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(THEMES[i][0] === theme)));
      },
    }, name));
  return element("div", { class: "segmented theme-switch", role: "group", "aria-label": "Colours" }, buttons);
}
