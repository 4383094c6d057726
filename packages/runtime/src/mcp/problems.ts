import type { Mcp, McpServerStatus } from "./mcp.ts";

/** The beginning of the problem of a server at which a person has to log in. */
export const needsLogin = "it needs a login: ";

/** Servers that offer no tools although they are configured. */
export const absentServers = (mcp: Pick<Mcp, "servers"> | undefined): readonly string[] =>
  (mcp?.servers() ?? []).flatMap(({ name, state }) => (state === "connected" ? [] : [name]));

/**
 * Messages to a person about servers that are missing or faulty: which, how it is started, and why.
 */
export const serverProblems = (mcp: Pick<Mcp, "servers"> | undefined): readonly string[] =>
  (mcp?.servers() ?? []).flatMap((server) => {
    const { name, state, written, problem = states[state] } = server;
    if (problem === undefined) return [];
    const how = written === undefined ? "" : ` (${written})`;
    const isToLogIn = problem.startsWith(needsLogin);
    const remedy = isToLogIn
      ? "; its tools are missing until then"
      : "; its tools are missing: check mcpServers in the settings";
    return [`The MCP server ${JSON.stringify(name)}${how}: ${problem}${state === "connected" ? "" : remedy}`];
  });

/** For a server that says nothing of why it is not there. */
const states: Readonly<Record<McpServerStatus["state"], string | undefined>> = {
  connected: undefined,
  connecting: "it has not answered yet",
  failed: "it could not be started",
  closed: "it was closed",
  unknown: "there is no server of this name",
};
