import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bashCall as bash, callOf as call, permitted, ruleBelow } from "../../test/permitted.ts";
import type { PendingCall } from "../loop/tool.ts";
import { loadSettings } from "../settings/load.ts";
import { grantedBy } from "./from-settings.ts";
import type { PermissionsDeps } from "./permissions.ts";

let top: string;
let project: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "permissions-")));
  project = join(top, "project");
  mkdirSync(project);
});
afterEach(() => rmSync(top, { recursive: true }));

const rule = (...said: Parameters<ReturnType<typeof ruleBelow>>) => ruleBelow(top)(...said);
const create = (more: Partial<PermissionsDeps> = {}) => permitted(project, top, more);
const write = (path: string) => call("Write", { path }, (input) => [{ kind: "write", ...(input as { path: string }) }]);
const read = (path: string) => call("Read", { path }, (input) => [{ kind: "read", ...(input as { path: string }) }]);
const fetched = (url: string) => call("WebFetch", { url }, () => [{ kind: "url", url }]);
const { signal } = new AbortController();

test("[ATP-PRM-004] [PPROT-09] with edits accepted, reading in the project asks nobody, and every access outside it asks", () => {
  const { judge } = create({ mode: "acceptEdits" });
  expect(judge(read(join(project, "a"))).behavior).toBe("allow");
  expect(judge(write(join(project, "a"))).behavior).toBe("allow");
  for (const outside of [bash(`mkdir ${top}/x`), write(join(top, "x")), read(join(top, "x"))]) {
    expect(judge(outside).behavior).toBe("ask");
  }
});

test("[PPROT-04] [PPROT-05] [PPROT-06] a question suggests the directories, the mode or the rule that would spare the next one", () => {
  const suggested = (one: PendingCall) => create().judge(one).suggestions;
  expect(suggested(bash(`mkdir ${top}/x`))).toEqual([
    { type: "addDirectories", directories: [top, join(top, "x")], destination: "session" },
  ]);
  expect(suggested(write(join(project, "a")))).toEqual([
    { type: "setMode", mode: "acceptEdits", destination: "session" },
  ]);
  const allow = (toolName: string, ruleContent?: string) => [
    {
      type: "addRules",
      rules: [{ toolName, ...(ruleContent && { ruleContent }) }],
      behavior: "allow",
      destination: "session",
    },
  ];
  expect(suggested(read(join(top, "other", "a")))).toEqual(allow("Read", `/${top}/other/**`));
  expect(suggested(bash("npm run test -- --watch"))).toEqual(allow("Bash", "npm run test -- --watch"));
  expect(suggested(fetched("https://Example.com./x"))).toEqual(allow("WebFetch", "domain:example.com"));
  expect(suggested(call("mcp__s__t", {}))).toEqual(allow("mcp__s__t"));
  for (const none of [bash("eval x"), bash("npm $x"), write(join(project, ".git/config"))])
    expect(suggested(none) ?? []).toEqual([]);
});

test("whatever a question suggests is enough: with all of it granted, the same call asks nobody", async () => {
  const calls = [
    bash('a "b c" *'),
    bash("a > /dev/null; b"),
    write(join(project, "a")),
    read(join(top, "o", "a")),
    fetched("http://a.b"),
    call("mcp__s__t", {}),
  ];
  for (const one of calls) {
    const permissions = create();
    const { behavior, suggestions = [] } = permissions.judge(one);
    expect(behavior).toBe("ask");
    expect(await permissions.apply(suggestions)).toEqual([]);
    expect(permissions.judge(one).behavior, JSON.stringify(one.input)).toBe("allow");
  }
});

test("a rule that denies wins in every mode, over every other rule and over a hook that allows", async () => {
  const rules = [rule("allow", "Bash"), rule("allow", "*"), rule("ask", "Bash"), rule("deny", "Bash(rm:*)")];
  for (const mode of [
    "default",
    "manual",
    "auto",
    "acceptEdits",
    "plan",
    "dontAsk",
    "bypassPermissions",
    "delegate",
    "bubble",
  ] as const) {
    const permissions = create({ rules, mode, ask: async () => ({ behavior: "allow" }) });
    expect(permissions.judge(bash("ls && rm x")).behavior, mode).toBe("deny");
    const allowing = { before: async () => ({ behavior: "allow" }) as const };
    expect(await permissions.permit(bash("rm x"), allowing, signal)).toMatchObject({ runs: false });
  }
});

