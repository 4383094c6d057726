import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fault, type MessagesRequest, startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../scripts/awaited.ts";
import { ended, expectSchema } from "./command-line.ts";
import { leadOfAnn, openLeads, usedIn } from "./led-team.ts";
import { processesOf } from "./processes.ts";

const leads = openLeads();
const { home, root, told, json, refusal, begin, troupeBeside, stage } = leads;
const isMember = (name: string, team: string, { system }: MessagesRequest) =>
  JSON.stringify(system).includes(`You are ${name} in the team ${team}`);
const recordOf = (name: string) =>
  readdirSync(join(root, "troupe/backends"))
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => {
      try {
        return [JSON.parse(readFileSync(join(root, "troupe/backends", file), "utf8"))];
      } catch {
        // It went between the two looks.
        return [];
      }
    })
    .find((record) => record.name === name);

test.each(["2026-02", "2026-11"] as const)(
  "a person who leads a team starts a teammate, which reports to them and ends when it is asked to (%s)",
  async (revision) => {
    const team = `own-${revision}`;
    const fake = await startFakeAnthropic({
      rule: (asked) => {
        const said = JSON.stringify(asked.messages);
        const [, id] = /request_?[iI]d[^a-z]*(shutdown-\d+@bob)/.exec(said) ?? [];
        if (id !== undefined && usedIn(asked).length === 0)
          return [
            toolUse("SendMessage", {
              to: "boss",
              message: { type: "shutdown_response", request_id: id, approve: true },
            }),
          ];
        return "I did part B.";
      },
    });
    onTestFinished(() => fake.close());
    told("team", "create", team, "--lead", "boss", "--revision", revision);
    const env = { ANTHROPIC_API_KEY: "of-no-use", ANTHROPIC_BASE_URL: fake.url, TMPDIR: home, TMUX: "" };
    // The process that starts a teammate ends, as at a terminal.
    const run = async (schema: string, ...args: string[]) => {
      const { status, stdout, stderr } = await ended(begin([...args, "--json"], env));
      expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/^$|waiting for bob/) });
      expectSchema(schema, JSON.parse(stdout));
      return JSON.parse(stdout);
    };
    const spawned = await run("spawn", "spawn", team, "bob", "--prompt", "do part B", "--model", "haiku");
    expect(spawned).toMatchObject({ team, name: "bob", backend: "process", isSupervised: false });
    await untilSeen("bob's report", () =>
      json("inbox", ["inbox", team]).messages.some(({ kind }: { kind: string }) => kind === "idle_notification"),
    );
    expect(JSON.stringify(fake.requests[0]?.json)).toContain("do part B");
    const lead = told("team", "show", team)
      .split("\n")
      .find((line) => line.includes("boss (lead)"));
    expect(lead, "of the person").not.toMatch(/working|idle/);
    const found = () => json("doctor", ["doctor", "--prune", "--yes"]).findings;
    expect(found()).toMatchObject([
      { kind: "teammate_led_by_hand", isNote: true, remedy: { command: `troupe shutdown ${team} bob --root ${root}` } },
    ]);
    const { members } = await run("shutdown", "shutdown", team, "bob");
    expect(members).toEqual([{ name: "bob", outcome: "ended", reason: null }]);
    expect(json("team-show", ["team", "show", team]).members).toHaveLength(1);
    expect(found()).toEqual([]);
    const refused = await troupeBeside(["spawn", team, "boss", "--prompt", "x"], { env });
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining("boss") });
    expect(refusal(2, ["spawn", team, "carol"])).toContain("--prompt");
    expect(refusal(2, ["spawn", team, "carol", "--prompt", "x", "--type", "none"])).toContain("troupe agents list");
    expect(refusal(2, ["spawn", team, "carol", "--prompt", "x"])).toContain("set ANTHROPIC_API_KEY");
    told("team", "delete", team, "--yes");
  },
);

test("a teammate that does not agree to end is ended by force, and is no member any more", async () => {
  const fake = await startFakeAnthropic();
  onTestFinished(() => fake.close());
  told("team", "create", "deaf");
  const env = { ANTHROPIC_API_KEY: "of-no-use", ANTHROPIC_BASE_URL: fake.url, TMPDIR: home, TMUX: "" };
  const run = (...args: string[]) => ended(begin(args, env));
  expect(await run("spawn", "deaf", "bob", "--prompt", "do part B")).toMatchObject({ status: 0 });
  const silent = await run("shutdown", "deaf", "bob", "--wait", "0");
  expect(silent.status).toBe(1);
  expect(silent.stderr).toContain("troupe shutdown deaf bob --force ends it all the same");
  const { status, stdout } = await run("shutdown", "deaf", "bob", "--wait", "0", "--force", "--json");
  expectSchema("shutdown", JSON.parse(stdout));
  expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 0, members: [{ name: "bob", outcome: "killed" }] });
  expect(json("team-show", ["team", "show", "deaf"]).members).toHaveLength(1);
  expect(processesOf(root)).toEqual([]);
  expect(json("doctor", ["doctor"]).findings).toEqual([]);
  told("team", "delete", "deaf", "--yes");
});

test("a lead that runs goes on with a teammate that a person adds: it is told of its death, and ends it with itself", async () => {
  const { fake, lead, environment, cwd } = await stage((asked) => {
    if (isMember("ann", "crew", asked)) return fault.stalled("I begin", 1);
    if (isMember("bob", "crew", asked)) return "I did part B.";
    if (isMember("carol", "crew", asked)) return "I did part C.";
    return leadOfAnn(asked);
  });
  const { child, over } = lead("process");
  onTestFinished(async () => {
    child.kill("SIGKILL");
  });
  await untilSeen("ann at work", () =>
    fake.requests.some(({ json }) => isMember("ann", "crew", json as MessagesRequest)),
  );
  const spawn = (name: string) =>
    troupeBeside(["spawn", "crew", name, "--prompt", "do it", "--backend", "process", "--json"], {
      env: environment,
      cwd,
    });
  const { status, stdout, stderr } = await spawn("bob");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ name: "bob", isSupervised: true });
  expect(recordOf("bob").lead.pid).toBe(child.pid);
  process.kill(JSON.parse(stdout).pid, "SIGKILL");
  await untilSeen("the lead told of it", () =>
    fake.requests.some(({ body }) => body.includes("bob has ended without a word")),
  );
  await untilSeen("the end of its record", () => recordOf("bob") === undefined);
  await spawn("carol");
  expect(recordOf("carol").lead.pid).toBe(child.pid);
  child.kill("SIGINT");
  await over();
  await untilSeen("the end of all of them", () => readdirSync(join(root, "troupe/backends")).length === 0);
});
