import { z } from "zod";

const strings = z.record(z.string(), z.string());

const StdioServer = z.looseObject({
  type: z.literal("stdio").optional(),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: strings.optional(),
});

const HttpServer = z.looseObject({
  type: z.enum(["http", "streamable-http"]).optional(),
  url: z.string().min(1),
  headers: strings.optional(),
  oauth: z
    .looseObject({ clientId: z.string().min(1).optional(), callbackPort: z.int().min(1).max(65_535).optional() })
    .optional(),
});

/** A server as settings and definitions write it. */
export const McpServerConfig = z.union([StdioServer, HttpServer]);
export type McpServerConfig = z.infer<typeof McpServerConfig>;

/** How to reach a server, with every variable in its place. */
export type McpAddress =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: "http";
      readonly url: URL;
      readonly headers: Readonly<Record<string, string>>;
      /** As which client to log in, and the port that a browser comes back to. */
      readonly oauth: { readonly clientId?: string | undefined; readonly callbackPort?: number | undefined };
    };

/**
 * How a server is reached, for a person: as it was written, since variables often stand for
 * passwords.
 */
export function writtenAs(config: unknown): string | undefined {
  const { data } = McpServerConfig.safeParse(config);
  if (!data) return undefined;
  if (typeof data.command !== "string") return String(data.url);
  return [data.command, ...((data.args ?? []) as readonly string[])].join(" ");
}

/** Reads a config; throws with words for the person who wrote it. */
export function addressOf(config: unknown, environment: Readonly<Record<string, string>>): McpAddress {
  const read = McpServerConfig.safeParse(config);
  if (!read.success) throw new Error("its config needs a command, or a url with type http");
  const { data } = read;
  const expanded = (text: string) => expand(text, environment);
  const expandedAll = (texts: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, expanded(text)]));
  return "command" in data && typeof data.command === "string"
    ? {
        kind: "stdio",
        command: expanded(data.command),
        args: ((data.args ?? []) as readonly string[]).map(expanded),
        environment: { ...environment, ...expandedAll(data.env as Record<string, string> | undefined) },
      }
    : {
        kind: "http",
        url: new URL(expanded(String(data.url))),
        headers: expandedAll(data.headers as Record<string, string> | undefined),
        oauth: { ...(data.oauth as object | undefined) },
      };
}

/**
 * Puts variables in: `${NAME}`, or `${NAME:-instead}`. One that is not set is an error, since what
 * it leaves out is often a password.
 */
const expand = (text: string, environment: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, instead?: string) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : instead;
    if (value === undefined) throw new Error(`its config needs the variable ${name}, which is not set`);
    return value;
  });
