import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, type Reply, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { awaited, untilSeen } from "../../scripts/awaited.ts";
import { ended } from "../command-line.ts";
import { toldTo, usedIn } from "../led-team.ts";
import { describeWithServer } from "../postgres/suite.ts";
import { processesOf } from "../processes.ts";
import { type Host, openStage } from "./stage.ts";

const nameIn = ({ system }: MessagesRequest) => /You are (\w+) in the team crew/.exec(JSON.stringify(system))?.[1];
const say = (to: string, message: object | string) => [toolUse("SendMessage", { to, summary: "a word", message })];
const spawn = (name: string, prompt: string) => [
  toolUse("Agent", { description: name, prompt, subagent_type: "general-purpose", name, team_name: "crew" }),
];
const step = (used: readonly string[], ...steps: readonly (() => Reply)[]) => steps[used.length]?.();

/** A way to hold an answer of the model until the test lets it go. */
function gate() {
  let open = () => {};
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const pass = () => {
    arrive();
    return opened;
  };
  return { open: () => open(), arrived, pass };
}

await describeWithServer("three machines", (server) => {
  test("of two hosts one is killed and one is stopped past its lease: their teammates go on elsewhere, no late write counts, and the work comes back by git", async () => {
    const late = gate();
    const begun = gate();
    const second = gate();
    const all = { reports: 0 };

    /** Its second start has its first commit, and does not do it again. */
    async function mate(asked: MessagesRequest, name: string): Promise<Reply> {
      const used = usedIn(asked);
      const said = toldTo(asked);
      const task = name === "ann" ? "1" : "2";
      const isAgain = said.includes("You were started before");
      const [, id] =
        new RegExp(`request_?[iI]d[^a-z]*(shutdown-\\d+@${name})`).exec(JSON.stringify(asked.messages)) ?? [];
      if (id !== undefined && !said.includes("agreed to end") && used.at(-1) !== "done")
        if (!used.slice(4).includes("SendMessage"))
          return say("team-lead", { type: "shutdown_response", request_id: id, approve: true });
      const commit = `test -e ${name}.txt || (echo ${name} > ${name}.txt && git add . && git commit -qm ${name}); git log --oneline | wc -l`;
      const claim = () => [toolUse("TaskUpdate", { taskId: task, owner: name, status: "in_progress" })];
      const work = () => [toolUse("Bash", { command: commit })];
      const done = () => [toolUse("TaskUpdate", { taskId: task, status: "completed" })];
      const report = () => say("team-lead", `${name} has finished`);
      if (isAgain && !said.includes("yours and in progress")) return "I have nothing to do.";
      if (isAgain) return step(used, work, done, report, () => [toolUse("TaskList", {})]) ?? "I have nothing to do.";
      if (used.length === 2 && name === "bob") {
        await late.pass();
        return say("team-lead", "a late word of bob");
      }
      if (used.length === 2) {
        await begun.pass();
        return "I wait.";
      }
      return step(used, claim, work) ?? "I have nothing to do.";
    }

    async function lead(asked: MessagesRequest): Promise<Reply> {
      const used = usedIn(asked);
      if (used.at(-1) === "Agent" && used.length === 6) await second.pass();
      const said = toldTo(asked);
      const first = step(
        used,
        () => [toolUse("TeamCreate", { team_name: "crew" })],
        () => [toolUse("TaskCreate", { subject: "part of ann", description: "x" })],
        () => [toolUse("TaskCreate", { subject: "part of bob", description: "x" })],
        () => [toolUse("TaskCreate", { subject: "join them", description: "x" })],
        () => [toolUse("TaskUpdate", { taskId: "3", addBlockedBy: ["1", "2"] })],
        () => spawn("ann", "do task 1"),
        () => spawn("bob", "do task 2"),
      );
      if (first !== undefined) return first;
      all.reports = ["ann", "bob"].filter((name) => said.includes(`${name} has finished`)).length;
      if (all.reports < 2) return "I wait.";
      const asks = used.filter((name) => name === "SendMessage").length;
      if (asks < 2) return say(["ann", "bob"][asks] ?? "", { type: "shutdown_request", reason: "all is done" });
      if (said.split("shutdown_approved").length < 3) return "I wait for them.";
      return used.includes("TeamDelete") ? "All is done." : [toolUse("TeamDelete", {})];
    }

    const rule = (asked: MessagesRequest) => {
      const name = nameIn(asked);
      return name === "ann" || name === "bob" ? mate(asked, name) : lead(asked);
    };
    const place = await server().newPlace();
    const stage = await openStage(place, rule, 2);
    const { json, git, project, fake } = stage;
    await json("store-migrate", "store", "migrate");
    // No lease ends by itself on a busy machine: the database is told that its time has come.
    const options = ["--lease", "600", "--slots", "2"];
    const hosts = [await stage.host(0, ...options), await stage.host(1, ...options)] as const;
    const endLease = ({ role }: Host) => place.run(`update host set lease_until = now() where role = '${role}'`);
    const args = ["-p", "do it as a team", "--backend", "host", "--dangerously-skip-permissions"];
    const child = stage.begin(args);
    child.stdin.end();
    const over = ended(child);
    await awaited("ann at work", begun.arrived);
    const roles = async () =>
      Object.fromEntries(
        (await place.run("select member, role, epoch::int from spawn_request where state <> 'ended'")).map((row) => {
          const { member, role, epoch } = row as { member: string; role: string; epoch: number };
          return [member, { role, epoch }];
        }),
      );
    const isOfAnn = (await roles())["ann"]?.role === hosts[0].role;
    const [other, ofBob] = isOfAnn ? hosts : ([hosts[1], hosts[0]] as const);
    // Each has one of them: a machine that stands still takes no second.
    await awaited("the lead about to spawn bob", second.arrived);
    other.signal("SIGSTOP");
    second.open();
    await awaited("bob at work", late.arrived);
    other.signal("SIGCONT");
    await ofBob.until("pushed", "bob");

    // The whole machine stands still past its lease, and goes on when bob runs elsewhere.
    ofBob.signal("SIGSTOP");
    await endLease(ofBob);
    await other.until("started", "bob");
    const again = await roles();
    expect(again["bob"]).toMatchObject({ role: other.role });
    late.open();
    ofBob.signal("SIGCONT", "teammates");
    const refused = /bob of crew does nothing any more as epoch \d+ on \w+: it was started again on \w+, as epoch \d+/;
    const runningOf = () =>
      processesOf("--agent-name\0bob\0").filter((pid) => processesOf(`${ofBob.home}/.claude`).includes(pid));
    await untilSeen("the end of the earlier bob, by its refused word", () => runningOf().length === 0);
    ofBob.signal("SIGCONT");
    await ofBob.until("late");
    await ofBob.until("entered", undefined, 2);
    expect((await ofBob.until("ended", "bob")).detail).toMatch(refused);

    // The other machine dies with all that runs on it.
    const { epoch: last } = (await roles())["ann"] ?? { epoch: 0 };
    other.signal("SIGKILL");
    await awaited("the end of the host", other.exited);
    await endLease(other);
    await ofBob.until("started", "ann");
    expect((await roles())["ann"]?.epoch).toBeGreaterThan(last);

    const { status, stdout, stderr } = await awaited("the end of the lead", over);
    expect({ status, stdout }, stderr).toEqual({ status: 0, stdout: "All is done.\n" });
    git(project, "fetch", "--quiet", "origin");
    const branches = git(project, "branch", "--remotes", "--list", "origin/troupe/*").split(/\s+/);
    for (const name of ["ann", "bob"]) {
      const own = branches.filter((branch) => branch.startsWith(`origin/troupe/crew/${name}-`)).sort();
      git(project, "merge", "--quiet", "--no-edit", own.at(-1) ?? "");
      expect(readFileSync(join(project, `${name}.txt`), "utf8")).toBe(`${name}\n`);
      const commits = git(project, "log", "--oneline", "--grep", `^${name}$`).split("\n");
      expect(commits, `commits of ${name}`).toHaveLength(1);
    }
    const told = (words: string) =>
      place.run(
        `select count(*)::int as n from message where doc ->> 'from' <> 'team-lead' and doc ->> 'text' like '%${words}%'`,
      );
    expect(await told("ann has finished")).toEqual([{ n: 1 }]);
    expect(await told("bob has finished")).toEqual([{ n: 1 }]);
    expect(await told("a late word")).toEqual([{ n: 0 }]);
    expect(await place.run("select doc ->> 'status' as is from task where not is_gone order by id")).toEqual([
      { is: "completed" },
      { is: "completed" },
      { is: "pending" },
    ]);
    const heard = toldTo(
      fake.requests.map((one) => one.json as MessagesRequest).findLast((one) => !nameIn(one)) as MessagesRequest,
    );
    expect(heard).toContain("bob may not run any more");
    expect(heard).toContain("bob was started again on");
    expect(heard).toContain("Still in progress, perhaps half done, and not given back: #2 part of bob");
    console.info(`three machines as ${stage.how}`);
  });
});
