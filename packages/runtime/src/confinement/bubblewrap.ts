import type { Start } from "@troupe/process";
import { follow } from "../permissions/place.ts";
import type { Confinement, WritablePlaces } from "./confinement.ts";
import { grantsFor } from "./kept-places.ts";
import { socketFilter } from "./socket-filter.ts";

export interface BubblewrapDeps {
  /** The path of `bwrap`. */
  readonly program: string;
  readonly version: string;
  readonly arch: string;
  readonly isRoot: boolean;
  /** Some containers let nobody mount a /proc; the one of the system is there then, read-only. */
  readonly hasOwnProc: boolean;
}

/**
 * Linux: bubblewrap shows the program the same files, read-only, in a network and a list of
 * processes of its own, which end with it. As little else as possible is different: who reads sees
 * the same in there.
 */
export function bubblewrap({ program, version, arch, isRoot, hasOwnProc }: BubblewrapDeps): Confinement {
  const filter = socketFilter(arch);
  const bounds = [
    ...["--die-with-parent", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"],
    // Root reads and edits what belongs to others; what is read-only stays so for root as well.
    ...(isRoot ? ["--cap-add", "CAP_DAC_OVERRIDE"] : []),
    ...(filter ? ["--seccomp", "3"] : []),
  ];

  function confined({ program: inner, args, cwd, environment }: Start, { writable, temporary }: WritablePlaces): Start {
    const isAll = writable.includes("/");
    const mounts = [
      ...[isAll ? "--bind" : "--ro-bind", "/", "/", "--dev", "/dev", "--ro-bind-try", "/dev/shm", "/dev/shm"],
      // Else root could set the kernel's parameters there.
      ...(hasOwnProc ? ["--proc", "/proc", "--remount-ro", "/proc"] : []),
      ...grantsFor(
        writable.filter((path) => path !== "/"),
        temporary,
      ).flatMap(({ path, isWritable }) => [isWritable ? "--bind-try" : "--ro-bind-try", path, path]),
    ];
    return {
      program,
      args: [...bounds, ...mounts, "--chdir", placeOf(cwd, environment), "--", inner, ...args],
      cwd,
      environment: { ...environment, ...(temporary !== undefined && { TMPDIR: temporary }) },
      ...(filter && { attached: filter }),
    };
  }

  return {
    name: `bubblewrap ${version}`,
    endsAll: true,
    confined,
    faultIn: (stderr) => /^bwrap: .*$/m.exec(stderr)?.[0],
  };
}

/** The working directory as a shell would call it by itself: bubblewrap says so in PWD. */
function placeOf(cwd: string, { PWD = "" }: Start["environment"]): string {
  const place = follow(cwd) ?? cwd;
  return PWD.startsWith("/") && follow(PWD) === place ? PWD : place;
}
