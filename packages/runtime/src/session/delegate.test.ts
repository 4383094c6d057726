import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { add, company } from "../../test/company.ts";
import { turn } from "../../test/sessions.ts";

const create = toolUse("TeamCreate", { team_name: "crew" });
const work = (cwd: string) => [
  toolUse("Bash", { command: "echo one" }),
  toolUse("Read", { file_path: join(cwd, "a.txt") }),
  toolUse("Glob", { pattern: "*.txt" }),
  toolUse("Grep", { pattern: "two" }),
];
const coordination = [
  toolUse("TaskCreate", { subject: "Parse", description: "all" }),
  toolUse("TaskGet", { taskId: "1" }),
  toolUse("TaskUpdate", { taskId: "1", status: "in_progress" }),
  toolUse("TaskList", {}),
];
const edits = (cwd: string) => [
  toolUse("Write", { file_path: join(cwd, "b.txt"), content: "x" }),
  toolUse("Edit", { file_path: join(cwd, "a.txt"), old_string: "two", new_string: "three" }),
];

/** A lead of the team crew, with what it does in each of its later turns. */
async function leading(turns: (cwd: string) => readonly ReturnType<typeof toolUse>[][], mode = "acceptEdits") {
  let nth = 0;
  const all = await company(
    {
      "": (said) => {
        if (!said.includes("turn now")) return "Done.";
        nth += 1;
        return nth === 1 ? [create] : [...(turns(all.cwd)[nth - 2] ?? [])];
      },
    },
    { mode: mode as "acceptEdits", isBypassAvailable: true },
  );
  writeFileSync(join(all.cwd, "a.txt"), "two");
  await turn(all.lead, "turn now");
  /** The results of one more turn: what each says, and whether it is an error. */
  const next = async () => {
    await turn(all.lead, "turn now");
    const { messages } = all.requestsOf("").at(-1) ?? { messages: [] };
    const results = messages.at(-1)?.content.filter(({ type }) => type === "tool_result") ?? [];
    return results.map(({ content, is_error }) => {
      const texts = (content as { text: string }[]).map(({ text }) => text);
      return { said: texts[0] ?? "", reminder: texts.slice(1).join(), isError: is_error === true };
    });
  };
  return { ...all, next };
}

test("[DELEG-04] [ATP-DLG-001] [DELEG-03] a lead that delegates is refused every tool but those that coordinate", async () => {
  const { lead, next } = await leading((cwd) => [
    [...work(cwd), ...edits(cwd)],
    [...coordination, add("ann")],
  ]);
  lead.delegate(true);
  const refused = await next();
  expect(refused).toHaveLength(6);
  for (const { said, isError } of refused) {
    expect(said).toContain("delegate mode does not run");
    expect(isError).toBe(true);
  }
  expect((await next()).map(({ isError }) => isError)).toEqual([false, false, false, false, false]);
});

test("[ATP-DLG-003] while a lead delegates, a reminder behind every result names the team and the five tools it has", async () => {
  const { lead, next } = await leading((cwd) => [work(cwd), [...coordination, add("ann")]]);
  lead.delegate(true);
  for (const { reminder } of [...(await next()), ...(await next())]) {
    expect(reminder).toContain("## Delegate Mode");
    expect(reminder).toContain('the team "crew"');
    expect(reminder.match(/^- (\w+)/gm)).toEqual(
      ["TeammateTool", "TaskCreate", "TaskGet", "TaskUpdate", "TaskList"].map((name) => `- ${name}`),
    );
  }
});

test("[DELEG-06] when it leaves delegate mode every tool is back at once, in the mode before, and nothing reminds it", async () => {
  const { lead, next, requestsOf } = await leading((cwd) => [work(cwd), [...work(cwd), ...edits(cwd)]]);
  const tools = () => requestsOf("").at(-1)?.["tools"];
  const before = tools();
  lead.delegate(true);
  expect((await next()).every(({ isError }) => isError)).toBe(true);
  expect(tools()).toEqual(before);
  lead.delegate(false);
  expect(lead.permissions.mode()).toBe("acceptEdits");
  const back = await next();
  expect(back.map(({ said, isError, reminder }) => [isError, reminder, said.slice(0, 40)])).toMatchObject(
    Array.from({ length: 6 }, () => [false, "", expect.any(String)]),
  );
  lead.delegate(false);
  expect(lead.permissions.mode()).toBe("acceptEdits");
});

test.each(["acceptEdits", "bypassPermissions", "default"])(
  "[DELEG-05] [ATP-DLG-002] [DELEG-01] a teammate of a lead in %s is the same whether the lead delegates or not, and works",
  async (mode) => {
    const { lead, next, specs, store, requestsOf } = await leading(() => [[add("ann")], [add("bob")]], mode);
    await next();
    lead.delegate(true);
    expect(lead.permissions.mode()).toBe("delegate");
    await next();
    const [ann, bob] = specs.map((spec) => ({ ...spec, name: "", prompt: "", color: "", joinedAt: 0 }));
    expect(bob).toEqual(ann);
    expect(bob).toMatchObject({ mode });
    const config = (await (await store.openTeam("crew"))?.config())?.value;
    expect(JSON.stringify(config)).not.toContain("delegate");
    expect(JSON.stringify(requestsOf("bob"))).not.toContain("Delegate Mode");
  },
);
