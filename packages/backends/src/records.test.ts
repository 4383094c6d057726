import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openRecords } from "./records.ts";

function place(): string {
  const top = mkdtempSync(join(tmpdir(), "records-"));
  onTestFinished(() => rmSync(top, { recursive: true }));
  return join(top, "troupe", "backends");
}
const running = { pid: 4711, startedAt: "boot space 12" };
const ann = { backend: "process", team: "crew", teamCreatedAt: 1, name: "ann", lead: running };

test("a record is there before anything runs, is completed, found by the next process, and goes with all files of its own", () => {
  const directory = place();
  const records = openRecords(directory);
  expect(records.all()).toEqual({ records: [], problems: [] });
  const begun = records.begin(ann);
  expect(begun).toMatchObject({ ...ann, isReady: false });
  const other = records.begin({ ...ann, name: "bob" });
  const whole = records.amend(begun, { process: running, isReady: true });
  writeFileSync(records.file(whole, "log"), "x");
  const found = openRecords(directory).all();
  expect(found.problems).toEqual([]);
  expect(found.records.find(({ name }) => name === "ann")).toEqual({ ...begun, process: running, isReady: true });
  records.end(whole);
  records.end(whole);
  expect(readdirSync(directory)).toEqual([`${other.mark}.json`]);
});

test("a directory of records and what is in it are their owner's alone", () => {
  const directory = place();
  const records = openRecords(directory);
  const path = records.file(records.begin(ann), "json");
  expect([directory, path].map((at) => statSync(at).mode & 0o777)).toEqual([0o700, 0o600]);
});

test("what is torn, another's, writable by others or a link is reported and not trusted, and the others are read", () => {
  const directory = place();
  const records = openRecords(directory);
  const sound = records.begin(ann);
  const damage: Record<string, (path: string) => void> = {
    torn: (path) => writeFileSync(path, '{ "mark": '),
    foreign: (path) => writeFileSync(path, "[]"),
    unspecific: (path) => writeFileSync(path, JSON.stringify({ ...sound, process: { pid: -1, startedAt: "x" } })),
    moved: (path) => renameSync(path, path.replace(/\w{16}\.json/, `${"0".repeat(16)}.json`)),
    open: (path) => chmodSync(path, 0o666),
    link(path) {
      renameSync(path, `${path}.aside`);
      symlinkSync(`${path}.aside`, path);
    },
    directory(path) {
      rmSync(path);
      mkdirSync(path);
    },
  };
  for (const spoil of Object.values(damage)) spoil(records.file(records.begin({ ...ann, name: "bob" }), "json"));
  const { records: found, problems } = records.all();
  expect(found).toEqual([sound]);
  expect(problems).toHaveLength(Object.keys(damage).length);
  for (const problem of problems) expect(problem).toMatch(/\.json is no record of a backend.*: \S/);
});

test("a directory that others can write to, or that is a link, is refused", () => {
  const directory = place();
  openRecords(directory).begin(ann);
  chmodSync(directory, 0o777);
  expect(() => openRecords(directory).all()).toThrow("writable by others");
  chmodSync(directory, 0o700);
  symlinkSync(directory, `${directory}-link`);
  expect(() => openRecords(`${directory}-link`).begin(ann)).toThrow("is a link");
});

test("what a writer left that was killed before it had a record is removed a while later, and nothing else", () => {
  const directory = place();
  const records = openRecords(directory);
  const { mark } = records.begin(ann);
  const names = [
    "0123456789abcdef.json.tmp.1",
    "0123456789abcdef.log",
    `${mark}.log`,
    "notes.txt",
    "fedcba9876543210.log",
  ];
  const long = new Date(Date.now() - 3_600_000);
  for (const [at, name] of names.entries()) {
    writeFileSync(join(directory, name), "x");
    if (at < 4) utimesSync(join(directory, name), long, long);
  }
  records.sweep();
  expect(readdirSync(directory).sort()).toEqual(
    [`${mark}.json`, `${mark}.log`, "fedcba9876543210.log", "notes.txt"].sort(),
  );
});
