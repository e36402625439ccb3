/* Talks to the server: JSON there and back, and errors that say what to do next. */

export class ApiError extends Error {
  constructor({ status = 0, detail, where = null, next = null }) {
    super(detail);
    Object.assign(this, { status, where, next });
  }
}

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError({ detail: "the server does not answer", next: "see whether citemark serve still runs" });
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({ detail: `the server answered ${response.status}` }));
  throw new ApiError({ ...problem, status: response.status });
}

function posted(data, signal) {
  return { method: "POST", signal, body: JSON.stringify(data), headers: { "Content-Type": "application/json" } };
}

export async function getJson(path, signal) {
  return (await send(path, { signal })).json();
}

export async function postJson(path, data, signal) {
  return (await send(path, posted(data, signal))).json();
}

export async function postText(path, data) {
  return (await send(path, posted(data))).text();
}

export async function remove(path) {
  return (await send(path, { method: "DELETE" })).json();
}

/* Keep a file in the folder; gives the name it is kept under, and what it holds. */
export async function keep(name, body) {
  const headers = { "Content-Type": "application/octet-stream" };
  return (await send(`/api/files?name=${encodeURIComponent(name)}`, { method: "POST", body, headers })).json();
}

/* Save what the server makes of some data under the name that the server gives it. */
export async function download(path, data) {
  const response = await send(path, posted(data));
  const name = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? "citemark";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  return name;
}

export function resultsPath(name) {
  return `/results/${name.split("/").map(encodeURIComponent).join("/")}`;
}
