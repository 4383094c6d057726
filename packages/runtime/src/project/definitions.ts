import { join, relative, resolve, sep } from "node:path";
import { layoutOf, type Revision } from "@troupe/protocol";
import {
  type AgentProblem,
  type AgentType,
  agentTypeOf,
  type ParsedDefinition,
  parseAgentDefinition,
  parseAgentsJson,
} from "@troupe/protocol/agent";
import { agentKey } from "../permissions/rule.ts";
import { isWithin, realOrGiven, upToRepository } from "../real-path.ts";
import {
  type DefinitionFault,
  definitionFiles,
  definitionText,
  type UnreadableFile,
} from "../settings/definition-files.ts";
import { type BuiltInAgent, builtInAgents } from "./built-in.ts";
import { inForce } from "./in-force.ts";

/** Sources of definitions, the strongest first. */
export type DefinitionSource = "managed" | "flag" | "project" | "user" | "plugin" | "built-in";

/** A definition as it can be run, and where it comes from. */
export type KnownAgent = AgentType & { readonly source: DefinitionSource; readonly file?: string };

export interface DefinitionPlaces {
  /** The agents' own directory, `~/.claude` for the reference client. */
  readonly root: string;
  /** Where somebody works. */
  readonly cwd: string;
  /** The directory of the definitions of this machine's owner. */
  readonly managed?: string;
  /** The JSON of `--agents`. */
  readonly flag?: string;
  /** Each with its own directory, which holds `agents`. */
  readonly plugins?: readonly { readonly name: string; readonly directory: string }[];
  /** The person has said that the project may run commands. */
  readonly isTrusted: boolean;
  readonly revision: Revision;
  /** In place of those of the revision. */
  readonly builtIns?: readonly BuiltInAgent[];
}

/** A definition as it was found, whether it can be used or not. */
export interface FoundDefinition extends ParsedDefinition {
  readonly source: Exclude<DefinitionSource, "built-in">;
  /** `--agents` for the command line's. */
  readonly file: string;
  /** Absent for what cannot be read. */
  readonly text?: string;
  /** The part of the definition that is in force where it stands. */
  readonly agent?: KnownAgent;
  /** No stronger one has its name. */
  readonly isUsed: boolean;
}

/** Definitions that can be asked for. */
export interface LoadedDefinitions {
  /** One a name, in the order of the names. */
  readonly agents: readonly KnownAgent[];
  readonly problems: readonly DefinitionFault[];
}

type Found = Omit<FoundDefinition, "agent" | "isUsed"> & { readonly place: string; readonly namespace?: string };

/** One agent a name, the strongest. What is wrong with a file is told, and hides no other. */
export function loadDefinitions(places: DefinitionPlaces): LoadedDefinitions {
  const found = findDefinitions(places);
  const builtIns: readonly KnownAgent[] = places.builtIns ?? builtInAgents[places.revision];
  const agents = new Map(builtIns.map((agent) => [agentKey(agent.agentType), agent]));
  for (const { agent, isUsed } of found) if (agent && isUsed) agents.set(agentKey(agent.agentType), agent);
  return {
    agents: [...agents.values()].sort((one, other) => (one.agentType < other.agentType ? -1 : 1)),
    problems: found.flatMap(({ file, problems }) =>
      problems.map(({ line, message, fix }) => ({
        file,
        ...(line !== undefined && { line }),
        message: `${message}; ${fix}`,
      })),
    ),
  };
}

/**
 * Every definition that can be found, the strongest first; the built-in ones, which have no file,
 * are not among them.
 */
