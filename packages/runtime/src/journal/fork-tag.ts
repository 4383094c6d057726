import type { Block } from "../model/model.ts";

/** The tag around what a fork is told before its directive. */
export const forkTag = "fork-boilerplate";

/** Both spellings were seen; either marks a conversation as a fork's. */
const marks = [`<${forkTag}>`, `<claude:${forkTag}>`];

/** Words that make the conversation in which they are said a fork's. */
export const bearsForkTag = ({ type, text }: Block): boolean =>
  type === "text" && marks.some((mark) => String(text).includes(mark));
