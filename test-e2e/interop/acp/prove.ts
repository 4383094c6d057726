import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Checks } from "../checks.ts";
import { order } from "./orders.ts";
import { type Heard, type LiveProcess, type LiveStage, until } from "./stage.ts";

/** Proves one agent as a teammate of a lead of ours. */
export async function proveAgent(agent: string, stage: LiveStage, { check }: Pick<Checks, "check">): Promise<void> {
  const { ask, heard, cwd, processes } = stage;
  const from = (name: string, words: string) => (one: Heard) => one.from === name && one.text.includes(words);
  const hears = (name: string, words: string, since = 0) =>
    until(stage, `${JSON.stringify(words)} of ${name}`, () => heard.slice(since).find(from(name, words)));
  const backend = `acp-${agent}`;
  const spawn = (name: string, what: string) => ask("spawn_member", { name, prompt: what, backend });
  const tell = (name: string, what: string) => ask("send_message", { to: name, message: what });

  const question = (since: number) =>
    until(stage, "a question at the lead", () =>
      heard.slice(since).find((one): one is Question => one.request?.kind === "permission"),
    );

  /** Allows whatever is asked until there is something: an order for the team runs no command. */
  async function allowing(what: string, look: () => unknown) {
    const asked = new Map<string, string>();
    const since = heard.length;
    await until(stage, what, async () => {
      for (const { request, text } of heard.slice(since))
        if (request && !asked.has(request.id)) {
          asked.set(request.id, text);
          await ask("answer_request", { id: request.id, approve: true });
        }
      return look();
    });
    if (asked.size === 0) return undefined;
    const isNamed = [...asked.values()].every((text) => /send_message|claim_task|complete_task/.test(text));
    return `asks the lead whether it may use a tool of the team${isNamed ? "" : ", and does not say which"}`;
  }

  await check("starts as a teammate, and what it says last reaches the lead", async () => {
    const begun = Date.now();
    await spawn("bob", order("say", "hello"));
    const ready = Date.now() - begun;
    await hears("bob", "said hello");
    return `at work after ${(ready / 1_000).toFixed(1)} s`;
  });
  await check("writes to its lead through our MCP server, under its name", async () => {
    await tell("bob", order("mail", "part A is finished"));
    return allowing("the message of bob", () =>
      heard.find((one) => one.from === "bob" && one.text === "part A is finished"),
    );
  });
  await check("takes a task and finishes it", async () => {
    const { task } = (await ask("create_task", { subject: "Paint the fence" })) as { task: { id: string } };
    await tell("bob", order("task", task.id));
    return allowing("the task done by bob", async () => {
      const found = (await ask("get_task", { id: task.id })) as { task: { status: string; owner?: string } };
      return found.task.status === "completed" && found.task.owner === "bob";
    });
  });
  for (const approve of [true, false])
    await check(
      approve ? "a command that the lead allows runs" : "a command that the lead denies does not run",
      async () => {
        const since = heard.length;
        const file = `${approve ? "allowed" : "denied"}.txt`;
        await tell("bob", order("run", `printf green > ${file}`));
        const asked = await question(since);
        if (existsSync(join(cwd, file))) throw new Error("it ran before the lead had answered");
        if (!asked.text.includes(file)) throw new Error(`the lead is not told what it is asked about: ${asked.text}`);
        const before = heard.length;
        await ask("answer_request", { id: asked.request.id, approve, note: approve ? undefined : "not now" });
        await until(stage, "the end of its turn", () =>
          heard.slice(before).find(({ from, text }) => from === "bob" && text.includes("idle_notification")),
        );
        if (existsSync(join(cwd, file)) !== approve)
          throw new Error(approve ? "it did not run" : "it ran all the same");
        return undefined;
      },
    );
  await check("asked to end it agrees, and nothing of it runs any more", async () => {
    await ask("stop_member", { name: "bob" });
    await until(stage, "the end of all its processes", () => processes().length === 0);
    return undefined;
  });

  const states: readonly (readonly [string, (name: string) => Promise<void>])[] = [
    [
      "it is idle",
      (name) =>
        spawn(name, order("say", `hello of ${name}`))
          .then(() => hears(name, `hello of ${name}`))
          .then(() => {}),
    ],
    [
      "its model thinks",
      (name) =>
        spawn(name, order("hold", name))
          .then(() => delay(2_000))
          .then(() => {}),
    ],
    [
      "it waits for the lead's answer",
      async (name) => {
        const since = heard.length;
        await spawn(name, order("run", `printf red > ${name}.txt`));
        await question(since);
      },
    ],
    [
      "a command of it runs",
      async (name) => {
        const since = heard.length;
        await spawn(name, order("run", `sleep 321 > ${name}.txt`));
        const { request } = await question(since);
        await ask("answer_request", { id: request.id, approve: true });
        await until(stage, "its command", () => processes().some(({ words }) => words.startsWith("sleep 321")));
      },
    ],
  ];
  for (const [n, [state, reach]] of states.entries())
    await check(`killed while ${state}: the lead is told, and nothing of it is left`, async () => {
      const name = `ann${n}`;
      await reach(name);
      const since = heard.length;
      for (const { pid } of agentsOf(processes(), name)) process.kill(pid, "SIGKILL");
      await until(stage, "the notice of its end", () =>
        heard.slice(since).find(({ text }) => text.includes(name) && /ended|killed|terminated/.test(text)),
      );
      await until(stage, "the end of all its processes", () => processes().length === 0);
      const { members } = (await ask("team_status")) as { members: readonly { name: string }[] };
      if (members.some((one) => one.name === name)) throw new Error("it is in the team still");
      return undefined;
    });
}

type Question = Heard & { readonly request: NonNullable<Heard["request"]> };

/** What the host of a member started, which is the agent itself. */
function agentsOf(processes: readonly LiveProcess[], name: string): readonly LiveProcess[] {
  const host = processes.find(
    ({ words }) =>
      words.includes(" teammate ") && words.includes(`--agent-name ${name} `) && !words.startsWith("/bin/sh"),
  );
  const found = processes.filter(({ parent, words }) => parent === host?.pid && !words.includes(" mcp "));
  if (found.length === 0)
    throw new Error(`no process of ${name} among ${processes.map(({ words }) => words).join("; ")}`);
  return found;
}