test("[PERM-12] [PERM-13] [PERM-17] default asks before a change, acceptEdits accepts edits, and plan changes nothing but plans", () => {
  const change = write(join(project, "a"));
  expect(create().judge(change).behavior).toBe("ask");
  expect(create({ mode: "acceptEdits" }).judge(change).behavior).toBe("allow");
  const planning = create({
    mode: "plan",
    plans: join(top, "plans"),
    rules: [rule("allow", "Write"), rule("allow", "Bash")],
  });
  expect([change, bash("touch a"), bash("make")].map((one) => planning.judge(one).behavior)).toEqual([
    "deny",
    "deny",
    "deny",
  ]);
  expect(planning.judge(write(join(top, "plans", "a.md"))).behavior).toBe("allow");
  expect(planning.judge(bash("ls")).behavior).toBe("allow");
});

test("[PERM-14] in the mode delegate only what hands work on runs, and starting an agent asks in no mode", () => {
  const delegating = create({ mode: "delegate", rules: [rule("allow", "*")] });
  for (const one of [read(join(project, "a")), bash("ls"), call("mcp__s__t", {})])
    expect(delegating.judge(one).behavior).toBe("deny");
  for (const name of ["Agent", "Task", "SendMessage", "TaskCreate", "TaskUpdate"]) {
    expect(delegating.judge(call(name, {})).behavior).toBe("allow");
    expect(create().judge(call(name, {})).behavior).toBe("allow");
  }
});

test("bypassPermissions is there only for who has enabled it, and rules that ask hold in it", async () => {
  expect(create({ mode: "bypassPermissions" }).judge(bash("x")).behavior).toBe("allow");
  const asking = create({ mode: "bypassPermissions", rules: [rule("ask", "Bash(x:*)")] });
  expect(asking.judge(bash("x")).behavior).toBe("ask");
  const none = create({ mode: "bypassPermissions", isBypassAvailable: false });
  expect(none.mode()).toBe("default");
  expect(none.setMode("bypassPermissions")).toContain("not enabled");
  expect(await none.apply([{ type: "setMode", mode: "bypassPermissions", destination: "session" }])).toHaveLength(1);
  expect(none.judge(bash("x")).behavior).toBe("ask");
});

test("[PERM-01] [PERM-02] a rule about a type of agent denies that type under either name of the tool, and no other", () => {
  for (const text of ["Agent(explorer)", "Task(explorer, planner)"]) {
    const { judge } = create({ rules: [rule("deny", text)] });
    expect(judge(call("Agent", { subagent_type: "explorer" })).behavior).toBe("deny");
    expect(judge(call("Task", { subagent_type: "explorer" })).behavior).toBe("deny");
    expect(judge(call("Agent", { subagent_type: "reviewer" })).behavior).toBe("allow");
  }
});

test("rules about servers, addresses and skills cover what they name", () => {
  const behaviors = (text: string, ...calls: PendingCall[]) =>
    calls.map((one) => create({ rules: [rule("allow", text)] }).judge(one).behavior);
  const tools = [call("mcp__a__b", {}), call("mcp__a__c", {}), call("mcp__ab__b", {})];
  expect(behaviors("mcp__a", ...tools)).toEqual(["allow", "allow", "ask"]);
  expect(behaviors("mcp__a__*", ...tools)).toEqual(["allow", "allow", "ask"]);
  expect(behaviors("mcp__a__b", ...tools)).toEqual(["allow", "ask", "ask"]);
  const urls = [
    "https://example.com/x",
    "https://EXAMPLE.com.",
    "https://a.example.com",
    "https://example.com.evil.org",
    "https://example.com@evil.org",
    "x",
  ].map(fetched);
  expect(behaviors("WebFetch(domain:example.com)", ...urls)).toEqual(["allow", "allow", "ask", "ask", "ask", "ask"]);
  expect(behaviors("WebFetch(domain:*.example.com)", ...urls)).toEqual(["ask", "ask", "allow", "ask", "ask", "ask"]);
  expect(behaviors("Skill(deploy:*)", call("Skill", { skill: "deploy" }), call("Skill", { skill: "deploys" }))).toEqual(
    ["allow", "ask"],
  );
});

test("a rule that cannot be read allows nothing, and one to deny stands for the tool it mentions", () => {
  const permissions = create({ rules: [rule("allow", "Bash(ls"), rule("deny", "WebFetch(")] });
  expect(permissions.problems()).toHaveLength(2);
  expect(permissions.judge(bash("make")).behavior).toBe("ask");
  expect(permissions.judge(fetched("http://a.b")).behavior).toBe("deny");
});

