import { isObject } from "../json/is-object.ts";
import type { AgentDefinition } from "./definition.ts";
import { type FieldReader, quoted } from "./field-reader.ts";

/**
 * A server named by its connection, or defined in the agent's own file. Only the latter is the
 * agent's to close.
 */
export type AgentMcpServer =
  | { readonly kind: "reference"; readonly name: string }
  | { readonly kind: "inline"; readonly name?: string; readonly config: Readonly<Record<string, unknown>> };

/**
 * Reads one entry of `mcpServers`: a name, `{name: config}`, or a bare config with `command` or
 * `url`. Undefined for anything else, and for a config without a command or address.
 */
export function agentMcpServer(entry: unknown): AgentMcpServer | undefined {
  if (typeof entry === "string") return entry.trim() === "" ? undefined : { kind: "reference", name: entry.trim() };
  if (!isObject(entry)) return undefined;
  if (isConfig(entry)) return { kind: "inline", config: entry };
  const [[name, config] = [], ...others] = Object.entries(entry);
  if (name === undefined || others.length > 0 || !isObject(config)) return undefined;
  return isConfig(config) ? { kind: "inline", name, config } : undefined;
}

/** Reads `mcpServers` as people write it: a list, a map by name, or names with commas. */
export function readMcpServers(reader: FieldReader): AgentDefinition["mcpServers"] {
  const value = reader.value("mcpServers");
  if (value === undefined) return undefined;
  const entries: unknown[] = Array.isArray(value)
    ? value.flatMap((entry: unknown) =>
        agentMcpServer(entry) === undefined && isObject(entry) ? byName(entry) : [entry],
      )
    : isObject(value)
      ? isConfig(value)
        ? [value]
        : byName(value)
      : String(value).split(",");
  return entries.flatMap((entry, index) => {
    const server = agentMcpServer(entry);
    if (server) return [server.kind === "reference" ? server.name : (entry as Record<string, unknown>)];
    reader.report(
      ["mcpServers", index],
      `mcpServers holds ${quoted(entry)}, no server`,
      "write a server's name, or its name and below it command: or url:",
    );
    return [];
  });
}

/** `{github: null, db: {command}}` is two servers, the first by name. */
const byName = (servers: Record<string, unknown>): unknown[] =>
  Object.entries(servers).map(([name, config]) => (config === null ? name : Object.fromEntries([[name, config]])));

/** `url` and `command` of an object are a config; under a name they would be objects themselves. */
const isConfig = (record: Record<string, unknown>): boolean =>
  ["command", "url"].some((key) => Object.hasOwn(record, key) && typeof record[key] === "string" && record[key] !== "");
