import fc from "fast-check";
import { expect, test } from "vitest";
import { settingsKeys } from "./keys.ts";
import { loadSettings } from "./load.ts";
import { type SettingsSource, type SettingsText, settingsSources } from "./source.ts";

const text = (source: SettingsSource, value: unknown): SettingsText => ({
  source,
  file: `${source}.json`,
  base: "/p",
  text: typeof value === "string" ? value : JSON.stringify(value),
});
const load = (texts: readonly SettingsText[], isTrusted = true) => loadSettings({ texts, isTrusted });

test("of a value, the strongest source that says something counts, in whatever order the files are given", () => {
  for (let strongest = 0; strongest < settingsSources.length; strongest += 1) {
    const texts = settingsSources.slice(0, strongest + 1).map((source) => text(source, { model: source }));
    const loaded = load(texts.toReversed());
    expect(load(texts).settings).toEqual(loaded.settings);
    expect(loaded.settings["model"]).toBe(settingsSources[strongest]);
    expect(loaded.origins.get("/model")?.file).toBe(`${settingsSources[strongest]}.json`);
  }
});

test("rules of all sources hold together, and each knows where it comes from", () => {
  const { settings, origins } = load([
    text("user", { permissions: { allow: ["Bash(ls:*)", "Read"], deny: ["Bash(rm:*)"] } }),
    text("managed", { permissions: { deny: ["WebFetch"] } }),
    text("project", { permissions: { allow: ["Read", "Edit"] } }),
  ]);
  expect(settings.permissions).toEqual({ allow: ["Read", "Edit", "Bash(ls:*)"], deny: ["WebFetch", "Bash(rm:*)"] });
  expect(["/permissions/deny/0", "/permissions/deny/1"].map((path) => origins.get(path)?.source)).toEqual([
    "managed",
    "user",
  ]);
  expect(["/permissions/allow/0", "/permissions/allow/2"].map((path) => origins.get(path)?.source)).toEqual([
    "project",
    "user",
  ]);
});

test("variables and servers are merged by their names, hooks are gathered by event", () => {
  const hook = (command: string) => [{ hooks: [{ type: "command", command }] }];
  const { settings, origins } = load([
    text("user", { env: { A: "user", B: "user" }, mcpServers: { one: { command: "u" } }, hooks: { Stop: hook("u") } }),
    text("local", { env: { A: "local" }, mcpServers: { one: { url: "http://l" }, two: { command: "l" } } }),
    text("flag", { hooks: { Stop: hook("f"), PreToolUse: hook("f") } }),
  ]);
  expect(settings.env).toEqual({ A: "local", B: "user" });
  expect(settings.mcpServers).toEqual({ one: { url: "http://l" }, two: { command: "l" } });
  expect(settings.hooks).toEqual({ Stop: [...hook("f"), ...hook("u")], PreToolUse: hook("f") });
  expect(origins.get("/hooks/Stop/1")?.source).toBe("user");
  expect(origins.get("/env/A")?.source).toBe("local");
});

test("a value that is not sound is left out, its file and key are named, and everything else holds", () => {
  const { settings, problems } = load([
    text("user", {
      model: 3,
      cleanupPeriodDays: 30,
      env: { A: 1, B: "b" },
      permissions: { allow: "Read", deny: ["WebFetch", 7], defaultMode: "whatever" },
      hooks: { Stop: [{ hooks: [{ type: "command" }] }], PreToolUse: 5 },
      mcpServers: { bad: { command: 3 }, good: { command: "x" } },
    }),
    text("project", "{"),
    text("local", "[]"),
    { ...text("managed", {}), text: undefined, fault: "it is not a file" },
  ]);
  expect(settings).toEqual({
    permissions: { deny: ["WebFetch"] },
    cleanupPeriodDays: 30,
    env: { B: "b" },
    hooks: { Stop: [{ hooks: [] }] },
    mcpServers: { good: { command: "x" } },
  });
  const named = problems.map(({ file, path }) => `${file} ${path}`);
  const wanted =
    "/model /env/A /permissions/allow /permissions/deny/1 /permissions/defaultMode /hooks/PreToolUse /mcpServers/bad";
  for (const path of wanted.split(" ")) expect(named).toContain(`user.json ${path}`);
  for (const file of ["project.json ", "local.json ", "managed.json "]) expect(named).toContain(file);
  expect(problems.every(({ isNote }) => !isNote)).toBe(true);
});

test("a key that nobody knows is kept and mentioned softly", () => {
  const { settings, problems } = load([text("user", { futureThing: { on: true } })]);
  expect(settings["futureThing"]).toEqual({ on: true });
  expect(problems).toMatchObject([{ file: "user.json", path: "/futureThing", isNote: true }]);
});

test("a folder that is not trusted can only make things stricter, whatever key it uses, known or not", () => {
  const everything = {
    permissions: {
      allow: ["Bash"],
      additionalDirectories: ["/"],
      defaultMode: "bypassPermissions",
      deny: ["WebFetch"],
      ask: ["Write"],
      disableBypassPermissionsMode: "disable",
    },
    env: { PATH: "." },
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: "./evil" }] }] },
    mcpServers: { evil: { command: "./evil" } },
    apiKeyHelper: "./evil",
    statusLine: { type: "command", command: "./evil" },
    disableAllHooks: true,
    notYetInvented: "./evil",
  };
  for (const source of ["project", "local"] as const) {
    const { settings, origins, problems } = load([text(source, everything)], false);
    const permissions = { deny: ["WebFetch"], ask: ["Write"], disableBypassPermissionsMode: "disable" };
    expect(settings).toEqual({ permissions });
    expect([...origins.keys()].every((path) => path.startsWith("/permissions/"))).toBe(true);
    expect(problems.filter(({ message }) => message.includes("not trusted")).map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        "/permissions/allow",
        "/permissions/defaultMode",
        "/hooks/SessionStart",
        "/mcpServers/evil",
        "/env/PATH",
      ]),
    );
  }
  expect(load([text("user", everything)], false).settings.env).toEqual({ PATH: "." });
  expect(load([text("project", everything)], true).settings.hooks).toBeDefined();
});

test("some things no folder may say, trusted or not", () => {
  const { settings, problems } = load([
    text("local", { apiKeyHelper: "./evil", skipDangerousModePermissionPrompt: true }),
  ]);
  expect(settings).toEqual({ permissions: {} });
  expect(problems).toHaveLength(2);
});

test("no text makes it throw, and none that is not trusted brings a key that could run anything", () => {
  const key = fc.oneof(
    fc.constantFrom(...Object.keys(settingsKeys), "__proto__", "permissions", "constructor"),
    fc.string(),
  );
  const document = fc
    .dictionary(key, fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.jsonValue())))
    .map((one) => JSON.stringify(one));
  fc.assert(
    fc.property(fc.oneof(document, fc.string()), (written) => {
      const { settings } = load([text("project", written)], false);
      expect(Object.keys(settings).filter((name) => name !== "permissions" && name !== "$schema")).toEqual([]);
      expect(settings.permissions.allow).toBeUndefined();
    }),
  );
  const polluting = '{"__proto__":{"polluted":1},"env":{"__proto__":"x"}}';
  expect(Object.getPrototypeOf(load([text("user", polluting)]).settings)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});
