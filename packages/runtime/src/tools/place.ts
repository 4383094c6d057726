import { join, resolve } from "node:path";

/** Where an agent works, and whose machine it is. */
export interface PlaceDeps {
  /** Absolute; each agent has its own. */
  readonly cwd: string;
  /** What `~` stands for. */
  readonly home: string;
}

/** The absolute path that a model means. */
export function placeOf({ cwd, home }: PlaceDeps, path: string): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return resolve(cwd, path);
}
