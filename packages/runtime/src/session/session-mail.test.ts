import { readFileSync } from "node:fs";
import { type MessagesRequest, type Reply, toolUse } from "@troupe/fake-anthropic";
import { type Revision, revisions } from "@troupe/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { faked } from "../../test/faked.ts";
import { changed, opened, turn } from "../../test/sessions.ts";
import { crew } from "../../test/team.ts";
import type { Session } from "./session.ts";

type Says = (told: string, nth: number) => Reply | undefined;

const send = (to: string, message: unknown, summary = "news") =>
  toolUse("SendMessage", typeof message === "string" ? { to, message, summary } : { to, message });

/**
 * A lead and ann as sessions of one team, which answer what they were told last as it is said here;
 * bob is only on the roster.
 */
async function staffed(revision: Revision, { lead, ann }: { readonly lead?: Says; readonly ann?: Says }) {
  const all = await crew(revision, "ann", "bob");
  const asked = { lead: 0, ann: 0 };
  const lastOf = ({ messages }: MessagesRequest) => JSON.stringify(messages.at(-1)?.content);
  const { deps, fake } = await faked({
    rule: (request) => {
      const who = JSON.stringify(request.system).includes("You are ann.") ? "ann" : "lead";
      return (who === "ann" ? ann : lead)?.(lastOf(request), asked[who]++) ?? "Done.";
    },
  });
  const sessionOf = async (name: string, role: string) => {
    const self = await all.team.as(name);
    return opened(changed(deps, { revision, role, seat: { team: all.team, self, lead: "team-lead" } }));
  };
  return {
    all,
    leads: await sessionOf("team-lead", "You lead."),
    anns: await sessionOf("ann", "You are ann."),
    /** The last words to the lead, as the API has them. */
    leadsLast: () => {
      const last = fake.requests.filter(({ body }) => body.includes("You lead.")).at(-1);
      const { messages } = (last?.json ?? { messages: [] }) as MessagesRequest;
      return messages.at(-1)?.content.map(({ text }) => String(text)) ?? [];
    },
  };
}

/**
 * Attends until the test is over or the session has agreed to end; after each turn the test has its
 * say.
 */
function attended(session: Session, afterTurn: (nth: number) => Promise<void> = async () => {}): Promise<void> {
  const ending = new AbortController();
  let turns = 0;
  const over = (async () => {
    for await (const event of session.attendTeam(ending.signal)) if ("isOk" in event) await afterTurn(++turns);
  })();
  onTestFinished(() => {
    ending.abort("shutdown");
    return over;
  });
  return over;
}

const isIdle = ({ type }: Readonly<Record<string, unknown>>) => type === "idle_notification";

