import { readFileSync } from "node:fs";
import { join } from "node:path";
import { awaited } from "../../../scripts/awaited.ts";
import { processesOf } from "../../processes.ts";
import { markOf, toldTo } from "../conversation.ts";
import { askToEnd } from "../puppet.ts";
import { allowAt } from "../scenarios/runtime-of-ours.ts";
import { shapeOf } from "./facts.ts";
import type { Scene } from "./scene.ts";

/** A teammate in a pane of tmux: how it is started, and what it asks its lead. */
export async function observePane({ lead, stage, team, name, entries, observe }: Scene): Promise<void> {
  const ann = stage.agent("ann");
  const [spawned = ""] = await lead.does(lead.dialect.spawn("ann", `${markOf("ann")} I am ann.`, { team: name }));
  await awaited(
    "the prompt",
    ann.seen((request) => toldTo(request).includes("I am ann.")),
  );
  const entry = () => JSON.parse(readFileSync(join(team, "config.json"), "utf8")).members[1] as Record<string, unknown>;
  await observe("lines of the answer to a spawn in a pane", () => spawned.match(/^\w+(?=:)/gm));
  // Whether it works is told from its first turn on.
  await observe("keys of the entry of a teammate in a pane", () =>
    Object.keys(entry()).filter((key) => key !== "isActive"),
  );
  await observe("arguments of a teammate in a pane", () => {
    const [pid] = processesOf("--agent-id\0ann@");
    // An earlier version calls its process by another title, which hides them.
    if (pid === undefined) return undefined;
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return words.filter((word) => word.startsWith("--"));
  });
  await observe(
    "keys of the entry of a prompt in a pane",
    async () =>
      (
        await entries.find(
          "the prompt",
          ({ owner, entry: { text } }) => owner === "ann" && String(text).includes("I am ann."),
        )
      ).keys,
  );
  await allowAt(stage, lead, lead.pane ?? "");
  await observe("keys of a question for permission, and its id", async () => {
    const { body = {} } = await entries.ofType("permission_request");
    return [Object.keys(body), shapeOf(body["request_id"])];
  });
  await observe("keys of the answer to a question for permission", async () => {
    const { body = {} } = await entries.ofType("permission_response");
    return [Object.keys(body), Object.keys((body["response"] as object | undefined) ?? {})];
  });
  await askToEnd(lead, ann);
  await observe("keys of the agreement of one in a pane", async () =>
    Object.keys((await entries.ofType("shutdown_approved")).body ?? {}),
  );
}
