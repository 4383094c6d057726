import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { openFileStore } from "@troupe/store/files";
import { expect, test } from "vitest";
import { untilSeen } from "../scripts/awaited.ts";
import { expectSchema, openTroupe } from "./command-line.ts";
import { usedIn } from "./led-team.ts";
import { teammateProcesses } from "./teammate-process.ts";

const troupe = openTroupe();
const { json, told, refusal } = troupe;
const annIn = teammateProcesses(troupe);
const person = { env: { CLAUDECODE: "", TROUPE_TEAMMATE: "" } };
const toldIn = ({ messages }: MessagesRequest): string => JSON.stringify(messages);

test.each(["2026-02", "2026-11"] as const)(
  "a permission that a teammate waits for is listed in full, and answered from another terminal with a note (%s)",
  async (revision) => {
    const { place, root, lead, leadHears, fake, team } = await annIn(revision, {
      rule: (asked) => {
        const tries = usedIn(asked).length;
        return tries < 2 ? [toolUse("Bash", { command: `touch made-${tries}` })] : "Done.";
      },
    });
    const at = ["--root", root];
    expect(troupe.troupe(["permission", "list", ...at])).toMatchObject({
      status: 0,
      stderr: "note: no permission request waits in crew\n",
    });
    await lead.send("ann", { text: "Make them.", summary: "make" });
    await leadHears("permission_request");
    const waiting = () => json("permission-list", ["permission", "list", ...at]).requests;
    const [first] = waiting();
    expect(first).toMatchObject({ from: "ann", tool: "Bash", input: { command: "touch made-0" } });
    expect(told("permission", "list", ...at)).toMatch(/^ann asks to use Bash: .*\n {4}command: touch made-0\n/);
    expect(refusal(3, ["permission", "allow", "crew", "perm-none", ...at], person)).toContain(
      `choose one of ${first.id}`,
    );
    expect(refusal(2, ["permission", "allow", "ann", ...at], { env: { CLAUDECODE: "1" } })).toContain(
      "CLAUDECODE is set",
    );
    const denied = json("permission-deny", ["permission", "deny", "ann", "--note", "use the copy", ...at], person);
    expect(denied).toEqual({
      team: "crew",
      request: first.id,
      kind: "permission",
      from: "ann",
      answer: "denied",
      isHeard: true,
    });
    const [second] = await untilSeen("the next request", () => {
      const all = waiting();
      return all.length > 0 && all[0].id !== first.id ? all : undefined;
    });
    expect(existsSync(join(place, "made-0"))).toBe(false);
    expect(refusal(3, ["permission", "allow", first.id, ...at], person)).toContain(`choose one of ${second.id}`);
    const allowed = json("permission-allow", ["permission", "allow", second.id, "--note", "only once", ...at], person);
    expect(allowed).toMatchObject({ answer: "allowed", isHeard: true });
    await untilSeen("what it made", () => existsSync(join(place, "made-1")));
    await leadHears("idle_notification");
    expect(waiting()).toEqual([]);
    const told2 = fake.requests.map(({ json }) => toldIn(json as MessagesRequest)).join("\n");
    expect(told2).toContain("use the copy");
    await untilSeen("the note", () => fake.requests.some(({ body }) => body.includes("[Note] only once")));
    // Nobody leads in a session: the requests do not stay in the inbox.
    const { value = [] } = await team.mail("team-lead").page();
    expect(value.filter(({ entry }) => entry["read"] !== true && entry.text.includes("permission_request"))).toEqual(
      [],
    );
  },
);

test("a plan is shown, sent back with what to change, and the next one approved with a note", async () => {
  const { root, lead, leadHears, fake } = await annIn(
    "2026-02",
    {
      rule: (asked) => {
        const said = toldIn(asked);
        if (said.includes("[Plan Approved]")) return "I carry it out.";
        const plans = said.includes("begin with the tests") ? 2 : 1;
        const used = usedIn(asked);
        if (used.filter((name) => name === "Write").length >= plans)
          return used.at(-1) === "Write" ? [toolUse("ExitPlanMode", {})] : "I wait.";
        // Where the plan is to be written is said by the tool.
        const [path] = /\/[^\s"`]+\/plans\/[\w.-]+\.md/.exec(said) ?? [];
        if (path === undefined) return [toolUse("ExitPlanMode", {})];
        return [toolUse("Write", { file_path: path, content: plans === 1 ? "code, then tests" : "tests, then code" })];
      },
    },
    { planModeRequired: true },
  );
  const at = ["--root", root];
  await lead.send("ann", { text: "Plan it.", summary: "plan" });
  await leadHears("plan_approval_request");
  const waiting = () => json("plan-show", ["plan", "show", ...at]).requests;
  const [first] = await untilSeen("the plan", () => (waiting().length > 0 ? waiting() : undefined));
  expect(first).toMatchObject({ from: "ann", plan: expect.stringContaining("code, then tests") });
  expect(told("plan", "show", "crew", "ann", ...at)).toMatch(
    /^ann asks to carry out a plan .*\n {4}code, then tests\n/,
  );
  // The model of ann has to go on meanwhile.
  const answered = async (schema: string, ...args: string[]) => {
    const { status, stdout } = await troupe.troupeBeside([...args, ...at, "--json"], person);
    expectSchema(schema, JSON.parse(stdout));
    return { status, ...JSON.parse(stdout) };
  };
  const rejected = await answered("plan-reject", "plan", "reject", "ann", "--note", "begin with the tests");
  expect(rejected).toMatchObject({ status: 0, answer: "denied", isHeard: true });
  const [second] = await untilSeen("the next plan", () => {
    const all = waiting();
    return all.some(({ id }: { id: string }) => id !== first.id) ? all : undefined;
  });
  expect(second.plan).toContain("tests, then code");
  expect(refusal(2, ["plan", "approve", "ann", "--mode", "wild", ...at], person)).toContain("--mode takes");
  expect(await answered("plan-approve", "plan", "approve", "ann", "--note", "mind the time")).toMatchObject({
    status: 0,
    answer: "allowed",
    request: second.id,
  });
  await untilSeen("the note", () => fake.requests.some(({ body }) => body.includes("[Note] mind the time")));
  expect(waiting()).toEqual([]);
});

test("a permission is answered too whose message comes a moment behind the record of it", async () => {
  told("team", "create", "late");
  told("team", "join", "late", "bob");
  const team = await openFileStore({ root: troupe.root }).openTeam("late");
  const bob = await team?.as("bob");
  await bob?.record({ kind: "permission", id: "p1", phase: "asked", tool: "Bash", reason: "it runs a command" });
  const allowing = troupe.troupeBeside(["permission", "allow", "late", "bob"], person);
  await delay(600);
  const call = { tool_name: "Bash", tool_use_id: "t1", input: { command: "ls" }, permission_suggestions: [] };
  const about = { request_id: "p1", agent_id: "bob", description: "it runs a command" };
  await bob?.send("team-lead", { body: { type: "permission_request", ...about, ...call } });
  await untilSeen("the answer", async () => ((await team?.mail("bob").page())?.value ?? []).length > 0);
  await bob?.record({ kind: "permission", id: "p1", phase: "allowed" });
  expect(await allowing).toMatchObject({ status: 0, stdout: "allowed for bob\n" });
});
