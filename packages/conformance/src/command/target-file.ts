import { resolve } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { assetJson } from "../assets.ts";
import type { Level, Revision } from "../requirement.ts";
import type { SessionFile } from "../session/sessions.ts";
import type { ErrorName, Params, Quirks } from "../target.ts";

/** Words of a command line; an inner list is left out if one of its placeholders has no value. */
export type Words = readonly (string | readonly string[])[];

/** One way to say a method; it serves when it has a place for everything that is to be said. */
export interface Phrase {
  /** Values that this command means by itself. */
  readonly when?: Params;
  readonly run: Words;
  readonly stdin?: string;
}

/** How to find the answer of a command in what it prints. */
export interface Output {
  /** `$.tasks`, or `$` for all of it. */
  readonly json?: string;
  /** The first group is the answer. */
  readonly regex?: string;
  /** Each element of a list: a path into it, or the fields to build from it. */
  readonly each?: string | Readonly<Record<string, string>>;
  /** Where it lists the documents that it could not read, each with the `id` of its task. */
  readonly problems?: string;
}

/** A target as its `target.yaml` describes it. */
export interface TargetFile {
  readonly name: string;
  readonly version: string;
  readonly language?: string;
  readonly homepage?: string;
  readonly issues?: string;
  readonly revisions: readonly Revision[];
  readonly levels: readonly Level[];
  readonly features: Readonly<Record<string, boolean>>;
  readonly quirks: Quirks;
  /** The variables that name the root; `HOME` means that the root is `.claude` in it. */
  readonly homeEnv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly commands: ReadonlyMap<string, readonly Phrase[]>;
  /** The command that speaks the adapter protocol, for a target whose commands are not its own. */
  readonly adapter?: readonly string[];
  readonly session?: SessionFile;
  readonly exits: ReadonlyMap<number, ErrorName | "ok">;
  /**
   * Errors by the output of a failed command, if its exit code is ambiguous; `none`: no task to
   * claim.
   */
  readonly errors: ReadonlyMap<ErrorName | "none", RegExp>;
  readonly output: ReadonlyMap<string, Output>;
}

interface Written {
  readonly name: string;
  readonly version?: string;
  readonly revisions?: readonly Revision[];
  readonly levels?: readonly Level[];
  readonly features?: Readonly<Record<string, boolean>>;
  readonly quirks?: Quirks;
  readonly home_env: string | readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly commands?: Readonly<Record<string, Words | readonly Phrase[]>>;
  readonly adapter?: readonly string[];
  readonly session?: SessionFile;
  readonly stdin?: Readonly<Record<string, string>>;
  readonly exit?: Readonly<Record<string, readonly number[]>>;
  readonly errors?: Readonly<Record<string, string>>;
  readonly output?: Readonly<Record<string, Output>>;
}

/** Reads a `target.yaml` that lies in this folder; throws with what is wrong with it. */
export function readTargetFile(text: string, folder: string): TargetFile {
  const found: unknown = parse(text);
  const holds = new Ajv2020({ strict: false, allErrors: true }).compile(assetJson("schemas/target.json") as object);
  if (!holds(found)) {
    const faults = (holds.errors ?? []).map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
    throw new Error(`the target file is wrong: ${faults.join("; ")}`);
  }
  const { home_env, commands = {}, stdin = {}, exit = {}, errors = {}, output = {}, ...others } = found as Written;
  const { adapter, session, ...rest } = others;
  const exits = Object.entries(exit).flatMap(([name, codes]) =>
    codes.map((code) => [code, name as ErrorName | "ok"] as const),
  );
  return {
    version: "unknown",
    revisions: ["2026-02"],
    levels: [],
    features: {},
    quirks: {},
    env: {},
    ...rest,
    homeEnv: [home_env].flat(),
    commands: new Map(
      Object.entries(commands).map(([method, said]) => [method, phrasesOf(said, stdin[method], folder)]),
    ),
    exits: new Map([[0, "ok"], ...exits]),
    errors: new Map(
      Object.entries(errors).map(([name, pattern]) => [name as ErrorName | "none", new RegExp(pattern, "mu")]),
    ),
    output: new Map(Object.entries(output)),
    ...(adapter && { adapter: adapter.map(placedIn(folder)) }),
    ...(session && { session: sessionOf(session, folder) }),
  };
}

function phrasesOf(said: Words | readonly Phrase[], stdin: string | undefined, folder: string): readonly Phrase[] {
  const isPhrases = said.every((one) => typeof one === "object" && !Array.isArray(one));
  const phrases = isPhrases ? (said as readonly Phrase[]) : [{ run: said as Words }];
  return phrases.map((phrase) => ({
    ...(stdin !== undefined && { stdin }),
    ...phrase,
    run: placedWords(phrase.run, folder),
  }));
}

const placedIn =
  (folder: string) =>
  (word: string): string =>
    /^\.\.?\//.test(word) ? resolve(folder, word) : word;

const placedWords = (words: Words, folder: string): Words =>
  words.map((word) => (typeof word === "string" ? placedIn(folder)(word) : word.map(placedIn(folder))));

const sessionOf = ({ env, lead, screen, teammate }: SessionFile, folder: string): SessionFile => ({
  ...(env && { env }),
  ...(lead && { lead: placedWords(lead, folder) }),
  ...(screen && { screen: placedWords(screen, folder) }),
  ...(teammate && { teammate: placedWords(teammate, folder) }),
});
