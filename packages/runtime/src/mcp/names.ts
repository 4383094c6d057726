import { createHash } from "node:crypto";
import { textPattern } from "../wildcard.ts";

/** The longest name that the API takes. */
const longestName = 64;
const longestKey = 32;

const plain = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, "_");

/**
 * A server's name as it stands in the names of its tools: without `__`, so that where the tool's
 * own name begins is never in doubt. One that is too long is cut, and ends in a digest of what it
 * was.
 */
export function serverKey(server: string): string {
  const key =
    plain(server)
      .replace(/_{2,}/g, "_")
      .replace(/^_+|_+$/g, "") || "server";
  return key.length > longestKey ? `${key.slice(0, longestKey - 9)}-${digest(server)}` : key;
}

/** Servers whose names fit a pattern, where `*` stands for anything and case does not count. */
export function serverPattern(pattern: string): (name: string) => boolean {
  const isNamed = textPattern(pattern.trim().toLowerCase().split("*"));
  return (name) => isNamed(name.toLowerCase());
}

/**
 * The name of each tool of a server for the model. A name that is too long, or no longer unique,
 * ends in a digest of the original.
 */
export function toolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const prefix = `mcp__${serverKey(server)}__`;
  const given = new Map<string, string>();
  const taken = new Set<string>();
  // A tool that is called so keeps its name, whatever comes before it in the list: rules may speak
  // of it.
  const exact = tools.filter((tool) => plain(tool) === tool);
  for (const tool of [...exact, ...tools]) {
    if (given.has(tool)) continue;
    let name = `${prefix}${plain(tool)}`;
    for (let salt = ""; name.length > longestName || taken.has(name); salt += "-")
      name = `${`${prefix}${plain(tool)}`.slice(0, longestName - 9)}-${digest(`${tool}${salt}`)}`;
    taken.add(name);
    given.set(tool, name);
  }
  return given;
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);
