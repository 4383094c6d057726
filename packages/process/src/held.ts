import { type Detached, type Start, startDetached } from "./start.ts";

/** A program that outlives this process and writes what it says to a file. */
export interface HeldStart extends Pick<Start, "program" | "args" | "cwd" | "environment"> {
  /** A path that nothing stands at; its owner alone can read the file. */
  readonly log: string;
  /** How much of the output is kept at least; at most twice as much is, here and in `<log>.1`. */
  readonly logBytes: number;
}

/** A process that becomes the program when it is let go, and ends when this process does before. */
export interface Held extends Pick<Detached, "pid" | "ended"> {
  letGo(): void;
  /** It ends without having become the program. */
  drop(): void;
}

/**
 * The file 3 is a pipe from this process: nothing runs when it closes without a line. What the
 * program writes goes through a pipe to a writer that fills two files in turn and does not end
 * before the last word; where no file can be written, it drops it.
 */
const script = `
read -r go <&3 || exit 0
exec 3<&-
log=$1 blocks=$2 mask=$(umask); shift 2
umask 077
command -p mkfifo "$log.pipe" || exit 126
(
  trap "" HUP INT TERM
  while command -p dd bs=4096 count="$blocks" of="$log" && [ -s "$log" ]; do command -p mv -f "$log" "$log.1"; done
  command -p cat
) <"$log.pipe" >/dev/null 2>&1 &
exec >"$log.pipe" 2>&1
command -p rm -f "$log.pipe"
umask "$mask"
exec "$@"
`;

/** A shell starts it, and sets PWD: variables that no shell can name may get lost on the way. */
export function startHeld({ program, args, cwd, environment, log, logBytes }: HeldStart): Held {
  const blocks = `${Math.max(1, Math.ceil(logBytes / 4096))}`;
  const { pid, gate, ended } = startDetached({
    program: "/bin/sh",
    args: ["-c", script, "sh", log, blocks, program, ...args],
    cwd,
    environment,
  });
  return { pid, ended, letGo: () => void gate.end("go\n", () => gate.destroy()), drop: () => void gate.destroy() };
}
