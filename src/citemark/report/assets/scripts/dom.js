/* Builds elements from names, attributes and children. Text only ever becomes a text node, and
 * neither markup nor style attributes can be given, so what a case holds can do nothing here.
 *
 *   element("button", { class: "button", onclick: open, "aria-pressed": "false" }, "Open")
 *   svg("rect", { width: "50%", height: 8 })
 */

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style" || name === "srcdoc") throw new Error(`${name} is not set here`);
    else if (name === "href") setLink(node, value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  append(node, children);
  return node;
}

export function append(node, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

export function element(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

export function replace(node, ...children) {
  node.replaceChildren();
  return append(node, children);
}

/* An address that somebody else gave is linked only if it leads to the web. */
export function isLinkable(address) {
  return /^https?:\/\/[^\s/]/i.test(address);
}

function setLink(node, address) {
  const within = /^(#|\/(?!\/))/.test(address);
  if (!within && !isLinkable(address)) return;
  node.setAttribute("href", address);
  if (/^https?:/i.test(address)) {
    node.setAttribute("rel", "noopener noreferrer");
    node.setAttribute("target", "_blank");
  }
}

/* Text that somebody else wrote: its own direction, and no effect on what stands beside it. */
export function foreign(text, attributes) {
  return element("bdi", attributes, text);
}

let lastId = 0;

export function uniqueId(stem) {
  lastId += 1;
  return `${stem}-${lastId}`;
}
