import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { awaited, untilSeen } from "../../../scripts/awaited.ts";
import { expectSame } from "../checks.ts";
import { makes } from "../client.ts";
import { markOf, toldTo } from "../conversation.ts";
import { flagsOf } from "../our-teammate.ts";
import { askToEnd, bid, dialectIn } from "../puppet.ts";
import { makeTeam, type RealLead, startLead } from "../real-lead.ts";
import type { Given, Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";
import { declineToJoin, readOnlyWhy } from "./read-only.ts";

/** 2: their lead, our runtime as a teammate. */
export const runtimeOfOurs: Scenario = {
  id: "2",
  title: "their lead, our runtime as a teammate: joined by itself, and in the pane of its binary",
  async run(given) {
    if (given.client.form === "between") {
      given.notApplicable("a runtime of ours works as its teammate", readOnlyWhy);
      return declineToJoin(given);
    }
    await byItself(given);
    if (makes[given.client.kind].hasScreen) await inItsPane(given);
    else given.notApplicable(startsThere, "without a screen its teammates are parts of its own process");
  },
};

async function ledTeam(stage: Stage, ...flags: readonly string[]) {
  const lead = await startLead(stage, "--dangerously-skip-permissions", ...flags);
  const name = await makeTeam(stage, lead);
  const members = async () => {
    const { value } = (await (await stage.store.openTeam(name))?.config()) ?? {};
    return value?.members.map((member) => member.name) ?? [];
  };
  return { lead, name, members };
}

const isAsked = "a call that needs permission is asked at their screen, and runs when allowed there";

async function byItself(given: Given): Promise<void> {
  const { check } = given;
  const stage = await given.open();
  const { lead, name, members } = await ledTeam(stage, "--teammate-mode", "in-process");
  // A lead of 2026-11 looks at its mail only once it has added somebody itself.
  await lead.does(lead.dialect.spawn("helper", `${markOf("helper")} Wait.`, { team: name }));
  await stage.troupe("team", "join", name, "ann");
  const running = stage.startTroupe(["teammate", ...flagsOf("ann", name)]);
  const ann = stage.agent("ann");
  await check("one that joined by itself hears their model, and its reply is heard", async () => {
    await lead.does(lead.dialect.send("ann", `${markOf("ann")} I am ann.`));
    await awaited(
      "the first word to ann",
      ann.seen((request) => toldTo(request).includes("I am ann.")),
    );
    await bid(lead, ann, dialectIn(ann).send("team-lead", "the fence is green"));
    await lead.hears("the fence is green");
    return undefined;
  });
  await check("its idleness is told to their model", () => idle(lead, "ann"));
  await check("a task that their model gives it is done, and their model sees that", async () => {
    const [made = ""] = await lead.does(["TaskCreate", { subject: "Paint", description: "the fence" }]);
    const taskId = /#(\d+)/.exec(made)?.[1] ?? "";
    await lead.does(["TaskUpdate", { taskId, owner: "ann" }]);
    await awaited(
      "the assignment",
      ann.seen((request) => toldTo(request).includes("task_assignment")),
    );
    await bid(lead, ann, ["TaskUpdate", { taskId, status: "completed" }]);
    const [list = ""] = await lead.does(["TaskList", {}]);
    if (!/Paint.*ann|completed.*Paint/.test(list)) throw new Error(`its list says: ${list}`);
    return undefined;
  });
  const { pane } = lead;
  if (pane === undefined) given.notApplicable(isAsked, "it has no screen at which it could ask");
  else await check(isAsked, () => allowAt(stage, lead, pane));
  await check("it rejects a request to end, their model hears why, and it works on", async () => {
    await askToEnd(lead, ann, { reason: "still busy" });
    await lead.hears("still busy");
    expectSame("it is a member", (await members()).includes("ann"), true);
    return undefined;
  });
  await check("it agrees to end, their model hears that, and it leaves the roster and ends", async () => {
    await askToEnd(lead, ann);
    await lead.hears("shutdown_approved");
    const { code } = await awaited("the end of ann", running.ended);
    expectSame("its exit code", code, 0);
    expectSame("it is a member", (await members()).includes("ann"), false);
    return undefined;
  });
}

/** Has ann call what is asked about, and allows it at that screen. */
export async function allowAt({ cwd, terminal, agent }: Stage, lead: RealLead, pane: string): Promise<undefined> {
  const file = join(cwd, "allowed");
  const working = bid(lead, agent("ann"), ["Bash", { command: `touch ${file}`, description: "touch a file" }]);
  const asks = async () => /Do you want|1\. Yes/.test(await terminal.screen(pane));
  await untilSeen("the question on their screen", asks);
  // A question takes no key in its first moment, so that nobody answers what they have not read.
  await untilSeen("the end of the question", async () => {
    await terminal.press(pane, "Enter");
    await delay(500);
    return !(await asks());
  });
  await working;
  expectSame("the file is there", existsSync(file), true);
  return undefined;
}

async function idle(lead: RealLead, name: string): Promise<undefined> {
  await untilSeen(`the idleness of ${name}`, () => {
    const notices = lead.told().match(/\{\\?"type\\?":\\?"idle_notification[^}]*/g) ?? [];
    return notices.some((notice) => notice.includes(name));
  });
  return undefined;
}

/** The client runs its teammates by this command where it is set. */
const setting = "CLAUDE_CODE_TEAMMATE_COMMAND";
const startsThere = `one started in its pane in the place of its binary (${setting}) hears its prompt`;

async function inItsPane(given: Given): Promise<void> {
  const { check, troupe, open } = given;
  // A program of the stage is made before its client, which is told of it by its environment.
  const command = join(given.repository, ".tools/interop/troupe-teammate");
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${troupe}' teammate "$@"\n`, { mode: 0o755 });
  const stage = await open({ more: { [setting]: command } });
  const { lead, name, members } = await ledTeam(stage, "--teammate-mode", "tmux");
  const ben = stage.agent("ben");
  await check(startsThere, async () => {
    await lead.does(lead.dialect.spawn("ben", `${markOf("ben")} I am ben.`, { team: name }));
    await awaited(
      "the prompt of ben",
      ben.seen((request) => toldTo(request).includes("I am ben.")),
    );
    expectSame("it has a pane", (await stage.terminal.panes()).length, 2);
    return undefined;
  });
  await check("one in its pane hears their model, and its reply is heard", async () => {
    await bid(lead, ben, dialectIn(ben).send("team-lead", "the gate is open"));
    await lead.hears("the gate is open");
    return undefined;
  });
  await check("the idleness of one in its pane is told to their model", () => idle(lead, "ben"));
  await check("one in its pane agrees to end: their model hears that, pane and roster entry are gone", async () => {
    await askToEnd(lead, ben);
    await lead.hears("shutdown_approved");
    await untilSeen("the end of the pane", async () => (await stage.terminal.panes()).length === 1);
    await untilSeen("the end of ben", async () => !(await members()).includes("ben"));
    return undefined;
  });
}
