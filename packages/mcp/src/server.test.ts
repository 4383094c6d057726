import { expect, test } from "vitest";
import { connect, versions } from "../test/client.ts";
import { scene } from "../test/place.ts";

const names = async (one: Awaited<ReturnType<typeof connect>>) =>
  (await one.client.listTools()).tools.map(({ name }) => name);
const looks = ["team_status", "list_tasks", "get_task"];
const hands = ["send_message", "create_task", "claim_task", "update_task", "complete_task"];
const acts = [...hands, "read_mail", "answer_request"];

test.for(versions)("%s: who only looks, who takes part and who leads is offered as much", async (version) => {
  const { observer, member, hand, lead } = await scene("2026-02", "alice");
  expect(await names(await connect(observer, version))).toEqual(looks);
  expect(await names(await connect(hand("alice"), version))).toEqual([...looks, ...hands]);
  expect(await names(await connect(member("alice"), version))).toEqual([...looks, ...acts]);
  expect(await names(await connect(lead(), version))).toEqual([...looks, ...acts, "spawn_member", "stop_member"]);
});

test("each tool has schemas of what it takes and gives, says what it does in few words, and names nobody it acts as", async () => {
  const { lead } = await scene("2026-11");
  const { tools } = await (await connect(lead())).client.listTools();
  expect(tools).toHaveLength(12);
  for (const { name, description = "", inputSchema, outputSchema, annotations } of tools) {
    expect([name, outputSchema?.["type"], typeof annotations?.readOnlyHint]).toEqual([name, "object", "boolean"]);
    expect(description.split(" ").length, name).toBeLessThan(60);
    expect(Object.keys(inputSchema.properties ?? {}), name).not.toContain("as");
  }
});

test("one that only looks can change nothing, whatever it calls", async () => {
  const { observer, team } = await scene("2026-02", "alice");
  const { client } = await connect(observer);
  await expect(client.callTool({ name: "send_message", arguments: { to: "alice", message: "hi" } })).rejects.toThrow(
    "send_message",
  );
  expect((await team.mail("alice").page()).value ?? []).toEqual([]);
});

test.for(["2026-02", "2026-11"] as const)(
  "%s: a message is handed out once, stays unread until the next call, and the lead is told of the turn's end",
  async (revision) => {
    const { member, team } = await scene(revision, "alice");
    const lead = await team.as("team-lead");
    await lead.send("alice", { text: "Is the fence green?", summary: "fence" });
    const alice = await connect(member("alice"));
    const unread = async () =>
      ((await team.mail("alice").page()).value ?? []).filter(({ entry }) => entry.read !== true).length;
    expect(await alice.ask("read_mail")).toMatchObject({
      messages: [{ from: "team-lead", text: "Is the fence green?", summary: "fence" }],
    });
    expect(await unread()).toBe(1);
    await alice.ask("send_message", { to: "lead", message: "It is." });
    expect(await unread()).toBe(1);
    expect(await alice.ask("read_mail", { report: "looked at the fence" })).toEqual({ messages: [] });
    expect(await unread()).toBe(0);
    const lease = await lead.receive();
    const heard = await lease.wait();
    const more = heard.length > 1 ? heard : await lease.wait();
    await lease.release();
    const texts = [...heard, ...more].map(({ entry }) => entry.text).join("\n");
    expect(texts).toContain("It is.");
    expect(texts).toContain("idle_notification");
  },
);

test("a hand of a member acts in its name beside the process that has its mail, and takes none of it", async () => {
  const { member, hand, team } = await scene("2026-02", "alice", "bob");
  const [alice, other] = [await connect(member("alice")), await connect(hand("alice"))];
  await (await team.as("bob")).send("alice", { text: "hello" });
  await other.ask("send_message", { to: "bob", message: "from her hand" });
  const { task } = (await other.ask("create_task", { subject: "Paint" })) as { task: { id: string } };
  expect(await other.ask("claim_task", task)).toMatchObject({ task: { owner: "alice" } });
  expect((await team.mail("bob").page()).value).toMatchObject([{ entry: { from: "alice", text: "from her hand" } }]);
  expect(await alice.ask("read_mail")).toMatchObject({ messages: [{ text: "hello" }] });
});
