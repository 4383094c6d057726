import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { ReadJson } from "@troupe/protocol";
import { expect } from "vitest";
import { test } from "../../test/scratch.ts";
import { openOnlooker } from "./onlooker.ts";

/** An onlooker whose clock stands so many milliseconds after the files that were written at `0`. */
function onlooking(file: string) {
  let atMs = 10_000;
  const onlooker = openOnlooker(() => atMs);
  const glance = () => {
    const { found, unsettled } = onlooker.glance(() => onlooker.look(file));
    return { text: found?.whole && Buffer.from(found.whole.bytes).toString(), problems: found?.problems, unsettled };
  };
  return {
    ...onlooker,
    glance,
    later(ms: number) {
      atMs += ms;
      return glance();
    },
    /** Written in place at this moment. */
    write(text: string) {
      writeFileSync(file, text);
      const at = (atMs + 0.5) / 1_000;
      utimesSync(file, at, at);
    },
  };
}
const whole = (text: string) => ({ text, problems: [], unsettled: [] });

test("a document is what it was while another program has it torn, also when its halves parse, and then what it is", ({
  file,
}) => {
  const { write, later, glance } = onlooking(file);
  write("[1]");
  expect(later(30)).toEqual(whole("[1]"));
  for (const torn of ["", "[1,", "[1]]", '{"a":1,"a":2}', "[1,20]"]) {
    write(torn);
    expect(glance(), torn).toEqual({ text: "[1]", problems: [], unsettled: [file] });
  }
  write("[1, 2]");
  expect(later(30)).toEqual(whole("[1, 2]"));
});

test("one that is torn when its onlooker is stopped for long is still torn for a moment", ({ file }) => {
  writeFileSync(file, "[1]");
  const start = Date.now() + 30;
  let clock = [start];
  const { look } = openOnlooker(() => clock.shift() ?? start + 5_000);
  const text = () => {
    const looked = look(file);
    return [looked?.whole && Buffer.from(looked.whole.bytes).toString(), looked?.problems];
  };
  expect(text()).toEqual(["[1]", []]);
  writeFileSync(file, "[");
  clock = [start];
  expect(text()).toEqual(["[1]", []]);
});

test("one that is cut and not stamped yet is what it was until it has been empty for a second", ({ file }) => {
  const old = 1_700_000_000.5;
  writeFileSync(file, "[1]");
  utimesSync(file, old, old);
  let atMs = Date.now();
  const { look } = openOnlooker(() => atMs);
  const after = (ms: number) => {
    atMs += ms;
    const looked = look(file);
    return [looked?.whole && Buffer.from(looked.whole.bytes).toString(), looked?.problems.length];
  };
  expect(after(0)).toEqual(["[1]", 0]);
  writeFileSync(file, "");
  utimesSync(file, old, old);
  expect([after(0), after(900), after(200)]).toEqual([
    ["[1]", 0],
    ["[1]", 0],
    ["[1]", 1],
  ]);
});

test("one that was written over in place and says what no version says is half of two, until it has stood for a second", ({
  file,
}) => {
  writeFileSync(file, '"pending"');
  // Whole seconds would be taken for the stamps of a coarse clock.
  let atMs = Math.floor(Date.now() / 1_000) * 1_000 + 50;
  const onlooker = openOnlooker(() => atMs);
  const isSound = ({ value }: ReadJson) => value === "pending" || value === "in_progress";
  const textAfter = (ms: number) => {
    atMs += ms;
    return Buffer.from(onlooker.look(file, isSound)?.whole?.bytes ?? "").toString();
  };
  const writeOver = (text: string) => {
    writeFileSync(file, text);
    utimesSync(file, atMs / 1_000, atMs / 1_000);
  };
  expect(textAfter(1_000)).toBe('"pending"');
  writeOver('"pendingress"');
  expect([textAfter(500), textAfter(400), textAfter(200)]).toEqual(['"pending"', '"pending"', '"pendingress"']);
  writeOver('"in_progress"');
  expect(textAfter(30)).toBe('"in_progress"');
});

test("one that stays torn for a second is named, and what it said when it was whole is kept until it is mended", ({
  file,
}) => {
  const { write, later } = onlooking(file);
  write("[1]");
  later(30);
  write("[1,");
  expect(later(900)).toEqual({ text: "[1]", problems: [], unsettled: [file] });
  expect(later(200)).toMatchObject({ text: "[1]", problems: [{ code: "document_torn" }], unsettled: [] });
  write("[1, 2]");
  expect(later(30)).toEqual(whole("[1, 2]"));
});

test("one that was never seen whole says nothing while it is torn, and what it is once it stays so", ({ file }) => {
  const { write, later } = onlooking(file);
  write("[1,");
  expect(later(30)).toEqual({ text: undefined, problems: [], unsettled: [file] });
  expect(later(1_200)).toEqual(whole("[1,"));
});

