import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a real bash made of a text. */
export interface Trace {
  /** The words of each command that ran, in whatever order. */
  readonly commands: readonly (readonly string[])[];
  /** What was fed to each command called `feed`. */
  readonly fed: readonly string[];
  /** Files that were made. */
  readonly written: readonly string[];
  /** Files that were to be read and are not there. */
  readonly missed: readonly string[];
  /** The text is no shell command to its end. */
  readonly isWrong: boolean;
}

/** The commands that are traced: functions, which are known wherever the shell goes. */
export const tracedNames = ["a", "b", "c", "d", "echo", "feed", "git", "rm"] as const;

/**
 * Runs texts where there are no programs but those that tell how they were called: once where all
 * of them succeed and once where all fail. Undefined for a text that has no end.
 */
export function traceAll(texts: readonly string[]): readonly (Trace | undefined)[] {
  const batches = Array.from({ length: Math.ceil(texts.length / 250) }, (_, at) =>
    texts.slice(250 * at, 250 * (at + 1)),
  );
  return batches.flatMap<Trace | undefined>(
    (batch) => tracesOf(batch, 60_000) ?? batch.map((text) => tracesOf([text], 10_000)?.[0]),
  );
}

function tracesOf(texts: readonly string[], timeout: number): readonly Trace[] | undefined {
  const top = mkdtempSync(join(tmpdir(), "traced-"));
  try {
    writeFileSync(join(top, "texts"), texts.map((text) => `${text}\0`).join(""), "utf8");
    // Node takes it here too, and its types do not tell: what has no end is ended with all that it
    // started.
    const group = { detached: true };
    const { pid, status, signal, stderr } = spawnSync("/bin/bash", ["--norc", "-c", driver], {
      ...group,
      cwd: top,
      env: { LANG: "C.UTF-8", LC_ALL: "C.UTF-8", PATH: "/proc/nowhere", HOME: "/proc/nowhere" },
      stdio: ["ignore", "ignore", "pipe"],
      timeout,
      killSignal: "SIGKILL",
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    if (signal !== null) {
      endGroup(pid);
      return undefined;
    }
    if (status !== 0) throw new Error(`the tracing shell ended with ${status}: ${stderr.slice(-500)}`);
    return readFileSync(join(top, "log"), "utf8")
      .replaceAll("\u0002", "\n")
      .split("\u0001end\0")
      .slice(0, -1)
      .map(traceOf);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

/** Ends what a shell that was killed has left, if anything. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * What is written at once has no line breaks, at which bash would write in two goes. Each text runs
 * in a shell of its own, which is this one again: what it sets is gone with it.
 */
const driver = `
FUNCNEST=30
__log() { builtin printf '%s\\0' $'\\1command' "\${@//$'\\n'/$'\\2'}" $'\\1done' >&9; }
for __n in ${tracedNames.join(" ")}; do
  builtin eval "$__n() { __log $__n \\"\\$@\\"; builtin return \\$__status; }"
done
feed() {
  builtin local __text
  __log feed "$@"
  IFS= builtin read -r -d '' __text
  builtin printf '%s\\0' $'\\1fed' "\${__text//$'\\n'/$'\\2'}" >&9
  builtin return $__status
}
exec 9>>log 8<texts
/bin/mkdir room
cd room
while IFS= read -r -d '' __text <&8; do
  for __status in 0 1; do
    : > in
    ( ulimit -t 5; exec 8<&-; builtin eval -- "$__text" ) 7>&1 2>&1 > /dev/null < /dev/null |
      while IFS= read -r __line; do printf '\\1error\\0%s\\0' "$__line" >&9; done
    __made=
    for __file in * .[!.]*; do
      [[ $__file != in && ( -e $__file || -L $__file ) ]] || continue
      __made=1
      printf '\\1file\\0%s\\0' "$__file" >&9
    done
    [[ -z $__made ]] || /bin/rm -rf -- * .[!.]*
  done
  printf '\\1end\\0' >&9
done
exit 0
`;

function traceOf(log: string): Trace {
  const commands: string[][] = [];
  const fed: string[] = [];
  const written = new Set<string>();
  const missed = new Set<string>();
  let isWrong = false;
  const pieces = log.split("\0");
  for (let at = 0; at < pieces.length; at += 1) {
    const kind = pieces[at];
    if (kind === "\u0001command") {
      const end = pieces.indexOf("\u0001done", at);
      commands.push(pieces.slice(at + 1, end));
      at = end;
    } else if (kind === "\u0001fed") fed.push(pieces[++at] ?? "");
    else if (kind === "\u0001file") written.add(pieces[++at] ?? "");
    else if (kind === "\u0001error") {
      const line = pieces[++at] ?? "";
      const gone = /: (.*): No such file or directory$/.exec(line)?.[1];
      if (gone !== undefined) missed.add(gone.replace(/^.*line \d+: /, ""));
      isWrong ||= /syntax error|unexpected EOF|bad substitution|here-document at line/.test(line);
    }
  }
  return { commands, fed, written: [...written], missed: [...missed], isWrong };
}
