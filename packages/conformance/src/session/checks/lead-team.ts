import { join } from "node:path";
import { assertMatches, assertThat } from "../assert.ts";
import { countIn, toldTo } from "../conversation.ts";
import { leadCheck } from "../lead-stage.ts";
import { putEntry } from "../put-entry.ts";

/** A lead and the teammates that run beside it. */
export const leadTeamChecks = [
  leadCheck({
    id: "LEAD-SPAWN/a",
    title: "a teammate is in the config before its model is asked first",
    requirements: ["ATP-LIF-001"],
    async run({ spawn, memberAtFirst }) {
      await spawn({ name: "ann", prompt: "Begin." });
      assertMatches("the member when its model was asked", memberAtFirst("ann"), {
        name: "ann",
        prompt: { $match: "Begin\\." },
      });
    },
  }),
  leadCheck({
    id: "LEAD-SPAWN/b",
    title: "outside tmux a teammate runs in-process, is told its prompt once, and has no entry for it",
    requirements: ["ATP-BCK-001", "ATP-INB-009"],
    async run({ spawn, post }) {
      const ann = await spawn({ name: "ann", prompt: "Count the seven dwarfs." });
      assertMatches("the member", post.member("ann"), { backendType: "in-process", tmuxPaneId: "in-process" });
      assertMatches("how often it was told", countIn(await ann.asked(), "Count the seven dwarfs."), 1);
      assertMatches("the entries of its inbox", post.to("ann").length, 0);
    },
  }),
  leadCheck({
    id: "LEAD-SPAWN/c",
    title: "a teammate knows nothing of what its lead was told, nor of what another was",
    requirements: ["ATP-LIF-011", "ATP-BCK-010"],
    with: { prompt: "The password is swordfish." },
    async run({ spawn, lead }) {
      const ann = await spawn({ name: "ann", prompt: "The tower is grey." });
      const bob = await spawn({ name: "bob", prompt: "The bridge is red." });
      const [first, second] = [await ann.asked(), await bob.asked()].map((request) => JSON.stringify(request));
      assertThat(toldTo(await lead.asked()).includes("swordfish"), "the lead was not told its own prompt");
      for (const [who, request = "", own, other] of [
        ["ann", first, "The tower is grey.", "The bridge is red."],
        ["bob", second, "The bridge is red.", "The tower is grey."],
      ] as const) {
        assertThat(request.includes(own), `${who} was not told its prompt`);
        for (const words of ["swordfish", other])
          assertThat(!request.includes(words), `the model of ${who} was told: ${words}`);
      }
    },
  }),
  leadCheck({
    id: "LEAD-SPAWN/d",
    title: "what lies in an inbox of that name before the spawn stays there and is told",
    requirements: ["ATP-INB-027"],
    async run({ spawn, makeTeam, until, post }, context) {
      const team = await makeTeam();
      await putEntry(context, join(context.root, "teams", team, "inboxes/ann.json"), "I was here first.");
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      assertThat(
        post.to("ann").some(({ entry }) => entry["text"] === "I was here first."),
        "the entry is gone",
        post.to("ann"),
      );
      await ann.says("Done.");
      await until("a turn in which it is told", () =>
        ann.requests.some((request) => countIn(request, "I was here first.") === 1),
      );
    },
  }),
  leadCheck({
    id: "LEAD-SEND/a",
    title: "a lead's message to a teammate beside it goes through its inbox, with the summary and without a colour",
    requirements: ["ATP-INB-023", "ATP-INB-013", "ATP-SND-003"],
    async run({ spawn, lead, dialect, post }) {
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      const text = 'Look at "rule 3".\n';
      await lead.does((await dialect()).send("ann", text, "rule 3"));
      const entry = post.to("ann").at(-1)?.entry;
      assertMatches("the entry", entry, { from: "team-lead", text, summary: "rule 3", color: { $absent: true } });
      await ann.says("Done.");
      assertMatches("how often it was told", countIn(await ann.asked(), 'Look at "rule 3".'), 1);
    },
  }),
  leadCheck({
    id: "LEAD-IDLE/a",
    title: "a teammate beside its lead tells of its turn's end by the inbox, stays a member, and has no isActive",
    requirements: ["ATP-LIF-002", "ATP-LIF-004", "ATP-INB-023", "ATP-MEM-014"],
    async run({ spawn, letter, post }) {
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      await ann.says("Done.");
      const { body } = await letter("idle_notification", "team-lead");
      assertMatches("the notification", body, { from: "ann" });
      assertMatches("the member", post.member("ann"), { name: "ann", isActive: { $absent: true } });
    },
  }),
  leadCheck({
    id: "LEAD-HEARS/a",
    title: "what teammates write is told to the lead at its turn's end, once, and not before",
    requirements: ["ATP-SND-009", "ATP-SND-011"],
    async run({ spawn, lead, dialect }) {
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      await ann.does((await dialect()).send("team-lead", "The grammar has 214 rules."));
      await lead.does(["TaskList", {}]);
      assertMatches("how often it was told in its turn", countIn(await lead.asked(), "214 rules"), 0);
      await lead.says("I wait.");
      assertMatches("how often it is told then", countIn(await lead.asked(), "214 rules"), 1);
    },
  }),
  leadCheck({
    id: "LEAD-FLAT/a",
    title: "a teammate beside its lead adds nobody to the team",
    requirements: ["ATP-LIF-012"],
    async run({ spawn, dialect, post, makeTeam, never }) {
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      const team = await makeTeam();
      const [result] = await ann.does((await dialect()).spawn({ name: "carol", prompt: "agent:carol. Begin.", team }));
      await never("another member", () => post.member("carol") !== undefined);
      assertThat(!/teammate_spawned/.test(result?.text ?? ""), "the result says that it was started", result);
    },
  }),
];
