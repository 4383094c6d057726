import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toolUse } from "@troupe/fake-anthropic";
import { type Revision, revisions } from "@troupe/protocol";
import type { CallQuestion, Reply } from "@troupe/team";
import { expect, test } from "vitest";
import { add, company } from "../../test/company.ts";
import { words } from "../../test/entries.ts";
import { atWork, inboxIn, member } from "../../test/members.ts";
import { turn } from "../../test/sessions.ts";
import { crew, gate } from "../../test/team.ts";

const sessionId = "b7f5edcc-0000-4000-8000-000000000001";
const interactive = { revision: "2026-11", gates: { isInteractive: true }, sessionId } as const;
const write = (file_path: string) => [toolUse("Write", { file_path, content: "x" })];
const noticesIn = (requests: readonly object[]) =>
  JSON.stringify(requests.at(-1) ?? "").match(/idle_notification/g)?.length ?? 0;

test("[TEAM-19] teammates begin under the mode and rules of their lead, and an answer changes the mode of who asked, and of nobody else", async () => {
  const asked: CallQuestion[] = [];
  const bridge = async (question: CallQuestion): Promise<Reply> => {
    asked.push(question);
    return { behavior: "allow", updates: [{ type: "setMode", mode: "default", destination: "session" }] };
  };
  const flagSettings = JSON.stringify({ permissions: { deny: ["Bash(touch:*)"] } });
  const { lead, leads, cwd, sessions, specs, requestsOf } = await company(
    {
      "": (_, nth) => (nth === 0 ? [add("ann"), add("bob")] : "I wait."),
      ann: (_, nth) => [write(join(cwd, "ann.txt")), write(join(cwd, "../ann.txt"))][nth],
      bob: (_, nth) => [write(join(cwd, "bob.txt")), [toolUse("Bash", { command: "touch made" })]][nth],
    },
    { ...interactive, mode: "acceptEdits", bridge, flagSettings },
  );
  await turn(lead, "do it");
  await leads(() => noticesIn(requestsOf("")) >= 2);
  expect(specs.map(({ name, mode }) => [name, mode])).toEqual([
    ["ann", "acceptEdits"],
    ["bob", "acceptEdits"],
  ]);
  expect(asked).toMatchObject([{ tool: "Write", input: { file_path: join(cwd, "../ann.txt") } }]);
  expect(["ann.txt", "../ann.txt", "bob.txt", "made"].map((name) => existsSync(join(cwd, name)))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  const modes = [lead, sessions.get("ann"), sessions.get("bob")].map((one) => one?.permissions.mode());
  expect(modes).toEqual(["acceptEdits", "default", "acceptEdits"]);
});

test("[TEAM-34] a lead's message is a turn of its teammate's user, what that does comes back by mail, and its question to the lead's screen", async () => {
  const asked: CallQuestion[] = [];
  const bridge = async (question: CallQuestion): Promise<Reply> => {
    asked.push(question);
    return { behavior: "allow" };
  };
  const all = await company(
    {
      "": (said, nth) => {
        if (nth === 0) return add("ann");
        const isRested = said.includes("I did the part.");
        return isRested ? [toolUse("SendMessage", { to: "ann", summary: "more", message: "Now outside." })] : "I wait.";
      },
      ann: (said, nth) => {
        if (said.includes("Now outside.")) return write(join(all.cwd, "../outside.txt"));
        return nth === 0 ? "I did the part." : "It is written.";
      },
    },
    { ...interactive, bridge },
  );
  await turn(all.lead, "do it");
  await all.leads(() => JSON.stringify(all.requestsOf("").at(-1)).includes("It is written."));
  const told = all.requestsOf("ann")[1]?.messages.at(-1);
  expect(told?.role).toBe("user");
  expect(JSON.stringify(told)).toMatch(/<teammate-message teammate_id=.{1,2}team-lead.*Now outside\./);
  expect(asked).toMatchObject([{ tool: "Write", from: { name: "ann", color: "blue" } }]);
  expect(existsSync(join(all.cwd, "../outside.txt"))).toBe(true);
  expect(all.asked).toEqual([]);
  const heard = JSON.stringify(all.requestsOf("").at(-1)?.messages);
  expect(heard).toMatch(
    /teammate_id=.{1,2}ann.*idle_notification.*I did the part\..*idle_notification.*It is written\./,
  );
});

test("[RUNNER-09] a teammate has its lead's directory, environment, model and tools, a conversation and an end of its own", async () => {
  const [begun, go] = [gate(), gate()];
  const all = await company(
    {
      "": (_, nth) => (nth === 0 ? [add("ann"), add("bob")] : nth === 1 ? stuck() : "I wait."),
      ann: async (_, nth) => {
        if (nth > 0) return "I saw it.";
        await go.opened;
        return [toolUse("Bash", { command: "printf $COLOUR > seen" })];
      },
    },
    {
      ...interactive,
      mode: "bypassPermissions",
      isBypassAvailable: true,
      environment: { PATH: String(process.env["PATH"]), COLOUR: "green" },
    },
  );
  const stuck = async () => {
    begun.open();
    await go.opened;
    return "never heard";
  };
  const interrupt = new AbortController();
  await all.lead.submit("words for the lead alone");
  const run = (async () => {
    for await (const _ of all.lead.run(interrupt.signal));
  })();
  await begun.opened;
  interrupt.abort("user_interrupt");
  await run;
  await all.sessions.get("bob")?.close();
  go.open();
  await all.leads(() => JSON.stringify(all.requestsOf("").at(-1)).includes("I saw it."));
  expect(readFileSync(join(all.cwd, "seen"), "utf8")).toBe("green");
  expect(all.specs[0]).toMatchObject({ cwd: all.cwd, mode: "bypassPermissions", model: all.requestsOf("")[0]?.model });
  const [mine = {}, leads = {}] = [all.requestsOf("ann")[0], all.requestsOf("")[0]];
  const toolsOf = (request: object) =>
    ((request as { readonly tools?: readonly { readonly name: string }[] }).tools ?? []).map(({ name }) => name);
  expect(toolsOf(mine)).toEqual(expect.arrayContaining(["Bash", "Read", "Edit", "SendMessage"]));
  expect(toolsOf(leads)).toEqual(expect.arrayContaining(toolsOf(mine)));
  for (const request of all.requestsOf("ann")) {
    expect(JSON.stringify(request)).not.toContain("words for the lead alone");
    expect(JSON.stringify(request)).not.toContain("the part of bob");
  }
});

test.each(revisions)(
  "[RUNNER-06] in %s what is sent within one process is in the file when its result says so, wakes who waits, and is heard once",
  async (revision: Revision) => {
    const all = await crew(revision, "alice");
    const lead = await member(all, "team-lead", []);
    const alice = await member(all, "alice", () => [words("done")]);
    const send = (text: string) =>
      lead.membership.send({ kind: "message", to: "alice", text, summary: text, notifyWhenIdle: false });
    expect(await send("one")).toMatchObject({
      success: true,
      routing: { sender: "team-lead", target: "@alice", content: "one" },
    });
    expect(inboxIn(all, "alice")).toMatchObject([{ from: "team-lead", text: "one", read: false }]);
    atWork(alice);
    for (const [at, text] of ["two", "three"].entries()) {
      await all.leadHeard(at + 1);
      await send(text);
    }
    await all.leadHeard(3);
    const heard = alice.heard().join("\n");
    for (const text of ["one", "two", "three"]) expect(heard.split(`>\n${text}\n<`)).toHaveLength(2);
  },
);
