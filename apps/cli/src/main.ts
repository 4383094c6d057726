#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Command, type Exit, exits, type GlobalValues } from "./command.ts";
import { commands, sections } from "./commands.ts";
import { openOutput } from "./output.ts";
import { parse, type Request } from "./parse.ts";
import { ask, readAll, startProgress } from "./terminal.ts";

const { argv, env, stdin, stdout, stderr } = process;
const request = parse(argv.slice(2), commands);
const { isJson, isDebug } = request;
const isLive = request.kind === "run" && request.command.isLive === true;
const output = openOutput({ stdout, stderr, env, isJson, isDebug, isLive });
const stopping = new AbortController();
let stopped: Exit | undefined;

/** What goes on is told to stop, and only who asks twice cuts it off. Everything else ends at once: no lock is held between two steps. */
function stop(exit: Exit): void {
  if (!isLive || stopped !== undefined) process.exit(exit);
  stopped = exit;
  stopping.abort();
}
process.on("SIGINT", () => stop(exits.interrupted));
process.on("SIGTERM", () => stop(exits.terminated));
// Whoever read our output went away, as `head` does: that is no failure.
stdout.on("error", ({ code }: { code?: unknown }) => stop(code === "EPIPE" ? exits.done : exits.failed));
stderr.on("error", () => {});

try {
  const exit = await answer(request);
  process.exitCode = stopped ?? exit;
} catch (error) {
  const { complaintOf } = await import("./complaint.ts");
  process.exitCode = await output.complain(complaintOf(error));
}

async function answer(request: Request): Promise<Exit> {
  if (request.kind === "run") return run(request.command, request.args, request.options);
  if (request.kind === "help") {
    const { helpAbout } = await import("./help.ts");
    return output.print(helpAbout(request.about, sections), 100);
  }
  if (request.kind === "version") {
    return output.print({ document: { version: version() }, text: [`troupe ${version()}`] });
  }
  return output.complain({ message: request.message, exit: exits.wrong, code: "arguments_invalid" });
}

function version(): string {
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
}

async function run(command: Command, args: object, options: GlobalValues): Promise<Exit> {
  const { run: perform } = await command.load();
  const progress = isLive || isJson ? undefined : startProgress(command.name, stderr);
  /** A person takes the time a person takes. */
  const waitFor = <T>(work: Promise<T>): Promise<T> => {
    progress?.stop();
    return work.finally(() => progress?.start());
  };
  const answer = await perform({
    args,
    options,
    root: options.root ?? (env["CLAUDE_CONFIG_DIR"] || join(homedir(), ".claude")),
    cwd: process.cwd(),
    now: () => new Date(),
    signal: stopping.signal,
    version: version(),
    environment: env,
    streams: { input: stdin, output: stdout },
    commands,
    read: () => waitFor(readAll(stdin)),
    tell: (part) => output.print(part),
    async confirm(question) {
      const said = options.yes ?? (await waitFor(ask(question, stdin, stderr)));
      if (said === undefined) return { exit: exits.wrong, remark: `${question} Nobody can be asked here: say --yes` };
      return said ? undefined : { exit: exits.failed, remark: "nothing was changed" };
    },
  }).finally(() => progress?.stop());
  return answer ? output.print(answer) : exits.done;
}
