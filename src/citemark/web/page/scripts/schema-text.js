/* A JSON schema as a sketch that people read: the form of the data with a word for each value. */

const DEEPEST = 6;

export function schemaText(schema, description, depth = 0, seen = []) {
  const pad = "  ".repeat(depth + 1);
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1);
    if (seen.includes(name) || depth > DEEPEST) return name;
    return schemaText(description.components.schemas[name], description, depth, [...seen, name]);
  }
  if (schema.anyOf) return schema.anyOf.map((each) => schemaText(each, description, depth, seen)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const kinds = [schema.type ?? "any"].flat();
  if (kinds.includes("array")) return `[ ${schemaText(schema.items ?? {}, description, depth, seen)} ... ]`;
  if (kinds.includes("object") && schema.properties) {
    const required = new Set(schema.required ?? []);
    const lines = Object.entries(schema.properties).map(([name, each]) =>
      `${pad}"${name}"${required.has(name) ? "" : "?"}: ${schemaText(each, description, depth + 1, seen)}`);
    return `{\n${lines.join(",\n")}\n${"  ".repeat(depth)}}`;
  }
  if (kinds.includes("object") && typeof schema.additionalProperties === "object") {
    return `{ name: ${schemaText(schema.additionalProperties, description, depth, seen)} ... }`;
  }
  return kinds.map((kind) => ({ string: "text", number: "number", integer: "whole number", boolean: "true/false" })[kind] ?? kind).join(" | ");
}
