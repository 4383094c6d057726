import { gunzipSync } from "node:zlib";

const block = 512;

/**
 * The files of an npm tarball by name. Enough of tar for what pnpm writes; a fresh machine need not
 * have the program.
 * @param {Buffer} packed
 * @returns {Map<string, Buffer>}
 */
export function readTarball(packed) {
  const tar = gunzipSync(packed);
  const files = new Map();
  for (let at = 0; at + block <= tar.length && tar[at] !== 0; ) {
    const field = (/** @type {number} */ from, /** @type {number} */ length) =>
      tar.toString("utf8", at + from, at + from + length).replace(/\0.*$/s, "");
    const size = Number.parseInt(field(124, 12), 8);
    const kind = field(156, 1);
    const name = [field(345, 155), field(0, 100)].filter(Boolean).join("/");
    const start = at + block;
    if (kind === "0" || kind === "") files.set(name, tar.subarray(start, start + size));
    else if (kind !== "5") throw new Error(`${name}: a tar entry of kind ${kind} is not read here`);
    at = start + Math.ceil(size / block) * block;
  }
  return files;
}
