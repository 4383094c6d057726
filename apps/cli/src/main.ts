#!/usr/bin/env node
import { homedir } from "node:os";
import { type Exit, exits } from "./command.ts";
import { openProgram } from "./program.ts";

const { argv, env, stdin, stdout, stderr } = process;
const stopping = new AbortController();
const program = openProgram({
  argv: argv.slice(2),
  env,
  // Asked for when it is needed: the directory may be gone.
  get cwd() {
    return process.cwd();
  },
  home: homedir(),
  stdin,
  stdout,
  stderr,
  signal: stopping.signal,
});
let stopped: Exit | undefined;

/**
 * Stops a live command gracefully, and at once on a second signal of a person. Any other command
 * ends at once: no lock is held between two steps.
 */
function stop(exit: Exit): void {
  if (!program.isLive || stopped !== undefined) process.exit(exit);
  stopped = exit;
  stopping.abort();
}
process.on("SIGINT", () => stop(exits.interrupted));
process.on("SIGTERM", () => stop(exits.terminated));

/**
 * The same once nobody is there any more, which is told more than once: by a signal, and by each
 * write. What runs below a session would run on if the second of them ended it at once.
 */
function leave(exit: Exit): void {
  if (stopped === undefined) stop(exit);
}
process.on("SIGHUP", () => leave(exits.hungUp));
stdout.on("error", async ({ code, message }: NodeJS.ErrnoException) => {
  // The reader of the output closed it, as `head` does: this is not a failure.
  if (code === "EPIPE") return leave(exits.done);
  if (code === "EIO" && stdout.isTTY) return leave(exits.hungUp);
  if (stopped !== undefined) return;
  const lost = `the output could not be written: ${message}`;
  leave(await program.complain({ message: lost, exit: exits.failed, code: "output_unwritable" }));
});
stderr.on("error", () => {});

const exit = await program.perform();
// A reader that has gone does not make done what was not.
process.exitCode = stopped || exit;
// Node cannot set a terminal back that is gone, and would take that for a fault of its own: abort.
if (stopped === exits.hungUp && stdout.isTTY) {
  process.removeAllListeners("SIGHUP");
  process.kill(process.pid, "SIGHUP");
}
