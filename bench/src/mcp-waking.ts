import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { layoutOf } from "@troupe/protocol";
import { openFileStore, watchDirectories } from "@troupe/store/files";
import { atMost, type Result, roundsOf } from "./measure.ts";
import type { Order, Sent } from "./wake-worker.ts";

const main = fileURLToPath(new URL("../../apps/cli/dist/main.js", import.meta.url));
const worker = fileURLToPath(new URL("wake-worker.js", import.meta.url));
const times = 9;
/**
 * In which the call has come to wait: what it acknowledges of the message before is written once
 * the inbox has been quiet for a fifth of a second.
 */
const restMs = 300;

/**
 * P4: milliseconds from a message becoming visible until a client of `troupe mcp` has it, whose
 * `read_mail` waits, more than a watch of the store needs for the same message: of their medians.
 */
export async function mcpWaking(): Promise<Record<string, Result>> {
  const root = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const store = openFileStore({ root });
  const at = { createdAt: Date.now(), cwd: root, leadSessionId: "s", leadModel: "m" };
  const team = await store.createTeam({ ...at, name: "crew", revision: "2026-02" });
  for (const name of ["alice", "bob"])
    await team.join({ name, agentType: "mcp", model: "", prompt: "", joinedAt: at.createdAt, cwd: root });
  const path = layoutOf(root).team("crew").inbox("alice");
  const sender = fork(worker, [path], { serialization: "advanced" });
  const client = clientOf(root);
  try {
    await client.ask("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "b", version: "1" },
    });
    // An inbox is begun by its first message.
    const bob = await team.as("bob");
    await bob.send("alice", { text: "first" });
    await client.ask("tools/call", { name: "read_mail", arguments: { wait_seconds: 50 } });
    return { "P4.mcp": atMost(5, await roundsOf(() => laterBy(sender, path, client))) };
  } finally {
    sender.kill();
    await client.end();
    await store.close();
    rmSync(root, { recursive: true, force: true });
  }
}

interface Client {
  ask(
    method: string,
    params: object,
  ): Promise<{ readonly structuredContent?: { readonly messages?: readonly unknown[] } }>;
  end(): Promise<unknown>;
}

/** As small as a client can be, so that its own time does not count. */
function clientOf(root: string): Client {
  const child = spawn(process.execPath, [main, "mcp", "--root", root, "--team", "crew", "--as", "alice"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map<number, (result: never) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    if (error) throw new Error(line);
    waiting.get(id)?.(result as never);
  });
  let last = 0;
  return {
    ask(method, params) {
      last += 1;
      const id = last;
      const answer = new Promise<never>((resolve) => waiting.set(id, resolve));
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return answer;
    },
    end() {
      child.stdin.end();
      return once(child, "close");
    },
  };
}

async function laterBy(sender: ChildProcess, path: string, client: Client): Promise<number> {
  const [read, watched]: [number[], number[]] = [[], []];
  for (let done = 0; done < times; done += 1) {
    const call = client.ask("tools/call", { name: "read_mail", arguments: { wait_seconds: 50 } });
    await sleep(restMs);
    const changes = watchDirectories([
      { directory: join(path, ".."), subjectOf: (name) => (name === "alice.json" ? name : undefined) },
    ]);
    const isAt = () => process.hrtime.bigint();
    const both = Promise.all([call.then(isAt), changes.next().then(isAt), call]);
    sender.send({ messages: 1, burst: 1 } satisfies Order);
    const [{ renamedAt }] = (await once(sender, "message")) as [Sent];
    const [readAt, watchedAt, { structuredContent }] = await both;
    if (structuredContent?.messages?.length !== 1) throw new Error("read_mail woke without its message");
    await changes.return?.();
    read.push(Number(readAt - renamedAt) / 1e6);
    watched.push(Number(watchedAt - renamedAt) / 1e6);
  }
  return median(read) - median(watched);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
