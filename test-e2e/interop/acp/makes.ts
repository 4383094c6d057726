import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { startProcess } from "@troupe/process";
import { type Checks, expectSame } from "../checks.ts";
import { order } from "./orders.ts";
import { type LiveStage, until } from "./stage.ts";

export interface MakesDeps {
  readonly stage: LiveStage;
  /** `main.js` of the command line. */
  readonly troupe: string;
  readonly repository: string;
  /** Agents over ACP, by the names of their presets. */
  readonly agents: readonly string[];
  readonly perMember: number;
}

/** What takes a task and finishes it; false where somebody else has it. */
interface Worker {
  readonly name: string;
  /** It has a way to take a task that is refused where another member has it. */
  readonly canClaim: boolean;
  take(id: string): Promise<boolean>;
  write(text: string): Promise<void>;
  end(): Promise<void>;
}

/** One list of tasks for a session of ours, an MCP client, a Python program and agents over ACP. */
export async function proveMakes(deps: MakesDeps, { check }: Pick<Checks, "check">): Promise<void> {
  const { stage, agents, perMember } = deps;
  const { ask, heard, processes } = stage;
  const workers: Worker[] = [];
  await check("a session of ours, an MCP client, a Python program and agents over ACP join one team", async () => {
    workers.push(await clientOf(deps), await pythonOf(deps));
    for (const [name, backend] of [["ours", "process"], ...agents.map((one) => [one, `acp-${one}`])] as const)
      workers.push(await agentOf(stage, name, backend));
    return workers.map(({ name }) => name).join(", ");
  });
  const create = async (subject: string) => {
    const { task } = (await ask("create_task", { subject })) as { readonly task: { readonly id: string } };
    return task.id;
  };
  await check("each finishes tasks of the one list, and of what all try for one has each", async () => {
    const own = new Map<string, string>();
    for (const { name } of workers) for (let n = 0; n < perMember; n++) own.set(await create(`${name} ${n}`), name);
    const shared: string[] = [];
    for (let n = 0; n < perMember; n++) shared.push(await create(`shared ${n}`));
    const won = await Promise.all(
      workers.map(async ({ name, canClaim, take }) => {
        for (const [id, owner] of own) if (owner === name) expectSame(`task ${id}`, await take(id), true);
        const mine: string[] = [];
        if (canClaim) for (const id of shared) if (await take(id)) mine.push(id);
        return mine;
      }),
    );
    expectSame("the tasks that were won", won.flat().sort(), [...shared].sort());
    for (const [at, ids] of won.entries()) for (const id of ids) own.set(id, workers[at]?.name ?? "");
    const { tasks } = (await ask("list_tasks")) as { readonly tasks: readonly Record<string, string>[] };
    const found = tasks.map(({ id = "", status, owner }) => [id, status, owner]);
    const expected = [...own].map(([id, owner]) => [id, "completed", owner]);
    expectSame("the list", found.sort(byFirst), expected.sort(byFirst));
    return `${found.length} tasks`;
  });
  await check("what each writes reaches the lead once, under its name and no other", async () => {
    await Promise.all(workers.map(({ name, write }) => write(`words of ${name}`)));
    const expected = workers.map(({ name }) => [name, `words of ${name}`]);
    const words = () => heard.filter(({ text }) => text.startsWith("words of ")).map(({ from, text }) => [from, text]);
    await until(stage, "the words of all", () => words().length >= expected.length);
    expectSame("the words", words().sort(byFirst), expected.sort(byFirst));
    return undefined;
  });
  await check("all leave, and nothing of them runs any more", async () => {
    for (const { end } of workers) await end();
    await until(stage, "the end of all processes", () => processes().length === 0);
    const { members } = (await ask("team_status")) as { readonly members: readonly { readonly name: string }[] };
    expectSame(
      "the members",
      members.map(({ name }) => name),
      ["team-lead"],
    );
    return undefined;
  });
}

const byFirst = ([a = ""]: readonly (string | undefined)[], [b = ""]: readonly (string | undefined)[]) =>
  a < b ? -1 : 1;

