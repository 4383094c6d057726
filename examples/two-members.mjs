// A lead and a teammate, each a session, ask and answer each other by mail alone.
//   node examples/two-members.mjs
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { openSession, seatOf } from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";
import { openFileStore } from "@troupe/store/files";

const cwd = mkdtempSync(join(tmpdir(), "example-"));
const root = join(cwd, ".claude");
const at = { createdAt: Date.now(), cwd };
const store = openFileStore({ root });
const team = await store.createTeam({ name: "crew", leadSessionId: "a session", leadModel: "m", ...at });
await team.join({ name: "ann", agentType: "worker", model: "m", prompt: "", joinedAt: at.createdAt, cwd });

const send = (/** @type {string} */ to, /** @type {string} */ message) => [
  toolUse("SendMessage", { to, message, summary: message }),
];
const fake = await startFakeAnthropic({
  rule: ({ system, messages }) => {
    const last = JSON.stringify(messages.at(-1));
    const isAnn = JSON.stringify(system).includes("You are ann.");
    if (last.includes("tool_result")) return isAnn ? "I told the lead." : "I asked ann.";
    if (isAnn) return send("team-lead", "26 degrees");
    return last.includes("26 degrees") ? "It is 26 degrees, says ann." : send("ann", "How warm is it?");
  },
});
const client = new Anthropic({ baseURL: fake.url, apiKey: "none" });

const sessionOf = async (/** @type {string} */ name, /** @type {string} */ role) =>
  openSession({
    machine: { root, home: cwd, temporary: join(cwd, "tmp"), environment: {} },
    project: { cwd },
    role,
    model: anthropicModel({ client, now: () => new Date() }),
    key: { model: "claude-haiku-5-5", betas: [] },
    person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
    seat: await seatOf(team, name),
    onEvent: (event) => event.kind === "turn_ended" && console.log(`${name}: ${event.terminal.text}`),
  });
const [lead, ann] = [await sessionOf("team-lead", "You lead."), await sessionOf("ann", "You are ann.")];

const over = async (/** @type {AsyncIterable<unknown>} */ events) => {
  for await (const _ of events);
};
const ending = new AbortController();
const working = over(ann.attendTeam(ending.signal)); // turn after turn, and idle in between
await lead.submit("Ask ann how warm it is.");
await over(lead.run());
for (; !lead.journal.state().ended?.text.includes("26"); await over(lead.run())) await lead.mail(ending.signal);
ending.abort();
await working;
await Promise.all([lead.close(), ann.close(), store.close(), fake.close()]);
rmSync(cwd, { recursive: true });
