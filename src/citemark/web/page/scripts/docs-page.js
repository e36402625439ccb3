/* The API, explained from its own description (/openapi.json). */

import { element } from "../../report/scripts/dom.js";
import { getJson } from "./api.js";
import { schemaText } from "./schema-text.js";
import { pageHead } from "./states.js";

export async function open() {
  const description = await getJson("/openapi.json");
  const operations = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })));
  const groups = description.tags.map(({ name, description: text }) => group(name, text, operations.filter(({ tags }) => tags[0] === name), description));
  queueMicrotask(() => setTimeout(openLinked));
  addEventListener("hashchange", openLinked);
  return [
    pageHead(`OpenAPI ${description.openapi}`, "The API", description.info.summary),
    element("div", { class: "docs-about card" }, marked(description.info.description),
      element("p", {}, element("a", { class: "button", href: "/openapi.json" }, "openapi.json"))),
    groups,
  ];
}

function openLinked() {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
}

/* `code` in a text of the description */
function marked(text) {
  return element("p", {}, (text ?? "").split(/`([^`]+)`/).map((part, i) => (i % 2 ? element("code", {}, part) : part)));
}

function group(name, text, operations, description) {
  if (!operations.length) return null;
  const id = `group-${name}`;
  return element("section", { class: "docs-group", "aria-labelledby": id },
    element("h2", { id }, name[0].toUpperCase() + name.slice(1)), text && element("p", { class: "soft" }, text),
    operations.map((operation) => entry(operation, description)));
}

function entry(operation, description) {
  const { method, path, summary } = operation;
  return element("details", { class: "card docs-entry", id: operation.operationId },
    element("summary", {},
      element("code", { class: `method ${method}` }, method.toUpperCase()), " ",
      element("code", { class: "docs-path" }, path), " ", element("span", { class: "soft" }, summary)),
    operation.description && marked(operation.description),
    parameters(operation.parameters ?? []),
    body(operation, description),
    answers(operation, description),
    element("h4", {}, "Try it"), element("pre", { class: "docs-code", tabindex: "0" }, curl(operation)));
}

function parameters(all) {
  if (!all.length) return null;
  return [element("h4", {}, "Parameters"), element("div", { class: "table-wrap" }, element("table", {},
    element("thead", {}, element("tr", {}, ["Name", "Where", "What"].map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, all.map(({ name, in: place, required, description: text, schema }) => element("tr", {},
      element("th", { scope: "row" }, element("code", {}, name), required && " *"),
      element("td", {}, place),
      element("td", {}, text && marked(text), schema.enum && element("p", { class: "small muted" }, `One of: ${schema.enum.join(", ")}`)))))))];
}

function body({ requestBody }, description) {
  const media = requestBody?.content["application/json"];
  if (!media) return null;
  return [element("h4", {}, "Body"), element("pre", { class: "docs-code", tabindex: "0" }, schemaText(media.schema, description))];
}

function answers({ responses }, description) {
  const rows = Object.entries(responses).map(([status, given]) => {
    const named = given.$ref ? description.components.responses[given.$ref.split("/").at(-1)] : given;
    const kinds = Object.keys(named.content ?? {});
    const schema = named.content?.["application/json"]?.schema;
    return element("tr", {}, element("th", { scope: "row", class: "number" }, status),
      element("td", {}, marked(named.description), element("p", { class: "small muted" }, kinds.join(", ")),
        schema && Number(status) < 300 && element("details", {}, element("summary", { class: "small" }, "Form"),
          element("pre", { class: "docs-code", tabindex: "0" }, schemaText(schema, description)))));
  });
  return [element("h4", {}, "Answers"), element("div", { class: "table-wrap" }, element("table", {},
    element("thead", {}, element("tr", {}, ["Status", "What"].map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, rows)))];
}

function curl({ method, path, parameters: all = [], requestBody }) {
  const filled = all.filter(({ in: place }) => place === "path").reduce((text, { name, example }) => text.replace(`{${name}}`, example ?? name.toUpperCase()), path);
  const needed = all.filter(({ in: place, required }) => place === "query" && required).map(({ name, example }) => `${name}=${example}`);
  const address = `${location.origin}${filled}${needed.length ? `?${needed.join("&")}` : ""}`;
  const media = requestBody?.content["application/json"];
  if (!media?.example && requestBody) return `curl '${address}' -H 'Content-Type: application/octet-stream' --data-binary @results.jsonl`;
  if (media) return `curl '${address}' -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(media.example)}'`;
  return `curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}'${address}'`;
}
