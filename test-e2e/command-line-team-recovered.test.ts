import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { describe, expect, test } from "vitest";
import { awaited, untilSeen } from "../scripts/awaited.ts";
import { ann, isAnn, leadOfAnn, openLeads, usedIn } from "./led-team.ts";
import { processesOf } from "./processes.ts";
import { describeWith } from "./require.ts";

const { home, root, json, refusal, told, troupeBeside, stage, noServer, expectNothingLeft } = openLeads();

/** A lead that is killed while ann is at work and it waits; what is to go on waits for `goOn`. */
async function killedLead(where: string) {
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const all = await stage(
    async (request) => {
      const used = usedIn(request);
      if (!isAnn(request) && used.includes("TeamCreate") && !used.includes("TaskCreate"))
        return [toolUse("TaskCreate", { subject: "Part A", description: "all of it" })];
      if (!isAnn(request) && JSON.stringify(request).includes("shutdown_approved") && !used.includes("TaskList"))
        return [toolUse("TaskList", {})];
      if (!isAnn(request)) return leadOfAnn(request);
      if (usedIn(request).length === 0) await gate;
      return ann(request);
    },
    { TMUX_TMPDIR: home },
  );
  const { fake, lead } = all;
  const asked = (is: (request: MessagesRequest) => boolean) =>
    fake.requests.some(({ json }) => is(json as MessagesRequest));
  const { child, exited } = lead(where);
  await untilSeen("ann at work", () => asked(isAnn));
  await untilSeen("the lead that waits", () => asked((one) => !isAnn(one) && usedIn(one).includes("Agent")));
  const [file] = readdirSync(join(root, "troupe/backends")).filter((name) => name.endsWith(".json"));
  const record = () => JSON.parse(readFileSync(join(root, "troupe/backends", file ?? ""), "utf8"));
  await untilSeen("that ann is on record as ready", () => record().isReady);
  const { leadSessionId } = JSON.parse(readFileSync(join(root, "teams/crew/config.json"), "utf8"));
  child.kill("SIGKILL");
  await awaited("the end of the lead", exited);
  const { process } = record();
  return { ...all, goOn, process, resume: () => lead(where, "--resume", leadSessionId) };
}

const goesOn = async (where: string) => {
  const { goOn, resume, fake, process: before } = await killedLead(where);
  if (where !== "in-process") expect(processesOf(root)).toContain(String(before.pid));
  const next = resume();
  goOn();
  const { status, stdout } = await next.over();
  expect({ status, stdout }).toEqual({ status: 0, stdout: "All is done.\n" });
  const tasks = fake.requests.flatMap(({ json }) => (isAnn(json as MessagesRequest) ? [JSON.stringify(json)] : []));
  expect(
    tasks.every((one) => one.split("do part A").length === 2),
    "ann was told her task once",
  ).toBe(true);
  expectNothingLeft();
};

const pruned = async (where: string) => {
  const { goOn, process: before } = await killedLead(where);
  goOn();
  const env = { TMUX_TMPDIR: home };
  const orphans = (status: number, ...args: string[]) =>
    json("doctor", ["doctor", ...args], { env, status }).findings.filter(
      ({ kind }: { kind: string }) => kind === "teammate_orphaned",
    );
  const isRunning = where !== "in-process";
  const status = isRunning ? 1 : 0;
  const left = { kind: "teammate_orphaned", isMended: false, isNote: !isRunning };
  const words = isRunning ? `runs on (process ${before.pid}` : "runs no more, and its lead";
  expect(orphans(status, "--fix", "--yes")).toMatchObject([{ ...left, message: expect.stringContaining(words) }]);
  expect(orphans(status)[0].remedy.command).toBe(`troupe doctor --prune --root ${root}`);
  expect(refusal(2, ["doctor", "--prune"])).toContain("end 1 teammate without a lead under");
  expect(orphans(0, "--prune", "--yes")).toMatchObject([{ ...left, isMended: true }]);
  expect(JSON.parse(readFileSync(join(root, "teams/crew/config.json"), "utf8")).members).toHaveLength(1);
  told("team", "delete", "crew", "--yes");
  expectNothingLeft();
};

