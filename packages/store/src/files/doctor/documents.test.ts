import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import { revisions } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { mailOf, mate, teamDraft, test } from "../../../test/scratch.ts";
import { examine, mend } from "../doctor.ts";
import { openFileStore } from "../file-store.ts";

const text = (root: string, path: string) => readFileSync(join(root, path), "utf8");
/** Old enough that no writer can still be at it. */
const put = (root: string, path: string, content: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  utimesSync(join(root, path), 1, 1);
};
const message = { from: "a", text: "hello", timestamp: "2026-02-13T10:45:20.000Z", read: false };
const whole = JSON.stringify([message, { ...message, text: "again" }], undefined, 2);
const inbox = "teams/t/inboxes/bob.json";

describe.each(revisions)("%s", (revision) => {
  const make = async (root: string) => {
    const team = await openFileStore({ root }).createTeam({ ...teamDraft, revision });
    for (const subject of ["one", "two"]) await team.tasks.create({ subject, description: "d" });
    await (await team.as("team-lead")).send("team-lead", { text: "note" });
    return team;
  };

  test.for([
    ["cut", whole.slice(0, -20), ["hello"]],
    ["cut after a message", `[${JSON.stringify(message)},`, ["hello"]],
    ["ending twice", `${whole}\n]`, ["hello", "again"]],
    ["no JSON at all", "nothing", []],
    ["empty", "", []],
    ["an object", JSON.stringify(message), []],
  ] as const)(
    "[ATP-INB-110] an inbox that is %s is kept aside and mended from what was whole",
    async ([, content, kept], { root }) => {
      const team = await make(root);
      put(root, inbox, content);
      expect(await examine({ root })).toMatchObject([{ kind: "document_corrupt", path: inbox, isMendable: true }]);
      expect(text(root, inbox)).toBe(content);
      expect(await mend({ root })).toMatchObject([{ kind: "document_corrupt", path: inbox, isMended: true }]);
      expect((await mailOf(team, "bob")).map(({ entry }) => entry.text)).toEqual(kept);
      expect(JSON.parse(text(root, inbox))).toHaveLength(kept.length);
      const aside = readdirSync(join(root, dirname(inbox))).filter((name) => name.startsWith("bob.json."));
      expect(aside).toEqual([expect.stringMatching(/^bob\.json\.damaged-[0-9]+$/)]);
      expect(text(root, `teams/t/inboxes/${aside[0]}`)).toBe(content);
      expect(await mend({ root })).toEqual([]);
    },
  );

  test.for([
    ["[ATP-CFG-013] a config", "teams/t/config.json", "{}"],
    ["[ATP-TSK-111] a task", "tasks/t/1.json", '{"id": "1", "status": "pend'],
    ["[ATP-TSK-111] a task", "tasks/t/1.json", '{"id": "7", "subject": "s", "description": "d", "status": "pending"}'],
    ["[ATP-TSK-111] a task", "tasks/t/1.json", '{"id": "1", "status": "pending", "blockedBy": "2"}'],
    ["an inbox", inbox, JSON.stringify([message]).replace('"read":false', '"n":12345678901234567890')],
  ] as const)(
    "%s that must be left alone is told, and keeps every byte: %s %s",
    async ([, path, content], { root }) => {
      await make(root);
      put(root, path, content);
      expect(await mend({ root })).toMatchObject([
        { kind: "document_corrupt", path, isMendable: false, isMended: false },
      ]);
      expect(text(root, path)).toBe(content);
    },
  );

  test("what a reader can go on with is told as faulty, once for a document, and left as it is", async ({ root }) => {
    const team = await make(root);
    await team.join(mate("alice"));
    const config = JSON.parse(text(root, "teams/t/config.json"));
    put(root, "teams/t/config.json", JSON.stringify({ ...config, name: "u", createdAt: "today" }));
    put(root, inbox, JSON.stringify([message, { ...message, timestamp: 1 }]));
    put(root, "tasks/t/1.json", JSON.stringify({ ...(await team.tasks.get("1")).value, description: 5 }));
    const before = ["teams/t/config.json", inbox, "tasks/t/1.json"].map((path) => text(root, path));
    const found = await mend({ root });
    expect(found.map(({ kind, path, isMended }) => [kind, path, isMended])).toEqual([
      ["document_faulty", "teams/t/config.json", false],
      ["document_faulty", inbox, false],
      ["document_faulty", "tasks/t/1.json", false],
    ]);
    expect(found[0]?.message).toMatch(/^\/createdAt is "today", .*, and \d things more$/);
    expect(["teams/t/config.json", inbox, "tasks/t/1.json"].map((path) => text(root, path))).toEqual(before);
  });

  test("a lead that is no member is a dangling reference, and nobody is made the lead", async ({ root }) => {
    await make(root);
    const config = JSON.parse(text(root, "teams/t/config.json"));
    put(root, "teams/t/config.json", JSON.stringify({ ...config, leadAgentId: "gone@t" }));
    expect(await mend({ root })).toMatchObject([
      {
        kind: "reference_dangling",
        path: "teams/t/config.json",
        message: expect.stringContaining("gone@t"),
        isMended: false,
      },
    ]);
  });

  test("a lead whose process is gone is told, one that runs or cannot be judged is not", async ({ root }) => {
    const leadProcess = { pid: 26688, pidSpace: "vm#pid:[4026531836]", procStart: "76145" };
    await openFileStore({ root }).createTeam({ ...teamDraft, revision: "2026-11", leadProcess });
    const asked: unknown[] = [];
    const isRunning = (process: object) => asked.push(process) < 0;
    expect(await mend({ root, isRunning })).toMatchObject([
      { kind: "member_gone", path: "teams/t/config.json", message: expect.stringContaining("26688"), isMended: false },
    ]);
    expect(asked).toEqual([leadProcess]);
    for (const isGone of [true, undefined]) expect(await examine({ root, isRunning: () => isGone })).toEqual([]);
  });
});

