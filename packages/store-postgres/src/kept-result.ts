import { createHash } from "node:crypto";
import type { Query } from "./database.ts";

/**
 * What a key of a caller's belongs to: the whole store, a team, a list of tasks, or a member of a
 * team, whose host alone reads and keeps it.
 */
export type Scope = "store" | `team ${string}` | `list ${string}` | `member ${string} ${string}`;

/** The outcome of a call under a key of the caller's, kept for ever in the same transaction. */
export function keptUnder<T extends object>(query: Query, scope: Scope, key: string) {
  const hash = createHash("sha256").update(key).digest("hex");
  return {
    async read(): Promise<T | undefined> {
      const [found] = await query<{ result: string }>(
        "select result::text from kept_result where scope = $1 and key = $2",
        [scope, hash],
      );
      return found && JSON.parse(found.result);
    },
    async keep(result: T): Promise<void> {
      await query("insert into kept_result (scope, key, result) values ($1, $2, $3)", [
        scope,
        hash,
        JSON.stringify(result),
      ]);
    },
  };
}
