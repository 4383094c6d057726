import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, expect } from "vitest";
import { awaited } from "../scripts/awaited.ts";

const repository = join(import.meta.dirname, "..");
export const main = join(repository, "apps/cli/dist/main.js");
export const sample = join(repository, "apps/cli/sample");

const schemas = join(repository, "apps/cli/schemas");
const ajv = new Ajv2020({ strict: true, strictTypes: false });
for (const file of readdirSync(schemas)) ajv.addSchema(JSON.parse(readFileSync(join(schemas, file), "utf8")));

/** Does a document satisfy the schema of this name? Fails with what is wrong. */
export function expectSchema(name: string, document: unknown): void {
  const validate = ajv.getSchema(`urn:troupe:cli:${name}`);
  expect(validate, `there is a schema ${name}`).toBeDefined();
  expect(validate?.(document) ? [] : validate?.errors, JSON.stringify(document)).toEqual([]);
}

const {
  CLAUDE_CONFIG_DIR: _,
  COLUMNS: __,
  FORCE_COLOR: ___,
  NO_COLOR: ____,
  TROUPE_STORE: _____,
  TROUPE_TEAM: ______,
  ...surroundings
} = process.env;

/** The options of a run besides its arguments. */
export interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
  /** Ends the run, as Ctrl-C does, once its output contains this. */
  readonly until?: string;
}

type Whole = Given & Required<Pick<Given, "env" | "input" | "cwd">>;

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
type Run<Result = Ran> = (args: readonly string[], given: Whole) => Result;

/**
 * Runs all of `troupe` but its main.ts, in a thread that has loaded it: a process takes a
 * quarter of a second to do so.
 */
function openWarm(): { readonly run: Run; readonly runBeside: Run<Promise<Ran>> } {
  const done = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const script = join(import.meta.dirname, "warm-troupe.mjs");
  const program = join(repository, "apps/cli/dist/program.js");
  const worker = new Worker(script, {
    execArgv: [],
    workerData: { port: port2, done, program },
    transferList: [port2],
  });
  afterAll(() => worker.terminate());
  return {
    run(argv, given) {
      Atomics.store(done, 0, 0);
      port1.postMessage({ argv, ...given, isWaited: true });
      Atomics.wait(done, 0, 0, 300_000);
      const answer = receiveMessageOnPort(port1);
      if (!answer) throw new Error(`troupe ${argv.join(" ")} has not ended within 100 s`);
      return answer.message;
    },
    async runBeside(argv, given) {
      port1.postMessage({ argv, ...given });
      const answer = once(port1, "message");
      const [ran] = await awaited(`the end of troupe ${argv.join(" ")}`, answer);
      return ran;
    },
  };
}

/** A slow machine makes it say that it is still at work: that is left out. */
const quiet = ({ status, stdout, stderr }: Ran): Ran => ({
  status,
  stdout,
  stderr: stderr.replaceAll(/^note: .* is still at work after .*\n/gm, ""),
});

/** What a run that goes on has said, once it has ended. */
export function ended(child: ChildProcessWithoutNullStreams): Promise<Ran> {
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  return new Promise((resolve) => child.on("close", (status) => resolve(quiet({ status, stdout, stderr }))));
}

/** Runs `troupe` as a process of its own. */
const runProcess: Run = (args, { env, input, cwd }) =>
  spawnSync(process.execPath, [main, ...args], { cwd, input, env, encoding: "utf8" });

/**
 * The command as a user has it, with its own home and root, which are removed after the test file.
 * Of variables that are known late, only the tests ask.
 */
export function openTroupe(more: () => Readonly<Record<string, string>> = () => ({})) {
  const home = mkdtempSync(join(tmpdir(), "troupe-"));
  const root = join(home, ".claude");
  const environment = () => ({ ...surroundings, HOME: home, ...more() }) as Record<string, string>;
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const whole = ({ env = {}, input = "", cwd = home, ...more }: Given = {}) => ({
    ...more,
    input,
    cwd,
    env: { ...environment(), ...env },
  });
  const running =
    (run: Run) =>
    (args: readonly string[], given?: Given): Ran =>
      quiet(run(args, whole(given)));
  const warm = openWarm();
  const troupe = running(warm.run);

  const begin = (args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = home) =>
    spawn(process.execPath, [main, ...args], { cwd, env: { ...environment(), ...env } });

  return {
    home,
    root,
    troupe,
    /** The same while this thread goes on, for instance with a Messages API; one at a time. */
    troupeBeside: async (args: readonly string[], given?: Given) => quiet(await warm.runBeside(args, whole(given))),
    /** The same as a process of its own, for what concerns one: surroundings, signals, pipes. */
    asProcess: running(runProcess),
    /** The output of a run that succeeds. */
    told(...args: string[]): string {
      const answer = troupe(args);
      expect(answer, args.join(" ")).toMatchObject({ status: 0, stderr: "" });
      return answer.stdout;
    },
    /** The output with `--json`, which satisfies the schema of that name. */
    json(schema: string, args: readonly string[], given: Given & { status?: number } = {}) {
      const { status, stdout, stderr } = troupe([...args, "--json"], given);
      expect({ status, stderr }, args.join(" ")).toEqual({ status: given.status ?? 0, stderr: "" });
      const document = JSON.parse(stdout);
      expectSchema(schema, document);
      return document;
    },
    /** The one line in which it refuses. */
    refusal(status: number, args: readonly string[], given: Given = {}): string {
      const answer = troupe(args, given);
      expect(answer, args.join(" ")).toMatchObject({ status, stdout: "" });
      expect(answer.stderr).toMatch(/^troupe: [^\n]+\n$/);
      return answer.stderr.slice("troupe: ".length, -1);
    },
    begin,
    /** A run that goes on, and a way to wait for a line of it. */
    live(...args: string[]) {
      const child = begin(args);
      const iterator = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const closed = once(child, "close");
      return {
        child,
        closed,
        until(wanted: (line: string) => boolean): Promise<string> {
          const looking = async () => {
            for (let { value, done } = await iterator.next(); !done; { value, done } = await iterator.next())
              if (wanted(value)) return value;
            throw new Error(`${args.join(" ")} ended`);
          };
          return awaited(`a line with ${wanted}`, looking());
        },
      };
    },
  };
}
