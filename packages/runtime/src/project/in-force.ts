import type { Revision } from "@troupe/protocol";
import { type AgentDefinition, type AgentProblem, hooksInForce } from "@troupe/protocol/agent";

interface Standing {
  readonly source: string;
  readonly isTrusted: boolean;
  readonly revision: Revision;
}

/** Modes in which nothing runs that the usual one would ask about. */
const strictModes: readonly string[] = ["default", "manual", "plan", "dontAsk"];

/**
 * The part of a definition that counts where it stands. A project that is not trusted can neither
 * start a command, by a hook or a server of its own, nor widen what runs unasked, nor see what the
 * user's agents remember of other projects; a mode that only makes its agent stricter stays, and so
 * do servers by name, which somebody else has configured. A plugin can start and widen nothing,
 * trusted or not.
 */
export function inForce(
  definition: AgentDefinition,
  { source, isTrusted, revision }: Standing,
): { readonly definition: AgentDefinition; readonly problems: readonly AgentProblem[] } {
  const { hooks, mcpServers = [], permissionMode, memory, ...rest } = definition;
  const isPlugin = source === "plugin";
  const isForeign = source === "project" && !isTrusted;
  const isFree = !isPlugin && !isForeign;
  const servers = mcpServers.filter((server) => isFree || (isForeign && typeof server === "string"));
  const keepsMode = permissionMode !== undefined && (isFree || (isForeign && strictModes.includes(permissionMode)));
  const running = isFree ? hooksInForce({ hooks }, revision) : {};
  const remembers = !(isForeign && memory === "user");
  const lost = [
    ...(!isFree && hooks !== undefined ? ["hooks"] : []),
    ...(servers.length < mcpServers.length ? ["mcpServers"] : []),
    ...(permissionMode !== undefined && !keepsMode ? ["permissionMode"] : []),
    ...(remembers ? [] : ["memory"]),
  ];
  return {
    definition: {
      ...rest,
      ...(Object.keys(running).length > 0 && { hooks: running }),
      ...(servers.length > 0 && { mcpServers: servers }),
      ...(keepsMode && { permissionMode }),
      ...(remembers && memory !== undefined && { memory }),
    } as AgentDefinition,
    problems: lost.map((field) => (isPlugin ? fromPlugin(field) : fromForeign(field))),
  };
}

const fromPlugin = (field: string): AgentProblem => ({
  path: `/${field}`,
  code: "field_invalid",
  message: `${field} of a plugin's agent has no effect`,
  fix: "copy the definition to .claude/agents if you want it",
});

const fromForeign = (field: string): AgentProblem => ({
  path: `/${field}`,
  code: "field_invalid",
  message: `${field} has no effect, since this folder is not trusted`,
  fix: "read what it would do, and then trust the folder",
});
