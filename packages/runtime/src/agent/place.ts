import { join, resolve } from "node:path";
import type { Agent } from "./agent.ts";

/** The user whose machine it is. */
export interface HomeDeps {
  /** The directory that `~` stands for. */
  readonly home: string;
}

/** Where an agent works: absolute, and each has its own. */
export type Located = Pick<Agent, "cwd">;

/** The absolute path that a model means. */
export function placeOf({ home, cwd }: HomeDeps & Located, path: string): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return resolve(cwd, path);
}
