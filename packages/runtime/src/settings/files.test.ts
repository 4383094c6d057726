import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadSettings } from "./load.ts";
import { readSettings } from "./source.ts";
import { openTrust } from "./trust.ts";
import { amendSettings } from "./write.ts";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "settings-")));
});
afterEach(() => rmSync(top, { recursive: true }));

const put = (path: string, text: string): string => {
  const file = join(top, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

test("every file is found where it lies, and a strong one wins over a weak one", () => {
  put("root/settings.json", '{"model":"user","agent":"user"}');
  put("project/.claude/settings.json", '{"model":"project","teammateMode":"project"}');
  put("project/.claude/settings.local.json", '{"model":"local","plansDirectory":"local"}');
  put("project/.mcp.json", '{"mcpServers":{"one":{"command":"x"}}}');
  const managed = put("managed.json", '{"model":"managed"}');
  const places = { root: join(top, "root"), project: join(top, "project") };
  const load = (more: object) =>
    loadSettings({ texts: readSettings({ ...places, ...more }), isTrusted: true }).settings;
  expect(load({})).toMatchObject({ model: "local", agent: "user", teammateMode: "project", mcpServers: { one: {} } });
  expect(load({ flag: '{"model":"flag"}' })["model"]).toBe("flag");
  expect(load({ flag: '{"model":"flag"}', managed })["model"]).toBe("managed");
});

test("a settings file that leads to a device or a directory is not opened and is a problem", () => {
  const folder = join(top, "project", ".claude");
  mkdirSync(join(folder, "settings.local.json"), { recursive: true });
  symlinkSync("/dev/zero", join(folder, "settings.json"));
  const texts = readSettings({ root: join(top, "root"), project: join(top, "project") });
  expect(loadSettings({ texts, isTrusted: true }).problems.map(({ message }) => message)).toEqual([
    "the settings cannot be read: it is not a file",
    "the settings cannot be read: it is not a file",
  ]);
});

test("settings keep the mode that somebody gave them, and new ones are their owner's alone", async () => {
  const modeOf = (file: string) => statSync(file).mode & 0o777;
  const file = join(top, "a/settings.json");
  await amendSettings(file, "env", () => ({ A: "1" }));
  expect(modeOf(file)).toBe(0o600);
  for (const mode of [0o666, 0o644, 0o440]) {
    chmodSync(file, mode);
    expect(await amendSettings(file, "env", () => ({ A: String(mode) }))).toBeUndefined();
    expect(modeOf(file)).toBe(mode);
  }
});

test("settings that are a pipe or a device are not written, and nobody waits for them", async () => {
  mkdirSync(join(top, "a"));
  execFileSync("mkfifo", [join(top, "a/pipe.json")]);
  symlinkSync("/dev/zero", join(top, "a/zero.json"));
  expect(await amendSettings(join(top, "a/pipe.json"), "env", () => ({}))).toContain("is a pipe");
  expect(await amendSettings(join(top, "a/zero.json"), "env", () => ({}))).toContain("is a device");
});

test("a folder is trusted by where it really lies, with all that is below it, until it is not any more", () => {
  const project = join(top, "project");
  mkdirSync(join(project, "below"), { recursive: true });
  mkdirSync(join(top, "project-other"));
  symlinkSync(project, join(top, "link"));
  symlinkSync(join(top, "project-other"), join(project, "out"));
  const trust = openTrust(join(top, "root"));
  expect(trust.isTrusted(project)).toBe(false);
  trust.trust(join(top, "link"));
  const again = openTrust(join(top, "root"));
  for (const folder of [project, join(project, "below"), join(top, "link", "below")])
    expect(again.isTrusted(folder)).toBe(true);
  for (const folder of [top, join(top, "project-other"), join(project, "out"), join(project, "nowhere")]) {
    expect(again.isTrusted(folder)).toBe(false);
  }
  again.distrust(project);
  expect(trust.isTrusted(project)).toBe(false);
  expect(() => trust.trust(join(top, "nowhere"))).toThrow(expect.objectContaining({ code: "arguments_invalid" }));
});

test("a file in the store of trusted folders that says something else trusts nothing", () => {
  const project = join(top, "project");
  mkdirSync(project);
  const trust = openTrust(join(top, "root"));
  trust.trust(project);
  const store = join(top, "root", "troupe", "trusted");
  const [file = ""] = readdirSync(store);
  for (const text of ["", "{}", "[]", '{"folder":"/"}', "nonsense"]) {
    writeFileSync(join(store, file), text);
    expect(trust.isTrusted(project)).toBe(false);
  }
});

test("a change leaves the rest of the file and a link to it as they are, and nothing else behind", async () => {
  const file = put("dotfiles/settings.json", '{"zebra":1,"permissions":{"allow":["Read"]},"__proto__":{"a":1}}');
  symlinkSync(file, join(top, "link.json"));
  const add = (found: Readonly<Record<string, unknown>>) => ({ ...found, deny: ["Write"] });
  expect(await amendSettings(join(top, "link.json"), "permissions", add)).toBeUndefined();
  const wanted = '{"zebra":1,"permissions":{"allow":["Read"],"deny":["Write"]},"__proto__":{"a":1}}';
  expect(JSON.stringify(JSON.parse(readFileSync(file, "utf8")))).toBe(wanted);
  expect(readFileSync(join(top, "link.json"), "utf8")).toBe(readFileSync(file, "utf8"));
  expect(readdirSync(join(top, "dotfiles"))).toEqual(["settings.json"]);
  expect(await amendSettings(join(top, "new", "settings.json"), "permissions", add)).toBeUndefined();
  expect(JSON.parse(readFileSync(join(top, "new", "settings.json"), "utf8"))).toEqual({
    permissions: { deny: ["Write"] },
  });
});

test("a file that is not understood is not written", async () => {
  for (const text of ["{", "[]", '{"permissions":[]}', '{"big":9007199254740993}']) {
    const file = put("settings.json", text);
    expect(await amendSettings(file, "permissions", () => ({}))).toContain("fix it first");
    expect(readFileSync(file, "utf8")).toBe(text);
  }
  expect(await amendSettings(join(put("plain", ""), "settings.json"), "permissions", () => ({}))).toContain(
    "cannot be written",
  );
});
