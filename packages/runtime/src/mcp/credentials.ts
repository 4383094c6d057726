import { createHash } from "node:crypto";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, readJson } from "@troupe/protocol";
import { readNamedFile } from "@troupe/store/files";
import { replaceFile } from "../whole-file.ts";

/**
 * What a login at a server has come to. Its parts are the SDK's, whose types are not named here:
 * who uses no MCP does not install it.
 */
export interface Login {
  /** As which client this program is known there. */
  readonly client?: object | undefined;
  readonly tokens?: object | undefined;
  /** Where its authorization server is. */
  readonly discovery?: object | undefined;
}

/** Logins at MCP servers by their URL, for all processes of a user. */
export interface Credentials {
  read(server: URL): Login | undefined;
  write(server: URL, login: Login): void;
  /** False where there was none. */
  forget(server: URL): boolean;
}

/**
 * Logins below the agents' own directory, in a file each that nobody else may read; one that others
 * may read is not used.
 */
export function openCredentials(root: string): Credentials {
  const fileOf = ({ href }: URL) =>
    join(root, "troupe", "logins", `${createHash("sha256").update(href).digest("hex").slice(0, 32)}.json`);
  const isPrivate = (file: string) => (statSync(file).mode & 0o077) === 0;

  return {
    read(server) {
      const file = fileOf(server);
      try {
        const { value } = isPrivate(file) ? readJson(readNamedFile(file)) : { value: undefined };
        if (!isObject(value) || value["server"] !== server.href) return undefined;
        return {
          client: partOf(value, "client"),
          tokens: partOf(value, "tokens"),
          discovery: partOf(value, "discovery"),
        };
      } catch {
        return undefined;
      }
    },
    write(server, login) {
      const file = fileOf(server);
      // A new file is written with the permissions of the one before.
      if (statSync(file, { throwIfNoEntry: false }) && !isPrivate(file)) rmSync(file);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      replaceFile(file, `${JSON.stringify({ server: server.href, ...login }, null, 2)}\n`);
    },
    forget(server) {
      const file = fileOf(server);
      const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined;
      rmSync(file, { force: true });
      return isThere;
    },
  };
}

const partOf = (value: Readonly<Record<string, unknown>>, name: keyof Login): object | undefined =>
  isObject(value[name]) ? value[name] : undefined;
