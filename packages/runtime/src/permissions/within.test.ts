import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { bashCall as bash, callOf as call, permitted, ruleBelow } from "../../test/permitted.ts";
import { scratch } from "../../test/scratch.ts";
import type { Question, Reply } from "./ask.ts";
import type { PermissionsDeps } from "./permissions.ts";

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

test("what is granted to an agent or to whom it starts holds for both; a mode is each one's own, but for one that bubbles", () => {
  const badge = { name: "ann" };
  const parent = create();
  const child = parent.within({ cwd: project, mode: "dontAsk", badge });
  const bubbling = parent.within({ cwd: project, mode: "bubble", badge });
  const all = [parent, child, bubbling];
  const modes = () => all.map((one) => one.mode());
  parent.setMode("acceptEdits");
  expect(modes()).toEqual(["acceptEdits", "dontAsk", "acceptEdits"]);
  child.apply([{ type: "setMode", mode: "default", destination: "session" }]);
  bubbling.setMode("plan");
  expect(modes()).toEqual(["plan", "default", "plan"]);
  const judged = () =>
    all.map(({ judge }) => [bash("make"), read(join(top, "a"))].map((one) => judge(one).behavior).join());
  parent.setMode("default");
  expect(judged()).toEqual(["ask,ask", "ask,ask", "ask,ask"]);
  const rules = [{ toolName: "Bash", ruleContent: "make:*" }];
  child.apply([{ type: "addRules", rules, behavior: "allow", destination: "session" }]);
  expect(judged()).toEqual(["allow,ask", "allow,ask", "allow,ask"]);
  parent.apply([{ type: "addDirectories", directories: [top], destination: "session" }]);
  expect(judged()).toEqual(["allow,allow", "allow,allow", "allow,allow"]);
  const bound = create({ isBypassAvailable: false }).within({ cwd: project, mode: "bypassPermissions", badge });
  expect(bound.mode()).toBe("default");
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
    async ({ from }: Question): Promise<Reply | undefined> => {
      heard.push(`${name} ${from?.name}`);
      return message === undefined ? undefined : { behavior: "deny", message, interrupt: true };
    };
  const asking = async (question: Question) => (await answering("person", "no")(question)) as Reply;
  const interrupted = (name: string) => () => void heard.push(`${name} is interrupted`);
  const parent = create({ ask: asking, answer: answering("parent's"), interrupt: interrupted("parent") });
  const at = { cwd: project, mode: "default", badge: { name: "ann" }, interrupt: interrupted("ann") } as const;
  const permit = ({ permit: ask }: typeof parent) => ask(bash("make"), {}, signal);
  await permit(parent.within(at));
  expect(heard.splice(0)).toEqual(["person ann", "ann is interrupted"]);
  await permit(parent.within({ ...at, answer: answering("ann's", "never") }));
  expect(heard.splice(0)).toEqual(["ann's undefined", "ann is interrupted"]);
  await permit(parent.within({ ...at, ask: async (question) => (await answering("judge", "no")(question)) as Reply }));
  expect(heard.splice(0)).toEqual(["judge undefined", "ann is interrupted"]);
  await permit(parent);
  expect(heard).toEqual(["parent's undefined", "person undefined", "parent is interrupted"]);
});
