import type { Participant, Team } from "@troupe/store";
import { untilSeen } from "../../../scripts/awaited.ts";
import { expectSame } from "../checks.ts";
import { markOf } from "../conversation.ts";
import { makeTeam, type RealLead, startLead } from "../real-lead.ts";
import type { Given } from "../scenario.ts";
import { openSharedSide, type SharedSide } from "../shared-side.ts";
import type { Stage } from "../stage.ts";
import { end, hearFromLead, onceEach, ours } from "./member-of-ours.ts";

/** Their lead in files, and a member of ours that knows PostgreSQL alone. */
export async function leadOverBridge(given: Given): Promise<void> {
  const { check } = given;
  const stage = await given.open();
  const shared = await openSharedSide(given, stage);
  try {
    const lead = await startLead(stage, "--dangerously-skip-permissions", "--teammate-mode", "in-process");
    const name = await makeTeam(stage, lead);
    // A lead of 2026-11 looks at its mail only once it has added somebody itself.
    await lead.does(lead.dialect.spawn("helper", `${markOf("helper")} Wait.`, { team: name }));
    await check("the team that it leads comes to PostgreSQL, and who joins there into its files", async () => {
      await shared.tie(name, "desk");
      await shared.troupe("team", "join", name, "mate");
      const isMate = async () => (await namesIn(stage.store, name)).includes("mate");
      await untilSeen("mate in its files", isMate);
      expectSame("the members", await namesIn(stage.store, name), ["team-lead", "helper", "mate"]);
      return undefined;
    });
    const team = await shared.store.openTeam(name);
    if (!team) throw new Error(`PostgreSQL has no team ${name}`);
    const mate = await team.as("mate");
    await sendToLead(given, stage, lead, team, mate);
    await check(`${ours.length} messages of its model reach a member on PostgreSQL, each once`, () =>
      hearFromLead(lead, mate),
    );
    await shareTasks(given, stage, shared, lead, team, mate);
    await end(given, { ...stage, store: shared.store }, lead, team, mate);
  } finally {
    await shared.close();
  }
}

export async function namesIn(store: Stage["store"], team: string): Promise<readonly string[]> {
  const { value } = (await (await store.openTeam(team))?.config()) ?? {};
  return value?.members.map((member) => member.name) ?? [];
}

async function sendToLead({ check }: Given, stage: Stage, lead: RealLead, team: Team, mate: Participant) {
  for (const mark of ours) await mate.send("team-lead", { text: `note ${mark}`, summary: "note" });
  await check(`${ours.length} messages from PostgreSQL reach its model, each once`, async () => {
    // Also the last can be one that is missing.
    await lead.hears(ours.at(-1) ?? "").catch(() => {});
    return onceEach(lead.told(), ours);
  });
  // Of a later revision nothing is left in the file once it was read.
  if (team.form === "2026-02")
    await check(`${ours.length} messages from PostgreSQL stand in its inbox, each once`, async () => {
      const { value = [] } = (await (await stage.store.openTeam(team.name))?.mail("team-lead").page()) ?? {};
      return onceEach(value.map(({ entry }) => entry.text).join("\n"), ours);
    });
}

async function shareTasks(
  { check }: Given,
  stage: Stage,
  shared: SharedSide,
  lead: RealLead,
  team: Team,
  mate: Participant,
): Promise<void> {
  const files = (await stage.store.openTeam(team.name))?.tasks;
  const statusIn = async (tasks: typeof files, id: string) => (await tasks?.get(id))?.value?.status;
  const create = async (subject: string) => {
    const [made = ""] = await lead.does(["TaskCreate", { subject, description: "made by the lead" }]);
    return /#(\d+)/.exec(made)?.[1] ?? "";
  };
  // The screen of later versions removes all tasks once the last of them is done.
  await lead.does(["TaskUpdate", { taskId: await create("Last"), owner: "team-lead", status: "in_progress" }]);
  await check("a task of its model is claimed and done on PostgreSQL, and its model sees that", async () => {
    const id = await create("Theirs");
    const claim = () => shared.troupe("task", "claim", team.name, id, "--as", "mate").then(Boolean, () => false);
    await untilSeen("the claim", claim);
    await shared.troupe("task", "complete", team.name, id);
    await untilSeen("its end in the files", async () => (await statusIn(files, id)) === "completed");
    const [list = ""] = await lead.does(["TaskList", {}]);
    const line = list.split("\n").find((one) => one.includes("Theirs")) ?? "";
    if (!line.includes("completed") || !line.includes("mate")) throw new Error(`its list says: ${list}`);
    return undefined;
  });
  await check("a task of a member on PostgreSQL is claimed and done by its model, and seen there", async () => {
    const { id } = await mate.tasks.create({ subject: "Ours", description: "made by a member" });
    const isFree = async () => {
      const { value } = (await files?.get(id)) ?? {};
      return value && !value.owner;
    };
    await untilSeen("the task, free in its files", isFree);
    await lead.does(["TaskUpdate", { taskId: id, owner: "team-lead", status: "in_progress" }]);
    await untilSeen("the claim on PostgreSQL", async () => (await team.tasks.get(id)).value?.owner === "team-lead");
    await lead.does(["TaskUpdate", { taskId: id, status: "completed" }]);
    await untilSeen("its end on PostgreSQL", async () => (await statusIn(team.tasks, id)) === "completed");
    return undefined;
  });
  await check("a task that its model gives to a member on PostgreSQL arrives as an assignment", async () => {
    const id = await create("Given");
    await lead.does(["TaskUpdate", { taskId: id, owner: "mate" }]);
    await untilSeen("the assignment", async () => {
      const { value = [] } = await team.mail("mate").page();
      return value.some(({ entry: { text = "" } }) => text.includes('"task_assignment"') && text.includes("Given"));
    });
    await untilSeen("its owner on PostgreSQL", async () => (await team.tasks.get(id)).value?.owner === "mate");
    await shared.troupe("task", "complete", team.name, id);
    await untilSeen("its end in the files", async () => (await statusIn(files, id)) === "completed");
    return undefined;
  });
}
