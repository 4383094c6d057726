import { createHash } from "node:crypto";

/** What the API takes as a name. */
const longestName = 64;

const plain = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, "_");

/** A server's name as it stands in the names of its tools: without `__`, so that where the tool's own name begins is never in doubt. */
export const serverKey = (name: string): string =>
  plain(name)
    .replace(/_{2,}/g, "_")
    .replace(/^_+|_+$/g, "") || "server";

/** What the model calls each tool of a server. A name that is too long, or no longer one of a kind, ends in a digest of what it was. */
export function toolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const key = serverKey(server);
  const prefix = `mcp__${key.length > 32 ? `${key.slice(0, 23)}-${digest(server)}` : key}__`;
  const wanted = tools.map((tool) => `${prefix}${plain(tool)}`);
  return new Map(
    tools.map((tool, index) => {
      const name = wanted[index] ?? "";
      const isOwn = name.length <= longestName && wanted.indexOf(name) === index;
      return [tool, isOwn ? name : `${name.slice(0, longestName - 9)}-${digest(tool)}`];
    }),
  );
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);
