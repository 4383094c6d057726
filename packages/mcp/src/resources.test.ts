import { expect, test } from "vitest";
import { untilSeen } from "../../../scripts/awaited.ts";
import { type Connected, connect, type Version, versions } from "../test/client.ts";
import { scene } from "../test/place.ts";

async function read({ client }: Connected, uri: string): Promise<Record<string, unknown>> {
  const { contents } = await client.readResource({ uri });
  const [first] = contents;
  return JSON.parse(first && "text" in first ? String(first.text) : "null");
}

/** Hears of changes of these resources, as a client of its version does. */
async function listen({ client }: Connected, version: Version, uris: readonly string[]): Promise<readonly string[]> {
  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  if (version === "2026-07-28") await client.listen({ resourceSubscriptions: [...uris] });
  else for (const uri of uris) await client.subscribeResource({ uri });
  return heard;
}

test("the team, its tasks and one task can be looked at, and a member sees its own mail alone", async () => {
  const { observer, member, team } = await scene("2026-02", "alice", "bob");
  const { id } = await team.tasks.create({ subject: "Paint the fence", description: "green" });
  await (await team.as("bob")).send("alice", { text: "hello", summary: "hi" });
  const [onlooker, alice] = [await connect(observer), await connect(member("alice"))];
  expect(await read(onlooker, "troupe://team/crew")).toMatchObject({ team: "crew", lead: "team-lead" });
  expect(await read(onlooker, "troupe://team/crew/tasks")).toMatchObject({ tasks: [{ id, status: "pending" }] });
  expect(await read(onlooker, `troupe://team/crew/task/${id}`)).toMatchObject({ description: "green" });
  for (const one of [onlooker, alice])
    expect(await read(one, "troupe://team/crew/inbox/alice")).toMatchObject({
      messages: [{ from: "bob", text: "hello", isUnread: true }],
    });
  await expect(read(alice, "troupe://team/crew/inbox/bob")).rejects.toThrow("read troupe://team/crew/inbox/alice");
  for (const strange of ["task/99", "task/..", "inbox/nobody", "log/after/nothing", "%E0%A4%A"])
    await expect(read(alice, `troupe://team/crew/${strange}`), strange).rejects.toThrow();
  await expect(read(alice, "troupe://team/crew/task/99")).rejects.toMatchObject({ code: -32602 });
});

test("the log gives the newest events, and those behind any of them, two hundred at once", async () => {
  const { observer, team } = await scene("2026-02", "alice");
  const alice = await team.as("alice");
  for (let at = 0; at < 250; at++) await alice.record({ kind: "idle", at });
  const onlooker = await connect(observer);
  const events = async (part: string) =>
    (await read(onlooker, `troupe://team/crew/log${part}`))["events"] as { id: string; event: { at: number } }[];
  const newest = await events("");
  expect(newest.map(({ event }) => event.at)).toEqual(Array.from({ length: 200 }, (_, at) => at + 50));
  expect(await events(`/after/${newest[100]?.id}`)).toEqual(newest.slice(101));
});

test("a member that listens to the inbox of another is told nothing of it", async () => {
  const { member, team } = await scene("2026-02", "alice", "bob");
  const alice = await connect(member("alice"));
  const uris = ["bob", "alice"].map((name) => `troupe://team/crew/inbox/${name}`);
  const heard = await listen(alice, "2025-11-25", uris);
  const lead = await team.as("team-lead");
  await lead.send("bob", { text: "for bob" });
  await lead.send("alice", { text: "for alice" });
  await untilSeen("word of her own", () => heard.length > 0);
  expect(new Set(heard)).toEqual(new Set(uris.slice(1)));
});

test.for(versions)("%s: who subscribes is told of a change, and of nothing else", async (version) => {
  const { observer, team } = await scene("2026-11", "alice");
  const onlooker = await connect(observer, version);
  const heard = await listen(onlooker, version, ["troupe://team/crew/tasks"]);
  await (await team.as("team-lead")).send("alice", { text: "not for the list" });
  await team.tasks.create({ subject: "Paint the fence", description: "" });
  await untilSeen("the change of the tasks", () => heard.length > 0);
  expect(new Set(heard)).toEqual(new Set(["troupe://team/crew/tasks"]));
});

test("of a thousand messages to each none is missed, by a client that is told of its inbox and by one that waits", async () => {
  const { member, team } = await scene("2026-02", "alice", "bob");
  const lead = await team.as("team-lead");
  const [alice, bob] = [await connect(member("alice")), await connect(member("bob"))];
  const heard = await listen(alice, "2025-11-25", ["troupe://team/crew/inbox/alice"]);
  const count = 1_000;
  const sending = (async () => {
    for (let at = 0; at < count; at += 10) {
      const burst = Array.from({ length: 10 }, (_, next) => at + next);
      const both = ["alice", "bob"].flatMap((to) => burst.map((n) => lead.send(to, { text: `${to[0]}${n}` })));
      await Promise.all(both);
    }
  })();
  const take = async ({ ask }: Connected, args: Record<string, unknown>) =>
    ((await ask("read_mail", args)) as { messages: { text: string }[] }).messages.map(({ text }) => text);
  const texts = async (name: string, look: () => Promise<readonly string[]>) => {
    const all: string[] = [];
    while (all.length < count) all.push(...(await look()));
    expect(all).toEqual(Array.from({ length: count }, (_, at) => `${name}${at}`));
  };
  let seen = 0;
  await Promise.all([
    sending,
    texts("b", () => take(bob, { wait_seconds: 50 })),
    texts("a", async () => {
      await untilSeen("word of the inbox", () => heard.length > seen);
      seen = heard.length;
      return take(alice, {});
    }),
  ]);
});
