import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { startFakeAnthropic } from "@troupe/fake-anthropic";
import type { Team } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { chromium, type Page } from "playwright-core";
import { atMost, type Result, roundsOf } from "./measure.ts";

const main = fileURLToPath(new URL("../../apps/cli/dist/main.js", import.meta.url));
const files = fileURLToPath(new URL("../../apps/cli/dist/page/", import.meta.url));
const members = 100;
const claims = 20;

/**
 * The page of `troupe web`: its size, what its server holds with a hundred members more than a
 * process that only imported the store, and P17: milliseconds from a claim in another process until
 * it stands in the page, 95th of twenty; and from the kill of a member's process until it is told
 * as gone. What needs a browser is left out without one.
 */
export async function page(): Promise<Record<string, Result>> {
  const root = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const store = openFileStore({ root });
  const results: Record<string, Result> = { "page.size": atMost(40, [sizeOf()]) };
  try {
    const team = await teamIn(root, store);
    if (process.platform === "linux") results["page.memory"] = atMost(30, [await heldMore(root)]);
    const browser = programIn("chromium");
    if (browser === undefined) console.error("page: no chromium in PATH, so P17.page and page.gone are not measured");
    else Object.assign(results, await inBrowser(root, team, browser));
    return results;
  } finally {
    await store.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** KB of the files that a browser gets, as a server would send them. */
function sizeOf(): number {
  const names = readdirSync(files).filter((name) => !/\.(map|txt)$/.test(name));
  return names.reduce((sum, name) => sum + gzipSync(readFileSync(join(files, name)), { level: 9 }).length, 0) / 1024;
}

async function teamIn(root: string, store: ReturnType<typeof openFileStore>): Promise<Team> {
  const at = { createdAt: Date.now(), cwd: root, leadSessionId: "s", leadModel: "m" };
  const team = await store.createTeam({ ...at, name: "crew", revision: "2026-02" });
  for (let number = 1; number < members; number += 1) {
    const name = `worker-${number}`;
    await team.join({ name, agentType: "worker", model: "", prompt: "", joinedAt: at.createdAt, cwd: root });
    await (await team.as(name)).record({ kind: "ready" });
  }
  return team;
}

/** MB of memory that the server holds after a look at each view, more than the bare process. */
async function heldMore(root: string): Promise<number> {
  const bare = spawn(process.execPath, ["--input-type=module", "-e", bareScript], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(bare.stdout, "data");
  const before = memoryOf(bare);
  bare.kill();
  const server = await serve(root);
  try {
    const headers = { cookie: await enter(server.url) };
    for (const path of ["teams", "team/crew", "team/crew/threads", "team/crew/timeline", "team/crew/member/worker-1"])
      await (await fetch(new URL(`/api/${path}`, server.url), { headers })).text();
    return memoryOf(server.child) - before;
  } finally {
    server.child.kill();
    await once(server.child, "close");
  }
}

const bareScript = `await import(${JSON.stringify(import.meta.resolve("@troupe/store/files"))});
process.stdout.write("in");
process.stdin.resume();`;

/** What a process has of the memory, in MB. */
function memoryOf({ pid }: ChildProcess): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

async function serve(root: string) {
  const child = spawn(process.execPath, [main, "web", "--json", "--root", root], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { child, url: new URL(JSON.parse(line).url) };
}

/** The cookie that the token of this address is exchanged for. */
async function enter(url: URL): Promise<string> {
  const body = JSON.stringify({ token: url.hash.slice(1) });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(new URL("/session", url), { method: "POST", headers, body });
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

const programIn = (name: string): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find(existsSync);

async function inBrowser(root: string, team: Team, executablePath: string): Promise<Record<string, Result>> {
  const server = await serve(root);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  try {
    const tab = await browser.newPage();
    await tab.goto(server.url.href);
    await tab.goto(new URL("/#/team/crew/board", server.url).href);
    await tab.getByText("0 tasks").waitFor();
    const claimed = atMost(150, await roundsOf(() => roundOf(team, tab), 3));
    await tab.goto(new URL("/#/team/crew/members", server.url).href);
    await tab.getByText("worker-1", { exact: true }).waitFor();
    return { "P17.page": claimed, "page.gone": atMost(2_000, await killed(root, tab)) };
  } finally {
    await browser.close();
    server.child.kill();
    await once(server.child, "close");
  }
}

/** Kills members, one after the other, that `troupe spawn` has started as processes. */
async function killed(root: string, tab: Page): Promise<readonly number[]> {
  const api = await startFakeAnthropic({ rule: () => "I wait." });
  const env = { ...process.env, ANTHROPIC_API_KEY: "of-no-use", ANTHROPIC_BASE_URL: api.url, TMUX: "" };
  const records = join(root, "troupe/backends");
  let count = 0;
  try {
    return await roundsOf(async () => {
      count += 1;
      const name = `killed-${count}`;
      const start = ["spawn", "crew", name, "--prompt", "work", "--model", "haiku", "--backend", "process"];
      await promisify(execFile)(process.execPath, [main, ...start, "--root", root], { cwd: root, env });
      await tab.locator("tr", { hasText: name }).getByText("idle").waitFor();
      const started = readdirSync(records)
        .filter((file) => file.endsWith(".json"))
        .map((file) => JSON.parse(readFileSync(join(records, file), "utf8")))
        .find((record) => record.name === name);
      const seen = tab.evaluate<number>(shown(`//tr[contains(., "${name}")]`, "process gone"));
      await tab.evaluate("1");
      const at = performance.timeOrigin + performance.now();
      process.kill(started.process.pid, "SIGKILL");
      return (await seen) - at;
    });
  } finally {
    await api.close();
  }
}

/** Waits for the text in a part of the page, and says when it stood there, by our clock. */
const shown = (path: string, text: string) => `new Promise((resolve) => {
  const look = () => document.evaluate(${JSON.stringify(path)}, document, null, 9).singleNodeValue?.textContent.includes(${JSON.stringify(text)});
  if (look()) return resolve(performance.timeOrigin + performance.now());
  const seen = new MutationObserver(() => {
    if (!look()) return;
    seen.disconnect();
    resolve(performance.timeOrigin + performance.now());
  });
  seen.observe(document.body, { subtree: true, childList: true, characterData: true });
})`;

async function roundOf(team: Team, tab: Page): Promise<number> {
  const taken: number[] = [];
  const worker = await team.as("worker-1");
  for (let count = 0; count < claims; count += 1) {
    const subject = `to be claimed ${Date.now()}`;
    const { id } = await worker.tasks.create({ subject, description: "" });
    await tab.getByText(subject).waitFor();
    // Long enough that no hint of what was created is under way.
    await sleep(120);
    const seen = tab.evaluate<number>(shown('//section[@aria-label="In progress"]', subject));
    await tab.evaluate("1");
    await worker.tasks.claim(id, "worker-1");
    const done = performance.timeOrigin + performance.now();
    taken.push((await seen) - done);
    await worker.tasks.complete(id);
  }
  taken.sort((one, other) => one - other);
  return taken[Math.floor(taken.length * 0.95)] ?? Number.NaN;
}
