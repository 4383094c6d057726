/** One element of XML, or of HTML as our pages write it. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  /** Of the element itself, without that of its children. */
  text: string;
}

const token =
  /<!--.*?-->|<[?!][^>]*>|<style>[^<]*<\/style>|<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(\/?)>|([^<]+)|(<)/gs;
const bare = new Set(["meta", "input", "br"]);
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** Throws on what is not well formed, down to the characters that XML 1.0 forbids. */
export function elementTree(text: string): Element {
  if (/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text)) throw new Error("a forbidden character");
  const root: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  for (const [whole, end, name, attributes = "", isEmpty, words, stray] of text.matchAll(token)) {
    const parent = open.at(-1) ?? root;
    if (stray) throw new Error("a < that opens nothing");
    if (words !== undefined) parent.text += decoded(words);
    if (!name) continue;
    if (end) {
      if (open.pop()?.name !== name) throw new Error(`${whole} closes another element`);
      continue;
    }
    const element = { name, attributes: attributesOf(attributes), children: [], text: "" };
    parent.children.push(element);
    if (!isEmpty && !bare.has(name)) open.push(element);
  }
  if (open.length !== 1) throw new Error(`${open.at(-1)?.name} is not closed`);
  return root;
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  const found = [...text.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)].map(([, name = "", value = ""]) => [
    name,
    decoded(value.replace(/[\n\t]/g, " ")),
  ]);
  if (new Set(found.map(([name]) => name)).size < found.length) throw new Error(`an attribute twice: ${text}`);
  return Object.fromEntries(found);
}

const decoded = (text: string): string =>
  text.replace(/&(?:#(\d+)|(\w+));|&/g, (whole, code, name) => {
    if (code) return String.fromCodePoint(Number(code));
    if (!name || entities[name] === undefined) throw new Error(`no entity: ${whole}`);
    return entities[name];
  });

/** The element and all below it. */
export const all = (element: Element): readonly Element[] => [element, ...element.children.flatMap(all)];

export const named = (element: Element, name: string): readonly Element[] =>
  all(element).filter((one) => one.name === name);

/** All text of an element, in no particular order. */
export const words = (element: Element): string =>
  all(element)
    .map(({ text }) => text)
    .join(" ");
