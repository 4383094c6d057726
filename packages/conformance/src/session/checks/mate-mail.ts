import { placesOf, taskAt } from "../../concurrency/documents.ts";
import { assertMatches, assertThat } from "../assert.ts";
import { mateCheck } from "../mate-check.ts";

const hostile = 'The "rules" \\n are {"type": 3}.\n\tGrüße \u{1F9EE}  ';

/** What a teammate writes to others by the calls of its model. */
export const mateMailChecks = [
  mateCheck({
    id: "MATE-SEND/a",
    title:
      "a message goes into the inbox unchanged, with its summary and the sender's colour, to the lead and to others",
    requirements: ["ATP-SND-003", "ATP-SND-008", "ATP-INB-014"],
    async run({ mate, dialect, post }) {
      const { send } = await dialect();
      for (const to of ["team-lead", "bob"]) {
        const [result] = await mate.does(send(to, hostile, "the rules"));
        assertThat(result?.isError === false, `the message to ${to} was not sent`, result);
        const entry = post.to(to).at(-1)?.entry;
        assertMatches(`the entry at ${to}`, entry, { from: "ann", text: hostile, summary: "the rules", color: "blue" });
      }
    },
  }),
  mateCheck({
    id: "MATE-SEND/b",
    title: "the lead's inbox comes with its first message",
    requirements: ["ATP-INB-011"],
    async run({ mate, post, dialect }) {
      await mate.does(["TaskList", {}]);
      assertThat(!post.inboxes().includes("team-lead"), "it is there before any message", post.inboxes());
      await mate.does((await dialect()).send("team-lead", "Here I am."));
      assertThat(post.to("team-lead").length === 1, "the message is not in it", post.inboxes());
    },
  }),
  mateCheck({
    id: "MATE-UNKNOWN/a",
    title: "a message to a name that nobody has fails, and makes no inbox",
    requirements: ["ATP-SND-002"],
    async run({ mate, dialect, post }) {
      const [result] = await mate.does((await dialect()).send("nobody", "Are you there?"));
      const isRefused = result?.isError === true || /"success":\s*false/.test(result?.text ?? "");
      assertThat(isRefused, "the call did not fail", result);
      assertThat(!post.inboxes().includes("nobody"), "an inbox was made", post.inboxes());
    },
  }),
  mateCheck({
    id: "MATE-UNKNOWN/b",
    title: "a message to a name that nobody has says so, as success: false",
    requirements: ["ATP-SND-105"],
    revisions: ["2026-11"],
    async run({ mate, dialect }) {
      const [result] = await mate.does((await dialect()).send("nobody", "Are you there?"));
      const said = objectIn(result?.text);
      assertMatches("the result", said, {
        success: false,
        message: { $match: "^No agent named 'nobody' is reachable" },
      });
    },
  }),
  mateCheck({
    id: "MATE-RESULT/a",
    title: "the result of a message says where it went, with the colours that there are",
    requirements: ["ATP-SND-005"],
    revisions: ["2026-02"],
    async run({ mate, dialect }) {
      const { send } = await dialect();
      const [first, second] = await mate.does(send("bob", "Yours.", "s"), send("team-lead", "Yours.", "s"));
      const routing = { sender: "ann", target: "@bob", targetColor: "green", summary: "s", content: "Yours." };
      const wanted = { success: true, message: "Message sent to bob's inbox", routing };
      const none = { recipients: { $absent: true }, request_id: { $absent: true } };
      assertMatches("the result", objectIn(first?.text), { ...wanted, ...none });
      assertMatches("the routing to the lead", objectIn(second?.text)?.["routing"], { targetColor: { $absent: true } });
    },
  }),
  mateCheck({
    id: "MATE-RESULT/b",
    title: "the result of a message names its entry and both colours",
    requirements: ["ATP-SND-104"],
    revisions: ["2026-11"],
    async run({ mate, dialect, post }) {
      const [result] = await mate.does((await dialect()).send("bob", "Yours.", "s"));
      const routing = {
        sender: "ann",
        senderColor: "blue",
        target: "@bob",
        targetColor: "green",
        summary: "s",
        content: "Yours.",
      };
      const wanted = {
        success: true,
        message: "Message sent to bob's inbox",
        msg_id: post.to("bob")[0]?.entry["msg_id"],
        routing,
      };
      assertMatches("the result", objectIn(result?.text), wanted);
    },
  }),
  mateCheck({
    id: "MATE-LACK/a",
    title: "a call that lacks what a message needs writes nothing",
    requirements: ["ATP-SND-001", "ATP-SND-015"],
    revisions: ["2026-02"],
    async run({ mate, post }) {
      const lacking = [
        { type: "message", content: "no recipient", summary: "s" },
        { type: "message", recipient: "bob", summary: "no content" },
        { type: "message", recipient: "bob", content: "no summary" },
        { type: "broadcast", summary: "no content" },
        { type: "shutdown_response", approve: false },
        { type: "plan_approval_response", recipient: "bob", approve: true },
      ];
      const results = await mate.does(...lacking.map((input) => ["SendMessage", input] as const));
      assertThat(
        results.every(({ isError }) => isError),
        "a call went through",
        results,
      );
      assertMatches("the inboxes that were made", post.inboxes(), ["ann"]);
    },
  }),
  mateCheck({
    id: "MATE-SUMMARY/a",
    title: "a summary that is not given is filled from the text",
    requirements: ["ATP-SND-103"],
    revisions: ["2026-11"],
    async run({ mate, post }) {
      await mate.does(["SendMessage", { to: "bob", message: "The grammar has 214 rules." }]);
      assertMatches("the summary", post.to("bob")[0]?.entry["summary"], { $match: "The grammar has 214 rules" });
    },
  }),
  mateCheck({
    id: "MATE-ALL/a",
    title: "there is no broadcast: neither * nor a name with its team is a name",
    requirements: ["ATP-SND-101"],
    revisions: ["2026-11"],
    async run({ mate, post, team }) {
      const calls = ["*", `bob@${team}`].map(
        (to) => ["SendMessage", { to, summary: "s", message: "To all." }] as const,
      );
      const results = await mate.does(...calls);
      const failed = ({ isError, text }: (typeof results)[number]) => isError || /"success":\s*false/.test(text);
      assertThat(results.every(failed), "a call went through", results);
      assertMatches("the inboxes that were made", post.inboxes(), ["ann"]);
    },
  }),
  mateCheck({
    id: "MATE-ALL/b",
    title: "a broadcast goes to every other member, not to its sender, and the result names them",
    requirements: ["ATP-SND-004", "ATP-SND-006"],
    revisions: ["2026-02"],
    async run({ mate, dialect, post }) {
      const [result] = await mate.does((await dialect()).broadcast("To all."));
      const copies = ["team-lead", "ann", "bob"].map(
        (name) => post.to(name).filter(({ entry }) => entry["text"] === "To all.").length,
      );
      assertMatches("the copies at the lead, at ann, who sent it, and at bob", copies, [1, 0, 1]);
      const message = "Message broadcast to 2 teammate(s): team-lead, bob";
      const routing = { sender: "ann", target: "@team", content: "To all.", targetColor: { $absent: true } };
      assertMatches("the result", objectIn(result?.text), {
        success: true,
        message,
        recipients: ["team-lead", "bob"],
        routing,
        request_id: { $absent: true },
      });
    },
  }),
  mateCheck({
    id: "MATE-ALL/c",
    title: "a copy of a broadcast carries the summary and the sender's colour",
    requirements: ["ATP-INB-025"],
    revisions: ["2026-02"],
    async run({ mate, dialect, post }) {
      await mate.does((await dialect()).broadcast("To all."));
      assertMatches("the copy", post.to("bob").at(-1)?.entry, { summary: "a word to all", color: "blue" });
    },
  }),
  mateCheck({
    id: "MATE-ASSIGN/a",
    title: "who gives a task to a member sends it the assignment, six fields and nothing around them",
    requirements: ["ATP-TSK-044", "ATP-MSG-002", "ATP-MSG-003", "ATP-INB-015"],
    async run({ mate, letter }, context) {
      await mate.does(["TaskCreate", { subject: "Read it", description: "all of it" }]);
      await mate.does(["TaskUpdate", { taskId: "1", owner: "bob" }]);
      assertMatches("the task", taskAt(context, placesOf(context).task("1")), { owner: "bob" });
      const { entry, body } = await letter("task_assignment", "bob");
      const about = { taskId: "1", subject: "Read it", description: "all of it", assignedBy: "ann" };
      assertMatches("the assignment", body, { ...about, timestamp: { $match: "Z$" }, from: { $absent: true } });
      assertThat(Object.keys(body).length === 6, "it has other fields than the six", body);
      assertMatches("its entry", entry, { from: "ann", summary: { $absent: true }, color: { $absent: true } });
    },
  }),
  mateCheck({
    id: "MATE-ASSIGN/b",
    title: "who gives a task to its owner once more sends nothing",
    requirements: ["ATP-TSK-046"],
    async run({ mate, letter, letters, never }) {
      await mate.does(["TaskCreate", { subject: "Read it", description: "all of it" }]);
      await mate.does(["TaskUpdate", { taskId: "1", owner: "bob" }]);
      await letter("task_assignment", "bob");
      await mate.does(["TaskUpdate", { taskId: "1", owner: "bob" }]);
      await never("a second assignment", () => letters("task_assignment", "bob").length > 1);
    },
  }),
  mateCheck({
    id: "MATE-ASSIGN/c",
    title: "who takes a task itself sends itself no assignment",
    requirements: ["ATP-TSK-045"],
    revisions: ["2026-02"],
    async run({ mate, letters, never }, context) {
      await mate.does(["TaskCreate", { subject: "Read it", description: "all of it" }]);
      await mate.does(["TaskUpdate", { taskId: "1", owner: "ann" }]);
      assertMatches("the task", taskAt(context, placesOf(context).task("1")), { owner: "ann" });
      await never("an assignment to itself", () => letters("task_assignment", "ann").length > 0);
    },
  }),
  mateCheck({
    id: "MATE-ASSIGN/d",
    title: "who takes a task itself is sent the assignment as well",
    requirements: ["ATP-TSK-104"],
    revisions: ["2026-11"],
    async run({ mate, letter }) {
      await mate.does(["TaskCreate", { subject: "Read it", description: "all of it" }]);
      await mate.does(["TaskUpdate", { taskId: "1", owner: "ann" }]);
      await letter("task_assignment", "ann");
    },
  }),
];

/** The object that a result says; undefined where it is none. */
function objectIn(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
