import { leadOf, nameKey } from "@troupe/protocol";
import { inboxOf, type Link, livesHere } from "./link.ts";
import type { Doc } from "./task-merge.ts";

/** Who says what became of a change: no member, so that it stays in these files. */
const speaker = "bridge";

/**
 * Tells the one who changed a task here: the owner that the change names, where that lives here,
 * else the lead, else all that do.
 */
export async function tell(link: Link, doc: Doc, text: string): Promise<void> {
  const owner = doc["owner"];
  const { value } = await link.local.config();
  const here = (value?.members ?? []).filter(({ name }) => livesHere(link, name)).map(({ name }) => name);
  const lead = value && leadOf(value)?.name;
  const one = [owner, lead].find(
    (name) => typeof name === "string" && here.some((known) => nameKey(known) === nameKey(name)),
  );
  for (const name of typeof one === "string" ? [one] : here) {
    const content = { text, summary: "a task is another's" };
    const stamp = { timestamp: new Date().toISOString(), messageId: crypto.randomUUID() };
    await inboxOf(link, name).append(link.codec.newEntry({ from: { name: speaker }, content, ...stamp }));
  }
}
