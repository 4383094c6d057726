import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@troupe/protocol";
import { awaited, untilSeen } from "../../../scripts/awaited.ts";
import { expectSame } from "../checks.ts";
import { markOf } from "../conversation.ts";
import { flagsOf } from "../our-teammate.ts";
import { makeTeam, startLead } from "../real-lead.ts";
import type { Given } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** What stands for a scenario in which ours would write a team of a form between the revisions. */
export const readOnlyWhy = "a team of a form between the revisions is read by ours and never written";

/** A lead of such a client with a teammate and a task, at rest. */
async function ledTeam(stage: Stage) {
  const lead = await startLead(stage, "--dangerously-skip-permissions", "--teammate-mode", "in-process");
  const name = await makeTeam(stage, lead);
  await lead.does(lead.dialect.spawn("helper", `${markOf("helper")} Wait.`, { team: name }));
  await lead.does(["TaskCreate", { subject: "Theirs", description: "made by the lead" }]);
  await lead.hears("idle_notification");
  const form = async () => (await stage.store.openTeam(name))?.form;
  await untilSeen("the form of the team", async () => (await form()) === "between");
  return { lead, name };
}

/** Fails where a file of the team is another one after this than before. */
async function changingNothing(stage: Stage, team: string, work: () => Promise<void>): Promise<void> {
  const files = () =>
    ["teams", "tasks"].flatMap((kind) => {
      const place = join(stage.root, kind, team);
      return readdirSync(place, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "utf8")])
        .sort();
    });
  const before = files();
  await work();
  expectSame("the files of the team", files(), before);
}

/** 1, where ours may only look. */
export async function lookAtTheirs({ check, open }: Given): Promise<void> {
  const stage = await open();
  const { lead, name } = await ledTeam(stage);
  await check("members, tasks and mail of a team between the revisions are read by ours", async () => {
    const { members, tasks, mail } = JSON.parse(await stage.troupe("team", "show", name, "--json"));
    const names = members.map((member: { name: string }) => member.name);
    expectSame("the members", names, ["team-lead", "helper"]);
    const subjects = tasks.map(({ subject }: { subject: string }) => subject);
    expectSame("a task of the lead is there", subjects.includes("Theirs"), true);
    return `${names.length} members, ${subjects.length} tasks, mail ${JSON.stringify(mail).length} bytes`;
  });
  await check("whatever of ours would write to it is refused with the reason, and no file changes", async () => {
    const words = [
      ["team", "join", name, "mate"],
      ["send", name, "team-lead", "a word", "--as", "helper"],
      ["task", "create", name, "Ours"],
    ];
    for (const [n, args] of words.entries())
      await changingNothing(stage, name, async () => {
        const said = await stage.troupe(...args).catch(messageOf);
        if (!said.includes("only read")) throw new Error(`${words[n]?.join(" ")}: ${said}`);
      });
    return undefined;
  });
  await check("their lead goes on", async () => {
    const [list = ""] = await lead.does(["TaskList", {}]);
    if (!list.includes("Theirs")) throw new Error(`its list says: ${list}`);
    return undefined;
  });
}

/** 2, where ours may only look. */
export async function declineToJoin({ check, open }: Given) {
  const stage = await open();
  const { name } = await ledTeam(stage);
  await check("a runtime of ours that is started as its teammate says why it is none, and ends", async () => {
    await changingNothing(stage, name, async () => {
      const running = stage.startTroupe(["teammate", ...flagsOf("helper", name)]);
      let said = "";
      for (const stream of [running.output, running.errors])
        stream.on("data", (piece) => {
          said += piece;
        });
      const { code } = await awaited("its end", running.ended);
      if (code === 0 || !said.includes("only read")) throw new Error(`it ended with ${code}: ${said}`);
    });
    return undefined;
  });
}
