import { statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isObject, type Revision, readJson, TroupeError } from "@troupe/protocol";
import { parseAgentsJson } from "@troupe/protocol/agent";
import type { DefinitionPlaces } from "@troupe/runtime";
import { readNamedFile } from "@troupe/store/files";
import type { Call } from "../command.ts";
import { jsonGiven } from "./given-json.ts";

/** Definitions besides those of the folder and its user. */
export type GivenDefinitions = Pick<DefinitionPlaces, "flag" | "plugins">;

export interface DefinitionOptions {
  readonly agents?: string | undefined;
  readonly "plugin-dir"?: readonly string[] | undefined;
}

/** What the options name; throws `arguments_invalid` for what is no definition and no plugin. */
export function definitionsGiven(
  { cwd, options }: Pick<Call<object, DefinitionOptions>, "cwd" | "options">,
  revision: Revision,
): GivenDefinitions {
  const { agents, "plugin-dir": directories = [] } = options;
  const flag = agents === undefined ? undefined : JSON.stringify(jsonGiven({ cwd }, "agents", agents));
  const [problem] = flag === undefined ? [] : parseAgentsJson(flag, { revision }).problems;
  if (problem) throw wrong(`--agents: ${problem.message}; ${problem.fix}`);
  const plugins = directories.map((directory) => pluginAt(resolve(cwd, directory), directory));
  return { ...(flag !== undefined && { flag }), ...(plugins.length > 0 && { plugins }) };
}

/** The same as options, for the process of a teammate. */
export const definitionFlags = ({ flag, plugins = [] }: GivenDefinitions): readonly string[] => [
  ...(flag === undefined ? [] : ["--agents", flag]),
  ...plugins.flatMap(({ directory }) => ["--plugin-dir", directory]),
];

function pluginAt(directory: string, given: string) {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw wrong(`--plugin-dir ${given} is no directory`);
  const name = manifestName(join(directory, ".claude-plugin/plugin.json")) ?? basename(directory);
  if (/^[\w-]+$/.test(name)) return { name, directory };
  throw wrong(`--plugin-dir ${given}: ${JSON.stringify(name)} is no name of a plugin: use letters, digits, - and _`);
}

/** The name that a plugin gives itself; one without a manifest is called after its directory. */
function manifestName(file: string): string | undefined {
  if (!statSync(file, { throwIfNoEntry: false })) return undefined;
  const { value } = readJson(Buffer.from(readNamedFile(file)).toString());
  if (isObject(value) && typeof value["name"] === "string") return value["name"];
  throw wrong(`${file} names no plugin: write {"name": "..."}`);
}

const wrong = (message: string): TroupeError => new TroupeError("arguments_invalid", message);
