import { plain } from "./plain.ts";

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text that is only text in XML and in HTML, also inside a quoted attribute. */
export const escaped = (text: string): string => plain(text).replace(/[&<>"']/g, (char) => escapes[char] ?? "");
