import { assertKeys, assertMatches, assertThat } from "../assert.ts";
import { countIn } from "../conversation.ts";
import { mateCheck } from "../mate-check.ts";

const request = (requestId: string) => ({
  type: "shutdown_request",
  requestId,
  from: "team-lead",
  reason: "the work is done",
  timestamp: new Date().toISOString(),
});
const id = "shutdown-1770535107409@ann";

/** How a teammate ends, or stays, and what it may not begin. */
export const mateEndChecks = [
  mateCheck({
    id: "MATE-END/a",
    title:
      "a teammate that agrees to end tells its lead with the id it was asked by, its pane and its backend, and ends",
    requirements: ["ATP-LIF-005", "ATP-MSG-008"],
    async run({ mate, dialect, put, letter, session, until }) {
      await mate.says("Done.");
      await put(request(id));
      const { answerEnd } = await dialect();
      assertThat(session.ended() === undefined, "it ended before its model was asked", session.ended());
      await mate.calls(answerEnd(id, true));
      const { body } = await letter("shutdown_approved");
      const wanted = { requestId: id, from: "ann", timestamp: { $match: "Z$" }, paneId: "%7", backendType: "tmux" };
      assertMatches("the answer", body, wanted);
      assertThat(Object.keys(body).length === 6, "it has other fields than the six", body);
      await until("the end of the process", () => {
        if (mate.isAsked()) mate.says("Bye.").catch(() => {});
        return session.ended() !== undefined;
      });
    },
  }),
  mateCheck({
    id: "MATE-STAY/a",
    title: "a teammate that refuses to end tells its lead why, and works on",
    requirements: ["ATP-LIF-005", "ATP-LIF-007"],
    async run({ mate, dialect, put, letter, session }) {
      await mate.says("Done.");
      await put(request(id));
      await mate.does((await dialect()).answerEnd(id, false, "not finished"));
      const { body, entry } = await letter("shutdown_rejected");
      assertMatches("the answer", body, { requestId: id, from: "ann", reason: "not finished" });
      assertMatches("its entry", entry, { color: "blue", summary: { $absent: true } });
      await mate.says("I go on.");
      await put("Good.");
      assertMatches("how often it was told", countIn(await mate.asked(), "Good."), 1);
      assertThat(session.ended() === undefined, "the process has ended", session.ended());
    },
  }),
  mateCheck({
    id: "MATE-STAY/b",
    title: "a refusal has its fields in the order of the reference client, and the notification of the turn follows",
    requirements: ["ATP-MSG-103"],
    async run({ mate, dialect, put, letter, letters, until }) {
      await mate.says("Done.");
      await letter("idle_notification");
      await put(request(id));
      await mate.does((await dialect()).answerEnd(id, false, "not finished"));
      const { body } = await letter("shutdown_rejected");
      assertKeys("the refusal", body, ["type", "requestId", "from", "reason", "timestamp"]);
      await mate.says("I go on.");
      await until("the notification of the turn", () => letters("idle_notification").length > 1);
    },
  }),
  mateCheck({
    id: "MATE-NOT-ASKED/a",
    title: "an answer to a request that nobody made is refused",
    requirements: ["ATP-SND-012"],
    revisions: ["2026-02"],
    async run({ mate, dialect, letters, session }) {
      const [result] = await mate.does((await dialect()).answerEnd("shutdown-1@ann", true));
      assertThat(result?.isError === true, "it went through", result);
      assertThat(letters("shutdown_approved").length === 0, "an approval is in the lead's inbox");
      assertThat(session.ended() === undefined, "the process has ended", session.ended());
    },
  }),
  mateCheck({
    id: "MATE-FLAT/a",
    title: "a teammate adds nobody to the team",
    requirements: ["ATP-LIF-012"],
    async run({ mate, dialect, post, team, never }) {
      const { spawn } = await dialect();
      const [result] = await mate.does(spawn({ name: "carol", prompt: "agent:carol. Begin.", team }));
      assertMatches(
        "the members",
        post.members().map(({ name }) => name),
        ["team-lead", "ann", "bob"],
      );
      await never("another member", () => post.member("carol") !== undefined);
      assertThat(!/teammate_spawned/.test(result?.text ?? ""), "the result says that it was started", result);
    },
  }),
  mateCheck({
    id: "MATE-STDIN/a",
    title: "what the tools of a teammate run reads nothing",
    requirements: ["ATP-BCK-012"],
    with: { mode: "bypassPermissions" },
    async run({ mate }) {
      const [result] = await mate.does([
        "Bash",
        { command: "readlink /proc/self/fd/0 || cat; echo over", description: "look" },
      ]);
      assertMatches("its standard input", result?.text, { $match: "^/dev/null\\nover" });
    },
  }),
];
