import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { type Answer, type Exit, exits, type OpenStore, teamArg } from "./command.ts";
import { commands, sections } from "./commands.ts";
import type { Complaint } from "./complaint.ts";
import { openOutput } from "./output.ts";
import { parse, type Request } from "./parse.ts";
import { ask, type Environment, type Output, startProgress } from "./terminal.ts";
import type { namesFor } from "./which-team.ts";

/** The surroundings of one run of `troupe`. */
export interface Surroundings {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & Output;
  readonly stderr: Output;
  readonly cwd: string;
  /** The home directory of the user. */
  readonly home: string;
  readonly signal: AbortSignal;
}

/** One run of `troupe`, to be performed once. */
export interface Program {
  /** The command runs until it is stopped. */
  readonly isLive: boolean;
  perform(): Promise<Exit>;
  /** Prints an error, and returns the exit code to end with. */
  complain(complaint: Complaint): Promise<Exit>;
}

/** Reads the arguments, and opens what they ask for. */
export function openProgram(surroundings: Surroundings): Program {
  const { argv, env, home, stdin, stdout, stderr, signal } = surroundings;
  const request = parse(argv, commands, stdin.isTTY === true && stdout.isTTY === true);
  const { isJson, isDebug } = request;
  const isLive = request.kind === "run" && staysOn(request);
  const output = openOutput({ stdout, stderr, env, isJson, isDebug, isLive });

  async function answer(asked: Request): Promise<Exit> {
    if (asked.kind === "run") return run(asked);
    if (asked.kind === "help") {
      const { helpAbout } = await import("./help.ts");
      return output.print(helpAbout(asked.about, sections), 100);
    }
    if (asked.kind === "version") {
      return output.print({ document: { version: version() }, text: [`troupe ${version()}`] });
    }
    return output.complain({ message: asked.message, exit: exits.wrong, code: "arguments_invalid" });
  }

  async function run(asked: Extract<Request, { kind: "run" }>): Promise<Exit> {
    const { command, options } = asked;
    const { run: perform } = await command.load();
    const stores = new Map<string, Promise<OpenStore>>();
    if (withPassword.test(options.store ?? "")) output.note(passwordSeen);
    const progress = isLive || isJson ? undefined : startProgress(command.name, stderr);
    const quietly = <T>(work: Promise<T>): Promise<T> => {
      progress?.stop();
      return work.finally(() => progress?.start());
    };
    const call = {
      root: options.root ?? (env["CLAUDE_CONFIG_DIR"] || join(home, ".claude")),
      home,
      cwd: surroundings.cwd,
      now: () => new Date(),
      signal,
      isJson,
      version: version(),
      // Programs that are started have the choice from there, where nobody else sees a password.
      environment: options.store === undefined ? env : { ...env, TROUPE_STORE: options.store },
      stores,
      streams: { input: stdin, output: stdout },
      commands,
      async read() {
        const { readAll } = await import("./standard-input.ts");
        return quietly(readAll(stdin));
      },
      quietly,
      note: output.note,
      tell: (part: Answer) => output.print(part),
      async confirm(question: string) {
        const said = options.yes ?? (await quietly(ask(question, stdin, stderr)));
        if (said === undefined) return { exit: exits.wrong, remark: `${question} This is not a terminal: use --yes` };
        return said ? undefined : { exit: exits.failed, remark: "nothing was changed" };
      },
    };
    const work = async () => perform({ ...call, ...(await named(call, asked)) });
    try {
      const answered = await work().finally(() => progress?.stop());
      return answered ? await output.print(answered) : exits.done;
    } finally {
      for (const store of stores.values()) await (await store.catch(() => undefined))?.close();
    }
  }

  /** Loaded only for commands of a team, so that the others begin sooner. */
  async function named(place: Parameters<typeof namesFor>[0], asked: Extract<Request, { kind: "run" }>) {
    if (asked.command.args[0] !== teamArg) return asked;
    const { namesFor } = await import("./which-team.ts");
    return namesFor(place, asked);
  }

  async function fail(error: unknown): Promise<Exit> {
    const { complaintOf } = await import("./complaint.ts");
    return output.complain(complaintOf(error));
  }

  return { isLive, perform: () => answer(request).catch(fail), complain: output.complain };
}

/** The command goes on until it is stopped, by itself or as an option asks for. */
const staysOn = ({ command, options }: Extract<Request, { kind: "run" }>): boolean =>
  command.isLive === true || Object.keys(options).some((name) => command.options[name]?.isLive);

const withPassword = /^postgres(ql)?:\/\/([^/?@]*:[^/?@]+@|.*[?&]password=)/;
const passwordSeen =
  "everybody on this machine sees the password of --store with ps: put it into TROUPE_STORE, PGPASSWORD or ~/.pgpass";

function version(): string {
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
}
