import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openFileStore, thisProcess } from "@troupe/store/files";
import { expect, test } from "vitest";
import { main, openTroupe, sample } from "./command-line.ts";
import { describeConfined } from "./runtime/confined.ts";

const { home, root, troupe, told, json, refusal } = openTroupe();

test("where nothing is wrong the end is 0, and where there is no root it is 3", () => {
  told("team", "create", "t");
  expect(told("doctor")).toMatch(/^note {4}[^\n]+\nnothing is wrong\n$/);
  expect(json("doctor", ["doctor"])).toMatchObject({ root, findings: [] });
  expect(refusal(3, ["doctor", "--root", join(home, "nowhere")])).toContain("there is no directory");
});

test("which protection holds is a note: what confines commands, or what to install and why it does not work", () => {
  const bin = join(home, "bin");
  mkdirSync(bin);
  const without = { env: { PATH: bin } };
  const missing = json("doctor", ["doctor"], without).protection;
  expect(missing).toEqual({ confinement: null, why: expect.stringContaining("is in no directory of PATH") });
  expect(troupe(["doctor"], without)).toMatchObject({
    status: 0,
    stdout: `note    read-only commands of sessions are not confined: ${missing.why}\nnothing is wrong\n`,
  });
  const program = join(bin, process.platform === "darwin" ? "sandbox-exec" : "bwrap");
  writeFileSync(program, "#!/bin/sh\necho bwrap: No permissions >&2\nexit 1\n", { mode: 0o755 });
  expect(json("doctor", ["doctor"], without).protection).toEqual({
    confinement: null,
    why: `${program} does not work here: bwrap: No permissions`,
  });
});

describeConfined("where commands can be confined", ({ name }) => {
  test("the doctor says by what", () => {
    expect(json("doctor", ["doctor"]).protection).toEqual({ confinement: name });
    expect(told("doctor")).toContain(`read-only commands of sessions run without write and network access: ${name}\n`);
  });
});