/** A teammate of the lead, whose model does what the lead writes to it. */
async function agentOf(stage: LiveStage, name: string, backend: string): Promise<Worker> {
  const { ask, heard } = stage;
  await ask("spawn_member", { name, prompt: order("say", "ready"), backend });
  const answered = new Set<string>();
  const patiently = <T>(what: string, look: () => T | Promise<T>) =>
    until(stage, what, async () => {
      for (const { from, request } of heard)
        if (from === name && request?.kind === "permission" && !answered.has(request.id)) {
          answered.add(request.id);
          await ask("answer_request", { id: request.id, approve: true });
        }
      return look();
    });
  const bid = async (what: string) => {
    const before = heard.length;
    await ask("send_message", { to: name, message: what });
    await patiently(`${name} at rest after ${what}`, () =>
      heard.slice(before).some(({ from, text }) => from === name && text.includes("idle_notification")),
    );
  };
  await patiently(`${name} ready`, () => heard.some(({ from, text }) => from === name && text.includes("idle_notif")));
  return {
    name,
    // The tools of the reference client set an owner over another one.
    canClaim: backend !== "process",
    async take(id) {
      await bid(order("task", id));
      const { task } = (await ask("get_task", { id })) as { readonly task: { readonly owner?: string } };
      return task.owner === name;
    },
    write: (text) => bid(order("mail", text)),
    end: async () => {
      await ask("stop_member", { name, force: true });
    },
  };
}

/** The official client of MCP, as a member. It cannot say that it is another. */
async function clientOf({ stage, troupe }: MakesDeps): Promise<Worker> {
  const client = new Client({ name: "mia", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  const { cwd, environment, root } = stage;
  const args = [troupe, "mcp", "--team", "crew", "--root", root, "--as", "mia"];
  const env = { ...environment };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: "inherit" }));
  const call = (name: string, given: Record<string, unknown>) => client.callTool({ name, arguments: given });
  await call("read_mail", {});
  return {
    name: "mia",
    canClaim: true,
    async take(id) {
      if ((await call("claim_task", { id })).isError) return false;
      return !(await call("complete_task", { id })).isError;
    },
    write: async (message) => void (await call("send_message", { to: "lead", message, from: "ours" })),
    end: () => client.close(),
  };
}

/** The store in Python, which knows nothing of ours but the files. */
async function pythonOf({ stage, repository }: MakesDeps): Promise<Worker> {
  const adapter = join(repository, "packages/conformance/foreign/python/adapter.py");
  const { cwd, root, environment } = stage;
  const store = { AGENT_TEAMS_HOME: root, CONFORMANCE_REVISION: "2026-11" };
  const running = startProcess({
    program: "python3",
    args: [adapter],
    cwd,
    environment: { ...environment, ...store },
    hasInput: true,
  });
  const answers = createInterface({ input: running.output })[Symbol.asyncIterator]();
  let id = 0;
  const call = async (method: string, params: object): Promise<boolean> => {
    running.input?.write(`${JSON.stringify({ id: ++id, method, params })}\n`);
    const { value } = await answers.next();
    const { error } = JSON.parse(value ?? '{"error":"it has ended"}');
    if (error && method !== "task.claim") throw new Error(`${method}: ${JSON.stringify(error)}`);
    return error === undefined;
  };
  const [name, team] = ["py", "crew"];
  await call("hello", { revision: "2026-11" });
  const member = { name, agentType: "writer", model: "none", prompt: "", cwd, backend: "in-process" };
  await call("member.add", { team, ...member });
  return {
    name,
    canClaim: true,
    async take(task) {
      if (!(await call("task.claim", { team, agent: name, id: task }))) return false;
      return call("task.update", { team, id: task, status: "completed" });
    },
    write: async (text) => void (await call("inbox.append", { team, agent: "team-lead", from: name, text })),
    async end() {
      await call("member.remove", { team, name });
      await running.end();
    },
  };
}
