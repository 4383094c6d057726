import { changing } from "./changing.ts";
import { programs, versioned } from "./programs.ts";
import { specials } from "./reading.ts";
import { opaque, shells, wrappers } from "./wrapper.ts";

/**
 * Whether a command of this name is judged by what the program of that name is known to do: nothing
 * else may answer to it.
 */
export const isJudgedByName = (name: string): boolean =>
  [programs, versioned, specials, changing, wrappers].some((table) => Object.hasOwn(table, name)) ||
  opaque.has(name) ||
  shells.has(name);