test("updates hold for the session or are written where they want to be kept, and what is not understood is refused", async () => {
  const files = new Map([["localSettings", join(project, ".claude", "settings.local.json")]]);
  const permissions = create({ files, rules: [rule("deny", "Bash(rm:*)", "managed")] });
  const rules = [{ toolName: "Bash", ruleContent: "make:*" }];
  const update = (type: string, destination: string) => ({ type, rules, behavior: "allow", destination });
  expect(
    await permissions.apply([
      update("addRules", "localSettings"),
      { type: "addDirectories", directories: [top], destination: "localSettings" },
    ]),
  ).toEqual([]);
  const written = () => JSON.parse(readFileSync(files.get("localSettings") ?? "", "utf8")) as unknown;
  expect(written()).toEqual({ permissions: { allow: ["Bash(make:*)"], additionalDirectories: [top] } });
  expect(permissions.judge(bash("make")).behavior).toBe("allow");
  expect(permissions.judge(read(join(top, "a"))).behavior).toBe("allow");
  expect(await permissions.apply([update("removeRules", "session")])).toEqual([]);
  expect(permissions.judge(bash("make")).behavior).toBe("allow");
  expect(
    await permissions.apply([
      update("removeRules", "localSettings"),
      { type: "removeDirectories", directories: [top], destination: "session" },
    ]),
  ).toEqual([]);
  expect(permissions.judge(bash("make")).behavior).toBe("ask");
  expect(permissions.judge(read(join(top, "a"))).behavior).toBe("ask");
  expect(written()).toEqual({ permissions: { allow: [], additionalDirectories: [top] } });
  const strange = [
    { type: "growWings" },
    { type: "setMode", mode: "fast", destination: "session" },
    { type: "addDirectories", directories: ["relative"], destination: "session" },
    { ...update("addRules", "session"), rules: [{ toolName: "Bash", ruleContent: "ls)(" }] },
    { ...update("addRules", "session"), behavior: "shrug" },
  ];
  expect(await permissions.apply(strange)).toHaveLength(strange.length);
  expect(
    await permissions.apply([{ type: "replaceRules", rules: [], behavior: "deny", destination: "session" }]),
  ).toEqual([]);
  expect(permissions.judge(bash("rm x")).behavior).toBe("deny");
});

test("what settings say holds with the paths of the file they stand in, and of an untrusted folder only what is stricter", () => {
  const texts = (["user", "project"] as const).map((source) => ({
    source,
    file: `${source}.json`,
    base: source === "user" ? join(top, "root") : project,
    text: JSON.stringify({
      permissions: {
        allow: ["Edit(/src/**)"],
        deny: ["Read(/secret)"],
        additionalDirectories: ["../more"],
        defaultMode: "acceptEdits",
      },
    }),
  }));
  const judged = (isTrusted: boolean, only: string, one: PendingCall) => {
    const loaded = loadSettings({ texts: texts.filter(({ source }) => only.includes(source)), isTrusted });
    return create(grantedBy(loaded, { project, home: top, mode: "default" })).judge(one).behavior;
  };
  expect(judged(true, "user", write(join(top, "root", "src", "a")))).toBe("allow");
  expect(judged(true, "user", read(join(top, "root", "secret")))).toBe("deny");
  for (const one of [write(join(project, "src", "a")), write(join(project, "a")), write(join(top, "more", "a"))]) {
    expect([judged(true, "project", one), judged(false, "project", one)]).toEqual(["allow", "ask"]);
  }
  expect(judged(false, "project", read(join(project, "secret")))).toBe("deny");
});

test("in plan mode a tool whose reach is not known runs only if it says that it reads and a rule allows it", () => {
  const named = (name: string, isReadOnly?: boolean) => {
    const one = call(name, {});
    return isReadOnly === undefined ? one : { ...one, tool: { ...one.tool, isReadOnly } };
  };
  const judged = (mode: "plan" | "default", rules: string[]) =>
    [undefined, false, true].map(
      (isReadOnly) =>
        create({ mode, rules: rules.map((text) => rule("allow", text)) }).judge(named("mcp__box__put", isReadOnly))
          .behavior,
    );
  for (const allowing of ["mcp__box__put", "mcp__box", "mcp__*", "*"]) {
    expect(judged("plan", [allowing])).toEqual(["deny", "deny", "allow"]);
    expect(judged("default", [allowing])).toEqual(["allow", "allow", "allow"]);
  }
  expect(judged("plan", [])).toEqual(["deny", "deny", "ask"]);
});

test("a rule that forbids may call a server as the settings do, and one that allows means the server whose name it is alone", () => {
  const judged = (behavior: "allow" | "deny", text: string) =>
    create({ rules: [rule(behavior, text)] }).judge(call("mcp__github__push", {})).behavior;
  for (const name of ["mcp__github", "mcp__github.", "mcp__github.__push", "mcp__.github"])
    expect(judged("deny", name)).toBe("deny");
  for (const name of ["mcp__github.", "mcp__github.__push"]) expect(judged("allow", name)).toBe("ask");
  expect(judged("allow", "mcp__github")).toBe("allow");
});