describe.each(["in-process", "process"])("what a dead lead left (%s)", (where) => {
  test("is listed by the doctor and stays until it is asked to end it", async () => {
    await pruned(where);
  });
});

const deleted = async (where: string) => {
  const { goOn, fake, process: before } = await killedLead(where);
  const env = { TMUX_TMPDIR: home };
  const isRefused = "ann of crew still runs: shut it down first, or use --force";
  expect(refusal(1, ["team", "delete", "crew", "--yes"])).toMatch(/crew still has ann|ann of crew still runs/);
  told("team", "leave", "crew", "ann");
  expect(refusal(1, ["team", "delete", "crew", "--yes"])).toBe(isRefused);
  expect(processesOf(root)).toContain(String(before.pid));
  told("team", "join", "crew", "ann");
  goOn();
  expect(await troupeBeside(["team", "delete", "crew", "--yes", "--force"], { env })).toMatchObject({
    status: 0,
    stderr: "",
  });
  expect(JSON.stringify(fake.requests.at(-1)?.json)).toContain("the team crew is deleted");
  expectNothingLeft();
};

test("[ATP-LIF-005] a team is not deleted while a teammate runs, in the roster or not; by force it is asked to end, and nothing is left", async () => {
  await deleted("process");
});

test("by force a teammate that does not answer is ended too", async () => {
  const { goOn } = await killedLead("process");
  told("team", "delete", "crew", "--yes", "--force");
  expectNothingLeft();
  goOn();
});

describe.each(["in-process", "process"])("a lead that was killed and is resumed (%s)", (where) => {
  test("[LIFE-03] goes on with its teammate, hears what it did, lets it go and takes the team down", async () => {
    await goesOn(where);
  });
});

describeWith("tmux", "a lead that was killed and is resumed (tmux)", () => {
  test("[TMUX-07] its team is deleted by force with the panes", async () => {
    await deleted("tmux");
    await noServer();
  });

  test("[TMUX-07] what it left is listed by the doctor and stays until it is asked to end it", async () => {
    await pruned("tmux");
    await noServer();
  });

  test("[LIFE-03] [TMUX-07] goes on with its teammate, hears what it did, lets it go and takes the team down", async () => {
    await goesOn("tmux");
    await noServer();
  });
});

test("panes of iTerm2 are refused with what helps", () => {
  const env = { ANTHROPIC_API_KEY: "of-no-use" };
  expect(refusal(2, ["-p", "go", "--teammates", "iterm2"], { env })).toBe(
    "panes of iTerm2 are not offered: run tmux -CC in iTerm2 and choose tmux",
  );
});

test("a lead whose teammate was killed with it is told so, and the roster has it no more", async () => {
  const { goOn, process: before, resume, fake } = await killedLead("process");
  process.kill(before.pid, "SIGKILL");
  goOn();
  const { status } = await resume().over();
  expect(status).toBe(0);
  const heard = fake.requests.map(({ json }) => JSON.stringify((json as MessagesRequest).messages)).join();
  expect(heard).toContain("ann has ended while nobody led the team");
  expect(JSON.parse(readFileSync(join(root, "teams/crew/config.json"), "utf8")).members).toHaveLength(1);
  told("team", "delete", "crew", "--yes");
  expectNothingLeft();
});

test("[STORE-10] what a killed lead leaves are files of plain JSON, a field a line, that other processes read and change, and that it goes on with", async () => {
  const { goOn, resume, fake } = await killedLead("process");
  const paths = ["tasks/crew/1.json", "teams/crew/config.json", "teams/crew/inboxes/ann.json"];
  for (const path of paths) {
    const text = readFileSync(join(root, path), "utf8");
    expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2));
  }
  expect(told("team", "show", "crew")).toContain("ann");
  told("task", "update", "crew", "1", "--subject", "Part A, by hand");
  goOn();
  const { status } = await resume().over();
  expect(status).toBe(0);
  const listed = fake.requests.filter(({ json }) => usedIn(json as MessagesRequest).includes("TaskList"));
  expect(JSON.stringify(listed.at(-1)?.json)).toContain("Part A, by hand");
  expectNothingLeft();
});
