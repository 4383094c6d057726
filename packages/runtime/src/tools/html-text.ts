import { decodeHTML } from "entities/decode";

const hidden = new Set(["script", "style", "svg", "template", "noscript", "iframe"]);
const blocks = new Set(
  "address article aside blockquote br dd div dl dt fieldset figure footer form header hr main nav ol option p pre section table tr ul".split(
    " ",
  ),
);
/**
 * The text of a page, with its headings, lists and links marked; one pass from the start to the
 * end, whatever the page holds.
 */
export function htmlText(html: string): string {
  let text = "";
  let link: string | undefined;
  let isPreformatted = false;
  const add = (piece: string) => {
    text += isPreformatted ? piece : piece.replace(/\s+/g, " ");
  };
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf("<", at);
    add(html.slice(at, open < 0 ? undefined : open));
    if (open < 0) break;
    if (html.startsWith("<!--", open)) {
      const end = html.indexOf("-->", open);
      at = end < 0 ? html.length : end + 3;
      continue;
    }
    const [, slash, tag] = /^<([/!?]?)([a-zA-Z][a-zA-Z0-9]*)/.exec(html.slice(open, open + 30)) ?? [];
    if (tag === undefined) {
      add("<");
      at = open + 1;
      continue;
    }
    const close = html.indexOf(">", open);
    at = close < 0 ? html.length : close + 1;
    const name = tag.toLowerCase();
    if (slash === "" && hidden.has(name)) at = endOf(html, name, at);
    if (name === "pre") isPreformatted = slash === "";
    if (name === "a" && slash === "") link = /\shref\s*=\s*["']?([^"'\s>]+)/i.exec(html.slice(open, at))?.[1];
    if (name === "a" && slash === "/" && link !== undefined) {
      if (/^(https?:|[./\w])/.test(link) && !link.startsWith("javascript:")) text += ` (${link})`;
      link = undefined;
    }
    if (blocks.has(name)) text += "\n";
    if (/^h[1-6]$/.test(name)) text += slash === "" ? `\n\n${"#".repeat(Number(name[1]))} ` : "\n";
    if (name === "li" && slash === "") text += "\n- ";
    if (name === "td" || name === "th") text += " ";
  }
  const lines = decodeHTML(text).replaceAll("\u00a0", " ").split("\n");
  const trimmed = lines.map((line) => line.trimEnd().replace(/^ (?=\S)/, ""));
  return trimmed
    .filter((line, at) => line !== "" || trimmed[at - 1] !== "")
    .join("\n")
    .trim();
}

/** Behind the end of an element whose content is no text. */
function endOf(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}[^>]{0,100}>?`, "gi");
  end.lastIndex = from;
  return end.exec(html) ? end.lastIndex : html.length;
}
