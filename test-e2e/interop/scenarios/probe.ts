import { readFileSync } from "node:fs";
import { join } from "node:path";
import { untilSeen } from "../../../scripts/awaited.ts";
import { expectSame } from "../checks.ts";
import { markOf } from "../conversation.ts";
import { makeTeam, startLead } from "../real-lead.ts";
import type { Scenario } from "../scenario.ts";

/** Facts of docs/protocol that were observed, by revision; what each is called tells what it is. */
type Facts = Readonly<Record<string, unknown>>;

/** Looks at a client as it works, and says which observed facts no longer hold. */
export const probe: Scenario = {
  id: "probe",
  title: "the observed facts, held against this version",
  async run({ client, check, open, repository }) {
    const facts: Record<string, Facts> = JSON.parse(
      readFileSync(join(repository, "test-e2e/interop/facts.json"), "utf8"),
    );
    const stage = await open();
    const lead = await startLead(stage, "--dangerously-skip-permissions", "--teammate-mode", "in-process");
    const name = await makeTeam(stage, lead);
    await lead.does(lead.dialect.spawn("helper", `${markOf("helper")} Wait.`, { team: name }));
    await lead.hears("idle_notification");
    const team = join(stage.root, "teams", name);
    const read = (path: string) => JSON.parse(readFileSync(join(team, path), "utf8"));
    const inbox = () => read("inboxes/team-lead.json") as { readonly read: boolean }[];
    await untilSeen("what becomes of its mail", () => inbox().every((entry) => entry.read));
    await lead.does(["TaskCreate", { subject: "s", description: "d" }]);
    const config = read("config.json");
    const tools =
      stage
        .agent("team-lead")
        .requests.at(-1)
        ?.tools.map((tool) => tool.name) ?? [];
    const notice = /\{"type":"idle_notification"[^\n]*\}/.exec(lead.told())?.[0] ?? "{}";
    const task = JSON.parse(
      readFileSync(join(stage.root, "tasks", name, lead.dialect.hasTeams ? "2.json" : "1.json"), "utf8"),
    );
    const observed: Facts = {
      "keys of config.json": Object.keys(config),
      "keys of the lead's entry": Object.keys(config.members[0]),
      "keys of a teammate's entry": Object.keys(config.members[1]),
      "a team is made by name": lead.dialect.hasTeams,
      "its model has the team's tools": [
        "Agent",
        "Task",
        "SendMessage",
        "TaskCreate",
        "TaskUpdate",
        "TaskList",
        "TaskGet",
      ].filter((tool) => tools.includes(tool)),
      "mail that was delivered stays in the inbox": inbox().length > 0,
      "keys of an idle notification": Object.keys(JSON.parse(notice)),
      "keys of a new task": Object.keys(task),
    };
    for (const [fact, found] of Object.entries(observed))
      await check(fact, async () => {
        expectSame("observed before", found, facts[client.revision]?.[fact]);
        return undefined;
      });
  },
};
