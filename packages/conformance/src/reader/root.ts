import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../record.ts";
import type { Revision } from "../requirement.ts";
import { type FoundDocument, readFile } from "./document.ts";

/** A team directory as it lies there. */
export interface FoundTeam {
  readonly name: string;
  readonly config: FoundDocument;
  /** By the stem of the file. */
  readonly inboxes: ReadonlyMap<string, FoundDocument>;
  /** `between`: clients 2.1.147 to 2.1.177. Undefined where the config does not say. */
  readonly revision: Revision | "between" | undefined;
}

export interface FoundTaskList {
  readonly name: string;
  /** By id, in the order of the numbers. */
  readonly tasks: ReadonlyMap<string, FoundDocument>;
  readonly highWaterMark: string | undefined;
}

export interface FoundRoot {
  readonly teams: readonly FoundTeam[];
  readonly taskLists: readonly FoundTaskList[];
}

/** Everything under a root that is a document of the protocol. */
export function readRoot(root: string): FoundRoot {
  return {
    teams: namesIn(join(root, "teams"))
      .filter((name) => !isDeletedName(name))
      .flatMap((name) => readTeam(join(root, "teams", name), name) ?? []),
    taskLists: namesIn(join(root, "tasks")).map((name) => readTaskList(join(root, "tasks", name), name)),
  };
}

export const isDeletedName = (name: string): boolean =>
  /\.deleted-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name);

function readTeam(directory: string, name: string): FoundTeam | undefined {
  const config = readFile(join(directory, "config.json"));
  if (!config) return undefined;
  const inboxes = new Map(
    namesIn(join(directory, "inboxes"))
      .filter((file) => file.endsWith(".json"))
      .flatMap((file) => {
        const document = readFile(join(directory, "inboxes", file));
        return document ? [[file.slice(0, -".json".length), document] as const] : [];
      }),
  );
  return { name, config, inboxes, revision: revisionOf(config.value, [...inboxes.values()]) };
}

function readTaskList(directory: string, name: string): FoundTaskList {
  const ids = namesIn(directory)
    .flatMap((file) => /^([0-9]+)\.json$/.exec(file)?.[1] ?? [])
    .sort((a, b) => Number(a) - Number(b));
  const tasks = ids.flatMap((id) => {
    const document = readFile(join(directory, `${id}.json`));
    return document ? [[id, document] as const] : [];
  });
  return { name, tasks: new Map(tasks), highWaterMark: readFile(join(directory, ".highwatermark"))?.text };
}

/**
 * The rule of docs/protocol/README.md, by which a team's own documents say which revision they are.
 */
export function revisionOf(config: unknown, inboxes: readonly FoundDocument[]): FoundTeam["revision"] {
  if (!isRecord(config) || !Array.isArray(config["members"])) return undefined;
  const members = config["members"].filter(isRecord);
  const lead =
    members.find((member) => member["agentId"] === config["leadAgentId"]) ??
    members.find((member) => member["agentType"] === "team-lead");
  if (lead?.["tmuxPaneId"] === "leader" || Object.hasOwn(config, "leadProcess")) return "2026-11";
  const entries = inboxes.flatMap(({ value }) => (Array.isArray(value) ? (value as unknown[]) : []));
  return entries.some((entry) => isRecord(entry) && Object.hasOwn(entry, "type")) ? "between" : "2026-02";
}

/** In order; nothing where there is no directory. */
export function namesIn(directory: string): readonly string[] {
  return lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(directory).sort() : [];
}
