import { existsSync, readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { untilSeen } from "../../../scripts/awaited.ts";

/** An entry of an inbox as a client wrote it; its body where its text is one. */
interface SeenEntry {
  readonly owner: string;
  readonly keys: readonly string[];
  readonly entry: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** All entries that ever stood in the inboxes of a team, also those that are soon taken out. */
export interface SeenEntries {
  /** The first entry of this kind, awaited. */
  find(what: string, is: (seen: SeenEntry) => boolean): Promise<SeenEntry>;
  ofType(type: string): Promise<SeenEntry>;
  close(): void;
}

const parsed = (text: unknown): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value = JSON.parse(String(text));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Looks at a team's inboxes at each change of them, and often besides. */
export function watchEntries(team: string): SeenEntries {
  const inboxes = join(team, "inboxes");
  const seen = new Map<string, SeenEntry>();
  function look(): void {
    if (!existsSync(inboxes)) return;
    for (const name of readdirSync(inboxes).filter((name) => name.endsWith(".json")))
      for (const entry of Object.values(parsed(read(join(inboxes, name))) ?? {})) {
        const { read: _, ...lasting } = entry as Record<string, unknown>;
        const key = `${name} ${JSON.stringify(lasting)}`;
        if (seen.has(key)) continue;
        const owner = name.slice(0, -".json".length);
        seen.set(key, { owner, keys: Object.keys(entry as object), entry: lasting, body: parsed(lasting["text"]) });
      }
  }
  const watcher = watch(team, { recursive: true }, look);
  // Of a directory that is new to it a watcher tells nothing for a while.
  const looking = setInterval(look, 20);
  const find = (what: string, is: (seen: SeenEntry) => boolean) =>
    untilSeen(
      what,
      () => {
        look();
        return [...seen.values()].find(is);
      },
      20_000,
    );
  return {
    find,
    ofType: (type) => find(`a message of type ${type}`, ({ body }) => body?.["type"] === type),
    close() {
      watcher.close();
      clearInterval(looking);
    },
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
