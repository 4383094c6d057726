import { runProcess } from "@troupe/process";

/** Where a run lies: in namespaces of its own, or beside everything else. */
export interface Solitude {
  /** What stands before the words of the program. */
  readonly before: readonly string[];
  readonly note: string;
}

/** Brings up the loopback address, then runs what follows; its first process reaps the rest. */
const script = 'ip link set lo up && { "$@"; exit $?; }';

/**
 * Finds out whether a program can be run with a network of its own, in which there is nothing but
 * loopback, and with processes of its own, all of which end with the first.
 */
export async function findSolitude(environment: Readonly<Record<string, string>>): Promise<Solitude> {
  const before = ["unshare", "-rnpf", "--kill-child", "--mount-proc", "sh", "-c", script, "sh"];
  const [program = "", ...args] = [...before, "true"];
  const run = { program, args, cwd: "/", environment, timeoutMs: 10_000, keptBytes: 1_000 };
  const { code, stderr, failure } = await runProcess(run);
  if (code === 0) return { before, note: "in a network of loopback alone, with processes of its own (unshare)" };
  const why = failure ?? stderr.trim();
  return { before: [], note: `WITHOUT a network of its own: unshare is refused here (${why})` };
}
