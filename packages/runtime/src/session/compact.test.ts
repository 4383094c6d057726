import { expect, test } from "vitest";
import { awaited } from "../../../../scripts/awaited.ts";
import { words } from "../../test/entries.ts";
import { changed, done, opened, stage, talkIn, turn } from "../../test/sessions.ts";
import { gate } from "../../test/team.ts";
import type { SessionEvent } from "./session.ts";

/** A session whose model answers, sums up when it is asked to, and answers again. */
const scene = (lines: Parameters<typeof stage>[0][string] = [done, [words("In short.")], done], over = {}) => {
  const events: SessionEvent[] = [];
  const staged = stage({ "": lines }, over);
  return { ...staged, events, deps: { ...staged.deps, onEvent: (event: SessionEvent) => void events.push(event) } };
};
const lastOf = ({ messages }: { readonly messages: readonly { readonly blocks: readonly string[] }[] }) =>
  messages.at(-1)?.blocks.join() ?? "";

test("/compact replaces the conversation by a summary, heeds the person's wishes, and the next words go on from it", async () => {
  const { deps, requests, events } = scene();
  const session = opened(deps);
  await turn(session, "first");
  expect(await session.submit("/compact keep the names")).toBeUndefined();
  expect(lastOf(requests[1] as never)).toMatch(/about to be replaced by a summary.*keep the names/);
  expect(events.map((event) => event.kind === "entry" && event.entry.kind)).toContain("compacted");
  expect(requests).toHaveLength(2);
  await session.close();
  const again = opened({ ...deps, sessionId: session.id });
  expect((await turn(again)).terminal).toBeUndefined();
  await turn(again, "second");
  const talk = talkIn(again);
  expect(talk[0]).toMatch(/In short\..*second/);
  expect(talk.join()).not.toContain("first");
  expect(requests).toHaveLength(3);
});

test("/compact says why nothing was replaced: there is nothing yet, a hook forbids it, or the model fails, after which the session goes on", async () => {
  const failing = { kind: "invalid", message: "no credit" } as const;
  const { deps, trust } = scene([done, failing, done]);
  const session = opened(deps);
  expect(await session.submit("/compact")).toBe("There is nothing to summarise yet.");
  await turn(session, "first");
  expect(await session.submit("/compact")).toBe("The conversation was not summarised: no credit");
  expect((await turn(session, "second")).terminal).toMatchObject({ isOk: true });
  await session.close();
  trust();
  const forbidding = { hooks: [{ type: "command", command: "echo not now >&2; exit 2" }] };
  const flagSettings = JSON.stringify({ hooks: { PreCompact: [forbidding] } });
  const other = opened({ ...changed(deps, { flagSettings }), sessionId: session.id });
  expect(await other.submit("/compact")).toMatch(/^The conversation was not summarised: .*not now/);
});

test("/compact waits until no turn goes on, and the next turn waits for it", async () => {
  const { deps, requests } = scene([done, [words("In short.")], done]);
  const [asked, free] = [gate(), gate()];
  const model: typeof deps.model = async function* (request, signal) {
    asked.open();
    await free.opened;
    yield* deps.model(request, signal);
  };
  const session = opened({ ...deps, model });
  const first = turn(session, "first");
  await awaited("the first request", asked.opened);
  const compacted = session.submit("/compact");
  const second = first.then(() => turn(session, "second"));
  free.open();
  await awaited("all three", Promise.all([compacted, second]));
  expect(requests.map((request) => /about to be replaced/.test(lastOf(request)))).toEqual([false, true, false]);
  expect(lastOf(requests[2] as never)).toMatch(/In short\..*second/);
});
