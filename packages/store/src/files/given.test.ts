import { cpSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { codecFor, layoutOf } from "@troupe/protocol";
import fc from "fast-check";
import { expect } from "vitest";
import { mate, teamDraft, test } from "../../test/scratch.ts";
import type { Participant, Store } from "../store.ts";
import * as published from "./index.ts";

const { openFileStore, openInbox, openTasks } = published;

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;
const hostile: readonly unknown[] = [
  undefined,
  null,
  5,
  Number.NaN,
  -1n,
  true,
  "",
  "\ud800",
  "a\0b",
  "../../out",
  "x".repeat(100_000),
  {},
  [],
  [undefined],
  cyclic,
  { n: 1n },
  Symbol("s"),
  () => undefined,
  new Date(Number.NaN),
  new Map(),
  Object.create(null),
  JSON.parse('{"__proto__":{"text":"x"},"constructor":5,"toString":5}'),
];

type Handle = Readonly<Record<string, unknown>>;
type Method = (...args: readonly unknown[]) => unknown;

/** A method, by the name of its handle, with arguments that are right. */
async function callsBelow(root: string): Promise<Map<string, { handle: Handle; args: readonly unknown[] }>> {
  const store = openFileStore({ root });
  const team = await store.openTeam("t");
  const lead = await team?.as("team-lead");
  const [codec, layout] = [codecFor("2026-02"), layoutOf(root).team("t")];
  const limits = { deadlineMs: 2_000, staleMs: 10_000 };
  const inbox = openInbox({ path: layout.inbox("alice"), codec });
  const stamp = { at: "2026-02-13T10:45:20.631Z", id: "x" };
  const own = async () => ({ place: { root, directory: join(root, "own") }, stamp });
  const tasks = openTasks({ layout, codec, isMember: async () => true, own });
  const entry = codec.newEntry({
    from: { name: "bob" },
    content: { text: "x" },
    timestamp: "2026-02-13T10:45:20.631Z",
    messageId: crypto.randomUUID(),
  });
  const held = { temporaryFor: (target: string) => `${target}.tmp`, assertHeld: () => {} };
  const file = join(root, "note");
  const task = { subject: "s", description: "d", activeForm: "a", metadata: { k: 1 } };
  const places = [{ directory: root, subjectOf: (name: string) => name }];
  const calls: Record<string, readonly [unknown, Record<string, readonly unknown[]>]> = {
    published: [
      published,
      {
        examine: [{ root, limits }],
        isRunningHere: [{ pid: 1, pidSpace: "x", procStart: "1" }],
        mend: [{ root, limits }],
        openFileStore: [{ root, limits, isDurable: false, now: () => new Date(), newId: () => crypto.randomUUID() }],
        openInbox: [{ path: layout.inbox("alice"), codec, limits }],
        openOnlooker: [() => 1],
        openTasks: [{ layout, codec, isMember: async () => true, limits }],
        processHere: [1],
        publish: [held, file, "text"],
        publishAlone: [file, "text"],
        readArchive: [root],
        readNamedFile: [layout.config, 1_000_000],
        takeLease: [file, limits],
        thisProcess: [],
        watchDirectories: [places, AbortSignal.abort()],
        withLock: [file, () => 1, limits],
        withLocks: [[file], () => 1, limits],
        withLockNow: [file, () => 1, limits],
        writeArchive: [root, { teams: [], lists: [], plans: [] }],
      },
    ],
    store: [
      store,
      {
        createTeam: [
          { ...teamDraft, name: "u", leadSessionId: "another", description: "d", revision: "2026-11" },
          { once: "u" },
        ],
        onlook: [],
        past: ["t"],
        close: [],
        openTeam: ["t"],
        listTeams: [],
        deleteTeam: ["t", { evenIfActive: true }],
        tasksOfSession: ["s"],
        savePlan: ["calm-sorting-heron", "text"],
        readPlan: ["calm-sorting-heron"],
      },
    ],
    onlook: [
      store.onlook(),
      { team: ["t", { isPatient: false }], list: ["s", { isPatient: false }], all: [{ isPatient: false }] },
    ],
    team: [
      team,
      {
        mail: ["alice"],
        history: ["1", AbortSignal.abort()],
        config: [],
        join: [mate("carol"), { once: "c" }],
        claim: [{ pid: 1 }],
        updateMember: ["alice", { isActive: true }],
        leave: ["alice"],
        as: ["alice"],
        watch: [AbortSignal.abort()],
        compact: [{ evenIfActive: true }],
      },
    ],
    mail: [team?.mail("alice"), { page: [{ before: "x", limit: 1 }] }],
    participant: [
      lead,
      {
        send: ["alice", { text: "hello", summary: "h" }, { at: "2026-02-13T10:45:20.631Z", id: "x" }],
        receive: [{ deadlineMs: 1 }],
        record: [{ kind: "x" }],
      },
    ],
    inbox: [
      inbox,
      {
        append: [entry],
        appendAll: [() => [entry], () => {}],
        appendOnce: [entry],
        read: [],
        take: [],
        wait: [AbortSignal.abort()],
        acknowledge: [new Set(["x"]), () => {}],
        compact: [],
      },
    ],
    tasks: [
      tasks,
      {
        create: [task, { owner: "alice", addBlocks: ["1"], addBlockedBy: ["2"], once: "t" }, "team-lead"],
        get: ["1"],
        list: [],
        ready: [],
        update: [
          "1",
          { subject: "n", owner: "alice", status: "in_progress", metadata: { a: 1 }, addBlocks: ["2"] },
          "x",
        ],
        claim: ["1", "alice"],
        claimNext: ["alice"],
        release: ["1", "alice"],
        complete: ["1"],
        remove: ["1"],
      },
    ],
  };
  const methodsOf = (handle: unknown) =>
    Object.entries(handle as Handle).flatMap(([name, value]) => (typeof value === "function" ? [name] : []));
  for (const [name, [handle, methods]] of Object.entries(calls))
    expect(Object.keys(methods).sort(), `every method of ${name} is called`).toEqual(methodsOf(handle).sort());
  return new Map(
    Object.entries(calls).flatMap(([name, [handle, methods]]) =>
      Object.entries(methods).map(([method, args]) => [`${name} ${method}`, { handle: handle as Handle, args }]),
    ),
  );
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" &&
  value !== null &&
  [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value));

/** The ways to everything that can be replaced in these arguments. */
const waysInto = (value: unknown): (readonly string[])[] =>
  isPlain(value)
    ? Object.keys(value).flatMap((key) => [[key], ...waysInto(value[key]).map((way) => [key, ...way])])
    : [];

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  // A path stays below the scratch directory, whatever stands in it.
  const isPath = typeof value === "string" && value.startsWith("/") && typeof by === "string" && by !== "";
  if (key === undefined) return isPath ? `${value}/${by}` : by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

/** Everything below a directory, as it can be compared. */
const below = (directory: string): unknown[] =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => [name, lstatSync(join(directory, name)).isFile() && readFileSync(join(directory, name), "utf8")]);

