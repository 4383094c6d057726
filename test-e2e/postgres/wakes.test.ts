import type { Participant } from "@troupe/store";
import { migratePostgresStore, openPostgresStore } from "@troupe/store-postgres";
import { Client } from "pg";
import { expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { describeWithServer } from "./suite.ts";

const lead = { createdAt: 1_770_000_000_000, leadSessionId: "one", leadModel: "m", cwd: "/p" };
const mate = (name: string) => ({ name, agentType: "a", model: "m", prompt: "go", joinedAt: 1, cwd: "/p" });

interface Scene {
  readonly boss: Participant;
  /** A program without Troupe at the same tables. */
  readonly other: Client;
  /** So many hints were heard that name the mail of this member. */
  heardOf(name: string): number;
}

await describeWithServer("a hint of mail", (server) => {
  async function withHints(work: (scene: Scene) => Promise<void>): Promise<void> {
    const place = await server().newPlace();
    await migratePostgresStore(place);
    const store = await openPostgresStore(place);
    const [other, listener] = [new Client(place.url), new Client(place.url)];
    const heard: string[] = [];
    listener.on("notification", ({ payload = "" }) => heard.push(payload));
    try {
      const team = await store.createTeam({ name: "crew", ...lead });
      for (const name of ["alice", "bob"]) await team.join(mate(name));
      const boss = await team.as("team-lead");
      for (const client of [other, listener]) await client.connect();
      await listener.query("listen troupe");
      const heardOf = (name: string) =>
        heard.filter((payload) => payload.includes(Buffer.from(name).toString("base64url"))).length;
      for (const name of ["alice", "bob"]) await boss.send(name, { text: "first" });
      await untilSeen("the first hints", () => heardOf("alice") > 0 && heardOf("bob") > 0);
      heard.length = 0;
      await work({ boss, other, heardOf });
    } finally {
      for (const client of [other, listener]) await client.end();
      await store.close();
    }
  }

  test("is not told with those of others while its commit waits, and is told once that is done", () =>
    withHints(async ({ boss, other, heardOf }) => {
      await other.query("begin; update inbox set changed = changed where name = 'bob'");
      const begun = boss.send("alice", { text: "told at once" });
      const held = boss.send("bob", { text: "waits for its inbox" });
      await begun;
      while (heardOf("alice") < 3) await boss.send("alice", { text: "told with others" });
      expect(heardOf("bob")).toBe(0);
      await other.query("commit");
      await held;
      await untilSeen("the hint of what waited", () => heardOf("bob") > 0);
    }));

  test("that comes when another was told a moment ago is told after it", () =>
    withHints(async ({ boss, heardOf }) => {
      for (let times = 0; times < 5; times += 1) {
        const before = heardOf("bob");
        await Promise.all(["alice", "bob"].map((name) => boss.send(name, { text: "at once" })));
        await untilSeen("the hint of the second", () => heardOf("bob") > before);
      }
    }));
});
