import { describe, expect, test } from "vitest";
import { toolUse } from "../../test/entries.ts";
import { done, opened, type StageDeps, stage, turn } from "../../test/sessions.ts";

const revisions = ["2026-02", "2026-11"] as const;
const send = (id: string, to: string, message: unknown = "The attic is empty.") =>
  toolUse(id, "SendMessage", { to, message, summary: "attic" });
const shutdown = { type: "shutdown_request", reason: "done" };

describe.each(revisions)("in %s", (revision) => {
  const session = (over: StageDeps = {}) => {
    const calls = [
      send("s1", "uds:/run/other.sock"),
      send("s2", "bridge:abc"),
      send("s3", "uds:/run/other.sock", shutdown),
    ];
    return stage({ "": [calls, done] }, { revision, ...over });
  };

  test("[SEND-11] another session is sent plain text alone, when the person lets it leave, and the model hears what became of it", async () => {
    const sent: object[] = [];
    const asked: string[] = [];
    const { deps } = session({
      otherSessions: async (message) => {
        sent.push(message);
        return message.to.startsWith("bridge:") ? { refusal: "nobody is connected" } : { isSent: true };
      },
      ask: async ({ tool, reason }) => {
        asked.push(`${tool}: ${reason}`);
        return { behavior: "allow" };
      },
    });
    const results = (await turn(opened(deps), "go")).talk[2]?.split("tool_use_id").slice(1) ?? [];
    expect(results[0]).toContain("Message sent to uds:/run/other.sock");
    expect(results[1]).toContain("Nothing was sent to bridge:abc: nobody is connected.");
    expect(results[2]).toContain("Another session takes plain text only");
    expect(sent).toEqual([
      { to: "uds:/run/other.sock", text: "The attic is empty." },
      { to: "bridge:abc", text: "The attic is empty." },
    ]);
    expect(asked).toEqual([
      "SendMessage: it leaves this session for uds:/run/other.sock",
      "SendMessage: it leaves this session for bridge:abc",
    ]);
  });

  test("[SEND-11] nothing leaves the session when the person does not want it, or when there is no way out", async () => {
    const sent: object[] = [];
    const otherSessions = async (message: object) => {
      sent.push(message);
      return { isSent: true } as const;
    };
    const denied = (await turn(opened(session({ otherSessions }).deps), "go")).talk[2];
    expect(denied?.match(/it was not allowed to leave this session: the user said no/g)).toHaveLength(2);
    expect((await turn(opened(session().deps), "go")).talk[2]).toContain("No other session can be reached from here");
    expect(sent).toEqual([]);
  });
});
