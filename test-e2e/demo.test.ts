import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../scripts/awaited.ts";
import { ended, expectSchema, openTroupe } from "./command-line.ts";
import { usedIn } from "./led-team.ts";
import { processesOf } from "./processes.ts";

const { home, begin, live, refusal } = openTroupe();

interface Line {
  readonly event: string;
  readonly [field: string]: unknown;
}

interface Over {
  readonly commits: readonly string[];
  readonly costs: readonly { readonly of: string; readonly agents: number; readonly dollars: number }[];
}

/** The directories of PATH, without a tmux that stands in one of them. */
function pathWithout(program: string): string {
  const bin = mkdtempSync(join(home, "bin-"));
  for (const directory of (process.env["PATH"] ?? "").split(delimiter).reverse()) {
    const names = existsSync(directory) ? readdirSync(directory) : [];
    for (const name of names.filter((one) => one !== program && !existsSync(join(bin, one))))
      symlinkSync(join(directory, name), join(bin, name));
  }
  return bin;
}

/** Runs the demo to its end; its lines, and whether anything of it is left. */
async function demo(environment: Readonly<Record<string, string>> = {}) {
  const temporary = mkdtempSync(join(home, "temporary-"));
  const child = begin(["demo", "--json"], { TMPDIR: temporary, ...environment });
  child.stdin.end();
  const { status, stdout, stderr } = await ended(child);
  const lines: Line[] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const line of lines) expectSchema("demo", line);
  const told = (event: string, more: object = {}) =>
    lines.filter((line) => line.event === event).filter((line) => matches(line, more));
  return {
    status,
    stderr,
    lines,
    told,
    /** Recorded in the team's history by this member. */
    recorded: (by: string, event: object) =>
      told("recorded", { by }).filter(({ recorded }) => matches(recorded as object, event)),
    left: () => [...readdirSync(temporary), ...processesOf(temporary)],
  };
}

const matches = (whole: object, part: object): boolean =>
  Object.entries(part).every(([field, value]) => (whole as Readonly<Record<string, unknown>>)[field] === value);

/** What the help of the demo promises, as its lines show it. */
function expectPromises({ status, stderr, lines, told, recorded, left }: Awaited<ReturnType<typeof demo>>): void {
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const { commits, costs, ...over } = lines.at(-1) as Line & Over;
  expect(over).toMatchObject({ event: "over", isDone: true, faults: [], passed: 2, failed: 0 });
  const subjects = ["Add longest", "Blanks are no words", "Count words", "Say what there is"];
  expect(commits.map((line) => line.replace(/^\w+ /, "")).sort()).toEqual(subjects);
  const judged = told("plan_judged").map(({ member, approve }) => [member, approve]);
  expect(judged).toEqual([
    ["cleo", false],
    ["cleo", true],
  ]);
  expect(recorded("cleo", { kind: "plan", phase: "denied" })).toHaveLength(1);
  expect(told("answered", { member: "ann", behavior: "allow" }).length).toBeGreaterThan(0);
  expect(told("answered", { command: "git merge --no-edit worktree-agent-bob" })).toHaveLength(1);
  const at = (line: Line | undefined) => (line ? lines.indexOf(line) : -1);
  const begins = recorded("team-lead", { kind: "spawned", name: "bob" });
  const [death] = recorded("team-lead", { kind: "died", name: "bob" });
  const [completed] = recorded("bob", { kind: "task", id: "2", status: "completed" });
  const story = [begins[0], told("killed", { member: "bob" })[0], death, begins[1], completed, told("unblocked")[0]];
  expect(story.map(at)).not.toContain(-1);
  expect(story.map(at)).toEqual(story.map(at).sort((a, b) => a - b));
  const [forks, agents] = costs;
  expect(costs).toMatchObject([
    { of: "forks", agents: 3 },
    { of: "agents", agents: 3 },
  ]);
  expect(forks?.dollars).toBeLessThan(agents?.dollars ?? 0);
  expect(recorded("team-lead", { kind: "shutdown", phase: "allowed" })).toHaveLength(3);
  expect(left()).toEqual([]);
}

