/* A view as an address: what was typed, packed into the part behind the #. Nothing of it is
 * sent anywhere; whoever opens the link on their own server sees the same.
 */

const MARK = "v1.";
const LONGEST_LINK = 12_000;
const MOST_UNPACKED = 2_000_000;

async function through(bytes, stream, most = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > most) throw new Error("the link holds too much");
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/* The state as text for an address, or null if it is too long for one. */
export async function packed(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  if (bytes.length > MOST_UNPACKED) return null;
  const small = await through(bytes, new CompressionStream("deflate-raw"));
  if (small.length > LONGEST_LINK) return null;
  const text = btoa(Array.from(small, (byte) => String.fromCharCode(byte)).join(""));
  return MARK + text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/* The state that the address holds; null if it holds none. */
export async function unpacked(hash) {
  if (!hash.startsWith(`#${MARK}`)) return null;
  const text = hash.slice(1 + MARK.length).replaceAll("-", "+").replaceAll("_", "/");
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const plain = await through(bytes, new DecompressionStream("deflate-raw"), MOST_UNPACKED);
  return JSON.parse(new TextDecoder().decode(plain));
}

/* Let the address follow what is shown, without a step in the history. */
export async function follow(state) {
  const text = state ? await packed(state) : "";
  history.replaceState(null, "", text ? `#${text}` : location.pathname);
  return text !== null;
}

export async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    return true;
  } catch {
    return false; // not allowed to; the address bar has it
  }
}
