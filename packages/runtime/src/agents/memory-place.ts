import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { agentMemory } from "@troupe/protocol";
import { faultOf, readGiven } from "../given-file.ts";
import { follow } from "../permissions/place.ts";
import type { KnownAgent } from "../project/definitions.ts";
import type { Memory } from "../prompt/memory.ts";

/** A definition, and the directories that the scopes of memories are meant from. */
export interface MemoryOwner {
  readonly agent: Pick<KnownAgent, "agentType" | "memory">;
  readonly root: string;
  readonly project: string;
}

/**
 * The directory of an agent's memory; undefined where it keeps none, or where a link leads from it
 * to somewhere else, by which a clone could show and change anything.
 */
export function memoryPlace(owner: MemoryOwner): string | undefined {
  const directory = writtenPlace(owner);
  return directory !== undefined && isInPlace(directory, owner) ? directory : undefined;
}

/** Far more than is shown of it. */
const maxMemoryBytes = 1024 * 1024;

/** What an agent remembers as it begins, or why that cannot be read. */
export function readMemory(owner: MemoryOwner): readonly Memory[] {
  const { memory: scope } = owner.agent;
  const directory = writtenPlace(owner);
  if (scope === undefined || directory === undefined) return [];
  const path = join(directory, "MEMORY.md");
  const without = (fault?: string): readonly Memory[] => [{ scope, path, text: "", ...(fault && { fault }) }];
  if (!isInPlace(path, owner)) return without("a link leads out of the directory");
  const fault = scope === "local" ? keepOutOfGit(dirname(directory)) : undefined;
  if (fault !== undefined) return without(`its directory could not be kept out of git: ${fault}`);
  const given = readGiven(path, maxMemoryBytes);
  if ("bytes" in given) return [{ scope, path, text: Buffer.from(given.bytes).toString() }];
  return without(given.isAbsent ? undefined : given.fault);
}

function writtenPlace({ agent: { agentType, memory: scope }, root, project }: MemoryOwner): string | undefined {
  // A plugin's agents carry its name in front of theirs, which is no part of a path everywhere.
  return scope && agentMemory(scope, agentType.replaceAll(":", "-"), root, project);
}

/** Whether no link leads from the memory to somewhere else. */
function isInPlace(path: string, { agent, root, project }: MemoryOwner): boolean {
  const base = agent.memory === "user" ? join(root, "agent-memory") : project;
  const real = follow(base);
  return real !== undefined && follow(path) === join(real, relative(base, path));
}

/** Makes git ignore the directory and this file itself; returns why it could not. */
function keepOutOfGit(directory: string): string | undefined {
  try {
    mkdirSync(directory, { recursive: true });
    const file = openSync(join(directory, ".gitignore"), "wx", 0o644);
    try {
      writeSync(file, "*\n");
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EEXIST" ? undefined : faultOf(error);
  }
  return undefined;
}
