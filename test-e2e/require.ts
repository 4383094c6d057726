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
  return isRequired(program, { required }) ? "required" : "missing";
}

/**
 * A suite that needs a program of the system. Without it the suite is skipped under a title that
 * `npm test` repeats at its end, `not run: tmux missing`; with its name in TROUPE_REQUIRE it fails
 * instead.
 */
export function describeWith(program: string, name: string, suite: () => void): void {
  const isThere = requires(program, surroundings()) === "present";
  describeUnless(isThere ? undefined : "no directory of PATH has it", program, name, suite);
}

/** The same for whatever is not found on PATH; says why it is missing where it is. */
export function describeUnless(missing: string | undefined, what: string, name: string, suite: () => void): void {
  if (missing === undefined) describe(name, suite);
  else if (isRequired(what, surroundings())) {
    test(`${name}: ${what} is there`, () => {
      throw new Error(`TROUPE_REQUIRE names ${what}, and ${missing}`);
    });
  } else {
    describe.skip(`not run: ${what} missing`, () => {
      describe(name, suite);
    });
  }
}

const surroundings = (): Surroundings => ({
  path: process.env["PATH"] ?? "",
  required: process.env["TROUPE_REQUIRE"] ?? "",
});

const isRequired = (what: string, { required }: Pick<Surroundings, "required">): boolean =>
  required
    .split(",")
    .map((name) => name.trim())
    .includes(what);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
