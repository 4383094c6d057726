import type { Start } from "@troupe/process";
import type { Confinement, WritablePlaces } from "./confinement.ts";
import { grantsFor } from "./kept-places.ts";

/** Reading is as free as ever; nobody else is asked to write or to call out in its place. */
const bounds = [
  "(version 1)",
  "(allow default)",
  "(deny network*)",
  "(deny appleevent-send)",
  "(deny file-write*)",
  '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper") (literal "/dev/tty") (subpath "/dev/fd"))',
];

/**
 * macOS: a profile for sandbox-exec, whose later lines count more. Paths are parameters, so that no
 * path is read as a part of it.
 */
export function seatbelt(program: string): Confinement {
  function confined({ program: inner, args, cwd, environment }: Start, { writable, temporary }: WritablePlaces): Start {
    const grants = grantsFor(writable, temporary);
    const lines = grants.map(
      ({ isWritable }, at) => `(${isWritable ? "allow" : "deny"} file-write* (subpath (param "P${at}")))`,
    );
    const parameters = grants.flatMap(({ path }, at) => ["-D", `P${at}=${path}`]);
    return {
      program,
      args: [...parameters, "-p", [...bounds, ...lines].join("\n"), inner, ...args],
      cwd,
      environment: { ...environment, ...(temporary !== undefined && { TMPDIR: temporary }) },
    };
  }

  const faultIn = (stderr: string) => /^sandbox-exec: .*$/m.exec(stderr)?.[0];
  return { name: "sandbox-exec", endsAll: false, confined, faultIn };
}