async function outcomeOf(work: () => unknown): Promise<unknown> {
  try {
    const made = (await work()) as { return?: () => unknown; release?: () => unknown } | undefined;
    if (typeof made === "object" && made && "release" in made) await made.release?.();
    if (typeof made?.return === "function") await made.return();
    return undefined;
  } catch (error) {
    return error;
  }
}

test("whatever a caller without types gives, it is told by a code and what is wrong, and nothing is touched", async ({
  root,
}) => {
  const [home, kept] = [join(root, "home"), join(root, "kept")];
  const store = openFileStore({ root: home });
  const team = await store.createTeam(teamDraft);
  for (const name of ["alice", "bob"]) await team.join(mate(name));
  await (await team.as("team-lead")).send("alice", { text: "first" });
  for (const subject of ["One", "Two"]) await team.tasks.create({ subject, description: "" });
  cpSync(home, kept, { recursive: true });
  const before = below(kept);

  const calls = await callsBelow(home);
  const all = [...calls].flatMap(([name, { args }]) => waysInto([...args]).map((way) => ({ name, way })));
  const wrong = fc.record({ at: fc.constantFrom(...all), by: fc.constantFrom(...hostile.keys()) });
  const property = fc.asyncProperty(wrong, async ({ at: { name, way }, by }) => {
    const { handle, args } = (await callsBelow(home)).get(name) as { handle: Handle; args: readonly unknown[] };
    const given = replaced([...args], way, hostile[by]) as readonly unknown[];
    const error = await outcomeOf(() => (handle[name.split(" ")[1] as string] as Method)(...given));
    const after = below(home);
    if (JSON.stringify(after) !== JSON.stringify(before)) {
      rmSync(home, { recursive: true });
      cpSync(kept, home, { recursive: true });
    }
    if (error === undefined) return;
    expect(error, `${name} ${way.join(".")}`).toMatchObject({ code: expect.any(String), message: expect.any(String) });
    // The system's error for an impossible path reaches the caller unchanged.
    const isOfSystem = "syscall" in (error as object);
    expect(isOfSystem || (error as Error).name === "TroupeError", `${name} ${way.join(".")}: ${error}`).toBe(true);
    expect(after, `${name} ${way.join(".")} was refused`).toEqual(before);
  });
  await fc.assert(property, { numRuns: 600 });
});

test.for<[string, string, (handles: { lead: Participant; store: Store }) => Promise<unknown>]>([
  ["send({})", "to of send is an object: give a text", ({ lead }) => lead.send({} as never, { text: "x" })],
  ["send(to, {})", "text of send is undefined: give a text", ({ lead }) => lead.send("alice", {} as never)],
  ["openTeam()", "name of openTeam is undefined: give a text", ({ store }) => store.openTeam(undefined as never)],
  ["create(5)", "create is 5: give an object", ({ lead }) => lead.tasks.create(5 as never)],
  [
    "metadata with a BigInt",
    "metadata of create is an object: give an object that JSON can hold",
    ({ lead }) => lead.tasks.create({ subject: "s", description: "", metadata: { n: 1n } }),
  ],
])("%s is refused with the field named", async ([, message, call], { root }) => {
  const store = openFileStore({ root: join(root, "home") });
  const team = await store.createTeam(teamDraft);
  await team.join(mate("alice"));
  const lead = await team.as("team-lead");
  await expect(call({ lead, store })).rejects.toMatchObject({ code: "arguments_invalid", message });
});
