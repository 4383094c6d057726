import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { untilSeen } from "../scripts/awaited.ts";
import { openTroupe, sample } from "./command-line.ts";

const { home, begin, troupe, told, json, refusal } = openTroupe();
const packageDir = join(import.meta.dirname, "../packages/conformance");
const part = ["conformance", "run", "--target", "self", "--only", "DOC-NAME", "--seed", "7"];
const miniature = (name: string) => `node ${join(packageDir, "miniatures", name)}.mjs`;
const read = (file: string) => readFileSync(join(home, file), "utf8");

const always = ["conformance", "run", "--target", miniature("always-ok"), "--revision", "2026-02"];

interface Footer {
  readonly footer: { readonly executed: number; readonly unexpected: readonly string[] };
}
/** What a run of both revisions said, and one of a target that is wrong. */
let whole: { readonly runs: readonly [Footer, Footer] };
let wrong: { readonly runs: readonly [Footer] };

beforeAll(() => {
  whole = json("conformance-run", [...part, "--out", "part"]);
  wrong = json("conformance-run", [...always, "--only", "TSK-ID", "--out", "wrong"], { status: 1 });
});

describe("conformance run", () => {
  test("leaves a set of reports for each revision, and says where", () => {
    const names = ["badge.json", "junit.xml", "report.html", "report.ndjson", "report.sarif", "report.tap"];
    for (const revision of ["2026-02", "2026-11"]) expect(readdirSync(join(home, "part", revision))).toEqual(names);
    const { stdout, stderr, status } = troupe([...part, "--revision", "2026-11", "--out", "again"]);
    expect(status).toBe(0);
    expect(stderr).toBe(`note: written to ${join(home, "again")}\n`);
    expect(stdout).toContain("agent-team protocol 2026-11");
    expect(readdirSync(join(home, "again"))).toEqual(["2026-11"]);
  });

  test("answers with each revision's footer", () => {
    const { runs } = whole;
    expect(runs).toMatchObject([
      { revision: "2026-02", footer: { exitCode: 0, counts: { pass: expect.any(Number), fail: 0, error: 0 } } },
      { revision: "2026-11", footer: { exitCode: 0 } },
    ]);
    expect(runs[0].footer.executed).toBeGreaterThan(0);
  });

  test("of a part says so in its header, meets no level and earns no badge", () => {
    const lines = read("part/2026-02/report.ndjson")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ kind: "header", only: ["DOC-NAME"], seed: 7 });
    expect(lines.at(-1).levels).toMatchObject({ L0: { isMet: false, missedMusts: [] } });
    expect(JSON.parse(read("part/2026-02/badge.json"))).toMatchObject({
      isError: true,
      message: "only a part checked",
    });
    expect(read("part/2026-02/report.html")).toContain("Only a part was checked");
  });

  test("ends with 1 for a target that does not keep what it claims, and a baseline bears that until it is stale", () => {
    const { unexpected } = wrong.runs[0].footer;
    expect(unexpected).not.toEqual([]);
    writeFileSync(join(home, "known.yaml"), unexpected.map((id) => `- {check: ${id}, reason: known}\n`).join(""));
    expect(troupe([...always, "--only", "TSK-ID", "--baseline", "known.yaml"]).status).toBe(0);
    const kept = ["conformance", "run", "--target", "self", "--revision", "2026-02", "--only", "TSK-ID"];
    const stale = json("conformance-run", [...kept, "--baseline", "known.yaml"], { status: 1 });
    expect(stale.runs[0].footer.stale).toEqual(unexpected);
  });

  test("ends with 3 when nothing was asked, also of a target that claims nothing", () => {
    const nothing = ["conformance", "run", "--target", "self", "--revision", "2026-02", "--only", "NOTHING"];
    expect(troupe(nothing).status).toBe(3);
    expect(
      json("conformance-run", ["conformance", "run", "--target", miniature("claims-nothing")], { status: 3 }),
    ).toMatchObject({
      runs: [{ footer: { executed: 0 } }, { footer: { executed: 0 } }],
    });
  });

  test("that is killed has left what it found until then, as a report that says it is incomplete", async () => {
    const run = begin(["conformance", "run", "--target", "self", "--revision", "2026-02", "--out", "killed"], {
      TMPDIR: home,
    });
    const file = "killed/2026-02/report.ndjson";
    await untilSeen("what it found", () => existsSync(join(home, file)) && read(file).split("\n").length > 2);
    run.kill("SIGKILL");
    await once(run, "exit");
    expect(told("conformance", "report", file)).toContain("incomplete");
  });

  test("draws the calls of several processes for whoever has to find a race", () => {
    troupe([...always, "--only", "INB-RACE/a", "--out", "race"]);
    const lines = read("race/2026-02/report.ndjson")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { calls } = lines.find(({ kind }) => kind === "check").evidence;
    expect(calls.length).toBeGreaterThan(8);
    for (const { call, ret } of calls) expect(ret).toBeGreaterThan(call);
    expect(read("race/2026-02/report.html")).toContain("<svg");
  });
});

