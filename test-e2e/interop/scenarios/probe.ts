import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@troupe/protocol";
import { untilSeen } from "../../../scripts/awaited.ts";
import { expectSame } from "../checks.ts";
import { markOf } from "../conversation.ts";
import { watchEntries } from "../observe/entries.ts";
import type { Facts, Observe } from "../observe/facts.ts";
import { observeMail } from "../observe/mail.ts";
import { observePane } from "../observe/pane.ts";
import type { Scene } from "../observe/scene.ts";
import { observeTasks } from "../observe/tasks.ts";
import { observeTeam } from "../observe/team.ts";
import { observeTools } from "../observe/tools.ts";
import { makeTeam, startLead } from "../real-lead.ts";
import type { Given, Scenario } from "../scenario.ts";

/** Looks at a client as it works, and says which observed facts no longer hold. */
export const probe: Scenario = {
  id: "probe",
  title: "the observed facts, held against this version",
  async run(given) {
    const { client, check, repository } = given;
    const known: Record<string, Facts> = JSON.parse(
      readFileSync(join(repository, "test-e2e/interop/facts.json"), "utf8"),
    );
    const expected = known[client.revision] ?? {};
    const seen: Record<string, unknown> = {};
    const observe: Observe = (fact, look) =>
      check(fact, async () => {
        const found = (await look()) ?? null;
        seen[fact] = found;
        expectSame("observed before", found, expected[fact]);
        return undefined;
      });
    await inOneProcess(given, observe);
    await inPanes(given, observe);
    for (const fact of Object.keys(expected).filter((fact) => !Object.hasOwn(seen, fact)))
      await check(fact, () => Promise.reject(new Error("it could not be looked at")));
    writeFileSync(join(repository, `.reports/interop/facts-${client.version}.json`), JSON.stringify(seen, null, 2));
  },
};

async function sceneOf(given: Given, observe: Observe, ...flags: readonly string[]): Promise<Scene> {
  const stage = await given.open();
  const lead = await startLead(stage, ...flags);
  const name = await makeTeam(stage, lead);
  const team = join(stage.root, "teams", name);
  return { stage, lead, name, team, root: stage.root, entries: watchEntries(team), observe };
}

/** Each part is looked at even where one before it broke off. */
async function parts(scene: Scene, ...all: readonly ((scene: Scene) => Promise<void>)[]): Promise<void> {
  for (const part of all)
    await part(scene).catch((error) => scene.observe(`${part.name} comes to its end`, () => messageOf(error)));
  scene.entries.close();
}

async function inOneProcess(given: Given, observe: Observe): Promise<void> {
  const scene = await sceneOf(given, observe, "--dangerously-skip-permissions", "--teammate-mode", "in-process");
  await parts(scene, observeTools, observeTeam, atWork, observeMail, observeTasks, observeEnd);
}

/** A lead reads its mail once it has added somebody. */
async function atWork({ lead, name }: Scene): Promise<void> {
  await lead.does(lead.dialect.spawn("other", `${markOf("other")} Wait.`, { team: name }));
}

async function observeEnd({ lead, root, stage, name, observe }: Scene): Promise<void> {
  if (lead.dialect.hasTeams) return;
  await lead.exit();
  await untilSeen("the end of the team", async () => !(await stage.store.openTeam(name)));
  await observe("the tasks of a team that has ended stay", () => {
    try {
      readFileSync(join(root, "tasks", name, ".highwatermark"));
      return true;
    } catch {
      return false;
    }
  });
}

const inPanes = async (given: Given, observe: Observe): Promise<void> =>
  parts(await sceneOf(given, observe, "--teammate-mode", "tmux", "--permission-mode", "default"), observePane);
