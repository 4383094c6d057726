import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { awaited, untilSeen } from "../../../scripts/awaited.ts";
import { markOf, toldTo } from "../conversation.ts";
import { askToEnd, bid, dialectIn } from "../puppet.ts";
import { shapeOf } from "./facts.ts";
import type { Scene } from "./scene.ts";

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** The team's directory, its config, and a teammate in the lead's own process. */
export async function observeTeam({ lead, team, name, root, stage, entries, observe }: Scene): Promise<void> {
  const config = () => JSON.parse(readFileSync(join(team, "config.json"), "utf8"));
  const members = () => config().members as Record<string, unknown>[];
  const { leadSessionId } = config();
  await observe("a team is made by name", () => lead.dialect.hasTeams);
  await observe("name of a team", () =>
    name === `session-${String(leadSessionId).slice(0, 8)}` ? "session-<8 hex of the session id>" : "as called",
  );
  await observe("keys of config.json", () => Object.keys(config()));
  await observe("keys of the lead's entry", () => Object.keys(members()[0] ?? {}));
  await observe("tmuxPaneId of the lead", () => members()[0]?.["tmuxPaneId"]);
  await observe("config.json is JSON with two spaces and no newline at the end", () => {
    const text = readFileSync(join(team, "config.json"), "utf8");
    return text === JSON.stringify(JSON.parse(text), null, 2);
  });
  await observe("modes of the team's directory and of config.json", () => [
    modeOf(team),
    modeOf(join(team, "config.json")),
  ]);
  await observe("files of the tasks at the start", () => readdirSync(join(root, "tasks", name)).sort());
  const helper = stage.agent("helper");
  const [spawned = ""] = await lead.does(lead.dialect.spawn("helper", `${markOf("helper")} Wait.`, { team: name }));
  await observe("lines of the answer to a spawn", () => spawned.match(/^\w+(?=:)/gm));
  await observe("keys of a teammate's entry", () => Object.keys(members()[1] ?? {}));
  await observe("colour, tmuxPaneId and backendType of the first teammate", () => {
    const { color, tmuxPaneId, backendType } = members()[1] ?? {};
    return [color, tmuxPaneId, backendType];
  });
  await observe("keys of an idle notification", async () =>
    Object.keys((await entries.ofType("idle_notification")).body ?? {}),
  );
  await observe(
    "keys of the entry of an idle notification",
    async () => (await entries.ofType("idle_notification")).keys,
  );
  await observe("the prompt of one in the lead's process stands in its inbox", () =>
    readdirSync(join(team, "inboxes")).includes("helper.json"),
  );
  await lead.does(lead.dialect.send("helper", "hello helper"));
  await observe(
    "keys of the entry of a message of the lead",
    async () => (await entries.find("a message of the lead", ({ entry }) => entry["text"] === "hello helper")).keys,
  );
  // What its model is bidden next is for the turn behind this one.
  await awaited(
    "hello helper at its model",
    helper.seen((request) => toldTo(request).includes("hello helper")),
  );
  await bid(lead, helper, dialectIn(helper).send("team-lead", "hello lead"));
  await observe(
    "keys of the entry of a message of a teammate",
    async () => (await entries.find("a message of the teammate", ({ entry }) => entry["text"] === "hello lead")).keys,
  );
  await observe("what the lead's model is shown of a message", async () => {
    await lead.hears("hello lead");
    return /<teammate-message[^>]*>(?=\s*hello lead)/.exec(lead.told())?.[0];
  });
  await observe("mail that was delivered stays in the inbox", async () => {
    const inbox = () => JSON.parse(readFileSync(join(team, "inboxes/team-lead.json"), "utf8")) as { read: boolean }[];
    await untilSeen("what becomes of its mail", () => inbox().every((entry) => entry.read));
    return inbox().length > 0;
  });
  await observe("keys of a request to end, and its id", async () => {
    await askToEnd(lead, helper, { reason: "still busy" });
    const { body = {} } = await entries.ofType("shutdown_request");
    return [Object.keys(body), shapeOf(body["requestId"])];
  });
  await observe("keys of the refusal of a request to end", async () =>
    Object.keys((await entries.ofType("shutdown_rejected")).body ?? {}),
  );
  await observe("keys of the agreement to a request to end", async () => {
    await askToEnd(lead, helper);
    return Object.keys((await entries.ofType("shutdown_approved")).body ?? {});
  });
  await observe("the lead takes a teammate that ended out of the config", async () => {
    const isOut = (limitMs = 5_000) =>
      untilSeen("its end", () => members().length === 1, limitMs).then(
        () => true,
        () => false,
      );
    // Without a teammate at work some leads look at their mail with their next turn alone.
    return (await isOut()) || (await lead.say("what is new").then(() => isOut(30_000)));
  });
  // That it has ended is told besides where a turn begins before the lead looks at its mail.
  await observe("the lead's model hears that a teammate agreed to end", () =>
    lead.hears('"shutdown_approved"', 10_000).then(
      () => true,
      () => false,
    ),
  );
}