describe("conformance grade", () => {
  const plant = (name: string): string => {
    const tree: Readonly<Record<string, string>> = JSON.parse(
      readFileSync(join(packageDir, `fixtures/${name}.json`), "utf8"),
    );
    for (const [path, text] of Object.entries(tree)) {
      mkdirSync(join(home, name, dirname(path)), { recursive: true });
      writeFileSync(join(home, name, path), text, { mode: 0o600 });
    }
    return name;
  };

  test("of what a real client left ends with 0, or with 1 where a file breaks a clause", () => {
    const whole = json("conformance-grade", ["conformance", "grade", plant("2.1.326-tasks")]);
    expect(whole.runs).toMatchObject([{ revision: "2026-11", footer: { exitCode: 0, counts: { fail: 0 } } }]);
    const torn = plant("2.1.326-tmux-in-the-middle");
    const { status, stdout } = troupe(["conformance", "grade", torn]);
    const verdicts = JSON.parse(readFileSync(join(packageDir, "fixtures/verdicts.json"), "utf8"));
    const failed = Object.keys(verdicts[torn].fail);
    expect(status).toBe(failed.length > 0 ? 1 : 0);
    for (const id of failed) expect(stdout).toContain(id);
  });

  test("judges each team by its own revision, or all by the one that is named", () => {
    cpSync(sample, join(home, "sample"), { recursive: true });
    const revisionsOf = (...options: string[]) =>
      JSON.parse(troupe(["conformance", "grade", "sample", "--json", ...options]).stdout).runs.map(
        ({ revision }: { revision: string }) => revision,
      );
    expect(revisionsOf()).toEqual(["2026-02", "2026-11"]);
    expect(revisionsOf("--revision", "2026-02")).toEqual(["2026-02"]);
    troupe(["conformance", "grade", "sample", "--out", "graded"]);
    expect(JSON.parse(read("graded/2026-02/report.sarif"))).toMatchObject({ version: "2.1.0" });
  });
});

describe("conformance report", () => {
  const report = "wrong/2026-02/report.ndjson";

  test.each([
    ["x.xml", /^<\?xml .*<testsuites/s],
    ["x.tap", /^TAP version 14/],
    ["x.sarif", /^\{.*"2\.1\.0"/s],
    ["x.json", /"schemaVersion": ?1/],
    ["x.html", /^<!doctype html>.*TSK-ID/is],
  ])("writes %s", (name, content) => {
    expect(json("conformance-report", ["conformance", "report", report, name])).toEqual({ out: name });
    expect(read(name)).toMatch(content);
  });

  test("tells what failed, with its clause, what was expected, and how to see it again", () => {
    const said = told("conformance", "report", report);
    for (const words of ["TSK-ID/a", "ATP-TSK-001", "expected", "again", "--only TSK-ID/a"])
      expect(said).toContain(words);
    const { lines } = json("conformance-report", ["conformance", "report", report]);
    expect(lines.at(0).kind + lines.at(-1).kind).toBe("headerfooter");
  });

  test("of a run that was cut off says that it is incomplete", () => {
    writeFileSync(join(home, "cut.ndjson"), read(report).slice(0, -200));
    expect(told("conformance", "report", "cut.ndjson")).toContain("incomplete");
  });
});

test("conformance matrix puts reports of both revisions on one page", () => {
  const files = ["part/2026-02", "wrong/2026-02", "part/2026-11"].map((place) => `${place}/report.ndjson`);
  expect(json("conformance-matrix", ["conformance", "matrix", "matrix.html", ...files])).toEqual({
    out: "matrix.html",
    reports: 3,
  });
  for (const words of ["troupe 0.0.0", "miniature 1", "Revision 2026-02", "Revision 2026-11"])
    expect(read("matrix.html")).toContain(words);
});

describe("a wrong call", () => {
  beforeAll(() => {
    const write = (name: string, text: string) => writeFileSync(join(home, name), text);
    write("two.ndjson", read("part/2026-02/report.ndjson") + read("part/2026-11/report.ndjson"));
    write("prose", "a text\n");
    write("empty", "");
    write("torn.yaml", "name: [");
    write("poor.yaml", "name: x");
    write("nameless.yaml", "- {check: TSK-ID/a}");
    mkdirSync(join(home, "bare"));
  });

  test.each<[number, string[], string]>([
    [2, ["run"], 'say what to test: --target "python3 adapter.py"'],
    [2, ["run", "--target", "no-such-program x"], 'there is no program "no-such-program"'],
    [2, ["run", "--target", "./prose"], 'there is no program "./prose"'],
    [2, ["run", "--target", " "], 'there is no program ""'],
    [3, ["run", "--target", "absent.yaml"], "absent.yaml: there is no such file or directory"],
    [2, ["run", "--target", "torn.yaml"], "torn.yaml: "],
    [2, ["run", "--target", "poor.yaml"], "must have required property 'commands'"],
    [2, ["run", "--target", "self", "--revision", "2025-01"], "--revision takes 2026-02 or 2026-11"],
    [2, ["run", "--target", "self", "--seed", "x"], "--seed takes a whole number, not x"],
    [3, ["run", "--target", "self", "--baseline", "absent"], "absent: there is no such file or directory"],
    [
      2,
      ["run", "--target", "self", "--baseline", "nameless.yaml"],
      "entry 1 of the baseline needs a check and a reason",
    ],
    [1, ["run", "--target", "self", "--out", "prose/x"], "a part of this path is not a directory"],
    [2, ["grade"], "needs <dir>"],
    [3, ["grade", "absent"], "there is no directory"],
    [3, ["grade", "bare"], "there is no team in"],
    [2, ["report"], "needs <file>"],
    [3, ["report", "absent"], "absent: there is no such file or directory"],
    [2, ["report", "prose"], "line 1 is not a line of a conformance report"],
    [2, ["report", "empty"], "it has no header"],
    [2, ["report", "two.ndjson"], "it holds 2 reports"],
    [2, ["report", "part/2026-02/report.ndjson", "x.pdf"], "x.pdf has no known extension: use .html"],
    [2, ["matrix"], "needs <out>"],
    [2, ["matrix", "x.html"], "needs <files>"],
    [2, ["matrix", "never.html", "prose"], "line 1 is not a line of a conformance report"],
  ])("ends with %d and says why: %j", (status, args, words) => {
    expect(refusal(status, ["conformance", ...args])).toContain(words);
    expect(existsSync(join(home, "never.html"))).toBe(false);
  });
});
