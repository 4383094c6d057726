import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Revision } from "@troupe/protocol";
import type { Team } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../scripts/awaited.ts";
import { ended, expectSchema, main, openTroupe } from "./command-line.ts";

const { begin, refusal } = openTroupe();

async function stage(revision: Revision = "2026-02"): Promise<{ readonly root: string; readonly team: Team }> {
  const root = mkdtempSync(join(tmpdir(), "troupe-mcp-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const store = openFileStore({ root });
  onTestFinished(() => store.close());
  const at = { createdAt: Date.now(), cwd: root };
  return {
    root,
    team: await store.createTeam({ ...at, name: "crew", leadSessionId: "s", leadModel: "m", revision }),
  };
}

interface Connection {
  readonly client: Client;
  readonly pid: number;
  ask(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
}

/** A client that starts `troupe mcp` as clients do. */
async function connect(root: string, ...flags: readonly string[]): Promise<Connection> {
  const args = [main, "mcp", "--root", root, "--team", "crew", ...flags];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" });
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, pid: transport.pid ?? 0, ask: asking(client) };
}

const asking =
  (client: Client): Connection["ask"] =>
  async (name, args = {}) => {
    const { isError, content, structuredContent } = await client.callTool({ name, arguments: args });
    if (isError) throw new Error(JSON.stringify(content));
    return structuredContent as Record<string, unknown>;
  };

const namesIn = async (team: Team) => ((await team.config()).value?.members ?? []).map(({ name }) => name);

test.each(["2026-02", "2026-11"] as const)(
  "%s: two clients are members while they are connected: they talk, share a task, and are gone when they close",
  async (revision) => {
    const { root, team } = await stage(revision);
    const [ann, bob] = await Promise.all([connect(root, "--as", "ann"), connect(root, "--as", "bob")]);
    await Promise.all([ann.ask("team_status"), bob.ask("read_mail")]);
    expect((await namesIn(team)).sort()).toEqual(["ann", "bob", "team-lead"]);
    const waiting = bob.ask("read_mail", { wait_seconds: 50 });
    const { task } = (await ann.ask("create_task", { subject: "Paint the fence", owner: "bob" })) as {
      task: { id: string };
    };
    await ann.ask("send_message", { to: "bob", message: "It is green." });
    const heard = [JSON.stringify(await waiting)];
    if (!heard.join().includes("green")) heard.push(JSON.stringify(await bob.ask("read_mail", { wait_seconds: 50 })));
    expect(heard.join()).toContain("It is green.");
    await bob.ask("complete_task", task);
    expect(await ann.ask("list_tasks", { status: "completed" })).toMatchObject({ tasks: [{ owner: "bob" }] });
    await Promise.all([ann.client.close(), bob.client.close()]);
    await untilSeen("the team without the clients", async () => (await namesIn(team)).length === 1);
  },
);

test("the mail of a client that is killed stays, and the next process of the same name has it", async () => {
  const { root, team } = await stage();
  const ann = await connect(root, "--as", "ann");
  await ann.ask("read_mail");
  await (await team.as("team-lead")).send("ann", { text: "kept" });
  expect(await ann.ask("read_mail")).toMatchObject({ messages: [{ text: "kept" }] });
  process.kill(ann.pid, "SIGKILL");
  const again = await connect(root, "--as", "ann");
  expect(await again.ask("read_mail")).toMatchObject({ messages: [{ text: "kept" }] });
});

test("the server of an agent whose mail comes in another way ends with its client, after calls too", async () => {
  const { root, team } = await stage();
  await team.join({ name: "bob", agentType: "acp", model: "m", prompt: "", joinedAt: 1, cwd: root });
  const served = begin(["mcp", "--root", root, "--team", "crew", "--as", "bob", "--without-mail"]);
  const over = ended(served);
  const say = (message: object) => served.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const call = (id: number, name: string, args: object) =>
    say({ id, method: "tools/call", params: { name, arguments: args } });
  const clientInfo = { name: "agent", version: "1" };
  say({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  call(2, "send_message", { to: "lead", message: "one" });
  call(3, "send_message", { to: "lead", message: "two" });
  await untilSeen("its words", async () => ((await team.mail("team-lead").page()).value ?? []).length === 2);
  served.stdin.end();
  expect(await awaited("its end", over)).toMatchObject({ status: 0 });
});

test("of eight clients that claim forty tasks each task has one owner, and none is left", async () => {
  const { root, team } = await stage();
  for (let at = 0; at < 40; at++) await team.tasks.create({ subject: `task ${at}`, description: "" });
  const names = Array.from({ length: 8 }, (_, at) => `m${at}`);
  const won = await Promise.all(
    names.map(async (name) => {
      const { ask } = await connect(root, "--as", name);
      const mine: string[] = [];
      for (;;) {
        const { task } = (await ask("claim_task")) as { task?: { id: string; owner: string } };
        if (!task) return mine;
        expect(task.owner).toBe(name);
        mine.push(task.id);
      }
    }),
  );
  expect(won.flat().sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 40 }, (_, at) => `${at + 1}`));
  for (const [at, ids] of won.entries())
    for (const id of ids) expect((await team.tasks.get(id)).value?.owner).toBe(names[at]);
});

test("over HTTP a client is served on the loopback interface to whom has the token, and the port is free afterwards", async () => {
  const { root } = await stage();
  const token = "secret-of-the-test";
  const served = begin(["mcp", "--root", root, "--team", "crew", "--as", "ann", "--http", "0", "--json"], {
    TROUPE_MCP_TOKEN: token,
  });
  const over = ended(served);
  const [said] = (await once(served.stdout, "data")) as [Buffer];
  const listening = JSON.parse(String(said));
  expectSchema("mcp", listening);
  expect(listening).not.toHaveProperty("token");
  const { url } = listening;
  expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
  const client = new Client({ name: "test", version: "1.0.0" });
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  expect(await asking(client)("team_status")).toMatchObject({ you: "ann" });
  await client.close();
  served.kill("SIGTERM");
  expect(await over).toMatchObject({ status: 143 });
  await expect(fetch(url)).rejects.toThrow();
});

test.each([
  [["mcp"], "mcp needs --team NAME: troupe team list shows all", 2],
  [["mcp", "--team", "nobody"], "there is no team nobody", 3],
  [["mcp", "--team", "crew", "--as", "ann", "--observe"], "leave out one of --as and --observe", 2],
  [["mcp", "--team", "crew", "--as", "../x"], "../x", 2],
  [["mcp", "--team", "crew", "--http", "x"], '--http takes a port from 0 to 65535, not "x"', 2],
] as const)("troupe %j says what is wrong with it", async (args, message, status) => {
  const { root } = await stage();
  expect(refusal(status, [...args, "--root", root])).toContain(message);
});
