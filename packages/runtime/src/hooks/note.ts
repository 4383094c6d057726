import { insideTags } from "@troupe/protocol";

/** A hook's words for the model, marked as its own. */
export const hookNote = (text: string): string => `<hook>\n${insideTags(text)}\n</hook>`;
