/* Which hue and line style a source has: by its place in the case, so that neighbours differ.
 * Seven hues times four line styles; the number is always shown as well.
 */

import { element } from "./dom.js";

export const HUES = 7;
const WEAVES = 4;

/* {2: {hue: 0, weave: 0}, 5: {hue: 1, weave: 0} ...} for the sources of a case */
export function paletteOf(sources) {
  const looks = new Map();
  sources.forEach((source, i) => {
    looks.set(source.source, { hue: i % HUES, weave: Math.floor(i / HUES) % WEAVES, cited: source.cited });
  });
  return looks;
}

export function lookClass(look) {
  return look ? `hue-${look.hue} weave-${look.weave}` : "";
}

export function chip(number, look, attributes) {
  const uncited = look && look.cited === false ? " uncited" : "";
  return element("span", { class: `chip ${lookClass(look)}${uncited}`, ...attributes }, number);
}