describe.each(revisions)("in %s", (revision) => {
  test("[ATP-MSG-005] the notice of a turn says whom it wrote to and what about if it wrote to a peer, and else nothing of the kind", async () => {
    const { all, anns } = await staffed(revision, {
      ann: (told) => {
        if (told.includes("write to bob")) return send("bob", "the columns are named", "the schema");
        if (told.includes("write to me")) return send("team-lead", "the columns are named", "the schema");
        return undefined;
      },
    });
    attended(anns);
    const notices: Readonly<Record<string, unknown>>[] = [];
    for (const [words, heard] of [
      ["write to bob", 1],
      ["write to nobody", 2],
      ["write to me", 4],
    ] as const) {
      await all.say("ann", words);
      notices.push((await all.leadHeard(heard)).at(-1) ?? {});
    }
    expect(notices.map(isIdle)).toEqual([true, true, true]);
    expect(notices.map(({ summary }) => summary)).toEqual(["[to bob] the schema", undefined, undefined]);
    expect(notices.map((notice) => Object.hasOwn(notice, "summary"))).toEqual([true, false, false]);
  });

  test("[ATP-MSG-103] who does not agree to end says so with its reason, and its turn is told like any other", async () => {
    const { all, leads, anns } = await staffed(revision, {
      lead: (_, nth) => (nth === 0 ? send("ann", { type: "shutdown_request", reason: "enough" }) : undefined),
      ann: (told) => {
        const request_id = /shutdown-\d+@ann/.exec(told)?.[0];
        const answer = { type: "shutdown_response", request_id, approve: false, reason: "half done" };
        return told.includes("asks you to end") ? send("team-lead", answer) : undefined;
      },
    });
    attended(anns);
    await turn(leads, "let ann go");
    const [rejected = {}, notice = {}] = await all.leadHeard(2);
    expect(Object.keys(rejected)).toEqual(["type", "requestId", "from", "reason", "timestamp"]);
    expect(rejected).toMatchObject({ type: "shutdown_rejected", from: "ann", reason: "half done" });
    expect(rejected["requestId"]).toMatch(/^shutdown-\d+@ann/);
    expect(notice).toMatchObject({ type: "idle_notification", from: "ann", idleReason: "available" });
    await all.say("ann", "go on then");
    expect((await all.leadHeard(3)).map(({ type }) => type)).toEqual([
      "shutdown_rejected",
      "idle_notification",
      "idle_notification",
    ]);
  });

  test(`[${revision === "2026-02" ? "ATP-MSG-022" : "ATP-MSG-107"}] the lead's model is told that a teammate has ended in the words of its revision, and no inbox has them`, async () => {
    const { all, leads, anns, leadsLast } = await staffed(revision, {
      lead: (_, nth) => (nth === 0 ? send("ann", { type: "shutdown_request", reason: "enough" }) : undefined),
      ann: (told) => {
        const request_id = /shutdown-\d+@ann/.exec(told)?.[0];
        const answer = { type: "shutdown_response", request_id, approve: true };
        return told.includes("asks you to end") ? send("team-lead", answer) : undefined;
      },
    });
    const { tasks } = await all.team.as("ann");
    for (const subject of ["paint", "sweep", "rest"]) await tasks.create({ subject, description: "the yard" });
    for (const id of ["1", "2", "3"]) await tasks.claim(id, "ann");
    await tasks.update("3", { status: "completed" });
    const over = attended(anns);
    await turn(leads, "let ann go");
    await over;
    await turn(leads);
    const told = leadsLast().join("\n");
    const message = 'ann has shut down. 2 task(s) were unassigned: #1 "paint", #2 "sweep".';
    if (revision === "2026-02")
      expect(told).toMatch(/^Task ann@crew \(type: in_process_teammate\) \(status: completed\)$/m);
    else
      expect(told).toContain(
        `<teammate-message teammate_id="system">\n${JSON.stringify({ type: "teammate_terminated", message })}\n</teammate-message>`,
      );
    expect(readFileSync(all.inboxOf("team-lead"), "utf8")).not.toMatch(/teammate_terminated|in_process_teammate/);
  });
});

test("[ATP-MSG-101] in 2026-11 the notice ends with what the turn said, and has no reason where another message waits already", async () => {
  const { all, anns } = await staffed("2026-11", {
    ann: (told) => (told.includes("write to bob") ? send("bob", "hello", "the schema") : "All is written."),
  });
  attended(anns, async (nth) => {
    if (nth === 1) await all.say("ann", "and one thing more");
  });
  await all.say("ann", "write to bob");
  const [first = {}, second = {}] = await all.leadHeard(2);
  expect(Object.keys(first)).toEqual(["type", "from", "timestamp", "summary", "result"]);
  expect(first).toMatchObject({ from: "ann", summary: "[to bob] the schema", result: "All is written." });
  expect(Object.keys(second)).toEqual(["type", "from", "timestamp", "idleReason", "result"]);
  expect(second).toMatchObject({ from: "ann", idleReason: "available", result: "All is written." });
  await all.say("ann", "write to bob");
  const third = (await all.leadHeard(3)).at(-1) ?? {};
  expect(Object.keys(third)).toEqual(["type", "from", "timestamp", "idleReason", "summary", "result"]);
});
