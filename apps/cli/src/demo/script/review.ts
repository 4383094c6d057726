import { type Reply, toolUse } from "@troupe/fake-anthropic";
import type { Conversation } from "./conversation.ts";

/** The words that ask an agent or a fork to review a file. */
const wish = /Review (\w+\.\w+)[.:]/;

/** The review of a file, by a fork that has read it or an agent that reads it first. */
export function review({ first, last, cwd, made }: Conversation): Reply | undefined {
  const [, name] = wish.exec(first) ?? wish.exec(last) ?? [];
  if (name === undefined) return undefined;
  const read = made("Read", `/${name}"`);
  if (!read) return [toolUse("Read", { file_path: `${cwd}/${name}` })];
  const lines = read.result.split("\n").filter((line) => line.trim() !== "").length;
  const offers = [...read.result.matchAll(/export const (\w+)/g)].map(([, word]) => word);
  return `${name}: ${lines} lines${offers.length > 0 ? `, exports ${offers.join(", ")}` : ""}; nothing to object to.`;
}
