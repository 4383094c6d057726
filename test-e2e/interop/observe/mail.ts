import { mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scene } from "./scene.ts";

/** What a lead makes of mail that others write, and how it writes itself. */
export async function observeMail({ lead, stage, team, name, observe }: Scene): Promise<void> {
  await stage.troupe("team", "join", name, "mate");
  const inbox = join(team, "inboxes/mate.json");
  const [said = "{}"] = await lead.does(lead.dialect.send("mate", "first"));
  await observe("keys of the answer to a message, and of its routing", () => {
    // Later versions write it on one line, and words for the model may stand behind it.
    const answer = JSON.parse(said.startsWith("{\n") ? said : (said.split("\n")[0] ?? ""));
    // The colour of its recipient is there in some runs alone.
    return [Object.keys(answer), Object.keys(answer.routing).filter((key) => key !== "targetColor")];
  });
  await observe("an inbox is written", async () => {
    const before = statSync(inbox).ino;
    await lead.does(lead.dialect.send("mate", "second"));
    return statSync(inbox).ino === before ? "in place" : "as a temporary file that is renamed";
  });
  await observe("a message to nobody is refused", async () => {
    const [answer = ""] = await lead.does(lead.dialect.send("nobody", "third"));
    return !/"success":\s*true/.test(answer);
  });
  await observe("a message to all is delivered", async () => {
    await lead.does(lead.dialect.broadcast("to all"));
    return readFileSync(inbox, "utf8").includes("to all");
  });
  const odd: Readonly<Record<string, object>> = {
    "from, text and timestamp alone": {},
    "an unknown key": { strange: 1 },
    "a sender who is no member": { from: "stranger" },
    "read: true": { read: true },
    "no timestamp": { timestamp: undefined },
    "a msg_id, once": { msg_id: "5c1f8a40-0000-4000-8000-000000000001" },
    "the same msg_id, again": { msg_id: "5c1f8a40-0000-4000-8000-000000000001" },
    "the last": {},
  };
  const entries = Object.entries(odd).map(([what, more]) => ({
    from: "mate",
    text: `entry with ${what}.`,
    timestamp: new Date().toISOString(),
    ...more,
  }));
  const own = join(team, "inboxes/team-lead.json");
  mkdirSync(`${own}.lock`);
  const before = JSON.parse(readFileSync(own, "utf8"));
  writeFileSync(own, JSON.stringify([...before, ...entries], null, 2));
  rmdirSync(`${own}.lock`);
  await lead.hears("entry with the last.");
  for (const what of Object.keys(odd))
    await observe(`an entry with ${what} is delivered`, () => lead.told().includes(`entry with ${what}.`));
}
