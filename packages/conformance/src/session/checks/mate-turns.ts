import { setTimeout as pause } from "node:timers/promises";
import { assertKeys, assertMatches, assertThat } from "../assert.ts";
import { countIn, toldTo } from "../conversation.ts";
import { mateCheck } from "../mate-check.ts";

const idle = "idle_notification";

/** The turns of a teammate: what begins one, and what its lead hears of its end. */
export const mateTurnChecks = [
  mateCheck({
    id: "MATE-FIRST/a",
    title: "what lay unread in its inbox when it started is told to its model, once and without a signal",
    requirements: ["ATP-LIF-014"],
    with: { prompt: "Look for the seven dwarfs." },
    async run({ mate }) {
      const times = countIn(await mate.asked(), "Look for the seven dwarfs.");
      assertMatches("how often the first message was told", times, 1);
    },
  }),
  mateCheck({
    id: "MATE-IDLE/a",
    title: "a turn's end is told to the lead as a JSON text, not a tool's call before it, and is no end of the member",
    requirements: ["ATP-LIF-002", "ATP-LIF-004", "ATP-MSG-001"],
    async run({ mate, letter, letters, never, post, until, put }) {
      await mate.does(["TaskList", {}]);
      await never("an idle notification in the middle of a turn", () => letters(idle).length > 0);
      await mate.says("Nothing to do.");
      const { body } = await letter(idle);
      assertMatches("the idle notification", body, { from: "ann", timestamp: { $match: "^\\d{4}-.*Z$" } });
      assertThat(post.member("ann") !== undefined, "an idle member is not in the config any more", post.members());
      await put("And now?");
      await until("another turn", () => mate.isAsked());
    },
  }),
  mateCheck({
    id: "MATE-IDLE/b",
    title: "an idle notification has four fields, and says that the member is available",
    requirements: ["ATP-MSG-004"],
    revisions: ["2026-02"],
    async run({ mate, letter }) {
      await mate.says("Done.");
      const { body } = await letter(idle);
      assertMatches("the idle notification", body, { from: "ann", idleReason: "available" });
      assertThat(Object.keys(body).length === 4, "it has other fields than the four", body);
    },
  }),
  mateCheck({
    id: "MATE-IDLE/c",
    title: "an idle notification brings the last words of the turn, its fields in the order of the reference client",
    requirements: ["ATP-MSG-101"],
    revisions: ["2026-11"],
    async run({ mate, letter, letters, put, until }) {
      await mate.says("The grammar has 214 rules.");
      const { body } = await letter(idle);
      assertKeys("the idle notification", body, ["type", "from", "timestamp", "idleReason", "result"]);
      assertMatches("it", body, { idleReason: "available", result: "The grammar has 214 rules." });
      await put("one");
      await mate.asked();
      await put("two");
      await mate.says("I go on.");
      const busy = await until("the second notification", () => letters(idle)[1]?.body);
      assertThat(!Object.hasOwn(busy, "idleReason"), "it says available where a message waits", busy);
    },
  }),
  mateCheck({
    id: "MATE-IDLE/d",
    title: "an idle notification carries the member's colour, and no summary outside its text",
    requirements: ["ATP-INB-026"],
    async run({ mate, letter }) {
      await mate.says("Done.");
      const { entry } = await letter(idle);
      assertMatches("the entry", entry, { color: "blue", summary: { $absent: true } });
    },
  }),
  mateCheck({
    id: "MATE-PEER/a",
    title: "the idle notification of a turn that wrote to another member says to whom and what about, others do not",
    requirements: ["ATP-MSG-005"],
    async run({ mate, dialect, letter, letters, put, until }) {
      await mate.does((await dialect()).send("bob", "The parser is yours.", "the parser"));
      await mate.says("Done.");
      const { body } = await letter(idle);
      assertMatches("the summary", body["summary"], { $match: "^\\[to bob\\] " });
      await put("And now?");
      await mate.says("Nothing.");
      const next = await until("the second notification", () => letters(idle)[1]?.body);
      assertThat(!Object.hasOwn(next, "summary"), "a turn without such a message has a summary", next);
    },
  }),
  mateCheck({
    id: "MATE-WAKE/a",
    title: "a message that another program puts into its inbox wakes an idle teammate, and is told once",
    requirements: ["ATP-SND-010", "ATP-SND-011"],
    async run({ mate, letter, put }) {
      await mate.says("Done.");
      await letter(idle);
      await put("Count the rules. \u{1F9EE}");
      assertMatches("how often it was told", countIn(await mate.asked(), "Count the rules. \u{1F9EE}"), 1);
      await mate.does(["TaskList", {}]);
      await mate.says("214.");
      await put("And the tests.");
      const last = await mate.asked();
      assertMatches("how often it was told in the end", countIn(last, "Count the rules."), 1);
    },
  }),
  mateCheck({
    id: "MATE-WAKE/b",
    title: "a message that comes just when a turn ends is told all the same, again and again",
    requirements: ["ATP-SND-010"],
    async run({ mate, put, until }, { random }) {
      const told = () => toldTo(mate.requests.at(-1) ?? { messages: [] });
      for (let round = 1; round <= 8; round += 1) {
        await mate.asked();
        // A turn takes a few milliseconds to end, or a few hundred beside other work.
        const sent = pause(2 ** (9 * random())).then(() => put(`Message ${round}.`));
        await mate.says(`I have read ${round - 1}.`);
        await sent;
        await until(`message ${round}`, () => told().includes(`Message ${round}.`));
      }
    },
  }),
  mateCheck({
    id: "MATE-WAKE/c",
    title: "a message reaches an idle teammate within the five seconds that a person would wait",
    requirements: ["ATP-SND-014"],
    async run({ mate, letter, put }, { scaled }) {
      await mate.says("Done.");
      await letter(idle);
      // What follows a turn may look at the inbox once more: only a sign tells what comes later.
      await pause(scaled(500));
      const begin = performance.now();
      await put("Count the rules.");
      await mate.asked();
      const ms = performance.now() - begin;
      assertThat(ms < scaled(5_000), `it took ${Math.round(ms)} ms`);
    },
  }),
  mateCheck({
    id: "MATE-BUSY/a",
    title: "a message to a busy teammate waits for the end of its turn",
    requirements: ["ATP-SND-009"],
    async run({ mate, put }) {
      await mate.asked();
      await put("Stop reading.");
      await mate.does(["TaskList", {}]);
      assertThat(!toldTo(await mate.asked()).includes("Stop reading."), "it was told in the middle of the turn");
      await mate.says("I read on.");
      assertMatches("how often it is told then", countIn(await mate.asked(), "Stop reading."), 1);
    },
  }),
  mateCheck({
    id: "MATE-TURN/a",
    title: "messages that wait at the same time make one turn, in the order of the file",
    requirements: ["ATP-INB-114"],
    revisions: ["2026-11"],
    async run({ mate, put }) {
      await mate.asked();
      await put("First word.");
      await put("Second word.");
      await mate.says("Done.");
      const told = toldTo(await mate.asked());
      const places = ["First word.", "Second word."].map((words) => told.indexOf(words));
      assertThat(
        places.every((at) => at > 0),
        "the next turn does not bring both",
        places,
      );
      assertThat((places[0] ?? 0) < (places[1] ?? 0), "the second stands before the first", places);
    },
  }),
  mateCheck({
    id: "MATE-TOLD/a",
    title: "its model sees who wrote a message, with colour and summary, around the text",
    requirements: ["ATP-INB-115"],
    revisions: ["2026-11"],
    async run({ mate, put }) {
      await mate.says("Done.");
      await put("Mind the gap.", { from: "bob", color: "green", summary: "gaps" });
      const told = toldTo(await mate.asked());
      const [tag = ""] = /<teammate-message [^>]*>(?=\s*Mind the gap\.)/.exec(told) ?? [];
      for (const part of ['teammate_id="bob"', 'color="green"', 'summary="gaps"'])
        assertThat(tag.includes(part), `what stands before the text lacks ${part}`, tag || told.slice(-500));
    },
  }),
  mateCheck({
    id: "MATE-STRANGER/a",
    title: "a message of somebody who is no member is delivered under that name",
    requirements: ["ATP-INB-112"],
    revisions: ["2026-11"],
    async run({ mate, put }) {
      await mate.says("Done.");
      await put("I am passing by.", { from: "stranger" });
      const told = toldTo(await mate.asked());
      assertThat(
        told.includes("I am passing by.") && told.includes("stranger"),
        "it was not told so",
        told.slice(-500),
      );
    },
  }),
  mateCheck({
    id: "MATE-SAMEID/a",
    title: "two entries of one msg_id are two messages",
    requirements: ["ATP-INB-107"],
    revisions: ["2026-11"],
    async run({ mate, put }) {
      await mate.asked();
      const same = { msg_id: "77c2c6cd-5f80-4858-ab91-8c1a194a7270" };
      await put("One of two.", same);
      await put("Two of two.", same);
      await mate.says("Done.");
      const told = toldTo(await mate.asked());
      for (const words of ["One of two.", "Two of two."]) assertThat(told.includes(words), `${words} is not told`);
    },
  }),
  mateCheck({
    id: "MATE-ACTIVE/a",
    title: "a member in a pane is active while it works and is not while it rests",
    requirements: ["ATP-MEM-014"],
    async run({ mate, post, until, put }) {
      const isActive = () => post.member("ann")?.["isActive"];
      await mate.asked();
      await until("isActive: true at work", () => isActive() === true);
      await mate.says("Done.");
      await until("isActive: false at rest", () => isActive() === false);
      await put("Go on.");
      await mate.asked();
      await until("isActive: true again", () => isActive() === true);
    },
  }),
];