const inAnHour = () => new Date(Date.now() + 3_600_000);
/** Timers that run: the doctor rests between two looks. */
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

test("[ATP-LCK-104] a document that is torn for a moment only is no finding, one that stays so is", async ({
  root,
}) => {
  await openFileStore({ root }).createTeam(teamDraft);
  mkdirSync(join(root, dirname(inbox)));
  const config = text(root, "teams/t/config.json");
  for (const [path, content] of [
    ["teams/t/config.json", config],
    [inbox, whole],
  ] as const) {
    writeFileSync(join(root, path), content.slice(0, 40));
    // However long this process is held up, it was written just now.
    utimesSync(join(root, path), inAnHour(), inAnHour());
    let fewest = timers();
    let isOver = false;
    const examined = examine({ root }).finally(() => {
      isOver = true;
    });
    // One of the runner's own may end meanwhile.
    for (; !isOver && timers() <= fewest; fewest = Math.min(fewest, timers())) await nextRound();
    expect(isOver, "it looks again").toBe(false);
    writeFileSync(join(root, path), content);
    expect(await examined).toEqual([]);
  }
  writeFileSync(join(root, inbox), whole.slice(0, 40));
  expect(await examine({ root })).toMatchObject([{ kind: "document_corrupt", path: inbox }]);
});

test("while a config cannot be read, what lies beside it is told and not mended, but for what no form is needed", async ({
  root,
}) => {
  await openFileStore({ root }).createTeam(teamDraft);
  put(root, inbox, "[");
  put(
    root,
    "tasks/t/1.json",
    JSON.stringify({ id: "1", subject: "s", description: "d", status: "pending", blocks: ["9"], blockedBy: [] }),
  );
  put(root, "tasks/t/2.json.tmp.0123abcd", "");
  put(root, "teams/t/config.json", '{"name": "t"');
  const found = await mend({ root });
  expect(found.map(({ kind, path, isMended }) => [kind, path, isMended])).toEqual([
    ["temporary_orphaned", "tasks/t/2.json.tmp.0123abcd", true],
    ["document_corrupt", "teams/t/config.json", false],
    ["document_corrupt", inbox, false],
    ["reference_dangling", "tasks/t/1.json", false],
  ]);
  expect(text(root, inbox)).toBe("[");
});

test("a team in a form between the revisions is never mended where a document would be written", async ({ root }) => {
  await openFileStore({ root }).createTeam(teamDraft);
  put(root, "teams/t/inboxes/team-lead.json", JSON.stringify([{ ...message, type: "message" }]));
  put(root, inbox, "[");
  put(root, "teams/t/config.json.tmp.0123abcd", "");
  const found = await mend({ root });
  expect(found.map(({ kind, isMended }) => [kind, isMended])).toEqual([
    ["temporary_orphaned", true],
    ["document_corrupt", false],
  ]);
  expect(text(root, inbox)).toBe("[");
});

/** The one who may do everything is shown no closed door. */
async function asNobody<T>(root: string, work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  for (const name of ["", ...readdirSync(root, { recursive: true, encoding: "utf8" })])
    chownSync(join(root, name), 65_534, 65_534);
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

test("what may not be read is told, and hides nothing else", async ({ root }) => {
  const store = openFileStore({ root });
  const team = await store.createTeam(teamDraft);
  await store.createTeam({ ...teamDraft, name: "u", leadSessionId: "07f5edcc-898c-4e36-983f-1c2e8fec7d28" });
  await team.tasks.create({ subject: "s", description: "d" });
  put(root, inbox, "[]");
  for (const name of ["t", "u"]) put(root, `teams/${name}/config.json.tmp.0123abcd`, "");
  for (const path of [inbox, "tasks/t"]) chmodSync(join(root, path), 0);
  chmodSync(join(root, "teams/u"), 0o400);
  const found = await asNobody(root, () => mend({ root }));
  for (const path of ["tasks/t", "teams/u"]) chmodSync(join(root, path), 0o700);
  expect(found.map(({ kind, path, isMended }) => [kind, path, isMended])).toEqual([
    ["directory_unusable", "tasks/t", false],
    ["temporary_orphaned", "teams/t/config.json.tmp.0123abcd", true],
    ["document_corrupt", inbox, false],
    ["directory_unusable", "teams/u", false],
  ]);
});
