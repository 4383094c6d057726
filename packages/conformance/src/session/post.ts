import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import type { Fields } from "../concurrency/documents.ts";
import { readFile } from "../reader/document.ts";
import { isDeletedName, namesIn } from "../reader/root.ts";
import { isRecord } from "../record.ts";

/** An entry of an inbox, and what its text says where that is an object. */
export interface Letter {
  readonly entry: Fields;
  /** Empty for an ordinary message. */
  readonly body: Fields;
}

/**
 * What came by in the files of the teams of a root: entries that were pruned meanwhile are known,
 * and every state of a config that was seen.
 */
export interface Post {
  /** All entries that an inbox held at some time, in the order they were seen. */
  to(agent: string): readonly Letter[];
  /** The members as the config lists them now. */
  members(): readonly Fields[];
  member(name: string): Fields | undefined;
  /** How the config listed a member, as often as that changed. */
  statesOf(name: string): readonly Fields[];
  /** The config as it is; empty while there is none. */
  config(): Fields;
  /** The name of the one team; undefined while there is none. */
  team(): string | undefined;
  /** Names of inboxes that are there or were. */
  inboxes(): readonly string[];
  close(): void;
}

const everyMs = 5;

export function watchPost(root: string): Post {
  const seen = new Map<string, Letter[]>();
  const teams = join(root, "teams");
  const team = () =>
    namesIn(teams).find((name) => !isDeletedName(name) && readFile(join(teams, name, "config.json")) !== undefined);
  const last = new Map<string, string>();
  const states = new Map<string, Fields[]>();
  const hints = new Map<string, FSWatcher>();

  /** An entry may be there for less time than lies between two looks. */
  function heed(directory: string): void {
    if (!hints.has(directory))
      hints.set(
        directory,
        watch(directory, () => lookSafely(look)).on("error", () => {}),
      );
  }

  function look(): void {
    for (const member of members()) {
      const seenSo = states.get(String(member["name"])) ?? [];
      states.set(String(member["name"]), seenSo);
      if (JSON.stringify(seenSo.at(-1)) !== JSON.stringify(member)) seenSo.push(member);
    }
    for (const name of namesIn(teams).filter((one) => !isDeletedName(one))) {
      const inboxes = join(teams, name, "inboxes");
      const files = namesIn(inboxes).filter((one) => one.endsWith(".json"));
      for (const file of files) lookInto(join(inboxes, file), file.slice(0, -".json".length));
      if (files.length > 0) heed(inboxes);
    }
  }
  function lookInto(path: string, agent: string): void {
    const letters = seen.get(agent) ?? [];
    seen.set(agent, letters);
    const found = readFile(path);
    if (!found || found.text === last.get(path)) return;
    last.set(path, found.text);
    const entries = Array.isArray(found.value) ? found.value.filter(isRecord) : [];
    for (const [index, entry] of entries.entries()) {
      const isSame = ({ entry: other }: Letter) => keyOf(other) === keyOf(entry);
      const before = entries.slice(0, index).filter((other) => keyOf(other) === keyOf(entry)).length;
      if (letters.filter(isSame).length <= before) letters.push({ entry, body: bodyOf(entry) });
    }
  }
  const timer = setInterval(() => lookSafely(look), everyMs);
  const config = (): Fields => {
    const name = team();
    const value = name === undefined ? undefined : readFile(join(teams, name, "config.json"))?.value;
    return isRecord(value) ? value : {};
  };
  const members = () => (Array.isArray(config()["members"]) ? (config()["members"] as Fields[]) : []);
  return {
    to(agent) {
      lookSafely(look);
      return seen.get(agent) ?? [];
    },
    members,
    statesOf: (name) => states.get(name) ?? [],
    config,
    member: (name) => members().find((member) => member["name"] === name),
    team,
    inboxes() {
      lookSafely(look);
      return [...seen.keys()];
    },
    close() {
      clearInterval(timer);
      for (const hint of hints.values()) hint.close();
    },
  };
}

/** A directory may go between two looks. */
function lookSafely(look: () => void): void {
  try {
    look();
  } catch {
    // The next look finds what is there then.
  }
}

/** What stays the same of an entry when it is read. */
const keyOf = ({ from, text, timestamp, msg_id }: Fields): string => JSON.stringify([from, text, timestamp, msg_id]);

function bodyOf({ text }: Fields): Fields {
  try {
    const body: unknown = JSON.parse(String(text));
    return isRecord(body) ? body : {};
  } catch {
    return {};
  }
}
