import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { type AgentContext, client, methods, ndJsonStream, type PromptResponse } from "@agentclientprotocol/sdk";
import { fault, type MessagesRequest, type Rule, startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../scripts/awaited.ts";
import { main, openTroupe } from "./command-line.ts";
import { usedIn } from "./led-team.ts";

const { home } = openTroupe();

interface Session {
  readonly sessionId: string;
  readonly modes?: { readonly currentModeId: string };
}

/** An editor that shows what it is told, and answers permissions with an option of this kind. */
async function editor(rule: Rule, kind = "allow_once", options: readonly string[] = [], key = "of-no-use") {
  const fake = await startFakeAnthropic({ rule });
  onTestFinished(() => fake.close());
  const cwd = mkdtempSync(join(home, "project-"));
  const env = { PATH: process.env["PATH"], HOME: home, ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: fake.url };
  const child = spawn(process.execPath, [main, "acp", ...options], { cwd, env });
  const over = once(child, "close");
  onTestFinished(async () => {
    child.kill();
    await over;
  });
  const said: Record<string, unknown>[] = [];
  const asked: Record<string, unknown>[] = [];
  const connection = client({ name: "editor" })
    .onNotification(methods.client.session.update, ({ params }) => void said.push(params.update as never))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params.toolCall as never);
      const option = params.options.find((one) => one.kind === kind);
      return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
    })
    .connect(ndJsonStream(Writable.toWeb(child.stdin) as never, Readable.toWeb(child.stdout) as never));
  const { agent } = connection;
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  const open = () => agent.request<Session>(methods.agent.session.new, { cwd, mcpServers: [] });
  const words = () =>
    said.flatMap(({ sessionUpdate, content }) =>
      sessionUpdate === "agent_message_chunk" ? [(content as { text: string }).text] : [],
    );
  return { agent, fake, cwd, said, asked, words, open, child, over, connection };
}

const prompt = (agent: AgentContext | Awaited<ReturnType<typeof editor>>["agent"], sessionId: string, text: string) =>
  (agent as Awaited<ReturnType<typeof editor>>["agent"]).request<PromptResponse>(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: "text", text }],
  });

const writing: Rule = (request: MessagesRequest) =>
  usedIn(request).length === 0
    ? [toolUse("Bash", { command: "printf green > fence.txt", description: "paint" })]
    : "The fence is green.";

test("an editor prompts a session, is asked before a command runs, sees the call and the words, and the file is there", async () => {
  const { agent, cwd, said, asked, words, open } = await editor(writing);
  const { sessionId, modes } = await open();
  expect(modes?.currentModeId).toBe("default");
  expect(await prompt(agent, sessionId, "paint the fence")).toEqual({ stopReason: "end_turn" });
  expect(readFileSync(join(cwd, "fence.txt"), "utf8")).toBe("green");
  expect(asked).toMatchObject([{ title: "Bash printf green > fence.txt", kind: "execute" }]);
  const calls = said.filter(({ sessionUpdate }) => String(sessionUpdate).startsWith("tool_call"));
  expect(calls.map(({ status }) => status)).toEqual(["pending", "in_progress", "completed"]);
  expect(words().join("")).toBe("The fence is green.");
});

test("the options of the command hold for the sessions that an editor opens", async () => {
  const bard = JSON.stringify({ bard: { description: "sings", prompt: "You sing." } });
  const rules = JSON.stringify({ permissions: { allow: ["Bash"] } });
  const { agent, fake, asked, open } = await editor(writing, "reject_once", [
    ...["--model", "haiku", "--agents", bard, "--agent", "bard", "--settings", rules],
    ...["--revision", "2026-11", "--backend", "process"],
  ]);
  const { sessionId } = await open();
  expect(await prompt(agent, sessionId, "paint the fence")).toEqual({ stopReason: "end_turn" });
  expect(asked).toEqual([]);
  const request = fake.requests[0]?.json as MessagesRequest;
  expect(request.model).toContain("haiku");
  expect(JSON.stringify(request.system)).toContain("You sing.");
  // In 2026-11 nobody makes a team: a session has one, here because of its backend.
  const tools = (request.tools as readonly { readonly name: string }[]).map(({ name }) => name);
  expect([tools.includes("SendMessage"), tools.includes("TeamCreate")]).toEqual([true, false]);
});

test("what the user of the editor refuses does not run", async () => {
  const { agent, cwd, words, open } = await editor(writing, "reject_once");
  const { sessionId } = await open();
  await prompt(agent, sessionId, "paint the fence");
  expect(existsSync(join(cwd, "fence.txt"))).toBe(false);
  expect(words().join("")).toBe("The fence is green.");
});

test("a turn that is cancelled ends so, and the next one is as any other", async () => {
  const { agent, said, open } = await editor((request) =>
    JSON.stringify(request.messages.at(-1)).includes("slowly")
      ? [toolUse("Bash", { command: "sleep 60", description: "wait" })]
      : "Done.",
  );
  const { sessionId } = await open();
  const turn = prompt(agent, sessionId, "paint slowly");
  await untilSeen("the call", () => said.some(({ status }) => status === "in_progress"));
  await agent.notify(methods.agent.session.cancel, { sessionId });
  expect(await awaited("its end", turn)).toEqual({ stopReason: "cancelled" });
  expect(await prompt(agent, sessionId, "stop")).toEqual({ stopReason: "end_turn" });
});

test("a session is listed, and another process that loads it tells what was said and goes on with it", async () => {
  const first = await editor(writing);
  const { sessionId } = await first.open();
  await prompt(first.agent, sessionId, "paint the fence");
  first.connection.close();
  first.child.stdin.end();
  await awaited("the end of the agent", first.over);
  const second = await editor((request) => `I remember ${JSON.stringify(request.messages).includes("green")}`);
  const { cwd } = first;
  const { sessions } = await second.agent.request<{ sessions: object[] }>("session/list", { cwd });
  expect(sessions).toMatchObject([{ sessionId, title: "paint the fence" }]);
  await second.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  const replayed = second.said.map(({ sessionUpdate }) => sessionUpdate);
  expect(replayed).toEqual(["user_message_chunk", "tool_call", "tool_call_update", "agent_message_chunk"]);
  expect(await prompt(second.agent, sessionId, "and?")).toEqual({ stopReason: "end_turn" });
  expect(second.words().join("")).toBe("The fence is green.I remember true");
});

test("an API that fails is an error of the prompt, and unknown sessions, modes and folders are named", async () => {
  const { agent, open } = await editor(() => fault.status(401, "authentication_error", "no such key"));
  const { sessionId } = await open();
  await expect(prompt(agent, sessionId, "hi")).rejects.toThrow("no such key");
  await expect(prompt(agent, "nobody", "hi")).rejects.toThrow("there is no session nobody");
  await expect(agent.request("session/set_mode", { sessionId, modeId: "god" })).rejects.toThrow("there is no mode god");
  await expect(agent.request("session/new", { cwd: "here", mcpServers: [] })).rejects.toThrow("an absolute path");
  await expect(agent.request("session/load", { sessionId: "x", cwd: "/", mcpServers: [] })).rejects.toThrow(
    "session x",
  );
});

test("without a key the editor's user is told which variable to set", async () => {
  const { open } = await editor(() => "never", "allow_once", [], "");
  await expect(open()).rejects.toThrow("set ANTHROPIC_API_KEY");
});
