import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { ProcOptions } from "../target.ts";

/** What a target sees of this machine: an empty home, PATH, and no network if that is possible. */
export interface Isolation {
  readonly network: "none" | "shared";
  wrap(argv: readonly string[]): readonly string[];
  environment(options: ProcOptions): Record<string, string>;
}

export interface IsolationDeps {
  /** The caller's search path, the one variable that is handed on. */
  readonly path: string;
  /** False for a target that is trusted to reach the network. */
  readonly isCutOff: boolean;
}

export function openIsolation({ path, isCutOff }: IsolationDeps): Isolation {
  const cut = ["unshare", "--map-current-user", "--net", "--"];
  const canCut = isCutOff && spawnSync(cut[0] ?? "", [...cut.slice(1), "true"], { stdio: "ignore" }).status === 0;
  return {
    network: canCut ? "none" : "shared",
    wrap: (argv) => (canCut ? [...cut, ...argv] : argv),
    environment: ({ root, home, seed, revision, env }) => ({
      PATH: path,
      HOME: home,
      TMPDIR: join(home, "tmp"),
      AGENT_TEAMS_HOME: root,
      CLAUDE_CONFIG_DIR: root,
      CONFORMANCE_SEED: String(seed),
      CONFORMANCE_REVISION: revision,
      ...env,
    }),
  };
}
