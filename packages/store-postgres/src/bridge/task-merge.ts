/** A task document as it stands in a file, or in the database. */
export type Doc = Readonly<Record<string, unknown>>;

/** What both sides had of a task, as far as the bridge knows. */
export interface Common {
  /** Both had this. */
  readonly base?: Doc;
  /** The database may have it by now. */
  readonly sent?: Doc;
  /** The file may have it by now. */
  readonly coming?: Doc;
}

/** What has to go to the database, and what was changed on both sides. */
export interface Merged {
  /** New values of fields; undefined removes one. */
  readonly fields: ReadonlyMap<string, unknown>;
  readonly addBlocks: readonly string[];
  readonly addBlockedBy: readonly string[];
  readonly removeBlocks: readonly string[];
  readonly removeBlockedBy: readonly string[];
  /** Fields of the file that have to give way. */
  readonly lost: readonly string[];
}

/**
 * What stands for the owner of a task that nobody owns, and that clients of some files may claim: a
 * name, as the clients demand it.
 */
export const markOf = (host: string): string => `host.${host}`;
/** Of a task that may be claimed in no files yet. */
export const sharedMark = markOf("none");
export const isMark = (owner: unknown): owner is string => typeof owner === "string" && /^host\./i.test(owner);

const edges = ["blocks", "blockedBy"] as const;
const apart = new Set<string>(["id", ...edges]);
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The value of a field; a mark means that there is no owner, and so do null and an empty name. */
function fieldOf(doc: Doc | undefined, field: string): unknown {
  const value = doc && Object.hasOwn(doc, field) ? doc[field] : undefined;
  return field === "owner" && (isMark(value) || !value) ? undefined : value;
}

const idsOf = (doc: Doc | undefined, side: (typeof edges)[number]): readonly string[] => {
  const ids = doc?.[side];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
};

/**
 * Compares a file with the database by what both had. Where both changed a field, the database
 * keeps its own.
 */
export function merge(file: Doc, shared: Doc, { base, sent, coming }: Common): Merged {
  const ofFile = [base, coming].filter((doc) => doc !== undefined);
  const ofShared = [base, sent, coming].filter((doc) => doc !== undefined);
  const fields = new Map<string, unknown>();
  const lost: string[] = [];
  for (const field of new Set([...Object.keys(file), ...Object.keys(shared)])) {
    const [here, there] = [fieldOf(file, field), fieldOf(shared, field)];
    if (apart.has(field) || isSame(here, there)) continue;
    if (ofFile.some((doc) => isSame(fieldOf(doc, field), here))) continue;
    if (ofShared.some((doc) => isSame(fieldOf(doc, field), there))) fields.set(field, here);
    else lost.push(field);
  }
  const known = (side: (typeof edges)[number], id: string) => ofFile.some((doc) => idsOf(doc, side).includes(id));
  const added = (side: (typeof edges)[number]) =>
    idsOf(file, side).filter((id) => !idsOf(shared, side).includes(id) && !known(side, id));
  const removed = (side: (typeof edges)[number]) =>
    idsOf(shared, side).filter((id) => !idsOf(file, side).includes(id) && idsOf(base, side).includes(id));
  return {
    fields,
    lost,
    addBlocks: added("blocks"),
    addBlockedBy: added("blockedBy"),
    removeBlocks: removed("blocks"),
    removeBlockedBy: removed("blockedBy"),
  };
}

export const isNothing = (merged: Merged): boolean =>
  merged.fields.size === 0 &&
  [merged.addBlocks, merged.addBlockedBy, merged.removeBlocks, merged.removeBlockedBy].every((ids) => ids.length === 0);

/** The task as the files of a host show it. */
export function shownTo(host: string, shared: Doc): Doc {
  const { owner, ...rest } = shared;
  if (owner === markOf(host)) return rest;
  const isFree = shared["status"] === "pending" && !owner;
  return isFree ? withOwner(shared, sharedMark) : shared;
}

/** A key that is there keeps its place; a new one goes before the edges, as the clients have it. */
export function withOwner(doc: Doc, owner: string): Doc {
  if (Object.hasOwn(doc, "owner")) return { ...doc, owner };
  const entries = Object.entries(doc);
  const at = entries.findIndex(([key]) => key === "blocks");
  entries.splice(at < 0 ? entries.length : at, 0, ["owner", owner]);
  return Object.fromEntries(entries);
}
