import { mkdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type ProcessEnd, programIn, type Running, startProcess } from "@troupe/process";
import { type Confinement, confinedNote } from "../confinement/confinement.ts";
import type { Bounds } from "../loop/tool.ts";
import { createOutputFile, type OutputFile } from "./output-file.ts";

/** Surroundings of a command. */
export interface ShellDeps {
  readonly cwd: string;
  /** All that its commands find in their environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** What stands before the command where bash runs it: commands joined with `&&`. */
  readonly prelude?: string | undefined;
  /** Where long outputs are kept; only for this user. */
  readonly outputs: string;
  /** In which commands run that have bounds; without one these run as all do. */
  readonly confinement?: Confinement | undefined;
}

/** How a command ended. */
export interface ShellEnd extends ProcessEnd {
  /** A possible reason for the failure, or nothing. */
  readonly note: string;
}

/** A command that was started. */
export interface ShellRun {
  readonly output: OutputFile;
  /** Never rejects; when it resolves, nothing that could be found still runs. */
  readonly ended: Promise<ShellEnd>;
  end(): void;
  onOutput(listener: () => void): void;
}

/**
 * Starts a command in a session of its own, so that it has no terminal to ask, with nothing to
 * read, and with both its outputs in one stream in the order they were written. What it leaves
 * behind in its session ends with it. With bounds it runs confined where the system offers that.
 */
export function startShell(command: string, id: string, deps: ShellDeps, bounds?: Bounds): ShellRun {
  const { cwd, environment, outputs, prelude = "" } = deps;
  const confinement = bounds && deps.confinement;
  const output = createOutputFile(join(outputs, `${id}.output`));
  const temporary = confinement && emptyFolder(join(outputs, `${id}.tmp`));
  const shell = programIn("bash", environment["PATH"]) ?? "/bin/sh";
  // A second shell takes the place of the first, so that the command is what it would be without
  // the joining of the outputs.
  const text = prelude === "" || shell === "/bin/sh" ? command : `${prelude}eval ${quoted(command)}`;
  const args = ["-c", 'exec 2>&1; exec "$0" -c "$1"', shell, text];
  const start = { program: shell, args, cwd, environment };
  let running: Running;
  try {
    const confined = bounds && confinement?.confined(start, { ...bounds, temporary });
    running = startProcess({ ...start, ...confined, endsAll: confinement?.endsAll });
  } catch (error) {
    output.close();
    output.remove();
    // With the last of what is in it their folder goes too.
    void removed(temporary).then(output.remove);
    throw error;
  }
  /** Output from before the streams were joined: words of the confinement itself. */
  let before = "";
  if (confinement)
    running.errors.on("data", (bytes: Buffer) => {
      before = (before + bytes.toString("utf8")).slice(0, 2_000);
    });
  const listeners: (() => void)[] = [];
  for (const stream of [running.output, running.errors]) {
    stream.on("data", (bytes: Buffer) => {
      output.write(bytes);
      for (const listener of listeners) listener();
    });
  }

  return {
    output,
    ended: running.ended.then(judged),
    end: () => void running.end(),
    onOutput: (listener) => void listeners.push(listener),
  };

  async function judged(end: ProcessEnd): Promise<ShellEnd> {
    await removed(temporary);
    if (end.fault !== undefined) return { ...end, fault: faultOf(cwd, end.fault), note: "" };
    if (!confinement || end.code === 0) return { ...end, note: "" };
    const failure = confinement.faultIn(before);
    if (failure !== undefined)
      return { code: null, signal: null, left: 0, fault: unconfinable(confinement, failure), note: "" };
    return { ...end, note: confinedNote(confinement, output.excerpt()) };
  }
}

/** A text as one word of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Undefined where none can be made, on a full disk say: most commands that read do without. */
function emptyFolder(path: string): string | undefined {
  try {
    mkdirSync(path, { mode: 0o700 });
    return path;
  } catch {
    return undefined;
  }
}

async function removed(folder: string | undefined): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => {});
}

const unconfinable = ({ name }: Confinement, failure: string): string =>
  `It was not run: ${name} could not confine it (${failure}), and what passes without a rule is not run unconfined where ` +
  "confinement works otherwise. Read, Glob and Grep do without it, and so does a command that a rule for Bash allows.";

const faultOf = (cwd: string, fault: string): string =>
  statSync(cwd, { throwIfNoEntry: false })?.isDirectory()
    ? `The shell could not be started: ${fault}`
    : `The working directory ${cwd} does not exist any more; make it again, or work elsewhere.`;
