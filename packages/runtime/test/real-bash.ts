import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Ground, secrets } from "./hostile-ground.ts";

/** Where programs are looked for. */
export const programs: readonly string[] = ["/usr/local/bin", "/usr/bin", "/bin", dirname(process.execPath)];

/** What commands did when they were run. */
export interface Effect {
  /** Below the top of the ground: what is new, gone or another. */
  readonly changed: readonly string[];
  /** Which of the secrets were shown. */
  readonly shown: readonly (keyof typeof secrets)[];
  /** The calls of programs that only tell that they were called. */
  readonly called: readonly string[];
  readonly output: string;
  /** It came to its end by itself. */
  readonly isOver: boolean;
}

export interface RealBash {
  /** One command, as an agent runs it. */
  run(place: string, text: string): Effect;
  /** Many in one process, each in a shell of its own; what they did together. */
  runAll(place: string, texts: readonly string[]): Effect;
  remove(): void;
}

/**
 * Runs commands in the ground and puts everything back as it was. With `only`, there are no
 * programs but these; what else a name of `canaries` stands for only tells that it was called.
 */
export function realBash(
  ground: Ground,
  only?: { programs: readonly string[]; canaries: readonly string[] },
): RealBash {
  const beside = mkdtempSync(join(tmpdir(), "hostile-beside-"));
  const [copy, log, bin] = ["copy", "log", "bin"].map((name) => join(beside, name)) as [string, string, string];
  execFileSync("cp", ["-a", ground.top, copy]);
  if (only) fill(bin, log, only);
  let before = snapshot(ground.top);
  const env = {
    PATH: only ? bin : programs.join(":"),
    HOME: ground.home,
    LANG: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    ANTHROPIC_API_KEY: secrets.key,
  };

  return {
    run: (place, text) => started(place, ["-c", text], 5_000),
    runAll: (place, texts) => started(place, ["-c", each, "bash", ...texts], 2_000 + 500 * texts.length),
    remove: () => rmSync(beside, { recursive: true, force: true }),
  };

  function started(place: string, words: readonly string[], timeout: number): Effect {
    const { output: streams, signal } = spawnSync("/bin/bash", words, {
      cwd: ground.place(place),
      env,
      // The last one ends when the last of all the processes does.
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      timeout,
      killSignal: "SIGKILL",
      encoding: "latin1",
      maxBuffer: 1 << 26,
    });
    const output = streams.join("");
    const shown = (Object.keys(secrets) as (keyof typeof secrets)[]).filter((name) => output.includes(secrets[name]));
    const after = snapshot(ground.top);
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (name) => before.get(name) !== after.get(name),
    );
    if (changed.length > 0) restore(after, changed);
    const called = existsSync(log) ? readFileSync(log, "latin1").trimEnd().split(/ *\n/) : [];
    rmSync(log, { force: true });
    return { changed, shown, called, output, isOver: signal === null };
  }

  function restore(after: ReadonlyMap<string, string>, changed: readonly string[]): void {
    const names = changed.toSorted().map((name) => Buffer.from(name, "latin1"));
    const both = names.map((name) => [ground.top, copy].map((top) => Buffer.concat([Buffer.from(`${top}/`), name])));
    const pairs = both as unknown as readonly (readonly [now: Buffer, then: Buffer])[];
    for (const [now, then] of pairs) if (isDirectory(now) && isDirectory(then)) chmodSync(now, lstatSync(then).mode);
    // A child of a command that took too long may still put files there.
    for (const [now, then] of pairs.toReversed()) {
      if (!isDirectory(now)) rmSync(now, { force: true });
      else if (!isDirectory(then)) rmSync(now, { recursive: true, force: true });
    }
    for (const [now, then] of pairs) {
      const stat = lstatSync(then, { throwIfNoEntry: false });
      if (stat?.isSymbolicLink()) symlinkSync(readlinkSync(then, { encoding: "buffer" }), now);
      else if (stat?.isDirectory()) mkdirSync(now, { recursive: true, mode: stat.mode });
      else if (stat) copyFileSync(then, now);
    }
    const then = new Map(after);
    for (const name of changed) {
      const stat = lstatSync(Buffer.from(`${ground.top}/${name}`, "latin1"), { throwIfNoEntry: false });
      if (stat) then.set(name, stateOf(stat));
      else then.delete(name);
    }
    before = then;
  }
}

const isDirectory = (path: Buffer): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

const each = `
for __text in "$@"; do
  ( ulimit -t 5; set --; eval -- "$__text" )
done
`;

/**
 * Programs of the system by their names, and canaries; one that is asked for its version sings no
 * song.
 */
function fill(bin: string, log: string, only: { programs: readonly string[]; canaries: readonly string[] }): void {
  mkdirSync(bin);
  for (const name of only.programs) {
    const found = programs.map((directory) => join(directory, name)).find((path) => existsSync(path));
    if (found) symlinkSync(found, join(bin, name));
  }
  for (const name of only.canaries) {
    const quiet = `case "$*" in -v|-V|--version|version) exit 0;; esac`;
    writeFileSync(join(bin, name), `#!/bin/sh\n${quiet}\necho "${name} $*" >> '${log}'\n`);
    chmodSync(join(bin, name), 0o755);
  }
}

/** Everything below a directory, as it is. Names are bytes, as they are on the disk. */
function snapshot(top: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const walk = (directory: string): void => {
    for (const entry of readdirSync(Buffer.from(`${top}/${directory}`, "latin1"), { encoding: "latin1" })) {
      const name = directory === "" ? entry : `${directory}/${entry}`;
      const stat = lstatSync(Buffer.from(`${top}/${name}`, "latin1"));
      found.set(name, stateOf(stat));
      if (stat.isDirectory()) walk(name);
    }
  };
  walk("");
  return found;
}

/** When a file changed; a directory is told by its rights alone. */
const stateOf = (stat: Stats): string =>
  stat.isDirectory() ? `${stat.mode}` : `${stat.mode} ${stat.ino} ${stat.size} ${stat.ctimeMs}`;
