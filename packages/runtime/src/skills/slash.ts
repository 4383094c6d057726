import { insideTags } from "@troupe/protocol";
import type { Block } from "../model/model.ts";
import { fillIn } from "./fill-in.ts";
import type { Skill } from "./skill.ts";

/** The outcome of a person's `/name words`. */
export type SlashCommand =
  /** It goes before the model as the person's words. */
  | { readonly kind: "prompt"; readonly skill: Skill; readonly content: readonly Block[] }
  /** An agent of its own gets the prompt; no model has asked for it. */
  | { readonly kind: "fork"; readonly skill: Skill; readonly prompt: string }
  /** Nothing is called so; these are, and are like it. */
  | { readonly kind: "unknown"; readonly near: readonly string[] };

/**
 * Reads what a person has typed as a command; undefined for what is none, such as a path. Only a
 * name that is known takes words behind it.
 */
export async function slashCommand(text: string, skills: readonly Skill[]): Promise<SlashCommand | undefined> {
  const [, typed = "", args = ""] = /^\/([^\s/]+)(?:\s+(.*))?$/s.exec(text.trim()) ?? [];
  if (typed === "") return undefined;
  const callable = skills.filter(({ isForUser = true }) => isForUser);
  const skill = callable.find(({ name }) => name === typed);
  if (!skill) {
    return args === "" ? { kind: "unknown", near: namesNear(typed, callable) } : undefined;
  }
  const prompt = fillIn(await skill.text(), args);
  if (skill.isForked) return { kind: "fork", skill, prompt };
  const call = [
    `<command-message>${insideTags(skill.name)}</command-message>`,
    `<command-name>/${insideTags(skill.name)}</command-name>`,
    ...(args === "" ? [] : [`<command-args>${insideTags(args)}</command-args>`]),
  ];
  const content = [call.join("\n"), prompt].map((part) => ({ type: "text", text: part }));
  return { kind: "prompt", skill, content };
}

const maxNear = 3;

/**
 * The names most like a word, by the pairs of letters they share; one that holds the word whole is
 * like it.
 */
function namesNear(word: string, skills: readonly Skill[]): readonly string[] {
  const wanted = pairsOf(word);
  const likeness = (name: string): number => {
    if (name.toLowerCase().includes(word.toLowerCase())) return 1;
    const pairs = pairsOf(name);
    return (2 * [...wanted].filter((pair) => pairs.has(pair)).length) / Math.max(1, wanted.size + pairs.size);
  };
  return skills
    .map(({ name }) => ({ name, like: likeness(name) }))
    .filter(({ like }) => like >= 0.4)
    .sort((one, other) => other.like - one.like || (one.name < other.name ? -1 : 1))
    .slice(0, maxNear)
    .map(({ name }) => name);
}

const pairsOf = (word: string): ReadonlySet<string> =>
  new Set([...word.toLowerCase()].slice(0, -1).map((letter, at) => letter + (word.toLowerCase()[at + 1] ?? "")));
