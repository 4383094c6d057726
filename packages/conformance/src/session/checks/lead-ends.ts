import { assertMatches, assertThat } from "../assert.ts";
import { toldTo } from "../conversation.ts";
import { leadCheck } from "../lead-stage.ts";

const asked = { from: "team-lead", requestId: { $match: "^shutdown-[0-9]{13}@ann$" }, reason: "the work is done" };

/** How a lead lets its teammates go. */
export const leadEndChecks = [
  leadCheck({
    id: "LEAD-END/a",
    title: "a lead asks a teammate to end by a message of five fields, whose id names the time and the member",
    requirements: ["ATP-MSG-006", "ATP-MSG-007"],
    async run({ spawn, lead, dialect, letter }) {
      await spawn({ name: "ann", prompt: "Begin." });
      await lead.does((await dialect()).askToEnd("ann", "the work is done"));
      const { body } = await letter("shutdown_request", "ann");
      assertMatches("the request", body, { ...asked, timestamp: { $match: "Z$" }, request_id: { $absent: true } });
      assertThat(Object.keys(body).length === 5, "it has other fields than the five", body);
    },
  }),
  leadCheck({
    id: "LEAD-END/b",
    title: "the text of a request to end stands in its reason, and the result of the call has the id and the name",
    requirements: ["ATP-MSG-009", "ATP-SND-007"],
    revisions: ["2026-02"],
    async run({ spawn, lead, dialect, letter }) {
      await spawn({ name: "ann", prompt: "Begin." });
      const [result] = await lead.does((await dialect()).askToEnd("ann", "the work is done"));
      const { body } = await letter("shutdown_request", "ann");
      assertMatches("the request", body, { reason: "the work is done" });
      const { requestId } = body;
      const message = `Shutdown request sent to ann. Request ID: ${requestId}`;
      const none = { routing: { $absent: true }, recipients: { $absent: true } };
      const wanted = { success: true, message, request_id: requestId, target: "ann", ...none };
      assertMatches("the result", JSON.parse(result?.text ?? "{}"), wanted);
    },
  }),
  leadCheck({
    id: "LEAD-END/c",
    title: "the result of a request to end has the id and the name, and its reason stands in the message",
    requirements: ["ATP-SND-106"],
    revisions: ["2026-11"],
    async run({ spawn, lead, dialect, letter }) {
      await spawn({ name: "ann", prompt: "Begin." });
      const [result] = await lead.does((await dialect()).askToEnd("ann", "the work is done"));
      const { body } = await letter("shutdown_request", "ann");
      assertMatches("the request", body, { reason: "the work is done" });
      const wanted = { success: true, request_id: body["requestId"], target: "ann", message: { $any: true } };
      assertMatches("the result", JSON.parse(result?.text ?? "{}"), wanted);
    },
  }),
  leadCheck({
    id: "LEAD-GONE/a",
    title:
      "a teammate that agrees to end tells the lead, and is no member any more; no inbox says that it was terminated",
    requirements: ["ATP-LIF-005", "ATP-LIF-006", "ATP-MEM-015", "ATP-MSG-021"],
    async run({ spawn, lead, letter, letGo, until, post }) {
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      const { body } = await letGo("ann", ann);
      const { requestId } = (await letter("shutdown_request", "ann")).body;
      const wanted = { requestId, from: "ann", paneId: "in-process", backendType: "in-process" };
      assertMatches("the answer", body, wanted);
      await lead.says("I wait.");
      await until("a config without ann", () => !post.member("ann"));
      const told = post.inboxes().flatMap((name) => post.to(name).map(({ body }) => body["type"]));
      assertThat(!told.includes("teammate_terminated"), "teammate_terminated is in an inbox", told);
    },
  }),
  leadCheck({
    id: "LEAD-STAY/a",
    title: "a teammate that refuses to end stays a member and goes on",
    requirements: ["ATP-LIF-005", "ATP-LIF-007"],
    async run({ spawn, lead, dialect, letter, post }) {
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      const { askToEnd, answerEnd, send } = await dialect();
      await lead.does(askToEnd("ann", "the work is done"));
      const id = String((await letter("shutdown_request", "ann")).body["requestId"]);
      await ann.says("Done.");
      await ann.asked();
      await ann.does(answerEnd(id, false, "not finished"));
      const { body } = await letter("shutdown_rejected", "team-lead");
      assertMatches("the answer", body, { requestId: id, from: "ann", reason: "not finished" });
      await ann.says("I go on.");
      await lead.does(send("ann", "Well, go on."));
      assertThat(toldTo(await ann.asked()).includes("Well, go on."), "it was told nothing more");
      assertMatches("the member", post.member("ann"), { name: "ann" });
    },
  }),
  leadCheck({
    id: "LEAD-DELETE/a",
    title: "a team is not deleted while a teammate is at work",
    requirements: ["ATP-LIF-008"],
    revisions: ["2026-02"],
    async run({ spawn, lead, dialect, post }) {
      await spawn({ name: "ann", prompt: "Begin." });
      const [result] = await lead.does((await dialect()).endTeam());
      const isRefused = result?.isError === true || /"success":\s*false/.test(result?.text ?? "");
      assertThat(isRefused, "the call went through", result);
      assertMatches("the member", post.member("ann"), { name: "ann" });
    },
  }),
  leadCheck({
    id: "LEAD-RELEASE/a",
    title: "when a teammate ends, its unfinished tasks are nobody's, and the lead is told which",
    requirements: ["ATP-LIF-102", "ATP-MSG-107"],
    revisions: ["2026-11"],
    async run({ spawn, lead, letGo, until, post }) {
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      await lead.does(["TaskCreate", { subject: "Read rule 3", description: "all of it" }]);
      await lead.does(["TaskUpdate", { taskId: "1", owner: "ann", status: "in_progress" }]);
      await letGo("ann", ann);
      await lead.says("I wait.");
      await until("a config without ann", () => !post.member("ann"));
      const told = await until("teammate_terminated at the lead", () => {
        const last = lead.requests.at(-1);
        return last && toldTo(last).includes("teammate_terminated") && toldTo(last);
      });
      assertThat(
        /ann has shut down\..*Read rule 3/s.test(told),
        "it does not name the member and the task",
        told.slice(-600),
      );
      const [result] = await lead.does(["TaskGet", { taskId: "1" }]);
      assertThat(!/owner\W+ann/i.test(result?.text ?? ""), "the task is still hers", result);
    },
  }),
];
