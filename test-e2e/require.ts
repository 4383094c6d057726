import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, test } from "vitest";

/** The PATH to look for programs, and the programs that must be there. */
export interface Surroundings {
  readonly path: string;
  /** Names with commas between them, as in TROUPE_REQUIRE. */
  readonly required: string;
}

/** `missing` allows a suite to be skipped by name; `required` makes a skipped suite a failure. */
export type Presence = "present" | "missing" | "required";

/** Is a program there, and if not, does that matter? */
export function requires(program: string, { path, required }: Surroundings): Presence {
  if (path.split(delimiter).some((dir) => dir !== "" && isExecutable(join(dir, program)))) return "present";
  const names = required.split(",").map((name) => name.trim());
  return names.includes(program) ? "required" : "missing";
}

/**
 * A suite that needs a program of the system. Without it the suite is skipped under a title that
 * `npm test` repeats at its end, `not run: tmux missing`; with its name in TROUPE_REQUIRE it fails
 * instead.
 */
export function describeWith(program: string, name: string, suite: () => void): void {
  const presence = requires(program, {
    path: process.env["PATH"] ?? "",
    required: process.env["TROUPE_REQUIRE"] ?? "",
  });
  if (presence === "present") describe(name, suite);
  if (presence === "missing") {
    describe.skip(`not run: ${program} missing`, () => {
      describe(name, suite);
    });
  }
  if (presence === "required") {
    test(`${name}: ${program} is there`, () => {
      throw new Error(`TROUPE_REQUIRE names ${program}, and no directory of PATH has it`);
    });
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
