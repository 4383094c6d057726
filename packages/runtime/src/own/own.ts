import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { programIn, runProcess } from "@troupe/process";
import { messageOf } from "@troupe/protocol";
import { quoted } from "../agent/shell-run.ts";
import { replaceFile } from "../whole-file.ts";
import { openDebugLog } from "./debug-log.ts";
import { takeSnapshot } from "./snapshot.ts";

export interface OwnDeps {
  /** A directory of Troupe's own, such as `<root>/troupe`; without one a session has none of it. */
  readonly directory: string | undefined;
  readonly sessionId: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly home: string;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** What a session has besides its journal: a log, and what its commands find of their person. */
export interface Own {
  /** Passes events on, and writes the words for each into the debug log. */
  watching<Event>(
    onEvent: ((event: Event) => void) | undefined,
    words: (event: Event) => string | undefined,
  ): (event: Event) => void;
  /** What hooks of SessionStart find in their environment besides. */
  readonly ofStart: Readonly<Record<string, string>>;
  /** Once they have ended: what they set holds for commands, unless a shell cannot read it. */
  started(show: (message: string) => void): Promise<void>;
  /** What stands before a command of bash, once it is known. */
  prelude(): Promise<string>;
  /** Takes away what is of no use behind the session; the log stays for a week. */
  close(): Promise<void>;
}

/** What was left by sessions that were killed, and logs, go after a week. */
const keptMs = 7 * 24 * 60 * 60 * 1_000;

const none: Own = {
  watching: (onEvent) => (event) => onEvent?.(event),
  ofStart: {},
  async started() {},
  prelude: async () => "",
  async close() {},
};

/** What a session keeps of its own while it lives, and nobody else may change. */
export function openOwn({ directory, sessionId, environment, home, now, newId }: OwnDeps): Own {
  if (directory === undefined) return none;
  const places = { debug: "debug", snapshots: "shell-snapshots", started: "session-env" } as const;
  const placeOf = (place: keyof typeof places) => join(directory, places[place]);
  for (const place of Object.keys(places) as (keyof typeof places)[]) sweep(placeOf(place), now().getTime());
  const log = openDebugLog(placeOf("debug"), sessionId, now);
  const startDirectory = join(placeOf("started"), sessionId);
  const startFile = join(startDirectory, "sessionstart.sh");
  const ending = new AbortController();
  /** Files that commands read, in this order, as they have to stand. */
  const files = new Map<string, string>();
  attempt(() => mkdirSync(startDirectory, { recursive: true, mode: 0o700 }));
  // What an earlier process of the session was told holds no more.
  attempt(() => rmSync(startFile, { force: true }));

  const taken = takeSnapshot({ environment, home }, ending.signal).then(({ shell, text }) => {
    if (ending.signal.aborted) return;
    const id = newId().replaceAll("-", "").slice(0, 8);
    const file = join(placeOf("snapshots"), `snapshot-${shell}-${now().getTime()}-${id}.sh`);
    replaceFile(file, text, { isDurable: false });
    files.set(file, text);
    log.note(`the snapshot of the person's shell is ${basename(file)}`);
  });
  const ready = taken.catch((error: unknown) => log.note(`there is no snapshot of the shell: ${messageOf(error)}`));

  return {
    watching: (onEvent, words) => (event) => {
      const line = words(event);
      if (line !== undefined) log.note(line);
      onEvent?.(event);
    },
    ofStart: { CLAUDE_ENV_FILE: startFile },

    async started(show) {
      const text = attempt(() => readFileSync(startFile, "utf8"));
      const program = programIn("bash", environment["PATH"]);
      if (text === undefined || text.trim() === "" || !program) return;
      const args = ["--norc", "--noprofile", "-c", text];
      const start = { program, args, cwd: home, environment, timeoutMs: 10_000, keptBytes: 2_000 };
      const { code, failure, stderr } = await runProcess(start, ending.signal);
      if (code === 0) {
        await ready;
        files.set(startFile, text);
      } else
        show(
          `What hooks of SessionStart wrote to CLAUDE_ENV_FILE is left out: ${failure ?? (stderr.trim() || `bash ended with exit code ${code}`)}; check what these hooks write there`,
        );
    },

    async prelude() {
      await ready;
      return [...files].map(([file, text]) => (stands(file, text) ? `source ${quoted(file)} && ` : "")).join("");
    },

    async close() {
      ending.abort();
      await ready;
      for (const file of [...files.keys(), startDirectory])
        attempt(() => rmSync(file, { recursive: true, force: true }));
      log.note("the session has ended");
    },
  };
}

/** Whether the file says what it has to; one that was changed or taken away is written anew. */
function stands(file: string, text: string): boolean {
  if (attempt(() => readFileSync(file, "utf8")) === text) return true;
  return attempt(() => replaceFile(file, text, { isDurable: false }) ?? true) === true;
}

function sweep(directory: string, nowMs: number): void {
  for (const name of attempt(() => readdirSync(directory)) ?? []) {
    const path = join(directory, name);
    if (nowMs - (attempt(() => statSync(path).mtimeMs) ?? nowMs) > keptMs)
      attempt(() => rmSync(path, { recursive: true, force: true }));
  }
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