let whole: ReturnType<typeof demo> | undefined;
// Half of it is a wait for the lapse of what the killed teammate held: the others run meanwhile.
beforeAll(() => {
  whole = demo({ PATH: pathWithout("tmux"), FORCE_COLOR: "1" });
  whole.catch(() => {});
});

test("with a key it asks the API that is there: who answers otherwise comes to another end, and that is said", async () => {
  const fake = await startFakeAnthropic({
    rule: (request) =>
      usedIn(request).includes("Bash") ? "I have left it." : [toolUse("Bash", { command: "npm publish" })],
  });
  onTestFinished(() => fake.close());
  const { status, stderr, lines, told, left } = await demo({ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: fake.url });
  expect(lines[0]).toMatchObject({ isScripted: false });
  expect(told("answered")).toMatchObject([{ member: "lead", command: "npm publish", behavior: "deny" }]);
  expect([status, stderr]).toEqual([1, ""]);
  expect(lines.at(-1)).toMatchObject({ event: "over", isDone: false, faults: ["1 tests fail", "there was no task"] });
  expect(left()).toEqual([]);
});

test("an interrupt ends all of it, and nothing is left", async () => {
  const temporary = mkdtempSync(join(home, "temporary-"));
  const child = begin(["demo"], { TMPDIR: temporary });
  const over = ended(child);
  let shown = "";
  child.stdout.on("data", (text) => {
    shown += text;
  });
  await untilSeen("a teammate", () => shown.includes("has started ann"));
  child.kill("SIGINT");
  expect(await over).toMatchObject({ status: 130 });
  expect([...readdirSync(temporary), ...processesOf(temporary)]).toEqual([]);
});

test("with --keep it leaves the repository and the team, and ends with the command that opens the team in the browser", async () => {
  const temporary = mkdtempSync(join(home, "temporary-"));
  mkdirSync(join(temporary, "empty"));
  const fake = await startFakeAnthropic({
    rule: (request) =>
      usedIn(request).includes("TeamCreate") ? "I have made it." : [toolUse("TeamCreate", { team_name: "demo" })],
  });
  onTestFinished(() => fake.close());
  const environment = { TMPDIR: temporary, ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: fake.url };
  const child = begin(["demo", "--keep"], environment);
  const { status, stdout, stderr } = await ended(child);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^troupe: the work is not done: 1 tests fail; /)]);
  const [, kept = ""] = /all of it is in (\S+),/.exec(stdout) ?? [];
  expect(existsSync(join(kept, "words/words.mjs"))).toBe(true);
  expect(stderr).not.toContain("was left");
  const [, line = ""] = /^ +troupe (web [^#]*\S) +# [^\n]*\n$/m.exec(stdout) ?? [];
  const { until, child: page, closed } = live(...line.split(" ").filter((word) => word !== "--open"), "--json");
  const { url } = JSON.parse(await until(() => true));
  const { origin, hash } = new URL(url);
  const entered = await fetch(`${origin}/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: hash.slice(1) }),
  });
  const headers = { cookie: entered.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
  expect(await (await fetch(`${origin}/api/team/demo`, { headers })).json()).toMatchObject({
    name: "demo",
    problems: [],
  });
  page.kill("SIGINT");
  await awaited("the end of the page", closed);
});

test("what it does not know it refuses", () => {
  expect(refusal(2, ["demo", "--as", "writer"])).toMatch(/^demo has no option --as/);
});

// Where there is tmux it is played in panes: installed-command.test.ts does so.
test("without tmux the demo is played by processes, shows all that its help promises, and leaves nothing behind", async () => {
  const played = await awaited("the end of the demo", whole ?? Promise.reject(new Error("it never began")));
  expect(played.lines[0]).toMatchObject({ event: "begun", backend: "process", isScripted: true });
  expect(played.told("note")).toEqual([]);
  expectPromises(played);
});
