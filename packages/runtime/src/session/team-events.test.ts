import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { member } from "../../test/members.ts";
import { crew, until } from "../../test/team.ts";

test("what a teammate does stands in the history of its team: turns, tools, requests with what came of them, and that it rests", async () => {
  const all = await crew("2026-11", "ann");
  const said = [
    [toolUse("t1", "Write", { file_path: "/elsewhere/a.txt", content: "x" })],
    [toolUse("t2", "TaskCreate", { subject: "Parse", description: "all of it" })],
    [toolUse("t3", "Read", { file_path: `${all.root}/none.txt` })],
    [words("done")],
  ];
  const { session } = await member(all, "ann", () => said.shift() ?? [words("?")]);
  await all.say("ann", "Begin.");
  const over = new AbortController();
  const attending = session.attendTeam(over.signal);
  const going = (async () => {
    for (let step = await attending.next(); !step.done; step = await attending.next());
  })();
  const request = await until(all.team, async () =>
    (await all.leadHeard(1)).find(({ type }) => type === "permission_request"),
  );
  const lead = await all.team.as("team-lead");
  const request_id = String(request["request_id"]);
  await lead.send("ann", { body: { type: "permission_response", request_id, subtype: "error", error: "no" } });
  const events: object[] = [];
  for await (const { by, event } of all.team.history(undefined, new AbortController().signal)) {
    if (by !== "ann") continue;
    events.push(event);
    if ((event as { readonly kind: string }).kind === "idle") break;
  }
  over.abort();
  await going;
  const message = { kind: "message", to: "team-lead", key: expect.any(String) };
  expect(events).toEqual([
    { kind: "turn", phase: "began" },
    {
      kind: "permission",
      id: request_id,
      phase: "asked",
      tool: "Write",
      reason: expect.stringContaining("lies outside"),
    },
    message,
    { kind: "permission", id: request_id, phase: "denied" },
    { kind: "tool", phase: "began", call: "t2", tool: "TaskCreate" },
    { kind: "task", id: "1", status: "pending" },
    { kind: "tool", phase: "ended", call: "t2", isError: false },
    { kind: "tool", phase: "began", call: "t3", tool: "Read" },
    { kind: "tool", phase: "ended", call: "t3", isError: true },
    { kind: "turn", phase: "ended", why: "completed" },
    message,
    { kind: "idle" },
  ]);
});
