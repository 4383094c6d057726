import { z } from "zod";
import { adjectives, nouns, verbs } from "./plan-words.ts";

/** A plan as it lies on disk. */
export const PlanDocument = z
  .looseObject({
    path: z.string().describe("Absolute path of the file, in the directory `plans` of the root."),
    content: z.string().describe("The plan, Markdown."),
  })
  .meta({
    title: "Plan",
    description: "A plan file with what it holds.",
    examples: [{ path: "/home/dev/.claude/plans/calm-sorting-heron.md", content: "# Parser\n\n1. Read the grammar\n" }],
  });
export type PlanDocument = z.infer<typeof PlanDocument>;

/** A new name, `<adjective>-<verb>-<noun>.md`. `random` gives numbers from 0 up to but not including 1, like Math.random. */
export const planFileName = (random: () => number): string =>
  `${[adjectives, verbs, nouns].map((words) => pick(words, random())).join("-")}.md`;

const pick = (words: readonly string[], at: number): string =>
  words[Math.floor(at * words.length)] ?? words[0] ?? "plan";

/** Is this the name of a plan file: three lower-case words, whoever chose them? */
export const isPlanFileName = (name: string): boolean => /^[a-z]+-[a-z]+-[a-z]+\.md$/.test(name);

/** A path as it is to be opened: a leading `~` stands for `home`. Writers give absolute paths and need none of this. */
export function expandHome(path: string, home: string): string {
  if (path === "~") return home;
  return path.startsWith("~/") ? `${home.endsWith("/") ? home.slice(0, -1) : home}${path.slice(1)}` : path;
}
