import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { programIn, runProcess, type Start } from "@troupe/process";
import { messageOf } from "@troupe/protocol";
import { bubblewrap } from "./bubblewrap.ts";
import type { Confinement } from "./confinement.ts";
import { seatbelt } from "./seatbelt.ts";

/** Places to look at; a session looks once. */
export interface ConfinementDeps {
  /** Its PATH says where programs are. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where a directory for the trial can be made, and removed again. */
  readonly temporary: string;
  readonly platform?: NodeJS.Platform;
}

/** The confinement of this system, or why there is none and what helps. */
export type FoundConfinement =
  | { readonly confinement: Confinement }
  | { readonly confinement?: never; readonly why: string };

const patienceMs = 5_000;

/**
 * Finds out which confinement this system offers, by running a program in it that tries to write.
 * Whatever comes of it, sessions work: without one, commands run as they always did.
 */
export async function findConfinement({
  environment,
  temporary,
  platform = process.platform,
}: ConfinementDeps): Promise<FoundConfinement> {
  const wanted = { linux: "bwrap", darwin: "sandbox-exec" }[platform as string];
  if (wanted === undefined) return { why: `there is no confinement for ${platform}` };
  const program = programIn(wanted, environment["PATH"]);
  if (program === undefined) {
    const remedy = platform === "linux" ? "install the package bubblewrap" : "it is part of macOS, in /usr/bin";
    return { why: `${wanted} is in no directory of PATH: ${remedy}` };
  }
  let why = "";
  for (const confinement of await candidates(platform, program)) {
    const fault = await faultOf(confinement, temporary);
    if (fault === undefined) return { confinement };
    why ||= `${program} does not work here: ${fault}`;
  }
  return { why };
}

/** The best one first. */
async function candidates(platform: NodeJS.Platform, program: string): Promise<readonly Confinement[]> {
  if (platform === "darwin") return [seatbelt(program)];
  const { said } = await outcomeOf({ program, args: ["--version"], cwd: "/", environment: {} });
  const version = /\d[\d.]*/.exec(said)?.[0] ?? "";
  const deps = { program, version, arch: process.arch, isRoot: process.getuid?.() === 0 };
  return [true, false].map((hasOwnProc) => bubblewrap({ ...deps, hasOwnProc }));
}

/** Why it does not confine; undefined where it does. */
async function faultOf(confinement: Confinement, temporary: string): Promise<string | undefined> {
  let folder: string | undefined;
  try {
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    folder = mkdtempSync(join(temporary, "troupe-confinement-"));
    const [own, forbidden] = [join(folder, "own"), join(folder, "forbidden")];
    mkdirSync(own);
    const trial = ': > "$0/written" && ! (: > "$1") 2> /dev/null';
    const start = { program: "/bin/sh", args: ["-c", trial, own, forbidden], cwd: "/", environment: {} };
    const { code, said } = await outcomeOf(confinement.confined(start, { writable: [], temporary: own }));
    if (existsSync(forbidden)) return "it does not keep a program from writing";
    return code === 0 ? undefined : said.trim() || `its trial ended with ${code}`;
  } catch (error) {
    return messageOf(error);
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** How a program ends that has little to say. */
async function outcomeOf(start: Start): Promise<{ readonly code: number | null; readonly said: string }> {
  const { code, stdout, stderr, failure } = await runProcess({ ...start, timeoutMs: patienceMs, keptBytes: 1_000 });
  return { code, said: (stdout + stderr).trim() || (failure ?? "") };
}
