import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fault, type MessagesRequest, type Rule, startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../scripts/awaited.ts";
import { main } from "./command-line.ts";
import { openLeads, usedIn } from "./led-team.ts";
import { killAll, processesOf } from "./processes.ts";
import { describeWith } from "./require.ts";

const { home, root, told, troupe, troupeBeside, noServer } = openLeads();
const records = join(root, "troupe/backends");
const agent = join(import.meta.dirname, "../packages/backends/test/acp-agent.mjs");

interface Mail {
  readonly from: string;
  readonly text: string;
  readonly notes?: readonly string[];
  readonly request?: { readonly id: string; readonly kind: string };
}

interface Leading {
  readonly pid: number;
  readonly client: Client;
  /** The data of an answer; rejects with what an error says. */
  ask(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Reads mail until there is such a message. */
  hears(what: string, wanted: (mail: Mail) => unknown): Promise<Mail>;
  states(): Promise<Readonly<Record<string, string | undefined>>>;
}

const send = (message: object | string) => [toolUse("SendMessage", { to: "team-lead", summary: "a word", message })];
const said = ({ messages }: MessagesRequest) => JSON.stringify(messages);

/** Agrees to end when it is asked to, and works as the rule says before. */
const agreeable =
  (rule: (request: MessagesRequest) => ReturnType<typeof send> | string): Rule =>
  (request) => {
    const [, id] = /request_?[iI]d[^a-z]*(shutdown-\d+@\w+)/.exec(said(request)) ?? [];
    if (said(request).includes('"message":{"type":"shutdown_response"')) return "I end.";
    if (id !== undefined) return send({ type: "shutdown_response", request_id: id, approve: true });
    return rule(request);
  };

/** Paints once it may, and reports what it was told with that. */
const painting = agreeable((request) => {
  const used = usedIn(request);
  if (!used.includes("Bash")) return [toolUse("Bash", { command: "printf green > fence.txt", description: "paint" })];
  if (used.includes("SendMessage") || !said(request).includes("stay on the path")) return "I wait.";
  return send("It is painted from the path.");
});

/** A team with no session, and clients that start a server to lead it, one after the other. */
async function stage(team: string, rule: Rule, revision = "2026-02") {
  const fake = await startFakeAnthropic({ rule });
  onTestFinished(() => fake.close());
  told("team", "create", team, "--revision", revision);
  const environment = {
    HOME: home,
    PATH: `${agentInPath()}:${process.env["PATH"]}`,
    TMUX_TMPDIR: home,
    ANTHROPIC_API_KEY: "of-no-use",
    ANTHROPIC_BASE_URL: fake.url,
    GEMINI_API_KEY: "of-no-use",
  };

  async function lead(...flags: readonly string[]): Promise<Leading> {
    const args = [main, "mcp", "--root", root, "--team", team, "--lead", ...flags];
    const transport = new StdioClientTransport({ command: process.execPath, args, env: environment, stderr: "ignore" });
    const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(transport);
    onTestFinished(() => client.close());
    const ask: Leading["ask"] = async (name, given = {}) => {
      const { isError, content, structuredContent } = await client.callTool({ name, arguments: given });
      if (isError) throw new Error(JSON.stringify(content));
      return structuredContent as Record<string, unknown>;
    };
    const states = async () => {
      const { members } = (await ask("team_status")) as { members: { name: string; state?: string }[] };
      return Object.fromEntries(members.map(({ name, state }) => [name, state]));
    };
    async function hears(what: string, wanted: (mail: Mail) => unknown): Promise<Mail> {
      const looking = async () => {
        for (;;) {
          const { messages } = (await ask("read_mail", { wait_seconds: 50 })) as { messages: Mail[] };
          const found = messages.find((one) => wanted(one));
          if (found) return found;
        }
      };
      return awaited(what, looking());
    }
    return { pid: transport.pid ?? 0, client, ask, hears, states };
  }
  onTestFinished(() => {
    killAll(processesOf(root));
  });
  /** What runs of the team, by name. */
  const running = (): Readonly<
    Record<string, { readonly backend: string; readonly process: { readonly pid: number } }>
  > =>
    Object.fromEntries(
      (existsSync(records) ? readdirSync(records) : [])
        .filter((file) => file.endsWith(".json"))
        .map((file) => JSON.parse(readFileSync(join(records, file), "utf8")))
        .filter((record) => record.team === team)
        .map((record) => [record.name, record]),
    );
  return { fake, lead, running };
}

/** A directory of PATH in which an agent is called gemini. */
function agentInPath(): string {
  const directory = join(home, "bin");
  mkdirSync(directory, { recursive: true });
  const program = join(directory, "gemini");
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${agent} "$@"\n`);
  chmodSync(program, 0o755);
  return directory;
}

test.each(["2026-02", "2026-11"] as const)(
  "%s: a client leads: it starts a process, allows what that asks with a note, hears its report, and ends it in order",
  async (revision) => {
    const { lead, running } = await stage(`led-${revision}`, painting, revision);
    const { ask, hears, states } = await lead("--cwd", home);
    expect(await ask("spawn_member", { name: "bob", prompt: "paint the fence", model: "haiku" })).toMatchObject({
      name: "bob",
      backend: "process",
    });
    const { request } = await hears("bob's question", (mail) => mail.request?.kind === "permission");
    await ask("answer_request", { id: request?.id, approve: true, note: "stay on the path" });
    await hears("bob's report", ({ text }) => text === "It is painted from the path.");
    expect(await ask("stop_member", { name: "bob", reason: "done" })).toEqual({ name: "bob", ended: false });
    const { from } = await hears("bob's word", ({ text }) => text.includes("shutdown_approved"));
    expect(from).toBe("bob");
    expect(Object.keys(await states())).toEqual(["team-lead"]);
    await untilSeen("the end of bob", () => Object.keys(running()).length === 0);
  },
);

test("of a lead that is killed the teammates work on; its next process goes on with them, hears who died meanwhile and of each end after", async () => {
  const { lead, running } = await stage("left", () => fault.stalled("I begin", 1));
  const first = await lead();
  for (const name of ["ann", "bob", "carol"]) await first.ask("spawn_member", { name, prompt: "wait", model: "haiku" });
  const { task } = (await first.ask("create_task", { subject: "Paint", owner: "bob" })) as { task: { id: string } };
  process.kill(first.pid, "SIGKILL");
  process.kill(running()["bob"]?.process.pid ?? 0, "SIGKILL");
  const { ask, hears, states } = await lead();
  await hears("the end of bob", ({ from, text }) => from === "team-lead" && text.startsWith("bob has ended while"));
  expect(Object.keys(await states())).toEqual(["team-lead", "ann", "carol"]);
  expect(await ask("get_task", task)).toMatchObject({ task: { status: "pending" } });
  process.kill(running()["ann"]?.process.pid ?? 0, "SIGKILL");
  await hears("the end of ann", ({ text }) => text.startsWith("ann has ended without a word"));
  expect(await ask("stop_member", { name: "carol", force: true })).toEqual({ name: "carol", ended: true });
  expect([running(), Object.keys(await states())]).toEqual([{}, ["team-lead"]]);
});

test("a client that goes away leaves its teammates at work, and a person ends them", async () => {
  const { lead, running } = await stage(
    "gone",
    agreeable(() => "I wait."),
  );
  const { ask, client } = await lead();
  await ask("spawn_member", { name: "bob", prompt: "wait", model: "haiku" });
  await client.close();
  expect(Object.keys(running())).toEqual(["bob"]);
  const { status, stdout } = await troupeBeside(["shutdown", "gone", "bob", "--json"]);
  expect([status, JSON.parse(stdout).members]).toEqual([0, [{ name: "bob", outcome: "ended", reason: null }]]);
});

test("what the command line does not allow, no call can: backends, modes, more teammates, other names, a second lead", async () => {
  const { lead, running } = await stage("bound", () => "I wait.");
  const { ask, client } = await lead("--most", "1");
  await ask("read_mail");
  const second = await lead();
  const refused = expect(second.ask("read_mail")).rejects.toThrow("lock_unavailable");
  const start = { prompt: "wait", model: "haiku" };
  await expect(ask("spawn_member", { ...start, name: "bob", backend: "tmux" })).rejects.toThrow("process alone");
  await expect(ask("spawn_member", { ...start, name: "bob", backend: "acp-gemini" })).rejects.toThrow("--backend");
  for (const name of ["../bob", "team-lead", "everyone\u0000", "a/b"])
    await expect(ask("spawn_member", { ...start, name })).rejects.toThrow();
  await expect(ask("spawn_member", { ...start, name: "bob", agent_type: "../x" })).rejects.toThrow(
    "no agent definition",
  );
  expect(running()).toEqual({});
  const { tools } = await client.listTools();
  const spawning = tools.find(({ name }) => name === "spawn_member")?.inputSchema.properties ?? {};
  expect(Object.keys(spawning).sort()).toEqual(["agent_type", "backend", "model", "name", "prompt"]);
  const asked = ["bob", "carol", "dave"].map((name) =>
    ask("spawn_member", { ...start, name, permission_mode: "bypassPermissions", cwd: "/" }),
  );
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBeLessThan(2);
  expect(Object.keys(running()).length).toBeLessThan(2);
  expect(processesOf("bypassPermissions")).toEqual([]);
  await refused;
  expect(await ask("read_mail")).toEqual({ messages: expect.any(Array) });
});

test.each([
  [["--lead", "--as", "bob"], {}, "leave out one of --as and --lead"],
  [["--backend", "process"], {}, "--backend is about the teammates that a lead starts: add --lead"],
  [["--lead", "--backend", "screen"], {}, "choose one of process, tmux, acp-"],
  [["--lead", "--most", "many"], {}, '--most takes a number of teammates, not "many"'],
  [["--lead"], { TROUPE_TEAMMATE: "x" }, "a teammate runs this command"],
] as const)("troupe mcp %j is refused (%j)", (flags, env, message) => {
  told("team", "create", "refused");
  onTestFinished(() => void told("team", "delete", "refused", "--yes"));
  const { status, stderr } = troupe(["mcp", "--team", "refused", ...flags], { env });
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test("a teammate of another make is one of a client that leads, if the command line says so", async () => {
  const { lead, running } = await stage("makes", () => "I wait.");
  const { ask, hears } = await lead("--backend", "process", "--backend", "acp-gemini", "--cwd", home);
  await ask("spawn_member", { name: "gem", prompt: "do: mail", backend: "acp-gemini" });
  expect(running()).toMatchObject({ gem: { backend: "acp-gemini" } });
  await hears("gem's mail", ({ from, text }) => from === "gem" && !text.startsWith("{"));
  expect(await ask("stop_member", { name: "gem", force: true })).toEqual({ name: "gem", ended: true });
  await untilSeen("the end of its agent", () => processesOf(agent).length === 0);
});

describeWith("tmux", "in panes", () => {
  test("a client that leads starts a teammate in a pane of tmux, and ends it with its pane", async () => {
    const { lead, running } = await stage("panes", () => "I wait.");
    const { ask } = await lead("--backend", "tmux");
    expect(await ask("spawn_member", { name: "bob", prompt: "wait", model: "haiku" })).toMatchObject({
      backend: "tmux",
    });
    expect(running()).toMatchObject({ bob: { backend: "tmux", pane: expect.stringMatching(/^%\d+$/) } });
    expect(await ask("stop_member", { name: "bob", force: true })).toEqual({ name: "bob", ended: true });
    expect(running()).toEqual({});
    await noServer();
  });
});
