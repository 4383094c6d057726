import type { Participant } from "@troupe/store";
import { openBridge } from "@troupe/store-postgres";
import { expect, test } from "vitest";
import { untilSeen } from "../../../scripts/awaited.ts";
import { openNetwork } from "../network.ts";
import { describeWithServer } from "../suite.ts";
import { type Root, withRoots } from "./roots.ts";

type Entries = readonly { readonly text: string }[];

/** What a member was sent, in the order of its file. */
function textsOf(root: Root, name: string): readonly string[] {
  try {
    return (root.read(`teams/crew/inboxes/${name}.json`) as Entries).map(({ text }) => text);
  } catch {
    return [];
  }
}

await describeWithServer("a bridge whose network to the database fails", (server) => {
  test("goes on when that is back: no message is lost, doubled or out of order", () =>
    withRoots(server(), "2026-11", async ({ place, a, b, team, shared }) => {
      const network = await openNetwork(place.url);
      const url = `${network.url}&query_timeout=500`;
      const near = await openBridge({ url, root: a.directory, host: "a", teams: ["crew"] });
      const far = await b.open();
      const over = new AbortController();
      const running = Promise.all([near.run(over.signal), far.run(over.signal)]);
      const alice = await (await team(a)).as("alice");
      const bob = await (await team(b)).as("bob");
      const crew = await shared.openTeam("crew");
      const sent: string[] = [];
      const say = async (from: Participant, to: string, words: string) => {
        for (const n of [1, 2, 3]) await from.send(to, { text: `${words} ${n}` });
      };
      /** Both speak; what bob says is in the database, whatever the network of alice does. */
      const speak = async (words: string) => {
        await say(alice, "bob", words);
        await say(bob, "alice", words);
        sent.push(...[1, 2, 3].map((n) => `${words} ${n}`));
        const isThere = async () => (await crew?.mail("alice").page())?.value?.at(-1)?.entry.text === `${words} 3`;
        await untilSeen(`what bob says ${words}`, isThere);
      };
      const arrived = async (words: string) => {
        for (const [root, name] of [[b, "bob"] as const, [a, "alice"] as const])
          await untilSeen(`all that ${name} was sent ${words}`, () => textsOf(root, name).length >= sent.length);
      };
      try {
        await speak("at first");
        await arrived("at first");

        network.loseNextCommit();
        await speak("as an answer is lost");
        await arrived("as an answer is lost");

        network.part();
        await speak("while parted");
        const { id } = await (await team(a)).tasks.create({ subject: "here", description: "" });
        expect((await alice.tasks.claim(id, "alice")).outcome).toBe("claimed");
        network.heal();
        await arrived("while parted");

        network.part();
        network.cut();
        await speak("while cut off");
        network.heal();
        await arrived("while cut off");

        network.lose();
        await speak("over connections that are dead");
        await arrived("over connections that are dead");

        await untilSeen("the claim in the other files", () => taskOwner(b, id) === "alice");
        await speak("at last");
        await arrived("at last");
        expect(textsOf(b, "bob")).toEqual(sent);
        expect(textsOf(a, "alice")).toEqual(sent);
      } finally {
        over.abort();
        network.heal();
        await running;
        await Promise.all([near.close(), far.close()]);
        await network.close();
      }
    }));
});

function taskOwner(root: Root, id: string): unknown {
  try {
    return (root.read(`tasks/crew/${id}.json`) as { readonly owner?: unknown }).owner;
  } catch {
    return undefined;
  }
}
