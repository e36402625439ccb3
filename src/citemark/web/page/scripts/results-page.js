/* Results: what lies in the folder; drop a results file to keep it there and browse it. */

import { element, foreign, replace } from "../../report/scripts/dom.js";
import { counted } from "../../report/scripts/words.js";
import { getJson, keep, resultsPath } from "./api.js";
import { fileButton } from "./picking.js";
import { empty, failed, loading, pageHead } from "./states.js";

export async function open() {
  const place = element("section", { class: "scores-place", "aria-label": "Files in the folder" });
  const told = element("div", { "aria-live": "polite" });
  const take = (file) => takeFile(file, told, () => draw(place));
  const nodes = [pageHead("Saved scores", "Results"), dropZone(take), told, place];
  await draw(place);
  return nodes;
}

function dropZone(take) {
  const zone = element("div", { class: "drop state" },
    element("strong", {}, "Drop a results file here"),
    element("p", {}, "What citemark score -o results.jsonl wrote. It is kept in the folder, so that the view can be linked."),
    fileButton("Choose a file …", ".jsonl,.ndjson,.json,.csv", take));
  const over = (is) => (event) => {
    event.preventDefault();
    zone.classList.toggle("over", is);
  };
  zone.addEventListener("dragover", over(true));
  zone.addEventListener("dragleave", over(false));
  zone.addEventListener("drop", (event) => {
    over(false)(event);
    const [file] = event.dataTransfer.files;
    if (file) take(file);
  });
  return zone;
}

async function takeFile(file, told, draw) {
  replace(told, loading(`Keeping ${file.name} …`));
  try {
    const { name, kind } = await keep(file.name, file);
    if (kind === "results") {
      location.assign(resultsPath(name));
      return;
    }
    replace(told, element("p", { class: "state" }, foreign(name), " holds cases that are not scored yet. ",
      element("a", { href: `/runs#file=${encodeURIComponent(name)}` }, "Start a run with it")));
    draw();
  } catch (error) {
    replace(told, failed(error));
  }
}

async function draw(place) {
  try {
    const { folder, files } = await getJson("/api/files");
    const shown = files.filter(({ kind }) => kind !== "other");
    replace(place, element("h2", {}, "In the folder ", foreign(folder)), shown.length ? fileList(shown)
      : empty("The folder is empty", "Drop a results file above, or start a run."));
  } catch (error) {
    replace(place, failed(error, () => draw(place)));
  }
}

function fileList(files) {
  return [element("p", { class: "small muted" }, `${counted(files.length, "file")}, the newest first`),
    element("ul", { class: "file-list" }, files.map(fileRow))];
}

function fileRow({ name, kind, size, modified }) {
  const scored = kind === "results";
  const when = new Date(modified).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
  return element("li", {}, element("a", { class: "card file", href: scored ? resultsPath(name) : `/runs#file=${encodeURIComponent(name)}` },
    element("span", { class: "file-name" }, foreign(name)),
    element("span", { class: `tag ${scored ? "scored" : ""}` }, scored ? "results" : "cases, not scored"),
    element("span", { class: "small muted number" }, `${sizeText(size)}, ${when}`)));
}

export function sizeText(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