test("in a directory as a person has it what ended sessions left are notes, each with what ends it, and the end is 0", () => {
  const own = join(home, "of a person");
  const put = (path: string, text: string) => {
    mkdirSync(join(own, path, ".."), { recursive: true });
    writeFileSync(join(own, path), text);
  };
  const corpus = join(import.meta.dirname, "../packages/protocol/corpus/client/2.1.326/tmux");
  const config = JSON.parse(readFileSync(join(corpus, "019-teams__session-7525cb01__config.json"), "utf8"));
  const { pid } = spawnSync("true");
  for (let n = 10; n < 22; n += 1) {
    const name = `session-0000${n}`;
    const mine = JSON.stringify({ ...config, name }).replaceAll("session-7525cb01", name);
    const leadProcess = { ...thisProcess(), pid };
    put(`teams/${name}/config.json`, JSON.stringify({ ...JSON.parse(mine), leadProcess }, null, 2));
    put(`teams/${name}/inboxes/alice.json`, "[]");
    put(`tasks/0a1b2c3d-0000-4000-8000-0000000000${n}/.lock`, "");
    put(`tasks/0a1b2c3d-0000-4000-8000-0000000000${n}/.highwatermark`, "3");
  }
  put("projects/-home-dev-project/0a1b2c3d.jsonl", "{}\n");
  put("todos/0a1b2c3d-agent-0a1b2c3d.json", "[]");
  put("plugins/config.json", '{"repositories":{}}');
  for (const file of ["settings.json", "history.jsonl", ".credentials.json", "statsig/x", "teams/.DS_Store"])
    put(file, "{}");

  const { findings } = json("doctor", ["doctor", "--root", own]);
  expect(new Set(findings.map(({ kind, isNote }: { kind: string; isNote: boolean }) => `${kind} ${isNote}`))).toEqual(
    new Set(["member_gone true"]),
  );
  expect(findings).toHaveLength(12);
  const { command } = findings[0].remedy;
  expect(command).toBe(`troupe team delete session-000010 --force --root '${own}'`);
  const text = told("doctor", "--root", own);
  expect(text).toContain("\n2 more notes: --json lists them all\nnothing is wrong\n");
  const shell = command.replace("troupe", `"${process.execPath}" "${main}"`);
  expect(spawnSync("sh", ["-c", `${shell} --yes`], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  expect(json("doctor", ["doctor", "--root", own]).findings).toHaveLength(11);
});

test("what cannot be fixed is put aside by its command, and the end is 0 then", () => {
  told("team", "create", "torn");
  const file = join(root, "teams/torn/config.json");
  writeFileSync(file, '{"name":"torn"');
  utimesSync(file, 1, 1);
  const { findings } = json("doctor", ["doctor"], { status: 1 });
  expect(findings).toMatchObject([{ kind: "document_corrupt", remedy: { command: `mv -n ${file} ${file}.aside` } }]);
  expect(spawnSync("sh", ["-c", findings[0].remedy.command]).status).toBe(0);
  expect(json("doctor", ["doctor"]).findings).toEqual([]);
});

test("what is wrong is named, fixed on request, and what cannot be fixed is left", () => {
  cpSync(join(sample, "teams/parser-team"), join(root, "teams/parser-team"), { recursive: true });
  const lock = join(root, "teams/parser-team/inboxes/reader.json.lock");
  mkdirSync(lock);
  utimesSync(lock, 1, 1);
  writeFileSync(join(root, "teams/t/config.json"), '{"name":"t"');
  const { findings } = json("doctor", ["doctor"], { status: 1 });
  expect(findings).toContainEqual(expect.objectContaining({ kind: "lock_stale", isMendable: true, isMended: false }));
  expect(troupe(["doctor"])).toMatchObject({
    status: 1,
    stderr: "",
    stdout: expect.stringContaining(`remove it: troupe doctor --fix --root ${root}\n`),
  });
  expect(refusal(2, ["doctor", "--fix"])).toContain("This is not a terminal: use --yes");
  const fixed = json("doctor", ["doctor", "--fix", "--yes"], { status: 1 });
  expect(fixed.findings).toContainEqual(expect.objectContaining({ kind: "lock_stale", isMended: true }));
  expect(fixed.findings).toContainEqual(expect.objectContaining({ path: "teams/t/config.json", isMended: false }));
  expect(json("doctor", ["doctor"], { status: 1 }).findings).not.toContainEqual(
    expect.objectContaining({ kind: "lock_stale" }),
  );
});

test("--prune takes out whom a record is of, and no later member of that name", async () => {
  const root = join(home, "of-orphans");
  const createdAt = 1_770_000_000_000;
  const draft = { name: "crew", leadSessionId: "s", leadModel: "m", createdAt, cwd: "/p" };
  const team = await openFileStore({ root }).createTeam(draft);
  const mate = { agentType: "worker", model: "m", prompt: "p", cwd: "/p" };
  await team.join({ ...mate, name: "ann", joinedAt: createdAt + 2 });
  await team.join({ ...mate, name: "bob", joinedAt: createdAt + 1 });
  const records = join(root, "troupe/backends");
  mkdirSync(records, { recursive: true, mode: 0o700 });
  const lead = { pid: 2, startedAt: "an earlier start" };
  for (const [name, mark] of [
    ["ann", "00000000000000aa"],
    ["bob", "00000000000000bb"],
  ]) {
    const one = { backend: "in-process", team: "crew", teamCreatedAt: createdAt, name, joinedAt: createdAt + 1 };
    writeFileSync(join(records, `${mark}.json`), JSON.stringify({ mark, ...one, lead, isReady: true }), {
      mode: 0o600,
    });
  }
  json("doctor", ["doctor", "--prune", "--yes", "--root", root]);
  expect((await team.config()).value?.members.map(({ name }) => name)).toEqual(["team-lead", "ann"]);
  expect(readdirSync(records)).toEqual([]);
});
