import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { codecFor } from "@troupe/protocol";
import { expect, onTestFinished } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { test } from "../../test/scratch.ts";
import { isWrittenInPlace, readBytes, readSettled, readSettledNow } from "./document.ts";
import { withLock } from "./lock.ts";
import { publish, publishLonger } from "./publication.ts";

test("[ATP-FS-012] [ATP-FS-013] a document is replaced by another file under its name, which keeps its mode, and a new one is its owner's alone", async ({
  file,
}) => {
  const modeOf = () => statSync(file).mode & 0o777;
  await withLock(file, (held) => publish(held, file, "old"));
  expect(modeOf()).toBe(0o600);
  // While it is open its number is given to no other file.
  const old = openSync(file, "r");
  const before = fstatSync(old).ino;
  for (const isDurable of [false, true]) await withLock(file, (held) => publish(held, file, "new", isDurable));
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(statSync(file).ino).not.toBe(before);
  closeSync(old);
  expect(modeOf()).toBe(0o600);
  for (const mode of [0o644, 0o666, 0o440]) {
    chmodSync(file, mode);
    await withLock(file, (held) => publish(held, file, "[1\n]"));
    expect(modeOf()).toBe(mode);
    await withLock(file, (held) => publishLonger(held, file, "\n]", ",\n2\n]"));
    expect([modeOf(), readFileSync(file, "utf8")]).toEqual([mode, "[1,\n2\n]"]);
  }
  expect(readdirSync(join(file, ".."))).toEqual(["alice.json"]);
});

test("nothing is written through a link in the place of the temporary file", async ({ file }) => {
  const victim = join(file, "../victim");
  writeFileSync(victim, "mine");
  await withLock(file, (held) => {
    symlinkSync(victim, held.temporaryFor(file));
    publish(held, file, "new");
  });
  expect([readFileSync(victim, "utf8"), readFileSync(file, "utf8")]).toEqual(["mine", "new"]);
});

test("a publication that fails leaves the old document and no temporary file", async ({ file }) => {
  writeFileSync(file, "old");
  const attempt = withLock(file, (held) => publish(held, join(file, "not-a-directory"), "new"));
  await expect(attempt).rejects.toThrow();
  expect(readdirSync(join(file, ".."))).toEqual(["alice.json"]);
});

test("no file reads as none; a pipe and a directory are errors, and neither is waited for", ({ file }) => {
  expect(readBytes(file)).toBeUndefined();
  execFileSync("mkfifo", [file]);
  expect(() => readBytes(file)).toThrow("is no regular file");
  expect(() => readBytes(join(file, ".."))).toThrow(expect.objectContaining({ code: "document_unreadable" }));
});

test.for([
  ["[ATP-LCK-104] a document that is torn for a moment", (whole: string) => whole.slice(0, 40)],
  ["[ATP-LCK-104] one whose reader got half of two versions", (whole: string) => `${whole.slice(0, 40)}}${whole}`],
  ["[ATP-LCK-104] one whose halves parse", (whole: string) => whole.replace("{", '{\n  "subject": "old",')],
] as const)("%s is read when it is whole again", async ([, spoilt], { file }) => {
  const codec = codecFor("2026-11");
  const whole = codec.write(codec.newTask({ id: "1", subject: "s", description: "d" }));
  writeFileSync(file, spoilt(whole));
  let looks = 0;
  const read = (bytes: Uint8Array) => {
    looks += 1;
    if (looks === 2) writeFileSync(file, whole);
    return codec.readTask(bytes, "1");
  };
  expect((await readSettled(file, read))?.value?.subject).toBe("s");
  expect(looks).toBe(3);
});

test("a document that is torn when its reader is stopped for long is read again", async ({ file }) => {
  const codec = codecFor("2026-11");
  const whole = codec.write(codec.newTask({ id: "1", subject: "s", description: "d" }));
  const { now } = Date;
  onTestFinished(() => {
    Date.now = now;
  });
  for (const read of [readSettled, readSettledNow]) {
    Date.now = now;
    writeFileSync(file, "{");
    let looks = 0;
    const found = await read(file, (bytes) => {
      looks += 1;
      // It is stopped behind its first look.
      if (looks === 1) writeFileSync(file, whole);
      Date.now = () => now() + 2_000;
      return codec.readTask(bytes, "1");
    });
    expect([looks, found && ("found" in found ? found.found : found).value?.subject]).toEqual([2, "s"]);
  }
});

test("a document that was written over as it stood, and says what no version says, is read again", async ({ file }) => {
  const codec = codecFor("2026-02");
  const statusIn = (status: string) =>
    codec.write(codec.newTask({ id: "1", subject: "s", description: "d" })).replace("pending", status);
  writeFileSync(file, statusIn("in_progress"));
  await untilSeen("a change of the file later than its making", () => {
    writeFileSync(file, statusIn("pendingress"));
    return isWrittenInPlace(file);
  });
  let looks = 0;
  const read = (bytes: Uint8Array) => {
    looks += 1;
    if (looks === 2) writeFileSync(file, statusIn("pending"));
    return codec.readTask(bytes, "1");
  };
  expect((await readSettled(file, read))?.value?.status).toBe("pending");
});

test("a document that is cut and not stamped yet is read again", async ({ file }) => {
  const codec = codecFor("2026-11");
  const whole = codec.write(codec.newTask({ id: "1", subject: "s", description: "d" }));
  for (const read of [readSettled, readSettledNow]) {
    writeFileSync(file, "");
    utimesSync(file, 1, 1);
    let looks = 0;
    const found = await read(file, (bytes) => {
      looks += 1;
      if (looks === 2) writeFileSync(file, whole);
      return codec.readTask(bytes, "1");
    });
    expect([looks, found && ("found" in found ? found.found : found).value?.subject]).toEqual([3, "s"]);
  }
});

test("what has not changed for a second is as damaged as it looks, at once", async ({ file }) => {
  writeFileSync(file, "{");
  utimesSync(file, 1, 1);
  let looks = 0;
  await readSettled(file, (bytes) => {
    looks += 1;
    return codecFor("2026-11").readTask(bytes, "1");
  });
  expect(looks).toBe(1);
});
