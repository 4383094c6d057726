/** A key that was pressed, or text that came in: `ctrl+b`, `shift+up`, `text`, `paste`. */
export interface Key {
  readonly name: string;
  /** What was typed or pasted. */
  readonly text?: string;
}

const pasteBegin = "\x1b[200~";
const pasteEnd = "\x1b[201~";

const byLetter: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  Z: "shift+tab",
};
const byNumber: Readonly<Record<string, string>> = {
  1: "home",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
};
const byCode: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  10: "ctrl+j",
  13: "enter",
  27: "escape",
  127: "backspace",
};

/** Reads what a terminal sent; a sequence that is not whole yet is the rest. */
export function readKeys(input: string): { readonly keys: readonly Key[]; readonly rest: string } {
  const keys: Key[] = [];
  let at = 0;
  while (at < input.length) {
    const left = input.slice(at);
    if (left.startsWith(pasteBegin)) {
      const end = left.indexOf(pasteEnd);
      if (end < 0) return { keys, rest: left };
      keys.push({ name: "paste", text: left.slice(pasteBegin.length, end) });
      at += end + pasteEnd.length;
      continue;
    }
    if (left.startsWith("\x1b")) {
      if (/^\x1b(?:\[[\d;:<?]*|O)?$/.test(left)) return { keys, rest: left };
      const { key, length } = escaped(left);
      if (key) keys.push(key);
      at += length;
      continue;
    }
    const [text = ""] = /^[^\x00-\x1f\x7f]*/.exec(left) ?? [];
    if (text !== "") keys.push({ name: "text", text });
    else keys.push(...controlKey(left.charCodeAt(0)));
    at += Math.max(1, text.length);
  }
  return { keys, rest: "" };
}

/** What a rest means that nothing followed: the key Escape, or a paste that never ended. */
export function keysOfRest(rest: string): readonly Key[] {
  if (rest.startsWith(pasteBegin)) return [{ name: "paste", text: rest.slice(pasteBegin.length) }];
  return rest === "" ? [] : [{ name: "escape" }, ...readKeys(rest.slice(1)).keys];
}

function controlKey(code: number): readonly Key[] {
  const name = byCode[code];
  if (name !== undefined) return [{ name }];
  if (code >= 1 && code <= 26) return [{ name: `ctrl+${String.fromCharCode(96 + code)}` }];
  return [];
}

/** A sequence that begins with Escape and is whole. */
function escaped(text: string): { readonly key?: Key | undefined; readonly length: number } {
  const [whole = "", parameters = "", final = ""] = /^\x1b(?:\[|O)([\d;:<?]*)([A-Za-z~])/.exec(text) ?? [];
  if (whole !== "") return { key: sequence(parameters.split(/[;:]/), final), length: whole.length };
  if (text.startsWith("\x1b\x1b") || text.startsWith("\x1b[")) return { key: { name: "escape" }, length: 1 };
  const [letter = ""] = text.slice(1);
  const [control] = controlKey(letter.charCodeAt(0));
  return { key: { name: `alt+${control?.name ?? letter}` }, length: 1 + letter.length };
}

function sequence([first = "", second = "", third = ""]: readonly string[], final: string): Key | undefined {
  if (final === "u") return coded(Number(first), second);
  if (final === "~" && first === "27") return coded(Number(third), second);
  const name = final === "~" ? byNumber[first] : byLetter[final];
  return name === undefined ? undefined : { name: `${modified(second)}${name}` };
}

/** A key as newer terminals send it: the number of its character, and what was held with it. */
function coded(code: number, held: string): Key | undefined {
  if (!Number.isInteger(code) || code <= 0 || code > 0x10ffff) return undefined;
  const name = byCode[code];
  if (name !== undefined) return { name: `${modified(held)}${name}` };
  const letter = String.fromCodePoint(code);
  const before = modified(held).replace("shift+", "");
  return before === "" ? { name: "text", text: letter } : { name: `${before}${letter.toLowerCase()}` };
}

function modified(number: string): string {
  const held = Math.max(0, Number(number || "1") - 1);
  return `${held & 4 ? "ctrl+" : ""}${held & 2 ? "alt+" : ""}${held & 1 ? "shift+" : ""}`;
}
