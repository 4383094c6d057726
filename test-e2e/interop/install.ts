import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { runProcess } from "@troupe/process";
import { npmInstall } from "../npm.ts";
import { type Client, type InstalledClient, type Make, makes, nameOf } from "./client.ts";

export type Installed = { readonly client: InstalledClient } | { readonly gone: string };

interface Place {
  /** Each client has a folder of its own in it. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Installs a client as npm has it, without running a script of it; one that is there stays. Throws
 * where npm cannot be reached: a run without a client must not pass for one with it.
 */
export async function install(client: Client, { directory, environment }: Place): Promise<Installed> {
  const name = nameOf(client);
  const place = join(directory, name);
  const found = programIn(client, place);
  if (found) return { client: { ...client, command: found } };
  const wanted = `${makes[client.kind].package}@${client.version}`;
  const { code, stderr, failure } = await npmInstall(place, [wanted], environment);
  const command = programIn(client, place);
  if (code === 0 && command) return { client: { ...client, command } };
  rmSync(place, { recursive: true, force: true });
  const lines = stderr.split("\n").filter((line) => line.startsWith("npm error"));
  if (/code (E404|ETARGET)/.test(stderr)) return { gone: `npm has no ${wanted}` };
  const why = failure ?? (code === 0 ? "no program of it was found" : lines.slice(0, 4).join("; "));
  throw new Error(
    `${name} could not be installed: ${why}. The live proof needs npm: see that it is reachable, run again`,
  );
}

/** A binary is started by itself, a script by this Node. */
function programIn(client: Client, place: string): InstalledClient["command"] | undefined {
  const make: Make = makes[client.kind];
  const file = make.programs.map((path) => join(place, "node_modules", path)).find(existsSync);
  if (file === undefined) return undefined;
  return dirname(file).endsWith(`-${process.arch}`) ? [file] : [process.execPath, file];
}

/** The newest published version of a client. */
export async function newest(
  { kind }: Pick<Client, "kind">,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const args = ["view", makes[kind].package, "version"];
  const run = { program: "npm", args, cwd: "/", environment, timeoutMs: 60_000, keptBytes: 20_000 };
  const { code, stdout, stderr, failure } = await runProcess(run);
  if (code === 0) return stdout.trim();
  throw new Error(`npm does not say which ${kind} is the newest: ${failure ?? stderr.trim()}`);
}
