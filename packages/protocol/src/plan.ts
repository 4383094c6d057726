import { z } from "zod";
import { assertGiven } from "./given.ts";
import { adjectives, nouns, verbs } from "./plan-words.ts";

/** A plan as it lies on disk. */
export const PlanDocument = z
  .looseObject({
    path: z.string().describe("Absolute path of the file, in the directory `plans` of the root."),
    content: z.string().describe("The plan, Markdown."),
  })
  .meta({
    title: "Plan",
    description: "A plan file and its text.",
    examples: [{ path: "/home/dev/.claude/plans/calm-sorting-heron.md", content: "# Parser\n\n1. Read the grammar\n" }],
  });
export type PlanDocument = z.infer<typeof PlanDocument>;

/**
 * Creates a name `<adjective>-<verb>-<noun>.md`. `random` returns numbers in [0, 1), like
 * Math.random.
 */
export function planFileName(random: () => number): string {
  assertGiven("planFileName", { random }, { random: "function" });
  return `${[adjectives, verbs, nouns].map((words) => pick(words, random())).join("-")}.md`;
}

const pick = (words: readonly string[], at: number): string =>
  words[Math.floor(at * words.length)] ?? words[0] ?? "plan";

/** Whether this is the name of a plan file: any three lower-case words. */
export const isPlanFileName = (name: string): boolean => /^[a-z]+-[a-z]+-[a-z]+\.md$/.test(name);

/** Expands a leading `~` of a path to `home`. Writers give absolute paths, which stay unchanged. */
export function expandHome(path: string, home: string): string {
  if (path === "~") return home;
  return path.startsWith("~/") ? `${home.endsWith("/") ? home.slice(0, -1) : home}${path.slice(1)}` : path;
}
