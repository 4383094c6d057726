import { closeSync, existsSync, mkdirSync, openSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { CallQuestion, Reply } from "@troupe/team";
import { beforeEach, expect, test } from "vitest";
import { bashCall as bash, callOf as call, permitted, ruleBelow } from "../../test/permitted.ts";
import { scratch } from "../../test/scratch.ts";
import type { Advisor } from "./advice.ts";
import type { Permissions, PermissionsDeps } from "./permissions.ts";

let top: string;
let project: string;
beforeEach(() => {
  top = scratch();
  project = join(top, "project");
  mkdirSync(project);
});

const rule = (...said: Parameters<ReturnType<typeof ruleBelow>>) => ruleBelow(top)(...said);
const create = (more: Partial<PermissionsDeps> = {}) => permitted(project, top, more);
const write = (path: string) => call("Write", { path }, () => [{ kind: "write", path }]);
const read = (path: string) => call("Read", { path }, () => [{ kind: "read", path }]);
const { signal } = new AbortController();

test("what is granted to an agent or to whom it starts holds for both; a mode is each one's own, within its session's, but for one that bubbles", async () => {
  const badge = { name: "ann" };
  const parent = create();
  const child = parent.within({ cwd: project, mode: "dontAsk", badge });
  const bubbling = parent.within({ cwd: project, mode: "bubble", badge });
  const all = [parent, child, bubbling];
  const modes = () => all.map((one) => one.mode());
  parent.setMode("acceptEdits");
  expect(modes()).toEqual(["acceptEdits", "dontAsk", "acceptEdits"]);
  await child.apply([{ type: "setMode", mode: "default", destination: "session" }]);
  expect(modes()).toEqual(["acceptEdits", "default", "acceptEdits"]);
  bubbling.setMode("plan");
  expect(modes()).toEqual(["plan", "plan", "plan"]);
  const judged = () =>
    all.map(({ judge }) => [bash("make"), read(join(top, "a"))].map((one) => judge(one).behavior).join());
  parent.setMode("default");
  expect(judged()).toEqual(["ask,ask", "ask,ask", "ask,ask"]);
  const rules = [{ toolName: "Bash", ruleContent: "make:*" }];
  await child.apply([{ type: "addRules", rules, behavior: "allow", destination: "session" }]);
  expect(judged()).toEqual(["allow,ask", "allow,ask", "allow,ask"]);
  await parent.apply([{ type: "addDirectories", directories: [top], destination: "session" }]);
  expect(judged()).toEqual(["allow,allow", "allow,allow", "allow,allow"]);
  const bound = create({ isBypassAvailable: false }).within({ cwd: project, mode: "bypassPermissions", badge });
  expect(bound.mode()).toBe("default");
});

const modeOf = ({ mode }: Permissions) => mode();

test("whatever the session's mode becomes bounds every agent at every call, those below agents and forks too, and coming back restores theirs", () => {
  const badge = { name: "ann" };
  const session = create({ mode: "acceptEdits" });
  const editor = session.within({ cwd: project, mode: "acceptEdits", badge });
  const below = editor.within({ cwd: project, mode: "acceptEdits", badge });
  const careful = below.within({ cwd: project, mode: "default", badge });
  const wide = careful.within({ cwd: project, mode: "bypassPermissions", badge });
  const follower = editor.within({ cwd: project, mode: undefined, badge });
  const fork = session.within({ cwd: project, mode: "bubble", badge });
  const all = [editor, below, careful, wide, follower, fork];
  const judged = () => all.map(({ judge }) => judge(write(join(project, "a"))).behavior);
  const before = ["acceptEdits", "acceptEdits", "default", "default", "acceptEdits", "acceptEdits"];
  expect(all.map(modeOf)).toEqual(before);
  expect(judged()).toEqual(["allow", "allow", "ask", "ask", "allow", "allow"]);
  session.setMode("plan");
  expect(judged()).toEqual(all.map(() => "deny"));
  session.setMode("dontAsk");
  expect([all.map(modeOf), judged()]).toEqual([all.map(() => "dontAsk"), all.map(() => "deny")]);
  session.setMode("default");
  expect(judged()).toEqual(all.map(() => "ask"));
  session.setMode("acceptEdits");
  expect(all.map(modeOf)).toEqual(before);
});

test("what a person grants to one agent lets it do more than its session, until the mode of the session is set anew", async () => {
  const badge = { name: "ann" };
  const session = create();
  const child = session.within({ cwd: project, mode: "default", badge });
  const other = session.within({ cwd: project, mode: "acceptEdits", badge });
  const grant = () => child.apply([{ type: "setMode", mode: "acceptEdits", destination: "session" }]);
  grant();
  expect([session, child, other].map(modeOf)).toEqual(["default", "acceptEdits", "default"]);
  session.setMode("plan");
  grant();
  expect(modeOf(child)).toBe("plan");
  session.setMode("default");
  expect(modeOf(child)).toBe("default");
  grant();
  expect(modeOf(child)).toBe("acceptEdits");
});

test("the mode of a session may win over definitions, that of an agent over none, and a person's word to one agent over both", async () => {
  const bounds = { winning: ["acceptEdits"], reach: "acceptEdits" } as const;
  const at = { cwd: project, badge: { name: "ann" }, bounds };
  const session = create();
  const editor = session.within({ ...at, mode: "acceptEdits" });
  const careful = editor.within({ ...at, mode: "default" });
  expect([editor, careful].map(modeOf)).toEqual(["acceptEdits", "default"]);
  session.setMode("acceptEdits");
  expect([editor, careful].map(modeOf)).toEqual(["acceptEdits", "acceptEdits"]);
  await careful.apply([{ type: "setMode", mode: "plan", destination: "session" }]);
  expect([editor, careful].map(modeOf)).toEqual(["acceptEdits", "plan"]);
});

test("an agent that plans asks nobody where it or whoever started it asks nobody", () => {
  const at = { cwd: project, badge: { name: "ann" } };
  const judged = ({ judge }: Permissions) => judge(read(join(top, "a"))).behavior;
  const silent = create({ mode: "dontAsk" });
  const planning = create({ mode: "plan" });
  const agents = [silent.within({ ...at, mode: "plan" }), planning.within({ ...at, mode: "dontAsk" })];
  expect(agents.map(modeOf)).toEqual(["plan", "plan"]);
  expect(agents.map(judged)).toEqual(["deny", "deny"]);
  expect(judged(planning.within({ ...at, mode: "plan" }))).toBe("ask");
});

test("in a copy of the project what is forbidden there is forbidden as well, and what is allowed there is not", () => {
  const copy = join(top, "copy");
  mkdirSync(copy);
  const shared = ["Read(./plain)", "Read(/rooted)"].map((text) => ({ ...rule("deny", text), base: project }));
  const rules = [
    ...shared,
    { ...rule("ask", "Read(./asked)"), base: project },
    { ...rule("allow", "Edit(/src/**)"), base: project },
    { ...rule("deny", "Read(/theirs)"), base: join(top, "home") },
  ];
  const { judge } = create({ rules }).within({ cwd: copy, mode: "default", badge: { name: "ann" } });
  const judged = (directory: string, ...names: string[]) =>
    names.map((name) => judge(read(join(directory, name))).behavior);
  for (const directory of [project, copy])
    expect(judged(directory, "plain", "rooted", "asked")).toEqual(["deny", "deny", "ask"]);
  expect(judged(copy, "theirs", "other")).toEqual(["allow", "allow"]);
  expect([...judged(join(top, "home"), "theirs"), ...judged(project, "other")]).toEqual(["deny", "ask"]);
  const written = [project, copy].map((directory) => judge(write(join(directory, "src/a"))).behavior);
  expect(written).toEqual(["allow", "ask"]);
});

test("what is denied at an absolute place of the project is denied in every copy of it, also to those who look from outside", () => {
  const worktree = join(project, ".claude/worktrees/fix");
  const copy = join(top, "copy");
  for (const directory of [worktree, copy]) mkdirSync(directory, { recursive: true });
  const texts = [`Read(/${project}/secrets/**)`, "Read(~/project/keys.txt)", `Edit(/${project}/dist/**)`];
  const session = create({ rules: texts.map((text) => rule("deny", text)), mode: "bypassPermissions" });
  const within = (cwd: string) => session.within({ cwd, mode: "bypassPermissions", badge: { name: "ann" } });
  const judged = ({ judge }: Permissions, at: string) =>
    [read(join(at, "secrets/a")), read(join(at, "keys.txt")), write(join(at, "dist/a")), read(join(at, "dist/a"))].map(
      (one) => judge(one).behavior,
    );
  const forbidden = ["deny", "deny", "deny", "allow"];
  for (const [agent, at] of [
    [session, project],
    [session, worktree],
    [within(worktree), worktree],
    [within(worktree), join(project, ".claude/worktrees/other")],
    [within(copy), copy],
    [within(copy), project],
  ] as const)
    expect(judged(agent, at)).toEqual(forbidden);
  expect(judged(session, copy)).toEqual(["allow", "allow", "allow", "allow"]);
});

test("what is denied is denied by every way that leads this process there", () => {
  const here = process.cwd();
  const session = create({ mode: "bypassPermissions", rules: [rule("deny", `Read(/${here}/package.json)`)] });
  const hasProc = existsSync("/proc/self/cwd");
  const ways = [
    `${here}/package.json`,
    ...(hasProc ? ["/proc/self/cwd/package.json", `/proc/self/root${here}/package.json`] : []),
  ];
  const file = openSync(join(here, "package.json"), "r");
  if (existsSync("/proc/self/fd")) ways.push(`/dev/fd/${file}`, `/proc/self/fd/${file}`);
  try {
    expect(ways.map((path) => session.judge(read(path)).behavior)).toEqual(ways.map(() => "deny"));
  } finally {
    closeSync(file);
  }
  expect(session.judge(read(`${here}/tsconfig.json`)).behavior).toBe("allow");
});

test("an agent works in its own directory and those granted to it, and not where a link leads out of them", () => {
  const [copy, more] = ["copy", "more"].map((name) => join(top, name)) as [string, string];
  for (const directory of [copy, more]) mkdirSync(directory);
  symlinkSync(top, join(project, "out"));
  const parent = create({ directories: [more] });
  const child = parent.within({ cwd: copy, mode: "default", badge: { name: "ann" } });
  const paths = [project, join(project, "new"), join(more, "a"), copy, top, join(project, "out"), `${project}s`];
  const covered = (covers: (path: string) => boolean) => paths.map(covers);
  expect(covered(parent.covers)).toEqual([true, true, true, false, false, false, false]);
  expect(covered(child.covers)).toEqual([false, false, true, true, false, false, false]);
});

test("whoever answers for an agent answers for it alone, and its parent is asked with its badge", async () => {
  const heard: string[] = [];
  const answering =
    (name: string, message?: string) =>
    async ({ from }: CallQuestion): Promise<Reply | undefined> => {
      heard.push(`${name} ${from?.name}`);
      return message === undefined ? undefined : { behavior: "deny", message, interrupt: true };
    };
  const asking = async (question: CallQuestion) => (await answering("person", "no")(question)) as Reply;
  const interrupted = (name: string) => () => void heard.push(`${name} is interrupted`);
  const parent = create({ ask: asking, interrupt: interrupted("parent") });
  const at = { cwd: project, mode: "default", badge: { name: "ann" }, interrupt: interrupted("ann") } as const;
  const permit = ({ permit: ask }: typeof parent, advisor: Advisor) => ask(bash("make"), advisor, signal);
  await permit(parent.within(at), {});
  expect(heard.splice(0)).toEqual(["person ann", "ann is interrupted"]);
  await permit(parent.within(at), { answer: answering("ann's", "never") });
  expect(heard.splice(0)).toEqual(["ann's undefined", "ann is interrupted"]);
  await permit(
    parent.within({ ...at, ask: async (question) => (await answering("judge", "no")(question)) as Reply }),
    {},
  );
  expect(heard.splice(0)).toEqual(["judge undefined", "ann is interrupted"]);
  await permit(parent, { answer: answering("parent's") });
  expect(heard).toEqual(["parent's undefined", "person undefined", "parent is interrupted"]);
});
