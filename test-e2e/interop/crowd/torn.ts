import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Looks at the documents of a team all the time. */
export interface TornWatch {
  /** All that ever stood in the inboxes, as far as it was met. */
  seen(): string;
  /** Looks a last time; the longest that a document was torn, and throws for one that stays so. */
  stop(): Promise<string>;
}

/** A client that writes in place needs no longer than this, on a busy machine. */
const tornMs = 10_000;

export function watchFiles(root: string, team: string): TornWatch {
  const since = new Map<string, number>();
  const seen = new Map<string, string>();
  let longest = 0;
  let looks = 0;
  let isOver = false;

  function look(): void {
    looks += 1;
    for (const path of documentsOf(root, team)) {
      const text = textOf(path);
      if (text === undefined) continue;
      if (!isWhole(text)) {
        since.set(path, since.get(path) ?? Date.now());
        continue;
      }
      longest = Math.max(longest, Date.now() - (since.get(path) ?? Date.now()));
      since.delete(path);
      if (path.includes("/inboxes/")) for (const mark of text.match(/<[a-z]+-\d+>/g) ?? []) seen.set(mark, mark);
    }
  }

  const looking = (async () => {
    for (; !isOver; await delay(100)) look();
  })();
  return {
    seen: () => [...seen.keys()].join(" "),
    async stop() {
      isOver = true;
      await looking;
      const end = Date.now() + tornMs;
      for (look(); since.size > 0 && Date.now() < end; await delay(100)) look();
      if (since.size > 0) throw new Error(`${[...since.keys()].join(", ")}: torn for good`);
      return `${looks} looks; the longest that one was torn was ${longest} ms`;
    },
  };
}

const documentsOf = (root: string, team: string): readonly string[] =>
  [join(root, "teams", team), join(root, "teams", team, "inboxes"), join(root, "tasks", team)].flatMap((place) =>
    existsSync(place)
      ? readdirSync(place)
          .filter((name) => name.endsWith(".json"))
          .map((name) => join(place, name))
      : [],
  );

function textOf(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
