import { execa } from "execa";
import type { Start } from "./start.ts";

/**
 * Runs a program at the terminal of this process, which it has to itself until it ends; null where
 * a signal ended it or it could not be started.
 */
export async function runAtTerminal({
  program,
  args,
  cwd,
  environment,
}: Pick<Start, "program" | "args" | "cwd" | "environment">): Promise<{ readonly code: number | null }> {
  const options = { cwd, env: environment, extendEnv: false, stdio: "inherit", reject: false } as const;
  const { exitCode = null } = await execa(program, args, options);
  return { code: exitCode };
}