test("one that is written without a pause is read after a second, if it parses", ({ file }) => {
  const { write, later } = onlooking(file);
  write("[1]");
  later(30);
  const seen = Array.from({ length: 60 }, (_, n) => {
    write(`[${n}]`);
    return later(18).text;
  });
  expect(new Set(seen).size).toBe(2);
});

test("one that is taken away is there for a second more, and for good once it is back", ({ file }) => {
  const { write, later, names } = onlooking(file);
  write("[1]");
  later(30);
  rmSync(file);
  expect(later(30)).toEqual({ text: "[1]", problems: [], unsettled: [file] });
  expect(names(dirname(file))).toEqual(["alice.json"]);
  write("[1, 2]");
  expect(later(30)).toEqual(whole("[1, 2]"));
  rmSync(file);
  expect(later(900)).toMatchObject({ text: "[1, 2]" });
  for (const ms of [900, 10, 10]) expect(later(ms)).toMatchObject({ text: "[1, 2]", unsettled: [file] });
  expect(later(200)).toEqual({ text: undefined, problems: undefined, unsettled: [] });
  expect(names(dirname(file))).toEqual([]);
});

test("a lock without its document is a document to come, while it is young", ({ file }) => {
  mkdirSync(`${file}.lock`);
  utimesSync(`${file}.lock`, 10, 10);
  const { names, later } = onlooking(file);
  expect(names(dirname(file))).toEqual(["alice.json", "alice.json.lock"]);
  later(2_000);
  expect(names(dirname(file))).toEqual(["alice.json.lock"]);
});

test("what has not changed is not read again: it is the very same", ({ file }) => {
  const onlooker = onlooking(file);
  onlooker.write("[1]");
  onlooker.later(30);
  const { whole } = onlooker.look(file) ?? {};
  expect(onlooker.look(file)?.whole).toBe(whole);
  writeFileSync(`${file}.other`, "[1]");
  renameSync(`${file}.other`, file);
  utimesSync(file, 10, 10);
  expect(onlooker.look(file)?.whole).toBe(whole);
});

test("when a directory goes, all that was in it goes at once", ({ file }) => {
  const path = `${file}.d/1.json`;
  mkdirSync(dirname(path));
  const { write, later, names } = onlooking(path);
  write("[1]");
  expect(later(30)).toEqual(whole("[1]"));
  rmSync(dirname(path), { recursive: true });
  expect(names(dirname(path))).toEqual([]);
});

test("a link is followed nowhere, neither in place of a document nor of a directory", ({ file }) => {
  writeFileSync(`${file}.other`, "[1]");
  symlinkSync(`${file}.other`, file);
  const { glance, names } = onlooking(file);
  expect(glance()).toMatchObject({ text: undefined, problems: [{ message: "this is a link" }] });
  symlinkSync(dirname(file), `${file}.d`);
  expect(() => names(`${file}.d`)).toThrow("is a link");
});

test("whoever settles is given what is there after a second, whole or not", async ({ file }) => {
  writeFileSync(file, "[1,");
  const { settle, look } = openOnlooker();
  const { found } = await settle(() => look(file));
  expect(String(found?.whole && Buffer.from(found.whole.bytes))).toBe("[1,");
});

test("one that others make anew again and again is not gone because it is missing at two looks that are far apart", ({
  file,
}) => {
  const { write, later } = onlooking(file);
  write("[1]");
  later(30);
  rmSync(file);
  later(30);
  expect(later(3_000)).toEqual({ text: "[1]", problems: [], unsettled: [file] });
});

test("one that others make anew again and again is waited for, though it is missing at the first looks", async ({
  file,
}) => {
  let looks = 0;
  const { settle, names } = openOnlooker(() => Date.now() + looks * 60);
  const { found, unsettled } = await settle(() => {
    looks += 1;
    if (looks === 5) writeFileSync(file, "[1]");
    return names(dirname(file));
  });
  expect({ found, unsettled }).toEqual({ found: ["alice.json"], unsettled: [] });
});

test.for([
  ["torn", []],
  ["missing for a moment and then torn", [12]],
  ["missing at the last", [12, 23, 24, 25]],
] as const)(
  "one that was never seen at rest is what last parsed, for a caller that cannot wait any longer: %s",
  async ([, missing], { file }) => {
    const at = Date.now();
    const { settle, look } = openOnlooker(() => at);
    let looks = 0;
    const { found } = await settle(() => {
      looks += 1;
      if (missing.some((one) => one === looks)) rmSync(file, { force: true });
      else writeFileSync(file, looks < 10 ? `[${looks}]` : "[1,");
      return look(file);
    });
    expect(String(found?.whole && Buffer.from(found.whole.bytes))).toBe("[9]");
  },
);
