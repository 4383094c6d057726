// A lead makes a team of two and lets it go in the end.   node examples/lead-and-two.mjs
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { inProcessBackend } from "@troupe/backends/in-process";
import { startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { openSession, seatOf } from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";
import { openFileStore } from "@troupe/store/files";

const cwd = mkdtempSync(join(tmpdir(), "example-"));
const [root, records] = [join(cwd, ".claude"), join(cwd, ".claude/troupe/backends")];
const store = openFileStore({ root });
const send = (/** @type {string} */ to, /** @type {object} */ message) => toolUse("SendMessage", { to, message });
const end = (/** @type {string} */ to) => send(to, { type: "shutdown_request", reason: "all is done" });
const add = (/** @type {string} */ name) => toolUse("Agent", { name, description: name, prompt: "your part" });
const fake = await startFakeAnthropic({
  rule: ({ system, messages }) => {
    const times = (/** @type {string} */ words) => JSON.stringify(messages).split(words).length - 1;
    const [, member] = /You are (\w+) in the team/.exec(JSON.stringify(system)) ?? [];
    const [request_id] = /shutdown-\d+@\w+/.exec(JSON.stringify(messages)) ?? [];
    const agreed = send("team-lead", { type: "shutdown_response", request_id, approve: true });
    if (member) return request_id ? [agreed] : `${member} is done.`;
    if (!times("TeamCreate")) return [toolUse("TeamCreate", { team_name: "crew" })];
    if (!times("your part")) return [add("ann"), add("bob")];
    if (!times("shutdown_request")) return times("idle_notification") < 2 ? "I wait." : [end("ann"), end("bob")];
    if (times("shutdown_approved") < 2) return "They are asked to end.";
    return times("TeamDelete") ? "All is done." : [toolUse("TeamDelete", {})];
  },
});
const given = {
  machine: { root, home: cwd, temporary: join(cwd, "tmp"), environment: {} },
  project: { cwd },
  role: "You work in a team.",
  model: anthropicModel({ client: new Anthropic({ baseURL: fake.url, apiKey: "none" }), now: () => new Date() }),
  key: { model: "claude-haiku-5-5", betas: [] },
  person: { ask: async () => ({ behavior: /** @type {const} */ ("deny"), message: "nobody is here" }) },
  store,
};
/** @type {import("@troupe/backends/in-process").InProcessDeps["open"]} */
const open = async ({ team: name, name: member, prompt }) => {
  const team = await store.openTeam(name);
  const seat = team && { ...(await seatOf(team, member)), isSpawned: true };
  const session = openSession({ ...given, seat });
  session.tell(prompt);
  return session;
};
const backends = [inProcessBackend({ root, records, warn: console.error, open })];
const onEvent = (/** @type {import("@troupe/runtime").SessionEvent} */ event) =>
  event.kind === "teammate" && /ready|ended/.test(event.seen.kind) && console.log(`${event.name}: ${event.seen.kind}`);
const lead = openSession({ ...given, backends, onEvent });
await lead.submit("Do it as a team.");
do {
  if (lead.membership()) await lead.mail(AbortSignal.timeout(60_000));
  for await (const _ of lead.run());
} while (lead.membership());
console.log(lead.journal.state().ended?.text);
await Promise.all([lead.close(), fake.close()]);
rmSync(cwd, { recursive: true });