export function findDefinitions(places: DefinitionPlaces): readonly FoundDefinition[] {
  const winners = new Map<string, Found & { readonly agent: KnownAgent }>();
  return everywhere(places).map((found) => {
    const { definition, source, file, namespace, place, ...rest } = found;
    if (!definition) return { ...rest, source, file, isUsed: false };
    const kept = inForce(definition, { source, isTrusted: places.isTrusted, revision: places.revision });
    const agent: KnownAgent = { ...agentTypeOf(kept.definition, namespace), source, file };
    const key = agentKey(agent.agentType);
    const winner = winners.get(key);
    if (!winner) winners.set(key, { ...found, agent });
    const isUnclear = winner && (winner.place === place || winner.agent.agentType !== agent.agentType);
    const problems = [...rest.problems, ...kept.problems, ...(isUnclear ? [hidden(agent, winner)] : [])];
    return { ...rest, source, file, definition, agent, problems, isUsed: !winner };
  });
}

/** The agent that is meant by a `subagent_type`: case and separators do not count. */
export const agentNamed = (agents: readonly KnownAgent[], type: string): KnownAgent | undefined =>
  agents.find(({ agentType }) => agentKey(agentType) === agentKey(type));

function everywhere({
  root,
  cwd,
  managed,
  flag,
  plugins = [],
  isTrusted,
  revision,
}: DefinitionPlaces): readonly Found[] {
  const own = resolve(cwd, layoutOf(root).agents);
  const above = upToRepository(cwd);
  const top = realOrGiven(above.at(-1) ?? cwd);
  const projects = above
    .map((directory) => join(directory, ".claude", "agents"))
    // The user's own directory lies below the home directory like a project's; what stands there is
    // the user's word.
    .filter((directory) => realOrGiven(directory) !== realOrGiven(own));
  return [
    ...(managed === undefined ? [] : inDirectory("managed", resolve(cwd, managed))),
    ...(flag === undefined ? [] : onCommandLine(flag)),
    ...projects.flatMap((directory) => inDirectory("project", directory)),
    ...inDirectory("user", own),
    ...plugins.flatMap(({ name, directory }) => inDirectory("plugin", resolve(cwd, directory, "agents"), name)),
  ];

  function inDirectory(source: Found["source"], place: string, plugin?: string): readonly Found[] {
    const { files, unreadable } = definitionFiles(place);
    return [
      ...unreadable.map((one) => withoutText(source, place, one)),
      ...files.map((file): Found => {
        if (source === "project" && !isTrusted && !isWithin(realOrGiven(file), top))
          return withoutText(source, place, { file, fault: "a link leads out of a project that is not trusted" });
        const read = definitionText(file);
        if ("fault" in read) return withoutText(source, place, read);
        const names = relative(place, file).slice(0, -".md".length).split(sep);
        const fallbackName = plugin === undefined ? undefined : names.at(-1);
        const parsed = parseAgentDefinition(read.text, { revision, ...(fallbackName && { fallbackName }) });
        const namespace = plugin === undefined ? {} : { namespace: [plugin, ...names.slice(0, -1)].join(":") };
        return { ...parsed, ...namespace, ...read, source, file, place };
      }),
    ];
  }

  function onCommandLine(text: string): readonly Found[] {
    const { definitions, problems } = parseAgentsJson(text, { revision });
    const one = { source: "flag", file: "--agents", place: "--agents", text } as const;
    const complaint = problems.length > 0 ? [{ ...one, problems }] : [];
    return [...complaint, ...definitions.map((definition) => ({ ...one, definition, problems: [] }))];
  }
}

function withoutText(source: Found["source"], place: string, { file, fault }: UnreadableFile): Found {
  const message = `the definition cannot be read: ${fault}`;
  const problem = { path: "", code: "document_malformed", message, fix: "fix or remove it" } as const;
  return { source, place, file, problems: [problem] };
}

function hidden({ agentType }: KnownAgent, winner: Found & { readonly agent: KnownAgent }): AgentProblem {
  const message = `${agentType} is not used: ${winner.file} defines ${winner.agent.agentType}, which is the same name`;
  return { path: "/name", code: "name_duplicated", message, fix: "rename one of the two" };
}
