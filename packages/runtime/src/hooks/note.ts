import { insideTags } from "@troupe/protocol";

/** What a hook wants told to the model, as its words and nobody else's. */
export const hookNote = (text: string): string => `<hook>\n${insideTags(text)}\n</hook>`;
