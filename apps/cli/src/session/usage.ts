import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@troupe/protocol";
import { costOf, entriesAt, type Stored, type Usage } from "@troupe/runtime";
import { type Bill, createBill } from "./bill.ts";

/** What one fork read from the cache, beside what it could have read there. */
export interface ForkReads {
  readonly cacheRead: number;
  readonly cacheReadLimit: number;
}

/** What a session has used, with the agents below it. */
export interface SessionUsage {
  readonly bill: Bill;
  readonly agents: number;
  readonly forks: readonly (ForkReads & { readonly description: string; readonly bill: Bill })[];
  /** The models whose prices are not known. */
  readonly unpriced: readonly string[];
}

/** A main conversation of a member, as it stands on disk. */
export interface OwnTranscript {
  readonly name: string;
  readonly path: string;
  readonly entries: readonly Stored[];
}

/** Which team it is, and who leads it. */
export interface Membership {
  readonly team: string;
  readonly createdAt: number;
  readonly leadSessionId: string | undefined;
  readonly lead: string | undefined;
}

/** What the members of a team have used, by name. */
export function usageIn(root: string, membership: Membership): ReadonlyMap<string, readonly SessionUsage[]> {
  const found = new Map<string, SessionUsage[]>();
  for (const { name, path, entries } of transcriptsOf(root, membership))
    found.set(name, [...(found.get(name) ?? []), usageOf(path, entries)]);
  return found;
}

/** The main conversations of the members of a team. */
export function* transcriptsOf(root: string, membership: Membership): Generator<OwnTranscript> {
  for (const { path, id } of transcriptsIn(join(root, "projects"), membership.createdAt)) {
    const entries = entriesAt(path);
    const name = memberIn(entries, id, membership);
    if (name !== undefined) yield { name, path, entries };
  }
}

/** Sums of the same kind. */
export function together(bills: readonly Bill[]): Bill {
  const sum = (pick: (bill: Bill) => number) => bills.reduce((total, bill) => total + pick(bill), 0);
  const isPriced = bills.every(({ cost }) => cost !== undefined);
  return {
    requests: sum(({ requests }) => requests),
    usage: {
      input: sum(({ usage }) => usage.input),
      cacheRead: sum(({ usage }) => usage.cacheRead),
      cacheWrite: sum(({ usage }) => usage.cacheWrite),
      output: sum(({ usage }) => usage.output),
    },
    ...(isPriced && { cost: sum(({ cost = 0 }) => cost) }),
  };
}

/**
 * Every request could read what the one before it had sent: of a fork's first that is the last of
 * its parent. What a sibling has sent since can be more.
 */
export function forkReads(parent: Usage | undefined, answers: readonly Usage[]): ForkReads {
  let before = parent ? sentIn(parent) : 0;
  let cacheReadLimit = 0;
  for (const usage of answers) {
    cacheReadLimit += Math.max(usage.cacheRead, Math.min(before, sentIn(usage)));
    before = sentIn(usage);
  }
  return { cacheRead: answers.reduce((sum, { cacheRead }) => sum + cacheRead, 0), cacheReadLimit };
}

const sentIn = ({ input, cacheRead, cacheWrite5m, cacheWrite1h }: Usage): number =>
  input + cacheRead + cacheWrite5m + cacheWrite1h;

/** The conversations of the agents below one, with what was wanted of each. */
export function agentsBelow(path: string) {
  const directory = join(path.replace(/\.jsonl$/, ""), "subagents");
  return namesIn(directory)
    .filter(({ name }) => /^agent-[\w-]+\.jsonl$/.test(name))
    .map(({ name }) => join(directory, name))
    .map((own) => ({ path: own, entries: entriesAt(own), ...metaOf(own) }));
}

function usageOf(path: string, entries: readonly Stored[]): SessionUsage {
  const agents = agentsBelow(path);
  const forks = agents.flatMap(({ entries: all, description }) => {
    const [first] = all;
    if (first?.kind !== "opened" || !first.fork) return [];
    const { transcript, line } = first.fork;
    const past = transcript === path ? entries : entriesAt(transcript);
    const parent = answersIn(past.slice(0, past.findIndex(({ id }) => id === line) + 1)).at(-1);
    return [{ ...forkReads(parent, answersIn(all)), description, bill: billOf(all) }];
  });
  return {
    bill: together([billOf(entries), ...agents.map((one) => billOf(one.entries))]),
    agents: agents.length,
    forks,
    unpriced: unpricedIn([entries, ...agents.map((one) => one.entries)].flat()),
  };
}

const answersIn = (entries: readonly Stored[]): readonly Usage[] =>
  entries.flatMap((entry) => (entry.kind === "answered" ? [entry.answer.usage] : []));

function billOf(entries: readonly Stored[]): Bill {
  const bill = createBill();
  for (const entry of entries) bill.add({ kind: "entry", entry });
  return bill.total();
}

const unpricedIn = (entries: readonly Stored[]): readonly string[] => [
  ...new Set(
    entries.flatMap((entry) =>
      entry.kind === "answered" && costOf(entry.answer.usage, entry.answer.model) === undefined
        ? [entry.answer.model]
        : [],
    ),
  ),
];

/** Its file says `agent-<id>.meta.json` beside it. */
function metaOf(path: string): { readonly description: string; readonly toolUseId: string | undefined } {
  try {
    const meta: unknown = JSON.parse(readFileSync(path.replace(/\.jsonl$/, ".meta.json"), "utf8"));
    const { description = "", toolUseId } = isObject(meta) ? meta : {};
    return { description: String(description), toolUseId: typeof toolUseId === "string" ? toolUseId : undefined };
  } catch {
    return { description: "", toolUseId: undefined };
  }
}

function memberIn(entries: readonly Stored[], id: string, of: Membership): string | undefined {
  for (const entry of entries) {
    const joined = entry.kind === "ledger" && entry.entry.kind === "joined" ? entry.entry : undefined;
    if (joined?.team === of.team && joined.createdAt === of.createdAt) return joined.name;
  }
  return id === of.leadSessionId ? of.lead : undefined;
}

/** Transcripts of main conversations that were written to since then. */
function transcriptsIn(projects: string, sinceMs: number): { readonly path: string; readonly id: string }[] {
  return namesIn(projects)
    .filter((one) => one.isDirectory())
    .flatMap((project) =>
      namesIn(join(projects, project.name)).flatMap(({ name }) => {
        const path = join(projects, project.name, name);
        const [, id] = /^([\w-]+)\.jsonl$/.exec(name) ?? [];
        const at = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
        return id === undefined || at < sinceMs ? [] : [{ path, id }];
      }),
    );
}

function namesIn(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
