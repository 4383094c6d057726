// Child processes that never outlive us. A tool gets a process group of its own, so that stopping
// it stops what it started.
import { spawn } from "node:child_process";
import { constants } from "node:os";

/** The grace period of a stopped tool before it is killed. */
const graceMs = 3000;

/** @type {Set<import("node:child_process").ChildProcess>} */
const tools = new Set();
/** @type {import("node:child_process").ChildProcess | undefined} */
let app;
let stopping = false;

/**
 * @typedef {object} ToolOptions
 * @property {NodeJS.ProcessEnv} env
 * @property {string} cwd
 * @property {"inherit" | "pipe" | 2} [output] where what it prints goes, as spawn names it; `pipe` returns it
 */

/**
 * Runs a tool to its end, with nothing to read on stdin.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {ToolOptions} options
 * @returns {Promise<{ code: number, output: string }>}
 */
export function runTool(program, args, { env, cwd, output = "inherit" }) {
  if (stopping) return new Promise(() => {});
  /** @type {import("node:child_process").StdioOptions} */
  const stdio = ["ignore", output, output === "pipe" ? "pipe" : 2];
  const child = spawn(program, args, { env, cwd, detached: true, stdio });
  tools.add(child);
  /** @type {Buffer[]} */
  const kept = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => kept.push(chunk));
  return new Promise((resolve) => {
    const end = (/** @type {number} */ code, /** @type {string} */ note) => {
      tools.delete(child);
      if (!stopping) resolve({ code, output: Buffer.concat(kept).toString() + note });
    };
    child.once("error", (error) => end(127, `${program}: ${error.message}\n`));
    child.once("close", (code, signal) => end(exitCode(code, signal), ""));
  });
}

/**
 * Runs the program people talk to: it owns the terminal, sees the environment as it was, and
 * decides itself what a signal means.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} cwd
 * @returns {Promise<number>} its exit code
 */
export function runApp(program, args, cwd) {
  if (stopping) return new Promise(() => {});
  const child = spawn(program, args, { cwd, stdio: "inherit" });
  app = child;
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(`${program}: ${error.message}`);
      resolve(127);
    });
    child.once("exit", (code, signal) => resolve(exitCode(code, signal)));
  });
}

/**
 * From here on a signal ends the tools first, then this process with the status a shell expects.
 */
export function endWithChildren() {
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => {
      // A terminal sends its Ctrl-C to the app as well as to us: sending it twice would mean "at
      // once" to many programs.
      if (app) return signal === "SIGINT" && process.stdin.isTTY ? undefined : app.kill(signal);
      return stop(signal);
    });
  }
}

/** @param {"SIGINT" | "SIGTERM" | "SIGHUP"} signal */
async function stop(signal) {
  if (stopping) return;
  stopping = true;
  const groups = [...tools];
  const running = groups.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const ends = running.map((child) => new Promise((resolve) => child.once("exit", resolve)));
  for (const child of groups) signalGroup(child, signal);
  await Promise.race([Promise.all(ends), new Promise((resolve) => setTimeout(resolve, graceMs))]);
  for (const child of groups) signalGroup(child, "SIGKILL");
  process.exit(128 + constants.signals[signal]);
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function signalGroup(child, signal) {
  try {
    if (child.pid) process.kill(-child.pid, signal);
  } catch {
    // The whole group is gone already.
  }
}

/**
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
const exitCode = (code, signal) => code ?? 128 + (signal ? constants.signals[signal] : 0);
