import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { thisProcess } from "@troupe/store/files";
import { expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { done, opened, stage, turn } from "../../test/sessions.ts";
import { openSession } from "../session/open.ts";
import { takeSessionLease } from "./lease.ts";

const now = () => new Date("2026-11-18T12:00:00Z");
const isLinux = existsSync("/proc/self/ns/pid");

/** A transcript, and its lease as another process would have left it. */
function left(holder: object | string, ageMs = 0) {
  const transcript = join(scratch(), "s1.jsonl");
  const lease = `${transcript}.lease`;
  writeFileSync(lease, typeof holder === "string" ? holder : JSON.stringify(holder));
  const then = new Date(Date.now() - ageMs);
  utimesSync(lease, then, then);
  return { transcript, lease };
}

const elsewhere = { pid: 7, pidSpace: "box#pid:[1]", procStart: "1", claimedAt: Date.UTC(2026, 10, 18, 11) };

test("a session that is open cannot be opened a second time, and the refusal says where it is and since when", async () => {
  const { deps } = stage({ "": [done] }, { sessionId: "s1", now });
  const session = opened(deps);
  const refused = expect.objectContaining({
    code: "session_open",
    message: expect.stringMatching(
      /open in this process since 2026-11-18T12:00:00.000Z \(.*s1\.jsonl\.lease\): close it/,
    ),
  });
  expect(() => openSession(deps)).toThrow(refused);
  expect((await turn(session, "go")).terminal).toMatchObject({ isOk: true });
  await session.close();
  await openSession(deps).close();
});

test("a session that could not be opened is not held", async () => {
  const { deps } = stage({ "": [done] }, { sessionId: "s1" });
  expect(() =>
    openSession({
      ...deps,
      project: {
        ...deps.project,
        get definitions(): never {
          throw new Error("no");
        },
      },
    }),
  ).toThrow("no");
  await openSession(deps).close();
});

test("a process of another machine holds its session for as long as it shows itself", () => {
  const fresh = left(elsewhere, 20_000);
  expect(() => takeSessionLease(fresh.transcript, now)).toThrow(/open in process 7 of box since 2026-11-18T11:00:00/);
  const gone = left(elsewhere, 31_000);
  takeSessionLease(gone.transcript, now).release();
  expect(existsSync(gone.lease)).toBe(false);
});

test("a process that began later under the number of the holder is not the holder", () => {
  const { transcript } = left({ ...thisProcess(), procStart: "1" }, isLinux ? 0 : 11_000);
  takeSessionLease(transcript, now).release();
});

test.each([
  ["nothing", ""],
  ["half a record", '{"pid": 1'],
  ["no record", "[]"],
])("a lease that holds %s is nobody's", (_, text) => {
  takeSessionLease(left(text).transcript, now).release();
});

test.each<[string, (lease: string) => void]>([
  ["taken over", (lease) => writeFileSync(lease, JSON.stringify(elsewhere))],
  ["removed", (lease) => rmSync(lease)],
])("once its lease was %s a session writes nothing more, and leaves the file as it is", async (_, lose) => {
  const { deps } = stage({ "": [done] }, { sessionId: "s1" });
  const session = opened(deps);
  const before = readFileSync(session.transcript, "utf8");
  const lease = `${session.transcript}.lease`;
  lose(lease);
  const after = existsSync(lease) && readFileSync(lease, "utf8");
  await expect(turn(session, "go")).rejects.toMatchObject({
    code: "lock_lost",
    message: expect.stringContaining(lease),
  });
  await session.close();
  expect(readFileSync(session.transcript, "utf8")).toBe(before);
  expect(existsSync(lease) && readFileSync(lease, "utf8")).toBe(after);
});

test("a lease that cannot be written refuses the session with the reason", () => {
  const transcript = join(scratch(), "s1.jsonl");
  mkdirSync(`${transcript}.lease`);
  expect(() => takeSessionLease(transcript, now)).toThrow(/s1\.jsonl\.lease/);
});
