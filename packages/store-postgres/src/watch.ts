import { type Change, isUnavailable } from "@troupe/store";
import type { Database } from "./database.ts";
import type { TeamRow } from "./team-row.ts";
import type { Wakes } from "./wakes.ts";

interface ChangeRow {
  readonly kind: "config" | "inbox" | "task" | "seen";
  readonly name: string;
  readonly changed: string;
}

/**
 * What changed in a team since its row was read. A transaction that began early may commit late:
 * each look begins where the oldest one stood that was still open at the look before, and what that
 * shows again is left out.
 */
export function watchTeam(
  { query }: Database,
  wakes: Wakes,
  team: TeamRow,
  signal: AbortSignal,
): AsyncIterableIterator<Change, undefined> {
  const listening = wakes.listen({ team: team.id }, signal);
  let told = new Set<string>();
  let since = team.seen;

  async function look(): Promise<Change[]> {
    const rows = await query<ChangeRow>(
      `select 'seen' as kind, '' as name, pg_snapshot_xmin(pg_current_snapshot())::text as changed
       union all select 'config', '', changed::text from team where id = $1 and changed >= $3::xid8
       union all select 'inbox', name, changed::text from inbox
         where team = $1 and next_seq > 1 and changed >= $3::xid8
       union all select 'task', id::text, changed::text from task where list = $2 and changed >= $3::xid8`,
      [team.id, team.list, since],
    );
    const before = told;
    told = new Set(rows.map((row) => JSON.stringify(row)));
    since = rows.find(({ kind }) => kind === "seen")?.changed ?? since;
    return rows.filter((row) => !before.has(JSON.stringify(row))).flatMap((row) => changeIn(row) ?? []);
  }

  let isOver = false;
  async function* changes(): AsyncGenerator<Change, undefined> {
    try {
      while (!isOver && (await listening.next())) {
        for (const change of await look().catch(nothingYet)) {
          if (isOver || signal.aborted) return;
          yield change;
        }
      }
    } finally {
      listening.end();
    }
  }

  // A generator's own way to return would wait for the next change.
  return Object.assign(changes(), {
    async return() {
      isOver = true;
      listening.end();
      return { value: undefined, done: true } as const;
    },
  });
}

/** A server that is away for a moment ends no watch: the next look sees what this one missed. */
function nothingYet(error: unknown): readonly Change[] {
  if (isUnavailable(error)) return [];
  throw error;
}

function changeIn({ kind, name }: ChangeRow): Change | undefined {
  if (kind === "inbox") return { kind, name };
  if (kind === "task") return { kind, id: name };
  return kind === "config" ? { kind } : undefined;
}
