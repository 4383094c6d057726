import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { runProcess } from "./run.ts";

/**
 * When a process started, in a form that no other process has, not even one with its id after a
 * restart or in another container. Undefined where none runs; a zombie does not.
 */
export async function startOf(pid: number): Promise<string | undefined> {
  if (!existsSync("/proc/self/stat")) return startByPs(pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, start] = [fields[0], fields[19]];
    return state === "Z" || state === "X" ? undefined : `${bootHere()} ${start}`;
  } catch {
    return undefined;
  }
}

/**
 * True for a process that has ended. False for one that runs, and for one of another container, of
 * which that cannot be told; the start of this form says where it was.
 */
export async function hasEnded({ pid, startedAt }: { readonly pid: number; readonly startedAt: string }) {
  if ((await startOf(pid)) === startedAt) return false;
  if (!existsSync("/proc/self/stat")) return true;
  const [boot, space] = startedAt.split(" ");
  const [bootNow, spaceNow] = bootHere().split(" ");
  return boot !== bootNow || space === spaceNow;
}

const bootHere = (): string =>
  `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;

/** To the second, which is all that systems without /proc tell. */
async function startByPs(pid: number): Promise<string | undefined> {
  const { code, stdout } = await runProcess({
    program: "/bin/ps",
    args: ["-o", "stat=,lstart=", "-p", `${pid}`],
    cwd: "/",
    environment: { LC_ALL: "C", TZ: "UTC" },
    timeoutMs: 10_000,
    keptBytes: 1_000,
  });
  const [state = "", ...start] = stdout.trim().split(/\s+/);
  return code !== 0 || state === "" || state.startsWith("Z") ? undefined : start.join(" ");
}
