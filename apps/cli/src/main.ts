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
 * Stops a live command gracefully, and at once on a second signal. Any other command ends at once:
 * no lock is held between two steps.
 */
function stop(exit: Exit): void {
  if (!program.isLive || stopped !== undefined) process.exit(exit);
  stopped = exit;
  stopping.abort();
}
process.on("SIGINT", () => stop(exits.interrupted));
process.on("SIGTERM", () => stop(exits.terminated));
// A terminal that is closed: what runs below a session would run on without it.
process.on("SIGHUP", () => stop(exits.hungUp));
// The reader of the output closed it, as `head` does: this is not a failure.
stdout.on("error", async ({ code, message }: NodeJS.ErrnoException) => {
  // Each write fails from then on: only the first one is news.
  if (code === "EPIPE") return stopped === undefined ? stop(exits.done) : undefined;
  const lost = `the output could not be written: ${message}`;
  stop(await program.complain({ message: lost, exit: exits.failed, code: "output_unwritable" }));
});
stderr.on("error", () => {});

const exit = await program.perform();
// A reader that has gone does not make done what was not.
process.exitCode = stopped || exit;
