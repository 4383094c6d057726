import { readFileSync } from "node:fs";
import { revisions } from "@troupe/protocol";
import { describe, expect, test } from "vitest";
import { words } from "../../test/entries.ts";
import { attended, born, crew, gate, waitingFor, writeForeign } from "../../test/team.ts";

const ended = [words("noted")];
const said = () => ended;
const timestamp = "2026-02-13T10:10:53.467Z";
const mail = (text: string) =>
  `<teammate-message teammate_id="team-lead" summary="${text}">\n${text}\n</teammate-message>`;

describe.each(revisions)("in %s", (revision) => {
  const start = () => crew(revision, "alice");

  /** Alice's mail that she has not taken. */
  const waits = async ({ team }: Awaited<ReturnType<typeof start>>) =>
    (await waitingFor(team, "alice")).map(({ text }) => text);

  test("[ATP-INB-114] [INBOX-12] all that waits at one look is one turn of the user, in the order of the file", async () => {
    const all = await start();
    for (const text of ["one", "two", "three"]) await all.say("alice", text);
    const { agent, collect, heard } = await born(all, "alice", said);
    expect(await collect()).toBe(3);
    for await (const _ of agent.run());
    expect(heard()).toEqual([["one", "two", "three"].map(mail).join("\n"), "noted"]);
    expect(await waits(all)).toEqual([]);
  });

  test("[ATP-INB-115] the model sees who sent a message, its colour and summary, and structured bodies as they stand", async () => {
    const all = await crew(revision, "alice", "bob");
    const signed = { from: "team-lead", text: "signed", timestamp, lead_sig: "x" };
    const body = { type: "shutdown_request", requestId: "shutdown-1@alice", from: "team-lead", reason: "r", timestamp };
    await (await all.team.as("bob")).send("alice", { text: "a\nb", summary: "two lines" });
    await all.say("alice", "unsigned");
    await (await all.team.as("team-lead")).send("alice", { body } as never);
    writeForeign(all.inboxOf("alice"), signed);
    const { agent, collect, heard } = await born(all, "alice", said, { hasKey: true });
    await collect();
    for await (const _ of agent.run());
    expect(heard()[0]?.split(/\n(?=<teammate)/)).toEqual([
      '<teammate-message teammate_id="bob" color="green" summary="two lines">\na\nb\n</teammate-message>',
      '<teammate-message teammate_id="team-lead" summary="unsigned" verified="false">\nunsigned\n</teammate-message>',
      `<teammate-message teammate_id="team-lead" verified="false">\n${JSON.stringify(body)}\n</teammate-message>`,
      '<teammate-message teammate_id="team-lead">\nsigned\n</teammate-message>',
    ]);
  });

  test.each([0, 1, 2, 3])(
    "[ATP-INB-113] [ATP-LIF-014] killed when the journal has %i of 3 messages and none is acknowledged, each is delivered once",
    async (written) => {
      const all = await start();
      for (const text of ["one", "two", "three"]) await all.say("alice", text);
      const first = await born(all, "alice", said, { hears: written });
      await expect(first.agent.run().next()).rejects.toThrow("killed");
      await first.die();
      expect(await waits(all)).toHaveLength(3);

      const { agent, collect, heard } = await born(all, "alice", said);
      expect(await collect()).toBe(3 - written);
      for await (const _ of agent.run());
      expect(heard()).toEqual([["one", "two", "three"].map(mail).join("\n"), "noted"]);
      expect(await waits(all)).toEqual([]);
      expect(await collect()).toBe(0);
    },
  );

  test.each([0, 1, 2])(
    "[ATP-INB-107] killed when the journal has %i of two messages that are equal to the letter, both are delivered",
    async (written) => {
      const all = await start();
      const twin = { from: "bob", text: "twin", timestamp, msg_id: "7d08c805-4ef4-4ab2-8f2f-7d08c8054ef4" };
      writeForeign(all.inboxOf("alice"), twin, twin);
      const first = await born(all, "alice", said, { hears: written });
      await expect(first.agent.run().next()).rejects.toThrow("killed");
      await first.die();

      const { agent, collect, heard } = await born(all, "alice", said);
      await collect();
      for await (const _ of agent.run());
      expect(heard().join().match(/twin/g)).toHaveLength(2);
      expect(await collect()).toBe(0);

      writeForeign(all.inboxOf("alice"), twin);
      expect(await collect()).toBe(1);
      for await (const _ of agent.run());
      expect(heard().join().match(/twin/g)).toHaveLength(3);
      expect(await waits(all)).toEqual([]);
    },
  );

  test("[ATP-INB-112] a message that a stranger wrote with the least of fields is delivered under its name", async () => {
    const all = await start();
    const { agent, collect, heard, arrival } = await born(all, "alice", said);
    const arriving = arrival(new AbortController().signal);
    writeForeign(all.inboxOf("alice"), { from: "mallory", text: "hi", timestamp, color: "red", summary: "s" });
    await arriving;
    await collect();
    for await (const _ of agent.run());
    expect(heard()[0]).toContain('<teammate-message teammate_id="mallory" color="red" summary="s">\nhi');
  });

  test("[INBOX-13] [ATP-SND-009] 200 messages to a busy agent wait in the file until its turn ends, and are the next turn together", async () => {
    const all = await start();
    const sent = Array.from({ length: 200 }, (_, at) => `message ${at}`);
    const [busy, go] = [gate(), gate()];
    const life = await born(all, "alice", said);
    const hooks = {
      fire: async () => {
        busy.open();
        await go.opened;
        return { context: [], messages: [], errors: [] };
      },
    };
    life.agent.tell("start");
    const { stop } = await attended(all, "alice", life, { hooks });
    await busy.opened;
    const lead = await all.team.as("team-lead");
    await Promise.all(sent.map((text) => lead.send("alice", { text, summary: text })));
    expect(await waits(all)).toEqual(sent);
    expect(life.heard()).toEqual(["start", "noted"]);
    go.open();
    await all.leadHeard(2);
    await stop();
    expect(life.heard()).toEqual(["start", "noted", sent.map(mail).join("\n"), "noted"]);
    expect(await waits(all)).toEqual([]);
  });

  test("[RUNNER-04] [RUNNER-05] [RUNNER-07] who waits for mail is told at once of what is there, else when it comes, and can give up", async () => {
    const all = await start();
    const { arrival } = await born(all, "alice", said);
    const giving = new AbortController();
    const given = arrival(giving.signal);
    giving.abort();
    await expect(given).rejects.toThrow();
    const coming = arrival(new AbortController().signal);
    await all.say("alice", "here");
    await coming;
    await arrival(new AbortController().signal);
  });

  test("an inbox has one consumer, and whoever closes it leaves what waits to the next", async () => {
    const all = await start();
    const first = await born(all, "alice", said);
    await all.say("alice", "one");
    await first.collect();
    const second = await born(all, "alice", said);
    const later = second.collect();
    await first.die();
    expect(await later).toBe(1);
  });

  test("mail goes behind the agent's other inputs and does not interrupt the model", async () => {
    const all = await start();
    await all.say("alice", "mail");
    const { agent, collect, heard } = await born(all, "alice", said);
    await collect();
    agent.tell("a person");
    for await (const _ of agent.run());
    expect(heard()[0]).toBe(`a person\n${mail("mail")}`);
  });
});

test("an inbox that nobody wrote to is not made by whoever waits for it", async () => {
  const all = await crew("2026-11", "alice");
  const { collect } = await born(all, "alice", said);
  expect(await collect()).toBe(0);
  expect(() => readFileSync(all.inboxOf("alice"))).toThrow("ENOENT");
});
